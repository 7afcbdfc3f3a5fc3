import { expect, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { createBudget } from '../../src/crm/outreach/call/budget.ts';
import { createOutreachCrm } from '../../src/crm/outreach/crm.ts';
import { createServiceClient } from '../../src/crm/outreach/client.ts';
import {
  AuthenticationError,
  GatewayError,
  NotFoundError,
  OutcomeUnknownError,
  PermissionError,
  PlanLimitError,
  RateLimitError,
  StoppedError,
  UnexpectedAnswerError,
  UnreachableError,
  ValidationError,
} from '../../src/crm/errors.ts';
import type { Transport } from '../../src/crm/outreach/call/exchange.ts';
import { createService, seedContacts, token, useJumpingClock } from '../support/service.ts';

/* The client against failures of transport: T1 to T9 of the service's known behaviours. */

const missing = '00000000-0000-4000-8000-000000000000';

async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    (answer) => expect.unreachable(`expected a failure, got ${JSON.stringify(answer)}`),
    (error: unknown) => error as Error,
  );
}

test('T1: a blank 200 is repeated on search, and leaves the outcome of an upsert unknown', async () => {
  const service = createService();
  const { client, standin, calls } = service;
  const { list_uuid } = seedContacts(service, 3);
  standin.faults.inject({ kind: 'blank', operation: 'contacts.search', times: 2 });
  expect(await client.contacts.search({})).toMatchObject({ total: 3 });
  expect(calls('contacts.search')).toHaveLength(3);

  standin.faults.inject({ kind: 'blank', operation: 'contacts.upsert', when: 'after' });
  const error = await failure(client.contacts.upsert({ lead: { email: 'new@firm.test' }, list_uuid }));
  expect(error).toBeInstanceOf(OutcomeUnknownError);
  expect(calls('contacts.upsert')).toHaveLength(1);
});

test.each([502, 504] as const)('T2: an HTML %i is repeated on reads, and ends as a gateway error', async (status) => {
  const service = createService();
  const { client, standin, calls } = service;
  seedContacts(service, 1);
  standin.faults.inject({ kind: 'html', status, times: 3 });
  expect(await client.contacts.search({})).toMatchObject({ total: 1 });

  standin.faults.inject({ kind: 'html', status, times: 100 });
  const error = await failure(client.contacts.search({}));
  expect(error).toBeInstanceOf(GatewayError);
  expect(error).toMatchObject({ code: 'gateway', retryable: true, call: { status, attempts: 5 } });
  expect(error.message).toContain('contacts.search');
  expect(calls()).toHaveLength(4 + 5);
});

test.each(['seconds', 'http_date', 'human_date', 'unix'] as const)(
  'T3: a 429 with a time (%s) is waited for, and the call then succeeds',
  async (headers) => {
    const { client, standin, calls } = createService();
    standin.faults.inject({ kind: 'rate_limited', headers, waitMs: 20_000 });
    const start = Date.now();
    await client.lists.list({});
    expect(Date.now() - start).toBeGreaterThanOrEqual(19_000);
    expect(Date.now() - start).toBeLessThan(22_000);
    expect(calls()).toHaveLength(2);
  },
);

