// Where the values of a write went: whether the row is the one meant, and which cells of it were overwritten. Each case is two
// looks at one pinned row, before the write and after it.
import { describe, expect, test } from 'vitest';
import type { CellData } from '../../src/sheets/google/grid.ts';
import type { PinnedView } from '../../src/sheets/google/pinned-view.ts';
import { columnsAtWrite, type WrittenRow } from '../../src/sheets/google/pinned-write.ts';
import { isSameRow, isSameRowNow, otherIdAtWrite, idNow } from '../../src/sheets/google/same-row.ts';
import {
  type AtWrite,
  haveColumnsMoved,
  indexOfSame,
  isWritten,
  type SentRow,
} from '../../src/sheets/google/sent-row.ts';
import {
  findStrayValues,
  findStrayValuesInRow,
  shownColumns,
  strayValuesByAnswer,
} from '../../src/sheets/google/stray-values.ts';
import type { CellInput, CellValue, Row, Snapshot } from '../../src/sheets/port.ts';

const pin = 1;
/** `notes` is marked and not mapped; a column named '' has neither. */
const markOf: Readonly<Record<string, number>> = { '#id': 10, name: 11, notes: 12, email: 13, score: 14 };
const columns = ['#id', 'name', 'notes', 'email', 'score'];

/** A text that begins with `=` is a formula that shows `shown`. */
function cellOf(value: CellValue): CellData {
  if (value === null) return {};
  if (typeof value === 'object') return { effectiveValue: { errorValue: { type: 'N_A' } } };
  if (typeof value === 'number') return { effectiveValue: { numberValue: value } };
  if (typeof value === 'boolean') return { effectiveValue: { boolValue: value } };
  if (!value.startsWith('=')) return { effectiveValue: { stringValue: value } };
  return { userEnteredValue: { formulaValue: value }, effectiveValue: { stringValue: 'shown' } };
}

/** One look: the columns from left to right, and the row. */
function look(cells: readonly CellValue[], order: readonly string[] = columns, rowIndex = 1): PinnedView {
  const mapped = order.flatMap((key, columnIndex) =>
    key === '' || key === 'notes' ? [] : [{ key, columnIndex, anchorId: markOf[key] }],
  );
  return {
    rowByPin: new Map([[pin, { rowIndex, cells: cells.map(cellOf) }]]),
    header: { states: [], located: mapped },
    columnByMark: new Map(order.flatMap((key, index) => (key === '' ? [] : [[markOf[key]!, index]]))),
    headerTexts: order,
    forbidden: [],
  };
}

const rowIn = (view: PinnedView) => view.rowByPin.get(pin)!;

function row(number: number, id: string, name: CellValue, email: CellValue, score: CellValue): Row {
  return { number, id, cells: { name, email, score }, own: {}, formulas: [] };
}

const ann = row(2, 'a', 'Ann', 'ann@x', 1);
const bob = row(3, 'b', 'Bob', 'bob@x', 2);
const cy = row(4, 'c', 'Cy', 'cy@x', 3);
const snapshotOf = (...rows: readonly Row[]) => ({ rows }) as Snapshot;
const people = snapshotOf(ann, bob, cy);

const annCells = ['a', 'Ann', 'tag', 'ann@x', 1];
const bobCells = ['b', 'Bob', 'tag b', 'bob@x', 2];
const annThen = look(annCells);

/** What was sent to the row as it was looked at then, by key. */
function sent(then: PinnedView, change: Row, set: Readonly<Record<string, CellInput>>): SentRow {
  const indexByKey = new Map(then.header.located.map(({ key, columnIndex }) => [key, columnIndex]));
  const cells = new Map(Object.entries(set).map(([key, value]) => [indexByKey.get(key)!, value]));
  return { pin, cells, row: rowIn(then), item: { change: { row: change, set }, set } };
}

/** All columns in their place; what the answer shows of the row decides. */
const written = (cells: readonly CellValue[]): WrittenRow => ({ valueAt: (index) => cells[index] ?? null });
const inPlace = { areInPlace: true, columnByMark: new Map<number, number>() };
const atWriteOf = (otherId?: string, moved?: readonly string[]): AtWrite => ({
  areInPlace: moved === undefined,
  columnByMark: new Map((moved ?? []).flatMap((key, index) => (key === '' ? [] : [[markOf[key]!, index]]))),
  otherIdByPin: new Map(otherId === undefined ? [] : [[pin, otherId]]),
});
const insertedFirst = ['', ...columns];

