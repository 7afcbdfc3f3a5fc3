// Which lines of the history match, in which order they come, and where each of them stands.
import { describe, expect, test, vi } from 'vitest';
import type { HistoryFilter, HistoryLine, Notice } from '../../src/state/port.ts';
import type { FileDriverDep } from '../../src/state/file/dep.ts';
import { dayOf, daysOf } from '../../src/state/file/history.ts';
import { compareOrdered } from '../../src/state/file/history-page.ts';
import { matches, parseLine, readHistory, scanHistory, textsOf } from '../../src/state/file/history-scan.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import { historyLine, openTrial } from '../support/state.ts';

const noon = Date.UTC(2026, 0, 31, 12);
const iso = (minutes: number) => new Date(noon + minutes * 60_000).toISOString();

describe('L12: the lines that match', () => {
  const line = historyLine(iso(0), { run: 'r', contact: 'c', field: 'f', outcome: 'done' });

  test.each<[HistoryFilter, boolean]>([
    [{}, true],
    [{ run: 'r' }, true],
    [{ run: 'other' }, false],
    [{ contact: 'c' }, true],
    [{ contact: 'other' }, false],
    [{ contact: ['other', 'c'] }, true],
    [{ contact: ['other', 'more'] }, false],
    [{ contact: [] }, false],
    [{ field: 'f' }, true],
    [{ field: 'other' }, false],
    [{ field: ['f'] }, true],
    [{ outcome: 'done' }, true],
    [{ outcome: ['failed'] }, false],
    [{ outcome: 'failed' }, false],
    [{ since: noon }, true],
    [{ since: noon + 1 }, false],
    [{ until: noon }, true],
    [{ until: noon - 1 }, false],
    [{ since: noon, until: noon }, true],
    [{ since: noon - 1, until: noon - 1 }, false],
    [{ since: noon + 1, until: noon + 1 }, false],
    [{ run: 'r', contact: 'c', field: 'f', outcome: 'done', since: noon, until: noon }, true],
    [{ run: 'r', contact: 'c', field: 'f', outcome: 'failed', since: noon }, false],
  ])('%j: %s', (filter, isOne) => {
    expect(matches(line, filter)).toBe(isOne);
  });

  test('a line without a contact or a field is none of a contact or a field', () => {
    const bare = { time: iso(0), sync: 's', run: 'r', contact: null };
    expect(matches(bare, { contact: 'null' })).toBe(false);
    expect(matches(bare, { field: 'f' })).toBe(false);
    expect(matches(bare, { run: 'r' })).toBe(true);
  });

  test('one text, several or none are asked for', () => {
    expect(textsOf('a')).toEqual(['a']);
    expect(textsOf(['a', 'b'])).toEqual(['a', 'b']);
    expect(textsOf([])).toEqual([]);
    expect(textsOf(undefined)).toBeUndefined();
  });

  test.each(['', '{"time":', 'null', '5', '"text"', '[]', '{}', '{"time":5}'])('%s is no line', (text) => {
    expect(parseLine(text)).toBeUndefined();
  });

  test('an object with a time is one', () => {
    expect(parseLine('{"time":"t","x":1}')).toEqual({ time: 't', x: 1 });
  });
});

describe('the files of the history', () => {
  test('are those named after a day, in order', () => {
    const names = [
      '2026-02-01.ndjson',
      'x2026-01-01.ndjson',
      '2026-01-31.ndjson',
      '2026-01-31.ndjson.tmp',
      '2026-1-1.ndjson',
    ];
    expect(daysOf(names)).toEqual([
      { name: '2026-01-31.ndjson', day: '2026-01-31' },
      { name: '2026-02-01.ndjson', day: '2026-02-01' },
    ]);
    expect(daysOf([])).toEqual([]);
    expect([dayOf(noon), dayOf(Date.UTC(2026, 0, 31, 23, 59, 59, 999)), dayOf(Date.UTC(2026, 1, 1))]).toEqual([
      '2026-01-31',
      '2026-01-31',
      '2026-02-01',
    ]);
  });

  test('lines are ordered by instant, folder, day and place', () => {
    const place = { time: 5, folder: 'b', day: '2026-01-31', start: 10, length: 1 };
    expect(compareOrdered(place, place)).toBe(0);
    for (const earlier of [
      { ...place, time: 4, folder: 'z', day: '2027-01-01', start: 99 },
      { ...place, folder: 'a', day: '2027-01-01', start: 99 },
      { ...place, day: '2026-01-30', start: 99 },
      { ...place, start: 9 },
    ]) {
      expect(compareOrdered(earlier, place)).toBeLessThan(0);
      expect(compareOrdered(place, earlier)).toBeGreaterThan(0);
    }
  });
});

