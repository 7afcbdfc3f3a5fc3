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
import { dayMs, dayOf, daysOf, fileOf, historyFolder } from './history.ts';
import { compareOrdered, type Found, type HistoryIndex, type Ordered } from './history-page.ts';
import {
  addSlice,
  closeFiles,
  findPlaces,
  forgetFile,
  forgetPlace,
  type KnownFile,
  knownFiles,
  type NewLines,
} from './history-index-tables.ts';
import { matches, parseLine, readSoundLines, unreadable } from './history-scan.ts';
import type { IndexConnection } from './index-connection.ts';
import { newlineBytes } from './lines.ts';

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

/** The files of a folder that may have more than the index knows. */
interface Compared {
  readonly names: readonly string[];
  readonly known: ReadonlyMap<string, KnownFile>;
  readonly today: string;
  readonly open: readonly OpenDay[];
}

interface OpenDay {
  readonly day: string;
  readonly name: string;
  /** No line is appended to it any more: once it is indexed to its end, it is closed. */
  readonly isOver: boolean;
}

/** A history file that has more than the index knows. */
interface Behind {
  readonly folder: string;
  readonly day: string;
  readonly path: string;
  readonly ino: number;
  readonly from: number;
  readonly size: number;
  readonly isOver: boolean;
}

export function createHistoryIndex(
  root: string,
  { disk, now, warn }: Pick<FileDriverDep, 'disk' | 'now' | 'warn'>,
  { attempt }: IndexConnection,
): HistoryIndex {
  const namesThere = createFolderNames();
  /** By folder: which of its files are open, as long as the names and the index are the same. */
  const compared = new Map<string, Compared>();

  /** Whether everything is indexed now. `isEnough` is asked between two slices. */
  async function catchUp(
    open: DatabaseSync,
    folders: readonly string[],
    isEnough: () => boolean,
    onProgress: (share: number) => void = () => {},
  ): Promise<boolean> {
    const behind = findBehind(open, folders);
    const total = behind.reduce((sum, { from, size }) => sum + size - from, 0);
    let done = 0;
    let isWhole = true;
    for (const file of behind) {
      let isMine = true;
      for await (const slice of readSlices(file)) {
        isMine = addSlice(open, slice);
        if (!isMine) break;
        done += slice.to - slice.from;
        onProgress(total === 0 ? 1 : done / total);
        if (isEnough()) return false;
      }
      // Another process is at this file, and may not be done.
      if (!isMine) isWhole = false;
      else if (file.isOver) closeFiles(open, file.folder, [file.day]);
    }
    return isWhole;
  }

  /** Compares the files with what is indexed, and forgets files that are gone or were replaced. */
  function findBehind(open: DatabaseSync, folders: readonly string[]): readonly Behind[] {
    const behind: Behind[] = [];
    const filesOf = knownFiles(open);
    const today = dayOf(now());
    for (const each of folders) {
      const folder = basename(each);
      const names = namesThere(historyFolder(each));
      const known = filesOf(folder);
      const whole: string[] = [];
      // Entries of closed files are checked when they are read.
      for (const { day, name, isOver } of openDays(open, folder, names, known, today)) {
        const indexed = known.get(day);
        const file = join(historyFolder(each), name);
        const stamp = statSync(file, { throwIfNoEntry: false });
        if (!stamp) continue;
        const isSame = indexed !== undefined && indexed.ino === stamp.ino && indexed.size <= stamp.size;
        if (indexed && !isSame) forgetFile(open, indexed.id);
        const from = isSame ? indexed.size : 0;
        if (stamp.size > from) behind.push({ folder, day, path: file, ino: stamp.ino, from, size: stamp.size, isOver });
        else if (isSame && isOver) whole.push(day);
      }
      if (whole.length > 0) closeFiles(open, folder, whole);
    }
    return behind;
  }

  function openDays(
    open: DatabaseSync,
    folder: string,
    names: readonly string[],
    known: ReadonlyMap<string, KnownFile>,
    today: string,
  ): readonly OpenDay[] {
    const before = compared.get(folder);
    if (before?.names === names && before.known === known && before.today === today) return before.open;
    const days = daysOf(names);
    const present = new Set(days.map(({ day }) => day));
    for (const { id, day } of known.values()) if (!present.has(day)) forgetFile(open, id);
    // Lines are appended to the file of this day, and to that of the day before at midnight. The clocks of other machines
    // differ, and a clock may be set back.
    const growing = new Set([...days.slice(-2).map(({ day }) => day), today, dayOf(now() - dayMs)]);
    const found = days
      .map((of) => ({ ...of, isOver: !growing.has(of.day) }))
      .filter(({ day, isOver }) => !isOver || known.get(day)?.isClosed !== true);
    compared.set(folder, { names, known, today, open: found });
    return found;
  }

  /** Up to the size that was seen: a file that grows all the time has an end, too. */
  async function* readSlices({
    folder,
    day,
    path: file,
    ino,
    from,
    size,
  }: Omit<Behind, 'isOver'>): AsyncGenerator<NewLines> {
    let lines: { line: HistoryLine; start: number; length: number }[] = [];
    let [sliceFrom, to] = [from, from];
    const slice = (): NewLines => ({ folder, day, ino, from: sliceFrom, to, lines });
    for await (const { line, start, end } of readSoundLines(disk, file, from)) {
      // No page reads it: who indexes it is the one to say so.
      if (line === undefined) warn(unreadable(file, end));
      if (line && line !== 'skipped' && !Number.isNaN(Date.parse(line.time)))
        lines.push({ line, start, length: end - start });
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
