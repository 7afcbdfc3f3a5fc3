// The smaller files of a state: heartbeat, logins, rows, reports and the names in folders.
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LeaseLostError } from '../../src/state/errors.ts';
import type { Notice } from '../../src/state/port.ts';
import type { Fence } from '../../src/state/file/fence.ts';
import { createFolderNames, folderStamp, isSettledNow } from '../../src/state/file/folder-names.ts';
import { readHeartbeatFile, writeHeartbeatFile } from '../../src/state/file/heartbeat.ts';
import { readLoginsFile, writeLoginsFile } from '../../src/state/file/logins.ts';
import { createRows } from '../../src/state/file/rows.ts';
import { createRuns, idPart, instantPart, namedRun } from '../../src/state/file/runs.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import { openTrial, runRecord } from '../support/state.ts';

async function createDisk() {
  const disk = createMemoryDisk(1);
  await disk.mkdir('/s', { recursive: true, mode: 0o700 });
  return disk;
}

const lost = async () => {
  throw new LeaseLostError('/s/lock');
};
const fenceOf = (look: () => Promise<void> = async () => {}): Fence => ({
  isSole: false,
  draftOf: (file) => `${file}.own.tmp`,
  look,
});

describe.each([
  { what: 'the heartbeat', name: '.daemon.json', read: readHeartbeatFile, write: writeHeartbeatFile },
  { what: 'the logins', name: '.logins.json', read: readLoginsFile, write: writeLoginsFile },
])('$what', ({ name, read, write }) => {
  test.each(['', '{"a":', 'null', '"text"', '5', 'true', '[]', '[{"a":1}]'])(
    'a file of the text %j counts as none',
    async (text) => {
      const disk = await createDisk();
      disk.put(`/s/${name}`, Buffer.from(text));
      expect(await read(disk, '/s')).toBeUndefined();
    },
  );

  test('an object comes back, and replaces the one before; nothing else is left', async () => {
    const disk = await createDisk();
    expect(await read(disk, '/s')).toBeUndefined();
    expect(await read(disk, '/none')).toBeUndefined();
    await write(disk, '/s/new', { a: [1], b: null });
    expect(await read(disk, '/s/new')).toEqual({ a: [1], b: null });
    await write(disk, '/s/new', {});
    expect(await read(disk, '/s/new')).toEqual({});
    expect([...disk.files().keys()]).toEqual([`/s/new/${name}`]);
  });

  test('a disk that refuses is an error, and what was there stays', async () => {
    const disk = await createDisk();
    await write(disk, '/s', { a: 1 });
    disk.planFault({ operation: disk.operations + 3, effect: { code: 'ENOSPC' } });
    await expect(write(disk, '/s', { a: 2 })).rejects.toMatchObject({ name: 'DiskError' });
    expect(await read(disk, '/s')).toEqual({ a: 1 });
  });
});

test('logins are durable once they are written', async () => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const disk = createMemoryDisk(seed);
    await writeLoginsFile(disk, '/s', { a: 1 });
    await writeLoginsFile(disk, '/s', { a: 2 });
    disk.restart('power loss');
    expect(await readLoginsFile(disk, '/s')).toEqual({ a: 2 });
  }
});

test('logins that cannot be read are an error, and a heartbeat that cannot be read is none', async () => {
  const disk = await createDisk();
  disk.turnOff();
  await expect(readLoginsFile(disk, '/s')).rejects.toMatchObject({ name: 'DiskError' });
  expect(await readHeartbeatFile(disk, '/s')).toBeUndefined();
});

