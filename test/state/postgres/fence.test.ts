// Writes of a holder that was taken over, and writes whose answers are lost.
import delay from 'delay';
import { expect, test } from 'vitest';
import { DatabaseUnavailableError } from '../../../src/state/errors.ts';
import { every } from '../../../src/state/file/every.ts';
import type { LeaseOptions, Store } from '../../../src/state/port.ts';
import { leaseTimes } from '../../../src/state/postgres/dep.ts';
import { describeTakeoverContract } from '../../contract/takeover.ts';
import { createCutProxy } from '../../support/cut-proxy.ts';
import { createPostgresTrial, servePostgres } from '../../support/postgres.ts';
import { commitAll, historyLine, runRecord } from '../../support/state.ts';

const server = servePostgres();
const brief = { leaseTimes: { pollMs: 5, renewMs: 5, lastsMs: 1, waitMs: 10 } };
const fact = (name: string, value: number) => ({ facts: { put: new Map([[name, value]]) } });
const line = (minute: string) => historyLine(`2026-01-31T09:${minute}:00.000Z`);

describeTakeoverContract('postgres', {
  async create() {
    const trial = createPostgresTrial(await server().createDatabase());
    return { silent: trial.open(brief).store, open: () => trial.open().store };
  },
  async createBreaking() {
    const { trial, proxy, store } = await createCutTrial();
    return {
      store,
      open: () => trial.open().store,
      breakNext(wasDone) {
        if (wasDone) proxy.loseAnswerTo('records', { isShut: true });
        else proxy.holdBack('records', { isShut: true });
        return () => proxy.open();
      },
    };
  },
});

