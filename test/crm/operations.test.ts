import { Validator } from '@seriousme/openapi-schema-validator';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { openApiDocument } from '../../src/crm/outreach/openapi.ts';
import { matches, matchesNothing, prepareFilter } from '../../src/crm/outreach/operations/filter.ts';
import type { ContactFilter } from '../../src/crm/outreach/operations/filter.ts';
import { decodeQuery, encodeQuery } from '../../src/crm/outreach/operations/query.ts';
import { automation, contact, customFields } from '../../src/crm/outreach/operations/records.ts';
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

/** The bounds of bodies and queries, repeated from the table: texts that must not be blank, lengths, sizes, pages. */
const bounds = [
  'contacts.lookup-one: network_id minLength 1',
  'contacts.lookup-one: email minLength 1',
  'contacts.lookup-one: name minLength 1',
  'contacts.lookup-one: company_name minLength 1',
  'contacts.search: limit minimum 1',
  'contacts.search: offset minimum 0',
  'contacts.upsert: list_uuid minLength 1',
  'lists.list: limit minimum 1',
  'lists.list: offset minimum 0',
  'lists.list: order_field minLength 1',
  'lists.create: name minLength 1',
  'automations.list: limit minimum 1',
  'automations.list: offset minimum 0',
  'automations.list: order_field minLength 1',
  'automations.add-new-lead: list_uuid minLength 1',
  'automations.cancel: flow_uuids minItems 1',
  'automations.cancel: flow_uuids.items minLength 1',
  'sender-profiles.list: limit minimum 1',
  'sender-profiles.list: offset minimum 0',
  'sender-profiles.list: order_field minLength 1',
  'sender-profiles.create: first_name minLength 1',
  'sender-profiles.create: last_name minLength 1',
  'sender-profiles.connect-external: first_name minLength 1',
  'sender-profiles.connect-external: last_name minLength 1',
  'sender-profiles.connect-external: external_browser_profile_id minLength 1',
  'network-messages.list: limit minimum 1',
  'network-messages.list: offset minimum 0',
  'network-messages.send: sender_profile_uuid minLength 1',
  'network-messages.send: lead_uuid minLength 1',
  'network-messages.send: text minLength 1',
  'network-messages.send: text maxLength 8000',
  'network-messages.send: template_uuid minLength 1',
  'network-messages.send: subject maxLength 511',
  'emails.list: limit minimum 1',
  'emails.list: offset minimum 0',
  'emails.list: order_field minLength 1',
  'emails.send: sender_profile_uuid minLength 1',
  'emails.send: lead_uuid minLength 1',
  'emails.send: body minLength 1',
];

/** The bounds in a JSON Schema. Those of an integer as a number of the language are none of the contract. */
function boundsOf(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === 'properties') return Object.entries(value as object).flatMap(([name, each]) => boundsOf(each, name));
    if (key === 'items') return boundsOf(value, `${path}.items`);
    const isBound = /^(min|max|exclusiveM)/.test(key) && Math.abs(Number(value)) < Number.MAX_SAFE_INTEGER;
    return isBound ? [`${path} ${key} ${String(value)}`] : [];
  });
}

test('the texts, lists and numbers of bodies and queries have these bounds, and no others', () => {
  const declared = operationList.flatMap(({ name, operation: { query, body } }) =>
    [query, body].flatMap((schema) =>
      schema ? boundsOf(z.toJSONSchema(schema, { io: 'input' }), '').map((bound) => `${name}: ${bound}`) : [],
    ),
  );
  expect(declared.toSorted()).toEqual(bounds.toSorted());
});

test('a contact has a hundred custom fields at most, each of a name in letters, digits and _', () => {
  const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, '']));
  expect(customFields.safeParse(named(100)).success).toBe(true);
  expect(customFields.safeParse(named(101)).success).toBe(false);
  const isName = (name: string) => customFields.safeParse({ [name]: '' }).success;
  expect(['a', '_a1', 'A_b'].map(isName)).toEqual([true, true, true]);
  expect(['1a', 'a b', 'a-b', ''].map(isName)).toEqual([false, false, false, false]);
});

