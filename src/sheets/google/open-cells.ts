// Reads what FORMULA rendering leaves open. A text that begins with `=` is a formula or just text. A text that begins
// with `#` is an error or just text. Some texts begin with an apostrophe that only marks them as text. A number in a
// column of text may be what a person sees as a date, a percentage or a postcode. A cell that the caller knows with a value,
// and that is blank now, may be covered by merged cells. If such cells exist, a second call reads what they show, whether
// a formula makes it, which cells are merged, and the id of their row. While an array formula stands in the table, the cells that
// it may fill are open as well (expansion.ts).
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
  hasEntered,
  isExpanded,
  shownText,
} from './grid.ts';
import type { CellValue } from '../port.ts';
import { rawOptions, toRawAnswer } from './raw-answer.ts';
import { type IndexRange, toIndexRanges } from './adjacent.ts';

/** A cell whose answer does not settle its content. */
export interface OpenCell {
  readonly rowIndex: number;
  readonly columnIndex: number;
  /** From the answer: a text, a number in a column of text, a blank in the place of a value, or what an array formula may show. */
  readonly answered: string | number | boolean | null;
  /** Blank in the place of a value that the caller holds. */
  readonly isEmptied?: boolean;
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
  /** Merged cells show the value of another cell in its place: what the cell would hold without them is not known. */
  readonly isCovered: boolean;
  /** An array formula in another cell puts the value there. */
  readonly isExpanded: boolean;
  /** It holds something of its own, and be it a formula. */
  readonly hasEntered: boolean;
}

/** A cell shows `Loading...` while its formula is being calculated. */
export function isOpenText(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === 0x3d || first === 0x23 || first === 0x27 || text === 'Loading...';
}

/** Distant rows are requested separately, but in no more portions than this. */
const gapRowsMin = 100;
const portionsMax = 50;

/** What the second call asks for beside the open cells. */
export interface AskedToo {
  /** In each of the rows, and their headers. */
  readonly columns: readonly number[];
  readonly rows: readonly number[];
}

const nothingElse: AskedToo = { columns: [], rows: [] };

/**
 * A few rectangles that cover all open cells, the ID cells of their rows and the header cells of their columns. `cells`
 * in the order of rows, below the header.
 */
export function planShownRequest(
  sheetId: number,
  headerRowIndex: number,
  cells: readonly OpenCell[],
  idColumnIndex: number | undefined,
  asked: AskedToo = nothingElse,
): ShownRequest {
  const rowIndexes = [...asked.rows, ...cells.map(({ rowIndex }) => rowIndex)].toSorted((a, b) => a - b);
  const span = (rowIndexes.at(-1) ?? 0) - (rowIndexes[0] ?? 0);
  const rows = toIndexRanges(rowIndexes, Math.max(gapRowsMin, Math.ceil(span / portionsMax)));
  const columnIndexes = new Set([...cells.map(({ columnIndex }) => columnIndex), ...asked.columns]);
  if (idColumnIndex !== undefined) columnIndexes.add(idColumnIndex);
  const columns = toIndexRanges([...columnIndexes].toSorted((a, b) => a - b));
  const bounds = [headerRange(headerRowIndex), ...rows].flatMap((row) =>
    columns.map((column) => rangeBounds(column, row)),
  );
  return { headerRowIndex, rows, columns, filters: bounds.map((each) => byBounds(sheetId, each)) };
}

