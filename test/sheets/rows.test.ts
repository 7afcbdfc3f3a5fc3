// A row whose text the caller holds is compared as a whole. In any notation the result is that of its cells.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answeredRanges } from '../../src/sheets/google/answered-rows.ts';
import type { OpenCell } from '../../src/sheets/google/open-cells.ts';
import { toRawAnswer } from '../../src/sheets/google/raw-answer.ts';
import { RowCursor } from '../../src/sheets/google/row-cursor.ts';
import { Expansions, mayExpand } from '../../src/sheets/google/expansion.ts';
import { appendRows, columnLines, formulaTextOf, type KnownText } from '../../src/sheets/google/rows.ts';
import type { ValueBlock } from '../../src/sheets/google/values.ts';
import type { CellValue, ColumnSpec, Row } from '../../src/sheets/port.ts';

const context = { spreadsheetId: 's' };
const keys = ['a', 'b', 'c'];
const columns = keys.map((key): ColumnSpec => ({ key, header: key, format: key === 'c' ? 'number' : 'text' }));

interface Taken {
  readonly rows: readonly Row[];
  readonly open: readonly string[];
}

/** `idAt`: the place of the ID among the columns. */
const withId = (idAt: number): readonly string[] => keys.toSpliced(idAt, 0, '#id');

async function blockOf(values: string, startColumn = 0): Promise<ValueBlock> {
  const body = `{"valueRanges":[{"valueRange":{"range":"'A'!A2:D","values":[${values}]}}]}`;
  const answer = await toRawAnswer(ReadableStream.from([new TextEncoder().encode(body)]), context);
  const [range] = answeredRanges(answer, context);
  return { startRow: 1, startColumn, ...range! };
}

/** `order`: the keys by column; a column without one is not mapped. */
function takeBlocks(
  blocks: readonly ValueBlock[],
  order: readonly string[],
  known?: KnownText,
  specs: readonly ColumnSpec[] = columns,
) {
  const located = order.flatMap((key, columnIndex) => (key === '' ? [] : [{ key, columnIndex, anchorId: undefined }]));
  const rows: Row[] = [];
  const open: OpenCell[] = [];
  appendRows(rows, open, blocks, located, specs, known, new Expansions(0, []));
  return { rows, open };
}

async function take(values: string, idAt: number, known?: KnownText): Promise<Taken> {
  const { rows, open } = takeBlocks([await blockOf(values)], withId(idAt), known);
  return { rows, open: open.map(({ rowIndex, columnIndex, answered }) => `${rowIndex} ${columnIndex} ${answered}`) };
}

const contentOf = ({ number, id, cells }: Row) => ({ number, id, cells });
const packed = ({ cells }: Row) => JSON.stringify(keys.map((key) => cells[key]));

const cell = fc.oneof(
  fc.constantFrom<CellValue[]>('', '', null, 'Ann', 'null', ',null,', '=1', '#N/A', "'5", 'Loading...', 'Lea', '"="'),
  fc.constantFrom<CellValue[]>(true, false, 0, 1.5, 1e21, '{', '{}', '],[', '"],["x', '\\', '\\"', 'Zoë 😀', 'x]'),
  // A generated text may be an array formula, such as `={`, in whose reach each blank cell is open.
  fc.string().filter((text) => !mayExpand(text)),
);
const id = fc.constantFrom('u-1', 'u-2', 'u-3', '', 'Loading...', '=A1', '#1', 'a\\b', 'a"b', 'ü', '7');
const person = fc.record({ id, cells: fc.tuple(cell, cell, cell), isHeld: fc.constantFrom('as is', 'else', 'not') });

