// The settings of one sync: its fields with their policies, and what to do about new, deleted and too many records.
import type { Kind } from '../value/kinds.ts';
import type { Side } from '../value/value.ts';

/** `to_sheet`: only the CRM's value counts (M4). `to_crm`: sent, never read back (M4). */
export type Direction = 'both' | 'to_sheet' | 'to_crm';
/** M1. */
export const conflictPolicies = ['manual', 'crm', 'sheet', 'newest'] as const;
export type ConflictPolicy = (typeof conflictPolicies)[number];
/** M3. */
export const blankPolicies = ['sync', 'ignore'] as const;
export type BlankPolicy = (typeof blankPolicies)[number];

export interface Field {
  /**
   * The same as long as the field is mapped: the service's name, or `custom_fields.` and the name of the custom field.
   */
  readonly name: string;
  /** For people. */
  readonly header: string;
  readonly kind: Kind;
  readonly direction: Direction;
  readonly conflict: ConflictPolicy;
  readonly blank: BlankPolicy;
  /** The service takes it and never shows it, as it does with custom fields: nothing is concluded from its absence. */
  readonly isHidden?: true;
}

/** Fields whose values together identify a person, e.g. `['name', 'company_name']`. */
export type MatchKey = readonly string[];

export interface Limits {
  /** G2: a count, or a share of the links at the start of the run. */
  readonly deletes: Limit;
  readonly changes: Limit;
  readonly blanks: Limit;
  readonly creates: Limit;
}
export type Limit = { readonly count: number } | { readonly percent: number };

export interface EnrolmentRules {
  /** E4: a wish is not carried out while one of these fields shows one of these texts. */
  readonly unless: Readonly<Record<string, readonly string[]>>;
  readonly onClear: 'ignore' | 'cancel';
  readonly perHour: number;
}

export interface Mapping {
  /** Values of a record are stored in this order. Names are unique. */
  readonly fields: readonly Field[];
  /** I2: tried in this order. */
  readonly match: readonly MatchKey[];
  readonly moveToList: boolean;
  readonly onRowDeleted: 'ignore' | 'restore' | 'cancel_automations' | 'delete_contact';
  readonly onContactDeleted: 'mark' | 'delete_row' | 'ignore';
  readonly limits: Limits;
  readonly settleMs: number;
  /**
   * M1 `newest`: of two edits closer than this, neither is the newer one. 60 s or two schedule intervals, the longer of
   * the two.
   */
  readonly newestMarginMs: number;
  readonly enrolment?: EnrolmentRules;
}

/** Whether a run may change this field on that side. */
export function isWritable({ direction }: Field, side: Side): boolean {
  return direction === 'both' || direction === (side === 'crm' ? 'to_crm' : 'to_sheet');
}

/**
 * Whether the field is read from the CRM. The service does not give `to_crm` fields back, or they are not to be read
 * (M4).
 */
export function isReadFromCrm({ direction }: Field): boolean {
  return direction !== 'to_crm';
}
