import { describe, expect, test } from 'vitest';
import { hasCaughtUp, type LastRun, reasonOf, standingOf, toLastRun } from '../../src/engine/last-run.ts';
import { changeLines } from '../../src/engine/history.ts';
import { isRepeatable, lastRunOf, problemsKept } from '../../src/engine/next-run.ts';
import { countLinked, countRun, nothingPlanned, type RunReport, statusOf } from '../../src/engine/report.ts';
import { findRun, keepReport, readRuns } from '../../src/engine/runs.ts';
import type { EngineEvent } from '../../src/engine/events.ts';
import { DiskError } from '../../src/state/errors.ts';
import type { Lease, RunRecord } from '../../src/state/port.ts';
import { type Change, problem, type ProblemKind } from '../../src/sync/change.ts';
import type { Outcome } from '../../src/sync/outcome.ts';
import type { Link } from '../../src/sync/record/base.ts';
import { pack } from '../../src/sync/record/record.ts';

/* What a report counts, what is kept of it, and what the history says of a change. */

const noCounts = countRun(0, [], new Map());
const about = { uuid: null, row: null, fields: [], rule: 'merge', reason: 'because' } as const;
const create = (more: object = {}) => ({ ...about, side: 'crm', op: 'create', key: 'k', row: 2, ...more }) as Change;
const update: Change = { ...about, side: 'crm', op: 'update', uuid: 'a' };
const done: Outcome = { kind: 'done' };
const outcomes = (...changes: readonly Change[]) => new Map(changes.map((change) => [change, done] as const));
const hold = (fails: boolean) => ({ rule: 'G2', reason: 'too many', fails }) as const;

const report: RunReport = {
  sync: 'prospects',
  kind: 'sync',
  run: 'R1',
  status: 'succeeded',
  startedAt: '2026-11-21T09:00:00.000Z',
  endedAt: '2026-11-21T09:00:01.000Z',
  isFull: false,
  counts: noCounts,
  cost: { crmCalls: 1, sheetReads: 1, sheetWrites: 0, seconds: 1 },
  problems: [],
  holds: [],
  planned: nothingPlanned,
};

describe('W12: the status of a run', () => {
  test('a hold that fails counts before one that an approval lets through, and any hold before problems', () => {
    const failed = problem('failed', {}, 'W4', 'no');
    expect(statusOf([hold(false), hold(true)], [])).toBe('failed');
    expect(statusOf([hold(false)], [failed])).toBe('held');
    expect(statusOf([], [failed])).toBe('partial');
    expect(statusOf([], [])).toBe('succeeded');
  });

  test('it is succeeded where every problem needs no person, and partial where one does', () => {
    const harmless = [problem('waiting', {}, 'W10', ''), problem('ignored', {}, 'D1', '')];
    expect(statusOf([], harmless)).toBe('succeeded');
    expect(statusOf([], [...harmless, problem('conflict', {}, 'M1', '')])).toBe('partial');
  });

  test('only a run that read both sides and made its changes has caught up', () => {
    expect(
      ['succeeded', 'partial', 'held', 'failed'].map((status) => hasCaughtUp(status as RunReport['status'])),
    ).toEqual([true, true, false, false]);
  });
});

