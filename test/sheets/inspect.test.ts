// Inspecting a tab: which protected ranges are in the way of writing.
import { expect, test } from 'vitest';
import { createTrial, header, spec } from '../support/sheets.ts';

const trialOf = (range: object, headerRow = 1) => {
  const blanks = Array.from({ length: headerRow - 1 }, () => []);
  const trial = createTrial({ values: [...blanks, header, ['a', 'Ann', 'tag', 'ann@x.org', 1]] });
  trial.person.request({ addProtectedRange: { protectedRange: { range: { sheetId: 7, ...range } } } });
  return trial.sheets.inspect({ ...spec, headerRow });
};

test.each<[string, object, string[]]>([
  ['the whole tab', {}, ['the whole tab']],
  ['a mapped column', { startColumnIndex: 3, endColumnIndex: 4 }, ['D:D']],
  ['the ID column', { startColumnIndex: 0, endColumnIndex: 1 }, ['A:A']],
  ['a column that is not mapped', { startColumnIndex: 2, endColumnIndex: 3 }, []],
  ['columns right of the mapped ones', { startColumnIndex: 5, endColumnIndex: 8 }, []],
  ['a row', { startRowIndex: 4, endRowIndex: 5 }, ['5:5']],
])('%s: named if mapped cells are in it', async (_, range, forbidden) => {
  expect((await trialOf(range)).forbidden).toEqual(forbidden);
});

test.each<[string, object, string[]]>([
  ['above the header', { startRowIndex: 0, endRowIndex: 2 }, []],
  ['above the header, in a mapped column', { endRowIndex: 1, startColumnIndex: 3, endColumnIndex: 4 }, []],
  ['with the header', { startRowIndex: 0, endRowIndex: 3 }, ['1:3']],
  ['below it', { startRowIndex: 3 }, ['4:']],
])('%s: rows above the header are in nobody’s way', async (_, range, forbidden) => {
  expect((await trialOf(range, 3)).forbidden).toEqual(forbidden);
});

test('what it shows of the tab', async () => {
  const trial = createTrial({ values: [['Contact ID', '', 'Email'], ['a']] });
  expect(await trial.sheets.inspect(spec)).toEqual({
    title: 'Prospects',
    reference: 'gid:7',
    rowCount: 20,
    columns: [
      { kind: 'missing', key: 'first_name', header: 'First name' },
      { kind: 'found', key: 'email', header: 'Email', letter: 'C' },
      { kind: 'missing', key: 'score', header: 'Score' },
    ],
    idColumn: { kind: 'found', key: '#id', header: 'Contact ID', letter: 'A' },
    headerTexts: ['Contact ID', 'Email'],
    forbidden: [],
  });
  expect(trial.standin.log.counters).toMatchObject({ reads: 2, writes: 0 });
});

test('whether the account may write is found out by a write that changes nothing', async () => {
  const trial = createTrial({ values: [header] });
  const before = [...trial.file.content.metadataById.keys()];
  await trial.sheets.checkMayWrite(spec);
  expect(trial.standin.log.counters).toMatchObject({ reads: 0, writes: 1 });
  expect([...trial.file.content.metadataById.keys()]).toEqual(before);
  trial.standin.faults.add({ effect: { type: 'status', status: 400 }, match: { kind: 'write' } });
  await expect(trial.sheets.checkMayWrite(spec)).resolves.toBeUndefined();
  trial.standin.faults.add({ effect: { type: 'status', status: 503 }, times: 9, match: { kind: 'write' } });
  await expect(trial.sheets.checkMayWrite(spec)).rejects.toMatchObject({ code: 'outcome-unknown' });
});
