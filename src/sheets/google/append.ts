// Appends new rows: one atomic batch inserts empty rows below the last one, fills them, and leaves a mark with a chosen
// id on the tab.
// - Nothing is overwritten, because the rows are new.
// - The batch can be sent again after a lost answer: Google refuses it if its mark exists.
// - The mark is on the tab, not on a row, so it stays when a person deletes a row.
// - The batch asserts that each column is in its place. A header that was read some time ago is read again first.
import type { sheets_v4 } from '@googleapis/sheets';
import { boundsToText, type GridBounds } from './address.ts';
import { batchBytesMax, batchRowsMax, type CallOptions, errorContext, idKey, type TableContext } from './context.ts';
import { AbortedError, OutcomeUnknownError, SheetsError } from '../errors.ts';
import { ProtectedError, RefusedError } from './errors.ts';
import { contains } from './grid.ts';
import { outcomeOrUnknown } from './outcome-or-unknown.ts';
import {
  anchorValue,
  assertMark,
  createAnchor,
  createAppendMark,
  createColumnPin,
  deleteMark,
  drawIds,
  oneLine,
  type Request,
} from './marks.ts';
import { batchUpdate, deletedMarks, findMetadataFull, removeMarks } from './pins.ts';
import { readHeader } from './pinned-view.ts';
import type { AppendOutcome, CellInput, ColumnKey, NewRow, RefusalReason, Snapshot } from '../port.ts';
import { cellsBytes, countIds, refuseCells, refusedRowsMax, splitBatches } from './preflight.ts';

interface Item {
  readonly set: Readonly<Record<ColumnKey, CellInput>>;
  outcome: AppendOutcome | undefined;
}

/** JSON around each value of an `updateCells`, in bytes. */
const cellOverheadBytes = 40;

/** One call in progress. */
interface Append {
  readonly context: TableContext;
  readonly snapshot: Snapshot;
  /** For the calls that find out the outcome of a batch. */
  readonly options: CallOptions;
  /** For the calls that begin a batch: none begins after the stop (W8). */
  readonly beginning: CallOptions;
  /** Single rows that Google refused. */
  refusedRows: number;
}

export async function appendRows(
  context: TableContext,
  snapshot: Snapshot,
  rows: readonly NewRow[],
  beginning: CallOptions,
): Promise<AppendOutcome[]> {
  const { stop: _stop, ...options } = beginning;
  const ids = countIds(snapshot);
  const items = rows.map(({ id, set }): Item => {
    const cells = { ...set, [idKey]: id };
    const isDoubled = ids.has(id);
    ids.set(id, 1);
    return { set: cells, outcome: isDoubled ? { kind: 'duplicate-id' } : refuseRow(snapshot, id, cells) };
  });
  const pending = items.filter(({ outcome }) => outcome === undefined);
  try {
    await appendPending({ context, snapshot, options, beginning, refusedRows: 0 }, pending);
  } catch (error) {
    if (!(error instanceof SheetsError)) throw error;
    for (const item of pending) item.outcome ??= { kind: 'failed', error };
  }
  return items.map(({ outcome }) => outcomeOrUnknown(outcome, context));
}

function refuseRow(snapshot: Snapshot, id: string, cells: NewRow['set']): AppendOutcome | undefined {
  if (id !== '') return refuseCells(snapshot, cells);
  return { kind: 'refused', reason: 'no-id', columns: [idKey], message: 'a row is appended with its id or not at all' };
}

async function appendPending(append: Append, pending: readonly Item[]): Promise<void> {
  if (pending.length === 0) return;
  const { context, snapshot, beginning } = append;
  let rowIndex = snapshot.rows.at(-1)?.number ?? context.spec.headerRow;
  if (isHeaderOld(context)) await readHeader(context, beginning);
  if (hasMoved(context, snapshot, rowIndex)) return setAll(pending, { kind: 'moved' });
  const bytesOf = ({ set }: Item) => cellsBytes(set, 0) + Object.keys(set).length * cellOverheadBytes;
  for (const batch of splitBatches(pending, batchRowsMax, batchBytesMax, bytesOf)) {
    await appendBatch(append, batch, rowIndex);
    rowIndex += batch.filter(({ outcome }) => isIn(outcome)).length;
  }
}

/** The run may have spent minutes on other calls: time to delete a column and insert another. */
const headerAgeMsMax = 5_000;

function isHeaderOld({ headerReadAt, client }: TableContext): boolean {
  return headerReadAt === undefined || client.time.elapsed() - headerReadAt > headerAgeMsMax;
}

function isIn(outcome: AppendOutcome | undefined): boolean {
  return outcome?.kind === 'appended' || outcome?.kind === 'displaced';
}

function setAll(batch: readonly Item[], outcome: AppendOutcome): void {
  for (const item of batch) item.outcome = outcome;
}

