import { describe, expect, test } from 'vitest';
import { contentText, listIn, type Message, readRecipient, watchOf } from '../../src/sync/outbox/message.ts';
import { planOutbox } from '../../src/sync/outbox/outbox.ts';
import { ann, dueOf, hourMs, idOf, input, now, retriedBy, row } from './outbox-support.ts';

/* Who is sent and what rows are told, as data. What the service and the sheet make of it is in test/engine/outbox. */

const dayMs = 24 * hourMs;

describe('the queue', () => {
  test('P4: oldest first, whatever the order of the rows (L11)', () => {
    const since = (number: number): Message => ({
      state: 'waiting',
      at: now - (number % 3) * 1000,
      run: '',
      said: JSON.stringify([
        ['lead_uuid', ann],
        ['sender_profile_uuid', 'Sales'],
        ['text', `text ${number}`],
      ]),
    });
    const rows = [1, 2, 3, 4, 5].map((number) => row(number));
    const messages = new Map(rows.map(({ id, number }) => [id, since(number)]));
    const expected = [2, 5, 1, 4, 3];
    expect(dueOf(input(rows, { messages }))).toEqual(expected);
    expect(dueOf(input(rows.toReversed(), { messages }))).toEqual(expected);
  });

  test('P4: calls of the last hour count for the cap, whatever their outcome; older calls do not', () => {
    const called = (state: Message['state'], ...calls: readonly number[]): Message => {
      return { state, at: now, run: '', said: '', calls };
    };
    const messages = new Map([
      ['sent', called('sent', now - hourMs + 1, now - hourMs)],
      ['unknown', called('unknown', now - 5)],
      ['refused', called('refused', now - 2 * hourMs)],
    ]);
    const rows = [1, 2, 3].map((number) => row(number));
    const waiting = input(rows).messages;
    const plan = planOutbox(input(rows, { messages: new Map([...waiting, ...messages]), perHour: 4 }));
    expect(plan.due.map(({ row: number }) => number)).toEqual([1, 2]);
    expect(plan.statuses.get(3)).toBe('waiting: 0 ahead, cap 4/h');
  });

  test('P4: no more is asked than can be sent', () => {
    const rows = [1, 2, 3, 4].map((number) => row(number, { cells: [idOf(900 + number), 'Sales', 'Hi'] }));
    const { questions, due } = planOutbox(input(rows, { answers: { recipients: new Map() }, perHour: 2 }));
    expect(due).toEqual([]);
    expect(questions).toEqual({ recipients: [idOf(901), idOf(902)], senders: true });
  });

  test('P1: a row without an ID is given one and is not sent before; a plan needs none', () => {
    const rows = [row(1, { id: '' })];
    const plan = planOutbox(input(rows, { messages: new Map() }));
    expect([plan.due, plan.namings]).toMatchObject([[], [{ row: 1, message: { state: 'waiting', at: now } }]]);
    expect(dueOf(input(rows, { messages: new Map(), isDryRun: true }))).toEqual([1]);
  });

  test('P6: an approval counts rows that wait for an ID, too', () => {
    const rows = [row(1, { id: '' }), row(2)];
    const held = { isTrusted: false };
    expect(planOutbox(input(rows, held))).toMatchObject({ unapproved: 2, isTrusted: false, due: [] });
    expect(planOutbox(input(rows, { ...held, approved: 1 })).unapproved).toBe(2);
    expect(planOutbox(input(rows, { ...held, approved: 2 }))).toMatchObject({ unapproved: 0, isTrusted: true });
    expect(planOutbox(input([], held)).isTrusted).toBe(true);
  });
});

