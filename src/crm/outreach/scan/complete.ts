// Reads one window until every contact of it was seen: by uuid, the one order without ties, else in repeated passes.
import type { ContactRow } from './contact-row.ts';
import { CapabilityMissing, type PageRequest, type Range, type Stamp } from './pages.ts';
import type { WindowOptions } from './window.ts';

/**
 * If contacts with the same stamp change places in each answer, a pass over pages misses about a third of them. After
 * 16 passes over 9,000, less than one window in a thousand misses a contact.
 */
const passesMax = 16;
/** Passes in a row that show nothing new. If each misses a third, one contact in 729 is still missing by chance. */
const fruitlessMax = 6;

interface Window {
  readonly options: WindowOptions;
  readonly stamp: Stamp;
  readonly range: Range;
  /** Contacts of the window, in scope or not. */
  readonly uuids: Set<string>;
  /** Totals that the service gave for it. More than one: contacts came and went. */
  readonly totals: Set<number>;
  /** Rows of the last pass that were no contacts. */
  unreadable: number;
}

/**
 * Yields the contacts of a window that no query showed before. `range` has to exclude new contacts. The tally gets what
 * is missing at the end: moving totals, fewer contacts than the total, or a query that gives no more.
 */
export async function* readSettled(
  options: WindowOptions,
  stamp: Stamp,
  range: Range,
): AsyncGenerator<readonly ContactRow[]> {
  const window: Window = { options, stamp, range, uuids: new Set(), totals: new Set(), unreadable: 0 };
  const { capabilities, windowRows, tally } = options;
  if (capabilities.offers('order:uuid')) {
    try {
      yield* readByUuid(window);
    } catch (error) {
      // Without the range of the window another way of scanning has to be found.
      if (!(error instanceof CapabilityMissing && error.capability !== `range:${stamp}`)) throw error;
    }
  }
  if (!isComplete(window) && !capabilities.offers('order:uuid')) yield* readRepeatedly(window);
  if (isComplete(window)) return;
  const total = [...window.totals].at(-1) ?? 0;
  if (window.totals.size > 1) tally.unsettled += 1;
  else if (total > windowRows) tally.limits.push(whyLimited(window, total));
  else {
    tally.short.read += window.uuids.size + window.unreadable;
    tally.short.of += total;
  }
}

/** A total that stayed the same and was reached. Without totals only the end of the rows counts. */
function isComplete({ uuids, totals, unreadable }: Window): boolean {
  const [total] = totals;
  return totals.size === 1 && total === uuids.size + unreadable;
}

function whyLimited({ options: { windowRows }, stamp, range: { from } }: Window, total: number): string {
  const which = from === undefined ? 'are there' : `share ${stamp} ${from}`;
  return `${total} contacts ${which}, and one query gives ${windowRows}`;
}

/** From the lowest uuid on, query after query; from the highest down if the service does not compare uuids. */
async function* readByUuid(window: Window): AsyncGenerator<readonly ContactRow[]> {
  const { options, stamp, range, uuids } = window;
  const ask = { stamp, range, by: 'uuid' } as const;
  let after: string | undefined;
  while (options.capabilities.offers('range:uuid') || after === undefined) {
    try {
      const isCut = yield* readQuery(window, { ...ask, order: 'asc', ...(after !== undefined && { after }) });
      if (!isCut) return;
      after = [...uuids].at(-1);
    } catch (error) {
      if (!(error instanceof CapabilityMissing && error.capability === 'range:uuid')) throw error;
    }
  }
  yield* readQuery(window, { ...ask, order: 'desc' });
}

/** For a service without a reliable order: each pass shows some contacts that earlier passes missed. */
async function* readRepeatedly(window: Window): AsyncGenerator<readonly ContactRow[]> {
  const { stamp, range, uuids, totals } = window;
  let fruitless = 0;
  for (let pass = 1; pass <= passesMax && fruitless < fruitlessMax && totals.size <= 1; pass += 1) {
    const known = uuids.size;
    const isCut = yield* readQuery(window, { stamp, range, order: 'any' });
    if (isComplete(window)) return;
    fruitless = uuids.size > known ? 0 : fruitless + 1;
    // Too many for one query, and always the same: a repeat would show the same ones.
    if (isCut && fruitless > 0) return;
  }
}

/** Reads one query, page by page. True: it has more than `windowRows`. */
async function* readQuery(
  window: Window,
  request: Omit<PageRequest, 'offset'>,
): AsyncGenerator<readonly ContactRow[], boolean> {
  const { source, windowRows, tally, seen } = window.options;
  let offset = 0;
  let unreadable = 0;
  for (;;) {
    const page = await source.read({ ...request, offset });
    tally.pages += 1;
    unreadable += page.unreadable;
    // The total of the whole window, not of its rest.
    if (page.total !== undefined && request.after === undefined) window.totals.add(page.total);
    for (const { uuid } of page.read) window.uuids.add(uuid);
    yield seen.take(page.contacts);
    offset += page.rows;
    const isEnd = page.isLast || isComplete({ ...window, unreadable });
    if (!isEnd && offset < windowRows) continue;
    window.unreadable = request.after === undefined ? unreadable : window.unreadable + unreadable;
    return !isEnd;
  }
}
