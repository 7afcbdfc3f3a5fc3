import { describe, expect, test } from 'vitest';
import type { Change } from '../../src/sync/change.ts';
import { guardCounts } from '../../src/sync/guard/guard.ts';
import type { PlanCounts } from '../../src/sync/input.ts';
import type { Limits } from '../../src/sync/record/mapping.ts';
import { plan } from '../../src/sync/plan.ts';
import {
  type Case,
  seen,
  elsewhere,
  fields,
  gone,
  mapping,
  newContact,
  newRow,
  person,
  type PersonParts,
  type PersonSpec,
  scene,
  type SceneMore,
  tell,
  unanswered,
  uuidOf,
  withFields,
  wanted,
} from './support.ts';

const many = (count: number, spec: PersonSpec = {}, first = 1): PersonParts[] =>
  Array.from({ length: count }, (_, index) => person(first + index, spec));
const inSync = many(10);
const known = { crm: 'list', sheet: 'tab' };
const noCounts: PlanCounts = { creates: 0, changes: 0, blanks: 0, deletes: 0, missing: 0, enrolments: 0 };
const approved = (counts: Partial<PlanCounts>): SceneMore => ({ requests: { approved: { ...noCounts, ...counts } } });
const limits = (more: Partial<Limits>) => ({ mapping: { ...mapping, limits: { ...mapping.limits, ...more } } });
const rowless: PersonSpec = { sheet: null };
const contactless: PersonSpec = { crm: null };

