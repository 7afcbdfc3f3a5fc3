// Messages that wait for an approval: the ledger that would know them is missing (P6), or their yes moved to other rows (P8).
import { withRule } from '../rule-words.ts';
import { type Change, firstFew, type Problem } from '../../sync/change.ts';
import { movedColumnText } from '../../sync/guard/moved-column.ts';
import type { Facts } from '../stored/facts.ts';
import type { OutboxInput } from '../../sync/outbox/input.ts';
import type { OutboxPlan } from '../../sync/outbox/outbox.ts';
import { heldPlan } from '../held.ts';
import type { OutboxRun } from './context.ts';
import type { HeldFact } from '../stored/facts.ts';
import { nothingPlanned } from '../report.ts';
import type { Asking } from './questions.ts';

/** The run that `approve` names; undefined: nothing waits. */
export function heldMessages(
  known: Facts['held'],
  { run, config }: Pick<OutboxRun, 'run' | 'config'>,
  { unapproved, isTrusted, moved }: Pick<OutboxPlan, 'unapproved' | 'isTrusted' | 'moved'>,
): HeldFact | undefined {
  if (unapproved === 0) return undefined;
  const planned = { ...nothingPlanned, messages: unapproved };
  if (isTrusted) {
    const numbers = firstFew([...moved].toSorted((a, b) => a - b));
    const reasons = [withRule(movedColumnText(`"${config.headers.send}"`, numbers), 'P8')];
    // Of other rows it is another approval, as many as they are.
    const isSame = JSON.stringify(known?.reasons) === JSON.stringify(reasons);
    return heldPlan(isSame ? known : null, run, planned, reasons);
  }
  const rows = unapproved === 1 ? '1 row that says yes was' : `${unapproved} rows that say yes were`;
  return heldPlan(known, run, planned, [withRule(`${rows} there before the state`, 'P6')]);
}

/**
 * P6: the messages that an approval would let through. A message that is not sent even then says why, instead of "held".
 */
export async function previewApproval(
  asking: Asking,
  judged: OutboxInput,
  { unapproved, problems }: OutboxPlan,
): Promise<{ readonly problems: readonly Problem[]; readonly onceApproved: readonly Change[] }> {
  const { plan: approved } = await asking.until({ ...judged, approved: unapproved });
  const refusals = new Map(approved.problems.flatMap((each) => (each.kind === 'refused' ? [[each.id, each]] : [])));
  return {
    problems: problems.map((each) => refusals.get(each.id) ?? each),
    onceApproved: approved.due.map(({ change }) => change),
  };
}
