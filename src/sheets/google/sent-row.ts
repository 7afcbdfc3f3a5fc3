// What was sent to a pinned row, what is known of the moment it was written, and whether a cell shows it.
import { type CellData, cellValue, formulaText, isSameValue } from './grid.ts';
import type { PinnedRow, PinnedView } from './pinned-view.ts';
import type { PinnedPlan } from './pinned-write.ts';
import type { CellInput, CellValue, ColumnKey, RowChange } from '../port.ts';

/** A change to one row. */
export interface Sendable {
  readonly change: RowChange;
  /** All cells to set, the ID cell among them. */
  readonly set: Readonly<Record<ColumnKey, CellInput>>;
}

/** What was sent to a pinned row, and the row as verified before. */
export interface SentRow extends PinnedPlan {
  readonly row: PinnedRow;
  readonly item: Sendable;
}

/** What the write's answer tells of the moment of writing; nothing of it is known when the answer was lost. */
export interface AtWrite {
  /** Every column was where the view had it. */
  readonly areInPlace: boolean;
  /** Physical column by mark, as far as it shows. */
  readonly columnByMark: ReadonlyMap<number, number>;
  /** Rows that were not the ones they were meant for: their id at that moment, by pin. */
  readonly otherIdByPin: ReadonlyMap<number, string>;
}

/** What a cell held before it was hit. A formula is put back as its text. */
export interface Before {
  readonly value: CellValue;
  readonly formula?: string | undefined;
}

/** A value that a write put into a cell that it was not meant for. */
export interface StrayValue {
  readonly pin: number;
  /** A mark of the column; undefined for a column that is found by `columnIndex`. */
  readonly mark: number | undefined;
  /** Where it was when it was found; -1 when it is not known which column it was. */
  readonly columnIndex: number;
  /** For people: `D17`. */
  readonly cell: string;
  readonly written: CellInput;
  /** Undefined: not known. What was written is then taken out again all the same. */
  readonly before: Before | undefined;
}

/** The cell shows what was sent. A formula that people typed is none of ours, one that was put back is. */
export function isWritten(cell: CellData | undefined, value: CellInput): boolean {
  const formula = formulaText(cell);
  return formula === undefined ? isSameValue(cellValue(cell), sentValue(value)) : formula === value;
}

/** As it reads once it is stored. */
export function sentValue(value: CellInput): CellValue {
  return value === '' ? null : value;
}

/** Where no column moved, no value can have gone into another than its own. */
export function haveColumnsMoved(then: PinnedView, now: PinnedView): boolean {
  return (
    then.columnByMark.size !== now.columnByMark.size ||
    [...then.columnByMark].some(([mark, index]) => now.columnByMark.get(mark) !== index)
  );
}

/** Where a column of one view is in another, by its mark; unmarked columns are taken to stay. */
export function indexOfSame(then: PinnedView, now: PinnedView, columnIndex: number): number | undefined {
  const mark = markAt(then.columnByMark, columnIndex);
  return mark === undefined ? columnIndex : now.columnByMark.get(mark);
}

export function markAt(columnByMark: ReadonlyMap<number, number>, columnIndex: number): number | undefined {
  return [...columnByMark].find(([, index]) => index === columnIndex)?.[0];
}
