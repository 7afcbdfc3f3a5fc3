// L12: what was done, as lines for the history: readable long after the records it speaks of are gone.
import type { HistoryLine, Json } from '../state/port.ts';
import type { Change } from '../sync/change.ts';
import type { Outcome } from '../sync/outcome.ts';
import type { JobContext, JobRun } from './job.ts';

interface Written extends Pick<JobRun, 'run'>, Pick<JobContext, 'now'> {
  /** Its name is the one the history is asked for by. */
  readonly config: { readonly name: string };
}

/** One line a field; one for a change without any. `more`: what else is known of a field. */
export function changeLines(
  { config, run, now }: Written,
  change: Change,
  outcome: Outcome,
  more: (field: string) => Readonly<Record<string, Json>> = () => ({}),
): readonly HistoryLine[] {
  const about = {
    time: new Date(now()).toISOString(),
    sync: config.name,
    run,
    side: change.side,
    op: change.op,
    contact: change.uuid ?? (outcome.kind === 'done' ? (outcome.contact?.uuid ?? null) : null),
    row: change.row,
    outcome: outcome.kind,
    ...('message' in outcome && { message: outcome.message }),
    ...('automation' in change && { automation: change.automation }),
    // One call did both (E2).
    ...(change.op === 'create' && change.enrol !== undefined && { enrolled: change.enrol }),
  };
  if (change.fields.length === 0) {
    return [{ ...about, field: null, before: null, after: null, rule: change.rule, reason: change.reason }];
  }
  return change.fields.map(({ field, before, after, rule, reason }) => {
    return { ...about, field, before: before ?? null, after, ...more(field), rule, reason };
  });
}
