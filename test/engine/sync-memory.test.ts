import { describe, expect, test } from 'vitest';
import type { Contact } from '../../src/crm/port.ts';
import { AuthenticationError, OutcomeUnknownError } from '../../src/crm/errors.ts';
import type { DecisionRequest } from '../../src/engine/decision.ts';
import type { Newcomer } from '../../src/engine/enrolment/ledger.ts';
import { nothingPlanned, countRun, type Ending } from '../../src/engine/report.ts';
import type { Facts } from '../../src/engine/stored/facts.ts';
import type { StoredSync } from '../../src/engine/stored/stored.ts';
import type { RunContext } from '../../src/engine/sync/context.ts';
import type { Decided } from '../../src/engine/sync/decide.ts';
import { withColumnsBack } from '../../src/engine/sync/columns-back.ts';
import { toBatch } from '../../src/engine/sync/commit.ts';
import { plannedEnding, heldEnding, toDo } from '../../src/engine/sync/ending.ts';
import { recoverCalls } from '../../src/engine/sync/in-flight.ts';
import { findInterrupted, tellInterrupted } from '../../src/engine/sync/interrupted.ts';
import { type Memory, recall } from '../../src/engine/sync/memory.ts';
import { outdatedResolutions, sidesAsDecided } from '../../src/engine/sync/outdated.ts';
import type { Pulled } from '../../src/engine/sync/pull.ts';
import { findQuiet, noteQuiet } from '../../src/engine/sync/quiet.ts';
import { rowsRefused } from '../../src/engine/sync/refused-rows.ts';
import { factsOf, nextPlace, remember } from '../../src/engine/sync/remember.ts';
import { strongestOf, unlessLost } from '../../src/engine/sync/write-calls.ts';
import { readingsOf } from '../../src/engine/sync/looked-up.ts';
import type { RunLease } from '../../src/engine/decisions-told.ts';
import type { Batch, HistoryLine, Lease } from '../../src/state/port.ts';
import { type Change, problem } from '../../src/sync/change.ts';
import { type Link, rowKey, type Stray } from '../../src/sync/record/base.ts';
import { ledgerKey } from '../../src/sync/record/ledger.ts';
import { pack, unpack } from '../../src/sync/record/record.ts';
import { rowChangeKey } from '../../src/sync/row-refusal.ts';
import { fieldOf } from '../sync/support.ts';

/* What a run of a sync knows of earlier runs, and what it leaves for the next one. */

const at = '2026-11-21T09:00:00.000Z';
const origin = { by: 'ann', at, through: 'cli', text: '', seen: { status: null } } as const;
const fields = [fieldOf('position', 'Position'), fieldOf('email', 'Email', { kind: 'email' })];
const agreed = pack(['CTO', 'a@acme.test']);
const link: Link = { agreed };

const stored = (more: Partial<StoredSync> = {}): StoredSync => ({
  facts: {},
  requests: new Map(),
  steps: new Map(),
  isLedgerTrusted: true,
  notices: [],
  links: new Map(),
  strays: new Map(),
  ledger: new Map(),
  newcomers: new Map(),
  ...more,
});
const requestsOf = (requests: Readonly<Record<string, object>>) =>
  new Map(Object.entries(requests)) as ReadonlyMap<string, DecisionRequest>;
const line = (its: object): HistoryLine => {
  const of = { time: at, sync: 's', run: 'R1', contact: 'a', side: 'crm', op: 'update', field: 'position' };
  return { ...of, before: 'CTO', after: 'CEO', rule: 'merge', ...its };
};

describe('the memory of earlier runs', () => {
  const approve = { kind: 'approve', run: 'R1', counts: { ...nothingPlanned, changes: 3 } };

  test('of a state without anything is empty, and its links are shared', () => {
    const links = new Map([['a', link]]);
    const memory = recall(stored({ links }), { fields });
    expect(memory.base.links).toBe(links);
    expect(memory.base.fields).toEqual(['position', 'email']);
    expect(memory.requests).toEqual({ resolve: new Map(), retry: new Set() });
    expect(memory.ledger).toEqual({ entries: new Map(), isTrusted: true });
    expect(memory).not.toHaveProperty('approvedRecords');
    expect(recall(stored({ isLedgerTrusted: false }), { fields }).ledger.isTrusted).toBe(false);
  });

  test('has each decision in its place', () => {
    const resolution = { use: 'crm' };
    const letThrough = { counts: nothingPlanned, links: 4 };
    const records = { kind: 'approve-records', run: 'R1', ids: ['a'], digests: ['d1', 'd2'], origin };
    const memory = recall(
      stored({
        facts: { held: { run: 'R1', planned: nothingPlanned, letThrough } },
        requests: requestsOf({
          q1: { kind: 'resolve', id: 'a/position', resolution },
          q2: { kind: 'retry', id: 'b' },
          q3: { kind: 'retry', id: 'b' },
          q4: { kind: 'retry', id: 'c' },
          q5: approve,
          q6: records,
        }),
      }),
      { fields },
    );
    expect(memory.requests).toEqual({
      resolve: new Map([['a/position', resolution]]),
      retry: new Set(['b', 'c']),
      approved: approve.counts,
      letThrough,
    });
    expect([...memory.retryRequestIds]).toEqual([
      ['b', ['q2', 'q3']],
      ['c', ['q4']],
    ]);
    expect(memory.approvedRecords).toEqual({
      digests: new Set(['d1', 'd2']),
      idByDigest: new Map([
        ['d1', 'a'],
        ['d2', ''],
      ]),
    });
    expect(memory.pending.size).toBe(6);
  });

  test('S8: an approval of an undo is for that undo alone, and an undo takes up nothing else', () => {
    const requests = requestsOf({ a: approve, b: { ...approve, undoes: 'R9' }, c: { kind: 'retry', id: 'x' } });
    const ids = (undoes?: string) => [...recall(stored({ requests }), { fields }, undoes).pending.keys()];
    expect(ids()).toEqual(['a', 'c']);
    expect(ids('R9')).toEqual(['b']);
    expect(ids('R8')).toEqual([]);
  });

  test('M9: with another direction of a field every link is looked at once more', () => {
    const links = new Map([['a', link]]);
    const open = (facts: Facts) => recall(stored({ links, facts }), { fields }).base.links.get('a')!.isOpen;
    expect(open({ directions: { position: 'both', email: 'both' } })).toBeUndefined();
    expect(open({ directions: { position: 'to_crm', email: 'both' } })).toBe(true);
    expect(open({ directions: { gone: 'to_crm' } })).toBeUndefined();
    expect(open({})).toBeUndefined();
  });

  test('M9, M3: with another meaning of blanks every link is looked at once more', () => {
    const links = new Map([['a', link]]);
    const memoryOf = (facts: Facts) => recall(stored({ links, facts }), { fields });
    const { base, isReopened } = memoryOf({ blanks: { position: 'ignore', email: 'sync' } });
    expect([base.links.get('a')!.isOpen, isReopened]).toEqual([true, true]);
    expect(memoryOf({ blanks: { position: 'sync', email: 'sync' } })).not.toHaveProperty('isReopened');
  });

  test('M9, M6, M7: what another direction gave up is forgotten, and of other fields it is not', () => {
    const parked = { why: 'flips', crm: 'a', sheet: 'b' } as const;
    const note = { parked, notStored: { value: 'b', times: 3 }, edit: { value: 'b', since: 1 } };
    const links = new Map([['a', { ...link, notes: { position: note, email: note } }]]);
    const { base } = recall(stored({ links, facts: { directions: { position: 'to_crm', email: 'both' } } }), {
      fields,
    });
    expect(base.links.get('a')!.notes).toEqual({ position: { edit: note.edit }, email: note });
  });

  test('M9: with another order of fields the values of links go along', () => {
    const links = new Map([['a', link]]);
    const { base } = recall(stored({ links, facts: { fields: ['email', 'position'] } }), { fields });
    expect(base.links.get('a')).toEqual({ agreed: pack(['a@acme.test', 'CTO']) });
  });
});

