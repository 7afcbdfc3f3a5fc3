import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';

/** What tells the living from the dead on this machine. */
export interface Processes {
  readonly host: string;
  readonly pid: number;
  /**
   * `gone`, or when the process started, in words that no other process of that id shares, not even after a reboot; null
   * where the system does not say. Compared, never interpreted.
   */
  readonly startOf: (pid: number) => Promise<'gone' | { readonly start: string | null }>;
}

export interface ProcessDep {
  readonly pid: number;
  /** As process.kill with signal 0: throws ESRCH when there is no such process. */
  readonly probe: (pid: number) => void;
}

export function createProcesses({ pid: ownPid, probe }: ProcessDep): Processes {
  return {
    host: hostname(),
    pid: ownPid,
    async startOf(pid) {
      try {
        probe(pid);
      } catch (error) {
        // EPERM: it is there, and another account's.
        if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return 'gone';
      }
      return readStart(pid);
    },
  };
}

/** proc(5): /proc/<pid>/stat has the state as its 3rd field and the start, in ticks since boot, as its 22nd. */
async function readStart(pid: number): Promise<'gone' | { readonly start: string | null }> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    // The second field is the program's name in brackets, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, ticks] = [fields[0], fields[19]];
    // A zombie has ended; only its parent has not asked for its exit code.
    if (state === 'Z' || state === 'X') return 'gone';
    return { start: ticks === undefined ? null : `${boot.trim()}/${ticks}` };
  } catch {
    return { start: null };
  }
}
