// The rules that each driver of the queue keeps, by real time.
import delay from 'delay';
import { describe, test, type TestContext } from 'vitest';
import type { AskedRun, Queue, Ran, Scheduler, Verdict } from '../../src/daemon/queue/port.ts';
import { nothingRan } from '../support/reports.ts';

/** `open`: a worker of its own queue, which ends with the test. */
export function describeQueueContract(open: (context: TestContext) => Promise<Queue>): void {
  const yearly = { cron: '0 0 1 1 *', timeZone: 'UTC' };

  interface Given {
    readonly cron?: string;
    readonly fullScan?: string;
    readonly isFullScanDue?: boolean;
    readonly settleMs?: number;
    readonly isPaused?: () => Promise<boolean>;
    readonly run?: (count: number) => Promise<Verdict>;
  }

  async function begin(context: TestContext, given: Given = {}) {
    const queue = await open(context);
    const runs: string[] = [];
    const told: string[] = [];
    let under = 0;
    let most = 0;
    const areTold: boolean[] = [];
    const run = async (isFull: boolean, isAsked: boolean, isTold: boolean): Promise<Ran> => {
      areTold.push(isTold);
      under += 1;
      most = Math.max(most, under);
      runs.push(['run', isFull && 'full', isAsked && 'asked'].filter(Boolean).join(' '));
      const count = runs.length;
      try {
        const verdict = (await given.run?.(count)) ?? 'done';
        return { verdict, ended: { kind: 'ran', report: nothingRan('prospects', `r${count}`) } };
      } finally {
        under -= 1;
      }
    };
    const scheduler = queue.open({
      name: 'prospects',
      schedule: given.cron === undefined ? yearly : { cron: given.cron, timeZone: 'UTC' },
      ...(given.fullScan !== undefined && { fullScan: { cron: given.fullScan, timeZone: 'UTC' } }),
      isFullScanDue: given.isFullScanDue ?? false,
      settleMs: given.settleMs ?? 50,
      ...(given.isPaused && { isPaused: given.isPaused }),
      run,
      onPause: (_pauseMs, failures) => told.push(`backing off ${failures}`),
      onStop: () => told.push('stopped'),
      now: () => Date.now(),
      random: () => 0.5,
    });
    context.onTestFinished(() => void scheduler.stop());
    return { queue, scheduler, runs, areTold, told, most: () => most };
  }

  const runOf = (ended: AskedRun) => (ended.kind === 'ran' ? ended.report.run : ended.kind);
  const soon = { timeout: 100_000, interval: 20 };
  const idleAfter = (expect: TestContext['expect'], scheduler: Scheduler, runs: readonly string[], count: number) =>
    expect.poll(() => [runs.length, scheduler.phase()], soon).toEqual([count, 'idle']);

  describe('the queue', () => {
    test.concurrent('W14: a trigger tells its run that something may have changed, the schedule does not', async (context) => {
      const { expect } = context;
      const { scheduler, runs, areTold } = await begin(context);
      scheduler.start();
      await idleAfter(expect, scheduler, runs, 1);
      scheduler.trigger();
      await idleAfter(expect, scheduler, runs, 2);
      expect(areTold).toEqual([false, true]);
    });

    test.concurrent('begins with a run at once, and goes on with the slots', async (context) => {
      const { expect } = context;
      const { scheduler, runs, most } = await begin(context, { cron: '* * * * * *' });
      scheduler.start();
      await expect.poll(() => runs.length, soon).toBeGreaterThanOrEqual(3);
      expect(most()).toBe(1);
      expect(scheduler.nextRunAt()).toBeDefined();
    });

    test.concurrent('W2: the first run is a full scan if one is due', async (context) => {
      const { expect } = context;
      const { scheduler, runs } = await begin(context, { isFullScanDue: true, fullScan: '0 3 1 1 *' });
      scheduler.start();
      await idleAfter(expect, scheduler, runs, 1);
      expect(runs).toEqual(['run full']);
      expect(scheduler.nextFullScanAt()).toBeGreaterThan(Date.now());
    });

    test.concurrent('W10: a request begins at once and is told the end of its run', async (context) => {
      const { expect } = context;
      const { scheduler, runs } = await begin(context);
      scheduler.start();
      await idleAfter(expect, scheduler, runs, 1);
      const asked = scheduler.ask(true);
      expect(asked.answer).toBe('started');
      expect(runOf(await asked.ended)).toBe('r2');
      expect(runs).toEqual(['run', 'run full asked']);
    });

    test.concurrent('W10: requests that come during a run are answered by one more run', async (context) => {
      const { expect } = context;
      const gate = Promise.withResolvers<void>();
      const { scheduler, runs, most } = await begin(context, {
        run: async (count) => {
          if (count === 1) await gate.promise;
          return 'done';
        },
      });
      scheduler.start();
      await expect.poll(() => [runs.length, scheduler.phase()], soon).toEqual([1, 'running']);
      const asked = [scheduler.ask(false), scheduler.ask(true)];
      expect(asked.map(({ answer }) => answer)).toEqual(['queued', 'queued']);
      await delay(300);
      gate.resolve();
      expect((await Promise.all(asked.map(({ ended }) => ended))).map(runOf)).toEqual(['r2', 'r2']);
      await idleAfter(expect, scheduler, runs, 2);
      expect([runs, most()]).toEqual([['run', 'run full asked'], 1]);
    });

    test.concurrent('W13: a request that waits for its turn is not run once its job is paused, unless one says so', async (context) => {
      const { expect } = context;
      const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let isPaused = false;
      const { scheduler, runs } = await begin(context, {
        isPaused: async () => isPaused,
        run: async (count) => {
          await gates[count - 1]?.promise;
          return 'done';
        },
      });
      scheduler.start();
      await expect.poll(() => [runs.length, scheduler.phase()], soon).toEqual([1, 'running']);
      const asked = [scheduler.ask(false, true), scheduler.ask(true, true)];
      await delay(300);
      isPaused = true;
      gates[0]!.resolve();
      expect((await Promise.all(asked.map(({ ended }) => ended))).map(runOf)).toEqual(['paused', 'paused']);
      await expect.poll(() => scheduler.phase(), soon).toBe('paused');
      expect(runs).toEqual(['run']);

      const even = scheduler.ask(false);
      await expect.poll(() => [runs.length, scheduler.phase()], soon).toEqual([2, 'running']);
      gates[1]!.resolve();
      expect(runOf(await even.ended)).toBe('r2');
      isPaused = false;
      expect(runOf(await scheduler.ask(false, true).ended)).toBe('r3');
    });

    test.concurrent('W6, W13: a stopped job that is asked for and was paused stays stopped', async (context) => {
      const { expect } = context;
      let isPaused = false;
      const { scheduler, runs } = await begin(context, { isPaused: async () => isPaused, run: async () => 'final' });
      scheduler.start();
      await expect.poll(() => scheduler.phase(), soon).toBe('stopped');
      isPaused = true;
      expect(runOf(await scheduler.ask(false, true).ended)).toBe('paused');
      expect([runs.length, scheduler.phase()]).toEqual([1, 'stopped']);
    });

    test.concurrent('a trigger runs at once, and a second one within the gap waits', async (context) => {
      const { expect } = context;
      const { scheduler, runs } = await begin(context);
      scheduler.start();
      await idleAfter(expect, scheduler, runs, 1);
      expect(scheduler.trigger()).toBe('started');
      await idleAfter(expect, scheduler, runs, 2);
      expect(scheduler.trigger()).toBe('queued');
      expect(runs.length).toBe(2);
      await idleAfter(expect, scheduler, runs, 3);
    });

    test.concurrent('W10: what settles in a triggered run gets a follow-up', async (context) => {
      const { expect } = context;
      const { scheduler, runs } = await begin(context, {
        run: async (count) => (count === 2 ? 'settling' : 'done'),
      });
      scheduler.start();
      await idleAfter(expect, scheduler, runs, 1);
      scheduler.trigger();
      await idleAfter(expect, scheduler, runs, 3);
      expect(runs.length).toBe(3);
    });

    test.concurrent('W6: a job that failed backs off; triggers are skipped, a request runs it', async (context) => {
      const { expect } = context;
      const { scheduler, runs, told } = await begin(context, {
        run: async (count) => (count === 1 ? 'failed' : 'done'),
      });
      scheduler.start();
      await expect.poll(() => scheduler.phase(), soon).toBe('backing-off');
      expect([scheduler.failuresInARow(), told]).toEqual([1, ['backing off 1']]);
      expect(scheduler.trigger()).toBe('backing-off');
      expect(runOf(await scheduler.ask(false).ended)).toBe('r2');
      await idleAfter(expect, scheduler, runs, 2);
      expect(scheduler.failuresInARow()).toBe(0);
    });

    test.concurrent('W6: a job that cannot succeed stops; a request tries it once', async (context) => {
      const { expect } = context;
      const { scheduler, runs, told } = await begin(context, {
        cron: '* * * * * *',
        run: async (count) => (count <= 2 ? 'final' : 'done'),
      });
      scheduler.start();
      await expect.poll(() => scheduler.phase(), soon).toBe('stopped');
      expect(told).toEqual(['stopped']);
      expect(scheduler.nextRunAt()).toBeUndefined();
      expect(scheduler.trigger()).toBe('stopped');
      await delay(1_500);
      expect(runs.length).toBe(1);
      expect(runOf(await scheduler.ask(false).ended)).toBe('r2');
      await expect.poll(() => scheduler.phase(), soon).toBe('stopped');
      await scheduler.ask(false).ended;
      // It goes on by its schedule.
      await expect.poll(() => runs.length, soon).toBeGreaterThan(4);
    });

    test.concurrent('W6: a full scan that a job stopped with is the next run again', async (context) => {
      const { expect } = context;
      const { scheduler, runs } = await begin(context, {
        isFullScanDue: true,
        fullScan: '0 3 1 1 *',
        run: async (count) => (count === 1 ? 'final' : 'done'),
      });
      scheduler.start();
      await expect.poll(() => scheduler.phase(), soon).toBe('stopped');
      expect(runOf(await scheduler.ask(false).ended)).toBe('r2');
      expect(runs.slice(0, 2)).toEqual(['run full', 'run full asked']);
    });

    test.concurrent('W13: a paused job does not run by itself, a request runs it', async (context) => {
      const { expect } = context;
      let isPaused = true;
      const { scheduler, runs } = await begin(context, { cron: '* * * * * *', isPaused: async () => isPaused });
      scheduler.start();
      await expect.poll(() => scheduler.phase(), soon).toBe('paused');
      await scheduler.ask(false).ended;
      expect(runs).toEqual(['run asked']);
      await expect.poll(() => scheduler.phase(), soon).toBe('paused');
      isPaused = false;
      await expect.poll(() => runs.length, soon).toBeGreaterThan(1);
    });

    test.concurrent('W8: the end waits for the run under way, and nothing more begins', async (context) => {
      const { expect } = context;
      const gate = Promise.withResolvers<void>();
      const { scheduler, runs } = await begin(context, {
        run: async () => {
          await gate.promise;
          return 'done';
        },
      });
      scheduler.start();
      await expect.poll(() => runs.length, soon).toBe(1);
      const stopped = scheduler.stop();
      const late = scheduler.ask(false);
      expect([late.answer, await late.ended]).toEqual(['ending', { kind: 'not-run' }]);
      expect(await Promise.race([stopped.then(() => 'stopped'), delay(300).then(() => 'waits')])).toBe('waits');
      gate.resolve();
      await stopped;
      expect(runs.length).toBe(1);
    });
  });
}