describe('L10: steps that were in progress when a run ended', () => {
  const found = (lines: readonly object[], more: Partial<StoredSync> = {}, creates?: readonly string[]) => {
    const step = { lines: lines.map(line), ...(creates && { creates }) };
    return findInterrupted(stored({ links: new Map([['a', link]]), steps: new Map([['R1 1', step]]), ...more }), [
      'position',
      'email',
    ]);
  };

  test('W4: what was sent to a contact is unknown until it is read, and counts for no limit again', () => {
    const { links, notes } = found([{}]);
    expect(links.get('a')).toEqual({
      agreed,
      crm: pack([undefined, 'a@acme.test']),
      isOpen: true,
      isUnsure: true,
      notes: { position: { sent: { side: 'crm', value: 'CEO', before: 'CTO' } } },
      counted: { position: 'CEO' },
    });
    expect(notes.get('R1 1')).toEqual({ lines: [line({})] });
  });

  test('W4: cells that were to be set leave the contact known', () => {
    const { links } = found([{ side: 'sheet', op: 'set' }]);
    expect(links.get('a')).toEqual({
      agreed,
      isOpen: true,
      notes: { position: { sent: { side: 'sheet', value: 'CEO', before: 'CTO' } } },
      counted: { position: 'CEO' },
    });
  });

  test('I7: a key that was passed on keeps what it was and what it was to be, and is no merge', () => {
    const { links } = found([{ field: 'email', before: 'a@acme.test', after: null, rule: 'I7' }]);
    expect(links.get('a')).toEqual({
      agreed,
      crm: pack(['CTO', undefined]),
      isOpen: true,
      isUnsure: true,
      notes: { email: { passedOn: ['a@acme.test', null] } },
      counted: { email: null },
    });
    const { links: ofCell } = found([{ side: 'sheet', op: 'set', rule: 'I7' }]);
    expect(ofCell.get('a')!.notes).toBeUndefined();
  });

  test.each([
    ['a deletion', { op: 'delete' }],
    ['a create', { op: 'create' }],
    ['a change without fields', { field: null }],
    ['no contact', { contact: null }],
    ['a contact that has no link', { contact: 'b' }],
    ['an update of the sheet', { side: 'sheet' }],
  ])('%s leaves no link', (_what, its) => {
    expect(found([its]).links.size).toBe(0);
  });

  test('M4, W4: of a row that was being appended again, the cells that it was not given are blank, and nobody emptied them', () => {
    const made = found([{ side: 'sheet', op: 'append', rule: 'D1' }]).links.get('a')!;
    expect(unpack(made.agreed)).toEqual(['CTO', undefined]);
    expect([unpack(made.crm!), unpack(made.sheet!)]).toEqual([
      ['CTO', 'a@acme.test'],
      ['CTO', 'a@acme.test'],
    ]);
    expect(made.notes).toEqual({ position: { sent: { side: 'sheet', value: 'CEO' } } });
    expect([made.isOpen, made.isUnsure, made.counted]).toEqual([true, undefined, undefined]);
  });

  test('G2, W4: rows that were being created count for no limit again, and whether they were is not known', () => {
    const stray: Stray = { since: 7, isUnknown: true };
    const { strays } = found([{ op: 'create' }], { strays: new Map([['k2', stray]]) }, ['k1', 'k2']);
    expect([...strays]).toEqual([
      ['k1', { since: 0, isCounted: true, isUnknown: true }],
      ['k2', { ...stray, isCounted: true }],
    ]);
    expect(found([{}]).strays.size).toBe(0);
  });

  test('L12: the history has them before their notes go, in one commit with what follows', async () => {
    const calls: unknown[] = [];
    const lease = {
      appendHistory: async (lines: unknown) => void calls.push(lines),
      commit: async (batch: Batch) => void calls.push(batch),
    } as unknown as Lease;
    await tellInterrupted(lease, { notes: new Map(), links: new Map(), strays: new Map() });
    expect(calls).toEqual([]);
    const interrupted = found([{ op: 'delete' }]);
    await tellInterrupted(lease, interrupted);
    expect(calls).toEqual([[line({ op: 'delete' })], { outbox: { delete: ['R1 1'] } }]);
    const both = found([{}], {}, ['k']);
    await tellInterrupted(lease, both);
    expect(calls[3]).toEqual({
      outbox: { delete: ['R1 1'] },
      links: { put: both.links },
      strays: { put: both.strays },
    });
  });
});

const noMemory: Memory = recall(stored(), { fields });

describe('W11: a column that is back after it was lost', () => {
  const facts: Facts = { fields: ['position', 'email'], columns: { known: ['email', 'position'], lost: ['position'] } };
  const links = new Map([
    ['a', link],
    ['b', link],
    ['c', link],
  ]);
  const rowOf = (number: number, id: string, position: string | null) => ({
    number,
    id,
    values: pack([position, 'a@acme.test']),
  });
  const position = { kind: 'found', key: 'position', header: 'Position', letter: 'A' };
  const pulled = pulledOf({
    snapshot: { columns: [position] },
    sheet: { rows: [rowOf(2, 'a', null), rowOf(3, 'b', 'CTO')], doubled: [], missing: [] },
  });
  const memory = recall(stored({ facts, links }), { fields });

  test('V3: its field has no base where the row holds nothing in it, what was last seen stays known, and every link is looked at once more', () => {
    const { base } = withColumnsBack(memory, pulled);
    const without = pack([undefined, 'a@acme.test']);
    const seen = { crm: agreed, sheet: agreed };
    expect([...base.links.values()]).toEqual([
      { agreed: without, ...seen, isOpen: true },
      { agreed, isOpen: true },
      { agreed: without, ...seen, isOpen: true },
    ]);
    expect(withColumnsBack({ ...memory, facts: { fields: ['position', 'email'] } }, pulled).base.links).toBe(links);
  });

  test.each([
    [
      'I4: of rows with one ID each has to hold a value, since nobody knows yet which is the row',
      [
        ['a', 'CTO'],
        ['a', null],
      ],
      undefined,
    ],
    [
      'I4: of rows with one ID each holds one',
      [
        ['a', 'CTO'],
        ['a', 'CEO'],
      ],
      'CTO',
    ],
    ['I5: a row without an ID is known by its other cells', [['', 'CEO']], 'CTO'],
    [
      "I5: two rows without an ID that look alike are nobody's",
      [
        ['', 'CEO'],
        ['', 'CEO'],
      ],
      undefined,
    ],
  ] as const)('V3, %s', (_what, rows, value) => {
    const sheet = { rows: rows.map(([id, cell], index) => rowOf(index + 2, id, cell)), doubled: [], missing: [] };
    const { base } = withColumnsBack(memory, { ...pulled, sheet });
    expect(unpack(base.links.get('a')!.agreed)).toEqual([value, 'a@acme.test']);
  });

  test('L7: is stored with all links, also those that the run leaves as they are by then', () => {
    const back = withColumnsBack(memory, pulled);
    const { batch } = toBatch(back, { links: new Map(), strays: new Map() }, facts, []);
    expect(batch.links).toMatchObject({ put: back.base.links });
    expect(toBatch(memory, { links: new Map(), strays: new Map() }, facts, []).isEmpty).toBe(true);
  });
});

