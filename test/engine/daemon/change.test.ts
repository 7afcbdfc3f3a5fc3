// Jobs that are added, replaced and removed while the daemon runs.
import { expect, test } from 'vitest';
import { createDaemon, type DaemonJob } from '../../../src/daemon/daemon.ts';
import type { Queue } from '../../../src/daemon/queue/port.ts';
import { inProcessQueue } from '../../../src/daemon/scheduler.ts';
import { nothingPlanned, type RunReport } from '../../../src/engine/report.ts';

const nothing = { linked: 0, waiting: 0, conflicts: 0, quarantined: 0, parked: 0, held: 0, ignored: 0 };
const did = { created: 0, updated: 0, appended: 0, set: 0, deleted: 0, removed: 0, enrolled: 0, cancelled: 0, sent: 0 };

function reportOf(sync: string, run: string): RunReport {
  const at = new Date(0).toISOString();
  return {
    sync,
    kind: 'feed',
    run,
    status: 'succeeded',
    isFull: true,
    startedAt: at,
    endedAt: at,
    counts: { ...nothing, ...did },
    cost: { crmCalls: 0, sheetReads: 0, sheetWrites: 0, seconds: 0 },
    problems: [],
    holds: [],
    planned: nothingPlanned,
  };
}

/** A daemon of the jobs a and b, whose runs end when they are let go. */
function begin(queue?: Queue) {
  const stop = new AbortController();
  const order: string[] = [];
  const gates = new Map<string, () => void>();
  const jobOf = (name: string, version: string, cron = '0 0 1 1 *'): DaemonJob => ({
    spreadsheetId: 'of all',
    schedule: { cron, timeZone: 'UTC' },
    settleMs: 0,
    async run({ isFull }) {
      const what = `${name} ${version}${isFull ? ' in full' : ''}`;
      order.push(`${what} begins`);
      await new Promise<void>((resolve) => void gates.set(name, resolve));
      order.push(`${what} ends`);
      return reportOf(name, version);
    },
  });
  const daemon = createDaemon({
    jobs: new Map([
      ['a', jobOf('a', '1')],
      ['b', jobOf('b', '1')],
    ]),
    remembered: new Map(),
    ...(queue && { queue }),
    stop: stop.signal,
    tell: () => {},
    now: () => Date.now(),
    elapsed: () => performance.now(),
    random: () => 0.5,
  });
  /** Lets the run of a job end, once it has begun. */
  const end = async (name: string) => {
    await expect.poll(() => gates.has(name)).toBe(true);
    const open = gates.get(name)!;
    gates.delete(name);
    open();
  };
  const seen = () =>
    Object.fromEntries(daemon.status().map(({ name, phase, lastRun }) => [name, [phase, lastRun?.run]]));
  return { daemon, stop, order, gates, jobOf, end, seen };
}

test('a replaced job finishes its run as it was begun, then runs anew, and no other job is disturbed', async () => {
  const { daemon, order, gates, jobOf, end, seen } = begin();
  daemon.start();
  await end('b');
  await expect.poll(() => seen()['b']).toEqual(['idle', '1']);
  const next = daemon.nextRun('b');
  await expect.poll(() => gates.has('a')).toBe(true);

  daemon.change({ jobs: new Map([['a', jobOf('a', '2')]]), removed: [], order: ['a', 'b'] });
  expect(seen()['a']![0]).toBe('running');
  expect(order).not.toContain('a 2 begins');
  await end('a');
  await end('a');
  await expect.poll(() => seen()).toEqual({ a: ['idle', '2'], b: ['idle', '1'] });
  expect(order.filter((line) => line.startsWith('a'))).toEqual(['a 1 begins', 'a 1 ends', 'a 2 begins', 'a 2 ends']);
  expect(order.filter((line) => line.startsWith('b'))).toEqual(['b 1 begins', 'b 1 ends']);
  expect(daemon.nextRun('b')).toBe(next);
  await daemon.left();
  daemon[Symbol.dispose]();
});

test('a person who waits for a run of the replaced job gets one of the new job', async () => {
  const { daemon, order, gates, jobOf, end } = begin();
  daemon.start();
  await expect.poll(() => gates.has('a')).toBe(true);
  const asked = daemon.ask('a', true)!;
  expect(asked.answer).toBe('queued');
  daemon.change({ jobs: new Map([['a', jobOf('a', '2')]]), removed: [], order: ['a', 'b'] });
  await end('a');
  await end('a');
  // The first run of the new job, then the one that answers.
  await end('a');
  expect(await asked.ended).toMatchObject({ kind: 'ran', report: { run: '2' } });
  expect(order).toContain('a 2 in full begins');
  daemon[Symbol.dispose]();
});

