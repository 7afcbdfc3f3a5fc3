import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { failurePauseMs } from '../../../src/daemon/backoff.ts';
import { watchClock } from '../../../src/daemon/clock-watch.ts';
import type { Scheduler, Verdict } from '../../../src/daemon/queue/port.ts';
import { configJsonSchema } from '../../../src/config/json-schema.ts';
import { outreachDescription } from '../../../src/crm/outreach/description.ts';
import { createScheduler } from '../../../src/daemon/scheduler.ts';

/* node-cron on a clock that the tests move; without jitter. */

let opened: Scheduler[] = [];

beforeEach(() => {
  opened = [];
  vi.useFakeTimers({ now: new Date('2026-11-21T09:00:00Z') });
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(async () => {
  for (const scheduler of opened) void scheduler.stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

interface Given {
  readonly cron?: string;
  readonly fullScan?: string;
  readonly timeZone?: string;
  readonly isFullScanDue?: boolean;
  readonly run?: (isFull: boolean) => Promise<Verdict>;
  readonly settleMs?: number;
  readonly isPaused?: () => Promise<boolean>;
  readonly isCutShort?: true;
}

function open({ cron = '*/30 * * * * *', fullScan = '0 3 * * *', timeZone = 'UTC', ...given }: Given = {}) {
  const runs: string[] = [];
  const pauses: number[] = [];
  let stops = 0;
  const scheduler = createScheduler({
    name: 'prospects',
    schedule: { cron, timeZone },
    fullScan: { cron: fullScan, timeZone },
    isFullScanDue: given.isFullScanDue ?? false,
    settleMs: given.settleMs ?? 10_000,
    run: async (isFull, isAsked) => {
      const what = [new Date().toISOString().slice(11, 19), isFull && 'full', isAsked && 'asked'];
      runs.push(what.filter(Boolean).join(' '));
      const verdict = (await given.run?.(isFull)) ?? 'done';
      return { verdict, ended: { kind: 'not-run' }, ...(given.isCutShort && { isCutShort: true }) };
    },
    ...(given.isPaused && { isPaused: given.isPaused }),
    onPause: (pauseMs) => pauses.push(pauseMs / 1_000),
    onStop: () => void (stops += 1),
    now: () => Date.now(),
    random: () => 1,
  });
  opened.push(scheduler);
  return { scheduler, runs, pauses, stops: () => stops };
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);

test.each(['Europe/Berlin', 'Europe/London', 'UTC'])(
  'at the end of summer time in %s no slot is left out',
  async (timeZone) => {
    // In Europe the clock goes back by an hour at 01:00 UTC.
    vi.setSystemTime('2027-10-31T00:59:10Z');
    const { scheduler, runs } = open({ timeZone });
    scheduler.start();
    await seconds(120);
    expect(runs).toEqual(['00:59:10', '00:59:30', '01:00:00', '01:00:30', '01:01:00']);
    expect(scheduler.nextRunAt()).toBe(Date.parse('2027-10-31T01:01:30Z'));
  },
);

test('in a zone whose hours begin at the half hour, an hourly slot is at its own full hour', async () => {
  vi.setSystemTime('2027-10-31T00:29:00Z');
  const { scheduler, runs } = open({ cron: '0 * * * *', timeZone: 'Asia/Kolkata' });
  scheduler.start();
  await seconds(120);
  expect(runs).toEqual(['00:29:00', '00:30:00']);
});

test('a schedule with a day of the month and a weekday runs where both match, as its option says', async () => {
  // The 1st of February 2027 is a Monday; cron itself would run on each Monday, too.
  const { scheduler } = open({ cron: '0 9 1 * 1', fullScan: '0 9 1 * 1' });
  scheduler.start();
  await seconds(1);
  expect(scheduler.nextRunAt()).toBe(Date.parse('2027-02-01T09:00:00Z'));
  const schema = JSON.stringify(configJsonSchema(outreachDescription));
  expect(schema.split('Where it has a day of the month and a weekday, both must match.')).toHaveLength(5);
});

describe('W13: a paused job', () => {
  test('is looked at by each slot and trigger, and runs from the first one after the pause on', async () => {
    let isPaused = true;
    const { scheduler, runs } = open({ isPaused: async () => isPaused });
    scheduler.start();
    await seconds(65);
    expect(runs).toEqual([]);
    expect(scheduler.phase()).toBe('paused');
    scheduler.trigger();
    await seconds(1);
    expect(runs).toEqual([]);
    isPaused = false;
    scheduler.trigger();
    await seconds(1);
    expect(runs).toEqual(['09:01:06']);
    expect(scheduler.phase()).toBe('idle');
    await seconds(25);
    expect(runs).toEqual(['09:01:06', '09:01:30']);
  });

  test('makes up for the full scan that came while it was paused', async () => {
    let isPaused = true;
    const { scheduler, runs } = open({ fullScan: '1 9 * * *', isPaused: async () => isPaused });
    scheduler.start();
    await seconds(100);
    isPaused = false;
    await seconds(60);
    expect(runs).toEqual(['09:02:00 full', '09:02:30']);
  });

  test('tells after the end of the process that its full scan is still due', async () => {
    const { scheduler, runs } = open({ fullScan: '1 9 * * *', isPaused: async () => true });
    scheduler.start();
    await seconds(100);
    await scheduler.stop();
    expect(runs).toEqual([]);
    expect(scheduler.nextFullScanAt()).toBe(Date.now());
  });

  test('that is still looked at before its first run: a request then is that run, and one during it is for the next', async () => {
    const looked = Promise.withResolvers<boolean>();
    const ran = Promise.withResolvers<Verdict>();
    const { scheduler, runs } = open({ isPaused: () => looked.promise, run: () => ran.promise });
    scheduler.start();
    expect(scheduler.ask(false).answer).toBe('started');
    looked.resolve(true);
    await seconds(1);
    expect(runs).toEqual(['09:00:00 asked']);
    expect(scheduler.ask(false).answer).toBe('queued');
    ran.resolve('done');
    await seconds(1);
    expect(runs).toEqual(['09:00:00 asked', '09:00:01 asked']);
  });

  test('begins nothing after the end of the process, also if that comes while it is looked at', async () => {
    const looked = Promise.withResolvers<boolean>();
    const { scheduler, runs } = open({ isPaused: () => looked.promise });
    scheduler.start();
    const stopped = scheduler.stop();
    looked.resolve(false);
    await stopped;
    await seconds(65);
    expect(runs).toEqual([]);
    expect(scheduler.phase()).toBe('stopped');
  });
});

describe('a job that begins later', () => {
  test('runs after that time and says so before; its slots follow', async () => {
    const { scheduler, runs } = open();
    scheduler.start(40_000);
    expect(scheduler.nextRunAt()).toBe(Date.parse('2026-11-21T09:00:40Z'));
    expect(scheduler.nextFullScanAt()).toBe(Date.parse('2026-11-22T03:00:00Z'));
    await seconds(65);
    expect(runs).toEqual(['09:00:40', '09:01:00']);
    expect(scheduler.nextRunAt()).toBe(Date.parse('2026-11-21T09:01:30Z'));
  });

  test('makes up for the full scan that came meanwhile', async () => {
    const { scheduler, runs } = open({ fullScan: '1 9 * * *' });
    scheduler.start(70_000);
    await seconds(95);
    expect(runs).toEqual(['09:01:10 full', '09:01:30']);
  });

  test('runs at once for a person and for a trigger', async () => {
    const { scheduler, runs } = open();
    scheduler.start(20_000);
    await seconds(5);
    expect([scheduler.ask(false).answer, scheduler.trigger()]).toEqual(['started', 'queued']);
    await seconds(1);
    expect(runs).toEqual(['09:00:05 asked', '09:00:05']);
  });

  test('never begins once it is stopped', async () => {
    const { scheduler, runs } = open();
    scheduler.start(5_000);
    await scheduler.stop();
    await seconds(65);
    expect(runs).toEqual([]);
  });

  test('by a clock that is set, begins with its slots', async () => {
    const { scheduler, runs } = open();
    scheduler.start(20_000);
    vi.setSystemTime(Date.parse('2026-11-21T08:00:10Z'));
    scheduler.clockWasSet();
    await seconds(25);
    expect(runs).toEqual(['08:00:10', '08:00:30']);
  });
});

describe('a schedule', () => {
  test('begins with a run at once and goes on with its slots', async () => {
    const { scheduler, runs } = open();
    scheduler.start();
    await seconds(65);
    expect(runs).toEqual(['09:00:00', '09:00:30', '09:01:00']);
    expect(scheduler.nextRunAt()).toBe(Date.parse('2026-11-21T09:01:30Z'));
  });

  test('is of its time zone: 03:00 in Berlin is 02:00 UTC in November', () => {
    const { scheduler } = open({ timeZone: 'Europe/Berlin' });
    scheduler.start();
    expect(scheduler.nextFullScanAt()).toBe(Date.parse('2026-11-22T02:00:00Z'));
  });

  test('spreads its slots by a tenth of the interval, ten seconds at most', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.999);
    const { scheduler, runs } = open({ cron: '*/5 * * * *' });
    scheduler.start();
    await seconds(330);
    expect(runs).toEqual(['09:00:00', '09:05:09']);
  });

  test('has one run at a time: slots that come meanwhile are passed over', async () => {
    const { scheduler, runs } = open({
      run: async () => {
        await new Promise((resolve) => setTimeout(resolve, 70_000));
        return 'done';
      },
    });
    scheduler.start();
    await seconds(95);
    expect(runs).toEqual(['09:00:00', '09:01:30']);
  });

  test('is kept although the process was too busy to look for some slots', async () => {
    const { scheduler, runs } = open();
    scheduler.start();
    await seconds(1);
    // The wall clock goes on and timers do not: they fire late.
    vi.setSystemTime(Date.parse('2026-11-21T09:02:10Z'));
    await seconds(30);
    expect(runs).toEqual(['09:00:00', '09:02:39']);
  });
});

describe('a full scan', () => {
  test('takes the place of the run that is due at the same instant', async () => {
    const { scheduler, runs } = open({ fullScan: '1 9 * * *' });
    scheduler.start();
    await seconds(95);
    expect(runs).toEqual(['09:00:00', '09:00:30', '09:01:00 full', '09:01:30']);
  });

  test('that comes during a run follows it at once', async () => {
    const { scheduler, runs } = open({
      fullScan: '30 0 9 * * *',
      cron: '*/10 * * * *',
      run: async (isFull) => {
        if (!isFull) await new Promise((resolve) => setTimeout(resolve, 50_000));
        return 'done';
      },
    });
    scheduler.start();
    await seconds(60);
    expect(runs).toEqual(['09:00:00', '09:00:50 full']);
  });

  test('that was missed while nothing ran is made up for by the first run', async () => {
    const { scheduler, runs } = open({ isFullScanDue: true });
    scheduler.start();
    await seconds(31);
    expect(runs).toEqual(['09:00:00 full', '09:00:30']);
  });

  test('that failed is a full scan again when the pause is over', async () => {
    let verdict: Verdict = 'failed';
    const { scheduler, runs } = open({ isFullScanDue: true, cron: '0 * * * *', run: async () => verdict });
    scheduler.start();
    await seconds(1);
    verdict = 'done';
    await seconds(15);
    expect(runs).toEqual(['09:00:00 full', '09:00:15 full']);
  });
});

describe('a trigger', () => {
  test('runs an idle sync now, and one that runs once more afterwards, however often it is said', async () => {
    const { scheduler, runs } = open({
      cron: '0 * * * *',
      run: async () => {
        await new Promise((resolve) => setTimeout(resolve, 5_000));
        return 'done';
      },
    });
    scheduler.start();
    expect([scheduler.trigger(), scheduler.trigger()]).toEqual(['queued', 'queued']);
    await seconds(11);
    expect(scheduler.trigger()).toBe('started');
    await seconds(6);
    expect(runs).toEqual(['09:00:00', '09:00:05', '09:00:11']);
  });

  test('does not shorten the pause of a sync that failed, and does not wake one that stopped', async () => {
    const failing = open({ run: async () => 'failed' });
    const final = open({ run: async () => 'final' });
    for (const { scheduler } of [failing, final]) scheduler.start();
    await seconds(1);
    expect([failing.scheduler.trigger(), final.scheduler.trigger()]).toEqual(['backing-off', 'stopped']);
    await seconds(1);
    expect([failing.runs.length, final.runs.length]).toEqual([1, 1]);
  });

  test('that comes within five seconds of a run that was triggered waits for the rest of them', async () => {
    const { scheduler, runs } = open({ cron: '0 * * * *' });
    scheduler.start();
    await seconds(1);
    expect(scheduler.trigger()).toBe('started');
    await seconds(1);
    expect([scheduler.trigger(), scheduler.trigger()]).toEqual(['queued', 'queued']);
    expect(scheduler.nextRunAt()).toBe(Date.parse('2026-11-21T09:00:06Z'));
    await seconds(60);
    expect(runs).toEqual(['09:00:00', '09:00:01', '09:00:06']);
  });

  test('without end runs a dozen times a minute', async () => {
    const { scheduler, runs } = open({ cron: '0 * * * *' });
    scheduler.start();
    await seconds(1);
    for (let second = 0; second < 59; second += 1) {
      scheduler.trigger();
      await seconds(1);
    }
    expect(runs.slice(1)).toHaveLength(12);
  });

  test('is answered by a slot that comes before the gap is over', async () => {
    const { scheduler, runs } = open({ cron: '*/3 * * * * *' });
    scheduler.start();
    await seconds(2);
    scheduler.trigger();
    scheduler.trigger();
    await seconds(6);
    expect(runs).toEqual(['09:00:00', '09:00:02', '09:00:03', '09:00:06']);
  });

  test('that comes during a run which fails is passed over, and leaves nothing behind that would shorten the pause', async () => {
    const { scheduler, runs } = open({
      cron: '0 * * * *',
      run: async () => {
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        return 'failed';
      },
    });
    scheduler.start();
    await seconds(1);
    expect(scheduler.trigger()).toBe('queued');
    await seconds(15);
    expect(runs).toEqual(['09:00:00']);
    await seconds(2);
    expect(runs).toEqual(['09:00:00', '09:00:17']);
  });

  test('W10: a cell that settles in a triggered run gets a follow-up, and does not wait an hour for the slot', async () => {
    let settledAt = Infinity;
    const { scheduler, runs } = open({
      cron: '0 * * * *',
      run: async () => (Date.now() < settledAt ? 'settling' : 'done'),
    });
    scheduler.start();
    await seconds(60);
    // An edit without a hook waits for the schedule.
    expect(runs).toEqual(['09:00:00']);
    settledAt = Date.now() + 10_000;
    scheduler.trigger();
    await seconds(60);
    expect(runs).toEqual(['09:00:00', '09:01:00', '09:01:11']);
  });

  test('W10: one follow-up is enough, although the clock of the service is known in whole seconds alone', async () => {
    let afterAnswerMs = 60;
    /** Its `Date` header came so long ago: the first run after a quiet hour is slower than the one that follows. */
    const serviceNow = () => Math.floor(Date.now() / 1_000) * 1_000 + afterAnswerMs;
    let seenAt: number | undefined;
    const { scheduler, runs } = open({
      cron: '0 * * * *',
      run: async () => {
        seenAt ??= serviceNow();
        const isSettled = serviceNow() - seenAt >= 10_000;
        afterAnswerMs = 10;
        return isSettled ? 'done' : 'settling';
      },
    });
    scheduler.start(3_600_000);
    scheduler.trigger();
    await seconds(60);
    expect(runs).toEqual(['09:00:00', '09:00:11']);
  });

  test('W10: a cell that never settles gets five follow-ups, and then waits for the schedule', async () => {
    const { scheduler, runs } = open({ cron: '0 * * * *', run: async () => 'settling' });
    scheduler.start();
    await seconds(1);
    scheduler.trigger();
    await seconds(600);
    expect(runs).toHaveLength(1 + 1 + 5);
    await seconds(3_600);
    expect(runs).toHaveLength(1 + 1 + 5 + 1);
  });

  test('W8: a run that a trigger has yet to start ends with the schedule', async () => {
    const { scheduler, runs } = open({ cron: '0 * * * *', run: async () => 'settling' });
    scheduler.start();
    await seconds(1);
    scheduler.trigger();
    await seconds(1);
    scheduler.trigger();
    await scheduler.stop();
    await seconds(60);
    expect(runs).toEqual(['09:00:00', '09:00:01']);
    expect([scheduler.trigger(), vi.getTimerCount()]).toEqual(['stopped', 0]);
  });
});

describe('a person who asks', () => {
  const slow =
    (verdict: Verdict, ms = 5_000) =>
    async () => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return verdict;
    };

  test('gets a run at once, also within the gap of a trigger', async () => {
    const { scheduler, runs } = open({ cron: '0 * * * *' });
    scheduler.start();
    await seconds(1);
    scheduler.trigger();
    await seconds(1);
    expect([scheduler.ask(false).answer, scheduler.phase()]).toEqual(['started', 'running']);
    await seconds(1);
    expect(runs).toEqual(['09:00:00', '09:00:01', '09:00:02 asked']);
    expect(scheduler.nextRunAt()).toBe(Date.parse('2026-11-21T10:00:00Z'));
  });

  test('during a run gets one run behind it, which answers all who asked and is full if one asked for that', async () => {
    const { scheduler, runs } = open({ cron: '0 * * * *', run: slow('done') });
    scheduler.start();
    await seconds(1);
    expect([scheduler.ask(false), scheduler.ask(true), scheduler.ask(false)].map(({ answer }) => answer)).toEqual([
      'queued',
      'queued',
      'queued',
    ]);
    await seconds(20);
    expect(runs).toEqual(['09:00:00', '09:00:05 full asked']);
  });

  test('does not wait for the end of a pause, and a failure pauses longer', async () => {
    const { scheduler, runs, pauses } = open({ cron: '0 * * * *', run: async () => 'failed' });
    scheduler.start();
    await seconds(1);
    expect([scheduler.ask(false).answer, scheduler.failuresInARow()]).toEqual(['started', 1]);
    await seconds(1);
    expect({ runs, pauses, phase: scheduler.phase() }).toEqual({
      runs: ['09:00:00', '09:00:01 asked'],
      pauses: [15, 30],
      phase: 'backing-off',
    });
    // The earlier pause is over then, and starts nothing.
    await seconds(20);
    expect(runs).toHaveLength(2);
    await seconds(10);
    expect(runs).toEqual(['09:00:00', '09:00:01 asked', '09:00:31']);
  });

  test('W13: that is meant for a paused job, too, is made, also if another one that is not comes after it', async () => {
    let isPaused = false;
    const { scheduler, runs } = open({ cron: '0 * * * *', run: slow('done'), isPaused: async () => isPaused });
    scheduler.start();
    await seconds(1);
    isPaused = true;
    const both = [scheduler.ask(false, false), scheduler.ask(false, true)];
    await seconds(20);
    expect(runs).toEqual(['09:00:00', '09:00:05 asked']);
    expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([{ kind: 'not-run' }, { kind: 'not-run' }]);
  });

  test('during a run that fails gets the run all the same', async () => {
    const { scheduler, runs } = open({ cron: '0 * * * *', run: slow('failed') });
    scheduler.start();
    await seconds(1);
    scheduler.ask(false);
    await seconds(6);
    expect(runs).toEqual(['09:00:00', '09:00:05 asked']);
  });

  test('of one that stopped gets one try; it stays stopped, or goes on by its schedule', async () => {
    let verdict: Verdict = 'final';
    const { scheduler, runs, stops } = open({ run: async () => verdict });
    scheduler.start();
    await seconds(61);
    expect(scheduler.ask(false).answer).toBe('started');
    await seconds(60);
    expect({ runs, phase: scheduler.phase(), stops: stops(), next: scheduler.nextRunAt() }).toEqual({
      runs: ['09:00:00', '09:01:01 asked'],
      phase: 'stopped',
      stops: 2,
      next: undefined,
    });
    verdict = 'done';
    scheduler.ask(false);
    await seconds(30);
    expect(runs.slice(2)).toEqual(['09:02:01 asked', '09:02:30']);
    expect(scheduler.phase()).toBe('idle');
  });

  test('for a full scan that fails is not answered by a full scan of the schedule', async () => {
    const { scheduler, runs } = open({ cron: '0 * * * *', run: async () => 'failed' });
    scheduler.start();
    await seconds(1);
    scheduler.ask(true);
    await seconds(31);
    expect(runs).toEqual(['09:00:00', '09:00:01 full asked', '09:00:31']);
  });

  test('W8: at the end gets no run, and one who waits gets none either', async () => {
    const { scheduler, runs } = open({ cron: '0 * * * *', run: slow('done') });
    scheduler.start();
    await seconds(1);
    expect(scheduler.ask(false).answer).toBe('queued');
    const stopped = scheduler.stop();
    expect(scheduler.ask(true).answer).toBe('ending');
    await seconds(60);
    await stopped;
    expect({ runs, timers: vi.getTimerCount() }).toEqual({ runs: ['09:00:00'], timers: 0 });
  });
});

describe('what the next process learns of full scans', () => {
  const waiting = async (): Promise<Verdict> => {
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    return 'done';
  };

  test('after an orderly end: the slot that was awaited', async () => {
    const { scheduler } = open();
    scheduler.start();
    await seconds(1);
    await scheduler.stop();
    expect(scheduler.nextFullScanAt()).toBe(Date.parse('2026-11-22T03:00:00Z'));
  });

  test('one that the end of the process cuts short is still due', async () => {
    const { scheduler } = open({ fullScan: '1 9 * * *', run: waiting, isCutShort: true });
    scheduler.start();
    await seconds(63);
    expect(scheduler.nextFullScanAt()).toBe(Date.now());
    const stopped = scheduler.stop();
    await seconds(60);
    await stopped;
    expect(scheduler.nextFullScanAt()).toBe(Date.now());
  });

  test.each(['failed', 'final'] as const)('one that ended as "%s" is still due', async (verdict) => {
    const { scheduler, runs } = open({ cron: '0 * * * *', isFullScanDue: true, run: async () => verdict });
    scheduler.start();
    await seconds(1);
    await scheduler.stop();
    expect(runs).toEqual(['09:00:00 full']);
    expect(scheduler.nextFullScanAt()).toBe(Date.now());
  });

  test('one that is done is not due again', async () => {
    const { scheduler } = open({ isFullScanDue: true });
    scheduler.start();
    await seconds(1);
    await scheduler.stop();
    expect(scheduler.nextFullScanAt()).toBe(Date.parse('2026-11-22T03:00:00Z'));
  });
});

describe('failures', () => {
  test('that are final leave a full scan due for the run that a person asks for', async () => {
    let verdict: Verdict = 'final';
    const { scheduler, runs } = open({ cron: '0 * * * *', isFullScanDue: true, run: async () => verdict });
    scheduler.start();
    await seconds(1);
    verdict = 'done';
    scheduler.ask(false);
    await seconds(1);
    expect(runs).toEqual(['09:00:00 full', '09:00:01 full asked']);
  });

  test('are followed by pauses that grow, are capped, and begin anew after a success', async () => {
    let verdict: Verdict = 'failed';
    const { scheduler, pauses } = open({ run: async () => verdict });
    scheduler.start();
    await seconds(3_600);
    expect(pauses.slice(0, 8)).toEqual([15, 30, 60, 120, 240, 480, 600, 600]);
    expect(scheduler.phase()).toBe('backing-off');
    verdict = 'done';
    await seconds(601);
    expect([scheduler.phase(), scheduler.failuresInARow()]).toEqual(['idle', 0]);
    const before = pauses.length;
    verdict = 'failed';
    await seconds(31);
    expect(pauses.slice(before)).toEqual([15]);
  });

  test('spread their pauses over the upper half', () => {
    expect([failurePauseMs(3, () => 0), failurePauseMs(3, () => 0.999_999)]).toEqual([30_000, 60_000]);
  });

  test('that are final stop the sync for good', async () => {
    const { scheduler, runs } = open({ run: async () => 'final' });
    scheduler.start();
    await seconds(90_000);
    expect(runs).toHaveLength(1);
    expect([scheduler.phase(), scheduler.nextRunAt()]).toEqual(['stopped', undefined]);
  });
});

describe('a wall clock that is set', () => {
  function watched(given?: Given) {
    const trial = open(given);
    const set: number[] = [];
    const watch = watchClock({
      now: () => Date.now(),
      elapsed: () => performance.now(),
      onSet: (byMs) => {
        set.push(Math.round(byMs / 1_000));
        trial.scheduler.clockWasSet();
      },
    });
    return { ...trial, watch, set };
  }

  test('back by an hour: the sync does not stand still for an hour', async () => {
    const { scheduler, runs, watch, set } = watched();
    scheduler.start();
    await seconds(31);
    vi.setSystemTime(Date.now() - 3_600_000);
    await seconds(61);
    expect(set).toEqual([-3_600]);
    expect(runs.slice(0, 2)).toEqual(['09:00:00', '09:00:30']);
    expect(runs.slice(2)).toContain('08:01:00');
    watch[Symbol.dispose]();
  });

  test('forward over a full scan: it is made up for', async () => {
    const { scheduler, runs, watch, set } = watched({ cron: '0 */6 * * *' });
    scheduler.start();
    await seconds(5);
    vi.setSystemTime(Date.parse('2026-11-22T05:00:00Z'));
    await seconds(20);
    expect(set).toHaveLength(1);
    expect(runs.at(-1)).toMatch(/^05:00:\d\d full$/);
    watch[Symbol.dispose]();
  });

  test('by less than two seconds is none: time services do that', async () => {
    const { watch, set } = watched();
    vi.setSystemTime(Date.now() - 1_500);
    await seconds(30);
    expect(set).toEqual([]);
    expect(watch.stalledMs()).toBe(0);
    watch[Symbol.dispose]();
  });
});

test('stopping starts nothing more and waits for the run under way', async () => {
  const { scheduler, runs } = open({
    run: async () => {
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      return 'done';
    },
  });
  scheduler.start();
  scheduler.trigger();
  let isOver = false;
  const stopped = scheduler.stop().then(() => (isOver = true));
  await seconds(4);
  expect(isOver).toBe(false);
  await seconds(120);
  await stopped;
  expect(runs).toEqual(['09:00:00']);
  expect(vi.getTimerCount()).toBe(0);
});
