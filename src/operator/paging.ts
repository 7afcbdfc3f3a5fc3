// Cursors of lists that are shown page by page: each names a place in the order of its list, and survives in an address.
import { createHash } from 'node:crypto';
import { OperatorError } from './errors.ts';

/** Lists that have cursors. A cursor of one is none of another. */
export type PagedList =
  | 'runs'
  | 'log'
  | 'conflicts'
  | 'problems'
  | 'jobs'
  | 'feeds'
  | 'enrolments'
  | 'messages'
  | 'decisions';

type Part = string | number | boolean;

/** Letters, digits, `-` and `_`. It may hold names of jobs and ids, and nothing else of a contact. */
export function cursorOf(list: PagedList, place: readonly Part[]): string {
  const text = JSON.stringify([list, ...place]);
  return Buffer.from(`${digestOf(text)}${text}`).toString('base64url');
}

/**
 * The parts of the place; undefined: there is no cursor, so it is the first page. Throws OperatorError: it is not a cursor of
 * this list.
 */
export function placeIn(list: PagedList, cursor: string | undefined): readonly unknown[] | undefined {
  if (cursor === undefined) return undefined;
  const written = Buffer.from(cursor, 'base64url').toString('utf8');
  const text = written.slice(digestLength);
  if (written.slice(0, digestLength) !== digestOf(text)) throw noCursor(list);
  const [of, ...place] = JSON.parse(text) as readonly unknown[];
  if (of !== list) throw noCursor(list);
  return place;
}

/** An address that was cut off or typed: nobody is kept from writing a cursor by hand. */
export function noCursor(list: PagedList): OperatorError {
  return new OperatorError('invalid', `the cursor is not one of this list (${list}): begin at its first page`);
}

export interface PageQuery {
  /** At most so many; at least 1. */
  readonly limit: number;
  /** `next` of the page before this one. Left out: the first page. */
  readonly after?: string | undefined;
  /** `previous` of the page after this one. Not with `after`. */
  readonly before?: string | undefined;
}

/** Throws OperatorError: an address that was typed has both. */
export function refuseBoth({ after, before }: Omit<PageQuery, 'limit'>): void {
  if (after === undefined || before === undefined) return;
  throw new OperatorError('invalid', 'a page comes after one place or before one, not both');
}

export interface PageOf<Item> {
  readonly items: readonly Item[];
  /** For `after`; null: this is the last page. */
  readonly next: string | null;
  /** For `before`; null: this is the first page. */
  readonly previous: string | null;
}

/** One page of a list that is in memory. `placeOf` gives what the order depends on; equal places are one item. */
export function pageOf<Item>(
  list: PagedList,
  all: readonly Item[],
  placeOf: (item: Item) => readonly Part[],
  query: PageQuery,
): PageOf<Item> {
  refuseBoth(query);
  const { limit } = query;
  const [after, before] = [placeIn(list, query.after), placeIn(list, query.before)];
  const placed = all.map((item) => ({ item, place: placeOf(item) }));
  const sorted = placed.toSorted((a, b) => comparePlaces(a.place, b.place));
  const countWhere = (isBefore: (order: number) => boolean, from: readonly unknown[]) => {
    const at = sorted.findIndex(({ place }) => !isBefore(comparePlaces(place, from)));
    return at === -1 ? sorted.length : at;
  };
  const end = before && countWhere((order) => order < 0, before);
  const start = end === undefined ? (after ? countWhere((order) => order <= 0, after) : 0) : Math.max(0, end - limit);
  const shown = sorted.slice(start, end ?? start + limit);
  const [first, last] = [shown[0], shown.at(-1)];
  return {
    items: shown.map(({ item }) => item),
    next: last && start + shown.length < sorted.length ? cursorOf(list, last.place) : null,
    previous: first && start > 0 ? cursorOf(list, first.place) : null,
  };
}

/** Parts of one kind at each place; a cursor that has others was written by hand, and gives some page. */
function comparePlaces(a: readonly unknown[], b: readonly unknown[]): number {
  for (const [index, part] of a.entries()) {
    const order = compareParts(part, b[index]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareParts(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  return Number(a) - Number(b) || 0;
}

const digestLength = 8;

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digestLength);
}
