// The ending of a run of a sync: its status, counts and problems, and how much of its plan there was to do.
import type { Change, Problem } from '../../sync/change.ts';
import type { Base } from '../../sync/record/base.ts';
import type { Enrolled } from '../enrolment/enrol.ts';
import { countLinked, countRun, type Ending, statusOf } from '../report.ts';
import { lostColumn, lostOwnColumn, lostStatus, putBack } from '../columns.ts';
import type { Decided } from './decide.ts';
import type { Pulled } from './pull.ts';
import { resultKey, wishKey } from './shape.ts';

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

/** L12, W11. A plan that is not carried out has columns that a run would make first: they are not lost. */
function lostHeaders({ sheet, snapshot, toCreate = [] }: Pulled): readonly Problem[] {
  const own = snapshot.columns.flatMap(({ kind, key, header }) => {
    if (kind !== 'missing' || toCreate.includes(key)) return [];
    if (key === resultKey) return [lostOwnColumn(header, 'nothing is told there', putBack(header))];
    // E5: a blank cell takes a wish back.
    const remedy = 'Put the column back with its values: a blank cell takes a wish back';
    return key === wishKey ? [lostOwnColumn(header, 'no wish is read', remedy)] : [];
  });
  return [...sheet.missing.map(lostColumn), ...lostStatus(snapshot, toCreate), ...own];
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
