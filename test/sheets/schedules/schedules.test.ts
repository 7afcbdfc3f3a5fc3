// L1, L8, L9, L13, W2, W3, W4: whatever people and the network do between two requests. `npm run schedules` runs 10,000.
import { expect, test } from 'vitest';
import { checkSchedules, explain } from './check.ts';
import { runSchedule } from './run-schedule.ts';
import type { Schedule } from './schedule.ts';

const runs = 500;

test(`no value goes astray in ${runs} schedules of edits and faults`, { timeout: 120_000 }, async () => {
  const details = await checkSchedules({ numRuns: runs, seed: 20_260_101 });
  expect(details.failed ? explain(details) : 'held').toBe('held');
});

/** Schedules that once broke an invariant. */
const known: readonly { readonly what: string; readonly schedule: Pick<Schedule, 'steps' | 'edits' | 'faults'> }[] = [
  {
    what: 'a row that is pasted over a pinned one gets back the id that was written over',
    schedule: {
      steps: [
        { kind: 'update', rows: 1, columns: 1, clearing: 34 },
        { kind: 'update', rows: 8, columns: 34, clearing: 1 },
      ],
      edits: [{ at: 10, edit: { kind: 'cut and paste row', row: 0, to: 11 } }],
      faults: [],
    },
  },
  {
    what: 'a row pasted over one that was blank but for what is written is not taken for it',
    schedule: {
      steps: [
        { kind: 'update', rows: 32, columns: 6, clearing: 1 },
        { kind: 'append', count: 1 },
      ],
      edits: [
        { at: 0, edit: { kind: 'cut and paste cells', row: 0, column: 3, to: 7 } },
        { at: 4, edit: { kind: 'cut and paste row', row: 10, to: 8 } },
        { at: 0, edit: { kind: 'insert row', row: 0 } },
      ],
      faults: [],
    },
  },
  {
    what: 'a row that somebody else deleted is not called removed because the answer of a refused batch was lost',
    schedule: {
      steps: [
        { kind: 'remove', row: 0 },
        { kind: 'remove', row: 10 },
        { kind: 'append', count: 1 },
      ],
      edits: [{ at: 9, edit: { kind: 'delete row', row: 2 } }],
      faults: [{ at: 9, fault: 'timeout after' }],
    },
  },
  {
    what: 'rows that move each time a deletion is tried do not make it give up its guard',
    schedule: {
      steps: [{ kind: 'remove', row: 0 }],
      edits: [
        { at: 8, edit: { kind: 'sort', column: 0, isDescending: false } },
        { at: 4, edit: { kind: 'insert row', row: 0 } },
        { at: 6, edit: { kind: 'delete row', row: 2 } },
      ],
      faults: [],
    },
  },
];

test.each(known)('$what', async ({ schedule }) => {
  const switches = { doesSortMoveMarks: false, doUnmatchedFiltersRefuse: false, doFormulasShowApostrophes: false };
  expect((await runSchedule({ ...schedule, ...switches })).violations).toEqual([]);
});
