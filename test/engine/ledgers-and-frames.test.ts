import type { OutboxConfig } from '../../src/config/config.ts';
import { describe, expect, test } from 'vitest';
import { AuthenticationError, UnreachableError } from '../../src/crm/errors.ts';
import type { RunLease } from '../../src/engine/decisions-told.ts';
import { automationOf, isDue } from '../../src/engine/enrolment/due.ts';
import { stepLine } from '../../src/engine/enrolment/history.ts';
import { type Newcomer, openLedger } from '../../src/engine/enrolment/ledger.ts';
import { readAutomations } from '../../src/engine/enrolment/automations.ts';
import { RunFailed } from '../../src/engine/errors.ts';
import { namingField } from '../../src/engine/feed/naming.ts';
import { collectionQuery, whyNotFree } from '../../src/engine/feed/pull.ts';
import { planWithoutLease } from '../../src/engine/frame.ts';
import { guardRun } from '../../src/engine/lease-guard.ts';
import { heldMessages } from '../../src/engine/outbox/approval.ts';
import { assertSame, inTab, lostHeaders } from '../../src/engine/outbox/input.ts';
import { asUnknown, openBook, recallOutbox, tellNoted } from '../../src/engine/outbox/ledger.ts';
import { savedMessages, toSavedMessages } from '../../src/engine/outbox/saved.ts';
import { digest } from '../../src/engine/outbox/digest.ts';
import { endingOf } from '../../src/engine/outbox/ending.ts';
import { unlisted } from '../../src/engine/outbox/deliveries.ts';
import { whyNotOurs } from '../../src/engine/outbox/tab.ts';
import { feedKind } from '../../src/engine/feed/kind.ts';
import { outboxKind } from '../../src/engine/outbox/kind.ts';
import { syncKind } from '../../src/engine/sync/kind.ts';
import { countRun, nothingPlanned } from '../../src/engine/report.ts';
import type { RunContext } from '../../src/engine/sync/context.ts';
import { readSync, type StoredOutbox } from '../../src/engine/stored/stored.ts';
import { SheetsError, TableMovingError } from '../../src/sheets/errors.ts';
import { LeaseRanOut } from '../../src/limits/time-to-live.ts';
import { DiskError, LeaseLostError } from '../../src/state/errors.ts';
import type { Batch, HistoryLine, LoadedState } from '../../src/state/port.ts';
import { type Change, problem } from '../../src/sync/change.ts';
import type { Due } from '../../src/sync/outbox/judge.ts';
import { contentText, type Message } from '../../src/sync/outbox/message.ts';
import { type LedgerEntry, ledgerKey } from '../../src/sync/record/ledger.ts';

/* The books of enrolments and messages, and the frame of every run and plan. */

const about = { uuid: 'a', row: 2, fields: [], rule: 'E1', reason: 'wished for' } as const;

/** A lease that notes in order what is committed and what the history gets. */
function noting(more: object = {}) {
  const calls: unknown[] = [];
  const lease = {
    epoch: 3,
    commit: async (batch: Batch) => void calls.push(batch),
    appendHistory: async (lines: readonly HistoryLine[]) => void calls.push(lines),
    cancelsOf: async (id: string) => [`cancel of ${id}`],
    ...more,
  } as unknown as RunLease;
  return { lease, calls };
}

