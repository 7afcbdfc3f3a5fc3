// The contacts of one mapping behind the port: which bodies are sent, and how an answer is read.
import { expect, test } from 'vitest';
import { createOutreachCrm } from '../../src/crm/outreach/crm.ts';
import { outreachDescription } from '../../src/crm/outreach/description.ts';
import { InvalidInputError } from '../../src/crm/errors.ts';
import type { ContactsSpec, FieldTarget } from '../../src/crm/port.ts';
import { createService, seedContacts } from '../support/service.ts';

const call = {};
const uuid = '00000000-0000-4000-8000-000000000001';
const list = '00000000-0000-4000-8000-000000000002';

function targetOf(key: string): FieldTarget {
  const field = outreachDescription.fields.get(key);
  return field ? { kind: 'field', field } : { kind: 'custom_field', name: key };
}

function openMapped(
  keys: readonly string[],
  service: ReturnType<typeof createService>,
  filter?: NonNullable<ContactsSpec['filter']>,
) {
  const usage = () => ({ calls: 0, lastMinute: 0, perMinute: 60_000 });
  const crm = createOutreachCrm({ client: service.client, account: 'x', usage, now: () => Date.now() });
  const fields = keys.map((key) => ({ key, target: targetOf(key) }));
  return crm.openContacts({ fields, ...(filter && { filter }) });
}

const writes = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([field, after]) => ({ field, after }));

test.each([
  ['a profile', { network_id: 'ada' }, true],
  ['a member identifier', { ln_id: '1' }, true],
  ['a second member identifier', { sn_id: '1' }, true],
  ['a handle', { network: 'ada' }, true],
  ['an address', { email: 'ada@x.io' }, true],
  ['a first name with a company', { first_name: 'Ada', company_name: 'Mills' }, true],
  ['a last name with a company', { last_name: 'Byron', company_name: 'Mills' }, true],
  ['a name without a company', { first_name: 'Ada', last_name: 'Byron' }, false],
  ['a company without a name', { company_name: 'Mills' }, false],
  ['a blank address', { email: '' }, false],
  ['a position', { position: 'Chief' }, false],
])('I8: whether the service can identify a contact by %s', (_, values, isIdentified) => {
  const contacts = openMapped(Object.keys(values), createService());
  expect(contacts.isIdentifiedBy(writes(values as Record<string, string>))).toBe(isIdentified);
});

test('the filter of a mapping narrows its scan and its count, and a contact says whether it passes', async () => {
  const service = createService();
  const { list_uuid, uuids } = seedContacts(service, 5);
  for (const each of uuids.slice(0, 2)) {
    service.standin.model.contacts.change(each, { fields: { email_status: 'ok' } });
  }
  const contacts = openMapped(['email'], service, { email_status: 'ok' });
  const scan = contacts.scan({ list: list_uuid, keep: ({ uuid: each }) => each });
  expect((await Array.fromAsync(scan)).flat().toSorted()).toEqual(uuids.slice(0, 2).toSorted());
  expect(service.calls('contacts.search').at(-1)?.body).toMatchObject({ filter: { email_status: 'ok', list_uuid } });
  expect(await contacts.count(list_uuid, call)).toBe(2);
  expect((await contacts.getNow(uuids[0]!, call)).passesFilter).toBe(true);
  expect((await contacts.getNow(uuids[4]!, call)).passesFilter).toBe(false);
});

test('without a filter a mapping has every contact of its list, and a contact passes', async () => {
  const service = createService();
  const { list_uuid, uuids } = seedContacts(service, 3);
  seedContacts(service, 2, { list: 'Others' });
  const contacts = openMapped(['email'], service);
  expect(await contacts.count(list_uuid, call)).toBe(3);
  expect(service.calls('contacts.search').at(-1)?.body).toMatchObject({ filter: { list_uuid }, limit: 1 });
  expect((await contacts.getNow(uuids[0]!, call)).passesFilter).toBe(true);
});

