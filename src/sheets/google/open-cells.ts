// What FORMULA rendering leaves open: a text that begins with `=` is a formula or just text, one that begins with `#` an
// error or just text, and some texts carry an apostrophe that only says "this is text". For such cells, and only if there
// are any, a second call reads what they show and whether a formula makes it, with the id of their row.
//
// The two calls are two instants. Taken together they count as one when the second finds in each of these cells, beside
// the id and under the header that the first saw, what the first saw there. A formula that Google spells differently in the
// two is let pass when the first call, made anew, answers the same bytes. Otherwise the read starts over.
import type { sheets_v4 } from '@googleapis/sheets';
import type { GridBounds } from './address.ts';
import { type CallOptions, errorContext, type ShownRequest, type TableContext } from './context.ts';
import { type SheetsErrorContext } from '../errors.ts';
import { UnavailableError } from './errors.ts';
import { type Block, byBounds, type CellData, cellText, cellValue, enteredText, formulaText } from './grid.ts';
import type { CellValue } from '../port.ts';
import { type RawAnswer, rawOptions, toRawAnswer } from './raw-answer.ts';
import { type IndexRange, toIndexRanges } from './adjacent.ts';

/** A cell whose answer says less than what is in it. */
export interface OpenCell {
  readonly rowIndex: number;
  readonly columnIndex: number;
  /** As answered. */
  readonly text: string;
  /** The row's ID cell as answered. */
  readonly idText: string;
  /** Puts into the row what the cell shows, and the formula that makes it, if one does. */
  settle(value: CellValue, formula: string | undefined): void;
}

/** `Loading...` is what a cell shows while its formula is still at work. */
export function isOpenText(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === 0x3d || first === 0x23 || first === 0x27 || text === 'Loading...';
}

/** Rows farther apart are asked for apart, but not in more portions than that. */
const gapRowsMin = 100;
const portionsMax = 50;

/**
 * Few rectangles that cover all open cells, the ID cells of their rows and the header cells of their columns. `cells` in the
 * order of rows, below the header.
 */
export function planShownRequest(
  sheetId: number,
  headerRowIndex: number,
  cells: readonly OpenCell[],
  idColumnIndex: number | undefined,
): ShownRequest {
  const rowIndexes = cells.map(({ rowIndex }) => rowIndex);
  const span = (rowIndexes.at(-1) ?? 0) - (rowIndexes[0] ?? 0);
  const rows = toIndexRanges(rowIndexes, Math.max(gapRowsMin, Math.ceil(span / portionsMax)));
  const columnIndexes = new Set(cells.map(({ columnIndex }) => columnIndex));
  if (idColumnIndex !== undefined) columnIndexes.add(idColumnIndex);
  const columns = toIndexRanges([...columnIndexes].toSorted((a, b) => a - b));
  const bounds = [headerRange(headerRowIndex), ...rows].flatMap((row) =>
    columns.map((column) => rangeBounds(column, row)),
  );
  return { headerRowIndex, rows, columns, filters: bounds.map((each) => byBounds(sheetId, each)) };
}

function headerRange(headerRowIndex: number): IndexRange {
  return { start: headerRowIndex, end: headerRowIndex + 1 };
}

function rangeBounds(column: IndexRange, row: IndexRange): GridBounds {
  return {
    startRowIndex: row.start,
    endRowIndex: row.end,
    startColumnIndex: column.start,
    endColumnIndex: column.end,
  };
}

const fields = 'sheets(data(startRow,startColumn,rowData(values(effectiveValue,userEnteredValue(formulaValue)))))';

/** The second call as made. */
export interface ShownCells {
  readonly request: ShownRequest;
  readonly digest: string;
  /** The cells answered, by where their rectangle begins. */
  blocks(): Blocks;
}

type Blocks = ReadonlyMap<string, Block>;

