// Blocks of cells as answered, turned into rows. The one loop that runs over every cell of a table: plain on purpose.
import { idKey } from './context.ts';
import { type Block, type CellData, cellText, cellValue, formulaText } from './grid.ts';
import type { LocatedColumn } from './header.ts';
import type { CellValue, ColumnKey, Row } from './port.ts';

const noFormulas: readonly ColumnKey[] = [];

/** What the formula cells of a row say, for putting one back that was hit. Kept beside the rows: only few have any. */
const formulaTextsByRow = new WeakMap<Row, ReadonlyMap<ColumnKey, string>>();

export function formulaTextOf(row: Row, key: ColumnKey): string | undefined {
  return formulaTextsByRow.get(row)?.get(key);
}

interface ColumnSource {
  readonly key: ColumnKey;
  readonly rowData: NonNullable<Block['rowData']>;
  readonly offset: number;
}

/** Appends to `rows` those rows of the blocks that are not blank. The blocks must begin at the same row. */
export function appendRows(rows: Row[], blocks: readonly Block[], located: readonly LocatedColumn[]): void {
  const sources = located.flatMap((column) => findSource(blocks, column) ?? []);
  const idSource = sources.find(({ key }) => key === idKey);
  const cellSources = sources.filter(({ key }) => key !== idKey);
  const startRow = blocks[0]?.startRow ?? 0;
  // Every row gets its cells from one shape: filled in one by one, an object is reallocated as it grows.
  const blankCells = Object.fromEntries(cellSources.map(({ key }) => [key, null]));
  const rowCount = Math.max(0, ...sources.map(({ rowData }) => rowData.length));
  for (let index = 0; index < rowCount; index += 1) {
    const idCell = idSource && cellOf(idSource, index);
    const id = idCell === undefined ? '' : cellText(cellValue(idCell));
    const cells: Record<ColumnKey, CellValue> = { ...blankCells };
    let formulas: Map<ColumnKey, string> | undefined;
    let isBlank = id === '';
    for (const source of cellSources) {
      const cell = cellOf(source, index);
      const value = cell === undefined ? null : cellValue(cell);
      if (value !== null) {
        cells[source.key] = value;
        isBlank = false;
      }
      const formula = formulaText(cell);
      if (formula !== undefined) (formulas ??= new Map()).set(source.key, formula);
    }
    const idFormula = formulaText(idCell);
    if (idFormula !== undefined) (formulas ??= new Map()).set(idKey, idFormula);
    if (isBlank && formulas === undefined) continue;
    const row = { number: startRow + index + 1, id, cells, formulas: formulas ? [...formulas.keys()] : noFormulas };
    if (formulas) formulaTextsByRow.set(row, formulas);
    rows.push(row);
  }
}

function cellOf({ rowData, offset }: ColumnSource, index: number): CellData | undefined {
  return rowData[index]?.values?.[offset];
}

/** The block that the column lies in: of those that begin at or before it, the one that begins last. */
function findSource(blocks: readonly Block[], { key, columnIndex }: LocatedColumn): ColumnSource | undefined {
  const before = blocks.filter(({ startColumn }) => (startColumn ?? 0) <= columnIndex);
  const block = before.toSorted((a, b) => (b.startColumn ?? 0) - (a.startColumn ?? 0))[0];
  return block && { key, rowData: block.rowData ?? [], offset: columnIndex - (block.startColumn ?? 0) };
}
