// The index over the history: where the lines of a contact, a run or a sync stand in the history files. It follows the
// files: each query and each call of `keep` first reads what was appended since. It never stands in the way of a writer,
// and where it fails, the files themselves are read.
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { HistoryLine, HistoryPageQuery } from '../port.ts';
import type { FileDriverDep } from './dep.ts';
import { namesIn, readPartsNow } from './disk.ts';
import { createFolderNames } from './folder-names.ts';
import { daysOf, fileOf, historyFolder } from './history.ts';
import { compareOrdered, type Found, type HistoryIndex, type Ordered } from './history-page.ts';
import {
  addSlice,
  findPlaces,
  forgetFile,
  forgetPlace,
  type KnownFile,
  knownFiles,
  type NewLines,
} from './history-index-tables.ts';
import { matches, parseLine } from './history-scan.ts';
import type { IndexConnection } from './index-connection.ts';
import { newlineBytes, readLines } from './lines.ts';

/**
 * A query indexes what is new for at most so long. A new index of a million lines takes half a minute; until it is
 * whole, queries read the files, and each brings the index further.
 */
const queryMs = 500;

/**
 * Lines of one transaction: it blocks this process, and other writers of the index, for some ten milliseconds. Other work
 * of this process goes on while the lines of the next one are read.
 */
const sliceLines = 1_000;

interface Compared {
  readonly names: readonly string[];
  readonly known: ReadonlyMap<string, KnownFile>;
  readonly newest: ReturnType<typeof daysOf>;
}

/** A history file that has more than the index knows. */
interface Behind {
  readonly folder: string;
  readonly day: string;
  readonly path: string;
  readonly ino: number;
  readonly from: number;
  readonly size: number;
}

export function createHistoryIndex(
  root: string,
  { disk }: Pick<FileDriverDep, 'disk'>,
  { attempt }: IndexConnection,
): HistoryIndex {
  const namesThere = createFolderNames();
  /** By folder: of these names and these files of the index, all but the newest two are indexed. */
  const compared = new Map<string, Compared>();

  /** Whether everything is indexed now. `isEnough` is asked between two slices. */
  async function catchUp(
    open: DatabaseSync,
    folders: readonly string[],
    isEnough: () => boolean,
    onProgress: (share: number) => void = () => {},
  ): Promise<boolean> {
    for (;;) {
      const behind = findBehind(open, folders);
      const total = behind.reduce((sum, { from, size }) => sum + size - from, 0);
      let done = 0;
      /** Another reader indexes the same file, and may not have come to its end. */
      let isOvertaken = false;
      for (const file of behind) {
        for await (const slice of readSlices(file)) {
          if (!addSlice(open, slice)) {
            isOvertaken = true;
            break;
          }
          done += slice.to - slice.from;
          onProgress(total === 0 ? 1 : done / total);
          if (isEnough()) return false;
        }
      }
      if (!isOvertaken) return true;
      if (isEnough()) return false;
    }
  }

  /** Compares the files with what is indexed, and forgets files that are gone or were replaced. */
  function findBehind(open: DatabaseSync, folders: readonly string[]): readonly Behind[] {
    const behind: Behind[] = [];
    const filesOf = knownFiles(open);
    for (const each of folders) {
      const folder = basename(each);
      const names = namesThere(historyFolder(each));
      const known = filesOf(folder);
      const before = compared.get(folder);
      // Entries of older files are checked when they are read.
      const isCompared = before?.names === names && before.known === known;
      const days = isCompared ? before.newest : daysOf(names);
      if (!isCompared) {
        const present = new Set(days.map(({ day }) => day));
        for (const { id, day } of known.values()) if (!present.has(day)) forgetFile(open, id);
      }
      // Lines are appended to the newest file, and to the one before at midnight.
      const older = days.slice(0, -2);
      const newest = days.slice(-2);
      if (older.every(({ day }) => known.has(day))) compared.set(folder, { names, known, newest });
      for (const { day, name } of [...older.filter((of) => !known.has(of.day)), ...newest]) {
        const indexed = known.get(day);
        const file = join(historyFolder(each), name);
        const stamp = statSync(file, { throwIfNoEntry: false });
        if (!stamp) continue;
        const isSame = indexed !== undefined && indexed.ino === stamp.ino && indexed.size <= stamp.size;
        if (indexed && !isSame) forgetFile(open, indexed.id);
        const from = isSame ? indexed.size : 0;
        if (stamp.size > from) behind.push({ folder, day, path: file, ino: stamp.ino, from, size: stamp.size });
      }
    }
    return behind;
  }

  /** Up to the size that was seen: a file that grows all the time has an end, too. */
  async function* readSlices({ folder, day, path: file, ino, from, size }: Behind): AsyncGenerator<NewLines> {
    let lines: { line: HistoryLine; start: number; length: number }[] = [];
    let [sliceFrom, to] = [from, from];
    const slice = (): NewLines => ({ folder, day, ino, from: sliceFrom, to, lines });
    for await (const { text = '', start, end } of readLines(disk, file, from)) {
      const line = parseLine(text);
      if (line && !Number.isNaN(Date.parse(line.time))) lines.push({ line, start, length: end - start });
      to = end;
      if (lines.length >= sliceLines) {
        yield slice();
        [lines, sliceFrom] = [[], to];
      }
      if (end >= size) break;
    }
    if (to > sliceFrom) yield slice();
  }

  function readFound(places: readonly Ordered[], query: HistoryPageQuery): readonly Found[] | Ordered {
    const found: Found[] = [];
    for (const [file, at] of Map.groupBy(places, ({ folder, day }) => fileOf(join(root, folder), day))) {
      const lines = readPartsNow(file, at).map(
        (bytes) => bytes && parseLine(bytes.toString('utf8', 0, bytes.length - newlineBytes)),
      );
      for (const [index, place] of at.entries()) {
        const line = lines[index];
        if (!line || Date.parse(line.time) !== place.time || !matches(line, query)) return place;
        found.push({ at: place, line });
      }
    }
    const direction = query.newestFirst ? -1 : 1;
    return found.toSorted((a, b) => direction * compareOrdered(a.at, b.at));
  }

  return {
    page: (folders, query, after) =>
      attempt(async (open) => {
        const until = performance.now() + queryMs;
        // A file that is not what was indexed is forgotten, and indexed again.
        for (let attempts = 0; attempts < 3; attempts += 1) {
          if (!(await catchUp(open, folders, () => performance.now() > until))) return undefined;
          const read = readFound(findPlaces(open, folders, query, after), query);
          // Other work of this process goes on between the pages of a long list.
          await new Promise(setImmediate);
          if (!('time' in read)) return read;
          forgetPlace(open, read);
        }
        return undefined;
      }),

    keep: async (folders, { isAll, signal, onProgress }) => {
      await attempt(async (open) => {
        if (isAll) await dropFolders(open);
        await catchUp(open, folders, () => signal?.aborted === true, onProgress);
      });
    },
  };

  /** A sync whose folder was removed. */
  async function dropFolders(open: DatabaseSync): Promise<void> {
    const names = new Set(await namesIn(disk, root));
    for (const { id, folder } of open.prepare('SELECT id, folder FROM files').all()) {
      if (!names.has(String(folder))) forgetFile(open, Number(id));
    }
  }
}
