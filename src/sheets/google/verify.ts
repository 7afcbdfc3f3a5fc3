// Verifies pinned rows: the same row, every mapped cell as in the snapshot, and no cell to be set that must not be.
import { boundsToText, type GridBounds } from './address.ts';
import { errorContext, idKey, type TableContext } from './context.ts';
import { ProtectedError } from './errors.ts';
import {
  type CellData,
  cellText,
  cellValue,
  contains,
  formulaText,
  hasEntered,
  isExpanded,
  isSameValue,
} from './grid.ts';
import type { PinnedRow, PinnedView } from './pinned-view.ts';
import type { ColumnKey, Row, RowOutcome } from '../port.ts';
import { refuseMissing } from './preflight.ts';
import { formulaTextOf, heldValues } from './rows.ts';
import type { Sendable, SentRow } from './sent-row.ts';

/** A change in progress, and its outcome. */
export interface Item extends Sendable {
  outcome: RowOutcome | undefined;
}

/** A change whose row is pinned. */
export interface PinnedItem {
  readonly item: Item;
  readonly pin: number;
}

/** A change that passed verification: the cells to send, and the row it was verified on. */
export interface ReadyItem extends SentRow {
  readonly item: Item;
}

/** Sets the outcome of those that may not be written, and returns the others. */
export function verifyAll(context: TableContext, view: PinnedView, items: readonly PinnedItem[]): ReadyItem[] {
  const columnByKey = new Map(view.header.located.map(({ key, columnIndex }) => [key, columnIndex]));
  return items.flatMap(({ item, pin }) => {
    const row = view.rowByPin.get(pin);
    const outcome: RowOutcome | undefined = row
      ? verifyRow(context, view, columnByKey, row, item)
      : { kind: 'row-gone' };
    if (outcome) item.outcome = outcome;
    if (outcome || !row) return [];
    const cells = new Map(Object.entries(item.set).map(([key, value]) => [columnByKey.get(key)!, value]));
    return [{ item, pin, row, cells }];
  });
}

/** Verifies: the same row, every mapped cell as in the snapshot, and no cell to be set that must not be (W3, V5). */
function verifyRow(
  context: TableContext,
  view: PinnedView,
  columnByKey: ReadonlyMap<ColumnKey, number>,
  { rowIndex, cells }: PinnedRow,
  { change, set }: Item,
): RowOutcome | undefined {
  const keys = Object.keys(set);
  const missing = refuseMissing(keys.filter((key) => !columnByKey.has(key)));
  if (missing) return missing;
  const cellOf = (key: ColumnKey) => cells[columnByKey.get(key) ?? -1];
  // Without its ID column a row that had an id cannot be told from any other.
  if (cellText(cellValue(cellOf(idKey))) !== change.row.id) return { kind: 'moved' };
  const changed = changedColumns(change.row, columnByKey, cells);
  if (changed.length > 0) {
    // Without an id, another row in its place looks the same as an edited row.
    return change.row.id === '' ? { kind: 'moved' } : { kind: 'changed-meanwhile', columns: changed };
  }
  const formulas = keys.filter((key) => isComputed(cellOf(key)));
  if (formulas.length > 0) return { kind: 'formula', columns: formulas };
  const isForbidden = (bounds: GridBounds, key: ColumnKey) => contains(bounds, rowIndex, columnByKey.get(key)!);
  const ranges = view.forbidden.filter((bounds) => keys.some((key) => isForbidden(bounds, key)));
  if (ranges.length === 0) return undefined;
  const forbidden = keys.filter((key) => ranges.some((bounds) => isForbidden(bounds, key)));
  const { message } = new ProtectedError(context.client.account, ranges.map(boundsToText), errorContext(context));
  return { kind: 'refused', reason: 'protected', columns: forbidden, message };
}

/** A formula makes its value: its own one, or an array formula in another cell. */
function isComputed(cell: CellData | undefined): boolean {
  return formulaText(cell) !== undefined || isExpanded(cell);
}

/** Mapped cells that differ from the snapshot. The result of a formula may change by itself; that it is one may not. */
export function changedColumns(
  row: Row,
  columnByKey: ReadonlyMap<ColumnKey, number>,
  cells: PinnedRow['cells'],
): ColumnKey[] {
  return Object.entries(heldValues(row)).flatMap(([key, before]) => {
    const columnIndex = columnByKey.get(key);
    if (columnIndex === undefined) return [];
    const cell = cells[columnIndex];
    const isFormula = isComputed(cell);
    // An array formula in another cell may show nothing here by now.
    const isOfAnother = row.formulas.includes(key) && formulaTextOf(row, key) === undefined;
    if (isOfAnother && !hasEntered(cell)) return [];
    // The read does not look for array formulas in columns that are not mapped: what such a one shows is no edit.
    if (isExpanded(cell) && !row.formulas.includes(key)) return isSameValue(cellValue(cell), before) ? [] : [key];
    if (isFormula !== row.formulas.includes(key)) return [key];
    return isFormula || isSameValue(cellValue(cell), before) ? [] : [key];
  });
}