describe('E3: the ledger of enrolments', () => {
  const key = ledgerKey('a', 'f');
  const entry = (state: LedgerEntry['state'], more: Partial<LedgerEntry> = {}): LedgerEntry => ({
    state,
    at: 1,
    run: 'R1',
    ...more,
  });
  const newcomer: Newcomer = { automation: 'f', name: 'W', at: 1, run: 'R1', state: 'intended', identifiers: {} };

  function open(
    entries: Readonly<Record<string, LedgerEntry>> = {},
    newcomers: ReadonlyMap<string, Newcomer> = new Map(),
  ) {
    const { lease, calls } = noting();
    const ledger = { entries: new Map(Object.entries(entries)), isTrusted: true };
    return { book: openLedger(lease, { ledger, newcomers }), calls };
  }

  test('stores entries, and learns them once they are stored', async () => {
    const { book, calls } = open({ [ledgerKey('b', 'f')]: entry('waiting') });
    expect(book.entry('a', 'f')).toBeUndefined();
    await book.put(
      new Map([
        [key, entry('enrolled')],
        [ledgerKey('b', 'f'), null],
      ]),
    );
    expect(calls).toEqual([{ ledger: { put: new Map([[key, entry('enrolled')]]), delete: [ledgerKey('b', 'f')] } }]);
    expect([book.entry('a', 'f'), book.entry('b', 'f')]).toEqual([entry('enrolled'), undefined]);
  });

  test('W9: nothing new is no write; that the ledger is complete is', async () => {
    const { book, calls } = open();
    await book.put(new Map(), ['q']);
    expect(calls).toEqual([]);
    await book.put(new Map(), [], true);
    const none = { put: new Map(), delete: [] };
    expect(calls).toEqual([{ ledger: none, facts: { put: new Map([['isLedgerTrusted', true]]) } }]);
    await book.put(new Map([[key, entry('waiting')]]), ['q']);
    expect(calls[1]).toEqual({ ledger: { put: new Map([[key, entry('waiting')]]), delete: [] }, doneRequests: ['q'] });
    await book.put(new Map(), [], false);
    expect(calls[2]).toEqual({ ledger: none, facts: { put: new Map([['isLedgerTrusted', false]]) } });
  });

  test('H2: only an intent names the lease under which its call is made', async () => {
    const { book, calls } = open();
    await book.put(new Map([[key, entry('intended')]]));
    expect(calls).toEqual([{ ledger: { put: new Map([[key, entry('intended', { epoch: 3 })]]), delete: [] } }]);
    expect(book.entry('a', 'f')).toEqual(entry('intended'));
    await book.intend('k', newcomer);
    expect(calls[1]).toEqual({ outbox: { put: new Map([['k', { ...newcomer, epoch: 3 }]]) } });
    expect(book.newcomer('k')).toBe(newcomer);
  });

  test('E2: what a new row came to takes the place of its intent', async () => {
    const { book, calls } = open(
      {},
      new Map([
        ['k', newcomer],
        ['l', newcomer],
      ]),
    );
    await book.close('k', [key, entry('enrolled')]);
    await book.close('l');
    expect(calls).toEqual([
      { ledger: { put: new Map([[key, entry('enrolled')]]), delete: [] }, outbox: { delete: ['k'] } },
      { ledger: { put: new Map(), delete: [] }, outbox: { delete: ['l'] } },
    ]);
    expect([book.newcomer('k'), book.newcomer('l')]).toEqual([undefined, undefined]);
    expect(await book.cancelsOf('a', 'f')).toEqual(['cancel of a/f']);
  });

  test('L12: its steps are what came to something new, and are given once', async () => {
    const { book } = open({ [key]: entry('enrolled') });
    const states = [
      'waiting',
      'intended',
      'cancelled',
      'enrolled',
      'refused',
      'unknown',
      'skipped',
      'cancelling',
    ] as const;
    const told: string[] = [];
    for (const state of states) {
      await book.put(new Map([[ledgerKey(state, 'f'), entry(state)]]));
      told.push(...[...book.takeSteps().values()].map((each) => each.state));
    }
    expect(told).toEqual(['enrolled', 'refused', 'unknown', 'skipped', 'cancelling']);
    await book.put(new Map([[key, entry('enrolled', { at: 9 })]]));
    expect(book.takeSteps().size).toBe(0);
    await book.put(new Map([[key, entry('cancelling')]]));
    expect([book.takeSteps().size, book.takeSteps().size]).toEqual([1, 0]);
  });

  test('D1, E5: a cancel marks what the contact may be in, of one automation or of all', async () => {
    const states = [
      'enrolled',
      'skipped',
      'unknown',
      'intended',
      'waiting',
      'refused',
      'cancelled',
      'cancelling',
    ] as const;
    const refusedCancel = { message: 'no', times: 1, retryAt: null };
    const entries = {
      ...Object.fromEntries(states.map((state) => [ledgerKey('a', state), entry(state, { refusedCancel })])),
      [ledgerKey('b', 'enrolled')]: entry('enrolled'),
    };
    const all = open(entries);
    await all.book.cancelled('a', null, 9, 'R2');
    const marked = (calls: readonly unknown[]) =>
      (calls as readonly Batch[]).flatMap(({ ledger }) => [...ledger!.put!]);
    const cancelling = { state: 'cancelling', at: 9, run: 'R2' };
    expect(marked(all.calls)).toEqual([
      [ledgerKey('a', 'enrolled'), { ...cancelling, calls: [1] }],
      [ledgerKey('a', 'skipped'), { ...cancelling, calls: [] }],
      [ledgerKey('a', 'unknown'), { ...cancelling, calls: [1] }],
      [ledgerKey('a', 'intended'), { ...cancelling, calls: [1] }],
    ]);
    const one = open(entries);
    await one.book.cancelled('a', 'skipped', 9, 'R2');
    expect(marked(one.calls).map(([at]) => at)).toEqual([ledgerKey('a', 'skipped')]);
    const none = open(entries);
    await none.book.cancelled('a', 'waiting', 9, 'R2');
    expect(none.calls).toEqual([]);
  });

  test('E5: a cancel is stored before its call, and taken back where it was certainly not carried out', async () => {
    const before = entry('enrolled');
    const { book } = open({ [ledgerKey('a', 'f')]: before, [ledgerKey('a', 'g')]: entry('waiting') });
    await book.intendCancel('a', null);
    expect(book.entry('a', 'f')).toEqual({ ...before, isCancelOpen: true });
    expect(book.entry('a', 'g')).toEqual(entry('waiting'));
    await book.withdrawCancel();
    expect(book.entry('a', 'f')).toEqual(before);
    await book.intendCancel('a', 'f');
    await book.cancelled('a', 'f', 9, 'R2');
    expect(book.entry('a', 'f')).toEqual({ state: 'cancelling', at: 9, run: 'R2', calls: [1] });
    expect(book.takeSteps().size).toBe(1);
  });

  test('E5, W8: an earlier cancel of unknown outcome stays one, whatever becomes of the next', async () => {
    const { book } = open({ [ledgerKey('a', 'f')]: entry('cancelling', { isCancelOpen: true }) });
    await book.intendCancel('a', 'f');
    await book.withdrawCancel();
    expect(book.entry('a', 'f')).toMatchObject({ state: 'cancelling', isCancelOpen: true });
  });

  test('the changes that enrol are enrolments, and creates with a wish', () => {
    const enrol: Change = { ...about, side: 'crm', op: 'enrol', automation: 'f' };
    const create: Change = { ...about, side: 'crm', op: 'create', key: 'k' };
    const both = { ...create, enrol: 'g' };
    const cancel: Change = { ...about, side: 'crm', op: 'cancel', automation: 'f' };
    const due = [enrol, create, both, cancel].filter(isDue);
    expect(due).toEqual([enrol, both]);
    expect(due.map(automationOf)).toEqual(['f', 'g']);
  });

  test('L12: the line of a step says what came of it', () => {
    const line = (given: LedgerEntry) =>
      stepLine(
        { config: { name: 's' } as RunContext['config'], now: () => 0 },
        { key, entry: given, run: 'R9', row: 4, rule: 'E3', reason: 'why' },
      );
    expect(line(entry('enrolled', { name: 'Welcome' }))).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      sync: 's',
      run: 'R9',
      side: 'crm',
      op: 'enrol',
      contact: 'a',
      row: 4,
      outcome: 'done',
      automation: 'f',
      automation_name: 'Welcome',
      state: 'enrolled',
      field: null,
      before: null,
      after: null,
      rule: 'E3',
      reason: 'why',
    });
    expect(line(entry('cancelling'))).toMatchObject({ op: 'cancel', outcome: 'done' });
    expect(line(entry('cancelling'))).not.toHaveProperty('automation_name');
    expect(line(entry('refused', { message: 'no' }))).toMatchObject({ op: 'enrol', outcome: 'refused', message: 'no' });
    expect(line(entry('unknown'))).toMatchObject({ outcome: 'unknown', message: 'look in the service' });
    expect(line(entry('unknown', { message: 'cut' }))).toMatchObject({ message: 'cut' });
    expect(line(entry('enrolled'))).not.toHaveProperty('message');
  });
});

