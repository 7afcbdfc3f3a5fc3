// Runs every job by its own schedule until the process is asked to end, and emits events.
import delay from 'delay';
import PQueue from 'p-queue';
import { watchClock } from './clock-watch.ts';
import type { Job, RunRequest } from '../engine/job.ts';
import type { RunReport } from '../engine/report.ts';
import type { Asked, AskedRun, Carry, Queue, Ran, Scheduler, TriggerAnswer, Verdict } from './queue/port.ts';
import { inProcessQueue } from './scheduler.ts';
import { hasCaughtUp, type LastRun, standingOf, toLastRun } from '../engine/last-run.ts';
import type { JobStatus } from '../engine/standing.ts';

export type DaemonEvent =
  /** A run has ended, also one that ended by a fault of the program. */
  | { readonly type: 'sync-ran'; readonly status: JobStatus; readonly report?: RunReport }
  /** The sync pauses for so long, after so many failures in a row. */
  | { readonly type: 'backing-off'; readonly sync: string; readonly pauseMs: number; readonly failures: number }
  /** The sync runs no more until a person has changed something and restarted leadsheet (W6). */
  | { readonly type: 'sync-stopped'; readonly sync: string; readonly reason: string }
  | { readonly type: 'crashed'; readonly sync: string; readonly error: unknown }
  | { readonly type: 'clock-set'; readonly byMs: number };

export interface Daemon extends Disposable {
  start(): void;
  /** Runs a sync now. undefined: no sync has this name. */
  trigger(name: string): TriggerAnswer | undefined;
  /** A person asks for a run and waits for it: cells need not settle (W10). undefined: no sync has this name. */
  ask(name: string, isFull: boolean): Asked | undefined;
  /**
   * Does work on a job between two of its runs, such as an undo. Runs that come meanwhile wait. `drain` waits for it, too.
   * Rejects as the work does, and with the reason of `stop` if the daemon ends before it begins. undefined: no job has this
   * name.
   */
  inTurn<Result>(name: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> | undefined;
  nextRun(name: string): number | undefined;
  /** In the order of the file. */
  status(): readonly JobStatus[];
  isDraining(): boolean;
  /** How late timers are: much, if something blocks the process. */
  stalledMs(): number;
  /** W8: starts nothing more and waits for current runs. Returns the syncs that still ran when the time was over. */
  drain(timeoutMs: number): Promise<readonly string[]>;
}

/** What another worker knows of a job by now. */
export interface Known {
  readonly lastRun?: LastRun;
  readonly lastSuccessAt?: number;
  readonly hasRun: boolean;
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
  /** Aborts when the process is asked to end: runs stop between two calls. */
  readonly stop: AbortSignal;
  readonly tell: (event: DaemonEvent) => void;
  /** Left out: each job runs in this process alone. */
  readonly queue?: Queue;
  /** What other workers have to know of a job. `learn` gets what this worker knows of it from now on. */
  readonly carryOf?: (name: string, learn: (known: Known) => void) => Carry;
  /** Whether a person paused the job. Must not reject. Left out: none is ever paused. */
  readonly isPaused?: (name: string) => Promise<boolean>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds from any fixed instant; never set back. */
  readonly elapsed: () => number;
  /** [0, 1). */
  readonly random: () => number;
}

/** The part of a job that the daemon needs. */
export type DaemonJob = Pick<Job, 'schedule' | 'fullScan' | 'settleMs' | 'run'>;

interface Kept {
  readonly scheduler: Scheduler;
  /** One run or other work at a time, in the order in which they came. */
  readonly turns: PQueue;
  lastRun?: LastRun;
  hasRun: boolean;
  lastSuccessAt?: number;
}

export function createDaemon(options: DaemonOptions): Daemon {
  const { jobs, remembered, stop, tell, queue = inProcessQueue, carryOf, isPaused, now, elapsed, random } = options;
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
    const carry = carryOf?.(name, (news) => Object.assign(kept.get(name) ?? {}, news));
    const scheduler = queue.open({
      name,
      ...(carry && { carry }),
      schedule: job.schedule,
      ...(job.fullScan && { fullScan: job.fullScan }),
      isFullScanDue: nextFullScanAt !== undefined && nextFullScanAt <= now(),
      settleMs: job.settleMs,
      ...(isPaused && { isPaused: () => isPaused(name) }),
      run: (isFull, isAsked) => kept.get(name)!.turns.add(() => runOnce(name, job, { isFull, isAsked, signal: stop })),
      onPause: (pauseMs, failures) => tell({ type: 'backing-off', sync: name, pauseMs, failures }),
      onStop: () => tell({ type: 'sync-stopped', sync: name, reason: kept.get(name)?.lastRun?.reason ?? '' }),
      now,
      random,
    });
    return { scheduler, turns: new PQueue({ concurrency: 1 }), hasRun: false, ...known };
  }

  async function runOnce(name: string, job: DaemonJob, request: RunRequest): Promise<Ran> {
    try {
      const report = await job.run(request);
      const ended: AskedRun = { kind: 'ran', report };
      // The end of the process cut the run short: that says nothing about the sync.
      if (stop.aborted && (report.status === 'failed' || report.stopped))
        return { verdict: 'done', ended, isCutShort: true };
      note(name, toLastRun(report, kept.get(name)?.lastRun), report);
      return { verdict: verdictOf(report), ended };
    } catch (error) {
      // The run was given up on; its connections are closed.
      if (isOver) return { verdict: 'done', ended: { kind: 'not-run' }, isCutShort: true };
      tell({ type: 'crashed', sync: name, error });
      noteCrash(name, error);
      const reason = error instanceof Error ? error.message : String(error);
      return { verdict: 'failed', ended: { kind: 'crashed', reason } };
    }
  }

  function note(name: string, lastRun: LastRun, report?: RunReport): void {
    const sync = kept.get(name)!;
    sync.hasRun = true;
    sync.lastRun = lastRun;
    if (hasCaughtUp(lastRun.status)) sync.lastSuccessAt = now();
    tell({ type: 'sync-ran', status: statusOf(name, sync), ...(report && { report }) });
  }

  /** A fault of the program: only that the run ended is known. */
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
    ask: (name, isFull) => kept.get(name)?.scheduler.ask(isFull),
    inTurn(name, work) {
      return kept.get(name)?.turns.add(() => {
        stop.throwIfAborted();
        return work(stop);
      });
    },
    nextRun: (name) => kept.get(name)?.scheduler.nextRunAt(),
    status: () => [...kept].map(([name, sync]) => statusOf(name, sync)),
    isDraining: () => isDraining,
    stalledMs: () => watch.stalledMs(),

    async drain(timeoutMs) {
      isDraining = true;
      queue.drain?.();
      watch[Symbol.dispose]();
      const unfinished = new Set(kept.keys());
      const timeUp = new AbortController();
      const all = [...kept].map(async ([name, { scheduler, turns }]) => {
        await scheduler.stop();
        await turns.onIdle();
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
