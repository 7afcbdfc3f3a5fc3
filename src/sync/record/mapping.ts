// What one sync was told: its fields with their policies, and what to do when something is new, gone or too much.
import type { Kind } from '../value/kinds.ts';
import type { Side } from '../value/value.ts';

/** `to_sheet`: the CRM's word counts (M4). `to_crm`: sent, never read back (M4). */
export type Direction = 'both' | 'to_sheet' | 'to_crm';
/** M1. */
export type ConflictPolicy = 'manual' | 'crm' | 'sheet' | 'newest';
/** M3. */
export type BlankPolicy = 'sync' | 'ignore';

export interface Field {
  /** Stable while the mapping has it: the service's name, or `custom_fields.` and the custom field's. */
  readonly name: string;
  /** For people. */
  readonly header: string;
  readonly kind: Kind;
  readonly direction: Direction;
  readonly conflict: ConflictPolicy;
  readonly blank: BlankPolicy;
}

/** Fields whose values together say who somebody is, e.g. `['name', 'company_name']`. */
export type MatchKey = readonly string[];

export interface Limits {
  /** A count, or a share of the links at the start of the run (G2). */
  readonly deletes: Limit;
  readonly changes: Limit;
  readonly blanks: Limit;
  readonly creates: Limit;
}
export type Limit = { readonly count: number } | { readonly percent: number };

export interface EnrolmentRules {
  /** A wish is not carried out while one of these fields shows one of these texts (E4). */
  readonly unless: Readonly<Record<string, readonly string[]>>;
  readonly onClear: 'ignore' | 'cancel';
  readonly perHour: number;
}

export interface Mapping {
  /** The order in which values of a record are kept. Names are unique. */
  readonly fields: readonly Field[];
  /** I2, tried in order. */
  readonly match: readonly MatchKey[];
  readonly moveToList: boolean;
  readonly onRowDeleted: 'ignore' | 'restore' | 'cancel_automations' | 'delete_contact';
  readonly onContactDeleted: 'mark' | 'delete_row' | 'ignore';
  readonly limits: Limits;
  readonly settleMs: number;
  /** M1 `newest`: edits closer than this are not told apart. 60 s or two schedule intervals, the longer. */
  readonly newestMarginMs: number;
  readonly enrolment?: EnrolmentRules;
}

/** May this field be changed on that side at all? */
export function isWritable({ direction }: Field, side: Side): boolean {
  return direction === 'both' || direction === (side === 'crm' ? 'to_crm' : 'to_sheet');
}

/** `to_crm` fields are not given back by the service, or are not to be read (M4). */
export function isReadFromCrm({ direction }: Field): boolean {
  return direction !== 'to_crm';
}
