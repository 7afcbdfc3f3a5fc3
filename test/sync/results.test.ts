import { describe, expect, test } from 'vitest';
import type { Link } from '../../src/sync/record/base.ts';
import type { Change } from '../../src/sync/change.ts';
import type { ContactAnswer, PlanInput } from '../../src/sync/input.ts';
import type { Outcome, Outcomes } from '../../src/sync/outcome.ts';
import type { Field } from '../../src/sync/record/mapping.ts';
import { type Plan, plan } from '../../src/sync/plan.ts';
import type { Side } from '../../src/sync/value/value.ts';
import { planSheetChanges } from '../../src/sync/settle/sheet-changes.ts';
import { type Settled, settle } from '../../src/sync/settle/settle.ts';
import {
  elsewhere,
  gone,
  here,
  mapping,
  newContact,
  newRow,
  noon,
  packedOf,
  person,
  type PersonParts,
  scene,
  type SceneMore,
  tellChange,
  tellProblem,
  unanswered,
  uuidOf,
  valueIn,
  type Values,
  valuesOf,
  type Who,
  withFields,
} from './support.ts';

/** What the service answers: the values of a person with the stored form of the change. */
const answer = (who: Who, crm: Values = {}): Outcome => ({
  kind: 'done',
  contact: {
    uuid: uuidOf(who),
    values: packedOf({ ...valuesOf(who), 'custom:segment': undefined, ...crm }),
    updatedAt: noon,
  },
});
const done: Outcome = { kind: 'done' };

interface Ran {
  readonly planned: Plan;
  /** All changes that went into the sheet. */
  readonly sheet: readonly string[];
  readonly settled: Settled;
  readonly problems: readonly string[];
  readonly link: (who: Who) => Link | null | undefined;
}

/** One run: the CRM changes get the given outcomes, then the sheet changes. A change without one is not begun. */
function run(
  input: PlanInput,
  ofCrm: (change: Change) => Outcome | undefined,
  ofSheet: (change: Change) => Outcome | undefined = () => done,
): Ran {
  const planned = plan(input);
  const outcomes = new Map<Change, Outcome>();
  const carryOut = (changes: readonly Change[], outcomeOf: typeof ofCrm): void => {
    for (const change of changes) {
      const outcome = outcomeOf(change);
      if (outcome) outcomes.set(change, outcome);
    }
  };
  carryOut(
    planned.changes.filter(({ side }) => side === 'crm'),
    ofCrm,
  );
  const toSheet = planSheetChanges(input, planned, outcomes);
  carryOut(toSheet, ofSheet);
  const settled = settle(input, planned, outcomes satisfies Outcomes);
  return {
    planned,
    sheet: toSheet.map(tellChange),
    settled,
    problems: settled.problems.map(tellProblem),
    link: (who) => settled.links.get(uuidOf(who)),
  };
}

const agreed = (link: Link | null | undefined, field: string) => link && valueIn(link.agreed, field);
const edited = person('a', { sheet: { position: 'CEO' } });
const id = `${uuidOf('a')}/position`;

describe('the base follows from outcomes', () => {
  test('L3, M5: a value that was stored as sent becomes the base, and nothing stays open', () => {
    const { link, sheet, problems } = run(scene([edited]), () => answer('a', { position: 'CEO' }));
    expect(sheet).toEqual([]);
    expect(problems).toEqual([]);
    expect(agreed(link('a'), 'position')).toBe('CEO');
    expect(link('a')).not.toHaveProperty('isOpen');
  });

  test('L3: a change that was not begun, failed or found another value leaves the base as it was', () => {
    const outcomes: (Outcome | undefined)[] = [
      undefined,
      { kind: 'failed', message: 'no answer' },
      { kind: 'moved' },
      { kind: 'unknown', message: 'timeout' },
      { kind: 'refused', message: 'bad' },
    ];
    const bases = outcomes.map((outcome) => {
      const { link } = run(scene([edited]), () => outcome);
      return [agreed(link('a'), 'position'), link('a')?.isOpen];
    });
    expect(bases).toEqual(outcomes.map(() => ['CTO', true]));
  });

  test('L3: a cell that was set becomes the base; a cell that was not set does not', () => {
    const input = scene([person('a', { crm: { position: 'CEO' } })]);
    const unasked = () => undefined;
    expect(agreed(run(input, unasked).link('a'), 'position')).toBe('CEO');
    const failed = run(input, unasked, () => ({ kind: 'failed', message: 'quota' }));
    expect(agreed(failed.link('a'), 'position')).toBe('CTO');
    expect(failed.problems).toEqual(['failed a [W4]']);
  });

  test('L3: a cell that holds another value after the write, or none, is no base', () => {
    const input = scene([person('a', { crm: { position: 'CEO' } })]);
    for (const position of ['Boss', null]) {
      const { link } = run(
        input,
        () => undefined,
        () => ({ kind: 'done', stored: { position } }),
      );
      expect([agreed(link('a'), 'position'), link('a')?.isOpen]).toEqual(['CTO', true]);
    }
  });

  test.each<{ what: string; someone: PersonParts; more: SceneMore; change: string }>([
    {
      what: 'D2, D5, L3: of a contact that was asked for before it was to be deleted',
      someone: person('a', { crm: null, sheet: null }),
      more: { mapping: { ...mapping, onRowDeleted: 'delete_contact' }, crm: { coverage: 'changes' } },
      change: 'append a [D2]',
    },
    {
      what: 'D3, L3: of a contact that a whole scan did not show, and that was asked for',
      someone: person('a', { crm: null }),
      more: {},
      change: 'set a: position CTO -> CEO [merge]',
    },
  ])('$what, the answer is the base of what was written', ({ someone, more, change }) => {
    const asked = { a: here(person('a', { crm: { position: 'CEO' } })) };
    const ran = run(scene([someone, person('b')], { ...more, asked }), () => undefined);
    expect(ran.sheet).toEqual([change]);
    const link = ran.link('a')!;
    expect([agreed(link, 'position'), link.isOpen, link.notes?.['position']?.edit]).toEqual([
      'CEO',
      undefined,
      undefined,
    ]);
  });

  test('L12: each failure has a reason of its own', () => {
    const told = (outcome: Outcome) => run(scene([edited]), () => outcome).problems;
    expect(told({ kind: 'refused', message: 'bad' })).toContain('refused a [W5]');
    expect(told({ kind: 'moved' })).toContain('waiting a [W3]');
    expect(told({ kind: 'unknown', message: 'timeout' })).toContain('unknown a [W4]');
    expect(told({ kind: 'failed', message: 'x' })).toContain('failed a [W4]');
  });

  test('L4: a failure keeps only its own record open', () => {
    const input = scene([edited, person('b', { sheet: { position: 'CEO' } })]);
    const { link } = run(input, ({ uuid }) =>
      uuid === uuidOf('a') ? { kind: 'refused', message: 'bad' } : answer('b', { position: 'CEO' }),
    );
    expect([agreed(link('a'), 'position'), agreed(link('b'), 'position')]).toEqual(['CTO', 'CEO']);
  });
});

