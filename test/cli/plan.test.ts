import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { logLine } from '../../src/operator/answers/history.ts';
import { planAnswer, savedPlanAnswer, syncAnswer } from '../../src/operator/answers/runs.ts';
import { createSyncTrial, spreadsheetId } from '../support/app.ts';

/* `leadsheet plan` and `leadsheet apply`. */

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];

/**
 * Ann and Bob are linked. Then Ann is edited in the sheet and Bob in the service; Cy is typed, and Di is created in the
 * service.
 */
async function createBusyTrial() {
  const trial = createSyncTrial({ values: [header, ['Bob', 'Row', 'Firm', 'bob@firm.io']] });
  trial.addContact({ first_name: 'Ann', last_name: 'Contact', email: 'ann@firm.io' });
  await trial.cli('sync');
  trial.person.type('Prospects!A3', 'Anna');
  updateContact(trial, 'Bob', { company_name: 'Other' });
  trial.person.paste('Prospects!A4', [['Cy', 'New', 'Firm', 'cy@firm.io']]);
  trial.addContact({ first_name: 'Di', last_name: 'New', email: 'di@firm.io' });
  return trial;
}

type Trial = ReturnType<typeof createSyncTrial>;

function updateContact({ service, contacts }: Trial, firstName: string, fields: Record<string, string>) {
  const { uuid } = contacts().find(({ first_name }) => first_name === firstName)!;
  service.model.contacts.change(uuid, { fields });
}

function firstNames(trial: Trial): readonly (string | null | undefined)[] {
  return trial
    .contacts()
    .map(({ first_name }) => first_name)
    .toSorted((a, b) => (a! < b! ? -1 : 1));
}

async function historyOf(trial: Trial, run: string) {
  const { stdout } = await trial.cli('log', '--run', run, '--json');
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => logLine.parse(JSON.parse(line)));
}

test('shows each field old -> new with its reason, writes nothing anywhere, and exits 2', async () => {
  const trial = await createBusyTrial();
  const writes = () => [trial.sheets.log.counters, readFolder(trial)];
  const before = JSON.stringify([trial.grid(), trial.contacts(), writes().at(-1)]);
  const { code, stdout, stderr } = await trial.cli('plan');
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
  expect(stdout).toMatch(
    /^prospects: 4 changes of 4 records, \d+ calls to the service, \d+ reads? and \d+ writes? of the sheet, about \d+ s\n/,
  );
  expect(stdout).toContain('  1 contact to create in the service\n    row 4\n      First name  "" -> "Cy"');
  expect(stdout).toMatch(/1 contact to update in the service\n {4}\S+, row 3\n {6}First name {2}"Ann" -> "Anna"/);
  expect(stdout).toMatch(/1 row to change in the sheet\n {4}\S+, row 2\n {6}Company {2}"Firm" -> "Other"/);
  expect(stdout).toContain('1 row to append to the sheet');
  expect(JSON.stringify([trial.grid(), trial.contacts(), writes().at(-1)])).toBe(before);
});

function readFolder({ folder }: Trial): string {
  return readFileSync(join(folder, 'state', 'prospects', 'base.log'), 'utf8');
}

test('is exactly the changes of the next sync', async () => {
  const trial = await createBusyTrial();
  const planned = planAnswer.parse(JSON.parse((await trial.cli('plan', '--json')).stdout)).syncs[0]!.changes;
  const ran = syncAnswer.parse(JSON.parse((await trial.cli('sync', '--json')).stdout)).syncs[0]!;
  const done = await historyOf(trial, ran.run);
  const told = planned.map(({ contact, ...change }) => ({
    ...change,
    contact: change.op === 'create' ? 'new' : contact,
  }));
  const lines = done.map(({ time: _time, sync: _sync, run: _run, outcome: _outcome, ...line }) => line);
  // Only the answer to a create gives what goes into its row: the new uuid, and values that the service added.
  const created = new Set(done.filter(({ op }) => op === 'create').map(({ row }) => row));
  const withoutIds = lines.filter(({ op, row }) => !(op === 'set' && created.has(row)));
  expect(withoutIds.map((line) => ({ ...line, contact: line.op === 'create' ? 'new' : line.contact }))).toEqual(told);
  expect(done.every(({ outcome }) => outcome === 'done')).toBe(true);
  expect(await trial.cli('plan')).toMatchObject({ code: 0, stdout: 'prospects: nothing to do\n' });
});

