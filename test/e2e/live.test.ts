// Commands ask a daemon in another process: one that works, that was killed, that hangs, and a second one. The stand-ins hold
// answers back until the test releases them, so that no test depends on the speed of a machine.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Served } from '../../src/standin/serve.ts';
import { startProgram } from '../support/program.ts';
import { createSides } from '../support/sides.ts';

const patience = { timeout: 100_000, interval: 20 };
const people = (count: number) =>
  Array.from({ length: count }, (_, index) => [`P${index}`, `p${index}@live.test`] as const);
/** Once a year: every run after the first is one that somebody asked for. */
const yearly = { schedule: '0 0 1 1 *', full_scan: '0 0 1 1 *' };

interface RigOptions {
  readonly rows: number;
  /** The answer to this create, and to each after it, is held back; 0: none is. */
  readonly holdFrom: number;
  readonly state?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The name of a second sync, which has nothing to do. */
  readonly second?: string;
}

async function createRig({ rows, holdFrom, state, env = {}, second }: RigOptions) {
  const held: (() => void)[] = [];
  let isHolding = holdFrom > 0;
  let creates = 0;
  const around = (served: Served): Served => ({
    async fetch(request, bindings) {
      const isCreate = request.method === 'POST' && request.url.endsWith('/upsert');
      if (isCreate) creates += 1;
      if (isHolding && isCreate && creates >= holdFrom) await new Promise<void>((resolve) => void held.push(resolve));
      return served.fetch(request, bindings);
    },
  });
  const release = () => {
    isHolding = false;
    for (const goOn of held.splice(0)) goOn();
  };
  const sides = await createSides({
    values: [['First name', 'Email'], ...people(rows)],
    rowCount: 500,
    around,
    ...(second !== undefined && { second: { name: second, values: [['First name', 'Email']] } }),
    sync: {
      match: ['email'],
      columns: { 'First name': 'first_name', Email: 'email' },
      limits: { creates: 1_000 },
      settle_secs: 0,
      ...yearly,
    },
    more: { server: null, ...(state !== undefined && { state: `file:${state}` }) },
  });
  onTestFinished(sides.close);
  onTestFinished(release);
  const start = (...args: string[]) =>
    startProgram([...args, '--config', sides.configFile], { cwd: sides.folder, env });
  /** A second daemon, and a command in the environment of a test, are processes; another command is one of the test's own. */
  const run = (...args: string[]) =>
    args[0] === 'run' || Object.keys(env).length > 0 ? start(...args).ended : sides.run(...args);
  /** Asks again while a busy machine keeps the daemon from answering in time. */
  const liveStatus = (...args: string[]) =>
    vi.waitFor(async () => {
      const status = await run('status', ...args);
      expect(status.stderr).toBe('');
      return status;
    }, patience);
  const startDaemon = async () => {
    const daemon = start('run', '--log-level', 'debug');
    await vi.waitFor(() => expect(daemon.printed.stdout).toContain('leadsheet started'), patience);
    return { ...daemon, pid: daemon.child.pid! };
  };
  const socket = join(sides.folder, 'state', '.daemon.sock');
  return { ...sides, held, hold: () => void (isHolding = true), release, start, run, liveStatus, startDaemon, socket };
}

const runsOf = ({ stdout }: { readonly stdout: string }) => stdout.split('"msg":"run ended"').length - 1;

test('W8: Ctrl-C while sync follows the daemon ends the following and not the run', async () => {
  const it = await createRig({ rows: 40, holdFrom: 5 });
  const daemon = await it.startDaemon();
  await vi.waitFor(() => expect(it.held.length).toBeGreaterThan(0), patience);
  const queued = it.start('sync');
  await vi.waitFor(() => expect(queued.printed.stderr).toContain('queued this one behind it'), patience);

  const status = await it.liveStatus();
  expect(status.stdout).toMatch(/^ {2}running: \d+ of 40 changes sent to the service/m);
  expect(status.stdout).toMatch(/\nthe daemon is running; in the last minute [1-9]/);

  queued.child.kill('SIGINT');
  const { code, stdout, stderr } = await queued.ended;
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
  expect(stderr).toContain(
    `leadsheet: no longer followed: the daemon (process ${daemon.pid}) runs prospects next; leadsheet status shows it\n`,
  );
  expect(stderr).not.toContain('stopping');
  it.release();
  await vi.waitFor(() => expect(runsOf(daemon.printed)).toBe(2), patience);
  expect(it.contacts()).toHaveLength(40);

  // The same for a run that has begun.
  it.hold();
  it.person.paste('Prospects!A42', [['New', 'new@live.test']]);
  const following = it.start('sync', '--log-level', 'debug');
  await vi.waitFor(() => expect(it.held.length).toBeGreaterThan(0), patience);
  following.child.kill('SIGTERM');
  const second = await following.ended;
  expect(second).toMatchObject({ code: 143, stdout: '' });
  expect(second.stderr).toMatch(/no longer followed: the daemon \(process \d+\) goes on with prospects, run \S+; /);
  it.release();
  await vi.waitFor(() => expect(it.contacts()).toHaveLength(41), patience);
}, 240_000);

