// Statements that wait for a connection: they wait as long as the others come back, and fail by name once none does.
import delay from 'delay';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLine } from '../../src/postgres/line.ts';
import { openDatabase, servePostgres } from '../support/postgres.ts';

const server = servePostgres();

test('a statement waits for a connection longer than connect_timeout_secs, and those after it in order', async () => {
  const settings = { poolMax: 1, connectTimeoutMs: 1_500 };
  const database = openDatabase(await server().createDatabase(), settings);
  onTestFinished(() => database.end());
  await database.query('CREATE TABLE t (n int)');
  const held = Promise.withResolvers<void>();
  const holding = database.transaction(async () => held.promise);
  const waiting = [1, 2, 3].map((n) => database.query('INSERT INTO t VALUES ($1)', [n]));
  const urgent = database.queryUrgent('INSERT INTO t SELECT count(*) FROM t');
  await delay(2 * settings.connectTimeoutMs);
  held.resolve();
  await Promise.all([holding, urgent, ...waiting]);
  // The urgent one found none before it.
  expect(await database.query('SELECT n FROM t')).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }]);
});

test('a connection that breaks is no sign that the line moves, and leaves its place to the next', async () => {
  const database = openDatabase(await server().createDatabase(), { poolMax: 2 });
  onTestFinished(() => database.end());
  const broken = Array.from({ length: 6 }, async () =>
    database.query('SELECT pg_terminate_backend(pg_backend_pid())').catch((error: unknown) => error),
  );
  for (const error of await Promise.all(broken)) expect(error).toMatchObject({ code: 'database_unavailable' });
  // As many at once as before: none of them waits for the other.
  const both = Promise.withResolvers<void>();
  let begun = 0;
  const meet = () =>
    database.transaction(async () => {
      begun += 1;
      if (begun === 2) both.resolve();
      await both.promise;
      return 'met';
    });
  expect(await Promise.all([meet(), meet()])).toEqual(['met', 'met']);
});

test('a database whose connections do not come back fails those who wait by name', async () => {
  const database = openDatabase(await server().createDatabase(), {
    poolMax: 1,
    connectTimeoutMs: 1_500,
    statementTimeoutMs: 100,
  });
  onTestFinished(() => database.end());
  const held = Promise.withResolvers<void>();
  const holding = database.transaction(() => held.promise).catch((error: unknown) => error);
  await expect(database.query('SELECT 1')).rejects.toMatchObject({
    code: 'database_unavailable',
    retryable: true,
    isOutcomeUnknown: false,
    message: expect.stringMatching(/no connection came free in 5 s.*postgres\.pool_size/) as string,
  });
  held.resolve();
  await holding;
  expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('the time of all who wait begins anew with each connection that comes back, and ends for all at once', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const line = createLine({ max: 1, stillMs: 1_000, stuck: () => new Error('stuck') });
  const works = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const ended: string[] = [];
  for (const [n, work] of works.entries()) {
    void line
      .run(() => work.promise, false)
      .then(
        () => ended.push(`${n} done`),
        (error: unknown) => ended.push(`${n} ${String(error)}`),
      );
  }
  await vi.advanceTimersByTimeAsync(900);
  works[0]!.resolve();
  line.moved();
  await vi.advanceTimersByTimeAsync(900);
  expect(ended).toEqual(['0 done']);
  await vi.advanceTimersByTimeAsync(200);
  expect(ended).toEqual(['0 done', '2 Error: stuck']);
  // The second has begun: nothing drops it.
  works[1]!.resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(ended).toEqual(['0 done', '2 Error: stuck', '1 done']);
  expect(await line.run(async () => 'free', false)).toBe('free');
  expect(vi.getTimerCount()).toBe(0);
});
