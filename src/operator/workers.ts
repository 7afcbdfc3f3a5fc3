// Lists the workers of the state: who runs what, and who is gone.
import type { WorkersAnswer } from './answers/workers.ts';
import type { Operator } from './operator.ts';

/** Throws StateError. */
export async function readWorkersAnswer({ workers }: Pick<Operator, 'workers'>): Promise<WorkersAnswer> {
  if (!workers) return { shared: false, workers: [] };
  const all = await workers();
  return {
    shared: true,
    workers: all.map(({ id, host, pid, version, state, since, seenAt, isGone, runs }) => ({
      id,
      host,
      pid,
      version,
      state: isGone ? 'gone' : state,
      since,
      seen_at: seenAt,
      runs: runs.map((run) => ({ ...run })),
    })),
  };
}
