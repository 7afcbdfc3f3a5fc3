// The contract of one tab: it is read as rows, and there are three ways to change rows. `src/sync` imports nothing of it.
//
// Identity. A row is the id in its ID cell. `Row.number` is where the row was when it was read: good for telling a
// person, and used as the first guess of where to look, but every change is checked against id and cells at the row
// itself before anything is written (google-sheets protocol: pin, verify, write, check, unpin).
//
// Order. Rows come in the order of the tab. Outcomes come in the order of the changes they belong to.
//
// Errors. What concerns the whole call is a `SheetsError` (errors.ts), thrown by `read`, `ensure` and `tidy`. `update`,
// `append` and `remove` never throw one: what concerns single rows, and what befell the rows of a failed batch, is an
// outcome, so that nothing that did happen is lost from sight.
//
// Repeats. `read`, `ensure` and `tidy` may be repeated at will. `update` and `remove` may be repeated with a fresh
// snapshot. `append` may be repeated only for the rows whose outcome says so.
import type { SheetsError } from './errors.ts';

/** Stable name of a mapped column, the same for as long as the mapping has it. Not its header, not its letter. */
export type ColumnKey = string;

/** `#REF!`, `#N/A`, `Loading...`: a cell that cannot be read (V4). */
export interface CellError {
  readonly error: string;
}

/** A cell's own value, unformatted: dates are days since 1899-12-30. `null` is blank (V3). */
export type CellValue = string | number | boolean | null | CellError;

/** What may be written, always RAW: a string stays that string, whatever it looks like (V6). `''` clears the cell. */
export type CellInput = string | number | boolean;

/** How cells of a column that was created here are shown. Columns that people made keep their format. */
export type ColumnFormat = 'text' | 'number' | 'date' | 'date-time';

/** The key the ID column goes by wherever columns are named by key. No mapped column may use it. */
export type IdKey = '#id';

export interface ColumnSpec {
  readonly key: ColumnKey;
  /** Text of the header cell, compared without outer white space. */
  readonly header: string;
  readonly format: ColumnFormat;
  /** Holds words of the program's own, and nothing that is kept equal: its cells are not in `Row.packed`. */
  readonly isOwn?: true;
}

export interface TableSpec {
  /** Id or URL. */
  readonly spreadsheet: string;
  /** Title, or `gid:N`. */
  readonly tab: string;
  /** 1-based; rows above it are never looked at. */
  readonly headerRow: number;
  /** Header of the ID column. */
  readonly idHeader: string;
  /** Mapped and status columns, in the order in which missing ones are created. Keys are unique. */
  readonly columns: readonly ColumnSpec[];
  /** Names this sync's marks in the workbook; unique among all syncs that share it, and stable over restarts. */
  readonly owner: string;
}

/** What is worth remembering between processes: the tab's sheetId, so that a renamed tab is still the tab, and its size. */
export interface TableMemory {
  readonly sheetId: number;
  readonly rowCount: number;
  readonly columnCount: number;
  /** Index (from 0) of each column, the ID column included, when last seen. A hint, checked at every use. */
  readonly columnIndexByKey: Readonly<Record<ColumnKey, number>>;
}

/** W11: where a column is. `letter` is for people. A column that is not `found` has no cells in `Row.cells`. */
export type ColumnState =
  | { readonly kind: 'found'; readonly key: ColumnKey; readonly header: string; readonly letter: string }
  /** Its anchor is there under another header: it is read and written as ever, and `headerNow` wants a warning. */
  | {
      readonly kind: 'renamed';
      readonly key: ColumnKey;
      readonly header: string;
      readonly headerNow: string;
      readonly letter: string;
    }
  | { readonly kind: 'missing'; readonly key: ColumnKey; readonly header: string }
  /** More than one column could be it: same header twice, or header and anchor disagree. Never guessed. */
  | { readonly kind: 'doubled'; readonly key: ColumnKey; readonly header: string; readonly letters: readonly string[] };

