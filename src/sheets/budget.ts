// What one credential may spend: so many reads and so many writes a minute, counted by Google per user and project.
import PQueue from 'p-queue';
import { backoffMs, type Time } from './backoff.ts';

export type BudgetKind = 'reads' | 'writes';

/** https://developers.google.com/workspace/sheets/api/limits: 60 each per minute, user and project. */
export const callsPerMinuteDefault = 60;

const minuteMs = 60_000;
/** One slow read of a large tab must not hold up everybody else's; Google advises against many calls at once. */
const concurrencyMax = 4;

/** Higher goes first. */
export type Priority = number;

/**
 * A queue that starts at most `callsPerMinute` calls in any minute. When Google says the quota is used up (`pause`), no
 * call of the budget starts until the backoff is over; the calls that wait keep their place.
 */
export class Budget {
  readonly kind: BudgetKind;
  readonly #queue: PQueue;
  readonly #time: Time;
  #refusals = 0;
  #used = 0;
  #paused: Promise<void> | undefined;

  constructor(kind: BudgetKind, callsPerMinute: number, time: Time) {
    this.kind = kind;
    this.#time = time;
    this.#queue = new PQueue({
      concurrency: concurrencyMax,
      ...(Number.isFinite(callsPerMinute) && { intervalCap: callsPerMinute, interval: minuteMs, strict: true }),
    });
  }

  /** Calls started since the process began. */
  get used(): number {
    return this.#used;
  }

  async run<T>(call: () => Promise<T>, options: { signal?: AbortSignal; priority?: Priority } = {}): Promise<T> {
    const result = await this.#queue.add(() => {
      this.#used += 1;
      return call();
    }, options);
    this.#refusals = 0;
    return result;
  }

  /** Stops the whole budget after a 429, longer each time in a row: min(2^n s + jitter, 64 s). */
  async pause(signal?: AbortSignal): Promise<void> {
    this.#paused ??= this.#pauseOnce().finally(() => (this.#paused = undefined));
    await (signal ? Promise.race([this.#paused, rejectOnAbort(signal)]) : this.#paused);
  }

  async #pauseOnce(): Promise<void> {
    this.#refusals += 1;
    this.#queue.pause();
    try {
      await this.#time.sleep(backoffMs(this.#refusals, this.#time.random));
    } finally {
      this.#queue.start();
    }
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