test('every delete is shown, also in a shortened plan', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `p${index}`);
  const trial = createSyncTrial({ sync: { on_contact_deleted: 'delete_row', limits: { deletes: '100%' } } });
  for (const name of names) trial.addContact({ first_name: name, email: `${name}@firm.io` });
  expect((await trial.cli('plan')).stdout).toContain('    and 10 more; --json lists all');
  await trial.cli('sync');
  for (const { uuid } of trial.contacts().slice(0, 25)) trial.service.model.contacts.remove(uuid);
  const { stdout } = await trial.cli('plan', '--full');
  expect(stdout).toContain('  25 rows to DELETE from the sheet\n');
  expect(stdout.match(/: the contact was deleted in the CRM \(D3\)/g)).toHaveLength(25);
});

test('apply does exactly the saved plan: later changes are left to the next run', async () => {
  const trial = await createBusyTrial();
  const file = join(trial.folder, 'plan.json');
  expect(await trial.cli('plan', '--out', file)).toMatchObject({ code: 2 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  trial.person.paste('Prospects!A5', [['Ed', 'Later', 'Firm', 'ed@firm.io']]);
  const { code, stdout } = await trial.cli('apply', file);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('prospects: succeeded') });
  expect(firstNames(trial)).toEqual(['Anna', 'Bob', 'Cy', 'Di']);
  expect(trial.grid().map((row) => row['Company'])).toContain('Other');
  await trial.cli('sync');
  expect(firstNames(trial)).toContain('Ed');
  expect((await trial.cli('plan')).code).toBe(0);
});

test('W3: the status of rows that came after the saved plan says that they are in sync once they are', async () => {
  const sheet = { spreadsheet: spreadsheetId, tab: 'Prospects', status_column: 'Sync status' };
  const trial = createSyncTrial({
    values: [header, ['Ann', 'Row', 'Firm', 'ann@firm.io']],
    sync: { sheet },
  });
  await trial.cli('sync');
  trial.type('ann@firm.io', 'Company', 'Other');
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  trial.person.paste('Prospects!A3', [['Ed', 'Later', 'Firm', 'ed@firm.io']]);
  expect((await trial.cli('apply', file)).stdout).toContain('1 updated');
  expect(trial.rowOf('ed@firm.io')).not.toHaveProperty('Sync status');
  await trial.cli('sync');
  expect(trial.rowOf('ed@firm.io')).toMatchObject({ 'Sync status': 'in sync' });
});

test.each([
  ['emptied fields', '4 emptied fields are more than the limit of 20% of 10'],
  ['new contacts', '4 new contacts are more than the limit of 2'],
] as const)('W3, G2: %s that apply leaves out are not let through: the next run counts them', async (what, held) => {
  const rows = Array.from({ length: 10 }, (_, index) => [`P${index}`, 'Row', 'Firm', `p${index}@firm.io`]);
  const trial = createSyncTrial({ values: [header, ...rows], sync: { limits: { blanks: '20%', creates: 2 } } });
  await trial.cli('sync');
  await trial.cli('approve', 'prospects', '--yes');
  await trial.cli('sync');
  const isOfRows = what === 'new contacts';
  const change = (numbers: readonly number[]) => {
    for (const number of numbers) {
      if (isOfRows) trial.person.paste(`Prospects!A${11 + number}`, [['New', 'Row', '', `new${number}@firm.io`]]);
      else trial.change(`p${number}@firm.io`, { last_name: '' });
    }
  };
  trial.type('p0@firm.io', 'Company', 'Other');
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  change([1, 2]);
  expect((await trial.cli('apply', file)).stdout).toContain('1 updated');
  change([3, 4]);
  expect((await trial.cli('sync')).stdout).toContain(held);
  expect(trial.contacts()).toHaveLength(10);
  expect(trial.grid().every((row) => row['Last name'] === 'Row')).toBe(true);
});

