// Listings as feeds, outboxes and commands read them: filters, orders, ends, and what a service does against them.
import { expect, test } from 'vitest';
import { createOutreachCrm } from '../../src/crm/outreach/crm.ts';
import { readCollection } from '../../src/crm/outreach/listing.ts';
import { operations } from '../../src/crm/outreach/operations/table.ts';
import type { ServiceClientOptions } from '../../src/crm/outreach/service-client.ts';
import { createRandom } from '../../src/standin/service/random.ts';
import { createService } from '../support/service.ts';

const usage = () => ({ calls: 0, lastMinute: 0, perMinute: 60_000 });

function openCrm(
  switches: Parameters<typeof createService>[0] = {},
  options: Partial<ServiceClientOptions> = {},
): ReturnType<typeof createService> & { readonly crm: ReturnType<typeof createOutreachCrm> } {
  const service = createService(switches, options);
  const crm = createOutreachCrm({ client: service.client, account: 'x', usage, now: () => Date.now() });
  return { ...service, crm };
}

/** A service whose listings are answered by `answer`, which gets the offset; `offsets` are those that were asked for. */
function answering(answer: (offset: number) => object | Response) {
  const offsets: number[] = [];
  const opened = openCrm(
    {},
    {
      transport: (url) => {
        const offset = Number(new URL(url).searchParams.get('offset'));
        offsets.push(offset);
        const answered = answer(offset);
        return answered instanceof Response ? answered : Response.json(answered);
      },
    },
  );
  return { ...opened, offsets, read: (recordsMax?: number) => readLists(opened, recordsMax) };
}

const readLists = ({ client }: ReturnType<typeof openCrm>, recordsMax?: number) =>
  readCollection(client, operations.lists.list, {}, recordsMax === undefined ? {} : { recordsMax });

const records = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ uuid: `u${from + index}` }));

test('L12, T16: a listing that gives the same records again and again is partial after eight readings, and says why', async () => {
  const { read, offsets } = answering((offset) => ({ data: records(0, 2), limit: 100, offset, total: 4 }));
  expect(await read()).toEqual({
    records: records(0, 2),
    coverage: 'partial',
    isDrifted: true,
    notice: 'only 2 of 4 records could be listed: their order is another one in each answer',
  });
  expect(offsets).toHaveLength(16);
});

test('L12, T16: readings end as soon as every record was seen', async () => {
  let readings = 0;
  const { read, offsets } = answering((offset) => {
    if (offset === 0) readings += 1;
    return { data: records(offset === 0 ? 0 : readings - 1, 2), total: 4 };
  });
  expect(await read()).toMatchObject({ coverage: 'whole', isDrifted: false, records: { length: 4 } });
  expect(offsets).toEqual([0, 2, 0, 2, 0, 2]);
});

test('G5: records that cannot be read make a listing partial, and are no reason to read it again', async () => {
  const { read, offsets } = answering(() => ({ data: [{ uuid: 'u1' }, { name: 'x' }, {}], total: 3 }));
  expect(await read()).toEqual({
    records: [{ uuid: 'u1' }],
    coverage: 'partial',
    isDrifted: true,
    notice: 'only 1 of 3 records could be listed: without a uuid, and so not readable: 2',
  });
  expect(offsets).toEqual([0]);
});

test('a listing without a total ends with its first empty page, and is whole', async () => {
  const { read, offsets } = answering((offset) => ({ data: offset < 4 ? records(offset, 2) : [] }));
  expect(await read()).toEqual({ records: records(0, 4), coverage: 'whole', isDrifted: false });
  expect(offsets).toEqual([0, 2, 4]);
});

test('F3: a record that comes twice without a total makes the reading drift', async () => {
  const { read } = answering((offset) => ({ data: offset < 4 ? records(offset / 2, 2) : [] }));
  expect(await read()).toMatchObject({ coverage: 'whole', isDrifted: true, records: { length: 3 } });
});

