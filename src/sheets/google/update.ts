// Sets cells of rows while people edit: pin, verify, write, check, unpin. One read and three writes a batch.
//
//   pin     marks are put on the rows at their places in the snapshot; from then on the marks move with the rows
//   verify  one read through the pins: the right row, unchanged since the plan, and cells that may be written
//   write   one write through the pins; its answer has every row and the header at that moment
//   check   the answer: right row, right column; otherwise it is repaired and reported (repair.ts)
//   unpin   the marks are removed; if that fails, they are known as left over
//
// One case remains, because Sheets has no compare-and-swap: a person edits the very cell between verify and write.
import { boundsToText } from './address.ts';
import { batchBytesMax, type CallOptions, errorContext, idKey, type TableContext } from './context.ts';
import { OutcomeUnknownError, SheetsError } from '../errors.ts';
import { ProtectedError, RefusedError, UnavailableError } from './errors.ts';
import { cellValue, contains, isSameValue } from './grid.ts';
import { explainRefusedPin, pinsAtOnce, placePins, removeMarks } from './pins.ts';
import { type PinnedView, readThroughPins } from './pinned-view.ts';
import { columnsAtWrite, type WriteAnswer, type WrittenRow, writeThroughPins } from './pinned-write.ts';
import { outcomeOrUnknown } from './outcome-or-unknown.ts';
import type { CellValue, ColumnKey, RowChange, RowOutcome, Snapshot } from '../port.ts';
import { cellsBytes, countIds, refuseCells, refusedRowsMax, splitBatches } from './preflight.ts';
import { findStrayValues, shownColumns, strayValuesByAnswer } from './stray-values.ts';
import { repairStrayValues } from './repair.ts';
import { isSameRow, otherIdAtWrite } from './same-row.ts';
import { type AtWrite, sentValue } from './sent-row.ts';
import { type Item, verifyAll, type PinnedItem, type ReadyItem } from './verify.ts';

/** One call in progress. */
interface Call {
  readonly context: TableContext;
  readonly snapshot: Snapshot;
  /** For the calls of a batch that has begun. */
  readonly options: CallOptions;
  /** The instant after which no batch begins (W8). */
  readonly stop: AbortSignal | undefined;
  /** Single rows that Google refused. */
  refusedRows: number;
}

export async function updateRows(
  context: TableContext,
  snapshot: Snapshot,
  changes: readonly RowChange[],
  { stop, ...options }: CallOptions,
): Promise<RowOutcome[]> {
  const counts = countIds(snapshot);
  const items = changes.map((change): Item => {
    const set = change.id === undefined ? change.set : { ...change.set, [idKey]: change.id };
    const isDoubled = (counts.get(change.row.id) ?? 0) > 1 && !change.isKnownDuplicate;
    const outcome = isDoubled ? ({ kind: 'duplicate-id' } as const) : refuseCells(snapshot, set);
    return { change, set, outcome: outcome ?? (Object.keys(set).length === 0 ? nothingToSet : undefined) };
  });
  const pending = items.filter(({ outcome }) => outcome === undefined);
  const bytesOf = ({ set }: Item) => cellsBytes(set, context.shape?.columnCount ?? 0);
  const call: Call = { context, snapshot, options, stop, refusedRows: 0 };
  try {
    for (const batch of splitBatches(pending, pinsAtOnce(context), batchBytesMax, bytesOf)) {
      await updateBatch(call, batch);
    }
  } catch (error) {
    if (!(error instanceof SheetsError)) throw error;
    for (const item of pending) item.outcome ??= { kind: 'failed', error };
  }
  return items.map(({ outcome }) => outcomeOrUnknown(outcome, context));
}

const nothingToSet: RowOutcome = { kind: 'written', stored: {} };

async function updateBatch(call: Call, batch: readonly Item[]): Promise<void> {
  const { context, options, stop } = call;
  const pinned = await pinBatch(context, batch, { ...options, ...(stop && { stop }) });
  if (pinned === undefined) {
    // Refused whole: other metadata leaves too little room, or one row cannot be pinned. Halving finds out.
    const half = Math.ceil(batch.length / 2);
    context.pinsMax = Math.min(context.pinsMax, half);
    await updateBatch(call, batch.slice(0, half));
    await updateBatch(call, batch.slice(half));
    return;
  }
  const { items, marks, headerPin, isUncertain } = pinned;
  const update: Update = { call, headerPin };
  try {
    const view = await readRows(update, items);
    if (isUncertain && view.rowByPin.size === 0) {
      const error = new UnavailableError('the rows could not be pinned', errorContext(context));
      for (const { item } of items) item.outcome = { kind: 'failed', error };
    } else {
      await writeVerified(update, view, verifyAll(context, view, items), writesMax);
    }
  } finally {
    await removeMarks(context, marks, options);
  }
}

