import { describe, expect, test } from 'vitest';
import { createDoneCheck } from '../../src/engine/sync/already-done.ts';
import { chooseSaved } from '../../src/engine/sync/choose-saved.ts';
import { heldRecords, isHeldByRecords, letApprovedThrough, planOf } from '../../src/engine/sync/let-through.ts';
import { changesByRecord, recordOf, recordText } from '../../src/engine/sync/records-of-plan.ts';
import { savedPlan, type SavedPlan } from '../../src/engine/saved-plan.ts';
import type { Change } from '../../src/sync/change.ts';
import { plan as makePlan } from '../../src/sync/plan.ts';
import { type LedgerEntry, ledgerKey } from '../../src/sync/record/ledger.ts';
import { rowKey } from '../../src/sync/record/base.ts';
import {
  mapping,
  newRow,
  packedOf,
  person,
  type PersonParts,
  scene,
  type SceneMore,
  uuidOf,
  valuesOf,
} from '../sync/support.ts';

/* Which changes of a fresh plan are those that a person saw: of a saved plan (W3), or record by record of a held one (G6). */

const [a, b, c] = [uuidOf('a'), uuidOf('b'), uuidOf('c')];
const field = (name: string, before: string | null, after: string | null) => {
  return { field: name, before, after, rule: 'merge', reason: 'edited' } as const;
};
const about = { row: 2, fields: [], rule: 'merge', reason: 'because' } as const;
const updateOf = (uuid: string, ...fields: readonly ReturnType<typeof field>[]): Change => {
  return { ...about, side: 'crm', op: 'update', uuid, fields };
};
const position = (uuid: string, after = 'CEO') => updateOf(uuid, field('position', 'CTO', after));
const saved = (...changes: readonly Change[]): SavedPlan => {
  const plan = { sync: 'prospects', run: 'R1', isFull: false, identities: { crm: 'list', sheet: 'tab' }, changes };
  return savedPlan.parse(JSON.parse(JSON.stringify(plan)));
};
const people = [person('a'), person('b'), person('c')];

describe('W3: the changes of a saved plan', () => {
  const input = scene(people);
  const choose = (was: SavedPlan, now: readonly Change[], of = input) => chooseSaved(was, now, of);

  test('are carried out where the fresh plan has them exactly so, whatever the row number and the reason', () => {
    const now = { ...position(a), row: 9, reason: 'other words' };
    expect(choose(saved(position(a)), [now, position(b)])).toEqual({ changes: [now], problems: [], alreadyDone: 0 });
  });

  test('are refused by name where they differ now, and all of that record with them', () => {
    const set: Change = { ...about, side: 'sheet', op: 'set', uuid: a, fields: [field('company_name', 'x', 'y')] };
    const { changes, problems, alreadyDone } = choose(saved(position(a), set, position(b)), [
      { ...position(a, 'COO'), row: 7 },
      set,
      position(b),
    ]);
    expect(changes).toEqual([position(b)]);
    expect(problems).toEqual([
      {
        id: a,
        kind: 'held',
        uuid: a,
        row: 7,
        field: null,
        rule: 'W3',
        reason: 'not applied: it changed since the plan was made',
      },
    ]);
    expect(alreadyDone).toBe(0);
  });

  test('are told where nothing is to be done for them any more, and count as done where both sides are so', () => {
    const { changes, problems, alreadyDone } = choose(saved(position(a), position(b, 'CTO')), []);
    expect([changes, alreadyDone]).toEqual([[], 1]);
    expect(problems).toMatchObject([
      { id: a, row: 2, rule: 'W3', reason: expect.stringContaining('nothing is to be done for it any more') },
    ]);
  });

  test('that a fresh plan still has are never done already', () => {
    const { problems, alreadyDone } = choose(saved(position(b, 'CTO')), [position(b, 'CEO')]);
    expect([problems.length, alreadyDone]).toEqual([1, 0]);
  });

  test.each([
    { crm: 'list', sheet: 'other' },
    { crm: 'other', sheet: 'tab' },
  ])('G1: fail for %j', (identities) => {
    expect(() => choose({ ...saved(), identities }, [])).toThrow(
      'another list or tab than prospects has now: plan again',
    );
  });

  describe('I7: edits of keys', () => {
    const email = (uuid: string, before: string, after: string) => updateOf(uuid, field('email', before, after));
    const takes = email(a, 'a@acme.test', 'b@acme.test');
    const gives = email(b, 'b@acme.test', 'x@acme.test');

    test('wait together where one of them changed; other updates do not', () => {
      const changed = email(b, 'b@acme.test', 'y@acme.test');
      const { changes, problems } = choose(saved(takes, gives, position(c)), [takes, changed, position(c)]);
      expect(changes).toEqual([position(c)]);
      expect(problems.map(({ uuid }) => uuid)).toEqual([b, a]);
    });

    test('do not wait for a record that edits no key', () => {
      const { changes } = choose(saved(takes, gives, position(c)), [takes, gives, position(c, 'COO')]);
      expect(changes).toEqual([takes, gives]);
    });

    test('do not wait for cells: these pass no key on', () => {
      const cell: Change = { ...about, side: 'sheet', op: 'set', uuid: c, fields: [field('email', 'c', 'd')] };
      const other = { ...cell, fields: [field('email', 'c', 'e')] };
      expect(choose(saved(takes, cell), [takes, other]).changes).toEqual([takes]);
      expect(choose(saved(cell, takes), [cell, email(a, 'a@acme.test', 'z@acme.test')]).changes).toEqual([cell]);
    });
  });
});

