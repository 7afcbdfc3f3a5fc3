import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request as openRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import delay from 'delay';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { protocolVersion } from '../../src/operator/answers/live.ts';
import { statusAnswer } from '../../src/operator/answers/status.ts';
import { syncAnswer } from '../../src/operator/answers/runs.ts';
import { createLocalApp, type LocalAppOptions } from '../../src/web/local/app.ts';
import { start } from '../support/cli.ts';
import type { DaemonTrialOptions } from '../support/daemon.ts';
import { createDaemonTrial, until } from '../support/daemon.ts';

/* A daemon and commands of one process, over a real socket. test/e2e/live.test.ts has processes that are killed. */

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
const people = (count: number) =>
  Array.from({ length: count }, (_, index) => [`P${index}`, 'Lee', 'Firm', `p${index}@firm.io`]);
/** Once a year: every other run is one that somebody asked for. */
const yearly = { schedule: '0 0 1 1 *', full_scan: '0 0 1 1 *' };

/** Answers of requests for which `isHeld` says so wait until they are released. */
interface HeldOptions extends DaemonTrialOptions {
  readonly isHeld?: (request: Request) => boolean;
  /** In place of the side. */
  readonly answer?: (request: Request) => Response | undefined;
}

function createHeld(options: HeldOptions = {}) {
  const held: (() => void)[] = [];
  let isHolding = true;
  const { isHeld = isCreate, answer = () => undefined, ...rest } = options;
  const trial = createDaemonTrial({
    values: [header, ...people(6)],
    ...rest,
    sync: { ...yearly, limits: { creates: 1_000 }, ...rest.sync },
    around: async (request, next) => {
      if (isHolding && isHeld(request)) await new Promise<void>((resolve) => void held.push(resolve));
      return answer(request) ?? next(request);
    },
  });
  const release = () => {
    isHolding = false;
    for (const goOn of held.splice(0)) goOn();
  };
  onTestFinished(release);
  const socket = join(trial.stateFolder, '.daemon.sock');
  let chance = 0.5;
  const random = () => (chance = (chance * 16_807 + 0.123) % 1);
  /** At the level of a person; the daemon of these tests logs at `debug`. */
  const begin = (...args: string[]) =>
    start(['--config', trial.configFile, '--log-level', 'info', ...args], {}, { transport: trial.transport, random });
  const cli = (...args: string[]) => begin(...args).ended;
  const status = async () => statusAnswer.parse(JSON.parse((await cli('status', '--json')).stdout));
  return { ...trial, cli, beginCli: begin, held, release, socket, status };
}

const patience = { timeout: 100_000, interval: 20 };

const isCreate = (request: Request) => request.method === 'POST' && request.url.endsWith('/upsert');

async function createIdle(options: HeldOptions = {}) {
  const trial = createHeld(options);
  trial.release();
  const daemon = await trial.begin();
  await until(() => daemon.daemon.status().every(({ phase, hasRun }) => hasRun && phase !== 'running'));
  return { ...trial, daemon };
}

test('L12: a reload and a run that are asked for while the daemon starts wait until it has begun', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const reload = vi.fn<() => Promise<unknown>>(async () => ({ outcome: 'taken up' }));
  const job = vi.fn<() => undefined>();
  const app = createLocalApp({ begun, reload, job } as unknown as LocalAppOptions);
  const post = (path: string, body: unknown) => app.request(path, { method: 'POST', body: JSON.stringify(body) });
  const reloaded = post('/v1/reload', {});
  const ran = post('/v1/runs', {
    protocol: protocolVersion,
    name: 'prospects',
    full: false,
    changes: false,
    even_if_paused: false,
  });
  await delay(50);
  expect([reload.mock.calls, job.mock.calls]).toEqual([[], []]);
  begin();
  expect([(await reloaded).status, (await ran).status]).toEqual([200, 404]);
});