test.each([
  [['sync'], 0],
  [['sync', 'prospects', 'second'], 1],
])('W13: %j runs the jobs after one that is paused before its turn comes', async (command, code) => {
  const it = await createRig({ rows: 3, holdFrom: 1, second: 'second' });
  await it.startDaemon();
  await vi.waitFor(() => expect(it.held.length).toBeGreaterThan(0), patience);
  const queued = it.start(...command);
  await vi.waitFor(() => expect(queued.printed.stderr).toContain('queued this one behind it'), patience);
  expect(await it.run('pause', 'prospects')).toMatchObject({ code: 0 });
  it.release();
  const ended = await queued.ended;
  expect(ended.stdout).toMatch(/^second: succeeded/);
  expect(ended.stderr).toContain('prospects was not run: somebody paused it before its turn came');
  expect(ended.code).toBe(code);
});

test('a killed daemon is noticed by its process: status says so at once, sync runs by itself, and the next one is heard', async () => {
  const it = await createRig({ rows: 12, holdFrom: 5 });
  const first = await it.startDaemon();
  await vi.waitFor(() => expect(it.held.length).toBeGreaterThan(0), patience);
  expect(statSync(it.socket).mode & 0o777).toBe(0o600);
  const following = it.start('sync');
  await vi.waitFor(() => expect(following.printed.stderr).toContain('queued'), patience);
  first.child.kill('SIGKILL');
  const cut = await following.ended;
  expect(cut).toMatchObject({ code: 1, stdout: '' });
  expect(cut.stderr).toMatch(
    /leadsheet: prospects: the daemon \(process \d+\) broke off.*; how it stands: leadsheet status; to go on: leadsheet sync prospects\n/,
  );
  it.release();

  const status = await it.run('status');
  expect(status).toMatchObject({ code: 0, stderr: '' });
  expect(status.stdout).toMatch(
    new RegExp(
      `no daemon runs \\(the last one, process ${first.pid}, was killed; its last sign is of 2.*\\): leadsheet run`,
    ),
  );
  expect(JSON.parse((await it.run('status', '--json')).stdout)).toMatchObject({
    daemon: null,
    last_daemon: { pid: first.pid, end: 'killed' },
    syncs: [{ phase: null, running: null, next_run: null }],
  });
  expect((await it.run('sync')).code).toBe(0);
  expect(it.contacts()).toHaveLength(12);

  // The socket of the killed one stands there still.
  expect(statSync(it.socket).isSocket()).toBe(true);
  const second = await it.startDaemon();
  expect((await it.liveStatus()).stdout).toContain('the daemon is running; in the last minute');
  second.child.kill('SIGTERM');
  expect((await second.ended).code).toBe(0);
  expect(readdirSync(join(it.folder, 'state'))).not.toContain('.daemon.sock');
  expect((await it.run('status')).stdout).toMatch(
    new RegExp(`no daemon runs \\(the last one, process ${second.pid}, ended 2`),
  );
}, 240_000);

test('a daemon that hangs is waited for a few seconds: status falls back to the heartbeat, sync runs by itself', async () => {
  const it = await createRig({ rows: 3, holdFrom: 0 });
  const daemon = await it.startDaemon();
  // Its run is over and has given the state back.
  await vi.waitFor(
    async () => expect((await it.run('status', '--json')).stdout).toContain('"phase": "idle"'),
    patience,
  );
  daemon.child.kill('SIGSTOP');
  onTestFinished(() => void daemon.child.kill('SIGCONT'));

  const status = await it.run('status');
  expect(status.code).toBe(0);
  expect(status.stderr).toBe(
    `leadsheet: the daemon (process ${daemon.pid}) did not answer within 3 s; this is what it told last\n`,
  );
  expect(status.stdout).toMatch(/\nthe daemon is running as of 2.*; in the last minute/);

  it.person.type('Prospects!A2', 'Typed');
  const sync = await it.run('sync');
  expect(sync).toMatchObject({ code: 0, stdout: expect.stringContaining('contacts: 1 updated') });
  expect(sync.stderr).toContain('the daemon did not answer within 10 s: this command does it by itself');

  // A second daemon would write beside this one as soon as it goes on.
  const second = await it.run('run');
  expect(second.code).toBe(1);
  expect(second.stderr).toContain('the socket of another leadsheet run is there and did not answer within 5 s');

  daemon.child.kill('SIGCONT');
  expect((await it.liveStatus()).stdout).toContain('the daemon is running; in the last minute');
}, 240_000);

