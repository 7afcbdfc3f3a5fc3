// I2: contacts that are moved here from another list, and rows whose contact turns out to be there already.
import type { Change } from '../../sync/change.ts';
import type { Outcome, Outcomes } from '../../sync/outcome.ts';
import type { Written } from './look-again.ts';

/** The contacts that were to come here from other lists, as they were answered. What is not here is not written. */
export function contactsMovedHere(
  creates: readonly Extract<Change, { op: 'create' }>[],
  results: Outcomes,
): ReadonlyMap<string, Written | 'not here'> {
  return new Map(
    creates.flatMap((change): [string, Written | 'not here'][] => {
      if (change.moves === undefined) return [];
      const outcome = results.get(change);
      const answer = outcome?.kind === 'done' && outcome.contact?.uuid === change.moves ? outcome.contact : undefined;
      return [[change.moves, answer ? { change, answer } : 'not here']];
    }),
  );
}

export const madeMeanwhile: Outcome = {
  kind: 'moved',
  message: 'somebody made this contact in the CRM a moment ago: the next run links and merges it',
};

export const beingDeleted: Outcome = {
  kind: 'moved',
  message: 'the service still has the contact that was deleted here: once that is gone, this one is made',
};

export const notMovedHere: Outcome = {
  kind: 'failed',
  message: 'the service did not move it to this list: is tried again',
};
