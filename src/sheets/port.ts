// The port to spreadsheets. A driver opens tables; a table is one tab, read as rows, and there are three ways to change rows.
//
// Identity. A row is the id in its ID cell. `Row.number` is where the row was when it was read: good for telling a person, and
// the first guess of where to look. Every change is checked against id and cells of the row itself before anything is written.
//
// Order. Rows come in the order of the tab. Outcomes come in the order of the changes they belong to.
//
// Errors. A failure of the whole call is a `SheetsError` (errors.ts), thrown by `inspect`, `checkMayWrite`, `read`, `ensure` and
// `tidy`. `update`, `append` and `remove` never throw one: what concerns single rows, and the rows of a failed batch, is an
// outcome, so that everything that did happen is reported.
//
// Repeats. `read`, `ensure` and `tidy` may be repeated at will. `update` and `remove` may be repeated with a fresh
// snapshot. `append` may be repeated only for the rows whose outcome says so.
//
// Drivers. google/ is Google Sheets. test/sheets/contract says the same as this file in tests, which every driver passes; what a
// driver cannot do it declares in `SheetsCapabilities`. Calls that people have to pay for or wait for are counted (`usage`).
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

/** How a driver with typed cells shows the cells of a column that it created. Columns that people made keep their format. */
export type ColumnFormat = 'text' | 'number' | 'date' | 'date-time';

/** The key the ID column goes by wherever columns are named by key. No mapped column may use it. */
export type IdKey = '#id';

export interface ColumnSpec {
  readonly key: ColumnKey;
  /** Text of the header cell, compared without outer white space. */
  readonly header: string;
  readonly format: ColumnFormat;
  /** Holds words of the program's own, and nothing that is kept equal: its cells are not in `ReadSettings.knownText`. */
  readonly isOwn?: true;
}

export interface TableSpec {
  /** The id, or what else `SheetAddresses.spreadsheetId` takes. */
  readonly spreadsheet: string;
  /** The title, or an `Inspection.reference`. */
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

/**
 * What a driver wants to be remembered between processes: plain JSON. Callers read `columnIndexByKey`; the rest is the driver's
 * own, and a driver takes memory that is not its own for none.
 */
export interface TableMemory {
  /** Index (from 0) of each column that was found, the ID column included. A hint, checked at every use. */
  readonly columnIndexByKey: Readonly<Record<ColumnKey, number>>;
}

/** W11: where a column is. `letter` is for people. A column that is not `found` has no cells in `Row.cells`. */
export type ColumnState =
  | { readonly kind: 'found'; readonly key: ColumnKey; readonly header: string; readonly letter: string }
  /**
   * Known by its anchor, under another header: it is read and written as ever, and `headerNow` wants a warning. Only where the
   * driver has anchors (`hasColumnAnchors`).
   */
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
   * By column key; a key is absent when its column was not found: unknown, not blank (V3). A driver may take the cells apart
   * anew at each access, so that a caller that needs several of them reads this once.
   */
  readonly cells: Readonly<Record<ColumnKey, CellValue>>;
  /**
   * The very text that `ReadSettings.knownText` gave for this row, where the driver compared it and found these cells in it.
   * Left out, or undefined: the caller compares `cells` itself.
   */
  readonly unchangedText?: string | undefined;
  /** The cells of the spec's own columns alone, by key. */
  readonly own: Readonly<Record<ColumnKey, CellValue>>;
  /** Keys of the cells that hold a formula; their value is the formula's result. */
  readonly formulas: readonly ColumnKey[];
}

/** One consistent view of the tab: header row and rows of the same instant. */
export interface Snapshot {
  readonly title: string;
  /** Names the tab among those of its spreadsheet. It outlives a new title where the driver has tab ids (`hasTabIds`). */
  readonly tabId: string;
  /** Of everything in it, for `read({ unless })`; may be kept, but says nothing of any other table. */
  readonly fingerprint: string;
  /** Rows with an id or at least one mapped cell that is not blank, from below the header to the last such row. */
  readonly rows: readonly Row[];
  readonly columns: readonly ColumnState[];
  readonly idColumn: ColumnState;
  /** Marks of this owner that a crashed run, or a call that failed, left behind; `tidy` removes them. 0 without marks. */
  readonly leftovers: number;
  /** Columns that were found by header and carry no anchor yet; `ensure` gives them one. Empty without anchors. */
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
  /** The spreadsheet refused it; the sentence is its own. */
  | 'by-spreadsheet';

/** Refused before it was sent, or turned down whole. Nothing of the row was written. */
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

/** A value that the driver put where another value belonged, because people moved cells in the very moment of writing. */
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
  /** `stored` is what the cells hold according to the answer: normally what was sent, as this driver's cells hold it. */
  | { readonly kind: 'written'; readonly stored: Readonly<Record<ColumnKey, CellValue>> }
  /** Same row, but a person changed one of its mapped cells since the snapshot: plan again (W3). */
  | { readonly kind: 'changed-meanwhile'; readonly columns: readonly ColumnKey[] }
  /** Rows moved since the snapshot and another one is in that place: plan again. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'row-gone' }
  | { readonly kind: 'duplicate-id' }
  /** Cells that were to be set hold a formula (V5); nothing of the row was written. Only where `hasFormulas`. */
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
   * moment of appending, and the row's values for them stand in those others. A person has to be told.
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
   * `number` then is deleted too, and a person has to be told: only the version history of the spreadsheet has it.
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
  /** Calls of a higher priority leave the driver's queue first: edits before scans. */
  readonly priority?: number;
}