test('a lookup takes a profile, an address, or a name with a company', () => {
  const takes = (input: object) => operations.contacts.lookupOne.body!.safeParse(input).success;
  expect(takes({ network_id: 'ada' })).toBe(true);
  expect(takes({ email: 'ada@x.io' })).toBe(true);
  expect(takes({ name: 'Ada', company_name: 'Mills' })).toBe(true);
  expect([takes({}), takes({ name: 'Ada' }), takes({ company_name: 'Mills' })]).toEqual([false, false, false]);
});

test('a message has a text or a template', () => {
  const to = { sender_profile_uuid: 's', lead_uuid: 'l' };
  const takes = (input: object) => operations.networkMessages.send.body!.safeParse({ ...to, ...input }).success;
  expect([takes({ text: 'Hi' }), takes({ template_uuid: 't' }), takes({})]).toEqual([true, true, false]);
});

test('a call that deletes, starts or sends has to be confirmed by a person', () => {
  const confirmed = operationList.filter(({ operation: { confirm } }) => confirm !== undefined).map(({ name }) => name);
  expect(confirmed).toEqual([
    'contacts.delete',
    'automations.start',
    'automations.add-contact',
    'automations.add-new-lead',
    'network-messages.send',
    'emails.send',
  ]);
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

interface Described {
  readonly parameters: readonly {
    readonly in: string;
    readonly name: string;
    readonly required: boolean;
    readonly style?: string;
    readonly explode?: boolean;
    readonly description?: string;
    readonly schema: object;
  }[];
  readonly tags: readonly string[];
  readonly description?: string;
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: object }> }>;
}

/** An operation of the OpenAPI document, by its name. */
function described(name: string): Described {
  const paths = openApiDocument()['paths'] as Record<string, Record<string, Described & { operationId: string }>>;
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === name)!;
}

test('the OpenAPI document: parameters of the path are required, and those of a query are not', () => {
  const { parameters } = described('automations.add-contact');
  expect(parameters).toMatchObject([
    { in: 'path', name: 'flowUuid', required: true },
    { in: 'path', name: 'leadUuid', required: true },
  ]);
  expect(parameters[0]).not.toHaveProperty('style');
  const listing = described('lists.list').parameters;
  expect(listing.map(({ name }) => name)).toEqual(['limit', 'offset', 'order_field', 'order_type', 'filter']);
  expect(new Set(listing.map((each) => `${each.in} ${each.required}`))).toEqual(new Set(['query false']));
});

test('the OpenAPI document: a filter is written as an object, and a description stands beside its schema', () => {
  const { parameters } = described('lists.list');
  const styled = parameters.filter(({ style }) => style !== undefined);
  expect(styled).toMatchObject([{ name: 'filter', style: 'deepObject', explode: true }]);
  const [limit] = parameters;
  expect(limit?.description).toContain('page size');
  expect(limit?.schema).not.toHaveProperty('description');
});

test('the OpenAPI document: a body is required if a field of it is, and an operation without fields has none', () => {
  const required = (name: string) => described(name).requestBody?.required;
  expect(required('lists.create')).toBe(true);
  expect(required('contacts.upsert')).toBe(true);
  expect(required('contacts.search')).toBe(false);
  expect(required('automations.add-contact')).toBe(false);
  expect([required('automations.start'), required('lists.get')]).toEqual([undefined, undefined]);
});

