// Runs every job by its own schedule until the process is asked to end, and emits events.
import delay from 'delay';
import PQueue from 'p-queue';
import { watchClock } from './clock-watch.ts';
import { createFairTurns, runsAtOnce } from './fair-turns.ts';
import type { Schedule } from '../config/config.ts';
import type { Job, RunRequest } from '../engine/job.ts';
import type { RunReport } from '../engine/report.ts';
import type { Asked, AskedRun, Carry, Queue, Ran, TriggerAnswer, Verdict } from './queue/port.ts';
import { createLeftJobs, isFullScanOwed, type LeavingJob, type Remembered } from './left-jobs.ts';
import { inProcessQueue } from './scheduler.ts';
import { scheduleIntervalMs } from '../engine/interval.ts';
import { hasCaughtUp, type LastRun, standingOf, toLastRun } from '../engine/last-run.ts';
import type { JobStatus } from '../engine/standing.ts';

export type DaemonEvent =
  /** A run has ended, also one that ended by a fault of the program. */
  | { readonly type: 'sync-ran'; readonly status: JobStatus; readonly report?: RunReport }
  /** The sync pauses for so long, after so many failures in a row. */
  | { readonly type: 'backing-off'; readonly sync: string; readonly pauseMs: number; readonly failures: number }
  /** The sync runs no more until a person has changed something and has leadsheet reload (W6). */
  | { readonly type: 'sync-stopped'; readonly sync: string; readonly reason: string }
  | { readonly type: 'crashed'; readonly sync: string; readonly error: unknown }
  | { readonly type: 'clock-set'; readonly byMs: number };

