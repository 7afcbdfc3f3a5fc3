// The functions that formulas can call.
import { CellError, type CellValue } from './cell.ts';
import {
  type FormulaWorld,
  type Operand,
  RangeValues,
  toBoolean,
  toNumber,
  toSingle,
  toText,
} from './formula-values.ts';
import { formatNumber } from './number-format.ts';

type FormulaFunction = (args: readonly Operand[], world: FormulaWorld) => Operand;

/** Every value of the arguments, including those in ranges, row by row. */
function* flatten(args: readonly Operand[]): Generator<{ readonly value: CellValue; readonly fromRange: boolean }> {
  for (const arg of args) {
    if (!(arg instanceof RangeValues)) yield { value: arg, fromRange: false };
    else for (const row of arg.rows) for (const value of row) yield { value, fromRange: true };
  }
}

/** The numbers among the arguments; text and booleans count only when given directly. */
function numbersOf(args: readonly Operand[]): number[] | CellError {
  const numbers: number[] = [];
  for (const { value, fromRange } of flatten(args)) {
    if (value instanceof CellError) return value;
    if (value === undefined || (fromRange && typeof value !== 'number')) continue;
    const number = toNumber(value);
    if (number instanceof CellError) return number;
    numbers.push(number);
  }
  return numbers;
}

function overNumbers(body: (numbers: readonly number[]) => CellValue): FormulaFunction {
  return (args) => {
    const numbers = numbersOf(args);
    return numbers instanceof CellError ? numbers : body(numbers);
  };
}

function overText(body: (text: string, ...rest: readonly number[]) => CellValue): FormulaFunction {
  return (args) => {
    const text = toText(toSingle(args[0]));
    if (text instanceof CellError) return text;
    const rest = args.slice(1).map((arg) => toNumber(toSingle(arg)));
    const failed = rest.find((number) => number instanceof CellError);
    return failed ?? body(text, ...rest.filter((number) => typeof number === 'number'));
  };
}

const concatenate: FormulaFunction = (args) => {
  let all = '';
  for (const { value } of flatten(args)) {
    const text = toText(value);
    if (text instanceof CellError) return text;
    all += text;
  }
  return all;
};

function overBooleans(body: (values: readonly boolean[]) => boolean): FormulaFunction {
  return (args) => {
    const values: boolean[] = [];
    for (const { value, fromRange } of flatten(args)) {
      if (value === undefined && fromRange) continue;
      const boolean = toBoolean(value);
      if (boolean instanceof CellError) return boolean;
      values.push(boolean);
    }
    return body(values);
  };
}

/** Between the parts of a text that SPLIT made. */
export const splitBreak = '\u0000';

const isError = (operand: Operand): boolean => toSingle(operand) instanceof CellError;

/** By their names in capitals. Arguments are evaluated; a range is one argument. */
export const formulaFunctions: Readonly<Partial<Record<string, FormulaFunction>>> = {
  SUM: overNumbers((numbers) => numbers.reduce((sum, number) => sum + number, 0)),
  AVERAGE: overNumbers((numbers) =>
    numbers.length === 0
      ? new CellError('#DIV/0!', 'Evaluation of function AVERAGE caused a divide by zero error.')
      : numbers.reduce((sum, number) => sum + number, 0) / numbers.length,
  ),
  MIN: overNumbers((numbers) => numbers.reduce((least, number) => Math.min(least, number), numbers[0] ?? 0)),
  MAX: overNumbers((numbers) => numbers.reduce((most, number) => Math.max(most, number), numbers[0] ?? 0)),
  COUNT: (args) => [...flatten(args)].filter(({ value }) => typeof value === 'number').length,
  COUNTA: (args) => [...flatten(args)].filter(({ value }) => value !== undefined).length,
  ABS: overNumbers(([number = 0]) => Math.abs(number)),
  ROUND: overNumbers(([number = 0, places = 0]) => Number(`${Math.round(Number(`${number}e${places}`))}e${-places}`)),
  CONCATENATE: concatenate,
  CONCAT: concatenate,
  UPPER: overText((text) => text.toUpperCase()),
  LOWER: overText((text) => text.toLowerCase()),
  TRIM: overText((text) => text.trim().replaceAll(/ +/g, ' ')),
  LEN: overText((text) => text.length),
  LEFT: overText((text, count = 1) => text.slice(0, count)),
  RIGHT: overText((text, count = 1) => (count === 0 ? '' : text.slice(-count))),
  MID: overText((text, start = 1, count = 0) => text.slice(start - 1, start - 1 + count)),
  AND: overBooleans((values) => values.every(Boolean)),
  OR: overBooleans((values) => values.some(Boolean)),
  NOT: ([arg]) => {
    const boolean = toBoolean(toSingle(arg));
    return boolean instanceof CellError ? boolean : !boolean;
  },
  IF: ([condition, then, otherwise = false]) => {
    const boolean = toBoolean(toSingle(condition));
    if (boolean instanceof CellError) return boolean;
    return boolean ? then : otherwise;
  },
  IFERROR: ([value, otherwise]) => (isError(value) ? otherwise : value),
  ISBLANK: ([value]) => toSingle(value) === undefined,
  ISERROR: ([value]) => isError(value),
  HYPERLINK: ([url, label]) => (label === undefined ? toText(toSingle(url)) : toSingle(label)),
  TEXT: ([value, pattern]) => {
    const number = toSingle(value);
    const text = toText(toSingle(pattern));
    if (text instanceof CellError) return text;
    return typeof number === 'number' ? formatNumber(text, number) : toText(number);
  },
  ARRAYFORMULA: ([value]) => value,
  // Its parts are in the cells to the right, as `expandFormula` takes them.
  SPLIT: ([value, delimiter]) => {
    const [text, by] = [toText(toSingle(value)), toText(toSingle(delimiter))];
    if (text instanceof CellError || by instanceof CellError) return text;
    return text.split(by).join(splitBreak);
  },
  ROW: (_args, world) => world.row + 1,
  COLUMN: (_args, world) => world.column + 1,
  TODAY: (_args, world) => Math.floor(world.serialNow),
  NOW: (_args, world) => world.serialNow,
};
