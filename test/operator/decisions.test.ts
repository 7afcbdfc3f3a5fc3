import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { DecisionLine } from '../../src/operator/answers/history.ts';
import { decisionLine } from '../../src/operator/answers/history.ts';
import { approve } from '../../src/operator/approve.ts';
import { readLog } from '../../src/operator/history.ts';
import type { Operator } from '../../src/operator/operator.ts';
import { resolve } from '../../src/operator/resolve.ts';
import { retry } from '../../src/operator/retry.ts';
import { readStatus } from '../../src/operator/standing.ts';
import { createSyncTrial } from '../support/app.ts';
import { ann, createConflicts, createLinkedTrial, cy, header, operatorError, operatorOf } from './support.ts';

/* A recorded decision: who, when, through what and what they saw. The history keeps it. */

const signal = new AbortController().signal;

async function decisionsIn(operator: Operator): Promise<DecisionLine[]> {
  const lines = await Array.fromAsync(readLog(operator, {}, { follow: false, signal }));
  return lines.filter((line) => 'decision' in line).map((line) => decisionLine.parse(line));
}

test('M1: a resolution names its person, instant, face and the three values; the run that takes it up writes it into the history', async () => {
  const trial = await createConflicts(['Ann']);
  const { operator } = trial;
  const id = `${trial.uuidOf('Ann')}/company_name`;
  const at = new Date(operator.now()).toISOString();
  await resolve(operator, cy, { ids: [id], choice: { use: 'crm' } });
  expect((await readStatus(operator, [])).syncs[0]?.decisions).toEqual([
    { decision: 'resolve', id, text: 'company_name takes what the service holds', by: 'cy', at, through: 'console' },
  ]);
  expect(await decisionsIn(operator)).toEqual([]);
  const { run } = await trial.run();
  expect(await decisionsIn(operator)).toEqual([
    {
      time: expect.stringMatching(/^2026-11-21T/),
      sync: 'prospects',
      run,
      decision: 'resolve',
      id,
      contact: trial.uuidOf('Ann'),
      row: null,
      field: 'company_name',
      text: 'company_name takes what the service holds',
      outcome: 'taken',
      by: 'cy',
      decided_at: at,
      through: 'console',
      seen: { base: 'Firm', crm: 'Ann Crm', sheet: 'Ann Sheet' },
    },
  ]);
  expect((await readStatus(operator, [])).syncs[0]?.decisions).toEqual([]);
  await trial.run();
  expect(await decisionsIn(operator)).toHaveLength(1);
});

test('M1, L12: of two decisions about one conflict the later one counts, and the history says that nothing came of the first', async () => {
  const trial = await createConflicts(['Ann']);
  const id = `${trial.uuidOf('Ann')}/company_name`;
  await trial.cli('resolve', id, '--use', 'crm');
  await trial.cli('resolve', id, '--use', 'sheet');
  await trial.run();
  expect(trial.contactOf('ann@firm.io').company_name).toBe('Ann Sheet');
  expect(await decisionsIn(trial.operator)).toMatchObject([
    { text: 'company_name takes what the service holds', outcome: 'void' },
    { text: 'company_name takes what the sheet holds', outcome: 'taken' },
  ]);
  const { stdout } = await trial.cli('log');
  expect(stdout).toMatch(
    /takes what the service holds .* NOTHING CAME OF IT: a side held another value by then, a later decision took its place, or the column is only read or only sent now\n/,
  );
});

test.each([
  { direction: 'to_sheet', said: ['--use', 'sheet'], outcome: 'void', crm: 'Ann Crm', sheet: 'Ann Crm' },
  { direction: 'to_sheet', said: ['--value', 'Third'], outcome: 'void', crm: 'Ann Crm', sheet: 'Ann Crm' },
  { direction: 'to_sheet', said: ['--use', 'crm'], outcome: 'taken', crm: 'Ann Crm', sheet: 'Ann Crm' },
  { direction: 'to_crm', said: ['--use', 'crm'], outcome: 'void', crm: 'Ann Sheet', sheet: 'Ann Sheet' },
  { direction: 'to_crm', said: ['--value', 'Third'], outcome: 'void', crm: 'Ann Sheet', sheet: 'Ann Sheet' },
  { direction: 'to_crm', said: ['--use', 'sheet'], outcome: 'taken', crm: 'Ann Sheet', sheet: 'Ann Sheet' },
] as const)(
  'M1, M9, L3: $said for a column that is $direction by the next run is $outcome, and the direction decides',
  async ({ direction, said, outcome, crm, sheet }) => {
    const trial = await createConflicts(['Ann']);
    await trial.cli('resolve', `${trial.uuidOf('Ann')}/company_name`, ...said);
    const text = readFileSync(trial.configFile, 'utf8');
    const [before, after] = ['Company: company_name', `Company: { field: company_name, direction: ${direction} }`];
    expect(text).toContain(before);
    writeFileSync(trial.configFile, text.replace(before, after));
    await trial.start();
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    const companies = () => [trial.contactOf('ann@firm.io').company_name, trial.rowOf('ann@firm.io')['Company']];
    expect(companies()).toEqual([crm, sheet]);
    expect(await decisionsIn(trial.operator)).toMatchObject([{ outcome }]);
    await trial.run();
    expect(companies()).toEqual([crm, sheet]);
  },
);

