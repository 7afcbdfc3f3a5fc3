// What the parts of one table share: the client, the spreadsheet, the mapping, and what is known of the tab so far.
import { isDeepStrictEqual } from 'node:util';
import type { CallOptions, SheetsClient } from './client.ts';
import type { SheetsErrorContext } from '../errors.ts';
import type { DataFilter, Grid } from './grid.ts';
import type { IndexRange } from './adjacent.ts';
import { type HeaderCell, resolveHeader, type ResolvedHeader, type TabLayout } from './header.ts';
import { anchorValue, type IdBlock } from './marks.ts';
import type { ColumnKey, ColumnSpec, IdKey, TableMemory, TableSpec } from '../port.ts';

export const idKey: IdKey = '#id';

/** Where things were when last seen; a read starts from it and puts it right. */
export interface Shape extends TableMemory {
  readonly rowCount: number;
  readonly columnCount: number;
}

/** What is remembered between processes: `sheetId`, so that a renamed tab is still the tab, and its shape. */
export interface GoogleTableMemory extends Shape {
  readonly sheetId: number;
}

export function isOwnMemory(memory: TableMemory): memory is GoogleTableMemory {
  const { sheetId, rowCount, columnCount } = memory as Partial<GoogleTableMemory>;
  return [sheetId, rowCount, columnCount].every((each) => typeof each === 'number');
}

/** Sizes beyond which a table is read in several calls (read.ts says why these). */
export interface ReadLimits {
  /** Cells in one answer. */
  readonly cellsPerRead: number;
  /** Cells in each answer of a table that is larger. */
  readonly cellsPerChunk: number;
}

/** The second call of a read, fixed by where the open cells are (open-cells.ts). */
export interface ShownRequest {
  readonly headerRowIndex: number;
  readonly rows: readonly IndexRange[];
  readonly columns: readonly IndexRange[];
  readonly filters: DataFilter[];
}

/** The last read that gave a snapshot: enough to tell an unchanged answer without taking it apart. */
export interface LastRead {
  /** Of the routine answer. */
  readonly digest: string;
  /** The second call it needed. */
  readonly shown: ShownRequest | undefined;
  readonly shape: Shape;
}

export interface TableContext {
  readonly client: SheetsClient;
  readonly spreadsheetId: string;
  readonly spec: TableSpec;
  /** The ID column and the mapped ones, in this order. */
  readonly columns: readonly ColumnSpec[];
  /** The metadata ids that are this owner's to give. */
  readonly block: IdBlock;
  /** The tab, once found; it stays this one whatever it is called. */
  sheetId: number | undefined;
  shape: Shape | undefined;
  readonly readLimits: ReadLimits;
  /** As last read; undefined when it has to be read again. */
  layout: TabLayout | undefined;
  /** Undefined after a read in chunks, too. */
  lastRead: LastRead | undefined;
  /** What is in `leftovers` is all there is; false at first, and when the outcome of a write is in doubt. */
  areMarksKnown: boolean;
  /** When header and anchors were last read, on the clock that is never set back; a routine read shows no anchors. */
  headerReadAt?: number;
  /** Metadata id of the anchor of each anchored column, as of the last reading of the header. */
  anchorIdByKey: ReadonlyMap<ColumnKey, number>;
  /** `assertMark` has not been found to be refused where nothing had moved. */
  areAssertionsUsable: boolean;
  /** Marks known to be left over, removed along with the next marks that are. */
  readonly leftovers: Set<number>;
  /** Rows pinned at once: fewer than `batchRowsMax` once the tab's metadata turned out to be nearly full. */
  pinsMax: number;
}

export type { CallOptions };

/** One batch pins at most this many rows: 1,000 of the tab's 30,000 characters of metadata. */
export const batchRowsMax = 1_000;

/** https://developers.google.com/workspace/sheets/api/limits advises 2 MB; the rest of the body takes its part. */
export const batchBytesMax = 1_900_000;

export function allColumns(spec: TableSpec): ColumnSpec[] {
  return [{ key: idKey, header: spec.idHeader, format: 'text' }, ...spec.columns];
}

/** Takes over a header that was just read: which column is which, and how large the tab is now. */
export function takeHeader(context: TableContext, grid: Grid, header: readonly HeaderCell[]): ResolvedHeader {
  const resolved = resolveHeader(context.columns, header, (key: ColumnKey) => anchorValue(context.spec.owner, key));
  takeColumns(context, grid, resolved);
  context.headerReadAt = context.client.time.elapsed();
  // The header row may read as it did and the columns be others all the same: routine reads must not go by the old layout.
  if (context.layout && !isDeepStrictEqual(context.layout.resolved, resolved)) context.layout = undefined;
  return resolved;
}

/** The same for columns that were made out before. */
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