test('T3: a 429 without a time causes growing pauses, never under a second', async () => {
  const { client, standin, calls } = createService();
  standin.faults.inject({ kind: 'rate_limited', headers: 'none', times: 4 });
  await client.lists.list({});
  const times = calls().map(({ time }) => time);
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  for (const [index, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(1_000 * 2 ** index);
    expect(pause).toBeLessThanOrEqual(1_000 * 2 ** (index + 1) + 100);
  }
});

test('T3: after an accepted call the pauses begin small again', async () => {
  const { client, standin, calls } = createService();
  for (const times of [3, 1]) {
    standin.faults.inject({ kind: 'rate_limited', headers: 'none', times });
    await client.lists.list({});
  }
  const times = calls().map(({ time }) => time);
  const pauses = times.slice(1).map((time, index) => time - times[index]!);
  // Those of 2, 4 and 8 s, the accepted call, and one of 2 s again.
  expect(pauses.map((pause) => pause > 2_000)).toEqual([false, true, true, false, false]);
});

test('T3: a 429 whose time is already over still pauses a second', async () => {
  const { client, standin, calls } = createService();
  standin.faults.inject({ kind: 'rate_limited', headers: 'unix', waitMs: 0 });
  await client.lists.list({});
  const [first, second] = calls();
  expect((second?.time ?? 0) - (first?.time ?? 0)).toBeGreaterThanOrEqual(1_000);
});

test('T3, W6: a 429 pauses every call on the token, and none is dropped', async () => {
  const { client, standin, calls } = createService();
  standin.faults.inject({ kind: 'rate_limited', waitMs: 30_000 });
  await Promise.all([client.lists.list({}), client.automations.list({}), client.emails.list({})]);
  const [first, ...others] = calls().map(({ time }) => time);
  const paused = others.filter((time) => time - (first ?? 0) >= 29_000);
  expect(paused.length).toBeGreaterThanOrEqual(2);
  expect(calls()).toHaveLength(4);
});

test('T4: two clients on one token stay under its budget together, repeats included', async () => {
  const service = createService({}, { requestsPerMinute: 60 });
  const { standin, budget, client, calls } = service;
  const second = createServiceClient({
    baseUrl: 'http://service.test',
    token: new Secret(token),
    budget,
    transport: standin.fetch,
    now: Date.now,
    random: () => 0.5,
    timeoutMs: 30_000,
    userAgent: 'leadsheet/test',
  });
  standin.faults.inject({ kind: 'html', times: 10 });
  await Promise.all(Array.from({ length: 100 }, (_, index) => (index % 2 ? client : second).lists.list({})));
  const times = calls().map(({ time }) => time);
  expect(times.length).toBe(110);
  for (const start of times) {
    expect(times.filter((time) => time >= start && time < start + 60_000).length).toBeLessThanOrEqual(60);
  }
});

test('T4: limits a minute, an hour and a day at once are waited for, or named if the pause is long', async () => {
  const { client, calls } = createService({
    rateLimits: [
      { calls: 5, windowMs: 10_000 },
      { calls: 12, windowMs: 60_000 },
      { calls: 30, windowMs: 3_600_000 },
    ],
  });
  const outcomes: unknown[] = [];
  while (!(outcomes.at(-1) instanceof Error)) {
    outcomes.push(await client.lists.list({}).catch((error: unknown) => error));
  }
  expect(outcomes).toHaveLength(31);
  expect(outcomes.at(-1)).toBeInstanceOf(RateLimitError);
  expect((outcomes.at(-1) as RateLimitError).retryAfterMs).toBeGreaterThan(120_000);

  // Until then nothing is sent: the answer is known.
  const sent = calls().length;
  expect(await failure(client.lists.list({}))).toBeInstanceOf(RateLimitError);
  expect(calls()).toHaveLength(sent);
});

test('T5, W6: after a 401 no further call is made, waiting ones included, and only the first is reported', async () => {
  const { client, standin, calls } = createService();
  standin.faults.inject({ kind: 'status', status: 401, times: 1 });
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => client.lists.list({})));
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
  expect(errors.length).toBeGreaterThanOrEqual(18);
  expect(errors.every((error) => error instanceof AuthenticationError)).toBe(true);
  expect(errors.filter((error) => !(error as AuthenticationError).repeated)).toHaveLength(1);
  const sent = calls().length;
  expect(sent).toBeLessThanOrEqual(2);
  expect(await failure(client.contacts.get({ uuid: missing }))).toMatchObject({
    repeated: true,
    call: { operation: 'contacts.get', attempts: 0 },
  });
  expect(calls()).toHaveLength(sent);
});

