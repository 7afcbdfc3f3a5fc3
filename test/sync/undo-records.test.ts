import { describe, expect, test } from 'vitest';
import type { PastCreate, PastRun } from '../../src/sync/undo/past.ts';
import { planUndoRun } from '../../src/sync/undo/undo.ts';
import type { Reading } from '../../src/sync/value/value.ts';
import {
  mapping,
  newRow,
  person,
  type PersonSpec,
  scene,
  type SceneMore,
  tellChange,
  uuidOf,
  valuesOf,
  withFields,
} from './support.ts';

/* S7: records that a run made or removed. */

const nothing: PastRun = {
  writes: [],
  enrolments: [],
  created: [],
  appended: [],
  removed: [],
  deleted: [],
  linked: [],
};

const uuid = uuidOf('a');
const held = new Map<string, Reading>(Object.entries(valuesOf('a')));

const created = (is: PastCreate['is']): Partial<PastRun> => ({ created: [{ uuid, row: 2, is, held }] });

const appended: Partial<PastRun> = { appended: [{ uuid, held: new Map([...held, ['custom:segment', null]]) }] };

function undo(
  past: Partial<PastRun>,
  spec: PersonSpec = {},
  {
    deletesCreated = true,
    isOfField = false,
    ...more
  }: SceneMore & { deletesCreated?: boolean; isOfField?: boolean } = {},
) {
  const options = { run: 'R', deletesCreated, isOfField };
  const plan = planUndoRun(scene([person('a', spec)], more), { ...nothing, ...past }, options);
  return { changes: plan.changes.map(tellChange), says: plan.problems.map(({ reason }) => reason), holds: plan.holds };
}

test('S7: an undo of one field deletes no record, also one that holds nothing else', () => {
  expect(undo(created('new'), {}, { isOfField: true })).toMatchObject({
    changes: [],
    says: [expect.stringContaining('it was created, and an undo of one field deletes no contact')],
  });
  expect(undo(appended, {}, { isOfField: true })).toMatchObject({
    changes: [],
    says: [expect.stringContaining('its row was appended: an undo of one field deletes no row')],
  });
});

describe('S7: contacts that the run created', () => {
  test('S7: a new contact that nobody edited is deleted', () => {
    expect(undo(created('new'))).toMatchObject({ changes: ['delete a [S7]'], says: [] });
  });

  test.each<{
    what: string;
    is?: PastCreate['is'];
    spec?: PersonSpec;
    more?: SceneMore & { deletesCreated?: boolean };
    says: string;
  }>([
    {
      what: 'not asked for',
      more: { deletesCreated: false },
      says: 'is deleted only with --delete-created; its row stays',
    },
    { what: 'moved here', is: 'moved', says: 'move it back in the service' },
    { what: 'known before', is: 'known', says: 'the service answered a contact that was there before' },
    { what: 'of an older history', is: 'unknown', says: 'by a version that did not note whether the contact was new' },
    {
      what: 'edited in the CRM',
      spec: { crm: { position: 'Boss' } },
      says: 'its Position was changed since in the CRM',
    },
    {
      what: 'edited in a column that is only read',
      spec: { crm: { status: 'replied' } },
      says: 'its Status was changed since in the CRM',
    },
    {
      what: 'edited in the CRM in a column that is only sent, and that the service shows',
      spec: { crm: { position: 'Boss' } },
      more: { mapping: withFields({ position: { direction: 'to_crm' } }) },
      says: 'its Position was changed since in the CRM',
    },
    {
      what: 'edited in the CRM in a column that is only sent, to a text that cannot be read',
      spec: { crm: { position: undefined } },
      more: { mapping: withFields({ position: { direction: 'to_crm' } }) },
      says: 'not known what its Position is in the CRM',
    },
    {
      what: 'edited in the sheet',
      spec: { sheet: { position: 'Boss' } },
      says: 'its Position was changed since in the sheet',
    },
    {
      what: 'edited and synced since',
      spec: { base: { position: 'Boss' } },
      says: 'its Position was changed since in the CRM',
    },
    {
      what: 'a cell that cannot be read',
      spec: { sheet: { position: undefined } },
      says: 'not known what its Position is in the sheet',
    },
    { what: 'a wish since', spec: { row: { wish: 'Welcome' } }, says: 'its automation cell was filled since' },
    { what: 'a formula', spec: { row: { formulas: ['position'] } }, says: 'a cell of it holds a formula' },
    {
      what: 'enrolled since',
      more: {
        ledger: { entries: new Map([[`${uuid} flow`, { state: 'enrolled', at: 1, run: 'S' }]]), isTrusted: true },
      },
      says: 'was put into an automation since',
    },
    {
      what: 'enrolled since, and the second time that somebody asked for is not done yet',
      more: {
        ledger: {
          entries: new Map([
            [`${uuid} flow`, { state: 'waiting', at: 3, run: 'T', before: { state: 'enrolled', at: 1, run: 'S' } }],
          ]),
          isTrusted: true,
        },
      },
      says: 'was put into an automation since',
    },
    {
      what: 'another value of a column that is only sent went to the service, and its cell was typed back',
      spec: { base: { 'custom:segment': 'silver' }, sheet: { 'custom:segment': 'gold' } },
      says: 'its Segment was changed since',
    },
    {
      what: 'a pull that was not whole',
      more: { crm: { coverage: 'partial' } },
      says: 'the contacts were not all read',
    },
    { what: 'gone', spec: { crm: null }, says: 'its contact is gone or in another list' },
    { what: 'its row gone', spec: { sheet: null }, says: 'its row is gone' },
    { what: 'its row copied', spec: { link: { copies: [person('b').row!.values] } }, says: 'several rows have its ID' },
  ])('S7: stays and is named: $what', ({ is = 'new', spec, more, says }) => {
    const undone = undo(created(is), spec, more);
    expect(undone.changes).toEqual([]);
    expect(undone.says).toEqual([expect.stringContaining(says)]);
    expect(undone.says[0]).toMatch(/^undo of R: not taken back: /);
  });

  test('S7: fields that the run wrote for a record that it made go or stay with it', () => {
    const writes = [{ uuid, field: 'position', side: 'sheet', agreedBefore: 'X', after: 'CTO' } as const];
    expect(undo({ ...created('new'), writes }).changes).toEqual(['delete a [S7]']);
  });
});

