// Every driver of the lease passes one contract: the kernel's lock on a real disk, and both drivers in memory.
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Disk } from '../../src/state/file/disk.ts';
import { takeEpoch } from '../../src/state/file/epoch.ts';
import { createKernelLocks } from '../../src/state/file/kernel-lock.ts';
import type { KernelLocks } from '../../src/state/file/kernel-lock.ts';
import { createLocks } from '../../src/state/file/lock.ts';
import { machineDisk } from '../../src/state/file/machine-disk.ts';
import { describeLocksContract, type LockProcess, type LockTrial } from '../contract/locks.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import { createMemoryKernel, noKernelLocks } from '../support/memory-kernel.ts';

/** Short, because no test waits for real: 40 looks, 2 ms from one to the next. */
const times = { pollMs: 2, renewMs: 1, silentMs: 80, settleMs: 2 };

interface Place {
  readonly folder: string;
  readonly disk: Disk;
  /** Of a process; `isAlive` tells whether that process lives. */
  readonly kernelOf: (pid: number, isAlive: (pid: number) => boolean) => KernelLocks;
  readonly names: () => Promise<readonly string[]>;
}

function createTrial({ folder, disk, kernelOf, names }: Place): LockTrial {
  const living = new Set<number>();
  const isAlive = (pid: number) => living.has(pid);
  const clock = { ms: 0 };
  let ids = 0;
  let pids = 0;
  return {
    start(host = 'a'): LockProcess {
      const pid = (pids += 1);
      living.add(pid);
      const renewals = new Set<() => void>();
      const locks = createLocks(folder, 's', {
        disk,
        processes: {
          host,
          pid,
          space: async () => `space of ${host}`,
          startOf: async (asked) => (living.has(asked) ? { start: `boot/${asked}` } : 'gone'),
        },
        kernelLocks: kernelOf(pid, isAlive),
        every(_ms, work) {
          renewals.add(work);
          return () => void renewals.delete(work);
        },
        lockTimes: times,
        now: () => Date.UTC(2026, 0, 31, 12),
        elapsed: () => clock.ms,
        randomId: () => `id-${(ids += 1)}`,
      });
      return {
        pid,
        locks,
        renew: () => renewals.forEach((work) => work()),
        kill() {
          living.delete(pid);
          renewals.clear();
        },
      };
    },
    pass: (ms) => void (clock.ms += ms),
    async removeFiles() {
      for (const name of await names()) await disk.unlink(join(folder, name));
    },
    files: names,
  };
}

/** The rest outlives every holder. */
const isOfHolder = (name: string) => name !== 'lock.db' && !name.startsWith('lock.epoch-');

async function createMemoryPlace(kernelOf: Place['kernelOf']): Promise<Place> {
  const disk = createMemoryDisk(1);
  await disk.mkdir('/state', { recursive: true, mode: 0o700 });
  return { folder: '/state', disk, kernelOf, names: async () => (await disk.readdir('/state')).filter(isOfHolder) };
}

describeLocksContract(
  'signs of life alone',
  async () => createTrial(await createMemoryPlace(() => noKernelLocks)),
  times.silentMs,
);

describeLocksContract('a kernel’s lock in memory', async () => {
  const starts = new Set<(pid: number) => boolean>();
  const kernel = createMemoryKernel((pid) => ([...starts].some((isAlive) => isAlive(pid)) ? String(pid) : undefined));
  return createTrial(
    await createMemoryPlace((pid, isAlive) => {
      starts.add(isAlive);
      return kernel.locksOf(pid);
    }),
  );
});

describeLocksContract('the kernel’s lock on a real disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-locks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const held = new Map<number, () => void>();
  /** One process plays all: a lock that its killed process had is given back before the next try, as a kernel does. */
  const kernelOf: Place['kernelOf'] = (pid, isAlive) => {
    const locks = createKernelLocks();
    return {
      async tryTake(at) {
        for (const [holder, release] of held) if (!isAlive(holder)) release();
        const lock = await locks.tryTake(at);
        if (lock === undefined || lock === 'taken') return lock;
        const release = () => {
          if (held.delete(pid)) lock.release();
        };
        held.set(pid, release);
        return { id: lock.id, release };
      },
    };
  };
  const names = async () => (await readdir(folder)).filter(isOfHolder);
  return createTrial({ folder, disk: machineDisk, kernelOf, names });
});