export interface Daemon extends Disposable {
  /** Begins the first runs: those of a few jobs at once, those of many after each other. */
  start(): void;
  /** Runs a sync now. undefined: no sync has this name. */
  trigger(name: string): TriggerAnswer | undefined;
  /**
   * A person asks for a run and waits for it: cells need not settle (W10). `unlessPaused`: as in queue/port.ts. undefined: no sync has
   * this name.
   */
  ask(name: string, isFull: boolean, unlessPaused?: boolean): Asked | undefined;
  /**
   * Does work on a job between two of its runs, such as an undo. Runs that come meanwhile wait. `drain` waits for it, too.
   * Rejects as the work does, and with the reason of `stop` if the daemon ends before it begins. undefined: no job has this
   * name.
   */
  inTurn<Result>(name: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> | undefined;
  /**
   * Takes up jobs while it runs. `jobs`: new ones, and others in the place of those with the same name, which go on with what is
   * known of them. A run under way is finished first, as it was begun. Jobs that are neither named nor left out are not touched.
   */
  change(changes: DaemonChanges): void;
  /** Resolves when no job that was replaced or removed runs any more. */
  left(): Promise<void>;
  nextRun(name: string): number | undefined;
  /** In the order of the file. */
  status(): readonly JobStatus[];
  isDraining(): boolean;
  /** How late timers are: much, if something blocks the process. */
  stalledMs(): number;
  /** W8: starts nothing more and waits for current runs. Returns the syncs that still ran when the time was over. */
  drain(timeoutMs: number): Promise<readonly string[]>;
}

export interface DaemonChanges {
  /** By name. */
  readonly jobs: ReadonlyMap<string, DaemonJob>;
  /** Names. */
  readonly removed: readonly string[];
  /** All names, in the order of the file. */
  readonly order: readonly string[];
}

/** What another worker knows of a job by now. */
export interface Known {
  readonly lastRun?: LastRun;
  readonly lastSuccessAt?: number;
  readonly hasRun: boolean;
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
  /** The account of a job. Runs of accounts take turns. Left out, and undefined: there is one. */
  readonly accountOf?: (name: string) => string | undefined;
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
export interface DaemonJob extends Pick<Job, 'schedule' | 'fullScan' | 'settleMs' | 'run'> {
  /** Of its tab. Left out: it may be that of any other job. */
  readonly spreadsheetId?: string;
}

interface Kept extends LeavingJob {
  readonly schedule: Schedule;
  /** One run or other work at a time, in the order in which they came. */
  readonly turns: PQueue;
  lastRun?: LastRun;
  hasRun: boolean;
  lastSuccessAt?: number;
}

/** What a job begins with: nothing, what an earlier process knew, or what the job before it left. */
interface Beginning extends Omit<Kept, 'scheduler' | 'schedule' | 'spreadsheetId'> {
  readonly isFullScanDue: boolean;
  readonly isAnew?: true;
}

export function createDaemon(options: DaemonOptions): Daemon {
  const {
    jobs,
    remembered,
    stop,
    tell,
    queue = inProcessQueue,
    carryOf,
    accountOf,
    isPaused,
    now,
    elapsed,
    random,
  } = options;
  const leftJobs = createLeftJobs(now);
  const kept = new Map<string, Kept>([...jobs].map(([name, job]) => [name, keep(name, job, rememberedOf(name))]));
  /** A queue of many workers shares their runs among accounts by itself. */
  const fairTurns = queue === inProcessQueue ? createFairTurns(stop) : undefined;
  let hasStarted = false;
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

  function rememberedOf(name: string): Beginning {
    const { nextFullScanAt, ...known } = leftJobs.rememberedOf(name) ?? remembered.get(name) ?? {};
    const isFullScanDue = nextFullScanAt !== undefined && nextFullScanAt <= now();
    return { turns: new PQueue({ concurrency: 1 }), hasRun: false, ...known, isFullScanDue };
  }

  function keep(name: string, job: DaemonJob, { isFullScanDue, isAnew, ...known }: Beginning): Kept {
    const carry = carryOf?.(name, (news) => Object.assign(kept.get(name) ?? {}, news));
    const scheduler = queue.open({
      name,
      ...(carry && { carry }),
      schedule: job.schedule,
      ...(job.fullScan && { fullScan: job.fullScan }),
      isFullScanDue,
      ...(isAnew && { isAnew }),
      settleMs: job.settleMs,
      ...(isPaused && { isPaused: () => isPaused(name) }),
      run: (isFull, isAsked, isTold, unlessPaused) => {
        const lookedAt = elapsed();
        const mustRest = async () => elapsed() - lookedAt > pauseCountsMs && (await isPaused?.(name)) === true;
        return own.turns.add(async () => {
          const run = async () =>
            // A job that was replaced or removed before its turn came has nothing to do any more.
            leftJobs.isLeaving(own) ? notRun : runOnce(name, own, job, { isFull, isAsked, isTold, signal: stop });
          const runUnlessPaused = async () => (unlessPaused && (await mustRest()) ? rested : run());
          // A person waits for it, or many workers share the runs: it waited for other work on the job alone, such as an undo.
          if (isAsked || !fairTurns) return runUnlessPaused();
          return (await fairTurns.run(accountOf?.(name), runUnlessPaused)) ?? notRun;
        });
      },
      onPause: (pauseMs, failures) => tell({ type: 'backing-off', sync: name, pauseMs, failures }),
      onStop: () => tell({ type: 'sync-stopped', sync: name, reason: own.lastRun?.reason ?? '' }),
      now,
      random,
    });
    const own: Kept = { ...known, scheduler, schedule: job.schedule, spreadsheetId: job.spreadsheetId };
    return own;
  }

  /** What is known of the job when a run ends: it may have been replaced meanwhile. */
  function knownOf(name: string, own: Kept): Kept {
    return kept.get(name) ?? own;
  }

  async function runOnce(name: string, own: Kept, job: DaemonJob, request: RunRequest): Promise<Ran> {
    try {
      const report = await job.run(request);
      const ended: AskedRun = { kind: 'ran', report };
      // The end of the process cut the run short: that says nothing about the sync.
      if (stop.aborted && (report.status === 'failed' || report.stopped))
        return { verdict: 'done', ended, isCutShort: true };
      note(name, own, toLastRun(report, knownOf(name, own).lastRun), report);
      return { verdict: verdictOf(report), ended };
    } catch (error) {
      // The run was given up on; its connections are closed.
      if (isOver) return { verdict: 'done', ended: { kind: 'not-run' }, isCutShort: true };
      tell({ type: 'crashed', sync: name, error });
      noteCrash(name, own, error);
      const reason = error instanceof Error ? error.message : String(error);
      return { verdict: 'failed', ended: { kind: 'crashed', reason } };
    }
  }

  function note(name: string, own: Kept, lastRun: LastRun, report?: RunReport): void {
    const sync = knownOf(name, own);
    sync.hasRun = true;
    sync.lastRun = lastRun;
    if (hasCaughtUp(lastRun.status)) sync.lastSuccessAt = now();
    tell({ type: 'sync-ran', status: statusOf(name, sync), ...(report && { report }) });
  }

  /** A fault of the program: only that the run ended is known. */
  function noteCrash(name: string, own: Kept, error: unknown): void {
    const before = knownOf(name, own).lastRun;
    const at = new Date(now()).toISOString();
    const reason = `a fault of leadsheet itself: ${error instanceof Error ? error.message : String(error)}`;
    const standing = { counts: standingOf(before), problems: before?.problems ?? {} };
    note(name, own, { run: '', status: 'failed', startedAt: at, endedAt: at, isFull: false, ...standing, reason });
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

  function ask(name: string, isFull: boolean, unlessPaused?: boolean): Asked | undefined {
    const own = kept.get(name);
    const asked = own?.scheduler.ask(isFull, unlessPaused);
    if (!asked) return undefined;
    const again = async (run: AskedRun): Promise<AskedRun> => {
      // The job was replaced before the run began: the new one answers.
      const isReplaced = run.kind === 'not-run' && !isDraining && kept.get(name) !== own;
      return (isReplaced && (await ask(name, isFull, unlessPaused)?.ended)) || run;
    };
    return { answer: asked.answer, ended: asked.ended.then(again) };
  }

  /** The first runs of many jobs begin one after the other. */
  function startSpread(all: readonly Kept[]): void {
    for (const [place, { scheduler, schedule }] of all.entries()) {
      scheduler.start(firstRunInMs(place, all.length, scheduleIntervalMs(schedule, now())));
    }
  }

  /** The new one runs in the same turns, so after a run that is under way, and answers those who wait. */
  function replace(name: string, job: DaemonJob, old: Kept): Kept {
    const { scheduler, ...known } = old;
    const isStopped = scheduler.phase() === 'stopped';
    const isFullScanDue = isFullScanOwed(scheduler, now());
    const next = keep(name, job, { ...known, isFullScanDue, ...(isStopped && { isAnew: true }) });
    kept.set(name, next);
    leftJobs.replace(name, old);
    return next;
  }

  /** W8: the end of the process waits for nothing that has not begun. */
  async function untilStopped(work: Promise<unknown>): Promise<void> {
    using resources = new DisposableStack();
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    stop.addEventListener('abort', end, { once: true });
    resources.defer(() => stop.removeEventListener('abort', end));
    if (!stop.aborted) await Promise.race([work, stopped]);
  }

  function change({ jobs: changed, removed, order }: DaemonChanges): void {
    if (isDraining) return;
    for (const name of removed) {
      const old = kept.get(name);
      if (!old) continue;
      kept.delete(name);
      leftJobs.remove(name, old);
    }
    const added = new Set([...changed.keys()].filter((name) => !kept.has(name)));
    const replaced = [...changed].flatMap(([name, job]) => {
      const old = kept.get(name);
      return old ? [replace(name, job, old)] : [];
    });
    const anew = [...changed]
      .filter(([name]) => added.has(name))
      .map(([name, job]) => {
        const next = keep(name, job, { ...rememberedOf(name), isAnew: true });
        const before = leftJobs.begunBefore(name, job.spreadsheetId);
        if (before.length > 0) void next.turns.add(() => untilStopped(Promise.all(before)));
        kept.set(name, next);
        return next;
      });
    const begun = [...replaced, ...anew];
    if (hasStarted) startSpread(begun);
    const all = new Map(kept);
    kept.clear();
    for (const name of order) if (all.has(name)) kept.set(name, all.get(name)!);
  }

  return {
    start() {
      hasStarted = true;
      startSpread([...kept.values()]);
    },
    change,
    left: () => leftJobs.allOver(),
    trigger: (name) => kept.get(name)?.scheduler.trigger(),
    ask,
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
      const leaving = leftJobs.leaving();
      const unfinished = new Set([...kept.keys(), ...leaving.map(({ name }) => name)]);
      const timeUp = new AbortController();
      const all = [...kept].map(async ([name, { scheduler, turns }]) => {
        await scheduler.stop();
        await turns.onIdle();
        unfinished.delete(name);
      });
      const others = leaving.map(async ({ name, over }) => {
        await over;
        if (!kept.has(name)) unfinished.delete(name);
      });
      await Promise.race([
        Promise.all([...all, ...others]),
        delay(timeoutMs, { signal: timeUp.signal }).catch(() => undefined),
      ]);
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

/** Between the first runs of two others: 500 jobs begin within half a minute. */
const firstRunGapMs = 60;

/** Each job begins within its interval, however many there are. */
function firstRunInMs(place: number, all: number, intervalMs: number): number {
  if (place < runsAtOnce) return 0;
  const spreadMs = Math.min((all - runsAtOnce) * firstRunGapMs, intervalMs);
  return Math.ceil((spreadMs * (place - runsAtOnce + 1)) / (all - runsAtOnce));
}

/** A run that waits longer for its turn looks once more whether its job is paused. */
const pauseCountsMs = 1_000;

const rested: Ran = { verdict: 'done', ended: { kind: 'paused' }, isRested: true };

/** Of a run that was left to another one. */
const notRun: Ran = { verdict: 'done', ended: { kind: 'not-run' }, isCutShort: true };

function verdictOf({ isFinal, status, problems }: RunReport): Verdict {
  if (isFinal) return 'final';
  if (status === 'failed') return 'failed';
  return problems.some(({ kind, rule }) => kind === 'waiting' && rule === 'W10') ? 'settling' : 'done';
}
