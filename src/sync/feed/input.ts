// The input of the plan of a feed. Plain data.
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
  /** `''`: the row has none. */
  readonly id: string;
  /** In the order of the fields; undefined: the column was not found. */
  readonly cells: readonly (Cell | undefined)[];
  /** Names of the fields whose cell holds a formula. */
  readonly formulas: readonly string[];
}

/** What the controlled cell of an automation may ask for (E7). */
export type Wish = 'on' | 'off';

/** The stored note about a record that the feed wrote into the tab. */
export interface FeedLink {
  /**
   * The value of the controlled field that both sides were last seen to hold. Or what the cell was seen to hold, if that is no
   * wish, or none any more, and the cell has yet to be written.
   */
  readonly agreed?: Value;
  /** The value that was about to be written when the state was last saved. Found in the cell, it is no wish. */
  readonly writing?: Value;
  /**
   * E7: the wish of the cell for which a call was about to be made, until both sides are seen to agree again. If the cell
   * says something else, that was typed since, also where it is what was agreed on before.
   */
  readonly asked?: Wish;
  /** The service refused `asked`, and the cell could not be put back yet: it is not asked again. */
  readonly isRefused?: true;
  /** The answer of the service to the last wish. It stays until the record changes or another wish is made. */
  readonly said?: string;
  /** I4: contents of other rows with its ID that differed from the record when a run last looked. */
  readonly copies?: readonly string[];
  /** I4: nobody could tell then which of the rows was the record's: `copies` are the contents of all. */
  readonly isInDoubt?: true;
  /** G5: it was missing in a reading during which records came and went. */
  readonly isMissed?: true;
  /** G1: its row says that it is gone. An empty listing tells nothing new about it. */
  readonly isGone?: true;
}

/** The outcome of starting or stopping an automation. If it is done, the record in `records` has its new status. */
export type ControlAnswer = Extract<Outcome, { kind: 'done' | 'refused' | 'failed' | 'unknown' }>;

export interface FeedInput {
  readonly fields: readonly FeedField[];
  /** E7: the name of the field that people may set to on or off. */
  readonly controlled?: string;
  /** Each record once, in the order of the listing. */
  readonly records: readonly FeedRecord[];
  /**
   * `whole`: all records. `newest`: as many as were wanted, and there are more. `partial`: a missing record means
   * nothing.
   */
  readonly coverage: 'whole' | 'newest' | 'partial';
  /** Records came or went while they were listed. One such reading proves no absence, two in a row do. */
  readonly isDrifted: boolean;
  readonly rows: readonly FeedRow[];
  /** Names of fields whose column is not in the tab (W11). */
  readonly missing?: readonly string[];
  readonly links: ReadonlyMap<string, FeedLink>;
  readonly onGone: 'mark' | 'delete_row';
  /** For people: `automations`. */
  readonly what: string;
  /** G1: the number of missing records that a person approved. */
  readonly missingApproved?: number;
  /** By uuid: the outcomes of this run's wishes. */
  readonly answers: ReadonlyMap<string, ControlAnswer>;
}
