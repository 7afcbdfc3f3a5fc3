// Reads and writes rectangles of values: the work of spreadsheets.values on a ValueRange.
import { type OpenRect, type Rect, columnToLetters, quoteTitle, rectToA1 } from './a1.ts';
import type { Calculation } from './calculation.ts';
import { type Cell, type CellValue, CellError, hasContent, numberFormatOf, withContent } from './cell.ts';
import type { Dimension } from './dimension-edit.ts';
import { type Edit, requireEditable } from './edit.ts';
import { invalidArgument } from './errors.ts';
import { requireWithinGrid } from './grid-range.ts';
import type { Json, JsonObject } from './json.ts';
import { displayText, isDateCell } from './number-format.ts';
import { type Sheet, closeRect } from './sheet.ts';
import { type Entry, parseTyped } from './user-entered.ts';

/** The longest text a cell takes, in characters (measured: 50,000 is accepted, 50,001 refused). */
const cellCharactersMax = 50_000;

type ValueRenderOption = 'FORMATTED_VALUE' | 'UNFORMATTED_VALUE' | 'FORMULA';
type DateTimeRenderOption = 'SERIAL_NUMBER' | 'FORMATTED_STRING';
export type ValueInputOption = 'RAW' | 'USER_ENTERED';

export interface Rendering {
  readonly values: ValueRenderOption;
  readonly dates: DateTimeRenderOption;
  /** See `EditBehaviour`. */
  readonly showsApostrophes?: boolean;
}

/** The ValueRange of a rectangle within the grid; trailing blank rows and cells are left out. */
export function readValues(
  sheet: Sheet,
  rect: Rect,
  majorDimension: Dimension,
  rendering: Rendering,
  calculation: Calculation,
): JsonObject {
  const values =
    majorDimension === 'ROWS'
      ? readRows(sheet, rect, rendering, calculation)
      : readColumns(sheet, rect, rendering, calculation);
  while (values.length > 0 && values.at(-1)?.length === 0) values.pop();
  return {
    range: rectToA1(sheet.title, rect),
    majorDimension,
    ...(values.length > 0 ? { values } : {}),
  };
}

function readRows(sheet: Sheet, rect: Rect, rendering: Rendering, calculation: Calculation): Json[][] {
  const values: Json[][] = [];
  let bottom = rect.bottom;
  const expansion = calculation.expansion(sheet);
  // Most of a tab is blank below its last row.
  while (bottom > Math.max(rect.top, expansion.bottom) && sheet.rows[bottom - 1] === undefined) bottom -= 1;
  for (let row = rect.top; row < bottom; row += 1) {
    const cells = sheet.rows[row]?.cells ?? [];
    let end = Math.min(rect.right, Math.max(cells.length, expansion.right));
    const isBlank = (column: number) =>
      !hasContent(cells[column]) && (expansion.bottom === 0 || !expansion.values.has(`${row}:${column}`));
    while (end > rect.left && isBlank(end - 1)) end -= 1;
    const rendered: Json[] = [];
    for (let column = rect.left; column < end; column += 1) {
      const cell = cells[column];
      rendered.push(
        isBlank(column) ? '' : renderCell(cell ?? {}, calculation.value(sheet, row, column, cell), rendering),
      );
    }
    values.push(rendered);
  }
  return values;
}

function readColumns(sheet: Sheet, rect: Rect, rendering: Rendering, calculation: Calculation): Json[][] {
  const values: Json[][] = [];
  const expansion = calculation.expansion(sheet);
  for (let column = rect.left; column < rect.right; column += 1) {
    let end = rect.bottom;
    const isBlank = (row: number) =>
      !hasContent(sheet.cell(row, column)) && (expansion.bottom === 0 || !expansion.values.has(`${row}:${column}`));
    while (end > rect.top && isBlank(end - 1)) end -= 1;
    const rendered: Json[] = [];
    for (let row = rect.top; row < end; row += 1) {
      const cell = sheet.cell(row, column);
      rendered.push(isBlank(row) ? '' : renderCell(cell ?? {}, calculation.value(sheet, row, column, cell), rendering));
    }
    values.push(rendered);
  }
  return values;
}

function renderCell(cell: Cell, value: CellValue, rendering: Rendering): Json {
  if (rendering.values === 'FORMATTED_VALUE') return displayText(value, cell);
  if (rendering.values === 'FORMULA' && cell.formula !== undefined) return cell.formula;
  if (value === undefined) return '';
  if (value instanceof CellError) return value.text;
  if (rendering.values === 'FORMULA' && rendering.showsApostrophes && isMoreWhenTyped(value))
    return `'${String(value)}`;
  if (typeof value === 'number' && rendering.dates === 'FORMATTED_STRING' && isDateCell(cell)) {
    return displayText(value, cell);
  }
  return value;
}

/** Text that typing would convert into a formula, a number or a date, or that begins with an apostrophe. */
function isMoreWhenTyped(value: CellValue): boolean {
  return typeof value === 'string' && parseTyped(value, false, 2000).value !== value;
}

/** The place of values: a rectangle that must hold them all, or the first cell of one. */
export interface WriteTarget {
  readonly sheet: Sheet;
  readonly range: OpenRect;
}

/** The written cells: their rectangle, and the counts of the API. */
export interface Written {
  readonly sheet: Sheet;
  readonly rect: Rect;
  /** The rows and columns of the sheet that received values, and the number of cells. */
  readonly rows: ReadonlySet<number>;
  readonly columns: ReadonlySet<number>;
  readonly cells: number;
}

/**
 * Writes values into a range. `null` skips a cell and `""` clears it; short lists leave the rest unchanged. Refused:
 * values that do not fit the range, cells beyond the grid, protected cells, text that is too long.
 */
