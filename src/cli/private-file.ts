// Files that a command writes for its account alone: they hold contact details.
import { closeSync, fchmodSync, fstatSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const mode = 0o600;

/**
 * Puts a file in place of what was there, readable by its owner alone whatever the file before it allowed. A link, and what
 * is no file, such as /dev/stdout, is written to. Throws as `node:fs` does; a file that was there then stays as it was.
 */
export function writePrivateFile(path: string, text: string, randomId: () => string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) return writeTo(path, 'w', text);
  const draft = join(dirname(path), `.${basename(path)}.${randomId()}.tmp`);
  try {
    writeFileSync(draft, text, { mode, flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Appends to a file, which from then on is readable by its owner alone. Throws as `node:fs` does. */
export function appendPrivateFile(path: string, text: string): void {
  writeTo(path, 'a', text);
}

function writeTo(path: string, flags: 'w' | 'a', text: string): void {
  const file = openSync(path, flags, mode);
  try {
    // Before the first byte: the file of another account, where this is not allowed, gets none.
    if (fstatSync(file).isFile()) fchmodSync(file, mode);
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}