const { signal } = new AbortController();
const nothing: Ending = {
  status: 'succeeded',
  isFull: false,
  counts: countRun(2, [], new Map()),
  problems: [],
  holds: [],
  planned: nothingPlanned,
};
type Loose<Type> = { readonly [Key in keyof Type]?: unknown };

function contextOf(more: Loose<RunContext> = {}): RunContext {
  return {
    run: 'R2',
    request: { isFull: false, isAsked: false, signal },
    session: {},
    shape: { mapping: { fields }, toRecord: ({ uuid }: Contact) => ({ uuid, values: agreed }) },
    config: { name: 's', contacts: { list: 'L' }, sheet: { spreadsheetId: 'S', tab: 'T' } },
    version: '1',
    account: 'acc',
    now: () => 0,
    lookedUp: new Map(),
    listNames: new Map(),
    ...more,
  } as unknown as RunContext;
}
function pulledOf(more: Loose<Pulled> = {}): Pulled {
  return {
    scope: { listUuid: 'U', text: 'list L' },
    identities: { crm: 'acc U', sheet: 'S 7' },
    noted: { drifted: [], limited: null },
    watermark: at,
    snapshot: { columns: [], leftovers: 0, fingerprint: 'f', recall: 'r' },
    sheet: { rows: [], doubled: [], missing: [] },
    problems: [],
    isFull: false,
    ...more,
  } as unknown as Pulled;
}
function decidedOf({
  plan = {},
  input = {},
  ...more
}: { plan?: object; input?: object; stillHeld?: unknown } = {}): Decided {
  const none = {
    changes: [],
    links: new Map(),
    strays: new Map(),
    wishes: new Map(),
    problems: [],
    holds: [],
    suspects: new Map(),
  };
  const counts = { ...nothingPlanned };
  return {
    plan: { ...none, counts, isLedgerTrusted: true, linked: 2, ...plan },
    input: {
      answers: { contacts: new Map(), lookups: new Map() },
      crm: { contacts: [] },
      base: { links: new Map([['a', link]]) },
      ...input,
    },
    pulled: pulledOf(),
    ...more,
  } as unknown as Decided;
}

describe('the facts that a run leaves', () => {
  const facts = { identities: { crm: 'acc U', sheet: 'S 7' }, fields: ['position', 'email'] };

  test('are those of both sides, and that nothing is held any more', () => {
    const known = { ...noMemory, facts: { held: { run: 'R1', planned: nothingPlanned } } };
    const base = {
      ...facts,
      directions: { position: 'both', email: 'both' },
      blanks: { position: 'sync', email: 'sync' },
      list: { named: 'L', uuid: 'U' },
      filter: '{}',
      tab: 'S T',
      isLedgerTrusted: true,
    };
    expect(factsOf(contextOf(), noMemory, pulledOf(), decidedOf())).toEqual(base);
    expect(factsOf(contextOf(), known, pulledOf(), decidedOf())).toEqual({ ...base, held: null });
    const noted = { drifted: ['full'], limited: 'much' };
    expect(factsOf(contextOf(), noMemory, pulledOf({ noted }), decidedOf())).toMatchObject(noted);
  });

  test('G1: are what is suspect as long as the plan says so, in an order of its own; an undo leaves it', () => {
    const wishes = { 'wish b a': null, 'wish c a': null };
    const plan = { suspects: new Map(Object.entries(wishes).toReversed()) };
    const known = { ...noMemory, facts: { suspects: wishes } };
    const suspectsOf = (memory: Memory, decided: Decided, more = {}) =>
      JSON.stringify(factsOf(contextOf(more), memory, pulledOf(), decided).suspects);
    expect(suspectsOf(noMemory, decidedOf({ plan }))).toBe(JSON.stringify(wishes));
    const many = { suspects: new Map(Array.from({ length: 6_000 }, (_, nth) => [`column u${nth} email`, `v${nth}`])) };
    const { suspects } = factsOf(contextOf(), noMemory, pulledOf(), decidedOf({ plan: many }));
    expect([Object.keys(suspects!).length, suspects!['column u4999 email']]).toEqual([5_000, 'v4999']);
    expect(suspectsOf(known, decidedOf())).toBe('null');
    expect(suspectsOf(noMemory, decidedOf())).toBeUndefined();
    expect(suspectsOf(known, decidedOf(), { undoes: 'R1' })).toBeUndefined();
  });

  test('S8: of an undo say nothing of wishes and of what is held', () => {
    const known = { ...noMemory, facts: { held: { run: 'R1', planned: nothingPlanned } } };
    const left = factsOf(contextOf({ undoes: 'R1' }), known, pulledOf(), decidedOf());
    expect(left).toMatchObject(facts);
    for (const key of ['held', 'isLedgerTrusted']) expect(left).not.toHaveProperty(key);
  });

  test('E6: name the wishes that wait for an approval, one or several', () => {
    const held = (enrolments: number, known: Memory = noMemory) => {
      const plan = { isLedgerTrusted: false, counts: { ...nothingPlanned, enrolments } };
      return factsOf(contextOf(), known, pulledOf(), decidedOf({ plan }));
    };
    expect(held(1)).toMatchObject({
      isLedgerTrusted: false,
      held: {
        run: 'R2',
        planned: { ...nothingPlanned, enrolments: 1 },
        reasons: [expect.stringContaining('1 wish of contacts that were there before the state or the column (')],
      },
    });
    expect(held(2).held!.reasons![0]).toContain('2 wishes of');
    expect(held(0)).not.toHaveProperty('held');
    const letThrough = { counts: nothingPlanned, links: 4 };
    const before = { run: 'R1', planned: { ...nothingPlanned, enrolments: 2 }, reasons: ['x'], letThrough };
    const again = held(2, { ...noMemory, facts: { held: before } });
    expect(again.held).toEqual({ run: 'R1', planned: before.planned, reasons: ['x'] });
  });

  test('G6: keep what is held besides the approved records, if anything is', () => {
    const letThrough = { counts: nothingPlanned, links: 4 };
    const rest = { holds: [{ rule: 'G2', reason: 'too many', fails: false }], planned: nothingPlanned, letThrough };
    const held = (stillHeld: object) => factsOf(contextOf(), noMemory, pulledOf(), decidedOf({ stillHeld }));
    expect(held({ ...rest, records: undefined }).held).toEqual({
      run: 'R2',
      planned: nothingPlanned,
      reasons: ['too many (more changes than the limits allow, G2)'],
      letThrough,
    });
    expect(held({ ...rest, records: [] }).held).toMatchObject({ records: [] });
    const none = held({ ...rest, holds: [] });
    expect(none.held).toBeNull();
    expect(none).not.toHaveProperty('isLedgerTrusted');
  });

  const contact = (uuid: string) => ({ uuid, values: agreed });
  const placeOf = (
    uuids: readonly string[],
    links: ReadonlyMap<string, Link | null> = new Map(),
    more: Loose<Pulled & { readonly forgotten: string }> = {},
  ) => {
    const input = { crm: { contacts: uuids.map(contact) }, base: { links: new Map([['a', link]]) } };
    return nextPlace(contextOf(), pulledOf(more), decidedOf({ input }), { links });
  };

  test('name contacts without a row, in order: those that no link has, before or after', () => {
    expect(placeOf(['c', 'a', 'b'])).toEqual({ watermark: at, unplaced: ['b', 'c'] });
    expect(placeOf(['a', 'b'], new Map([['b', link]]))).toEqual({ watermark: at, unplaced: [] });
    expect(placeOf(['a'], new Map([['a', null]]))).toEqual({ watermark: at, unplaced: ['a'] });
  });

  test('leave the watermark where it was, of more than a hundred such contacts or without one', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
    expect(placeOf(many(100)).unplaced).toHaveLength(100);
    expect(placeOf(many(101))).toEqual({});
    const more = { watermark: at, forgotten: 'earlier' };
    expect(placeOf(many(101), new Map(), more)).toEqual({ watermark: 'earlier' });
    expect(placeOf(many(1), new Map(), more)).toMatchObject({ watermark: at });
    expect(placeOf(['b'], new Map(), { watermark: undefined })).toEqual({});
    expect(nextPlace(contextOf({ undoes: 'R1' }), pulledOf(), decidedOf(), { links: new Map() })).toEqual({});
  });
});