test.each([
  [402, PlanLimitError],
  [403, PermissionError],
] as const)('T5: a %i fails its own call and no other', async (status, kind) => {
  const { client, standin } = createService();
  standin.faults.inject({ kind: 'status', status });
  expect(await failure(client.senderProfiles.list({}))).toBeInstanceOf(kind);
  expect(await client.lists.list({})).toMatchObject({ total: 0 });
});

test('T6: an error envelope inside a 200 is an error and not a contact', async () => {
  const service = createService();
  const { client, standin } = service;
  const { uuids } = seedContacts(service, 1);
  standin.faults.inject({ kind: 'error_in_200', times: 100 });
  expect(await failure(client.contacts.get({ uuid: uuids[0] ?? '' }))).toBeInstanceOf(GatewayError);
  expect(await failure(client.contacts.update({ uuid: uuids[0] ?? '', about: 'x' }))).toBeInstanceOf(
    OutcomeUnknownError,
  );
});

test.each([
  ['alone', { uuid: missing, subject: 'Hello', email: { uuid: 'another' } }],
  ['beside other objects', { job: { id: 1 }, emailDomain: { uuid: missing, subject: 'Hello' }, note: 'x' }],
])('an e-mail that was sent is the record with a uuid, %s', async (_, body) => {
  const client = scripted(() => Response.json(body, { status: 201 }));
  const sent = await client.emails.send({ sender_profile_uuid: 's', lead_uuid: 'l', body: 'Hi' });
  expect(sent).toMatchObject({ uuid: missing, subject: 'Hello' });
});

test('T6: an envelope in a 200 that names its reason is that error', async () => {
  const client = scripted(() => Response.json({ error: { reason: 'not_found', message: 'gone' } }));
  expect(await failure(client.contacts.get({ uuid: missing }))).toBeInstanceOf(NotFoundError);
});

test('T7: unknown fields, new enum values, nulls and both kinds of flags are read, and kept', async () => {
  const raw = {
    uuid: missing,
    first_name: null,
    status: 'brand_new_status',
    has_premium: 1,
    has_open_profile: false,
    connections_number: '512',
    experience: [{ title: 'Buyer', somewhere: 'else' }],
    never_heard_of: { deep: [1, 2] },
  };
  const client = scripted(() => Response.json(raw));
  const contact = await client.contacts.get({ uuid: missing });
  expect(contact).toEqual({ ...raw, has_premium: true, connections_number: 512 });
});

test.each([
  ['a flag', 'has_premium', [true, 1, '1', 'true'], true],
  ['a flag', 'has_premium', [false, 0, '0', 'false'], false],
  ['a number', 'followers_number', [12, '12'], 12],
  ['a text', 'position', ['12', 12], '12'],
  ['a text', 'position', ['true', true], 'true'],
  ['a list of texts', 'skills', [['a', 'b']], ['a', 'b']],
  ['no flag', 'has_premium', [2, 'yes', [], 'TRUE'], undefined],
  ['no number', 'followers_number', ['12a', '1.5', true, '1'.repeat(16)], undefined],
  ['no text', 'position', [['12'], { a: 1 }], undefined],
  ['no list of texts', 'skills', ['a', ['a', 1], { 0: 'a' }], undefined],
] as const)('T7: %s (%s) is read from each of its forms', async (_, field, forms, read) => {
  for (const form of forms) {
    const client = scripted(() => Response.json({ uuid: missing, [field]: form }));
    expect([form, (await client.contacts.get({ uuid: missing }))[field]]).toEqual([form, read]);
  }
});

test.each([
  ['a number', 12, 12],
  ['a text of digits', '12', 12],
  ['none', 0, 0],
  ['a word', 'many', undefined],
  ['a blank text', '', undefined],
  ['a negative number', -1, undefined],
  ['a number with decimals', 1.5, undefined],
])('T7: a total counts if it is a number of records (%s)', async (_, total, read) => {
  const client = scripted(() => Response.json({ data: [], total }));
  expect((await client.lists.list({})).total).toBe(read);
});