/** An earlier daemon that a busy machine keeps from answering within five seconds cannot be named. */
const couldNotAsk = (stderr: string) => stderr.includes('did not answer within');

test('W7: a second daemon on one state folder is refused, and the first goes on', async () => {
  const it = await createRig({ rows: 3, holdFrom: 1 });
  const first = await it.startDaemon();
  const second = await vi.waitFor(async () => {
    const refused = await it.run('run');
    expect(couldNotAsk(refused.stderr)).toBe(false);
    return refused;
  }, patience);
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toMatch(
    new RegExp(
      `^leadsheet: \\S*state: another leadsheet run \\(process ${first.pid}, since 2\\S+\\) works on this state\\. End that one first, or give this one another \`state:\`\\n$`,
    ),
  );
  expect((await it.liveStatus()).stdout).toContain('the daemon is running; in the last minute');
}, 240_000);

/** Undefined: the machine was too busy for the first one to say that it ends, or to end within twelve seconds. */
async function startWhileOneEnds(): Promise<Awaited<ReturnType<typeof createRig>> | undefined> {
  const it = await createRig({ rows: 3, holdFrom: 1 });
  const first = await it.startDaemon();
  await vi.waitFor(() => expect(it.held.length).toBeGreaterThan(0), patience);
  first.child.kill('SIGTERM');
  await vi.waitFor(() => expect(first.printed.stdout).toContain('ending'), patience);
  const startedAt = performance.now();
  const next = it.start('run');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  it.release();
  expect((await first.ended).code).toBe(0);
  const isStarted = () => next.printed.stdout.includes('leadsheet started');
  await vi.waitFor(() => expect(isStarted() || next.child.exitCode !== null).toBe(true), patience);
  if (isStarted()) return it;
  const { stderr } = await next.ended;
  const hasWaited = performance.now() - startedAt >= 12_000;
  if (couldNotAsk(stderr) || hasWaited) return undefined;
  throw new Error(`it did not wait: ${stderr}`);
}

test('W7: a daemon that is ending is waited for', async () => {
  let it: Awaited<ReturnType<typeof startWhileOneEnds>>;
  do it = await startWhileOneEnds();
  while (!it);
  expect((await it.liveStatus()).stdout).toContain('the daemon is running; in the last minute');
}, 240_000);

test('of daemons that start at the same moment one runs, also where a killed one left its socket', async () => {
  const it = await createRig({ rows: 1, holdFrom: 0 });
  const killed = await it.startDaemon();
  killed.child.kill('SIGKILL');
  await killed.ended;
  const all = Array.from({ length: 3 }, () => it.start('run'));
  const ends: (number | null)[] = [];
  for (const { ended } of all) void ended.then(({ code }) => ends.push(code));
  await vi.waitFor(() => expect(ends.length).toBeGreaterThanOrEqual(2), patience);
  expect(ends).toEqual([1, 1]);
  const runs = all.filter(({ printed }) => printed.stdout.includes('leadsheet started'));
  expect(runs).toHaveLength(1);
  const { daemon } = JSON.parse((await it.liveStatus('--json')).stdout) as { daemon: unknown };
  expect(daemon).toMatchObject({ pid: runs[0]!.child.pid, told: 'now' });
}, 240_000);

test('a state folder whose path is too long for a socket has it in a private folder for temporary files', async () => {
  const base = mkdtempSync(join(tmpdir(), 'leadsheet-long-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const temporary = join(base, 'tmp');
  mkdirSync(temporary);
  const state = join(base, 'a-long-name-'.repeat(8), 'state');
  const it = await createRig({ rows: 2, holdFrom: 0, state, env: { TMPDIR: temporary } });
  const daemon = await it.startDaemon();
  await vi.waitFor(() => expect(runsOf(daemon.printed)).toBe(1), patience);
  const [folder, ...others] = readdirSync(temporary).filter((name) => name.startsWith('leadsheet-'));
  expect(others).toEqual([]);
  expect(statSync(join(temporary, folder!)).mode & 0o777).toBe(0o700);
  const [name] = readdirSync(join(temporary, folder!));
  expect(statSync(join(temporary, folder!, name!))).toMatchObject({ mode: 0o140_600 });
  expect((await it.liveStatus()).stdout).toContain('the daemon is running; in the last minute');
  const sync = await it.run('sync');
  expect(sync.code).toBe(0);
  expect(readFileSync(join(state, '.daemon.json'), 'utf8')).toContain(`"pid": ${daemon.pid}`);
  await vi.waitFor(() => expect(runsOf(daemon.printed)).toBe(2), patience);
}, 240_000);
