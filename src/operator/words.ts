// The words of values and counts, in decisions and in terminals.
import type { Json } from '../state/port.ts';
import type { PlanCounts } from '../sync/input.ts';

/** A value for people: a blank is "", an unknown value is ?. */
export function valueText(value: Json | undefined): string {
  if (value === undefined) return '?';
  if (value === null) return '""';
  const text = JSON.stringify(value);
  return text.length > valueLengthMax ? `${text.slice(0, valueLengthMax)}…"` : text;
}

/** The same of a value that may not be known. */
export function knownText({ value, is_known: isKnown }: { readonly value: Json; readonly is_known: boolean }): string {
  return isKnown ? valueText(value) : 'not known';
}

/** A note of fifty thousand characters would hide the rest; `--json` has it whole. */
const valueLengthMax = 120;

/** Why a run took a decision up and nothing came of it. */
export function whyVoid(decision: string): string {
  if (decision === 'refuse') return 'that run was not held any more';
  if (decision === 'cancel') return 'it did not wait any more';
  if (decision === 'resolve')
    return 'a side held another value by then, a later decision took its place, or the column is only read or only sent now';
  if (decision === 'retry') return 'it was cancelled since, or its row was edited since, or it was done since';
  return 'the run was held again, or refused';
}

/** 1 change, 2 changes. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** "3 creates, 2 missing": the counts of a plan, without those that are zero. */
export function plannedText(counts: { readonly [Name in keyof PlanCounts]?: number | undefined }): string {
  return Object.entries({ ...counts })
    .flatMap(([what, count = 0]) => {
      if (count === 0) return [];
      return [what === 'missing' ? `${count} missing` : countText(count, what.replace(/s$/, ''))];
    })
    .join(', ');
}

/** `refused: no more seats`: a reason may begin with the kind itself, which is said once. */
export function problemText({ kind, reason }: { readonly kind: string; readonly reason: string }): string {
  return reason.startsWith(`${kind}: `) ? reason : `${kind}: ${reason}`;
}
