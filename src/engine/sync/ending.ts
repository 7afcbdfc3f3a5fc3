// The ending of a run of a sync: its status, counts and problems, and how much of its plan there was to do.
import { type Change, type Problem, problem } from '../../sync/change.ts';
import type { Base } from '../../sync/record/base.ts';
import type { Enrolled } from '../enrolment/enrol.ts';
import { countLinked, countRun, type Ending, statusOf } from '../report.ts';
import type { Decided } from './decide.ts';
import type { Pulled } from './pull.ts';

/** The ending of a plan that is not carried out. */
export function plannedEnding({ plan, pulled }: Decided): Ending {
  const problems = [...problemsOfPull(pulled), ...plan.problems];
  return {
    status: statusOf(plan.holds, problems),
    isFull: pulled.isFull,
    counts: countRun(plan.linked, problems, new Map()),
    problems,
    holds: plan.holds,
    planned: plan.counts,
  };
}

/** The ending of a run that a guard holds: the links are unchanged. */
export function heldEnding(base: Base, { plan, pulled }: Decided): Ending {
  const problems = [...pulled.problems, ...plan.problems];
  return {
    status: statusOf(plan.holds, []),
    isFull: pulled.isFull,
    counts: countRun(countLinked(base), problems, new Map()),
    problems,
    holds: plan.holds,
    planned: plan.counts,
  };
}

/** L12: the parts that the run did not read, in front of the changes that it did not make. */
export function problemsOfPull(pulled: Pulled): readonly Problem[] {
  return [...pulled.problems, ...lostHeaders(pulled)];
}

/** L12, W11: a lost column is left alone, and the run did not do everything. */
function lostHeaders({ sheet }: Pulled): readonly Problem[] {
  return sheet.missing.map((header) =>
    problem('held', { field: header }, 'W11', `the header "${header}" is not in the tab: its field is left alone`),
  );
}

/**
 * Changes that a stopped run counts as done or left. The ID of a create's row is part of the create. A change that was read
 * again and held has a problem of its own.
 */
export function toDo({ changes }: Decided['plan'], inSheet: readonly Change[], { held }: Enrolled): readonly Change[] {
  const created = new Set(changes.flatMap(({ op, row }) => (op === 'create' ? [row] : [])));
  const ofPlan = changes.filter((change) => (change.side === 'crm' || change.op === 'remove') && !held.has(change));
  return [...ofPlan, ...inSheet.filter(({ op, row }) => !(op === 'set' && created.has(row)))];
}