test('T12: a full page that reaches the total may be followed by another, and one that is not full may not', async () => {
  const page = (limit: number) => (offset: number) => ({ data: offset === 0 ? records(0, 2) : [], limit, total: 2 });
  const full = answering(page(2));
  await full.read();
  expect(full.offsets).toEqual([0, 2]);
  const half = answering(page(3));
  await half.read();
  expect(half.offsets).toEqual([0]);
});

test('of a record that comes twice the first form counts', async () => {
  const { read } = answering((offset) => ({
    data: [{ uuid: 'u1', name: offset === 0 ? 'first' : 'later' }],
    total: 2,
  }));
  expect((await read()).records).toMatchObject([{ name: 'first' }]);
});

/** Records of consecutive minutes, but for those from `from` to `to`, which have one date. */
const dated = (count: number, { from = 0, to = 0 } = {}) =>
  records(0, count).map((record, index) => {
    const minute = index >= from && index < to ? from : index;
    return { ...record, created_at: new Date(Date.UTC(2026, 10, 20) - minute * 60_000).toISOString() };
  });

/** A service that lists these records, of one date in an order that differs between its answers, ten a page. */
function listing(listed: readonly { readonly uuid: string; readonly created_at?: string }[], rows = 10) {
  const random = createRandom(7);
  const drawn = () => {
    const draws = new Map(listed.map(({ uuid }) => [uuid, random.integer(0, 1_000_000)]));
    return listed.toSorted(
      (a, b) =>
        Number(a.created_at! < b.created_at!) - Number(a.created_at! > b.created_at!) ||
        draws.get(a.uuid)! - draws.get(b.uuid)!,
    );
  };
  const opened = answering((offset) => ({
    data: drawn().slice(offset, offset + rows),
    limit: rows,
    total: listed.length,
  }));
  const query = { order_field: 'created_at', order_type: 'desc' } as const;
  const newest = async (recordsMax: number) => {
    opened.offsets.length = 0;
    return readCollection(opened.client, operations.lists.list, query, { recordsMax });
  };
  return { ...opened, newest };
}

const uuidsOf = (reading: { readonly records: readonly { readonly uuid: string }[] }) =>
  reading.records.map(({ uuid }) => uuid);

test('F5: as soon as enough records were read, and an older one, no further page is asked for', async () => {
  const { newest, offsets } = listing(dated(50));
  expect(await newest(9)).toEqual({ records: dated(9), coverage: 'newest', isDrifted: false });
  expect(offsets).toEqual([0]);
  expect(await newest(10)).toEqual({ records: dated(10), coverage: 'newest', isDrifted: false });
  expect(offsets).toEqual([0, 10]);
  expect(await newest(15)).toEqual({ records: dated(15), coverage: 'newest', isDrifted: false });
  expect(offsets).toEqual([0, 10]);
});

test.each([
  ['in one page', { from: 3, to: 8 }, 5],
  ['over two pages', { from: 8, to: 12 }, 10],
  ['over four pages', { from: 5, to: 38 }, 20],
  ['at the beginning', { from: 0, to: 25 }, 4],
  ['at the end', { from: 40, to: 50 }, 44],
  ['everywhere', { from: 0, to: 50 }, 44],
])('L6, F5: of records of one date %s those with the lowest uuids are taken, each time', async (_, equals, limit) => {
  const { newest } = listing(dated(50, equals));
  const before = dated(50).slice(0, equals.from);
  const cut = uuidsOf({ records: dated(50).slice(equals.from, equals.to) })
    .toSorted()
    .slice(0, limit - equals.from);
  for (let reading = 0; reading < 5; reading += 1) {
    const { records: taken, ...rest } = await newest(limit);
    expect(uuidsOf({ records: taken })).toEqual([...uuidsOf({ records: before }), ...cut]);
    expect(rest).toEqual({ coverage: 'newest', isDrifted: false });
  }
});

