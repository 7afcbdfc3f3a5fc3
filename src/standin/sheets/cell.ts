// A cell and its content.
import type { JsonObject } from './json.ts';

/** The content of a cell without a formula. */
export type Scalar = string | number | boolean;

/** The error values of the API (ErrorValue.type), by what the grid shows. */
export const errorTypeByText = {
  '#ERROR!': 'ERROR',
  '#NULL!': 'NULL_VALUE',
  '#DIV/0!': 'DIVIDE_BY_ZERO',
  '#VALUE!': 'VALUE',
  '#REF!': 'REF',
  '#NAME?': 'NAME',
  '#NUM!': 'NUM',
  '#N/A': 'N_A',
} as const;
export type ErrorText = keyof typeof errorTypeByText;

/** The value of a formula that fails. */
export class CellError {
  readonly text: ErrorText;
  readonly message: string;

  constructor(text: ErrorText, message: string) {
    this.text = text;
    this.message = message;
  }
}

/** The value of a cell before formatting: undefined for a blank one. */
export type CellValue = Scalar | CellError | undefined;

/** A cell; never changed in place, so that copies of a sheet can share it. */
export interface Cell {
  /** The entered value, unless it was a formula. */
  readonly value?: Scalar;
  /** With its `=`, as entered. */
  readonly formula?: string;
  /** CellFormat, as a user set it. */
  readonly format?: JsonObject;
  readonly note?: string;
  /** DataValidationRule. */
  readonly validation?: JsonObject;
}

/** A cell that is not blank. */
export type FilledCell = Cell & ({ readonly value: Scalar } | { readonly formula: string });

/** Whether the cell has any content (a format alone is none). */
export function hasContent(cell: Cell | undefined): cell is FilledCell {
  return cell !== undefined && (cell.value !== undefined || cell.formula !== undefined);
}

/** The cell with another content; all else stays. Undefined: nothing is left. */
export function withContent(cell: Cell | undefined, content: Pick<Cell, 'value' | 'formula'>): Cell | undefined {
  if (cell === undefined) return content.value === undefined && content.formula === undefined ? undefined : content;
  const { value: _value, formula: _formula, ...rest } = cell;
  return tidy({ ...rest, ...content });
}

/** Undefined: the cell would be empty. */
export function tidy(cell: Cell): Cell | undefined {
  for (const key in cell) if (cell[key as keyof Cell] !== undefined) return cell;
  return undefined;
}

/** The pattern of the cell's number format and its type, when it has one. */
export function numberFormatOf(
  cell: Cell | undefined,
): { readonly type: string; readonly pattern?: string } | undefined {
  const format = cell?.format?.['numberFormat'];
  if (typeof format !== 'object' || format === null || Array.isArray(format)) return undefined;
  const { type, pattern } = format as JsonObject;
  if (typeof type !== 'string' || type === 'NUMBER_FORMAT_TYPE_UNSPECIFIED') return undefined;
  return typeof pattern === 'string' && pattern !== '' ? { type, pattern } : { type };
}