/** Limit on sends of one batch; its mark ensures that it is applied at most once. */
const attemptsMax = 4;

async function appendBatch(append: Append, batch: readonly Item[], rowIndex: number): Promise<void> {
  const { context, snapshot } = append;
  let mark = drawMark(context);
  const probe = drawMark(context);
  let unknown: OutcomeUnknownError | undefined;
  let isAsserting = context.areAssertionsUsable;
  let refusals = 0;
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    let refusal: RefusedError | undefined;
    // An earlier attempt got no answer, and a later look showed that it had not been applied.
    const isLate = unknown !== undefined;
    try {
      const requests = appendRequests(context, snapshot, batch, rowIndex, mark, isAsserting ? probe : undefined);
      const replies = await batchUpdate(context, requests, append.beginning);
      // Without assertions the batch is applied: the assertions were refused.
      context.areAssertionsUsable = isAsserting;
      settle(context, batch, mark, isLate);
      const wereThere = deletedMarks(replies);
      // The probe always exists: an answer without it does not list marks, so missing marks mean nothing.
      if (wereThere.has(probe)) await removeRevived(append, batch, wereThere);
      return;
    } catch (error) {
      if (error instanceof OutcomeUnknownError) unknown = error;
      else if (error instanceof RefusedError) refusal = error;
      // A batch sent before the stop may still arrive.
      else if (unknown && error instanceof AbortedError) return setAll(batch, { kind: 'unknown', error: unknown });
      else throw error;
    }
    const seen = await lookBack(append, unknown, batch);
    if (!seen) return;
    if (seen.grid.sheetMarks.some(({ metadataId }) => metadataId === mark) && unknown) {
      settle(context, batch, mark, isLate);
      return;
    }
    if (hasMoved(context, snapshot, rowIndex)) {
      // A sent batch may still arrive, and columns move back: only a refused batch is surely not applied.
      return setAll(batch, unknown ? { kind: 'unknown', error: unknown } : { kind: 'moved' });
    }
    if (!refusal) continue;
    refusals += 1;
    if (!isAsserting) return resolveRefusal(append, batch, rowIndex, refusal, seen.grid.forbidden);
    // The first refusal may come from an id in use, or from columns that have moved back since.
    if (refusals > 1) isAsserting = false;
    // The mark of a batch that was sent before and may still arrive is kept.
    if (!unknown) mark = drawMark(context);
  }
  if (unknown) setAll(batch, { kind: 'unknown', error: unknown });
}

/**
 * `isLate`: an earlier attempt of this batch may still arrive. Then only its mark makes Google refuse it. So the mark
 * stays until a later run looks at the marks.
 */
function settle(context: TableContext, batch: readonly Item[], mark: number, isLate: boolean): void {
  if (isLate) Object.assign(context, { areMarksKnown: false, layout: undefined });
  else context.leftovers.add(mark);
  if (context.shape) context.shape = { ...context.shape, rowCount: context.shape.rowCount + batch.length };
  setAll(batch, { kind: 'appended' });
}

/**
 * The batch made an anchor anew, because the anchored column was deleted and another one put in its place at that
 * moment. The new anchor is removed: otherwise that column would count as the mapped one.
 */
async function removeRevived({ context, options }: Append, batch: readonly Item[], wereThere: ReadonlySet<number>) {
  const revived = [...context.anchorIdByKey].filter(([, anchorId]) => !wereThere.has(anchorId));
  if (revived.length === 0) return;
  const columns = revived.map(([key]) => key);
  setAll(batch, { kind: 'displaced', columns });
  await removeMarks(
    context,
    revived.map(([, anchorId]) => anchorId),
    options,
  );
}

/** Undefined, with the outcomes set: it cannot be found out now whether the batch was applied. */
async function lookBack(
  { context, options }: Append,
  unknown: OutcomeUnknownError | undefined,
  batch: readonly Item[],
) {
  try {
    return await readHeader(context, options);
  } catch (error) {
    if (!unknown || !(error instanceof SheetsError)) throw error;
    setAll(batch, { kind: 'unknown', error: unknown });
    return undefined;
  }
}

/** Columns moved since the snapshot, or the tab has fewer rows than the snapshot: the append needs a new plan. */
function hasMoved({ shape }: TableContext, { memory }: Snapshot, rowIndex: number): boolean {
  const now = shape!.columnIndexByKey;
  const keys = new Set([...Object.keys(now), ...Object.keys(memory.columnIndexByKey)]);
  return rowIndex > shape!.rowCount || [...keys].some((key) => now[key] !== memory.columnIndexByKey[key]);
}

