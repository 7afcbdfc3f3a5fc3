// The last heartbeat of the daemon: `.daemon.json` beside the folders of the jobs, whose names never begin with a dot.
import { join } from 'node:path';
import type { JsonObject } from '../port.ts';
import { onDisk, readIfThere, writeWhole } from './disk.ts';
import type { Disk } from './disk.ts';

const fileName = '.daemon.json';

export async function readHeartbeatFile(disk: Disk, root: string): Promise<JsonObject | undefined> {
  try {
    const bytes = await readIfThere(disk, join(root, fileName));
    const read: unknown = bytes && JSON.parse(bytes.toString('utf8'));
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as JsonObject) : undefined;
  } catch {
    // Nothing depends on it: an unreadable file counts as none.
    return undefined;
  }
}

/** Its name is not made durable: it is rewritten within a minute. */
export async function writeHeartbeatFile(disk: Disk, root: string, heartbeat: JsonObject): Promise<void> {
  await onDisk(root, async () => {
    await disk.mkdir(root, { recursive: true, mode: 0o700 });
    const draft = join(root, `${fileName}.tmp`);
    await writeWhole(disk, draft, [Buffer.from(`${JSON.stringify(heartbeat, null, 2)}\n`)]);
    await disk.rename(draft, join(root, fileName));
  });
}
