import type { ContactFilter } from '../operations/filter.ts';
import type { ServiceClient } from '../port.ts';
import type { Capabilities } from './capabilities.ts';
import type { ContactRow } from './contact-row.ts';
import { CapabilityMissing, createPageSource } from './pages.ts';
import { bisect, createSeen, plain, walk, WindowStuck } from './windows.ts';
import type { Tally, WindowOptions } from './windows.ts';

/** Every contact in scope (`full`), or those updated since a watermark. */
export interface ContactScanOptions<Kept> {
  readonly client: ServiceClient;
  readonly capabilities: Capabilities;
  /** Which contacts belong: `{list_uuid, status}`. Rows that do not match are left out, whatever the service makes of it. */
  readonly scope: ContactFilter;
  /** What is kept of a contact; asked once for each that the scan yields, as its page comes. */
  readonly keep: (contact: ContactRow) => Kept;
  /** The watermark of an earlier scan; without one, or where nothing else works, the scan is full. */
  readonly since?: string;
  /** Contacts to leave out: deleted by us, and still answered for a while. */
  readonly tombstones?: { has(uuid: string): boolean };
  readonly signal?: AbortSignal;
  /** Results of one query that are relied on; 9,000 when left out, under the 9,500 at which cautious clients stop. */
  readonly windowRows?: number;
  /** How far before the watermark an incremental scan starts; ten minutes when left out. */
  readonly overlapMs?: number;
}

/**
 * Contacts as they come, by the page: an iteration step for each of a hundred thousand would cost more than reading them.
 * A scan is iterated once; its report is true when the iteration has ended by itself.
 */
export interface ContactScan<Kept> extends AsyncIterable<readonly Kept[]> {
  report(): ScanReport;
}

interface ScanReport {
  /** What it became: an incremental scan falls back to a full one where the service offers no way to ask for changes. */
  readonly mode: 'full' | 'incremental';
  /** True when every contact in scope (or every changed one) was surely seen. Only then does an absence mean anything. */
  readonly whole: boolean;
  /** Why it is not whole, in words; empty when it is. */
  readonly reasons: readonly string[];
  readonly contacts: number;
  readonly pages: number;
  /** Contacts answered more than once; counted once. */
  readonly duplicates: number;
  /** Windows whose total moved while they were read, and that were read again. */
  readonly drifted: number;
  /** The instant to pass as `since` next time: what changes from then on may have been missed. */
  readonly watermark: string;
}

type Strategy = (options: WindowOptions) => AsyncGenerator<readonly ContactRow[]>;

export function scanContacts<Kept>(options: ContactScanOptions<Kept>): ContactScan<Kept> {
  const { client, capabilities, scope, keep, since, tombstones, signal } = options;
  const { windowRows = 9_000, overlapMs = 600_000 } = options;
  const tally: Tally = { pages: 0, duplicates: 0, unreadable: 0, drifted: 0, unsettled: 0 };
  const reasons: string[] = [];
  const from = since === undefined ? undefined : new Date(Date.parse(since) - overlapMs).toISOString();
  let mode: ScanReport['mode'] = from === undefined ? 'full' : 'incremental';
  let contacts = 0;
  let ended = false;
  let startedAt: string | undefined;

  /** The service's own clock at its first answer: what it answered then was true then. */
  const start = () => (startedAt ??= new Date(client.serviceNow()).toISOString());

  async function* iterate(): AsyncGenerator<readonly Kept[]> {
    const seen = createSeen(tally);
    const pages = createPageSource(client, scope, capabilities, signal);
    const source: typeof pages = {
      async read(request) {
        const page = await pages.read(request);
        start();
        return page;
      },
    };
    for await (const page of tryInTurn({ source, windowRows, upperBound: start, tally, seen })) {
      const kept: Kept[] = [];
      for (const contact of page) if (!tombstones?.has(contact.uuid)) kept.push(keep(contact));
      contacts += kept.length;
      yield kept;
    }
    if (tally.unsettled > 0) reasons.push('contacts kept coming and going while it was read');
    if (tally.unreadable > 0) reasons.push(`${tally.unreadable} rows were no contacts`);
    ended = true;
  }

  /** Each way of scanning until one gets through; what the ones before it gave is not lost, only seen again. */
  async function* tryInTurn(windows: WindowOptions): AsyncGenerator<readonly ContactRow[]> {
    for (const [ways, wayMode] of strategies(from, capabilities, start)) {
      mode = wayMode;
      for (const way of ways) {
        try {
          yield* way(windows);
          return;
        } catch (error) {
          const last = wayMode === 'full' && way === ways.at(-1);
          if (error instanceof WindowStuck && last) {
            reasons.push(error.message);
            return;
          }
          if (!(error instanceof CapabilityMissing || error instanceof WindowStuck)) throw error;
        }
      }
    }
  }

  return {
    [Symbol.asyncIterator]: iterate,
    report: () => ({
      mode,
      whole: ended && reasons.length === 0,
      reasons: ended ? reasons : ['it was not read to its end', ...reasons],
      contacts,
      pages: tally.pages,
      duplicates: tally.duplicates,
      drifted: tally.drifted,
      watermark: start(),
    }),
  };
}

