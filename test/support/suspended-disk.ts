// The disk as a process uses it that a test suspends right before an operation, and lets go on later.
import type { Disk, OpenFile } from '../../src/state/file/disk.ts';

export interface SuspendedDisk {
  readonly disk: Disk;
  /** Operations so far, those that only read included. */
  readonly operations: () => number;
  /** No operation from this one on begins until `resume`. */
  suspendAt(operation: number): void;
  /** Resolves when an operation waits. */
  readonly suspended: Promise<void>;
  resume(): void;
}

export function createSuspendedDisk(disk: Disk): SuspendedDisk {
  let operations = 0;
  let at = Infinity;
  const { promise: suspended, resolve: suspend } = Promise.withResolvers<void>();
  const { promise: resumed, resolve: resume } = Promise.withResolvers<void>();
  const counted =
    <Args extends readonly unknown[], Result>(operation: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      operations += 1;
      if (operations >= at) {
        suspend();
        await resumed;
      }
      return operation(...args);
    };
  const countedFile = (file: OpenFile): OpenFile => ({
    read: counted((...args: Parameters<OpenFile['read']>) => file.read(...args)),
    write: counted((...args: Parameters<OpenFile['write']>) => file.write(...args)),
    stat: counted(() => file.stat()),
    truncate: counted((length: number) => file.truncate(length)),
    datasync: counted(() => file.datasync()),
    sync: counted(() => file.sync()),
    close: counted(() => file.close()),
  });
  return {
    disk: {
      open: counted(async (...args: Parameters<Disk['open']>) => countedFile(await disk.open(...args))),
      readFile: counted((path: string) => disk.readFile(path)),
      readdir: counted((path: string) => disk.readdir(path)),
      stat: counted((path: string) => disk.stat(path)),
      mkdir: counted((...args: Parameters<Disk['mkdir']>) => disk.mkdir(...args)),
      rename: counted((from: string, to: string) => disk.rename(from, to)),
      link: counted((existing: string, path: string) => disk.link(existing, path)),
      unlink: counted((path: string) => disk.unlink(path)),
    },
    operations: () => operations,
    suspendAt: (operation) => void (at = operation),
    suspended,
    resume,
  };
}
