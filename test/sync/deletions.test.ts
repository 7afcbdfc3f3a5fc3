import { describe, expect, test } from 'vitest';
import { findDueDeletes } from '../../src/sync/settle/due-deletes.ts';
import type { Change } from '../../src/sync/change.ts';
import type { Mapping } from '../../src/sync/record/mapping.ts';
import type { Outcome } from '../../src/sync/outcome.ts';
import { plan } from '../../src/sync/plan.ts';
import {
  type Case,
  seen,
  elsewhere,
  gone,
  here,
  mapping,
  newRow,
  person,
  scene,
  type SceneMore,
  tellChange,
  tellProblem,
  unanswered,
  uuidOf,
  wanted,
} from './support.ts';

const rowGone = person('a', { sheet: null });
const rowGoneAndChanged = person('a', { crm: { position: 'CEO' }, sheet: null });
const contactGone = person('a', { crm: null });
const others = [person('b'), person('c')];
const onRow = (onRowDeleted: Mapping['onRowDeleted']): SceneMore => ({ mapping: { ...mapping, onRowDeleted } });
const onContact = (onContactDeleted: Mapping['onContactDeleted']): SceneMore => ({
  mapping: { ...mapping, onContactDeleted },
});
const asked = { a: gone };
const standing = (which: 'row-gone' | 'contact-gone' | 'left') => ({ link: { standing: which } });

