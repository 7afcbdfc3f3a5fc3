// The values, texts and places of cells as Google answers them.
import { expect, test } from 'vitest';
import type { GridBounds } from '../../src/sheets/google/address.ts';
import {
  type CellData,
  cellText,
  cellValue,
  contains,
  enteredText,
  headerCells,
  isSameValue,
} from '../../src/sheets/google/grid.ts';
import type { CellValue } from '../../src/sheets/port.ts';

test.each([
  ['two blank cells', null, null, true],
  ['a blank cell and an empty text', null, '', false],
  ['a text and a blank cell', 'a', null, false],
  ['the same text', 'a', 'a', true],
  ['a number and its text', 1, '1', false],
  ['the same error', { error: '#N/A' }, { error: '#N/A' }, true],
  ['two errors', { error: '#N/A' }, { error: '#REF!' }, false],
  ['an error and its text', { error: '#N/A' }, '#N/A', false],
  ['a text and an error', '#N/A', { error: '#N/A' }, false],
  ['a blank cell and an error', null, { error: '#N/A' }, false],
])('W3: a cell counts as unchanged or not: %s', (_what, a, b, isSame) => expect(isSameValue(a, b)).toBe(isSame));

test.each<[string, CellData | undefined, CellValue]>([
  ['no cell', undefined, null],
  ['a cell without a value', {}, null],
  ['an empty value', { effectiveValue: {} }, null],
  ['an empty text', { effectiveValue: { stringValue: '' } }, null],
  ['a text', { effectiveValue: { stringValue: ' x ' } }, ' x '],
  ['zero', { effectiveValue: { numberValue: 0 } }, 0],
  ['true', { effectiveValue: { boolValue: true } }, true],
  ['false', { effectiveValue: { boolValue: false } }, false],
  ['an error', { effectiveValue: { errorValue: { type: 'DIVIDE_BY_ZERO' } } }, { error: '#DIV/0!' }],
  [
    'a result that is being calculated',
    { effectiveValue: { errorValue: { type: 'LOADING' } } },
    { error: 'Loading...' },
  ],
  ['an error of a new kind', { effectiveValue: { errorValue: { type: 'NEW' } } }, { error: '#ERROR!' }],
  ['an error without a kind', { effectiveValue: { errorValue: {} } }, { error: '#ERROR!' }],
])('V4: the value of %s', (_, cell, value) => expect(cellValue(cell)).toEqual(value));

test('the text of a cell: as entered for a header, and trimmed for an id', () => {
  const formula = { userEnteredValue: { formulaValue: '=A1' }, effectiveValue: { numberValue: 7 } };
  const error = { effectiveValue: { errorValue: { type: 'N_A' } } };
  expect([formula, error, {}, undefined, { effectiveValue: { boolValue: false } }].map(enteredText)).toEqual([
    '=A1',
    '#N/A',
    '',
    '',
    'false',
  ]);
  expect([null, ' x ', 7, false, { error: '#N/A' }].map(cellText)).toEqual(['', 'x', '7', 'false', '#N/A']);
});

test('the header row by physical columns, with the anchors and all marks of each', () => {
  const block = {
    startColumn: 2,
    rowData: [{ values: [{ effectiveValue: { stringValue: ' Name ' } }, {}] }],
    columnMetadata: [
      {
        developerMetadata: [
          { metadataId: 1, metadataKey: 'c', metadataValue: 'me/name' },
          { metadataId: 2, metadataKey: 'p' },
          { metadataId: 3, metadataKey: 'c' },
          { metadataKey: 'c', metadataValue: 'me/none' },
          { metadataId: 4, metadataKey: 'x', metadataValue: 'theirs' },
        ],
      },
      {},
      { developerMetadata: [{ metadataId: 5, metadataKey: 'p' }] },
    ],
  };
  expect(headerCells(block)).toEqual([
    { columnIndex: 2, text: 'Name', anchors: [{ metadataId: 1, value: 'me/name' }], markIds: [1, 2, 3, 4] },
    { columnIndex: 3, text: '', anchors: [], markIds: [] },
    { columnIndex: 4, text: '', anchors: [], markIds: [5] },
  ]);
  expect(headerCells({ rowData: [{ values: [{}, {}] }] })).toHaveLength(2);
  expect(headerCells(undefined)).toEqual([]);
});

test.each<[GridBounds, [number, number], boolean]>([
  [{}, [0, 0], true],
  [{ startRowIndex: 1, endRowIndex: 3, startColumnIndex: 2, endColumnIndex: 4 }, [1, 2], true],
  [{ startRowIndex: 1, endRowIndex: 3, startColumnIndex: 2, endColumnIndex: 4 }, [2, 3], true],
  [{ startRowIndex: 1, endRowIndex: 3 }, [0, 2], false],
  [{ startRowIndex: 1, endRowIndex: 3 }, [3, 2], false],
  [{ startColumnIndex: 2, endColumnIndex: 4 }, [1, 1], false],
  [{ startColumnIndex: 2, endColumnIndex: 4 }, [1, 4], false],
  [{ startRowIndex: 1 }, [9_999, 0], true],
  [{ endColumnIndex: 1 }, [5, 0], true],
])('the bounds %j contain the cell %j: %j', (bounds, [row, column], isIn) => {
  expect(contains(bounds, row, column)).toBe(isIn);
});