test('M1, W3: apply leaves a decision about a record that its plan does not have to the next run', async () => {
  const trial = await createBusyTrial();
  await trial.cli('sync');
  trial.person.type('Prospects!C2', 'Mine');
  updateContact(trial, 'Bob', { company_name: 'Theirs' });
  await trial.cli('sync');
  trial.person.type('Prospects!A3', 'Annika');
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  const { uuid } = trial.contactOf('bob@firm.io');
  expect(await trial.cli('resolve', `${uuid}/company_name`, '--use', 'crm')).toMatchObject({ code: 0 });
  expect(await trial.cli('apply', file)).toMatchObject({ code: 0 });
  expect(firstNames(trial)).toContain('Annika');
  expect((await trial.cli('log')).stdout).not.toContain('decision resolve');
  await trial.cli('sync');
  expect(trial.rowOf('bob@firm.io')).toMatchObject({ Company: 'Theirs' });
  expect((await trial.cli('log')).stdout).toContain('decision resolve');
});

test('a record that moved since is refused by name, and the rest is applied', async () => {
  const trial = await createBusyTrial();
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  trial.person.type('Prospects!A3', 'Annika');
  const { code, stdout } = await trial.cli('apply', file, '--json');
  const { uuid } = trial.contacts().find(({ first_name }) => first_name === 'Ann')!;
  expect(code).toBe(3);
  expect(syncAnswer.parse(JSON.parse(stdout)).syncs[0]!.problems).toMatchObject([
    {
      id: uuid,
      kind: 'held',
      row: 3,
      reason: 'not applied: it changed since the plan was made',
      advice: 'nothing, or make a new plan of it: leadsheet plan prospects --out plan.json',
    },
  ]);
  expect(firstNames(trial)).toEqual(['Ann', 'Bob', 'Cy', 'Di']);
  await trial.cli('sync');
  expect(firstNames(trial)).toContain('Annika');
});

test('rows that were moved since are still the same records', async () => {
  const trial = await createBusyTrial();
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  trial.person.insertRows('Prospects', 2, 3);
  expect(await trial.cli('apply', file)).toMatchObject({ code: 0 });
  expect(firstNames(trial)).toEqual(['Anna', 'Bob', 'Cy', 'Di']);
});

test.each(['apply', 'sync'])(
  'W3: a plan that %s has carried out is done already: nothing is written, exit 0',
  async (first) => {
    const trial = await createBusyTrial();
    const file = join(trial.folder, 'plan.json');
    await trial.cli('plan', '--out', file);
    await (first === 'apply' ? trial.cli('apply', file) : trial.cli('sync'));
    const before = trial.writes();
    const { code, stdout } = await trial.cli('apply', file);
    expect({ code, writes: trial.writes() }).toEqual({ code: 0, writes: before });
    expect(stdout).toContain('  4 linked; nothing to do\n  already done: 4 records of the plan\n');
    const answer = syncAnswer.parse(JSON.parse((await trial.cli('apply', file, '--json')).stdout));
    expect(answer.syncs).toMatchObject([{ status: 'succeeded', already_done: 4, problems: [] }]);
  },
);

test('W3: a plan of which a part was done and a part was changed: the one is done already, the other is named', async () => {
  const trial = await createBusyTrial();
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  await trial.cli('apply', file);
  // Bob has another company again, on both sides; Cy got another name; Di is deleted on both sides.
  updateContact(trial, 'Bob', { company_name: 'Third' });
  trial.person.type('Prospects!A4', 'Cyrus');
  trial.person.deleteRows('Prospects', 5);
  await trial.cli('sync');
  const { code, stdout } = await trial.cli('apply', file);
  expect(code).toBe(3);
  expect(stdout).toContain('  already done: 1 record of the plan\n');
  expect(stdout.match(/held: not applied: nothing is to be done for it any more/g)).toHaveLength(3);
  expect(firstNames(trial)).toContain('Cyrus');
});

test('W3, W8: a plan whose apply was stopped is finished by applying it again', async () => {
  const trial = await createBusyTrial();
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  const stop = new AbortController();
  trial.atEachInstant((what) => {
    if (what !== 'answered' && what !== 'saving' && what !== 'saved' && what.url.endsWith('/upsert')) stop.abort();
  });
  await trial.cliUntil(stop.signal, 'apply', file);
  trial.atEachInstant(() => {});
  const { code, stdout } = await trial.cli('apply', file);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('already done: 1 record') });
  expect(firstNames(trial)).toEqual(['Anna', 'Bob', 'Cy', 'Di']);
  expect((await trial.cli('apply', file)).stdout).toContain('already done: 4 records');
});

