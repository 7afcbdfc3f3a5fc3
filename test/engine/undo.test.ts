import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { expect, test } from 'vitest';
import { undoAnswer, undoPlanAnswer } from '../../src/operator/answers/undo.ts';
import { createSyncTrial, isOfNote, spreadsheetId, tabTitle, type TrialOptions } from '../support/app.ts';
import { repeats } from '../support/repeats.ts';
import { protect, unprotect } from './sheet-refusals.ts';

/* Whole undos over both stand-ins, as a person gives them (S4, S7, S8). */

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];

type Trial = ReturnType<typeof createSyncTrial>;

/** Ann, Bob and Cy are linked, and so are enough others that shares mean something. */
async function createLinkedTrial(options: TrialOptions = {}) {
  const others = Array.from({ length: 7 }, (_, index) => [`Other${index}`, 'Row', 'Firm', `other${index}@firm.io`]);
  const trial = createSyncTrial({
    values: [header, ['Ann', 'Row', 'Firm', 'ann@firm.io'], ['Bob', 'Row', 'Firm', 'bob@firm.io'], ...others],
    ...options,
  });
  trial.addContact({ first_name: 'Cy', last_name: 'Contact', email: 'cy@firm.io' });
  await trial.cli('sync');
  await trial.cli('sync');
  return trial;
}

async function sync(trial: Trial): Promise<string> {
  const { stdout } = await trial.cli('sync', '--json');
  return (JSON.parse(stdout) as { syncs: [{ run: string }] }).syncs[0].run;
}

async function undo(trial: Trial, ...args: string[]) {
  const { stdout, stderr, code } = await trial.cli('undo', ...args, '--yes', '--json');
  if (!stdout) return { code, stderr, run: '', problems: [] as string[], status: '' };
  const json = JSON.parse(stdout) as object;
  if (!('outcome' in json)) {
    const { plan } = undoPlanAnswer.parse(json);
    return { code, stderr, run: plan.run, problems: plan.problems.map(({ reason }) => reason), status: plan.status };
  }
  const answer = undoAnswer.parse(json);
  if (answer.outcome !== 'run') return { code, stderr, run: '', problems: [] as string[], status: answer.outcome };
  const { run, problems, status } = answer.run;
  return { code, stderr, run, problems: problems.map(({ reason }) => reason), status };
}

/** All that people see on both sides. */
function sides(trial: Trial) {
  const rows = trial.grid().map(({ Sync: _sync, 'Contact ID': _id, ...row }) => row);
  const contacts = trial.contacts().map(({ uuid, first_name, last_name, company_name, work_email, personal_email }) => {
    return { uuid, first_name, last_name, company_name, email: work_email ?? personal_email };
  });
  return { rows, contacts };
}

const statusHeader = 'Sync status';
const withStatus = {
  sync: {
    sheet: {
      spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests',
      tab: 'Prospects',
      status_column: statusHeader,
    },
  },
};

test('S4, S8: an undo right after a run restores both sides and the base, and the next run does nothing', async () => {
  const trial = await createLinkedTrial();
  const before = sides(trial);
  trial.change('ann@firm.io', { company_name: 'Other' });
  trial.change('bob@firm.io', { last_name: 'Renamed' });
  const run = await sync(trial);
  expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'Other' });
  const undone = await undo(trial, run);
  expect(undone).toMatchObject({ code: 0, status: 'succeeded', problems: [] });
  expect(sides(trial)).toEqual(before);
  const writes = trial.writes();
  const next = await trial.cli('sync', '--full');
  expect(next.stdout).toContain('nothing to do');
  expect(trial.writes().crm).toEqual(writes.crm);
  expect(sides(trial)).toEqual(before);
});

test('S4, W18: an undo after runs that recognised that nothing changed takes back what it was asked to', async () => {
  const trial = await createLinkedTrial();
  trial.change('ann@firm.io', { company_name: 'Other' });
  const run = await sync(trial);
  for (let runs = 0; runs < 3; runs += 1) await trial.cli('sync');
  expect(await undo(trial, run)).toMatchObject({ code: 0, status: 'succeeded' });
  expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'Firm' });
  expect(trial.contactOf('ann@firm.io')).toMatchObject({ company_name: 'Firm' });
});

test('S4, D3: the contact of a run that the service has no more is named, and nothing is sent for it', async () => {
  const trial = await createLinkedTrial();
  trial.type('ann@firm.io', 'Company', 'Other');
  const run = await sync(trial);
  const { uuid } = trial.contactOf('ann@firm.io');
  trial.service.model.contacts.remove(uuid);
  const updates = trial.crmCalls('contacts.update').length;
  const { problems } = await undo(trial, run);
  expect(problems).toEqual([`undo of ${run}: Company: not taken back: its contact is gone or in another list`]);
  expect(trial.crmCalls('contacts.update')).toHaveLength(updates);
});

test('S4, S8: an undo can be undone, and that as well', async () => {
  const trial = await createLinkedTrial();
  const before = sides(trial);
  trial.type('ann@firm.io', 'Company', 'Other');
  const run = await sync(trial);
  const after = sides(trial);
  const first = await undo(trial, run);
  expect(sides(trial)).toEqual(before);
  const second = await undo(trial, first.run);
  expect(second.problems).toEqual([]);
  expect(sides(trial)).toEqual(after);
  await undo(trial, second.run);
  expect(sides(trial)).toEqual(before);
  expect((await trial.cli('sync')).stdout).toContain('nothing to do');
});