test('F5: as many records as the limit are all there are, also of one date', async () => {
  const { newest } = listing(dated(20, { from: 0, to: 20 }));
  expect(await newest(20)).toMatchObject({ coverage: 'whole', isDrifted: false, records: { length: 20 } });
});

test('F3, F5: of a thousand records of one date beyond the limit no more are read, and nothing is concluded', async () => {
  const { newest, offsets } = listing(dated(1250, { from: 50, to: 1250 }), 100);
  expect(await newest(100)).toMatchObject({
    coverage: 'partial',
    records: { length: 100 },
    notice:
      'more than 1000 records have the created_at of the last one that limit_rows takes: give the feed another order',
  });
  expect(offsets).toHaveLength(11);
  expect(await listing(dated(9_000, { from: 0, to: 9_000 }), 100).newest(500)).toMatchObject({ coverage: 'partial' });
});

test('F5: names that differ in case alone may be equal to the service, and a field that no answer has shows no equals', async () => {
  const names = ['b', 'A', 'a', 'A'].map((name, index) => ({ uuid: `u${4 - index}`, name }));
  const answer = () => ({ data: names, limit: 4, total: 9 });
  const { client } = answering((offset) => (offset === 0 ? answer() : { data: [{ uuid: 'u9', name: 'c' }], total: 9 }));
  const taken = async (order_field: 'name' | 'created_at') =>
    uuidsOf(await readCollection(client, operations.lists.list, { order_field }, { recordsMax: 2 }));
  expect(await taken('name')).toEqual(['u4', 'u1']);
  expect(await taken('created_at')).toEqual(['u4', 'u3']);
});

test('F3: a record that is edited while pages are read is not missed in the order of edits', async () => {
  const listed = dated(30);
  let pages = 0;
  const { client } = answering((offset) => {
    pages += 1;
    // The last one is edited between two pages, and comes first from then on.
    const rows =
      pages === 1 ? listed : [{ ...listed[29]!, created_at: '2026-11-21T00:00:00.000Z' }, ...listed.slice(0, 29)];
    return { data: rows.slice(offset, offset + 10), limit: 10, total: 30 };
  });
  const query = { order_field: 'created_at', order_type: 'desc' } as const;
  const reading = await readCollection(client, operations.lists.list, query, { recordsMax: 15 });
  expect(reading).toMatchObject({ coverage: 'newest', isDrifted: false });
  expect(uuidsOf(reading)).toEqual(['u29', ...uuidsOf({ records: listed.slice(0, 14) })]);
});

test.each([
  ['refused', 422, 9_000],
  ['failing', 500, 9_000],
  ['failing for a while', 503, 9_900],
])('F5, G5: a page that is %s near the window of the service ends the listing, which is partial', async (...each) => {
  const [, status, end] = each;
  const { read } = answering((offset) =>
    offset < end
      ? { data: records(offset, 100), limit: 100, total: 20_000 }
      : Response.json({ message: 'window' }, { status }),
  );
  const reading = await read();
  expect(reading).toMatchObject({ coverage: 'partial', isDrifted: true, records: { length: end } });
  expect(reading.notice).toContain(`only ${end} of 20000 records could be listed: the service lists no more of them`);
});

test('a page that is refused before that window is an error', async () => {
  const { read } = answering((offset) =>
    offset < 8_900
      ? { data: records(offset, 100), limit: 100, total: 20_000 }
      : Response.json({ message: 'no' }, { status: 422 }),
  );
  await expect(read()).rejects.toMatchObject({ code: 'validation' });
});

test('an account that may not read a page near that window is told so', async () => {
  const { read } = answering((offset) =>
    offset < 9_000
      ? { data: records(offset, 100), limit: 100, total: 20_000 }
      : Response.json({ message: 'no' }, { status: 403 }),
  );
  await expect(read()).rejects.toMatchObject({ code: 'permission' });
});

