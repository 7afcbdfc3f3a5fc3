// Answers in their form on the network: compressed, in small pieces, and over connections that were closed meanwhile.
import { once } from 'node:events';
import { globalAgent, type IncomingHttpHeaders, request } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { afterAll, describe, expect, test } from 'vitest';
import { OutcomeUnknownError } from '../../src/crm/errors.ts';
import { type RunningServer, type Served, serve } from '../../src/standin/serve.ts';
import type { Transfer } from '../../src/standin/transfer.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { connectOverHttp } from '../support/service-over-http.ts';
import { createTrial, header, openAnchored } from '../support/sheets.ts';

const servers: RunningServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.close();
});

async function serveHere(served: Parameters<typeof serve>[0], transfer?: Transfer): Promise<string> {
  const server = await serve(served, 0, transfer);
  servers.push(server);
  return server.url;
}

interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly pieces: number;
}

/** Without any unpacking on the way. */
async function get(url: string, encodings?: string): Promise<Got> {
  const call = request(url, { headers: encodings === undefined ? {} : { 'accept-encoding': encodings } }).end();
  const [answer] = (await once(call, 'response')) as [AsyncIterable<Buffer> & { headers: IncomingHttpHeaders }];
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece);
  return { headers: answer.headers, body: Buffer.concat(pieces), pieces: pieces.length };
}

const text = JSON.stringify({ rows: Array.from({ length: 500 }, (_, row) => `row ${row}: Zoë 東京`) });
const app = new Hono()
  .get('/json', (c) => c.body(text, { headers: { 'content-type': 'application/json' } }))
  .get('/blank', () => new Response('', { headers: { 'content-type': 'application/json' } }))
  .get('/none', () => new Response(null, { status: 204 }))
  .get('/picture', (c) => c.body('x'.repeat(5_000), { headers: { 'content-type': 'image/png' } }))
  .get('/stream', (c) => c.body('data: x\n\n', { headers: { 'content-type': 'text/event-stream' } }));

describe('an answer', () => {
  test.each(['gzip', 'deflate, GZIP;q=0.5', 'br , gzip'])(
    'is compressed for a caller that accepts "%s"',
    async (encodings) => {
      const { headers, body } = await get(`${await serveHere(app)}/json`, encodings);
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(body.length).toBeLessThan(text.length / 3);
      expect(gunzipSync(body).toString()).toBe(text);
    },
  );

  test.each([undefined, 'identity', 'gzip;q=0', 'gzip; q=0.000', 'br', 'xgzip'])(
    'is plain for a caller that accepts "%s"',
    async (encodings) => {
      const { headers, body } = await get(`${await serveHere(app)}/json`, encodings);
      expect(headers['content-encoding']).toBeUndefined();
      expect(body.toString()).toBe(text);
    },
  );

  test('stays as it is without text to compress: blank, none, a picture, a stream of events', async () => {
    const url = await serveHere(app);
    for (const [path, length] of Object.entries({ blank: 0, none: 0, picture: 5_000, stream: 9 })) {
      const { headers, body } = await get(`${url}/${path}`, 'gzip');
      expect([path, headers['content-encoding'], body.length]).toEqual([path, undefined, length]);
    }
  });

  test('arrives in as many pieces as were asked for', async () => {
    const url = await serveHere(app, { pieceBytes: () => 1_000 });
    expect(await get(`${url}/json`)).toMatchObject({
      body: Buffer.from(text),
      pieces: Math.ceil(Buffer.byteLength(text) / 1_000),
    });
  });
});

const token = 'the-token-of-the-tests';

const connectService = (baseUrl: string) => connectOverHttp(baseUrl, token);

function createService() {
  const standin = createServiceStandin({
    now: Date.now,
    seed: 1,
    acceptedTokens: [token],
    switches: { rateLimits: [] },
  });
  const { uuid: list_uuid } = standin.model.lists.add({ name: 'Prospects' });
  for (let index = 0; index < 40; index += 1) {
    standin.model.contacts.add({ fields: { list_uuid, name: `Zoë ${index}`, company_name: '東京 GmbH' } }, 0);
  }
  return { standin, list_uuid };
}

/** Prime sizes, so that characters of several bytes and the ends of compressed blocks are cut everywhere. */
function oddPieces(): () => number {
  const sizes = [1, 2, 3, 5, 7, 11, 997];
  let next = 0;
  return () => sizes[next++ % sizes.length]!;
}

