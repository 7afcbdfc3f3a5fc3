// Reads the whole table, usually in one call for header row and mapped columns.
// - A header row that no longer identifies the columns costs another call (tab-layout.ts).
// - Cells that one call leaves open cost another call (open-cells.ts).
// - A tab too large for one answer is read in chunks, which are checked against one last reading of the ID column.
import type { GridBounds } from './address.ts';
import {
  type CallOptions,
  errorContext,
  type GoogleTableMemory,
  idKey,
  type ReadLimits,
  takeColumns,
  type TableContext,
} from './context.ts';
import { TableMovingError } from '../errors.ts';
import { locateTab } from './locate.ts';
import type { TabLayout } from './header.ts';
import { readTabLayout } from './tab-layout.ts';
import type { ColumnKey, Row, Snapshot } from '../port.ts';
import type { RawAnswer } from './raw-answer.ts';
import { appendRows, columnLines, type KnownText } from './rows.ts';
import { Expansions, mayExpand } from './expansion.ts';
import { cellValue, formulaText } from './grid.ts';
import { type IndexRange, toIndexRanges } from './adjacent.ts';
import {
  askedCell,
  type AskedToo,
  hasAsked,
  isNeededAgain,
  type OpenCell,
  planShownRequest,
  readShownCells,
  settleOpenCells,
  type ShownCells,
} from './open-cells.ts';
import { toRecall } from './recall.ts';
import { ask, columnRanges, fingerprintOf, isBadRange, requestBounds, wholeBounds } from './routine.ts';
import { takeValues, type ValueBlock } from './values.ts';

/**
 * One answer of 2,000,000 cells is about 43 MB at the 21 bytes a cell of bench/sheets-read.ts; Google ends a call after
 * 180 s (https://developers.google.com/workspace/sheets/api/limits). Beyond that, portions are small: several of them
 * are in memory until the garbage collector runs.
 */
export const readLimitsDefault: ReadLimits = { cellsPerRead: 2_000_000, cellsPerChunk: 400_000 };

/** Limit on restarts of a read because columns or rows moved during it. */
const attemptsMax = 6;

/** The knowledge that one attempt passes to the next attempt of the same read. */
interface Attempts {
  /** The layout was read: it may have changed although the rows show nothing. */
  hasReadLayout: boolean;
  /** The header row in the answer right before the layout was read. */
  headerBefore: string | undefined;
  /** A second call that did not agree with the first, and the digest of that first. */
  unsettled: { readonly digest: string; readonly shown: ShownCells } | undefined;
}

/** The text that the caller already has. */
export interface Held {
  /** The fingerprint of a snapshot; 'unchanged' is answered only if nothing else could have changed either. */
  readonly unless?: string | undefined;
  /** Texts of rows. */
  readonly knownText?: KnownText | undefined;
}

export async function readTable(context: TableContext, options: CallOptions): Promise<Snapshot>;
export async function readTable(
  context: TableContext,
  options: CallOptions,
  held: Held,
): Promise<Snapshot | 'unchanged'>;
export async function readTable(
  context: TableContext,
  options: CallOptions,
  held: Held = {},
): Promise<Snapshot | 'unchanged'> {
  const attempts: Attempts = { hasReadLayout: false, headerBefore: undefined, unsettled: undefined };
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const isJustLocated = context.sheetId === undefined || context.shape === undefined;
    if (isJustLocated) await locateTab(context, options);
    try {
      const result = await readOnce(context, attempts, held, options);
      if (result) return result;
    } catch (error) {
      // The tab is gone, or smaller than remembered: locating it shows which. If it was just located, the refusal
      // stands. A remembered column may be beyond the grid, which then hides the header row that would tell it.
      if (!isBadRange(error) || isJustLocated) throw error;
      context.shape = undefined;
      context.layout = undefined;
    }
  }
  throw new TableMovingError(attemptsMax, errorContext(context));
}

