// Reads everything that a store has, counts it, and names what is damaged.
import { DatabaseUnavailableError, StateError } from '../../state/errors.ts';
import type { Store } from '../../state/port.ts';
import type { StateCheckAnswer } from '../answers/state.ts';
import { countRecords, isDamage, readAllRuns, readLines } from './content.ts';

export type CheckedJob = StateCheckAnswer['jobs'][number];

/** `told` gets what a store passes to `warn`, and is emptied. */
export async function* checkState(store: Store, told: string[], signal: AbortSignal): AsyncGenerator<CheckedJob> {
  for (const job of (await store.jobs()).toSorted()) {
    signal.throwIfAborted();
    told.length = 0;
    yield await checkJob(store, job, told);
  }
}

async function checkJob(store: Store, job: string, told: readonly string[]): Promise<CheckedJob> {
  const counts = { records: 0, requests: 0, lines: 0, runs: 0 };
  const damage: string[] = [];
  try {
    const state = await store.sync(job).load();
    counts.records = countRecords(state);
    counts.requests = state.requests.size;
    damage.push(...state.notices.filter(isDamage).map(({ message }) => message));
    counts.lines = (await readLines(store, job)).count;
    counts.runs = (await readAllRuns(store, job)).length;
    await store.sync(job).readRows();
  } catch (error) {
    // It is of a newer version, of another job, or cannot be read. The other jobs are checked all the same.
    if (!(error instanceof StateError) || error instanceof DatabaseUnavailableError) throw error;
    damage.push(error.message);
  }
  return { job, ...counts, damage: [...damage, ...told] };
}
