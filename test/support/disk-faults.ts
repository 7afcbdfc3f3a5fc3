// What may go wrong with the disk in memory (memory-disk.ts), and the blocks in which it keeps and loses data.

export interface Fault {
  readonly operation: number;
  /**
   * `off`: the machine or the process ends. `astray`: if it is a write, its bytes go into another block of this file or of another
   * one, and zeros are in their place. Else the code of the error, or a lie.
   */
  readonly effect: 'off' | 'astray' | Refusal | Lie;
}

interface Refusal {
  readonly code: string;
  /** From then on. */
  readonly lasting?: boolean;
  /** The operation is done, and fails all the same. */
  readonly isDone?: true;
  /**
   * As on Linux: what a failed sync did not write counts as written. Later syncs succeed without it, reads show it as long as it is
   * in memory, and it is not on the disk.
   */
  readonly dropsWrites?: true;
}

/** A sync answers, and has done nothing. */
interface Lie {
  readonly isUnsynced: true;
  readonly lasting?: boolean;
}

/** A file in memory, and what of it is on the disk. */
interface Kept {
  readonly content: Buffer;
  readonly synced: Buffer;
  /** Blocks that no sync writes any more, unless they are written to again. */
  readonly dropped: ReadonlySet<number>;
}

export const blockBytes = 512;

export function isLasting({ effect }: Fault): boolean {
  return typeof effect === 'object' && effect.lasting === true;
}

/** The blocks that a write touches, counted from 0. */
export function blocksOf(position: number, length: number): readonly number[] {
  const [first, end] = [Math.floor(position / blockBytes), Math.ceil((position + length) / blockBytes)];
  return Array.from({ length: end - first }, (_, index) => first + index);
}

export function blockOf(bytes: Buffer, block: number): Buffer {
  return bytes.subarray(block * blockBytes, (block + 1) * blockBytes);
}

/** What a sync leaves on the disk. */
export function onDisk({ content, synced, dropped }: Kept): Buffer {
  if (dropped.size === 0) return content;
  const bytes = Buffer.from(content);
  for (const block of dropped) {
    blockOf(bytes, block).fill(0);
    blockOf(synced, block).copy(bytes, block * blockBytes);
  }
  return bytes;
}