describe('W9: what a process remembers of a run', () => {
  function kept(context: Loose<RunContext> = {}, pulled: Loose<Pulled> = {}, decided = decidedOf(), ending = nothing) {
    const session = { watermark: at, quiet: { fingerprint: 'old', ending: nothing } };
    const of = contextOf({ session, ...context });
    remember(of, pulledOf(pulled), decided, ending);
    return of.session;
  }

  test('is its ending, without what it did', () => {
    const ending: Ending = { ...nothing, isFull: true, approvable: 'R1', alreadyDone: 2 };
    expect(kept({}, { look: { at: 1 }, noted: { drifted: ['full'], limited: null } }, decidedOf(), ending)).toEqual({
      watermark: at,
      noted: { drifted: ['full'], limited: null },
      quiet: { fingerprint: 'f', look: { at: 1 }, ending: nothing },
    });
  });

  const answered = new Map([['a', { kind: 'gone' }]]);
  const asked = (answers: object) =>
    decidedOf({ input: { answers: { contacts: new Map(), lookups: new Map(), ...answers } } });
  test.each([
    ['that chose among its changes', { choose: () => {} }, {}, decidedOf()],
    ['that found marks', {}, { snapshot: { leftovers: 1 } }, decidedOf()],
    ['that changed a link', {}, {}, decidedOf({ plan: { links: new Map([['a', link]]) } })],
    ['with another watermark', {}, { watermark: '2026-11-22T09:00:00.000Z' }, decidedOf()],
    ['that asked for a contact', {}, {}, asked({ contacts: answered })],
    ['that looked a row up', {}, {}, asked({ lookups: answered })],
    ['that looked a key up', {}, {}, asked({ keys: answered })],
    ['that was stopped', { request: { signal: AbortSignal.abort() } }, {}, decidedOf()],
  ])('is nothing of one %s', (_what, context, pulled, decided) => {
    expect(kept(context, pulled, decided)).not.toHaveProperty('quiet');
  });

  test('W14: of one that asked for no key it is', () => {
    expect(kept({}, {}, asked({ keys: new Map() }))).toHaveProperty('quiet');
  });
});

describe('W18: the note that a run found nothing to do', () => {
  const placed: Facts = { watermark: at, unplaced: [] };
  const withLink = (more: Partial<Link>): Partial<Memory> => {
    return { base: { ...noMemory.base, links: new Map([['a', { ...link, ...more }]]) } };
  };

  async function noted({
    memory = {},
    facts = placed,
    pulled = {},
    decided = decidedOf(),
    ending = nothing,
    context = {},
  }: {
    readonly memory?: Partial<Memory>;
    readonly facts?: Facts;
    readonly pulled?: Loose<Pulled>;
    readonly decided?: Decided;
    readonly ending?: Ending;
    readonly context?: Loose<RunContext>;
  } = {}) {
    const batches: Batch[] = [];
    const lease = { commit: async (batch: Batch) => void batches.push(batch) } as unknown as RunLease;
    const whole = { ...noMemory, ...withLink({}), ...memory, facts };
    await noteQuiet(contextOf(context), lease, whole, pulledOf(pulled), decided, ending);
    return batches;
  }

  test('has what was read, and is written once', async () => {
    const [batch, ...more] = await noted();
    expect(more).toEqual([]);
    const quiet = batch!.facts!.put!.get('quiet');
    expect(quiet).toEqual({ of: expect.any(String), fingerprint: 'f', tab: 'r', linked: 2 });
    expect([...batch!.facts!.put!.keys()]).toEqual(['quiet']);
    expect(await noted({ facts: { ...placed, quiet: quiet as unknown as NonNullable<Facts['quiet']> } })).toEqual([]);
  });

  test('is for this program, account, configuration and last run alone', async () => {
    const of = async (context: Loose<RunContext>, facts: Facts = placed) =>
      ((await noted({ context, facts }))[0]!.facts!.put!.get('quiet') as { readonly of: string }).of;
    const lastRun = { run: 'R1', status: 'succeeded', endedAt: at, counts: nothing.counts, problems: [] } as const;
    const digests = await Promise.all([
      of({}),
      of({ version: '2' }),
      of({ account: 'other' }),
      of({ config: { name: 'x', contacts: { list: 'L' }, sheet: { spreadsheetId: 'S', tab: 'T' } } }),
      of({}, { ...placed, lastRun }),
      of({}, { ...placed, lastRun: { ...lastRun, run: 'R0' } }),
    ]);
    expect(new Set(digests).size).toBe(6);
  });

  test('L12: is written beside problems that the configuration asks for, if the state has the same', async () => {
    const ignored = problem('ignored', { row: 2 }, 'D1', 'its row was deleted');
    const ending = { ...nothing, problems: [ignored] };
    const lastRun = {
      run: 'R1',
      status: 'succeeded',
      endedAt: at,
      counts: nothing.counts,
      problems: [ignored],
    } as const;
    expect(await noted({ ending, facts: { ...placed, lastRun } })).toHaveLength(1);
    expect(await noted({ ending })).toEqual([]);
    expect(await noted({ ending: nothing, facts: { ...placed, lastRun } })).toEqual([]);
    const many = Array.from({ length: 1001 }, () => ignored);
    const told = { ...lastRun, problems: many.slice(0, 1000) };
    expect(await noted({ ending: { ...nothing, problems: many }, facts: { ...placed, lastRun: told } })).toEqual([]);
    const all = { ...nothing, problems: told.problems };
    expect(await noted({ ending: all, facts: { ...placed, lastRun: told } })).toHaveLength(1);
  });

  const held = { run: 'R1', planned: nothingPlanned };
  test.each([
    ['a plan is held', { ...placed, held }],
    ['an undo is held', { ...placed, heldUndo: { ...held, undoes: 'R0' } }],
  ] as const)('is not written while %s', async (_what, facts) => {
    expect(await noted({ facts })).toEqual([]);
  });

  test('is not written where the next scan reads all, or where a contact has no row', async () => {
    expect(await noted({ facts: {}, pulled: { watermark: undefined } })).toEqual([]);
    expect(await noted({ facts: {} })).toHaveLength(1);
    const input = { crm: { contacts: [{ uuid: 'b', values: agreed }] } };
    const decided = decidedOf({ input });
    expect(await noted({ decided })).toEqual([]);
  });

  test('G5: is not written after a pull that was not whole', async () => {
    expect(await noted({ pulled: { noted: { drifted: ['full'], limited: null } } })).toEqual([]);
    expect(await noted({ pulled: { noted: { drifted: [], limited: 'much' } } })).toEqual([]);
    expect(await noted({ facts: { ...placed, drifted: ['full'], limited: 'much' } })).toHaveLength(1);
  });

  const answered = new Map([['a', { kind: 'gone' }]]);
  const asked = (answers: object) =>
    decidedOf({ input: { answers: { contacts: new Map(), lookups: new Map(), ...answers } } });
  const set = { side: 'sheet', op: 'set', uuid: 'a', row: 2, fields: [], rule: 'merge', reason: '' };
  const pending = requestsOf({ q: { kind: 'retry', id: 'a' } });
  const newcomers = new Map([['k', {} as Newcomer]]);
  const strays = new Map([['k', { since: 1 }]]);
  const interrupted = { notes: new Map(), links: new Map(), strays: new Map() };
  test.each<[string, NonNullable<Parameters<typeof noted>[0]>]>([
    ['the tab cannot be recognised', { pulled: { snapshot: { leftovers: 0, fingerprint: 'f' } } }],
    ['the run applied a saved plan', { context: { choose: () => {} } }],
    ['the run took another back', { context: { undoes: 'R1' } }],
    ['records stay held', { decided: decidedOf({ stillHeld: {} }) }],
    ['the run is partial', { ending: { ...nothing, status: 'partial' } }],
    ['a problem is open', { ending: { ...nothing, problems: [problem('held', {}, 'I7', '')] } }],
    ['a record was written', { ending: { ...nothing, counts: { ...nothing.counts, set: 1 } } }],
    ['a change is planned', { decided: decidedOf({ plan: { changes: [set] } }) }],
    ['a link changes', { decided: decidedOf({ plan: { links: new Map([['a', link]]) } }) }],
    ['a stray changes', { decided: decidedOf({ plan: { strays } }) }],
    ['a wish is new', { decided: decidedOf({ plan: { wishes: new Map([['a f', null]]) } }) }],
    ['a contact was asked for', { decided: asked({ contacts: answered }) }],
    ['a row was looked up', { decided: asked({ lookups: answered }) }],
    ['a key was looked up', { decided: asked({ keys: answered }) }],
    ['automations were read', { decided: decidedOf({ input: { automations: [] } }) }],
    ['columns are to be made', { pulled: { toCreate: [] } }],
    ['marks are left', { pulled: { snapshot: { leftovers: 1, fingerprint: 'f', recall: 'r' } } }],
    ['a decision waits', { memory: { pending } }],
    ['a new row was enrolled and is not found', { memory: { newcomers } }],
    ['a row has no contact', { memory: { base: { ...noMemory.base, strays } } }],
    ['a new row is not found, and a row has no contact', { memory: { newcomers, base: { ...noMemory.base, strays } } }],
    ['a decision waits, and a new row is not found', { memory: { pending, newcomers } }],
    ['a decision waits, and a row has no contact', { memory: { pending, base: { ...noMemory.base, strays } } }],
    ['an update was cut short', { memory: { interrupted: { ...interrupted, links: new Map([['a', link]]) } } }],
    ['a create was cut short', { memory: { interrupted: { ...interrupted, strays } } }],
    ['a link is open', { memory: withLink({ isOpen: true }) }],
    ['a link is unsure', { memory: withLink({ isUnsure: true }) }],
    ['a row has copies', { memory: withLink({ copies: [agreed] }) }],
    ['a contact was missed', { memory: withLink({ missedScans: 1 }) }],
    ['a write was refused', { memory: withLink({ refusal: { message: '', times: 1, retryAt: null, sheet: agreed } }) }],
    ['another write was refused', { memory: withLink({ refusals: {} }) }],
    ['a write is counted', { memory: withLink({ counted: {} }) }],
    ['a field is in conflict', { memory: withLink({ notes: { position: { written: [], conflictSince: 1 } } }) }],
  ])('is not written where %s', async (_what, given) => {
    expect(await noted(given)).toEqual([]);
  });

  test('is written beside links that only say which side is gone and what was written', async () => {
    const written = withLink({ notes: { position: { written: [] } }, standing: 'row-gone', writtenAt: 1, shownAt: 2 });
    expect(await noted({ memory: written })).toHaveLength(1);
    expect(await noted({ decided: asked({ keys: new Map() }) })).toHaveLength(1);
  });

  test('E3: is written where each wish came to its end', async () => {
    const wish = (entry: object): Partial<Memory> => {
      const entries = new Map([[ledgerKey('a', 'f'), { at: 1, run: 'R', ...entry } as never]]);
      return { ledger: { entries, isTrusted: true } };
    };
    const states = ['enrolled', 'skipped', 'cancelled', 'waiting', 'intended', 'refused', 'unknown', 'cancelling'];
    const written = await Promise.all(states.map(async (state) => (await noted({ memory: wish({ state }) })).length));
    expect(written).toEqual([1, 1, 1, 0, 0, 0, 0, 0]);
    const refusedCancel = { message: 'no', times: 1, retryAt: null };
    expect(await noted({ memory: wish({ state: 'enrolled', refusedCancel }) })).toEqual([]);
  });
});

