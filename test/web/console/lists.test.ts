import { expect, test } from 'vitest';
import { createDaemonTrial, until } from '../../support/daemon.ts';
import { addRuns, browsing, foundIn, linkOf, password, storeOf, walk } from './support.ts';

/* Lists of the console: filters in the address, page by page without a gap or a double, and the whole list as CSV. */

const seldom = '0 0 1 1 *';
const hour = 3_600_000;

/** Two jobs with so many runs and lines each; nothing runs meanwhile but the first runs of the daemon. */
async function begin(count: number, server: Readonly<Record<string, unknown>> = { password }) {
  const trial = createDaemonTrial({
    sync: { schedule: seldom, full_scan: seldom },
    others: { others: { sheet: { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests', tab: 'Other' } } },
    file: { server: { listen: '127.0.0.1:0', ...server } },
  });
  const store = storeOf(trial.configFile);
  const from = Date.now() - 48 * hour;
  const runs = [
    ...(await addRuns(store, 'prospects', count, from)),
    ...(await addRuns(store, 'others', count, from + 30_000)),
  ];
  const { url } = await trial.begin();
  await until(() => trial.said('run ended').length > 1);
  return { ...trial, ...browsing(url!, 'password' in server), runs, from };
}

const runLinks = /href="\/runs\/([\w-]+-\d{5})"/g;

test('runs: 1,000 of two jobs, forwards and backwards, each once and the latest first', async () => {
  const browser = await begin(500);
  const pages = await walk(browser, '/runs', 'Next');
  const forwards = foundIn(pages, runLinks);
  expect(forwards.toSorted()).toEqual(browser.runs.toSorted());
  const last = linkOf(pages.at(-2)!, 'Next')!;
  const back = foundIn((await walk(browser, last, 'Previous')).toReversed(), runLinks);
  expect(back).toEqual(forwards);
  expect(linkOf(pages.at(-1)!, 'First page')).toBe('/runs');
  expect(linkOf(pages[0]!, 'First page')).toBeUndefined();
});

test('runs: filters by job, state and time stand in the address, and hold on every page', async () => {
  const browser = await begin(260);
  const failed = foundIn(await walk(browser, '/runs?job=prospects&status=failed', 'Next'), runLinks);
  expect(failed).toHaveLength(26);
  expect(failed.every((run) => run.startsWith('prospects-') && run.endsWith('0'))).toBe(true);
  const at = (index: number) => new Date(browser.from + index * 60_000).toISOString();
  const between = `/runs?job=prospects&since=${at(20)}&until=${at(249)}`;
  const pages = await walk(browser, between, 'Next');
  const expected = browser.runs.slice(20, 250).toReversed();
  expect(foundIn(pages, runLinks)).toEqual(expected);
  const back = (await walk(browser, linkOf(pages.at(-2)!, 'Next')!, 'Previous')).toReversed();
  expect(foundIn(back, runLinks)).toEqual(expected);
  expect(pages[1]).toContain(`value="${at(20)}"`);
  for (const path of ['/runs?status=fine', '/runs?since=yesteryear', '/runs?after=nothing', '/runs?job=nope']) {
    expect({ path, status: (await browser.get(path)).status >= 400 }).toEqual({ path, status: true });
  }
  expect(await browser.page('/runs?status=partial')).toContain('No kept run is meant by this filter.');
});

test('the log: every line once, by side too, and no page is lost behind a side that is rare', async () => {
  const browser = await begin(320);
  const rows = /reason (\d+)/g;
  const indexes = (count: number) => Array.from({ length: count }, (_, index) => String(count - 1 - index));
  const all = foundIn(await walk(browser, '/log?job=others', 'Next'), rows);
  expect(all).toEqual(indexes(320));
  const pages = await walk(browser, '/log?job=others&side=crm', 'Next');
  const ofService = indexes(320).filter((index) => Number(index) % 3 === 0);
  expect(foundIn(pages, rows)).toEqual(ofService);
  const back = (await walk(browser, linkOf(pages.at(-2)!, 'Next')!, 'Previous')).toReversed();
  expect(foundIn(back, rows)).toEqual(ofService);
  expect(await browser.page('/log?job=others&outcome=failed')).toContain('is meant by this filter');
  const one = foundIn(await walk(browser, '/log?run=others-00007', 'Next'), rows);
  expect(one).toEqual(['7']);
});

test('CSV: the whole list of a filter, with every text as it was and no formula', async () => {
  const { csv, get, runs } = await begin(30);
  const ofRuns = await csv('/runs?format=csv&job=prospects');
  expect(ofRuns.map(({ run }) => run).filter((run) => runs.includes(run!))).toHaveLength(30);
  const failed = ofRuns.find(({ run }) => run === 'prospects-00010');
  expect(failed).toMatchObject({ status: 'failed', error: `'=1+1, "quoted"\nand a second line`, seconds: '1' });
  const lines = await csv('/log?format=csv&job=others');
  expect(lines).toHaveLength(30);
  const after = lines.toReversed().slice(0, 7);
  expect(after.map((line) => line['after'])).toEqual([
    `'=HYPERLINK("http://evil.test")`,
    `'+1`,
    `'-1`,
    `'@SUM(A1)`,
    `'\tx`,
    `'\ry`,
    'שלום, "עולם"\n2',
  ]);
  expect(after[0]!['before']).toBe('');
  const answer = await get('/runs?format=csv');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="runs.csv"');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  // A byte order mark, and line ends as RFC 4180 has them.
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(bytes.slice(0, 3)).toEqual(Uint8Array.of(0xef, 0xbb, 0xbf));
  expect(new TextDecoder().decode(bytes.slice(3, 200))).toMatch(/^run,job,kind,.*\r\n/);
  for (const path of ['/runs?format=csv&job=nope', '/log?format=csv&since=yesteryear']) {
    expect((await get(path)).status).toBeGreaterThanOrEqual(400);
  }
});

test('S8: a run that begins with a page of decisions can be taken back', async () => {
  const { get, page, configFile } = await begin(2);
  const [run, only] = ['prospects-00001', 'prospects-00000'];
  {
    await using lease = await storeOf(configFile).sync('prospects').acquireLease();
    const time = new Date(Date.now() - 50 * hour).toISOString();
    const decided = {
      decision: 'resolve',
      outcome: 'taken',
      by: 'ann',
      decided_at: time,
      through: 'console',
      seen: null,
    };
    const about = { contact: null, row: null, field: null, text: 'Keep "A" (service)' };
    await lease.appendHistory(
      Array.from({ length: 101 }, (_, index) => ({
        time,
        sync: 'prospects',
        run,
        ...decided,
        ...about,
        id: `c-${index}`,
      })),
    );
  }
  const first = await page(`/runs/${run}`);
  expect(first).not.toContain('reason 1');
  expect(first).toContain(`/runs/${run}/undo`);
  expect(await page(linkOf(first, 'Next')!)).toContain(`/runs/${run}/undo`);
  expect(await (await get(`/runs/${only}`)).text()).toContain(`/runs/${only}/undo`);
});

test('one run as JSON and as CSV', async () => {
  const { get, csv } = await begin(2);
  const answer = await get('/runs/prospects-00000?format=json');
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(await answer.json()).toMatchObject({
    run: 'prospects-00000',
    status: 'failed',
    changes: [{ field: 'company_name', after: '=HYPERLINK("http://evil.test")' }],
  });
  expect(await csv('/runs/prospects-00000?format=csv')).toMatchObject([{ field: 'company_name', reason: 'reason 0' }]);
  expect((await get('/runs/nope?format=json')).status).toBe(404);
  expect((await get('/runs/nope?format=csv')).status).toBe(404);
});

test('without a password no download has a value of a contact', async () => {
  const { get } = await begin(2, {});
  for (const path of ['/log?format=csv', '/runs/prospects-00000?format=csv', '/runs/prospects-00000?format=json']) {
    const text = await (await get(path)).text();
    expect(text).toContain('company_name');
    expect(text).not.toMatch(/HYPERLINK|before|after/);
  }
});