test('T6: a contact without a uuid is no contact: an error of a read, and a write of unknown outcome', async () => {
  const client = scripted(() => Response.json({ first_name: 'Ada' }));
  const usage = () => ({ calls: 0, lastMinute: 0, perMinute: 6_000 });
  const contacts = createOutreachCrm({ client, account: 'x', usage, now: Date.now }).openContacts({ fields: [] });
  expect(await failure(contacts.getNow(missing, {}))).toBeInstanceOf(UnexpectedAnswerError);
  expect(await failure(contacts.create({ list: missing, fields: [] }, {}))).toBeInstanceOf(OutcomeUnknownError);
});

test('T7: the switches that change shapes do not change what is read', async () => {
  const plain = createService();
  const { uuids } = seedContacts(plain, 1);
  const uuid = uuids[0] ?? '';
  const expected = await plain.client.contacts.get({ uuid });
  plain.standin.switches.flags = 'boolean';
  plain.standin.switches.extraFields = true;
  plain.standin.switches.getWrapped = true;
  const { ...read } = await plain.client.contacts.get({ uuid });
  expect(read).toMatchObject(expected);
});

test.each([
  [
    'the envelope',
    { error: { reason: 'validation_error', message: 'Bad value.', data: { 'lead.email': ['is no address'] } } },
  ],
  ['a message alone', { message: 'Bad value.' }],
  ["Laravel's errors", { message: 'Bad value.', errors: { 'lead.email': ['is no address'] } }],
  ['a text', 'Bad value.'],
  ['nothing', ''],
])('T8: a refusal as %s gives the right error, its words, and no secret', async (shape, body) => {
  const text = typeof body === 'string' ? body : JSON.stringify({ ...body, echo: `Bearer ${token}` });
  const client = scripted(() => new Response(text, { status: 422, headers: { 'x-request-id': 'req-7' } }));
  const error = await failure(client.contacts.upsert({ lead: { email: 'x' } }));
  expect(error).toBeInstanceOf(ValidationError);
  expect(error.message).toContain(shape === 'nothing' ? 'no reason given' : 'Bad value');
  expect(error).toMatchObject({ call: { status: 422, requestId: 'req-7', attempts: 1, operation: 'contacts.upsert' } });
  const named = JSON.stringify(body).includes('is no address');
  expect((error as ValidationError).fields).toEqual(named ? { 'lead.email': ['is no address'] } : {});
  expect(error.message.includes('lead.email: is no address')).toBe(named);
  const remedy = named ? 'Correct the value it names' : 'Sending it again as it is will not help';
  expect(error.message.endsWith(`. ${remedy}`)).toBe(true);
  expect(JSON.stringify(error) + error.message + String(error.stack)).not.toContain(token);
});

test('T8: a text with the token is masked at every place', async () => {
  const client = scripted(() => Response.json({ message: `no such list for Bearer ${token}` }, { status: 404 }));
  const error = await failure(client.lists.get({ uuid: missing }));
  expect(error).toBeInstanceOf(NotFoundError);
  expect(JSON.stringify(error) + error.message).not.toContain(token);
  expect(error.message).toContain('[secret]');
});

test('T9, W4, L8: a send that timed out is not repeated, is of unknown outcome, and is listed', async () => {
  const service = createService({}, { timeoutMs: 5_000 });
  const { client, standin, calls } = service;
  const { uuids } = seedContacts(service, 1);
  const sender = standin.model.senderProfiles.add({ first_name: 'Ada', last_name: 'Byron' });
  const message = { sender_profile_uuid: sender.uuid, lead_uuid: uuids[0] ?? '', text: 'Hello' };
  standin.faults.inject({ kind: 'hang', operation: 'network-messages.send', when: 'after' });
  const error = await failure(client.networkMessages.send(message));
  expect(error).toBeInstanceOf(OutcomeUnknownError);
  expect(error.message).toContain('no answer within 5 s');
  expect(calls('network-messages.send')).toHaveLength(1);

  const { data } = await client.networkMessages.list({ filter: { lead_uuid: message.lead_uuid } });
  expect(data.map(({ text }) => text)).toEqual(['Hello']);
});