test('S4: what was edited since stays on both sides, and is named; the rest goes back', async () => {
  const trial = await createLinkedTrial();
  trial.change('ann@firm.io', { company_name: 'Other', last_name: 'Renamed' });
  trial.change('bob@firm.io', { company_name: 'Other' });
  const run = await sync(trial);
  trial.type('ann@firm.io', 'Company', 'Mine');
  trial.change('bob@firm.io', { company_name: 'Theirs' });
  const { code, problems } = await undo(trial, run);
  expect(code).toBe(3);
  expect(problems).toEqual([
    `undo of ${run}: Company: not taken back: changed since in the sheet`,
    `undo of ${run}: Company: not taken back: changed since in the CRM`,
  ]);
  expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'Mine', 'Last name': 'Row' });
  expect(trial.contactOf('ann@firm.io')).toMatchObject({ last_name: 'Row', company_name: 'Other' });
  // The edits are synced by the next run, as if there had been no undo.
  await trial.cli('sync');
  expect(trial.contactOf('ann@firm.io')).toMatchObject({ company_name: 'Mine' });
  expect(trial.rowOf('bob@firm.io')).toMatchObject({ Company: 'Theirs' });
});

test.each([
  {
    where: 'sheet',
    edit: (trial: Trial) => trial.type('ann@firm.io', 'Company', 'By hand'),
    at: ':batchUpdate',
    after: expect.stringContaining('conflict') as string,
  },
  {
    where: 'CRM',
    edit: (trial: Trial) => trial.change('ann@firm.io', { company_name: 'By hand' }),
    at: '/leads/search',
    number: 3,
    after: 'in sync',
  },
])(
  'S4, W3: a record edited in the $where while the undo writes stays, is named, and the undo is partial',
  async (story) => {
    const { edit, at, number = 1, after } = story;
    const trial = await createLinkedTrial(withStatus);
    for (const name of ['ann', 'bob']) trial.change(`${name}@firm.io`, { company_name: 'Other' });
    const run = await sync(trial);
    let calls = 0;
    trial.atEachInstant((what) => {
      if (typeof what === 'string' || !what.url.includes(at)) return;
      calls += 1;
      if (calls === number) edit(trial);
    });
    const undone = await undo(trial, run);
    trial.atEachInstant(() => {});
    expect(calls).toBeGreaterThanOrEqual(number);
    expect(undone).toMatchObject({ code: 3, status: 'partial' });
    expect(undone.problems).toEqual([`undo of ${run}: not taken back: it changed while the undo was writing`]);
    expect(trial.rowOf('bob@firm.io')).toMatchObject({ Company: 'Firm' });
    // The next run settles the edit as any other: it stays, and where it met what the undo wrote a person decides.
    await trial.cli('sync');
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'By hand', [statusHeader]: after });
  },
);

test('S8: the plan comes first, exits 2, writes nothing, and says how to go on', async () => {
  const trial = await createLinkedTrial();
  trial.change('ann@firm.io', { company_name: 'Other' });
  const run = await sync(trial);
  const before = JSON.stringify([sides(trial), trial.writes(), trial.stateFiles()]);
  const { code, stdout, stderr } = await trial.cli('undo', run, '--contact', 'ann@firm.io');
  expect(code).toBe(2);
  expect(stdout).toContain(`undo of ${run}\nprospects: 2 changes of 1 record`);
  expect(stdout).toMatch(/Company {2}"Other" -> "Firm" {2}undo of /);
  expect(stderr).toContain(`nothing was done yet; to do this: leadsheet undo ${run} --contact ann@firm.io --yes\n`);
  expect(JSON.stringify([sides(trial), trial.writes(), trial.stateFiles()])).toBe(before);
});

test('S8: the command that goes on names the contact, where the plan was asked for by a row, which may be another one by then', async () => {
  const trial = await createLinkedTrial();
  trial.change('ann@firm.io', { company_name: 'Other' });
  const run = await sync(trial);
  const row = trial.rowNumberOf('ann@firm.io');
  trial.person.type(`'${tabTitle}'!A${row}`, '=1/0');
  await sync(trial);
  const { stderr } = await trial.cli('undo', run, '--contact', `row:${row}`);
  expect(stderr).toContain(
    `to do this: leadsheet undo ${run} --contact ${trial.contactOf('ann@firm.io').uuid} --yes\n`,
  );
});

test('S8: only the contact and the field that are named go back', async () => {
  const trial = await createLinkedTrial();
  trial.change('ann@firm.io', { company_name: 'Other', last_name: 'Renamed' });
  trial.change('bob@firm.io', { company_name: 'Other' });
  const run = await sync(trial);
  await undo(trial, run, '--contact', 'ann@firm.io', '--field', 'company');
  expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'Firm', 'Last name': 'Renamed' });
  expect(trial.rowOf('bob@firm.io')).toMatchObject({ Company: 'Other' });
  await undo(trial, run, '--field', 'Last name');
  expect(trial.contactOf('ann@firm.io')).toMatchObject({ last_name: 'Row', company_name: 'Firm' });
});

test('S8: log and runs name the undo, who decided it and what they saw', async () => {
  const trial = await createLinkedTrial();
  trial.change('ann@firm.io', { company_name: 'Other' });
  const run = await sync(trial);
  const undone = await undo(trial, run);
  const { stdout } = await trial.cli('log', '--run', undone.run);
  expect(stdout).toContain(`decision undo  undo of ${run} (by `);
  expect(stdout).toContain('through the command line; saw 1 change)');
  expect(stdout).toContain(`undo of ${run}`);
  expect((await trial.cli('runs', 'show', undone.run)).stdout).toContain(`undo of ${run}`);
});