/** Undefined: it has to be started over. */
async function readOnce(
  context: TableContext,
  attempts: Attempts,
  held: Held,
  options: CallOptions,
): Promise<Snapshot | 'unchanged' | undefined> {
  const { headerRow } = context.spec;
  if (held.unless === undefined) forgetRecalled(context);
  // A tab without rows has nothing below the header to read; reading its layout costs the same one call.
  if (!context.layout?.isHeaderSufficient || context.shape!.rowCount <= headerRow) {
    attempts.hasReadLayout = true;
    await readTabLayout(context, options);
  }
  const layout = context.layout!;
  const { rowCount } = context.shape!;
  if (rowCount <= headerRow) return createSnapshot(context, layout.title, [], layout.headerTexts);
  const ranges = columnRanges(layout);
  const width = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  const { cellsPerRead, cellsPerChunk } = context.readLimits;
  return (rowCount - headerRow) * width <= cellsPerRead
    ? readWhole(context, ranges, attempts, held, options)
    : readChunks(context, ranges, Math.max(1, Math.floor(cellsPerChunk / width)), attempts, held, options);
}

async function readWhole(
  context: TableContext,
  ranges: readonly IndexRange[],
  attempts: Attempts,
  held: Held,
  options: CallOptions,
): Promise<Snapshot | 'unchanged' | undefined> {
  const bounds = wholeBounds(context, ranges);
  using answer = await ask(context, bounds, options);
  const { lastRead } = context;
  const isSame = !attempts.hasReadLayout && lastRead?.digest === answer.digest;
  // The same bytes have their open cells in the same places: their contents are compared as bytes too.
  const asked =
    provenShown(attempts, answer.digest) ??
    (isSame && lastRead.shown ? await readShownCells(context, lastRead.shown, options) : undefined);
  if (isSame && fingerprintOf(context, [answer.digest, asked?.digest]) === held.unless) {
    takeColumns(context, lastRead.shape, context.layout!.resolved);
    return 'unchanged';
  }
  if (forgetRecalled(context)) return undefined;
  const expansions = newExpansions(context);
  const part = takePart(context, answer, bounds, attempts, (...of) => takeRows(...of, held, expansions));
  if (!part) return undefined;
  const shown = await settle(context, part, asked, attempts, expansions, options);
  if (shown === 'moving') return undefined;
  context.lastRead = { digest: answer.digest, shown: shown?.request, shape: context.shape! };
  const snapshot = createSnapshot(context, part.title, part.rows, [answer.digest, shown?.digest], expansions);
  const recall = toRecall(context, snapshot.fingerprint);
  return recall === undefined ? snapshot : { ...snapshot, recall };
}

/** A layout that another process read is enough to compare with, and not to plan a write by. True: there was one. */
function forgetRecalled(context: TableContext): boolean {
  if (!context.layout?.isRecalled) return false;
  context.layout = undefined;
  return true;
}

/**
 * Each chunk is one instant, but all chunks together are not: a row that moves meanwhile may be seen twice or never. So
 * the ID column is read once more in one call at the end. The rows count only if it equals that of the chunks (L7).
 */
async function readChunks(
  context: TableContext,
  ranges: readonly IndexRange[],
  chunkRows: number,
  attempts: Attempts,
  held: Held,
  options: CallOptions,
): Promise<Snapshot | 'unchanged' | undefined> {
  if (forgetRecalled(context)) return undefined;
  const { rowCount } = context.shape!;
  const rows: Row[] = [];
  const witness: string[] = [];
  const expansions = newExpansions(context);
  const digests: (string | undefined)[] = [];
  for (let start = context.spec.headerRow; start < rowCount; start += chunkRows) {
    const rowBounds = { startRowIndex: start, endRowIndex: Math.min(start + chunkRows, rowCount) };
    const bounds = requestBounds(context, ranges, rowBounds);
    using answer = await ask(context, bounds, options);
    const part = takePart(context, answer, bounds, attempts, (...of) => takeChunk(...of, held, expansions));
    if (!part) return undefined;
    const shown = await settle(context, part, undefined, attempts, expansions, options);
    if (shown === 'moving') return undefined;
    for (const row of part.rows) rows.push(row);
    for (const line of part.witness) witness.push(line);
    digests.push(answer.digest, shown?.digest);
  }
  const bounds = wholeBounds(context, toIndexRanges(witnessColumn(context)));
  using closing = await ask(context, bounds, options);
  const last = takePart(context, closing, bounds, attempts, takeWitness);
  if (!last || context.shape!.rowCount !== rowCount || last.witness.length !== witness.length) return undefined;
  if (last.witness.some((line, index) => line !== witness[index])) return undefined;
  if (!attempts.hasReadLayout && fingerprintOf(context, digests) === held.unless) return 'unchanged';
  context.lastRead = undefined;
  return createSnapshot(context, last.title, rows, digests, expansions);
}

