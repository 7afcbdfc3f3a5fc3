// Both drivers of the queue keep the same rules; over PostgreSQL, several workers do.
import { randomUUID } from 'node:crypto';
import delay from 'delay';
import { describe, test, type TestContext } from 'vitest';
import type { Queue, Ran, SchedulerOptions, Verdict } from '../../../src/daemon/queue/port.ts';
import { makeQueueTables } from '../../../src/daemon/queue/postgres/book.ts';
import { openBoss } from '../../../src/daemon/queue/postgres/boss.ts';
import { openPostgresQueue, type PostgresQueue } from '../../../src/daemon/queue/postgres/queue.ts';
import { readWorkers } from '../../../src/daemon/queue/postgres/workers.ts';
import { inProcessQueue } from '../../../src/daemon/scheduler.ts';
import type { Database, Query } from '../../../src/postgres/pool.ts';
import { DatabaseUnavailableError } from '../../../src/state/errors.ts';
import { describeQueueContract } from '../../contract/queue.ts';
import { openDatabase, servePostgres } from '../../support/postgres.ts';
import { nothingRan } from '../../support/reports.ts';

const postgres = servePostgres();

interface Fleet {
  readonly database: Database;
  /** Another worker; it ends with the test. */
  worker(
    name: string,
    more?: {
      config?: string;
      leaseMs?: number;
      accountOf?: (job: string) => string | undefined;
      runsAtOnce?: number;
      /** Connections at most. */
      poolMax?: number;
      mayTake?: () => Promise<boolean>;
      /** The transaction with such a statement is lost before its commit, once. */
      loses?: RegExp;
      /** The answer of such a statement is lost, once, if the end of a run is in it. */
      losesAnswer?: RegExp;
      /** The clock of the database as the looks of the worker find it, ahead of what it is. */
      aheadMs?: () => number;
    },
  ): Promise<PostgresQueue>;
  readonly warnings: string[];
  /** Each message that is not over, as it was when a transaction had been lost. */
  readonly messagesWhenLost: string[];
  /** Job and state of each message that is not over. */
  readonly messages: () => Promise<readonly string[]>;
}

async function createFleet(context: Pick<TestContext, 'onTestFinished'>): Promise<Fleet> {
  const url = await postgres().createDatabase();
  const database = openDatabase(url);
  context.onTestFinished(() => database.end());
  const warnings: string[] = [];
  const messagesWhenLost: string[] = [];
  const messages = async () =>
    (
      await database.query(
        `SELECT singleton_key || ' ' || state AS text FROM leadsheet_queue.job WHERE state < 'completed' ORDER BY 1`,
      )
    ).map(({ text }) => String(text));
  return {
    database,
    warnings,
    messages,
    messagesWhenLost,
    async worker(name, more = {}) {
      const {
        config = 'as first',
        leaseMs = 0,
        accountOf = () => 'default',
        runsAtOnce = 8,
        poolMax = 4,
        mayTake,
        loses,
        losesAnswer,
        aheadMs,
      } = more;
      // Each process has a pool of its own.
      const own = openDatabase(url, { poolMax });
      const queue = await openPostgresQueue({
        database: loses ? losing(own, loses) : losesAnswer ? losingAnswer(own, losesAnswer) : ahead(own, aheadMs),
        worker: { id: name, host: 'test', pid: 1, version: '0' },
        accountOf,
        configOf: () => config,
        leaseMs,
        runsAtOnce,
        ...(mayTake && { mayTake }),
        now: () => Date.now(),
        random: () => 0.5,
        randomId: randomUUID,
        warn: (message) => warnings.push(message),
      });
      context.onTestFinished(async () => {
        await queue[Symbol.asyncDispose]();
        await own.end();
      });
      return queue;
    },
  };

  function ahead(own: Database, aheadMs = () => 0): Database {
    return {
      ...own,
      async queryRepeatable(text, values) {
        const rows = await own.queryRepeatable(text, values);
        return text.includes('changed_at')
          ? rows.map((row) => ({ ...row, now: Number(row['now']) + aheadMs() }))
          : rows;
      },
    };
  }

  function losingAnswer(own: Database, statement: RegExp): Database {
    let isLost = false;
    const lossy =
      (query: Query): Query =>
      async (text, values) => {
        const rows = await query(text, values);
        if (isLost || !statement.test(text) || !rows.some(({ ended }) => typeof ended === 'string')) return rows;
        isLost = true;
        throw new DatabaseUnavailableError('the database', 'the connection was cut', '', { isOutcomeUnknown: true });
      };
    return { ...own, query: lossy(own.query), queryRepeatable: lossy(own.queryRepeatable) };
  }

  function losing(own: Database, statement: RegExp): Database {
    let isLost = false;
    return {
      ...own,
      async transaction(work) {
        let loses = false;
        try {
          return await own.transaction(async (query) => {
            const value = await work((text, values) => {
              loses ||= !isLost && statement.test(text);
              return query(text, values);
            });
            if (loses) throw new Error('the connection was lost');
            return value;
          });
        } finally {
          if (loses) messagesWhenLost.push(...(await messages()));
          isLost ||= loses;
        }
      },
    };
  }
}

