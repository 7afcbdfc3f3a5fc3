import { describe, expect, test } from 'vitest';
import { createOutreachCrm } from '../../src/crm/outreach/crm.ts';
import { outreachDescription } from '../../src/crm/outreach/description.ts';
import { createTombstones, deleteContact } from '../../src/crm/outreach/contacts/deletion.ts';
import { GatewayError, NotFoundError, ValidationError } from '../../src/crm/errors.ts';
import type { ContactUpdate } from '../../src/crm/outreach/operations/records.ts';
import { scanContacts } from '../../src/crm/outreach/scan/scan.ts';
import { contactUpdate } from '../../src/crm/outreach/operations/records.ts';
import type { FaultInput } from '../../src/standin/service/faults.ts';
import { createService, seedContacts } from '../support/service.ts';

/* One contact at a time: T21 to T32 of the service's known behaviours. */

type Service = ReturnType<typeof createService>;

function seedOne(service: Service) {
  const { list_uuid, uuids } = seedContacts(service, 1);
  return { list_uuid, uuid: uuids[0] ?? '' };
}

/** Updates a contact and returns it as read before, and as the update answered it. */
async function update({ client }: Service, uuid: string, fields: ContactUpdate) {
  const before = await client.contacts.get({ uuid });
  const after = await client.contacts.update({ uuid, ...fields });
  return { before, after };
}

test.each(['not_found', 'null', 'object', 'array', 'blank', 'no_content'] as const)(
  'T21: a lookup without a hit (%s) gives no contact, and a failed one gives an error',
  async (lookupMiss) => {
    const { client, standin } = createService({ lookupMiss });
    expect(await client.contacts.lookupOne({ email: 'nobody@firm.test' })).toBeUndefined();
    standin.faults.inject({ kind: 'status', status: 500, times: 10 });
    await expect(client.contacts.lookupOne({ email: 'nobody@firm.test' })).rejects.toBeInstanceOf(GatewayError);
  },
);

test.each([
  ['network_id', { network_id: 'https://www.network.test/in/Person-0/?trk=x' }],
  ['e-mail', { email: 'PERSON0@firm.test' }],
  ['name and company', { name: 'First0 Last0', company_name: 'Firm 0' }],
])('a contact is looked up by %s', async (_, identifier) => {
  const service = createService();
  const { uuid } = seedOne(service);
  expect(await service.client.contacts.lookupOne(identifier)).toMatchObject({ uuid });
});

test('a lookup requests no aggregation, and has one identifier', async () => {
  const service = createService();
  const { uuid } = seedOne(service);
  expect(await service.client.contacts.lookupOne({ email: 'person0@firm.test' })).toMatchObject({ uuid });
  expect(service.calls('contacts.lookup-one').map(({ body }) => body)).toEqual([
    { email: 'person0@firm.test', disable_aggregation: true },
  ]);
});

test('T23: an upsert that leaves an existing contact alone answers that contact, and changes no field', async () => {
  const service = createService({ upsertExisting: 'unchanged' });
  const { list_uuid, uuid } = seedOne(service);
  const before = await service.client.contacts.get({ uuid });
  const lead = { email: 'person0@firm.test', position: 'Chief' };
  expect(await service.client.contacts.upsert({ lead, list_uuid, update_if_exists: false })).toEqual(before);
  expect(await service.client.contacts.get({ uuid })).toEqual(before);
  expect(service.standin.model.contacts.size).toBe(1);
});

test('T23: an upsert that is refused because the contact exists changes no field', async () => {
  const service = createService({ upsertExisting: 'refused' });
  const { list_uuid, uuid } = seedOne(service);
  const before = await service.client.contacts.get({ uuid });
  const lead = { email: 'person0@firm.test', position: 'Chief' };
  const upsert = service.client.contacts.upsert({ lead, list_uuid, update_if_exists: false });
  await expect(upsert).rejects.toBeInstanceOf(ValidationError);
  expect(await service.client.contacts.get({ uuid })).toEqual(before);
  expect(service.standin.model.contacts.size).toBe(1);
});

test('T24: a field that is accepted and not stored is answered with its old value', async () => {
  const service = createService({ updateIgnores: ['position'] });
  const { uuid } = seedOne(service);
  const { before, after } = await update(service, uuid, { position: 'Chief', headline: 'Hello' });
  expect(after).toMatchObject({ position: before.position, headline: 'Hello' });
});

test('T25: an update of two fields leaves all the others as they were', async () => {
  const service = createService();
  const { uuid } = seedOne(service);
  const { before, after } = await update(service, uuid, { position: 'Chief', about: 'Likes tea' });
  expect(after).toEqual({ ...before, position: 'Chief', about: 'Likes tea', updated_at: after.updated_at });
  expect(service.calls('contacts.update')[0]?.body).toEqual({ position: 'Chief', about: 'Likes tea' });
});

test.each([
  ['cleared', null],
  ['stored', ''],
  ['ignored', 'Buyer'],
] as const)('T26: a blank that is %s by the service is answered as %j', async (blankValue, answered) => {
  const service = createService({ blankValue });
  const { uuid } = seedOne(service);
  const { after } = await update(service, uuid, { position: '' });
  expect(after.position).toBe(answered);
});

