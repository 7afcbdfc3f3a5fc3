// The routes of the Sheets API: the method of each request, the access it needs, and its answer.
import { z } from 'zod';
import { applyRequests, parseRequests } from './batch-update/batch-update.ts';
import { createSheet, sheetProperties } from './batch-update/sheets.ts';
import { resolveDataFilters } from './data-filter.ts';
import { defaultProperties } from './default-properties.ts';
import type { Caller, Edit } from './edit.ts';
import { invalidArgument, notFound, notPlayed, permissionDenied } from './errors.ts';
import type { FieldMask } from './field-mask.ts';
import { type SheetRange, resolveA1 } from './grid-range.ts';
import type { JsonObject } from './json.ts';
import { findMetadata, metadataToJson, noMetadata, placeToRange } from './metadata.ts';
import type { SheetsModel, SpreadsheetFile } from './model.ts';
import { bool, dataFilter, list, message, opaque, parseMessage, text } from './schema.ts';
import type { DataFilter } from './schema.ts';
import { closeRect, intersection } from './sheet.ts';
import { spreadsheetToJson } from './spreadsheet-json.ts';
import { Spreadsheet } from './spreadsheet.ts';
import {
  type Reading,
  appendOptions,
  appendValues,
  asJson,
  batchClear,
  batchClearByDataFilter,
  batchGetValues,
  batchGetValuesByDataFilter,
  batchUpdateValues,
  batchUpdateValuesByDataFilter,
  clearRange,
  getValues,
  readOptions,
  updateValues,
  writeOptions,
} from './values-methods.ts';

/** A parsed request to one method. */
export interface ApiCall {
  readonly model: SheetsModel;
  readonly caller: Caller;
  /** Every caller may use every file. */
  readonly openToAll: boolean;
  /** The decoded parts of the path: the spreadsheet id, then the range or id after it. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** The parsed JSON body; undefined when there was none. */
  readonly body: unknown;
  readonly mask: FieldMask;
}

export interface ApiMethod {
  /** Google's name, without `spreadsheets.` before `values.` and `developerMetadata.`. */
  readonly operation: string;
  readonly httpMethod: 'GET' | 'POST' | 'PUT';
  /** On the path after `/v4/spreadsheets`, percent-encoded as sent. */
  readonly path: RegExp;
  readonly kind: 'read' | 'write';
  /** A token with a read-only scope is enough (measured: only for the three plain reads). */
  readonly readOnlyScope: boolean;
  answer(call: ApiCall): JsonObject;
}

function openFile(call: ApiCall, to: 'read' | 'write'): SpreadsheetFile {
  const file = call.model.get(call.path[0] ?? '');
  if (!file) throw notFound();
  const role = call.openToAll ? 'writer' : file.roleOf(call.caller.email);
  if (role === undefined || (to === 'write' && role === 'reader')) throw permissionDenied();
  return file;
}

function reading(call: ApiCall): Reading {
  const file = openFile(call, 'read');
  return {
    spreadsheetId: file.id,
    spreadsheet: file.content,
    calculation: file.calculation,
    behaviour: call.model.behaviour,
  };
}

function writing(call: ApiCall, change: (edit: Edit, spreadsheetId: string) => JsonObject): JsonObject {
  const file = openFile(call, 'write');
  return file.edit(call.caller, (edit) => change(edit, file.id));
}

