// The grid page: shows the tabs of a spreadsheet in a browser, where a person can read, type, insert, delete and sort.
// It is a client of the API, with a token of its own that is neither limited nor counted.
import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { StandinEnv } from '../answer.ts';
import type { SheetsModel, SpreadsheetFile } from '../model.ts';
import type { TokenIssuer } from '../tokens.ts';

export interface PageDeps {
  readonly model: SheetsModel;
  readonly tokens: TokenIssuer;
}

const headers: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** `/` shows the spreadsheet changed last, `/{spreadsheetId}` a certain one. */
export function createPage({ model, tokens }: PageDeps): Hono<StandinEnv> {
  const script = readFileSync(new URL('grid.js', import.meta.url), 'utf8');
  const style = readFileSync(new URL('grid.css', import.meta.url), 'utf8');
  const tokenByEmail = new Map<string, string>();
  const tokenOf = (email: string): string => {
    const token = tokenByEmail.get(email) ?? tokens.issue(email, undefined, true);
    tokenByEmail.set(email, token);
    return token;
  };
  const app = new Hono<StandinEnv>();
  app.get('/_standin/grid.js', (c) =>
    c.body(script, 200, { ...headers, 'content-type': 'text/javascript; charset=utf-8' }),
  );
  app.get('/_standin/grid.css', (c) => c.body(style, 200, { ...headers, 'content-type': 'text/css; charset=utf-8' }));
  app.get('/', (c) => {
    const [latest] = model.list();
    return latest
      ? c.html(gridPage(model, latest, tokenOf(latest.ownerEmail)), 200, headers)
      : c.html(emptyPage(), 200, headers);
  });
  app.get('/:spreadsheetId{[\\w-]{10,100}}', (c) => {
    const file = model.get(c.req.param('spreadsheetId'));
    return file
      ? c.html(gridPage(model, file, tokenOf(file.ownerEmail)), 200, headers)
      : c.html(emptyPage(), 404, headers);
  });
  return app;
}

function gridPage(model: SheetsModel, file: SpreadsheetFile, token: string) {
  const others = model.list().toSorted((a, b) => (a.content.title < b.content.title ? -1 : 1));
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${file.content.title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/_standin/grid.css" />
        <script src="/_standin/grid.js" defer></script>
      </head>
      <body data-spreadsheet="${file.id}" data-token="${token}">
        <header>
          <span class="logo" aria-hidden="true"></span>
          <select id="files" aria-label="Spreadsheet">
            ${others.map(({ id, content }) => html`<option value="${id}" ${id === file.id ? 'selected' : ''}>${content.title}</option>`)}
          </select>
          <nav class="tools" aria-label="Tools">
            <button type="button" id="insert-row">Insert row</button>
            <button type="button" id="delete-row">Delete row</button>
            <button type="button" id="sort-up">Sort A → Z</button>
            <button type="button" id="sort-down">Sort Z → A</button>
            <label><input type="checkbox" id="show-hidden" /> Show hidden</label>
          </nav>
          <output id="status" aria-live="polite"></output>
        </header>
        <div class="formula">
          <output id="address">A1</output>
          <input id="entry" aria-label="Content of the cell" autocomplete="off" spellcheck="false" />
        </div>
        <main id="scroller" tabindex="0" role="grid" aria-label="Cells"></main>
        <footer id="tabs" role="tablist"></footer>
        <noscript>This page needs JavaScript.</noscript>
      </body>
    </html>`;
}

function emptyPage() {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>No spreadsheet</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/_standin/grid.css" />
      </head>
      <body class="empty">
        <h1>No spreadsheet here</h1>
        <p>Create one through the API or with POST /_standin/spreadsheets, then load this page again.</p>
      </body>
    </html>`;
}
