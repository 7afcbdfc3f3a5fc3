import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '../../src/standin/serve.ts';
import { serve } from '../../src/standin/serve.ts';
import { OutcomeUnknownError, UnreachableError } from '../../src/crm/errors.ts';
import { operationList } from '../../src/crm/outreach/operations/table.ts';
import type { ServiceClient } from '../../src/crm/outreach/service-client.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { connectOverHttp } from '../support/service-over-http.ts';

/* Every operation once over a real connection, with a signed token, in the order of a day's work. */

const standin = createServiceStandin({
  now: () => Date.now(),
  seed: 1,
  switches: { cancelDelayMs: 0, messageDelayMs: 0, emailDelayMs: 0 },
});
let server: RunningServer;
let client: ServiceClient;

beforeAll(async () => {
  server = await serve(standin.app, 0);
  client = connectOverHttp(server.url, await standin.signToken());
});
afterAll(async () => {
  await server.close();
});

const day: Record<string, string> = {};
const profile = { first_name: 'Ada', last_name: 'Byron' };

/** The input and the expected answer of each operation; earlier ones have made its records. */
const steps: Record<string, () => Promise<void>> = {
  'lists.create': async () => {
    const list = await client.lists.create({ name: 'Prospects' });
    expect(list).toMatchObject({ name: 'Prospects' });
    day['list'] = list.uuid;
  },
  'lists.list': async () => expect(await client.lists.list({ filter: { q: 'Prosp' } })).toMatchObject({ total: 1 }),
  'lists.get': async () =>
    expect(await client.lists.get({ uuid: day['list'] ?? '' })).toMatchObject({ name: 'Prospects' }),
  'contacts.upsert': async () => {
    const lead = { first_name: 'Grace', last_name: 'Hopper', email: 'grace@navy.test', company_name: 'Navy' };
    const contact = await client.contacts.upsert({ lead, list_uuid: day['list'] ?? '', custom_fields: { rank: 'A' } });
    expect(contact).toMatchObject({ name: 'Grace Hopper', work_email: 'grace@navy.test', list_uuid: day['list'] });
    day['contact'] = contact.uuid;
  },
  'contacts.lookup-one': async () =>
    expect(await client.contacts.lookupOne({ email: 'Grace@navy.test' })).toMatchObject({ uuid: day['contact'] }),
  'contacts.search': async () =>
    expect(await client.contacts.search({ filter: { list_uuid: day['list'] ?? '' } })).toMatchObject({
      total: 1,
      data: [{ uuid: day['contact'] }],
    }),
  'contacts.get': async () =>
    expect(await client.contacts.get({ uuid: day['contact'] ?? '' })).toMatchObject({ company_name: 'Navy' }),
  'contacts.update': async () =>
    expect(await client.contacts.update({ uuid: day['contact'] ?? '', position: 'Admiral' })).toMatchObject({
      position: 'Admiral',
      company_name: 'Navy',
    }),
  'automations.list': async () => {
    standin.model.automations.add({ name: 'Q3', status: 'draft' });
    const { data, total } = await client.automations.list({ filter: { q: 'Q3' } });
    expect(total).toBe(1);
    day['flow'] = data[0]?.uuid ?? '';
  },
  'automations.start': async () =>
    expect(await client.automations.start({ flowUuid: day['flow'] ?? '' })).toMatchObject({ status: 'on' }),
  'automations.add-contact': async () => {
    const path = { flowUuid: day['flow'] ?? '', leadUuid: day['contact'] ?? '' };
    expect(await client.automations.addContact(path)).toBe('added');
    expect(standin.model.automations.activeFlows(path.leadUuid)).toEqual([path.flowUuid]);
  },
  'automations.add-new-lead': async () => {
    const lead = { first_name: 'Alan', email: 'alan@bletchley.test' };
    const input = { flowUuid: day['flow'] ?? '', lead, list_uuid: day['list'] ?? '' };
    expect(await client.automations.addNewLead(input)).toEqual({ outcome: 'added' });
    expect(await client.contacts.lookupOne({ email: lead.email })).toMatchObject({ first_name: 'Alan' });
  },
  'automations.cancel': async () => {
    const leadUuid = day['contact'] ?? '';
    expect(await client.automations.cancel({ leadUuid, flow_uuids: [day['flow'] ?? ''] })).toBe('requested');
    standin.model.settle(Date.now() + 1);
    expect(standin.model.automations.activeFlows(leadUuid)).toEqual([]);
  },
  'automations.cancel-all': async () =>
    expect(await client.automations.cancelAll({ leadUuid: day['contact'] ?? '' })).toBe('requested'),
  'automations.stop': async () =>
    expect(await client.automations.stop({ flowUuid: day['flow'] ?? '' })).toMatchObject({ status: 'off' }),
  'sender-profiles.create': async () => {
    const created = await client.senderProfiles.create(profile);
    expect(created).toMatchObject(profile);
    day['profile'] = created.uuid;
  },
  'sender-profiles.connect-external': async () =>
    expect(
      await client.senderProfiles.connectExternal({ ...profile, external_browser_profile_id: 'b-1', label: 'second' }),
    ).toMatchObject({ label: 'second' }),
  'sender-profiles.list': async () => expect(await client.senderProfiles.list({})).toMatchObject({ total: 2 }),
  'sender-profiles.get': async () =>
    expect(await client.senderProfiles.get({ senderProfileUuid: day['profile'] ?? '' })).toMatchObject(profile),
  'network-messages.send': async () => {
    const message = { sender_profile_uuid: day['profile'] ?? '', lead_uuid: day['contact'] ?? '', text: 'Hello' };
    expect(await client.networkMessages.send(message)).toMatchObject({ text: 'Hello', status: 'new' });
  },
  'network-messages.list': async () =>
    expect(await client.networkMessages.list({ filter: { lead_uuid: day['contact'] ?? '' } })).toMatchObject({
      total: 1,
      data: [{ text: 'Hello', status: 'done' }],
    }),
  'emails.send': async () => {
    const email = {
      sender_profile_uuid: day['profile'] ?? '',
      lead_uuid: day['contact'] ?? '',
      subject: 'Hi',
      body: 'B',
    };
    expect(await client.emails.send(email)).toMatchObject({ subject: 'Hi' });
  },
  'emails.list': async () =>
    expect(await client.emails.list({ filter: { lead_uuid: day['contact'] ?? '' } })).toMatchObject({
      total: 1,
      data: [{ subject: 'Hi', status: 'sent' }],
    }),
  'contacts.delete': async () => {
    const path = { uuid: day['contact'] ?? '' };
    expect(await client.contacts.delete(path)).toBe('requested');
    expect(await client.contacts.delete(path)).toBe('gone');
    expect(standin.model.massActions).toMatchObject([{ lead_uuid: path.uuid }]);
  },
};

test('every operation of the table has its step', () => {
  expect(Object.keys(steps).toSorted()).toEqual(operationList.map(({ name }) => name).toSorted());
});

test.each(Object.entries(steps))('%s answers over HTTP', async (name, step) => {
  await step();
  expect(standin.received.entries.some(({ operation }) => operation === name)).toBe(true);
});

test('a connection that breaks before the answer leaves a send unknown', async () => {
  standin.faults.inject({ kind: 'lost', when: 'after', operation: 'lists.create' });
  await expect(client.lists.create({ name: 'Lost' })).rejects.toBeInstanceOf(OutcomeUnknownError);
});

test('a request to a closed port was surely not sent', async () => {
  const closed = await serve(standin.app, 0);
  await closed.close();
  const { lists } = connectOverHttp(closed.url, 'x');
  await expect(lists.create({ name: 'L' })).rejects.toBeInstanceOf(UnreachableError);
});
