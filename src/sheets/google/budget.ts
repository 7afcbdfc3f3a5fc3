// The budget of one credential: reads and writes a minute, which Google counts by user and project.
import delay from 'delay';
import PQueue from 'p-queue';
import { createWindow, type SlidingWindow } from '../../limits/window.ts';
import { backoffMs, type Time } from './backoff.ts';

export type BudgetKind = 'reads' | 'writes';

/** https://developers.google.com/workspace/sheets/api/limits: 60 each per minute, user and project. */
export const callsPerMinuteDefault = 60;

const minuteMs = 60_000;
/** A slow read of a large tab must not block other calls; Google advises against many calls at once. */
const concurrencyMax = 4;

/** Higher goes first. */
export type Priority = number;

/**
 * A queue that starts at most `callsPerMinute` calls in any minute. After `pause` (Google says that the quota is used
 * up) no call of the budget starts until the backoff is over; waiting calls keep their place.
 */
export class Budget {
  readonly kind: BudgetKind;
  readonly #queue = new PQueue({ concurrency: concurrencyMax });
  readonly #minute: SlidingWindow;
  readonly #time: Time;
  #refusals = 0;
  #used = 0;
  #paused: Promise<void> | undefined;
  #isResuming = false;

  constructor(kind: BudgetKind, callsPerMinute: number, time: Time) {
    this.kind = kind;
    this.#time = time;
    this.#minute = createWindow({ startsMax: callsPerMinute, lengthMs: minuteMs, elapsed: time.elapsed });
  }

  /** Calls started since the process began. */
  get used(): number {
    return this.#used;
  }

  /** Calls started in the last minute. */
  get usedLastMinute(): number {
    return this.#minute.count();
  }

  /**
   * `signal` removes the call from the queue and ends waiting for its answer; `stop` only removes it from the queue.
   */
  async run<T>(
    call: () => Promise<T>,
    { signal, stop, priority }: { signal?: AbortSignal; stop?: AbortSignal; priority?: Priority } = {},
  ): Promise<T> {
    stop?.throwIfAborted();
    // The queue also drops a running call when its signal aborts: it must not see `stop` once the call runs.
    const place = new AbortController();
    const leave = () => place.abort(stop?.reason);
    stop?.addEventListener('abort', leave, { once: true });
    const queued = stop ? { signal: place.signal } : signal && { signal };
    const answer = this.#queue.add(
      () => {
        stop?.removeEventListener('abort', leave);
        this.#used += 1;
        this.#minute.start();
        // In time for the next call: the queue checks for a pause before each call.
        if (this.#minute.waitMs() > 0) this.#queue.pause();
        void this.#resumeWhenOver();
        return call();
      },
      { ...queued, ...(priority !== undefined && { priority }) },
    );
    void this.#resumeWhenOver();
    const result = await answer.finally(() => stop?.removeEventListener('abort', leave));
    this.#refusals = 0;
    return result;
  }

  /** Pauses the whole budget after a 429, longer each time in a row: min(2^n s + jitter, 64 s). */
  async pause(signal?: AbortSignal): Promise<void> {
    this.#paused ??= this.#pauseOnce().finally(() => {
      this.#paused = undefined;
      void this.#resumeWhenOver();
    });
    await (signal ? Promise.race([this.#paused, rejectOnAbort(signal)]) : this.#paused);
  }

  async #pauseOnce(): Promise<void> {
    this.#refusals += 1;
    this.#queue.pause();
    await this.#time.sleep(backoffMs(this.#refusals, this.#time.random));
  }

  /**
   * Continues when a call fits into the minute again, unless Google's pause lasts; the timer runs only while a call
   * waits.
   */
  async #resumeWhenOver(): Promise<void> {
    if (this.#isResuming || !this.#queue.isPaused) return;
    this.#isResuming = true;
    while (this.#queue.size > 0 && this.#minute.waitMs() > 0) await delay(this.#minute.waitMs());
    this.#isResuming = false;
    if (this.#paused === undefined && this.#minute.waitMs() === 0) this.#queue.start();
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
