// Reads the lines of a file from an offset on.
import { hasCode } from './disk.ts';
import type { Disk, OpenFile } from './disk.ts';

/** Bytes in one read: a day of history may be larger than memory should hold. */
const chunkBytes = 64 * 1024;

const newline = 0x0a;

/**
 * The whole lines of a file from an offset on, each with the offset of its end. Text after the last newline is left for
 * later: its writer may not be done. A missing file has none.
 */
export async function* readLines(
  disk: Disk,
  path: string,
  from: number,
): AsyncGenerator<{ readonly text: string; readonly end: number }> {
  let file: OpenFile;
  try {
    file = await disk.open(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  try {
    let pieces: Buffer[] = [];
    let position = from;
    for (;;) {
      const buffer = Buffer.alloc(chunkBytes);
      const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
      if (bytesRead === 0) return;
      const chunk = buffer.subarray(0, bytesRead);
      let start = 0;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
        pieces.push(chunk.subarray(start, at));
        yield { text: Buffer.concat(pieces).toString('utf8'), end: position + at + 1 };
        pieces = [];
        start = at + 1;
      }
      if (start < bytesRead) pieces.push(chunk.subarray(start));
      position += bytesRead;
    }
  } finally {
    await file.close();
  }
}
