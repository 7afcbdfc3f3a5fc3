// The reading of a contact: a value that was read once reads as itself, for each kind and each side. Because of that, a row
// whose text is unchanged needs no reading.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createContactReader } from '../../src/crm/outreach/contacts/reading.ts';
import { createShape } from '../../src/engine/sync/shape.ts';
import { type Cell, readCell, readCrm } from '../../src/sync/value/kinds.ts';
import { unpack } from '../../src/sync/record/record.ts';
import type { Value } from '../../src/sync/value/value.ts';
import { start, sync } from '../config/files.ts';
import { load } from '../support/config.ts';
import { kinds } from '../sync/support.ts';

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

/** Years beyond 9999 are written with a sign and cannot be read back from a text: such a cell keeps its text. */
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

describe('M8: a field is read from the places of an answer that show it', () => {
  function read(columns: string, answer: object) {
    const [config] = load(start + sync({ columns })).syncs;
    const reading = createContactReader({ fields: config!.columns }).toContact({ uuid: 'u', ...answer });
    return unpack(createShape(config!, 60_000).toRecord(reading).values)[0];
  }

  test.each([
    ['the work address', { work_email: 'w@x.io', personal_email: 'p@x.io' }, 'w@x.io'],
    ['the personal one where the other is blank', { work_email: '', personal_email: 'p@x.io' }, 'p@x.io'],
    ['blank where both are', { work_email: null, personal_email: '' }, null],
    ['unknown where the work address is missing, whatever the other is (V3)', { personal_email: 'p@x.io' }, undefined],
    ['unknown where the second is missing and the first is blank (V3)', { work_email: null }, undefined],
  ])('the e-mail: %s', (_what, answer, value) => {
    expect(read('Email: email', answer)).toBe(value);
  });

  test('V3: a field that is never given back is unknown', () => {
    expect(read('Domain: domain, Email: email', { work_email: 'w@x.io' })).toBeUndefined();
  });
});
