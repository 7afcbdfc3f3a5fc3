// Writing to an unexpected sheet: every case has a defined outcome or error. read.test.ts has the cases of reading.
import { expect, test } from 'vitest';
import type { Table, Snapshot } from '../../src/sheets/port.ts';
import { createTrial, header, openAnchored, rowOf, spec, temporaryMarks, type Trial } from '../support/sheets.ts';

const values = [header, ['a', 'Ann', 'tag a', 'ann@x.org', 1], ['b', 'Bob', 'tag b', 'bob@x.org', '=1/0']];

async function open(options: Parameters<typeof createTrial>[0] = {}) {
  const trial = createTrial({ values, tab: { typed: true }, ...options });
  return { trial, ...(await openAnchored(trial)) };
}

/** The result of a change, a new row and a deletion: the code of the error, or the kind of outcome. */
async function tryAll(table: Table, snapshot: Snapshot): Promise<string[]> {
  const row = rowOf(snapshot, 'a');
  const outcomes = [
    ...(await table.update(snapshot, [{ row, set: { score: 3 } }])),
    ...(await table.append(snapshot, [{ id: 'new', set: { score: 3 } }])),
    ...(await table.remove(snapshot, [row])),
  ];
  return outcomes.map((outcome) => ('error' in outcome ? outcome.error.code : outcome.kind));
}

test.each<[string, (trial: Trial) => void, string[]]>([
  ['the tab', ({ person }) => person.request({ deleteSheet: { sheetId: 7 } }), ['tab-gone', 'tab-gone', 'tab-gone']],
  [
    'the spreadsheet',
    ({ standin, file }) => standin.model.delete(file.id),
    ['spreadsheet-gone', 'spreadsheet-gone', 'spreadsheet-gone'],
  ],
  // A forbidden write looks the same whether reading is allowed or not.
  ['the share', ({ file }) => file.sharedWith.clear(), ['read-only-share', 'read-only-share', 'read-only-share']],
  ['every row', ({ person }) => person.deleteRows('Prospects', 1, 19), ['moved', 'moved', 'moved']],
  ['the header row', ({ person }) => person.deleteRows('Prospects', 1), ['refused', 'moved', 'moved']],
  ['the ID column', ({ person }) => person.deleteColumns('Prospects', 'A'), ['moved', 'moved', 'moved']],
])('gone since the snapshot: %s', async (_, edit, expected) => {
  const { trial, table, snapshot } = await open();
  edit(trial);
  expect(await tryAll(table, snapshot)).toEqual(expected);
});

test('gone since the snapshot: the header. No column is made in the row that took its place', async () => {
  const trial = createTrial({ values: [header.slice(0, 4), ['a', 'Ann', 'tag', 'ann@x.org']] });
  const { table, snapshot } = await openAnchored(trial);
  trial.person.deleteRows('Prospects', 1);
  await table.ensure(snapshot, ['score']);
  expect(trial.person.read('Prospects!A1:H2')).toEqual([['a', 'Ann', 'tag', 'ann@x.org']]);
});

test('made by a person since the snapshot: a column is not made twice', async () => {
  const trial = createTrial({ values: [header.slice(0, 4)] });
  const { table, snapshot } = await openAnchored(trial);
  trial.person.type('Prospects!E1', 'Score');
  await table.ensure(snapshot, ['score']);
  expect(trial.person.read('Prospects!A1:H1')).toEqual([header]);
});

test('V4: an error in one cell does not prevent writing the others of its row', async () => {
  const { trial, table, snapshot } = await open();
  const row = rowOf(snapshot, 'b');
  expect(row.cells['score']).toEqual({ error: '#DIV/0!' });
  expect(await table.update(snapshot, [{ row, set: { email: 'bob@y.org' } }])).toMatchObject([{ kind: 'written' }]);
  expect(await table.update(await table.read(), [{ row: { ...row, cells: {} }, set: { score: 2 } }])).toEqual([
    { kind: 'formula', columns: ['score'] },
  ]);
  expect(trial.person.read('Prospects!A3:E3', 'FORMULA')).toEqual([['b', 'Bob', 'tag b', 'bob@y.org', '=1/0']]);
});

