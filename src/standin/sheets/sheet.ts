// One tab: its cells, rows, columns and ranges.
import type { OpenRect, Rect } from './a1.ts';
import { type Cell, hasContent } from './cell.ts';
import { type Dimension, type DimensionEdit, applyToList, mapInterval, mapRect } from './dimension-edit.ts';
import type { JsonObject } from './json.ts';

/** The properties of a row or column besides its cells; never changed in place. */
export interface Band {
  readonly hiddenByUser?: boolean;
  readonly hiddenByFilter?: boolean;
  readonly pixelSize?: number;
  /** Developer metadata anchored here: it moves with this row or column, and is deleted with it. */
  readonly metadataIds?: readonly number[];
}

/** A row; never changed in place, so that copies of a sheet can share it. Blank cells are undefined. */
export interface Row extends Band {
  readonly cells: readonly (Cell | undefined)[];
  /** Whether any of the cells holds a formula: a structural edit can skip the other rows. */
  readonly hasFormula: boolean;
}

export interface ProtectedRange {
  readonly id: number;
  /** All sides open: the whole sheet. */
  readonly range: OpenRect;
  readonly namedRangeId?: string;
  readonly warningOnly: boolean;
  readonly description?: string;
  /** The accounts that may write, besides the owner of the spreadsheet. */
  readonly editors: readonly string[];
  readonly unprotectedRanges: readonly Rect[];
}

export interface DimensionGroup {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  readonly collapsed: boolean;
}

/** The basic filter or a filter view: its rectangle, and the rest as sent. */
export interface Filter {
  readonly range: Rect;
  readonly settings: JsonObject;
}

/** Google's limit for all sheets of a spreadsheet together. */
export const cellsMax = 10_000_000;

/** One tab. `rows.length` and `columns.length` are the size of its grid; undefined entries are blank and plain. */
export class Sheet {
  readonly id: number;
  title: string;
  /** SheetProperties other than id, title, index and the size of the grid. */
  properties: JsonObject = {};
  /** GridProperties other than the size: frozen rows, gridlines. */
  gridProperties: JsonObject = {};
  rows: (Row | undefined)[];
  columns: (Band | undefined)[];
  merges: Rect[] = [];
  protectedRanges: ProtectedRange[] = [];
  basicFilter: Filter | undefined;
  filterViews: Filter[] = [];
  groups: Record<Dimension, DimensionGroup[]> = { ROWS: [], COLUMNS: [] };
  /** Developer metadata of the sheet as a whole. */
  metadataIds: readonly number[] = [];

  constructor(id: number, title: string, rowCount: number, columnCount: number) {
    this.id = id;
    this.title = title;
    this.rows = Array.from({ length: rowCount });
    this.columns = Array.from({ length: columnCount });
  }

  /** A copy that can be changed without touching this one; rows and cells are shared. */
  clone(): Sheet {
    const copy = new Sheet(this.id, this.title, 0, 0);
    copy.copyContentFrom(this);
    copy.metadataIds = this.metadataIds;
    return copy;
  }

  /** Takes over everything but id, title and sheet metadata. */
  copyContentFrom(source: Sheet): void {
    this.properties = source.properties;
    this.gridProperties = source.gridProperties;
    this.rows = [...source.rows];
    this.columns = [...source.columns];
    this.merges = [...source.merges];
    this.protectedRanges = [...source.protectedRanges];
    this.basicFilter = source.basicFilter;
    this.filterViews = [...source.filterViews];
    this.groups = { ROWS: [...source.groups.ROWS], COLUMNS: [...source.groups.COLUMNS] };
  }

  get rowCount(): number {
    return this.rows.length;
  }

  get columnCount(): number {
    return this.columns.length;
  }

  /** The whole grid. */
  get bounds(): Rect {
    return { top: 0, left: 0, bottom: this.rows.length, right: this.columns.length };
  }

  cell(row: number, column: number): Cell | undefined {
    return this.rows[row]?.cells[column];
  }

  /** Whether a merge covers the cell; only its first cell can hold a value. */
  isCovered(row: number, column: number): boolean {
    return this.merges.some(
      ({ top, bottom, left, right }) =>
        row >= top && row < bottom && column >= left && column < right && (row > top || column > left),
    );
  }

  /** Replaces the cells of a row by the result of `change` on a copy of them. */
  editRow(index: number, change: (cells: (Cell | undefined)[]) => void): void {
    const row = this.rows[index];
    const cells = row ? [...row.cells] : [];
    change(cells);
    this.rows[index] = makeRow(cells, row);
  }

  /** Replaces cells of a rectangle, cell by cell. */
  editCells(rect: Rect, change: (cell: Cell | undefined, row: number, column: number) => Cell | undefined): void {
    for (let row = rect.top; row < rect.bottom; row += 1) {
      this.editRow(row, (cells) => {
        for (let column = rect.left; column < rect.right; column += 1) {
          while (cells.length < column) cells.push(undefined);
          cells[column] = change(cells[column], row, column);
        }
      });
    }
  }

  editBand(dimension: Dimension, index: number, change: (band: Band) => Band): void {
    if (dimension === 'COLUMNS') {
      this.columns[index] = change(this.columns[index] ?? {});
      return;
    }
    const row = this.rows[index];
    this.rows[index] = makeRow(row?.cells ?? [], change(row ?? {}));
  }

  /** The rows or columns, without their cells. */
  bands(dimension: Dimension): readonly (Band | undefined)[] {
    return dimension === 'ROWS' ? this.rows : this.columns;
  }

