// Limits the calls of one token: so many a minute, so many at once.
import delay from 'delay';
import PQueue from 'p-queue';
import { createWindow } from '../../../limits/window.ts';
import type { CallPriority } from '../../port.ts';
import { backoffMs } from './retry-after.ts';

/**
 * The calls one token may make: so many a minute, so many at once. Every client on the token shares it, because the
 * service counts by token.
 *
 * States: open (tasks run as the figures allow) -> paused (after a 429: nothing starts until the pause is over) ->
 * open;
 * any -> closed (`close`: every waiting and future task is rejected with that error, for good).
 */
export interface Budget extends Disposable {
  /**
   * Runs the task when its turn comes: edits before scans, then in order. An abort removes a waiting task from the
   * queue; a task that has started stops by itself. Rejects with LongPause when its turn is too far away.
   */
  run<T>(task: () => Promise<T>, options: { priority: CallPriority; signal?: AbortSignal | undefined }): Promise<T>;
  /**
   * The service answered 429: no task starts for `retryAfterMs`. If the service names no time, the pause is a backoff
   * that grows with each 429 in a row. Of overlapping pauses the longest counts. Returns the pause.
   */
  refused(retryAfterMs: number | undefined): number;
  /** The service gave another answer: the next backoff starts small again. */
  accepted(): void;
  close(error: Error): void;
  /** Milliseconds until the pause ends, 0 when open. */
  pausedMs(): number;
  /** Tasks started in the last minute, the limit for them, and tasks that wait. */
  usage(): { readonly startedLastMinute: number; readonly perMinute: number; readonly waiting: number };
}

/** The pause of the budget is too long to wait for: a service may also count by the hour and by the day. */
export class LongPause extends Error {
  override readonly name = 'LongPause';
  readonly pausedMs: number;

  constructor(pausedMs: number) {
    super(`paused for ${Math.ceil(pausedMs / 1_000)} s`);
    this.pausedMs = pausedMs;
  }
}

const rank: Readonly<Record<CallPriority, number>> = { edit: 1, scan: 0 };

export interface BudgetOptions {
  readonly requestsPerMinute: number;
  readonly concurrency: number;
  /** Milliseconds from any fixed instant, never set back: performance.now. */
  readonly elapsed: () => number;
  /** [0, 1), for the jitter. */
  readonly random: () => number;
}

/** A longer pause is not waited for. */
const pauseWaitedMsMax = 120_000;

/** Added to the length of a slot: calls arrive at the service a little early or late. */
const slack = 1.01;

export function createBudget(options: BudgetOptions): Budget {
  const { requestsPerMinute, concurrency, elapsed, random } = options;
  // Slots last about a second instead of a minute. So an edit never waits long behind a burst of scan pages, and no
  // sixty seconds, wherever they start, hold more than the budget.
  const intervalCap = Math.max(1, Math.floor(requestsPerMinute / 60));
  const slotMs = (intervalCap * 60_000 * slack) / requestsPerMinute;
  const slot = createWindow({ startsMax: intervalCap, lengthMs: slotMs, elapsed });
  const minute = createWindow({ startsMax: Infinity, lengthMs: 60_000, elapsed });
  const queue = new PQueue({ concurrency });
  const waiting = new Set<AbortController>();
  const disposal = new AbortController();
  let pausedUntil = -Infinity;
  let resuming = false;
  let refusalsInARow = 0;
  let closed: Error | undefined;

  const pausedMs = () => Math.max(0, pausedUntil - elapsed());
  const standstillMs = () => Math.max(pausedMs(), slot.waitMs());

  /** The timer runs only while a task waits, so that no timer outlasts the last task. */
  async function resumeWhenOver(): Promise<void> {
    if (resuming) return;
    resuming = true;
    try {
      while (queue.size > 0 && standstillMs() > 0) {
        // Timers count whole milliseconds, rounded down: without rounding up, the timer fires too early.
        await delay(Math.ceil(standstillMs()), { signal: disposal.signal });
      }
    } catch {
      // The budget was disposed meanwhile: waiting tasks were rejected by then.
      return;
    } finally {
      resuming = false;
    }
    // Only after these lines: a task that starts may fill the slot and call this function again.
    if (standstillMs() === 0) queue.start();
  }

  function rejectWaiting(error: Error): void {
    for (const place of waiting) place.abort(error);
  }

  function close(error: Error): void {
    closed ??= error;
    rejectWaiting(closed);
  }

  return {
    async run(task, { priority, signal }) {
      if (closed) throw closed;
      signal?.throwIfAborted();
      if (pausedMs() > pauseWaitedMsMax) throw new LongPause(pausedMs());
      // The queue may see aborts of a waiting task only: it would drop a running task together with its outcome.
      const place = new AbortController();
      const leave = () => place.abort(signal?.reason);
      const stopWaiting = () => {
        waiting.delete(place);
        signal?.removeEventListener('abort', leave);
      };
      waiting.add(place);
      signal?.addEventListener('abort', leave, { once: true });
      try {
        const result = queue.add(
          () => {
            stopWaiting();
            minute.start();
            slot.start();
            // In time for the next task: the queue checks for a pause before each task.
            if (slot.waitMs() > 0) queue.pause();
            if (queue.isPaused) void resumeWhenOver();
            return task();
          },
          { priority: rank[priority], signal: place.signal },
        );
        if (queue.isPaused) void resumeWhenOver();
        return await result;
      } finally {
        stopWaiting();
      }
    },

    refused(retryAfterMs) {
      refusalsInARow += 1;
      const pauseMs = retryAfterMs ?? backoffMs(refusalsInARow, random);
      pausedUntil = Math.max(pausedUntil, elapsed() + pauseMs);
      queue.pause();
      if (pausedMs() > pauseWaitedMsMax) rejectWaiting(new LongPause(pausedMs()));
      void resumeWhenOver();
      return pauseMs;
    },

    accepted() {
      refusalsInARow = 0;
    },

    close,
    pausedMs,
    usage: () => ({ startedLastMinute: minute.count(), perMinute: requestsPerMinute, waiting: queue.size }),

    [Symbol.dispose]() {
      close(new Error('the budget is no longer in use'));
      disposal.abort();
    },
  };
}
