// Contacts that went to another list and are moved here again by a row without an ID: failures that the laws found, and
// their neighbours.
import { expect, test } from 'vitest';
import { type Case, does, name, nobody, runs, worldOf } from './case.ts';
import { healthy } from './options.ts';
import { settleDown } from './laws.ts';
import { run } from './run.ts';
import { type RunOptions } from './options.ts';
import { play } from './trial.ts';

test.each<Case>([
  {
    what: 'L1, I2: a field that a person emptied in a contact stays empty when its row moves the contact here again',
    setting: { conflict: 'crm', moveToList: true },
    rows: [[0, 0, 1, 0, 0, 0, 0]],
    steps: [
      runs(),
      does({ kind: 'clears all ids' }),
      does({ kind: 'edits a contact', who: 0, field: name, to: 0 }),
      does({ kind: 'moves to another list or back', who: 0 }),
    ],
  },
  {
    what: 'L1, I2: a row that took over the key of a deleted row is merged with the base of that contact, whichever list it is in',
    setting: { conflict: 'sheet', moveToList: true, habit: 'refuses' },
    rows: [nobody, [0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 4, 0, 0]],
    steps: [
      runs(),
      does({ kind: 'swaps cells', who: 1, other: 2, field: 0 }),
      does({ kind: 'deletes a row', who: 1 }),
      does({ kind: 'moves to another list or back', who: 7 }),
    ],
  },
  {
    what: 'L1, I2: a row that is typed again for a linked contact means the same, whichever list the contact is in',
    setting: { conflict: 'sheet', keyConflict: 'crm', moveToList: true },
    contacts: [[0, 0, 0, 1, 0, 0, 0]],
    steps: [
      runs({ coverage: 'changes', pauseSecs: 5 }),
      does({ kind: 'types a row', values: [1, 0, 0, 0, 0, 0, 0] }),
      does({ kind: 'edits a contact', who: 0, field: 0, to: 1 }),
      does({ kind: 'deletes a row', who: 0 }),
      does({ kind: 'moves to another list or back', who: 0 }),
    ],
  },
])('$what', (each) => {
  const world = worldOf(each);
  settleDown(world);
  expect(world.violations).toEqual([]);
});

test.each<{ readonly until: string; readonly first: Partial<RunOptions> }>([
  { until: 'its row has settled', first: { waitsToSettle: true } },
  { until: 'the service takes the move', first: { faults: ['refused'] } },
  { until: 'the service answers the lookup', first: { isSilent: true } },
])(
  'L1, I2, D4: the base of a contact in another list is kept until $until, and an emptied field stays empty',
  (each) => {
    const steps = [
      runs(),
      does({ kind: 'clears all ids' }),
      does({ kind: 'edits a contact', who: 0, field: name, to: 0 }),
      does({ kind: 'moves to another list or back', who: 0 }),
      runs({ pauseSecs: 5, ...each.first }),
    ];
    const person = [0, 0, 1, 0, 0, 0, 0];
    const world = worldOf({ setting: { conflict: 'crm', moveToList: true }, rows: [person], steps });
    settleDown(world);
    expect(world.violations).toEqual([]);
    expect([...world.contacts, ...world.rows].map(({ held }) => held[name]!.value)).toEqual([null, null]);
    expect(world.contacts.map(({ list }) => list)).toEqual(['here']);
  },
);

test('L1, I5, D4: nothing is concluded of a contact in another list while the ID of a row is in doubt', () => {
  const garbles = does({ kind: 'garbles an id', who: 1 });
  const empties = does({ kind: 'edits a contact', who: 0, field: name, to: 0 });
  const moves = does({ kind: 'moves to another list or back', who: 0 });
  const world = worldOf({
    setting: { conflict: 'crm', moveToList: true },
    rows: [[0, 0, 1, 0, 0, 0, 0]],
    steps: [runs(), garbles, empties, moves],
  });
  const { plan } = run(world, healthy);
  expect(plan.problems.map(({ kind, rule, row }) => [kind, rule, row])).toEqual([
    ['quarantined', 'I5', 2],
    ['held', 'I5', null],
  ]);
  play(world, [does({ kind: 'clears all ids' })]);
  settleDown(world);
  expect(world.violations).toEqual([]);
  expect([...world.contacts, ...world.rows].map(({ held }) => held[name]!.value)).toEqual([null, null]);
});

test('D4: the base of a contact in another list ends once no row without an ID may be its row', () => {
  const steps = [
    runs(),
    does({ kind: 'clears all ids' }),
    does({ kind: 'moves to another list or back', who: 0 }),
    runs(),
    does({ kind: 'deletes a row', who: 0 }),
  ];
  const world = worldOf({ rows: [nobody], steps });
  expect([...world.base.links.values()].map(({ standing }) => standing)).toEqual(['left']);
  run(world, healthy);
  expect(world.base.links.size).toBe(0);
});
