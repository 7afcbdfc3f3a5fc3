import { expect, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { createServiceClient } from '../../src/crm/outreach/client.ts';
import { createBudget } from '../../src/crm/outreach/call/budget.ts';
import type { RateLimitError } from '../../src/crm/errors.ts';
import { useJumpingClock } from '../support/service.ts';

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
