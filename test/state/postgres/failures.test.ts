// A database that is not ours, is newer, refuses, is slow or has no room: each by name, and nothing half done.
import { expect, test } from 'vitest';
import type { Store } from '../../../src/state/port.ts';
import { migrations, programName } from '../../../src/state/postgres/schema.ts';
import {
  addressOf,
  createPostgresTrial,
  openDatabase,
  postgresPassword,
  servePostgres,
} from '../../support/postgres.ts';
import { commitAll } from '../../support/state.ts';

const server = servePostgres();
const batch = { facts: { put: new Map([['n', 1]]) } };

async function create(settings: Parameters<typeof createPostgresTrial>[1] = {}) {
  const url = await server().createDatabase();
  const trial = createPostgresTrial(url, settings);
  const name = url.split('/').at(-1)!;
  return { url, name, ...trial, ...trial.open(), sql: trial.database.query };
}

/** Calls that need the tables. */
function worksOf(store: Store): readonly (() => Promise<unknown>)[] {
  const state = store.sync('s');
  return [() => state.load(), () => state.acquireLease(), () => state.addRequest({}), () => store.writeHeartbeat({})];
}

test('processes that begin at once on an empty database make its tables once', async () => {
  const url = await server().createDatabase();
  const stores = Array.from({ length: 4 }, () => createPostgresTrial(url).open().store);
  await Promise.all(stores.map((store, index) => commitAll(store, `s${index}`, [batch])));
  for (const index of stores.keys()) expect((await stores[0]!.sync(`s${index}`).load()).facts.get('n')).toBe(1);
});

test('S2: tables of a newer version are refused, and left alone', async () => {
  const { open, store, sql, database } = await create();
  await commitAll(store, 's', [batch]);
  await sql("UPDATE leadsheet.meta SET value = '99' WHERE name = 'schema_version'");
  const older = open().store;
  const words =
    /^postgres:\/\/127\.0\.0\.1:\d+\/test_\d+: its schema version is 99, and this program knows versions up to 2/;
  for (const work of worksOf(older)) {
    await expect(work()).rejects.toMatchObject({ code: 'newer_schema', message: expect.stringMatching(words) });
  }
  expect(await database.query('SELECT epoch FROM leadsheet.jobs')).toEqual([{ epoch: '1' }]);
});

test('S2: tables of version 1 are brought forward by the first that may, with what they hold', async () => {
  const { open, sql, url } = await create();
  await sql(`CREATE SCHEMA leadsheet; ${migrations[0]!('leadsheet')}
    INSERT INTO leadsheet.meta VALUES ('program', '${programName}'), ('schema_version', '1');
    INSERT INTO leadsheet.jobs (name, commits, commit_id) VALUES ('s', 1, 'x');
    INSERT INTO leadsheet.records VALUES (1, 0, 'n', NULL, '7')`);
  const careful = createPostgresTrial(url, { migrates: false }).open().store;
  await expect(careful.sync('s').load()).rejects.toMatchObject({
    code: 'database_refused',
    message: expect.stringMatching(/tables are of version 1, and this program needs 2\. Run: leadsheet state migrate/),
  });
  const stores = Array.from({ length: 3 }, () => open().store);
  const loaded = await Promise.all(stores.map((store) => store.sync('s').load()));
  for (const { facts } of loaded) expect(facts.get('n')).toBe(7);
  expect((await commitAll(stores[0]!, 's', [batch])).facts.get('n')).toBe(1);
  expect(
    await sql(`SELECT value, (SELECT reloptions FROM pg_class WHERE oid = 'leadsheet.records'::regclass) AS options
    FROM leadsheet.meta WHERE name = 'schema_version'`),
  ).toEqual([{ value: '2', options: ['fillfactor=50'] }]);
});