test('status tells what the daemon does now: the run, its step, its counts and the budget', async () => {
  const trial = createHeld({ isHeld: (request) => isCreate(request) && trial.contacts().length >= 3 });
  await trial.begin();
  await until(() => trial.held.length > 0);
  const askedAt = Date.now();
  const { daemon, syncs } = await trial.status();
  const [sync] = syncs;
  expect(daemon).toMatchObject({ state: 'running', told: 'now', pid: process.pid });
  expect(Date.parse(daemon!.written_at)).toBeGreaterThanOrEqual(askedAt);
  expect(daemon!.budget.crm.used).toBeGreaterThan(3);
  expect(sync).toMatchObject({ phase: 'running', running: { step: 'crm', total: 6, is_full: false } });
  expect(sync!.running!.done).toBeGreaterThanOrEqual(1);
  expect((await trial.cli('status')).stdout).toMatch(
    /^ {2}running: \d of 6 changes sent to the service.*; run \d{8}-\d{6}-\w+, since 2/m,
  );
  trial.release();
  await vi.waitFor(async () => {
    const [after] = (await trial.status()).syncs;
    expect(after).toMatchObject({ phase: 'idle', running: null, last_run: { status: 'succeeded' } });
    expect(after!.next_run).toMatch(/-01-01T/);
  }, patience);
});

test('sync by the daemon prints, answers and exits as without one', async () => {
  const trial = await createIdle();
  trial.change('p0@firm.io', { company_name: 'Of the service' });
  trial.type('p0@firm.io', 'Company', 'Of the sheet');
  const plain = (text: string) =>
    text.replaceAll(/\d{8}-\d{6}-\w+/g, 'RUN').replaceAll(/[\d.]+ s, \d+ calls?, \d+ reads? and \d+ writes?/g, 'COST');
  const asked = async () => {
    const text = await trial.cli('sync', '--log-level', 'debug');
    const json = await trial.cli('sync', 'prospects', '--full', '--json');
    const [ran] = syncAnswer.parse(JSON.parse(json.stdout)).syncs;
    return { text: { ...text, stdout: plain(text.stdout), stderr: plain(text.stderr) }, json, run: ran! };
  };
  const told = () => trial.lines.filter(({ msg }) => msg === 'run ended').map((line) => line['run']);

  // The first of the four runs writes the conflict's mark.
  await trial.cli('sync');
  const byDaemon = await asked();
  expect(told()).toContain(byDaemon.run.run);
  await trial.daemon.stop();
  const byItself = await asked();
  expect(told()).not.toContain(byItself.run.run);

  expect(byDaemon.text).toEqual(byItself.text);
  expect(byDaemon.text).toMatchObject({ code: 3, stderr: expect.stringContaining('prospects: run RUN ends: partial') });
  const same = { run: '', cost: undefined };
  expect({ ...byDaemon.run, ...same }).toEqual({ ...byItself.run, ...same });
  expect(byDaemon.json).toMatchObject({ code: 3, stderr: '' });
  expect(byDaemon.run).toMatchObject({ name: 'prospects', kind: 'sync', is_full: true, status: 'partial' });
});

test('W10: sync by the daemon sends what was typed just now, as without one', async () => {
  const trial = await createIdle({ sync: { settle_secs: 3_600 } });
  await trial.cli('sync');
  trial.type('p1@firm.io', 'Company', 'Typed');
  const { code, stdout } = await trial.cli('sync');
  expect({ code, company: trial.contactOf('p1@firm.io').company_name }).toEqual({ code: 0, company: 'Typed' });
  expect(stdout).toContain('contacts: 1 updated');
});

test('a request during a run is queued behind it, which is said, and one run answers all who asked', async () => {
  const trial = createHeld();
  await trial.begin();
  await until(() => trial.held.length > 0);
  const [first] = (await trial.status()).syncs;
  const asked = [trial.beginCli('sync'), trial.beginCli('sync', '--full')];
  await until(() => asked.every(({ printed }) => printed.stderr.includes('queued')));
  trial.release();
  const answers = await Promise.all(asked.map(({ ended }) => ended));
  for (const { code, stderr, stdout } of answers) {
    expect(code).toBe(0);
    expect(stderr).toContain(
      `leadsheet: prospects: a run is under way (${first!.running!.run}): the daemon (process ${process.pid}) queued this one behind it\n`,
    );
    expect(stdout).toMatch(/^prospects: succeeded, run \S+, a full scan, /);
    expect(stdout).not.toContain(first!.running!.run);
  }
  expect(answers[0]!.stdout).toBe(answers[1]!.stdout);
  expect(trial.said('run started')).toHaveLength(2);
});

