import { expect, test } from 'vitest';
import * as z from 'zod';
import { createAgencyTrial } from '../../support/agency.ts';
import { createDaemonTrial, until } from '../../support/daemon.ts';
import { createBrowser, type Person, userEntry } from '../../support/logins.ts';

/* The page of budgets, and the same as JSON for its chart. */

const file = z.strictObject({
  series: z.array(
    z.strictObject({
      measured: z.enum(['calls', 'runs', 'lag']),
      name: z.string(),
      unit: z.string(),
      limit: z.number().nullable(),
      points: z.array(z.tuple([z.number(), z.number()])),
    }),
  ),
});

async function begin(google: object = {}) {
  const trial = createDaemonTrial({ file: { server: { listen: '127.0.0.1:0' } }, google: { ...google } });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  const { url } = await trial.begin();
  await until(() => trial.said('run ended').length > 1);
  return { cli: trial.cli, get: (path: string) => fetch(url + path) };
}

test('the series have the calls against their limits, the times of runs, and the longest lag', async () => {
  const { get } = await begin();
  const answer = await get('/budgets.json');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const { series } = file.parse(await answer.json());
  expect(series.map(({ name, unit, limit }) => [name, unit, limit])).toEqual([
    ['Calls to the service', 'calls a minute', 6_000],
    ['Reads of Google Sheets', 'calls a minute', 60_000],
    ['Writes of Google Sheets', 'calls a minute', 60_000],
    ['Time of runs', 'seconds', null],
    ['Longest lag', 'seconds', null],
  ]);
  const [calls, , , runs] = series;
  expect(calls!.points.at(-1)![1]).toBeGreaterThan(0);
  expect(runs!.points.length).toBeGreaterThan(1);
  for (const { points } of series) {
    expect(points.map(([at]) => at)).toEqual(points.map(([at]) => at).toSorted((a, b) => a - b));
  }
});

test('the page has a table of the same numbers, also of one job', async () => {
  const { get } = await begin();
  const page = await (await get('/budgets')).text();
  for (const words of ['Calls to the service', '6,000', '60,000', 'Longest lag', '/budgets?job=prospects']) {
    expect(page).toContain(words);
  }
  expect(await (await get('/budgets?job=prospects')).text()).toContain('Time of runs of prospects');
  expect((await get('/budgets?job=nope')).status).toBe(404);
  expect((await get('/budgets.json?job=nope')).status).toBe(404);
});

test('with hints, calls to Drive are counted beside the others: on the page, in metrics and in status', async () => {
  const { get, cli } = await begin({ hints: 'version' });
  const { series } = file.parse(await (await get('/budgets.json')).json());
  const drive = series.find(({ name }) => name === 'Questions to Google Drive');
  expect(drive!.limit).toBe(3_000);
  expect(drive!.points.at(-1)![1]).toBeGreaterThan(0);
  expect(await (await get('/budgets')).text()).toContain('Questions to Google Drive');
  const metrics = await (await get('/metrics')).text();
  expect(metrics).toMatch(/^leadsheet_calls_total\{budget="drive"\} [1-9]/m);
  expect(metrics).toMatch(/^leadsheet_budget_used_ratio\{budget="drive"\} 0\.\d/m);
  expect((await cli('status')).stdout).toMatch(/ writes, [1-9]\d* of 3000 questions to Drive\n/);
  expect((await cli('budgets')).stdout).toMatch(/^Questions to Google Drive +[1-9]\d* of 3000 in the last minute$/m);
});

const boss: Person = { name: 'chief', role: 'operator', password: 'four words of the boss' };
const ann: Person = { name: 'ann', role: 'viewer', password: 'four words of ann' };

test('each account has its own series, lag and line on the first page; a user of one account has those alone', async () => {
  const users = [userEntry(boss), { ...userEntry(ann), accounts: ['acme'] }];
  const trial = createAgencyTrial({ file: { server: { listen: '127.0.0.1:0', users } } });
  const url = (await trial.begin()).url!;
  await until(() => ['prospects', 'leads'].every((job) => trial.said('run ended', job).length > 0));
  const ofBoss = createBrowser(url);
  await ofBoss.logIn(boss);
  const ofAnn = createBrowser(url);
  await ofAnn.logIn(ann);
  const seriesOf = async (by: typeof ofAnn, path: string) => file.parse(await (await by.ask(path)).json()).series;
  const limitsOf = async (by: typeof ofAnn, path: string) => (await seriesOf(by, path)).map(({ limit }) => limit);

  // Both accounts have one Google account: its reads count once among all.
  const own = [6_000, 60_000, 60_000, null, null];
  expect(await limitsOf(ofBoss, '/budgets.json')).toEqual([12_000, 60_000, 60_000, null, null]);
  expect(await limitsOf(ofBoss, '/budgets.json?account=beta')).toEqual(own);
  expect(await limitsOf(ofAnn, '/budgets.json')).toEqual(own);
  expect(await limitsOf(ofAnn, '/budgets.json?account=acme')).toEqual(own);
  for (const path of ['/budgets.json?account=beta', '/budgets?account=beta', '/budgets.json?measured=nothing'])
    expect({ path, status: (await ofAnn.ask(path)).status }).toEqual({ path, status: 400 });
  const lag = await seriesOf(ofAnn, '/budgets.json?measured=lag');
  expect(lag.map(({ name, points }) => [name, points.length > 0])).toEqual([['Longest lag', true]]);

  const [all, beta] = [await ofBoss.page('/'), await ofBoss.page('/?account=beta')];
  expect(all).toContain('data-charts="/budgets.json?measured=lag"');
  expect(all).toMatch(/of 12,000 calls to\s+the service/);
  expect(beta).toContain('data-charts="/budgets.json?account=beta"');
  expect(beta).toMatch(/the last minute beta used: \d+ of 6,000 calls/);
  expect(beta).toMatch(/Longest lag: [^<]+, of <a href="\/jobs\/leads">leads<\/a>/);
  const seen = await ofAnn.page('/');
  expect(seen).toMatch(/\d+ of 6,000 calls to\s+the service/);
  expect(seen).toMatch(/Longest lag: [^<]+, of <a href="\/jobs\/prospects">prospects<\/a>/);
  expect(await ofBoss.page('/budgets?account=beta')).toContain('Budgets of beta');
});