describe('the columns at the moment of writing', () => {
  const placesOf = (texts: readonly string[] | undefined, view = annThen) => {
    const { areInPlace, columnByMark } = columnsAtWrite(view, texts);
    return { areInPlace, places: Object.fromEntries(columnByMark) };
  };
  const all = { 10: 0, 11: 1, 12: 2, 13: 3, 14: 4 };

  test('are in place if the header is the same, also with blanks behind it', () => {
    expect(placesOf(columns)).toEqual({ areInPlace: true, places: all });
    expect(placesOf([...columns, '', ''])).toEqual({ areInPlace: true, places: all });
  });

  test('are found by their headers if they moved', () => {
    expect(placesOf(insertedFirst)).toEqual({
      areInPlace: false,
      places: { 10: 1, 11: 2, 12: 3, 13: 4, 14: 5 },
    });
    expect(placesOf(['#id', 'name', 'notes', 'email'])).toEqual({
      areInPlace: false,
      places: { 10: 0, 11: 1, 12: 2, 13: 3 },
    });
    expect(placesOf([...columns, 'more'])).toEqual({ areInPlace: false, places: all });
  });

  test('are not known without the header row', () => {
    expect(placesOf(undefined)).toEqual({ areInPlace: false, places: {} });
  });

  test('are not told apart by a header that is blank, or that two columns have, then or at the write', () => {
    const doubled: PinnedView = { ...annThen, headerTexts: ['#id', 'name', 'name', '', 'score'] };
    expect(placesOf(['', '#id', 'name', 'name', 'score'], doubled).places).toEqual({ 10: 1, 14: 4 });
    expect(placesOf(['#id', 'score', 'notes', 'email', 'score']).places).toEqual({ 10: 0, 12: 2, 13: 3 });
  });
});

describe('whether a cell shows what was sent', () => {
  test.each<[CellValue, CellInput, boolean]>([
    ['x', 'x', true],
    ['x', 'y', false],
    [null, '', true],
    ['x', '', false],
    [1, 1, true],
    [1, '1', false],
    [true, true, true],
    [false, false, true],
    [false, '', false],
    ['=A1', '=A1', true],
    ['=A1', 'shown', false],
  ])('%j after %j: %j', (shown, value, isIt) => expect(isWritten(cellOf(shown), value)).toBe(isIt));
});

describe('whether columns moved between two looks', () => {
  test.each<[string, readonly string[], boolean]>([
    ['none', columns, false],
    ['a column without a mark came behind them', [...columns, ''], false],
    ['one was inserted before them', insertedFirst, true],
    ['two changed places', ['#id', 'name', 'notes', 'score', 'email'], true],
    ['the last one is gone', ['#id', 'name', 'notes', 'email'], true],
  ])('%s', (_, now, haveMoved) => expect(haveColumnsMoved(annThen, look([], now))).toBe(haveMoved));

  test('one that came counts as well', () => {
    expect(haveColumnsMoved(look([], ['#id', 'name']), look([], ['#id', 'name', 'notes']))).toBe(true);
  });

  test('a column is found again by its mark; one without a mark counts as unmoved', () => {
    const [then, now] = [look([], ['#id', 'name', '', 'email']), look([], ['', '#id', 'name'])];
    expect([0, 1, 2, 3, 9].map((index) => indexOfSame(then, now, index))).toEqual([1, 2, 2, undefined, 9]);
  });
});

