// Requests about tabs and the spreadsheet as a whole.
import type { z } from 'zod';
import { columnsMax, quoteTitle } from '../a1.ts';
import { normaliseColors } from '../cell-format.ts';
import { requireEditable } from '../edit.ts';
import type { Edit } from '../edit.ts';
import { invalidArgument } from '../errors.ts';
import { parseUpdateMask, updateByMask } from '../field-mask.ts';
import { renameInReferences } from '../formula-references.ts';
import { type JsonObject, isJsonObject } from '../json.ts';
import { bool, enumeration, int, message, opaque, text } from '../schema.ts';
import { Sheet, makeRow } from '../sheet.ts';
import { sheetPropertiesToJson } from '../sheet-properties.ts';
import type { Spreadsheet } from '../spreadsheet.ts';
import { requestKind } from './request-kind.ts';

const gridProperties = message('GridProperties', {
  rowCount: int.optional(),
  columnCount: int.optional(),
  frozenRowCount: int.optional(),
  frozenColumnCount: int.optional(),
  hideGridlines: bool.optional(),
  rowGroupControlAfter: bool.optional(),
  columnGroupControlAfter: bool.optional(),
});

export const sheetProperties = message('SheetProperties', {
  sheetId: int.optional(),
  title: text.optional(),
  index: int.optional(),
  sheetType: enumeration('SheetType', ['SHEET_TYPE_UNSPECIFIED', 'GRID', 'OBJECT', 'DATA_SOURCE']).optional(),
  gridProperties: gridProperties.optional(),
  hidden: bool.optional(),
  tabColor: opaque('Color').optional(),
  tabColorStyle: opaque('ColorStyle').optional(),
  rightToLeft: bool.optional(),
});
export type SheetPropertiesInput = z.output<typeof sheetProperties>;

/** A new sheet with these properties, at its index. Chooses a free title and id if none is given. */
export function createSheet(spreadsheet: Spreadsheet, input: SheetPropertiesInput, newId: () => number): Sheet {
  if (input.sheetType !== undefined && input.sheetType !== 'GRID') {
    throw invalidArgument(`Sheets of type ${input.sheetType} cannot be added here`);
  }
  const title = input.title ?? freeTitle(spreadsheet, (number) => `Sheet${number}`);
  requireFreeTitle(spreadsheet, title, undefined);
  const id = input.sheetId ?? newId();
  if (id < 0) throw invalidArgument(`sheetId[${id}] must not be negative`);
  if (spreadsheet.findSheet(id)) {
    throw invalidArgument(`Sheet with id ${id} already exists. Please choose another id.`);
  }
  const { rowCount = 1000, columnCount = 26, ...grid } = input.gridProperties ?? {};
  requireSize(rowCount, columnCount);
  const sheet = new Sheet(id, title, rowCount, columnCount);
  applyProperties(sheet, { ...input, gridProperties: grid });
  const index = input.index ?? spreadsheet.sheets.length;
  if (index < 0 || index > spreadsheet.sheets.length) throw invalidArgument(`index[${index}] is out of range`);
  spreadsheet.sheets.splice(index, 0, sheet);
  spreadsheet.forgetPlaces();
  spreadsheet.checkSize();
  return sheet;
}

function freeTitle(spreadsheet: Spreadsheet, title: (number: number) => string): string {
  let number = 1;
  while (spreadsheet.findSheetByTitle(title(number))) number += 1;
  return title(number);
}

function requireFreeTitle(spreadsheet: Spreadsheet, title: string, self: Sheet | undefined): void {
  if (title === '') throw invalidArgument('The sheet name cannot be empty.');
  const other = spreadsheet.findSheetByTitle(title);
  if (other && other !== self) {
    throw invalidArgument(`A sheet with the name "${title}" already exists. Please enter another name.`);
  }
}

function requireSize(rowCount: number, columnCount: number): void {
  if (rowCount < 1) throw invalidArgument('gridProperties.rowCount must be greater than 0');
  if (columnCount < 1) throw invalidArgument('gridProperties.columnCount must be greater than 0');
  if (columnCount > columnsMax) {
    throw invalidArgument(
      `This action would increase the number of columns in the sheet above the limit of ${columnsMax} columns.`,
    );
  }
}

