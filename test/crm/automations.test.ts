import { expect, test } from 'vitest';
import { createOutreachCrm } from '../../src/crm/outreach/crm.ts';
import { listsNamed, readCollection } from '../../src/crm/outreach/listing.ts';
import {
  InvalidInputError,
  NotFoundError,
  OutcomeUnknownError,
  PlanLimitError,
  ValidationError,
} from '../../src/crm/errors.ts';
import { operations } from '../../src/crm/outreach/operations/table.ts';
import { createService, seedContacts } from '../support/service.ts';

/* Automations, sender profiles, inbox and lists: T34 to T39 of the service's known behaviours. */

const missing = '00000000-0000-4000-8000-000000000000';

function seedAutomation(switches: Parameters<typeof createService>[0] = {}, status = 'on') {
  const service = createService(switches);
  const { list_uuid, uuids } = seedContacts(service, 2);
  const flow = service.standin.model.automations.add({ name: 'Q3 founders', status });
  return { ...service, list_uuid, uuids, flowUuid: flow.uuid, leadUuid: uuids[0] ?? '' };
}

test('T34: add-new-lead says added, skipped, or refused', async () => {
  const { client, flowUuid, list_uuid } = seedAutomation();
  const lead = { email: 'new@firm.test' };
  expect(await client.automations.addNewLead({ flowUuid, lead, list_uuid })).toEqual({ outcome: 'added' });
  const again = { flowUuid, lead, list_uuid, skip_if_lead_exists: true };
  expect(await client.automations.addNewLead(again)).toEqual({ outcome: 'skipped', reason: 'skipped' });
  await expect(client.automations.addNewLead({ ...again, flow_segment_id: 99 })).rejects.toBeInstanceOf(
    ValidationError,
  );
  await expect(client.automations.addNewLead({ ...again, flowUuid: missing })).rejects.toBeInstanceOf(NotFoundError);
});

test('T34: add-new-lead that answers with the contact is added, contact and all', async () => {
  const { client, flowUuid, list_uuid } = seedAutomation({ addNewLeadAnswer: 'lead' });
  expect(await client.automations.addNewLead({ flowUuid, lead: { email: 'new@firm.test' }, list_uuid })).toMatchObject({
    outcome: 'added',
    contact: { work_email: 'new@firm.test' },
  });
});

test('T34: after a lost answer, another try with skip_if_lead_exists enrols no contact twice', async () => {
  const { client, standin, calls, flowUuid, list_uuid } = seedAutomation();
  const input = { flowUuid, lead: { email: 'new@firm.test' }, list_uuid };
  standin.faults.inject({ kind: 'lost', when: 'after', operation: 'automations.add-new-lead' });
  await expect(client.automations.addNewLead(input)).rejects.toBeInstanceOf(OutcomeUnknownError);
  expect(calls('automations.add-new-lead')).toHaveLength(1);
  expect(await client.automations.addNewLead({ ...input, skip_if_lead_exists: true })).toMatchObject({
    outcome: 'skipped',
  });
  expect([...standin.model.automations.enrolments()]).toHaveLength(1);
});

test('T34, E3: a lost add-new-lead made no contact that a lookup finds', async () => {
  const { client, standin, flowUuid, list_uuid } = seedAutomation();
  const input = { flowUuid, lead: { email: 'new@firm.test' }, list_uuid };
  standin.faults.inject({ kind: 'lost', operation: 'automations.add-new-lead' });
  await expect(client.automations.addNewLead(input)).rejects.toBeInstanceOf(OutcomeUnknownError);
  expect(await client.contacts.lookupOne({ email: 'new@firm.test' })).toBeUndefined();
});

