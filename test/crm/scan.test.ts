import { expect, test, vi } from 'vitest';
import { contactsByUuid } from '../../src/crm/outreach/contacts/by-uuid.ts';
import { createTombstones } from '../../src/crm/outreach/contacts/deletion.ts';
import { scanContacts } from '../../src/crm/outreach/scan/scan.ts';
import type { ContactScanOptions } from '../../src/crm/outreach/scan/scan.ts';
import type { ContactRow } from '../../src/crm/outreach/scan/contact-row.ts';
import { createService, seedContacts } from '../support/service.ts';

/*
 * Scans of all contacts, or of all changed ones, with a service that pages badly: T10 to T20 of its known behaviours.
 */

type Service = ReturnType<typeof createService>;
const keep = (contact: ContactRow) => contact;

async function scan(service: Service, options: Partial<ContactScanOptions<ContactRow>> = {}) {
  const scanning = scanContacts({ ...service, scope: {}, keep, ...options });
  const contacts: ContactRow[] = [];
  for await (const page of scanning) contacts.push(...page);
  return { contacts, uuids: contacts.map(({ uuid }) => uuid), report: scanning.report() };
}

const sorted = (uuids: Iterable<string>) => [...uuids].toSorted();

test('a scan yields every contact in scope once, with all its fields, and reports that it was whole', async () => {
  const service = createService();
  const { list_uuid, uuids } = seedContacts(service, 250);
  seedContacts(service, 30, { list: 'Others' });
  const { contacts, report } = await scan(service, { scope: { list_uuid } });
  expect(sorted(contacts.map(({ uuid }) => uuid))).toEqual(sorted(uuids));
  expect(contacts[7]).toMatchObject({
    uuid: uuids[7],
    first_name: 'First7',
    work_email: 'person7@firm.test',
    list_uuid,
    updated_at: expect.any(String) as string,
  });
  expect(report).toMatchObject({ mode: 'full', whole: true, reasons: [], contacts: 250, pages: 3, duplicates: 0 });
  expect(service.calls('contacts.search')).toHaveLength(3);
});

test('a scan always states limit, offset and order, and requests no extras', async () => {
  const service = createService();
  seedContacts(service, 1);
  await scan(service);
  expect(service.calls('contacts.search')[0]?.body).toMatchObject({
    limit: 100,
    offset: 0,
    order_field: 'created_at',
    order_type: 'asc',
    disable_aggregation: true,
  });
});

test.each(['flat', 'wrapped', 'mixed'] as const)('T10: rows that come %s are the same contacts', async (searchRows) => {
  const service = createService({ searchRows });
  const { uuids } = seedContacts(service, 40);
  const { contacts } = await scan(service);
  expect(contacts.map(({ uuid }) => uuid)).toEqual(uuids);
  expect(contacts[3]?.['first_name']).toBe('First3');
});

test('T11: a page size clamped to 20 yields every contact exactly once', async () => {
  const service = createService({ pageRowsMax: 20 });
  const { uuids } = seedContacts(service, 205);
  const { uuids: seen, report } = await scan(service);
  expect(seen).toEqual(uuids);
  expect(report).toMatchObject({ whole: true, pages: 11, duplicates: 0 });
});

test.each(['absent', 'wrong'] as const)(
  'T12: a scan ends at the end of the rows, has_more being %s',
  async (searchHasMore) => {
    const service = createService({ searchHasMore });
    const { uuids } = seedContacts(service, 230);
    const { uuids: seen, report } = await scan(service);
    expect(seen).toEqual(uuids);
    expect(report.whole).toBe(true);
  },
);

test('T12: wrong totals do not stop a scan, which reports that it may be incomplete', async () => {
  const service = createService({ totalDriftMax: 5 });
  const { uuids } = seedContacts(service, 330);
  const { uuids: seen, report } = await scan(service);
  expect(new Set(seen).size).toBe(seen.length);
  expect(sorted(seen)).toEqual(sorted(uuids).filter((uuid) => seen.includes(uuid)));
  expect(report).toMatchObject({ whole: false, drifted: 2 });
  expect(report.reasons).toEqual(['contacts kept coming and going while it was read']);
});

