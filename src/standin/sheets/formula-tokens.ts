// Splits a formula into tokens; the evaluator and the rewriting of references share it.
import { columnsMax, lettersToColumn } from './a1.ts';

/** One end of a reference, counted from 0; a `$` keeps it unchanged when the formula is copied. */
export interface ReferenceCorner {
  readonly row?: number;
  readonly rowFixed: boolean;
  readonly column?: number;
  readonly columnFixed: boolean;
}

export type FormulaToken =
  | { readonly kind: 'number'; readonly text: string; readonly value: number }
  | { readonly kind: 'string'; readonly text: string; readonly value: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'operator'; readonly text: string }
  | { readonly kind: 'space'; readonly text: string }
  | {
      readonly kind: 'reference';
      readonly text: string;
      /** `Sheet1!` as in the formula, or empty. */
      readonly prefix: string;
      readonly title?: string;
      readonly first: ReferenceCorner;
      readonly last?: ReferenceCorner;
    };

const cornerPattern = String.raw`\$?[A-Za-z]{1,3}\$?[1-9]\d{0,7}`;
const titlePattern = String.raw`(?:'(?:[^']|'')+'|[\p{L}_][\p{L}\p{N}_.]*)!`;
const referencePattern = new RegExp(
  String.raw`^(${titlePattern})?(?:(${cornerPattern})(?::(${cornerPattern}|\$?[A-Za-z]{1,3}|\$?[1-9]\d{0,7}))?|(\$?[A-Za-z]{1,3}):(\$?[A-Za-z]{1,3})|(\$?[1-9]\d{0,7}):(\$?[1-9]\d{0,7}))(?![\p{L}\p{N}_(.!])`,
  'u',
);
const patterns: readonly (readonly [FormulaToken['kind'], RegExp])[] = [
  ['space', /^\s+/],
  ['string', /^"(?:[^"]|"")*"/],
  ['error', new RegExp(String.raw`^(?:${titlePattern})?#REF!`, 'u')],
  ['error', /^#(?:NULL!|DIV\/0!|VALUE!|NAME\?|NUM!|N\/A|ERROR!)/],
  ['number', /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/],
  ['name', /^[\p{L}_][\p{L}\p{N}_.]*/u],
  ['operator', /^(?:<=|>=|<>|[-+*/^&=<>%(),;:{}])/],
];

/** The tokens of a formula without its `=`; undefined: some of it is no formula. */
export function tokenizeFormula(formula: string): readonly FormulaToken[] | undefined {
  const tokens: FormulaToken[] = [];
  for (let rest = formula; rest !== '';) {
    const token = readReference(rest) ?? readToken(rest);
    if (!token) return undefined;
    tokens.push(token);
    rest = rest.slice(token.text.length);
  }
  return tokens;
}

function readToken(rest: string): FormulaToken | undefined {
  for (const [kind, pattern] of patterns) {
    const text = pattern.exec(rest)?.[0];
    if (text === undefined) continue;
    if (kind === 'number') return { kind, text, value: Number(text) };
    if (kind === 'string') return { kind, text, value: text.slice(1, -1).replaceAll('""', '"') };
    return { kind, text } as FormulaToken;
  }
  return undefined;
}

function readReference(rest: string): FormulaToken | undefined {
  const match = referencePattern.exec(rest);
  if (!match) return undefined;
  const [text, prefix = '', cell, cellEnd, columnStart, columnEnd, rowStart, rowEnd] = match;
  const first = parseReferenceCorner(cell ?? columnStart ?? rowStart ?? '');
  const lastText = cellEnd ?? columnEnd ?? rowEnd;
  const last = lastText === undefined ? undefined : parseReferenceCorner(lastText);
  if ((first.column ?? 0) >= columnsMax || (last?.column ?? 0) >= columnsMax) return undefined;
  const title = prefix.startsWith("'") ? prefix.slice(1, -2).replaceAll("''", "'") : prefix.slice(0, -1);
  return {
    kind: 'reference',
    text,
    prefix,
    first,
    ...(prefix === '' ? {} : { title }),
    ...(last ? { last } : {}),
  };
}

function parseReferenceCorner(text: string): ReferenceCorner {
  const match = /^(\$?)([A-Za-z]*)(\$?)(\d*)$/.exec(text);
  const [, firstDollar = '', letters = '', secondDollar = '', digits = ''] = match ?? [];
  return {
    ...(letters === '' ? {} : { column: lettersToColumn(letters) }),
    ...(digits === '' ? {} : { row: Number(digits) - 1 }),
    columnFixed: letters !== '' && firstDollar !== '',
    rowFixed: letters === '' ? firstDollar !== '' : secondDollar !== '',
  };
}
