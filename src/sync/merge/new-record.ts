// Creates the missing half of a person: a row for a contact, a contact for a row.
import { type Change, type FieldChange, type Problem, problem } from '../change.ts';
import type { PlanInput } from '../input.ts';
import { isWritable } from '../record/mapping.ts';
import { type Packed, type RowRecord, unpack } from '../record/record.ts';
import type { RuleId } from '../rules.ts';
import { isTooLong, tooLong } from '../value/kinds.ts';
import { isBlank } from '../value/value.ts';
import type { PersonPlan } from './person-plan.ts';

/**
 * A row for a contact that has none, with every field that is not blank, may be shown and has its column in the tab. A column
 * that is lost keeps no contact from its row (L4), nor does one that a formula fills (V5).
 */
export function appendRow(
  { mapping, sheet }: Pick<PlanInput, 'mapping' | 'sheet'>,
  uuid: string,
  crm: Packed,
  rule: RuleId,
  reason: string,
): Pick<PersonPlan, 'changes' | 'problems'> {
  const values = unpack(crm);
  const fields: FieldChange[] = [];
  const problems: Problem[] = [];
  for (const [index, field] of mapping.fields.entries()) {
    const value = values[index];
    if (!isWritable(field, 'sheet') || value === undefined || isBlank(value)) continue;
    if (sheet.missing.includes(field.header) || sheet.computed?.includes(field.header)) continue;
    if (isTooLong(value))
      problems.push(problem('refused', { uuid, field: field.name }, 'V6', `${field.header}: ${tooLong}`));
    else fields.push({ field: field.name, before: null, after: value, rule, reason });
  }
  return { changes: [{ side: 'sheet', op: 'append', uuid, row: null, fields, rule, reason }], problems };
}

/**
 * A contact for a row that has none, with every field that is not blank and may be sent (I2). A contact that is only
 * moved here is not changed: it is merged like any other once it is here.
 */
export function createContact(
  { mapping }: Pick<PlanInput, 'mapping'>,
  row: RowRecord,
  moves?: string,
): Extract<Change, { op: 'create' }> {
  const values = unpack(row.values);
  const reason = moves === undefined ? 'new in the sheet' : 'moved here from another list';
  const fields = mapping.fields.flatMap((field, index): FieldChange[] => {
    const value = values[index];
    const isSent = moves === undefined && isWritable(field, 'crm') && value !== undefined && !isBlank(value);
    return isSent ? [{ field: field.name, before: null, after: value, rule: 'I2', reason }] : [];
  });
  return {
    side: 'crm',
    op: 'create',
    uuid: moves ?? null,
    row: row.number,
    fields,
    rule: 'I2',
    reason,
    key: row.values,
    ...(moves !== undefined && { moves }),
  };
}
