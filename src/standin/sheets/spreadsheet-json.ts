// The Spreadsheet resource in the form of spreadsheets.get. Grid data is built field by field from the mask, so a read
// of a large sheet costs only the requested fields.
import type { Rect } from './a1.ts';
import type { Calculation } from './calculation.ts';
import { type Cell, type CellValue, CellError, errorTypeByText, hasContent } from './cell.ts';
import type { FieldMask } from './field-mask.ts';
import { type SheetRange, clipToGrid, gridRangeToJson } from './grid-range.ts';
import { type Json, type JsonObject, isJsonObject, mergeJson } from './json.ts';
import { metadataToJson } from './metadata.ts';
import { displayText } from './number-format.ts';
import { filterToJson, groupToJson, namedRangeToJson, protectedRangeToJson } from './resource-json.ts';
import type { Band, Sheet } from './sheet.ts';
import { sheetPropertiesToJson } from './sheet-properties.ts';
import type { Spreadsheet } from './spreadsheet.ts';

/** The default size of a row or column, in pixels. */
const pixelSizeDefault = { ROWS: 21, COLUMNS: 100 } as const;

export interface SpreadsheetView {
  readonly spreadsheetId: string;
  readonly spreadsheet: Spreadsheet;
  readonly calculation: Calculation;
  readonly mask: FieldMask;
  readonly includeGridData: boolean;
  /** Undefined: everything. */
  readonly ranges: readonly SheetRange[] | undefined;
  readonly viewer: { readonly email: string; readonly ownerEmail: string };
}

export function spreadsheetToJson(view: SpreadsheetView): JsonObject {
  const { spreadsheet, spreadsheetId, mask } = view;
  const sheetMask = mask.inside('sheets');
  const withData = sheetMask.everything ? view.includeGridData : sheetMask.has('data');
  const sheets = spreadsheet.sheets.filter(
    (sheet) => !view.ranges || view.ranges.some((range) => range.sheet === sheet),
  );
  const metadata = metadataList(spreadsheet, spreadsheet.metadataIds);
  const namedRanges = spreadsheet.namedRanges.map(namedRangeToJson);
  const whole: JsonObject = {
    spreadsheetId,
    properties: spreadsheet.properties,
    ...(namedRanges.length > 0 ? { namedRanges } : {}),
    spreadsheetUrl: `https://docs.google.com/spreadsheets/d/${spreadsheetId}/edit`,
    ...(metadata.length > 0 ? { developerMetadata: metadata } : {}),
  };
  const picked = mask.pick(whole) as JsonObject;
  if (!mask.has('sheets')) return picked;
  return { ...picked, sheets: sheets.map((sheet) => sheetToJson(view, sheet, sheetMask, withData)) };
}

function sheetToJson(view: SpreadsheetView, sheet: Sheet, mask: FieldMask, withData: boolean): JsonObject {
  const { spreadsheet, viewer } = view;
  const lists: Record<string, readonly Json[]> = {
    merges: sheet.merges.map((merge) => gridRangeToJson(sheet.id, merge)),
    filterViews: sheet.filterViews.map((filter) => filterToJson(sheet, filter)),
    protectedRanges: sheet.protectedRanges.map((entry) => protectedRangeToJson(sheet, entry, viewer)),
    rowGroups: sheet.groups.ROWS.map((group) => groupToJson(sheet.id, 'ROWS', group)),
    columnGroups: sheet.groups.COLUMNS.map((group) => groupToJson(sheet.id, 'COLUMNS', group)),
    developerMetadata: metadataList(spreadsheet, sheet.metadataIds),
  };
  const whole: JsonObject = {
    properties: sheetPropertiesToJson(spreadsheet, sheet),
    ...Object.fromEntries(Object.entries(lists).filter(([, entries]) => entries.length > 0)),
    ...(sheet.basicFilter ? { basicFilter: filterToJson(sheet, sheet.basicFilter) } : {}),
  };
  const picked = mask.pick(whole) as JsonObject;
  if (!withData) return picked;
  const rects = view.ranges ? view.ranges.filter((range) => range.sheet === sheet).map(clipToGrid) : [sheet.bounds];
  return { ...picked, data: rects.map((rect) => gridData(view, sheet, rect, mask.inside('data'))) };
}

function gridData(view: SpreadsheetView, sheet: Sheet, rect: Rect, mask: FieldMask): JsonObject {
  const rows = mask.has('rowData') ? rowData(view, sheet, rect, mask.inside('rowData')) : [];
  return {
    ...(mask.has('startRow') && rect.top > 0 ? { startRow: rect.top } : {}),
    ...(mask.has('startColumn') && rect.left > 0 ? { startColumn: rect.left } : {}),
    ...(rows.length > 0 ? { rowData: rows } : {}),
    ...(mask.has('rowMetadata')
      ? { rowMetadata: bandList(view, sheet, 'ROWS', rect.top, rect.bottom, mask.inside('rowMetadata')) }
      : {}),
    ...(mask.has('columnMetadata')
      ? { columnMetadata: bandList(view, sheet, 'COLUMNS', rect.left, rect.right, mask.inside('columnMetadata')) }
      : {}),
  };
}

