import { Validator } from '@seriousme/openapi-schema-validator';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../src/crm/outreach/openapi.ts';
import { matches, prepareFilter } from '../../src/crm/outreach/operations/filter.ts';
import type { ContactFilter } from '../../src/crm/outreach/operations/filter.ts';
import { decodeQuery, encodeQuery } from '../../src/crm/outreach/operations/query.ts';
import { contact } from '../../src/crm/outreach/operations/records.ts';
import { operationList, operations } from '../../src/crm/outreach/operations/table.ts';
import { inputNames } from '../../src/crm/outreach/call/input.ts';
import type { ObservedExchange } from '../../src/crm/outreach/service-client.ts';
import { createService, seedContacts } from '../support/service.ts';

/** Every endpoint of the contract, written from the contract and not from the table. */
const contract = `
  POST /leads/api/leads/lookup-one
  POST /leads/api/leads/search
  GET /leads/api/leads/{uuid}
  PUT /leads/api/leads/{uuid}
  DELETE /leads/api/leads/{uuid}
  POST /leads/api/leads/upsert
  GET /flows/api/flows
  PUT /flows/api/flows/{flowUuid}/start
  PUT /flows/api/flows/{flowUuid}/stop
  POST /flows/api/flows/{flowUuid}/leads/{leadUuid}
  POST /flows/api/flows/{flowUuid}/add-new-lead
  PUT /flows/api/flows/leads/{leadUuid}/cancel
  PUT /flows/api/flows/leads/{leadUuid}/cancel-all
  GET /flows/api/sender-profiles
  POST /flows/api/sender-profiles
  GET /flows/api/sender-profiles/{senderProfileUuid}
  POST /flows/client-api/sender-profiles/connect-external
  GET /flows/api/professional-network-messages
  POST /flows/api/professional-network-messages
  GET /emails/api/emails
  POST /emails/api/emails/send-email
  GET /leads/api/lists
  POST /leads/api/lists
  GET /leads/api/lists/{uuid}`
  .trim()
  .split(/\s*\n\s*/);

test('the table has the 24 operations of the contract and no other', () => {
  const declared = operationList.map(({ operation: { method, path } }) => `${method} ${path}`);
  expect(declared.toSorted()).toEqual(contract.toSorted());
});

test.each([
  ['contacts.lookup-one', 'network_id email name company_name disable_aggregation'],
  ['contacts.search', 'filter limit offset order_field order_type disable_aggregation'],
  [
    'contacts.update',
    'uuid first_name last_name company_name ln_id sn_id network email about domain headline position raw_address',
  ],
  ['contacts.upsert', 'lead custom_fields list_uuid update_if_exists move_to_list'],
  [
    'automations.list',
    'q uuid flow_workspace_uuid flow_version_uuid status is_public user_id limit offset order_field order_type filter',
  ],
  [
    'automations.add-new-lead',
    'flowUuid lead custom_fields list_uuid update_lead_if_exists move_to_list flow_segment_id skip_if_lead_exists',
  ],
  ['automations.cancel', 'leadUuid flow_uuids'],
])('%s takes every field of the contract', (name, fields) => {
  const found = operationList.find((candidate) => candidate.name === name);
  expect(found && inputNames(found.operation)).toEqual(fields.split(' '));
});

test('a contact has the fields of the contract, each of its type', () => {
  const kinds = Object.groupBy(Object.entries(contact.fields), ([, { kind }]) => kind);
  const names = (kind: keyof typeof kinds) => (kinds[kind] ?? []).map(([name]) => name);
  expect(Object.keys(contact.fields)).toHaveLength(48);
  expect(names('integer')).toEqual(['team_id', 'user_id', 'connections_number', 'followers_number']);
  expect(names('flag')).toEqual(['has_open_profile', 'has_verified_profile', 'has_premium']);
  expect(names('instant')).toEqual(['last_automation_approve_at', 'created_at', 'updated_at']);
  expect(names('texts')).toEqual(['supported_languages', 'skills', 'top_voices', 'tags']);
  expect(names('json')).toEqual(['experience', 'posts', 'educations', 'location', 'unread_counts']);
});

test('the defaults of the contract are the defaults of the table', () => {
  const { body } = operations.automations.addNewLead;
  expect(body?.parse({ lead: {} })).toEqual({
    lead: {},
    update_lead_if_exists: true,
    move_to_list: false,
    flow_segment_id: 1,
  });
  expect(operations.contacts.upsert.body?.parse({ lead: {} })).toMatchObject({ update_if_exists: true });
});

test('only an operation without further effect the second time may be repeated', () => {
  const harmful = operationList.filter(({ operation }) => operation.repeat === 'harmful').map(({ name }) => name);
  expect(harmful).toEqual([
    'lists.create',
    'automations.add-contact',
    'automations.add-new-lead',
    'sender-profiles.create',
    'sender-profiles.connect-external',
    'network-messages.send',
    'emails.send',
  ]);
  const reads = operationList.filter(({ operation }) => operation.repeat === 'read');
  expect(reads.every(({ operation: { method, path } }) => method === 'GET' || /search|lookup/.test(path))).toBe(true);
});

