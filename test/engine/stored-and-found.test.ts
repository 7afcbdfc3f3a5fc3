import { describe, expect, test } from 'vitest';
import {
  emailTerm,
  nameIn,
  nameTerm,
  plainName,
  recipientTerm,
  searchWords,
  stateTerms,
  textsIn,
} from '../../src/engine/found-by.ts';
import { nextSlot, scheduleIntervalMs } from '../../src/engine/interval.ts';
import { readBriefs, readRequests, standingOf } from '../../src/engine/standing.ts';
import { isStep, whyNotRecord } from '../../src/engine/stored/records.ts';
import { isStoredRun } from '../../src/engine/stored/run.ts';
import { whyNotFact, whyNotRequest } from '../../src/engine/stored/facts.ts';
import { commitSetAside, readFeed, readJob, readOutbox, readSync } from '../../src/engine/stored/stored.ts';
import { countRun, nothingPlanned } from '../../src/engine/report.ts';
import type { Batch, Json, JsonObject, LoadedState, SomeState } from '../../src/state/port.ts';
import { ledgerKey } from '../../src/sync/record/ledger.ts';
import { pack } from '../../src/sync/record/record.ts';
import { noRunCounts } from '../support/run-counts.ts';

/* What is stored: what of it is valid, what stands in for what is not, by what it is found, and how a job stands by it. */

type Tables = Readonly<Record<string, object | string | number | boolean | null>>;
interface Given {
  readonly facts?: Tables;
  readonly links?: Tables;
  readonly strays?: Tables;
  readonly ledger?: Tables;
  readonly outbox?: Tables;
  readonly requests?: Tables;
  readonly setAside?: Tables;
  readonly notices?: LoadedState['notices'];
  readonly counts?: Readonly<Record<string, number>>;
}

function state({ notices = [], counts = {}, ...tables }: Given = {}): SomeState {
  const table = (name: keyof typeof tables) =>
    new Map(Object.entries(tables[name] ?? {})) as ReadonlyMap<string, JsonObject>;
  return {
    facts: table('facts'),
    links: table('links'),
    strays: table('strays'),
    ledger: table('ledger'),
    outbox: table('outbox'),
    requests: table('requests'),
    setAside: table('setAside'),
    notices,
    counts: new Map(Object.entries(counts)),
    isExact: true,
  };
}

const at = '2026-11-21T09:00:00.000Z';
const fields = ['first_name', 'last_name', 'email', 'position'];
const packed = (...values: readonly (string | null | undefined)[]) => pack(values);
const ann = packed('Ann', 'Lee', 'Ann@Firm.io', 'CTO');
const entry = { state: 'enrolled', at: 5, run: 'R1', name: 'Welcome' };
const message = { state: 'sent', at: 5, run: 'R1', said: 'x' };
const noCounts = countRun(0, [], new Map());
const lastRun = { run: 'R1', status: 'partial', endedAt: at, counts: noCounts, problems: [] };
const signature = { by: 'ann', at, through: 'cli' };
const origin = { ...signature, text: '', seen: {} };

