// Scans with a service that applies a range, an order or a filter in part, and what the report then says (T12 to T18).
import { describe, expect, test, vi } from 'vitest';
import { createCapabilities } from '../../src/crm/outreach/scan/capabilities.ts';
import type { ContactRow } from '../../src/crm/outreach/scan/contact-row.ts';
import { scanContacts } from '../../src/crm/outreach/scan/scan.ts';
import type { ContactScanOptions } from '../../src/crm/outreach/scan/scan.ts';
import type { CallInit } from '../../src/crm/outreach/call/exchange.ts';
import { createService, seedContacts } from '../support/service.ts';

type Service = ReturnType<typeof createService>;

async function scan(service: Service, options: Partial<ContactScanOptions<ContactRow>> = {}) {
  const scanning = scanContacts({ ...service, scope: {}, keep: (contact) => contact, ...options });
  const uuids: string[] = [];
  for await (const page of scanning) uuids.push(...page.map(({ uuid }) => uuid));
  return { uuids, report: scanning.report() };
}

const sorted = (uuids: Iterable<string>) => [...uuids].toSorted();

interface Search {
  readonly filter?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly offset: number;
  readonly order_field?: string;
  readonly order_type?: string;
}

interface Page {
  readonly data: readonly Record<string, unknown>[];
  readonly total: number;
}

/** The same service behind something that changes searches on their way there, and pages on their way back. */
function behind(
  service: Service,
  {
    asked = (search) => search,
    answered = (page) => page,
  }: {
    readonly asked?: (search: Search) => object;
    readonly answered?: (page: Page, search: Search) => object;
  },
): Service & { readonly searches: readonly Search[] } {
  const searches: Search[] = [];
  const transport = async (url: string, init: CallInit) => {
    const search = JSON.parse(init.body ?? '{}') as Search;
    searches.push(search);
    const response = await service.standin.fetch(url, { ...init, body: JSON.stringify(asked(search)) });
    if (response.status !== 200) return response;
    return Response.json(answered((await response.json()) as Page, search));
  };
  const changed = createService({}, { transport });
  return { ...changed, standin: service.standin, calls: service.calls, searches };
}

/** Drops one comparison of a field. */
const without = (field: string, comparison: string) => (search: Search) => {
  const { [comparison]: _, ...rest } = search.filter?.[field] ?? {};
  const { [field]: __, ...filter } = search.filter ?? {};
  return { ...search, filter: Object.keys(rest).length > 0 ? { ...filter, [field]: rest } : filter };
};

describe('T18: a range that is applied in part', () => {
  test('T18: a service that applies the lower bound of created_at alone is seen to do so, and all contacts are read', async () => {
    const service = createService();
    const { uuids } = seedContacts(service, 350);
    const deaf = behind(service, { asked: without('created_at', '<') });
    deaf.capabilities.failed('order:created_at');
    const { uuids: seen, report } = await scan(deaf, { windowRows: 100 });
    expect(sorted(seen)).toEqual(sorted(uuids));
    expect(report).toMatchObject({ mode: 'full', whole: true });
    expect(deaf.capabilities.offers('range:created_at')).toBe(false);
    // The span of all time, one half of it, and then the pages.
    expect(deaf.searches.length).toBeLessThan(15);
  });

  test('T18: a contact made after the span whose upper bound is its end is outside of it', async () => {
    const service = createService();
    seedContacts(service, 3);
    const late = behind(service, {
      answered: (page, { filter }) => ({
        ...page,
        data: page.data.map((row, index) =>
          index === 2 ? { ...row, created_at: filter?.['created_at']?.['<'] ?? row['created_at'] } : row,
        ),
      }),
    });
    late.capabilities.failed('order:created_at');
    await scan(late);
    expect(late.capabilities.offers('range:created_at')).toBe(false);
  });

  test('T15, T18: a contact that is edited while it is read may have a later edit than was asked for', async () => {
    const service = createService();
    const { uuids } = seedContacts(service, 30);
    const edited = behind(service, {
      answered: (page) => ({
        ...page,
        data: page.data.map((row, index) => (index === 0 ? { ...row, updated_at: '2026-11-22T00:00:00Z' } : row)),
      }),
    });
    edited.capabilities.failed('order:updated_at');
    const { uuids: seen, report } = await scan(edited, { since: '2026-11-01T00:00:00Z' });
    expect(sorted(seen)).toEqual(sorted(uuids));
    expect(report).toMatchObject({ mode: 'incremental', whole: true });
    expect(edited.capabilities.offers('range:updated_at')).toBe(true);
  });

  test('a contact without a readable instant is in range and in order', async () => {
    const service = createService();
    const { uuids } = seedContacts(service, 30);
    const odd = behind(service, {
      answered: (page) => ({
        ...page,
        data: page.data.map((row, index) => (index === 3 ? { ...row, created_at: 'soon', updated_at: null } : row)),
      }),
    });
    const { uuids: seen, report } = await scan(odd);
    expect(seen).toEqual(uuids);
    expect(report).toMatchObject({ whole: true, pages: 1 });
  });
});

