// Restores the cells that a stray write overwrote (stray-values.ts), through the same pins, and reports them.
import type { CallOptions, TableContext } from './context.ts';
import { findStrayValuesInRow, findStrayValues } from './stray-values.ts';
import { SheetsError } from '../errors.ts';
import { cellValue, isSameValue } from './grid.ts';
import { type PinnedView, readThroughPins } from './pinned-view.ts';
import { columnsAtWrite, type PinnedPlan, writeThroughPins } from './pinned-write.ts';
import type { CellInput, Displaced, Snapshot } from '../port.ts';
import { readTable } from './read.ts';
import { type AtWrite, type Before, type StrayValue, haveColumnsMoved, isWritten, type SentRow } from './sent-row.ts';

/** The batch that was sent. */
interface Batch {
  readonly context: TableContext;
  readonly snapshot: Snapshot;
  readonly headerPin: number;
  readonly options: CallOptions;
}

const repairsMax = 3;

/** The displaced cells of each row and whether they could be restored, by pin; rows without any are left out. */
export async function repairStrayValues(
  batch: Batch,
  then: PinnedView,
  now: PinnedView,
  sent: readonly SentRow[],
  atWrite: AtWrite | undefined,
): Promise<Map<number, readonly Displaced[]>> {
  const { seen, strays } = await findAll(batch, then, now, sent, atWrite);
  const pins = [...new Set(strays.map(({ pin }) => pin))];
  const restored = new Set<StrayValue>();
  let view = seen;
  for (let attempt = 1; attempt <= repairsMax && strays.length > 0; attempt += 1) {
    const due = strays.filter((stray) => canPutRight(stray) && isStillThere(view, stray));
    if (due.length === 0) break;
    const before = view;
    const plans = await restore(batch, before, due);
    const after = await lookAgain(batch, pins);
    if (!after) break;
    view = after;
    for (const stray of due) if (isBack(view, stray)) restored.add(stray);
    // Columns moved at this moment too: a restored value may itself be in the wrong cell.
    strays.push(...plans.flatMap((plan) => findStraysOfRepair(before, after, plan)));
  }
  const displaced = Map.groupBy(strays, ({ pin }) => pin);
  return new Map(
    [...displaced].map(([pin, cells]) => [
      pin,
      cells.map((stray) => ({
        cell: stray.cell,
        written: stray.written,
        before: stray.before?.value,
        isRestored: restored.has(stray),
      })),
    ]),
  );
}

/**
 * Sometimes only the whole tab tells which cells came from another row. Then it is read, and the rows are looked at again after it:
 * people may have changed them meanwhile. If one of the two reads fails, the former content of these cells is not known.
 */
async function findAll(
  batch: Batch,
  then: PinnedView,
  now: PinnedView,
  sent: readonly SentRow[],
  atWrite: AtWrite | undefined,
): Promise<{ readonly seen: PinnedView; readonly strays: StrayValue[] }> {
  const findIn = (view: PinnedView) =>
    sent.flatMap((each) => findStrayValues(batch.snapshot, then, view, each, atWrite));
  const found = findIn(now);
  if (!found.some(({ isLikely }) => isLikely)) return { seen: now, strays: found };
  const rowsById = await readRowsById(batch);
  const seen = rowsById && (await lookAgain(batch, [...now.rowByPin.keys()]));
  if (seen) return { seen, strays: findIn({ ...seen, rowsById }) };
  return { seen: now, strays: found.map((stray) => (stray.isLikely ? { ...stray, before: undefined } : stray)) };
}

async function readRowsById({ context, options }: Batch): Promise<PinnedView['rowsById']> {
  try {
    // A copy of the context: the next read of the run has to see what changed since its last one.
    const { rows } = await readTable({ ...context, lastRead: undefined }, options);
    return Map.groupBy(rows, ({ id }) => id);
  } catch (error) {
    if (!(error instanceof SheetsError)) throw error;
    return undefined;
  }
}

/** Undefined if that fails too: the repaired cells are repaired, and the rest is reported as it is. */
async function lookAgain({ context, options }: Batch, pins: readonly number[]): Promise<PinnedView | undefined> {
  try {
    return await readThroughPins(context, pins, options);
  } catch (error) {
    if (!(error instanceof SheetsError)) throw error;
    return undefined;
  }
}

/** Returns what was sent. Another look shows a lost answer or a refusal. */
async function restore({ context, headerPin, options }: Batch, view: PinnedView, due: readonly StrayValue[]) {
  const constants = restorePlans(
    view,
    due.filter(({ before }) => before?.formula === undefined),
  );
  const formulas = restorePlans(
    view,
    due.filter(({ before }) => before?.formula !== undefined),
  );
  try {
    if (constants.length > 0) {
      const { headerTexts } = await writeThroughPins(context, view, headerPin, constants, options, 'RAW');
      if (!columnsAtWrite(view, headerTexts).areInPlace) return constants;
    }
    if (formulas.length > 0) await writeThroughPins(context, view, headerPin, formulas, options, 'USER_ENTERED');
  } catch (error) {
    if (!(error instanceof SheetsError)) throw error;
  }
  return [...constants, ...formulas];
}

function findStraysOfRepair(then: PinnedView, now: PinnedView, plan: PinnedPlan): StrayValue[] {
  const [row, rowNow] = [then.rowByPin.get(plan.pin), now.rowByPin.get(plan.pin)];
  if (!row || !rowNow || !haveColumnsMoved(then, now)) return [];
  return findStrayValuesInRow(then, now, { ...plan, row }, rowNow, undefined);
}

function restorePlans(view: PinnedView, due: readonly StrayValue[]): PinnedPlan[] {
  return [...Map.groupBy(due, ({ pin }) => pin)].map(([pin, strays]) => ({
    pin,
    cells: new Map(strays.map((stray) => [indexNowOf(view, stray), inputOf(stray.before)])),
  }));
}

function inputOf(before: Before | undefined): CellInput {
  const value = before?.formula ?? before?.value ?? '';
  return typeof value === 'object' ? '' : value;
}

function isStillThere(view: PinnedView, stray: StrayValue): boolean {
  return isWritten(view.rowByPin.get(stray.pin)?.cells[indexNowOf(view, stray)], stray.written);
}

/**
 * The cell has its old content again. Google may spell a formula differently: for a formula it is enough that our value
 * is gone.
 */
function isBack(view: PinnedView, stray: StrayValue): boolean {
  const { before, pin } = stray;
  if (before === undefined) return false;
  if (before.formula !== undefined) return !isStillThere(view, stray);
  return isSameValue(cellValue(view.rowByPin.get(pin)?.cells[indexNowOf(view, stray)]), before.value);
}

/**
 * Not if the overwritten cell is unknown, nor if a cell was cleared and its content is unknown: that is only reported.
 */
function canPutRight({ columnIndex, before, written }: StrayValue): boolean {
  return columnIndex !== -1 && (before !== undefined || written !== '');
}

/** By its mark; a column without one is any unmarked column that shows the value. */
function indexNowOf(view: PinnedView, { pin, mark, columnIndex, written }: StrayValue): number {
  if (mark !== undefined) return view.columnByMark.get(mark) ?? -1;
  const marked = new Set(view.columnByMark.values());
  const cells = view.rowByPin.get(pin)?.cells ?? [];
  const isIt = (index: number) => !marked.has(index) && isWritten(cells[index], written);
  return isIt(columnIndex) ? columnIndex : cells.findIndex((_, index) => isIt(index));
}
