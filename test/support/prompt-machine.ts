// Has the program use promptDisk in the processes of the tests. The tests of the state, processes that tests start, and every test with
// REPEATS=all have the disk of the program.
import { readFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, expect } from 'vitest';
import { machineDisk } from '../../src/state/file/machine-disk.ts';
import { promptDisk } from './prompt-disk.ts';
import { isAll } from './repeats.ts';

const own = { ...machineDisk };
const { readFile } = promises;

/** What the program reads past its disk at each start of a run: who holds a lease (proc(5)), and its files of credentials. */
const promptReadFile = (async (...[path, options]: Parameters<typeof readFile>) =>
  typeof path === 'string' && (options === undefined || typeof options === 'string')
    ? readFileSync(path, options)
    : readFile(path, options)) as typeof readFile;

beforeAll(() => {
  const isAboutDisks = /[/\\]test[/\\]state[/\\]/.test(expect.getState().testPath ?? '');
  if (isAll || isAboutDisks) return;
  Object.assign(machineDisk, promptDisk);
  use(promptReadFile);
});

afterAll(() => {
  Object.assign(machineDisk, own);
  use(readFile);
});

function use(function_: typeof readFile): void {
  promises.readFile = function_;
  syncBuiltinESMExports();
}
