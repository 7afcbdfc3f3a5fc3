// Rows that a run appended, and of which nobody saw the end: what they were given is what both sides held (L1, L3).
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { createSyncTrial, isOfNote, type TrialOptions } from '../support/app.ts';

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
const email = 'gil@firm.io';

/** Two contacts with rows. */
async function inSync(options: TrialOptions = {}) {
  const trial = createSyncTrial({ values: [header], ...options });
  for (const name of ['Ann', 'Bob'])
    trial.addContact({ first_name: name, company_name: 'Firm', email: `${name.toLowerCase()}@firm.io` });
  await trial.run();
  return trial;
}

/** As `inSync`, and Gil, whose row was just appended when the process was killed. */
async function killedAfterAppend(
  options: TrialOptions = {},
  before: (trial: InSync) => Promise<unknown> = async () => {},
) {
  const trial = await inSync(options);
  await before(trial);
  trial.addContact({ first_name: 'Gil', company_name: 'Firm', email });
  const isThere = () => trial.grid().some((row) => row['Email'] === email);
  trial.atEachInstant((what) => {
    if (what === 'answered' && isThere()) trial.kill();
  });
  expect(await trial.attempt()).toBe('killed');
  trial.atEachInstant(() => {});
  expect(isThere()).toBe(true);
  await trial.start();
  await vi.advanceTimersByTimeAsync(60_000);
  const companies = () => [trial.contactOf(email).company_name ?? '', trial.rowOf(email)['Company'] ?? ''];
  return { ...trial, companies };
}

type InSync = Awaited<ReturnType<typeof inSync>>;
type Trial = Awaited<ReturnType<typeof killedAfterAppend>>;

const edits: readonly { readonly what: string; readonly becomes: string; readonly edit: (trial: Trial) => void }[] = [
  { what: 'changed in the service', becomes: 'Other', edit: (trial) => trial.change(email, { company_name: 'Other' }) },
  { what: 'emptied in the service', becomes: '', edit: (trial) => trial.change(email, { company_name: '' }) },
  { what: 'typed over in its cell', becomes: 'Typed', edit: (trial) => trial.type(email, 'Company', 'Typed') },
  { what: 'emptied in its cell', becomes: '', edit: (trial) => trial.type(email, 'Company', '') },
];

it.each(
  edits.flatMap((each) => (['manual', 'crm', 'sheet', 'newest'] as const).map((conflict) => ({ ...each, conflict }))),
)(
  'L1, L3, L10: what is $what after that is an edit, and no conflict, under $conflict',
  async ({ becomes, edit, conflict }) => {
    const trial = await killedAfterAppend({ sync: { conflict } });
    edit(trial);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.companies()).toEqual([becomes, becomes]);
  },
);

it('L1, M1: what is edited on both sides after that is a conflict', async () => {
  const trial = await killedAfterAppend();
  trial.change(email, { company_name: 'Other' });
  trial.type(email, 'Company', 'Typed');
  expect(await trial.run()).toMatchObject({
    problems: [{ kind: 'conflict', rule: 'M1', reason: 'Company: changed on both sides' }],
  });
  expect(trial.companies()).toEqual(['Other', 'Typed']);
});

it('L1, L10: that is known as well where the next run is killed before it plans', async () => {
  const trial = await killedAfterAppend({ sync: { conflict: 'sheet' } });
  trial.change(email, { company_name: 'Other' });
  let saves = 0;
  trial.atEachInstant((instant) => {
    if (instant === 'saved' && (saves += 1) === 2) trial.kill();
  });
  expect(await trial.attempt()).toBe('killed');
  trial.atEachInstant(() => {});
  await trial.start();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
  expect(trial.companies()).toEqual(['Other', 'Other']);
});

it('L1, G1: that is known as well where the next run is held', async () => {
  const trial = await killedAfterAppend({ sync: { conflict: 'sheet' } });
  trial.change(email, { company_name: 'Other' });
  trial.person.insertRows('Prospects', 1);
  expect(await trial.run()).toMatchObject({ status: 'failed', holds: [{ rule: 'G1' }] });
  trial.person.deleteRows('Prospects', 1);
  expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
  expect(trial.companies()).toEqual(['Other', 'Other']);
});

