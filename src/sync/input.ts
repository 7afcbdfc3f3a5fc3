// The input of a plan. Plain data without functions.
import type { Suspects } from './record/suspects.ts';
import type { Base } from './record/base.ts';
import type { Ledger } from './record/ledger.ts';
import type { Mapping } from './record/mapping.ts';
import type { ContactRecord, RowRecord } from './record/record.ts';
import type { Side, Value } from './value/value.ts';

/**
 * One string for each side. It says which list, tab and account the side is. A different string means another side (G1).
 */
export interface Identities {
  readonly crm: string;
  readonly sheet: string;
}

export interface CrmReading {
  /** Contacts in scope, in any order, possibly repeated (I8). */
  readonly contacts: readonly ContactRecord[];
  /**
   * `whole`: every contact in scope. `changes`: the contacts that changed; the others are as last seen. `partial`: a page
   * failed, so that a missing contact means nothing (G5).
   */
  readonly coverage: 'whole' | 'changes' | 'partial';
  /** Contacts came or went during a whole scan. One such scan proves no absence, two in a row do (D3). */
  readonly isDrifted: boolean;
  /** For people: `list Prospects EMEA`. */
  readonly scope: string;
  /** A filter leaves out contacts of that list. */
  readonly isFiltered?: true;
}

export interface SheetReading {
  readonly rows: readonly RowRecord[];
  /** Headers, those of our own columns too, that stand in several columns, or contradict their anchor (W11, G1). */
  readonly doubled: readonly string[];
  /** Those of them that stand once, and whose anchor is on another column. */
  readonly elsewhere?: readonly string[];
  /** Columns that leadsheet is to fill from now on, and that hold texts of people. Left out: none. */
  readonly taken?: readonly TakenColumn[];
  /** Mapped headers that are neither found nor anchored (W11). */
  readonly missing: readonly string[];
  /** V5: mapped headers whose cells a formula in another row fills. Left out: none. */
  readonly computed?: readonly string[];
}

export interface TakenColumn {
  readonly header: string;
  /** What leadsheet would fill it with, in the words of messages: `the statuses`. */
  readonly use: string;
  /** The option that names it. */
  readonly option: string;
  /** Numbers of the rows with such a text. */
  readonly rows: readonly number[];
}

/** The answer of the service when it is asked for one contact. */
export type ContactAnswer =
  | { readonly kind: 'gone' }
  | { readonly kind: 'here'; readonly contact: ContactRecord }
  /**
   * The contact is in another list, or the filter excludes it; then moving it here does not help. `where` is for people.
   * `contact`: for a row that has it moved here.
   */
  | {
      readonly kind: 'elsewhere';
      readonly uuid: string;
      readonly where: string;
      readonly isFiltered?: true;
      readonly contact?: ContactRecord;
    }
  /** `isRefused`: the service refuses this question, and will refuse it again. */
  | { readonly kind: 'unanswered'; readonly why: string; readonly isRefused?: true };

/**
 * The answer of the service when it is asked for the identifiers of a row. `several`: more than one contact has the first key that
 * any contact has (I2).
 */
export type LookupAnswer = ContactAnswer | { readonly kind: 'several'; readonly uuids: readonly string[] };

/** Answers to the questions of an earlier plan over the same readings. */
export interface Answers {
  /** By uuid. */
  readonly contacts: ReadonlyMap<string, ContactAnswer>;
  /** By `rowKey` of a new row. */
  readonly lookups: ReadonlyMap<string, LookupAnswer>;
  /** By `KeyLookup.id`. `gone`: no contact has the key, in any list (I7). Left out: no key was asked for. */
  readonly keys?: ReadonlyMap<string, ContactAnswer>;
}

export const noAnswers: Answers = { contacts: new Map(), lookups: new Map() };

/** Decisions that people made by command since the last run. */
export interface Requests {
  /** By `problemId` of a field. */
  readonly resolve: ReadonlyMap<string, Resolution>;
  /** Ids of problems, uuids, or `row:N`. */
  readonly retry: ReadonlySet<string>;
  /** The counts of a held run that a person approved, once (G2). */
  readonly approved?: PlanCounts;
  /** G2: what a run that was cut short was to do under that approval, as `countedKeys` says it. Nothing else is left of it. */
  readonly begun?: ReadonlySet<string>;
  /** What approvals of single records let through since the hold began (G6). */
  readonly letThrough?: LetThrough;
}

/** `links`: the links when the hold began. Shares are of these, so that deletions do not move the limit. */
export interface LetThrough {
  readonly counts: PlanCounts;
  readonly links: number;
}

export const noRequests: Requests = { resolve: new Map(), retry: new Set() };

/**
 * `seen`: what both sides held when the person decided. The decision is for these values: `use` means the value of that side
 * among them, and with other values nothing comes of it (M1). Left out: whatever the sides hold by then.
 */
export type Resolution = ({ readonly use: 'crm' | 'sheet' } | { readonly value: Value }) & {
  readonly seen?: Readonly<Record<Side, Value>>;
};

/** The numbers that the guards compare with the limits (G2). */
export interface PlanCounts {
  readonly creates: number;
  readonly changes: number;
  readonly blanks: number;
  readonly deletes: number;
  /** Known rows and contacts that were not found (G1): the tab or list was emptied, or it is another one. */
  readonly missing: number;
  /** First enrolments after the state was lost (E6), or wishes that moved to other rows (G1). */
  readonly enrolments: number;
  /** For an outbox whose state was lost, or in which a yes moved: the messages it would send (P6, P8). Left out for other jobs. */
  readonly messages?: number;
}

/** An automation of the service, as far as a wish needs to know it. */
export interface Automation {
  readonly uuid: string;
  readonly name: string;
  readonly status: string;
}

export interface PlanInput {
  readonly mapping: Mapping;
  readonly base: Base;
  /** `known`: of the state, if it has any. `now`: of this run. */
  readonly identities: { readonly known?: Identities; readonly now: Identities };
  readonly crm: CrmReading;
  readonly sheet: SheetReading;
  readonly answers: Answers;
  readonly requests: Requests;
  readonly ledger: Ledger;
  /** E5: the column of wishes was not one of the mapping in the last run: no cell of it was ever emptied. */
  readonly isWishColumnNew?: true;
  /** G1: what earlier runs held because cells had moved, and no run has seen in order since. Left out: nothing. */
  readonly suspects?: Suspects;
  /** All automations of the service; undefined when they were not read in this run. */
  readonly automations?: readonly Automation[];
  /** Why the automations were not read although a row has a wish. */
  readonly automationsUnread?: string;
  /** For a name that no automation has: the most similar name that one has. */
  readonly nearestAutomations?: ReadonlyMap<string, string>;
  /** Epoch milliseconds on the service's clock. */
  readonly now: number;
  /** W10: false when a person asked for this run and waits for it. */
  readonly waitsToSettle: boolean;
}