test.each(['refused', 'empty', 'server_error'] as const)(
  'T13: 12,345 contacts behind a window of 10,000 (%s beyond) are all returned',
  async (windowBeyond) => {
    const service = createService({ windowBeyond });
    const { uuids } = seedContacts(service, 12_345);
    const { uuids: seen, report } = await scan(service);
    expect(seen).toEqual(uuids);
    expect(report).toMatchObject({ whole: true, contacts: 12_345 });
    // 124 pages, and the rows at the seam twice: at most two calls more than necessary.
    expect(service.calls().length).toBeLessThanOrEqual(126);
  },
);

test('T13: if the order is ignored too, the time is halved until each part fits', async () => {
  const service = createService();
  const { uuids } = seedContacts(service, 900);
  const shuffling = createService({}, { transport: (url, init) => service.standin.fetch(url, unordered(init)) });
  const { uuids: seen, report } = await scan(shuffling, { windowRows: 200 });
  expect(sorted(seen)).toEqual(sorted(uuids));
  expect(report).toMatchObject({ whole: true, contacts: 900 });
  expect(shuffling.capabilities.offers('order:created_at')).toBe(false);
});

test("T13: of thousands of contacts made in one second one query's worth is read, and the report says so", async () => {
  const service = createService({ orderByField: { uuid: 'refused' } });
  seedContacts(service, 500, { secondsApart: 0 });
  const { report } = await scan(service, { windowRows: 300 });
  expect(report).toMatchObject({ whole: false, lack: 'limit', contacts: 300, expected: 500 });
  expect(report.reasons.join()).toContain('500 contacts share created_at');
});

test.each([3, 17, 99])(
  'T15: contacts created and deleted between pages lose no other contact (seed %i)',
  async (seed) => {
    const service = createService();
    const { uuids } = seedContacts(service, 620);
    const { model } = service.standin;
    let page = 0;
    const disturbed = createDisturbed(service, () => {
      page += 1;
      if (page > 5) return;
      model.contacts.remove(uuids[(seed * page) % 90] ?? '');
      if (page % 2) model.contacts.add({ fields: { first_name: `New${page}` } });
    });
    const { uuids: seen, report } = await scan(disturbed);
    const survivors = uuids.filter((uuid) => model.contacts.find(uuid));
    expect(survivors.filter((uuid) => !seen.includes(uuid))).toEqual([]);
    expect(seen.length).toBe(new Set(seen).size);
    expect(report.drifted).toBeGreaterThan(0);
  },
);

test('T15: a deletion and a creation at once leave the total unchanged, and are detected all the same', async () => {
  const service = createService();
  const { uuids } = seedContacts(service, 300);
  const { model } = service.standin;
  let once = true;
  const disturbed = createDisturbed(service, () => {
    if (!once) return;
    once = false;
    vi.setSystemTime(Date.now() + 2_000);
    model.contacts.remove(uuids[50] ?? '');
    model.contacts.add({ fields: { first_name: 'New' } });
  });
  const { uuids: seen, report } = await scan(disturbed);
  expect(uuids.filter((uuid) => model.contacts.find(uuid) && !seen.includes(uuid))).toEqual([]);
  expect(report).toMatchObject({ drifted: 1, whole: true });
});

test('T17: if the service ignores the scope, contacts outside it are still left out', async () => {
  const service = createService({ filterByField: { list_uuid: 'ignored' } });
  const { list_uuid, uuids } = seedContacts(service, 130);
  seedContacts(service, 210, { list: 'Others' });
  const { uuids: seen, report } = await scan(service, { scope: { list_uuid } });
  expect(sorted(seen)).toEqual(sorted(uuids));
  expect(report.whole).toBe(true);
});

