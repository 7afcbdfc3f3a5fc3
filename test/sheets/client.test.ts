// The calls `read` and `write`: repeats, the words of failures, and the endpoint.
import { generateKeyPairSync } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { parseCredentials } from '../../src/sheets/google/credentials.ts';
import { Budget } from '../../src/sheets/google/budget.ts';
import type { Fetch } from '../../src/sheets/google/endpoint.ts';
import type { CallSettings } from '../../src/sheets/port.ts';
import { createSheets } from '../../src/sheets/google/table.ts';
import { anyCredentials, createTrial, externalAccount, header, openAnchored, rowOf, spec } from '../support/sheets.ts';

const values = [header, ['a', 'Ann', 'tag', 'ann@x.org', 1]];
const account = anyCredentials.account;

describe('a read is repeated with backoff', () => {
  test('three times after a failure, then it fails', async () => {
    const trial = createTrial({ values });
    trial.standin.faults.add({ effect: { type: 'status', status: 503 }, times: 9 });
    await expect(trial.openTable().read()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
    expect(trial.standin.log.counters.reads).toBe(4);
    expect(trial.slept.map((ms) => Math.floor(ms / 1000))).toEqual([1, 2, 4]);
  });

  test('until it succeeds', async () => {
    const trial = createTrial({ values });
    trial.standin.faults.add({ effect: { type: 'lost' }, times: 2 });
    expect((await trial.openTable().read()).rows).toHaveLength(1);
  });
});

test('a write is not repeated by itself, nor by the library (W4)', async () => {
  const trial = createTrial({ values });
  const table = trial.openTable();
  const snapshot = await table.read();
  trial.standin.log.clear();
  trial.standin.faults.add({ effect: { type: 'status', status: 503 }, match: { kind: 'write' } });
  await table.ensure(snapshot, []);
  expect(trial.standin.log.counters.writes).toBe(1);
});

describe('W6: 429', () => {
  test('pauses the budget with growing backoff and drops nothing', async () => {
    const trial = createTrial({ values });
    const { table, snapshot } = await openAnchored(trial);
    trial.standin.faults.add({ effect: { type: 'status', status: 429 }, times: 3, match: { kind: 'write' } });
    expect(await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 2 } }])).toMatchObject([
      { kind: 'written' },
    ]);
    expect(trial.slept.map((ms) => Math.floor(ms / 1000))).toEqual([1, 2, 4]);
  });

  test('a permanent one is reported with the setting to change; no pause is longer than 64 s', async () => {
    const trial = createTrial({ values });
    trial.standin.faults.add({ effect: { type: 'status', status: 429 }, times: 99 });
    await expect(trial.openTable().read()).rejects.toMatchObject({
      code: 'quota',
      message: expect.stringContaining('lower google.reads_per_minute'),
    });
    expect(trial.slept).toHaveLength(8);
    expect(Math.max(...trial.slept)).toBe(64_000);
  });

  test('stops every call of the budget meanwhile', async () => {
    let wake = (): void => undefined;
    const sleep = () => new Promise<void>((resolve) => (wake = resolve));
    const budget = new Budget(Infinity, { elapsed: () => 0, sleep, random: () => 0 });
    const paused = budget.pause();
    const call = vi.fn<() => Promise<string>>(() => Promise.resolve('done'));
    const result = budget.run(call);
    await Promise.resolve();
    expect(call).not.toHaveBeenCalled();
    wake();
    await paused;
    expect(await result).toBe('done');
  });
});

test('a budget starts no more calls in a minute than its limit', async () => {
  vi.useFakeTimers();
  try {
    const budget = new Budget(60, {
      elapsed: () => performance.now(),
      sleep: () => Promise.resolve(),
      random: () => 0,
    });
    const calls = Array.from({ length: 100 }, () => budget.run(() => Promise.resolve()));
    await vi.advanceTimersByTimeAsync(59_000);
    expect(budget.used).toBe(60);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(budget.used).toBe(100);
    await Promise.all(calls);
  } finally {
    vi.useRealTimers();
  }
});

