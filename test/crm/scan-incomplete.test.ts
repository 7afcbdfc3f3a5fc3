import { describe, expect, test } from 'vitest';
import { scanContacts } from '../../src/crm/outreach/scan/scan.ts';
import type { ContactScanOptions } from '../../src/crm/outreach/scan/scan.ts';
import type { Capability } from '../../src/crm/outreach/scan/capabilities.ts';
import type { ContactRow } from '../../src/crm/outreach/scan/contact-row.ts';
import { createService, seedContacts } from '../support/service.ts';

/*
 * Scans that are hard to complete: contacts of one second, ties in any order, orders that are refused (T14, T16, T18).
 */

type Service = ReturnType<typeof createService>;

async function scan(service: Service, options: Partial<ContactScanOptions<ContactRow>> = {}) {
  const scanning = scanContacts({ ...service, scope: {}, keep: (contact) => contact, ...options });
  const uuids: string[] = [];
  for await (const page of scanning) uuids.push(...page.map(({ uuid }) => uuid));
  return { uuids, report: scanning.report() };
}

const sorted = (uuids: Iterable<string>) => [...uuids].toSorted();
/** The middle page of each pass over three. */
function isSecondOfThree(): (request: Request) => boolean {
  let requests = 0;
  return () => (requests += 1) % 3 === 2;
}

const since = '2026-11-21T08:00:00.000Z';

describe('T16: contacts of one second that come in another order each time', () => {
  test.each([70, 250, 990])('L12, T16: %i of them are all read', async (count) => {
    const service = createService({ tieOrder: 'random', pageRowsMax: count === 70 ? 20 : 100 });
    const { uuids } = seedContacts(service, count, { secondsApart: 0 });
    const { uuids: seen, report } = await scan(service);
    expect(sorted(seen)).toEqual(sorted(uuids));
    expect(report).toMatchObject({ whole: true, reasons: [], contacts: count });
  });

  test.each(['refused', 'ignored', 'server_error'] as const)(
    'T16, T18: all are read also if an order by uuid is %s, by repeated passes',
    async (trouble) => {
      const service = createService({ tieOrder: 'random', pageRowsMax: 20, orderByField: { uuid: trouble } });
      const { uuids } = seedContacts(service, 70, { secondsApart: 0 });
      const { uuids: seen, report } = await scan(service);
      expect(sorted(seen)).toEqual(sorted(uuids));
      expect(report).toMatchObject({ whole: true, contacts: 70 });
      expect(service.calls().length).toBeLessThan(100);
    },
  );

  test('T16: none of those among others, behind the window, is lost', async () => {
    const service = createService({ tieOrder: 'random', pageRowsMax: 20 });
    const first = seedContacts(service, 150, { list: 'A' });
    const tied = seedContacts(service, 90, { secondsApart: 0, list: 'A' });
    const { uuids: seen, report } = await scan(service, { windowRows: 100 });
    expect(sorted(seen)).toEqual(sorted([...first.uuids, ...tied.uuids]));
    expect(report.whole).toBe(true);
  });
});

/**
 * Four contacts of one second in a list that the service does not filter by, among sixty of another one. `draws`: searches
 * before, each of which moves the order of equal contacts on.
 */
async function amongOthers(refused: 'created_at' | 'updated_at', draws: number) {
  const service = createService({
    tieOrder: 'random',
    pageRowsMax: 20,
    filterByField: { list_uuid: 'ignored', [refused]: 'refused' },
  });
  const { list_uuid, uuids } = seedContacts(service, 4, { secondsApart: 0 });
  seedContacts(service, 60, { secondsApart: 0, list: 'Others' });
  for (let drawn = 0; drawn < draws; drawn += 1) await service.client.contacts.search({ limit: 1 });
  return { service, list_uuid, uuids };
}

test.each([1, 2, 3, 4, 5])(
  'T16, T17: among contacts of another list, which the service lists as well, none of one second is lost (seed %i)',
  async (draws) => {
    const { service, list_uuid, uuids } = await amongOthers('created_at', draws);
    const { uuids: seen, report } = await scan(service, { scope: { list_uuid } });
    expect(sorted(seen)).toEqual(sorted(uuids));
    expect(report).toMatchObject({ whole: true, contacts: 4 });
  },
);

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'L12, T16, T17: changes of one second, newest first among those of another list, are told as whole only if all were read (seed %i)',
  async (draws) => {
    const { service, list_uuid, uuids } = await amongOthers('updated_at', draws);
    const { uuids: seen, report } = await scan(service, { scope: { list_uuid }, since: '2026-01-01T00:00:00Z' });
    expect(report.mode).toBe('incremental');
    expect(report.whole && seen.length < uuids.length).toBe(false);
  },
);

