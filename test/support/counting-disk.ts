// The real disk, which tells what is read of it.
import * as nodeDisk from 'node:fs/promises';
import type { Disk } from '../../src/state/file/disk.ts';

export function countingDisk(onRead: (path: string, bytes: number, content: Uint8Array) => void): Disk {
  return {
    ...nodeDisk,
    async readFile(path) {
      const whole = await nodeDisk.readFile(path);
      onRead(path, whole.length, whole);
      return whole;
    },
    async open(path, flags, mode) {
      const file = await nodeDisk.open(path, flags, mode);
      return {
        async read(...args) {
          const read = await file.read(...args);
          onRead(path, read.bytesRead, args[0]);
          return read;
        },
        write: (...args) => file.write(...args),
        stat: () => file.stat(),
        truncate: (length) => file.truncate(length),
        datasync: () => file.datasync(),
        sync: () => file.sync(),
        close: () => file.close(),
      };
    },
  };
}
