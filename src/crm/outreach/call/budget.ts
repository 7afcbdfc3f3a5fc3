// Limits the calls of one token: so many a minute, so many at once.
import { createMeter, type MeterOptions } from '../../../limits/meter.ts';
import { createTurns } from '../../../limits/turns.ts';
import type { CallPriority } from '../../port.ts';
import { backoffMs } from './retry-after.ts';

/**
 * The calls one token may make: so many a minute, so many at once. Every client on the token shares it, because the
 * service counts by token. The minute and the pauses are those of all processes that share it; tasks at once are those
 * of this process.
 *
 * States: open (tasks run as the figures allow) -> paused (after a 429: nothing starts until the pause is over) ->
 * open;
 * any -> closed (`close`: every waiting and future task is rejected with that error, for good).
 */
export interface Budget extends Disposable {
  /**
   * Runs the task when its turn comes: urgent ones, then edits, then scans, each in order. An abort removes a waiting task from the
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
  /** No task is run any more. */
  isClosed(): boolean;
  /** Milliseconds until the pause ends, 0 when open. */
  pausedMs(): number;
  /** Tasks started in the last minute by all who share it, the limit for them, and tasks of this process that wait. */
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

const rank: Readonly<Record<CallPriority, number>> = { urgent: 2, edit: 1, scan: 0 };

export interface BudgetOptions {
  readonly requestsPerMinute: number;
  readonly concurrency: number;
  /** Milliseconds from any fixed instant, never set back: performance.now. */
  readonly elapsed: () => number;
  /** [0, 1), for the jitter. */
  readonly random: () => number;
  /** Left out: this process counts alone. */
  readonly shared?: MeterOptions['shared'];
}

/** A longer pause is not waited for. */
const pauseWaitedMsMax = 120_000;

/** Added to the length of a slot: calls arrive at the service a little early or late. */
const slack = 1.01;

export function createBudget(options: BudgetOptions): Budget {
  const { requestsPerMinute, concurrency, elapsed, random, shared } = options;
  // Slots last about a second instead of a minute. So an edit never waits long behind a burst of scan pages, and no
  // sixty seconds, wherever they start, hold more than the budget.
  const startsMax = Math.max(1, Math.floor(requestsPerMinute / 60));
  const meter = createMeter({ startsMax, lengthMs: (startsMax * 60_000 * slack) / requestsPerMinute, elapsed, shared });
  const turns = createTurns({ concurrency, take });
  const waiting = new Set<AbortController>();
  let refusalsInARow = 0;
  let closed: Error | undefined;

  function take(wanted: number): number {
    // Another process may have been told to pause.
    rejectLongPause();
    return meter.take(wanted);
  }

  function rejectLongPause(): void {
    const pausedMs = meter.pausedMs();
    if (pausedMs > pauseWaitedMsMax) rejectWaiting(new LongPause(pausedMs));
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
      const pausedMs = meter.pausedMs();
      if (pausedMs > pauseWaitedMsMax) throw new LongPause(pausedMs);
      // The queue sees aborts of a waiting task only.
      const place = new AbortController();
      const leave = () => place.abort(signal?.reason);
      const stopWaiting = () => {
        waiting.delete(place);
        signal?.removeEventListener('abort', leave);
      };
      waiting.add(place);
      signal?.addEventListener('abort', leave, { once: true });
      try {
        return await turns.run(
          () => {
            stopWaiting();
            return task();
          },
          { priority: rank[priority], signal: place.signal },
        );
      } finally {
        stopWaiting();
      }
    },

    refused(retryAfterMs) {
      refusalsInARow += 1;
      const pauseMs = retryAfterMs ?? backoffMs(refusalsInARow, random);
      meter.pause(pauseMs);
      rejectLongPause();
      turns.look();
      return pauseMs;
    },

    accepted() {
      refusalsInARow = 0;
    },

    close,
    isClosed: () => closed !== undefined,
    pausedMs: () => meter.pausedMs(),
    usage: () => ({ startedLastMinute: meter.lastMinute(), perMinute: requestsPerMinute, waiting: turns.waiting }),

    [Symbol.dispose]() {
      close(new Error('the budget is no longer in use'));
      turns[Symbol.dispose]();
    },
  };
}
