import { expect, test } from 'vitest';
import { createDaemon, type DaemonJob } from '../../../src/daemon/daemon.ts';
import { runsAtOnce } from '../../../src/daemon/fair-turns.ts';
import { inProcessQueue } from '../../../src/daemon/scheduler.ts';
import type { RunRequest } from '../../../src/engine/job.ts';
import { nothingPlanned, type RunReport } from '../../../src/engine/report.ts';
import { noRunCounts } from '../../support/run-counts.ts';

/* Other work on a job, such as an undo, and its runs: one at a time. */

const cost = { crmCalls: 0, sheetReads: 0, sheetWrites: 0, seconds: 0 };

/** A daemon with one job, whose runs end when they are let go. */
function begin() {
  const stop = new AbortController();
  const order: string[] = [];
  const gates: (() => void)[] = [];
  const run = async ({ isAsked }: RunRequest): Promise<RunReport> => {
    order.push('run begins');
    if (isAsked) await new Promise<void>((resolve) => void gates.push(resolve));
    order.push('run ends');
    const at = new Date(0).toISOString();
    return {
      sync: 'archive',
      kind: 'feed',
      run: 'r',
      status: 'succeeded',
      isFull: true,
      startedAt: at,
      endedAt: at,
      counts: noRunCounts,
      cost,
      problems: [],
      holds: [],
      planned: nothingPlanned,
    };
  };
  const daemon = createDaemon({
    jobs: new Map([['archive', { schedule: { cron: '0 0 1 1 *', timeZone: 'UTC' }, settleMs: 0, run }]]),
    remembered: new Map(),
    stop: stop.signal,
    tell: () => {},
    now: () => Date.now(),
    elapsed: () => performance.now(),
    random: () => 0.5,
  });
  return { daemon, stop, order, gates };
}

test('work waits for the run under way, and a run that is asked for waits for the work', async () => {
  const { daemon, order, gates } = begin();
  const first = daemon.ask('archive', false)!;
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const work = daemon.inTurn('archive', async () => {
    order.push('work begins');
    await gate;
    order.push('work ends');
    return 'done';
  })!;
  await expect.poll(() => gates.length).toBe(1);
  expect(order).toEqual(['run begins']);
  gates[0]!();
  await first.ended;
  await expect.poll(() => order.at(-1)).toBe('work begins');
  const second = daemon.ask('archive', false)!;
  open();
  expect(await work).toBe('done');
  await expect.poll(() => gates.length).toBe(2);
  gates[1]!();
  await second.ended;
  expect(order).toEqual(['run begins', 'run ends', 'work begins', 'work ends', 'run begins', 'run ends']);
  daemon[Symbol.dispose]();
});

test('W8: the end waits for work that has begun, and work that has not begun is not done', async () => {
  const { daemon, stop, order } = begin();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const work = daemon.inTurn('archive', async () => {
    await gate;
    order.push('work ends');
  })!;
  const late = daemon.inTurn('archive', async () => void order.push('late work'))!;
  const refused = late.then(
    () => 'done',
    (error: unknown) => String(error),
  );
  stop.abort(new Error('stopped'));
  const drained = daemon.drain(10_000);
  open();
  await work;
  expect(await drained).toEqual([]);
  expect(await refused).toContain('stopped');
  expect(order).toEqual(['work ends']);
});

test('a job that does not exist has no turn, and a failure of work is no failure of the job', async () => {
  const { daemon } = begin();
  expect(daemon.inTurn('nope', async () => {})).toBeUndefined();
  await expect(daemon.inTurn('archive', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(daemon.status()[0]).toMatchObject({ name: 'archive', failuresInARow: 0 });
  daemon[Symbol.dispose]();
});

test('W13: a job that is paused while its run waits for other jobs does not run, and runs once it is resumed', async () => {
  const names = Array.from({ length: runsAtOnce + 1 }, (_, index) => `job-${index}`);
  const last = names.at(-1)!;
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  let elapsedMs = 0;
  let paused = '';
  const jobOf = (name: string): DaemonJob => ({
    schedule: { cron: '0 0 1 1 *', timeZone: 'UTC' },
    settleMs: 0,
    async run() {
      begun.push(name);
      await new Promise<void>((resolve) => void gates.set(name, resolve));
      throw new Error('let go');
    },
  });
  const daemon = createDaemon({
    jobs: new Map(names.map((name) => [name, jobOf(name)])),
    remembered: new Map(),
    stop: new AbortController().signal,
    tell: () => {},
    isPaused: async (name) => name === paused,
    now: () => Date.now(),
    elapsed: () => elapsedMs,
    random: () => 0.5,
  });
  const phaseOfLast = () => daemon.status().find(({ name }) => name === last)!.phase;
  daemon.start();
  for (const name of names) daemon.trigger(name);
  await expect.poll(() => begun.length).toBe(runsAtOnce);
  await expect.poll(phaseOfLast).toBe('running');
  paused = last;
  elapsedMs = 60_000;
  gates.get('job-0')!();
  await expect.poll(phaseOfLast).toBe('paused');
  expect(begun).not.toContain(last);
  paused = '';
  daemon.trigger(last);
  await expect.poll(() => begun.includes(last)).toBe(true);
  for (const letGo of gates.values()) letGo();
  daemon[Symbol.dispose]();
});

test('W13: among several workers, a job that is paused while its run waits for an undo does not run', async () => {
  const begun: boolean[] = [];
  let elapsedMs = 0;
  let isPaused = false;
  const job: DaemonJob = {
    schedule: { cron: '0 0 1 1 *', timeZone: 'UTC' },
    settleMs: 0,
    async run({ isAsked }) {
      begun.push(isAsked);
      throw new Error('begun');
    },
  };
  const daemon = createDaemon({
    jobs: new Map([['archive', job]]),
    remembered: new Map(),
    stop: new AbortController().signal,
    tell: () => {},
    // Any queue but the one of a single process.
    queue: { ...inProcessQueue },
    isPaused: async () => isPaused,
    now: () => Date.now(),
    elapsed: () => elapsedMs,
    random: () => 0.5,
  });
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const undo = daemon.inTurn('archive', () => gate)!;
  daemon.start();
  await expect.poll(() => daemon.status()[0]!.phase).toBe('running');
  isPaused = true;
  elapsedMs = 60_000;
  open();
  await undo;
  await expect.poll(() => daemon.status()[0]!.phase).not.toBe('running');
  expect([daemon.status()[0]!.phase, begun]).toEqual(['paused', []]);
  expect(await daemon.ask('archive', false)!.ended).toMatchObject({ kind: 'crashed' });
  expect(begun).toEqual([true]);
  daemon[Symbol.dispose]();
});
