// Edits by a person at the sheet: not limited, not counted, never hit by a fault.
import type { Rect } from './a1.ts';
import { lettersToColumn } from './a1.ts';
import { applyRequests, parseRequests } from './batch-update/batch-update.ts';
import type { Caller } from './edit.ts';
import { clipToGrid, gridRangeToJson, resolveA1 } from './grid-range.ts';
import type { Json, JsonObject } from './json.ts';
import type { SpreadsheetFile } from './model.ts';
import { clearValues, readValues, writeValues } from './value-range.ts';

/**
 * A person with a spreadsheet open. Rows are numbered from 1, as in the grid; columns are letters; ranges are A1 with
 * the tab's title. Every method throws the ApiError of the API.
 */
export class Person {
  private readonly file: SpreadsheetFile;
  private readonly caller: Caller;

  /** `email` decides the rights in protected ranges; the owner may edit everything. */
  constructor(file: SpreadsheetFile, email: string = file.ownerEmail) {
    this.file = file;
    this.caller = { email };
  }

  /** Types a text into one cell. */
  type(cell: string, text: string): void {
    this.file.edit(this.caller, (edit) => {
      writeValues(edit, resolveA1(edit.spreadsheet, cell), 'ROWS', [[text]], 'USER_ENTERED');
    });
  }

  /** Puts values from a corner cell on, like a paste of values: text stays text. */
  paste(corner: string, values: readonly (readonly Json[])[]): void {
    this.file.edit(this.caller, (edit) => {
      writeValues(edit, resolveA1(edit.spreadsheet, corner), 'ROWS', values, 'RAW');
    });
  }

  /** Empties cells; formats and notes stay. */
  clear(range: string): void {
    this.file.edit(this.caller, (edit) => {
      const resolved = resolveA1(edit.spreadsheet, range);
      clearValues(edit, resolved.sheet, clipToGrid(resolved));
    });
  }

  insertRows(tab: string, before: number, count = 1): void {
    this.request({ insertDimension: { range: this.rows(tab, before, count) } });
  }

  deleteRows(tab: string, first: number, count = 1): void {
    this.request({ deleteDimension: { range: this.rows(tab, first, count) } });
  }

  /** Drags rows to before another. */
  moveRows(tab: string, first: number, count: number, before: number): void {
    this.request({ moveDimension: { source: this.rows(tab, first, count), destinationIndex: before - 1 } });
  }

  insertColumns(tab: string, before: string, count = 1): void {
    this.request({ insertDimension: { range: this.columns(tab, before, count) } });
  }

  deleteColumns(tab: string, first: string, count = 1): void {
    this.request({ deleteDimension: { range: this.columns(tab, first, count) } });
  }

  moveColumns(tab: string, first: string, count: number, before: string): void {
    this.request({
      moveDimension: { source: this.columns(tab, first, count), destinationIndex: lettersToColumn(before) },
    });
  }

  /** Sorts all columns of the rows below the header by one column. */
  sort(tab: string, column: string, order: 'ASCENDING' | 'DESCENDING' = 'ASCENDING', headerRows = 1): void {
    const range: JsonObject = { sheetId: this.sheetId(tab), startRowIndex: headerRows };
    this.request({ sortRange: { range, sortSpecs: [{ dimensionIndex: lettersToColumn(column), sortOrder: order }] } });
  }

  /** Sorts a part of a tab: the cells beside it stay. */
  sortRange(range: string, column: string, order: 'ASCENDING' | 'DESCENDING' = 'ASCENDING'): void {
    const sortSpecs = [{ dimensionIndex: lettersToColumn(column), sortOrder: order }];
    this.request({ sortRange: { range: this.gridRange(range), sortSpecs } });
  }

  cutPaste(from: string, toCell: string): void {
    const { startRowIndex, startColumnIndex, sheetId } = this.gridRange(toCell);
    const destination = { sheetId: sheetId ?? 0, rowIndex: startRowIndex, columnIndex: startColumnIndex };
    this.request({ cutPaste: { source: this.gridRange(from), destination, pasteType: 'PASTE_NORMAL' } });
  }

  copyPaste(from: string, to: string): void {
    const [source, destination] = [this.gridRange(from), this.gridRange(to)];
    this.request({ copyPaste: { source, destination, pasteType: 'PASTE_NORMAL' } });
  }

  renameTab(tab: string, title: string): void {
    this.request({ updateSheetProperties: { properties: { sheetId: this.sheetId(tab), title }, fields: 'title' } });
  }

  /** Any other edit: requests of spreadsheets.batchUpdate, applied as one. */
  request(...requests: readonly JsonObject[]): readonly JsonObject[] {
    const parsed = parseRequests(requests);
    return this.file.edit(this.caller, (edit) => applyRequests(edit, parsed));
  }

  /** The values of a range, without blank ends. Default: as the grid shows them. */
  read(
    range: string,
    values: 'FORMATTED_VALUE' | 'UNFORMATTED_VALUE' | 'FORMULA' = 'FORMATTED_VALUE',
  ): readonly (readonly Json[])[] {
    const resolved = resolveA1(this.file.content, range);
    const rect: Rect = clipToGrid(resolved);
    const read = readValues(resolved.sheet, rect, 'ROWS', { values, dates: 'SERIAL_NUMBER' }, this.file.calculation);
    return (read['values'] ?? []) as readonly (readonly Json[])[];
  }

  private sheetId(tab: string): number {
    return resolveA1(this.file.content, `'${tab.replaceAll("'", "''")}'`).sheet.id;
  }

  private gridRange(range: string): JsonObject {
    const resolved = resolveA1(this.file.content, range);
    return gridRangeToJson(resolved.sheet.id, clipToGrid(resolved));
  }

  private rows(tab: string, first: number, count: number): JsonObject {
    return { sheetId: this.sheetId(tab), dimension: 'ROWS', startIndex: first - 1, endIndex: first - 1 + count };
  }

  private columns(tab: string, first: string, count: number): JsonObject {
    const startIndex = lettersToColumn(first);
    return { sheetId: this.sheetId(tab), dimension: 'COLUMNS', startIndex, endIndex: startIndex + count };
  }
}
