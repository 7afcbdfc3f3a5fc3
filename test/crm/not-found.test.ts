import { describe, expect, test } from 'vitest';
import { GatewayError, NotFoundError, OutcomeUnknownError, PermissionError } from '../../src/crm/errors.ts';
import type { ServiceClient } from '../../src/crm/outreach/service-client.ts';
import { createService, seedContacts } from '../support/service.ts';

/* "Not found" deletes, creates and cancels: it counts only from the service itself, never from a gateway. */

const missing = '00000000-0000-4000-8000-000000000000';

/** Sources of a 404 on the way to the service: proxies, load balancers, a server without such a route. */
const strangers = [
  { what: 'an HTML page', body: '<html><head><title>404 Not Found</title></head></html>', type: 'text/html' },
  { what: 'a page without a doctype or a title', body: '<center>nginx</center>', type: 'text/html' },
  { what: 'a text', body: '404 page not found\n', type: 'text/plain' },
  { what: 'a JSON text', body: '"Not Found"', type: 'application/json' },
  { what: 'a JSON list of errors', body: '["no route"]', type: 'application/json' },
  { what: 'JSON that is cut', body: '{"error":{"reason":"not_fo', type: 'application/json' },
] as const;

/** The forms in which services and frameworks report a missing record (the contract shows no body). */
const ownWords = [
  { what: 'the envelope', body: '{"error":{"reason":"not_found","message":"Not found."}}' },
  { what: 'a plain message', body: '{"message":"Not found."}' },
  { what: 'an empty object', body: '{}' },
  { what: 'null', body: 'null' },
  { what: 'an empty list', body: '[]' },
  { what: 'nothing', body: '' },
] as const;

type Call = (client: ServiceClient) => Promise<unknown>;

const reads: readonly { readonly name: string; readonly call: Call }[] = [
  { name: 'contacts.get', call: (client) => client.contacts.get({ uuid: missing }) },
  { name: 'contacts.lookup-one', call: (client) => client.contacts.lookupOne({ email: 'ann@firm.test' }) },
  { name: 'lists.get', call: (client) => client.lists.get({ uuid: missing }) },
  { name: 'sender-profiles.get', call: (client) => client.senderProfiles.get({ senderProfileUuid: missing }) },
];

const path = { flowUuid: missing, leadUuid: missing };
const harmlessWrites: typeof reads = [
  { name: 'contacts.delete', call: (client) => client.contacts.delete({ uuid: missing }) },
  { name: 'contacts.update', call: (client) => client.contacts.update({ uuid: missing, about: 'x' }) },
  { name: 'automations.start', call: (client) => client.automations.start({ flowUuid: missing }) },
  {
    name: 'automations.cancel',
    call: (client) => client.automations.cancel({ leadUuid: missing, flow_uuids: [missing] }),
  },
  { name: 'automations.cancel-all', call: (client) => client.automations.cancelAll({ leadUuid: missing }) },
];
const harmfulWrites: typeof reads = [
  { name: 'automations.add-contact', call: (client) => client.automations.addContact(path) },
  {
    name: 'automations.add-new-lead',
    call: (client) => client.automations.addNewLead({ flowUuid: missing, lead: { email: 'ann@firm.test' } }),
  },
];

/** A service that is replaced by one fixed answer to every request; `calls` counts them. */
function answering(status: number, { body, type = 'application/json' }: { body: string; type?: string }) {
  let calls = 0;
  const { client } = createService(
    {},
    {
      transport: () => {
        calls += 1;
        return new Response(body, { status, headers: { 'content-type': type } });
      },
    },
  );
  return { client, calls: () => calls };
}

async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    (answer) => expect.unreachable(`expected a failure, got ${JSON.stringify(answer)}`),
    (error: unknown) => error as Error,
  );
}

describe.each(strangers)('L7, D3: a 404 that is $what does not come from the service', ({ body, type }) => {
  test.each(reads)('L7, D3, T21: $name is repeated, and ends as a gateway error', async ({ call }) => {
    const { client, calls } = answering(404, { body, type });
    const error = await failure(call(client));
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: 'gateway', retryable: true, call: { status: 404, attempts: 5 } });
    expect(error.message).toContain('crm.base_url');
    expect(calls()).toBe(5);
  });

  test.each(harmlessWrites)('W4, D5, E5: $name is repeated, and ends unknown', async ({ call }) => {
    const { client, calls } = answering(404, { body, type });
    const error = await failure(call(client));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({ harmlessToRepeat: true });
    expect(calls()).toBe(5);
  });

  test.each(harmfulWrites)('L8, E3: $name ends unknown, and is not repeated', async ({ call }) => {
    const { client, calls } = answering(404, { body, type });
    expect(await failure(call(client))).toBeInstanceOf(OutcomeUnknownError);
    expect(calls()).toBe(1);
  });
});

describe.each(ownWords)('D3, T21: a 404 that is $what means a missing record', (answer) => {
  test('D3, T21: of a contact, a list and a lookup, at the first call', async () => {
    const { client, calls } = answering(404, answer);
    expect(await failure(client.contacts.get({ uuid: missing }))).toBeInstanceOf(NotFoundError);
    expect(await failure(client.lists.get({ uuid: missing }))).toBeInstanceOf(NotFoundError);
    expect(await client.contacts.lookupOne({ email: 'ann@firm.test' })).toBeUndefined();
    expect(await client.contacts.delete({ uuid: missing })).toBe('gone');
    expect(calls()).toBe(4);
  });
});

test('E3, L8: a 409 that is an HTML page does not mean an existing enrolment', async () => {
  const page = { body: '<!doctype html><title>409 Conflict</title>', type: 'text/html' };
  expect(await failure(answering(409, page).client.automations.addContact(path))).toBeInstanceOf(OutcomeUnknownError);
  const own = answering(409, { body: '{"message":"Already there."}' });
  expect(await own.client.automations.addContact(path)).toBe('already');
});

test('E3, L8: a page with status 422 and "already" in its title does not come from the service', async () => {
  const page = { body: '<!doctype html><title>Already under attack</title>', type: 'text/html' };
  const { client } = answering(422, page);
  expect(await client.automations.addContact(path).catch((error: unknown) => error)).not.toBe('already');
});

test('W6: a 403 that is a page concerns its record alone, and nothing is concluded from it', async () => {
  const { client } = answering(403, { body: '<html><title>Forbidden</title></html>', type: 'text/html' });
  expect(await failure(client.contacts.get({ uuid: missing }))).toBeInstanceOf(PermissionError);
});

test('L7, T21: a lookup and a deletion continue as soon as the service itself answers', async () => {
  const service = createService();
  const { client, standin, calls } = service;
  const { uuids } = seedContacts(service, 2);
  standin.faults.inject({ kind: 'html', status: 404, operation: 'contacts.lookup-one', times: 2 });
  expect(await client.contacts.lookupOne({ email: 'person1@firm.test' })).toMatchObject({ uuid: uuids[1] });
  expect(calls('contacts.lookup-one')).toHaveLength(3);

  standin.faults.inject({ kind: 'html', status: 404, operation: 'contacts.delete' });
  expect(await client.contacts.delete({ uuid: uuids[0]! })).toBe('requested');
  expect(standin.model.contacts.size).toBe(1);
});
