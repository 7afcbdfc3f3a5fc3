import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/sync/outbox/message.ts';
import { ann, idOf, now, planOf, retriedBy, row, saidBy, sent, waiting } from './outbox-support.ts';

/* P3: a person asks for a second sending of what they saw in the row. */

const [hi, ho] = [saidBy('Hi'), saidBy('Ho')];
const says = (text: string) => [row(1, { text })];
const toRead = 'the row was edited since a person asked to send it again: read it, then';
const dueOf = (plan: ReturnType<typeof planOf>) => plan.due.map(({ id }) => id);

describe('P3: a row that is to be sent again', () => {
  test.each([
    ['as it was sent', 'Hi', hi],
    ['as it was edited before the person looked', 'Ho', ho],
    ['by an earlier version, which kept no digest', 'Ho', undefined],
  ])('goes out %s', (_what, text, said) => {
    const plan = planOf(says(text), { 1: sent({ said: hi }) }, { retried: retriedBy(1, true, said) });
    expect([dueOf(plan), plan.voided, plan.edited.size]).toEqual([[idOf(1)], [], 0]);
  });

  test.each([
    ['sent', `not sent again: ${toRead} leadsheet retry ${idOf(1)} --yes if it is still to be sent`],
    [
      'unknown',
      `outcome unknown, and not sent again: ${toRead} look in the service, then leadsheet retry ${idOf(1)} --yes if it is not there`,
    ],
  ] as const)(
    '%s, and says something else than the person saw: nothing is sent, and it is asked for again',
    (state, reason) => {
      const ledger = { 1: sent({ said: hi, state }) };
      const plan = planOf(says('Ho'), ledger, { retried: retriedBy(1, true, hi) });
      expect([dueOf(plan), plan.voided]).toEqual([[], ['request 1']]);
      expect(plan.problems).toMatchObject([{ kind: 'quarantined', id: idOf(1), reason }]);
      // The ledger has the new text, so that the next question is about it.
      expect(plan.messages.get(idOf(1))).toMatchObject({ state, said: hi, saysNow: ho });
      const later = planOf(says('Ho'), { 1: plan.messages.get(idOf(1))! }, { retried: retriedBy(1, true, ho) });
      expect(dueOf(later)).toEqual([idOf(1)]);
      // A later plan of the same run says it still, and the next run does not.
      const told = (edited: ReadonlySet<string>) =>
        planOf(says('Ho'), { 1: plan.messages.get(idOf(1))! }, { edited }).problems.map((each) => each.reason);
      expect(told(plan.edited)).toEqual([reason]);
      expect(told(new Set())).not.toContain(reason);
    },
  );

  test('has its text back that the person saw: it is sent', () => {
    const plan = planOf(says('Hi'), { 1: sent({ said: hi, saysNow: ho }) }, { retried: retriedBy(1, true, hi) });
    expect(dueOf(plan)).toEqual([idOf(1)]);
  });

  test('of two requests, the one holds whose text the row has', () => {
    const [first, second] = [retriedBy(1, true, hi), retriedBy(1, true, ho)];
    const both = [...first.get(idOf(1))!, ...second.get(idOf(1))!.map((each) => ({ ...each, key: 'other' }))];
    const plan = planOf(says('Ho'), { 1: sent({ said: hi }) }, { retried: new Map([[idOf(1), both]]) });
    expect([dueOf(plan), plan.voided]).toEqual([[idOf(1)], ['request 1']]);
  });

  test('lacks a column that is sent: it is not compared, and not sent', () => {
    const asked = { retried: retriedBy(1, true, hi), missing: ['Text'] };
    const plan = planOf(says('Ho'), { 1: sent({ said: hi }) }, asked);
    expect([dueOf(plan), plan.voided]).toEqual([[], []]);
  });

  test('P7: was cancelled, and edited since: it stays cancelled, and the ledger says what it says now', () => {
    const cancelled = waiting({ state: 'cancelled', said: hi });
    const plan = planOf(says('Ho'), { 1: cancelled }, { retried: retriedBy(1, true, hi) });
    expect([dueOf(plan), plan.voided]).toEqual([[], ['request 1']]);
    expect(plan.messages.get(idOf(1))).toMatchObject({ state: 'cancelled', saysNow: ho });
    expect(dueOf(planOf(says('Ho'), { 1: cancelled }, { retried: retriedBy(1, true, ho) }))).toEqual([idOf(1)]);
  });
});