test('L2, V3: with texts of the caller a row has the same cells, and it is unchanged if they are those of its text; a blank for a value is open', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(person, { maxLength: 6 }),
      fc.constantFrom(0, 1, 3),
      fc.boolean(),
      fc.constantFrom(',', ', '),
      async (people, idAt, isTrimmed, comma) => {
        const lines = people.map((each) => {
          const line = (each.cells as unknown[]).toSpliced(idAt, 0, each.id);
          const end = isTrimmed ? line.findLastIndex((value) => value !== '' && value !== null) + 1 : line.length;
          return `[${line
            .slice(0, end)
            .map((value) => JSON.stringify(value))
            .join(comma)}]`;
        });
        const plain = await take(lines.join(','), idAt);
        const held = new Map(plain.rows.map((row) => [row.id, packed(row)]));
        for (const each of people) {
          if (each.isHeld === 'not') held.delete(each.id);
          else if (each.isHeld === 'else') held.set(each.id, '["Ann",null,1.5]');
        }
        const known = await take(lines.join(','), idAt, (of) => held.get(of));
        expect(known.rows.map(contentOf)).toEqual(plain.rows.map(contentOf));
        const emptied = known.rows.flatMap((row) => {
          const text = held.get(row.id);
          const before = text === undefined || text === packed(row) ? [] : (JSON.parse(text) as CellValue[]);
          const places = keys.filter((key, place) => row.cells[key] === null && (before[place] ?? null) !== null);
          return places.map((key) => `${row.number - 1} ${withId(idAt).indexOf(key)} null`);
        });
        expect(known.open.filter((each) => each.endsWith(' null'))).toEqual(emptied);
        expect(known.open.filter((each) => !each.endsWith(' null'))).toEqual(plain.open);
        expect(known.rows.map(({ unchangedText }) => unchangedText)).toEqual(
          plain.rows.map((row) => (held.get(row.id) === packed(row) ? held.get(row.id) : undefined)),
        );
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a row whose text is cut by an end that stands in a cell is read whole', async () => {
  const { rows } = await take('["u-1","x],[y",1],["u-2","z"]', 0, () => '["x",null,null]');
  expect(rows.map(contentOf)).toEqual([
    { number: 2, id: 'u-1', cells: { a: 'x],[y', b: 1, c: null } },
    { number: 3, id: 'u-2', cells: { a: 'z', b: null, c: null } },
  ]);
});

/** The ids for which the text of the caller was asked, and the rows whose text it is. */
async function askedFor(values: string, idAt: number, texts: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const { rows } = await take(values, idAt, (of) => {
    asked.push(of);
    return texts[of];
  });
  return { asked, unchanged: rows.flatMap(({ id: of, unchangedText }) => (unchangedText === undefined ? [] : of)) };
}

// A row that is compared as a whole is asked for once. One whose cells are found is asked for once more.
test.each<[what: string, values: string, idAt: number, held: string]>([
  ['a full row, its ID first', '["u-1","x","y",1]', 0, '["x","y",1]'],
  ['a full row, its ID last', '["x","y",1,"u-1"]', 3, '["x","y",1]'],
  ['blank cells within', '["u-1","","y",1]', 0, '[null,"y",1]'],
  ['blank cells at the end', '["u-1","x"]', 0, '["x",null,null]'],
  ['nothing but its ID', '["u-1"]', 0, '[null,null,null]'],
  ['blank cells, its ID last', '["x","","","u-1"]', 3, '["x",null,null]'],
  ['a word that looks like a blank', '["u-1","null","y",1]', 0, '["null","y",1]'],
])('V3: %s: compared as a whole with the text of the caller', async (_, values, idAt, held) => {
  expect(await askedFor(values, idAt, { 'u-1': held })).toEqual({ asked: ['u-1'], unchanged: ['u-1'] });
});

test('V8: a number in a column of text is open, also where the caller holds the very text; one in a column of numbers is not', async () => {
  const { open } = await take('["u-1",46095,"y",1]', 0, () => '[46095,"y",1]');
  expect(open).toEqual(['1 1 46095']);
});

