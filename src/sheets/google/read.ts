// Reading the whole table. The rule is one call: header row and mapped columns. Two things ask for more, and only when they
// are there: a header row that does not say any more which column is which (look.ts), and cells of which one call does not
// say what is in them (shown.ts). A tab too large for one answer is read in chunks that are checked against one last look
// at the ID column.
import { hash } from 'node:crypto';
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
import { type SheetsError, TableMovingError } from '../errors.ts';
import { RefusedError } from './errors.ts';
import { locateTab } from './locate.ts';
import { type Look, takeLook } from './look.ts';
import type { ColumnKey, Row, Snapshot } from '../port.ts';
import type { RawAnswer } from './raw-answer.ts';
import { appendRows, columnLines, type KnownText } from './rows.ts';
import { type Run, toRuns } from './adjacent.ts';
import { type OpenCell, planShown, readShown, settleOpenCells, type Shown } from './shown.ts';
import { readValues, takeValues, type ValueBlock } from './values.ts';

/**
 * One answer of 2,000,000 cells is about 43 MB at the 21 bytes a cell of bench/sheets-read.ts; Google gives a call 180 s
 * (https://developers.google.com/workspace/sheets/api/limits). Beyond that, portions are small: several of them are in
 * memory until the garbage collector comes by.
 */
export const readLimitsDefault: ReadLimits = { cellsPerRead: 2_000_000, cellsPerChunk: 400_000 };

/** How often a read starts over because columns or rows moved under it. */
const attemptsMax = 6;

/** What one attempt leaves to the next of the same read. */
interface Attempts {
  /** A full look was taken: there may be news that the rows do not show. */
  hasLooked: boolean;
  /** The header row as answered right before the look. */
  headerBefore: string | undefined;
  /** A second call that did not agree with the first, and the digest of that first. */
  unsettled: { readonly digest: string; readonly shown: Shown } | undefined;
}

/** What the caller holds already. */
export interface Held {
  /** The fingerprint of a snapshot; 'unchanged' is answered only where nothing else could have changed either. */
  readonly unless?: string | undefined;
  /** Texts of rows. */
  readonly knownText?: KnownText | undefined;
}

export async function readTable(
  context: TableContext,
  options: CallOptions,
  held: Held = {},
): Promise<Snapshot | 'unchanged'> {
  const attempts: Attempts = { hasLooked: false, headerBefore: undefined, unsettled: undefined };
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const isJustLocated = context.sheetId === undefined || context.shape === undefined;
    if (isJustLocated) await locateTab(context, options);
    try {
      const result = await readOnce(context, attempts, held, options);
      if (result) return result;
    } catch (error) {
      // The tab is gone, or shorter than remembered: locating it tells which. Just located, the refusal stands.
      if (!isBadRange(error) || isJustLocated) throw error;
      context.shape = undefined;
    }
  }
  throw new TableMovingError(attemptsMax, errorContext(context));
}

/** Undefined when it has to be started over. */
async function readOnce(
  context: TableContext,
  attempts: Attempts,
  held: Held,
  options: CallOptions,
): Promise<Snapshot | 'unchanged' | undefined> {
  const { headerRow } = context.spec;
  // A tab without rows has nothing to be asked for below the header; looking at its size costs the same one call.
  if (!context.look?.isTelling || context.shape!.rowCount <= headerRow) {
    attempts.hasLooked = true;
    await takeLook(context, options);
  }
  const look = context.look!;
  const { rowCount } = context.shape!;
  if (rowCount <= headerRow) return createSnapshot(context, look.title, [], look.headerTexts);
  const runs = toRuns(look.resolved.located.map(({ columnIndex }) => columnIndex).toSorted((a, b) => a - b));
  const width = runs.reduce((sum, { start, end }) => sum + end - start, 0);
  const { cellsPerRead, cellsPerChunk } = context.readLimits;
  return (rowCount - headerRow) * width <= cellsPerRead
    ? readWhole(context, runs, attempts, held, options)
    : readChunks(context, runs, Math.max(1, Math.floor(cellsPerChunk / width)), attempts, held, options);
}

