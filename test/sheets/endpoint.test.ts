import { describe, expect, test } from 'vitest';
import { createEndpointFetch } from '../../src/sheets/endpoint.ts';

async function visit(url: string, endpoint?: string): Promise<string> {
  const visited: string[] = [];
  const fetch = createEndpointFetch((target) => {
    visited.push(target.href);
    return Promise.resolve(new Response());
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

  test('and no others: an identity provider is asked where its file says', async () => {
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

test('what is no URL is refused by name', () => {
  expect(() => createEndpointFetch(fetch, 'localhost')).toThrow('google.endpoint localhost is not a URL');
});
