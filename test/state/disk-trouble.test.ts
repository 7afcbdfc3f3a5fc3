import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiskError } from '../../src/state/errors.ts';
import type { Disk } from '../../src/state/file/disk.ts';
import type { Batch, Lease, Store } from '../../src/state/port.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import { commitAll, contentOf, historyLine, openTrial, runRecord } from '../support/state.ts';

const numbered = (n: number): Batch => ({
  links: { put: new Map([[`c${n}`, { agreed: 'x'.repeat(300) }]]), delete: [`c${n - 3}`] },
  ledger: n % 2 === 0 ? { put: new Map([[`e${n}`, { n }]]) } : {},
  facts: { put: new Map([['n', n]]) },
});

describe('S1: a disk that refuses', () => {
  test.each([
    { code: 'ENOSPC', says: /the disk is full/ },
    { code: 'EROFS', says: /read-only/ },
    { code: 'EACCES', says: /not allowed/ },
    { code: 'EIO', says: /Check the disk/ },
  ])('$code at any operation loses no commit, and the refused batch can be tried again', async ({ code, says }) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 90 }), fc.boolean(), async (offset, lasting) => {
        const disk = createMemoryDisk(offset);
        const { store, warnings } = openTrial('/state', { disk, foldFloorBytes: 1_500 });
        const reload = () => openTrial('/state', { disk }).store.sync('s').load();
        const lease = await store.sync('s').acquireLease();
        await lease.load();
        disk.planFault({ operation: disk.operations + offset, effect: { code, lasting } });
        let acknowledged = 0;
        const refusals: unknown[] = [];
        const found: unknown[] = [];
        for (let n = 1; n <= 8; n += 1) {
          const refused = await lease.commit(numbered(n)).then(
            () => undefined,
            (error: unknown) => error,
          );
          if (refused === undefined) acknowledged = n;
          else {
            refusals.push(refused);
            found.push([acknowledged, (await reload()).facts.get('n') ?? 0]);
            disk.planFault({ operation: 0, effect: { code } });
            n = acknowledged;
          }
        }
        for (const error of refusals) expect(error).toBeInstanceOf(DiskError);
        for (const error of refusals) expect(String(error)).toMatch(says);
        // A failed call has failed; only a disk that refuses to the end can leave it open.
        const stepMax = lasting ? 1 : 0;
        for (const each of found) expect(each).toSatisfy(([n, m]: [number, number]) => m === n || m === n + stepMax);
        await lease[Symbol.asyncDispose]();
        const fresh = openTrial('/other', { disk: createMemoryDisk(0) }).store;
        const expected = await commitAll(
          fresh,
          's',
          Array.from({ length: 8 }, (_, index) => numbered(index + 1)),
        );
        const after = await reload();
        expect(contentOf(after)).toEqual(contentOf(expected));
        expect(after.notices).toEqual([]);
        for (const { message } of warnings) expect(message).toMatch(says);
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    { damage: ['base.json'], it: 'base.json is' },
    { damage: ['outbox.json', 'outbox.log'], it: 'the outbox is' },
    { damage: ['base.json', 'base.previous.json', 'base.log', 'base.previous.log'], it: 'all of the base is' },
  ])('a refused batch does not come back when $it damaged later', async ({ damage }) => {
    const refusedBatch: Batch = {
      ledger: { put: new Map([['refused', { n: 0 }]]), delete: ['e2'] },
      outbox: { put: new Map([['refused', {}]]) },
    };
    let refusals = 0;
    for (const lasting of [true, false]) {
      for (let offset = 1; offset <= 30; offset += 1) {
        const disk = createMemoryDisk(offset);
        const { store } = openTrial('/state', { disk, foldFloorBytes: 1_500 });
        const lease = await store.sync('s').acquireLease();
        await lease.load();
        for (const n of [1, 2, 3]) await lease.commit(numbered(n));
        // While the last fold is in progress, the fault may affect it.
        await lease.load();
        disk.planFault({ operation: disk.operations + offset, effect: { code: 'EIO', lasting } });
        const isRefused = await lease.commit(refusedBatch).then(
          () => false,
          () => true,
        );
        disk.planFault({ operation: 0, effect: { code: 'EIO' } });
        if (!isRefused) break;
        refusals += 1;
        await lease.commit(numbered(4));
        await lease.commit(numbered(5));
        const { ledger } = await lease.load();
        await lease[Symbol.asyncDispose]();
        for (const name of damage) disk.put(`/state/s/${name}`, Buffer.from('garbage'));
        const found = await openTrial('/state', { disk }).store.sync('s').load();
        expect([...ledger.keys()]).toEqual(['e2', 'e4']);
        expect(found.ledger).toEqual(ledger);
        expect(found.facts.get('n') ?? 'missing').toBe(damage.length === 4 ? 'missing' : 5);
      }
    }
    expect(refusals).toBeGreaterThanOrEqual(6);
  });

  test('W2: rows of an earlier run are not taken for those of one that could not note its own', async () => {
    let refusals = 0;
    for (let offset = 1; offset <= 6; offset += 1) {
      const disk = createMemoryDisk(offset);
      const { store, warnings } = openTrial('/state', { disk });
      await using lease = await store.sync('s').acquireLease();
      await lease.noteRows(new Map([[2, 'c1']]));
      disk.planFault({ operation: disk.operations + offset, effect: { code: 'ENOSPC' } });
      const next = new Map([[2, 'c2']]);
      await lease.noteRows(next);
      disk.planFault({ operation: 0, effect: { code: 'ENOSPC' } });
      if (warnings.length > 0) refusals += 1;
      const read = await openTrial('/state', { disk }).store.sync('s').readRows();
      expect([offset, read]).toEqual([offset, warnings.length > 0 ? undefined : next]);
    }
    expect(refusals).toBeGreaterThanOrEqual(3);
  });

  test('a failed request or line of history can be given again', async () => {
    for (let offset = 1; offset <= 12; offset += 1) {
      const disk = createMemoryDisk(offset);
      const { store } = openTrial('/state', { disk });
      const lease = await store.sync('s').acquireLease();
      await lease.appendHistory([historyLine('2026-01-31T08:00:00.000Z')]);
      disk.planFault({ operation: disk.operations + offset, effect: { code: 'ENOSPC' } });
      const asked = await store
        .sync('s')
        .addRequest({ command: 'retry' })
        .then(
          () => 1,
          () => 0,
        );
      const written = await lease.appendHistory([historyLine('2026-01-31T09:00:00.000Z')]).then(
        () => 1,
        () => 0,
      );
      disk.planFault({ operation: 0, effect: { code: 'ENOSPC' } });
      if (asked === 0) await store.sync('s').addRequest({ command: 'retry' });
      if (written === 0) await lease.appendHistory([historyLine('2026-01-31T09:00:00.000Z')]);
      expect((await lease.load()).requests.size).toBeGreaterThanOrEqual(1);
      const lines = await Array.fromAsync(store.history({}));
      expect(new Set(lines.map(({ time }) => time)).size).toBe(2);
    }
  });
});

