// The values sent to a pinned row, what is known of the moment of writing, and whether a cell shows them.
import { type CellData, cellValue, formulaText, isSameValue } from './grid.ts';
import type { PinnedRow, PinnedView } from './pinned-view.ts';
import type { PinnedPlan } from './pinned-write.ts';
import type { CellInput, CellValue, ColumnKey, RowChange } from '../port.ts';

/** A change to one row. */
export interface Sendable {
  readonly change: RowChange;
  /** All cells to set, including the ID cell. */
  readonly set: Readonly<Record<ColumnKey, CellInput>>;
}

/** The values sent to a pinned row, and the row as verified before. */
export interface SentRow extends PinnedPlan {
  readonly row: PinnedRow;
  readonly item: Sendable;
}

/** The row at the moment of writing, as the write's answer shows it; all unknown if the answer was lost. */
export interface AtWrite {
  /** Every column was at its place in the view. */
  readonly areInPlace: boolean;
  /** Physical column by mark, if it shows. */
  readonly columnByMark: ReadonlyMap<number, number>;
  /** Rows that were not the ones meant: their id at that moment, by pin. */
  readonly otherIdByPin: ReadonlyMap<number, string>;
}

/** The content of a cell before it was overwritten. A formula is restored as its text. */
export interface Before {
  readonly value: CellValue;
  readonly formula?: string | undefined;
}

/** A value that a write put into the wrong cell. */
export interface StrayValue {
  readonly pin: number;
  /** A mark of the column; undefined: the column is identified by `columnIndex`. */
  readonly mark: number | undefined;
  /** The place where it was found; -1: the column is not known. */
  readonly columnIndex: number;
  /** For people: `D17`. */
  readonly cell: string;
  readonly written: CellInput;
  /** Undefined: not known. The written value is removed all the same. */
  readonly before: Before | undefined;
  /**
   * `before` is what the row held whose other cells are here. Without `PinnedView.rowsById` it is not known whether this cell came
   * along.
   */
  readonly isLikely?: true;
}

/** The cell shows what was sent. A formula that people typed is not ours, a restored one is. */
export function isWritten(cell: CellData | undefined, value: CellInput): boolean {
  const formula = formulaText(cell);
  return formula === undefined ? isSameValue(cellValue(cell), sentValue(value)) : formula === value;
}

/** In the form in which it is stored. */
export function sentValue(value: CellInput): CellValue {
  return value === '' ? null : value;
}

/** If no column moved, every value went into its own cell. */
export function haveColumnsMoved(then: PinnedView, now: PinnedView): boolean {
  return (
    then.columnByMark.size !== now.columnByMark.size ||
    [...then.columnByMark].some(([mark, index]) => now.columnByMark.get(mark) !== index)
  );
}

/** The place of a column of one view in another, by its mark; unmarked columns count as unmoved. */
export function indexOfSame(then: PinnedView, now: PinnedView, columnIndex: number): number | undefined {
  const mark = markAt(then.columnByMark, columnIndex);
  return mark === undefined ? columnIndex : now.columnByMark.get(mark);
}

export function markAt(columnByMark: ReadonlyMap<number, number>, columnIndex: number): number | undefined {
  return [...columnByMark].find(([, index]) => index === columnIndex)?.[0];
}
