import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { operationList } from '../../../src/crm/outreach/operations/table.ts';
import type { NamedOperation } from '../../../src/crm/outreach/operations/table.ts';
import { defaultSwitches, switchesSchema } from '../../../src/standin/service/switches.ts';
import { addDemoData } from '../../../src/standin/service/demo.ts';
import { repeats } from '../../support/repeats.ts';
import { trial } from './support.ts';
import type { Answer, Trial } from './support.ts';

/** Answers that any operation may give. */
const common = [400, 401, 403, 413, 415, 429];

const unknownUuid = '00000000-0000-4000-8000-000000000000';

/** Names of the operation, at the top or one level down, among them some unknown ones. */
function namesOf({ operation }: NamedOperation): readonly string[] {
  const shapes = [operation.body, operation.query].flatMap((schema) => (schema ? [schema.shape] : []));
  const nested = shapes.flatMap((shape) =>
    Object.values(shape).flatMap((inner) => {
      const open = inner instanceof z.ZodOptional ? inner.unwrap() : inner;
      return open instanceof z.ZodObject ? Object.keys(open.shape) : [];
    }),
  );
  return [...shapes.flatMap((shape) => Object.keys(shape)), ...nested, 'created_at', 'tags', '__proto__', 'nobody'];
}

/** Uuids of records that exist, by kind. */
interface Known {
  readonly lead: readonly string[];
  readonly list: readonly string[];
  readonly flow: readonly string[];
  readonly profile: readonly string[];
}

/** Mostly a uuid of the right kind. */
function uuidOfKind(kind: keyof Known, known: Known) {
  const junk = fc.constantFrom(unknownUuid, 'nope', '%00', ...known.list, ...known.flow);
  return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known[kind]) }, { weight: 1, arbitrary: junk });
}

/** The kind of record a path parameter means. */
function kindOf(parameter: string, { area }: NamedOperation): keyof Known {
  if (parameter === 'flowUuid') return 'flow';
  if (parameter === 'senderProfileUuid') return 'profile';
  return area === 'lists' ? 'list' : 'lead';
}

/** Values that are right in some places, wrong in others, or hostile. */
function valueFor(uuids: readonly string[]) {
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom(...uuids, unknownUuid),
      fc.constantFrom(
        'asc',
        'desc',
        'is_null',
        'created_at',
        '2026-11-21',
        'a@b.test',
        'Ada',
        '',
        ' ',
        '💥',
        '\u0000',
        '\ud800',
      ),
      fc.constantFrom(0, 1, 20, 100, 10_001, -1, 1e21, 0.5, true, false, null),
      fc.string(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom('>=', '<', '!=', 'q', 'email', 'first_name', 'network_id', 'uuid', '__proto__', 'x'),
        tie('value'),
        { maxKeys: 3 },
      ),
    ),
  }));
  return value;
}

interface ArbitraryRequest {
  readonly name: string;
  readonly path: string;
  readonly query: [string, string][];
  readonly body: string;
  readonly contentType: string;
}

function requestTo(named: NamedOperation, known: Known): fc.Arbitrary<ArbitraryRequest> {
  const uuids = [...known.lead.slice(0, 3), ...known.list, ...known.flow, ...known.profile];
  const value = valueFor(uuids);
  const names = fc.constantFrom(...namesOf(named));
  const fields = fc.dictionary(names, value, { maxKeys: 5 });
  const body = fc.oneof(
    { weight: 6, arbitrary: fields.map((json) => JSON.stringify(json)) },
    { weight: 6, arbitrary: plausibleBody(named, known).map((json) => JSON.stringify(json)) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string() },
  );
  const queryText = fc.oneof(
    fc.constantFrom(...uuids, 'on', '1', '-1', '100', 'asc', 'desc', 'created_at', '{', '{"q":"a"}', '[]'),
    fc.string(),
  );
  const queryName = fc.oneof(
    names,
    names.map((name) => `filter[${name}]`),
    names.map((name) => `filter[${name}][>=]`),
    fc.string(),
  );
  return fc.record({
    name: fc.constant(named.name),
    path: pathOf(named, known),
    query: fc.array(fc.tuple(queryName, queryText), { maxLength: 4 }),
    body,
    contentType: fc.oneof(
      { weight: 12, arbitrary: fc.constant('application/json') },
      fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'application/merge-patch+json'),
    ),
  });
}

function pathOf(named: NamedOperation, known: Known) {
  const parameters = Object.keys(named.operation.pathParameters.shape);
  const values = fc.tuple(...parameters.map((parameter) => uuidOfKind(kindOf(parameter, named), known)));
  return values.map((uuids) =>
    parameters.reduce(
      (path, parameter, index) => path.replace(`{${parameter}}`, uuids[index] ?? ''),
      named.operation.path as string,
    ),
  );
}