describe('W6: parts of a search that are refused', () => {
  const since = '2026-11-21T08:00:00.000Z';

  test('W6: a search that fails once and is then answered has lost no capability', async () => {
    const service = createService();
    const { list_uuid, uuids } = seedContacts(service, 20);
    service.standin.faults.inject({ kind: 'status', status: 500, times: 3 });
    const { uuids: seen, report } = await scan(service, { scope: { list_uuid } });
    expect(seen).toEqual(uuids);
    expect(report).toMatchObject({ mode: 'full', whole: true });
    for (const capability of ['order:created_at', 'range:created_at', 'filter:list_uuid'] as const)
      expect(service.capabilities.offers(capability)).toBe(true);
  });

  test('W6: a 503 is no refusal: no part of the search is left out', async () => {
    const service = createService();
    seedContacts(service, 20);
    service.standin.faults.inject({ kind: 'status', status: 503, times: 5 });
    await expect(scan(service, { since })).rejects.toMatchObject({ code: 'gateway' });
    expect(service.calls('contacts.search')).toHaveLength(5);
    expect(service.capabilities.offers('range:updated_at')).toBe(true);
  });

  test('W6: a refused page behind the first is no refusal of the search', async () => {
    const service = createService({ windowRowsMax: 100 });
    seedContacts(service, 150);
    await expect(scan(service)).rejects.toMatchObject({ code: 'validation' });
    expect(service.capabilities.offers('order:created_at')).toBe(true);
    expect(service.capabilities.offers('range:created_at')).toBe(true);
    // The third asks whether the first page with the same end is refused too.
    expect(service.calls('contacts.search').map(({ body }) => (body as { offset?: number }).offset)).toEqual([
      0, 100, 0,
    ]);
  });

  test('T18: of a scope that is refused in part the other part is still sent', async () => {
    const service = createService({ filterByField: { email_status: 'refused', network_status: 'refused' } });
    const { list_uuid, uuids } = seedContacts(service, 30);
    seedContacts(service, 30, { list: 'Others' });
    for (const uuid of uuids.slice(0, 4))
      service.standin.model.contacts.change(uuid, { fields: { email_status: 'ok', network_status: 'ok' } });
    const scope = { list_uuid, email_status: 'ok', network_status: 'ok' };
    const { uuids: seen } = await scan(service, { scope });
    expect(sorted(seen)).toEqual(sorted(uuids.slice(0, 4)));
    const { capabilities } = service;
    expect(capabilities.offers('filter:email_status')).toBe(false);
    expect(capabilities.offers('filter:network_status')).toBe(false);
    expect(capabilities.offers('filter:list_uuid')).toBe(true);
    expect(service.calls().at(-1)?.body).toMatchObject({ filter: { list_uuid } });
  });

  test('T18: a search that is refused with each of its parts left out is refused', async () => {
    const service = createService();
    const { list_uuid } = seedContacts(service, 3);
    service.standin.faults.inject({ kind: 'status', status: 422, times: 99 });
    await expect(scan(service, { scope: { list_uuid } })).rejects.toMatchObject({ code: 'validation' });
    expect(service.capabilities.offers('filter:list_uuid')).toBe(true);
    expect(service.capabilities.offers('order:created_at')).toBe(true);
  });
});