test('S8: the status column says it, and later runs leave it until there is something else to say', async () => {
  const trial = await createLinkedTrial(withStatus);
  trial.change('ann@firm.io', { company_name: 'Other' });
  const run = await sync(trial);
  await undo(trial, run);
  expect(trial.rowOf('ann@firm.io')[statusHeader]).toBe(`in sync: undo of ${run}`);
  expect(trial.rowOf('bob@firm.io')[statusHeader]).toBe('in sync');
  const writes = trial.sheets.log.counters.writes;
  await trial.cli('sync');
  await trial.cli('sync');
  expect(trial.sheets.log.counters.writes).toBe(writes);
  trial.change('ann@firm.io', { company_name: 'Third' });
  await trial.cli('sync');
  expect(trial.rowOf('ann@firm.io')[statusHeader]).toBe('in sync');
});

test('S7: a created contact is listed; with --delete-created it goes, its row stays, and no run creates it again', async () => {
  const trial = await createLinkedTrial();
  trial.person.paste('Prospects!A12', [['Di', 'New', 'Firm', 'di@firm.io']]);
  const run = await sync(trial);
  expect((await undo(trial, run)).problems).toEqual([
    `undo of ${run}: not taken back: it was created, and is deleted only with --delete-created; its row stays`,
  ]);
  const { uuid } = trial.contactOf('di@firm.io');
  const undone = await undo(trial, run, '--delete-created');
  expect(undone).toMatchObject({ code: 0, problems: [] });
  expect(trial.contacts().some((each) => each.uuid === uuid)).toBe(false);
  expect(trial.rowOf('di@firm.io')).toMatchObject({ 'Contact ID': uuid });
  for (const args of [[], ['--full'], ['--full']]) await trial.cli('sync', ...args);
  expect(trial.contacts().filter(({ first_name }) => first_name === 'Di')).toEqual([]);
  expect(trial.rowOf('di@firm.io')).toMatchObject({ 'First name': 'Di' });
  // A contact made anew has another uuid: the undo of the undo says how to get one.
  expect((await undo(trial, undone.run)).problems[0]).toContain('clear the ID cell of row 12');
  trial.type('di@firm.io', 'Contact ID', '');
  await trial.cli('sync');
  expect(trial.contacts().filter(({ first_name }) => first_name === 'Di')).toHaveLength(1);
});

test('S7: on_contact_deleted: delete_row does not take the row of a contact that an undo deleted', async () => {
  const trial = await createLinkedTrial({ sync: { on_contact_deleted: 'delete_row' } });
  trial.person.paste('Prospects!A12', [['Di', 'New', 'Firm', 'di@firm.io']]);
  const run = await sync(trial);
  await undo(trial, run, '--delete-created');
  for (const args of [[], ['--full'], ['--full']]) await trial.cli('sync', ...args);
  expect(trial.rowOf('di@firm.io')).toMatchObject({ 'First name': 'Di' });
});

test.each([
  ['a field of both sides', { company_name: 'Other' }],
  ['a field that is only sent', { position: 'CEO' }],
])(
  'S7, W3: a created contact of which somebody edits %s right before an undo deletes it is not deleted, and is named',
  async (_what, edit) => {
    const columns = {
      'First name': 'first_name',
      Company: 'company_name',
      Email: 'email',
      Position: { field: 'position', direction: 'to_crm' },
    };
    const trial = createSyncTrial({ columns, values: [Object.keys(columns), ['Di', 'Firm', 'di@firm.io', 'CTO']] });
    const run = await sync(trial);
    const { uuid } = trial.contactOf('di@firm.io');
    let asked = 0;
    trial.atEachInstant((what) => {
      if (!(what instanceof Request) || what.method !== 'GET' || !what.url.endsWith(`/${uuid}`)) return;
      asked += 1;
      trial.change('di@firm.io', edit);
    });
    const undone = await undo(trial, run, '--delete-created');
    trial.atEachInstant(() => {});
    expect(asked).toBeGreaterThan(0);
    expect(undone).toMatchObject({ code: 3, status: 'partial' });
    expect(undone.problems).toEqual([`undo of ${run}: not taken back: it changed while the undo was writing`]);
    expect(trial.contactOf('di@firm.io')).toMatchObject({ uuid, ...edit });
  },
);

test('S7: a created contact goes although the service never shows a custom field that was sent to it', async () => {
  const columns = { 'First name': 'first_name', Email: 'email', Segment: { custom_field: 'segment' } };
  const trial = createSyncTrial({ columns, values: [Object.keys(columns), ['Di', 'di@firm.io', 'A']] });
  const run = await sync(trial);
  expect(await undo(trial, run, '--delete-created')).toMatchObject({ code: 0, problems: [] });
  expect(trial.contacts()).toEqual([]);
});

test.each(['sheet', 'CRM'])('S7: a created contact that was edited since in the %s is not deleted', async (where) => {
  const trial = await createLinkedTrial();
  trial.person.paste('Prospects!A12', [['Di', 'New', 'Firm', 'di@firm.io']]);
  const run = await sync(trial);
  if (where === 'sheet') trial.type('di@firm.io', 'Company', 'Other');
  else trial.change('di@firm.io', { company_name: 'Other' });
  const { problems } = await undo(trial, run, '--delete-created');
  expect(problems).toEqual([
    `undo of ${run}: not taken back: it was created, and its Company was changed since in the ${where}`,
  ]);
  expect(trial.contactOf('di@firm.io').first_name).toBe('Di');
  await trial.cli('sync');
  expect((await undo(trial, run, '--delete-created')).problems[0]).toContain('was changed since');
});

