// The index over the history: where the lines of a contact, a run or a sync stand in the history files. It follows the
// files: each query and each call of `keep` first reads what was appended since. It never stands in the way of a writer,
// and where it fails, the files themselves are read.
import { basename, join } from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { HistoryLine, HistoryPageQuery } from '../port.ts';
import type { FileDriverDep } from './dep.ts';
import { hasCode, namesIn, stampIfThere, namesNow } from './disk.ts';
import { daysOf, fileOf, historyFolder } from './history.ts';
import { compareOrdered, type Found, type HistoryIndex, type Ordered } from './history-page.ts';
import { matches, parseLine, textsOf } from './history-scan.ts';
import { type IndexConnection, inTransaction } from './index-connection.ts';
import { readLines } from './lines.ts';

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

interface NewLines {
  readonly folder: string;
  readonly day: string;
  readonly ino: number;
  readonly from: number;
  readonly to: number;
  readonly lines: readonly { readonly line: HistoryLine; readonly start: number; readonly length: number }[];
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
  /** Whether everything is indexed now. `isEnough` is asked between two slices. */
  async function catchUp(
    open: DatabaseSync,
    folders: readonly string[],
    isEnough: () => boolean,
    onProgress: (share: number) => void = () => {},
  ): Promise<boolean> {
    const behind = await findBehind(open, folders);
    const total = behind.reduce((sum, { from, size }) => sum + size - from, 0);
    let done = 0;
    for (const file of behind) {
      for await (const slice of readSlices(file)) {
        if (!addSlice(open, slice)) break;
        done += slice.to - slice.from;
        onProgress(total === 0 ? 1 : done / total);
        if (isEnough()) return false;
      }
    }
    return true;
  }

