import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/sync/outbox/message.ts';
import { ann, hourMs, idOf, now, planOf, retriedBy, row, saidBy, saysOf, sent, waiting } from './outbox-support.ts';

/* P4, as far as the row itself tells; P2: what was sent already; what the ledger has of a row that waits. */

const said = saidBy('Hi');
const hi = row(1, { text: 'Hi' });

test('P7: a cancelled row that still says yes is not sent by a retry of another row, and is by its own', () => {
  const cancelled: Message = { state: 'cancelled', at: now, run: '', said: saidBy('text 1') };
  const rows = [row(1), row(2)];
  const ledger = { 1: cancelled, 2: waiting() };
  expect(planOf(rows, ledger, { retried: retriedBy(2, false) }).due.map((due) => due.row)).toEqual([2]);
  expect(planOf(rows, ledger, { retried: retriedBy(1, false) }).due.map((due) => due.row)).toEqual([1, 2]);
});

describe('P4: what is missing in a row', () => {
  const limited = ['lead_uuid', 'sender_profile_uuid', 'text'].map((name) => {
    return { name, header: `(${name})`, isList: false, ...(name === 'text' && { lengthMax: 3 }) };
  });
  test.each([
    ['a text as long as the service takes', [ann, 'Sales', 'abc'], null],
    ['a longer one', [ann, 'Sales', 'abcd'], 'refused: (text) has 4 characters, and 3 are the most'],
    ['a cell that shows an error', [ann, 'Sales', { error: '#N/A' }], 'unreadable: (text) shows #N/A'],
    ['no text', [ann, 'Sales', null], 'refused: (text) is empty: nothing is sent'],
    ['no sender', [ann, null, 'abc'], 'refused: (sender_profile_uuid) is empty: nothing is sent'],
    ['no contact', [null, 'Sales', 'abc'], 'refused: (lead_uuid) is empty: nothing is sent'],
    ['a name', ['Ann', 'Sales', 'abc'], 'refused: (lead_uuid) is neither a uuid nor an e-mail address'],
  ])('%s', (_what, cells, says) => {
    const plan = planOf([row(1, { cells })], { 1: waiting() }, { fields: limited });
    expect(saysOf(plan)).toEqual([says, says === null ? [1] : []]);
  });

  const mail = ['lead_uuid', 'sender_profile_uuid', 'body', 'template_uuid'].map((name) => {
    return { name, header: name, isList: false };
  });
  test.each([
    ['a text', ['Hi', null], null],
    ['a template', [null, idOf(600)], null],
    ['neither', [null, null], 'refused: body and template_uuid is empty: nothing is sent'],
  ])('an e-mail has %s', (_what, cells, says) => {
    const plan = planOf([row(1, { cells: [ann, 'Sales', ...cells] })], { 1: waiting() }, { fields: mail });
    expect(saysOf(plan)).toEqual([says, says === null ? [1] : []]);
  });

  test('W11: a missing column holds every row that says yes', () => {
    const plan = planOf([hi], { 1: waiting() }, { missing: ['Text', 'To'] });
    expect([saysOf(plan), plan.messages.size]).toEqual([['held: not in the tab: Text, To', []], 0]);
  });

  test('P6: an approval counts rows that cannot be read or found yet, too', () => {
    const [unreadable, blank] = [{ cells: [ann, 'Sales', { error: '#N/A' }] }, { cells: [ann, 'Sales', null] }];
    const rows = [hi, row(2, unreadable), row(3, blank), row(4, blank)];
    const ledger = { 1: waiting(), 2: waiting(), 3: waiting(), 4: waiting() };
    expect(planOf(rows, ledger, { isTrusted: false }).unapproved).toBe(2);
  });

  test.each([
    ['until it is time to ask again', { retryAt: now + 1 }],
    ['until the row changes', {}],
  ])('P6: an approval counts a row that was refused %s: it may have been sent since', (_what, parts) => {
    const refused: Message = { state: 'refused', at: now, run: '', said: saidBy('Hi'), ...parts };
    expect(planOf([hi], { 1: refused }, { isTrusted: false })).toMatchObject({ unapproved: 1, isTrusted: false });
    expect(planOf([hi], { 1: refused }, { isTrusted: false, approved: 1 })).toMatchObject({ isTrusted: true });
  });

  test.each([
    ['Text', hi],
    ['Send', { ...hi, send: undefined }],
  ])('P6, W11: without the column %s nothing can be approved, and the ledger is not trusted', (header, wished) => {
    const given = { isTrusted: false, missing: [header], approved: 9 };
    expect(planOf([wished], { 1: waiting() }, given)).toMatchObject({ unapproved: 0, isTrusted: false, due: [] });
    expect(planOf([wished], { 1: waiting() }, { ...given, isTrusted: true }).isTrusted).toBe(true);
  });
});

