// Every job by its own schedule, until the end is asked for. What happens is told; who listens is none of its business.
import delay from 'delay';
import { watchClock } from './clock-watch.ts';
import type { Job } from '../engine/job.ts';
import type { RunReport } from '../engine/report.ts';
import { createScheduler, type Scheduler, type TriggerAnswer, type Verdict } from './scheduler.ts';
import { hasCaughtUp, type LastRun, standingOf, toLastRun } from '../engine/last-run.ts';
import type { JobStatus } from '../engine/standing.ts';

export type DaemonEvent =
  /** A run came to its end by itself; also told for one that a fault of the program ended. */
  | { readonly type: 'sync-ran'; readonly status: JobStatus; readonly report?: RunReport }
  /** The sync is left alone for so long, after so many failures in a row. */
  | { readonly type: 'backing-off'; readonly sync: string; readonly pauseMs: number; readonly failures: number }
  /** It will not run again before somebody has changed something and started leadsheet again (W6). */
  | { readonly type: 'sync-stopped'; readonly sync: string; readonly reason: string }
  | { readonly type: 'crashed'; readonly sync: string; readonly error: unknown }
  | { readonly type: 'clock-set'; readonly byMs: number };

export interface Daemon extends Disposable {
  start(): void;
  /** Runs a sync now. undefined: there is none of that name. */
  trigger(name: string): TriggerAnswer | undefined;
  nextRun(name: string): number | undefined;
  /** In the order of the file. */
  status(): readonly JobStatus[];
  isDraining(): boolean;
  /** How long timers are overdue: much, when something blocks the process. */
  stalledMs(): number;
  /** W8: starts nothing more and waits for what is under way; answers the syncs that still ran when time was up. */
  drain(timeoutMs: number): Promise<readonly string[]>;
}

/** What an earlier process knew. */
export interface Remembered {
  readonly lastRun?: LastRun;
  readonly lastSuccessAt?: number;
  readonly nextFullScanAt?: number;
}

export interface DaemonOptions {
  /** By name. */
  readonly jobs: ReadonlyMap<string, DaemonJob>;
  readonly remembered: ReadonlyMap<string, Remembered>;
  /** Aborts when the end is asked for: runs stop between two calls. */
  readonly stop: AbortSignal;
  readonly tell: (event: DaemonEvent) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds from any fixed instant, never set back. */
  readonly elapsed: () => number;
  /** [0, 1). */
  readonly random: () => number;
}

/** A job, as far as the daemon needs it. */
export type DaemonJob = Pick<Job, 'schedule' | 'fullScan' | 'settleMs' | 'run'>;

interface Kept {
  readonly scheduler: Scheduler;
  lastRun?: LastRun;
  hasRun: boolean;
  lastSuccessAt?: number;
}

export function createDaemon({ jobs, remembered, stop, tell, now, elapsed, random }: DaemonOptions): Daemon {
  const kept = new Map<string, Kept>([...jobs].map(([name, job]) => [name, keep(name, job)]));
  let isDraining = false;
  let isOver = false;
  const watch = watchClock({
    now,
    elapsed,
    onSet(byMs) {
      tell({ type: 'clock-set', byMs });
      for (const { scheduler } of kept.values()) scheduler.clockWasSet();
    },
  });

  function keep(name: string, job: DaemonJob): Kept {
    const { nextFullScanAt, ...known } = remembered.get(name) ?? {};
    const scheduler = createScheduler({
      schedule: job.schedule,
      ...(job.fullScan && { fullScan: job.fullScan }),
      isFullScanDue: nextFullScanAt !== undefined && nextFullScanAt <= now(),
      settleMs: job.settleMs,
      run: (isFull) => runOnce(name, job, isFull),
      onPause: (pauseMs, failures) => tell({ type: 'backing-off', sync: name, pauseMs, failures }),
      now,
      random,
    });
    return { scheduler, hasRun: false, ...known };
  }

  async function runOnce(name: string, job: DaemonJob, isFull: boolean): Promise<Verdict> {
    try {
      const request = { isFull, isAsked: false, signal: stop };
      const report = await job.run(request);
      // Cut short by the end: says nothing about the sync.
      if (stop.aborted && (report.status === 'failed' || report.stopped)) return 'done';
      note(name, toLastRun(report, kept.get(name)?.lastRun), report);
      if (report.isFinal) tell({ type: 'sync-stopped', sync: name, reason: report.error ?? '' });
      return verdictOf(report);
    } catch (error) {
      // Nobody waits for this run any more; it found its connections closed.
      if (isOver) return 'done';
      tell({ type: 'crashed', sync: name, error });
      noteCrash(name, error);
      return 'failed';
    }
  }

  function note(name: string, lastRun: LastRun, report?: RunReport): void {
    const sync = kept.get(name)!;
    sync.hasRun = true;
    sync.lastRun = lastRun;
    if (hasCaughtUp(lastRun.status)) sync.lastSuccessAt = now();
    tell({ type: 'sync-ran', status: statusOf(name, sync), ...(report && { report }) });
  }

  /** A fault of the program: nobody knows more of the run than that it ended. */
  function noteCrash(name: string, error: unknown): void {
    const before = kept.get(name)?.lastRun;
    const at = new Date(now()).toISOString();
    const reason = `a fault of leadsheet itself: ${error instanceof Error ? error.message : String(error)}`;
    const standing = { counts: standingOf(before), problems: before?.problems ?? {} };
    note(name, { run: '', status: 'failed', startedAt: at, endedAt: at, isFull: false, ...standing, reason });
  }

  function statusOf(name: string, { scheduler, lastRun, hasRun, lastSuccessAt }: Kept): JobStatus {
    const nextRunAt = scheduler.nextRunAt();
    const nextFullScanAt = scheduler.nextFullScanAt();
    return {
      name,
      phase: scheduler.phase(),
      hasRun,
      failuresInARow: scheduler.failuresInARow(),
      ...(lastRun && { lastRun }),
      ...(lastSuccessAt !== undefined && { lastSuccessAt }),
      ...(nextRunAt !== undefined && { nextRunAt }),
      ...(nextFullScanAt !== undefined && { nextFullScanAt }),
    };
  }

  return {
    start() {
      for (const { scheduler } of kept.values()) scheduler.start();
    },
    trigger: (name) => kept.get(name)?.scheduler.trigger(),
    nextRun: (name) => kept.get(name)?.scheduler.nextRunAt(),
    status: () => [...kept].map(([name, sync]) => statusOf(name, sync)),
    isDraining: () => isDraining,
    stalledMs: () => watch.stalledMs(),

    async drain(timeoutMs) {
      isDraining = true;
      watch[Symbol.dispose]();
      const unfinished = new Set(kept.keys());
      const timeUp = new AbortController();
      const all = [...kept].map(async ([name, { scheduler }]) => {
        await scheduler.stop();
        unfinished.delete(name);
      });
      await Promise.race([Promise.all(all), delay(timeoutMs, { signal: timeUp.signal }).catch(() => undefined)]);
      timeUp.abort();
      isOver = true;
      return [...unfinished];
    },

    [Symbol.dispose]() {
      watch[Symbol.dispose]();
      for (const { scheduler } of kept.values()) void scheduler.stop();
    },
  };
}

function verdictOf({ isFinal, status, problems }: RunReport): Verdict {
  if (isFinal) return 'final';
  if (status === 'failed') return 'failed';
  return problems.some(({ kind, rule }) => kind === 'waiting' && rule === 'W10') ? 'settling' : 'done';
}