describe('T12: totals that are wrong by one', () => {
  test.each([
    { what: 'one page that is full', count: 20, pageRowsMax: 20 },
    { what: 'a contact behind one page that is full', count: 21, pageRowsMax: 20 },
    { what: 'a contact behind pages of one', count: 2, pageRowsMax: 1 },
  ])('L12, T12: $what: all contacts are read', async ({ count, pageRowsMax }) => {
    for (let seed = 0; seed < 8; seed += 1) {
      const service = createService({ totalDriftMax: 1, pageRowsMax });
      const { uuids } = seedContacts(service, count);
      // Each total is drawn anew: the draws before this scan decide the direction of its error.
      for (let drawn = 0; drawn < seed; drawn += 1) await service.client.contacts.search({ limit: 1 });
      const { uuids: seen } = await scan(service);
      expect(sorted(seen)).toEqual(sorted(uuids));
    }
  });
});

describe('T14: more contacts of one second than one query gives', () => {
  test.each([
    ['in the order of their uuids', {}],
    ['from both ends of that order, where uuids cannot be compared', { filterByField: { uuid: 'refused' } }],
  ] as const)('T14, L12: 11,000 of them are all read, %s', async (_what, switches) => {
    const service = createService(switches);
    const { uuids } = seedContacts(service, 11_000, { secondsApart: 0 });
    const { uuids: seen, report } = await scan(service);
    expect(seen).toHaveLength(11_000);
    expect(sorted(seen)).toEqual(sorted(uuids));
    expect(report.whole).toBe(true);
  });

  test('T14, L12: 11,000 of them are read as far as one query goes, if no other way works, and the report says so', async () => {
    const service = createService({ orderByField: { uuid: 'refused' } });
    seedContacts(service, 11_000, { secondsApart: 0 });
    const { uuids: seen, report } = await scan(service);
    expect(new Set(seen).size).toBe(9_000);
    expect(report).toMatchObject({ whole: false, lack: 'limit', expected: 11_000, contacts: 9_000 });
    expect(report.reasons.join()).toContain('11000 contacts share created_at');
  });

  test('T14: 320 of one second between others, with a window of 100', async () => {
    const service = createService();
    const before = seedContacts(service, 230, { list: 'A' });
    const tied = seedContacts(service, 320, { secondsApart: 0, list: 'A' });
    const { uuids: seen, report } = await scan(service, { windowRows: 100 });
    expect(sorted(seen)).toEqual(sorted([...before.uuids, ...tied.uuids]));
    expect(report).toMatchObject({ whole: true, contacts: 550 });
  });

  test('T14: a bulk update gives 9,500 contacts one stamp: all changes are read', async () => {
    const service = createService();
    const { uuids } = seedContacts(service, 9_500);
    const at = Date.parse(since) + 1_000;
    for (const uuid of uuids) service.standin.model.contacts.change(uuid, { fields: { position: 'Chief' } }, at);
    const { uuids: seen, report } = await scan(service, { since });
    expect(sorted(seen)).toEqual(sorted(uuids));
    expect(report).toMatchObject({ mode: 'incremental', whole: true });
  });
});

test.each(['server_error', 'refused', 'ignored'] as const)(
  'T14, T18, L12: without a range of dates and with an order of uuids that is %s a scan reads as far as one query goes, and is not whole',
  async (trouble) => {
    const service = createService({
      tieOrder: 'random',
      pageRowsMax: 10,
      filterByField: { created_at: 'ignored', uuid: 'ignored' },
      orderByField: { uuid: trouble },
    });
    const { uuids } = seedContacts(service, 900, { secondsApart: 0 });
    const { uuids: seen, report } = await scan(service, { windowRows: 45 });
    expect(report).toMatchObject({ mode: 'full', whole: false, lack: 'limit', expected: 900, contacts: seen.length });
    expect(report.reasons.join()).toContain('900 contacts are there, and one query gives 45');
    expect(seen.length).toBeLessThan(uuids.length);
  },
);

