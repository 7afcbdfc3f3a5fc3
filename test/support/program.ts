// The program as a process of its own.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const mainFromSource = join(root, 'src', 'main.ts');

/** Compiled as for the package, in a folder of its own: tests that build do not get in each other's way. */
export function buildProgram(): { readonly main: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-built-'));
  execFileSync(process.execPath, [join(root, 'scripts', 'build.ts'), join(folder, 'dist')], { stdio: 'inherit' });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return {
    main: join(folder, 'dist', 'main.js'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

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

/** Nothing of our own environment but PATH reaches it; at the end of the test it is gone. */
export function startProgram(args: readonly string[], { main = mainFromSource, env = {}, cwd }: StartOptions = {}) {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    ...(cwd !== undefined && { cwd }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { stdout: '', stderr: '' };
  child.stdout.on('data', (data: Buffer) => (printed.stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (printed.stderr += data.toString()));
  const ended: Promise<Ended> = once(child, 'close').then(([code]) => ({ code: code as number | null, ...printed }));
  return { child, ended, printed };
}