const cases: readonly Case[] = [
  {
    name: 'D1 ignore: the contact stays, and its link says that it has no row',
    input: scene([rowGone, ...others]),
    problems: ['ignored a [D1]'],
    links: ['a row-gone'],
    says: 'left alone until the row is back; for a new row: leadsheet retry',
  },
  {
    name: 'D1 ignore: no row is appended again, whatever changes in the CRM',
    input: scene([person('a', { crm: { position: 'CEO' }, sheet: null, ...standing('row-gone') }), ...others]),
    problems: ['ignored a [D1]'],
  },
  {
    name: 'D1 ignore: a row that is put back with its ID is linked as before',
    input: scene([person('a', { sheet: { position: 'CEO' }, ...standing('row-gone') }), ...others]),
    changes: ['update a: position CTO -> CEO [merge]'],
    links: ['a linked'],
  },
  {
    name: 'D1 ignore: a row that is put back without its ID is linked by its key',
    input: scene([person('a', { row: { id: '' }, ...standing('row-gone') }), ...others]),
    changes: ['set a id=a [I5]'],
    links: ['a linked'],
  },
  {
    name: 'D1 ignore, retry: a row is appended again when a person asks for it',
    input: scene([person('a', { sheet: null, ...standing('row-gone') }), ...others], {
      requests: { retry: new Set([uuidOf('a')]) },
    }),
    changes: ['append a [D1]'],
  },
  {
    name: 'D1 restore: the row is appended again',
    input: scene([rowGone, ...others], onRow('restore')),
    changes: ['append a [D1]'],
  },
  {
    name: 'D1 cancel_automations: the contact is cancelled from all automations',
    input: scene([rowGone, ...others], onRow('cancel_automations')),
    changes: ['cancel a everywhere [D1]'],
  },
  {
    name: 'D1 delete_contact: the contact is deleted',
    input: scene([rowGone, ...others], onRow('delete_contact')),
    changes: ['delete a [D1]'],
  },
  {
    name: 'D2: a contact that changed gets its row back instead of being deleted, and the report says so',
    input: scene([rowGoneAndChanged, ...others], onRow('delete_contact')),
    changes: ['append a [D2]'],
  },
  {
    name: 'D2: cancel_automations cancels a contact that changed, too',
    input: scene([rowGoneAndChanged, ...others], onRow('cancel_automations')),
    changes: ['cancel a everywhere [D1]'],
  },
  {
    name: 'D2: a change that was read before the row was deleted counts, too',
    input: scene(
      [
        person('a', {
          crm: { position: 'CEO' },
          sheet: null,
          link: { crm: person('a', { crm: { position: 'CEO' } }).contact!.values, isOpen: true },
        }),
        ...others,
      ],
      onRow('delete_contact'),
    ),
    changes: ['append a [D2]'],
  },
  {
    name: 'D2: an emptied field counts as a change',
    input: scene([person('a', { crm: { position: null }, sheet: null }), ...others], onRow('delete_contact')),
    changes: ['append a [D2]'],
  },
  {
    name: 'D2: where nothing was agreed, a blank is no change and a value is one',
    input: scene(
      [
        person('a', { base: { position: undefined }, crm: { position: null }, sheet: null }),
        person('d', { base: { position: undefined }, crm: { position: 'CEO' }, sheet: null }),
        ...others,
      ],
      onRow('delete_contact'),
    ),
    changes: ['append d [D2]', 'delete a [D1]'],
  },
  {
    name: 'D2, V3: a field that is missing from the answer is no change',
    input: scene([person('a', { crm: { position: undefined }, sheet: null }), ...others], onRow('delete_contact')),
    changes: ['delete a [D1]'],
  },
  {
    name: 'D5, G5: after a failed page no contact is deleted; the deletion waits',
    input: scene([person('a', { crm: null, sheet: null }), ...others], {
      ...onRow('delete_contact'),
      crm: { coverage: 'partial' },
    }),
    problems: ['waiting a [D5]'],
    says: 'not deleted before every contact was read',
  },
  {
    name: 'D5, G5: after a failed page a contact that was read is not deleted either',
    input: scene([rowGone, ...others], { ...onRow('delete_contact'), crm: { coverage: 'partial' } }),
    problems: ['waiting a [D5]'],
  },
  {
    name: 'D5, D2: after an incremental pull the contact is asked for before it is deleted',
    input: scene([person('a', { crm: null, sheet: null }), ...others], {
      ...onRow('delete_contact'),
      crm: { coverage: 'changes' },
    }),
    questions: ['a [D5]'],
  },
  {
    name: 'D5: a contact that is unchanged when asked for is deleted',
    input: scene([person('a', { crm: null, sheet: null }), ...others], {
      ...onRow('delete_contact'),
      crm: { coverage: 'changes' },
      asked: { a: here(person('a')) },
    }),
    changes: ['delete a [D1]'],
  },
  {
    name: 'D2, D5: a contact that changed when asked for gets its row back',
    input: scene([person('a', { crm: null, sheet: null }), ...others], {
      ...onRow('delete_contact'),
      crm: { coverage: 'changes' },
      asked: { a: here(person('a', { crm: { position: 'CEO' } })) },
    }),
    changes: ['append a [D2]'],
  },
  {
    name: 'D4, D5: a contact that is in another list when asked for is not deleted',
    input: scene([person('a', { crm: null, sheet: null }), ...others], {
      ...onRow('delete_contact'),
      crm: { coverage: 'changes' },
      asked: { a: elsewhere('a') },
    }),
    links: ['a forgotten'],
  },
  {
    name: 'D5: a contact that could not be asked for is not deleted',
    input: scene([person('a', { crm: null, sheet: null }), ...others], {
      ...onRow('delete_contact'),
      crm: { coverage: 'changes' },
      asked: { a: unanswered },
    }),
    problems: ['waiting a [D5]'],
  },
  {
    name: 'D3: a contact that a whole scan did not show is asked for first',
    input: scene([contactGone, ...others]),
    questions: ['a [D3]'],
  },
  {
    name: 'D3 mark: the row stays and says so',
    input: scene([contactGone, ...others], { ...onContact('mark'), asked }),
    problems: ['ignored a [D3]'],
    links: ['a contact-gone'],
    says: 'deleted in the CRM; the row is left alone',
  },
  {
    name: 'D3 mark: an edit of that row is not sent',
    input: scene([person('a', { crm: null, sheet: { position: 'CEO' }, ...standing('contact-gone') }), ...others]),
    problems: ['ignored a [D3]'],
  },
  {
    name: 'D3 delete_row: the row is removed',
    input: scene([contactGone, ...others], { ...onContact('delete_row'), asked }),
    changes: ['remove a [D3]'],
  },
  {
    name: 'D3 delete_row: a row that a person edited since is marked instead (T31)',
    input: scene([person('a', { crm: null, sheet: { position: 'CEO' } }), ...others], {
      ...onContact('delete_row'),
      asked,
    }),
    problems: ['ignored a [D3]'],
    links: ['a contact-gone'],
    says: 'edited here since',
  },
  {
    name: 'D3 delete_row: an emptied cell is an edit',
    input: scene([person('a', { crm: null, sheet: { position: null } }), ...others], {
      ...onContact('delete_row'),
      asked,
    }),
    problems: ['ignored a [D3]'],
    links: ['a contact-gone'],
    says: 'edited here since',
  },
  {
    name: 'D3 delete_row: a blank cell where nothing was agreed is no edit',
    input: scene(
      [person('a', { crm: null, base: { 'custom:segment': undefined }, sheet: { 'custom:segment': null } }), ...others],
      {
        ...onContact('delete_row'),
        asked,
      },
    ),
    changes: ['remove a [D3]'],
  },
  {
    name: 'D3 ignore: the contact is unlinked without a problem',
    input: scene([contactGone, ...others], { ...onContact('ignore'), asked }),
    links: ['a contact-gone'],
  },
  {
    name: 'D3 delete_row, L1: a row with a cell that cannot be read is marked instead: a person may have edited it',
    input: scene(
      [
        person('a', { crm: null, sheet: { position: undefined }, row: { unreadable: { position: '#REF!' } } }),
        ...others,
      ],
      { ...onContact('delete_row'), asked },
    ),
    problems: ['ignored a [D3]'],
    links: ['a contact-gone'],
    says: 'deleted in the CRM: not all of it can be read; the row is left alone',
  },
  {
    name: 'D3, G5: a drifted scan proves no deletion, and the sheet edit of that row is sent',
    input: scene([person('a', { crm: null, sheet: { position: 'CEO' } }), ...others], {
      ...onContact('delete_row'),
      crm: { isDrifted: true },
    }),
    changes: ['update a: position CTO -> CEO [merge]'],
  },
  {
    name: 'D3: two drifted scans in a row without the contact, and a 404, prove the deletion',
    input: scene([person('a', { crm: null, link: { missedScans: 1 } }), ...others], {
      ...onContact('delete_row'),
      crm: { isDrifted: true },
      asked,
    }),
    changes: ['remove a [D3]'],
  },
  {
    name: 'D3: nothing happens to a contact that the service still has',
    input: scene([contactGone, ...others], { ...onContact('delete_row'), asked: { a: here(person('a')) } }),
  },
  {
    name: 'D3: without an answer nothing is concluded',
    input: scene([contactGone, ...others], { ...onContact('delete_row'), asked: { a: unanswered } }),
    problems: ['waiting a [D3]'],
  },
  {
    name: 'D3, G5: a contact that an incremental scan did not show is not missing',
    input: scene([person('a', { crm: null }), person('b', { crm: null })], { crm: { coverage: 'changes' } }),
  },
  {
    name: 'D3, G5: a contact that an incomplete scan did not show is not missing',
    input: scene([contactGone, ...others], { ...onContact('delete_row'), crm: { coverage: 'partial' } }),
  },
  {
    name: 'D4: a contact that left the scope keeps its row, which says so',
    input: scene([contactGone, ...others], { ...onContact('delete_row'), asked: { a: elsewhere('a') } }),
    problems: ['ignored a [D4]'],
    links: ['a left'],
    says: 'no longer in list Prospects: in list Old',
  },
  {
    name: 'D4: edits in the row of a contact that left are not sent',
    input: scene([person('a', { crm: null, sheet: { position: 'CEO' }, ...standing('left') }), ...others]),
    problems: ['ignored a [D4]'],
  },
  {
    name: 'D4: a contact that comes back is linked as before, and edits made meanwhile are sent',
    input: scene([person('a', { sheet: { position: 'CEO' }, ...standing('left') }), ...others]),
    changes: ['update a: position CTO -> CEO [merge]'],
    links: ['a linked'],
  },
  {
    name: 'D4: a contact that comes back after its row was deleted gets a new row',
    input: scene([person('a', { sheet: null, ...standing('left') }), ...others]),
    changes: ['append a [D4]'],
    links: ['a forgotten'],
  },
  {
    name: 'D6: a person deleted on both sides is forgotten without a write',
    input: scene([person('a', { crm: null, sheet: null }), ...others], { ...onRow('delete_contact'), asked }),
    links: ['a forgotten'],
  },
  {
    name: 'D6: a deleted contact is forgotten once its marked row is deleted',
    input: scene([person('a', { crm: null, sheet: null, ...standing('contact-gone') }), ...others]),
    links: ['a forgotten'],
  },
  {
    name: 'D6: a contact without a row is forgotten once it is deleted',
    input: scene([person('a', { crm: null, sheet: null, ...standing('row-gone') }), ...others], { asked }),
    links: ['a forgotten'],
  },
];

