import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/state/port.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import { commitAll, openTrial } from '../support/state.ts';

/* Records of idle jobs stay in memory up to a limit. The files tell which were read again. */

const minute = 60_000;

async function open(keptRecordsMax: number) {
  const disk = createMemoryDisk(1);
  let at = Date.UTC(2026, 0, 31, 12);
  const read: string[] = [];
  const counting = {
    ...disk,
    readFile: (path: string) => {
      const [, , job, file] = path.split('/');
      if (file === 'base.json') read.push(job!);
      return disk.readFile(path);
    },
  };
  const { store } = openTrial('/state', { disk: counting, keptRecordsMax, now: () => at });
  const records = (count: number) =>
    new Map(Array.from({ length: count }, (_, index): [string, JsonObject] => [`u-${index}`, { agreed: '["x"]' }]));
  return {
    fill: (job: string, count: number) => commitAll(store, job, [{ links: { put: records(count) } }]),
    /** The jobs that were read from their files, of an idle run of each. */
    idleRuns: async (...jobs: readonly string[]) => {
      read.length = 0;
      for (const job of jobs) {
        await using lease = await store.sync(job).acquireLease();
        await lease.load();
      }
      return [...read];
    },
    load: (job: string) => store.sync(job).load(),
    /** The jobs that were read from their files, of a glance at each. */
    glances: async (...jobs: readonly string[]) => {
      read.length = 0;
      for (const job of jobs) {
        await using lease = await store.sync(job).acquireLease();
        expect((await lease.glance([]))?.facts.has('n')).toBe(true);
      }
      return [...read];
    },
    glance: async (job: string) => {
      await using lease = await store.sync(job).acquireLease();
      const glanced = (await lease.glance([]))?.facts.get('n');
      expect((await store.sync(job).loadSome({})).facts.get('n')).toBe(glanced);
      return glanced;
    },
    factsOf: async (job: string) => (await store.sync(job).loadSome({})).facts.get('n'),
    /** By another process. */
    write: (job: string, facts: Record<string, Json>) =>
      commitAll(openTrial('/state', { disk }).store, job, [{ facts: { put: new Map(Object.entries(facts)) } }]),
    later: (ms: number) => void (at += ms),
  };
}

test('within the limit no run reads the files of another again', async () => {
  const { fill, idleRuns } = await open(100);
  for (const job of ['a', 'b', 'c']) await fill(job, 10);
  await idleRuns('a', 'b', 'c');
  expect(await idleRuns('a', 'b', 'c', 'a')).toEqual([]);
});

test('beyond the limit those that are there stay, and only the others are read', async () => {
  const { fill, idleRuns } = await open(15);
  for (const job of ['a', 'b', 'c', 'd']) await fill(job, 10);
  for (let round = 0; round < 3; round += 1) {
    expect(await idleRuns('a', 'b', 'c', 'd')).toEqual(['c', 'd']);
  }
});

test('a single job stays, however large it is; beside it others are read', async () => {
  const { fill, idleRuns } = await open(15);
  await fill('large', 100);
  await fill('small', 1);
  expect(await idleRuns('large', 'small', 'large', 'small')).toEqual(['small', 'small']);
});

test('a job that has not run for a quarter of an hour makes room', async () => {
  const { fill, idleRuns, later } = await open(5);
  await fill('paused', 10);
  await fill('a', 10);
  expect(await idleRuns('a', 'a')).toEqual(['a', 'a']);
  later(15 * minute);
  expect(await idleRuns('a', 'a', 'paused')).toEqual(['a', 'paused']);
});

test.each([15, -15])('a job that runs again after %s minutes of the clock stays itself', async (minutes) => {
  const { fill, idleRuns, later } = await open(5);
  await fill('a', 10);
  expect(await idleRuns('a')).toEqual([]);
  later(minutes * minute);
  expect(await idleRuns('a', 'a', 'a')).toEqual([]);
});

test('a job makes room after more than ten minutes, and also if the clock was set back by so much', async () => {
  for (const [minutes, isRead] of [
    [10, true],
    [10.1, false],
    [-10, true],
    [-10.1, false],
  ] as const) {
    const { fill, idleRuns, later } = await open(5);
    await fill('paused', 10);
    await fill('a', 10);
    later(minutes * minute);
    await idleRuns('a');
    expect([minutes, await idleRuns('a')]).toEqual([minutes, isRead ? ['a'] : []]);
  }
});

test('a limit that is just reached lets one more in', async () => {
  const { fill, idleRuns } = await open(10);
  for (const job of ['a', 'b', 'c']) await fill(job, 10);
  expect(await idleRuns('a', 'b', 'c')).toEqual(['c']);
});

test('a job that is read without a lease counts, too', async () => {
  const { fill, idleRuns, load } = await open(5);
  await fill('a', 10);
  await fill('b', 10);
  expect((await load('b')).links.size).toBe(10);
  expect(await idleRuns('a', 'b', 'a')).toEqual(['b']);
});

test('what a run loaded stays for its commits, whatever others read meanwhile', async () => {
  const { store } = openTrial('/state', { disk: createMemoryDisk(1), keptRecordsMax: -1 });
  await using lease = await store.sync('a').acquireLease();
  await lease.load();
  await store.sync('a').load();
  await store.sync('b').load();
  await lease.commit({ facts: { put: new Map([['n', 1]]) } });
  expect((await store.sync('a').load()).facts.get('n')).toBe(1);
});

test('W18: of jobs whose records do not stay, the rest stays for the next glance, until another process writes', async () => {
  const { fill, write, glances, glance, factsOf, idleRuns } = await open(15);
  for (const job of ['a', 'b', 'c', 'd']) {
    await fill(job, 10);
    await write(job, { n: 1 });
  }
  await idleRuns('a', 'b', 'c', 'd');
  expect(await glances('a', 'b', 'c', 'd')).toEqual([]);
  for (const job of ['a', 'c']) {
    await write(job, { n: 2 });
    expect(await glance(job)).toBe(2);
    await write(job, { n: 3 });
    expect(await factsOf(job)).toBe(3);
    expect(await glance(job)).toBe(3);
  }
});

test('W18: what a glance has read stays without a run, unless it is much', async () => {
  const { fill, write, glances } = await open(0);
  for (const job of ['large', 'b', 'c']) {
    await fill(job, 10);
    await write(job, { n: 1, more: job === 'large' ? 'x'.repeat(40_000) : '' });
  }
  expect(await glances('large', 'b', 'c')).toEqual(['large', 'b', 'c']);
  expect(await glances('large', 'b', 'c')).toEqual(['large']);
});

test('W18: a run that needs no record lets them go, and many stay', async () => {
  const { fill, write, glances, idleRuns } = await open(100_000);
  for (const [job, count] of [
    ['small', 10],
    ['large', 10_001],
  ] as const) {
    await fill(job, count);
    await write(job, { n: 1 });
  }
  await idleRuns('small', 'large');
  expect(await idleRuns('small', 'large')).toEqual([]);
  expect(await glances('small', 'large')).toEqual([]);
  expect(await glances('small', 'large')).toEqual([]);
  expect(await idleRuns('small', 'large')).toEqual(['small']);
});