test('W6: a refused token: status says stopped and what to do, and sync tries once and says why', async () => {
  let isRefused = false;
  const trial = await createIdle({
    answer: (request) =>
      isRefused && request.url.startsWith('http://127.0.0.1:4010') ? new Response('', { status: 401 }) : undefined,
  });
  const { daemon } = trial.daemon;
  isRefused = true;
  const first = await trial.cli('sync');
  expect(first).toMatchObject({ code: 1, stderr: '' });
  expect(first.stdout).toMatch(/^prospects: failed, .*\n.*the service does not accept the token/);
  await until(() => daemon.status()[0]?.phase === 'stopped');

  const { stdout } = await trial.cli('status');
  expect(stdout).toMatch(/^prospects: stopped; last run/);
  expect(stdout).toContain(
    'Make a new API key and set it as crm.token of this account, or in the file or variable that its crm section names\n',
  );
  expect(stdout).toContain('  it runs no more: do what this says, then leadsheet reload\n');
  // The heartbeat has it, too: it is what is left if the daemon does not answer.
  await until(() => readFileSync(join(trial.stateFolder, '.daemon.json'), 'utf8').includes('"phase": "stopped"'));

  const calls = trial.crmCalls().length;
  const again = await trial.cli('sync');
  expect(again).toMatchObject({ code: 1, stdout: expect.stringContaining('does not accept the token') });
  expect(again.stderr).toMatch(
    /^leadsheet: prospects: had stopped: .*does not accept the token.* It is tried once more\n/,
  );
  expect(trial.crmCalls()).toHaveLength(calls);
  expect(daemon.status()[0]).toMatchObject({ phase: 'stopped' });
});

test('a configuration that changed since the daemon began is used by the command itself, which is said', async () => {
  const trial = await createIdle();
  const file = parse(readFileSync(trial.configFile, 'utf8')) as { log?: object; syncs: { prospects: object } };
  writeFileSync(trial.configFile, stringify({ ...file, log: { level: 'info' } }));
  expect((await trial.cli('sync')).stderr).toBe('');
  writeFileSync(
    trial.configFile,
    stringify({ ...file, syncs: { prospects: { ...file.syncs.prospects, settle_secs: 77 } } }),
  );
  const runs = trial.said('run started').length;
  const { code, stderr } = await trial.cli('sync');
  expect({ code, runs: trial.said('run started').length }).toEqual({ code: 0, runs });
  expect(stderr).toContain(
    `the daemon (process ${process.pid}) runs with another configuration than ${trial.configFile} has now`,
  );
  expect(stderr).toContain('To have the daemon take it: leadsheet reload');
});

test('W8: a daemon that ends takes no request, and who follows a run is told how far it came', async () => {
  const trial = createHeld({ values: [header, ...people(90)] });
  const { stop } = await trial.begin();
  // A request that comes before the first run has begun is answered by that run.
  await until(() => trial.held.length > 0);
  const following = trial.beginCli('sync', '--json');
  const queued = trial.beginCli('sync');
  await until(() => [following, queued].every(({ printed }) => printed.stderr.includes('queued')));
  const ended = stop();
  const refused = await trial.cli('sync');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /^leadsheet: the daemon \(process \d+\) is ending, and begins nothing new: nothing was done/,
  );
  expect((await trial.status()).daemon).toMatchObject({ state: 'draining', told: 'now' });
  trial.release();
  await ended;
  // Both were queued behind the first run, which was cut short: neither was begun.
  for (const { code, stderr } of [await queued.ended, await following.ended]) {
    expect(code).toBe(1);
    expect(stderr).toMatch(/prospects was not run: the daemon \(process \d+\) is ending/);
  }
  expect((await trial.cli('status')).stdout).toMatch(/no daemon runs \(the last one, process \d+, ended 2/);
});

test('W8: a run that the end of the daemon cuts short is answered with what is left', async () => {
  const trial = createHeld({ values: [header], isHeld: isCreate });
  const { stop, daemon } = await trial.begin();
  await until(() => daemon.status()[0]?.hasRun);
  trial.person.paste("'Prospects'!A2", people(90));
  const following = trial.cli('sync');
  await until(() => trial.held.length > 0);
  const ended = stop();
  trial.release();
  await ended;
  const { code, stdout, stderr } = await following;
  const made = trial.contacts().length;
  expect({ code, isCut: made < 90 }).toEqual({ code: 3, isCut: true });
  expect(stdout).toContain(`stopped before all of it was begun: ${90 - made} left, ${made} done`);
  expect(stderr).toContain(`leadsheet: prospects: the daemon was stopped: ${90 - made} left\n`);
});

