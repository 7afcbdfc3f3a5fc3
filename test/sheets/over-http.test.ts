// A call to Google through `node:http` has the same answers and failures as through `fetch`: the outcome of a call decides
// the next step (W4).
import { getEventListeners } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createAdaptorServer } from '@hono/node-server';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fetchOverHttp } from '../../src/sheets/google/over-http.ts';
import { certificate, privateKey } from '../support/certificate.ts';
import { listening, serving, servingNothing } from '../support/http-server.ts';
import { createTrial } from '../support/sheets.ts';

type Transport = (url: string, init: RequestInit) => Promise<Response>;
const transports = { 'node:http': fetchOverHttp, fetch } satisfies Record<string, Transport>;

/** The codes of an error and its causes. */
function codesOf(error: unknown): unknown[] {
  return error instanceof Error ? [(error as NodeJS.ErrnoException).code, ...codesOf(error.cause)] : [];
}

async function failureOf(answer: Promise<unknown>): Promise<Error> {
  const error = await answer.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error('it did not fail');
  return error;
}

const cells = JSON.stringify({ values: ['Zoë', '😀'.repeat(50_000)] });

describe.each(Object.entries(transports))('through %s', (_, transport: Transport) => {
  test.each([
    ['a text', '{"name":"Zoë"}', { 'content-type': 'application/json' }, 'application/json'],
    ['a form', new URLSearchParams({ a: 'b c' }), {}, 'application/x-www-form-urlencoded;charset=UTF-8'],
    ['bytes', new TextEncoder().encode('Zoë'), { 'content-type': 'text/csv' }, 'text/csv'],
    ['nothing', null, {}, undefined],
  ])('a request with %s is sent as it was made, and its answer comes back', async (_what, body, more, type) => {
    const url = await serving((request, response) => {
      const { method, url: path, headers: heard } = request;
      void text(request).then((content) => {
        response.writeHead(201, 'Made', { 'X-Request-Id': 'r-1', link: ['a', 'b'] });
        return response.end(JSON.stringify({ method, path, headers: heard, body: content }));
      });
    });
    const headers = new Headers({ authorization: 'Bearer t', ...more });
    const answer = await transport(`${url}v4?fields=a%2Cb`, { method: 'POST', headers, body, redirect: 'error' });
    expect(answer).toMatchObject({ status: 201, statusText: 'Made', ok: true });
    expect(answer.headers.get('x-request-id')).toBe('r-1');
    expect(answer.headers.get('link')).toBe('a, b');
    const sent = body === null ? '' : await new Response(body).text();
    expect(await answer.json()).toMatchObject({
      method: 'POST',
      path: '/v4?fields=a%2Cb',
      headers: {
        authorization: 'Bearer t',
        'content-length': String(Buffer.byteLength(sent)),
        'accept-encoding': expect.stringContaining('gzip'),
        ...(type !== undefined && { 'content-type': type }),
      },
      body: sent,
    });
  });

  test.each([
    ['plain', '', (content: string) => Buffer.from(content)],
    ['packed as gzip', 'gzip', gzipSync],
    ['packed as deflate', 'deflate', deflateSync],
    ['packed as br', 'br', brotliCompressSync],
  ])('a body that comes %s is read piece by piece', async (_how, encoding, pack) => {
    const url = await serving((_request, response) => {
      if (encoding !== '') response.setHeader('content-encoding', encoding);
      response.end(pack(cells));
    });
    const { body } = await transport(url, { redirect: 'error' });
    expect(body).toBeInstanceOf(ReadableStream);
    const pieces: Uint8Array[] = [];
    for await (const piece of body as ReadableStream<Uint8Array>) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(1);
    expect(Buffer.concat(pieces).toString()).toBe(cells);
  });

  test('an answer without a body is a blank one', async () => {
    const url = await serving((_request, response) => response.writeHead(204).end());
    const answer = await transport(url, { method: 'POST', redirect: 'error' });
    expect([answer.status, await answer.text()]).toEqual([204, '']);
  });

  test.each([301, 302, 303, 307, 308])('a redirect (%i) is a failure, and is not followed', async (status) => {
    const paths: unknown[] = [];
    const url = await serving(({ url: path }, response) => {
      paths.push(path);
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    await failureOf(transport(url, { redirect: 'error' }));
    expect(paths).toEqual(['/']);
  });

  test('W4: a connection that breaks before the answer is a failure', async () => {
    const url = await serving((_request, response) => response.destroy());
    const codes = codesOf(await failureOf(transport(url, { method: 'POST', body: '{}', redirect: 'error' })));
    expect(codes.filter((code) => code === 'ECONNRESET' || code === 'UND_ERR_SOCKET')).toHaveLength(1);
  });

  test.each([
    ['plain', {}],
    ['packed', { 'content-encoding': 'gzip' }],
  ])('W4: a %s body that breaks off is a failure', async (_how, more) => {
    const packed = gzipSync(cells);
    const sent = 'content-encoding' in more ? packed.subarray(0, packed.length - 20) : Buffer.from('{"values":[');
    const url = await serving((_request, response) => {
      response.writeHead(200, { 'content-length': '100000', ...more });
      response.write(sent, () => setTimeout(() => response.destroy(), 20));
    });
    const answer = await transport(url, { redirect: 'error' });
    expect(await failureOf(answer.text())).toBeInstanceOf(Error);
  });

  test('W4: a packed body that does not unpack is a failure', async () => {
    const url = await serving((_request, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(cells);
    });
    const answer = transport(url, { redirect: 'error' }).then((response) => response.text());
    expect(await failureOf(answer)).toBeInstanceOf(Error);
  });

  test.each([
    ['silence', () => {}],
    ['half a body', (response: Parameters<RequestListener>[1]) => void response.writeHead(200).write('{')],
    [
      'half a packed body',
      (response: Parameters<RequestListener>[1]) =>
        void response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync(cells).subarray(0, 100)),
    ],
  ])('%s is abandoned with the reason of the signal, and its connection is closed', async (what, answerHalf) => {
    const heard = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const url = await serving((_request, response) => {
      response.on('close', () => closed.resolve());
      answerHalf(response);
      heard.resolve();
    });
    const stop = new AbortController();
    const answer = transport(url, { signal: stop.signal, redirect: 'error' });
    await heard.promise;
    if (what !== 'silence') await answer;
    const reason = new Error('stopped');
    stop.abort(reason);
    expect(await failureOf(answer.then((response) => response.text()))).toBe(reason);
    await closed.promise;
  });

  test('a signal that was aborted before sends nothing', async () => {
    const heard = vi.fn<RequestListener>();
    const url = await serving(heard);
    const reason = new Error('stopped');
    expect(await failureOf(transport(url, { signal: AbortSignal.abort(reason), redirect: 'error' }))).toBe(reason);
    expect(heard).not.toHaveBeenCalled();
  });

  test('a body of which the rest is not read closes its connection', async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serving((_request, response) => {
      response.on('close', () => closed.resolve());
      response.write(Buffer.alloc(1_000_000, 0x20));
    });
    const { body } = await transport(url, { redirect: 'error' });
    const reader = body!.getReader();
    await reader.read();
    await reader.cancel();
    expect(await closed.promise).toBeUndefined();
  });

  test('W4: without a connection the failure says so by its code', async () => {
    const server = createServer();
    const address = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    expect(codesOf(await failureOf(transport(`http://${address}/`, { redirect: 'error' })))).toContain('ECONNREFUSED');
    const unknown = codesOf(await failureOf(transport('http://nobody.invalid/', { redirect: 'error' })));
    expect(unknown.some((code) => code === 'ENOTFOUND' || code === 'EAI_AGAIN')).toBe(true);
  });

  test('W4: a host with an untrusted certificate hears nothing', async () => {
    const heard = vi.fn<RequestListener>();
    const server = createSecureServer({ key: privateKey, cert: certificate }, heard);
    const failure = await failureOf(transport(`https://${await listening(server)}/`, { redirect: 'error' }));
    expect(codesOf(failure)).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(heard).not.toHaveBeenCalled();
  });
});

