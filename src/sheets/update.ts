// Setting cells of rows while people edit: pin, verify, write, check, unpin. One read and three writes a batch.
//
//   pin     marks go onto the rows where the snapshot saw them; from here on the marks travel with the rows
//   verify  one read through the pins: is it the row, is it as planned against, are the cells ours to write
//   write   one write through the pins, answered with where every row and column was at that moment
//   check   the answer: right row, right column; otherwise it is repaired and reported (repair.ts)
//   unpin   the marks are removed; should that fail, they are known as left over
//
// What stays open, since Sheets has no compare-and-swap: somebody types into the very cell between verify and write.
import { boundsToText } from './address.ts';
import { batchBytesMax, type CallOptions, errorContext, idKey, type TableContext } from './context.ts';
import {
  MetadataFullError,
  OutcomeUnknownError,
  ProtectedError,
  RefusedError,
  SheetsError,
  UnavailableError,
} from './errors.ts';
import { cellText, cellValue, contains, formulaText, isSameValue } from './grid.ts';
import { placePins, removeMarks, searchMarks } from './pins.ts';
import { type PinnedRow, type PinnedView, readHeader, readThroughPins } from './pinned-view.ts';
import { type WriteAnswer, type WrittenRow, writeThroughPins } from './pinned-write.ts';
import type { CellValue, ColumnKey, Row, RowChange, RowOutcome, Snapshot } from './port.ts';
import { cellsBytes, countIds, refuseCells, refuseMissing, splitBatches } from './preflight.ts';
import { isSameRow, repairDamage, type Sendable, type SentRow, sentValue, shownColumns } from './repair.ts';

/** Key and value of all developer metadata of a tab: https://developers.google.com/workspace/sheets/api/guides/metadata. */
const metadataCharactersMax = 29_900;

/** A change on its way, and what became of it. */
interface Item extends Sendable {
  outcome: RowOutcome | undefined;
}

/** A change whose row is pinned. */
interface PinnedItem {
  readonly item: Item;
  readonly pin: number;
}

/** A change that passed verification: what is sent, and the row it was verified on. */
interface ReadyItem extends SentRow {
  readonly item: Item;
}

export async function updateRows(
  context: TableContext,
  snapshot: Snapshot,
  changes: readonly RowChange[],
  options: CallOptions,
): Promise<RowOutcome[]> {
  const counts = countIds(snapshot);
  const items = changes.map((change): Item => {
    const set = change.id === undefined ? change.set : { ...change.set, [idKey]: change.id };
    const isDoubled = (counts.get(change.row.id) ?? 0) > 1 && !change.isKnownDuplicate;
    return { change, set, outcome: isDoubled ? { kind: 'duplicate-id' } : refuseCells(snapshot, set) };
  });
  const pending = items.filter(({ outcome, set }) => outcome === undefined && Object.keys(set).length > 0);
  const bytesOf = ({ set }: Item) => cellsBytes(set, snapshot.memory.columnCount);
  for (const batch of splitBatches(pending, context.pinsMax, batchBytesMax, bytesOf)) {
    try {
      await updateBatch(context, snapshot, batch, options);
    } catch (error) {
      if (!(error instanceof SheetsError)) throw error;
      for (const item of pending) item.outcome ??= { kind: 'failed', error };
      break;
    }
  }
  return items.map(({ outcome }) => outcome ?? { kind: 'written', stored: {} });
}

async function updateBatch(context: TableContext, snapshot: Snapshot, batch: readonly Item[], options: CallOptions) {
  const pinned = await pinBatch(context, batch, options);
  if (pinned === undefined) {
    // Refused whole: somebody else's metadata leaves too little room, or one row cannot be pinned. Halves find out.
    const half = Math.ceil(batch.length / 2);
    context.pinsMax = Math.min(context.pinsMax, half);
    await updateBatch(context, snapshot, batch.slice(0, half), options);
    await updateBatch(context, snapshot, batch.slice(half), options);
    return;
  }
  try {
    await verifyAndWrite(context, snapshot, pinned, options);
  } finally {
    await removeMarks(context, pinned.marks, options);
  }
}

