// The developer metadata that this project writes into a workbook. A one-character key tells three kinds apart, because
// key and value count against 30,000 characters a tab
// (https://developers.google.com/workspace/sheets/api/guides/metadata):
//
//   anchor  on a column, stays:                key `c`, value `owner/column key`
//   pin     on a row or column, for one write: key `p`, no value
//   append  on the tab, until the run ends:   key `a`, no value
//   fence   on the tab, stays:                 key `f`, value the epoch of the last holder that wrote (fence.ts)
//
// Pins, append marks and the fence belong to the owner of the block that has their metadata ids. Ids are chosen here and do not
// count against the cap. So two syncs in one workbook tell their marks apart at no cost. A chosen id also makes a
// repeated batch fail instead of being applied twice.
import { createHash } from 'node:crypto';
import type { sheets_v4 } from '@googleapis/sheets';
import type { ColumnKey } from '../port.ts';

export type Metadata = sheets_v4.Schema$DeveloperMetadata;
export type Request = sheets_v4.Schema$Request;

export const anchorKey = 'c';
const pinKey = 'p';
const appendKey = 'a';
const fenceKey = 'f';
export const temporaryKeys: readonly string[] = [pinKey, appendKey];
/** Of all marks that may be left over: pins, append marks, and anchors of columns that left the mapping. */
export const leftoverKeys: readonly string[] = [...temporaryKeys, anchorKey];

/** Who has anchors, and for which columns. */
interface Owner {
  readonly spec: { readonly owner: string };
  readonly columns: readonly { readonly key: ColumnKey }[];
}

/** Ids are positive 32-bit integers: 14 bits for the owner, 17 bits for the mark. */
const serialCount = 2 ** 17;
const tagCount = 2 ** 14;

export interface IdBlock {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

export function ownerToIdBlock(owner: string): IdBlock {
  const hash = createHash('sha256').update(owner).digest().readUInt32BE();
  const tag = 1 + (hash % (tagCount - 1));
  return { first: tag * serialCount, end: (tag + 1) * serialCount };
}

/** `count` consecutive ids of the block, at a random place. An id in use shows as a refusal. */
export function drawIds(block: IdBlock, count: number, random: () => number): number[] {
  const first = block.first + Math.floor(random() * (block.end - block.first - count));
  return Array.from({ length: count }, (_, index) => first + index);
}

/** The last id of the block, which `drawIds` never draws. */
export function fenceId({ end }: IdBlock): number {
  return end - 1;
}

/** Refused unless the fence has this value, or is missing where `seen` is undefined; then it has that of `epoch`. */
export function fenceRequests(block: IdBlock, sheetId: number, seen: number | undefined, epoch: number): Request[] {
  const metadataId = fenceId(block);
  const create = createMark(metadataId, fenceKey, { sheetId }, String(epoch));
  if (seen === undefined) return [create];
  const developerMetadataLookup = { metadataId, metadataValue: String(seen) };
  return [{ deleteDeveloperMetadata: { dataFilter: { developerMetadataLookup } } }, create];
}

/** A pin or append mark of this owner. */
export function isTemporaryMark({ metadataId, metadataKey }: Metadata, block: IdBlock): boolean {
  if (metadataId == null || !temporaryKeys.includes(metadataKey ?? '')) return false;
  return metadataId >= block.first && metadataId < block.end;
}

export function anchorValue(owner: string, key: ColumnKey): string {
  return `${owner}/${key}`;
}

/**
 * An anchor of this owner for a column that is none of these. The column belongs to people now: if the mapping got such a
 * column again, it would be found by the anchor, whatever people put there meanwhile (L13).
 */
export function isStaleAnchor({ metadataId, metadataKey, metadataValue }: Metadata, { spec, columns }: Owner): boolean {
  if (metadataId == null || metadataKey !== anchorKey) return false;
  if (!metadataValue?.startsWith(anchorValue(spec.owner, ''))) return false;
  return columns.every(({ key }) => anchorValue(spec.owner, key) !== metadataValue);
}

export function createPin(metadataId: number, sheetId: number, rowIndex: number): Request {
  return createMark(metadataId, pinKey, { dimensionRange: oneLine(sheetId, 'ROWS', rowIndex) });
}

export function createColumnPin(metadataId: number, sheetId: number, columnIndex: number): Request {
  return createMark(metadataId, pinKey, { dimensionRange: oneLine(sheetId, 'COLUMNS', columnIndex) });
}

export function createAppendMark(metadataId: number, sheetId: number): Request {
  return createMark(metadataId, appendKey, { sheetId });
}

export function createAnchor(metadataId: number, sheetId: number, columnIndex: number, value: string): Request {
  return createMark(metadataId, anchorKey, { dimensionRange: oneLine(sheetId, 'COLUMNS', columnIndex) }, value);
}

export function deleteMark(metadataId: number): Request {
  return { deleteDeveloperMetadata: { dataFilter: { developerMetadataLookup: { metadataId } } } };
}

/**
 * Makes its batch fail unless the mark is exactly at the place of `mark`; it goes first in the batch. Sheets has no
 * conditions, but two documented rules make one. A deletion by id and exact location spares a mark elsewhere, and
 * creating an id in use fails the whole batch. If the mark is at its place, both together change nothing.
 */
export function assertMark(mark: Request): Request[] {
  const { metadataId, location } = mark.createDeveloperMetadata?.developerMetadata ?? {};
  const developerMetadataLookup = {
    metadataId: metadataId ?? null,
    locationMatchingStrategy: 'EXACT_LOCATION',
    metadataLocation: location ?? {},
  };
  return [{ deleteDeveloperMetadata: { dataFilter: { developerMetadataLookup } } }, mark];
}

export function oneLine(sheetId: number, dimension: 'ROWS' | 'COLUMNS', index: number) {
  return { sheetId, dimension, startIndex: index, endIndex: index + 1 };
}

function createMark(
  metadataId: number,
  metadataKey: string,
  location: sheets_v4.Schema$DeveloperMetadataLocation,
  metadataValue?: string,
): Request {
  const developerMetadata = { metadataId, metadataKey, location, visibility: 'DOCUMENT' };
  return {
    createDeveloperMetadata: {
      developerMetadata: metadataValue === undefined ? developerMetadata : { ...developerMetadata, metadataValue },
    },
  };
}