test('S2: tables of version 1 are brought forward, also where the lines of this month are in the partition for others', async () => {
  const { open, sql } = await create();
  // As where processes may not make partitions (`postgres.migrate: false`), in the third month.
  await sql(`CREATE SCHEMA leadsheet; ${migrations[0]!('leadsheet')}
    INSERT INTO leadsheet.meta VALUES ('program', '${programName}'), ('schema_version', '1');
    INSERT INTO leadsheet.jobs (name, commits, commit_id) VALUES ('s', 1, 'x');
    INSERT INTO leadsheet.history (at, job, line) VALUES (${Date.UTC(2026, 0, 30)}, 1, '{"time":"2026-01-30T00:00:00Z"}');
    INSERT INTO leadsheet.runs VALUES (${Date.UTC(2026, 1, 1)}, 1, 1, 'r', 'succeeded', '{"run":"r"}')`);
  const { store } = open();
  expect((await commitAll(store, 's', [batch])).facts.get('n')).toBe(1);
  expect((await store.historyPage({ limit: 9 })).lines).toHaveLength(1);
  const parts = await sql(`SELECT relname FROM pg_class WHERE relname ~ '^(history|runs)_\\d{4}_\\d\\d$' ORDER BY 1`);
  expect(parts.map(({ relname }) => relname)).toEqual(['history_2026_02', 'runs_2026_01']);
});

test.each([
  ['tables of another program', 'CREATE TABLE leadsheet.customers (id int)'],
  ['a table of the same name', 'CREATE TABLE leadsheet.meta (id int)'],
  ['a table of the same form', 'CREATE TABLE leadsheet.meta (name text, value text)'],
])('S2: a schema that holds %s is refused, and left alone', async (_name, statement) => {
  const { store, sql } = await create();
  await sql('CREATE SCHEMA leadsheet');
  await sql(statement);
  const tables = () =>
    sql("SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'leadsheet'");
  const before = await tables();
  for (const work of worksOf(store))
    await expect(work()).rejects.toMatchObject({
      code: 'foreign_database',
      message: expect.stringContaining('leadsheet'),
    });
  expect(await tables()).toEqual(before);
});

test('an empty schema that was made for leadsheet is used, and reading makes nothing', async () => {
  const { store, sql } = await create();
  await sql('CREATE SCHEMA leadsheet');
  expect((await store.sync('s').load()).notices).toMatchObject([{ kind: 'absent' }]);
  expect(await store.readLogins()).toBeUndefined();
  expect(await sql("SELECT 1 FROM pg_tables WHERE schemaname = 'leadsheet'")).toEqual([]);
  expect((await commitAll(store, 's', [batch])).facts.get('n')).toBe(1);
});

test('W7: tidying up an empty database is no trouble, and is done once the tables are there', async () => {
  const trial = createPostgresTrial(await server().createDatabase());
  const { store, warnings } = trial.open();
  await store.keepIndex();
  expect(warnings).toEqual([]);
  expect(await store.jobs()).toEqual([]);
  await store.changeLogins(() => ({}));
  await store.keepIndex();
  expect(warnings).toEqual([]);
  expect(await trial.database.query(`SELECT value FROM leadsheet.meta WHERE name = 'kept_on'`)).toEqual([
    { value: '2026-01-31' },
  ]);
});

test('a database that only lets read is named, and read', async () => {
  const { open, store, sql, name, url } = await create();
  await commitAll(store, 's', [batch]);
  await sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  const replica = createPostgresTrial(url).open().store;
  expect((await replica.sync('s').load()).facts.get('n')).toBe(1);
  const refused = { code: 'database_unavailable', message: expect.stringMatching(/only lets read: it is a replica/) };
  await expect(replica.sync('s').acquireLease()).rejects.toMatchObject(refused);
  await expect(replica.sync('s').addRequest({})).rejects.toMatchObject(refused);
  expect((await open().store.sync('s').load()).facts.get('n')).toBe(1);
});

test('a user without rights is told which, and nothing is half made', async () => {
  const { sql, name } = await create();
  await sql(`CREATE ROLE reader LOGIN PASSWORD 'reader-secret'`);
  const { store } = createPostgresTrial(addressOf(server().port, name, 'reader', 'reader-secret')).open();
  const refused = {
    code: 'database_refused',
    message: expect.stringMatching(/lacks a right .*permission denied for database/),
  };
  await expect(store.sync('s').acquireLease()).rejects.toMatchObject(refused);
  expect(await sql("SELECT 1 FROM pg_namespace WHERE nspname = 'leadsheet'")).toEqual([]);
});

