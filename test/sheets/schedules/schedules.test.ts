// L1, L8, L9, L13, W2, W3, W4: whatever people and the network do between two requests. `npm run schedules` runs 10,000.
import { expect, test } from 'vitest';
import { checkSchedules, explain } from './check.ts';

const runs = 500;

test(`no value goes astray in ${runs} schedules of edits and faults`, { timeout: 120_000 }, async () => {
  const details = await checkSchedules({ numRuns: runs, seed: 20_260_101 });
  expect(details.failed ? explain(details) : 'held').toBe('held');
});

test.each([
  {
    what: 'a row that is pasted over a pinned one gets back the id that was written over',
    seed: 20_261_121,
    path: '2998:1:1:4:1:2:7:5:7:12:16',
  },
])('$what', async ({ seed, path }) => {
  const details = await checkSchedules({ numRuns: 1, seed, path });
  expect(details.failed ? explain(details) : 'held').toBe('held');
});