describe('a scan of changes', () => {
  test('L3: it begins ten minutes before the cursor, and reads nothing older', async () => {
    const service = createService();
    const { uuids } = seedContacts(service, 3);
    const since = '2026-11-21T08:00:00.000Z';
    const editedAt = ['07:49:59', '07:50:00', '08:00:00'];
    for (const [index, time] of editedAt.entries()) {
      const instant = Date.parse(`2026-11-21T${time}Z`);
      service.standin.model.contacts.change(uuids[index]!, { fields: { position: 'Chief' } }, instant);
    }
    const { uuids: seen } = await scan(service, { since });
    expect(sorted(seen)).toEqual(sorted(uuids.slice(1)));
    expect(service.calls()[0]?.body).toMatchObject({ filter: { updated_at: { '>=': '2026-11-21T07:50:00.000Z' } } });
  });

  test('L3: its cursor is the clock of the service at its first answer', async () => {
    const service = createService();
    seedContacts(service, 250);
    const first = Date.now();
    let pages = 0;
    const slow = behind(service, {
      answered: (page) => {
        pages += 1;
        if (pages === 2) vi.setSystemTime(Date.now() + 3_600_000);
        return page;
      },
    });
    const { report } = await scan(slow);
    expect(Date.parse(report.cursor) - first).toBeLessThan(60_000);
    expect(pages).toBeGreaterThan(1);
  });

  test('newest first, it ends with the page on which older contacts are', async () => {
    const service = createService({ filterByField: { updated_at: 'ignored' } });
    const { uuids } = seedContacts(service, 450);
    const { model } = service.standin;
    vi.setSystemTime(Date.now() + 3_600_000);
    const changed = [uuids[5]!, uuids[300]!];
    for (const [index, uuid] of changed.entries()) {
      model.contacts.change(uuid, { fields: { position: 'Chief' } }, Date.now() - 1_000 * index);
    }
    const { uuids: seen, report } = await scan(service, { since: new Date(Date.now() - 60_000).toISOString() });
    expect(sorted(seen.filter((uuid) => changed.includes(uuid)))).toEqual(sorted(changed));
    expect(report).toMatchObject({ mode: 'incremental', whole: true });
    expect(service.capabilities.isProved('order:updated_at')).toBe(true);
    const calls = service.calls().length;
    await scan(service, { since: new Date(Date.now() - 60_000).toISOString() });
    expect(service.calls().length - calls).toBe(1);
  });

  test('T18: an order of edits that is the order of creation proves nothing, and the scan reads everything', async () => {
    const service = createService({ filterByField: { updated_at: 'ignored' } });
    const { uuids } = seedContacts(service, 150, { secondsApart: 60 });
    const { uuids: seen, report } = await scan(service, { since: new Date(Date.now() - 60_000).toISOString() });
    expect(sorted(seen)).toEqual(sorted(uuids));
    expect(report).toMatchObject({ mode: 'full', whole: true });
    expect(service.capabilities.isProved('order:updated_at')).toBe(false);
  });

  test('a proof of the order is good for a day', async () => {
    let now = 0;
    const { proved, isProved } = createCapabilities(() => now);
    expect(isProved('order:updated_at')).toBe(false);
    proved('order:updated_at');
    now = 24 * 3_600_000 - 1;
    expect(isProved('order:updated_at')).toBe(true);
    now += 1;
    expect(isProved('order:updated_at')).toBe(false);
  });

  test('T14: more changes than one query gives, newest first, are read by a full scan', async () => {
    const service = createService();
    const { uuids } = seedContacts(service, 250);
    service.capabilities.failed('range:updated_at');
    const { uuids: seen, report } = await scan(service, { since: '2026-01-01T00:00:00Z', windowRows: 200 });
    expect(sorted(seen)).toEqual(sorted(uuids));
    expect(report).toMatchObject({ mode: 'full', whole: true, contacts: 250 });
  });

  test('T6: a row that is no contact, newest first, makes the scan incomplete', async () => {
    const service = createService();
    const { uuids } = seedContacts(service, 150);
    const spoilt = behind(service, {
      answered: (page, { offset }) => ({
        ...page,
        data: offset === 0 ? page.data.with(7, { first_name: 'Ada' }).with(9, {}) : page.data,
      }),
    });
    spoilt.capabilities.failed('range:updated_at');
    const { uuids: seen, report } = await scan(spoilt, { since: '2026-01-01T00:00:00Z' });
    expect(seen).toHaveLength(uuids.length - 2);
    expect(report).toMatchObject({ mode: 'incremental', whole: false, lack: 'unreadable' });
    expect(report.reasons).toEqual(['rows that were no contacts: 2']);
  });

  test('G5: pages that end before the total, newest first, make the scan incomplete', async () => {
    const service = createService();
    seedContacts(service, 250);
    const cut = behind(service, { answered: (page, { offset }) => ({ ...page, data: offset < 200 ? page.data : [] }) });
    cut.capabilities.failed('range:updated_at');
    const { uuids: seen, report } = await scan(cut, { since: '2026-01-01T00:00:00Z' });
    expect(seen).toHaveLength(200);
    expect(report).toMatchObject({ mode: 'incremental', whole: false, lack: 'short', expected: undefined });
    expect(report.reasons).toEqual(['the service said 250 and gave 200, however often it was asked']);
  });
});