test('no operation uses one name in two places', () => {
  for (const { operation } of operationList) {
    const names = inputNames(operation);
    expect(new Set(names).size).toBe(names.length);
  }
});

test('the OpenAPI document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(openApiDocument());
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(validator.version).toBe('3.1');
});

test('the OpenAPI document declares a refusal of an invalid uuid for every path with one', () => {
  const paths = openApiDocument()['paths'] as Record<string, Record<string, { responses: Record<string, unknown> }>>;
  const undeclared = Object.entries(paths)
    .filter(([path]) => path.includes('{'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => ({ path, method, responses })),
    )
    .filter(({ responses }) => !('404' in responses && '422' in responses));
  expect(undeclared.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});

test('every reference in the OpenAPI document has a target', () => {
  const document = openApiDocument();
  const text = JSON.stringify(document);
  const { schemas } = document['components'] as { schemas: Record<string, unknown> };
  const referenced = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]);
  expect(new Set(referenced)).toEqual(new Set(Object.keys(schemas).map((name) => `#/components/schemas/${name}`)));
});

test('the OpenAPI document declares every status that the service has answered', async () => {
  const seen = new Set<string>();
  const observe = ({ operation, status }: ObservedExchange) => void seen.add(`${operation} ${status}`);
  const service = createService({}, { observe });
  const { client, standin } = service;
  const { model, switches } = standin;
  const { list_uuid, uuids } = seedContacts(service, 3);
  const [uuid, other, third] = uuids as [string, string, string];
  const sender = model.senderProfiles.add({ first_name: 'Jo', last_name: 'Sender' }).uuid;
  const flow = model.automations.add({ name: 'Welcome', status: 'off' }).uuid;
  const message = { sender_profile_uuid: sender, lead_uuid: uuid, body: 'Hi', text: 'Hi' };
  const { body: _, ...short } = message;
  const { text: __, ...mail } = message;
  const missing = '00000000-0000-4000-8000-000000000000';
  const name = { first_name: 'Ada', last_name: 'Byron' };
  const external = { ...name, external_browser_profile_id: 'x' };
  const calls: readonly (() => Promise<unknown>)[] = [
    () => client.contacts.lookupOne({ email: 'person0@firm.test' }),
    () => client.contacts.lookupOne({ email: 'nobody@firm.test' }),
    () => client.contacts.search({}),
    () => client.contacts.search({ filter: { list_uuid: 'x', nonsense: 1 } as never }, { allowUnknown: true }),
    ...[uuid, missing, 'none'].flatMap((each) => [
      () => client.contacts.get({ uuid: each }),
      () => client.contacts.update({ uuid: each, about: 'x' }),
      () => client.automations.start({ flowUuid: each === uuid ? flow : each }),
      () => client.automations.stop({ flowUuid: each === uuid ? flow : each }),
      () => client.automations.addContact({ flowUuid: flow, leadUuid: each }),
      () => client.automations.addNewLead({ flowUuid: each === uuid ? flow : each, lead: { email: 'eve@x.io' } }),
      () => client.automations.cancel({ leadUuid: each, flow_uuids: [flow] }),
      () => client.automations.cancelAll({ leadUuid: each }),
      () => client.senderProfiles.get({ senderProfileUuid: each === uuid ? sender : each }),
      () => client.networkMessages.send({ ...short, lead_uuid: each }),
      () => client.emails.send({ ...mail, lead_uuid: each }),
      () => client.lists.get({ uuid: each === uuid ? list_uuid : each }),
    ]),
    ...[other, missing, 'none'].map((each) => () => client.contacts.delete({ uuid: each })),
    ...[list_uuid, missing].map((list) => () => client.contacts.upsert({ lead: { email: 'a@x.io' }, list_uuid: list })),
    () => client.automations.list({}),
    () => client.senderProfiles.list({}),
    () => client.senderProfiles.create(name),
    () => client.senderProfiles.connectExternal(external),
    () => client.networkMessages.list({}),
    () => client.emails.list({}),
    () => client.lists.list({}),
    () => client.lists.create({ name: 'A' }),
  ];
  for (const call of calls) await call().catch(() => undefined);
  // The other ways in which a service may answer the same calls.
  Object.assign(switches, { deleteStatus: 'accepted', upsertCreateStatus: 201, cancelAnswer: 'message' });
  Object.assign(switches, { addTwice: 'conflict', addNewLeadAnswer: 'lead', subscriptionActive: false });
  for (const call of [...calls, () => client.contacts.delete({ uuid: third })]) await call().catch(() => undefined);
  const paths = Object.values(openApiDocument()['paths'] as Record<string, Record<string, Declared>>);
  const declared = paths.flatMap((methods) => Object.values(methods));
  const statuses = new Set(
    declared.flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    ),
  );
  expect(new Set([...seen].map((each) => each.split(' ')[0]))).toEqual(
    new Set(operationList.map(({ name: each }) => each)),
  );
  expect([...seen].filter((each) => !statuses.has(each))).toEqual([]);
});