describe('L9: whether the row is the one meant', () => {
  const isSame = (then: PinnedView, change: Row, set: Record<string, CellInput>, now: readonly CellValue[]) =>
    isSameRow(people, then, sent(then, change, set), (index) => now[index] ?? null);

  test.each<[string, Record<string, CellInput>, readonly CellValue[], boolean]>([
    ['its id is there', { email: 'new' }, ['a', 'Other', 'other', 'new', 9], true],
    ['another id is there', { email: 'new' }, ['b', 'Ann', 'tag', 'new', 1], false],
    ['its id is gone', { email: 'new' }, [null, 'Ann', 'tag', 'new', 1], false],
    ['its id was written, and its name is there', { '#id': 'z' }, ['z', 'Ann', null, null, null], true],
    [
      'its id was written, and only an unmapped cell is as before',
      { '#id': 'z' },
      ['z', null, 'tag', null, null],
      true,
    ],
    ['its id was written, and no cell is as before', { '#id': 'z' }, ['z', 'X', 'X', 'X', 9], false],
    ['its id was written, and one cell is of one other row', { '#id': 'z' }, ['z', 'Ann', 'tag', 'bob@x', 1], false],
    ['its id was written, and it has a text of no row', { '#id': 'z' }, ['z', 'Ann', 'tag', 'own', 1], true],
  ])('%s: %j', (_, set, now, isIt) => expect(isSame(annThen, ann, set, now)).toBe(isIt));

  test('a cell that was blank and still is shows nothing', () => {
    const then = look(['a', 'Ann', null, 'ann@x', null]);
    expect(isSame(then, ann, { '#id': 'z' }, ['z', 'X', null, 'X', null])).toBe(false);
  });

  const fresh = row(5, '', 'New', null, null);
  const freshThen = look([null, 'New', 'tag', null, null]);

  test.each<[string, Record<string, CellInput>, readonly CellValue[], boolean]>([
    ['still without an id, with its name', { email: 'new' }, [null, 'New', null, 'new'], true],
    ['still without an id, with another name and note', { email: 'new' }, [null, 'Other', 'x', 'new'], false],
    ['an id has come', { email: 'new' }, ['b', 'New', 'tag', 'new'], false],
    ['its only known cells were overwritten, and nothing else came', { name: 'Nu' }, [null, 'Nu', 'tag'], true],
  ])('a row without an id: %s: %j', (_, set, now, isIt) => expect(isSame(freshThen, fresh, set, now)).toBe(isIt));

  const bareThen = look([null, 'New', null, null, null]);

  test.each<[readonly CellValue[], boolean]>([
    [[null, 'Nu', null, null, null], true],
    [[null, 'Nu', 'came', null, null], false],
    [[null, 'Nu', null, null, 5], false],
  ])('a row without an id whose only cell was overwritten has no other now: %j', (now, isIt) => {
    expect(isSame(bareThen, fresh, { name: 'Nu' }, now)).toBe(isIt);
  });

  test('a cell that two other rows have shows nothing, nor does the result of a formula, nor the row itself', () => {
    const twins = snapshotOf(ann, bob, row(4, 'c', 'Bob', 'cy@x', 3));
    const isIt = (snapshot: Snapshot, then: PinnedView, now: readonly CellValue[]) =>
      isSameRow(snapshot, then, sent(then, ann, { '#id': 'z' }), (index) => now[index] ?? null);
    expect(isIt(twins, annThen, ['z', 'Bob', 'tag', 'ann@x', 1])).toBe(true);
    expect(isIt(people, annThen, ['z', 'Bob', 'tag', 'ann@x', 1])).toBe(false);
    expect(isIt(people, look(['a', '=A', 'tag', 'ann@x', 1]), ['z', 'Bob', 'tag', 'ann@x', 1])).toBe(true);
    const formerly = snapshotOf({ ...ann, cells: { ...ann.cells, name: 'Anne' } }, bob);
    expect(isIt(formerly, annThen, ['z', 'Anne', 'tag', 'ann@x', 1])).toBe(true);
    const sameScore = snapshotOf(ann, row(3, 'b', 'Bob', 'bob@x', 1));
    expect(isIt(sameScore, annThen, ['z', 'Ann', 'tag', 'ann@x', 1])).toBe(true);
    // Two rows of one id are copies of one row.
    const copies = snapshotOf(ann, bob, { ...bob, number: 9 });
    expect(isIt(copies, annThen, ['z', 'Bob', 'tag', 'ann@x', 1])).toBe(false);
  });
});