interface PinnedBatch {
  readonly pinnedItems: readonly PinnedItem[];
  /** Everything to remove afterwards: pins of rows and of columns. */
  readonly marks: readonly number[];
  readonly isUncertain: boolean;
}

/** Undefined when a batch of more than one was refused. */
async function pinBatch(
  context: TableContext,
  batch: readonly Item[],
  options: CallOptions,
): Promise<PinnedBatch | undefined> {
  try {
    const rowIndexes = batch.map(({ change }) => change.row.number - 1);
    const { rowPins, columnPins, isUncertain } = await placePins(context, rowIndexes, options);
    const pinnedItems = batch.flatMap((item, index) => {
      const pin = rowPins[index];
      if (pin === undefined) item.outcome = { kind: 'moved' };
      return pin === undefined ? [] : [{ item, pin }];
    });
    return { pinnedItems, marks: [...pinnedItems.map(({ pin }) => pin), ...columnPins], isUncertain };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    if (batch.length > 1) return undefined;
    throw await explainRefusedPin(context, batch[0]!.change.row.number - 1, error, options);
  }
}

async function verifyAndWrite(context: TableContext, snapshot: Snapshot, batch: PinnedBatch, options: CallOptions) {
  const { pinnedItems, isUncertain } = batch;
  const view = await readThroughPins(
    context,
    pinnedItems.map(({ pin }) => pin),
    options,
  );
  if (isUncertain && view.rowByPin.size === 0) {
    const error = new UnavailableError('the rows could not be pinned', errorContext(context));
    for (const { item } of pinnedItems) item.outcome = { kind: 'failed', error };
    return;
  }
  await writeVerified(context, snapshot, view, judgeAll(context, view, pinnedItems), options);
}

/** How often one batch is written again after it was read back and found not to have been applied. */
const writesMax = 3;

async function writeVerified(
  context: TableContext,
  snapshot: Snapshot,
  view: PinnedView,
  ready: readonly ReadyItem[],
  options: CallOptions,
  writesLeft = writesMax - 1,
): Promise<void> {
  if (ready.length === 0) return;
  try {
    const answer = await writeThroughPins(context, view, ready, options);
    await check(context, snapshot, view, ready, answer, options);
  } catch (error) {
    if (error instanceof OutcomeUnknownError) {
      for (const { item } of ready) item.outcome ??= { kind: 'unknown', error };
      await resolveUnknown(context, snapshot, view, ready, options, writesLeft);
    } else if (error instanceof RefusedError) {
      await resolveRefused(context, snapshot, ready, error, options, writesLeft);
    } else {
      throw error;
    }
  }
}

/** Was it applied? The batch is atomic: one cell that shows it tells for all. If not, it is harmless to send again (W4). */
async function resolveUnknown(
  context: TableContext,
  snapshot: Snapshot,
  view: PinnedView,
  ready: readonly ReadyItem[],
  options: CallOptions,
  writesLeft: number,
): Promise<void> {
  const now = await readThroughPins(
    context,
    ready.map(({ pin }) => pin),
    options,
  );
  if (isApplied(view, now, ready)) {
    await settle(context, snapshot, view, now, ready, undefined, options);
  } else if (writesLeft > 0) {
    for (const { item } of ready) item.outcome = undefined;
    await writeVerified(context, snapshot, now, judgeAll(context, now, ready), options, writesLeft - 1);
  }
}

