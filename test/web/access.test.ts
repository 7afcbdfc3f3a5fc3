import { request } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { createWeb, type WebOptions } from '../../src/web/app.ts';
import { createDaemonTrial } from '../support/daemon.ts';
import { openLogins } from '../support/logins.ts';

/* Access to the daemon's server: the right password at once, a wrong one slowly, and no page of another site. */

afterEach(() => void vi.useRealTimers());

const right = 'correct horse battery';

function open(options: Partial<WebOptions> = {}) {
  return createWeb({
    host: '127.0.0.1',
    metrics: { render: () => Promise.resolve('leadsheet_up 1\n'), contentType: 'text/plain; version=0.0.4' },
    status: () => [],
    isDraining: () => false,
    stalledMs: () => 0,
    ...options,
  });
}

async function guarded() {
  vi.useFakeTimers();
  let refused = 0;
  const access = await openLogins({ password: new Secret(right), onWrong: () => void (refused += 1) });
  const web = open({ access });
  const as = (password: string) =>
    web.request('/metrics', { headers: { authorization: `Basic ${btoa(`anybody:${password}`)}` } });
  return { web, as, refused: () => refused };
}

/** The status, or `waits` while there is none. */
async function stateOf(answer: Response | Promise<Response>): Promise<number | 'waits'> {
  const { status } = await Promise.race([
    answer,
    vi.advanceTimersByTimeAsync(0).then(() => ({ status: 'waits' as const })),
  ]);
  return status;
}

test('a wrong password is answered after two seconds, and the right one at once, also at the same time', async () => {
  const { as, refused } = await guarded();
  const wrong = Promise.resolve(as('guess'));
  expect(await stateOf(wrong)).toBe('waits');
  expect(await stateOf(as(right))).toBe(200);
  await vi.advanceTimersByTimeAsync(1_990);
  expect(await stateOf(wrong)).toBe('waits');
  await vi.advanceTimersByTimeAsync(20);
  expect(await stateOf(wrong)).toBe(401);
  expect(refused()).toBe(1);
});

test('a thousand wrong ones at once hold fifty answers, and lock out no other caller', async () => {
  const { as, refused } = await guarded();
  const answers = Array.from({ length: 1_000 }, (_, index) => Promise.resolve(as(`guess ${index}`)));
  const states = await Promise.all(answers.map((answer) => stateOf(answer)));
  expect(states.filter((state) => state === 'waits')).toHaveLength(50);
  expect(states.filter((state) => state === 429)).toHaveLength(950);
  expect(await stateOf(as(right))).toBe(200);
  await vi.advanceTimersByTimeAsync(2_001);
  expect(refused()).toBe(1_000);
  expect(await stateOf(as('another'))).toBe('waits');
});

test('a browser without a password is asked for it at once', async () => {
  const { web, refused } = await guarded();
  expect(await stateOf(web.request('/metrics'))).toBe(401);
  expect(refused()).toBe(0);
});

test('wrong passwords give a line of the log with their number, and a metric', async () => {
  const trial = createDaemonTrial({ file: { server: { listen: '127.0.0.1:0', password: right } } });
  const { url } = await trial.begin();
  const as = (password: string) =>
    fetch(`${url}/metrics`, { headers: { authorization: `Basic ${btoa(`anybody:${password}`)}` } });
  const statuses = await Promise.all([as('guess'), as('another guess')].map(async (answer) => (await answer).status));
  expect(statuses).toEqual([401, 401]);
  expect(await (await as(right)).text()).toContain('\nleadsheet_password_refusals_total 2\n');
  const lines = trial.said('a request came with a wrong password');
  expect(lines).toEqual([expect.objectContaining({ level: 'warn', times: 1 })]);
  expect(JSON.stringify(trial.lines)).not.toContain('guess');
});

describe('the host name of a request', () => {
  const ask = async (host: string, options: Partial<WebOptions> = {}, path = '/metrics') =>
    (await open(options).request(`http://${host}${path}`, { headers: { host } })).status;

  test.each([
    '127.0.0.1:4000',
    'localhost:4000',
    'LOCALHOST',
    '127.8.9.1',
    '[::1]:4000',
    '10.1.2.3:4000',
    '[fd00::5]:80',
  ])('%s is answered: another site cannot take that name', async (host) => expect(await ask(host)).toBe(200));

  test.each([
    'evil.example',
    'evil.example:4000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'leadsheet:4000',
    '',
  ])('"%s" is refused: a page of that name would read the answer in a browser', async (host) => {
    const answer = await open().request('http://127.0.0.1/metrics', { headers: { host } });
    expect(answer.status).toBe(421);
    expect(await answer.text()).toContain('server.hosts');
  });

  test('health and readiness follow the same rule; hooks do not, because they need a secret', async () => {
    const hooks = {
      secret: new Secret('kept-between-you-and-me-since-2026'),
      trigger: async () => 'started' as const,
      nextRun: () => undefined,
      observe: () => {},
      elapsed: () => 0,
    };
    expect(await ask('evil.example', {}, '/healthz')).toBe(421);
    expect(await ask('evil.example', {}, '/readyz')).toBe(421);
    expect(await ask('hooks.firm.example', { hooks }, '/hooks/prospects')).toBe(401);
  });

  test('its own address and server.hosts are answered, with any port', async () => {
    expect(await ask('box.lan:4000', { host: 'box.lan' })).toBe(200);
    expect(await ask('Leadsheet:4000', { hosts: ['leadsheet', 'status.firm.example'] })).toBe(200);
    expect(await ask('evil.example', { hosts: ['leadsheet'] })).toBe(421);
  });

  test('with a password any name is allowed, unless names are given: pages of other sites lack the password', async () => {
    const access = await openLogins({ password: new Secret(right) });
    const ofPassword = async (host: string, hosts?: readonly string[]) =>
      (
        await open({ access, ...(hosts && { hosts }) }).request('/metrics', {
          headers: { host, authorization: `Basic ${btoa(`a:${right}`)}` },
        })
      ).status;
    expect(await ofPassword('leadsheet:4000')).toBe(200);
    expect(await ofPassword('leadsheet:4000', ['status.firm.example'])).toBe(421);
  });

  test('the daemon reads the names from its file', async () => {
    const trial = createDaemonTrial({ file: { server: { listen: '127.0.0.1:0', hosts: ['leadsheet'] } } });
    const { url } = await trial.begin();
    const statusOf = async (host: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
      request(`${url}/healthz`, { headers: { host } }, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
      return promise;
    };
    expect(await Promise.all(['leadsheet:4000', 'evil.example', new URL(url!).host].map(statusOf))).toEqual([
      200, 421, 200,
    ]);
  });
});