describe('S5: which stored records are valid', () => {
  test.each<[string, JsonObject, boolean]>([
    ['values alone', { agreed: ann }, true],
    [
      'values of both sides and instants',
      { agreed: ann, crm: ann, sheet: ann, writtenAt: 1, shownAt: 2, updatedAt: 3 },
      true,
    ],
    ['more than that', { agreed: ann, standing: 'left', missedScans: 1, isOpen: true }, true],
    ['a key that a later version added', { agreed: ann, later: 'x' }, true],
    ['no values', {}, false],
    ['no values that both sides agreed on', { crm: ann }, false],
    ['values that are not packed', { agreed: 'x' }, false],
    ['values without their end', { agreed: '["x"' }, false],
    ['values without their beginning', { agreed: '"x"]' }, false],
    ['values that are no text', { agreed: 1 }, false],
    ['an instant that is no number', { agreed: ann, writtenAt: at }, false],
    ['another instant that is no number', { agreed: ann, shownAt: at }, false],
    ['a side that is not packed', { agreed: ann, sheet: 'x' }, false],
    ['an unknown standing', { agreed: ann, standing: 'x' }, false],
    ['a flag that is false', { agreed: ann, isOpen: false }, false],
  ])('a link with %s', (_what, link, isValid) => {
    expect(whyNotRecord.link(link) === undefined).toBe(isValid);
  });

  test('a fault is named by its place and never by its value', () => {
    expect(whyNotRecord.ledgerEntry({ ...entry, at: 'Ann Lee' })).toMatch(/^at: (?!.*Ann)/);
    expect(whyNotFact('tab', 7)).not.toMatch(/^:/);
    expect(whyNotFact('held', { run: 'R1' })).toMatch(/^planned/);
    expect([whyNotFact('unheard-of', 7), whyNotFact('tab', 't')]).toEqual([undefined, undefined]);
  });

  test('notes of the outbox are of two kinds, told apart by their keys', () => {
    const step = { lines: [{ time: at, sync: 's', run: 'R', contact: null }] };
    const newcomer = { state: 'added', automation: 'f', name: 'W', at: 1, run: 'R', identifiers: {} };
    expect([isStep(step), isStep(newcomer)]).toEqual([true, false]);
    expect([whyNotRecord.note(step), whyNotRecord.note(newcomer)]).toEqual([undefined, undefined]);
    expect(whyNotRecord.note({ lines: [{}] })).toMatch(/^lines/);
    expect(whyNotRecord.note({ ...newcomer, state: 'gone' })).toMatch(/^state/);
  });

  test('decisions that no earlier version recorded have to be signed', () => {
    expect(whyNotRequest({ kind: 'retry', id: 'a' })).toBeUndefined();
    expect(whyNotRequest({ kind: 'retry', id: 'a', isSure: false })).toMatch(/^isSure/);
    for (const request of [
      { kind: 'pause' },
      { kind: 'resume' },
      { kind: 'run' },
      { kind: 'cancel', id: 'a' },
      { kind: 'refuse', run: 'R' },
      { kind: 'approve-records', run: 'R', ids: [], digests: [] },
    ]) {
      expect(whyNotRequest(request)).toMatch(/^origin/);
      expect(whyNotRequest({ ...request, origin })).toBeUndefined();
    }
    expect(whyNotRequest({ kind: 'other', origin })).toMatch(/^kind/);
    expect(whyNotRequest({ kind: 'resolve', id: 'a', resolution: { value: null } })).toBeUndefined();
    expect(whyNotRequest({ kind: 'resolve', id: 'a', resolution: { use: 'base' } })).toMatch(/^resolution/);
  });

  test('a report is one only with all of its parts', () => {
    const cost = { crmCalls: 0, sheetReads: 0, sheetWrites: 0, seconds: 0 };
    const more = { sync: 's', kind: 'sync', startedAt: at, isFull: false, cost, holds: [], planned: nothingPlanned };
    const report = { ...lastRun, ...more } as unknown as JsonObject;
    expect(isStoredRun(report)).toBe(true);
    for (const key of Object.keys(report)) {
      const { [key]: _part, ...rest } = report;
      expect([key, isStoredRun(rest)]).toEqual([key, false]);
    }
  });
});