describe('W18: a run that finds nothing changed since the note', () => {
  const problems = [problem('ignored', { row: 2 }, 'D1', 'its row was deleted')];
  const lastRun = { run: 'R1', status: 'succeeded', endedAt: at, counts: nothing.counts, problems } as const;
  const facts = {
    fields: ['position', 'email'],
    list: { named: 'L', uuid: 'U' },
    watermark: at,
    unplaced: [],
    lastRun,
  } satisfies Facts;
  const later = '2026-11-22T09:00:00.000Z';
  const whole = { mode: 'incremental', whole: true, reasons: [], contacts: 0, expected: 0, cursor: later };

  interface Scene {
    readonly facts?: Facts;
    readonly session?: object;
    readonly request?: object;
    readonly found?: readonly { readonly uuid: string; readonly values: string }[];
    readonly report?: object;
    readonly links?: ReadonlyMap<string, object>;
    readonly tables?: object;
    readonly seen?: unknown;
    readonly isAsRecalled?: boolean;
  }

  async function find({
    facts: known = facts,
    session = { isNext: true, quiet: { fingerprint: 'f', ending: nothing } },
    request = {},
    found = [],
    report = {},
    links = new Map([['a', link]]),
    tables = {},
    seen = 'unchanged',
    isAsRecalled = true,
  }: Scene = {}) {
    const loads: unknown[] = [];
    const of = contextOf({
      session,
      request: { isFull: false, isAsked: true, signal, ...request },
      hints: undefined,
      crm: { lists: { named: async () => ({ lists: [{ uuid: 'U', name: 'L' }] }) } },
      emit: () => {},
      config: { name: 's', contacts: { list: 'L' }, sheet: { spreadsheetId: 'S', tab: 'T' } },
      table: { read: async () => seen, isAsRecalled: async () => isAsRecalled },
      contacts: {
        scan: ({ keep }: { readonly keep: (contact: unknown) => unknown }) => ({
          report: () => ({ ...whole, ...report }),
          async *[Symbol.asyncIterator]() {
            if (found.length > 0) yield found.map((each) => keep(each));
          },
        }),
      },
      shape: { mapping: { fields }, toRecord: (contact: object) => contact },
    });
    const noted: Batch[] = [];
    const noting = { commit: async (batch: Batch) => void noted.push(batch) } as unknown as RunLease;
    const before = { ...noMemory, facts: known, base: { ...noMemory.base, links: new Map([['a', link]]) } };
    await noteQuiet(of, noting, before, pulledOf(), decidedOf(), { ...nothing, problems });
    const quiet = noted[0]?.facts?.put?.get('quiet');
    const loaded = {
      facts: new Map(Object.entries({ ...known, ...(quiet !== undefined && { quiet }) })),
      links,
      ...Object.fromEntries(['strays', 'ledger', 'outbox', 'requests', 'setAside'].map((name) => [name, new Map()])),
      notices: [],
      ...tables,
    };
    const lease = {
      glance: async (uuids: readonly string[]) => {
        loads.push(uuids);
        return loaded;
      },
      load: async () => {
        loads.push('all');
        return loaded;
      },
    } as unknown as RunLease;
    const answer = await findQuiet(of, lease, of.request, () => of);
    return { ...answer, session: of.session, loads };
  }
  const contactA = { uuid: 'a', values: agreed };

  test('ends as the run before, keeps where it was, and forgets a drift that is over', async () => {
    const session = {
      isNext: true,
      quiet: { fingerprint: 'f', ending: nothing },
      noted: { drifted: ['incremental'], limited: null },
    };
    const { ending, session: after } = await find({ session });
    expect(ending).toBe(nothing);
    expect(after).toMatchObject({
      watermark: later,
      noted: { drifted: [], limited: null },
      quiet: { fingerprint: 'f' },
    });
  });

  test('in a process without memory ends as the note says, with the problems of the state', async () => {
    const { ending, session } = await find({ session: {} });
    expect(ending).toEqual({ ...nothing, problems, counts: { ...nothing.counts, ignored: 1 } });
    expect(session).toMatchObject({ watermark: later, quiet: { fingerprint: 'f', ending } });
    const other = await find({ session: {}, isAsRecalled: false });
    expect(other).not.toHaveProperty('ending');
    expect(other.already).not.toHaveProperty('looked');
  });

  test('a watermark stays where it was if the scan gives none', async () => {
    const session = { isNext: true, quiet: { fingerprint: 'f', ending: nothing }, watermark: at };
    const drifted = await find({ session, report: { whole: false, lack: 'drift', reasons: ['x'] } });
    expect([drifted.ending, drifted.session.watermark]).toEqual([undefined, at]);
  });

  test('a contact that is as it was seen is no change; one that differs is, and what was read is kept', async () => {
    expect((await find({ found: [contactA] })).ending).toBe(nothing);
    const changed = await find({ found: [{ uuid: 'a', values: pack(['CEO', 'x']) }] });
    expect(changed).not.toHaveProperty('ending');
    expect(changed.already).toMatchObject({ looked: { seen: 'unchanged' } });
    expect(await find({ found: [{ uuid: 'b', values: agreed }] })).not.toHaveProperty('ending');
    expect(
      await find({ found: [contactA], links: new Map([['a', { ...link, standing: 'left' }]]) }),
    ).not.toHaveProperty('ending');
    expect(await find({ found: [contactA], links: new Map([['a', { ...link, isOpen: true }]]) })).not.toHaveProperty(
      'ending',
    );
    expect(await find({ seen: { rows: [] } })).not.toHaveProperty('ending');
  });

  test('of up to twenty contacts only their links are read, of more than a hundred nothing is concluded', async () => {
    const people = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ uuid: `n${index}`, values: agreed }));
    const linksOf = (count: number) => new Map(people(count).map(({ uuid }) => [uuid, link]));
    const of = (count: number) => find({ found: people(count), links: linksOf(count) });
    const [twenty, more, hundred, tooMany] = [await of(20), await of(21), await of(100), await of(101)];
    expect([twenty, more, hundred].map(({ ending }) => ending)).toEqual([nothing, nothing, nothing]);
    expect(twenty.loads).toEqual([[], people(20).map(({ uuid }) => uuid)]);
    expect(more.loads).toEqual([[], 'all']);
    expect([tooMany.ending, tooMany.loads]).toEqual([undefined, [[]]]);
  });

  const request = { kind: 'retry', id: 'a' };
  test.each<[string, Scene]>([
    ['the run reads all', { request: { isFull: true } }],
    [
      'the run before is known and another process ran since',
      { session: { quiet: { fingerprint: 'f', ending: nothing } } },
    ],
    ['the run before had something to do', { session: { isNext: true } }],
    ['a decision waits', { tables: { requests: new Map([['q', request]]) } }],
    ['a step was cut short', { tables: { outbox: new Map([['R 1', { lines: [] }]]) } }],
    ['a row has no contact', { tables: { strays: new Map([['k', { since: 1 }]]) } }],
    ['the state has a fault', { tables: { notices: [{ kind: 'torn', message: 'cut', file: 'f' }] } }],
    ['a record is not valid', { tables: { links: new Map([['b', {}]]) } }],
    ['a plan is held', { facts: { ...facts, held: { run: 'R1', planned: nothingPlanned } } }],
    ['no watermark is known', { tables: { facts: new Map() } }],
  ])('goes the usual way where %s', async (_what, given) => {
    expect(await find(given)).not.toHaveProperty('ending');
  });
});