describe('the form in which the service stored it', () => {
  test('M5: a stored form that is neither the sent nor the old value is set in the sheet, and becomes the base', () => {
    const { sheet, link, problems } = run(scene([edited]), () => answer('a', { position: 'Ceo' }));
    expect(sheet).toEqual(['set a: position CEO -> Ceo [M5]']);
    expect(agreed(link('a'), 'position')).toBe('Ceo');
    expect(problems).toEqual([]);
  });

  test('M5, L12: the change of the row has that rule and reason, too', () => {
    const input = scene([edited]);
    const planned = plan(input);
    const outcomes = new Map([[planned.changes[0]!, answer('a', { position: 'Ceo' })]]);
    expect(planSheetChanges(input, planned, outcomes)).toMatchObject([
      { rule: 'M5', reason: 'as the service stored it' },
    ]);
  });

  test.each<{ conflict: Field['conflict']; sheet: string[]; problems: string[]; base: string }>([
    { conflict: 'manual', sheet: [], problems: ['conflict a/position [M1]'], base: 'CTO' },
    { conflict: 'newest', sheet: [], problems: ['conflict a/position [M1]'], base: 'CTO' },
    { conflict: 'crm', sheet: ['set a: position CEO -> Boss [M1]'], problems: [], base: 'Boss' },
    { conflict: 'sheet', sheet: [], problems: ['waiting a/position [M5]'], base: 'CTO' },
  ])('M5, L1, M1 $conflict: another value than a form of what was sent is somebody’s edit', (expected) => {
    const { conflict, base, ...told } = expected;
    const input = scene([edited], { mapping: withFields({ position: { conflict } }) });
    const { sheet, problems, link } = run(input, () => answer('a', { position: 'Boss' }));
    expect({ sheet, problems }).toEqual(told);
    expect(agreed(link('a'), 'position')).toBe(base);
  });

  test('M5, W10: an edit that was sent and is sent again does not wait to settle again', () => {
    const settling = { mapping: withFields({ position: { conflict: 'sheet' } }), waitsToSettle: true };
    const since = noon - 60_000;
    const noted = person('a', {
      sheet: { position: 'CEO' },
      link: { notes: { position: { edit: { value: 'CEO', since } } } },
    });
    const { link } = run(scene([noted], settling), () => answer('a', { position: 'Boss' }));
    const next = person('a', { crm: { position: 'Boss' }, sheet: { position: 'CEO' }, link: link('a')! });
    expect(plan(scene([next], settling)).changes.map(tellChange)).toEqual(['update a: position Boss -> CEO [M1]']);
  });

  test('M5, M1: a value that a person decided for goes into the cell in the form in which it was stored', () => {
    const parted = person('a', { crm: { position: 'Boss' }, sheet: { position: 'CEO' } });
    const requests = { resolve: new Map([[id, { value: 'Chief' }]]) };
    const { sheet, link, problems } = run(scene([parted], { requests }), () => answer('a', { position: 'CHIEF' }));
    expect([sheet, problems]).toEqual([['set a: position CEO -> CHIEF [M5]'], []]);
    expect(agreed(link('a'), 'position')).toBe('CHIEF');
  });

  test('M5: a blank answer to a blank is stored: an emptied field does not come back', () => {
    const input = scene([person('a', { sheet: { position: null } })]);
    const { sheet, link } = run(input, () => answer('a', { position: null }));
    expect(sheet).toEqual([]);
    expect(agreed(link('a'), 'position')).toBe(null);
  });

  test('M5, V2: an answer that differs in form only counts as stored', () => {
    const input = scene([person('a', { sheet: { email: 'New@Acme.test' } })]);
    const { sheet, link } = run(input, () => answer('a', { email: 'new@acme.test' }));
    expect(sheet).toEqual([]);
    expect(link('a')).not.toHaveProperty('isOpen');
  });

  test('M4: a column that cannot be read back counts as stored', () => {
    const input = scene([person('a', { sheet: { 'custom:segment': 'silver' } })]);
    expect(agreed(run(input, () => answer('a')).link('a'), 'custom:segment')).toBe('silver');
  });

  const typedSegment = person('a', { crm: { 'custom:segment': 'lead' }, sheet: { 'custom:segment': 'silver' } });

  test.each([
    { what: 'the value from before', held: 'lead', is: { problems: ['failed a/custom:segment [M6]'], base: 'gold' } },
    { what: 'a blank where nothing was shown', held: null, is: { problems: [], base: 'silver' } },
    { what: 'another value', held: 'Silver Ltd', is: { problems: [], base: 'silver' } },
    { what: 'what was sent', held: 'silver', is: { problems: [], base: 'silver' } },
    { what: 'nothing', held: undefined, is: { problems: [], base: 'silver' } },
  ])('M4, M6: a field that is only sent and is answered with $what', ({ held, is }) => {
    const { problems, link } = run(scene([typedSegment]), () => answer('a', { 'custom:segment': held }));
    expect({ problems, base: agreed(link('a'), 'custom:segment') }).toEqual(is);
  });

  test('M4, M5: of a field that is only sent, the form that the service had before counts as stored', () => {
    const shown = person('a', { crm: { 'custom:segment': 'SILVER' }, sheet: { 'custom:segment': 'silver' } });
    const { problems, link } = run(scene([shown]), () => answer('a', { 'custom:segment': 'SILVER' }));
    expect({ problems, base: agreed(link('a'), 'custom:segment') }).toEqual({ problems: [], base: 'silver' });
  });

  test('M4, V2: a member id counts as stored where the contact had, and has, the handle of a profile', () => {
    const more = { mapping: withFields({ network_id: { direction: 'to_crm' } }) };
    const input = scene([person('a', { sheet: { network_id: 'ACoAAB1x' } })], more);
    const { problems, link } = run(input, () => answer('a'));
    expect({ problems, base: agreed(link('a'), 'network_id') }).toEqual({ problems: [], base: 'ACoAAB1x' });
  });

  test.each([
    { answered: null, problems: ['failed a/position [M6]'] },
    { answered: 'Chief', problems: [] },
  ])(
    'M4, M6: a new contact that is answered with "$answered" in a field that is only sent',
    ({ answered, problems }) => {
      const more = { mapping: withFields({ position: { direction: 'to_crm' } }), asked: { 2: gone } };
      expect(run(scene([newRow('a')], more), () => answer('a', { position: answered })).problems).toEqual(problems);
    },
  );

  test('M4, W9: the answer for a to_crm column is stored as seen, and is no change later', () => {
    const held = { position: 'CEO', 'custom:segment': 'lead' };
    const { link } = run(scene([edited]), () => answer('a', held));
    const next = scene([{ ...person('a', { crm: held, sheet: { position: 'CEO' } }), link: link('a')! }]);
    expect([plan(next).changes, plan(next).links.size]).toEqual([[], 0]);
  });

  test('M8, T28: a value that the service computes from a sent part goes into the sheet, and is not sent back', () => {
    const input = scene([person('a', { sheet: { first_name: 'Anna' } })]);
    const { planned, sheet } = run(input, () => answer('a', { first_name: 'Anna', position: 'computed' }));
    expect(planned.changes.map(tellChange)).toEqual(['update a: first_name First a -> Anna [merge]']);
    expect(sheet).toEqual(['set a: position CTO -> computed [merge]']);
  });

  test('M6, M3, T24, T26: a value that is not stored is reported, tried twice more, then parked until a side changes', () => {
    const tried: string[][] = [];
    let link: Link | undefined;
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      const someone = person('a', { sheet: { position: null } });
      const ran = run(scene([{ ...someone, link: link ?? someone.link }]), () => answer('a'));
      link = ran.link('a') ?? link;
      tried.push([...ran.planned.changes.map(({ op }) => op), ...ran.problems]);
    }
    expect(tried).toEqual([
      ['update', 'failed a/position [M6]'],
      ['update', 'failed a/position [M6]'],
      ['update', 'parked a/position [M6]'],
      ['parked a/position [M6]'],
    ]);
  });

  test('M6: the count of tries ends when the value is stored', () => {
    const first = run(scene([edited]), () => answer('a'));
    const again = run(scene([{ ...edited, link: first.link('a')! }]), () => answer('a', { position: 'CEO' }));
    expect(again.problems).toEqual([]);
    expect(again.link('a')?.notes?.['position']).not.toHaveProperty('notStored');
  });

  test.each([
    { what: '', first: undefined },
    // Of earlier writes the last two count.
    { what: ', whatever was written before', first: 'Boss' },
  ])('M7: a field that both sides change back is written once on each side$what', ({ first }) => {
    const sides: string[] = [];
    const other = person('a', { base: { position: 'CXO' }, sheet: { position: first } });
    let link = first === undefined ? undefined : run(scene([other]), () => answer('a', { position: first })).link('a')!;
    if (first !== undefined) {
      const back = run(scene([{ ...other, contact: person('a').contact, link }]), () => undefined);
      link = back.link('a')!;
    }
    for (let turn = 0; turn < 6; turn += 1) {
      const someone = person('a', { sheet: { position: 'C.T.O.' } });
      const ran = run(scene([{ ...someone, link: link ?? someone.link }]), () => answer('a', { position: 'C.T.O.' }));
      // A program in the service writes its own form again, and the next run writes it into the sheet.
      link = ran.link('a') ?? link;
      sides.push(...ran.planned.changes.map(({ side }) => side), ...ran.problems);
      const back = run(scene([{ ...someone, contact: person('a').contact, link }]), () => undefined);
      link = back.link('a') ?? link;
      sides.push(...back.planned.changes.map(({ side }) => side), ...back.problems);
    }
    expect(sides.slice(0, 3)).toEqual(['crm', 'sheet', 'parked a/position [M7]']);
    expect(sides.filter((each) => each === 'crm' || each === 'sheet')).toEqual(['crm', 'sheet']);
  });
});