/** One batch in progress: its rows and its header row are pinned. */
interface Update {
  readonly call: Call;
  readonly headerPin: number;
}

interface PinnedBatch {
  readonly items: readonly PinnedItem[];
  readonly headerPin: number;
  /** All marks to remove afterwards: pins of rows, of columns and of the header row. */
  readonly marks: readonly number[];
  readonly isUncertain: boolean;
}

/** Undefined: a batch of more than one was refused. */
async function pinBatch(
  context: TableContext,
  batch: readonly Item[],
  options: CallOptions,
): Promise<PinnedBatch | undefined> {
  const rowIndexes = batch.map(({ change }) => change.row.number - 1);
  try {
    const { rowPins, columnPins, headerPin, isUncertain } = await placePins(context, rowIndexes, options);
    const items = batch.flatMap((item, index) => {
      const pin = rowPins[index];
      if (pin === undefined) item.outcome = { kind: 'moved' };
      return pin === undefined ? [] : [{ item, pin }];
    });
    return { items, headerPin, marks: [...items.map(({ pin }) => pin), ...columnPins, headerPin], isUncertain };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    if (batch.length > 1) return undefined;
    throw await explainRefusedPin(context, rowIndexes[0]!, error, options);
  }
}

/** Limit on sends of one batch, each after reading back showed that it was not applied. */
const writesMax = 3;

async function writeVerified(
  update: Update,
  view: PinnedView,
  ready: readonly ReadyItem[],
  writesLeft: number,
): Promise<void> {
  if (ready.length === 0) return;
  let answer: WriteAnswer;
  try {
    answer = await writeThroughPins(update.call.context, view, update.headerPin, ready, update.call.options);
  } catch (error) {
    if (error instanceof OutcomeUnknownError) await resolveUnknown(update, view, ready, error, writesLeft - 1);
    else if (error instanceof RefusedError) await resolveRefused(update, ready, error, writesLeft - 1);
    else throw error;
    return;
  }
  await check(update, view, ready, answer);
}

/**
 * Whether it was applied. The batch is atomic: one cell that shows it proves it for all. If not, sending it again is
 * harmless (W4).
 */
async function resolveUnknown(
  update: Update,
  view: PinnedView,
  ready: readonly ReadyItem[],
  error: OutcomeUnknownError,
  writesLeft: number,
): Promise<void> {
  for (const { item } of ready) item.outcome = { kind: 'unknown', error };
  const now = await readRows(update, ready);
  if (isApplied(update, view, now, ready)) {
    await settle(update, view, now, ready, undefined);
  } else if (writesLeft > 0) {
    const still = verifyAll(update.call.context, now, ready);
    // A row that differs from its verified state may have been written and then changed: its outcome stays unknown.
    for (const { item } of ready) item.outcome = { kind: 'unknown', error };
    await writeVerified(update, now, still, writesLeft);
  }
}

function isApplied(
  { call: { snapshot } }: Update,
  view: PinnedView,
  now: PinnedView,
  ready: readonly ReadyItem[],
): boolean {
  return ready.some((each) => {
    const row = now.rowByPin.get(each.pin);
    if (row === undefined) return false;
    return (
      shownColumns(view, now, each, row).length > 0 || findStrayValues(snapshot, view, now, each, undefined).length > 0
    );
  });
}

/** Refused whole: a row was deleted since the view, or something in it cannot be written. Halving finds which. */
async function resolveRefused(
  update: Update,
  ready: readonly ReadyItem[],
  error: RefusedError,
  writesLeft: number,
): Promise<void> {
  const now = await readRows(update, ready);
  const still = verifyAll(update.call.context, now, ready);
  if (still.length < ready.length && writesLeft > 0) {
    await writeVerified(update, now, still, writesLeft);
  } else if (still.length > 1) {
    const half = Math.ceil(still.length / 2);
    await writeVerified(update, now, still.slice(0, half), writesMax);
    await writeVerified(update, now, still.slice(half), writesMax);
  } else {
    const why = protectionOf(update, now, still) ?? error;
    for (const { item } of still) {
      const reason = why === error ? 'by-spreadsheet' : 'protected';
      item.outcome = { kind: 'refused', reason, columns: Object.keys(item.set), message: why.message };
      update.call.refusedRows += 1;
    }
    if (update.call.refusedRows >= refusedRowsMax) throw why;
  }
}