describe('M1: decisions for values that are others by now', () => {
  const seen = { crm: 'CTO', sheet: 'CEO' };
  const resolve = (resolution: object) => ({ kind: 'resolve', id: 'a/position', resolution });
  const conflict = (values: object) => {
    return {
      ...problem('conflict', { uuid: 'a', field: 'position' }, 'M1', ''),
      values: { base: null, ...values } as never,
    };
  };
  const outdated = (
    request: object,
    {
      problems = [],
      links = new Map(),
      finished = [],
      base = link,
    }: {
      readonly problems?: readonly ReturnType<typeof problem>[];
      readonly links?: ReadonlyMap<string, Link | null>;
      readonly finished?: readonly string[];
      readonly base?: Link;
    } = {},
  ) =>
    outdatedResolutions(
      { pending: requestsOf({ q: request }), base: { fields: [], links: new Map([['a', base]]), strays: new Map() } },
      { problems, links },
      { fields },
      finished,
    );

  test('an open conflict with other values is asked about anew', () => {
    expect(outdated(resolve({ use: 'crm', seen }), { problems: [conflict({ crm: 'COO', sheet: 'CEO' })] })).toEqual([
      'q',
    ]);
    expect(outdated(resolve({ use: 'crm', seen }), { problems: [conflict(seen)] })).toEqual([]);
    expect(outdated(resolve({ use: 'crm' }), { problems: [conflict({ crm: 'COO', sheet: 'CEO' })] })).toEqual([]);
    expect(outdated({ kind: 'retry', id: 'a/position' }, { problems: [conflict({ crm: 'x', sheet: 'y' })] })).toEqual(
      [],
    );
    const held = { ...conflict({ crm: 'COO', sheet: 'CEO' }), kind: 'held' } as const;
    expect(outdated(resolve({ use: 'crm', seen }), { problems: [held] })).toEqual([]);
  });

  test('a decision that is done with is void where neither side holds what was decided', () => {
    const other = { agreed: pack(['COO', 'a@acme.test']) };
    expect(outdated(resolve({ use: 'crm', seen }), { finished: ['q'] })).toEqual([]);
    expect(outdated(resolve({ use: 'sheet', seen }), { finished: ['q'] })).toEqual(['q']);
    expect(outdated(resolve({ use: 'sheet', seen }), {})).toEqual([]);
    expect(outdated(resolve({ use: 'crm', seen }), { finished: ['q'], links: new Map([['a', other]]) })).toEqual(['q']);
    expect(outdated(resolve({ use: 'crm', seen }), { finished: ['q'], links: new Map([['a', null]]) })).toEqual(['q']);
  });

  test('the sides that hold it are those of the last reading', () => {
    const both: Link = { agreed, sheet: pack(['CEO', 'x']) };
    const sides = (resolution: object, id = 'a/position') =>
      sidesAsDecided(
        { base: { fields: [], links: new Map([['a', both]]), strays: new Map() }, links: new Map(), fields },
        { kind: 'resolve', id, resolution } as Parameters<typeof sidesAsDecided>[1],
      );
    expect(sides({ value: 'CTO' })).toEqual(['crm']);
    expect(sides({ value: 'CEO' })).toEqual(['sheet']);
    expect(sides({ value: 'x' })).toEqual([]);
    expect(sides({ use: 'sheet' })).toEqual(['sheet']);
    expect(sides({ use: 'sheet', seen: { crm: 'CEO', sheet: 'CTO' } })).toEqual(['crm']);
    expect(sides({ value: 'CTO' }, 'b/position')).toEqual([]);
    expect(sides({ value: 'CTO' }, 'a/other')).toEqual([]);
  });
});