describe('rows with one ID', () => {
  test('P2, I4: the row that says what the ledger has keeps it, else the upper one', () => {
    const copies = [row(1, { id: idOf(7), text: 'edited' }), row(2, { id: idOf(7), text: 'as sent' })];
    const said = JSON.stringify([
      ['lead_uuid', ann],
      ['sender_profile_uuid', 'Sales'],
      ['text', 'as sent'],
    ]);
    const sent: Message = { state: 'sent', at: now, run: 'r', said, uuid: idOf(70) };
    const asSent = copies.map((each) => ({ ...each, uuid: idOf(70) }));
    const known = planOutbox(input(asSent, { messages: new Map([[idOf(7), sent]]) }));
    expect([known.statuses.get(1), known.statuses.get(2)]).toEqual([
      'quarantined: copy of row 2, nothing is sent: to make it a message of its own, clear Message and Sent at',
      'sent 2026-11-21 09:00Z',
    ]);
    const unknown = planOutbox(input(asSent, { messages: new Map([[idOf(7), { ...sent, said: '' }]]) }));
    expect(unknown.statuses.get(1)).toBe('sent 2026-11-21 09:00Z');
  });

  test.each(['unknown', 'intended'] as const)(
    'I4, P3, L8: edited and copied while the outcome is %s, neither row is sent: one of them may have been',
    (state) => {
      const unsure: Message = { state, at: now, run: 'r', said: 'as it was' };
      const rows = [row(1, { id: idOf(7), text: 'new' }), row(2, { id: idOf(7), text: 'corrected' })];
      const messages = new Map([[idOf(7), unsure]]);
      for (const each of [rows, rows.toReversed()]) {
        const { due, namings, statuses, sets } = planOutbox(input(each, { messages }));
        expect({ due, namings, sets }).toEqual({ due: [], namings: [], sets: [] });
        expect([statuses.get(1), statuses.get(2)]).toEqual([
          'quarantined: has the same ID as row 2, and which of them was sent cannot be told, nothing is sent: clear the ID in the rows that are new messages',
          'quarantined: has the same ID as row 1, and which of them was sent cannot be told, nothing is sent: clear the ID in the rows that are new messages',
        ]);
      }
      // The ID of the other row is cleared: it is a message of its own.
      const decided = planOutbox(input([{ ...rows[0]!, id: '' }, rows[1]!], { messages }));
      expect([decided.due, decided.namings]).toMatchObject([[], [{ row: 1 }]]);
    },
  );

  test.each([
    ['waiting', { was: { state: 'unknown', at: now, run: 'r', said: 'as it was' } }],
    ['refused', { before: ['as it was'] }],
  ] as const)('I4, P3, L8: edited and copied while a second sending is %s, neither row is sent', (state, earlier) => {
    const again: Message = { state, at: now, run: '', said: 'as it was', isAgain: true, ...earlier };
    const rows = [row(1, { id: idOf(7), text: 'new' }), row(2, { id: idOf(7), text: 'corrected' })];
    const { due, namings, statuses } = planOutbox(input(rows, { messages: new Map([[idOf(7), again]]) }));
    expect([due, namings]).toEqual([[], []]);
    expect(statuses.get(1)).toContain('has the same ID as row 2, and which of them was sent cannot be told');
  });

  test('I4, P2: the row that shows the uuid of what was sent keeps the ID, also when it was edited, and the copy is above it', () => {
    const sent: Message = { state: 'sent', at: now, run: 'r', said: 'as it was', uuid: idOf(70) };
    const rows = [row(1, { id: idOf(7), text: 'new' }), { ...row(2, { id: idOf(7), text: 'edited' }), uuid: idOf(70) }];
    const { statuses, namings } = planOutbox(input(rows, { messages: new Map([[idOf(7), sent]]) }));
    expect(statuses.get(2)).toContain('changed since, not sent again');
    // The copy shows no sign of being sent: it is a message of its own (P2).
    expect(namings).toMatchObject([{ row: 1 }]);
  });

  test('P2: a row with an ID that leadsheet did not give is quarantined', () => {
    const { statuses, due } = planOutbox(input([row(1, { id: 'mine' })], { messages: new Map() }));
    expect([due, statuses.get(1)]).toEqual([[], 'quarantined: its ID is not one that leadsheet gave: clear it']);
  });
});

test('P2, P3, L8: a message that is to be sent again still counts as sent; edited before, nothing is sent', () => {
  const original = planOutbox(input([row(1, { text: 'Hi' })])).due[0]!;
  const sent: Message = { state: 'sent', at: now, run: 'r', said: original.said, key: original.key, uuid: idOf(70) };
  const rows = [row(2, { text: 'Hi' }), row(3, { cells: [ann.toUpperCase(), 'Sales', 'Hi'] }), row(1, { text: 'Hi' })];
  const old: Message = { state: 'waiting', at: now - 9000, run: '', said: '' };
  const messages = new Map([
    [idOf(2), old],
    [idOf(3), old],
    [idOf(1), sent],
  ]);
  const asked = planOutbox(input(rows, { messages, retried: retriedBy(1, true) })).messages;
  const next = new Map([...messages, ...asked]);
  expect(dueOf(input(rows, { messages: next }))).toEqual([1]);
  const changed = [...rows.slice(0, 2), row(1, { text: 'Ho' })];
  expect(dueOf(input(changed, { messages: next }))).toEqual([]);
});

