// V3: while merged cells cover IDs, no record gets another row because its row shows none: the new row may be covered as well,
// and each run would add one more.
import type { Snapshot } from '../../sheets/port.ts';
import { firstFew, problem } from '../../sync/change.ts';
import type { FeedPlan } from '../../sync/feed/feed.ts';
import { sheetCall } from '../read-calls.ts';
import type { FeedRun } from './context.ts';

/** One read, and only where rows are to be added and a row has no ID. */
export async function withoutCoveredRows(context: FeedRun, { rows }: Snapshot, plan: FeedPlan): Promise<FeedPlan> {
  const isDue = plan.changes.some(({ op }) => op === 'append') && rows.some(({ id }) => id === '');
  const covered = isDue ? await context.table.covered?.(sheetCall(context)) : undefined;
  if (!covered || covered.idRows.length === 0) return plan;
  const reason = `no row is added while merged cells cover IDs, from row ${firstFew(covered.idRows)} on: unmerge them`;
  return {
    ...plan,
    changes: plan.changes.filter(({ op }) => op !== 'append'),
    problems: [...plan.problems, problem('held', { row: covered.idRows[0]! }, 'V3', reason)],
  };
}