test.each<[what: string, values: string, held: string]>([
  ['a formula', '["u-1","=1","y",1]', '["=1","y",1]'],
  ['an error', '["u-1","x","#N/A",1]', '["x","#N/A",1]'],
  ['an apostrophe', `["u-1","x","'5",1]`, `["x","'5",1]`],
  ['a result that is being calculated', '["u-1","x","Loading...",1]', '["x","Loading...",1]'],
  ['a column that was not found', '["u-1","x","{}",1]', '["x","{}",1]'],
])('V5: with %s the cells are found all the same', async (_, values, held) => {
  expect(await askedFor(values, 0, { 'u-1': held })).toEqual({ asked: ['u-1', 'u-1'], unchanged: ['u-1'] });
});

test.each([
  ['a blank ID', '["","x","y",1]'],
  ['an ID with an escape', '["a\\\\b","x","y",1]'],
  ['an ID that is a formula', '["=A1","x","y",1]'],
])('V3: with %s no text is taken for that of the row before its cells are found', async (_, values) => {
  const { asked } = await askedFor(values, 0, {});
  expect(asked).toHaveLength(1);
});

test('L9: with other columns between the mapped ones no row is taken for that of another ID', async () => {
  const block = await blockOf('["u-2","y","z","u-1"],["u-1","","x","v","w"]');
  const held: Record<string, string> = { 'u-1': '["u-2","y","z"]' };
  const { rows } = takeBlocks([block], ['#id', '', 'a', 'b', 'c'], (of) => held[of]);
  expect(rows.map(contentOf)).toEqual([
    { number: 2, id: 'u-2', cells: { a: 'z', b: 'u-1', c: null } },
    { number: 3, id: 'u-1', cells: { a: 'x', b: 'v', c: 'w' } },
  ]);
});

test('L9: what stands between the mapped columns and the ID column is no ID', async () => {
  const block = await blockOf('["x","y",1,"u-1"],["x","y",1,"u-1","u-2"]');
  const { rows } = takeBlocks([block], ['a', 'b', 'c', '', '#id'], () => '["x","y",1]');
  expect(rows.map(({ id: of }) => of)).toEqual(['', 'u-2']);
});

test.each([
  [['#id', 'b', 'a', 'c'], { a: 'y', b: 'x', c: 1 }],
  [['#id', 'a', 'c', 'b'], { a: 'x', b: 1, c: 'y' }],
  [['#id', 'a', 'b'], { a: 'x', b: 'y' }],
  [['#id', 'b', 'c'], { b: 'x', c: 'y' }],
  [['#id'], {}],
])('W11: with columns in the order %j each cell is that of its column', async (order, cells) => {
  const { rows } = takeBlocks([await blockOf('["u-1","x","y",1]')], order, () => '["x","y",1]');
  expect(rows.map(contentOf)).toEqual([{ number: 2, id: 'u-1', cells }]);
  expect(rows[0]!.unchangedText).toBeUndefined();
});

test('V3: without an ID column a row has no id, and a row of blanks is left out', async () => {
  const { rows } = takeBlocks([await blockOf('["x"],["",""],["","","z"]')], ['a', 'b', 'c'], () => '["x",null,null]');
  expect(rows.map(contentOf)).toEqual([
    { number: 2, id: '', cells: { a: 'x', b: null, c: null } },
    { number: 4, id: '', cells: { a: null, b: null, c: 'z' } },
  ]);
});

test('columns in several blocks make one row, up to the end of the longest', async () => {
  const blocks = [await blockOf('["u-1","x"]'), await blockOf('["y",1],["z"]', 3)];
  const { rows } = takeBlocks(blocks, ['#id', 'a', '', 'b', 'c'], () => '["x","y",1]');
  expect(rows.map(contentOf)).toEqual([
    { number: 2, id: 'u-1', cells: { a: 'x', b: 'y', c: 1 } },
    { number: 3, id: '', cells: { a: null, b: 'z', c: null } },
  ]);
  const withFormula = [await blockOf('["u-1","x"]'), await blockOf('["=1"]', 3)];
  expect(takeBlocks(withFormula, ['#id', 'a', '', 'b']).open.map(({ answered }) => answered)).toEqual(['=1']);
  expect(takeBlocks([], [])).toEqual({ rows: [], open: [] });
});

