// A signal reaches a process during its calls. The stand-ins hold answers back until the test releases them, so that no
// test depends on the speed of a machine. The tests count requests after the signal.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Served } from '../../src/standin/serve.ts';
import { startProgram } from '../support/program.ts';
import { createSides } from '../support/sides.ts';

const patience = { timeout: 100_000, interval: 10 };
const headers = ['First name', 'Email'];
const columns = { 'First name': 'first_name', Email: 'email' };
const people = (count: number) =>
  Array.from({ length: count }, (_, index) => [`P${index}`, `p${index}@stop.test`] as const);

interface RigOptions {
  readonly rows: number;
  /** Requests whose answers are held back from the first on, by method and path. */
  readonly hold?: (request: Request) => boolean;
  /** Answers the request in place of the stand-in. */
  readonly instead?: (request: Request) => Response | undefined;
  readonly sync?: Readonly<Record<string, unknown>>;
  readonly more?: Readonly<Record<string, unknown>>;
}

async function createRig({ rows, hold = () => false, instead = () => undefined, sync, more = {} }: RigOptions) {
  const held: (() => void)[] = [];
  let isHolding = true;
  /** Requests that arrived: method and path. */
  const arrived: string[] = [];
  const around = (served: Served): Served => ({
    async fetch(request, bindings) {
      arrived.push(`${request.method} ${new URL(request.url).pathname}`);
      const other = instead(request);
      if (other) return other;
      const answer = await served.fetch(request, bindings);
      if (isHolding && hold(request)) await new Promise<void>((resolve) => void held.push(resolve));
      return answer;
    },
  });
  const sides = await createSides({
    values: [headers, ...people(rows)],
    rowCount: 500,
    around,
    sync: { match: ['email'], columns, limits: { creates: 1000 }, ...sync },
    more,
  });
  onTestFinished(sides.close);
  const start = (...args: string[]) => startProgram([...args, '--config', sides.configFile], { cwd: sides.folder });
  return {
    ...sides,
    start,
    held,
    arrived,
    release: () => {
      isHolding = false;
      for (const answer of held.splice(0)) answer();
    },
    /** Signals once, and resolves when the process has printed that it got the signal. */
    signal: async ({ child, printed }: ReturnType<typeof start>, name: 'SIGINT' | 'SIGTERM' = 'SIGTERM') => {
      child.kill(name);
      await vi.waitFor(() => expect(`${printed.stderr}${printed.stdout}`).toMatch(/stopping|ending/), patience);
    },
    rowsWithId: () => sides.rows().filter((row) => (row['Contact ID'] ?? '') !== '').length,
  };
}

/** A machine that stands still leaves a process too little of its ten seconds. It says so, and is tried anew. */
async function unlessCutOff<Ended extends { readonly stderr: string; readonly isCutOff?: boolean }>(
  trial: () => Promise<Ended>,
): Promise<Ended> {
  for (;;) {
    const ended = await trial();
    if (!ended.stderr.includes('gave up') && ended.isCutOff !== true) return ended;
  }
}

const isCreate = (request: Request) => request.method === 'POST' && request.url.endsWith('/upsert');

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)(
  'W8, W12: after %s no create of the batch begins, uuids of those that were made stand in their rows, and it exits %i',
  async (signal, code) => {
    const it = await createRig({ rows: 90, hold: isCreate });
    const running = it.start('sync', '--json');
    await vi.waitFor(() => expect(it.held.length).toBeGreaterThan(0), patience);
    await it.signal(running, signal);
    const begun = it.arrived.filter((each) => each.endsWith('/upsert')).length;
    it.release();
    const { code: ended, stderr, stdout } = await running.ended;
    expect(it.arrived.filter((each) => each.endsWith('/upsert'))).toHaveLength(begun);
    expect(begun).toBeLessThan(90);
    expect({ ended, contacts: it.contacts().length, ids: it.rowsWithId() }).toEqual({
      ended: code,
      contacts: begun,
      ids: begun,
    });
    expect(stderr).toContain(
      `leadsheet: stopped: ${90 - begun} left, ${begun} done; to go on: leadsheet sync prospects`,
    );
    const [report] = (JSON.parse(stdout) as { syncs: unknown[] }).syncs;
    expect(report).toMatchObject({ status: 'partial', stopped: { left: 90 - begun, done: begun } });
    const status = await it.run('status');
    expect(status.stdout).toContain(`prospects: partial`);
    expect(status.stdout).toContain(`${90 - begun} left, ${begun} done`);

    // L8, L10: the rest is planned again, once.
    const next = await it.run('sync');
    expect({ next: next.code, contacts: it.contacts().length, ids: it.rowsWithId() }).toEqual({
      next: 0,
      contacts: 90,
      ids: 90,
    });
  },
);

test('W8: while one call gets no answer, the answered calls are saved and told, and the next run settles that one', async () => {
  const it = await unlessCutOff(async () => {
    let isFirst = true;
    const rig = await createRig({ rows: 30, hold: (request) => isCreate(request) && isFirst && !(isFirst = false) });
    const running = rig.start('sync');
    await vi.waitFor(() => expect(rig.rows().length > 0 && rig.contacts().length > 3).toBe(true), patience);
    await rig.signal(running);
    return { ...rig, ...(await running.ended) };
  });
  const made = it.contacts().length;
  expect({ code: it.code, ids: it.rowsWithId() }).toEqual({ code: 143, ids: made - 1 });
  it.release();
  await it.run('sync');
  await it.run('sync');
  expect({ contacts: it.contacts().length, ids: it.rowsWithId() }).toEqual({ contacts: 30, ids: 30 });
});

