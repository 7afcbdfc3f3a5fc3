// Reads pinned rows: each row as it is now, at its present place, with header and column marks of the same instant.
import { type CallOptions, takeHeader, type TableContext } from './context.ts';
import { RefusedError } from './errors.ts';
import { byBounds, byMetadataId, type CellData, type Grid, headerCells, readGrid } from './grid.ts';
import type { HeaderCell, ResolvedHeader } from './header.ts';
import { locateTab } from './locate.ts';
import type { Row } from '../port.ts';

export interface PinnedRow {
  readonly rowIndex: number;
  /** The whole row by physical column; shorter than the tab if the rest is blank. */
  readonly cells: readonly CellData[];
}

export interface PinnedView {
  readonly rowByPin: ReadonlyMap<number, PinnedRow>;
  readonly header: ResolvedHeader;
  /** Physical index of every column with a mark (anchor or pin), by one metadata id of it. */
  readonly columnByMark: ReadonlyMap<number, number>;
  /** By physical column. */
  readonly headerTexts: readonly string[];
  readonly forbidden: Grid['forbidden'];
  /** All rows of the tab by their ID, as read right before; left out: not read. */
  readonly rowsById?: ReadonlyMap<string, readonly Row[]> | undefined;
}

/** One read: header, size, marks of the tab, and the ranges that may not be edited; no rows. */
export async function readHeader(
  context: TableContext,
  options: CallOptions,
): Promise<{ grid: Grid; cells: readonly HeaderCell[] }> {
  const { grid, header } = await readBlocks(context, [], options);
  takeHeader(context, grid, header);
  return { grid, cells: header };
}

/** One read. Deleted rows have no entry: their pins are gone too. */
export async function readThroughPins(
  context: TableContext,
  pins: readonly number[],
  options: CallOptions,
): Promise<PinnedView> {
  const { grid, header } = await readBlocks(context, pins, options);
  const wanted = new Set(pins);
  const rowByPin = new Map<number, PinnedRow>();
  for (const { startRow, rowData, rowMetadata } of grid.blocks) {
    for (const { metadataId } of rowMetadata?.[0]?.developerMetadata ?? []) {
      if (metadataId == null || !wanted.has(metadataId)) continue;
      rowByPin.set(metadataId, { rowIndex: startRow ?? 0, cells: rowData?.[0]?.values ?? [] });
    }
  }
  return {
    rowByPin,
    header: takeHeader(context, grid, header),
    columnByMark: new Map(
      header.flatMap(({ columnIndex, markIds }) => markIds.slice(0, 1).map((id) => [id, columnIndex])),
    ),
    headerTexts: header.map(({ text }) => text),
    forbidden: grid.forbidden,
  };
}

async function readBlocks(context: TableContext, pins: readonly number[], options: CallOptions) {
  const { client, spreadsheetId, spec } = context;
  const headerBounds = { startRowIndex: spec.headerRow - 1, endRowIndex: spec.headerRow };
  const filters = [byBounds(context.sheetId!, headerBounds), ...pins.map(byMetadataId)];
  const grid = await readGrid(client, spreadsheetId, filters, options).catch(async (error: unknown) => {
    // Google refuses a missing tab or header row; locating the tab shows which is missing.
    if (error instanceof RefusedError) await locateTab(context, options);
    throw error;
  });
  const header = headerCells(grid.blocks.find(({ startRow }) => (startRow ?? 0) === spec.headerRow - 1));
  return { grid, header };
}
