// Checks a change before anything is sent: values that no cell can hold, and columns that do not exist.
import { idKey } from './context.ts';
import type { CellInput, ColumnKey, Refused, Snapshot } from '../port.ts';

/** Inclusive; Google answers 400 for 50,001 (measured). Counted in UTF-16 units, never fewer than Google counts. */
const cellCharactersMax = 50_000;

/**
 * After this many single rows that Google refused, the rest of the call is not tried. Then the rows are not the cause
 * (a workbook at its 10,000,000 cells, a rule for all of them), and trying each row would take hours.
 */
export const refusedRowsMax = 5;

/** Why these cells cannot be written, or undefined. */
export function refuseCells(snapshot: Snapshot, set: Readonly<Record<ColumnKey, CellInput>>): Refused | undefined {
  const entries = Object.entries(set);
  const tooLong = entries.filter(([, value]) => typeof value === 'string' && value.length > cellCharactersMax);
  if (tooLong.length > 0) {
    const message = `longer than the ${cellCharactersMax} characters a cell can hold`;
    return { kind: 'refused', reason: 'cell-too-long', columns: keys(tooLong), message };
  }
  const notFinite = entries.filter(([, value]) => typeof value === 'number' && !Number.isFinite(value));
  if (notFinite.length > 0) {
    return { kind: 'refused', reason: 'not-a-finite-number', columns: keys(notFinite), message: 'not a finite number' };
  }
  const indexByKey = snapshot.memory.columnIndexByKey;
  return refuseMissing(entries.map(([key]) => key).filter((key) => indexByKey[key] === undefined));
}

export function refuseMissing(columns: readonly ColumnKey[]): Refused | undefined {
  if (columns.length === 0) return undefined;
  const message = columns.includes(idKey) ? 'the ID column is not there' : 'a column is not there, or not for certain';
  return { kind: 'refused', reason: 'column-not-found', columns, message };
}

function keys(entries: readonly [ColumnKey, CellInput][]): ColumnKey[] {
  return entries.map(([key]) => key);
}

/** How often each id occurs; blank ids do not count. */
export function countIds(snapshot: Snapshot): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { id } of snapshot.rows) if (id !== '') counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** Consecutive groups of at most `countMax` items and `bytesMax` bytes; a larger item is a group of its own. */
export function splitBatches<T>(
  items: readonly T[],
  countMax: number,
  bytesMax: number,
  bytesOf: (item: T) => number,
): T[][] {
  const batches: T[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    const last = batches.at(-1);
    if (last && last.length < countMax && bytes + size <= bytesMax) {
      last.push(item);
      bytes += size;
    } else {
      batches.push([item]);
      bytes = size;
    }
  }
  return batches;
}

/** Bytes of the values in a JSON body; each of `columnCount` skipped cells is a `null,`. */
export function cellsBytes(set: Readonly<Record<ColumnKey, CellInput>>, columnCount: number): number {
  return Buffer.byteLength(JSON.stringify(set)) + columnCount * 5;
}
