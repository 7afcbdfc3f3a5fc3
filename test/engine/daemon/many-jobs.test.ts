import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDaemon } from '../../../src/daemon/daemon.ts';
import { createFairTurns } from '../../../src/daemon/fair-turns.ts';
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

/** Each run lasts until `until`, or until that of its job or account: no time at all if left out. */
function open(
  count: number,
  cron: string,
  until: Promise<void> = Promise.resolve(),
  accountOf?: (name: string) => string,
  untilOf: Readonly<Record<string, Promise<void>>> = {},
) {
  const stop = new AbortController();
  const start = Date.now();
  const secondByJob = new Map<string, number>();
  const run = (name: string) => async (): Promise<RunReport> => {
    if (!secondByJob.has(name)) secondByJob.set(name, (Date.now() - start) / 1_000);
    await (untilOf[name] ?? untilOf[accountOf?.(name) ?? ''] ?? until);
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
    ...(accountOf && { accountOf }),
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

/** `job-0`, `job-1`, ... belong to these accounts, so many each, one account after the other. */
function accountsOf(counts: Readonly<Record<string, number>>) {
  const all = Object.entries(counts).flatMap(([account, count]) => Array.from({ length: count }, () => account));
  return { count: all.length, accountOf: (name: string) => all[Number(name.slice(4))]! };
}

const never = new Promise<void>(() => {});

test('W8: a run whose turn came in the moment of the stop does not begin', async () => {
  const stop = new AbortController();
  const begun: string[] = [];
  const run = createFairTurns(stop.signal).run('one', async () => begun.push('one'));
  stop.abort();
  expect([await run, begun]).toEqual([undefined, []]);
});

describe('no account starves another', () => {
  test('an account whose calls hang takes half of the twenty, and the jobs of the other one go on', async () => {
    const { count, accountOf } = accountsOf({ slow: 40, quick: 15 });
    const { daemon, jobs } = open(count, '*/10 * * * *', undefined, accountOf, { slow: never });
    daemon.start();
    await seconds(60);
    const of = (account: string) => jobs().filter((name) => accountOf(name) === account);
    expect([of('slow').length, of('quick').length]).toEqual([10, 15]);
    daemon[Symbol.dispose]();
  });

  test('where many accounts hang, each other one still gets a run at a time', async () => {
    const { count, accountOf } = accountsOf({ one: 30, two: 30, three: 30, four: 5, five: 5 });
    const hangs = { one: never, two: never, three: never };
    const { daemon, jobs } = open(count, '*/10 * * * *', undefined, accountOf, hangs);
    daemon.start();
    await seconds(60);
    const counts = Object.groupBy(jobs(), accountOf);
    expect(Object.entries(counts).map(([account, names]) => [account, names?.length])).toEqual([
      ['one', 10],
      ['two', 10],
      ['three', 1],
      ['four', 5],
      ['five', 5],
    ]);
    daemon[Symbol.dispose]();
  });

  test('of runs that wait, those of the account with the fewest under way begin first', async () => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const { count, accountOf } = accountsOf({ first: 60, second: 20, small: 2 });
    const { daemon, jobs } = open(count, '*/10 * * * *', never, accountOf, { 'job-0': over, 'job-1': over });
    daemon.start();
    await seconds(60);
    const counts = () => Object.values(Object.groupBy(jobs(), accountOf)).map((names) => names?.length);
    expect(counts()).toEqual([10, 10, 1]);
    // Two of the first account end, of which fifty wait for longer: 19 are under way.
    end();
    await seconds(1);
    expect(counts()).toEqual([10, 10, 2]);
    daemon[Symbol.dispose]();
  });

  test('one account alone uses all twenty', async () => {
    const { daemon, jobs } = open(30, '*/10 * * * *', never);
    daemon.start();
    await seconds(5);
    expect(jobs()).toHaveLength(20);
    daemon[Symbol.dispose]();
  });

  test('more than forty runs never go on at once, whatever number of accounts hangs', async () => {
    const { count, accountOf } = accountsOf(
      Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`account-${n}`, 3])),
    );
    const { daemon, jobs } = open(count, '*/10 * * * *', never, accountOf);
    daemon.start();
    await seconds(60);
    expect(jobs()).toHaveLength(40);
    daemon[Symbol.dispose]();
  });
});