test.each([200, 400])(
  'a tab with %i columns: only mapped cells are written, and no mark is left',
  async (columnCount) => {
    const wide = Array.from({ length: columnCount }, (_, index) => `Column ${index}`);
    const names = wide
      .with(10, 'Contact ID')
      .with(70, 'First name')
      .with(columnCount - 1, 'Email');
    const cells = names.map((_, index) => `cell ${index}`);
    const { trial, table } = await open({ values: [names, cells], tab: { columnCount } });
    const snapshot = await table.read();
    const row = rowOf(snapshot, 'cell 10');
    expect(await table.update(snapshot, [{ row, set: { email: 'x', first_name: '' } }])).toMatchObject([
      { kind: 'written' },
    ]);
    expect(await table.append(snapshot, [{ id: 'new', set: { email: 'y' } }])).toEqual([{ kind: 'appended' }]);
    await table.tidy();
    const [, changed, appended] = trial.person.read('Prospects!A1:ZZ3');
    expect(changed).toEqual(cells.with(70, '').with(columnCount - 1, 'x'));
    expect(appended?.filter((each) => each !== '')).toEqual(['new', 'y']);
    expect(temporaryMarks(trial)).toEqual([]);
  },
);

test('V6: a new row with text longer than a cell is refused by name; the others are appended', async () => {
  const { table, snapshot } = await open();
  const outcomes = await table.append(snapshot, [
    { id: 'c', set: { email: 'x'.repeat(50_001) } },
    { id: 'd', set: { email: 'x'.repeat(50_000), score: Number.NaN } },
    { id: 'e', set: { email: 'x'.repeat(50_000) } },
  ]);
  expect(outcomes).toMatchObject([
    { kind: 'refused', reason: 'cell-too-long', columns: ['email'] },
    { kind: 'refused', reason: 'not-a-finite-number', columns: ['score'] },
    { kind: 'appended' },
  ]);
});

test('merged cells in the header: the left column is written, the one without a header is not found', async () => {
  const { trial, table } = await open({
    values: [
      ['Contact ID', 'First name', 'Email', 'Score'],
      ['a', 'Ann', 'x', 1],
    ],
  });
  const range = { sheetId: 7, startRowIndex: 0, endRowIndex: 1, startColumnIndex: 1, endColumnIndex: 3 };
  trial.person.request({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
  const fresh = trial.openTable({ owner: 'another' });
  const snapshot = await fresh.read();
  expect(snapshot.columns).toMatchObject([{ kind: 'found', key: 'first_name' }, { kind: 'missing', key: 'email' }, {}]);
  const row = rowOf(snapshot, 'a');
  expect(
    await fresh.update(snapshot, [
      { row, set: { first_name: 'Anna' } },
      { row, set: { email: 'y' } },
    ]),
  ).toMatchObject([{ kind: 'written' }, { kind: 'refused', reason: 'column-not-found', columns: ['email'] }]);
  // The sync that knew the columns before follows the anchor of the one without a header.
  expect((await table.read()).columns[1]).toMatchObject({ kind: 'renamed', key: 'email', headerNow: '' });
});

test('W6: 429 in the middle of a change: nothing is dropped, nothing is done twice', async () => {
  const { trial, table, snapshot } = await open();
  trial.standin.log.clear();
  trial.standin.faults.add({ effect: { type: 'status', status: 429 }, times: 2, skip: 2 });
  expect(await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 7 } }])).toMatchObject([
    { kind: 'written' },
  ]);
  expect(trial.slept).toHaveLength(2);
  expect(trial.person.read('Prospects!E2')).toEqual([['7']]);
  expect(temporaryMarks(trial)).toEqual([]);
});

test('an owner with a slash, quotes and an emoji uses its own marks only', async () => {
  const trial = createTrial({ values });
  const table = trial.openTable({ ...spec, owner: `a/b "c" 😀` });
  await table.ensure(await table.read(), []);
  expect((await table.read()).unanchored).toEqual([]);
});