test('a removed job finishes its run and is gone; its end is waited for', async () => {
  const { daemon, stop, order, gates, end } = begin();
  daemon.start();
  await expect.poll(() => gates.size).toBe(2);
  const asked = daemon.ask('a', false)!;
  daemon.change({ jobs: new Map(), removed: ['a'], order: ['b'] });
  expect(daemon.status().map(({ name }) => name)).toEqual(['b']);
  expect(daemon.trigger('a')).toBeUndefined();
  expect(await asked.ended).toEqual({ kind: 'not-run' });
  stop.abort(new Error('stopped'));
  const drained = daemon.drain(10_000);
  await end('b');
  await end('a');
  expect(await drained).toEqual([]);
  expect(order).toContain('a 1 ends');
});

test('a removed job that does not end in time is named', async () => {
  const { daemon, stop, gates, end } = begin();
  daemon.start();
  await expect.poll(() => gates.size).toBe(2);
  daemon.change({ jobs: new Map(), removed: ['a'], order: ['b'] });
  stop.abort(new Error('stopped'));
  const drained = daemon.drain(200);
  await end('b');
  expect(await drained).toEqual(['a']);
  await end('a');
});

test('an added job runs at once, and stands where the file has it', async () => {
  const { daemon, order, jobOf, end, seen } = begin();
  daemon.start();
  await end('a');
  await end('b');
  daemon.change({ jobs: new Map([['c', jobOf('c', '1')]]), removed: [], order: ['a', 'c', 'b'] });
  await end('c');
  await expect.poll(() => seen()['c']).toEqual(['idle', '1']);
  expect(daemon.status().map(({ name }) => name)).toEqual(['a', 'c', 'b']);
  expect(order.filter((line) => line.endsWith('begins'))).toEqual(['a 1 begins', 'b 1 begins', 'c 1 begins']);
  daemon[Symbol.dispose]();
});

test('a job that is replaced while it waits for its turn does not run as it was', async () => {
  const { daemon, order, jobOf, end } = begin();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const work = daemon.inTurn('a', () => gate)!;
  daemon.start();
  daemon.change({ jobs: new Map([['a', jobOf('a', '2')]]), removed: [], order: ['a', 'b'] });
  open();
  await work;
  await end('a');
  await expect.poll(() => order).toContain('a 2 ends');
  expect(order).not.toContain('a 1 begins');
  daemon[Symbol.dispose]();
});

test('W13: a job that is replaced while its full scan is due begins with it', async () => {
  const { daemon, order, jobOf, end } = begin();
  daemon.start();
  const fullScan = { cron: '* * * * * *', timeZone: 'UTC' };
  const nextFullScanAt = () => daemon.status().find(({ name }) => name === 'c')!.nextFullScanAt!;
  daemon.change({ jobs: new Map([['c', { ...jobOf('c', '1'), fullScan }]]), removed: [], order: ['a', 'b', 'c'] });
  await expect.poll(() => nextFullScanAt() <= Date.now()).toBe(true);
  daemon.change({ jobs: new Map([['c', jobOf('c', '2')]]), removed: [], order: ['a', 'b', 'c'] });
  await end('c');
  await end('c');
  await expect
    .poll(() => order.filter((what) => what.startsWith('c')))
    .toEqual(['c 1 begins', 'c 1 ends', 'c 2 in full begins', 'c 2 in full ends']);
  daemon[Symbol.dispose]();
});

test('L8: a job that is renamed during its run begins when that run is over, and so does one that is added back', async () => {
  const { daemon, order, gates, jobOf, end, seen } = begin();
  daemon.start();
  await expect.poll(() => gates.size).toBe(2);
  daemon.change({ jobs: new Map([['c', jobOf('c', '1')]]), removed: ['a'], order: ['b', 'c'] });
  daemon.change({ jobs: new Map([['a', jobOf('a', '2')]]), removed: [], order: ['a', 'b', 'c'] });
  const asked = daemon.ask('c', true)!;
  await end('b');
  await expect.poll(() => seen()['b']).toEqual(['idle', '1']);
  expect([seen()['a']![0], seen()['c']![0]]).toEqual(['running', 'running']);
  expect(order).toEqual(['a 1 begins', 'b 1 begins', 'b 1 ends']);
  await end('a');
  await end('c');
  await end('a');
  await end('c');
  expect(await asked.ended).toMatchObject({ kind: 'ran' });
  expect(order.indexOf('a 1 ends')).toBeLessThan(order.indexOf('c 1 begins'));
  expect(order.indexOf('a 1 ends')).toBeLessThan(order.indexOf('a 2 begins'));
  daemon[Symbol.dispose]();
});