describe('E4: the automations that rows name', () => {
  const list = [
    { uuid: 'f1', name: 'Welcome', status: 'on' },
    { uuid: 'f2', name: 'Archive', status: 'archived' },
  ];
  const rows = (...wishes: readonly (string | undefined)[]) =>
    wishes.map((wish, index) => ({
      number: index + 2,
      id: '',
      values: '[]',
      ...(wish !== undefined && { wish }),
    })) as never;

  async function read(
    wished: ReturnType<typeof rows>,
    {
      known,
      now = 1_000_000,
      isFull = false,
      answer = { automations: list },
    }: {
      readonly known?: RunContext['session']['automations'];
      readonly now?: number;
      readonly isFull?: boolean;
      readonly answer?: object | Error;
    } = {},
  ) {
    let asked = 0;
    const session: RunContext['session'] = known ? { automations: known } : {};
    const context = {
      session,
      now: () => now,
      request: { isFull, signal: new AbortController().signal },
      crm: {
        automations: {
          list: async () => {
            asked += 1;
            if (answer instanceof Error) throw answer;
            return answer;
          },
        },
      },
    } as unknown as RunContext;
    return { ...(await readAutomations(context, wished)), asked, session };
  }

  test('are not read where no row names one', async () => {
    expect(await read(rows(undefined, '', '  '))).toEqual({ automations: [], asked: 0, session: {} });
  });

  test('are read once and kept, with the nearest name for one that is not there', async () => {
    const { asked, session, automations, nearestAutomations } = await read(rows('Welcome', 'Welcom', 'Archiv', 'f9'));
    expect([asked, automations, session.automations]).toEqual([1, list, { at: 1_000_000, list }]);
    expect(nearestAutomations!.get('Welcom')).toBe('Welcome');
    expect(nearestAutomations!.has('Welcome')).toBe(false);
    // An archived one is suggested to nobody.
    expect(nearestAutomations!.get('Archiv')).not.toBe('Archive');
  });

  test.each([
    ['for five minutes while each name is known', 'Welcome', 299_999, 0],
    ['and no longer', 'Welcome', 300_000, 1],
    ['for half a minute where one is not', 'Other', 29_999, 0],
    ['and no longer then', 'Other', 30_000, 1],
  ])('are used again %s', async (_how, wish, ageMs, asked) => {
    const known = { at: 0, list };
    expect((await read(rows('Welcome', wish), { known, now: ageMs })).asked).toBe(asked);
  });

  test('are read again by a full scan', async () => {
    expect((await read(rows('Welcome'), { known: { at: 0, list }, now: 1, isFull: true })).asked).toBe(1);
  });

  test('L4: a list that is not whole, or is not read, holds the wishes; a refused token ends the run', async () => {
    const cut = await read(rows('Welcome'), { answer: { automations: list, notice: 'half' } });
    expect(cut).toMatchObject({ automationsUnread: 'half', session: {} });
    const lost = Object.assign(Object.create(UnreachableError.prototype) as Error, { message: 'no answer' });
    expect(await read(rows('Welcome'), { answer: lost })).toMatchObject({ automationsUnread: 'no answer' });
    const token = Object.create(AuthenticationError.prototype) as Error;
    await expect(read(rows('Welcome'), { answer: token })).rejects.toBe(token);
    await expect(read(rows('Welcome'), { answer: new Error('a fault') })).rejects.toThrow('a fault');
  });
});