interface Declared {
  readonly operationId: string;
  readonly responses: Record<string, unknown>;
}

test('every field of a record has a type in the OpenAPI document', () => {
  const { schemas } = openApiDocument()['components'] as { schemas: Record<string, { properties: object }> };
  const untyped = Object.entries(schemas).flatMap(([name, { properties }]) =>
    Object.entries(properties as Record<string, { type?: unknown }>).flatMap(([field, { type }]) =>
      type === undefined ? [`${name}.${field}`] : [],
    ),
  );
  expect(untyped).toEqual([]);
});

test.each(['flat', 'bracket', 'json'] as const)('a query written %s is read back unchanged', (style) => {
  const { query } = operations.emails.list;
  const text = fc.string({ minLength: 1 }).filter((value) => !value.startsWith('{'));
  const queries = fc.record(
    {
      limit: fc.integer({ min: 1, max: 1000 }),
      offset: fc.nat(),
      order_type: fc.constantFrom('asc', 'desc'),
      order_field: text,
    },
    { requiredKeys: [] },
  );
  const filters = fc.record(
    {
      lead_uuid: text,
      status: text,
      sent_at: fc.oneof(text, fc.record({ '>=': text, '<': text })),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(queries, filters, (plain, filter) => {
      const written = encodeQuery({ ...plain, ...(Object.keys(filter).length > 0 && { filter }) }, style);
      const read = decodeQuery(new URLSearchParams(written.toString()), query as never);
      const { filter: readFilter = {}, ...rest } = read;
      const expected = style === 'flat' ? { ...plain, ...filter } : plain;
      expect(rest).toEqual(expected);
      expect(readFilter).toEqual(style === 'flat' ? {} : filter);
    }),
  );
});

const row = {
  uuid: 'u1',
  first_name: 'Ada',
  position: null,
  connections_number: 40,
  has_premium: 1,
  tags: ['t1', 't2'],
  created_at: '2026-11-21T10:00:00.000000Z',
};

test.each<[string, ContactFilter, boolean | undefined]>([
  ['equality', { first_name: 'Ada' }, true],
  ['equality of something else', { first_name: 'Bob' }, false],
  ['IN', { first_name: ['Bob', 'Ada'] }, true],
  ['an IN without it', { first_name: ['Bob'] }, false],
  ['IS NULL', { position: 'is_null' }, true],
  ['IS NOT NULL', { position: 'is_not_null' }, false],
  ['a NULL is unequal to nothing, as in SQL', { position: { '!=': 'Buyer' } }, false],
  ['!=', { first_name: { '!=': 'Bob' } }, true],
  ['<>', { first_name: { '<>': 'Ada' } }, false],
  ['numbers as numbers', { connections_number: { '>': 5, '<=': 40 } }, true],
  ['both operators must hold', { connections_number: { '>': 5, '<': 40 } }, false],
  ['instants as instants', { created_at: { '>=': '2026-11-21T11:00:00+01:00', '<': '2026-11-21T10:00:01Z' } }, true],
  ['flags as 0 and 1', { has_premium: true }, true],
  ['any of the tags', { tags: ['t9', 't2'] }, true],
  ['none of the tags', { tags: 't9' }, false],
  ['several fields, all of them', { first_name: 'Ada', connections_number: 41 }, false],
  ['a field that is not in the answer cannot be told', { headline: 'x' }, undefined],
  ['nor can q', { q: 'Ada' }, undefined],
  ['but what does not match is no match', { q: 'Ada', first_name: 'Bob' }, false],
])('a filter has the meaning of SQL: %s', (_, filter, expected) => {
  expect(matches(row, filter)).toBe(expected);
});

test.each([
  [{ '<=': '2026-11-21' }, { '<=': '2026-11-21T23:59:59.999999Z' }],
  [{ '<': '2026-11-21' }, { '<': '2026-11-21T00:00:00.000000Z' }],
  [{ '>': '2026-11-21' }, { '>': '2026-11-21T23:59:59.999999Z' }],
  [{ '>=': '2026-11-21' }, { '>=': '2026-11-21T00:00:00.000000Z' }],
  ['2026-11-21', { '>=': '2026-11-21T00:00:00.000000Z', '<=': '2026-11-21T23:59:59.999999Z' }],
  [{ '>=': '2026-11-21T10:00:00Z' }, { '>=': '2026-11-21T10:00:00Z' }],
])('T20: a bare date is a whole day: %j', (given, expected) => {
  expect(prepareFilter({ updated_at: given })).toEqual({ updated_at: expected });
  expect(prepareFilter({ first_name: given })).toEqual({ first_name: given });
});
