// What a state keeps in memory, repairs and says, and what its index answers alone.
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import * as nodeDisk from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Batch, JsonObject, Notice, Terms } from '../../src/state/port.ts';
import { createIndexConnection } from '../../src/state/file/index-connection.ts';
import { openIndexDatabase } from '../../src/state/file/index-database.ts';
import { createPlaces } from '../../src/state/file/reading.ts';
import { currentSchema } from '../../src/state/file/schema.ts';
import { sealHeader, sealLine } from '../../src/state/file/log.ts';
import { createRunsIndex } from '../../src/state/file/runs-index.ts';
import { createStateIndex } from '../../src/state/file/state-index.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import { noKernelLocks } from '../support/memory-kernel.ts';
import { commitAll, openTrial, runRecord, trialTerms } from '../support/state.ts';

const fact = (n: number): Batch => ({ facts: { put: new Map([['n', n]]) } });
const links = (...names: readonly string[]): Batch => ({
  links: { put: new Map(names.map((name, index): [string, JsonObject] => [`u-${index}`, { agreed: name }])) },
});

describe('a state in memory', () => {
  function createTrial(dep: Parameters<typeof openTrial>[1] = {}) {
    const disk = createMemoryDisk(1);
    const open = (more: Parameters<typeof openTrial>[1] = {}) => openTrial('/state', { disk, ...dep, ...more });
    const { store, warnings } = open();
    const readsOf = async <Value>(work: () => Promise<Value>) => {
      const { reads } = disk;
      const value = await work();
      return { value, reads: disk.reads - reads };
    };
    const text = (file: string) => disk.files().get(`/state/s/${file}`)?.toString() ?? '';
    const requestFiles = () => [...disk.files().keys()].filter((path) => path.includes('/requests/'));
    return { disk, open, store, warnings, readsOf, text, requestFiles };
  }

  test('W18: there is no glance at a state without a batch, and there is one at the first', async () => {
    const { store } = createTrial();
    await using lease = await store.sync('s').acquireLease();
    await lease.load();
    expect(await lease.glance([])).toBeUndefined();
    await lease.commit(fact(1));
    expect((await lease.glance([]))?.facts.get('n')).toBe(1);
  });

  test('what a run or a reader has loaded is not read again while the files are the same', async () => {
    const { open, store, readsOf } = createTrial();
    await commitAll(store, 's', [links('ann')]);
    for (let time = 0; time < 3; time += 1) expect((await readsOf(() => store.sync('s').load())).reads).toBe(0);
    await commitAll(open().store, 's', [fact(2)]);
    const { value, reads } = await readsOf(() => store.sync('s').load());
    expect([value.facts.get('n'), reads > 0]).toEqual([2, true]);
    expect((await readsOf(() => store.sync('s').load())).reads).toBe(0);
  });

  test('W18: a look that is answered from the files or from memory says whether it is exact, and counts from memory alone', async () => {
    const { open, store } = createTrial();
    await commitAll(store, 's', [links('ann lee', 'bob')]);
    const fresh = () => open({ keptRecordsMax: -1 }).store.sync('s');
    const looked = async (of: ReturnType<typeof fresh>, wanted: Parameters<typeof of.loadSome>[0]) => {
      const some = await of.loadSome(wanted);
      return { isExact: some.isExact, counts: [...some.counts], kinds: some.notices.map(({ kind }) => kind) };
    };
    expect(await looked(fresh(), { keys: ['u-0'] })).toEqual({ isExact: true, counts: [], kinds: [] });
    expect(await looked(fresh(), { terms: ['ann'], words: ['ann'] })).toEqual({
      isExact: false,
      counts: [],
      kinds: [],
    });
    expect(await looked(fresh(), { counted: ['l'] })).toEqual({ isExact: true, counts: [['l', 1]], kinds: [] });
    expect(await looked(store.sync('s'), { terms: ['ann'], words: ['ann'] })).toMatchObject({ isExact: true });
    expect(await looked(open().store.sync('none'), { keys: ['u-0'] })).toEqual({
      isExact: true,
      counts: [],
      kinds: ['absent'],
    });
    expect((await fresh().loadSome({ keys: ['u-1'] })).links.get('u-1')).toEqual({ agreed: 'bob' });
  });

  test('E1: a request that was done and whose file stayed is removed by the next load, and forgotten by the next batch', async () => {
    const { disk, open, store, warnings, text, requestFiles } = createTrial();
    const id = await store.sync('s').addRequest({ command: 'retry' });
    const refusing: typeof disk.unlink = async (path) => {
      if (path.includes('/requests/')) throw Object.assign(new Error('EIO: no'), { code: 'EIO' });
      return disk.unlink(path);
    };
    const other = openTrial('/state', { disk: { ...disk, unlink: refusing } });
    {
      await using lease = await other.store.sync('s').acquireLease();
      await lease.load();
      await lease.commit({ ...fact(1), doneRequests: [id] });
    }
    expect(other.warnings).toMatchObject([
      { kind: 'unfinished', file: '/state/s', message: expect.stringContaining('could not be removed yet') },
    ]);
    expect(requestFiles()).toHaveLength(1);
    expect((await open().store.sync('s').load()).requests.size).toBe(0);
    expect(requestFiles()).toHaveLength(1);
    await commitAll(open().store, 's', [fact(2)]);
    expect(requestFiles()).toEqual([]);
    expect(text('base.log').trimEnd().split('\n').at(-1)).toContain(`"delete":{"consumed":["${id}"]}`);
    await commitAll(open().store, 's', [fact(3)]);
    expect(text('base.log').trimEnd().split('\n').at(-1)).toContain('"delete":{}');
    expect(warnings).toEqual([]);
  });

  test('what a batch has forgotten of done requests is not forgotten again by the batches after it', async () => {
    const { store, text } = createTrial();
    const id = await store.sync('s').addRequest({ command: 'retry' });
    await commitAll(store, 's', [{ ...fact(1), doneRequests: [id] }, fact(2), fact(3)]);
    // The first one is in the document.
    const batches = text('base.log').trimEnd().split('\n').slice(1);
    expect(batches.map((batch) => /"delete":\{[^}]*\}/.exec(batch)?.[0])).toEqual([
      `"delete":{"consumed":["${id}"]}`,
      '"delete":{}',
    ]);
  });

  test('a damaged file is told by every load of a reader, from memory too, and once by that of a run, which repairs it', async () => {
    const { disk, open, readsOf } = createTrial({ foldFloorBytes: 1 });
    await commitAll(open().store, 's', [links('ann')]);
    disk.put('/state/s/base.json', Buffer.from('damaged'));
    const reader = open().store.sync('s');
    const damage = [{ kind: 'damaged', file: '/state/s/base.json' }];
    expect((await reader.load()).notices).toMatchObject(damage);
    const again = await readsOf(() => reader.load());
    expect(again.value.notices).toMatchObject(damage);
    expect(again.reads).toBe(0);
    await using lease = await open().store.sync('s').acquireLease();
    expect((await lease.load()).notices).toMatchObject(damage);
    expect((await lease.load()).notices).toEqual([]);
  });

  test('S1: after a fold that failed at any of its operations, a batch that was saved is there after a kill, and so is all before', async () => {
    const put = (n: number): Batch => ({ ...fact(n), ledger: { put: new Map([[`u-${n}`, { state: 'sent' }]]) } });
    const commitWith = async (failing: number, isDone: boolean) => {
      const { disk, open } = createTrial();
      await commitAll(open().store, 's', [put(1)]);
      const { store, warnings } = open({ foldFloorBytes: 1 });
      const lease = await store.sync('s').acquireLease();
      await lease.load();
      await lease.commit(put(2));
      const operation = disk.operations + failing;
      disk.planFault({ operation, effect: { code: 'EIO', ...(isDone && { isDone }) } });
      // The folds are behind the commit. A reader waits for them, and has what is in memory.
      await store.sync('s').load();
      if (disk.operations < operation) return false;
      await lease.commit({ facts: { put: new Map([['m', 1]]) } });
      // Killed before the next try of the fold.
      disk.turnOff();
      disk.restart('kill');
      const { facts, ledger } = await open().store.sync('s').load();
      expect({ failing, facts: [...facts], ledger: [...ledger.keys()] }).toEqual({
        failing,
        facts: [
          ['n', 2],
          ['m', 1],
        ],
        ledger: ['u-1', 'u-2'],
      });
      expect(warnings.length).toBeLessThanOrEqual(1);
      return true;
    };
    for (const isDone of [false, true]) {
      let failing = 1;
      while (await commitWith(failing, isDone)) failing += 1;
      expect(failing).toBeGreaterThan(10);
    }
  });

  test('a damaged request is told by every load, and moved aside by that of a run', async () => {
    const { disk, open, store, requestFiles } = createTrial();
    await commitAll(store, 's', [fact(1)]);
    await store.sync('s').addRequest({ command: 'retry' });
    const [file = ''] = requestFiles();
    disk.put(file, Buffer.from('damaged'));
    const read = await open().store.sync('s').load();
    expect(read.notices).toMatchObject([{ kind: 'damaged', file }]);
    expect(read.notices[0]?.setAside).toBeUndefined();
    expect(requestFiles()).toEqual([file]);
    await using lease = await open().store.sync('s').acquireLease();
    expect(await lease.glance([])).toBeUndefined();
    expect((await lease.load()).notices).toMatchObject([{ kind: 'damaged', file, setAside: `${file}.damaged` }]);
    expect(requestFiles()).toEqual([`${file}.damaged`]);
    expect((await lease.load()).notices).toEqual([]);
  });

  test('a log that could not be folded is told, and folded after the next batch', async () => {
    const { disk, open, text } = createTrial();
    let isFull = true;
    const { store, warnings } = open({
      foldFloorBytes: 1,
      disk: {
        ...disk,
        async open(path, ...asked) {
          if (isFull && path.includes('base.json')) throw Object.assign(new Error('ENOSPC: no'), { code: 'ENOSPC' });
          return disk.open(path, ...asked);
        },
      },
    });
    const lease = await store.sync('s').acquireLease();
    await lease.load();
    await lease.commit(fact(1));
    await lease.load();
    expect(warnings).toMatchObject([
      { kind: 'unfinished', file: '/state/s', message: expect.stringContaining('could not be folded') },
    ]);
    isFull = false;
    expect(text('base.json')).toBe('');
    await lease.commit(fact(2));
    await lease[Symbol.asyncDispose]();
    expect(text('base.json')).toContain('"n":2');
    expect(warnings).toHaveLength(1);
  });

  test('a lease whose lock could not be removed says so, and a second disposal does nothing', async () => {
    const { disk, store, warnings } = createTrial();
    const lease = await store.sync('s').acquireLease();
    disk.planFault({ operation: disk.operations + 1, effect: { code: 'EIO' } });
    await lease[Symbol.asyncDispose]();
    expect(warnings).toMatchObject([
      { kind: 'unfinished', message: expect.stringContaining('lock could not be removed') },
    ]);
    const { operations } = disk;
    await lease[Symbol.asyncDispose]();
    expect(disk.operations).toBe(operations);
  });

  test('H1: a base that lacks one batch of the outbox is taken before that batch is added', async () => {
    for (const kernelLocks of [noKernelLocks, undefined]) {
      const { disk, store, text } = createTrial(kernelLocks && { kernelLocks });
      await disk.mkdir('/state/s', { recursive: true, mode: 0o700 });
      const header = sealHeader({ schema: currentSchema.version, sync: 's', generation: 0, seq: 0 });
      const sent = { put: { ledger: { a: { state: 'sent' } } }, delete: {} };
      const line = sealLine({ ...sent, generation: 0, after: 0, seq: 1 });
      disk.put('/state/s/base.log', header);
      disk.put('/state/s/outbox.log', Buffer.concat([header, line]));
      const before = (await disk.stat('/state/s/base.log')).ino;
      await using lease = await store.sync('s').acquireLease();
      const loaded = await lease.load();
      expect([loaded.ledger.get('a'), loaded.notices]).toEqual([{ state: 'sent' }, []]);
      expect(text('base.log')).toBe(Buffer.concat([header, line]).toString());
      const isTaken = (await disk.stat('/state/s/base.log')).ino !== before;
      expect(isTaken).toBe(kernelLocks !== undefined);
    }
  });
});

