// The login page, the page of one-time links, their forms, and the log-out. They are open to people who are not known yet.
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { html } from 'hono/html';
import type { Html } from '../html.ts';
import type { EnterResult, LoginDesk } from './desk.ts';
import { localPath } from './local-path.ts';
import { linkSecs } from './login-links.ts';
import { sameOrigin } from './same-origin.ts';

export interface LoginRoutesDep {
  readonly desk: LoginDesk;
  /** The frame of a page without navigation. */
  readonly show: (page: { readonly title: string; readonly body: Html; readonly script?: 'enter.js' }) => Html;
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
  // The code stands behind `#`, which a browser sends to no server: a GET neither has it nor uses it up.
  app.get('/enter', (c) => {
    c.header('cache-control', 'no-store');
    return c.html(show({ title: 'Log in', body: enterForm, script: 'enter.js' }));
  });
  app.post('/enter', sameOrigin, bodyLimit({ maxSize: formBytesMax }), async (c) => {
    const fields = new URLSearchParams(await c.req.text());
    const code = readCode(fields.get('code') ?? '');
    const result = await desk.enter(c, { code, replaces: fields.get('replaces') ?? undefined });
    c.header('cache-control', 'no-store');
    switch (result.kind) {
      case 'begun':
        return c.redirect('/', 303);
      case 'invalid':
        return c.html(show({ title: 'Not logged in', body: linkIsSpent }), 401);
      case 'other':
        return c.html(show({ title: 'Another person is logged in', body: replaceForm(result, code) }), 409);
    }
  });
  app.post('/logout', sameOrigin, bodyLimit({ maxSize: formBytesMax }), async (c) => {
    const fields = new URLSearchParams(await c.req.text());
    await desk.logOut(c, fields.get('token') ?? '');
    return c.redirect('/', 303);
  });
  return app;
}

/** A person without script pastes the code, or the whole link. */
function readCode(text: string): string {
  return text.trim().replace(/^.*#/, '');
}

/** The script puts the code of the link into the field, and out of the address. */
const enterForm = html`<form method="post" action="/enter" class="login" id="enter">
  <p>
    This link was made by <code>leadsheet console</code>. It logs in the person who made it, once, within ${linkSecs}
    seconds.
  </p>
  <label>The link, or its part behind <code>#</code> <input name="code" required autocomplete="off" /></label>
  <button type="submit">Log in</button>
</form>`;

const linkIsSpent = html`<p class="note" role="alert">
  Nobody was logged in: the link was used before, is older than ${linkSecs} seconds, or leadsheet was started anew
  since. Make another one with <code>leadsheet console</code>.
</p>`;

function replaceForm(
  { name, present, session }: Pick<Extract<EnterResult, { kind: 'other' }>, 'name' | 'present' | 'session'>,
  code: string,
): Html {
  return html`<p class="note" role="alert">
      In this browser <bdi>${present}</bdi> is logged in. The link is of <bdi>${name}</bdi>. Nothing has happened yet.
    </p>
    <form method="post" action="/enter" class="login">
      <input type="hidden" name="code" value="${code}" />
      <input type="hidden" name="replaces" value="${session}" />
      <button type="submit">Log out <bdi>${present}</bdi>, and log in as <bdi>${name}</bdi></button>
    </form>
    <p>
      <a href="/">Stay logged in as <bdi>${present}</bdi></a>
    </p>`;
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