export interface Row {
  /** 1-based row number at the time of reading. */
  readonly number: number;
  /** Text of the ID cell, `''` if blank. */
  readonly id: string;
  /**
   * By column key; a key is absent when its column was not found: unknown, not blank (V3). Taken apart anew at each asking:
   * who needs several of a row's cells asks once.
   */
  readonly cells: Readonly<Record<ColumnKey, CellValue>>;
  /**
   * The cells of all columns of the spec but its own ones, as the JSON text of an array in the order of the spec: a column
   * that was not found is `{}`, a `CellError` is itself. Rows with the same text hold the same.
   */
  readonly packed: string;
  /** `packed` is the text that the caller holds, by `ReadSettings.known`. */
  readonly isKnown: boolean;
  /** The cells of the spec's own columns alone, by key. */
  readonly own: Readonly<Record<ColumnKey, CellValue>>;
  /** Keys of the cells that hold a formula; their value is the formula's result. */
  readonly formulas: readonly ColumnKey[];
}

/**
 * One consistent view of the tab: header row and rows of the same instant. Where cells hold a formula, an error, or text
 * that looks like either, what they show was asked for by a second call, and the two agreed on these cells and their ids.
 */
export interface Snapshot {
  readonly title: string;
  /** Of everything in it, for `read({ unless })`; may be kept, but says nothing of any other table. */
  readonly fingerprint: string;
  /** Rows with an id or at least one mapped cell that is not blank, from below the header to the last such row. */
  readonly rows: readonly Row[];
  readonly columns: readonly ColumnState[];
  readonly idColumn: ColumnState;
  /** Marks of this owner that a crashed run, or a call that failed, left behind; `tidy` removes them. */
  readonly leftovers: number;
  /** Columns that were found by header and carry no anchor yet; `ensure` gives them one. */
  readonly unanchored: readonly ColumnKey[];
  readonly memory: TableMemory;
}

export interface RowChange {
  /** As read. The change is made only if the row still has this id and these cells. */
  readonly row: Row;
  readonly set: Readonly<Record<ColumnKey, CellInput>>;
  /** Also write this id into the row's ID cell. */
  readonly id?: string;
  /** The caller knows that the id is on several rows and means this one (I4). Without it such a row is not written. */
  readonly isKnownDuplicate?: true;
}

export type RefusalReason =
  | 'cell-too-long'
  | 'not-a-finite-number'
  | 'column-not-found'
  | 'protected'
  | 'no-id'
  | 'by-google';

/** What never gets as far as the wire, or is turned down whole. Nothing of the row was written. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  readonly columns: readonly ColumnKey[];
  /** For people. */
  readonly message: string;
}

/** The batch this row was in failed before anything of it was written. `error.retryable` says what to expect. */
export interface Failed {
  readonly kind: 'failed';
  readonly error: SheetsError;
}

/** A write went out and it could not be found out whether it was applied. Read again before anything else (W4). */
export interface Unknown {
  readonly kind: 'unknown';
  readonly error: SheetsError;
}

/** A value that this adapter put where another value belonged, because people moved cells in the very moment of writing. */
export interface Displaced {
  /** For people: `D17`. */
  readonly cell: string;
  readonly written: CellInput;
  /** What the cell held when it was last read; `undefined` if it was not. An edit between that and the write is not in it. */
  readonly before: CellValue | undefined;
  /** `before` was put back. If not, what was written was taken out again where that was possible. */
  readonly isRestored: boolean;
}

export type RowOutcome =
  /** `stored` is what the cells hold according to Google’s answer: normally what was sent. */
  | { readonly kind: 'written'; readonly stored: Readonly<Record<ColumnKey, CellValue>> }
  /** Same row, but a person changed one of its mapped cells since the snapshot: plan again (W3). */
  | { readonly kind: 'changed-meanwhile'; readonly columns: readonly ColumnKey[] }
  /** Rows moved since the snapshot and another one is in that place: plan again. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'row-gone' }
  | { readonly kind: 'duplicate-id' }
  /** Cells that were to be set hold a formula (V5); nothing of the row was written. */
  | { readonly kind: 'formula'; readonly columns: readonly ColumnKey[] }
  /** People moved columns or cells between the last check and the write (L1): plan again, and tell what happened. */
  | { readonly kind: 'displaced'; readonly cells: readonly Displaced[] }
  | Refused
  | Failed
  | Unknown;

export interface NewRow {
  readonly id: string;
  readonly set: Readonly<Record<ColumnKey, CellInput>>;
}

export type AppendOutcome =
  /** In the tab, by the answer or by reading back. Not to be repeated. */
  | { readonly kind: 'appended' }
  /** A row with this id is there already, or twice among the new ones. */
  | { readonly kind: 'duplicate-id' }
  /** Columns moved since the snapshot: nothing was appended; plan again. */
  | { readonly kind: 'moved' }
  /**
   * In the tab, not to be repeated; but these columns were deleted and others put in their place, both in the very
   * moment of appending, and the row's values for them stand in those others. Tell.
   */
  | { readonly kind: 'displaced'; readonly columns: readonly ColumnKey[] }
  | Refused
  | Failed
  | Unknown;

