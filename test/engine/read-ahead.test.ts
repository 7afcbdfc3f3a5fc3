import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createIndexKeeper } from '../../src/daemon/index-keeper.ts';
import { readAhead } from '../../src/daemon/read-ahead.ts';
import { readStatus } from '../../src/operator/standing.ts';
import type { Store } from '../../src/state/port.ts';
import { until } from '../support/daemon.ts';
import { createLinkedTrial } from '../operator/support.ts';

/* What is read in the background after a start, so that the first page is sooner there. */

async function begin() {
  const { operator } = await createLinkedTrial(['Ann']);
  const asked: (readonly string[])[] = [];
  const store: Store = {
    ...operator.store,
    loadSomeOf(jobs, wanted) {
      asked.push(jobs);
      return operator.store.loadSomeOf(jobs, wanted);
    },
  };
  const [sync] = operator.config.syncs;
  const syncs = Array.from({ length: 45 }, (_, index) => ({ ...sync!, name: `sync-${index}` }));
  return { operator, store, asked, config: { ...operator.config, syncs } };
}

test('every job is read once, in parts of twenty, and no answer changes', async () => {
  const { operator, store, asked, config } = await begin();
  const before = await readStatus(operator, []);
  await readAhead({ config, store }, new AbortController().signal);
  expect(asked.map((jobs) => jobs.length)).toEqual([20, 20, 5]);
  expect(asked.flat()).toEqual(config.syncs.map(({ name }) => name));
  expect((await readStatus(operator, [])).syncs).toEqual(before.syncs);
});

test('it ends with the process, and where the state cannot be read', async () => {
  const { store, asked, config } = await begin();
  await readAhead({ config, store }, AbortSignal.abort());
  expect(asked).toEqual([]);
  const end = new AbortController();
  const ending: Store = {
    ...store,
    async loadSomeOf(jobs, wanted) {
      end.abort();
      return store.loadSomeOf(jobs, wanted);
    },
  };
  await readAhead({ config, store: ending }, end.signal);
  expect(asked).toHaveLength(1);
  const lastRuns = async () => Promise.reject(new Error('no such folder'));
  await expect(
    readAhead({ config, store: { ...store, lastRuns } }, new AbortController().signal),
  ).resolves.toBeUndefined();
});

test('it begins once, after the index has what was written before, and its end is waited for', async () => {
  const told: string[] = [];
  const keeper = createIndexKeeper({
    store: { keepIndex: async () => void told.push('index') },
    onProgress: () => {},
    onCurrent: async (signal) => {
      told.push('ahead');
      await delay(60_000, undefined, { signal }).catch(() => told.push('ended'));
    },
  });
  await until(() => told.includes('ahead'));
  keeper.changed('prospects');
  await until(() => told.length === 3);
  await keeper[Symbol.asyncDispose]();
  expect(told).toEqual(['index', 'ahead', 'index', 'ended']);
});
