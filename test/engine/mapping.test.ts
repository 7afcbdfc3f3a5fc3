// Changes of the mapping between two processes.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import delay from 'delay';
import { describe, expect, it } from 'vitest';
import { createSyncTrial, defaultColumns, inOrder, spreadsheetId, tabTitle } from '../support/app.ts';

it('M9, L5: a column that joined the mapping gets the values of contacts that did not change', async () => {
  const { Company: _company, ...columns } = defaultColumns;
  const trial = createSyncTrial({ columns, values: [[...Object.keys(columns), 'Company']] });
  trial.addContact({ first_name: 'Ann', last_name: 'Lee', company_name: 'Acme', email: 'ann@firm.io' });
  await trial.run();
  // A scan for changes goes back ten minutes before the last run that had something to write.
  await delay(3_600_000);
  trial.addContact({ first_name: 'Bob', company_name: 'Baltic', email: 'bob@firm.io' });
  await trial.run();
  await delay(3_600_000);
  const file = parse(readFileSync(trial.configFile, 'utf8')) as {
    syncs: { prospects: { columns: Record<string, unknown> } };
  };
  file.syncs.prospects.columns['Company'] = 'company_name';
  writeFileSync(trial.configFile, stringify(file));
  await trial.start();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 2 } });
  expect(trial.rowOf('ann@firm.io')['Company']).toBe('Acme');
});

it('M9, L3: after a column left the mapping, the other columns keep their own base', async () => {
  const trial = createSyncTrial({ sync: { conflict: 'crm' } });
  trial.addContact({ first_name: 'Ann', last_name: 'Lee', company_name: 'Acme', email: 'ann@firm.io' });
  await trial.run();
  const file = parse(readFileSync(trial.configFile, 'utf8')) as {
    syncs: { prospects: { columns: Record<string, unknown> } };
  };
  delete file.syncs.prospects.columns['First name'];
  writeFileSync(trial.configFile, stringify(file));
  await trial.start();
  await trial.run();
  await trial.start();
  trial.type('ann@firm.io', 'Last name', 'Leigh');
  const report = await trial.run();
  expect(report).toMatchObject({ status: 'succeeded', counts: { updated: 1, conflicts: 0 } });
  expect(trial.contactOf('ann@firm.io')).toMatchObject({ last_name: 'Leigh', company_name: 'Acme' });
});

const columnsWith = (company: Readonly<Record<string, unknown>>) => ({
  ...defaultColumns,
  Company: { field: 'company_name', ...company },
});

/** Options of the sync, in the words of the file. */
function setSync(trial: { readonly configFile: string }, options: Readonly<Record<string, unknown>>): void {
  const file = parse(readFileSync(trial.configFile, 'utf8')) as { syncs: { prospects: object } };
  file.syncs.prospects = { ...file.syncs.prospects, ...options };
  writeFileSync(trial.configFile, stringify(file));
}

function setColumns(trial: { readonly configFile: string }, columns: Readonly<Record<string, unknown>>): void {
  const file = parse(readFileSync(trial.configFile, 'utf8')) as { syncs: { prospects: { columns: unknown } } };
  file.syncs.prospects.columns = columns;
  writeFileSync(trial.configFile, stringify(file));
}

const changedDirections = [
  { from: 'to_crm', to: 'both', crm: 'Acme', sheet: '', becomes: 'Acme' },
  { from: 'to_crm', to: 'both', crm: 'Acme', sheet: 'Old', becomes: 'Acme' },
  { from: 'to_crm', to: 'both', crm: '', sheet: 'Old', becomes: '' },
  { from: 'to_crm', to: 'to_sheet', crm: 'Acme', sheet: 'Old', becomes: 'Acme' },
] as const;

