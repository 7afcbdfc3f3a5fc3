import { describe, expect, onTestFinished, test } from 'vitest';
import { pages } from '../../../src/web/console/pages.ts';
import { launchBrowser } from '../../support/browser.ts';
import { hasBrowser } from '../../support/has-browser.ts';
import { createDaemonTrial, until } from '../../support/daemon.ts';
import { createBrowser, userEntry } from '../../support/logins.ts';

/* Safety of the console: forms of other sites, frames, scripts, and markup in the texts of either side. */

const ann = { name: 'ann', role: 'operator', password: 'four words of ann' } as const;

test('a form that another site sends does nothing, also with the session and the token of a person', async () => {
  const trial = createDaemonTrial({
    file: { server: { listen: '127.0.0.1:0', console: 'write', users: [userEntry(ann)] } },
  });
  const { url } = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  const { logIn, token, post, page, ask } = createBrowser(url!);
  await logIn(ann);
  const right = { token: await token(), job: 'prospects' };
  const port = new URL(url!).port;
  for (const origin of [
    'https://evil.test',
    'null',
    '',
    'http://127.0.0.1',
    `http://localhost:${port}`,
    `${url}.evil.test`,
  ]) {
    for (const path of ['/do/pause', '/do/run', '/do/end-session']) {
      expect({ origin, path, status: (await post(path, right, { origin })).status }).toEqual({
        origin,
        path,
        status: 403,
      });
    }
    expect((await post('/logout', right, { origin })).status).toBe(403);
    expect((await post('/login', { name: 'ann', password: ann.password }, { origin })).status).toBe(403);
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
    const headers = { origin: 'https://evil.test', ...(type && { 'content-type': type }) };
    const answer = await ask('/do/pause', {
      method: 'POST',
      body: new Blob([new URLSearchParams(right).toString()]),
      headers,
    });
    expect({ type, status: answer.status }).toEqual({ type, status: 403 });
  }
  // A link changes nothing.
  for (const path of ['/do/pause', '/do/run', '/logout', '/do/end-session']) {
    expect((await ask(`${path}?${new URLSearchParams(right).toString()}`)).status).toBe(404);
  }
  const shown = await page('/jobs/prospects');
  expect(shown).toContain('Log out');
  expect(shown).not.toMatch(/paused by/i);
});

test('a login behind a proxy that passes its own name on is refused with what the proxy lacks', async () => {
  const trial = createDaemonTrial({ file: { server: { listen: '127.0.0.1:0', users: [userEntry(ann)] } } });
  const { url } = await trial.begin();
  const form = { name: 'ann', password: ann.password };
  const answer = await createBrowser(url!).post('/login', form, { origin: 'https://status.example.com' });
  expect(answer.status).toBe(403);
  expect(await answer.text()).toBe(
    `the form is of a page of https://status.example.com, and this server was asked as ${new URL(url!).host}: forms of other ` +
      'pages are refused; a proxy in front has to pass the name that people typed on in Host (docs/console.md)\n',
  );
});