test.each(['hang', 'lost', 'truncated'] as const)('a read without an answer (%s) is repeated', async (kind) => {
  const { client, standin, calls } = createService({}, { timeoutMs: 2_000 });
  standin.faults.inject({ kind, times: 2 });
  expect(await client.lists.list({})).toMatchObject({ total: 0 });
  expect(calls()).toHaveLength(3);
});

test('a write whose answer is cut is unknown, and not repeated', async () => {
  const service = createService();
  const { list_uuid } = seedContacts(service, 0);
  service.standin.faults.inject({ kind: 'truncated', operation: 'contacts.upsert' });
  const error = await failure(service.client.contacts.upsert({ lead: { email: 'new@firm.test' }, list_uuid }));
  expect(error).toMatchObject({ code: 'outcome_unknown', harmlessToRepeat: true, call: { attempts: 1 } });
});

test('W4, L8: a harmful call is never repeated: not after a 5xx, a reset, or a 429', async () => {
  const { client, standin, calls } = createService();
  for (const fault of [
    { kind: 'status', status: 503 },
    { kind: 'lost' },
    { kind: 'rate_limited', waitMs: 1_000 },
  ] as const) {
    standin.faults.inject({ ...fault, operation: 'lists.create' });
    await failure(client.lists.create({ name: fault.kind }));
  }
  expect(calls('lists.create')).toHaveLength(3);
});

test('W4: a write whose repeat is harmless is repeated after a reset, and happens once', async () => {
  const service = createService();
  const { client, standin, calls } = service;
  const { list_uuid } = seedContacts(service, 0);
  standin.faults.inject({ kind: 'lost', when: 'after', operation: 'contacts.upsert' });
  const contact = await client.contacts.upsert({ lead: { email: 'new@firm.test' }, list_uuid });
  expect(contact.work_email).toBe('new@firm.test');
  expect(calls('contacts.upsert')).toHaveLength(2);
  expect(standin.model.contacts.size).toBe(1);
});

test('a 500 on a read is tried three times in all: it may be permanent', async () => {
  const { client, standin, calls } = createService();
  standin.faults.inject({ kind: 'status', status: 500, times: 100 });
  expect(await failure(client.lists.list({}))).toMatchObject({ call: { status: 500, attempts: 3 } });
  expect(calls()).toHaveLength(3);
});

test('the message of a failed call names call, record, status and attempts', async () => {
  const { client, standin } = createService();
  standin.faults.inject({ kind: 'status', status: 503, times: 5 });
  const read = await failure(client.lists.get({ uuid: missing }));
  expect(read.message).toMatch(
    new RegExp(
      `^lists\\.get ${missing}: .+ \\(HTTP 503\\) after 5 attempts\\. Nothing was changed; it can be tried again$`,
    ),
  );
  const once = await failure(client.lists.get({ uuid: missing }));
  expect(once.message).toMatch(/\(HTTP 404\)\. It may have been deleted, or belong to another team$/);
});

test('W4: a call of which the caller wants one attempt is not repeated', async () => {
  const { client, standin, calls } = createService();
  standin.faults.inject({ kind: 'status', status: 503, times: 5 });
  const update = client.contacts.update({ uuid: missing, about: 'x' }, { repeat: false });
  expect(await failure(update)).toMatchObject({ call: { status: 503, attempts: 1 } });
  expect(calls()).toHaveLength(1);
});

