// Whether the row that a value went to is the row it was meant for. A pin stays with the physical row, but people may put
// other cells into it: by pasting another row over it, by sorting some of its columns, by cutting cells out of it.
import { cellText, cellValue, formulaText, isSameValue } from './grid.ts';
import type { PinnedRow, PinnedView } from './pinned-view.ts';
import type { ColumnsAtWrite, WrittenRow } from './pinned-write.ts';
import { idKey } from './context.ts';
import type { CellValue, Snapshot } from '../port.ts';
import {
  haveColumnsMoved,
  indexOfSame,
  isWritten,
  markAt,
  type Sendable,
  sentValue,
  type SentRow,
} from './sent-row.ts';

/** The cell now of a column as the view had it. */
type ValueAt = (columnIndexThen: number) => CellValue;
/** The column as the view had it was written over, or may have been. */
type IsHit = (columnIndexThen: number) => boolean;

/** By its id; or, when it has none or the id itself was written, by its other cells, mapped or not. */
export function isSameRow(snapshot: Snapshot, then: PinnedView, sent: SentRow, valueNow: ValueAt): boolean {
  if (sent.item.set[idKey] === undefined) {
    const id = cellText(valueNow(idIndex(then)));
    if (id !== '' || sent.item.change.row.id !== '') return id === sent.item.change.row.id;
  }
  return isKnownByCells(snapshot, then, sent, valueNow, (columnIndex) => sent.cells.has(columnIndex));
}

/** As `isSameRow`, some time after a write whose answer was lost: columns may have moved, and the ID cell been hit. */
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
  // An id that was neither written nor hit has just told that it is another row.
  if (sent.item.set[idKey] === undefined && sent.item.change.row.id !== '' && !isIdHit) return false;
  const isHit = (columnIndex: number) =>
    sent.cells.has(columnIndex) || sentValues.some((value) => isSameValue(valueNow(columnIndex), sentValue(value)));
  return isKnownByCells(snapshot, then, sent, valueNow, isHit);
}

/** By the write's answer: the id of the row that was written to, if it is another's; `''` if it is not known whose. */
export function otherIdAtWrite(
  snapshot: Snapshot,
  then: PinnedView,
  sent: SentRow,
  written: WrittenRow,
  { areInPlace, columnByMark }: ColumnsAtWrite,
): string | undefined {
  /** Where a column of the view was at the moment of writing; undefined if unknown, or if its cell was written over. */
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
  // The ID cell was written over, or there is no id: the others have to tell.
  const valueAtWrite = (columnIndex: number) => written.valueAt(placeOf(columnIndex) ?? -1);
  const isHit = (columnIndex: number) => placeOf(columnIndex) === undefined;
  return isKnownByCells(snapshot, then, sent, valueAtWrite, isHit) ? undefined : '';
}

/** The id the row shows now; `''` when it is the one that was just written. */
export function idNow(now: PinnedView, item: Sendable, row: PinnedRow): string {
  const id = cellText(cellValue(row.cells[idIndex(now)]));
  return id === item.set[idKey] ? '' : id;
}

/** Physical index of the ID column; -1, where no cell is, if it was not found. */
export function idIndex({ header }: PinnedView): number {
  return header.located.find(({ key }) => key === idKey)?.columnIndex ?? -1;
}

function isKnownByCells(snapshot: Snapshot, then: PinnedView, sent: SentRow, valueNow: ValueAt, isHit: IsHit): boolean {
  if (!isAnyCellSame(then, sent, valueNow, isHit)) return false;
  return sent.item.set[idKey] === undefined || !isPartlyAnother(snapshot, then, sent, valueNow, isHit);
}

/**
 * A cell that was not hit shows now what in the snapshot one other row alone has there: part of that row was sorted or
 * pasted into this one, and its id may have come along and be what was written over. An id goes to no such row. What many
 * rows have tells nothing, nor does the result of a formula, which may follow from the very id that was written.
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
    if (isSameValue(value, cellValue(before))) return false;
    const others = rows.filter(({ cells, number }) => {
      const theirs = cells[key];
      return number !== item.change.row.number && theirs !== undefined && isSameValue(theirs, value);
    });
    return new Set(others.map(({ id }) => id)).size === 1;
  });
}

/** Of the cells that were not hit, one at least is as it was; or there were none, and still are. */
function isAnyCellSame({ columnByMark }: PinnedView, { row }: SentRow, valueNow: ValueAt, isHit: IsHit): boolean {
  const others = row.cells.flatMap((cell, columnIndex) => {
    const value = cellValue(cell);
    return value === null || isHit(columnIndex) ? [] : [{ columnIndex, value }];
  });
  if (others.length > 0) return others.some(({ columnIndex, value }) => isSameValue(valueNow(columnIndex), value));
  // A row that had nothing else to be known by must have nothing now.
  return [...columnByMark.values()].every((columnIndex) => isHit(columnIndex) || valueNow(columnIndex) === null);
}
