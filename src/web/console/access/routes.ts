// The login page, the form of it, and the log-out. They are open to people who are not known yet.
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { html } from 'hono/html';
import type { Html } from '../html.ts';
import type { LoginDesk } from './desk.ts';
import { localPath } from './local-path.ts';
import { sameOrigin } from './same-origin.ts';

export interface LoginRoutesDep {
  readonly desk: LoginDesk;
  /** The frame of a page without navigation. */
  readonly show: (page: { readonly title: string; readonly body: Html }) => Html;
}

/** A name, a password and an address to go to. */
const formBytesMax = 16 * 1024;

export function loginRoutes({ desk, show }: LoginRoutesDep): Hono {
  const app = new Hono();

  async function page(c: Context, status: 200 | 401 | 429, { said, next, name }: Shown) {
    c.header('cache-control', 'no-store');
    const asksName = await desk.asksName();
    return c.html(show({ title: 'Log in', body: form({ asksName, said, next, name }) }), status);
  }

  if (desk.hasForm) {
    app.get('/login', (c) => {
      const said =
        c.req.query('ended') === undefined ? undefined : 'You are not logged in any more. Nothing has happened.';
      return page(c, 200, { said, next: localPath(c.req.query('next')), name: '' });
    });
    app.post('/login', sameOrigin, bodyLimit({ maxSize: formBytesMax }), async (c) => {
      const fields = new URLSearchParams(await c.req.text());
      const [name, password] = [fields.get('name')?.trim() ?? '', fields.get('password') ?? ''];
      const next = localPath(fields.get('next') ?? undefined);
      const result = await desk.logIn(c, { name, password });
      switch (result.kind) {
        case 'begun':
          return c.redirect(next, 303);
        case 'wrong':
          return page(c, 401, { said: 'Name or password is wrong.', next, name });
        case 'later': {
          c.header('retry-after', String(result.waitSecs));
          const said = `Too many wrong passwords came. Try again in ${result.waitSecs} s.`;
          return page(c, 429, { said, next, name });
        }
      }
    });
  }
  app.post('/logout', sameOrigin, bodyLimit({ maxSize: formBytesMax }), async (c) => {
    const fields = new URLSearchParams(await c.req.text());
    await desk.logOut(c, fields.get('token') ?? '');
    return c.redirect('/', 303);
  });
  return app;
}

interface Shown {
  readonly said: string | undefined;
  readonly next: string;
  readonly name: string;
}

function form({ asksName, said, next, name }: Shown & { readonly asksName: boolean }): Html {
  return html`${said === undefined ? '' : html`<p class="note" role="alert">${said}</p>`}
    <form method="post" action="/login" class="login">
      ${next === '/' ? '' : html`<input type="hidden" name="next" value="${next}" />`}
      ${
        asksName
          ? html`<label
              >Name <input name="name" value="${name}" autocomplete="username" autocapitalize="none"
            /></label>`
          : ''
      }
      <label>Password <input name="password" type="password" required autocomplete="current-password" /></label>
      <button type="submit">Log in</button>
    </form>`;
}
