// The lock that the kernel keeps for a process, and gives back when that process ends.
import { open, readFile, stat, statfs, unlink } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hasCode } from './disk.ts';

export interface KernelLocks {
  /**
   * Takes the lock of a folder, without waiting; two holders in one process exclude each other as well. `taken`: another
   * holder has it, even one that is suspended. undefined: locks on this folder cannot be trusted. Throws like Disk.
   */
  tryTake(folder: string): Promise<KernelLock | 'taken' | undefined>;
}

export interface KernelLock {
  /** Of two holders that name one id at most one is living. null: that cannot be told on this system. */
  readonly id: string | null;
  release(): void;
}

/**
 * File systems whose locks the kernel of this machine keeps itself, by their numbers in statfs(2): ext2 to ext4, XFS,
 * Btrfs, tmpfs, ramfs, overlay, ZFS, F2FS, bcachefs, JFS. Locks over NFS, SMB, FUSE and 9p may be kept by one client
 * alone, or outlive it.
 */
const localTypes: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x858458f6, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x3153464a,
]);

export interface KernelLocksDep {
  readonly isLinux: boolean;
  /** The number of the file system of a folder. */
  readonly typeOf: (folder: string) => Promise<number>;
}

/** https://www.sqlite.org/rescode.html */
const sqliteBusy = 5;
const sqliteReadonly = 8;
const sqliteIoError = 10;
const sqliteCorrupt = 11;
const sqliteCannotOpen = 14;
const sqliteNoDatabase = 26;

/**
 * An exclusive transaction on an empty database in the folder. Nothing is ever written to it. SQLite locks the file in
 * the kernel (fcntl, LockFileEx), and keeps holders within one process apart itself. Node has no call for such locks.
 *
 * No other code of this program may open the file: closing any handle of it gives the process's lock back (fcntl(2)).
 */
export function createKernelLocks(
  { isLinux, typeOf }: KernelLocksDep = {
    isLinux: platform() === 'linux',
    typeOf: async (folder) => (await statfs(folder)).type,
  },
): KernelLocks {
  /** Elsewhere the numbers differ from version to version: there the lock is taken on every file system. */
  const isTrusted = async (folder: string) => !isLinux || localTypes.has(await typeOf(folder));

  async function tryTake(path: string): Promise<KernelLock | 'taken' | undefined> {
    const before = await identify(path);
    const database = openDatabase(path);
    try {
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      database.close();
      const code = sqliteCode(error);
      if (code === sqliteBusy) return 'taken';
      if (code === sqliteIoError) return undefined;
      if (code === sqliteCorrupt || code === sqliteNoDatabase) {
        // It is made anew. Its id is another one, so that a holder of the old file is not taken for an ended one.
        await unlink(path);
        return 'taken';
      }
      throw toDiskError(error, path);
    }
    const after = await identify(path);
    // The file was replaced while it was opened: the next try takes the lock of the new one.
    if (after !== before) {
      database.close();
      return 'taken';
    }
    const boot = await readBoot();
    return { id: boot === undefined ? null : `${boot}/${after}`, release: () => database.close() };
  }

  return {
    async tryTake(folder) {
      if (!(await isTrusted(folder))) return undefined;
      return tryTake(join(folder, 'lock.db'));
    },
  };
}

/** The identity of the file, which is made if there is none. */
async function identify(path: string): Promise<string> {
  try {
    // Only this account: the same mode as every file of the state. An existing file is not opened.
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return String((await stat(path)).ino);
}

function openDatabase(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: 0 });
  } catch (error) {
    throw toDiskError(error, path);
  }
}

/** The low byte is the kind of the error. */
function sqliteCode(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** An error of SQLite with the code of Node's for the same cause, so that its advice is the same. */
function toDiskError(error: unknown, path: string): unknown {
  const code = sqliteCode(error);
  if (code !== sqliteCannotOpen && code !== sqliteReadonly) return error;
  return Object.assign(new Error(String(error), { cause: error }), { code: 'EACCES', path });
}

/** The id of this start of the machine, the same in all its containers; undefined: the system has none. */
async function readBoot(): Promise<string | undefined> {
  try {
    return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  } catch {
    return undefined;
  }
}
