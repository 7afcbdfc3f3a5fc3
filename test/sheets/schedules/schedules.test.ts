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

const calm = {
  edits: [],
  faults: [],
  doesSortMoveMarks: false,
  doUnmatchedFiltersRefuse: false,
  doFormulasShowApostrophes: false,
};

/** Once failed, and shrunk to what matters. */
const regressions: readonly (Partial<Schedule> & Pick<Schedule, 'steps'> & { readonly what: string })[] = [
  {
    what: 'a row that is pasted over a pinned one gets back the id that was written over',
    steps: [
      { kind: 'update', rows: 1, columns: 1, clearing: 34 },
      { kind: 'update', rows: 8, columns: 34, clearing: 1 },
    ],
    edits: [{ at: 8, edit: { kind: 'cut and paste row', row: 0, to: 11 } }],
  },
  {
    what: 'a row pasted over one that was blank but for what is written is not taken for it',
    steps: [
      { kind: 'update', rows: 32, columns: 6, clearing: 1 },
      { kind: 'append', count: 1 },
    ],
    edits: [
      { at: 0, edit: { kind: 'cut and paste cells', row: 0, column: 3, to: 7 } },
      { at: 3, edit: { kind: 'cut and paste row', row: 10, to: 8 } },
      { at: 0, edit: { kind: 'insert row', row: 0 } },
    ],
  },
  {
    what: 'a row that somebody else deleted is not called removed because the answer of a refused batch was lost',
    steps: [
      { kind: 'remove', row: 0 },
      { kind: 'remove', row: 10 },
      { kind: 'append', count: 1 },
    ],
    edits: [{ at: 7, edit: { kind: 'delete row', row: 2 } }],
    faults: [{ at: 7, fault: 'timeout after' }],
  },
  {
    what: 'rows that move each time a deletion is tried do not make it give up its guard',
    steps: [{ kind: 'remove', row: 0 }],
    edits: [
      { at: 7, edit: { kind: 'sort', column: 0, isDescending: false } },
      { at: 3, edit: { kind: 'insert row', row: 0 } },
      { at: 5, edit: { kind: 'delete row', row: 2 } },
    ],
  },
  {
    what: 'a row that came into the place of one that was deleted, both in the moment of deleting: told',
    steps: [{ kind: 'remove', row: 0 }],
    edits: [
      { at: 5, edit: { kind: 'insert row', row: 1 } },
      { at: 5, edit: { kind: 'delete row', row: 0 } },
    ],
    faults: [{ at: 3, fault: 'timeout before' }],
  },
  {
    what: 'of two rows without an id, the one that was edited stays and the other is deleted',
    steps: [{ kind: 'remove', row: 8 }],
    edits: [
      { at: 0, edit: { kind: 'copy and paste row', row: 11, to: 0 } },
      { at: 1, edit: { kind: 'type', row: 0, column: 0, what: 'text' } },
    ],
  },
  {
    what: 'a value that went into another column of another row, the answer lost: found by itself, and put right',
    steps: [
      { kind: 'update', rows: 1, columns: 1, clearing: 1 },
      { kind: 'update', rows: 24, columns: 1, clearing: 1 },
      { kind: 'append', count: 1 },
    ],
    edits: [
      { at: 11, edit: { kind: 'insert column', column: 0 } },
      { at: 0, edit: { kind: 'delete row', row: 4 } },
      { at: 11, edit: { kind: 'copy and paste row', row: 0, to: 10 } },
      { at: 3, edit: { kind: 'move column', column: 0, to: 2 } },
    ],
    faults: [{ at: 11, fault: 'lost after' }],
  },
  {
    what: 'a row pasted over the pinned one, and columns moved: the column that was hit is told, not the planned one',
    steps: [
      { kind: 'update', rows: 1, columns: 1, clearing: 1 },
      { kind: 'update', rows: 1, columns: 8, clearing: 1 },
      { kind: 'update', rows: 1, columns: 44, clearing: 1 },
    ],
    edits: [
      { at: 0, edit: { kind: 'move column', column: 0, to: 3 } },
      { at: 10, edit: { kind: 'cut and paste row', row: 9, to: 0 } },
      { at: 10, edit: { kind: 'insert column', column: 0 } },
    ],
  },
  {
    what: 'a row that has nothing but what was hit, its ID column moved, the answer lost: put right',
    steps: [{ kind: 'update', rows: 16, columns: 1, clearing: 46 }],
    edits: [
      { at: 0, edit: { kind: 'delete row', row: 0 } },
      { at: 3, edit: { kind: 'move column', column: 0, to: 3 } },
      { at: 0, edit: { kind: 'type', row: 4, column: 0, what: 'text' } },
    ],
    faults: [{ at: 3, fault: '500 after' }],
  },
  {
    what: 'a written value that people pasted under a repair was written all the same',
    steps: [
      { kind: 'remove', row: 0 },
      { kind: 'update', rows: 31, columns: 1, clearing: 4 },
    ],
    edits: [
      { at: 8, edit: { kind: 'copy and paste row', row: 0, to: 10 } },
      { at: 0, edit: { kind: 'copy and paste row', row: 3, to: 1 } },
      { at: 10, edit: { kind: 'cut and paste row', row: 0, to: 10 } },
    ],
    faults: [{ at: 0, fault: '429' }],
  },
  {
    what: 'a stray value that people cut and paste elsewhere in the moment of its repair is theirs',
    steps: [
      { kind: 'remove', row: 0 },
      { kind: 'update', rows: 1, columns: 2, clearing: 1 },
    ],
    edits: [
      { at: 10, edit: { kind: 'cut and paste row', row: 0, to: 1 } },
      { at: 8, edit: { kind: 'cut and paste row', row: 4, to: 0 } },
      { at: 0, edit: { kind: 'insert column', column: 0 } },
    ],
  },
  {
    what: 'of a row and its copy that was pasted over another pinned row, the row itself is deleted',
    steps: [{ kind: 'remove', row: 9 }],
    edits: [
      { at: 2, edit: { kind: 'sort', column: 0, isDescending: false } },
      { at: 1, edit: { kind: 'copy and paste row', row: 4, to: 1 } },
    ],
  },
  {
    what: 'a clearing that hits a copy of another row of the call is a stray one, not that of the row it is a copy of',
    steps: [
      { kind: 'update', rows: 1, columns: 1, clearing: 1 },
      { kind: 'update', rows: 47, columns: 6, clearing: 50 },
    ],
    edits: [
      { at: 1, edit: { kind: 'cut and paste row', row: 4, to: 0 } },
      { at: 7, edit: { kind: 'copy and paste row', row: 10, to: 0 } },
      { at: 5, edit: { kind: 'type', row: 2, column: 9, what: 'text' } },
    ],
  },
  {
    what: 'rows that move away and back while a deletion is tried do not make it give up its guard',
    steps: [
      { kind: 'update', rows: 1, columns: 1, clearing: 1 },
      { kind: 'append', count: 1 },
      { kind: 'remove', row: 0 },
    ],
    edits: [
      { at: 12, edit: { kind: 'sort', column: 0, isDescending: true } },
      { at: 10, edit: { kind: 'move row', row: 1, to: 0 } },
      { at: 11, edit: { kind: 'sort some columns', column: 0, isDescending: false } },
    ],
    doesSortMoveMarks: true,
  },
  {
    what: 'stray values that people sort into another row before they are looked at are theirs',
    steps: [{ kind: 'update', rows: 8, columns: 61, clearing: 16 }],
    edits: [
      { at: 3, edit: { kind: 'insert column', column: 0 } },
      { at: 4, edit: { kind: 'sort some columns', column: 0, isDescending: false } },
    ],
  },
  {
    what: 'a written value of which people paste a copy under a repair was written all the same',
    steps: [{ kind: 'update', rows: 42, columns: 1, clearing: 14 }],
    edits: [
      { at: 3, edit: { kind: 'cut and paste row', row: 10, to: 3 } },
      { at: 3, edit: { kind: 'sort', column: 0, isDescending: true } },
      { at: 5, edit: { kind: 'copy and paste row', row: 2, to: 1 } },
    ],
  },
  {
    what: 'a stray value that people sort from a copy of a row into the row itself is theirs',
    steps: [{ kind: 'update', rows: 52, columns: 12, clearing: 1 }],
    edits: [
      { at: 3, edit: { kind: 'copy and paste row', row: 9, to: 10 } },
      { at: 5, edit: { kind: 'sort some columns', column: 5, isDescending: true } },
    ],
  },
  {
    what: 'a value whose row loses its id to a person is in its row all the same',
    steps: [
      { kind: 'update', rows: 40, columns: 1, clearing: 1 },
      { kind: 'update', rows: 24, columns: 1, clearing: 10 },
    ],
    edits: [{ at: 9, edit: { kind: 'clear', row: 3, column: 0 } }],
  },
  {
    what: 'a mapped column that was deleted by the time an append is sent again: it is not sent again',
    steps: [{ kind: 'append', count: 1 }],
    edits: [{ at: 1, edit: { kind: 'delete column', column: 5 } }],
    faults: [{ at: 1, fault: 'timeout before' }],
  },
  {
    what: 'a mapped column that is deleted and replaced in the moment of appending: told, and not taken for the new one',
    steps: [{ kind: 'append', count: 2 }],
    edits: [
      { at: 1, edit: { kind: 'delete column', column: 5 } },
      { at: 1, edit: { kind: 'insert column', column: 5 } },
    ],
  },
];

test.each(regressions)('$what', async (regression) => {
  const { violations, story } = await runSchedule({ ...calm, ...regression });
  expect(violations.length === 0 ? 'held' : [...violations, ...story].join('\n')).toBe('held');
});
