import { describe, expect, test } from 'vitest';
import { createEndpointFetch } from '../../src/sheets/google/endpoint.ts';

async function visit(url: string, endpoint?: string): Promise<string> {
  const visited: string[] = [];
  const fetch = createEndpointFetch((target) => {
    visited.push(target.href);
    return Promise.resolve(Response.json({ access_token: 'x' }));
  }, endpoint);
  await fetch(url);
  return visited[0]!;
}

describe('google.endpoint takes Sheets and token calls', () => {
  test.each([
    ['https://sheets.googleapis.com/v4/spreadsheets/x?fields=a', 'http://127.0.0.1:4020/v4/spreadsheets/x?fields=a'],
    ['https://oauth2.googleapis.com/token', 'http://127.0.0.1:4020/token'],
    ['https://sts.googleapis.com/v1/token', 'http://127.0.0.1:4020/v1/token'],
  ])('%s', async (from, to) => expect(await visit(from, 'http://127.0.0.1:4020')).toBe(to));

  test('below its path', async () => {
    expect(await visit('https://sheets.googleapis.com/v4/x', 'https://proxy.example/google/')).toBe(
      'https://proxy.example/google/v4/x',
    );
  });

  test('and no others: an identity provider is called at the address in its file', async () => {
    const url = 'https://login.example/token';
    expect(await visit(url, 'http://127.0.0.1:4020')).toBe(url);
    expect(await visit('https://notgoogleapis.com/', 'http://127.0.0.1:4020')).toBe('https://notgoogleapis.com/');
  });

  test('without one, calls go to Google', async () => {
    expect(await visit('https://sheets.googleapis.com/v4/x')).toBe('https://sheets.googleapis.com/v4/x');
  });
});

test.each(['http://example.com', 'ftp://127.0.0.1', 'http://127.0.0.1.example.com', 'http://10.0.0.7:4020'])(
  '%s is refused: tokens travel over https, unless they stay on this machine',
  (endpoint) => expect(() => createEndpointFetch(fetch, endpoint)).toThrow('must be https'),
);

test.each(['https://sheets.example', 'http://localhost:1', 'http://[::1]:1', 'http://127.1.2.3'])(
  '%s is fine',
  (endpoint) => expect(() => createEndpointFetch(fetch, endpoint)).not.toThrow(),
);

test('a text that is no URL is refused by name', () => {
  expect(() => createEndpointFetch(fetch, 'localhost')).toThrow('google.endpoint localhost is not a URL');
});

describe('an answer is read up to its bound', () => {
  /** Endless pieces of 1 MB; `closed` resolves with the number taken once the client stops reading. */
  function endless(piece = new Uint8Array(1_000_000).fill(0x20)) {
    const closed = Promise.withResolvers<number>();
    let pieces = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces += 1;
        controller.enqueue(piece);
      },
      cancel: () => closed.resolve(pieces),
    });
    return { body, closed: closed.promise };
  }

  test.each([400, 403, 404, 429, 500, 503])('of a %i the first 64 kB are read', async (status) => {
    const { body, closed } = endless();
    const fetch = createEndpointFetch(async () => new Response(body, { status }));
    const answer = await fetch('https://sheets.googleapis.com/v4/spreadsheets/x');
    expect(answer.status).toBe(status);
    expect(await answer.text()).toHaveLength(64_000);
    expect(await closed).toBeLessThan(4);
  });

  test('a token answer may have 64 kB, and a larger one is no token', async () => {
    const { body, closed } = endless();
    const fetch = createEndpointFetch(async () => new Response(body));
    const answer = fetch('https://oauth2.googleapis.com/token');
    await expect(answer).rejects.toMatchObject({ code: 'ERR_ANSWER_TOO_LARGE', bytesMax: 64_000 });
    expect(await closed).toBeLessThan(4);
  });

  test('a page in place of a token is told with where the request went', async () => {
    const page = async () => new Response('<html>');
    const url = 'https://oauth2.googleapis.com/token';
    await expect(createEndpointFetch(page)(url)).rejects.toThrow('oauth2.googleapis.com answered');
    await expect(createEndpointFetch(page, 'http://127.0.0.1:9')(url)).rejects.toThrow(
      'google.endpoint http://127.0.0.1:9 answered',
    );
  });

  test('cells may have 256 MB', async () => {
    const { body, closed } = endless();
    const fetch = createEndpointFetch(async () => new Response(body));
    const { body: read } = await fetch('https://sheets.googleapis.com/v4/spreadsheets/x');
    let bytes = 0;
    const reading = (async () => {
      for await (const piece of read!) bytes += piece.byteLength;
    })();
    await expect(reading).rejects.toMatchObject({ code: 'ERR_ANSWER_TOO_LARGE', bytesMax: 256_000_000 });
    expect(bytes).toBe(256_000_000);
    expect(await closed).toBeLessThan(260);
  });
});

describe('the signals of a call', () => {
  /** Whether the call that is made has a signal, and whether that ends with the one given. */
  async function signalOf(url: string, given?: AbortController) {
    let passed: AbortSignal | null | undefined;
    const fetch = createEndpointFetch(async (_url, init) => {
      passed = init.signal;
      return new Response('{"access_token":"t"}');
    });
    await fetch(url, given && { signal: given.signal });
    given?.abort();
    return { isThere: passed != null, isAborted: passed?.aborted ?? false };
  }

  test('a token is waited for only so long; a call of Sheets has its own limit', async () => {
    expect(await signalOf('https://oauth2.googleapis.com/token')).toEqual({ isThere: true, isAborted: false });
    expect(await signalOf('https://sheets.googleapis.com/v4/x')).toEqual({ isThere: false, isAborted: false });
  });

  test.each(['https://oauth2.googleapis.com/token', 'https://sheets.googleapis.com/v4/x'])(
    '%s ends with the signal of its caller',
    async (url) => {
      expect(await signalOf(url, new AbortController())).toEqual({ isThere: true, isAborted: true });
    },
  );
});
