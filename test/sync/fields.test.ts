import { describe, expect, test } from 'vitest';
import { adaptBase } from '../../src/sync/record/base.ts';
import type { Field } from '../../src/sync/record/mapping.ts';
import { plan } from '../../src/sync/plan.ts';
import { pack } from '../../src/sync/record/record.ts';
import {
  type Case,
  seen,
  fields,
  mapping,
  newContact,
  noon,
  packedOf,
  person,
  scene,
  tell,
  uuidOf,
  valuesOf,
  withFields,
  wanted,
} from './support.ts';

const edited = person('a', { sheet: { position: 'CEO' } });
const changed = person('a', { crm: { position: 'CEO' } });
const both = person('a', { crm: { position: 'CEO' }, sheet: { position: 'COO' } });
const onPosition = (more: Partial<Field>) => withFields({ position: more });
const id = `${uuidOf('a')}/position`;
const seconds = (count: number) => count * 1000;
const long = 'x'.repeat(50_001);

const cases: readonly Case[] = [
  { name: 'merge, L5: without a change on either side nothing is done', input: scene([person('a'), person('b')]) },
  {
    name: 'merge: changed in the sheet, sent to the CRM',
    input: scene([edited]),
    changes: ['update a: position CTO -> CEO [merge]'],
  },
  {
    name: 'merge: changed in the CRM, set in the sheet',
    input: scene([changed]),
    changes: ['set a: position CTO -> CEO [merge]'],
  },
  {
    name: 'merge, L5: different fields changed on both sides, both travel',
    input: scene([person('a', { crm: { position: 'CEO' }, sheet: { company_name: 'Beta' } })]),
    changes: ['update a: company_name Acme -> Beta [merge]', 'set a: position CTO -> CEO [merge]'],
  },
  {
    name: 'merge: the same change on both sides needs no write',
    input: scene([person('a', { crm: { position: 'CEO' }, sheet: { position: ' CEO ' } })]),
  },
  {
    name: 'merge, M1, L4: a field that changed on both sides is a conflict; the other fields are written',
    input: scene([person('a', { crm: { position: 'CEO' }, sheet: { position: 'COO', company_name: 'Beta' } })]),
    changes: ['update a: company_name Acme -> Beta [merge]'],
    problems: ['conflict a/position [M1]'],
    says: 'Position: changed on both sides',
  },
  {
    name: 'M1: values that the sides never agreed on are not told as changed on both sides',
    input: scene([person('a', { crm: { position: 'CEO' }, sheet: { position: 'COO' }, base: null })]),
    changes: ['update a: custom:segment unknown -> gold [M4]'],
    problems: ['conflict a/position [M1]'],
    says: 'Position: each side holds another value, and they never agreed on one',
  },
  {
    name: 'M1 crm: the CRM wins, and the change names the value that lost',
    input: scene([both], { mapping: onPosition({ conflict: 'crm' }) }),
    changes: ['set a: position COO -> CEO [M1]'],
  },
  {
    name: 'M1 sheet: the sheet wins, and the change names the value that lost',
    input: scene([both], { mapping: onPosition({ conflict: 'sheet' }) }),
    changes: ['update a: position CEO -> COO [M1]'],
  },
  ...[
    { later: 61, changes: ['set a: position COO -> CEO [M1]'], problems: [] },
    { later: 60, changes: ['set a: position COO -> CEO [M1]'], problems: [] },
    { later: 59, changes: [], problems: ['conflict a/position [M1]'] },
    { later: -59, changes: [], problems: ['conflict a/position [M1]'] },
    { later: -60, changes: ['update a: position CEO -> COO [M1]'], problems: [] },
  ].map(({ later, ...expected }): Case => ({
    name: `M1 newest: the CRM was edited ${later} s after the sheet, and the margin is 60 s`,
    input: scene([person('a', { ...bothEdited(later) })], { mapping: onPosition({ conflict: 'newest' }) }),
    ...expected,
  })),
  {
    name: 'M1 newest: without the instant of the CRM edit the newer side is not known',
    input: scene([both], { mapping: onPosition({ conflict: 'newest' }) }),
    problems: ['conflict a/position [M1]'],
  },
  {
    name: 'M1 newest: the instant of our own write does not date another edit',
    input: scene([person('a', { ...bothEdited(300), link: { ...bothEdited(300).link, writtenAt: noon } })], {
      mapping: onPosition({ conflict: 'newest' }),
    }),
    problems: ['conflict a/position [M1]'],
  },
  {
    name: 'M1: an open conflict stays one problem, and ends when the sides agree',
    input: scene([
      person('a', {
        crm: { position: 'CEO' },
        sheet: { position: 'CEO' },
        link: { isOpen: true, notes: { position: { conflictSince: 1 } } },
      }),
    ]),
  },
  {
    name: 'M1 resolve: a person decides for the CRM',
    input: scene([both], { requests: { resolve: new Map([[id, { use: 'crm' }]]) } }),
    changes: ['set a: position COO -> CEO [M1]'],
  },
  {
    name: 'M1 resolve: a person decides for the sheet',
    input: scene([both], { requests: { resolve: new Map([[id, { use: 'sheet' }]]) } }),
    changes: ['update a: position CEO -> COO [M1]'],
  },
  {
    name: 'M1 resolve: a person decides for a third value, which is written to both sides',
    input: scene([both], { requests: { resolve: new Map([[id, { value: 'Boss' }]]) } }),
    changes: ['update a: position CEO -> Boss [M1]', 'set a: position COO -> Boss [M1]'],
  },
  {
    name: 'M1 resolve, V3: a decision for a side that is unknown in this run waits',
    input: scene([person('a', { crm: { position: undefined }, sheet: { position: 'COO' } })], {
      requests: { resolve: new Map([[id, { use: 'crm' }]]) },
    }),
  },
  {
    name: 'M1 resolve: a decision for a value that both sides hold writes nothing',
    input: scene([person('a', { crm: { position: 'CEO' }, sheet: { position: 'CEO' } })], {
      requests: { resolve: new Map([[id, { value: 'CEO' }]]) },
    }),
  },
  {
    name: 'M2: under manual a value beats a blank',
    input: scene([person('a', { crm: { position: 'CEO' }, sheet: { position: null } })]),
    changes: ['set a: position blank -> CEO [M2]'],
  },
  {
    name: 'M2: a declared winner wins even with a blank',
    input: scene([person('a', { crm: { position: 'CEO' }, sheet: { position: null } })], {
      mapping: onPosition({ conflict: 'sheet' }),
    }),
    changes: ['update a: position CEO -> blank [M2]'],
  },
  {
    name: 'M3 sync: an emptied cell empties the contact',
    input: scene([person('a', { sheet: { position: null } })]),
    changes: ['update a: position CTO -> blank [M3]'],
  },
  {
    name: 'M3 sync: an emptied contact empties the cell',
    input: scene([person('a', { crm: { position: null } })]),
    changes: ['set a: position CTO -> blank [M3]'],
  },
  {
    name: 'M3 ignore: an emptied cell is refilled',
    input: scene([person('a', { sheet: { position: null } })], { mapping: onPosition({ blank: 'ignore' }) }),
    changes: ['set a: position blank -> CTO [M3]'],
  },
  {
    name: 'M3 ignore: an emptied contact is refilled',
    input: scene([person('a', { crm: { position: null } })], { mapping: onPosition({ blank: 'ignore' }) }),
    changes: ['update a: position blank -> CTO [M3]'],
  },
  {
    name: 'V3: a field that is missing from the answer is no change and no blank',
    input: scene([person('a', { crm: { position: undefined } })]),
  },
  {
    name: 'V3: a field that is missing from the answer delays an edit of that field alone',
    input: scene([person('a', { crm: { position: undefined }, sheet: { position: 'CEO', company_name: 'Beta' } })]),
    changes: ['update a: company_name Acme -> Beta [merge]'],
  },
  {
    name: 'V4: a cell that shows an error is left alone and reported; the CRM is not emptied',
    input: scene([
      person('a', {
        crm: { position: 'CEO' },
        sheet: { position: undefined, company_name: 'Beta' },
        row: { unreadable: { position: '#REF!' } },
      }),
    ]),
    changes: ['update a: company_name Acme -> Beta [merge]'],
    problems: ['unreadable a/position [V4]'],
    says: 'Position: shows #REF!',
  },
  {
    name: 'V4: an error is reported also if the column is new',
    input: scene([
      person('a', {
        sheet: { position: undefined },
        row: { unreadable: { position: '#REF!' } },
        link: { sheet: packedOf({ ...valuesOf('a'), position: undefined }) },
      }),
    ]),
    problems: ['unreadable a/position [V4]'],
  },
  {
    name: 'V5: the value that a formula shows is sent',
    input: scene([person('a', { sheet: { position: 'CEO' }, row: { formulas: ['position'] } })]),
    changes: ['update a: position CTO -> CEO [merge]'],
  },
  {
    name: 'V5, L13: a formula is not overwritten; the change of the CRM is held, with the reason',
    input: scene([person('a', { crm: { position: 'CEO' }, row: { formulas: ['position'] } })]),
    problems: ['held a/position [V5]'],
    says: 'the cell holds a formula',
  },
  {
    name: 'V5: a decision for the CRM does not overwrite a formula either',
    input: scene(
      [person('a', { crm: { position: 'CEO' }, sheet: { position: 'COO' }, row: { formulas: ['position'] } })],
      {
        requests: { resolve: new Map([[id, { use: 'crm' }]]) },
      },
    ),
    problems: ['held a/position [V5]'],
  },
  {
    name: 'V6: text that is too long for a cell is refused for that field, by name',
    input: scene([person('a', { crm: { position: long, company_name: 'Beta' } })]),
    changes: ['set a: company_name Acme -> Beta [merge]'],
    problems: ['refused a/position [V6]'],
    says: 'Position: the text is longer than the 50,000 characters',
  },
  {
    name: 'V6: a new contact with such a text gets its row without it',
    input: scene([newContact('b', { position: long })]),
    changes: ['append b [merge]'],
    problems: ['refused b/position [V6]'],
  },
  {
    name: 'M4: an edited cell of a to_sheet column is overwritten',
    input: scene([person('a', { sheet: { status: 'mine' } })]),
    changes: ['set a: status mine -> ok [M4]'],
  },
  {
    name: 'M4: a to_sheet column shows the value of the CRM',
    input: scene([person('a', { crm: { status: 'replied' } })]),
    changes: ['set a: status ok -> replied [merge]'],
  },
  {
    name: 'M4, M9: without a base an edited cell of a to_sheet column is overwritten, too',
    input: scene([person('a', { base: { status: undefined }, crm: { status: 'ok' }, sheet: { status: 'mine' } })]),
    changes: ['set a: status mine -> ok [M4]'],
  },
  {
    name: 'M4, M9: without a base a blank cell of a to_sheet column is filled',
    input: scene([person('a', { base: { status: undefined }, crm: { status: 'ok' }, sheet: { status: null } })]),
    changes: ['set a: status blank -> ok [merge]'],
  },
  {
    name: 'M4: a to_crm column is sent when it differs from what was last sent',
    input: scene([person('a', { sheet: { 'custom:segment': 'silver' } })]),
    changes: ['update a: custom:segment unknown -> silver [M4]'],
  },
  {
    name: 'M4: a to_crm column is not read from the CRM, even if the CRM answers it',
    input: scene([person('a', { crm: { 'custom:segment': 'lead' } })]),
  },
  {
    name: 'M6: a parked field stays parked while neither side changes',
    input: scene([
      person('a', {
        sheet: { position: 'CEO' },
        link: {
          isOpen: true,
          notes: { position: { parked: { why: 'not-stored', crm: 'CTO', sheet: 'CEO' } } },
        },
      }),
    ]),
    problems: ['parked a/position [M6]'],
    says: 'not stored by the service',
  },
  {
    name: 'M6, V3: a parked field stays parked while a side is unknown',
    input: scene([
      person('a', {
        crm: { position: undefined },
        sheet: { position: 'CEO' },
        link: {
          isOpen: true,
          notes: { position: { parked: { why: 'not-stored', crm: 'CTO', sheet: 'CEO' } } },
        },
      }),
    ]),
    problems: ['parked a/position [M6]'],
  },
  {
    name: 'M6: a parked field goes on when its cell changes',
    input: scene([
      person('a', {
        sheet: { position: 'COO' },
        link: {
          isOpen: true,
          notes: { position: { parked: { why: 'not-stored', crm: 'CTO', sheet: 'CEO' } } },
        },
      }),
    ]),
    changes: ['update a: position CTO -> COO [merge]'],
  },
  {
    name: 'M6: a parked field goes on when the CRM changes',
    input: scene([
      person('a', {
        crm: { position: 'COO' },
        link: {
          isOpen: true,
          notes: { position: { parked: { why: 'not-stored', crm: 'CEO', sheet: 'CTO' } } },
        },
      }),
    ]),
    changes: ['set a: position CTO -> COO [merge]'],
  },
  {
    name: 'M6, retry: a parked field goes on when a person asks for it',
    input: scene(
      [
        person('a', {
          sheet: { position: 'CEO' },
          link: {
            isOpen: true,
            notes: {
              position: {
                notStored: { value: 'CEO', times: 3 },
                parked: { why: 'not-stored', crm: 'CTO', sheet: 'CEO' },
              },
            },
          },
        }),
      ],
      { requests: { retry: new Set([id]) } },
    ),
    changes: ['update a: position CTO -> CEO [merge]'],
  },
  {
    name: 'M7: a field that is changed back after one write to each side is parked and reported',
    input: scene([
      person('a', {
        base: { position: 'cto' },
        crm: { position: 'cto' },
        sheet: { position: 'C.T.O.' },
        link: {
          notes: {
            position: {
              written: [
                { side: 'crm', value: 'C.T.O.', replaced: 'cto' },
                { side: 'sheet', value: 'cto', replaced: 'C.T.O.' },
              ],
            },
          },
        },
      }),
    ]),
    problems: ['parked a/position [M7]'],
    says: 'changes back each time it is written',
  },
  {
    name: 'M7: two opposite edits on one side are no flip',
    input: scene([
      person('a', {
        sheet: { position: 'CEO' },
        link: {
          notes: {
            position: {
              written: [
                { side: 'crm', value: 'CEO', replaced: 'CTO' },
                { side: 'crm', value: 'CTO', replaced: 'CEO' },
              ],
            },
          },
        },
      }),
    ]),
    changes: ['update a: position CTO -> CEO [merge]'],
  },
  {
    name: 'W10: an edit waits for the settle delay, and is not overwritten by a change of the other side',
    input: scene([both], { waitsToSettle: true, mapping: onPosition({ conflict: 'crm' }) }),
    problems: ['waiting a/position [W10]'],
  },
  {
    name: 'W10, M1: an edit within the settle delay is no conflict yet',
    input: scene([both], { waitsToSettle: true }),
    problems: ['waiting a/position [W10]'],
  },
  {
    name: 'W10: an edit older than the settle delay is sent',
    input: scene(
      [
        person('a', {
          sheet: { position: 'CEO' },
          link: { notes: { position: { edit: { value: 'CEO', since: noon - seconds(10) } } } },
        }),
      ],
      { waitsToSettle: true },
    ),
    changes: ['update a: position CTO -> CEO [merge]'],
  },
  {
    name: 'W10: another edit of the cell starts the settle delay again',
    input: scene(
      [
        person('a', {
          sheet: { position: 'CEO' },
          link: { notes: { position: { edit: { value: 'CE', since: noon - seconds(30) } } } },
        }),
      ],
      { waitsToSettle: true },
    ),
    problems: ['waiting a/position [W10]'],
  },
  {
    name: 'W10: a change of the CRM does not wait',
    input: scene([changed], { waitsToSettle: true }),
    changes: ['set a: position CTO -> CEO [merge]'],
  },
  {
    name: 'W5, L4: a refused record is not sent before its pause is over; its cells are set',
    input: scene([person('a', { ...refused(noon + 1), crm: { company_name: 'Beta' } })]),
    changes: ['set a: company_name Acme -> Beta [merge]'],
    problems: ['refused a [W5]'],
    says: 'refused: bad e-mail',
  },
  {
    name: 'W5: a refused record is sent again when the pause is over',
    input: scene([person('a', refused(noon))]),
    changes: ['update a: position CTO -> CEO [merge]'],
  },
  {
    name: 'W5: a record is quarantined after the last pause, with the words of the service',
    input: scene([person('a', refused(null))]),
    problems: ['quarantined a [W5]'],
    says: 'bad e-mail',
  },
  {
    name: 'W5, retry: a quarantined record is sent once more when a person asks for it',
    input: scene([person('a', refused(null))], { requests: { retry: new Set([uuidOf('a')]) } }),
    changes: ['update a: position CTO -> CEO [merge]'],
  },
  {
    name: 'W5: a row that was edited since is sent at once',
    input: scene([person('a', { ...refused(null), sheet: { position: 'COO' } })]),
    changes: ['update a: position CTO -> COO [merge]'],
  },
  {
    name: 'W11: the field of a column that was not found is held, never blanked',
    input: scene([person('a', { crm: { position: 'CEO' }, sheet: { position: undefined } })], {
      sheet: { missing: ['Position'] },
    }),
  },
];