describe('S5: what stands in for a record that is not valid', () => {
  const facts = { fields, isLedgerTrusted: true };

  test('nothing where all is valid', () => {
    const loaded = state({ facts, links: { a: { agreed: ann } }, ledger: { [ledgerKey('a', 'f')]: entry } });
    const read = readSync(loaded);
    expect(read.links).toBe(loaded.links);
    expect(read).toMatchObject({ isLedgerTrusted: true, notices: [], facts });
    expect(read).not.toHaveProperty('setAside');
    // The same tables again, as most runs get them.
    expect(readSync(loaded).links).toBe(loaded.links);
  });

  test('no link, and a notice that names it', () => {
    const { links, notices, setAside } = readSync(state({ facts, links: { a: { agreed: ann }, b: { agreed: 'x' } } }));
    expect([...links.keys()]).toEqual(['a']);
    expect(notices).toEqual([
      expect.stringMatching(/^the record links\/b of the state is not what it should be \(agreed: /),
    ]);
    expect(setAside).toMatchObject({
      links: { put: new Map(), delete: ['b'] },
      ledger: { put: new Map(), delete: [] },
      facts: { delete: [] },
      doneRequests: [],
      setAside: {
        put: new Map([
          ['links/b', expect.objectContaining({ collection: 'links', key: 'b', record: { agreed: 'x' } })],
        ]),
      },
    });
    expect(setAside!.facts).not.toHaveProperty('put');
  });

  test('W4: a row whose create has no known outcome; its key is not in the notice', () => {
    const { strays, notices, setAside } = readSync(
      state({ facts, strays: { 'Ann Lee': { since: 7, wish: 3 }, k: { x: 1 } } }),
    );
    expect([...strays]).toEqual([
      ['Ann Lee', { since: 7, isUnknown: true }],
      ['k', { since: 0, isUnknown: true }],
    ]);
    expect(notices).toHaveLength(2);
    expect(notices.join()).not.toContain('Ann');
    expect(notices[0]).toMatch(/^the record strays\/[\da-f]{12} of/);
    expect(setAside!.strays).toEqual({ put: strays, delete: [] });
  });

  test('E1: an enrolment that may be done, with what can be read of it', () => {
    const { ledger } = readSync(state({ facts, ledger: { k: { ...entry, state: 'x' }, l: { name: '', at: 'x' } } }));
    expect([...ledger]).toEqual([
      ['k', { state: 'unknown', at: 5, run: 'R1', name: 'Welcome' }],
      ['l', { state: 'unknown', at: 0, run: '' }],
    ]);
  });

  test('P3: a message that may be sent, with what it said', () => {
    const { messages } = readOutbox(state({ ledger: { k: { ...message, at: null }, l: { said: 7 } } }));
    expect([...messages]).toEqual([
      ['k', { state: 'unknown', at: 0, run: 'R1', said: 'x' }],
      ['l', { state: 'unknown', at: 0, run: '', said: '' }],
    ]);
  });

  test('E6: of a call in flight nothing, and the ledger is not trusted', () => {
    const read = readSync(state({ facts, outbox: { 'R 1': { identifiers: 7 } } }));
    expect([read.isLedgerTrusted, read.facts.isLedgerTrusted, read.newcomers.size]).toEqual([false, false, 0]);
    expect(read.setAside!.facts).toEqual({ put: new Map([['isLedgerTrusted', false]]), delete: [] });
    // A damaged fact of that name is replaced, not deleted.
    const both = readSync(state({ facts: { fields, isLedgerTrusted: 'x' }, outbox: { 'R 1': {} } }));
    expect(both.setAside!.facts).toEqual({ put: new Map([['isLedgerTrusted', false]]), delete: [] });
    const alone = readSync(state({ facts: { fields, isLedgerTrusted: 'x', tab: 7 } }));
    expect(alone.setAside!.facts).toEqual({ delete: ['isLedgerTrusted', 'tab'] });
  });

  test('L12: of a step in progress nothing, and the ledger stays trusted', () => {
    const read = readSync(state({ facts, outbox: { 'R 1': { lines: [{}] } } }));
    expect([read.isLedgerTrusted, read.steps.size]).toEqual([true, 0]);
    expect(read.setAside!.outbox).toEqual({ put: new Map(), delete: ['R 1'] });
  });

  test('S3: a state that is behind is not trusted; one that was never trusted is not either', () => {
    const behind = { kind: 'behind', message: 'older', file: 'f' } as const;
    expect(readSync(state({ facts, notices: [behind] }))).toMatchObject({ isLedgerTrusted: false, notices: ['older'] });
    expect(readSync(state({ facts: { fields } })).isLedgerTrusted).toBe(false);
    const absent = { kind: 'absent', message: 'none', file: 'f' } as const;
    expect(readSync(state({ notices: [absent, { ...behind, kind: 'torn' }] })).notices).toEqual(['older']);
  });

  test('M9: without the order of the fields no link and no stray is read', () => {
    const read = readSync(
      state({ facts: { fields: 'x' }, links: { a: { agreed: ann } }, strays: { k: { since: 7 } } }),
    );
    expect([read.links.size, read.strays.size, read.notices.length]).toEqual([0, 0, 3]);
    expect(read.notices.join()).toContain('the order of its values is not known');
  });

  test('a decision that is not valid is done with', () => {
    const read = readSync(state({ facts, requests: { q: { kind: 'x' }, r: { kind: 'retry', id: 'a' } } }));
    expect([...read.requests.keys()]).toEqual(['r']);
    expect(read.setAside!.doneRequests).toEqual(['q']);
  });

  test('a record set aside replaces no other', () => {
    const read = readSync(state({ facts, links: { b: {} }, setAside: { 'links/b': {}, 'links/b+': {} } }));
    expect([...read.setAside!.setAside!.put!.keys()]).toEqual(['links/b++']);
  });

  test('twenty are named, and the others are counted', () => {
    const links = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`u${index}`, {}]));
    expect(readSync(state({ facts, links: links(20) })).notices).toHaveLength(20);
    const { notices } = readSync(state({ facts, links: links(23) }));
    expect([notices.length, notices.at(-1)]).toEqual([21, '3 more records of the state are set aside']);
  });

  test('W5: what the spreadsheet refused a feed or an outbox is left out', () => {
    const strays = { k: { x: 1 }, l: { since: 1 } };
    expect([...readFeed(state({ strays })).strays.keys()]).toEqual(['l']);
    expect([...readOutbox(state({ strays })).strays.keys()]).toEqual(['l']);
    expect([...readFeed(state({ links: { a: { agreed: {} }, b: {} } })).links.keys()]).toEqual(['b']);
  });

  test('they are moved in one batch, and only if there are any', async () => {
    const batches: Batch[] = [];
    const lease = { commit: async (batch: Batch) => void batches.push(batch) };
    await commitSetAside(lease, readSync(state({ facts })));
    expect(batches).toEqual([]);
    const read = readSync(state({ facts, links: { b: {} } }));
    await commitSetAside(lease, read);
    expect(batches).toEqual([read.setAside]);
  });
});

