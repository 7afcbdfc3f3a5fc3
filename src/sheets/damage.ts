// When people move columns, or cells of a pinned row, in the moment between verify and write, values land where they do
// not belong. The write's answer shows it; here it is found out what was hit, and what it held before.
//
// A cell counts as hit when it now holds exactly a value that was sent to another cell of its row and held something
// else when the row was verified. What it held is known from that verification (or, when a whole other row was put in
// the place, from the snapshot). A cell that a person has changed since is left alone.
import { idKey } from './context.ts';
import { cellAddress, type CellData, cellText, cellValue, formulaText, isSameValue } from './grid.ts';
import type { PinnedRow, PinnedView } from './pinned-view.ts';
import type { PinnedPlan } from './pinned-write.ts';
import type { CellInput, CellValue, ColumnKey, Displaced, Row, RowChange, Snapshot } from './port.ts';
import { formulaTextOf } from './rows.ts';

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

export interface Damage {
  readonly pin: number;
  /** A mark of the column; undefined for a column that is found by `columnIndex`. */
  readonly mark: number | undefined;
  readonly columnIndex: number;
  readonly cell: string;
  readonly written: CellInput;
  /** Undefined: not known. What was written is then taken out again all the same. */
  readonly before: Before | undefined;
}

/** What was hit, by the write's answer alone: for a row that was changed again before it could be looked at. */
export function strayCells(then: PinnedView, { row, cells }: SentRow, { columnByMark }: AtWrite): Displaced[] {
  const markAtWrite = new Map([...columnByMark].map(([mark, index]) => [index, mark]));
  return [...cells].flatMap(([index, written]): Displaced[] => {
    const indexThen = then.columnByMark.get(markAtWrite.get(index) ?? -1);
    if (indexThen === index) return [];
    const before = indexThen === undefined ? undefined : cellValue(row.cells[indexThen]);
    return [{ cell: cellAddress(row.rowIndex, index), written, before, isRestored: false }];
  });
}

