// The dependencies of the driver on PostgreSQL: the process, its clocks, and how much is kept.
import type { Notice, Terms } from '../port.ts';

export interface PostgresDriverDep {
  /** Of the holder of a lease, for messages. */
  readonly host: string;
  readonly pid: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds by a clock that is never set back, and that goes on while the machine sleeps. */
  readonly elapsed: () => number;
  /** Calls `work` again and again until the returned function is called. Keeps no process alive. */
  readonly every: (ms: number, work: () => void) => () => void;
  /** A version 4 uuid, or as good. */
  readonly randomId: () => string;
  /** Receives what no call can return. */
  readonly warn: (notice: Notice) => void;
  readonly terms: Terms;
  /** Lines of the history and reports that are older are deleted. */
  readonly historyDays: number;
  readonly runDays: number;
  /** Reports that are kept of one job at most. */
  readonly runsMax: number;
  readonly leaseTimes: LeaseTimes;
}

export interface LeaseTimes {
  /** From one try to the next of a process that waits. */
  readonly pollMs: number;
  /** From one sign of life of a holder to the next. */
  readonly renewMs: number;
  /** After the last sign of life, another process may take the lease over. */
  readonly lastsMs: number;
  /** SPEC W7: a process that waits for a living holder waits so long, if its caller names no time. At least two signs of life. */
  readonly waitMs: number;
}

/**
 * A holder may miss eleven signs of life. A lease is longer than one call may take, because a call is sent only while the
 * lease outlives it.
 */
export const leaseTimes: LeaseTimes = { pollMs: 100, renewMs: 5_000, lastsMs: 60_000, waitMs: 10_000 };
