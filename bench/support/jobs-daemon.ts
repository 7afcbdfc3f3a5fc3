// A daemon over many jobs in a process of its own: started, asked for its metrics, and ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import delay from 'delay';

const port = 4_818;
const address = `http://127.0.0.1:${port}`;

/** For the configuration of the jobs. */
export const listen = `127.0.0.1:${port}`;

const main = new URL('../../src/main.ts', import.meta.url).pathname;

/** Throws with what the command printed, if the run did not succeed. */
export async function runOnce(configFile: string, job: string): Promise<void> {
  const command = spawn(process.execPath, [main, 'sync', job, '--config', configFile]);
  let printed = '';
  for (const stream of [command.stdout, command.stderr])
    stream.on('data', (data: Buffer) => (printed += data.toString()));
  const [code] = (await once(command, 'close')) as [number];
  if (code !== 0) throw new Error(`the first run of ${job} ended with ${code}:\n${printed}`);
}

export interface JobsDaemon extends AsyncDisposable {
  readonly process: ChildProcess;
  /** Until it answers. */
  answers(): Promise<void>;
  /** Until each of so many jobs has so many runs. Throws if one did not succeed. */
  untilAllRan(jobs: number, runs?: number): Promise<void>;
  readonly metrics: () => Promise<string>;
  /** Resident: now, or at its peak. */
  memoryMb(name: 'VmRSS' | 'VmHWM'): number;
}

export function startJobsDaemon(configFile: string): JobsDaemon {
  const args = [main, 'run', '--config', configFile];
  const daemon = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const assertRuns = () => {
    if (daemon.exitCode !== null) throw new Error(`the daemon ended with ${daemon.exitCode}`);
  };
  return {
    process: daemon,
    async answers() {
      for (;;) {
        assertRuns();
        try {
          await fetch(`${address}/healthz`);
          return;
        } catch {
          await delay(50);
        }
      }
    },
    async untilAllRan(jobs, runs = 1) {
      for (;;) {
        assertRuns();
        const text = await metrics();
        const bad = /^leadsheet_runs_total\{.*status="(?!succeeded).*$/m.exec(text);
        if (bad) throw new Error(`a run did not succeed: ${bad[0]}`);
        if (runCounts(text).filter((count) => count >= runs).length >= jobs) return;
        await delay(500);
      }
    },
    metrics,
    memoryMb(name) {
      const status = readFileSync(`/proc/${daemon.pid}/status`, 'utf8');
      return Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1_024);
    },
    async [Symbol.asyncDispose]() {
      if (daemon.exitCode !== null) return;
      const ended = once(daemon, 'exit');
      daemon.kill();
      await ended;
    },
  };
}

/** On a connection of its own: one that is kept may be closed by the server at the moment of its next use. */
async function metrics(): Promise<string> {
  return (await fetch(`${address}/metrics`, { headers: { connection: 'close' } })).text();
}

/** Of each job. */
export function runCounts(text: string): readonly number[] {
  return [...text.matchAll(/^leadsheet_runs_total\{.*\} (\d+)$/gm)].map(([, number]) => Number(number));
}

export function runsIn(text: string): number {
  return runCounts(text).reduce((sum, number) => sum + number, 0);
}

/** Calls since the start, of all accounts. */
export function callsIn(text: string, budget: 'crm' | 'sheet_reads' | 'sheet_writes' | 'drive'): number {
  const counts = text.matchAll(new RegExp(`^leadsheet_calls_total\\{budget="${budget}".*\\} (\\d+)$`, 'gm'));
  return [...counts].reduce((sum, [, number]) => sum + Number(number), 0);
}