describe('T14: windows and their ends', () => {
  test('T6: rows that are no contacts, in the order of uuids, are counted over all its queries', async () => {
    const service = createService();
    const { uuids } = seedContacts(service, 250, { secondsApart: 0 });
    const hidden = new Set([sorted(uuids)[20]!, sorted(uuids)[150]!]);
    const spoilt = behind(service, {
      answered: (page) => ({
        ...page,
        data: page.data.map((row) => (hidden.has(String(row['uuid'])) ? { first_name: 'Ada' } : row)),
      }),
    });
    const { uuids: seen, report } = await scan(spoilt, { windowRows: 100 });
    expect(sorted(seen)).toEqual(sorted(uuids).filter((uuid) => !hidden.has(uuid)));
    expect(report).toMatchObject({ whole: false, lack: 'unreadable', contacts: 248, expected: 250 });
    expect(report.reasons).toHaveLength(1);
    expect(report.reasons[0]).toContain('rows that were no contacts');
  });

  test('T13: a span with more contacts than a window costs one page, and is halved', async () => {
    const service = createService();
    const { uuids } = seedContacts(service, 900);
    service.capabilities.failed('order:created_at');
    const { uuids: seen, report } = await scan(service, { windowRows: 300 });
    expect(sorted(seen)).toEqual(sorted(uuids));
    expect(report).toMatchObject({ whole: true, expected: 900 });
    const later = service.calls().filter(({ body }) => (body as Search).offset > 0);
    // Four spans of some 225 contacts: two pages behind the first each.
    expect(later).toHaveLength(8);
  });

  test('T13: walking from window to window, each begins at the last instant of the one before and ends with the scan', async () => {
    const service = createService();
    const { uuids } = seedContacts(service, 350);
    const { uuids: seen, report } = await scan(service, { windowRows: 200 });
    expect(sorted(seen)).toEqual(sorted(uuids));
    expect(report).toMatchObject({ whole: true, duplicates: 1, expected: 350, drifted: 0 });
    const ranges = service.calls().map(({ body }) => (body as Search).filter?.['created_at']);
    const last = service.standin.model.contacts.get(uuids[199]!).record.created_at;
    expect(ranges[0]).toBeUndefined();
    expect(Object.keys(ranges[1]!)).toEqual(['<=']);
    expect(Date.parse(ranges[2]!['>=']!)).toBe(Date.parse(last));
    expect(ranges[2]!['<=']).toBe(ranges[1]!['<=']);
  });

  test('T13: if neither range nor order works, contacts are read by pages as far as they go', async () => {
    const service = createService({ filterByField: { created_at: 'refused' } });
    const { uuids } = seedContacts(service, 150);
    service.capabilities.failed('range:created_at');
    const { uuids: seen, report } = await scan(service);
    expect(sorted(seen)).toEqual(sorted(uuids));
    expect(report).toMatchObject({ mode: 'full', whole: true, expected: 150, pages: 2 });
    expect(service.calls().map(({ body }) => (body as Search).filter)).toEqual([{}, {}]);
  });

  test('T16: in no order but that of the service, a window is read until nothing new comes, and not for ever', async () => {
    const service = createService({ orderByField: { uuid: 'refused' } });
    seedContacts(service, 120, { secondsApart: 0 });
    const short = behind(service, {
      answered: (page, { offset }) => ({ ...page, data: offset === 0 ? page.data : page.data.slice(1), total: 120 }),
    });
    const { report } = await scan(short);
    expect(report).toMatchObject({ whole: false, lack: 'short', expected: 120, contacts: 119 });
    expect(report.reasons).toEqual(['the service said 120 and gave 119, however often it was asked']);
    expect(short.searches.length).toBeLessThan(40);
  });
});

