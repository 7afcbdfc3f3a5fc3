// Scans contacts: all in scope, or those changed since a watermark.
import type { ContactFilter } from '../operations/filter.ts';
import type { ContactScan, ScanReport } from '../../port.ts';
import type { ServiceClient } from '../service-client.ts';
import type { Capabilities, Capability } from './capabilities.ts';
import type { ContactRow } from './contact-row.ts';
import { CapabilityMissing, type ContactPage, createPageSource, type PageRequest } from './pages.ts';
import { newestFirst, TooManyChanged } from './newest-first.ts';
import { createSeen } from './seen.ts';
import type { SharedSearches } from './shared-search.ts';
import { bisect, plain, walk } from './windows.ts';
import type { Tally, WindowOptions } from './window.ts';

/** The contacts that a scan reads: every one in scope (`full`), or those updated since a watermark. */
export interface ContactScanOptions<Kept> {
  readonly client: ServiceClient;
  readonly capabilities: Capabilities;
  /** The scope: `{list_uuid, status}`. Rows that do not match are left out, even if the service ignores it. */
  readonly scope: ContactFilter;
  /** Maps each contact to what the caller keeps; called once for each that the scan yields, as its page comes. */
  readonly keep: (contact: ContactRow) => Kept;
  /** The watermark of an earlier scan. Without one, or if nothing else works, the scan is full. */
  readonly since?: string;
  /** Contacts to leave out: deleted here, and still answered for a while. */
  readonly tombstones?: { has(uuid: string): boolean };
  readonly signal?: AbortSignal;
  /** Of all scans on a token. Left out: it shares no search. */
  readonly shared?: SharedSearches;
  /** Results of one query that are relied on. Default 9,000: cautious clients stop at 9,500. */
  readonly windowRows?: number;
}

/** Yields pages: an iteration step for each of a hundred thousand contacts would cost more than reading them. */
export interface ServiceScan<Kept> extends ContactScan<Kept> {
  report(): ServiceScanReport;
}

/** `cursor`: the instant from which changes may have been missed. */
export interface ServiceScanReport extends ScanReport {
  readonly pages: number;
  /** Contacts that came more than once; counted once. */
  readonly duplicates: number;
  /** Windows whose total moved while they were read, and which were read again. */
  readonly drifted: number;
}

interface Strategy {
  /** Tried only if the service offers all of them. */
  readonly needs: readonly Capability[];
  readonly mode: ScanReport['mode'];
  readonly read: (options: WindowOptions) => AsyncGenerator<readonly ContactRow[]>;
}

/** How long before the watermark an incremental scan starts. */
const overlapMs = 600_000;

