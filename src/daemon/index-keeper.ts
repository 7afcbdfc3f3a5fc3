// Keeps the index over the history up to date behind the runs, so that a page of the history is fast.
import type { Store } from '../state/port.ts';

export interface IndexKeeper extends AsyncDisposable {
  /** A run of this job has ended: it may have written something. Returns at once. */
  changed(job: string): void;
}

interface IndexKeeperDep {
  readonly store: Pick<Store, 'keepIndex'>;
  /** A new index of a long history takes some seconds: the share that is done, 0 to 1. */
  readonly onProgress: (share: number) => void;
  /** Is called once, when the index has what was written before the start. */
  readonly onCurrent?: (signal: AbortSignal) => Promise<void>;
}

/**
 * Begins with what was written before, to all jobs. Later it looks at jobs that ran: to look at each of 500 idle jobs after every
 * run took a third of the processor time of the runs. Disposing it ends the work between two steps.
 */
export function createIndexKeeper({ store, onProgress, onCurrent }: IndexKeeperDep): IndexKeeper {
  const end = new AbortController();
  const wanted = new Set<string>();
  let isWhole = true;
  let work: Promise<void> | undefined;
  let told: Promise<void> | undefined;

  async function keep(): Promise<void> {
    while ((isWhole || wanted.size > 0) && !end.signal.aborted) {
      const jobs = isWhole ? undefined : [...wanted];
      isWhole = false;
      wanted.clear();
      await store.keepIndex({ ...(jobs && { jobs }), signal: end.signal, onProgress });
      if (!end.signal.aborted) told ??= onCurrent?.(end.signal);
    }
    work = undefined;
  }

  work = keep();
  return {
    changed(job) {
      wanted.add(job);
      work ??= keep();
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await work;
      await told;
    },
  };
}