describe('P3: the book of an outbox', () => {
  const message = (state: Message['state'], more: Partial<Message> = {}): Message => ({
    state,
    at: 1,
    run: 'R1',
    said: 'x',
    ...more,
  });
  const line = { time: 'T', sync: 's', run: 'R2', contact: null };
  const open = () => {
    const { lease, calls } = noting();
    const memory = { messages: new Map([['r0', message('sent')]]), notes: new Map(), isTrusted: true };
    return { calls, book: openBook(lease, memory, 'R2') };
  };

  test('H2: stores what is begun under its lease, and learns it', async () => {
    const { book, calls } = open();
    await book.put(new Map());
    expect(calls).toEqual([]);
    await book.put(
      new Map([
        ['r1', message('intended')],
        ['r2', message('waiting')],
      ]),
    );
    expect(calls).toEqual([
      {
        ledger: {
          put: new Map([
            ['r1', message('intended', { epoch: 3 })],
            ['r2', message('waiting')],
          ]),
        },
      },
    ]);
    expect([...book.messages.keys()]).toEqual(['r0', 'r1', 'r2']);
    await book.put(new Map(), { doneRequests: ['q'] });
    expect(calls[1]).toEqual({ ledger: { put: new Map() }, doneRequests: ['q'] });
    expect(await book.cancelsOf('r1')).toEqual(['cancel of r1']);
  });

  test('P6: stores once that it is not trusted any more, with what rows prove, and that it is trusted again', async () => {
    const { book, calls } = open();
    const proof = new Map([['r1', message('sent')]]);
    await book.put(proof, { isTrusted: false });
    await book.put(new Map(), { isTrusted: false });
    expect(calls).toEqual([{ ledger: { put: proof }, facts: { put: new Map([['isLedgerTrusted', false]]) } }]);
    expect(book.isTrustedNow).toBe(false);
    await book.put(new Map(), { isTrusted: true, doneRequests: ['q'] });
    expect(calls[1]).toMatchObject({ facts: { put: new Map([['isLedgerTrusted', true]]) }, doneRequests: ['q'] });
  });

  test('L12: notes what the history is to say with the outcome, and tidies the note with the next write', async () => {
    const { book, calls } = open();
    await book.settle(new Map([['r1', message('sent')]]), [line]);
    expect(calls).toEqual([
      {
        ledger: { put: new Map([['r1', message('sent')]]) },
        outbox: { put: new Map([['R2 1', { lines: [line] }]]), delete: [] },
      },
      [line],
    ]);
    expect(book.messages.get('r1')).toEqual(message('sent'));
    await book.settle(new Map(), [line]);
    expect(calls[2]).toMatchObject({ outbox: { put: new Map([['R2 2', { lines: [line] }]]), delete: ['R2 1'] } });
    await book.put(new Map([['r2', message('waiting')]]));
    expect(calls[4]).toMatchObject({ outbox: { delete: ['R2 2'] } });
    await book.put(new Map([['r2', message('waiting')]]));
    expect(calls[5]).not.toHaveProperty('outbox');
  });

  test('W9: ends with a write only where something is left to write', async () => {
    const { book, calls } = open();
    await book.end(new Map(), undefined, []);
    expect(calls).toEqual([]);
    await book.end(new Map([['tab', 't']]), undefined, []);
    await book.end(new Map(), { delete: ['k'] }, []);
    await book.end(new Map(), undefined, ['q']);
    expect(calls).toEqual([
      { facts: { put: new Map([['tab', 't']]) } },
      { facts: { put: new Map() }, strays: { delete: ['k'] } },
      { facts: { put: new Map() }, doneRequests: ['q'] },
    ]);
    await book.settle(new Map(), [line]);
    await book.end(new Map(), undefined, []);
    expect(calls.at(-1)).toEqual({ facts: { put: new Map() }, outbox: { delete: ['R2 1'] } });
    await book.end(new Map(), undefined, []);
    expect(calls).toHaveLength(6);
  });

  test('a message that was begun by a run that ended is unknown', () => {
    const messages = new Map([
      ['a', message('intended')],
      ['b', message('waiting')],
      ['c', message('sent')],
    ]);
    expect([...asUnknown(messages)]).toEqual([['a', message('unknown')]]);
  });

  test('what an earlier run noted gets into the history first', async () => {
    const { lease, calls } = noting();
    const memory = { notes: new Map() } as unknown as Parameters<typeof tellNoted>[1];
    await tellNoted(lease, memory);
    expect(calls).toEqual([]);
    await tellNoted(lease, {
      ...memory,
      notes: new Map([
        ['R1 1', [line]],
        ['R1 2', [line]],
      ]),
    });
    expect(calls).toEqual([[line, line], { outbox: { delete: ['R1 1', 'R1 2'] } }]);
  });

  test('decisions of people are taken up by the ID of their row; any other is done with by this run', () => {
    const requests = new Map(
      Object.entries({
        q1: { kind: 'retry', id: 'r1' },
        q2: { kind: 'retry', id: 'r1', isSure: true, said: 'x' },
        q3: { kind: 'approve', run: 'R1', counts: { ...nothingPlanned, messages: 4 } },
        q4: { kind: 'resolve', id: 'x', resolution: { use: 'crm' } },
      }),
    ) as StoredOutbox['requests'];
    const none = {
      facts: {},
      steps: new Map(),
      isLedgerTrusted: false,
      notices: [],
      messages: new Map(),
      strays: new Map(),
    };
    expect(recallOutbox({ ...none, requests })).toMatchObject({
      approved: 4,
      isTrusted: false,
      retried: new Map([
        [
          'r1',
          [
            { key: 'q1', isSure: false },
            { key: 'q2', isSure: true, said: 'x' },
          ],
        ],
      ]),
      requests: { retry: ['q1', 'q2'], approve: ['q3', 'q4'] },
    });
    const whole = new Map(
      Object.entries({ q: { kind: 'approve', run: 'R1', counts: nothingPlanned } }),
    ) as StoredOutbox['requests'];
    expect(recallOutbox({ ...none, requests: whole }).approved).toBe(0);
    expect(recallOutbox({ ...none, requests: new Map() })).toMatchObject({ approved: 0, retried: new Map() });
  });
});