describe('rows that prove messages unknown to the ledger', () => {
  const proof = { uuid: idOf(70), sentAt: '2026-11-20 08:00', delivery: 'done' };

  test('P6: a row without an ID that carries a uuid was sent; it is stored, and makes the state count as restored', () => {
    const plan = planOutbox(input([row(1, { id: '', ...proof }), row(2)]));
    expect(plan).toMatchObject({ due: [], unapproved: 1, sent: 1 });
    expect(plan.namings).toMatchObject([{ row: 1, message: { state: 'sent', uuid: idOf(70), delivery: 'done' } }]);
  });

  test('P6, P2: a copy of such a row without a uuid is not sent, also when it names the contact differently', () => {
    const rows = [row(1, { ...proof, text: 'Hi' }), row(2, { text: 'Hi', cells: ['ann@firm.io', 'Sales', 'Hi'] })];
    const adopted = planOutbox(input(rows, { messages: new Map() })).messages;
    const recipients = new Map([['ann@firm.io', { kind: 'here', uuid: ann, name: 'Ann' } as const]]);
    const answers = { ...input([]).answers, recipients };
    const plan = planOutbox(input(rows, { messages: adopted, answers, isTrusted: true }));
    expect(plan.due).toEqual([]);
    expect(plan.statuses.get(2)).toContain('refused: looks the same as');
  });

  test('P4, P6: messages of the last hour that they prove count for the cap', () => {
    const sentAt = new Date(now - 1000).toISOString();
    const rows = [row(1, { ...proof, sentAt }), row(2)];
    const { messages } = planOutbox(input(rows, { messages: new Map() }));
    const plan = planOutbox(input(rows, { messages, perHour: 1 }));
    expect(plan.statuses.get(2)).toBe('waiting: 0 ahead, cap 1/h');
  });

  test('P2: a row with only a time says that it was sent, and is not sent', () => {
    const { due, statuses } = planOutbox(input([row(1, { sentAt: 46_000 })]));
    expect([due, statuses.get(1)]).toEqual([
      [],
      'quarantined: says that it was sent: if it is a new message, clear Message and Sent at',
    ]);
  });
});

describe('when two messages count as the same', () => {
  test.each([
    ['outer white space and line ends', { text: ' Hi\r\nyou ' }, { text: 'Hi\nyou' }, true],
    ['the sender', { text: 'Hi', sender_profile_uuid: 'a' }, { text: 'Hi', sender_profile_uuid: 'b' }, true],
    ['a blank subject', { text: 'Hi', subject: '' }, { text: 'Hi' }, true],
    ['the subject', { text: 'Hi', subject: 'A' }, { text: 'Hi', subject: 'B' }, false],
    ['the words', { text: 'Hi' }, { text: 'hi' }, false],
  ])('P2: %s', (_what, one, other, isSame) => {
    expect(contentText(ann, one) === contentText(ann.toUpperCase(), other)).toBe(isSame);
  });

  test('a contact is named by uuid or e-mail address, in any case', () => {
    expect([` ${ann.toUpperCase()} `, 'Ann@Firm.io', 'Ann', ''].map(readRecipient)).toEqual([
      ann,
      'ann@firm.io',
      undefined,
      undefined,
    ]);
  });

  test('a list stands with commas, semicolons or line breaks between', () => {
    expect(listIn(' a@x.io, b@x.io;c@x.io\n,d@x.io ')).toEqual(['a@x.io', 'b@x.io', 'c@x.io', 'd@x.io']);
  });
});

describe('P5: how long a status is followed', () => {
  const sent = (delivery: string, ageMs: number): Message => {
    return { state: 'sent', at: now - ageMs, run: 'r', said: '', uuid: idOf(1), delivery };
  };
  test.each([
    ['network_messages', sent('new', 0), 'closely'],
    ['network_messages', sent('in_progress', dayMs), 'closely'],
    ['network_messages', sent('Done', 0), 'not'],
    ['network_messages', sent('failed', 0), 'not'],
    ['network_messages', sent('new', 31 * dayMs), 'not'],
    ['network_messages', { ...sent('', 0), state: 'unknown' }, 'closely'],
    ['network_messages', { ...sent('', 2 * dayMs), state: 'unknown' }, 'not'],
    ['emails', { ...sent('', 0), state: 'unknown' }, 'not'],
    ['emails', sent('waiting', 0), 'closely'],
    ['emails', sent('sent', dayMs), 'rarely'],
    ['emails', sent('sent', 6 * dayMs), 'not'],
    ['emails', sent('bounced', 0), 'not'],
    ['emails', { ...sent('waiting', 0), state: 'waiting' }, 'not'],
  ] as const)('%s %o: %s', (kind, message, watch) => {
    expect(watchOf(kind, message, now)).toBe(watch);
  });
});
