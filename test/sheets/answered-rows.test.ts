// A large answer is parsed piece by piece. Wherever it is cut, its rows are those of the whole.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answeredRanges } from '../../src/sheets/google/answered-rows.ts';
import { toRawAnswer } from '../../src/sheets/google/raw-answer.ts';

const context = { spreadsheetId: 's' };

interface Range {
  readonly range: string;
  readonly values?: readonly (readonly unknown[])[];
}

function bodyOf(ranges: readonly Range[], indent?: number): string {
  return JSON.stringify({ valueRanges: ranges.map((valueRange) => ({ valueRange })) }, null, indent);
}

/** Like an answer that arrives over the network in two pieces. */
async function answerOf(body: string) {
  const bytes = new TextEncoder().encode(body);
  const pieces = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)];
  return toRawAnswer(ReadableStream.from(pieces), context);
}

async function rowsByRange(body: string, pieceBytes: number) {
  using answer = await answerOf(body);
  return answeredRanges(answer, context, pieceBytes).map(({ range, rows }) => ({ range, rows: [...rows] }));
}

/** Texts that look like the places of cuts. */
const cell = fc.oneof(
  fc.constantFrom('', '],[', ']]', '[[', '"', '\\', '"],["', '{"valueRange":{', '"values":[[', 'Łódź 😀', '\n'),
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
  fc.boolean(),
);
const range = fc.record(
  { range: fc.constantFrom("'A'!A1:M1", "'A'!A2:M9"), values: fc.array(fc.array(cell, { maxLength: 4 })) },
  { requiredKeys: ['range'] },
);

test('L2: with any cells and any cuts, the rows are those of the whole', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(range, { maxLength: 3 }), fc.integer({ min: 1, max: 60 }), async (ranges, pieceBytes) => {
      const whole = ranges.map(({ range: name, values = [] }) => ({ range: name, rows: values }));
      expect(await rowsByRange(bodyOf(ranges), pieceBytes)).toEqual(whole);
    }),
    { numRuns: 300 },
  );
});

test('rows can be iterated twice', async () => {
  using answer = await answerOf(bodyOf([{ range: "'A'!A1:B2", values: [['a', 1], ['b']] }]));
  const [first] = answeredRanges(answer, context);
  expect([...first!.rows]).toEqual([['a', 1], ['b']]);
  expect([...first!.rows]).toEqual([['a', 1], ['b']]);
});

describe('an answer with another layout is read too', () => {
  const ranges = [{ range: "'A'!A1:B2", values: [['],['], ['b', 2]] }, { range: "'A'!A3:B3" }];
  test.each([
    { how: 'indented', body: bodyOf(ranges, 2) },
    {
      how: 'with the rows before the range',
      body: JSON.stringify({
        valueRanges: [{ valueRange: { values: ranges[0]!.values, range: "'A'!A1:B2" } }, { valueRange: ranges[1] }],
      }),
    },
    { how: 'with white space before the rows of one range', body: bodyOf(ranges).replace('"values":', '"values": ') },
    { how: 'with other things around', body: bodyOf(ranges).replace('{', '{"spreadsheetId":"[[x]]",') },
  ])('$how', async ({ body }) => {
    expect(await rowsByRange(body, 1)).toEqual([
      { range: "'A'!A1:B2", rows: [['],['], ['b', 2]] },
      { range: "'A'!A3:B3", rows: [] },
    ]);
  });
});

test.each([
  { what: 'in its rows', body: '{"valueRanges":[{"valueRange":{"range":"A1","values":[["a","b' },
  { what: 'behind them', body: '{"valueRanges":[{"valueRange":{"range":"A1","values":[["a"]]}}' },
  {
    what: 'within, its end being there',
    body: '{"valueRanges":[{"valueRange":{"range":"A1","values":[["a","b],["c"]]}}]}',
  },
])('L7: an answer that is cut short $what gives an error that may be retried', async ({ body }) => {
  await expect(rowsByRange(body, 1)).rejects.toMatchObject({ code: 'unavailable', retryable: true });
});
