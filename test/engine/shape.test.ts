// Rows that read as they were last seen are known by their text alone. That is right as long as what was read once reads as
// itself, of whatever kind it is and whichever side it came from.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Cell, type Kind, readCell, readCrm } from '../../src/sync/kinds.ts';
import type { Value } from '../../src/sync/value.ts';

const kinds: readonly Kind[] = ['text', 'email', 'handle', 'integer', 'flag', 'timestamp', 'list', 'json'];

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '  ', ' x ', '007', '1e5', 'TRUE', 'yes', '0', '-0', '#REF!', '=1+1', '[]', '{}'),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom('2026-11-21', '2026-11-21T10:00:00.123456Z', '21.11.2026 10:00'),
);
const cells: fc.Arbitrary<Cell> = fc.oneof(
  texts,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: 0, max: 80_000, noNaN: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);

/** Years beyond 9999 are written with a sign, and not read back from a text: such a cell still says what was read. */
const isReadable = (value: Value) => !/^[+-]\d{6}-/.test(String(value));

test.each(kinds)('V1: a value of kind %s reads as itself in a cell', (kind) => {
  const isValue = (reading: unknown): reading is Value =>
    reading === null || ['string', 'number', 'boolean'].includes(typeof reading);
  fc.assert(
    fc.property(cells, fc.jsonValue(), (cell, raw) => {
      for (const reading of [readCell(kind, cell), readCrm(kind, raw), readCrm(kind, cell)]) {
        if (!isValue(reading) || (kind === 'timestamp' && !isReadable(reading))) continue;
        expect(JSON.stringify(readCell(kind, reading))).toBe(JSON.stringify(reading));
      }
    }),
    { numRuns: 1_000 },
  );
});
