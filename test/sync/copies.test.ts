// Which of the rows with one ID is the contact's row (I4), from run to run. Plans over plain data;
// `test/engine/copies.test.ts` plays the same with a whole sync.
import { expect, test } from 'vitest';
import { adaptBase, type Link } from '../../src/sync/record/base.ts';
import type { PlanInput } from '../../src/sync/input.ts';
import { plan } from '../../src/sync/plan.ts';
import {
  type Case,
  elsewhere,
  fields,
  gone,
  here,
  mapping,
  newContact,
  newRow,
  only,
  packedOf,
  person,
  type PersonParts,
  type PersonSpec,
  scene,
  type SceneMore,
  seen,
  tell,
  unanswered,
  uuidOf,
  type Values,
  valuesOf,
  wanted,
  withFields,
} from './support.ts';

/** Another row with the ID of `a`. */
const copy = (sheet: Values = {}): PersonParts =>
  person('a', { base: null, crm: null, sheet, row: { id: uuidOf('a') } });
const contents = (sheet: Values = {}) => packedOf({ ...valuesOf('a'), ...sheet });
const ofA = (spec: PersonSpec = {}, ...copies: readonly Values[]) =>
  person('a', { ...spec, link: { ...spec.link, ...(copies.length > 0 && { copies: copies.map(contents) }) } });
/** A new person is typed over a copy. */
const typedOver: Values = { first_name: 'Bob', email: 'bob@acme.test', network_id: 'bob', position: 'CFO' };
const doubted = ['quarantined row 2 [I4]', 'quarantined row 3 [I4]', 'held a [I4]'];
const sent = (...changed: readonly string[]) => [`update a: ${changed.join(', ')}`];
const ceo = 'position CTO -> CEO [merge]';