export function scanContacts<Kept>(options: ContactScanOptions<Kept>): ServiceScan<Kept> {
  const { client, capabilities, scope, keep, since, tombstones, signal, shared, windowRows = 9_000 } = options;
  const tally: Tally = {
    pages: 0,
    duplicates: 0,
    unreadable: 0,
    drifted: 0,
    unsettled: 0,
    short: { read: 0, of: 0 },
    limits: [],
    expected: undefined,
  };
  const reasons: string[] = [];
  const from = since === undefined ? undefined : new Date(Date.parse(since) - overlapMs).toISOString();
  let mode: ScanReport['mode'] = from === undefined ? 'full' : 'incremental';
  let contacts = 0;
  let ended = false;
  let hasForeign = false;
  let startedAt: string | undefined;

  /** The service's clock at its first answer: that answer was true at this instant. */
  const start = () => (startedAt ??= new Date(client.serviceNow()).toISOString());

  /**
   * The first search of an incremental scan; undefined: the scan asks by itself. The answer is younger than the call, so that its
   * instant is a watermark as that of an own answer is.
   */
  async function readShared(request: PageRequest): Promise<ContactPage | undefined> {
    const { range, order, offset, by } = request;
    const isFirst = startedAt === undefined && order === 'asc' && offset === 0 && by === undefined;
    if (!shared || from === undefined || !isFirst || range.from !== from || range.before !== undefined)
      return undefined;
    const wanted = { scope: JSON.stringify(scope), from, signal };
    const answer = await shared.firstPage(
      wanted,
      (first, stop) => createPageSource(client, scope, capabilities, stop).read({ ...request, range: { from: first } }),
      () => client.serviceNow(),
    );
    if (answer) startedAt ??= new Date(answer.answeredAt).toISOString();
    return answer?.page;
  }

  async function* iterate(): AsyncGenerator<readonly Kept[]> {
    const seen = createSeen(tally);
    const pages = createPageSource(client, scope, capabilities, signal);
    const source: typeof pages = {
      async read(request) {
        const page = (await readShared(request)) ?? (await pages.read(request));
        if (page.read.length > page.contacts.length) hasForeign = true;
        start();
        return page;
      },
    };
    for await (const page of tryInTurn({ source, capabilities, windowRows, upperBound: start, tally, seen })) {
      const kept: Kept[] = [];
      for (const contact of page) if (!tombstones?.has(contact.uuid)) kept.push(keep(contact));
      contacts += kept.length;
      yield kept;
    }
    // A contact that one reading missed may have come with another: the total was reached.
    const isAllRead = !hasForeign && tally.expected !== undefined && seen.total() >= tally.expected;
    if (isAllRead) tally.short = { read: 0, of: 0 };
    reasons.push(...whyNotWhole(tally));
    ended = true;
  }

  /** Tries each way of scanning until one succeeds. The results of a failed way are kept and only come again. */
  async function* tryInTurn(windows: WindowOptions): AsyncGenerator<readonly ContactRow[]> {
    let failure: Error | undefined;
    for (const way of strategies(from, capabilities, start)) {
      if (!way.needs.every(capabilities.offers)) continue;
      mode = way.mode;
      Object.assign(tally, { unsettled: 0, unreadable: 0, short: { read: 0, of: 0 }, limits: [], expected: undefined });
      try {
        yield* way.read(windows);
        // More contacts changed in one second than a query gives: in the order of creation they may be far apart.
        if (way.mode === 'full' || tally.limits.length === 0) return;
      } catch (error) {
        if (!(error instanceof CapabilityMissing || error instanceof TooManyChanged)) throw error;
        failure = error;
      }
    }
    // The last way failed too: it read a part, or nothing.
    if (failure) tally.limits.push(failure.message);
  }

  return {
    [Symbol.asyncIterator]: iterate,
    report: () => ({
      mode,
      whole: ended && reasons.length === 0,
      reasons: ended ? reasons : ['it was not read to its end', ...reasons],
      ...lackOf(tally, ended),
      expected: hasForeign ? undefined : tally.expected,
      contacts,
      pages: tally.pages,
      duplicates: tally.duplicates,
      drifted: tally.drifted,
      cursor: start(),
    }),
  };
}

function whyNotWhole({ unsettled, short, limits, unreadable }: Tally): readonly string[] {
  return [
    ...limits,
    ...(unreadable > 0 ? [`rows that were no contacts: ${unreadable}`] : []),
    ...(short.of > 0 ? [`the service said ${short.of} and gave ${short.read}, however often it was asked`] : []),
    ...(unsettled > 0 ? ['contacts kept coming and going while it was read'] : []),
  ];
}

function lackOf({ unsettled, short, limits, unreadable }: Tally, ended: boolean): Pick<ScanReport, 'lack'> {
  if (!ended) return {};
  if (limits.length > 0) return { lack: 'limit' };
  if (unreadable > 0) return { lack: 'unreadable' };
  if (short.of > 0) return { lack: 'short' };
  return unsettled > 0 ? { lack: 'drift' } : {};
}

/** Earlier than any contact. */
const beginning = '2000-01-01T00:00:00.000Z';

/** The ways of scanning, the cheapest first. The last one needs only pages. */
function strategies(from: string | undefined, capabilities: Capabilities, start: () => string): readonly Strategy[] {
  // A minute before the start: the clocks of a service differ.
  const before = () => new Date(Date.parse(start()) + 60_000).toISOString();
  const full: readonly Strategy[] = [
    {
      needs: ['range:created_at', 'order:created_at'],
      mode: 'full',
      read: (windows) => walk(windows, 'created_at'),
    },
    {
      needs: ['range:created_at'],
      mode: 'full',
      read: (windows) => bisect(windows, 'created_at', { from: beginning, before: before() }),
    },
    { needs: [], mode: 'full', read: plain },
  ];
  if (from === undefined) return full;
  return [
    {
      needs: ['range:updated_at', 'order:updated_at'],
      mode: 'incremental',
      read: (windows) => walk(windows, 'updated_at', from),
    },
    {
      needs: ['range:updated_at'],
      mode: 'incremental',
      read: (windows) => bisect(windows, 'updated_at', { from, before: before() }),
    },
    {
      needs: ['order:updated_at'],
      mode: 'incremental',
      read: (windows) => newestFirst(windows, from, capabilities),
    },
    ...full,
  ];
}