/** Stores the properties except id, title, index and size. False and zero are the defaults, and not stored. */
function applyProperties(sheet: Sheet, input: SheetPropertiesInput): void {
  const { gridProperties: grid = {}, hidden, tabColor, tabColorStyle, rightToLeft } = input;
  const { rowCount: _rows, columnCount: _columns, ...gridRest } = grid;
  sheet.gridProperties = truthy(gridRest);
  sheet.properties = normaliseColors(truthy({ hidden, tabColor, tabColorStyle, rightToLeft }));
}

function truthy(fields: Readonly<Record<string, JsonObject[string]>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => Boolean(value)));
}

const addSheet = requestKind(
  message('AddSheetRequest', { properties: sheetProperties.optional() }),
  (edit, { properties = {} }) => {
    const sheet = createSheet(edit.spreadsheet, properties, edit.newId);
    return { addSheet: { properties: sheetPropertiesToJson(edit.spreadsheet, sheet) } };
  },
);

const deleteSheet = requestKind(message('DeleteSheetRequest', { sheetId: int.optional() }), (edit, { sheetId = 0 }) => {
  const { spreadsheet } = edit;
  const sheet = spreadsheet.findSheet(sheetId);
  if (!sheet) throw invalidArgument(`No sheet with id: ${sheetId}`);
  const visible = spreadsheet.sheets.filter((other) => other !== sheet && other.properties['hidden'] !== true);
  if (visible.length === 0) throw invalidArgument("You can't remove all the visible sheets in a document.");
  requireEditable(edit, sheet, sheet.bounds);
  spreadsheet.sheets = spreadsheet.sheets.filter((other) => other !== sheet);
  spreadsheet.namedRanges = spreadsheet.namedRanges.filter((named) => named.sheetId !== sheetId);
  for (const [id, entry] of spreadsheet.metadataById)
    if (entry.sheetId === sheetId) spreadsheet.metadataById.delete(id);
  spreadsheet.forgetPlaces();
  return undefined;
});

const duplicateSheet = requestKind(
  message('DuplicateSheetRequest', {
    sourceSheetId: int.optional(),
    insertSheetIndex: int.optional(),
    newSheetId: int.optional(),
    newSheetName: text.optional(),
  }),
  (edit, { sourceSheetId = 0, insertSheetIndex, newSheetId, newSheetName }) => {
    const { spreadsheet } = edit;
    const source = spreadsheet.sheet(sourceSheetId);
    const title =
      newSheetName ?? freeTitle(spreadsheet, (number) => `Copy of ${source.title}${number === 1 ? '' : ` ${number}`}`);
    const copy = createSheet(
      spreadsheet,
      {
        title,
        ...(newSheetId === undefined ? {} : { sheetId: newSheetId }),
        index: insertSheetIndex ?? spreadsheet.sheets.indexOf(source) + 1,
      },
      edit.newId,
    );
    copy.copyContentFrom(source);
    // Values are copied, developer metadata is not (measured).
    copy.rows = copy.rows.map((row) => row && makeRow(row.cells, { ...row, metadataIds: [] }));
    copy.columns = copy.columns.map((column) => {
      const { metadataIds: _metadataIds, ...rest } = column ?? {};
      return rest;
    });
    copy.protectedRanges = copy.protectedRanges.map((entry) => ({ ...entry, id: edit.newId() }));
    spreadsheet.forgetPlaces();
    spreadsheet.checkSize();
    return { duplicateSheet: { properties: sheetPropertiesToJson(spreadsheet, copy) } };
  },
);