describe('columns of the caller’s own', () => {
  const specs = columns.map((column) => (column.key === 'c' ? { ...column, isOwn: true as const } : column));
  const held = () => '["x","y"]';

  test('V3: a blank cell of one is blank, not unknown, also in an unchanged row', async () => {
    const { rows } = takeBlocks([await blockOf('["u-1","x","y"],["u-1","x","y",5]')], withId(0), held, specs);
    expect(rows.map(({ own, cells, unchangedText }) => ({ own, cells, unchangedText }))).toEqual([
      { own: { c: null }, cells: { a: 'x', b: 'y', c: null }, unchangedText: '["x","y"]' },
      { own: { c: 5 }, cells: { a: 'x', b: 'y', c: 5 }, unchangedText: '["x","y"]' },
    ]);
  });

  test('V3: one that was not found has no cell', async () => {
    const { rows } = takeBlocks([await blockOf('["u-1","x","y"]')], ['#id', 'a', 'b'], held, specs);
    expect(rows.map(({ own, cells }) => ({ own, cells }))).toEqual([{ own: {}, cells: { a: 'x', b: 'y' } }]);
  });

  test('V5: its formula is settled like any other', async () => {
    const { rows, open } = takeBlocks([await blockOf('["u-1","x","y","=1"]')], withId(0), held, specs);
    open[0]!.settle({
      value: 1,
      text: undefined,
      formula: '=1',
      isCovered: false,
      isExpanded: false,
      hasEntered: true,
    });
    expect(rows[0]).toMatchObject({ own: { c: 1 }, formulas: ['c'], unchangedText: '["x","y"]' });
    expect(formulaTextOf(rows[0]!, 'c')).toBe('=1');
  });
});

test('V5: what an open cell shows takes the place of its text, and formulas are kept beside the row', async () => {
  const { rows, open } = takeBlocks([await blockOf('["=A","=1","#N/A","x"]')], withId(0), () => '["=1","#N/A","x"]');
  const [row] = rows;
  expect(open.map(({ rowIndex, columnIndex, answered, idText }) => [rowIndex, columnIndex, answered, idText])).toEqual([
    [1, 1, '=1', '=A'],
    [1, 2, '#N/A', '=A'],
    [1, 0, '=A', '=A'],
  ]);
  expect(row!.unchangedText).toBe('["=1","#N/A","x"]');
  open[0]!.settle({ value: 1, text: undefined, formula: '=1', isCovered: false, isExpanded: false, hasEntered: true });
  open[1]!.settle({
    value: { error: '#N/A' },
    text: undefined,
    formula: undefined,
    isCovered: false,
    isExpanded: false,
    hasEntered: true,
  });
  expect(row).toMatchObject({ id: '=A', formulas: ['a'], unchangedText: undefined });
  open[2]!.settle({
    value: ' u-7 ',
    text: undefined,
    formula: '=A',
    isCovered: false,
    isExpanded: false,
    hasEntered: true,
  });
  expect(row).toMatchObject({
    id: 'u-7',
    cells: { a: 1, b: { error: '#N/A' }, c: 'x' },
    formulas: ['a', '#id'],
  });
  expect(['a', 'b', '#id'].map((key) => formulaTextOf(row!, key))).toEqual(['=1', undefined, '=A']);
});

test('L7: the lines of a column name each cell that is not blank with its row', () => {
  const rows = [
    ['a', 1],
    ['', ''],
    ['c', '2'],
    ['d', null],
    ['e', true],
  ];
  const blocks: ValueBlock[] = [
    { startRow: 4, startColumn: 5, rows: [['x']], cursor: () => new RowCursor([['x']]) },
    { startRow: 4, startColumn: 1, rows, cursor: () => new RowCursor(rows) },
  ];
  expect(columnLines(blocks, 2)).toEqual(['4 1', '6 "2"', '8 true']);
  expect(columnLines(blocks, 1)).toEqual(['4 "a"', '6 "c"', '7 "d"', '8 "e"']);
  expect(columnLines(blocks, 5)).toEqual(['4 "x"']);
  expect(columnLines(blocks, 0)).toEqual([]);
});
