// Finds values in wrong cells. If people move columns, or cells of a pinned row, between verify and write, values may
// land in other cells. The write's answer shows it; this file finds the overwritten cells and their former content.
//
// A cell counts as overwritten if it now holds a value that was sent to another cell of its row, and held something
// else when the row was verified. That verification has its former content; in a row other than the one meant, the
// snapshot has it (other-row.ts). A cell that a person changed since is left alone.
import { cellAddress, type CellData, cellValue, formulaText, isSameValue } from './grid.ts';
import { findStrayValuesInOtherRow } from './other-row.ts';
import type { PinnedRow, PinnedView } from './pinned-view.ts';
import type { Displaced, Snapshot } from '../port.ts';
import { idNow, isSameRowNow } from './same-row.ts';
import {
  type AtWrite,
  type StrayValue,
  haveColumnsMoved,
  indexOfSame,
  isWritten,
  markAt,
  type SentRow,
} from './sent-row.ts';

export function findStrayValues(
  snapshot: Snapshot,
  then: PinnedView,
  now: PinnedView,
  sent: SentRow,
  atWrite: AtWrite | undefined,
): StrayValue[] {
  const row = now.rowByPin.get(sent.pin);
  if (!row) return [];
  const otherId = atWrite ? atWrite.otherIdByPin.get(sent.pin) : otherIdNow(snapshot, then, now, sent, row);
  if (otherId !== undefined) return findStrayValuesInOtherRow(snapshot, then, now, sent, row, otherId, atWrite);
  return atWrite || haveColumnsMoved(then, now) ? findStrayValuesInRow(then, now, sent, row, atWrite) : [];
}

function otherIdNow(
  snapshot: Snapshot,
  then: PinnedView,
  now: PinnedView,
  sent: SentRow,
  row: PinnedRow,
): string | undefined {
  return isSameRowNow(snapshot, then, now, sent, row) ? undefined : idNow(now, sent.item, row);
}

/** The row is the right one; a value may be in the wrong column. */
export function findStrayValuesInRow(
  then: PinnedView,
  now: PinnedView,
  { pin, row, cells }: Omit<SentRow, 'item'>,
  rowNow: PinnedRow,
  atWrite: AtWrite | undefined,
): StrayValue[] {
  const sentValues = [...cells.values()];
  // Answers leave out trailing blank cells; an emptied cell may be one of them.
  const marked = [...now.columnByMark.values()].map((index) => index + 1);
  const width = Math.max(rowNow.cells.length, row.cells.length, ...marked);
  return Array.from({ length: width }, (_, index) => index).flatMap((columnIndex): StrayValue[] => {
    const cell = rowNow.cells[columnIndex];
    const mark = markAt(now.columnByMark, columnIndex);
    const indexThen = mark === undefined ? undefined : then.columnByMark.get(mark);
    const planned = indexThen === undefined ? undefined : cells.get(indexThen);
    if (planned !== undefined && isWritten(cell, planned)) return [];
    const before = indexThen === undefined ? undefined : row.cells[indexThen];
    const indexAtWrite = mark === undefined ? undefined : atWrite?.columnByMark.get(mark);
    const candidates = indexAtWrite === undefined ? sentValues : [cells.get(indexAtWrite)];
    const written = candidates.find((value) => value !== undefined && isWritten(cell, value));
    if (written === undefined || isSameCell(before, cell)) return [];
    const address = cellAddress(rowNow.rowIndex, columnIndex);
    const heldBefore = { value: cellValue(before), formula: formulaText(before) };
    return [{ pin, mark, columnIndex, cell: address, written, before: heldBefore }];
  });
}

function isSameCell(a: CellData | undefined, b: CellData | undefined): boolean {
  return formulaText(a) === formulaText(b) && isSameValue(cellValue(a), cellValue(b));
}

/** The overwritten cells, by the write's answer alone: for a row that was changed again before the next look. */
export function strayValuesByAnswer(then: PinnedView, { row, cells }: SentRow, { columnByMark }: AtWrite): Displaced[] {
  return [...cells].flatMap(([index, written]): Displaced[] => {
    const indexThen = then.columnByMark.get(markAt(columnByMark, index) ?? -1);
    if (indexThen === index) return [];
    const before = indexThen === undefined ? undefined : cellValue(row.cells[indexThen]);
    return [{ cell: cellAddress(row.rowIndex, index), written, before, isRestored: false }];
  });
}

/** Columns, of `then`, in which the row shows a sent value that it did not show before. */
export function shownColumns(then: PinnedView, now: PinnedView, { cells, row }: SentRow, rowNow: PinnedRow): number[] {
  return [...cells].flatMap(([columnIndex, value]) => {
    const isNews = !isWritten(row.cells[columnIndex], value);
    const index = indexOfSame(then, now, columnIndex);
    const isShown = index !== undefined && isWritten(rowNow.cells[index], value);
    return isNews && isShown ? [columnIndex] : [];
  });
}
