// Putting back what a write hit that went astray (damage.ts), through the same pins, and telling what it was.
import type { CallOptions, TableContext } from './context.ts';
import { damageInRow, findDamage } from './damage.ts';
import { SheetsError } from '../errors.ts';
import { cellValue, isSameValue } from './grid.ts';
import { type PinnedView, readThroughPins } from './pinned-view.ts';
import { columnsAtWrite, type PinnedPlan, writeThroughPins } from './pinned-write.ts';
import type { CellInput, Displaced, Snapshot } from '../port.ts';
import { type AtWrite, type Before, type Damage, haveColumnsMoved, isWritten, type SentRow } from './sent.ts';

/** The batch that was sent. */
interface Batch {
  readonly context: TableContext;
  readonly snapshot: Snapshot;
  readonly headerPin: number;
  readonly options: CallOptions;
}

const repairsMax = 3;

/** What each row's displaced cells were and whether they could be put back, by pin; rows without any are left out. */
export async function repairDamage(
  batch: Batch,
  then: PinnedView,
  now: PinnedView,
  sent: readonly SentRow[],
  atWrite: AtWrite | undefined,
): Promise<Map<number, readonly Displaced[]>> {
  const damages = sent.flatMap((each) => findDamage(batch.snapshot, then, now, each, atWrite));
  const pins = [...new Set(damages.map(({ pin }) => pin))];
  const restored = new Set<Damage>();
  let view = now;
  for (let attempt = 1; attempt <= repairsMax && damages.length > 0; attempt += 1) {
    const due = damages.filter((damage) => canPutRight(damage) && isStillThere(view, damage));
    if (due.length === 0) break;
    const before = view;
    const plans = await restore(batch, before, due);
    const after = await lookAgain(batch, pins);
    if (!after) break;
    view = after;
    for (const damage of due) if (isBack(view, damage)) restored.add(damage);
    // Columns that moved in this moment too: what was put back may itself have gone astray.
    damages.push(...plans.flatMap((plan) => strayed(before, after, plan)));
  }
  const displaced = Map.groupBy(damages, ({ pin }) => pin);
  return new Map(
    [...displaced].map(([pin, cells]) => [
      pin,
      cells.map((damage) => ({
        cell: damage.cell,
        written: damage.written,
        before: damage.before?.value,
        isRestored: restored.has(damage),
      })),
    ]),
  );
}

/** Undefined when that fails too: what could be put back has been, and the rest is told as it stands. */
async function lookAgain({ context, options }: Batch, pins: readonly number[]): Promise<PinnedView | undefined> {
  try {
    return await readThroughPins(context, pins, options);
  } catch (error) {
    if (!(error instanceof SheetsError)) throw error;
    return undefined;
  }
}

/** Returns what was sent. A lost answer or a refusal is seen by looking again. */
async function restore({ context, headerPin, options }: Batch, view: PinnedView, due: readonly Damage[]) {
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

function strayed(then: PinnedView, now: PinnedView, plan: PinnedPlan): Damage[] {
  const [row, rowNow] = [then.rowByPin.get(plan.pin), now.rowByPin.get(plan.pin)];
  if (!row || !rowNow || !haveColumnsMoved(then, now)) return [];
  return damageInRow(then, now, { ...plan, row }, rowNow, undefined);
}

function restorePlans(view: PinnedView, due: readonly Damage[]): PinnedPlan[] {
  return [...Map.groupBy(due, ({ pin }) => pin)].map(([pin, damages]) => ({
    pin,
    cells: new Map(damages.map((damage) => [indexNowOf(view, damage), inputOf(damage.before)])),
  }));
}

function inputOf(before: Before | undefined): CellInput {
  const value = before?.formula ?? before?.value ?? '';
  return typeof value === 'object' ? '' : value;
}

function isStillThere(view: PinnedView, damage: Damage): boolean {
  return isWritten(view.rowByPin.get(damage.pin)?.cells[indexNowOf(view, damage)], damage.written);
}

/** What was hit is there again. Google may word a formula a little differently: there it is enough that ours is gone. */
function isBack(view: PinnedView, damage: Damage): boolean {
  const { before, pin } = damage;
  if (before === undefined) return false;
  if (before.formula !== undefined) return !isStillThere(view, damage);
  return isSameValue(cellValue(view.rowByPin.get(pin)?.cells[indexNowOf(view, damage)]), before.value);
}

/** Not when it is unknown which cell was hit, nor when a cell was cleared and what it held is unknown: that is only told. */
function canPutRight({ columnIndex, before, written }: Damage): boolean {
  return columnIndex !== -1 && (before !== undefined || written !== '');
}

/** By its mark; a column without one is any unmarked column that shows the value. */
function indexNowOf(view: PinnedView, { pin, mark, columnIndex, written }: Damage): number {
  if (mark !== undefined) return view.columnByMark.get(mark) ?? -1;
  const marked = new Set(view.columnByMark.values());
  const cells = view.rowByPin.get(pin)?.cells ?? [];
  const isIt = (index: number) => !marked.has(index) && isWritten(cells[index], written);
  return isIt(columnIndex) ? columnIndex : cells.findIndex((_, index) => isIt(index));
}
