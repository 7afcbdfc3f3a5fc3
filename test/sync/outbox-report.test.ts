import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/sync/outbox/message.ts';
import { toSentCell } from '../../src/sync/outbox/cells.ts';
import { ann, idOf, now, planOf, row, saidBy, sent } from './outbox-support.ts';

/* P5: what the row of a sent message says. */

const told = { uuid: idOf(70), sentAt: '2026-11-21 09:00:00', delivery: 'new' };
const why = { rule: 'P5', reason: 'what became of it' };
const writes = (parts: Parameters<typeof row>[1], message: Message) =>
  planOf([row(1, parts)], { 1: message }).sets.map(({ fields }) =>
    fields.map(({ field, before, after }) => [field, before, after]),
  );

describe('P5: uuid, time and status', () => {
  test('are written into a row that has none, as one change', () => {
    expect(planOf([row(1)], { 1: sent({ to: ann, delivery: 'new' }) }).sets).toStrictEqual([
      {
        side: 'sheet',
        op: 'set',
        uuid: ann,
        row: 1,
        fields: [
          { field: '#uuid', before: '', after: idOf(70), ...why },
          { field: '#sent', before: '', after: '2026-11-21T09:00:00Z', ...why },
          { field: '#delivery', before: '', after: 'new', ...why },
        ],
        ...why,
      },
    ]);
    expect(planOf([row(1)], { 1: sent() }).sets).toMatchObject([{ uuid: null }]);
  });

  test('are left alone if they are right already, to the second', () => {
    expect(writes(told, sent({ delivery: 'new', at: now + 999 }))).toEqual([]);
  });

  test.each([
    ['uuid', { ...told, uuid: null }, [['#uuid', '', idOf(70)]]],
    ['time', { ...told, sentAt: '2026-11-21 08:59:59' }, [['#sent', '2026-11-21 08:59:59', '2026-11-21T09:00:00Z']]],
    ['status', { ...told, delivery: 'queued' }, [['#delivery', 'queued', 'new']]],
  ])('only the %s is written if only that differs', (_what, parts, expected) => {
    expect(writes(parts, sent({ delivery: 'new' }))).toEqual([expected]);
  });

  test('are not written where the column is not in the tab', () => {
    expect(writes({ uuid: undefined, sentAt: undefined, delivery: undefined }, sent({ delivery: 'new' }))).toEqual([]);
  });

  test('unknown values are not written', () => {
    const { uuid: _none, ...nothing } = sent({ at: 0 });
    expect(writes({}, nothing)).toEqual([]);
    expect(writes({ sentAt: null }, { ...nothing, at: 1000 })).toEqual([[['#sent', '', '1970-01-01T00:00:01Z']]]);
  });

  test('V7: the time is written as a date, the others as text', () => {
    expect(toSentCell('#sent', '2026-11-21T12:00:00Z')).toBe(46_347.5);
    expect(toSentCell('#uuid', idOf(70))).toBe(idOf(70));
  });
});

describe('P5: a row says', () => {
  test.each([
    ['when it was sent', sent(), 'sent 2026-11-21 09:00Z'],
    ['the status', sent({ delivery: 'done' }), 'sent 2026-11-21 09:00Z, done'],
    ['nothing of a time that nobody knows', sent({ at: 0 }), 'sent an earlier time'],
    ['no more if it says what was sent', sent({ said: saidBy('Hi') }), 'sent 2026-11-21 09:00Z'],
    [
      'that what was changed since is not sent',
      sent({ said: saidBy('Ho'), delivery: 'done' }),
      'sent 2026-11-21 09:00Z, done; changed since, not sent again',
    ],
  ])('%s', (_what, message, says) => {
    const { statuses, due } = planOf([row(1, { text: 'Hi' })], { 1: message });
    expect([statuses.get(1), due]).toEqual([says, []]);
  });

  test('nothing about changes while a column is missing (W11)', () => {
    const { statuses } = planOf([row(1)], { 1: sent({ said: saidBy('Ho') }) }, { missing: ['Text'] });
    expect(statuses.get(1)).toBe('sent 2026-11-21 09:00Z');
  });

  test('and the plan counts those that were sent', () => {
    const ledger = { 1: sent(), 2: sent({ uuid: idOf(72) }), 3: sent({ uuid: idOf(73), state: 'unknown' }) };
    expect(
      planOf(
        [1, 2, 3].map((number) => row(number)),
        ledger,
      ).sent,
    ).toBe(2);
  });
});
