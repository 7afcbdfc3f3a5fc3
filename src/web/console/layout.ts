// The frame of every page: head, navigation, the page itself, and what the page cannot show.
import { html } from 'hono/html';
import type { Viewer } from './access/viewer.ts';
import type { AssetName } from './assets.ts';
import type { Html } from './html.ts';

export interface Frame {
  readonly asset: (name: AssetName) => string;
  readonly version: string;
  readonly viewer: Viewer;
}

/** The pages in the order of the navigation. */
const places = [
  ['/', 'Jobs'],
  ['/runs', 'Runs'],
  ['/records', 'Records'],
  ['/conflicts', 'Conflicts'],
  ['/problems', 'Problems'],
  ['/enrolments', 'Enrolments'],
  ['/outbox', 'Outbox'],
  ['/feeds', 'Feeds'],
  ['/log', 'Log'],
  ['/budgets', 'Budgets'],
  ['/config', 'Configuration'],
] as const;

export interface Shown {
  readonly path: string;
  readonly title: string;
  readonly body: Html;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What the last action of this person came to. */
  readonly notice: string | undefined;
}

export function layout(frame: Frame, { path, title, body, now, notice }: Shown): Html {
  const links = places.map(([href, name]) => {
    const isHere = href === '/' ? path === '/' || path.startsWith('/jobs') : path.startsWith(href);
    return html`<li><a href="${href}" ${isHere ? html`aria-current="page"` : ''}>${name}</a></li>`;
  });
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="made-at" content="${new Date(now).toISOString()}" />
        <title>${title} · leadsheet</title>
        <link rel="stylesheet" href="${frame.asset('pico.css')}" />
        <link rel="stylesheet" href="${frame.asset('console.css')}" />
        <script type="module" src="${frame.asset('console.js')}"></script>
      </head>
      <body>
        <a class="skip" href="#page">To the page</a>
        <header class="top">
          <a class="name" href="/">leadsheet</a>
          <nav aria-label="Pages">
            <ul>
              ${links}
            </ul>
          </nav>
        </header>
        <main id="page">
          <h1>${title}</h1>
          ${notice === undefined ? '' : html`<p class="note" role="status">${notice}</p>`}
          ${frame.viewer.areDetailsShown ? '' : hidden} ${body}
        </main>
        <footer><small>leadsheet ${frame.version} ${frame.viewer.mayDecide ? '' : ' · read only'}</small></footer>
      </body>
    </html>`;
}

const hidden = html`<p class="note">
  Names, addresses and other values are hidden, because this server asks for no password. Set
  <code>server.password</code>
  to see them.
</p>`;
