import { serve } from '@hono/node-server';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type FaultRequest } from '../../../src/standin/sheets/faults.ts';
import { createTrial, problem, writerEmail } from './support/standin.ts';

const write = (trial: ReturnType<typeof createTrial>, text = 'x') =>
  trial.call('PUT', '/values/A1?valueInputOption=RAW', { values: [[text]] });

describe('quotas', () => {
  test('the 61st read of a minute is refused with the body of Google, without Retry-After', async () => {
    const trial = createTrial(
      {},
      { quotas: { perUser: { read: 60, write: 60 }, perProject: { read: 300, write: 300 } } },
    );
    for (let count = 0; count < 60; count += 1) expect((await trial.get('/values/A1')).status).toBe(200);
    const refused = await trial.get('/values/A1');
    expect(problem(refused)).toBe(
      "429 RESOURCE_EXHAUSTED: Quota exceeded for quota metric 'Read requests' and limit 'Read requests per minute per user' of service 'sheets.googleapis.com' for consumer 'project_number:123456789012'.",
    );
    expect(refused.body.error.details[0]).toMatchObject({
      reason: 'RATE_LIMIT_EXCEEDED',
      domain: 'googleapis.com',
      metadata: {
        quota_metric: 'sheets.googleapis.com/read_requests',
        quota_limit: 'ReadRequestsPerMinutePerUser',
        quota_limit_value: '60',
        quota_unit: '1/min/{project}/{user}',
      },
    });
    expect((await write(trial)).status).toBe(200);
    trial.clock.now += 60_000;
    expect((await trial.get('/values/A1')).status).toBe(200);
  });

  test('a project has a limit of its own, over all its users', async () => {
    const trial = createTrial(
      { writers: [writerEmail, 'b@example.com'] },
      { quotas: { perUser: { read: 2, write: 2 }, perProject: { read: 3, write: 3 } } },
    );
    const other = trial.standin.tokens.issue('b@example.com');
    const statuses = [];
    for (const token of [undefined, undefined, undefined, other, other]) {
      statuses.push((await trial.call('GET', '/values/A1', undefined, token)).status);
    }
    expect(statuses).toEqual([200, 200, 429, 200, 429]);
  });

  test('people at the sheet cost nothing', async () => {
    const trial = createTrial({}, { quotas: { perUser: { read: 1, write: 1 }, perProject: { read: 1, write: 1 } } });
    const person = trial.standin.tokens.issue('owner@example.com', undefined, true);
    for (let count = 0; count < 3; count += 1)
      expect((await trial.call('GET', '', undefined, person)).status).toBe(200);
    expect(trial.standin.log.counters.reads).toBe(0);
  });
});

