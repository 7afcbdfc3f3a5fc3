import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, serve } from '../../src/standin/serve.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { createSheetsStandin } from '../../src/standin/sheets/standin.ts';

/*
 * Parts of the stand-ins need no token, so pages of other sites must not reach them: neither by name nor across sites.
 */

const service = createServiceStandin({ now: () => Date.now(), seed: 1, acceptedTokens: ['standin'] });
const sheets = createSheetsStandin({ now: () => Date.now(), random: () => 0.5, access: 'open' });
const file = sheets.model.create({ title: 'Demo', tabs: [{ title: 'People', values: [['a']] }] });

let servers: readonly RunningServer[];
beforeAll(async () => {
  servers = [await serve(service.app, 0), await serve(sheets.app, 0)];
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Built by hand: `fetch` sets these headers itself. */
async function ask(url: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  request(url, { method, headers }, (answer) => resolve(answer.resume().statusCode))
    .on('error', reject)
    .end(body);
  return promise;
}

const places = [
  ['the service', () => `${servers[0]!.url}/_standin/switches`],
  ['the sheets', () => `${servers[1]!.url}/_standin/spreadsheets`],
] as const;

describe.each(places)('%s', (_, url) => {
  test.each(['evil.example', 'evil.example:4010', 'localhost.evil.example'])(
    'is not read under the name %s',
    async (host) => {
      expect(await ask(url(), { headers: { host } })).toBe(421);
    },
  );

  test('is read under the names of this machine', async () => {
    const { port } = new URL(url());
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      expect(await ask(url(), { headers: { host: `${name}:${port}` } })).toBe(200);
    }
  });

  test('accepts requests of its own page, and of programs that are no browser', async () => {
    const { origin } = new URL(url());
    expect(await ask(url(), { headers: { origin, 'sec-fetch-site': 'same-origin' } })).toBe(200);
    expect(await ask(url(), { headers: { 'sec-fetch-site': 'none' } })).toBe(200);
  });

  test.each(['https://evil.example', 'http://127.0.0.1:1', 'null'])(
    'refuses requests of a page of %s',
    async (origin) => {
      for (const method of ['POST', 'DELETE', 'GET']) {
        expect(await ask(url(), { method, headers: { origin }, ...(method === 'POST' && { body: '{}' }) })).toBe(403);
      }
    },
  );

  test('refuses requests that a browser marks as cross-site, also without an origin', async () => {
    expect(await ask(url(), { headers: { 'sec-fetch-site': 'cross-site' } })).toBe(403);
  });
});

test('a plain-text form of another site changes neither switches, faults, data nor cells', async () => {
  const asText = { 'content-type': 'text/plain', origin: 'https://evil.example' };
  const before = JSON.stringify([service.switches, service.faults, file.content.sheets[0]!.rowCount]);
  const bodies: readonly (readonly [string, string, string])[] = [
    ['PUT', `${servers[0]!.url}/_standin/switches`, '{"deleteStatus": "body"}'],
    ['POST', `${servers[0]!.url}/_standin/faults`, '{"kind": "blank"}'],
    ['POST', `${servers[0]!.url}/_standin/jobs/run`, ''],
    ['POST', `${servers[1]!.url}/v4/spreadsheets/${file.id}/values/People!A1:clear`, ''],
    ['POST', `${servers[1]!.url}/v4/spreadsheets`, '{}'],
  ];
  for (const [method, url, body] of bodies) expect(await ask(url, { method, headers: asText, body })).toBe(403);
  expect(JSON.stringify([service.switches, service.faults, file.content.sheets[0]!.rowCount])).toBe(before);
  expect(sheets.person(file.id).read('People')).toEqual([['a']]);
  expect(sheets.model.list()).toHaveLength(1);
});
