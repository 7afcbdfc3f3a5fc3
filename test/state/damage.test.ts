import { cpSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Batch, LoadedState, Store } from '../../src/state/port.ts';
import { createRandom } from '../../src/standin/service/random.ts';
import type { FileDriverDep } from '../../src/state/file/dep.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import { promptDisk } from '../support/prompt-disk.ts';
import { commitAll, contentOf, createMachine, openTrial } from '../support/state.ts';

/*
 * A state on the real disk with all eight files: it was folded twice and has batches in its logs.
 * Each of the files is then cut, flipped and deleted in turn, on a copy.
 */
const foldFloorBytes = 3_000;
const open = (folder: string, dep: Partial<FileDriverDep> = {}) =>
  openTrial(folder, { disk: promptDisk, hasIndex: true, ...dep });
let root = '';
let whole: ReturnType<typeof contentOf>;
/** Every confirmed state: after any damage the state must be one of them. */
const acknowledged: ReturnType<typeof contentOf>[] = [];

const links = (from: number, count: number): Batch => ({
  links: {
    put: new Map(
      Array.from({ length: count }, (_, i) => [`c${from + i}`, { agreed: `["Ada ${from}","é ${'x'.repeat(40)}"]` }]),
    ),
  },
});
const enrolled = (id: string): Batch => ({
  ledger: { put: new Map([[id, { outcome: 'enrolled' }]]) },
  outbox: { put: new Map([[id, { op: 'enrol', note: 'y'.repeat(700) }]]) },
  facts: { put: new Map([['last', id]]) },
});

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'damage-'));
  const { store } = open(join(root, 'state'), { foldFloorBytes });
  acknowledged.push(contentOf(await store.sync('s').load()));
  const batches = Array.from({ length: 12 }, (_, i) => (i % 3 === 2 ? enrolled(`e${i}`) : links(i * 5, 12)));
  for (const batch of [...batches, enrolled('e-last'), links(3, 2)]) {
    acknowledged.push(contentOf(await commitAll(store, 's', [batch])));
  }
  [whole] = acknowledged.slice(-1) as [typeof whole];
});

afterAll(() => rm(root, { recursive: true }));

const files = [
  'base.json',
  'base.log',
  'base.previous.json',
  'base.previous.log',
  'outbox.json',
  'outbox.log',
  'outbox.previous.json',
  'outbox.previous.log',
];

/** Loads a damaged copy as a reader, then as a writer, then once more after the writer has repaired it. */
async function loadDamaged(damage: (folder: string) => Promise<void>) {
  const copy = join(root, 'copy');
  rmSync(copy, { recursive: true, force: true });
  cpSync(join(root, 'state'), copy, { recursive: true });
  await damage(join(copy, 's'));
  const read = await open(copy, { foldFloorBytes }).store.sync('s').load();
  const mended = await commitAll(open(copy, { foldFloorBytes }).store, 's', []);
  // A short batch: the rest of a longer torn one must not show behind it.
  await commitAll(open(copy).store, 's', [{ ledger: { put: new Map([['after', {}]]) } }]);
  const after = await open(copy).store.sync('s').load();
  expect(contentOf(mended)).toEqual(contentOf(read));
  const moved = mended.notices.flatMap(({ setAside }) => (setAside === undefined ? [] : [basename(setAside)]));
  expect(await readdir(join(copy, 's'))).toEqual(expect.arrayContaining(moved));
  expect(after.ledger.size).toBe(read.ledger.size + 1);
  expect(after.notices).toEqual([]);
  return { read, content: contentOf(read), names: await readdir(join(copy, 's')) };
}

type Loaded = Awaited<ReturnType<typeof loadDamaged>>;

