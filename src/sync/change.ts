// Changes, problems and questions: what a plan consists of. Plain data in a fixed order (L11). Each names its rule (L12).
import type { RuleId } from './rules.ts';
import type { Reading, Side, Value } from './value/value.ts';

/** One field of a change: the value before, the value after, and why. */
export interface FieldChange {
  readonly field: string;
  /** The value that the changed side holds now; undefined if it is not known. */
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
  /** A new row becomes a contact. `moves`: the contact exists in another list and is moved here (I2). */
  | (ChangeOf<'create', 'crm'> & { readonly key: string; readonly moves?: string; readonly enrol?: string })
  /**
   * `releases`: empties a key so that another contact can take it; the next update sets the new key (I7). `restores`:
   * puts keys back because not all of them could change hands; the run makes such changes, a plan never has one.
   */
  | (ChangeOf<'update', 'crm'> & { readonly releases?: true; readonly restores?: true })
  | ChangeOf<'delete', 'crm'>
  | (ChangeOf<'enrol', 'crm'> & { readonly automation: string })
  /** `automation`: null means all of them. */
  | (ChangeOf<'cancel', 'crm'> & { readonly automation: string | null })
  /** A message or e-mail to the contact `uuid`; `to` and `from` are for people. */
  | (ChangeOf<'send', 'crm'> & { readonly to: string; readonly from: string })
  | ChangeOf<'append', 'sheet'>
  /** `id`: also write this uuid into the ID cell. */
  | (ChangeOf<'set', 'sheet'> & { readonly id?: string })
  | ChangeOf<'remove', 'sheet'>;

export type ChangeOp = Change['op'];

/**
 * The order in which a run carries changes out (W1, W2, D5). The cancel of a changed wish comes before the new enrolment
 * (E5).
 */
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
  /** Planned and not done: the cell holds a formula, another contact holds the key, or a policy forbids it. */
  | 'held'
  /** M6, M7. */
  | 'parked'
  /** V4. */
  | 'unreadable'
  /** V6, W5. */
  | 'refused'
  /** A call or a write failed. The next run tries again. */
  | 'failed'
  /** W4: the write may have happened. The next reading tells, or a person has to look. */
  | 'unknown'
  /** L12, G5: a side was not read to its end. The reason has the counts. No record is named. */
  | 'incomplete'
  /** W10, I2, E4: nothing is wrong. The time has not come yet. */
  | 'waiting'
  /** D1, D3, D4, E4 (a veto): a known state that the configuration leaves alone. */
  | 'ignored';

/** L12: something that a run did not do, and why. */
export interface Problem {
  readonly id: string;
  readonly kind: ProblemKind;
  readonly uuid: string | null;
  readonly row: number | null;
  readonly field: string | null;
  readonly rule: RuleId;
  /** A short sentence for people, without contact details: logs quote it. */
  readonly reason: string;
  /** W5: what was refused is tried again by itself from then on, epoch milliseconds on the service's clock. */
  readonly retryAt?: number;
  /** Of a conflict: what differs. Contact details. */
  readonly values?: { readonly base: Reading; readonly crm: Reading; readonly sheet: Reading };
}

/** The same from run to run. It names a field, a contact, or a row that has no ID. */
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

/** Something only the service can say. The plan needs the answer before it is final. */
export type Question =
  | { readonly kind: 'contact'; readonly uuid: string; readonly rule: RuleId }
  /**
   * Does a contact with one of these identifiers exist? `key` is the `rowKey`; the values are in the order of the
   * mapping.
   */
  | { readonly kind: 'lookup'; readonly key: string; readonly row: number; readonly values: readonly Reading[] }
  /**
   * Which contact has this key, in any list (I7)? `key` is `KeyLookup.id`; `uuid` and `field` name the linked contact
   * that is to take it.
   */
  | {
      readonly kind: 'key';
      readonly key: string;
      readonly by: 'email' | 'network_id';
      readonly value: string;
      readonly uuid: string;
      readonly field: string;
    };

/** Sorts after every row. Infinity would not do: Infinity minus Infinity is no number. */
const rowsEnd = Number.MAX_SAFE_INTEGER;

interface OfRecord {
  readonly row: number | null;
  readonly uuid: string | null;
}

/** The order of the rows in the sheet, then the records without a row (L11). */
export function compareRecords(a: OfRecord, b: OfRecord): number {
  return (a.row ?? rowsEnd) - (b.row ?? rowsEnd) || compareTexts(a.uuid ?? '', b.uuid ?? '');
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** At most three items, which fit into a status cell, and the number of the others. */
export function firstFew(items: readonly (string | number)[]): string {
  const shown = items.slice(0, 3).join(', ');
  return items.length > 3 ? `${shown} and ${items.length - 3} more` : shown;
}
