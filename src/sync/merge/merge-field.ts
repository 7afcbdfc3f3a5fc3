// Decides about one field from three values: the table "Merge, one field" of docs/SPEC.md, with M1 to M4.
import { isSame } from '../value/kinds.ts';
import type { Field } from '../record/mapping.ts';
import type { RuleId } from '../rules.ts';
import { isBlank, otherSide, type Reading, type Side, type Value } from '../value/value.ts';

export interface FieldReadings {
  /** The value that both sides agreed on last; undefined if they never agreed. */
  readonly base: Reading;
  readonly crm: Reading;
  readonly sheet: Reading;
}

export type FieldDecision =
  /** Nothing to do and nothing to store: a side is unknown, or the change does not count. */
  | { readonly kind: 'leave' }
  /** Both sides hold `value`, which becomes the base. */
  | { readonly kind: 'agree'; readonly value: Value }
  /** `value` is written to `side`. */
  | {
      readonly kind: 'write';
      readonly side: Side;
      readonly value: Value;
      readonly rule: RuleId;
      readonly reason: string;
    }
  | { readonly kind: 'conflict'; readonly rule: RuleId; readonly reason: string };

const leave: FieldDecision = { kind: 'leave' };

/** `newer`: the side that was edited last, if that is known (M1). */
export function mergeField(field: Field, readings: FieldReadings, newer?: Side): FieldDecision {
  switch (field.direction) {
    case 'to_sheet':
      return mergeToSheet(field, readings);
    case 'to_crm':
      return mergeToCrm(field, readings);
    case 'both':
      return mergeBoth(field, readings, newer);
  }
}

function mergeBoth(field: Field, { base, crm, sheet }: FieldReadings, newer: Side | undefined): FieldDecision {
  if (crm === undefined || sheet === undefined) return leave;
  const { kind } = field;
  if (isSame(kind, crm, sheet)) return { kind: 'agree', value: crm };
  if (isSame(kind, crm, base)) return follow(field, 'sheet', { crm, sheet });
  if (isSame(kind, sheet, base)) return follow(field, 'crm', { crm, sheet });
  if (base === undefined && (isBlank(crm) || isBlank(sheet))) {
    const filled: Side = isBlank(crm) ? 'sheet' : 'crm';
    return write(otherSide[filled], { crm, sheet }[filled], 'merge', 'one side was blank');
  }
  return settleConflict(field, { base, crm, sheet }, newer);
}

/** Only the side `changed` differs from the base. */
function follow(field: Field, changed: Side, values: Readonly<Record<Side, Value>>): FieldDecision {
  const value = values[changed];
  if (isBlank(value) && field.blank === 'ignore') {
    return write(changed, values[otherSide[changed]], 'M3', `emptied in the ${name(changed)}, and blanks are ignored`);
  }
  const verb = isBlank(value) ? 'emptied' : 'changed';
  return write(otherSide[changed], value, isBlank(value) ? 'M3' : 'merge', `${verb} in the ${name(changed)}`);
}

function settleConflict(
  field: Field,
  { base, ...values }: Readonly<Record<Side, Value>> & { readonly base: Reading },
  newer: Side | undefined,
): FieldDecision {
  const { conflict, blank } = field;
  const valued = isBlank(values.crm) ? 'sheet' : isBlank(values.sheet) ? 'crm' : undefined;
  if (valued && (blank === 'ignore' || conflict === 'manual' || conflict === 'newest')) {
    const rule = blank === 'ignore' ? 'M3' : 'M2';
    return write(otherSide[valued], values[valued], rule, `changed in the ${name(valued)}, emptied in the other`);
  }
  const winner = conflict === 'newest' ? newer : conflict === 'manual' ? undefined : conflict;
  if (winner) {
    const reason = conflict === 'newest' ? `changed last in the ${name(winner)}` : `the ${name(winner)} wins conflicts`;
    return write(otherSide[winner], values[winner], isBlank(values[winner]) ? 'M2' : 'M1', reason);
  }
  return { kind: 'conflict', rule: 'M1', reason: whyConflict(base, conflict === 'newest') };
}

/** Of values that were never agreed on, as in a first sync, nobody need have edited one, and it is not known when. */
function whyConflict(base: Reading, isNewest: boolean): string {
  if (base !== undefined)
    return isNewest ? 'changed on both sides, too close in time to say which is newer' : 'changed on both sides';
  return isNewest
    ? 'each side holds another value, and which one is newer is not known: they never agreed on one'
    : 'each side holds another value, and they never agreed on one';
}

/** M4: the cell shows the CRM's value. An edit of the cell is overwritten. */
function mergeToSheet(field: Field, { base, crm, sheet }: FieldReadings): FieldDecision {
  if (crm === undefined || sheet === undefined) return leave;
  if (isSame(field.kind, crm, sheet)) return { kind: 'agree', value: crm };
  // M3: with `blank: ignore` an emptied contact does not empty the cell. If it was blank before, a person typed into the
  // cell.
  if (isBlank(crm) && !isBlank(base) && field.blank === 'ignore') return leave;
  const isEdited = base !== undefined && !isSame(field.kind, sheet, base);
  const isEditedOrOld = isEdited || (base === undefined && !isBlank(sheet));
  return isEditedOrOld
    ? write('sheet', crm, 'M4', 'only the CRM is read for this column')
    : write('sheet', crm, 'merge', 'changed in the CRM');
}

/** M4: sent when it differs from what was sent last. */
function mergeToCrm(field: Field, { base, sheet }: FieldReadings): FieldDecision {
  if (sheet === undefined || isSame(field.kind, sheet, base)) return leave;
  if (isBlank(sheet) && (base === undefined || field.blank === 'ignore')) return leave;
  return write('crm', sheet, 'M4', 'differs from what was last sent');
}

function write(side: Side, value: Value, rule: RuleId, reason: string): FieldDecision {
  return { kind: 'write', side, value, rule, reason };
}

function name(side: Side): string {
  return side === 'crm' ? 'CRM' : 'sheet';
}