describe('a decision of a person', () => {
  const both = person('a', { crm: { position: 'CEO' }, sheet: { position: 'COO', company_name: 'Beta' } });
  const resolve = (said: { use: 'crm' } | { value: string }): SceneMore => ({
    requests: { resolve: new Map([[id, said]]) },
  });
  const stored = () => answer('a', { position: 'CEO', company_name: 'Beta' });

  test('M1 resolve: for the CRM, while another field of the row is sent', () => {
    const { sheet, link, problems } = run(scene([both], resolve({ use: 'crm' })), stored);
    expect(sheet).toEqual(['set a: position COO -> CEO [M1]']);
    expect(agreed(link('a'), 'position')).toBe('CEO');
    expect(problems).toEqual([]);
  });

  test('M1 resolve: a third value goes to both sides, and becomes the base when both hold it', () => {
    const { sheet, link, problems } = run(scene([both], resolve({ value: 'Boss' })), () =>
      answer('a', { position: 'Boss', company_name: 'Beta' }),
    );
    expect(sheet).toEqual(['set a: position COO -> Boss [M1]']);
    expect(agreed(link('a'), 'position')).toBe('Boss');
    expect(problems).toEqual([]);
  });

  test('M1 resolve, L3: a third value that only the service got is no base: the conflict stays', () => {
    const { link, problems } = run(
      scene([both], resolve({ value: 'Boss' })),
      () => answer('a', { position: 'Boss', company_name: 'Beta' }),
      () => ({ kind: 'moved' }),
    );
    expect(agreed(link('a'), 'position')).toBe('CTO');
    expect(problems).toContain('conflict a/position [M1]');
  });

  test('M1 resolve: a third value that the service refused is not set in the sheet either', () => {
    const { sheet } = run(scene([both], resolve({ value: 'Boss' })), () => ({ kind: 'refused', message: 'bad' }));
    expect(sheet).toEqual([]);
  });

  test('M1 newest: our own write of the run before does not make the CRM the newer side either', () => {
    const someone = person('a', {
      crm: { position: 'CEO' },
      sheet: { position: 'COO', company_name: 'Beta' },
      contact: { updatedAt: noon - 1000 },
      link: {
        isOpen: true,
        writtenAt: noon - 1000,
        notes: { position: { edit: { value: 'COO', since: noon - 600_000 } } },
      },
    });
    const { sheet, problems } = run(
      scene([someone], { mapping: withFields({ position: { conflict: 'newest' } }) }),
      stored,
    );
    expect([sheet, problems]).toEqual([[], ['conflict a/position [M1]']]);
  });

  test('M1 newest: an edit in the CRM that is younger than the cell wins while another field is sent', () => {
    const someone = person('a', {
      crm: { position: 'CEO' },
      sheet: { position: 'COO', company_name: 'Beta' },
      contact: { updatedAt: noon - 1000 },
      link: { isOpen: true, notes: { position: { edit: { value: 'COO', since: noon - 600_000 } } } },
    });
    const { sheet } = run(scene([someone], { mapping: withFields({ position: { conflict: 'newest' } }) }), stored);
    expect(sheet).toEqual(['set a: position COO -> CEO [M1]']);
  });

  test('M1 newest: our own write of one field does not make the CRM the newer side of another', () => {
    const since = noon - 600_000;
    const someone = person('a', {
      crm: { position: 'CEO' },
      sheet: { position: 'COO', company_name: 'Beta' },
      contact: { updatedAt: since },
      link: { isOpen: true, notes: { position: { edit: { value: 'COO', since } } } },
    });
    const { sheet, problems } = run(
      scene([someone], { mapping: withFields({ position: { conflict: 'newest' } }) }),
      stored,
    );
    expect(sheet).toEqual([]);
    expect(problems).toEqual(['conflict a/position [M1]']);
  });

  const onNewest = { mapping: withFields({ position: { conflict: 'newest' } }) } as const;
  /** The contact was read ten minutes ago. The answer shows a position that was not there then, and the row had moved. */
  const editedMeanwhile = () => {
    const old = { contact: { updatedAt: noon - 600_000 } };
    const first = person('a', { sheet: { company_name: 'Beta' }, ...old });
    const ran = run(scene([first], onNewest), stored, () => ({ kind: 'moved' }));
    return ran.link('a')!;
  };

  test('M1 newest, L1: an edit that only the answer to our own write showed has no known instant', () => {
    const next = person('a', {
      crm: { position: 'CEO', company_name: 'Beta' },
      sheet: { position: 'COO', company_name: 'Beta' },
      contact: { updatedAt: noon },
    });
    const { planned, problems } = run(scene([{ ...next, link: editedMeanwhile() }], onNewest), stored);
    expect([planned.changes, problems]).toEqual([[], ['conflict a/position [M1]']]);
  });

  test('M1 newest: a later edit in the CRM is the newer one', () => {
    const next = person('a', {
      crm: { position: 'CFO', company_name: 'Beta' },
      sheet: { position: 'COO', company_name: 'Beta' },
      contact: { updatedAt: noon + 600_000 },
    });
    const { sheet } = run(scene([{ ...next, link: editedMeanwhile() }], onNewest), stored);
    expect(sheet).toEqual(['set a: position COO -> CFO [M1]']);
  });
});