async function createTrial() {
  const disk = createMemoryDisk(1);
  const warnings: Notice[] = [];
  const dep = { disk, warn: (notice: Notice) => void warnings.push(notice) } as unknown as FileDriverDep;
  const put = async (folder: string, day: string, text: string) => {
    await disk.mkdir(`${folder}/history`, { recursive: true, mode: 0o700 });
    disk.put(`${folder}/history/${day}.ndjson`, Buffer.from(text));
  };
  const textOf = (lines: readonly HistoryLine[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return { dep, warnings, put, textOf };
}

describe('L12: reading a folder of the history', () => {
  const lines = [0, 1, 2, 3].map((minute) =>
    historyLine(iso(minute), { contact: `c${minute % 2}`, run: `r${minute}` }),
  );

  test('each line comes with its place, and a second reading begins behind it', async () => {
    const { dep, put, textOf } = await createTrial();
    await put('/s/a', '2026-01-31', textOf(lines.slice(0, 2)));
    await put('/s/a', '2026-02-01', textOf(lines.slice(2, 3)));
    const offsets = new Map<string, number>();
    const scan = (filter: HistoryFilter = {}) => Array.fromAsync(scanHistory('/s/a/history', filter, dep, offsets));
    const length = textOf(lines.slice(0, 1)).length;
    expect(await scan()).toEqual([
      { line: lines[0], place: { day: '2026-01-31', start: 0, length } },
      { line: lines[1], place: { day: '2026-01-31', start: length, length } },
      { line: lines[2], place: { day: '2026-02-01', start: 0, length } },
    ]);
    expect(await scan()).toEqual([]);
    await put('/s/a', '2026-02-01', textOf(lines.slice(2)));
    expect(await scan()).toEqual([{ line: lines[3], place: { day: '2026-02-01', start: length, length } }]);
  });

  test('files of days before the first instant that is asked for are not read', async () => {
    const { dep, warnings, put, textOf } = await createTrial();
    await put('/s/a', '2026-01-30', 'damaged\n');
    await put('/s/a', '2026-01-31', `damaged\n${textOf(lines)}`);
    const found = await Array.fromAsync(scanHistory('/s/a/history', { since: noon }, dep));
    expect(found.map(({ line }) => line)).toEqual(lines);
    expect(warnings).toMatchObject([
      { kind: 'torn', file: '/s/a/history/2026-01-31.ndjson', message: expect.stringContaining('ends at byte 8') },
    ]);
  });

  test('an unreadable line that cannot match is not told', async () => {
    const { dep, warnings, put, textOf } = await createTrial();
    await put('/s/a', '2026-01-31', `damaged\n${textOf(lines)}"r1" damaged\n`);
    const runsOf = async (filter: HistoryFilter) =>
      (await Array.fromAsync(scanHistory('/s/a/history', filter, dep))).map(({ line }) => line.run);
    expect(await runsOf({ run: 'r2' })).toEqual(['r2']);
    expect(warnings).toEqual([]);
    expect(await runsOf({ run: 'r1' })).toEqual(['r1']);
    expect(warnings).toHaveLength(1);
    expect(await runsOf({ contact: ['c0', 'c1'] })).toEqual(['r0', 'r1', 'r2', 'r3']);
    expect(warnings).toHaveLength(3);
    expect(await runsOf({ contact: ['c1'] })).toEqual(['r1', 'r3']);
    expect(await runsOf({ contact: [] })).toEqual([]);
  });

  test('lines of several syncs are merged by their times, and of one time in the order of the syncs', async () => {
    const { dep, put, textOf } = await createTrial();
    const of = (sync: string, minutes: readonly number[]) =>
      textOf(minutes.map((minute) => historyLine(iso(minute), { sync })));
    await put('/s/a', '2026-01-31', of('a', [1, 3, 3, 9]));
    await put('/s/b', '2026-01-31', of('b', [0, 3, 4]));
    await put('/s/c', '2026-01-31', '');
    const read = await Array.fromAsync(readHistory(async () => ['/s/a', '/s/b', '/s/c', '/s/none'], {}, dep));
    expect(read.map(({ sync, time }) => `${sync}${new Date(time).getUTCMinutes()}`).join(' ')).toBe(
      'b0 a1 a3 a3 b3 b4 a9',
    );
    expect(await Array.fromAsync(readHistory(async () => [], {}, dep))).toEqual([]);
  });

  test('followed, it looks again each second, for new syncs as well, and reads nothing twice', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { dep, put, textOf } = await createTrial();
      await put('/s/a', '2026-01-31', textOf(lines.slice(0, 1)));
      const folders = ['/s/a'];
      let looks = 0;
      const controller = new AbortController();
      const reader = readHistory(
        async () => {
          looks += 1;
          return folders;
        },
        { follow: true, signal: controller.signal },
        dep,
      );
      expect((await reader.next()).value).toEqual(lines[0]);
      const second = reader.next();
      await vi.advanceTimersByTimeAsync(999);
      expect(looks).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(looks).toBe(2);
      await put('/s/b', '2026-01-31', textOf(lines.slice(1, 2)));
      folders.push('/s/b');
      await vi.advanceTimersByTimeAsync(1_000);
      expect((await second).value).toEqual(lines[1]);
      const third = reader.next();
      await vi.advanceTimersByTimeAsync(500);
      controller.abort();
      expect(await third).toEqual({ value: undefined, done: true });
      expect(looks).toBe(3);
    } finally {
      vi.useRealTimers();
    }
  });

  test('one that is aborted before has no line, and one that is aborted meanwhile no further one', async () => {
    const { dep, put, textOf } = await createTrial();
    await put('/s/a', '2026-01-31', textOf(lines));
    const folders = async () => ['/s/a'];
    expect(await Array.fromAsync(readHistory(folders, { signal: AbortSignal.abort() }, dep))).toEqual([]);
    const controller = new AbortController();
    const seen: HistoryLine[] = [];
    for await (const line of readHistory(folders, { signal: controller.signal }, dep)) {
      seen.push(line);
      controller.abort();
    }
    expect(seen).toEqual(lines.slice(0, 1));
  });
});