describe('W3: the saved messages of an outbox', () => {
  const send = (text: string, uuid = 'a', row = 2): Change => {
    const fields = [{ field: 'text', before: null, after: text, rule: 'P1', reason: '' } as const];
    return { ...about, side: 'crm', op: 'send', uuid, row, fields, to: 'Ann', from: 'Max' };
  };
  const due = (change: Change) => ({ change }) as Due;
  const identities = { crm: 'acc', sheet: 'S 7' };
  const set: Change = { ...about, side: 'sheet', op: 'set' };
  const saved = (...changes: readonly Change[]) =>
    savedMessages(toSavedMessages('messages', 'R1', identities, changes));

  test('are the messages of the plan alone', () => {
    const plan = toSavedMessages('messages', 'R1', identities, [send('one'), set]);
    expect(plan).toMatchObject({ sync: 'messages', run: 'R1', isFull: false, identities });
    expect(plan.changes.map(({ op }) => op)).toEqual(['send']);
  });

  test('are sent where they are due exactly so, each as often as it was saved, whatever the row', () => {
    const messages = saved(send('one'), send('one'), send('two'));
    const now = [due(send('one', 'a', 9)), due(send('two', 'b')), due(send('one')), due(send('one'))];
    expect(messages.choose(now)).toEqual([now[0], now[2]]);
    expect(messages.left(new Map())).toMatchObject({
      problems: [{ kind: 'held', row: 2, rule: 'W3' }],
      alreadyDone: 0,
    });
    expect(messages.choose(now)).toEqual([]);
  });

  test('that an earlier run sent are done already', () => {
    const messages = saved(send('one'), send('two'));
    const key = digest(contentText('a', { text: 'one' }));
    const known = (state: Message['state']) => new Map([['r', { state, at: 1, run: 'R', said: 'x', key }]]);
    expect(messages.left(known('sent'))).toMatchObject({ problems: [{ row: 2 }], alreadyDone: 1 });
    expect(messages.left(known('unknown'))).toMatchObject({ alreadyDone: 0 });
    expect(messages.left(new Map()).problems).toHaveLength(2);
  });

  test('G1: fail for another account or tab', () => {
    const messages = saved();
    expect(() => messages.assertSame(identities)).not.toThrow();
    expect(() => messages.assertSame({ ...identities, crm: 'x' })).toThrow(
      'another account or tab than messages has now',
    );
    expect(() => messages.assertSame({ ...identities, sheet: 'x' })).toThrow(RunFailed);
  });
});

