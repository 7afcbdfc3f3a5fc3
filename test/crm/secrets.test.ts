import { afterEach, expect, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { createBudget } from '../../src/crm/outreach/call/budget.ts';
import { createServiceClient } from '../../src/crm/outreach/client.ts';
import type { ServiceError } from '../../src/crm/errors.ts';
import type { ObservedExchange } from '../../src/crm/outreach/service-client.ts';
import { createMask } from '../../src/log/mask.ts';

/* An answer may repeat its request. The secrets of the request reach no error, no capture and no line of the log. */

const open: Disposable[] = [];
afterEach(() => open.splice(0).forEach((each) => each[Symbol.dispose]()));

const uuid = '00000000-0000-4000-8000-000000000000';

async function failureOf(token: string, answer: () => Response, extraHeaders?: Readonly<Record<string, Secret>>) {
  const budget = createBudget({ requestsPerMinute: 6_000, concurrency: 1, elapsed: () => 0, random: () => 0 });
  open.push(budget);
  const seen: ObservedExchange[] = [];
  const client = createServiceClient({
    baseUrl: 'http://service.test',
    token: new Secret(token),
    budget,
    transport: answer,
    now: () => 0,
    random: () => 0,
    timeoutMs: 1_000,
    userAgent: 'leadsheet/test',
    retriesMax: 0,
    observe: (exchange) => seen.push(exchange),
    ...(extraHeaders && { extraHeaders }),
  });
  const error = await client.lists.get({ uuid }).then(
    () => expect.unreachable('the call was to fail'),
    (failed: unknown) => failed as ServiceError,
  );
  const exchange = seen.at(-1)?.exchange;
  const headers = exchange?.outcome === 'answered' ? [...exchange.headers] : [];
  return { error, text: JSON.stringify([error, error.message, seen, headers]) };
}

test('T8: the token in the Location of a redirect is masked, and so is one in any other header', async () => {
  const token = 'the-token-of-the-tests';
  const headers = { location: `https://login.test/?next=Bearer%20${token}`, 'x-request-id': `req-${token}` };
  const { error, text } = await failureOf(token, () => new Response(null, { status: 302, headers }));
  expect(error.message).toContain('redirected to https://login.test/?next=Bearer%20[secret]');
  expect(error.call.requestId).toBe('req-[secret]');
  expect(text).not.toContain(token);
});

test('T8: a token in the Location with percent signs is masked', async () => {
  const token = 'to"ken/of+the=tests';
  const location = `https://login.test/?next=${encodeURIComponent(token)}`;
  const { error } = await failureOf(token, () => new Response(null, { status: 302, headers: { location } }));
  expect(error.message).toContain('https://login.test/?next=[secret]');
});

const awkward = 'pa"ss\\wo/rd<&>\'+=x';

test.each([
  ['as it is', awkward],
  ['in JSON', JSON.stringify(awkward)],
  ['in JSON in JSON', JSON.stringify(JSON.stringify({ said: awkward }))],
  ['in JSON as PHP writes it', JSON.stringify(awkward).replaceAll('/', '\\/')],
  ['in JSON with numbers for signs', '"pa\\u0022ss\\\\wo\\/rd\\u003C\\u0026\\u003E\\u0027+=x"'],
  ['in an address', encodeURIComponent(awkward)],
  ['in an address in small letters', encodeURIComponent(awkward).replaceAll(/%../g, (sign) => sign.toLowerCase())],
  ['in a form', new URLSearchParams({ a: awkward }).toString()],
  ['in an address in an address', encodeURIComponent(encodeURIComponent(awkward))],
  ['in HTML', 'pa&quot;ss\\wo/rd&lt;&amp;&gt;&#039;+=x'],
  ['in HTML in JSON', JSON.stringify('pa&quot;ss\\wo/rd&lt;&amp;&gt;&#39;+=x')],
])('T8: a secret with special signs is masked %s', (_, shown) => {
  const masked = createMask([new Secret(awkward)])(`before ${shown} after`);
  expect(masked).toMatch(/^before .*\[secret\].* after$/);
  for (const part of ['ss', 'wo', 'rd', 'quot']) expect(masked).not.toContain(part);
});

test('T8: a token with a quotation mark is masked in a refusal that repeats it as JSON', async () => {
  const token = 'to"ken\\of-the-tests';
  const body = JSON.stringify({ message: 'no', echo: `Bearer ${token}` });
  const { text } = await failureOf(token, () => new Response(body, { status: 404 }));
  expect(text).toContain('[secret]');
  expect(text).not.toContain('of-the-tests');
});

const headers = { 'Team-ID': new Secret('7261534'), 'x-short': new Secret('5') };

test('T8: the values of extra headers are sent, and masked in a refusal with any status, numbers included', async () => {
  const answer = (status: number) => () =>
    Response.json({ message: `team 7261534 may not`, team: 7_261_534, error: { reason: 'access_denied' } }, { status });
  for (const status of [200, 403]) {
    const { error } = await failureOf('the-token', answer(status), headers);
    expect(error.code).toBe('permission');
    expect(error.message).toContain('team [secret] may not');
    expect(JSON.stringify(error) + error.message).not.toContain('7261534');
  }
  // The captures of a success are whole: the number of a team may be a number in a contact.
  const { text } = await failureOf('the-token', answer(403), headers);
  expect(text).not.toContain('7261534');
});

test.each([
  ['of six characters is masked', 'merlin', 'Team [secret]'],
  ['of five is not: it may be part of a name', 'erlin', 'Team merlin'],
])('T8: in the data of a success a key %s', async (_what, token, name) => {
  const budget = createBudget({ requestsPerMinute: 6_000, concurrency: 1, elapsed: () => 0, random: () => 0 });
  open.push(budget);
  const client = createServiceClient({
    baseUrl: 'http://service.test',
    token: new Secret(token),
    budget,
    transport: () => Response.json({ uuid, name: 'Team merlin' }),
    now: () => 0,
    random: () => 0,
    timeoutMs: 1_000,
    userAgent: 'leadsheet/test',
  });
  expect(await client.lists.get({ uuid })).toMatchObject({ name });
});

test('T8: the data of a success keeps values that only look like that of an extra header', async () => {
  const budget = createBudget({ requestsPerMinute: 6_000, concurrency: 1, elapsed: () => 0, random: () => 0 });
  open.push(budget);
  const sent: Readonly<Record<string, string>>[] = [];
  const client = createServiceClient({
    baseUrl: 'http://service.test',
    token: new Secret('the-token'),
    budget,
    transport: (_url, { headers: given }) => {
      sent.push(given);
      return Response.json({ uuid, name: 'Team 7261534' });
    },
    now: () => 0,
    random: () => 0,
    timeoutMs: 1_000,
    userAgent: 'leadsheet/test',
    extraHeaders: headers,
  });
  expect(await client.lists.get({ uuid })).toMatchObject({ name: 'Team 7261534' });
  expect(sent).toMatchObject([{ 'team-id': '7261534', 'x-short': '5', authorization: 'Bearer the-token' }]);
});
