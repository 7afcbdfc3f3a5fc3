// Converts between the daemon's knowledge and its heartbeat, in both directions.
import type { Told } from './alerts.ts';
import type { JobStatus } from '../engine/standing.ts';
import type { Remembered } from './left-jobs.ts';
import type { LastRun } from '../engine/last-run.ts';
import type { SyncHeartbeat } from './heartbeat.ts';
import type { RunningNow } from './running.ts';

export function statusToHeartbeat(
  status: JobStatus,
  told: Told | undefined,
  running: RunningNow | undefined,
): SyncHeartbeat {
  const { name, phase, lastRun, failuresInARow } = status;
  return {
    name,
    phase,
    last_run: lastRun ? lastRunToHeartbeat(lastRun) : null,
    last_success_at: toInstant(status.lastSuccessAt),
    next_run_at: toInstant(status.nextRunAt),
    next_full_scan_at: toInstant(status.nextFullScanAt),
    failures_in_a_row: failuresInARow,
    running: running ? runningToHeartbeat(running) : null,
    told: told ? toldToHeartbeat(told) : null,
  };
}

function toldToHeartbeat({ state, kinds, isRefused, refused, account }: Told): NonNullable<SyncHeartbeat['told']> {
  return {
    state,
    kinds: [...kinds],
    is_refused: isRefused ?? false,
    refused: refused ?? null,
    account: account ?? null,
  };
}

/** The last message about each sync, as an earlier daemon wrote it. */
export function heartbeatToTold({ told }: SyncHeartbeat): Told | undefined {
  if (!told) return undefined;
  const { state, kinds, is_refused: isRefused, refused, account } = told;
  return {
    state,
    kinds,
    ...(isRefused && { isRefused }),
    ...(refused && { refused, ...(account !== null && { account }) }),
  };
}

/** The status that another process reads, as the daemon wrote it. */
export function heartbeatToStatus(told: SyncHeartbeat): JobStatus {
  return {
    name: told.name,
    phase: told.phase,
    hasRun: told.last_run !== null,
    failuresInARow: told.failures_in_a_row,
    ...heartbeatToRemembered(told),
    ...(told.next_run_at !== null && { nextRunAt: Date.parse(told.next_run_at) }),
  };
}

/** What a new daemon takes over from the last one. */
export function heartbeatToRemembered({ last_run, last_success_at, next_full_scan_at }: SyncHeartbeat): Remembered {
  return {
    ...(last_run && { lastRun: heartbeatToLastRun(last_run) }),
    ...(last_success_at !== null && { lastSuccessAt: Date.parse(last_success_at) }),
    ...(next_full_scan_at !== null && { nextFullScanAt: Date.parse(next_full_scan_at) }),
  };
}

function runningToHeartbeat({ run, startedAt, isFull, progress }: RunningNow): NonNullable<SyncHeartbeat['running']> {
  return {
    run,
    started_at: new Date(startedAt).toISOString(),
    full_scan: isFull,
    progress: progress
      ? {
          step: progress.step,
          done: progress.done,
          total: progress.total ?? null,
          per_second: progress.perSecond ?? null,
        }
      : null,
  };
}

function lastRunToHeartbeat(lastRun: LastRun): NonNullable<SyncHeartbeat['last_run']> {
  return {
    run: lastRun.run,
    status: lastRun.status,
    started_at: lastRun.startedAt,
    ended_at: lastRun.endedAt,
    full_scan: lastRun.isFull,
    counts: lastRun.counts,
    problems: { ...lastRun.problems },
    reason: lastRun.reason ?? null,
    approvable: lastRun.approvable ?? null,
    refused: lastRun.refused ?? null,
  };
}

function heartbeatToLastRun(lastRun: NonNullable<SyncHeartbeat['last_run']>): LastRun {
  return {
    run: lastRun.run,
    status: lastRun.status,
    startedAt: lastRun.started_at,
    endedAt: lastRun.ended_at,
    isFull: lastRun.full_scan,
    counts: lastRun.counts,
    problems: lastRun.problems,
    ...(lastRun.reason !== null && { reason: lastRun.reason }),
    ...(lastRun.approvable !== null && { approvable: lastRun.approvable }),
    ...(lastRun.refused !== null && { refused: lastRun.refused }),
  };
}

function toInstant(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
