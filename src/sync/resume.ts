// Between the two pushes. W1, W2, M5: new uuids, stored forms and what the service computed go into the sheet together
// with the rest of the run.
import type { Change, FieldChange } from './change.ts';
import { confirmCrm } from './confirm.ts';
import type { PlanInput } from './input.ts';
import type { Outcomes } from './outcome.ts';
import type { Plan } from './plan.ts';
import { mergeState, type RecordState } from './record-state.ts';

/** All that is to go into the sheet, in order: as planned, and what follows from the service's answers. */
export function resume(input: PlanInput, plan: Plan, outcomes: Outcomes): readonly Change[] {
  const { states } = confirmCrm(input, plan, outcomes);
  const sent = new Set<string>();
  for (const [change, outcome] of outcomes) {
    if (change.op !== 'create' && change.op !== 'update') continue;
    const uuid = outcome.kind === 'done' ? outcome.contact?.uuid : change.uuid;
    for (const { field } of change.fields) sent.add(`${uuid} ${field}`);
  }
  const followUps = [...states.values()].flatMap((state) => setAfter(input, state, sent) ?? []);
  const others = plan.changes.filter(
    ({ side, op, uuid }) => side === 'sheet' && !(op === 'set' && states.has(uuid ?? '')),
  );
  return [...followUps, ...others].toSorted(bySheetOrder);
}

function setAfter(input: PlanInput, state: RecordState, sent: ReadonlySet<string>): Change | undefined {
  const fields = mergeState(input, state).toSheet.map((change): FieldChange => {
    const isStoredForm = sent.has(`${state.uuid} ${change.field}`);
    return isStoredForm ? { ...change, rule: 'M5', reason: 'as the service stored it' } : change;
  });
  const needsId = state.row.id !== state.uuid;
  if (fields.length === 0 && !needsId) return undefined;
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

const sheetOrder = ['set', 'append', 'remove'];
const rowsEnd = Number.MAX_SAFE_INTEGER;

function bySheetOrder(a: Change, b: Change): number {
  return sheetOrder.indexOf(a.op) - sheetOrder.indexOf(b.op) || (a.row ?? rowsEnd) - (b.row ?? rowsEnd);
}