/** A store over a connection that can be cut, and one with a way of its own. */
async function createCutTrial() {
  const url = await server().createDatabase();
  const trial = createPostgresTrial(url);
  const direct = trial.open().store;
  const proxy = await createCutProxy(server().port);
  const { store } = createPostgresTrial(url.replace(/:\d+\//, `:${proxy.port}/`), { connectTimeoutMs: 1_000 }).open();
  await commitAll(store, 's', [fact('n', 0)]);
  return { trial, direct, proxy, store };
}

test('a commit, lines and a report whose answers are lost are there once, and the run goes on', async () => {
  const { direct, proxy, store } = await createCutTrial();
  {
    await using lease = await store.sync('s').acquireLease();
    await lease.load();
    proxy.loseAnswerTo('records');
    await lease.commit(fact('n', 1));
    proxy.loseAnswerTo('history');
    await lease.appendHistory([line('00'), line('01')]);
    proxy.loseAnswerTo('again AS');
    await lease.appendRun(runRecord('r1', '2026-01-31T09:00:00.000Z'));
    expect(proxy.cuts()).toBe(3);
    await lease.commit(fact('m', 2));
    await lease.appendHistory([line('02')]);
  }
  expect((await direct.sync('s').load()).facts).toEqual(
    new Map([
      ['n', 1],
      ['m', 2],
    ]),
  );
  const { lines } = await direct.historyPage({ limit: 9 });
  expect(lines.map(({ time }) => time.slice(14, 16))).toEqual(['00', '01', '02']);
  expect(await direct.sync('s').readRuns({ limit: 9 })).toHaveLength(1);
});

test('a lease, a release and a request whose answers are lost leave nothing behind', async () => {
  const { direct, proxy, store } = await createCutTrial();
  proxy.loseAnswerTo('clock_timestamp');
  const lease = await store.sync('s').acquireLease({ waitMs: 0 });
  await lease.load();
  await lease.commit(fact('n', 1));
  proxy.loseAnswerTo('requests');
  const id = await store.sync('s').addRequest({ command: 'retry' });
  proxy.loseAnswerTo('lease_until = NULL');
  await lease[Symbol.asyncDispose]();
  expect(proxy.cuts()).toBe(3);
  await using next = await direct.sync('s').acquireLease({ waitMs: 0 });
  expect(next.epoch).toBeGreaterThan(lease.epoch);
  expect([...(await next.load()).requests.keys()]).toEqual([id]);
});

/** A run carries out all decisions. Returns how many there were. */
async function carryOut(store: Store): Promise<number> {
  await using lease = await store.sync('s').acquireLease();
  const { requests } = await lease.load();
  await lease.commit({ doneRequests: [...requests.keys()] });
  return requests.size;
}

test('a decision whose answer is lost is not recorded anew once a run has carried it out: whether it was is not known', async () => {
  const { direct, proxy, store } = await createCutTrial();
  const lose = proxy.stallAnswerTo('requests');
  const added = store
    .sync('s')
    .addRequest({ command: 'retry' })
    .catch((error: unknown) => error);
  await expect.poll(async () => (await direct.sync('s').load()).requests.size).toBe(1);
  expect(await carryOut(direct)).toBe(1);
  lose();
  const told = await added;
  expect(await carryOut(direct)).toBe(0);
  expect(told).toMatchObject({
    code: 'database_unavailable',
    message: expect.stringMatching(/not known whether the decision was recorded.*leadsheet log/),
  });
});

test('a decision whose answer is lost, and whose database is away then, is not told as one that was not recorded', async () => {
  const { direct, proxy, store } = await createCutTrial();
  proxy.loseAnswerTo('requests', { isShut: true });
  const told = await store
    .sync('s')
    .addRequest({ command: 'retry' })
    .catch((error: unknown) => error);
  expect((await direct.sync('s').load()).requests.size).toBe(1);
  expect(told).toMatchObject({
    isOutcomeUnknown: true,
    message: expect.stringMatching(/not known whether the decision was recorded/),
  });
});

test('a decision that arrives once more, after a run has carried it out, is not recorded anew', async () => {
  const { trial, direct, proxy, store } = await createCutTrial();
  const arrive = proxy.holdBack('requests');
  await store.sync('s').addRequest({ command: 'retry' });
  expect(await carryOut(direct)).toBe(1);
  // Each such statement makes a new version of the row of the job.
  const version = async () => (await trial.database.query('SELECT xmin::text FROM leadsheet.jobs'))[0]!['xmin'];
  const before = await version();
  arrive();
  await expect.poll(version).not.toBe(before);
  expect(await carryOut(direct)).toBe(0);
});

test('decisions that are given while a run saves again and again are all recorded, each once', async () => {
  const { direct, store } = await createCutTrial();
  const lease = await direct.sync('s').acquireLease();
  await lease.load();
  const over = new AbortController();
  const saving = (async () => {
    for (let n = 1; !over.signal.aborted; n += 1, await delay(5)) await lease.commit(fact('n', n));
  })();
  const ids = await Promise.all(Array.from({ length: 10 }, () => store.sync('s').addRequest({ command: 'retry' })));
  over.abort();
  await saving;
  await lease[Symbol.asyncDispose]();
  expect([...(await direct.sync('s').load()).requests.keys()].toSorted()).toEqual(ids.toSorted());
});

test('a commit that arrives after it was given up changes nothing once another was made', async () => {
  const { direct, proxy, store } = await createCutTrial();
  await using lease = await store.sync('s').acquireLease();
  await lease.load();
  const arrive = proxy.holdBack('records', { isShut: true });
  await expect(lease.commit(fact('n', 1))).rejects.toThrow(DatabaseUnavailableError);
  proxy.open();
  await lease.commit(fact('n', 2));
  arrive();
  // The server has taken it by the time of a later statement under the same lock.
  await lease.commit(fact('m', 3));
  await expect.poll(async () => (await direct.sync('s').load()).facts.get('n')).toBe(2);
});

test('a commit that arrives late, before another, is known to that one', async () => {
  const { direct, proxy, store } = await createCutTrial();
  await using lease = await store.sync('s').acquireLease();
  await lease.load();
  const arrive = proxy.holdBack('records', { isShut: true });
  await expect(lease.commit(fact('n', 1))).rejects.toThrow(DatabaseUnavailableError);
  proxy.open();
  arrive();
  await expect.poll(async () => (await direct.sync('s').load()).facts.get('n')).toBe(1);
  await lease.commit({ facts: { delete: ['n'] } });
  expect((await direct.sync('s').load()).facts.has('n')).toBe(false);
});

/** How long a process waits for a lease that another one holds, which shows a sign of life or not. */
async function waitFor(isAlive: boolean, lastsMs: number, options: LeaseOptions) {
  const trial = createPostgresTrial(await server().createDatabase());
  const times = { leaseTimes: { pollMs: 5, renewMs: 20, lastsMs, waitMs: isAlive ? 800 : 150 } };
  await using held = await trial
    .open({ ...times, ...(isAlive && { every }) })
    .store.sync('s')
    .acquireLease();
  const other = trial.open(times).store.sync('s');
  const before = performance.now();
  const outcome = await other.acquireLease(options).then(
    (lease) => lease.epoch - held.epoch,
    (error: unknown) => error,
  );
  return { outcome, waitedMs: performance.now() - before };
}

test('W7: the lease of a process that died is waited for until it is over', async () => {
  const { outcome, waitedMs } = await waitFor(false, 700, {});
  expect(outcome).toBe(1);
  expect(waitedMs).toBeGreaterThan(150);
});

test.each([
  ['a holder that shows signs of life', true, {}],
  ['any holder, by who names a time', false, { waitMs: 150 }],
  ['any holder, by who has no time', false, { waitMs: 0 }],
])('W7: %s is not waited for any longer', async (_name, isAlive, options) => {
  const { outcome } = await waitFor(isAlive, 60_000, options);
  expect(outcome).toMatchObject({ code: 'lease_taken', message: expect.stringContaining('being run by process 1') });
});

test('an aborted wait for a process that died ends at once', async () => {
  const { outcome } = await waitFor(false, 60_000, { signal: AbortSignal.timeout(300) });
  expect(outcome).toMatchObject({ name: 'TimeoutError' });
});

test('a lease that could not be given back is given back as soon as the database is there again', async () => {
  const url = await server().createDatabase();
  const direct = createPostgresTrial(url).open().store;
  const proxy = await createCutProxy(server().port);
  const { open } = createPostgresTrial(url.replace(/:\d+\//, `:${proxy.port}/`), { connectTimeoutMs: 1_000 });
  const { store, warnings } = open({ every, leaseTimes: { ...leaseTimes, renewMs: 50 } });
  const lease = await store.sync('s').acquireLease();
  proxy.holdBack('lease_until = NULL', { isShut: true });
  await lease[Symbol.asyncDispose]();
  expect(warnings).toMatchObject([{ kind: 'unfinished', message: expect.stringContaining('could not be given back') }]);
  await expect(direct.sync('s').acquireLease({ waitMs: 0 })).rejects.toThrow(/being run by process 1/);
  proxy.open();
  await using next = await direct.sync('s').acquireLease({ waitMs: 20_000 });
  expect(next.epoch).toBe(lease.epoch + 1);
});