test('G2: an approval names the counts that were seen; one that a larger plan used up is in the history too', async () => {
  const rows = ['ann', 'bob', 'cy'].map((name) => [name, '', 'Firm', `${name}@firm.io`]);
  const trial = createSyncTrial({ values: [header, ...rows], sync: { limits: { creates: 2 } } });
  const operator = operatorOf(trial);
  const held = await trial.run();
  expect(held.status).toBe('held');
  await expect(approve(operator, ann, { name: 'prospects', run: 'x' })).rejects.toMatchObject(
    operatorError('ambiguous', /the held run of prospects is \S+, not x: look at it again/),
  );
  await approve(operator, ann, { name: 'prospects', run: held.run });
  trial.person.type('Prospects!A5', 'Di');
  trial.person.type('Prospects!D5', 'di@firm.io');
  expect((await trial.run()).status).toBe('held');
  expect(trial.contacts()).toEqual([]);
  const [told, ...more] = await decisionsIn(operator);
  expect(more).toEqual([]);
  expect(told).toMatchObject({
    decision: 'approve',
    id: held.run,
    contact: null,
    text: 'approved for 3 creates',
    outcome: 'void',
    by: 'ann',
    seen: {
      counts: { creates: 3, deletes: 0 },
      reasons: [
        '3 new contacts are more than the limit of 2: look at the plan, then approve it (more changes than the limits allow, G2)',
      ],
      digest: expect.stringMatching(/^[\da-f]{64}$/),
    },
  });
});

test('the digest of an approval tells two held plans from each other', async () => {
  const digests: (string | undefined)[] = [];
  for (const names of [
    ['ann', 'bob'],
    ['ann', 'bob', 'cy'],
  ]) {
    const rows = names.map((name) => [name, '', 'Firm', `${name}@firm.io`]);
    const trial = createSyncTrial({ values: [header, ...rows], sync: { limits: { creates: 1 } } });
    const operator = operatorOf(trial);
    const { run } = await trial.run();
    await approve(operator, ann, { name: 'prospects', run });
    expect((await trial.run()).status).toBe('succeeded');
    digests.push((await decisionsIn(operator))[0]?.seen?.digest);
  }
  expect(new Set(digests).size).toBe(2);
});

test('D1: a retry names the open problems of the record, by rule and reason', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob']);
  trial.person.deleteRows('Prospects', 2);
  await trial.run();
  await retry(trial.operator, ann, { ids: ['ann@firm.io'], isSure: false });
  await trial.run();
  expect(await decisionsIn(trial.operator)).toMatchObject([
    {
      decision: 'retry',
      id: trial.uuidOf('Ann'),
      contact: trial.uuidOf('Ann'),
      by: 'ann',
      through: 'cli',
      seen: { problems: [{ kind: 'ignored', rule: 'D1', reason: expect.stringMatching(/its row was deleted/) }] },
    },
  ]);
});

test('a decision that an earlier version recorded is carried out, and told without a name', async () => {
  const trial = await createConflicts(['Ann']);
  const id = `${trial.uuidOf('Ann')}/company_name`;
  const request = { kind: 'resolve', id, resolution: { use: 'sheet' } };
  await trial.operator.store.sync('prospects').addRequest(request);
  expect((await readStatus(trial.operator, [])).syncs[0]?.decisions).toEqual([
    { decision: 'resolve', id, text: null, by: null, at: null, through: null },
  ]);
  await trial.run();
  expect(trial.contactOf('ann@firm.io').company_name).toBe('Ann Sheet');
  expect(await decisionsIn(trial.operator)).toMatchObject([{ decision: 'resolve', id, by: null, seen: null }]);
});

test('L10: a process that dies between the line of a decision and the commit loses neither line nor decision', async () => {
  const trial = await createConflicts(['Ann']);
  const id = `${trial.uuidOf('Ann')}/company_name`;
  await resolve(trial.operator, ann, { ids: [id], choice: { use: 'crm' } });
  let saved = 0;
  let deaths = 0;
  for (let death = 1; death <= 12; death += 1) {
    saved = 0;
    trial.atEachInstant((what) => {
      if (what === 'saved' && (saved += 1) === death) trial.kill();
    });
    if ((await trial.attempt()) !== 'killed') break;
    deaths += 1;
  }
  expect(deaths).toBeGreaterThan(2);
  trial.atEachInstant(() => {});
  await trial.run();
  expect(trial.rowOf('ann@firm.io')['Company']).toBe('Ann Crm');
  const told = await decisionsIn(trial.operator);
  expect(told.length).toBeGreaterThan(0);
  expect(new Set(told.map((line) => line.id))).toEqual(new Set([id]));
  expect((await readStatus(trial.operator, [])).syncs[0]?.requests).toBe(0);
});