/** One read. Rows that are gone from the end of the grid make Google refuse it with 400. */
export async function readShownCells(
  context: TableContext,
  request: ShownRequest,
  options: CallOptions,
): Promise<ShownCells> {
  const answer = await ask(context, request, options);
  let blocks: Blocks | undefined;
  return { request, digest: answer.digest, blocks: () => (blocks ??= takeBlocks(answer, errorContext(context))) };
}

function ask({ client, spreadsheetId }: TableContext, { filters }: ShownRequest, options: CallOptions) {
  return client.read(
    spreadsheetId,
    async (api, methodOptions) => {
      const requestBody = { dataFilters: filters, includeGridData: true };
      const answer = await api.spreadsheets.getByDataFilter(
        { spreadsheetId, requestBody, fields, prettyPrint: false },
        { ...methodOptions, ...rawOptions },
      );
      return { data: await toRawAnswer(answer.data, { spreadsheetId }) };
    },
    options,
  );
}

function takeBlocks(answer: RawAnswer, context: SheetsErrorContext): Blocks {
  const { sheets = [] } = answer.parse() as sheets_v4.Schema$Spreadsheet;
  const blocks = sheets[0]?.data ?? [];
  // The cells were there an instant ago: an answer without any of them is not whole (L7).
  if (blocks.length === 0) throw new UnavailableError('an answer without the cells that were asked for', context);
  return new Map(blocks.map((block) => [placeText(block.startRow ?? 0, block.startColumn ?? 0), block]));
}

/**
 * Settles every open cell; false when the answer is not of the instant that the cells are of. `headerTexts` by physical
 * column, as entered. `isProven`: the first call was made again and answered the same, so formulas need not read letter by
 * letter as they did there; that columns moved away and back meanwhile, the headers tell.
 */
export function settleOpenCells(
  shown: ShownCells,
  cells: readonly OpenCell[],
  idColumnIndex: number | undefined,
  headerTexts: readonly string[],
  isProven: boolean,
): boolean {
  const { rows, columns, headerRowIndex } = shown.request;
  const blocks = shown.blocks();
  const isUnderItsHeader = (columnIndex: number) => {
    const header = cellAt(blocks, headerRange(headerRowIndex), columns, headerRowIndex, columnIndex);
    return enteredText(header) === (headerTexts[columnIndex] ?? '');
  };
  if (!columns.every(({ start, end }) => indexes(start, end).every(isUnderItsHeader))) return false;
  let portion = 0;
  for (const cell of cells) {
    while (cell.rowIndex >= rows[portion]!.end) portion += 1;
    const cellIn = (columnIndex: number) => cellAt(blocks, rows[portion]!, columns, cell.rowIndex, columnIndex);
    const isIdKnown = idColumnIndex !== undefined && !isOpenText(cell.idText);
    if (isIdKnown && cellText(cellValue(cellIn(idColumnIndex))) !== cell.idText) return false;
    const shownCell = cellIn(cell.columnIndex);
    if (!isAsAnswered(cell.text, shownCell, isProven)) return false;
    cell.settle(cellValue(shownCell), formulaText(shownCell));
  }
  return true;
}

function indexes(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, offset) => start + offset);
}

function cellAt(
  blocks: Blocks,
  row: IndexRange,
  columns: readonly IndexRange[],
  rowIndex: number,
  columnIndex: number,
): CellData | undefined {
  const column = columns.find(({ start, end }) => columnIndex >= start && columnIndex < end);
  if (!column) return undefined;
  const block = blocks.get(placeText(row.start, column.start));
  return block?.rowData?.[rowIndex - row.start]?.values?.[columnIndex - column.start];
}

function placeText(rowIndex: number, columnIndex: number): string {
  return `${rowIndex}:${columnIndex}`;
}

function isAsAnswered(text: string, shown: CellData | undefined, isProven: boolean): boolean {
  const formula = formulaText(shown);
  if (formula !== undefined) return text.startsWith('=') && (isProven || formula === text);
  const value = cellValue(shown);
  if (typeof value === 'object') return value !== null && text === value.error;
  return value === text || (text.startsWith("'") && String(value) === text.slice(1));
}