/** Whether the second call that was made has these cells. The same bytes may leave others open: it depends on what the caller holds. */
export function hasAsked(
  { rows, columns }: ShownRequest,
  cells: readonly OpenCell[],
  asked: AskedToo = nothingElse,
): boolean {
  const isWithin = (ranges: readonly IndexRange[], index: number) =>
    ranges.some(({ start, end }) => index >= start && index < end);
  return (
    cells.every(({ rowIndex, columnIndex }) => isWithin(rows, rowIndex) && isWithin(columns, columnIndex)) &&
    asked.columns.every((columnIndex) => isWithin(columns, columnIndex)) &&
    asked.rows.every((rowIndex) => isWithin(rows, rowIndex))
  );
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
  'sheets(merges,data(startRow,startColumn,rowData(values(effectiveValue,formattedValue,effectiveFormat(numberFormat),' +
  'userEnteredValue))))';

/** The second call that was made. */
export interface ShownCells {
  readonly request: ShownRequest;
  readonly digest: string;
  /** The answered cells, by the beginning of their rectangle. */
  blocks(): Blocks;
  merges(): readonly GridRange[];
}

type Blocks = ReadonlyMap<string, Block>;
type GridRange = sheets_v4.Schema$GridRange;

/** One read. If rows at the end of the grid are gone, Google refuses it with 400. */
export async function readShownCells(
  context: TableContext,
  request: ShownRequest,
  options: CallOptions,
): Promise<ShownCells> {
  const answer = await ask(context, request, options);
  let parsed: sheets_v4.Schema$Sheet | undefined;
  const sheet = () => (parsed ??= (answer.parse() as sheets_v4.Schema$Spreadsheet).sheets?.[0] ?? {});
  let blocks: Blocks | undefined;
  return {
    request,
    digest: answer.digest,
    blocks: () => (blocks ??= takeBlocks(sheet(), errorContext(context))),
    merges: () => sheet().merges ?? [],
  };
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

function takeBlocks(sheet: sheets_v4.Schema$Sheet, context: SheetsErrorContext): Blocks {
  const blocks = sheet.data ?? [];
  // The cells existed an instant ago: an answer without any of them is incomplete (L7).
  if (blocks.length === 0) throw new UnavailableError('an answer without the cells that were asked for', context);
  return new Map(blocks.map((block) => [placeText(block.startRow ?? 0, block.startColumn ?? 0), block]));
}

/** A cell of the second call, also of the header row. */
export function askedCell(shown: ShownCells, rowIndex: number, columnIndex: number): CellData | undefined {
  const { columns, headerRowIndex, rows } = shown.request;
  const row = [headerRange(headerRowIndex), ...rows].find(({ start, end }) => rowIndex >= start && rowIndex < end);
  return row && cellAt(shown.blocks(), row, columns, rowIndex, columnIndex);
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
  const { rows, columns } = shown.request;
  const blocks = shown.blocks();
  const merges = shown.merges();
  const isUnderItsHeader = (columnIndex: number) =>
    enteredText(askedCell(shown, shown.request.headerRowIndex, columnIndex)) === (headerTexts[columnIndex] ?? '');
  if (!columns.every(({ start, end }) => indexes(start, end).every(isUnderItsHeader))) return false;
  let portion = 0;
  for (const cell of cells) {
    while (cell.rowIndex >= rows[portion]!.end) portion += 1;
    const cellIn = (columnIndex: number) => cellAt(blocks, rows[portion]!, columns, cell.rowIndex, columnIndex);
    const isIdKnown = idColumnIndex !== undefined && !isOpenText(cell.idText);
    if (isIdKnown && cellText(cellValue(cellIn(idColumnIndex))) !== cell.idText) return false;
    const shownCell = cellIn(cell.columnIndex);
    if (!isAsAnswered(cell.answered, shownCell, isProven)) return false;
    cell.settle({
      value: cellValue(shownCell),
      text: shownText(shownCell),
      formula: formulaText(shownCell),
      isExpanded: isExpanded(shownCell),
      hasEntered: hasEntered(shownCell),
      isCovered: cell.answered === null && merges.some((merge) => isCoveredBy(merge, cell)),
    });
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

/**
 * Whether the same bytes need the second call again. Of cells that were just blank it told nothing more, and who holds them
 * as blank from now on does not ask.
 */
export function isNeededAgain(shown: ShownCells, cells: readonly OpenCell[]): boolean {
  const merges = shown.merges();
  return cells.some((cell) => cell.answered !== null || merges.some((merge) => isCoveredBy(merge, cell)));
}

/** The first cell of merged ones has their value. Answers leave out an index of 0. */
function isCoveredBy(merge: GridRange, { rowIndex, columnIndex }: OpenCell): boolean {
  const [top, left] = [merge.startRowIndex ?? 0, merge.startColumnIndex ?? 0];
  const isWithin =
    rowIndex >= top &&
    rowIndex < (merge.endRowIndex ?? Infinity) &&
    columnIndex >= left &&
    columnIndex < (merge.endColumnIndex ?? Infinity);
  return isWithin && (rowIndex !== top || columnIndex !== left);
}

function isAsAnswered(answered: OpenCell['answered'], shown: CellData | undefined, isProven: boolean): boolean {
  const formula = formulaText(shown);
  const value = cellValue(shown);
  if (typeof answered === 'number') {
    return formula === undefined && typeof value === 'number' && (isProven || value === answered);
  }
  if (typeof answered === 'boolean') return formula === undefined && (isProven || value === answered);
  if (answered === null) return isProven || (formula === undefined && value === null);
  if (formula !== undefined) return answered.startsWith('=') && (isProven || formula === answered);
  if (typeof value === 'object') return value !== null && answered === value.error;
  return value === answered || (answered.startsWith("'") && String(value) === answered.slice(1));
}
