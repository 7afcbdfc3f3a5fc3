// Budgets that workers share over a real PostgreSQL. Only the clocks of workers, and their way to it, are made up.
import delay from 'delay';
import { beforeAll, describe, expect, test, type TestContext } from 'vitest';
import { budgetName, createMeter, type Limit } from '../../src/limits/meter.ts';
import type { Database } from '../../src/postgres/pool.ts';
import { createSharedPostgres, type SharedPostgres } from '../../src/limits/shared-postgres.ts';
import { openDatabase, servePostgres } from '../support/postgres.ts';

const postgres = servePostgres();
let url: string;
beforeAll(async () => {
  url = await postgres().createDatabase();
});

/** Counted by this time: a test does not wait for minutes. */
const minuteMs = 2_000;
const limit: Limit = { startsMax: 12, lengthMs: minuteMs };
/** No draw is valid for longer. A draw is valid for two seconds and more where the database took one to answer. */
const longMs = 10_000;
let budgets = 0;

interface Worker {
  readonly starts: SharedPostgres;
  readonly database: Database;
  readonly warnings: string[];
  readonly statements: string[];
  /** Answers to draws. */
  answers: number;
  connect(): Promise<unknown>;
  /** Added to its monotone clock, and to its wall clock. */
  readonly clock: { behind: number; wall: number };
  /** What becomes of its statements. */
  link: { delayMs?: number; isAway?: boolean; losesAnswers?: boolean };
  /** The instant that its last look at the clock gave, by the clock of the test. */
  lookedAt: number;
}

/** Workers on one budget of their own, and when each made calls. */
function createFleet({ onTestFinished }: Pick<TestContext, 'onTestFinished'>) {
  budgets += 1;
  const budget = budgetName('crm', 'https://service.test', String(budgets));
  const calls: number[] = [];
  let count = 0;

  function start(): Worker {
    const database = openDatabase(url, { poolMax: 1 });
    const clock = { behind: 0, wall: 0 };
    count += 1;
    const worker: Worker = {
      starts: createSharedPostgres({
        schema: database.schema,
        migrates: true,
        worker: `worker ${count}`,
        minuteMs,
        elapsed() {
          worker.lookedAt = performance.now();
          return worker.lookedAt - clock.behind;
        },
        now: () => Date.now() + clock.wall,
        warn: (message) => worker.warnings.push(message),
        async query(text, values) {
          const { delayMs, isAway, losesAnswers } = worker.link;
          worker.statements.push(text);
          if (delayMs) await delay(delayMs / 2);
          if (isAway) throw new Error('connect ECONNREFUSED');
          const result = await database.query(text, values);
          if (delayMs) await delay(delayMs / 2);
          if (losesAnswers) throw new Error('Connection terminated unexpectedly');
          if (text.includes('RETURNING')) worker.answers += 1;
          return result;
        },
      }),
      database,
      warnings: [],
      statements: [],
      answers: 0,
      connect: () => database.query('SELECT'),
      clock,
      link: {},
      lookedAt: 0,
    };
    onTestFinished(async () => {
      worker.starts[Symbol.dispose]();
      await database.end();
    });
    return worker;
  }

  /** Makes a call now, if the worker may; else how long it has to wait. */
  function call(worker: Worker, wanted = 1): number {
    const waitMs = worker.starts.take(budget, limit, wanted)!;
    if (waitMs === 0) calls.push(worker.lookedAt);
    return waitMs;
  }

  /** Makes calls for so long, as fast as the worker may, with pauses of its own. */
  async function work(worker: Worker, ms: number, random: () => number = () => 1): Promise<number> {
    const until = performance.now() + ms;
    let made = 0;
    while (performance.now() < until) {
      const waitMs = call(worker, 1 + Math.floor(random() * 6));
      if (waitMs === 0) made += 1;
      else await delay(Math.min(waitMs, 40));
      if (random() < 0.05) await delay(random() * 900);
    }
    return made;
  }

  /** The most calls in any time of that length. */
  function highest(lengthMs: number): number {
    const sorted = calls.toSorted((a, b) => a - b);
    return Math.max(0, ...sorted.map((from) => sorted.filter((at) => at >= from && at < from + lengthMs).length));
  }

  return { budget, calls, start, call, work, highest };
}

/** The same sequence each time. */
function createRandom(seed: number): () => number {
  let at = seed;
  return () => {
    at = (at * 48_271) % 2_147_483_647;
    return at / 2_147_483_647;
  };
}

async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