describe('an outbox and a feed beside what is in their tab', () => {
  const identities = { crm: 'acc emails', sheet: 'S 7' };
  const tab = { snapshot: { tabId: '7', rows: [{ id: 'r1' }, { id: 'r2' }, { id: '' }] }, missing: ['Text'] };
  const context = { account: 'acc', config: { resource: 'emails' }, shape: { table: { spreadsheet: 'S' } } };
  const same = (known: object) => () =>
    assertSame(
      context as unknown as Parameters<typeof assertSame>[0],
      known,
      tab as unknown as Parameters<typeof assertSame>[2],
    );

  test('G1: its ledger is of one account and one tab', () => {
    expect(same({})).not.toThrow();
    expect(same({ identities })).not.toThrow();
    expect(same({ identities: { ...identities, sheet: 'S 8' } })).toThrow('this is another tab than before');
    expect(same({ identities: { ...identities, crm: 'x' } })).toThrow(
      'this is another account or resource than before',
    );
  });

  test('only messages that still have a row are watched, and each lost header is told', () => {
    const outboxTab = tab as unknown as Parameters<typeof inTab>[0];
    const message: Message = { state: 'sent', at: 1, run: 'R', said: 'x' };
    expect([
      ...inTab(
        outboxTab,
        new Map([
          ['r2', message],
          ['r3', message],
        ]),
      ).keys(),
    ]).toEqual(['r2']);
    expect(lostHeaders(outboxTab)).toMatchObject([{ kind: 'held', field: 'Text', rule: 'W11' }]);
    expect(unlisted(undefined)).toEqual([]);
    expect(unlisted('half')).toMatchObject([{ id: 'pull:deliveries', reason: 'statuses may be old: half' }]);
  });

  test('P6, P8: messages that wait for an approval are a held plan of their count', () => {
    const config = { headers: { send: 'Send' } } as OutboxConfig;
    const of = (known: Parameters<typeof heldMessages>[0], run: string, unapproved: number, moved: number[] = []) =>
      heldMessages(known, { run, config }, { unapproved, isTrusted: moved.length > 0, moved: new Set(moved) });
    expect(of(null, 'R2', 0)).toBeUndefined();
    const one = of(null, 'R2', 1)!;
    expect(one).toMatchObject({ run: 'R2', planned: { ...nothingPlanned, messages: 1 } });
    expect(one.reasons![0]).toContain('1 row that says yes was there before the state');
    expect(of(one, 'R3', 2)!.reasons![0]).toContain('2 rows that say yes were there');
    expect(of(one, 'R3', 1)).toBe(one);
    const moved = of(one, 'R3', 1, [7])!;
    expect(moved).toMatchObject({ run: 'R3', planned: { messages: 1 } });
    expect(moved.reasons![0]).toContain('in "Send", rows 7 hold what others of these rows held');
    expect(of(moved, 'R4', 1, [7])).toBe(moved);
    expect(of(moved, 'R4', 1, [8])).toMatchObject({ run: 'R4' });
    const plan = { sent: 3, unapproved: 1 } as Parameters<typeof endingOf>[0];
    const waits = problem('waiting', { row: 2 }, 'P6', '');
    expect(endingOf(plan, [waits], new Map(), one)).toEqual({
      status: 'succeeded',
      isFull: false,
      counts: countRun(3, [waits], new Map()),
      problems: [waits],
      holds: [],
      planned: { ...nothingPlanned, messages: 1 },
      approvable: 'R2',
    });
    expect(endingOf(plan, [], new Map(), undefined)).not.toHaveProperty('approvable');
  });

  const column = (kind: 'found' | 'missing', key: string) => ({ kind, key, header: key, letter: 'A' }) as never;
  const spec = {
    headerRow: 1,
    idHeader: 'ID',
    columns: [
      { key: 'text', header: 'Text' },
      { key: '#send', header: 'Send' },
    ],
  } as never;
  const inspected = (
    headerTexts: readonly string[],
    columns: readonly never[] = [],
    idKind: 'found' | 'missing' = 'missing',
  ) => ({ title: 'T', headerTexts, columns, idColumn: column(idKind, '#id') }) as never;

  test('a tab that has headers and none of the outbox is not its own', () => {
    const ours = (...given: Parameters<typeof inspected>) =>
      whyNotOurs('messages', spec, inspected(...given), new Set(['text']));
    expect(ours(['Name', 'City'])).toContain(
      'the tab "T" has none of the columns Text, and row 1 says "Name", "City": nothing',
    );
    expect(ours([])).toBeUndefined();
    expect(ours(['Name'], [], 'found')).toBeUndefined();
    expect(ours(['Name', 'Text'], [column('found', 'text')])).toBeUndefined();
    expect(ours(['Name', 'Send'], [column('found', '#send'), column('missing', 'text')])).toBeDefined();
    expect(ours(['a', 'b', 'c', 'd', 'e', 'f'])).not.toContain('"f"');
  });

  test('F4: a feed takes a tab with no header of somebody else, and without rows', () => {
    const free = (rows: number, ...given: Parameters<typeof inspected>) =>
      whyNotFree('f', spec, inspected(...given), rows);
    expect(free(0, [])).toBeUndefined();
    expect(free(0, ['Text', 'Send'])).toBeUndefined();
    expect(free(0, ['Text', 'City'])).toContain('has no column "ID", and row 1 says "City": nothing');
    expect(free(3, ['Text'])).toContain('and there are 3 rows: nothing');
    expect(free(3, ['City'], [], 'found')).toBeUndefined();
    expect(whyNotFree('f', spec, inspected(['Text']))).toBeUndefined();
    expect(free(0, ['a', 'b', 'c', 'd', 'e', 'f'])).not.toContain('"f"');
  });

  test('F1: a record is named by its best field, else by its first', () => {
    expect(namingField(['status', 'email', 'title'])).toBe('title');
    expect(namingField(['uuid', 'status'])).toBe('uuid');
    expect(namingField([])).toBeUndefined();
    const config = { filter: { a: 1 }, order: 'newest' } as unknown as Parameters<typeof collectionQuery>[0];
    expect(collectionQuery(config)).toEqual({ filter: { a: 1 }, order: 'newest' });
    expect(collectionQuery({ ...config, rowsMax: 5 })).toMatchObject({ recordsMax: 5 });
  });
});

