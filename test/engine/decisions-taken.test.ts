import { describe, expect, test } from 'vitest';
import { pauseAt, readPause, takeUpAtOnce, takeUpNow, withDecisionsAtOnce } from '../../src/engine/at-once.ts';
import { takeUpCancels, withCancels } from '../../src/engine/cancel.ts';
import { type DecisionOrigin, type DecisionRequest, idOf, isApproval, toStored } from '../../src/engine/decision.ts';
import { acquireLease, type RunLease } from '../../src/engine/decisions-told.ts';
import { heldPlan, holdRun } from '../../src/engine/held.ts';
import { nothingPlanned } from '../../src/engine/report.ts';
import type { HeldFact, HeldRecord } from '../../src/engine/stored/facts.ts';
import { withTaken } from '../../src/engine/taken.ts';
import { LeaseTakenError } from '../../src/state/errors.ts';
import type { Batch, HistoryLine, JsonObject, Lease, LoadedState, SomeState } from '../../src/state/port.ts';
import { ledgerKey } from '../../src/sync/record/ledger.ts';

/* What becomes of decisions of people: those that need no run, cancels, approvals, and what the history says of each. */

const at = '2026-11-21T09:00:00.000Z';
const origin: DecisionOrigin = { by: 'ann', at, through: 'cli', text: 'what to do', seen: { status: null } };
const signature = { by: 'ann', at, through: 'cli' } as const;
const uuid = 'aaaaaaaa-0000-4000-8000-000000000000';
const flow = 'ffffffff-0000-4000-8000-000000000000';

interface Given {
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly ledger?: Readonly<Record<string, unknown>>;
  readonly requests?: Readonly<Record<string, unknown>>;
  readonly notices?: LoadedState['notices'];
}

function state({ facts = {}, ledger = {}, requests = {}, notices = [] }: Given = {}): SomeState {
  const table = (records: object) => new Map(Object.entries(records)) as ReadonlyMap<string, JsonObject>;
  return {
    facts: table(facts),
    ledger: table(ledger),
    requests: table(requests),
    links: new Map(),
    strays: new Map(),
    outbox: new Map(),
    setAside: new Map(),
    notices,
    counts: new Map(),
    isExact: true,
  };
}

/** A lease that notes what is committed and what is void. */
function noting() {
  const [batches, voided, held] = [new Array<Batch>(), new Array<string>(), { again: 0 }];
  const lease = {
    commit: async (batch: Batch) => void batches.push(batch),
    makesVoid: (ids: Iterable<string>) => void voided.push(...ids),
    holdsAgain: () => void (held.again += 1),
  };
  return { lease, batches, voided, held };
}

const pause = { kind: 'pause', origin };
const approve = { kind: 'approve', run: 'R1', counts: nothingPlanned };
const refuse = { kind: 'refuse', run: 'R1', origin };
const heldFact = { run: 'R1', planned: nothingPlanned };

