// The dependencies of the driver on files: the disk, the clock, and how much is kept.
import type { Notice, Terms } from '../port.ts';
import type { Disk } from './disk.ts';
import type { KernelLocks } from './kernel-lock.ts';
import type { Every, LockTimes } from './lock.ts';
import type { Processes } from './processes.ts';
import type { Schema } from './schema.ts';

export interface FileDriverDep {
  readonly disk: Disk;
  readonly processes: Processes;
  readonly kernelLocks: KernelLocks;
  readonly every: Every;
  readonly lockTimes: LockTimes;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds by a clock that is never set back, and that goes on while the machine sleeps. */
  readonly elapsed: () => number;
  /** A version 4 uuid, or as good. */
  readonly randomId: () => string;
  /** What nobody can be handed as an answer: work in the background that failed, a line of history that is no line. */
  readonly warn: (notice: Notice) => void;
  readonly schema: Schema;
  /** History files older than this are deleted. */
  readonly historyDays: number;
  /** Reports of runs: so many are kept a job, and for so long. */
  readonly runsMax: number;
  readonly runDays: number;
  /** A log shorter than this is not folded for its length. */
  readonly foldFloorBytes: number;
  /** So many records of idle jobs stay in memory, in all (kept-records.ts). */
  readonly keptRecordsMax: number;
  /** By what records are found. */
  readonly terms: Terms;
  /** Whether the disk is this machine's own, so that a database can lie beside the files. Without: no index. */
  readonly hasIndex: boolean;
}