describe('the rows of a tab', () => {
  async function createTrial() {
    const disk = await createDisk();
    const warnings: Notice[] = [];
    const create = () => createRows('/s', { disk, warn: (notice) => void warnings.push(notice) });
    return { disk, warnings, create, rows: create() };
  }
  const some = new Map([
    [0, 'zero'],
    [2, 'two'],
    [5, 'five'],
  ]);

  test('are a list with gaps, in any order, and come back by their numbers', async () => {
    const { disk, create, rows } = await createTrial();
    await rows.note(new Map([...some].toReversed()), fenceOf());
    expect(String(disk.files().get('/s/rows.json'))).toBe('["zero",null,"two",null,null,"five"]');
    expect(await rows.read()).toEqual(some);
    expect(await create().read()).toEqual(some);
    await rows.note(new Map(), fenceOf());
    expect(await rows.read()).toEqual(new Map());
  });

  test('W9: the same rows again touch no file, of this process and of the next', async () => {
    const { disk, create, rows } = await createTrial();
    await rows.note(some, fenceOf());
    const { operations } = disk;
    await rows.note(some, fenceOf());
    await create().note(some, fenceOf());
    expect(disk.operations).toBe(operations);
    await rows.note(new Map([[1, 'one']]), fenceOf());
    expect(disk.operations).toBeGreaterThan(operations);
  });

  test('are read once, as long as the file is the same', async () => {
    const { disk, rows } = await createTrial();
    await rows.note(some, fenceOf());
    const first = await rows.read();
    const { reads } = disk;
    expect(await rows.read()).toBe(first);
    expect(disk.reads).toBe(reads);
    await rows.note(new Map([[1, 'one']]), fenceOf());
    expect(await rows.read()).toEqual(new Map([[1, 'one']]));
  });

  test.each(['{}', 'null', '"text"', '["cut'])('a file of the text %s has none', async (text) => {
    const { disk, rows } = await createTrial();
    disk.put('/s/rows.json', Buffer.from(text));
    expect(await rows.read()).toBeUndefined();
  });

  test('what is no text in the list is no row', async () => {
    const { disk, rows } = await createTrial();
    disk.put('/s/rows.json', Buffer.from('[1,"a",{},"b"]'));
    expect(await rows.read()).toEqual(
      new Map([
        [1, 'a'],
        [3, 'b'],
      ]),
    );
  });

  test('rows that cannot be noted are told, and those of an earlier run are gone', async () => {
    const { disk, warnings, rows } = await createTrial();
    await rows.note(some, fenceOf());
    disk.planFault({ operation: disk.operations + 2, effect: { code: 'ENOSPC' } });
    await rows.note(new Map([[1, 'one']]), fenceOf());
    expect(warnings).toMatchObject([
      { kind: 'unfinished', file: '/s/rows.json', message: expect.stringContaining('ENOSPC') },
    ]);
    expect(await rows.read()).toBeUndefined();
    await rows.note(some, fenceOf());
    expect(await rows.read()).toEqual(some);
  });

  test('H1: a holder that was taken over leaves the rows of its successor', async () => {
    const { warnings, create, rows } = await createTrial();
    await create().note(some, fenceOf());
    await rows.note(new Map([[1, 'one']]), fenceOf(lost));
    expect(await rows.read()).toEqual(some);
    expect(warnings).toHaveLength(1);
  });
});

describe('S6: the files of reports', () => {
  const at = (minute: number) => `2026-01-31T09:0${minute}:00.000Z`;

  async function createTrial({ runsMax = 9, runDays = 90 } = {}) {
    const disk = await createDisk();
    const warnings: Notice[] = [];
    const now = Date.parse(at(9));
    const dep = { disk, now: () => now, warn: (notice: Notice) => void warnings.push(notice), runsMax, runDays };
    const names = () =>
      [...disk.files().keys()]
        .filter((path) => path.startsWith('/s/runs/'))
        .map((path) => path.slice('/s/runs/'.length));
    return { disk, warnings, names, runs: createRuns('/s', dep) };
  }

  test('are counted from 1, and a report that is appended again keeps its place', async () => {
    const { names, runs } = await createTrial();
    for (const [run, minute] of [
      ['a', 3],
      ['b/ü', 1],
      ['a', 3],
      ['c', 2],
    ] as const) {
      await runs.append(runRecord(run, at(minute)), fenceOf());
    }
    expect(names().toSorted()).toEqual([
      '0000000001.2026-01-31T09-03-00-000Z.a.json',
      '0000000002.2026-01-31T09-01-00-000Z.b%2F%C3%BC.json',
      '0000000003.2026-01-31T09-02-00-000Z.c.json',
    ]);
    expect((await runs.read({ limit: 9 })).map(({ run }) => run)).toEqual(['c', 'b/ü', 'a']);
    expect(await runs.read({ limit: 0 })).toEqual([]);
    expect(await runs.read({ limit: 9, before: 'a' })).toEqual([]);
    expect(await runs.find('b/ü')).toEqual(runRecord('b/ü', at(1)));
    expect(await runs.find('b')).toBeUndefined();
  });

  test('have their parts in their names, and other names are none', () => {
    const name = '0000000017.2026-01-31T09-00-00-000Z.a.b.json';
    expect(namedRun(name)).toEqual({ name, place: 17, instant: '2026-01-31T09-00-00-000Z', id: 'a.b' });
    for (const other of ['draft.own.tmp', 'x1.i.r.json', '1.i.r.json.tmp', '1.i.json', '.i.r.json']) {
      expect(namedRun(other)).toBeUndefined();
    }
    expect([instantPart(at(3)), idPart('a b/c.d')]).toEqual(['2026-01-31T09-03-00-000Z', 'a%20b%2Fc.d']);
  });

  test('drafts of runs that were killed are removed, and nothing else that stands there', async () => {
    const { disk, names, runs } = await createTrial();
    await runs.append(runRecord('a', at(1)), fenceOf());
    for (const name of ['draft.other.tmp', 'notes.txt']) disk.put(`/s/runs/${name}`, Buffer.from('x'));
    await runs.append(runRecord('b', at(2)), fenceOf());
    expect(names().filter((name) => !name.endsWith('.json'))).toEqual(['notes.txt']);
  });

  test('H1: a holder that was taken over stores none', async () => {
    const { runs } = await createTrial();
    await expect(runs.append(runRecord('a', at(1)), fenceOf(lost))).rejects.toThrow(LeaseLostError);
    expect(await runs.read({ limit: 9 })).toEqual([]);
  });

  test('a report is durable, with its name', async () => {
    for (let seed = 1; seed <= 8; seed += 1) {
      const disk = createMemoryDisk(seed);
      const dep = { disk, now: () => Date.parse(at(9)), warn: () => {}, runsMax: 9, runDays: 90 };
      await createRuns('/s', dep).append(runRecord('a', at(1)), fenceOf());
      disk.restart('power loss');
      expect((await createRuns('/s', dep).read({ limit: 9 })).map(({ run }) => run)).toEqual(['a']);
    }
  });

  test('one that is damaged is told with its file, and one that is gone is not', async () => {
    const { disk, warnings, names, runs } = await createTrial();
    await runs.append(runRecord('a', at(1)), fenceOf());
    const [name = ''] = names();
    disk.put(`/s/runs/${name}`, Buffer.from('{}'));
    expect(await runs.find('a')).toBeUndefined();
    expect(warnings).toMatchObject([
      { kind: 'damaged', file: `/s/runs/${name}`, message: expect.stringContaining('delete the file') },
    ]);
  });

  test('a page of those that can be read says whether there are more', async () => {
    const disk = createMemoryDisk(1);
    const { store, warnings } = openTrial('/state', { disk });
    await using lease = await store.sync('s').acquireLease();
    for (const minute of [1, 2, 3]) await lease.appendRun(runRecord(`r${minute}`, at(minute)));
    const [, , path = ''] = [...disk.files().keys()].filter((each) => each.includes('/runs/')).toSorted();
    disk.put(path, Buffer.from('damaged'));
    const page = async (limit: number) => {
      const { runs, hasMore } = await store.runsPage({ jobs: ['s'], limit });
      return [runs.map(({ record }) => record.run), hasMore];
    };
    expect(await page(1)).toEqual([['r2'], true]);
    expect(await page(2)).toEqual([['r2', 'r1'], false]);
    expect(warnings.map(({ file }) => file)).toEqual([path, path]);
    expect([...(await store.lastRuns({ jobs: ['s', 'none'], limit: 1 }))]).toEqual([
      ['s', [{ run: 'r2', endedAt: at(2), status: 'succeeded' }]],
    ]);
  });
});

