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
  {
    what: 'a row pasted over one that was blank but for what is written is not taken for it',
    seed: 555,
    path: '3113:4:1:1:4:3:3:5:5:5:5:7:6:11:18:21:21:21',
  },
  {
    what: 'a row that somebody else deleted is not called removed because the answer of a refused batch was lost',
    seed: 31_415,
    path: '4142:2:6:6:7:6:12:12:18',
  },
  {
    what: 'rows that move each time a deletion is tried do not make it give up its guard',
    seed: 777,
    path: '482:0:2:4:5:10:9:9:10:15:9:4:12:12:13',
  },
])('$what', async ({ seed, path }) => {
  const details = await checkSchedules({ numRuns: 1, seed, path });
  expect(details.failed ? explain(details) : 'held').toBe('held');
});
