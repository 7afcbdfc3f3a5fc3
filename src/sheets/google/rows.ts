// Turns answered values into rows. A plain loop, because it runs over every row of a table.
import { idKey } from './context.ts';
import type { LocatedColumn } from './header.ts';
import { cellText } from './grid.ts';
import { notFound, type PackedCell, PackedRow, rowLayout, type RowLayout } from './packed-row.ts';
import type { CellValue, ColumnKey, ColumnSpec, Row } from '../port.ts';
import { type RowCursor, TextBuffer, toValue } from './row-cursor.ts';
import { type Expansions, mayExpand } from './expansion.ts';
import { isOpenText, type OpenCell, type SettledCell } from './open-cells.ts';
import type { ValueBlock } from './values.ts';

/** The formulas of a row, for restoring an overwritten one. Kept beside the rows: few rows have any. */
const formulaTextsByRow = new WeakMap<Row, ReadonlyMap<ColumnKey, string>>();

export function formulaTextOf(row: Row, key: ColumnKey): string | undefined {
  return formulaTextsByRow.get(row)?.get(key);
}

/** The own values of the cells of a row that have what they show instead. Kept beside the rows: few rows have any. */
const ownValuesByRow = new WeakMap<Row, Readonly<Record<ColumnKey, CellValue>>>();

/** The cells of a row with their own values, as Google compares and writes them, where `Row.cells` has what they show. */
export function heldValues(row: Row): Row['cells'] {
  const values = ownValuesByRow.get(row);
  return values === undefined ? row.cells : { ...row.cells, ...values };
}

/** The place of the cells of a column in the answer. */
interface ColumnSource {
  readonly key: ColumnKey;
  /** A number in it counts as what it shows. */
  readonly isText: boolean;
  readonly columnIndex: number;
  /** The index of the block among the answered ones. */
  readonly block: number;
  /** The index of the cell in each of its rows. */
  readonly place: number;
}

/** The text that a caller holds for the row with this id; undefined: it holds none. */
export type KnownText = (id: string) => string | undefined;

/**
 * Appends to `rows` the rows of the blocks that are not blank, and to `open` the cells that are still open. The blocks
 * must begin at the same row.
 */
export function appendRows(
  rows: Row[],
  open: OpenCell[],
  blocks: readonly ValueBlock[],
  located: readonly LocatedColumn[],
  columns: readonly ColumnSpec[],
  known: KnownText | undefined,
  expansions: Expansions,
): void {
  const first = rows.length;
  const layout = rowLayout(columns);
  const textKeys = new Set(columns.flatMap(({ key, format }) => (format === 'text' ? [key] : [])));
  const sourceOf = (key: ColumnKey) => {
    const column = located.find((each) => each.key === key);
    return column && findSource(blocks, column, textKeys.has(key));
  };
  const idSource = sourceOf(idKey);
  const ownSources = layout.own.map(sourceOf);
  const packedSources = layout.packed.map(sourceOf);
  const packedGroups = toAdjacentSources(packedSources);
  // The ID last: it identifies a row while the row is settled.
  const sources = [...packedSources, ...ownSources, idSource].filter((source) => source !== undefined);
  const cursors = blocks.map(({ cursor }) => cursor());
  const text = new TextBuffer();
  let number = blocks[0]?.startRow ?? 0;
  const sole = cursors.length === 1 && ownSources.length === 0 ? cursors[0] : undefined;
  const textPlaces = layout.packed.flatMap((key, place) => (textKeys.has(key) ? [place] : []));
  const toKnown = sole && known && idSource && knownRows(idSource, packedGroups, known, textPlaces);
  let same: KnownRow | undefined;
  const isSame = (answered: string) => (same = toKnown!(answered)) !== undefined;
  for (;;) {
    if (toKnown && sole.nextIf(isSame)) {
      number += 1;
      rows.push(new PackedRow(number, same!.id, layout, same!.text, noCells, same!.text));
      continue;
    }
    if (!toNext(cursors)) break;
    number += 1;
    const id = cellText(idSource ? valueOf(cursors, idSource) : null);
    if (id === '' && sources.every(({ block, place }) => cursors[block]!.isBlank(place))) continue;
    const packed = packedText(cursors, packedGroups, text);
    const own = ownSources.length === 0 ? noCells : ownSources.map((source) => cellOf(cursors, source));
    const held = known?.(id);
    const row = new PackedRow(number, id, layout, packed, own, held);
    rows.push(row);
    if (held !== undefined && packed !== held) {
      const holds = JSON.parse(held) as PackedCell[];
      for (const [place, source] of packedSources.entries()) {
        if (source && holds[place] !== null && cursors[source.block]!.isBlank(source.place)) {
          const value = holds[place] as CellValue;
          open.push({ ...openCell(row, null, source, expansions, () => value), isEmptied: true });
        }
      }
    }
    if (!cursors.some(({ mayBeOpen, hasNumber }) => mayBeOpen || hasNumber)) continue;
    for (const source of sources) {
      const value = valueOf(cursors, source);
      if (isOpen(value, source)) open.push(openCell(row, value, source, expansions));
      if (typeof value === 'string' && mayExpand(value)) {
        expansions.addFormula({ rowIndex: row.number - 1, columnIndex: source.columnIndex });
      }
    }
  }
  if (!expansions.hasFormulas) return;
  for (const row of rows.slice(first) as PackedRow[]) {
    const { cells } = row;
    for (const source of packedSources) {
      if (!source || !expansions.mayReach(row.number - 1, source.columnIndex)) continue;
      const value = cells[source.key] ?? null;
      if (typeof value === 'object' && value !== null) continue;
      if (!isOpen(value, source))
        open.push(openCell(row, value, source, expansions, () => heldAt(known, row.id, layout, source)));
    }
  }
  open.sort((a, b) => a.rowIndex - b.rowIndex);
}

