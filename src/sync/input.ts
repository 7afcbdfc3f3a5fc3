// What a plan is made from. Plain data: nothing here can be called.
import type { Base } from './base.ts';
import type { Ledger } from './ledger.ts';
import type { WishedAutomation } from './wish.ts';
import type { Mapping } from './mapping.ts';
import type { ContactRecord, RowRecord } from './record.ts';
import type { Value } from './value.ts';

/** One string a side that says which list, tab and account this is. Another one is another side (G1). */
export interface Identities {
  readonly crm: string;
  readonly sheet: string;
}

export interface CrmReading {
  /** In scope, in any order, possibly with repeats (I8). */
  readonly contacts: readonly ContactRecord[];
  /**
   * `whole`: every contact in scope. `changes`: those that changed; the others are as last seen. `partial`: some page
   * failed, so that the absent mean nothing (G5).
   */
  readonly coverage: 'whole' | 'changes' | 'partial';
  /** Contacts came or went while a whole scan went on: one such scan proves no absence, two in a row do (D3). */
  readonly isDrifted: boolean;
  /** For people: `list Prospects EMEA`. */
  readonly scope: string;
}

export interface SheetReading {
  readonly rows: readonly RowRecord[];
  /** Mapped headers that are there more than once, or contradict their anchor (W11, G1). */
  readonly doubled: readonly string[];
  /** Mapped headers that are neither found nor anchored (W11). */
  readonly missing: readonly string[];
}

/** What the service said when asked for one contact. */
export type ContactAnswer =
  | { readonly kind: 'gone' }
  | { readonly kind: 'here'; readonly contact: ContactRecord }
  /**
   * In another list, or the filter is not true of it: then moving it here does not help. `where` is for people, `contact`
   * for a row that has it moved here.
   */
  | {
      readonly kind: 'elsewhere';
      readonly uuid: string;
      readonly where: string;
      readonly isFiltered?: true;
      readonly contact?: ContactRecord;
    }
  | { readonly kind: 'unanswered'; readonly why: string };

/** What the service said when asked who has a row's identifiers. `several`: the first key that anybody has is no one's alone (I2). */
export type LookupAnswer = ContactAnswer | { readonly kind: 'several'; readonly uuids: readonly string[] };

/** Answers to the questions of an earlier plan over the same readings. */
export interface Answers {
  /** By uuid. */
  readonly contacts: ReadonlyMap<string, ContactAnswer>;
  /** By `rowKey` of a new row. */
  readonly lookups: ReadonlyMap<string, LookupAnswer>;
  /** By `KeyLookup.id`. `gone`: nobody has the key, in no list (I7). Left out: none was asked for. */
  readonly keys?: ReadonlyMap<string, ContactAnswer>;
}

export const noAnswers: Answers = { contacts: new Map(), lookups: new Map() };

/** What people decided by command since the last run. */
export interface Requests {
  /** By `problemId` of a field. */
  readonly resolve: ReadonlyMap<string, Resolution>;
  /** Ids of problems, uuids, or `row:N`. */
  readonly retry: ReadonlySet<string>;
  /** The counts of a held run that a person let through, once (G2). */
  readonly approved?: PlanCounts;
}

export const noRequests: Requests = { resolve: new Map(), retry: new Set() };

export type Resolution = { readonly use: 'crm' | 'sheet' } | { readonly value: Value };

/** What the guards count (G2). */
export interface PlanCounts {
  readonly creates: number;
  readonly changes: number;
  readonly blanks: number;
  readonly deletes: number;
  /** Known rows and contacts that were not found: tab or list emptied, or another one (G1). */
  readonly missing: number;
  /** First enrolments after the state was lost (E6). */
  readonly enrolments: number;
  /** Of an outbox whose state was lost: what it would send (P6). Left out: it is none. */
  readonly messages?: number;
}

export interface PlanInput {
  readonly mapping: Mapping;
  readonly base: Base;
  /** Of the state, if it has any; and of this run. */
  readonly identities: { readonly known?: Identities; readonly now: Identities };
  readonly crm: CrmReading;
  readonly sheet: SheetReading;
  readonly answers: Answers;
  readonly requests: Requests;
  readonly ledger: Ledger;
  /** Those that exist; undefined when they were not read this run. */
  readonly automations?: readonly WishedAutomation[];
  /** Why they were not read, where somebody wishes. */
  readonly automationsUnread?: string;
  /** For a name that nobody has, the most similar one that somebody has. */
  readonly nearestAutomations?: ReadonlyMap<string, string>;
  /** Epoch milliseconds on the service's clock. */
  readonly now: number;
  /** W10: false when a person asked for this run and waits for it. */
  readonly waitsToSettle: boolean;
}
