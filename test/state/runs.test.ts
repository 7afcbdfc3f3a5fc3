import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiskError, LeaseLostError } from '../../src/state/errors.ts';
import { openStore } from '../../src/state/open.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import type { MemoryDisk } from '../support/memory-disk.ts';
import { createMachine, openTrial, runRecord } from '../support/state.ts';

const now = Date.UTC(2026, 0, 31, 12);
const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString();

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'runs-'));
});
afterEach(() => rm(root, { recursive: true }));

async function append(dep: Parameters<typeof openTrial>[1], records: readonly ReturnType<typeof runRecord>[]) {
  await using lease = await openTrial(root, dep).store.sync('s').acquireLease();
  for (const record of records) await lease.appendRun(record);
}

async function kept(): Promise<string[]> {
  return (await openTrial(root).store.sync('s').readRuns({ limit: 100 })).map(({ run }) => run);
}

describe('S6: reports of runs are bounded', () => {
  test('in number: the oldest are deleted', async () => {
    const records = Array.from({ length: 7 }, (_, n) => runRecord(`r${n}`, daysAgo(7 - n)));
    await append({ runsMax: 3 }, records);
    expect(await kept()).toEqual(['r6', 'r5', 'r4']);
    expect(await readdir(join(root, 's', 'runs'))).toHaveLength(3);
  });

  test('one that is stored once more takes the place of the one before', async () => {
    const [first, second] = [runRecord('r0', daysAgo(2)), runRecord('r1', daysAgo(1))];
    await append({}, [first, second, first]);
    expect(await kept()).toEqual(['r1', 'r0']);
    expect(await readdir(join(root, 's', 'runs'))).toHaveLength(2);
  });

  test('in age: older ones are deleted with the next report', async () => {
    const records = [runRecord('old', daysAgo(91)), runRecord('edge', daysAgo(90)), runRecord('young', daysAgo(89))];
    await append({ runDays: 1_000 }, records);
    expect(await kept()).toEqual(['young', 'edge', 'old']);
    await append({ runDays: 90 }, [runRecord('new', daysAgo(0))]);
    expect(await kept()).toEqual(['new', 'young', 'edge']);
  });

  test('by default to the last 1,000, and to 90 days', async () => {
    const folder = join(root, 's', 'runs');
    await mkdir(folder, { recursive: true });
    // The name of a report says all that is needed to delete it.
    const nameOf = (place: number, days: number) =>
      `${String(place).padStart(10, '0')}.${daysAgo(days).replaceAll(/[:.]/g, '-')}.r${place}.json`;
    const dep = {
      process: { pid: process.pid, probe: () => {} },
      now: () => now,
      randomId: randomUUID,
      warn: () => {},
    };
    const namesAfter = async (run: string, names: readonly string[]) => {
      for (const name of names) await writeFile(join(folder, name), '');
      await using lease = await openStore(`file:${root}`, dep).sync('s').acquireLease();
      await lease.appendRun(runRecord(run, daysAgo(0)));
      return (await readdir(folder)).filter((name) => !name.includes('last')).toSorted();
    };
    const [old, edge] = [nameOf(1, 91), nameOf(2, 90)];
    expect(await namesAfter('last but one', [old, edge])).toEqual([edge]);
    const young = Array.from({ length: 1_000 }, (_, index) => nameOf(index + 10, 1));
    expect(await namesAfter('last', young)).toEqual(young.slice(1));
  });
});