describe('P4: a message that the service refused', () => {
  const refused = { state: 'refused', said, message: 'no such contact', rule: 'P2' } as const;

  test('is not tried again while the row says the same, and keeps its reason and rule', () => {
    const plan = planOf([hi], { 1: waiting(refused) });
    expect(saysOf(plan)).toEqual(['refused: no such contact', []]);
    expect(plan.problems).toMatchObject([{ rule: 'P2' }]);
    const { message: _words, rule: _rule, ...bare } = refused;
    expect(planOf([hi], { 1: waiting(bare) }).problems).toMatchObject([{ rule: 'P4', reason: 'by the service' }]);
  });

  test('is tried again after its pause, and when the row changes', () => {
    expect(saysOf(planOf([hi], { 1: waiting({ ...refused, retryAt: now + 1 }) }))[1]).toEqual([]);
    expect(saysOf(planOf([hi], { 1: waiting({ ...refused, retryAt: now }) }))[1]).toEqual([1]);
    expect(saysOf(planOf([hi], { 1: waiting({ ...refused, said: saidBy('Ho') }) }))[1]).toEqual([1]);
    expect(saysOf(planOf([hi], { 1: waiting(refused) }, { retried: retriedBy(1, false) }))[1]).toEqual([1]);
  });
});

describe('P2: the text of a message that was sent', () => {
  test.each([
    ['sent', sent({ said }), 'the message of 2026-11-21 09:00Z'],
    ['maybe sent', sent({ said, state: 'unknown' }), 'the message of 2026-11-21 09:00Z, whose outcome is unknown'],
    ['sent before', waiting({ before: [said] }), 'a message that was sent before, or may have been'],
    ['sent before other words', sent({ before: [said] }), 'a message that was sent before, or may have been'],
  ])('%s: another row with this text is refused, and says how to send it nevertheless', (_what, other, which) => {
    const named = planOf([hi], { 1: waiting(), 5: other });
    const remedy = `change it, or say leadsheet retry ${idOf(1)} --yes`;
    expect(saysOf(named)).toEqual([`refused: looks the same as ${which}: ${remedy}`, []]);
    const nameless = planOf([row(2, { text: 'Hi' }), row(3, { id: '', text: 'Hi' })], { 2: other, 5: other });
    expect(nameless.due).toEqual([]);
  });

  test('a copy without an ID is refused, and names no ID for a retry', () => {
    const plan = planOf([hi, row(2, { id: '', text: 'Hi' })], { 1: sent({ said }) });
    expect(saysOf(plan, 2)).toEqual(['refused: looks the same as the message of 2026-11-21 09:00Z: change it', []]);
  });

  test('are sent if a person asked for this row although it was sent', () => {
    expect(saysOf(planOf([hi], { 1: waiting({ isAgain: true }), 5: sent({ said }) }))).toEqual([null, [1]]);
  });

  test('a row is no copy of itself', () => {
    expect(saysOf(planOf([hi], { 1: waiting({ before: [said] }) }))).toEqual([null, [1]]);
  });
});

describe('the entry of a waiting row in the ledger', () => {
  const before = waiting({
    said,
    calls: [now - 5, now - 2 * hourMs],
    before: ['older'],
    uuid: idOf(71),
    isAgain: true,
  });

  test('stays as it is while the row says the same', () => {
    expect(planOf([hi], { 1: waiting({ said }) }).messages.size).toBe(0);
  });

  test('is new when the row changes, and keeps what was sent', () => {
    const { isAgain: _again, ...notAgain } = before;
    const { messages } = planOf([row(1, { text: 'Ho' })], { 1: notAgain });
    const fresh = { state: 'waiting', at: now, run: '', said: saidBy('Ho'), recipient: idOf(900) };
    const kept = { calls: [now - 5], before: ['older'], uuid: idOf(71) };
    expect(messages).toStrictEqual(new Map([[idOf(1), { ...fresh, ...kept }]]));
    const bare = planOf([row(1, { text: 'Ho' })], { 1: waiting({ said }) });
    expect(bare.messages).toStrictEqual(new Map([[idOf(1), fresh]]));
  });

  test('P3: is new when a person asks again; what was sent before still counts as sent', () => {
    const of = (isConfirmed: boolean) => ({ retried: retriedBy(1, isConfirmed) });
    const fresh = { state: 'waiting', at: now, run: '', said, recipient: idOf(900) };
    expect(planOf([hi], { 1: waiting({ said }) }, of(false)).messages.get(idOf(1))).toStrictEqual(fresh);
    const last = sent({ said, key: 'k' });
    const { state, at, run, key, uuid } = last;
    const again = { ...fresh, before: [said, 'k'], uuid: idOf(70), isAgain: true };
    const was = { state, at, run, said, key, uuid };
    expect(planOf([hi], { 1: last }, of(true)).messages.get(idOf(1))).toStrictEqual({ ...again, was });
  });

  test('is made for a row without an ID, with what the row says', () => {
    const { namings } = planOf([row(1, { id: '', text: 'Hi' })], {});
    expect(namings).toStrictEqual([
      { row: 1, message: { state: 'waiting', at: now, run: '', recipient: idOf(900), said } },
    ]);
  });

  test('W10: a row that waits for its ID keeps its status, and the report has the problem', () => {
    const plan = planOf([row(1, { id: '' })], {});
    expect(plan.statuses.has(1)).toBe(false);
    expect(plan.problems).toMatchObject([{ row: 1, kind: 'waiting', rule: 'P1', reason: 'is tried in the next run' }]);
  });
});