/** The content of one routine answer. The answer itself, with all its arrays, is not kept. */
interface Part {
  readonly digest: string;
  readonly title: string;
}

type Take<T> = (context: TableContext, body: readonly ValueBlock[]) => T;

/**
 * Undefined: the header row differs from the layout, which has to be read again. Else `context.shape` is that of the
 * answer.
 */
function takePart<T>(
  context: TableContext,
  answer: RawAnswer,
  bounds: readonly GridBounds[],
  attempts: Attempts,
  take: Take<T>,
): (Part & T) | undefined {
  const { title, blocks, extents } = takeValues(answer, bounds, errorContext(context));
  const layout = context.layout!;
  const [header = []] = blocks[0]?.rows ?? [];
  const headerAnswered = JSON.stringify(header);
  if (!isHeaderUnchanged(layout, header, headerAnswered, attempts)) {
    attempts.headerBefore = headerAnswered;
    context.layout = undefined;
    return undefined;
  }
  context.layout = { ...layout, headerAnswered };
  // Bounds without an end were answered to the end of the grid.
  const endRow = bounds[1] && bounds[1].endRowIndex === undefined ? extents[1]?.endRow : undefined;
  const size = { rowCount: endRow ?? context.shape!.rowCount, columnCount: extents[0]!.endColumn };
  takeColumns(context, size, layout.resolved);
  return { digest: answer.digest, title: title ?? layout.title, ...take(context, blocks.slice(1)) };
}

/** The header row of the layout, since a formula there may fill the rows. */
function newExpansions({ layout, spec }: TableContext): Expansions {
  return new Expansions(spec.headerRow - 1, layout!.headerTexts);
}

interface TakenRows {
  readonly rows: readonly Row[];
  readonly open: readonly OpenCell[];
}

function takeRows(
  { layout, spec }: TableContext,
  body: readonly ValueBlock[],
  { knownText }: Held,
  expansions: Expansions,
): TakenRows {
  const rows: Row[] = [];
  const open: OpenCell[] = [];
  appendRows(rows, open, body, layout!.resolved.located, spec.columns, knownText, expansions);
  return { rows, open };
}

/** A line for each cell of the witness column that is not blank, from the answer. */
function takeWitness(context: TableContext, body: readonly ValueBlock[]) {
  return { witness: witnessColumn(context).flatMap((columnIndex) => columnLines(body, columnIndex)) };
}

function takeChunk(context: TableContext, body: readonly ValueBlock[], held: Held, expansions: Expansions) {
  return { ...takeRows(context, body, held, expansions), ...takeWitness(context, body) };
}

/** True by the texts; or because the layout was read between two equal answers. */
function isHeaderUnchanged(
  layout: TabLayout,
  header: readonly unknown[],
  headerAnswered: string,
  attempts: Attempts,
): boolean {
  if (layout.headerAnswered !== undefined) return layout.headerAnswered === headerAnswered;
  if (attempts.headerBefore === headerAnswered) return true;
  const width = Math.max(header.length, layout.headerTexts.length);
  return Array.from({ length: width }).every((_, index) => toText(header[index]) === (layout.headerTexts[index] ?? ''));
}

function toText(answered: unknown): string {
  return typeof answered === 'string' ? answered : (JSON.stringify(answered) ?? '');
}

/** The second call of the attempt before, if the first call has the same answer as before it: nothing changed. */
function provenShown({ unsettled }: Attempts, digest: string): ShownCells | undefined {
  return unsettled?.digest === digest ? unsettled.shown : undefined;
}