describe('E3: calls of unknown outcome of earlier runs', () => {
  const key = rowKey({ values: agreed });
  const row = { number: 5, id: '', values: agreed };
  const newcomer: Newcomer = {
    automation: 'f',
    name: 'Welcome',
    at: 1_000,
    run: 'R1',
    state: 'intended',
    identifiers: { email: 'a@acme.test', name: 'Ann' },
  };
  const contact: Contact = { uuid: 'a', values: [], list: 'U', passesFilter: true };

  async function recovered(
    given: Partial<Newcomer> | undefined,
    {
      found,
      now = 2_000,
      rows = [row],
      memory = {},
      hasLease = true,
    }: {
      readonly found?: Contact | Error;
      readonly now?: number;
      readonly rows?: readonly object[];
      readonly memory?: Partial<Memory>;
      readonly hasLease?: boolean;
    } = {},
  ) {
    const [batches, lines, asked] = [new Array<Batch>(), new Array<HistoryLine>(), new Array<unknown>()];
    const lease = {
      commit: async (batch: Batch) => void batches.push(batch),
      appendHistory: async (more: readonly HistoryLine[]) => void lines.push(...more),
    } as unknown as Lease;
    const context = contextOf({
      crm: { now: () => now },
      // The rows are known by their contents.
      shape: { ...contextOf().shape, identifiers: () => ({}) },
      contacts: {
        findByIdentifiers: async (identifiers: unknown) => {
          asked.push(identifiers);
          if (found instanceof Error) throw found;
          return found;
        },
      },
    });
    const newcomers = new Map(given ? [[key, { ...newcomer, ...given }]] : []);
    const pulled = pulledOf({ sheet: { rows } });
    const result = await recoverCalls(
      context,
      { ...noMemory, newcomers, ...memory },
      pulled,
      hasLease ? lease : undefined,
    );
    return { ...result, batches, lines, asked, left: result.memory.newcomers.get(key) };
  }
  const entries = (state: string) =>
    ({
      ledger: {
        entries: new Map([[ledgerKey('a', 'f'), { state, at: 500, run: 'R0', name: 'Old' }]]),
        isTrusted: true,
      },
    }) as Partial<Memory>;

  test('W9: without any nothing is asked and nothing written', async () => {
    const { batches, asked, memory } = await recovered(undefined);
    expect([batches, asked, memory.newcomers.size]).toEqual([[], [], 0]);
  });

  test('a contact that is found is looked up by its strongest key alone, and its outcome stays unknown', async () => {
    const { asked, left, memory, answers, batches, lines } = await recovered({}, { found: contact });
    expect(asked).toEqual([{ email: 'a@acme.test' }]);
    const entry = { state: 'unknown', at: 1_000, run: 'R1', name: 'Welcome', calls: [1_000] };
    expect(memory.ledger.entries.get(ledgerKey('a', 'f'))).toEqual(entry);
    expect(left).toBeUndefined();
    expect(answers.lookups.get(key)).toEqual({ kind: 'here', contact: { uuid: 'a', values: agreed } });
    expect(batches).toEqual([
      {
        ledger: { put: new Map([[ledgerKey('a', 'f'), entry]]) },
        strays: { put: new Map([[key, { since: 1_000, isCounted: true }]]) },
        outbox: { put: new Map(), delete: [key] },
      },
    ]);
    expect(lines).toMatchObject([
      {
        run: 'R1',
        contact: 'a',
        rule: 'E3',
        outcome: 'unknown',
        message: 'the run ended before the outcome was known',
      },
    ]);
    expect(memory.base.strays.get(key)).toEqual({ since: 1_000, isCounted: true });
  });

  test('a call that the service accepted is known to have enrolled', async () => {
    const { memory, lines } = await recovered({ state: 'added' }, { found: contact });
    expect(memory.ledger.entries.get(ledgerKey('a', 'f'))).toMatchObject({ state: 'enrolled', calls: [1_000] });
    expect(lines).toMatchObject([{ outcome: 'done' }]);
    expect(lines[0]).not.toHaveProperty('message');
  });

  test('an enrolment that is known to be done stays as it is; one that waits keeps its calls', async () => {
    const done = await recovered({}, { found: contact, memory: entries('enrolled') });
    expect(done.memory.ledger.entries.get(ledgerKey('a', 'f'))).toMatchObject({ state: 'enrolled', at: 500 });
    expect([done.lines, done.left]).toEqual([[], undefined]);
    const waits = await recovered({}, { found: contact, memory: entries('waiting') });
    expect(waits.memory.ledger.entries.get(ledgerKey('a', 'f'))).toMatchObject({ state: 'unknown', calls: [1_000] });
  });

  test('E3: an enrolment whose call was cut short is unknown', async () => {
    const { memory, lines, batches } = await recovered(undefined, { memory: entries('intended') });
    expect(memory.ledger.entries.get(ledgerKey('a', 'f'))).toMatchObject({ state: 'unknown', at: 500 });
    expect([lines.length, batches.length]).toEqual([1, 1]);
    const again = await recovered(undefined, { memory: entries('unknown') });
    expect([again.lines, again.batches]).toEqual([[], []]);
  });

  test('a contact that does not exist was not enrolled: the row is tried again', async () => {
    const { left, batches, lines, memory } = await recovered({});
    expect(left).toEqual({ ...newcomer, state: 'absent' });
    expect(batches).toMatchObject([
      { outbox: { put: new Map([[key, { ...newcomer, state: 'absent' }]]), delete: [] } },
    ]);
    expect([lines, memory.ledger.inFlight!.size]).toEqual([[], 0]);
    const known = await recovered({ state: 'absent' });
    expect(known.left).toMatchObject({ state: 'absent' });
    expect(known.batches).toMatchObject([{ outbox: { put: new Map(), delete: [] } }]);
  });

  test('a row that is gone is looked for ten minutes', async () => {
    const rows = [{ ...row, id: 'x' }];
    const { left: late, batches } = await recovered({ state: 'absent' }, { rows, now: 601_001 });
    expect(late).toBeUndefined();
    expect(batches).toMatchObject([{ outbox: { delete: [key] } }]);
    expect((await recovered({ state: 'absent' }, { rows, now: 601_000 })).left).toBeDefined();
    expect((await recovered({ state: 'absent' }, { now: 601_001 })).left).toBeDefined();
  });

  test('L8: a contact that was accepted and is missing waits for a person', async () => {
    const { left, memory } = await recovered({ state: 'added' });
    expect(left).toMatchObject({ state: 'added' });
    expect(memory.ledger.inFlight!.get(key)).toMatchObject({ state: 'added', automation: 'f' });
    const retry = { requests: { resolve: new Map(), retry: new Set(['row:5']) } };
    const again = await recovered({ state: 'added' }, { memory: retry });
    expect(again.left).toBeUndefined();
    // E4: the row is tried again, and the call goes on to count for the cap.
    expect(again.memory.ledger.inFlight!.has(key)).toBe(false);
    expect([...again.memory.ledger.inFlight!.values()]).toMatchObject([{ isSpent: true, at: 1_000 }]);
  });

  test('a lookup without an answer leaves the call in flight; a refused token ends the run', async () => {
    const call = { method: 'GET', path: '/x' };
    const lost = Object.assign(Object.create(OutcomeUnknownError.prototype) as Error, call);
    const { left, memory } = await recovered({}, { found: lost });
    expect(left).toEqual(newcomer);
    expect(memory.ledger.inFlight!.get(key)).toMatchObject({ isUnanswered: true });
    const refused = Object.create(AuthenticationError.prototype) as Error;
    await expect(recovered({}, { found: refused })).rejects.toBe(refused);
    await expect(recovered({}, { found: new Error('a fault') })).rejects.toThrow('a fault');
  });

  test('without a lease the plan is made as if it were written', async () => {
    const { batches, lines, left, memory } = await recovered({}, { found: contact, hasLease: false });
    expect([batches, lines, left]).toEqual([[], [], undefined]);
    expect(memory.ledger.entries.size).toBe(1);
  });

  test('G2: a row that is counted already is not noted again, and one that is known keeps what is known', async () => {
    const strays = (stray: Stray): Partial<Memory> => ({ base: { ...noMemory.base, strays: new Map([[key, stray]]) } });
    const counted = await recovered({}, { memory: strays({ since: 7, isCounted: true }) });
    expect(counted.batches).toMatchObject([{ strays: { put: new Map() } }]);
    const known = await recovered({}, { memory: strays({ since: 7, isApart: true }) });
    expect(known.memory.base.strays.get(key)).toEqual({ since: 7, isApart: true, isCounted: true });
  });
});

