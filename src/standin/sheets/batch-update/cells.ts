// Cells: update, append, repeat, data validation.
import type { z } from 'zod';
import { type Cell, tidy, withContent } from '../cell.ts';
import { normaliseColors } from '../cell-format.ts';
import { type Edit, requireEditable } from '../edit.ts';
import { invalidArgument } from '../errors.ts';
import { type FieldMask, parseUpdateMask, updateByMask } from '../field-mask.ts';
import { shiftReferences } from '../formula-references.ts';
import { closedGridRange, requireWithinGrid } from '../grid-range.ts';
import type { JsonObject } from '../json.ts';
import {
  cellData,
  type extendedValue,
  gridCoordinate,
  gridRange,
  int,
  list,
  message,
  opaque,
  rowData,
  text,
  bool,
} from '../schema.ts';
import type { Sheet } from '../sheet.ts';
import type { Rect } from '../a1.ts';
import { requireCellLength } from '../value-range.ts';
import { requestKind } from './request-kind.ts';

type CellData = z.output<typeof cellData>;
type ExtendedValue = z.output<typeof extendedValue>;

const cellFields: ReadonlySet<string> = new Set([
  'userEnteredValue',
  'userEnteredFormat',
  'note',
  'dataValidation',
  'textFormatRuns',
  'hyperlink',
  'pivotTable',
  'dataSourceTable',
  'dataSourceFormula',
  'chipRuns',
]);

function parseCellMask(fields: string | undefined): FieldMask {
  const mask = parseUpdateMask(fields);
  for (const name of mask.names()) {
    if (name !== '*' && !cellFields.has(name)) {
      throw invalidArgument(`Invalid field: ${name}`);
    }
  }
  return mask;
}

function contentOf(value: ExtendedValue | undefined): Pick<Cell, 'value' | 'formula'> {
  if (!value) return {};
  if (value.formulaValue !== undefined) {
    requireCellLength(value.formulaValue);
    if (!value.formulaValue.startsWith('=')) throw invalidArgument('formulaValue must start with "="');
    return { formula: value.formulaValue };
  }
  if (value.stringValue !== undefined) {
    requireCellLength(value.stringValue);
    return value.stringValue === '' ? {} : { value: value.stringValue };
  }
  if (value.numberValue !== undefined) return { value: value.numberValue };
  return value.boolValue === undefined ? {} : { value: value.boolValue };
}

/** The cell with the fields of the mask taken from `data`. */
function applyCellData(cell: Cell | undefined, data: CellData, mask: FieldMask): Cell | undefined {
  const { value, formula, format, note, validation } = cell ?? {};
  const content = mask.has('userEnteredValue') ? contentOf(data.userEnteredValue) : { value, formula };
  const newFormat = mask.has('userEnteredFormat')
    ? updateByMask(
        format ?? {},
        normaliseColors(data.userEnteredFormat ?? {}),
        widenToStyles(mask.inside('userEnteredFormat')),
      )
    : format;
  const newNote = mask.has('note') ? data.note : note;
  const newValidation = mask.has('dataValidation') ? data.dataValidation : validation;
  return tidy({
    ...(content.value === undefined ? {} : { value: content.value }),
    ...(content.formula === undefined ? {} : { formula: content.formula }),
    ...(newFormat && Object.keys(newFormat).length > 0 ? { format: newFormat } : {}),
    ...(newNote === undefined || newNote === '' ? {} : { note: newNote }),
    ...(newValidation ? { validation: newValidation } : {}),
  });
}

/** A mask that names a colour in one spelling also means the other. */
function widenToStyles(mask: FieldMask): FieldMask {
  if (mask.everything) return mask;
  const known = widenedByMask.get(mask);
  if (known) return known;
  const widened = mask.mapNames((name) => (/color$/i.test(name) ? [name, `${name}Style`] : [name]));
  widenedByMask.set(mask, widened);
  return widened;
}

/** A request has one mask for all of its cells. */
const widenedByMask = new WeakMap<FieldMask, FieldMask>();

function writeRows(
  edit: Edit,
  sheet: Sheet,
  top: number,
  left: number,
  rows: readonly z.output<typeof rowData>[],
  mask: FieldMask,
): void {
  for (const [offset, { values = [] }] of rows.entries()) {
    if (values.length === 0) continue;
    const rect: Rect = { top: top + offset, bottom: top + offset + 1, left, right: left + values.length };
    requireWithinGrid(sheet, rect);
    requireEditable(edit, sheet, rect);
    editData(sheet, rect, (_row, column) => values[column - left], mask);
  }
}

