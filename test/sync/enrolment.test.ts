import { describe, expect, test } from 'vitest';
import { type Ledger, type LedgerEntry, ledgerKey } from '../../src/sync/ledger.ts';
import { vetoOf } from '../../src/sync/veto.ts';
import { readWish } from '../../src/sync/wish.ts';
import type { EnrolmentRules } from '../../src/sync/mapping.ts';
import { plan } from '../../src/sync/plan.ts';
import { unpack } from '../../src/sync/record.ts';
import {
  type Case,
  seen,
  gone,
  mapping,
  newRow,
  noon,
  packedOf,
  person,
  scene,
  type SceneMore,
  uuidOf,
  valuesOf,
  type Who,
  wanted,
} from './support.ts';

const automations = [
  { uuid: 'flow-1', name: 'Welcome', status: 'on' },
  { uuid: 'flow-2', name: 'Nurture', status: 'off' },
  { uuid: 'flow-3', name: 'Old', status: 'archived' },
  { uuid: 'flow-4', name: 'Twin', status: 'on' },
  { uuid: 'flow-5', name: 'Twin', status: 'on' },
];
const minutes = (count: number) => count * 60_000;

const wisher = (who: Who, wish: string, sheet = {}) => person(who, { sheet, crm: sheet, base: sheet, row: { wish } });
const withRules = (rules: Partial<EnrolmentRules> = {}, more: SceneMore = {}): SceneMore => ({
  mapping: { ...mapping, enrolment: { unless: {}, onClear: 'ignore', perHour: 100, ...rules } },
  automations,
  ...more,
});
const ledger = (entries: readonly [Who, string, Partial<LedgerEntry>][], isTrusted = true): Ledger => ({
  entries: new Map(
    entries.map(([who, automation, entry]) => [
      ledgerKey(uuidOf(who), automation),
      { state: 'enrolled', at: noon - minutes(600), run: 'r1', ...entry },
    ]),
  ),
  isTrusted,
});

