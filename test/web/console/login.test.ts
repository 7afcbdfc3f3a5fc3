import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { createDaemonTrial } from '../../support/daemon.ts';
import { createBrowser, userEntry } from '../../support/logins.ts';

/* Logins to the console over HTTP: who gets in, as what, for how long, and what ends it. */

const ann = { name: 'ann', role: 'operator', password: 'four words of ann' } as const;
const bob = { name: 'Bob', role: 'viewer', password: 'four words of bob' } as const;
const password = 'correct horse battery staple';

async function begin(server: Readonly<Record<string, unknown>> = {}) {
  const users = [ann, bob].map(userEntry);
  const trial = createDaemonTrial({ file: { server: { listen: '127.0.0.1:0', console: 'write', users, ...server } } });
  const running = await trial.begin();
  const setServer = (change: Readonly<Record<string, unknown>>) => {
    const file = parse(readFileSync(trial.configFile, 'utf8')) as { server: Record<string, unknown> };
    writeFileSync(trial.configFile, stringify({ ...file, server: { ...file.server, ...change } }));
  };
  const url = running.url!;
  let { stop } = running;
  /** As after a restart; the address is another. Returns a browser with these cookies. */
  async function restart(cookies: ReadonlyMap<string, string>) {
    await stop();
    const next = await trial.begin();
    ({ stop } = next);
    const browser = createBrowser(next.url!);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    return browser;
  }
  return { ...trial, url, setServer, restart, browser: () => createBrowser(url) };
}

/** An answer to headers that `fetch` does not let through. */
function askRaw(url: string, headers: Readonly<Record<string, string>>) {
  const { promise, resolve, reject } = Promise.withResolvers<{ answer: IncomingMessage; text: string }>();
  request(url, { headers }, (answer) => void readText(answer).then((text) => resolve({ answer, text }), reject))
    .on('error', reject)
    .end();
  return promise;
}

test('a person who is not known is led to the login, and then to the page that was asked for', async () => {
  const { browser } = await begin();
  const { ask, logIn, page, cookies } = browser();
  const first = await ask('/log?since=7d&job=prospects');
  expect([first.status, first.headers.get('location')]).toEqual([
    303,
    '/login?next=%2Flog%3Fsince%3D7d%26job%3Dprospects',
  ]);
  const form = await page(first.headers.get('location')!);
  expect(form).toContain('name="next" value="/log?since=7d&amp;job=prospects"');
  expect(form).not.toContain('<nav');
  const answer = await logIn({ name: 'ANN', password: ann.password }, '/log?since=7d&job=prospects');
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/log?since=7d&job=prospects']);
  const session = answer.headers.getSetCookie().find((each) => each.startsWith('leadsheet='));
  expect(session).toMatch(/^leadsheet=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(await page('/')).toContain('Log out');
  expect(await page('/')).toContain('<span>ann</span>');
  expect(cookies.size).toBe(2);
});

test('a script gets a challenge, and a script of a page does not, whose browser would ask with a window', async () => {
  const { url } = await begin();
  const { answer: plain } = await askRaw(`${url}/runs`, {});
  expect([plain.statusCode, plain.headers['www-authenticate']]).toEqual([401, 'Basic realm="Secure Area"']);
  const { answer: ofPage } = await askRaw(`${url}/runs`, { 'sec-fetch-mode': 'cors' });
  expect([ofPage.statusCode, ofPage.headers['www-authenticate']]).toEqual([401, undefined]);
});

test('a link on another site leads to the page once more, because the browser keeps the cookie back', async () => {
  const { url } = await begin();
  const link = { accept: 'text/html', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  const { answer: first, text: page } = await askRaw(`${url}/runs?job=<x>"'`, link);
  expect([first.statusCode, first.headers['content-type']]).toEqual([200, 'text/html; charset=UTF-8']);
  expect(page).toContain('content="0;url=/runs?job=%3Cx%3E%22%27"');
  const { answer: second } = await askRaw(`${url}/runs`, { ...link, 'sec-fetch-site': 'same-origin' });
  expect([second.statusCode, second.headers.location]).toEqual([303, '/login?next=%2Fruns']);
});

test('a wrong password, an unknown name and the password of another are answered alike, and late', async () => {
  const { browser, url } = await begin({ password });
  const tries = [
    { name: 'ann', password: bob.password },
    { name: 'nobody-here', password: ann.password },
    // A user has one password of their own, and not that of the server.
    { name: 'ann', password },
  ];
  const answers = await Promise.all(
    tries.map(async (given) => {
      const begun = performance.now();
      const answer = await createBrowser(url).logIn(given);
      const text = (await answer.text()).replaceAll(given.name, 'NAME');
      return { status: answer.status, text, isLate: performance.now() - begun > 1_900 };
    }),
  );
  expect(answers[0]).toMatchObject({ status: 401, isLate: true });
  expect(answers[0]!.text).toContain('Name or password is wrong.');
  // Two of one address are checked at once; the third is refused unchecked.
  const checked = answers.filter(({ status }) => status === 401);
  expect(checked.length).toBeGreaterThanOrEqual(2);
  for (const each of checked) expect(each).toEqual(answers[0]);
  expect((await browser().logIn(ann)).status).toBe(303);
});

test('a viewer sees all and decides nothing; an operator decides under the own name', async () => {
  const { browser, url } = await begin();
  const [viewer, operator] = [browser(), browser()];
  await viewer.logIn(bob);
  await operator.logIn(ann);
  expect(await viewer.page('/jobs/prospects')).not.toContain('action="/do/');
  // The token of the viewer's own forms, and even that of an operator, gives no right.
  const tokens = [await viewer.token('/'), await operator.token()];
  for (const token of tokens) {
    const answer = await viewer.post('/do/pause', { token, job: 'prospects' });
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('Nothing has happened')]);
  }
  // The token of another session is none.
  const crossed = await operator.post('/do/pause', { token: await viewer.token('/'), job: 'prospects' });
  expect(crossed.status).toBe(403);
  const done = await operator.post('/do/pause', { token: await operator.token(), job: 'prospects', reason: 'lunch' });
  expect(done.status).toBe(303);
  expect(await viewer.page('/jobs/prospects')).toMatch(/Paused by ann/i);
  expect((await fetch(`${url}/metrics`)).status).toBe(401);
  expect((await operator.ask('/metrics')).status).toBe(200);
});