/** A covered cell keeps nothing of what is written into it but the look. */
function editData(
  sheet: Sheet,
  rect: Rect,
  dataOf: (row: number, column: number) => CellData | undefined,
  mask: FieldMask,
): void {
  sheet.editCells(rect, (cell, row, column) => {
    const written = applyCellData(cell, dataOf(row, column) ?? {}, mask);
    return sheet.isCovered(row, column) ? withContent(written, {}) : written;
  });
}

const updateCells = requestKind(
  message('UpdateCellsRequest', {
    rows: list(rowData).optional(),
    fields: text.optional(),
    start: gridCoordinate.optional(),
    range: gridRange.optional(),
  }),
  (edit, { rows = [], fields, start, range }) => {
    const mask = parseCellMask(fields);
    if (start && range) throw invalidArgument('Only one of start and range may be specified');
    if (start) {
      const sheet = edit.spreadsheet.sheet(start.sheetId ?? 0);
      writeRows(edit, sheet, start.rowIndex ?? 0, start.columnIndex ?? 0, rows, mask);
      return undefined;
    }
    if (!range) throw invalidArgument('One of start and range must be specified');
    const { sheet, rect } = closedGridRange(edit.spreadsheet, range);
    requireRowsFit(rows, rect);
    requireEditable(edit, sheet, rect);
    // Cells of the range outside the rows are cleared, within the mask.
    editData(sheet, rect, (row, column) => rows[row - rect.top]?.values?.[column - rect.left], mask);
    return undefined;
  },
);

function requireRowsFit(rows: readonly z.output<typeof rowData>[], rect: Rect): void {
  if (rows.length > rect.bottom - rect.top) {
    throw invalidArgument(
      `Attempting to write row: ${rect.bottom}, beyond the last requested row of: ${rect.bottom - 1}`,
    );
  }
  if (rows.some(({ values = [] }) => values.length > rect.right - rect.left)) {
    throw invalidArgument(
      `Attempting to write column: ${rect.right}, beyond the last requested column of: ${rect.right - 1}`,
    );
  }
}

const appendCells = requestKind(
  message('AppendCellsRequest', {
    sheetId: int.optional(),
    rows: list(rowData).optional(),
    fields: text.optional(),
    tableId: text.optional(),
  }),
  (edit, { sheetId = 0, rows = [], fields }) => {
    const mask = parseCellMask(fields);
    const sheet = edit.spreadsheet.sheet(sheetId);
    const top = sheet.contentBottom();
    const width = Math.max(sheet.columnCount, ...rows.map(({ values = [] }) => values.length));
    edit.spreadsheet.resize(sheet, Math.max(sheet.rowCount, top + rows.length), width);
    writeRows(edit, sheet, top, 0, rows, mask);
    return undefined;
  },
);

/** A column of a thousand cells mostly has few that differ before: each of those is worked out once. */
function repeatedOn(data: CellData, mask: FieldMask): (cell: Cell | undefined) => Cell | undefined {
  const known = new Map<Cell | undefined, { readonly written: Cell | undefined }>();
  return (cell) => {
    const earlier = known.get(cell);
    if (earlier) return earlier.written;
    const written = applyCellData(cell, data, mask);
    known.set(cell, { written });
    return written;
  };
}

const repeatCell = requestKind(
  message('RepeatCellRequest', { range: gridRange.optional(), cell: cellData.optional(), fields: text.optional() }),
  (edit, { range, cell: data = {}, fields }) => {
    const mask = parseCellMask(fields);
    const { sheet, rect } = closedGridRange(edit.spreadsheet, range ?? {});
    requireEditable(edit, sheet, rect);
    const formula = data.userEnteredValue?.formulaValue;
    if (formula === undefined) {
      sheet.editCells(rect, repeatedOn(data, mask));
    } else {
      sheet.editCells(rect, (cell, row, column) => {
        const shifted = shiftReferences(formula, row - rect.top, column - rect.left);
        return applyCellData(cell, { ...data, userEnteredValue: { formulaValue: shifted } }, mask);
      });
    }
    return undefined;
  },
);

const setDataValidation = requestKind(
  message('SetDataValidationRequest', {
    range: gridRange.optional(),
    rule: opaque('DataValidationRule').optional(),
    filteredRowsIncluded: bool.optional(),
  }),
  (edit, { range, rule }) => {
    const { sheet, rect } = closedGridRange(edit.spreadsheet, range ?? {});
    requireEditable(edit, sheet, rect);
    const validation = rule && withoutDefaults(rule);
    sheet.editCells(rect, (cell) => {
      const { validation: _validation, ...rest } = cell ?? {};
      return tidy(validation ? { ...rest, validation } : rest);
    });
    return undefined;
  },
);

function withoutDefaults(rule: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== false && value !== ''));
}

export const cellRequests = { updateCells, appendCells, repeatCell, setDataValidation };
