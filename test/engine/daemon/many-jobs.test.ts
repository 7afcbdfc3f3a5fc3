import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDaemon } from '../../../src/daemon/daemon.ts';
import { nothingPlanned, type RunReport } from '../../../src/engine/report.ts';

/* Many jobs in one daemon, on a clock that the tests move; without jitter. */

const standing = { linked: 0, waiting: 0, conflicts: 0, quarantined: 0, parked: 0, held: 0, ignored: 0 };
const did = { created: 0, updated: 0, appended: 0, set: 0, deleted: 0, removed: 0, enrolled: 0, cancelled: 0, sent: 0 };

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-21T09:00:00Z') });
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);

/** Each run lasts until `until`: no time at all if left out. */
function open(count: number, cron: string, until: Promise<void> = Promise.resolve()) {
  const stop = new AbortController();
  const start = Date.now();
  const secondByJob = new Map<string, number>();
  const run = (name: string) => async (): Promise<RunReport> => {
    if (!secondByJob.has(name)) secondByJob.set(name, (Date.now() - start) / 1_000);
    await until;
    const at = new Date().toISOString();
    return {
      sync: name,
      kind: 'feed',
      run: 'r',
      status: 'succeeded',
      isFull: true,
      startedAt: at,
      endedAt: at,
      counts: { ...standing, ...did },
      cost: { crmCalls: 0, sheetReads: 0, sheetWrites: 0, seconds: 0 },
      problems: [],
      holds: [],
      planned: nothingPlanned,
    };
  };
  const names = Array.from({ length: count }, (_, index) => `job-${index}`);
  const daemon = createDaemon({
    jobs: new Map(names.map((name) => [name, { schedule: { cron, timeZone: 'UTC' }, settleMs: 0, run: run(name) }])),
    remembered: new Map(),
    stop: stop.signal,
    tell: () => {},
    now: () => Date.now(),
    elapsed: () => performance.now(),
    random: () => 0,
  });
  /** The seconds at which the first run of each job began. */
  return { daemon, stop, begun: () => [...secondByJob.values()], jobs: () => [...secondByJob.keys()] };
}

test('up to twenty begin at once', async () => {
  const { daemon, begun } = open(20, '* * * * *');
  daemon.start();
  await seconds(0);
  expect(begun()).toEqual(Array.from({ length: 20 }, () => 0));
  daemon[Symbol.dispose]();
});

test('of more the others follow one after the other', async () => {
  const { daemon, begun } = open(120, '*/10 * * * *');
  daemon.start();
  await seconds(10);
  expect(begun().filter((at) => at === 0)).toHaveLength(20);
  expect(begun()).toHaveLength(120);
  expect(begun().at(-1)).toBe(6);
  for (let second = 0; second < 6; second += 1) {
    expect(begun().filter((at) => at > second && at <= second + 1).length).toBeLessThan(20);
  }
  daemon[Symbol.dispose]();
});

test('each begins within its interval, however many there are', async () => {
  const { daemon, begun } = open(300, '*/10 * * * * *');
  daemon.start();
  await seconds(12);
  expect(begun()).toHaveLength(300);
  expect(begun().at(-1)).toBe(10);
  daemon[Symbol.dispose]();
});

test('twenty runs go on at once, and the others follow', async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const { daemon, jobs } = open(30, '*/10 * * * *', over);
  daemon.start();
  await seconds(5);
  expect(jobs()).toHaveLength(20);
  end();
  await seconds(1);
  expect(jobs()).toHaveLength(30);
  daemon[Symbol.dispose]();
});

test('a run that a person asks for does not wait for the twenty', async () => {
  const { daemon, jobs } = open(40, '*/10 * * * *', new Promise(() => {}));
  daemon.start();
  await seconds(0);
  expect(jobs()).toHaveLength(20);
  // Its first run is due in some hundred milliseconds.
  expect(daemon.ask('job-39', false)?.answer).toBe('started');
  await seconds(0);
  expect(jobs()).toContain('job-39');
  daemon[Symbol.dispose]();
});

test('a run that waits never begins once the process is asked to end, and nobody waits for it', async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const { daemon, stop, jobs } = open(30, '*/10 * * * *', over);
  daemon.start();
  await seconds(5);
  stop.abort();
  const drained = daemon.drain(9_000);
  end();
  await seconds(1);
  expect(await drained).toEqual([]);
  expect(jobs()).toHaveLength(20);
});

test('of runs that do not end, only those are named that had begun', async () => {
  const { daemon, stop, jobs } = open(30, '*/10 * * * *', new Promise(() => {}));
  daemon.start();
  await seconds(5);
  stop.abort();
  const drained = daemon.drain(9_000);
  await seconds(10);
  expect((await drained).toSorted()).toEqual(jobs().toSorted());
});
