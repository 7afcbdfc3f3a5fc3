import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { installClock } from './world/clock.ts';

test('no timer fires while a real file is being read, however slow the disk is', async () => {
  using clock = installClock(0, () => 0);
  let fired = 0;
  setInterval(() => (fired += 1), 1);
  const read = async () => {
    for (let times = 0; times < 20; times += 1) await readFile(import.meta.filename);
    return fired;
  };
  expect(await clock.until(read())).toBe(0);
});