test.each(['accepted', 'conflict', 'refused'] as const)(
  'T35: adding a contact twice (%s) is one enrolment, and is never repeated by itself',
  async (addTwice) => {
    const { client, standin, calls, flowUuid, leadUuid } = seedAutomation({ addTwice });
    expect(await client.automations.addContact({ flowUuid, leadUuid })).toBe('added');
    expect(await client.automations.addContact({ flowUuid, leadUuid })).toBe(
      addTwice === 'accepted' ? 'added' : 'already',
    );
    expect([...standin.model.automations.enrolments()]).toHaveLength(1);
    standin.faults.inject({ kind: 'status', status: 503, operation: 'automations.add-contact' });
    await expect(client.automations.addContact({ flowUuid, leadUuid })).rejects.toBeInstanceOf(OutcomeUnknownError);
    expect(calls('automations.add-contact')).toHaveLength(3);
  },
);

test.each(['no_content', 'message'] as const)(
  'T36: a cancellation (%s) is requested, and takes effect later',
  async (cancelAnswer) => {
    const { client, standin, flowUuid, leadUuid } = seedAutomation({ cancelAnswer });
    await client.automations.addContact({ flowUuid, leadUuid });
    expect(await client.automations.cancel({ leadUuid, flow_uuids: [flowUuid] })).toBe('requested');
    expect(standin.model.automations.activeFlows(leadUuid)).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    standin.model.settle();
    expect(standin.model.automations.activeFlows(leadUuid)).toHaveLength(0);
    expect(await client.automations.cancelAll({ leadUuid })).toBe('requested');
  },
);

test('T37: starting an archived automation gives the words of the service', async () => {
  const { client, flowUuid } = seedAutomation({}, 'archived');
  const error = await client.automations.start({ flowUuid }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ValidationError);
  expect((error as ValidationError).call.status).toBe(422);
  expect((error as ValidationError).message).toMatch(/archived/);
});

test('T37: starting an automation that is on, or stopping one that is off, succeeds', async () => {
  const { client, flowUuid } = seedAutomation();
  expect(await client.automations.start({ flowUuid })).toMatchObject({ uuid: flowUuid, status: 'on' });
  expect(await client.automations.stop({ flowUuid })).toMatchObject({ status: 'off' });
  expect(await client.automations.stop({ flowUuid })).toMatchObject({ status: 'off' });
});

test('a schedule reads the same whether its minutes are called from and to, or min and max', async () => {
  const { client, standin, flowUuid } = seedAutomation();
  const read = async () => {
    const { records } = await readCollection(client, operations.automations.list, {});
    return records.find(({ uuid }) => uuid === flowUuid)?.schedule;
  };
  const documented = await read();
  expect(documented?.timeblocks.length).toBeGreaterThan(0);
  standin.switches.timeblocks = 'min_max';
  expect(await read()).toEqual(documented);
});

test('T39: an incoming reaction is listed with the other messages', async () => {
  const { client, standin, leadUuid } = seedAutomation();
  const sender = standin.model.senderProfiles.add({ first_name: 'Ada', last_name: 'Byron' });
  standin.model.inbox.addMessage({
    sender_profile_uuid: sender.uuid,
    lead_uuid: leadUuid,
    text: '\u{1f44d}',
    type: 'inbox',
  });
  const { data } = await client.networkMessages.list({ filter: { lead_uuid: leadUuid } });
  expect(data.map(({ text, type }) => ({ text, type }))).toEqual([{ text: '\u{1f44d}', type: 'inbox' }]);
});

test.each([402, 403, 422] as const)(
  'the limit of sender profiles is the same error as %i',
  async (profileLimitStatus) => {
    const { client } = createService({ profileLimitStatus, profilesMax: 1 });
    const profile = { first_name: 'Ada', last_name: 'Byron' };
    expect(await client.senderProfiles.create(profile)).toMatchObject(profile);
    await expect(client.senderProfiles.create(profile)).rejects.toBeInstanceOf(PlanLimitError);
    await expect(
      client.senderProfiles.connectExternal({ ...profile, external_browser_profile_id: 'b' }),
    ).rejects.toBeInstanceOf(PlanLimitError);
  },
);

