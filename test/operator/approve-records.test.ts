import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decisionLine, type DecisionLine } from '../../src/operator/answers/history.ts';
import { heldAnswer } from '../../src/operator/answers/held.ts';
import { approve, refuse } from '../../src/operator/approve.ts';
import { readHeld } from '../../src/operator/held.ts';
import { readLog } from '../../src/operator/history.ts';
import type { Operator } from '../../src/operator/operator.ts';
import { readStatus } from '../../src/operator/standing.ts';
import { createSyncTrial, spreadsheetId, type TrialOptions } from '../support/app.ts';
import { ann, createLinkedTrial, cy, header, operatorError, operatorOf } from './support.ts';

/* G6: a held plan is approved for the records that a person ticked. G7: a person says no to it. */

const signal = new AbortController().signal;
const ten = ['Ann', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay', 'Gus', 'Hal', 'Ida', 'Jon'];
const email = (name: string) => `${name.toLowerCase()}@firm.io`;

async function decisionsIn(operator: Operator): Promise<DecisionLine[]> {
  const lines = await Array.fromAsync(readLog(operator, {}, { follow: false, signal }));
  return lines.filter((line) => 'decision' in line).map((line) => decisionLine.parse(line));
}

/** Ten contacts; the rows of four are deleted, and two deletions are allowed. */
async function createHeldDeletions(options: TrialOptions = {}) {
  const trial = await createLinkedTrial(ten, {
    ...options,
    sync: { on_row_deleted: 'delete_contact', limits: { deletes: '20%' }, ...options.sync },
  });
  const uuids = new Map(ten.map((name) => [name, trial.uuidOf(name)] as const));
  trial.person.deleteRows('Prospects', 2, 4);
  const held = await trial.run();
  expect(held).toMatchObject({ status: 'held', planned: { deletes: 4 } });
  const names = () => trial.contacts().map(({ first_name }) => first_name);
  return { ...trial, held, names, uuid: (name: string) => uuids.get(name)! };
}

test('G6: only the records that were ticked are done; the rest stays held, also where it alone is within the limit', async () => {
  const trial = await createHeldDeletions();
  const { operator, uuid, held } = trial;
  await approve(operator, cy, { name: 'prospects', run: held.run, only: [uuid('Ann'), email('Bob')] });
  const report = await trial.run();
  expect(report).toMatchObject({ status: 'held', counts: { deleted: 2 }, planned: { deletes: 2 } });
  expect(trial.names()).not.toContain('Ann');
  expect(trial.names()).not.toContain('Bob');
  // Two deletions are within the limit of two. With the two that were approved they are not.
  for (let run = 1; run <= 3; run += 1) {
    expect(await trial.run({ isFull: run === 2 })).toMatchObject({
      status: 'held',
      counts: { deleted: 0 },
      holds: [{ reason: expect.stringContaining('2 deletions, and 2 that were approved one by one, are more than') }],
    });
  }
  expect(trial.names()).toEqual(ten.slice(2));
});

test('G6: the approval is spent: the same records that come up again are held again', async () => {
  const trial = await createHeldDeletions();
  const { operator, uuid } = trial;
  await approve(operator, cy, { name: 'prospects', only: [uuid('Ann')] });
  await trial.run();
  expect((await operator.store.sync('prospects').load()).requests.size).toBe(0);
  expect((await trial.run()).counts.deleted).toBe(0);
  expect(trial.names()).toHaveLength(9);
});

test('G6: an approved record that changed since it was seen is not let through, and named', async () => {
  const trial = await createHeldDeletions();
  const { operator, uuid } = trial;
  await approve(operator, cy, { name: 'prospects', only: [uuid('Ann'), uuid('Bob')] });
  // D2: a change in the service turns the deletion into a row that comes back.
  trial.change(email('Ann'), { company_name: 'Other' });
  const report = await trial.run({ isFull: true });
  expect(report).toMatchObject({ status: 'held', counts: { deleted: 1, appended: 0 } });
  expect(report.problems).toContainEqual(
    expect.objectContaining({ rule: 'G6', uuid: uuid('Ann'), reason: expect.stringContaining('not let through') }),
  );
  expect(trial.names()).toEqual(['Ann', ...ten.slice(2)]);
});

test('G6: an approval of which no record is as it was seen is void, and told so', async () => {
  const trial = await createHeldDeletions();
  const { operator, uuid } = trial;
  await approve(operator, cy, { name: 'prospects', only: [uuid('Ann')] });
  trial.change(email('Ann'), { company_name: 'Other' });
  trial.person.deleteRows('Prospects', 2, 1);
  const report = await trial.run({ isFull: true });
  expect(report).toMatchObject({ status: 'held', counts: { deleted: 0 } });
  expect(report.problems).toContainEqual(expect.objectContaining({ rule: 'G6', uuid: uuid('Ann') }));
  expect(await decisionsIn(operator)).toMatchObject([{ decision: 'approve-records', outcome: 'void', by: 'cy' }]);
  expect(trial.names()).toEqual(ten);
});

test('G6: once all of it was ticked the hold is over; what else was planned follows by itself', async () => {
  const trial = await createHeldDeletions();
  const { operator } = trial;
  trial.change(email('Ida'), { company_name: 'Later' });
  await trial.run();
  await approve(operator, cy, { name: 'prospects', only: ten.slice(0, 4).map(email) });
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { deleted: 4, set: 0 } });
  expect((await readStatus(operator, [])).syncs[0]).toMatchObject({ held_run: null });
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 1 } });
  expect(trial.rowOf(email('Ida'))['Company']).toBe('Later');
});