test.each(['refused', 'server_error'] as const)(
  'T18: a scope that is %s is matched here instead, and the result is remembered',
  async (trouble) => {
    const service = createService({ filterByField: { email_status: trouble } });
    const { list_uuid, uuids } = seedContacts(service, 130);
    seedContacts(service, 300, { list: 'Others' });
    for (const uuid of uuids.slice(0, 40)) {
      service.standin.model.contacts.change(uuid, { fields: { email_status: 'ok' } });
    }
    const scope = { list_uuid, email_status: 'ok' };
    const { uuids: seen, report } = await scan(service, { scope });
    expect(sorted(seen)).toEqual(sorted(uuids.slice(0, 40)));
    expect(report.whole).toBe(true);
    const calls = service.calls().length;
    await scan(service, { scope });
    // The service still filters the list: two pages, and none of the others.
    expect(service.calls().length - calls).toBe(2);
  },
);

test('T18: a service that answers 500 to everything for a while has refused no filter', async () => {
  const service = createService();
  const { list_uuid, uuids } = seedContacts(service, 20);
  service.standin.faults.inject({ kind: 'status', status: 500, times: 1_000 });
  await expect(scan(service, { scope: { list_uuid }, since })).rejects.toMatchObject({ code: 'gateway' });
  service.standin.faults.clear();
  const { uuids: seen, report } = await scan(service, { scope: { list_uuid }, since });
  expect(sorted(seen)).toEqual(sorted(uuids));
  expect(report.mode).toBe('incremental');
  expect(service.calls().at(-1)?.body).toMatchObject({ filter: { list_uuid } });
});

const since = '2026-11-21T08:00:00.000Z';

async function changeSome(service: Service, count = 25) {
  const { uuids } = seedContacts(service, 400, { secondsApart: 60 });
  const changed = uuids.slice(100, 100 + count);
  for (const uuid of changed) {
    service.standin.model.contacts.change(uuid, { fields: { position: 'Chief' } }, Date.parse(since) + 1_000);
  }
  // Those made after the watermark, less its ten minutes, count as changed as well.
  const recent = uuids.filter((uuid) => {
    const at = service.standin.model.contacts.find(uuid)?.record.updated_at ?? '';
    return Date.parse(at) >= Date.parse(since) - 600_000;
  });
  return { uuids, recent };
}

test('an incremental scan reads contacts updated since the watermark, with an overlap, and nothing else', async () => {
  const service = createService();
  const { recent } = await changeSome(service);
  const { uuids: seen, report } = await scan(service, { since });
  expect(sorted(seen)).toEqual(sorted(recent));
  expect(report).toMatchObject({ mode: 'incremental', whole: true, pages: 1 });
  expect(Date.parse(report.cursor)).toBeGreaterThan(Date.parse(since));
});

test.each(['refused', 'server_error', 'ignored'] as const)(
  'T18: with the updated_at filter %s, changes are found by order, and the result is remembered',
  async (trouble) => {
    const service = createService({ filterByField: { updated_at: trouble } });
    const { recent } = await changeSome(service);
    const { uuids: seen, report } = await scan(service, { since });
    expect(recent.filter((uuid) => !seen.includes(uuid))).toEqual([]);
    expect(report).toMatchObject({ mode: 'incremental', whole: true });
    expect(service.capabilities.offers('range:updated_at')).toBe(false);
    const calls = service.calls().length;
    await scan(service, { since });
    expect(service.calls().length - calls).toBe(1);
  },
);

test('T18: if neither filter nor order of updated_at works, the scan becomes a full one', async () => {
  const service = createService({ filterByField: { updated_at: 'server_error' }, orderFieldIgnored: true });
  const { uuids } = await changeSome(service);
  const { uuids: seen, report } = await scan(service, { since });
  expect(sorted(seen)).toEqual(sorted(uuids));
  expect(report).toMatchObject({ mode: 'full', whole: true });
});

test('a capability is tried again a day later', async () => {
  const { capabilities } = createService();
  capabilities.failed('range:updated_at');
  expect(capabilities.offers('range:updated_at')).toBe(false);
  await new Promise((resolve) => setTimeout(resolve, 24 * 3_600_000));
  expect(capabilities.offers('range:updated_at')).toBe(true);
});

