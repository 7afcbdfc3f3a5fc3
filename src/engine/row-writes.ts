// Collects the writes of a push into rows that are there: cells that changes set, and statuses that are news.
import type { CellInput, ColumnKey, Row, Snapshot } from '../sheets/port.ts';
import type { Change, FieldChange } from '../sync/change.ts';
import type { OwnedWrite } from './own-cells.ts';
import { hasStatusColumn, statusKey } from './status-column.ts';

export interface RowWrite {
  /** undefined: only its status is written. */
  readonly change: Change | undefined;
  readonly write: OwnedWrite;
}

export interface RowWritesInput {
  readonly sets: readonly Change[];
  /** By row number. */
  readonly statuses: ReadonlyMap<number, string>;
  readonly toCells: (fields: readonly FieldChange[]) => Readonly<Record<ColumnKey, CellInput>>;
  /** The text of the status cell of a row now. */
  readonly statusOf: (row: Row) => unknown;
}

/** Rows in the order of the tab; those with nothing to write are left out. */
export function rowWrites(snapshot: Snapshot, { sets, statuses, toCells, statusOf }: RowWritesInput): RowWrite[] {
  const changeByRow = new Map(sets.map((change) => [change.row, change]));
  const hasStatus = hasStatusColumn(snapshot);
  return snapshot.rows.flatMap((row): RowWrite[] => {
    const change = changeByRow.get(row.number);
    const text = hasStatus ? statuses.get(row.number) : undefined;
    const set = change ? toCells(change.fields) : {};
    const own = text !== undefined && statusOf(row) !== text ? { [statusKey]: text } : {};
    const isNothing = Object.keys(set).length + Object.keys(own).length === 0;
    // Which of several rows with one ID is meant, and which are copies, was decided by the plan (I4, P2).
    return isNothing ? [] : [{ change, write: { row, set, own, isKnownDuplicate: true } }];
  });
}