const cases: readonly Case[] = [
  {
    name: 'I4: the row that holds what was last seen keeps the link, wherever it stands',
    input: scene([copy(typedOver), ofA()]),
    problems: ['quarantined row 2 [I4]'],
    says: 'copy of row 3: clear its ID to make it a new contact',
  },
  {
    name: 'I4: a row edited together with a copy that names another person keeps the link, and its edit is sent',
    input: scene([copy(typedOver), ofA({ sheet: { position: 'CEO' } })]),
    changes: sent(ceo),
    problems: ['quarantined row 2 [I4]'],
  },
  {
    name: 'I4: where a copy held the same, the row that is as the contact keeps the link: nothing is written',
    input: scene([
      ofA({ sheet: { position: 'CTO' }, link: { sheet: contents({ position: 'CEO' }) } }, { position: 'CEO' }),
      copy({ position: 'CEO' }),
    ]),
    problems: ['quarantined row 3 [I4]'],
    says: 'copy of row 2: clear its ID to make it a new contact',
  },
  {
    name: 'I4: after an incremental pull, that is the contact as it was last seen',
    input: scene(
      [
        ofA({ crm: null, link: { sheet: contents({ position: 'CEO' }) } }, { position: 'CEO' }),
        copy({ position: 'CEO' }),
      ],
      { crm: { coverage: 'changes' } },
    ),
    problems: ['quarantined row 3 [I4]'],
    says: 'copy of row 2: clear its ID to make it a new contact',
  },
  {
    name: 'I4: or the row that is as both sides agreed last, if the contact was edited too: its edit reaches the row',
    input: scene([
      ofA({ crm: { position: 'COO' }, link: { sheet: contents({ position: 'CEO' }) } }, { position: 'CEO' }),
      copy({ position: 'CEO' }),
    ]),
    problems: ['held a [I4]', 'quarantined row 3 [I4]'],
  },
  {
    name: 'I4: where no copy held the same, the row that holds what was last seen keeps the link, and its edit is sent',
    input: scene([copy(), ofA({ sheet: { position: 'CEO' }, link: { sheet: contents({ position: 'CEO' }) } })]),
    changes: sent(ceo),
    problems: ['quarantined row 2 [I4]'],
  },
  {
    name: 'I4: a row with another key never gets the link, however few fields differ',
    input: scene([copy({ email: 'bob@acme.test' }), ofA({ sheet: { position: 'CEO', company_name: 'Initech' } })]),
    changes: sent('company_name Acme -> Initech [merge]', ceo),
    problems: ['quarantined row 2 [I4]'],
  },
  {
    name: 'I4: of rows with the contact’s keys the one that differs in the fewest fields gets the link',
    input: scene([copy({ position: 'COO', first_name: 'X' }), ofA({ sheet: { position: 'CEO' } })]),
    changes: sent(ceo),
    problems: ['quarantined row 2 [I4]'],
  },
  {
    name: 'I4: two different rows that differ in equally many fields are both quarantined, and nothing is written on either side',
    input: scene([ofA({ crm: { last_name: 'Li' }, sheet: { position: 'CEO' } }), copy({ position: 'COO' })]),
    problems: doubted,
    says: 'has the same ID as row 3, and cannot be told from a copy: clear the ID in the rows that are copies',
  },
  {
    name: 'I4: of rows with the same contents the upper one gets the link',
    input: scene([ofA({ sheet: { position: 'CEO' } }), copy({ position: 'CEO' })]),
    changes: sent(ceo),
    problems: ['quarantined row 3 [I4]'],
  },
  {
    name: 'I4: rows that all have other keys are all quarantined',
    input: scene([copy(typedOver), ofA({ sheet: { email: 'new@acme.test' } })]),
    problems: doubted,
  },
  {
    name: 'I4: a row whose keys were emptied does not get the link of a contact with a key',
    input: scene([
      copy({ email: null, network_id: null, first_name: null }),
      ofA({ sheet: { position: 'CEO', company_name: 'Initech', status: 'new' } }),
    ]),
    changes: ['update a: company_name Acme -> Initech [merge], position CTO -> CEO [merge]'],
    problems: ['quarantined row 2 [I4]', 'held a [I4]'],
  },
  {
    name: 'I4: a key that the contact got in the CRM meanwhile counts as the contact’s key, and so does the one before',
    input: scene([
      copy(typedOver),
      ofA({ crm: { email: 'new@acme.test', network_id: 'handle-a' }, sheet: { position: 'CEO' } }),
    ]),
    changes: sent(ceo),
    problems: ['quarantined row 2 [I4]', 'held a [I4]'],
  },
  {
    name: 'I4: a known copy does not get the link while the row is there, however much of the row is edited',
    input: scene([
      copy({ position: 'COO' }),
      ofA({ sheet: { position: 'CEO', first_name: 'Anna', company_name: 'Initech' } }, { position: 'COO' }),
    ]),
    changes: sent('first_name First a -> Anna [merge]', 'company_name Acme -> Initech [merge]', ceo),
    problems: ['quarantined row 2 [I4]'],
  },
  {
    name: 'I4: a known copy that is edited does not get the link either',
    input: scene([
      copy({ position: 'COO', company_name: 'Initech', last_name: 'Li' }),
      ofA({ sheet: { first_name: 'Anna', position: 'CEO' } }, { position: 'COO', company_name: 'Initech' }),
    ]),
    changes: sent('first_name First a -> Anna [merge]', ceo),
    problems: ['quarantined row 2 [I4]'],
  },
  {
    name: 'I4: a copy with the contact’s keys gets the link once the row is deleted',
    input: scene([ofA({ sheet: { position: 'COO' } }, { position: 'COO' })]),
    changes: sent('position CTO -> COO [merge]'),
  },
  {
    name: 'I4: after the row is deleted, a copy that names another person changes nothing of the contact',
    input: scene([ofA({ sheet: typedOver }, typedOver)]),
    problems: ['quarantined row 2 [I4]', 'held a [I4]'],
    says: 'does not show the person whose ID it has: put its cells back, or clear the ID, and it is the row of whoever it shows\nits row 2 shows somebody else: nothing is written for it until its cells are back, or the ID of that row is cleared',
  },
  {
    name: 'I4: a copy that was edited between two runs changes nothing of the contact either',
    input: scene([ofA({ sheet: { ...typedOver, position: 'Chair' } }, typedOver)]),
    problems: ['quarantined row 2 [I4]', 'held a [I4]'],
  },
  {
    name: 'I4: a copy that equalled the row when last seen changes nothing of the contact either',
    input: scene([ofA({ sheet: typedOver }, {})]),
    problems: ['quarantined row 2 [I4]', 'held a [I4]'],
  },
  {
    name: 'I2: a copy that was emptied since, except for its ID, changes nothing of the contact either',
    input: scene([ofA({ sheet: only({}) }, typedOver)]),
    problems: ['quarantined row 2 [I2]', 'held a [I2]'],
    says: 'delete the whole row, or put its cells back',
  },
  {
    name: 'I4, L2: nor one of which half of what people fill in was typed over; what leadsheet alone writes does not count',
    input: scene([ofA({ sheet: { first_name: 'Bob', email: 'new@acme.test', position: 'CEO' } }, only({}))], {
      mapping: withFields({ last_name: { direction: 'to_sheet' } }),
    }),
    problems: ['quarantined row 2 [I4]', 'held a [I4]'],
  },
  {
    name: 'I4, I7: one of which less was changed is the contact’s row with an edited key',
    input: scene([ofA({ sheet: { email: 'new@acme.test', position: 'CEO' } }, only({}))], {
      mapping: withFields({ last_name: { direction: 'to_sheet' } }),
    }),
    changes: sent('email a@acme.test -> new@acme.test [merge]', ceo),
  },
  {
    name: 'I4, I7: a key edited in the row is sent once the copy is gone',
    input: scene([ofA({ sheet: { email: 'new@acme.test' } }, typedOver)]),
    changes: sent('email a@acme.test -> new@acme.test [merge]'),
  },
  {
    name: 'I4: without a known copy, a row in which another person was typed stays the contact’s row (I1)',
    input: scene([ofA({ sheet: { email: 'new@acme.test', network_id: 'new' } })]),
    changes: sent('email a@acme.test -> new@acme.test [merge], network_id handle-a -> new [merge]'),
  },
  {
    name: 'I4, I9: without a link the row that equals the contact is linked',
    input: scene([copy(typedOver), person('a', { base: null, crm: { 'custom:segment': undefined } })]),
    changes: ['update a: custom:segment unknown -> gold [M4]'],
    problems: ['quarantined row 2 [I4]'],
  },
  {
    name: 'I4, I9: without a link, rows in doubt are not written, and no third row is appended',
    input: scene([copy({ position: 'COO' }), person('a', { base: null, sheet: { position: 'CEO' } })]),
    problems: doubted,
  },
  {
    name: 'I4, I2: while its rows are in doubt, the contact is not linked to a row without an ID either',
    input: scene([ofA({ sheet: { position: 'CEO' } }), copy({ position: 'COO' }), newRow('a')]),
    problems: ['quarantined row 2 [I4]', 'quarantined row 3 [I4]', 'quarantined row 4 [I2]', 'held a [I4]'],
    says: 'already in row 2, 3',
  },
  ...[true, false].map((moveToList) => ({
    name: `I4, I2: nor is it, while it is in another list, moved to a row without an ID (move_to_list: ${String(moveToList)})`,
    input: scene([ofA({ crm: null, sheet: { position: 'CEO' } }), copy({ position: 'COO' }), newRow('b')], {
      mapping: { ...mapping, moveToList },
      asked: { a: elsewhere('a'), 4: elsewhere('a') },
    }),
    problems: ['quarantined row 2 [I4]', 'quarantined row 3 [I4]', 'quarantined row 4 [I2]', 'held a [I4]'],
    links: ['a left'],
    says: 'already in row 2, 3',
  })),
  {
    name: 'I4, D1: while its rows are in doubt, the contact’s row does not count as deleted',
    input: scene([ofA({ sheet: { position: 'CEO' } }), copy({ position: 'COO' }), person('b', { sheet: null })], {
      mapping: { ...mapping, onRowDeleted: 'delete_contact' },
    }),
    problems: [...doubted.slice(0, 2), 'held a [I4]', 'held b [I5]'],
    says: 'its row is not found, and may be row 2, 3',
  },
  {
    name: 'I4, D3: while its rows are in doubt, a contact that is gone removes no row',
    input: scene([ofA({ crm: null, sheet: { position: 'CEO' } }), copy({ position: 'COO' })], {
      mapping: { ...mapping, onContactDeleted: 'delete_row' },
      asked: { a: gone },
    }),
    problems: doubted,
    links: ['a contact-gone'],
  },
  {
    name: 'I4, D3: while its rows are in doubt, a contact that no page showed is asked for',
    input: scene([ofA({ crm: null, sheet: { position: 'CEO' } }), copy({ position: 'COO' })]),
    problems: doubted,
    questions: ['a [D3]'],
  },
  ...[{ asked: { a: unanswered } }, { crm: { isDrifted: true } }].map((more) => ({
    name: `I4, D3: nor does it count as gone as long as that is not proven (${Object.keys(more).join()})`,
    input: scene([ofA({ crm: null, sheet: { position: 'CEO' } }), copy({ position: 'COO' })], more),
    problems: doubted,
  })),
  {
    name: 'I4, I10: the row of a contact that was created again continues with it, and is not written while there is a copy',
    input: scene(
      [ofA({ crm: null }), copy(typedOver), newContact('b', { ...valuesOf('a'), 'custom:segment': undefined })],
      {
        asked: { a: gone },
      },
    ),
    changes: ['update b: custom:segment unknown -> gold [M4]'],
    problems: ['held b [I4]', 'quarantined row 3 [I4]'],
    links: ['a forgotten'],
  },
  {
    name: 'I4, I10: while the rows are in doubt, a contact that was created again gets no third row',
    input: scene(
      [ofA({ crm: null, sheet: { position: 'CEO' } }), copy({ position: 'COO' }), newContact('b', valuesOf('a'))],
      { asked: { a: gone } },
    ),
    problems: [...doubted.slice(0, 2), 'held a [I4]', 'held b [I4]'],
    links: ['a contact-gone'],
  },
  {
    name: 'I5: a contact whose row is missing is reported while another ID is in doubt',
    input: scene([person('a', { row: { id: 'mine' }, sheet: { email: null, first_name: null } })]),
    problems: ['quarantined row 2 [I5]', 'held a [I5]'],
    says: 'its row is not found, and may be row 2: write its ID into the right one',
  },
];