test.each(cases)('$name', (each) => {
  expect(seen(each)).toEqual(wanted(each));
});

describe('D3: scans that miss a contact are counted', () => {
  const miss = (more: SceneMore, link = {}) => {
    const { links } = plan(scene([person('a', { crm: null, link }), ...others], more));
    return links.get(uuidOf('a'));
  };

  test('D3: a drifted scan that missed the contact is stored', () => {
    expect(miss({ crm: { isDrifted: true } })?.missedScans).toBe(1);
    const rowless = person('a', { crm: null, sheet: null, link: { standing: 'row-gone' } });
    const { links } = plan(scene([rowless, ...others], { crm: { isDrifted: true } }));
    expect(links.get(uuidOf('a'))).toMatchObject({ missedScans: 1, standing: 'row-gone' });
  });

  test('D3: incremental scans in between neither show nor miss it', () => {
    const more: SceneMore = { crm: { coverage: 'changes' } };
    expect(plan(scene([person('a', { crm: null, link: { missedScans: 1 } }), ...others], more)).links.size).toBe(0);
  });

  test('D3: a scan that shows the contact resets the count', () => {
    const { links } = plan(scene([person('a', { link: { missedScans: 1 } }), ...others]));
    expect(links.get(uuidOf('a'))).not.toHaveProperty('missedScans');
  });
});

