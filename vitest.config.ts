import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { patienceMs } from './test/support/patience.ts';

const all = 'test/**/*.test.ts';
/** Each replaces a module of ours with vi.mock, which works only in a process that has not loaded that module. */
const mocking = ['test/sheets/unknown-outcome.test.ts'];
const isShuffled = process.argv.some((argument) => argument.startsWith('--sequence.shuffle'));

export default defineConfig({
  test: {
    // A machine that other work slows down to a twentieth passes, too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 120_000,
    // The same for what a test waits for: time decides no verdict.
    expect: { poll: { timeout: patienceMs } },
    setupFiles: [
      'test/support/direct-imports.ts',
      'test/support/cpu-times.ts',
      'test/support/own-globals.ts',
      'test/support/prompt-machine.ts',
    ],
    // Five more than there are cores: the tests of processes, of the daemon and of the browser mostly wait. With two more, two cores were
    // idle for an eighth of the time. Seven more made no difference that could be told from that of the machine.
    maxWorkers: availableParallelism() + 5,
    // A sequencer of ours would win over the order that the command line asks for.
    ...(!isShuffled && { sequence: { sequencer: LongestFirst } }),
    projects: [
      // The files share processes, and what is loaded there: to load the program takes longer than most files take.
      {
        extends: true,
        test: {
          name: 'shared',
          include: [all],
          exclude: mocking,
          isolate: false,
          // Node loads the modules itself, as it does for users. Through the runner of vite each import is a lookup in an object, and each
          // process transforms and compiles every file anew: together a tenth of the processor time.
          experimental: { viteModuleRunner: false, nodeLoader: false },
          globalSetup: 'test/support/global-setup.ts',
        },
      },
      { extends: true, test: { name: 'alone', include: mocking } },
    ],
  },
});
