// Names the machine of this process, so that another process can tell whether it is the same one.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

export interface MachineName {
  /** Containers of one machine have different ones. */
  readonly host: string;
  /** Differs by machine and by start of the machine, and is the same in all its containers. Null: the system does not say. */
  readonly boot: string | null;
}

export function machineName(): MachineName {
  return { host: hostname(), boot: readBoot() };
}

/** proc(5). */
function readBoot(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}
