// Opens the state as a real process of another host would, for the scripts beside this file.
import { randomUUID } from 'node:crypto';
import { createFileStore } from '../../../src/state/file/driver.ts';
import { every, sinceBoot } from '../../../src/state/file/every.ts';
import { createKernelLocks } from '../../../src/state/file/kernel-lock.ts';
import { lockTimes } from '../../../src/state/file/lock.ts';
import { machineDisk } from '../../../src/state/file/machine-disk.ts';
import { createProcesses } from '../../../src/state/file/processes.ts';
import { currentSchema } from '../../../src/state/file/schema.ts';
import type { Store } from '../../../src/state/port.ts';

export interface RealOptions {
  readonly folder: string;
  /** The host name of the container; its process ids mean nothing elsewhere. */
  readonly host: string;
  /** `signs of life`: as on a network drive, with short times. */
  readonly by: 'kernel' | 'signs of life';
  readonly waitMs: number;
}

const shortTimes = { pollMs: 20, renewMs: 50, silentMs: 2_000, settleMs: 200 };

export function openRealStore({ folder, host, by }: RealOptions): Store {
  const processes = createProcesses({ pid: process.pid, probe: (pid) => process.kill(pid, 0) });
  return createFileStore(folder, {
    disk: machineDisk,
    processes: { ...processes, host, space: async () => `space of ${host}` },
    kernelLocks: by === 'kernel' ? createKernelLocks() : { tryTake: async () => undefined },
    every,
    elapsed: sinceBoot,
    lockTimes: by === 'kernel' ? lockTimes : shortTimes,
    now: () => Date.now(),
    randomId: () => randomUUID(),
    warn: () => {},
    terms: { version: 'none', basis: () => '', of: () => [] },
    schema: currentSchema,
    historyDays: 90,
    runsMax: 1_000,
    runDays: 90,
    hasIndex: false,
    foldFloorBytes: 4_096,
    keptRecordsMax: 0,
  });
}

export function readOptions(): RealOptions {
  return JSON.parse(process.argv[2] ?? '{}') as RealOptions;
}