/** A write names every mapped cell of its row, most of them to be skipped: Google may refuse it for one of those. */
function protectionOf(
  { call: { context } }: Update,
  now: PinnedView,
  [only]: readonly ReadyItem[],
): ProtectedError | undefined {
  const row = only && now.rowByPin.get(only.pin);
  const ranges = row
    ? now.forbidden.filter((bounds) => contains(bounds, row.rowIndex, bounds.startColumnIndex ?? 0))
    : [];
  if (ranges.length === 0) return undefined;
  return new ProtectedError(context.client.account, ranges.map(boundsToText), errorContext(context));
}

/** Checks the answer of an applied write: usually all is in place; anything else is examined. */
async function check(
  update: Update,
  view: PinnedView,
  ready: readonly ReadyItem[],
  answer: WriteAnswer,
): Promise<void> {
  const { snapshot } = update.call;
  const places = columnsAtWrite(view, answer.headerTexts);
  const suspicious: ReadyItem[] = [];
  const otherIdByPin = new Map<number, string>();
  const error = new OutcomeUnknownError(
    'people moved cells in the moment of writing',
    errorContext(update.call.context),
  );
  for (const each of ready) {
    const written = answer.rowByPin.get(each.pin);
    if (!written) {
      each.item.outcome = { kind: 'row-gone' };
    } else if (places.areInPlace && isSameRow(snapshot, view, each, (index) => written.valueAt(index))) {
      each.item.outcome = {
        kind: 'written',
        stored: storedCells(view, each.item, written),
        ...(isIdHidden(view, each.item, written) && { isIdHidden: true }),
      };
    } else {
      each.item.outcome = { kind: 'unknown', error };
      suspicious.push(each);
      const otherId = otherIdAtWrite(snapshot, view, each, written, places);
      if (otherId !== undefined) otherIdByPin.set(each.pin, otherId);
    }
  }
  if (suspicious.length === 0) return;
  const atWrite = { ...places, otherIdByPin };
  await settle(update, view, await readRows(update, suspicious), suspicious, atWrite);
}

function storedCells(view: PinnedView, { set }: Item, written: WrittenRow): Record<ColumnKey, CellValue> {
  const located = view.header.located.filter(({ key }) => set[key] !== undefined && key !== idKey);
  return Object.fromEntries(located.map(({ key, columnIndex }) => [key, written.valueAt(columnIndex)]));
}

function isIdHidden(view: PinnedView, { set }: Item, written: WrittenRow): boolean {
  const cell = set[idKey] === undefined ? undefined : view.header.located.find(({ key }) => key === idKey);
  return cell !== undefined && written.valueAt(cell.columnIndex) === null;
}

/** Outcomes of rows that were written and read again: values in wrong cells are repaired and reported. */
async function settle(
  update: Update,
  view: PinnedView,
  now: PinnedView,
  written: readonly ReadyItem[],
  atWrite: AtWrite | undefined,
): Promise<void> {
  const batch = { ...update.call, headerPin: update.headerPin };
  const displaced = await repairStrayValues(batch, view, now, written, atWrite);
  const columnByKey = new Map(now.header.located.map(({ key, columnIndex }) => [key, columnIndex]));
  for (const each of written) {
    const { item, pin } = each;
    const row = now.rowByPin.get(pin);
    const cells = displaced.get(pin);
    if (cells || atWrite?.otherIdByPin.has(pin)) {
      item.outcome = { kind: 'displaced', cells: cells ?? [] };
    } else if (!row) {
      item.outcome = { kind: 'row-gone' };
    } else {
      const valueAt = (key: ColumnKey) => cellValue(row.cells[columnByKey.get(key) ?? -1]);
      const entries = Object.entries(item.set);
      const columns = entries.filter(([key, sent]) => !isSameValue(valueAt(key), sentValue(sent))).map(([key]) => key);
      const stored = Object.fromEntries(entries.filter(([key]) => key !== idKey).map(([key]) => [key, valueAt(key)]));
      const strays =
        atWrite && !atWrite.areInPlace && columns.length > 0 ? strayValuesByAnswer(view, each, atWrite) : [];
      if (strays.length > 0) item.outcome = { kind: 'displaced', cells: strays };
      else if (columns.length === 0) item.outcome = { kind: 'written', stored };
      // W4: of a row that shows a part of what was sent the outcome stays unknown. It was written, and then somebody changed the rest.
      else if (columns.length === entries.length) item.outcome = { kind: 'changed-meanwhile', columns };
    }
  }
}

function readRows({ call: { context, options } }: Update, items: readonly PinnedItem[]): Promise<PinnedView> {
  const pins = items.map(({ pin }) => pin);
  return readThroughPins(context, pins, options);
}
