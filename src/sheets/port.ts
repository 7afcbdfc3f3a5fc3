// The port of a spreadsheet. A driver opens tables; a table is one tab, read as rows; rows are changed in three ways.
//
// Identity. The id in its ID cell identifies a row. `Row.number` is the place of the row when it was read: for people,
// and as a first guess. Every change is checked against id and cells of the row itself before anything is written.
//
// Order. Rows come in the order of the tab. Outcomes come in the order of their changes.
// Errors. A failure of the whole call is a `SheetsError` (errors.ts), thrown by `inspect`, `checkMayWrite`, `read`,
// `ensure` and `tidy`. `update`, `append` and `remove` never throw one: failures of single rows, and of the rows of a
// failed batch, are outcomes, so that everything that did happen is reported.
//
// Repeats. `read`, `ensure` and `tidy` may be repeated at will. `update` and `remove` may be repeated with a fresh
// snapshot. `append` may be repeated only for the rows whose outcome says so.
//
// Files. cell.ts has the values of cells, outcome.ts what becomes of a change; both are parts of this port.
//
// Drivers. google/ is Google Sheets. test/sheets/contract has the same rules as tests, which every driver passes. A
// driver declares what it lacks in `SheetsCapabilities`. Calls that cost money or time are counted (`usage`).
import type { CellInput, CellValue, ColumnFormat, ColumnKey, PreviewCell } from './cell.ts';
import type { AppendOutcome, RemoveOutcome, RowOutcome } from './outcome.ts';

export type * from './cell.ts';
export type * from './outcome.ts';

export interface ColumnSpec {
  readonly key: ColumnKey;
  /** Text of the header cell, compared without outer white space. */
  readonly header: string;
  readonly format: ColumnFormat;
  /** Holds texts of the program: its cells are not synced, and not in `ReadSettings.knownText`. */
  readonly isOwn?: true;
}

export interface TableSpec {
  /** The id, or another text that `SheetAddresses.spreadsheetId` reads. */
  readonly spreadsheet: string;
  /** The title, or an `Inspection.reference`. */
  readonly tab: string;
  /** 1-based; rows above it are never read. */
  readonly headerRow: number;
  /** Header of the ID column. */
  readonly idHeader: string;
  /** Mapped and status columns, in the order in which missing ones are created. Keys are unique. */
  readonly columns: readonly ColumnSpec[];
  /** Names this sync's marks in the workbook; unique among all syncs that share it, and the same after restarts. */
  readonly owner: string;
}

/**
 * The memory of a driver between processes: plain JSON. Callers read `columnIndexByKey`; the rest is the driver's own. A
 * driver ignores memory of another driver.
 */
export interface TableMemory {
  /** Index (from 0) of each column that was found, including the ID column. A hint, checked at every use. */
  readonly columnIndexByKey: Readonly<Record<ColumnKey, number>>;
}

/** W11: the place of a column. `letter` is for people. A column that is not `found` has no cells in `Row.cells`. */
export type ColumnState =
  | { readonly kind: 'found'; readonly key: ColumnKey; readonly header: string; readonly letter: string }
  /**
   * Known by its anchor, under another header: it is read and written as usual, with a warning about `headerNow`. Only
   * if the driver has anchors (`hasColumnAnchors`).
   */
  | {
      readonly kind: 'renamed';
      readonly key: ColumnKey;
      readonly header: string;
      readonly headerNow: string;
      readonly letter: string;
    }
  | { readonly kind: 'missing'; readonly key: ColumnKey; readonly header: string }
  /** Several columns could be it: same header twice, or header and anchor disagree. Never guessed. */
  | { readonly kind: 'doubled'; readonly key: ColumnKey; readonly header: string; readonly letters: readonly string[] };

