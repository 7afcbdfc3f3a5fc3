// Measures the state with 100,000 records of 12 short fields: loading, committing a hundredth of them, folding.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Batch, JsonObject, Lease, Store } from '../src/state/port.ts';
import { openBenchStore } from './support/large-state.ts';
import { type Bench, median, timed } from './support/measure.ts';

const recordCount = 100_000;
const changedCount = recordCount / 100;
const rounds = 30;

/** In a folder of the project: the system's temporary folder may be in memory. */
const home = join(import.meta.dirname, '..', 'state');

export const bench: Bench = {
  name: 'state',
  async run() {
    const root = await mkdtemp(join(home, 'bench-'));
    try {
      return await measure(root);
    } finally {
      await rm(root, { recursive: true });
    }
  },
};

async function measure(root: string) {
  const folder = join(root, 's');
  const uuids = Array.from({ length: recordCount }, () => randomUUID());
  const change = (from: number, count: number, round: number): Batch => ({
    links: { put: new Map(uuids.slice(from, from + count).map((uuid, i) => [uuid, record(from + i, round)])) },
  });

  let initialMs = 0;
  {
    await using lease = await openBenchStore(root).sync('s').acquireLease();
    await lease.load();
    initialMs = await timed(() => lease.commit(change(0, recordCount, 0)));
  }
  const { size } = await stat(join(folder, 'base.json'));

  const loadMs: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    loadMs.push(
      await timed(async () => {
        const { links } = await openBenchStore(root).sync('s').load();
        if (links.size !== recordCount) throw new Error(`${links.size} links were loaded`);
      }),
    );
  }

  const { commitMs, bytes } = await measureCommits(openBenchStore(root), folder, change);
  const foldMs = await measureFold(root, change);
  return [
    { name: 'first commit of 100,000 records', value: `${Math.round(initialMs)} ms` },
    {
      name: `load, 100,000 records of 12 short fields, median of 7 (most ${Math.round(Math.max(...loadMs))} ms)`,
      value: `${Math.round(median(loadMs))} ms`,
      target: '< 600 ms',
      met: median(loadMs) < 600,
    },
    {
      name: `1,000 changed records durable, median of ${rounds} (most ${Math.max(...commitMs).toFixed(1)} ms)`,
      value: `${median(commitMs).toFixed(1)} ms`,
      target: '<= 30 ms',
      met: median(commitMs) <= 30,
    },
    {
      name: 'bytes written for them, a changed record',
      value: String(Math.round(bytes / changedCount)),
      target: '<= 350',
      met: bytes / changedCount <= 350,
    },
    {
      name: 'bytes on disk a record, in the document',
      value: (size / recordCount).toFixed(0),
      target: '<= 350',
      met: size / recordCount <= 350,
    },
    { name: 'folding the log, in the background', value: `${Math.round(foldMs.took)} ms` },
    { name: 'longest the program stood still meanwhile', value: `${Math.round(foldMs.stalled)} ms` },
  ];
}

async function measureCommits(store: Store, folder: string, change: (from: number, n: number, round: number) => Batch) {
  await using lease = await store.sync('s').acquireLease();
  await lease.load();
  const before = await bytesIn(folder);
  const commitMs: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const batch = change(round * changedCount, changedCount, round);
    commitMs.push(await timed(() => lease.commit(batch)));
  }
  return { commitMs, bytes: ((await bytesIn(folder)) - before) / rounds };
}

async function measureFold(root: string, change: (from: number, n: number, round: number) => Batch) {
  const lease: Lease = await openBenchStore(root).sync('s').acquireLease();
  await lease.load();
  let [stalled, last] = [0, performance.now()];
  const heartbeat = setInterval(() => {
    const now = performance.now();
    stalled = Math.max(stalled, now - last);
    last = now;
  }, 1);
  // Half of the document at once: the log is long now, and is folded after the commit.
  await lease.commit(change(0, recordCount * 0.6, -1));
  [stalled, last] = [0, performance.now()];
  const took = await timed(async () => lease[Symbol.asyncDispose]());
  clearInterval(heartbeat);
  return { took, stalled };
}

function record(index: number, round: number): JsonObject {
  const fields = Array.from({ length: 12 }, (_, field) => `value ${field} ${(index * 12 + field + round) % 100_000}`);
  return { agreed: JSON.stringify(fields) };
}

async function bytesIn(folder: string): Promise<number> {
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
