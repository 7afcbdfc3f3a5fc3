import { expect, test } from 'vitest';
import type { ContactSeed } from '../support/app.ts';
import { createDaemonTrial, type DaemonTrialOptions, until } from '../support/daemon.ts';

/* POST /hooks/NAME over HTTP, on a daemon between both stand-ins whose own schedule never fires. */

const secret = 'kept-between-you-and-me-since-2026';
const never = '0 0 1 1 *';

interface Given extends DaemonTrialOptions {
  readonly server?: object;
  readonly contacts?: readonly ContactSeed[];
}

async function begin({ server = {}, contacts = [], ...options }: Given = {}) {
  const file = { server: { listen: '127.0.0.1:0', hook_secret: secret, ...server } };
  const trial = createDaemonTrial({ file, ...options, sync: { schedule: never, full_scan: never, ...options.sync } });
  for (const contact of contacts) trial.addContact(contact);
  const { url, ...running } = await trial.begin();
  await until(() => running.daemon.status().every(({ hasRun }) => hasRun));
  const runs = (sync?: string) => trial.said('run ended', sync).length;
  const post = (path: string, init: RequestInit = { headers: { authorization: `Bearer ${secret}` } }) =>
    fetch(`${url}${path}`, { method: 'POST', ...init });
  return { ...trial, ...running, url, runs, post };
}

test('a hook starts a run of its sync at once, with any body', async () => {
  const trial = await begin();
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  const answer = await trial.post('/hooks/prospects', {
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: '{"sync": "another", "event_name": ',
  });
  expect([answer.status, await answer.json()]).toEqual([202, { sync: 'prospects', answer: 'started' }]);
  await until(() => trial.grid().length === 1);
});

test('the secret is accepted in the address too, for webhooks that can set no header', async () => {
  const trial = await begin();
  const answer = await trial.post(`/hooks/prospects?secret=${secret}`, {});
  expect(answer.status).toBe(202);
  await until(() => trial.runs() === 2);
});

test('a feed is started by its name', async () => {
  const flows = { resource: 'automations', schedule: never, columns: { ID: 'uuid', Name: 'name' } };
  const trial = await begin({ values: [[]], feeds: { flows } });
  trial.service.model.automations.add({ name: 'Q3', status: 'on' });
  expect((await trial.post('/hooks/flows')).status).toBe(202);
  await until(() => trial.grid().length === 1);
});

test('W10: the run of a hook finds a fresh edit settling, and another run follows when it has settled', async () => {
  const values = [
    ['First name', 'Email'],
    ['Ann', 'ann@firm.io'],
  ];
  const columns = { 'First name': 'first_name', Email: 'email' };
  const trial = await begin({
    sync: { settle_secs: 2 },
    columns,
    values,
    contacts: [{ first_name: 'Ann', email: 'ann@firm.io' }],
  });
  const typedAt = Date.now();
  trial.person.type("'Prospects'!A2", 'Anna');
  await trial.post('/hooks/prospects');
  await until(() => trial.contacts()[0]?.first_name === 'Anna');
  expect(Date.now() - typedAt).toBeGreaterThan(1_900);
  expect(trial.said('run started')).toHaveLength(3);
});

test('hooks during a run cause exactly one more run', async () => {
  const gate = Promise.withResolvers<void>();
  let isShut = false;
  const trial = await begin({
    around: async (request, next) => {
      if (isShut) await gate.promise;
      return next(request);
    },
  });
  isShut = true;
  const answers = [];
  for (let count = 0; count < 20; count += 1) {
    const answer = await trial.post('/hooks/prospects');
    answers.push(((await answer.json()) as { answer: string }).answer);
  }
  expect(answers).toEqual(['started', ...Array.from({ length: 19 }, () => 'queued')]);
  gate.resolve();
  await until(() => trial.runs() === 3);
  expect(trial.daemon.nextRun('prospects')).toBeGreaterThan(Date.now() + 3_600_000);
});

test('more than sixty a minute for one name are refused with Retry-After; another name is not affected', async () => {
  const trial = await begin({ others: { customers: { sheet: { spreadsheet: other, tab: 'None' } } } });
  const beganAt = Date.now();
  const statuses = new Set<number>();
  for (let count = 0; count < 60; count += 1) statuses.add((await trial.post('/hooks/prospects')).status);
  expect([...statuses]).toEqual([202]);
  const refused = await trial.post('/hooks/prospects');
  expect([refused.status, await refused.json()]).toEqual([429, { sync: 'prospects', answer: 'too-many' }]);
  const left = 60 - (Date.now() - beganAt) / 1_000;
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(left);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect((await trial.post('/hooks/customers')).status).toBe(202);
});

