import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { consoleLinkTold } from '../../../src/operator/answers/live.ts';
import { run } from '../../support/cli.ts';
import { createDaemonTrial, type DaemonTrialOptions, until } from '../../support/daemon.ts';
import { createBrowser, userEntry } from '../../support/logins.ts';

/* `leadsheet console`: a link that logs the person of this machine in, through the socket of the daemon, once. */

const password = 'correct horse battery staple';

async function begin(server: Readonly<Record<string, unknown>> | null = {}, options: DaemonTrialOptions = {}) {
  const trial = createDaemonTrial({
    ...options,
    file: { server: server && { listen: '127.0.0.1:0', console: 'write', ...server } },
  });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  const daemon = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  const url = daemon.url ?? '';
  const command = (...args: string[]) => trial.cli('console', ...args);
  const link = async (...args: string[]) =>
    consoleLinkTold.parse(JSON.parse((await command('--json', ...args)).stdout) as unknown);
  const code = async (...args: string[]) => new URL((await link(...args)).url).hash.slice(1);
  return { ...trial, daemon, url, command, link, code, browser: () => createBrowser(url) };
}

test('the link logs the account of the machine in, with details and as operator; who comes without it sees what it saw before', async () => {
  const { url, command, browser, lines } = await begin();
  const { code, stdout, stderr } = await command();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [, link = '', secret = ''] = /^(http:\S+\/enter#([\w-]{43}))$/m.exec(stdout) ?? [];
  expect(link).toBe(`${url}/enter#${secret}`);
  expect(stdout).toContain('Open it within 60 s. It logs in ann as operator, once.');

  const ann = browser();
  expect(await ann.page('/conflicts')).toContain('Names, addresses and other values are hidden');
  const page = await ann.ask('/enter');
  expect(page.headers.get('referrer-policy')).toBe('same-origin');
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(await page.text()).toContain('<button type="submit">Log in</button>');
  const entered = await ann.post('/enter', { code: secret });
  expect([entered.status, entered.headers.get('location')]).toEqual([303, '/']);
  expect(entered.headers.get('set-cookie')).toMatch(/^leadsheet=[\w-]{43}; .*HttpOnly; SameSite=Strict$/);
  expect(await ann.page('/records?of=ann@firm.io')).toContain('Ann');
  expect(await browser().page('/records?of=ann@firm.io')).not.toContain('Ann');

  await ann.post('/do/pause', { token: await ann.token(), job: 'prospects', reason: 'lunch' });
  expect(await ann.page('/audit')).toMatch(/<th scope="row">ann<\/th>\s*<td>console<\/td>/);
  const logins = await ann.page('/audit/logins');
  expect(logins).toMatch(/<th scope="row">ann<\/th>\s*<td>127\.0\.0\.1<\/td>\s*<td>logged in<\/td>/);
  expect(logins).toContain('link of leadsheet console, through the socket');
  expect(JSON.stringify(lines)).toContain('a link into the console was made');
  expect(JSON.stringify(lines)).not.toContain(secret);
});

test('a link works once, for a minute, and after no restart; a made-up one never; failures are in the audit', async () => {
  const { url, code, browser, daemon, begin: start } = await begin();
  const [used, late, old] = [await code(), await code(), await code()];
  const ann = browser();
  const both = await Promise.all([ann.post('/enter', { code: used }), browser().post('/enter', { code: used })]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 401]);
  for (const given of [used, '', 'x', `${used.slice(0, -1)}!`, 'A'.repeat(43), 'x'.repeat(10_000)]) {
    const answer = await browser().post('/enter', { code: given });
    expect({ given, status: answer.status, text: await answer.text() }).toMatchObject({
      status: 401,
      text: expect.stringContaining('Nobody was logged in'),
    });
    expect(answer.headers.getSetCookie()).toEqual([]);
  }
  expect(await ann.page('/audit/logins')).toContain('a link that was used, is too old or was never made');
  // A look at the page leaves the link good, and the whole link is as good as its code.
  await browser().ask(`/enter?code=${late}`);
  expect((await browser().post('/enter', { code: `${url}/enter#${late}` })).status).toBe(303);
  const now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => now + 61_000);
  onTestFinished(() => void vi.restoreAllMocks());
  expect((await browser().post('/enter', { code: old })).status).toBe(401);
  vi.restoreAllMocks();
  await daemon.stop();
  const again = createBrowser((await start()).url!);
  expect((await again.post('/enter', { code: old })).status).toBe(401);
  // The session outlives the daemon.
  for (const [name, value] of ann.cookies) again.cookies.set(name, value);
  expect(await again.page('/')).toContain('Log out');
});

