// The request that sorts a range.
import type { Rect } from '../a1.ts';
import { Calculation } from '../calculation.ts';
import { type Cell, type CellValue, hasContent } from '../cell.ts';
import { type Edit, requireEditable } from '../edit.ts';
import { ApiError, invalidArgument } from '../errors.ts';
import { shiftReferences } from '../formula-references.ts';
import { compareValues } from '../formula-values.ts';
import { closedGridRange } from '../grid-range.ts';
import { enumeration, gridRange, int, list, message, opaque } from '../schema.ts';
import { type Sheet, makeRow } from '../sheet.ts';
import { requestKind } from './request-kind.ts';

interface SortKey {
  readonly column: number;
  readonly descending: boolean;
}

const sortRange = requestKind(
  message('SortRangeRequest', {
    range: gridRange.optional(),
    sortSpecs: list(
      message('SortSpec', {
        // The column of the sheet, not an offset in the range (measured).
        dimensionIndex: int.optional(),
        sortOrder: enumeration('SortOrder', ['SORT_ORDER_UNSPECIFIED', 'ASCENDING', 'DESCENDING']).optional(),
        foregroundColor: opaque('Color').optional(),
        backgroundColor: opaque('Color').optional(),
      }),
    ).optional(),
  }),
  (edit, { range, sortSpecs = [] }) => {
    const { sheet, rect } = closedGridRange(edit.spreadsheet, range ?? {});
    if (sortSpecs.length === 0) throw invalidArgument('At least one sort spec must be specified');
    const keys = sortSpecs.map(({ dimensionIndex = 0, sortOrder }): SortKey => {
      // Google answers this one with an internal error, not a refusal (measured).
      if (sortOrder === 'SORT_ORDER_UNSPECIFIED') throw new ApiError('INTERNAL', 'Internal error encountered.');
      if (dimensionIndex < rect.left || dimensionIndex >= rect.right) {
        throw invalidArgument(`dimensionIndex[${dimensionIndex}] must be within the sorted range`);
      }
      return { column: dimensionIndex, descending: sortOrder === 'DESCENDING' };
    });
    requireEditable(edit, sheet, rect);
    sortRows(edit, sheet, rect, keys);
    return undefined;
  },
);

/** Sorts the rows of a rectangle, stably; blank keys go last in either direction, as in Google Sheets. */
export function sortRows(edit: Edit, sheet: Sheet, rect: Rect, keys: readonly SortKey[]): void {
  const calculation = new Calculation(edit.spreadsheet, edit.now);
  const entries = Array.from({ length: rect.bottom - rect.top }, (_, offset) => {
    const row = rect.top + offset;
    return { row, values: keys.map(({ column }) => calculation.valueAt(sheet, row, column)) };
  });
  const order = entries.toSorted((a, b) => {
    for (const [index, { descending }] of keys.entries()) {
      const compared = compareKeys(a.values[index], b.values[index], descending);
      if (compared !== 0) return compared;
    }
    return 0;
  });
  const metadataFollows = edit.behaviour.partialSortMovesMetadata || coversContent(sheet, rect);
  const before = sheet.rows.slice(rect.top, rect.bottom);
  for (const [offset, { row: from }] of order.entries()) {
    const to = rect.top + offset;
    if (from === to) continue;
    const target = before[offset];
    const source = before[from - rect.top];
    const cells: (Cell | undefined)[] = [...(target?.cells ?? [])];
    while (cells.length < rect.right) cells.push(undefined);
    for (let column = rect.left; column < rect.right; column += 1) {
      cells[column] = movedCell(source?.cells[column], to - from);
    }
    const carrier = metadataFollows ? source : target;
    sheet.rows[to] = makeRow(cells, { ...target, metadataIds: carrier?.metadataIds ?? [] });
  }
  edit.spreadsheet.forgetPlaces();
}

function compareKeys(a: CellValue, b: CellValue, descending: boolean): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return descending ? compareValues(b, a) : compareValues(a, b);
}

/** A sorted formula is rewritten as if copied to its new row. */
function movedCell(cell: Cell | undefined, rows: number): Cell | undefined {
  return cell?.formula === undefined ? cell : { ...cell, formula: shiftReferences(cell.formula, rows, 0) };
}

/** Whether all other columns are blank, so that whole rows are sorted. */
function coversContent(sheet: Sheet, rect: Rect): boolean {
  return sheet.rows
    .slice(rect.top, rect.bottom)
    .every(
      (row) => !row?.cells.some((cell, column) => hasContent(cell) && (column < rect.left || column >= rect.right)),
    );
}

export const sortRequests = { sortRange };
