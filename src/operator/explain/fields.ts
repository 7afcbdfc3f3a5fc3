// Explains each field of a contact: the three values, the origin of the agreed one, what it replaced, and what is open.
import type { SyncConfig } from '../../config/config.ts';
import { createShape } from '../../engine/sync/shape.ts';
import type { StoredProblem } from '../../engine/stored/run.ts';
import type { Plan } from '../../sync/plan.ts';
import { type FieldNote, lastSeen, type Link } from '../../sync/record/base.ts';
import { type Field, isReadFromCrm } from '../../sync/record/mapping.ts';
import { unpack } from '../../sync/record/record.ts';
import { isSame } from '../../sync/value/kinds.ts';
import type { Reading, Side } from '../../sync/value/value.ts';
import type { ExplainedField, Known } from '../answers/explain.ts';
import { failuresOf, type Life, lostBy, originOf } from './origin.ts';

/** The explanation of each field, in the order of the fields. */
export type LiveValues = Readonly<Record<Side, readonly Reading[]>>;

export interface FieldsInput {
  readonly config: SyncConfig;
  readonly link: Link;
  readonly life: Life;
  readonly cellOf: (field: string | null) => string | undefined;
  readonly problems: readonly StoredProblem[];
  readonly plan: Plan;
  readonly live: LiveValues | undefined;
}

export function explainFields(input: FieldsInput): ExplainedField[] {
  const { config, link, life, cellOf, live } = input;
  const { fields } = createShape(config, 0).mapping;
  const [agreed, crm, sheet] = [link.agreed, lastSeen(link, 'crm'), lastSeen(link, 'sheet')].map(unpack);
  return fields.map((field, index) => {
    const readings = { agreed: agreed?.[index], crm: crm?.[index], sheet: sheet?.[index] };
    const history = { field: field.name, kind: field.kind, agreed: readings.agreed };
    return {
      field: field.name,
      header: field.header,
      cell: cellOf(field.name) ?? null,
      direction: field.direction,
      agreed: knownOf(readings.agreed),
      crm: knownOf(readings.crm),
      sheet: knownOf(readings.sheet),
      live: live ? { crm: knownOf(live.crm[index]), sheet: knownOf(live.sheet[index]) } : null,
      is_open: isOpen(input, field, readings),
      origin: originOf(history, life),
      lost: [...lostBy(history, life)],
      notes: [...notesOf(link.notes?.[field.name], readings.agreed), ...failuresOf(field.name, life)],
    };
  });
}

function knownOf(reading: Reading): Known {
  return reading === undefined ? { value: null, is_known: false } : { value: reading, is_known: true };
}

function isOpen(
  { problems, plan }: FieldsInput,
  field: Field,
  { agreed, crm, sheet }: Readonly<Record<'agreed' | Side, Reading>>,
): boolean {
  const differs = (side: Reading) => side !== undefined && !isSame(field.kind, side, agreed);
  return (
    problems.some((problem) => problem.field === field.name) ||
    plan.changes.some(({ fields }) => fields.some((each) => each.field === field.name)) ||
    (isReadFromCrm(field) && differs(crm)) ||
    differs(sheet)
  );
}

/** What is remembered of a field from run to run, as sentences. Without an agreed value, nobody need have edited the cell. */
function notesOf(note: FieldNote | undefined, agreed: Reading): readonly string[] {
  if (!note) return [];
  const { edit, conflictSince, notStored, parked, taken } = note;
  return [
    ...(conflictSince === undefined ? [] : [`in conflict since ${instantText(conflictSince)}`]),
    ...(edit && agreed !== undefined ? [`the cell was edited, seen since ${instantText(edit.since)}`] : []),
    ...(notStored ? [`the service did not store this value, ${notStored.times} times so far`] : []),
    ...(parked
      ? [
          parked.why === 'flips'
            ? 'parked: it changed back each time it was written'
            : 'parked: the service did not store it',
        ]
      : []),
    ...(taken ? [`another contact, ${taken.uuid}, has this key (${taken.where})`] : []),
  ];
}

function instantText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}