export interface Row {
  /** 1-based row number at the time of reading. */
  readonly number: number;
  /** Text of the ID cell, `''` if blank. */
  readonly id: string;
  /**
   * By column key; a missing key means that its column was not found: unknown, not blank (V3). A driver may parse the
   * cells at each access, so a caller that needs several of them reads this once.
   */
  readonly cells: Readonly<Record<ColumnKey, CellValue>>;
  /**
   * The text that `ReadSettings.knownText` gave for this row, if the driver compared it and found these cells in it.
   * Left out, or undefined: the caller compares `cells` itself.
   */
  readonly unchangedText?: string | undefined;
  /** The cells of the spec's own columns alone, by key. */
  readonly own: Readonly<Record<ColumnKey, CellValue>>;
  /** Keys of the cells that hold a formula, or that one in another cell fills; their value is the formula's result. */
  readonly formulas: readonly ColumnKey[];
}

/** One consistent view of the tab: header row and rows of the same instant. */
export interface Snapshot {
  readonly title: string;
  /**
   * Identifies the tab within its spreadsheet. It stays when the tab is renamed if the driver has tab ids
   * (`hasTabIds`).
   */
  readonly tabId: string;
  /** A digest of the whole snapshot, for `read({ unless })`. It may be stored, and applies to this table only. */
  readonly fingerprint: string;
  /** Rows with an id or at least one mapped cell that is not blank, from below the header to the last such row. */
  readonly rows: readonly Row[];
  readonly columns: readonly ColumnState[];
  readonly idColumn: ColumnState;
  /**
   * Columns that a formula of another row or of the header fills: a value in a new row would break it (V5). Left out: none, or
   * the driver has no formulas.
   */
  readonly computed?: readonly ColumnKey[];
  /** The texts of the header row, without blanks, mapped or not. */
  readonly headerTexts: readonly string[];
  /** Marks of this owner left by a crashed run, a failed call or a column that left the mapping; `tidy` removes them. 0 without marks. */
  readonly leftovers: number;
  /** Columns that were found by header and have no anchor yet; `ensure` gives them one. Empty without anchors. */
  readonly unanchored: readonly ColumnKey[];
  readonly memory: TableMemory;
  /**
   * For `Table.isAsRecalled`, in this process or another: it may be stored. A text of a few kilobytes without any cell but the
   * header. Left out: the driver cannot recognise this content by it.
   */
  readonly recall?: string;
}

export interface RowChange {
  /** The row as read. The change is made only if the row still has this id and these cells. */
  readonly row: Row;
  readonly set: Readonly<Record<ColumnKey, CellInput>>;
  /** An id to write into the row's ID cell as well. */
  readonly id?: string;
  /** The caller knows that several rows have the id and means this one (I4). Without it such a row is not written. */
  readonly isKnownDuplicate?: true;
}

export interface NewRow {
  readonly id: string;
  readonly set: Readonly<Record<ColumnKey, CellInput>>;
}

export interface CallSettings {
  /** Aborts waiting and calls (`aborted`). Rows whose write was in flight are `unknown`; pins may be left over. */
  readonly signal?: AbortSignal;
  /**
   * The instant after which no batch begins; a batch in flight is finished, and its pins are removed. Rows of batches
   * that did not begin are `failed` with an `aborted` error: nothing of them was written.
   */
  readonly stop?: AbortSignal;
  /**
   * Asked at the instant at which a call that writes is sent: the milliseconds that it may take, at most those given. It throws
   * if the call must not be sent, not even one of a batch in flight. Then the same holds as after `stop`.
   */
  readonly allowMs?: (timeoutMs: number) => number;
  /** Of a lease that can run out. Left out: there is no other holder. */
  readonly fence?: Fence;
  /** Calls of a higher priority leave the driver's queue first: edits before scans. */
  readonly priority?: number;
}

/**
 * After a holder of a later epoch began to write to this tab, what still arrives of an earlier one changes nothing, as far as
 * the driver can have that (docs/spreadsheet.md has the rest for Google Sheets).
 */
export interface Fence {
  /** Whole, from 1 on. */
  readonly epoch: number;
  /** Told when the tab was found to be a later holder's: nothing of the call, or of its rest, was written. */
  readonly overtaken: (byEpoch: number) => void;
}

