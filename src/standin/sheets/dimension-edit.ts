// The effect of inserting, deleting and moving rows or columns on an index and on an interval. Ranges (merges,
// protections, names, filters, groups) and references in formulas follow their cells through it.
import type { Rect } from './a1.ts';

export type Dimension = 'ROWS' | 'COLUMNS';

export type DimensionEdit =
  | { readonly kind: 'insert'; readonly dimension: Dimension; readonly start: number; readonly end: number }
  | { readonly kind: 'delete'; readonly dimension: Dimension; readonly start: number; readonly end: number }
  /** `destination` is counted before the block is taken out (MoveDimensionRequest.destinationIndex). */
  | {
      readonly kind: 'move';
      readonly dimension: Dimension;
      readonly start: number;
      readonly end: number;
      readonly destination: number;
    };

/** The row or column `index` afterwards; undefined: it is deleted. */
export function mapIndex(edit: DimensionEdit, index: number): number | undefined {
  const count = edit.end - edit.start;
  switch (edit.kind) {
    case 'insert':
      return index >= edit.start ? index + count : index;
    case 'delete':
      if (index < edit.start) return index;
      return index < edit.end ? undefined : index - count;
    case 'move':
      if (index >= edit.start && index < edit.end) {
        const target = edit.destination > edit.start ? edit.destination - count : edit.destination;
        return target + (index - edit.start);
      }
      if (edit.destination > edit.end && index >= edit.end && index < edit.destination) return index - count;
      if (edit.destination < edit.start && index >= edit.destination && index < edit.start) return index + count;
      return index;
  }
}

/**
 * The interval afterwards, half-open; undefined: all of it is deleted. A move changes an interval only if the whole of
 * it is moved or if both its ends stay together.
 */
export function mapInterval(edit: DimensionEdit, start: number, end: number): readonly [number, number] | undefined {
  const count = edit.end - edit.start;
  switch (edit.kind) {
    case 'insert':
      if (edit.start <= start) return [start + count, end + count];
      return edit.start < end ? [start, end + count] : [start, end];
    case 'delete': {
      const newStart = start - Math.max(0, Math.min(start, edit.end) - edit.start);
      const newEnd = end - Math.max(0, Math.min(end, edit.end) - edit.start);
      return newEnd > newStart ? [newStart, newEnd] : undefined;
    }
    case 'move': {
      const first = mapIndex(edit, start);
      const last = mapIndex(edit, end - 1);
      if (first === undefined || last === undefined) return undefined;
      return last - first === end - 1 - start ? [first, last + 1] : [start, end];
    }
  }
}

/** The rectangle afterwards; undefined: it is deleted. */
export function mapRect(edit: DimensionEdit, rect: Rect): Rect | undefined {
  if (edit.dimension === 'ROWS') {
    const rows = mapInterval(edit, rect.top, rect.bottom);
    return rows && { ...rect, top: rows[0], bottom: rows[1] };
  }
  const columns = mapInterval(edit, rect.left, rect.right);
  return columns && { ...rect, left: columns[0], right: columns[1] };
}

/** Changes the list in place: inserted entries are `blank`, deleted ones are returned. */
export function applyToList<T>(edit: DimensionEdit, list: T[], blank: T): T[] {
  const count = edit.end - edit.start;
  switch (edit.kind) {
    case 'insert':
      if (count === 1) list.splice(edit.start, 0, blank);
      else
        spliceMany(
          list,
          edit.start,
          Array.from({ length: count }, () => blank),
        );
      return [];
    case 'delete':
      return list.splice(edit.start, count);
    case 'move': {
      const block = list.splice(edit.start, count);
      spliceMany(list, edit.destination > edit.start ? edit.destination - count : edit.destination, block);
      return [];
    }
  }
}

/** `splice` without the argument limit of a spread call. */
function spliceMany<T>(list: T[], at: number, entries: readonly T[]): void {
  const tail = list.splice(at);
  for (const entry of entries) list.push(entry);
  for (const entry of tail) list.push(entry);
}
