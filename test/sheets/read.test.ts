// Reading a table: one consistent view, and what is defined for sheets that are not as expected.
import { describe, expect, test } from 'vitest';
import { createTrial, header, openAnchored, rowOf, spec, spreadsheetId } from '../support/sheets.ts';

const values = [
  header,
  ['a', 'Ann', 'tag', 'ann@x.org', 1.5],
  [null, null, null, null, null],
  [null, 'New', null, null, true],
  ['c', '="x"&"y"', null, '=1/0', '=FOO()'],
];

test('the first read costs two calls, every other one, whatever is in the tab', async () => {
  const trial = createTrial({ values });
  const table = trial.openTable();
  await table.read();
  expect(trial.standin.log.counters).toMatchObject({ reads: 2, writes: 0 });
  await table.read();
  expect(trial.standin.log.counters).toMatchObject({ reads: 3, writes: 0 });
});

test('with what an earlier process remembered, the first read costs one call', async () => {
  const trial = createTrial({ values });
  const { memory } = await trial.openTable().read();
  trial.person.renameTab('Prospects', 'Leads');
  trial.standin.log.clear();
  const remembered = structuredClone(memory);
  expect((await trial.openTable({}, remembered).read()).title).toBe('Leads');
  expect(trial.standin.log.counters).toMatchObject({ reads: 1, writes: 0 });
});

test('rows come in order with id, values by kind, and formulas named; blank rows are left out (V3, V4, V5)', async () => {
  const trial = createTrial({ values, tab: { typed: true } });
  const { rows } = await trial.openTable().read();
  expect(rows).toEqual([
    { number: 2, id: 'a', cells: { first_name: 'Ann', email: 'ann@x.org', score: 1.5 }, formulas: [] },
    { number: 4, id: '', cells: { first_name: 'New', email: null, score: true }, formulas: [] },
    {
      number: 5,
      id: 'c',
      cells: { first_name: 'xy', email: { error: '#DIV/0!' }, score: { error: '#NAME?' } },
      formulas: ['first_name', 'email', 'score'],
    },
  ]);
});

test('a tab by gid, a spreadsheet by URL', async () => {
  const trial = createTrial({ values });
  const url = `https://docs.google.com/spreadsheets/d/${spreadsheetId}/edit#gid=7`;
  const table = trial.openTable({ spreadsheet: url, tab: 'gid:7' });
  expect((await table.read()).title).toBe('Prospects');
});

test('W11: a renamed tab is still the tab', async () => {
  const trial = createTrial({ values });
  const table = trial.openTable();
  await table.read();
  trial.person.renameTab('Prospects', "Ann's “leads”!");
  trial.person.request({ addSheet: { properties: { title: 'Prospects' } } });
  const { title, rows } = await table.read();
  expect([title, rows.length]).toEqual(["Ann's “leads”!", 3]);
});

test('W11: moved columns are still themselves, a renamed one is followed by its anchor', async () => {
  const trial = createTrial({ values });
  const { table } = await openAnchored(trial);
  trial.person.moveColumns('Prospects', 'B', 1, 'F');
  trial.person.type('Prospects!C1', 'E-mail address');
  const snapshot = await table.read();
  expect(snapshot.columns).toEqual([
    { kind: 'found', key: 'first_name', header: 'First name', letter: 'E' },
    { kind: 'renamed', key: 'email', header: 'Email', headerNow: 'E-mail address', letter: 'C' },
    { kind: 'found', key: 'score', header: 'Score', letter: 'D' },
  ]);
  expect(rowOf(snapshot, 'a').cells).toEqual({ first_name: 'Ann', email: 'ann@x.org', score: 1.5 });
});

test('W11: a column that is missing or doubled is named, and its cells are unknown, not blank (V3)', async () => {
  const trial = createTrial({
    values: [
      ['Contact ID', 'First name', 'First name', 'Email'],
      ['a', 'x', 'y', 'z'],
    ],
  });
  const snapshot = await trial.openTable().read();
  expect(snapshot.columns).toMatchObject([
    { kind: 'doubled', key: 'first_name', letters: ['B', 'C'] },
    { kind: 'found', key: 'email' },
    { kind: 'missing', key: 'score', header: 'Score' },
  ]);
  expect(rowOf(snapshot, 'a').cells).toEqual({ email: 'z' });
});