const other = 'there-is-no-such-spreadsheet-at-all-0000';

test('without the secret a caller learns no names and starts nothing', async () => {
  const trial = await begin();
  const requests = [
    trial.post('/hooks/prospects', {}),
    trial.post('/hooks/nobody', {}),
    trial.post('/hooks', {}),
    trial.post('/hooks/prospects/more', {}),
    trial.post('/hooks/prospects', { method: 'GET' }),
    trial.post('/hooks/prospects', { headers: { authorization: `Bearer ${secret}x` } }),
    trial.post('/hooks/prospects', { headers: { authorization: `Basic ${btoa(`me:${secret}`)}` } }),
    trial.post(`/hooks/prospects?secret=${secret.slice(1)}`, {}),
    trial.post('/hooks/prospects', { body: 'x'.repeat(1_000_000) }),
  ];
  const answers = await Promise.all(requests.map(async (asked) => [(await asked).status, await (await asked).text()]));
  expect(new Set(answers.map(String))).toEqual(
    new Set(['401,{"answer":"refused","why":"the secret is missing or wrong"}']),
  );
  expect(trial.runs()).toBe(1);
  expect(trial.said('a hook came without the right secret')).toMatchObject([{ level: 'warn', times: 1 }]);
});

test('with the secret a wrong name, method or size is named', async () => {
  const trial = await begin();
  const authorization = `Bearer ${secret}`;
  const unknown = await trial.post('/hooks/prospect');
  expect([unknown.status, await unknown.json()]).toEqual([
    404,
    { sync: 'prospect', answer: 'unknown', why: 'no sync or feed has this name' },
  ]);
  const get = await trial.post('/hooks/prospects', { method: 'GET', headers: { authorization } });
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  const large = await trial.post('/hooks/prospects', { headers: { authorization }, body: 'x'.repeat(300_000) });
  expect([large.status, large.headers.get('connection')]).toEqual([413, 'close']);
  // A name of JavaScript's own is no sync.
  expect((await trial.post('/hooks/constructor')).status).toBe(404);
  expect(trial.runs()).toBe(1);
});

test('a failed sync still backs off: the hook is answered with the time of the next try', async () => {
  const trial = await begin({ sync: { sheet: { spreadsheet: other, tab: 'None' } } });
  const failedAt = Date.parse(String(trial.said('run ended')[0]!['time']));
  const asked = trial.sheets.log.counters.reads;
  for (let count = 0; count < 5; count += 1) {
    const answer = await trial.post('/hooks/prospects');
    const body = (await answer.json()) as { answer: string; next_run: string };
    expect([answer.status, body.answer]).toEqual([202, 'backing-off']);
    expect(Date.parse(body.next_run)).toBeGreaterThan(failedAt + 5_000);
  }
  expect([trial.runs(), trial.sheets.log.counters.reads]).toEqual([1, asked]);
});

test('W6: a sync that a refused token stopped stays stopped, and the hook is answered so', async () => {
  const trial = await begin({
    around: (request, next) => {
      if (!request.url.includes(':4010')) return next(request);
      return Promise.resolve(Response.json({ message: 'Unauthenticated.' }, { status: 401 }));
    },
  });
  const answer = await trial.post('/hooks/prospects');
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { sync: 'prospects', answer: 'stopped', why: 'it runs no more; see the log' },
  ]);
  expect(trial.runs()).toBe(1);
});

test('hooks are counted, need no password besides their secret, and the secret is in no line of the log', async () => {
  const trial = await begin({ server: { password: 'of-the-pages' } });
  await trial.post('/hooks/prospects');
  await trial.post('/hooks/nobody');
  await trial.post(`/hooks/prospects?secret=${secret}wrong`, {});
  const authorization = `Basic ${btoa('me:of-the-pages')}`;
  const lines = (await (await fetch(`${trial.url}/metrics`, { headers: { authorization } })).text()).split('\n');
  expect(lines.filter((line) => line.startsWith('leadsheet_hooks_total'))).toEqual([
    'leadsheet_hooks_total{sync="prospects",answer="started"} 1',
    'leadsheet_hooks_total{sync="",answer="unknown"} 1',
    'leadsheet_hooks_total{sync="",answer="refused"} 1',
  ]);
  expect(trial.said('hook')).toMatchObject([{ sync: 'prospects', answer: 'started' }, { answer: 'unknown' }]);
  expect(JSON.stringify(trial.lines)).not.toContain(secret);
  const { status } = await trial.post('/metrics');
  expect(status).toBe(401);
});

test('without a secret in the configuration there are no hooks', async () => {
  const trial = await begin({ server: { hook_secret: undefined } });
  expect((await trial.post('/hooks/prospects')).status).toBe(404);
});