describe('L12: the counts of a run', () => {
  test('each kind of change has its count, and only what was done is counted', () => {
    const cell = { ...about, side: 'sheet', uuid: 'a' } as const;
    const automation = { ...about, side: 'crm', uuid: 'a', automation: 'f' } as const;
    const all: readonly Change[] = [
      create(),
      update,
      { ...about, side: 'crm', op: 'delete', uuid: 'a' },
      { ...automation, op: 'enrol' },
      { ...automation, op: 'cancel' },
      { ...about, side: 'crm', op: 'send', uuid: 'a', to: '', from: '' },
      { ...cell, op: 'append' },
      { ...cell, op: 'set' },
      { ...cell, op: 'remove' },
    ];
    const each = {
      created: 1,
      updated: 1,
      appended: 1,
      set: 1,
      deleted: 1,
      removed: 1,
      enrolled: 1,
      cancelled: 1,
      sent: 1,
    };
    expect(countRun(7, [], outcomes(...all))).toEqual({ ...noCounts, linked: 7, ...each });
    const failed = new Map(all.map((change) => [change, { kind: 'failed', message: '' } as const]));
    expect(countRun(0, [], failed)).toEqual(noCounts);
  });

  test('E2: a contact that was created and enrolled in one call counts as both; a call that failed as neither', () => {
    const enrolled = create({ enrol: 'f' });
    expect(countRun(0, [], outcomes(enrolled))).toMatchObject({ created: 1, enrolled: 1 });
    expect(countRun(0, [], new Map([[enrolled, { kind: 'unknown', message: '' }]]))).toEqual(noCounts);
    // An update is never an enrolment, and a create without a wish is none.
    expect(countRun(0, [], outcomes(create(), update))).toMatchObject({ created: 1, updated: 1, enrolled: 0 });
  });

  test('I2: a contact that was moved here counts as updated', () => {
    expect(countRun(0, [], outcomes(create({ moves: 'b' })))).toMatchObject({ created: 0, updated: 1 });
  });

  test('I3: a create that was answered with another contact counts as nothing, by its row', () => {
    const mistaken = problem('quarantined', { row: 2 }, 'I3', 'another contact');
    expect(countRun(0, [mistaken], outcomes(create())).created).toBe(0);
    expect(countRun(0, [mistaken], outcomes(create({ row: 3 }))).created).toBe(1);
    expect(countRun(0, [problem('held', { row: 2 }, 'I7', '')], outcomes(create())).created).toBe(1);
    expect(countRun(0, [problem('held', {}, 'I3', '')], outcomes(create({ row: null }))).created).toBe(1);
  });

  test('each kind of problem is in one count, and rows set aside count once each', () => {
    const kinds: readonly ProblemKind[] = ['waiting', 'conflict', 'parked', 'ignored', 'incomplete'];
    const held: readonly ProblemKind[] = ['held', 'refused', 'unreadable', 'failed', 'unknown'];
    const problems = [...kinds, ...held].map((kind) => problem(kind, { row: 9 }, 'W5', ''));
    const aside = [2, 2, 3].map((row) => problem('quarantined', { row }, 'I4', ''));
    const named = ['a', 'b', 'b'].map((uuid) => problem('quarantined', { uuid }, 'W5', ''));
    expect(countRun(0, [...problems, ...aside, ...named], new Map())).toEqual({
      ...noCounts,
      waiting: 1,
      conflicts: 1,
      parked: 1,
      ignored: 1,
      held: 5,
      quarantined: 4,
    });
  });

  test('D1, D3: a link that has lost a side is not linked', () => {
    const agreed = pack(['x']);
    const links = new Map<string, Link>([
      ['a', { agreed }],
      ['b', { agreed, standing: 'row-gone' }],
      ['c', { agreed, isOpen: true }],
    ]);
    expect(countLinked({ links })).toBe(2);
    expect(countLinked({ links: new Map() })).toBe(0);
  });
});

describe('the summary of the last run', () => {
  const before: LastRun = {
    ...toLastRun(report),
    counts: { ...noCounts, linked: 9, held: 2, created: 4, sent: 3 },
    problems: { held: 2 },
  };

  test('a run that saw both sides tells its own counts and its problems by kind', () => {
    const counts = { ...noCounts, linked: 3, updated: 1 };
    const problems = ['held', 'waiting', 'held'].map((kind) => problem(kind as ProblemKind, {}, 'W5', ''));
    expect(toLastRun({ ...report, counts, problems }, before)).toEqual({
      run: 'R1',
      status: 'succeeded',
      startedAt: report.startedAt,
      endedAt: report.endedAt,
      isFull: false,
      counts,
      problems: { held: 2, waiting: 1 },
    });
  });

  test('a run that failed keeps how the records stood, and says that nothing was done', () => {
    const failed = { ...report, status: 'failed', error: 'no answer', counts: noCounts } as const;
    expect(toLastRun(failed, before)).toMatchObject({
      status: 'failed',
      reason: 'no answer',
      counts: { ...noCounts, linked: 9, held: 2 },
      problems: { held: 2 },
    });
    expect(toLastRun(failed)).toMatchObject({ counts: noCounts, problems: {} });
  });

  test('G7: what can be approved, what was refused, and whose credentials were refused are told only where they are so', () => {
    const told = toLastRun({ ...report, approvable: 'R0', isRefused: true, refused: 'sheet' });
    expect(told).toMatchObject({ approvable: 'R0', isRefused: true, refused: 'sheet' });
    for (const key of ['approvable', 'isRefused', 'refused', 'reason'])
      expect(toLastRun(report)).not.toHaveProperty(key);
  });

  test('the reason is the error, else what each hold says', () => {
    expect(reasonOf({ holds: [] })).toBeUndefined();
    expect(reasonOf({ holds: [{ reason: 'one' }, { reason: 'two' }] })).toBe('one; two');
    expect(reasonOf({ error: 'no', holds: [{ reason: 'one' }] })).toBe('no');
  });

  test('the standing counts of no run are zeros', () => {
    expect(standingOf()).toEqual(noCounts);
    expect(standingOf(before)).toEqual({ ...noCounts, linked: 9, held: 2 });
  });
});

