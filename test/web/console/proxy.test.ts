import { request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createDaemonTrial, until } from '../../support/daemon.ts';
import { createBrowser, userEntry } from '../../support/logins.ts';

/* A reverse proxy in front: its name for a person counts from its address alone, and what it says of the client does, too. */

const ann = { name: 'ann', role: 'operator', password: 'four words of ann' } as const;

async function begin(proxy: Readonly<Record<string, unknown>>, server: Readonly<Record<string, unknown>> = {}) {
  const trial = createDaemonTrial({
    file: { server: { listen: '127.0.0.1:0', console: 'write', trusted_proxy: proxy, ...server } },
  });
  const { url } = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  return { ...trial, url: url!, as: (headers: Readonly<Record<string, string>>) => createBrowser(url!, headers) };
}

const named = { from: ['127.0.0.1'], header: 'X-Forwarded-User', role: 'viewer', roles: { 'Ann@firm.io': 'operator' } };

test('a person whom the proxy names has the role of that name, or that of everybody, and decides under it', async () => {
  const { as } = await begin(named);
  const [operator, viewer] = [as({ 'x-forwarded-user': 'ann@firm.io' }), as({ 'x-forwarded-user': 'bob@firm.io' })];
  const token = await operator.token();
  expect((await operator.post('/do/pause', { token, job: 'prospects', reason: 'lunch' })).status).toBe(303);
  expect(await viewer.page('/jobs/prospects')).toMatch(/Paused by ann@firm\.io/i);
  expect(await viewer.page('/jobs/prospects')).not.toContain('action="/do/');
  // The token belongs to the name, so that another person cannot use it.
  expect((await viewer.post('/do/resume', { token, job: 'prospects' })).status).toBe(403);
  const logins = await operator.page('/audit/logins');
  expect(logins.match(/<td>the proxy<\/td>/g)).toHaveLength(2);
});

test('without the header nobody is known; a name without a role, or that is none, may not enter', async () => {
  const { as, url } = await begin({ ...named, role: undefined });
  const without = await as({}).ask('/');
  expect([without.status, await without.text()]).toEqual([403, expect.stringContaining('through its proxy alone')]);
  for (const name of ['bob@firm.io', '', 'a, b', 'console', '<x-evil>', 'constructor', 'a'.repeat(65)]) {
    const answer = await as({ 'x-forwarded-user': name }).ask('/');
    expect({ name, status: answer.status }).toEqual({ name, status: 403 });
  }
  expect((await fetch(`${url}/metrics`)).status).toBe(403);
  expect((await fetch(`${url}/metrics`, { headers: { 'x-forwarded-user': 'ann@firm.io' } })).status).toBe(200);
});

test('the header is refused from any other address, whatever else the request has', async () => {
  const { as, url } = await begin({ ...named, from: ['10.1.2.0/24', '::1'] }, { users: [userEntry(ann)] });
  const forged = as({ 'x-forwarded-user': 'ann@firm.io', 'x-forwarded-for': '10.1.2.3' });
  const answer = await forged.ask('/');
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('server.trusted_proxy.from')]);
  const basic = { authorization: `Basic ${btoa(`ann:${ann.password}`)}` };
  expect((await fetch(`${url}/metrics`, { headers: { ...basic, 'x-forwarded-user': 'bob' } })).status).toBe(403);
  expect((await fetch(`${url}/metrics`, { headers: basic })).status).toBe(200);
});

test('with such a header every request needs a name of ours: a page of another site could send it (DNS rebinding)', async () => {
  const { url } = await begin(named, { hosts: ['console.firm.io'] });
  const statusOf = async (host: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const headers = { host, 'x-forwarded-user': 'ann@firm.io' };
    request(
      `${url}/`,
      { headers },
      (answer) => void readText(answer).then(() => resolve(answer.statusCode), reject),
    ).end();
    return promise;
  };
  expect(await Promise.all(['console.firm.io', 'evil.test', 'evil.test:4000'].map(statusOf))).toEqual([200, 421, 421]);
});

test('behind https the cookies are for https and this host alone, and a plain one of that name counts for nothing', async () => {
  const { as } = await begin({ from: ['127.0.0.1'] }, { users: [userEntry(ann)] });
  const secure = as({ 'x-forwarded-proto': 'https', 'x-forwarded-for': '198.51.100.7, 127.0.0.1' });
  const answer = await secure.logIn(ann);
  expect(answer.status).toBe(303);
  for (const cookie of answer.headers.getSetCookie()) {
    expect(cookie).toMatch(
      /^__Host-leadsheet(-known)?=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
  }
  const page = await secure.page('/audit/sessions');
  expect(page).toContain('<td>198.51.100.7</td>');
  const plain = as({ 'x-forwarded-proto': 'https' });
  plain.cookies.set('leadsheet', secure.cookies.get('__Host-leadsheet')!);
  expect((await plain.ask('/')).status).toBe(303);
});

test('what a client says of its own address and of https counts for nothing', async () => {
  const { as } = await begin({ from: ['10.0.0.1'] }, { users: [userEntry(ann)] });
  const forged = as({ 'x-forwarded-proto': 'https', 'x-forwarded-for': '198.51.100.7' });
  const answer = await forged.logIn(ann);
  expect(answer.headers.getSetCookie().join()).not.toMatch(/Secure|__Host/);
  expect(await forged.page('/audit/sessions')).toContain('<td>127.0.0.1</td>');
});
