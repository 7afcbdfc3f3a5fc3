// New rows: one atomic batch that inserts empty rows below the last one, fills them, and leaves a mark with a chosen id
// on the tab. Nothing can be overwritten, since the rows are new; and the batch can be sent again when its answer was
// lost, since a mark that is there makes Google refuse it. The mark sits on the tab and not on a row, so that it outlives
// a row that a person deletes meanwhile. The batch also asserts that each column is where the values are meant to go.
import type { sheets_v4 } from '@googleapis/sheets';
import { boundsToText, type GridBounds } from './address.ts';
import { batchBytesMax, batchRowsMax, type CallOptions, errorContext, idKey, type TableContext } from './context.ts';
import { OutcomeUnknownError, ProtectedError, RefusedError, SheetsError } from './errors.ts';
import { contains } from './grid.ts';
import { anchorValue, assertMark, createAnchor, createAppendMark, drawIds, oneLine, type Request } from './marks.ts';
import { batchUpdate } from './pins.ts';
import { readHeader } from './pinned-view.ts';
import type { AppendOutcome, CellInput, ColumnKey, NewRow, Snapshot } from './port.ts';
import { cellsBytes, countIds, refuseCells, splitBatches } from './preflight.ts';

interface Item {
  readonly set: Readonly<Record<ColumnKey, CellInput>>;
  outcome: AppendOutcome | undefined;
}

/** JSON around each value of an `updateCells`, in bytes. */
const cellOverheadBytes = 40;

export async function appendRows(
  context: TableContext,
  snapshot: Snapshot,
  rows: readonly NewRow[],
  options: CallOptions,
): Promise<AppendOutcome[]> {
  const ids = countIds(snapshot);
  const items = rows.map(({ id, set }): Item => {
    const cells = { ...set, [idKey]: id };
    const isDoubled = ids.has(id);
    ids.set(id, 1);
    return { set: cells, outcome: isDoubled ? { kind: 'duplicate-id' } : refuseRow(snapshot, id, cells) };
  });
  const pending = items.filter(({ outcome }) => outcome === undefined);
  const bytesOf = ({ set }: Item) => cellsBytes(set, 0) + Object.keys(set).length * cellOverheadBytes;
  let rowIndex = snapshot.rows.at(-1)?.number ?? context.spec.headerRow;
  for (const batch of splitBatches(pending, batchRowsMax, batchBytesMax, bytesOf)) {
    try {
      await appendBatch(context, snapshot, batch, rowIndex, options);
    } catch (error) {
      if (!(error instanceof SheetsError)) throw error;
      for (const item of pending) item.outcome ??= { kind: 'failed', error };
      break;
    }
    rowIndex += batch.filter(({ outcome }) => outcome?.kind === 'appended').length;
  }
  return items.map(({ outcome }) => outcome!);
}

function refuseRow(snapshot: Snapshot, id: string, cells: NewRow['set']): AppendOutcome | undefined {
  if (id !== '') return refuseCells(snapshot, cells);
  return { kind: 'refused', reason: 'no-id', columns: [idKey], message: 'a row is appended with its id or not at all' };
}

/** How often one batch is sent in all; the mark sees to it that it is applied at most once. */
const attemptsMax = 4;

async function appendBatch(
  context: TableContext,
  snapshot: Snapshot,
  batch: readonly Item[],
  rowIndex: number,
  options: CallOptions,
): Promise<void> {
  let mark = drawMark(context);
  let unknown: OutcomeUnknownError | undefined;
  let isAsserting = context.areAssertionsUsable;
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    let refusal: RefusedError | undefined;
    try {
      await batchUpdate(context, appendRequests(context, snapshot, batch, rowIndex, mark, isAsserting), options);
      // Applied as soon as it asserted nothing: it was the assertions that were refused.
      context.areAssertionsUsable = isAsserting;
      settle(context, batch, mark);
      return;
    } catch (error) {
      if (error instanceof OutcomeUnknownError) unknown = error;
      else if (error instanceof RefusedError) refusal = error;
      else throw error;
    }
    const seen = await lookBack(context, unknown, batch, options);
    if (!seen) return;
    if (seen.grid.sheetMarks.some(({ metadataId }) => metadataId === mark) && unknown) {
      settle(context, batch, mark);
      return;
    }
    if (!refusal) continue;
    if (hasMoved(context, snapshot, rowIndex)) {
      for (const item of batch) item.outcome = { kind: 'moved' };
      return;
    }
    if (isAsserting) isAsserting = false;
    else if (attempt > 2)
      return resolveRefusal(context, snapshot, batch, rowIndex, refusal, seen.grid.forbidden, options);
    // An id that somebody else uses is refused too; one that was sent before and may yet arrive is kept.
    if (!unknown) mark = drawMark(context);
  }
  for (const item of batch) if (unknown) item.outcome = { kind: 'unknown', error: unknown };
}

