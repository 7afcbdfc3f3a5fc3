// Decides whether the ledger is trusted, and which enrolments wait for an approval (E6).
import { nothingPlanned } from '../report.ts';
import type { Facts } from '../stored/facts.ts';
import { heldPlan } from '../held.ts';
import type { HeldFact } from '../stored/facts.ts';
import type { RunContext } from '../sync/context.ts';
import type { Decided } from '../sync/decide.ts';
import { withRule } from '../rule-words.ts';

/** The facts about the ledger: what `approve` lets through, and whether the ledger is trusted from now on. */
export function wishFacts(
  { run }: Pick<RunContext, 'run'>,
  known: Facts['held'],
  { counts, isLedgerTrusted }: Decided['plan'],
): { readonly isLedgerTrusted: boolean; readonly held?: HeldFact | null } {
  // A held run goes on by itself when its cause is gone (G4).
  const { enrolments } = counts;
  if (isLedgerTrusted || enrolments === 0) return { isLedgerTrusted, ...(known && { held: null }) };
  const planned = { ...nothingPlanned, enrolments };
  const wishes = enrolments === 1 ? '1 wish' : `${enrolments} wishes`;
  const reasons = [withRule(`${wishes} of contacts that were there before the state or the column`, 'E6')];
  // Records that were let through count for the limits of a hold that is over (G6).
  const { letThrough: _over, ...unlimited } = known ?? { run, planned };
  return { isLedgerTrusted, held: heldPlan(known && unlimited, run, planned, reasons) };
}
