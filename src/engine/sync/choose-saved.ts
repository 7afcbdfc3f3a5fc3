// Chooses the changes of a fresh plan that are equal to those of a saved plan (W3).
import type { Change, Problem } from '../../sync/change.ts';
import { problem } from '../../sync/change.ts';
import { soleKeyNames } from '../../sync/record/keys.ts';
import type { PlanInput } from '../../sync/input.ts';
import { createDoneCheck } from './already-done.ts';
import type { Choice } from './context.ts';
import { type AnyChange, changesByRecord, recordOf, recordText } from './records-of-plan.ts';
import { RunFailed } from '../errors.ts';
import { plainChange, type SavedPlan } from '../saved-plan.ts';
import type { Decided } from './decide.ts';

/** The changes that the person is shown: beside an approval of some records these are not the whole plan (G6). */
export function toSavedPlan(sync: string, run: string, isFull: boolean, { input, plan }: Decided): SavedPlan {
  return { sync, run, isFull, identities: input.identities.now, changes: plan.changes.map(plainChange) };
}

/**
 * Returns the changes of the fresh plan that are exactly as saved. All changes of a record are chosen together or not at
 * all. A saved change that the fresh plan does not have, or has differently, becomes a problem with its name, unless both
 * sides already are as it would make them.
 */
export function chooseSaved(saved: SavedPlan, changes: readonly Change[], input: PlanInput): Choice {
  const { crm, sheet } = input.identities.now;
  if (saved.identities.crm !== crm || saved.identities.sheet !== sheet) {
    throw new RunFailed(`the plan was made for another list or tab than ${saved.sync} has now: plan again`);
  }
  const wanted = changesByRecord(saved.changes);
  const found = changesByRecord(changes);
  const moved = new Set([...wanted.keys()].filter((key) => recordText(wanted.get(key)) !== recordText(found.get(key))));
  for (const key of entangled(wanted, moved, input)) moved.add(key);
  const isDone = createDoneCheck(input);
  const open = [...moved].filter((key) => found.has(key) || !isDone(wanted.get(key)!));
  return {
    changes: changes.filter((change) => wanted.has(recordOf(change)) && !moved.has(recordOf(change))),
    problems: open.map((key) => refusal(wanted.get(key)![0]!, found.get(key)?.[0])),
    alreadyDone: moved.size - open.length,
  };
}

/** Keys pass between contacts in an order (I7): if one key edit is left out, the others wait with it. */
function entangled(
  wanted: ReadonlyMap<string, readonly AnyChange[]>,
  moved: ReadonlySet<string>,
  { mapping }: PlanInput,
): readonly string[] {
  const keyNames = soleKeyNames(mapping);
  const editsKey = (changes: readonly AnyChange[]) =>
    changes.some(({ op, fields }) => op === 'update' && fields.some(({ field }) => keyNames.includes(field)));
  const editors = [...wanted].filter(([, changes]) => editsKey(changes)).map(([key]) => key);
  return editors.some((key) => moved.has(key)) ? editors : [];
}

function refusal({ uuid, row }: AnyChange, now: AnyChange | undefined): Problem {
  const reason = now
    ? 'not applied: it changed since the plan was made'
    : 'not applied: nothing is to be done for it any more, and it is not as the plan would have made it';
  return problem('held', { uuid, row: now?.row ?? row }, 'W3', reason);
}
