// Writes a batch: records, their terms and requests that are done, in one statement under the lease.
import type { Batch, Terms } from '../port.ts';
import { applyChanges, effectiveChanges, type Mirror } from './mirror.ts';
import { numberOf, type TableNames } from './schema.ts';
import type { Change } from './tables.ts';
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
  const parts = createParts([terms.version]);
  if (puts.length > 0) parts.add(putSql, recordsOf(puts));
  if (deletes.length > 0) parts.add(deleteSql, [numbersOf(deletes), deletes.map(({ key }) => storedKey(key))]);
  if (isOtherVersion) parts.add(replaceTermsSql, columnsOf(added));
  if (removed.length > 0) parts.add(removeTermsSql, columnsOf(removed));
  if (added.length > 0) parts.add(addTermsSql, columnsOf(added));
  if (done.length > 0) parts.add(doneSql, [done]);
  return {
    set: ', commit_id = $4, commits = commits + 1, terms_version = $5',
    rest: (t) => parts.text(t),
    values: parts.values,
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

/** The SQL of a part; `p`: the places of its parameters. */
type Part = (t: TableNames, p: readonly string[]) => string;

/**
 * The parts of one statement, with their parameters in order. One that has nothing to do is left out: the server plans each part anew
 * with every commit. `first`: the parameters of `set`.
 */
function createParts(first: readonly unknown[]) {
  const values: unknown[] = [...first];
  const parts: ((t: TableNames) => string)[] = [];
  return {
    values: values as readonly unknown[],
    add(part: Part, own: readonly unknown[]): void {
      const places = own.map((_, index) => `$${firstPlace + values.length + index}`);
      values.push(...own);
      parts.push((t) => part(t, places));
    },
    text: (t: TableNames) => parts.map((part) => `, ${part(t)}`).join(''),
  };
}

/** The first parameter of `Write.values`. */
const firstPlace = 5;

function numbersOf(changes: readonly Change[]): readonly number[] {
  return changes.map(({ table }) => numberOf.get(table)!);
}

function recordsOf(puts: readonly Change[]): readonly unknown[] {
  return [
    numbersOf(puts),
    puts.map(({ key }) => storedKey(key)),
    puts.map(({ key }) => longKey(key)),
    // JSON has no line ends, so that nothing in it has to be escaped once more.
    puts.map(({ value }) => JSON.stringify(value)).join('\n'),
  ];
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
const putSql: Part = (t, [collections, keys, longKeys, values]) => `put AS MATERIALIZED (
      SELECT * FROM unnest(${collections}::smallint[], ${keys}::text[], ${longKeys}::text[], string_to_array(${values}, E'\\n'))
        WITH ORDINALITY AS n(collection, key, long_key, value, place)
    ), changed AS (
      UPDATE ${t.records} x SET value = put.value FROM held, put
      WHERE x.job = held.id AND x.collection = put.collection AND x.key = put.key RETURNING put.place
    ), inserted AS (
      INSERT INTO ${t.records} (job, collection, key, long_key, value)
      SELECT held.id, put.collection, put.key, put.long_key, put.value FROM held, put
      WHERE put.place NOT IN (SELECT place FROM changed)
    )`;

const deleteSql: Part = (t, [collections, keys]) => `deleted AS (
      DELETE FROM ${t.records} x USING held, unnest(${collections}::smallint[], ${keys}::text[]) AS n(collection, key)
      WHERE x.job = held.id AND x.collection = n.collection AND x.key = n.key
    )`;

const termRows = (p: readonly string[]) =>
  `unnest(${p[0]}::smallint[], ${p[1]}::text[], ${p[2]}::text[]) AS n(collection, term, key)`;

/** Takes away all but these. */
const replaceTermsSql: Part = (t, p) => `terms_replaced AS (
      DELETE FROM ${t.terms} x USING held WHERE x.job = held.id
      AND NOT EXISTS (SELECT 1 FROM ${termRows(p)} WHERE n.collection = x.collection AND n.term = x.term AND n.key = x.key)
    )`;

const removeTermsSql: Part = (t, p) => `terms_removed AS (
      DELETE FROM ${t.terms} x USING held, ${termRows(p)}
      WHERE x.job = held.id AND x.collection = n.collection AND x.term = n.term AND x.key = n.key
    )`;

const addTermsSql: Part = (t, p) => `terms_added AS (
      INSERT INTO ${t.terms} (job, collection, term, key) SELECT held.id, n.* FROM held, ${termRows(p)}
      ON CONFLICT DO NOTHING
    )`;

const doneSql: Part = (t, [ids]) => `requests_done AS (
      DELETE FROM ${t.requests} x USING held WHERE x.job = held.id AND x.id = ANY(${ids}::text[])
    )`;
