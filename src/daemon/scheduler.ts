// When one sync runs.
import { createTask, type TaskOptions } from 'node-cron';
import type { Schedule } from '../config/config.ts';
import { failurePauseMs } from './backoff.ts';
import { scheduleIntervalMs } from '../engine/interval.ts';

/**
 * - idle: waits for a slot of its schedule, or a trigger -> running. Triggers that come soon after a run that was triggered
 *   wait, and are answered by one run.
 * - running: one run at a time. A slot that comes meanwhile is passed over; a full scan or a trigger is remembered and
 *   follows, once. -> idle, backing-off or stopped, as the run comes out.
 * - backing-off: the last run failed. Slots and triggers are passed over until the pause is over -> running.
 * - stopped: somebody has to change something and start again, or everything ends. For good.
 */
export type Phase = 'idle' | 'running' | 'backing-off' | 'stopped';

/**
 * What the next run depends on. `settling`: done, but for cells that have to stand still before they are sent (W10). `final`:
 * another one would be no use.
 */
export type Verdict = 'done' | 'settling' | 'failed' | 'final';

export type TriggerAnswer = 'started' | 'queued' | 'backing-off' | 'stopped';

/** What came of one that was asked for over HTTP. `refused`: whoever asked did not know the secret. */
export type HookAnswer = TriggerAnswer | 'too-many' | 'unknown' | 'refused';

export interface Scheduler {
  /** The first run begins at once, the schedule with it. */
  start(): void;
  /**
   * Something changed, says somebody: run now, or as soon as the current run and the gap are over. What that run finds
   * settling is looked at again when it has settled, not only at the next slot.
   */
  trigger(): TriggerAnswer;
  phase(): Phase;
  failuresInARow(): number;
  /** Epoch milliseconds; undefined when there will be none. */
  nextRunAt(): number | undefined;
  nextFullScanAt(): number | undefined;
  /** The wall clock was set: what was awaited by it is awaited anew. */
  clockWasSet(): void;
  /** Starts nothing more; resolves when the run under way is over. */
  stop(): Promise<void>;
}

export interface SchedulerOptions {
  readonly schedule: Schedule;
  /** Left out: every run is the same. */
  readonly fullScan?: Schedule;
  /** A full scan was missed while nothing ran: the first run makes up for it. */
  readonly isFullScanDue: boolean;
  /** How long what is `settling` has to stand still. */
  readonly settleMs: number;
  /** Must not reject. */
  readonly run: (isFull: boolean) => Promise<Verdict>;
  readonly onPause: (pauseMs: number, failures: number) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** [0, 1). */
  readonly random: () => number;
}

/** So that the daemons of this world do not all call in the same second. */
const jitterShare = 0.1;
const jitterMsMax = 10_000;

/**
 * From the beginning of one triggered run to that of the next. A run reads the tab and asks for changes, so that somebody who
 * triggers without end takes a dozen of the 60 reads a minute that Google allows
 * (https://developers.google.com/workspace/sheets/api/limits).
 */
const triggerGapMs = 5_000;
/** Runs after a triggered one because something settles: a cell that never stands still is left to the schedule. */
const followUpsMax = 5;
/** The wall clock, by which cells settle, and timers need not agree to the millisecond. */
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
  let failures = 0;
  let retry: Appointment | undefined;
  let gap: Appointment | undefined;
  let followUp: Appointment | undefined;
  let followUpsLeft = 0;
  let current: Promise<void> = Promise.resolve();
  let fullScanAwaitedAt: number | undefined;

  const full = fullScan && createTask(fullScan.cron, fullScanSlot, taskOptions(fullScan));
  const slots = createTask(
    schedule.cron,
    ({ date }) => {
      // One run for both: the full scan's own slot is this very one.
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
      phase = 'running';
      if (isWanted) openGap();
      isWanted = false;
      const isFull = isFullScanDue;
      isFullScanDue = false;
      const verdict = await run(isFull);
      if (isStopped()) return;
      if (verdict === 'final') return halt();
      if (verdict === 'failed') {
        isFullScanDue ||= isFull;
        return pause();
      }
      failures = 0;
      phase = 'idle';
      if (verdict === 'settling') lookAgain();
      else if (!isWanted) followUpsLeft = 0;
    } while (isWantedNow() || isFullScanDue);
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

  /** What was seen first settles first: an appointment that is made already is kept. */
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

  // In a function, because a run takes long enough for the phase to be another one than the compiler believes.
  function isStopped(): boolean {
    return phase === 'stopped';
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

  function halt(): void {
    phase = 'stopped';
    for (const appointment of [retry, gap, followUp]) clearTimeout(appointment?.timer);
    retry = gap = followUp = undefined;
    void slots.destroy();
    void full?.destroy();
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

    phase: () => phase,
    failuresInARow: () => failures,

    nextRunAt() {
      if (isStopped()) return undefined;
      if (retry) return retry.at;
      const slotTimes = [slots.getNextRun(), full?.getNextRun()].flatMap((date) => (date ? [date.getTime()] : []));
      const times = [...slotTimes, ...(isWanted && gap ? [gap.at] : []), ...(followUp ? [followUp.at] : [])];
      return times.length === 0 ? undefined : Math.min(...times);
    },

    nextFullScanAt: () => (isStopped() ? undefined : full?.getNextRun()?.getTime()),

    clockWasSet() {
      if (isStopped()) return;
      const isFullScanPassed = fullScanAwaitedAt !== undefined && fullScanAwaitedAt <= now();
      void slots.stop();
      void full?.stop();
      startTasks();
      isFullScanDue ||= isFullScanPassed;
      begin();
    },

    stop() {
      halt();
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
    // Late is better than never: a slot that a busy or sleeping machine missed is made up for, unless the next one is here.
    missedExecutionTolerance: Infinity,
    suppressMissedWarning: true,
    // It would print by itself; what there is to say is said here.
    logger: silent,
  };
}

const silent = { info() {}, warn() {}, error() {}, debug() {} };