test('every answer, the login page and refusals included, stands in no frame and runs no script of its text', async () => {
  const trial = createDaemonTrial({
    file: { server: { listen: '127.0.0.1:0', console: 'write', users: [userEntry(ann)] } },
  });
  const { url } = await trial.begin();
  const { ask, logIn, page } = createBrowser(url!);
  const check = async (path: string) => {
    const { headers } = await ask(path);
    const policy = headers.get('content-security-policy') ?? '';
    expect({ path, policy }).toEqual({ path, policy: expect.stringContaining("default-src 'none'") as string });
    for (const part of ["frame-ancestors 'none'", "script-src 'self'", "form-action 'self'", "base-uri 'none'"]) {
      expect(policy).toContain(part);
    }
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  };
  for (const path of ['/', '/login', '/nothing', '/metrics', '/healthz']) await check(path);
  await logIn(ann);
  for (const path of ['/', '/log', '/audit/sessions', '/nothing']) {
    await check(path);
    expect(await page(path)).not.toMatch(/<script(?![^>]*src="\/assets\/)|\son\w+=|\sstyle=|javascript:/i);
  }
});

/** Markup in each of its forms, as the name of a thing, and as harmless letters of the same kind. */
const hostile = (id: string) =>
  `<b id=${id}>"'\`&lt;</b></td></table><script>x()</script><img src=x onerror=x()>{{x}}\${x}--><!--`;
const harmless = (id: string) => `plain ${id} `.padEnd(hostile(id).length, 'x');

// The browser is a package that holds a Linux binary. It parses pages as browsers do.
describe.runIf(hasBrowser)('texts of either side', () => {
  test('no text makes an element, an attribute or a script, on any page', async () => {
    const browser = await launchBrowser();
    onTestFinished(() => browser.close());
    const parser = await (await browser.newContext({ offline: true })).newPage();
    /** Elements with their attributes: what a text could change. Text itself is left out. */
    const elementsOf = (html: string) =>
      parser.evaluate<string[]>(
        `[...new DOMParser().parseFromString(${JSON.stringify(html)}, 'text/html').querySelectorAll('*')]
          .map((each) => [each.tagName, ...each.getAttributeNames()].join(' '))`,
      );
    const [plain, evil] = [await collect(harmless), await collect(hostile)];
    expect([...evil.keys()]).toEqual([...plain.keys()]);
    expect(evil.size).toBeGreaterThan(Object.keys(pages).length);
    for (const [path, html] of evil) {
      // Sorted: what happened in one millisecond may stand in either order.
      const [is, was] = [(await elementsOf(html)).toSorted(), (await elementsOf(plain.get(path)!)).toSorted()];
      expect({ path, elements: is }).toEqual({ path, elements: was });
    }
    // The texts were there.
    expect([...evil.values()].join('')).toContain('&lt;b id=company');
  });
});

/** Every page of a trial whose texts are made by `text`, by its address. */
async function collect(text: (id: string) => string): Promise<ReadonlyMap<string, string>> {
  const company = text('company');
  const trial = createDaemonTrial({
    sync: { conflict: 'manual', schedule: '0 0 1 1 *' },
    columns: { 'First name': 'first_name', [text('header')]: 'company_name', Email: 'email' },
    file: { server: { listen: '127.0.0.1:0', console: 'write', users: [userEntry(ann)] } },
  });
  trial.addContact({ first_name: text('name'), email: 'ann@firm.io', company_name: company });
  const { url, trigger, daemon } = await trial.begin();
  const ended = () => trial.said('run ended').length + trial.said('nothing new').length;
  const run = async () => {
    const before = ended();
    await trigger('prospects');
    await until(() => ended() > before);
  };
  await run();
  trial.change('ann@firm.io', { company_name: text('service') });
  trial.type('ann@firm.io', text('header'), text('sheet'));
  await run();
  const person = createBrowser(url!);
  await person.logIn({ ...ann });
  await person.post('/do/pause', { token: await person.token(), job: 'prospects', reason: text('reason') });
  // A slot or a trigger looks whether it is paused, and this schedule has none this year. A job at rest has no lag: /budgets has a
  // line less from then on.
  daemon.trigger('prospects');
  await until(() => daemon.status().every(({ phase }) => phase === 'paused'));
  const contact = trial.contactOf('ann@firm.io').uuid;
  const run1 = /href="(\/runs\/[^"]+)"/.exec(await person.page('/runs'))?.[1] ?? '/runs/none';
  const found = new Map<string, string>();
  for (const pattern of Object.keys(pages)) {
    const path = pattern.replace('/runs/:run', run1).replace(':name', 'prospects').replace(/:\w+/g, 'none');
    found.set(pattern, await person.page(path));
  }
  const given = encodeURIComponent(text('given'));
  for (const [name, path] of Object.entries({
    record: `/records?of=${contact}`,
    search: `/records?of=${given}`,
    log: `/log?contact=${given}`,
    since: `/log?since=${given}`,
    job: `/jobs/${given}`,
    run: `/runs/${given}`,
    kind: `/problems?kind=${given}`,
    by: `/audit?by=${given}`,
    logins: `/audit/logins?name=${given}`,
    notice: `/?notice=${given}`,
  })) {
    found.set(name, await person.page(path));
  }
  const stranger = createBrowser(url!);
  found.set('login', await stranger.page(`/login?next=/log?contact=${given}`));
  found.set(
    'wrong',
    await (await stranger.logIn({ name: text('user'), password: 'wrong' }, `/log?contact=${given}`)).text(),
  );
  return found;
}