test('H3: a call that writes takes no longer than its lease allows, and a call that reads as long as it may', async () => {
  const { client, standin } = createService({}, { timeoutMs: 30_000 });
  standin.faults.inject({ kind: 'hang', times: 2 });
  const once = { repeat: false, allowMs: () => 2_000 } as const;
  const start = Date.now();
  await failure(client.contacts.update({ uuid: missing, about: 'x' }, once));
  expect(Date.now() - start).toBe(2_000);
  await failure(client.lists.list({}, once));
  expect(Date.now() - start).toBe(32_000);
});

test('an abort removes a waiting call from the queue, and leaves a sent write unknown', async () => {
  const service = createService();
  const { client, standin, calls } = service;
  const stopped = new AbortController();
  const reason = new Error('enough');
  stopped.abort(reason);
  await expect(client.lists.list({}, { signal: stopped.signal })).rejects.toBe(reason);
  expect(calls()).toHaveLength(0);

  const stopping = new AbortController();
  standin.faults.inject({ kind: 'hang', operation: 'lists.create', when: 'after' });
  const creating = failure(client.lists.create({ name: 'L' }, { signal: stopping.signal }));
  setTimeout(() => stopping.abort(reason), 1_000);
  expect(await creating).toBeInstanceOf(OutcomeUnknownError);

  const reading = new AbortController();
  standin.faults.inject({ kind: 'hang', operation: 'lists.list' });
  const listing = client.lists.list({}, { signal: reading.signal });
  setTimeout(() => reading.abort(reason), 1_000);
  await expect(listing).rejects.toBe(reason);
});

test('W8: a call that a stop came before, or that was refused by 429, was not carried out', async () => {
  const { client, standin, calls } = createService();
  const update = { uuid: missing, about: 'x' };
  const refused = { stop: AbortSignal.abort(new Error('enough')) };
  expect(await failure(client.contacts.update(update, refused))).toMatchObject({ call: { attempts: 0 } });
  expect(await failure(client.contacts.update(update, refused))).toBeInstanceOf(StoppedError);
  expect(calls()).toHaveLength(0);

  standin.faults.inject({ kind: 'rate_limited', waitMs: 20_000 });
  const stopping = new AbortController();
  setTimeout(() => stopping.abort(new Error('enough')), 1_000);
  // A 429 says that it was not carried out.
  expect(await failure(client.contacts.update(update, { stop: stopping.signal }))).toBeInstanceOf(StoppedError);
});

test('W8: a look without an answer before the end counts as not begun', async () => {
  const { client, standin } = createService();
  standin.faults.inject({ kind: 'hang', operation: 'contacts.lookup-one' });
  const [stop, deadline] = [new AbortController(), new AbortController()];
  const call = { stop: stop.signal, signal: deadline.signal };
  const looking = failure(client.contacts.lookupOne({ email: 'ann@firm.io' }, call));
  setTimeout(() => stop.abort(new Error('enough')), 500);
  setTimeout(() => deadline.abort(new Error('no answer came before the end')), 1_000);
  expect(await looking).toBeInstanceOf(StoppedError);
});

test('W8: a stop while a call waits to be repeated ends the wait with the outcome of the first attempt', async () => {
  const { client, standin } = createService();
  standin.faults.inject({ kind: 'status', status: 503 });
  const stopping = new AbortController();
  setTimeout(() => stopping.abort(new Error('enough')), 100);
  const start = Date.now();
  const updating = client.contacts.update({ uuid: missing, about: 'x' }, { stop: stopping.signal });
  expect(await failure(updating)).toMatchObject({ call: { status: 503, attempts: 1 } });
  expect(Date.now() - start).toBe(100);
});

