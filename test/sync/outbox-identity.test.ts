import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/sync/outbox/message.ts';
import { idOf, now, planOf, retriedBy, row, saidBy, saysOf, sent, waiting } from './outbox-support.ts';

/* Whose message a row is: by its ID, else by the uuid, else by what it says (P2); what proves that it was sent (P6). */

const copyOf1 =
  'quarantined: copy of row 1, nothing is sent: to make it a message of its own, clear Message and Sent at';
const elsewhere = 'quarantined: says that it was sent: if it is a new message, clear Message and Sent at';
const lookFor = (id: string) =>
  `quarantined: outcome unknown: look in the service, then leadsheet retry ${id} --yes if it is not there`;

describe('P1: the Send cell', () => {
  test.each([
    ['no', { send: 'no' }, ''],
    ['nothing', { send: null }, ''],
    ['something else', { send: 'soon' }, 'waiting: it is sent once Send says yes'],
    ['yes by a formula', { isSendFormula: true }, 'held: a formula stands in Send: type yes'],
  ])('says %s: nothing is sent, however the row is identified', (_what, parts, says) => {
    const named = planOf([row(1, parts)], { 1: waiting() });
    expect([saysOf(named), [...named.messages]]).toEqual([
      [says, []],
      [[idOf(1), { ...waiting(), isWithdrawn: true }]],
    ]);
    const unknown = planOf([row(1, { ...parts, id: 'mine' })], {});
    expect(saysOf(unknown)).toEqual([says, []]);
    const nameless = planOf([row(1, { ...parts, id: '' })], {});
    expect([saysOf(nameless), nameless.namings]).toEqual([[says, []], []]);
    const copy = planOf([row(1), row(2, { ...parts, id: idOf(1) })], { 1: waiting() });
    expect([saysOf(copy, 2), copy.namings]).toEqual([[says, [1]], []]);
  });

  test('a problem of a row has the row’s ID, if the row keeps that ID', () => {
    const rows = [row(1), row(2, { id: idOf(1) }), row(3, { id: '' })].map((each) => ({ ...each, send: 'soon' }));
    const { problems } = planOf(rows, { 1: waiting() });
    expect(problems.map(({ id }) => id)).toEqual([idOf(1), 'row:2', 'row:3']);
  });
});