test('W8: the end does not wait for a job that waits for the end of a removed one', async () => {
  const { daemon, stop, order, gates, jobOf } = begin();
  daemon.start();
  await expect.poll(() => gates.size).toBe(2);
  gates.get('b')!();
  daemon.change({ jobs: new Map([['c', jobOf('c', '1')]]), removed: ['a'], order: ['b', 'c'] });
  await expect.poll(() => order).toContain('b 1 ends');
  stop.abort(new Error('stopped'));
  expect(await daemon.drain(200)).toEqual(['a']);
  gates.get('a')!();
  expect(order).not.toContain('c 1 begins');
});

test('what an earlier reload waits for is over when no job that a later one replaced runs any more', async () => {
  const { daemon, gates, jobOf, end } = begin();
  daemon.start();
  await expect.poll(() => gates.size).toBe(2);
  daemon.change({ jobs: new Map([['a', jobOf('a', '2')]]), removed: [], order: ['a', 'b'] });
  let isOver = false;
  const left = daemon.left().then(() => void (isOver = true));
  daemon.change({ jobs: new Map([['b', jobOf('b', '2')]]), removed: [], order: ['a', 'b'] });
  // The run that was begun as before, then the first one of the new job.
  await end('a');
  await end('a');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isOver).toBe(false);
  await end('b');
  await end('b');
  await left;
  daemon[Symbol.dispose]();
});

test.each([
  ['full', { cron: '* * * * * *', timeZone: 'UTC' }, 'c 2 in full'],
  ['none', { cron: '0 0 1 1 *', timeZone: 'UTC' }, 'c 2'],
])(
  'W13: a job that is removed and added back begins with the full scan that was due (%s)',
  async (_due, fullScan, next) => {
    const { daemon, order, jobOf, end, seen } = begin();
    daemon.start();
    const all = ['a', 'b', 'c'];
    const job = () => daemon.status().find(({ name }) => name === 'c')!;
    daemon.change({ jobs: new Map([['c', { ...jobOf('c', '1'), fullScan }]]), removed: [], order: all });
    await expect.poll(() => order).toContain('c 1 begins');
    const isDue = next.endsWith('in full');
    await expect.poll(() => job().nextFullScanAt! <= Date.now()).toBe(isDue);
    daemon.change({ jobs: new Map(), removed: ['c'], order: ['a', 'b'] });
    await end('c');
    await expect.poll(() => order).toContain('c 1 ends');
    daemon.change({ jobs: new Map([['c', jobOf('c', '2')]]), removed: [], order: all });
    // It goes on with what its last run was, which ended after it was removed.
    expect(seen()['c']![1]).toBe('1');
    await end('c');
    await expect.poll(() => order).toContain(`${next} ends`);
    daemon[Symbol.dispose]();
  },
);

test('L8: a job that takes the spreadsheet of one that is changed during its run begins when that run is over', async () => {
  const { daemon, order, gates, jobOf, end } = begin();
  daemon.start();
  await expect.poll(() => gates.size).toBe(2);
  // The file renames a to b and b to c: b is another one under its name.
  daemon.change({
    jobs: new Map([
      ['b', { ...jobOf('b', '2'), spreadsheetId: 'of a' }],
      ['c', jobOf('c', '1')],
    ]),
    removed: ['a'],
    order: ['b', 'c'],
  });
  await end('a');
  await expect.poll(() => order).toContain('a 1 ends');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(order).not.toContain('c 1 begins');
  await end('b');
  await end('b');
  await end('c');
  await expect.poll(() => order).toContain('c 1 ends');
  expect(order.indexOf('b 1 ends')).toBeLessThan(order.indexOf('c 1 begins'));
  daemon[Symbol.dispose]();
});

test('W6: a job that is added does not wait for the run of a removed one over another spreadsheet', async () => {
  const { daemon, order, gates, jobOf, end } = begin();
  daemon.start();
  await expect.poll(() => gates.size).toBe(2);
  const other = { ...jobOf('c', '1'), spreadsheetId: 'of another client' };
  daemon.change({ jobs: new Map([['c', other]]), removed: ['a'], order: ['b', 'c'] });
  await end('c');
  await expect.poll(() => order).toContain('c 1 ends');
  expect(order).not.toContain('a 1 ends');
  await end('a');
  daemon[Symbol.dispose]();
});

test('W6: a job that a reload adds begins anew, also where other workers know that it stopped under this very file', () => {
  const opened: [string, boolean][] = [];
  const queue: Queue = {
    open(options) {
      opened.push([options.name, options.isAnew === true]);
      return inProcessQueue.open(options);
    },
  };
  const { daemon, jobOf } = begin(queue);
  daemon.change({ jobs: new Map(), removed: ['a'], order: ['b'] });
  daemon.change({ jobs: new Map([['a', jobOf('a', '2')]]), removed: [], order: ['a', 'b'] });
  expect(opened).toEqual([
    ['a', false],
    ['b', false],
    ['a', true],
  ]);
  daemon[Symbol.dispose]();
});
