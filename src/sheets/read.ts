// Reading the whole table: choose the columns, read them in one call or, beyond its size, in chunks that are checked
// against one last look at the ID column.
import type { GridBounds } from './address.ts';
import { type CallOptions, errorContext, idKey, takeHeader, type TableContext } from './context.ts';
import { RefusedError, type SheetsError, TableMovingError } from './errors.ts';
import { type Block, byBounds, type Grid, headerCells, isSameValue, readGrid } from './grid.ts';
import type { LocatedColumn, ResolvedHeader } from './header.ts';
import { locateTab } from './locate.ts';
import { isTemporaryMark, type Metadata } from './marks.ts';
import type { ColumnKey, Row, Snapshot } from './port.ts';
import { appendRows } from './rows.ts';

/**
 * Cells in one answer: about 12 MB of JSON, some 60 MB while it is taken apart, and well below the 180 s that Google
 * gives a call (https://developers.google.com/workspace/sheets/api/limits, which also advises against large grid reads).
 */
const cellsPerReadMax = 250_000;

/** A tab beyond that is read in smaller portions: several of them are in memory until the garbage collector comes by. */
const cellsPerChunk = 60_000;

/** How often a read starts over because columns or rows moved under it. */
const attemptsMax = 4;

export async function readTable(context: TableContext, options: CallOptions): Promise<Snapshot> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const isJustLocated = context.sheetId === undefined || context.shape === undefined;
    if (isJustLocated) await locateTab(context, options);
    try {
      const snapshot = await readOnce(context, options);
      if (snapshot) return snapshot;
    } catch (error) {
      // The tab is gone, or shorter than remembered: locating it tells which. Just located, the refusal stands.
      if (!isBadRange(error) || isJustLocated) throw error;
      context.shape = undefined;
    }
  }
  throw new TableMovingError(attemptsMax, errorContext(context));
}

/** Undefined when the tab turned out to have another shape than expected; `context.shape` then is the new one. */
async function readOnce(context: TableContext, options: CallOptions): Promise<Snapshot | undefined> {
  const { rowCount, columnCount } = context.shape!;
  const rowsBelow = Math.max(0, rowCount - context.spec.headerRow);
  if (!isColumnKnown(context) && rowsBelow * columnCount > cellsPerReadMax) {
    await readParts(context, [], options);
  }
  const runs = columnRuns(context);
  const width = runs.reduce((sum, { start, end }) => sum + end - start, 0);
  return rowsBelow * width <= cellsPerReadMax
    ? readWhole(context, runs, options)
    : readChunks(context, runs, Math.max(1, Math.floor(cellsPerChunk / width)), options);
}

async function readWhole(context: TableContext, runs: readonly Run[], options: CallOptions) {
  const hadRows = context.shape!.rowCount > context.spec.headerRow;
  const below: GridBounds = { startRowIndex: context.spec.headerRow };
  const parts = await readParts(context, hadRows ? runs.map((run) => runBounds(run, below)) : [], options);
  const hasRows = parts.grid.rowCount > context.spec.headerRow;
  if (hasRows !== hadRows || !isCovered(parts.header.located, runs)) return undefined;
  const rows: Row[] = [];
  appendRows(rows, parts.below, parts.header.located);
  return createSnapshot(context, parts, rows);
}

/**
 * Each chunk is one instant, all chunks together are not: a row that moves meanwhile may be seen twice or never. So the
 * ID column is read once more in one call at the end, and the rows count only if it is as the chunks showed it (L7).
 */
async function readChunks(context: TableContext, runs: readonly Run[], chunkRows: number, options: CallOptions) {
  const { rowCount } = context.shape!;
  const rows: Row[] = [];
  let columns: string | undefined;
  for (let start = context.spec.headerRow; start < rowCount; start += chunkRows) {
    const bounds = { startRowIndex: start, endRowIndex: Math.min(start + chunkRows, rowCount) };
    const parts = await readParts(
      context,
      runs.map((run) => runBounds(run, bounds)),
      options,
    );
    columns ??= columnsText(parts.header);
    if (parts.grid.rowCount !== rowCount || columnsText(parts.header) !== columns) return undefined;
    if (!isCovered(parts.header.located, runs)) return undefined;
    appendRows(rows, parts.below, parts.header.located);
  }
  const witness = witnessColumn(context);
  const last = await readParts(
    context,
    witness === undefined ? [] : [runBounds(witness, { startRowIndex: context.spec.headerRow })],
    options,
  );
  if (last.grid.rowCount !== rowCount || columnsText(last.header) !== columns) return undefined;
  const seen: Row[] = [];
  appendRows(seen, last.below, last.header.located);
  return isSameColumn(rows, seen, last.header.located) ? createSnapshot(context, last, rows) : undefined;
}

