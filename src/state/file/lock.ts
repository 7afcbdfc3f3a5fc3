// The lock file behind a lease.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import delay from 'delay';
import { LeaseLostError, LeaseTakenError } from '../errors.ts';
import type { LeaseHolder } from '../errors.ts';
import type { LeaseOptions } from '../port.ts';
import { hasCode, namesIn, readIfThere, unlinkIfThere, writeWhole } from './disk.ts';
import type { Disk } from './disk.ts';
import type { Processes } from './processes.ts';

/**
 * One writer across processes (W7). The lock is a file that holds its owner and appears together with its content: it
 * is written under another name and linked, and a link is refused if the name exists. So of two simultaneous starts one
 * wins, and an empty or garbled lock has no owner.
 *
 *   none              linked: ours
 *   running holder    waited for, then LeaseTakenError
 *   another host      the same: from here its end cannot be proved
 *   ended holder, or  replaced, by the process with the claim on exactly this lock: a lock of its own, named after the
 *   no owner          content to be replaced, so that a late second process finds other content and gives up
 */
export interface Locks {
  acquire(options: LeaseOptions): Promise<Lock>;
}

export interface Lock {
  /** Throws LeaseLostError if another process removed the lock. */
  confirm(): Promise<void>;
  /** Removes the lock if it is still ours. If the disk refuses, the next acquire in this process takes it over. */
  release(): Promise<void>;
}

export interface LockDep {
  readonly disk: Disk;
  readonly processes: Processes;
  readonly now: () => number;
  readonly randomId: () => string;
}

interface Holder extends LeaseHolder {
  readonly start: string | null;
  readonly token: string;
}

/** SPEC W7: a command waits up to 10 s. */
const waitMsDefault = 10_000;
const pollMs = 100;
/**
 * The holder of a claim may end too, and the holder of the claim on that claim; more in a row than this are no
 * accident.
 */
const claimsDeepMax = 5;

export function createLocks(folder: string, sync: string, dep: LockDep): Locks {
  const { disk, processes } = dep;
  const path = join(folder, 'lock');
  /** Locks of ours that the disk did not let us remove: they have no owner although their process runs. */
  const abandoned = new Set<string>();

  async function createHolder(): Promise<Holder> {
    const own = await processes.startOf(processes.pid);
    return {
      sync,
      host: processes.host,
      pid: processes.pid,
      since: new Date(dep.now()).toISOString(),
      start: own === 'gone' ? null : own.start,
      token: dep.randomId(),
    };
  }

  /** undefined: ours now. Else the present content. */
  async function tryLink(at: string, content: Buffer, token: string): Promise<Buffer | undefined> {
    const draft = join(folder, `lock.${token}.tmp`);
    for (;;) {
      // A waiting process tries repeatedly and need not write a draft for that.
      const standing = await readIfThere(disk, at);
      if (standing !== undefined) return standing;
      await writeWhole(disk, draft, [content]);
      try {
        await disk.link(draft, at);
        return undefined;
      } catch (error) {
        // ENOENT: the process that just got the lease removed our draft while it was still empty.
        if (hasCode(error, 'ENOENT')) continue;
        if (!hasCode(error, 'EEXIST')) throw error;
      } finally {
        await unlinkIfThere(disk, draft);
      }
    }
  }

  /** undefined: ours now. Else the running holder. */
  async function tryAcquire(at: string, own: Holder, depth = 0): Promise<Holder | undefined> {
    const content = Buffer.from(`${JSON.stringify(own)}\n`);
    const found = await tryLink(at, content, own.token);
    if (found === undefined) return undefined;
    const holder = parseHolder(found);
    if (holder && (await mayLive(holder))) return holder;
    if (depth === claimsDeepMax) return holder ?? own;

    const claim = join(folder, `lock.${createHash('sha256').update(found).digest('hex').slice(0, 16)}.claim`);
    const claimant = await tryAcquire(claim, { ...own, token: dep.randomId() }, depth + 1);
    if (claimant) return claimant;
    try {
      // Under the claim no other process replaces this content; if it differs by now, one did before.
      const still = await readIfThere(disk, at);
      if (still === undefined || !still.equals(found)) return await tryAcquire(at, own, depth + 1);
      const draft = join(folder, `lock.${own.token}.tmp`);
      await writeWhole(disk, draft, [content]);
      await disk.rename(draft, at);
      return undefined;
    } finally {
      await unlinkIfThere(disk, claim);
    }
  }

  async function mayLive(holder: Holder): Promise<boolean> {
    if (abandoned.has(holder.token)) return false;
    if (holder.host !== processes.host) return true;
    const found = await processes.startOf(holder.pid);
    if (found === 'gone') return false;
    return found.start === null || holder.start === null || found.start === holder.start;
  }

  function createLock({ token }: Holder): Lock {
    const isOurs = async () => parseHolder(await readIfThere(disk, path))?.token === token;
    return {
      async confirm() {
        if (!(await isOurs())) throw new LeaseLostError(path);
      },
      async release() {
        abandoned.add(token);
        if (await isOurs()) await unlinkIfThere(disk, path);
        abandoned.delete(token);
      },
    };
  }

  /** Drafts and claims of processes that ended during their use. */
  async function sweep(): Promise<void> {
    for (const name of await namesIn(disk, folder)) {
      if (!/^lock\..+\.(tmp|claim)$/.test(name)) continue;
      const holder = parseHolder(await readIfThere(disk, join(folder, name)));
      if (holder === undefined || !(await mayLive(holder))) await unlinkIfThere(disk, join(folder, name));
    }
  }

  function remedyFor(holder: Holder): string {
    if (holder.host === processes.host) return 'Wait until it is done, or stop that process';
    return `If that machine or container is gone for good, delete ${path}; from here nobody can tell`;
  }

  return {
    async acquire({ waitMs = waitMsDefault, signal }) {
      const own = await createHolder();
      for (let waitedMs = 0; ; waitedMs += pollMs) {
        signal?.throwIfAborted();
        const holder = await tryAcquire(path, own);
        if (holder === undefined) break;
        if (waitedMs >= waitMs) throw new LeaseTakenError(path, holder, remedyFor(holder));
        await delay(pollMs, signal ? { signal } : {});
      }
      await sweep();
      return createLock(own);
    },
  };
}

/** undefined: no process of ours can have written it. */
function parseHolder(bytes: Buffer | undefined): Holder | undefined {
  try {
    const { sync, host, pid, since, start, token } = JSON.parse(String(bytes)) as Partial<Holder>;
    if (typeof sync !== 'string' || typeof host !== 'string' || typeof since !== 'string') return undefined;
    if (typeof pid !== 'number' || typeof token !== 'string') return undefined;
    return { sync, host, pid, since, start: start ?? null, token };
  } catch {
    return undefined;
  }
}
