// What people do for the look of a sheet: they merge cells of one column, or of one row. The covered cell shows nothing.
import { expect, it } from 'vitest';
import { createSyncTrial, spreadsheetId, tabTitle } from '../support/app.ts';
import { createEnrolmentTrial } from './enrolment/support.ts';

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
const sheet = { spreadsheet: spreadsheetId, tab: tabTitle, status_column: 'Sync' };
const rows = ['ann', 'bob', 'cy', 'dan', 'eve', 'flo'].map((name) => [name, 'Lee', 'Firm', `${name}@firm.io`, '']);

async function inSync(sync: Readonly<Record<string, unknown>> = {}) {
  const trial = createSyncTrial({ values: [header, ...rows], sync: { sheet, ...sync } });
  await trial.run();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
  const merge = (headerText: string, from: number, to: number, width = 1) => {
    const startColumnIndex = trial.columnIndexOf(headerText);
    const range = {
      sheetId: 7,
      startRowIndex: from - 1,
      endRowIndex: to,
      startColumnIndex,
      endColumnIndex: startColumnIndex + width,
    };
    trial.person.request({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
    return range;
  };
  return { ...trial, merge };
}

it('V3, L1, L7: a cell that people merged into the one above empties no contact, and is named by every run', async () => {
  const trial = await inSync();
  trial.merge('Company', 2, 4);
  for (let run = 0; run < 3; run += 1) {
    const { status, problems } = await trial.run({ isFull: run === 1 });
    expect({ status, problems }).toMatchObject({
      status: 'partial',
      problems: [
        { kind: 'unreadable', rule: 'V4', row: 3, field: 'company_name' },
        { kind: 'unreadable', rule: 'V4', row: 4, field: 'company_name' },
      ],
    });
    expect(problems[0]!.reason).toContain('merged');
    if (run === 1) await trial.start();
  }
  expect(trial.contacts().map(({ company_name }) => company_name)).toEqual(rows.map(() => 'Firm'));
  expect(String(trial.rowOf('bob@firm.io')['Sync'])).toContain('merged');
  const { stdout } = await trial.cli('explain', 'bob@firm.io');
  expect(stdout).toContain('merged');
});

it.each([1, 2, 4])(
  'V3, W18: nor after %i runs that had nothing to do, which read the tab without the base',
  async (quiet) => {
    const trial = await inSync();
    for (let run = 0; run < quiet; run += 1) await trial.run();
    trial.merge('Company', 2, 3);
    expect(await trial.run()).toMatchObject({ problems: [{ kind: 'unreadable', rule: 'V4', row: 3 }] });
    expect(trial.contacts().map(({ company_name }) => company_name)).toEqual(rows.map(() => 'Firm'));
  },
);

it('V3, L4: other edits of such a row go through, on both sides', async () => {
  const trial = await inSync();
  trial.merge('Company', 2, 3);
  await trial.run();
  trial.type('bob@firm.io', 'Last name', 'Ray');
  trial.change('bob@firm.io', { first_name: 'Robert' });
  await trial.run();
  expect(trial.contactOf('bob@firm.io')).toMatchObject({
    first_name: 'Robert',
    last_name: 'Ray',
    company_name: 'Firm',
  });
  expect(trial.rowOf('bob@firm.io')).toMatchObject({ 'First name': 'Robert', 'Last name': 'Ray' });
});

it('V3: cells of one row that are merged, over its key too', async () => {
  const trial = await inSync();
  trial.merge('First name', 3, 3, 4);
  await trial.run();
  const [, bob] = trial.contacts();
  expect(bob).toMatchObject({ first_name: 'bob', last_name: 'Lee', company_name: 'Firm', work_email: 'bob@firm.io' });
  expect(trial.contacts()).toHaveLength(rows.length);
});

it.each([
  ['left blank', undefined, 'Firm'],
  ['typed again', 'Firm', 'Firm'],
])('V3, L1, G4: once the merge is undone, a cell that is %s has its value', async (_, typed, company) => {
  const trial = await inSync();
  const range = trial.merge('Company', 2, 3);
  await trial.run();
  await trial.run();
  trial.person.request({ unmergeCells: { range } });
  if (typed !== undefined) trial.type('bob@firm.io', 'Company', typed);
  await trial.run();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [], counts: { updated: 0, set: 0 } });
  expect(trial.rowOf('bob@firm.io')).toMatchObject({ Company: company, Sync: 'in sync' });
  expect(trial.contactOf('bob@firm.io')).toMatchObject({ company_name: company });
});

it('V3, L1: what is changed in the service meanwhile is in the cell then, and one typed over it is a conflict', async () => {
  const trial = await inSync();
  const range = trial.merge('Company', 2, 4);
  await trial.run();
  trial.change('bob@firm.io', { company_name: 'Elsewhere' });
  await trial.run();
  trial.person.request({ unmergeCells: { range } });
  trial.type('cy@firm.io', 'Company', 'New');
  const { problems } = await trial.run();
  expect(problems).toMatchObject([{ kind: 'conflict', row: 4, field: 'company_name' }]);
  expect(trial.rowOf('bob@firm.io')).toMatchObject({ Company: 'Elsewhere' });
  expect(trial.contactOf('cy@firm.io')).toMatchObject({ company_name: 'Firm' });
});

