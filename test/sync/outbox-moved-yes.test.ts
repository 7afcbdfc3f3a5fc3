import { describe, expect, test } from 'vitest';
import type { Message, OutboxRow } from '../../src/sync/outbox/message.ts';
import { idOf, planOf, row, saidBy, sent, waiting } from './outbox-support.ts';

/* P8: which rows count as ones whose yes moved. */

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
/** Five messages that were sent, in rows 1 to 5, and say it no more. */
const cleared = numbers(1, 5).map((number) => row(number, { send: null }));
const ofCleared = Object.fromEntries(cleared.map(({ number }) => [number, sent({ uuid: idOf(100 + number) })]));
const nameless = (number: number, parts: Partial<OutboxRow> = {}) => row(number, { id: '', ...parts });
const movedIn = (rows: readonly OutboxRow[], ledger: Readonly<Record<number, Message>> = {}, more = {}) => [
  ...planOf([...cleared, ...rows], { ...ofCleared, ...ledger }, more).moved,
];

describe('P8: five rows say it no more', () => {
  test('five new ones say it: these wait', () => {
    expect(movedIn(numbers(11, 5).map((number) => nameless(number)))).toEqual(numbers(11, 5));
  });

  test('so do six; of seven, most may be others that people typed', () => {
    expect(movedIn(numbers(11, 6).map((number) => nameless(number)))).toHaveLength(6);
    expect(movedIn(numbers(11, 7).map((number) => nameless(number)))).toHaveLength(0);
  });

  test.each<readonly [string, Partial<OutboxRow>]>([
    ['a uuid', { uuid: idOf(70) }],
    ['a time', { sentAt: '2026-11-20 09:00:00' }],
  ])('rows that show %s, so that nothing is sent of them, are none of these', (_what, parts) => {
    expect(movedIn(numbers(11, 5).map((number) => nameless(number, parts)))).toEqual([]);
  });

  test('copies of a row that waits are new ones', () => {
    const copies = [row(9), ...numbers(11, 5).map((number) => row(number, { id: idOf(9), text: `text ${number}` }))];
    expect(movedIn(copies, { 9: waiting({ said: saidBy('text 9') }) })).toEqual(numbers(11, 5));
  });

  test('a row that lost its ID is known by its words: what waits of it waits, and what is released stays so', () => {
    const lost = [nameless(11), nameless(12)];
    const of = (number: number) => saidBy(`text ${number}`);
    const ledger = { 21: waiting({ said: of(11), isMoved: true }), 22: waiting({ said: of(12) }) };
    expect(movedIn(lost, ledger)).toEqual([11]);
  });

  test('of a message that was sent, the yes that comes back counts, and does not wait', () => {
    const again = numbers(11, 2).map((number) => row(number));
    const ofAgain = Object.fromEntries(
      again.map(({ number }) => [number, sent({ uuid: idOf(100 + number), isWithdrawn: true })]),
    );
    const rows = [...again, ...numbers(21, 3).map((number) => nameless(number))];
    expect(movedIn(rows, ofAgain)).toEqual(numbers(21, 3));
    // Without those two, three came, and five are gone.
    expect(movedIn(rows.slice(2))).toEqual([]);
  });

  test('a plan that is only looked at says what an approval would let through, and a run lets through what the one before had marked', () => {
    const rows = numbers(11, 5).map((number) => row(number));
    const withdrawn = (more: Partial<Message>) => Object.fromEntries(rows.map(({ number }) => [number, waiting(more)]));
    const due = (ledger: Record<number, Message>, more: object) =>
      planOf([...cleared, ...rows], { ...ofCleared, ...ledger }, { approved: 5, ...more }).due.length;
    const [found, marked] = [withdrawn({ isWithdrawn: true }), withdrawn({ isMoved: true })];
    expect(due(found, { isDryRun: true })).toBe(5);
    expect(due(found, {})).toBe(0);
    expect(due(marked, {})).toBe(5);
    expect(due(marked, { approved: 4 })).toBe(0);
  });

  test('P6: a state that is not trusted judges nothing of it', () => {
    expect(
      movedIn(
        numbers(11, 5).map((number) => nameless(number)),
        {},
        { isTrusted: false },
      ),
    ).toEqual([]);
  });

  test('W11: nor is anything judged while a column is missing', () => {
    expect(
      movedIn(
        numbers(11, 5).map((number) => nameless(number)),
        {},
        { missing: ['Text'] },
      ),
    ).toEqual([]);
  });

  test('nothing is let through where nothing waits', () => {
    expect(planOf([...cleared], ofCleared, { approved: 3 }).isMovedApproved).toBe(false);
  });
});
