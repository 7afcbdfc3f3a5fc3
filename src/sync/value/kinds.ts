// V1: the kind of a field knows how to read it on both sides, how to write it, and when two values are the same.
import { isSameEmail, isSameHandle, isSameText, isStoredFormOfText } from './same.ts';
import type { Reading, Value } from './value.ts';

export type Kind = 'text' | 'email' | 'handle' | 'integer' | 'flag' | 'timestamp' | 'list' | 'json';

/** A cell as the spreadsheet gives it, unformatted: dates are days since 1899-12-30. */
export type Cell = string | number | boolean | null | { readonly error: string };

/** A cell that says nothing this run; `shown` is for people (V4). */
export interface Unreadable {
  readonly unreadable: string;
}

interface KindOf {
  /** Of the raw answer. What cannot be read as this kind is unknown. */
  readonly fromCrm: (raw: unknown) => Reading;
  /** Never given blanks or error values. */
  readonly fromCell: (cell: string | number | boolean) => Value | Unreadable;
  /** Never given blanks. */
  readonly toCell: (value: string | number | boolean) => string | number | boolean;
  readonly isSame: (a: string | number | boolean, b: string | number | boolean) => boolean;
  /** M5, beyond `isSame`. Left out: the kind has no other form. */
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

/** Text that people write: a service may reformat it. Addresses, handles and lists are not reformatted beyond V2. */
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

/** A map: of an object, `constructor` would be a word too. */
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
  // V7: a real date, so that people can sort by it; the number format of the column shows it as one.
  toCell: (value) => Date.parse(String(value)) / 1000 / secondsPerDay + unixEpochSerial,
  isSame: (a, b) => a === b,
};

const listSeparator = ', ';

const list: KindOf = {
  ...text,
  fromCrm: (raw) => (Array.isArray(raw) ? textOrBlank(raw.map(itemText).join(listSeparator)) : asText(raw)),
};

/** What is no plain text is shown as JSON, whatever it is. */
function itemText(item: unknown): string {
  return typeof item === 'string' ? item : JSON.stringify(item);
}

const json: KindOf = {
  ...text,
  fromCrm: (raw) => {
    const isEmpty = raw === null || raw === '' || (Array.isArray(raw) && raw.length === 0);
    // Which makes undefined of undefined: unknown (V3).
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

/** One field of a contact, as answered. */
export function readCrm(kind: Kind, raw: unknown): Reading {
  return kinds[kind].fromCrm(raw);
}

/** One cell. `undefined` is a column that was not found: unknown. */
export function readCell(kind: Kind, cell: Cell | undefined): Reading | Unreadable {
  if (cell === undefined) return undefined;
  if (cell === null || (typeof cell === 'string' && cell.trim() === '')) return null;
  if (typeof cell === 'object') return { unreadable: cell.error };
  return kinds[kind].fromCell(cell);
}

/** What is written into a cell, always RAW (V6); '' empties it. */
export function writeCell(kind: Kind, value: Value): string | number | boolean {
  return value === null ? '' : kinds[kind].toCell(value);
}

/** V2, V3. Unknown is the same as nothing, not even as unknown. */
export function isSame(kind: Kind, a: Reading, b: Reading): boolean {
  if (a === undefined || b === undefined) return false;
  if (a === b) return true;
  if (a === null || b === null) return false;
  return kinds[kind].isSame(a, b);
}

/**
 * M5: whether a service that was sent `sent` may have stored it as `stored`. Anything else is another value, which somebody
 * else wrote. In doubt it is another value: a conflict can be resolved, an edit that was overwritten is lost.
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

/** V2, V3: outer white space does not count, so text that is nothing else is blank. */
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

/** Without a zone the service means UTC. */
function toInstant(read: string): string | undefined {
  const [, day, time = '00:00:00', zone = 'Z'] = isoInstant.exec(read.trim()) ?? [];
  return day === undefined ? undefined : instantText(Date.parse(`${day}T${time}${zone}`));
}

function instantText(millis: number): string | undefined {
  const date = new Date(Math.round(millis / 1000) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace('.000', '');
}
