// Measures a daemon with 500 syncs of 2,000 rows each: its start, its first runs, and what it takes while nothing changes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import delay from 'delay';
import { startJobs } from './support/jobs.ts';
import type { Bench } from './support/measure.ts';

const jobs = Number(process.env['BENCH_JOBS'] ?? 500);
const rows = Number(process.env['BENCH_ROWS'] ?? 2_000);
const port = 4_818;
const address = `http://127.0.0.1:${port}`;
const idleMs = 60_000;
const startMax = 10;
const memoryMax = 600;

export const bench: Bench = {
  name: 'jobs',
  async run() {
    await using state = await startJobs(jobs, rows, { server: { listen: `127.0.0.1:${port}` } });
    const [first, begun] = [performance.now(), []] as const;
    let daemon = startDaemon(state.configFile);
    try {
      await answers(daemon);
      const firstStart = secondsSince(first);
      const [ran, peakOfFirst] = [await untilAllRan(daemon), peakMb(daemon)];
      const firstRuns = ran - firstStart;
      await end(daemon);
      // The state is there: a start as after an update.
      const again = performance.now();
      daemon = startDaemon(state.configFile);
      await answers(daemon);
      const start = secondsSince(again);
      await untilAllRan(daemon);
      await delay(idleMs / 2);
      const [cpu, before] = [cpuMs(daemon), runsIn(await metrics())];
      await delay(idleMs);
      const [idleCpu, runs] = [cpuMs(daemon) - cpu, runsIn(await metrics()) - before];
      const [idle, peak] = [residentMb(daemon), peakMb(daemon)];
      void begun;
      return [
        { name: 'first start, until it answers', value: `${firstStart.toFixed(1)} s` },
        { name: 'first runs of all, over', value: `${firstRuns.toFixed(1)} s, peak ${peakOfFirst} MB` },
        {
          name: 'start with a state, until it answers',
          value: `${start.toFixed(1)} s`,
          target: `< ${startMax} s`,
          met: start < startMax,
        },
        {
          name: 'idle: memory',
          value: `${idle} MB, at most ${peak} MB since the start`,
          target: `< ${memoryMax} MB`,
          met: idle < memoryMax,
        },
        {
          name: 'idle: CPU a minute',
          value: `${(idleCpu / 1_000).toFixed(1)} s for ${runs} runs, ${(idleCpu / Math.max(1, runs)).toFixed(1)} ms a run`,
        },
        { name: 'load of the machine', value: loadavg()[0]!.toFixed(1) },
      ];
    } finally {
      await end(daemon);
    }
  },
};

function startDaemon(configFile: string): ChildProcess {
  const main = new URL('../src/main.ts', import.meta.url).pathname;
  return spawn(process.execPath, [main, 'run', '--config', configFile], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function end(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null) return;
  const ended = once(daemon, 'exit');
  daemon.kill();
  await ended;
}

async function answers(daemon: ChildProcess): Promise<void> {
  for (;;) {
    if (daemon.exitCode !== null) throw new Error(`the daemon ended with ${daemon.exitCode}`);
    try {
      await fetch(`${address}/healthz`);
      return;
    } catch {
      await delay(50);
    }
  }
}

/** Seconds of the daemon's life when the first run of each job had ended. */
async function untilAllRan(daemon: ChildProcess): Promise<number> {
  const begin = performance.now();
  for (;;) {
    if (daemon.exitCode !== null) throw new Error(`the daemon ended with ${daemon.exitCode}`);
    const text = await metrics();
    const bad = /^leadsheet_runs_total\{.*status="(?!succeeded).*$/m.exec(text);
    if (bad) throw new Error(`a run did not succeed: ${bad[0]}`);
    if (ranIn(text) >= jobs) return secondsSince(begin);
    await delay(500);
  }
}

async function metrics(): Promise<string> {
  return (await fetch(`${address}/metrics`)).text();
}

function runCounts(text: string): readonly number[] {
  return [...text.matchAll(/^leadsheet_runs_total\{.*\} (\d+)$/gm)].map(([, number]) => Number(number));
}

function ranIn(text: string): number {
  return runCounts(text).length;
}

function runsIn(text: string): number {
  return runCounts(text).reduce((sum, number) => sum + number, 0);
}

function secondsSince(begin: number): number {
  return (performance.now() - begin) / 1_000;
}

/** Of all threads. */
function cpuMs({ pid }: ChildProcess): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ns = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return ns.reduce((sum, each) => sum + each, 0) / 1e6;
}

function residentMb(daemon: ChildProcess): number {
  return statusMb(daemon, 'VmRSS');
}

function peakMb(daemon: ChildProcess): number {
  return statusMb(daemon, 'VmHWM');
}

function statusMb({ pid }: ChildProcess, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1_024);
}
