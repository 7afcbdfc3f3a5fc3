// Reads what FORMULA rendering leaves open. A text that begins with `=` is a formula or just text. A text that begins
// with `#` is an error or just text. Some texts begin with an apostrophe that only marks them as text. A number in a
// column of text may be what a person sees as a date, a percentage or a postcode. If such cells exist, a second call reads
// what they show, whether a formula makes it, and the id of their row.
//
// The two calls are two instants. They count as one if each of these cells has the same content, id and header in both.
// A formula or a number that Google spells differently in the two is accepted if the first call, made anew, answers the
// same bytes. Otherwise the read starts over.
import type { sheets_v4 } from '@googleapis/sheets';
import type { GridBounds } from './address.ts';
import { type CallOptions, errorContext, type ShownRequest, type TableContext } from './context.ts';
import { type SheetsErrorContext } from '../errors.ts';
import { UnavailableError } from './errors.ts';
import {
  type Block,
  byBounds,
  type CellData,
  cellText,
  cellValue,
  enteredText,
  formulaText,
  shownText,
} from './grid.ts';
import type { CellValue } from '../port.ts';
import { type RawAnswer, rawOptions, toRawAnswer } from './raw-answer.ts';
import { type IndexRange, toIndexRanges } from './adjacent.ts';

/** A cell whose answer does not settle its content. */
export interface OpenCell {
  readonly rowIndex: number;
  readonly columnIndex: number;
  /** From the answer: a text, or a number in a column of text. */
  readonly answered: string | number;
  /** The row's ID cell in the answer. */
  readonly idText: string;
  /** Puts into the row what the cell holds. */
  settle(settled: SettledCell): void;
}

/** The content of a cell that was open. */
export interface SettledCell {
  /** Its own value, unformatted. */
  readonly value: CellValue;
  /** What it shows, where the value is a number with a format. */
  readonly text: string | undefined;
  /** The formula that makes the value. */
  readonly formula: string | undefined;
}

/** A cell shows `Loading...` while its formula is being calculated. */
export function isOpenText(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === 0x3d || first === 0x23 || first === 0x27 || text === 'Loading...';
}

/** Distant rows are requested separately, but in no more portions than this. */
const gapRowsMin = 100;
const portionsMax = 50;

/**
 * A few rectangles that cover all open cells, the ID cells of their rows and the header cells of their columns. `cells`
 * in the order of rows, below the header.
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

const fields =
  'sheets(data(startRow,startColumn,rowData(values(effectiveValue,formattedValue,effectiveFormat(numberFormat),' +
  'userEnteredValue(formulaValue)))))';

/** The second call that was made. */
export interface ShownCells {
  readonly request: ShownRequest;
  readonly digest: string;
  /** The answered cells, by the beginning of their rectangle. */
  blocks(): Blocks;
}

type Blocks = ReadonlyMap<string, Block>;

/** One read. If rows at the end of the grid are gone, Google refuses it with 400. */
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
  // The cells existed an instant ago: an answer without any of them is incomplete (L7).
  if (blocks.length === 0) throw new UnavailableError('an answer without the cells that were asked for', context);
  return new Map(blocks.map((block) => [placeText(block.startRow ?? 0, block.startColumn ?? 0), block]));
}

/**
 * Settles every open cell; false: the answer is from another instant than the cells. `headerTexts` by physical column,
 * as entered. `isProven`: the first call was repeated and answered the same, so formulas and numbers may be spelled
 * differently.
 * The headers show whether columns moved away and back meanwhile.
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
    if (!isAsAnswered(cell.answered, shownCell, isProven)) return false;
    cell.settle({ value: cellValue(shownCell), text: shownText(shownCell), formula: formulaText(shownCell) });
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

function isAsAnswered(answered: string | number, shown: CellData | undefined, isProven: boolean): boolean {
  const formula = formulaText(shown);
  const value = cellValue(shown);
  if (typeof answered === 'number') {
    return formula === undefined && typeof value === 'number' && (isProven || value === answered);
  }
  if (formula !== undefined) return answered.startsWith('=') && (isProven || formula === answered);
  if (typeof value === 'object') return value !== null && answered === value.error;
  return value === answered || (answered.startsWith("'") && String(value) === answered.slice(1));
}
