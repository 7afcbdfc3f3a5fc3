// A disk for folders in memory: each operation is done at once, in the thread of the test.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import type { Disk, OpenFile } from '../../src/state/file/disk.ts';

/**
 * The same files as those of `machineDisk`, with the same refusals. Nothing waits for a file in memory: there the detour through a
 * thread is most of what an operation takes.
 */
export const promptDisk: Disk = {
  open: async (path, flags, mode) =>
    openFile(withoutStack(() => openSync(path, flags === 'r+' ? constants.O_RDWR | noFollow : flags, mode))),
  readFile: async (path) => withoutStack(() => readFileSync(path)),
  readdir: async (path) => withoutStack(() => readdirSync(path)),
  stat: async (path) => withoutStack(() => statSync(path)),
  mkdir: async (path, options) => withoutStack(() => mkdirSync(path, options)),
  rename: async (from, to) => renameSync(from, to),
  link: async (existing, path) => withoutStack(() => linkSync(existing, path)),
  unlink: async (path) => withoutStack(() => unlinkSync(path)),
};

/** Most refusals answer "is it there?", and to note the stack takes longer than the answer. Code, call and path stay in the message. */
function withoutStack<Result>(operation: () => Result): Result {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return operation();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Undefined on Windows, against its type. */
const noFollow = (constants.O_NOFOLLOW as number | undefined) ?? 0;

function openFile(file: number): OpenFile {
  return {
    read: async (...args) => ({ bytesRead: readSync(file, ...args) }),
    write: async (...args) => ({ bytesWritten: writeSync(file, ...args) }),
    stat: async () => fstatSync(file),
    truncate: async (length) => ftruncateSync(file, length),
    datasync: async () => fsyncSync(file),
    sync: async () => fsyncSync(file),
    close: async () => closeSync(file),
  };
}
