// A small evaluator: references, operators and the most common functions. An unknown function is #NAME?, as in Google
// Sheets for a misspelt one.
import { type CellValue, CellError, type ErrorText, errorTypeByText } from './cell.ts';
import { formulaFunctions, splitBreak } from './formula-functions.ts';
import {
  type FormulaWorld,
  type Operand,
  RangeValues,
  compareValues,
  toNumber,
  toSingle,
  toText,
} from './formula-values.ts';
import { type FormulaToken, tokenizeFormula } from './formula-tokens.ts';

/** The value of a formula (with its `=`). Never throws: every failure is a cell error. */
export function evaluateFormula(formula: string, world: FormulaWorld): CellValue {
  const tokens = tokenizeFormula(formula.slice(1))?.filter((token) => token.kind !== 'space');
  if (!tokens) return parseError;
  const parser = new FormulaParser(tokens, world);
  try {
    return toSingle(parser.parse());
  } catch (error) {
    if (error instanceof FormulaSyntaxError) return parseError;
    // Nested deeper than the stack: the same answer as for any unreadable formula.
    if (error instanceof RangeError) return parseError;
    throw error;
  }
}

/** A formula whose values may reach into the cells right of it and below. */
export function mayExpand(formula: string): boolean {
  return /^=\s*(?:ARRAYFORMULA|SPLIT)\s*\(/i.test(formula);
}

/** The values of such a formula, row by row. ARRAYFORMULA is evaluated once for each row of the ranges that it names. */
export function expandFormula(formula: string, world: FormulaWorld): readonly (readonly CellValue[])[] {
  const split = /^=\s*SPLIT\s*\(/i.test(formula);
  if (split) {
    const text = toText(evaluateFormula(formula, world));
    return [text instanceof CellError ? [text] : text.split(splitBreak).filter((part) => part !== '')];
  }
  let height = 1;
  const rowAt = (index: number): FormulaWorld => ({
    ...world,
    range: (reference) => {
      const range = world.range(reference);
      if (range === undefined || range.rows.length < 2) return range;
      height = Math.max(height, range.rows.length);
      return new RangeValues([[range.rows[index]?.[0]]]);
    },
  });
  const rows: CellValue[][] = [];
  for (let index = 0; index < height; index += 1) rows.push([evaluateFormula(formula, rowAt(index))]);
  return rows;
}

class FormulaSyntaxError extends Error {}

const parseError = new CellError('#ERROR!', 'Formula parse error.');

const binaryLevels: readonly (readonly string[])[] = [
  ['=', '<>', '<', '>', '<=', '>='],
  ['&'],
  ['+', '-'],
  ['*', '/'],
  ['^'],
];

class FormulaParser {
  private readonly tokens: readonly FormulaToken[];
  private readonly world: FormulaWorld;
  private position = 0;

  constructor(tokens: readonly FormulaToken[], world: FormulaWorld) {
    this.tokens = tokens;
    this.world = world;
  }

  parse(): Operand {
    const value = this.binary(0);
    if (this.position < this.tokens.length) throw new FormulaSyntaxError();
    return value;
  }

  private peek(): string | undefined {
    const token = this.tokens[this.position];
    return token?.kind === 'operator' ? token.text : undefined;
  }

  private take(text: string): boolean {
    if (this.peek() !== text) return false;
    this.position += 1;
    return true;
  }

  private binary(level: number): Operand {
    const operators = binaryLevels[level];
    if (!operators) return this.unary();
    let left = this.binary(level + 1);
    for (let operator = this.peek(); operator !== undefined && operators.includes(operator); operator = this.peek()) {
      this.position += 1;
      left = applyBinary(operator, toSingle(left), toSingle(this.binary(level + 1)));
    }
    return left;
  }

  private unary(): Operand {
    if (this.take('-')) return applyBinary('-', 0, toSingle(this.unary()));
    if (this.take('+')) return this.unary();
    let value = this.primary();
    while (this.take('%')) value = applyBinary('/', toSingle(value), 100);
    return value;
  }

  private primary(): Operand {
    const token = this.tokens[this.position];
    if (!token) throw new FormulaSyntaxError();
    this.position += 1;
    switch (token.kind) {
      case 'number':
      case 'string':
        return token.value;
      case 'error':
        return new CellError(errorText(token.text), `Error ${token.text}`);
      case 'reference':
        return this.world.range(token) ?? new CellError('#REF!', 'Unresolved sheet name.');
      case 'name':
        return this.named(token.text);
      case 'operator': {
        if (token.text !== '(') throw new FormulaSyntaxError();
        const value = this.binary(0);
        if (!this.take(')')) throw new FormulaSyntaxError();
        return value;
      }
      case 'space':
        throw new FormulaSyntaxError();
    }
  }

  private named(name: string): Operand {
    const upper = name.toUpperCase();
    if (!this.take('(')) {
      if (upper === 'TRUE' || upper === 'FALSE') return upper === 'TRUE';
      return this.world.name(name) ?? new CellError('#NAME?', `Unknown range name: '${name}'.`);
    }
    const args = this.args();
    const body = formulaFunctions[upper];
    return body ? body(args, this.world) : new CellError('#NAME?', `Unknown function: '${name}'.`);
  }

  private args(): Operand[] {
    const args: Operand[] = [];
    if (this.take(')')) return args;
    do {
      args.push(this.peek() === ',' || this.peek() === ')' ? undefined : this.binary(0));
    } while (this.take(',') || this.take(';'));
    if (!this.take(')')) throw new FormulaSyntaxError();
    return args;
  }
}

function errorText(text: string): ErrorText {
  const bare = text.slice(text.lastIndexOf('#'));
  return bare in errorTypeByText ? (bare as ErrorText) : '#ERROR!';
}

function applyBinary(operator: string, left: CellValue, right: CellValue): CellValue {
  if (left instanceof CellError) return left;
  if (right instanceof CellError) return right;
  if (operator === '&') return joinTexts(left, right);
  if (binaryLevels[0]?.includes(operator)) return compare(operator, left, right);
  const a = toNumber(left);
  const b = toNumber(right);
  if (a instanceof CellError) return a;
  if (b instanceof CellError) return b;
  return arithmetic(operator, a, b);
}

function joinTexts(left: CellValue, right: CellValue): CellValue {
  const [a, b] = [toText(left), toText(right)];
  if (a instanceof CellError) return a;
  return b instanceof CellError ? b : a + b;
}

function arithmetic(operator: string, a: number, b: number): CellValue {
  switch (operator) {
    case '+':
      return finite(a + b);
    case '-':
      return finite(a - b);
    case '*':
      return finite(a * b);
    case '/':
      return b === 0 ? new CellError('#DIV/0!', 'Function DIVIDE parameter 2 cannot be zero.') : finite(a / b);
    default:
      return finite(a ** b);
  }
}

function finite(value: number): CellValue {
  return Number.isFinite(value) ? value : new CellError('#NUM!', 'The result is not a number that can be shown.');
}

function compare(operator: string, left: CellValue, right: CellValue): boolean {
  const order = compareValues(
    left ?? (typeof right === 'string' ? '' : 0),
    right ?? (typeof left === 'string' ? '' : 0),
  );
  switch (operator) {
    case '=':
      return order === 0;
    case '<>':
      return order !== 0;
    case '<':
      return order < 0;
    case '>':
      return order > 0;
    case '<=':
      return order <= 0;
    default:
      return order >= 0;
  }
}
