import { onTestFinished, expect, test, vi } from 'vitest';
import { type AccountMeasured, createTrends } from '../../../src/daemon/trends.ts';
import type { EngineEvent } from '../../../src/engine/events.ts';
import type { RunReport } from '../../../src/engine/report.ts';

/* What the daemon measures is bounded, in time and in number. */

function begin(accounts: () => readonly AccountMeasured[] = () => []) {
  vi.useFakeTimers({ now: 0 });
  let calls = 0;
  const spent = () => ({ total: calls, lastMinute: calls, perMinute: 300 });
  const trends = createTrends({
    now: () => Date.now(),
    usage: () => ({ crm: spent(), sheet_reads: spent(), sheet_writes: spent() }),
    lag: () => (calls === 0 ? undefined : calls),
    accounts,
  });
  onTestFinished(() => {
    trends[Symbol.dispose]();
    vi.useRealTimers();
  });
  return { trends, spend: (count: number) => void (calls = count) };
}

function ended(job: string, endedAt: number, seconds: number): EngineEvent {
  const report = { endedAt: new Date(endedAt).toISOString(), cost: { seconds } } as RunReport;
  return { type: 'run-ended', sync: job, report };
}

test('a value each 30 seconds, and that of now; no lag where no job has one', () => {
  const { trends, spend } = begin();
  vi.advanceTimersByTime(60_000);
  spend(7);
  expect(trends.read().calls.crm).toEqual([
    [30_000, 0],
    [60_000, 0],
    [60_000, 7],
  ]);
  expect(trends.read().lag).toEqual([[60_000, 7]]);
});

test('six hours of values and 2,000 runs are kept, however long the daemon runs', () => {
  const { trends } = begin();
  vi.advanceTimersByTime(86_400_000);
  for (let run = 0; run < 2_500; run += 1) trends.observe(ended('a', run, run));
  const { calls, runs } = trends.read();
  expect(calls.sheet_reads).toHaveLength(721);
  expect(calls.sheet_reads[0]![0]).toBe(86_400_000 - 719 * 30_000);
  expect(runs).toHaveLength(2_000);
  expect(runs[0]).toEqual({ job: 'a', endedAt: 500, seconds: 500 });
});

function measured(account: string, calls: number, lag?: number): AccountMeasured {
  const spent = { total: calls, lastMinute: calls, perMinute: 300 };
  return { account, usage: { crm: spent, sheet_reads: spent, sheet_writes: spent }, lag };
}

test('one account has its own calls and lag; several have the longest lag of them, and no calls', () => {
  const { trends } = begin(() => [measured('acme', 3, 40), measured('beta', 5, 90), measured('gamma', 7)]);
  vi.advanceTimersByTime(30_000);
  const both = (value: number) => [
    [30_000, value],
    [30_000, value],
  ];
  const acme = trends.read(['acme']);
  expect([acme.calls.crm, acme.calls.sheet_reads, acme.calls.drive, acme.lag]).toEqual([
    both(3),
    both(3),
    [],
    both(40),
  ]);
  const several = trends.read(['acme', 'beta', 'gamma']);
  expect([several.calls.crm, several.lag]).toEqual([[], both(90)]);
  expect(trends.read(['gamma']).lag).toEqual([]);
  expect(trends.read(['nobody'])).toMatchObject({ calls: { crm: [] }, lag: [] });
});

test('an account that comes later has values from then on, and one that goes keeps those from before', () => {
  let now = [measured('acme', 3)];
  const { trends } = begin(() => now);
  vi.advanceTimersByTime(30_000);
  now = [measured('beta', 5), measured('gamma', 6)];
  vi.advanceTimersByTime(30_000);
  expect(trends.read(['acme']).calls.crm).toEqual([[30_000, 3]]);
  expect(trends.read(['beta']).calls.crm).toEqual([
    [60_000, 5],
    [60_000, 5],
  ]);
});

test('of very many accounts a shorter time is kept, and of all together six hours', () => {
  const many = Array.from({ length: 100_000 }, (_, n) => measured(`account-${n}`, n));
  const { trends } = begin(() => many);
  vi.advanceTimersByTime(90_000);
  expect(trends.read(['account-7']).calls.crm.map(([at]) => at)).toEqual([60_000, 90_000, 90_000]);
  expect(trends.read().calls.crm).toHaveLength(4);
});
