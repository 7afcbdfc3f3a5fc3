// Reads addresses as people write them: spreadsheet URLs, tab references, A1 ranges.
// They occur in the configuration and in messages; the adapter addresses by sheetId and metadata id, never by A1.
import type { SheetAddresses } from '../port.ts';
import { BadSpreadsheetReferenceError } from './errors.ts';

/** A tab as configured: by `gid:N` (the number in the tab's URL), else by its title. */
export type TabReference =
  | { readonly kind: 'gid'; readonly sheetId: number }
  | { readonly kind: 'title'; title: string };

/** Bounds as in Google's GridRange: zero-based, ends exclusive; a missing bound is open. */
export interface GridBounds {
  readonly startRowIndex?: number;
  readonly endRowIndex?: number;
  readonly startColumnIndex?: number;
  readonly endColumnIndex?: number;
}

const spreadsheetUrl = /^https?:\/\/docs\.google\.com\/spreadsheets\/(?:u\/\d+\/)?d\/([\w-]+)/;
const spreadsheetId = /^[\w-]{10,}$/;

/** The id in a spreadsheet's URL as copied from the browser, or the id itself; undefined for anything else. */
function findSpreadsheetId(text: string): string | undefined {
  const trimmed = text.trim();
  return spreadsheetUrl.exec(trimmed)?.[1] ?? (spreadsheetId.test(trimmed) ? trimmed : undefined);
}

/** Like the function above. Throws BadSpreadsheetReferenceError for anything else. */
export function textToSpreadsheetId(text: string): string {
  const id = findSpreadsheetId(text);
  if (id === undefined) throw new BadSpreadsheetReferenceError(text);
  return id;
}

export function textToTabReference(text: string): TabReference {
  const gid = /^gid:(\d+)$/.exec(text.trim())?.[1];
  return gid === undefined ? { kind: 'title', title: text } : { kind: 'gid', sheetId: Number(gid) };
}

/** In the form of `textToTabReference`: it stays valid when the tab is renamed. */
export function sheetIdToReference(sheetId: number): string {
  return `gid:${sheetId}`;
}

export const googleAddresses: SheetAddresses = {
  spreadsheetId: findSpreadsheetId,
  // The browser shows the tab as `#gid=7`, and lately as `?gid=7#gid=7` as well.
  tabIn(address) {
    const gid = findSpreadsheetId(address) === undefined ? undefined : /[?#&]gid=(\d+)/.exec(address)?.[1];
    return gid === undefined ? undefined : sheetIdToReference(Number(gid));
  },
  // No two tabs of a spreadsheet have titles that differ only in case. Only Google can compare a gid with a title.
  tabKey(tab) {
    const reference = textToTabReference(tab);
    return reference.kind === 'gid'
      ? sheetIdToReference(reference.sheetId)
      : `title:${reference.title.trim().toLowerCase()}`;
  },
};

/** 0 -> A, 25 -> Z, 26 -> AA. */
export function columnLetter(columnIndex: number): string {
  const last = String.fromCodePoint(65 + (columnIndex % 26));
  return columnIndex < 26 ? last : columnLetter(Math.floor(columnIndex / 26) - 1) + last;
}

/** A -> 0, Z -> 25, AA -> 26. */
function columnLetterToIndex(letters: string): number {
  return (
    Array.from(letters.toUpperCase()).reduce((index, letter) => index * 26 + (letter.codePointAt(0) ?? 0) - 64, 0) - 1
  );
}

/** The first cell of a range in an answer: `'Über uns'!C7:E9` -> row 6, column 2. Undefined: it is not A1. */
export function rangeStart(range: string): { rowIndex: number; columnIndex: number } | undefined {
  const [, letters, digits] = /(?:^|!)\$?([A-Za-z]{1,3})\$?(\d*)(?::[^!]*)?$/.exec(range) ?? [];
  if (letters === undefined) return undefined;
  return { rowIndex: digits ? Number(digits) - 1 : 0, columnIndex: columnLetterToIndex(letters) };
}

/** The cells of a range in an answer: indexes from 0, ends exclusive. */
export interface RangeExtent {
  readonly title: string | undefined;
  readonly startRow: number;
  readonly startColumn: number;
  readonly endRow: number;
  readonly endColumn: number;
}

/** `'Über uns'!C7:E9` -> rows 6 to 9, columns 2 to 5 of `Über uns`. Undefined: it is not a closed range. */
export function rangeExtent(range: string): RangeExtent | undefined {
  const [, quoted, bare, from = '', first, to, last] =
    /^(?:'((?:[^']|'')*)'!|([^!]*)!)?([A-Z]{1,3})(\d+)(?::([A-Z]{1,3})(\d+))?$/.exec(range) ?? [];
  if (first === undefined) return undefined;
  return {
    title: quoted?.replaceAll("''", "'") ?? bare,
    startRow: Number(first) - 1,
    startColumn: columnLetterToIndex(from),
    endRow: Number(last ?? first),
    endColumn: columnLetterToIndex(to ?? from) + 1,
  };
}

/** Bounds for people: `B2:D10`, `B2`, `B:D`, `B:B`, `2:10`, or `the whole tab`. */
export function boundsToText(bounds: GridBounds): string {
  const row = (index: number | undefined) => (index === undefined ? '' : String(index));
  const first =
    (bounds.startColumnIndex === undefined ? '' : columnLetter(bounds.startColumnIndex)) +
    row(bounds.startRowIndex === undefined ? undefined : bounds.startRowIndex + 1);
  const last =
    (bounds.endColumnIndex === undefined ? '' : columnLetter(bounds.endColumnIndex - 1)) + row(bounds.endRowIndex);
  if (first === '' && last === '') return 'the whole tab';
  const isOneCell = first === last && /^[A-Z]+\d+$/.test(first);
  return isOneCell ? first : `${first}:${last}`;
}