test('a clock that is set back has no effect: the budget reads one that never is', async () => {
  vi.useFakeTimers();
  try {
    const sleep = () => Promise.resolve();
    const budget = new Budget(60, { elapsed: () => performance.now(), sleep, random: () => 0 });
    const calls = Array.from({ length: 60 }, () => budget.run(() => Promise.resolve()));
    await vi.advanceTimersByTimeAsync(1_000);
    vi.setSystemTime(Date.now() - 3_600_000);
    calls.push(budget.run(() => Promise.resolve()));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(budget.used).toBe(61);
    await Promise.all(calls);
  } finally {
    vi.useRealTimers();
  }
});

test('401: a new client requests a new token, once', async () => {
  const trial = createTrial({ values });
  const table = trial.openTable();
  await table.read();
  trial.standin.faults.add({ effect: { type: 'status', status: 401 } });
  await table.read();
  expect(trial.standin.log.counters.tokens).toBe(2);
  trial.standin.faults.add({ effect: { type: 'status', status: 401 }, times: 2 });
  await expect(table.read()).rejects.toMatchObject({ code: 'credentials-refused', retryable: false });
});

test('an external account whose token cannot be read is named, with the file', async () => {
  const external = { ...externalAccount, credential_source: { file: '/nowhere/token' } };
  const trial = createTrial({
    values,
    client: { credentials: parseCredentials(JSON.stringify(external), '/run/secrets/google.json') },
  });
  const error = await trial
    .openTable()
    .read()
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'credentials-refused', retryable: false });
  expect(String(error)).toContain('/nowhere/token');
});

describe('a service account', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = (email: string) =>
    parseCredentials(
      JSON.stringify({
        type: 'service_account',
        client_email: email,
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      }),
      'key.json',
    );
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const standin = { now: Date.now, credentials: { serviceAccounts: [{ email: account, publicKey: publicPem }] } };

  test('is identified by its signature', async () => {
    const trial = createTrial({ values, standin, client: { credentials: key(account) } });
    expect((await trial.openTable().read()).rows).toHaveLength(1);
  });

  test('with a deleted key: the token endpoint’s words, and the remedy', async () => {
    const trial = createTrial({ values, standin, client: { credentials: key('gone@demo.iam.gserviceaccount.com') } });
    const error = await trial
      .openTable()
      .read()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'credentials-refused' });
    expect(String(error)).toMatch(/refused the credentials of gone@demo\.iam\.gserviceaccount\.com: invalid_grant/);
  });
});

test.each([
  ['nothing', { type: 'empty' }],
  ['the login page of a network', { type: 'html', status: 200 }],
  ['an object without a token', { type: 'bare' }],
  ['half an answer', { type: 'cut' }],
] as const)('W6: %s in place of a token is no refusal: the next read goes on', async (_what, effect) => {
  const trial = createTrial({ values });
  trial.standin.faults.add({ effect, times: 20, match: { operation: 'token' } });
  const error = await trial
    .openTable()
    .read()
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'unavailable', retryable: true, isOfAccount: false });
  expect(String(error)).toContain('oauth2.googleapis.com answered a request for a token with something else');
  trial.standin.faults.clear();
  expect((await trial.openTable().read()).rows).toHaveLength(1);
});

