// Changed contacts, latest first, for a service that orders by updated_at and does not compare it.
import type { Capabilities } from './capabilities.ts';
import type { ContactRow } from './contact-row.ts';
import { CapabilityMissing } from './pages.ts';
import type { WindowOptions } from './window.ts';

/** More contacts changed than one query gives: another way of scanning is needed. */
export class TooManyChanged extends Error {
  override readonly name = 'TooManyChanged';
}

/** A pass in which a contact came twice is followed by another one, at most so often. */
const passesMax = 6;
/** Passes in a row that show nothing new. */
const fruitlessMax = 2;

/**
 * Updated contacts, latest first, until they are older than `from`.
 *
 * Stopping early stands on the order alone, and an ignored order looks right as long as contacts happen to have been
 * updated in the order of their creation. So it counts only once it was seen to differ from that one. A contact that comes
 * twice in one pass shows that another one may have been missed: contacts that share a stamp come in any order, or an edit
 * moved the pages. Then it is read again; a window that never stands still is told to the tally.
 */
export async function* newestFirst(
  options: WindowOptions,
  from: string,
  capabilities: Capabilities,
): AsyncGenerator<readonly ContactRow[]> {
  const { tally, seen } = options;
  let fruitless = 0;
  for (let pass = 1; pass <= passesMax; pass += 1) {
    const newContacts = yield* readPass(options, from, capabilities);
    if (seen.isSteady()) return;
    tally.drifted += 1;
    fruitless = newContacts > 0 ? 0 : fruitless + 1;
    if (fruitless === fruitlessMax) break;
  }
  tally.unsettled += 1;
}

/** Returns how many contacts it was the first to show. */
async function* readPass(
  { source, windowRows, tally, seen }: WindowOptions,
  from: string,
  { proved, isProved }: Capabilities,
): AsyncGenerator<readonly ContactRow[], number> {
  const oldest = Date.parse(from);
  let createdBefore = Infinity;
  let newContacts = 0;
  let unreadable = 0;
  seen.begin();
  for (let offset = 0; offset < windowRows;) {
    const page = await source.read({ stamp: 'updated_at', range: {}, order: 'desc', offset });
    tally.pages += 1;
    unreadable += page.unreadable;
    tally.unreadable = unreadable;
    offset += page.rows;
    for (const row of page.contacts) {
      const created = Date.parse(String(row['created_at']));
      if (created > createdBefore) proved('order:updated_at');
      createdBefore = created;
    }
    const changed = page.contacts.filter((row) => Date.parse(String(row['updated_at'])) >= oldest);
    const news = seen.take(changed);
    newContacts += news.length;
    yield news;
    if (changed.length < page.contacts.length) {
      if (isProved('order:updated_at')) return newContacts;
      throw new CapabilityMissing('order:updated_at');
    }
    if (!page.isLast) continue;
    // The pages ended before the total: what follows was not read.
    if (page.total !== undefined && offset < page.total) tally.short = { read: offset, of: page.total };
    return newContacts;
  }
  throw new TooManyChanged('more contacts changed than one query gives');
}