const sides: readonly Case[] = [
  {
    name: 'G1: an empty tab with ten links is held',
    input: scene(many(10, rowless)),
    holds: ['held [G1]'],
    says: 'the tab is empty, and 10 rows were there before',
  },
  {
    name: 'G1: an empty list with ten links is held',
    input: scene(many(10, contactless)),
    holds: ['held [G1]'],
    says: 'list Prospects is empty, and 10 contacts were there before',
  },
  {
    name: 'G1: a filter that lets nobody through is not told as an empty list',
    input: scene(many(10, contactless), { crm: { isFiltered: true } }),
    holds: ['held [G1]'],
    says: 'the filter lets no contact of list Prospects through, and 10 contacts were there before',
  },
  {
    name: 'G1: a filter that lets a tenth through is named beside the list',
    input: scene([...many(19, contactless), person('a')], { crm: { isFiltered: true } }),
    holds: ['held [G1]'],
    says: 'only 1 of 20 known contacts were found in list Prospects with the filter: are list and filter the right ones?',
  },
  { name: 'G1: two links are enough', input: scene(many(2, rowless)), holds: ['held [G1]'] },
  {
    name: 'G1: one link is not enough: a person may delete the only row',
    input: scene(many(1, rowless)),
    problems: ['ignored 1 [D1]'],
    links: ['1 row-gone'],
  },
  {
    name: 'G1: a tab in which none of ten links is found is held',
    input: scene([...many(10, rowless), newRow('a'), newRow('b')]),
    holds: ['held [G1]'],
    says: 'only 0 of 10 known rows were found in the tab: is it the right one?',
  },
  {
    name: 'G1: a list in which none of ten links is found is held',
    input: scene([...many(10, contactless), newContact('a')]),
    holds: ['held [G1]'],
    says: 'only 0 of 10 known contacts were found in list Prospects',
  },
  {
    name: 'G1: rows that were never linked do not count as known',
    input: scene([...many(10, rowless), ...many(5, { base: null }, 20)]),
    holds: ['held [G1]'],
    says: 'only 0 of 10 known rows were found in the tab',
  },
  {
    name: 'G1: a row that was deleted and is back does not count as known',
    input: scene([...many(10, rowless), ...many(5, { link: { standing: 'row-gone' } }, 20)]),
    holds: ['held [G1]'],
    says: 'only 0 of 10 known rows were found in the tab',
  },
  {
    name: 'G1: contacts that left or are gone are not expected',
    input: scene([
      ...many(6, { ...contactless, link: { standing: 'left' } }),
      ...many(6, { ...contactless, link: { standing: 'contact-gone' } }, 7),
      person('a'),
    ]),
    problems: [
      ...Array.from({ length: 6 }, (_, index) => `ignored ${index + 1} [D4]`),
      ...Array.from({ length: 6 }, (_, index) => `ignored ${index + 7} [D3]`),
    ],
  },
  {
    name: 'G1: contacts whose rows were deleted are expected',
    input: scene(many(10, { sheet: null, crm: null, link: { standing: 'row-gone' } })),
    holds: ['held [G1]'],
    says: 'list Prospects is empty, and 10 contacts were there before',
  },
  {
    name: 'G1: contacts whose rows were deleted are found when they are there',
    input: scene(many(10, { sheet: null, link: { standing: 'row-gone' } })),
    problems: Array.from({ length: 10 }, (_, index) => `ignored ${index + 1} [D1]`),
  },
  {
    name: 'G1, I5: rows that lost their IDs count as found until the service has answered',
    input: scene(many(3, { crm: null, sheet: { position: 'CEO' }, row: { id: '' } }), { crm: { coverage: 'changes' } }),
    problems: ['waiting row 2 [I2]', 'waiting row 3 [I2]', 'waiting row 4 [I2]'],
    questions: ['row 2', 'row 3', 'row 4'],
  },
  {
    name: 'G1, I5: rows that lost their IDs do not count as found if the service could not answer',
    input: scene(many(3, { crm: null, sheet: { position: 'CEO' }, row: { id: '' } }), {
      crm: { coverage: 'changes' },
      asked: { 2: unanswered, 3: unanswered, 4: unanswered },
    }),
    holds: ['held [G1]'],
    says: 'only 0 of 3 known rows were found in the tab',
  },
  {
    name: 'G1: a run passes if a tenth is found',
    input: scene([...many(9, { ...rowless, link: { standing: 'row-gone' } }), person('a')]),
    problems: Array.from({ length: 9 }, (_, index) => `ignored ${index + 1} [D1]`),
  },
  {
    name: 'G1, I5: a tab whose IDs were all emptied is found by its keys',
    input: scene(many(3, { row: { id: '' } })),
    changes: ['set 1 id=1 [I5]', 'set 2 id=2 [I5]', 'set 3 id=3 [I5]'],
  },
  {
    name: 'G1: an incremental scan without a contact passes',
    input: scene(many(10, contactless), { crm: { coverage: 'changes' } }),
  },
  {
    name: 'G5: a scan that failed on its first page does not count as an empty list',
    input: scene(many(10, contactless), { crm: { coverage: 'partial' } }),
  },
  {
    name: 'G1: another tab than the one of the state fails',
    input: scene(inSync, { identities: { known, now: { ...known, sheet: 'other' } } }),
    holds: ['failed [G1]'],
    says: 'this is another tab than before (other; the state is of tab)',
  },
  {
    name: 'G1: another list or account than the one of the state fails',
    input: scene(inSync, { identities: { known, now: { ...known, crm: 'other' } } }),
    holds: ['failed [G1]'],
    says: 'another list or account',
  },
  { name: 'G1: the same sides pass', input: scene(inSync, { identities: { known, now: known } }) },
  {
    name: 'G1, W11: a doubled header fails, by name',
    input: scene(inSync, { sheet: { doubled: ['Email'] } }),
    holds: ['failed [G1]'],
    says: 'header there twice: Email',
  },
  {
    name: 'G1: a tab without any mapped header fails in a sync that has run',
    input: scene(inSync, { sheet: { missing: fields.map(({ header }) => header) } }),
    holds: ['failed [G1]'],
    says: 'none of the mapped headers is in the header row: if a row was inserted or deleted above it, undo that or correct header_row',
  },
  {
    name: 'G1: a tab without any mapped header passes in the first run, which creates them',
    input: scene([newContact('a')], { sheet: { missing: fields.map(({ header }) => header) } }),
    changes: ['append a [merge]'],
  },
  {
    name: 'G1, W11: one missing header does not hold a run',
    input: scene(inSync, { sheet: { missing: ['Position'] } }),
  },
  {
    name: 'G1: an approved empty tab passes',
    input: scene(many(2, rowless), approved({ missing: 2 })),
    problems: ['ignored 1 [D1]', 'ignored 2 [D1]'],
    links: ['1 row-gone', '2 row-gone'],
  },
  {
    name: 'G1: an approval of fewer missing records than there are now does not pass',
    input: scene(many(3, rowless), approved({ missing: 2 })),
    holds: ['held [G1]'],
  },
  {
    name: 'G3: a narrowed filter deletes no contact',
    input: scene([person('a', contactless), person('b', contactless), ...many(2)], {
      mapping: { ...mapping, onContactDeleted: 'delete_row' },
      asked: { a: elsewhere('a'), b: elsewhere('b') },
    }),
    problems: ['ignored a [D4]', 'ignored b [D4]'],
    links: ['a left', 'b left'],
  },
];

