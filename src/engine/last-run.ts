// The summary of a job's last run: its result and open problems, without values of contacts.
import type { Side } from '../sync/value/value.ts';
import type { RunCounts, RunReport, RunStatus } from './report.ts';

/** The form in which the daemon holds it, its heartbeat stores it and its alerts send it. */
export interface LastRun extends Pick<RunReport, 'run' | 'status' | 'startedAt' | 'endedAt' | 'isFull' | 'counts'> {
  /** Open problems by kind; kinds without problems are left out. */
  readonly problems: Readonly<Record<string, number>>;
  /** Why the run failed or was held, in words for people. */
  readonly reason?: string;
  /** The run that `approve` names. */
  readonly approvable?: string;
  /** As in `RunReport`. */
  readonly refused?: Side;
  /** A person refused the held plan (G7). */
  readonly isRefused?: true;
}

/** A run that failed before it read both sides keeps the standing counts of `before`. */
export function toLastRun(report: RunReport, before?: LastRun): LastRun {
  const reason = reasonOf(report);
  const hasSeen = report.error === undefined;
  return {
    run: report.run,
    status: report.status,
    startedAt: report.startedAt,
    endedAt: report.endedAt,
    isFull: report.isFull,
    counts: hasSeen ? report.counts : standingOf(before),
    problems: hasSeen ? countKinds(report.problems) : (before?.problems ?? {}),
    ...(reason !== undefined && { reason }),
    ...(report.approvable !== undefined && { approvable: report.approvable }),
    ...(report.refused && { refused: report.refused }),
    ...(report.isRefused && { isRefused: true }),
  };
}

/** The counts of how records stand, with zero for what was done. */
export function standingOf(before?: LastRun): RunCounts {
  return {
    ...nothing,
    ...before?.counts,
    created: 0,
    updated: 0,
    appended: 0,
    set: 0,
    deleted: 0,
    removed: 0,
    enrolled: 0,
    cancelled: 0,
    sent: 0,
  };
}

const nothing = { linked: 0, waiting: 0, conflicts: 0, quarantined: 0, parked: 0, held: 0, ignored: 0 };

function countKinds(problems: RunReport['problems']): Readonly<Record<string, number>> {
  const kinds: Record<string, number> = {};
  for (const { kind } of problems) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return kinds;
}

export function reasonOf({ error, holds }: ReasonsOfRun): string | undefined {
  return error ?? (holds.length > 0 ? holds.map(({ reason }) => reason).join('; ') : undefined);
}

interface ReasonsOfRun {
  readonly error?: string | undefined;
  readonly holds: readonly { readonly reason: string }[];
}

/** Both sides were read, and every change that could be made was made. Lag counts from here. */
export function hasCaughtUp(status: RunStatus): boolean {
  return status === 'succeeded' || status === 'partial';
}
