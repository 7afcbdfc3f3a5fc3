// Counts starts within a period that ends now: the arithmetic of every budget.

/**
 * Starts within the last `lengthMs`, on a clock that is never set back. The intervals of p-queue use the wall clock,
 * and stop for as long as that one was set back.
 */
export interface SlidingWindow {
  /** Counts a start at this instant. */
  start(): void;
  count(): number;
  /** Whole milliseconds, for timers, until one more start is allowed; 0: now. */
  waitMs(): number;
}

export interface WindowOptions {
  /** Infinity: only counts, and never requires a wait. */
  readonly startsMax: number;
  readonly lengthMs: number;
  /** Milliseconds from any fixed instant, never set back: performance.now. */
  readonly elapsed: () => number;
}

export function createWindow({ startsMax, lengthMs, elapsed }: WindowOptions): SlidingWindow {
  const starts: number[] = [];

  function count(): number {
    const since = elapsed() - lengthMs;
    while ((starts[0] ?? Infinity) <= since) starts.shift();
    return starts.length;
  }

  return {
    start: () => void starts.push(elapsed()),
    count,
    waitMs() {
      if (count() < startsMax) return 0;
      const leaving = starts[starts.length - startsMax] ?? 0;
      return Math.max(1, Math.ceil(leaving + lengthMs - elapsed()));
    },
  };
}