describe('L9: whether it is the row meant after a lost answer', () => {
  const isSameNow = (set: Record<string, CellInput>, now: PinnedView, change = ann, then = annThen) =>
    isSameRowNow(people, then, now, sent(then, change, set), rowIn(now));

  test.each<[string, Record<string, CellInput>, PinnedView, boolean]>([
    ['its id is there', { email: 'new' }, look(['a', 'Ann', 'tag', 'new', 1]), true],
    ['its id moved along with its column', { email: 'new' }, look([null, 'a', 'X', 'X', 'X', 9], insertedFirst), true],
    ['another id, nothing moved', { email: 'new' }, look(['b', 'Ann', 'tag', 'new', 1]), false],
    [
      'the value in the place of its id, nothing moved',
      { name: 'new' },
      look(['new', 'Ann', 'tag', 'ann@x', 1]),
      false,
    ],
    [
      'columns moved, and its id was overwritten by the value',
      { name: 'new' },
      look([null, 'new', 'Ann', 'tag', 'ann@x', 1], insertedFirst),
      true,
    ],
    [
      'columns moved, and its id was overwritten by the value in a row of other cells',
      { name: 'new' },
      look([null, 'new', 'Bob', 'tag b', 'bob@x', 2], insertedFirst),
      false,
    ],
    [
      'columns moved, and another id is there that was not written',
      { email: 'new' },
      look([null, 'b', 'Ann', 'new', 'ann@x', 1], insertedFirst),
      false,
    ],
    [
      'columns moved, and its id was written beside the cell',
      { '#id': 'z' },
      look(['z', 'a', 'Ann', 'tag', 'ann@x', 1], insertedFirst),
      true,
    ],
  ])('%s: %j', (_, set, now, isIt) => expect(isSameNow(set, now)).toBe(isIt));

  test('columns moved: what two values overwrote, and the cells they were sent to, show nothing', () => {
    const both = { name: 'new', email: 'e2' };
    expect(isSameNow(both, look([null, 'new', 'Ann', 'e2', 'ann@x', 1], insertedFirst))).toBe(true);
    const then = look(['a', 'Ann', 'tag', null, null]);
    expect(isSameNow(both, look([null, 'new', 'Ann', 'e2', null, null], insertedFirst), ann, then)).toBe(true);
    expect(isSameNow({ name: 'new' }, look([null, 'new', 'Ann', 'X', null, null], insertedFirst), ann, then)).toBe(
      false,
    );
  });

  test('columns moved, and a row without an id shows one: by its other cells', () => {
    const fresh = row(5, '', 'New', null, null);
    const then = look([null, 'New', 'tag', null, null]);
    const isIt = (now: PinnedView) => isSameNow({ name: 'Nu' }, now, fresh, then);
    expect(isIt(look([null, 'Nu', 'New', 'tag', null, null], insertedFirst))).toBe(true);
    expect(isIt(look([null, 'b', 'Nu', 'other', null, null], insertedFirst))).toBe(false);
  });
});

describe('L9: the id of the row that was written to, by the answer', () => {
  const otherId = (
    set: Record<string, CellInput>,
    now: readonly CellValue[],
    places: Pick<AtWrite, 'areInPlace' | 'columnByMark'> = inPlace,
    change = ann,
    then = annThen,
  ) => otherIdAtWrite(people, then, sent(then, change, set), written(now), places);

  test('none if it is the row meant', () => {
    expect(otherId({ email: 'new' }, ['a', 'X', 'X', 'new', 9])).toBeUndefined();
    expect(otherId({ '#id': 'z' }, ['z', 'Ann', 'tag', 'ann@x', 1])).toBeUndefined();
    expect(otherId({ email: 'new' }, [null, 'a', 'Ann', 'new'], atWriteOf(undefined, insertedFirst))).toBeUndefined();
  });

  test('that of the other row, or none that is known', () => {
    expect(otherId({ email: 'new' }, ['b', 'Ann', 'tag', 'new', 1])).toBe('b');
    expect(otherId({ email: 'new' }, [null, 'Ann', 'tag', 'new', 1])).toBe('');
    expect(otherId({ '#id': 'z' }, ['z', 'Bob', 'tag b', 'bob@x', 2])).toBe('');
    expect(otherId({ email: 'new' }, [null, 'b', 'Bob', 'new'], atWriteOf(undefined, insertedFirst))).toBe('b');
  });

  test('if the ID cell was overwritten, or its place is not known, the other cells decide', () => {
    const moved = atWriteOf(undefined, insertedFirst);
    expect(otherId({ name: 'new' }, [null, 'new', 'Ann', 'tag', 'ann@x', 1], moved)).toBeUndefined();
    expect(otherId({ name: 'new' }, [null, 'new', 'Bob', 'tag b', 'bob@x', 2], moved)).toBe('');
    const unknown = { areInPlace: false, columnByMark: new Map<number, number>() };
    expect(otherId({ email: 'new' }, ['b', 'Bob', 'tag b', 'new', 2], unknown)).toBeUndefined();
  });

  test('a row without an id is known by its other cells', () => {
    const fresh = row(5, '', 'New', null, null);
    const then = look([null, 'New', 'tag', null, null]);
    const of = (now: readonly CellValue[]) => otherId({ email: 'new' }, now, inPlace, fresh, then);
    expect(of([null, 'New', null, 'new'])).toBeUndefined();
    expect(of([null, 'Other', 'x', 'new'])).toBe('');
    expect(of(['b', 'New', 'tag', 'new'])).toBe('b');
  });

  test('the id that a row shows; the one just written is none', () => {
    const item = sent(annThen, ann, { '#id': 'z' }).item;
    const idIn = (view: PinnedView) => idNow(view, item, rowIn(view));
    expect(idIn(look(['b']))).toBe('b');
    expect(idIn(look(['z']))).toBe('');
    expect(idIn(look([]))).toBe('');
    expect(idIn(look(['x', 'b'], ['name', 'email']))).toBe('');
  });
});

