// Senders, recipients and deliveries as an outbox reads them (P4, P5).
import { expect, test } from 'vitest';
import { createMessages } from '../../src/crm/outreach/messages.ts';
import { createService } from '../support/service.ts';

const nobody = '99999999-9999-4999-8999-999999999999';

function openMessages(switches: Parameters<typeof createService>[0] = {}) {
  const service = createService(switches);
  const { contacts, senderProfiles, inbox } = service.standin.model;
  return { ...service, contacts, senderProfiles, inbox, messages: createMessages(service) };
}

test('P4: a sender is known by its label and by its full name, and may be disabled', async () => {
  const { messages, senderProfiles } = openMessages();
  const add = (profile: { label?: string | null; status?: string }) =>
    senderProfiles.add({ first_name: 'Jo', last_name: 'Sender', ...profile }).uuid;
  const [sales, plain, disabled] = [add({ label: 'Sales' }), add({ label: null }), add({ status: 'Disabled' })];
  const { senders } = await messages.senders({});
  const byUuid = new Map(senders.map(({ uuid, ...sender }) => [uuid, sender]));
  expect(byUuid.get(sales)).toEqual({ names: ['Sales', 'Jo Sender'], isEnabled: true });
  expect(byUuid.get(plain)).toEqual({ names: ['Jo Sender'], isEnabled: true });
  expect(byUuid.get(disabled)?.isEnabled).toBe(false);
});

test.each([
  ['its name and address', { name: 'Ada Byron', work_email: 'ada@x.io' }, 'Ada Byron <ada@x.io>'],
  ['the parts of its name', { name: null, first_name: 'Ada', last_name: 'Byron' }, 'Ada Byron'],
  ['one part', { name: null, last_name: 'Byron', personal_email: 'a@home.io' }, 'Byron <a@home.io>'],
  ['its address', { name: null, work_email: 'ada@x.io' }, '<ada@x.io>'],
])('P4: people see a recipient by %s', async (_, fields, name) => {
  const { messages, contacts } = openMessages();
  const { uuid } = contacts.add({ fields }).record;
  const found = await messages.recipients([uuid, nobody], {});
  expect([...found.values()]).toMatchObject([{ uuid, name }]);
});

test('P4: people see a recipient without name and address by its uuid', async () => {
  const { messages, contacts } = openMessages();
  const { uuid } = contacts.add({ fields: { name: null } }).record;
  expect((await messages.recipients([uuid], {})).get(uuid)).toEqual({ uuid, name: uuid, emails: [] });
});

test('P4: the addresses of a recipient are the one at work and the personal one, in this order', async () => {
  const { messages, contacts } = openMessages();
  const { uuid } = contacts.add({ fields: { personal_email: 'a@home.io', work_email: 'ada@x.io' } }).record;
  expect((await messages.recipients([uuid], {})).get(uuid)?.emails).toEqual(['ada@x.io', 'a@home.io']);
});

test('P4: nobody has an address that no contact has', async () => {
  const { messages, contacts } = openMessages();
  const { uuid } = contacts.add({ fields: { work_email: 'ada@x.io' } }).record;
  expect(await messages.recipientByEmail('ada@x.io', {})).toMatchObject({ uuid });
  expect(await messages.recipientByEmail('eve@x.io', {})).toBeUndefined();
});

/** So many e-mails, one a minute, the last one now. */
function openDeliveries(count: number, switches: Parameters<typeof createService>[0] = {}) {
  const opened = openMessages({ emailPageRowsMax: 10, ...switches });
  const from = Date.now() - (count - 1) * 60_000;
  const times = Array.from({ length: count }, (_, index) => from + index * 60_000);
  const uuids = times.map((at, index) => {
    const [lead_uuid, created_at] = [nobody, new Date(at).toISOString()];
    return opened.inbox.addEmail({ lead_uuid, created_at, subject: `S${index}` }, { body: 'B' }).email.uuid;
  });
  const read = async (since: number) => {
    const pages = await Array.fromAsync(opened.messages.deliveries('emails', since, {}));
    const deliveries = pages.flatMap((page) => page.deliveries);
    return { deliveries, uuids: deliveries.map(({ uuid }) => uuid), missing: pages.map(({ missing }) => missing) };
  };
  return { ...opened, times, uuids, read };
}