describe('in this process', () => {
  describeQueueContract(async () => inProcessQueue);
});

describe('over PostgreSQL', () => {
  describeQueueContract(async (context) => (await createFleet(context)).worker('w1'));
});

const yearly = { cron: '0 0 1 1 *', timeZone: 'UTC' };
const soon = { timeout: 100_000, interval: 20 };

/** The runs of one job on all workers of a test. */
function createRuns() {
  const runs: { readonly worker: string; readonly job: string; readonly isFull: boolean }[] = [];
  const under = new Map<string, number>();
  const most = { value: 0 };
  const open = (
    queue: Queue,
    worker: string,
    more: Partial<SchedulerOptions> & { readonly work?: (count: number) => Promise<Verdict> } = {},
  ) => {
    const { work, ...options } = more;
    const name = options.name ?? 'prospects';
    return queue.open({
      name,
      schedule: yearly,
      isFullScanDue: false,
      settleMs: 50,
      async run(isFull): Promise<Ran> {
        under.set(name, (under.get(name) ?? 0) + 1);
        most.value = Math.max(most.value, under.get(name)!);
        runs.push({ worker, job: name, isFull });
        try {
          const verdict = (await work?.(runs.length)) ?? 'done';
          return { verdict, ended: { kind: 'ran', report: nothingRan(name, `${worker} ${runs.length}`) } };
        } finally {
          under.set(name, under.get(name)! - 1);
        }
      },
      onPause() {},
      onStop() {},
      now: () => Date.now(),
      random: () => 0.5,
      ...options,
    });
  };
  return { runs, most, open };
}

