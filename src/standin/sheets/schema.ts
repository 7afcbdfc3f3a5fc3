// The messages of requests as zod schemas, and Google's errors for an invalid body. Each schema's error text is the
// type name in such an error.
import { z } from 'zod';
import { badRequest } from './errors.ts';
import { isJsonObject } from './json.ts';

const sheetsType = (name: string): string => `type.googleapis.com/google.apps.sheets.v4.${name}`;

/** A 32-bit integer; the JSON mapping also takes it as a string of digits. */
export const int = z.preprocess(
  (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value),
  z.int32({ error: 'TYPE_INT32' }),
);
const double = z.preprocess(
  (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
  z.number({ error: 'TYPE_DOUBLE' }),
);
export const text = z.string({ error: 'TYPE_STRING' });
export const bool = z.boolean({ error: 'TYPE_BOOL' });
export const enumeration = <const T extends readonly [string, ...string[]]>(name: string, values: T) =>
  z.enum(values, { error: sheetsType(name) });
/** A message of these fields and no others. */
export const message = <T extends z.core.$ZodLooseShape>(name: string, fields: T) =>
  z.strictObject(fields, { error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : sheetsType(name)) });
export const list = <T extends z.core.SomeType>(element: T) => z.array(element, { error: 'TYPE_MESSAGE' });
/** A message that is stored and answered unchanged. */
export const opaque = (name: string) => z.record(z.string(), z.json(), { error: sheetsType(name) });

export const dimension = enumeration('Dimension', ['ROWS', 'COLUMNS']);

export const gridRange = message('GridRange', {
  sheetId: int.optional(),
  startRowIndex: int.optional(),
  endRowIndex: int.optional(),
  startColumnIndex: int.optional(),
  endColumnIndex: int.optional(),
});

export const gridCoordinate = message('GridCoordinate', {
  sheetId: int.optional(),
  rowIndex: int.optional(),
  columnIndex: int.optional(),
});

export const dimensionRange = message('DimensionRange', {
  sheetId: int.optional(),
  dimension: dimension.optional(),
  startIndex: int.optional(),
  endIndex: int.optional(),
});

export const extendedValue = message('ExtendedValue', {
  numberValue: double.optional(),
  stringValue: text.optional(),
  boolValue: bool.optional(),
  formulaValue: text.optional(),
  errorValue: opaque('ErrorValue').optional(),
});

export const cellData = message('CellData', {
  userEnteredValue: extendedValue.optional(),
  effectiveValue: extendedValue.optional(),
  formattedValue: text.optional(),
  userEnteredFormat: opaque('CellFormat').optional(),
  effectiveFormat: opaque('CellFormat').optional(),
  hyperlink: text.optional(),
  note: text.optional(),
  textFormatRuns: list(opaque('TextFormatRun')).optional(),
  dataValidation: opaque('DataValidationRule').optional(),
});

export const rowData = message('RowData', { values: list(cellData).optional() });

export const metadataLocation = message('DeveloperMetadataLocation', {
  locationType: enumeration('DeveloperMetadataLocation.DeveloperMetadataLocationType', [
    'DEVELOPER_METADATA_LOCATION_TYPE_UNSPECIFIED',
    'ROW',
    'COLUMN',
    'SHEET',
    'SPREADSHEET',
  ]).optional(),
  spreadsheet: bool.optional(),
  sheetId: int.optional(),
  dimensionRange: dimensionRange.optional(),
});

const visibility = enumeration('DeveloperMetadata.DeveloperMetadataVisibility', [
  'DEVELOPER_METADATA_VISIBILITY_UNSPECIFIED',
  'DOCUMENT',
  'PROJECT',
]);

export const developerMetadata = message('DeveloperMetadata', {
  metadataId: int.optional(),
  metadataKey: text.optional(),
  metadataValue: text.optional(),
  location: metadataLocation.optional(),
  visibility: visibility.optional(),
});

const metadataLookup = message('DeveloperMetadataLookup', {
  locationType: enumeration('DeveloperMetadataLocation.DeveloperMetadataLocationType', [
    'DEVELOPER_METADATA_LOCATION_TYPE_UNSPECIFIED',
    'ROW',
    'COLUMN',
    'SHEET',
    'SPREADSHEET',
  ]).optional(),
  metadataLocation: metadataLocation.optional(),
  locationMatchingStrategy: enumeration('DeveloperMetadataLookup.DeveloperMetadataLocationMatchingStrategy', [
    'DEVELOPER_METADATA_LOCATION_MATCHING_STRATEGY_UNSPECIFIED',
    'EXACT_LOCATION',
    'INTERSECTING_LOCATION',
  ]).optional(),
  metadataId: int.optional(),
  metadataKey: text.optional(),
  metadataValue: text.optional(),
  visibility: visibility.optional(),
});
export type MetadataLookup = z.output<typeof metadataLookup>;

export const dataFilter = message('DataFilter', {
  developerMetadataLookup: metadataLookup.optional(),
  a1Range: text.optional(),
  gridRange: gridRange.optional(),
});
export type DataFilter = z.output<typeof dataFilter>;

export const listValues = z.array(z.array(z.json(), { error: 'type.googleapis.com/google.protobuf.ListValue' }), {
  error: 'type.googleapis.com/google.protobuf.ListValue',
});

/**
 * Parses `body` as the message; every violation is reported, in Google's words. `root` is the prefix of the field
 * names.
 */
export function parseMessage<S extends z.ZodType>(schema: S, body: unknown, root = ''): z.output<S> {
  const json = withoutNulls(body);
  if (!isJsonObject(json))
    throw badRequest([{ field: root, description: 'Invalid JSON payload received. Root element must be a message.' }]);
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  throw badRequest(result.error.issues.flatMap((issue) => violations(issue, json, root)));
}

function violations(issue: z.core.$ZodIssue, body: unknown, root: string): { field: string; description: string }[] {
  const field = fieldPath(root, issue.path);
  if (issue.code === 'unrecognized_keys') {
    const at = field === '' ? '' : ` at '${field}'`;
    return issue.keys.map((key) => ({
      field,
      description: `Invalid JSON payload received. Unknown name "${key}"${at}: Cannot find field.`,
    }));
  }
  const value = issue.path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    body,
  );
  return [{ field, description: `Invalid value at '${field}' (${issue.message}), ${JSON.stringify(value) ?? 'null'}` }];
}

/** `requests[0].update_cells.range`: fields are named as in the protocol buffer. */
function fieldPath(root: string, path: readonly PropertyKey[]): string {
  let field = root;
  for (const key of path) {
    if (typeof key === 'number') field += `[${key}]`;
    else
      field += `${field === '' ? '' : '.'}${String(key).replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
  }
  return field;
}

/** A null field is an absent one; a null inside a list of cell values has a meaning and stays. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => (Array.isArray(entry) ? entry : withoutNulls(entry)));
  if (!isJsonObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (inner === null) continue;
    const own = withoutNulls(inner);
    // The key __proto__ must be a name like any other.
    if (key === '__proto__') Object.defineProperty(kept, key, { value: own, enumerable: true });
    else kept[key] = own;
  }
  return kept;
}
