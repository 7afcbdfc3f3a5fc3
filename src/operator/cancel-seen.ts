// Cancels enrolments and messages that a person saw in a list: all of them as they were seen, or none.
import { createHash } from 'node:crypto';
import type { CancelAnswer } from './answers/cancel.ts';
import type { DecisionAnswer } from './answers/shared.ts';
import { recordCancels } from './cancel.ts';
import { type Cancellable, type CancelSubject, readCancellables, whyNotCancelled } from './cancellable.ts';
import { type Decider, decisionToAnswer } from './decide.ts';
import { OperatorError } from './errors.ts';
import type { Operator } from './operator.ts';
import { selectDeciding } from './select.ts';

/** One enrolment or one row of an outbox, as a list offers to cancel it. */
export interface CancelView {
  readonly canCancel: boolean;
  /** The enrolment or message, with the person, for sentences. */
  readonly what: string;
  /** A cancel that is asked for already. */
  readonly decision: DecisionAnswer | null;
  /** The digest of all that a person sees of it. */
  readonly digest: string;
}

/** One view for each of `subjects`, in their order. Throws OperatorError and StateError. */
export async function readCancels(
  operator: Operator,
  subjects: readonly CancelSubject[],
): Promise<readonly CancelView[]> {
  const found = await readCancellables(operator, selectDeciding(operator.config, []), subjects);
  return found.map((each) => (each ? viewOf(operator, each) : noCancel));
}

const noCancel: CancelView = { canCancel: false, what: '', decision: null, digest: '' };

function viewOf(operator: Operator, each: Cancellable): CancelView {
  const { job, id, state, at, what, decision, retry } = each;
  return {
    canCancel: whyNotCancelled(operator, each) === undefined,
    what,
    decision: decision ? decisionToAnswer(decision) : null,
    digest: createHash('sha256')
      .update(JSON.stringify([job, id, state, at, what, decision?.origin?.at, retry?.origin?.at]))
      .digest('hex')
      .slice(0, 32),
  };
}

export interface SeenCancel extends CancelSubject {
  readonly digest: string;
}

export type CancelledSeen =
  | { readonly outcome: 'recorded'; readonly answer: CancelAnswer }
  /** Nothing is recorded: these are not as they were seen. `why`: what speaks against it, if anything. */
  | { readonly outcome: 'changed'; readonly changed: readonly { readonly id: string; readonly why: string }[] };

/** Throws OperatorError and StateError. */
export async function cancelSeen(
  operator: Operator,
  decider: Decider,
  seen: readonly SeenCancel[],
): Promise<CancelledSeen> {
  if (seen.length === 0) throw new OperatorError('invalid', 'nothing is ticked');
  const found = await readCancellables(operator, selectDeciding(operator.config, []), seen);
  const changed = seen.flatMap(({ id, digest }, index) => {
    const each = found[index];
    if (each && viewOf(operator, each).digest === digest && whyNotCancelled(operator, each) === undefined) return [];
    return [{ id, why: (each && whyNotCancelled(operator, each)) ?? 'it is not as you saw it' }];
  });
  if (changed.length > 0) return { outcome: 'changed', changed };
  return {
    outcome: 'recorded',
    answer: await recordCancels(
      operator,
      decider,
      found.filter((each) => each !== undefined),
    ),
  };
}