interface Parts {
  readonly grid: Grid;
  readonly header: ResolvedHeader;
  /** One block for each of the bounds asked for, beginning at the same row. */
  readonly below: readonly Block[];
}

/** One call: the header row, always whole, and the bounds asked for. Puts `context.shape` right. */
async function readParts(context: TableContext, bounds: readonly GridBounds[], options: CallOptions): Promise<Parts> {
  const { client, spreadsheetId, spec } = context;
  const sheetId = context.sheetId!;
  const headerBounds = { startRowIndex: spec.headerRow - 1, endRowIndex: spec.headerRow };
  const filters = [headerBounds, ...bounds].map((each) => byBounds(sheetId, each));
  const grid = await readGrid(client, spreadsheetId, filters, options);
  if (!grid) throw new RefusedError(400, 'the answer has no tab', errorContext(context));
  const header = takeHeader(context, grid, headerCells(grid.blocks.find(isHeader)));
  return { grid, header, below: grid.blocks.filter((block) => !isHeader(block)) };

  function isHeader(block: Block): boolean {
    return (block.startRow ?? 0) === spec.headerRow - 1;
  }
}

function createSnapshot(context: TableContext, { grid, header }: Parts, rows: Row[]): Snapshot {
  noteMarks(context, grid.sheetMarks);
  for (const { rowMetadata, columnMetadata } of grid.blocks) {
    for (const { developerMetadata } of rowMetadata ?? []) noteMarks(context, developerMetadata);
    for (const { developerMetadata } of columnMetadata ?? []) noteMarks(context, developerMetadata);
  }
  return {
    title: grid.title,
    rows,
    columns: header.states.filter(({ key }) => key !== idKey),
    idColumn: header.states.find(({ key }) => key === idKey)!,
    leftovers: context.leftovers.size,
    unanchored: header.located.filter(({ anchorId }) => anchorId === undefined).map(({ key }) => key),
    memory: { sheetId: context.sheetId!, ...context.shape! },
  };
}

/** Most rows carry none, and there may be 100,000. */
function noteMarks({ block, leftovers }: TableContext, marks: readonly Metadata[] | undefined): void {
  if (!marks) return;
  for (const mark of marks) if (isTemporaryMark(mark, block)) leftovers.add(mark.metadataId!);
}

/** Adjacent columns, read as one block. End exclusive. */
interface Run {
  readonly start: number;
  readonly end: number;
}

function columnRuns({ shape }: TableContext): Run[] {
  const indexes = Object.values(shape!.columnIndexByKey).toSorted((a, b) => a - b);
  if (indexes.length === 0) return shape!.columnCount === 0 ? [] : [{ start: 0, end: shape!.columnCount }];
  const runs: Run[] = [];
  for (const index of indexes) {
    const last = runs.at(-1);
    if (last && index <= last.end) runs[runs.length - 1] = { start: last.start, end: index + 1 };
    else runs.push({ start: index, end: index + 1 });
  }
  return runs;
}

function runBounds({ start, end }: Run, rows: GridBounds): GridBounds {
  return { ...rows, startColumnIndex: start, endColumnIndex: end };
}

function isColumnKnown({ shape }: TableContext): boolean {
  return Object.keys(shape!.columnIndexByKey).length > 0;
}

function isCovered(located: readonly LocatedColumn[], runs: readonly Run[]): boolean {
  return located.every(({ columnIndex }) => runs.some(({ start, end }) => columnIndex >= start && columnIndex < end));
}

/** The column that tells whether rows moved: the ID column, or any other as long as there is none. */
function witnessColumn({ shape, columns }: TableContext): Run | undefined {
  const indexByKey: Readonly<Record<ColumnKey, number>> = shape!.columnIndexByKey;
  const index = columns.map(({ key }) => indexByKey[key]).find((each) => each !== undefined);
  return index === undefined ? undefined : { start: index, end: index + 1 };
}

function isSameColumn(rows: readonly Row[], seen: readonly Row[], located: readonly LocatedColumn[]): boolean {
  const witness = located[0]?.key ?? idKey;
  const valueOf = ({ id, cells }: Row) => (witness === idKey ? id || null : (cells[witness] ?? null));
  const shown = rows.filter((row) => valueOf(row) !== null);
  const shownNow = seen.filter((row) => valueOf(row) !== null);
  return (
    shown.length === shownNow.length &&
    shown.every((row, index) => {
      const now = shownNow[index]!;
      return row.number === now.number && isSameValue(valueOf(row), valueOf(now));
    })
  );
}

function columnsText({ located }: ResolvedHeader): string {
  return located.map(({ key, columnIndex }) => `${columnIndex} ${key}`).join('\n');
}

function isBadRange(error: unknown): error is SheetsError {
  return error instanceof RefusedError && error.status === 400;
}