async function readWhole(
  context: TableContext,
  runs: readonly Run[],
  attempts: Attempts,
  held: Held,
  options: CallOptions,
): Promise<Snapshot | 'unchanged' | undefined> {
  const bounds = requestBounds(context, runs, { startRowIndex: context.spec.headerRow });
  using answer = await ask(context, bounds, options);
  const { lastRead } = context;
  const isSame = !attempts.hasLooked && lastRead?.digest === answer.digest;
  // The same bytes have their open cells in the same places: what these show is compared as bytes, too.
  const asked =
    provenShown(attempts, answer.digest) ??
    (isSame && lastRead.shown ? await readShown(context, lastRead.shown, options) : undefined);
  if (isSame && fingerprintOf(context, [answer.digest, asked?.digest]) === held.unless) {
    takeColumns(context, lastRead.shape, context.look!.resolved);
    return 'unchanged';
  }
  const part = takePart(context, answer, bounds, attempts, (...of) => takeRows(...of, held));
  if (!part) return undefined;
  const shown = await settle(context, part, asked, attempts, options);
  if (shown === 'moving') return undefined;
  context.lastRead = { digest: answer.digest, shown: shown?.request, shape: context.shape! };
  return createSnapshot(context, part.title, part.rows, [answer.digest, shown?.digest]);
}

/**
 * Each chunk is one instant, all chunks together are not: a row that moves meanwhile may be seen twice or never. So the
 * ID column is read once more in one call at the end, and the rows count only if it is as the chunks showed it (L7).
 */
async function readChunks(
  context: TableContext,
  runs: readonly Run[],
  chunkRows: number,
  attempts: Attempts,
  held: Held,
  options: CallOptions,
): Promise<Snapshot | 'unchanged' | undefined> {
  const { rowCount } = context.shape!;
  const rows: Row[] = [];
  const witness: string[] = [];
  const digests: (string | undefined)[] = [];
  for (let start = context.spec.headerRow; start < rowCount; start += chunkRows) {
    const rowBounds = { startRowIndex: start, endRowIndex: Math.min(start + chunkRows, rowCount) };
    const bounds = requestBounds(context, runs, rowBounds);
    using answer = await ask(context, bounds, options);
    const part = takePart(context, answer, bounds, attempts, (...of) => takeChunk(...of, held));
    if (!part) return undefined;
    const shown = await settle(context, part, undefined, attempts, options);
    if (shown === 'moving') return undefined;
    for (const row of part.rows) rows.push(row);
    for (const line of part.witness) witness.push(line);
    digests.push(answer.digest, shown?.digest);
  }
  const bounds = requestBounds(context, toRuns(witnessColumn(context)), { startRowIndex: context.spec.headerRow });
  using closing = await ask(context, bounds, options);
  const last = takePart(context, closing, bounds, attempts, takeWitness);
  if (!last || context.shape!.rowCount !== rowCount || last.witness.length !== witness.length) return undefined;
  if (last.witness.some((line, index) => line !== witness[index])) return undefined;
  if (!attempts.hasLooked && fingerprintOf(context, digests) === held.unless) return 'unchanged';
  context.lastRead = undefined;
  return createSnapshot(context, last.title, rows, digests);
}

/** The header row, always whole, and the columns asked for. */
function requestBounds({ spec }: TableContext, runs: readonly Run[], rows: GridBounds): GridBounds[] {
  const header = { startRowIndex: spec.headerRow - 1, endRowIndex: spec.headerRow };
  return [header, ...runs.map(({ start, end }) => ({ ...rows, startColumnIndex: start, endColumnIndex: end }))];
}

function ask({ client, spreadsheetId, sheetId }: TableContext, bounds: readonly GridBounds[], options: CallOptions) {
  return readValues(client, spreadsheetId, sheetId!, bounds, options);
}

/** What one routine answer says of the tab. The answer itself, with all its arrays, is not kept. */
interface Part {
  readonly digest: string;
  readonly title: string;
}

type Take<T> = (context: TableContext, body: readonly ValueBlock[]) => T;

/** Undefined when the header row is not as looked at: another look is due. Else `context.shape` is as of the answer. */
function takePart<T>(
  context: TableContext,
  answer: RawAnswer,
  bounds: readonly GridBounds[],
  attempts: Attempts,
  take: Take<T>,
): (Part & T) | undefined {
  const { title, blocks, extents } = takeValues(answer, bounds, errorContext(context));
  const look = context.look!;
  const [header = []] = blocks[0]?.rows ?? [];
  const headerAnswered = JSON.stringify(header);
  if (!isAsLooked(look, header, headerAnswered, attempts)) {
    attempts.headerBefore = headerAnswered;
    context.look = undefined;
    return undefined;
  }
  context.look = { ...look, headerAnswered };
  // Bounds without an end were answered as far as the grid goes.
  const endRow = bounds[1] && bounds[1].endRowIndex === undefined ? extents[1]?.endRow : undefined;
  const size = { rowCount: endRow ?? context.shape!.rowCount, columnCount: extents[0]!.endColumn };
  takeColumns(context, size, look.resolved);
  return { digest: answer.digest, title: title ?? look.title, ...take(context, blocks.slice(1)) };
}

