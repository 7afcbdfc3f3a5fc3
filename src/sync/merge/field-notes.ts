// The notes about one field that are stored from run to run: edits, conflicts, parked values and our last writes.
import type { FieldNote, Written } from '../record/base.ts';
import type { Field, Mapping } from '../record/mapping.ts';
import { isSame } from '../value/kinds.ts';
import { isBlank, otherSide, type Reading, type Side, type Value } from '../value/value.ts';
import type { FieldReadings } from './merge-field.ts';

/** Since when the sheet shows its present value, as long as that value is an edit (W10, M1). */
export function editNote(
  { kind, direction }: Field,
  { base, sheet }: FieldReadings,
  known: FieldNote | undefined,
  now: number,
): FieldNote['edit'] {
  if (direction === 'to_sheet' || sheet === undefined) return undefined;
  if (base === undefined ? isBlank(sheet) : isSame(kind, sheet, base)) return undefined;
  return known?.edit && isSame(kind, known.edit.value, sheet) ? known.edit : { value: sheet, since: now };
}

/** M1 `newest`: the side that was edited last. undefined: it cannot be told. */
export function newerSide(
  { newestMarginMs }: Mapping,
  updatedAt: number | undefined,
  edit: FieldNote['edit'],
): Side | undefined {
  if (updatedAt === undefined || edit === undefined) return undefined;
  const lead = updatedAt - edit.since;
  if (Math.abs(lead) < newestMarginMs) return undefined;
  return lead > 0 ? 'crm' : 'sheet';
}

/**
 * M7: the write would put the same value in the place of the same other value for the second time, with a write to the
 * other side in between. Then a person or program changes it back each time. A person who changes their mind twice writes
 * one side only. A column that only the CRM fills is put back twice before it is left alone (M4).
 */
export function isFlip({ kind }: Field, written: readonly Written[] = [], next: Written): boolean {
  const [first, last] = written;
  if (!first || !last || !isRepeat(first)) return false;
  return last.side === otherSide[next.side] || isRepeat(last);

  function isRepeat(earlier: Written): boolean {
    return (
      earlier.side === next.side &&
      isSame(kind, earlier.value, next.value) &&
      isSame(kind, earlier.replaced, next.replaced)
    );
  }
}

export function isStill(
  { kind }: Field,
  { crm, sheet }: FieldReadings,
  parked: NonNullable<FieldNote['parked']>,
): boolean {
  return isAlike(crm, parked.crm) && isAlike(sheet, parked.sheet);

  /** An unknown value counts as unchanged. */
  function isAlike(now: Reading, before: Reading): boolean {
    return now === undefined || isSame(kind, now, before);
  }
}

/** The base keeps its own form of an equal value: a change of form alone stores nothing (W9). */
export function agreedValue({ kind }: Field, base: Reading, value: Value): Reading {
  return isSame(kind, base, value) ? base : value;
}

/** The part of a note that stays while the field is not agreed. */
export function lastingNote(note: FieldNote | undefined, isRetried: boolean): FieldNote {
  const { edit: _edit, conflictSince: _conflict, parked: _parked, notStored, passedOn, sent, written } = note ?? {};
  const ours = { ...(passedOn && { passedOn }), ...(sent && { sent }) };
  return isRetried ? { ...ours } : { ...(notStored && { notStored }), ...ours, ...(written && { written }) };
}

export function agreedNote(note: FieldNote | undefined): FieldNote {
  return note?.written ? { written: note.written } : {};
}

export function noteOrNone(note: FieldNote): FieldNote | undefined {
  return Object.keys(note).length > 0 ? note : undefined;
}
