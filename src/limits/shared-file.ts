// Starts of calls that all processes of a machine share, in a database in the folder of the state.
import { chownSync, closeSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Limit, SharedStarts } from './meter.ts';

export interface SharedFileDep {
  /** Of the state. While it is not there, nothing is shared; it is not made here. */
  readonly folder: string;
  /** Milliseconds on a clock that is never set back and that all processes of the machine read alike: process.hrtime. */
  readonly uptime: () => number;
  readonly pid: number;
  /** Called once if the file cannot be used. */
  readonly warn: (message: string) => void;
}

/** Holds one open file. Disposing it gives up a place among those that wait. */
export type SharedFile = SharedStarts & Disposable;

/** Microseconds: integers in the database, which JavaScript holds exactly for 285 years of uptime. */
const perMs = 1_000;
const minuteUs = 60_000 * perMs;
/** A process that does not ask again by then, after the time that it was told, has left its place among those that wait. */
const lateUs = 300 * perMs;
/** Starts of one instant are noted a microsecond apart. Rows further ahead are of another start of the machine. */
const aheadUs = 1_000 * perMs;
/** One that waits behind another asks again after this: the other one asks at the instant in which it is its turn. */
const behindMs = 5;
/** A transaction takes about a tenth of a millisecond. One that lasts longer is that of a suspended process or a tool. */
const lockWaitMs = 200;
/** So long after a failure the file is not used. */
const brokenMs = 10_000;

/** https://www.sqlite.org/rescode.html */
const sqliteCorrupt = 11;
const sqliteNoDatabase = 26;

/**
 * Everything in it is worked out anew within a minute: deleting it is harmless, and no write waits for the disk. The clock
 * begins anew with the machine, so each row names the start of the machine that it belongs to.
 */
export function createSharedFile({ folder, uptime, pid, warn }: SharedFileDep): SharedFile {
  // Hidden, as it is no folder of a job.
  const path = join(folder, '.budget.db');
  const boot = readBoot();
  const nowUs = () => Math.round(uptime() * perMs);
  const me = `${pid} ${nowUs()}`;
  let opened: ReturnType<typeof openFile> | undefined;
  let brokenUntil = -Infinity;
  let isTold = false;

  /** undefined: the file cannot be used now. */
  function use<Value>(work: (file: ReturnType<typeof openFile>) => Value): Value | undefined {
    if (uptime() < brokenUntil) return undefined;
    try {
      const inode = statSync(path, { throwIfNoEntry: false })?.ino;
      if (opened && opened.inode !== inode) close();
      if (!opened) {
        if (!statSync(folder, { throwIfNoEntry: false })) return undefined;
        opened = openFile(path, boot);
      }
      return work(opened);
    } catch (error) {
      fail(error);
      return undefined;
    }
  }

  function close(): void {
    opened?.database.close();
    opened = undefined;
  }

  function fail(error: unknown): void {
    close();
    brokenUntil = uptime() + brokenMs;
    const code = sqliteCode(error);
    const isDamaged = code === sqliteCorrupt || code === sqliteNoDatabase;
    if (isDamaged) removeFiles(path);
    if (isTold) return;
    isTold = true;
    const why = error instanceof Error ? error.message : String(error);
    const remedy = isDamaged
      ? 'It was damaged and is made anew'
      : 'Let the account that runs leadsheet own the file, or delete it: it is made anew';
    warn(`${path}: calls of other processes of this machine are not counted for now (${why}). ${remedy}`);
  }

  return {
    take: (budget, limit) =>
      use((file) => file.inTransaction(() => take(file.statements, `${boot} ${budget}`, me, limit, nowUs()))),
    lastMinute: (budget) =>
      use(({ statements }) => {
        const now = nowUs();
        return Number(statements.countSince.get(`${boot} ${budget}`, now - minuteUs, now + aheadUs)?.['n'] ?? 0);
      }),
    pause(budget, ms) {
      use((file) => {
        const now = nowUs();
        file.statements.pause.run(`${boot} ${budget}`, now, now + Math.round(ms * perMs));
      });
    },
    pausedMs: (budget) =>
      use(({ statements }) => {
        const now = nowUs();
        return (pausedUntil(statements, `${boot} ${budget}`, now) - now) / perMs;
      }),
    [Symbol.dispose]() {
      if (opened) use((file) => file.statements.leave.run(me));
      close();
    },
  };
}

type Statements = ReturnType<typeof prepare>;

