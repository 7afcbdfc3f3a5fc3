// Rows are copied from the bytes of an answer if possible. In any notation the result is that of parsing them.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answeredRanges } from '../../src/sheets/google/answered-rows.ts';
import { toRawAnswer } from '../../src/sheets/google/raw-answer.ts';
import { RowCursor, TextBuffer, toValue } from '../../src/sheets/google/row-cursor.ts';

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
    '1234567890123456',
    '9007199254740993',
    '-900719925474099',
    '10',
    '-7',
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
      fc.constantFrom(',', ',', ', ', ' ,'),
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
    { what: 'with a colon within a number', rows: '["a",1:2]' },
    { what: 'with a comma too many', rows: '["a",],["b"]' },
    { what: 'with nothing between two rows', rows: '["a"]["b"]' },
    { what: 'with another sign than a comma between two rows', rows: '["a"];["b"]' },
  ])('$what', async ({ rows }) => {
    const cursor = await cursorOf(rows);
    expect(() => taken(cursor)).toThrow(expect.objectContaining({ code: 'unavailable', retryable: true }));
  });
});

test.each(['9007199254740993', '9999999999999999', '-9007199254740993'])(
  'L2: the integer %s, which no number equals, is copied as it is read',
  async (text) => {
    const [row] = taken(await cursorOf(`["a",${text}]`));
    expect(row!.text).toBe(`"a",${String(Number(text))},null,null,null`);
  },
);

describe('a row that is compared as a whole', () => {
  const parse = () => {
    throw new Error('parsed');
  };
  const bytesOf = (text: string, from = 0, to = text.length) => ({
    bytes: Buffer.from(text),
    start: from,
    end: to,
    parse,
  });
  /** The texts that were offered, all of them known. */
  function offered(cursor: RowCursor, times: number) {
    const texts: string[] = [];
    const moves = Array.from({ length: times }, () => cursor.nextIf((text) => texts.push(text) > 0));
    return { texts, moves };
  }

  test('each row is offered, and behind the last one nothing', () => {
    expect(offered(new RowCursor([], bytesOf('["a"],[],["c","d"]')), 4)).toEqual({
      texts: ['["a"]', '[]', '["c","d"]'],
      moves: [true, true, true, false],
    });
    expect(offered(new RowCursor([]), 1)).toEqual({ texts: [], moves: [false] });
  });

  test('what stands before and behind the rows is no row', () => {
    expect(offered(new RowCursor([], bytesOf('[["a"]],["b"]', 1, 6)), 2)).toEqual({
      texts: ['["a"]'],
      moves: [true, false],
    });
  });

  test('a row that was parsed already comes first', () => {
    const cursor = new RowCursor([['x']], bytesOf('["a"]'));
    expect(offered(cursor, 1)).toEqual({ texts: [], moves: [false] });
    expect(cursor.next()).toBe(true);
    expect(cursor.valueAt(0)).toBe('x');
    expect(offered(cursor, 2)).toEqual({ texts: ['["a"]'], moves: [true, false] });
    expect(cursor.next()).toBe(false);
  });

  test('one that is not known stays the next one', () => {
    const cursor = new RowCursor([], bytesOf('["a"],["b"]'));
    expect(cursor.nextIf(() => false)).toBe(false);
    expect(cursor.next()).toBe(true);
    expect(cursor.valueAt(0)).toBe('a');
  });

  test.each([
    ['a plain one', new RowCursor([], bytesOf('["=1"],["b"]'))],
    ['a parsed one', new RowCursor([['=1']], bytesOf('["b"]'))],
  ])('its cells are not found: none of the row before it is left, %s', (_, cursor) => {
    cursor.next();
    expect([cursor.valueAt(0), cursor.mayBeOpen]).toEqual(['=1', true]);
    cursor.nextIf(() => true);
    expect([cursor.valueAt(0), cursor.isBlank(0), cursor.mayBeOpen]).toEqual([null, true, false]);
  });

  test('before the first row there is a row without cells', () => {
    const cursor = new RowCursor([], bytesOf('["=1"]'));
    expect([cursor.valueAt(0), cursor.isBlank(0), cursor.mayBeOpen]).toEqual([null, true, false]);
  });

  test('behind the last row there is a row without cells', () => {
    const cursor = new RowCursor([], bytesOf('["=1"]'));
    cursor.next();
    expect(cursor.next()).toBe(false);
    expect([cursor.valueAt(0), cursor.isBlank(0), cursor.mayBeOpen]).toEqual([null, true, false]);
  });
});

test('a part of a row is copied, and what is beyond it is blank', async () => {
  const copied = (cursor: RowCursor, place: number, count: number) => {
    const text = new TextBuffer();
    cursor.copy(place, count, text);
    return text.toString();
  };
  const cursor = await cursorOf('["a","b",3,true],["a","",null,"d"],["\\u0061","","c"]');
  cursor.next();
  expect([copied(cursor, 1, 2), copied(cursor, 0, 4), copied(cursor, 3, 3)]).toEqual([
    '"b",3',
    '"a","b",3,true',
    'true,null,null',
  ]);
  cursor.next();
  expect([copied(cursor, 0, 2), copied(cursor, 1, 3)]).toEqual(['"a",null', 'null,null,"d"']);
  cursor.next();
  expect([copied(cursor, 0, 3), copied(cursor, 2, 1)]).toEqual(['"a",null,"c"', '"c"']);
});

test('a text under construction grows, and begins anew', () => {
  const text = new TextBuffer();
  const piece = 'ü'.repeat(1_500);
  text.add('x'.repeat(4_096));
  text.add('y');
  text.add(piece);
  expect(text.toString()).toBe(`${'x'.repeat(4_096)}y${piece}`);
  text.clear();
  expect(text.toString()).toBe('');
  text.add('plain');
  text.copy(Buffer.from('a ü b'), 2, 4, false);
  expect(text.toString()).toBe('plainü');
});
