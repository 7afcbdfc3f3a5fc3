// Measures a daemon with many syncs of 2,000 rows each: its start, its first runs, and what it takes while nothing changes.
// JOBS: how many syncs; 500 if left out.
import { loadavg } from 'node:os';
import delay from 'delay';
import { nameOf, startJobs } from './support/jobs.ts';
import { listen, runOnce, runsIn, startJobsDaemon } from './support/jobs-daemon.ts';
import { type Bench, cpuMsOf } from './support/measure.ts';

const jobs = Number(process.env['JOBS'] ?? 500);
const rows = 2_000;
const idleMs = 30_000;
const startMax = 10;
const memoryMax = 600;

export const bench: Bench = {
  name: 'jobs',
  async run() {
    const made = performance.now();
    await using state = await startJobs(jobs, rows, { server: { listen } });
    await runOnce(state.configFile, nameOf(0));
    await state.copyState();
    const begin = performance.now();
    console.log(`  the tabs and the state of ${jobs} syncs were made in ${((begin - made) / 1_000).toFixed(0)} s`);
    await using daemon = startJobsDaemon(state.configFile);
    await daemon.answers();
    const start = secondsSince(begin);
    const startCpu = cpuMsOf(daemon.process);
    await daemon.untilAllRan(jobs);
    const all = secondsSince(begin);
    await delay(idleMs / 3);
    const [cpu, before] = [cpuMsOf(daemon.process), runsIn(await daemon.metrics())];
    await delay(idleMs);
    const [idleCpu, runs] = [cpuMsOf(daemon.process) - cpu, runsIn(await daemon.metrics()) - before];
    const [idle, peak] = [daemon.memoryMb('VmRSS'), daemon.memoryMb('VmHWM')];
    return [
      {
        name: `start of ${jobs} syncs, until it answers`,
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
  },
};

function secondsSince(begin: number): number {
  return (performance.now() - begin) / 1_000;
}
