// The backoff after failures, as arithmetic on its arguments: no clock and no randomness of its own.

export interface Time {
  /** Milliseconds from any fixed instant, never set back. */
  readonly elapsed: () => number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** https://developers.google.com/workspace/sheets/api/limits: min(2^n s + up to 1 s, 32 or 64 s). */
const backoffMsMax = 64_000;

/** The wait after the `attempt`-th failure (1, 2, …), in milliseconds. Google sends no Retry-After with a 429. */
export function backoffMs(attempt: number, random: () => number): number {
  return Math.min(2 ** (attempt - 1) * 1000 + Math.round(random() * 1000), backoffMsMax);
}
