// Decisions that are taken up without a plan: stored with what follows from them, in one commit.
import type { Json, JsonObject, LoadedState } from '../state/port.ts';
import type { RunLease } from './decisions-told.ts';

export interface Taken {
  /** Facts that change. */
  readonly facts?: ReadonlyMap<string, JsonObject | null>;
  /** Entries of the ledger that change, by their key. */
  readonly ledger?: ReadonlyMap<string, JsonObject>;
  /** Ids of the decisions that are done with. */
  readonly done: readonly string[];
  /** Those of them of which nothing comes. */
  readonly voided: readonly string[];
}

/** The state as these decisions leave it. Nothing is written. */
export function withTaken(loaded: LoadedState, { facts, ledger, done }: Taken): LoadedState {
  if (done.length === 0) return loaded;
  const requests = new Map(loaded.requests);
  for (const id of done) requests.delete(id);
  return {
    ...loaded,
    ...(facts && { facts: new Map<string, Json>([...loaded.facts, ...facts]) }),
    ...(ledger && { ledger: new Map([...loaded.ledger, ...ledger]) }),
    requests,
  };
}

/** In one commit: a decision is never done with before its effect is stored. Each gets its line in the history. */
export async function takeUp(
  lease: Pick<RunLease, 'commit' | 'makesVoid'>,
  loaded: LoadedState,
  taken: Taken,
): Promise<LoadedState> {
  const { facts, ledger, done, voided } = taken;
  if (done.length === 0) return loaded;
  lease.makesVoid(voided);
  await lease.commit({
    ...(facts && { facts: { put: facts } }),
    ...(ledger && { ledger: { put: ledger } }),
    doneRequests: done,
  });
  return withTaken(loaded, taken);
}