test('a signal of many calls keeps nothing of those whose answers were read', async () => {
  const url = await serving((_request, response) => void response.end(cells));
  const { signal } = new AbortController();
  for (let call = 1; call <= 3; call += 1) await (await fetchOverHttp(url, { signal, redirect: 'error' })).text();
  await vi.waitFor(() => expect(getEventListeners(signal, 'abort')).toEqual([]), { timeout: 100_000 });
});

test('W4: a request that waits for a connection in vain was not sent', async () => {
  const { url, taken } = await servingNothing();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const failure = failureOf(fetchOverHttp(url, { redirect: 'error' }));
  await taken;
  await vi.advanceTimersByTimeAsync(11_000);
  const reached = createTrial();
  const waited = await failure;
  reached.reroute = () => Promise.reject(waited);
  vi.useRealTimers();
  expect(await failureOf(reached.openTable().read())).toMatchObject({ code: 'unreachable' });
});

// The last one: it holds for the rest of the process.
test('a daemon with a console, whose server replaces Response and Request, asks for a token as before', async () => {
  createAdaptorServer({ fetch: () => new Response() });
  const url = await serving((request, response) => {
    void text(request).then((content) => response.end(JSON.stringify({ access_token: content })));
  });
  for (const body of [new URLSearchParams({ a: 'b c' }), new TextEncoder().encode('a=b+c'), 'a=b+c']) {
    const answer = await fetchOverHttp(url, { method: 'POST', body });
    expect(await answer.json()).toEqual({ access_token: 'a=b+c' });
  }
});