describe('calls that workers share', () => {
  test.concurrent('together they are never more than the limit in any time of its length', async (context) => {
    const fleet = createFleet(context);
    const workers = [fleet.start(), fleet.start(), fleet.start()];
    const randoms = workers.map((_worker, n) => createRandom(n + 7));
    const made = workers.map(() => 0);
    // Each gets a part, and the budget is used, however busy the machine is.
    do {
      const parts = await Promise.all(workers.map((worker, n) => fleet.work(worker, 7_000, randoms[n])));
      for (const [n, part] of parts.entries()) made[n]! += part;
    } while (Math.min(...made) === 0 || fleet.calls.length <= limit.startsMax);
    expect(fleet.highest(limit.lengthMs)).toBeLessThanOrEqual(limit.startsMax);
    expect(workers.flatMap(({ warnings }) => warnings)).toEqual([]);
  });

  test.concurrent('ten that draw at the same instant get the limit together, and no more', async (context) => {
    const round = async () => {
      const fleet = createFleet(context);
      const workers = Array.from({ length: 10 }, () => fleet.start());
      await Promise.all(workers.map((worker) => worker.connect()));
      // The first statement makes the row; what it drew is over when the others begin.
      await eventually(() => fleet.call(workers[0]!) === 0);
      await delay(2 * minuteMs + 100);
      const before = fleet.calls.length;
      for (const worker of workers) fleet.call(worker, 4);
      await eventually(() => workers.every(({ answers }) => answers > 0));
      for (const worker of workers) while (fleet.call(worker, 4) === 0);
      expect(fleet.calls.length - before).toBeLessThanOrEqual(limit.startsMax);
    };
    await Promise.all([round(), round(), round()]);
  });

  test.concurrent('a worker sends at most one statement a second', async (context) => {
    const fleet = createFleet(context);
    const worker = fleet.start();
    await eventually(() => fleet.call(worker) === 0);
    worker.statements.length = 0;
    const began = performance.now();
    await fleet.work(worker, 3_000);
    const seconds = (performance.now() - began) / 1_000;
    expect(worker.statements.length).toBeGreaterThan(0);
    expect(worker.statements.length).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  });

  test.concurrent('a worker that starts, and one that dies with calls that it drew, do not raise the limit', async (context) => {
    const fleet = createFleet(context);
    const first = fleet.start();
    await eventually(() => fleet.call(first, 12) === 0);
    first.starts[Symbol.dispose]();
    const others = [fleet.start(), fleet.start()];
    await Promise.all(others.map((worker) => fleet.work(worker, 3_000)));
    expect(fleet.highest(limit.lengthMs)).toBeLessThanOrEqual(limit.startsMax);
  });

  test.concurrent.for([
    [
      'its monotone clock stood still',
      ({ clock }: Worker, ms: number): void => {
        clock.behind += ms;
        clock.wall += longMs;
      },
    ],
    [
      'both clocks went on',
      ({ clock }: Worker): void => {
        clock.behind -= longMs;
        clock.wall += longMs;
      },
    ],
    ['its wall clock was set back meanwhile', (worker: Worker, ms: number): void => void (worker.clock.wall -= 2 * ms)],
  ] as const)('what a worker drew before it slept is lost: %s', async ([, sleepOf], context) => {
    const fleet = createFleet(context);
    const [sleeper, other] = [fleet.start(), fleet.start()];
    await eventually(() => fleet.call(sleeper, 8) === 0);
    const drawn = sleeper.statements.length;
    const beforeSleep = performance.now();
    await fleet.work(other, 1_500);
    sleepOf(sleeper, performance.now() - beforeSleep);
    // The next call is made from a new draw.
    const madeBefore = fleet.calls.length;
    await eventually(() => fleet.call(sleeper) === 0);
    expect(sleeper.statements.length).toBeGreaterThan(drawn);
    expect(fleet.calls.length).toBe(madeBefore + 1);
    await fleet.work(sleeper, 1_000);
    expect(fleet.highest(limit.lengthMs)).toBeLessThanOrEqual(limit.startsMax);
  });
});

