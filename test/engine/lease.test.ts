// A run under a lease that can run out sends nothing that could arrive after it (H2, H3, H5).
import { expect, test } from 'vitest';
import type { Store } from '../../src/state/port.ts';
import { createSyncTrial, isOfNote, tabTitle } from '../support/app.ts';
import { connectionLost, createMemoryDatabase, type StatementInstant } from '../support/memory-store.ts';
import { trialTerms } from '../support/state.ts';

const people = (count: number) =>
  Array.from({ length: count }, (_, index) => [`P${index}`, 'Row', 'Firm', `p${index}@firm.io`]);

const leaseMs = 60_000;

/** Two workers of one fleet: `worker` is that of the trial, whose clock the test moves. */
function createLeaseTrial(rows: number, { sync = {}, columns }: Partial<Parameters<typeof createSyncTrial>[0]> = {}) {
  const clock = { ms: 0 };
  const elapsed = () => clock.ms;
  const database = createMemoryDatabase({ elapsed, leaseMs, renewMs: 5_000, terms: trialTerms });
  let instant: StatementInstant = () => {};
  const worker = database.worker({ host: 'a', pid: 1, instant: (when, what) => instant(when, what) });
  const heir = database.worker({ host: 'b', pid: 2 });
  const trial = createSyncTrial({
    store: worker.store,
    ...(columns && { columns }),
    sync: { limits: { creates: 1000, changes: '100%', deletes: '100%' }, ...sync },
  });
  if (rows > 0) trial.person.paste(`'${tabTitle}'!A2`, people(rows));
  /** The worker is suspended at the nth request of this kind, for so long, with its clock going on. */
  const suspendAt = (isIt: (request: Request) => boolean, nth: number, ms: number) => {
    let seen = 0;
    const after: string[] = [];
    trial.atEachInstant((what) => {
      if (!(what instanceof Request)) return;
      if (clock.ms > 0 && isOfNote(what)) after.push(`${what.method} ${new URL(what.url).pathname}`);
      if (!isIt(what) || (seen += 1) !== nth) return;
      worker.pause();
      clock.ms += ms;
    });
    return after;
  };
  return {
    ...trial,
    startOn: (store: Store) => trial.start(store),
    clock,
    worker,
    heir,
    suspendAt,
    atStatement: (called: StatementInstant) => void (instant = called),
  };
}

const isUpsert = ({ url }: Request) => url.endsWith('/upsert');

test.each([
  { it: 'too short for one more call', ms: 30_000 },
  { it: 'over', ms: 3_600_000 },
])(
  'H3: with a lease that is $it no call that writes is sent, to neither side, and the run says why',
  async ({ ms }) => {
    const trial = createLeaseTrial(30);
    const after = trial.suspendAt(isUpsert, 3, ms);
    const report = await trial.run();
    // Two calls are under way at once: one more may have been sent before the clock moved.
    expect(after.filter((call) => !call.endsWith('/upsert'))).toEqual([]);
    expect(after.length).toBeLessThanOrEqual(1);
    expect(report).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^prospects: the lease ran out.*Another worker goes on/),
    });
    expect(trial.contacts().length).toBeLessThanOrEqual(4);
    // H5: the next holder goes on, and makes nobody twice.
    trial.worker.resume();
    trial.clock.ms += leaseMs;
    trial.atEachInstant(() => {});
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.contacts()).toHaveLength(30);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 30 } });
  },
);

test('H3: rows are not written, appended or deleted under a lease that ends', async () => {
  const trial = createLeaseTrial(5, { sync: { on_contact_deleted: 'delete_row' } });
  await trial.run();
  trial.type('p1@firm.io', 'Company', 'Typed');
  trial.change('p2@firm.io', { company_name: 'Changed' });
  trial.addContact({ email: 'new@firm.io', first_name: 'New' });
  trial.service.model.contacts.remove(trial.contactOf('p3@firm.io').uuid);
  const sheetBefore = trial.grid();
  const after = trial.suspendAt(({ url }) => url.includes('/search'), 1, leaseMs);
  expect(await trial.run({ isFull: true })).toMatchObject({ status: 'failed' });
  expect(after).toEqual([]);
  expect(trial.grid()).toEqual(sheetBefore);
});