test('with `console: read` an operator decides nothing either', async () => {
  const { browser } = await begin({ console: 'read' });
  const { logIn, page, post, token } = browser();
  await logIn(ann);
  expect(await page('/jobs/prospects')).not.toContain('action="/do/');
  expect((await post('/do/pause', { token: await token('/'), job: 'prospects' })).status).toBe(403);
});

test('the password of the server logs in without a name, also beside users; in the request itself it decides nothing', async () => {
  const { browser, url } = await begin({ password });
  const { logIn, page, token, post } = browser();
  expect((await logIn({ password })).status).toBe(303);
  expect(await page('/jobs/prospects')).toContain('action="/do/pause"');
  expect((await post('/do/pause', { token: await token(), job: 'prospects' })).status).toBe(303);
  for (const given of [`anybody:${password}`, `ann:${ann.password}`]) {
    const headers = { authorization: `Basic ${btoa(given)}`, origin: url };
    expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
    const text = await (await fetch(`${url}/jobs/prospects`, { headers })).text();
    expect(text).toContain('prospects');
    expect(text).not.toContain('action="/do/');
    const body = new URLSearchParams({ token: '', job: 'prospects' });
    const refused = await fetch(`${url}/do/resume`, { method: 'POST', headers, body });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('/login')]);
  }
});

test('with the password alone no name is asked for', async () => {
  const { browser } = await begin({ password, users: [] });
  const { page, logIn } = browser();
  expect(await page('/login')).not.toContain('name="name"');
  expect((await logIn({ password })).status).toBe(303);
});

test('a session survives a restart, and ends with a log-out, which only its own form does', async () => {
  const trial = await begin();
  const before = trial.browser();
  await before.logIn(ann);
  const token = await before.token();
  const after = await trial.restart(before.cookies);
  expect(await after.page('/')).toContain('Log out');
  expect(await after.token()).toBe(token);
  expect((await after.post('/logout', { token: 'x' })).status).toBe(303);
  expect(await after.page('/')).toContain('Log out');
  const stolen = new Map(after.cookies);
  await after.post('/logout', { token });
  expect(after.cookies.has('leadsheet')).toBe(false);
  for (const [name, value] of stolen) after.cookies.set(name, value);
  expect((await after.ask('/')).status).toBe(303);
  expect((await (await trial.restart(stolen)).ask('/')).status).toBe(303);
});