  /** Cuts the grid or extends it at its right and lower ends; returns the removed bands. */
  resize(dimension: Dimension, size: number): readonly (Band | undefined)[] {
    const before = dimension === 'ROWS' ? this.rows.length : this.columns.length;
    if (size === before) return [];
    const edit: DimensionEdit =
      size > before
        ? { kind: 'insert', dimension, start: before, end: size }
        : { kind: 'delete', dimension, start: size, end: before };
    return this.restructure(edit);
  }

  /**
   * Inserts, deletes or moves rows or columns with everything on them: cells, metadata, merges, protections, filters
   * and groups. Formulas are not rewritten here (they may be on other sheets). Returns the removed bands.
   */
  restructure(edit: DimensionEdit): readonly (Band | undefined)[] {
    const removed = edit.dimension === 'ROWS' ? applyToList(edit, this.rows, undefined) : this.restructureColumns(edit);
    this.merges = mapAll(this.merges, (merge) => mapRect(edit, merge));
    this.protectedRanges = mapAll(this.protectedRanges, (entry) => {
      const range = mapOpenRect(edit, entry.range);
      const unprotectedRanges = mapAll(entry.unprotectedRanges, (rect) => mapRect(edit, rect));
      return range && { ...entry, range, unprotectedRanges };
    });
    const mapFilter = (filter: Filter): Filter | undefined => {
      const range = mapRect(edit, filter.range);
      return range && { ...filter, range };
    };
    this.basicFilter = this.basicFilter && mapFilter(this.basicFilter);
    this.filterViews = mapAll(this.filterViews, mapFilter);
    this.groups[edit.dimension] = mapAll(this.groups[edit.dimension], (group) => {
      const interval = mapInterval(edit, group.start, group.end);
      return interval && { ...group, start: interval[0], end: interval[1] };
    });
    return removed;
  }

  private restructureColumns(edit: DimensionEdit): readonly (Band | undefined)[] {
    for (const [index, row] of this.rows.entries()) {
      if (!row || row.cells.length === 0) continue;
      if (row.cells.length <= edit.start && edit.kind !== 'move') continue;
      const cells = [...row.cells];
      while (cells.length < this.columns.length) cells.push(undefined);
      applyToList(edit, cells, undefined);
      this.rows[index] = makeRow(cells, row);
    }
    return applyToList(edit, this.columns, undefined);
  }

  /** The last row that holds content, plus one; 0 for a blank sheet. */
  contentBottom(): number {
    return 1 + this.rows.findLastIndex((row) => row?.cells.some((cell) => hasContent(cell)) ?? false);
  }
}

/** A row of these cells with the other properties of `band`; undefined: nothing is left to keep. */
export function makeRow(given: readonly (Cell | undefined)[], band: Band | undefined): Row | undefined {
  let end = given.length;
  while (end > 0 && given[end - 1] === undefined) end -= 1;
  const cells = end === given.length ? given : given.slice(0, end);
  const hasFormula = cells.some((cell) => cell?.formula !== undefined);
  if (band) {
    const { hiddenByUser, hiddenByFilter, pixelSize, metadataIds } = band;
    const carried: Band = {
      ...(hiddenByUser ? { hiddenByUser } : {}),
      ...(hiddenByFilter ? { hiddenByFilter } : {}),
      ...(pixelSize === undefined ? {} : { pixelSize }),
      ...(metadataIds && metadataIds.length > 0 ? { metadataIds } : {}),
    };
    if (Object.keys(carried).length > 0) return { cells, hasFormula, ...carried };
  }
  return cells.length > 0 ? { cells, hasFormula } : undefined;
}

/** Open sides stay open. */
export function mapOpenRect(edit: DimensionEdit, range: OpenRect): OpenRect | undefined {
  const [start, end] = edit.dimension === 'ROWS' ? [range.top, range.bottom] : [range.left, range.right];
  if (start === undefined && end === undefined) return range;
  if (edit.kind === 'move' && (start === undefined || end === undefined)) return range;
  const interval = mapInterval(edit, start ?? 0, end ?? Number.POSITIVE_INFINITY);
  if (!interval) return undefined;
  const [first, last] = interval;
  if (edit.dimension === 'ROWS') {
    return { ...range, ...(start === undefined ? {} : { top: first }), ...(end === undefined ? {} : { bottom: last }) };
  }
  return { ...range, ...(start === undefined ? {} : { left: first }), ...(end === undefined ? {} : { right: last }) };
}

function mapAll<T>(list: readonly T[], map: (entry: T) => T | undefined): T[] {
  return list.map(map).filter((entry) => entry !== undefined);
}

export function intersection(a: Rect, b: Rect): Rect | undefined {
  const rect: Rect = {
    top: Math.max(a.top, b.top),
    left: Math.max(a.left, b.left),
    bottom: Math.min(a.bottom, b.bottom),
    right: Math.min(a.right, b.right),
  };
  return rect.top < rect.bottom && rect.left < rect.right ? rect : undefined;
}

export function contains(outer: Rect, inner: Rect): boolean {
  return (
    outer.top <= inner.top && outer.left <= inner.left && outer.bottom >= inner.bottom && outer.right >= inner.right
  );
}

/** The rectangle of an open one within `bounds`; it may be empty. */
export function closeRect(range: OpenRect, bounds: Rect): Rect {
  return {
    top: range.top ?? bounds.top,
    left: range.left ?? bounds.left,
    bottom: range.bottom ?? bounds.bottom,
    right: range.right ?? bounds.right,
  };
}
