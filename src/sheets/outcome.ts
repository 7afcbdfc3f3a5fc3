// What became of a change of one row. A part of the port (port.ts).
import type { CellInput, CellValue, ColumnKey } from './cell.ts';
import type { SheetsError } from './errors.ts';

export type RefusalReason =
  | 'cell-too-long'
  | 'not-a-finite-number'
  | 'column-not-found'
  | 'protected'
  | 'no-id'
  /** The spreadsheet refused it, with this sentence. */
  | 'by-spreadsheet';

/** Refused before it was sent, or refused whole. Nothing of the row was written. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  readonly columns: readonly ColumnKey[];
  /** For people. */
  readonly message: string;
}

/** The batch of this row failed before anything of it was written. `error.retryable` says whether a repeat may help. */
export interface Failed {
  readonly kind: 'failed';
  readonly error: SheetsError;
}

/** A write was sent and it is unknown whether it was applied. Read again before anything else (W4). */
export interface Unknown {
  readonly kind: 'unknown';
  readonly error: SheetsError;
}

/** A value that the driver put into the wrong cell, because people moved cells at the moment of writing. */
export interface Displaced {
  /** For people: `D17`. */
  readonly cell: string;
  readonly written: CellInput;
  /**
   * The content of the cell at its last reading; `undefined`: it was not read. An edit between that and the write is
   * missing.
   */
  readonly before: CellValue | undefined;
  /** `before` was restored. If not, the written value was removed if possible. */
  readonly isRestored: boolean;
}

export interface Written {
  readonly kind: 'written';
  /** What the cells hold by the answer: normally what was sent, in the form of this driver's cells. */
  readonly stored: Readonly<Record<ColumnKey, CellValue>>;
  /** The ID was sent, and by the answer its cell is blank, as one is that a merge covers. */
  readonly isIdHidden?: true;
}

export type RowOutcome =
  | Written
  /** Same row, but a person changed one of its mapped cells since the snapshot: plan again (W3). */
  | { readonly kind: 'changed-meanwhile'; readonly columns: readonly ColumnKey[] }
  /** Rows moved since the snapshot and another row is in that place: plan again. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'row-gone' }
  | { readonly kind: 'duplicate-id' }
  /** Cells to be set hold a formula (V5); nothing of the row was written. Only if `hasFormulas`. */
  | { readonly kind: 'formula'; readonly columns: readonly ColumnKey[] }
  /** People moved columns or cells between the last check and the write (L1): plan again, and report it. */
  | { readonly kind: 'displaced'; readonly cells: readonly Displaced[] }
  | Refused
  | Failed
  | Unknown;

export type AppendOutcome =
  /** In the tab, by the answer or by reading back. Not to be repeated. */
  | { readonly kind: 'appended' }
  /** The tab has a row with this id already, or the new rows have it twice. */
  | { readonly kind: 'duplicate-id' }
  /** Columns moved since the snapshot: nothing was appended; plan again. */
  | { readonly kind: 'moved' }
  /**
   * In the tab, not to be repeated. But at the moment of appending these columns were deleted and others put in their
   * place; the row's values are in those others. A person has to be told.
   */
  | { readonly kind: 'displaced'; readonly columns: readonly ColumnKey[] }
  | Refused
  | Failed
  | Unknown;

export type RemoveOutcome =
  | { readonly kind: 'removed' }
  | { readonly kind: 'changed-meanwhile'; readonly columns: readonly ColumnKey[] }
  /** With `onlyBare`: the row has something in these columns (letters), which the table does not know. It stays. */
  | { readonly kind: 'has-more'; readonly letters: readonly string[] }
  | { readonly kind: 'moved' }
  | { readonly kind: 'row-gone' }
  | { readonly kind: 'duplicate-id' }
  /**
   * A person deleted the row and put another one in its place at the moment of deleting. The row at `number` then is
   * deleted too. A person has to be told: only the version history of the spreadsheet has it.
   */
  | { readonly kind: 'displaced'; readonly number: number }
  | Failed
  | Unknown;
