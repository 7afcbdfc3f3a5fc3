// The ending of a run of an outbox: status, counts and problems.
import type { Change, Problem } from '../../sync/change.ts';
import type { OutboxPlan } from '../../sync/outbox/outbox.ts';
import type { Outcome } from '../../sync/outcome.ts';
import type { HeldFact } from '../stored/facts.ts';
import { countRun, type Ending, nothingPlanned, statusOf } from '../report.ts';

/** `held`: the messages that `approve` lets through (P6). */
export function endingOf(
  { sent, unapproved }: OutboxPlan,
  problems: readonly Problem[],
  outcomes: ReadonlyMap<Change, Outcome>,
  held: HeldFact | undefined,
): Ending {
  return {
    status: statusOf([], problems),
    isFull: false,
    counts: countRun(sent, problems, outcomes),
    problems,
    holds: [],
    planned: { ...nothingPlanned, messages: unapproved },
    ...(held && { approvable: held.run }),
  };
}