test('a contact that changes between pages of an incremental scan loses no other', async () => {
  const service = createService();
  const { uuids } = seedContacts(service, 350);
  let once = true;
  const disturbed = createDisturbed(service, () => {
    if (!once) return;
    once = false;
    vi.setSystemTime(Date.now() + 2_000);
    service.standin.model.contacts.change(uuids[10] ?? '', { fields: { position: 'Chief' } });
  });
  const { uuids: seen, report } = await scan(disturbed, { since: '2026-11-01T00:00:00Z' });
  expect(uuids.filter((uuid) => !seen.includes(uuid))).toEqual([]);
  expect(report).toMatchObject({ mode: 'incremental', drifted: 1, whole: true });
});

test.each([0, 1])(
  'T18: ordered by the last change alone, a contact that an edit moved over the edge of page %i is read all the same',
  async (page) => {
    const service = createService({ filterByField: { updated_at: 'ignored' } });
    const { uuids } = seedContacts(service, 250);
    const { model } = service.standin;
    // The order shows itself as one that is applied: the first contact is the last that was changed.
    vi.setSystemTime(Date.now() + 2_000);
    model.contacts.change(uuids[0] ?? '', { fields: { position: 'Chief' } });
    let pages = 0;
    const disturbed = createDisturbed(service, () => {
      pages += 1;
      if (pages !== page + 1) return;
      vi.setSystemTime(Date.now() + 2_000);
      // It was to come on a later page: now it is on the first one, and all others move by one.
      model.contacts.change(uuids[5] ?? '', { fields: { position: 'Chief' } });
    });
    const { uuids: seen, report } = await scan(disturbed, { since: '2026-01-01T00:00:00Z' });
    expect(uuids.filter((uuid) => !seen.includes(uuid))).toEqual([]);
    expect(report).toMatchObject({ whole: true });
  },
);

test.each([
  { moves: 1, read: 'again and are whole', report: { whole: true, drifted: 1, duplicates: 251 } },
  { moves: 100, read: 'a few times and are not whole', report: { whole: false, lack: 'drift' } },
])('T18: changes that are read newest first, and that move $moves times meanwhile, are read $read', async (each) => {
  const service = createService();
  const { uuids } = seedContacts(service, 251);
  let moves = 0;
  const disturbed = createDisturbed(service, () => {
    if (moves++ >= each.moves) return;
    vi.setSystemTime(Date.now() + 2_000);
    // The oldest change becomes the newest: all others move by one, and one of them comes twice.
    const [oldest] = [...uuids].map((uuid) => service.standin.model.contacts.find(uuid)!.record).toSorted(byChange);
    service.standin.model.contacts.change(oldest!.uuid, { fields: { position: 'Chief' } });
  });
  disturbed.capabilities.failed('range:updated_at');
  const { uuids: seen, report } = await scan(disturbed, { since: '2026-01-01T00:00:00Z' });
  expect(sorted(seen)).toEqual(sorted(uuids));
  expect(report).toMatchObject({ mode: 'incremental', ...each.report });
});

const byChange = (a: { updated_at: string | null }, b: { updated_at: string | null }) =>
  String(a.updated_at) < String(b.updated_at) ? -1 : 1;

test('T19: a contact that is not yet in the search is found by its uuid', async () => {
  const service = createService({ searchLagMs: 60_000 });
  const { list_uuid, uuids } = seedContacts(service, 5);
  const fresh = await service.client.contacts.upsert({ lead: { email: 'fresh@firm.test' }, list_uuid });
  const { uuids: seen } = await scan(service);
  expect(seen).not.toContain(fresh.uuid);
  const gone = '00000000-0000-4000-8000-000000000000';
  const found = await contactsByUuid(service.client, service.capabilities, [...uuids, fresh.uuid, gone]);
  expect(sorted(found.keys())).toEqual(sorted([...uuids, fresh.uuid]));
  const again = await service.client.contacts.upsert({ lead: { email: 'fresh@firm.test' }, list_uuid });
  expect(again.uuid).toBe(fresh.uuid);
});