describe('the client of the service', () => {
  test('reads the same of a compressed answer in odd pieces', async () => {
    const { standin, list_uuid } = createService();
    const odd = connectService(await serveHere(standin.app, { pieceBytes: oddPieces() }));
    const page = await odd.contacts.search({ filter: { list_uuid } });
    expect(page.data.map(({ name, company_name }) => [name, company_name])).toEqual(
      Array.from({ length: 40 }, (_, index) => [`Zoë ${index}`, '東京 GmbH']),
    );
  });

  test('writes over a new connection after the service has closed an idle one', async () => {
    const { standin, list_uuid } = createService();
    const server = await serve(standin.app, 0);
    servers.push(server);
    const client = connectService(server.url);
    const sockets = new Set<unknown>();
    const emails = ['ada@x.test', 'grace@x.test', 'edith@x.test'];
    for (const email of emails) {
      await client.contacts.upsert({ lead: { email }, list_uuid, custom_fields: {} });
      const [socket] = globalAgent.freeSockets[`127.0.0.1:${server.port}:`]!;
      sockets.add(socket);
      // The answer may arrive before the server knows that it has sent all of it.
      for (; !socket!.closed; await setImmediate()) server.closeIdle();
    }
    expect(sockets.size).toBe(emails.length);
    expect(await client.contacts.search({ filter: { list_uuid } })).toMatchObject({ total: 40 + emails.length });
  });

  test('W4: a compressed answer to a write that ends early leaves the outcome unknown', async () => {
    const { standin, list_uuid } = createService();
    const client = connectService(await serveHere(endingEarly(standin.app, 'upsert')));
    await expect(
      client.contacts.upsert({ lead: { email: 'ada@x.test' }, list_uuid, custom_fields: {} }),
    ).rejects.toThrow(OutcomeUnknownError);
    expect(standin.model.contacts.size).toBe(41);
  });
});

/** The answer to each call with this text in its path is compressed and loses its second half. */
function endingEarly(served: Served, path: string): Served {
  return {
    async fetch(asked, env) {
      const answer = await served.fetch(asked, env);
      if (!asked.url.includes(path)) return answer;
      const packed = gzipSync(await answer.bytes());
      const half = packed.subarray(0, packed.length / 2);
      return new Response(half, { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } });
    },
  };
}

const values = [header, ...Array.from({ length: 300 }, (_, row) => [`id-${row}`, `Zoë ${row}`, 'note', '東京', row])];

/** A trial whose calls go over HTTP. `around`: wraps the stand-in. */
async function openOverHttp({
  transfer,
  around = (served) => served,
}: { transfer?: Transfer; around?: (served: Served) => Served } = {}) {
  let server: RunningServer | undefined;
  const trial = createTrial({
    values,
    wrapFetch: () => (asked, init) => fetch(new URL(asked.pathname + asked.search, server!.url), init),
  });
  server = await serve(around(trial.standin.app), 0, transfer);
  servers.push(server);
  return { trial, server, ...(await openAnchored(trial)) };
}

describe('the client of Google Sheets', () => {
  test('reads the same of a compressed answer in odd pieces, and knows it again', async () => {
    const { table, snapshot, trial } = await openOverHttp({ transfer: { pieceBytes: oddPieces() } });
    const read = snapshot.rows.map(({ id, cells }) => [id, cells['first_name'], cells['email'], cells['score']]);
    expect(read).toEqual(values.slice(1).map(([id, name, , email, score]) => [id, name, email, score]));
    expect(await table.read({ unless: snapshot.fingerprint })).toBe('unchanged');
    trial.person.type('Prospects!B2', 'Ann');
    expect(await table.read({ unless: snapshot.fingerprint })).not.toBe('unchanged');
  });

  test('writes over a new connection after Google has closed an idle one', async () => {
    const { server, table, snapshot, trial } = await openOverHttp();
    const calls = trial.standin.log.counters.writes;
    for (const id of ['c', 'd', 'e']) {
      server.closeIdle();
      expect(await table.append(snapshot, [{ id, set: {} }])).toEqual([{ kind: 'appended' }]);
    }
    expect(trial.standin.log.counters.writes).toBe(calls + 3);
  });

  test('W4, L8: a compressed answer to a write that ends early leaves the outcome unknown, and nothing is written twice', async () => {
    const { table, snapshot, trial } = await openOverHttp({ around: (served) => endingEarly(served, ':batchUpdate') });
    expect(await table.append(snapshot, [{ id: 'c', set: {} }])).toEqual([{ kind: 'appended' }]);
    const ids = trial.person.read('Prospects!A1:A400').flat();
    expect(ids.filter((id) => id === 'c')).toHaveLength(1);
  });
});