it('L1, W4: so it is where the answer is lost, and the sheet cannot be read after that', async () => {
  let isThere = () => false;
  let isSilent = false;
  const trial = createSyncTrial({
    values: [header],
    sync: { conflict: 'sheet' },
    async around(request, next) {
      const isOfSheet = request.url.includes('/v4/spreadsheets/');
      const silence = Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET' });
      if (isSilent && isOfSheet) throw silence;
      const response = await next(request);
      isSilent = isOfSheet && isThere();
      if (isSilent) throw silence;
      return response;
    },
  });
  trial.addContact({ first_name: 'Ann', company_name: 'Firm', email: 'ann@firm.io' });
  await trial.run();
  trial.addContact({ first_name: 'Gil', company_name: 'Firm', email });
  isThere = () => trial.grid().some((row) => row['Email'] === email);
  expect((await trial.run()).problems).toMatchObject([{ kind: 'unknown' }]);
  isThere = () => false;
  isSilent = false;
  trial.change(email, { company_name: 'Other' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
  expect([trial.contactOf(email).company_name, trial.rowOf(email)['Company']]).toEqual(['Other', 'Other']);
});

it('L1, S4: an undo of an earlier run looks at no such row, and forgets none', async () => {
  let undone = '';
  const trial = await killedAfterAppend({ sync: { conflict: 'sheet' } }, async (earlier) => {
    earlier.type('ann@firm.io', 'Company', 'Typed');
    undone = (await earlier.run()).run;
  });
  expect(await trial.cli('undo', undone, '--yes')).toMatchObject({ code: 0 });
  expect(trial.contactOf('ann@firm.io').company_name).toBe('Firm');
  await trial.start();
  trial.change(email, { company_name: 'Other' });
  expect(await trial.run()).toMatchObject({ problems: [] });
  expect(trial.companies()).toEqual(['Other', 'Other']);
});

it('L7, L10: a row that was noted and never appended counts as deleted by nobody', async () => {
  const trial = await inSync({ sync: { on_row_deleted: 'delete_contact' } });
  trial.addContact({ first_name: 'Gil', company_name: 'Firm', email });
  trial.atEachInstant((what) => {
    if (what instanceof Request && isOfNote(what)) trial.kill();
  });
  expect(await trial.attempt()).toBe('killed');
  trial.atEachInstant(() => {});
  expect(trial.grid().map((row) => row['Email'])).not.toContain(email);
  const app = await trial.start();
  const notes = [...(await app.store.sync('prospects').load()).outbox.values()];
  expect(notes).toMatchObject([{ appends: { rows: [[trial.contactOf(email).uuid, expect.any(String)]] } }]);
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { appended: 1, deleted: 0 } });
  expect([trial.contactOf(email).company_name, trial.rowOf(email)['Company']]).toEqual(['Firm', 'Firm']);
});

it('L10: such a row that people deleted is appended again', async () => {
  const trial = await killedAfterAppend({ sync: { on_row_deleted: 'delete_contact' } });
  trial.person.deleteRows('Prospects', trial.rowNumberOf(email));
  expect(await trial.run()).toMatchObject({ counts: { appended: 1, deleted: 0 } });
  expect(trial.companies()).toEqual(['Firm', 'Firm']);
});

it('M9, L3: a column may have joined before the others by then', async () => {
  const trial = await killedAfterAppend({ sync: { conflict: 'sheet' } });
  const file = parse(readFileSync(trial.configFile, 'utf8')) as {
    syncs: { prospects: { columns: Record<string, unknown> } };
  };
  const { prospects } = file.syncs;
  prospects.columns = { Position: 'position', ...prospects.columns };
  writeFileSync(trial.configFile, stringify(file));
  await trial.start();
  trial.change(email, { company_name: 'Other', position: 'Buyer' });
  expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
  expect(trial.companies()).toEqual(['Other', 'Other']);
  expect(trial.rowOf(email)['Position']).toBe('Buyer');
});

it('W9: once a run has looked at it, nothing of that is left in the state, and the next run leaves no trace', async () => {
  const trial = await killedAfterAppend();
  await trial.run();
  await trial.run();
  const before = trial.stateFiles();
  expect(await trial.run()).toMatchObject({ status: 'succeeded' });
  expect(trial.stateFiles()).toEqual(before);
  const app = await trial.start();
  expect([...(await app.store.sync('prospects').load()).outbox.keys()]).toEqual([]);
});
