import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSyncTrial, tabTitle } from '../../support/app.ts';
import { useJumpingClock } from '../../support/service.ts';
import { protect } from '../../engine/sheet-refusals.ts';
import { createOutboxTrial } from '../../engine/outbox/support.ts';
import { addSecondSync } from '../../support/second-sync.ts';
import { createLinkedTrial, header } from '../support.ts';
import { copy, explained, recordOf, remedies } from './support.ts';

/* Records of every kind of job, of several syncs, and of states of other versions. */

test('a contact of two syncs is explained once for each, and --sync names one', async () => {
  const trial = await createLinkedTrial(['Ann']);
  addSecondSync(trial, { Mail: 'email', Firm: 'company_name' }, [['Mail', 'Firm']]);
  expect((await trial.cli('sync', 'second')).code).toBe(0);
  expect((await trial.cli('sync', 'second')).code).toBe(0);
  const { records, hits } = await explained(trial, 'ann@firm.io');
  expect(hits).toEqual([]);
  expect(records.map(({ job, id, fields }) => [job, id, fields.length])).toEqual([
    ['prospects', trial.uuidOf('Ann'), 5],
    ['second', trial.uuidOf('Ann'), 2],
  ]);
  expect(await recordOf(trial, 'ann@firm.io', '--sync', 'second')).toMatchObject({ job: 'second' });
  expect(await recordOf(trial, 'Second!B2')).toMatchObject({ job: 'second', fields: [{ field: 'company_name' }] });
  expect(await trial.cli('explain', 'ann@firm.io', '--sync', 'secnd')).toMatchObject({
    code: 64,
    stderr: 'leadsheet: there is no sync, feed or outbox secnd, did you mean second?\n',
  });
  // A row number alone is a row of each.
  const rows = await explained(trial, 'row:2');
  expect(rows.records.length + rows.hits.length).toBe(2);
});

test.each<{
  what: string;
  happens: (trial: Awaited<ReturnType<typeof createLinkedTrial>>) => void;
  standing: RegExp;
  rule: string;
}>([
  {
    what: 'D3: whose contact was deleted',
    happens: (trial) => trial.service.model.contacts.remove(trial.uuidOf('Ann')),
    standing: /^its contact was deleted in the service; the row is left alone/,
    rule: 'D3',
  },
  {
    what: 'D4: whose contact left the list',
    happens: (trial) =>
      trial.change('ann@firm.io', { list_uuid: trial.service.model.lists.add({ name: 'Other' }).uuid }),
    standing: /^its contact is no longer in list Prospects/,
    rule: 'D4',
  },
])('a row $what says so, and its status cell is the one in the sheet', async ({ happens, standing, rule }) => {
  const sheet = { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests', tab: tabTitle, status_column: 'Sync' };
  const trial = await createLinkedTrial(['Ann', 'Bob', 'Cy'], { sync: { sheet } });
  expect(await recordOf(trial, 'ann@firm.io')).toMatchObject({ status: 'in sync' });
  const [id, row] = [trial.uuidOf('Ann'), trial.rowNumberOf('ann@firm.io')];
  happens(trial);
  await trial.run({ isFull: true });
  await trial.run({ isFull: true });
  const record = await recordOf(trial, id);
  expect(record).toMatchObject({ row, standing: expect.stringMatching(standing), next: { changes: [] } });
  expect(record.problems).toMatchObject([
    {
      kind: 'ignored',
      rule,
      needs_somebody: false,
      remedies: [{ command: null }, { command: null }, { command: null }],
    },
  ]);
  expect(record.status).toBe(trial.grid()[row - 2]!['Sync']);
});

test('after an undo, the last run and the status cell are those of the undo, until the next change', async () => {
  const sheet = { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests', tab: tabTitle, status_column: 'Sync' };
  const trial = await createLinkedTrial(['Ann', 'Bob'], { sync: { sheet } });
  const cell = () => trial.rowOf('ann@firm.io')['Sync'];
  trial.change('ann@firm.io', { company_name: 'Other' });
  const { run } = await trial.run();
  expect(await recordOf(trial, 'ann@firm.io')).toMatchObject({ status: 'in sync', last_run: { run } });
  const { stdout } = await trial.cli('undo', run, '--yes', '--json');
  const undo = /"run": "([^"]+)"/.exec(stdout)![1]!;
  expect(await recordOf(trial, 'ann@firm.io')).toMatchObject({ status: cell(), last_run: { run: undo } });
  expect(cell()).toBe(`in sync: undo of ${run}`);
  // A run without work leaves no report (W9).
  await trial.run();
  expect(await recordOf(trial, 'ann@firm.io')).toMatchObject({ status: cell(), last_run: { run: undo } });
  expect((await recordOf(trial, 'bob@firm.io')).status).toBe('in sync');
  trial.change('ann@firm.io', { company_name: 'Third' });
  const third = await trial.run();
  expect(await recordOf(trial, 'ann@firm.io')).toMatchObject({ status: cell(), last_run: { run: third.run } });
});

