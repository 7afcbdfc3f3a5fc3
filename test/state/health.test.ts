// A look at a state on files from outside: sizes, versions, and who holds the lease of each job.
import { cp, mkdir, mkdtemp, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lookAtFiles } from '../../src/state/file/health.ts';
import type { Processes } from '../../src/state/file/processes.ts';
import { currentSchema } from '../../src/state/file/schema.ts';
import { lookAtStore } from '../../src/state/open.ts';
import { openBelow } from '../support/open-files.ts';
import { createMachine, historyLine, openTrial } from '../support/state.ts';

async function createTrial() {
  const root = await mkdtemp(join(tmpdir(), 'health-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const machine = createMachine('here', 41);
  const open = () => openTrial(root, { machine, pid: 41, foldFloorBytes: 1 }).store;
  const processes = (more: Partial<Processes> = {}): Processes => ({
    host: 'here',
    pid: 42,
    space: async () => null,
    startOf: async (pid) => (pid === 41 ? { start: 'boot/41' } : 'gone'),
    ...more,
  });
  const look = (more?: Partial<Processes>) => lookAtFiles(root, processes(more));
  const commit = async (job: string) => {
    await using lease = await open().sync(job).acquireLease();
    await lease.load();
    for (const word of ['x', 'y'])
      await lease.commit({ links: { put: new Map([['u', { agreed: word.repeat(3_000) }]]) } });
  };
  return { root, open, look, commit };
}

/** Of all files below a folder. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('a folder that is not there has nothing', async () => {
  const { root, look } = await createTrial();
  await rm(root, { recursive: true });
  expect(await look()).toEqual({ isThere: false, schemaKnown: currentSchema.version, bytes: 0, jobs: [] });
});

test('jobs are listed by name, with their sizes, versions and last folds', async () => {
  const { root, look, commit } = await createTrial();
  for (const job of ['b', 'a c', 'a']) await commit(job);
  await utimes(join(root, 'b', 'base.json'), 0, Date.UTC(2026, 0, 31) / 1_000);
  const { isThere, bytes, jobs } = await look();
  expect(isThere).toBe(true);
  expect(jobs.map(({ name }) => name)).toEqual(['a', 'a c', 'b']);
  expect(jobs.map(({ schema }) => schema)).toEqual([1, 1, 1].map(() => currentSchema.version));
  expect(jobs[2]).toMatchObject({ foldedAt: '2026-01-31T00:00:00.000Z', bytes: await sizeOf(join(root, 'b')) });
  expect(bytes).toBe(await sizeOf(root));
  expect(jobs.map((job) => 'holder' in job)).toEqual([false, false, false]);
});

test('what stands beside the folders of jobs is no job: a folder of the file system, an archive, a renamed copy', async () => {
  const { root, open, look, commit } = await createTrial();
  await commit('a');
  await mkdir(join(root, 'lost+found'));
  await cp(join(root, 'a'), join(root, 'a (old)'), { recursive: true });
  await writeFile(join(root, 'backup.tgz'), 'x');
  expect((await look()).jobs.map(({ name }) => name)).toEqual(['a']);
  const store = open();
  expect(await store.jobs()).toEqual(['a']);
  {
    await using lease = await store.sync('a').acquireLease();
    await lease.appendHistory([historyLine('2026-01-31T12:00:00.000Z', { sync: 'a' })]);
  }
  expect(await Array.fromAsync(store.history({}))).toHaveLength(1);
  expect((await store.historyPage({ limit: 9 })).lines).toHaveLength(1);
});

test('a job without a commit has no version, and nor has one whose document is damaged', async () => {
  const { root, open, look, commit } = await createTrial();
  {
    await using lease = await open().sync('new').acquireLease();
    await lease.load();
  }
  await commit('old');
  await truncate(join(root, 'old', 'base.json'), 5);
  const { jobs } = await look();
  expect(jobs.map(({ name, schema, foldedAt }) => [name, schema, foldedAt !== undefined])).toEqual([
    ['new', undefined, false],
    ['old', undefined, true],
  ]);
});

test.each<[string, Partial<Processes>, boolean | undefined]>([
  ['runs', {}, true],
  ['has ended', { startOf: async () => 'gone' }, false],
  ['gave its number to another', { startOf: async () => ({ start: 'boot/99' }) }, false],
  ['runs, on a system that does not say since when', { startOf: async () => ({ start: null }) }, true],
  ['is of another machine', { host: 'there' }, undefined],
])('the holder of a lease is named, and whether it still runs: it %s', async (_, more, isHolderRunning) => {
  const { open, look } = await createTrial();
  await using lease = await open().sync('a').acquireLease();
  await lease.load();
  const [job] = (await look(more)).jobs;
  expect(job?.holder).toMatch(/^process 41 on here, since 2026-01-31T12:00:00/);
  expect(job?.isHolderRunning).toBe(isHolderRunning);
});

test('hidden folders are no jobs, and the index is told with its size', async () => {
  const { root, look, commit } = await createTrial();
  await commit('a');
  expect((await look()).index).toBeUndefined();
  await writeFile(join(root, '.index.sqlite'), 'x'.repeat(77));
  await utimes(join(root, '.index.sqlite'), 0, 0);
  const { index, jobs } = await look();
  expect(index).toEqual({ bytes: 77, writtenAt: '1970-01-01T00:00:00.000Z' });
  expect(jobs).toHaveLength(1);
});

test('a store on files is looked at by its address', async () => {
  const { root, look, commit } = await createTrial();
  await commit('a');
  const process = { pid: 42, probe: () => {} };
  expect(await lookAtStore(`file:${root}`, process)).toEqual(await look());
});

test.runIf(platform() === 'linux')('no file stays open after a look', async () => {
  const { root, look, commit } = await createTrial();
  await commit('a');
  await look();
  expect(openBelow(root)).toEqual([]);
});

test('whether a holder of a machine with the name of this one runs cannot be told on a network drive', async () => {
  const { root, commit, look } = await createTrial();
  await commit('a');
  const holder = { sync: 'a', host: 'here', pid: 41, since: '2026-01-31T12:00:00.000Z', token: 'theirs', beat: '0' };
  await writeFile(join(root, 'a', 'lock'), JSON.stringify({ ...holder, start: 'other boot/41', kernel: null }));
  const [job] = (await look({ startOf: async () => ({ start: 'boot/42' }) })).jobs;
  expect(job?.holder).toBe('process 41 on here, since 2026-01-31T12:00:00.000Z');
  expect(job?.isHolderRunning).toBeUndefined();
});
