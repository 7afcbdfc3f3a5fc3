import type { Write } from '../oracle/evidence.ts';

/** M1: closer than this, or than two intervals of the schedule, which is one of a minute here, a person decides. */
const marginMs = 120_000;

/** Stamps of the service are whole seconds, and two clocks are compared by what a header says. */
const slackMs = 5_000;

/**
 * M1 `newest`: whether what was written may have been the newer of two edits. The contact's is as old as its last change;
 * the cell's is as old as its first showing, which is not before any answer showed it, and not after the write.
 *
 * A value beats a blank in any case (M2).
 */
export function mayBeNewer({ side, after, at, typedAt, shownAt, contactChangedAt }: Write): boolean {
  if (after === '') return false;
  if (side === 'crm') return typedAt === undefined || at - typedAt > marginMs - slackMs;
  if (shownAt === undefined || contactChangedAt === undefined) return true;
  return contactChangedAt - shownAt > marginMs - slackMs;
}