test.each([
  {
    what: 'a later edit in the sheet, which goes to the service alone',
    happens: async (trial: Linked) => {
      trial.type('ann@firm.io', 'Company', 'Typed');
      await trial.run();
    },
    says: /^in sync: undo of /,
  },
  {
    what: 'a conflict that ended without a write',
    happens: async (trial: Linked) => {
      trial.change('ann@firm.io', { company_name: 'Crm Ltd' });
      trial.type('ann@firm.io', 'Company', 'Sheet Ltd');
      await trial.run();
      expect((await recordOf(trial, 'ann@firm.io')).status).toMatch(/^conflict: /);
      trial.type('ann@firm.io', 'Company', 'Crm Ltd');
      await trial.run();
    },
    says: /^in sync$/,
  },
  {
    what: 'a later write to the sheet, and an edit after it',
    happens: async (trial: Linked) => {
      trial.change('ann@firm.io', { company_name: 'Third' });
      await trial.run();
      trial.type('ann@firm.io', 'Company', 'Typed');
      await trial.run();
    },
    says: /^in sync$/,
  },
])('S8: after an undo and $what, explain quotes the status cell as it is', async ({ happens, says }) => {
  const sheet = { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests', tab: tabTitle, status_column: 'Sync' };
  const trial = await createLinkedTrial(['Ann', 'Bob'], { sync: { sheet, conflict: 'manual' } });
  trial.change('ann@firm.io', { company_name: 'Other' });
  const { run } = await trial.run();
  await trial.cli('undo', run, '--yes');
  await trial.run();
  await happens(trial);
  const cell = trial.rowOf('ann@firm.io')['Sync'];
  expect(cell).toMatch(says);
  expect((await recordOf(trial, 'ann@firm.io')).status).toBe(cell);
});

type Linked = Awaited<ReturnType<typeof createLinkedTrial>>;

test('a record of a feed says what was written, and what became of a wish', async () => {
  const columns = { ID: 'uuid', Name: 'name', Status: 'status' };
  const trial = createSyncTrial({
    values: [[]],
    feeds: { flows: { resource: 'automations', columns, control: true } },
  });
  const { uuid } = trial.service.model.automations.add({ name: 'Welcome', status: 'off' });
  await trial.runFeed('flows');
  await trial.runFeed('flows');
  const row = trial.grid().findIndex((each) => each['ID'] === uuid) + 2;
  expect(await recordOf(trial, uuid)).toMatchObject({
    kind: 'feed',
    job: 'flows',
    name: 'Welcome',
    id: uuid,
    row,
    status: 'in sync',
  });
  trial.person.type(`'Prospects'!C${row}`, 'maybe');
  await trial.runFeed('flows');
  const refused = await recordOf(trial, `row:${row}`);
  expect(refused.problems).toMatchObject([{ kind: 'refused', rule: 'E7', remedies: [{ command: null }] }]);
  expect(remedies(refused)).toEqual([]);
  trial.person.type(`'Prospects'!C${row}`, 'on');
  await trial.runFeed('flows');
  const started = await recordOf(trial, uuid, 'Status');
  expect(started.fields).toMatchObject([{ field: 'status', agreed: { value: 'on' } }]);
  expect((await copy(trial, started.log!)).stdout).toContain(uuid);
});

test('F3, F5: a record that limit_rows leaves out is not said to be gone from the service, and its status is that of the cell', async () => {
  const columns = { ID: 'uuid', Name: 'name', Status: 'status' };
  const trial = createSyncTrial({
    values: [[]],
    feeds: { flows: { resource: 'automations', columns, control: true, limit_rows: 1 } },
  });
  const add = (name: string, created_at: string) =>
    trial.service.model.automations.add({ name, status: 'off', created_at });
  const { uuid } = add('old', '2026-01-01T00:00:00.000000Z');
  await trial.runFeed('flows');
  add('new', '2026-01-02T00:00:00.000000Z');
  await trial.runFeed('flows');
  const cell = () => trial.grid().find((each) => each['ID'] === uuid)?.['Sync'];
  const record = await recordOf(trial, uuid);
  expect(record.standing).toBe('no longer listed: not among the first 1 any more; its row says so and is left alone');
  expect(record.status).toBe('gone: not among the first 1 any more');
  expect(record.status).toBe(cell());
  trial.person.type(`'Prospects'!C2`, 'on');
  await trial.runFeed('flows');
  expect((await recordOf(trial, uuid)).status).toBe(cell());
});

test('F1: a record whose row could not be written is not said to be shown by it', async () => {
  const columns = { ID: 'uuid', Name: 'name', Priority: 'priority' };
  const trial = createSyncTrial({ values: [[]], feeds: { flows: { resource: 'automations', columns } } });
  const { uuid } = trial.service.model.automations.add({ name: 'Welcome', status: 'off' });
  await trial.runFeed('flows');
  const rename = async (name: string) => {
    trial.service.model.automations.table.change(uuid, { name }, Date.now());
    await trial.runFeed('flows');
  };
  await rename('Hello');
  expect(await recordOf(trial, uuid)).toMatchObject({
    standing: 'mirrored: the row shows what the service has',
    fields: [{ field: 'name', crm: { value: 'Hello', is_known: true } }],
  });
  protect(trial, { startRowIndex: 1, endRowIndex: 2 });
  await rename('Welcome back');
  const record = await recordOf(trial, uuid);
  expect(record.problems).toMatchObject([{ kind: 'refused', rule: 'W5' }]);
  expect(record.standing).toBe('mirrored, but for what is open: the row does not show all that the service has');
  expect(record.fields).toMatchObject([{ field: 'name', crm: { is_known: false }, agreed: { value: 'Hello' } }]);
});

test('a contact names the messages of outboxes to it', async () => {
  const trial = createOutboxTrial();
  await trial.ready(['ann@firm.io', 'Sales', 'Hi', 'yes']);
  await trial.cli('sync');
  const id = trial.rowWith('Hi')['Outbox ID']!;
  expect(await recordOf(trial, id)).toMatchObject({
    kind: 'outbox',
    name: 'ann <ann@firm.io>',
    messages: [{ state: 'sent', id, run: expect.stringMatching(/^2026/), remedies: [] }],
  });
});

test('S2: a state of an earlier version is explained, and stays as it is', async () => {
  useJumpingClock('2026-11-21T12:00:00Z');
  const fixtures = join(import.meta.dirname, '..', '..', 'state', 'fixtures', 'schema-1');
  const trial = createSyncTrial({ sync: { automation: { column: 'Automation' } } });
  const folder = join(trial.folder, 'state', 'prospects');
  cpSync(join(fixtures, 'state', 'prospects'), folder, { recursive: true });
  const before = trial.stateFiles();
  const text = readFileSync(join(folder, 'base.json'), 'utf8') + readFileSync(join(folder, 'base.log'), 'utf8');
  const [uuid = ''] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=":\{"agreed")/.exec(text) ?? [];
  const record = await recordOf(trial, uuid);
  expect(record).toMatchObject({ id: uuid, job: 'prospects' });
  expect(record.fields).toHaveLength(header.length);
  expect(record.fields.some(({ agreed }) => agreed.is_known)).toBe(true);
  expect(trial.stateFiles()).toEqual(before);
});

test('M1: of a conflict of a first sync, explain does not say that somebody edited the cell', async () => {
  const trial = createSyncTrial({ values: [[...header], ['Ann', '', 'Acme Ltd', 'ann@firm.io', '']] });
  trial.addContact({ first_name: 'Ann', company_name: 'Acme', email: 'ann@firm.io' });
  await trial.run();
  const { stdout } = await trial.cli('explain', 'ann@firm.io');
  expect(stdout).toContain('Company: each side holds another value, and they never agreed on one');
  expect(stdout).toContain('in conflict since');
  expect(stdout).not.toMatch(/was edited|changed on both sides/);
});

test('G1: after a run that stopped because cells moved without their IDs, explain and plan say so, and not that nothing is to do', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob', 'Cyd', 'Dan', 'Eve']);
  const sorted = trial.person.read(`'${tabTitle}'!A2:D6`);
  trial.person.paste(`'${tabTitle}'!A2`, sorted.toReversed());
  expect((await trial.run()).status).toBe('failed');
  for (const live of [[], ['--live']]) {
    expect(await recordOf(trial, 'ann@firm.io', ...live)).toMatchObject({
      standing: 'linked; the last run stopped before it compared both sides',
      holds: [expect.stringContaining('hold what other rows held')],
      next: { changes: [], waits: ['held: no record is compared until the cause is gone'] },
    });
  }
  expect((await trial.cli('plan')).stdout).toMatch(
    /^prospects: nothing is planned\n {2}nothing of it would be written: rows 2/,
  );
  trial.person.paste(`'${tabTitle}'!A2`, sorted);
  await trial.run();
  expect(await recordOf(trial, 'ann@firm.io')).toMatchObject({ standing: 'linked, and both sides agree', holds: [] });
});

test('W13: a record of a paused job names the pause and who made it', async () => {
  const trial = await createLinkedTrial(['Ann']);
  await trial.cli('pause', 'prospects', '--reason', 'a look');
  const record = await recordOf(trial, 'ann@firm.io');
  expect(record.holds).toEqual([expect.stringMatching(/^prospects is paused by ann since \S+ \(a look\)$/)]);
  expect(remedies(record)).toEqual(['leadsheet resume prospects']);
  await copy(trial, 'leadsheet resume prospects');
  expect(await recordOf(trial, 'ann@firm.io')).toMatchObject({ holds: [], hold_remedies: [] });
});
