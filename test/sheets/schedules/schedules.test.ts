// L1, L8, L9, L13, W2, W3, W4: any edits and faults between two requests. `npm run schedules` runs 10,000, REPEATS=all 500.
import { expect, test } from 'vitest';
import { repeats } from '../../support/repeats.ts';
import { checkSchedules, explain } from './check.ts';
import { runSchedule } from './run-schedule.ts';
import type { Schedule } from './schedule.ts';

const runs = repeats(30, 500);

test(`no value lands in a wrong cell in ${runs} schedules of edits and faults`, { timeout: 120_000 }, async () => {
  const details = await checkSchedules({ numRuns: runs, seed: 20_260_101 });
  expect(details.failed ? explain(details) : 'held').toBe('held');
});

const calm = {
  edits: [],
  faults: [],
  doesSortMoveMarks: false,
  doUnmatchedFiltersRefuse: false,
  doFormulasShowApostrophes: false,
};

interface Regression extends Partial<Omit<Schedule, 'steps'>>, Pick<Schedule, 'steps'> {
  readonly what: string;
  /** Kinds of outcomes, step by step: they show that the case is the intended one. */
  readonly outcomes: readonly (readonly string[])[];
}

/** Cases that failed once, shrunk to the necessary steps. */
const regressions: readonly Regression[] = [
  {
    what: 'a row that is pasted over a pinned one gets back the id that was written over',
    steps: [
      { kind: 'update', rows: 1, columns: 1, clearing: 34 },
      { kind: 'update', rows: 8, columns: 34, clearing: 1 },
    ],
    edits: [{ at: { step: 1, before: 'write' }, edit: { kind: 'cut and paste row', row: 0, to: 11 } }],
    outcomes: [['written'], ['displaced']],
  },
  {
    what: 'a row pasted over one that was blank but for what is written is not taken for it',
    steps: [
      { kind: 'update', rows: 32, columns: 6, clearing: 1 },
      { kind: 'append', count: 1 },
    ],
    edits: [
      { at: { step: 0, before: 'read' }, edit: { kind: 'cut and paste cells', row: 0, column: 3, to: 7 } },
      { at: { step: 0, before: 'write' }, edit: { kind: 'cut and paste row', row: 10, to: 8 } },
      { at: { step: 0, before: 'read' }, edit: { kind: 'insert row', row: 0 } },
    ],
    outcomes: [['displaced'], ['appended']],
  },
  {
    what: 'a row that somebody else deleted is not called removed because the answer of a refused batch was lost',
    steps: [
      { kind: 'remove', row: 0 },
      { kind: 'remove', row: 10 },
      { kind: 'append', count: 1 },
    ],
    edits: [{ at: { step: 1, before: 'delete' }, edit: { kind: 'delete row', row: 2 } }],
    faults: [{ at: { step: 1, before: 'delete' }, fault: 'timeout after' }],
    outcomes: [['removed'], ['removed', 'row-gone'], ['appended']],
  },
  {
    what: 'rows that move each time a deletion is tried do not make it give up its guard',
    steps: [{ kind: 'remove', row: 0 }],
    edits: [
      { at: { step: 0, before: 'delete', nth: 3 }, edit: { kind: 'sort', column: 0, isDescending: false } },
      { at: { step: 0, before: 'delete' }, edit: { kind: 'insert row', row: 0 } },
      { at: { step: 0, before: 'delete', nth: 2 }, edit: { kind: 'delete row', row: 2 } },
    ],
    outcomes: [['removed']],
  },
  {
    what: 'a row that came into the place of one that was deleted, both in the moment of deleting: told',
    steps: [{ kind: 'remove', row: 0 }],
    edits: [
      { at: { step: 0, before: 'delete', nth: 2 }, edit: { kind: 'insert row', row: 1 } },
      { at: { step: 0, before: 'delete', nth: 2 }, edit: { kind: 'delete row', row: 0 } },
    ],
    faults: [{ at: { step: 0, before: 'delete' }, fault: 'timeout before' }],
    outcomes: [['displaced']],
  },
  {
    what: 'of two rows without an id, the one that was edited stays and the other is deleted',
    steps: [{ kind: 'remove', row: 8 }],
    edits: [
      { at: { step: 0, before: 'read' }, edit: { kind: 'copy and paste row', row: 11, to: 0 } },
      { at: { step: 0, before: 'pin' }, edit: { kind: 'type', row: 0, column: 0, what: 'text' } },
    ],
    outcomes: [['moved', 'removed']],
  },
  {
    what: 'a value that went into another column of another row, the answer lost: found by itself, and put right',
    steps: [
      { kind: 'update', rows: 1, columns: 1, clearing: 1 },
      { kind: 'update', rows: 24, columns: 1, clearing: 1 },
      { kind: 'append', count: 1 },
    ],
    edits: [
      { at: { step: 1, before: 'write' }, edit: { kind: 'insert column', column: 0 } },
      { at: { step: 0, before: 'read' }, edit: { kind: 'delete row', row: 4 } },
      { at: { step: 1, before: 'write' }, edit: { kind: 'copy and paste row', row: 0, to: 10 } },
      { at: { step: 0, before: 'write' }, edit: { kind: 'move column', column: 0, to: 2 } },
    ],
    faults: [{ at: { step: 1, before: 'write' }, fault: 'lost after' }],
    outcomes: [['displaced'], ['displaced'], ['appended']],
  },
  {
    what: 'a row pasted over the pinned one, and columns moved: the column that was hit is told, not the planned one',
    steps: [
      { kind: 'update', rows: 1, columns: 1, clearing: 1 },
      { kind: 'update', rows: 1, columns: 8, clearing: 1 },
      { kind: 'update', rows: 1, columns: 44, clearing: 1 },
    ],
    edits: [
      { at: { step: 0, before: 'read' }, edit: { kind: 'move column', column: 0, to: 3 } },
      { at: { step: 2, before: 'write' }, edit: { kind: 'cut and paste row', row: 9, to: 0 } },
      { at: { step: 2, before: 'write' }, edit: { kind: 'insert column', column: 0 } },
    ],
    outcomes: [['written'], ['written'], ['displaced']],
  },
  {
    what: 'a row that has nothing but what was hit, its ID column moved, the answer lost: put right',
    steps: [{ kind: 'update', rows: 16, columns: 1, clearing: 46 }],
    edits: [
      { at: { step: 0, before: 'read' }, edit: { kind: 'delete row', row: 0 } },
      { at: { step: 0, before: 'write' }, edit: { kind: 'move column', column: 0, to: 3 } },
      { at: { step: 0, before: 'read' }, edit: { kind: 'type', row: 4, column: 0, what: 'text' } },
    ],
    faults: [{ at: { step: 0, before: 'write' }, fault: '500 after' }],
    outcomes: [['displaced']],
  },
  {
    what: 'a written value that people pasted under a repair was written all the same',
    steps: [
      { kind: 'remove', row: 0 },
      { kind: 'update', rows: 31, columns: 1, clearing: 4 },
    ],
    edits: [
      { at: { step: 1, before: 'write' }, edit: { kind: 'copy and paste row', row: 0, to: 10 } },
      { at: { step: 0, before: 'read' }, edit: { kind: 'copy and paste row', row: 3, to: 1 } },
      { at: { step: 1, before: 'write', nth: 2 }, edit: { kind: 'cut and paste row', row: 0, to: 10 } },
    ],
    faults: [{ at: { step: 0, before: 'read' }, fault: '429' }],
    outcomes: [['removed'], ['written', 'written', 'written', 'displaced']],
  },
  {
    what: 'a stray value that people cut and paste elsewhere in the moment of its repair is theirs',
    steps: [
      { kind: 'remove', row: 0 },
      { kind: 'update', rows: 1, columns: 2, clearing: 1 },
    ],
    edits: [
      { at: { step: 1, before: 'write', nth: 2 }, edit: { kind: 'cut and paste row', row: 0, to: 1 } },
      { at: { step: 1, before: 'write' }, edit: { kind: 'cut and paste row', row: 4, to: 0 } },
      { at: { step: 0, before: 'read' }, edit: { kind: 'insert column', column: 0 } },
    ],
    outcomes: [['removed'], ['displaced']],
  },
  {
    what: 'of a row and its copy that was pasted over another pinned row, the row itself is deleted',
    steps: [{ kind: 'remove', row: 9 }],
    edits: [
      { at: { step: 0, before: 'verify' }, edit: { kind: 'sort', column: 0, isDescending: false } },
      { at: { step: 0, before: 'pin' }, edit: { kind: 'copy and paste row', row: 4, to: 1 } },
    ],
    outcomes: [['moved', 'removed']],
  },
  {
    what: 'a clearing that hits a copy of another row of the call is a stray one, not that of the row it is a copy of',
    steps: [
      { kind: 'update', rows: 1, columns: 1, clearing: 1 },
      { kind: 'update', rows: 47, columns: 6, clearing: 50 },
    ],
    edits: [
      { at: { step: 0, before: 'pin' }, edit: { kind: 'cut and paste row', row: 4, to: 0 } },
      { at: { step: 1, before: 'write' }, edit: { kind: 'copy and paste row', row: 10, to: 0 } },
      { at: { step: 1, before: 'pin' }, edit: { kind: 'type', row: 2, column: 9, what: 'text' } },
    ],
    outcomes: [['moved'], ['displaced', 'written', 'changed-meanwhile', 'written']],
  },
  {
    what: 'rows that move away and back while a deletion is tried do not make it give up its guard',
    steps: [
      { kind: 'update', rows: 1, columns: 1, clearing: 1 },
      { kind: 'append', count: 1 },
      { kind: 'remove', row: 0 },
    ],
    edits: [
      { at: { step: 2, before: 'delete', nth: 2 }, edit: { kind: 'sort', column: 0, isDescending: true } },
      { at: { step: 2, before: 'delete' }, edit: { kind: 'move row', row: 1, to: 0 } },
      {
        at: { step: 2, before: 'verify', nth: 2 },
        edit: { kind: 'sort some columns', column: 0, isDescending: false },
      },
    ],
    doesSortMoveMarks: true,
    outcomes: [['written'], ['appended'], ['removed']],
  },
  {
    what: 'stray values that people sort into another row before they are looked at are theirs',
    steps: [{ kind: 'update', rows: 8, columns: 61, clearing: 16 }],
    edits: [
      { at: { step: 0, before: 'write' }, edit: { kind: 'insert column', column: 0 } },
      {
        at: { step: 0, before: 'verify', nth: 2 },
        edit: { kind: 'sort some columns', column: 0, isDescending: false },
      },
    ],
    outcomes: [['displaced']],
  },
  {
    what: 'a written value of which people paste a copy under a repair was written all the same',
    steps: [{ kind: 'update', rows: 42, columns: 1, clearing: 14 }],
    edits: [
      { at: { step: 0, before: 'write' }, edit: { kind: 'cut and paste row', row: 10, to: 3 } },
      { at: { step: 0, before: 'write' }, edit: { kind: 'sort', column: 0, isDescending: true } },
      { at: { step: 0, before: 'write', nth: 2 }, edit: { kind: 'copy and paste row', row: 2, to: 1 } },
    ],
    outcomes: [['written', 'displaced']],
  },
  {
    what: 'a stray value that people sort from a copy of a row into the row itself is theirs',
    steps: [{ kind: 'update', rows: 52, columns: 12, clearing: 1 }],
    edits: [
      { at: { step: 0, before: 'write' }, edit: { kind: 'copy and paste row', row: 9, to: 10 } },
      { at: { step: 0, before: 'write', nth: 2 }, edit: { kind: 'sort some columns', column: 5, isDescending: true } },
    ],
    outcomes: [['displaced', 'written']],
  },
  {
    what: 'a value whose row loses its id to a person is in its row all the same',
    steps: [
      { kind: 'update', rows: 40, columns: 1, clearing: 1 },
      { kind: 'update', rows: 24, columns: 1, clearing: 10 },
    ],
    edits: [{ at: { step: 1, before: 'other' }, edit: { kind: 'clear', row: 3, column: 0 } }],
    outcomes: [['written'], ['written', 'written']],
  },
  {
    what: 'a mapped column that was deleted by the time an append is sent again: it is not sent again',
    steps: [{ kind: 'append', count: 1 }],
    edits: [{ at: { step: 0, before: 'append' }, edit: { kind: 'delete column', column: 5 } }],
    faults: [{ at: { step: 0, before: 'append' }, fault: 'timeout before' }],
    outcomes: [['unknown']],
  },
  {
    what: 'a mapped column that is deleted and replaced in the moment of appending: told, and not taken for the new one',
    steps: [{ kind: 'append', count: 2 }],
    edits: [
      { at: { step: 0, before: 'append' }, edit: { kind: 'delete column', column: 5 } },
      { at: { step: 0, before: 'append' }, edit: { kind: 'insert column', column: 5 } },
    ],
    outcomes: [['displaced', 'displaced']],
  },
  {
    what: 'half of another row is sorted into a row that is given an id: the id is taken out again, and told',
    steps: [
      { kind: 'update', rows: 16, columns: 1, clearing: 2 },
      { kind: 'update', rows: 8, columns: 32, clearing: 1 },
    ],
    edits: [{ at: { step: 1, before: 'write' }, edit: { kind: 'sort some columns', column: 0, isDescending: false } }],
    outcomes: [['written'], ['displaced']],
  },
  {
    what: 'a column that is there only while formulas are looked at is not read in place of another',
    steps: [{ kind: 'append', count: 1 }],
    edits: [
      { at: { step: 0, before: 'look' }, edit: { kind: 'insert column', column: 1 } },
      { at: { step: 0, before: 'read', nth: 2 }, edit: { kind: 'delete column', column: 1 } },
    ],
    outcomes: [['appended']],
  },
  {
    what: 'a cell that is emptied in a row and in its copy without an id: each is planned against its own',
    steps: [
      { kind: 'update', rows: 24, columns: 6, clearing: 1 },
      { kind: 'update', rows: 44, columns: 26, clearing: 10 },
    ],
    edits: [
      { at: { step: 0, before: 'read' }, edit: { kind: 'copy and paste row', row: 3, to: 10 } },
      { at: { step: 1, before: 'look' }, edit: { kind: 'cut and paste row', row: 0, to: 10 } },
    ],
    outcomes: [
      ['written', 'written'],
      ['moved', 'written'],
    ],
  },
  {
    what: 'a row with nothing but a cell that is written over is not taken for a blank one: what it held is not known',
    steps: [{ kind: 'update', rows: 16, columns: 2, clearing: 1 }],
    edits: [
      { at: { step: 0, before: 'read' }, edit: { kind: 'type', row: 7, column: 2, what: 'text' } },
      { at: { step: 0, before: 'write' }, edit: { kind: 'cut and paste row', row: 7, to: 4 } },
    ],
    outcomes: [['displaced']],
  },
];

test.each(regressions)('$what', async ({ outcomes, ...regression }) => {
  const verdict = await runSchedule({ ...calm, ...regression });
  const { violations, story, happened } = verdict;
  expect(violations.length === 0 ? 'held' : [...violations, ...story].join('\n')).toBe('held');
  expect(happened).toBe((regression.edits ?? []).length + (regression.faults ?? []).length);
  expect(verdict.outcomes).toEqual(outcomes);
});