describe('decisions that need no run', () => {
  test('a pause is in effect with who, when and through what; an end and a reason only where they were said', () => {
    const paused = (request: object) => withDecisionsAtOnce(state({ requests: { p: request } })).facts.get('paused');
    expect(paused(pause)).toEqual(signature);
    expect(paused({ ...pause, until: at, reason: 'a holiday' })).toEqual({
      ...signature,
      until: at,
      reason: 'a holiday',
    });
  });

  test('the last of a pause and a resume counts, and neither is left to be done', () => {
    const resume = { kind: 'resume', origin };
    const after = withDecisionsAtOnce(state({ requests: { a: pause, b: resume } }));
    expect([after.facts.get('paused'), after.requests.size]).toEqual([null, 0]);
    expect(withDecisionsAtOnce(state({ requests: { a: resume, b: pause } })).facts.get('paused')).toEqual(signature);
  });

  test('other decisions stay as they are, and without one of these the state is the same object', () => {
    const loaded = state({ requests: { a: approve, r: { kind: 'run', origin }, x: { kind: 'nonsense' } } });
    expect(withDecisionsAtOnce(loaded)).toBe(loaded);
    const both = withDecisionsAtOnce(state({ requests: { a: approve, p: pause } }));
    expect([...both.requests.keys()]).toEqual(['a']);
  });

  test('G7: a refusal signs the held plan of its run, and ends earlier approvals of that run alone', async () => {
    const records = { ...approve, kind: 'approve-records', ids: ['a'], digests: ['d'], origin };
    const requests = { a: approve, b: { ...approve, run: 'R0' }, c: records, d: refuse, e: approve };
    const { lease, batches, voided } = noting();
    const after = await takeUpAtOnce(lease, state({ facts: { held: heldFact }, requests }));
    expect(after.facts.get('held')).toEqual({ ...heldFact, refused: signature });
    expect([...after.requests.keys()]).toEqual(['b', 'e']);
    expect(voided).toEqual(['a', 'c']);
    expect(batches).toEqual([
      { facts: { put: new Map([['held', { ...heldFact, refused: signature }]]) }, doneRequests: ['a', 'c', 'd'] },
    ]);
  });

  test.each([
    ['of another run', { held: { ...heldFact, run: 'R2' } }],
    ['where no plan is held', {}],
    ['where the held plan is unreadable', { held: { run: 'R1' } }],
    ['where the hold is over', { held: null }],
  ])('G7: a refusal %s is void, and changes nothing', async (_what, facts) => {
    const { lease, voided } = noting();
    const after = await takeUpAtOnce(lease, state({ facts, requests: { d: refuse } }));
    expect(voided).toEqual(['d']);
    expect([...after.facts]).toEqual(Object.entries(facts));
    expect(after.requests.size).toBe(0);
  });

  test('W9: without a decision nothing is committed', async () => {
    const { lease, batches } = noting();
    const loaded = state({ requests: { a: approve } });
    expect(await takeUpAtOnce(lease, loaded)).toBe(loaded);
    expect(batches).toEqual([]);
  });

  test('a pause is over at its end, and lasts without one', () => {
    const [now, paused] = [Date.parse(at), { ...signature, until: at }];
    expect(pauseAt(paused, now - 1)).toBe(paused);
    expect(pauseAt(paused, now)).toBeUndefined();
    expect(pauseAt(signature, now)).toBe(signature);
    expect([pauseAt(null, now), pauseAt(undefined, now)]).toEqual([undefined, undefined]);
  });

  test('the pause of a job counts decisions that no run has taken up, and no fact that is unreadable', async () => {
    const read = async (given: Given) =>
      readPause({
        now: () => Date.parse(at),
        state: { loadSome: async () => state(given), acquireLease: () => Promise.reject(new Error('not asked for')) },
      });
    expect(await read({})).toBeUndefined();
    expect(await read({ facts: { paused: signature } })).toEqual(signature);
    expect(await read({ requests: { p: pause } })).toEqual(signature);
    expect(await read({ facts: { paused: signature }, requests: { p: { kind: 'resume', origin } } })).toBeUndefined();
    expect(await read({ facts: { paused: { by: 'ann' } } })).toBeUndefined();
  });
});

describe('decisions that are taken up between two runs', () => {
  async function take(given: Given, refused?: Error, isSound = true) {
    const { batches } = noting();
    const asked: unknown[] = [];
    const lines: HistoryLine[] = [];
    const lease = {
      glance: async () => (isSound ? state(given) : undefined),
      load: async () => state(given),
      commit: async (batch: Batch) => void batches.push(batch),
      appendHistory: async (more: readonly HistoryLine[]) => void lines.push(...more),
      [Symbol.asyncDispose]: async () => void asked.push('released'),
    } as unknown as Lease;
    const acquire = async (options: unknown) => {
      asked.push(options);
      if (refused) throw refused;
      return lease;
    };
    await takeUpNow({
      name: 'prospects',
      now: () => 0,
      state: { loadSome: async () => state(given), acquireLease: acquire },
    });
    return { asked, batches, lines };
  }

  test('under a lease for which nobody waits, with a line in the history', async () => {
    const { asked, batches, lines } = await take({ requests: { p: pause } });
    expect(asked).toEqual([{ waitMs: 0 }, 'released']);
    expect(batches).toMatchObject([{ doneRequests: ['p'] }]);
    expect(lines).toMatchObject([{ decision: 'pause', outcome: 'taken', run: '' }]);
  });

  test('not where there is none, and not of a job without a state', async () => {
    const absent = { kind: 'absent', message: 'none', file: 'state' } as const;
    expect((await take({ requests: { a: approve } })).asked).toEqual([]);
    expect((await take({ requests: { p: pause }, notices: [absent] })).asked).toEqual([]);
  });

  test('S1: not of a state that is to be repaired: the run that repairs it says what may be missing', async () => {
    const torn = { kind: 'torn', message: 'cut', file: 'state' } as const;
    expect((await take({ requests: { p: pause }, notices: [torn] })).asked).toEqual([]);
    // Damage that the look did not see.
    expect((await take({ requests: { p: pause } }, undefined, false)).batches).toEqual([]);
  });

  test('not while a run has the lease; any other failure is thrown', async () => {
    const taken = Object.assign(Object.create(LeaseTakenError.prototype) as LeaseTakenError, {});
    expect((await take({ requests: { p: pause } }, taken)).batches).toEqual([]);
    await expect(take({ requests: { p: pause } }, new Error('a fault'))).rejects.toThrow('a fault');
  });
});

