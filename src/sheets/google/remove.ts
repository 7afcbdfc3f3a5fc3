// Deletes rows. Google deletes by index only, so the rows are pinned, verified through the pins, and deleted in one
// batch. The batch asserts each pin at its index: rows that moved in between make it fail, and it is tried anew. A
// missing pin asserts nothing, so the last row of the grid is pinned as well and shows a missing row. If a person
// deletes the very row and puts another one in its place at that moment, the answer shows it.
import { boundsToText, columnLetter } from './address.ts';
import { type CallOptions, errorContext, idKey, type TableContext } from './context.ts';
import { OutcomeUnknownError, SheetsError } from '../errors.ts';
import { ProtectedError, RefusedError, UnavailableError } from './errors.ts';
import { cellText, cellValue, contains } from './grid.ts';
import { outcomeOrUnknown } from './outcome-or-unknown.ts';
import { assertMark, createAppendMark, createPin, deleteMark, oneLine, type Request } from './marks.ts';
import { batchUpdate, deletedMarks, explainRefusedPin, type Pins, pinsAtOnce, placePins, removeMarks } from './pins.ts';
import { type PinnedView, readThroughPins } from './pinned-view.ts';
import type { RemoveOutcome, Row, Snapshot } from '../port.ts';
import { countIds, splitBatches } from './preflight.ts';
import { changedColumns } from './verify.ts';

interface Item {
  readonly row: Row;
  /** It stays if it has a cell that the table does not know. */
  readonly isOnlyBare: boolean;
  outcome: RemoveOutcome | undefined;
}

interface PinnedItem {
  readonly item: Item;
  readonly pin: number;
}

export async function removeRows(
  context: TableContext,
  snapshot: Snapshot,
  rows: readonly Row[],
  { onlyBare = false, ...options }: CallOptions & { readonly onlyBare?: boolean },
): Promise<RemoveOutcome[]> {
  const counts = countIds(snapshot);
  const items = rows.map((row): Item => ({
    row,
    isOnlyBare: onlyBare,
    outcome: (counts.get(row.id) ?? 0) > 1 ? { kind: 'duplicate-id' } : undefined,
  }));
  const pending = items.filter(({ outcome }) => outcome === undefined);
  // From the bottom up, so that one batch does not move the rows of the next.
  const ordered = pending.toSorted((a, b) => b.row.number - a.row.number);
  try {
    for (const batch of splitBatches(ordered, pinsAtOnce(context), Infinity, () => 0)) {
      await removeBatch(context, batch, options);
    }
  } catch (error) {
    if (!(error instanceof SheetsError)) throw error;
    for (const item of pending) item.outcome ??= { kind: 'failed', error };
  }
  return items.map(({ outcome }) => outcomeOrUnknown(outcome, context));
}

/** W8: a batch may begin until `stop`; once its rows are pinned it is finished. */
async function removeBatch(context: TableContext, batch: readonly Item[], beginning: CallOptions): Promise<void> {
  const { stop: _stop, ...options } = beginning;
  const rowIndexes = batch.map(({ row }) => row.number - 1);
  const pins = await pinBatch(context, rowIndexes, beginning);
  if (pins === undefined) {
    // Refused whole, as in an update. The batch is ordered from below: the first half moves no row of the second.
    const half = Math.ceil(batch.length / 2);
    context.pinsMax = Math.min(context.pinsMax, half);
    await removeBatch(context, batch.slice(0, half), beginning);
    await removeBatch(context, batch.slice(half), beginning);
    return;
  }
  const { rowPins, lastRowPin, isUncertain } = pins;
  const sentinelPins = lastRowPin === undefined ? [] : [lastRowPin];
  const pinned = batch.flatMap((item, index) => {
    const pin = rowPins[index];
    if (pin === undefined) item.outcome = { kind: 'moved' };
    return pin === undefined ? [] : [{ item, pin }];
  });
  let marks: readonly number[] = [...pinned.map(({ pin }) => pin), ...sentinelPins];
  const unanswered: (readonly number[])[] = [];
  try {
    marks = await deletePinned(context, pinned, sentinelPins, { isUncertain, unanswered }, options);
  } finally {
    // A batch that may still arrive asserts these pins. Without them it would delete whatever rows are at those indexes
    // by then. So they stay until a later run looks at the marks.
    if (unanswered.length > 0) Object.assign(context, { areMarksKnown: false, layout: undefined });
    else if (marks.length > 0) await removeMarks(context, marks, options);
  }
}

