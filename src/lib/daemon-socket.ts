// Says at which path the daemon of a state folder listens to commands. The daemon and the commands both ask this.
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { platform as systemPlatform, tmpdir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/**
 * A socket's path has 104 bytes on macOS and 108 on Linux, with a zero at the end (unix(7), sys/un.h). The daemon makes the
 * socket in a folder of its own beside it first, whose name adds `draftExtra`.
 */
const pathBytesMax = 100;
const draftExtra = '/.daemon-XXXXXX/s'.length - '/.daemon.sock'.length;

/**
 * The paths in the order in which they are tried. The second is for a first one that is too long, and for a disk of the
 * state that holds no sockets.
 */
export function daemonSocketPaths(stateFolder: string, platform: string = systemPlatform()): readonly string[] {
  const folder = realFolder(stateFolder);
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  if (platform === 'win32') return [`\\\\.\\pipe\\leadsheet-${name}`];
  const beside = join(folder, '.daemon.sock');
  const short = join(privateFolder(), `${name}.sock`);
  // A state in a database has no folder that surely belongs to this account.
  const isBeside = dirname(folder) !== privateFolder() && Buffer.byteLength(beside) + draftExtra <= pathBytesMax;
  return isBeside ? [beside, short] : [short];
}

/** A named pipe of Windows, which is no file. */
export function isPipe(path: string): boolean {
  return path.startsWith('\\\\.\\pipe\\');
}

/** Another account could have made the folder of the short path first, and listen there. */
export function isOursOnly(path: string): boolean {
  const folder = dirname(path);
  if (folder !== privateFolder()) return true;
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found !== undefined && found.isDirectory() && found.uid === accountId() && (found.mode & 0o077) === 0;
}

/** Makes the folder of a socket, for this account alone, if it is not there. */
export function makeSocketFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
}

/** Of this account alone, for what does not outlive the machine. */
export function privateFolder(): string {
  return join(tmpdir(), `leadsheet-${accountId()}`);
}

function accountId(): number {
  try {
    return userInfo().uid;
  } catch {
    // In a container, the account may have no name (user: 12345).
    return statSync('/proc/self').uid;
  }
}

/** One folder has one name, also through symbolic links, and typed in other letters on a disk that knows no case. */
function realFolder(folder: string): string {
  try {
    // Only the system's own call knows the case that the disk has: `cd c:\users` in a shell of Windows keeps what was typed.
    return realpathSync.native(folder);
  } catch {
    return resolve(folder);
  }
}
