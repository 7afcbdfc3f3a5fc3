// Answers one page of the history: from the index if there is one that is up to date, else from the files themselves.
import { basename } from 'node:path';
import type { HistoryLine, HistoryPage, HistoryPageQuery } from '../port.ts';
import type { FileDriverDep } from './dep.ts';
import { historyFolder } from './history.ts';
import { type LinePlace, scanHistory } from './history-scan.ts';

/** A line with all that its order depends on: the instant, then the folder of the sync, then the place. */
export interface Ordered extends LinePlace {
  /** Epoch milliseconds. */
  readonly time: number;
  /** The name of the folder of the sync. */
  readonly folder: string;
}

export interface HistoryIndex {
  /**
   * The lines of a page, and one more if there are more. Undefined: the index is not up to date, or failed; the files are
   * read instead.
   */
  page(
    folders: readonly string[],
    query: HistoryPageQuery,
    after: Ordered | undefined,
  ): Promise<readonly Found[] | undefined>;
  keep(folders: readonly string[], options: KeepOptions): Promise<void>;
}

export interface KeepOptions {
  /** The folders are those of all jobs: what is known of any other one is dropped. */
  readonly isAll: boolean;
  readonly signal?: AbortSignal;
  /** The share that is done, 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

export interface Found {
  readonly at: Ordered;
  readonly line: HistoryLine;
}

/** `folders`: of the syncs to read, as paths. */
export async function readHistoryPage(
  folders: readonly string[],
  query: HistoryPageQuery,
  dep: FileDriverDep,
  index: Pick<HistoryIndex, 'page'> | undefined,
): Promise<HistoryPage> {
  const after = query.after === undefined ? undefined : readCursor(query.after);
  const found = (await index?.page(folders, query, after)) ?? (await scanPage(folders, query, after, dep));
  const lines = found.slice(0, query.limit).map(({ line }) => line);
  const last = found.length > query.limit ? found[query.limit - 1] : undefined;
  const [first] = found;
  return { lines, ...(first && { first: cursorOf(first.at) }), ...(last && { next: cursorOf(last.at) }) };
}

/** Reads every line that may match, and holds no more of them than the page needs. */
async function scanPage(
  folders: readonly string[],
  query: HistoryPageQuery,
  after: Ordered | undefined,
  dep: FileDriverDep,
): Promise<readonly Found[]> {
  const direction = query.newestFirst ? -1 : 1;
  const compare = (a: Ordered, b: Ordered) => direction * compareOrdered(a, b);
  const wanted = query.limit + 1;
  let found: Found[] = [];
  const keepFirst = () => (found = found.toSorted((a, b) => compare(a.at, b.at)).slice(0, wanted));
  for (const path of folders) {
    for await (const { line, place } of scanHistory(historyFolder(path), query, dep)) {
      const at = { ...place, time: Date.parse(line.time), folder: basename(path) };
      if (after && compare(at, after) <= 0) continue;
      found.push({ at, line });
      // Sorting seldom costs less than keeping the list in order.
      if (found.length >= 2 * wanted + sortEach) keepFirst();
    }
  }
  return keepFirst();
}

const sortEach = 1_000;

export function compareOrdered(a: Ordered, b: Ordered): number {
  return a.time - b.time || compareTexts(a.folder, b.folder) || compareTexts(a.day, b.day) || a.start - b.start;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function cursorOf({ time, day, start, folder }: Ordered): string {
  return [time, day, start, folder].join(' ');
}

function readCursor(text: string): Ordered | undefined {
  const [, time, day = '', start, folder = ''] = /^(-?\d+) (\d{4}-\d{2}-\d{2}) (\d+) (\S+)$/.exec(text) ?? [];
  return time === undefined ? undefined : { time: Number(time), day, start: Number(start), folder, length: 0 };
}
