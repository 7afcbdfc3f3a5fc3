// A timer that counts only time in which this process ran.

export interface RunningTimer {
  /** All the time is there again. Does nothing after the end. */
  restart(): void;
  end(): void;
}

/** A process that is stopped loses one of so many parts at most. */
const parts = 10;

/**
 * Calls `work` once, after about `ms`. A plain timer of a process that was stopped (SIGSTOP, a debugger, a frozen container) ends as
 * soon as the process goes on, before answers are read that came meanwhile. Here a stop counts as one part, however long it was.
 */
export function afterRunning(ms: number, work: () => void): RunningTimer {
  let left = parts;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    end();
    work();
  }, ms / parts);

  function end(): void {
    left = 0;
    clearInterval(timer);
  }

  return {
    restart() {
      // `refresh` would begin an ended timer anew.
      if (left === 0) return;
      left = parts;
      timer.refresh();
    },
    end,
  };
}
