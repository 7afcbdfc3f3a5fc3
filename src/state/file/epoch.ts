// Counts the leases of a sync, in the name of one empty file.
import { join } from 'node:path';
import { hasCode, namesIn, unlinkIfThere } from './disk.ts';
import type { Disk } from './disk.ts';

const form = /^lock\.epoch-(\d{1,15})$/;

function nameOf(epoch: number): string {
  return `lock.epoch-${epoch}`;
}

/** Each further try means that another process counted meanwhile. */
const triesMax = 100;

/**
 * Takes the next epoch, greater than each that was taken in this folder, and than `above`. Call it as holder of the lock.
 *
 * A rename from the last name to the next one succeeds for one process alone, and writes no content. So a holder that is
 * suspended here and taken over gets an epoch of its own, and sets no count back. The name outlives a killed process, and a
 * folder that is copied brings it along. A count in the lock's content would end with it, and with a person who deletes it.
 */
export async function takeEpoch(disk: Disk, folder: string, above = 0): Promise<number> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const found = (await namesIn(disk, folder)).flatMap((name) => form.exec(name)?.[1] ?? []).map(Number);
    const last = Math.max(0, ...found);
    const own = Math.max(last, above) + 1;
    try {
      if (last === 0) await (await disk.open(join(folder, nameOf(own)), 'wx', 0o600)).close();
      else await disk.rename(join(folder, nameOf(last)), join(folder, nameOf(own)));
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'EEXIST')) continue;
      throw error;
    }
    // The rest of two first leases that began at once.
    for (const epoch of found) if (epoch < last) await unlinkIfThere(disk, join(folder, nameOf(epoch)));
    return own;
  }
  throw new Error(`${folder}: the leases could not be counted, because other processes count them all the time`);
}
