// The values of cells, as any spreadsheet gives and takes them. A part of the port (port.ts).

/** Stable name of a mapped column, the same as long as the mapping has it. Not its header, not its letter. */
export type ColumnKey = string;

/** `#REF!`, `#N/A`, `Loading...`: a cell that cannot be read (V4). */
export interface CellError {
  readonly error: string;
  /** It is blank because merged cells cover it, and nobody emptied it. */
  readonly isCovered?: true;
}

/**
 * A cell's own value, unformatted: dates are days since 1899-12-30. `null` is blank (V3). In a column of text, a number that
 * has a format is the text that the cell shows (V8).
 */
export type CellValue = string | number | boolean | null | CellError;

/** The values that may be written, always RAW: a string stays that string, whatever it looks like (V6). `''` clears the cell. */
export type CellInput = string | number | boolean;

/** The format of the cells in a column that the driver created. Columns that people made keep their format. */
export type ColumnFormat = 'text' | 'number' | 'date' | 'date-time';

/** The key the ID column goes by wherever columns are named by key. No mapped column may use it. */
export type IdKey = '#id';

/** One cell before its column is mapped. */
export interface PreviewCell {
  readonly value: CellValue;
  /** The value is the result of a formula. */
  readonly isFormula: boolean;
}
