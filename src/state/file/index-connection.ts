// The connection of a process to the database of the index. Where it fails, it says so once, and the files are read instead.
import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { FileDriverDep } from './dep.ts';
import { isDamage, openIndexDatabase, removeIndexDatabase } from './index-database.ts';

export interface IndexConnection {
  /**
   * Runs work on the index; undefined: it failed. Damage is removed, and the next call begins anew. After another failure
   * nothing is tried until somebody deletes or replaces the file, as the message says.
   */
  readonly attempt: <Result>(work: (open: DatabaseSync) => Promise<Result>) => Promise<Result | undefined>;
}

/** `path`: of the database. It is opened by the first work. */
export function createIndexConnection(path: string, { warn }: Pick<FileDriverDep, 'warn'>): IndexConnection {
  let db: DatabaseSync | undefined;
  /** What was said, and the file of then. */
  let failure: { readonly what: string; readonly file: string | undefined } | undefined;

  function close(): void {
    try {
      db?.close();
    } catch {
      // It is not used again.
    }
    db = undefined;
  }

  function tell(what: string): void {
    const message = `the index ${path} ${what}; meanwhile the files themselves are read, which takes longer`;
    warn({ kind: 'unfinished', file: path, message });
  }

  return {
    async attempt(work) {
      if (failure?.file !== undefined && failure.file === fileAt(path)) return undefined;
      let used: DatabaseSync | undefined;
      try {
        db ??= openIndexDatabase(path);
        used = db;
        const result = await work(db);
        failure = undefined;
        return result;
      } catch (error) {
        // Other work on the same damaged database has said so.
        if (used !== undefined && used !== db) return undefined;
        close();
        if (isDamage(error)) {
          tell('is damaged, and is made anew');
          try {
            removeIndexDatabase(path);
            return undefined;
          } catch {
            // Said below.
          }
        }
        const what = `cannot be used: ${error instanceof Error ? error.message : String(error)}. Delete it when its cause is gone`;
        if (failure?.what !== what) tell(what);
        failure = { what, file: fileAt(path) };
        return undefined;
      }
    },
  };
}

/** Which file it is; undefined: none can be seen. A new file may get the number of a deleted one. */
function fileAt(path: string): string | undefined {
  try {
    const { ino, birthtimeMs } = statSync(path);
    return `${ino} ${birthtimeMs}`;
  } catch {
    return undefined;
  }
}

/** Work that stands whole in the database, or not at all. It blocks this process. */
export function inTransaction<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite has undone it already where the disk is full or fails: the failure of a second ROLLBACK would hide that.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Several questions to the same contents of the database. */
export function inSnapshot<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('BEGIN');
  try {
    return work();
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

/** Changes whenever another connection has committed something. */
export function othersVersion(db: DatabaseSync): number {
  return Number(statement(db, 'PRAGMA data_version').get()?.['data_version']);
}

/** What a process keeps of a database. One that was made anew after damage begins with nothing, as its contents do. */
export function keptPerDatabase<Kept>(begin: () => Kept): (db: DatabaseSync) => Kept {
  const keptByDatabase = new WeakMap<DatabaseSync, { readonly kept: Kept }>();
  return (db) => {
    const { kept } = keptByDatabase.get(db) ?? { kept: begin() };
    keptByDatabase.set(db, { kept });
    return kept;
  };
}

const statementsOf = keptPerDatabase(() => new Map<string, StatementSync>());

/** A statement that is asked again and again: to prepare it takes longer than a short answer. */
export function statement(db: DatabaseSync, sql: string): StatementSync {
  const known = statementsOf(db);
  const prepared = known.get(sql) ?? db.prepare(sql);
  known.set(sql, prepared);
  return prepared;
}
