// What benches share: figures of a report, medians and percentiles, and CPU times.
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** One line of a report. */
interface Figure {
  readonly name: string;
  readonly value: string;
  /** Its bound, and whether the figure meets it; left out: there is no bound. */
  readonly target?: string;
  readonly met?: boolean;
}

export interface Bench {
  readonly name: string;
  run(): Promise<readonly Figure[]>;
}

/** CPU milliseconds of this process, all its threads, while the work runs. */
export async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The value that so large a share of them does not exceed: 0.99 of a hundred is the second largest. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Milliseconds that the work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** CPU time of a process since its start, of all threads, in milliseconds. */
export function cpuMsOf({ pid }: ChildProcess): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ns = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return ns.reduce((sum, each) => sum + each, 0) / 1e6;
}
