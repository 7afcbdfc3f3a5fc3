// The workers of a fleet as processes: their runs by their logs, and their deaths.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import delay from 'delay';
import { createRunLog, type Line } from './runs.ts';

export interface WorkersOptions {
  /** The program that was built. */
  readonly main: string;
  readonly folder: string;
  readonly configFile: string;
  readonly say: (what: string) => void;
  /** Of the processes; left out: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

export interface Worker {
  readonly name: string;
  readonly child: ChildProcess;
  isStopped: boolean;
}

/** What is told of the lines besides. */
interface ToldLine extends Line {
  readonly level?: string;
  readonly url?: string;
  readonly reason?: string;
  readonly err?: { readonly stack?: string };
}

/** Names the worker in its requests. */
const nameCalls = new URL('name-calls.ts', import.meta.url).href;

/** A worker ends its runs within ten seconds of SIGTERM. */
const endMsMax = 30_000;
/** A command on a busy machine, such as `conflicts` while the workers still run. */
const askMsMax = 180_000;

export function createWorkers({ main, folder, configFile, say, env = process.env }: WorkersOptions) {
  const workers: Worker[] = [];
  const log = createRunLog();
  const counts = { faults: 0, killed: 0, stopped: 0 };
  let started = 0;
  let isEnding = false;

  function start(): void {
    // A worker that began while the script ends would be left over.
    if (isEnding) return;
    started += 1;
    const name = `worker ${started}`;
    const args = ['--import', nameCalls, main, 'run', '--config', configFile];
    const child = spawn(process.execPath, args, { cwd: folder, env: { ...env, FLEET_WORKER: name } });
    const worker: Worker = { name, child, isStopped: false };
    let rest = '';
    child.stdout.on('data', (data: Buffer) => {
      const lines = (rest + data.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') observe(worker, line);
    });
    child.stderr.on('data', (data: Buffer) => process.stderr.write(data));
    child.once('exit', (code, signal) => {
      if (!isEnding && signal !== 'SIGKILL') say(`${name} ended by itself: ${signal ?? code}`);
    });
    workers.push(worker);
  }

  function observe({ name }: Worker, text: string): void {
    const line = JSON.parse(text) as ToldLine;
    const { msg, level, sync, url, reason, err } = line;
    if (msg === 'leadsheet started') say(`${name}: ${url}`);
    if (msg === 'a fault of leadsheet ended the run') counts.faults += 1;
    if (level === 'error') say(`${name}: ${[sync, msg, reason, err?.stack].filter(Boolean).join(': ')}`);
    log.observe(name, line);
  }

  return {
    all: workers as readonly Worker[],
    runs: log.runs,
    counts: () => ({ ...log.counts, ...counts }),
    start,

    /** Another one takes its place. */
    async kill(worker: Worker): Promise<void> {
      say(`${worker.name} is killed`);
      counts.killed += 1;
      worker.child.kill('SIGKILL');
      await ended(worker);
      workers.splice(workers.indexOf(worker), 1);
      start();
    },

    async stopFor(worker: Worker, ms: number, signal: AbortSignal): Promise<void> {
      say(`${worker.name} is stopped for ${Math.round(ms / 1_000)} s`);
      counts.stopped += 1;
      worker.isStopped = true;
      worker.child.kill('SIGSTOP');
      await delay(ms, { signal }).catch(() => undefined);
      worker.child.kill('SIGCONT');
      worker.isStopped = false;
    },

    /** As an operator ends them. A worker that does not end by itself is killed, and named. */
    async endAll(): Promise<readonly string[]> {
      isEnding = true;
      const late: string[] = [];
      const end = async (worker: Worker) => {
        worker.child.kill('SIGTERM');
        const done = new AbortController();
        const over = delay(endMsMax, { signal: done.signal }).catch(() => undefined);
        await Promise.race([ended(worker), over]);
        done.abort();
        if (isOver(worker)) return;
        late.push(worker.name);
        worker.child.kill('SIGKILL');
      };
      await Promise.all(workers.map(end));
      return late;
    },

    /** At once, also from a handler of the end of the process. May be called twice. */
    killAll(): void {
      isEnding = true;
      for (const worker of workers) if (!isOver(worker)) worker.child.kill('SIGKILL');
    },

    /** The answer of a command on the same state; its error if it fails. */
    async ask(...command: readonly string[]): Promise<string> {
      const args = [main, ...command, '--config', configFile];
      const asked = promisify(execFile)(process.execPath, args, { cwd: folder, env, timeout: askMsMax });
      return asked.then(({ stdout }) => stdout, String);
    },
  };
}

const isOver = ({ child }: Worker) => child.exitCode !== null || child.signalCode !== null;

async function ended(worker: Worker): Promise<void> {
  if (!isOver(worker)) await once(worker.child, 'close');
}