describe('the frame of a plan', () => {
  const loaded: LoadedState = {
    facts: new Map(),
    links: new Map(),
    strays: new Map(),
    ledger: new Map(),
    outbox: new Map(),
    setAside: new Map(),
    requests: new Map(),
    notices: [],
  };
  const cost = { crmCalls: 2, sheetReads: 1, sheetWrites: 0, seconds: 1.2 };
  const ending = {
    status: 'succeeded',
    isFull: true,
    counts: countRun(1, [], new Map()),
    problems: [],
    holds: [],
    planned: nothingPlanned,
  } as const;

  type Steps = Parameters<typeof planWithoutLease>[3];
  async function planned(
    steps: Steps,
    { kind = syncKind, isFull = false, signal = new AbortController().signal } = {},
  ) {
    const events: { readonly type: string }[] = [];
    const job = {
      kind,
      config: { name: 's' },
      session: { quiet: {} },
      state: { load: async () => loaded },
      emit: (event: { readonly type: string }) => void events.push(event),
      now: () => 0,
      newRunId: () => 'R1',
      startMeter: () => () => cost,
      budgets: { crmPerMinute: 60, sheetReadsPerMinute: 60, sheetWritesPerMinute: 60 },
    } as unknown as Parameters<typeof planWithoutLease>[0];
    const result = await planWithoutLease(job, { isFull, isAsked: true, signal }, readSync, steps);
    return { ...result, events: events.map(({ type }) => type), job };
  }
  const failing = (error: unknown, options?: Parameters<typeof planned>[1]) =>
    planned(async () => {
      throw error;
    }, options);

  test('has the cost of reading and of writing, and what an approval would let through', async () => {
    const { report, events, ...rest } = await planned(async () => ({ ending, changes: [] }));
    expect(report).toMatchObject({ ...ending, sync: 's', kind: 'sync', run: 'R1', cost, changes: [] });
    expect(report.startedAt).toBe('1970-01-01T00:00:00.000Z');
    expect(report.estimate).toMatchObject({ crmCalls: 2, sheetReads: 1, sheetWrites: 0, seconds: 2 });
    expect(report).not.toHaveProperty('onceApproved');
    expect(rest).not.toHaveProperty('saved');
    expect(events).toEqual(['run-started', 'run-ended']);
    const send: Change = { ...about, side: 'crm', op: 'delete' };
    const saved = { sync: 's', run: 'R1', isFull: false, identities: { crm: '', sheet: '' }, changes: [] };
    const more = await planned(async () => ({ ending, changes: [send], onceApproved: [send], saved }));
    expect(more.report).toMatchObject({ changes: [send], onceApproved: [send] });
    expect(more.report.estimate.crmCalls).toBeGreaterThan(2);
    expect(more.saved).toBe(saved);
  });

  test('that failed changes nothing, costs nothing more, and says why', async () => {
    const { report } = await failing(new RunFailed('set it right'));
    expect(report).toMatchObject({
      status: 'failed',
      error: 'set it right',
      changes: [],
      counts: countRun(0, [], new Map()),
      planned: nothingPlanned,
    });
    expect(report.estimate).toEqual({ crmCalls: 0, sheetReads: 0, sheetWrites: 0, seconds: 0 });
    for (const key of ['isFinal', 'refused']) expect(report).not.toHaveProperty(key);
  });

  class OfAccount extends SheetsError {
    readonly code = 'of-account';
    override readonly isOfAccount = true;
  }

  test('W6: only a refusal of the credentials names the side that refused', async () => {
    const token = Object.assign(Object.create(AuthenticationError.prototype) as Error, { message: 'no' });
    expect((await failing(token)).report).toMatchObject({ isFinal: true, refused: 'crm' });
    const ofAccount = (await failing(new OfAccount('no'))).report;
    expect(ofAccount).toMatchObject({ status: 'failed', refused: 'sheet' });
    expect(ofAccount).not.toHaveProperty('isFinal');
    for (const error of [new TableMovingError(3, {}), new DiskError('f', 'full', 'Free some')])
      expect((await failing(error)).report).not.toHaveProperty('refused');
  });

  test('W8: of a stop says so; a fault of the program is thrown', async () => {
    const reason = new Error('the end');
    const signal = AbortSignal.abort(reason);
    expect((await failing(reason, { signal })).report.error).toBe('stopped');
    expect((await failing(new RunFailed('x'), { signal })).report.error).toBe('stopped');
    await expect(failing(new Error('a fault'), { signal })).rejects.toThrow('a fault');
    await expect(failing(new Error('a fault'))).rejects.toThrow('a fault');
  });

  test.each([
    [syncKind, true, true],
    [syncKind, false, false],
    [feedKind, false, true],
    [outboxKind, true, false],
  ])('of kind $name asked to read all: %s', async (kind, isFull, expected) => {
    expect((await failing(new RunFailed('x'), { kind, isFull })).report.isFull).toBe(expected);
  });
});

