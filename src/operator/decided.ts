// Decisions of late: those that wait for a run, and what came of the others.
import type { DecisionLine } from './answers/history.ts';
import type { DecisionAnswer } from './answers/shared.ts';
import { decisionToAnswer } from './decide.ts';
import { readLogPage } from './history.ts';
import { readRequests } from '../engine/standing.ts';
import type { Operator } from './operator.ts';
import { selectAll } from './select.ts';

export interface Decided {
  /** Not in the history yet, oldest first. */
  readonly pending: readonly (DecisionAnswer & { readonly job: string })[];
  /** The latest first: the run that took each up, and whether anything came of it. */
  readonly done: readonly DecisionLine[];
}

export interface DecidedFilter {
  /** All jobs if none is named. */
  readonly names?: readonly string[];
  readonly kinds: readonly DecisionAnswer['decision'][];
  /** How far back decisions that are done with are shown, as `log --since` takes it. */
  readonly since: string;
}

/** Lines of decisions that are looked at for each outcome. */
const linesMax = 100;

/** Throws OperatorError and StateError. */
export async function readDecided(operator: Operator, { names = [], kinds, since }: DecidedFilter): Promise<Decided> {
  const jobs = selectAll(operator.config, names);
  const pending: (DecisionAnswer & { readonly job: string })[] = [];
  for (const [job, requests] of await readRequests(operator.store, jobs)) {
    pending.push(...requests.map((request) => ({ job, ...decisionToAnswer(request) })));
  }
  const sync = jobs.length === 1 ? jobs[0] : undefined;
  const done: DecisionLine[] = [];
  for (const outcome of ['taken', 'void']) {
    const { lines } = await readLogPage(operator, { sync, outcome, since }, { limit: linesMax });
    for (const line of lines) {
      if (!('decision' in line) || !jobs.includes(line.sync)) continue;
      if (!pending.some((each) => each.job === line.sync && tellsOf(line, each))) done.push(line);
    }
  }
  return {
    pending: pending.filter(({ decision }) => kinds.includes(decision)),
    done: done.filter(({ decision }) => kinds.includes(decision)).toSorted((a, b) => b.time.localeCompare(a.time)),
  };
}

/**
 * Whether the line tells of this decision of its job. A run writes the line first, and then marks the decision as done: until then it
 * waits, and another run may carry it out (L12).
 */
export function tellsOf(
  { id, by, decided_at: at }: DecisionLine,
  decision: Pick<DecisionAnswer, 'id' | 'by' | 'at'>,
): boolean {
  return decision.id === id && decision.by === by && decision.at === at;
}