describe('E8, P7: cancels', () => {
  const waiting = { state: 'waiting', at: 1, run: 'R0', name: 'Welcome' };
  const key = ledgerKey(uuid, flow);
  const cancel = (id: string) => ({ kind: 'cancel', id, origin });

  test('E8: a wish that waits is cancelled at the instant of the decision', () => {
    const after = withCancels(state({ ledger: { [key]: waiting }, requests: { c: cancel(`${uuid}/${flow}`) } }));
    expect(after.ledger.get(key)).toEqual({ state: 'cancelled', at: Date.parse(at), run: '', name: 'Welcome' });
    expect(after.requests.size).toBe(0);
  });

  test('P7: a message that waits is cancelled by the ID of its row', () => {
    const after = withCancels(
      state({ ledger: { row1: { ...waiting, said: 'x', isAgain: true } }, requests: { c: cancel('row1') } }),
    );
    expect(after.ledger.get('row1')).toEqual({
      state: 'cancelled',
      at: Date.parse(at),
      run: '',
      name: 'Welcome',
      said: 'x',
    });
  });

  test.each([
    ['was enrolled', { ...waiting, state: 'enrolled' }],
    ['is unknown', { ...waiting, state: 'unknown' }],
    ['is unreadable', { state: 'waiting' }],
    ['is an unreadable message', { state: 'waiting', said: 'x' }],
    ['is a message that was sent', { ...waiting, state: 'sent', said: 'x' }],
  ])('E8: a cancel of what %s is void, and changes nothing', async (_what, entry) => {
    const { lease, batches, voided } = noting();
    const loaded = state({ ledger: { [key]: entry }, requests: { c: cancel(`${uuid}/${flow}`) } });
    const after = await takeUpCancels(lease, loaded);
    expect(after.ledger.get(key)).toEqual(entry);
    expect(voided).toEqual(['c']);
    expect(batches).toEqual([{ ledger: { put: new Map() }, doneRequests: ['c'] }]);
  });

  test('E8: a cancel also ends a retry before it, and then comes to something; a retry after it stays', async () => {
    const id = `${uuid}/${flow}`;
    const retry = { kind: 'retry', id };
    const { lease, batches, voided } = noting();
    const requests = { a: retry, b: retry, c: cancel(id), d: retry, e: { kind: 'retry', id: 'other' } };
    const after = await takeUpCancels(lease, state({ requests }));
    expect(voided).toEqual(['a', 'b']);
    expect(batches).toMatchObject([{ doneRequests: ['a', 'b', 'c'] }]);
    expect([...after.requests.keys()]).toEqual(['d', 'e']);
  });

  test('E8: of two cancels of one wish the second is void, and decisions of no valid form are left alone', async () => {
    const id = `${uuid}/${flow}`;
    const { lease, voided } = noting();
    const requests = { a: cancel(id), b: cancel(id), c: { kind: 'cancel', id } };
    const after = await takeUpCancels(lease, state({ ledger: { [key]: waiting }, requests }));
    expect(voided).toEqual(['b']);
    expect([...after.requests.keys()]).toEqual(['c']);
    const none = state({ requests: { p: pause } });
    expect(await takeUpCancels(lease, none)).toBe(none);
  });

  test('what is taken up changes facts and ledger over what was there', () => {
    const loaded = state({ facts: { a: 1, b: 2 }, ledger: { x: {} }, requests: { r: pause, s: pause } });
    const after = withTaken(loaded, {
      facts: new Map([['b', null]]),
      ledger: new Map([['y', {}]]),
      done: ['r'],
      voided: [],
    });
    expect([...after.facts]).toEqual([
      ['a', 1],
      ['b', null],
    ]);
    expect([...after.ledger.keys()]).toEqual(['x', 'y']);
    expect([...after.requests.keys()]).toEqual(['s']);
    const bare = withTaken(loaded, { done: ['r'], voided: [] });
    expect([bare.facts, bare.ledger]).toEqual([loaded.facts, loaded.ledger]);
  });
});