/** A contact and a row that differ in a column that is not read on the other side, and that no run looks at any more. */
async function createSettled({ from, crm, sheet }: Pick<(typeof changedDirections)[number], 'from' | 'crm' | 'sheet'>) {
  const trial = createSyncTrial({ columns: columnsWith({ direction: from }) });
  const email = 'ann@firm.io';
  trial.addContact({ first_name: 'Ann', company_name: sheet, email });
  trial.addContact({ first_name: 'Bob', email: 'bob@firm.io' });
  await trial.run();
  if (sheet) trial.type(email, 'Company', sheet);
  await trial.run();
  trial.change(email, { company_name: crm });
  // A scan for changes goes back ten minutes before the last run that had something to write.
  for (let runs = 0; runs < 3; runs += 1) {
    await delay(3_600_000);
    await trial.run();
  }
  const companies = () => ({
    crm: trial.contactOf(email)['company_name'] ?? '',
    sheet: trial.rowOf(email)['Company'] ?? '',
  });
  expect(companies()).toEqual({ crm, sheet });
  return { ...trial, email, companies };
}

it.each(changedDirections)(
  'M9, L5: a column that was $from and is $to is merged in records that neither side changed ("$crm", "$sheet")',
  async ({ to, becomes, ...settled }) => {
    const trial = await createSettled(settled);
    setColumns(trial, columnsWith({ direction: to }));
    await trial.start();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 1 } });
    expect(trial.companies()).toEqual({ crm: becomes, sheet: becomes });
    await trial.start();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 0, updated: 0 } });
  },
);

it('M9, L5, S8: after an undo under the changed direction, and after a run that failed, the column is merged', async () => {
  const trial = await createSettled(changedDirections[1]);
  trial.change('bob@firm.io', { first_name: 'Robert' });
  const { run } = await trial.run();
  setColumns(trial, columnsWith({ direction: 'both' }));
  expect(await trial.cli('undo', run, '--yes')).toMatchObject({ code: 0 });
  expect(trial.contactOf(trial.email)['company_name']).toBe('Acme');
  await trial.start();
  trial.service.faults.inject({ kind: 'status', status: 403, operation: 'contacts.search' });
  expect(await trial.run()).toMatchObject({ status: 'failed' });
  await trial.start();
  expect(await trial.run()).toMatchObject({ status: 'succeeded' });
  expect(trial.companies()).toEqual({ crm: 'Acme', sheet: 'Acme' });
});

/** More contacts than one page has. All had the company before the column of companies joined the mapping, which no run knows yet. */
async function createBeforeJoining() {
  const { Company: company, ...columns } = defaultColumns;
  const limits = { changes: '100%' };
  const trial = createSyncTrial({ columns, values: [[...Object.keys(columns), 'Company']], sync: { limits } });
  for (let index = 0; index < 120; index += 1) trial.addContact({ company_name: 'Acme', email: `p${index}@firm.io` });
  await trial.run();
  // A scan for changes goes back ten minutes before the last run that had something to write.
  await delay(3_600_000);
  trial.change('p0@firm.io', { last_name: 'Lo' });
  const { run } = await trial.run();
  await delay(3_600_000);
  await trial.run();
  setColumns(trial, { ...columns, Company: company });
  await trial.start();
  const filled = () => trial.grid().filter((row) => row['Company'] === 'Acme').length;
  return { ...trial, earlier: run, filled };
}

type BeforeJoining = Awaited<ReturnType<typeof createBeforeJoining>>;

/** Runs that store the new order of the fields, and do not merge every contact. */
const firstRuns: Readonly<Record<string, (trial: BeforeJoining) => Promise<unknown>>> = {
  'an undo': (trial) => trial.cli('undo', trial.earlier, '--yes'),
  async 'a run with a failed page'(trial) {
    let pages = 0;
    const matches = () => (pages += 1) > 1;
    trial.service.faults.inject({ kind: 'status', status: 503, times: 5, operation: 'contacts.search', matches });
    await trial.run();
  },
  async 'a run that was killed'(trial) {
    trial.type('p0@firm.io', 'Last name', 'Typed');
    let isSent = false;
    trial.atEachInstant((what) => {
      if (!(what instanceof Request)) return;
      if (isSent && what.url.includes('/v4/spreadsheets/')) trial.kill();
      isSent ||= what.method === 'PUT';
    });
    await trial.attempt({});
    trial.atEachInstant(() => {});
  },
};

