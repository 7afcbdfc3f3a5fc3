// What is remembered of logins to the console: `.logins.json` beside the folders of the jobs, readable by its owner alone.
import { join } from 'node:path';
import type { JsonObject } from '../port.ts';
import { type Disk, onDisk, readIfThere, syncFolder, writeWhole } from './disk.ts';

const fileName = '.logins.json';

/** A damaged file counts as none: people log in again. */
export function readLoginsFile(disk: Disk, root: string): Promise<JsonObject | undefined> {
  const path = join(root, fileName);
  return onDisk(path, async () => {
    const bytes = await readIfThere(disk, path);
    return bytes && parseObject(bytes.toString('utf8'));
  });
}

/** An ended login stays ended after a power loss, so the name is durable, too. */
export async function writeLoginsFile(disk: Disk, root: string, logins: JsonObject): Promise<void> {
  await onDisk(root, async () => {
    await disk.mkdir(root, { recursive: true, mode: 0o700 });
    const draft = join(root, `${fileName}.tmp`);
    await writeWhole(disk, draft, [Buffer.from(`${JSON.stringify(logins)}\n`)]);
    await disk.rename(draft, join(root, fileName));
    await syncFolder(disk, root);
  });
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