describe('the state of a job whose kind is not known', () => {
  test('has links of a sync where it has their order, or none at all', () => {
    const job = readJob(
      state({ facts: { fields }, links: { a: { agreed: ann } }, ledger: { [ledgerKey('a', 'f')]: entry } }),
    );
    expect([job.links.size, job.feedLinks.size, job.ledger.size, job.messages.size]).toEqual([1, 0, 1, 0]);
    const none = readJob(state({ ledger: { [ledgerKey('a', 'f')]: entry } }));
    expect([none.ledger.size, none.messages.size]).toEqual([1, 0]);
  });

  test('has messages where an entry says something', () => {
    const job = readJob(state({ ledger: { r: message } }));
    expect([job.messages.size, job.ledger.size, job.links.size, job.newcomers.size]).toEqual([1, 0, 0, 0]);
  });

  test('has links of a feed where they have no order', () => {
    const job = readJob(state({ links: { a: { agreed: 'on' } } }));
    expect([job.links.size, job.feedLinks.size, job.ledger.size]).toEqual([0, 1, 0]);
  });
});

describe('by what a record is found', () => {
  const facts = new Map<string, Json>([['fields', fields]]);
  const of = (collection: string, record: object, known: ReadonlyMap<string, Json> = facts) =>
    stateTerms.of(collection, 'k', record as JsonObject, known);

  test('a link: by its standing, its conflicts, its names and its addresses on both sides', () => {
    expect(of('links', { agreed: ann })).toEqual(['linked', 'name:ann lee', 'email:ann@firm.io']);
    expect(of('links', { agreed: ann, standing: 'row-gone' })).toEqual(['name:ann lee', 'email:ann@firm.io']);
    const sheet = packed('Anne', 'Lee', null, 'CTO');
    expect(of('links', { agreed: ann, sheet })).toEqual([
      'linked',
      'name:ann lee',
      'email:ann@firm.io',
      'name:anne lee',
    ]);
    const notes = { position: { conflictSince: 1 }, email: { conflictSince: 2 }, first_name: { written: [] } };
    expect(of('links', { agreed: packed(null, null, '', 'x'), notes })).toEqual([
      'linked',
      'conflict',
      'conflict:position',
      'conflict:email',
    ]);
    expect(of('links', { agreed: ann, notes: { first_name: { written: [] } } })).not.toContain('conflict');
    expect(of('links', { agreed: ann, notes: { email: { conflictSince: 1 } } })).toEqual(
      expect.arrayContaining(['conflict', 'conflict:email']),
    );
    expect(of('links', { agreed: 'x' })).toEqual(['damaged']);
    expect(of('links', { agreed: '[x]' })).toEqual(['linked']);
  });

  test('a link of a feed: whether its record is there', () => {
    const none = new Map<string, Json>();
    expect(of('links', { agreed: 'on' }, none)).toEqual(['linked']);
    expect(of('links', { isGone: true }, none)).toEqual([]);
    expect(of('links', { isGone: false }, none)).toEqual(['damaged']);
  });

  test('an entry of a ledger: an enrolment by its key alone, a message by whom it is to', () => {
    expect(of('ledger', entry)).toEqual([]);
    expect(of('ledger', { state: 'x' })).toEqual(['damaged']);
    expect(of('ledger', { ...message, to: 'u', recipient: 'a@firm.io' })).toEqual(['sent', 'to:u', 'to:a@firm.io']);
    expect(of('ledger', { ...message, state: 'waiting', to: 'u', recipient: 'u' })).toEqual(['to:u']);
    expect(of('ledger', message)).toEqual(['sent']);
    expect(of('ledger', { said: 'x' })).toEqual(['damaged']);
    expect(of('strays', { since: 1 })).toEqual([]);
  });

  test('the terms depend on the order of the fields alone', () => {
    expect(stateTerms.basis(facts)).toBe(JSON.stringify(fields));
    expect(stateTerms.basis(new Map([['tab', 't']]))).toBe('null');
  });

  test('names and addresses do not depend on case and white space', () => {
    expect(nameTerm('  Ann \u00A0 LEE\n')).toBe('name:ann lee');
    expect(plainName('a\tb')).toBe('a b');
    expect(emailTerm(' Ann@Firm.IO ')).toBe('email:ann@firm.io');
    expect(recipientTerm('u')).toBe('to:u');
    expect(searchWords(' Ann-Marie O’Lee, 3. ')).toEqual(['ann', 'marie', 'o', 'lee', '3']);
    expect(searchWords(' -- ')).toEqual([]);
  });

  test('a whole name counts before its parts, and a blank is no name', () => {
    expect(nameIn(packed('Ann', 'Lee', 'Dr. Lee'), ['first_name', 'last_name', 'name'])).toBe('Dr. Lee');
    expect(nameIn(packed('Ann', 'Lee', ''), ['first_name', 'last_name', 'name'])).toBe('Ann Lee');
    expect(nameIn(packed('Ann', undefined), ['first_name', 'last_name'])).toBe('Ann');
    expect(nameIn(packed('x'), ['position'])).toBe('');
    expect(textsIn(ann, fields, ['position', 'other', 'email'])).toEqual(['CTO', 'Ann@Firm.io']);
  });
});