test.each(['ignore', 'restore', 'delete_contact'])(
  'S7: on_row_deleted: %s leaves the contact whose appended row an undo removed, and appends no other',
  async (onRowDeleted) => {
    const trial = await createLinkedTrial({ sync: { on_row_deleted: onRowDeleted } });
    const { uuid } = trial.addContact({ first_name: 'Di', last_name: 'New', email: 'di@firm.io' });
    const run = await sync(trial);
    expect(trial.rowOf('di@firm.io')).toMatchObject({ 'First name': 'Di' });
    const undone = await undo(trial, run);
    expect(undone.problems).toEqual([]);
    for (const args of [[], ['--full'], ['--full']]) await trial.cli('sync', ...args);
    expect(trial.grid().some((row) => row['Email'] === 'di@firm.io')).toBe(false);
    expect(trial.contactOf('di@firm.io').uuid).toBe(uuid);
    // The undo of the undo makes the row anew.
    expect((await undo(trial, undone.run)).problems).toEqual([]);
    expect(trial.rowOf('di@firm.io')).toMatchObject({ 'First name': 'Di', 'Contact ID': uuid });
    expect((await trial.cli('sync')).stdout).toContain('nothing to do');
  },
);

test.each([
  ['typed again', 1, 'a row without its ID may be its row'],
  ['put back twice, edited', 2, 'there is one again'],
] as const)('S7, L9: an undo of an undo makes no row for a contact whose row was %s', async (how, rows, why) => {
  const trial = await createLinkedTrial();
  const { uuid } = trial.addContact({ first_name: 'Di', last_name: 'New', email: 'di@firm.io' });
  const run = await sync(trial);
  const undone = await undo(trial, run);
  const below = trial.grid().length + 2;
  const idAt = trial.columnIndexOf('Contact ID');
  const cells = ['Di', 'New', '', 'di@firm.io'];
  const withId = (company: string) => {
    return ['Di', 'New', company, 'di@firm.io', ...Array.from({ length: idAt - cells.length }, () => ''), uuid];
  };
  trial.person.paste(`Prospects!A${below}`, how === 'typed again' ? [cells] : [withId('One'), withId('Two')]);
  const { problems } = await undo(trial, undone.run);
  expect(problems).toEqual([`undo of ${undone.run}: not taken back: its row was deleted: ${why}`]);
  expect(trial.grid().filter((row) => row['Email'] === 'di@firm.io')).toHaveLength(rows);
  await trial.cli('sync');
  expect(trial.grid().filter((row) => row['Email'] === 'di@firm.io')).toHaveLength(rows);
});

test('S7, S8: with a status column an appended row goes as well, and the rows that stay say that the run was taken back', async () => {
  const trial = await createLinkedTrial(withStatus);
  const before = sides(trial).rows;
  const { uuid } = trial.addContact({ first_name: 'Di', last_name: 'New', email: 'di@firm.io' });
  trial.change('ann@firm.io', { company_name: 'Other' });
  const run = await sync(trial);
  expect(trial.rowOf('di@firm.io')).toMatchObject({ 'First name': 'Di', [statusHeader]: 'in sync' });
  const undone = await undo(trial, run);
  expect(undone).toMatchObject({ code: 0, status: 'succeeded', problems: [] });
  expect(trial.grid().some((row) => row['Email'] === 'di@firm.io')).toBe(false);
  expect(trial.rowOf('ann@firm.io')[statusHeader]).toBe(`in sync: undo of ${run}`);
  await trial.cli('sync', '--full');
  const rows = sides(trial).rows.map((row) => ({ ...row, [statusHeader]: 'in sync' }));
  expect(rows).toEqual(before);
  // The undo of the undo makes the row anew, with its status.
  expect((await undo(trial, undone.run)).problems).toEqual([]);
  expect(trial.rowOf('di@firm.io')).toMatchObject({
    'Contact ID': uuid,
    [statusHeader]: `in sync: undo of ${undone.run}`,
  });
});

test('S7: an undo of one field deletes no record, says so, and takes the field back elsewhere', async () => {
  const trial = await createLinkedTrial();
  trial.addContact({ email: 'di@firm.io' });
  trial.person.paste('Prospects!A12', [['Ed', '', '', 'ed@firm.io']]);
  trial.type('ann@firm.io', 'Email', 'anna@firm.io');
  const run = await sync(trial);
  const { problems } = await undo(trial, run, '--field', 'Email', '--delete-created');
  expect(problems.toSorted()).toEqual([
    `undo of ${run}: not taken back: it was created, and an undo of one field deletes no contact`,
    `undo of ${run}: not taken back: its row was appended: an undo of one field deletes no row`,
  ]);
  expect(['di@firm.io', 'ed@firm.io', 'ann@firm.io'].map((email) => trial.rowOf(email)['Email'])).toHaveLength(3);
  expect(trial.contactOf('ed@firm.io').first_name).toBe('Ed');
});

test('S7: with a status column an appended row that stays keeps its status, until a run has more to say', async () => {
  const trial = await createLinkedTrial(withStatus);
  trial.addContact({ first_name: 'Ed', last_name: 'New', email: 'ed@firm.io' });
  const run = await sync(trial);
  trial.person.paste(`Prospects!K${trial.rowNumberOf('ed@firm.io')}`, [['my note']]);
  expect((await undo(trial, run)).problems).toEqual([
    `undo of ${run}: not taken back: its row stays: it has something in column K`,
  ]);
  expect(trial.rowOf('ed@firm.io')[statusHeader]).toBe('in sync');
  await trial.cli('sync', '--full');
  expect(trial.rowOf('ed@firm.io')).toMatchObject({ 'First name': 'Ed', [statusHeader]: 'in sync' });
});