/** S1 for one damaged file: a confirmed state, the ledger whole; a notice names anything missing. */
function isHonest({ read, content }: Loaded): boolean {
  const { ledger, outbox } = whole;
  // The ledger may be newer than the rest, never older.
  const wasAcknowledged = acknowledged.some((each) => isDeepStrictEqual(content, { ...each, ledger, outbox }));
  const said = read.notices.some(({ kind }) => kind === 'behind' || kind === 'torn');
  return wasAcknowledged && (said || isDeepStrictEqual(content, whole));
}

describe('S1: one damaged file', () => {
  test('the state has every file before the damage, and loads without a notice', async () => {
    expect(await readdir(join(root, 'state', 's'))).toEqual(expect.arrayContaining(files));
    const { read, content } = await loadDamaged(async () => {});
    expect(content).toEqual(whole);
    expect(read.notices).toEqual([]);
  });

  test.each(files)('%s cut at every 512th byte', async (name) => {
    const { length } = await readFile(join(root, 'state', 's', name));
    for (let bytes = 0; bytes < length; bytes += 512) {
      const loaded = await loadDamaged((folder) => truncate(join(folder, name), bytes));
      expect(loaded).toSatisfy(isHonest);
    }
  });

  test.each(files)('%s with a bit flipped, in twenty places', async (name) => {
    const good = await readFile(join(root, 'state', 's', name));
    const random = createRandom(7);
    for (let round = 0; round < 20; round += 1) {
      const bad = Buffer.from(good);
      const at = random.integer(0, bad.length - 1);
      bad[at] = (bad[at] ?? 0) ^ (1 << random.integer(0, 7));
      const loaded = await loadDamaged((folder) => writeFile(join(folder, name), bad));
      expect(loaded).toSatisfy(isHonest);
    }
  });

  test.each(files)('%s deleted', async (name) => {
    expect(await loadDamaged((folder) => rm(join(folder, name)))).toSatisfy(isHonest);
  });

  test.each(files)('%s emptied', async (name) => {
    expect(await loadDamaged((folder) => truncate(join(folder, name), 0))).toSatisfy(isHonest);
  });

  test('a damaged base.json loses nothing: the previous one and both logs give the same state', async () => {
    const { read, content, names } = await loadDamaged((folder) => truncate(join(folder, 'base.json'), 900));
    expect(content).toEqual(whole);
    expect(read.notices).toMatchObject([{ kind: 'damaged', message: expect.stringMatching(/nothing is missing/) }]);
    expect(names.filter((name) => name.startsWith('base.json.damaged-'))).toEqual([
      'base.json.damaged-2026-01-31T12-00-00.000Z',
    ]);
  });
});

describe('S1: before there is a previous generation', () => {
  test.each(['base.json', 'outbox.json'])('a damaged %s loses nothing: the logs give the whole state', async (name) => {
    const young = join(root, `young-${name}`);
    const state = await commitAll(open(young).store, 's', [enrolled('e1'), links(1, 3)]);
    await writeFile(join(young, 's', name), 'garbage');
    const found = await open(young).store.sync('s').load();
    expect(contentOf(found)).toEqual(contentOf(state));
    expect(found.notices.map(({ kind }) => kind)).toEqual(['damaged']);
    const mended = await commitAll(open(young).store, 's', []);
    expect(contentOf(mended)).toEqual(contentOf(state));
  });
});

