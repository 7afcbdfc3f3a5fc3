// Starts tasks one by one, as a meter allows it: the highest priority first, then in order.
import PQueue from 'p-queue';

export interface Turns extends Disposable {
  /** Runs the task when its turn comes. The signal removes a waiting task; a task that has started goes on. */
  run<T>(task: () => Promise<T>, options: { readonly priority: number; readonly signal: AbortSignal }): Promise<T>;
  /** Asks the meter again: its answer may have changed before the time that it named. */
  look(): void;
  /** Tasks that wait. */
  readonly waiting: number;
}

export interface TurnsOptions {
  /** Tasks at once. */
  readonly concurrency: number;
  /**
   * Meter.take: asked only when a task can start at once, so that a start is counted at its instant. `wanted`: tasks that
   * could start at once.
   */
  readonly take: (wanted: number) => number;
}

export function createTurns({ concurrency, take }: TurnsOptions): Turns {
  // Paused but for the moment in which one task is started.
  const queue = new PQueue({ autoStart: false });
  let running = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const mayStart = () => queue.size > 0 && running < concurrency;

  /** The timer runs only while a task waits, so that no timer outlasts the last task. */
  function look(): void {
    clearTimeout(timer);
    while (mayStart()) {
      const waitMs = take(Math.min(queue.size, concurrency - running));
      if (waitMs > 0) {
        if (queue.size > 0) timer = setTimeout(look, waitMs);
        return;
      }
      queue.start();
    }
  }

  return {
    async run(task, { priority, signal }) {
      const result = queue.add(
        async () => {
          // In time for the next task: the queue checks for a pause before each task.
          queue.pause();
          running += 1;
          try {
            return await task();
          } finally {
            running -= 1;
            look();
          }
        },
        // The queue may see aborts of a waiting task only: it would drop a running task together with its outcome.
        { priority, signal },
      );
      look();
      return result;
    },
    look,
    get waiting() {
      return queue.size;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
