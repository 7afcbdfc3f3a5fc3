// When people move columns, or cells of a pinned row, in the moment between verify and write, values land where they do
// not belong. The write's answer shows it; here it is found out what was hit, and put back where that is certain.
//
// A cell counts as hit when it now holds exactly a value that was sent to another cell of its row and held something
// else when the row was verified. What it held is known from that verification (or, when a whole other row was put in
// the place, from the snapshot). A cell that a person has changed since is left alone.
import { type CallOptions, idKey, type TableContext } from './context.ts';
import { cellAddress, type CellData, cellText, cellValue, formulaText, isSameValue } from './grid.ts';
import { type PinnedRow, type PinnedView, readThroughPins } from './pinned-view.ts';
import { type PinnedPlan, writeThroughPins } from './pinned-write.ts';
import type { CellInput, CellValue, ColumnKey, Displaced, Row, RowChange, Snapshot } from './port.ts';
import { SheetsError } from './errors.ts';

/** A change to one row. */
export interface Sendable {
  readonly change: RowChange;
  /** All cells to set, the ID cell among them. */
  readonly set: Readonly<Record<ColumnKey, CellInput>>;
}

/** What was sent to a pinned row, and the row as verified before. */
export interface SentRow extends PinnedPlan {
  readonly row: PinnedRow;
  readonly item: Sendable;
}

interface Damage {
  readonly pin: number;
  /** A mark of the column; undefined for a column that was inserted meanwhile and is found by `columnIndex`. */
  readonly mark: number | undefined;
  readonly columnIndex: number;
  readonly cell: string;
  readonly written: CellInput;
  readonly before: Before | undefined;
}

/** A formula is put back as its text. */
interface Before {
  readonly value: CellValue;
  readonly formula?: string | undefined;
}

