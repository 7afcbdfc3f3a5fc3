import { expect, test } from 'vitest';
import { createDaemonTrial, type DaemonTrialOptions, until } from '../../support/daemon.ts';

/* The console over HTTP: what it shows, what it hides, and that no text of either side is markup. */

const password = 'correct horse battery staple';
const withPassword = { authorization: `Basic ${btoa(`anybody:${password}`)}` };

async function begin(options: DaemonTrialOptions = {}, server: Readonly<Record<string, unknown>> = {}) {
  const trial = createDaemonTrial({ ...options, file: { server: { listen: '127.0.0.1:0', ...server } } });
  const contact = trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', company_name: '<x-evil>"\'&' });
  const { url } = await trial.begin();
  await until(() => trial.said('change done').length > 0 && trial.said('run ended').length > 1);
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) => fetch(`${url}${path}`, { headers });
  const page = async (path: string) => {
    const answer = await get(path, withPassword);
    return { status: answer.status, text: await answer.text() };
  };
  return { ...trial, contact, url, get, page };
}

/** The first run that changed something, as the page of runs links it. */
async function firstRun(page: (path: string) => Promise<{ readonly text: string }>): Promise<string> {
  const { text } = await page('/runs');
  return [...text.matchAll(/\/runs\/[\w-]+/g)].map(([path]) => path).at(-1)!;
}

test('every page is served, and shows what the operator layer answers', async () => {
  const { page } = await begin({}, { password });
  for (const path of ['/', '/jobs/prospects', '/runs', '/conflicts', '/problems', '/log']) {
    expect({ path, status: (await page(path)).status }).toEqual({ path, status: 200 });
  }
  expect((await page('/')).text).toContain('/jobs/prospects');
  const run = await page(await firstRun(page));
  expect(run.text).toContain('sheet append');
  const log = (await page('/log')).text;
  expect(log).toContain('sheet append');
  // Each part by itself: a name from right to left turns no address round.
  const name = /<bdi class="who">Ann[^<]*<\/bdi> <bdi class="who" dir="ltr">&lt;ann@firm\.io&gt;<\/bdi>/;
  expect(log).toMatch(name);
  expect(run.text).toMatch(name);
});