interface TakenRows {
  readonly rows: readonly Row[];
  readonly open: readonly OpenCell[];
}

function takeRows({ look, spec }: TableContext, body: readonly ValueBlock[], { knownText }: Held): TakenRows {
  const rows: Row[] = [];
  const open: OpenCell[] = [];
  appendRows(rows, open, body, look!.resolved.located, spec.columns, knownText);
  return { rows, open };
}

/** A line for each cell of the witness column that is not blank, as answered. */
function takeWitness(context: TableContext, body: readonly ValueBlock[]) {
  return { witness: witnessColumn(context).flatMap((columnIndex) => columnLines(body, columnIndex)) };
}

function takeChunk(context: TableContext, body: readonly ValueBlock[], held: Held) {
  return { ...takeRows(context, body, held), ...takeWitness(context, body) };
}

/** By its texts; or, whatever they look like there, because the look was taken between two answers that are the same. */
function isAsLooked(look: Look, header: readonly unknown[], headerAnswered: string, attempts: Attempts): boolean {
  if (look.headerAnswered !== undefined) return look.headerAnswered === headerAnswered;
  if (attempts.headerBefore === headerAnswered) return true;
  const width = Math.max(header.length, look.headerTexts.length);
  return Array.from({ length: width }).every((_, index) => toText(header[index]) === (look.headerTexts[index] ?? ''));
}

function toText(answered: unknown): string {
  return typeof answered === 'string' ? answered : (JSON.stringify(answered) ?? '');
}

/** The second call of the attempt before, if the first call answers what it answered before that: nothing changed. */
function provenShown({ unsettled }: Attempts, digest: string): Shown | undefined {
  return unsettled?.digest === digest ? unsettled.shown : undefined;
}

/** Undefined when there was nothing to settle. `asked`: the second call, if it was made already. */
async function settle(
  context: TableContext,
  { digest, open }: Part & TakenRows,
  asked: Shown | undefined,
  attempts: Attempts,
  options: CallOptions,
): Promise<Shown | 'moving' | undefined> {
  if (open.length === 0) return undefined;
  const { sheetId, spec, shape, look } = context;
  const idColumnIndex = shape!.columnIndexByKey[idKey];
  const proven = provenShown(attempts, digest);
  const plan = () => planShown(sheetId!, spec.headerRow - 1, open, idColumnIndex);
  const shown = proven ?? asked ?? (await readShown(context, plan(), options));
  if (settleOpenCells(shown, open, idColumnIndex, look!.headerTexts, proven !== undefined)) return shown;
  // One that does not agree even so was of a moment that has passed: the next attempt asks anew.
  attempts.unsettled = proven === undefined ? { digest, shown } : undefined;
  return 'moving';
}

function createSnapshot(
  context: TableContext,
  title: string,
  rows: readonly Row[],
  digests: readonly (string | undefined)[],
): Snapshot {
  const { states, located } = context.look!.resolved;
  const memory: GoogleTableMemory = { sheetId: context.sheetId!, ...context.shape! };
  return {
    title,
    tabId: String(context.sheetId),
    rows,
    columns: states.filter(({ key }) => key !== idKey),
    idColumn: states.find(({ key }) => key === idKey)!,
    leftovers: context.leftovers.size,
    unanchored: located.filter(({ anchorId }) => anchorId === undefined).map(({ key }) => key),
    memory,
    fingerprint: fingerprintOf(context, digests),
  };
}

/** Of the bytes, of what they were the answer to, and of what they are taken for. */
function fingerprintOf({ spreadsheetId, sheetId, spec, look }: TableContext, digests: readonly (string | undefined)[]) {
  // Columns, and their anchors.
  const taken = look!.resolved;
  return hash('sha256', JSON.stringify([spreadsheetId, sheetId, spec.headerRow, taken, digests]), 'base64url');
}

/** The column that tells whether rows moved: the ID column, or any other as long as there is none. One or none. */
function witnessColumn({ shape, columns }: TableContext): readonly number[] {
  const indexByKey: Readonly<Record<ColumnKey, number>> = shape!.columnIndexByKey;
  return columns.flatMap(({ key }) => indexByKey[key] ?? []).slice(0, 1);
}

function isBadRange(error: unknown): error is SheetsError {
  return error instanceof RefusedError && error.status === 400;
}
