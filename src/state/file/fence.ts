// Keeps a holder that was taken over from changing the files of its successor.
import { hasCode, unlinkIfThere } from './disk.ts';
import type { Disk } from './disk.ts';

/**
 * A holder may be suspended between its look at the lock and a write, and be taken over meanwhile. Then the write comes late.
 * Two orders keep it out, without a lock:
 *
 *   a new file   draft -> look -> rename. The successor has the lock first, and then removes each draft. A holder whose look
 *                still finds its own lock has made its draft before: the draft is gone, and the rename fails
 *   an append    open -> look -> write. The successor has the lock first, and then puts a copy of the log in its place
 *                (Journal.takeLog). A holder whose look still finds its own lock has opened the old file, which no one reads
 */
export interface Fence {
  /** Whether the kernel excludes every other holder until this process ends. Then nothing comes late. */
  readonly isSole: boolean;
  /** The name of a draft for this file that no other holder ever uses. */
  draftOf(file: string): string;
  /** Throws LeaseLostError if the lock is not ours any more. */
  look(): Promise<void>;
}

/** Gives a draft its name. Call `look` after the draft was made. Throws LeaseLostError if a successor removed the draft. */
export async function renameDraft(disk: Disk, draft: string, file: string, fence: Fence): Promise<void> {
  try {
    await disk.rename(draft, file);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) await fence.look();
    throw error;
  }
}

/** Links a file under the name of a draft. Undefined: there is no such file. */
export async function linkDraft(
  disk: Disk,
  { file, target = file }: { readonly file: string; readonly target?: string },
  fence: Fence,
): Promise<string | undefined> {
  const draft = fence.draftOf(target);
  // What a failed try of this holder left.
  await unlinkIfThere(disk, draft);
  try {
    await disk.link(file, draft);
    return draft;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Drafts of the files of a job, also of earlier versions. */
export const draftForm = /^(?:base|outbox|rows|draft)\b.*\.tmp$/;