describe('W3: whether a saved change is done already', () => {
  const isDone = (change: Change, parts: readonly PersonParts[] = people, more: SceneMore = {}) =>
    createDoneCheck(scene(parts, more))(saved(change).changes);
  const entryOf = (state: LedgerEntry['state'], automation = 'f', who = a): SceneMore => {
    const entries = new Map([[ledgerKey(who, automation), { state, at: 1, run: 'R' }]]);
    return { ledger: { entries, isTrusted: true } };
  };

  test('of several changes all have to be', () => {
    const check = createDoneCheck(scene(people));
    expect(check(saved(position(a, 'CTO'), position(b, 'CTO')).changes)).toBe(true);
    expect(check(saved(position(a, 'CTO'), position(b, 'CEO')).changes)).toBe(false);
  });

  test('of an update: the contact holds it, as it was read or as it was seen last', () => {
    expect(isDone(position(a, 'CTO'))).toBe(true);
    expect(isDone(position(a, 'CEO'))).toBe(false);
    expect(isDone(updateOf(a, field('position', 'x', 'CTO'), field('company_name', 'x', 'y')))).toBe(false);
    expect(isDone(position(uuidOf('d'), 'CTO'))).toBe(false);
    expect(isDone(updateOf(a, field('unmapped', 'x', 'y')))).toBe(false);
    expect(isDone(position(a, 'CTO'), [person('a', { crm: null })])).toBe(true);
    const seen = { crm: packedOf({ ...valuesOf('a'), position: 'CEO' }) };
    expect(isDone(position(a, 'CEO'), [person('a', { crm: null, link: seen })])).toBe(true);
    // What was read counts before what was seen.
    expect(isDone(position(a, 'CEO'), [person('a', { link: seen })])).toBe(false);
  });

  test('of cells: the row holds them', () => {
    const set = (uuid: string, after: string): Change => {
      return { ...about, side: 'sheet', op: 'set', uuid, fields: [field('position', 'x', after)] };
    };
    expect(isDone(set(a, 'CTO'))).toBe(true);
    expect(isDone(set(a, 'CEO'))).toBe(false);
    expect(isDone(set(a, 'CTO'), [person('a', { sheet: null })])).toBe(false);
    expect(isDone(set(a, 'CEO'), [person('a', { sheet: { position: 'CEO' } })])).toBe(true);
  });

  test('of a deletion: neither contact nor link is there; of a row: it is not there', () => {
    const remove: Change = { ...about, side: 'crm', op: 'delete', uuid: a };
    expect(isDone(remove)).toBe(false);
    expect(isDone(remove, [person('a', { crm: null })])).toBe(false);
    expect(isDone(remove, [person('a', { base: null })])).toBe(false);
    expect(isDone(remove, [person('b')])).toBe(true);
    const row: Change = { ...about, side: 'sheet', op: 'remove', uuid: a };
    expect([isDone(row), isDone(row, [person('a', { sheet: null })])]).toEqual([false, true]);
    const append: Change = { ...about, side: 'sheet', op: 'append', uuid: a };
    expect([isDone(append), isDone(append, [person('a', { sheet: null })])]).toEqual([true, false]);
  });

  test('of a message: never, as the outbox answers for it', () => {
    expect(isDone({ ...about, side: 'crm', op: 'send', uuid: a, to: '', from: '' })).toBe(false);
  });

  test('E1: of an enrolment: it was done, and not only begun', () => {
    const enrol: Change = { ...about, side: 'crm', op: 'enrol', uuid: a, automation: 'f' };
    expect(isDone(enrol)).toBe(false);
    const states = ['enrolled', 'skipped', 'waiting', 'unknown', 'cancelling', 'refused'] as const;
    expect(states.map((state) => isDone(enrol, people, entryOf(state)))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(isDone(enrol, people, entryOf('enrolled', 'g'))).toBe(false);
    expect(isDone(enrol, people, entryOf('enrolled', 'f', b))).toBe(false);
  });

  test('E5: of a cancel from one automation: it is being cancelled', () => {
    const cancel: Change = { ...about, side: 'crm', op: 'cancel', uuid: a, automation: 'f' };
    expect(isDone(cancel)).toBe(false);
    expect(isDone(cancel, people, entryOf('cancelling'))).toBe(true);
    expect(isDone(cancel, people, entryOf('enrolled'))).toBe(false);
    expect(isDone(cancel, people, entryOf('cancelling', 'g'))).toBe(false);
  });

  test('D1: of a cancel from all: nothing of this contact is done and not being cancelled', () => {
    const cancel: Change = { ...about, side: 'crm', op: 'cancel', uuid: a, automation: null };
    expect(isDone(cancel)).toBe(true);
    expect(isDone(cancel, people, entryOf('enrolled'))).toBe(false);
    expect(isDone(cancel, people, entryOf('unknown'))).toBe(false);
    expect(isDone(cancel, people, entryOf('cancelling'))).toBe(true);
    expect(isDone(cancel, people, entryOf('waiting'))).toBe(true);
    expect(isDone(cancel, people, entryOf('enrolled', 'f', b))).toBe(true);
  });

  test('of a new row: a linked row with what was typed has its contact, and is enrolled if it was to be', () => {
    const content = packedOf(valuesOf('a'));
    const create: Change = { ...about, side: 'crm', op: 'create', uuid: null, key: content };
    expect(isDone(create)).toBe(true);
    expect(isDone({ ...create, key: packedOf(valuesOf('d')) })).toBe(false);
    // Columns that only show what the service has are filled by the run.
    expect(isDone({ ...create, key: packedOf({ ...valuesOf('a'), status: null }) })).toBe(true);
    expect(isDone({ ...create, key: packedOf({ ...valuesOf('a'), position: null }) })).toBe(false);
    expect(isDone(create, [newRow('a')])).toBe(false);
    expect(isDone(create, [person('a', { base: null })])).toBe(false);
    const enrolled = { ...create, enrol: 'f' };
    expect(isDone(enrolled)).toBe(false);
    expect(isDone(enrolled, people, entryOf('enrolled'))).toBe(true);
    expect(isDone(enrolled, people, entryOf('waiting'))).toBe(false);
    expect(isDone({ ...enrolled, key: packedOf(valuesOf('d')) }, people, entryOf('enrolled'))).toBe(false);
  });
});

describe('the records of a plan', () => {
  const create: Change = { ...about, side: 'crm', op: 'create', uuid: null, key: 'k' };
  const set: Change = { ...about, side: 'sheet', op: 'set', uuid: null, row: 4 };

  test('are known by uuid, by the values of a new row, or by the row alone', () => {
    expect([position(a), create, set].map(recordOf)).toEqual([a, 'new k', 'row 4']);
    const grouped = changesByRecord([position(a), create, position(b), { ...position(a), side: 'sheet', op: 'set' }]);
    expect([...grouped].map(([key, changes]) => [key, changes.length])).toEqual([
      [a, 2],
      ['new k', 1],
      [b, 1],
    ]);
  });

  test('are the same text in any order, without row, rule and reason', () => {
    const [one, other] = [position(a), updateOf(a, field('company_name', 'x', 'y'))];
    expect(recordText([one, other])).toBe(recordText([other, { ...one, row: 8, reason: 'x', rule: 'M1' }]));
    expect(recordText([one])).not.toBe(recordText([position(a, 'COO')]));
    expect(recordText([one])).not.toBe(recordText([{ ...one, uuid: b }]));
    expect(recordText()).toBe('');
  });
});

describe('G6: the records of a held plan', () => {
  const limited = { ...mapping, limits: { ...mapping.limits, changes: { count: 1 } } };
  const edited = (who: 'a' | 'b' | 'c', sheet = 'CEO') => person(who, { sheet: { position: sheet } });
  const heldScene = (...parts: readonly PersonParts[]) => scene(parts, { mapping: limited });

  test('are named with their row, what is done to them, and each field that changes', () => {
    const set: Change = { ...about, side: 'sheet', op: 'set', uuid: a, row: 5 };
    const update = { ...updateOf(a, field('position', 'CTO', 'CEO'), { ...field('email', 'x', null) }), row: null };
    const [record, ...others] = heldRecords([update, update, set])!;
    expect(others).toEqual([]);
    const changed = { side: 'crm', op: 'update', rule: 'merge', reason: 'edited' };
    const fields = [
      { ...changed, field: 'position', before: 'CTO', after: 'CEO' },
      { ...changed, field: 'email', before: 'x', after: null },
    ];
    expect(record).toEqual({
      id: a,
      row: 5,
      ops: ['update', 'set'],
      digest: expect.stringMatching(/^[\da-f]{32}$/),
      changes: [
        ...fields,
        ...fields,
        { side: 'sheet', op: 'set', field: null, before: null, after: null, rule: 'merge', reason: 'because' },
      ],
    });
    const unknown = heldRecords([updateOf(a, { ...field('position', null, 'x'), before: undefined as never })]);
    expect(unknown).toMatchObject([{ row: 2, changes: [{ before: null, after: 'x' }] }]);
  });

  test('are known by their row where they are new, and left out where nothing but the place tells them apart', () => {
    const create: Change = { ...about, side: 'crm', op: 'create', uuid: null, key: 'k', row: 7 };
    const set: Change = { ...about, side: 'sheet', op: 'set', uuid: null, row: 8 };
    expect(heldRecords([create, set])).toMatchObject([{ id: 'row:7', row: 7, ops: ['create'] }]);
    expect(heldRecords([{ ...create, row: null }])).toMatchObject([{ id: 'row:?', row: null }]);
    expect(heldRecords([set])).toBeUndefined();
    expect(heldRecords([])).toBeUndefined();
    const keys = [create, { ...create, key: 'other' }].map((each) => heldRecords([each])![0]!.digest);
    expect(new Set(keys).size).toBe(2);
  });

  test('are approved whole where there are more than ten thousand', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => position(uuidOf(index)));
    expect(heldRecords(many(10_000))).toHaveLength(10_000);
    expect(heldRecords(many(10_001))).toBeUndefined();
  });

  test('have no values where those of all of them are too long, all or none', () => {
    const long = (uuid: string, length: number) => updateOf(uuid, field('position', null, 'x'.repeat(length)));
    const [first, second] = heldRecords([long(a, 3_999_000), position(b)])!;
    expect([first!.changes?.length, second!.changes?.length]).toEqual([1, 1]);
    for (const record of heldRecords([long(a, 4_000_000), position(b)])!) expect(record).not.toHaveProperty('changes');
  });

  test('count where a limit alone holds the plan', () => {
    const hold = { rule: 'G2', reason: '', fails: false } as const;
    expect(isHeldByRecords({ holds: [hold] })).toBe(true);
    expect(isHeldByRecords({ holds: [] })).toBe(false);
    expect(isHeldByRecords({ holds: [hold, { ...hold, rule: 'G1' }] })).toBe(false);
    expect(isHeldByRecords({ holds: [hold, { ...hold, fails: true }] })).toBe(false);
  });

  /** Approves the records of these people as they are in the first scene, and lets them through in the second. */
  function approve(who: readonly string[], first: ReturnType<typeof scene>, second = first) {
    const records = heldRecords(makePlan(first).changes)!.filter(({ id }) => who.includes(id));
    const idByDigest = new Map(records.map(({ id, digest }) => [digest, id]));
    const plan = makePlan(second);
    const through = letApprovedThrough(second, plan, { digests: new Set(idByDigest.keys()), idByDigest });
    return { plan, ...through, let: through, left: through.stillHeld };
  }

  test('that were approved go through, and the rest stays held as a plan of its own', () => {
    const input = heldScene(edited('a'), edited('b'), edited('c'));
    const { plan, changes, problems, left } = approve([b], input);
    expect(plan.holds).toHaveLength(1);
    expect(changes.map(({ uuid }) => uuid)).toEqual([b]);
    expect(problems).toEqual([]);
    expect(left.holds).toMatchObject([{ rule: 'G2', fails: false }]);
    expect(left.planned).toMatchObject({ changes: 2, creates: 0, deletes: 0 });
    expect(left.records?.map(({ id }) => id)).toEqual([a, c]);
    expect(left.letThrough).toEqual({
      counts: { creates: 0, changes: 1, blanks: 0, deletes: 0, missing: 0, enrolments: 0 },
      links: 3,
    });
  });

  test('G2: what was let through before counts for the limits, with the links of then', () => {
    const counts = { creates: 1, changes: 2, blanks: 3, deletes: 4, missing: 5, enrolments: 6 };
    const input = heldScene(edited('a'), edited('b'), edited('c'));
    const again = { ...input, requests: { ...input.requests, letThrough: { counts, links: 9 } } };
    expect(approve([b], again).left.letThrough).toEqual({
      counts: { ...counts, changes: 3, missing: 0, enrolments: 0 },
      links: 9,
    });
  });

  test('that are all approved leave nothing held', () => {
    const { changes, left } = approve([a, b], heldScene(edited('a'), edited('b')));
    expect(changes).toHaveLength(2);
    expect(left).toMatchObject({ records: undefined, planned: { changes: 0 } });
  });

  test('that changed since are told, by contact or by row, and stay', () => {
    const before = heldScene(edited('a'), edited('b'), edited('c'));
    const { changes, problems } = approve([a, b], before, heldScene(edited('a', 'COO'), edited('b'), edited('c')));
    expect(changes.map(({ uuid }) => uuid)).toEqual([b]);
    expect(problems).toMatchObject([{ kind: 'held', uuid: a, row: null, rule: 'G6' }]);
    const { problems: ofRows } = letApprovedThrough(before, makePlan(before), {
      digests: new Set(['d']),
      idByDigest: new Map([['d', 'row:17']]),
    });
    expect(ofRows).toMatchObject([{ uuid: null, row: 17, rule: 'G6' }]);
  });

  test('I7: wait for the record that gives their key up', () => {
    const swapped = [
      person('a', { sheet: { email: 'b@acme.test' } }),
      person('b', { sheet: { email: 'x@acme.test' } }),
      edited('c'),
    ];
    const { plan, changes, problems } = approve([a, c], heldScene(...swapped));
    expect(plan.changes.filter(({ op }) => op === 'update').length).toBeGreaterThan(2);
    expect(changes.map(({ uuid }) => uuid)).toEqual([c]);
    expect(problems).toMatchObject([{ uuid: a, row: 2, rule: 'G6', reason: expect.stringContaining('changes hands') }]);
    const both = approve([a, b], heldScene(...swapped));
    expect(new Set(both.changes.map(({ uuid }) => uuid))).toEqual(new Set([a, b]));
    expect(both.problems).toEqual([]);
    // Not approved either: nothing is to be told of it.
    expect(approve([c], heldScene(...swapped)).problems).toEqual([]);
  });

  test('make a plan without holds, whose writes count once', () => {
    const input = heldScene(edited('a'), edited('b'), newRow('d'));
    const { plan, let: through } = approve([b], input);
    const own = planOf(input, plan, through);
    expect(own.holds).toEqual([]);
    expect(own.changes).toEqual(through.changes);
    expect(own.problems).toEqual([...plan.problems, ...through.problems]);
    expect(own.links.get(b)?.counted).toEqual({ position: 'CEO' });
    expect(own.links.get(a)?.counted).toBeUndefined();
    const [, , row] = input.sheet.rows;
    expect(own.strays.get(rowKey(row!))?.isCounted).toBeUndefined();
  });
});
