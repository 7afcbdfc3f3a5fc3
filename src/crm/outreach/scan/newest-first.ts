// Reads changed contacts, latest first, from a service that orders by updated_at and does not compare it.
import type { Capabilities } from './capabilities.ts';
import type { ContactRow } from './contact-row.ts';
import { CapabilityMissing, foreignOf } from './pages.ts';
import type { WindowOptions } from './window.ts';

/** More contacts changed than one query gives: the scan needs another way. */
export class TooManyChanged extends Error {
  override readonly name = 'TooManyChanged';
}

/** How many passes may follow one in which a contact came twice. */
const passesMax = 6;
/** Passes in a row that show nothing new. */
const fruitlessMax = 2;

/**
 * Yields updated contacts, latest first, until they are older than `from`.
 *
 * Stopping early depends on the order alone. An ignored order looks right as long as contacts were updated in the order
 * of their creation. So the order counts only once it was seen to differ from that one. A contact that comes twice in
 * one pass shows that another may be missing: contacts with the same stamp change places, or an edit moved the pages.
 * Then the window is read again; one that keeps moving goes to the tally.
 */
export async function* newestFirst(
  options: WindowOptions,
  from: string,
  capabilities: Capabilities,
): AsyncGenerator<readonly ContactRow[]> {
  const { tally, seen } = options;
  let fruitless = 0;
  for (let pass = 1; pass <= passesMax; pass += 1) {
    const { newContacts, isForeignSteady } = yield* readPass(options, from, capabilities);
    if (seen.isSteady() && isForeignSteady) return;
    tally.drifted += 1;
    fruitless = newContacts > 0 ? 0 : fruitless + 1;
    if (fruitless === fruitlessMax) break;
  }
  tally.unsettled += 1;
}

interface Pass {
  /** How many contacts it was the first to show. */
  readonly newContacts: number;
  /** False: a contact out of scope came twice, in place of another one. */
  readonly isForeignSteady: boolean;
}

async function* readPass(
  { source, windowRows, tally, seen }: WindowOptions,
  from: string,
  { proved, isProved }: Capabilities,
): AsyncGenerator<readonly ContactRow[], Pass> {
  const oldest = Date.parse(from);
  let createdBefore = Infinity;
  let newContacts = 0;
  let unreadable = 0;
  let foreignRows = 0;
  const foreign = new Set<string>();
  const end = (): Pass => ({ newContacts, isForeignSteady: foreign.size === foreignRows });
  seen.begin();
  for (let offset = 0; offset < windowRows;) {
    const page = await source.read({ stamp: 'updated_at', range: {}, order: 'desc', offset });
    tally.pages += 1;
    unreadable += page.unreadable;
    tally.unreadable = unreadable;
    offset += page.rows;
    for (const uuid of foreignOf(page)) {
      foreignRows += 1;
      foreign.add(uuid);
    }
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
      if (isProved('order:updated_at')) return end();
      throw new CapabilityMissing('order:updated_at');
    }
    if (!page.isLast) continue;
    // The pages ended before the total: the rest was not read.
    if (page.total !== undefined && offset < page.total) tally.short = { read: offset, of: page.total };
    return end();
  }
  throw new TooManyChanged('more contacts changed than one query gives');
}