function bothEdited(later: number) {
  const since = noon - seconds(600);
  return {
    crm: { position: 'CEO' },
    sheet: { position: 'COO' },
    contact: { updatedAt: later === 300 ? noon : since + seconds(later) },
    link: { isOpen: true as const, notes: { position: { edit: { value: 'COO', since } } } },
  };
}

function refused(retryAt: number | null) {
  const sheet = { position: 'CEO' };
  const values = packedOf({ ...valuesOf('a'), ...sheet });
  return {
    sheet,
    link: { isOpen: true as const, refusal: { message: 'bad e-mail', times: 1, retryAt, sheet: values } },
  };
}

test.each(cases)('$name', (each) => {
  expect(seen(each)).toEqual(wanted(each));
});

test('M1, W9: an open conflict keeps its first instant, and stores nothing new', () => {
  const first = plan(scene([both])).links.get(uuidOf('a'))!;
  expect(first.notes!['position']).toEqual({ conflictSince: noon, edit: { value: 'COO', since: noon } });
  const again = scene([{ ...both, link: first }], { now: noon + seconds(60) });
  expect(plan(again).links.size).toBe(0);
  const moved = person('a', { crm: { position: 'CEO' }, sheet: { position: 'CFO' } });
  const later = plan(scene([{ ...moved, link: first }], { now: noon + seconds(60) })).links.get(uuidOf('a'))!;
  expect(later.notes!['position']).toEqual({
    conflictSince: noon,
    edit: { value: 'CFO', since: noon + seconds(60) },
  });
});

