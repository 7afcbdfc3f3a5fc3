// The kinds of fields (V1): how each is read from both sides and written, and when two of its values are the same.
import { isSameEmail, isSameHandle, isSameText, isStoredFormOfText } from './same.ts';
import type { Reading, Value } from './value.ts';

export type Kind = 'text' | 'email' | 'handle' | 'integer' | 'flag' | 'timestamp' | 'list' | 'json';

/** A cell as the spreadsheet gives it, unformatted: dates are days since 1899-12-30. */
export type Cell = string | number | boolean | null | { readonly error: string; readonly isCovered?: true };

/** A cell whose content cannot be read as the kind of its field (V4). The text is for people. */
export interface Unreadable {
  readonly unreadable: string;
  /** Merged cells cover it (V3). */
  readonly isCovered?: true;
}

interface KindOf {
  /** Reads a raw answer. A value of another kind is unknown. */
  readonly fromCrm: (raw: unknown) => Reading;
  /** Never given blanks or error values. */
  readonly fromCell: (cell: string | number | boolean) => Value | Unreadable;
  /** Never given blanks. */
  readonly toCell: (value: string | number | boolean) => string | number | boolean;
  readonly isSame: (a: string | number | boolean, b: string | number | boolean) => boolean;
  /** M5, beyond `isSame`. Left out: the kind has only one form. */
  readonly isStoredForm?: (stored: string, sent: string) => boolean;
}

const secondsPerDay = 86_400;
/** 1970-01-01 as a serial of Sheets, whose day 0 is 1899-12-30. */
const unixEpochSerial = 25_569;

const asText = (value: unknown): Reading => {
  if (value === undefined) return undefined;
  if (value === null) return null;
  if (typeof value === 'string') return textOrBlank(value);
  return typeof value === 'number' || typeof value === 'boolean' ? cellText(value) : undefined;
};

const text: KindOf = {
  fromCrm: asText,
  fromCell: (cell) => textOrBlank(cellText(cell)),
  toCell: String,
  isSame: (a, b) => isSameText(String(a), String(b)),
};

/** Text that people write. The service may reformat it; it does not reformat addresses, handles and lists beyond V2. */
const prose: KindOf = { ...text, isStoredForm: isStoredFormOfText };

const integer: KindOf = {
  fromCrm: (raw) => {
    const read = asText(raw);
    return typeof read === 'string' ? toInteger(read) : read;
  },
  fromCell: (cell) => toInteger(cellText(cell)) ?? { unreadable: cellText(cell) },
  toCell: (value) => value,
  isSame: (a, b) => a === b,
};

/** A map and not an object: an object would also find the word `constructor`. */
const flagWords: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

const flag: KindOf = {
  fromCrm: (raw) => {
    const read = asText(raw);
    return typeof read === 'string' ? flagWords.get(read.trim().toLowerCase()) : read;
  },
  fromCell: (cell) => flagWords.get(cellText(cell).trim().toLowerCase()) ?? { unreadable: cellText(cell) },
  toCell: (value) => value,
  isSame: (a, b) => a === b,
};

const timestamp: KindOf = {
  fromCrm: (raw) => {
    const read = asText(raw);
    return typeof read === 'string' ? toInstant(read) : read;
  },
  fromCell: (cell) => {
    const millis = typeof cell === 'number' ? (cell - unixEpochSerial) * secondsPerDay * 1000 : Number.NaN;
    return instantText(millis) ?? toInstant(cellText(cell)) ?? { unreadable: cellText(cell) };
  },
  // V7: a real date, so that people can sort by it. The number format of the column shows it as a date.
  toCell: (value) => Date.parse(String(value)) / 1000 / secondsPerDay + unixEpochSerial,
  isSame: (a, b) => a === b,
};

const listSeparator = ', ';

const list: KindOf = {
  ...text,
  fromCrm: (raw) => (Array.isArray(raw) ? textOrBlank(raw.map(itemText).join(listSeparator)) : asText(raw)),
};

/** An item that is not text is shown as JSON. */
function itemText(item: unknown): string {
  return typeof item === 'string' ? item : JSON.stringify(item);
}

const json: KindOf = {
  ...text,
  fromCrm: (raw) => {
    const isEmpty = raw === null || raw === '' || (Array.isArray(raw) && raw.length === 0);
    // JSON.stringify(undefined) is undefined, which is unknown (V3).
    return isEmpty ? null : JSON.stringify(raw);
  },
};

const kinds: Readonly<Record<Kind, KindOf>> = {
  text: prose,
  email: { ...text, isSame: (a, b) => isSameEmail(String(a), String(b)) },
  handle: { ...text, isSame: (a, b) => isSameHandle(String(a), String(b)) },
  integer,
  flag,
  timestamp,
  list,
  json,
};

/** One field of a contact, as the service answered it. */
export function readCrm(kind: Kind, raw: unknown): Reading {
  return kinds[kind].fromCrm(raw);
}

/** One cell. undefined: the column was not found, and the value is unknown. */
export function readCell(kind: Kind, cell: Cell | undefined): Reading | Unreadable {
  if (cell === undefined) return undefined;
  if (cell === null || (typeof cell === 'string' && cell.trim() === '')) return null;
  if (typeof cell === 'object') return { unreadable: cell.error, ...(cell.isCovered && { isCovered: true }) };
  return kinds[kind].fromCell(cell);
}

/** The content to write into a cell, always RAW (V6); '' empties it. */
export function writeCell(kind: Kind, value: Value): string | number | boolean {
  return value === null ? '' : kinds[kind].toCell(value);
}

/** V2, V3. Unknown equals no value, not even another unknown. */
export function isSame(kind: Kind, a: Reading, b: Reading): boolean {
  if (a === undefined || b === undefined) return false;
  if (a === b) return true;
  if (a === null || b === null) return false;
  return kinds[kind].isSame(a, b);
}

/**
 * M5: whether the service may have stored `sent` as `stored`. If not, another person or program wrote `stored`. In doubt
 * the answer is no: a conflict can be resolved, an overwritten edit is lost.
 */
export function isStoredForm(kind: Kind, stored: Reading, sent: Reading): boolean {
  if (isSame(kind, stored, sent)) return true;
  if (typeof stored !== 'string' || typeof sent !== 'string') return false;
  return kinds[kind].isStoredForm?.(stored, sent) ?? false;
}

/** V6: the longest text a cell takes, https://developers.google.com/workspace/sheets/api/limits. */
const cellTextMax = 50_000;

export const tooLong = 'the text is longer than the 50,000 characters a cell takes';

export function isTooLong(value: Value): boolean {
  return typeof value === 'string' && value.length > cellTextMax;
}

/** V2, V3: outer white space does not count, so text of white space alone is blank. */
function textOrBlank(value: string): Value {
  return value.trim() === '' ? null : value;
}

function cellText(cell: string | number | boolean): string {
  return typeof cell === 'boolean' ? String(cell).toUpperCase() : String(cell);
}

function toInteger(read: string): number | undefined {
  const trimmed = read.trim();
  const number = Number(trimmed);
  return /^[+-]?\d+(?:\.0+)?$/.test(trimmed) && Number.isSafeInteger(number) ? number : undefined;
}

const isoInstant = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** The service means UTC where it names no zone. */
function toInstant(read: string): string | undefined {
  const [, day, time = '00:00:00', zone = 'Z'] = isoInstant.exec(read.trim()) ?? [];
  return day === undefined ? undefined : instantText(Date.parse(`${day}T${time}${zone}`));
}

function instantText(millis: number): string | undefined {
  const date = new Date(Math.round(millis / 1000) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace('.000', '');
}