describe('S1: a lost base', () => {
  const baseFiles = files.filter((name) => name.startsWith('base'));

  test('I9, E3: the ledger is whole, the rest is matched anew, and a notice says so', async () => {
    const { read, content } = await loadDamaged(async (folder) => {
      for (const name of baseFiles) await rm(join(folder, name));
    });
    expect(content).toEqual({
      ...acknowledged[0],
      ledger: whole.ledger,
      outbox: whole.outbox,
    });
    expect(read.notices.map(({ kind }) => kind)).toEqual(['behind']);
  });

  test('all files garbled: named, moved aside, and the ledger is whole', async () => {
    const { content, names } = await loadDamaged(async (folder) => {
      for (const name of baseFiles) await writeFile(join(folder, name), 'garbage\n\n{}');
    });
    expect(content.ledger).toEqual(whole.ledger);
    expect(names.filter((name) => name.includes('.damaged-')).length).toBe(3);
  });

  test('a log damaged in its middle is used up to there, named and moved aside', async () => {
    const log = await readFile(join(root, 'state', 's', 'base.log'));
    const { read, names } = await loadDamaged((folder) => writeFile(join(folder, 'base.log'), log.fill('?', 120, 125)));
    expect(read.notices.map(({ kind }) => kind)).toContain('behind');
    expect(names.filter((name) => name.startsWith('base.log.damaged-')).length).toBe(1);
  });

  test('S3: an older base put back under newer logs is used, and the logs that do not continue it are not', async () => {
    const older = await readFile(join(root, 'state', 's', 'base.previous.json'));
    const { read, content } = await loadDamaged(async (folder) => {
      await writeFile(join(folder, 'base.json'), older);
      await rm(join(folder, 'base.previous.log'));
    });
    expect(content.ledger).toEqual(whole.ledger);
    expect(content.links).not.toEqual(whole.links);
    expect(read.notices.map(({ kind }) => kind)).toContain('behind');
  });
});

describe('S3, S1: what a loss says', () => {
  /** A state whose logs are damaged before their ends. */
  async function lossy() {
    const disk = createMemoryDisk(1);
    let pid = 0;
    const machine = createMachine();
    /** Another process, the one before it having ended. */
    const openNext = () => {
      pid += 1;
      machine.startByPid.clear();
      machine.startByPid.set(pid, `boot/${pid}`);
      return openTrial('/state', { disk, machine, pid }).store;
    };
    await commitAll(openNext(), 's', [links(0, 3), enrolled('e1'), enrolled('e2'), links(3, 2)]);
    for (const name of ['base.log', 'outbox.log']) {
      const path = `/state/s/${name}`;
      disk.put(path, Buffer.from(disk.files().get(path)!.toString().replace('"e1"', '"E1"')));
    }
    return { disk, openNext };
  }
  const isLoss = ({ notices }: Pick<LoadedState, 'notices'>) => notices.some(({ kind }) => kind === 'behind');
  const loadUnderLease = async (store: Store) => {
    await using lease = await store.sync('s').acquireLease({ waitMs: 0 });
    return lease.load();
  };

  test('is said by each load until a commit, which may be without changes, and by no later one', async () => {
    const { openNext } = await lossy();
    for (let time = 0; time < 2; time += 1) {
      const store = openNext();
      for (let load = 0; load < 2; load += 1) expect(await loadUnderLease(store)).toSatisfy(isLoss);
      expect(await store.sync('s').loadSome({})).toSatisfy(isLoss);
      await using lease = await store.sync('s').acquireLease();
      expect(await lease.glance([])).toBeUndefined();
      expect(await openNext().sync('s').load()).toSatisfy(isLoss);
    }
    const store = openNext();
    await commitAll(store, 's', [{}]);
    for (const each of [store, openNext()]) {
      expect((await loadUnderLease(each)).notices).toEqual([]);
      expect((await each.sync('s').loadSome({})).notices).toEqual([]);
    }
  });

  test.each(['kill', 'power loss', 'ENOSPC'] as const)(
    'is not lost with a repair that ends at any operation: %s',
    async (end) => {
      for (let operation = 1; operation <= 60; operation += 1) {
        const { disk, openNext } = await lossy();
        disk.planFault({ operation: disk.operations + operation, effect: end === 'ENOSPC' ? { code: end } : 'off' });
        await loadUnderLease(openNext()).catch(() => {});
        if (end !== 'ENOSPC') disk.restart(end);
        // A fault that the repair did not come to meets the next load.
        const found = await loadUnderLease(openNext()).catch(() => loadUnderLease(openNext()));
        expect(found).toSatisfy(isLoss);
      }
    },
  );
});