describe('H3, H5: a run and its lease', () => {
  function guarded({
    remainingMs = 60_000,
    signal = new AbortController().signal,
    commit = async () => {},
  }: {
    readonly remainingMs?: number;
    readonly signal?: AbortSignal;
    readonly commit?: () => Promise<void>;
  } = {}) {
    const { lease } = noting({ remainingMs: () => remainingMs, commit, load: commit, appendRun: commit });
    return guardRun(lease, { isFull: false, isAsked: false, signal }, 's');
  }
  const lost = Object.assign(Object.create(LeaseLostError.prototype) as LeaseLostError, { message: 'lost' });

  test('follow the stop of the request, before and after they began', () => {
    const stop = new AbortController();
    const run = guarded({ signal: stop.signal });
    expect([run.request.signal.aborted, run.over(), run.overtakenBy()]).toEqual([false, undefined, undefined]);
    stop.abort(new Error('the end'));
    expect(run.request.signal.reason).toBe(stop.signal.reason);
    expect(run.over()).toBeUndefined();
    expect(guarded({ signal: stop.signal }).request.signal.aborted).toBe(true);
    const other = new AbortController();
    const disposed = guarded({ signal: other.signal });
    disposed[Symbol.dispose]();
    other.abort();
    expect(disposed.request.signal.aborted).toBe(false);
  });

  test('a call that the lease does not outlast is not sent, and none after it', () => {
    const run = guarded({ remainingMs: 0 });
    expect(() => run.request.lease!.allowMs(1_000)).toThrow(LeaseRanOut);
    expect([run.request.signal.aborted, run.over()?.name]).toEqual([true, 'LeaseOverError']);
    const living = guarded();
    expect(living.request.lease!.allowMs(1_000)).toBe(1_000);
    expect(living.over()).toBeUndefined();
  });

  test('H3: a call that may take ten seconds is sent while the lease lasts for more than fifteen: five are kept', () => {
    expect(() => guarded({ remainingMs: 15_000 }).request.lease!.allowMs(10_000)).toThrow(LeaseRanOut);
    expect(guarded({ remainingMs: 15_001 }).request.lease!.allowMs(10_000)).toBe(10_000);
  });

  test('H4: the sheet counts leases from what the state says, and names the holder that was later', () => {
    const run = guarded();
    expect(run.request.lease!.fence!.epoch).toBe(3);
    run.countFrom(10);
    expect(run.request.lease!.fence!.epoch).toBe(13);
    run.request.lease!.fence!.overtaken(20);
    expect(run.overtakenBy()).toBe(20);
    expect(run.over()?.message).toContain('under a later lease (20) than this one (13)');
    expect(run.request.signal.aborted).toBe(true);
    expect(guarded({ remainingMs: Infinity }).request.lease).not.toHaveProperty('fence');
  });

  test('a lost lease says more than what came of it, and stays lost', async () => {
    const fail = async () => {
      throw lost;
    };
    const run = guarded({ commit: fail, remainingMs: 0 });
    expect(() => run.request.lease!.allowMs(1)).toThrow(LeaseRanOut);
    await expect(run.lease.commit({})).rejects.toBe(lost);
    expect(run.over()).toBe(lost);
    expect(() => run.request.lease!.allowMs(1)).toThrow(LeaseRanOut);
    expect(run.over()).toBe(lost);
    let isLost = true;
    const later = guarded({
      commit: async () => {
        if (isLost) throw lost;
      },
    });
    await expect(later.lease.load()).rejects.toBe(lost);
    isLost = false;
    await expect(later.lease.commit({})).rejects.toBe(lost);
    await expect(later.lease.appendRun({ run: 'R', endedAt: '', status: '' })).resolves.toBeUndefined();
  });

  test('another failure to save does not end the run by itself', async () => {
    const run = guarded({
      commit: async () => {
        throw new DiskError('f', 'full', 'Free some');
      },
    });
    await expect(run.lease.commit({})).rejects.toThrow('full');
    expect([run.over(), run.request.signal.aborted]).toEqual([undefined, false]);
  });
});
