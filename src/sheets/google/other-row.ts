// Repairs a write that reached another row than the one meant. At the moment of writing its ID cell was moved, its
// cells were cut, or another row was put in its place. The written values are removed; the rest of the row shows what
// to restore.
import { idKey } from './context.ts';
import { cellAddress, cellValue, isSameValue } from './grid.ts';
import type { PinnedRow, PinnedView } from './pinned-view.ts';
import type { CellInput, CellValue, ColumnKey, Row, Snapshot } from '../port.ts';
import { formulaTextOf, heldValues } from './rows.ts';
import { idIndex, idNow } from './same-row.ts';
import {
  type AtWrite,
  type Before,
  type StrayValue,
  haveColumnsMoved,
  indexOfSame,
  isWritten,
  markAt,
  sentValue,
  type SentRow,
} from './sent-row.ts';

/** `otherId` is the id of the row that was written to; `''`: it has none, or none is known. */
export function findStrayValuesInOtherRow(
  snapshot: Snapshot,
  then: PinnedView,
  now: PinnedView,
  sent: SentRow,
  row: PinnedRow,
  otherId: string,
  atWrite: AtWrite | undefined,
): StrayValue[] {
  // Yet another row may have taken the place since: nothing can be repaired, only reported.
  const isStillOther = idNow(now, sent.item, row) === otherId;
  const hits = [...sent.cells].map(([sentTo, written]) => {
    const columnIndex = isStillOther ? columnHit(then, now, row, sentTo, written, atWrite) : -1;
    return { sentTo, columnIndex, written };
  });
  const hitColumns = new Set(hits.map(({ columnIndex }) => columnIndex));
  const owner = findOwner(snapshot, now, sent, row, otherId, hitColumns);
  return hits.flatMap(({ sentTo, columnIndex, written }): StrayValue[] => {
    const isThere = columnIndex !== -1 && isWritten(row.cells[columnIndex], written);
    const before = columnIndex === -1 ? undefined : owner.cellBefore(columnIndex);
    const isHarmless = before && before.formula === undefined && isSameValue(before.value, sentValue(written));
    if (isHarmless || (!isThere && !atWrite)) return [];
    const cell = cellAddress(row.rowIndex, columnIndex === -1 ? sentTo : columnIndex);
    const mark = markAt(now.columnByMark, columnIndex);
    const doubt = owner.isLikely && before !== undefined ? { isLikely: true as const } : {};
    return [{ pin: sent.pin, mark, columnIndex, cell, written, before, ...doubt }];
  });
}

/** The physical column that now has the value sent to another one; -1: not known. */
function columnHit(
  then: PinnedView,
  now: PinnedView,
  row: PinnedRow,
  sentTo: number,
  written: CellInput,
  atWrite: AtWrite | undefined,
): number {
  const areInPlace = atWrite?.areInPlace ?? !haveColumnsMoved(then, now);
  if (areInPlace) return indexOfSame(then, now, sentTo) ?? -1;
  const mark = markAt(atWrite?.columnByMark ?? new Map(), sentTo);
  if (mark !== undefined) return now.columnByMark.get(mark) ?? -1;
  // The value itself may identify its column. A blank does not, and a value that occurs twice may be the row's own.
  const shown = row.cells.flatMap((cell, index) => (written !== '' && isWritten(cell, written) ? [index] : []));
  return shown.length === 1 ? shown[0]! : -1;
}

interface Owner {
  /** The content of a cell of the row before the write; undefined: not known. */
  readonly cellBefore: (columnIndex: number) => Before | undefined;
  /** As `StrayValue.isLikely`. */
  readonly isLikely?: boolean;
}

const notKnown: Owner = { cellBefore: () => undefined };

/**
 * The owner of the row. Nobody: the row is blank but for what was written, and no known row had cells nowhere else. The
 * row of the snapshot with its id, if most of the mapped cells match. If it has no id, or its id was overwritten: the
 * only row that has all the other mapped cells, without what stayed in its own place. The row meant, if only its id was
 * emptied or typed over. Else not known.
 */
