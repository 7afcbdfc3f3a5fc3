// The frame of every page: head, navigation, the page itself, what the page cannot show, and the keys.
import { html } from 'hono/html';
import type { Viewer } from './access/viewer.ts';
import type { AssetName } from './assets.ts';
import { type Html, personName } from './html.ts';
import { keysDialog } from './keys.ts';
import type { Topic } from './live/feed.ts';
import { jobOf } from './live/follows.ts';

export interface Frame {
  readonly asset: (name: AssetName) => string;
  /** The build of the files that the page loads. */
  readonly build: string;
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
  ['/workers', 'Workers'],
  ['/config', 'Configuration'],
] as const;

/** Pages with charts. No other page loads what draws them. */
const placesWithCharts: ReadonlySet<string> = new Set(['/', '/budgets']);

export interface Shown {
  readonly path: string;
  readonly title: string;
  readonly body: Html;
  /** The parts that the page shows anew while it is open. */
  readonly follows: readonly Topic[];
  /** The position of the event stream before the page read anything. */
  readonly position: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The result of the last action of this person. */
  readonly notice: string | undefined;
}

/** htmx runs no text as script, keeps no history, and adds no style of its own: the policy of content forbids it. */
const htmxConfig = JSON.stringify({ includeIndicatorCSS: false, history: false, extensions: 'kept' });

export function layout(frame: Frame, { path, title, body, follows, position, now, notice }: Shown): Html {
  const { asset, build, version, viewer } = frame;
  const seen = viewer.role === 'operator' ? [...places, ['/audit', 'Audit'] as const] : places;
  const links = seen.map(([href, name]) => {
    const isHere = href === '/' ? path === '/' || path.startsWith('/jobs') : path.startsWith(href);
    return html`<li><a href="${href}" ${isHere ? html`aria-current="page"` : ''}>${name}</a></li>`;
  });
  const job = jobOf(path);
  const hasCharts = placesWithCharts.has(path);
  const script = (name: AssetName) => html`<script type="module" src="${asset(name)}"></script>`;
  const style = (name: AssetName) => html`<link rel="stylesheet" href="${asset(name)}" />`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content="${htmxConfig}" />
        <title>${title} · leadsheet</title>
        <link rel="icon" type="image/svg+xml" href="${asset('icon.svg')}" />
        ${style('pico.css')} ${style('console.css')} ${hasCharts ? style('uplot.css') : ''} ${script('htmx.js')}
        ${script('console.js')} ${script('live.js')} ${script('keys.js')}
        ${
          hasCharts
            ? html`<script defer src="${asset('uplot.js')}"></script>
                ${script('charts.js')}`
            : ''
        }
      </head>
      <body>
        <a class="skip" href="#page">To the page</a>
        <header class="top">
          <a class="name" href="/">leadsheet</a>
          <button type="button" class="menu" popovertarget="pages">Menu</button>
          <nav id="pages" aria-label="Pages" popover>
            <ul>
              ${links}
            </ul>
          </nav>
          ${viewer.areDetailsShown ? search : ''} ${person(viewer)}
        </header>
        <p id="said" class="note" role="status" hidden></p>
        <main
          id="page"
          data-made-at="${new Date(now).toISOString()}"
          data-position="${position}"
          data-build="${build}"
          data-follows="${follows.join(' ')}"
          ${job === undefined ? '' : html`data-job="${job}"`}
        >
          <h1>${personName(title)}</h1>
          ${notice === undefined ? '' : html`<p class="note notice" role="status">${notice}</p>`}
          ${viewer.areDetailsShown ? '' : hidden} ${body}
        </main>
        <div id="ticks-bar" class="ticks" role="region" aria-label="Ticked rows" hidden>
          <output id="ticks-count"></output>
          <button type="button" class="quiet-button" data-tick="all">Tick all of this page</button>
          <button type="button" class="quiet-button" data-tick="none">Untick all</button>
        </div>
        <footer>
          <small>leadsheet ${version}${viewer.mayDecide ? '' : ' · read only'}</small>
          <small id="live" class="live" data-state="off"></small>
          <button type="button" class="quiet-button keys-button" data-keys hidden>Keys <kbd>?</kbd></button>
        </footer>
        ${keysDialog}
      </body>
    </html>`;
}

const search = html`<form class="find" method="get" action="/records" role="search">
  <input
    name="of"
    aria-label="Find a record"
    placeholder="Find a record"
    title="By e-mail address, name, uuid or row:17"
    data-search
    autocomplete="off"
  />
</form>`;

/** The name of the person who is logged in, and the way out. */
function person({ name, session, formToken }: Viewer): Html {
  if (session === undefined) return html``;
  return html`<form method="post" action="/logout" class="person">
    <input type="hidden" name="token" value="${formToken}" />
    <span>${name}</span> <button type="submit">Log out</button>
  </form>`;
}

/** The frame of the login page: a person who is not known sees no navigation. */
export function loginLayout(
  { asset, version }: Pick<Frame, 'asset' | 'version'>,
  { title, body, script }: Pick<Shown, 'title' | 'body'> & { readonly script?: AssetName },
): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · leadsheet</title>
        <link rel="stylesheet" href="${asset('pico.css')}" />
        <link rel="stylesheet" href="${asset('console.css')}" />
        ${script === undefined ? '' : html`<script type="module" src="${asset(script)}"></script>`}
      </head>
      <body>
        <header class="top"><span class="name">leadsheet</span></header>
        <main id="page" class="door">
          <h1>${title}</h1>
          ${body}
        </main>
        <footer><small>leadsheet ${version}</small></footer>
      </body>
    </html>`;
}

const hidden = html`<p class="note">
  Names, addresses and other values are hidden, because this server asks for no password. To see them, enter by a link
  of
  <code>leadsheet console</code>, or set <code>server.password</code>.
</p>`;
