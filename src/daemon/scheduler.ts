// The queue in this process: decides when one job runs, by its schedule, triggers, requests of people, backing off and stopping.
import { createTask, type TaskOptions } from 'node-cron';
import type { Schedule } from '../config/config.ts';
import { failurePauseMs } from './backoff.ts';
import {
  type AskedRun,
  type Phase,
  type Queue,
  type Scheduler,
  type SchedulerOptions,
  settleMarginMs,
} from './queue/port.ts';
import { nextSlot, scheduleIntervalMs, slotZone } from '../engine/interval.ts';

/** One worker, which is this process. Nothing outlasts it. */
export const inProcessQueue: Queue = { open: createScheduler };

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

interface Appointment {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly timer: NodeJS.Timeout;
}

/** @internal */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const { schedule, fullScan, run, now } = options;
  let phase: Phase = 'idle';
  let isFullScanDue = options.isFullScanDue;
  /** One that was due has begun, and did not end: the end of the process may cut it short. */
  let isFullScanUnderWay = false;
  let isWanted = false;
  let isPaused = false;
  let failures = 0;
  let first: Appointment | undefined;
  let retry: Appointment | undefined;
  let gap: Appointment | undefined;
  let followUp: Appointment | undefined;
  let followUpsLeft = 0;
  let current: Promise<void> = Promise.resolve();
  let fullScanAwaitedAt: number | undefined;
  /** The request that the next run answers. */
  let asked: { readonly isFull: boolean; readonly unlessPaused: boolean } | undefined;
  /** People who wait for the end of that run. */
  const asking: ((run: AskedRun) => void)[] = [];
  /** The run of this phase has taken its requests: later ones are for the next. */
  let isBegun = false;
  let isEnding = false;
  let areSlotsAwaited = false;

  const full = fullScan && createTask(fullScan.cron, fullScanSlot, taskOptions(fullScan, now()));
  const slots = createTask(
    schedule.cron,
    ({ date }) => {
      // One run serves both: this is also the slot of the full scan.
      if (!full?.match(date)) begin();
    },
    taskOptions(schedule, now()),
  );

  function fullScanSlot(): void {
    isFullScanDue = true;
    fullScanAwaitedAt = nextFullScan();
    begin();
  }

  /** Undefined before the start. */
  function nextFullScan(): number | undefined {
    return fullScan && areSlotsAwaited ? nextSlot(fullScan, now()) : undefined;
  }

  function begin(): void {
    if (phase === 'idle') current = keepRunning();
  }

  async function keepRunning(): Promise<void> {
    do {
      const wasStopped = phase === 'stopped';
      phase = 'running';
      isBegun = false;
      if (options.isPaused && mayRest() && (await mustRest(options.isPaused))) {
        asked = undefined;
        for (const answer of asking.splice(0)) answer({ kind: 'paused' });
        rest(wasStopped);
        continue;
      }
      isPaused = false;
      if (isEnding) return;
      const isTold = isWanted;
      if (isTold) openGap();
      isWanted = false;
      const request = asked;
      asked = undefined;
      const answered = request ? asking.splice(0) : [];
      isBegun = true;
      const isDue = isFullScanDue;
      isFullScanDue = false;
      isFullScanUnderWay ||= isDue;
      const { verdict, ended, isCutShort, isRested } = await run(
        isDue || request?.isFull === true,
        request !== undefined,
        isTold,
        request?.unlessPaused ?? true,
      );
      if (isRested) {
        isFullScanUnderWay = false;
        isFullScanDue ||= isDue;
        for (const answer of answered) answer(ended);
        rest(wasStopped);
        continue;
      }
      if (isDue && !isCutShort) {
        isFullScanUnderWay = false;
        isFullScanDue ||= verdict === 'failed' || verdict === 'final';
      }
      for (const answer of answered) answer(ended);
      if (isEnding) return;
      if (verdict === 'final') {
        stopForNow();
      } else {
        if (wasStopped) startTasks();
        if (verdict === 'failed') {
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

  /** W13. A request that comes meanwhile and is meant for a paused job is answered. */
  async function mustRest(isPausedNow: () => Promise<boolean>): Promise<boolean> {
    return (await isPausedNow()) && mayRest();
  }

  function mayRest(): boolean {
    return asked?.unlessPaused ?? true;
  }

  /** A full scan that is due follows when the job is resumed; a trigger does not. A job that had stopped stays so. */
  function rest(wasStopped: boolean): void {
    if (isEnding) return;
    if (wasStopped) return void (phase = 'stopped');
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
    areSlotsAwaited = false;
    void slots.stop();
    void full?.stop();
    options.onStop();
  }

  function halt(): void {
    phase = 'stopped';
    for (const appointment of [first, retry, gap, followUp]) clearTimeout(appointment?.timer);
    first = retry = gap = followUp = undefined;
  }

  function startTasks(): void {
    clearTimeout(first?.timer);
    first = undefined;
    areSlotsAwaited = true;
    void slots.start();
    void full?.start();
    fullScanAwaitedAt = nextFullScan();
  }

  function startNow(): void {
    isFullScanDue ||= fullScanAwaitedAt !== undefined && fullScanAwaitedAt <= now();
    startTasks();
    begin();
  }

  return {
    start(inMs = 0) {
      if (inMs > 0) {
        areSlotsAwaited = true;
        fullScanAwaitedAt = nextFullScan();
        first = appoint(inMs, startNow);
      } else {
        startNow();
      }
    },

    trigger() {
      if (phase === 'backing-off' || phase === 'stopped') return phase;
      const answer = phase === 'running' || gap ? 'queued' : 'started';
      isWanted = true;
      followUpsLeft = followUpsMax;
      if (isWantedNow()) begin();
      return answer;
    },

    ask(isFull, unlessPaused = false) {
      const { promise: ended, resolve } = Promise.withResolvers<AskedRun>();
      if (isEnding) {
        resolve({ kind: 'not-run' });
        return { answer: 'ending', ended };
      }
      asked = { isFull: isFull || asked?.isFull === true, unlessPaused: unlessPaused && mayRest() };
      // The run may begin before `ask` returns.
      asking.push(resolve);
      // Until the run has begun, it is the one that answers this request.
      if (phase === 'running') return { answer: isBegun ? 'queued' : 'started', ended };
      cancelRetry();
      current = keepRunning();
      return { answer: 'started', ended };
    },

    phase: shownPhase,
    failuresInARow: () => failures,

    nextRunAt() {
      if (phase === 'stopped') return undefined;
      if (retry) return retry.at;
      if (first) return first.at;
      const slotTimes = areSlotsAwaited ? [nextSlot(schedule, now()), nextFullScan()] : [];
      const times = [
        ...slotTimes.filter((at) => at !== undefined),
        ...(isWanted && gap ? [gap.at] : []),
        ...(followUp ? [followUp.at] : []),
      ];
      return times.length === 0 ? undefined : Math.min(...times);
    },

    nextFullScanAt() {
      if (!fullScan) return undefined;
      return isFullScanDue || isFullScanUnderWay ? now() : fullScanAwaitedAt;
    },

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
      for (const answer of asking.splice(0)) answer({ kind: 'not-run' });
      halt();
      void slots.destroy();
      void full?.destroy();
      return current;
    },
  };
}

function taskOptions(schedule: Schedule, now: number): TaskOptions {
  const intervalMs = scheduleIntervalMs(schedule, now);
  return {
    timezone: slotZone(schedule, now),
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