describe('faults', () => {
  test.each<[FaultRequest, number, boolean]>([
    [{ effect: { type: 'status', status: 500 } }, 500, false],
    [{ effect: { type: 'status', status: 503 }, when: 'after' }, 503, true],
    [{ effect: { type: 'status', status: 429 } }, 429, false],
    [{ effect: { type: 'delay', delayMs: 10 } }, 200, true],
  ])('%j answers %d and is applied: %s', async (fault, status, applied) => {
    const trial = createTrial();
    trial.standin.faults.add(fault);
    expect((await write(trial)).status).toBe(status);
    expect(await trial.values('A1')).toEqual(applied ? [['x']] : undefined);
  });

  test.each([
    ['before', undefined],
    ['after', [['x']]],
  ] as const)('an answer lost %s applying rejects like fetch, and the log says so', async (when, values) => {
    const trial = createTrial();
    trial.standin.faults.add({ effect: { type: 'lost' }, when });
    await expect(write(trial)).rejects.toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ code: 'ECONNRESET' }) }),
    );
    expect(await trial.values('A1')).toEqual(values);
    expect(trial.standin.log.entries[0]).toMatchObject({
      operation: 'values.update',
      status: 0,
      fault: `lost ${when}`,
    });
  });

  test('an answer that never comes ends with the timeout of the client', async () => {
    const trial = createTrial();
    trial.standin.faults.add({ effect: { type: 'hang' } });
    const patience = AbortSignal.timeout(20);
    const url = `https://sheets.googleapis.com/v4/spreadsheets/${trial.file.id}/values/A1`;
    await expect(trial.standin.fetch(url, { signal: patience })).rejects.toThrow(
      expect.objectContaining({ name: 'TimeoutError' }),
    );
  });

  test('an empty body and a page instead of JSON', async () => {
    const trial = createTrial();
    trial.standin.faults.add({ effect: { type: 'empty' } });
    trial.standin.faults.add({ effect: { type: 'html', status: 502 } });
    expect(await write(trial)).toEqual({ status: 200, body: undefined });
    await expect(write(trial)).rejects.toThrow(SyntaxError);
    expect(trial.standin.log.entries[1]).toMatchObject({ status: 502 });
  });

  test('affect the matching requests, the given number of times', async () => {
    const trial = createTrial();
    const { faults } = trial.standin;
    faults.add({ effect: { type: 'status', status: 503 }, match: { kind: 'write' }, skip: 1, times: 2 });
    faults.add({ effect: { type: 'status', status: 500 }, match: { operation: 'values.get' } });
    const statuses = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await write(trial)).status);
    expect(statuses).toEqual([200, 503, 503, 200]);
    expect([(await trial.get('/values/A1')).status, (await trial.get('/values/A1')).status]).toEqual([500, 200]);
    expect(faults.list()).toEqual([]);
  });

  test('reach the token endpoint only when it is named', async () => {
    const { standin } = createTrial({}, { access: 'open' });
    standin.faults.add({ effect: { type: 'status', status: 503 } });
    standin.faults.add({ effect: { type: 'status', status: 500 }, match: { operation: 'token' } });
    const body = new URLSearchParams({ grant_type: 'refresh_token' });
    expect((await standin.fetch('https://oauth2.googleapis.com/token', { method: 'POST', body })).status).toBe(500);
    expect(standin.faults.list()).toHaveLength(1);
  });

  test('a server in front that can drop the connection is told to', async () => {
    const { standin, file } = createTrial({}, { access: 'open' });
    standin.faults.add({ effect: { type: 'lost' } });
    let dropped = 0;
    const request = new Request(`http://127.0.0.1:4020/v4/spreadsheets/${file.id}`);
    await standin.app.fetch(request, { dropConnection: () => (dropped += 1) });
    expect(dropped).toBe(1);
  });

  test('on a port, a lost answer is a reset connection', async () => {
    const trial = createTrial({}, { access: 'open' });
    const server = serve({ fetch: trial.standin.app.fetch, hostname: '127.0.0.1', port: 0 });
    try {
      await new Promise((resolve) => server.once('listening', resolve));
      const { port } = server.address() as AddressInfo;
      trial.standin.faults.add({ effect: { type: 'lost' }, when: 'after' });
      const url = `http://127.0.0.1:${port}/v4/spreadsheets/${trial.file.id}/values/A1`;
      const headers = { 'content-type': 'application/json' };
      const request = { method: 'PUT', headers, body: JSON.stringify({ values: [['landed']] }) };
      await expect(fetch(`${url}?valueInputOption=RAW`, request)).rejects.toThrow(TypeError);
      expect(await (await fetch(url)).json()).toMatchObject({ values: [['landed']] });
    } finally {
      server.close();
    }
  });
});

describe('the control endpoints', () => {
  const json = { 'content-type': 'application/json' };
  const at = (path: string) => `http://127.0.0.1:4020/_standin${path}`;

  test('set faults, show the received requests, and make spreadsheets', async () => {
    const { standin } = createTrial({}, { access: 'open' });
    const fault = { effect: { type: 'status', status: 503 }, match: { kind: 'read' } };
    expect(
      (await standin.fetch(at('/faults'), { method: 'POST', headers: json, body: JSON.stringify(fault) })).status,
    ).toBe(201);
    const wanted = { title: 'Demo', tabs: [{ title: 'People', values: [['a', 1]] }] };
    const made = await standin.fetch(at('/spreadsheets'), {
      method: 'POST',
      headers: json,
      body: JSON.stringify(wanted),
    });
    const { id } = (await made.json()) as { id: string };
    expect((await standin.fetch(`http://127.0.0.1:4020/v4/spreadsheets/${id}`)).status).toBe(503);
    expect(await (await standin.fetch(at('/counters'))).json()).toEqual({ reads: 1, writes: 0, tokens: 0 });
    expect(await (await standin.fetch(at('/log'))).json()).toMatchObject([
      { operation: 'spreadsheets.get', status: 503 },
    ]);
    expect((await standin.fetch(at('/log'), { method: 'DELETE' })).status).toBe(204);
    expect(await (await standin.fetch(at('/faults'))).json()).toEqual([]);
    expect(await (await standin.fetch(at(`/spreadsheets/${id}`))).json()).toMatchObject({ title: 'Demo', version: 1 });
  });

  test('refuse unreadable bodies, and forms of other pages', async () => {
    const { standin } = createTrial();
    const bad = await standin.fetch(at('/faults'), {
      method: 'POST',
      headers: json,
      body: '{"effect":{"type":"magic"}}',
    });
    expect(bad.status).toBe(400);
    expect((await standin.fetch(at('/faults'), { method: 'POST', body: '{}' })).status).toBe(415);
  });
});