function take(statements: Statements, budget: string, me: string, { startsMax, lengthMs }: Limit, now: number): number {
  const lengthUs = Math.ceil(lengthMs * perMs);
  statements.forget.run(budget, now - Math.max(minuteUs, lengthUs), now + aheadUs);
  const paused = pausedUntil(statements, budget, now) - now;
  const leaving = Number.isFinite(startsMax) ? statements.nthNewest.get(budget, startsMax - 1)?.['at'] : undefined;
  const full = leaving === undefined ? 0 : Number(leaving) + lengthUs - now;
  let waitUs = Math.max(paused, full);
  if (waitUs <= 0) {
    const used = Number(statements.countSince.get(budget, now - lengthUs, now + aheadUs)?.['n'] ?? 0);
    const ahead = Number(statements.countAhead.get(budget, me, now, me, now)?.['n'] ?? 0);
    if (ahead < startsMax - used) {
      const newest = Number(statements.nthNewest.get(budget, 0)?.['at'] ?? -1);
      statements.start.run(budget, Math.max(now, newest + 1));
      statements.leaveOne.run(budget, me);
      return 0;
    }
    waitUs = behindMs * perMs;
  }
  statements.wait.run(budget, me, now, now + waitUs + lateUs);
  return Math.max(1, Math.ceil(waitUs / perMs));
}

function pausedUntil(statements: Statements, budget: string, now: number): number {
  return Math.max(now, Number(statements.paused.get(budget, now)?.['until'] ?? now));
}

function openFile(path: string, boot: string) {
  makeFile(path);
  const database = new DatabaseSync(path, { timeout: lockWaitMs });
  try {
    // A journal that stays is the quickest that a killed process cannot damage the file with; a power loss may.
    database.exec(`
      PRAGMA journal_mode = PERSIST; PRAGMA synchronous = OFF;
      BEGIN IMMEDIATE;
      CREATE TABLE IF NOT EXISTS starts (budget TEXT, at INTEGER, PRIMARY KEY (budget, at)) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS waits (budget TEXT, process TEXT, since INTEGER, until INTEGER, PRIMARY KEY (budget, process)) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS pauses (budget TEXT PRIMARY KEY, told INTEGER, until INTEGER) WITHOUT ROWID;
    `);
    for (const table of ['starts', 'waits', 'pauses']) {
      database.prepare(`DELETE FROM ${table} WHERE substr(budget, 1, length(?)) <> ?`).run(`${boot} `, `${boot} `);
    }
    database.exec('COMMIT');
    const statements = prepare(database);
    return { database, statements, inode: statSync(path).ino, inTransaction };
  } catch (error) {
    database.close();
    throw error;
  }

  function inTransaction<Value>(work: () => Value): Value {
    database.exec('BEGIN IMMEDIATE');
    try {
      const value = work();
      database.exec('COMMIT');
      return value;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }
}

function prepare(database: DatabaseSync) {
  return {
    forget: database.prepare('DELETE FROM starts WHERE budget = ? AND (at <= ? OR at > ?)'),
    start: database.prepare('INSERT INTO starts VALUES (?, ?)'),
    nthNewest: database.prepare('SELECT at FROM starts WHERE budget = ? ORDER BY at DESC LIMIT 1 OFFSET ?'),
    countSince: database.prepare('SELECT count(*) AS n FROM starts WHERE budget = ? AND at > ? AND at <= ?'),
    /** Those that wait, are not late, and began to wait before this process. */
    countAhead: database.prepare(
      'SELECT count(*) AS n FROM waits AS w WHERE budget = ? AND process <> ? AND until >= ? AND since < ' +
        'coalesce((SELECT since FROM waits WHERE budget = w.budget AND process = ? AND until >= ?), 9e15)',
    ),
    wait: database.prepare(
      'INSERT INTO waits VALUES (?1, ?2, max(?3, coalesce((SELECT max(since) FROM waits WHERE budget = ?1) + 1, 0)), ?4) ' +
        'ON CONFLICT DO UPDATE SET until = ?4, since = CASE WHEN until >= ?3 THEN since ELSE excluded.since END',
    ),
    leaveOne: database.prepare('DELETE FROM waits WHERE budget = ? AND process = ?'),
    leave: database.prepare('DELETE FROM waits WHERE process = ?'),
    pause: database.prepare(
      'INSERT INTO pauses VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET told = ?2, ' +
        'until = CASE WHEN told <= ?2 THEN max(until, ?3) ELSE ?3 END',
    ),
    paused: database.prepare('SELECT until FROM pauses WHERE budget = ? AND told <= ?'),
  };
}

/** Only this account reads it. A command of root leaves it to the account that owns the folder. */
function makeFile(path: string): void {
  let handle: number;
  try {
    handle = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw error;
  }
  closeSync(handle);
  const { uid, gid } = statSync(join(path, '..'));
  if (statSync(path).uid === 0 && uid !== 0) chownSync(path, uid, gid);
}

function removeFiles(path: string): void {
  try {
    for (const name of [path, `${path}-journal`]) rmSync(name, { force: true });
  } catch {
    // Then it stays damaged, and the process counts alone.
  }
}

/** The low byte is the kind of the error. */
function sqliteCode(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** The id of this start of the machine; a blank: the system has none. */
function readBoot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