test.each(cases)('$name', (each) => {
  expect(seen(each)).toEqual(wanted(each));
});

/** A contact that no key names, such as one whose only address is a placeholder. */
const keyless: Values = { email: null, network_id: null, company_name: null };
const ofKeyless = (sheet: Values, ...copies: readonly Values[]) =>
  ofA({ base: keyless, sheet }, ...copies.map((each) => ({ ...keyless, ...each })));
const copyOfKeyless = (sheet: Values) => copy({ ...keyless, ...sheet });
const filledAnew: Values = { ...only({}), email: 'new@acme.test', first_name: 'First a', last_name: 'Lee' };

const casesOfKeyless: readonly Case[] = [
  {
    name: 'I4, L2: a copy that was emptied but for its ID does not get the link of a contact without a key, while the row may be the one that got a key',
    input: scene([ofKeyless({ email: 'new@acme.test', position: 'CEO' }, typedOver), copyOfKeyless(only({}))]),
    problems: doubted,
  },
  {
    name: 'I4, L2: nor if more of the row was edited than of the copy',
    input: scene([ofKeyless(filledAnew), copyOfKeyless({ first_name: null, last_name: null, position: null })]),
    problems: doubted,
  },
  {
    name: 'I4: an emptied copy does not get it either once it is the only one with the ID',
    input: scene([ofKeyless(only({}), typedOver)]),
    problems: ['quarantined row 2 [I4]', 'held a [I4]'],
    says: 'does not show the person whose ID it has: put its cells back, or clear the ID, and it is the row of whoever it shows\nits row 2 shows somebody else: nothing is written for it until its cells are back, or the ID of that row is cleared',
  },
  {
    name: 'I4: the row of a contact without a key keeps the link while little of it is edited',
    input: scene([copyOfKeyless(typedOver), ofKeyless({ position: 'CEO' })]),
    changes: sent(ceo),
    problems: ['quarantined row 2 [I4]'],
  },
  {
    name: 'I4: nor does it lose it to a row with a key that differs in more fields',
    input: scene([copyOfKeyless({ email: 'new@acme.test', last_name: 'Li' }), ofKeyless({ position: 'CEO' })]),
    changes: sent(ceo),
    problems: ['quarantined row 2 [I4]'],
  },
  {
    name: 'I4: where a row with a key differs in as few fields, which of them is the contact’s is in doubt',
    input: scene([copyOfKeyless({ email: 'new@acme.test' }), ofKeyless({ position: 'CEO' })]),
    problems: doubted,
  },
  {
    name: 'I4, I7: once that row is left alone, the new key is sent',
    input: scene([ofKeyless({ email: 'new@acme.test' }, { position: 'CEO' })]),
    changes: sent('email blank -> new@acme.test [merge]'),
  },
];