/** Refused whole: a row was deleted since the view, or something in it cannot be written. Halves find out which. */
async function resolveRefused(
  context: TableContext,
  snapshot: Snapshot,
  ready: readonly ReadyItem[],
  error: RefusedError,
  options: CallOptions,
  writesLeft: number,
): Promise<void> {
  const now = await readThroughPins(
    context,
    ready.map(({ pin }) => pin),
    options,
  );
  const still = judgeAll(context, now, ready);
  if (still.length < ready.length && writesLeft > 0) {
    await writeVerified(context, snapshot, now, still, options, writesLeft - 1);
  } else if (still.length > 1) {
    const half = Math.ceil(still.length / 2);
    await writeVerified(context, snapshot, now, still.slice(0, half), options);
    await writeVerified(context, snapshot, now, still.slice(half), options);
  } else {
    for (const { item } of still) {
      const columns = Object.keys(item.set);
      item.outcome = { kind: 'refused', reason: 'by-google', columns, message: error.message };
    }
  }
}

function judgeAll(context: TableContext, view: PinnedView, items: readonly PinnedItem[]): ReadyItem[] {
  const columnByKey = new Map(view.header.located.map(({ key, columnIndex }) => [key, columnIndex]));
  return items.flatMap(({ item, pin }) => {
    const row = view.rowByPin.get(pin);
    const outcome: RowOutcome | undefined = row ? judge(context, view, columnByKey, row, item) : { kind: 'row-gone' };
    if (outcome) item.outcome = outcome;
    if (outcome || !row) return [];
    const cells = new Map(Object.entries(item.set).map(([key, value]) => [columnByKey.get(key)!, value]));
    return [{ item, pin, row, cells }];
  });
}

/** Verification: the same row, every mapped cell as in the snapshot, and nothing to be set that must not be (W3, V5). */
function judge(
  context: TableContext,
  view: PinnedView,
  columnByKey: ReadonlyMap<ColumnKey, number>,
  { rowIndex, cells }: PinnedRow,
  { change, set }: Item,
): RowOutcome | undefined {
  const keys = Object.keys(set);
  const missing = refuseMissing(keys.filter((key) => !columnByKey.has(key)));
  if (missing) return missing;
  const cellOf = (key: ColumnKey) => cells[columnByKey.get(key) ?? -1];
  if (columnByKey.has(idKey) && cellText(cellValue(cellOf(idKey))) !== change.row.id) return { kind: 'moved' };
  const changed = changedColumns(change.row, columnByKey, cells);
  if (changed.length > 0) {
    // Without an id to go by, another row in its place looks the same as a row that was edited.
    return change.row.id === '' ? { kind: 'moved' } : { kind: 'changed-meanwhile', columns: changed };
  }
  const formulas = keys.filter((key) => formulaText(cellOf(key)) !== undefined);
  if (formulas.length > 0) return { kind: 'formula', columns: formulas };
  const forbidden = keys.filter((key) =>
    view.forbidden.some((bounds) => contains(bounds, rowIndex, columnByKey.get(key)!)),
  );
  if (forbidden.length === 0) return undefined;
  const ranges = view.forbidden.map(boundsToText);
  const { message } = new ProtectedError(context.client.account, ranges, errorContext(context));
  return { kind: 'refused', reason: 'protected', columns: forbidden, message };
}

/** Mapped cells that are not as in the snapshot. A formula's result may change by itself; that it is one may not. */
export function changedColumns(
  row: Row,
  columnByKey: ReadonlyMap<ColumnKey, number>,
  cells: PinnedRow['cells'],
): ColumnKey[] {
  return Object.entries(row.cells).flatMap(([key, before]) => {
    const columnIndex = columnByKey.get(key);
    if (columnIndex === undefined) return [];
    const cell = cells[columnIndex];
    const isFormula = formulaText(cell) !== undefined;
    if (isFormula !== row.formulas.includes(key)) return [key];
    return isFormula || isSameValue(cellValue(cell), before) ? [] : [key];
  });
}

