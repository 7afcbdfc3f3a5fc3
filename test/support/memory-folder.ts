// Has the tests keep their folders in memory, where the machine has a file system for that.
import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** Of Linux. In a container it may be small. */
const memory = '/dev/shm';
const freeBytesMin = 2 ** 30;

/**
 * Names a folder in memory as the temporary folder of this process, and of those that it starts. No test is about what a disk
 * keeps when the power goes: a process that is killed leaves in either file system what it wrote. On a slow disk half the time
 * of the tests went into waiting for `fsync` and into removing folders. Disposing it removes the folder.
 */
export function useMemoryFolder(): Disposable {
  const before = process.env['TMPDIR'];
  if (before !== undefined || !hasRoom()) return { [Symbol.dispose]() {} };
  // Short: the address of a local socket has 107 bytes at most.
  const folder = mkdtempSync(join(memory, 'ls-'));
  process.env['TMPDIR'] = folder;
  return {
    [Symbol.dispose]() {
      delete process.env['TMPDIR'];
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function hasRoom(): boolean {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= freeBytesMin;
  } catch {
    return false;
  }
}