/** Undefined: a batch of more than one was refused. */
async function pinBatch(
  context: TableContext,
  rowIndexes: readonly number[],
  options: CallOptions,
): Promise<Pins | undefined> {
  try {
    return await placePins(context, rowIndexes, options, { isForWriting: false });
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    if (rowIndexes.length > 1) return undefined;
    throw await explainRefusedPin(context, rowIndexes[0]!, error, options);
  }
}

/** Limit on tries of a deletion when rows move during it. */
const attemptsMax = 4;

interface Unanswered {
  /** The answer to the pins was lost. */
  readonly isUncertain: boolean;
  /** Of each batch of unknown outcome: the pins of the rows that it deletes. Filled here. */
  readonly unanswered: (readonly number[])[];
}

/** Returns the pins that still exist. */
async function deletePinned(
  context: TableContext,
  pinned: readonly PinnedItem[],
  sentinelPins: readonly number[],
  { isUncertain, unanswered }: Unanswered,
  options: CallOptions,
): Promise<readonly number[]> {
  let remaining = pinned;
  let failure: SheetsError | undefined;
  /** Sent in a batch of unknown outcome. */
  const sent = new Set<PinnedItem>();
  /** Pins that a batch of unknown outcome removes: all of them or none. */
  let sentPins: readonly number[] = [];
  /** The index at which a refused batch asserted each pin. */
  let asserted: ReadonlyMap<number, number> | undefined;
  let hasRefusedInPlace = false;
  let isAsserting = context.areAssertionsUsable;
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const view = await readThroughPins(context, [...remaining.map(({ pin }) => pin), ...sentinelPins], options);
    if (isUncertain && attempt === 1 && view.rowByPin.size === 0) {
      throw new UnavailableError('the rows could not be pinned', errorContext(context));
    }
    if (sentPins.some((pin) => view.rowByPin.has(pin))) {
      // It was not applied: another person deleted the missing rows of it.
      for (const { item } of sent) item.outcome = undefined;
      sent.clear();
    }
    // Refused although every row is at its place. The first time rows may have moved away and back; the second time the
    // assertions are the cause.
    if (asserted && [...asserted].every(([pin, rowIndex]) => view.rowByPin.get(pin)?.rowIndex === rowIndex)) {
      if (hasRefusedInPlace) isAsserting = false;
      hasRefusedInPlace = true;
    }
    asserted = undefined;
    const found = remaining.filter(({ pin }) => view.rowByPin.has(pin));
    for (const each of remaining) {
      if (sent.has(each) && !view.rowByPin.has(each.pin)) each.item.outcome = { kind: 'removed' };
      // The pins of spared rows went with that batch; what is known of those rows stays valid.
      else if (!view.rowByPin.has(each.pin)) each.item.outcome ??= { kind: 'row-gone' };
    }
    const ready = found.filter((each) => isReady(context, view, each));
    const sentinels = sentinelPins.filter((pin) => view.rowByPin.has(pin));
    const spared = [...found.filter((each) => !ready.includes(each)).map(({ pin }) => pin), ...sentinels];
    if (ready.length === 0) return spared;
    try {
      const requests = [
        ...deleteRequests(context, view, ready, sentinels, spared, isAsserting),
        ...keepPins(context, ready, unanswered),
      ];
      const wereThere = deletedMarks(await batchUpdate(context, requests, options));
      context.areAssertionsUsable = isAsserting;
      // Listed pins show that Google lists pins at all, as documented.
      const isListed = sentinels.length === 0 || wereThere.size > 0;
      for (const { item, pin } of ready) {
        item.outcome =
          isAsserting && isListed && !wereThere.has(pin)
            ? { kind: 'displaced', number: view.rowByPin.get(pin)!.rowIndex + 1 }
            : { kind: 'removed' };
      }
      return [];
    } catch (error) {
      if (error instanceof OutcomeUnknownError) {
        unanswered.push(ready.map(({ pin }) => pin));
        sentPins = [...ready.map(({ pin }) => pin), ...spared];
        for (const each of ready) {
          sent.add(each);
          each.item.outcome = { kind: 'unknown', error };
        }
      } else if (!(error instanceof RefusedError)) throw error;
      else if (isAsserting) {
        const places = [...ready.map(({ pin }) => pin), ...sentinels];
        asserted = new Map(places.map((pin) => [pin, view.rowByPin.get(pin)!.rowIndex]));
      }
      failure = error;
    }
    remaining = found;
  }
  for (const { item } of remaining) {
    item.outcome =
      failure instanceof OutcomeUnknownError
        ? { kind: 'unknown', error: failure }
        : { kind: 'failed', error: failure! };
  }
  return [...remaining.map(({ pin }) => pin), ...sentinelPins];
}