/** A to_crm column is not in the row of a contact that only the service had. */
const segmentless = { 'custom:segment': null };

describe('new people', () => {
  const someone = () => scene([newRow('a')], { asked: { 2: gone } });

  test('W2, I1: the uuid of a new contact goes into its row in the same run', () => {
    const { sheet, link, settled } = run(someone(), () => answer('a'));
    expect(sheet).toEqual(['set a id=a [I1]']);
    expect(agreed(link('a'), 'email')).toBe('a@acme.test');
    expect(link('a')).not.toHaveProperty('isOpen');
    expect(settled.strays.size).toBe(0);
  });

  test('M5: the stored form of a new contact goes into its row with the uuid', () => {
    const { sheet, link } = run(someone(), () => answer('a', { company_name: 'ACME' }));
    expect(sheet).toEqual(['set a id=a: company_name Acme -> ACME [M5]']);
    expect(agreed(link('a'), 'company_name')).toBe('ACME');
    expect(link('a')).not.toHaveProperty('isOpen');
  });

  test('I3: an answer with another identifier than was sent quarantines the row, which gets no ID', () => {
    const { sheet, problems, settled } = run(someone(), () => answer('b', { network_id: 'handle-b' }));
    expect(sheet).toEqual([]);
    expect(problems).toEqual(['quarantined row 2 [I3]']);
    expect([...settled.strays.values()]).toMatchObject([{ mistakenFor: uuidOf('b') }]);
    expect(settled.links.size).toBe(0);
  });

  test.each<{ what: string; others: readonly PersonParts[]; mistake?: string }>([
    { what: 'has a row already', others: [person('b')] },
    { what: 'has one that was recognised in this run', others: [person('b', { base: null, sheet: segmentless })] },
    { what: 'is about to get one', others: [newContact('b')] },
    {
      what: 'has a link, and a row that is missing while some ID is in doubt',
      others: [person('b', { sheet: null }), newRow('c', {}, { id: 'hello' })],
      mistake: 'its row is not found, and may be this one: write that ID into it',
    },
  ])('I3: an answer that $what quarantines the new one', ({ others, mistake = 'it has a row already' }) => {
    const own = newRow('a', { email: null, network_id: null });
    const input = scene([own, ...others], { asked: { 2: gone } });
    const { sheet, problems, settled } = run(input, () => answer('b', { email: null, network_id: null }));
    expect(sheet.filter((change) => change.startsWith('set'))).toEqual([]);
    expect(problems).toContain('quarantined row 2 [I3]');
    expect([...settled.strays.values()]).toContainEqual({
      since: noon,
      isCounted: true,
      mistakenFor: uuidOf('b'),
      mistake,
    });
  });

  test('I3: if two creates are answered with one contact, the first row is linked to it', () => {
    const nameless = { email: null, network_id: null };
    const input = scene([newRow('a', nameless), newRow('c', nameless)], { asked: { 2: gone, 3: gone } });
    const { sheet, problems } = run(input, () => answer('f', nameless));
    expect(sheet).toEqual(['set f id=f [I1]']);
    expect(problems).toEqual(['quarantined row 3 [I3]', 'conflict f/first_name [M1]']);
  });

  test('I3: a move that is answered with another contact quarantines the row', () => {
    const input = scene([newRow('a')], {
      asked: { 2: { kind: 'elsewhere', uuid: uuidOf('a'), where: 'in list Old' } },
      mapping: { ...mapping, moveToList: true },
    });
    expect(run(input, () => answer('f')).problems).toEqual(['quarantined row 2 [I3]']);
    expect(run(input, () => answer('a')).sheet).toEqual(['set a id=a [I1]']);
  });

  test('W5: a refused new row waits for growing pauses, then is quarantined', () => {
    const pauses: (number | null)[] = [];
    let [strays, now]: [PlanInput['base']['strays'], number] = [new Map(), noon];
    for (let time = 1; time <= 5; time += 1) {
      const input = scene([newRow('a')], { asked: { 2: gone }, strays, now });
      const { settled } = run(input, () => ({ kind: 'refused', message: 'bad' }));
      const [stray] = [...settled.strays.values()];
      const { retryAt } = stray!.refusal!;
      pauses.push(retryAt === null ? null : (retryAt - now) / 60_000);
      [strays, now] = [settled.strays, retryAt ?? now];
    }
    expect(pauses).toEqual([1, 5, 30, 120, null]);
  });

  test('W5: a refused record waits for growing pauses, then is quarantined', () => {
    const { link } = run(scene([edited]), () => ({ kind: 'refused', message: 'bad' }));
    expect(link('a')?.refusal).toMatchObject({ message: 'bad', times: 1, retryAt: noon + 60_000 });
    const later = run({ ...scene([{ ...edited, link: link('a')! }]), now: noon + 60_000 }, () =>
      answer('a', { position: 'CEO' }),
    );
    expect(later.link('a')).not.toHaveProperty('refusal');
  });

  test('W4, L8: a create of unknown outcome is stored, reported, and looked up before it is tried again', () => {
    const { settled, problems } = run(someone(), () => ({ kind: 'unknown', message: 'timeout' }));
    expect(problems).toEqual(['unknown row 2 [W4]']);
    expect([...settled.strays.values()]).toMatchObject([{ isUnknown: true }]);
    const next = plan(scene([newRow('a')], { strays: settled.strays }));
    expect([next.changes, next.questions.length]).toEqual([[], 1]);
  });

  test('E2: a contact whose create answered nothing is found by the next run', () => {
    const { settled, problems } = run(someone(), () => done);
    expect([settled.links.size, problems]).toEqual([0, []]);
  });

  test('I2, L3: an appended row makes the link', () => {
    const { link } = run(scene([newContact('b')]), () => undefined);
    expect(agreed(link('b'), 'email')).toBe('b@acme.test');
    const failed = run(
      scene([newContact('b')]),
      () => undefined,
      () => ({ kind: 'failed', message: 'quota' }),
    );
    expect([failed.link('b'), failed.problems]).toEqual([undefined, ['failed b [W4]']]);
  });
});