it('M3, W9: a cell that a person cleared beside a merge is blank, and costs one read more in its run alone', async () => {
  const trial = await inSync();
  const readsOf = async () => {
    const before = trial.sheets.log.counters.reads;
    await trial.run();
    return trial.sheets.log.counters.reads - before;
  };
  trial.merge('Email', 8, 9);
  const [idle, edited] = [
    await readsOf(),
    await (async () => (trial.type('eve@firm.io', 'First name', 'Eva'), readsOf()))(),
  ];
  trial.type('eve@firm.io', 'Company', '');
  expect(await readsOf()).toBe(edited + 1);
  expect(trial.contactOf('eve@firm.io').company_name ?? '').toBe('');
  await trial.run();
  expect(await readsOf()).toBe(idle);
});

/** Whole rows, each column by itself: the ID column is hidden, and is merged with the others. */
async function withMergedRows(policy: string) {
  const trial = createSyncTrial({
    values: [header, ...Array.from({ length: 20 }, (_, at) => [`P${at}`, 'Lee', 'Firm', `p${at}@firm.io`, ''])],
    sync: { sheet, on_row_deleted: policy },
  });
  await trial.run();
  await trial.run();
  const range = { sheetId: 7, startRowIndex: 1, endRowIndex: 3, startColumnIndex: 0, endColumnIndex: 12 };
  trial.person.request({ mergeCells: { range, mergeType: 'MERGE_COLUMNS' } });
  return trial;
}

it('V3, L7, D1: a row that people merged with the one above is not deleted in the service, and is named', async () => {
  const trial = await withMergedRows('delete_contact');
  for (const isFull of [false, true, false]) {
    expect(await trial.run({ isFull })).toMatchObject({
      status: 'partial',
      counts: { deleted: 0 },
      problems: [{ kind: 'held', rule: 'V3', reason: expect.stringContaining('merged cells cover IDs below row 2') }],
    });
  }
  expect(trial.contacts()).toHaveLength(20);
  const { stdout } = await trial.cli('status');
  expect(stdout).not.toMatch(/the outcome of a write is unknown|the next run tries again/);
});

it('D1: a row that is merged within itself, such as a heading, keeps no contact of a deleted row', async () => {
  const trial = await inSync({ on_row_deleted: 'delete_contact' });
  trial.person.paste(`'${tabTitle}'!A8`, [['Europe']]);
  trial.merge('First name', 8, 8, 9);
  trial.merge('First name', 9, 9, 9);
  trial.person.clear(`'${tabTitle}'!A8`);
  trial.person.request({ deleteDimension: { range: { sheetId: 7, dimension: 'ROWS', startIndex: 2, endIndex: 3 } } });
  await trial.run();
  expect(trial.contacts().map(({ first_name }) => first_name)).not.toContain('bob');
});

it('V3, E5, W9: a wish that people merged into the one above cancels nothing, and is named', async () => {
  const trial = createEnrolmentTrial({ automation: { on_clear: 'cancel' } });
  await trial.linked('ann@firm.io', 'bob@firm.io');
  for (const email of ['ann@firm.io', 'bob@firm.io']) trial.type(email, 'Automation', 'Welcome');
  await trial.run();
  const before = trial.enrolled();
  expect(before).toHaveLength(2);
  const startColumnIndex = trial.columnIndexOf('Automation');
  const range = {
    sheetId: 7,
    startRowIndex: 1,
    endRowIndex: 3,
    startColumnIndex,
    endColumnIndex: startColumnIndex + 1,
  };
  trial.person.request({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
  for (let run = 0; run < 2; run += 1) {
    expect(await trial.run()).toMatchObject({
      status: 'partial',
      problems: [
        {
          kind: 'held',
          rule: 'V3',
          row: 3,
          reason: expect.stringContaining('merged cells cover the cell of its wish'),
        },
      ],
    });
  }
  const { stdout } = await trial.cli('explain', 'bob@firm.io');
  expect(stdout).toContain('correct what the reason names');
  expect(stdout).not.toMatch(/the outcome of a write is unknown|the next run tries again/);
  expect(trial.enrolled()).toEqual(before);
  // W9: each run finds it anew, as long as the cells are merged.
  const told = (await trial.history()).length;
  await trial.run();
  expect(await trial.history()).toHaveLength(told);
  expect((await trial.history()).filter(({ op }) => op === 'cancel')).toEqual([]);
  expect(trial.resultOf('bob@firm.io')).toMatch(/^waiting: merged cells cover/);
  trial.person.request({ unmergeCells: { range } });
  trial.type('bob@firm.io', 'Automation', 'Welcome');
  expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [], counts: { enrolled: 0 } });
  expect(trial.enrolled()).toEqual(before);
});

it('V3, M4, L7: a covered cell of a column that is only sent gets no value back, and says so', async () => {
  const columns = { 'First name': 'first_name', Email: 'email', Segment: { custom_field: 'segment' } };
  const trial = createSyncTrial({
    columns,
    values: [Object.keys(columns), ['ann', 'ann@firm.io', 'A'], ['bob', 'bob@firm.io', 'A']],
    sync: { sheet },
  });
  await trial.run();
  const segmentOf = (email: string) => trial.service.model.contacts.get(trial.contactOf(email).uuid).customFields;
  const range = { sheetId: 7, startRowIndex: 1, endRowIndex: 3, startColumnIndex: 2, endColumnIndex: 3 };
  trial.person.request({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
  const { problems } = await trial.run();
  expect(problems).toMatchObject([{ kind: 'unreadable', rule: 'V4', row: 3 }]);
  expect(problems[0]!.reason).toContain('type its value again');
  expect(problems[0]!.reason).not.toContain('gets its value back');
  trial.person.request({ unmergeCells: { range } });
  expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
  expect(trial.rowOf('bob@firm.io')['Segment']).toBeUndefined();
  expect(segmentOf('bob@firm.io')).toEqual({ segment: 'A' });
});