test('L12, T18: a scan that ends because its last way of reading fails is not whole, and says why', async () => {
  const service = createService({
    tieOrder: 'random',
    pageRowsMax: 10,
    filterByField: { created_at: 'ignored' },
    orderByField: { uuid: 'ignored' },
  });
  seedContacts(service, 900, { secondsApart: 0 });
  // That the range does not work is forgotten at once, as it is after a day.
  const offers = (capability: Capability) =>
    capability === 'range:created_at' || service.capabilities.offers(capability);
  const capabilities = { ...service.capabilities, offers };
  const { report } = await scan(service, { windowRows: 45, capabilities });
  expect(report).toMatchObject({ whole: false, lack: 'limit' });
  expect(report.reasons).toEqual(['the service does not offer range:created_at']);
});

test('T16, T18: without a range of dates all contacts are read by uuid once one query does not give them', async () => {
  const service = createService({ tieOrder: 'random', pageRowsMax: 10, filterByField: { created_at: 'ignored' } });
  const { uuids } = seedContacts(service, 92, { secondsApart: 0 });
  const { uuids: seen, report } = await scan(service, { windowRows: 45 });
  expect(sorted(seen)).toEqual(sorted(uuids));
  expect(report).toMatchObject({ mode: 'full', whole: true, contacts: 92 });
});

test('T14: changes of one second that no query gives to its end are read by a full scan', async () => {
  const service = createService({ orderByField: { uuid: 'refused' } });
  const { uuids } = seedContacts(service, 350);
  const at = Date.parse(since) + 1_000;
  for (const uuid of uuids) service.standin.model.contacts.change(uuid, { fields: { position: 'Chief' } }, at);
  const { uuids: seen, report } = await scan(service, { since, windowRows: 100 });
  expect(sorted(seen)).toEqual(sorted(uuids));
  expect(report).toMatchObject({ mode: 'full', whole: true });
});

describe('T18: an order that is refused', () => {
  test.each(['refused', 'server_error', 'gateway_timeout', 'ignored'] as const)(
    'T18, W6: updated_at as an order is %s: changes are found without it, and the result is remembered',
    async (trouble) => {
      const service = createService({ orderByField: { updated_at: trouble } });
      const { uuids } = seedContacts(service, 400, { secondsApart: 60 });
      const changed = uuids.slice(100, 125);
      for (const uuid of changed) {
        service.standin.model.contacts.change(uuid, { fields: { position: 'Chief' } }, Date.parse(since) + 1_000);
      }
      const { uuids: seen, report } = await scan(service, { since });
      expect(changed.filter((uuid) => !seen.includes(uuid))).toEqual([]);
      expect(report).toMatchObject({ whole: true });
      expect(service.capabilities.offers('order:updated_at')).toBe(false);
      const calls = service.calls().length;
      const again = await scan(service, { since });
      expect(changed.filter((uuid) => !again.uuids.includes(uuid))).toEqual([]);
      expect(again.report).toMatchObject({ whole: true });
      // Only changed contacts are read: the bounds work without the order.
      expect(again.uuids.length).toBeLessThan(150);
      expect(service.calls().length - calls).toBeLessThanOrEqual(3);
    },
  );

  test.each(['refused', 'server_error'] as const)(
    'T18: neither order nor filter of updated_at (%s): a full scan by itself',
    async (trouble) => {
      const service = createService({ orderByField: { updated_at: trouble }, filterByField: { updated_at: trouble } });
      const { uuids } = seedContacts(service, 230);
      const { uuids: seen, report } = await scan(service, { since });
      expect(sorted(seen)).toEqual(sorted(uuids));
      expect(report).toMatchObject({ mode: 'full', whole: true });
      const calls = service.calls().length;
      await scan(service, { since });
      expect(service.calls().length - calls).toBe(3);
    },
  );

  test.each(['refused', 'server_error', 'ignored'] as const)(
    'T18: no order but that of the uuid, which is %s, and none by created_at: contacts are read all the same',
    async (trouble) => {
      const service = createService({ orderByField: { created_at: 'refused', updated_at: 'refused', uuid: trouble } });
      const { list_uuid, uuids } = seedContacts(service, 230);
      const { uuids: seen, report } = await scan(service, { scope: { list_uuid } });
      expect(sorted(seen)).toEqual(sorted(uuids));
      expect(report).toMatchObject({ mode: 'full' });
      expect(service.capabilities.offers('filter:list_uuid')).toBe(true);
    },
  );
});