describe('W9: whether the next run may be told from this one', () => {
  const { signal } = new AbortController();
  const request = { isFull: false, isAsked: false, signal };

  test.each(['created', 'updated', 'appended', 'set', 'deleted', 'removed', 'enrolled', 'cancelled', 'sent'])(
    'not after a run with one record more in %s',
    (count) => {
      expect(isRepeatable(request, { ...report, counts: { ...noCounts, [count]: 1 } })).toBe(false);
    },
  );

  test('not after a run that did several things, whatever they are', () => {
    const counted = ['created', 'updated', 'appended', 'set', 'deleted', 'removed', 'enrolled', 'cancelled', 'sent'];
    for (const one of counted) {
      for (const other of counted) {
        const counts = { ...noCounts, [one]: 1, [other]: 1 };
        expect([one, other, isRepeatable(request, { ...report, counts })]).toEqual([one, other, false]);
      }
    }
  });

  test('after a run that did nothing, whatever stands still', () => {
    const still: readonly ProblemKind[] = ['conflict', 'quarantined', 'held', 'parked', 'unreadable', 'ignored'];
    const problems = still.map((kind) => problem(kind, {}, 'W5', ''));
    expect(isRepeatable(request, { ...report, problems, counts: { ...noCounts, linked: 5, ignored: 1 } })).toBe(true);
  });

  test.each(['waiting', 'refused', 'failed', 'unknown', 'incomplete'] as const)(
    'not where time alone may change a problem of kind %s',
    (kind) => {
      expect(isRepeatable(request, { ...report, problems: [problem(kind, {}, 'W5', '')] })).toBe(false);
    },
  );

  test('not after a run that was held or stopped', () => {
    expect(isRepeatable(request, { ...report, holds: [hold(false)] })).toBe(false);
    expect(isRepeatable({ ...request, signal: AbortSignal.abort() }, report)).toBe(false);
  });

  test('of its problems the state keeps a thousand, without values', () => {
    const values = { base: 'x', crm: 'y', sheet: 'z' };
    const problems = Array.from({ length: problemsKept + 1 }, (_, row) => {
      return { ...problem('conflict', { row }, 'M1', ''), values };
    });
    const stored = lastRunOf({ run: 'R', now: () => 0 }, { ...report, problems, stopped: { done: 1, left: 2 } });
    expect(stored).toMatchObject({ run: 'R', endedAt: '1970-01-01T00:00:00.000Z', stopped: { done: 1, left: 2 } });
    expect(stored.problems).toHaveLength(1000);
    expect(stored.problems[999]).toEqual(problem('conflict', { row: 999 }, 'M1', ''));
    expect(lastRunOf({ run: 'R', now: () => 0 }, report)).not.toHaveProperty('stopped');
  });
});

describe('S6, W9: the reports that are kept', () => {
  /** The runs that are stored after each of these reports, the last one first. */
  async function kept(...reports: readonly RunReport[]) {
    const stored: RunRecord[] = [];
    const events: EngineEvent[] = [];
    const job = {
      config: { name: 'prospects' },
      emit: (event: EngineEvent) => void events.push(event),
      state: { readRuns: async () => stored.toReversed() },
    };
    const lease = { appendRun: async (record: RunRecord) => void stored.push(record) } as unknown as Lease;
    for (const each of reports) await keepReport(job, lease, each);
    return stored.map(({ run }) => run);
  }
  const second = { ...report, run: 'R2' };

  test('the first one is, and the same again is not', async () => {
    expect(await kept(report, second)).toEqual(['R1']);
  });

  test.each(['created', 'updated', 'appended', 'set', 'deleted', 'removed', 'enrolled', 'cancelled', 'sent'])(
    'one that counts a record in %s is',
    async (count) => {
      expect(await kept(report, { ...second, counts: { ...noCounts, [count]: 1 } })).toEqual(['R1', 'R2']);
    },
  );

  test('one whose records only stand otherwise is not', async () => {
    const counts = { ...noCounts, linked: 4, waiting: 3 };
    const problems = [problem('waiting', { row: 2 }, 'W10', 'in a minute')];
    expect(await kept(report, { ...second, counts, problems })).toEqual(['R1']);
  });

  test.each([
    ['status', { status: 'partial' }],
    ['error', { error: 'no' }],
    ['approvable', { approvable: 'R0' }],
    ['stopped', { stopped: { done: 1, left: 1 } }],
    ['holds', { holds: [hold(false)] }],
    ['problems', { problems: [problem('held', { row: 2 }, 'I7', '')] }],
  ] as const)('one with another %s is', async (_what, more) => {
    expect(await kept(report, { ...second, ...more })).toEqual(['R1', 'R2']);
  });

  test('a hold with other numbers, or a problem in other words, is no news', async () => {
    const said = (words: string) => ({
      holds: [{ ...hold(false), reason: words }],
      problems: [problem('held', { row: 2 }, 'I7', words)],
    });
    expect(await kept({ ...report, ...said('7 records') }, { ...second, ...said('8 records') })).toEqual(['R1']);
  });

  test('a failure of the state is a notice, and any other is thrown', async () => {
    const events: EngineEvent[] = [];
    const job = (error: Error) => ({
      config: { name: 'prospects' },
      emit: (event: EngineEvent) => void events.push(event),
      state: {
        readRuns: async () => {
          throw error;
        },
      },
    });
    const lease = {} as Lease;
    await keepReport(job(new DiskError('runs', 'full', 'Free some')), lease, report);
    expect(events).toEqual([
      { type: 'notice', sync: 'prospects', message: 'the report of run R1 could not be kept: runs: full. Free some' },
    ]);
    await expect(keepReport(job(new TypeError('a fault')), lease, report)).rejects.toThrow('a fault');
    expect(events).toHaveLength(1);
  });

  test('a record that is no report is left out of the list, and is not found by its id', async () => {
    const valid = { ...report } as unknown as RunRecord;
    const other: RunRecord = { run: 'R2', endedAt: report.endedAt, status: 'succeeded' };
    const state = {
      readRuns: async () => [other, valid],
      readRun: async (run: string) => [other, valid].find((each) => each.run === run),
    };
    expect(await readRuns(state, { limit: 5 })).toEqual([valid]);
    expect(await findRun(state, 'R1')).toEqual(valid);
    expect(await findRun(state, 'R2')).toBeUndefined();
    expect(await findRun(state, 'R3')).toBeUndefined();
  });
});

