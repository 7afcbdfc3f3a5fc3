// Finds the header row of a tab, and describes the columns below it, before anything is mapped.
import type { CellValue, PreviewCell } from '../../sheets/port.ts';
import { normalEmail } from '../../sync/value/same.ts';
import { fieldOfHeader } from './synonyms.ts';

type Rows = readonly (readonly PreviewCell[])[];

export type HeaderRow =
  | { readonly kind: 'found'; readonly row: number }
  /** No cell of the tab holds anything. */
  | { readonly kind: 'blank' }
  /** The first rows look like people and not like headers. `row`: the first of them. */
  | { readonly kind: 'none'; readonly row: number };

/** Above the headers stands a title or a note, and no long text. */
const headerRowMax = 20;

/** `rows`: of the tab, from row 1 on. Rows count from 1. */
export function findHeaderRow(rows: Rows, fields: ReadonlySet<string>): HeaderRow {
  const scored = rows.slice(0, headerRowMax).flatMap((row, index) => {
    const texts = row.map(({ value }) => textOf(value)).filter((text) => text !== '');
    if (texts.length === 0) return [];
    const known = texts.filter((text) => fieldOfHeader(text, fields) !== undefined).length;
    const data = row.filter(({ value }) => isData(value)).length;
    const repeated = texts.length - new Set(texts).size;
    return [{ row: index + 1, known, data, score: known * 4 + texts.length - data * 5 - repeated }];
  });
  const [first] = scored;
  if (!first) return { kind: 'blank' };
  const best = scored.reduce((one, other) => (other.score > one.score ? other : one));
  return best.known === 0 && best.data > 0 ? { kind: 'none', row: best.row } : { kind: 'found', row: best.row };
}

/** Values that stand in rows of people, and above no column. */
function isData(value: CellValue): boolean {
  return typeof value === 'number' || typeof value === 'boolean' || isEmailLike(textOf(value)) || isLink(textOf(value));
}

export function isEmailLike(text: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(normalEmail(text));
}

function isLink(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** A column of the tab as it was found. */
export interface FoundColumn {
  readonly header: string;
  /** For people: `A`. */
  readonly letter: string;
  /** Texts of cells that are not blank, in the order of the rows. */
  readonly texts: readonly string[];
  readonly formulas: number;
  /** Why it cannot be mapped; undefined: it can. */
  readonly fault?: 'doubled' | 'unfit';
}

/** The columns with a header, from the left. `headerRow` counts from 1. */
export function columnsBelow(rows: Rows, headerRow: number): readonly FoundColumn[] {
  const headers = (rows[headerRow - 1] ?? []).map(({ value }) => textOf(value));
  const below = rows.slice(headerRow);
  return headers.flatMap((header, index): FoundColumn[] => {
    if (header === '') return [];
    const cells = below.flatMap((row) => row[index] ?? []);
    const texts = cells.map(({ value }) => textOf(value)).filter((text) => text !== '');
    const isDoubled = headers.indexOf(header) !== headers.lastIndexOf(header);
    // YAML and JavaScript objects have no key of this name.
    const fault = isDoubled ? 'doubled' : header === '__proto__' ? 'unfit' : undefined;
    const formulas = cells.filter(({ isFormula }) => isFormula).length;
    return [{ header, letter: letterOf(index), texts, formulas, ...(fault && { fault }) }];
  });
}

export function textOf(value: CellValue): string {
  if (value === null) return '';
  return (typeof value === 'object' ? value.error : String(value)).trim();
}

/** 0 -> A, 26 -> AA. */
function letterOf(index: number): string {
  const last = String.fromCodePoint(65 + (index % 26));
  return index < 26 ? last : letterOf(Math.floor(index / 26) - 1) + last;
}
