// Notices when the wall clock is set: timers go on, but every instant somebody waits for is elsewhere now.

export interface ClockWatch extends Disposable {
  /** Milliseconds since the watch last looked: many, when timers no longer fire or something blocks the process. */
  stalledMs(): number;
}

export interface ClockWatchOptions {
  /** Epoch milliseconds, as the machine believes. */
  readonly now: () => number;
  /** Milliseconds from any fixed instant, never set back. */
  readonly elapsed: () => number;
  /** By how many milliseconds the clock was set; negative for back. */
  readonly onSet: (byMs: number) => void;
}

const lookEveryMs = 10_000;
/** Time services correct a clock by less than this without setting it. */
const toleranceMs = 2_000;

export function watchClock({ now, elapsed, onSet }: ClockWatchOptions): ClockWatch {
  let lookedAt = elapsed();
  let offset = now() - lookedAt;
  const timer = setInterval(() => {
    lookedAt = elapsed();
    const byMs = now() - lookedAt - offset;
    offset += byMs;
    if (Math.abs(byMs) > toleranceMs) onSet(byMs);
  }, lookEveryMs);
  return {
    stalledMs: () => Math.max(0, elapsed() - lookedAt - lookEveryMs),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
