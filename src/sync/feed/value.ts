// Values of a feed's cells: a field of a record, or what a path finds inside it.
import { type Cell, isSame, type Kind, readCell, readCrm, writeCell } from '../value/kinds.ts';
import type { Reading, Value } from '../value/value.ts';

/** `inner`: what a path finds. Numbers stay numbers, so that people can sort by them (V7). */
export type FeedKind = Kind | 'inner';

export interface FeedField {
  /** The path as it is written: `schedule.timezone`. */
  readonly name: string;
  readonly header: string;
  readonly kind: FeedKind;
  /** Names of fields and indexes of lists. The first is a field of the record. */
  readonly path: readonly (string | number)[];
}

/** A field that is missing from the answer is unknown (V3). Nothing at the end of a path is a blank. */
export function readField({ kind, path }: FeedField, record: Readonly<Record<string, unknown>>): Reading {
  const [name = '', ...inside] = path;
  const whole = record[String(name)];
  if (whole === undefined) return undefined;
  if (kind !== 'inner' && kind !== 'json') return readCrm(kind, whole);
  let found: unknown = whole;
  for (const step of inside) found = stepInto(found, step);
  return shown(found ?? null);
}

function stepInto(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null) return null;
  // Only own properties: `constructor` is no field of a record.
  return Object.hasOwn(value, step) ? (value as Readonly<Record<string | number, unknown>>)[step] : null;
}

export function isSameInCell({ kind }: FeedField, value: Value, cell: Cell): boolean {
  const known = plainKind(kind);
  const reading = readCell(known, cell);
  if (typeof reading === 'object' && reading !== null) return false;
  return isSame(known, typeof value === 'number' && known === 'text' ? String(value) : value, reading);
}

export function toFeedCell({ kind }: FeedField, value: Value): string | number | boolean {
  return typeof value === 'number' ? writeNumber(kind, value) : writeCell(plainKind(kind), value);
}

function writeNumber(kind: FeedKind, value: number) {
  return kind === 'inner' || kind === 'json' ? value : writeCell(kind, value);
}

function plainKind(kind: FeedKind): Kind {
  return kind === 'inner' || kind === 'json' ? 'text' : kind;
}

function shown(found: unknown): Value {
  if (typeof found === 'number') return found;
  if (Array.isArray(found)) {
    if (found.length === 0) return null;
    if (found.every(isTimeblock)) return timeblocksText(found);
    if (found.every((item) => typeof item !== 'object' || item === null)) return readCrm('list', found) ?? null;
  }
  return (typeof found === 'object' ? readCrm('json', found) : readCrm('text', found)) ?? null;
}

interface Timeblock {
  /** 0 is Sunday; so is 7. */
  readonly dow: number;
  /** Minutes from midnight. */
  readonly from: number;
  readonly to: number;
}

function isTimeblock(item: unknown): item is Timeblock {
  const { dow, from, to } = (item ?? {}) as Partial<Timeblock>;
  return Number.isInteger(dow) && Number.isInteger(from) && Number.isInteger(to);
}

/** The week begins on Monday. */
const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** `Mon-Thu 09:00-12:00, 13:00-17:00; Fri 09:00-12:00` */
function timeblocksText(blocks: readonly Timeblock[]): string {
  const sorted = blocks.toSorted((a, b) => a.from - b.from || a.to - b.to);
  const hours = dayNames.map((_name, day) =>
    sorted
      .filter(({ dow }) => (dow + 6) % 7 === day)
      .map(({ from, to }) => `${clockText(from)}-${clockText(to)}`)
      .join(', '),
  );
  const runs: { readonly first: number; last: number; readonly text: string }[] = [];
  for (const [day, text] of hours.entries()) {
    const before = runs.at(-1);
    if (text === '') continue;
    if (before?.text === text && before.last === day - 1) before.last = day;
    else runs.push({ first: day, last: day, text });
  }
  return runs.map(({ first, last, text }) => `${daysText(first, last)} ${text}`).join('; ');
}

function daysText(first: number, last: number): string {
  return first === last ? dayNames[first]! : `${dayNames[first]}-${dayNames[last]}`;
}

function clockText(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
