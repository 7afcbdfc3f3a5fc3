// The life of one contact in time order: changes, decisions, steps of enrolments, messages, and conflicts that are open.
import type { ConflictAnswer } from './answers/conflicts.ts';
import type { ChangeLine, DecisionLine } from './answers/history.ts';
import { lookAtConflicts } from './conflicts.ts';
import { readLinesPage } from './history.ts';
import type { Operator } from './operator.ts';
import type { PageQuery } from './paging.ts';

export type LifeEvent =
  | { readonly kind: 'line'; readonly time: string; readonly line: ChangeLine | DecisionLine }
  /** Open since then. */
  | { readonly kind: 'conflict'; readonly time: string; readonly conflict: ConflictAnswer };

export interface LifeLine {
  /** The latest first. */
  readonly events: readonly LifeEvent[];
  /** Cursor of what was before; null: this is all that the history has. */
  readonly next: string | null;
}

export interface LifeQuery {
  /** uuid. */
  readonly contact: string;
  /** The jobs whose conflicts are looked at. */
  readonly syncs: readonly string[];
  /** The jobs whose lines are read. With hundreds of jobs, to look at the history of each takes longer than all else. */
  readonly jobs: readonly string[];
}

/** Open conflicts stand on the first page. Throws OperatorError and StateError. */
export async function readLifeLine(
  operator: Operator,
  { contact, syncs, jobs }: LifeQuery,
  page: PageQuery,
): Promise<LifeLine> {
  const { lines, next } = await readLinesPage(operator, { contact, sync: jobs }, page, true);
  const isFirst = page.after === undefined;
  const conflicts = isFirst && syncs.length > 0 ? await lookAtConflicts(operator, { syncs, contact }) : [];
  const events: LifeEvent[] = [
    ...lines.map((line) => ({ kind: 'line' as const, time: line.time, line })),
    ...conflicts.map((conflict) => ({ kind: 'conflict' as const, time: conflict.since, conflict })),
  ];
  return { events: events.toSorted((a, b) => b.time.localeCompare(a.time)), next };
}