export interface ReadSettings extends CallSettings {
  /**
   * The text that the caller keeps for the row with this id: the cells of all columns of the spec but its own ones
   * (`isOwn`), as the JSON of an array in the order of the spec, `{}` for a column that was not found. A driver that
   * compares it saves the caller a copy of each unchanged row (`Row.unchangedText`); a driver may also ignore it.
   */
  readonly knownText?: (id: string) => string | undefined;
}

export interface RemoveSettings extends CallSettings {
  /** A row stays if it has something in a column that is neither the ID column nor of the spec. */
  readonly onlyBare?: true;
}

export interface UnlessUnchanged {
  /** `Snapshot.fingerprint` of the caller's snapshot; undefined: it has none. */
  readonly unless: string | undefined;
}

/** V3: the cells that merged ones cover. They are blank, and nobody emptied them. */
export interface CoveredCells {
  /** `row` as `Row.number`, at the time of this reading. */
  isCovered(row: number, key: ColumnKey): boolean;
  /** The first row of each merge that covers ID cells of other rows. */
  readonly idRows: readonly number[];
}

/** One tab. The driver documents the cost of each call. */
export interface Table {
  /** Reads all mapped cells of the tab. */
  read(settings?: ReadSettings): Promise<Snapshot>;

  /**
   * The same; answers `'unchanged'`, which costs less, if nothing differs from that snapshot, including results of
   * formulas. A driver may also answer a snapshot that equals the last one.
   */
  read(settings: ReadSettings & UnlessUnchanged): Promise<Snapshot | 'unchanged'>;

  /**
   * Whether the tab has exactly the content of the snapshot with this `Snapshot.recall`, results of formulas included. It reads
   * the tab and compares, and makes no rows. `recall` has to come from a table with the same spec. False also if that is not
   * known. Throws what `read` throws.
   */
  isAsRecalled(recall: string, settings?: CallSettings): Promise<boolean>;

  /** Of the tab as it is now. Read it first. Left out: the driver has no merged cells. */
  covered?(settings?: CallSettings): Promise<CoveredCells>;

  /**
   * Anchors columns that have no anchor yet, and creates the missing ones of `create` (the ID column always), right of
   * the last header. Writes nothing when there is nothing to do. Read again afterwards.
   */
  ensure(snapshot: Snapshot, create: readonly ColumnKey[], settings?: CallSettings): Promise<void>;

  /** Sets cells of rows. */
  update(snapshot: Snapshot, changes: readonly RowChange[], settings?: CallSettings): Promise<readonly RowOutcome[]>;

  /** Adds rows below the last row of the snapshot; rows added below it since then move down. */
  append(snapshot: Snapshot, rows: readonly NewRow[], settings?: CallSettings): Promise<readonly AppendOutcome[]>;

  /** Deletes whole rows with all their cells. */
  remove(snapshot: Snapshot, rows: readonly Row[], settings?: RemoveSettings): Promise<readonly RemoveOutcome[]>;

  /**
   * Removes the marks of this table's calls that are no longer needed. Never throws for a failed call; remaining marks
   * count as left over. Does nothing without marks.
   */
  clearMarks(settings?: CallSettings): Promise<void>;

  /** Removes this owner’s leftover marks, and returns how many there were. */
  tidy(settings?: CallSettings): Promise<number>;
}

/** A tab before it is used: whether it exists, has its columns, and may be edited. */
export interface Inspection {
  readonly title: string;
  /** The `TableSpec.tab` that means this tab and no other; two inspections of one tab have the same. */
  readonly reference: string;
  /** Of the grid, blank rows included. */
  readonly rowCount: number;
  readonly columns: readonly ColumnState[];
  readonly idColumn: ColumnState;
  /** The texts of the header row, without blanks. */
  readonly headerTexts: readonly string[];
  /** Ranges over mapped columns that this account may not edit, for people. Empty if the driver has no protection. */
  readonly forbidden: readonly string[];
}

