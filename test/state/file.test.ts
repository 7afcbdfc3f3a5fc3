import * as nodeDisk from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Disk } from '../../src/state/file/disk.ts';
import type { Store } from '../../src/state/port.ts';
import { describeStateContract } from '../contract/state.ts';
import { describeTakeoverContract } from '../contract/takeover.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import { noKernelLocks } from '../support/memory-kernel.ts';
import { createMachine, openTrial, type StateTrial } from '../support/state.ts';

describeStateContract('files on the real disk', {
  async create() {
    const root = await mkdtemp(join(tmpdir(), 'state-'));
    const opened: StateTrial[] = [];
    onTestFinished(async () => {
      await rm(root, { recursive: true });
      // Where the index fails, the files answer instead, and a warning says so.
      for (const { message } of opened.flatMap(({ warnings }) => warnings)) throw new Error(message);
    });
    const reopen = () => {
      const trial = openTrial(root);
      opened.push(trial);
      return trial.store;
    };
    return { store: reopen(), reopen };
  },
});

describeStateContract('files on a disk in memory', {
  async create() {
    const disk = createMemoryDisk(1);
    const reopen = () => openTrial('/state', { disk }).store;
    return { store: reopen(), reopen };
  },
});

describeStateContract('files of which no record stays in memory', {
  async create() {
    const disk = createMemoryDisk(1);
    const reopen = () => openTrial('/state', { disk, keptRecordsMax: -1 }).store;
    return { store: reopen(), reopen };
  },
});

describeTakeoverContract('files on a network drive', {
  async create() {
    const disk = createMemoryDisk(1);
    const lockTimes = { pollMs: 1, renewMs: 1_000, silentMs: 2, settleMs: 1 };
    const open = (host: string) =>
      openTrial('/state', { disk, machine: createMachine(host), kernelLocks: noKernelLocks, lockTimes }).store;
    return { silent: open('first'), open: () => open('second') };
  },
  async createBreaking() {
    const disk = createMemoryDisk(1);
    const open = () => openTrial('/state', { disk }).store;
    return {
      store: open(),
      open,
      breakNext(wasDone) {
        // It appends to the log of the ledger, and then to that of the base, with a sync each.
        const operation = disk.operations + (wasDone ? 4 : 1);
        disk.planFault({ operation, effect: { code: 'EIO', lasting: true } });
        return () => disk.planFault({ operation: 0, effect: { code: 'EIO' } });
      },
    };
  },
});

describe('requests in files', () => {
  const hour = 3_600_000;
  const noon = Date.UTC(2026, 0, 31, 12);

  async function numbersIn(store: Store): Promise<unknown[]> {
    return [...(await store.sync('s').load()).requests.values()].map(({ number }) => number);
  }

  test('a clock that goes back does not change their order, in one process and in two', async () => {
    const disk = createMemoryDisk(1);
    let at = noon;
    const open = () => openTrial('/state', { disk, now: () => at }).store;
    const one = open();
    for (const [number, store] of [one, one, open(), one, open()].entries()) {
      await store.sync('s').addRequest({ number });
      at -= hour;
    }
    expect(await numbersIn(open())).toEqual([0, 1, 2, 3, 4]);
    at = noon + hour;
    await open().sync('s').addRequest({ number: 5 });
    expect(await numbersIn(open())).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('one comes after those that an earlier version wrote in the same millisecond', async () => {
    const disk = createMemoryDisk(1);
    const { store } = openTrial('/state', { disk, now: () => noon });
    const id = await store.sync('s').addRequest({ number: 0 });
    const file = `/state/s/requests/${id}.json`;
    const bytes = disk.files().get(file)!;
    await disk.unlink(file);
    for (const random of ['ffffffff', '0000ffff', '12345678'])
      disk.put(`/state/s/requests/2026-01-31T12-00-00-000Z-${random}.json`, bytes);
    await openTrial('/state', { disk, now: () => noon })
      .store.sync('s')
      .addRequest({ number: 1 });
    expect(await numbersIn(store)).toEqual([0, 0, 0, 1]);
  });

  test('more than ten thousand of one instant keep their order', async () => {
    const disk = createMemoryDisk(1);
    const { store } = openTrial('/state', { disk, now: () => noon });
    const id = await store.sync('s').addRequest({ number: 0 });
    const [file, bytes] = [...disk.files()].find(([name]) => name.includes(id))!;
    await disk.unlink(file);
    disk.put(file.replace('-0000-', '-9999-'), bytes);
    const other = openTrial('/state', { disk, now: () => noon }).store;
    for (const number of [1, 2]) await other.sync('s').addRequest({ number });
    expect(await numbersIn(store)).toEqual([0, 1, 2]);
  });

  test('those that are added at once are all there, each once', async () => {
    const disk = createMemoryDisk(1);
    const stores = [1, 2, 3].map(() => openTrial('/state', { disk }).store);
    const ids = await Promise.all(
      Array.from({ length: 30 }, async (_, number) => stores[number % 3]!.sync('s').addRequest({ number })),
    );
    expect(new Set(ids).size).toBe(30);
    const numbers = (await numbersIn(stores[0]!)) as number[];
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, number) => number));
    // Of one process they keep the order in which they were given.
    for (const part of [0, 1, 2]) {
      const own = numbers.filter((number) => number % 3 === part);
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
  });
});

test('S9: a reader that a writer overtakes at each of its attempts has a state of one moment, and finds no damage', async () => {
  const root = await mkdtemp(join(tmpdir(), 'overtaken-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const put = (key: string, n: number) => ({ put: new Map([[key, { n }]]) });
  await using lease = await openTrial(root).store.sync('s').acquireLease();
  await lease.load();
  await lease.commit({ ledger: put('c0 a', 0), links: put('c0', 0) });
  let commits = 0;
  let isWriting = false;
  const disk: Disk = {
    ...nodeDisk,
    async readFile(path) {
      const bytes = await nodeDisk.readFile(path);
      if (isWriting || !path.endsWith('.log')) return bytes;
      isWriting = true;
      commits += 1;
      // An intent, the link that came of it, and the outcome.
      await lease.commit({ ledger: put(`c${commits} a`, 1) });
      await lease.commit({ links: put(`c${commits}`, 1) });
      await lease.commit({ ledger: put(`c${commits} a`, 2) });
      isWriting = false;
      return bytes;
    },
  };
  const { notices, links, ledger } = await openTrial(root, { disk }).store.sync('s').load();
  expect(notices).toEqual([]);
  expect([...ledger.keys()]).toEqual([...links.keys()].map((key) => `${key} a`));
  expect(commits).toBeGreaterThan(5);
});
