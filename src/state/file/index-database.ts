// Opens the database of the index. It is derived: one that is missing, damaged or of another version is
// made anew, and deleting its files loses nothing.
import { chmodSync, closeSync, lstatSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { hasCode } from './disk.ts';

/** Marks the file as ours: "lsht". */
const applicationId = 0x6c_73_68_74;
/** Counts changes of the tables below: an index of another version is made anew. */
const version = 5;

/** Another process writes in turns of some ten milliseconds; waiting for it blocks this process. */
const busyMs = 2_000;

/**
 * `texts` has each uuid, run, field, outcome and folder once. `files`: how far each history file is indexed, in bytes, and whether
 * it was indexed to its end after the last line was appended to it. `lines`: the place of each line. Each index of `lines` ends in
 * the primary key, so that pages come out in the order of time.
 * `runs`: the names of the files of reports, in their parts, with the status that stands in each; null: it is damaged.
 * `states`: up to where the journal of each job is indexed. No id is given twice, because processes keep answers by it.
 * `records`: what it holds. `terms`: what its records are found by.
 */
const tables = `
  CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE files (
    id INTEGER PRIMARY KEY, folder TEXT NOT NULL, day TEXT NOT NULL, ino INTEGER NOT NULL, size INTEGER NOT NULL,
    is_closed INTEGER NOT NULL, UNIQUE (folder, day)
  ) STRICT;
  CREATE TABLE lines (
    time INTEGER NOT NULL, file INTEGER NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL,
    folder INTEGER NOT NULL, run INTEGER NOT NULL, contact INTEGER, field INTEGER, outcome INTEGER,
    PRIMARY KEY (time, file, start)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX lines_by_contact ON lines (contact) WHERE contact IS NOT NULL;
  CREATE INDEX lines_by_run ON lines (run);
  CREATE INDEX lines_by_folder ON lines (folder);
  CREATE INDEX lines_by_outcome ON lines (outcome) WHERE outcome IS NOT NULL;
  CREATE TABLE runs (
    folder TEXT NOT NULL, name TEXT NOT NULL, instant TEXT NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL,
    status TEXT, PRIMARY KEY (folder, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX runs_of_all ON runs (instant DESC, folder, place DESC);
  CREATE INDEX runs_of_folder ON runs (folder, instant DESC, place DESC);
  CREATE INDEX runs_by_id ON runs (id);
  CREATE TABLE states (
    id INTEGER PRIMARY KEY AUTOINCREMENT, folder TEXT NOT NULL UNIQUE, turn INTEGER NOT NULL, stamps TEXT NOT NULL,
    generation INTEGER NOT NULL, seq INTEGER NOT NULL, log_end INTEGER NOT NULL, log_tail TEXT NOT NULL,
    basis TEXT NOT NULL
  ) STRICT;
  CREATE TABLE records (
    state INTEGER NOT NULL, collection INTEGER NOT NULL, key TEXT NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (state, collection, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE terms (
    state INTEGER NOT NULL, collection INTEGER NOT NULL, term TEXT NOT NULL, key TEXT NOT NULL,
    PRIMARY KEY (state, collection, term, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX terms_by_key ON terms (state, collection, key);
  CREATE INDEX terms_by_term ON terms (term, state);
`;

/** Opens it, and makes it anew if it cannot be used as it is. Throws if it cannot be made either. */
export function openIndexDatabase(path: string): DatabaseSync {
  try {
    return openOnce(path);
  } catch (error) {
    if (!isDamage(error)) throw error;
    removeIndexDatabase(path);
    return openOnce(path);
  }
}

/** What SQLite says of bytes that are no database, or not the one they were: SQLITE_CORRUPT and SQLITE_NOTADB. */
export function isDamage(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && [11, 26].includes(Number(error.errcode) & 0xff);
}

/** Processes that still have it open go on in files without a name; the next one that opens it begins anew. */
export function removeIndexDatabase(path: string): void {
  for (const each of [path, `${path}-wal`, `${path}-shm`]) rmSync(each, { force: true });
}

function openOnce(path: string): DatabaseSync {
  makePrivate(path);
  const db = new DatabaseSync(path, { timeout: busyMs });
  try {
    db.exec('PRAGMA journal_mode = WAL');
    // A power loss may take the last turns, which are indexed again then. It damages nothing.
    db.exec('PRAGMA synchronous = NORMAL');
    // Text that was deleted from the files is not to be read from the free pages of the index.
    db.exec('PRAGMA secure_delete = ON');
    if (!isOurs(db)) makeTables(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Only the account of the daemon: the index has contact details, as the files have. Never through a link. */
function makePrivate(path: string): void {
  try {
    if (!lstatSync(path).isFile()) throw new Error(`${path} is no file`);
    chmodSync(path, 0o600);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    closeSync(openSync(path, 'wx', 0o600));
  }
}

function isOurs(db: DatabaseSync): boolean {
  return pragma(db, 'application_id') === applicationId && pragma(db, 'user_version') === version;
}

function pragma(db: DatabaseSync, name: 'application_id' | 'user_version'): unknown {
  return db.prepare(`PRAGMA ${name}`).get()?.[name];
}

/** In one transaction: of two processes that begin at once, the second finds the tables of the first. */
function makeTables(db: DatabaseSync): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    if (!isOurs(db)) {
      const found = db.prepare(
        "SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'",
      );
      for (const { type, name } of found.all()) db.exec(`DROP ${String(type)} "${String(name).replaceAll('"', '""')}"`);
      db.exec(tables);
      db.exec(`PRAGMA application_id = ${applicationId}`);
      db.exec(`PRAGMA user_version = ${version}`);
    }
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