test('an abort between two tries of a write reports the outcome of the first', async () => {
  const { client, standin } = createService();
  const stopping = new AbortController();
  standin.faults.inject({ kind: 'lost', operation: 'contacts.update' });
  const updating = failure(client.contacts.update({ uuid: missing, about: 'x' }, { signal: stopping.signal }));
  setTimeout(() => stopping.abort(new Error('enough')), 100);
  const start = Date.now();
  expect(await updating).toBeInstanceOf(OutcomeUnknownError);
  expect(Date.now() - start).toBe(100);
});

test('the error for an HTML page says that the address may be wrong', async () => {
  const client = scripted(() => new Response('<!doctype html><title>Welcome</title>', { status: 200 }));
  const error = await failure(client.lists.list({}));
  expect(error).toBeInstanceOf(UnexpectedAnswerError);
  expect(error.message).toContain('an HTML page titled "Welcome"');
});

test('a redirect is not followed: it would send the token to another host', async () => {
  const client = scripted(() => new Response(null, { status: 302, headers: { location: 'https://elsewhere.test/' } }));
  const error = await failure(client.lists.list({}));
  expect(error).toBeInstanceOf(UnexpectedAnswerError);
  expect(error.message).toContain('https://elsewhere.test/');
});

test.each(['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT'])('%s was surely not sent', async (code) => {
  const client = scripted(() => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  });
  expect(await failure(client.lists.create({ name: 'L' }))).toBeInstanceOf(UnreachableError);
});

test('W6: a read that was surely not sent is repeated', async () => {
  let attempts = 0;
  const client = scripted(() => {
    attempts += 1;
    if (attempts > 1) return Response.json({ uuid: missing, name: 'L' });
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
  });
  expect(await client.lists.get({ uuid: missing })).toMatchObject({ name: 'L' });
});

test('a body that the contract refuses is refused before sending, naming the field', async () => {
  const { client, calls } = createService();
  const refused = [
    client.contacts.lookupOne({}),
    client.contacts.lookupOne({ name: 'Ada' }),
    client.contacts.upsert({ lead: { email: 5 as never } }),
    client.contacts.search({ filter: { nonsense: 'x' } as never }),
    client.contacts.update({ uuid: '../lists', about: 'x' }),
    client.contacts.update({ uuid: missing, tags: ['x'] } as never),
    client.contacts.upsert({ lead: {}, custom_fields: { 'no spaces': 'x' } }),
    client.automations.cancel({ leadUuid: missing, flow_uuids: [] }),
    client.networkMessages.send({ sender_profile_uuid: 's', lead_uuid: 'l' }),
    client.networkMessages.send({ sender_profile_uuid: 's', lead_uuid: 'l', text: 'x'.repeat(8_001) }),
  ];
  const messages = (await Promise.all(refused.map(failure))).map(({ message }) => message);
  expect(messages).toEqual([
    expect.stringContaining('needs network_id, or email, or both name and company_name'),
    expect.stringContaining('needs network_id, or email, or both name and company_name'),
    expect.stringContaining('lead.email:'),
    expect.stringContaining('filter.nonsense: is not a field of this operation'),
    expect.stringContaining('uuid: must be an identifier'),
    expect.stringContaining('tags: is not a field of this operation'),
    expect.stringContaining('custom_fields.no spaces: must be letters, digits and _'),
    expect.stringContaining('flow_uuids:'),
    expect.stringContaining('needs text or template_uuid'),
    expect.stringContaining('text:'),
  ]);
  expect(calls()).toHaveLength(0);
});

/** A client with one fixed answer of its service, for answers that no well-behaved stand-in gives. */
function scripted(transport: Transport) {
  useJumpingClock();
  return createServiceClient({
    baseUrl: 'https://service.test/',
    token: new Secret(token),
    budget: createBudget({
      requestsPerMinute: 6_000,
      concurrency: 2,
      elapsed: () => performance.now(),
      random: () => 0.5,
    }),
    transport,
    now: Date.now,
    random: () => 0.5,
    timeoutMs: 1_000,
    userAgent: 'leadsheet/test',
  });
}