describe('P2: a row without an ID', () => {
  test('that carries the uuid of a row that is there is a copy of it', () => {
    const rows = [row(1, { uuid: idOf(70) }), row(2, { id: '', uuid: idOf(70) })];
    expect(saysOf(planOf(rows, { 1: sent() }), 2)).toEqual([copyOf1, []]);
  });

  test('that carries the uuid of what was sent before under the ID of a row that is there is a copy of it', () => {
    const rows = [row(1, { uuid: idOf(70) }), row(2, { id: '', uuid: idOf(69) })];
    const plan = planOf(rows, { 1: sent({ uuidsBefore: [idOf(69)] }) });
    expect([saysOf(plan, 2), plan.isTrusted]).toEqual([[copyOf1, []], true]);
  });

  test('that carries the uuid of a row that is gone gets its ID back, once; the next one is a copy', () => {
    const rows = [row(1, { id: '', uuid: idOf(70) }), row(2, { id: '', uuid: idOf(70) })];
    const plan = planOf(rows, { 5: sent() });
    expect(plan.namings).toEqual([{ row: 1, id: idOf(5) }]);
    expect([saysOf(plan), saysOf(plan, 2)]).toEqual([
      ['sent 2026-11-21 09:00Z', []],
      [copyOf1, []],
    ]);
    expect(plan).toMatchObject({ sent: 1, isTrusted: true });
  });

  test('that says what a lost row said gets its ID back, and is sent under it in the next run', () => {
    const said = saidBy('Hi');
    const rows = [row(1, { id: '', text: 'Hi' }), row(2, { text: 'Ho' })];
    const ledger = { 2: waiting({ said }), 5: waiting({ said }) };
    const plan = planOf(rows, ledger, { isTrusted: false });
    expect([plan.namings, plan.unapproved]).toEqual([[{ row: 1, id: idOf(5) }], 2]);
    expect(plan.problems).toContainEqual(
      expect.objectContaining({ row: 1, kind: 'waiting', reason: 'is tried in the next run' }),
    );
    expect(saysOf(plan)[0]).toBe(null);
    const dry = planOf(rows, ledger, { isDryRun: true });
    expect(dry.due.map(({ id }) => id)).toEqual([idOf(5), idOf(2)]);
  });

  test('that lost the ID of something sent is not sent again, unless a person asked for that', () => {
    const rows = [row(1, { id: '', text: 'Hi' })];
    const ledger = { 5: sent({ said: saidBy('Hi') }) };
    expect(saysOf(planOf(rows, ledger))).toEqual(['sent 2026-11-21 09:00Z', []]);
    const again = { retried: retriedBy(5, true), isDryRun: true };
    expect(planOf(rows, ledger, again).due.map(({ id }) => id)).toEqual([idOf(5)]);
    const unconfirmed = { retried: retriedBy(5, false), isDryRun: true };
    expect(saysOf(planOf(rows, ledger, unconfirmed))).toEqual(['sent 2026-11-21 09:00Z', []]);
  });

  test('that has the time of something sent and lost both IDs, as by merged cells, gets them back, and is not sent', () => {
    const lost = row(1, { id: '', sentAt: 46_347.375, text: 'Hi' });
    const ledger = { 5: sent({ said: saidBy('Hi') }) };
    const plan = planOf([lost], ledger);
    expect([plan.namings, saysOf(plan)]).toEqual([[{ row: 1, id: idOf(5) }], ['sent 2026-11-21 09:00Z', []]]);
    // A copy, once the message has a row, and what was never sent or has another text, remain in doubt.
    const copied = planOf([row(5, { text: 'Hi' }), lost], ledger);
    expect([copied.namings, saysOf(copied)]).toEqual([[], [elsewhere, []]]);
    const both = planOf([lost, row(2, { id: '', sentAt: 46_347.375, text: 'Hi' })], ledger);
    expect([both.namings, saysOf(both, 2)]).toEqual([[{ row: 1, id: idOf(5) }], [elsewhere, []]]);
    for (const other of [waiting({ said: saidBy('Hi') }), sent({ said: saidBy('Ho') })]) {
      const doubtful = planOf([lost], { 5: other });
      expect([doubtful.namings, saysOf(doubtful)]).toEqual([[], [elsewhere, []]]);
    }
    const named = planOf([{ ...lost, uuid: 'see above' }], ledger);
    expect([named.namings, saysOf(named)]).toEqual([[], [elsewhere, []]]);
  });

  test.each([
    ['cancelled', 'cancelled 2026-11-21 09:00Z: not sent'],
    ['unknown', lookFor(idOf(5))],
  ] as const)(
    'P7, L8: that says what a lost row said since it was %s gets its ID back, and is not sent',
    (state, says) => {
      const ledger = { 5: waiting({ state, at: now, said: saidBy('Hi'), saysNow: saidBy('Ho') }) };
      const plan = planOf([row(1, { id: '', text: 'Ho' })], ledger, { isDryRun: true });
      expect([plan.namings, saysOf(plan)]).toEqual([[{ row: 1, id: idOf(5) }], [says, []]]);
    },
  );

  test.each([
    ['a uuid that is none', { uuid: 'see above' }],
    ['a time', { sentAt: '2026-11-20 08:00' }],
  ])('and says that it was sent by %s is not sent', (_what, parts) => {
    const plan = planOf([row(1, { id: '', ...parts })], {});
    expect([saysOf(plan), plan.namings]).toEqual([[elsewhere, []], []]);
  });
});