function rowData(view: SpreadsheetView, sheet: Sheet, rect: Rect, mask: FieldMask): Json[] {
  const rows: Json[] = [];
  const cellMask = mask.inside('values');
  const expansion = view.calculation.expansion(sheet);
  for (let row = rect.top; row < rect.bottom; row += 1) {
    const cells = sheet.rows[row]?.cells ?? [];
    let end = Math.min(rect.right, Math.max(cells.length, expansion.right));
    const isBlankAt = (column: number) =>
      cells[column] === undefined && (expansion.bottom === 0 || !expansion.values.has(`${row}:${column}`));
    while (end > rect.left && isBlankAt(end - 1)) end -= 1;
    if (end <= rect.left || !mask.has('values')) {
      rows.push({});
      continue;
    }
    const values: Json[] = [];
    for (let column = rect.left; column < end; column += 1) {
      const cell = cells[column];
      values.push(
        isBlankAt(column)
          ? {}
          : cellToJson(view, cell ?? {}, view.calculation.value(sheet, row, column, cell), cellMask),
      );
    }
    rows.push({ values });
  }
  let end = rows.length;
  while (end > 0 && isBlank(rows[end - 1])) end -= 1;
  return rows.slice(0, end);
}

const isBlank = (row: Json | undefined): boolean => isJsonObject(row) && row['values'] === undefined;

function cellToJson(view: SpreadsheetView, cell: Cell, value: CellValue, mask: FieldMask): JsonObject {
  const json: Record<string, Json> = {};
  // A cell that an array formula fills has an effective value, and no entered one.
  if (hasContent(cell) || value !== undefined) {
    if (mask.has('userEnteredValue') && hasContent(cell)) {
      json['userEnteredValue'] = mask
        .inside('userEnteredValue')
        .pick(cell.formula === undefined ? extendedValue(cell.value) : { formulaValue: cell.formula });
    }
    if (mask.has('effectiveValue')) json['effectiveValue'] = mask.inside('effectiveValue').pick(extendedValue(value));
    if (mask.has('formattedValue')) json['formattedValue'] = displayText(value, cell);
  }
  if (mask.has('userEnteredFormat') && cell.format)
    json['userEnteredFormat'] = mask.inside('userEnteredFormat').pick(cell.format);
  if (mask.has('effectiveFormat') && (hasContent(cell) || cell.format)) {
    const defaults = view.spreadsheet.properties['defaultFormat'];
    const effective = mergeJson(isJsonObject(defaults) ? defaults : {}, cell.format ?? {});
    json['effectiveFormat'] = mask.inside('effectiveFormat').pick(effective);
  }
  if (mask.has('note') && cell.note !== undefined) json['note'] = cell.note;
  if (mask.has('dataValidation') && cell.validation)
    json['dataValidation'] = mask.inside('dataValidation').pick(cell.validation);
  return json;
}

function extendedValue(value: CellValue): JsonObject {
  if (value instanceof CellError) {
    return { errorValue: { type: errorTypeByText[value.text], message: value.message } };
  }
  switch (typeof value) {
    case 'number':
      return { numberValue: value };
    case 'boolean':
      return { boolValue: value };
    case 'string':
      return { stringValue: value };
    default:
      return {};
  }
}

function bandList(
  view: SpreadsheetView,
  sheet: Sheet,
  dimension: 'ROWS' | 'COLUMNS',
  start: number,
  end: number,
  mask: FieldMask,
): readonly Json[] {
  const bands = sheet.bands(dimension);
  return Array.from({ length: end - start }, (_, offset) => {
    const band: Band = bands[start + offset] ?? {};
    const json: Record<string, Json> = {};
    if (mask.has('pixelSize')) json['pixelSize'] = band.pixelSize ?? pixelSizeDefault[dimension];
    if (mask.has('hiddenByUser') && band.hiddenByUser) json['hiddenByUser'] = true;
    if (mask.has('hiddenByFilter') && band.hiddenByFilter) json['hiddenByFilter'] = true;
    if (mask.has('developerMetadata') && band.metadataIds) {
      json['developerMetadata'] = mask
        .inside('developerMetadata')
        .pick(metadataList(view.spreadsheet, band.metadataIds));
    }
    return json;
  });
}

function metadataList(spreadsheet: Spreadsheet, ids: readonly number[]): readonly JsonObject[] {
  return ids.flatMap((id) => {
    const entry = spreadsheet.metadataById.get(id);
    const place = spreadsheet.places().get(id);
    return entry && place ? [metadataToJson(entry, place)] : [];
  });
}
