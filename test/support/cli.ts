// Runs a command line in the process of the test.
import { randomUUID } from 'node:crypto';
import { runCli } from '../../src/cli/program.ts';
import type { ProcessWorld } from '../../src/cli/world.ts';
import { createEnvReader } from '../../src/dot-env.ts';

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type GivenWorld = Partial<ProcessWorld>;
type Env = Readonly<Record<string, string>>;

/** Runs a command line in this process, on the real clock and network unless told otherwise. */
export async function run(args: readonly string[], env: Env = {}, world: GivenWorld = {}): Promise<CliRun> {
  return start(args, env, world).ended;
}

/** The same in a folder, with the variables of its `.env`. The process of the test works there until the command ends. */
export async function runIn(folder: string, args: readonly string[], env: Env = {}): Promise<CliRun> {
  const before = process.cwd();
  process.chdir(folder);
  const readEnv = createEnvReader(env).read;
  try {
    return await run(args, {}, { env: readEnv(), rereadEnv: readEnv });
  } finally {
    process.chdir(before);
  }
}

/** The same as `run`, with what it has printed so far. */
export function start(args: readonly string[], env: Env = {}, world: GivenWorld = {}) {
  const printed = { stdout: '', stderr: '' };
  const code = runCli(args, {
    env,
    account: 'ann',
    stdout: { write: (text) => (printed.stdout += text) },
    stderr: { write: (text) => (printed.stderr += text) },
    stop: new AbortController().signal,
    transport: fetch,
    now: Date.now,
    elapsed: () => performance.now(),
    random: () => 0.5,
    randomId: randomUUID,
    process: { pid: process.pid, probe: (pid) => process.kill(pid, 0) },
    ...world,
  });
  const ended: Promise<CliRun> = code.then((ran) => ({ code: ran, ...printed }));
  return { ended, printed };
}
