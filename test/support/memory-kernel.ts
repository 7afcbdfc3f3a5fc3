// The kernel's locks in memory: a lock ends with its process, which a test ends.
import type { KernelLocks } from '../../src/state/file/kernel-lock.ts';
import type { Every } from '../../src/state/file/lock.ts';

export interface MemoryKernel {
  locksOf(pid: number): KernelLocks;
}

let kernels = 0;

/**
 * One machine. Two holders of one process exclude each other, as on a real one. `startOf`: undefined for a process that
 * has ended; another start is another process.
 */
export function createMemoryKernel(startOf: (pid: number) => string | null | undefined): MemoryKernel {
  kernels += 1;
  const id = `kernel ${kernels}`;
  const holders = new Map<string, { readonly pid: number; readonly start: string | null | undefined }>();
  const isHeld = (folder: string) => {
    const holder = holders.get(folder);
    const start = holder && startOf(holder.pid);
    return start !== undefined && (start === null || start === holder?.start);
  };
  return {
    locksOf: (pid) => ({
      async tryTake(folder) {
        if (isHeld(folder)) return 'taken';
        const own = { pid, start: startOf(pid) };
        holders.set(folder, own);
        return {
          id,
          release() {
            if (holders.get(folder) === own) holders.delete(folder);
          },
        };
      },
    }),
  };
}

/** A file system whose locks cannot be trusted. */
export const noKernelLocks: KernelLocks = { tryTake: async () => undefined };

/** Signs of life are never shown. */
export const never: Every = () => () => {};
