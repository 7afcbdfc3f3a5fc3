// Deletes wait until related creates and updates have succeeded (D5).
import { lastSeen } from '../record/base.ts';
import { type Change, type Problem, problem } from '../change.ts';
import type { PlanInput } from '../input.ts';
import { compileKeys } from '../record/keys.ts';
import type { Outcomes } from '../outcome.ts';
import type { Plan } from '../plan.ts';
import { unpack } from '../record/record.ts';
import type { Reading } from '../value/value.ts';

export interface DueDeletes {
  readonly changes: readonly Change[];
  /** For deletes that wait for the next run. */
  readonly problems: readonly Problem[];
}

/**
 * The deletes that may be carried out now. Both pulls were whole, and every create and update of the same record, or of
 * one that shares a key with it, succeeded. `chosen`: the changes of the plan that are to be carried out.
 */
export function findDueDeletes(
  input: PlanInput,
  plan: Plan,
  outcomes: Outcomes,
  chosen: readonly Change[] = plan.changes,
): DueDeletes {
  const deletes = chosen.filter(({ op }) => op === 'delete' || op === 'remove');
  if (deletes.length === 0) return { changes: [], problems: [] };
  if (input.crm.coverage === 'partial') {
    return { changes: [], problems: deletes.map((change) => postponed(change, 'the contacts were not all read')) };
  }
  const keys = compileKeys(input.mapping);
  const unfinished = plan.changes.filter(
    (change) => (change.op === 'create' || change.op === 'update') && outcomes.get(change)?.kind !== 'done',
  );
  // L7: the service says that a row of this run is the row of this contact, whatever was done about that row (I3).
  const answered = [...outcomes].flatMap(([{ op }, outcome]) =>
    op === 'create' && outcome.kind === 'done' && outcome.contact ? [outcome.contact.uuid] : [],
  );
  const openUuids = new Set([...unfinished.map(({ uuid }) => uuid), ...answered]);
  const openKeys = new Set(unfinished.flatMap((change) => keys.of(valuesAfter(input, plan, change))));
  // L7, E2: the service was not asked for these rows, and may have skipped one of them for the contact whose row is missing.
  const isAsked = unfinished.every((change) => change.op !== 'create' || change.enrol === undefined);
  const isHeldUp = (change: Change) =>
    (change.op === 'delete' && !isAsked) ||
    openUuids.has(change.uuid) ||
    keys.of(valuesOf(plan, change.uuid)).some((key) => openKeys.has(key));
  return {
    changes: deletes.filter((change) => !isHeldUp(change)),
    problems: deletes
      .filter(isHeldUp)
      .map((change) =>
        postponed(change, 'a change that shares a key with it, or that may be of its row, did not succeed'),
      ),
  };
}

function postponed({ uuid, row }: Change, why: string): Problem {
  return problem('held', { uuid, row }, 'D5', `is deleted later: ${why}`);
}

function valuesOf(plan: Plan, uuid: string | null): readonly Reading[] {
  const person = plan.people.get(uuid ?? '');
  if (typeof person?.contact === 'object') return unpack(person.contact.values);
  return person?.link ? unpack(lastSeen(person.link, 'crm')) : [];
}

function valuesAfter({ mapping }: PlanInput, plan: Plan, change: Change): readonly Reading[] {
  const before = valuesOf(plan, change.uuid);
  return mapping.fields.map(({ name }, index) => {
    const written = change.fields.find(({ field }) => field === name);
    return written ? written.after : before[index];
  });
}
