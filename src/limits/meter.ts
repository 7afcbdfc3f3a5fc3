// Counts the starts of calls of one budget: within this process, or together with every process of the machine.
import { createHash } from 'node:crypto';
import { createWindow } from './window.ts';

/** At most `startsMax` starts in any `lengthMs`. */
export interface Limit {
  readonly startsMax: number;
  readonly lengthMs: number;
}

export interface Meter {
  /**
   * 0: a start is counted, at this instant. Else whole milliseconds until it is worth asking again: none is counted.
   * `wanted`: how many starts are wanted by now, this one among them; 1 if left out.
   */
  take(wanted?: number): number;
  /** Starts in the last 60 s. */
  lastMinute(): number;
  /** Allows no start for so long. Of overlapping pauses the longest counts. */
  pause(ms: number): void;
  /** Milliseconds until the pause ends; 0: none. */
  pausedMs(): number;
}

/** Starts and pauses that processes share, by the name of the budget. undefined: they cannot be shared for now. */
export interface SharedStarts {
  /** Like Meter.take. Of processes that wait, the one that has waited longest is first. */
  take(budget: string, limit: Limit, wanted?: number): number | undefined;
  lastMinute(budget: string): number | undefined;
  pause(budget: string, ms: number): void;
  pausedMs(budget: string): number | undefined;
}

export interface MeterOptions extends Limit {
  /** Milliseconds from any fixed instant, never set back: performance.now. */
  readonly elapsed: () => number;
  /** Left out: this process counts alone. */
  readonly shared?: { readonly starts: SharedStarts; readonly budget: string } | undefined;
}

/** The name under which processes share a budget. A credential cannot be read from it. */
export function budgetName(kind: string, ...credential: readonly string[]): string {
  return `${kind} ${createHash('sha256').update(JSON.stringify(credential)).digest('hex').slice(0, 16)}`;
}

/** The own starts count in any case, so that a process keeps the budget by itself while nothing can be shared. */
export function createMeter({ shared, elapsed, ...limit }: MeterOptions): Meter {
  const own = createWindow({ ...limit, elapsed });
  const minute = createWindow({ startsMax: Infinity, lengthMs: 60_000, elapsed });
  let pausedUntil = -Infinity;

  const ownPausedMs = () => Math.max(0, pausedUntil - elapsed());
  const pausedMs = () => Math.max(ownPausedMs(), shared?.starts.pausedMs(shared.budget) ?? 0);

  return {
    take(wanted) {
      // Timers count whole milliseconds, rounded down: without rounding up, the timer fires too early.
      const ownWaitMs = Math.ceil(Math.max(ownPausedMs(), own.waitMs()));
      if (ownWaitMs > 0) return ownWaitMs;
      const waitMs = shared?.starts.take(shared.budget, limit, wanted) ?? 0;
      if (waitMs > 0) return waitMs;
      own.start();
      minute.start();
      return 0;
    },
    lastMinute: () => shared?.starts.lastMinute(shared.budget) ?? minute.count(),
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, elapsed() + ms);
      shared?.starts.pause(shared.budget, ms);
    },
    pausedMs,
  };
}