test.each(casesOfKeyless)('$name', (each) => {
  expect(seen(each)).toEqual(wanted(each));
});

/**
 * Plays runs one after the other, as far as links matter: the changes and problems of each, and the stored link of `a`.
 */
function runs(...sheets: readonly (readonly Values[])[]) {
  let link: Link | undefined = ofA().link;
  return sheets.map((rows) => {
    const [first, ...more] = rows.map((values) => copy(values));
    const input: PlanInput = scene([{ ...ofA(), link, row: first!.row }, ...more]);
    const { changes, problems } = tell(input);
    const { links } = plan(input);
    if (links.has(uuidOf('a'))) link = links.get(uuidOf('a'))!;
    return { changes, problems, isRemembered: links.has(uuidOf('a')), copies: link?.copies };
  });
}

test('I4: a row whose copy was overwritten keeps the link, in whichever order the two are edited', () => {
  const [pasted, later, both, idle] = runs(
    [typedOver, {}],
    [typedOver, { position: 'CEO' }],
    [{ ...typedOver, last_name: 'Li' }, { position: 'Chair' }],
    [{ position: 'Chair' }, { ...typedOver, last_name: 'Li' }],
  );
  expect(pasted).toMatchObject({ changes: [], copies: [contents(typedOver)] });
  expect(later!.changes).toEqual(sent(ceo));
  expect(both!.changes).toEqual(sent('position CTO -> Chair [merge]'));
  expect(both!.copies).toEqual([contents({ ...typedOver, last_name: 'Li' })]);
  // Sorted.
  expect(idle).toMatchObject({ problems: ['quarantined row 3 [I4]'], copies: both!.copies });
});