describe('an error has a remedy for a person', () => {
  test('not shared with this account, naming its e-mail', async () => {
    const trial = createTrial({ values });
    trial.file.sharedWith.clear();
    await expect(trial.openTable().read()).rejects.toMatchObject({
      code: 'not-shared',
      message: expect.stringContaining(`choose Share, and add ${account} as an editor`),
    });
  });

  test('shared for reading only', async () => {
    const trial = createTrial({ values });
    const { table, snapshot } = await openAnchored(trial);
    trial.file.sharedWith.set(account, 'reader');
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 2 } }]);
    expect(outcomes).toMatchObject([{ kind: 'failed', error: { code: 'read-only-share' } }]);
  });

  test('a missing spreadsheet', async () => {
    const trial = createTrial({ values });
    trial.standin.model.delete(trial.file.id);
    await expect(trial.openTable().read()).rejects.toMatchObject({ code: 'spreadsheet-gone' });
  });

  test.each([
    [404, '<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>'],
    [404, ''],
    [403, '<html><title>Access denied</title></html>'],
  ])(
    'L7, W4: a %i that is %s proves nothing about the spreadsheet: a read is repeated, a write read back',
    async (status, body) => {
      const trial = createTrial({ values });
      const { table, snapshot } = await openAnchored(trial);
      const answerSo: Fetch = async () => new Response(body, { status, headers: { 'content-type': 'text/html' } });
      let calls = 0;
      trial.reroute = (url, init) => ((calls += 1) <= 2 ? answerSo(url, init) : trial.standin.fetch(url, init));
      expect((await table.read()).rows).toHaveLength(1);
      trial.reroute = answerSo;
      await expect(table.read()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
      trial.reroute = (url, init) =>
        url.pathname.includes('values:batchUpdateByDataFilter') ? answerSo(url, init) : trial.standin.fetch(url, init);
      expect(await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 2 } }])).toMatchObject([
        { kind: 'unknown', error: { code: 'outcome-unknown' } },
      ]);
    },
  );

  test('L7, W4: an endless answer is not requested again, and gives a write an unknown outcome', async () => {
    const trial = createTrial({ values });
    const { table, snapshot } = await openAnchored(trial);
    const piece = new Uint8Array(8_000_000);
    let calls = 0;
    const endless: Fetch = async () => {
      calls += 1;
      return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(piece) }));
    };
    trial.reroute = endless;
    await expect(table.read()).rejects.toMatchObject({ code: 'answer-too-large', retryable: false });
    expect(calls).toBe(1);
    trial.reroute = (url, init) =>
      url.pathname.includes('values:batchUpdateByDataFilter') ? endless(url, init) : trial.standin.fetch(url, init);
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 2 } }]);
    expect(outcomes).toMatchObject([{ kind: 'unknown', error: { code: 'outcome-unknown' } }]);
  });

  test('no connection: the host and the system’s code', async () => {
    const trial = createTrial({ values });
    trial.reroute = () => {
      const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
      return Promise.reject(new TypeError('fetch failed', { cause }));
    };
    await expect(trial.openTable().read()).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('sheets.googleapis.com cannot be reached (ECONNREFUSED)'),
    });
  });

  test.each([
    ['ACCESS_TOKEN_SCOPE_INSUFFICIENT', 'scope-missing'],
    ['SERVICE_DISABLED', 'api-disabled'],
  ])('403 %s', async (reason, code) => {
    const trial = createTrial({ values });
    const error = { code: 403, message: 'nein', status: 'PERMISSION_DENIED', details: [{ reason }] };
    trial.reroute = () => Promise.resolve(Response.json({ error }, { status: 403 }));
    await expect(trial.openTable().read()).rejects.toMatchObject({ code });
  });

  test('no error shows a token in any of its forms', async () => {
    const trial = createTrial({ values });
    let token = '';
    trial.reroute = (_, init) => {
      token = new Headers(init.headers).get('authorization') ?? '';
      return Promise.resolve(Response.json({ error: { code: 403, message: 'no' } }, { status: 403 }));
    };
    const error: unknown = await trial
      .openTable()
      .read()
      .catch((thrown: unknown) => thrown);
    const { inspect } = await import('node:util');
    expect(token).toMatch(/^Bearer ./);
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(token.slice(7));
  });
});

test('an aborted read sends nothing; a write aborted in flight is of unknown outcome, and tidied up later', async () => {
  const trial = createTrial({ values });
  const { table, snapshot } = await openAnchored(trial);
  await expect(table.read({ signal: AbortSignal.abort(new Error('stopping')) })).rejects.toMatchObject({
    code: 'aborted',
    cause: { message: 'stopping' },
  });
  const controller = new AbortController();
  trial.onRequest = (path) => {
    if (path.includes('batchUpdateByDataFilter')) controller.abort(new Error('stopping'));
  };
  const changes = [{ row: rowOf(snapshot, 'a'), set: { score: 2 } }];
  const outcomes = await table.update(snapshot, changes, { signal: controller.signal });
  expect(outcomes).toMatchObject([{ kind: 'unknown' }]);
  trial.onRequest = () => undefined;
  expect(await trial.openTable().tidy()).toBeGreaterThan(0);
});

