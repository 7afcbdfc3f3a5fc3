// Lets scans of the same contacts share one search for changes, if that search begins after each of them asked (W17).
import type { ContactPage } from './pages.ts';

/** An answer that several scans share. */
export interface SharedPage {
  /** The rows from the instant on that this scan asked for. */
  readonly page: ContactPage;
  /** The service's clock when the answer came, epoch milliseconds. */
  readonly answeredAt: number;
}

export interface Wanted {
  /** Scans with the same text read the same contacts. */
  readonly scope: string;
  /** ISO instant: changes from here on. */
  readonly from: string;
  readonly signal?: AbortSignal | undefined;
}

/** Asks from that instant on. Its signal aborts once no scan waits for the answer any more. */
export type AskFrom = (from: string, signal: AbortSignal) => Promise<ContactPage>;

export interface SharedSearches {
  /** Undefined: there is more than one page, or rows that are no contacts: the scan has to ask by itself. Throws what `ask` throws. */
  firstPage(wanted: Wanted, ask: AskFrom, serviceNow: () => number): Promise<SharedPage | undefined>;
}

interface Batch {
  readonly froms: string[];
  readonly stop: AbortController;
  /** Lets no further scan join. */
  readonly close: () => void;
  waiting: number;
  readonly answer: Promise<{ readonly page: ContactPage; readonly from: string; readonly answeredAt: number }>;
}

export function createSharedSearches(): SharedSearches {
  /** By scope: the batch that has not begun. */
  const open = new Map<string, Batch>();
  /** By scope: the search under way. It never rejects. */
  const underWay = new Map<string, Promise<unknown>>();

  function begin(scope: string, ask: AskFrom, serviceNow: () => number): Batch {
    const froms: string[] = [];
    const stop = new AbortController();
    // A batch that every scan left before it began may have been followed by another.
    const close = () => {
      if (open.get(scope) === batch) open.delete(scope);
    };
    const before = underWay.get(scope) ?? Promise.resolve();
    const answer = before.then(async () => {
      // Whoever asks from here on gets the next search: this one may have been answered before.
      close();
      stop.signal.throwIfAborted();
      const from = froms.reduce((first, each) => (Date.parse(each) < Date.parse(first) ? each : first));
      const page = await ask(from, stop.signal);
      return { page, from, answeredAt: serviceNow() };
    });
    const over = answer.then(
      () => undefined,
      () => undefined,
    );
    underWay.set(scope, over);
    void over.finally(() => {
      if (underWay.get(scope) === over) underWay.delete(scope);
    });
    const batch: Batch = { froms, stop, close, waiting: 0, answer };
    return batch;
  }

  return {
    async firstPage({ scope, from, signal }, ask, serviceNow) {
      signal?.throwIfAborted();
      const batch = open.get(scope) ?? begin(scope, ask, serviceNow);
      open.set(scope, batch);
      batch.froms.push(from);
      const shared = await waitFor(batch, signal);
      if (batch.froms.length === 1 || shared.from === from) return { page: shared.page, answeredAt: shared.answeredAt };
      const page = pageFrom(shared.page, from);
      return page && { page, answeredAt: shared.answeredAt };
    },
  };
}

/**
 * Leaves when its own run is to end. The search ends when no scan waits for it, and then no scan may join it: it would
 * get the reason for which the last one left.
 */
async function waitFor(batch: Batch, signal: AbortSignal | undefined): Promise<Awaited<Batch['answer']>> {
  batch.waiting += 1;
  const { promise: left, reject } = Promise.withResolvers<never>();
  const leave = () => {
    batch.waiting -= 1;
    if (batch.waiting === 0) {
      batch.close();
      batch.stop.abort(signal?.reason);
    }
    reject(signal?.reason);
  };
  signal?.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([batch.answer, left]);
  } finally {
    signal?.removeEventListener('abort', leave);
  }
}

/** The part of a whole answer that a search from a later instant on would have given. */
function pageFrom(page: ContactPage, from: string): ContactPage | undefined {
  const isWhole = page.isLast && page.unreadable === 0 && (page.total === undefined || page.total === page.rows);
  if (!isWhole) return undefined;
  const first = Date.parse(from);
  const isLater = (row: ContactPage['read'][number]) => !(Date.parse(String(row['updated_at'])) < first);
  const read = page.read.filter(isLater);
  return {
    contacts: page.contacts.filter(isLater),
    read,
    rows: read.length,
    unreadable: 0,
    total: page.total === undefined ? undefined : read.length,
    isLast: true,
  };
}