test('I4: of two rows that held the same, the unedited one gets the link, and nothing of the other is sent', () => {
  const [copied, edited, left] = runs([{}, {}], [{ position: 'CEO' }, {}], [{ position: 'CEO' }]);
  expect(copied!.copies).toEqual([contents()]);
  expect(edited).toMatchObject({ changes: [], problems: ['quarantined row 2 [I4]'] });
  // The other row was deleted: the row that is left has the contact's keys.
  expect(left).toMatchObject({ changes: sent(ceo), problems: [], copies: undefined });
});

test('I4, W9: rows in doubt are stored once, and decided when one row is left', () => {
  const doubt = [{ position: 'CEO' }, { position: 'COO' }];
  const [first, again, left, typed] = runs(doubt, doubt, [{ position: 'CEO' }], [{ ...typedOver }]);
  expect(first).toMatchObject({ changes: [], problems: doubted, isRemembered: true });
  expect(again).toMatchObject({ changes: [], problems: doubted, isRemembered: false });
  expect(left).toMatchObject({ changes: sent(ceo), problems: [] });
  expect(typed!.copies).toBeUndefined();
});

test('I4, I7: a key edited in the row waits while there is a copy, and is sent once the copy is gone', () => {
  const [doubt, again, left] = runs(
    [typedOver, { email: 'new@acme.test' }],
    [{ ...typedOver, last_name: 'Li' }, { email: 'new@acme.test' }],
    [{ email: 'new@acme.test' }],
  );
  expect([doubt!.problems, again!.problems]).toEqual([doubted, doubted]);
  expect(left).toMatchObject({ changes: sent('email a@acme.test -> new@acme.test [merge]'), problems: [] });
});

test('I4: nothing of a copy with another person is sent after the row beside it was emptied and deleted', () => {
  const emptied = only({});
  const [, again, left] = runs([typedOver, emptied], [typedOver, emptied], [typedOver]);
  expect(again).toMatchObject({ problems: doubted, isRemembered: false });
  expect(left).toMatchObject({ changes: [], problems: ['quarantined row 2 [I4]', 'held a [I4]'] });
});

test('I4: nothing of a copy is sent after the row itself was deleted while both were in doubt', () => {
  const [, left] = runs([typedOver, { email: 'new@acme.test' }], [typedOver]);
  expect(left).toMatchObject({ changes: [], problems: ['quarantined row 2 [I4]', 'held a [I4]'] });
});

test('I4, L5: a change in the CRM while the row is in doubt is merged later', () => {
  const inDoubt = [ofA({ crm: { last_name: 'Li' }, sheet: { position: 'CEO' } }), copy({ position: 'COO' })];
  const { links } = plan(scene(inDoubt));
  const link = links.get(uuidOf('a'))!;
  // The next run does not read the contact again.
  const later = scene([{ ...ofA(), link, contact: undefined }], { crm: { coverage: 'changes' } });
  expect(tell(later).changes).toEqual(['set a: last_name Lee -> Li [merge]']);
});

/** While the rows of `a` are in doubt, a full scan finds it gone, or in another list. Returns the link of it. */
function lostInDoubt(asked: SceneMore['asked']): Link {
  const input = scene([ofA({ crm: null, sheet: { position: 'CEO' } }), copy({ position: 'COO' })], { asked: asked! });
  return plan(input).links.get(uuidOf('a'))!;
}