test('W3: deletions, enrolments and cancels of a plan are known as done', async () => {
  const options = {
    on_row_deleted: 'delete_contact',
    on_contact_deleted: 'delete_row',
    automation: { column: 'Automation', on_clear: 'cancel' },
    limits: { deletes: '100%', changes: '100%' },
  };
  const people = ['ann', 'bob', 'cid', 'dan', 'eva', 'fay'];
  const rows = people.map((name) => [name, 'X', 'Firm', `${name}@firm.io`, '', name === 'ann' ? 'Welcome' : '']);
  const trial = createSyncTrial({ values: [[...header, 'Automation'], ...rows], sync: options });
  trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
  trial.service.model.automations.add({ name: 'Nurture', status: 'on' });
  await trial.cli('sync');
  trial.type('ann@firm.io', 'Automation', '');
  trial.type('bob@firm.io', 'Automation', 'Nurture');
  trial.service.model.contacts.remove(trial.contactOf('dan@firm.io').uuid);
  trial.person.deleteRows('Prospects', trial.rowNumberOf('cid@firm.io'));
  trial.person.paste('Prospects!A20', [['gus', 'X', 'Firm', 'gus@firm.io', '', 'Welcome']]);
  const file = join(trial.folder, 'plan.json');
  const { plans } = await savePlan(trial, file);
  expect(plans[0]!.changes.map(({ op }) => op).toSorted()).toEqual(['cancel', 'create', 'delete', 'enrol', 'remove']);
  expect((await trial.cli('apply', file)).code).toBe(0);
  const written = () => ({ ...trial.writes(), crm: trial.writes().crm.filter((each) => each !== 'automations.list') });
  const before = written();
  expect(await trial.cli('apply', file)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('already done: 5 records of the plan'),
  });
  expect(written()).toEqual(before);
});

test('E5: a plan names the automation that each contact is taken out of', async () => {
  const trial = createSyncTrial({
    values: [
      [...header, 'Automation'],
      ['Ann', 'X', 'Firm', 'ann@firm.io', '', 'Welcome, Nurture'],
    ],
    sync: { automation: { column: 'Automation', on_clear: 'cancel' } },
  });
  for (const name of ['Welcome', 'Nurture']) trial.service.model.automations.add({ name, status: 'on' });
  await trial.cli('sync');
  await trial.cli('sync');
  trial.type('ann@firm.io', 'Automation', 'Nurture');
  const { stdout } = await trial.cli('plan');
  expect(stdout).toContain('1 contact to take out of automations\n');
  expect(stdout).toContain('row 2: the wish was taken out of its cell: Welcome (E5)\n');
});

const savedPlans = z.looseObject({
  plans: z.array(z.looseObject({ changes: z.array(z.looseObject({ op: z.string() })) })),
});

async function savePlan(trial: Trial, file: string) {
  expect((await trial.cli('plan', '--full', '--out', file)).code).toBe(2);
  return savedPlans.parse(JSON.parse(readFileSync(file, 'utf8')));
}

test('I7: if one edit of a key falls out of a plan, the other half of the swap waits with it', async () => {
  const values = [header, ['Ann', 'A', 'Firm', 'ann@firm.io'], ['Bob', 'B', 'Firm', 'bob@firm.io']];
  const trial = createSyncTrial({ values });
  await trial.cli('sync');
  trial.person.type('Prospects!D2', 'bob@firm.io');
  trial.person.type('Prospects!D3', 'ann@firm.io');
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  trial.person.type('Prospects!C2', 'Other');
  const { code, stdout } = await trial.cli('apply', file);
  expect(code).toBe(3);
  expect(stdout).toContain('  2 problems need somebody:');
  expect(trial.contacts().map(({ work_email }) => work_email)).toEqual(['ann@firm.io', 'bob@firm.io']);
});

const anyPlan = z.looseObject({ plans: z.array(z.looseObject({ sync: z.string() })) });