/** Physical column by mark at the moment of writing, as far as the write's answer tells. */
type PlaceByMark = ReadonlyMap<number, number>;

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
  atWrite: PlaceByMark | undefined,
): Promise<Map<number, readonly Displaced[]>> {
  const damages = sent.flatMap((each) => findDamage(batch.snapshot, then, now, each, atWrite));
  const pins = [...new Set(damages.map(({ pin }) => pin))];
  const restored = new Set<Damage>();
  let view = now;
  try {
    for (let attempt = 1; attempt <= repairsMax && damages.length > 0; attempt += 1) {
      const due = damages.filter((damage) => damage.before && isStillThere(view, damage));
      if (due.length > 0) await restore(batch, view, due);
      const after = await readThroughPins(batch.context, pins, batch.options);
      for (const damage of due) if (!isStillThere(after, damage)) restored.add(damage);
      view = after;
      if (due.every((damage) => restored.has(damage))) break;
    }
  } catch (error) {
    // What could be put back has been; the rest is reported as it stands.
    if (!(error instanceof SheetsError)) throw error;
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

export function findDamage(
  snapshot: Snapshot,
  then: PinnedView,
  now: PinnedView,
  sent: SentRow,
  atWrite: PlaceByMark | undefined,
): Damage[] {
  const row = now.rowByPin.get(sent.pin);
  if (!row) return [];
  const indexNow = new Map(now.header.located.map(({ key, columnIndex }) => [key, columnIndex]));
  const valueNow = (columnIndex: number) => cellValue(row.cells[indexOfSame(then, now, columnIndex) ?? -1]);
  return isSameRow(then, sent, valueNow)
    ? damageInRow(then, now, sent, row, atWrite)
    : damageToOtherRow(snapshot, indexNow, sent, row);
}

/** The row is the right one; a value may sit in a column it was not meant for. */
function damageInRow(
  then: PinnedView,
  now: PinnedView,
  { pin, row, cells }: SentRow,
  rowNow: PinnedRow,
  atWrite: PlaceByMark | undefined,
): Damage[] {
  const markByIndex = new Map([...now.columnByMark].map(([mark, index]) => [index, mark]));
  const sentValues = [...cells.values()];
  return rowNow.cells.flatMap((cell, columnIndex): Damage[] => {
    const mark = markByIndex.get(columnIndex);
    const indexThen = mark === undefined ? undefined : then.columnByMark.get(mark);
    if (indexThen !== undefined && cells.has(indexThen)) return [];
    const before = indexThen === undefined ? undefined : row.cells[indexThen];
    const indexAtWrite = mark === undefined ? undefined : atWrite?.get(mark);
    const candidates = indexAtWrite === undefined ? sentValues : [cells.get(indexAtWrite)];
    const written = candidates.find((value) => value !== undefined && isWritten(cell, value));
    if (written === undefined || isSameCell(before, cell)) return [];
    const address = cellAddress(rowNow.rowIndex, columnIndex);
    return [{ pin, mark, columnIndex, cell: address, written, before: cellBefore(before) }];
  });
}

/** Cells were cut from the row, or another row put in its place: what was written now stands in somebody else's row. */
function damageToOtherRow(
  snapshot: Snapshot,
  indexNow: ReadonlyMap<ColumnKey, number>,
  { pin, item }: SentRow,
  rowNow: PinnedRow,
): Damage[] {
  const valueOf = (key: ColumnKey) => cellValue(rowNow.cells[indexNow.get(key) ?? -1]);
  const id = item.set[idKey] === undefined ? cellText(valueOf(idKey)) : '';
  const owner = id === '' ? undefined : snapshot.rows.find((row) => row.id === id);
  return Object.entries(item.set).flatMap(([key, written]): Damage[] => {
    const columnIndex = indexNow.get(key);
    const cell = columnIndex === undefined ? undefined : rowNow.cells[columnIndex];
    if (columnIndex === undefined || !isWritten(cell, written)) return [];
    const before: Before | undefined = owner ? ownerBefore(owner, key) : id === '' ? { value: null } : undefined;
    if (before && isSameValue(before.value, cellValue(cell))) return [];
    const address = cellAddress(rowNow.rowIndex, columnIndex);
    return [{ pin, mark: undefined, columnIndex, cell: address, written, before }];
  });
}

function ownerBefore(owner: Row, key: ColumnKey): Before | undefined {
  const value = owner.cells[key];
  return value === undefined || owner.formulas.includes(key) ? undefined : { value };
}

async function restore(
  { context, headerPin, options }: Batch,
  view: PinnedView,
  due: readonly Damage[],
): Promise<void> {
  const constants = due.filter(({ before }) => before?.formula === undefined);
  const formulas = due.filter(({ before }) => before?.formula !== undefined);
  if (constants.length > 0) {
    await writeThroughPins(context, view, headerPin, restorePlans(view, constants), options, 'RAW');
  }
  if (formulas.length > 0) {
    await writeThroughPins(context, view, headerPin, restorePlans(view, formulas), options, 'USER_ENTERED');
  }
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

function indexNowOf(view: PinnedView, { mark, columnIndex }: Damage): number {
  return mark === undefined ? columnIndex : (view.columnByMark.get(mark) ?? -1);
}

/**
 * Whether the row a value was written to is the row it was meant for: by its id; or, when the id itself was written, by
 * any of the cells that were not.
 */
export function isSameRow(
  then: PinnedView,
  { row, item, cells }: SentRow,
  valueNow: (columnIndexThen: number) => CellValue,
): boolean {
  if (item.set[idKey] === undefined) {
    const idColumn = then.header.located.find(({ key }) => key === idKey);
    return idColumn === undefined || cellText(valueNow(idColumn.columnIndex)) === item.change.row.id;
  }
  const others = then.header.located.filter(({ columnIndex }) => !cells.has(columnIndex));
  const shown = others.filter(({ columnIndex }) => cellValue(row.cells[columnIndex]) !== null);
  return (
    shown.length === 0 ||
    shown.some(({ columnIndex }) => isSameValue(valueNow(columnIndex), cellValue(row.cells[columnIndex])))
  );
}

/** Columns, as of `then`, in which the row shows a value that was sent and was not there before. */
export function shownColumns(then: PinnedView, now: PinnedView, { cells, row }: SentRow, rowNow: PinnedRow): number[] {
  return [...cells].flatMap(([columnIndex, value]) => {
    const isNews = !isWritten(row.cells[columnIndex], value);
    const index = indexOfSame(then, now, columnIndex);
    const isShown = index !== undefined && isWritten(rowNow.cells[index], value);
    return isNews && isShown ? [columnIndex] : [];
  });
}

/** Where a column of one view is in another, by its mark; unmarked columns are taken to stay. */
function indexOfSame(then: PinnedView, now: PinnedView, columnIndex: number): number | undefined {
  const mark = [...then.columnByMark].find(([, index]) => index === columnIndex)?.[0];
  return mark === undefined ? columnIndex : now.columnByMark.get(mark);
}

function cellBefore(cell: CellData | undefined): Before {
  return { value: cellValue(cell), formula: formulaText(cell) };
}

function isSameCell(a: CellData | undefined, b: CellData | undefined): boolean {
  return formulaText(a) === formulaText(b) && isSameValue(cellValue(a), cellValue(b));
}

function isWritten(cell: CellData | undefined, value: CellInput): boolean {
  return formulaText(cell) === undefined && isSameValue(cellValue(cell), sentValue(value));
}

export function sentValue(value: CellInput): CellValue {
  return value === '' ? null : value;
}