test('D3, L12: the row is told that the service did not answer whether its contact is there', () => {
  const { problems } = plan(scene([...others, contactGone], { asked: { a: unanswered } }));
  expect(problems).toMatchObject([{ uuid: uuidOf('a'), row: 4 }]);
});

test('I5, W9: while an ID is in doubt, the link of an unchanged contact without a row stays as it is', () => {
  const doubtful = person('b', { row: { id: 'hello' } });
  for (const coverage of ['whole', 'changes'] as const) {
    const input = scene([rowGone, { ...doubtful, link: undefined, contact: undefined }, person('c')], {
      crm: { coverage },
    });
    expect([plan(input).links.size, plan(input).changes.length]).toEqual([0, 0]);
  }
});

test('D5: deletions come last, after every create, update, set and append', () => {
  const input = scene(
    [
      rowGone,
      person('b', { sheet: { position: 'CEO' } }),
      person('c', { crm: { position: 'CEO' } }),
      person('d', { crm: null }),
    ],
    {
      mapping: { ...mapping, onRowDeleted: 'delete_contact', onContactDeleted: 'delete_row' },
      asked: { d: gone },
    },
  );
  expect(plan(input).changes.map(({ op }) => op)).toEqual(['update', 'set', 'delete', 'remove']);
});

describe('D5: which deletions may go ahead after the other changes', () => {
  const sharing = [person('b', { sheet: { first_name: 'First a' } }), person('c')];
  const input = scene([rowGone, ...sharing], onRow('delete_contact'));
  const planned = plan(input);
  const [update, deletion] = planned.changes;
  const due = (outcome: Outcome | undefined, of = input) => {
    const { changes, problems } = findDueDeletes(of, planned, new Map(outcome && [[update!, outcome]]));
    return [changes.map(tellChange), problems.map(tellProblem)];
  };

  test('D5: a deletion waits while a change that shares a key with it has not succeeded', () => {
    expect([tellChange(update!), tellChange(deletion!)]).toEqual([
      'update b: first_name First b -> First a [merge]',
      'delete a [D1]',
    ]);
    expect(due({ kind: 'failed', message: 'x' })).toEqual([[], ['held a [D5]']]);
    expect(due(undefined)).toEqual([[], ['held a [D5]']]);
  });

  test('D5: the contact is deleted once that change succeeded', () => {
    expect(due({ kind: 'done' })).toEqual([['delete a [D1]'], []]);
  });

  test('D5: a change that shares no key does not delay a deletion', () => {
    const other = scene([rowGone, person('b', { sheet: { position: 'CEO' } }), person('c')], onRow('delete_contact'));
    expect(findDueDeletes(other, plan(other), new Map()).changes.map(tellChange)).toEqual(['delete a [D1]']);
  });

  test('D5: a contact that an incremental pull did not read is compared by the key it was last seen with', () => {
    const unread = scene([person('a', { crm: null, sheet: null }), ...sharing], {
      ...onRow('delete_contact'),
      crm: { coverage: 'changes' },
      asked: { a: here(person('a')) },
    });
    const { changes, problems } = findDueDeletes(unread, plan(unread), new Map());
    expect([changes, problems.map(tellProblem)]).toEqual([[], ['held a [D5]']]);
  });

  test('D5: the keys that the contact holds now decide what is shared', () => {
    const renamed = person('b', { crm: { first_name: 'First a' }, sheet: { position: 'CEO' } });
    const sharesNow = scene([rowGone, renamed, person('c')], onRow('delete_contact'));
    expect(findDueDeletes(sharesNow, plan(sharesNow), new Map()).problems.map(tellProblem)).toEqual(['held a [D5]']);
  });

  test('D5, L7: a contact that the service answered for a new row of this run stays: the row is its row', () => {
    const retyped = scene([rowGone, newRow('d'), ...others], { ...onRow('delete_contact'), asked: { 3: gone } });
    const made = plan(retyped);
    const create = made.changes.find(({ op }) => op === 'create')!;
    const answeredAs = (who: 'a' | 'd') =>
      new Map<Change, Outcome>([[create, { kind: 'done', contact: { ...person('d').contact!, uuid: uuidOf(who) } }]]);
    const dueAs = (who: 'a' | 'd') => findDueDeletes(retyped, made, answeredAs(who)).changes.map(tellChange);
    expect([dueAs('a'), dueAs('d')]).toEqual([[], ['delete a [D1]']]);
  });

  test('D5, E2: while a new row was not sent that its call enrols, no contact is deleted: it may be of that row', () => {
    const retyped = scene([rowGone, newRow('d'), ...others], { ...onRow('delete_contact'), asked: { 3: gone } });
    const made = plan(retyped);
    const enrolling = made.changes.map((change) => (change.op === 'create' ? { ...change, enrol: 'flow-1' } : change));
    const dueOf = (changes: readonly Change[]) =>
      findDueDeletes(retyped, { ...made, changes }, new Map()).changes.length;
    expect([dueOf(made.changes), dueOf(enrolling)]).toEqual([1, 0]);
  });

  test('D5, G5: after a pull with a failed page nothing is deleted', () => {
    expect(due({ kind: 'done' }, { ...input, crm: { ...input.crm, coverage: 'partial' } })).toEqual([
      [],
      ['held a [D5]'],
    ]);
  });

  test('D5, G5: nor is a row', () => {
    const removing = scene([contactGone, ...others], { ...onContact('delete_row'), asked });
    const removal = plan(removing);
    const dueIn = (coverage: 'whole' | 'partial') =>
      findDueDeletes({ ...removing, crm: { ...removing.crm, coverage } }, removal, new Map()).changes.map(tellChange);
    expect([dueIn('whole'), dueIn('partial')]).toEqual([['remove a [D3]'], []]);
  });
});