  /** Compares the files with what is indexed, and forgets files that are gone or were replaced. */
  async function findBehind(open: DatabaseSync, folders: readonly string[]): Promise<readonly Behind[]> {
    const behind: Behind[] = [];
    for (const each of folders) {
      const folder = basename(each);
      const days = daysOf(namesNow(historyFolder(each)));
      const known = knownFiles(open, folder);
      const names = new Set(days.map(({ day }) => day));
      for (const { id, day } of known.values()) if (!names.has(day)) forgetFile(open, id);
      for (const [place, { day, name }] of days.entries()) {
        const indexed = known.get(day);
        // Lines are appended to the newest file, and to the one before at midnight. What is indexed of older files is
        // checked when it is read.
        if (indexed && place < days.length - 2) continue;
        const file = join(historyFolder(each), name);
        const stamp = await stampIfThere(disk, file);
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

  async function readFound(places: readonly Ordered[], query: HistoryPageQuery): Promise<readonly Found[] | Ordered> {
    const found: Found[] = [];
    for (const ofFile of Map.groupBy(places, ({ folder, day }) => fileOf(join(root, folder), day)).entries()) {
      const [file, at] = ofFile;
      const lines = await readPlaces(file, at);
      for (const [index, place] of at.entries()) {
        const line = lines[index];
        if (!line || Date.parse(line.time) !== place.time || !matches(line, query)) return place;
        found.push({ at: place, line });
      }
    }
    const direction = query.newestFirst ? -1 : 1;
    return found.toSorted((a, b) => direction * compareOrdered(a.at, b.at));
  }

  async function readPlaces(file: string, places: readonly Ordered[]): Promise<readonly (HistoryLine | undefined)[]> {
    try {
      const open = await disk.open(file, 'r');
      try {
        const lines: (HistoryLine | undefined)[] = [];
        for (const { start, length } of places) {
          const bytes = Buffer.alloc(length);
          const { bytesRead } = await open.read(bytes, 0, length, start);
          lines.push(bytesRead === length ? parseLine(bytes.toString('utf8')) : undefined);
        }
        return lines;
      } finally {
        await open.close();
      }
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    }
  }

  return {
    page: (folders, query, after) =>
      attempt(async (open) => {
        const until = performance.now() + queryMs;
        // A file that is not what was indexed is forgotten, and indexed again.
        for (let attempts = 0; attempts < 3; attempts += 1) {
          if (!(await catchUp(open, folders, () => performance.now() > until))) return undefined;
          const read = await readFound(findPlaces(open, folders, query, after), query);
          if (!('time' in read)) return read;
          forgetPlace(open, read);
        }
        return undefined;
      }),

    keep: async (folders, { signal, onProgress }) => {
      await attempt(async (open) => {
        await dropFolders(open);
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

function knownFiles(db: DatabaseSync, folder: string) {
  const rows = db.prepare('SELECT id, day, ino, size FROM files WHERE folder = ?').all(folder);
  return new Map(
    rows.map(({ id, day, ino, size }) => {
      return [String(day), { id: Number(id), day: String(day), ino: Number(ino), size: Number(size) }] as const;
    }),
  );
}

/** False: another process has indexed it, or part of it, meanwhile. */
function addSlice(db: DatabaseSync, { folder, day, ino, from, to, lines }: NewLines): boolean {
  return inTransaction(db, () => {
    const file = knownFiles(db, folder).get(day);
    if ((file?.size ?? 0) !== from || (file && file.ino !== ino)) return false;
    const id =
      file?.id ??
      Number(
        db.prepare('INSERT INTO files (folder, day, ino, size) VALUES (?, ?, ?, 0)').run(folder, day, ino)
          .lastInsertRowid,
      );
    const textId = textIds(db);
    const insert = db.prepare(
      `INSERT INTO lines (time, file, start, length, folder, run, contact, field, outcome)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    for (const { line, start, length } of lines) {
      const { time, run, contact, field, outcome } = line;
      const [ofContact, ofField, ofOutcome] = [textId(contact), textId(field), textId(outcome)];
      const ids = [textId(folder)!, textId(run) ?? 0, ofContact ?? null, ofField ?? null, ofOutcome ?? null] as const;
      insert.run(Date.parse(time), id, start, length, ...ids);
    }
    db.prepare('UPDATE files SET size = ? WHERE id = ?').run(to, id);
    return true;
  });
}

/** The number of a text, which is given where it has none; undefined: it is no text. */
function textIds(db: DatabaseSync): (text: unknown) => number | undefined {
  const known = new Map<string, number>();
  const find = db.prepare('SELECT id FROM texts WHERE text = ?');
  const add = db.prepare('INSERT INTO texts (text) VALUES (?)');
  return (text) => {
    if (typeof text !== 'string') return undefined;
    const id = known.get(text) ?? Number(find.get(text)?.['id'] ?? add.run(text).lastInsertRowid);
    known.set(text, id);
    return id;
  };
}

function forgetFile(db: DatabaseSync, id: number): void {
  inTransaction(db, () => {
    db.prepare('DELETE FROM lines WHERE file = ?').run(id);
    db.prepare('DELETE FROM files WHERE id = ?').run(id);
  });
}

function forgetPlace(db: DatabaseSync, { folder, day }: Ordered): void {
  const file = knownFiles(db, folder).get(day);
  if (file) forgetFile(db, file.id);
}

function idOfText(db: DatabaseSync, text: string): number | undefined {
  const id = db.prepare('SELECT id FROM texts WHERE text = ?').get(text)?.['id'];
  return id === undefined ? undefined : Number(id);
}

/** One more than the limit, which says that there is another page. */
function findPlaces(
  db: DatabaseSync,
  folders: readonly string[],
  query: HistoryPageQuery,
  after: Ordered | undefined,
): readonly Ordered[] {
  const { sync, run, contact, field, outcome, since, until, limit, newestFirst } = query;
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (condition: string, ...given: readonly SQLInputValue[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  // The conditions with the fewest lines come first. The first one chooses the index; a plus keeps the others from it.
  const narrow = { contact, run, outcome, folder: sync === undefined ? undefined : basename(folders[0] ?? ''), field };
  let isChosen = false;
  for (const [column, wanted] of Object.entries(narrow)) {
    const texts = textsOf(wanted);
    if (texts === undefined) continue;
    const ids = texts.flatMap((text) => idOfText(db, text) ?? []);
    // No line has any of them.
    if (ids.length === 0) return [];
    const choosesIndex: boolean = !isChosen && column !== 'field';
    add(`${choosesIndex ? '' : '+'}l.${column} IN (${ids.map(() => '?').join(', ')})`, ...ids);
    isChosen ||= choosesIndex;
  }
  if (since !== undefined) add('l.time >= ?', since);
  if (until !== undefined) add('l.time <= ?', until);
  const [beyond, order] = newestFirst ? ['<', 'DESC'] : ['>', 'ASC'];
  if (after) {
    add(`l.time ${beyond}= ?`, after.time);
    add(`(l.time, f.folder, f.day, l.start) ${beyond} (?, ?, ?, ?)`, after.time, after.folder, after.day, after.start);
  }
  const columns = ['l.time', 'f.folder', 'f.day', 'l.start'];
  const sql = `SELECT ${columns.join(', ')}, l.length FROM lines l CROSS JOIN files f ON f.id = l.file
    ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
    ORDER BY ${columns.map((column) => `${column} ${order}`).join(', ')} LIMIT ?`;
  return db
    .prepare(sql)
    .all(...values, limit + 1)
    .map(({ time, folder, day, start, length }) => {
      return {
        time: Number(time),
        folder: String(folder),
        day: String(day),
        start: Number(start),
        length: Number(length),
      };
    });
}