test('where processes must not migrate, they say which command does', async () => {
  const { store } = await create({ migrates: false });
  expect((await store.sync('s').load()).notices).toMatchObject([{ kind: 'absent' }]);
  const refused = {
    code: 'database_refused',
    message: expect.stringMatching(/tables are not made yet.*leadsheet state migrate/),
  };
  await expect(store.sync('s').acquireLease()).rejects.toMatchObject(refused);
});

test('a database in another encoding is refused', async () => {
  const { sql, name } = await create();
  await sql(`CREATE DATABASE latin_${name} ENCODING 'LATIN1' TEMPLATE template0`);
  const { store } = createPostgresTrial(addressOf(server().port, `latin_${name}`)).open();
  await expect(store.sync('s').acquireLease()).rejects.toMatchObject({
    code: 'database_refused',
    message: expect.stringMatching(/keeps texts as LATIN1.*ENCODING 'UTF8'/),
  });
});

test('a server that is too old is refused', async () => {
  const { database, open } = await create();
  const older: typeof database.query = async (text, values) =>
    (await database.query(text, values)).map((row) => ({ ...row, server: 13 }));
  const { store } = open({}, { ...database, queryRepeatable: older });
  await expect(store.sync('s').acquireLease()).rejects.toThrow(
    /the server is PostgreSQL 13\. leadsheet needs PostgreSQL 14 or newer/,
  );
});

test('a server without a free connection is named, and works again by itself', async () => {
  const { sql, name, store } = await create();
  await commitAll(store, 's', [batch]);
  await sql(`CREATE ROLE narrow LOGIN SUPERUSER PASSWORD 'narrow-secret'`);
  await sql('ALTER ROLE narrow NOSUPERUSER CONNECTION LIMIT 0');
  await sql('GRANT USAGE ON SCHEMA leadsheet TO narrow');
  await sql('GRANT SELECT ON ALL TABLES IN SCHEMA leadsheet TO narrow');
  const narrow = createPostgresTrial(addressOf(server().port, name, 'narrow', 'narrow-secret')).open().store;
  await expect(narrow.sync('s').load()).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringMatching(/no connection left/),
  });
  await sql('ALTER ROLE narrow CONNECTION LIMIT 5');
  expect((await narrow.sync('s').load()).facts.get('n')).toBe(1);
});

test('a statement that is cancelled fails by name, changes nothing, and the next one goes on', async () => {
  const { store, database, url } = await create();
  await using lease = await store.sync('s').acquireLease();
  await lease.load();
  const other = openDatabase(url);
  await other.transaction(async (query) => {
    await query('SELECT 1 FROM leadsheet.jobs FOR UPDATE');
    const committed = lease.commit(batch).catch((error: unknown) => error);
    // As the server does by itself after `postgres.statement_timeout_secs`.
    const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
      AND datname = current_database()`;
    await expect.poll(() => query(cancel)).toHaveLength(1);
    expect(await committed).toMatchObject({
      code: 'database_unavailable',
      message: expect.stringMatching(/took too long, or was cancelled/),
    });
  });
  expect(await database.query('SELECT commits FROM leadsheet.jobs')).toEqual([{ commits: '0' }]);
  await lease.commit(batch);
  expect(await database.query('SELECT commits FROM leadsheet.jobs')).toEqual([{ commits: '1' }]);
  await other.end();
});

test('a table that was dropped by hand is named', async () => {
  const { store, sql } = await create();
  await commitAll(store, 's', [batch]);
  await sql('DROP TABLE leadsheet.requests');
  const error = await store
    .sync('s')
    .load()
    .catch((thrown: unknown) => String(thrown));
  expect(error).toMatch(/a table is missing .*leadsheet\.requests/);
  expect(error).not.toContain(postgresPassword);
});

test('S5: a record that was changed by hand is kept and named', async () => {
  const { store, sql, open } = await create();
  await commitAll(store, 's', [{ ledger: { put: new Map([['c1 a', { state: 'enrolled' }]]) } }]);
  await sql("UPDATE leadsheet.records SET value = 'oh {'");
  const loaded = await open().store.sync('s').load();
  expect(loaded.ledger.get('c1 a')).toEqual({ damaged: 'oh {' });
  expect(loaded.notices).toMatchObject([{ kind: 'damaged', message: expect.stringContaining('"ledger/c1 a"') }]);
});