test('a filter that cannot be decided from the answer does not exclude a contact', async () => {
  const answer = { uuid, work_email: 'ada@x.io' };
  const contacts = openMapped(['email'], answering(answer), { email_status: 'ok' });
  expect((await contacts.getNow(uuid, call)).passesFilter).toBe(true);
});

/** A service with one fixed answer to every request. */
function answering(answer: unknown) {
  return createService({}, { transport: () => Response.json(answer) });
}

const at = '2026-11-21T08:00:00.000000Z';

test.each([
  ['the work address first', { work_email: 'a@work.io', personal_email: 'a@home.io' }, 'a@work.io'],
  ['the personal address behind a blank text', { work_email: '', personal_email: 'a@home.io' }, 'a@home.io'],
  ['the personal address behind a null', { work_email: null, personal_email: 'a@home.io' }, 'a@home.io'],
  ['no value if both are blank', { work_email: '', personal_email: '' }, null],
  ['nothing known if the first is not in the answer', { personal_email: 'a@home.io' }, undefined],
  ['nothing known if the second is not in the answer', { work_email: null }, undefined],
])('M8: e-mail is %s', async (_, fields, value) => {
  const contacts = openMapped(['email'], answering({ uuid, ...fields }));
  expect((await contacts.getNow(uuid, call)).values).toEqual([value]);
});

test('M8: a field that is only written and a custom field have no value in an answer', async () => {
  const contacts = openMapped(['domain', 'segment', 'position'], answering({ uuid, domain: 'x', position: 'Chief' }));
  expect((await contacts.getNow(uuid, call)).values).toEqual([undefined, undefined, 'Chief']);
});

test.each([
  ['in a list', list, list],
  ['in no list', null, null],
  ['in an unknown one', undefined, undefined],
  ['in something that is no list', 7, undefined],
])('a contact is %s', async (_, answered, read) => {
  const contacts = openMapped([], answering({ uuid, list_uuid: answered, created_at: at, updated_at: 'soon' }));
  expect(await contacts.getNow(uuid, call)).toEqual({
    uuid,
    values: [],
    list: read,
    passesFilter: true,
    createdAt: Date.parse(at),
    updatedAt: undefined,
  });
});

test('a scan shows the instant of the last edit of each contact, and its values in the order of the mapping', async () => {
  const service = createService();
  const { list_uuid, uuids } = seedContacts(service, 2);
  const edited = Date.parse('2026-11-21T08:30:00Z');
  service.standin.model.contacts.change(uuids[0]!, { fields: { position: 'Chief' } }, edited);
  const contacts = openMapped(['position', 'email'], service);
  const keep = ({ values, updatedAt }: { values: readonly unknown[]; updatedAt?: number | undefined }) => [
    ...values,
    updatedAt,
  ];
  const seen = (await Array.fromAsync(contacts.scan({ list: list_uuid, keep }))).flat();
  expect(seen).toContainEqual(['Chief', 'person0@firm.test', edited]);
});

test('I2: a lookup tries one identifier after the other, the strongest first, until one finds a contact', async () => {
  const service = createService();
  const { uuids } = seedContacts(service, 2);
  const contacts = openMapped(['email'], service);
  const named = { name: 'First1 Last1', company_name: 'Firm 1' };
  const identifiers = { network_id: 'nobody', email: 'nobody@firm.test', ...named };
  expect(await contacts.findByIdentifiers(identifiers, call)).toMatchObject({ uuid: uuids[1] });
  const bodies = () => service.calls('contacts.lookup-one').map(({ body }) => body);
  const disable_aggregation = true;
  expect(bodies()).toEqual([
    { network_id: 'nobody', disable_aggregation },
    { email: 'nobody@firm.test', disable_aggregation },
    { ...named, disable_aggregation },
  ]);
  await contacts.findByIdentifiers({ ...identifiers, network_id: 'person-0' }, call);
  expect(bodies()).toHaveLength(4);
});

