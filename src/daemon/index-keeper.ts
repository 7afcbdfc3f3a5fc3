// Keeps the index over the history up to date behind the runs, so that a page of the history is fast.
import type { Store } from '../state/port.ts';

export interface IndexKeeper extends AsyncDisposable {
  /** There is more history than before. Returns at once. */
  changed(): void;
}

interface IndexKeeperDep {
  readonly store: Pick<Store, 'keepIndex'>;
  /** A new index of a long history takes some seconds: the share that is done, 0 to 1. */
  readonly onProgress: (share: number) => void;
  /** Is called once, when the index has what was written before the start. */
  readonly onCurrent?: (signal: AbortSignal) => Promise<void>;
}

/** Begins with what was written before. Disposing it ends the work between two steps. */
export function createIndexKeeper({ store, onProgress, onCurrent }: IndexKeeperDep): IndexKeeper {
  const end = new AbortController();
  let isWanted = false;
  let work: Promise<void> | undefined;
  let told: Promise<void> | undefined;

  async function keep(): Promise<void> {
    while (isWanted && !end.signal.aborted) {
      isWanted = false;
      await store.keepIndex({ signal: end.signal, onProgress });
      if (!end.signal.aborted) told ??= onCurrent?.(end.signal);
    }
    work = undefined;
  }

  function changed(): void {
    isWanted = true;
    work ??= keep();
  }

  changed();
  return {
    changed,
    async [Symbol.asyncDispose]() {
      end.abort();
      await work;
      await told;
    },
  };
}