describe('P2: a row with an ID', () => {
  test('that carries the uuid of another row that is there is a copy of it', () => {
    const rows = [row(1, { uuid: idOf(70) }), row(2, { uuid: idOf(70) })];
    expect(saysOf(planOf(rows, { 1: sent(), 2: waiting() }), 2)).toEqual([copyOf1, []]);
  });

  test('that carries the uuid of a row that is gone is quarantined', () => {
    expect(saysOf(planOf([row(1, { uuid: idOf(70) })], { 1: waiting(), 5: sent() }))).toEqual([elsewhere, []]);
  });

  test('that is not in the ledger, and that carries the uuid of a row that is gone, gets that row’s ID', () => {
    const plan = planOf([row(1, { uuid: idOf(70) })], { 5: sent() });
    expect([plan.namings, saysOf(plan)]).toEqual([[{ row: 1, id: idOf(5) }], ['sent 2026-11-21 09:00Z', []]]);
  });

  test.each([
    ['says nothing of having been sent: it is one of its own', {}, null, [{ row: 2 }]],
    ['carries a time: it is not sent', { sentAt: 46_000 }, copyOf1, []],
    ['carries a uuid: it is not sent', { uuid: 'x' }, copyOf1, []],
  ])('that another row has too, and %s', (_what, parts, says, namings) => {
    const plan = planOf([row(1), row(2, { id: idOf(1), text: 'Ho', ...parts })], { 1: waiting() });
    expect([saysOf(plan, 2), plan.namings]).toMatchObject([[says, [1]], namings]);
  });

  test('that is not in the ledger and stands in two rows stays with the upper one', () => {
    const plan = planOf([row(1), row(2, { id: idOf(1), uuid: 'x' })], {});
    expect(saysOf(plan, 2)).toEqual([copyOf1, []]);
  });

  test('that says it was sent, and was not, is sent only when a person asks for it', () => {
    const rows = [row(1, { uuid: 'x', sentAt: 46_000 })];
    expect(saysOf(planOf(rows, { 1: waiting() }))).toEqual([elsewhere, []]);
    expect(saysOf(planOf(rows, { 1: waiting({ isAgain: true }) }))).toEqual([null, [1]]);
    expect(saysOf(planOf(rows, { 1: waiting() }, { retried: retriedBy(1, true) }))).toEqual([null, [1]]);
    expect(saysOf(planOf(rows, { 1: waiting() }, { retried: retriedBy(1, false) }))).toEqual([elsewhere, []]);
  });
});

describe('P3: an unknown outcome', () => {
  test.each(['unknown', 'intended'] as const)('%s: the row says so and nothing is sent', (state) => {
    const plan = planOf([row(1)], { 1: sent({ state }) });
    expect([saysOf(plan), plan.sent]).toEqual([[lookFor(idOf(1)), []], 0]);
  });

  test.each(['unknown', 'intended'] as const)('%s: ends when a person types the uuid they found', (state) => {
    const { uuid: _none, ...lost } = sent({ state });
    const plan = planOf([row(1, { uuid: idOf(70).toUpperCase() })], { 1: lost });
    expect(plan.messages).toEqual(new Map([[idOf(1), sent({ saysNow: saidBy('text 1') })]]));
    expect([saysOf(plan), plan.sent]).toEqual([['sent 2026-11-21 09:00Z', []], 1]);
    expect(plan.isTrusted).toBe(true);
  });
});

