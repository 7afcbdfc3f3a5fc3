// spreadsheets.batchUpdate: requests one after the other on a draft; any refusal ends the batch.
import { type Edit } from '../edit.ts';
import { badRequest, invalidArgument, notPlayed, withErrorPrefix } from '../errors.ts';
import { type JsonObject, isJsonObject } from '../json.ts';
import { parseMessage } from '../schema.ts';
import { cellRequests } from './cells.ts';
import { dimensionRequests } from './dimensions.ts';
import { filterRequests } from './filters.ts';
import { mergeRequests } from './merges.ts';
import { metadataRequests } from './metadata.ts';
import { namedRangeRequests } from './named-ranges.ts';
import { pasteRequests } from './paste.ts';
import { protectionRequests } from './protection.ts';
import type { RequestKind } from './request-kind.ts';
import { sheetRequests } from './sheets.ts';
import { sortRequests } from './sort.ts';

const requestKinds: ReadonlyMap<string, RequestKind> = new Map<string, RequestKind>(
  Object.entries({
    ...cellRequests,
    ...dimensionRequests,
    ...filterRequests,
    ...mergeRequests,
    ...metadataRequests,
    ...namedRangeRequests,
    ...pasteRequests,
    ...protectionRequests,
    ...sheetRequests,
    ...sortRequests,
  }),
);

/** Further kinds in https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets/request */
const unplayedRequests: ReadonlySet<string> = new Set([
  'addBanding',
  'addChart',
  'addConditionalFormatRule',
  'addDataSource',
  'addSlicer',
  'addTable',
  'autoFill',
  'cancelDataSourceRefresh',
  'deleteBanding',
  'deleteConditionalFormatRule',
  'deleteDataSource',
  'deleteDuplicates',
  'deleteEmbeddedObject',
  'deleteRange',
  'deleteTable',
  'duplicateFilterView',
  'findReplace',
  'insertRange',
  'pasteData',
  'randomizeRange',
  'refreshDataSource',
  'textToColumns',
  'trimWhitespace',
  'updateBanding',
  'updateBorders',
  'updateChartSpec',
  'updateConditionalFormatRule',
  'updateDataSource',
  'updateDimensionGroup',
  'updateEmbeddedObjectBorder',
  'updateEmbeddedObjectPosition',
  'updateSlicerSpec',
  'updateTable',
]);

/** A request that has passed its schema. */
interface ParsedRequest {
  readonly name: string;
  readonly kind: RequestKind;
  readonly request: unknown;
}

/** Reads the list of requests; a malformed one refuses the whole body before anything is applied. */
export function parseRequests(requests: unknown): readonly ParsedRequest[] {
  if (requests === undefined || (Array.isArray(requests) && requests.length === 0)) {
    throw invalidArgument('Must specify at least one request.');
  }
  if (!Array.isArray(requests)) {
    throw badRequest([
      {
        field: 'requests',
        description: `Invalid value at 'requests' (type.googleapis.com/google.apps.sheets.v4.Request), ${JSON.stringify(requests)}`,
      },
    ]);
  }
  return requests.map((entry: unknown, index) => parseRequest(entry, index));
}

function parseRequest(entry: unknown, index: number): ParsedRequest {
  const field = `requests[${index}]`;
  const names = isJsonObject(entry) ? Object.keys(entry).filter((name) => entry[name] !== null) : [];
  const unknown = names.filter((name) => !requestKinds.has(name));
  const notHere = unknown.find((name) => unplayedRequests.has(name));
  if (notHere !== undefined) throw notPlayed(`the request ${notHere} of spreadsheets.batchUpdate`);
  if (unknown.length > 0) {
    throw badRequest(
      unknown.map((name) => ({
        field,
        description: `Invalid JSON payload received. Unknown name "${name}" at '${field}': Cannot find field.`,
      })),
    );
  }
  const [name, second] = names;
  if (name === undefined || !isJsonObject(entry)) throw invalidArgument(`Invalid ${field}: No request set.`);
  if (second !== undefined) {
    throw badRequest([
      {
        field,
        description: `Invalid value at '${field}' (oneof), oneof field 'kind' is already set. Cannot set '${second}'`,
      },
    ]);
  }
  const kind = requestKinds.get(name);
  if (!kind) throw new Error(`no request kind ${name}`);
  const snakeName = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { name, kind, request: parseMessage(kind.schema, entry[name], `${field}.${snakeName}`) };
}

/** Applies the requests in order and returns their replies. */
export function applyRequests(edit: Edit, requests: readonly ParsedRequest[]): readonly JsonObject[] {
  return requests.map(({ name, kind, request }, index) =>
    withErrorPrefix(`Invalid requests[${index}].${name}`, () => kind.apply(edit, request)),
  );
}
