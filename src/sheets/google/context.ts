// The shared context of one table: the client, the spreadsheet, the mapping, and what is known of the tab so far.
import { isDeepStrictEqual } from 'node:util';
import type { CallOptions, SheetsClient } from './client.ts';
import type { SheetsErrorContext } from '../errors.ts';
import type { DataFilter, Grid } from './grid.ts';
import type { IndexRange } from './adjacent.ts';
import { type HeaderCell, resolveHeader, type ResolvedHeader, type TabLayout } from './header.ts';
import { anchorValue, type IdBlock } from './marks.ts';
import type { ColumnKey, ColumnSpec, Fence, IdKey, TableMemory, TableSpec } from '../port.ts';

export const idKey: IdKey = '#id';

/** The places last seen; a read starts from them and corrects them. */
export interface Shape extends TableMemory {
  readonly rowCount: number;
  readonly columnCount: number;
}

/** Stored between processes: `sheetId`, so that a renamed tab is found, and its shape. */
export interface GoogleTableMemory extends Shape {
  readonly sheetId: number;
}

export function isOwnMemory(memory: TableMemory): memory is GoogleTableMemory {
  const { sheetId, rowCount, columnCount } = memory as Partial<GoogleTableMemory>;
  return [sheetId, rowCount, columnCount].every((each) => typeof each === 'number');
}

/** Sizes beyond which a table is read in several calls (read.ts has the reasons). */
export interface ReadLimits {
  /** Cells in one answer. */
  readonly cellsPerRead: number;
  /** Cells in each answer of a table that is larger. */
  readonly cellsPerChunk: number;
}

/** The second call of a read; the places of the open cells decide it (open-cells.ts). */
export interface ShownRequest {
  readonly headerRowIndex: number;
  readonly rows: readonly IndexRange[];
  readonly columns: readonly IndexRange[];
  readonly filters: DataFilter[];
}

/** The last read that gave a snapshot: enough to recognise an unchanged answer without parsing it. */
export interface LastRead {
  /** The fingerprint of the routine answer. */
  readonly digest: string;
  /** The second call, if one was needed. */
  readonly shown: ShownRequest | undefined;
  readonly shape: Shape;
}

export interface TableContext {
  readonly client: SheetsClient;
  readonly spreadsheetId: string;
  readonly spec: TableSpec;
  /** The ID column and the mapped ones, in this order. */
  readonly columns: readonly ColumnSpec[];
  /** The metadata ids that belong to this owner. */
  readonly block: IdBlock;
  /** The tab, once found; renaming does not change it. */
  sheetId: number | undefined;
  shape: Shape | undefined;
  readonly readLimits: ReadLimits;
  /** From the last reading; undefined: it has to be read again. */
  layout: TabLayout | undefined;
  /** Also undefined after a read in chunks. */
  lastRead: LastRead | undefined;
  /** True: `leftovers` is complete. False at first, and when the outcome of a write is in doubt. */
  areMarksKnown: boolean;
  /** When header and anchors were last read, on the clock that is never set back; a routine read shows no anchors. */
  headerReadAt?: number;
  /** Metadata id of the anchor of each anchored column, from the last reading of the header. */
  anchorIdByKey: ReadonlyMap<ColumnKey, number>;
  /** `assertMark` was not refused so far while nothing had moved. */
  areAssertionsUsable: boolean;
  /** Marks known to be left over, removed together with the next marks. */
  readonly leftovers: Set<number>;
  /** Of the run whose call this is. Left out: its lease cannot run out. */
  fence: Fence | undefined;
  /** The last epoch with which this process took the fence, pins of others included. */
  fenceTaken: number | undefined;
  /** The epoch that the fence has, as far as is known. */
  fenceHeld: number | undefined;
  /** Rows pinned at once: fewer than `batchRowsMax` after the tab's metadata turned out to be nearly full. */
  pinsMax: number;
}

export type { CallOptions };

/** One batch pins at most this many rows: 1,000 of the tab's 30,000 characters of metadata. */
export const batchRowsMax = 1_000;

/** https://developers.google.com/workspace/sheets/api/limits advises 2 MB, which includes the rest of the body. */
export const batchBytesMax = 1_900_000;

export function allColumns(spec: TableSpec): ColumnSpec[] {
  return [{ key: idKey, header: spec.idHeader, format: 'text' }, ...spec.columns];
}

/** Stores a header that was just read: the place of each column, and the size of the tab. */
export function takeHeader(context: TableContext, grid: Grid, header: readonly HeaderCell[]): ResolvedHeader {
  const resolved = resolveHeader(context.columns, header, (key: ColumnKey) => anchorValue(context.spec.owner, key));
  takeColumns(context, grid, resolved);
  context.headerReadAt = context.client.time.elapsed();
  // The header row may be the same with other columns: routine reads must not use the old layout.
  if (context.layout && !isDeepStrictEqual(context.layout.resolved, resolved)) context.layout = undefined;
  return resolved;
}

/** The same for columns that were already resolved. */
export function takeColumns(
  context: TableContext,
  { rowCount, columnCount }: Pick<Grid, 'rowCount' | 'columnCount'>,
  { located }: ResolvedHeader,
): void {
  const columnIndexByKey = Object.fromEntries(located.map(({ key, columnIndex }) => [key, columnIndex]));
  context.shape = { rowCount, columnCount, columnIndexByKey };
  context.anchorIdByKey = new Map(
    located.flatMap(({ key, anchorId }) => (anchorId === undefined ? [] : [[key, anchorId]])),
  );
}

export function errorContext({ spreadsheetId, sheetId }: TableContext): SheetsErrorContext {
  return { spreadsheetId, ...(sheetId !== undefined && { tabId: String(sheetId) }) };
}
