import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { operationList } from '../../../src/crm/outreach/operations/table.ts';
import { serve } from '../../../src/standin/serve.ts';
import type { RunningServer } from '../../../src/standin/serve.ts';
import { send, trial } from './support.ts';
import type { Answer, Trial } from './support.ts';

/* The same app over real HTTP: each operation once, and the cases that need a socket. */

let it: Trial & { readonly ids: Readonly<Record<string, string>> };
let server: RunningServer;
let call: (method: string, path: string, body?: unknown) => Promise<Answer>;

beforeAll(async () => {
  const made = await trial();
  const { lists, contacts, automations, senderProfiles } = made.standin.model;
  const list = lists.add({ name: 'EMEA' }).uuid;
  it = {
    ...made,
    ids: {
      list,
      uuid: contacts.add({ fields: { work_email: 'a@b.test', list_uuid: list } }).record.uuid,
      doomed: contacts.add({}).record.uuid,
      flow: automations.add({ name: 'Welcome', status: 'off' }).uuid,
      profile: senderProfiles.add({ first_name: 'Mara', last_name: 'Lind' }).uuid,
    },
  };
  server = await serve(it.standin.app, 0);
  call = (method, path, body) => send(fetch, server.url, it.token, method, path, body);
});
afterAll(() => server.close());

interface Example {
  readonly path: string;
  readonly body?: object;
  readonly status: number;
}

/** `{name}` stands for the uuid of the record of that name. */
const examples: Readonly<Record<string, Example>> = {
  'contacts.lookup-one': { path: '/leads/api/leads/lookup-one', body: { email: 'a@b.test' }, status: 200 },
  'contacts.search': { path: '/leads/api/leads/search', body: { filter: { list_uuid: '{list}' } }, status: 200 },
  'contacts.get': { path: '/leads/api/leads/{uuid}', status: 200 },
  'contacts.update': { path: '/leads/api/leads/{uuid}', body: { position: 'Analyst' }, status: 200 },
  'contacts.delete': { path: '/leads/api/leads/{doomed}', status: 204 },
  'contacts.upsert': {
    path: '/leads/api/leads/upsert',
    body: { lead: { email: 'a@b.test' }, list_uuid: '{list}' },
    status: 200,
  },
  'lists.list': { path: '/leads/api/lists?filter[q]=em', status: 200 },
  'lists.create': { path: '/leads/api/lists', body: { name: 'APAC' }, status: 201 },
  'lists.get': { path: '/leads/api/lists/{list}', status: 200 },
  'automations.list': { path: '/flows/api/flows?status=off&limit=5', status: 200 },
  'automations.start': { path: '/flows/api/flows/{flow}/start', status: 200 },
  'automations.stop': { path: '/flows/api/flows/{flow}/stop', status: 200 },
  'automations.add-contact': { path: '/flows/api/flows/{flow}/leads/{uuid}', status: 204 },
  'automations.add-new-lead': {
    path: '/flows/api/flows/{flow}/add-new-lead',
    body: { lead: { email: 'n@b.test' }, list_uuid: '{list}' },
    status: 204,
  },
  'automations.cancel': { path: '/flows/api/flows/leads/{uuid}/cancel', body: { flow_uuids: ['{flow}'] }, status: 204 },
  'automations.cancel-all': { path: '/flows/api/flows/leads/{uuid}/cancel-all', status: 204 },
  'sender-profiles.list': { path: '/flows/api/sender-profiles?q=mara', status: 200 },
  'sender-profiles.create': {
    path: '/flows/api/sender-profiles',
    body: { first_name: 'Tom', last_name: 'Oak' },
    status: 201,
  },
  'sender-profiles.get': { path: '/flows/api/sender-profiles/{profile}', status: 200 },
  'sender-profiles.connect-external': {
    path: '/flows/client-api/sender-profiles/connect-external',
    body: { first_name: 'Tom', last_name: 'Oak', external_browser_profile_id: 'b-1' },
    status: 201,
  },
  'network-messages.list': { path: '/flows/api/professional-network-messages?filter[status]=new', status: 200 },
  'network-messages.send': {
    path: '/flows/api/professional-network-messages',
    body: { sender_profile_uuid: '{profile}', lead_uuid: '{uuid}', text: 'Hello' },
    status: 201,
  },
  'emails.list': { path: '/emails/api/emails', status: 200 },
  'emails.send': {
    path: '/emails/api/emails/send-email',
    body: { sender_profile_uuid: '{profile}', lead_uuid: '{uuid}', body: 'Hello' },
    status: 201,
  },
};

describe('over HTTP', () => {
  test.each(operationList)('$name answers', async ({ name, operation }) => {
    const example = examples[name];
    if (!example) throw new Error(`no example of ${name}`);
    const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, id: string) => it.ids[id] ?? '');
    const body = example.body && fill(JSON.stringify(example.body));
    const answer = await call(operation.method, fill(example.path), body);
    expect(answer.status).toBe(example.status);
    expect(it.standin.received.entries.at(-1)).toMatchObject({ operation: name, status: example.status });
  });

  test('a lost answer breaks the connection, before or after the write', async () => {
    const before = it.standin.model.lists.table.size;
    it.standin.faults.inject({ kind: 'lost', when: 'before' });
    await expect(call('POST', '/leads/api/lists', { name: 'x' })).rejects.toThrow('fetch failed');
    expect(it.standin.model.lists.table.size).toBe(before);
    it.standin.faults.inject({ kind: 'lost', when: 'after' });
    await expect(call('POST', '/leads/api/lists', { name: 'x' })).rejects.toThrow('fetch failed');
    expect(it.standin.model.lists.table.size).toBe(before + 1);
    expect((await call('GET', '/leads/api/lists')).status).toBe(200);
  });

  test('a hanging request ends with the client', async () => {
    it.standin.faults.inject({ kind: 'hang' });
    const options = { headers: { authorization: `Bearer ${it.token}` }, signal: AbortSignal.timeout(50) };
    await expect(fetch(`${server.url}/leads/api/lists`, options)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('a body over 2 MB is 413, also when its length is not announced', async () => {
    const whole = await call('POST', '/leads/api/lists', { name: 'x'.repeat(2 ** 21) });
    expect(whole.status).toBe(413);
    const stream = new ReadableStream({
      start: (controller) => {
        for (let count = 0; count < 3; count += 1) controller.enqueue(new Uint8Array(2 ** 20).fill(32));
        controller.close();
      },
    });
    const headers = { authorization: `Bearer ${it.token}`, 'content-type': 'application/json' };
    const streamed = await fetch(`${server.url}/leads/api/lists`, {
      method: 'POST',
      headers,
      body: stream,
      duplex: 'half',
    });
    expect(streamed.status).toBe(413);
  });

  test('a 413 closes its connection, and the next call of a client that keeps connections is answered', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ask = async (method: string, body?: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly [number | undefined, string | undefined]>();
      const headers = { authorization: `Bearer ${it.token}`, 'content-type': 'application/json' };
      request(`${server.url}/leads/api/lists`, { agent, method, headers }, (answer) => {
        answer.resume();
        answer.on('end', () => resolve([answer.statusCode, answer.headers.connection]));
      })
        .on('error', reject)
        .end(body);
      return promise;
    };
    expect(await ask('POST', JSON.stringify({ name: 'x'.repeat(2 ** 21) }))).toEqual([413, 'close']);
    expect(await ask('GET')).toEqual([200, 'keep-alive']);
    expect(await ask('GET')).toEqual([200, 'keep-alive']);
  });
});
