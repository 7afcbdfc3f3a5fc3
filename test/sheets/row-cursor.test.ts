// Rows are copied from the bytes of an answer if possible. In any notation the result is that of parsing them.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answeredRanges } from '../../src/sheets/google/answered-rows.ts';
import { toRawAnswer } from '../../src/sheets/google/raw-answer.ts';
import { type RowCursor, TextBuffer, toValue } from '../../src/sheets/google/row-cursor.ts';

const context = { spreadsheetId: 's' };

/** The one range of an answer whose rows are written as `rows`. */
async function cursorOf(rows: string): Promise<RowCursor> {
  const body = `{"valueRanges":[{"valueRange":{"range":"'A'!A2:D","values":[${rows}]}}]}`;
  const answer = await toRawAnswer(ReadableStream.from([new TextEncoder().encode(body)]), context);
  const [range] = answeredRanges(answer, context);
  return range!.cursor();
}

const width = 5;

function taken(cursor: RowCursor) {
  const text = new TextBuffer();
  const rows = [];
  while (cursor.next()) {
    text.clear();
    cursor.copy(0, width, text);
    const places = Array.from({ length: width }, (_, place) => place);
    rows.push({
      text: text.toString(),
      values: places.map((place) => cursor.valueAt(place)),
      blank: places.map((place) => cursor.isBlank(place)),
      mayBeOpen: cursor.mayBeOpen,
    });
  }
  return rows;
}

function parsed(row: readonly unknown[]) {
  const values = Array.from({ length: width }, (_, place) => toValue(row[place]));
  return { text: JSON.stringify(values).slice(1, -1), values, blank: values.map((value) => value === null) };
}

/** A cell as JSON text, which may differ from that of `JSON.stringify`. */
const cellText = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc
    .string({ unit: fc.constantFrom('a', 'ü', '😀', '"', '\\', '\n', '],[', '/', '=', '#', ' ') })
    .map((text) => JSON.stringify(text)),
  fc
    .string()
    .map(
      (text) => `"${Array.from(text, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`,
    ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.integer().map(String),
  fc.constantFrom(
    '""',
    '"\\/"',
    '"\\u003d1"',
    '0',
    '-0',
    '0.50',
    '1E3',
    '1e400',
    '12345678901234567890',
    '123456789012345',
    '1e21',
  ),
  fc.constantFrom('true', 'false', 'null', '"null"', '"Loading..."', '"=1"', '"],["', '[1]', '{"a":"]"}'),
);
const rowText = fc
  .tuple(fc.array(cellText, { maxLength: width + 1 }), fc.constantFrom(',', ',', ',', ', '))
  .map(([cells, comma]) => `[${cells.join(comma)}]`);

test('L2, V3: the text, the values and the blanks of a row equal those of the parsed row', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(rowText, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(',', ',', ', '),
      async (rows, between) => {
        const body = rows.join(between);
        const expected = (JSON.parse(`[${body}]`) as unknown[][]).map(parsed);
        expect(taken(await cursorOf(body))).toMatchObject(expected);
      },
    ),
    { numRuns: 500 },
  );
});

test.each(['"=1"', '"#N/A"', `"'5"`, '"Loading..."', '"\\u003d1"'])(
  'V5: a row with %s has open cells, which a second call settles',
  async (cell) => {
    expect(taken(await cursorOf(`["a",${cell}],["a"]`)).map(({ mayBeOpen }) => mayBeOpen)).toEqual([true, false]);
  },
);

test('a row with more cells than usual is read to its end', async () => {
  const cells = Array.from({ length: 100 }, (_, index) => `cell ${index}`);
  const cursor = await cursorOf(JSON.stringify(cells));
  cursor.next();
  expect(cursor.valueAt(99)).toBe('cell 99');
});

describe('L7: bytes that are no row give an error that may be retried', () => {
  test.each([
    { what: 'cut within a text', rows: '["a","b],["c"]' },
    { what: 'with a control character within a text', rows: '["a\u0001"]' },
    { what: 'with a word that JSON does not know', rows: '["a",truth]' },
    { what: 'with a number that is none', rows: '["a",1-2]' },
    { what: 'with a comma too many', rows: '["a",],["b"]' },
    { what: 'with nothing between two rows', rows: '["a"]["b"]' },
  ])('$what', async ({ rows }) => {
    const cursor = await cursorOf(rows);
    expect(() => taken(cursor)).toThrow(expect.objectContaining({ code: 'unavailable', retryable: true }));
  });
});
