// Runs the program as a process of its own: as it is built, unless a test asks for the sources.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { compiledCode, root } from './root.ts';

/** As `npm start` runs it. */
export const mainFromSource = join(root, 'src', 'main.ts');
/**
 * The folder of Node's compiled code, which halves the time of a start: for the sources it stays, for a built program it
 * lies beside it.
 */
const compiledFor = (main: string) => (main === mainFromSource ? compiledCode : join(dirname(main), 'compiled'));

export interface StartOptions {
  readonly main?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface Ended {
  /** null: ended by a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line of the program, and its environment: nothing of ours but PATH. */
export function programOf(args: readonly string[], { main = inject('builtProgram'), env = {} }: StartOptions = {}) {
  return {
    file: process.execPath,
    args: [main, ...args],
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: compiledFor(main), ...env },
  };
}

/** The end of the test ends it. */
export function startProgram(words: readonly string[], { cwd, ...options }: StartOptions = {}) {
  const { file, args, env } = programOf(words, options);
  const child = spawn(file, args, {
    env,
    ...(cwd !== undefined && { cwd }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { stdout: '', stderr: '' };
  child.stdout.on('data', (data: Buffer) => (printed.stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (printed.stderr += data.toString()));
  const ended: Promise<Ended> = once(child, 'close').then(([code]) => ({ code: code as number | null, ...printed }));
  return { child, ended, printed };
}
