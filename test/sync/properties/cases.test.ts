// Failures that the laws found, each as the smallest story that shows it. Stories of moved contacts: `moves.test.ts`.
import { deepStrictEqual } from 'node:assert';
import { expect, test } from 'vitest';
import { type Case, company, does, name, nobody, runs, worldOf } from './case.ts';
import { position } from './setting.ts';
import { settleDown } from './laws.ts';
import { healthy } from './options.ts';
import type { Act } from './people.ts';
import { planAndAsk, readBoth, run } from './run.ts';
import { judgeIncremental, judgeOrder } from './single.ts';
import { judgeUndo } from './undo.ts';

test.each<Case>([
  {
    what: 'I2, L2: a contact whose move to this list is refused is not updated, and its row takes nothing of it',
    setting: { conflict: 'crm', keyConflict: 'crm', moveToList: true, habit: 'lowers' },
    contacts: [[4, 0, 0, 0, 0, 0, 0]],
    rows: [[0, 0, 0, 0, 0, 0, 1]],
    steps: [
      does({ kind: 'moves to another list or back', who: 0 }),
      does({ kind: 'edits a cell', who: 0, field: 0, to: 4 }),
      runs({ isDrifted: true, faults: ['refused', 'refused'], pauseSecs: 5 }),
    ],
  },
  {
    what: 'L12: a plan counts the link of a contact once that left the list and is moved back',
    setting: { conflict: 'crm', keyConflict: 'crm', moveToList: true, habit: 'lowers' },
    contacts: [nobody, nobody],
    rows: [nobody, nobody],
    steps: [
      does({ kind: 'garbles an id', who: 0 }),
      runs({ coverage: 'changes', waitsToSettle: true, pauseSecs: 5 }),
      runs({
        isDrifted: true,
        meanwhile: [{ at: 0, act: { kind: 'swaps cells', who: 2, other: 5, field: 0 } }],
        pauseSecs: 5,
      }),
      does({ kind: 'edits a contact', who: 5, field: 0, to: 0 }),
      does({ kind: 'moves to another list or back', who: 5 }),
    ],
  },
  {
    what: 'W5: a run that refuses both halves of a swap is one try',
    setting: { habit: 'refuses' },
    contacts: [[0, 0, 0, 0, 4, 0, 0], nobody],
    steps: [
      runs({ pauseSecs: 10_800 }),
      does({ kind: 'swaps cells', who: 0, other: 7, field: 0 }),
      runs({ faults: ['fine', 'fine', 'fine', 'crash before'], pauseSecs: 10_800 }),
    ],
  },
  {
    what: 'M5: an edit in the service between look and call that differs in case alone passes for the form of what was sent',
    setting: { conflict: 'sheet', keyConflict: 'crm', habit: 'lowers' },
    contacts: [[4, 0, 0, 0, 0, 0, 0]],
    rows: [[4, 0, 5, 0, 0, 0, 0]],
    steps: [
      runs({
        edits: [
          { at: 0, value: 0 },
          { at: 0, value: 3 },
        ],
        pauseSecs: 5,
      }),
    ],
  },
  {
    what: 'L2: a cell that a person emptied stays empty once the service confirms the blank',
    contacts: [[0, 0, 0, 1, 0, 0, 0]],
    steps: [runs(), does({ kind: 'edits a cell', who: 0, field: company, to: 0 })],
  },
  {
    what: 'L12: two rows that match one contact name it, which gets no row meanwhile',
    contacts: [[4, 0, 0, 0, 0, 0, 0]],
    rows: [
      [4, 0, 0, 0, 0, 0, 0],
      [4, 0, 0, 0, 0, 0, 0],
    ],
    steps: [],
  },
  {
    what: 'L7: a row without an ID that cannot be read may be the row of anybody, so nobody’s row is gone',
    setting: { onRowDeleted: 'delete_contact', onContactDeleted: 'ignore' },
    contacts: [[5, 4, 0, 0, 0, 0, 0]],
    rows: [[0, 0, 0, 0, 0, 0, 0]],
    steps: [
      runs(),
      does({ kind: 'clears all ids' }),
      runs({ unreadable: { row: 1, field: 0 }, isSilent: true, faults: ['fine', 'unknown, done'], pauseSecs: 5 }),
    ],
  },
  {
    what: 'I2: a row that means somebody who left, and whose row is still here, does not fetch them back',
    setting: { conflict: 'crm', keyConflict: 'crm', moveToList: true },
    contacts: [
      [0, 0, 3, 1, 0, 0, 0],
      [0, 0, 2, 1, 0, 0, 0],
    ],
    steps: [
      does({ kind: 'types a row', values: [0, 1, 3, 4, 0, 0, 0] }),
      does({ kind: 'types a row again', who: 0 }),
      runs({ coverage: 'changes', pauseSecs: 5 }),
      does({ kind: 'swaps cells', who: 0, other: 2, field: 2 }),
      runs({ waitsToSettle: true, meanwhile: [{ at: 0, act: { kind: 'moves to another list or back', who: 1 } }] }),
    ],
  },
  {
    what: 'W9: a link that says the same in another order of its parts is not stored again',
    setting: { habit: 'lowers' },
    contacts: [
      [0, 0, 1, 1, 0, 0, 0],
      [0, 0, 3, 1, 0, 0, 0],
    ],
    rows: [
      [4, 0, 3, 4, 0, 0, 0],
      [0, 0, 0, 0, 0, 0, 0],
    ],
    steps: [
      runs(),
      runs({ isDrifted: true, unread: 1, faults: ['refused'], pauseSecs: 5 }),
      does({ kind: 'edits a cell', who: 1, field: 0, to: 4 }),
    ],
  },
  {
    what: 'L8: two rows that find one contact in another list by different keys do not both move it here',
    setting: { moveToList: true },
    contacts: [[4, 4, 1, 1, 0, 0, 0]],
    rows: [
      [4, 0, 0, 0, 0, 0, 0],
      [0, 0, 1, 1, 0, 0, 0],
    ],
    steps: [does({ kind: 'moves to another list or back', who: 0 })],
  },
  {
    what: 'L12: a value that the service did not store is named while it is tried again',
    setting: { habit: 'ignores' },
    contacts: [nobody],
    steps: [runs(), does({ kind: 'edits a cell', who: 0, field: position, to: 1 })],
  },
  {
    what: 'L3: nothing is agreed on with a contact whose update had an unknown outcome and that was not read since',
    setting: { conflict: 'sheet' },
    contacts: [[4, 0, 1, 0, 0, 0, 0]],
    rows: [[4, 0, 2, 0, 0, 0, 0]],
    steps: [
      runs({ faults: ['unknown, done'] }),
      does({ kind: 'edits a cell', who: 0, field: name, to: 1 }),
      runs({ coverage: 'partial', unread: 63 }),
    ],
  },
  {
    what: 'L5: what changed in the CRM while some ID was in doubt reaches the row that a person puts back',
    contacts: [nobody, nobody, nobody],
    steps: [
      runs(),
      does({ kind: 'copies a row', who: 0 }),
      does({ kind: 'deletes a row', who: 2 }),
      does({ kind: 'edits a contact', who: 2, field: position, to: 1 }),
      runs(),
      does({ kind: 'puts a row back', who: 0 }),
    ],
  },
  {
    what: 'L1, D3: the row of a contact that is gone stays when one of its cells cannot be read: somebody may have typed there',
    setting: { onContactDeleted: 'delete_row' },
    rows: [nobody, nobody, nobody],
    steps: [
      runs(),
      does({ kind: 'edits a cell', who: 4, field: position, to: 1 }),
      does({ kind: 'deletes a contact', who: 4 }),
      runs({ unreadable: { row: 1, field: position }, pauseSecs: 5 }),
    ],
  },
  {
    what: 'L12, I5: a row without ID and key is not held for that of a contact that went before',
    setting: { conflict: 'crm', keyConflict: 'crm', onContactDeleted: 'ignore' },
    contacts: [[5, 0, 0, 0, 0, 0, 0]],
    steps: [
      does({ kind: 'edits a contact', who: 0, field: 1, to: 0 }),
      runs({
        meanwhile: [{ at: 0, act: { kind: 'edits a cell', who: 0, field: 0, to: 0 } }],
        pauseSecs: 5,
      }),
      does({ kind: 'clears an id', who: 0 }),
      does({ kind: 'deletes a contact', who: 0 }),
    ],
  },
  {
    what: 'W9: rows that are nobody’s yet are remembered alike in whatever order a run comes across them',
    setting: { conflict: 'crm', keyConflict: 'crm' },
    rows: [nobody],
    steps: [
      does({ kind: 'types a row again', who: 0 }),
      does({ kind: 'types a row', values: [4, 0, 3, 2, 0, 0, 0] }),
      runs({ coverage: 'changes', pauseSecs: 5 }),
      does({ kind: 'deletes a contact', who: 0 }),
      does({ kind: 'adds a contact', values: [0, 0, 1, 5, 0, 0, 0] }),
      does({ kind: 'types a row', values: [4, 0, 0, 0, 0, 0, 0] }),
    ],
  },
  {
    what: 'L10, M4: of a column that is only sent, an answer that died with the process is none',
    setting: { habit: 'lowers' },
    rows: [nobody, [0, 0, 0, 0, 0, 0, 4]],
    steps: [
      runs(),
      does({ kind: 'reverses rows' }),
      does({ kind: 'edits a cell', who: 3, field: 0, to: 0 }),
      does({ kind: 'edits a cell', who: 0, field: 6, to: 0 }),
      runs({ faults: ['fine', 'crash before'] }),
      does({ kind: 'edits a cell', who: 0, field: 6, to: 4 }),
    ],
  },
  {
    what: 'L2, D5: a contact that is asked for before it is deleted, and changed, comes back as it was answered',
    setting: { onRowDeleted: 'delete_contact', habit: 'lowers' },
    contacts: [nobody],
    steps: [
      runs(),
      does({ kind: 'deletes a row', who: 0 }),
      does({ kind: 'edits a contact', who: 0, field: 0, to: 1 }),
      runs({ coverage: 'partial', unread: 21, pauseSecs: 5 }),
      runs({ coverage: 'changes', pauseSecs: 5 }),
    ],
  },
  {
    what: 'M1, M6, W9: a field that won as the newer one and was not stored becomes a conflict once, and stays one',
    setting: { conflict: 'newest', habit: 'ignores' },
    contacts: [
      [4, 0, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0, 0, 0],
      [4, 0, 0, 0, 2, 0, 0],
    ],
    rows: [
      [0, 0, 0, 0, 0, 0, 0],
      [4, 0, 0, 0, 1, 0, 0],
    ],
    steps: [
      runs(),
      does({ kind: 'edits a contact', who: 3, field: 0, to: 4 }),
      runs({ faults: ['fine', 'crash before'] }),
      does({ kind: 'moves to another list or back', who: 0 }),
      does({ kind: 'edits a cell', who: 0, field: 0, to: 0 }),
    ],
  },
  {
    what: 'W9, D1: a contact that was cancelled everywhere while its row was in doubt is remembered once',
    setting: { conflict: 'crm', keyConflict: 'crm', onRowDeleted: 'cancel_automations' },
    contacts: [[5, 5, 3, 1, 0, 0, 0]],
    rows: [
      [0, 0, 3, 1, 0, 0, 0],
      [0, 0, 0, 0, 0, 0, 0],
      [0, 0, 2, 1, 0, 0, 0],
    ],
    steps: [
      does({ kind: 'types a row again', who: 0 }),
      runs({
        coverage: 'changes',
        unreadable: { row: 2, field: 0 },
        meanwhile: [{ at: 0, act: { kind: 'swaps cells', who: 2, other: 0, field: 1 } }],
        pauseSecs: 5,
      }),
    ],
  },
  {
    what: 'L3, W4: what a process that died had sent is unknown to a scan that does not show the contact',
    setting: { conflict: 'crm', keyConflict: 'crm', habit: 'lowers' },
    contacts: [[0, 0, 3, 1, 0, 0, 0]],
    rows: [[0, 0, 3, 4, 0, 0, 0]],
    steps: [
      runs({
        coverage: 'changes',
        waitsToSettle: true,
        meanwhile: [{ at: 0, act: { kind: 'edits a contact', who: 0, field: 0, to: 0 } }],
        pauseSecs: 5,
      }),
      runs({ coverage: 'changes', faults: ['crash after'], pauseSecs: 5 }),
      runs({ isDrifted: true, unread: 33, pauseSecs: 5 }),
    ],
  },
  {
    what: 'L12, W5: a record is named once when the service and the spreadsheet both refused what was to be written',
    setting: { habit: 'ignores' },
    rows: [[0, 0, 0, 0, 1, 0, 0]],
    steps: [
      runs(),
      does({ kind: 'clears all ids' }),
      runs({ faults: ['refused', 'refused'], pauseSecs: 5 }),
      runs({ pauseSecs: 5 }),
    ],
  },
])('$what', (each) => {
  const world = worldOf(each);
  settleDown(world);
  expect(world.violations).toEqual([]);
});