test.each(['refused', 'ignored', 'server_error'] as const)(
  'T19: if a list of uuids is %s, contacts are read one by one',
  async (trouble) => {
    const service = createService({ filterByField: { uuid: trouble } });
    const { uuids } = seedContacts(service, 12);
    const found = await contactsByUuid(service.client, service.capabilities, uuids.slice(0, 6));
    expect(sorted(found.keys())).toEqual(sorted(uuids.slice(0, 6)));
    const searches = service.calls('contacts.search').length;
    await contactsByUuid(service.client, service.capabilities, uuids.slice(6));
    expect(service.calls('contacts.search')).toHaveLength(searches);
  },
);

test('T20: bare dates become whole days, and the last day is not lost', async () => {
  const service = createService();
  const { uuids } = seedContacts(service, 3);
  const { data } = await service.client.contacts.search({
    filter: { created_at: { '>=': '2026-11-21', '<=': '2026-11-21' } },
  });
  expect(data.map(({ uuid }) => uuid)).toEqual(uuids);
  expect(service.calls()[0]?.body).toMatchObject({
    filter: { created_at: { '>=': '2026-11-21T00:00:00.000000Z', '<=': '2026-11-21T23:59:59.999999Z' } },
  });
});

test('an IN over no values is answered without a call', async () => {
  const { client, calls } = createService();
  expect(await client.contacts.search({ filter: { uuid: [] } })).toMatchObject({ data: [], total: 0 });
  expect(calls()).toHaveLength(0);
});

test('a null in a filter selects blanks', async () => {
  const service = createService();
  seedContacts(service, 2);
  const { data } = await service.client.contacts.search({ filter: { about: null as never } });
  expect(data).toHaveLength(2);
  expect(service.calls()[0]?.body).toMatchObject({ filter: { about: 'is_null' } });
});

test('contacts that were deleted here a moment ago are not in a scan', async () => {
  const service = createService({ deleteDelayMs: 60_000 });
  const { uuids } = seedContacts(service, 4);
  const tombstones = createTombstones(Date.now);
  tombstones.add(uuids[1] ?? '');
  expect((await scan(service, { tombstones })).uuids).toEqual([uuids[0], uuids[2], uuids[3]]);
});

test('a scan that was not read to its end is not whole', async () => {
  const service = createService();
  seedContacts(service, 150);
  const scanning = scanContacts({ ...service, scope: {}, keep });
  for await (const _ of scanning) break;
  expect(scanning.report()).toMatchObject({ whole: false, reasons: ['it was not read to its end'] });
});

test('a page that fails for good ends the scan with its error', async () => {
  const service = createService();
  seedContacts(service, 150);
  service.standin.faults.inject({ kind: 'status', status: 503, times: 100 });
  await expect(scan(service)).rejects.toMatchObject({ code: 'gateway', call: { attempts: 5 } });
});

test('W1: an edit goes before the pages of a running scan', async () => {
  const service = createService({}, { requestsPerMinute: 60 });
  const { uuids } = seedContacts(service, 1_000);
  const scanning = scan(service);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const edited = service.client.contacts.update({ uuid: uuids[0] ?? '', position: 'Chief' });
  await Promise.all([scanning, edited]);
  const order = service.calls().map(({ operation }) => operation);
  expect(order.indexOf('contacts.update')).toBeLessThan(5);
});

/** The same service, with a change to it after each answer of the search. */
function createDisturbed(service: Service, happen: () => void): Service {
  const disturbed = createService(
    {},
    {
      transport: async (url, init) => {
        const response = await service.standin.fetch(url, init);
        happen();
        return response;
      },
    },
  );
  return { ...disturbed, standin: service.standin, calls: service.calls };
}

/** A search whose order the service chooses, by another field than the requested one. */
function unordered(init: RequestInit): RequestInit {
  const body = JSON.parse(init.body as string) as Record<string, unknown>;
  return { ...init, body: JSON.stringify({ ...body, order_field: 'uuid' }) };
}
