// Bounds on answers: reading and unpacking stop at a bound, and the connection is closed.
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { exchange, type Transport } from '../../../src/crm/outreach/call/exchange.ts';
import { overHttp } from '../../../src/crm/outreach/call/over-http.ts';
import { AnswerTooLargeError, OutcomeUnknownError, ValidationError } from '../../../src/crm/errors.ts';
import { serve } from '../../../src/standin/serve.ts';
import { createService } from '../../support/service.ts';

const transports = { 'node:http': overHttp, fetch } satisfies Record<string, Transport>;
const megabyte = Buffer.alloc(1_000_000, ' ');

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Writes as long as the client reads; returns the megabytes that were read once the connection is closed. */
async function writeForEver(response: ServerResponse): Promise<number> {
  let megabytes = 0;
  const closed = once(response, 'close');
  while (!response.destroyed) {
    megabytes += 1;
    if (!response.write(megabyte)) await Promise.race([once(response, 'drain'), closed]);
  }
  return megabytes;
}

/** Ten times the bound: 20 MB that are a few hundred bytes to 20 kB when packed. */
const bomb = Buffer.alloc(20_000_000, 'a');
const packings = [
  ['gzip', gzipSync(bomb)],
  ['deflate', deflateSync(bomb)],
  ['br', brotliCompressSync(bomb, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
] as const;

describe.each(Object.entries(transports))('through %s', (_, transport: Transport) => {
  const bytesMax = 2_000_000;
  const call = (url: string) =>
    exchange(url, { method: 'GET', headers: {} }, { transport, timeoutMs: 60_000, bytesMax });

  test('L7, W4: an endless answer is abandoned at the bound, and its connection is closed', async () => {
    const taken = Promise.withResolvers<number>();
    const url = await serving((_request, response) => void writeForEver(response).then(taken.resolve));
    expect(await call(url)).toMatchObject({ outcome: 'too-large', why: 'the answer is larger than 2 MB' });
    // In addition to the bound, the buffers of both ends.
    expect(await taken.promise).toBeLessThan(40);
  });

  test.each(packings)('L7, W4: an answer packed as %s is unpacked up to the bound', async (encoding, packed) => {
    const url = await serving((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(packed);
    });
    expect(await call(url)).toMatchObject({ outcome: 'too-large' });
  });

  test.each(packings)('a refusal packed as %s is read up to its first 64 kB', async (encoding, packed) => {
    const url = await serving((_request, response) => {
      response.writeHead(422, { 'content-encoding': encoding }).end(packed);
    });
    expect(await call(url)).toMatchObject({ outcome: 'answered', status: 422, text: 'a'.repeat(64_000) });
  });

  test.each([301, 404, 422, 429, 503])('of an endless %i the first 64 kB are read', async (status) => {
    const taken = Promise.withResolvers<number>();
    const url = await serving((_request, response) => {
      response.writeHead(status, { 'retry-after': '7' });
      void writeForEver(response).then(taken.resolve);
    });
    const answer = await call(url);
    expect(answer).toMatchObject({ outcome: 'answered', status, text: ' '.repeat(64_000) });
    expect(answer.outcome === 'answered' && answer.headers.get('retry-after')).toBe('7');
    expect(await taken.promise).toBeLessThan(40);
  });

  test('an answer of exactly the bound passes, and one byte more does not', async () => {
    let bytes = bytesMax;
    const url = await serving((_request, response) => void response.end(Buffer.alloc(bytes, 'x')));
    expect(await call(url)).toMatchObject({ outcome: 'answered', text: 'x'.repeat(bytesMax) });
    bytes += 1;
    expect(await call(url)).toMatchObject({ outcome: 'too-large' });
  });
});

describe('the outcome of a call', () => {
  const huge = (bytes: number) => {
    let calls = 0;
    const transport: Transport = () => {
      calls += 1;
      return new Response('x'.repeat(bytes));
    };
    const { client } = createService({}, { transport });
    return { client, calls: () => calls };
  };
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );

  test('L7: a page beyond 32 MB is an error of its own, is not repeated, and its message says where to look', async () => {
    const { client, calls } = huge(32_000_001);
    const error = await failure(client.contacts.search({}));
    expect(error).toBeInstanceOf(AnswerTooLargeError);
    expect(error).toMatchObject({
      code: 'answer_too_large',
      retryable: false,
      message: expect.stringMatching(/^contacts\.search: the answer is larger than 32 MB.*crm\.base_url/),
    });
    expect(calls()).toBe(1);
  });

  test('L7: a record may have 4 MB', async () => {
    const { client } = huge(4_000_001);
    const uuid = '00000000-0000-4000-8000-000000000000';
    expect(await failure(client.contacts.get({ uuid }))).toMatchObject({ code: 'answer_too_large' });
    expect(await failure(client.contacts.lookupOne({ email: 'a@firm.test' }))).toMatchObject({
      code: 'answer_too_large',
    });
  });

  test('W4, L8: a write whose answer is too large is of unknown outcome, and is not repeated', async () => {
    const { client, calls } = huge(4_000_001);
    const error = await failure(client.contacts.upsert({ lead: { email: 'a@firm.test' } }));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(calls()).toBe(1);
  });

  test('W5: only the first words of an endless refusal are quoted', async () => {
    const transport: Transport = () => new Response('Bad value. '.repeat(1_000_000), { status: 422 });
    const { client } = createService({}, { transport });
    const error = await failure(client.contacts.upsert({ lead: { email: 'a@firm.test' } }));
    expect(error).toBeInstanceOf(ValidationError);
    expect((error as Error).message.length).toBeLessThan(500);
  });
});

test('L7, W4: the bound also holds in a process with a server, whose adapter replaces Response', async () => {
  const before = Response;
  const server = await serve({ fetch: () => new Response() }, 0);
  onTestFinished(() => server.close());
  expect(Response).not.toBe(before);
  const url = await serving((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bomb));
  });
  const options = { transport: fetch, timeoutMs: 60_000, bytesMax: 2_000_000 };
  expect(await exchange(url, { method: 'GET', headers: {} }, options)).toMatchObject({ outcome: 'too-large' });
});

test('a valid page of the largest size is read: 100 contacts with a text of 50,000 characters each', async () => {
  const about = '\\ud83d\\ude00'.repeat(25_000);
  const contact = (index: number) =>
    `{"uuid":"00000000-0000-4000-8000-${`${index}`.padStart(12, '0')}","about":"${about}"}`;
  const page = `{"data":[${Array.from({ length: 100 }, (_, index) => contact(index)).join(',')}],"total":100}`;
  const { client } = createService({}, { transport: () => new Response(page) });
  const { data } = await client.contacts.search({});
  expect(data).toHaveLength(100);
  expect(data[99]?.about).toHaveLength(50_000);
});
