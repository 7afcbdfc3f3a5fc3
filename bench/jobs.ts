// Measures a daemon with 500 syncs of 2,000 rows each: its start, its first runs, and what it takes while nothing changes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import delay from 'delay';
import { nameOf, startJobs } from './support/jobs.ts';
import { type Bench, cpuMsOf } from './support/measure.ts';

const jobs = 500;
const rows = 2_000;
const port = 4_818;
const address = `http://127.0.0.1:${port}`;
const idleMs = 60_000;
const startMax = 10;
const memoryMax = 600;

export const bench: Bench = {
  name: 'jobs',
  async run() {
    await using state = await startJobs(jobs, rows, { server: { listen: `127.0.0.1:${port}` } });
    await runOnce(state.configFile, nameOf(0));
    await state.copyState();
    const begin = performance.now();
    const daemon = startDaemon(state.configFile);
    try {
      await answers(daemon);
      const start = secondsSince(begin);
      const startCpu = cpuMsOf(daemon);
      await untilAllRan(daemon);
      const all = secondsSince(begin);
      await delay(idleMs / 2);
      const [cpu, before] = [cpuMsOf(daemon), runsIn(await metrics())];
      await delay(idleMs);
      const [idleCpu, runs] = [cpuMsOf(daemon) - cpu, runsIn(await metrics()) - before];
      const [idle, peak] = [memoryMb(daemon, 'VmRSS'), memoryMb(daemon, 'VmHWM')];
      return [
        {
          name: 'start, until it answers',
          value: `${start.toFixed(1)} s, ${(startCpu / 1_000).toFixed(1)} s of CPU`,
          target: `< ${startMax} s`,
          met: start < startMax,
        },
        { name: 'until each job has run', value: `${all.toFixed(1)} s` },
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

const main = new URL('../src/main.ts', import.meta.url).pathname;

async function runOnce(configFile: string, job: string): Promise<void> {
  const args = [main, 'sync', job, '--config', configFile];
  const [code] = (await once(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')) as [
    number,
  ];
  if (code !== 0) throw new Error(`the first run of ${job} ended with ${code}`);
}

function startDaemon(configFile: string): ChildProcess {
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

async function untilAllRan(daemon: ChildProcess): Promise<void> {
  for (;;) {
    if (daemon.exitCode !== null) throw new Error(`the daemon ended with ${daemon.exitCode}`);
    const text = await metrics();
    const bad = /^leadsheet_runs_total\{.*status="(?!succeeded).*$/m.exec(text);
    if (bad) throw new Error(`a run did not succeed: ${bad[0]}`);
    if (runCounts(text).length >= jobs) return;
    await delay(500);
  }
}

/** On a connection of its own: one that is kept may be closed by the server at the moment of its next use. */
async function metrics(): Promise<string> {
  return (await fetch(`${address}/metrics`, { headers: { connection: 'close' } })).text();
}

function runCounts(text: string): readonly number[] {
  return [...text.matchAll(/^leadsheet_runs_total\{.*\} (\d+)$/gm)].map(([, number]) => Number(number));
}

function runsIn(text: string): number {
  return runCounts(text).reduce((sum, number) => sum + number, 0);
}

function secondsSince(begin: number): number {
  return (performance.now() - begin) / 1_000;
}

/** Resident: now, or at its peak. */
function memoryMb({ pid }: ChildProcess, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1_024);
}
