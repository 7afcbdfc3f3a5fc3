// The tables of the index over the history: how far each file is indexed, and where each line stands.
import { basename } from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { HistoryLine, HistoryPageQuery } from '../port.ts';
import type { Ordered } from './history-page.ts';
import { textsOf } from './history-scan.ts';
import { inTransaction, othersVersion, statement } from './index-connection.ts';

/** A part of a history file. */
export interface NewLines {
  readonly folder: string;
  readonly day: string;
  readonly ino: number;
  readonly from: number;
  readonly to: number;
  readonly lines: readonly { readonly line: HistoryLine; readonly start: number; readonly length: number }[];
}

export interface KnownFile {
  readonly id: number;
  readonly day: string;
  readonly ino: number;
  readonly size: number;
  /** It is indexed to its end, and no line is appended to it any more. */
  readonly isClosed: boolean;
}

/** The files of a folder, by day. Where none of them was written into the database since the last call, none is read. */
export function knownFiles(db: DatabaseSync): (folder: string) => ReadonlyMap<string, KnownFile> {
  const version = othersVersion(db);
  const before = filesRead.get(db);
  const { byFolder } = before?.version === version ? before : { byFolder: new Map<string, Files>() };
  filesRead.set(db, { version, byFolder });
  return (folder) => {
    const known = byFolder.get(folder) ?? readFiles(db, folder);
    byFolder.set(folder, known);
    return known;
  };
}

type Files = ReadonlyMap<string, KnownFile>;

const filesRead = new WeakMap<DatabaseSync, { readonly version: number; readonly byFolder: Map<string, Files> }>();

function readFiles(db: DatabaseSync, folder: string): Files {
  const rows = statement(db, 'SELECT id, day, ino, size, is_closed FROM files WHERE folder = ?').all(folder);
  return new Map(
    rows.map(({ id, day, ino, size, is_closed: isClosed }) => {
      const file = { id: Number(id), day: String(day), ino: Number(ino), size: Number(size), isClosed: isClosed === 1 };
      return [file.day, file] as const;
    }),
  );
}

/** False: another process has indexed it, or part of it, meanwhile. */
export function addSlice(db: DatabaseSync, { folder, day, ino, from, to, lines }: NewLines): boolean {
  filesRead.get(db)?.byFolder.delete(folder);
  return inTransaction(db, () => {
    const file = readFiles(db, folder).get(day);
    if ((file?.size ?? 0) !== from || (file && file.ino !== ino)) return false;
    const id =
      file?.id ??
      Number(
        db.prepare('INSERT INTO files (folder, day, ino, size, is_closed) VALUES (?, ?, ?, 0, 0)').run(folder, day, ino)
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
    db.prepare('UPDATE files SET size = ?, is_closed = 0 WHERE id = ?').run(to, id);
    return true;
  });
}

/** Of files that are indexed to their ends, to which no line is appended any more. */
export function closeFiles(db: DatabaseSync, folder: string, days: readonly string[]): void {
  filesRead.get(db)?.byFolder.delete(folder);
  inTransaction(db, () => {
    const close = db.prepare('UPDATE files SET is_closed = 1 WHERE folder = ? AND day = ?');
    for (const day of days) close.run(folder, day);
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

export function forgetFile(db: DatabaseSync, id: number): void {
  filesRead.get(db)?.byFolder.clear();
  inTransaction(db, () => {
    db.prepare('DELETE FROM lines WHERE file = ?').run(id);
    db.prepare('DELETE FROM files WHERE id = ?').run(id);
  });
}

export function forgetPlace(db: DatabaseSync, { folder, day }: Ordered): void {
  const file = readFiles(db, folder).get(day);
  if (file) forgetFile(db, file.id);
}

function idOfText(db: DatabaseSync, text: string): number | undefined {
  const id = statement(db, 'SELECT id FROM texts WHERE text = ?').get(text)?.['id'];
  return id === undefined ? undefined : Number(id);
}

/** One more than the limit, which says that there is another page. */
export function findPlaces(
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
  const folderNames = sync === undefined ? undefined : folders.map((path) => basename(path));
  const narrow = { contact, run, outcome, folder: folderNames, field };
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
