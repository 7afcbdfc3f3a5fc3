// Held plans: which run `approve` names, and what is stored about it (G2, G6, G7, E6, P6, P8).
import { createHash } from 'node:crypto';
import type { RunLease } from './decisions-told.ts';
import { withRule } from './rule-words.ts';
import { type DecisionRequest, isApproval } from './decision.ts';
import type { Facts, HeldFact, HeldRecord } from './stored/facts.ts';
import type { Hold } from '../sync/guard/guard.ts';
import type { PlanCounts } from '../sync/input.ts';
import { factChanges } from './facts.ts';

/**
 * The held plan `known` if this plan is the same; else the plan of this run. A plan with the same counts keeps its run, so
 * that a command that somebody copied stays right. Plans are the same if their records are, too.
 */
export function heldPlan(
  known: Facts['held'],
  run: string,
  planned: PlanCounts,
  reasons: readonly string[],
  records?: readonly HeldRecord[],
): HeldFact {
  const hasSameCounts = known && JSON.stringify(known.planned) === JSON.stringify(planned);
  if (hasSameCounts && digestsOf(known.records) === digestsOf(records)) {
    // Rows may have moved since.
    return records ? { ...known, records } : known;
  }
  return {
    run: hasSameCounts ? known.run : run,
    planned,
    reasons,
    ...(records && { records }),
    ...(known?.letThrough && { letThrough: known.letThrough }),
  };
}

function digestsOf(records: HeldFact['records']): string | undefined {
  return records
    ?.map(({ digest }) => digest)
    .toSorted()
    .join(' ');
}

/** Two held plans with the same digest showed the person the same. Rows may have moved. */
export function digestOfHeld({ run, planned, reasons = [], records = [] }: HeldFact): string {
  const digests = records.map(({ digest }) => digest).toSorted();
  return createHash('sha256')
    .update(JSON.stringify([run, planned, reasons, digests]))
    .digest('hex');
}

interface Held {
  readonly facts: Facts;
  /** Decisions that no run has carried out yet, by id. */
  readonly pending: ReadonlyMap<string, DecisionRequest>;
}

interface HeldRun {
  readonly holds: readonly Hold[];
  readonly planned: PlanCounts;
  /** Left out: the records cannot be approved one by one. */
  readonly records?: readonly HeldRecord[];
}

/**
 * G1, G2: writes nothing but what `approve` needs. Returns the run that `approve` names; left out: the plan cannot be
 * approved. `undoes`: the run that the held one was to take back.
 */
export async function holdRun(
  lease: Pick<RunLease, 'commit' | 'holdsAgain'>,
  { facts, pending }: Held,
  run: string,
  { holds, planned, records }: HeldRun,
  undoes?: string,
): Promise<{ readonly approvable?: string; readonly isRefused?: true }> {
  lease.holdsAgain();
  const reasons = holds.map(({ reason, rule }) => withRule(reason, rule));
  const held =
    undoes === undefined
      ? heldPlan(facts.held, run, planned, reasons, records)
      : { ...heldPlan(facts.heldUndo?.undoes === undoes ? facts.heldUndo : null, run, planned, reasons), undoes };
  const isApprovable = holds.every(({ fails }) => !fails);
  const put = isApprovable
    ? factChanges(facts, undoes === undefined ? { held } : { heldUndo: { ...held, undoes } })
    : new Map<string, never>();
  // An approval is for what it named. What it did not cover now, it must not cover later (G2).
  const spent = [...pending].flatMap(([id, request]) => (isApproval(request) || request.kind === 'run' ? [id] : []));
  const over = facts.begun && spent.includes(facts.begun.request) ? factChanges(facts, { begun: null }) : [];
  const changed = new Map([...put, ...over]);
  if (changed.size > 0 || spent.length > 0) await lease.commit({ facts: { put: changed }, doneRequests: spent });
  return isApprovable ? { approvable: held.run, ...(held.refused && { isRefused: true }) } : {};
}