const updateSheetProperties = requestKind(
  message('UpdateSheetPropertiesRequest', { properties: sheetProperties.optional(), fields: text.optional() }),
  (edit, { properties = {}, fields }) => {
    const mask = parseUpdateMask(fields);
    const { spreadsheet } = edit;
    const sheet = spreadsheet.sheet(properties.sheetId ?? 0);
    if (mask.has('title') && properties.title !== undefined) renameSheet(spreadsheet, sheet, properties.title);
    if (mask.has('gridProperties')) {
      const grid = mask.inside('gridProperties');
      const sent = properties.gridProperties ?? {};
      resizeSheet(
        edit,
        sheet,
        grid.has('rowCount') ? (sent.rowCount ?? sheet.rowCount) : sheet.rowCount,
        grid.has('columnCount') ? (sent.columnCount ?? sheet.columnCount) : sheet.columnCount,
      );
      const {
        rowCount: _rows,
        columnCount: _columns,
        ...others
      } = updateByMask(sheet.gridProperties, truthy(sent), grid);
      sheet.gridProperties = others;
      requireFrozenFits(sheet);
    }
    const colorMask = mask.everything
      ? mask
      : mask.mapNames((name) => (name.startsWith('tabColor') ? ['tabColor', 'tabColorStyle'] : [name]));
    const { hidden, tabColor, tabColorStyle, rightToLeft } = properties;
    sheet.properties = keepSheetFields(
      updateByMask(
        sheet.properties,
        normaliseColors(truthy({ hidden, tabColor, tabColorStyle, rightToLeft })),
        colorMask,
      ),
    );
    if (spreadsheet.sheets.every((other) => other.properties['hidden'] === true)) {
      throw invalidArgument("You can't hide all the sheets in a document.");
    }
    if (mask.has('index') && properties.index !== undefined) moveSheet(spreadsheet, sheet, properties.index);
    return undefined;
  },
);

/** Title, index and grid are stored elsewhere. */
function keepSheetFields({ hidden, tabColor, tabColorStyle, rightToLeft }: JsonObject): JsonObject {
  return truthy({ hidden, tabColor, tabColorStyle, rightToLeft });
}

function resizeSheet(edit: Edit, sheet: Sheet, rowCount: number, columnCount: number): void {
  requireSize(rowCount, columnCount);
  const { bounds } = sheet;
  if (rowCount < bounds.bottom) requireEditable(edit, sheet, { ...bounds, top: rowCount });
  if (columnCount < bounds.right) requireEditable(edit, sheet, { ...bounds, left: columnCount });
  edit.spreadsheet.resize(sheet, rowCount, columnCount);
}

function requireFrozenFits(sheet: Sheet): void {
  const { frozenRowCount = 0, frozenColumnCount = 0 } = sheet.gridProperties;
  if (Number(frozenRowCount) >= sheet.rowCount)
    throw invalidArgument("You can't freeze all visible rows on the sheet.");
  if (Number(frozenColumnCount) >= sheet.columnCount)
    throw invalidArgument("You can't freeze all visible columns on the sheet.");
}

function renameSheet(spreadsheet: Spreadsheet, sheet: Sheet, title: string): void {
  requireFreeTitle(spreadsheet, title, sheet);
  const before = sheet.title;
  sheet.title = title;
  spreadsheet.mapFormulas((formula) => renameInReferences(formula, before, quoteTitle(title)));
}

/** The index counts the sheets before this one is taken out. */
function moveSheet(spreadsheet: Spreadsheet, sheet: Sheet, index: number): void {
  if (index < 0 || index > spreadsheet.sheets.length) throw invalidArgument(`index[${index}] is out of range`);
  const before = spreadsheet.sheets.indexOf(sheet);
  spreadsheet.sheets.splice(before, 1);
  spreadsheet.sheets.splice(index > before ? index - 1 : index, 0, sheet);
}

const updateSpreadsheetProperties = requestKind(
  message('UpdateSpreadsheetPropertiesRequest', {
    properties: opaque('SpreadsheetProperties').optional(),
    fields: text.optional(),
  }),
  (edit, { properties = {}, fields }) => {
    const mask = parseUpdateMask(fields);
    const updated = updateByMask(edit.spreadsheet.properties, properties, mask);
    if (typeof updated['title'] !== 'string' || updated['title'] === '')
      throw invalidArgument('title must be specified');
    if (updated['defaultFormat'] !== undefined && !isJsonObject(updated['defaultFormat'])) {
      throw invalidArgument('defaultFormat must be a CellFormat');
    }
    edit.spreadsheet.properties = updated;
    return undefined;
  },
);

export const sheetRequests = {
  addSheet,
  deleteSheet,
  duplicateSheet,
  updateSheetProperties,
  updateSpreadsheetProperties,
};