/** Earlier than any contact. */
const beginning = '2000-01-01T00:00:00.000Z';

function strategies(
  from: string | undefined,
  capabilities: Capabilities,
  start: () => string,
): readonly [readonly Strategy[], ScanReport['mode']][] {
  const { offers } = capabilities;
  const full: Strategy[] = [];
  if (offers('range:created_at') && offers('order:created_at')) full.push((windows) => walk(windows, 'created_at'));
  if (offers('range:created_at')) {
    // A minute more than the start: the clocks of a service are several.
    const before = () => new Date(Date.parse(start()) + 60_000).toISOString();
    full.push((windows) => bisect(windows, 'created_at', { from: beginning, before: before() }));
  }
  full.push(plain);
  if (from === undefined) return [[full, 'full']];

  const changed: Strategy[] = [];
  if (offers('range:updated_at') && offers('order:updated_at'))
    changed.push((windows) => walk(windows, 'updated_at', from));
  if (offers('order:updated_at')) changed.push((windows) => newestFirst(windows, from, capabilities));
  return [
    [changed, 'incremental'],
    [full, 'full'],
  ];
}

/**
 * Updated contacts, latest first, until they are older than `from`: for a service that sorts but does not compare.
 *
 * Stopping early stands on the order alone, and an ignored order looks right as long as contacts happen to have been
 * updated in the order of their creation. So it counts only once it was seen to differ from that one.
 */
async function* newestFirst(
  { source, windowRows, tally, seen }: WindowOptions,
  from: string,
  { proved, isProved }: Capabilities,
): AsyncGenerator<readonly ContactRow[]> {
  const oldest = Date.parse(from);
  let createdBefore = Infinity;
  seen.begin();
  for (let offset = 0; offset < windowRows;) {
    const page = await source.read({ stamp: 'updated_at', range: {}, order: 'desc', offset });
    tally.pages += 1;
    tally.unreadable += page.unreadable;
    offset += page.rows;
    for (const row of page.contacts) {
      const created = Date.parse(String(row['created_at']));
      if (created > createdBefore) proved('order:updated_at');
      createdBefore = created;
    }
    const changed = page.contacts.filter((row) => Date.parse(String(row['updated_at'])) >= oldest);
    yield seen.take(changed);
    if (changed.length < page.contacts.length) {
      if (isProved('order:updated_at')) return;
      throw new CapabilityMissing('order:updated_at');
    }
    if (page.rows === 0 || offset >= (page.total ?? Infinity)) return;
  }
  throw new WindowStuck('more contacts changed than one query gives');
}