describe('the report of a scan', () => {
  test('T17: if the service ignores the scope, its total is not that of the contacts in scope', async () => {
    const service = createService({ filterByField: { list_uuid: 'ignored' } });
    const { list_uuid } = seedContacts(service, 20);
    seedContacts(service, 10, { list: 'Others' });
    const { report } = await scan(service, { scope: { list_uuid } });
    expect(report).toMatchObject({ whole: true, contacts: 20, expected: undefined });
  });

  test('D5: contacts that were deleted here are not counted', async () => {
    const service = createService();
    const { uuids } = seedContacts(service, 20);
    const tombstones = { has: (uuid: string) => uuid === uuids[3] };
    const { uuids: seen, report } = await scan(service, { tombstones });
    expect(seen).not.toContain(uuids[3]);
    expect(report).toMatchObject({ whole: true, contacts: 19, expected: 20 });
  });

  test('a scan that is not over lacks nothing that it could name', async () => {
    const service = createService();
    seedContacts(service, 150);
    const scanning = scanContacts({ ...service, scope: {}, keep: ({ uuid }) => uuid });
    await scanning[Symbol.asyncIterator]().next();
    expect(scanning.report()).not.toHaveProperty('lack');
    expect(scanning.report()).toMatchObject({ whole: false, contacts: 100, pages: 1 });
  });

  test('a service that gives no total is read to its first empty page, and the scan is whole', async () => {
    const service = createService();
    const { uuids } = seedContacts(service, 150);
    const silent = behind(service, { answered: ({ data }) => ({ data }) });
    const { uuids: seen, report } = await scan(silent);
    expect(seen).toEqual(uuids);
    expect(report).toMatchObject({ whole: true, expected: undefined, contacts: 150, pages: 3 });
  });

  test('T15: without a total, a contact that comes twice shows that others moved, and the window is read again', async () => {
    const service = createService();
    const { uuids } = seedContacts(service, 150);
    let joined: string | undefined;
    const silent = behind(service, {
      answered: ({ data }) => {
        // Moved here from another list: made before all that were read.
        joined ??= service.standin.model.contacts.add({ fields: { first_name: 'Older' } }, Date.now() - 3_600_000)
          .record.uuid;
        return { data };
      },
    });
    const { uuids: seen, report } = await scan(silent);
    expect(sorted(seen)).toEqual(sorted([joined!, ...uuids]));
    expect(report).toMatchObject({ whole: true, drifted: 1, duplicates: 1 + 150 });
  });
});
