// The HTTP request of a call: its address, its headers and its body.
import { expect, test } from 'vitest';
import type { CallInit } from '../../../src/crm/outreach/call/exchange.ts';
import type { ServiceClient, ServiceClientOptions } from '../../../src/crm/outreach/service-client.ts';
import { createService, token } from '../../support/service.ts';

const uuid = '00000000-0000-4000-8000-000000000001';

/** The one request of a call. */
async function requestOf(
  call: (client: ServiceClient) => Promise<unknown>,
  options: Partial<ServiceClientOptions> = {},
): Promise<{ readonly url: string; readonly init: CallInit }> {
  const sent: { url: string; init: CallInit }[] = [];
  const { client } = createService(
    {},
    {
      transport: (url, init) => {
        sent.push({ url, init });
        return Response.json({ uuid, data: [], total: 0 });
      },
      ...options,
    },
  );
  await call(client);
  expect(sent).toHaveLength(1);
  return sent[0]!;
}

test.each(['https://service.test', 'https://service.test/', 'https://service.test///'])(
  'the address of a call begins with %s without slashes at its end',
  async (baseUrl) => {
    const { url } = await requestOf((client) => client.lists.get({ uuid }), { baseUrl });
    expect(url).toBe(`https://service.test/leads/api/lists/${uuid}`);
  },
);

test('a listing always states its page and order, and its filter in the style of its area', async () => {
  const paged = (values: Record<string, string>) => ({
    limit: '100',
    offset: '0',
    order_field: 'created_at',
    order_type: 'asc',
    ...values,
  });
  const queryOf = async (call: Parameters<typeof requestOf>[0]) =>
    Object.fromEntries(new URL((await requestOf(call)).url).searchParams);
  const filter = { q: 'Ada' };
  expect(await queryOf((client) => client.lists.list({ filter }))).toEqual(paged({ 'filter[q]': 'Ada' }));
  expect(await queryOf((client) => client.automations.list({ filter }))).toEqual(paged({ q: 'Ada' }));
  expect(await queryOf((client) => client.senderProfiles.list({ filter }))).toEqual(paged({ q: 'Ada' }));
  const range = { sent_at: { '>=': '2026-11-21T00:00:00Z' } };
  expect(await queryOf((client) => client.emails.list({ filter: range, limit: 7, order_type: 'desc' }))).toEqual(
    paged({ 'filter[sent_at][>=]': '2026-11-21T00:00:00Z', limit: '7', order_type: 'desc' }),
  );
});

test('a field that is given as undefined is not sent, and has its default', async () => {
  const { url } = await requestOf((client) => client.lists.list({ offset: undefined }));
  expect(new URL(url).searchParams.get('offset')).toBe('0');
});

test('an operation without a query has none in its address', async () => {
  expect((await requestOf((client) => client.lists.get({ uuid }))).url).not.toContain('?');
});

test('a read has no body and no type of one', async () => {
  const { init } = await requestOf((client) => client.lists.get({ uuid }));
  expect(init).toMatchObject({ method: 'GET', redirect: 'manual' });
  expect(init).not.toHaveProperty('body');
  expect(init.headers).toEqual({
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    'user-agent': 'leadsheet/test',
  });
});

test('a write has a body, and says that it is JSON', async () => {
  const { init } = await requestOf((client) => client.lists.create({ name: 'A' }));
  expect(init).toMatchObject({
    method: 'POST',
    body: '{"name":"A"}',
    headers: { 'content-type': 'application/json' },
  });
});

test.each<[string, Parameters<typeof requestOf>[0], string | undefined]>([
  [
    'a POST of which every field is left out has none',
    (client) => client.automations.addContact({ flowUuid: uuid, leadUuid: uuid }),
    undefined,
  ],
  ['a PUT of which every field is left out has an empty one', (client) => client.contacts.update({ uuid }), '{}'],
  ['a PUT that takes no field has none', (client) => client.automations.start({ flowUuid: uuid }), undefined],
])('the body of a write: %s', async (_, call, body) => {
  const { init } = await requestOf(call);
  expect(init.body).toBe(body);
  expect('content-type' in init.headers).toBe(body !== undefined);
});
