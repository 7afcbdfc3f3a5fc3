// Makes the tables, brings them forward to this version, and refuses those of another program or of a newer one.
import { onlyReads } from '../../postgres/errors.ts';
import type { Database, Query } from '../../postgres/pool.ts';
import { DatabaseRefusedError, ForeignDatabaseError, NewerSchemaError } from '../errors.ts';
import { currentVersion, migrations, programName, tablesIn } from './schema.ts';

/** The oldest version of PostgreSQL that the driver is made for. Earlier ones get no more corrections after 2025. */
const serverVersionMin = 14;

/** Keeps two processes from migrating at once. Any number; the schema is its second half. */
const migrationLock = 0x1ead;

export interface Tables {
  /** Whether there are tables; false: nothing was ever written. They are of this version then. */
  areThere(): Promise<boolean>;
  /** Makes what is missing. */
  ensure(): Promise<void>;
}

/** `onMade`: after the tables were made or changed, on the same connection. */
export function createTables(database: Database, onMade: (query: Query) => Promise<void>): Tables {
  const { migrates } = database;
  let ensured: Promise<void> | undefined;
  let areOurs = false;

  async function ensureNow(): Promise<void> {
    const found = await readVersion(database, database.queryRepeatable);
    if (found < currentVersion) {
      if (!migrates) throw notMigrated(database, found);
      await migrateDatabase(database, onMade);
    }
    areOurs = true;
  }

  const tables: Tables = {
    async areThere() {
      if (areOurs) return true;
      const found = await readVersion(database, database.queryRepeatable);
      if (found === 0) return false;
      // Those of this version are not asked once more: a process that begins waits for each answer.
      if (found === currentVersion) areOurs = true;
      else await tables.ensure();
      return true;
    },
    ensure() {
      if (areOurs) return Promise.resolve();
      ensured ??= ensureNow().finally(() => (ensured = undefined));
      return ensured;
    },
  };
  return tables;
}

/** Brings the tables to this version; returns the version before. 0: there were none. Safe to repeat. */
export async function migrateDatabase(database: Database, onMade: (query: Query) => Promise<void>): Promise<number> {
  const { schema } = database;
  const { meta } = tablesIn(schema);
  return database.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [migrationLock, schema]);
    const found = await readVersion(database, query);
    if (found === currentVersion) return found;
    const [there] = await query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
    // A user without the right to make schemas may use one that was made for it.
    if (!there) await query(`CREATE SCHEMA "${schema}"`);
    for (const migrate of migrations.slice(found)) await query(migrate(schema));
    if (found === 0) await query(`INSERT INTO ${meta} VALUES ('program', $1)`, [programName]);
    await query(
      `INSERT INTO ${meta} VALUES ('schema_version', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [String(currentVersion)],
    );
    await onMade(query);
    return found;
  });
}

/** Throws NewerSchemaError if another process has brought the tables to a newer version; also for what is no database of ours. */
export async function assertNotNewer(database: Database): Promise<void> {
  await readVersion(database, database.queryRepeatable);
}

/** Throws StateErrors if this process cannot write its tables now: they are for another version, are missing, or the server only lets read. */
export async function assertWritable(database: Database): Promise<void> {
  const found = await readVersion(database, database.queryRepeatable);
  if (found < currentVersion && !database.migrates) throw notMigrated(database, found);
  const [row] = await database.queryRepeatable(`SELECT current_setting('transaction_read_only') = 'on' AS only`);
  if (row?.['only'] === true) throw onlyReads(database.place);
}

/** 0: there are no tables. Throws for a server, or for tables, that this program cannot work with. */
async function readVersion({ schema, place }: Database, query: Query): Promise<number> {
  const { meta } = tablesIn(schema);
  const [found] = await query(
    `SELECT current_setting('server_version_num')::int / 10000 AS server,
       current_setting('server_encoding') AS encoding,
       EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1) AS used,
       (SELECT count(*)::int FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
         JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = $1 AND c.relname = 'meta' AND a.attname IN ('name', 'value')) AS meta`,
    [schema],
  );
  const { server, encoding, used, meta: metaColumns } = found ?? {};
  if (Number(server) < serverVersionMin) {
    const what = `the server is PostgreSQL ${String(server)}`;
    throw new DatabaseRefusedError(place, what, `leadsheet needs PostgreSQL ${serverVersionMin} or newer`);
  }
  if (encoding !== 'UTF8') {
    const what = `the database keeps texts as ${String(encoding)}`;
    throw new DatabaseRefusedError(place, what, "Make one with CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0");
  }
  if (used !== true) return 0;
  if (metaColumns !== 2) throw new ForeignDatabaseError(place, schema);
  const rows = await query(`SELECT name, value FROM ${meta} WHERE name IN ('program', 'schema_version')`);
  const values = new Map(rows.map(({ name, value }) => [String(name), String(value)]));
  if (values.get('program') !== programName) throw new ForeignDatabaseError(place, schema);
  const version = Number(values.get('schema_version'));
  if (version > currentVersion) throw new NewerSchemaError(place, version, currentVersion);
  return version;
}

function notMigrated({ place }: Database, found: number): DatabaseRefusedError {
  const what =
    found === 0
      ? 'the tables are not made yet'
      : `the tables are of version ${found}, and this program needs ${currentVersion}`;
  return new DatabaseRefusedError(place, what, 'Run: leadsheet state migrate');
}