test('S7: with a status column two appended rows go, and one that was edited stays and says why', async () => {
  const trial = await createLinkedTrial(withStatus);
  for (const name of ['Di', 'Ed', 'Flo'])
    trial.addContact({ first_name: name, last_name: 'New', email: `${name.toLowerCase()}@firm.io` });
  const run = await sync(trial);
  trial.type('ed@firm.io', 'Company', 'Mine');
  const why = `undo of ${run}: not taken back: its row was appended: its Company was changed since in the sheet`;
  expect((await undo(trial, run)).problems).toEqual([why]);
  expect(trial.grid().flatMap(({ 'Last name': last, 'First name': first }) => (last === 'New' ? [first] : []))).toEqual(
    ['Ed'],
  );
  expect(trial.rowOf('ed@firm.io')[statusHeader]).toBe(`held: ${why}`);
});

test('S7: an appended row stays if a cell of it was edited, or a cell beside the table', async () => {
  const trial = await createLinkedTrial();
  trial.addContact({ first_name: 'Di', last_name: 'New', email: 'di@firm.io' });
  trial.addContact({ first_name: 'Ed', last_name: 'New', email: 'ed@firm.io' });
  const run = await sync(trial);
  trial.type('di@firm.io', 'Company', 'Mine');
  trial.person.paste(`Prospects!K${trial.rowNumberOf('ed@firm.io')}`, [['my note']]);
  const { problems } = await undo(trial, run);
  expect(problems).toEqual([
    `undo of ${run}: not taken back: its row was appended: its Company was changed since in the sheet`,
    `undo of ${run}: not taken back: its row stays: it has something in column K`,
  ]);
  expect(trial.rowOf('di@firm.io')).toMatchObject({ Company: 'Mine' });
  await trial.cli('sync', '--full');
  expect(trial.rowOf('ed@firm.io')).toMatchObject({ 'First name': 'Ed' });
  expect(trial.contactOf('di@firm.io')).toMatchObject({ company_name: 'Mine' });
});

test('S7: a contact that was deleted with its row is listed', async () => {
  const trial = await createLinkedTrial({ sync: { on_row_deleted: 'delete_contact' } });
  trial.person.deleteRows('Prospects', trial.rowNumberOf('bob@firm.io'));
  const run = await sync(trial);
  expect((await undo(trial, run)).problems).toEqual([
    `undo of ${run}: not taken back: the contact was deleted, and one made anew has another uuid: type it into a new row to make another one`,
  ]);
});

test('S7, I2: a contact that a run moved here is never deleted', async () => {
  const trial = createSyncTrial({
    values: [header, ['Ann', 'Row', 'Firm', 'ann@firm.io']],
    sync: { contacts: { list: 'Prospects', move_to_list: true } },
  });
  const other = trial.service.model.lists.add({ name: 'Customers' });
  trial.addContact({ first_name: 'Ann', last_name: 'Row', email: 'ann@firm.io', list_uuid: other.uuid });
  const run = await sync(trial);
  const { uuid } = trial.contactOf('ann@firm.io');
  expect((await undo(trial, run, '--delete-created')).problems).toContain(
    `undo of ${run}: not taken back: the contact was moved here from another list: move it back in the service, its row then says so`,
  );
  expect(trial.contactOf('ann@firm.io').uuid).toBe(uuid);
});

test('S4, E3: who was put into an automation is named, and stays there', async () => {
  const trial = createSyncTrial({
    values: [[...header, 'Automation']],
    sync: { automation: { column: 'Automation' } },
  });
  trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
  trial.person.paste('Prospects!A2', [['Di', 'New', 'Firm', 'di@firm.io', '', 'Welcome']]);
  const run = await sync(trial);
  const { problems } = await undo(trial, run, '--delete-created');
  expect(problems.join('\n')).toContain(
    `undo of ${run}: not taken back: put into Welcome: what it has sent is sent; to end it, empty its cell if on_clear is cancel, else take the contact out in the service`,
  );
  expect(trial.contactOf('di@firm.io').first_name).toBe('Di');
});

test.each(['service', 'sheet'] as const)(
  'S8, G2: what was emptied in the %s since waits for the run after the undo, and that one counts it',
  async (side) => {
    const trial = await createLinkedTrial();
    const emails = Array.from({ length: 5 }, (_, index) => `other${index}@firm.io`);
    for (const email of emails) trial.change(email, { company_name: 'Other' });
    const run = await sync(trial);
    for (const email of emails) {
      if (side === 'service') trial.change(email, { last_name: '' });
      else trial.type(email, 'Last name', '');
    }
    const before = emails.map((email) => [trial.rowOf(email)['Last name'], trial.contactOf(email).last_name]);
    expect(await undo(trial, run)).toMatchObject({ status: 'succeeded', problems: [] });
    expect(emails.map((email) => trial.rowOf(email)['Company'])).toEqual(emails.map(() => 'Firm'));
    expect((await trial.cli('sync')).stdout).toContain('5 emptied fields are more than the limit of 20% of 10');
    expect(emails.map((email) => [trial.rowOf(email)['Last name'], trial.contactOf(email).last_name])).toEqual(before);
    await trial.cli('approve', 'prospects', '--yes');
    await trial.cli('sync');
    for (const email of emails)
      expect([trial.rowOf(email)['Last name'] ?? '', trial.contactOf(email).last_name ?? '']).toEqual(['', '']);
  },
);

