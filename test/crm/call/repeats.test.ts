// When a call is sent again, how long it waits before, and what it has told by then (W4, W6, W8).
import { expect, test, vi } from 'vitest';
import { createOutreachCrm } from '../../../src/crm/outreach/crm.ts';
import {
  GatewayError,
  NotFoundError,
  OutcomeUnknownError,
  RateLimitError,
  ValidationError,
} from '../../../src/crm/errors.ts';
import type { ServiceError } from '../../../src/crm/errors.ts';
import type { ServiceClientOptions } from '../../../src/crm/outreach/service-client.ts';
import { createService } from '../../support/service.ts';

const missing = '00000000-0000-4000-8000-000000000000';

async function failure(promise: Promise<unknown>): Promise<ServiceError> {
  return promise.then(
    (answer) => expect.unreachable(`expected a failure, got ${JSON.stringify(answer)}`),
    (error: unknown) => error as ServiceError,
  );
}

/** Milliseconds between the attempts at a read that fails each time. */
async function pausesOf(options: Partial<ServiceClientOptions>): Promise<readonly number[]> {
  const { client, standin, calls } = createService({}, options);
  standin.faults.inject({ kind: 'status', status: 503, times: 1_000 });
  await failure(client.lists.list({}));
  const times = calls().map(({ time }) => time);
  return times.slice(1).map((time, index) => time - times[index]!);
}

/** The clock of the tests moves by whole milliseconds, and starts of calls are 1 ms apart. */
const about = (pauses: readonly number[]) => pauses.map((pause) => Math.round(pause / 25) * 25);

test.each([
  ['all', () => 1, [500, 1_000, 2_000, 4_000]],
  ['half', () => 0, [250, 500, 1_000, 2_000]],
])('W6: the pauses before the repeats are doubled, of which chance leaves %s', async (_, random, pauses) => {
  expect(about(await pausesOf({ random }))).toEqual(pauses);
});

test('W6: no pause before a repeat is longer than half a minute', async () => {
  const pauses = about(await pausesOf({ random: () => 1, retriesMax: 9 }));
  expect(pauses.slice(4)).toEqual([8_000, 16_000, 30_000, 30_000, 30_000]);
});

test('W6: a call waits for ten refusals by 429 in a row, and ends with the eleventh', async () => {
  const { client, standin, calls } = createService();
  standin.faults.inject({ kind: 'rate_limited', waitMs: 1_000, times: 10 });
  expect(await client.lists.list({})).toMatchObject({ total: 0 });
  expect(calls()).toHaveLength(11);

  standin.faults.inject({ kind: 'rate_limited', waitMs: 1_000, times: 11 });
  expect(await failure(client.lists.list({}))).toBeInstanceOf(RateLimitError);
  expect(calls()).toHaveLength(22);
});

test('W6: refusals by 429 do not use up the repeats after failures', async () => {
  const { client, standin, calls } = createService();
  standin.faults.inject({ kind: 'rate_limited', waitMs: 1_000, times: 3 });
  standin.faults.inject({ kind: 'status', status: 503, times: 4 });
  expect(await client.lists.list({})).toMatchObject({ total: 0 });
  expect(calls()).toHaveLength(8);
});

test('W8: a read that is aborted while it waits for its repeat throws the reason of the abort', async () => {
  const { client, standin, calls } = createService();
  standin.faults.inject({ kind: 'status', status: 503 });
  const stopping = new AbortController();
  const reason = new Error('enough');
  setTimeout(() => stopping.abort(reason), 100);
  await expect(client.lists.list({}, { signal: stopping.signal })).rejects.toBe(reason);
  expect(calls()).toHaveLength(1);
});

test('W8: a read that is stopped while it waits for its repeat ends with the error of its last attempt', async () => {
  const { client, standin, calls } = createService();
  standin.faults.inject({ kind: 'status', status: 503 });
  const [stop, signal] = [new AbortController(), new AbortController()];
  setTimeout(() => {
    stop.abort(new Error('enough'));
    signal.abort(new Error('at once'));
  }, 100);
  const reading = client.lists.list({}, { stop: stop.signal, signal: signal.signal });
  expect(await failure(reading)).toMatchObject({ code: 'gateway', call: { status: 503, attempts: 1 } });
  expect(calls()).toHaveLength(1);
});

test('W8: a read whose answer came when it was aborted throws the reason, and a write has its answer', async () => {
  const signals = { read: new AbortController(), write: new AbortController() };
  const reason = new Error('enough');
  const { client } = createService(
    {},
    {
      transport: (_url, { method }) => {
        (method === 'GET' ? signals.read : signals.write).abort(reason);
        return { status: 200, headers: new Headers(), text: async () => JSON.stringify({ uuid: missing, name: 'L' }) };
      },
    },
  );
  await expect(client.lists.get({ uuid: missing }, { signal: signals.read.signal })).rejects.toBe(reason);
  const created = await client.lists.create({ name: 'L' }, { signal: signals.write.signal });
  expect(created).toMatchObject({ name: 'L' });
});

