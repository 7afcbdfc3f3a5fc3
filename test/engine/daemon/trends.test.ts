import { onTestFinished, expect, test, vi } from 'vitest';
import { createTrends } from '../../../src/daemon/trends.ts';
import type { EngineEvent } from '../../../src/engine/events.ts';
import type { RunReport } from '../../../src/engine/report.ts';

/* What the daemon measures is bounded, in time and in number. */

function begin() {
  vi.useFakeTimers({ now: 0 });
  let calls = 0;
  const spent = () => ({ total: calls, lastMinute: calls, perMinute: 300 });
  const trends = createTrends({
    now: () => Date.now(),
    usage: () => ({ crm: spent(), sheet_reads: spent(), sheet_writes: spent() }),
    lag: () => (calls === 0 ? undefined : calls),
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
