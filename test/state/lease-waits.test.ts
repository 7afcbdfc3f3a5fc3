// How long a lease is waited for and lasts, what a look from outside says of it, and the index over the history alone.
import { appendFile, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import * as nodeDisk from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LeaseLostError, LeaseTakenError } from '../../src/state/errors.ts';
import type { HistoryPageQuery, Notice } from '../../src/state/port.ts';
import { lookAtFiles } from '../../src/state/file/health.ts';
import { createHistoryIndex } from '../../src/state/file/history-index.ts';
import { createIndexConnection } from '../../src/state/file/index-connection.ts';
import type { KernelLocks } from '../../src/state/file/kernel-lock.ts';
import { createLocks } from '../../src/state/file/lock.ts';
import type { Processes } from '../../src/state/file/processes.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import { historyLine } from '../support/state.ts';

interface TrialOptions {
  readonly kernel?: 'free' | 'taken' | 'none';
  readonly times?: { readonly pollMs?: number; readonly silentMs?: number; readonly settleMs?: number };
}

async function createTrial({ kernel = 'none', times = {} }: TrialOptions = {}) {
  const disk = createMemoryDisk(1);
  await disk.mkdir('/f', { recursive: true, mode: 0o700 });
  let tries = 0;
  let released = 0;
  let elapsed = 1_000;
  let renewing: (() => void) | undefined;
  const every: number[] = [];
  const kernelLocks: KernelLocks = {
    async tryTake() {
      tries += 1;
      if (kernel === 'none') return undefined;
      return kernel === 'taken' ? 'taken' : { id: 'kernel', release: () => void (released += 1) };
    },
  };
  const processes: Processes = {
    host: 'here',
    pid: 7,
    space: async () => 'space',
    startOf: async () => ({ start: 'boot/7' }),
  };
  let ids = 0;
  const locks = createLocks('/f', 's', {
    disk,
    processes,
    kernelLocks,
    every(ms, work) {
      every.push(ms);
      renewing = work;
      return () => void (renewing = undefined);
    },
    lockTimes: { pollMs: 100, renewMs: 5_000, silentMs: 1_000, settleMs: 2_000, ...times },
    now: () => Date.UTC(2026, 0, 31, 12),
    elapsed: () => elapsed,
    randomId: () => `id-${(ids += 1)}`,
  });
  const holder = (more: object = {}) => ({
    sync: 's',
    host: 'there',
    pid: 9,
    since: '2026-01-31T11:00:00.000Z',
    start: 'boot/9',
    token: 'theirs',
    space: 'space',
    kernel: null,
    beat: '0000000001',
    ...more,
  });
  const put = (content: object) => disk.put('/f/lock', Buffer.from(`${JSON.stringify(content)}\n`));
  const lock = () => disk.files().get('/f/lock')?.toString();
  return {
    disk,
    locks,
    every,
    put,
    holder,
    lock,
    isRenewing: () => renewing !== undefined,
    renew: () => renewing?.(),
    pass: (ms: number) => void (elapsed += ms),
    tries: () => tries,
    released: () => released,
  };
}

/** Follows a promise by hand. */
function watched<Value>(promise: Promise<Value>) {
  const seen: { outcome?: unknown } = {};
  promise.then(
    (value) => (seen.outcome = value),
    (error: unknown) => (seen.outcome = error),
  );
  return seen;
}

async function withFakeTimers(work: () => Promise<void>) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    await work();
  } finally {
    vi.useRealTimers();
  }
}

