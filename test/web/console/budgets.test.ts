import { expect, test } from 'vitest';
import * as z from 'zod';
import { createDaemonTrial, until } from '../../support/daemon.ts';

/* The page of budgets, and the same as JSON for its chart. */

const file = z.strictObject({
  series: z.array(
    z.strictObject({
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