test('S8, M8: what the service computes from a value that an undo puts back goes into the row with it', async () => {
  const trial = createSyncTrial({
    values: [
      ['Name', 'First name', 'Last name', 'Email'],
      ['Ann Row', 'Ann', 'Row', 'ann@firm.io'],
    ],
    columns: { Name: 'name', 'First name': 'first_name', 'Last name': 'last_name', Email: 'email' },
  });
  await trial.cli('sync');
  trial.type('ann@firm.io', 'First name', 'Anna');
  const run = await sync(trial);
  expect(trial.rowOf('ann@firm.io')).toMatchObject({ Name: 'Anna Row', 'First name': 'Anna' });
  await undo(trial, run);
  expect(trial.rowOf('ann@firm.io')).toMatchObject({ Name: 'Ann Row', 'First name': 'Ann' });
  expect((await trial.cli('sync')).stdout).toContain('nothing to do');
});

test.each(['update', 'row'] as const)(
  'S4, W5: an undo whose %s is refused says that it is not taken back',
  async (what) => {
    const trial = await createLinkedTrial();
    if (what === 'update') trial.change('ann@firm.io', { company_name: 'Other' });
    else trial.addContact({ first_name: 'Di', last_name: 'New', email: 'di@firm.io' });
    const run = await sync(trial);
    const rows = trial.grid().length;
    if (what === 'row') protect(trial, { startRowIndex: rows, endRowIndex: rows + 1 });
    else trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.update', times: 5 });
    const { stdout } = await trial.cli('undo', run, '--yes');
    expect(stdout).toContain(`held: undo of ${run}: not taken back: `);
    expect(stdout).not.toMatch(/tried again|tried at once|leadsheet retry/);
    if (what === 'row') unprotect(trial);
    else trial.service.faults.clear();
    // No later run plans it, and a second undo takes it back.
    expect((await trial.cli('sync')).stdout).toContain('nothing to do');
    expect(await undo(trial, run)).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.grid().every((row) => row['Company'] !== 'Other' && row['First name'] !== 'Di')).toBe(true);
  },
);

test('S8: a plan that is another one by now is not carried out, and is shown anew', async () => {
  const trial = await createLinkedTrial();
  trial.change('ann@firm.io', { company_name: 'Other' });
  const run = await sync(trial);
  let requests = 0;
  const count = (what: unknown) => what instanceof Request && (requests += 1);
  trial.atEachInstant((what) => void count(what));
  await trial.cli('undo', run);
  const first = requests + 1;
  requests = 0;
  trial.atEachInstant((what) => {
    // At the first request after the plan was made and shown.
    if (count(what) && requests === first) trial.type('ann@firm.io', 'Company', 'Mine');
  });
  const undone = await undo(trial, run);
  trial.atEachInstant(() => {});
  expect(undone).toMatchObject({ code: 3, status: 'another plan' });
  expect(undone.stderr).toContain('nothing was done: the plan changed meanwhile');
  expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'Mine' });
});

test('S8: a saved undo is applied; a record that changed since is refused by name', async () => {
  const trial = await createLinkedTrial();
  trial.change('ann@firm.io', { company_name: 'Other' });
  trial.change('bob@firm.io', { company_name: 'Other' });
  const run = await sync(trial);
  const file = join(trial.folder, 'undo.json');
  expect(await trial.cli('undo', run, '--out', file)).toMatchObject({
    code: 2,
    stderr: `leadsheet: saved; leadsheet apply ${file} does exactly this\n`,
  });
  trial.type('bob@firm.io', 'Company', 'Mine');
  const { code, stdout } = await trial.cli('apply', file);
  expect(code).toBe(3);
  expect(stdout).toContain('not applied: nothing is to be done for it any more');
  expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'Firm' });
  expect(trial.contactOf('ann@firm.io')).toMatchObject({ company_name: 'Firm' });
  expect(trial.rowOf('bob@firm.io')).toMatchObject({ Company: 'Mine' });
});

test('G2: an undo beyond a limit is held, and its approval lets it through, and no other run', async () => {
  const trial = await createLinkedTrial({ sync: { limits: { changes: '20%' } } });
  for (const name of ['ann', 'bob']) trial.change(`${name}@firm.io`, { company_name: 'Other' });
  const first = await sync(trial);
  const emails = Array.from({ length: 4 }, (_, index) => `other${index}@firm.io`);
  for (const email of emails) trial.change(email, { company_name: 'Other' });
  const held = await sync(trial);
  await trial.cli('approve', 'prospects', '--run', held);
  const run = await sync(trial);
  expect(trial.rowOf('other0@firm.io')).toMatchObject({ Company: 'Other' });
  const stopped = await undo(trial, run);
  expect(stopped).toMatchObject({ code: 3, status: 'held' });
  expect(await trial.cli('approve', 'prospects', '--run', stopped.run)).toMatchObject({ code: 0 });
  for (const email of emails) trial.type(email, 'Last name', 'Typed');
  expect((await trial.cli('sync')).stdout).toContain('held');
  for (const email of emails) trial.type(email, 'Last name', 'Row');
  expect(await undo(trial, run)).toMatchObject({ code: 0, status: 'succeeded' });
  expect(trial.rowOf('other0@firm.io')).toMatchObject({ Company: 'Firm' });
  expect((await undo(trial, first)).code).toBe(0);
});

/** Four records were changed by a run that had to be approved, so that its undo is held as well. */
async function createTrialOfHeldUndo() {
  const trial = await createLinkedTrial({ sync: { limits: { changes: '20%' } } });
  const emails = Array.from({ length: 4 }, (_, index) => `other${index}@firm.io`);
  for (const email of emails) trial.change(email, { company_name: 'Other' });
  const first = await sync(trial);
  return { ...trial, emails, first };
}

