// A PostgreSQL server for the tests of one file, stopped when the file ends, and stores on it.
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Database, PostgresSettings } from '../../src/postgres/pool.ts';
import { sinceBoot } from '../../src/state/file/every.ts';
import type { Notice, Store } from '../../src/state/port.ts';
import { leaseTimes, type PostgresDriverDep } from '../../src/state/postgres/dep.ts';
import { createPostgresStore } from '../../src/state/postgres/driver.ts';
import { never } from './memory-kernel.ts';
import { openDatabase, type PostgresServer, startPostgres } from './postgres-server.ts';
import { trialTerms } from './state.ts';

export { addressOf, openDatabase, postgresPassword } from './postgres-server.ts';

/** One server for all tests of the file. Call it outside of tests. */
export function servePostgres(flags: readonly string[] = []): () => PostgresServer {
  let server: (PostgresServer & AsyncDisposable) | undefined;
  beforeAll(async () => {
    server = await startPostgres(flags);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });
  return () => {
    if (!server) throw new Error('the server starts before the tests');
    return server;
  };
}

export interface PostgresTrial {
  readonly database: Database;
  /** A store as another process has it. */
  readonly open: (
    dep?: Partial<PostgresDriverDep>,
    over?: Database,
  ) => { readonly store: Store; readonly warnings: readonly Notice[] };
}

let ids = 0;

/** The state in one database. All stores of it share a pool. */
export function createPostgresTrial(url: string, settings: Partial<PostgresSettings> = {}): PostgresTrial {
  const database = openDatabase(url, settings);
  onTestFinished(() => database.end());
  return {
    database,
    open(dep = {}, over = database) {
      const warnings: Notice[] = [];
      const store = createPostgresStore(over, {
        host: 'here',
        pid: 1,
        now: () => Date.UTC(2026, 0, 31, 12),
        elapsed: sinceBoot,
        every: never,
        randomId: () => `${(ids += 1)}-test`,
        warn: (notice) => warnings.push(notice),
        terms: trialTerms,
        historyDays: 90,
        runDays: 90,
        runsMax: 1_000,
        leaseTimes,
        ...dep,
      });
      return { store, warnings };
    },
  };
}