it.each(Object.keys(firstRuns))(
  'M9, L5, L14: after a column joined, contacts that did not change get its values, also where %s comes first',
  async (first) => {
    const trial = await createBeforeJoining();
    const before = trial.contactOf('p0@firm.io')['updated_at'];
    await firstRuns[first]!(trial);
    expect(trial.contactOf('p0@firm.io')['updated_at'] === before).toBe(first === 'a run with a failed page');
    expect(trial.filled()).toBeLessThan(120);
    await trial.start();
    expect(await trial.run()).toMatchObject({ isFull: true });
    expect(trial.filled()).toBe(120);
    await delay(3_600_000);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', isFull: false });
  },
);

it.each([
  ['the next run', undefined, []],
  ['the next run, or after a failed page the one behind it,', 'contacts.search', ['partial']],
] as const)('L5, M9: after the filter became wider, %s gives every contact its row', async (_which, fails, first) => {
  const filter = { status: 'ok' };
  const sync = { contacts: { list: 'Prospects', filter } };
  const trial = createSyncTrial({ sync, switches: { pageRowsMax: 2 } });
  const people = ['Ann', 'Bob', 'Cy', 'Dee'];
  for (const [index, name] of people.entries()) {
    trial.addContact({ first_name: name, email: `${name}@firm.io` });
    trial.change(`${name}@firm.io`, { status: index % 2 === 0 ? 'ok' : 'bounced' });
  }
  await trial.run();
  // A scan for changes goes back ten minutes before the last run that had something to write.
  await delay(3_600_000);
  trial.change('Ann@firm.io', { last_name: 'Lee' });
  await trial.run();
  await delay(3_600_000);
  expect(trial.grid().map((row) => row['First name'])).toEqual(['Ann', 'Cy']);
  writeFileSync(trial.configFile, readFileSync(trial.configFile, 'utf8').replace(/\n +filter:\n +status: ok\n/, '\n'));
  await trial.start();
  const statuses: string[] = [];
  if (fails !== undefined) {
    let pages = 0;
    const matches = () => (pages += 1) > 1;
    trial.service.faults.inject({ kind: 'status', status: 503, times: 999, operation: fails, matches });
    statuses.push((await trial.run()).status);
    trial.service.faults.clear();
  }
  await trial.run();
  expect([statuses, inOrder(trial.grid().map((row) => row['First name']))]).toEqual([first, people]);
});

it.each(['columns', 'status_column'] as const)(
  'L13, M9: what people typed under another header into a column that left the mapping stays when %s has such a column again',
  async (where) => {
    const place = { spreadsheet: spreadsheetId, tab: tabTitle };
    const status = { sheet: { ...place, status_column: 'Sync' } };
    const { Company: company, ...others } = defaultColumns;
    const trial = createSyncTrial({ sync: { conflict: 'crm', ...status } });
    trial.addContact({ first_name: 'Ann', company_name: 'Acme', email: 'ann@firm.io' });
    trial.addContact({ first_name: 'Bob', email: 'bob@firm.io' });
    await trial.run();
    const header = where === 'columns' ? 'Company' : 'Sync';
    const letter = String.fromCodePoint(65 + trial.columnIndexOf(header));
    setSync(trial, where === 'columns' ? { columns: others } : { sheet: place });
    await trial.start();
    await trial.run();
    const remarks = [['Remarks'], ['call back'], ['met in May']];
    trial.person.paste(`'${tabTitle}'!${letter}1`, remarks);
    await trial.run();
    setSync(trial, { columns: { ...others, Company: company }, ...status });
    await trial.start();
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.person.read(`'${tabTitle}'!${letter}1:${letter}3`)).toEqual(remarks);
    expect(trial.contactOf('bob@firm.io')['company_name'] ?? '').toBe('');
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'Acme', Sync: 'in sync' });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 0, updated: 0 } });
  },
);

