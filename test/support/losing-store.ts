// A store in memory whose lease is found lost by one commit, and is there again after it, as when a read of its lock is wrong once.
import { LeaseLostError } from '../../src/state/errors.ts';
import type { Store } from '../../src/state/port.ts';
import { createMemoryDatabase } from './memory-store.ts';
import { trialTerms } from './state.ts';

export interface LosingStore {
  readonly store: Store;
  readonly loseNextCommit: () => void;
}

export function createLosingStore(): LosingStore {
  let isDue = false;
  const database = createMemoryDatabase({
    elapsed: () => 0,
    leaseMs: 60_000,
    renewMs: 5_000,
    terms: trialTerms,
  });
  const { store } = database.worker({
    host: 'a',
    pid: 1,
    instant(when, what) {
      if (!isDue || when !== 'before' || what !== 'commit') return;
      isDue = false;
      throw new LeaseLostError('the lease');
    },
  });
  return { store, loseNextCommit: () => void (isDue = true) };
}