test('W8: a write that waits for its repeat behind a pause and is stopped has the outcome of its first attempt', async () => {
  const { client, standin, calls } = createService();
  standin.faults.inject({ kind: 'lost', operation: 'contacts.update' });
  standin.faults.inject({ kind: 'rate_limited', waitMs: 60_000, operation: 'lists.list' });
  const stopping = new AbortController();
  const updating = failure(client.contacts.update({ uuid: missing, about: 'x' }, { stop: stopping.signal }));
  const listing = client.lists.list({});
  setTimeout(() => stopping.abort(new Error('enough')), 30_000);
  const error = await updating;
  expect(error).toBeInstanceOf(OutcomeUnknownError);
  expect(error.call.attempts).toBe(1);
  await listing;
  expect(calls('contacts.update')).toHaveLength(1);
});

test('after a call no timer is left', async () => {
  const { client } = createService();
  await client.lists.list({});
  expect(vi.getTimerCount()).toBe(0);
});

test('W5: an error keeps the number of its request, under either name', async () => {
  const refused = (headers: Record<string, string>) =>
    failure(
      createService(
        {},
        { transport: () => Response.json({ message: 'no' }, { status: 404, headers }) },
      ).client.lists.get({ uuid: missing }),
    );
  expect((await refused({ 'x-correlation-id': 'c-1' })).call.requestId).toBe('c-1');
  expect((await refused({ 'x-correlation-id': 'c-1', 'x-request-id': 'r-1' })).call.requestId).toBe('r-1');
  expect((await refused({})).call).not.toHaveProperty('requestId');
});

test('W5: an error keeps the first 2 KB of a refusal, and no body of a success', async () => {
  const answer = (body: string, status: number) =>
    failure(createService({}, { transport: () => new Response(body, { status }) }).client.lists.get({ uuid: missing }));
  expect((await answer('x'.repeat(5_000), 422)).call.body).toBe('x'.repeat(2_048));
  expect((await answer(JSON.stringify({ error: { reason: 'not_found' } }), 200)).call).not.toHaveProperty('body');
});

test('the observer of a client sees every attempt with its method, address and answer', async () => {
  const seen: unknown[] = [];
  const { client, standin } = createService({}, { observe: (exchange) => seen.push(exchange) });
  standin.faults.inject({ kind: 'status', status: 503 });
  await failure(client.lists.get({ uuid: missing }));
  const url = `http://service.test/leads/api/lists/${missing}`;
  expect(seen).toMatchObject([
    { operation: 'lists.get', subject: missing, method: 'GET', url, status: 503, attempts: 1 },
    { operation: 'lists.get', subject: missing, method: 'GET', url, status: 404, attempts: 2 },
  ]);
});

test('a client knows the clock of the service by its last answer that names a date', async () => {
  let date: string | undefined;
  const { client } = createService(
    {},
    { transport: () => Response.json({ data: [], total: 0 }, date === undefined ? {} : { headers: { date } }) },
  );
  const usage = () => ({ calls: 0, lastMinute: 0, perMinute: 60_000 });
  const crm = createOutreachCrm({ client, account: 'x', usage, now: () => Date.now() });
  expect(crm.now()).toBe(Date.now());
  await client.lists.list({});
  expect(crm.now()).toBe(Date.now());
  date = new Date(Date.now() + 3_600_000).toUTCString();
  const sentAt = Date.now();
  await client.lists.list({});
  expect(Math.abs(crm.now() - Date.now() - 3_600_000)).toBeLessThanOrEqual(1_000 + Date.now() - sentAt);
  date = undefined;
  await client.lists.list({});
  expect(crm.now() - Date.now()).toBeGreaterThan(3_500_000);
});

test('W6: failures of a read may be tried again later, and say so', async () => {
  const { client, standin } = createService();
  standin.faults.inject({ kind: 'status', status: 503, times: 5 });
  const gateway = await failure(client.lists.list({}));
  expect([gateway instanceof GatewayError, gateway.retryable]).toEqual([true, true]);
  expect((await failure(client.lists.get({ uuid: missing }))).retryable).toBe(false);
});

test.each([
  ['which is gone by then', { status: 404 }, NotFoundError],
  ['which is refused then', { status: 422 }, ValidationError],
])(
  'W4, L12: a write without an answer, %s, says that it may have been carried out',
  async (_what, { status }, type) => {
    const { client, standin } = createService();
    const update = { uuid: missing, about: 'x' };
    standin.faults.inject({ kind: 'lost', when: 'after', operation: 'contacts.update' });
    standin.faults.inject({ kind: 'status', status, operation: 'contacts.update' });
    const error = await failure(client.contacts.update(update));
    expect(error).toBeInstanceOf(type);
    expect(error.call).toMatchObject({ attempts: 2, mayHaveArrived: true });
    expect(error.message).toContain(
      'after 2 attempts, of which an earlier one had no answer and may have been carried out',
    );
    standin.faults.inject({ kind: 'status', status, operation: 'contacts.update' });
    expect((await failure(client.contacts.update(update))).call.mayHaveArrived).toBeUndefined();
  },
);

test('W8, W4: a write without an answer that waits for a 429 when the end comes is not one that was not begun', async () => {
  const { client, standin } = createService();
  standin.faults.inject({ kind: 'lost', when: 'after', operation: 'contacts.update' });
  standin.faults.inject({ kind: 'rate_limited', waitMs: 20_000 });
  const stopping = new AbortController();
  setTimeout(() => stopping.abort(new Error('enough')), 5_000);
  const error = await failure(client.contacts.update({ uuid: missing, about: 'x' }, { stop: stopping.signal }));
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error.call.mayHaveArrived).toBe(true);
});