/** The value that the caller had for this cell in its last reading; null: none, or the row was not in it. */
function heldAt(known: KnownText | undefined, id: string, { packed }: RowLayout, { key }: ColumnSource): CellValue {
  const text = known?.(id);
  const held = text === undefined ? null : (JSON.parse(text) as PackedCell[])[packed.indexOf(key)];
  return held === undefined || held === notFound ? null : (held as CellValue);
}

function isOpen(value: CellValue, { isText }: ColumnSource): value is string | number {
  return typeof value === 'string' ? isOpenText(value) : isText && typeof value === 'number';
}

const noCells: readonly PackedCell[] = [];

interface KnownRow {
  readonly id: string;
  /** As the caller holds it. */
  readonly text: string;
}

/** A cell that may be open, or a column that was not found. A quote within a text may look so, too: that costs time alone. */
const mayNeedCells = /"(?:[=#']|Loading\.\.\.")|\{/;
/** A number, or within a text what looks like one. */
const mayHoldNumber = /[[,]-?\d/;

/**
 * Finds the row of the caller whose text, with its ID, is exactly what was answered. Most rows are unchanged, and a comparison
 * takes a fraction of the time in which their cells are found byte by byte. Undefined: the answer may have the columns in
 * another order, or others between them. `id` beside the packed columns, before or behind them; `textPlaces`: those among
 * these that are columns of text.
 */
function knownRows(
  id: ColumnSource,
  groups: readonly AdjacentSources[],
  known: KnownText,
  textPlaces: readonly number[],
): ((answered: string) => KnownRow | undefined) | undefined {
  const [group] = groups;
  if (group === undefined || groups.length > 1 || group.block !== id.block) return undefined;
  const isFirst = id.place === 0 && group.place === 1;
  const isLast = group.place === 0 && id.place === group.count;
  if (!isFirst && !isLast) return undefined;
  const idOf = isFirst
    ? (answered: string) => answered.slice(2, answered.indexOf('"', 2))
    : (answered: string) => answered.slice(answered.lastIndexOf('"', answered.length - 3) + 1, -2);
  return (answered) => {
    const found = idOf(answered);
    const text = isPlainId(found) ? known(found) : undefined;
    if (text === undefined || answered !== answeredText(found, text, isFirst)) return undefined;
    if (mayNeedCells.test(text) || (mayHoldNumber.test(text) && hasNumberAt(text, textPlaces))) return undefined;
    return { id: found, text };
  };
}

function hasNumberAt(text: string, places: readonly number[]): boolean {
  const cells = JSON.parse(text) as CellValue[];
  return places.some((place) => typeof cells[place] === 'number');
}

/** As JSON it is itself between quotes, and it is no open cell. */
function isPlainId(id: string): boolean {
  return id !== '' && !id.includes('\\') && !isOpenText(id);
}

/** As Google answers a row that has these cells: blank ones are `""`, or missing at the end. */
function answeredText(id: string, text: string, isFirst: boolean): string {
  if (!text.includes('null')) return isFirst ? `["${id}",${text.slice(1)}` : `${text.slice(0, -1)},"${id}"]`;
  const cells = (JSON.parse(text) as CellValue[]).map((cell) => cell ?? '');
  if (!isFirst) return JSON.stringify([...cells, id]);
  return JSON.stringify([id, ...cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1)]);
}

/** Columns that stand in the answer in the kept order; without a block: the column was not found. */
interface AdjacentSources {
  readonly block: number | undefined;
  readonly place: number;
  readonly count: number;
}

function toAdjacentSources(sources: readonly (ColumnSource | undefined)[]): readonly AdjacentSources[] {
  const groups: AdjacentSources[] = [];
  for (const source of sources) {
    const last = groups.at(-1);
    const isNext =
      last?.block !== undefined && last.block === source?.block && last.place + last.count === source.place;
    if (isNext) groups[groups.length - 1] = { ...last, count: last.count + 1 };
    else groups.push({ block: source?.block, place: source?.place ?? 0, count: 1 });
  }
  return groups;
}

function packedText(cursors: readonly RowCursor[], groups: readonly AdjacentSources[], text: TextBuffer): string {
  text.clear();
  text.add('[');
  for (let index = 0; index < groups.length; index += 1) {
    const { block, place, count } = groups[index]!;
    if (index > 0) text.add(',');
    if (block === undefined) text.add(notFoundText);
    else cursors[block]!.copy(place, count, text);
  }
  text.add(']');
  return text.toString();
}

const notFoundText = JSON.stringify(notFound);

/** The rows of several blocks side by side, up to the end of the longest. */
function toNext(cursors: readonly RowCursor[]): boolean {
  let isOver = true;
  for (const cursor of cursors) if (cursor.next()) isOver = false;
  return !isOver;
}

function cellOf(cursors: readonly RowCursor[], source: ColumnSource | undefined): PackedCell {
  return source ? valueOf(cursors, source) : notFound;
}

function valueOf(cursors: readonly RowCursor[], { block, place }: ColumnSource): CellValue {
  return cursors[block]!.valueAt(place);
}

/** What a cell shows that merged cells cover: another value, or none, and not that somebody emptied it (V3). */
const covered: CellValue = {
  error: 'nothing, since merged cells cover it: unmerge them, and it gets its value back',
  isCovered: true,
};

function openCell(
  row: PackedRow,
  answered: OpenCell['answered'],
  { key, columnIndex, isText }: ColumnSource,
  expansions: Expansions,
  held: () => CellValue = () => null,
): OpenCell {
  const place = { rowIndex: row.number - 1, columnIndex };
  const setUnknown = (error: string) => {
    row.correct(key, { error });
    ownValuesByRow.set(row, { ...ownValuesByRow.get(row), [key]: null });
  };
  const setComputed = () => {
    row.formulas = [...new Set([...row.formulas, key])];
  };
  return {
    rowIndex: row.number - 1,
    columnIndex,
    answered,
    idText: row.id,
    settle({ value, text, formula, isCovered, isExpanded, hasEntered }: SettledCell) {
      const shown = isCovered ? covered : isText && text !== undefined ? text : value;
      if (key === idKey) row.id = cellText(value);
      else if (shown !== answered) row.correct(key, shown);
      if (shown !== value) ownValuesByRow.set(row, { ...ownValuesByRow.get(row), [key]: value });
      if (!hasEntered && !isCovered)
        expansions.addReached({ ...place, key, isExpanded, held, setComputed, setUnknown });
      if (formula === undefined) return;
      if (typeof value === 'object' && value !== null && mayExpand(formula)) expansions.addBroken(place, value.error);
      const formulas = new Map(formulaTextsByRow.get(row)).set(key, formula);
      formulaTextsByRow.set(row, formulas);
      row.formulas = [...new Set([...row.formulas, ...formulas.keys()])];
    },
  };
}

/** A column's cells that are not blank, from the answer, each with its row. */
export function columnLines(blocks: readonly ValueBlock[], columnIndex: number): string[] {
  const source = findSource(blocks, { key: '', columnIndex }, false);
  if (!source) return [];
  const { startRow, rows } = blocks[source.block]!;
  const lines: string[] = [];
  let number = startRow;
  for (const row of rows) {
    const value = toValue(row[source.place]);
    if (value !== null) lines.push(`${number} ${JSON.stringify(value)}`);
    number += 1;
  }
  return lines;
}

/** The block of a column: of those that begin at or before it, the one that begins last. */
function findSource(
  blocks: readonly ValueBlock[],
  { key, columnIndex }: Pick<LocatedColumn, 'key' | 'columnIndex'>,
  isText: boolean,
): ColumnSource | undefined {
  const before = blocks.filter(({ startColumn }) => startColumn <= columnIndex);
  const block = before.toSorted((a, b) => b.startColumn - a.startColumn)[0];
  return block && { key, isText, columnIndex, block: blocks.indexOf(block), place: columnIndex - block.startColumn };
}