test('G4, G6: what was let through counts no more once the cause of the hold is gone', async () => {
  const trial = await createLinkedTrial(ten, { sync: { limits: { changes: '30%' } } });
  for (const name of ten.slice(0, 6)) trial.type(email(name), 'Company', 'Other');
  await trial.run();
  await approve(trial.operator, cy, { name: 'prospects', only: [email('Ann'), email('Bob')] });
  expect(await trial.run()).toMatchObject({ status: 'held', counts: { updated: 2 }, planned: { changes: 4 } });
  for (const name of ten.slice(2, 5)) trial.type(email(name), 'Company', 'Firm');
  // One is left: with the two before, three, and three are allowed.
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
  for (const name of ten.slice(0, 3)) trial.type(email(name), 'Company', 'Third');
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 3 } });
});

test('G6: new rows are ticked by their row, and stay the same rows when rows move', async () => {
  const rows = ['Ann', 'Bob', 'Cyd'].map((name) => [name, '', 'Firm', email(name)]);
  const trial = createSyncTrial({ values: [header, ...rows], sync: { limits: { creates: 1 } } });
  const operator = operatorOf(trial);
  expect(await trial.run()).toMatchObject({ status: 'held', planned: { creates: 3 } });
  await approve(operator, ann, { name: 'prospects', only: ['row:3'] });
  trial.person.deleteRows('Prospects', 2, 1);
  trial.person.insertRows('Prospects', 2, 2);
  expect(await trial.run()).toMatchObject({ counts: { created: 1 } });
  expect(trial.contacts().map(({ first_name }) => first_name)).toEqual(['Bob']);
});

test('G6: the status of rows that nobody approved does not say that they are in sync', async () => {
  const sheet = { spreadsheet: spreadsheetId, tab: 'Prospects', status_column: 'Sync status' };
  const rows = ['Ann', 'Bob', 'Cyd'].map((name) => [name, '', 'Firm', email(name)]);
  const trial = createSyncTrial({ values: [header, ...rows], sync: { sheet, limits: { creates: 1 } } });
  expect(await trial.run()).toMatchObject({ status: 'held', planned: { creates: 3 } });
  await approve(operatorOf(trial), ann, { name: 'prospects', only: ['row:3'] });
  expect(await trial.run()).toMatchObject({ counts: { created: 1 } });
  const statuses = () => trial.grid().map((row) => row['Sync status']);
  expect(statuses()).toEqual([undefined, 'in sync', undefined]);
  await trial.cli('approve', 'prospects', '--yes');
  await trial.run();
  expect(statuses()).toEqual(['in sync', 'in sync', 'in sync']);
});