test('a daemon of another version is not asked, which is said, and everything works from the state', async () => {
  const trial = createHeld();
  trial.release();
  mkdirSync(trial.stateFolder, { recursive: true });
  const other = createServer((_request, response) => response.end('{"protocol":2,"version":"9.1.0"}'));
  other.listen(trial.socket);
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const status = await trial.cli('status');
  expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining('the daemon could not be asked') });
  expect(status.stderr).toContain('the daemon is leadsheet 9.1.0, another version than this command');
  const sync = await trial.cli('sync');
  expect({ code: sync.code, contacts: trial.contacts().length }).toEqual({ code: 0, contacts: 6 });
  expect(sync.stderr).toContain('the daemon is of leadsheet 9.1.0: this command does it by itself');
  // A second daemon is a second one, whatever it speaks.
  await expect(trial.begin()).rejects.toThrow('the socket of another leadsheet run is there');
});

test('where no socket can be opened, the daemon says so once and works, and status reads its heartbeat', async () => {
  const trial = createHeld();
  trial.release();
  mkdirSync(join(trial.socket, 'taken'), { recursive: true });
  const noFolder = join(trial.folder, 'no-folder');
  writeFileSync(noFolder, '');
  vi.stubEnv('TMPDIR', noFolder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { stop } = await trial.begin();
  expect(statSync(join(trial.socket, 'taken')).isDirectory()).toBe(true);
  await until(() => trial.said('run ended').length > 0);
  expect(trial.said('commands cannot ask this daemon; they read its heartbeat')).toHaveLength(1);
  await vi.waitFor(async () => expect((await trial.status()).daemon).toMatchObject({ told: 'heartbeat' }), patience);
  expect(await trial.cli('sync')).toMatchObject({ code: 0, stderr: '' });
  await stop();
});

test('the socket is for this account alone, is not served by TCP, and tells no secret', async () => {
  const trial = createHeld({ file: { server: { listen: '127.0.0.1:0', hook_secret: 'the-secret-of-hooks' } } });
  trial.release();
  const { url, stop } = await trial.begin();
  expect(statSync(trial.socket).mode & 0o777).toBe(0o600);
  expect((await fetch(`${url}/v1/daemon`)).status).toBe(404);
  const { status, text } = await ask(trial.socket, 'GET', '/v1/daemon');
  expect(status).toBe(200);
  for (const secret of ['the-token-of-the-tests', 'the-secret-of-hooks']) expect(text).not.toContain(secret);
  expect(await ask(trial.socket, 'GET', '/metrics')).toMatchObject({ status: 404 });
  await stop();
  expect(() => statSync(trial.socket)).toThrow('ENOENT');
});

test('requests are bounded in size, time and number, and a wrong one starts nothing', async () => {
  const trial = await createIdle();
  const runs = () => trial.said('run started').length;
  const before = runs();
  const wanted = { protocol: 2, name: 'prospects', full: false, even_if_paused: false, changes: false };
  const post = (body: unknown) => ask(trial.socket, 'POST', '/v1/runs', JSON.stringify(body));
  expect(await post({ ...wanted, name: 'x'.repeat(20_000) })).toMatchObject({ status: 413 });
  expect(await post({ ...wanted, protocol: 1 })).toMatchObject({ status: 400, text: '{"why":"invalid"}' });
  expect(await post({ ...wanted, name: 'nobody' })).toMatchObject({ status: 404, text: '{"why":"unknown"}' });
  expect(await ask(trial.socket, 'POST', '/v1/runs', '{')).toMatchObject({ status: 400 });

  // A client that says half a request is cut off; so are connections beyond the limit.
  const half = connect(trial.socket);
  half.write('POST /v1/runs HTTP/1.1\r\nhost: localhost\r\n');
  const open = Array.from({ length: 60 }, () => connect(trial.socket).on('error', () => {}));
  let closed = 0;
  for (const each of open) each.on('close', () => (closed += 1));
  onTestFinished(() => {
    for (const each of [half, ...open]) each.destroy();
  });
  await until(() => closed >= 60 - 32);
  for (const each of open) each.destroy();
  await once(half.resume(), 'close');
  expect(runs()).toBe(before);
  expect((await trial.status()).daemon).toMatchObject({ told: 'now' });
});

async function ask(socketPath: string, method: string, path: string, body?: string) {
  const sent = openRequest({ socketPath, method, path, agent: false, headers: { host: 'localhost' } });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [AsyncIterable<Buffer> & { readonly statusCode: number }];
  const parts = await Array.fromAsync(response);
  return { status: response.statusCode, text: Buffer.concat(parts).toString() };
}