test('F3: a listing that ends with a full page at its total is whole, also if the page behind it is refused', async () => {
  const { read } = answering((offset) =>
    offset < 9_000
      ? { data: records(offset, 100), limit: 100, total: 9_000 }
      : Response.json({ message: 'window' }, { status: 422 }),
  );
  expect(await read()).toMatchObject({ coverage: 'whole', isDrifted: false, records: { length: 9_000 } });
});

const order = { field: 'created_at', type: 'asc' } as const;

/** A service that ignores every filter of its listings. */
function deaf(flows: readonly { readonly name?: string; readonly status?: string | null }[]) {
  const { standin } = createService({ flatFilters: 'ignored' });
  for (const flow of flows) standin.model.automations.add({ name: 'A', ...flow } as never);
  return openCrm({}, { transport: (url, init) => standin.fetch(url, init) });
}

test('F1: if the service ignores a filter, the records that do not match are left out', async () => {
  const { crm } = deaf([
    { name: 'Off', status: 'off' },
    { name: 'On', status: 'on' },
  ]);
  const named = async (filter: Record<string, string>) =>
    (await crm.collections!.list('automations', { filter, order }, {})).records.map(({ name }) => name);
  expect(await named({})).toEqual(['Off', 'On']);
  expect(await named({ status: 'on' })).toEqual(['On']);
  expect(await named({ status: 'ON' })).toEqual(['On']);
  // The service alone knows what `q` searches.
  expect(await named({ q: 'on' })).toEqual(['Off', 'On']);
});

test('F1, F3, F5: records that the service lists although it was told not to take no place of the limit', async () => {
  const { crm } = deaf([
    ...['a', 'b', 'c'].map((name) => ({ name, status: 'on' })),
    ...Array.from({ length: 150 }, () => ({ status: 'off' })),
  ]);
  const newest = async (recordsMax: number) => {
    const query = { filter: { status: 'on' }, order: { field: 'created_at', type: 'desc' }, recordsMax } as const;
    const { records: listed, ...rest } = await crm.collections!.list('automations', query, {});
    return { names: listed.map(({ name }) => String(name)).toSorted(), ...rest };
  };
  expect(await newest(5)).toEqual({ names: ['a', 'b', 'c'], coverage: 'whole', isDrifted: false });
  expect(await newest(3)).toEqual({ names: ['a', 'b', 'c'], coverage: 'whole', isDrifted: false });
  expect(await newest(2)).toMatchObject({ names: { length: 2 }, coverage: 'newest', isDrifted: false });
});

test('F1: a filter leaves out no record of which it cannot be told here', async () => {
  const answer = { data: [{ uuid: 'u1', status: null, sent_at: '2026-11-20T00:00:00Z' }], total: 1 };
  const { crm } = openCrm({}, { transport: () => Response.json(answer) });
  const filter = { status: 'sent', sent_at: { '>=': '2026-11-21T00:00:00Z' } };
  expect((await crm.collections!.list('emails', { filter, order }, {})).records).toHaveLength(1);
});

test('F1: a collection is listed in the order of the feed, with its filter, and counted by one record', async () => {
  const { crm, calls } = openCrm();
  const query = { filter: { status: 'on' }, order: { field: 'name', type: 'desc' } } as const;
  await crm.collections!.list('automations', query, {});
  expect(await crm.collections!.count('automations', query, {})).toBe(0);
  const queries = calls('automations.list').map(({ path }) =>
    Object.fromEntries(new URL(path, 'http://x').searchParams),
  );
  const sent = { order_field: 'name', order_type: 'desc', status: 'on', offset: '0' };
  expect(queries).toEqual([
    { ...sent, limit: '100' },
    { ...sent, limit: '1' },
  ]);
});

