import { expect, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { createServiceClient } from '../../src/crm/outreach/client.ts';
import { backoffMs, retryAfterMs } from '../../src/crm/outreach/call/retry-after.ts';
import { createBudget } from '../../src/crm/outreach/call/budget.ts';
import type { RateLimitError } from '../../src/crm/errors.ts';
import { useJumpingClock } from '../support/service.ts';

const now = Date.parse('2026-11-21T09:00:00Z');

test.each([
  ['seconds', { 'retry-after': '20' }, 20_000],
  ['seconds with decimals', { 'retry-after': '1.5' }, 1_500],
  ['a date', { 'retry-after': 'Sat, 21 Nov 2026 09:00:20 GMT' }, 20_000],
  [
    'a date, by the clock of the service',
    { 'retry-after': 'Sat, 21 Nov 2026 08:00:20 GMT', date: 'Sat, 21 Nov 2026 08:00:00 GMT' },
    20_000,
  ],
  ['a reset in seconds', { 'x-ratelimit-reset': '20' }, 20_000],
  ['a reset at a unix time', { 'x-ratelimit-reset': String(now / 1_000 + 20) }, 20_000],
  ['a reset at a unix time in milliseconds', { 'ratelimit-reset': String(now + 20_000) }, 20_000],
  ['both, of which Retry-After counts', { 'retry-after': '20', 'x-ratelimit-reset': '40' }, 20_000],
  ['a time that is over', { 'retry-after': 'Sat, 21 Nov 2026 08:59:00 GMT' }, 1_000],
  ['no time', {}, undefined],
  ['blank', { 'retry-after': ' ' }, undefined],
  ['words', { 'retry-after': 'soon' }, undefined],
])('T3: a 429 that names %s asks for a pause of exactly that', (_, headers, pauseMs) => {
  expect(retryAfterMs(new Headers(headers as Record<string, string>), now)).toBe(pauseMs);
});

test('T3: without a time the pauses are 2, 4, 8 .. 60 s, less up to half by chance', () => {
  const between = (failures: number) => [0, 1].map((drawn) => backoffMs(failures, () => drawn));
  expect([0, 1, 2, 3, 5, 6, 50].map(between)).toEqual([
    [1_000, 2_000],
    [1_000, 2_000],
    [2_000, 4_000],
    [4_000, 8_000],
    [16_000, 32_000],
    [30_000, 60_000],
    [30_000, 60_000],
  ]);
});

/* Bounds on the pause after a 429: any machine on the way can write the header. */

const dayMs = 24 * 3_600_000;

test.each([
  ['a number of 400 digits', { 'retry-after': '9'.repeat(400) }],
  ['seconds that overflow a timer', { 'retry-after': '99999999' }],
  ['a date in the year 9999', { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }],
  ['a reset in the far future', { 'x-ratelimit-reset': '99999999999999999' }],
  [
    'a date whose own clock is long past',
    { 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT', date: 'Thu, 01 Jan 1970 00:00:00 GMT' },
  ],
])('T3, W6: %s pauses the budget for a day at most, and then it continues', async (_, headers) => {
  useJumpingClock();
  const budget = createBudget({
    requestsPerMinute: 600,
    concurrency: 2,
    elapsed: () => performance.now(),
    random: () => 0.5,
  });
  let calls = 0;
  const client = createServiceClient({
    baseUrl: 'http://service.test',
    token: new Secret('the-token'),
    budget,
    transport: () =>
      (calls += 1) === 1 ? new Response(null, { status: 429, headers }) : Response.json({ data: [], total: 0 }),
    now: () => Date.now(),
    random: () => 0.5,
    timeoutMs: 30_000,
    userAgent: 'leadsheet/test',
  });
  const error = (await client.lists.list({}).catch((failed: unknown) => failed)) as RateLimitError;
  expect(error.message).toContain('the service asks for 86400 s');
  expect(budget.pausedMs()).toBeLessThanOrEqual(dayMs);
  const start = Date.now();
  await new Promise((resolve) => setTimeout(resolve, dayMs));
  expect(await client.lists.list({})).toMatchObject({ total: 0 });
  expect(Date.now() - start).toBeLessThan(dayMs + 1_000);
  budget[Symbol.dispose]();
});
