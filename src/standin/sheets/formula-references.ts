// References in formulas follow their cells when rows or columns are inserted, deleted or moved, and shift with the
// formula when it is copied.
import { columnToLetters } from './a1.ts';
import { type DimensionEdit, mapIndex, mapInterval } from './dimension-edit.ts';
import { type FormulaToken, type ReferenceCorner, tokenizeFormula } from './formula-tokens.ts';

type Reference = Extract<FormulaToken, { kind: 'reference' }>;

/** The formula (with its `=`) of a cell on sheet `hostTitle` after `edit` was made on sheet `editedTitle`. */
export function rewriteReferences(
  formula: string,
  hostTitle: string,
  editedTitle: string,
  edit: DimensionEdit,
): string {
  return mapReferences(formula, (reference) => {
    if ((reference.title ?? hostTitle).toLowerCase() !== editedTitle.toLowerCase()) return reference.text;
    return followEdit(reference, edit);
  });
}

/** The formula as pasted `rows` further down and `columns` further right: parts without `$` shift. */
export function shiftReferences(formula: string, rows: number, columns: number): string {
  if (rows === 0 && columns === 0) return formula;
  return mapReferences(formula, (reference) => {
    const shift = (corner: ReferenceCorner): ReferenceCorner => ({
      ...corner,
      ...(corner.row === undefined ? {} : { row: corner.row + (corner.rowFixed ? 0 : rows) }),
      ...(corner.column === undefined ? {} : { column: corner.column + (corner.columnFixed ? 0 : columns) }),
    });
    return print(reference, shift(reference.first), reference.last && shift(reference.last));
  });
}

/** The formula with another title in the references to a renamed sheet. */
export function renameInReferences(formula: string, before: string, quotedAfter: string): string {
  return mapReferences(formula, (reference) => {
    if (reference.title?.toLowerCase() !== before.toLowerCase()) return reference.text;
    return `${quotedAfter}!${reference.text.slice(reference.prefix.length)}`;
  });
}

function mapReferences(formula: string, map: (reference: Reference) => string): string {
  const tokens = tokenizeFormula(formula.slice(1));
  if (!tokens) return formula;
  return `=${tokens.map((token) => (token.kind === 'reference' ? map(token) : token.text)).join('')}`;
}

function followEdit(reference: Reference, edit: DimensionEdit): string {
  const key = edit.dimension === 'ROWS' ? 'row' : 'column';
  const { first, last } = reference;
  const start = first[key];
  if (!last) {
    if (start === undefined) return reference.text;
    const index = mapIndex(edit, start);
    return index === undefined ? `${reference.prefix}#REF!` : print(reference, { ...first, [key]: index });
  }
  const end = last[key];
  if (start === undefined || end === undefined) return reference.text;
  const interval = mapInterval(edit, Math.min(start, end), Math.max(start, end) + 1);
  if (!interval) return `${reference.prefix}#REF!`;
  return print(reference, { ...first, [key]: interval[0] }, { ...last, [key]: interval[1] - 1 });
}

function print(reference: Reference, first: ReferenceCorner, last?: ReferenceCorner): string {
  const corners = last ? [first, last] : [first];
  if (corners.some(({ row, column }) => (row ?? 0) < 0 || (column ?? 0) < 0)) return `${reference.prefix}#REF!`;
  return reference.prefix + corners.map(printCorner).join(':');
}

function printCorner(corner: ReferenceCorner): string {
  const letters = corner.column === undefined ? '' : (corner.columnFixed ? '$' : '') + columnToLetters(corner.column);
  const digits = corner.row === undefined ? '' : (corner.rowFixed ? '$' : '') + String(corner.row + 1);
  return letters + digits;
}