describe('P6: proof', () => {
  const wishful = row(2);

  test.each([
    ['a uuid', { uuid: idOf(70) }, 'sent an earlier time'],
    ['a time', { sentAt: '2026-11-20 08:00' }, 'sent 2026-11-20 08:00Z'],
  ])(
    'by %s in a row that is not in the ledger: it was sent, and the rest waits for an approval',
    (_what, parts, says) => {
      const plan = planOf([row(1, parts), wishful], { 2: waiting() });
      expect(saysOf(plan)).toEqual([says, []]);
      expect(plan).toMatchObject({ sent: 1, unapproved: 1, isTrusted: false });
      expect(plan.statuses.get(2)).toBe('held: the state is new: approve once what it would send');
    },
  );

  test('an unknown uuid in a row that was not sent proves that it was sent before the backup', () => {
    const plan = planOf([row(1, { uuid: idOf(70) }), wishful], { 1: waiting(), 2: waiting() });
    expect(plan).toMatchObject({ sent: 1, unapproved: 1 });
  });

  test('is stored with all that the row says', () => {
    const proof = { uuid: idOf(70), sentAt: '2026-11-20 08:00', delivery: 'done', text: 'Hi' };
    const at = Date.parse('2026-11-20T08:00:00Z');
    const { messages } = planOf([row(1, proof)], {});
    const expected: Message = {
      state: 'sent',
      at,
      calls: [at],
      run: '',
      said: saidBy('Hi'),
      key: JSON.stringify(['00000000-0000-4000-8000-000000000900', ['text', 'Hi']]),
      uuid: idOf(70),
      delivery: 'done',
    };
    expect(messages).toStrictEqual(new Map([[idOf(1), expected]]));
  });

  test.each([
    ['blank', null],
    ['an error', { error: '#N/A' }],
    ['an e-mail address', 'ann@firm.io'],
  ])('counts also if the contact is %s; what is not known is left out', (_what, to) => {
    const { messages } = planOf([row(1, { uuid: idOf(70), cells: [to, null, null] })], {});
    const said = typeof to === 'string' ? JSON.stringify([['lead_uuid', to]]) : '[]';
    const expected = { state: 'sent', at: 0, run: '', said, uuid: idOf(70) };
    expect(messages).toStrictEqual(new Map([[idOf(1), expected]]));
  });

  describe('by several rows with one ID, one of which was edited', () => {
    const proof = { id: idOf(1), uuid: idOf(70), sentAt: '2026-11-20 08:00' };
    const rows = [row(1, { ...proof, text: 'edited' }), row(2, { ...proof, text: 'Hi' })];
    const after = planOf(rows, {}).messages;

    test('what each of them says counts as sent, and is sent by no other row', () => {
      const later = [...rows, row(3, { id: idOf(3), text: 'Hi' }), row(4, { id: idOf(4), text: 'edited' })];
      const messages = new Map([...after, [idOf(3), waiting()], [idOf(4), waiting()]]);
      const plan = planOf(later, {}, { messages });
      expect(plan.due).toEqual([]);
      expect(plan.statuses.get(3)).toMatch(
        /^refused: looks the same as a message that was sent before, or may have been/,
      );
      expect(plan.statuses.get(4)).toMatch(/^refused: looks the same as the message of 2026-11-20 08:00Z/);
    });

    test('a copy without that uuid proves nothing', () => {
      const other = planOf([rows[0]!, row(2, { ...proof, uuid: null, text: 'Hi' })], {});
      expect(other.messages.get(idOf(1))).not.toHaveProperty('before');
    });

    test('once the ledger knows it, a copy that is edited adds nothing', () => {
      const edited = planOf([rows[0]!, row(2, { ...proof, text: 'other' })], {}, { messages: after });
      expect(edited.messages.get(idOf(1))).toBeUndefined();
    });
  });

  test('the content of a row does not count while columns are missing (W11)', () => {
    const { messages } = planOf([row(1, { sentAt: 46_000 })], {}, { missing: ['Text'] });
    expect(messages.get(idOf(1))).toMatchObject({ state: 'sent', said: '' });
    expect('uuid' in messages.get(idOf(1))!).toBe(false);
  });

  test('a row with an ID that is not in the ledger makes the state count as restored', () => {
    expect(planOf([row(1)], {})).toMatchObject({ due: [], unapproved: 1, isTrusted: false });
  });

  test('an ID that leadsheet did not give proves nothing, also with a time', () => {
    const plan = planOf([row(1, { id: 'mine', sentAt: 46_000 })], {});
    expect(saysOf(plan)).toEqual(['quarantined: its ID is not one that leadsheet gave: clear it', []]);
    expect(plan.isTrusted).toBe(true);
  });
});

test('P2: a row may say the same as a row that only waits', () => {
  const plan = planOf([row(1, { text: 'Hi' })], { 1: waiting(), 5: waiting({ said: saidBy('Hi'), at: now }) });
  expect(saysOf(plan)).toEqual([null, [1]]);
});
