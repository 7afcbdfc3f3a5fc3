import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serve } from '../../../src/standin/serve.ts';
import { launchBrowser } from '../../support/browser.ts';
import { hasBrowser } from '../../support/has-browser.ts';
import { createTrial } from './support/standin.ts';

const header = ['ID', 'Name', 'Company'];
const trial = createTrial({
  title: 'A <script>alert(1)</script> title',
  tabs: [
    {
      title: 'People',
      values: [header, ...Array.from({ length: 600 }, (_, row) => [`id-${row}`, `Name ${600 - row}`, '<i>Firm</i>'])],
    },
    { title: 'Other' },
  ],
});
const person = trial.standin.person(trial.file.id);
const server = await serve(trial.standin.app, 0);
let browser: Browser;
let page: Page;
const problems: string[] = [];

// The browser is a package that holds a Linux binary.
describe.runIf(hasBrowser)('the grid page, in a browser', () => {
  beforeAll(async () => {
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 1000, height: 600 } });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => (message.type() === 'error' ? problems.push(message.text()) : undefined));
    await page.goto(server.url);
    await page.waitForSelector(cell(5, 1));
  });

  afterAll(async () => {
    await browser?.close();
    await server.close();
  });

  /** Within the next look of the page, on a machine under any load. */
  const soon = { timeout: 100_000 };

  /** By row and column counted from 0. */
  function cell(row: number, column: number): string {
    return `td[data-row="${row}"][data-column="${column}"]`;
  }

  test('text is shown as text, with any content', async () => {
    expect(await page.textContent(cell(1, 2))).toBe('<i>Firm</i>');
    expect(await page.title()).toBe('A <script>alert(1)</script> title');
  });

  test('typed text is in the spreadsheet, parsed as typing', async () => {
    await page.click(cell(2, 2));
    await page.keyboard.type('1,250');
    await page.keyboard.press('Enter');
    await expect.poll(() => person.read('People!C3', 'UNFORMATTED_VALUE'), soon).toEqual([[1250]]);
    await expect.poll(() => page.textContent(cell(2, 2)), soon).toBe('1,250');
  });

  test('a change by another client appears by itself', async () => {
    person.type('People!B2', 'Changed elsewhere');
    await expect.poll(() => page.textContent(cell(1, 1)), soon).toBe('Changed elsewhere');
  });

  test('rows are inserted, deleted and sorted', async () => {
    await page.click(cell(1, 0));
    await page.click('#insert-row');
    await expect.poll(() => person.read('People!A2:A3'), soon).toEqual([[], ['id-0']]);
    await page.click('#delete-row');
    await expect.poll(() => person.read('People!A2'), soon).toEqual([['id-0']]);
    await page.click(cell(1, 1));
    await page.click('#sort-up');
    await expect.poll(() => person.read('People!B1:B3'), soon).toEqual([['Name'], ['Changed elsewhere'], ['Name 1']]);
  });

  test('a hidden column is left out until it is requested', async () => {
    person.request({
      updateDimensionProperties: {
        range: { sheetId: 0, dimension: 'COLUMNS', startIndex: 0, endIndex: 1 },
        properties: { hiddenByUser: true },
        fields: 'hiddenByUser',
      },
    });
    await expect.poll(() => page.locator(cell(1, 0)).count(), soon).toBe(0);
    await page.click('#show-hidden');
    await expect.poll(() => page.locator(cell(1, 0)).count(), soon).toBe(1);
  });

  test('rows far below become visible by scrolling', async () => {
    await page.evaluate('document.querySelector("#scroller").scrollTop = 500 * 26');
    await expect.poll(() => page.locator(cell(505, 1)).count(), soon).toBe(1);
  });

  test('an address names a tab and a row, as one of Google Sheets', async () => {
    const other = await browser.newPage({ viewport: { width: 1000, height: 600 } });
    await other.goto(`${server.url}/${trial.file.id}#gid=0&range=A417`);
    await other.waitForSelector(`th.selected[data-row="416"]`);
    expect(await other.textContent('#address')).toBe('A417');
  });

  test('nothing failed in the browser, and requests of the page were not counted', () => {
    expect(problems).toEqual([]);
    expect(trial.standin.log.counters).toEqual({ reads: 0, writes: 0, tokens: 0 });
  });
});