test('S8: an undo that was held and then carried out is held no more: there is nothing left to approve', async () => {
  const trial = await createTrialOfHeldUndo();
  await trial.cli('approve', 'prospects', '--run', trial.first);
  const run = await sync(trial);
  const stopped = await undo(trial, run);
  expect(stopped).toMatchObject({ code: 3, status: 'held' });
  await trial.cli('approve', 'prospects', '--run', stopped.run);
  expect(await undo(trial, run)).toMatchObject({ code: 0, status: 'succeeded' });
  const again = await trial.cli('approve', 'prospects', '--run', stopped.run);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('nothing of prospects is held')]);
});

test('S8: of an undo that was held, the commands that are printed one after the other carry it out', async () => {
  const trial = await createTrialOfHeldUndo();
  await trial.cli('approve', 'prospects', '--run', trial.first);
  const run = await sync(trial);
  const stopped = await trial.cli('undo', run, '--field', 'Company', '--yes');
  expect(stopped).toMatchObject({
    code: 3,
    stderr: `leadsheet: once it is approved, give it again: leadsheet undo ${run} --field Company --yes\n`,
  });
  const [, approval] = /to let it through: leadsheet (.*)/.exec(stopped.stdout)!;
  const before = (await trial.cli('status')).stdout;
  expect(before).toContain(`the undo of ${run} is held: 4 changed records`);
  expect(before).toContain(`leadsheet ${approval}, then give the same undo again: leadsheet undo ${run}\n`);
  expect(before).not.toContain('look at the plan');
  const approved = await trial.cli(...approval!.split(' '));
  expect(approved).toMatchObject({
    code: 0,
    stdout: `prospects: approved for 4 changes of the undo of ${run}; it is carried out when the same undo is given again: leadsheet undo ${run}\n`,
  });
  await sync(trial);
  expect(trial.rowOf(trial.emails[0]!)['Company']).toBe('Other');
  expect((await trial.cli('status')).stdout).toContain('it is carried out when the same undo is given again');
  expect((await trial.cli('status')).stdout).not.toContain('for the next run to carry out');
  expect(await trial.cli('undo', run, '--field', 'Company', '--yes')).toMatchObject({ code: 0, stderr: '' });
  expect(trial.rowOf(trial.emails[0]!)['Company']).toBe('Firm');
});

test('G6, S8: a held run is approved record by record, and a held undo only whole', async () => {
  const trial = await createTrialOfHeldUndo();
  const only = async (run: string) => trial.cli('approve', 'prospects', '--run', run, '--only', 'other0@firm.io');
  expect((await only(trial.first)).code).toBe(0);
  const partly = await sync(trial);
  expect(trial.emails.map((email) => trial.rowOf(email)['Company'])).toEqual(['Other', 'Firm', 'Firm', 'Firm']);
  await trial.cli('approve', 'prospects', '--run', partly);
  const run = await sync(trial);
  const stopped = await undo(trial, run);
  expect(stopped.status).toBe('held');
  const refused = await only(stopped.run);
  expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining('can only be approved whole')]);
});

test('S8: what cannot be undone is refused in words', async () => {
  const trial = await createLinkedTrial();
  trial.change('ann@firm.io', { company_name: 'Other' });
  const run = await sync(trial);
  const idle = (await undo(trial, run)).run;
  const typo = `${run.slice(0, -1)}${run.endsWith('x') ? 'y' : 'x'}`;
  const refusal = async (...args: string[]) => {
    const { code, stderr } = await trial.cli('undo', ...args, '--yes');
    return `${code}: ${stderr}`;
  };
  expect(await refusal(typo)).toBe(`64: leadsheet: no run ${typo} is known, did you mean ${run}?\n`);
  expect(await refusal('20011121-090000-abcd')).toMatch(
    /^64: leadsheet: run 20011121-090000-abcd is older than the history, which begins at 20\d\d-.*: it cannot be undone\n$/,
  );
  expect(await refusal('nonsense')).toBe('64: leadsheet: no run nonsense is known: leadsheet runs lists them\n');
  expect(await refusal(run, '--field', 'Compny')).toBe(
    '64: leadsheet: prospects has no field Compny, did you mean Company?\n',
  );
  expect(await refusal(run, '--contact', 'no@firm.io')).toContain(
    'no linked contact of prospects has this e-mail address',
  );
  expect(await refusal(run, '--contact', 'bob@firm.io')).toContain(`run ${run} changed nothing of that`);
  const { stdout } = await trial.cli('undo', run);
  expect(stdout).toContain(
    `run ${idle} took it back already, or a part of it: to take that back, leadsheet undo ${idle}`,
  );
  expect(stdout).toContain('prospects: nothing to do');
});