describe('S1: disks that differ from others', () => {
  /** All that a job writes. */
  async function writeAll(disk: Disk): Promise<void> {
    const { store } = openTrial('/state', { disk, foldFloorBytes: 1_500 });
    await store.sync('s').addRequest({ command: 'retry', note: 'y'.repeat(300) });
    await using lease = await store.sync('s').acquireLease();
    await lease.load();
    for (const n of [1, 2, 3, 4, 5, 6]) await lease.commit(numbered(n));
    await lease.appendHistory([historyLine('2026-01-31T08:00:00.000Z'), historyLine('2026-01-31T09:00:00.000Z')]);
    await lease.appendRun(runRecord('r1', '2026-01-31T08:00:00.000Z', { note: 'z'.repeat(300) }));
    await lease.noteRows(new Map([[2, 'c'.repeat(300)]]));
  }

  async function readAll(disk: Disk) {
    const { store, warnings } = openTrial('/state', { disk });
    const { notices, ...state } = await store.sync('s').load();
    const { requests, ...content } = contentOf({ ...state, notices });
    const history = await Array.fromAsync(store.history({}));
    const runs = await store.sync('s').readRuns({ limit: 9 });
    const rows = await store.sync('s').readRows();
    return { content, requests: Object.values(requests), history, runs, rows, notices, warnings };
  }

  test('one that writes a part of what it is given is given the rest', async () => {
    const [whole, partial] = [createMemoryDisk(1), createMemoryDisk(1)];
    await writeAll(whole);
    const expected = await readAll(whole);
    await writeAll({
      ...partial,
      async open(...args) {
        const file = await partial.open(...args);
        return {
          ...file,
          write: (buffer, offset, length, position) => file.write(buffer, offset, Math.min(length, 100), position),
        };
      },
    });
    expect(await readAll(partial)).toEqual(expected);
    expect(expected).toMatchObject({ content: { facts: { n: 6 } }, notices: [], warnings: [] });
    expect(expected.history).toHaveLength(2);
  });

  test.each([
    { when: 'opened', code: 'EPERM', isRefused: false },
    { when: 'opened', code: 'EISDIR', isRefused: false },
    { when: 'opened', code: 'EMFILE', isRefused: true },
    { when: 'synced', code: 'EINVAL', isRefused: false },
    { when: 'synced', code: 'EPERM', isRefused: false },
    { when: 'synced', code: 'ENOTSUP', isRefused: false },
    { when: 'synced', code: 'EIO', isRefused: true },
  ])(
    'where a folder cannot be $when ($code), what is written is refused: $isRefused',
    async ({ when, code, isRefused }) => {
      const memory = createMemoryDisk(1);
      const fail = (path: string) => Promise.reject(Object.assign(new Error(code), { code, path }));
      const disk: Disk = {
        ...memory,
        async open(path, flags, mode) {
          const isFolder = flags === 'r' && !memory.files().has(path);
          if (isFolder && when === 'opened') return fail(path);
          const file = await memory.open(path, flags, mode);
          return isFolder ? { ...file, sync: () => fail(path) } : file;
        },
      };
      const outcome = await writeAll(disk).catch((error: unknown) => error);
      expect(outcome instanceof DiskError).toBe(isRefused);
      const { facts } = (await readAll(memory)).content;
      expect('n' in facts && facts['n'] === 6).toBe(!isRefused);
    },
  );

  test('the names of the folders of a job are durable before anything in them is confirmed', async () => {
    const works: readonly ((store: Store, lease: () => Promise<Lease>) => Promise<unknown>)[] = [
      (store) => store.sync('s').addRequest({ command: 'retry' }),
      async (_store, lease) => (await lease()).appendHistory([historyLine('2026-01-31T08:00:00.000Z')]),
      async (_store, lease) => (await lease()).appendRun(runRecord('r1', '2026-01-31T08:00:00.000Z')),
      async (_store, lease) => (await lease()).commit(numbered(1)),
    ];
    for (const work of works) {
      const memory = createMemoryDisk(1);
      const made = new Set<string>();
      const unsynced = new Set<string>();
      const disk: Disk = {
        ...memory,
        async mkdir(path, options) {
          for (let each = path; each !== '/' && !made.has(each); each = dirname(each)) {
            made.add(each);
            unsynced.add(each);
          }
          return memory.mkdir(path, options);
        },
        async open(path, flags, mode) {
          const file = await memory.open(path, flags, mode);
          const sync = async () => {
            await file.sync();
            for (const each of unsynced) if (dirname(each) === path) unsynced.delete(each);
          };
          return { ...file, sync };
        },
      };
      const { store } = openTrial('/state', { disk });
      await work(store, async () => {
        const lease = await store.sync('s').acquireLease();
        await lease.load();
        return lease;
      });
      expect(made.has('/state/s')).toBe(true);
      // The folder of the whole state is not one of a job.
      expect([...unsynced].filter((each) => each !== '/state')).toEqual([]);
    }
  });
});