const cases: readonly Case[] = [
  {
    name: 'E1: a wish is carried out',
    input: scene([wisher('a', 'Welcome')], withRules()),
    changes: ['enrol a flow-1 [E1]'],
  },
  {
    name: 'E1: once and for all: what the ledger has is not done again',
    input: scene([wisher('a', 'Welcome')], withRules({}, { ledger: ledger([['a', 'flow-1', {}]]) })),
  },
  {
    name: 'E1: nor what was cancelled by the service’s own word, or skipped',
    input: scene(
      [wisher('a', 'Welcome'), wisher('b', 'Welcome')],
      withRules(
        {},
        {
          ledger: ledger([
            ['a', 'flow-1', { state: 'skipped' }],
            ['b', 'flow-1', { state: 'cancelling' }],
          ]),
        },
      ),
    ),
  },
  {
    name: 'E1, retry: again when a person asks for this very enrolment',
    input: scene(
      [wisher('a', 'Welcome')],
      withRules(
        {},
        {
          ledger: ledger([['a', 'flow-1', { state: 'unknown' }]]),
          requests: { retry: new Set([`${uuidOf('a')}/flow-1`]) },
        },
      ),
    ),
    changes: ['enrol a flow-1 [E1]'],
  },
  {
    name: 'E1, E3, retry: asking for the contact does not repeat an enrolment of unknown outcome',
    input: scene(
      [wisher('a', 'Welcome')],
      withRules(
        {},
        {
          ledger: ledger([['a', 'flow-1', { state: 'unknown' }]]),
          requests: { retry: new Set([uuidOf('a')]) },
        },
      ),
    ),
    problems: ['quarantined a [E3]'],
  },
  {
    name: 'E1: several names in one cell are several wishes',
    input: scene([wisher('a', 'welcome, NURTURE')], withRules()),
    changes: ['enrol a flow-1 [E1]', 'enrol a flow-2 [E1]'],
  },
  {
    name: 'E1: nobody wishes where there is no such column in the mapping',
    input: scene([wisher('a', 'Welcome')], { automations }),
  },
  {
    name: 'E1: nothing is concluded while the automations could not be read',
    input: scene([wisher('a', 'Welcome')], { mapping: withRules().mapping! }),
  },
  {
    name: 'E1: a contact that is gone or left is not enrolled',
    input: scene([person('a', { crm: null, row: { wish: 'Welcome' }, link: { standing: 'left' } })], withRules()),
    problems: ['ignored a [D4]'],
  },
  {
    name: 'E2: a new row with a wish is created and enrolled by one call',
    input: scene([newRow('a', {}, { wish: 'Welcome' })], withRules({}, { asked: { 2: gone } })),
    changes: ['create row 2 enrolled in flow-1 [I2]'],
  },
  {
    name: 'E2, E4: a new row whose wish is vetoed, archived or unknown is created all the same',
    input: scene(
      [
        newRow('a', { position: 'Intern' }, { wish: 'Welcome' }),
        newRow('b', {}, { wish: 'Old' }),
        newRow('c', {}, { wish: 'Nothing' }),
      ],
      withRules({ unless: { position: ['intern'] } }, { asked: { 2: gone, 3: gone, 4: gone } }),
    ),
    changes: ['create row 2 [I2]', 'create row 3 [I2]', 'create row 4 [I2]'],
    problems: ['held row 2 [E4]', 'refused row 3 [E4]', 'refused row 4 [E4]'],
  },
  {
    name: 'E3: an intent that a crash left behind is of unknown outcome: never repeated by itself',
    input: scene([wisher('a', 'Welcome')], withRules({}, { ledger: ledger([['a', 'flow-1', { state: 'intended' }]]) })),
    problems: ['quarantined a [E3]'],
    says: 'outcome unknown, look in the service',
  },
  {
    name: 'E4: a veto holds the wish',
    input: scene([wisher('a', 'Welcome', { status: 'Replied' })], withRules({ unless: { status: ['replied'] } })),
    problems: ['held a [E4]'],
    says: 'enrolment vetoed: Status is replied',
  },
  {
    name: 'E4: the cap holds the rest for later runs, the upper rows first',
    input: scene([wisher('a', 'Welcome'), wisher('b', 'Welcome'), wisher('c', 'Welcome')], withRules({ perHour: 1 })),
    changes: ['enrol a flow-1 [E1]'],
    problems: ['waiting b [E4]', 'waiting c [E4]'],
    says: 'enrolment: 1 ahead, cap 1/h',
  },
  {
    name: 'E4: the oldest wish first, wherever its row is',
    input: scene(
      [wisher('a', 'Welcome'), wisher('b', 'Welcome')],
      withRules({ perHour: 1 }, { ledger: ledger([['b', 'flow-1', { state: 'waiting', at: noon - minutes(5) }]]) }),
    ),
    changes: ['enrol b flow-1 [E1]'],
    problems: ['waiting a [E4]'],
  },
  {
    name: 'E4: a wish that waits is older than a new row',
    input: scene(
      [wisher('a', 'Welcome'), newRow('b', {}, { wish: 'Welcome' })],
      withRules(
        { perHour: 1 },
        {
          asked: { 3: gone },
          ledger: ledger([['a', 'flow-1', { state: 'waiting', at: noon - minutes(5) }]]),
        },
      ),
    ),
    changes: ['create row 3 [I2]', 'enrol a flow-1 [E1]'],
    problems: ['waiting row 3 [E4]'],
  },
  {
    name: 'E4: calls of the last hour count, whatever became of them; older ones do not',
    input: scene(
      [wisher('a', 'Welcome'), wisher('b', 'Welcome'), person('c'), person('d')],
      withRules(
        { perHour: 2 },
        {
          ledger: ledger([
            ['c', 'flow-1', { state: 'unknown', at: noon - minutes(59) }],
            ['d', 'flow-1', { state: 'enrolled', at: noon - minutes(60) }],
          ]),
        },
      ),
    ),
    changes: ['enrol a flow-1 [E1]'],
    problems: ['waiting b [E4]'],
  },
  {
    name: 'E4: people who are vetoed are not ahead of those who wait',
    input: scene(
      [wisher('a', 'Welcome', { status: 'replied' }), wisher('b', 'Welcome'), wisher('c', 'Welcome')],
      withRules({ perHour: 1, unless: { status: ['replied'] } }),
    ),
    changes: ['enrol b flow-1 [E1]'],
    problems: ['held a [E4]', 'waiting c [E4]'],
    says: 'enrolment: 0 ahead',
  },
  {
    name: 'E4: an unknown automation: the row says so',
    input: scene([wisher('a', 'Nothing')], withRules()),
    problems: ['refused a [E4]'],
    says: 'enrolment: no such automation: "Nothing"',
  },
  {
    name: 'E4: an archived automation: the row says so',
    input: scene([wisher('a', 'Old')], withRules()),
    problems: ['refused a [E4]'],
    says: 'the automation "Old" is archived',
  },
  {
    name: 'E4: a name that two automations have asks for the uuid',
    input: scene([wisher('a', 'Twin')], withRules()),
    problems: ['refused a [E4]'],
    says: 'several automations have this name, write the uuid',
  },
  {
    name: 'E4: the uuid tells twins apart',
    input: scene([wisher('a', 'flow-5')], withRules()),
    changes: ['enrol a flow-5 [E1]'],
  },
  {
    name: 'E4, W5: what the service refused stands in the row in its own words',
    input: scene(
      [wisher('a', 'Welcome')],
      withRules({}, { ledger: ledger([['a', 'flow-1', { state: 'refused', message: 'no sender' }]]) }),
    ),
    problems: ['refused a [E4]'],
    says: 'no sender',
  },
  {
    name: 'E5 ignore: an emptied cell cancels nothing',
    input: scene([wisher('a', '')], withRules({}, { ledger: ledger([['a', 'flow-1', {}]]) })),
  },
  {
    name: 'E5 cancel: an emptied cell cancels from that automation',
    input: scene([wisher('a', '')], withRules({ onClear: 'cancel' }, { ledger: ledger([['a', 'flow-1', {}]]) })),
    changes: ['cancel a flow-1 [E5]'],
  },
  {
    name: 'E5 cancel: a changed cell cancels the old one first',
    input: scene([wisher('a', 'Nurture')], withRules({ onClear: 'cancel' }, { ledger: ledger([['a', 'flow-1', {}]]) })),
    changes: ['cancel a flow-1 [E5]', 'enrol a flow-2 [E1]'],
  },
  {
    name: 'E5 cancel: a cell that names something unknown cancels nothing',
    input: scene([wisher('a', 'Welcom')], withRules({ onClear: 'cancel' }, { ledger: ledger([['a', 'flow-1', {}]]) })),
    problems: ['refused a [E4]'],
  },
  {
    name: 'E5, W11: a column that was not found cancels nobody',
    input: scene([person('a')], withRules({ onClear: 'cancel' }, { ledger: ledger([['a', 'flow-1', {}]]) })),
  },
  {
    name: 'E5: only what was enrolled is cancelled, and only once',
    input: scene(
      [wisher('a', ''), wisher('b', '')],
      withRules(
        { onClear: 'cancel' },
        {
          ledger: ledger([
            ['a', 'flow-1', { state: 'cancelling' }],
            ['b', 'flow-1', { state: 'waiting' }],
          ]),
        },
      ),
    ),
  },
  {
    name: 'E6: with a new or restored state, wishes of contacts that existed are held until approved',
    input: scene([wisher('a', 'Welcome'), wisher('b', 'Welcome')], withRules({}, { ledger: ledger([], false) })),
    problems: ['held a [E6]', 'held b [E6]'],
    says: 'the state is new, approve it once',
  },
  {
    name: 'E6: approved for these',
    input: scene(
      [wisher('a', 'Welcome'), wisher('b', 'Welcome')],
      withRules({}, { ledger: ledger([], false), requests: approve(2) }),
    ),
    changes: ['enrol a flow-1 [E1]', 'enrol b flow-1 [E1]'],
  },
  {
    name: 'E6, G2: approved for fewer than wish now',
    input: scene(
      [wisher('a', 'Welcome'), wisher('b', 'Welcome')],
      withRules({}, { ledger: ledger([], false), requests: approve(1) }),
    ),
    problems: ['held a [E6]', 'held b [E6]'],
  },
  {
    name: 'E6: a result column that says enrolled is proof',
    input: scene(
      [person('a', { row: { wish: 'Welcome', wishResult: 'enrolled 2026-05-01 in Welcome' } })],
      withRules({}, { ledger: ledger([], false) }),
    ),
  },
  {
    name: 'E6: proof for one automation is none for another',
    input: scene(
      [person('a', { row: { wish: 'Nurture', wishResult: 'enrolled 2026-05-01 in Welcome' } })],
      withRules({}, { ledger: ledger([], false) }),
    ),
    problems: ['held a [E6]'],
  },
  {
    name: 'E6: a new row is new, whatever became of the state',
    input: scene(
      [newRow('a', {}, { wish: 'Welcome' })],
      withRules({}, { asked: { 2: gone }, ledger: ledger([], false) }),
    ),
    changes: ['create row 2 enrolled in flow-1 [I2]'],
  },
];