test('the OpenAPI document: an answer has a record, a page, or no content', () => {
  const schemas = (name: string) =>
    Object.entries(described(name).responses).flatMap(([status, { content }]) =>
      Number(status) < 300 ? [[status, content?.['application/json']?.schema]] : [],
    );
  expect(schemas('lists.get')).toEqual([['200', { $ref: '#/components/schemas/List' }]]);
  expect(schemas('lists.list')).toMatchObject([
    ['200', { properties: { data: { items: { $ref: '#/components/schemas/List' } } } }],
  ]);
  expect(schemas('contacts.delete')).toEqual([
    ['200', undefined],
    ['202', undefined],
    ['204', undefined],
  ]);
  expect(schemas('automations.add-new-lead')).toMatchObject([
    ['200', { properties: { reason: {} } }],
    ['204', undefined],
  ]);
});

test('the OpenAPI document: every call may be refused, and effects beyond the answer are described', () => {
  const statuses = Object.entries(described('lists.create').responses).map(([status]) => Number(status));
  expect(statuses).toEqual([200, 201, 400, 401, 403, 422, 429]);
  const refusal = { schema: { $ref: '#/components/schemas/Refusal' } };
  expect(described('lists.create').responses['429']?.content).toEqual({ 'application/json': refusal });
  expect(described('contacts.delete').description).toContain('delete job');
  expect(described('lists.get')).not.toHaveProperty('description');
  expect(described('lists.get').tags).toEqual(['lists']);
});

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

test.each<[string, ContactFilter, boolean]>([
  ['< excludes the bound', { connections_number: { '<': 40 } }, false],
  ['<= includes it', { connections_number: { '<=': 40 } }, true],
  ['> excludes it', { connections_number: { '>': 40 } }, false],
  ['>= includes it', { connections_number: { '>=': 40 } }, true],
  ['< finds smaller ones', { connections_number: { '<': 41 } }, true],
  ['> finds larger ones', { connections_number: { '>': 39 } }, true],
  ['numbers are not compared as texts', { connections_number: { '<': 100 } }, true],
  ['a number as a text is that number', { connections_number: '40' }, true],
  ['texts are compared as texts', { first_name: { '<': 'B', '>': 'A' } }, true],
  ['an instant with and without decimals is one instant', { created_at: '2026-11-21T10:00:00Z' }, true],
  ['an instant is unequal to another', { created_at: { '!=': '2026-11-21T10:00:00Z' } }, false],
  ['a flag is unequal to the other', { has_premium: false }, false],
  ['a flag is that flag as a number', { has_premium: 1 }, true],
  ['a value is not IS NULL', { first_name: 'is_null' }, false],
  ['a value is IS NOT NULL', { first_name: 'is_not_null' }, true],
  ['NULL is in no list', { position: ['Buyer', ''] }, false],
  ['a list of tags without any of them', { tags: ['t8', 't9'] }, false],
  ['an IN over no values', { first_name: [] }, false],
  ['a field of which nothing is wanted', { first_name: undefined } as never, true],
  ['no field at all', {}, true],
])('a filter has the meaning of SQL: %s', (_, filter, expected) => {
  expect(matches(row, filter)).toBe(expected);
});

test('an IN over no values matches nothing, whatever else is asked', () => {
  expect(matchesNothing({ uuid: [] })).toBe(true);
  expect(matchesNothing({ first_name: 'Ada', uuid: [] })).toBe(true);
  expect(matchesNothing({ uuid: ['u1'] })).toBe(false);
  expect(matchesNothing({ first_name: '' })).toBe(false);
  expect(matchesNothing({})).toBe(false);
});

test('T20: only a date alone is a whole day, and both bounds of a range may be one', () => {
  const prepared = (value: unknown) => prepareFilter({ updated_at: value })['updated_at'];
  expect(prepared({ '>=': '2026-11-20', '<': '2026-11-22' })).toEqual({
    '>=': '2026-11-20T00:00:00.000000Z',
    '<': '2026-11-22T00:00:00.000000Z',
  });
  expect(prepared(['2026-11-20'])).toEqual(['2026-11-20']);
  expect(prepared('2026-11-20 ')).toBe('2026-11-20 ');
  expect(prepared(null)).toBe('is_null');
  expect(prepareFilter({ q: '2026-11-20' })).toEqual({ q: '2026-11-20' });
});

