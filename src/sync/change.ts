// What a plan consists of. Plain data in a fixed order (L11), each with the rule that wants it (L12).
import type { RuleId } from './rules.ts';
import type { Reading, Side, Value } from './value/value.ts';

/** One field of a change: what is put in the place of what, and why. */
export interface FieldChange {
  readonly field: string;
  /** What the changed side holds now; undefined where it is not known. */
  readonly before: Reading;
  readonly after: Value;
  readonly rule: RuleId;
  readonly reason: string;
}

interface ChangeOf<Op extends string, ChangedSide extends Side> {
  readonly side: ChangedSide;
  readonly op: Op;
  /** null while the service has not given one. */
  readonly uuid: string | null;
  /** Row number at the time of reading; null when there is no row. */
  readonly row: number | null;
  readonly fields: readonly FieldChange[];
  /** Why the change as a whole; the fields have reasons of their own. */
  readonly rule: RuleId;
  readonly reason: string;
}

export type Change =
  /** A new row becomes a contact. `moves`: it is one already, in another list, and comes here (I2). */
  | (ChangeOf<'create', 'crm'> & { readonly key: string; readonly moves?: string; readonly enrol?: string })
  /**
   * `releases`: gives a key up so that another contact can take it; the next update sets the new one (I7). `restores`: puts
   * keys back, because not all could change hands; never planned, only carried out.
   */
  | (ChangeOf<'update', 'crm'> & { readonly releases?: true; readonly restores?: true })
  | ChangeOf<'delete', 'crm'>
  | (ChangeOf<'enrol', 'crm'> & { readonly automation: string })
  /** `automation`: null is all of them. */
  | (ChangeOf<'cancel', 'crm'> & { readonly automation: string | null })
  /** A message or e-mail to the contact `uuid`; `to` and `from` are for people. */
  | (ChangeOf<'send', 'crm'> & { readonly to: string; readonly from: string })
  | ChangeOf<'append', 'sheet'>
  /** `id`: also write this uuid into the ID cell. */
  | (ChangeOf<'set', 'sheet'> & { readonly id?: string })
  | ChangeOf<'remove', 'sheet'>;

export type ChangeOp = Change['op'];

/** The order in which a run carries changes out (W1, W2, D5); a changed wish is cancelled before the new one (E5). */
export const opOrder: readonly ChangeOp[] = [
  'create',
  'update',
  'cancel',
  'enrol',
  'send',
  'set',
  'append',
  'delete',
  'remove',
];

export type ProblemKind =
  /** M1: both sides changed; a person decides. */
  | 'conflict'
  /** Set aside: nothing is sent for it and nothing concluded from it. */
  | 'quarantined'
  /** Planned, and not done: a formula, a key somebody else holds, a policy. */
  | 'held'
  /** M6, M7. */
  | 'parked'
  /** V4. */
  | 'unreadable'
  /** V6, W5. */
  | 'refused'
  /** A call or a write that went wrong; the next run tries again. */
  | 'failed'
  /** W4: it may have happened. Reading tells, or a person has to look. */
  | 'unknown'
  /** L12, G5: a side was not read to its end; the counts are in the reason. Of no record. */
  | 'incomplete'
  /** W10, I2, E4: nothing is wrong, it is not time yet. */
  | 'waiting'
  /** D1, D3, D4: known, and left alone as configured. */
  | 'ignored';

/** L12: what a run did not do, and why. */
export interface Problem {
  readonly id: string;
  readonly kind: ProblemKind;
  readonly uuid: string | null;
  readonly row: number | null;
  readonly field: string | null;
  readonly rule: RuleId;
  /** A short sentence for people, without contact details: logs quote it. */
  readonly reason: string;
  /** Of a conflict: what differs. Contact details. */
  readonly values?: { readonly base: Reading; readonly crm: Reading; readonly sheet: Reading };
}

/** Stable from run to run: of a field, of a contact, or of a row that has no ID. */
export function problemId(uuid: string | null, row: number | null, field: string | null): string {
  const record = uuid ?? `row:${row ?? '?'}`;
  return field === null ? record : `${record}/${field}`;
}

export function problem(
  kind: ProblemKind,
  { uuid = null, row = null, field = null }: { uuid?: string | null; row?: number | null; field?: string | null },
  rule: RuleId,
  reason: string,
): Problem {
  return { id: problemId(uuid, row, field), kind, uuid, row, field, rule, reason };
}

/** What only the service can say, and the plan needs before it is final. */
export type Question =
  | { readonly kind: 'contact'; readonly uuid: string; readonly rule: RuleId }
  /** Is one of these identifiers somebody already? By `rowKey`; the values are in the order of the mapping. */
  | { readonly kind: 'lookup'; readonly key: string; readonly row: number; readonly values: readonly Reading[] }
  /** Who has this key, in any list (I7)? By `KeyLookup.id`; of the field of a linked contact that asks. */
  | {
      readonly kind: 'key';
      readonly key: string;
      readonly by: 'email' | 'network_id';
      readonly value: string;
      readonly uuid: string;
      readonly field: string;
    };

/** After every row: Infinity less Infinity would be no number. */
const rowsEnd = Number.MAX_SAFE_INTEGER;

interface OfRecord {
  readonly row: number | null;
  readonly uuid: string | null;
}

/** As they stand in the sheet, and then those without a row (L11). */
export function compareRecords(a: OfRecord, b: OfRecord): number {
  return (a.row ?? rowsEnd) - (b.row ?? rowsEnd) || compareTexts(a.uuid ?? '', b.uuid ?? '');
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** As many as a status cell holds. */
export function firstFew(items: readonly (string | number)[]): string {
  const shown = items.slice(0, 3).join(', ');
  return items.length > 3 ? `${shown} and ${items.length - 3} more` : shown;
}
