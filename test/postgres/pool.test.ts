// The pool: its errors in words, and connections that break.
import { expect, test } from 'vitest';
import { DatabaseRefusedError, DatabaseUnavailableError } from '../../src/state/errors.ts';
import { openDatabase, postgresPassword, servePostgres } from '../support/postgres.ts';

const server = servePostgres();

async function failureOf(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing failed');
}

test('a statement is answered, and a transaction that fails leaves nothing', async () => {
  const database = openDatabase(await server().createDatabase());
  expect(await database.query('SELECT $1::text AS text, 5000000000 AS big', ['é'])).toEqual([
    { text: 'é', big: '5000000000' },
  ]);
  await database.query('CREATE TABLE t (n int)');
  const reason = new Error('no');
  const failed = database.transaction(async (query) => {
    await query('INSERT INTO t VALUES (1)');
    throw reason;
  });
  await expect(failed).rejects.toBe(reason);
  expect(await database.query('SELECT * FROM t')).toEqual([]);
  await database.end();
});

test.each([
  ['a statement that fails', 'SELECT 1 / 0', /division by zero|22012/],
  ['a constraint that is broken', 'INSERT INTO t VALUES (1)', /23505/],
  ['a statement that is cancelled', 'SELECT pg_sleep(10)', /took too long/],
])('a transaction in which %s fails by it, also if its caller goes on', async (_name, text, words) => {
  const database = openDatabase(await server().createDatabase(), { poolMax: 1, statementTimeoutMs: 200 });
  await database.query('CREATE TABLE t (n int PRIMARY KEY)');
  const error = await failureOf(
    database.transaction(async (query) => {
      await query('INSERT INTO t VALUES (1)');
      await query(text).catch(() => {});
      return 'done';
    }),
  );
  expect(error.message).toMatch(words);
  expect(await database.query('SELECT * FROM t')).toEqual([]);
  await database.end();
});

test('a transaction that undoes a failed statement by a savepoint is committed', async () => {
  const database = openDatabase(await server().createDatabase(), { poolMax: 1 });
  await database.query('CREATE TABLE t (n int PRIMARY KEY)');
  const done = await database.transaction(async (query) => {
    await query('INSERT INTO t VALUES (1)');
    await query('SAVEPOINT s');
    await query('SELECT 1 / 0').catch(() => {});
    await query('ROLLBACK TO s');
    return 'done';
  });
  expect(done).toBe('done');
  expect(await database.query('SELECT * FROM t')).toEqual([{ n: 1 }]);
  await database.end();
});

test.each([
  ['a text of several statements that fails', 'BEGIN; CREATE TABLE made (n int); SELECT 1 / 0; COMMIT;'],
  ['a text that begins a transaction and does not end it', 'BEGIN; CREATE TABLE made (n int)'],
  ['a single statement that fails', 'SELECT 1 / 0'],
])('%s leaves its connection outside of any transaction', async (_name, text) => {
  const database = openDatabase(await server().createDatabase(), { poolMax: 1 });
  await database.query('CREATE TABLE kept (n int)');
  await database.query(text).catch(() => {});
  // On the same connection: within what failed, the first one fails, and within what was begun both are lost.
  await database.query('INSERT INTO kept VALUES (1)');
  await database.end();
  expect(await database.query('SELECT n FROM kept')).toEqual([{ n: 1 }]);
  expect(await database.query(`SELECT to_regclass('made') AS made`)).toEqual([{ made: null }]);
  await database.end();
});

test.each([
  [
    'a wrong password',
    (url: string) => url.replace(/:[^:@]+@/, ':wrong-secret@'),
    DatabaseRefusedError,
    /refused user or password/,
  ],
  [
    'a database that is not there',
    (url: string) => url.replace(/test_\d+/, 'nowhere'),
    DatabaseRefusedError,
    /no database of this name/,
  ],
  [
    'TLS that the server does not offer',
    (url: string) => `${url}?sslmode=verify-full`,
    DatabaseRefusedError,
    /offers no TLS/,
  ],
  [
    'a port without a server',
    (url: string) => url.replace(/:\d+\/test/, ':1/test'),
    DatabaseUnavailableError,
    /connection was refused/,
  ],
  [
    'a host that is not known',
    (url: string) => url.replace('127.0.0.1', 'db.invalid'),
    DatabaseUnavailableError,
    /host/,
  ],
])('%s is named with host and database, and no secret', async (_name, change, kind, words) => {
  const url = change(await server().createDatabase());
  const error = await failureOf(openDatabase(url).query('SELECT 1'));
  expect(error).toBeInstanceOf(kind);
  expect(error.message).toMatch(words);
  expect(error.message).toMatch(/^postgres:\/\/[\w.]+(:\d+)?\/\w+: [^\n]*$/);
  for (const secret of ['wrong-secret', postgresPassword, encodeURIComponent(postgresPassword)])
    expect(error.message).not.toContain(secret);
});

test('a connection that the server ends fails its statement alone, whether it was idle or in use', async () => {
  const url = await server().createDatabase();
  const [database, other] = [openDatabase(url), openDatabase(url)];
  await database.query('SELECT 1');
  const endAll =
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()';
  await other.query(endAll);
  expect(await database.queryRepeatable('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  const asleep = failureOf(database.query('SELECT pg_sleep(30)'));
  for (;;) {
    const busy = await other.query(
      "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'",
    );
    if (busy.length > 0) break;
  }
  await other.query(endAll);
  const error = await asleep;
  expect(error).toBeInstanceOf(DatabaseUnavailableError);
  expect(error).toMatchObject({ retryable: true, isOutcomeUnknown: true });
  expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await Promise.all([database.end(), other.end()]);
});

test('a statement that takes too long is cancelled by the server', async () => {
  const database = openDatabase(await server().createDatabase(), { statementTimeoutMs: 50 });
  const error = await failureOf(database.query('SELECT pg_sleep(10)'));
  expect(error).toMatchObject({ code: 'database_unavailable', isOutcomeUnknown: false });
  expect(error.message).toMatch(/took too long/);
  await database.end();
});
