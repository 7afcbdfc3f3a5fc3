// What an answer of the service means: which error each status and each reason is (W4, W6, T5, T6).
import { expect, test } from 'vitest';
import {
  AuthenticationError,
  GatewayError,
  isRefusal,
  NotFoundError,
  OutcomeUnknownError,
  PermissionError,
  PlanLimitError,
  UnexpectedAnswerError,
  UnreachableError,
  ValidationError,
} from '../../../src/crm/errors.ts';
import type { ServiceError } from '../../../src/crm/errors.ts';
import type { Transport } from '../../../src/crm/outreach/call/exchange.ts';
import type { ServiceClient } from '../../../src/crm/outreach/service-client.ts';
import { NotConnectedError } from '../../../src/lib/not-connected.ts';
import { createService } from '../../support/service.ts';

const uuid = '00000000-0000-4000-8000-000000000001';

const read = (client: ServiceClient) => client.lists.get({ uuid });
const list = (client: ServiceClient) => client.lists.list({});
const harmless = (client: ServiceClient) => client.contacts.update({ uuid, about: 'x' });
const harmful = (client: ServiceClient) => client.lists.create({ name: 'A' });

async function failed(transport: Transport, call: (client: ServiceClient) => Promise<unknown>) {
  let calls = 0;
  const { client } = createService(
    {},
    {
      transport: (url, init) => {
        calls += 1;
        return transport(url, init);
      },
    },
  );
  const error = await call(client).then(
    (answer) => expect.unreachable(`expected a failure, got ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown as ServiceError,
  );
  return { error, calls };
}

test.each([
  [400, ValidationError],
  [401, AuthenticationError],
  [402, PlanLimitError],
  [403, PermissionError],
  [404, NotFoundError],
  [405, ValidationError],
  [409, ValidationError],
  [418, ValidationError],
  [422, ValidationError],
  [499, ValidationError],
] as const)('W6: a %i is a refusal, of a read and of a write, and is not sent again', async (status, kind) => {
  for (const call of [read, harmless, harmful]) {
    const { error, calls } = await failed(() => Response.json({ message: 'no' }, { status }), call);
    expect(error).toBeInstanceOf(kind);
    expect([calls, error.retryable]).toEqual([1, false]);
    expect(isRefusal(error)).toBe(kind !== AuthenticationError);
  }
});

test.each([408, 500, 501, 503, 599])(
  'W4: a %i is no refusal: a read failed, and the outcome of a write is unknown',
  async (status) => {
    const transport = () => Response.json({ message: 'no' }, { status });
    const reading = await failed(transport, read);
    expect(reading.error).toBeInstanceOf(GatewayError);
    expect(reading.calls).toBe(status === 500 ? 3 : 5);
    expect(isRefusal(reading.error)).toBe(false);
    const repeated = await failed(transport, harmless);
    expect(repeated.error).toMatchObject({ code: 'outcome_unknown', harmlessToRepeat: true });
    expect(repeated.calls).toBe(status === 500 ? 3 : 5);
    const once = await failed(transport, harmful);
    expect(once.error).toMatchObject({ code: 'outcome_unknown', harmlessToRepeat: false });
    expect(once.calls).toBe(1);
    expect(isRefusal(once.error)).toBe(false);
  },
);

test.each([
  ['auth_exception', AuthenticationError],
  ['payment_required', PlanLimitError],
  ['access_denied', PermissionError],
  ['not_found', NotFoundError],
  ['validation_error', ValidationError],
  ['bad_request', ValidationError],
] as const)('T6: an envelope in a 200 with the reason %s is that refusal', async (reason, kind) => {
  const { error, calls } = await failed(() => Response.json({ error: { reason } }), read);
  expect(error).toBeInstanceOf(kind);
  expect(calls).toBe(1);
});

test('T6: an envelope in a 200 with another reason, or with none, is a failure that is tried again', async () => {
  for (const said of [{ reason: 'server_error' }, { message: 'Something broke' }]) {
    const { error, calls } = await failed(() => Response.json({ error: said }), read);
    expect(error).toBeInstanceOf(GatewayError);
    expect(calls).toBe(5);
  }
});

test('T6: a reason counts inside a 200 alone: elsewhere the status does', async () => {
  const { error } = await failed(() => Response.json({ error: { reason: 'not_found' } }, { status: 422 }), read);
  expect(error).toBeInstanceOf(ValidationError);
});

test.each([403, 422])(
  'T5: a %i with words about a limit is the limit of the plan only where sender profiles are made',
  async (status) => {
    const transport = () => Response.json({ message: 'The limit is reached' }, { status });
    const kindOf = async (call: (client: ServiceClient) => Promise<unknown>) =>
      (await failed(transport, call)).error.code;
    const ada = { first_name: 'Ada', last_name: 'Byron' };
    const other = status === 403 ? 'permission' : 'validation';
    expect(await kindOf((client) => client.senderProfiles.create(ada))).toBe('plan_limit');
    expect(await kindOf((client) => client.senderProfiles.list({}))).toBe(other);
    expect(await kindOf(harmful)).toBe(other);
    const unlimited = () => Response.json({ message: 'No such mailbox' }, { status });
    expect((await failed(unlimited, (client) => client.senderProfiles.create(ada))).error.code).toBe(other);
  },
);

test.each([300, 302, 399])('a %i is an answer from elsewhere, and is not sent again', async (status) => {
  for (const call of [read, harmful]) {
    const { error, calls } = await failed(() => new Response(null, { status }), call);
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect([calls, isRefusal(error)]).toEqual([1, false]);
  }
});

test.each([
  ['an HTML page', '<!doctype html><title>Welcome</title>', 1, 1],
  ['JSON that is cut', '{"uuid":"0000', 5, 5],
  ['JSON of another kind', '[1]', 1, 1],
])(
  'W4: a success that is %s is no answer: of a read it is an error, of a write an unknown outcome',
  async (...each) => {
    const [, body, readings] = each;
    const transport = () => new Response(body);
    expect((await failed(transport, read)).calls).toBe(readings);
    for (const call of [harmless, harmful]) {
      const { error, calls } = await failed(transport, call);
      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(calls).toBe(1);
    }
  },
);

test('W4: a blank success of a write leaves its outcome unknown, and it is not sent again', async () => {
  for (const body of ['', ' \n']) {
    for (const call of [harmless, harmful]) {
      const { error, calls } = await failed(() => new Response(body), call);
      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(calls).toBe(1);
    }
  }
});

test('a page that is a list of anything else is no page', async () => {
  for (const body of [{ data: 'x' }, { rows: [] }, [{ uuid }]]) {
    expect((await failed(() => Response.json(body), list)).error).toBeInstanceOf(UnexpectedAnswerError);
  }
});

test('W4: a write without a connection was not sent, and is sent again only where a repeat is harmless', async () => {
  const transport = () => {
    throw new NotConnectedError('no connection', { cause: new Error('the tunnel is closed') });
  };
  const once = await failed(transport, harmful);
  expect(once.error).toBeInstanceOf(UnreachableError);
  expect(once.error.message).toContain('no connection came about: the tunnel is closed');
  expect([once.calls, once.error.retryable, isRefusal(once.error)]).toEqual([1, true, false]);
  expect((await failed(transport, harmless)).calls).toBe(5);
});

test.each(['EPROTO', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'])(
  'W4: a failure of TLS before the request (%s) was not sent, and after it the outcome is unknown',
  async (code) => {
    const cause = Object.assign(new Error('write'), { code });
    const before = await failed(() => Promise.reject(new NotConnectedError('no', { cause })), harmful);
    expect(before.error).toBeInstanceOf(UnreachableError);
    expect(before.error.message).toContain('TLS is not spoken there');
    const after = await failed(() => Promise.reject(new Error('no', { cause })), harmful);
    expect(after.error).toBeInstanceOf(OutcomeUnknownError);
    expect(after.error.message).toContain(code);
  },
);

test('W4: a connection that breaks for another reason leaves the outcome of a write unknown, with its words', async () => {
  const { error } = await failed(() => Promise.reject(new Error('socket hang up')), harmful);
  expect(error).toBeInstanceOf(OutcomeUnknownError);
  expect(error.message).toContain('the connection broke: socket hang up');
  const thrown = await failed(() => Promise.reject('a text'), harmful);
  expect(thrown.error.message).toContain('the connection broke: a text');
});