describe('S7: rows that the run appended or deleted', () => {
  const row = { base: { 'custom:segment': null } };

  test('S7: an appended row that nobody edited is deleted', () => {
    expect(undo(appended, row)).toMatchObject({ changes: ['remove a [S7]'], says: [] });
  });

  test('S7: the contact of an appended row may have changed since: it stays', () => {
    expect(undo(appended, { ...row, crm: { position: 'Boss' } }).changes).toEqual(['remove a [S7]']);
  });

  test('S7: a cell that is only sent was filled since: the row stays', () => {
    expect(undo(appended, { base: { 'custom:segment': 'gold' } })).toMatchObject({
      changes: [],
      says: ['undo of R: not taken back: its row was appended: its Segment was changed since in the sheet'],
    });
  });

  test('S7: a row that an undo deleted is made anew from its contact', () => {
    const gone: PersonSpec = { sheet: null, link: { standing: 'row-gone' } };
    expect(undo({ removed: [uuid] }, gone)).toMatchObject({ changes: ['append a [S7]'], says: [] });
  });

  test.each<{ what: string; spec: PersonSpec; says: string }>([
    { what: 'there is a row again', spec: {}, says: 'there is one again' },
    { what: 'its contact is gone', spec: { crm: null, sheet: null }, says: 'its contact is gone or elsewhere' },
  ])('S7: a deleted row is named: $what', ({ spec, says }) => {
    expect(undo({ removed: [uuid] }, spec)).toMatchObject({
      changes: [],
      says: [`undo of R: not taken back: its row was deleted: ${says}`],
    });
  });

  test('S7: a deleted contact and an ID in a row are named', () => {
    expect(undo({ deleted: [uuid], linked: [uuid] })).toMatchObject({
      changes: [],
      says: [
        expect.stringContaining('clear the ID cell of row 2, and the next run makes another one from it'),
        expect.stringContaining('the next run would find the same contact again'),
      ],
    });
  });
});

test('I8, S4: a contact that the search shows as it was before our last write is there, with its values as last seen', () => {
  const stale: PersonSpec = {
    base: { position: 'CEO' },
    crm: { position: 'CTO' },
    contact: { updatedAt: 1_000 },
    link: { writtenAt: 2_000 },
  };
  const writes = [{ uuid, field: 'position', side: 'crm', agreedBefore: 'CTO', after: 'CEO' } as const];
  expect(undo({ writes }, stale, { crm: { coverage: 'whole' } })).toMatchObject({
    changes: ['update a: position CEO -> CTO [S4]', 'set a: position CEO -> CTO [S4]'],
    says: [],
  });
});

describe('S8: guards and keys', () => {
  const wrote = (field: string, agreedBefore: Reading, after: Reading): Partial<PastRun> => ({
    writes: [{ uuid, field, side: 'crm', agreedBefore, after }],
  });

  test('G2: an undo beyond a limit is held', () => {
    const limits = { ...mapping.limits, deletes: { count: 0 } };
    expect(undo(created('new'), {}, { mapping: { ...mapping, limits } }).holds).toMatchObject([{ rule: 'G2' }]);
  });

  test('G1: an undo of another list is held', () => {
    const identities = { known: { crm: 'other', sheet: 'tab' }, now: { crm: 'list', sheet: 'tab' } };
    expect(undo(created('new'), {}, { identities }).holds).toMatchObject([{ rule: 'G1', fails: true }]);
  });

  test('I7: a key that another contact has by now goes back on neither side', () => {
    const taken = person('b', { base: { email: 'old@acme.test' } });
    const past = { ...nothing, ...wrote('email', 'old@acme.test', 'a@acme.test') };
    const plan = planUndoRun(scene([person('a'), taken]), past, { run: 'R', deletesCreated: false });
    expect(plan.changes).toEqual([]);
    expect(plan.problems).toMatchObject([{ rule: 'I7', kind: 'held' }]);
  });

  test('S8: new rows, edits and wishes that came up meanwhile are no part of an undo', () => {
    const edited = person('a', { base: { position: 'CEO' }, sheet: { first_name: 'Typed' } });
    const past = { ...nothing, ...wrote('position', 'CTO', 'CEO') };
    const plan = planUndoRun(scene([edited, newRow('c')]), past, { run: 'R', deletesCreated: false });
    expect(plan.changes.map(tellChange)).toEqual([
      'update a: position CEO -> CTO [S4]',
      'set a: position CEO -> CTO [S4]',
    ]);
    expect([plan.links.size, plan.wishes.size, plan.problems]).toEqual([0, 0, []]);
  });
});