test("connect-external needs a subscription, and accepts an id under a vendor's name as an unknown field", async () => {
  const profile = { first_name: 'Ada', last_name: 'Byron', external_browser_profile_id: 'b' };
  const { client } = createService({ subscriptionActive: false });
  await expect(client.senderProfiles.connectExternal(profile)).rejects.toBeInstanceOf(PlanLimitError);
  const vendor = createService({ externalProfileIdField: 'vendor_profile_id' });
  const named = { ...profile, vendor_profile_id: 'b' };
  await expect(vendor.client.senderProfiles.connectExternal(named)).rejects.toBeInstanceOf(InvalidInputError);
  const created = await vendor.client.senderProfiles.connectExternal(named, { allowUnknown: true });
  expect(created).toMatchObject({ first_name: 'Ada' });
});

test('a sent e-mail is the record with a uuid, not its body, and is listed after a lost answer', async () => {
  const { client, standin, leadUuid } = seedAutomation();
  const sender = standin.model.senderProfiles.add({ first_name: 'Ada', last_name: 'Byron' });
  const message = { sender_profile_uuid: sender.uuid, lead_uuid: leadUuid, subject: 'Hello', body: 'Hi there' };
  expect(await client.emails.send(message)).toMatchObject({ subject: 'Hello', lead_uuid: leadUuid });
  standin.faults.inject({ kind: 'lost', when: 'after', operation: 'emails.send' });
  await expect(client.emails.send({ ...message, subject: 'Again' })).rejects.toBeInstanceOf(OutcomeUnknownError);
  const { data } = await client.emails.list({ filter: { lead_uuid: leadUuid } });
  expect(new Set(data.map(({ subject }) => subject))).toEqual(new Set(['Again', 'Hello']));
  expect(data).toHaveLength(2);
});

test.each(['flat', 'nested'] as const)('e-mails are paged with %s figures', async (emailPaging) => {
  const { client, standin, leadUuid } = seedAutomation({ emailPaging, emailPageRowsMax: 10 });
  const sender = standin.model.senderProfiles.add({ first_name: 'Ada', last_name: 'Byron' });
  for (let index = 0; index < 25; index += 1) {
    await client.emails.send({
      sender_profile_uuid: sender.uuid,
      lead_uuid: leadUuid,
      subject: `S${index}`,
      body: 'B',
    });
  }
  const { records } = await readCollection(client, operations.emails.list, {});
  expect(records).toHaveLength(25);
  expect(new Set(records.map(({ subject }) => subject)).size).toBe(25);
});

test('a list is found by its exact name over all pages, also if q is ignored, and after a lost answer', async () => {
  const service = createService({ hasMore: 'absent' });
  const { client, standin } = service;
  for (let index = 0; index < 150; index += 1) standin.model.lists.add({ name: `Prospects ${index}` });
  expect(await listsNamed(client, 'Prospects 14')).toMatchObject({ lists: [{ name: 'Prospects 14' }] });
  expect(await listsNamed(client, 'Prospects')).toEqual({ lists: [] });
  const deaf = createService(
    {},
    { transport: (url, init) => standin.fetch(url.replaceAll(/&filter[^&]*/g, ''), init) },
  );
  expect(await listsNamed(deaf.client, 'Prospects 149')).toMatchObject({
    lists: [{ name: 'Prospects 149' }],
  });
  expect(await listsNamed(client, 'New')).toEqual({ lists: [] });
  standin.faults.inject({ kind: 'hang', when: 'after', operation: 'lists.create' });
  await expect(client.lists.create({ name: 'New' })).rejects.toBeInstanceOf(OutcomeUnknownError);
  expect(await listsNamed(client, 'New')).toMatchObject({ lists: [{ name: 'New' }] });
});

test('E5: a contact is cancelled in one automation, or in all of them', async () => {
  const { client, calls } = createService();
  const usage = () => ({ calls: 0, lastMinute: 0, perMinute: 60_000 });
  const crm = createOutreachCrm({ client, account: 'x', usage, now: () => Date.now() });
  const [contact, automation] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
  await crm.automations!.cancel(contact, null, {}).catch(() => undefined);
  await crm.automations!.cancel(contact, automation, {}).catch(() => undefined);
  expect(calls().map(({ operation, body }) => [operation, body ?? null])).toEqual([
    ['automations.cancel-all', null],
    ['automations.cancel', { flow_uuids: [automation] }],
  ]);
});
