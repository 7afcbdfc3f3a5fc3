// The changes of the sheet once the service has answered (W1, W2, M5): new uuids, stored forms, computed values, and the
// planned changes.
import { type Change, compareRecords, type FieldChange, problemId } from '../change.ts';
import { confirmCrm } from './confirm.ts';
import type { PlanInput } from '../input.ts';
import { isSame, isStoredForm } from '../value/kinds.ts';
import { isReadFromCrm } from '../record/mapping.ts';
import type { Outcomes } from '../outcome.ts';
import type { Plan } from '../plan.ts';
import { createStateMerge, type RecordState, withoutEmptied } from './record-state.ts';

const storedForm = { rule: 'M5', reason: 'as the service stored it' } as const;

/** All changes of the sheet, in order: the planned ones, and those that follow from the answers of the service. */
export function planSheetChanges(input: PlanInput, plan: Plan, outcomes: Outcomes): readonly Change[] {
  const { states } = confirmCrm(input, plan, outcomes);
  const sent = new Set<string>();
  for (const [change, outcome] of outcomes) {
    if (change.op !== 'create' && change.op !== 'update') continue;
    const uuid = outcome.kind === 'done' ? outcome.contact?.uuid : change.uuid;
    for (const { field } of change.fields) sent.add(`${uuid} ${field}`);
  }
  const decided = decidedCells(input, plan);
  const mergeState = createStateMerge(input);
  const followUps = [...states.values()].flatMap((state) => {
    const asDecided = (decided.get(state.uuid) ?? []).flatMap(
      (change) => decidedCell(input, state, sent, change) ?? [],
    );
    const toSheet = withoutEmptied(state, mergeState(state).toSheet);
    // S8: what was changed in the contact before the undo waits for the next run, which plans and counts it.
    const following = plan.isUndo ? toSheet.filter(({ field }) => state.computed.includes(field)) : toSheet;
    return setAfter(state, sent, following, asDecided) ?? [];
  });
  const others = plan.changes.filter(
    ({ side, op, uuid }) => side === 'sheet' && !(op === 'set' && states.has(uuid ?? '')),
  );
  return [...followUps, ...others].toSorted(bySheetOrder);
}

/** By uuid: cells of the plan that a person decided about. No merge would plan them (M1, S4). */
function decidedCells({ requests }: PlanInput, plan: Plan): ReadonlyMap<string, readonly FieldChange[]> {
  const sets = plan.changes.flatMap((change) => (change.op === 'set' && change.uuid !== null ? [change] : []));
  return new Map(
    sets.map(({ uuid, fields }): [string, readonly FieldChange[]] => [
      uuid!,
      fields.filter(({ field, rule }) => rule === 'S4' || requests.resolve.has(problemId(uuid, null, field))),
    ]),
  );
}

function setAfter(
  state: RecordState,
  sent: ReadonlySet<string>,
  toSheet: readonly FieldChange[],
  asDecided: readonly FieldChange[],
): Change | undefined {
  const merged = toSheet.map((change): FieldChange => {
    const isAsStored = sent.has(`${state.uuid} ${change.field}`) && !state.replaced.includes(change.field);
    return isAsStored ? { ...change, ...storedForm } : change;
  });
  const fields = [...merged.filter(({ field }) => !asDecided.some((change) => change.field === field)), ...asDecided];
  const needsId = state.row.id !== state.uuid;
  // I4: the ID does not tell the row from its copy.
  if (state.copies.length > 0 || (fields.length === 0 && !needsId)) return undefined;
  return {
    side: 'sheet',
    op: 'set',
    uuid: state.uuid,
    row: state.row.number,
    fields,
    rule: needsId ? 'I1' : (fields[0]?.rule ?? 'merge'),
    reason: needsId ? 'the contact of this row' : (fields[0]?.reason ?? ''),
    ...(needsId && { id: state.uuid }),
  };
}

/**
 * The decided value in the form in which the service stored it (M5). If the service stored another value, the cell stays
 * as it is.
 */
function decidedCell(
  { mapping: { fields } }: PlanInput,
  { uuid, crm }: RecordState,
  sent: ReadonlySet<string>,
  change: FieldChange,
): FieldChange | undefined {
  const index = fields.findIndex(({ name }) => name === change.field);
  const field = fields[index];
  if (!field || !isReadFromCrm(field) || !sent.has(`${uuid} ${change.field}`)) return change;
  const { [index]: stored } = crm;
  if (stored === undefined || !isStoredForm(field.kind, stored, change.after)) return undefined;
  return isSame(field.kind, stored, change.after) ? change : { ...change, after: stored, ...storedForm };
}

const sheetOrder = ['set', 'append', 'remove'];

function bySheetOrder(a: Change, b: Change): number {
  return sheetOrder.indexOf(a.op) - sheetOrder.indexOf(b.op) || compareRecords(a, b);
}
