// Has statements wait for a connection: urgent ones first, then in order. They give up once no connection comes back for long.
import PQueue from 'p-queue';
import { afterRunning, type RunningTimer } from '../lib/running-time.ts';

export interface Line {
  /** Begins the work at once if a connection is free, else in its turn. Throws what `stuck` makes. */
  run<Value>(work: () => Promise<Value>, isUrgent: boolean): Promise<Value>;
  /** A connection came back, and can be used again: the line moves, and all who wait have time again. */
  moved(): void;
}

export interface LineOptions {
  /** Connections at most. */
  readonly max: number;
  /** So long the line may stand, while the process runs. */
  readonly stillMs: number;
  readonly stuck: () => Error;
}

/**
 * The pool of `pg` would count the wait for a free connection as the time in which one is opened: many runs that begin at once
 * failed, although each connection came back within a second.
 */
export function createLine({ max, stillMs, stuck }: LineOptions): Line {
  const queue = new PQueue({ concurrency: max });
  const waiting = new Set<AbortController>();
  let timer: RunningTimer | undefined;

  function giveUp(): void {
    timer = undefined;
    for (const each of waiting) each.abort(stuck());
  }

  function endWait(of: AbortController): void {
    waiting.delete(of);
    if (waiting.size > 0) return;
    timer?.end();
    timer = undefined;
  }

  return {
    async run(work, isUrgent) {
      if (queue.size === 0 && queue.pending < max) return queue.add(work);
      const wait = new AbortController();
      waiting.add(wait);
      timer ??= afterRunning(stillMs, giveUp);
      const begin = () => {
        // A signal would drop work that has begun, together with its outcome.
        endWait(wait);
        return work();
      };
      try {
        return await queue.add(begin, { priority: isUrgent ? 1 : 0, signal: wait.signal });
      } finally {
        endWait(wait);
      }
    },
    moved: () => timer?.restart(),
  };
}