/** Refused although nothing moved: something in it, or in the workbook, cannot be written. Halving finds the rows. */
async function resolveRefusal(
  append: Append,
  batch: readonly Item[],
  rowIndex: number,
  refusal: RefusedError,
  forbidden: readonly GridBounds[],
): Promise<void> {
  const { context, options } = append;
  const columnIndexes = batch.flatMap(({ set }) =>
    Object.keys(set).map((key) => context.shape!.columnIndexByKey[key]!),
  );
  const ranges = forbidden.filter((bounds) => columnIndexes.some((index) => contains(bounds, rowIndex, index)));
  if (ranges.length > 0) {
    const { message } = new ProtectedError(context.client.account, ranges.map(boundsToText), errorContext(context));
    for (const item of batch) item.outcome = refusedRow(item, 'protected', message);
    return;
  }
  const full = await findMetadataFull(context, marksOfBatch, refusal, options);
  if (full) throw full;
  if (batch.length > 1) {
    const half = Math.ceil(batch.length / 2);
    await appendBatch(append, batch.slice(0, half), rowIndex);
    const appended = batch.filter(({ outcome }) => isIn(outcome)).length;
    await appendBatch(append, batch.slice(half), rowIndex + appended);
    return;
  }
  append.refusedRows += 1;
  for (const item of batch) item.outcome = refusedRow(item, 'by-spreadsheet', refusal.message);
  // The rows are not the cause: the workbook may be full, or a rule concerns all of them.
  if (append.refusedRows >= refusedRowsMax) throw refusal;
}

/** Characters of metadata: the mark and the probe of the columns. */
const marksOfBatch = 2;

function refusedRow({ set }: Item, reason: RefusalReason, message: string): AppendOutcome {
  return { kind: 'refused', reason, columns: Object.keys(set), message };
}

function drawMark(context: TableContext): number {
  return drawIds(context.block, 1, context.client.time.random)[0]!;
}

function appendRequests(
  context: TableContext,
  { memory }: Snapshot,
  batch: readonly Item[],
  rowIndex: number,
  mark: number,
  probe: number | undefined,
): Request[] {
  const sheetId = context.sheetId!;
  const isBelowData = rowIndex > context.spec.headerRow || rowIndex >= context.shape!.rowCount;
  return [
    ...(probe === undefined ? [] : assertColumns(context, memory.columnIndexByKey, probe)),
    createAppendMark(mark, sheetId),
    {
      insertDimension: {
        range: { ...oneLine(sheetId, 'ROWS', rowIndex), endIndex: rowIndex + batch.length },
        // The format of the row above, but never of the header if a row below exists.
        inheritFromBefore: isBelowData,
      },
    },
    ...adjacentColumns(batch, memory.columnIndexByKey).map(({ start, keys }) => ({
      updateCells: {
        start: { sheetId, rowIndex, columnIndex: start },
        rows: batch.map(({ set }) => ({ values: keys.map((key) => cellData(set[key])) })),
        fields: 'userEnteredValue',
      },
    })),
  ];
}

/**
 * Refused unless every anchor is in its place and the tab has no fewer columns than before. The count matters: the
 * anchor of a deleted column is gone, and a missing anchor asserts nothing.
 */
function assertColumns(
  context: TableContext,
  indexByKey: Readonly<Record<ColumnKey, number>>,
  probe: number,
): Request[] {
  const sheetId = context.sheetId!;
  const { columnCount } = context.shape!;
  const anchors = [...context.anchorIdByKey].flatMap(([key, anchorId]) => {
    const columnIndex = indexByKey[key];
    if (columnIndex === undefined) return [];
    return assertMark(createAnchor(anchorId, sheetId, columnIndex, anchorValue(context.spec.owner, key)));
  });
  return [createColumnPin(probe, sheetId, columnCount - 1), deleteMark(probe), ...anchors];
}

/** The columns that the rows set, as groups of adjacent ones: a cell of another column is never named. */
function adjacentColumns(batch: readonly Item[], indexByKey: Readonly<Record<ColumnKey, number>>) {
  const used = new Set(batch.flatMap(({ set }) => Object.keys(set)));
  const columns = [...used].map((key) => ({ key, index: indexByKey[key]! })).toSorted((a, b) => a.index - b.index);
  const groups: { start: number; keys: ColumnKey[] }[] = [];
  for (const { key, index } of columns) {
    const last = groups.at(-1);
    if (last && last.start + last.keys.length === index) last.keys.push(key);
    else groups.push({ start: index, keys: [key] });
  }
  return groups;
}

/** Like RAW: a string is stored literally. */
function cellData(value: CellInput | undefined): sheets_v4.Schema$CellData {
  if (value === undefined || value === '') return {};
  if (typeof value === 'string') return { userEnteredValue: { stringValue: value } };
  return { userEnteredValue: typeof value === 'number' ? { numberValue: value } : { boolValue: value } };
}
