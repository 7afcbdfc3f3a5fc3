// Has the program use promptDisk in the processes of the tests. The tests of the state, processes that tests start, and every test with
// REPEATS=all have the disk of the program.
import { afterAll, beforeAll, expect } from 'vitest';
import { machineDisk } from '../../src/state/file/machine-disk.ts';
import { promptDisk } from './prompt-disk.ts';
import { isAll } from './repeats.ts';

const own = { ...machineDisk };

beforeAll(() => {
  const isAboutDisks = /[/\\]test[/\\]state[/\\]/.test(expect.getState().testPath ?? '');
  if (!isAll && !isAboutDisks) Object.assign(machineDisk, promptDisk);
});

afterAll(() => {
  Object.assign(machineDisk, own);
});