function findOwner(
  snapshot: Snapshot,
  now: PinnedView,
  { item }: SentRow,
  row: PinnedRow,
  otherId: string,
  hits: ReadonlySet<number>,
): Owner {
  const rest = row.cells.flatMap((cell, index) =>
    hits.has(index) || index === idIndex(now) || cellValue(cell) === null ? [] : [{ cell, index }],
  );
  const keyByIndex = new Map(now.header.located.map(({ key, columnIndex }) => [columnIndex, key]));
  if (rest.length === 0 && otherId === '') {
    const hitKeys = new Set([...hits].map((index) => keyByIndex.get(index)));
    const isHitWhole = ({ id, cells, number }: Row) =>
      number !== item.change.row.number &&
      (id === '' || hitKeys.has(idKey)) &&
      Object.entries(cells).every(([key, value]) => value === null || hitKeys.has(key));
    return snapshot.rows.some(isHitWhole) ? notKnown : { cellBefore: () => ({ value: null }) };
  }
  const mapped = rest.filter(({ index }) => keyByIndex.has(index));
  const cellsLike = (owner: Row) =>
    mapped.filter(({ cell, index }) => {
      const value = heldValues(owner)[keyByIndex.get(index) ?? ''];
      return value !== undefined && isSameValue(value, cellValue(cell));
    }).length;
  const ownerOf = (owners: readonly Row[]): Owner => ({
    cellBefore(columnIndex) {
      const key = keyByIndex.get(columnIndex);
      return key === undefined ? undefined : cellInSnapshot(owners, key);
    },
  });
  const { row: own } = item.change;
  const isMeant = mapped.length > 0 && isOtherwiseAs(own, now, row, hits);
  if (otherId === '') {
    const likely = snapshot.rows.filter(({ id, number }) => number !== own.number && (id === '' || id !== own.id));
    const others = mapped.length === 0 ? [] : likely.filter((one) => cellsLike(one) === mapped.length);
    const owners = isMeant ? [own, ...others] : others;
    const [id, ...more] = new Set(owners.map((one) => one.id));
    if (id === undefined || more.length > 0) return notKnown;
    return isMeant || id === '' ? ownerOf(owners) : withoutWhatStayed(ownerOf(owners), now, row, hits, id);
  }
  const owners = snapshot.rows.filter(({ id }) => id === otherId);
  if (owners.length === 0 && isMeant) return ownerOf([own]);
  // A row that kept its cells and changed only its id, or half of it, may have taken the overwritten cell along or not.
  const isOwners = rest.length === 0 || (owners[0] !== undefined && cellsLike(owners[0]) * 2 > mapped.length);
  return isOwners ? ownerOf(owners) : notKnown;
}

/** Of cells that show a copy of a row: fewer are pasted alone, or typed. */
const copiedCellsMin = 2;

/**
 * The owner is known by cells alone: people may have moved these, and left others of its row where they are, such as its ID. What the
 * row that has this ID now still holds in a column did not come from there. A copy of that row has all of it; one cell makes no copy.
 */
function withoutWhatStayed(
  owner: Owner,
  { header: { located }, rowsById }: PinnedView,
  row: PinnedRow,
  hits: ReadonlySet<number>,
  id: string,
): Owner {
  if (rowsById === undefined) return { ...owner, isLikely: true };
  const holds = (each: Row, key: ColumnKey, value: CellValue) =>
    isSameValue(key === idKey ? each.id : (heldValues(each)[key] ?? null), value);
  const standing = rowsById.get(id) ?? [];
  const others = located.filter(({ key, columnIndex }) => key !== idKey && !hits.has(columnIndex));
  const shown = others.map(({ key, columnIndex }) => ({ key, value: cellValue(row.cells[columnIndex]) }));
  const isCopy =
    shown.filter(({ value }) => value !== null).length >= copiedCellsMin &&
    standing.some((each) => shown.every(({ key, value }) => holds(each, key, value)));
  if (isCopy) return owner;
  return {
    cellBefore(columnIndex) {
      const before = owner.cellBefore(columnIndex);
      const key = located.find((each) => each.columnIndex === columnIndex)?.key;
      const hasStayed = before && key !== undefined && standing.some((each) => holds(each, key, before.value));
      return hasStayed ? undefined : before;
    },
  };
}

/** Whether every cell that was not overwritten, but for the ID, is as the row of the snapshot has it. */
function isOtherwiseAs(own: Row, { header }: PinnedView, row: PinnedRow, hits: ReadonlySet<number>): boolean {
  const cells = heldValues(own);
  const others = header.located.filter(({ key, columnIndex }) => key !== idKey && !hits.has(columnIndex));
  return others.every(({ key, columnIndex }) => isSameValue(cells[key] ?? null, cellValue(row.cells[columnIndex])));
}

/** Not known if copies of the row disagree. */
function cellInSnapshot(owners: readonly Row[], key: ColumnKey): Before | undefined {
  const [first, ...copies] = owners.map((row) => ({
    value: key === idKey ? row.id || null : heldValues(row)[key],
    formula: formulaTextOf(row, key),
  }));
  if (first?.value === undefined) return undefined;
  const { value, formula } = first;
  const isSame = copies.every(
    (copy) => copy.value !== undefined && isSameValue(copy.value, value) && copy.formula === formula,
  );
  return isSame ? { value, formula } : undefined;
}