/** Without the marks and the pin. */
function strays(
  set: Record<string, CellInput>,
  now: PinnedView,
  atWrite: AtWrite | undefined,
  { snapshot = people, change = ann, from: then = annThen } = {},
) {
  return findStrayValues(snapshot, then, now, sent(then, change, set), atWrite).map(
    ({ cell, written: value, before, columnIndex }) => ({ cell, value, before, columnIndex }),
  );
}
const was = (value: CellValue, formula?: string) => ({ value, formula });

describe('L9: values in wrong cells of the right row', () => {
  test('none without the row, and none if nothing moved after a lost answer, whatever people typed since', () => {
    const typed = look(['a', 'Ann', 'new', 'new', 1]);
    expect(strays({ email: 'new' }, typed, undefined)).toEqual([]);
    expect(strays({ email: 'new' }, { ...annThen, rowByPin: new Map() }, atWriteOf())).toEqual([]);
  });

  test('a value left of its column: the cell is named with its former content, a formula too', () => {
    const then = look(['a', 'Ann', '=UPPER(A1)', 'ann@x', 1]);
    const now = look([null, 'a', 'Ann', 'new', 'ann@x', 1], insertedFirst, 6);
    const expected = [{ cell: 'D7', value: 'new', before: was('shown', '=UPPER(A1)'), columnIndex: 3 }];
    expect(strays({ email: 'new' }, now, atWriteOf(undefined, insertedFirst), { from: then })).toEqual(expected);
    expect(strays({ email: 'new' }, now, undefined, { from: then })).toEqual(expected);
  });

  test('a cleared cell at the end of the row is one of those that the answer leaves out', () => {
    const order = ['', '#id', 'name', 'email', 'score'];
    const then = look(['a', 'Ann', 'ann@x', 1], ['#id', 'name', 'email', 'score']);
    const cleared = look([null, 'a', 'Ann', 'ann@x'], order);
    expect(strays({ score: '' }, look([null, 'a', 'Ann', null, 1], order), undefined, { from: then })).toEqual([
      { cell: 'D2', value: '', before: was('ann@x'), columnIndex: 3 },
    ]);
    expect(strays({ score: '' }, cleared, undefined, { from: then })).toEqual([]);
    const short = look([null, 'a', 'Ann'], ['', '#id', 'name', '', 'email', 'score']);
    expect(strays({ email: '' }, short, undefined, { from: then })).toEqual([
      { cell: 'F2', value: '', before: was(1), columnIndex: 5 },
    ]);
    const swapped = look(['a', 'Ann', 1], ['#id', 'name', 'score', 'email']);
    expect(strays({ score: '' }, swapped, undefined, { from: then })).toEqual([
      { cell: 'D2', value: '', before: was('ann@x'), columnIndex: 3 },
    ]);
  });

  test('a cell that held the value before, or that a person changed since, is left alone', () => {
    const moved = atWriteOf(undefined, insertedFirst);
    const same = look(['a', 'Ann', 'new', 'ann@x', 1]);
    expect(
      strays({ email: 'new' }, look([null, 'a', 'Ann', 'new', 'x'], insertedFirst), moved, { from: same }),
    ).toEqual([]);
    expect(strays({ email: 'new' }, look([null, 'a', 'Ann', 'mine', 'ann@x', 1], insertedFirst), moved)).toEqual([]);
  });

  test('a formula that shows the value is none, and a formula in the place of a value that it shows is one', () => {
    const now = look([null, 'a', 'Ann', '=X', 'ann@x', 1], insertedFirst);
    expect(strays({ email: 'shown' }, now, undefined)).toEqual([]);
    const then = look(['a', 'Ann', '=X', 'ann@x', 1]);
    const plain = look([null, 'a', 'Ann', 'shown', 'ann@x', 1], insertedFirst);
    expect(strays({ email: 'shown' }, plain, undefined, { from: then })).toEqual([
      { cell: 'D2', value: 'shown', before: was('shown', '=X'), columnIndex: 3 },
    ]);
  });

  test('by the answer a cell counts only for the value that was sent to its place at that moment', () => {
    const now = look([null, 'a', 'Ann', 'one', 'one', 'ann@x'], insertedFirst);
    const set = { email: 'one', score: 'two' };
    // `email` stood in the place of the score, to which something else was sent.
    expect(strays(set, now, atWriteOf(undefined, insertedFirst)).map(({ cell }) => cell)).toEqual(['D2']);
    const typed = look([null, 'a', 'one', 'one', 'mine', 1], insertedFirst);
    expect(strays(set, typed, atWriteOf(undefined, insertedFirst)).map(({ cell }) => cell)).toEqual(['D2']);
    const lost = look([null, 'a', 'Ann', 'one', 'two', 'one'], insertedFirst);
    expect(strays(set, lost, undefined).map(({ cell, value }) => [cell, value])).toEqual([
      ['D2', 'one'],
      ['E2', 'two'],
      ['F2', 'one'],
    ]);
  });

  test('a column without a mark shows it by its value, and had no known content', () => {
    const now = look(['new', 'a', 'Ann', 'tag', 'ann@x', 1], insertedFirst);
    const { row: then, cells } = sent(annThen, ann, { '#id': 'new' });
    expect(findStrayValuesInRow(annThen, now, { pin, row: then, cells }, rowIn(now), undefined)).toEqual([
      {
        pin,
        mark: undefined,
        columnIndex: 0,
        cell: 'A2',
        written: 'new',
        before: { value: null, formula: undefined },
      },
    ]);
  });

  test('by the answer alone: each value whose column was elsewhere', () => {
    const one = sent(annThen, ann, { name: 'Nu', email: 'new' });
    expect(strayValuesByAnswer(annThen, one, atWriteOf(undefined, insertedFirst))).toEqual([
      { cell: 'B2', written: 'Nu', before: 'a', isRestored: false },
      { cell: 'D2', written: 'new', before: 'tag', isRestored: false },
    ]);
    expect(strayValuesByAnswer(annThen, one, atWriteOf(undefined, columns))).toEqual([]);
    expect(strayValuesByAnswer(annThen, one, atWriteOf(undefined, ['#id', 'name']))).toEqual([
      { cell: 'D2', written: 'new', before: undefined, isRestored: false },
    ]);
  });
});

