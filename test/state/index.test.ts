import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HistoryPageQuery, Store } from '../../src/state/port.ts';
import { createHistoryIndex } from '../../src/state/file/history-index.ts';
import { createIndexConnection } from '../../src/state/file/index-connection.ts';
import { countingDisk } from '../support/counting-disk.ts';
import { historyLine, openTrial } from '../support/state.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 31, 12);

/** A state on the real disk, and how much of the history was read from end to end: the lines of a page are read by their places. */
async function createTrial() {
  const root = await mkdtemp(join(tmpdir(), 'index-'));
  onTestFinished(() => rm(root, { recursive: true }));
  let now = start;
  let bytesRead = 0;
  /** Where a byte of the next read of the history is wrong. */
  let wrongAt: number | undefined;
  const disk = countingDisk((path, read, content) => {
    if (!path.includes('history')) return;
    bytesRead += read;
    if (wrongAt === undefined || wrongAt >= read) return;
    content[wrongAt]! ^= 1;
    wrongAt = undefined;
  });
  const open = () => openTrial(root, { disk, hasIndex: true, now: () => now });
  const { store, warnings } = open();
  /** A thousand lines of ten contacts. */
  const append = async (count = 1_000, sync = 'prospects') => {
    await using lease = await store.sync(sync).acquireLease();
    const lines = Array.from({ length: count }, (_, index) =>
      historyLine(new Date(now + index).toISOString(), { sync, contact: `c${index % 10}`, run: `r-${now}`, index }),
    );
    await lease.appendHistory(lines);
  };
  const index = join(root, '.index.sqlite');
  /** The page, and how many bytes of the history were read for it. */
  const page = async (query: HistoryPageQuery, from: Store = store) => {
    bytesRead = 0;
    const { lines } = await from.historyPage(query);
    return { count: lines.length, newest: lines[0]?.['index'], bytes: bytesRead };
  };
  const ofC3 = { contact: 'c3', limit: 10, newestFirst: true } as const;
  const day = (time = now) => join(root, 'prospects', 'history', `${new Date(time).toISOString().slice(0, 10)}.ndjson`);
  const readWrongly = (at: number) => (wrongAt = at);
  return {
    root,
    store,
    warnings,
    open,
    append,
    page,
    ofC3,
    index,
    day,
    readWrongly,
    pass: (ms: number) => (now += ms),
  };
}