/** Undefined: no cell was open, or none is any more. `asked`: the second call, if it was made already. */
async function settle(
  context: TableContext,
  { digest, open }: Part & TakenRows,
  asked: ShownCells | undefined,
  attempts: Attempts,
  expansions: Expansions,
  options: CallOptions,
): Promise<ShownCells | 'moving' | undefined> {
  if (open.length === 0) return undefined;
  const { sheetId, spec, shape, layout } = context;
  const idColumnIndex = shape!.columnIndexByKey[idKey];
  const proven = provenShown(attempts, digest);
  const made = proven ?? asked;
  const too = askedToo(open, expansions, spec.headerRow);
  const plan = () => planShownRequest(sheetId!, spec.headerRow - 1, open, idColumnIndex, too);
  const shown = made && hasAsked(made.request, open, too) ? made : await readShownCells(context, plan(), options);
  if (settleOpenCells(shown, open, idColumnIndex, layout!.headerTexts, proven === shown)) {
    addBrokenFormulas(shown, open, too, spec.headerRow - 1, expansions);
    const isUnknown = expansions.finish();
    return isUnknown || isNeededAgain(shown, open) ? shown : undefined;
  }
  // An answer that does not agree even so is from a past instant: the next attempt reads anew.
  attempts.unsettled = proven === undefined ? { digest, shown } : undefined;
  return 'moving';
}

/** The cells in which an array formula may stand that filled a cell which is blank now. `firstRowIndex`: below the header. */
function askedToo(open: readonly OpenCell[], { headers }: Expansions, firstRowIndex: number): AskedToo {
  const columns = headers.map(({ columnIndex }) => columnIndex);
  // Not as arguments of one call: somebody may empty a column of a hundred thousand rows.
  const right = open.reduce((most, { isEmptied, columnIndex }) => (isEmptied ? Math.max(most, columnIndex) : most), -1);
  if (right < 0) return { columns, rows: [] };
  return { columns: [...columns, ...Array.from({ length: right + 1 }, (_, index) => index)], rows: [firstRowIndex] };
}

function addBrokenFormulas(
  shown: ShownCells,
  open: readonly OpenCell[],
  { columns, rows }: AskedToo,
  headerRowIndex: number,
  expansions: Expansions,
): void {
  const emptied = open.flatMap(({ isEmptied, rowIndex }) => (isEmptied ? [rowIndex] : []));
  for (const rowIndex of new Set([headerRowIndex, ...rows, ...emptied])) {
    for (const columnIndex of columns) {
      const cell = askedCell(shown, rowIndex, columnIndex);
      const value = cellValue(cell);
      if (typeof value !== 'object' || value === null || !mayExpand(formulaText(cell) ?? '')) continue;
      expansions.addBroken({ rowIndex, columnIndex }, value.error);
    }
  }
}

function createSnapshot(
  context: TableContext,
  title: string,
  rows: readonly Row[],
  digests: readonly (string | undefined)[],
  expansions?: Expansions,
): Snapshot {
  const { states, located } = context.layout!.resolved;
  const memory: GoogleTableMemory = { sheetId: context.sheetId!, ...context.shape! };
  return {
    title,
    tabId: String(context.sheetId),
    rows,
    columns: states.filter(({ key }) => key !== idKey),
    idColumn: states.find(({ key }) => key === idKey)!,
    headerTexts: context.layout!.headerTexts.filter((text) => text.trim() !== ''),
    ...(expansions && expansions.computed.size > 0 && { computed: [...expansions.computed] }),
    leftovers: context.leftovers.size,
    unanchored: located.filter(({ anchorId }) => anchorId === undefined).map(({ key }) => key),
    memory,
    fingerprint: fingerprintOf(context, digests),
  };
}

/** The column that shows whether rows moved: the ID column, or any other while there is none. One or none. */
function witnessColumn({ shape, columns }: TableContext): readonly number[] {
  const indexByKey: Readonly<Record<ColumnKey, number>> = shape!.columnIndexByKey;
  return columns.flatMap(({ key }) => indexByKey[key] ?? []).slice(0, 1);
}