test.each([
  ['one that is not there', undefined, /^leadsheet: the plan \S+ cannot be read \(ENOENT\)\n$/],
  ['one that is no plan', () => '{"a": 1}', /^leadsheet: \S+ is no plan: make one with leadsheet plan --out FILE\n$/],
  ['one that is no JSON', () => 'plan', /^leadsheet: \S+ is no plan/],
  [
    'one of another version',
    (text: string) => text.replace('"version": 1', '"version": 2'),
    /is a plan of version 2, and this program reads version 1: plan again\n$/,
  ],
  [
    'one that was tampered with',
    (text: string) => text.replace('"Anna"', '"Mallory"'),
    /was changed since it was written: plan again, nothing was applied\n$/,
  ],
  [
    'one that somebody added to',
    (text: string) => JSON.stringify({ ...anyPlan.parse(JSON.parse(text)), more: 1 }),
    /was changed since it was written/,
  ],
])('of plan files, %s is refused in one line, exit 1', async (_, change, message) => {
  const trial = await createBusyTrial();
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  if (change) writeFileSync(file, change(readFileSync(file, 'utf8')));
  const { code, stdout, stderr } = await trial.cli('apply', change ? file : `${file}x`);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(message);
  expect(firstNames(trial)).not.toContain('Mallory');
});

test('a plan of another sync, and of another list under the same name, are refused', async () => {
  const trial = await createBusyTrial();
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  const config = readFileSync(trial.configFile, 'utf8');
  writeFileSync(trial.configFile, config.replace('prospects:', 'others:'));
  expect(await trial.cli('apply', file)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is a plan of sync prospects, which \S+ does not have\n$/),
  });
  trial.service.model.lists.add({ name: 'Elsewhere' });
  writeFileSync(
    trial.configFile,
    config.replace('list: Prospects', 'list: Elsewhere').replace(/state: .*/, `state: file:${trial.folder}/fresh`),
  );
  expect(await trial.cli('apply', file)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('the plan was made for another list or tab than prospects has now: plan again'),
  });
});

test('a plan that replaces a file for all accounts is for its owner alone, and leaves no other file', async () => {
  const trial = await createBusyTrial();
  const file = join(trial.folder, 'plan.json');
  writeFileSync(file, 'an older plan', { mode: 0o666 });
  chmodSync(file, 0o666);
  const before = readdirSync(trial.folder).toSorted();
  expect(await trial.cli('plan', '--out', file)).toMatchObject({ code: 2 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ plans: [{}] });
  expect(readdirSync(trial.folder).toSorted()).toEqual(before);
});