test('I4, I2, L6: a row with the key of a contact that is gone, and whose rows are in doubt, is told the same without a full scan', () => {
  const link = lostInDoubt({ a: gone });
  const rows = [
    { ...ofA({ sheet: { position: 'CEO' } }), link, contact: undefined },
    copy({ position: 'COO' }),
    person('b'),
    newRow('a', { network_id: null }),
    newContact('c', { ...valuesOf('a'), network_id: 'other' }),
  ];
  const whole = tell(scene(rows, { asked: { a: gone, 5: here(newContact('c', valuesOf('a'))) } }));
  const changes = tell(
    scene(rows, { crm: { coverage: 'changes' }, asked: { a: gone, 5: here(newContact('c', valuesOf('a'))) } }),
  );
  expect(changes).toEqual(whole);
  expect(whole.says).not.toContain('already in row');
});

test('I4, I2, L6: nor is the service asked for another contact of such a row, which no full scan does', () => {
  const rows = [
    { ...ofA({ sheet: { position: 'CEO' } }), contact: undefined },
    copy({ position: 'COO' }),
    newRow('a', { network_id: null }),
  ];
  const changes = scene(rows, { crm: { coverage: 'changes' } });
  expect(tell(changes)).toMatchObject({ questions: [], says: expect.stringContaining('already in row 2, 3') });
});

test.each(['mark', 'delete_row', 'ignore'] as const)(
  'I4, D3: once one row is left, a contact that was found gone is treated as on_contact_deleted says (%s)',
  (onContactDeleted) => {
    const link = lostInDoubt({ a: gone });
    const left = scene([{ ...ofA(), link, contact: undefined }], {
      crm: { coverage: 'changes' },
      mapping: { ...mapping, onContactDeleted },
    });
    expect(tell(left)).toMatchObject({
      changes: onContactDeleted === 'delete_row' ? ['remove a [D3]'] : [],
      problems: onContactDeleted === 'mark' ? ['ignored a [D3]'] : [],
    });
  },
);

test('I4, D4: one that is in another list by then, or back again, is what it is once one row is left', () => {
  const link = lostInDoubt({ a: elsewhere('a') });
  expect(link.standing).toBe('left');
  const changes = { crm: { coverage: 'changes' } } as const;
  const left = tell(scene([{ ...ofA(), link, contact: undefined }], changes));
  expect(left).toMatchObject({ changes: [], problems: ['ignored a [D4]'] });
  const doubt = [{ ...ofA({ sheet: { position: 'CEO' } }), link }, copy({ position: 'COO' })];
  const back = plan(scene(doubt, changes)).links.get(uuidOf('a'))!;
  expect(back.standing).toBeUndefined();
  const later = tell(scene([{ ...ofA({ sheet: { position: 'CEO' } }), link: back, contact: undefined }], changes));
  expect(later).toMatchObject({ changes: sent(ceo), problems: [] });
});

test('I4, M9: copies are stored in the present order of the columns', () => {
  const { link } = ofA({}, typedOver);
  const names = fields.map(({ name }) => name);
  const base = { fields: names, links: new Map([[uuidOf('a'), link!]]), strays: new Map() };
  const turned = adaptBase(base, names.toReversed());
  expect(adaptBase(turned, names).links.get(uuidOf('a'))).toEqual(link);
});

test('I4, L11: which row gets the link does not depend on the order in which rows and copies are read', () => {
  const people = [
    ofA({ sheet: { position: 'CEO' } }, { position: 'COO' }),
    copy({ position: 'COO' }),
    copy(typedOver),
    person('b', { sheet: null }),
  ];
  const input = scene(people);
  const turned: PlanInput = { ...input, sheet: { ...input.sheet, rows: input.sheet.rows.toReversed() } };
  expect(tell(turned)).toEqual(tell(input));
  expect(plan(turned).links).toEqual(plan(input).links);
});

test('I4, I5: an ID that no contact has names none in two rows either', () => {
  const unknown = (sheet: Values) => person('f', { base: null, crm: null, sheet, row: { id: uuidOf('f') } });
  const more: SceneMore = { asked: { f: gone } };
  expect(tell(scene([unknown({}), unknown({ position: 'CEO' })], more)).problems).toEqual([
    'quarantined row 2 [I5]',
    'quarantined row 3 [I4]',
  ]);
  const found = { asked: { f: here(person('f', { base: null })) } };
  const adopted = tell(scene([unknown({ ...typedOver }), unknown({})], found));
  expect(adopted.problems).toEqual(['quarantined row 2 [I4]']);
});
