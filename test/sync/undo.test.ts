import { describe, expect, test } from 'vitest';
import type { Change } from '../../src/sync/change.ts';
import type { Outcome } from '../../src/sync/outcome.ts';
import { type Plan, plan } from '../../src/sync/plan.ts';
import type { Person } from '../../src/sync/record/person.ts';
import { type ContactRecord, unpack } from '../../src/sync/record/record.ts';
import { planSheetChanges } from '../../src/sync/settle/sheet-changes.ts';
import { settle } from '../../src/sync/settle/settle.ts';
import { planUndo } from '../../src/sync/undo/fields.ts';
import type { PastWrite } from '../../src/sync/undo/past.ts';
import type { Reading } from '../../src/sync/value/value.ts';
import {
  fields,
  mapping,
  packedOf,
  person,
  type PersonParts,
  scene,
  tellChange,
  tellProblem,
  uuidOf,
  type Values,
  valueIn,
} from './support.ts';

const wrote = (field: string, agreedBefore: Reading, after: Reading, side: 'crm' | 'sheet' = 'crm'): PastWrite => ({
  uuid: uuidOf('a'),
  field,
  side,
  agreedBefore,
  after,
});

/** A person as both sides show them now. */
function peopleOf(parts: PersonParts): ReadonlyMap<string, Person> {
  const { uuid, link, contact, row } = parts;
  return new Map([[uuid, { uuid, link, contact: contact ?? 'absent', row: row && { number: 2, ...row } }]]);
}

function undo(parts: PersonParts, writes: readonly PastWrite[]) {
  const { changes, problems } = planUndo({ mapping }, peopleOf(parts), writes);
  return { changes: changes.map(tellChange), problems: problems.map(tellProblem), says: problems[0]?.reason };
}

const now = (values: Values) => person('a', { base: values });
const position = wrote('position', 'CTO', 'CEO');

describe('S4: writes that are taken back', () => {
  test('S4: a field that both sides hold as written goes back on both', () => {
    expect(undo(now({ position: 'CEO' }), [position])).toMatchObject({
      changes: ['update a: position CEO -> CTO [S4]', 'set a: position CEO -> CTO [S4]'],
      problems: [],
    });
  });

  test('S4: a field that the run filled goes back to blank', () => {
    expect(undo(now({ position: 'CEO' }), [wrote('position', null, 'CEO')]).changes).toEqual([
      'update a: position CEO -> blank [S4]',
      'set a: position CEO -> blank [S4]',
    ]);
  });

  test('S4: a contact that an incremental pull did not read counts as last seen', () => {
    const parts = now({ position: 'CEO' });
    const people = new Map([[parts.uuid, { ...peopleOf(parts).get(parts.uuid)!, contact: 'unread' as const }]]);
    expect(planUndo({ mapping }, people, [position]).changes.map(tellChange)).toEqual([
      'update a: position CEO -> CTO [S4]',
      'set a: position CEO -> CTO [S4]',
    ]);
  });

  test('S4: a run that wrote both sides of a field is taken back once', () => {
    const writes = [wrote('position', 'CTO', 'CEO'), wrote('position', 'CTO', 'Ceo', 'sheet')];
    expect(undo(now({ position: 'Ceo' }), writes).changes).toEqual([
      'update a: position Ceo -> CTO [S4]',
      'set a: position Ceo -> CTO [S4]',
    ]);
  });

  test('S4: a field that the run wrote twice goes back to what was agreed before the first write', () => {
    const writes = [position, wrote('position', 'CEO', 'Chair')];
    expect(undo(now({ position: 'Chair' }), writes).changes).toEqual([
      'update a: position Chair -> CTO [S4]',
      'set a: position Chair -> CTO [S4]',
    ]);
  });

  test('S4: a run that put the agreed value back on an emptied side left nothing to take back, and nothing is told', () => {
    expect(undo(now({ position: 'CEO' }), [wrote('position', 'CEO', 'CEO')])).toMatchObject({
      changes: [],
      problems: [],
    });
  });
});

