// The driver of the state on PostgreSQL.
import type { Database } from '../../postgres/pool.ts';
import type { Json, JsonObject, Store } from '../port.ts';
import type { PostgresDriverDep } from './dep.ts';
import { readHistory, readHistoryPage } from './history.ts';
import { createTables } from './migrate.ts';
import { createPartitions, makePartitions } from './partitions.ts';
import { isCountable, readSome } from './reading.ts';
import { nameOf, readLastRuns, readRunsPage } from './runs.ts';
import { numberOf, tablesIn } from './schema.ts';
import { createPostgresSyncState, type PostgresSyncState } from './sync-state.ts';
import { parseValue, storedKey } from './text.ts';

/** The state as tables of one schema, made at the first write. Opens no connection yet. */
export function createPostgresStore(database: Database, dep: PostgresDriverDep): Store {
  const t = tablesIn(database.schema);
  const made = createTables(database, (query) => makePartitions(database.schema, dep.now(), query));
  const partitions = createPartitions(database, made, dep);
  const stateBySync = new Map<string, PostgresSyncState>();
  const syncDep = { ...dep, database, made, partitions };

  const upsertDocument = `INSERT INTO ${t.documents} (name, value) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

  async function readDocument(name: string, query = database.queryRepeatable): Promise<JsonObject | undefined> {
    if (!(await made.areThere())) return undefined;
    const [row] = await query(`SELECT value FROM ${t.documents} WHERE name = $1`, [name]);
    const value: Json | undefined = row && parseValue(String(row['value']));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  }

  async function writeDocument(name: string, value: JsonObject): Promise<void> {
    await made.ensure();
    await database.queryRepeatable(upsertDocument, [name, JSON.stringify(value)]);
  }

  function stateOf(name: string): PostgresSyncState {
    const known = stateBySync.get(name);
    if (known) return known;
    const state = createPostgresSyncState(name, syncDep);
    stateBySync.set(name, state);
    return state;
  }

  return {
    async jobs() {
      if (!(await made.areThere())) return [];
      return (await database.queryRepeatable(`SELECT name, long_name FROM ${t.jobs}`)).map(nameOf);
    },
    sync: stateOf,
    history: (query) => readHistory(database, () => made.areThere(), query, dep.warn),
    historyPage: async (query) =>
      (await made.areThere()) ? readHistoryPage(database, query, dep.warn) : { lines: [] },
    runsPage: async (query) =>
      (await made.areThere()) ? readRunsPage(database, query, dep.warn) : { runs: [], hasMore: false },
    lastRuns: async (query) => ((await made.areThere()) ? readLastRuns(database, query) : new Map()),
    async mayHave(jobs, { keys = [], terms = [] }) {
      if (!(await made.areThere())) return [];
      const of = `IN (${numberOf.get('links')}, ${numberOf.get('ledger')})`;
      const rows = await database.queryRepeatable(
        `SELECT j.name, j.long_name FROM ${t.jobs} j WHERE j.name = ANY($1::text[]) AND j.commits > 0 AND (
           j.terms_version <> $2
           OR EXISTS (SELECT 1 FROM ${t.terms} x WHERE x.job = j.id AND x.collection ${of} AND x.term = ANY($3::text[]))
           OR EXISTS (SELECT 1 FROM ${t.records} r WHERE r.job = j.id AND r.collection ${of} AND r.key = ANY($4::text[]))
         )`,
        [jobs.map(storedKey), dep.terms.version, terms.map(storedKey), keys.map(storedKey)],
      );
      const found = new Set(rows.map(nameOf));
      return jobs.filter((job) => found.has(job));
    },
    async loadSomeOf(jobs, wanted) {
      const names = [...new Set(jobs)];
      const canAsk = names.length > 0 && isCountable(wanted) && (await made.areThere());
      const readings = canAsk ? await readSome(database, names, wanted) : undefined;
      const looked = names.map(async (name) => {
        const state = stateOf(name);
        return [name, await (readings ? state.someOf(readings.get(name), wanted) : state.loadSome(wanted))] as const;
      });
      return new Map(await Promise.all(looked));
    },
    // The tables answer pages themselves.
    keepIndex: () => partitions.keepDaily(),
    async readHeartbeat() {
      try {
        return await readDocument('heartbeat');
      } catch {
        // Nothing depends on it.
        return undefined;
      }
    },
    writeHeartbeat: (heartbeat) => writeDocument('heartbeat', heartbeat),
    readLogins: () => readDocument('logins'),
    async changeLogins(change) {
      await made.ensure();
      await database.transaction(async (query) => {
        // Also where there is no row to lock.
        await query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 4))`, [`${database.schema} logins`]);
        const value = change(await readDocument('logins', query));
        await query(upsertDocument, ['logins', JSON.stringify(value)]);
      });
    },
  };
}
