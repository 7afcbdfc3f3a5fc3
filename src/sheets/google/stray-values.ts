// When people move columns, or cells of a pinned row, in the moment between verify and write, values land where they do
// not belong. The write's answer shows it; here it is found out what was hit, and what it held before.
//
// A cell counts as hit when it now holds exactly a value that was sent to another cell of its row and held something
// else when the row was verified. What it held is known from that verification; in a row that is not the one that was
// meant, from the snapshot (other-row.ts). A cell that a person has changed since is left alone.
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

/** The row is the right one; a value may sit in a column it was not meant for. */
export function findStrayValuesInRow(
  then: PinnedView,
  now: PinnedView,
  { pin, row, cells }: Omit<SentRow, 'item'>,
  rowNow: PinnedRow,
  atWrite: AtWrite | undefined,
): StrayValue[] {
  const sentValues = [...cells.values()];
  // Trailing blank cells are not in an answer; a cell that was emptied may be one of them.
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

/** What was hit, by the write's answer alone: for a row that was changed again before it could be looked at. */
export function strayValuesByAnswer(then: PinnedView, { row, cells }: SentRow, { columnByMark }: AtWrite): Displaced[] {
  return [...cells].flatMap(([index, written]): Displaced[] => {
    const indexThen = then.columnByMark.get(markAt(columnByMark, index) ?? -1);
    if (indexThen === index) return [];
    const before = indexThen === undefined ? undefined : cellValue(row.cells[indexThen]);
    return [{ cell: cellAddress(row.rowIndex, index), written, before, isRestored: false }];
  });
}

/** Columns, as of `then`, in which the row shows a value that was sent and was not there before. */
export function shownColumns(then: PinnedView, now: PinnedView, { cells, row }: SentRow, rowNow: PinnedRow): number[] {
  return [...cells].flatMap(([columnIndex, value]) => {
    const isNews = !isWritten(row.cells[columnIndex], value);
    const index = indexOfSame(then, now, columnIndex);
    const isShown = index !== undefined && isWritten(rowNow.cells[index], value);
    return isNews && isShown ? [columnIndex] : [];
  });
}