test('a plan behind a link is for its owner alone', async () => {
  const trial = await createBusyTrial();
  const [file, link] = [join(trial.folder, 'plan.json'), join(trial.folder, 'link')];
  writeFileSync(file, '');
  chmodSync(file, 0o644);
  symlinkSync(file, link);
  expect(await trial.cli('plan', '--out', link)).toMatchObject({ code: 2 });
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('plan --show prints a saved plan as plan did, and asks neither side', async () => {
  const trial = await createBusyTrial();
  const file = join(trial.folder, 'plan.json');
  const fresh = await trial.cli('plan', '--out', file);
  const { code, stdout, stderr } = await trial.cli('plan', '--show', file);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [head, ...changes] = stdout.split('\n').slice(0, -3);
  expect(head).toBe('prospects: 4 changes of 4 records');
  expect(changes).toEqual(fresh.stdout.split('\n').slice(1, -1));
  expect(stdout).toMatch(/\n\nsaved 2026-11-21 09:00:\d\dZ; leadsheet apply \S*plan.json does exactly this\n$/);
  const json = savedPlanAnswer.parse(JSON.parse((await trial.cli('plan', '--show', file, '--json')).stdout));
  const planned = planAnswer.parse(JSON.parse((await trial.cli('plan', '--json')).stdout));
  expect(json.plans.map(({ changes: saved }) => saved)).toEqual(planned.syncs.map(({ changes: all }) => all));
});

test('plan --show asks neither side, even where both fail', async () => {
  const trial = await createBusyTrial();
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  trial.atEachInstant((what) => {
    if (typeof what !== 'string') throw new Error(`asked ${what.url}`);
  });
  expect(await trial.cli('plan', '--show', file)).toMatchObject({ code: 0, stderr: '' });
  expect(await trial.cli('plan')).toMatchObject({ code: 1 });
});

test.each([
  [
    'a file that is not there',
    [],
    1,
    /^leadsheet: the plan \S+ cannot be read \(ENOENT\)\n$/,
    (file: string) => `${file}x`,
  ],
  ['a job that it has no plan of', ['other'], 64, /^leadsheet: \S+ has no plan of other; it has prospects\n$/, String],
  [
    '--out beside it',
    ['--out', 'x'],
    64,
    /^leadsheet: option '--show <file>' cannot be used with option '--out <file>'\n$/,
    String,
  ],
])('plan --show refuses %s in one line', async (_, options, code, message, fileOf) => {
  const trial = await createBusyTrial();
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  const shown = await trial.cli('plan', '--show', fileOf(file), ...options);
  expect(shown).toMatchObject({ code, stdout: '' });
  expect(shown.stderr).toMatch(message);
});

test('a long plan ends with a summary: counts by kind and side, why it is held, problems, cost; a short one has none', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `p${index}`);
  const trial = createSyncTrial({ sync: { on_contact_deleted: 'delete_row', limits: { deletes: '20%' } } });
  for (const name of names) trial.addContact({ first_name: name, email: `${name}@firm.io` });
  const first = await trial.cli('plan');
  expect(first.stdout).toMatch(
    /\n\nprospects, in all:\n {2}30 rows to append to the sheet\n {2}\d+ calls? to the service, \d+ reads and \d+ writes? of the sheet, about \d+ s\n$/,
  );
  await trial.cli('sync');
  for (const { uuid } of trial.contacts().slice(0, 25)) trial.service.model.contacts.remove(uuid);
  trial.type('p29@firm.io', 'Company', 'New');
  const held = await trial.cli('plan', '--full');
  expect(held.stdout).toMatch(
    /\n\nprospects, in all:\n {2}1 contact to update in the service\n {2}25 rows to DELETE from the sheet\n {2}nothing of it would be written: 25 .*\(.*\)\n {2}\d+ calls.*\n$/,
  );
  const short = createSyncTrial();
  short.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  expect((await short.cli('plan')).stdout).not.toContain('in all');
});

test('W13: apply of a paused sync names who paused it, and applies with --even-if-paused', async () => {
  const trial = await createBusyTrial();
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  await trial.cli('pause', 'prospects', '--reason', 'moving house');
  const before = trial.writes();
  expect(await trial.cli('apply', file)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^leadsheet: prospects is paused by ann since \S+ \(moving house\): leadsheet resume prospects; to run it once all the same: --even-if-paused\n$/,
    ),
  });
  expect(trial.writes()).toEqual(before);
  expect(await trial.cli('apply', file, '--even-if-paused')).toMatchObject({ code: 0 });
  expect(trial.grid().map((row) => row['Company'])).toContain('Other');
  expect((await trial.cli('status')).stdout).toContain('paused by ann');
});

test('W13: a pause that replaces another one says whose that was', async () => {
  const trial = createSyncTrial();
  await trial.run();
  expect(await trial.cli('pause', 'prospects', '--reason', 'moving house')).toMatchObject({ code: 0, stderr: '' });
  const { code, stdout, stderr } = await trial.cli('pause', 'prospects', '--for', '1h');
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^prospects: paused until 20/) });
  expect(stderr).toMatch(
    /^leadsheet: prospects was paused by ann since \S+ \(moving house\): this one replaces that\n$/,
  );
});

test('W13: a saved undo is not applied to a paused sync, and is once the pause is over', async () => {
  const trial = await createBusyTrial();
  const { stdout } = await trial.cli('sync', '--json');
  const { run } = syncAnswer.parse(JSON.parse(stdout)).syncs[0]!;
  const file = join(trial.folder, 'undo.json');
  await trial.cli('undo', run, '--out', file);
  await trial.cli('pause', 'prospects', '--for', '1h');
  expect(await trial.cli('apply', file)).toMatchObject({ code: 1, stdout: '' });
  vi.advanceTimersByTime(3_700_000);
  expect((await trial.cli('apply', file)).stdout).toContain('prospects: ');
});