describe('T13, T18: a range of created_at that does not work', () => {
  test.each(['refused', 'server_error', 'gateway_timeout', 'ignored'] as const)(
    'T18: %s: more contacts than one query gives are read in the order of their uuids',
    async (trouble) => {
      const service = createService({ filterByField: { created_at: trouble } });
      const { uuids } = seedContacts(service, 350);
      const { uuids: seen, report } = await scan(service, { windowRows: 100 });
      expect(sorted(seen)).toEqual(sorted(uuids));
      expect(report).toMatchObject({ mode: 'full', whole: true });
    },
  );

  test.each(['refused', 'server_error', 'gateway_timeout', 'ignored'] as const)(
    'T18: %s: more contacts than one page has are read, and the scan is whole',
    async (trouble) => {
      const service = createService({ filterByField: { created_at: trouble } });
      const { list_uuid, uuids } = seedContacts(service, 350);
      const { uuids: seen, report } = await scan(service, { scope: { list_uuid } });
      expect(sorted(seen)).toEqual(sorted(uuids));
      expect(report).toMatchObject({ mode: 'full', whole: true, contacts: 350 });
    },
  );

  test.each(['refused', 'server_error'] as const)(
    'T18: %s, as the list is in a filter: both are left out, and no contact of another list is read',
    async (trouble) => {
      const service = createService({ filterByField: { created_at: trouble, list_uuid: trouble } });
      const { list_uuid, uuids } = seedContacts(service, 150);
      seedContacts(service, 150, { list: 'Others' });
      const { uuids: seen, report } = await scan(service, { scope: { list_uuid } });
      expect(sorted(seen)).toEqual(sorted(uuids));
      expect(report).toMatchObject({ mode: 'full', whole: true });
      expect(service.capabilities.offers('order:created_at')).toBe(true);
    },
  );
});

describe('L12: the report of an incomplete scan says how many of how many', () => {
  test('an answer with an error in place of the rows does not end the pages', async () => {
    const service = createService();
    const { uuids } = seedContacts(service, 600);
    let answers = 0;
    const matches = () => (answers += 1) === 3;
    service.standin.faults.inject({ kind: 'error_in_200', beside: 'no_rows', matches });
    const { uuids: seen, report } = await scan(service);
    expect(seen).toEqual(uuids);
    expect(report).toMatchObject({ whole: true, drifted: 0 });
  });

  test('T6: rows that are no contacts are counted once, and the scan is not whole', async () => {
    const service = createService();
    seedContacts(service, 250);
    service.standin.faults.inject({ kind: 'bad_rows', times: 99, matches: isSecondOfThree() });
    const { report } = await scan(service);
    expect(report).toMatchObject({ whole: false, lack: 'unreadable', contacts: 150, expected: 250 });
    expect(report.reasons).toEqual(['rows that were no contacts: 100']);
  });

  test('T6: a single row that is no contact is enough', async () => {
    const service = createService();
    seedContacts(service, 50);
    const spoilt = createService(
      {},
      {
        transport: async (url, init) => {
          const answer = (await (await service.standin.fetch(url, init)).json()) as { readonly data: unknown[] };
          return Response.json({ ...answer, data: answer.data.with(7, { first_name: 'Ada' }) });
        },
      },
    );
    const { uuids, report } = await scan(spoilt);
    expect(uuids).toHaveLength(49);
    expect(report).toMatchObject({ whole: false, lack: 'unreadable', reasons: ['rows that were no contacts: 1'] });
  });

  test('T6: rows that are no contacts in one reading are read again', async () => {
    const service = createService();
    const { uuids } = seedContacts(service, 250);
    service.standin.faults.inject({ kind: 'bad_rows', matches: isSecondOfThree() });
    const { uuids: seen, report } = await scan(service);
    expect(sorted(seen)).toEqual(sorted(uuids));
    expect(report).toMatchObject({ whole: true, contacts: 250 });
  });

  test('pages that are empty before the end make a scan incomplete, not only drifted', async () => {
    const service = createService({}, {});
    seedContacts(service, 600);
    const shortened = createService(
      {},
      {
        transport: async (url, init) => {
          const { offset = 0 } = JSON.parse(String(init.body)) as { offset?: number };
          const answer = await service.standin.fetch(url, init);
          if (offset < 200) return answer;
          return Response.json({ ...((await answer.json()) as object), data: [] });
        },
      },
    );
    const { uuids, report } = await scan({ ...shortened, capabilities: service.capabilities });
    expect(uuids.length).toBeLessThan(600);
    expect(report).toMatchObject({ whole: false, lack: 'short', expected: 600, contacts: uuids.length });
    expect(report.reasons.join()).toContain('the service said 600 and gave');
  });
});