test('W9: a run that finds nothing to do leaves no report, and no page has a link to it', async () => {
  const { page, said } = await begin({ file: {}, sync: { schedule: '* * * * * *' } }, { password });
  const ended = said('run ended').length;
  await until(() => said('run ended').length > ended + 1);
  expect((await page('/')).text).toContain('nothing to do');
  const texts = await Promise.all(['/', '/jobs/prospects'].map(async (path) => (await page(path)).text));
  const runs = texts.flatMap((text) => [...text.matchAll(/href="(\/runs\/[^"/]+)"/g)].map(([, run]) => run!));
  const statuses = await Promise.all(runs.map(async (run) => (await page(run)).status));
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
});

test('a filter that cannot be read is named by its label, with a way back', async () => {
  const { page } = await begin({}, { password });
  const { status, text } = await page('/log?since=7x&job=prospects');
  expect({ status, text }).toMatchObject({ status: 400, text: expect.stringContaining('Since: 7x is no time') });
  expect(text).not.toContain('--since');
  expect(text).toContain('<a href="/log">The page without its filter</a>');
  expect((await page('/runs?until=never')).text).toContain('Until: never is no time');
});

test('a conflict is shown with the three values, and the command that settles it', async () => {
  const { page, type, change, contact, said } = await begin({ sync: { conflict: 'manual' } }, { password });
  change('ann@firm.io', { company_name: 'Service Ltd' });
  type('ann@firm.io', 'Company', 'Sheet Ltd');
  await until(() => said('run ended').some(({ counts }) => (counts as { conflicts?: number }).conflicts === 1));
  const { text } = await page('/conflicts');
  expect(text).toContain('Service Ltd');
  expect(text).toContain('Sheet Ltd');
  expect(text).toContain(`leadsheet resolve ${contact.uuid}/company_name`);
  expect((await page('/')).text).toContain('Needs a person');
});

test('a record is shown with its values, where each came from, and what the next run would do', async () => {
  const { page, contact } = await begin({}, { password });
  for (const record of [contact.uuid, 'ann@firm.io', 'row:2']) {
    const { status, text } = await page(`/records?of=${record}`);
    expect({ record, status }).toEqual({ record, status: 200 });
    expect(text).toContain('>ann@firm.io<');
    expect(text).toContain('It has nothing to do for this record.');
  }
  expect((await page('/records?of=bob@firm.io')).status).toBe(404);
});

test('an unknown job or run is a page that says so, with 404', async () => {
  const { page } = await begin({}, { password });
  const noText = ['/jobs/%zz', '/jobs/%E0%A4%A', '/jobs/%zz/held', '/runs/%zz', '/records?of=%zz'];
  for (const path of ['/jobs/nope', '/runs/nope', '/log?job=nope', '/nothing-here', ...noText]) {
    const { status, text } = await page(path);
    expect({ path, status }).toEqual({ path, status: 404 });
    expect(text).toContain('class="empty"');
  }
  expect((await page('/log?since=yesteryear')).status).toBe(400);
});

test('text of either side is never markup', async () => {
  const { page } = await begin({}, { password });
  const paths = ['/', '/jobs/prospects', '/runs', await firstRun(page), '/conflicts', '/problems', '/log'];
  const hostile = [
    '/log?contact=<x-evil>"',
    '/log?job=<x-evil>"',
    '/problems?kind=<x-evil>"',
    '/records?of=<x-evil>"',
    '/records?of=ann@firm.io',
    '/jobs/<x-evil>',
    '/runs/<x-evil>',
  ];
  for (const path of [...paths, ...hostile]) expect((await page(path)).text).not.toContain('<x-evil');
  expect((await page('/log')).text).toContain('&lt;x-evil&gt;&quot;&#39;&amp;');
});

test('without a password the pages are read, and contact details are hidden', async () => {
  const { get } = await begin();
  for (const path of ['/', '/log', '/conflicts', '/problems', '/runs', '/records?of=row:2']) {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(await answer.text()).not.toMatch(/ann@firm\.io|>Ann</);
  }
  expect(await (await get('/log')).text()).toContain('hidden, because this server asks for no password');
});

test('with a password nothing is shown to a person who does not have it', async () => {
  const { get } = await begin({}, { password });
  for (const path of ['/', '/log', '/runs', '/do/pause', '/nothing-here']) expect((await get(path)).status).toBe(401);
});

test('`server.console: off` serves no page', async () => {
  const { get } = await begin({}, { console: 'off' });
  expect((await get('/')).status).toBe(404);
  expect((await get('/healthz')).status).toBe(200);
});

test('pages load nothing from elsewhere, stand in no frame, and are not kept', async () => {
  const { get } = await begin();
  const { headers } = await get('/');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(headers.get('content-security-policy')).not.toContain('unsafe');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('no method but reading is answered', async () => {
  const { url } = await begin();
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    expect((await fetch(`${url}/runs`, { method })).status).toBe(404);
  }
});

test('a file is named by its content, kept for ever, and comes compressed; a first load is under 80 KB', async () => {
  const { get } = await begin();
  const page = await (await get('/')).text();
  const files = [...page.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  expect(files.map((file) => file.split('/').at(-1))).toContain('console.css');
  // A page has tokens and is not compressed. By http a browser asks for gzip, by https for br as well.
  let bytes = page.length;
  for (const file of files) {
    for (const encoding of ['br', 'gzip']) {
      const answer = await get(file, { 'accept-encoding': `deflate, ${encoding}, zstd` });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      expect(answer.headers.get('cache-control')).toContain('immutable');
      if (encoding === 'gzip') bytes += Number(answer.headers.get('content-length'));
    }
    const plain = await get(file, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect((await get(file.replace(/[0-9a-f]{16}/, '0'.repeat(16)))).status).toBe(404);
  }
  // Issue 17: the first load is under 80 KB.
  expect(bytes).toBeLessThan(80_000);
});
