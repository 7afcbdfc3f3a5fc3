import { createServer } from 'node:net';
import { once } from 'node:events';
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Viewer } from '../../../src/web/console/access/viewer.ts';
import { loadAssets } from '../../../src/web/console/assets.ts';
import { layout } from '../../../src/web/console/layout.ts';
import { createPageFeed } from '../../../src/web/console/live/feed.ts';
import { createStreams } from '../../../src/web/console/live/streams.ts';
import { safeHeaders } from '../../../src/web/headers.ts';
import { listen } from '../../../src/web/listen.ts';
import { launchBrowser } from '../../support/browser.ts';
import { hasBrowser } from '../../support/has-browser.ts';
import { createDaemonTrial, until } from '../../support/daemon.ts';

/* Pages in a browser that follow what happens: over the real daemon, and over a list whose rows change under the hand. */

const patience = { timeout: 100_000 };

/** Closing a browser on a busy machine takes long. */
const closeMs = 60_000;

async function openPage(url: string): Promise<Page> {
  const browser = await launchBrowser();
  onTestFinished(() => browser.close(), closeMs);
  // A headless browser on a machine without a locale says that its language is "en-US@posix", which uPlot does not take.
  const page = await browser.newPage({ locale: 'en-GB' });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // A server that is gone is an error of the network, and is part of a test.
    const isOfNetwork = /net::ERR_|Failed to fetch/.test(message.text());
    if (message.type() === 'error' && !isOfNetwork) faults.push(message.text());
  });
  const faults: string[] = [];
  onTestFinished(() => expect(faults).toEqual([]));
  await page.goto(url);
  // A page that is loaded again does not have it.
  await page.evaluate('window.isTheSamePage = true');
  await page.waitForSelector('#live[data-state="on"]', patience);
  return page;
}

/** The policy of content forbids the page to evaluate text, and so `waitForFunction`. */
const seen = (page: Page, expression: string) =>
  vi.waitFor(async () => expect(await page.evaluate<boolean>(expression)).toBe(true), { ...patience, interval: 50 });

