// Has the tests keep their folders in memory, where the machine has a file system for that.
import { accessSync, constants, existsSync, globSync, mkdirSync, rmSync, statfsSync, statSync } from 'node:fs';
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
  const folder = join(memory, `ls-${process.pid}`);
  removeLeftovers();
  mkdirSync(folder, { mode: 0o700 });
  process.env['TMPDIR'] = folder;
  return {
    [Symbol.dispose]() {
      delete process.env['TMPDIR'];
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A run that was interrupted removes nothing. Its folder is named by its process. */
function removeLeftovers(): void {
  for (const name of globSync('ls-[0-9]*', { cwd: memory })) {
    if (statSync(join(memory, name)).uid !== process.getuid?.()) continue;
    const isRunning = existsSync(join('/proc', name.slice('ls-'.length)));
    if (!isRunning || name === `ls-${process.pid}`) rmSync(join(memory, name), { recursive: true, force: true });
  }
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