describe('W4, L3: a write of unknown outcome', () => {
  /** The link that a run with an unknown outcome left. */
  const { link } = run(scene([edited]), () => ({ kind: 'unknown', message: 'timeout' }));
  const changes: SceneMore = { crm: { coverage: 'changes' } };
  const drifted: SceneMore = { crm: { isDrifted: true } };
  const unread = person('a', { crm: null, sheet: { position: 'CEO' }, link: link('a')! });
  const sceneOf = (more: SceneMore, answered?: ContactAnswer) =>
    scene([unread, person('b')], { ...more, ...(answered && { asked: { a: answered } }) });
  const told = ({ questions, changes: planned, problems }: Plan) => [
    ...questions.map((question) => `ask ${question.kind === 'contact' ? question.rule : 'who'}`),
    ...planned.map(tellChange),
    ...problems.map(tellProblem),
  ];

  test.each([
    { what: 'an incremental scan', more: changes },
    { what: 'a scan that failed', more: { crm: { coverage: 'partial' as const } } },
    { what: 'a scan that drifted', more: drifted },
  ])('W4: a contact that $what does not show is asked for', ({ more }) => {
    expect(told(plan(sceneOf(more)))).toEqual(['ask W4']);
  });

  test.each<{ what: string; answered: ContactAnswer; expected: readonly string[] }>([
    {
      what: 'it was not made: it is made now',
      answered: here(person('a')),
      expected: ['update a: position CTO -> CEO [merge]'],
    },
    {
      what: 'it was made: nothing is left to do',
      answered: here(person('a', { crm: { position: 'CEO' } })),
      expected: [],
    },
    {
      what: 'somebody edited it since: that is a conflict like any other',
      answered: here(person('a', { crm: { position: 'CFO' } })),
      expected: ['conflict a/position [M1]'],
    },
    { what: 'no answer: what was sent is left alone', answered: unanswered, expected: ['unknown a [W4]'] },
    { what: 'it is gone: a full scan says so', answered: gone, expected: ['waiting a [W4]'] },
    { what: 'it is elsewhere: a full scan says so', answered: elsewhere('a'), expected: ['waiting a [W4]'] },
  ])('W4, L5: $what', ({ answered, expected }) => {
    expect(told(plan(sceneOf(changes, answered)))).toEqual(expected);
    expect(told(plan(sceneOf(drifted, answered)))).toEqual(expected);
  });

  test('W4, W9: the contact is asked for until it is read', () => {
    const made = plan(sceneOf(changes, here(person('a', { crm: { position: 'CEO' } })))).links.get(uuidOf('a'))!;
    expect([agreed(made, 'position'), made.isUnsure, made.isOpen]).toEqual(['CEO', undefined, undefined]);
    expect(plan(sceneOf(changes, unanswered)).links.size).toBe(0);
    expect(plan(sceneOf(drifted, unanswered)).links.get(uuidOf('a'))).toMatchObject({ isUnsure: true, missedScans: 1 });
  });

  test('W4: an answer older than our own last write does not count', () => {
    const late = { ...unread, link: { ...link('a')!, writtenAt: noon } };
    const asked = { a: here(person('a', { contact: { updatedAt: noon - 60_000 } })) };
    expect(told(plan(scene([late, person('b')], { ...changes, asked })))).toEqual(['unknown a [W4]']);
  });

  test('W4, L4: the other fields are written, and the field of unknown outcome stays unknown', () => {
    const both = {
      ...unread,
      ...person('a', { crm: null, sheet: { position: 'CEO', company_name: 'Apex' } }),
      link: link('a')!,
    };
    const input = scene([both, person('b')], { ...changes, asked: { a: unanswered } });
    const ran = run(input, () => ({ kind: 'failed', message: 'no answer' }));
    expect(ran.planned.changes.map(tellChange)).toEqual(['update a: company_name Acme -> Apex [merge]']);
    expect(ran.link('a')).toMatchObject({ isUnsure: true, isOpen: true });
    expect(valueIn(ran.link('a')!.crm!, 'position')).toBe(undefined);
  });

  test('W4: the answer to a later write counts as a reading', () => {
    const both = {
      ...unread,
      ...person('a', { crm: null, sheet: { position: 'CEO', company_name: 'Apex' } }),
      link: link('a')!,
    };
    const input = scene([both, person('b')], { ...changes, asked: { a: unanswered } });
    const ran = run(input, () => answer('a', { position: 'CEO', company_name: 'Apex' }));
    expect([agreed(ran.link('a'), 'position'), ran.link('a')?.isUnsure, ran.link('a')?.isOpen]).toEqual([
      'CEO',
      undefined,
      undefined,
    ]);
  });

  describe.each(['crm', 'sheet'] as const)(
    'L1: a conflict that the %s loses, and a write to it without an answer',
    (loser) => {
      const winner = loser === 'crm' ? 'sheet' : 'crm';
      const policy = { mapping: withFields({ position: { conflict: winner } }) };
      const unknown: Outcome = { kind: 'unknown', message: 'timeout' };
      const both = person('a', { [loser]: { position: 'CFO' }, [winner]: { position: 'CEO' } });
      const left = run(
        scene([both], policy),
        () => (loser === 'crm' ? unknown : undefined),
        () => unknown,
      ).link('a')!;
      const next = (held: Partial<Record<Side, Values>>) => {
        const { changes: planned } = plan(scene([{ ...person('a', held), link: left }], policy));
        return planned.flatMap(({ side, fields }) => fields.map(({ after }) => `${side} := ${String(after)}`));
      };

      test.each([
        ['nothing changed: it is sent again', 'CFO', 'CEO', [`${loser} := CEO`]],
        ['the winning value was put back: the other edit stands', 'CFO', 'CTO', [`${winner} := CFO`]],
        ['it was carried out, and then put back: that is an edit', 'CEO', 'CTO', [`${loser} := CTO`]],
        ['both were put back', 'CTO', 'CTO', []],
        ['the losing value was put back', 'CTO', 'CEO', [`${loser} := CEO`]],
        ['both were edited again: the policy decides', 'CIO', 'COO', [`${loser} := COO`]],
      ])('W4: %s', (_what, ofLoser, ofWinner, expected) => {
        expect(next({ [loser]: { position: ofLoser }, [winner]: { position: ofWinner } })).toEqual(expected);
      });
    },
  );

  test('W4, D1, L1: a row that was deleted meanwhile comes back complete, and none of its blanks counts as an edit', () => {
    const more: SceneMore = { ...changes, mapping: { ...mapping, onRowDeleted: 'restore' } };
    const rowless = { ...unread, row: undefined };
    expect(told(plan(scene([rowless, person('b')], more)))).toEqual(['ask W4']);
    expect(told(plan(scene([rowless, person('b')], { ...more, asked: { a: unanswered } })))).toEqual([
      'unknown a [W4]',
    ]);
    const back = run(scene([rowless, person('b')], { ...more, asked: { a: here(person('a')) } }), () => undefined);
    expect(back.sheet).toEqual(['append a [D1]']);
    const sheet = { 'custom:segment': null };
    expect(plan(scene([{ ...person('a', { sheet }), link: back.link('a')! }, person('b')])).changes).toEqual([]);
  });

  test('I7, W4: a key is not given to another contact while its holder may still have it', () => {
    const taker = person('b', { crm: null, sheet: { email: 'a@acme.test' } });
    const { link: ofKey } = run(scene([person('a', { sheet: { email: 'new@acme.test' } })]), () => ({
      kind: 'unknown',
      message: 'timeout',
    }));
    const holder = { ...person('a', { crm: null, sheet: { email: 'new@acme.test' } }), link: ofKey('a')! };
    const asked = { a: here(person('a')) };
    expect(told(plan(scene([holder, taker], { ...changes, asked })))).toEqual([
      'update a: email a@acme.test -> new@acme.test [merge]',
      'update b: email b@acme.test -> a@acme.test [merge]',
    ]);
  });
});