test('T26: a blank that is refused names its field', async () => {
  const service = createService({ blankValue: 'refused' });
  const { uuid } = seedOne(service);
  const error = await update(service, uuid, { position: '' }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ValidationError);
  expect(Object.keys((error as ValidationError).fields)).toEqual(['position']);
});

test.each(['work_email', 'personal_email'] as const)(
  'T27: an email that is stored as %s is answered there',
  async (emailStoredAs) => {
    const service = createService({ emailStoredAs });
    const { uuid } = seedOne(service);
    const { after } = await update(service, uuid, { email: 'other@firm.test' });
    expect(after[emailStoredAs]).toBe('other@firm.test');
  },
);

test('T28: a name that the service makes from its parts cannot be written', async () => {
  const service = createService();
  const { uuid } = seedOne(service);
  const { after } = await update(service, uuid, { first_name: 'Ada' });
  expect(after.name).toBe('Ada Last0');
  expect(Object.keys(contactUpdate.shape)).not.toContain('name');
});

test('a value that the service rewrites is answered in the form it was stored in', async () => {
  const service = createService({ normalises: ['trim', 'handle'] });
  const { uuid } = seedOne(service);
  const sent = { network: 'https://www.network.test/in/Somebody-Else/', position: '  Chief ', domain: 'firm.test' };
  const { after } = await update(service, uuid, sent);
  expect(after).toMatchObject({ network: 'somebody-else', position: 'Chief' });
  expect(after).not.toHaveProperty('domain');
});

test.each(['no_content', 'ok', 'accepted'] as const)(
  'T30: a deletion (%s) that takes a minute is one deletion, and the contact does not reappear',
  async (deleteStatus) => {
    const service = createService({ deleteStatus, deleteDelayMs: 60_000 });
    const { uuids } = seedContacts(service, 3);
    const { client } = service;
    const uuid = uuids[1] ?? '';
    const tombstones = createTombstones(() => Date.now());
    expect(await deleteContact(client, tombstones, uuid)).toBe('requested');
    expect(await client.contacts.get({ uuid })).toMatchObject({ uuid });
    const seen: string[] = [];
    for await (const page of scanContacts({ ...service, scope: {}, keep: (contact) => contact.uuid, tombstones }))
      seen.push(...page);
    expect(seen).toEqual([uuids[0], uuids[2]]);

    await new Promise((resolve) => setTimeout(resolve, 60_000));
    await expect(client.contacts.get({ uuid })).rejects.toBeInstanceOf(NotFoundError);
    expect(await deleteContact(client, tombstones, uuid)).toBe('gone');
    expect(service.standin.model.massActions).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 15 * 60_000));
    expect(tombstones.has(uuid)).toBe(false);
  },
);

test('T31: an update of a contact that was deleted meanwhile fails, and creates no contact', async () => {
  const service = createService();
  const { uuid } = seedOne(service);
  service.standin.model.contacts.remove(uuid);
  await expect(service.client.contacts.update({ uuid, position: 'Chief' })).rejects.toBeInstanceOf(NotFoundError);
  expect(service.standin.model.contacts.size).toBe(0);
});

test.each([
  ['a NUL', 'a\u0000b'],
  ['a lone surrogate', 'a\ud800b'],
  ['60,000 characters', 'x'.repeat(60_000)],
  ['an equals sign in front', '=1+1'],
  ['a plus sign in front', '+33 6 12 34'],
  ['a minus sign in front', '-1'],
  ['an at sign in front', '@here'],
  ['an emoji and line ends', 'line\r\n\u{1f469}\u200d\u{1f4bb}\n'],
])('T32: a value with %s comes back unchanged', async (_, about) => {
  const service = createService();
  const { uuid } = seedOne(service);
  const { after } = await update(service, uuid, { about });
  expect(after.about).toBe(about);
  expect((await service.client.contacts.get({ uuid })).about).toBe(about);
});

test('custom fields are sent with an upsert, and a contact is moved to a list on request', async () => {
  const service = createService();
  const { uuid } = seedOne(service);
  const other = service.standin.model.lists.add({ name: 'Others' });
  const input = { lead: { email: 'person0@firm.test' }, custom_fields: { segment: 'A' }, list_uuid: other.uuid };
  const stayed = await service.client.contacts.upsert(input);
  expect(stayed.uuid).toBe(uuid);
  expect(stayed.list_uuid).not.toBe(other.uuid);
  expect(service.standin.model.contacts.get(uuid).customFields).toEqual({ segment: 'A' });
  expect(service.calls('contacts.upsert')[0]?.body).toMatchObject({ update_if_exists: true, move_to_list: false });
  const moved = await service.client.contacts.upsert({ ...input, move_to_list: true });
  expect(moved.list_uuid).toBe(other.uuid);
});

