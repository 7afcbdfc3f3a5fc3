// Writes files that only the account of the command may read: they hold contact details.
import { closeSync, fchmodSync, fstatSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const mode = 0o600;

/**
 * Replaces a file. Only its owner may read the new one, whatever the old one allowed. A link, or a path that is no file,
 * such as /dev/stdout, is written to. Throws as `node:fs` does; the old file then stays as it was.
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

/** Appends to a file, and lets only its owner read it. Throws as `node:fs` does. */
export function appendPrivateFile(path: string, text: string): void {
  writeTo(path, 'a', text);
}

function writeTo(path: string, flags: 'w' | 'a', text: string): void {
  const file = openSync(path, flags, mode);
  try {
    // Before the first byte: if this fails for another account's file, that file gets nothing.
    if (fstatSync(file).isFile()) fchmodSync(file, mode);
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}