test('E7: an automation is switched off as well as on', async () => {
  const { crm, standin, calls } = openCrm();
  const { uuid } = standin.model.automations.add({ name: 'Welcome', status: 'on' });
  expect(await crm.collections!.control('automations', uuid, false, {})).toMatchObject({ status: 'off' });
  expect(await crm.collections!.control('automations', uuid, true, {})).toMatchObject({ status: 'on' });
  expect(calls().map(({ operation }) => operation)).toEqual(['automations.stop', 'automations.start']);
});

/** A listing that ends before its total, of records with these fields. */
const cutShort = (fields: object) =>
  openCrm(
    {},
    {
      transport: (url) =>
        Response.json({ data: url.includes('offset=0') ? [{ uuid: 'U1', ...fields }] : [], total: 2 }),
    },
  ).crm;

const notice = 'only 1 of 2 records could be listed: the pages ended before';

test('the notice of a listing that was cut short reaches the lists, the automations and the senders', async () => {
  const crm = cutShort({ name: null, status: null });
  expect(await crm.lists.list({})).toEqual({ lists: [{ uuid: 'U1', name: undefined }], notice });
  expect(await crm.lists.named('x', {})).toEqual({ lists: [], notice });
  expect(await crm.automations!.list({})).toEqual({ automations: [{ uuid: 'U1', name: '', status: '' }], notice });
  const senders = [{ uuid: 'u1', names: [], isEnabled: true }];
  expect(await crm.messages!.senders({})).toEqual({ senders, notice });
});

test('a list without a readable name has none', async () => {
  const { crm } = openCrm({}, { transport: () => Response.json({ uuid: 'u1', name: null }) });
  expect(await crm.lists.get('u1', {})).toEqual({ name: undefined });
});

test('a sender has a label, a full name or both, of which no part is blank', async () => {
  const { crm } = openCrm(
    {},
    {
      transport: () =>
        Response.json({
          data: [
            { uuid: 'u1', label: '', first_name: 'Jo', last_name: null },
            { uuid: 'u2', label: 'Sales', first_name: '', last_name: '' },
          ],
          total: 2,
        }),
    },
  );
  expect((await crm.messages!.senders({})).senders.map(({ names }) => names)).toEqual([['Jo'], ['Sales']]);
});

test.each([
  ['its status', { uuid: 'u1', status: 'waiting' }, { uuid: 'u1', delivery: 'waiting' }],
  ['none', { uuid: 'u1', status: null }, { uuid: 'u1' }],
])('P5: a message that was queued is answered with %s', async (_, answer, sent) => {
  const urls: string[] = [];
  const { crm } = openCrm(
    {},
    {
      transport: (url) => {
        urls.push(new URL(url).pathname);
        return Response.json(answer);
      },
    },
  );
  const to = { lead_uuid: 'l', sender_profile_uuid: 's' };
  expect(await crm.messages!.send('emails', { ...to, body: 'Hi' }, {})).toEqual(sent);
  expect(await crm.messages!.send('network_messages', { ...to, text: 'Hi' }, {})).toEqual(sent);
  expect(urls).toEqual(['/emails/api/emails/send-email', '/flows/api/professional-network-messages']);
});

test('P5: deliveries are sent messages alone, the latest first, a hundred at a time', async () => {
  const { crm, calls } = openCrm();
  await Array.fromAsync(crm.messages!.deliveries('emails', 0, {}));
  const { path } = calls('emails.list')[0]!;
  expect(Object.fromEntries(new URL(path, 'http://x').searchParams)).toEqual({
    limit: '100',
    offset: '0',
    order_field: 'created_at',
    order_type: 'desc',
    'filter[type]': 'outbox',
  });
});

test('a probe asks for one list, and says how many there are', async () => {
  const { crm, standin, calls } = openCrm();
  for (const name of ['A', 'B']) standin.model.lists.add({ name });
  expect(await crm.probe({})).toEqual({ lists: 2 });
  expect(calls().map(({ path }) => new URL(path, 'http://x').searchParams.get('limit'))).toEqual(['1']);
});