test('P5: deliveries are read newest first, until a page ends before the instant that is asked for', async () => {
  const { read, times, uuids, calls } = openDeliveries(35);
  const { uuids: read15, missing } = await read(times[20]!);
  expect(read15).toEqual(uuids.toReversed().slice(0, 20));
  expect(missing).toEqual([undefined, undefined]);
  expect(calls('emails.list')).toHaveLength(2);
});

test('P5: deliveries at the very instant are read: a page that ends with one is not the last', async () => {
  const { read, times, calls } = openDeliveries(35);
  expect((await read(times[25]!)).uuids).toHaveLength(20);
  expect(calls('emails.list')).toHaveLength(2);
});

test('P5: all deliveries are read if none is older than the instant, without a page beyond the total', async () => {
  const { read, uuids, calls } = openDeliveries(30);
  const { uuids: seen, missing } = await read(0);
  expect(seen).toEqual(uuids.toReversed());
  expect(missing).toEqual([undefined, undefined, undefined]);
  expect(calls('emails.list')).toHaveLength(3);
});

test('P5: a delivery is its record, with contact, instant and status', async () => {
  const { read, uuids, times } = openDeliveries(1);
  const { deliveries } = await read(0);
  expect(deliveries).toEqual([
    {
      uuid: uuids[0],
      contact: nobody,
      at: times[0],
      status: 'waiting',
      content: expect.objectContaining({ subject: 'S0' }) as unknown,
    },
  ]);
});

/** E-mails as answers of a service that the stand-in does not play: so many pages, then empty ones. */
function answering(pages: readonly (readonly object[])[], total?: number) {
  let calls = 0;
  const service = createService(
    {},
    { transport: () => Response.json({ data: pages[calls++] ?? [], ...(total !== undefined && { total }) }) },
  );
  const read = async (since: number) =>
    (await Array.fromAsync(createMessages(service).deliveries('emails', since, {}))).map(
      ({ deliveries, missing }) => `${deliveries.length}${missing === undefined ? '' : `: ${missing}`}`,
    );
  return { read, calls: () => calls };
}

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 8, minute)).toISOString();
const record = (minute: number) => ({ uuid: `u${minute}`, created_at: at(minute) });

test('P5: a page out of order proves nothing about older records: the next one is read, too', async () => {
  const { read } = answering([[record(1), record(9)], [record(8)]], 3);
  expect(await read(Date.parse(at(5)))).toEqual(['2', '1']);
});

test('P5: a listing that ends before its total says how many of how many were read', async () => {
  const { read } = answering([[record(9), record(8)]], 5);
  expect(await read(0)).toEqual(['2', '0: 2 of 5 records were read: the service lists no more']);
});

test('P5: a listing without a total ends with an empty page, and is whole', async () => {
  const { read } = answering([[record(9), record(8)]]);
  expect(await read(0)).toEqual(['2', '0']);
});

test('P5: records that cannot be read are counted, also those of an earlier page', async () => {
  const { read } = answering([[record(9), { created_at: at(8) }], [record(7)]]);
  expect(await read(Date.parse(at(8)))).toEqual([
    '1',
    '1: 2 records were read: without a uuid, and so not readable: 1',
  ]);
});

test('P5: of a listing without end 90 pages are read, and the last one says that more may follow', async () => {
  const { read, calls } = answering(Array.from({ length: 100 }, () => [record(9)]));
  const pages = await read(0);
  expect(pages.at(-1)).toBe('1: 90 records were read: the service lists no more');
  expect([pages.length, calls()]).toEqual([90, 90]);
});

test('P5: a delivery without instant, contact or status is listed by its uuid', async () => {
  const service = createService({}, { transport: () => Response.json({ data: [{ uuid: 'u1' }], total: 1 }) });
  const [page] = await Array.fromAsync(createMessages(service).deliveries('network_messages', 0, {}));
  expect(page?.deliveries).toEqual([{ uuid: 'u1', content: expect.anything() as unknown }]);
});