describe('columns in which a row shows a sent value', () => {
  const shown = (set: Record<string, CellInput>, now: PinnedView) =>
    shownColumns(annThen, now, sent(annThen, ann, set), rowIn(now));

  test('those that did not show it before, also if they moved', () => {
    const set = { name: 'Ann', email: 'new', score: 9 };
    expect(shown(set, look(['a', 'Ann', 'tag', 'new', 1]))).toEqual([3]);
    expect(shown(set, look([null, 'a', 'Ann', 'tag', 'new', 9], insertedFirst))).toEqual([3, 4]);
    expect(shown(set, look(['a', 'Ann', 'tag', 9], ['#id', 'name', 'notes', 'score']))).toEqual([4]);
    expect(shown(set, look(annCells))).toEqual([]);
  });
});

describe('L9: values in another row than the one meant', () => {
  const set = { email: 'new' };

  test('what the row held is known by its id in the snapshot, if most of its other cells are there', () => {
    const restored = [{ cell: 'D2', value: 'new', before: was('bob@x'), columnIndex: 3 }];
    const unknown = [{ cell: 'D2', value: 'new', before: undefined, columnIndex: 3 }];
    expect(strays(set, look(['b', 'Bob', 'tag b', 'new', 2]), atWriteOf('b'))).toEqual(restored);
    expect(strays(set, look(['b', 'Bob', 'tag b', 'new', 2]), undefined)).toEqual(restored);
    // Half of them is not most of them.
    expect(strays(set, look(['b', 'Bob', 'tag b', 'new', 1]), atWriteOf('b'))).toEqual(unknown);
    expect(strays(set, look(['b', 'Ann', 'tag', 'new', 1]), atWriteOf('b'))).toEqual(unknown);
    expect(strays(set, look(['b', null, null, 'new']), atWriteOf('b'))).toEqual(restored);
    expect(strays(set, look(['q', 'Bob', 'tag b', 'new', 2]), atWriteOf('q'))).toEqual(unknown);
  });

  test('copies of the row count if they agree', () => {
    const copy = { ...bob, number: 9 };
    const now = look(['b', 'Bob', 'tag b', 'new', 2]);
    const before = (snapshot: Snapshot) => strays(set, now, atWriteOf('b'), { snapshot }).map((each) => each.before);
    expect(before(snapshotOf(ann, bob, copy))).toEqual([was('bob@x')]);
    expect(before(snapshotOf(ann, bob, { ...copy, cells: { ...bob.cells, email: 'else' } }))).toEqual([undefined]);
    expect(before(snapshotOf(ann, bob, { ...copy, cells: { name: 'Bob' } }))).toEqual([undefined]);
    expect(before(snapshotOf(ann, { ...bob, cells: { name: 'Bob', score: 2 } }))).toEqual([undefined]);
  });

  test('a row that had the very value is not harmed, and one that no longer shows it is named only if it is known', () => {
    expect(strays({ email: 'bob@x' }, look(bobCells), atWriteOf('b'))).toEqual([]);
    expect(strays({ email: 'bob@x' }, look(bobCells), undefined)).toEqual([]);
    const typed = look(['b', 'Bob', 'tag b', 'mine', 2]);
    expect(strays(set, typed, undefined)).toEqual([]);
    expect(strays(set, typed, atWriteOf('b'))).toEqual([
      { cell: 'D2', value: 'new', before: was('bob@x'), columnIndex: 3 },
    ]);
  });

  test('if no column moved, the value is in its column, whatever else shows it', () => {
    expect(strays(set, look(['b', 'Bob', 'new', 'new', 2]), undefined)).toMatchObject([{ cell: 'D2', columnIndex: 3 }]);
  });

  test('yet another row in its place is reported, and no cell of it is named for repair', () => {
    expect(strays(set, look(['c', 'Cy', '', 'new', 3]), atWriteOf('b'))).toEqual([
      { cell: 'D2', value: 'new', before: undefined, columnIndex: -1 },
    ]);
    // A cleared cell is no trace: nothing is known of where it was.
    expect(strays({ email: '' }, look(['c', 'Cy', '', null, 3]), atWriteOf('b'))).toMatchObject([{ columnIndex: -1 }]);
  });

  test('after a lost answer a cleared cell whose column is not known is not reported', () => {
    const now = look([null, 'b', 'Bob', 'tag b', null, 2], insertedFirst);
    expect(strays({ email: '' }, now, undefined)).toEqual([]);
  });

  test('if columns moved, a value identifies its column if it stands there once', () => {
    const moved = atWriteOf('b');
    const unplaced: AtWrite = { ...moved, areInPlace: false };
    const once = look([null, 'b', 'Bob', 'new', 'bob@x', 2], insertedFirst);
    const twice = look([null, 'b', 'Bob', 'new', 'new', 2], insertedFirst);
    expect(strays(set, once, undefined)).toMatchObject([{ cell: 'D2', columnIndex: 3 }]);
    expect(strays(set, twice, unplaced)).toMatchObject([{ cell: 'D2', columnIndex: -1 }]);
    expect(strays({ email: '' }, once, unplaced)).toMatchObject([{ columnIndex: -1 }]);
    // The answer says which column stood at the place that was written to.
    const inIts = look([null, 'b', 'Bob', 'tag b', 'new', 2], insertedFirst);
    expect(strays(set, inIts, undefined)).toMatchObject([{ cell: 'E2', columnIndex: 4, before: was('bob@x') }]);
    // They moved after the write.
    expect(strays(set, inIts, moved)).toMatchObject([{ cell: 'E2', columnIndex: 4, before: was('bob@x') }]);
    const known: AtWrite = { ...atWriteOf('b', insertedFirst) };
    expect(strays(set, twice, known)).toMatchObject([{ cell: 'D2', columnIndex: 3, before: undefined }]);
    const gone = look(['b', 'Bob', 'new', 2], ['#id', 'name', 'email', 'score']);
    expect(strays(set, gone, known)).toMatchObject([{ columnIndex: -1 }]);
  });

  describe('without an id', () => {
    const nameless = (...rows: readonly Row[]) => snapshotOf(ann, ...rows);
    const dora = row(6, '', 'Dora', 'dora@x', 7);

    test('its cells are those of the only row that has all the others', () => {
      const now = look([null, 'Dora', null, 'new', 7]);
      const before = (...rows: readonly Row[]) =>
        strays(set, now, atWriteOf(''), { snapshot: nameless(...rows) }).map((each) => each.before);
      expect(before(dora, bob)).toEqual([was('dora@x')]);
      expect(before(bob)).toEqual([undefined]);
      expect(before(row(6, '', 'Dora', 'dora@x', 8))).toEqual([undefined]);
      expect(before(dora, row(7, 'd', 'Dora', 'other@x', 7))).toEqual([undefined]);
      // The row meant is not the other one, nor is a copy of it.
      expect(before({ ...dora, number: 2 })).toEqual([undefined]);
      expect(before({ ...dora, id: 'a' })).toEqual([undefined]);
      expect(before({ ...dora, id: 'd' })).toEqual([was('dora@x')]);
      expect(before(dora, { ...dora, number: 7, id: 'd' })).toEqual([undefined]);
      const one = strays(set, look([null, 'Dora', null, 'new']), atWriteOf(''), { snapshot: nameless(dora, bob) });
      expect(one).toMatchObject([{ before: was('dora@x') }]);
    });

    test('the row meant, whose ID alone was emptied or typed over, held what it was known to hold', () => {
      const before = (cells: readonly CellValue[], ...rows: readonly Row[]) =>
        strays(set, look(cells), atWriteOf(''), { snapshot: nameless(...rows) }).map((each) => each.before);
      expect(before([null, 'Ann', 'tag', 'new', 1], bob)).toEqual([was('ann@x')]);
      // Other cells of it went, too, or others came: whose row it is, is not known.
      expect(before([null, 'Ann', 'tag', 'new', null], bob)).toEqual([undefined]);
      expect(before([null, 'Ann', 'tag', 'new', 2], bob)).toEqual([undefined]);
      // Another row looks the same.
      expect(before([null, 'Ann', 'tag', 'new', 1], row(6, '', 'Ann', 'other@x', 1))).toEqual([undefined]);
      // A text that is no row's ID stands in its place.
      const typedOver = (cells: readonly CellValue[]) =>
        strays(set, look(cells), atWriteOf('q'), { snapshot: nameless(bob) }).map((each) => each.before);
      expect(typedOver(['q', 'Ann', 'tag', 'new', 1])).toEqual([was('ann@x')]);
      expect(typedOver(['q', 'Ann', 'tag', 'new', 2])).toEqual([undefined]);
      expect(typedOver(['q', null, 'tag', 'new', null])).toEqual([undefined]);
      // A copy of it does not count.
      expect(before([null, 'Ann', 'tag', 'new', 1], { ...ann, number: 6 })).toEqual([was('ann@x')]);
    });

    test('a blank row held nothing, unless a known row had cells nowhere else', () => {
      const now = look([null, null, null, 'new']);
      const before = (...rows: readonly Row[]) =>
        strays(set, now, atWriteOf(''), { snapshot: nameless(...rows) }).map((each) => each.before);
      expect(before(bob)).toEqual([was(null)].map(({ value }) => ({ value })));
      expect(before(row(6, '', null, 'only@x', null))).toEqual([undefined]);
      expect(before(row(6, 'e', null, 'only@x', null))).toEqual([{ value: null }]);
      expect(before(row(2, '', null, 'only@x', null))).toEqual([{ value: null }]);
      expect(before(row(6, '', 'Dora', 'only@x', null))).toEqual([{ value: null }]);
    });

    test('an id that was written over that of a row with no other cells is known no more', () => {
      const now = look(['z']);
      const before = (...rows: readonly Row[]) =>
        strays({ '#id': 'z' }, now, atWriteOf(''), { snapshot: nameless(...rows) }).map((each) => each.before);
      expect(before(bob)).toEqual([{ value: null }]);
      expect(before(row(6, 'e', null, null, null))).toEqual([undefined]);
    });

    test('an id that was written over that of the only row with those cells is that of it', () => {
      const now = look(['z', 'Bob', 'tag b', 'bob@x', 2]);
      expect(strays({ '#id': 'z' }, now, atWriteOf(''))).toEqual([
        { cell: 'A2', value: 'z', before: was('b'), columnIndex: 0 },
      ]);
      const fresh = row(6, '', 'Bob', 'bob@x', 2);
      expect(strays({ '#id': 'z' }, now, atWriteOf(''), { snapshot: snapshotOf(ann, fresh) })).toMatchObject([
        { before: was(null) },
      ]);
    });

    test('a cell of a column that is not mapped is no trace, and its former content is not known', () => {
      const now = look([null, null, 'tag', 'new']);
      expect(strays(set, now, atWriteOf(''))).toMatchObject([{ before: undefined }]);
      expect(strays(set, now, atWriteOf(''), { snapshot: nameless(bob) })).toMatchObject([{ before: undefined }]);
    });
  });
});