test('CSRF: no page of another site logs a browser in, and no link replaces the session of another person silently', async () => {
  const bob = { name: 'bob', role: 'viewer', password: 'four words of bob' } as const;
  const { url, code, browser } = await begin({ users: [userEntry(bob)] });
  const secret = await code();
  for (const origin of ['https://evil.test', 'null', url.replace(/\d+$/, '1')]) {
    const answer = await browser().post('/enter', { code: secret }, { origin });
    expect({ origin, status: answer.status }).toEqual({ origin, status: 403 });
  }
  const ofBob = browser();
  await ofBob.logIn(bob);
  const cookie = ofBob.cookies.get('leadsheet');
  const asked = await ofBob.post('/enter', { code: secret });
  const text = await asked.text();
  expect(asked.status).toBe(409);
  expect(text).toContain('Log out <bdi>bob</bdi>, and log in as <bdi>ann</bdi>');
  expect(ofBob.cookies.get('leadsheet')).toBe(cookie);
  expect(await ofBob.page('/')).toContain('<span>bob</span>');
  // The answer names the session that ends: a form that was made for another one replaces nothing.
  expect((await ofBob.post('/enter', { code: secret, replaces: 'other' })).status).toBe(409);
  const [, replaces = ''] = /name="replaces" value="([^"]+)"/.exec(text) ?? [];
  expect((await ofBob.post('/enter', { code: secret, replaces })).status).toBe(303);
  expect(await ofBob.page('/')).toContain('<span>ann</span>');
  expect(await ofBob.page('/audit/logins')).toContain('another login in the same browser');
  // The same person comes by another link.
  expect((await ofBob.post('/enter', { code: await code() })).status).toBe(303);
});

test('--read makes a viewer; a console that only reads lets an operator decide nothing', async () => {
  const { code, browser, daemon } = await begin();
  const viewer = browser();
  await viewer.post('/enter', { code: await code('--read') });
  expect(await viewer.page('/audit')).toContain('Only operators see who did what.');
  expect(await viewer.page('/jobs/prospects')).not.toContain('/do/');
  expect((await viewer.post('/do/pause', { token: 'x', job: 'prospects' })).status).toBe(403);
  await daemon.stop();

  const reading = await begin({ console: 'read', password });
  const operator = reading.browser();
  await operator.post('/enter', { code: await reading.code() });
  expect(await operator.page('/audit')).toContain('No decision is recorded');
  expect(await operator.page('/jobs/prospects')).not.toContain('/do/');
});

test('without a console or a daemon the command says in one line what to do', async () => {
  const off = await begin({ console: 'off', password });
  expect(await off.command()).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^leadsheet: the daemon serves no console: set server\.listen, .*leadsheet run\n$/),
  });
  expect((await off.browser().ask('/enter')).status).not.toBe(200);
  await off.daemon.stop();
  expect(await off.command('--open')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^leadsheet: no daemon runs on the state of \S+: start it with leadsheet run, and ask again\n$/,
    ),
  });
  const none = await begin(null);
  expect((await none.command()).stderr).toContain('the daemon serves no console');
});

test('--open gives the browser a file that only its owner can read, and no argument with the link', async () => {
  const { configFile, browser } = await begin();
  const opened: string[] = [];
  const world = { openInBrowser: async (path: string) => void opened.push(path) };
  const { code, stdout } = await run(['console', '--open'], { LEADSHEET_CONFIG: configFile }, world);
  const [, secret = ''] = /#([\w-]{43})/.exec(stdout) ?? [];
  expect({ code, opened: opened.length }).toEqual({ code: 0, opened: 1 });
  expect(opened[0]).not.toContain(secret);
  const path = fileURLToPath(opened[0]!);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const [, to = ''] = /content="0;url=([^"]+)"/.exec(readFileSync(path, 'utf8')) ?? [];
  expect((await browser().post('/enter', { code: to })).status).toBe(303);
  const failing = { openInBrowser: () => Promise.reject(new Error('none is there')) };
  const failed = await run(['console', '--open'], { LEADSHEET_CONFIG: configFile }, failing);
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('/enter#') });
  expect(failed.stderr).toBe('leadsheet: no browser could be opened (none is there): open the link yourself\n');
});
