// What the plan of a feed is made from. Plain data.
import type { Outcome } from '../outcome.ts';
import type { Cell } from '../value/kinds.ts';
import type { Reading, Value } from '../value/value.ts';
import type { FeedField } from './value.ts';

export interface FeedRecord {
  readonly uuid: string;
  /** In the order of the fields. */
  readonly values: readonly Reading[];
}

export interface FeedRow {
  readonly number: number;
  /** `''`: none. */
  readonly id: string;
  /** In the order of the fields; undefined: the column was not found. */
  readonly cells: readonly (Cell | undefined)[];
  /** Names of the fields whose cell holds a formula. */
  readonly formulas: readonly string[];
}

/** What is remembered of a record that the feed has put into the tab. */
export interface FeedLink {
  /** The controlled field as both sides were last seen to hold it. */
  readonly agreed?: Value;
  /** It was about to be written when the state was last saved: found in the cell, it is nobody's wish. */
  readonly writing?: Value;
  /** What the service said to the last wish, until something else happens. */
  readonly said?: string;
  /** What other rows with its ID held, and the record did not, when a run last looked (I4). */
  readonly copies?: readonly string[];
  /** A reading during which records came and went did not have it (G5). */
  readonly isMissed?: true;
  /** Its row says that it is gone: an empty listing is no news of it (G1). */
  readonly isGone?: true;
}

/** What became of starting or stopping an automation; a record that was done is given as it is after it. */
export type ControlAnswer = Extract<Outcome, { kind: 'done' | 'refused' | 'failed' | 'unknown' }>;

export interface FeedInput {
  readonly fields: readonly FeedField[];
  /** Name of the field that people may set to on or off (E7). */
  readonly controlled?: string;
  /** Each once, in the order of the listing. */
  readonly records: readonly FeedRecord[];
  /** `whole`: all there are. `newest`: as many as were wanted, and there are more. `partial`: nothing is said of others. */
  readonly coverage: 'whole' | 'newest' | 'partial';
  /** Records came or went while they were listed: one such reading proves no absence, two in a row do. */
  readonly isDrifted: boolean;
  readonly rows: readonly FeedRow[];
  readonly links: ReadonlyMap<string, FeedLink>;
  readonly onGone: 'mark' | 'delete_row';
  /** For people: `automations`. */
  readonly what: string;
  /** Of how many records that are not listed any more somebody said that this is right (G1). */
  readonly missingApproved?: number;
  /** By uuid: what became of this run's wishes. */
  readonly answers: ReadonlyMap<string, ControlAnswer>;
}
