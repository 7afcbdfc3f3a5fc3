// The disk operations of the file driver.
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { DiskError, StateError } from '../errors.ts';

/**
 * The part of `node:fs/promises` that the file driver needs. Errors have a `code` as Node's do (ENOENT, EEXIST,
 * ENOSPC...). A write is durable after `datasync` or `sync` of its file. A name (made, renamed, linked or removed) is
 * durable after `sync` of its folder, opened like a file.
 */
export interface Disk {
  open(path: string, flags: 'r' | 'r+' | 'wx', mode?: number): Promise<OpenFile>;
  readFile(path: string): Promise<Buffer>;
  readdir(path: string): Promise<string[]>;
  stat(path: string): Promise<FileStamp>;
  mkdir(path: string, options: { readonly recursive: true; readonly mode: number }): Promise<unknown>;
  rename(from: string, to: string): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  unlink(path: string): Promise<void>;
}

export interface OpenFile {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  write(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesWritten: number }>;
  stat(): Promise<FileStamp>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface FileStamp {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Only the account of the daemon: the state holds contact details. */
const fileMode = 0o600;
const folderMode = 0o700;

export async function makeFolder(disk: Disk, path: string): Promise<void> {
  await disk.mkdir(path, { recursive: true, mode: folderMode });
  await syncFolder(disk, path);
  await syncFolder(disk, dirname(path));
}

/** Makes the names in a folder durable. Some network drives and Windows do not support it; there it is skipped. */
export async function syncFolder(disk: Disk, path: string): Promise<void> {
  let folder: OpenFile;
  try {
    folder = await disk.open(path, 'r');
  } catch (error) {
    if (hasCode(error, 'EPERM', 'EISDIR')) return;
    throw error;
  }
  try {
    await folder.sync();
  } catch (error) {
    if (!hasCode(error, 'EINVAL', 'EPERM', 'ENOTSUP')) throw error;
  } finally {
    await folder.close();
  }
}

/**
 * Writes a new file in place of the old one. Its content is durable; its name is durable after the folder is synced.
 * The old file is removed first and never written through: it may be a link made by another account.
 */
export async function writeWhole(disk: Disk, path: string, chunks: Iterable<Buffer>): Promise<number> {
  const file = await openNew(disk, path);
  let position = 0;
  try {
    for (const chunk of chunks) {
      await writeAt(file, chunk, position);
      position += chunk.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return position;
}

async function openNew(disk: Disk, path: string): Promise<OpenFile> {
  try {
    return await disk.open(path, 'wx', fileMode);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    await unlinkIfThere(disk, path);
    return disk.open(path, 'wx', fileMode);
  }
}

/** `write` may write only a part of its argument. */
export async function writeAt(file: OpenFile, bytes: Buffer, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

export async function readIfThere(disk: Disk, path: string): Promise<Buffer | undefined> {
  return absentIsUndefined(disk.readFile(path));
}

export async function stampIfThere(disk: Disk, path: string): Promise<FileStamp | undefined> {
  return absentIsUndefined(disk.stat(path));
}

/** The names in a folder, in order; none if there is no folder. */
export async function namesIn(disk: Disk, path: string): Promise<readonly string[]> {
  const names = await absentIsUndefined(disk.readdir(path));
  return (names ?? []).toSorted();
}

/** The same at once, in any order, on a disk of this machine: there it takes less than the detour through a thread. */
export function namesNow(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/**
 * Parts of a file, at once: for a page of some lines of many files the detour through another thread takes longer than all
 * else. Undefined: there is no such file, or it ends before the part does.
 */
export function readPartsNow(
  path: string,
  parts: readonly { readonly start: number; readonly length: number }[],
): readonly (Buffer | undefined)[] {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return parts.map(() => undefined);
    throw error;
  }
  try {
    return parts.map(({ start, length }) => {
      const bytes = Buffer.alloc(length);
      return readSync(file, bytes, 0, length, start) === length ? bytes : undefined;
    });
  } finally {
    closeSync(file);
  }
}

/** False: no file has that name. */
export async function renameIfThere(disk: Disk, from: string, to: string): Promise<boolean> {
  return absentIsFalse(disk.rename(from, to));
}

export async function unlinkIfThere(disk: Disk, path: string): Promise<boolean> {
  return absentIsFalse(disk.unlink(path));
}

async function absentIsUndefined<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function absentIsFalse(promise: Promise<void>): Promise<boolean> {
  try {
    await promise;
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(error.code as string);
}

/** Runs a disk operation; turns a refusal of the disk into a DiskError for operators. */
export async function onDisk<Value>(file: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StateError || !(error instanceof Error) || !('code' in error)) throw error;
    const path = 'path' in error && typeof error.path === 'string' ? error.path : file;
    const { what, remedy } = explain(String(error.code), error.message);
    throw new DiskError(path, what, remedy, { cause: error });
  }
}

function explain(code: string, message: string): { readonly what: string; readonly remedy: string } {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return { what: 'the disk is full', remedy: 'Make room; nothing that was saved is lost' };
    case 'EROFS':
      return { what: 'the file system is read-only', remedy: 'Mount it writable; nothing that was saved is lost' };
    case 'EACCES':
    case 'EPERM':
      return {
        what: `not allowed (${code})`,
        remedy:
          'Let the account that runs leadsheet own the folder and the files in it, on a file system with hard links',
      };
    case 'ELOOP':
      return { what: 'a symbolic link where a file should be', remedy: 'Remove it, after a look at who made it' };
    case 'EISDIR':
    case 'ENOTDIR':
      return {
        what: 'a folder where a file should be, or the reverse',
        remedy: 'Move what does not belong there away',
      };
    case 'ENOTSUP':
    case 'EOPNOTSUPP':
      return { what: 'the file system has no hard links', remedy: 'Keep the state on a local or NFS volume' };
    default:
      return { what: `the disk answered ${message}`, remedy: 'Check the disk; nothing that was saved is lost' };
  }
}
