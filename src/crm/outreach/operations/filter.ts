/*
 * The filter of the contact search: its grammar, the normal form that the client sends, and whether a contact matches
 * it.
 * The client matches too: a service that ignores a filter answers rows that do not match.
 */
import * as z from 'zod';
import { contact, contactFieldNames } from './records.ts';
import type { ContactField } from './records.ts';

const comparisons = ['=', '!=', '<', '<=', '>', '>=', '<>'] as const;
type Comparison = (typeof comparisons)[number];

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const filterValue = z.union([
  z.array(scalar).describe('IN query'),
  z
    .partialRecord(z.enum(comparisons), scalar)
    .refine((value) => Object.keys(value).length > 0, 'names no operator')
    .describe('comparison; several are joined with AND'),
  scalar.describe('equality; the texts is_null and is_not_null ask for IS NULL and IS NOT NULL'),
]);
export type FilterValue = z.infer<typeof filterValue>;

/** `q` is no contact field: it searches several text fields at once. */
export const contactFilter = z.partialRecord(z.enum([...contactFieldNames, 'q']), filterValue);
export type ContactFilter = z.infer<typeof contactFilter>;

/** The normal form of a filter, made before it is checked and sent. */
export function prepareFilter(filter: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(filter).map(([key, value]) => [key, prepareValue(key, value)]));
}

function prepareValue(key: string, value: unknown): unknown {
  if (value === null) return 'is_null';
  if (!isInstantField(key)) return value;
  if (isBareDate(value)) return wholeDay('=', value);
  if (typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([operator, bound]) =>
      isBareDate(bound) ? Object.entries(wholeDay(operator, bound)) : [[operator, bound]],
    ),
  );
}

/** The service would read a bare date as its midnight, and `<= 2026-11-21` would lose all of the 21st. */
function wholeDay(operator: string, date: string): Record<string, string> {
  const first = `${date}T00:00:00.000000Z`;
  const last = `${date}T23:59:59.999999Z`;
  switch (operator) {
    case '=':
      return { '>=': first, '<=': last };
    case '<=':
    case '>':
      return { [operator]: last };
    default:
      return { [operator]: first };
  }
}

/** True when the filter cannot match anything: an IN over no values. */
export function matchesNothing(filter: ContactFilter): boolean {
  return Object.values(filter).some((value) => Array.isArray(value) && value.length === 0);
}

/**
 * Whether a contact matches, by the rules of SQL: a NULL matches no comparison, not even `!=`. undefined: it cannot be
 * decided here, because of `q` or a field that is not in the answer.
 */
export function matches(contactRow: Readonly<Record<string, unknown>>, filter: ContactFilter): boolean | undefined {
  let verdict: boolean | undefined = true;
  // A plain loop: it runs for every contact of a scan.
  for (const key in filter) {
    const value = filter[key as keyof ContactFilter];
    if (value === undefined) continue;
    const one = key === 'q' ? undefined : matchesField(key as ContactField, contactRow[key], value);
    if (one === false) return false;
    if (one === undefined) verdict = undefined;
  }
  return verdict;
}

function matchesField(name: ContactField, value: unknown, wanted: FilterValue): boolean | undefined {
  if (value === undefined) return undefined;
  if (wanted === 'is_null') return value === null;
  if (wanted === 'is_not_null') return value !== null;
  if (value === null) return false;
  if (Array.isArray(value)) {
    const anyOf = Array.isArray(wanted) ? wanted : [wanted];
    return anyOf.some((item) => value.includes(item));
  }
  if (Array.isArray(wanted)) return wanted.some((item) => compare(name, value, '=', item));
  if (typeof wanted === 'object') {
    return Object.entries(wanted).every(([operator, bound]) => compare(name, value, operator as Comparison, bound));
  }
  return compare(name, value, '=', wanted);
}

function compare(name: ContactField, value: unknown, operator: Comparison, bound: string | number | boolean): boolean {
  const left = comparable(name, value);
  const right = comparable(name, bound);
  switch (operator) {
    case '=':
      return left === right;
    case '!=':
    case '<>':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

/** Instants compare as instants, with or without decimals; flags as 0 and 1; numbers as numbers; the rest as text. */
function comparable(name: ContactField, value: unknown): string | number {
  switch (contact.fields[name].kind) {
    case 'instant':
      return Date.parse(String(value));
    case 'flag':
      return Number(value);
    case 'integer':
      return Number(value);
    default:
      return String(value);
  }
}

function isInstantField(key: string): boolean {
  return Object.hasOwn(contact.fields, key) && contact.fields[key as ContactField].kind === 'instant';
}

function isBareDate(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
}