it.each(['Sync', 'Automation', 'Enrolment'])(
  'G1, W11, L12: a second column with the header %s holds the run: of two neither is read or written',
  async (header) => {
    const sheet = { spreadsheet: spreadsheetId, tab: tabTitle, status_column: 'Sync' };
    const automation = { column: 'Automation' };
    const values = [[...Object.keys(defaultColumns), 'Automation', 'Enrolment']];
    const trial = createSyncTrial({ values, sync: { sheet, automation } });
    trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
    trial.addContact({ first_name: 'Ann', company_name: 'Acme', email: 'ann@firm.io' });
    await trial.run();
    const free = String.fromCodePoint(65 + trial.person.read(`'${tabTitle}'!1:1`)[0]!.length);
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    trial.person.paste(`'${tabTitle}'!${free}1`, [[header]]);
    const { status, holds } = await trial.run();
    expect(status).toBe('failed');
    expect(holds.map(({ rule, reason }) => `${rule} ${reason}`)).toEqual([
      `G1 header there twice: ${header}; rename one of them`,
    ]);
    trial.person.clear(`'${tabTitle}'!${free}1`);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { enrolled: 1 } });
    expect(trial.rowOf('ann@firm.io')['Sync']).toBe('in sync');
  },
);

it('G1, M9, L12: a header that the mapping gives to another field in one step holds the run, which says how to go on', async () => {
  const { Company: company, ...others } = defaultColumns;
  const remapped = { ...others, Company: 'position', Firm: company };
  const trial = createSyncTrial();
  trial.addContact({ first_name: 'Ann', company_name: 'Acme', email: 'ann@firm.io' });
  await trial.run();
  setColumns(trial, remapped);
  await trial.start();
  const { status, holds } = await trial.run();
  expect(status).toBe('failed');
  expect(holds[0]?.reason).toContain('if the mapping gave a header to another field, take these columns out');
  setColumns(trial, others);
  await trial.start();
  expect(await trial.run()).toMatchObject({ status: 'succeeded' });
  setColumns(trial, remapped);
  await trial.start();
  expect(await trial.run()).toMatchObject({ status: 'succeeded' });
  expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'Acme', Firm: 'Acme' });
});

it.each([
  ['columns', ['Company', 'Position']],
  ['automation', ['Campaign']],
  ['status_column', ['Remarks']],
])(
  'G1, L12: where %s names another column of the tab in one step, the hold and check say so, and not that a header is there twice',
  async (where, headers) => {
    const place = { spreadsheet: spreadsheetId, tab: tabTitle };
    const columns = { ...defaultColumns, Position: 'position' };
    const values = [[...Object.keys(columns), 'Automation', 'Campaign', 'Remarks']];
    const sync = { sheet: { ...place, status_column: 'Sync' }, automation: { column: 'Automation' } };
    const trial = createSyncTrial({ columns, values, sync });
    trial.addContact({ first_name: 'Ann', company_name: 'Acme', email: 'ann@firm.io' });
    await trial.run();
    const changed = {
      columns: { columns: { ...columns, Company: 'position', Position: 'company_name' } },
      automation: { automation: { column: 'Campaign' } },
      status_column: { sheet: { ...place, status_column: 'Remarks' } },
    };
    setSync(trial, changed[where as keyof typeof changed]);
    await trial.start();
    const { status, holds } = await trial.run();
    expect(status).toBe('failed');
    const remedy =
      'put it back, or, if the mapping gave a header to another field, take these columns out of it for one run';
    const reason = `header above another column than before: ${headers.join(', ')}; ${remedy}`;
    expect(holds.map((hold) => hold.reason)).toEqual([reason]);
    const quoted = headers.map((header) => `"${header}"`).join(', ');
    expect((await trial.cli('check')).stdout).toContain(`above another column than before: ${quoted}; ${remedy}`);
  },
);