test.each([
  { policy: 'crm', later: 300, reason: 'the CRM wins conflicts' },
  { policy: 'sheet', later: 300, reason: 'the sheet wins conflicts' },
  { policy: 'newest', later: 120, reason: 'changed last in the CRM' },
  { policy: 'newest', later: -120, reason: 'changed last in the sheet' },
  { policy: 'newest', later: 0, reason: 'Position: changed on both sides, too close in time to say which is newer' },
  { policy: 'manual', later: 120, reason: 'Position: changed on both sides' },
] as const)('M1, L12: under $policy the reason is $reason', ({ policy, later, reason }) => {
  const input = scene([person('a', bothEdited(later))], { mapping: onPosition({ conflict: policy }) });
  const { changes, problems } = plan(input);
  expect([...changes, ...problems].map((each) => each.reason)).toEqual([reason]);
});

describe('M9: the mapping changed', () => {
  const before = mapping.fields.filter(({ name }) => name !== 'position');
  const basis = scene([person('a')]);
  const older = { ...basis.base, fields: before.map(({ name }) => name) };

  test('M9: an added column is merged without a base, for that field alone', () => {
    const without = pack(before.map(({ name }) => (name === 'custom:segment' ? 'gold' : `old ${name}`)));
    const base = { ...older, links: new Map([[uuidOf('a'), { agreed: without }]]) };
    const values = pack(fields.map(({ name }) => (name === 'custom:segment' ? undefined : `old ${name}`)));
    const row = (position: string | null) =>
      pack(
        fields.map(({ name }) => (name === 'custom:segment' ? 'gold' : name === 'position' ? position : `old ${name}`)),
      );
    const adapted = adaptBase(
      base,
      fields.map(({ name }) => name),
    );
    const input = (position: string | null) =>
      scene(
        [
          {
            uuid: uuidOf('a'),
            link: undefined,
            contact: { uuid: uuidOf('a'), values },
            row: { id: uuidOf('a'), values: row(position) },
          },
        ],
        { base: adapted },
      );
    expect(tell(input(null)).changes).toEqual(['set a: position blank -> old position [merge]']);
    expect(tell(input('other')).problems).toEqual(['conflict a/position [M1]']);
    expect(tell(input('old position'))).toMatchObject({ changes: [], problems: [] });
  });

  test('M9: columns that are added, removed or moved keep what is known of them', () => {
    const link = {
      agreed: pack(['Ann', 'CTO']),
      crm: pack(['Anna', 'CTO']),
      sheet: pack(['Ann', 'CEO']),
      notes: { position: { conflictSince: noon }, first_name: { conflictSince: noon } },
      isOpen: true as const,
    };
    const known = {
      fields: ['first_name', 'position'],
      links: new Map([[uuidOf('a'), link]]),
      strays: new Map([['x', { since: noon }]]),
    };
    const adapted = (names: readonly string[]) => adaptBase(known, names).links.get(uuidOf('a'));
    expect(adaptBase(known, ['first_name', 'position'])).toBe(known);
    expect(adapted(['first_name', 'position', 'email'])).toEqual({
      ...link,
      agreed: pack(['Ann', 'CTO', undefined]),
      crm: pack(['Anna', 'CTO', undefined]),
      sheet: pack(['Ann', 'CEO', undefined]),
    });
    expect(adapted(['position', 'first_name'])).toEqual({
      ...link,
      agreed: pack(['CTO', 'Ann']),
      crm: pack(['CTO', 'Anna']),
      sheet: pack(['CEO', 'Ann']),
    });
    expect(adapted(['first_name'])).toEqual({
      ...link,
      agreed: pack(['Ann']),
      crm: pack(['Anna']),
      sheet: pack(['Ann']),
      notes: { first_name: { conflictSince: noon } },
    });
    expect(adapted(['email'])).not.toHaveProperty('notes');
    // A row without an ID is known by its contents: with other columns it is another row.
    expect(adaptBase(known, ['first_name']).strays.size).toBe(0);
  });

  test('M9, G3: a removed column loses its base, and neither side is touched', () => {
    const adapted = adaptBase(
      basis.base,
      before.map(({ name }) => name),
    );
    const narrow = (packed: string) => {
      const values = JSON.parse(packed) as unknown[];
      return pack(values.filter((_, index) => fields[index]!.name !== 'position') as string[]);
    };
    const input = {
      ...basis,
      mapping: { ...mapping, fields: before },
      base: adapted,
      crm: {
        ...basis.crm,
        contacts: basis.crm.contacts.map((each) => ({
          ...each,
          values: pack(
            fields.flatMap(({ name }, index) => {
              if (name === 'position') return [];
              return [name === 'custom:segment' ? undefined : (JSON.parse(each.values) as string[])[index]];
            }),
          ),
        })),
      },
      sheet: { ...basis.sheet, rows: basis.sheet.rows.map((row) => ({ ...row, values: narrow(row.values) })) },
    };
    expect(adapted.fields).not.toContain('position');
    expect(tell(input)).toMatchObject({ changes: [], problems: [] });
  });
});

test('M3, V2: the exact text of the other side is written, not its normal form', () => {
  const [change] = plan(scene([person('a', { sheet: { company_name: '  Café  ' } })])).changes;
  expect(change!.fields).toMatchObject([{ field: 'company_name', after: '  Café  ' }]);
});

test('L12: every change has the value before, the value after, the rule and the reason', () => {
  const [change] = plan(scene([edited])).changes;
  expect(change).toEqual({
    side: 'crm',
    op: 'update',
    uuid: uuidOf('a'),
    row: 2,
    rule: 'merge',
    reason: 'changed in the sheet',
    fields: [{ field: 'position', before: 'CTO', after: 'CEO', rule: 'merge', reason: 'changed in the sheet' }],
  });
});

test('L12: a change as a whole has the rule and the reason of its first field', () => {
  const emptied = person('a', { sheet: { company_name: null, position: 'CEO' } });
  expect(plan(scene([emptied])).changes).toMatchObject([{ rule: 'M3', reason: 'emptied in the sheet' }]);
});