describe('L12: what the history says of a decision', () => {
  async function leaseOver(given: Given, later: Given = given) {
    const [lines, batches] = [new Array<HistoryLine>(), new Array<Batch>()];
    const lease = {
      epoch: 3,
      load: async () => state(given),
      commit: async (batch: Batch) => void batches.push(batch),
      appendHistory: async (more: readonly HistoryLine[]) => void lines.push(...more),
    } as unknown as Lease;
    const taker = {
      config: { name: 'prospects' },
      now: () => 0,
      state: { acquireLease: async () => lease, loadSome: async () => state(later) },
    };
    return { lease: await acquireLease(taker, {}, 'R7'), lines, batches };
  }

  const lineOf = async (request: object, given: Given = {}, before: (lease: RunLease) => void = () => {}) => {
    const { lease, lines } = await leaseOver({ ...given, requests: { r: request } });
    await lease.load();
    before(lease);
    await lease.commit({ doneRequests: ['r'] });
    expect(lines).toHaveLength(1);
    return lines[0]!;
  };

  test('who, when, through what and what was seen, with the run that took it up', async () => {
    expect(await lineOf({ kind: 'retry', id: uuid, origin })).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      sync: 'prospects',
      run: 'R7',
      decision: 'retry',
      id: uuid,
      contact: uuid,
      row: null,
      field: null,
      text: 'what to do',
      by: 'ann',
      decided_at: at,
      through: 'cli',
      seen: { status: null },
      outcome: 'taken',
    });
  });

  test('of an earlier version, which recorded none of that', async () => {
    const nobody = { text: null, by: null, decided_at: null, through: null, seen: null };
    expect(await lineOf({ kind: 'retry', id: uuid })).toMatchObject(nobody);
  });

  test.each([
    [
      { kind: 'resolve', id: `${uuid}/position`, resolution: { use: 'crm' } },
      { contact: uuid, field: 'position', row: null },
    ],
    [
      { kind: 'retry', id: `${uuid}/${flow}` },
      { contact: uuid, field: null },
    ],
    [
      { kind: 'retry', id: 'row:17' },
      { contact: null, row: 17, field: null },
    ],
    [
      { kind: 'retry', id: 'row:17/email' },
      { contact: null, row: 17, field: 'email' },
    ],
    [
      { kind: 'retry', id: 'row:x' },
      { contact: null, row: null, field: null },
    ],
    [approve, { id: 'R1', contact: null, row: null, field: null }],
    [
      { ...approve, run: `${uuid}/x` },
      { contact: null, field: null },
    ],
    [pause, { id: '', contact: null, row: null, field: null }],
  ])('the record of %j', async (request, expected) => {
    expect(await lineOf(request)).toMatchObject(expected);
  });

  test('P7: the ID of a row of an outbox is no contact', async () => {
    expect((await lineOf({ kind: 'retry', id: uuid }, { ledger: { [uuid]: { said: 'x' } } })).contact).toBeNull();
  });

  test('G2: an approval that a run uses up and that holds again is void; other decisions of that run are not', async () => {
    const hold = (lease: RunLease) => lease.holdsAgain();
    expect(await lineOf(approve, {}, hold)).toMatchObject({ outcome: 'void' });
    expect(await lineOf({ ...approve, kind: 'approve-records', ids: [], digests: [], origin }, {}, hold)).toMatchObject(
      {
        outcome: 'void',
      },
    );
    expect(await lineOf(approve)).toMatchObject({ outcome: 'taken' });
    expect(await lineOf(pause, {}, hold)).toMatchObject({ outcome: 'taken' });
    expect(await lineOf(pause, {}, (lease) => lease.makesVoid(['r']))).toMatchObject({ outcome: 'void' });
    expect(await lineOf(pause, {}, (lease) => lease.makesVoid(['other']))).toMatchObject({ outcome: 'taken' });
  });

  test('each decision gets one line, however often it is done with; one that is unreadable or not known gets none', async () => {
    const { lease, lines, batches } = await leaseOver({ requests: { r: pause, bad: { kind: 'pause' } } });
    await lease.commit({ doneRequests: ['r'] });
    expect(lines).toEqual([]);
    await lease.load();
    await lease.commit({ doneRequests: ['bad', 'missing'] });
    expect(lines).toEqual([]);
    expect(batches).toHaveLength(2);
    // The first commit told of it without a load: it is not told again.
    await lease.commit({ doneRequests: ['r'] });
    expect(lines).toEqual([]);
    const again = await leaseOver({ requests: { r: pause } });
    await again.lease.load();
    await again.lease.commit({ doneRequests: ['r'] });
    await again.lease.commit({ doneRequests: ['r'] });
    expect(again.lines).toHaveLength(1);
    expect(lease.epoch).toBe(3);
  });

  test('W18: every commit deletes the note of a run that found nothing to do, but the one that writes it', async () => {
    const { lease, batches } = await leaseOver({});
    await lease.commit({ links: { delete: ['a'] } });
    await lease.commit({ facts: { put: new Map([['tab', 't']]), delete: ['held'] } });
    await lease.commit({ facts: { put: new Map([['quiet', {}]]) } });
    expect(batches).toEqual([
      { links: { delete: ['a'] }, facts: { delete: ['quiet'] } },
      { facts: { put: new Map([['tab', 't']]), delete: ['held', 'quiet'] } },
      { facts: { put: new Map([['quiet', {}]]) } },
    ]);
  });

  test('E8, P7: a cancel that was recorded after the load is found by its id, and told once', async () => {
    const id = `${uuid}/${flow}`;
    const requests = {
      a: { kind: 'cancel', id, origin },
      b: { kind: 'cancel', id: 'other', origin },
      c: { kind: 'retry', id, origin },
      d: { kind: 'cancel', id },
    };
    const { lease, lines } = await leaseOver({}, { requests });
    await lease.load();
    expect(await lease.cancelsOf(id)).toEqual(['a']);
    await lease.commit({ doneRequests: ['a'] });
    expect(lines).toMatchObject([{ decision: 'cancel', id, contact: uuid }]);
    expect(await lease.cancelsOf(id)).toEqual([]);
  });

  test('E8, P7, L12: a cancel that was recorded after the load ends the retries before it, and no later one', async () => {
    const id = `${uuid}/${flow}`;
    const requests = {
      a: { kind: 'retry', id, origin },
      b: { kind: 'retry', id: 'other', origin },
      c: { kind: 'cancel', id, origin },
      d: { kind: 'retry', id, origin },
    };
    const { lease, lines } = await leaseOver({}, { requests });
    await lease.load();
    const ended = await lease.cancelsOf(id);
    expect(ended).toEqual(['a', 'c']);
    await lease.commit({ doneRequests: ended });
    expect(lines).toMatchObject([
      { decision: 'retry', id, outcome: 'void' },
      { decision: 'cancel', id, outcome: 'taken' },
    ]);
  });
});

