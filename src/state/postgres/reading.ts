// Reads the state of a sync, whole or in part, each in one statement: so it is that of one commit.
import type { Database, Row } from '../../postgres/pool.ts';
import type { Json, JsonObject, Notice, Wanted } from '../port.ts';
import { collections, numberOf, tablesIn } from './schema.ts';
import { emptyTables, type Tables } from './tables.ts';
import { beginningOf, escapeText, keyCharsMax, lastCharacter, parseValue, storedKey, unescapeText } from './text.ts';

export interface Reading {
  readonly commitId: string;
  readonly commits: number;
  readonly termsVersion: string;
  /** Undefined: as in the commit that the caller has. */
  readonly tables: Tables | undefined;
  readonly requests: ReadonlyMap<string, JsonObject>;
  readonly notices: readonly Notice[];
  /** Of `Wanted.counted`. */
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * The columns of a reading: `part`, `key`, `value`, and of many jobs `job`. Each column takes its time for each record, in the server and
 * here, so there are few. The part of a record is the number of its collection.
 */
const jobPart = -1;
const requestPart = -2;
const countPart = -3;

const jobColumns = `${jobPart} AS part, c.key, c.value`;
/** A row for each. */
const ofJob = `LATERAL (VALUES ('commits', j.commits::text), ('commit_id', j.commit_id),
  ('terms_version', j.terms_version), ('name', j.name)) AS c(key, value)`;
const recordColumns = `r.collection, coalesce(r.long_key, r.key), r.value`;
/** The key: the number, then the id. */
const requestColumns = `${requestPart}, q.seq || ' ' || q.id, q.value`;

/** `known`: the commit that the caller has. Undefined: the job has no row. */
export async function readWhole(
  database: Database,
  sync: string,
  known: string | undefined,
): Promise<Reading | undefined> {
  const t = tablesIn(database.schema);
  const rows = await database.queryRepeatable(
    `WITH j AS MATERIALIZED (SELECT * FROM ${t.jobs} WHERE name = $1)
     SELECT ${jobColumns} FROM j, ${ofJob}
     UNION ALL SELECT ${recordColumns} FROM j JOIN ${t.records} r ON r.job = j.id
       WHERE j.commit_id IS DISTINCT FROM $2
     UNION ALL SELECT ${requestColumns} FROM j JOIN ${t.requests} q ON q.job = j.id`,
    [storedKey(sync), known ?? null],
  );
  return gather(rows, { database, sync, known, counted: [] });
}

/** By the name of the job. One without a row is left out. Texts that are too long to be counted by their beginning are left out of `counts`. */
export async function readSome(
  database: Database,
  syncs: readonly string[],
  { keys = [], terms = [], counted = [] }: Wanted,
): Promise<ReadonlyMap<string, Reading>> {
  const t = tablesIn(database.schema);
  const [links, ledger] = [numberOf.get('links')!, numberOf.get('ledger')!];
  // By name, so that the index leads past the others.
  const small = collections.map((name) => numberOf.get(name)!).filter((number) => ![links, ledger].includes(number));
  const rows = await database.queryRepeatable(
    `WITH j AS MATERIALIZED (SELECT * FROM ${t.jobs} WHERE name = ANY($1::text[])),
     termed AS MATERIALIZED (
       SELECT x.job, x.collection, x.key FROM j JOIN ${t.terms} x ON x.job = j.id
       WHERE x.collection IN (${links}, ${ledger}) AND x.term = ANY($3::text[])
     ), owners AS MATERIALIZED (
       SELECT job, key FROM termed WHERE collection = ${links} UNION SELECT j.id, k FROM j, unnest($2::text[]) AS k
     ), wanted AS MATERIALIZED (
       SELECT job, collection, key FROM termed
       UNION SELECT job, n, key FROM owners, (VALUES (${links}::smallint), (${ledger}::smallint)) AS v(n)
         WHERE n = ${links} OR key = ANY($2::text[])
       UNION SELECT r.job, r.collection, r.key FROM owners o JOIN ${t.records} r ON r.job = o.job
         AND r.collection = ${ledger} AND r.key >= left(o.key || ' ', ${keyCharsMax})
         AND r.key <= left(o.key || ' ', ${keyCharsMax}) || $4
     )
     SELECT ${jobColumns}, j.id AS job FROM j, ${ofJob}
     UNION ALL SELECT ${recordColumns}, r.job FROM j JOIN ${t.records} r ON r.job = j.id
       AND r.collection IN (${small.join(', ')})
     UNION ALL SELECT ${recordColumns}, r.job FROM wanted w
       JOIN ${t.records} r ON r.job = w.job AND r.collection = w.collection AND r.key = w.key
     UNION ALL SELECT ${requestColumns}, q.job FROM j JOIN ${t.requests} q ON q.job = j.id
     UNION ALL SELECT ${countPart}, n.place::text, (
         SELECT count(*)::text FROM ${t.terms} x WHERE x.job = j.id
         AND x.collection IN (${links}, ${ledger}) AND x.term >= n.text AND x.term <= n.text || $4
       ), j.id FROM j, unnest($5::text[]) WITH ORDINALITY AS n(text, place)`,
    [syncs.map(storedKey), keys.map(storedKey), terms.map(storedKey), lastCharacter, counted.map(escapeText)],
  );
  const syncByKey = new Map(syncs.map((sync) => [storedKey(sync), sync]));
  const readings = new Map<string, Reading>();
  for (const [, rowsOfJob] of Map.groupBy(rows, ({ job }) => String(job))) {
    const sync = syncByKey.get(jobIn(rowsOfJob)?.name ?? '');
    const reading = sync === undefined ? undefined : gather(rowsOfJob, { database, sync, known: undefined, counted });
    if (sync !== undefined && reading) readings.set(sync, reading);
  }
  return readings;
}

/** Whether `readSome` answers it exactly. */
export function isCountable({ counted = [] }: Wanted): boolean {
  return counted.every((text) => beginningOf(escapeText(text)).length === escapeText(text).length);
}

interface Asked {
  readonly database: Database;
  readonly sync: string;
  readonly known: string | undefined;
  readonly counted: readonly string[];
}

/** Undefined: it has no row. */
function jobIn(rows: readonly Row[]) {
  const row = new Map<string, string>();
  for (const { part, key, value } of rows) if (part === jobPart) row.set(String(key), String(value));
  const [name, commitId, termsVersion] = [row.get('name'), row.get('commit_id'), row.get('terms_version')];
  if (name === undefined || commitId === undefined || termsVersion === undefined) return undefined;
  return { name, commitId, termsVersion, commits: Number(row.get('commits')) };
}

function gather(rows: readonly Row[], { database, sync, known, counted }: Asked): Reading | undefined {
  const job = jobIn(rows);
  if (!job) return undefined;
  const tables = emptyTables();
  const notices: Notice[] = [];
  const file = `${database.place}: ${escapeText(sync)}`;
  const requests: { readonly seq: number; readonly id: string; readonly request: JsonObject }[] = [];
  const counts = new Map<string, number>();

  function takeRequest(key: string, value: string): void {
    const place = key.indexOf(' ');
    const [seq, id] = [Number(key.slice(0, place)), key.slice(place + 1)];
    const request = parseValue(value);
    if (isObject(request)) requests.push({ seq, id, request });
    else notices.push(damagedRequest(file, id));
  }

  for (const { part, key: storedAs, value: stored } of rows) {
    const [key, value] = [String(storedAs), String(stored)];
    if (part === countPart) counts.set(counted[Number(key) - 1]!, Number(value));
    if (part === requestPart) takeRequest(key, value);
    const table = collections[Number(part)];
    if (table === undefined) continue;
    const name = unescapeText(key);
    const parsed = parseValue(value);
    if (parsed === undefined) notices.push(damagedRecord(file, table, name));
    // Not left out: a run sets it aside, and counts an enrolment as made (S5).
    tables[table].set(name, parsed === undefined ? { damaged: value } : parsed);
  }
  const { commitId, commits, termsVersion } = job;
  const ordered = requests.toSorted((a, b) => a.seq - b.seq);
  return {
    commitId,
    commits,
    termsVersion,
    tables: known === commitId ? undefined : tables,
    requests: new Map(ordered.map(({ id, request }) => [id, request])),
    notices,
    counts,
  };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function damagedRecord(file: string, table: string, key: string): Notice {
  const message = `${file}: the record ${JSON.stringify(`${table}/${key}`)} was changed by hand and is no JSON: a run sets it aside`;
  return { kind: 'damaged', file, message };
}

function damagedRequest(file: string, id: string): Notice {
  const message = `${file}: the request ${id} was changed by hand and cannot be carried out: give the command again`;
  return { kind: 'damaged', file, message };
}
