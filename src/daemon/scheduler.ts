// Decides when one job runs: its schedule, triggers, requests of people, backing off and stopping.
import { createTask, type TaskOptions } from 'node-cron';
import type { Schedule } from '../config/config.ts';
import { failurePauseMs } from './backoff.ts';
import { scheduleIntervalMs } from '../engine/interval.ts';

/**
 * - idle: waits for a slot of its schedule, or a trigger -> running. Triggers soon after a triggered run wait, and one run
 *   answers them all.
 * - running: one run at a time. A slot that comes meanwhile is skipped. A full scan, a trigger or a request is remembered
 *   and follows once. -> idle, backing-off or stopped, by the result of the run.
 * - backing-off: the last run failed. Slots and triggers are skipped until the pause is over, or a person asks -> running.
 * - paused: a person paused the job. Slots and triggers only look whether it is still paused; if not -> running. A request
 *   runs it all the same.
 * - stopped: another run cannot succeed before a person changes something; or the process ends. Slots and triggers are
 *   skipped. A request is tried once, unless the process ends -> running.
 */
export type Phase = 'idle' | 'running' | 'backing-off' | 'paused' | 'stopped';

/**
 * The result of a run, for the next one. `settling`: done, except for cells that must settle before they are sent (W10).
 * `final`: another run cannot succeed.
 */
export type Verdict = 'done' | 'settling' | 'failed' | 'final';

export type TriggerAnswer = 'started' | 'queued' | 'backing-off' | 'paused' | 'stopped';

/** The answer to a request. `queued`: a run is under way, and one more follows it. `ending`: no run follows. */
export type AskAnswer = 'started' | 'queued' | 'ending';

/** The answer to a trigger over HTTP. `refused`: the request did not have the secret. */
export type HookAnswer = TriggerAnswer | 'too-many' | 'unknown' | 'refused';

export interface Scheduler {
  /** Begins the first run at once, and the schedule. */
  start(): void;
  /**
   * Something may have changed: runs now, or as soon as the current run and the gap are over. Cells that settle in that run
   * get a follow-up, and do not wait for the next slot. Whether the job is paused is only looked at then.
   */
  trigger(): TriggerAnswer;
  /**
   * A person wants a run now: it begins at once, or right after the current run, in any phase. One run answers all requests
   * that came before it began.
   */
  ask(isFull: boolean): AskAnswer;
  phase(): Phase;
  failuresInARow(): number;
  /** Epoch milliseconds; undefined if no run will come. */
  nextRunAt(): number | undefined;
  nextFullScanAt(): number | undefined;
  /** The wall clock was set: instants on it are awaited anew. */
  clockWasSet(): void;
  /** Starts nothing more; resolves when the current run is over. */
  stop(): Promise<void>;
}

export interface SchedulerOptions {
  readonly schedule: Schedule;
  /** Left out: every run reads the same. */
  readonly fullScan?: Schedule;
  /** A full scan was missed while no daemon ran: the first run is one. */
  readonly isFullScanDue: boolean;
  /** How long a settling cell must stay unchanged. */
  readonly settleMs: number;
  /** Whether a person paused the job. Asked before each run. Must not reject. Left out: it is never paused. */
  readonly isPaused?: () => Promise<boolean>;
  /** Must not reject. `isAsked`: it answers requests of people. */
  readonly run: (isFull: boolean, isAsked: boolean) => Promise<Verdict>;
  readonly onPause: (pauseMs: number, failures: number) => void;
  /** Called once the phase is `stopped` because of a final verdict. */
  readonly onStop: () => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** [0, 1). */
  readonly random: () => number;
}

/** Jitter spreads daemons over time. */
const jitterShare = 0.1;
const jitterMsMax = 10_000;

/**
 * From the start of one triggered run to the start of the next. A run reads the tab and asks for changes. With endless
 * triggers, the runs take a dozen of the 60 reads a minute that Google allows
 * (https://developers.google.com/workspace/sheets/api/limits).
 */
const triggerGapMs = 5_000;
/** Follow-ups after one triggered run. The schedule takes care of a cell that changes on. */
const followUpsMax = 5;
/** Cells settle by the wall clock, which may differ from timers by some milliseconds. */
const settleMarginMs = 100;

interface Appointment {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly timer: NodeJS.Timeout;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { schedule, fullScan, run, now } = options;
  let phase: Phase = 'idle';
  let isFullScanDue = options.isFullScanDue;
  let isWanted = false;
  let isPaused = false;
  let failures = 0;
  let retry: Appointment | undefined;
  let gap: Appointment | undefined;
  let followUp: Appointment | undefined;
  let followUpsLeft = 0;
  let current: Promise<void> = Promise.resolve();
  let fullScanAwaitedAt: number | undefined;
  /** The request that the next run answers. */
  let asked: { readonly isFull: boolean } | undefined;
  /** The run of this phase has taken its requests: later ones are for the next. */
  let isBegun = false;
  let isEnding = false;

  const full = fullScan && createTask(fullScan.cron, fullScanSlot, taskOptions(fullScan));
  const slots = createTask(
    schedule.cron,
    ({ date }) => {
      // One run serves both: this is also the slot of the full scan.
      if (!full?.match(date)) begin();
    },
    taskOptions(schedule),
  );

  function fullScanSlot(): void {
    isFullScanDue = true;
    fullScanAwaitedAt = full?.getNextRun()?.getTime();
    begin();
  }

  function begin(): void {
    if (phase === 'idle') current = keepRunning();
  }

