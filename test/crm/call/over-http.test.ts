// A call through `node:http` has the same answers and failures as through `fetch`: the outcome of a call decides the
// next step (W4).
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createSocketServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { exchange, type Transport } from '../../../src/crm/outreach/call/exchange.ts';
import { overHttp } from '../../../src/crm/outreach/call/over-http.ts';
import { certificate, privateKey } from '../../support/certificate.ts';
import { listening, serving, servingNothing } from '../../support/http-server.ts';

const transports = { 'node:http': overHttp, fetch } satisfies Record<string, Transport>;
const get = { method: 'GET', headers: {} };

const body = JSON.stringify({ data: ['Zoë', '😀'.repeat(50_000)] });

describe.each(Object.entries(transports))('through %s', (_, transport: Transport) => {
  const call = (url: string, init: Parameters<typeof exchange>[1] = get, timeoutMs = 5_000, signal?: AbortSignal) =>
    exchange(url, init, { transport, timeoutMs, bytesMax: 10_000_000, signal });

  test('a request is sent as it was made, and its answer comes back whole', async () => {
    const url = await serving((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const { method, url: path, headers } = request;
        const { authorization, 'content-length': length } = headers;
        const heard = { method, path, authorization, length, body: Buffer.concat(pieces).toString() };
        response.writeHead(201, { 'X-Request-Id': 'r-1', link: ['a', 'b'] }).end(JSON.stringify(heard));
      });
    });
    const headers = { authorization: 'Bearer t', 'content-type': 'application/json' };
    const answer = await call(`${url}leads?filter=%7B%7D`, { method: 'POST', headers, body: '{"name":"Zoë"}' });
    if (answer.outcome !== 'answered') throw new Error(answer.why);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-request-id')).toBe('r-1');
    expect(answer.headers.get('link')).toBe('a, b');
    expect(JSON.parse(answer.text)).toEqual({
      method: 'POST',
      path: '/leads?filter=%7B%7D',
      authorization: 'Bearer t',
      length: '15',
      body: '{"name":"Zoë"}',
    });
  });

  test.each([
    ['plain', '', (text: string) => Buffer.from(text)],
    ['behind a byte order mark', '', (text: string) => Buffer.from(`\uFEFF${text}`)],
    ['packed as gzip', 'gzip', gzipSync],
    ['packed as deflate', 'deflate', deflateSync],
    ['packed as br', 'br', brotliCompressSync],
  ])('a body that comes %s reads the same', async (_how, encoding, pack) => {
    const url = await serving((_request, response) => {
      if (encoding !== '') response.setHeader('content-encoding', encoding);
      response.end(pack(body));
    });
    expect(await call(url)).toMatchObject({ outcome: 'answered', status: 200, text: body });
  });

  test('an answer without a body is a blank one', async () => {
    const url = await serving((_request, response) => response.writeHead(204).end());
    expect(await call(url, { ...get, method: 'DELETE' })).toMatchObject({ outcome: 'answered', status: 204, text: '' });
  });

  test('a redirect is an answer, and is not followed', async () => {
    const paths: unknown[] = [];
    const url = await serving(({ url: path }, response) => {
      paths.push(path);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const answer = await call(url);
    expect(answer).toMatchObject({ outcome: 'answered', status: 302 });
    expect(answer.outcome === 'answered' && answer.headers.get('location')).toBe('/elsewhere');
    expect(paths).toEqual(['/']);
  });

  test.each([
    ['before the answer', (response: Parameters<RequestListener>[1]) => response.destroy()],
    [
      'within the body',
      (response: Parameters<RequestListener>[1]) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"data":[', () => response.destroy());
      },
    ],
  ])('W4: a connection that breaks %s leaves the outcome unknown', async (_when, breakOff) => {
    const url = await serving((_request, response) => breakOff(response));
    const answer = await call(url);
    expect(answer).toMatchObject({ outcome: 'no-answer', aborted: false });
    expect(answer).toHaveProperty('why', expect.stringContaining('the connection broke'));
  });

  test('W4: a packed body that does not unpack leaves the outcome unknown', async () => {
    const url = await serving((_request, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(body);
    });
    expect(await call(url)).toMatchObject({ outcome: 'no-answer', aborted: false });
  });

  test.each([
    ['silence', () => {}],
    ['half a body', (response: Parameters<RequestListener>[1]) => void response.writeHead(200).write('{')],
  ])('W4: %s is abandoned in time', async (_what, answerHalf) => {
    const url = await serving((_request, response) => answerHalf(response));
    expect(await call(url, get, 50)).toMatchObject({ outcome: 'no-answer', why: 'no answer within 0.05 s' });
    expect(await call(url, get, 5_000, AbortSignal.timeout(50))).toMatchObject({ outcome: 'no-answer', aborted: true });
  });

  test('W4: a request without a connection was not sent', async () => {
    const server = createServer();
    const address = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await call(`http://${address}/`)).toMatchObject({
      outcome: 'not-sent',
      why: 'nothing listens at that address (ECONNREFUSED)',
    });
    expect(await call('http://nobody.invalid/')).toMatchObject({ outcome: 'not-sent' });
  });

  test('W4: a request to a host with an untrusted certificate was not sent', async () => {
    const heard = vi.fn<RequestListener>();
    const server = createSecureServer({ key: privateKey, cert: certificate }, heard);
    const answer = await call(`https://${await listening(server)}/`);
    expect(answer).toMatchObject({ outcome: 'not-sent' });
    expect(answer).toHaveProperty('why', expect.stringMatching(/is not trusted .*NODE_EXTRA_CA_CERTS/));
    expect(heard).not.toHaveBeenCalled();
  });

  test('W4: a request over TLS to a port without TLS was not sent', async () => {
    const heard = vi.fn<RequestListener>();
    const url = await serving(heard);
    const create = { method: 'POST', headers: {}, body: '{}' };
    expect(await call(url.replace('http:', 'https:'), create)).toMatchObject({
      outcome: 'not-sent',
      why: 'TLS is not spoken there: is the address http://, or the port another one?',
    });
    expect(heard).not.toHaveBeenCalled();
  });
});

test('an answer that is not HTTP is named as such', async () => {
  const server = createSocketServer((socket) => {
    socket.on('error', () => {});
    socket.end('SSH-2.0-OpenSSH\r\n');
  });
  expect(
    await exchange(`http://${await listening(server)}/`, get, {
      transport: overHttp,
      timeoutMs: 5_000,
      bytesMax: 1_000,
    }),
  ).toMatchObject({
    outcome: 'no-answer',
    why: expect.stringContaining('HTTP is not spoken there (HPE_'),
  });
});

test('W4: a request that waits for a connection in vain was not sent', async () => {
  const { url, taken } = await servingNothing();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const answer = exchange(url, get, { transport: overHttp, timeoutMs: 30_000, bytesMax: 1_000 });
  await taken;
  await vi.advanceTimersByTimeAsync(11_000);
  expect(await answer).toMatchObject({ outcome: 'not-sent', why: 'the host did not take the connection in time' });
});

test('a request that has a connection may wait longer for its answer than for the connection', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<ServerResponse>();
  const address = await serving((_, response) => ask(response));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const answer = exchange(address, get, { transport: overHttp, timeoutMs: 30_000, bytesMax: 1_000 });
  const response = await asked;
  await vi.advanceTimersByTimeAsync(20_000);
  response.end('late');
  expect(await answer).toMatchObject({ outcome: 'answered', text: 'late' });
});