describe('helpers of a run', () => {
  const about = { uuid: 'a', row: 2, fields: [], rule: 'merge', reason: '' } as const;
  const set: Change = { ...about, side: 'sheet', op: 'set' };
  const create: Change = { ...about, side: 'crm', op: 'create', uuid: null, key: 'k' };

  test('L12, W11: a plan that is not carried out tells what was not read, and each lost header', () => {
    const incomplete = problem('incomplete', {}, 'G5', 'half');
    const pulled = pulledOf({ isFull: true, problems: [incomplete], sheet: { missing: ['Position'] } });
    const held = problem('held', { row: 2 }, 'I7', '');
    const decided = { ...decidedOf({ plan: { problems: [held], linked: 4 } }), pulled };
    const ending = plannedEnding(decided);
    expect(ending).toMatchObject({ status: 'partial', isFull: true, counts: { linked: 4, held: 2 } });
    expect(ending.problems).toMatchObject([incomplete, { field: 'Position', rule: 'W11' }, held]);
    const hold = { rule: 'G2', reason: '', fails: false };
    const base = { fields: [], links: new Map([['a', link]]), strays: new Map() };
    expect(heldEnding(base, { ...decidedOf({ plan: { holds: [hold], problems: [held] } }), pulled })).toMatchObject({
      status: 'held',
      isFull: true,
      counts: { linked: 1 },
      problems: [incomplete, held],
      holds: [hold],
    });
  });

  test('W8: what a stopped run had to do is its changes of the service, and cells but the ID of a new contact', () => {
    const update: Change = { ...about, side: 'crm', op: 'update' };
    const remove: Change = { ...about, side: 'sheet', op: 'remove', row: 9 };
    const held: Change = { ...about, side: 'crm', op: 'enrol', automation: 'f' };
    const enrolled = { outcomes: new Map(), problems: [], results: new Map(), held: new Set([held]) };
    const { plan } = decidedOf({ plan: { changes: [create, update, held, set, remove] } });
    const idOfNew = { ...set, uuid: 'n' };
    const other = { ...set, row: 3 };
    const append: Change = { ...about, side: 'sheet', op: 'append' };
    expect(toDo(plan, [idOfNew, other, append], enrolled)).toEqual([create, update, remove, other, append]);
  });

  test('W5: rows whose cells or deletion wait are left alone', () => {
    const refused = { refusals: { set: { message: '', times: 1, retryAt: null, sheet: agreed } } };
    const w5 = (uuid: string | null, row: number | null) => problem('refused', { uuid, row }, 'W5', '');
    const rows = (
      problems: readonly ReturnType<typeof w5>[],
      settled: ReadonlyMap<string, Link>,
      strays: readonly string[] = [],
    ) => {
      const base = { fields: [], links: new Map([['b', { ...link, ...refused }]]), strays: new Map() };
      const of = { links: settled, strays: new Map(strays.map((key) => [key, { since: 1 }])), problems };
      return [...rowsRefused({ base }, of as unknown as Parameters<typeof rowsRefused>[1])];
    };
    expect(rows([w5('a', 2), w5('b', 3), w5('c', 4)], new Map([['a', { ...link, ...refused }]]))).toEqual([2, 3]);
    expect(rows([w5('b', 3)], new Map([['b', link]]))).toEqual([]);
    expect(rows([w5(null, 2), w5('b', null)], new Map())).toEqual([]);
    expect(rows([problem('held', { uuid: 'b', row: 3 }, 'I4', '')], new Map())).toEqual([]);
    expect(rows([w5('c', 4)], new Map(), [rowChangeKey({ op: 'remove', uuid: 'c', row: 4 })])).toEqual([4]);
    expect(rows([w5('c', 4)], new Map(), [rowChangeKey({ op: 'remove', uuid: 'c', row: 5 })])).toEqual([]);
  });

  test('the strongest identifier alone names a contact; a name goes with its company', () => {
    const all = { network_id: 'n', email: 'e', name: 'N', company_name: 'C' };
    expect(strongestOf(all)).toEqual({ network_id: 'n' });
    const { network_id: _handle, ...others } = all;
    expect(strongestOf(others)).toEqual({ email: 'e' });
    expect(strongestOf({ name: 'N', company_name: 'C' })).toEqual({ name: 'N', company_name: 'C' });
    expect([strongestOf({ name: 'N' }), strongestOf({ company_name: 'C' }), strongestOf({})]).toEqual([
      { name: 'N' },
      { company_name: 'C' },
      {},
    ]);
  });

  test('W4, W6: an answer that is lost is read, and only then unknown, also where the token is refused for the reading', async () => {
    const lost = new OutcomeUnknownError({ operation: 'contacts.update', attempts: 3 }, 'lost', true);
    const token = new AuthenticationError({ operation: 'contacts.get', status: 401, attempts: 1 }, 'Unauthenticated.');
    const fail = (error: Error) => async () => {
      throw error;
    };
    const never = fail(new Error('not asked for'));
    expect(await unlessLost(async () => 1, never)).toBe(1);
    expect(await unlessLost(fail(lost), async () => 2)).toBe(2);
    await expect(unlessLost(fail(token), never)).rejects.toBe(token);
    await expect(unlessLost(fail(lost), fail(new Error('no')))).rejects.toBe(lost);
    await expect(unlessLost(fail(lost), fail(token))).rejects.toMatchObject({
      code: 'authentication',
      call: { operation: 'contacts.update', status: 401, attempts: 3, mayHaveArrived: true },
    });
  });

  test('I8, L1: of two readings of a contact the later one counts, and both without a later one', () => {
    const dated = (updatedAt?: number): Contact => ({
      uuid: 'a',
      values: [],
      list: 'U',
      passesFilter: true,
      updatedAt,
    });
    const readings = (shown: Contact | undefined, found: Contact) =>
      readingsOf({ lookedUp: new Map(shown ? [['a', shown]] : []) }, found);
    const [early, late] = [dated(1), dated(2)];
    expect(readings(undefined, early)).toEqual([early]);
    expect(readings(late, early)).toEqual([late]);
    expect(readings(early, late)).toEqual([late]);
    const same = dated(2);
    expect(readings(late, same)).toEqual([same, late]);
    expect(readings(dated(), late)).toHaveLength(2);
    expect(readings(late, dated())).toHaveLength(2);
  });
});
