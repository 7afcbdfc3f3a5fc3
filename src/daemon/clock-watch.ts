// Notices that the wall clock was set: timers go on, but every awaited instant has moved.

export interface ClockWatch extends Disposable {
  /** Milliseconds since the last check. A large number means that timers are late or that something blocks the process. */
  stalledMs(): number;
}

export interface ClockWatchOptions {
  /** Epoch milliseconds, by the clock of the machine. */
  readonly now: () => number;
  /** Milliseconds from any fixed instant; never set back. */
  readonly elapsed: () => number;
  /** Milliseconds by which the clock was set; negative: set back. */
  readonly onSet: (byMs: number) => void;
}

const lookEveryMs = 10_000;
/** Time services adjust a clock by less than this without setting it. */
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
