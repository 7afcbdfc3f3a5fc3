// Writes down the processor time of each file of tests, for CPU_TIMES=FILE: times of a clock say little on a busy machine.
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { root } from './root.ts';

const { CPU_TIMES: file } = process.env;

if (file !== undefined) {
  const before = used();
  afterAll(() => {
    const after = used();
    const line = {
      file: relative(root, expect.getState().testPath ?? ''),
      own: rounded(after.own - before.own),
      processes: rounded(after.processes - before.processes),
    };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  });
}

/** Seconds, user and system: of this process, and of those that it started and that have ended. Linux alone tells the second. */
function used(): { readonly own: number; readonly processes: number } {
  const { user, system } = process.cpuUsage();
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ');
  // proc(5): cutime and cstime, in hundredths; the second field, a name in brackets, is cut off.
  return { own: (user + system) / 1e6, processes: (Number(fields[13]) + Number(fields[14])) / 100 };
}

function rounded(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}
