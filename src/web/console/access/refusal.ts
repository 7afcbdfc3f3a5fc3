// Answers a person who is not known: with the login page in a browser, with a challenge to a script.
import type { Context } from 'hono';
import { html } from 'hono/html';

export interface Entry {
  /** People log in with a password. */
  readonly hasForm: boolean;
  /** The console has pages, so that there is a login page. */
  readonly hasPages: boolean;
  /** A proxy names people. */
  readonly isIdentityWanted: boolean;
}

export function refusalOf(c: Context, { hasForm, hasPages, isIdentityWanted }: Entry): Response | Promise<Response> {
  if (!hasForm) {
    const why = isIdentityWanted
      ? 'this server is reached through its proxy alone, which says who you are'
      : 'not allowed';
    return c.text(`${why}\n`, 403);
  }
  const isPage = hasPages && (c.req.header('accept') ?? '').includes('text/html');
  if (!isPage) {
    // A challenge to a script of a page would open a window of the browser.
    const mode = c.req.header('sec-fetch-mode');
    const challenge = mode === undefined || mode === 'navigate';
    return c.text('Unauthorized', 401, challenge ? { 'www-authenticate': 'Basic realm="Secure Area"' } : {});
  }
  c.header('cache-control', 'no-store');
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return c.redirect('/login?ended=yes', 303);
  const here = hereOf(c);
  // The browser keeps the cookie back where a link on another site leads here. The same address, asked for by this page, has it.
  const site = c.req.header('sec-fetch-site');
  if (c.req.header('sec-fetch-mode') === 'navigate' && (site === 'cross-site' || site === 'same-site')) {
    return c.html(
      html`<!doctype html>
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <meta http-equiv="refresh" content="0;url=${here}" />
            <title>leadsheet</title>
          </head>
          <body>
            <p><a href="${here}">To the page</a></p>
          </body>
        </html>`,
    );
  }
  return c.redirect(here === '/' ? '/login' : `/login?next=${encodeURIComponent(here)}`, 303);
}

function hereOf(c: Context): string {
  const { pathname, search } = new URL(c.req.url);
  return `${pathname}${search}`;
}
