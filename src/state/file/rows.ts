// The IDs of the rows of a tab, by number, as a run saw them last: for people who name a row. Derived, and deletable.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { LeaseLostError } from '../errors.ts';
import type { FileDriverDep } from './dep.ts';
import { readIfThere, stampIfThere, unlinkIfThere, writeWhole } from './disk.ts';
import { renameDraft } from './fence.ts';
import type { Fence } from './fence.ts';

export interface Rows {
  note(idByRow: ReadonlyMap<number, string>, fence: Fence): Promise<void>;
  read(): Promise<ReadonlyMap<number, string> | undefined>;
}

export function createRows(folder: string, { disk, warn }: Pick<FileDriverDep, 'disk' | 'warn'>): Rows {
  const file = join(folder, 'rows.json');
  /** What was read last: the rows of a large tab take some ten milliseconds to read. Each file is written once. */
  let known: { readonly stamp: string; readonly idByRow: ReadonlyMap<number, string> } | undefined;
  /** The digest of what the file holds; undefined: not known yet. */
  let held: string | undefined;

  async function write(text: string, fence: Fence): Promise<void> {
    const digest = digestOf(text);
    held ??= digestOf((await readIfThere(disk, file)) ?? '');
    if (digest === held) return;
    held = undefined;
    const draft = fence.draftOf(file);
    try {
      await writeWhole(disk, draft, [Buffer.from(text)]);
      await fence.look();
      await renameDraft(disk, draft, file, fence);
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      // Rows of an earlier run would be taken for those of this one.
      await unlinkIfThere(disk, file);
      throw error;
    }
    held = digest;
  }

  return {
    async note(idByRow, fence) {
      // The place in the list is the number of the row.
      const ids: (string | null)[] = [];
      for (const [number, id] of idByRow) {
        while (ids.length < number) ids.push(null);
        ids[number] = id;
      }
      try {
        await write(JSON.stringify(ids), fence);
      } catch (error) {
        const message = `the rows of the tab could not be noted in ${file}: ${String(error)}`;
        warn({ kind: 'unfinished', file, message });
      }
    },

    async read() {
      try {
        const stamp = await stampIfThere(disk, file);
        if (stamp === undefined) return undefined;
        const { ino, size, mtimeMs } = stamp;
        const key = `${ino}:${size}:${mtimeMs}`;
        if (known?.stamp === key) return known.idByRow;
        const bytes = await readIfThere(disk, file);
        if (bytes === undefined) return undefined;
        const ids = JSON.parse(bytes.toString('utf8')) as unknown;
        if (!Array.isArray(ids)) return undefined;
        const idByRow = new Map<number, string>();
        for (const [number, id] of ids.entries()) if (typeof id === 'string') idByRow.set(number, id);
        known = { stamp: key, idByRow };
        return idByRow;
      } catch {
        return undefined;
      }
    },
  };
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
