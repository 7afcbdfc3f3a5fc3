// Prepares a run of the tests: their folders in memory, and the program built once. Tests that start processes start it, as
// users do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildProgram } from './build.ts';
import { hasBrowser } from './has-browser.ts';
import { useMemoryFolder } from './memory-folder.ts';
import { compiledCode } from './root.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The file to start. */
    readonly builtProgram: string;
  }
}

export function setup(project: TestProject): () => void {
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
  let program = buildProgram();
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
