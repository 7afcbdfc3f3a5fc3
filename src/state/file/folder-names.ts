// Lists the names in folders that are asked for again and again: a folder that is as it was is not read.
import { statSync } from 'node:fs';
import { namesNow } from './disk.ts';

interface Seen {
  readonly stamp: string;
  /** Milliseconds of this process at which the folder first had this stamp. */
  readonly since: number;
  /** The names were read later than a grain after that: without another stamp there is no other name. */
  readonly isSettled: boolean;
  readonly names: readonly string[];
}

/** Disks count instants in steps of up to ten milliseconds; some in steps of two seconds, as FAT does. */
const grainMs = 2_500;

/** Clocks of a disk and of this process differ by less, or the folder counts as changed just now. */
const clocksApartMs = 60_000;

/**
 * Whether a folder that was read now, after `sinceMs` with this stamp, has no other name without another stamp: its last change
 * is longer ago than the grain. A folder that nothing changed for a minute need not be watched for that.
 */
export function isSettledNow(stamp: string, sinceMs: number): boolean {
  const changedAt = Number(stamp.slice(stamp.indexOf(':') + 1));
  return sinceMs > grainMs || performance.timeOrigin + performance.now() - changedAt > grainMs + clocksApartMs;
}

/** The names in a folder, in any order: the same list as long as none has come or gone. None: there is no folder. */
export function createFolderNames(): (path: string) => readonly string[] {
  const seenByPath = new Map<string, Seen>();
  return (path) => {
    const stamp = folderStamp(path);
    const seen = seenByPath.get(path);
    if (seen?.stamp === stamp && seen.isSettled) return seen.names;
    const at = performance.now();
    const since = seen?.stamp === stamp ? seen.since : at;
    const found = stamp === noFolder ? [] : namesNow(path);
    const isSame = seen?.names.length === found.length && found.every((name, index) => name === seen.names[index]);
    const names = isSame ? seen.names : found;
    seenByPath.set(path, { stamp, since, isSettled: stamp === noFolder || isSettledNow(stamp, at - since), names });
    return names;
  };
}

const noFolder = '-';

/** Changes whenever a name comes or goes, but not twice within the grain of the clock of the disk. */
export function folderStamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.ino}:${stats.mtimeMs}` : noFolder;
}
