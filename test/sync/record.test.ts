// A record is packed into one text. If it holds what is known already, the known text itself is returned.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { pack, unpack } from '../../src/sync/record/record.ts';
import type { Reading } from '../../src/sync/value/value.ts';

/** Texts that look like the separators between values. */
const reading: fc.Arbitrary<Reading> = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '"', ',', 'null', '","', ',null,', '[', ']', '{}', '5') }),
  fc.string({ unit: fc.constantFrom('a', '\\', '\n', 'n', 'ü', '😀') }),
  fc.constantFrom<Reading>('', null, undefined, true, false, 0, 5, 55, -0, 0.5, 1e21),
);
const readings = fc.array(reading, { minLength: 3, maxLength: 3 });

test('L3: an equal record is returned as the known text, and another record is not', () => {
  fc.assert(
    fc.property(readings, readings, fc.boolean(), (now, before, isSame) => {
      const known = pack(isSame ? now : before);
      const packed = pack(now, known);
      expect(packed).toBe(pack(now));
      expect(unpack(packed)).toEqual(now.map((value) => (Object.is(value, -0) ? 0 : value)));
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  { values: ['a\\nb', 'c'], known: ['a\nb', 'c'] },
  { values: ['a","b', 'c'], known: ['a', 'b","c'] },
  { values: ['5', 'c'], known: [5, 'c'] },
  { values: [null, 'c'], known: ['null', 'c'] },
  { values: [undefined, 'c'], known: ['{}', 'c'] },
])('L3: $values is not $known', ({ values, known }) => {
  expect(unpack(pack(values, pack(known)))).toEqual(values);
});