describe('S6: reports on a disk in trouble', () => {
  test('a damaged one is left out, named, and no other is lost', async () => {
    await append({}, [runRecord('r1', daysAgo(3)), runRecord('r2', daysAgo(2)), runRecord('r3', daysAgo(1))]);
    const folder = join(root, 's', 'runs');
    const [, second = ''] = (await readdir(folder)).toSorted();
    const bytes = await readFile(join(folder, second));
    bytes[30] = (bytes[30] ?? 0) ^ 1;
    await writeFile(join(folder, second), bytes);
    const { store, warnings } = openTrial(root);
    expect((await store.sync('s').readRuns({ limit: 2 })).map(({ run }) => run)).toEqual(['r3', 'r1']);
    expect(await store.sync('s').readRun('r2')).toBeUndefined();
    expect(warnings).toMatchObject([{ kind: 'damaged' }, { kind: 'damaged' }]);
    expect(warnings[0]?.message).toContain(second);
  });

  test('S10: one that is read wrongly once is read again', async () => {
    const disk = createMemoryDisk(1);
    const { store, warnings } = openTrial('/state', { disk, machine: createMachine('here', 1), pid: 1 });
    {
      await using lease = await store.sync('s').acquireLease();
      for (const n of [1, 2]) await lease.appendRun(runRecord(`r${n}`, daysAgo(5 - n)));
    }
    for (let read = 1; read <= 4; read += 1) {
      disk.planWrongRead(disk.reads + read);
      expect((await store.sync('s').readRuns({ limit: 2 })).map(({ run }) => run)).toEqual(['r2', 'r1']);
      expect(await store.sync('s').readRun('r1')).toMatchObject({ run: 'r1' });
      disk.planWrongRead(-1);
    }
    expect(warnings).toEqual([]);
  });

  test('L10: after a kill or a power loss at every operation, each is there whole or not at all', async () => {
    const start = (disk: MemoryDisk, pid: number) => {
      const machine = createMachine('here', pid);
      return openTrial('/state', { disk, machine, pid, runsMax: 2 }).store.sync('s');
    };
    const live = async (disk: MemoryDisk): Promise<string[]> => {
      const acknowledged: string[] = [];
      try {
        await using lease = await start(disk, 1).acquireLease();
        for (const n of [1, 2, 3]) {
          await lease.appendRun(runRecord(`r${n}`, daysAgo(5 - n)));
          acknowledged.push(`r${n}`);
        }
      } catch (error) {
        if (!disk.isOff) throw error;
      }
      return acknowledged;
    };
    const rehearsal = createMemoryDisk(1);
    await live(rehearsal);
    for (const end of ['kill', 'power loss'] as const) {
      for (let operation = 1; operation <= rehearsal.operations; operation += 1) {
        const disk = createMemoryDisk(operation);
        disk.planFault({ operation, effect: 'off' });
        const acknowledged = await live(disk);
        disk.turnOff();
        disk.restart(end);
        const state = start(disk, 2);
        const found = (await state.readRuns({ limit: 9 })).map(({ run }) => run);
        expect(found).toEqual(found.toSorted((a, b) => (a < b ? 1 : -1)));
        // One that was kept and not yet acknowledged may have taken the place of the oldest.
        const newest = [...new Set([...acknowledged, ...found])].toSorted().slice(-2);
        expect(found).toEqual(expect.arrayContaining(newest));
        await using lease = await state.acquireLease();
        await lease.appendRun(runRecord('r9', daysAgo(0)));
        expect((await state.readRuns({ limit: 9 })).map(({ run }) => run)).toHaveLength(Math.min(2, found.length + 1));
        expect([...disk.files().keys()].filter((name) => name.endsWith('.tmp'))).toEqual([]);
      }
    }
  });

  test('a full disk is an error, and earlier reports stay', async () => {
    const disk = createMemoryDisk(1);
    const { store } = openTrial('/state', { disk });
    await using lease = await store.sync('s').acquireLease();
    await lease.appendRun(runRecord('r1', daysAgo(2)));
    disk.planFault({ operation: disk.operations + 2, effect: { code: 'ENOSPC' } });
    await expect(lease.appendRun(runRecord('r2', daysAgo(1)))).rejects.toThrow(DiskError);
    expect((await store.sync('s').readRuns({ limit: 9 })).map(({ run }) => run)).toEqual(['r1']);
    await lease.appendRun(runRecord('r2', daysAgo(1)));
    expect((await store.sync('s').readRuns({ limit: 9 })).map(({ run }) => run)).toEqual(['r2', 'r1']);
  });

  test('a folder that is removed while the process runs is made anew by the report after the one that fails', async () => {
    await using lease = await openTrial(root).store.sync('s').acquireLease();
    await lease.appendRun(runRecord('r1', daysAgo(3)));
    await rm(join(root, 's', 'runs'), { recursive: true });
    await expect(lease.appendRun(runRecord('r2', daysAgo(2)))).rejects.toThrow(DiskError);
    await lease.appendRun(runRecord('r2', daysAgo(2)));
    await lease.appendRun(runRecord('r3', daysAgo(1)));
    expect(await kept()).toEqual(['r3', 'r2']);
  });

  test('W7: a run whose lock is gone stores nothing', async () => {
    await using lease = await openTrial(root).store.sync('s').acquireLease();
    await rm(join(root, 's', 'lock'));
    await expect(lease.appendRun(runRecord('r1', daysAgo(1)))).rejects.toThrow(LeaseLostError);
    expect(await kept()).toEqual([]);
  });
});

describe('a page of reports from the index', () => {
  const page = { jobs: ['s'] };
  const records = Array.from({ length: 40 }, (_, n) =>
    runRecord(`r${n}`, daysAgo(40 - n), n === 0 ? { status: 'failed' } : {}),
  );

  test('has as many as it was asked for, and says that there are more', async () => {
    await append({}, records);
    const { runs, hasMore } = await openTrial(root).store.runsPage({ ...page, limit: 30 });
    expect(runs.map(({ record: { run } }) => run)).toEqual(Array.from({ length: 30 }, (_, n) => `r${39 - n}`));
    expect(hasMore).toBe(true);
    expect(await openTrial(root).store.runsPage({ ...page, limit: 40 })).toMatchObject({ hasMore: false });
  });

  test('has the one of a status behind many of another one', async () => {
    await append({}, records);
    const { runs, hasMore } = await openTrial(root).store.runsPage({ ...page, limit: 1, status: 'failed' });
    expect([runs.map(({ record: { run } }) => run), hasMore]).toEqual([['r0'], false]);
  });
});