test('W8: the second signal ends it at once, although a call gets no answer', async () => {
  const it = await createRig({ rows: 3, hold: isCreate });
  const running = it.start('sync');
  await vi.waitFor(() => expect(it.held.length).toBeGreaterThan(0), patience);
  await it.signal(running);
  // One Ctrl-C of npm arrives twice within some milliseconds: another signal has to come later.
  await new Promise((resolve) => setTimeout(resolve, 200));
  running.child.kill('SIGTERM');
  const { code, stderr } = await running.ended;
  expect(code).toBe(143);
  expect(stderr).not.toContain('left');
});

test.each([
  ['a 429 of 100 s', () => new Response('{}', { status: 429, headers: { 'retry-after': '100' } })],
  ['repeats of a call that fails', () => new Response('{}', { status: 503 })],
])('W8: nothing begins after a signal while a write waits for %s', async (_what, answer) => {
  const it = await createRig({ rows: 5, instead: (request) => (isCreate(request) ? answer() : undefined) });
  const running = it.start('sync');
  await vi.waitFor(() => expect(it.arrived.some((each) => each.endsWith('/upsert'))).toBe(true), patience);
  await it.signal(running);
  const calls = it.arrived.filter((each) => each.endsWith('/upsert')).length;
  const { code } = await running.ended;
  expect(code).toBe(143);
  expect(it.arrived.filter((each) => each.endsWith('/upsert'))).toHaveLength(calls);
});

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)(
  'W8: after %s nothing waits for a low budget: "stopping", the rest is counted, and it exits %i by itself',
  async (signal, code) => {
    const {
      code: ended,
      stderr,
      done,
    } = await unlessCutOff(async () => {
      const it = await createRig({ rows: 0, sync: { limits: { changes: '100%' } } });
      for (const [name, email] of people(200)) it.addContact({ first_name: name, work_email: email });
      expect((await it.run('sync')).code).toBe(0);
      const names = it.rows().map(({ Email: email = '' }) => [`New ${email}`]);
      it.person.paste('Prospects!A2', names);
      // One call a second: 200 updates wait for minutes.
      const slow = join(it.folder, 'slow.yaml');
      const text = readFileSync(it.configFile, 'utf8');
      writeFileSync(slow, text.replace('requests_per_minute: 60000', 'requests_per_minute: 60'));
      const running = startProgram(['sync', '--config', slow], { cwd: it.folder });
      const edited = () => it.contacts().filter(({ first_name: name }) => name?.startsWith('New')).length;
      await vi.waitFor(() => expect(edited()).toBeGreaterThan(0), patience);
      await it.signal(running, signal);
      const result = await running.ended;
      // Its call in flight may lose its answer, too.
      return { ...result, done: edited(), isCutOff: result.stdout.includes('unknown') };
    });
    expect(ended).toBe(code);
    expect(stderr).toMatch(/^leadsheet: stopping: /m);
    expect(stderr).toContain(
      `leadsheet: stopped: ${200 - done} left, ${done} done; to go on: leadsheet sync prospects`,
    );
  },
);

test.each([['sync'], ['plan'], ['check']])(
  'W8: %s that is stopped while it reads asks for nothing more',
  async (command) => {
    const isReading = (request: Request) => request.method === 'GET' && request.url.includes('/lists');
    const it = await createRig({ rows: 3, hold: isReading });
    const running = it.start(command);
    await vi.waitFor(() => expect(it.held.length).toBeGreaterThan(0), patience);
    await it.signal(running, 'SIGINT');
    const before = it.arrived.length;
    const { code, stderr } = await running.ended;
    expect({ code, arrived: it.arrived.length }).toEqual({ code: 130, arrived: before });
    expect(stderr).toMatch(/leadsheet: stopped/);
    expect(it.writes().service).toEqual([]);
  },
);

test('W7, W8: a command that waits for another process to let go of the state ends at a signal', async () => {
  const it = await createRig({ rows: 3, hold: isCreate });
  const first = it.start('sync');
  await vi.waitFor(() => expect(it.held.length).toBeGreaterThan(0), patience);
  const second = it.start('sync', '--log-level', 'debug');
  await vi.waitFor(() => expect(second.printed.stderr).toContain('begins'), patience);
  await it.signal(second);
  expect((await second.ended).code).toBe(143);
  it.release();
  expect((await first.ended).code).toBe(0);
});

test('W8: the daemon begins nothing after SIGTERM, reports what is left, and exits 0', async () => {
  const it = await createRig({
    rows: 90,
    hold: isCreate,
    sync: { schedule: '* * * * * *', settle_secs: 0 },
  });
  const running = it.start('run');
  await vi.waitFor(() => expect(it.held.length).toBeGreaterThan(0), patience);
  await it.signal(running);
  const begun = it.arrived.filter((each) => each.endsWith('/upsert')).length;
  it.release();
  const { code, stdout, stderr } = await running.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(it.arrived.filter((each) => each.endsWith('/upsert'))).toHaveLength(begun);
  expect(begun).toBeLessThan(90);
  expect(it.rowsWithId()).toBe(begun);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'run stopped before its end', left: 90 - begun, done: begun }),
  );
});
