// Decides whether the row a value went to is the row meant. A pin stays with the physical row. But people may put other
// cells into that row: by pasting another row over it, sorting some of its columns, or cutting cells out of it.
import { cellText, cellValue, formulaText, isSameValue } from './grid.ts';
import type { PinnedRow, PinnedView } from './pinned-view.ts';
import type { ColumnsAtWrite, WrittenRow } from './pinned-write.ts';
import { idKey } from './context.ts';
import type { CellValue, Snapshot } from '../port.ts';
import { heldValues } from './rows.ts';
import {
  haveColumnsMoved,
  indexOfSame,
  isWritten,
  markAt,
  type Sendable,
  sentValue,
  type SentRow,
} from './sent-row.ts';

/** The present cell of a column of the view. */
type ValueAt = (columnIndexThen: number) => CellValue;
/** The column of the view was overwritten, or may have been. */
type IsHit = (columnIndexThen: number) => boolean;

/** By its id; if it has none or the id itself was written, by its other cells, mapped or not. */
export function isSameRow(snapshot: Snapshot, then: PinnedView, sent: SentRow, valueNow: ValueAt): boolean {
  if (sent.item.set[idKey] === undefined) {
    const id = cellText(valueNow(idIndex(then)));
    if (id !== '' || sent.item.change.row.id !== '') return id === sent.item.change.row.id;
  }
  return isKnownByCells(snapshot, then, sent, valueNow, (columnIndex) => sent.cells.has(columnIndex));
}

/**
 * Like `isSameRow`, some time after a write with a lost answer: columns may have moved, and the ID cell may be
 * overwritten.
 */
export function isSameRowNow(
  snapshot: Snapshot,
  then: PinnedView,
  now: PinnedView,
  sent: SentRow,
  row: PinnedRow,
): boolean {
  const valueNow = (columnIndex: number) => cellValue(row.cells[indexOfSame(then, now, columnIndex) ?? -1]);
  if (isSameRow(snapshot, then, sent, valueNow)) return true;
  if (!haveColumnsMoved(then, now)) return false;
  const sentValues = [...sent.cells.values()];
  const isIdHit = sentValues.some((value) => isWritten(row.cells[idIndex(now)], value));
  // An id that was neither written nor overwritten has just shown that it is another row.
  if (sent.item.set[idKey] === undefined && sent.item.change.row.id !== '' && !isIdHit) return false;
  const isHit = (columnIndex: number) =>
    sent.cells.has(columnIndex) || sentValues.some((value) => isSameValue(valueNow(columnIndex), sentValue(value)));
  return isKnownByCells(snapshot, then, sent, valueNow, isHit);
}

/** By the write's answer: the id of the row that was written to, if it is another row; `''`: not known. */
export function otherIdAtWrite(
  snapshot: Snapshot,
  then: PinnedView,
  sent: SentRow,
  written: WrittenRow,
  { areInPlace, columnByMark }: ColumnsAtWrite,
): string | undefined {
  /** The place of a column of the view at the moment of writing; undefined: unknown, or its cell was overwritten. */
  const placeOf = (columnIndexThen: number) => {
    const place = areInPlace ? columnIndexThen : columnByMark.get(markAt(then.columnByMark, columnIndexThen) ?? -1);
    return place === undefined || sent.cells.has(place) ? undefined : place;
  };
  const idPlace = placeOf(idIndex(then));
  if (idPlace !== undefined) {
    const id = cellText(written.valueAt(idPlace));
    if (id !== sent.item.change.row.id) return id;
    if (id !== '') return undefined;
  }
  // The ID cell was overwritten, or there is no id: the other cells decide.
  const valueAtWrite = (columnIndex: number) => written.valueAt(placeOf(columnIndex) ?? -1);
  const isHit = (columnIndex: number) => placeOf(columnIndex) === undefined;
  return isKnownByCells(snapshot, then, sent, valueAtWrite, isHit) ? undefined : '';
}

/** The id that the row shows now; `''`: it is the one that was just written. */
export function idNow(now: PinnedView, item: Sendable, row: PinnedRow): string {
  const id = cellText(cellValue(row.cells[idIndex(now)]));
  return id === item.set[idKey] ? '' : id;
}

/** Physical index of the ID column; -1, which has no cell: it was not found. */
export function idIndex({ header }: PinnedView): number {
  return header.located.find(({ key }) => key === idKey)?.columnIndex ?? -1;
}

function isKnownByCells(snapshot: Snapshot, then: PinnedView, sent: SentRow, valueNow: ValueAt, isHit: IsHit): boolean {
  if (!isAnyCellSame(then, sent, valueNow, isHit)) return false;
  return sent.item.set[idKey] === undefined || !isPartlyAnother(snapshot, then, sent, valueNow, isHit);
}

/**
 * A cell that was not overwritten shows a value that one other row alone has there in the snapshot. So part of that row
 * was sorted or pasted into this one, and its id may have come along and been overwritten. No id is written to such a
 * row. A value of many rows shows nothing. Nor does the result of a formula, which may follow from the id that was
 * written.
 */
function isPartlyAnother(
  { rows }: Snapshot,
  { header }: PinnedView,
  { row, item }: SentRow,
  valueNow: ValueAt,
  isHit: IsHit,
): boolean {
  return header.located.some(({ key, columnIndex }) => {
    const [before, value] = [row.cells[columnIndex], valueNow(columnIndex)];
    if (value === null || isHit(columnIndex) || formulaText(before) !== undefined) return false;
    if (isShownAs(value, cellValue(before))) return false;
    const others = rows.filter((other) => {
      const theirs = heldValues(other)[key];
      return other.number !== item.change.row.number && theirs !== undefined && isSameValue(theirs, value);
    });
    return new Set(others.map(({ id }) => id)).size === 1;
  });
}

/**
 * At least one cell that was not overwritten is unchanged; or there were none, and still are. The results of formulas may follow
 * from what was written: where they are unchanged they show that it is the row, and otherwise nothing.
 */
function isAnyCellSame({ columnByMark }: PinnedView, { row }: SentRow, valueNow: ValueAt, isHit: IsHit): boolean {
  const others = row.cells.flatMap((cell, columnIndex) => {
    const value = cellValue(cell);
    const isResult = formulaText(cell) !== undefined;
    return value === null || isHit(columnIndex) ? [] : [{ columnIndex, value, isResult }];
  });
  if (others.some(({ columnIndex, value }) => isShownAs(valueNow(columnIndex), value))) return true;
  if (others.some(({ isResult }) => !isResult)) return false;
  const results = new Set(others.map(({ columnIndex }) => columnIndex));
  // A row that had no other content before must have none now.
  return [...columnByMark.values()].every((columnIndex) => {
    return isHit(columnIndex) || results.has(columnIndex) || valueNow(columnIndex) === null;
  });
}

/** The answer to a write shows an error as its text. */
function isShownAs(now: CellValue, before: CellValue): boolean {
  return isSameValue(now, before) || (typeof before === 'object' && before !== null && cellText(now) === before.error);
}
