// The budget of one credential: reads and writes a minute, which Google counts by user and project.
import { createMeter, type Meter, type MeterOptions } from '../../limits/meter.ts';
import { createTurns, type Turns } from '../../limits/turns.ts';
import { backoffMs, type Time } from './backoff.ts';

export type BudgetKind = 'reads' | 'writes';

/** https://developers.google.com/workspace/sheets/api/limits: 60 each per minute, user and project. */
export const callsPerMinuteDefault = 60;

const minuteMs = 60_000;
/** A slow read of a large tab must not block other calls; Google advises against many calls at once. */
const concurrencyMax = 4;

/** Higher goes first. */
export type Priority = number;

/** Added to the length of the minute: calls arrive at Google a little early or late. */
const slack = 1.01;

/**
 * A queue that starts at most `callsPerMinute` calls in any minute, together with those of other processes that share the
 * budget. After `pause` (Google says that the quota is used up) no call of this process starts until the backoff is over;
 * waiting calls keep their place.
 */
export class Budget {
  readonly #turns: Turns;
  readonly #meter: Meter;
  readonly #time: Time;
  #refusals = 0;
  #used = 0;
  #paused: Promise<void> | undefined;

  constructor(callsPerMinute: number, time: Time, shared?: MeterOptions['shared']) {
    this.#time = time;
    const { elapsed } = time;
    this.#meter = createMeter({ startsMax: callsPerMinute, lengthMs: minuteMs * slack, elapsed, shared });
    // The end of a pause has the queue look again.
    const take = (wanted: number) => (this.#paused === undefined ? this.#meter.take(wanted) : minuteMs);
    this.#turns = createTurns({ concurrency: concurrencyMax, take });
  }

  /** Calls of this process that were started since it began. */
  get used(): number {
    return this.#used;
  }

  /** Calls started in the last minute, by all who share the budget. */
  get usedLastMinute(): number {
    return this.#meter.lastMinute();
  }

  /**
   * `signal` removes the call from the queue and ends waiting for its answer; `stop` only removes it from the queue.
   */
  async run<T>(
    call: () => Promise<T>,
    { signal, stop, priority = 0 }: { signal?: AbortSignal; stop?: AbortSignal; priority?: Priority } = {},
  ): Promise<T> {
    const mayBegin = stop ?? signal;
    mayBegin?.throwIfAborted();
    const place = new AbortController();
    const gone = Promise.withResolvers<never>();
    const leave = () => {
      place.abort(mayBegin?.reason);
      gone.reject(mayBegin?.reason);
    };
    const stay = () => mayBegin?.removeEventListener('abort', leave);
    mayBegin?.addEventListener('abort', leave, { once: true });
    const answer = this.#turns.run(
      () => {
        if (stop) stay();
        this.#used += 1;
        return call();
      },
      { priority, signal: place.signal },
    );
    const result = await Promise.race([answer, gone.promise]).finally(stay);
    this.#refusals = 0;
    return result;
  }

  /** Pauses the whole budget after a 429, longer each time in a row: min(2^n s + jitter, 64 s). */
  async pause(signal?: AbortSignal): Promise<void> {
    this.#paused ??= this.#pauseOnce().finally(() => {
      this.#paused = undefined;
      this.#turns.look();
    });
    await (signal ? Promise.race([this.#paused, rejectOnAbort(signal)]) : this.#paused);
  }

  async #pauseOnce(): Promise<void> {
    this.#refusals += 1;
    await this.#time.sleep(backoffMs(this.#refusals, this.#time.random));
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
