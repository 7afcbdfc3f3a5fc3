// E6: whether the ledger is to be relied on, and what waits for a person to say so.
import type { PlanInput } from '../../sync/input.ts';
import type { RunContext } from '../context.ts';
import type { Decided } from '../sync/decide.ts';
import { withRule } from '../rule-words.ts';

/** What `approve` lets through, and whether the ledger is to be relied on from now on. */
export function wishFacts(
  { run }: Pick<RunContext, 'run'>,
  known: HeldPlan | null | undefined,
  { counts, isLedgerTrusted }: Decided['plan'],
): { readonly isLedgerTrusted: boolean; readonly held?: HeldPlan | null } {
  // What was held goes on by itself once its cause went away (G4).
  const { enrolments } = counts;
  if (isLedgerTrusted || enrolments === 0) return { isLedgerTrusted, ...(known && { held: null }) };
  const planned = { creates: 0, changes: 0, blanks: 0, deletes: 0, missing: 0, enrolments };
  const isSame = known && JSON.stringify(known.planned) === JSON.stringify(planned);
  const wishes = enrolments === 1 ? '1 wish' : `${enrolments} wishes`;
  const reasons = [withRule(`${wishes} of contacts that were there before the state`, 'E6')];
  return { isLedgerTrusted, held: isSame ? known : { run, planned, reasons } };
}

export interface HeldPlan {
  readonly run: string;
  readonly planned: PlanInput['requests']['approved'] & {};
  readonly reasons?: readonly string[];
}