test.each(sides)('$name', (each) => {
  expect(seen(each)).toEqual(wanted(each));
});

test('G1, G4: a held plan has no change and stores nothing; once the cause is gone, the next run goes on', () => {
  const held = plan(scene(many(10, { ...rowless, crm: { position: 'CEO' } })));
  expect(held).toMatchObject({ changes: [], problems: [], questions: [] });
  expect([held.links.size, held.strays.size, held.wishes.size]).toEqual([0, 0, 0]);
  expect(held.counts).toEqual({ ...noCounts, missing: 10 });
  expect([held.linked, held.isLedgerTrusted]).toEqual([0, false]);
  expect(plan(scene(many(10))).holds).toEqual([]);
});

describe('G2: limits', () => {
  const holdsOf = (counts: Partial<PlanCounts>, more: SceneMore, links = 10) =>
    guardCounts(scene(many(links), more), { ...noCounts, ...counts }, []).map(({ reason }) => reason);

  test.each(['creates', 'changes', 'blanks', 'deletes'] as const)(
    'G2: %s at the limit pass, one more is held',
    (what) => {
      for (const limit of [{ count: 3 }, { percent: 30 }]) {
        expect(holdsOf({ [what]: 3 }, limits({ [what]: limit }))).toEqual([]);
        expect(holdsOf({ [what]: 4 }, limits({ [what]: limit }))).toHaveLength(1);
      }
    },
  );

  test('G2: a share does not limit with fewer than five links', () => {
    const more = limits({ changes: { percent: 20 } });
    expect(holdsOf({ changes: 4 }, more, 4)).toEqual([]);
    expect(holdsOf({ changes: 2 }, more, 5)).toEqual([
      '2 changed records are more than the limit of 20% of 5, that is 1: look at the plan, then approve it',
    ]);
  });

  test('G2: shares refer to the links at the start, including those of ignored rows', () => {
    const people = [...many(5), ...many(5, { ...rowless, link: { standing: 'row-gone' } }, 6)];
    const input = scene(people, limits({ changes: { percent: 50 } }));
    expect(guardCounts(input, { ...noCounts, changes: 5 }, [])).toEqual([]);
  });

  test('G2: of an approval that a run began to carry out, only what that run was to do is left', () => {
    const more = limits({ deletes: { count: 0 } });
    const about = { side: 'crm', op: 'delete', row: null, fields: [], rule: 'D1', reason: '' } as const;
    const deletions = [1, 2, 3].map((number): Change => ({ ...about, uuid: uuidOf(number) }));
    const holdsOfBegun = (begun: readonly number[]) => {
      const requests = {
        approved: { ...noCounts, deletes: 3, missing: 3 },
        begun: new Set(begun.map((number) => `delete ${uuidOf(number)}`)),
      };
      return guardCounts(scene(many(10), { ...more, requests }), { ...noCounts, deletes: 3 }, deletions).length;
    };
    expect([holdsOfBegun([1, 2, 3, 4]), holdsOfBegun([1, 2]), holdsOfBegun([])]).toEqual([0, 1, 1]);
  });

  test('G2: an approval lets those counts through, and no more', () => {
    const more = { ...limits({ deletes: { count: 0 }, changes: { count: 0 } }) };
    expect(holdsOf({ deletes: 4 }, { ...more, ...approved({ deletes: 4 }) })).toEqual([]);
    expect(holdsOf({ deletes: 5 }, { ...more, ...approved({ deletes: 4 }) })).toHaveLength(1);
    expect(holdsOf({ changes: 4 }, { ...more, ...approved({ deletes: 4 }) })).toHaveLength(1);
  });

  test('G2: without an approval a limit of none lets nothing through', () => {
    expect(holdsOf({ changes: 1 }, limits({ changes: { count: 0 } }))).toHaveLength(1);
  });

  test('G1, G2: an approved empty side covers the deletions that follow, and nothing else', () => {
    const more = { ...limits({ deletes: { count: 0 }, changes: { count: 0 } }), ...approved({ missing: 4 }) };
    expect(holdsOf({ deletes: 4 }, more)).toEqual([]);
    expect(holdsOf({ deletes: 5 }, more)).toHaveLength(1);
    expect(holdsOf({ changes: 1 }, more)).toHaveLength(1);
  });
});