/** A spreadsheet before any tab of it is mapped. */
export interface SpreadsheetTabs {
  readonly title: string;
  /** In the order of the spreadsheet; at least one. */
  readonly tabs: readonly TabListed[];
}

export interface TabListed {
  readonly title: string;
  /** As `Inspection.reference`. */
  readonly reference: string;
  /** Of the grid, blank rows included. */
  readonly rowCount: number;
}

/** The capabilities of a driver. The contract tests check what happens without each. */
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

/** Calls started: since the process began, and in the last minute. A driver that makes no calls answers zeros. */
export interface SheetsUsage {
  readonly reads: number;
  readonly writes: number;
  readonly readsLastMinute: number;
  readonly writesLastMinute: number;
}

/**
 * Whether a spreadsheet may have changed since a mark, without reading it. It is a hint: it may be late, or never come, or come
 * without a change. Nothing may be concluded from it but that reading can wait (W14, W15).
 */
export interface Hints {
  /**
   * `mark` stands for the time of the call. Whoever reads the tab after the call may pass it as `since` later: a change after
   * that reading is then one since the mark. A mark may be stored, and used by another process. Never throws: without an
   * answer it says `unknown`, without a mark.
   */
  ask(spreadsheet: string, since: string | undefined, settings?: Pick<CallSettings, 'signal'>): Promise<Hint>;
  /** For `check`: undefined, or why this account gets no answer for that spreadsheet, for people. */
  whyNot(spreadsheet: string): Promise<string | undefined>;
  /** Calls started: since the process began, and in the last minute, of at most `perMinute`. They are none of `SheetsUsage`. */
  usage(): { readonly calls: number; readonly lastMinute: number; readonly perMinute: number };
}

export interface Hint {
  /** `unknown` also if `since` was left out. */
  readonly kind: 'unmoved' | 'moved' | 'unknown';
  readonly mark?: string;
}

/** All spreadsheets that one account can reach. */
export interface Sheets {
  /** The account that people share spreadsheets with, for messages. */
  readonly account: string;
  readonly capabilities: SheetsCapabilities;
  /** Makes no call. `memory` comes from an earlier snapshot of the same spec, of this process or another. */
  openTable(spec: TableSpec, memory?: TableMemory): Table;
  /** Lists the tabs of a spreadsheet. Throws what `Table.read` throws. */
  listTabs(spreadsheet: string, settings?: CallSettings): Promise<SpreadsheetTabs>;
  /**
   * The first `rowsMax` rows of a tab, from row 1 on, before its header is known. Blank rows and cells at the ends are
   * left out. Throws what `Table.read` throws.
   */
  preview(
    place: Pick<TableSpec, 'spreadsheet' | 'tab'>,
    rowsMax: number,
    settings?: CallSettings,
  ): Promise<readonly (readonly PreviewCell[])[]>;
  /** Inspects a tab as it is now, without reading its rows. Throws what `Table.read` throws. */
  inspect(spec: TableSpec, settings?: CallSettings): Promise<Inspection>;
  /**
   * Changes nothing. Throws a SheetsError if this account may only read (ReadOnlyShareError). Inspect the tab first.
   */
  checkMayWrite(spec: TableSpec, settings?: CallSettings): Promise<void>;
  usage(): SheetsUsage;
  /** Left out: the driver has none, or they are switched off. */
  readonly hints?: Hints;
}

/** The names of a spreadsheet and a tab in the configuration; needs no call. */
export interface SheetAddresses {
  /** The id of the spreadsheet that a text means; undefined: it means none. */
  spreadsheetId(text: string): string | undefined;
  /** The `TableSpec.tab` of the tab that an address of a spreadsheet shows; undefined: it names none. */
  tabIn(address: string): string | undefined;
  /** For a tab in the configuration: two texts with one key mean the same tab of a spreadsheet. */
  tabKey(tab: string): string;
}
