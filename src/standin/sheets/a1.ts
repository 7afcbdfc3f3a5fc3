// A1 notation: column letters, cell and range references, sheet titles in front of them. Inside all counts begin at 0,
// half-open; only inputs and outputs have letters and row numbers.

/** A rectangle of a sheet, half-open: rows `top` to `bottom - 1`, columns `left` to `right - 1`. */
export interface Rect {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** A rectangle whose sides may be open (`A:C`, `2:2`); an open side reaches the edge of the grid. */
export interface OpenRect {
  readonly top?: number;
  readonly left?: number;
  readonly bottom?: number;
  readonly right?: number;
}

/** The widest column a sheet may have, ZZZ. */
export const columnsMax = 18_278;

/** 0 -> A, 25 -> Z, 26 -> AA. */
export function columnToLetters(column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCodePoint(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

/** A -> 0, z -> 25, AA -> 26. */
export function lettersToColumn(letters: string): number {
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + ((letter.codePointAt(0) ?? 0) - 64);
  return column - 1;
}

/** Titles that read as a plain word are not quoted; all others, and those that look like a cell, are. */
export function quoteTitle(title: string): string {
  const bare = /^[A-Za-z_][A-Za-z0-9_]*$/.test(title) && !looksLikeReference(title);
  return bare ? title : `'${title.replaceAll("'", "''")}'`;
}

function looksLikeReference(title: string): boolean {
  return /^[A-Za-z]{1,3}\d+$/.test(title) || /^[Rr]\d*[Cc]\d*$/.test(title);
}

/** `Sheet1!A1:B2`, `Sheet1!A1` for one cell. */
export function rectToA1(title: string, rect: Rect): string {
  const first = `${columnToLetters(rect.left)}${rect.top + 1}`;
  const last = `${columnToLetters(rect.right - 1)}${rect.bottom}`;
  return `${quoteTitle(title)}!${first === last ? first : `${first}:${last}`}`;
}

export interface A1Parts {
  /** Undefined: no title was given. */
  readonly title?: string;
  /** The title was in quotes, so it cannot be a named range or a cell. */
  readonly quoted: boolean;
  /** Undefined: no reference follows the title. */
  readonly reference?: string;
}

/** Splits `'My tab'!A1:B2` into its title and its reference; undefined: the quotes do not match. */
export function splitA1(text: string): A1Parts | undefined {
  const quoted = /^'((?:[^']|'')+)'(?:!(.+))?$/s.exec(text);
  if (quoted) {
    const title = (quoted[1] ?? '').replaceAll("''", "'");
    return quoted[2] === undefined ? { title, quoted: true } : { title, quoted: true, reference: quoted[2] };
  }
  const bang = text.lastIndexOf('!');
  if (bang === -1) return text.startsWith("'") ? undefined : { quoted: false, reference: text };
  return { title: text.slice(0, bang), quoted: false, reference: text.slice(bang + 1) };
}

interface Corner {
  readonly row?: number;
  readonly column?: number;
}

function parseCorner(text: string): Corner | undefined {
  const match = /^\$?([A-Za-z]{1,3})?\$?([1-9]\d{0,7})?$/.exec(text);
  if (!match || (match[1] === undefined && match[2] === undefined)) return undefined;
  const column = match[1] === undefined ? undefined : lettersToColumn(match[1]);
  if (column !== undefined && column >= columnsMax) return undefined;
  return {
    ...(column === undefined ? {} : { column }),
    ...(match[2] === undefined ? {} : { row: Number(match[2]) - 1 }),
  };
}

/** `A1`, `A1:B2`, `A:C`, `2:5`, `B3:B`, corners in any order; undefined for anything else. */
export function parseReference(text: string): OpenRect | undefined {
  const [firstText = '', lastText, more] = text.split(':');
  if (more !== undefined) return undefined;
  const first = parseCorner(firstText);
  if (!first) return undefined;
  if (lastText === undefined) {
    if (first.row === undefined || first.column === undefined) return undefined;
    return { top: first.row, left: first.column, bottom: first.row + 1, right: first.column + 1 };
  }
  const last = parseCorner(lastText);
  if (!last) return undefined;
  const rows = span(first.row, last.row);
  const columns = span(first.column, last.column);
  return {
    ...(rows.from === undefined ? {} : { top: rows.from }),
    ...(rows.to === undefined ? {} : { bottom: rows.to }),
    ...(columns.from === undefined ? {} : { left: columns.from }),
    ...(columns.to === undefined ? {} : { right: columns.to }),
  };
}

/** `A5:A` gives rows from 4 on; `A1:2` gives every column from A on, rows 0 and 1. */
function span(first: number | undefined, last: number | undefined): { from?: number; to?: number } {
  if (first === undefined && last === undefined) return {};
  if (first === undefined) return { from: last ?? 0 };
  if (last === undefined) return { from: first };
  return { from: Math.min(first, last), to: Math.max(first, last) + 1 };
}
