import { expect, test } from 'vitest';
import { createContact, findByIdentifiers } from '../../src/crm/create-contact.ts';
import { createTombstones, deleteContact, waitUntilGone } from '../../src/crm/deletion.ts';
import { GatewayError, NotFoundError, ValidationError } from '../../src/crm/errors.ts';
import type { Contact, ContactUpdate } from '../../src/crm/operations/records.ts';
import { scanContacts } from '../../src/crm/scan/scan.ts';
import { readBack, storedOutcomes } from '../../src/crm/stored.ts';
import { contactUpdate } from '../../src/crm/operations/records.ts';
import { createService, seedContacts } from '../support/service.ts';

/* One contact at a time: T21 to T32 of the service's known behaviours. */

type Service = ReturnType<typeof createService>;

function seedOne(service: Service) {
  const { list_uuid, uuids } = seedContacts(service, 1);
  return { list_uuid, uuid: uuids[0] ?? '' };
}

/** Updates a contact and says what became of each field. */
async function update({ client }: Service, uuid: string, fields: ContactUpdate) {
  const before = await client.contacts.get({ uuid });
  const after = await client.contacts.update({ uuid, ...fields });
  return { before, after, outcomes: storedOutcomes(fields, before, after) };
}

test.each(['not_found', 'null', 'object', 'array', 'blank', 'no_content'] as const)(
  'T21: a lookup that finds nobody (%s) gives none, and one that fails gives an error',
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

test('a lookup asks for one identifier a call, the strongest first, and never by name', async () => {
  const service = createService();
  const { uuid } = seedOne(service);
  const found = await findByIdentifiers(service.client, { network_id: 'unknown-person', email: 'person0@firm.test' });
  expect(found?.uuid).toBe(uuid);
  expect(service.calls('contacts.lookup-one').map(({ body }) => body)).toEqual([
    { network_id: 'unknown-person', disable_aggregation: true },
    { email: 'person0@firm.test', disable_aggregation: true },
  ]);
  expect(await findByIdentifiers(service.client, {})).toBeUndefined();
});

test.each(['unchanged', 'refused'] as const)(
  'T23: creating somebody who exists (%s by the service) ends as exists, and changes no field',
  async (upsertExisting) => {
    const service = createService({ upsertExisting });
    const { list_uuid, uuid } = seedOne(service);
    const before = await service.client.contacts.get({ uuid });
    const lead = { email: 'person0@firm.test', position: 'Chief' };
    expect(await createContact(service.client, { lead, list_uuid })).toMatchObject({
      outcome: 'exists',
      contact: { uuid },
    });
    // Known by name and company only: the lookups before the call miss, the service finds.
    const byName = { first_name: 'First0', last_name: 'Last0', company_name: 'Firm 0', position: 'Chief' };
    const create = createContact(service.client, { lead: byName, list_uuid });
    // Nothing to look the refused one up by, so the refusal is all there is to say.
    const outcome = await create.catch((error: unknown) => (error instanceof ValidationError ? 'refused' : error));
    expect(outcome).toEqual(upsertExisting === 'refused' ? 'refused' : { outcome: 'created', contact: before });
    expect(await service.client.contacts.get({ uuid })).toEqual(before);
    expect(service.standin.model.contacts.size).toBe(1);
  },
);

test('T23: a contact that appears between lookup and create ends as exists as well', async () => {
  const service = createService({ upsertExisting: 'refused' });
  const { list_uuid } = seedOne(service);
  let raced = false;
  const racing = createService(
    {},
    {
      transport: async (url, init) => {
        const response = await service.standin.fetch(url, init);
        if (!raced && url.endsWith('lookup-one')) {
          raced = true;
          service.standin.model.contacts.add({ fields: { list_uuid, work_email: 'new@firm.test' } });
        }
        return response;
      },
    },
  );
  const created = await createContact(racing.client, { lead: { email: 'new@firm.test' }, list_uuid });
  expect(created).toMatchObject({ outcome: 'exists', contact: { work_email: 'new@firm.test' } });
});

test('creating somebody new says created', async () => {
  const service = createService();
  const { list_uuid } = seedOne(service);
  const created = await createContact(service.client, {
    lead: { email: 'new@firm.test', first_name: 'Ada' },
    list_uuid,
  });
  expect(created).toMatchObject({ outcome: 'created', contact: { first_name: 'Ada', list_uuid } });
});

test('T24: a field that is accepted and not stored is reported as not stored', async () => {
  const service = createService({ updateIgnores: ['position'] });
  const { uuid } = seedOne(service);
  const { outcomes } = await update(service, uuid, { position: 'Chief', headline: 'Hello' });
  expect(outcomes).toEqual({ position: { outcome: 'not_stored' }, headline: { outcome: 'stored' } });
});

test('T25: an update of two fields leaves all the others as they were', async () => {
  const service = createService();
  const { uuid } = seedOne(service);
  const { before, after } = await update(service, uuid, { position: 'Chief', about: 'Likes tea' });
  expect(after).toEqual({ ...before, position: 'Chief', about: 'Likes tea', updated_at: after.updated_at });
  expect(service.calls('contacts.update')[0]?.body).toEqual({ position: 'Chief', about: 'Likes tea' });
});

test.each([
  ['cleared', 'stored'],
  ['stored', 'stored'],
  ['ignored', 'not_stored'],
] as const)('T26: a blank that is %s by the service reads as %s', async (blankValue, outcome) => {
  const service = createService({ blankValue });
  const { uuid } = seedOne(service);
  const { outcomes } = await update(service, uuid, { position: '' });
  expect(outcomes).toEqual({ position: { outcome } });
});

test('T26: a blank that is refused names its field', async () => {
  const service = createService({ blankValue: 'refused' });
  const { uuid } = seedOne(service);
  const error = await update(service, uuid, { position: '' }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ValidationError);
  expect(Object.keys((error as ValidationError).fields)).toEqual(['position']);
});

test.each(['work_email', 'personal_email'] as const)(
  'T27: an email stored as %s counts as stored',
  async (emailStoredAs) => {
    const service = createService({ emailStoredAs });
    const { uuid } = seedOne(service);
    const { outcomes, after } = await update(service, uuid, { email: 'other@firm.test' });
    expect(outcomes).toEqual({ email: { outcome: 'stored' } });
    expect(after[emailStoredAs]).toBe('other@firm.test');
  },
);

test('T28: a name the service makes from its parts is no field that can be written back', async () => {
  const service = createService();
  const { uuid } = seedOne(service);
  const { after } = await update(service, uuid, { first_name: 'Ada' });
  expect(after.name).toBe('Ada Last0');
  expect(Object.keys(contactUpdate.shape)).not.toContain('name');
  expect(Object.keys(readBack).toSorted()).toEqual(Object.keys(contactUpdate.shape).toSorted());
});

test('a value the service rewrites is reported with the form it was stored in', async () => {
  const service = createService({ normalises: ['trim', 'handle'] });
  const { uuid } = seedOne(service);
  const sent = { network: 'https://www.network.test/in/Somebody-Else/', position: '  Chief ', domain: 'firm.test' };
  const { outcomes } = await update(service, uuid, sent);
  expect(outcomes).toEqual({
    network: { outcome: 'reformatted', value: 'somebody-else' },
    position: { outcome: 'reformatted', value: 'Chief' },
    domain: { outcome: 'unverifiable' },
  });
});

test.each(['no_content', 'ok', 'accepted'] as const)(
  'T30: a deletion (%s) that takes a minute is one deletion, and nobody rises again',
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

    expect(await waitUntilGone(client, uuid, { everyMs: 5_000, withinMs: 120_000 })).toBe(true);
    expect(await deleteContact(client, tombstones, uuid)).toBe('gone');
    expect(service.standin.model.massActions).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 15 * 60_000));
    expect(tombstones.has(uuid)).toBe(false);
  },
);

test('a contact that stays is said to stay', async () => {
  const service = createService();
  const { uuid } = seedOne(service);
  expect(await waitUntilGone(service.client, uuid, { everyMs: 1_000, withinMs: 5_000 })).toBe(false);
});

test('T31: an update of a contact that was deleted meanwhile fails, and makes nobody anew', async () => {
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
  const { after, outcomes } = await update(service, uuid, { about });
  expect(after.about).toBe(about);
  expect(outcomes).toEqual({ about: { outcome: 'stored' } });
  expect((await service.client.contacts.get({ uuid })).about).toBe(about);
});

test('custom fields travel with an upsert, and a move to a list happens when asked for', async () => {
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

test('a field missing from an answer is neither stored nor lost: it cannot be told', () => {
  const contact = { uuid: 'u' } as Contact;
  expect(storedOutcomes({ position: 'Chief' }, contact, contact)).toEqual({ position: { outcome: 'unverifiable' } });
});