test('W9: cells that a run wrote for a contact it had just created are in the base at once', () => {
  const world = worldOf({ rows: [[0, 0, 0, 0, 0, 1, 0]], steps: [runs()] });
  const { plan, settled } = run(world, healthy);
  expect([plan.changes, settled?.links.size]).toEqual([[], 0]);
});

test('L12: a plan counts the links after its run', () => {
  const world = worldOf({ rows: [nobody], contacts: [nobody], steps: [] });
  const { plan } = run(world, healthy);
  expect([plan.linked, world.base.links.size]).toEqual([2, 2]);
});

test('I7: after a swap of keys whose second half failed, the emptied key does not count as an edit', () => {
  const swap: Act = { kind: 'swaps cells', who: 0, other: 1, field: 0 };
  const steps = [runs(), does(swap), runs({ faults: ['fine', 'fine', 'failed'] })];
  const world = worldOf({ setting: { keyConflict: 'crm' }, contacts: [nobody, nobody], steps });
  settleDown(world);
  expect(world.violations).toEqual([]);
  expect(world.contacts.map(({ held }) => held[0]!.value)).toEqual(['c1', 'c0']);
});

test('L7: a contact is not deleted while a row that lost its ID may be its row', () => {
  const namesake = [0, 0, 1, 1, 0, 0, 0];
  const steps = [
    runs(),
    does({ kind: 'clears an id', who: 0 }),
    does({ kind: 'edits a cell', who: 0, field: 0, to: 0 }),
    does({ kind: 'edits a cell', who: 0, field: 1, to: 0 }),
    runs(),
  ];
  const world = worldOf({ setting: { onRowDeleted: 'delete_contact' }, contacts: [namesake, namesake], steps });
  expect(world.contacts.map(({ gone }) => gone)).toEqual([undefined, undefined]);
});

