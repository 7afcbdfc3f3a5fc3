import { describe, expect, test } from 'vitest';
import { createServiceStandin } from '../../../src/standin/service/standin.ts';
import { startMs, trial } from './support.ts';

const lists = '/leads/api/lists';

describe('the token', () => {
  const dayMs = 24 * 3600 * 1000;

  test('is a JWT of the team, good for three years', async () => {
    const it = await trial();
    expect((await it.call('GET', lists)).status).toBe(200);
    it.advance(3 * 365 * dayMs - 1000);
    expect((await it.call('GET', lists)).status).toBe(200);
    it.advance(2000);
    const { status, json } = await it.call('GET', lists);
    expect([status, json]).toMatchObject([
      401,
      { error: { reason: 'auth_exception' }, message: 'The token has expired.' },
    ]);
  });

  test('of another team, key or kind is 401', async () => {
    const it = await trial();
    const stranger = createServiceStandin({ now: () => startMs, seed: 1, secret: 'some other secret of enough bytes' });
    const header = Buffer.from('{"alg":"none"}').toString('base64url');
    const claims = Buffer.from('{"specific_team_id":1001,"exp":9999999999}').toString('base64url');
    const authorizations = [
      `Bearer ${await it.standin.signToken({ teamId: 7 })}`,
      `Bearer ${await stranger.signToken()}`,
      `Bearer ${header}.${claims}.`,
      'Bearer nonsense',
      'Basic YTpi',
      '',
    ];
    for (const authorization of authorizations) {
      expect((await it.call('GET', lists, undefined, { authorization })).status).toBe(401);
    }
  });

  test('may be one of the options', async () => {
    const standin = createServiceStandin({ now: () => startMs, seed: 1, acceptedTokens: ['trial'] });
    const answer = await standin.fetch(`http://service.test${lists}`, { headers: { authorization: 'Bearer trial' } });
    expect(answer.status).toBe(200);
  });
});

describe('statuses', () => {
  test('malformed JSON is 400', async () => {
    const { status, json } = await (await trial()).call('POST', lists, '{"name":');
    expect([status, json]).toMatchObject([400, { error: { reason: 'bad_request' } }]);
  });

  test('a body that is no object is 422', async () => {
    for (const body of ['[]', 'null', '5', '"x"']) {
      expect((await (await trial()).call('POST', lists, body)).status).toBe(422);
    }
  });

  test('a form is 415', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await (await trial()).call('POST', lists, 'name=x', headers)).status).toBe(415);
  });

  test('a body over 2 MB is 413, one below is read', async () => {
    const it = await trial();
    const mb = 1024 * 1024;
    expect((await it.call('POST', lists, { name: 'x'.repeat(2 * mb) })).status).toBe(413);
    expect((await it.call('POST', lists, { name: 'x'.repeat(2 * mb - 100) })).status).toBe(201);
  });

  test('an invalid uuid is 422, an unknown path 404', async () => {
    const it = await trial();
    expect((await it.call('GET', `${lists}/nope`)).status).toBe(422);
    expect((await it.call('GET', '/leads/api/nothing')).status).toBe(404);
    expect((await it.call('PATCH', lists)).status).toBe(404);
  });

  test("another team's record is 404", async () => {
    const it = await trial();
    const uuid = '11111111-1111-4111-8111-111111111111';
    it.standin.world.foreignUuids.add(uuid);
    expect((await it.call('GET', `${lists}/${uuid}`)).status).toBe(404);
  });
});

describe('the rate limit', () => {
  test('admits 300 calls a minute and gives the time until the next one fits', async () => {
    const it = await trial();
    const first = await it.call('GET', lists);
    expect(first.headers.get('x-ratelimit-limit')).toBe('300');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('299');
    it.advance(20_000);
    for (let count = 1; count < 300; count += 1) expect((await it.call('GET', lists)).status).toBe(200);

    const refused = await it.call('GET', lists);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('40');
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    it.advance(39_999);
    expect((await it.call('GET', lists)).status).toBe(429);
    it.advance(1);
    expect((await it.call('GET', lists)).status).toBe(200);
    expect((await it.call('GET', lists)).status).toBe(429);
  });

  test('counts each token by itself', async () => {
    const it = await trial({ rateLimits: [{ calls: 1, windowMs: 1000 }] });
    expect((await it.call('GET', lists)).status).toBe(200);
    expect((await it.call('GET', lists)).status).toBe(429);
    const other = await it.standin.signToken({ expiresAt: startMs + 1e9 });
    expect((await it.call('GET', lists, undefined, { authorization: `Bearer ${other}` })).status).toBe(200);
  });
});

describe('the log', () => {
  test('has each received request and its result', async () => {
    const it = await trial();
    await it.call('POST', lists, { name: 'EMEA' });
    await it.call('GET', `${lists}?limit=5`, undefined, { authorization: 'none' });
    expect(it.standin.received.entries).toEqual([
      { time: startMs, method: 'POST', path: lists, operation: 'lists.create', body: { name: 'EMEA' }, status: 201 },
      { time: startMs, method: 'GET', path: `${lists}?limit=5`, operation: 'lists.list', body: undefined, status: 401 },
    ]);
  });

  test('is bounded', async () => {
    const standin = createServiceStandin({ now: () => startMs, seed: 1, receivedMax: 5 });
    for (let count = 0; count < 50; count += 1) await standin.fetch(`http://service.test/${count}`);
    expect(standin.received.entries.length).toBeLessThan(10);
    expect(standin.received.entries.at(-1)?.path).toBe('/49');
  });
});