test('G6, W3: a plan that is saved while an approval of some records waits has the records that it shows', async () => {
  const trial = await createHeldDeletions();
  await approve(trial.operator, cy, { name: 'prospects', run: trial.held.run, only: [trial.uuid('Ann')] });
  const file = join(trial.folder, 'plan.json');
  expect((await trial.cli('plan', '--out', file)).stdout).toContain('1 contact to DELETE');
  expect((await trial.cli('plan', '--show', file)).stdout).toContain('1 contact to DELETE');
  await trial.run();
  const unlimited = readFileSync(trial.configFile, 'utf8').replace('deletes: 20%', 'deletes: 100%');
  writeFileSync(trial.configFile, unlimited);
  await trial.cli('apply', file);
  expect(trial.names()).toEqual(ten.slice(1));
});

test('G6, W3: an approval of some records outlasts an apply that is held, and the next run carries them out', async () => {
  const trial = await createHeldDeletions();
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  await approve(trial.operator, cy, { name: 'prospects', run: trial.held.run, only: [trial.uuid('Ann')] });
  expect((await trial.cli('apply', file)).stdout).toContain('prospects: held');
  expect(await trial.run()).toMatchObject({ status: 'held', counts: { deleted: 1 } });
  expect(trial.names()).toEqual(ten.slice(1));
});

test('I7, G6: of records that pass a key on, none is let through without the others', async () => {
  const trial = await createLinkedTrial(ten, { sync: { limits: { changes: '10%' } } });
  trial.type(email('Ann'), 'Email', 'ann2@firm.io');
  trial.type(email('Bob'), 'Email', email('Ann'));
  await trial.run();
  const [annId, bobId] = [trial.uuidOf('Ann'), trial.uuidOf('Bob')];
  await approve(trial.operator, cy, { name: 'prospects', only: [bobId] });
  const report = await trial.run();
  expect(report).toMatchObject({ status: 'held', counts: { updated: 0 } });
  expect(report.problems).toContainEqual(
    expect.objectContaining({ rule: 'G6', uuid: bobId, reason: expect.stringContaining('changes hands') }),
  );
  expect(trial.contactOf(email('Bob')).uuid).toBe(bobId);
  await approve(trial.operator, cy, { name: 'prospects', only: [annId, bobId] });
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 2 } });
  expect(trial.contactOf(email('Ann')).uuid).toBe(bobId);
});

test('G6: a process that dies while it carries out approved records lets no other through', async () => {
  for (let death = 1; death <= 30; death += 3) {
    const trial = await createHeldDeletions();
    await approve(trial.operator, cy, { name: 'prospects', only: [email('Ann'), email('Bob')] });
    let instants = 0;
    trial.atEachInstant(() => {
      if ((instants += 1) === death) trial.kill();
    });
    await trial.attempt();
    trial.atEachInstant(() => {});
    for (let run = 1; run <= 3; run += 1) await trial.run({ isFull: true });
    expect(trial.names()).toEqual(expect.arrayContaining(ten.slice(2)));
  }
});

test('G6: a plan that has no changes of records can only be approved whole', async () => {
  const trial = await createLinkedTrial(ten, { sync: { on_row_deleted: 'delete_contact' } });
  trial.person.deleteRows('Prospects', 2, 10);
  const { run } = await trial.run({ isFull: true });
  await expect(approve(trial.operator, ann, { name: 'prospects', only: [email('Ann')] })).rejects.toMatchObject(
    operatorError(
      'invalid',
      `this plan can only be approved whole: leadsheet approve prospects --run ${run}; leadsheet plan prospects shows it`,
    ),
  );
});

test('an approval names what was seen: another digest is refused', async () => {
  const trial = await createHeldDeletions();
  const held = heldAnswer.parse(await readHeld(trial.operator, 'prospects'));
  expect(held.records).toHaveLength(4);
  expect(held.records).toContainEqual({
    id: trial.uuid('Ann'),
    row: null,
    person: 'Ann A <ann@firm.io>',
    ops: ['delete'],
    changes: [
      {
        side: 'crm',
        op: 'delete',
        field: null,
        before: null,
        after: null,
        rule: 'D1',
        rule_words: 'the row was deleted',
        reason: 'its row was deleted',
      },
    ],
  });
  trial.change(email('Ida'), { company_name: 'Later' });
  await trial.run();
  await expect(
    approve(trial.operator, ann, { name: 'prospects', digest: held.digest, only: [email('Ann')] }),
  ).rejects.toMatchObject(operatorError('ambiguous', /is another one by now: look at it again/));
});

