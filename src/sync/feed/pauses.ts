// W5 for a feed: of its plan, what the spreadsheet may be asked for now.
import type { Stray } from '../record/base.ts';
import { pausedElsewhere, pauseRows, type RowPauses } from '../row-refusal.ts';
import type { FeedPlan } from './feed.ts';
import type { FeedInput } from './input.ts';

/** The plan without what waits, which is told instead; `strays`: what stays known of refusals. */
export function pauseFeed(
  { coverage, isDrifted, rows }: Pick<FeedInput, 'coverage' | 'isDrifted' | 'rows'>,
  plan: FeedPlan,
  pauses: RowPauses,
): { readonly plan: FeedPlan; readonly strays: ReadonlyMap<string, Stray> } {
  // F3: such a listing does not tell which records are gone.
  const isUnjudged = (uuid: string, row: number) =>
    (coverage === 'partial' || isDrifted) && rows.some(({ number, id }) => number === row && id === uuid);
  const { changes, problems, strays } = pauseRows(pauses, plan.changes, pausedElsewhere, isUnjudged);
  if (problems.length === 0) return { plan, strays };
  const waiting = new Set(problems.map(({ row }) => row));
  const statuses = new Map([...plan.statuses].filter(([row]) => !waiting.has(row)));
  return { plan: { ...plan, changes, problems: [...plan.problems, ...problems], statuses }, strays };
}
