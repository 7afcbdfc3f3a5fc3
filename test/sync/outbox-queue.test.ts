import { describe, expect, test } from 'vitest';
import { ann, idOf, now, planOf, row, saidBy, saysOf, waiting } from './outbox-support.ts';

/* Whose turn it is: P4's cap, P6's approval, W10, batches. */

const rows = [1, 2, 3].map((number) => row(number));
const ledger = Object.fromEntries([1, 2, 3].map((number) => [number, waiting({ said: saidBy(`text ${number}`) })]));
const rowsOf = (plan: ReturnType<typeof planOf>) => plan.due.map((due) => due.row);
const unknown = row(1, { cells: ['zed@firm.io', 'Sales', 'Hi'] });
const nobody = row(1, { cells: [ann, 'Nobody', 'Hi'] });

test('P6: a row that waits for an approval is not sent, and says so', () => {
  const plan = planOf(rows, ledger, { isTrusted: false, approved: 2 });
  expect(saysOf(plan)).toEqual(['held: the state is new: approve once what it would send', []]);
  expect(plan.problems).toHaveLength(3);
});

test('P3: a message that was surely not sent in this run is tried in the next one, and others take its place', () => {
  const plan = planOf(rows, ledger, { tried: new Map([[idOf(1), 'no answer in 30 s']]), perHour: 2 });
  expect(saysOf(plan)).toEqual(['failed: not sent, is tried in the next run: no answer in 30 s', [2, 3]]);
});

describe('W10: rows that were just edited', () => {
  const since = (ageMs: number) => ({ 1: waiting({ said: saidBy('text 1'), at: now - ageMs }) });

  test('wait for the settle delay, and keep their status', () => {
    const young = planOf([row(1)], since(999), { settleMs: 1000 });
    expect(saysOf(young)).toEqual([null, []]);
    expect(young.problems).toMatchObject([{ kind: 'waiting', rule: 'W10', reason: 'waits to settle' }]);
    expect(rowsOf(planOf([row(1)], since(1000), { settleMs: 1000 }))).toEqual([1]);
  });

  test('do not wait if a person asked for the run, whatever the earlier clock said', () => {
    expect(rowsOf(planOf([row(1)], since(0)))).toEqual([1]);
    expect(rowsOf(planOf([row(1)], since(-60_000)))).toEqual([1]);
  });
});

describe('P4: the cap', () => {
  test('tells the rows beyond it how many are ahead', () => {
    const plan = planOf(rows, ledger, { perHour: 0 });
    expect([1, 2, 3].map((number) => plan.statuses.get(number))).toEqual([
      'waiting: 0 ahead, cap 0/h',
      'waiting: 1 ahead, cap 0/h',
      'waiting: 2 ahead, cap 0/h',
    ]);
  });

  test('does not count what is refused, and counts what is being asked about', () => {
    const known = { 1: waiting({ said: saidBy('Hi', ann, 'Nobody'), at: now - 9999 }), 2: ledger[2]! };
    expect(rowsOf(planOf([nobody, rows[1]!], known, { perHour: 1 }))).toEqual([2]);
    const asked = { 1: waiting({ said: saidBy('Hi', 'zed@firm.io'), at: now - 9999 }), 2: ledger[2]! };
    expect(saysOf(planOf([unknown, rows[1]!], asked, { perHour: 1 }), 2)).toEqual(['waiting: 0 ahead, cap 1/h', []]);
  });
});

describe('a batch', () => {
  test('takes as many as are judged at once; the others wait and keep their status', () => {
    const plan = planOf(rows, ledger, { batchMax: 2 });
    expect(saysOf(plan, 3)).toEqual([null, [1, 2]]);
    expect(plan.problems).toMatchObject([{ row: 3, kind: 'waiting', rule: 'P1', reason: 'is tried in the next run' }]);
  });

  test('counts each row that is being asked about once, wherever it stands', () => {
    const asked = (at: number) => ({ ...ledger, 1: waiting({ said: saidBy('Hi', 'zed@firm.io'), at }) });
    const first = [unknown, ...rows.slice(1)];
    expect(rowsOf(planOf(first, asked(now - 9999), { batchMax: 2 }))).toEqual([2]);
    expect(rowsOf(planOf(first, asked(now - 9999), { batchMax: 3 }))).toEqual([2, 3]);
    const middle = {
      ...asked(now - 9000),
      2: waiting({ said: saidBy('text 2'), at: now - 9999 }),
      3: waiting({ said: saidBy('text 3'), at: now - 8000 }),
    };
    expect(rowsOf(planOf(first, middle, { batchMax: 2 }))).toEqual([2]);
  });
});