describe('G2: what is counted', () => {
  const counts = (people: readonly PersonParts[], more: SceneMore = {}) => plan(scene(people, more)).counts;

  test('G2: a record that changes on both sides counts once', () => {
    const someone = person('a', { crm: { position: 'CEO' }, sheet: { company_name: 'Beta' } });
    expect(counts([someone])).toMatchObject({ changes: 1, blanks: 0 });
  });

  test('G2: emptied fields count one by one, on either side; filled ones do not', () => {
    const people = [
      person('a', { sheet: { position: null, company_name: null } }),
      person('b', { crm: { position: null } }),
      person('c', { base: { position: null }, sheet: { position: 'CEO' } }),
    ];
    expect(counts(people)).toMatchObject({ changes: 3, blanks: 3 });
  });

  test('G2: a key that is emptied so that another contact can take it is no emptied field (I7)', () => {
    const people = [person('a', { sheet: { email: 'b@acme.test' } }), person('b', { sheet: { email: 'a@acme.test' } })];
    expect(counts(people)).toMatchObject({ changes: 2, blanks: 0 });
  });

  test('G2: a row that only gets its ID does not count as changed', () => {
    expect(counts([person('a', { row: { id: '' } }), person('b')])).toMatchObject({ changes: 0 });
  });

  test('G2: rows for contacts that are new in the CRM count towards no limit', () => {
    const input = scene([person('a'), newContact('b'), newContact('c')], limits({ creates: { count: 1 } }));
    expect(plan(input)).toMatchObject({ holds: [], counts: { creates: 0, changes: 0 } });
  });

  test('G2: contacts for rows that are new in the sheet count as creates', () => {
    expect(counts([person('a'), newRow('b')], { asked: { 3: gone } })).toMatchObject({ creates: 1, changes: 0 });
  });

  test('G2: deleted contacts, removed rows and contacts cancelled everywhere count as deletes', () => {
    const people = [...many(2, rowless), person('a', { crm: null }), ...many(5, {}, 3)];
    const more = (onRowDeleted: 'delete_contact' | 'cancel_automations'): SceneMore => ({
      mapping: { ...mapping, onRowDeleted, onContactDeleted: 'delete_row' },
      asked: { a: gone },
    });
    expect(counts(people, more('delete_contact'))).toMatchObject({ deletes: 3 });
    expect(counts(people, more('cancel_automations'))).toMatchObject({ deletes: 3 });
  });

  test('G2: a plan over the limit is held, and shows what it would do', () => {
    const input = scene(many(6, { sheet: { position: 'CEO' } }), limits({ changes: { percent: 50 } }));
    expect(tell(input)).toMatchObject({ holds: ['held [G2]'] });
    expect(plan(input).changes).toHaveLength(6);
  });

  test('G3: a column that was removed from the mapping, or became to_crm, empties nothing', () => {
    const toCrm = withFields({ position: { direction: 'to_crm' } });
    const input = scene(many(6, { crm: { position: undefined } }), { mapping: toCrm });
    expect(plan(input).counts).toMatchObject({ blanks: 0, changes: 0 });
  });
});