describe('H1: the count of leases', () => {
  test('of many that count at once each gets a number of its own, and the count never goes back', async () => {
    const { disk } = await createMemoryPlace(() => noKernelLocks);
    const counted = await Promise.all(Array.from({ length: 9 }, () => takeEpoch(disk, '/state')));
    expect(new Set(counted).size).toBe(9);
    const next = await takeEpoch(disk, '/state');
    expect(next).toBeGreaterThan(Math.max(...counted));
    expect(await disk.readdir('/state')).toEqual([`lock.epoch-${next}`]);
  });

  test('one that is suspended between its look and its rename counts on from those who came meanwhile', async () => {
    const { disk } = await createMemoryPlace(() => noKernelLocks);
    await takeEpoch(disk, '/state');
    let others: readonly number[] = [];
    const slow: Disk = {
      ...disk,
      async rename(from, to) {
        if (others.length === 0) others = [await takeEpoch(disk, '/state'), await takeEpoch(disk, '/state')];
        await disk.rename(from, to);
      },
    };
    expect([await takeEpoch(slow, '/state'), others, await takeEpoch(disk, '/state')]).toEqual([4, [2, 3], 5]);
  });
});

describe('the kernel’s lock', () => {
  const temporary = () => {
    const folder = mkdtempSync(join(tmpdir(), 'leadsheet-locks-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return folder;
  };
  const holderOf = async (folder: string) => {
    const lock = await createKernelLocks().tryTake(folder);
    if (lock === undefined || lock === 'taken') throw new Error(`not taken: ${lock}`);
    return lock;
  };

  test('W9: it writes nothing: its file stays empty, and no other file appears', async () => {
    const folder = temporary();
    (await holderOf(folder)).release();
    expect(await readdir(folder)).toEqual(['lock.db']);
    expect((await machineDisk.stat(join(folder, 'lock.db'))).size).toBe(0);
  });

  test('a file that was deleted while it was held has another id when it is made anew', async () => {
    const folder = temporary();
    const first = await holderOf(folder);
    await rm(join(folder, 'lock.db'));
    const second = await holderOf(folder);
    expect(second.id).not.toBe(first.id);
    first.release();
    second.release();
    const third = await holderOf(folder);
    expect(third.id).toBe(second.id);
    third.release();
  });

  test('a damaged file is made anew', async () => {
    const folder = temporary();
    const disk = machineDisk;
    const file = await disk.open(join(folder, 'lock.db'), 'wx');
    const garbage = Buffer.alloc(4_096, 'no database');
    await file.write(garbage, 0, garbage.length, 0);
    await file.close();
    expect(await createKernelLocks().tryTake(folder)).toBe('taken');
    (await holderOf(folder)).release();
  });

  test.each([
    { it: 'NFS', type: 0x6969, isLinux: true, isTrusted: false },
    { it: 'SMB', type: 0xfe534d42, isLinux: true, isTrusted: false },
    { it: 'FUSE', type: 0x65735546, isLinux: true, isTrusted: false },
    { it: '9p', type: 0x01021997, isLinux: true, isTrusted: false },
    { it: 'a file system that is not known', type: 12, isLinux: true, isTrusted: false },
    { it: 'ext4', type: 0xef53, isLinux: true, isTrusted: true },
    { it: 'XFS', type: 0x58465342, isLinux: true, isTrusted: true },
    { it: 'Btrfs', type: 0x9123683e, isLinux: true, isTrusted: true },
    { it: 'ZFS', type: 0x2fc12fc1, isLinux: true, isTrusted: true },
    { it: 'F2FS', type: 0xf2f52010, isLinux: true, isTrusted: true },
    { it: 'bcachefs', type: 0xca451a4e, isLinux: true, isTrusted: true },
    { it: 'JFS', type: 0x3153464a, isLinux: true, isTrusted: true },
    { it: 'tmpfs', type: 0x01021994, isLinux: true, isTrusted: true },
    { it: 'ramfs', type: 0x858458f6, isLinux: true, isTrusted: true },
    { it: 'overlay, as in a container', type: 0x794c7630, isLinux: true, isTrusted: true },
    { it: 'any on a system without these numbers', type: 12, isLinux: false, isTrusted: true },
  ])('on $it: trusted $isTrusted', async ({ type, isLinux, isTrusted }) => {
    const lock = await createKernelLocks({ isLinux, typeOf: async () => type }).tryTake(temporary());
    expect(lock !== undefined).toBe(isTrusted);
    if (lock !== undefined && lock !== 'taken') lock.release();
  });
});