export function writeValues(
  edit: Edit,
  target: WriteTarget,
  majorDimension: Dimension,
  values: readonly (readonly Json[])[],
  option: ValueInputOption,
): Written {
  const { sheet } = target;
  const rows = majorDimension === 'ROWS' ? values : transpose(values);
  const top = target.range.top ?? 0;
  const left = target.range.left ?? 0;
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  const rect: Rect = { top, left, bottom: top + Math.max(rows.length, 1), right: left + Math.max(width, 1) };
  requireFit(sheet, target.range, rect);
  requireWithinGrid(sheet, rect);
  const written = countWritten(rows, top, left);
  if (written.cells > 0 && edit.behaviour.skippedCellsAreProtected) requireEditable(edit, sheet, rect);
  else requireWrittenEditable(edit, sheet, { top, left }, rows);
  for (const [offset, row] of rows.entries()) {
    if (!row.some((value) => value !== null)) continue;
    sheet.editRow(top + offset, (cells) => {
      for (const [index, value] of row.entries()) {
        const column = left + index;
        if (value === null || sheet.isCovered(top + offset, column)) continue;
        while (cells.length < column) cells.push(undefined);
        cells[column] = enter(cells[column], value, option, edit.now, `values[${offset}][${index}]`);
      }
    });
  }
  return { sheet, rect, ...written };
}

function requireWrittenEditable(
  edit: Edit,
  sheet: Sheet,
  { top, left }: Pick<Rect, 'top' | 'left'>,
  rows: readonly (readonly Json[])[],
): void {
  for (const [row, values] of rows.entries()) {
    for (const [column, value] of values.entries()) {
      const [y, x] = [top + row, left + column];
      if (value !== null) requireEditable(edit, sheet, { top: y, left: x, bottom: y + 1, right: x + 1 });
    }
  }
}

function countWritten(
  rows: readonly (readonly Json[])[],
  top: number,
  left: number,
): Pick<Written, 'rows' | 'columns' | 'cells'> {
  const rowsWritten = new Set<number>();
  const columnsWritten = new Set<number>();
  let cells = 0;
  for (const [row, values] of rows.entries()) {
    for (const [column, value] of values.entries()) {
      if (value === null) continue;
      cells += 1;
      rowsWritten.add(top + row);
      columnsWritten.add(left + column);
    }
  }
  return { rows: rowsWritten, columns: columnsWritten, cells };
}

function requireFit(sheet: Sheet, range: OpenRect, rect: Rect): void {
  const single = range.bottom === (range.top ?? 0) + 1 && range.right === (range.left ?? 0) + 1;
  if (single) return;
  const within = `Requested writing within range [${describe(sheet, range)}]`;
  if (range.bottom !== undefined && rect.bottom > range.bottom) {
    throw invalidArgument(`${within}, but tried writing to row [${range.bottom + 1}]`);
  }
  if (range.right !== undefined && rect.right > range.right) {
    throw invalidArgument(`${within}, but tried writing to column [${columnToLetters(range.right)}]`);
  }
}

function describe(sheet: Sheet, range: OpenRect): string {
  const rect = closeRect(range, sheet.bounds);
  return rect.top < rect.bottom && rect.left < rect.right ? rectToA1(sheet.title, rect) : quoteTitle(sheet.title);
}

/** Rows made of columns; cells that a short column does not have are skipped like `null`. */
function transpose(columns: readonly (readonly Json[])[]): Json[][] {
  const height = columns.reduce((tallest, column) => Math.max(tallest, column.length), 0);
  return Array.from({ length: height }, (_, row) => columns.map((column) => column[row] ?? null));
}

/** The cell with a new value. Everything else stays, except a format that typing implies. */
function enter(
  cell: Cell | undefined,
  value: Json,
  option: ValueInputOption,
  now: number,
  where: string,
): Cell | undefined {
  if (typeof value === 'object') {
    throw invalidArgument(`Invalid ${where}: ${Array.isArray(value) ? 'list_value' : 'struct_value'} { }`);
  }
  if (typeof value === 'string') requireCellLength(value);
  if (typeof value !== 'string' || option === 'RAW') return withContent(cell, value === '' ? {} : { value });
  return applyEntry(cell, typed(cell, value, now));
}

/** The cell after typing `text` into it. */
export function typed(cell: Cell | undefined, text: string, now: number): Entry {
  return parseTyped(text, numberFormatOf(cell)?.type === 'TEXT', new Date(now).getUTCFullYear());
}

export function applyEntry(cell: Cell | undefined, entry: Entry): Cell | undefined {
  const { numberFormat, ...content } = entry;
  const changed = withContent(cell, content);
  return numberFormat && changed ? { ...changed, format: { ...changed.format, numberFormat } } : changed;
}

export function requireCellLength(text: string): void {
  if (text.length > cellCharactersMax) {
    throw invalidArgument(
      `Your input contains more than the maximum of ${cellCharactersMax} characters in a single cell.`,
    );
  }
}

/** Empties the cells of a rectangle; formats, notes and validation stay. */
export function clearValues(edit: Edit, sheet: Sheet, rect: Rect): void {
  requireEditable(edit, sheet, rect);
  for (let row = rect.top; row < rect.bottom; row += 1) {
    const cells = sheet.rows[row]?.cells;
    if (!cells?.slice(rect.left, rect.right).some(hasContent)) continue;
    sheet.editCells({ ...rect, top: row, bottom: row + 1, right: Math.min(rect.right, cells.length) }, (cell) =>
      withContent(cell, {}),
    );
  }
}
