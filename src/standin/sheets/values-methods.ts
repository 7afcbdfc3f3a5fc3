// The methods of spreadsheets.values, without HTTP: bodies in, bodies out.
import { z } from 'zod';
import { type Rect, rectToA1 } from './a1.ts';
import { Calculation } from './calculation.ts';
import { type FilteredRange, resolveDataFilter, resolveDataFilters } from './data-filter.ts';
import type { Dimension } from './dimension-edit.ts';
import type { Edit, EditBehaviour } from './edit.ts';
import { invalidArgument, withErrorPrefix } from './errors.ts';
import { type SheetRange, clipToGrid, resolveA1 } from './grid-range.ts';
import type { JsonObject } from './json.ts';
import { bool, dataFilter, dimension, enumeration, list, listValues, message, parseMessage, text } from './schema.ts';
import type { DataFilter } from './schema.ts';
import { closeRect } from './sheet.ts';
import type { Spreadsheet } from './spreadsheet.ts';
import { findTable } from './table-detection.ts';
import {
  type Rendering,
  type ValueInputOption,
  type Written,
  clearValues,
  readValues,
  writeValues,
} from './value-range.ts';

const renderOption = enumeration('ValueRenderOption', ['FORMATTED_VALUE', 'UNFORMATTED_VALUE', 'FORMULA']);
const dateOption = enumeration('DateTimeRenderOption', ['SERIAL_NUMBER', 'FORMATTED_STRING']);
const inputOption = enumeration('ValueInputOption', ['INPUT_VALUE_OPTION_UNSPECIFIED', 'RAW', 'USER_ENTERED']);

/** The parameters of a read besides its ranges: query parameters of a GET, fields of a body. */
export const readOptions = {
  majorDimension: dimension.optional(),
  valueRenderOption: renderOption.optional(),
  dateTimeRenderOption: dateOption.optional(),
};

/** The parameters of a write for its values and its answer. */
export const writeOptions = {
  valueInputOption: inputOption.optional(),
  includeValuesInResponse: bool.optional(),
  responseValueRenderOption: renderOption.optional(),
  responseDateTimeRenderOption: dateOption.optional(),
};
export const appendOptions = {
  ...writeOptions,
  insertDataOption: enumeration('InsertDataOption', ['OVERWRITE', 'INSERT_ROWS']).optional(),
};

const readOptionsSchema = z.object(readOptions);
const writeOptionsSchema = z.object(writeOptions);
const appendOptionsSchema = z.object(appendOptions);
export type ReadOptions = z.output<typeof readOptionsSchema>;
export type WriteOptions = z.output<typeof writeOptionsSchema>;
export type AppendOptions = z.output<typeof appendOptionsSchema>;

/** The source of a read: a spreadsheet with its values. */
export interface Reading {
  readonly spreadsheetId: string;
  readonly spreadsheet: Spreadsheet;
  readonly calculation: Calculation;
  readonly behaviour: EditBehaviour;
}

const valueRange = message('ValueRange', {
  range: text.optional(),
  majorDimension: dimension.optional(),
  values: listValues.optional(),
});
type ValueRange = z.output<typeof valueRange>;

function rendering(options: ReadOptions, { formulaRenderingShowsApostrophes }: EditBehaviour): Rendering {
  return {
    showsApostrophes: formulaRenderingShowsApostrophes,
    values: options.valueRenderOption ?? 'FORMATTED_VALUE',
    dates: options.dateTimeRenderOption ?? 'SERIAL_NUMBER',
  };
}

function read(reading: Reading, range: SheetRange, options: ReadOptions): JsonObject {
  const rect = clipToGrid(range);
  const { calculation, behaviour } = reading;
  return readValues(range.sheet, rect, options.majorDimension ?? 'ROWS', rendering(options, behaviour), calculation);
}

export function getValues(reading: Reading, range: string, options: ReadOptions): JsonObject {
  return read(reading, resolveA1(reading.spreadsheet, range), options);
}

export function batchGetValues(reading: Reading, ranges: readonly string[], options: ReadOptions): JsonObject {
  const valueRanges = ranges.map((range) => getValues(reading, range, options));
  return { spreadsheetId: reading.spreadsheetId, ...(valueRanges.length > 0 ? { valueRanges } : {}) };
}

const batchGetByDataFilterBody = message('BatchGetValuesByDataFilterRequest', {
  ...readOptions,
  dataFilters: list(dataFilter).optional(),
});

export function batchGetValuesByDataFilter(reading: Reading, body: unknown): JsonObject {
  const { dataFilters = [], ...options } = parseMessage(batchGetByDataFilterBody, body);
  requireFilters(dataFilters);
  const valueRanges = resolveDataFilters(reading.spreadsheet, dataFilters).map((range) => ({
    valueRange: read(reading, range, options),
    dataFilters: asJson(range.filters),
  }));
  return { spreadsheetId: reading.spreadsheetId, ...(valueRanges.length > 0 ? { valueRanges } : {}) };
}