test('I2: after an incremental pull a row is not linked to the only one of two matching contacts that was read', () => {
  const namesake = [0, 0, 1, 1, 0, 0, 0];
  const world = worldOf({ contacts: [namesake, namesake], rows: [namesake], steps: [] });
  judgeIncremental(world, [{ kind: 'edits a contact', who: 0, field: position, to: 1 }]);
  const [, planned] = planAndAsk(world, readBoth(world, { ...healthy, coverage: 'changes' }), healthy);
  expect(planned.problems.map(({ kind, rule }) => [kind, rule])).toEqual([['quarantined', 'I2']]);
});

test('I6: after an incremental pull two rows that find one contact by different keys are one group', () => {
  const rows = [
    [0, 0, 2, 1, 0, 0, 0],
    [4, 0, 0, 0, 0, 0, 0],
    [4, 0, 2, 1, 0, 0, 0],
  ];
  const world = worldOf({ contacts: [[4, 0, 0, 0, 0, 0, 0]], rows, steps: [] });
  expect(() => {
    judgeIncremental(world, []);
  }).not.toThrow();
});

test('I6: a contact that a lookup found for one row may match two other rows by another key', () => {
  const world = worldOf({
    contacts: [[4, 0, 1, 1, 0, 0, 0]],
    rows: [
      [4, 0, 0, 0, 0, 0, 0],
      [0, 0, 1, 1, 0, 0, 0],
      [0, 0, 3, 4, 0, 0, 0],
    ],
    steps: [runs()],
  });
  expect(() => {
    judgeIncremental(world, []);
  }).not.toThrow();
});

test('L11: the contacts that a row matches are named in the same order, whichever page showed them', () => {
  const namesake = [0, 0, 1, 1, 0, 0, 0];
  const world = worldOf({ contacts: [namesake, namesake], rows: [namesake], steps: [] });
  expect(() => {
    judgeOrder(readBoth(world, healthy), { isReversed: true, turn: 0 });
  }).not.toThrow();
});

test('S4: undo does not empty a contact whose value filled a blank cell, and leaves a to_crm column alone', () => {
  const person = [4, 0, 1, 0, 0, 0, 1];
  const world = worldOf({ contacts: [[4, 0, 1, 1, 0, 0, 0]], rows: [person, person], steps: [] });
  judgeUndo(world, [{ kind: 'deletes a row', who: 0 }], []);
  deepStrictEqual(world.violations, []);
  expect(world.contacts[0]!.held[company]!.value).toBe('X');
});