describe('a database that is slow or away', () => {
  test.concurrent('one that hesitates slows calls down, and they are not more than the limit', async (context) => {
    const fleet = createFleet(context);
    const [slow, quick] = [fleet.start(), fleet.start()];
    slow.link = { delayMs: 1_600 };
    const random = createRandom(3);
    // It asks for draws that are valid for longer than the answers take: it makes calls, however long the machine stands still.
    while ((await Promise.all([fleet.work(slow, 9_000, random), fleet.work(quick, 9_000, random)]))[0] === 0);
    expect(fleet.highest(limit.lengthMs)).toBeLessThanOrEqual(limit.startsMax);
  });

  test.concurrent('while it is away no call is made; that is told once, and calls go on when it is back', async (context) => {
    const fleet = createFleet(context);
    const worker = fleet.start();
    await eventually(() => fleet.call(worker) === 0);
    worker.link = { isAway: true };
    await eventually(() => worker.warnings.length > 0 || fleet.call(worker) < 0);
    const made = fleet.calls.length;
    await fleet.work(worker, 2_500);
    expect(fleet.calls.length).toBe(made);
    expect(worker.warnings).toEqual([
      'no calls can be drawn from the budgets in PostgreSQL, so that calls wait (connect ECONNREFUSED). It goes on by itself',
    ]);
    worker.link = {};
    await eventually(() => fleet.call(worker) === 0);
  });

  test.concurrent('a draw whose answer is lost is counted, and none of it is used', async (context) => {
    const fleet = createFleet(context);
    const [unlucky, other] = [fleet.start(), fleet.start()];
    await eventually(() => fleet.call(unlucky) === 0);
    unlucky.link = { losesAnswers: true };
    const made = fleet.calls.length;
    await fleet.work(unlucky, 2_000);
    // What it had drawn before may be used.
    expect(fleet.calls.length).toBeLessThanOrEqual(made + 5);
    await fleet.work(other, 1_500);
    expect(fleet.highest(limit.lengthMs)).toBeLessThanOrEqual(limit.startsMax);
  });

  test.concurrent('a table that somebody deletes is made anew', async (context) => {
    const fleet = createFleet(context);
    const worker = fleet.start();
    await eventually(() => fleet.call(worker) === 0);
    await worker.database.query('DELETE FROM leadsheet.budgets WHERE budget = $1', [fleet.budget]);
    await eventually(() => fleet.call(worker) === 0);
    await fleet.work(worker, 1_500);
    expect(fleet.calls.length).toBeGreaterThan(1);
  });
});

describe('W6: a pause that one worker is told', () => {
  test.concurrent('holds for all, and the longest counts', async (context) => {
    const fleet = createFleet(context);
    const [told, other] = [fleet.start(), fleet.start()];
    await eventually(() => fleet.call(told) === 0 && fleet.call(other) === 0);
    told.starts.pause(fleet.budget, 60_000);
    told.starts.pause(fleet.budget, 2_000);
    expect(fleet.call(told)).toBeGreaterThan(50_000);
    await eventually(() => fleet.call(other) > 10_000);
    expect(other.starts.pausedMs(fleet.budget)).toBeGreaterThan(10_000);
    const late = fleet.start();
    await eventually(() => fleet.call(late) > 10_000);
  });

  test.concurrent('is told when the database is back', async (context) => {
    const fleet = createFleet(context);
    const [told, other] = [fleet.start(), fleet.start()];
    told.link = { isAway: true };
    told.starts.pause(fleet.budget, 120_000);
    await eventually(() => told.warnings.length > 0);
    expect(fleet.call(told)).toBeGreaterThan(100_000);
    told.link = {};
    await eventually(() => fleet.call(other) > 10_000);
  });
});

test('a meter over it counts in the process as well', async (context) => {
  const fleet = createFleet(context);
  const worker = fleet.start();
  const few = { startsMax: 2, lengthMs: 60_000 };
  const meter = createMeter({
    ...few,
    elapsed: () => performance.now(),
    shared: { starts: worker.starts, budget: fleet.budget },
  });
  await eventually(() => meter.take() === 0);
  await eventually(() => meter.take() === 0);
  expect(meter.take()).toBeGreaterThan(1_000);
  expect(meter.lastMinute()).toBeGreaterThanOrEqual(2);
});

test('a process that was stopped while it drew says nothing of a database that did not answer, and goes on', async (context) => {
  const fleet = createFleet(context);
  const worker = fleet.start();
  await eventually(() => fleet.call(worker) === 0);
  worker.link = { delayMs: 200 };
  const statements = worker.statements.length;
  await eventually(() => fleet.call(worker) > 0 && worker.statements.length > statements);
  // Nothing of this process runs meanwhile: no timer, and no answer is read.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, longMs + 500);
  worker.link = {};
  const made = fleet.calls.length;
  await eventually(() => fleet.call(worker) === 0);
  expect({ warnings: worker.warnings, made: fleet.calls.length }).toEqual({ warnings: [], made: made + 1 });
});
