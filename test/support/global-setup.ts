// Prepares a run of the tests: their folders in memory, and the program built once. Tests that start processes start it, as
// users do.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildProgram } from './build.ts';
import { hasBrowser } from './has-browser.ts';
import { useMemoryFolder } from './memory-folder.ts';
import { compiledCode, root } from './root.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The file to start. */
    readonly builtProgram: string;
  }
}

export async function setup(project: TestProject): Promise<() => void> {
  const folder = useMemoryFolder();
  // For processes that tests start by themselves: those that hold a lease, and the scripts.
  process.env['NODE_COMPILE_CACHE'] ??= compiledCode;
  if (!hasBrowser) {
    const machine = `${process.platform} ${process.arch}`;
    console.log(`Tests in a browser are skipped on ${machine}: @sparticuz/chromium has a program for linux x64 alone.`);
  }
  const shared = mkdtempSync(join(tmpdir(), 'leadsheet-shared-'));
  // Its files have an owner of their own, which Windows copies in another way.
  if (process.platform !== 'win32') process.env['TESTS_CLUSTER'] = join(shared, 'cluster');
  const compiling = compileSources();
  let program = buildProgram();
  await compiling;
  project.provide('builtProgram', program.main);
  // With `vitest --watch` the sources have changed.
  project.onTestsRerun(() => {
    program[Symbol.dispose]();
    program = buildProgram();
    project.provide('builtProgram', program.main);
  });
  return () => {
    program[Symbol.dispose]();
    rmSync(shared, { recursive: true, force: true });
    folder[Symbol.dispose]();
  };
}

/**
 * In a fresh clone Node has compiled nothing. The processes of the tests begin together, and each would compile all that it loads: 1.4 s
 * of processor time a process. One process does it for all, while the program is built.
 */
async function compileSources(): Promise<void> {
  if (existsSync(compiledCode)) return;
  const child = spawn(process.execPath, [join(root, 'test', 'support', 'compile-sources.ts')], {
    stdio: 'ignore',
    env: { ...process.env, NODE_COMPILE_CACHE: compiledCode },
  });
  await once(child, 'close');
}
