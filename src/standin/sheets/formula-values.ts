// The values of formulas: operands, their environment, conversions and the order of values.
import { type CellValue, CellError } from './cell.ts';
import type { FormulaToken } from './formula-tokens.ts';

/** The value of a part of a formula: one value, or the values of a range. */
export type Operand = CellValue | RangeValues;

/** The values of a referenced range, row by row. `blank` cells are undefined. */
export class RangeValues {
  readonly rows: readonly (readonly CellValue[])[];

  constructor(rows: readonly (readonly CellValue[])[]) {
    this.rows = rows;
  }
}

/** The environment of a formula. */
export interface FormulaWorld {
  /** The values of a reference; undefined: there is no such sheet. Rows and columns are counted from 0. */
  range(reference: Extract<FormulaToken, { kind: 'reference' }>): RangeValues | undefined;
  /** The values of a named range; undefined: there is none of this name. */
  name(name: string): RangeValues | undefined;
  /** The cell the formula is in. */
  readonly row: number;
  readonly column: number;
  /** The moment of calculation as a serial date (days since 1899-12-30). */
  readonly serialNow: number;
}

/** The value of a range as one value: its only cell, else #VALUE!. */
export function toSingle(operand: Operand): CellValue {
  if (!(operand instanceof RangeValues)) return operand;
  const [row] = operand.rows;
  if (operand.rows.length === 1 && row?.length === 1) return row[0];
  return new CellError('#VALUE!', 'An array value could not be found.');
}

/** The number that a value equals; blank is 0. */
export function toNumber(value: CellValue): number | CellError {
  if (value instanceof CellError) return value;
  if (value === undefined || value === '') return 0;
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number = typeof value === 'number' ? value : Number(value.trim() === '' ? Number.NaN : value);
  return Number.isNaN(number)
    ? new CellError(
        '#VALUE!',
        `Function parameter expects number values. But '${String(value)}' is a text and cannot be coerced to a number.`,
      )
    : number;
}

/** The text of a value inside a formula. */
export function toText(value: CellValue): string | CellError {
  if (value instanceof CellError) return value;
  if (value === undefined) return '';
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(value);
}

export function toBoolean(value: CellValue): boolean | CellError {
  if (value instanceof CellError || typeof value === 'boolean') return value;
  if (typeof value === 'string' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  const number = toNumber(value);
  return number instanceof CellError ? number : number !== 0;
}

/** The order of a sheet: numbers, then text without regard to case, then booleans, then errors; blanks last. */
export function compareValues(left: CellValue, right: CellValue): number {
  const rank = valueRank(left) - valueRank(right);
  if (rank !== 0) return rank;
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') {
    const [a, b] = [left.toLowerCase(), right.toLowerCase()];
    if (a === b) return 0;
    return a < b ? -1 : 1;
  }
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  return 0;
}

function valueRank(value: CellValue): number {
  switch (typeof value) {
    case 'number':
      return 0;
    case 'string':
      return 1;
    case 'boolean':
      return 2;
    case 'undefined':
      return 4;
    default:
      return 3;
  }
}