/** Filters are answered unchanged. */
export function asJson(filters: readonly DataFilter[]): readonly JsonObject[] {
  return filters.map((filter) => JSON.parse(JSON.stringify(filter)) as JsonObject);
}

function requireFilters(filters: readonly DataFilter[]): void {
  if (filters.length === 0) throw invalidArgument('At least one data filter must be specified');
}

function requireInputOption(option: WriteOptions['valueInputOption']): ValueInputOption {
  if (option === undefined || option === 'INPUT_VALUE_OPTION_UNSPECIFIED') {
    throw invalidArgument("'valueInputOption' is required but not specified");
  }
  return option;
}

/** One completed write: its requested place, and its result. */
interface WriteRecord {
  readonly written: Written;
  readonly requested: Rect;
  readonly majorDimension: Dimension;
}

function write(edit: Edit, target: SheetRange, body: Omit<ValueRange, 'range'>, option: ValueInputOption): WriteRecord {
  const majorDimension = body.majorDimension ?? 'ROWS';
  const written = writeValues(edit, target, majorDimension, body.values ?? [], option);
  const requested = closeRect(target.range, target.sheet.bounds);
  return { written, requested: union(requested, written.rect), majorDimension };
}

function union(a: Rect, b: Rect): Rect {
  return {
    top: Math.min(a.top, b.top),
    left: Math.min(a.left, b.left),
    bottom: Math.max(a.bottom, b.bottom),
    right: Math.max(a.right, b.right),
  };
}

/** UpdateValuesResponse; counts that are 0 are left out. */
function updateResponse(
  spreadsheetId: string,
  { written, requested, majorDimension }: WriteRecord,
  options: WriteOptions,
  calculation: Calculation,
): JsonObject {
  return {
    spreadsheetId,
    updatedRange: rectToA1(written.sheet.title, written.rect),
    ...counts('updated', written.rows.size, written.columns.size, written.cells),
    ...(options.includeValuesInResponse === true
      ? { updatedData: readValues(written.sheet, requested, majorDimension, responseRendering(options), calculation) }
      : {}),
  };
}

function responseRendering(options: WriteOptions): Rendering {
  return {
    values: options.responseValueRenderOption ?? 'FORMATTED_VALUE',
    dates: options.responseDateTimeRenderOption ?? 'SERIAL_NUMBER',
  };
}

function counts(prefix: 'updated' | 'totalUpdated', rows: number, columns: number, cells: number): JsonObject {
  return {
    ...(rows > 0 ? { [`${prefix}Rows`]: rows } : {}),
    ...(columns > 0 ? { [`${prefix}Columns`]: columns } : {}),
    ...(cells > 0 ? { [`${prefix}Cells`]: cells } : {}),
  };
}

export function updateValues(
  edit: Edit,
  spreadsheetId: string,
  range: string,
  options: WriteOptions,
  body: unknown,
): JsonObject {
  const parsed = parseMessage(valueRange, body, 'data');
  const option = requireInputOption(options.valueInputOption);
  const target = resolveA1(edit.spreadsheet, range);
  if (parsed.range !== undefined) requireSameRange(edit.spreadsheet, target, range, parsed.range);
  const record = write(edit, target, parsed, option);
  return updateResponse(spreadsheetId, record, options, new Calculation(edit.spreadsheet, edit.now));
}

function requireSameRange(spreadsheet: Spreadsheet, target: SheetRange, range: string, other: string): void {
  const { sheet, range: otherRange } = resolveA1(spreadsheet, other);
  const [a, b] = [closeRect(target.range, target.sheet.bounds), closeRect(otherRange, sheet.bounds)];
  const same =
    sheet === target.sheet && a.top === b.top && a.left === b.left && a.bottom === b.bottom && a.right === b.right;
  if (!same) throw invalidArgument(`Requested writing to range [${range}], but the data has range [${other}]`);
}

const batchUpdateBody = message('BatchUpdateValuesRequest', { ...writeOptions, data: list(valueRange).optional() });

export function batchUpdateValues(edit: Edit, spreadsheetId: string, body: unknown): JsonObject {
  const { data = [], ...options } = parseMessage(batchUpdateBody, body);
  const option = requireInputOption(options.valueInputOption);
  const records = data.map((entry, index) =>
    withErrorPrefix(`Invalid data[${index}]`, () =>
      write(edit, resolveA1(edit.spreadsheet, entry.range ?? ''), entry, option),
    ),
  );
  const calculation = new Calculation(edit.spreadsheet, edit.now);
  const responses = records.map((record) => updateResponse(spreadsheetId, record, options, calculation));
  return { spreadsheetId, ...totals(records), ...(responses.length > 0 ? { responses } : {}) };
}

/** Rows and columns that several entries wrote count once. */
function totals(records: readonly WriteRecord[]): JsonObject {
  const rows = new Set<string>();
  const columns = new Set<string>();
  const sheets = new Set<number>();
  let cells = 0;
  for (const { written } of records) {
    if (written.cells > 0) sheets.add(written.sheet.id);
    for (const row of written.rows) rows.add(`${written.sheet.id}:${row}`);
    for (const column of written.columns) columns.add(`${written.sheet.id}:${column}`);
    cells += written.cells;
  }
  return {
    ...counts('totalUpdated', rows.size, columns.size, cells),
    ...(sheets.size > 0 ? { totalUpdatedSheets: sheets.size } : {}),
  };
}

