import type { ContactRow } from './contact-row.ts';
import type { PageSource, Range, Stamp } from './pages.ts';

/**
 * Reading more contacts than one query gives.
 *
 * A query answers 10,000 results at most (some clients stop at 9,500), so a scan is cut into windows of `windowRows`. Within
 * a window pages follow by offset, and offsets shift when contacts come and go meanwhile. Three things keep a window honest:
 * its upper bound lies at the start of the scan, so that new contacts do not enter it; its total must stay what it was and
 * equal the contacts seen; and one that drifted is read once more. What still drifts then is said, not hidden.
 */
export interface WindowOptions {
  readonly source: PageSource;
  /** Rows read from one query at most. */
  readonly windowRows: number;
  /** The instant new contacts are kept out from, once the scan is seen to need more than one page. */
  readonly upperBound: () => string | undefined;
  readonly tally: Tally;
  readonly seen: Seen;
}

/** The contacts a scan has met so far. One table for all of it: there may be a hundred thousand. */
export interface Seen {
  /** A query is read from its first row on. */
  begin(): void;
  /** Of these rows of the query those that no query showed before. */
  take(rows: readonly ContactRow[]): readonly ContactRow[];
  /** Contacts the query has shown so far. */
  count(): number;
  /** False once the query showed one of them twice: something moved while it was read. */
  isSteady(): boolean;
}

export function createSeen(tally: Pick<Tally, 'duplicates'>): Seen {
  const uuids = new Set<string>();
  /** What the query was first to show. A list, and looked up only once something comes again, which is rare. */
  let firstOfQuery: string[] = [];
  /** What the query showed that was known to the scan; and of the list above, as many as `indexed` says. */
  let uuidsOfQuery = new Set<string>();
  let indexed = 0;
  let isSteady = true;

  /** Of one that is not new to the scan. */
  function isNewToQuery(uuid: string): boolean {
    for (; indexed < firstOfQuery.length; indexed += 1) uuidsOfQuery.add(firstOfQuery[indexed]!);
    return isNew(uuidsOfQuery, uuid);
  }

  return {
    begin() {
      firstOfQuery = [];
      uuidsOfQuery = new Set();
      [indexed, isSteady] = [0, true];
    },
    take(rows) {
      const news: ContactRow[] = [];
      for (const row of rows) {
        if (isNew(uuids, row.uuid)) {
          firstOfQuery.push(row.uuid);
          news.push(row);
        } else {
          tally.duplicates += 1;
          if (!isNewToQuery(row.uuid)) isSteady = false;
        }
      }
      return news;
    },
    count: () => firstOfQuery.length + uuidsOfQuery.size - indexed,
    isSteady: () => isSteady,
  };
}

/** Adds it. By the size, since looking first would be looking twice. */
function isNew(uuids: Set<string>, uuid: string): boolean {
  const { size } = uuids;
  return uuids.add(uuid).size > size;
}

/** What a scan counts as it goes, for its report. */
export interface Tally {
  pages: number;
  duplicates: number;
  unreadable: number;
  drifted: number;
  /** Windows that drifted again on their second reading. */
  unsettled: number;
}

/** Reads a window at most so often: once, and once more when it drifted. */
const passesMax = 2;

interface WindowEnd {
  /** Rows of the query beyond windowRows were left unread. */
  readonly cut: boolean;
  /** The stamp of the last row read. */
  readonly lastStamp: string | undefined;
}

/** One query's new rows, page by page up to windowRows, read a second time when they drifted. */
async function* readWindow(
  { source, windowRows, upperBound, tally, seen }: WindowOptions,
  stamp: Stamp,
  range: Range,
  order: 'asc' | 'any',
): AsyncGenerator<readonly ContactRow[], WindowEnd> {
  // Unknown while one page may be all there is, then fixed: also for the second reading.
  let to = range.to;
  for (let pass = 1; ; pass += 1) {
    seen.begin();
    let offset = 0;
    let firstTotal: number | undefined;
    let foreignRows = 0;
    let isTotalSteady = true;
    let end: WindowEnd | undefined;
    let lastStamp: string | undefined;
    while (end === undefined) {
      const page = await source.read({ stamp, range: to === undefined ? range : { ...range, to }, order, offset });
      tally.pages += 1;
      tally.unreadable += page.unreadable;
      firstTotal ??= page.total;
      if (page.total !== firstTotal) isTotalSteady = false;
      yield seen.take(page.contacts);
      foreignRows += page.rows - page.contacts.length;
      offset += page.rows;
      lastStamp = stampOf(page.contacts.at(-1), stamp) ?? lastStamp;
      // The end is where the rows end; has_more is not asked, it is missing or wrong too often.
      if (page.rows === 0 || offset >= (page.total ?? Infinity)) end = { cut: false, lastStamp };
      else if (offset >= windowRows) end = { cut: true, lastStamp };
      else if (range.before === undefined) to ??= upperBound();
    }
    const expected = end.cut ? offset : firstTotal;
    const isCounted = expected === undefined || seen.count() + foreignRows === expected;
    if (isTotalSteady && isCounted && seen.isSteady()) return end;
    tally.drifted += 1;
    if (pass === passesMax) {
      tally.unsettled += 1;
      return end;
    }
  }
}

/** A window could not be left behind: more rows than it holds share one stamp. */
export class WindowStuck extends Error {
  override readonly name = 'WindowStuck';
}

/** Windows one after the other, each starting at the last stamp of the one before. Stands on range and order. */
export async function* walk(
  options: WindowOptions,
  stamp: Stamp,
  since?: string,
): AsyncGenerator<readonly ContactRow[]> {
  let from = since;
  let to: string | undefined;
  for (;;) {
    const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    const { cut, lastStamp } = yield* readWindow(options, stamp, range, 'asc');
    if (!cut) return;
    if (lastStamp === undefined || lastStamp === from)
      throw new WindowStuck(`too many contacts share ${stamp} ${from}`);
    from = lastStamp;
    to = options.upperBound();
  }
}

/** Windows by halving the span of time until each fits. Stands on the range alone; costs more calls than walking. */
export async function* bisect(
  options: WindowOptions,
  stamp: Stamp,
  span: Required<Omit<Range, 'to'>>,
): AsyncGenerator<readonly ContactRow[]> {
  const spans = [span];
  for (let next = spans.pop(); next !== undefined; next = spans.pop()) {
    const { from, before } = next;
    const { total } = await options.source.read({ stamp, range: next, order: 'any', offset: 0 });
    options.tally.pages += 1;
    if (total === undefined || total <= options.windowRows) {
      if (total !== 0) yield* readWindow(options, stamp, next, 'any');
      continue;
    }
    const [first, last] = [Date.parse(from), Date.parse(before)];
    // Stamps are whole seconds: a span of one second cannot be halved.
    if (last - first <= 1_000) throw new WindowStuck(`too many contacts share ${stamp} ${from}`);
    const middle = new Date(Math.round((first + last) / 2_000) * 1_000).toISOString();
    spans.push({ from: middle, before }, { from, before: middle });
  }
}

/** One query, as far as it goes; nothing is asked of the service but pages. Throws when that is not far enough. */
export async function* plain(options: WindowOptions): AsyncGenerator<readonly ContactRow[]> {
  const { cut } = yield* readWindow({ ...options, upperBound: () => undefined }, 'created_at', {}, 'any');
  if (cut) throw new WindowStuck(`more than ${options.windowRows} contacts and no way to ask for them in parts`);
}

function stampOf(row: ContactRow | undefined, stamp: Stamp): string | undefined {
  const value = row?.[stamp];
  return typeof value === 'string' ? value : undefined;
}
