// Turns the notations of cells (A1 text, GridRange) into a sheet and a rectangle, and back.
import { type OpenRect, type Rect, columnToLetters, parseReference, quoteTitle, rectToA1, splitA1 } from './a1.ts';
import { invalidArgument } from './errors.ts';
import type { JsonObject } from './json.ts';
import { type Sheet, closeRect, intersection } from './sheet.ts';
import type { Spreadsheet } from './spreadsheet.ts';

/** A GridRange of the API; missing sides are open, a missing sheetId is 0. */
export interface GridRange {
  readonly sheetId?: number | undefined;
  readonly startRowIndex?: number | undefined;
  readonly endRowIndex?: number | undefined;
  readonly startColumnIndex?: number | undefined;
  readonly endColumnIndex?: number | undefined;
}

export interface SheetRange {
  readonly sheet: Sheet;
  readonly range: OpenRect;
}

/** The range of an A1 text. A bare word is a named range first, then a cell, then a tab. */
export function resolveA1(spreadsheet: Spreadsheet, text: string): SheetRange {
  const found = findA1(spreadsheet, text);
  if (!found) throw invalidArgument(`Unable to parse range: ${text}`);
  return found;
}

function findA1(spreadsheet: Spreadsheet, text: string): SheetRange | undefined {
  const parts = splitA1(text);
  if (!parts) return undefined;
  if (parts.title !== undefined) {
    const sheet = spreadsheet.findSheetByTitle(parts.title);
    const range = parts.reference === undefined ? {} : parseReference(parts.reference);
    if (sheet && range) return { sheet, range };
    // Recorded: `'Sheet1'!NamedRange` is the range of that name. A range of another tab is refused here; Google's
    // answer is unknown.
    return sheet && findNamedRange(spreadsheet, parts.reference ?? '', sheet);
  }
  const { reference = '' } = parts;
  const named = findNamedRange(spreadsheet, reference);
  if (named) return named;
  const [firstSheet] = spreadsheet.sheets;
  const range = parseReference(reference);
  if (range && firstSheet) return { sheet: firstSheet, range };
  const sheet = spreadsheet.findSheetByTitle(reference);
  return sheet && { sheet, range: {} };
}

/** The range of that name, of one tab or of any. */
function findNamedRange(spreadsheet: Spreadsheet, name: string, onSheet?: Sheet): SheetRange | undefined {
  const named = spreadsheet.namedRanges.find((entry) => entry.name.toLowerCase() === name.toLowerCase());
  if (!named) return undefined;
  const sheet = spreadsheet.sheet(named.sheetId);
  return onSheet === undefined || onSheet === sheet ? { sheet, range: named.range } : undefined;
}

/** Refuses a range that begins outside the grid; one that only ends outside is clipped. */
export function clipToGrid({ sheet, range }: SheetRange): Rect {
  const rect = intersection(closeRect(range, sheet.bounds), sheet.bounds);
  if (!rect) throw exceedsGrid(sheet, range);
  return rect;
}

/** Refuses a rectangle that does not lie within the grid. */
export function requireWithinGrid(sheet: Sheet, rect: Rect): void {
  if (rect.bottom > sheet.rowCount || rect.right > sheet.columnCount) throw exceedsGrid(sheet, rect);
}

function exceedsGrid(sheet: Sheet, range: OpenRect): Error {
  const max = `Max rows: ${sheet.rowCount}, max columns: ${sheet.columnCount}`;
  return invalidArgument(`Range (${openRectToA1(sheet.title, range)}) exceeds grid limits. ${max}`);
}

function openRectToA1(title: string, { top, left, bottom, right }: OpenRect): string {
  if (top !== undefined && left !== undefined && bottom !== undefined && right !== undefined) {
    return rectToA1(title, { top, left, bottom, right });
  }
  const corner = (column: number | undefined, row: number | undefined): string =>
    `${column === undefined ? '' : columnToLetters(column)}${row === undefined ? '' : row + 1}`;
  const first = corner(left, top);
  const last = corner(right === undefined ? undefined : right - 1, bottom === undefined ? undefined : bottom - 1);
  return first === '' && last === '' ? quoteTitle(title) : `${quoteTitle(title)}!${first}:${last}`;
}

/** The sheet and sides of a GridRange; sides may be open and may lie beyond the grid. */
export function resolveGridRange(spreadsheet: Spreadsheet, range: GridRange): SheetRange {
  const sheet = spreadsheet.sheet(range.sheetId ?? 0);
  checkSides('Row', range.startRowIndex, range.endRowIndex);
  checkSides('Column', range.startColumnIndex, range.endColumnIndex);
  return {
    sheet,
    range: {
      ...(range.startRowIndex === undefined ? {} : { top: range.startRowIndex }),
      ...(range.endRowIndex === undefined ? {} : { bottom: range.endRowIndex }),
      ...(range.startColumnIndex === undefined ? {} : { left: range.startColumnIndex }),
      ...(range.endColumnIndex === undefined ? {} : { right: range.endColumnIndex }),
    },
  };
}

function checkSides(name: 'Row' | 'Column', start: number | undefined, end: number | undefined): void {
  if ((start ?? 0) < 0) throw invalidArgument(`GridRange.start${name}Index[${start}] must not be negative.`);
  if (end !== undefined && end <= (start ?? 0)) {
    throw invalidArgument(
      `GridRange.start${name}Index[${start ?? 0}] must be less than GridRange.end${name}Index[${end}].`,
    );
  }
}

/** The rectangle of a GridRange that has to lie within the grid; open sides reach its edges. */
export function closedGridRange(
  spreadsheet: Spreadsheet,
  range: GridRange,
): { readonly sheet: Sheet; readonly rect: Rect } {
  const { sheet, range: open } = resolveGridRange(spreadsheet, range);
  const rect = closeRect(open, sheet.bounds);
  if (rect.top >= rect.bottom || rect.left >= rect.right) throw exceedsGrid(sheet, open);
  requireWithinGrid(sheet, rect);
  return { sheet, rect };
}

/** A GridRange in the form of the API: a sheetId of 0 is left out. */
export function gridRangeToJson(sheetId: number, { top, bottom, left, right }: OpenRect): JsonObject {
  return {
    ...(sheetId === 0 ? {} : { sheetId }),
    ...(top === undefined ? {} : { startRowIndex: top }),
    ...(bottom === undefined ? {} : { endRowIndex: bottom }),
    ...(left === undefined ? {} : { startColumnIndex: left }),
    ...(right === undefined ? {} : { endColumnIndex: right }),
  };
}