const isTheSame = (page: Page) => page.evaluate<boolean>('window.isTheSamePage === true');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function hide(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

describe.runIf(hasBrowser)('an open page, over the real daemon', { timeout: 180_000 }, () => {
  test('a run, how far it is and what it changed appear without loading the page again', async () => {
    const held = Promise.withResolvers<void>();
    let isHeld = false;
    const trial = createDaemonTrial({
      file: { server: { listen: '127.0.0.1:0' } },
      around: async (request, answer) => {
        if (isHeld && request.method !== 'GET' && request.url.includes('values')) await held.promise;
        return answer(request);
      },
    });
    onTestFinished(() => held.resolve());
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', company_name: 'Firm' });
    const { url } = await trial.begin();
    await until(() => trial.said('change done').length > 0);
    const page = await openPage(`${url}/`);
    isHeld = true;
    trial.change('ann@firm.io', { company_name: 'Service Ltd' });
    await page.waitForSelector('[data-progress="prospects"]:not(:empty)', patience);
    const log = await openPage(`${url}/log`);
    const lines = await log.locator('tbody tr').count();
    held.resolve();
    await seen(log, `document.querySelectorAll('tbody tr').length > ${lines}`);
    await seen(page, `!document.querySelector('[data-progress]')`);
    expect(await isTheSame(page)).toBe(true);
  });

  test('a hidden page has no stream and is left as it is; shown again, it is true at once', async () => {
    const trial = createDaemonTrial({ file: { server: { listen: '127.0.0.1:0' } } });
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', company_name: 'Firm' });
    const { url } = await trial.begin();
    await until(() => trial.said('change done').length > 0);
    const page = await openPage(`${url}/log`);
    const lines = await page.locator('tbody tr').count();
    const cut = page.waitForEvent('requestfailed', (request) => request.url().includes('/events'));
    await hide(page, true);
    await cut;
    const streams: string[] = [];
    page.on('request', (request) => streams.push(request.url()));
    const before = trial.said('change done').length;
    trial.change('ann@firm.io', { company_name: 'Service Ltd' });
    await until(() => trial.said('change done').length > before);
    const runs = trial.said('run ended').length;
    await until(() => trial.said('run ended').length > runs + 1);
    expect(streams).toEqual([]);
    expect(await page.locator('tbody tr').count()).toBe(lines);
    await hide(page, false);
    await seen(page, `document.querySelectorAll('tbody tr').length > ${lines}`);
    expect(await isTheSame(page)).toBe(true);
  });

  test('after the server was started again the page goes on', async () => {
    const trial = createDaemonTrial({ file: { server: { listen: `127.0.0.1:${await freePort()}` } } });
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', company_name: 'Firm' });
    const first = await trial.begin();
    await until(() => trial.said('change done').length > 0);
    const page = await openPage(`${first.url}/log`);
    const lines = await page.locator('tbody tr').count();
    await first.stop();
    await page.waitForSelector('#live[data-state="off"]', patience);
    trial.change('ann@firm.io', { company_name: 'Service Ltd' });
    await trial.begin();
    await page.waitForSelector('#live[data-state="on"]', patience);
    await seen(page, `document.querySelectorAll('tbody tr').length > ${lines}`);
    expect(await isTheSame(page)).toBe(true);
  });
});

interface Row {
  readonly id: string;
  readonly text: string;
}

/** A page with a list as the pages with decisions have it: a tick a row, fields, and details. */
async function beginList() {
  const state = { rows: ['a', 'b', 'c', 'd'].map((id): Row => ({ id, text: `row ${id}` })), given: 'given' };
  const viewer: Viewer = { name: 'ann', role: 'operator', mayDecide: true, areDetailsShown: true, formToken: 't' };
  const feed = createPageFeed(() => 'p');
  onTestFinished(() => feed[Symbol.dispose]());
  const assets = loadAssets();
  const app = new Hono();
  app.use(safeHeaders);
  app.route('/assets', assets.routes);
  app.route(
    '/events',
    createStreams({
      feed,
      access: { viewerOf: async () => viewer, viewerNow: async () => viewer },
      part: (_viewer, message) => message,
    }),
  );
  app.get('/', (c) => {
    const body = html`<form method="post" action="/do/x" id="list" class="action">
      <table>
        <thead>
          <tr>
            <th scope="col">Tick</th>
            <th scope="col">Record</th>
            <th scope="col">Place</th>
          </tr>
        </thead>
        <tbody>
          ${state.rows.map(
            ({ id, text }) =>
              html`<tr>
                <td><input type="checkbox" name="id" value="${id}" aria-label="${id}" data-tick /></td>
                <td class="text">${text}</td>
                <td><a href="/opened?of=${id}">open</a></td>
              </tr>`,
          )}
        </tbody>
      </table>
      <label>Reason <input name="reason" value="${state.given}" /></label>
      <label>Note <textarea name="note"></textarea></label>
      <details>
        <summary>More</summary>
        <p class="said">${state.rows.length} rows</p>
      </details>
      <button type="submit">Keep <span data-ticked="list">ticked</span></button>
    </form>`;
    return c.html(
      layout(
        { asset: assets.address, build: assets.build, version: '1', viewer },
        {
          path: '/',
          title: 'List',
          body,
          follows: ['decisions'],
          position: feed.position(),
          now: Date.now(),
          notice: undefined,
        },
      ),
    );
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const page = await openPage(server.url);
  const tick = (id: string) => page.locator(`input[value="${id}"]`);
  const isTicked = async () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('input[name="id"]:checked')].map(({ value }) => value)`);
  async function show(rows: readonly Row[]): Promise<void> {
    state.rows = [...rows];
    feed.decided();
    const texts = JSON.stringify(rows.map(({ text }) => text));
    await seen(
      page,
      `JSON.stringify([...document.querySelectorAll('td.text')].map((cell) => cell.textContent)) === ${JSON.stringify(texts)}`,
    );
  }
  return { page, state, show, tick, isTicked };
}

describe.runIf(hasBrowser)('a list whose rows change under the hand', { timeout: 180_000 }, () => {
  test('ticks stay with their records while rows come and go', async () => {
    const { page, state, show, tick, isTicked } = await beginList();
    await tick('b').check();
    await tick('d').check();
    await tick('d').focus();
    const [a, b, c, d] = state.rows as [Row, Row, Row, Row];
    await show([{ id: 'new', text: 'row new' }, b, d, a]);
    expect(await isTicked()).toEqual(['b', 'd']);
    expect(await page.evaluate('document.activeElement.value')).toBe('d');
    expect(await page.textContent('#ticks-count')).toBe('2 of 4 ticked');
    await show([d, c, b]);
    expect(await isTicked()).toEqual(['d', 'b']);
    expect(await page.textContent('button [data-ticked]')).toBe('2 ticked');
  });

  test('a ticked record that is different now, or gone, is not ticked any more, and the page says so', async () => {
    const { page, state, show, tick, isTicked } = await beginList();
    for (const id of ['a', 'b', 'c']) await tick(id).check();
    const [a, b, , d] = state.rows as [Row, Row, Row, Row];
    await show([a, { ...b, text: 'row b, changed' }, d]);
    expect(await isTicked()).toEqual(['a']);
    expect(await page.textContent('#said')).toBe('2 ticked rows are different now, and no longer ticked.');
    expect(await page.textContent('#ticks-count')).toBe('1 of 3 ticked');
  });

  test('what is half typed, the focus and open details stay', async () => {
    const { page, state, show } = await beginList();
    await page.locator('summary').click();
    await page.locator('textarea').fill('half a no');
    await page.locator('input[name="reason"]').fill('half a rea');
    state.given = 'given anew';
    await show(state.rows.slice(0, 2));
    expect(await page.inputValue('textarea')).toBe('half a no');
    expect(await page.inputValue('input[name="reason"]')).toBe('half a rea');
    expect(await page.evaluate('document.activeElement.name')).toBe('reason');
    expect(await page.textContent('details[open] .said')).toBe('2 rows');
    await page.keyboard.type('son');
    await page.locator('textarea').focus();
    await show(state.rows.slice(0, 1));
    expect(await page.inputValue('input[name="reason"]')).toBe('half a reason');
  });

  test('a page does not change under a button that a person is about to press', async () => {
    const { page, state, show } = await beginList();
    await page.locator('main form button').hover();
    const shown = show(state.rows.slice(0, 1));
    let isShown = false;
    void shown.then(() => (isShown = true));
    const told = page.waitForResponse((answer) => new URL(answer.url()).pathname === '/');
    // The stream has told it by the time its next message, which is about nothing, has come.
    await page.waitForTimeout(2_500);
    expect(isShown).toBe(false);
    await page.mouse.move(0, 0);
    await told;
    await shown;
  });

  test('keys: "/" searches, "?" lists keys, j and k go from row to row, arrows and space tick, "a" ticks all', async () => {
    const { page, isTicked } = await beginList();
    const focused = () => page.evaluate<string>('document.activeElement.value ?? document.activeElement.name');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await focused()).toBe('b');
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.keyboard.press('k');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe('a');
    expect(await isTicked()).toEqual(['b', 'c']);
    expect(await page.textContent('#ticks-count')).toBe('2 of 4 ticked');
    await page.keyboard.press('a');
    expect(await isTicked()).toEqual(['a', 'b', 'c', 'd']);
    await page.keyboard.press('a');
    expect(await isTicked()).toEqual([]);
    await page.locator('#ticks-bar [data-tick="all"]').click();
    expect(await page.textContent('button [data-ticked]')).toBe('4 ticked');
    await page.keyboard.press('?');
    expect(await page.isVisible('dialog[open] h2')).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.isVisible('dialog h2')).toBe(false);
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.name')).toBe('of');
    await page.keyboard.type('?a/j');
    expect(await page.inputValue('[name="of"]')).toBe('?a/j');
  });

  test('Enter on a tick opens the link of its row, and sends no form; arrows leave out rows without a tick', async () => {
    const { page } = await beginList();
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    // The list has no pages of records, and an answer without one leaves the browser where it is.
    await page.route(/[?]of=/, (route) => route.fulfill({ status: 204 }));
    const focused = () => page.evaluate<string>('document.activeElement.value');
    await page.evaluate(`document.querySelector('[value="c"]').remove()`);
    await page.locator('input[value="b"]').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('d');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe('b');
    const opened = page.waitForRequest((request) => new URL(request.url()).pathname !== '/events');
    await page.keyboard.press('Enter');
    expect(new URL((await opened).url()).search).toBe('?of=b');
    expect(sent).toEqual([]);
  });
});