test.each([
  { it: 'gone at once', deleteDelayMs: 0 },
  { it: 'shown for a minute yet', deleteDelayMs: 60_000 },
])(
  'S7, S8, L10: killed before or after any write of an undo, no later run deletes a contact or a row, or makes one again (deleted contacts are $it)',
  async ({ deleteDelayMs }) => {
    const rulesOfDeletion = { on_row_deleted: 'delete_contact', on_contact_deleted: 'delete_row' };
    // In turns before and after a write; with REPEATS=all at each.
    for (let at = 1; ; at += repeats(8, 1)) {
      const trial = createSyncTrial({
        values: [header, ['Ann', 'Row', 'Firm', 'ann@firm.io'], ['Bob', 'Row', 'Firm', 'bob@firm.io']],
        sync: rulesOfDeletion,
        switches: { deleteDelayMs },
      });
      await trial.cli('sync');
      trial.person.paste('Prospects!A4', [['Di', 'New', 'Firm', 'di@firm.io']]);
      trial.addContact({ first_name: 'Ed', last_name: 'New', email: 'ed@firm.io' });
      trial.change('ann@firm.io', { company_name: 'Other' });
      const run = await sync(trial);
      await trial.start();
      let instants = 0;
      let isKilled = false;
      trial.atEachInstant((what) => {
        if (isKilled || !isOfNote(what) || (instants += 1) !== at) return;
        isKilled = true;
        trial.kill();
      });
      const ended = await trial.attemptUndo(run, true);
      expect(ended).toBe(isKilled ? 'killed' : 'run');
      trial.atEachInstant(() => {});
      await trial.start();
      for (const isFull of [false, true, true]) {
        await trial.run({ isFull });
        // Longer than a deleted contact counts as one that the service still shows.
        if (deleteDelayMs > 0) await new Promise((resolve) => void setTimeout(resolve, 16 * 60_000));
      }
      const rows = trial.grid().map(({ Email }) => Email);
      const emails = trial.contacts().map(({ work_email, personal_email }) => work_email ?? personal_email);
      // The row of Di and the contact Ed stay whatever happened; the contact Di and the row of Ed are gone, or were not undone.
      expect(rows).toContain('di@firm.io');
      expect(emails).toContain('ed@firm.io');
      expect(rows.filter((email) => email === 'ed@firm.io').length).toBeLessThan(2);
      expect(emails.filter((email) => email === 'di@firm.io').length).toBeLessThan(2);
      expect(trial.contactOf('ann@firm.io').company_name).toBe(trial.rowOf('ann@firm.io')['Company']);
      if (isKilled) continue;
      expect([rows.includes('ed@firm.io'), emails.includes('di@firm.io')]).toEqual([false, false]);
      return;
    }
  },
  300_000,
);

/** A column joins the mapping: the next run makes it. */
function mapPosition({ configFile }: Trial): void {
  const file = parse(readFileSync(configFile, 'utf8')) as { syncs: { prospects: { columns: Record<string, string> } } };
  file.syncs.prospects.columns['Position'] = 'position';
  writeFileSync(configFile, stringify(file));
}

test('S8, W11: an undo makes a column that joined the mapping, before it writes', async () => {
  const trial = await createLinkedTrial();
  trial.change('ann@firm.io', { company_name: 'Other' });
  const run = await sync(trial);
  mapPosition(trial);
  expect(await undo(trial, run)).toMatchObject({ code: 0, status: 'succeeded' });
  expect(trial.columnIndexOf('Position')).toBeGreaterThan(0);
  expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'Firm' });
});

test('S8, W11: an undo that makes the status column says in it what it took back', async () => {
  const trial = await createLinkedTrial();
  trial.change('ann@firm.io', { company_name: 'Other' });
  const run = await sync(trial);
  const file = parse(readFileSync(trial.configFile, 'utf8')) as { syncs: { prospects: object } };
  Object.assign(file.syncs.prospects, withStatus.sync);
  writeFileSync(trial.configFile, stringify(file));
  expect(await undo(trial, run)).toMatchObject({ code: 0, status: 'succeeded' });
  expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'Firm', [statusHeader]: `in sync: undo of ${run}` });
});

test('S8, G1: an undo that is held makes no column', async () => {
  const trial = await createLinkedTrial({ sync: { limits: { changes: '20%' } } });
  const emails = Array.from({ length: 4 }, (_, index) => `other${index}@firm.io`);
  for (const email of emails) trial.change(email, { company_name: 'Other' });
  const held = await sync(trial);
  await trial.cli('approve', 'prospects', '--run', held);
  const run = await sync(trial);
  mapPosition(trial);
  expect(await undo(trial, run)).toMatchObject({ code: 3, status: 'held' });
  expect(trial.columnIndexOf('Position')).toBe(-1);
});

test('S4, W4, L1: a cell that a killed undo wrote is nobody’s edit, also where somebody changes the contact back', async () => {
  const trial = await createLinkedTrial();
  trial.change('ann@firm.io', { company_name: 'Other' });
  const run = await sync(trial);
  await trial.start();
  trial.atEachInstant(() => {
    if (trial.rowOf('ann@firm.io')['Company'] === 'Firm') trial.kill();
  });
  expect(await trial.attemptUndo(run, true)).toBe('killed');
  trial.atEachInstant(() => {});
  expect(trial.contactOf('ann@firm.io').company_name).toBe('Firm');
  await trial.start();
  trial.change('ann@firm.io', { company_name: 'Other' });
  // Neither is written over without a person: the cell may have been typed into as well.
  expect((await trial.run()).problems).toMatchObject([{ kind: 'conflict', field: 'company_name' }]);
  expect(trial.contactOf('ann@firm.io').company_name).toBe('Other');
});

test('S4, W12: a field that has its old value on both sides already needs nobody, and its row is not said to be held', async () => {
  const sheet = { spreadsheet: spreadsheetId, tab: tabTitle, status_column: 'Sync' };
  const trial = await createLinkedTrial({ sync: { sheet } });
  for (const email of ['ann@firm.io', 'bob@firm.io']) trial.type(email, 'Company', 'Other');
  const run = await sync(trial);
  trial.type('ann@firm.io', 'Company', 'Firm');
  await sync(trial);
  const { stdout } = await trial.cli('undo', run);
  expect(stdout).toContain(
    `undo of ${run}: Company: nothing to take back: both sides hold the old value (what an undo puts back, S4)`,
  );
  expect(stdout).not.toContain('type the value');
  expect(await trial.cli('undo', run, '--yes')).toMatchObject({ code: 0 });
  expect(['ann@firm.io', 'bob@firm.io'].map((email) => trial.rowOf(email)['Company'])).toEqual(['Firm', 'Firm']);
  expect(trial.rowOf('ann@firm.io')['Sync']).toBe('in sync');
  expect(trial.rowOf('bob@firm.io')['Sync']).toBe(`in sync: undo of ${run}`);
});
