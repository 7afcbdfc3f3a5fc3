import type { Write } from '../oracle/evidence.ts';

/** M1: for edits closer than this, or than two intervals of the schedule (one minute here), a person decides. */
const marginMs = 120_000;

/** The service has whole seconds, and a header compares the two clocks. */
const slackMs = 5_000;

/**
 * M1 `newest`: whether the written value may be the newer of two edits. The contact's edit is as old as its last change.
 * The cell's edit is as old as its first showing: not before an answer showed it, and not after the write.
 *
 * A value beats a blank in any case (M2).
 */
export function mayBeNewer({ side, after, at, typedAt, shownAt, contactChangedAt }: Write): boolean {
  if (after === '') return false;
  if (side === 'crm') return typedAt === undefined || at - typedAt > marginMs - slackMs;
  if (shownAt === undefined || contactChangedAt === undefined) return true;
  return contactChangedAt - shownAt > marginMs - slackMs;
}