/** Reads query parameters with a schema like a body's: the same names, the same errors. */
function queryOptions<T extends z.core.$ZodLooseShape>(call: ApiCall, options: T) {
  const sent: Record<string, string | boolean> = {};
  for (const name of Object.keys(options)) {
    const value = call.query.get(name);
    if (value === null || value === '') continue;
    sent[name] = /^(?:true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value;
  }
  return parseMessage(message('Query', options), sent);
}

function render(
  call: ApiCall,
  file: SpreadsheetFile,
  ranges: readonly SheetRange[] | undefined,
  includeGridData: boolean,
): JsonObject {
  return spreadsheetToJson({
    spreadsheetId: file.id,
    spreadsheet: file.content,
    calculation: file.calculation,
    mask: call.mask,
    includeGridData,
    ranges,
    viewer: { email: call.caller.email, ownerEmail: file.ownerEmail },
  });
}

const flag = (value: string | null): boolean => value?.toLowerCase() === 'true';

function getSpreadsheet(call: ApiCall): JsonObject {
  const file = openFile(call, 'read');
  const ranges = call.query.getAll('ranges').map((range) => resolveA1(file.content, range));
  return render(call, file, ranges.length > 0 ? ranges : undefined, flag(call.query.get('includeGridData')));
}

const getByDataFilterBody = message('GetSpreadsheetByDataFilterRequest', {
  dataFilters: list(dataFilter).optional(),
  includeGridData: bool.optional(),
  excludeTablesInBandedRanges: bool.optional(),
});

function getSpreadsheetByDataFilter(call: ApiCall): JsonObject {
  const file = openFile(call, 'read');
  const { dataFilters = [], includeGridData = false } = parseMessage(getByDataFilterBody, call.body);
  const ranges = dataFilters.length > 0 ? resolveDataFilters(file.content, dataFilters) : undefined;
  return render(call, file, ranges, includeGridData);
}

const createBody = message('Spreadsheet', {
  spreadsheetId: text.optional(),
  properties: opaque('SpreadsheetProperties').optional(),
  sheets: list(message('Sheet', { properties: sheetProperties.optional() })).optional(),
});

function createSpreadsheet(call: ApiCall): JsonObject {
  const { properties = {}, sheets = [] } = parseMessage(createBody, call.body ?? {});
  const title = typeof properties['title'] === 'string' ? properties['title'] : 'Untitled spreadsheet';
  const content = new Spreadsheet({ ...defaultProperties(title), ...properties });
  for (const [index, sheet] of (sheets.length > 0 ? sheets : [{}]).entries()) {
    createSheet(content, sheet.properties ?? {}, () => (index === 0 ? 0 : call.model.newNumber()));
  }
  const file = call.model.add(content, call.model.newFileId(), call.caller.email);
  return render(call, file, undefined, false);
}

const batchUpdateBody = message('BatchUpdateSpreadsheetRequest', {
  requests: z.unknown().optional(),
  includeSpreadsheetInResponse: bool.optional(),
  responseRanges: list(text).optional(),
  responseIncludeGridData: bool.optional(),
  // Accepted and without effect (measured).
  writeControl: opaque('WriteControl').optional(),
});

function batchUpdateSpreadsheet(call: ApiCall): JsonObject {
  const file = openFile(call, 'write');
  const body = parseMessage(batchUpdateBody, call.body ?? {});
  const requests = parseRequests(body.requests);
  const replies = file.edit(call.caller, (edit) => applyRequests(edit, requests));
  const answer: JsonObject = { spreadsheetId: file.id, replies };
  if (body.includeSpreadsheetInResponse !== true) return call.mask.pick(answer) as JsonObject;
  const ranges = body.responseRanges?.map((range) => resolveA1(file.content, range));
  const inside: ApiCall = { ...call, mask: call.mask.inside('updatedSpreadsheet') };
  return call.mask.pick({
    ...answer,
    updatedSpreadsheet: render(inside, file, ranges, body.responseIncludeGridData ?? false),
  }) as JsonObject;
}

const searchBody = message('SearchDeveloperMetadataRequest', { dataFilters: list(dataFilter).optional() });

/**
 * Entries that any filter matches, each once, with its filters. A range matches entries on the rows and columns it
 * crosses.
 */
function searchMetadata(call: ApiCall): JsonObject {
  const { content } = openFile(call, 'write');
  const { dataFilters = [] } = parseMessage(searchBody, call.body ?? {});
  if (dataFilters.length === 0) throw invalidArgument('At least one data filter must be specified');
  const filtersById = new Map<number, DataFilter[]>();
  for (const filter of dataFilters) {
    for (const id of matchingIds(content, filter)) filtersById.set(id, [...(filtersById.get(id) ?? []), filter]);
  }
  const matched = [...filtersById].flatMap(([id, filters]) => {
    const entry = content.metadataById.get(id);
    const place = content.places().get(id);
    return entry && place ? [{ developerMetadata: metadataToJson(entry, place), dataFilters: asJson(filters) }] : [];
  });
  return matched.length > 0 ? { matchedDeveloperMetadata: matched } : {};
}

function matchingIds(content: Spreadsheet, filter: DataFilter): readonly number[] {
  if (filter.developerMetadataLookup) {
    return findMetadata(content, filter.developerMetadataLookup).map(({ entry }) => entry.id);
  }
  const wanted = resolveDataFilters(content, [filter]);
  return findMetadata(content, {}).flatMap(({ entry, place }) => {
    const range = placeToRange(content, place);
    const crosses =
      range &&
      wanted.some(
        (other) =>
          other.sheet === range.sheet &&
          intersection(closeRect(other.range, other.sheet.bounds), closeRect(range.range, range.sheet.bounds)),
      );
    return crosses ? [entry.id] : [];
  });
}

function getMetadata(call: ApiCall): JsonObject {
  const { content } = openFile(call, 'write');
  const id = Number(call.path[1]);
  const entry = content.metadataById.get(id);
  const place = content.places().get(id);
  if (!entry || !place) throw noMetadata(id);
  return metadataToJson(entry, place);
}

const id = String.raw`([^/:]+)`;
const at = (pattern: string): RegExp => new RegExp(`^${pattern}$`);

function picked(answer: (call: ApiCall) => JsonObject): (call: ApiCall) => JsonObject {
  return (call) => call.mask.pick(answer(call)) as JsonObject;
}

/** All methods; the first with a matching HTTP method and path is used. */
export const apiMethods: readonly ApiMethod[] = [
  {
    operation: 'spreadsheets.create',
    httpMethod: 'POST',
    path: at(''),
    kind: 'write',
    readOnlyScope: false,
    answer: createSpreadsheet,
  },
  {
    operation: 'spreadsheets.get',
    httpMethod: 'GET',
    path: at(`/${id}`),
    kind: 'read',
    readOnlyScope: true,
    answer: getSpreadsheet,
  },
  {
    operation: 'spreadsheets.batchUpdate',
    httpMethod: 'POST',
    path: at(`/${id}:batchUpdate`),
    kind: 'write',
    readOnlyScope: false,
    answer: batchUpdateSpreadsheet,
  },
  {
    operation: 'spreadsheets.getByDataFilter',
    httpMethod: 'POST',
    path: at(`/${id}:getByDataFilter`),
    kind: 'read',
    readOnlyScope: false,
    answer: getSpreadsheetByDataFilter,
  },
  {
    operation: 'developerMetadata.search',
    httpMethod: 'POST',
    path: at(`/${id}/developerMetadata:search`),
    kind: 'read',
    readOnlyScope: false,
    answer: picked(searchMetadata),
  },
  {
    operation: 'developerMetadata.get',
    httpMethod: 'GET',
    path: at(`/${id}/developerMetadata/(\\d+)`),
    kind: 'read',
    readOnlyScope: false,
    answer: picked(getMetadata),
  },
  {
    operation: 'values.batchGet',
    httpMethod: 'GET',
    path: at(`/${id}/values:batchGet`),
    kind: 'read',
    readOnlyScope: true,
    answer: picked((call) =>
      batchGetValues(reading(call), call.query.getAll('ranges'), queryOptions(call, readOptions)),
    ),
  },
  {
    operation: 'values.batchGetByDataFilter',
    httpMethod: 'POST',
    path: at(`/${id}/values:batchGetByDataFilter`),
    kind: 'read',
    readOnlyScope: false,
    answer: picked((call) => batchGetValuesByDataFilter(reading(call), call.body)),
  },
  {
    operation: 'values.batchUpdate',
    httpMethod: 'POST',
    path: at(`/${id}/values:batchUpdate`),
    kind: 'write',
    readOnlyScope: false,
    answer: picked((call) => writing(call, (edit, file) => batchUpdateValues(edit, file, call.body))),
  },
  {
    operation: 'values.batchUpdateByDataFilter',
    httpMethod: 'POST',
    path: at(`/${id}/values:batchUpdateByDataFilter`),
    kind: 'write',
    readOnlyScope: false,
    answer: picked((call) => writing(call, (edit, file) => batchUpdateValuesByDataFilter(edit, file, call.body))),
  },
  {
    operation: 'values.batchClear',
    httpMethod: 'POST',
    path: at(`/${id}/values:batchClear`),
    kind: 'write',
    readOnlyScope: false,
    answer: picked((call) => writing(call, (edit, file) => batchClear(edit, file, call.body ?? {}))),
  },
  {
    operation: 'values.batchClearByDataFilter',
    httpMethod: 'POST',
    path: at(`/${id}/values:batchClearByDataFilter`),
    kind: 'write',
    readOnlyScope: false,
    answer: picked((call) => writing(call, (edit, file) => batchClearByDataFilter(edit, file, call.body))),
  },
  {
    operation: 'sheets.copyTo',
    httpMethod: 'POST',
    path: at(`/${id}/sheets/(-?\\d+):copyTo`),
    kind: 'write',
    readOnlyScope: false,
    answer: () => {
      throw notPlayed('spreadsheets.sheets.copyTo');
    },
  },
  {
    operation: 'values.append',
    httpMethod: 'POST',
    path: at(`/${id}/values/(.+):append`),
    kind: 'write',
    readOnlyScope: false,
    answer: picked((call) =>
      writing(call, (edit, file) =>
        appendValues(edit, file, call.path[1] ?? '', queryOptions(call, appendOptions), call.body),
      ),
    ),
  },
  {
    operation: 'values.clear',
    httpMethod: 'POST',
    path: at(`/${id}/values/(.+):clear`),
    kind: 'write',
    readOnlyScope: false,
    answer: picked((call) => writing(call, (edit, file) => clearRange(edit, file, call.path[1] ?? ''))),
  },
  {
    operation: 'values.get',
    httpMethod: 'GET',
    path: at(`/${id}/values/(.+)`),
    kind: 'read',
    readOnlyScope: true,
    answer: picked((call) => getValues(reading(call), call.path[1] ?? '', queryOptions(call, readOptions))),
  },
  {
    operation: 'values.update',
    httpMethod: 'PUT',
    path: at(`/${id}/values/(.+)`),
    kind: 'write',
    readOnlyScope: false,
    answer: picked((call) =>
      writing(call, (edit, file) =>
        updateValues(edit, file, call.path[1] ?? '', queryOptions(call, writeOptions), call.body),
      ),
    ),
  },
];