const batchUpdateByDataFilterBody = message('BatchUpdateValuesByDataFilterRequest', {
  ...writeOptions,
  data: list(
    message('DataFilterValueRange', {
      dataFilter: dataFilter.optional(),
      majorDimension: dimension.optional(),
      values: listValues.optional(),
    }),
  ).optional(),
});

/** Each entry writes every range that its filter matches. */
export function batchUpdateValuesByDataFilter(edit: Edit, spreadsheetId: string, body: unknown): JsonObject {
  const { data = [], ...options } = parseMessage(batchUpdateByDataFilterBody, body);
  const option = requireInputOption(options.valueInputOption);
  const entries = data.flatMap(({ dataFilter: filter = {}, ...values }, index) =>
    withErrorPrefix(`Invalid data[${index}]`, () => {
      const ranges = resolveDataFilter(edit.spreadsheet, filter);
      if (ranges.length === 0 && edit.behaviour.unmatchedFilterRefuses) {
        throw invalidArgument('The data filter matches no range');
      }
      return ranges.map((range) => ({ filter, record: write(edit, range, values, option) }));
    }),
  );
  const calculation = new Calculation(edit.spreadsheet, edit.now);
  const responses = entries.map(({ filter, record }) => {
    const { spreadsheetId: _id, ...response } = updateResponse(spreadsheetId, record, options, calculation);
    return { ...response, dataFilter: asJson([filter])[0] };
  });
  return {
    spreadsheetId,
    ...totals(entries.map(({ record }) => record)),
    ...(responses.length > 0 ? { responses } : {}),
  };
}

export function appendValues(
  edit: Edit,
  spreadsheetId: string,
  range: string,
  options: AppendOptions,
  body: unknown,
): JsonObject {
  const parsed = parseMessage(valueRange, body, 'data');
  const option = requireInputOption(options.valueInputOption);
  const { sheet, range: open } = resolveA1(edit.spreadsheet, range);
  const search = clipToGrid({ sheet, range: open });
  const table = findTable(sheet, search);
  const { top, left } = table ? { top: table.bottom, left: table.left } : search;
  const rows = parsed.values ?? [];
  const longest = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const [height, width] = parsed.majorDimension === 'COLUMNS' ? [longest, rows.length] : [rows.length, longest];
  if (options.insertDataOption === 'INSERT_ROWS' && height > 0) {
    edit.spreadsheet.restructure(sheet, { kind: 'insert', dimension: 'ROWS', start: top, end: top + height });
  }
  edit.spreadsheet.resize(sheet, Math.max(sheet.rowCount, top + height), Math.max(sheet.columnCount, left + width));
  const target: SheetRange = {
    sheet,
    range: { top, left, bottom: top + Math.max(height, 1), right: left + Math.max(width, 1) },
  };
  const record = write(edit, target, parsed, option);
  return {
    spreadsheetId,
    ...(table ? { tableRange: rectToA1(sheet.title, table) } : {}),
    updates: updateResponse(spreadsheetId, record, options, new Calculation(edit.spreadsheet, edit.now)),
  };
}

function clear(edit: Edit, range: SheetRange): string {
  const rect = clipToGrid(range);
  clearValues(edit, range.sheet, rect);
  return rectToA1(range.sheet.title, rect);
}

export function clearRange(edit: Edit, spreadsheetId: string, range: string): JsonObject {
  return { spreadsheetId, clearedRange: clear(edit, resolveA1(edit.spreadsheet, range)) };
}

const batchClearBody = message('BatchClearValuesRequest', { ranges: list(text).optional() });

export function batchClear(edit: Edit, spreadsheetId: string, body: unknown): JsonObject {
  const { ranges = [] } = parseMessage(batchClearBody, body);
  const cleared = ranges.map((range, index) =>
    withErrorPrefix(`Invalid ranges[${index}]`, () => clear(edit, resolveA1(edit.spreadsheet, range))),
  );
  return { spreadsheetId, ...(cleared.length > 0 ? { clearedRanges: cleared } : {}) };
}

const batchClearByDataFilterBody = message('BatchClearValuesByDataFilterRequest', {
  dataFilters: list(dataFilter).optional(),
});

export function batchClearByDataFilter(edit: Edit, spreadsheetId: string, body: unknown): JsonObject {
  const { dataFilters = [] } = parseMessage(batchClearByDataFilterBody, body);
  requireFilters(dataFilters);
  const ranges: readonly FilteredRange[] = resolveDataFilters(edit.spreadsheet, dataFilters);
  const cleared = ranges.map((range) => clear(edit, range));
  return { spreadsheetId, ...(cleared.length > 0 ? { clearedRanges: cleared } : {}) };
}
