// Writes files that people write, too: what another one wrote meanwhile stays, and so does all of it where the new text does not fit.
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';

/** The file is not as it was read. Nothing was written. */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile';
}

/**
 * Puts `text` into the file, in place: a file that is mounted into a container cannot be replaced, and a link stays one. `before`: its
 * text when it was read; undefined: there was no file. Throws ChangedMeanwhile, and as `node:fs` does; the file then stays as it was.
 */
export function writePlainText(path: string, before: string | undefined, text: string): void {
  if (before === undefined) return writeNew(path, text);
  const file = openSync(path, 'r+');
  try {
    const old = readFileSync(file);
    if (old.toString('utf8') !== before) throw new ChangedMeanwhile(`${path} was changed meanwhile`);
    try {
      overwrite(file, Buffer.from(text));
      fsyncSync(file);
    } catch (error) {
      restore(file, old);
      throw error;
    }
  } finally {
    closeSync(file);
  }
}

function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    // A link to a file that is not there yet: the file is made.
    if (!existsSync(path)) return writeFileSync(path, text);
    throw new ChangedMeanwhile(`${path} was made meanwhile`, { cause: error });
  }
}

/** The file is never cut to nothing before: on a full disk that would be all that is left of it. */
function overwrite(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, at);
  ftruncateSync(file, bytes.length);
}

/** Writes the old text back. It fits: the file had room for it before. */
function restore(file: number, old: Buffer): void {
  try {
    ftruncateSync(file, old.length);
    overwrite(file, old);
  } catch {
    // The first error says why.
  }
}