describe('L12: the lines of the history about a change', () => {
  const written = { config: { name: 'prospects' }, run: 'R1', now: () => 0 };
  const line = (change: Change, outcome: Outcome = done) => changeLines(written, change, outcome)[0]!;

  test('a change without fields has one line, with its own rule and reason', () => {
    expect(changeLines(written, { ...update, row: 4 }, { kind: 'failed', message: 'no' })).toEqual([
      {
        time: '1970-01-01T00:00:00.000Z',
        sync: 'prospects',
        run: 'R1',
        side: 'crm',
        op: 'update',
        contact: 'a',
        row: 4,
        outcome: 'failed',
        message: 'no',
        field: null,
        before: null,
        after: null,
        rule: 'merge',
        reason: 'because',
      },
    ]);
  });

  test('each field has a line of its own, and what is not known before is null', () => {
    const fields = [
      { field: 'position', before: undefined, after: 'CEO', rule: 'M1', reason: 'newer' },
      { field: 'email', before: 'x', after: null, rule: 'M3', reason: 'emptied' },
    ] as const;
    const lines = changeLines(written, { ...update, fields }, done, (field) => ({ base: `of ${field}` }));
    expect(lines).toMatchObject([
      { field: 'position', before: null, after: 'CEO', rule: 'M1', reason: 'newer', base: 'of position' },
      { field: 'email', before: 'x', after: null, rule: 'M3', reason: 'emptied', base: 'of email' },
    ]);
    expect(changeLines(written, { ...update, fields }, done)[0]).not.toHaveProperty('base');
  });

  test('W2: a created contact is named as the service answered it, and not before it did', () => {
    const contact = { uuid: 'new', values: pack(['x']) };
    expect(line(create(), { kind: 'done', contact }).contact).toBe('new');
    expect(line(create()).contact).toBeNull();
    expect(line(create(), { kind: 'unknown', message: 'no answer' }).contact).toBeNull();
  });

  test('E2: only a create with a wish says in what it enrolled', () => {
    expect(line(create({ enrol: 'f' }))).toMatchObject({ enrolled: 'f' });
    expect(line(create())).not.toHaveProperty('enrolled');
    expect(line(update)).not.toHaveProperty('enrolled');
    // In another change a key of this name is no enrolment.
    expect(line({ ...update, enrol: 'f' } as Change)).not.toHaveProperty('enrolled');
  });

  test('only a set that writes the ID links its row', () => {
    const set: Change = { ...about, side: 'sheet', op: 'set', uuid: 'a' };
    expect(line({ ...set, id: 'a' })).toMatchObject({ linked: true });
    expect(line(set)).not.toHaveProperty('linked');
    expect(line({ ...update, id: 'a' } as Change)).not.toHaveProperty('linked');
  });

  test('E5: an enrolment and a cancel name the automation, also all of them', () => {
    const cancel: Change = { ...about, side: 'crm', op: 'cancel', uuid: 'a', automation: null };
    expect(line(cancel)).toMatchObject({ automation: null });
    expect(line(update)).not.toHaveProperty('automation');
    expect(line(update)).not.toHaveProperty('message');
  });
});
