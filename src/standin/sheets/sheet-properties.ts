// Builds the SheetProperties of an answer.
import type { JsonObject } from './json.ts';
import type { Sheet } from './sheet.ts';
import type { Spreadsheet } from './spreadsheet.ts';

/** SheetProperties, in Google's order. */
export function sheetPropertiesToJson(spreadsheet: Spreadsheet, sheet: Sheet): JsonObject {
  return {
    sheetId: sheet.id,
    title: sheet.title,
    index: spreadsheet.sheets.indexOf(sheet),
    sheetType: 'GRID',
    gridProperties: { rowCount: sheet.rowCount, columnCount: sheet.columnCount, ...sheet.gridProperties },
    ...sheet.properties,
  };
}