describe('on the real disk', () => {
  let root = '';
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'disk-'));
  });
  afterEach(async () => {
    await chmod(join(root, 's'), 0o700).catch(() => {});
    await rm(root, { recursive: true });
  });

  test('DESIGN "State on disk": only the owner can read the files', async () => {
    const { store } = openTrial(join(root, 'state'), { foldFloorBytes: 0 });
    {
      await using lease = await store.sync('s').acquireLease();
      await lease.load();
      for (const n of [1, 2, 3, 4]) await lease.commit(numbered(n));
      await lease.appendHistory([historyLine('2026-01-31T08:00:00.000Z')]);
      await store.sync('s').addRequest({ command: 'retry' });
      expect((await stat(join(root, 'state', 's', 'lock'))).mode & 0o777).toBe(0o600);
    }
    const entries = await readdir(join(root, 'state'), { recursive: true, withFileTypes: true });
    const modes = await Promise.all(
      entries.map(async (entry) => {
        const { mode } = await stat(join(entry.parentPath, entry.name));
        return `${entry.isDirectory() ? 'folder' : 'file'} ${(mode & 0o777).toString(8)}`;
      }),
    );
    expect(new Set(modes)).toEqual(new Set(['folder 700', 'file 600']));
    expect(entries.length).toBeGreaterThan(10);
  });

  test.each<[string, (store: Store) => Promise<void>]>([
    ['the heartbeat', (store) => store.writeHeartbeat({ state: 'running' })],
    ['the logins', (store) => store.changeLogins(() => ({ sessions: [] }))],
  ])('DESIGN "State on disk": only the owner can read %s, and the folder that is made for it', async (_, write) => {
    const folder = join(root, 'new', 'state');
    await write(openTrial(folder).store);
    const [name = '', ...more] = await readdir(folder);
    expect(more).toEqual([]);
    const modes = [await stat(folder), await stat(join(folder, name))].map(({ mode }) => (mode & 0o777).toString(8));
    expect(modes).toEqual(['700', '600']);
  });

  test('W9: an idle run changes no file', async () => {
    const { store } = openTrial(root);
    await commitAll(store, 's', [numbered(1), numbered(2)]);
    const folder = join(root, 's');
    const look = async () =>
      Promise.all(
        // The name that counts the leases changes with each.
        (await readdir(folder))
          .filter((name) => !name.startsWith('lock.epoch-'))
          .map(async (name) => {
            const { ino, mtimeMs, size } = await stat(join(folder, name));
            return { name, ino, mtimeMs, size };
          }),
      );
    const before = await look();
    const idle: Batch[] = [
      {},
      { links: { put: new Map(), delete: ['unheard of'] }, facts: {}, doneRequests: [] },
      { links: { put: new Map([['c2', { agreed: 'x'.repeat(300) }]]) }, facts: { put: new Map([['n', 2]]) } },
    ];
    await commitAll(store, 's', idle);
    await commitAll(openTrial(root).store, 's', idle);
    expect(await look()).toEqual(before);
  });

  test.each(['base.json', 'base.log', 'outbox.json', 'lock', 'requests/x.json'])(
    'a folder in the place of %s is named, and nothing is lost',
    async (name) => {
      const { store } = openTrial(root);
      await store.sync('s').addRequest({ command: 'retry' });
      await commitAll(store, 's', [numbered(2)]);
      const path = join(root, 's', name);
      const saved = await readFile(path).catch(() => undefined);
      await rm(path, { force: true });
      await mkdir(path);
      const trying = commitAll(openTrial(root).store, 's', [numbered(4)]);
      await expect(trying).rejects.toThrow(DiskError);
      await expect(trying).rejects.toThrow(/a folder where a file should be/);
      await rm(path, { recursive: true });
      if (saved) await writeFile(path, saved);
      const state = await commitAll(openTrial(root).store, 's', [numbered(4)]);
      expect([...state.links.keys()]).toEqual(['c2', 'c4']);
    },
  );

  test('W7: a lease given back during a commit finishes it, folding included, before the lock is removed', async () => {
    const { store, warnings } = openTrial(root);
    const lease = await store.sync('s').acquireLease();
    await lease.load();
    const commit = lease.commit(numbered(2));
    await lease[Symbol.asyncDispose]();
    await commit;
    expect(await readdir(join(root, 's'))).toEqual([
      'base.json',
      'base.log',
      'base.previous.log',
      'lock.epoch-1',
      'outbox.json',
      'outbox.log',
      'outbox.previous.log',
    ]);
    const { facts } = await openTrial(root).store.sync('s').load();
    expect([facts.get('n'), warnings]).toEqual([2, []]);
  });

  test('a batch is a line of readable JSON, and the document has one record a line', async () => {
    const { store } = openTrial(root);
    await commitAll(store, 's', [numbered(1)]);
    await commitAll(store, 's', [numbered(2)]);
    const [, line] = (await readFile(join(root, 's', 'base.log'), 'utf8')).trimEnd().split('\n');
    expect(JSON.parse(line ?? '')).toMatchObject({ seq: 2, put: { facts: { n: 2 } }, checksum: expect.any(String) });
    const document = await readFile(join(root, 's', 'base.json'), 'utf8');
    expect(JSON.parse(document)).toMatchObject({ schema: 2, sync: 's', generation: 1, links: { c1: {} } });
    expect(document.split('\n')).toContainEqual(expect.stringMatching(/^"c1":\{"agreed"/));
  });
});