function approve(enrolments: number): NonNullable<SceneMore['requests']> {
  return { approved: { creates: 0, changes: 0, blanks: 0, deletes: 0, missing: 0, enrolments } };
}

test.each(cases)('$name', (each) => {
  expect(seen(each)).toEqual(wanted(each));
});

function entriesOf(wishes: ReadonlyMap<string, LedgerEntry | null>): ReadonlyMap<string, LedgerEntry> {
  return new Map([...wishes].flatMap(([key, entry]) => (entry === null ? [] : [[key, entry] as const])));
}

describe('what the ledger is to keep', () => {
  test('E4: a wish keeps its place from when it was first seen', () => {
    const { wishes } = plan(scene([wisher('a', 'Welcome')], withRules({ perHour: 0 })));
    expect([...wishes]).toEqual([[`${uuidOf('a')} flow-1`, { state: 'waiting', at: noon, run: '', name: 'Welcome' }]]);
  });

  test('E6: what the result column proves goes into the ledger, so that it still counts once the state is trusted', () => {
    const proven = person('a', { row: { wish: 'Welcome', wishResult: 'enrolled 2026-05-01 in Welcome' } });
    const { wishes } = plan(scene([proven], withRules({}, { ledger: ledger([], false) })));
    expect([...wishes]).toEqual([
      [`${uuidOf('a')} flow-1`, { state: 'enrolled', at: Date.UTC(2026, 4, 1), run: '', name: 'Welcome' }],
    ]);
    const later = plan(scene([proven], withRules({}, { ledger: { entries: entriesOf(wishes), isTrusted: true } })));
    expect(later.changes).toEqual([]);
  });

  test('E6: the approval has to cover as many as the plan counts', () => {
    const input = scene([wisher('a', 'Welcome'), wisher('b', 'Welcome')], withRules({}, { ledger: ledger([], false) }));
    expect(plan(input).counts.enrolments).toBe(2);
  });
});

