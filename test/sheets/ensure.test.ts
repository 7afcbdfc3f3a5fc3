// Creating this project's anchors and columns, and nothing else.
import { expect, test } from 'vitest';
import { createTrial, header, openAnchored, spec } from '../support/sheets.ts';

test('on the first run, all missing columns are created right of the last header', async () => {
  const trial = createTrial({
    values: [
      ['Name', 'Email'],
      ['Ann', 'ann@x.org'],
    ],
  });
  const columns = [...spec.columns, { key: 'seen', header: 'Last seen', format: 'date-time' as const }];
  const table = trial.openTable({ columns });
  const snapshot = await table.read();
  trial.standin.log.clear();
  await table.ensure(snapshot, ['first_name', 'score', 'seen']);
  expect(trial.standin.log.counters.writes).toBe(1);
  expect(trial.person.read('Prospects!A1:H2')).toEqual([
    ['Name', 'Email', 'Contact ID', 'First name', 'Score', 'Last seen'],
    ['Ann', 'ann@x.org'],
  ]);
  const after = await table.read();
  expect([after.idColumn, ...after.columns].map(({ kind }) => kind)).toEqual(Array(5).fill('found'));
  expect(after.unanchored).toEqual([]);
  const sheet = trial.file.content.sheet(7);
  expect(sheet.columns[2]).toMatchObject({ hiddenByUser: true });
  expect(sheet.protectedRanges).toMatchObject([{ range: { left: 2, right: 3 }, warningOnly: true }]);
  expect(sheet.cell(1, 5)?.format).toMatchObject({ numberFormat: { type: 'DATE_TIME' } });
  expect(sheet.cell(1, 1)?.format).toBeUndefined();
});

test('only the requested columns are created; a second time, nothing is written (W9)', async () => {
  const trial = createTrial({ values: [['Contact ID', 'Email']] });
  const table = trial.openTable();
  await table.ensure(await table.read(), ['score']);
  expect(trial.person.read('Prospects!A1:H1')).toEqual([['Contact ID', 'Email', 'Score']]);
  const snapshot = await table.read();
  trial.standin.log.clear();
  await table.ensure(snapshot, ['score']);
  expect(trial.standin.log.counters).toMatchObject({ reads: 0, writes: 0 });
});

test('in an empty tab, and in a grid without a free column', async () => {
  const trial = createTrial({ values: [], tab: { columnCount: 1 } });
  const table = trial.openTable();
  await table.ensure(await table.read(), ['first_name', 'email', 'score']);
  expect(trial.person.read('Prospects!A1:H1')).toEqual([['Contact ID', 'First name', 'Email', 'Score']]);
  const full = createTrial({ values: [['Name']], tab: { columnCount: 1 } });
  const fullTable = full.openTable();
  await fullTable.ensure(await fullTable.read(), ['email']);
  expect(full.person.read('Prospects!A1:H1')).toEqual([['Name', 'Contact ID', 'Email']]);
});

test('L13: a column that somebody else appends to a grid without a free column at that moment keeps its header and cells', async () => {
  const trial = createTrial({ values: [header.slice(0, 4)], tab: { columnCount: 4 } });
  const table = trial.openTable();
  const snapshot = await table.read();
  trial.onRequest = (path) => {
    if (!path.endsWith(':batchUpdate')) return;
    trial.onRequest = () => undefined;
    trial.person.request({ appendDimension: { sheetId: 7, dimension: 'COLUMNS', length: 1 } });
    trial.person.paste('Prospects!E1', [['Mine'], ['my value']]);
  };
  await table.ensure(snapshot, ['score']);
  expect(trial.person.read('Prospects!A1:G2')).toEqual([
    [...header.slice(0, 4), 'Score', 'Mine'],
    ['', '', '', '', '', 'my value'],
  ]);
});

test('W11: columns that moved between reading and anchoring get no wrong anchors', async () => {
  const trial = createTrial({ values: [header] });
  const table = trial.openTable();
  const snapshot = await table.read();
  trial.person.moveColumns('Prospects', 'B', 1, 'F');
  await table.ensure(snapshot, []);
  const after = await table.read();
  expect([after.idColumn, ...after.columns].map(({ kind }) => kind)).toEqual(Array(4).fill('found'));
  await table.ensure(after, []);
  expect((await table.read()).unanchored).toEqual([]);
});

test('L8: a lost answer does not make a column twice', async () => {
  const trial = createTrial({ values: [['Contact ID']] });
  const table = trial.openTable();
  const snapshot = await table.read();
  trial.standin.faults.add({ effect: { type: 'lost' }, when: 'after', match: { kind: 'write' } });
  await table.ensure(snapshot, ['email']);
  expect(trial.person.read('Prospects!A1:H1')).toEqual([['Contact ID', 'Email']]);
});