  async function keepRunning(): Promise<void> {
    do {
      const wasStopped = phase === 'stopped';
      phase = 'running';
      isBegun = false;
      if (options.isPaused && !asked && (await mustRest(options.isPaused))) {
        rest();
        continue;
      }
      isPaused = false;
      if (isEnding) return;
      if (isWanted) openGap();
      isWanted = false;
      const request = asked;
      asked = undefined;
      isBegun = true;
      const isDue = isFullScanDue;
      isFullScanDue = false;
      const verdict = await run(isDue || request?.isFull === true, request !== undefined);
      if (isEnding) return;
      if (verdict === 'final') {
        stopForNow();
      } else {
        if (wasStopped) startTasks();
        if (verdict === 'failed') {
          isFullScanDue ||= isDue;
          pause();
        } else {
          failures = 0;
          phase = 'idle';
          if (verdict === 'settling') lookAgain();
          else if (!isWanted) followUpsLeft = 0;
        }
      }
    } while (isRunDue());
  }

  /** W13. A request that comes meanwhile is answered: a person asked for it. */
  async function mustRest(isPausedNow: () => Promise<boolean>): Promise<boolean> {
    return (await isPausedNow()) && !hasRequest();
  }

  function hasRequest(): boolean {
    return asked !== undefined;
  }

  /** A full scan that is due follows when the job is resumed; a trigger does not. */
  function rest(): void {
    if (isEnding) return;
    isPaused = true;
    isWanted = false;
    followUpsLeft = 0;
    phase = 'idle';
  }

  function shownPhase(): Phase {
    // While it is being looked whether a paused job is still paused, it does not run.
    return isPaused && (phase === 'idle' || phase === 'running') ? 'paused' : phase;
  }

  /** A request does not wait for the end of a pause or for a restart. */
  function isRunDue(): boolean {
    if (asked) cancelRetry();
    if (asked) return true;
    return phase === 'idle' && (isWantedNow() || (isFullScanDue && !isPaused));
  }

  function isWantedNow(): boolean {
    return isWanted && gap === undefined;
  }

  function openGap(): void {
    clearTimeout(gap?.timer);
    gap = appoint(triggerGapMs, () => {
      gap = undefined;
      if (isWanted) begin();
    });
  }

  /** An existing appointment is kept: the first settling cell settles first. */
  function lookAgain(): void {
    if (followUpsLeft === 0 || followUp) return;
    followUpsLeft -= 1;
    followUp = appoint(options.settleMs + settleMarginMs, () => {
      followUp = undefined;
      isWanted = true;
      if (isWantedNow()) begin();
    });
  }

  function appoint(inMs: number, what: () => void): Appointment {
    return { at: now() + inMs, timer: setTimeout(what, inMs) };
  }

  function pause(): void {
    failures += 1;
    phase = 'backing-off';
    const pauseMs = failurePauseMs(failures, options.random);
    retry = appoint(pauseMs, () => {
      retry = undefined;
      phase = 'idle';
      begin();
    });
    options.onPause(pauseMs, failures);
  }

  function cancelRetry(): void {
    clearTimeout(retry?.timer);
    retry = undefined;
  }

  function stopForNow(): void {
    halt();
    void slots.stop();
    void full?.stop();
    options.onStop();
  }

  function halt(): void {
    phase = 'stopped';
    for (const appointment of [retry, gap, followUp]) clearTimeout(appointment?.timer);
    retry = gap = followUp = undefined;
  }

  function startTasks(): void {
    void slots.start();
    void full?.start();
    fullScanAwaitedAt = full?.getNextRun()?.getTime();
  }

  return {
    start() {
      startTasks();
      begin();
    },

    trigger() {
      if (phase === 'backing-off' || phase === 'stopped') return phase;
      const answer = phase === 'running' || gap ? 'queued' : 'started';
      isWanted = true;
      followUpsLeft = followUpsMax;
      if (isWantedNow()) begin();
      return answer;
    },

    ask(isFull) {
      if (isEnding) return 'ending';
      asked = { isFull: isFull || asked?.isFull === true };
      // Until the run has begun, it is the one that answers this request.
      if (phase === 'running') return isBegun ? 'queued' : 'started';
      cancelRetry();
      current = keepRunning();
      return 'started';
    },

    phase: shownPhase,
    failuresInARow: () => failures,

    nextRunAt() {
      if (phase === 'stopped') return undefined;
      if (retry) return retry.at;
      const slotTimes = [slots.getNextRun(), full?.getNextRun()].flatMap((date) => (date ? [date.getTime()] : []));
      const times = [...slotTimes, ...(isWanted && gap ? [gap.at] : []), ...(followUp ? [followUp.at] : [])];
      return times.length === 0 ? undefined : Math.min(...times);
    },

    nextFullScanAt: () => (phase === 'stopped' ? undefined : full?.getNextRun()?.getTime()),

    clockWasSet() {
      if (phase === 'stopped') return;
      const isFullScanPassed = fullScanAwaitedAt !== undefined && fullScanAwaitedAt <= now();
      void slots.stop();
      void full?.stop();
      startTasks();
      isFullScanDue ||= isFullScanPassed;
      begin();
    },

    stop() {
      isEnding = true;
      asked = undefined;
      halt();
      void slots.destroy();
      void full?.destroy();
      return current;
    },
  };
}

function taskOptions(schedule: Schedule): TaskOptions {
  const intervalMs = scheduleIntervalMs(schedule);
  return {
    timezone: schedule.timeZone,
    noOverlap: true,
    maxRandomDelay: Math.min(jitterMsMax, Math.round(intervalMs * jitterShare)),
    // A slot that a busy or sleeping machine missed is run late, unless the next one has come.
    missedExecutionTolerance: Infinity,
    suppressMissedWarning: true,
    // node-cron would print by itself.
    logger: silent,
  };
}

const silent = { info() {}, warn() {}, error() {}, debug() {} };