describe('S4: writes that are reported instead', () => {
  test.each<{ what: string; parts: PersonParts; write: PastWrite; says: string }>([
    {
      what: 'changed since in the CRM',
      parts: person('a', { base: { position: 'CEO' }, crm: { position: 'Boss' } }),
      write: position,
      says: 'Position: not taken back: changed since in the CRM',
    },
    {
      what: 'changed since in the sheet',
      parts: person('a', { base: { position: 'CEO' }, sheet: { position: 'Boss' } }),
      write: position,
      says: 'changed since in the sheet',
    },
    { what: 'its row is gone', parts: person('a', { sheet: null }), write: position, says: 'its row is gone' },
    { what: 'its contact is gone', parts: person('a', { crm: null }), write: position, says: 'its contact is gone' },
    {
      what: 'only the CRM can change it',
      parts: now({ status: 'replied' }),
      write: wrote('status', 'ok', 'replied', 'sheet'),
      says: 'only the CRM can change it',
    },
    {
      what: 'only the sheet can change it, and nobody sees what the service holds',
      parts: person('a', { base: { 'custom:segment': 'silver' } }),
      write: wrote('custom:segment', 'gold', 'silver'),
      says: 'only the sheet can change it',
    },
    {
      what: 'a blank that was filled where both sides had never agreed',
      parts: now({ position: 'CEO' }),
      write: wrote('position', undefined, 'CEO'),
      says: 'both sides never agreed on another value',
    },
    {
      what: 'a formula stands in the cell',
      parts: person('a', { base: { position: 'CEO' }, row: { formulas: ['position'] } }),
      write: position,
      says: 'the cell holds a formula',
    },
    {
      what: 'the field is not in the mapping any more',
      parts: now({}),
      write: wrote('headline', 'x', 'y'),
      says: 'it is not synced any more',
    },
  ])('S4: $what', ({ parts, write, says }) => {
    const undone = undo(parts, [write]);
    expect([undone.changes, undone.problems]).toEqual([[], [`held a/${write.field} [S4]`]]);
    expect(undone.says).toContain(says);
  });

  test('S4: the other fields of the person go back', () => {
    const parts = person('a', { base: { position: 'CEO', company_name: 'Beta' }, sheet: { position: 'Boss' } });
    const undone = undo(parts, [position, wrote('company_name', 'Acme', 'Beta')]);
    expect(undone.changes).toEqual([
      'update a: company_name Beta -> Acme [S4]',
      'set a: company_name Beta -> Acme [S4]',
    ]);
  });
});

/** A whole undo over sides that store what they are sent: what both hold then, and the base. */
function carryOut(parts: PersonParts, writes: readonly PastWrite[]) {
  const people = peopleOf(parts);
  const input = scene([parts]);
  const undone = planUndo(input, people, writes);
  const planned: Plan = { ...plan(input), changes: undone.changes, people };
  const outcomes = new Map<Change, Outcome>();
  const [contact, row] = [unpack(parts.contact!.values), unpack(parts.row!.values)];
  for (const change of undone.changes.filter(({ side }) => side === 'crm')) {
    for (const { field, after } of change.fields) contact[indexOf(field)] = after;
    outcomes.set(change, { kind: 'done', contact: { ...parts.contact!, values: packedValues(contact) } });
  }
  for (const change of planSheetChanges(input, planned, outcomes)) {
    for (const { field, after } of change.fields) row[indexOf(field)] = after;
    outcomes.set(change, { kind: 'done' });
  }
  const { links, problems } = settle(input, planned, outcomes);
  const after: PersonParts = {
    ...parts,
    link: links.get(parts.uuid)!,
    contact: { ...parts.contact!, values: packedValues(contact) },
    row: { ...parts.row!, values: packedValues(row) },
  };
  return { after, problems };
}

const indexOf = (name: string) => fields.findIndex((field) => field.name === name);
const packedValues = (values: ReturnType<typeof unpack>): ContactRecord['values'] =>
  packedOf(Object.fromEntries(fields.map(({ name }, index) => [name, values[index]])));

describe('S4: a whole undo', () => {
  const parts = now({ position: 'CEO', company_name: 'Beta' });
  const writes = [position, wrote('company_name', 'Acme', 'Beta')];

  test('S4: both sides and the base go back, and the next run sends nothing after it', () => {
    const { after, problems } = carryOut(parts, writes);
    expect(problems).toEqual([]);
    expect(['position', 'company_name'].map((name) => valueIn(after.link!.agreed, name))).toEqual(['CTO', 'Acme']);
    expect(valueIn(after.row!.values, 'position')).toBe('CTO');
    expect(plan(scene([after]))).toMatchObject({ changes: [], problems: [] });
  });

  test('S4: an undo can be undone', () => {
    const { after } = carryOut(parts, writes);
    const back = writes.map((write) => ({ ...write, agreedBefore: write.after, after: write.agreedBefore }));
    const again = carryOut(after, back);
    expect(valueIn(again.after.link!.agreed, 'position')).toBe('CEO');
    expect(again.after.row!.values).toBe(parts.row!.values);
    expect(plan(scene([again.after]))).toMatchObject({ changes: [], problems: [] });
  });
});

test('S4: enrolments and cancels are listed with the automation, and never taken back', () => {
  const { uuid } = now({});
  const { changes, problems } = planUndo(
    { mapping },
    peopleOf(now({})),
    [],
    [
      { uuid, op: 'enrol', automation: 'Welcome' },
      { uuid, op: 'cancel', automation: 'Nurture' },
    ],
  );
  expect(changes).toEqual([]);
  expect(problems).toMatchObject([
    {
      kind: 'held',
      uuid,
      rule: 'S4',
      reason:
        'not taken back: put into Welcome: what it has sent is sent; to end it, empty its cell if on_clear is cancel, else take the contact out in the service',
    },
    {
      kind: 'held',
      uuid,
      rule: 'S4',
      reason:
        'not taken back: taken out of Nurture: name it in its cell again, and the next run says how to put the contact back',
    },
  ]);
});