test('H5: a lease that another worker took over ends the run at its next save, and nothing is sent after that', async () => {
  const trial = createLeaseTrial(20);
  let taken = false;
  const after: string[] = [];
  trial.atEachInstant(async (what) => {
    if (!(what instanceof Request)) return;
    if (taken && isOfNote(what)) after.push(what.url);
  });
  trial.atStatement(async (when, what) => {
    if (taken || when !== 'before' || what !== 'history') return;
    taken = true;
    trial.worker.pause();
    trial.clock.ms += leaseMs + 1;
    await trial.heir.store.sync('prospects').acquireLease();
    // Its own clock slept as well: only the refusal tells it.
    trial.clock.ms -= leaseMs + 1;
  });
  const report = await trial.run();
  expect(taken).toBe(true);
  expect(report).toMatchObject({ status: 'failed', error: expect.stringContaining('another may be writing') });
  expect(after).toEqual([]);
});

test('S1: a connection to the state that breaks at any save loses and doubles nothing', async () => {
  for (let nth = 1; nth <= 12; nth += 1) {
    const where = nth % 2 === 1 ? 'before' : 'after';
    const trial = createLeaseTrial(3);
    let seen = 0;
    trial.atStatement((when) => {
      if (when === where && (seen += 1) === nth) throw connectionLost();
    });
    const { status } = await trial.run();
    expect(seen >= nth || status === 'succeeded').toBe(true);
    trial.atStatement(() => {});
    // A lease of which the database was not told that it ended runs out.
    trial.clock.ms += leaseMs + 1;
    await trial.run();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 3 } });
    expect(trial.contacts()).toHaveLength(3);
  }
});

test('H4: a state that is younger than the sheet goes on by itself, from the next run on', async () => {
  const trial = createLeaseTrial(3);
  for (const company of ['One', 'Two', 'Three']) {
    await trial.run();
    trial.change('p1@firm.io', { company_name: company });
  }
  await trial.run();
  // Another state, as after a restore: its leases are counted from 1 again.
  const { ms } = trial.clock;
  const database = createMemoryDatabase({ elapsed: () => ms, leaseMs, renewMs: 5_000, terms: trialTerms });
  const fresh = await trial.startOn(database.worker({ host: 'c', pid: 3 }).store);
  trial.addContact({ email: 'new@firm.io', first_name: 'New' });
  const request = { isFull: true, isAsked: true, signal: new AbortController().signal };
  const job = fresh.jobs.get('prospects')!;
  expect(await job.run(request)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/later lease \(4\) than this one \(1\)/),
  });
  expect(trial.grid()).toHaveLength(3);
  expect(await job.run(request)).toMatchObject({ status: 'succeeded' });
  expect(trial.grid()).toHaveLength(4);
  expect(trial.contacts()).toHaveLength(4);
});

test.each([
  ['the connection is lost', connectionLost, 'failed'],
  ['the program has a fault', () => new Error('a fault'), 'a fault'],
])(
  'H4, H5: where %s at any save of the run that finds the sheet ahead, it is told as what it is',
  async (_what, broken, told) => {
    let isOver = false;
    for (let at = 1; !isOver; at += 1) {
      const trial = createLeaseTrial(3);
      await trial.run();
      trial.change('p1@firm.io', { company_name: 'One' });
      await trial.run();
      const { ms } = trial.clock;
      const database = createMemoryDatabase({ elapsed: () => ms, leaseMs, renewMs: 5_000, terms: trialTerms });
      let commits = 0;
      let isFirst = true;
      const instant: StatementInstant = (when, what) => {
        if (isFirst && when === 'before' && what === 'commit' && (commits += 1) === at) throw broken();
      };
      const fresh = await trial.startOn(database.worker({ host: 'c', pid: 3, instant }).store);
      trial.addContact({ email: 'new@firm.io', first_name: 'New' });
      const request = { isFull: true, isAsked: true, signal: new AbortController().signal };
      const job = fresh.jobs.get('prospects')!;
      const ended = await job.run(request).then(
        ({ status }) => status,
        (error: unknown) => (error as Error).message,
      );
      isFirst = false;
      isOver = commits < at;
      expect({ at, ended }).toEqual({ at, ended: isOver ? 'failed' : told });
      expect(trial.grid()).toHaveLength(3);
      // The next run may have to find the sheet ahead once more.
      await job.run(request);
      expect(await job.run(request)).toMatchObject({ status: 'succeeded' });
      expect([trial.grid().length, trial.contacts().length]).toEqual([4, 4]);
    }
  },
);

test('H4: with leases of one machine no mark of a fence is made', async () => {
  const trial = createSyncTrial();
  trial.person.paste(`'${tabTitle}'!A2`, people(3));
  await trial.run();
  trial.change('p1@firm.io', { company_name: 'Other' });
  await trial.run();
  expect([...trial.file.content.metadataById.values()].filter(({ key }) => key === 'f')).toEqual([]);
});
