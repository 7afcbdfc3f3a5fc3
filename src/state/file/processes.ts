// Finds out whether the holder of a lock still runs.
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/** Tells whether a process of this machine still runs. */
export interface Processes {
  readonly host: string;
  readonly pid: number;
  /** The space in which process ids mean something, as a text: containers have their own. null: the system does not say. */
  readonly space: () => Promise<string | null>;
  /**
   * `gone`, or the start of the process as a text that no other process with that id shares, not even after a reboot;
   * null: the system does not say. Compared, never interpreted.
   */
  readonly startOf: (pid: number) => Promise<'gone' | { readonly start: string | null }>;
}

export interface ProcessDep {
  readonly pid: number;
  /** Like process.kill with signal 0: throws ESRCH if there is no such process. */
  readonly probe: (pid: number) => void;
}

export function createProcesses({ pid: ownPid, probe }: ProcessDep): Processes {
  return {
    host: hostname(),
    pid: ownPid,
    space: readSpace,
    async startOf(pid) {
      try {
        probe(pid);
      } catch (error) {
        // EPERM: it exists, under another account.
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
    // The second field is the program's name in brackets, with any characters.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, ticks] = [fields[0], fields[19]];
    // A zombie has ended; only its parent has not read its exit code.
    if (state === 'Z' || state === 'X') return 'gone';
    return { start: ticks === undefined ? null : `${boot.trim()}/${ticks}` };
  } catch {
    return { start: null };
  }
}

/** pid_namespaces(7): the number in the link is that of the namespace. */
async function readSpace(): Promise<string | null> {
  try {
    return await readlink('/proc/self/ns/pid');
  } catch {
    return null;
  }
}