test('G7: a refused plan stays held and says who refused it, over runs and processes, until it is another one', async () => {
  const trial = await createHeldDeletions();
  const { operator, held } = trial;
  await refuse(operator, ann, { name: 'prospects', run: held.run });
  const refused = { by: 'ann', at: expect.stringMatching(/^2026-11-21T/), through: 'cli' };
  expect((await readStatus(operator, [])).syncs[0]).toMatchObject({ held_refused: refused, requests: 0 });
  expect(await trial.run({ isFull: true })).toMatchObject({ status: 'held', isRefused: true });
  await trial.start();
  expect(await trial.run()).toMatchObject({ status: 'held', isRefused: true });
  expect((await readStatus(operatorOf(trial), [])).syncs[0]).toMatchObject({ held_refused: refused });
  expect(await decisionsIn(operator)).toMatchObject([
    { decision: 'refuse', id: held.run, by: 'ann', outcome: 'taken' },
  ]);
  trial.person.deleteRows('Prospects', 2, 1);
  expect((await trial.run({ isFull: true })).isRefused).toBeUndefined();
  expect((await readStatus(operator, [])).syncs[0]).toMatchObject({ held_refused: null });
  expect(trial.names()).toEqual(ten);
});

test('G7: a refusal ends an approval of the same run that no run has taken up yet; a later approval counts', async () => {
  const trial = await createHeldDeletions();
  const { operator, held } = trial;
  await approve(operator, cy, { name: 'prospects', run: held.run });
  await refuse(operator, ann, { name: 'prospects', run: held.run });
  expect(await trial.run({ isFull: true })).toMatchObject({ status: 'held', counts: { deleted: 0 } });
  expect(await decisionsIn(operator)).toMatchObject([
    { decision: 'approve', outcome: 'void' },
    { decision: 'refuse', outcome: 'taken' },
  ]);
  await approve(operator, cy, { name: 'prospects', run: held.run });
  expect(await trial.run({ isFull: true })).toMatchObject({ counts: { deleted: 4 } });
});

test('G7: a plan of other records is another plan than the refused one, also with the same counts', async () => {
  const trial = await createLinkedTrial(ten, {
    sync: { on_row_deleted: 'delete_contact', limits: { deletes: '20%' } },
  });
  const rowOf = (name: string) => trial.person.read('Prospects').findIndex((cells) => cells.includes(email(name))) + 1;
  const row = trial.person.read('Prospects')[rowOf('Ann') - 1]!.map((cell) => cell ?? '');
  for (const name of ['Ann', 'Bob', 'Cyd', 'Dan']) trial.person.deleteRows('Prospects', rowOf(name));
  const held = await trial.run();
  await refuse(trial.operator, ann, { name: 'prospects', run: held.run });
  expect(await trial.run()).toMatchObject({ status: 'held', isRefused: true, planned: held.planned });
  // A person puts Ann's row back, and deletes Eve's.
  trial.person.paste(`Prospects!A${rowOf('Eve')}`, [row]);
  const other = await trial.run();
  expect(other).toMatchObject({ status: 'held', planned: held.planned });
  expect(other.isRefused).toBeUndefined();
});

test('G7: a refusal that comes while a run finds another plan with the same counts is void: nobody saw that plan', async () => {
  let onCall: (() => Promise<unknown>) | undefined;
  const rows = ['ann', 'bob', 'cyd'].map((name) => [name, '', 'Firm', `${name}@firm.io`]);
  const trial = createSyncTrial({
    values: [header, ...rows],
    sync: { limits: { creates: 2 } },
    around: async (request, next) => {
      const then = onCall;
      onCall = undefined;
      await then?.();
      return next(request);
    },
  });
  const operator = operatorOf(trial);
  await trial.run();
  const seen = await readHeld(operator, 'prospects');
  trial.person.type('Prospects!C2', 'Another firm');
  onCall = () => refuse(operator, ann, { name: 'prospects', run: seen.run, digest: seen.digest });
  await trial.run();
  const other = await readHeld(operator, 'prospects');
  expect(other.digest).not.toBe(seen.digest);
  expect(other.refused).toBeNull();
  await trial.run();
  expect((await readHeld(operator, 'prospects')).refused).toBeNull();
  expect(await decisionsIn(operator)).toMatchObject([{ decision: 'refuse', outcome: 'void', by: 'ann' }]);
});