describe('the signal of a call', () => {
  // Under a lease that can run out a write takes less time than usual.
  const leases: [string, Pick<CallSettings, 'allowMs'>][] = [
    ['without a lease that can run out', {}],
    ['under one', { allowMs: () => 30_000 }],
  ];
  const score = 2;

  test.each(leases)('W8: ends the request in flight, %s', async (_, settings) => {
    const trial = createTrial({ values });
    const { table, snapshot } = await openAnchored(trial);
    const stop = new AbortController();
    const ended: unknown[] = [];
    trial.reroute = (url, init) => {
      if (!url.pathname.endsWith('values:batchUpdateByDataFilter')) return trial.standin.fetch(url, init);
      const { promise, reject } = Promise.withResolvers<Response>();
      init.signal?.addEventListener('abort', () => {
        ended.push(url.pathname);
        reject(new DOMException('stopped', 'AbortError'));
      });
      stop.abort(new Error('stopping'));
      return promise;
    };
    const changes = [{ row: rowOf(snapshot, 'a'), set: { score } }];
    const outcomes = await table.update(snapshot, changes, { ...settings, signal: stop.signal });
    expect(outcomes).toMatchObject([{ kind: 'unknown', error: { code: 'outcome-unknown' } }]);
    expect(ended).toHaveLength(1);
  });

  test.each(leases)('that stays as it is ends nothing, and keeps nothing of the calls, %s', async (_, settings) => {
    const trial = createTrial({ values });
    const { table, snapshot } = await openAnchored(trial);
    const { signal } = new AbortController();
    const changes = [{ row: rowOf(snapshot, 'a'), set: { score } }];
    const outcomes = await table.update(snapshot, changes, { ...settings, signal });
    expect(outcomes).toEqual([{ kind: 'written', stored: { score } }]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

test('over real HTTP and a loopback endpoint, no call reaches Google', async () => {
  const { serve } = await import('@hono/node-server');
  const trial = createTrial({ values });
  const server = serve({ fetch: trial.standin.app.fetch, port: 0, hostname: '127.0.0.1' });
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const sheets = createSheets({
      credentials: anyCredentials,
      time: { elapsed: () => performance.now(), sleep: () => Promise.resolve(), random: () => 0.5 },
      fetch,
      endpoint: `http://127.0.0.1:${port}`,
    });
    expect((await sheets.openTable(spec).read()).rows).toHaveLength(1);
  } finally {
    server.close();
  }
});

describe('a call that waits for its turn in the budget', () => {
  function fullBudget() {
    const budget = new Budget(Infinity, { elapsed: () => 0, sleep: () => Promise.resolve(), random: () => 0 });
    const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const running = ends.map(({ promise }) => budget.run(() => promise));
    const end = async () => {
      for (const { resolve } of ends) resolve();
      await Promise.all(running);
    };
    return { budget, end };
  }

  test.each(['signal', 'stop'] as const)(
    'is never made if its %s ends first, and the next one takes its place',
    async (kind) => {
      const { budget, end } = fullBudget();
      const over = new AbortController();
      const [left, next] = [
        vi.fn<() => Promise<string>>(async () => 'left'),
        vi.fn<() => Promise<string>>(async () => 'next'),
      ];
      const leaving = budget.run(left, { [kind]: over.signal });
      const staying = budget.run(next);
      over.abort(new Error('over'));
      await expect(leaving).rejects.toThrow('over');
      await end();
      expect(await staying).toBe('next');
      expect(left).not.toHaveBeenCalled();
      expect(budget.used).toBe(5);
    },
  );

  test.each(['signal', 'stop'] as const)('is refused at once if its %s has ended before', async (kind) => {
    const budget = new Budget(Infinity, { elapsed: () => 0, sleep: () => Promise.resolve(), random: () => 0 });
    const call = vi.fn<() => Promise<string>>(async () => 'made');
    await expect(budget.run(call, { [kind]: AbortSignal.abort(new Error('over')) })).rejects.toThrow('over');
    expect(call).not.toHaveBeenCalled();
  });

  test('W8: once it has begun, a stop does not end it, and a signal does', async () => {
    const budget = new Budget(Infinity, { elapsed: () => 0, sleep: () => Promise.resolve(), random: () => 0 });
    const outcome = async (kind: 'signal' | 'stop') => {
      const over = new AbortController();
      const answer = Promise.withResolvers<string>();
      const result = budget.run(() => answer.promise, { [kind]: over.signal });
      await Promise.resolve();
      over.abort(new Error('over'));
      answer.resolve('answered');
      return result.catch((error: unknown) => String(error));
    };
    expect(await outcome('stop')).toBe('answered');
    expect(await outcome('signal')).toBe('Error: over');
  });
});