it.each([
  ['first run', false],
  ['later run', true],
])(
  'G1, L1: a column of people that is named for the statuses stops a %s, before its texts are written over',
  async (_when, hasRun) => {
    const place = { spreadsheet: spreadsheetId, tab: tabTitle };
    const values = [
      [...Object.keys(defaultColumns), 'Remarks'],
      ['Ann', 'Lee', 'Acme', 'ann@firm.io', '', 'call back'],
    ];
    const trial = createSyncTrial({ values });
    if (hasRun) await trial.run();
    setSync(trial, { sheet: { ...place, status_column: 'Remarks' } });
    await trial.start();
    const { status, holds } = await trial.run();
    expect(status).toBe('failed');
    expect(holds.map(({ reason }) => reason)).toEqual([
      'the column "Remarks" is to take the statuses, and holds texts of people in row 2: name another header as status_column, or clear these cells',
    ]);
    expect((await trial.cli('plan')).stdout).toContain('is to take the statuses, and holds texts of people');
    expect(trial.rowOf('ann@firm.io')['Remarks']).toBe('call back');
    trial.type('ann@firm.io', 'Remarks', '');
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.rowOf('ann@firm.io')['Remarks']).toBe('in sync');
    // Later on, what somebody types there is the text of a status cell.
    trial.type('ann@firm.io', 'Remarks', 'typed');
    trial.type('ann@firm.io', 'Last name', 'Ames');
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
  },
);

it('G1, I9: what somebody typed over one of the statuses stops no run of a state that was lost', async () => {
  const trial = createSyncTrial({
    values: [Object.keys(defaultColumns), ['Ann', 'Lee', 'Acme', 'ann@firm.io'], ['Bob', 'Fox', 'Acme', 'bob@firm.io']],
    sync: { sheet: { spreadsheet: spreadsheetId, tab: tabTitle, status_column: 'Remarks' } },
  });
  await trial.run();
  trial.type('ann@firm.io', 'Remarks', 'call back');
  trial.kill();
  rmSync(join(trial.folder, 'state'), { recursive: true });
  await trial.start();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [] });
});

it('G1, L8: a column of people that numbers the rows and is named for the IDs stops a first run, and no contact gets a second row', async () => {
  const place = { spreadsheet: spreadsheetId, tab: tabTitle };
  const people = [
    ['Ann', 'Lee', 'Acme', 'ann@firm.io', '', 1],
    ['Bob', 'Fox', 'Acme', 'bob@firm.io', '', 2],
  ];
  const values = [[...Object.keys(defaultColumns), 'No.'], ...people];
  const trial = createSyncTrial({ values, sync: { sheet: { ...place, id_column: 'No.' } } });
  trial.addContact({ first_name: 'Ann', last_name: 'Lee', company_name: 'Acme', email: 'ann@firm.io' });
  const { status, holds } = await trial.run();
  expect({ status, holds }).toMatchObject({
    status: 'failed',
    holds: [
      {
        reason:
          'the column "No." is to take the IDs of the contacts, and holds texts of people in row 2, row 3: name another header as id_column, or clear these cells',
      },
    ],
  });
  expect(trial.grid()).toHaveLength(2);
  setSync(trial, { sheet: place });
  await trial.start();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1, appended: 0 } });
  expect(inOrder(trial.grid().map((row) => String(row['No.'])))).toEqual(['1', '2']);
});

it('G1, L1: a column of people that is named for the results of the wishes stops the run', async () => {
  const values = [
    [...Object.keys(defaultColumns), 'Campaign', 'Remarks'],
    ['Ann', 'Lee', 'Acme', 'ann@firm.io', '', 'Welcome', 'call back'],
  ];
  const trial = createSyncTrial({ values });
  trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
  await trial.run();
  setSync(trial, { automation: { column: 'Campaign', result_column: 'Remarks' } });
  await trial.start();
  expect(await trial.run()).toMatchObject({
    status: 'failed',
    holds: [{ reason: expect.stringContaining('"Remarks" is to take what came of the wishes, and holds texts') }],
  });
  expect(trial.rowOf('ann@firm.io')['Remarks']).toBe('call back');
  trial.type('ann@firm.io', 'Remarks', '');
  await trial.run();
  expect(trial.rowOf('ann@firm.io')['Remarks']).toBe('held: the state or the column is new, approve it once');
  await trial.cli('approve', 'prospects', '--yes');
  await trial.run();
  expect(trial.rowOf('ann@firm.io')['Remarks']).toContain('enrolled');
});

