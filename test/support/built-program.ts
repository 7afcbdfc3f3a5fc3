// Builds the program once for all tests of a run. Those that start processes start it, as users do.
import type { TestProject } from 'vitest/node';
import { buildProgram } from './build.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The file to start. */
    readonly builtProgram: string;
  }
}

export function setup(project: TestProject): () => void {
  let program = buildProgram();
  project.provide('builtProgram', program.main);
  // With `vitest --watch` the sources have changed.
  project.onTestsRerun(() => {
    program[Symbol.dispose]();
    program = buildProgram();
    project.provide('builtProgram', program.main);
  });
  return () => program[Symbol.dispose]();
}
