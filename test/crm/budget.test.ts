import { expect, onTestFinished, test, vi } from 'vitest';
import { createBudget, LongPause } from '../../src/crm/outreach/call/budget.ts';
import type { BudgetOptions } from '../../src/crm/outreach/call/budget.ts';
import type { CallPriority } from '../../src/crm/port.ts';
import { useJumpingClock } from '../support/service.ts';

function openBudget(options: Partial<BudgetOptions> = {}) {
  useJumpingClock();
  const budget = createBudget({
    requestsPerMinute: 60,
    concurrency: 2,
    elapsed: () => performance.now(),
    random: () => 0.5,
    ...options,
  });
  onTestFinished(() => budget[Symbol.dispose]());
  const started: string[] = [];
  const startedAt: number[] = [];
  const run = (name: string, priority: CallPriority = 'edit', signal?: AbortSignal) =>
    budget.run(
      async () => {
        started.push(name);
        startedAt.push(performance.now());
        return name;
      },
      { priority, signal },
    );
  return { budget, run, started, startedAt };
}

test.each([10, 45, 240, 600])(
  'no sixty seconds hold more than %i calls, and little time is lost',
  async (perMinute) => {
    const { run, startedAt } = openBudget({ requestsPerMinute: perMinute });
    const count = perMinute * 3;
    await Promise.all(Array.from({ length: count }, (_, index) => run(String(index))));
    for (const start of startedAt) {
      expect(startedAt.filter((at) => at >= start && at < start + 60_000).length).toBeLessThanOrEqual(perMinute);
    }
    const took = (startedAt.at(-1) ?? 0) - (startedAt[0] ?? 0);
    const fewest = Math.ceil(count / Math.max(1, Math.floor(perMinute / 60))) - 1;
    const slot = (60_000 * Math.max(1, Math.floor(perMinute / 60))) / perMinute;
    expect(took).toBeLessThanOrEqual(fewest * slot * 1.03);
  },
);

test('W1: an edit goes before the waiting scans; scans keep their order', async () => {
  const { run, started } = openBudget();
  const scans = ['a', 'b', 'c', 'd'].map((name) => run(name, 'scan'));
  await Promise.all([...scans, run('edit', 'edit')]);
  expect(started).toEqual(['a', 'edit', 'b', 'c', 'd']);
});

test('W1, E4: an urgent call goes before the waiting edits', async () => {
  const { run, started } = openBudget();
  const edits = ['a', 'b', 'c'].map((name) => run(name));
  await Promise.all([...edits, run('urgent', 'urgent')]);
  expect(started).toEqual(['a', 'urgent', 'b', 'c']);
});

test('an aborted task leaves the queue at once; the others run', async () => {
  const { run, started } = openBudget();
  const leaving = new AbortController();
  const reason = new Error('not any more');
  const tasks = [run('a'), run('b', 'edit', leaving.signal), run('c')];
  leaving.abort(reason);
  await expect(tasks[1]).rejects.toBe(reason);
  await Promise.all([tasks[0], tasks[2]]);
  expect(started).toEqual(['a', 'c']);
});

test('an abort lets a running task finish', async () => {
  const { budget } = openBudget();
  const leaving = new AbortController();
  const running = budget.run(
    async () => {
      leaving.abort();
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      return 'done';
    },
    { priority: 'edit', signal: leaving.signal },
  );
  expect(await running).toBe('done');
});

test('a pause holds all tasks, also later ones, and the longest pause counts', async () => {
  const { budget, run } = openBudget({ requestsPerMinute: 6_000 });
  const start = performance.now();
  expect(budget.refused(5_000)).toBe(5_000);
  expect(budget.refused(2_000)).toBe(2_000);
  await Promise.all([run('a'), run('b')]);
  expect(performance.now() - start).toBeGreaterThanOrEqual(5_000);
  expect(budget.pausedMs()).toBe(0);
});

test('a pause that ends within a millisecond ends', async () => {
  const { budget, run, startedAt } = openBudget({ requestsPerMinute: 6_000 });
  const start = performance.now();
  budget.refused(5_000.25);
  await run('a');
  expect(startedAt[0]! - start).toBeGreaterThanOrEqual(5_000.25);
});

test('refusals without a time back off 2, 4, 8 .. 60 s, until one call is accepted', () => {
  const { budget } = openBudget({ random: () => 1 });
  expect([1, 2, 3, 4, 5, 6, 7].map(() => budget.refused(undefined))).toEqual([
    2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
  ]);
  budget.accepted();
  expect(budget.refused(undefined)).toBe(2_000);
});

test('neither waiting nor new tasks wait for a pause of hours', async () => {
  const { budget, run } = openBudget();
  const tasks = [run('a'), run('b'), run('c')];
  const outcomes = Promise.allSettled(tasks);
  budget.refused(3_600_000);
  await expect(run('d')).rejects.toBeInstanceOf(LongPause);
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
});

test('a closed budget rejects waiting and new tasks, with its reason', async () => {
  const { budget, run, started } = openBudget();
  const outcomes = Promise.allSettled([run('a'), run('b'), run('c')]);
  const reason = new Error('no');
  expect(budget.isClosed()).toBe(false);
  budget.close(reason);
  expect(budget.isClosed()).toBe(true);
  await expect(run('d')).rejects.toBe(reason);
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(started).toEqual(['a']);
});

test('its usage is readable', async () => {
  const { budget, run } = openBudget();
  const tasks = ['a', 'b', 'c'].map((name) => run(name));
  await tasks[0];
  expect(budget.usage()).toEqual({ startedLastMinute: 1, perMinute: 60, waiting: 2 });
  await Promise.all(tasks);
  await new Promise((resolve) => setTimeout(resolve, 61_000));
  expect(budget.usage()).toMatchObject({ startedLastMinute: 0, waiting: 0 });
});

test('a clock that is set back has no effect: the budget reads one that never is', async () => {
  const { run, startedAt } = openBudget({ requestsPerMinute: 60 });
  await run('before');
  vi.setSystemTime(Date.now() - 3_600_000);
  const start = performance.now();
  await Promise.all(['a', 'b', 'c'].map((name) => run(name)));
  expect((startedAt.at(-1) ?? Infinity) - start).toBeLessThan(5_000);
});

test('no timer outlasts the last task', async () => {
  const { run } = openBudget();
  await run('the only one');
  expect(vi.getTimerCount()).toBe(0);
});