describe('the index over the history', () => {
  test('once it is up to date, a page reads its own lines and no others', async () => {
    const { append, page, ofC3, store, warnings, index } = await createTrial();
    await append();
    await store.keepIndex();
    const { bytes, ...found } = await page(ofC3);
    expect(found).toEqual({ count: 10, newest: 993 });
    expect(bytes).toBeLessThan(10 * 250);
    expect((await stat(index)).mode & 0o777).toBe(0o600);
    expect(warnings).toEqual([]);
  });

  test('a reader indexes what was appended since, and nothing twice', async () => {
    const { append, page, ofC3, open, pass } = await createTrial();
    await append();
    expect(await page(ofC3)).toMatchObject({ count: 10, newest: 993 });
    pass(5_000);
    await append(10);
    const { bytes, ...found } = await page(ofC3, open().store);
    expect(found).toEqual({ count: 10, newest: 3 });
    expect(bytes).toBeLessThan(20 * 250);
    expect((await page(ofC3)).bytes).toBeLessThan(10 * 250);
  });

  test.each<[string, (trial: Awaited<ReturnType<typeof createTrial>>) => Promise<void>, number]>([
    [
      'was deleted',
      async ({ index }) =>
        void (await Promise.all(['', '-wal', '-shm'].map((end) => rm(index + end, { force: true })))),
      0,
    ],
    ['is garbage', async ({ index }) => writeFile(index, 'garbage '.repeat(1_000)), 1],
    ['is cut short', async ({ index }) => truncate(index, 5_000), 1],
    ['is of another version', async ({ index }) => changeIndex(index, 'PRAGMA user_version = 99'), 0],
    [
      'is of another program',
      async ({ index }) => {
        await Promise.all(['', '-wal', '-shm'].map((end) => rm(index + end, { force: true })));
        changeIndex(index, 'CREATE TABLE files (other TEXT)');
      },
      0,
    ],
  ])('it %s: it is made anew, and no answer is wrong meanwhile', async (_, harm, damages) => {
    const trial = await createTrial();
    await trial.append();
    await trial.store.keepIndex();
    await harm(trial);
    const { store, warnings } = trial.open();
    expect(await trial.page(trial.ofC3, store)).toMatchObject({ count: 10, newest: 993 });
    await store.keepIndex();
    const { bytes, ...found } = await trial.page(trial.ofC3, store);
    expect(found).toEqual({ count: 10, newest: 993 });
    expect(bytes).toBeLessThan(10 * 250);
    expect(warnings.length).toBeLessThanOrEqual(damages);
  });

  test.each<[string, (trial: Awaited<ReturnType<typeof createTrial>>) => Promise<unknown>]>([
    ['a folder stands in its place', ({ index }) => mkdir(index)],
    ['a link stands in its place', ({ index, root }) => symlink(join(root, 'elsewhere'), index)],
  ])('%s: the files are read, and it is said once', async (_, harm) => {
    const trial = await createTrial();
    await trial.append();
    await harm(trial);
    for (let time = 0; time < 3; time += 1) {
      expect(await trial.page(trial.ofC3)).toMatchObject({ count: 10, newest: 993 });
      await trial.store.keepIndex();
    }
    expect(trial.warnings).toMatchObject([
      { kind: 'unfinished', message: expect.stringMatching(/cannot be used: .*Delete it/) },
    ]);
    expect(await readdir(trial.root)).not.toContain('elsewhere');
  });

  test('history files that were pruned, cut short or replaced leave nothing behind', async () => {
    const { append, page, day, pass, store } = await createTrial();
    const everything = { limit: 99_999 } as const;
    for (let time = 0; time < 4; time += 1) {
      await append(100);
      pass(dayMs);
    }
    expect(await page(everything)).toMatchObject({ count: 400 });
    const [first, second, third, fourth] = [4, 3, 2, 1].map((ago) => day(start + (4 - ago) * dayMs));
    await unlink(first!);
    expect(await page(everything)).toMatchObject({ count: 300 });
    // An older file is checked when its lines are read.
    const { size } = await stat(second!);
    await truncate(second!, size / 2);
    expect(await page(everything)).toMatchObject({ count: 250 });
    const text = await readFile(third!, 'utf8');
    await writeFile(third!, text.replaceAll('"c3"', '"c9"'));
    expect(await page({ ...everything, contact: 'c3' })).toMatchObject({ count: 5 + 10 });
    expect(await page({ ...everything, contact: 'c3' })).toMatchObject({ count: 5 + 10 });
    // The newest file is compared with what was indexed.
    await rm(fourth!);
    await writeFile(
      fourth!,
      `${JSON.stringify(historyLine('2026-02-03T12:00:00.000Z', { contact: 'c3', index: 7 }))}\n`,
    );
    expect(await page({ ...everything, contact: 'c3', newestFirst: true })).toMatchObject({ count: 5 + 1, newest: 7 });
    await rm(join(day(), '..', '..'), { recursive: true });
    await store.keepIndex();
    expect(await page(everything)).toMatchObject({ count: 0 });
  });

  test('L12: lines that were appended after the last look are on a page, however many days passed since', async () => {
    const { append, page, open, pass } = await createTrial();
    const everything = { limit: 99_999 } as const;
    await append(100);
    expect(await page(everything, open().store)).toMatchObject({ count: 100 });
    for (const ms of [3_600_000, dayMs, dayMs, dayMs]) {
      pass(ms);
      await append(100);
    }
    expect(await page(everything, open().store)).toMatchObject({ count: 500 });
  });

  test('L12: an index that was cut short within an older day goes on there', async () => {
    const { root, index, append, page, open, pass } = await createTrial();
    for (let day = 0; day < 4; day += 1) {
      await append(2_500);
      pass(dayMs);
    }
    const connection = createIndexConnection(index, { warn: () => {} });
    const history = createHistoryIndex(root, { disk: countingDisk(() => {}), now: () => start, warn() {} }, connection);
    const end = new AbortController();
    // After the first thousand lines of the first day.
    const options = { isAll: true, signal: end.signal, onProgress: () => end.abort() };
    await history.keep([join(root, 'prospects')], options);
    expect(countsIn(index)).toEqual({ files: 1, lines: 1_000 });
    expect(await page({ limit: 99_999 }, open().store)).toMatchObject({ count: 10_000 });
    await open().store.keepIndex();
    expect(await page({ limit: 99_999 }, open().store)).toMatchObject({ count: 10_000 });
    expect((await page({ contact: 'c3', limit: 10 }, open().store)).bytes).toBeLessThan(10 * 250);
  });

  test('L12: lines that are appended after a clock was set back by days are on a page', async () => {
    const { append, page, pass } = await createTrial();
    const everything = { limit: 99_999 } as const;
    for (const ms of [3 * dayMs, dayMs, -4 * dayMs, 3_600_000, 3_600_000]) {
      pass(ms);
      await append(100);
      await page(everything);
    }
    expect(await page(everything)).toMatchObject({ count: 500 });
  });

  test('keepIndex of a folder that cannot be read ends quietly, and a page says why', async () => {
    const { root } = await createTrial();
    const file = join(root, 'file');
    await writeFile(file, 'no folder');
    const { store } = openTrial(file);
    await store.keepIndex();
    await expect(store.historyPage({ limit: 1 })).rejects.toMatchObject({ name: 'DiskError' });
  });

  test('half a line at the end is indexed once it is whole', async () => {
    const { append, page, day, store } = await createTrial();
    await append(10);
    const text = await readFile(day(), 'utf8');
    await writeFile(day(), text.slice(0, -20));
    await store.keepIndex();
    expect(await page({ limit: 99 })).toMatchObject({ count: 9 });
    await writeFile(day(), text);
    expect(await page({ limit: 99 })).toMatchObject({ count: 10 });
  });

  test('S10: a read that is wrong once, while lines are indexed, takes no line from the pages', async () => {
    const { append, page, store, day, readWrongly, warnings } = await createTrial();
    await append(10);
    const lineBytes = (await stat(day())).size / 10;
    // In a value, and in the end of a line, by which two lines are one.
    for (const [place, at] of [lineBytes * 3 + 30, lineBytes * 4 - 1].entries()) {
      readWrongly(at);
      await store.keepIndex();
      expect(await page({ limit: 99 })).toMatchObject({ count: (place + 1) * 10 });
      await append(10);
    }
    expect(warnings).toEqual([]);
  });

  test('S10: a line of which a bit changed is on no page, and is named by who indexes it', async () => {
    const { append, page, store, day, warnings } = await createTrial();
    await append(10);
    const damage = async (line: number) => {
      const bytes = await readFile(day());
      bytes[(bytes.length / 10) * line + 30]! ^= 1;
      await writeFile(day(), bytes);
    };
    await damage(3);
    await store.keepIndex();
    expect(await page({ limit: 99 })).toMatchObject({ count: 9 });
    expect(warnings).toMatchObject([{ kind: 'torn', file: day(), message: expect.stringContaining('is left out') }]);
    // Of one that was indexed as well: its file is indexed again.
    await damage(5);
    expect(await page({ limit: 99 })).toMatchObject({ count: 8 });
    expect(new Set(warnings.map(({ message }) => message)).size).toBe(2);
  });

  test('two readers and a writer at once: each page has what was written before it', async () => {
    const { append, open, pass } = await createTrial();
    await append();
    const readers = [open(), open(), open()];
    for (let round = 1; round <= 5; round += 1) {
      pass(10_000);
      await append(300);
      const pages = await Promise.all(readers.map(({ store }) => store.historyPage({ limit: 99_999 })));
      for (const { lines } of pages) expect(lines).toHaveLength(1_000 + round * 300);
    }
    expect(readers.flatMap(({ warnings }) => warnings)).toEqual([]);
  });

  test('readers that index the same lines at once: no page is short of those that another one has yet to index', async () => {
    const { append, open } = await createTrial();
    await append(5_000);
    const pages = await Promise.all([1, 2, 3, 4].map(() => open().store.historyPage({ limit: 99_999 })));
    expect(pages.map(({ lines }) => lines.length)).toEqual([5_000, 5_000, 5_000, 5_000]);
  });

  test('another process writes and indexes meanwhile', async () => {
    const { root, store, warnings, append } = await createTrial();
    await append(2_000);
    const child = fork(new URL('support/write-history.ts', import.meta.url), [root, 'other', '8', '200']);
    const ended = once(child, 'exit');
    let most = 0;
    while (child.exitCode === null) {
      const { lines } = await store.historyPage({ limit: 99_999, sync: 'other' });
      expect(lines.length).toBeGreaterThanOrEqual(most);
      // A reader may see a part of what is being appended, and never half a line or one line twice.
      expect(new Set(lines.map(({ time }) => time)).size).toBe(lines.length);
      most = lines.length;
    }
    expect(await ended).toEqual([0, null]);
    expect((await store.historyPage({ limit: 99_999, sync: 'other' })).lines).toHaveLength(1_600);
    expect((await store.historyPage({ limit: 99_999 })).lines).toHaveLength(3_600);
    expect(warnings).toEqual([]);
  });

  test('keepIndex of some jobs indexes these, and drops nothing of others', async () => {
    const { append, store, page } = await createTrial();
    for (const sync of ['prospects', 'other', 'third']) await append(1_000, sync);
    await store.keepIndex({ jobs: ['other'] });
    await store.keepIndex({ jobs: ['third'] });
    const bytesOf = async (sync: string) => (await page({ sync, contact: 'c3', limit: 10, newestFirst: true })).bytes;
    for (const sync of ['other', 'third']) expect(await bytesOf(sync)).toBeLessThan(10 * 250);
    expect(await bytesOf('prospects')).toBeGreaterThan(1_000 * 50);
  });

  test('keepIndex leaves nothing of the history of a sync whose folder is gone', async () => {
    const { append, store, root, index } = await createTrial();
    for (const sync of ['prospects', 'other']) await append(10, sync);
    await store.keepIndex();
    await rm(join(root, 'prospects'), { recursive: true });
    // Of some jobs alone says nothing of the others.
    await store.keepIndex({ jobs: ['other'] });
    expect(countsIn(index)).toEqual({ files: 2, lines: 20 });
    await store.keepIndex();
    expect(countsIn(index)).toEqual({ files: 1, lines: 10 });
  });

  test('the share that is done goes up to one, of what is new alone', async () => {
    const { append, root, index, store, pass } = await createTrial();
    await append(3_000);
    await store.keepIndex();
    pass(10_000);
    await append(4_000);
    const shares: number[] = [];
    const disk = countingDisk(() => {});
    const history = createHistoryIndex(
      root,
      { disk, now: () => start, warn() {} },
      createIndexConnection(index, { warn: () => {} }),
    );
    await history.keep([join(root, 'prospects')], { isAll: true, onProgress: (share) => void shares.push(share) });
    expect(shares).toHaveLength(4);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares[0]).toBeCloseTo(1 / 4, 2);
    expect(shares.at(-1)).toBe(1);
  });

  test('keepIndex ends when it is told to', async () => {
    const { append, store, page, ofC3 } = await createTrial();
    await append(5_000);
    const controller = new AbortController();
    controller.abort();
    await store.keepIndex({ signal: controller.signal });
    await store.keepIndex();
    const { bytes } = await page(ofC3);
    expect(bytes).toBeLessThan(10 * 250);
  });
});

function countsIn(path: string) {
  const db = new DatabaseSync(path, { readOnly: true });
  const [files, lines] = ['files', 'lines'].map(
    (table) => db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'],
  );
  db.close();
  return { files, lines };
}

function changeIndex(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}
