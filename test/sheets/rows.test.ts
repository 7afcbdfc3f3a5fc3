// A row whose text the caller holds is compared as a whole. In any notation the result is that of its cells.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { answeredRanges } from '../../src/sheets/google/answered-rows.ts';
import type { OpenCell } from '../../src/sheets/google/open-cells.ts';
import { toRawAnswer } from '../../src/sheets/google/raw-answer.ts';
import { appendRows, type KnownText } from '../../src/sheets/google/rows.ts';
import type { CellValue, ColumnSpec, Row } from '../../src/sheets/port.ts';

const context = { spreadsheetId: 's' };
const keys = ['a', 'b', 'c'];
const columns = keys.map((key): ColumnSpec => ({ key, header: key, format: 'text' }));

interface Taken {
  readonly rows: readonly Row[];
  readonly open: readonly string[];
}

/** `idAt`: the place of the ID among the columns. */
async function take(values: string, idAt: number, known?: KnownText): Promise<Taken> {
  const body = `{"valueRanges":[{"valueRange":{"range":"'A'!A2:D","values":[${values}]}}]}`;
  const answer = await toRawAnswer(ReadableStream.from([new TextEncoder().encode(body)]), context);
  const [range] = answeredRanges(answer, context);
  const located = ['a', 'b', 'c']
    .toSpliced(idAt, 0, '#id')
    .map((key, columnIndex) => ({ key, columnIndex, anchorId: undefined }));
  const rows: Row[] = [];
  const open: OpenCell[] = [];
  appendRows(rows, open, [{ startRow: 1, startColumn: 0, ...range! }], located, columns, known);
  return { rows, open: open.map(({ rowIndex, columnIndex, text }) => `${rowIndex} ${columnIndex} ${text}`) };
}

const contentOf = ({ number, id, cells }: Row) => ({ number, id, cells });
const packed = ({ cells }: Row) => JSON.stringify(keys.map((key) => cells[key]));

const cell = fc.oneof(
  fc.constantFrom<CellValue[]>('', '', null, 'Ann', 'null', ',null,', '=1', '#N/A', "'5", 'Loading...', 'Lea', '"="'),
  fc.constantFrom<CellValue[]>(true, false, 0, 1.5, 1e21, '{', '{}', '],[', '"],["x', '\\', '\\"', 'Zoë 😀', 'x]'),
  fc.string(),
);
const id = fc.constantFrom('u-1', 'u-2', 'u-3', '', 'Loading...', '=A1', '#1', 'a\\b', 'a"b', 'ü', '7');
const person = fc.record({ id, cells: fc.tuple(cell, cell, cell), isHeld: fc.constantFrom('as is', 'else', 'not') });

test('L2, V3: with texts of the caller a row has the same cells, and it is unchanged if they are those of its text', async () => {
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
        expect(known.open).toEqual(plain.open);
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