test.each([
  ['a name without a company', { name: 'Ada Byron' }],
  ['a company without a name', { company_name: 'Mills' }],
])('I2: %s is no identifier: with another it is left out, and alone it is refused', async (_, half) => {
  const service = createService();
  const contacts = openMapped([], service);
  expect(await contacts.findByIdentifiers({ email: 'nobody@firm.test', ...half }, call)).toBeUndefined();
  expect(service.calls('contacts.lookup-one')).toHaveLength(1);
  await expect(contacts.findByIdentifiers(half, call)).rejects.toBeInstanceOf(InvalidInputError);
  await expect(contacts.findByIdentifiers({}, call)).rejects.toBeInstanceOf(InvalidInputError);
  expect(service.calls('contacts.lookup-one')).toHaveLength(1);
});

test('I2, T30: a contact that was deleted here is not found, and the next identifier may find another', async () => {
  const service = createService({ deleteDelayMs: 60_000 });
  const { uuids } = seedContacts(service, 2);
  const contacts = openMapped([], service);
  await contacts.remove(uuids[0]!, call);
  expect(await contacts.findByIdentifiers({ network_id: 'person-0' }, call)).toBeUndefined();
  const both = { network_id: 'person-0', email: 'person1@firm.test' };
  expect(await contacts.findByIdentifiers(both, call)).toMatchObject({ uuid: uuids[1] });
  expect([...(await contacts.get(uuids, call)).keys()]).toEqual([uuids[1]]);
  expect(Object.keys(contacts.deletions.all())).toEqual([uuids[0]]);
});

test.each([-86_400_000, 86_400_000])(
  'I8, T30: a contact that was deleted here is kept out although our own clock is set by %d ms, also over a restart',
  async (byMs) => {
    let setMs = 0;
    const service = createService({ deleteDelayMs: 60_000 }, { now: () => Date.now() + setMs });
    const { list_uuid, uuids } = seedContacts(service, 2);
    const contacts = openMapped([], service);
    await contacts.remove(uuids[0]!, call);
    const stored = contacts.deletions.all();
    setMs = byMs;
    const restarted = openMapped([], service);
    restarted.deletions.restore(stored);
    for (const each of [contacts, restarted]) {
      const seen: string[] = [];
      for await (const page of each.scan({ list: list_uuid, keep: ({ uuid: read }) => read })) seen.push(...page);
      expect(seen).toEqual([uuids[1]]);
      expect([...(await each.get(uuids, call)).keys()]).toEqual([uuids[1]]);
      expect(Object.keys(each.deletions.all())).toEqual([uuids[0]]);
    }
    await new Promise((resolve) => setTimeout(resolve, 16 * 60_000));
    await restarted.get([uuids[1]!], call);
    expect(restarted.deletions.all()).toEqual({});
  },
);

test('I2: a create sends the fields and leaves an existing contact as it is; a move sends the strongest identifier alone', async () => {
  const service = createService();
  const { list_uuid, uuids } = seedContacts(service, 1);
  const contacts = openMapped(['email', 'position', 'segment'], service);
  const fields = writes({ email: 'eve@x.io', position: 'Chief', segment: 'A' });
  const custom_fields = { segment: 'A' };
  await contacts.create({ list: list_uuid, fields }, call);
  const lead = { email: 'eve@x.io', position: 'Chief' };
  expect(service.calls('contacts.upsert').at(-1)?.body).toEqual({
    lead,
    list_uuid,
    custom_fields,
    update_if_exists: false,
    move_to_list: false,
  });
  const moved = (identifiers: { network_id?: string; email?: string }) =>
    contacts.moveToList({ uuid: uuids[0]!, list: list_uuid, identifiers, fields }, call);
  await moved({ network_id: 'person-0', email: 'person0@firm.test' });
  await moved({ email: 'person0@firm.test' });
  const body = { list_uuid, custom_fields, update_if_exists: true, move_to_list: true };
  expect(service.calls('contacts.upsert').map((each) => each.body)).toMatchObject([
    { lead },
    { lead: { network_id: 'person-0' }, ...body },
    { lead: { email: 'person0@firm.test' }, ...body },
  ]);
  expect(service.calls('contacts.upsert')[1]?.body).not.toHaveProperty('lead.email');
});

