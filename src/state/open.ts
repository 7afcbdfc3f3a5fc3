// Opens the store that the configuration names.
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UnknownStoreError } from './errors.ts';
import { createFileStore } from './file/driver.ts';
import { every, sinceBoot } from './file/every.ts';
import { createKernelLocks } from './file/kernel-lock.ts';
import type { KernelLocks } from './file/kernel-lock.ts';
import { lockTimes } from './file/lock.ts';
import type { Every } from './file/lock.ts';
import { createProcesses } from './file/processes.ts';
import { type Disk, onDisk } from './file/disk.ts';
import { machineDisk } from './file/machine-disk.ts';
import type { ProcessDep, Processes } from './file/processes.ts';
import { currentSchema } from './file/schema.ts';
import type { Database } from '../postgres/pool.ts';
import { leaseTimes } from './postgres/dep.ts';
import { assertNotNewer, assertWritable, migrateDatabase } from './postgres/migrate.ts';
import { makePartitions } from './postgres/partitions.ts';
import { currentVersion } from './postgres/schema.ts';
import { createPostgresStore } from './postgres/driver.ts';
import type { Notice, Store, StoreHealth, Terms } from './port.ts';

/** The disk, the processes and the locks, if not those of this machine: tests replace them. */
export interface Machine {
  readonly disk: Disk;
  readonly processes: Processes;
  readonly kernelLocks: KernelLocks;
  /** By a clock of the machine, which no test moves. */
  readonly every: Every;
  /** By the same clock, in milliseconds. It goes on while the machine sleeps. */
  readonly elapsed: () => number;
}

export interface StoreDep {
  readonly process: ProcessDep;
  /** Left out: this one. */
  readonly machine?: Machine;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** A version 4 uuid. */
  readonly randomId: () => string;
  /** By what records are found. Left out: by their keys alone. */
  readonly terms?: Terms;
  /** Receives what no call can return. */
  readonly warn: (notice: Notice) => void;
  /** DESIGN "State on disk": 90 by default. */
  readonly historyDays?: number;
}

const historyDaysDefault = 90;

/**
 * Reports are kept as long as the history that they explain, 90 days. A job has at most 1,000: about 2 MB, because a
 * report is mostly 1 to 3 KB, and a folder of that size is listed in a millisecond.
 */
const runsMax = 1_000;
const runDays = 90;

/** Reading 256 KB takes about a millisecond: folding a shorter log saves nothing. */
const foldFloorBytes = 256 * 1024;

/**
 * Some 70 MB. A job of a hundred thousand contacts stays in memory between its runs; of 500 jobs with two thousand each a
 * fifth does, and the others take some milliseconds of reading a run.
 */
const keptRecordsMax = 200_000;

/**
 * The store at `file:./state`, relative to the working folder, or `file:///var/lib/leadsheet`; or in a database. Touches
 * no file and opens no connection yet.
 * Throws UnknownStoreError.
 */
export function openStore(
  place: string | Database,
  { process, machine, historyDays = historyDaysDefault, terms = noTerms, ...dep }: StoreDep,
): Store {
  if (typeof place !== 'string') {
    return createPostgresStore(place, {
      ...dep,
      host: machine?.processes.host ?? hostname(),
      pid: process.pid,
      every: machine?.every ?? every,
      elapsed: machine?.elapsed ?? sinceBoot,
      leaseTimes,
      terms,
      historyDays,
      runsMax,
      runDays,
    });
  }
  return createFileStore(stateFolderOf(place), {
    ...dep,
    ...(machine ?? {
      disk: machineDisk,
      processes: createProcesses(process),
      kernelLocks: createKernelLocks(),
      every,
      elapsed: sinceBoot,
    }),
    lockTimes,
    terms,
    schema: currentSchema,
    historyDays,
    runsMax,
    runDays,
    foldFloorBytes,
    keptRecordsMax,
    hasIndex: machine === undefined,
  });
}

/** Makes the tables, or brings them to this version. Safe to repeat. Throws StateErrors. */
export async function migrateStore(
  database: Database,
  now: () => number,
): Promise<{ readonly before: number; readonly after: number }> {
  const before = await migrateDatabase(database, (query) => makePartitions(database.schema, now(), query));
  return { before, after: currentVersion };
}

/** Looks at the tables of a database, and changes nothing. Throws StateErrors, NewerSchemaError among them, if they are not for this version. */
export async function assertUsableStore(database: Database): Promise<void> {
  await assertNotNewer(database);
}

/** The same, and throws as well if nothing can be written to them now. */
export async function assertWritableStore(database: Database): Promise<void> {
  await assertWritable(database);
}

/** The store from outside. Reads no record, and changes nothing. Throws StateErrors. */
export async function lookAtStore(place: string | Database, process: ProcessDep): Promise<StoreHealth> {
  if (typeof place !== 'string') {
    const { lookAtDatabase } = await import('./postgres/health.ts');
    return lookAtDatabase(place);
  }
  const { lookAtFiles } = await import('./file/health.ts');
  const root = stateFolderOf(place);
  return onDisk(root, () => lookAtFiles(root, createProcesses(process)));
}

const noTerms: Terms = { version: 'none', basis: () => '', of: () => [] };

/** The folder of a store on files. Throws UnknownStoreError. */
export function stateFolderOf(url: string): string {
  if (!url.startsWith('file:') || url === 'file:') throw new UnknownStoreError(url);
  return url.startsWith('file://') ? fileURLToPath(url) : resolve(url.slice('file:'.length));
}
