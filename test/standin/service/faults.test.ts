import { describe, expect, test } from 'vitest';
import type { FaultInput } from '../../../src/standin/service/faults.ts';
import { trial } from './support.ts';

const lists = '/leads/api/lists';

const create = async (fault: FaultInput) => {
  const it = await trial();
  it.standin.faults.inject(fault);
  const answer = await it.call('POST', lists, { name: 'EMEA' });
  return { ...it, answer, written: it.standin.model.lists.table.size };
};

test.each([
  { fault: { kind: 'status', status: 503 }, status: 503, written: 0 },
  { fault: { kind: 'status', status: 503, when: 'after' }, status: 503, written: 1 },
  { fault: { kind: 'blank' }, status: 200, written: 0 },
  { fault: { kind: 'blank', when: 'after' }, status: 200, written: 1 },
  { fault: { kind: 'html' }, status: 502, written: 0 },
  { fault: { kind: 'html', status: 504, when: 'after' }, status: 504, written: 1 },
  { fault: { kind: 'html', status: 200 }, status: 200, written: 0 },
  { fault: { kind: 'error_in_200' }, status: 200, written: 0 },
  { fault: { kind: 'error_in_200', when: 'after' }, status: 200, written: 1 },
  { fault: { kind: 'bad_rows' }, status: 201, written: 1 },
  { fault: { kind: 'truncated' }, status: 201, written: 1 },
  { fault: { kind: 'rate_limited' }, status: 429, written: 0 },
  { fault: { kind: 'delay', delayMs: 1 }, status: 201, written: 1 },
] as const)('$fault is answered with $status and leaves $written written', async ({ fault, status, written }) => {
  const result = await create(fault);
  expect(result.answer.status).toBe(status);
  expect(result.written).toBe(written);
  expect(result.standin.received.entries.at(-1)?.status).toBe(status);
});

test('the answers match their names', async () => {
  expect((await create({ kind: 'blank' })).answer.text).toBe('');
  const html = (await create({ kind: 'html', when: 'after' })).answer;
  expect([html.headers.get('content-type'), html.text]).toEqual([
    expect.stringContaining('text/html'),
    expect.stringContaining('Bad Gateway'),
  ]);
  expect((await create({ kind: 'error_in_200' })).answer.json).toMatchObject({ error: { reason: 'injected' } });
  const truncated = (await create({ kind: 'truncated' })).answer.text;
  expect(truncated).toMatch(/^\{"uuid/);
  expect(() => JSON.parse(truncated) as unknown).toThrow(SyntaxError);
});

test.each([
  { headers: 'seconds', name: 'retry-after', value: '30' },
  { headers: 'http_date', name: 'retry-after', value: 'Sat, 21 Nov 2026 12:00:30 GMT' },
  {
    headers: 'human_date',
    name: 'x-ratelimit-reset',
    value: expect.stringMatching(/^Sat Nov 21 2026 \d\d:\d\d:30 GMT/) as string,
  },
  { headers: 'unix', name: 'x-ratelimit-reset', value: '1795262430' },
  { headers: 'none', name: 'retry-after', value: null },
] as const)('429 gives its time in the form $headers', async ({ headers, name, value }) => {
  const { answer } = await create({ kind: 'rate_limited', headers, waitMs: 30_000 });
  expect(answer.headers.get(name)).toEqual(value);
});

describe('a lost answer', () => {
  test.each([
    { when: 'before', written: 0 },
    { when: 'after', written: 1 },
  ] as const)('rejects as fetch does, $written written when lost $when', async ({ when, written }) => {
    const it = await trial();
    it.standin.faults.inject({ kind: 'lost', when });
    await expect(it.call('POST', lists, { name: 'EMEA' })).rejects.toMatchObject({
      name: 'TypeError',
      message: 'fetch failed',
      cause: { code: 'ECONNRESET' },
    });
    expect(it.standin.model.lists.table.size).toBe(written);
    expect(it.standin.received.entries.at(-1)?.status).toBeNull();
  });

  test('cannot be read by a caller without a connection', async () => {
    const it = await trial();
    it.standin.faults.inject({ kind: 'lost' });
    const response = await it.standin.app.fetch(new Request(`http://service.test${lists}`));
    await expect(response.text()).rejects.toThrow('fetch failed');
  });
});

test('an answer without a body cannot break off', async () => {
  const it = await trial();
  const { uuid } = it.standin.model.contacts.add({}).record;
  it.standin.faults.inject({ kind: 'truncated' });
  expect((await it.call('DELETE', `/leads/api/leads/${uuid}`)).status).toBe(204);
});

test('a hanging request ends when the client gives up', async () => {
  const it = await trial();
  it.standin.faults.inject({ kind: 'hang', when: 'after' });
  const controller = new AbortController();
  const call = it.standin.fetch(`http://service.test${lists}`, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
});

test('a fault affects the matching requests, the given number of times', async () => {
  const it = await trial();
  it.standin.faults.inject({ kind: 'status', status: 500, operation: 'lists.list', times: 2 });
  it.standin.faults.inject({ kind: 'status', status: 503, path: 'limit=7' });
  it.standin.faults.inject({ kind: 'status', status: 504, matches: (request) => request.headers.has('x-odd') });
  expect((await it.call('POST', lists, { name: 'EMEA' })).status).toBe(201);
  expect((await it.call('GET', lists)).status).toBe(500);
  expect((await it.call('GET', `${lists}?limit=7`)).status).toBe(500);
  expect((await it.call('GET', `${lists}?limit=7`)).status).toBe(503);
  expect((await it.call('GET', `${lists}?limit=7`)).status).toBe(200);
  expect((await it.call('GET', lists, undefined, { 'x-odd': '1' })).status).toBe(504);
  expect(it.standin.faults.waiting).toEqual([]);
});

test('an invalid fault is refused', async () => {
  const it = await trial();
  expect(() => it.standin.faults.inject({ kind: 'status', status: 200 })).toThrow('status');
});