test('I2: without a custom field a write names none', async () => {
  const service = createService();
  const { list_uuid } = seedContacts(service, 1);
  const contacts = openMapped(['email', 'segment'], service);
  await contacts.create({ list: list_uuid, fields: writes({ email: 'eve@x.io' }) }, call);
  expect(service.calls('contacts.upsert')[0]?.body).not.toHaveProperty('custom_fields');
});

test('I2, L8: a move takes nobody else who has the identifier, and makes nobody', async () => {
  const service = createService();
  const { list_uuid, uuids } = seedContacts(service, 2);
  const contacts = openMapped(['email'], service);
  const other = service.standin.model.lists.add({ name: 'Others' }).uuid;
  const move = (identifiers: { network_id?: string; email?: string }) =>
    contacts.moveToList({ uuid: uuids[0]!, list: other, identifiers, fields: [] }, call);
  expect(await move({ email: 'person1@firm.test' })).toEqual({
    kind: 'refused',
    message: `a contact is moved by email, and the service finds another contact by it, ${uuids[1]}: make it unique`,
    shown: expect.objectContaining({ uuid: uuids[1], list: list_uuid }),
  });
  expect(await move({ network_id: 'nobody' })).toEqual({
    kind: 'refused',
    message: 'a contact is moved by network_id, and the service finds no contact by it',
  });
  expect(await move({})).toMatchObject({ kind: 'refused' });
  expect(service.calls('contacts.upsert')).toEqual([]);
  expect([...service.standin.model.contacts.all()].map(({ record }) => record.list_uuid)).toEqual([
    list_uuid,
    list_uuid,
  ]);
});

test('L8: a create and a move of unknown outcome are not sent again', async () => {
  const service = createService();
  const { list_uuid, uuids } = seedContacts(service, 1);
  const contacts = openMapped(['email'], service);
  service.standin.faults.inject({ kind: 'lost', operation: 'contacts.upsert', times: 99 });
  const given = { list: list_uuid, fields: writes({ email: 'eve@x.io' }) };
  await expect(contacts.create(given, call)).rejects.toMatchObject({ code: 'outcome_unknown' });
  const move = contacts.moveToList({ ...given, uuid: uuids[0]!, identifiers: { email: 'person0@firm.test' } }, call);
  await expect(move).rejects.toMatchObject({ code: 'outcome_unknown' });
  expect(service.calls('contacts.upsert')).toHaveLength(2);
});

test.each([true, false])(
  'E2: a contact is made and enrolled in one call (moves to the list: %s)',
  async (movesToList) => {
    const service = createService({ addNewLeadAnswer: 'lead' });
    const { list_uuid } = seedContacts(service, 1);
    const automation = service.standin.model.automations.add({ name: 'Welcome', status: 'on' }).uuid;
    const contacts = openMapped(['email', 'segment'], service);
    const given = { list: list_uuid, automation, segment: 1, movesToList };
    const fields = writes({ email: 'eve@x.io', segment: 'A' });
    const made = await contacts.createEnrolled!({ ...given, fields }, call);
    expect(made).toMatchObject({ outcome: 'added', contact: { list: list_uuid, values: ['eve@x.io', undefined] } });
    expect(service.calls('automations.add-new-lead').at(-1)?.body).toEqual({
      lead: { email: 'eve@x.io' },
      list_uuid,
      custom_fields: { segment: 'A' },
      update_lead_if_exists: false,
      move_to_list: movesToList,
      flow_segment_id: 1,
      skip_if_lead_exists: true,
    });
  },
);

