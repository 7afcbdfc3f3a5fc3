// Reads the lines of a file from an offset on.
import { hasCode } from './disk.ts';
import type { Disk, OpenFile } from './disk.ts';

/** Bytes in one read: a day of history may be larger than memory should hold. */
const chunkBytes = 64 * 1024;

const newline = 0x0a;

export const newlineBytes = 1;

/** `text` is undefined for lines that were skipped: `end` is the end of the last of them. */
export interface ReadLine {
  readonly text: string | undefined;
  readonly start: number;
  readonly end: number;
}

/**
 * The whole lines of a file from an offset on. Text after the last newline is left for later: its writer may not be done.
 * A missing file has none. Lines for which `isSkipped` says so are not decoded, which is ten times faster; it
 * is given each with its newline.
 */
export async function* readLines(
  disk: Disk,
  path: string,
  from: number,
  isSkipped: (line: Buffer) => boolean = () => false,
): AsyncGenerator<ReadLine> {
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
    let lineStart = from;
    let skippedTo: number | undefined;
    let isReadAgain = false;
    for (;;) {
      const buffer = Buffer.alloc(chunkBytes);
      const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
      if (bytesRead === 0) {
        if (pieces.length === 0 || isReadAgain) return;
        // The newline may be there, and have been read wrong (S10).
        isReadAgain = true;
        [pieces, position] = [[], lineStart];
        continue;
      }
      const chunk = buffer.subarray(0, bytesRead);
      let start = 0;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
        pieces.push(chunk.subarray(start, at + newlineBytes));
        const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
        const end = position + at + newlineBytes;
        skippedTo = isSkipped(bytes) ? end : undefined;
        if (skippedTo === undefined)
          yield { text: bytes.toString('utf8', 0, bytes.length - newlineBytes), start: lineStart, end };
        pieces = [];
        lineStart = end;
        start = at + newlineBytes;
      }
      if (skippedTo !== undefined) yield { text: undefined, start: skippedTo, end: skippedTo };
      if (start < bytesRead) pieces.push(chunk.subarray(start));
      position += bytesRead;
    }
  } finally {
    await file.close();
  }
}