describe('the names in a folder that is asked for again and again', () => {
  const now = () => performance.timeOrigin + performance.now();

  test.each<[string, number, number, boolean]>([
    ['was seen for less than the grain of a disk, and changed just now', 2_499, 0, false],
    ['was seen for exactly the grain, and changed just now', 2_500, 0, false],
    ['was seen for longer than the grain', 2_501, 0, true],
    ['is seen for the first time, and changed a minute ago', 0, 60_000, false],
    ['is seen for the first time, and changed longer ago than a minute and the grain', 0, 65_000, true],
    ['is seen for the first time, and changes in what is the future here', 0, -3_600_000, false],
  ])('one that %s: sure to have no other name without another stamp: %s', (_, since, ago, isSettled) => {
    expect(isSettledNow(`12:${now() - ago}`, since)).toBe(isSettled);
  });

  test('are the same list until one comes or goes', async () => {
    const root = await mkdtemp(join(tmpdir(), 'names-'));
    onTestFinished(() => rm(root, { recursive: true }));
    const folder = join(root, 'f');
    const names = createFolderNames();
    expect([names(folder), folderStamp(folder)]).toEqual([[], '-']);
    await mkdir(folder);
    await writeFile(join(folder, 'a'), '');
    const first = names(folder);
    expect(first).toEqual(['a']);
    expect(folderStamp(folder)).toMatch(/^\d+:[\d.]+$/);
    expect(names(folder)).toBe(first);
    // As a disk that counts in coarse steps shows it: another name, and no other stamp.
    const recent = new Date();
    await utimes(folder, recent, recent);
    names(folder);
    await writeFile(join(folder, 'b'), '');
    await utimes(folder, recent, recent);
    expect(names(folder).toSorted()).toEqual(['a', 'b']);
    await rm(join(folder, 'a'));
    await rm(join(folder, 'b'));
    await writeFile(join(folder, 'c'), '');
    expect(names(folder)).toEqual(['c']);
  });

  test('are not read again where the folder was not changed for long', async () => {
    const root = await mkdtemp(join(tmpdir(), 'names-'));
    onTestFinished(() => rm(root, { recursive: true }));
    const long = new Date(Date.now() - 3_600_000);
    await writeFile(join(root, 'a'), '');
    await utimes(root, long, long);
    const names = createFolderNames();
    const first = names(root);
    await writeFile(join(root, 'b'), '');
    await utimes(root, long, long);
    expect(names(root)).toBe(first);
    await utimes(root, new Date(), new Date());
    expect(names(root).toSorted()).toEqual(['a', 'b']);
  });
});
