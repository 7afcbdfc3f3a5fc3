/*
 * Reads more contacts than one query gives.
 *
 * A query answers 10,000 results at most (some clients stop at 9,500), so a scan is cut into windows of `windowRows`.
 * Within a window pages follow by offset, and offsets shift when contacts come and go. Three rules keep a window
 * complete:
 * - Its upper bound is the start of the scan, so that new contacts do not enter it.
 * - Its total must not move, and must equal the contacts seen.
 * - A window that drifted is read once more.
 * A window that is still incomplete is read in the order of uuids, in which no two contacts are equal (complete.ts).
 * Contacts that are missing even then are counted.
 */
import { readSettled } from './complete.ts';
import type { ContactRow } from './contact-row.ts';
import { foreignOf, type Range, type Stamp } from './pages.ts';
import type { WindowOptions } from './window.ts';

/** Limit on readings of a window in the order of its stamps: once, and once more if it drifted. */
const passesMax = 2;

interface WindowEnd {
  /** The query has rows beyond windowRows, which were not read. */
  readonly cut: boolean;
  /** The stamp of the last row read. */
  readonly lastStamp: string | undefined;
  /** From the first page. */
  readonly total: number | undefined;
}

/** Yields one query's new rows, page by page up to windowRows; reads it again if it drifted. */
async function* readWindow(
  options: WindowOptions,
  stamp: Stamp,
  range: Range,
  order: 'asc' | 'any',
  /** Receives the total of the first page. True: reading on is of no use. */
  isTooLarge: (total: number | undefined) => boolean = () => false,
): AsyncGenerator<readonly ContactRow[], WindowEnd | 'too large'> {
  const { source, capabilities, windowRows, upperBound, tally, seen } = options;
  // Unknown while one page may be all there is, then fixed, also for the second reading.
  let to = range.to;
  for (let pass = 1; ; pass += 1) {
    seen.begin();
    let offset = 0;
    let firstTotal: number | undefined;
    /** Contacts out of scope: of two that come, one may stand for a contact that is missing. */
    const foreign = new Set<string>();
    let unreadable = 0;
    let isTotalSteady = true;
    let end: WindowEnd | undefined;
    let lastStamp: string | undefined;
    while (end === undefined) {
      const page = await source.read({ stamp, range: to === undefined ? range : { ...range, to }, order, offset });
      tally.pages += 1;
      unreadable += page.unreadable;
      if (offset === 0 && isTooLarge(page.total)) return 'too large';
      firstTotal ??= page.total;
      if (page.total !== firstTotal) isTotalSteady = false;
      yield seen.take(page.contacts);
      for (const uuid of foreignOf(page)) foreign.add(uuid);
      offset += page.rows;
      lastStamp = stampOf(page.read.at(-1), stamp) ?? lastStamp;
      // The end of the rows is the end; has_more is missing or wrong too often.
      if (page.isLast) end = { cut: false, lastStamp, total: firstTotal };
      else if (offset >= windowRows) end = { cut: true, lastStamp, total: firstTotal };
      else if (range.before === undefined) to ??= upperBound();
    }
    const expected = end.cut ? offset : firstTotal;
    const isCounted = expected === undefined || seen.count() + foreign.size + unreadable === expected;
    const isSettled = isTotalSteady && isCounted && seen.isSteady();
    if (isSettled && unreadable === 0) return end;
    // Rows that are no contacts may be a bad answer or permanent: the second reading decides.
    if (!isSettled) tally.drifted += 1;
    if (pass < passesMax) continue;
    tally.unreadable += unreadable;
    if (!isSettled) {
      const closed = end.cut && !capabilities.offers(`range:${stamp}`) ? undefined : closedRange(end, range, to);
      if (closed) yield* readSettled(options, stamp, closed);
    }
    return end;
  }
}

/** A window with both ends, as it can be read again. A cut window ends before the first stamp of the next. */
function closedRange({ cut, lastStamp }: WindowEnd, range: Range, to: string | undefined): Range | undefined {
  if (!cut) return to === undefined ? range : { ...range, to };
  if (lastStamp === undefined || lastStamp === range.from) return undefined;
  return { ...(range.from !== undefined && { from: range.from }), before: lastStamp };
}

/** Reads windows one after the other, each from the last stamp of the one before. Needs range and order. */
export async function* walk(
  options: WindowOptions,
  stamp: Stamp,
  since?: string,
): AsyncGenerator<readonly ContactRow[]> {
  let from = since;
  let to: string | undefined;
  for (;;) {
    const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    const end = yield* readWindow(options, stamp, range, 'asc', expecting(options));
    if (end === 'too large' || !end.cut || end.lastStamp === undefined) return;
    to = options.upperBound();
    if (end.lastStamp !== from) {
      from = end.lastStamp;
      continue;
    }
    // One second has more contacts than a query gives: that second is read by itself, and the walk continues after it.
    const next = secondAfter(from);
    yield* readSettled(options, stamp, { from, before: next });
    from = next;
  }
}

/** Notes the total of the first query of a scan. */
function expecting({ tally }: WindowOptions) {
  return (total: number | undefined) => {
    tally.expected ??= total;
    return false;
  };
}

/** Halves the span of time until each window fits. Needs the range alone; costs more calls than walking. */
export async function* bisect(
  options: WindowOptions,
  stamp: Stamp,
  span: Required<Omit<Range, 'to'>>,
): AsyncGenerator<readonly ContactRow[]> {
  const spans = [span];
  for (let next = spans.pop(); next !== undefined; next = spans.pop()) {
    const { from, before } = next;
    const end = yield* readWindow(options, stamp, next, 'any', (total) => {
      options.tally.expected ??= total;
      return total !== undefined && total > options.windowRows;
    });
    if (end !== 'too large' && !end.cut) continue;
    const [first, last] = [Date.parse(from), Date.parse(before)];
    // Stamps are whole seconds: a span of one second cannot be halved.
    if (last - first <= 1_000) {
      yield* readSettled(options, stamp, next);
      continue;
    }
    const middle = new Date(Math.round((first + last) / 2_000) * 1_000).toISOString();
    spans.push({ from: middle, before }, { from, before: middle });
  }
}

/** Reads one query to its limit, and by uuids beyond that; needs no range. */
export async function* plain(options: WindowOptions): AsyncGenerator<readonly ContactRow[]> {
  const unbounded = { ...options, upperBound: () => undefined };
  const end = yield* readWindow(unbounded, 'created_at', {}, 'any', expecting(options));
  if (end !== 'too large' && end.cut) yield* readSettled(unbounded, 'created_at', {});
}

function secondAfter(instant: string): string {
  return new Date((Math.floor(Date.parse(instant) / 1_000) + 1) * 1_000).toISOString();
}

function stampOf(row: ContactRow | undefined, stamp: Stamp): string | undefined {
  const value = row?.[stamp];
  return typeof value === 'string' ? value : undefined;
}