export interface ReadSettings extends CallSettings {
  /**
   * The text by which the caller keeps the row with this id: the cells of all columns of the spec but its own ones (`isOwn`), as
   * the JSON of an array in the order of the spec, `{}` for a column that was not found. A driver that compares it saves the
   * caller a copy of each row that did not change (`Row.unchangedText`); a driver may also ignore it.
   */
  readonly knownText?: (id: string) => string | undefined;
}

export interface UnlessUnchanged {
  /** `Snapshot.fingerprint` of what the caller has; undefined if it has nothing. */
  readonly unless: string | undefined;
}

/** One tab. What each call costs is the driver's to say. */
export interface Table {
  /** Everything of the tab that is mapped. */
  read(settings?: ReadSettings): Promise<Snapshot>;

  /**
   * The same; but `'unchanged'`, which costs less, where nothing differs from that snapshot, results of formulas included. A
   * driver may answer a snapshot that equals the last one, always or now and then.
   */
  read(settings: ReadSettings & UnlessUnchanged): Promise<Snapshot | 'unchanged'>;

  /**
   * Anchors columns that carry no anchor yet, and creates those of `create` that are missing (the ID column always), right of
   * the last header. Nothing is written when there is nothing to do. Read again afterwards.
   */
  ensure(snapshot: Snapshot, create: readonly ColumnKey[], settings?: CallSettings): Promise<void>;

  /** Sets cells of rows. */
  update(snapshot: Snapshot, changes: readonly RowChange[], settings?: CallSettings): Promise<readonly RowOutcome[]>;

  /** Adds rows below the last row of the snapshot, which pushes down what has come below it since. */
  append(snapshot: Snapshot, rows: readonly NewRow[], settings?: CallSettings): Promise<readonly AppendOutcome[]>;

  /** Deletes whole rows, with all that is in them. */
  remove(snapshot: Snapshot, rows: readonly Row[], settings?: CallSettings): Promise<readonly RemoveOutcome[]>;

  /**
   * Removes the marks that calls of this table left and need no more. Never throws for a failed call; what remains counts as
   * left over. Does nothing without marks.
   */
  clearMarks(settings?: CallSettings): Promise<void>;

  /** Removes this owner’s leftover marks, and returns how many there were. */
  tidy(settings?: CallSettings): Promise<number>;
}

/** A tab before it is used: is it there, are its columns, may they be edited? */
export interface Inspection {
  readonly title: string;
  /** What `TableSpec.tab` may say to mean this tab and no other; two inspections of one tab have the same. */
  readonly reference: string;
  /** Of the grid, blank rows included. */
  readonly rowCount: number;
  readonly columns: readonly ColumnState[];
  readonly idColumn: ColumnState;
  /** What stands in the header row, without blanks. */
  readonly headerTexts: readonly string[];
  /** Ranges over mapped columns that this account may not edit, as people write them. Empty where nothing can be protected. */
  readonly forbidden: readonly string[];
}

/** What a driver can do. A contract test of what it cannot do says so, and tests what happens instead. */
export interface SheetsCapabilities {
  /** Cells may hold formulas. Without: `Row.formulas` is empty, and text that begins with `=` is text. */
  readonly hasFormulas: boolean;
  /** Numbers and booleans stay numbers and booleans. Without: each cell that is not blank is a string. */
  readonly hasTypedCells: boolean;
  /** After `ensure`, a column is known under another header. Without: it is `missing` until its header is back. */
  readonly hasColumnAnchors: boolean;
  /** A tab is known under another title, in the same process and by memory. Without: it is gone. */
  readonly hasTabIds: boolean;
}

/** Calls started: since the process began, and in the last minute. A driver that calls nobody answers zeros. */
export interface SheetsUsage {
  readonly reads: number;
  readonly writes: number;
  readonly readsLastMinute: number;
  readonly writesLastMinute: number;
}

/** All spreadsheets that one account can reach. */
export interface Sheets {
  /** The account that people share spreadsheets with, for messages. */
  readonly account: string;
  readonly capabilities: SheetsCapabilities;
  /** Makes no call. `memory` is that of an earlier snapshot of the same spec, from this process or another. */
  openTable(spec: TableSpec, memory?: TableMemory): Table;
  /** Looks at a tab as it is now, without reading its rows. Throws what `Table.read` throws. */
  inspect(spec: TableSpec, settings?: CallSettings): Promise<Inspection>;
  /** Changes nothing. Throws a SheetsError where this account may only read (ReadOnlyShareError). Inspect the tab first. */
  checkMayWrite(spec: TableSpec, settings?: CallSettings): Promise<void>;
  usage(): SheetsUsage;
}

/** How people name a spreadsheet and a tab in the configuration; told without a call. */
export interface SheetAddresses {
  /** The id of the spreadsheet that a text means; undefined where the text means none. */
  spreadsheetId(text: string): string | undefined;
  /** Of what a configuration says of a tab: two texts with one key surely mean the same tab of a spreadsheet. */
  tabKey(tab: string): string;
}
