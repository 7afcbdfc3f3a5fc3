// The index over the states of jobs answers without the records in the files, and never with what was true before.
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Store, Wanted } from '../../src/state/port.ts';
import { countingDisk } from '../support/counting-disk.ts';
import { openTrial } from '../support/state.ts';

/** Two jobs on the real disk, of 500 records each, and how many bytes of their states were read. */
async function createTrial() {
  const root = await mkdtemp(join(tmpdir(), 'state-index-'));
  onTestFinished(() => rm(root, { recursive: true }));
  let bytes = 0;
  const disk = countingDisk((path, read) => {
    if (/base|outbox/.test(path)) bytes += read;
  });
  // People look in another process than the one that writes.
  const [writer, open] = [
    openTrial(root, { disk, hasIndex: false }).store,
    () => openTrial(root, { disk, hasIndex: true }).store,
  ];
  const commit = async (
    job: string,
    put: ReadonlyMap<string, { readonly agreed: string }>,
    facts?: ReadonlyMap<string, string>,
  ) => {
    await using lease = await writer.sync(job).acquireLease();
    await lease.load();
    await lease.commit({ links: { put }, ...(facts && { facts: { put: facts } }) });
  };
  const many = new Map(
    Array.from({ length: 500 }, (_, index) => [`u-${index}`, { agreed: index === 7 ? 'ann' : 'bob' }]),
  );
  for (const job of ['a', 'b']) await commit(job, many);
  /** What a question costs, in bytes of states. */
  const costOf = async <Answer>(ask: () => Promise<Answer>): Promise<{ answer: Answer; bytes: number }> => {
    bytes = 0;
    return { answer: await ask(), bytes };
  };
  return { root, open, commit, costOf };
}

const ann: Wanted = { terms: ['ann'] };
const counted: Wanted = { counted: ['ann'] };
const annsOf = async (store: Store, job = 'a') => [...(await store.sync(job).loadSome(ann)).links.keys()];
const countOf = async (store: Store, job = 'a') => (await store.sync(job).loadSome(counted)).counts.get('ann');

describe('W18: the index over the states', () => {
  test('once it is kept up to date, a look reads no record of the files', async () => {
    const { open, costOf } = await createTrial();
    const store = open();
    await store.keepIndex();
    expect(await costOf(() => annsOf(store))).toEqual({ answer: ['u-7'], bytes: 0 });
    expect(await costOf(() => countOf(open(), 'b'))).toEqual({ answer: 1, bytes: 0 });
  });

  test('a look makes it, so that the next one reads nothing', async () => {
    const { open, costOf } = await createTrial();
    const first = await costOf(() => countOf(open()));
    expect(first.answer).toBe(1);
    expect(first.bytes).toBeGreaterThan(10_000);
    expect(await costOf(() => countOf(open()))).toEqual({ answer: 1, bytes: 0 });
  });

  test('after a commit a look reads what was committed, and not the rest', async () => {
    const { open, commit, costOf } = await createTrial();
    const store = open();
    await store.keepIndex();
    await commit('a', new Map([['u-8', { agreed: 'ann' }]]));
    const { answer, bytes } = await costOf(() => annsOf(store));
    expect(answer.toSorted()).toEqual(['u-7', 'u-8']);
    expect(bytes).toBeLessThan(2_000);
  });

  test('the same question is answered anew after each commit', async () => {
    const { open, commit } = await createTrial();
    const store = open();
    await store.keepIndex();
    const counts = [await countOf(store)];
    for (const name of ['u-1', 'u-2', 'u-3']) {
      await commit('a', new Map([[name, { agreed: 'ann' }]]));
      counts.push(await countOf(store), await countOf(store, 'b'));
    }
    expect(counts).toEqual([1, 2, 1, 3, 1, 4, 1]);
  });

  test('a fact by which records are found changes: they are found by the new terms', async () => {
    const { open, commit } = await createTrial();
    const store = open();
    await store.keepIndex();
    await commit('a', new Map(), new Map([['prefix', 'x ']]));
    expect(await annsOf(store)).toEqual([]);
    expect([...(await store.sync('a').loadSome({ terms: ['x ann'] })).links.keys()]).toEqual(['u-7']);
  });

  test('a job whose log has half a batch is answered by its files, and a later commit by the index again', async () => {
    const { root, open, commit, costOf } = await createTrial();
    const store = open();
    await store.keepIndex();
    await appendFile(join(root, 'a', 'base.log'), '{"half');
    // The files are read instead, which may give more than is wanted.
    expect(await annsOf(store)).toContain('u-7');
    await commit('a', new Map([['u-8', { agreed: 'ann' }]]));
    await store.keepIndex();
    const { answer, bytes } = await costOf(() => annsOf(store));
    expect([answer.toSorted(), bytes]).toEqual([['u-7', 'u-8'], 0]);
  });

  test('a keeping that is aborted leaves jobs to the files', async () => {
    const { open, costOf } = await createTrial();
    const store = open();
    await store.keepIndex({ signal: AbortSignal.abort() });
    const { answer, bytes } = await costOf(() => annsOf(store));
    expect(answer).toContain('u-7');
    expect(bytes).toBeGreaterThan(10_000);
  });

  test('a job that is gone is found no more', async () => {
    const { root, open } = await createTrial();
    const store = open();
    await store.keepIndex();
    await rm(join(root, 'a'), { recursive: true });
    await store.keepIndex();
    expect(await store.mayHave(['b'], ann)).toEqual(['b']);
    expect(await annsOf(store)).toEqual([]);
  });

  test('jobs that have none of the records are left out of a question about many', async () => {
    const { open, commit } = await createTrial();
    const store = open();
    await commit('b', new Map([['u-7', { agreed: 'bob' }]]));
    await store.keepIndex();
    expect(await store.mayHave(['a', 'b'], ann)).toEqual(['a']);
    expect((await store.mayHave(['a', 'b'], { keys: ['u-3'] })).toSorted()).toEqual(['a', 'b']);
    expect(await store.mayHave(['a', 'b'], { keys: ['u-900'] })).toEqual([]);
  });
});
