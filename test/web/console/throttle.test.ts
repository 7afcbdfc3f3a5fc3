import { afterEach, expect, test, vi } from 'vitest';
import { Secret } from '../../../src/lib/secret.ts';
import { createFailures, networkOf } from '../../../src/web/console/access/failures.ts';
import { loginRoutes } from '../../../src/web/console/access/routes.ts';
import { openLogins, userEntry } from '../../support/logins.ts';

/* Failed logins: slower and slower for an address, never a lock for the person with the right password, in bounded memory. */

afterEach(() => void vi.useRealTimers());

const ann = { name: 'ann', role: 'operator', password: 'four words of ann' } as const;

async function open() {
  const failed: (() => void)[] = [];
  const users = [userEntry(ann)].map(({ password_hash: hash, ...user }) => ({
    ...user,
    passwordHash: new Secret(hash),
  }));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const { desk } = await openLogins({ users, onWrong: () => failed.shift()?.() });
  const web = loginRoutes({ desk: desk!, show: ({ body }) => body });
  const logIn = (address: string, given: { name: string; password: string }, cookie = '') => {
    const headers = { origin: 'http://localhost', host: 'localhost', ...(cookie && { cookie }) };
    const init = { method: 'POST', headers, body: new URLSearchParams(given) };
    return Promise.resolve(web.request('/login', init, { incoming: { socket: { remoteAddress: address } } }));
  };
  /** Resolves when the password was found wrong, and the answer waits. */
  async function fail(address: string, name: string) {
    const { promise, resolve } = Promise.withResolvers<void>();
    failed.push(resolve);
    const answer = logIn(address, { name, password: 'a wrong one' });
    await Promise.race([promise, answer]);
    return { answer };
  }
  return { logIn, fail };
}

/** Moves the clock in steps until the answer is there. Hashes take real time. */
async function passTime<Answer>(answer: Promise<Answer>, stepMs: number): Promise<Answer> {
  const state = { isOver: false };
  void answer.then(() => (state.isOver = true));
  while (!state.isOver) {
    await vi.advanceTimersByTimeAsync(stepMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return answer;
}

test('after five failures an address waits, longer with each; other addresses and known browsers do not', async () => {
  const { logIn, fail } = await open();
  const first = await logIn('10.0.0.1', ann);
  const known = first.headers
    .getSetCookie()
    .find((each) => each.startsWith('leadsheet-known='))!
    .split(';')[0]!;
  const answers = [];
  for (let index = 0; index < 5; index += 1) answers.push(await fail('10.0.0.1', 'ann'));
  const sixth = await logIn('10.0.0.1', ann);
  expect([sixth.status, sixth.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await sixth.text()).toContain('Try again in 1 s.');
  // The right person is never kept out by others.
  expect((await logIn('10.0.0.2', ann)).status).toBe(303);
  expect((await logIn('10.0.0.1', ann, known)).status).toBe(303);
  // A cookie that was made up is no known browser.
  expect((await logIn('10.0.0.1', ann, `${known.slice(0, -5)}AAAAA`)).status).toBe(429);
  await vi.advanceTimersByTimeAsync(1_001);
  await fail('10.0.0.1', 'ann');
  expect((await logIn('10.0.0.1', ann)).headers.get('retry-after')).toBe('2');
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await Promise.all(answers.map(({ answer }) => answer))).map(({ status }) => status)).toEqual(
    Array(5).fill(401),
  );
  expect((await logIn('10.0.0.1', ann)).status).toBe(303);
});

test('wrong answers for one account come later and later, from whatever addresses', async () => {
  const { fail } = await open();
  const waits: number[] = [];
  for (let index = 0; index < 5; index += 1) {
    const begun = Date.now();
    const { answer } = await fail(`10.0.1.${index}`, 'ann');
    await passTime(answer, 500);
    waits.push(Math.floor((Date.now() - begun) / 1_000));
  }
  expect(waits).toEqual([2, 4, 6, 8, 8]);
});

test('a flood is refused, and a person whose address never failed gets in during it', async () => {
  const { logIn, fail } = await open();
  const addresses = Array.from({ length: 60 }, (_, index) => `10.0.2.${index}`);
  for (const address of addresses.slice(0, 22)) await fail(address, 'ann');
  const flood = addresses.slice(0, 22).flatMap((address) => [fail(address, 'ann'), fail(address, 'ann')]);
  const answer = await logIn('192.0.2.1', ann);
  expect(answer.status).toBe(303);
  const states = await passTime(Promise.all(flood.map(async (each) => (await (await each).answer).status)), 1_000);
  const refused = states.filter((status) => status === 429);
  expect(refused.length).toBeGreaterThan(20);
});

test('many addresses are counted in bounded memory, and the last ones are still known', () => {
  const now = 0;
  const failures = createFailures(() => now);
  for (let index = 0; index < 20_000; index += 1) for (let each = 0; each < 5; each += 1) failures.add(`a${index}`);
  expect(failures.waitMs('a19999')).toBe(1_000);
  expect(failures.count('a0')).toBe(0);
  expect(failures.count('a10001')).toBe(5);
});

test('failures are forgotten after a quarter of an hour, and a wait is never longer than a minute', () => {
  let now = 0;
  const failures = createFailures(() => now);
  for (let each = 0; each < 50; each += 1) failures.add('a');
  expect(failures.waitMs('a')).toBe(60_000);
  now = 60_000;
  expect(failures.waitMs('a')).toBe(0);
  now = 15 * 60_000;
  expect(failures.count('a')).toBe(0);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('%s counts as %s', (address, network) => expect(networkOf(address)).toBe(network));