export type RemoveOutcome =
  | { readonly kind: 'removed' }
  | { readonly kind: 'changed-meanwhile'; readonly columns: readonly ColumnKey[] }
  | { readonly kind: 'moved' }
  | { readonly kind: 'row-gone' }
  | { readonly kind: 'duplicate-id' }
  /**
   * Somebody deleted the row and put another in its place, both in the very moment of deleting: the one that was at
   * `number` then is deleted too. Tell; only the sheet’s version history has it.
   */
  | { readonly kind: 'displaced'; readonly number: number }
  | Failed
  | Unknown;

export interface CallSettings {
  /** Cuts waiting and calls short (`aborted`). Rows whose write was in flight come back `unknown`; pins may be left over. */
  readonly signal?: AbortSignal;
  /**
   * From when on no batch of rows begins any more; one that is in flight is finished, and its pins are removed. Rows of
   * batches that did not begin come back `failed` with an `aborted` error: surely nothing of them was written.
   */
  readonly stop?: AbortSignal;
  /** Higher goes first in the budget’s queue; edits before scans. */
  readonly priority?: number;
}

export interface ReadSettings extends CallSettings {
  /** The text (`Row.packed`) that the caller holds of the row with this id: if the row has the same, it is kept once. */
  readonly known?: (id: string) => string | undefined;
}

export interface UnlessUnchanged {
  /** `Snapshot.fingerprint` of what the caller has; undefined if it has nothing. */
  readonly unless: string | undefined;
}

export interface Table {
  /**
   * Everything of the tab that is mapped. Costs one read, and a second one while mapped columns hold formulas, errors or
   * text that begins like one. The first read of a process costs two more, and another one without `memory`; a changed
   * header row costs one or two. While headers cannot be told apart by their text alone, every read costs one more. Tabs
   * beyond 2,000,000 mapped cells are read in chunks and checked.
   */
  read(settings?: ReadSettings): Promise<Snapshot>;

  /**
   * The same; but `'unchanged'`, at the price of the calls and hardly more, when Google answers to the byte what that
   * snapshot was made of, results of formulas included. Never at the first read of a process, nor when the header row was
   * looked at anew, since anchors and marks may be news then. A snapshot that equals the last one may still be given.
   */
  read(settings: ReadSettings & UnlessUnchanged): Promise<Snapshot | 'unchanged'>;

  /**
   * Anchors columns that carry no anchor yet, and creates those of `create` that are missing (the ID column always),
   * right of the last header, with header, number format and, for the ID column, hidden and protected with a warning.
   * One write, none when there is nothing to do. Read again afterwards.
   */
  ensure(snapshot: Snapshot, create: readonly ColumnKey[], settings?: CallSettings): Promise<void>;

  /** Sets cells of rows. For each batch of up to 1,000 rows and 2 MB: one read and three writes. */
  update(snapshot: Snapshot, changes: readonly RowChange[], settings?: CallSettings): Promise<readonly RowOutcome[]>;

  /**
   * Adds rows below the last row. For each batch of up to 1,000 rows and 2 MB: one write, and one read when its answer
   * was lost. One read more a call when header and anchors were last read more than 5 s ago; a routine `read` does not read
   * anchors. The mark that keeps a repeat from doubling the rows is removed by `clearMarks`, or by the next `update`;
   * that of a batch of which an earlier attempt may still arrive only by `tidy`, after the next full look.
   */
  append(snapshot: Snapshot, rows: readonly NewRow[], settings?: CallSettings): Promise<readonly AppendOutcome[]>;

  /** Deletes whole rows, with all that is in them. For each batch of up to 1,000 rows: one read and two writes. */
  remove(snapshot: Snapshot, rows: readonly Row[], settings?: CallSettings): Promise<readonly RemoveOutcome[]>;

  /**
   * Removes the marks that calls of this table left and need no more: one write, or none. Never throws for a failed call; what
   * remains counts as left over.
   */
  clearMarks(settings?: CallSettings): Promise<void>;

  /** Removes this owner’s leftover marks. One read, and one write if there are any. Returns how many there were. */
  tidy(settings?: CallSettings): Promise<number>;
}