/**
 * One pin of each batch that may still arrive becomes a mark on the tab, once its row is deleted: the assertion of that
 * pin makes Google refuse the batch, however rows move by then.
 */
function keepPins(
  { sheetId }: TableContext,
  ready: readonly PinnedItem[],
  unanswered: readonly (readonly number[])[],
): Request[] {
  const deleted = ready.map(({ pin }) => pin);
  const kept = unanswered.flatMap((pins) => deleted.find((pin) => pins.includes(pin)) ?? []);
  return [...new Set(kept)].map((pin) => createAppendMark(pin, sheetId!));
}

function isReady(context: TableContext, view: PinnedView, { item, pin }: PinnedItem): boolean {
  const { cells, rowIndex } = view.rowByPin.get(pin)!;
  const forbidden = view.forbidden.filter((bounds) => contains(bounds, rowIndex, bounds.startColumnIndex ?? 0));
  const columnByKey = new Map(view.header.located.map(({ key, columnIndex }) => [key, columnIndex]));
  const known = new Set(columnByKey.values());
  const others = cells.flatMap((cell, index) => {
    return known.has(index) || cellText(cellValue(cell)) === '' ? [] : [columnLetter(index)];
  });
  const id = cellText(cellValue(cells[columnByKey.get(idKey) ?? -1]));
  const columns = changedColumns(item.row, columnByKey, cells);
  if (id !== item.row.id || (id === '' && columns.length > 0)) item.outcome = { kind: 'moved' };
  else if (columns.length > 0) item.outcome = { kind: 'changed-meanwhile', columns };
  else if (item.isOnlyBare && others.length > 0) item.outcome = { kind: 'has-more', letters: others };
  else if (forbidden.length > 0) {
    const error = new ProtectedError(context.client.account, forbidden.map(boundsToText), errorContext(context));
    item.outcome = { kind: 'failed', error };
  } else return true;
  return false;
}

function deleteRequests(
  context: TableContext,
  view: PinnedView,
  ready: readonly PinnedItem[],
  sentinels: readonly number[],
  spared: readonly number[],
  isAsserting: boolean,
): Request[] {
  const sheetId = context.sheetId!;
  const placeOf = (pin: number) => ({ pin, rowIndex: view.rowByPin.get(pin)!.rowIndex });
  const places = ready.map(({ pin }) => placeOf(pin));
  const assertions = isAsserting
    ? [...places, ...sentinels.map(placeOf)].flatMap(({ pin, rowIndex }) =>
        assertMark(createPin(pin, sheetId, rowIndex)),
      )
    : [];
  const fromBelow = places.toSorted((a, b) => b.rowIndex - a.rowIndex);
  return [
    ...assertions,
    ...fromBelow.map(({ rowIndex }) => ({ deleteDimension: { range: oneLine(sheetId, 'ROWS', rowIndex) } })),
    ...spared.map(deleteMark),
  ];
}