describe('W18: the index alone', () => {
  async function createTrial() {
    const root = await mkdtemp(join(tmpdir(), 'index-alone-'));
    const warnings: Notice[] = [];
    onTestFinished(() => rm(root, { recursive: true }));
    const path = join(root, '.index.sqlite');
    const create = (terms: Terms = trialTerms) =>
      createStateIndex(terms, createIndexConnection(path, { warn: (notice) => void warnings.push(notice) }));
    const places = (job: string) =>
      createPlaces({ disk: nodeDisk, folder: join(root, job), sync: job, schema: currentSchema });
    const commit = async (job: string, ...batches: readonly Batch[]) =>
      commitAll(openTrial(root, { disk: nodeDisk }).store, job, batches);
    const indexed = () => {
      const db = openIndexDatabase(path);
      const rows = db.prepare('SELECT folder, stamps FROM states ORDER BY folder').all();
      db.close();
      return rows.map(({ folder }) => String(folder));
    };
    return { root, create, index: create(), places, commit, indexed, warnings };
  }

  test('a look has exactly what is wanted, and a job without a state is left to its files', async () => {
    const { index, places, commit, warnings } = await createTrial();
    await commit('a', links('ann', 'bob'), fact(1));
    const found = await index.look(places('a'), { keys: ['u-1'], counted: ['a', 'x'] });
    expect([...found!.tables.links]).toEqual([['u-1', { agreed: 'bob' }]]);
    expect(found!.counts).toEqual(
      new Map([
        ['a', 3],
        ['x', 0],
      ]),
    );
    expect(found!.tables.facts).toEqual(new Map([['n', 1]]));
    expect(await index.look(places('none'), { keys: ['u-1'] })).toBeUndefined();
    expect(await index.look(places('none'), { keys: ['u-1'] })).toBeUndefined();
    await commit('none', fact(1));
    expect((await index.look(places('none'), { keys: ['u-1'] }))?.tables.facts.get('n')).toBe(1);
    expect(warnings).toEqual([]);
  });

  test('a question that is repeated has the same answer as an object, until the job changes', async () => {
    const { index, places, commit } = await createTrial();
    await commit('a', links('ann'));
    await commit('b', links('ann'));
    const counted = () => index.look(places('a'), { counted: ['ann'] });
    const first = await counted();
    expect(await counted()).toBe(first);
    expect(await index.look(places('a'), { counted: ['ann'], terms: ['ann'] })).not.toBe(first);
    expect(await index.look(places('b'), { counted: ['ann'] })).not.toBe(first);
    // Those that name records are read each time; the tables that each look has whole are the same.
    const byKey = await index.look(places('a'), { keys: ['u-0'] });
    const again = await index.look(places('a'), { keys: ['u-0'] });
    expect(again).toEqual(byKey);
    expect(again).not.toBe(byKey);
    expect(again?.tables.facts).toBe(byKey?.tables.facts);
    const byTerm = await index.look(places('a'), { terms: ['ann'] });
    expect(await index.look(places('a'), { terms: ['ann'] })).not.toBe(byTerm);
    await commit('a', links('ann', 'anna'));
    const next = await counted();
    expect([first?.counts.get('ann'), next?.counts.get('ann')]).toEqual([1, 2]);
    expect(await counted()).toBe(next);
  });

  test('single values alone are read from an index that is up to date, and from the files otherwise', async () => {
    const { index, places, commit } = await createTrial();
    await commit('a', fact(1));
    expect(await index.look(places('a'), {})).toBeUndefined();
    await index.keep([places('a')], { isAll: true });
    expect((await index.look(places('a'), {}))?.tables.facts.get('n')).toBe(1);
    await commit('a', fact(2));
    expect(await index.look(places('a'), {})).toBeUndefined();
  });

  test('of several jobs each that has a state is there by its folder', async () => {
    const { index, places, commit } = await createTrial();
    await commit('a', links('ann'));
    await commit('b', links('bob'));
    const all = ['a', 'none', 'b'].map((job) => places(job));
    for (let time = 0; time < 2; time += 1) {
      const found = await index.lookAtAll(all, { keys: ['u-0'] });
      expect([...found!.keys()]).toEqual(['a', 'b']);
      expect(found!.get('b')?.tables.links).toEqual(new Map([['u-0', { agreed: 'bob' }]]));
    }
    expect(await index.lookAtAll([], { keys: ['u-0'] })).toEqual(new Map());
    const first = await index.lookAtAll(all, { counted: ['ann'] });
    const again = await index.lookAtAll(all, { counted: ['ann'] });
    for (const job of ['a', 'b']) expect(again?.get(job)).toBe(first?.get(job));
  });

  test('the jobs that may have a record are those that have it, and those that are not indexed', async () => {
    const { index, places, commit } = await createTrial();
    await commit('a', links('ann'));
    await commit('b', links('bob'));
    const all = ['a', 'none', 'b'].map((job) => places(job));
    expect(await index.mayHave(all, { terms: ['bob'] })).toEqual(new Set(['none', 'b']));
    expect(await index.mayHave(all, { keys: ['u-0'] })).toEqual(new Set(['none', 'a', 'b']));
    expect(await index.mayHave([places('a')], { terms: ['bob'] })).toEqual(new Set());
  });

  test('what is known of jobs that are not named is dropped if all are named, and only then', async () => {
    const { index, places, commit, indexed } = await createTrial();
    for (const job of ['a', 'b']) await commit(job, links('ann'));
    await index.keep([places('a')], { isAll: false });
    await index.keep([places('b')], { isAll: false });
    expect(indexed()).toEqual(['a', 'b']);
    await index.keep([places('b')], { isAll: true });
    expect(indexed()).toEqual(['b']);
    await index.keep([places('a')], { isAll: false, signal: AbortSignal.abort() });
    expect(indexed()).toEqual(['b']);
    expect((await index.look(places('a'), { keys: ['u-0'] }))?.tables.links.size).toBe(1);
  });

  test('while all is kept up to date, a question makes nothing anew beside it', async () => {
    const { index, places, commit } = await createTrial();
    for (const job of ['a', 'b']) await commit(job, links('ann'));
    const keeping = index.keep([places('a')], { isAll: true });
    expect(await index.look(places('b'), { keys: ['u-0'] })).toBeUndefined();
    await keeping;
    expect(await index.look(places('b'), { keys: ['u-0'] })).toBeDefined();
  });

  test('other terms make all records be found anew', async () => {
    const { create, places, commit } = await createTrial();
    await commit('a', links('ann', 'bob'));
    const countIn = async (index: ReturnType<typeof create>) => [
      ...(await index.look(places('a'), { counted: ['ann', 'own'] }))!.counts.values(),
    ];
    expect(await countIn(create())).toEqual([1, 0]);
    const other: Terms = { ...trialTerms, version: 'other', of: () => ['own'] };
    expect(await countIn(create(other))).toEqual([0, 2]);
    // A version that begins with the same text is another one.
    expect(await countIn(create({ ...other, version: 'other2', of: () => [] }))).toEqual([0, 0]);
    expect(await countIn(create())).toEqual([1, 0]);
  });

  test.each([999, 1_000, 1_001, 2_500])('%i records are written in slices, and all are there', async (count) => {
    const { index, places, commit } = await createTrial();
    const names = Array.from({ length: count }, () => 'ann');
    await commit('a', links(...names));
    await index.keep([places('a')], { isAll: true });
    const found = await index.look(places('a'), { counted: ['ann'], keys: ['u-0', `u-${count - 1}`] });
    expect([found?.counts.get('ann'), found?.tables.links.size]).toEqual([count, 2]);
    await commit('a', { links: { delete: names.map((_, place) => `u-${place}`).slice(1) } });
    expect((await index.look(places('a'), { counted: ['ann'] }))?.counts.get('ann')).toBe(1);
  });

  test.each<[string, (places: ReturnType<typeof createPlaces>) => Promise<void>, Notice['kind'][]]>([
    ['half a batch at the end of its log', async ({ base }) => appendFile(base.log, '{"half'), ['torn']],
    [
      'a batch that only its outbox has',
      async ({ outbox }) => {
        const sent = { put: { ledger: { 'u-0 a': { state: 'sent' } } }, delete: {} };
        const header = sealHeader({ schema: currentSchema.version, sync: 'a', generation: 0, seq: 0 });
        await writeFile(outbox.log, Buffer.concat([header, sealLine({ ...sent, generation: 0, after: 0, seq: 2 })]));
      },
      [],
    ],
  ])('a job with %s is left to its files, until a run has repaired it', async (_, change, kinds) => {
    const { root, index, places, commit, warnings } = await createTrial();
    await commit('a', links('ann'));
    await change(places('a'));
    expect(await index.look(places('a'), { keys: ['u-0'] })).toBeUndefined();
    expect(await index.look(places('a'), { keys: ['u-0'] })).toBeUndefined();
    const { notices } = await openTrial(root, { disk: nodeDisk }).store.sync('a').load();
    expect(notices.map(({ kind }) => kind)).toEqual(kinds);
    await commit('a', fact(1));
    expect((await index.look(places('a'), { keys: ['u-0'] }))?.tables.facts.get('n')).toBe(1);
    expect(warnings).toEqual([]);
  });

  test('of a job that was removed and made anew nothing of the old one is answered', async () => {
    const { root, index, places, commit } = await createTrial();
    await commit('a', links('ann'), fact(1));
    expect((await index.look(places('a'), { keys: ['u-0'] }))?.tables.facts.get('n')).toBe(1);
    await rm(join(root, 'a'), { recursive: true });
    await index.keep([], { isAll: true });
    await commit('a', links('bob'), fact(2));
    const found = await index.look(places('a'), { keys: ['u-0'] });
    expect([found?.tables.facts.get('n'), found?.tables.links.get('u-0')]).toEqual([2, { agreed: 'bob' }]);
  });

  test.each(['this process', 'another process'])(
    'nor how many it had, where %s has indexed the new one',
    async (which) => {
      const { root, index, create, places, commit } = await createTrial();
      const other = which === 'this process' ? index : create();
      const count = async () => (await index.look(places('a'), { counted: ['ann'] }))?.counts.get('ann');
      await commit('a', links('ann'));
      expect(await count()).toBe(1);
      await rm(join(root, 'a'), { recursive: true });
      await other.keep([], { isAll: true });
      await commit('a', links('ann', 'ann'));
      await other.keep([places('a')], { isAll: true });
      expect(await count()).toBe(2);
    },
  );

  test('after damage nothing of before is answered: neither records nor the runs of a job', async () => {
    const { root, places, commit } = await createTrial();
    const connection = createIndexConnection(join(root, '.index.sqlite'), { warn: () => undefined });
    const index = createStateIndex(trialTerms, connection);
    const runs = createRunsIndex(root, { disk: nodeDisk, warn: () => undefined }, connection);
    const store = openTrial(root, { disk: nodeDisk }).store;
    const count = async () => (await index.look(places('a'), { counted: ['ann'] }))?.counts.get('ann');
    const listed = async () => (await runs.runs({ folders: ['a'] }))?.map(({ id }) => id);
    await commit('a', links('ann'));
    {
      await using lease = await store.sync('a').acquireLease();
      await lease.appendRun(runRecord('first', '2026-01-31T11:00:00.000Z'));
    }
    // Names are settled once the clock of the disk has moved on.
    await vi.waitFor(
      async () => {
        await runs.keep(['a']);
        expect(await listed()).toEqual(['first']);
      },
      { timeout: 100_000 },
    );
    expect(await count()).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await runs.keep(['a']);
    await connection.attempt(async () => {
      throw Object.assign(new Error('malformed'), { errcode: 11 });
    });
    await commit('a', links('ann', 'ann'));
    expect(await listed()).toEqual(['first']);
    expect(await count()).toBe(2);
  });

  test('S2: a state of another job is left to its files, which refuse it', async () => {
    const { root, index, places, commit, warnings } = await createTrial();
    await commit('a', links('ann'));
    await index.keep([places('a')], { isAll: true });
    const text = await readFile(join(root, 'a', 'base.log'), 'utf8');
    const header = sealHeader({ schema: currentSchema.version, sync: 'other', generation: 0, seq: 0 });
    await writeFile(join(root, 'a', 'base.log'), header);
    expect(await index.look(places('a'), { keys: ['u-0'] })).toBeUndefined();
    expect(warnings).toEqual([]);
    await writeFile(join(root, 'a', 'base.log'), text);
    expect((await index.look(places('a'), { keys: ['u-0'] }))?.tables.links.size).toBe(1);
  });

  test('facts that were put and deleted since are followed, and so are records of each kind', async () => {
    const { index, places, commit } = await createTrial();
    await commit('a', links('ann', 'bob'), fact(1));
    await index.keep([places('a')], { isAll: true });
    await commit(
      'a',
      { facts: { put: new Map([['m', 2]]), delete: ['n'] }, links: { delete: ['u-0'] } },
      { strays: { put: new Map([['s', { x: 1 }]]) }, ledger: { put: new Map([['u-1 a', { state: 'sent' }]]) } },
    );
    const found = await index.look(places('a'), { keys: ['u-0', 'u-1'] });
    expect([...found!.tables.facts]).toEqual([['m', 2]]);
    expect([...found!.tables.links.keys()]).toEqual(['u-1']);
    expect([...found!.tables.strays.keys()]).toEqual(['s']);
    expect([...found!.tables.ledger.keys()]).toEqual(['u-1 a']);
  });
});
