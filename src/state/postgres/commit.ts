// Writes a batch: records, their terms and requests that are done, in one statement under the lease.
import type { Batch, Terms } from '../port.ts';
import { applyChanges, effectiveChanges, type Mirror } from './mirror.ts';
import { numberOf, type TableNames } from './schema.ts';
import { allTerms, type TermOf, termChanges } from './terms.ts';
import { longKey, storedKey } from './text.ts';
import type { Write } from './writer.ts';

/** Undefined: the batch changes nothing. */
export function writeOfBatch(mirror: Mirror, batch: Batch, terms: Terms): Write | undefined {
  const changes = effectiveChanges(mirror.tables, batch);
  const done = [...new Set(batch.doneRequests)];
  if (changes.length === 0 && done.length === 0) return undefined;
  const isOtherVersion = mirror.termsVersion !== terms.version;
  const puts = changes.filter(({ value }) => value !== undefined);
  const deletes = changes.filter(({ value }) => value === undefined);
  const { removed, added } = isOtherVersion
    ? { removed: [], added: allTerms(tablesAfter(mirror, changes), terms) }
    : termChanges(mirror, changes, terms);
  return {
    set: ', commit_id = $4, commits = commits + 1, terms_version = $5',
    rest: (t) => statement(t, isOtherVersion),
    values: [
      terms.version,
      puts.map(({ table }) => numberOf.get(table)!),
      puts.map(({ key }) => storedKey(key)),
      puts.map(({ key }) => longKey(key)),
      // JSON has no line ends, so that nothing in it has to be escaped once more.
      puts.map(({ value }) => JSON.stringify(value)).join('\n'),
      deletes.map(({ table }) => numberOf.get(table)!),
      deletes.map(({ key }) => storedKey(key)),
      ...columnsOf(removed),
      ...columnsOf(added),
      done,
    ],
    onApplied(id) {
      mirror.commitId = id;
      mirror.commits += 1;
      mirror.termsVersion = terms.version;
      applyChanges(mirror, changes);
    },
  };
}

function tablesAfter(mirror: Mirror, changes: ReturnType<typeof effectiveChanges>): Mirror['tables'] {
  const copy: Mirror = { ...mirror, given: new Set(numberOf.keys()) };
  applyChanges(copy, changes);
  return copy.tables;
}

function columnsOf(terms: readonly TermOf[]): readonly unknown[] {
  return [
    terms.map(({ collection }) => collection),
    terms.map(({ term }) => storedKey(term)),
    terms.map(({ key }) => storedKey(key)),
  ];
}

/**
 * Parts of one statement do not see each other's rows, so no row may be in two of them. INSERT ... ON CONFLICT DO UPDATE
 * would put the records in one part, and takes the server twice as long for records that are there.
 */
function statement(t: TableNames, removesAllTerms: boolean): string {
  const newTerms = 'unnest($15::smallint[], $16::text[], $17::text[]) AS n(collection, term, key)';
  const removed = removesAllTerms
    ? `DELETE FROM ${t.terms} x USING held WHERE x.job = held.id AND cardinality($12::smallint[]) = 0
         AND cardinality($13::text[]) = 0 AND cardinality($14::text[]) = 0
         AND NOT EXISTS (SELECT 1 FROM ${newTerms} WHERE n.collection = x.collection AND n.term = x.term AND n.key = x.key)`
    : `DELETE FROM ${t.terms} x USING held, unnest($12::smallint[], $13::text[], $14::text[]) AS n(collection, term, key)
         WHERE x.job = held.id AND x.collection = n.collection AND x.term = n.term AND x.key = n.key`;
  return `, put AS MATERIALIZED (
      SELECT * FROM unnest($6::smallint[], $7::text[], $8::text[], string_to_array($9, E'\\n'))
        WITH ORDINALITY AS n(collection, key, long_key, value, place)
    ), changed AS (
      UPDATE ${t.records} x SET value = put.value FROM held, put
      WHERE x.job = held.id AND x.collection = put.collection AND x.key = put.key RETURNING put.place
    ), inserted AS (
      INSERT INTO ${t.records} (job, collection, key, long_key, value)
      SELECT held.id, put.collection, put.key, put.long_key, put.value FROM held, put
      WHERE put.place NOT IN (SELECT place FROM changed)
    ), deleted AS (
      DELETE FROM ${t.records} x USING held, unnest($10::smallint[], $11::text[]) AS n(collection, key)
      WHERE x.job = held.id AND x.collection = n.collection AND x.key = n.key
    ), terms_removed AS (${removed}), terms_added AS (
      INSERT INTO ${t.terms} (job, collection, term, key) SELECT held.id, n.* FROM held, ${newTerms}
      ON CONFLICT DO NOTHING
    ), requests_done AS (
      DELETE FROM ${t.requests} x USING held WHERE x.job = held.id AND x.id = ANY($18::text[])
    )`;
}