test('a filter names at least one comparison', () => {
  const takes = (value: unknown) =>
    operations.contacts.search.body!.safeParse({ filter: { first_name: value } }).success;
  expect([takes({ '<>': 'Ada' }), takes({}), takes({ '~': 'Ada' }), takes(['Ada'])]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

test('a query that is read has numbers where its schema has them, and objects where JSON is written', () => {
  const read = (query: string) => decodeQuery(new URLSearchParams(query), operations.emails.list.query!);
  expect(read('limit=7&offset=x&order_field=12&page=3')).toEqual({
    limit: 7,
    offset: 'x',
    order_field: '12',
    page: '3',
  });
  expect(read('limit=-7')).toEqual({ limit: -7 });
  expect(read('limit=1234567890123456')).toEqual({ limit: '1234567890123456' });
  expect(read('filter={"status":"sent"}')).toEqual({ filter: { status: 'sent' } });
  expect(read('filter={status')).toEqual({ filter: '{status' });
  expect(read('filter[sent_at][>%3D]=7&filter[sent_at][<]=9&filter[status]=sent')).toEqual({
    filter: { sent_at: { '>=': '7', '<': '9' }, status: 'sent' },
  });
  expect(read('filter=x&filter[status]=sent')).toEqual({ filter: { status: 'sent' } });
});

test('a query leaves out what is undefined, also inside a filter', () => {
  const written = encodeQuery({ q: undefined, limit: 1, is_public: false, filter: { a: undefined, b: 'x' } });
  expect(written.toString()).toBe('limit=1&is_public=false&filter%5Bb%5D=x');
});

test('a minute of a schedule has both of its other names, or is left as it is', () => {
  const read = (block: unknown) =>
    (
      automation.schema.parse({ uuid: 'u1', schedule: { timezone: 'UTC', timeblocks: [block] } }).schedule as {
        timeblocks: unknown[];
      }
    ).timeblocks[0];
  expect(read({ dow: 1, min: 0, max: 60 })).toEqual({ dow: 1, from: 0, to: 60 });
  expect(read({ dow: 1, from: 0, to: 60, colour: 'red' })).toEqual({ dow: 1, from: 0, to: 60, colour: 'red' });
  for (const block of [{ dow: 1, min: 0 }, { dow: 1, max: 60 }, null, 'all day']) expect(read(block)).toEqual(block);
});

test.each([
  ['alone', { uuid: 'u1', name: 'A' }],
  ['under lead', { lead: { uuid: 'u1', name: 'A' }, message: 'ok' }],
  ['under data', { data: { uuid: 'u1', name: 'A' }, message: 'ok' }],
])('T10: a record comes %s', (_, answer) => {
  expect(operations.lists.get.answer.read(answer, 200)).toEqual({ uuid: 'u1', name: 'A' });
});

test('T10: only a wrapper with a record in it is one', () => {
  const plain = { uuid: 'u1', data: { name: 'B' }, lead: [{ uuid: 'u2' }] };
  expect(operations.lists.get.answer.read(plain, 200)).toMatchObject({ uuid: 'u1' });
  expect(() => operations.lists.get.answer.read({ data: { uuid: 7 } }, 200)).toThrow('a List has a uuid');
});

test('T7: the figures of a page come beside its rows or under pagination, which counts', () => {
  const read = (page: object) => operations.lists.list.answer.read(page, 200);
  const figures = { limit: 10, offset: 20, total: 30, has_more: false };
  expect(read({ data: [], ...figures })).toEqual({ data: [], unreadable: 0, ...figures });
  expect(read({ data: [], total: 1, pagination: figures })).toEqual({ data: [], unreadable: 0, ...figures });
  expect(read({ data: [], has_more: 'yes', pagination: [1] })).toEqual({ data: [], unreadable: 0 });
});