test.each([
  ['neither contact nor reason', { note: 'queued' }, { outcome: 'unknown' }],
  ['a reason', { reason: 'skipped' }, { outcome: 'skipped' }],
])('E2: an answer with %s is read as it is, without a contact', async (_, answer, outcome) => {
  const contacts = openMapped(['email'], answering(answer));
  const given = { list, automation: uuid, segment: 1, movesToList: false };
  expect(await contacts.createEnrolled!({ ...given, fields: writes({ email: 'eve@x.io' }) }, call)).toEqual(outcome);
});

test('E2: a 204 says that the contact was added, and a blank 200 says nothing', async () => {
  const given = { list, automation: uuid, segment: 1, movesToList: false, fields: writes({ email: 'eve@x.io' }) };
  const blank = (status: number) =>
    openMapped(['email'], createService({}, { transport: () => new Response(null, { status }) }));
  expect(await blank(204).createEnrolled!(given, call)).toEqual({ outcome: 'added' });
  await expect(blank(200).createEnrolled!(given, call)).rejects.toMatchObject({ code: 'outcome_unknown' });
});

test('custom fields of a contact without profile and address are refused, and nothing is sent', async () => {
  const service = createService();
  const contacts = openMapped(['segment'], service);
  const identifiers = { name: 'Ada Byron', company_name: 'Mills' };
  const given = { uuid, list, identifiers, fields: writes({ segment: 'A' }) };
  expect(await contacts.setCustomFields(given, call)).toMatchObject({ kind: 'refused' });
  expect(service.calls()).toEqual([]);
});

test('custom fields are written by the strongest identifier, into a contact that stays in its list', async () => {
  const service = createService();
  const { list_uuid, uuids } = seedContacts(service, 1);
  const contacts = openMapped(['segment'], service);
  const identifiers = { network_id: 'person-0', email: 'person0@firm.test' };
  await contacts.setCustomFields(
    { uuid: uuids[0]!, list: list_uuid, identifiers, fields: writes({ segment: 'A' }) },
    call,
  );
  expect(service.calls('contacts.upsert')[0]?.body).toEqual({
    lead: { network_id: 'person-0' },
    list_uuid,
    custom_fields: { segment: 'A' },
    update_if_exists: true,
    move_to_list: false,
  });
});

test('more uuids than one search takes are read a hundred at a time', async () => {
  const service = createService();
  const { uuids } = seedContacts(service, 201);
  const contacts = openMapped(['email'], service);
  expect([...(await contacts.get(uuids, call)).keys()].toSorted()).toEqual(uuids.toSorted());
  const searches = service.calls('contacts.search').map(({ body }) => body as { filter: { uuid: string[] } });
  expect(searches.map(({ filter }) => filter.uuid.length)).toEqual([100, 100, 1]);
  expect(service.calls('contacts.get')).toEqual([]);
});

test('W6: a search by uuid that fails for a while is no refusal: the call fails, and the next one searches again', async () => {
  const service = createService();
  const { uuids } = seedContacts(service, 3);
  const contacts = openMapped(['email'], service);
  service.standin.faults.inject({ kind: 'status', status: 503, times: 5, operation: 'contacts.search' });
  await expect(contacts.get(uuids, call)).rejects.toMatchObject({ code: 'gateway' });
  expect(service.calls('contacts.get')).toEqual([]);
  expect((await contacts.get(uuids, call)).size).toBe(3);
  expect(service.calls('contacts.get')).toEqual([]);
});

test('D3: a contact that may not be read is not taken for one that does not exist', async () => {
  const service = createService();
  const contacts = openMapped(['email'], service);
  service.standin.faults.inject({ kind: 'status', status: 403, operation: 'contacts.get' });
  await expect(contacts.get([uuid], call)).rejects.toMatchObject({ code: 'permission' });
});