describe('bad input is defined', () => {
  test('an empty tab: every column is missing, there are no rows', async () => {
    const snapshot = await createTrial({ values: [] }).openTable().read();
    expect(snapshot.rows).toEqual([]);
    expect([snapshot.idColumn, ...snapshot.columns].map(({ kind }) => kind)).toEqual(Array(4).fill('missing'));
  });

  test('a tab that ends with its header', async () => {
    const trial = createTrial({ values: [header], tab: { rowCount: 1 } });
    const table = trial.openTable();
    expect((await table.read()).rows).toEqual([]);
    trial.person.request({ appendDimension: { sheetId: 7, dimension: 'ROWS', length: 2 } });
    trial.person.type('Prospects!B2', 'Ann');
    expect((await table.read()).rows).toHaveLength(1);
  });

  test('a header row beyond the grid', async () => {
    const table = createTrial({ values }).openTable({ headerRow: 21 });
    await expect(table.read()).rejects.toMatchObject({
      code: 'header-row-beyond-grid',
      message: 'header_row is 21, but tab "Prospects" has only 20 rows: correct header_row or add rows',
    });
  });

  test('rows that were deleted until the header row is beyond the grid', async () => {
    const trial = createTrial({ values: [[], [], [], ...values] });
    const table = trial.openTable({ headerRow: 4 });
    expect((await table.read()).rows).toHaveLength(3);
    trial.person.deleteRows('Prospects', 2, 17);
    await expect(table.read()).rejects.toMatchObject({ code: 'header-row-beyond-grid' });
  });

  test('200 columns, of which three are mapped: only these are read', async () => {
    const wide = Array.from({ length: 200 }, (_, index) => `Column ${index}`);
    const names = wide.with(10, 'Contact ID').with(70, 'First name').with(199, 'Email');
    const trial = createTrial({ values: [names, names.map((_, index) => `cell ${index}`)], tab: { columnCount: 200 } });
    const table = trial.openTable();
    const { rows, columns } = await table.read();
    expect(rows[0]).toMatchObject({ id: 'cell 10', cells: { first_name: 'cell 70', email: 'cell 199' } });
    expect(columns[1]).toMatchObject({ letter: 'GR' });
    expect((await table.read()).rows).toEqual(rows);
  });

  test('merged header cells: the left one has the text, the others none', async () => {
    const trial = createTrial({ values });
    const range = { sheetId: 7, startRowIndex: 0, endRowIndex: 1, startColumnIndex: 1, endColumnIndex: 3 };
    trial.person.request({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
    const { columns } = await trial.openTable().read();
    expect(columns.map(({ kind }) => kind)).toEqual(['found', 'found', 'found']);
  });

  test('an error in a header cell is no header', async () => {
    const trial = createTrial({ values: [header.with(3, '=1/0'), ['a']], tab: { typed: true } });
    expect((await trial.openTable().read()).columns[1]).toMatchObject({ kind: 'missing', key: 'email' });
  });

  test('an id that is a number or an error is its text', async () => {
    const trial = createTrial({ values: [header, [17], ['=1/0']], tab: { typed: true } });
    expect((await trial.openTable().read()).rows.map(({ id }) => id)).toEqual(['17', '#DIV/0!']);
  });

  test('a tab that is not there: the error names those that are', async () => {
    await expect(createTrial().openTable({ tab: 'Prospect' }).read()).rejects.toMatchObject({
      code: 'tab-gone',
      message: `Spreadsheet ${spreadsheetId} has no tab "Prospect"; it has "Prospects", "Other"`,
    });
  });

  test('a tab that was deleted meanwhile', async () => {
    const trial = createTrial({ values });
    const table = trial.openTable();
    await table.read();
    trial.person.request({ deleteSheet: { sheetId: 7 } });
    await expect(table.read()).rejects.toMatchObject({ code: 'tab-gone' });
  });
});

describe('tabs beyond 250,000 cells are read in chunks', () => {
  const rowCount = 30_001;
  const columns = Array.from({ length: 9 }, (_, index) => ({
    key: `k${index}`,
    header: `H${index}`,
    format: 'text' as const,
  }));
  const large = [
    ['Contact ID', ...columns.map((column) => column.header)],
    ...Array.from({ length: rowCount - 1 }, (_, row) => [`id ${row}`, ...columns.map(({ key }) => `${key} ${row}`)]),
  ];

  test('L7: and checked against one last look: rows that moved meanwhile are read again', async () => {
    const trial = createTrial({ values: large, tab: { rowCount, columnCount: 10 } });
    const table = trial.openTable({ ...spec, columns });
    const first = await table.read();
    expect(first.rows).toHaveLength(rowCount - 1);
    expect(first.rows.at(-1)).toMatchObject({ number: rowCount, id: 'id 29999', cells: { k8: 'k8 29999' } });
    let requests = 0;
    trial.onRequest = () => {
      requests += 1;
      if (requests === 2) trial.person.moveRows('Prospects', 2, 1, 29_000);
    };
    const second = await table.read();
    expect(new Set(second.rows.map(({ id }) => id)).size).toBe(rowCount - 1);
    // Five chunks and the last look, twice.
    expect(requests).toBe(12);
  });
});
