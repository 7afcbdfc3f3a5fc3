// The second call of a read: which cells it asks for, and when its answer counts as of the same instant as the first.
import { describe, expect, test } from 'vitest';
import { toIndexRanges } from '../../src/sheets/google/adjacent.ts';
import type { Block, CellData } from '../../src/sheets/google/grid.ts';
import {
  isOpenText,
  type OpenCell,
  planShownRequest,
  type SettledCell,
  settleOpenCells,
  type ShownCells,
} from '../../src/sheets/google/open-cells.ts';
import type { CellValue } from '../../src/sheets/port.ts';

test.each<[readonly number[], number, [number, number][]]>([
  [[], 0, []],
  [[4], 0, [[4, 5]]],
  [[1, 2, 3], 0, [[1, 4]]],
  [
    [1, 3],
    0,
    [
      [1, 2],
      [3, 4],
    ],
  ],
  [[1, 3], 1, [[1, 4]]],
  [[1, 1, 2], 0, [[1, 3]]],
  [
    [1, 5, 9, 14],
    3,
    [
      [1, 10],
      [14, 15],
    ],
  ],
])('the indexes %j with gaps of at most %i are the ranges %j', (indexes, gapMax, ranges) => {
  expect(toIndexRanges(indexes, gapMax)).toEqual(ranges.map(([start, end]) => ({ start, end })));
});

test.each(['=A1', '#N/A', "'007", '=', 'Loading...'])('V5: %s leaves the cell open', (text) => {
  expect(isOpenText(text)).toBe(true);
});

test.each(['', 'x', '<', '>', '"', '$5', '&', '(', 'Loading', 'Loading....', ' =A1', '7'])(
  'V5: %j is the content of its cell',
  (text) => expect(isOpenText(text)).toBe(false),
);

interface Settling {
  readonly answered?: string | number;
  readonly idText?: string;
  readonly id?: string;
  readonly header?: readonly string[];
  readonly hasIdColumn?: boolean;
  readonly isProven?: boolean;
}

interface Settled {
  readonly cell: OpenCell;
  readonly settled: { value: CellValue; formula: string | undefined }[];
}

function openCell(rowIndex: number, columnIndex: number, answered: string | number = '=A', idText = 'id'): Settled {
  const settled: Settled['settled'] = [];
  const settle = ({ value, formula }: SettledCell) => void settled.push({ value, formula });
  return { cell: { rowIndex, columnIndex, answered, idText, settle }, settled };
}

describe('the rectangles that are asked for', () => {
  const plan = (places: readonly (readonly [number, number])[], idColumnIndex: number | undefined = 0) => {
    const cells = places.map(([rowIndex, columnIndex]) => openCell(rowIndex, columnIndex).cell);
    const { rows, columns, filters, headerRowIndex } = planShownRequest(7, 2, cells, idColumnIndex);
    return { rows, columns, filters, headerRowIndex };
  };
  const range = (start: number, end: number) => ({ start, end });
  const filter = (startRowIndex: number, endRowIndex: number, startColumnIndex: number, endColumnIndex: number) => ({
    gridRange: { sheetId: 7, startRowIndex, endRowIndex, startColumnIndex, endColumnIndex },
  });

  test('cover the cells, the ids of their rows, and the headers of their columns', () => {
    expect(
      plan([
        [4, 3],
        [5, 1],
      ]),
    ).toEqual({
      headerRowIndex: 2,
      rows: [range(4, 6)],
      columns: [range(0, 2), range(3, 4)],
      filters: [filter(2, 3, 0, 2), filter(2, 3, 3, 4), filter(4, 6, 0, 2), filter(4, 6, 3, 4)],
    });
  });

  test('without an ID column they cover the cells alone', () => {
    const cells = [openCell(4, 3).cell];
    expect(planShownRequest(7, 2, cells, undefined)).toMatchObject({ columns: [range(3, 4)], rows: [range(4, 5)] });
  });

  test('rows up to 100 apart are asked for together, and those further apart alone', () => {
    const rowsOf = (...indexes: number[]) => plan(indexes.map((index) => [index, 1] as const)).rows;
    expect(rowsOf(10, 111)).toEqual([range(10, 112)]);
    expect(rowsOf(10, 112)).toEqual([range(10, 11), range(112, 113)]);
    // The gap counts from the end of the row.
    expect(rowsOf(10, 20, 121)).toEqual([range(10, 122)]);
    expect(rowsOf(3)).toEqual([range(3, 4)]);
  });

  test('they are few portions, however many rows there are', () => {
    const every = (count: number) =>
      plan(Array.from({ length: count }, (_, index) => [index * 1_000, 1] as const)).rows;
    expect(every(40)).toHaveLength(40);
    expect(every(1_000)).toEqual([range(0, 999_001)]);
    // The gap is a fiftieth of the whole, rounded up.
    const three = (last: number) => plan([0, 202, last].map((index) => [index, 1] as const)).rows;
    expect(three(10_000)).toEqual([range(0, 1), range(202, 203), range(10_000, 10_001)]);
    expect(three(10_001)).toEqual([range(0, 203), range(10_001, 10_002)]);
  });
});