/** The answer of a write that was applied: all in place is the rule; anything else is looked at closely. */
async function check(
  context: TableContext,
  snapshot: Snapshot,
  view: PinnedView,
  ready: readonly ReadyItem[],
  answer: WriteAnswer,
  options: CallOptions,
): Promise<void> {
  const suspicious: ReadyItem[] = [];
  const areColumnsInPlace = [...answer.columnByMark].every(([mark, index]) => view.columnByMark.get(mark) === index);
  for (const each of ready) {
    const written = answer.rowByPin.get(each.pin);
    if (!written) each.item.outcome = { kind: 'row-gone' };
    else if (areColumnsInPlace && isSameRow(view, each, (index) => written.valueAt(index))) {
      each.item.outcome = { kind: 'written', stored: storedCells(view, each.item, written) };
    } else suspicious.push(each);
  }
  if (suspicious.length === 0) return;
  const error = new OutcomeUnknownError('people moved cells in the moment of writing', errorContext(context));
  for (const { item } of suspicious) item.outcome = { kind: 'unknown', error };
  const now = await readThroughPins(
    context,
    suspicious.map(({ pin }) => pin),
    options,
  );
  await settle(context, snapshot, view, now, suspicious, answer.columnByMark, options);
}

function storedCells(view: PinnedView, { set }: Item, written: WrittenRow): Record<ColumnKey, CellValue> {
  const located = view.header.located.filter(({ key }) => set[key] !== undefined && key !== idKey);
  return Object.fromEntries(located.map(({ key, columnIndex }) => [key, written.valueAt(columnIndex)]));
}

/** Outcomes of rows that were written and then seen again: what landed elsewhere is put right and told. */
async function settle(
  context: TableContext,
  snapshot: Snapshot,
  view: PinnedView,
  now: PinnedView,
  written: readonly ReadyItem[],
  atWrite: WriteAnswer['columnByMark'] | undefined,
  options: CallOptions,
): Promise<void> {
  const displaced = await repairDamage(context, snapshot, view, now, written, atWrite, options);
  const columnByKey = new Map(now.header.located.map(({ key, columnIndex }) => [key, columnIndex]));
  for (const { item, pin } of written) {
    const row = now.rowByPin.get(pin);
    const cells = displaced.get(pin);
    if (cells) item.outcome = { kind: 'displaced', cells };
    else if (!row) item.outcome = { kind: 'row-gone' };
    else {
      const valueAt = (key: ColumnKey) => cellValue(row.cells[columnByKey.get(key) ?? -1]);
      const entries = Object.entries(item.set);
      const columns = entries.filter(([key, sent]) => !isSameValue(valueAt(key), sentValue(sent))).map(([key]) => key);
      const stored = Object.fromEntries(entries.filter(([key]) => key !== idKey).map(([key]) => [key, valueAt(key)]));
      item.outcome = columns.length > 0 ? { kind: 'changed-meanwhile', columns } : { kind: 'written', stored };
    }
  }
}

function isApplied(view: PinnedView, now: PinnedView, ready: readonly ReadyItem[]): boolean {
  return ready.some((each) => {
    const row = now.rowByPin.get(each.pin);
    return row !== undefined && shownColumns(view, now, each, row).length > 0;
  });
}

/** Why not even a single row could be pinned: told by what is there, since Google's sentence may be in any language. */
async function explainRefusedPin(context: TableContext, rowIndex: number, refusal: RefusedError, options: CallOptions) {
  const { grid } = await readHeader(context, options);
  const forbidden = grid.forbidden.filter((each) => contains(each, rowIndex, each.startColumnIndex ?? 0));
  if (forbidden.length > 0) {
    return new ProtectedError(context.client.account, forbidden.map(boundsToText), errorContext(context));
  }
  const all = await searchMarks(context, [{ developerMetadataLookup: {} }], options);
  const characters = all.reduce(
    (sum, mark) => sum + (mark.metadataKey?.length ?? 0) + (mark.metadataValue?.length ?? 0),
    0,
  );
  return characters >= metadataCharactersMax
    ? new MetadataFullError({ ...errorContext(context), cause: refusal })
    : refusal;
}