describe('deleted people', () => {
  const rowGone = (onRowDeleted: typeof mapping.onRowDeleted) =>
    scene([person('a', { sheet: null }), person('b')], { mapping: { ...mapping, onRowDeleted } });

  test('D1: a contact is forgotten only once its deletion is done', () => {
    expect(run(rowGone('delete_contact'), () => done).link('a')).toBe(null);
    const failed = run(rowGone('delete_contact'), () => ({ kind: 'failed', message: 'x' }));
    expect([failed.link('a')?.isOpen, failed.problems]).toEqual([true, ['failed a [W4]']]);
  });

  test.each([
    { what: '', link: {} },
    { what: ', also one about which something was open', link: { isOpen: true as const } },
    { what: ', also one that a scan had missed', link: { missedScans: 1 } },
  ])(
    'D1 cancel_automations, W9: a contact is cancelled once, then left alone, and nothing new is stored$what',
    ({ link }) => {
      const more: SceneMore = { mapping: { ...mapping, onRowDeleted: 'cancel_automations' } };
      const ran = run(scene([person('a', { sheet: null, link }), person('b')], more), () => done);
      expect(ran.link('a')).toMatchObject({ standing: 'row-gone' });
      const next = plan(scene([person('a', { sheet: null, link: ran.link('a')! }), person('b')], more));
      expect([next.changes, next.links.size]).toEqual([[], 0]);
    },
  );

  test('D1 restore, M4: the row comes back; its to_crm cell comes back blank, and empties nothing', () => {
    const { link, sheet } = run(rowGone('restore'), () => undefined);
    expect(sheet).toEqual(['append a [D1]']);
    expect(agreed(link('a'), 'email')).toBe('a@acme.test');
    const back = person('a', { sheet: { 'custom:segment': null }, link: link('a')! });
    expect(plan(scene([back, person('b')])).changes).toEqual([]);
  });

  test('D1 restore, V6, L7: a text that no cell takes is not in the row that comes back, and is emptied nowhere', () => {
    const more = { mapping: withFields({ position: { conflict: 'sheet' } }, { onRowDeleted: 'restore' }) };
    const crm = { position: 'x'.repeat(50_001) };
    const { link, sheet } = run(scene([person('a', { crm, sheet: null }), person('b')], more), () => undefined);
    expect(sheet).toEqual(['append a [D1]']);
    const back = person('a', { crm, sheet: { position: null, 'custom:segment': null }, link: link('a')! });
    const next = plan(scene([back, person('b')], more));
    expect([next.changes, next.problems.map(tellProblem)]).toEqual([[], ['refused a/position [V6]']]);
  });
});

