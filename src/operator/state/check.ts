// Reads everything that a store has, counts it, and names what is damaged.
import type { Notice, Store } from '../../state/port.ts';
import type { StateCheckAnswer } from '../answers/state.ts';
import { countRecords, readAllRuns, readLines } from './content.ts';

export type CheckedJob = StateCheckAnswer['jobs'][number];

/** `told` gets what a store passes to `warn`, and is emptied. */
export async function* checkState(store: Store, told: string[], signal: AbortSignal): AsyncGenerator<CheckedJob> {
  for (const job of (await store.jobs()).toSorted()) {
    signal.throwIfAborted();
    told.length = 0;
    const state = await store.sync(job).load();
    const lines = await readLines(store, job);
    const runs = await readAllRuns(store, job);
    await store.sync(job).readRows();
    yield {
      job,
      records: countRecords(state),
      requests: state.requests.size,
      lines: lines.count,
      runs: runs.length,
      damage: [...state.notices.filter(isDamage).map(({ message }) => message), ...told],
    };
  }
}

/** A job that never ran has no state, and a store that works but could not tidy up has lost nothing. */
function isDamage({ kind }: Notice): boolean {
  return kind !== 'absent' && kind !== 'unfinished';
}
