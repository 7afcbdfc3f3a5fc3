// The fields of each method's answer. A `fields` parameter that names any other is refused, so that a misspelt mask
// gives an error, not missing data. Names: https://sheets.googleapis.com/$discovery/rest?version=v4
import { ApiError } from './errors.ts';
import type { FieldMask } from './field-mask.ts';

/** Fields with their contents; `any` for messages that are stored unchanged. */
interface FieldTree {
  readonly [name: string]: FieldTree | 'any';
}

const gridRange: FieldTree = {
  sheetId: 'any',
  startRowIndex: 'any',
  endRowIndex: 'any',
  startColumnIndex: 'any',
  endColumnIndex: 'any',
};

const developerMetadata: FieldTree = {
  metadataId: 'any',
  metadataKey: 'any',
  metadataValue: 'any',
  visibility: 'any',
  location: {
    locationType: 'any',
    spreadsheet: 'any',
    sheetId: 'any',
    dimensionRange: { sheetId: 'any', dimension: 'any', startIndex: 'any', endIndex: 'any' },
  },
};

const extendedValue: FieldTree = {
  numberValue: 'any',
  stringValue: 'any',
  boolValue: 'any',
  formulaValue: 'any',
  errorValue: { type: 'any', message: 'any' },
};

const dimensionProperties: FieldTree = {
  hiddenByFilter: 'any',
  hiddenByUser: 'any',
  pixelSize: 'any',
  developerMetadata,
  dataSourceColumnReference: 'any',
};

const cellData: FieldTree = {
  userEnteredValue: extendedValue,
  effectiveValue: extendedValue,
  formattedValue: 'any',
  userEnteredFormat: 'any',
  effectiveFormat: 'any',
  hyperlink: 'any',
  note: 'any',
  textFormatRuns: 'any',
  dataValidation: 'any',
  pivotTable: 'any',
  dataSourceTable: 'any',
  dataSourceFormula: 'any',
  chipRuns: 'any',
};

const sheet: FieldTree = {
  properties: {
    sheetId: 'any',
    title: 'any',
    index: 'any',
    sheetType: 'any',
    gridProperties: 'any',
    hidden: 'any',
    tabColor: 'any',
    tabColorStyle: 'any',
    rightToLeft: 'any',
    dataSourceSheetProperties: 'any',
  },
  data: {
    startRow: 'any',
    startColumn: 'any',
    rowData: { values: cellData },
    rowMetadata: dimensionProperties,
    columnMetadata: dimensionProperties,
  },
  merges: gridRange,
  conditionalFormats: 'any',
  filterViews: 'any',
  protectedRanges: 'any',
  basicFilter: 'any',
  charts: 'any',
  bandedRanges: 'any',
  developerMetadata,
  rowGroups: 'any',
  columnGroups: 'any',
  slicers: 'any',
  tables: 'any',
};

const spreadsheet: FieldTree = {
  spreadsheetId: 'any',
  properties: 'any',
  sheets: sheet,
  namedRanges: { namedRangeId: 'any', name: 'any', range: gridRange },
  spreadsheetUrl: 'any',
  developerMetadata,
  dataSources: 'any',
  dataSourceSchedules: 'any',
};

const valueRange: FieldTree = { range: 'any', majorDimension: 'any', values: 'any' };
const updated: FieldTree = {
  spreadsheetId: 'any',
  updatedRange: 'any',
  updatedRows: 'any',
  updatedColumns: 'any',
  updatedCells: 'any',
  updatedData: valueRange,
};
const totals: FieldTree = {
  spreadsheetId: 'any',
  totalUpdatedRows: 'any',
  totalUpdatedColumns: 'any',
  totalUpdatedCells: 'any',
  totalUpdatedSheets: 'any',
};

const fieldsByOperation: Readonly<Record<string, FieldTree>> = {
  'spreadsheets.create': spreadsheet,
  'spreadsheets.get': spreadsheet,
  'spreadsheets.getByDataFilter': spreadsheet,
  'spreadsheets.batchUpdate': { spreadsheetId: 'any', replies: 'any', updatedSpreadsheet: spreadsheet },
  'developerMetadata.get': developerMetadata,
  'developerMetadata.search': { matchedDeveloperMetadata: { developerMetadata, dataFilters: 'any' } },
  'values.get': valueRange,
  'values.batchGet': { spreadsheetId: 'any', valueRanges: valueRange },
  'values.batchGetByDataFilter': { spreadsheetId: 'any', valueRanges: { valueRange, dataFilters: 'any' } },
  'values.update': updated,
  'values.append': { spreadsheetId: 'any', tableRange: 'any', updates: updated },
  'values.batchUpdate': { ...totals, responses: updated },
  'values.batchUpdateByDataFilter': { ...totals, responses: { ...updated, dataFilter: 'any' } },
  'values.clear': { spreadsheetId: 'any', clearedRange: 'any' },
  'values.batchClear': { spreadsheetId: 'any', clearedRanges: 'any' },
  'values.batchClearByDataFilter': { spreadsheetId: 'any', clearedRanges: 'any' },
};

/** Refuses a mask with a field that the method's answer does not have, in the words of Google's APIs. */
export function requireKnownFields(mask: FieldMask, operation: string): void {
  const unknown = unknownPaths(mask, fieldsByOperation[operation] ?? 'any', '');
  if (unknown.length === 0) return;
  throw new ApiError('INVALID_ARGUMENT', 'Request contains an invalid argument.', [
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: unknown.map((path) => ({
        field: path,
        description: `Error expanding 'fields' parameter. Cannot find matching fields for path '${path}'.`,
      })),
    },
  ]);
}

function unknownPaths(mask: FieldMask, tree: FieldTree | 'any', at: string): readonly string[] {
  if (tree === 'any') return [];
  return mask.names().flatMap((name) => {
    if (name === '*') return [];
    const path = at === '' ? name : `${at}.${name}`;
    const inside = Object.hasOwn(tree, name) ? tree[name] : undefined;
    return inside === undefined ? [path] : unknownPaths(mask.inside(name), inside, path);
  });
}
