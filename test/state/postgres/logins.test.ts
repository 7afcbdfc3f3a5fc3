// Two workers over one database, each with a console: who logs in at one is logged in at both.
import { expect, onTestFinished, test } from 'vitest';
import { createDaemonTrial } from '../../support/daemon.ts';
import { createBrowser } from '../../support/logins.ts';
import { openDatabase, servePostgres } from '../../support/postgres.ts';

const server = servePostgres();
const password = 'a-password-of-the-server';

async function createWorkers() {
  const url = await server().createDatabase();
  const file = { server: { listen: '127.0.0.1:0', password, console: 'write' } };
  const trial = createDaemonTrial({ state: url, file, sync: { schedule: '0 0 1 1 *' } });
  // At the same moment: neither finds a secret, or the hash of the password, of the other one.
  const [first, second] = await Promise.all([trial.begin(), trial.begin()]);
  const database = openDatabase(url);
  onTestFinished(() => database.end());
  return { trial, database, urls: [first.url!, second.url!] as const };
}

/** The same browser at another worker, as behind a proxy that chooses one for each request. */
function at(url: string, browser: ReturnType<typeof createBrowser>) {
  const other = createBrowser(url);
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  return other;
}

test('a session that one worker began is known to the other at once, and its forms are taken there', async () => {
  const { urls } = await createWorkers();
  const browser = createBrowser(urls[0]);
  expect((await browser.logIn({ password })).status).toBe(303);
  const other = at(urls[1], browser);
  expect((await other.ask('/')).status).toBe(200);
  expect(await other.token()).toBe(await browser.token());
  // A form of the first worker, sent to the second.
  const paused = await other.post('/do/pause', { token: await browser.token(), job: 'prospects' });
  expect([paused.status, await browser.page('/')]).toEqual([303, expect.stringContaining('paused')]);
  for (const url of urls) expect(await at(url, browser).page('/audit/logins')).toContain('password of the server');
});

test('a session that one worker ended is over at the other, and stays so whatever that one saves', async () => {
  const { urls } = await createWorkers();
  const browser = createBrowser(urls[0]);
  await browser.logIn({ password });
  const other = at(urls[1], browser);
  expect((await other.ask('/')).status).toBe(200);
  const kept = at(urls[0], browser);
  const token = /action="\/logout"[^]*?name="token" value="([^"]+)"/.exec(await browser.page('/'))?.[1] ?? '';
  expect((await browser.post('/logout', { token })).status).toBe(303);
  // Saves all that it knows.
  expect((await createBrowser(urls[1]).logIn({ password })).status).toBe(303);
  expect([(await kept.ask('/')).status, (await other.ask('/')).status]).toEqual([303, 303]);
});

test('of logins at both workers at once none is lost', async () => {
  const { database, urls } = await createWorkers();
  const browsers = urls.flatMap((url) => [1, 2, 3].map(() => createBrowser(url)));
  await Promise.all(browsers.map((browser) => browser.logIn({ password })));
  const [row] = await database.query(`SELECT value FROM leadsheet.documents WHERE name = 'logins'`);
  const { sessions, logins } = JSON.parse(String(row!['value'])) as {
    sessions: unknown[];
    logins: { number: number }[];
  };
  expect([sessions.length, logins.map(({ number }) => number)]).toEqual([6, [1, 2, 3, 4, 5, 6]]);
  for (const browser of browsers)
    for (const url of urls) expect(await at(url, browser).page('/')).toContain('prospects');
});