describe('P3: a row that waits to be sent again and is edited before', () => {
  const asked = (last: Message) =>
    planOf(says('Hi'), { 1: last }, { retried: retriedBy(1, true, hi) }).messages.get(idOf(1))!;

  test.each(['sent', 'unknown'] as const)('is %s as before: nothing is sent, and it is asked for again', (state) => {
    const last = sent({ said: hi, state });
    const plan = planOf(says('Ho'), { 1: asked(last) });
    expect([dueOf(plan), [...plan.edited]]).toEqual([[], [idOf(1)]]);
    expect(plan.messages.get(idOf(1))).toMatchObject({ state, at: now, said: hi, saysNow: ho });
    expect(plan.problems[0]!.reason).toContain(toRead);
    expect(dueOf(planOf(says('Hi'), { 1: asked(last) }))).toEqual([idOf(1)]);
  });

  test.each([
    ['the service refused the text', {}],
    ['the contact did not exist', { retryAt: now - 1 }],
  ])('was refused, since %s: it goes out once that has ended, and not with another text', (_what, ended) => {
    const last = sent({ said: hi });
    const gone = { senders: [], recipients: new Map([[ann, { kind: 'none' } as const]]) };
    const refused = planOf(says('Hi'), { 1: asked(last) }, { answers: gone }).messages.get(idOf(1))!;
    expect(refused).toMatchObject({ state: 'refused', isAgain: true });
    const { retryAt: _later, ...rest } = refused;
    const plan = planOf(says('Ho'), { 1: { ...rest, ...ended } });
    expect([dueOf(plan), [...plan.edited]]).toEqual([[], [idOf(1)]]);
    expect(plan.messages.get(idOf(1))).toMatchObject({ state: 'sent', said: hi, saysNow: ho });
    const shown = [row(1, { text: 'Hi', uuid: idOf(70), sentAt: '2026-11-21 09:00' })];
    expect(dueOf(planOf(shown, { 1: { ...rest, retryAt: now - 1 } }))).toEqual([idOf(1)]);
  });

  test('looked the same as another message: without that text it is judged by itself', () => {
    const twin = { 1: asked(waiting({ said: hi })), 5: sent({ said: hi }), 6: sent({ said: ho, uuid: idOf(71) }) };
    expect(dueOf(planOf(says('Hi'), twin))).toEqual([idOf(1)]);
    expect(dueOf(planOf(says('Hello'), twin))).toEqual([idOf(1)]);
    expect(dueOf(planOf(says('Ho'), twin))).toEqual([]);
  });

  test('a second request for the text that it has now sends it', () => {
    const ledger = { 1: asked(sent({ said: hi })) };
    expect(dueOf(planOf(says('Ho'), ledger, { retried: retriedBy(1, true, ho) }))).toEqual([idOf(1)]);
  });
});

describe('L12: a request of a person', () => {
  const asked = { retried: retriedBy(1, true, hi) };

  test('waits while its row has no ID, cannot be told from a copy, or lacks a column', () => {
    const ledger = { 1: sent({ said: hi }) };
    const nameless = planOf([row(2, { id: '', text: 'Hi' })], ledger, asked);
    expect(nameless).toMatchObject({
      due: [],
      voided: [],
      postponed: ['request 1'],
      namings: [{ row: 2, id: idOf(1) }],
    });
    const copies = [row(1, { text: 'One' }), row(2, { id: idOf(1), text: 'Two' })];
    expect(planOf(copies, ledger, asked)).toMatchObject({ due: [], voided: [], postponed: ['request 1'] });
    expect(planOf(says('Hi'), ledger, { ...asked, missing: ['Send'] }).postponed).toEqual(['request 1']);
    expect(planOf(says('Hi'), ledger, asked)).toMatchObject({ due: [{ row: 1 }], voided: [], postponed: [] });
  });

  test.each([
    ['its row is gone', []],
    ['Send says no', [row(1, { text: 'Hi', send: 'no' })]],
  ])('is void where %s', (_what, rows) => {
    expect(planOf(rows, { 1: waiting({ said: hi }) }, asked)).toMatchObject({ voided: ['request 1'], postponed: [] });
  });

  test('is void where nobody confirmed that it is to be sent again', () => {
    const plan = planOf(says('Hi'), { 1: sent({ said: hi }) }, { retried: retriedBy(1, false) });
    expect(plan).toMatchObject({ due: [], voided: ['request 1'], postponed: [] });
  });
});
