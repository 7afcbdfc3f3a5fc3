// Values as answered, turned into rows. The one loop that runs over every cell of a table: plain on purpose.
import { idKey } from './context.ts';
import type { LocatedColumn } from './header.ts';
import { cellText } from './grid.ts';
import { notFound, type PackedCell, PackedRow, rowLayout } from './packed-row.ts';
import type { CellValue, ColumnKey, ColumnSpec, Row } from './port.ts';
import { isOpenText, type OpenCell } from './shown.ts';
import type { ValueBlock } from './values.ts';

/** What the formula cells of a row say, for putting one back that was hit. Kept beside the rows: only few have any. */
const formulaTextsByRow = new WeakMap<Row, ReadonlyMap<ColumnKey, string>>();

export function formulaTextOf(row: Row, key: ColumnKey): string | undefined {
  return formulaTextsByRow.get(row)?.get(key);
}

/** Where the cells of a column stand in the answer. */
interface ColumnSource {
  readonly key: ColumnKey;
  readonly columnIndex: number;
  /** Of the block, among those that were answered. */
  readonly block: number;
  /** Of the cell, in each of its rows. */
  readonly place: number;
}

/** The text that a caller holds of the row with this id; undefined if it holds none. */
export type KnownText = (id: string) => string | undefined;

/**
 * Appends to `rows` those rows of the blocks that are not blank, and to `open` the cells that are still to be settled. The
 * blocks must begin at the same row.
 */
export function appendRows(
  rows: Row[],
  open: OpenCell[],
  blocks: readonly ValueBlock[],
  located: readonly LocatedColumn[],
  columns: readonly ColumnSpec[],
  known: KnownText | undefined,
): void {
  const layout = rowLayout(columns);
  const sourceOf = (key: ColumnKey) => {
    const column = located.find((each) => each.key === key);
    return column && findSource(blocks, column);
  };
  const idSource = sourceOf(idKey);
  const packedSources = layout.packed.map(sourceOf);
  const ownSources = layout.own.map(sourceOf);
  let number = blocks[0]?.startRow ?? 0;
  for (const parts of together(blocks)) {
    number += 1;
    const rawId = idSource ? valueOf(parts, idSource) : null;
    const id = cellText(rawId);
    let isBlank = id === '';
    let openSources: ColumnSource[] | undefined;
    const packed = cellsOf(packedSources);
    const own = cellsOf(ownSources);
    if (isBlank) continue;
    if (typeof rawId === 'string' && isOpenText(rawId)) (openSources ??= []).push(idSource!);
    const row = new PackedRow(number, id, layout, packed, own, known?.(id));
    rows.push(row);
    for (const source of openSources ?? []) {
      const opened = valueOf(parts, source);
      if (typeof opened === 'string') open.push(openCell(row, opened, source));
    }

    function cellsOf(sources: readonly (ColumnSource | undefined)[]): PackedCell[] {
      const cells: PackedCell[] = [];
      for (const source of sources) {
        const value = source ? valueOf(parts, source) : notFound;
        cells.push(value);
        if (value === null || source === undefined) continue;
        isBlank = false;
        if (typeof value === 'string' && isOpenText(value)) (openSources ??= []).push(source);
      }
      return cells;
    }
  }
}

/** The rows of several blocks side by side, as far as the longest goes. The same array each time, filled anew. */
function* together(blocks: readonly ValueBlock[]): Generator<readonly (readonly unknown[])[], void> {
  const iterators = blocks.map(({ rows }) => rows[Symbol.iterator]());
  const parts: (readonly unknown[])[] = [];
  for (;;) {
    let isOver = true;
    // A plain loop: it runs for every row of a sheet.
    for (let index = 0; index < iterators.length; index += 1) {
      const { done, value } = iterators[index]!.next();
      parts[index] = done ? [] : value;
      if (!done) isOver = false;
    }
    if (isOver) return;
    yield parts;
  }
}

function valueOf(parts: readonly (readonly unknown[])[], { block, place }: ColumnSource): CellValue {
  return toValue(parts[block]![place]);
}

function toValue(answered: unknown): CellValue {
  switch (typeof answered) {
    case 'string':
      return answered === '' ? null : answered;
    case 'number':
    case 'boolean':
      return answered;
    default:
      return null;
  }
}

function openCell(row: PackedRow, text: string, { key, columnIndex }: ColumnSource): OpenCell {
  return {
    rowIndex: row.number - 1,
    columnIndex,
    text,
    idText: row.id,
    settle(value, formula) {
      if (key === idKey) row.id = cellText(value);
      else row.correct(key, value);
      if (formula === undefined) return;
      const formulas = new Map(formulaTextsByRow.get(row)).set(key, formula);
      formulaTextsByRow.set(row, formulas);
      row.formulas = [...formulas.keys()];
    },
  };
}

/** A column's cells that are not blank, as they were answered, each with its row. */
export function columnLines(blocks: readonly ValueBlock[], columnIndex: number): string[] {
  const source = findSource(blocks, { key: '', columnIndex });
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

/** The block that the column lies in: of those that begin at or before it, the one that begins last. */
function findSource(
  blocks: readonly ValueBlock[],
  { key, columnIndex }: Pick<LocatedColumn, 'key' | 'columnIndex'>,
): ColumnSource | undefined {
  const before = blocks.filter(({ startColumn }) => startColumn <= columnIndex);
  const block = before.toSorted((a, b) => b.startColumn - a.startColumn)[0];
  return block && { key, columnIndex, block: blocks.indexOf(block), place: columnIndex - block.startColumn };
}