describe('L2: whether the second answer is of the same instant', () => {
  const headers = ['ID', 'Name', 'Score'];
  const texts = (values: readonly string[]): CellData[] =>
    values.map((value) => (value === '' ? {} : { effectiveValue: { stringValue: value } }));
  const formula = (text: string, value: number): CellData => ({
    userEnteredValue: { formulaValue: text },
    effectiveValue: { numberValue: value },
  });

  /** One open cell in row 5, column 1, below its header in row 1. */
  function settle(
    shown: CellData,
    {
      answered = '=A',
      idText = 'u-1',
      id = 'u-1',
      header = headers,
      hasIdColumn = true,
      isProven = false,
    }: Settling = {},
  ) {
    const { cell, settled } = openCell(5, 1, answered, idText);
    const request = planShownRequest(7, 1, [cell], 0);
    const block = (values: CellData[]): Block => ({ rowData: [{ values }] });
    const blocks = new Map([
      ['1:0', block(texts(header).slice(0, 2))],
      ['5:0', block([...texts([id]), shown])],
    ]);
    const second: ShownCells = { request, digest: '', blocks: () => blocks, merges: () => [] };
    return { isSame: settleOpenCells(second, [cell], hasIdColumn ? 0 : undefined, headers, isProven), settled };
  }
  const no = { isSame: false, settled: [] };
  const yes = (value: CellValue, entered?: string) => ({ isSame: true, settled: [{ value, formula: entered }] });

  test('a formula with the same text counts, with its result', () => {
    expect(settle(formula('=A', 3))).toEqual(yes(3, '=A'));
    expect(settle(formula('=B', 3))).toEqual(no);
  });

  test('a formula that is spelled differently counts if the first call was answered the same again', () => {
    expect(settle(formula('=B', 3), { isProven: true })).toEqual(yes(3, '=B'));
    expect(settle(formula('=B', 3), { isProven: true, answered: '#N/A' })).toEqual(no);
    expect(settle(formula('=B', 3), { answered: '#N/A' })).toEqual(no);
  });

  test('V8: a number counts if it is the same, or if the first call was answered the same again', () => {
    const number: CellData = { effectiveValue: { numberValue: 46_095.5 } };
    expect(settle(number, { answered: 46_095.5 })).toEqual(yes(46_095.5));
    expect(settle(number, { answered: 46_095.4999 })).toEqual(no);
    expect(settle(number, { answered: 46_095.4999, isProven: true })).toEqual(yes(46_095.5));
    expect(settle({}, { answered: 46_095.5, isProven: true })).toEqual(no);
    expect(settle(formula('=A', 46_095.5), { answered: 46_095.5, isProven: true })).toEqual(no);
  });

  test.each<[what: string, text: string, shown: CellData, CellValue | undefined]>([
    ['a text that looks like a formula', '=A', { effectiveValue: { stringValue: '=A' } }, '=A'],
    ['another text', '=A', { effectiveValue: { stringValue: 'A' } }, undefined],
    ['a text behind an apostrophe', "'007", { effectiveValue: { stringValue: '007' } }, '007'],
    ['a number behind an apostrophe', "'7", { effectiveValue: { numberValue: 7 } }, 7],
    ['a text that begins with an apostrophe', "'a", { effectiveValue: { stringValue: "'a" } }, "'a"],
    ['another text behind an apostrophe', "'007", { effectiveValue: { stringValue: '008' } }, undefined],
    ['a text that lacks its first character', 'x007', { effectiveValue: { stringValue: '007' } }, undefined],
    ['an error', '#N/A', { effectiveValue: { errorValue: { type: 'N_A' } } }, { error: '#N/A' }],
    ['another error', '#N/A', { effectiveValue: { errorValue: { type: 'REF' } } }, undefined],
    ['a text that looks like an error', '#N/A', { effectiveValue: { stringValue: '#N/A' } }, '#N/A'],
    ['a blank cell', '#N/A', {}, undefined],
  ])('V4, V6: %s', (_, text, shown, value) => {
    expect(settle(shown, { answered: text })).toEqual(value === undefined ? no : yes(value));
  });

  test('L9: another id in its row does not count, unless the id is itself open or there is none', () => {
    const cell = formula('=A', 3);
    expect(settle(cell, { id: 'u-2' })).toEqual(no);
    expect(settle(cell, { id: '' })).toEqual(no);
    expect(settle(cell, { id: '', idText: '' })).toEqual(yes(3, '=A'));
    expect(settle(cell, { id: 'u-2', idText: '=B' })).toEqual(yes(3, '=A'));
    expect(settle(cell, { id: 'u-2', hasIdColumn: false })).toEqual(yes(3, '=A'));
  });

  test('W11: another header above it does not count, nor one above its id', () => {
    const cell = formula('=A', 3);
    expect(settle(cell, { header: ['ID', 'Email'] })).toEqual(no);
    expect(settle(cell, { header: ['Other', 'Name'] })).toEqual(no);
    expect(settle(cell, { header: ['ID', ''] })).toEqual(no);
    expect(settle(cell, { header: ['ID', 'Name'] })).toEqual(yes(3, '=A'));
  });

  test('cells in several portions, of which each is in its own', () => {
    const [first, second, third] = [openCell(5, 1), openCell(6, 1, '=B'), openCell(500, 2, '=C')];
    const cells = [first, second, third].map(({ cell }) => cell);
    const request = planShownRequest(7, 1, cells, undefined);
    const rows = (...values: (CellData[] | undefined)[]): Block => ({
      rowData: values.map((each) => (each ? { values: each } : {})),
    });
    const blocks = new Map([
      ['1:1', rows(texts(['Name', 'Score']))],
      ['5:1', rows([formula('=A', 1)], [formula('=B', 2)])],
      ['500:1', rows([{}, formula('=C', 3)])],
    ]);
    const answer: ShownCells = { request, digest: '', blocks: () => blocks, merges: () => [] };
    expect(settleOpenCells(answer, cells, undefined, headers, false)).toBe(true);
    expect([first, second, third].map(({ settled }) => settled[0]?.value)).toEqual([1, 2, 3]);
    // A row of the grid that is not in the answer.
    blocks.delete('500:1');
    expect(settleOpenCells(answer, cells, undefined, headers, false)).toBe(false);
  });
});
