// Records are parsed from a document piece by piece. Wherever it is cut, they are those of the whole.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../src/state/port.ts';
import { recordSeam, tableEnd, tableStart, takeRecords } from '../../src/state/file/records.ts';
import { recordFilter } from '../../src/state/file/wanted.ts';
import { emptyTables, type TableName } from '../../src/state/file/tables.ts';

const names: readonly TableName[] = ['facts', 'links', 'strays'];

/** Keys and texts that look like the places of cuts. */
const text = fc.oneof(
  fc.constantFrom('links', 'strays', '__proto__', '1', ',\n', '},\n"links":{\n', '"', '\\', 'Łódź 😀'),
  fc.string({ unit: 'binary' }),
);
/**
 * Keys are uuids, names or the contents of a row, as JSON. None begins with a quote or a backslash: Node 24 has read
 * the key "\"" as "\\" after it had read that one in records of the same shape.
 */
const recordKey = fc.oneof(
  fc.constantFrom('links', 'strays', '__proto__', '1', ',\n', '},\n"links":{\n', 'Łódź 😀'),
  fc.uuid(),
  fc.array(text, { maxLength: 3 }).map((values) => JSON.stringify(values)),
);
const value: fc.Arbitrary<Json> = fc.oneof(
  text,
  fc.integer(),
  fc.constantFrom<Json>({}, [], null),
  fc.record({ agreed: text }),
);
const records = fc.uniqueArray(fc.tuple(recordKey, value), { selector: ([each]) => each, maxLength: 8 });

/** In the layout of writeDocument, without its closing brace. */
function written(tables: readonly (readonly (readonly [string, Json])[])[]): Buffer {
  const parts = names.map((name, index) => {
    const lines = tables[index]!.map(([key, held]) => `${JSON.stringify(key)}:${JSON.stringify(held)}`);
    return tableStart(name) + (lines.length > 0 ? '\n' : '') + lines.join(recordSeam) + tableEnd;
  });
  return Buffer.from(`{"schema":1,"sync":"s"${parts.join('')}`);
}

test('S1: with any keys and records, and any cuts, the records are those that were written', () => {
  fc.assert(
    fc.property(fc.tuple(records, records, records), fc.integer({ min: 0, max: 60 }), (lists, pieceBytes) => {
      const tables = emptyTables();
      const head = takeRecords(written(lists), names, tables, pieceBytes);
      expect(head).toEqual({ schema: 1, sync: 's' });
      for (const [index, name] of names.entries()) expect(tables[name]).toEqual(new Map(lists[index]));
    }),
    { numRuns: 300 },
  );
});

test('W18: with any records and cuts, a look has each link of the uuids that it is for, be they few or many', () => {
  const uuids = fc.uniqueArray(fc.uuid(), { maxLength: 12 });
  // Wanted ones stand before, between and behind others.
  const stored = fc.tuple(records, uuids).chain(([others, keys]) => {
    const known = new Map<string, Json>([...others, ...keys.map((key): [string, Json] => [key, { agreed: key }])]);
    return fc.tuple(fc.constant(keys), fc.shuffledSubarray([...known], { minLength: known.size }));
  });
  fc.assert(
    fc.property(stored, fc.integer({ min: 0, max: 200 }), ([keys, links], pieceBytes) => {
      const tables = emptyTables();
      const filters = { links: recordFilter({ keys: [...keys, 'none'] }) };
      takeRecords(written([[], links, []]), names, tables, pieceBytes, filters);
      for (const key of keys) expect(tables.links.get(key)).toEqual({ agreed: key });
    }),
    { numRuns: 200 },
  );
});

test('a document with another layout is read too', () => {
  const tables = emptyTables();
  const indented = JSON.stringify({ schema: 1, strays: { b: 2 }, links: { a: { agreed: '[]' } } }, null, 2);
  expect(takeRecords(Buffer.from(indented.slice(0, -1)), names, tables)).toEqual({ schema: 1 });
  expect([...tables.links, ...tables.strays]).toEqual([
    ['a', { agreed: '[]' }],
    ['b', 2],
  ]);
});