/** A formula is put back as its text. */
export interface Before {
  readonly value: CellValue;
  readonly formula?: string | undefined;
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

export function findDamage(
  snapshot: Snapshot,
  then: PinnedView,
  now: PinnedView,
  sent: SentRow,
  atWrite: AtWrite | undefined,
): Damage[] {
  const row = now.rowByPin.get(sent.pin);
  if (!row) return [];
  if (atWrite) {
    const otherId = atWrite.otherIdByPin.get(sent.pin);
    return otherId === undefined
      ? damageInRow(then, now, sent, row, atWrite)
      : damageToOtherRow(snapshot, now, sent, row, otherId, true);
  }
  if (isSameRowNow(then, now, sent, row)) {
    return haveColumnsMoved(then, now) ? damageInRow(then, now, sent, row, atWrite) : [];
  }
  return damageToOtherRow(snapshot, now, sent, row, idNow(now, sent.item, row), false);
}

/** Where no column moved, no value can have gone into another than its own. */
export function haveColumnsMoved(then: PinnedView, now: PinnedView): boolean {
  return (
    then.columnByMark.size !== now.columnByMark.size ||
    [...then.columnByMark].some(([mark, index]) => now.columnByMark.get(mark) !== index)
  );
}

/** As `isSameRow`, some time after a write whose answer was lost: the ID cell itself may have been hit. */
function isSameRowNow(then: PinnedView, now: PinnedView, sent: SentRow, row: PinnedRow): boolean {
  const valueNow = (columnIndex: number) => cellValue(row.cells[indexOfSame(then, now, columnIndex) ?? -1]);
  if (isSameRow(then, sent, valueNow)) return true;
  if (!haveColumnsMoved(then, now)) return false;
  const id = now.header.located.find(({ key }) => key === idKey)?.columnIndex ?? -1;
  const isIdHit = [...sent.cells.values()].some((value) => isWritten(row.cells[id], value));
  const isHit = (columnIndex: number) =>
    [...sent.cells.values()].some((value) => isSameValue(valueNow(columnIndex), sentValue(value)));
  return isIdHit && isAnyCellSame(then, sent, valueNow, isHit);
}

/** The row is the right one; a value may sit in a column it was not meant for. */
export function damageInRow(
  then: PinnedView,
  now: PinnedView,
  { pin, row, cells }: Omit<SentRow, 'item'>,
  rowNow: PinnedRow,
  atWrite: AtWrite | undefined,
): Damage[] {
  const markByIndex = new Map([...now.columnByMark].map(([mark, index]) => [index, mark]));
  const sentValues = [...cells.values()];
  // Trailing blank cells are not in an answer; a cell that was emptied may be one of them.
  const width = Math.max(
    rowNow.cells.length,
    row.cells.length,
    ...[...now.columnByMark.values()].map((index) => index + 1),
  );
  return Array.from({ length: width }, (_, index) => index).flatMap((columnIndex): Damage[] => {
    const cell = rowNow.cells[columnIndex];
    const mark = markByIndex.get(columnIndex);
    const indexThen = mark === undefined ? undefined : then.columnByMark.get(mark);
    const planned = indexThen === undefined ? undefined : cells.get(indexThen);
    if (planned !== undefined && isWritten(cell, planned)) return [];
    const before = indexThen === undefined ? undefined : row.cells[indexThen];
    const indexAtWrite = mark === undefined ? undefined : atWrite?.columnByMark.get(mark);
    const candidates = indexAtWrite === undefined ? sentValues : [cells.get(indexAtWrite)];
    const written = candidates.find((value) => value !== undefined && isWritten(cell, value));
    if (written === undefined || isSameCell(before, cell)) return [];
    const address = cellAddress(rowNow.rowIndex, columnIndex);
    return [{ pin, mark, columnIndex, cell: address, written, before: cellBefore(before) }];
  });
}

/**
 * The row's id is no longer the one that was meant: its ID cell was moved, its cells were cut, or another row was put in
 * its place. What was written stands in somebody else's row and is taken out again; what to put back is told by whom the
 * rest of the row belongs to.
 */
function damageToOtherRow(
  snapshot: Snapshot,
  now: PinnedView,
  sent: SentRow,
  row: PinnedRow,
  otherId: string,
  isCertain: boolean,
): Damage[] {
  const { pin, item } = sent;
  const markByIndex = new Map([...now.columnByMark].map(([mark, index]) => [index, mark]));
  const indexByKey = new Map(now.header.located.map(({ key, columnIndex }) => [key, columnIndex]));
  // Since then yet another row may have taken the place: there is nothing left to put right, only to tell.
  const isStillOther = idNow(now, item, row) === otherId;
  const owner = findOwner(snapshot, now, sent, row, otherId);
  return Object.entries(item.set).flatMap(([key, written]): Damage[] => {
    const columnIndex = isStillOther ? (indexByKey.get(key) ?? -1) : -1;
    const isThere = isWritten(row.cells[columnIndex], written);
    const before = owner(key);
    const isHarmless = before && before.formula === undefined && isSameValue(before.value, sentValue(written));
    if (isHarmless || (!isThere && !isCertain)) return [];
    const cell = columnIndex === -1 ? key : cellAddress(row.rowIndex, columnIndex);
    return [{ pin, mark: markByIndex.get(columnIndex), columnIndex, cell, written, before }];
  });
}

/** What a cell of the row held before it was hit; undefined when that is not known. */
type Owner = (key: ColumnKey) => Before | undefined;

/**
 * Nobody, when the row is blank but for what was written; the row of the snapshot that has its id, when most of the mapped
 * cells are that row's; where the id itself was written over, the only row that has all the other mapped cells; else not
 * known.
 */
function findOwner(snapshot: Snapshot, now: PinnedView, { item }: SentRow, row: PinnedRow, otherId: string): Owner {
  const indexByKey = new Map(now.header.located.map(({ key, columnIndex }) => [key, columnIndex]));
  const written = new Set([idKey, ...Object.keys(item.set)].map((key) => indexByKey.get(key)));
  const rest = row.cells.flatMap((cell, index) =>
    written.has(index) || cellValue(cell) === null ? [] : [{ cell, index }],
  );
  if (rest.length === 0 && otherId === '') return () => ({ value: null });
  const keyByIndex = new Map([...indexByKey].map(([key, index]) => [index, key]));
  const mapped = rest.filter(({ index }) => keyByIndex.has(index));
  const cellsLike = (owner: Row) =>
    mapped.filter(({ cell, index }) => {
      const value = owner.cells[keyByIndex.get(index) ?? ''];
      return value !== undefined && isSameValue(value, cellValue(cell));
    }).length;
  if (otherId === '') {
    const likely = snapshot.rows.filter(({ id }) => id !== '' && id !== item.change.row.id);
    const owners = mapped.length === 0 ? [] : likely.filter((one) => cellsLike(one) === mapped.length);
    return new Set(owners.map(({ id }) => id)).size === 1 ? (key) => ownerBefore(owners, key) : () => undefined;
  }
  const owners = snapshot.rows.filter(({ id }) => id === otherId);
  // A row that kept its cells and only changed its id, or half of it, may have taken the hit cell along or not.
  const isOwners = rest.length === 0 || (owners[0] !== undefined && cellsLike(owners[0]) * 2 > mapped.length);
  return isOwners ? (key) => ownerBefore(owners, key) : () => undefined;
}

/** The id the row shows now; `''` when it is the one that was just written. */
function idNow(now: PinnedView, item: Sendable, row: PinnedRow): string {
  const index = now.header.located.find(({ key }) => key === idKey)?.columnIndex ?? -1;
  const id = cellText(cellValue(row.cells[index]));
  return id === item.set[idKey] ? '' : id;
}

/** As the snapshot has it; not known when copies of the row disagree. */
function ownerBefore(owners: readonly Row[], key: ColumnKey): Before | undefined {
  const [first, ...copies] = owners.map((row) => ({
    value: key === idKey ? row.id : row.cells[key],
    formula: formulaTextOf(row, key),
  }));
  if (first?.value === undefined) return undefined;
  const { value, formula } = first;
  const isSame = copies.every(
    (copy) => copy.value !== undefined && isSameValue(copy.value, value) && copy.formula === formula,
  );
  return isSame ? { value, formula } : undefined;
}

/**
 * Whether the row a value was written to is the row it was meant for: by its id; or, when the id itself was written, by
 * any of its other cells, mapped or not.
 */
export function isSameRow(
  then: PinnedView,
  { row, item, cells }: SentRow,
  valueNow: (columnIndexThen: number) => CellValue,
): boolean {
  if (item.set[idKey] === undefined) {
    const idColumn = then.header.located.find(({ key }) => key === idKey);
    return idColumn === undefined || cellText(valueNow(idColumn.columnIndex)) === item.change.row.id;
  }
  return isAnyCellSame(then, { row, cells }, valueNow);
}

/** Of the cells that were not written (nor hit), one at least is as it was; or there were none, and still are. */
function isAnyCellSame(
  { columnByMark }: PinnedView,
  { row, cells }: Pick<SentRow, 'row' | 'cells'>,
  valueNow: (columnIndexThen: number) => CellValue,
  isHit: (columnIndexThen: number) => boolean = () => false,
): boolean {
  const others = row.cells.flatMap((cell, columnIndex) => {
    const value = cellValue(cell);
    return value === null || cells.has(columnIndex) || isHit(columnIndex) ? [] : [{ columnIndex, value }];
  });
  if (others.length > 0) return others.some(({ columnIndex, value }) => isSameValue(valueNow(columnIndex), value));
  // A row that had nothing else to be known by must have nothing now.
  const rest = [...columnByMark.values()].filter((columnIndex) => !cells.has(columnIndex) && !isHit(columnIndex));
  return rest.every((columnIndex) => valueNow(columnIndex) === null);
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

/** Where a column of one view is in another, by its mark; unmarked columns are taken to stay. */
function indexOfSame(then: PinnedView, now: PinnedView, columnIndex: number): number | undefined {
  const mark = [...then.columnByMark].find(([, index]) => index === columnIndex)?.[0];
  return mark === undefined ? columnIndex : now.columnByMark.get(mark);
}

function cellBefore(cell: CellData | undefined): Before {
  return { value: cellValue(cell), formula: formulaText(cell) };
}

function isSameCell(a: CellData | undefined, b: CellData | undefined): boolean {
  return formulaText(a) === formulaText(b) && isSameValue(cellValue(a), cellValue(b));
}

export function isWritten(cell: CellData | undefined, value: CellInput): boolean {
  const formula = formulaText(cell);
  return formula === undefined ? isSameValue(cellValue(cell), sentValue(value)) : formula === value;
}

export function sentValue(value: CellInput): CellValue {
  return value === '' ? null : value;
}
