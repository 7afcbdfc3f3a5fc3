// Values as answered, turned into rows. The one loop that runs over every cell of a table: plain on purpose.
import { idKey } from './context.ts';
import type { LocatedColumn } from './header.ts';
import { cellText } from './grid.ts';
import type { CellValue, ColumnKey, Row } from './port.ts';
import { isOpenText, type OpenCell } from './shown.ts';
import type { ValueBlock } from './values.ts';

const noFormulas: readonly ColumnKey[] = [];

/** What the formula cells of a row say, for putting one back that was hit. Kept beside the rows: only few have any. */
const formulaTextsByRow = new WeakMap<Row, ReadonlyMap<ColumnKey, string>>();

export function formulaTextOf(row: Row, key: ColumnKey): string | undefined {
  return formulaTextsByRow.get(row)?.get(key);
}

interface ColumnSource {
  readonly key: ColumnKey;
  readonly columnIndex: number;
  readonly startRow: number;
  readonly values: readonly unknown[];
}

/** A row as long as some of its cells are open. */
interface DraftRow {
  readonly number: number;
  id: string;
  readonly cells: Record<ColumnKey, CellValue>;
  formulas: readonly ColumnKey[];
}

/**
 * Appends to `rows` those rows of the blocks that are not blank, and to `open` the cells that are still to be settled. The
 * blocks must begin at the same row.
 */
export function appendRows(
  rows: Row[],
  open: OpenCell[],
  blocks: readonly ValueBlock[],
  located: readonly LocatedColumn[],
): void {
  const sources = located.flatMap((column) => findSource(blocks, column) ?? []);
  const idSource = sources.find(({ key }) => key === idKey);
  const cellSources = sources.filter(({ key }) => key !== idKey);
  const startRow = blocks[0]?.startRow ?? 0;
  // Every row gets its cells from one shape: filled in one by one, an object is reallocated as it grows.
  const blankCells: Readonly<Record<ColumnKey, CellValue>> = Object.fromEntries(
    cellSources.map(({ key }) => [key, null]),
  );
  const rowCount = Math.max(0, ...sources.map(({ values }) => values.length));
  for (let index = 0; index < rowCount; index += 1) {
    const rawId = idSource === undefined ? null : toValue(idSource.values[index]);
    const id = cellText(rawId);
    const cells: Record<ColumnKey, CellValue> = { ...blankCells };
    let openSources: ColumnSource[] | undefined;
    let isBlank = id === '';
    for (const source of cellSources) {
      const value = toValue(source.values[index]);
      if (value === null) continue;
      cells[source.key] = value;
      isBlank = false;
      if (typeof value === 'string' && isOpenText(value)) (openSources ??= []).push(source);
    }
    if (isBlank) continue;
    if (typeof rawId === 'string' && isOpenText(rawId)) (openSources ??= []).push(idSource!);
    const row: DraftRow = { number: startRow + index + 1, id, cells, formulas: noFormulas };
    rows.push(row);
    if (openSources) {
      for (const source of openSources) {
        const text = source.key === idKey ? rawId : cells[source.key];
        if (typeof text === 'string') open.push(openCell(row, text, source));
      }
    }
  }
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

function openCell(row: DraftRow, text: string, { key, columnIndex }: ColumnSource): OpenCell {
  return {
    rowIndex: row.number - 1,
    columnIndex,
    text,
    idText: row.id,
    settle(value, formula) {
      if (key === idKey) row.id = cellText(value);
      else row.cells[key] = value;
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
  const { values, startRow } = source;
  return values.flatMap((answered, index) => {
    const value = toValue(answered);
    return value === null ? [] : `${startRow + index} ${JSON.stringify(value)}`;
  });
}

/** The block that the column lies in: of those that begin at or before it, the one that begins last. */
function findSource(
  blocks: readonly ValueBlock[],
  { key, columnIndex }: Pick<LocatedColumn, 'key' | 'columnIndex'>,
): ColumnSource | undefined {
  const before = blocks.filter(({ startColumn }) => startColumn <= columnIndex);
  const block = before.toSorted((a, b) => b.startColumn - a.startColumn)[0];
  if (!block) return undefined;
  const { startRow, startColumn, columns } = block;
  return { key, columnIndex, startRow, values: columns[columnIndex - startColumn] ?? [] };
}