describe('I7: keys that change hands', () => {
  const swap = () =>
    scene([person('a', { sheet: { email: 'b@acme.test' } }), person('b', { sheet: { email: 'a@acme.test' } })]);

  test('I7: both keys are swapped, and nothing stays open', () => {
    const { link, sheet, problems } = run(swap(), (change) =>
      change.uuid === uuidOf('a')
        ? answer('a', { email: change.op === 'update' && change.releases ? null : 'b@acme.test' })
        : answer('b', { email: 'a@acme.test' }),
    );
    expect([sheet, problems]).toEqual([[], []]);
    expect([agreed(link('a'), 'email'), agreed(link('b'), 'email')]).toEqual(['b@acme.test', 'a@acme.test']);
  });

  test('I7, M1 newest: emptying a key is our own write: when the contact was edited is still known', () => {
    const fields = withFields({ position: { conflict: 'newest' } });
    const [holder, taker] = [
      person('a', { sheet: { email: 'b@acme.test' }, contact: { updatedAt: noon - 600_000 } }),
      person('b', { sheet: { email: 'a@acme.test' } }),
    ];
    const { link } = run(scene([holder, taker], { mapping: fields }), (change) =>
      change.op === 'update' && change.releases ? answer('a', { email: null }) : { kind: 'failed', message: 'x' },
    );
    expect(link('a')).toMatchObject({ isOpen: true, updatedAt: noon - 600_000, writtenAt: noon });
  });

  test('I7, L1: if the last step fails, the emptied key does not count as an edit of the CRM', () => {
    const fields = withFields({ email: { conflict: 'crm' } });
    const { link, sheet } = run({ ...swap(), mapping: fields }, (change) => {
      if (change.uuid === uuidOf('b')) return { kind: 'failed', message: 'no answer' };
      return change.op === 'update' && change.releases
        ? answer('a', { email: null })
        : { kind: 'failed', message: 'x' };
    });
    expect(sheet).toEqual([]);
    const next = scene(
      [
        person('a', { crm: { email: null }, sheet: { email: 'b@acme.test' }, link: link('a')! }),
        person('b', { sheet: { email: 'a@acme.test' }, link: link('b')! }),
      ],
      { mapping: fields },
    );
    expect(plan(next).changes.map(tellChange)).toEqual([
      'update b: email b@acme.test -> a@acme.test [merge]',
      'update a: email blank -> b@acme.test [merge]',
    ]);
  });
});