test('an event stream that is open ends with its session', async () => {
  const { browser } = await begin();
  const { ask, logIn, token, post } = browser();
  await logIn(ann);
  const stream = await ask('/events');
  expect(stream.status).toBe(200);
  await post('/logout', { token: await token() });
  expect(await stream.text()).toMatch(/event: over\n/);
});

test('the state holds no cookie and no password, and only its owner reads it', async () => {
  const { browser, stateFolder, lines } = await begin();
  const { logIn, cookies } = browser();
  await logIn(ann);
  const file = join(stateFolder, '.logins.json');
  const kept = readFileSync(file, 'utf8');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const session = cookies.get('leadsheet')!;
  for (const secret of [session, ann.password]) {
    expect(kept).not.toContain(secret);
    expect(JSON.stringify(lines)).not.toContain(secret);
  }
  expect(kept).toContain('"name":"ann"');
});

test('a login gives a new cookie, whatever the browser brought, and ends the session that it had', async () => {
  const { browser } = await begin();
  const { logIn, cookies, ask } = browser();
  const planted = 'A'.repeat(43);
  cookies.set('leadsheet', planted);
  await logIn(ann);
  const first = cookies.get('leadsheet')!;
  expect(first).not.toBe(planted);
  await logIn(bob);
  expect(cookies.get('leadsheet')).not.toBe(first);
  cookies.set('leadsheet', first);
  expect((await ask('/')).status).toBe(303);
  cookies.set('leadsheet', planted);
  expect((await ask('/')).status).toBe(303);
});

test('a removed user and a changed password end sessions within seconds, without a restart; a new user logs in', async () => {
  const { browser, setServer, said } = await begin();
  const [ofAnn, ofBob, ofCat] = [browser(), browser(), browser()];
  await ofAnn.logIn(ann);
  await ofBob.logIn(bob);
  const cat = { name: 'cat', role: 'viewer', password: 'four words of cat' } as const;
  setServer({ users: [userEntry({ ...ann, password: 'other words of ann' }), userEntry(cat)] });
  await expect.poll(async () => (await ofAnn.ask('/')).status).toBe(303);
  expect((await ofBob.ask('/')).status).toBe(303);
  expect((await ofCat.logIn(cat)).status).toBe(303);
  expect((await ofAnn.logIn(ann)).status).toBe(401);
  expect((await ofAnn.logIn({ ...ann, password: 'other words of ann' })).status).toBe(303);
  // A file with a fault changes nobody, and is told once.
  setServer({ users: 'none' });
  await expect
    .poll(
      async () => {
        await ofAnn.ask('/');
        return said('users of the configuration cannot be read anew; they stay as they were').length;
      },
      { timeout: 100_000 },
    )
    .toBe(1);
  expect(await ofAnn.page('/')).toContain('Log out');
});

test('another password of the server ends the sessions of the old one at the next start', async () => {
  const trial = await begin({ password });
  const before = trial.browser();
  await before.logIn({ password });
  const kept = await trial.restart(before.cookies);
  expect(await kept.page('/')).toContain('Log out');
  trial.setServer({ password: 'another horse battery staple' });
  const changed = await trial.restart(before.cookies);
  expect((await changed.ask('/')).status).toBe(303);
});

test('after the login a person is led to a page of ours, and nowhere else', async () => {
  const { browser, url } = await begin({ password, users: [] });
  const cases = {
    '/log?since=7d': '/log?since=7d',
    '/runs/%2F..': '/runs/%2F..',
    '//evil.test': '/',
    '///evil.test': '/',
    '/\\evil.test': '/',
    '/\t/evil.test': '/',
    '\t//evil.test': '/',
    '\\\\evil.test': '/',
    'https://evil.test': '/',
    'https:evil.test': '/',
    'javascript:alert(1)': '/',
    'evil.test': '/',
    '/.//evil.test': '/',
    '/runs/..//evil.test': '/',
    '/%2F/evil.test': '/%2F/evil.test',
    '/%5Cevil.test': '/%5Cevil.test',
    '/\r\nset-cookie: a=b': '/',
    '/login?next=//evil.test': '/',
    '': '/',
  };
  for (const [next, to] of Object.entries(cases)) {
    const { logIn, page } = browser();
    const answer = await logIn({ password }, next);
    const location = answer.headers.get('location')!;
    expect({ next, location }).toEqual({ next, location: to });
    expect(new URL(location, url).origin).toBe(url);
    // A link to the login page carries it first.
    const form = await page(`/login?next=${encodeURIComponent(next)}`);
    expect(form.includes('evil.test')).toBe(to.includes('evil.test'));
  }
});