test('W1, L2: custom fields go to nobody else who has the address, and make nobody', async () => {
  const service = createService();
  const { list_uuid: list, uuid } = seedOne(service);
  const { model } = service.standin;
  const second = model.contacts.add({ fields: { work_email: 'person0@firm.test', list_uuid: list } }).record;
  const key = 'custom_fields.segment';
  const contacts = openSegment(service);
  const given = { uuid, list, identifiers: { email: 'person0@firm.test' }, fields: [{ field: key, after: 'A' }] };
  expect(await contacts.setCustomFields(given, {})).toEqual({
    kind: 'refused',
    message: `custom fields go by email, and the service finds another contact by it, ${second.uuid}: make it unique`,
    shown: expect.objectContaining({ uuid: second.uuid, list }),
  });
  model.contacts.change(second.uuid, { fields: { work_email: 'second@firm.test' } });
  expect(await contacts.setCustomFields(given, {})).toMatchObject({ uuid });
  expect(await contacts.setCustomFields({ ...given, identifiers: { email: 'nobody@firm.test' } }, {})).toEqual({
    kind: 'refused',
    message: 'custom fields go by email, and the service finds no contact by it',
  });
  expect(model.contacts.get(uuid).customFields).toEqual({ segment: 'A' });
  expect(model.contacts.get(second.uuid).customFields).toEqual({});
  expect([...model.contacts.all()]).toHaveLength(2);
});

describe('W1: custom fields that went to another contact, which got the identifier in the moment of writing', () => {
  const other = '2c3e1f44-1111-4222-8333-944455556666';

  /** `fault`: of the first attempt, before which the other contact comes. */
  function written(fault: FaultInput) {
    const service = createService();
    const { list_uuid: list, uuid } = seedOne(service);
    const { model } = service.standin;
    const fields = { work_email: 'person0@firm.test', list_uuid: list, uuid: other };
    const matches = () => model.contacts.add({ fields }) !== undefined;
    service.standin.faults.inject({ ...fault, times: 1, operation: 'contacts.upsert', matches });
    const key = 'custom_fields.segment';
    const given = { uuid, list, identifiers: { email: 'person0@firm.test' }, fields: [{ field: key, after: 'A' }] };
    return openSegment(service).setCustomFields(given, {});
  }

  test('W1: are refused by name, where the first attempt was surely not carried out', async () => {
    expect(await written({ kind: 'rate_limited', waitMs: 1_000 })).toEqual({
      kind: 'misplaced',
      message: `the service took custom fields for another contact, ${other}: make its identifiers unique`,
      shown: expect.objectContaining({ uuid: other }),
      mayHaveArrived: false,
    });
  });

  test('W1, W4, L12: are of unknown outcome, by name, where the first attempt had no answer', async () => {
    expect(await written({ kind: 'status', status: 503, when: 'before' })).toMatchObject({
      kind: 'misplaced',
      mayHaveArrived: true,
      message: expect.stringContaining(`took custom fields for another contact, ${other}, and an attempt before`),
    });
  });
});

test('L8, W6: a create that is refused for too many calls is sent again five times, and then left to the next run', async () => {
  const service = createService();
  const { list_uuid } = seedContacts(service, 1);
  service.standin.faults.inject({ kind: 'rate_limited', waitMs: 2_000, times: 99, operation: 'contacts.upsert' });
  const usage = () => ({ calls: 0, lastMinute: 0, perMinute: 60_000 });
  const crm = createOutreachCrm({ client: service.client, account: 'x', usage, now: () => Date.now() });
  const email = contactFieldSpec('email');
  const contacts = crm.openContacts({ fields: [{ key: 'email', target: { kind: 'field', field: email } }] });
  const fields = [{ field: 'email', after: 'eve@x.io' }];
  await expect(contacts.create({ list: list_uuid, fields }, {})).rejects.toMatchObject({ code: 'rate_limit' });
  expect(service.calls('contacts.upsert')).toHaveLength(6);
});

function contactFieldSpec(name: string) {
  const field = outreachDescription.fields.get(name);
  if (!field) throw new Error(`there is no field ${name}`);
  return field;
}

test('T30: of deleted contacts only those of the last quarter of an hour are kept for a restart', async () => {
  let now = 0;
  const tombstones = createTombstones(() => now);
  tombstones.add('old');
  now = 14 * 60_000;
  tombstones.add('new');
  expect(tombstones.all()).toEqual({ old: 0, new: 14 * 60_000 });
  now = 15 * 60_000;
  expect(tombstones.all()).toEqual({ new: 14 * 60_000 });
  const later = createTombstones(() => now);
  later.restore(tombstones.all());
  expect([later.has('new'), later.has('old')]).toEqual([true, false]);
});

function openSegment({ client }: ReturnType<typeof createService>) {
  const usage = () => ({ calls: 0, lastMinute: 0, perMinute: 60_000 });
  const crm = createOutreachCrm({ client, account: 'x', usage, now: () => Date.now() });
  const target = { kind: 'custom_field', name: 'segment' } as const;
  return crm.openContacts({ fields: [{ key: 'custom_fields.segment', target }] });
}
