// Limits how many records of idle jobs stay in memory: the files have them all.

export interface KeptRecords {
  /**
   * Whether the records of this job may stay in memory until its next run. `forget` takes them out of memory, if it can at that
   * moment.
   */
  mayStay(job: string, records: number, forget: () => void): boolean;
  /** The records of this job are not in memory any more. */
  dropped(job: string): void;
}

/** A job that has not run for so long, as one that a person paused, makes room for others. */
const unusedMs = 10 * 60_000;

interface Kept {
  readonly records: number;
  readonly at: number;
  readonly forget: () => void;
}

/**
 * Jobs whose records are there stay, and others are read from their files at each run: to replace the oldest by the newest
 * would make all of them be read, since jobs run in turns. The last one that is let in may exceed the limit, so that a single
 * large job always stays. `now`: epoch milliseconds.
 */
export function createKeptRecords(max: number, now: () => number): KeptRecords {
  const keptByJob = new Map<string, Kept>();

  function sumOfOthers(job: string): number {
    let sum = 0;
    for (const [name, { records }] of keptByJob) if (name !== job) sum += records;
    return sum;
  }

  return {
    mayStay(job, records, forget) {
      keptByJob.delete(job);
      const at = now();
      for (const [name, kept] of keptByJob) {
        if (Math.abs(at - kept.at) <= unusedMs) continue;
        keptByJob.delete(name);
        kept.forget();
      }
      if (sumOfOthers(job) > max) return false;
      keptByJob.set(job, { records, at, forget });
      return true;
    },
    dropped: (job) => void keptByJob.delete(job),
  };
}