function settle(context: TableContext, batch: readonly Item[], mark: number): void {
  context.leftovers.add(mark);
  if (context.shape) context.shape = { ...context.shape, rowCount: context.shape.rowCount + batch.length };
  for (const item of batch) item.outcome = { kind: 'appended' };
}

/** Undefined, with the outcomes set, when it cannot be found out now whether the batch was applied. */
async function lookBack(
  context: TableContext,
  unknown: OutcomeUnknownError | undefined,
  batch: readonly Item[],
  options: CallOptions,
) {
  try {
    return await readHeader(context, options);
  } catch (error) {
    if (!unknown || !(error instanceof SheetsError)) throw error;
    for (const item of batch) item.outcome = { kind: 'unknown', error: unknown };
    return undefined;
  }
}

/** Columns elsewhere than in the snapshot, or fewer rows than it ended at: what is to be appended wants a new plan. */
function hasMoved({ shape }: TableContext, { memory }: Snapshot, rowIndex: number): boolean {
  const now = shape!.columnIndexByKey;
  const keys = new Set([...Object.keys(now), ...Object.keys(memory.columnIndexByKey)]);
  return rowIndex > shape!.rowCount || [...keys].some((key) => now[key] !== memory.columnIndexByKey[key]);
}

/** Refused although nothing moved: something in it cannot be written. Halves find out what. */
async function resolveRefusal(
  context: TableContext,
  snapshot: Snapshot,
  batch: readonly Item[],
  rowIndex: number,
  refusal: RefusedError,
  forbidden: readonly GridBounds[],
  options: CallOptions,
): Promise<void> {
  if (batch.length > 1) {
    const half = Math.ceil(batch.length / 2);
    await appendBatch(context, snapshot, batch.slice(0, half), rowIndex, options);
    const appended = batch.filter(({ outcome }) => outcome?.kind === 'appended').length;
    await appendBatch(context, snapshot, batch.slice(half), rowIndex + appended, options);
    return;
  }
  const [item] = batch;
  if (!item) return;
  const columns = Object.keys(item.set);
  const ranges = forbidden.filter((bounds) => contains(bounds, rowIndex, bounds.startColumnIndex ?? 0));
  const { message } =
    ranges.length > 0
      ? new ProtectedError(context.client.account, ranges.map(boundsToText), errorContext(context))
      : refusal;
  item.outcome = { kind: 'refused', reason: ranges.length > 0 ? 'protected' : 'by-google', columns, message };
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
  isAsserting: boolean,
): Request[] {
  const sheetId = context.sheetId!;
  const indexByKey = memory.columnIndexByKey;
  const assertions = [...context.anchorIdByKey].flatMap(([key, anchorId]) => {
    const columnIndex = indexByKey[key];
    if (columnIndex === undefined || !isAsserting) return [];
    return assertMark(createAnchor(anchorId, sheetId, columnIndex, anchorValue(context.spec.owner, key)));
  });
  const isBelowData = rowIndex > context.spec.headerRow || rowIndex >= memory.rowCount;
  return [
    createAppendMark(mark, sheetId),
    ...assertions,
    {
      insertDimension: {
        range: { ...oneLine(sheetId, 'ROWS', rowIndex), endIndex: rowIndex + batch.length },
        // The format of the row above, but never the header's, if there is a row below to take after.
        inheritFromBefore: isBelowData,
      },
    },
    ...columnRuns(batch, indexByKey).map(({ start, keys }) => ({
      updateCells: {
        start: { sheetId, rowIndex, columnIndex: start },
        rows: batch.map(({ set }) => ({ values: keys.map((key) => cellData(set[key])) })),
        fields: 'userEnteredValue',
      },
    })),
  ];
}

/** The columns any of the rows sets, as runs of adjacent ones: no cell of another column is named at all. */
function columnRuns(batch: readonly Item[], indexByKey: Readonly<Record<ColumnKey, number>>) {
  const used = new Set(batch.flatMap(({ set }) => Object.keys(set)));
  const columns = [...used].map((key) => ({ key, index: indexByKey[key]! })).toSorted((a, b) => a.index - b.index);
  const runs: { start: number; keys: ColumnKey[] }[] = [];
  for (const { key, index } of columns) {
    const last = runs.at(-1);
    if (last && last.start + last.keys.length === index) last.keys.push(key);
    else runs.push({ start: index, keys: [key] });
  }
  return runs;
}

/** As RAW: a string value is stored literally, whatever it looks like. */
function cellData(value: CellInput | undefined): sheets_v4.Schema$CellData {
  if (value === undefined || value === '') return {};
  if (typeof value === 'string') return { userEnteredValue: { stringValue: value } };
  return { userEnteredValue: typeof value === 'number' ? { numberValue: value } : { boolValue: value } };
}