describe('what the row is told', () => {
  test.each([
    { state: 'enrolled', says: 'enrolled 2026-05-04 in Welcome' },
    { state: 'skipped', says: 'skipped: already in Welcome' },
    { state: 'cancelling', says: 'cancelling: wished for again, only retry enrols again' },
    { state: 'unknown', says: 'unknown: look in the service whether Welcome has it' },
    { state: 'intended', says: 'unknown: look in the service whether Welcome has it' },
  ] as const)('E1, E3, E5: $state reads "$says"', ({ state, says }) => {
    const input = scene([wisher('a', 'Welcome')], withRules({}, { ledger: ledger([['a', 'flow-1', { state }]]) }));
    expect(plan(input).wishResults.get(2)).toEqual([{ automation: 'flow-1', text: says }]);
  });

  test('E3: an enrolment of unknown outcome has an id of its own, which is what retry takes', () => {
    const input = scene(
      [wisher('a', 'Welcome')],
      withRules({}, { ledger: ledger([['a', 'flow-1', { state: 'unknown' }]]) }),
    );
    expect(plan(input).problems.map(({ id }) => id)).toEqual([`${uuidOf('a')}/flow-1`]);
  });
});

test('E4: a veto compares as people do, and reads values of today', () => {
  const rules = withRules({ unless: { status: ['Replied', 'Unsubscribed'] } }).mapping!;
  const veto = (status: string | null) => vetoOf(rules, unpack(packedOf({ ...valuesOf('a'), status })));
  expect([veto('ok'), veto(null), veto(' replied '), veto('UNSUBSCRIBED')]).toEqual([
    undefined,
    undefined,
    'Status is Replied',
    'Status is Unsubscribed',
  ]);
});

test('E1: a name twice in one cell is one wish', () => {
  expect(readWish('Welcome, welcome ,, flow-1', automations)).toEqual({ automations: [automations[0]], unknown: [] });
});
