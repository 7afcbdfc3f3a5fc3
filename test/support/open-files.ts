import { globSync, readlinkSync } from 'node:fs';

/** The files below a folder that this process has open. Of Linux: proc(5). */
export function openBelow(folder: string): readonly string[] {
  const targets = globSync('/proc/self/fd/*').flatMap((link) => {
    try {
      return [readlinkSync(link)];
    } catch {
      // That of the listing itself is closed by now.
      return [];
    }
  });
  return targets.filter((target) => target.startsWith(`${folder}/`));
}