describe('several workers', () => {
  test.concurrent('take turns: no run of a job overlaps another, and none is left out', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, most, open } = createRuns();
    const workers = await Promise.all(['a', 'b', 'c'].map((name) => fleet.worker(name)));
    const everySecond = { cron: '* * * * * *', timeZone: 'UTC' };
    const schedulers = workers.map((queue, n) =>
      open(queue, 'abc'[n]!, { schedule: everySecond, work: async () => (await delay(200), 'done') }),
    );
    for (const scheduler of schedulers) scheduler.start();
    await expect.poll(() => runs.length, soon).toBeGreaterThan(6);
    expect(most.value).toBe(1);
  });

  test.concurrent('S2: a worker that takes no more runs gives back one that it has fetched, and another does it', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    let hasFetched = false;
    let isRefused = false;
    // The tables change while the worker reads whether the job is paused.
    const old = await fleet.worker('old', { mayTake: async () => !(isRefused ||= hasFetched) });
    const asking = open(old, 'old', {
      async isPaused() {
        hasFetched = true;
        await expect.poll(() => isRefused, soon).toBe(true);
        return false;
      },
    });
    asking.start();
    const asked = asking.ask(true);
    await expect.poll(() => isRefused, soon).toBe(true);
    open(await fleet.worker('new'), 'new').start();
    expect(await asked.ended).toMatchObject({ kind: 'ran', report: { run: 'new 1' } });
    expect(runs).toEqual([{ worker: 'new', job: 'prospects', isFull: true }]);
  });

  test.concurrent('W10: a request on one worker is answered when another one did the run', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const [busy, free] = [await fleet.worker('busy', { runsAtOnce: 0 }), await fleet.worker('free')];
    const asking = open(busy, 'busy');
    asking.start();
    open(free, 'free').start();
    await expect.poll(() => [runs.length, asking.phase()], soon).toEqual([1, 'idle']);
    const ended = await asking.ask(true).ended;
    expect(ended).toMatchObject({ kind: 'ran', report: { run: 'free 2' } });
    expect(runs).toEqual([
      { worker: 'free', job: 'prospects', isFull: false },
      { worker: 'free', job: 'prospects', isFull: true },
    ]);
  });

  test.concurrent.for([
    { what: 'whose answer is lost on its way', losesAnswer: /requests WHERE id = ANY/ },
    { what: 'that was lost with the last writes of a failover', isDeleted: true },
  ])('W10: the end of a run is told to a request $what', async ({ losesAnswer, isDeleted = false }, context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const busy = await fleet.worker('busy', { runsAtOnce: 0, ...(losesAnswer && { losesAnswer }) });
    const gate = Promise.withResolvers<void>();
    const asking = open(busy, 'busy');
    asking.start();
    open(await fleet.worker('free'), 'free', { work: async () => (await gate.promise, 'done') }).start();
    await expect.poll(() => runs.length, soon).toBe(1);
    const { ended } = asking.ask(false);
    const requests = () => fleet.database.query('SELECT id FROM leadsheet_queue.requests');
    await expect.poll(requests, soon).toHaveLength(1);
    if (isDeleted) await fleet.database.query('DELETE FROM leadsheet_queue.requests');
    gate.resolve();
    expect(await ended).toMatchObject({ kind: 'ran', report: { run: 'free 2' } });
    await expect.poll(requests, soon).toHaveLength(0);
  });

  test.concurrent('W10: the end of a run that was asked for hours ago is kept for who asked', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    await fleet.worker('first', { runsAtOnce: 0 });
    const left = async () =>
      (await fleet.database.query('SELECT job FROM leadsheet_queue.requests')).map(({ job }) => job);
    await fleet.database.query(
      `INSERT INTO leadsheet_queue.requests (id, job, is_full, asked_at, ended) SELECT gen_random_uuid(), age, false, now() - age::interval, '{}'
       FROM unnest(ARRAY['25 hours', '49 hours']) AS of(age)`,
    );
    // It sweeps when it begins.
    await fleet.worker('second', { runsAtOnce: 0 });
    await expect.poll(left, soon).toEqual(['25 hours']);
  });

  /** The worker is busy, so that no run answers the request of the job that leaves it. */
  async function askedAndLeft(context: TestContext) {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const worker = await fleet.worker('one', { runsAtOnce: 1 });
    const gate = Promise.withResolvers<void>();
    open(worker, 'one', { name: 'busy', work: async () => (await gate.promise, 'done') }).start();
    await expect.poll(() => runs.length, soon).toBe(1);
    const leaving = open(worker, 'one', { name: 'leaving' });
    const { ended } = leaving.ask(true);
    await leaving.stop();
    return { fleet, runs, open, ended, endBusy: gate.resolve };
  }

  test.concurrent('W10: who asked for a run of a job that this worker does not have any more is told', async (context) => {
    const { expect } = context;
    const { ended, endBusy } = await askedAndLeft(context);
    expect(await ended).toEqual({ kind: 'not-run' });
    endBusy();
  });

  test.concurrent('W10, W13: a request that was told as not run is over: it has no paused job run later', async (context) => {
    const { expect } = context;
    const { fleet, runs, open, ended, endBusy } = await askedAndLeft(context);
    expect(await ended).toEqual({ kind: 'not-run' });
    // A reload adds the job again. Somebody has paused it.
    const back = open(await fleet.worker('two'), 'two', { name: 'leaving', isPaused: async () => true });
    back.start();
    await expect.poll(() => back.phase(), soon).toBe('paused');
    expect(runs.filter(({ job }) => job === 'leaving')).toEqual([]);
    endBusy();
  });

  test.concurrent('W13: a run that did not begin, since its job was paused meanwhile, leaves its full scan due', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    let isPaused = false;
    const scheduler = open(await fleet.worker('one'), 'one', {
      isFullScanDue: true,
      isPaused: async () => isPaused,
      async run(isFull, isAsked) {
        if (isAsked) runs.push({ worker: 'one', job: 'prospects', isFull });
        else isPaused = true;
        return { verdict: 'done', ended: { kind: 'not-run' }, ...(!isAsked && { isRested: true }) };
      },
    });
    scheduler.start();
    await expect.poll(() => scheduler.phase(), soon).toBe('paused');
    await scheduler.ask(false).ended;
    expect(runs).toEqual([{ worker: 'one', job: 'prospects', isFull: true }]);
  });

  test.concurrent('runs go on by their schedule when the clock of the database is set back by an hour', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const hourMs = 3_600_000;
    let aheadMs = hourMs;
    const worker = await fleet.worker('one', { aheadMs: () => aheadMs });
    const scheduler = open(worker, 'one', { schedule: { cron: '*/5 * * * * *', timeZone: 'UTC' } });
    scheduler.start();
    await expect.poll(() => [runs.length > 0, scheduler.phase()], soon).toEqual([true, 'idle']);
    // What was set by the clock before, as it looks by the clock after.
    const shifted = await fleet.database.query(
      `WITH moved AS (
         UPDATE leadsheet_queue.job SET start_after = start_after + interval '1 hour' WHERE state = 'created' RETURNING 1
       ) UPDATE leadsheet_queue.turns
         SET turn = jsonb_set(turn::jsonb, '{dueAt}', to_jsonb((turn::jsonb->>'dueAt')::float8 + ${hourMs}))::text
         FROM moved RETURNING 1`,
    );
    expect(shifted).toHaveLength(1);
    const before = runs.length;
    aheadMs = 0;
    await expect.poll(() => runs.length).toBeGreaterThan(before + 1);
  });

  test.concurrent('W6: failures and stops are those of all, and outlast a restart', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const first = await fleet.worker('first');
    const scheduler = open(first, 'first', { work: async () => 'final' });
    scheduler.start();
    await expect.poll(() => scheduler.phase(), soon).toBe('stopped');
    await first[Symbol.asyncDispose]();
    const again = open(await fleet.worker('again'), 'again');
    again.start();
    await expect.poll(() => again.phase(), soon).toBe('stopped');
    await delay(1_500);
    expect(runs.length).toBe(1);
    // With another configuration, such as a new token, it begins again.
    const changed = open(await fleet.worker('changed', { config: 'with a new token' }), 'changed');
    changed.start();
    await expect.poll(() => [runs.length, changed.phase()], soon).toEqual([2, 'idle']);
  });

  test.concurrent('W6: leadsheet reload has a stopped job begin again, also under the same configuration', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const worker = await fleet.worker('one');
    const stopping = open(worker, 'one', { work: async () => 'final' });
    stopping.start();
    await expect.poll(() => stopping.phase(), soon).toBe('stopped');
    const anew = open(worker, 'one', { isAnew: true });
    await stopping.stop();
    anew.start();
    await expect.poll(() => [runs.length, anew.phase()], soon).toEqual([2, 'idle']);
  });

  test.concurrent('W6: a stopped job that begins again has full scans by the schedule that it has by then', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const worker = await fleet.worker('one');
    const stopping = open(worker, 'one', { work: async () => 'final' });
    stopping.start();
    await expect.poll(() => stopping.phase(), soon).toBe('stopped');
    const anew = open(worker, 'one', { isAnew: true, fullScan: { cron: '* * * * * *', timeZone: 'UTC' } });
    await stopping.stop();
    anew.start();
    await expect.poll(() => runs.slice(1).map(({ isFull }) => isFull)).toContain(true);
  });

  test.concurrent('W6: a full scan whose slot has come, and whose jitter is not over, is not lost by a reload', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const worker = await fleet.worker('one');
    const slot = new Date(Date.now() + 2_000);
    const cron = `${slot.getUTCSeconds()} ${slot.getUTCMinutes()} ${slot.getUTCHours()} * * *`;
    const daily = { fullScan: { cron, timeZone: 'UTC' } };
    const before = open(worker, 'one', daily);
    before.start();
    await expect.poll(() => [runs.length, before.phase()], soon).toEqual([1, 'idle']);
    // Its jitter is five seconds here.
    await delay(slot.getTime() + 1_000 - Date.now());
    const next = open(worker, 'one', daily);
    await before.stop();
    next.start();
    await expect.poll(() => runs.map(({ isFull }) => isFull)).toContain(true);
  });

  test.concurrent('W6: a job whose worker died in its run has full scans by the schedule that it has by then', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const dying = await fleet.worker('dying');
    open(dying, 'dying', { work: () => new Promise(() => {}) }).start();
    await expect.poll(() => runs.length, soon).toBe(1);
    // The next process begins before anybody has taken that run.
    await dying[Symbol.asyncDispose]();
    const next = open(await fleet.worker('next'), 'next', { fullScan: { cron: '* * * * * *', timeZone: 'UTC' } });
    next.start();
    await expect.poll(() => runs.length, soon).toBe(2);
    await expect.poll(() => runs.map(({ isFull }) => isFull)).toContain(true);
  });

  /** A job whose first run goes on while it is replaced, as by a reload. */
  async function replacedDuringRun(context: TestContext, next: Partial<SchedulerOptions>, verdict: Verdict = 'done') {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const worker = await fleet.worker('one');
    const gate = Promise.withResolvers<void>();
    const first = open(worker, 'one', { work: async () => (await gate.promise, verdict) });
    first.start();
    await expect.poll(() => runs.length, soon).toBe(1);
    const stopped = first.stop();
    const second = open(worker, 'one', next);
    second.start();
    // The start is written in the background.
    await delay(300);
    gate.resolve();
    await stopped;
    return { runs, second };
  }

  test.concurrent('a job that is replaced during its run goes on by its new schedule', async (context) => {
    const { expect } = context;
    const schedule = { cron: '* * * * * *', timeZone: 'UTC' };
    const { runs } = await replacedDuringRun(context, { schedule });
    await expect.poll(() => runs.length).toBeGreaterThan(2);
  });

  test.concurrent('a job that gets full scans during its run has them by their schedule', async (context) => {
    const { expect } = context;
    const fullScan = { cron: '* * * * * *', timeZone: 'UTC' };
    const { runs } = await replacedDuringRun(context, { fullScan });
    await expect.poll(() => runs.slice(1).map(({ isFull }) => isFull)).toContain(true);
  });

  test.concurrent('W6: a job whose run stops it under the configuration that a reload replaced meanwhile begins again', async (context) => {
    const { expect } = context;
    const { runs, second } = await replacedDuringRun(context, { isAnew: true }, 'final');
    await expect.poll(() => [runs.length, second.phase()]).toEqual([2, 'idle']);
  });

  test.concurrent('a job that no worker knows waits longer each time, and begins with the worker that knows it', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const everySecond = { cron: '* * * * * *', timeZone: 'UTC' };
    const before = await fleet.worker('before', { runsAtOnce: 0 });
    open(before, 'before', { name: 'removed', schedule: everySecond }).start();
    // It does not know the account either, as of a job that was removed, or of a file that is broken.
    const accountOf = (job: string) => (job === 'removed' ? undefined : 'default');
    const after = await fleet.worker('after', { accountOf });
    open(after, 'after', { name: 'kept' }).start();
    await expect.poll(() => runs.length, soon).toBe(1);
    const waitsSecs = async () => {
      const [message] = await fleet.database.query(
        `SELECT extract(epoch FROM start_after - now())::float8 AS secs FROM leadsheet_queue.job WHERE singleton_key = 'removed' AND state < 'completed'`,
      );
      return Number(message?.['secs']);
    };
    await expect.poll(waitsSecs, soon).toBeGreaterThan(3);
    await expect.poll(waitsSecs, soon).toBeGreaterThan(7);
    await after[Symbol.asyncDispose]();
    open(await fleet.worker('knows'), 'knows', { name: 'removed', schedule: everySecond }).start();
    await expect.poll(() => runs[1]?.worker, soon).toBe('knows');
  });

  test.concurrent('a worker takes no run before it starts, also where one is due', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    open(await fleet.worker('busy', { runsAtOnce: 0 }), 'busy').start();
    let hasStarted = false;
    const early: boolean[] = [];
    const starting = open(await fleet.worker('starting'), 'starting', {
      work: async () => (early.push(!hasStarted), 'done'),
    });
    await expect.poll(() => starting.nextRunAt(), soon).toBeLessThan(Date.now() + 1_000);
    await delay(1_200);
    hasStarted = true;
    starting.start();
    await expect.poll(() => runs.length, soon).toBe(1);
    expect(early).toEqual([false]);
  });

  test.concurrent('what is carried, such as the last run, comes to the others', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { open } = createRuns();
    const [idle, busy] = [await fleet.worker('idle', { runsAtOnce: 0 }), await fleet.worker('busy')];
    const taken: unknown[] = [];
    open(idle, 'idle', { carry: { give: () => ({}), take: (told) => void taken.push(told) } });
    open(busy, 'busy', { carry: { give: () => ({ last: 'r1' }), take() {} } }).start();
    await expect.poll(() => taken, soon).toEqual([{ last: 'r1' }]);
  });

  test.concurrent('W8: a worker that ends gives back what it took, and what it cut short goes on elsewhere', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const gate = Promise.withResolvers<void>();
    const ending = await fleet.worker('ending');
    const cut = open(ending, 'ending', {
      run: async () => {
        runs.push({ worker: 'ending', job: 'prospects', isFull: false });
        await gate.promise;
        return { verdict: 'done', ended: { kind: 'not-run' }, isCutShort: true };
      },
    });
    cut.start();
    await expect.poll(() => runs.length, soon).toBe(1);
    ending.drain();
    const stopped = cut.stop();
    const other = await fleet.worker('other');
    open(other, 'other').start();
    await delay(800);
    expect(runs.length).toBe(1);
    gate.resolve();
    await stopped;
    await expect.poll(() => runs.map(({ worker }) => worker), soon).toEqual(['ending', 'other']);
  });

  test.concurrent('a job whose worker died begins elsewhere', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const dying = await fleet.worker('dying');
    open(dying, 'dying', { work: () => new Promise(() => undefined) }).start();
    await expect.poll(() => runs.length, soon).toBe(1);
    // It does nothing more, as if it was killed: neither a sign of life nor a write.
    await dying[Symbol.asyncDispose]();
    open(await fleet.worker('heir'), 'heir').start();
    await expect.poll(() => runs.map(({ worker }) => worker)).toEqual(['dying', 'heir']);
  });

  test.concurrent('it begins when the lease of the dead worker is over', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const dying = await fleet.worker('dying');
    open(dying, 'dying', { work: () => new Promise(() => undefined) }).start();
    await expect.poll(() => runs.length, soon).toBe(1);
    await dying[Symbol.asyncDispose]();
    const diedAt = performance.now();
    open(await fleet.worker('heir', { leaseMs: 22_000 }), 'heir').start();
    await expect.poll(() => runs.map(({ worker }) => worker)).toEqual(['dying', 'heir']);
    expect(performance.now() - diedAt).toBeGreaterThan(20_000);
  });

  test.concurrent('the sweeper gives a job its next run, and no job two', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const workers = [await fleet.worker('a'), await fleet.worker('b'), await fleet.worker('c')];
    const schedulers = workers.map((queue, n) => open(queue, 'abc'[n]!));
    for (const scheduler of schedulers) scheduler.start();
    // The next run is sent with the end of the first one. Another worker than the first may have done that.
    await expect.poll(async () => [runs.length, ...(await fleet.messages())], soon).toEqual([1, 'prospects created']);
    const messages = () =>
      fleet.database.query(`SELECT singleton_key FROM leadsheet_queue.job WHERE state < 'completed'`);
    // Somebody empties the tables of pg-boss.
    await fleet.database.query('DELETE FROM leadsheet_queue.job');
    await expect.poll(messages, { timeout: 100_000, interval: 100 }).toHaveLength(1);
    await delay(500);
    expect(await messages()).toHaveLength(1);
    expect(runs.length).toBe(1);
  });

  test.concurrent('the end of a run whose transaction is lost leaves nothing, and is written again', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, most, open } = createRuns();
    const schedulers = [
      open(await fleet.worker('a', { loses: /requests SET ended/ }), 'a', {
        work: async () => (await delay(100), 'done'),
      }),
      open(await fleet.worker('b', { runsAtOnce: 0 }), 'b'),
    ];
    for (const scheduler of schedulers) scheduler.start();
    await expect.poll(() => [runs.length, schedulers[0]!.phase()], soon).toEqual([1, 'idle']);
    expect(await schedulers[0]!.ask(false).ended).toMatchObject({ kind: 'ran', report: { run: 'a 2' } });
    // The successor is sent with the end of the run, not before it: the lost transaction left the run as it was.
    expect(fleet.messagesWhenLost).toEqual(['prospects active']);
    expect(fleet.warnings).toEqual(['the connection was lost']);
    await expect.poll(() => schedulers[0]!.phase(), soon).toBe('idle');
    expect([runs.length, most.value, await fleet.messages()]).toEqual([2, 1, ['prospects created']]);
  });

  test.concurrent('the sweeper leaves a job alone that has a message, also during its run', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const gate = Promise.withResolvers<void>();
    const first = await fleet.worker('first');
    open(first, 'first', { name: 'busy', work: async () => (await gate.promise, 'done') }).start();
    const others = ['waiting', 'without'].map((name) => open(first, 'first', { name }));
    for (const scheduler of others) scheduler.start();
    await expect.poll(() => [runs.length, ...others.map((each) => each.phase())], soon).toEqual([3, 'idle', 'idle']);
    const turns = async () =>
      fleet.database.query(`SELECT job, turn FROM leadsheet_queue.turns WHERE job <> 'without' ORDER BY job`);
    const before = await turns();
    await fleet.database.query(`DELETE FROM leadsheet_queue.job WHERE singleton_key = 'without'`);
    // A worker looks for jobs without a message when it begins.
    await fleet.worker('second', { runsAtOnce: 0 });
    const all = ['busy active', 'waiting created', 'without created'];
    await expect.poll(fleet.messages, soon).toEqual(all);
    // Each job that was found is written in a transaction of its own.
    await delay(300);
    expect([await fleet.messages(), await turns(), runs.length]).toEqual([all, before, 3]);
    gate.resolve();
  });

  test.concurrent('a worker has more jobs than connections: all begin, are asked for and end at once, at each start', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const names = Array.from({ length: 12 }, (_, n) => `job ${n}`);
    // The second one finds the queue that the first one made.
    for (const worker of ['first', 'second']) {
      const { runs, open } = createRuns();
      const queue = await fleet.worker(worker, { poolMax: 2, runsAtOnce: names.length });
      const gate = Promise.withResolvers<void>();
      const work = async (): Promise<Verdict> => (await gate.promise, 'done');
      const schedulers = names.map((name) => open(queue, worker, { name, work }));
      for (const scheduler of schedulers) scheduler.start();
      const asked = schedulers.map((scheduler) => scheduler.ask(true).ended);
      await expect.poll(() => new Set(runs.map(({ job }) => job)).size, soon).toBe(names.length);
      gate.resolve();
      expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(names.map(() => 'ran'));
      await Promise.all(schedulers.map((scheduler) => scheduler.stop()));
      await queue[Symbol.asyncDispose]();
    }
    expect(fleet.warnings).toEqual([]);
  });

  test.concurrent('what pg-boss tells of an error without its class is told in words', async (context) => {
    const { expect } = context;
    const { database } = await createFleet(context);
    await makeQueueTables(database);
    const told: unknown[] = [];
    const boss = await openBoss({ database, onError: (error) => told.push(error) });
    // As each look for its queues does that fails, once a minute.
    boss.emit('error', { message: 'the connection was cut', stack: '' } as Error);
    boss.emit('error', new TypeError('as it is'));
    await boss.stop({ graceful: false, close: false });
    expect(told).toEqual([new Error('the connection was cut'), new TypeError('as it is')]);
  });

  test.concurrent('no account starves another: where all runs of one hang, the other one gets a run at a time', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const accountOf = (job: string) => job.split(' ')[0]!;
    const queue = await fleet.worker('a', { accountOf, runsAtOnce: 2 });
    const gates: (() => void)[] = [];
    const work = async (): Promise<Verdict> => {
      await new Promise<void>((resolve) => void gates.push(resolve));
      return 'done';
    };
    const names = Array.from({ length: 6 }, (_, n) => `large ${n}`);
    for (const scheduler of names.map((name) => open(queue, 'a', { name, work }))) scheduler.start();
    await expect.poll(() => gates.length, soon).toBe(2);
    for (const name of ['small 1', 'small 2']) open(queue, 'a', { name }).start();
    const begun = () => runs.map(({ job }) => job);
    await expect.poll(begun, soon).toEqual(expect.arrayContaining(['small 1', 'small 2']));
    expect(runs).toHaveLength(4);
    for (; runs.length < 8 || gates.length > 0; await delay(20)) gates.pop()?.();
  });

  test.concurrent('a request goes before a full scan', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const queue = await fleet.worker('a', { runsAtOnce: 1 });
    const gate = Promise.withResolvers<void>();
    open(queue, 'a', { name: 'busy', work: async () => (await gate.promise, 'done') }).start();
    await expect.poll(() => runs.length, soon).toBe(1);
    const fullScan = { cron: '0 3 1 1 *', timeZone: 'UTC' };
    const waiting = async () => {
      // The clocks of the process and of the database differ by some milliseconds: a message is due by the latter.
      const rows = await fleet.database.query(
        `SELECT singleton_key FROM leadsheet_queue.job WHERE state = 'created' AND start_after <= now()`,
      );
      return rows.map((row) => row['singleton_key']);
    };
    open(queue, 'a', { name: 'full', fullScan, isFullScanDue: true }).start();
    await expect.poll(waiting, soon).toContain('full');
    const asked = open(queue, 'a', { name: 'asked' });
    const { ended } = asked.ask(false);
    await expect.poll(waiting, soon).toContain('asked');
    gate.resolve();
    await ended;
    await expect.poll(() => runs.map(({ job }) => job), soon).toEqual(['busy', 'asked', 'full']);
  });

  test.concurrent('each is in the table of workers, with what it runs', async (context) => {
    const { expect } = context;
    const fleet = await createFleet(context);
    const { runs, open } = createRuns();
    const gate = Promise.withResolvers<void>();
    const [a, b] = [await fleet.worker('a'), await fleet.worker('b')];
    open(a, 'a', { work: async () => (await gate.promise, 'done') }).start();
    await expect.poll(() => runs.length, soon).toBe(1);
    await b[Symbol.asyncDispose]();
    await expect
      .poll(
        async () => (await readWorkers(fleet.database)).map(({ id, state, runs: now }) => [id, state, now.length]),
        soon,
      )
      .toEqual([
        ['a', 'running', 1],
        ['b', 'ended', 0],
      ]);
    gate.resolve();
  });
});
