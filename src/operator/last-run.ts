// Reads which run of a job was the last one, whether or not it wrote something.
import type { StoredLastRun } from '../engine/stored/facts.ts';
import type { RunBrief, Store } from '../state/port.ts';

/**
 * The later of `stored`, which the state has, and of the last report: a run that was held or failed leaves the rest of the state as it
 * was. A run that found nothing to do leaves no report. Throws StateError.
 */
export async function readLastRun(
  { store }: { readonly store: Pick<Store, 'lastRuns'> },
  name: string,
  stored: StoredLastRun | undefined,
): Promise<Pick<RunBrief, 'run' | 'status' | 'endedAt'> | undefined> {
  const [kept] = (await store.lastRuns({ jobs: [name], limit: 1 })).get(name) ?? [];
  return kept !== undefined && kept.endedAt >= (stored?.endedAt ?? '') ? kept : stored;
}