/** Bodies that often pass, so that the handlers are reached. */
function plausibleBody({ name }: NamedOperation, known: Known) {
  const text = fc.constantFrom('Ada', 'Lovelace', 'ada@engine.test', 'https://network.test/in/ada/', '42', '', ' ');
  const lead = fc.dictionary(fc.constantFrom('network_id', 'first_name', 'email', 'company_name', 'domain'), text);
  const intake = {
    lead,
    list_uuid: uuidOfKind('list', known),
    custom_fields: fc.dictionary(fc.constantFrom('segment', '1x', '__proto__'), text, { maxKeys: 1 }),
    move_to_list: fc.boolean(),
  };
  switch (name) {
    case 'contacts.upsert':
      return fc.record({ ...intake, update_if_exists: fc.boolean() }, { requiredKeys: ['lead', 'list_uuid'] });
    case 'automations.add-new-lead':
      return fc.record(
        { ...intake, flow_segment_id: fc.constantFrom(1, 2), skip_if_lead_exists: fc.boolean() },
        { requiredKeys: ['lead', 'list_uuid'] },
      );
    case 'automations.cancel':
      return fc.record({ flow_uuids: fc.array(uuidOfKind('flow', known), { maxLength: 3 }) });
    case 'network-messages.send':
    case 'emails.send':
      return fc.record(
        {
          sender_profile_uuid: uuidOfKind('profile', known),
          lead_uuid: uuidOfKind('lead', known),
          text,
          body: text,
          subject: text,
        },
        { requiredKeys: ['sender_profile_uuid', 'lead_uuid', name === 'emails.send' ? 'body' : 'text'] },
      );
    case 'sender-profiles.create':
    case 'sender-profiles.connect-external':
      return fc.record(
        { first_name: text, last_name: text, external_browser_profile_id: text },
        { requiredKeys: ['first_name', 'last_name'] },
      );
    default:
      return fc.dictionary(fc.constantFrom('first_name', 'email', 'name', 'company_name', 'limit'), text, {
        maxKeys: 3,
      });
  }
}

/** Until each operation has succeeded. By chance it takes this many rounds less than once in 10^12 times. */
const roundsMax = 20;

test('arbitrary requests are each answered as documented', async () => {
  const it = await trial({ rateLimits: [], profilesMax: 1000 });
  addDemoData(it.standin.model, it.standin.world, { contacts: 400 });
  const known = knownUuids(it);
  const succeeded = new Set<string>();
  const anyRequest = fc.oneof(...operationList.map((named) => requestTo(named, known)));
  const holds = fc.asyncProperty(anyRequest, async (request) => {
    const answer = await sendRequest(it, request);
    expect(problemWith(operationByName(request.name), answer)).toBeUndefined();
    if (answer.status < 300) succeeded.add(request.name);
  });

  // Of 5,000 requests five send an e-mail that the service takes: with few requests a round may have none.
  for (let round = 0; round < roundsMax && (round === 0 || succeeded.size < operationList.length); round += 1) {
    await fc.assert(holds, { numRuns: repeats(800, 5_000) });
  }
  expect([...succeeded].toSorted()).toEqual(operationList.map(({ name }) => name).toSorted());
});

function sendRequest(it: Trial, { name, path, query, body, contentType }: ArbitraryRequest): Promise<Answer> {
  const { method } = operationByName(name).operation;
  const search = new URLSearchParams(query).toString();
  return it.call(method, `${path}?${search}`, method === 'GET' ? undefined : body, { 'content-type': contentType });
}

/** Every switch with a fixed choice of values, at any of them. */
const anySwitches = fc.record(
  Object.fromEntries(
    Object.entries(switchesSchema.shape).flatMap(([name, schema]) => {
      const values: unknown = schema.unwrap();
      if (values instanceof z.ZodBoolean) return [[name, fc.boolean()]];
      if (values instanceof z.ZodEnum) return [[name, fc.constantFrom(...values.options)]];
      if (values instanceof z.ZodLiteral) return [[name, fc.constantFrom(...values.values)]];
      return [];
    }),
  ),
  { requiredKeys: [] },
);

test('with any switches, only a switch causes a server error', async () => {
  const it = await trial();
  addDemoData(it.standin.model, it.standin.world, { contacts: 100 });
  const known = knownUuids(it);
  const anyRequest = fc.oneof(...operationList.map((named) => requestTo(named, known)));
  await fc.assert(
    fc.asyncProperty(anySwitches, fc.array(anyRequest, { maxLength: 5 }), async (switches, requests) => {
      Object.assign(it.standin.switches, defaultSwitches(), switches, { rateLimits: [] });
      for (const request of requests) {
        const { text, status } = await sendRequest(it, request);
        expect(status === 500 && !text.includes('"Server Error"') ? text : undefined).toBeUndefined();
      }
    }),
    { numRuns: repeats(150, 1_000) },
  );
});

/** The fault of an answer: an undocumented status, a success that does not conform, a refusal that is no envelope. */
function problemWith({ name, operation }: NamedOperation, { status, text, json }: Answer): string | undefined {
  const { success, refusals, read } = operation.answer;
  if (![...success, ...refusals, ...common].includes(status)) return `${name} answered ${status}: ${text}`;
  try {
    if (status >= 400) envelope.parse(json);
    else if (text !== '') {
      read(json, status);
      schemaByName.get(name)?.parse(json);
    }
  } catch (error) {
    return `${name} answered ${status}: ${text}, which does not conform: ${String(error)}`;
  }
  return undefined;
}

const envelope = z.strictObject({
  error: z.strictObject({ reason: z.string(), message: z.string(), data: z.record(z.string(), z.array(z.string())) }),
  message: z.string(),
  code: z.int(),
});

/** The documented answers, without the JSON types that a tolerant reader ignores. */
const schemaByName = new Map(
  operationList.flatMap(({ name, operation: { answer } }) =>
    answer.schema
      ? [[name, z.fromJSONSchema(z.toJSONSchema(answer.schema, { io: 'output', unrepresentable: 'any' }))] as const]
      : [],
  ),
);

function operationByName(name: string): NamedOperation {
  const named = operationList.find((candidate) => candidate.name === name);
  if (!named) throw new Error(`no operation ${name}`);
  return named;
}

function knownUuids({ standin: { model } }: Trial): Known {
  return {
    lead: [...model.contacts.all()].map(({ record }) => record.uuid),
    list: [...model.lists.table.all()].map(({ uuid }) => uuid),
    flow: [...model.automations.table.all()].map(({ uuid }) => uuid),
    profile: [...model.senderProfiles.table.all()].map(({ uuid }) => uuid),
  };
}