describe('L12: pages from the files alone', () => {
  async function createPages() {
    const disk = createMemoryDisk(1);
    const { store } = openTrial('/state', { disk });
    for (const sync of ['a', 'b']) {
      await using lease = await store.sync(sync).acquireLease();
      const lines = [0, 1, 2, 2].map((minute, index) => historyLine(iso(minute), { sync, index }));
      await lease.appendHistory(lines);
    }
    const nameOf = ({ sync, index }: HistoryLine) => `${sync}${JSON.stringify(index)}`;
    return { store, nameOf };
  }

  test.each([1, 2, 3, 7, 8, 9])('of %i lines each goes on behind the last one, in both directions', async (limit) => {
    const { store, nameOf } = await createPages();
    for (const newestFirst of [false, true]) {
      const seen: string[] = [];
      let pages = 0;
      for (let after: string | undefined; ;) {
        const page = await store.historyPage({ limit, newestFirst, ...(after !== undefined && { after }) });
        seen.push(...page.lines.map((line) => nameOf(line)));
        pages += 1;
        after = page.next;
        if (after === undefined) break;
      }
      const all = ['a0', 'b0', 'a1', 'b1', 'a2', 'a3', 'b2', 'b3'];
      expect(seen).toEqual(newestFirst ? all.toReversed() : all);
      expect(pages).toBe(Math.ceil(8 / limit));
    }
  });

  test('the place of the first line leads back to the page before', async () => {
    const { store, nameOf } = await createPages();
    const { next } = await store.historyPage({ limit: 3 });
    const second = await store.historyPage({ limit: 3, after: next! });
    const back = await store.historyPage({ limit: 99, newestFirst: true, after: second.first! });
    expect(back.lines.map((line) => nameOf(line))).toEqual(['a1', 'b0', 'a0']);
    expect(await store.historyPage({ limit: 3, contact: 'none' })).toEqual({ lines: [] });
  });

  test.each(['', 'x', '5', '5 2026-01-31 5', '5 2026-01-31 x a', 'x5 2026-01-31 5 a', '5 2026-01-31 5 a b'])(
    'the text "%s" is no place: the page is the first one',
    async (after) => {
      const { store } = await createPages();
      expect(await store.historyPage({ limit: 3, after })).toEqual(await store.historyPage({ limit: 3 }));
    },
  );

  test('of more lines than are held at once the page has the right ones', async () => {
    const { store } = openTrial('/state', { disk: createMemoryDisk(1) });
    await using lease = await store.sync('s').acquireLease();
    const lines = Array.from({ length: 1_600 }, (_, index) =>
      historyLine(new Date(noon + ((index * 7) % 1_600)).toISOString(), { sync: 's' }),
    );
    await lease.appendHistory(lines);
    const sorted = lines.toSorted((a, b) => (a.time < b.time ? -1 : 1));
    expect((await store.historyPage({ limit: 5 })).lines).toEqual(sorted.slice(0, 5));
    expect((await store.historyPage({ limit: 5, newestFirst: true })).lines).toEqual(sorted.toReversed().slice(0, 5));
  });
});
