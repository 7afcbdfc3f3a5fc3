// Plans that wait for a person: which run `approve` has to name, and what of it is stored (G2, E6, P6).
import type { RunLease } from './decisions-told.ts';
import { withRule } from './rule-words.ts';
import type { DecisionRequest } from './decision.ts';
import type { Facts } from './stored/facts.ts';
import type { Hold } from '../sync/guard/guard.ts';
import type { PlanCounts } from '../sync/input.ts';
import { factChanges } from './facts.ts';

export type HeldPlan = NonNullable<Facts['held']>;

/** The held plan that is `known`, where it is for these very counts; else that of this run. */
export function heldPlan(known: Facts['held'], run: string, planned: PlanCounts, reasons: readonly string[]): HeldPlan {
  const isSame = known && JSON.stringify(known.planned) === JSON.stringify(planned);
  return isSame ? known : { run, planned, reasons };
}

interface Held {
  readonly facts: Facts;
  /** What people decided and no run has carried out yet, by id. */
  readonly pending: ReadonlyMap<string, DecisionRequest>;
}

/**
 * G1, G2: nothing is written and nothing remembered, but for what `approve` needs to know. Answers the run to name to it; left
 * out where nobody can approve the plan.
 */
export async function holdRun(
  lease: Pick<RunLease, 'commit' | 'holdsAgain'>,
  { facts, pending }: Held,
  run: string,
  { holds, planned }: { readonly holds: readonly Hold[]; readonly planned: PlanCounts },
): Promise<{ readonly approvable?: string }> {
  lease.holdsAgain();
  const reasons = holds.map(({ reason, rule }) => withRule(reason, rule));
  const held = heldPlan(facts.held, run, planned, reasons);
  const isApprovable = holds.every(({ fails }) => !fails);
  const put = isApprovable ? factChanges(facts, { held }) : new Map<string, never>();
  // An approval is for the counts it named: what it did not let through now it must not let through later (G2).
  const spent = [...pending].flatMap(([id, { kind }]) => (kind === 'approve' ? [id] : []));
  if (put.size > 0 || spent.length > 0) await lease.commit({ facts: { put }, doneRequests: spent });
  return isApprovable ? { approvable: held.run } : {};
}