describe('how a job stands', () => {
  const sheet = packed('Anne', 'Lee', 'anne@firm.io', 'CEO');
  const notes = { position: { conflictSince: 0 } };
  const problems = [
    { id: 'a/position', kind: 'conflict', uuid: 'a', row: 9, field: 'position', rule: 'M1', reason: '' },
  ];
  const whole = {
    facts: {
      fields,
      lastRun: {
        ...lastRun,
        counts: { ...noCounts, linked: 99, waiting: 1, held: 2, ignored: 3, parked: 4, quarantined: 5 },
        problems,
      },
    },
    links: {
      a: { agreed: ann, sheet, notes },
      b: { agreed: packed('Bob', null, 'bob@firm.io', 'x'), standing: 'row-gone' },
      c: { agreed: packed(null, null, null, null) },
    },
  };

  test('counts links as they are, and the rest as the last run left it', () => {
    expect(standingOf(state(whole)).counts).toEqual({
      linked: 2,
      waiting: 1,
      conflicts: 1,
      quarantined: 5,
      parked: 4,
      held: 2,
      ignored: 3,
    });
    const { linked, waiting, conflicts, quarantined, parked, held, ignored } = noRunCounts;
    expect(standingOf(state()).counts).toEqual({ linked, waiting, conflicts, quarantined, parked, held, ignored });
    const feed = state({ links: { a: { agreed: 'on' }, b: { isGone: true } } });
    expect(standingOf(feed).counts.linked).toBe(1);
  });

  test('M1: tells each conflict with its three values, and the row of the last run', () => {
    expect(standingOf(state(whole)).conflicts).toEqual([
      {
        id: 'a/position',
        contact: 'a',
        row: 9,
        field: 'position',
        base: 'CTO',
        crm: 'CTO',
        sheet: 'CEO',
        since: '1970-01-01T00:00:00.000Z',
      },
    ]);
    const { conflicts } = standingOf(state({ facts: { fields }, links: whole.links }));
    expect(conflicts).toMatchObject([{ row: null }]);
    expect(
      standingOf(state({ facts: { fields }, links: { a: { agreed: ann, notes: { position: {} } } } })).conflicts,
    ).toEqual([]);
  });

  test('finds contacts by name and by address, as either side has them', () => {
    const { uuidsByName, uuidsByEmail, personText } = standingOf(state(whole));
    expect([uuidsByName('ANN  lee'), uuidsByName('Anne Lee'), uuidsByName('Ann'), uuidsByName(' ')]).toEqual([
      ['a'],
      ['a'],
      [],
      [],
    ]);
    expect([uuidsByEmail('ANN@firm.io'), uuidsByEmail('anne@firm.io'), uuidsByEmail('bob@firm.io')]).toEqual([
      ['a'],
      ['a'],
      ['b'],
    ]);
    expect([uuidsByEmail('n@firm.io'), uuidsByEmail('firm.io')]).toEqual([[], []]);
    expect(['a', 'b', 'c', 'd'].map(personText)).toEqual(['Ann Lee <Ann@Firm.io>', 'Bob <bob@firm.io>', 'c', 'd']);
  });

  test('has what is held and paused, with decisions that no run has taken up', () => {
    const held = { run: 'R1', planned: nothingPlanned };
    const heldUndo = { ...held, undoes: 'R0' };
    const requests = { p: { kind: 'pause', origin }, r: { kind: 'retry', id: 'a' } };
    const standing = standingOf(state({ facts: { held, heldUndo }, requests }));
    expect(standing).toMatchObject({ held, heldUndo, paused: signature, requests: [requests.r] });
    const none = standingOf(state({ facts: { held: null, heldUndo: null, paused: null } }));
    expect([none.held, none.heldUndo, none.paused, none.lastRun]).toEqual([undefined, undefined, undefined, undefined]);
  });

  const store = (...states: readonly (readonly [string, SomeState])[]) => ({ loadSomeOf: async () => new Map(states) });

  test('in brief, by what the store has counted, and anew when that changes', async () => {
    const facts = { fields, lastRun };
    const first = state({ facts, counts: { linked: 5, 'conflict:': 2, sent: 3 } });
    const brief = async (some: SomeState) => (await readBriefs(store(['s', some]), ['s'])).get('s')!;
    const told = await brief(first);
    expect(told).toMatchObject({ counts: { linked: 5, conflicts: 2 }, conflicts: [], sent: 3 });
    expect(await brief(first)).toBe(told);
    const counted = { ...first, counts: new Map([['linked', 6]]) };
    expect(await brief(counted)).toMatchObject({ counts: { linked: 6, conflicts: 0 }, sent: 0 });
    const asked = {
      ...counted,
      requests: new Map([['p', { kind: 'pause', origin }]]) as unknown as SomeState['requests'],
    };
    expect(await brief(asked)).toMatchObject({ paused: signature });
    const warned = { ...counted, notices: [{ kind: 'torn', message: 'cut', file: 'f' } as const] };
    expect((await brief(warned)).notices).toEqual(['cut']);
    expect((await brief(counted)).paused).toBeUndefined();
    expect((await brief(counted)).notices).toEqual([]);
  });

  test('which decisions no run has taken up, of the jobs that have any', async () => {
    const retry = { kind: 'retry', id: 'a' };
    const some = store(['a', state()], ['b', state({ requests: { r: retry, x: { kind: 'x' } } })]);
    expect([...(await readRequests(some, ['a', 'b']))]).toEqual([['b', [retry]]]);
  });
});

describe('M1: the interval of a schedule', () => {
  test('is that between its next two slots, in its own time zone', () => {
    const now = Date.now();
    const schedule = { cron: '*/15 * * * *', timeZone: 'UTC' };
    const next = nextSlot(schedule, now)!;
    expect([next > now, next - now <= 900_000, next % 900_000]).toEqual([true, true, 0]);
    expect(nextSlot(schedule, now)).toBe(next);
    expect(scheduleIntervalMs(schedule, now)).toBe(900_000);
    const daily = { cron: '0 7 * * *', timeZone: 'Asia/Tokyo' };
    expect(scheduleIntervalMs(daily, now)).toBe(86_400_000);
    expect(new Date(nextSlot(daily, now)!).getUTCHours()).toBe(22);
    expect(new Date(nextSlot({ ...daily, timeZone: 'UTC' }, now)!).getUTCHours()).toBe(7);
  });
});
