// A failover to a replica, behind an address that follows the primary: each write fails by name or is there, and the holder goes on.
import { expect, test } from 'vitest';
import { createCutProxy } from '../../support/cut-proxy.ts';
import { startReplica } from '../../support/postgres-replica.ts';
import { createPostgresTrial, servePostgres } from '../../support/postgres.ts';
import { historyLine } from '../../support/state.ts';

const server = servePostgres();
const fact = (name: string, value: number) => ({ facts: { put: new Map([[name, value]]) } });

test('S1: a failover loses nothing, and the run that was going on goes on', async () => {
  const url = await server().createDatabase();
  const replica = await startReplica(server(), url);
  const proxy = await createCutProxy(server().port);
  const trial = createPostgresTrial(url.replace(/:\d+\//, `:${proxy.port}/`));
  const { store } = trial.open();
  const lease = await store.sync('s').acquireLease();
  await lease.load();
  await lease.commit(fact('before', 1));
  await lease.appendHistory([historyLine('2026-01-31T09:00:00.000Z')]);

  await server().stop();
  await expect(lease.commit(fact('away', 1))).rejects.toMatchObject({ code: 'database_unavailable', retryable: true });

  // The address leads to the replica before that takes writes.
  proxy.turnTo(replica.port);
  await expect(lease.commit(fact('replica', 1))).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringMatching(
      /only lets read: it is a replica, or has become one.*wait for the end of the failover$/,
    ),
  });
  expect([...(await trial.open().store.sync('s').load()).facts]).toEqual([['before', 1]]);

  await replica.promote();
  await lease.commit(fact('after', 1));
  await lease[Symbol.asyncDispose]();
  await using next = await trial.open().store.sync('s').acquireLease({ waitMs: 0 });
  expect(next.epoch).toBe(lease.epoch + 1);
  expect(Object.fromEntries((await next.load()).facts)).toEqual({ after: 1, before: 1 });
  expect((await store.historyPage({ limit: 9 })).lines).toHaveLength(1);
});
