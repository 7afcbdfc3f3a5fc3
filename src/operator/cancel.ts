// Cancels enrolments and messages that are not done yet (E8, P7). One that was done, or may have been, is refused with the reason.
import type { CancelAnswer } from './answers/cancel.ts';
import { type Cancellable, findCancellable, readAgain, whyNotCancelled } from './cancellable.ts';
import { type Decider, type Decision, record } from './decide.ts';
import { OperatorError } from './errors.ts';
import type { Operator } from './operator.ts';
import { selectDeciding } from './select.ts';

export interface CancelRequest {
  /** `UUID/AUTOMATION`, `ann@firm.io/Welcome`, a contact with one wish that waits; of an outbox the ID of a row, or `row:17`. */
  readonly ids: readonly string[];
  readonly sync?: string | undefined;
}

/**
 * Records all that is named, or nothing. A cancel that is recorded before the intent of the call is stored wins; the answer says
 * which did (`outcome`). Throws OperatorError and StateError.
 */
export async function cancel(
  operator: Operator,
  decider: Decider,
  { ids, sync }: CancelRequest,
): Promise<CancelAnswer> {
  if (ids.length === 0)
    throw new OperatorError('invalid', 'name what is to be cancelled: leadsheet explain shows the ids');
  const jobs = selectDeciding(operator.config, sync === undefined ? [] : [sync]);
  const found: Cancellable[] = [];
  for (const id of ids) {
    const each = await findCancellable(operator, jobs, id);
    if (!found.some(({ job, id: known }) => job === each.job && known === each.id)) found.push(each);
  }
  for (const each of found) {
    const why = whyNotCancelled(operator, each);
    if (why !== undefined) throw new OperatorError('nothing', why);
  }
  return recordCancels(operator, decider, found);
}

/** `found`: each may be cancelled, as of the last look. Throws StateError. */
export async function recordCancels(
  operator: Operator,
  decider: Decider,
  found: readonly Cancellable[],
): Promise<CancelAnswer> {
  const { requests } = await record(operator, decider, found.map(toDecision));
  const cancels: CancelAnswer['cancels'] = [];
  for (const [index, each] of found.entries()) {
    // A run stores its intent before it looks for decisions, and this looks for the intent after the decision is stored: one of
    // the two sees the other.
    const now = await readAgain(operator, each);
    cancels.push({ ...requests[index]!, person: each.person, row: each.row, ...outcomeOf(operator, each, now) });
  }
  return { cancels };
}

function toDecision({ job, id, what, state, retry }: Cancellable): Decision {
  const text = retry ? `the retry of ${what} is cancelled` : `${what} is cancelled`;
  return { sync: job, request: { kind: 'cancel', id }, text, seen: { state } };
}

function outcomeOf(
  operator: Operator,
  { what, earlier, retry, state, at }: Cancellable,
  now: Cancellable,
): Pick<CancelAnswer['cancels'][number], 'outcome' | 'said'> {
  // No run has taken the retry up: nothing else is cancelled.
  if (retry && now.state === state && now.at === at) {
    return { outcome: 'cancelled', said: `the retry of ${what} is cancelled; it stays as it is: ${state}` };
  }
  if (earlier && now.state === earlier.state && now.at === earlier.at) {
    const before = `it stays as it was before it was asked for again: ${earlier.state}`;
    return { outcome: 'cancelled', said: `${what} is cancelled; ${before}` };
  }
  switch (now.state) {
    case 'waiting':
    case 'refused':
    case 'cancelled':
    case 'none':
      return { outcome: 'cancelled', said: `${what} is cancelled; the next run tells its row` };
    case 'intended':
      return {
        outcome: 'in doubt',
        said: `a call for ${what} began at the same time: leadsheet explain tells once the run has ended whether it was made`,
      };
    default:
      return { outcome: 'too late', said: whyNotCancelled(operator, now) ?? `too late: ${what} is done` };
  }
}