test('two syncs in one workbook use their own marks only', async () => {
  const trial = createTrial({ values: [header, ['a', 'Ann']] });
  const [one, two] = [trial.openTable(), trial.openTable({ owner: 'customers' })];
  await one.ensure(await one.read(), []);
  await two.ensure(await two.read(), []);
  const snapshot = await one.read();
  await one.append(snapshot, [{ id: 'b', set: {} }]);
  expect((await two.read()).leftovers).toBe(0);
  expect(await two.tidy()).toBe(0);
  expect((await one.read()).leftovers).toBe(1);
});

test.each([
  ['twice', 2, 'Email'],
  ['each time', 99, undefined],
])('W4: a batch that is lost %s is sent three times at most', async (_, times, made) => {
  const trial = createTrial({ values: [['Contact ID']] });
  const table = trial.openTable();
  const snapshot = await table.read();
  trial.standin.log.clear();
  trial.standin.faults.add({ effect: { type: 'lost' }, when: 'before', times, match: { kind: 'write' } });
  await table.ensure(snapshot, ['email']);
  expect(trial.standin.log.counters.writes).toBe(3);
  expect(trial.person.read('Prospects!A1:H1')[0]?.[1]).toBe(made);
});

test('anchors alone that are lost are left to the next run', async () => {
  const trial = createTrial({ values: [header] });
  const table = trial.openTable();
  const snapshot = await table.read();
  trial.standin.log.clear();
  trial.standin.faults.add({ effect: { type: 'lost' }, when: 'before', match: { kind: 'write' } });
  await table.ensure(snapshot, []);
  expect(trial.standin.log.counters.writes).toBe(1);
  expect((await table.read()).unanchored).toEqual(snapshot.unanchored);
});

test('a person who makes the column meanwhile keeps it: none is made beside it', async () => {
  const trial = createTrial({ values: [['Contact ID']] });
  const table = trial.openTable();
  const snapshot = await table.read();
  trial.person.type('Prospects!C1', 'Email');
  await table.ensure(snapshot, ['email']);
  expect(trial.person.read('Prospects!A1:H1')).toEqual([['Contact ID', '', 'Email']]);
});

test('a refused batch is an error, and nothing was made', async () => {
  const trial = createTrial({ values: [['Contact ID']] });
  const table = trial.openTable();
  const snapshot = await table.read();
  trial.standin.log.clear();
  trial.standin.faults.add({ effect: { type: 'status', status: 400 }, match: { kind: 'write' } });
  await expect(table.ensure(snapshot, ['email'])).rejects.toMatchObject({ code: 'refused' });
  expect(trial.standin.log.counters.writes).toBe(1);
});

test('a column is made right of a marked column that has no header, and left of blank ones', async () => {
  const trial = createTrial({ values: [['Contact ID', 'Email', 'Notes']] });
  const { table } = await openAnchored(trial);
  trial.person.clear('Prospects!B1:C1');
  await table.ensure(await table.read(), ['score']);
  expect(trial.person.read('Prospects!A1:H1')).toEqual([['Contact ID', '', 'Score']]);
  expect(trial.file.content.sheet(7).columns).toHaveLength(9);
});

test('W11: an anchor that was put on another column is removed, and the right one made by the next call', async () => {
  const trial = createTrial({ values: [header] });
  const table = trial.openTable();
  const snapshot = await table.read();
  trial.onRequest = (path) => {
    if (!path.endsWith(':batchUpdate')) return;
    trial.onRequest = () => undefined;
    trial.person.moveColumns('Prospects', 'B', 1, 'F');
  };
  trial.standin.log.clear();
  await table.ensure(snapshot, []);
  expect(trial.standin.log.counters.writes).toBe(2);
  const values = () => [...trial.file.content.metadataById.values()].map(({ value }) => value);
  expect(values()).toEqual(['prospects/#id']);
  await table.ensure(await table.read(), []);
  expect(new Set(values())).toEqual(new Set(['#id', 'first_name', 'email', 'score'].map((key) => `prospects/${key}`)));
});

test('L13: a column without a header that people fill moves right, and no cell of it becomes one of the new column', async () => {
  const trial = createTrial({
    values: [
      ['Contact ID', 'Email'],
      ['a', 'ann@x.org', 'note'],
    ],
  });
  const table = trial.openTable();
  await table.ensure(await table.read(), ['score']);
  expect(trial.person.read('Prospects!A1:H2')).toEqual([
    ['Contact ID', 'Email', 'Score'],
    ['a', 'ann@x.org', '', 'note'],
  ]);
  expect((await table.read()).rows).toMatchObject([{ id: 'a', cells: { email: 'ann@x.org', score: null } }]);
});
