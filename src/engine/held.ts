// Held plans: which run `approve` names, and what is stored about it (G2, E6, P6).
import type { RunLease } from './decisions-told.ts';
import { withRule } from './rule-words.ts';
import type { DecisionRequest } from './decision.ts';
import type { Facts } from './stored/facts.ts';
import type { Hold } from '../sync/guard/guard.ts';
import type { PlanCounts } from '../sync/input.ts';
import { factChanges } from './facts.ts';

export type HeldPlan = NonNullable<Facts['held']>;

/** The held plan `known` if it has the same counts; else the plan of this run. */
export function heldPlan(known: Facts['held'], run: string, planned: PlanCounts, reasons: readonly string[]): HeldPlan {
  const isSame = known && JSON.stringify(known.planned) === JSON.stringify(planned);
  return isSame ? known : { run, planned, reasons };
}

interface Held {
  readonly facts: Facts;
  /** Decisions that no run has carried out yet, by id. */
  readonly pending: ReadonlyMap<string, DecisionRequest>;
}

/**
 * G1, G2: writes nothing but what `approve` needs. Returns the run that `approve` names; left out: the plan cannot be
 * approved. `undoes`: the run that the held one was to take back.
 */
export async function holdRun(
  lease: Pick<RunLease, 'commit' | 'holdsAgain'>,
  { facts, pending }: Held,
  run: string,
  { holds, planned }: { readonly holds: readonly Hold[]; readonly planned: PlanCounts },
  undoes?: string,
): Promise<{ readonly approvable?: string }> {
  lease.holdsAgain();
  const reasons = holds.map(({ reason, rule }) => withRule(reason, rule));
  const held =
    undoes === undefined
      ? heldPlan(facts.held, run, planned, reasons)
      : { ...heldPlan(facts.heldUndo?.undoes === undoes ? facts.heldUndo : null, run, planned, reasons), undoes };
  const isApprovable = holds.every(({ fails }) => !fails);
  const put = isApprovable
    ? factChanges(facts, undoes === undefined ? { held } : { heldUndo: { ...held, undoes } })
    : new Map<string, never>();
  // An approval is for the counts it named. Counts that it did not cover now, it must not cover later (G2).
  const spent = [...pending].flatMap(([id, { kind }]) => (kind === 'approve' ? [id] : []));
  if (put.size > 0 || spent.length > 0) await lease.commit({ facts: { put }, doneRequests: spent });
  return isApprovable ? { approvable: held.run } : {};
}
