// The disk as one process uses it: once the process was killed, no operation of it begins any more.
import type { Disk, OpenFile } from '../../src/state/file/disk.ts';

/**
 * `begun` holds the operations that have begun and not ended: a process that begins after a kill waits for them, as an
 * operation of a killed process ends or never began. Background work, such as folding a log, ends with its process.
 */
export function createMortalDisk(disk: Disk, life: { readonly isDead: boolean }, begun: Set<Promise<unknown>>): Disk {
  const mortal =
    <Args extends readonly unknown[], Result>(operation: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> => {
      if (life.isDead) return new Promise(() => {});
      const promise = operation(...args);
      begun.add(promise);
      return promise.finally(() => begun.delete(promise));
    };
  const mortalFile = (file: OpenFile): OpenFile => ({
    read: mortal((...args: Parameters<OpenFile['read']>) => file.read(...args)),
    write: mortal((...args: Parameters<OpenFile['write']>) => file.write(...args)),
    stat: mortal(() => file.stat()),
    truncate: mortal((length: number) => file.truncate(length)),
    datasync: mortal(() => file.datasync()),
    sync: mortal(() => file.sync()),
    // The system closes the files of a killed process.
    close: () => file.close(),
  });
  return {
    open: mortal(async (...args: Parameters<Disk['open']>) => mortalFile(await disk.open(...args))),
    readFile: mortal((path: string) => disk.readFile(path)),
    readdir: mortal((path: string) => disk.readdir(path)),
    stat: mortal((path: string) => disk.stat(path)),
    mkdir: mortal((...args: Parameters<Disk['mkdir']>) => disk.mkdir(...args)),
    rename: mortal((from: string, to: string) => disk.rename(from, to)),
    link: mortal((existing: string, path: string) => disk.link(existing, path)),
    unlink: mortal((path: string) => disk.unlink(path)),
  };
}