test('the subject of a decision is its run, else its record, else the job', () => {
  const requests = [{ kind: 'retry', id: 'a' }, approve, pause] as readonly DecisionRequest[];
  expect(requests.map(idOf)).toEqual(['a', 'R1', '']);
  expect(requests.map(isApproval)).toEqual([false, true, false]);
  expect(isApproval({ kind: 'approve-records', run: 'R', ids: [], digests: [], origin })).toBe(true);
  expect(toStored(requests[0]!)).toEqual({ kind: 'retry', id: 'a' });
});

describe('G2: the held plan that an approval names', () => {
  const planned = { ...nothingPlanned, changes: 7 };
  const records = (...digests: readonly string[]): readonly HeldRecord[] =>
    digests.map((digest, row) => ({ id: digest, row, ops: ['update'], digest }));
  const known: HeldFact = { run: 'R1', planned, reasons: ['before'], records: records('d1', 'd2') };

  test('is the one that is known while its counts and records are the same, in any order', () => {
    const moved = records('d2', 'd1');
    expect(heldPlan(known, 'R2', planned, ['now'], moved)).toEqual({ ...known, records: moved });
    const { records: _records, ...whole } = known;
    expect(heldPlan(whole, 'R2', planned, ['now'])).toBe(whole);
  });

  test('keeps its run and not its refusal where only the records are others', () => {
    const signed = { ...known, refused: signature };
    expect(heldPlan(signed, 'R2', planned, ['now'], records('d1', 'd3'))).toEqual({
      run: 'R1',
      planned,
      reasons: ['now'],
      records: records('d1', 'd3'),
    });
    expect(heldPlan(signed, 'R2', planned, ['now'])).toEqual({ run: 'R1', planned, reasons: ['now'] });
    expect(heldPlan(signed, 'R2', planned, ['now'], known.records)).toMatchObject({ refused: signature });
  });

  test('is that of this run where the counts are others, or where none is known', () => {
    const letThrough = { counts: nothingPlanned, links: 3 };
    const other = { ...planned, changes: 8 };
    expect(heldPlan({ ...known, letThrough }, 'R2', other, ['now'])).toEqual({
      run: 'R2',
      planned: other,
      reasons: ['now'],
      letThrough,
    });
    expect(heldPlan(null, 'R2', planned, ['now'])).toEqual({ run: 'R2', planned, reasons: ['now'] });
    expect(heldPlan(undefined, 'R2', planned, [])).toEqual({ run: 'R2', planned, reasons: [] });
  });

  const hold = { rule: 'G2', reason: 'too many', fails: false } as const;
  const fails = { rule: 'G1', reason: 'another tab', fails: true } as const;
  const reasons = ['too many (more changes than the limits allow, G2)'];

  test('is stored with its reasons, and named', async () => {
    const { lease, batches, held } = noting();
    const answer = await holdRun(lease, { facts: {}, pending: new Map() }, 'R2', { holds: [hold], planned });
    expect(answer).toEqual({ approvable: 'R2' });
    expect(batches).toEqual([
      { facts: { put: new Map([['held', { run: 'R2', planned, reasons }]]) }, doneRequests: [] },
    ]);
    expect(held.again).toBe(1);
  });

  test('W9: is not written again while it is the same, and says that it was refused', async () => {
    const { lease, batches } = noting();
    const before = { run: 'R1', planned, reasons, refused: signature };
    const answer = await holdRun(lease, { facts: { held: before }, pending: new Map() }, 'R2', {
      holds: [hold],
      planned,
    });
    expect(answer).toEqual({ approvable: 'R1', isRefused: true });
    expect(batches).toEqual([]);
  });

  test('uses up approvals and runs that were asked for, and no other decision', async () => {
    const { lease, batches } = noting();
    const pending = new Map(
      Object.entries({ a: approve, b: { kind: 'run', origin }, c: { kind: 'retry', id: 'x' } }),
    ) as ReadonlyMap<string, DecisionRequest>;
    await holdRun(lease, { facts: { held: { run: 'R1', planned, reasons } }, pending }, 'R2', {
      holds: [hold],
      planned,
    });
    expect(batches).toEqual([{ facts: { put: new Map() }, doneRequests: ['a', 'b'] }]);
  });

  test('G1: where one hold fails nothing can be approved, and nothing is stored', async () => {
    const { lease, batches } = noting();
    const answer = await holdRun(lease, { facts: {}, pending: new Map() }, 'R2', { holds: [hold, fails], planned });
    expect(answer).toEqual({});
    expect(batches).toEqual([]);
  });

  test('S8: a held undo is kept beside it, for the run that it takes back alone', async () => {
    const { lease, batches } = noting();
    const held: HeldFact = { run: 'R1', planned, reasons: ['of a run'] };
    const none = { facts: { held }, pending: new Map() };
    expect(await holdRun(lease, none, 'R2', { holds: [hold], planned }, 'R0')).toEqual({ approvable: 'R2' });
    const heldUndo = { run: 'R2', planned, reasons, undoes: 'R0' };
    expect(batches).toEqual([{ facts: { put: new Map([['heldUndo', heldUndo]]) }, doneRequests: [] }]);
    const both = { facts: { held, heldUndo }, pending: new Map() };
    expect(await holdRun(lease, both, 'R3', { holds: [hold], planned }, 'R0')).toEqual({ approvable: 'R2' });
    expect(batches).toHaveLength(1);
    expect(await holdRun(lease, both, 'R3', { holds: [hold], planned }, 'R9')).toEqual({ approvable: 'R3' });
  });
});