describe('W7: waiting for a lease', () => {
  test.each([
    [undefined, 10_000],
    [0, 0],
    [100, 100],
    [101, 200],
    [1_000, 1_000],
  ])('with waitMs %s it is refused after %i ms, and tried every 100 ms till then', async (waitMs, endMs) => {
    await withFakeTimers(async () => {
      const { locks, tries } = await createTrial({ kernel: 'taken' });
      const seen = watched(locks.acquire(waitMs === undefined ? {} : { waitMs }));
      if (endMs > 0) await vi.advanceTimersByTimeAsync(endMs - 1);
      else await vi.advanceTimersByTimeAsync(0);
      expect(seen.outcome === undefined).toBe(endMs > 0);
      await vi.advanceTimersByTimeAsync(1);
      expect(seen.outcome).toBeInstanceOf(LeaseTakenError);
      expect(tries()).toBe(endMs / 100 + 1);
    });
  });

  test('a wait that is aborted ends at once, also while the holder before is given time', async () => {
    const reason = new Error('stop');
    for (const isSilent of [false, true]) {
      const { locks, put, holder } = await createTrial({
        kernel: isSilent ? 'none' : 'taken',
        times: isSilent ? { pollMs: 1, silentMs: 1, settleMs: 1_000_000 } : { pollMs: 1_000_000 },
      });
      put(holder());
      const controller = new AbortController();
      const waiting = locks.acquire({ waitMs: 2_000_000, signal: controller.signal });
      setTimeout(() => controller.abort(reason), 50);
      await expect(waiting).rejects.toThrow(/stop|abort/i);
    }
    const { locks, tries } = await createTrial({ kernel: 'taken' });
    await expect(locks.acquire({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(tries()).toBe(0);
  });

  test('H1: a silent holder is waited for beyond the time, until it is taken over or shows a sign of life', async () => {
    await withFakeTimers(async () => {
      const first = await createTrial();
      first.put(first.holder());
      const seen = watched(first.locks.acquire({ waitMs: 0 }));
      await vi.advanceTimersByTimeAsync(1_000 + 1_999);
      expect(seen.outcome).toBeUndefined();
      await vi.advanceTimersByTimeAsync(1);
      expect(seen.outcome).toMatchObject({ isTakenOver: true, isSole: false, epoch: 1 });

      const second = await createTrial();
      second.put(second.holder());
      const other = watched(second.locks.acquire({ waitMs: 0 }));
      await vi.advanceTimersByTimeAsync(500);
      expect(other.outcome).toBeUndefined();
      second.put(second.holder({ beat: '0000000002' }));
      await vi.advanceTimersByTimeAsync(100);
      expect(other.outcome).toBeInstanceOf(LeaseTakenError);
      expect(other.outcome).toMatchObject({ holder: { token: 'theirs' } });
    });
  });

  test('H1: one that was taken from us while we gave time is waited for again', async () => {
    await withFakeTimers(async () => {
      const { locks, put, holder } = await createTrial();
      put(holder());
      const seen = watched(locks.acquire({ waitMs: 0 }));
      await vi.advanceTimersByTimeAsync(1_500);
      put(holder({ token: 'third', pid: 10, beat: '0000000005' }));
      await vi.advanceTimersByTimeAsync(1_600);
      put(holder({ token: 'third', pid: 10, beat: '0000000006' }));
      await vi.advanceTimersByTimeAsync(200);
      expect(seen.outcome).toMatchObject({ name: 'LeaseTakenError', holder: { token: 'third' } });
    });
  });

  test('what to do is said by whether its holder can show a sign of life', async () => {
    const { locks, put, holder } = await createTrial();
    put(holder({ beat: undefined }));
    await expect(locks.acquire({ waitMs: 0 })).rejects.toThrow(/earlier version.*delete \/f\/lock/);
    put(holder({ host: 'here', start: 'boot/7' }));
    await expect(locks.acquire({ waitMs: 0 })).rejects.toThrow(/Wait until it is done, or stop that process$/);
  });
});

describe('H3: a lease that is held', () => {
  test('with the lock of the kernel lasts until it is given back, and names it', async () => {
    const { locks, lock, every, released, isRenewing } = await createTrial({ kernel: 'free' });
    const lease = await locks.acquire({ epochAbove: 6 });
    expect(lease).toMatchObject({ isSole: true, isTakenOver: false, epoch: 7 });
    expect(lease.remainingMs()).toBe(Infinity);
    expect(JSON.parse(lock()!)).toEqual({
      sync: 's',
      host: 'here',
      pid: 7,
      since: '2026-01-31T12:00:00.000Z',
      start: 'boot/7',
      token: 'id-1',
      space: 'space',
      kernel: 'kernel',
      beat: '0000000000',
    });
    expect(lease.draftOf('/f/base.json')).toBe('/f/base.json.id-1.tmp');
    expect([every, isRenewing(), released()]).toEqual([[5_000], true, 0]);
    await lease.release();
    expect([lock(), lease.remainingMs(), isRenewing(), released()]).toEqual([undefined, 0, false, 1]);
  });

  test('without it lasts as long as nobody has waited long enough since its last sign of life', async () => {
    const { locks, lock, pass, renew } = await createTrial();
    const lease = await locks.acquire({});
    expect([lease.isSole, lease.remainingMs(), JSON.parse(lock()!).beat]).toEqual([false, 1_000, '0000000001']);
    pass(400);
    expect(lease.remainingMs()).toBe(600);
    renew();
    await vi.waitFor(() => expect(lease.remainingMs()).toBe(1_000), { timeout: 100_000 });
    pass(999);
    expect(lease.remainingMs()).toBe(1);
    pass(2);
    expect(lease.remainingMs()).toBe(0);
    await lease.confirm();
    expect([lease.remainingMs(), JSON.parse(lock()!).beat]).toEqual([1_000, '0000000003']);
  });

  test('its time counts from before a sign of life: others may have seen that long before the disk has answered', async () => {
    const { locks, pass, renew } = await createTrial();
    const lease = await locks.acquire({});
    pass(100);
    renew();
    pass(300);
    await vi.waitFor(() => expect(lease.remainingMs()).toBe(700), { timeout: 100_000 });
  });

  test('of which the lock has gone to another is over, and says so', async () => {
    for (const kernel of ['free', 'none'] as const) {
      const { locks, put, holder, lock } = await createTrial({ kernel });
      const lease = await locks.acquire({});
      await lease.look();
      await lease.confirm();
      put(holder());
      const theirs = lock();
      await expect(lease.look()).rejects.toThrow(LeaseLostError);
      await expect(lease.confirm()).rejects.toThrow(LeaseLostError);
      expect(lease.remainingMs()).toBe(kernel === 'free' ? Infinity : 0);
      await lease.release();
      expect(lock()).toBe(theirs);
    }
  });

  test('a sign of life that the disk refuses for a moment ends nothing', async () => {
    const { disk, locks, renew, pass } = await createTrial();
    const lease = await locks.acquire({});
    pass(100);
    disk.planFault({ operation: disk.operations + 1, effect: { code: 'EIO' } });
    renew();
    await new Promise((next) => void setTimeout(next, 5));
    expect(lease.remainingMs()).toBe(900);
    renew();
    await vi.waitFor(() => expect(lease.remainingMs()).toBe(1_000), { timeout: 100_000 });
  });

  test('one that could not be counted is given back with the lock of the kernel', async () => {
    const { disk, locks, lock, released } = await createTrial({ kernel: 'free' });
    const refusing = disk.operations + 4;
    disk.planFault({ operation: refusing, effect: { code: 'EACCES' } });
    await expect(locks.acquire({})).rejects.toThrow('EACCES');
    expect([lock(), released()]).toEqual([undefined, 1]);
    await (await locks.acquire({})).release();
  });

  test('the lock of the kernel is given back also where the file cannot be removed', async () => {
    const { disk, locks, released } = await createTrial({ kernel: 'free' });
    const lease = await locks.acquire({});
    disk.planFault({ operation: disk.operations + 1, effect: { code: 'EIO' } });
    await expect(lease.release()).rejects.toThrow('EIO');
    expect(released()).toBe(1);
  });
});

describe('a look at a state from outside', () => {
  async function createRoot() {
    const root = await mkdtemp(join(tmpdir(), 'look-'));
    onTestFinished(() => rm(root, { recursive: true }));
    await mkdir(join(root, 'a'));
    const lockOf = (more: object) =>
      writeFile(
        join(root, 'a', 'lock'),
        JSON.stringify({
          sync: 'a',
          host: 'here',
          pid: 9,
          since: 'then',
          start: 'boot/9',
          token: 't',
          space: 'space',
          ...more,
        }),
      );
    const look = (more: Partial<Processes> = {}) =>
      lookAtFiles(root, {
        host: 'here',
        pid: 1,
        space: async () => 'space',
        startOf: async () => ({ start: 'boot/9' }),
        ...more,
      });
    return { root, lockOf, look };
  }

  test.each<[string, object, Partial<Processes>, boolean | undefined]>([
    ['of the same space', {}, {}, true],
    ['of another space', { space: 'other' }, {}, undefined],
    ['of another host', { host: 'there' }, {}, undefined],
    ['that did not say its space', { space: null }, {}, true],
    ['that did not say its start', { start: null }, {}, true],
    ['that did not say its start, and is gone', { start: null }, { startOf: async () => 'gone' }, false],
    ['whose number another has now', { start: 'boot/8' }, {}, false],
    ['whose start the system does not say', {}, { startOf: async () => ({ start: null }) }, true],
  ])('a holder %s', async (_, more, processes, isHolderRunning) => {
    const { lockOf, look } = await createRoot();
    await lockOf(more);
    const { jobs } = await look(processes);
    expect(jobs.map((job) => job.isHolderRunning)).toEqual([isHolderRunning]);
    expect(jobs[0]?.holder).toBe(`process 9 on ${'host' in more ? 'there' : 'here'}, since then`);
  });

  test.each<[string, number | undefined]>([
    ['{"schema":2,"sync":"a"', 2],
    ['{"schema":17,"sync":"a"', 17],
    ['{"schema":2', undefined],
    [' {"schema":2,', undefined],
    ['{"schema":x,', undefined],
    ['', undefined],
  ])('of a document that begins with %s the version is %s', async (text, schema) => {
    const { root, look } = await createRoot();
    await writeFile(join(root, 'a', 'base.json'), text);
    expect((await look()).jobs[0]?.schema).toBe(schema);
  });

  test('bytes are those of all files below, and only folders are jobs', async () => {
    const { root, look } = await createRoot();
    expect(await look()).toMatchObject({ isThere: true, bytes: 0, jobs: [{ name: 'a', bytes: 0 }] });
    await mkdir(join(root, 'a', 'history'));
    await writeFile(join(root, 'a', 'base.log'), 'x'.repeat(10));
    await writeFile(join(root, 'a', 'history', 'day'), 'x'.repeat(5));
    await writeFile(join(root, 'file'), 'x');
    await mkdir(join(root, '.hidden'));
    const { bytes, jobs } = await look();
    expect([bytes, jobs.map((job) => [job.name, job.bytes])]).toEqual([16, [['a', 15]]]);
    await expect(lookAtFiles(join(root, 'file'), { host: 'h' } as Processes)).rejects.toThrow('ENOTDIR');
  });
});

describe('the index over the history alone', () => {
  const noon = Date.UTC(2026, 0, 31, 12);
  const iso = (ms: number) => new Date(noon + ms).toISOString();

  async function createHistory() {
    const root = await mkdtemp(join(tmpdir(), 'history-alone-'));
    onTestFinished(() => rm(root, { recursive: true }));
    const warnings: Notice[] = [];
    const warn = (notice: Notice) => void warnings.push(notice);
    const connection = createIndexConnection(join(root, '.index.sqlite'), { warn });
    const index = createHistoryIndex(root, { disk: nodeDisk, now: Date.now, warn }, connection);
    const fileIn = (sync: string, day: string) => join(root, sync, 'history', `${day}.ndjson`);
    const append = async (sync: string, day: string, from: number, count: number) => {
      await mkdir(join(root, sync, 'history'), { recursive: true });
      const lines = Array.from({ length: count }, (_, n) =>
        historyLine(iso(from + n), { sync, contact: `c${(from + n) % 3}` }),
      );
      await appendFile(fileIn(sync, day), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    };
    const folder = (sync: string) => join(root, sync);
    const page = async (query: Partial<HistoryPageQuery> = {}, syncs: readonly string[] = ['a']) => {
      const found = await index.page(
        syncs.map((sync) => folder(sync)),
        { limit: 9_999, ...query },
        undefined,
      );
      return found?.map(({ line }) => Date.parse(line.time) - noon);
    };
    return { root, index, append, page, fileIn, folder, warnings };
  }

  test('a page has one line more than its limit, from either end', async () => {
    const { append, page, warnings } = await createHistory();
    await append('a', '2026-01-31', 0, 5);
    expect(await page()).toEqual([0, 1, 2, 3, 4]);
    expect(await page({ limit: 2 })).toEqual([0, 1, 2]);
    expect(await page({ limit: 2, newestFirst: true })).toEqual([4, 3, 2]);
    expect(await page({ contact: 'c1' })).toEqual([1, 4]);
    expect(await page({}, ['none'])).toEqual([0, 1, 2, 3, 4]);
    expect(await page({ sync: 'none' }, ['none'])).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test.each([999, 1_000, 1_001, 2_001])('%i lines are indexed in slices, each once', async (count) => {
    const { index, append, page, folder } = await createHistory();
    await append('a', '2026-01-31', 0, count);
    const shares: number[] = [];
    await index.keep([folder('a')], { isAll: false, onProgress: (share) => void shares.push(share) });
    expect([shares.length, shares.at(-1)]).toEqual([Math.ceil(count / 1_000), 1]);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(await page()).toEqual(Array.from({ length: count }, (_, n) => n));
    await append('a', '2026-01-31', count, 2);
    expect(await page({ limit: 1, newestFirst: true })).toEqual([count + 1, count]);
  });

  test('lines that are no lines, or of no instant, are passed over, and half a line waits', async () => {
    const { append, page, fileIn } = await createHistory();
    await append('a', '2026-01-31', 0, 1);
    const file = fileIn('a', '2026-01-31');
    await appendFile(file, `damaged\n${JSON.stringify(historyLine('no instant'))}\n`);
    await append('a', '2026-01-31', 1, 1);
    const half = JSON.stringify(historyLine(iso(2)));
    await appendFile(file, half.slice(0, 9));
    expect(await page()).toEqual([0, 1]);
    expect(await page()).toEqual([0, 1]);
    await appendFile(file, `${half.slice(9)}\n`);
    expect(await page()).toEqual([0, 1, 2]);
  });

  test('a keeping that is aborted ends after a slice, and the next one goes on from there', async () => {
    const { index, append, folder } = await createHistory();
    await append('a', '2026-01-31', 0, 2_500);
    const shares: number[] = [];
    const keep = (signal?: AbortSignal) =>
      index.keep([folder('a')], {
        isAll: false,
        ...(signal && { signal }),
        onProgress: (share) => void shares.push(share),
      });
    await keep(AbortSignal.abort());
    expect(shares).toHaveLength(1);
    await keep();
    expect(shares).toHaveLength(3);
    await keep();
    expect(shares).toHaveLength(3);
  });

  test('files of four days are indexed, and one that is replaced, cut or gone is indexed again', async () => {
    const { append, page, fileIn } = await createHistory();
    const days = ['2026-01-28', '2026-01-29', '2026-01-30', '2026-01-31'];
    for (const [index, day] of days.entries()) await append('a', day, 10 * index, 2);
    expect(await page()).toEqual([0, 1, 10, 11, 20, 21, 30, 31]);
    for (const [index, day] of days.entries()) {
      const { size } = await stat(fileIn('a', day));
      // Beside the old one, so that it is surely another file.
      await rename(fileIn('a', day), `${fileIn('a', day)}.old`);
      await append('a', day, 10 * index + 5, 2);
      expect((await stat(fileIn('a', day))).size).toBe(size);
    }
    expect(await page()).toEqual([5, 6, 15, 16, 25, 26, 35, 36]);
    await rm(fileIn('a', days[1]!));
    await writeFile(fileIn('a', days[3]!), '');
    expect(await page()).toEqual([5, 6, 25, 26]);
  });

  test('a sync whose folder is gone is forgotten if all are kept', async () => {
    const { root, index, append, page, folder } = await createHistory();
    await append('a', '2026-01-31', 0, 2);
    await append('b', '2026-01-31', 10, 2);
    await index.keep([folder('a'), folder('b')], { isAll: true });
    expect(await page({}, ['a', 'b'])).toEqual([0, 1, 10, 11]);
    await rm(join(root, 'b'), { recursive: true });
    await index.keep([folder('a')], { isAll: true });
    await append('b', '2026-01-31', 20, 1);
    expect(await page({ sync: ['a', 'b'] }, ['a', 'b'])).toEqual([0, 1, 20]);
  });
});