it.each([
  { to: 'to_sheet', becomes: 'Acme' },
  { to: 'to_crm', becomes: 'Typed' },
] as const)(
  'M9, M6: what the service did not store while the column was both ways is tried under the new direction, $to',
  async ({ to, becomes }) => {
    const trial = createSyncTrial({ columns: columnsWith({}), switches: { updateIgnores: ['company_name'] } });
    trial.addContact({ first_name: 'Ann', company_name: 'Acme', email: 'ann@firm.io' });
    await trial.run();
    trial.type('ann@firm.io', 'Company', 'Typed');
    for (let runs = 0; runs < 4; runs += 1) await trial.run({ isFull: true });
    expect(await trial.run()).toMatchObject({ problems: [{ kind: 'parked', rule: 'M6' }] });
    trial.service.switches.updateIgnores = [];
    setColumns(trial, columnsWith({ direction: to }));
    await trial.start();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expect([trial.contactOf('ann@firm.io').company_name, trial.rowOf('ann@firm.io')['Company']]).toEqual([
      becomes,
      becomes,
    ]);
  },
);

describe('M9, M4, L1: what the service did not store while the column was only sent is no agreed value once it is both ways', () => {
  const email = 'ann@firm.io';

  /** What was sent first is stored, and no later one. */
  async function turned(first: string, typed: readonly string[]) {
    const trial = createSyncTrial({ columns: columnsWith({ direction: 'to_crm' }) });
    trial.addContact({ first_name: 'Ann', company_name: 'Acme', email });
    await trial.run();
    trial.type(email, 'Company', first);
    await trial.run();
    trial.service.switches.updateIgnores = ['company_name'];
    for (const text of typed) trial.type(email, 'Company', text);
    for (let runs = 0; runs < 4; runs += 1) await trial.run();
    setColumns(trial, columnsWith({}));
    await trial.start();
    for (let runs = 0; runs < 4; runs += 1) await trial.run();
    const { problems } = await trial.run();
    const sides = () => [trial.contactOf(email).company_name ?? '', trial.rowOf(email)['Company'] ?? ''];
    return { ...trial, problems, sides };
  }

  it.each([
    { what: 'a value', typed: ['Typed'] },
    { what: 'a blank', typed: ['Typed', ''] },
  ])('M6: $what stays in its cell, is named, and is sent on `retry`', async ({ typed }) => {
    const trial = await turned('Acme', typed);
    expect(trial.sides()).toEqual(['Acme', typed.at(-1)]);
    expect(trial.problems).toMatchObject([{ kind: 'parked', rule: 'M6', field: 'company_name' }]);
    trial.service.switches.updateIgnores = [];
    await trial.cli('retry', trial.problems[0]!.id);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.sides()).toEqual([typed.at(-1), typed.at(-1)]);
  });

  it('M1: where no value of the cell was ever stored, it is a conflict', async () => {
    const trial = await turned('', ['Typed']);
    expect(trial.sides()).toEqual(['Acme', 'Typed']);
    expect(trial.problems).toMatchObject([{ kind: 'conflict', rule: 'M1', field: 'company_name' }]);
  });
});

it.each([
  { direction: 'to_sheet', crm: '', sheet: 'Acme' },
  { direction: 'to_crm', crm: 'Acme', sheet: '' },
] as const)(
  'M9, L5, M3: what a blank side did not empty while blanks were ignored is emptied once they are synced, $direction',
  async ({ direction, crm, sheet }) => {
    const email = 'ann@firm.io';
    const trial = createSyncTrial({ columns: columnsWith({ direction, blank: 'ignore' }) });
    trial.addContact({ first_name: 'Ann', company_name: 'Acme', email });
    await trial.run();
    trial.type(email, 'Company', 'Acme');
    await trial.run();
    if (direction === 'to_crm') trial.type(email, 'Company', '');
    else trial.change(email, { company_name: '' });
    for (let runs = 0; runs < 3; runs += 1) {
      await delay(3_600_000);
      await trial.run();
    }
    const companies = () => [trial.contactOf(email)['company_name'] ?? '', trial.rowOf(email)['Company'] ?? ''];
    expect(companies()).toEqual([crm, sheet]);
    setColumns(trial, columnsWith({ direction, blank: 'sync' }));
    await trial.start();
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded' });
    expect(companies()).toEqual(['', '']);
  },
);
