// The lease of a sync across processes: the kernel's lock where it can be trusted, and the lock file everywhere.
import delay from 'delay';
import { LeaseLostError, LeaseTakenError } from '../errors.ts';
import type { LeaseOptions } from '../port.ts';
import { syncFolder } from './disk.ts';
import type { Disk } from './disk.ts';
import { takeEpoch } from './epoch.ts';
import type { Fence } from './fence.ts';
import type { KernelLock, KernelLocks } from './kernel-lock.ts';
import { createLockFile } from './lock-file.ts';
import type { Found, Holder } from './lock-file.ts';
import type { Processes } from './processes.ts';

/**
 * One writer across processes (W7). A holder has both:
 *
 *   kernel's lock   excludes every process of this machine, in all its containers, and ends with its process. Left out on
 *                   folders where it cannot be trusted
 *   lock file       names the holder, and excludes processes that do not see the kernel's lock: of other machines, and of
 *                   earlier versions. The holder renews it. A holder whose end cannot be proved is taken over when a
 *                   waiting process has looked at it for `silentMs` without a change
 *
 * A holder that was taken over notices it before its next commit. What it had begun to write before does not reach the files
 * of its successor: see Fence. Only without the kernel's lock can it be taken over at all.
 */
export interface Locks {
  acquire(options: LeaseOptions): Promise<Lock>;
}

export interface Lock extends Fence {
  /** Whether the holder before may still run: its end is not proved. */
  readonly isTakenOver: boolean;
  /** Lease.epoch. */
  readonly epoch: number;
  /** Lease.remainingMs. */
  remainingMs(): number;
  /** Throws LeaseLostError if another process removed the lock or took it over. */
  confirm(): Promise<void>;
  /** Gives the lock back. If the disk refuses, the next acquire in this process takes it over. */
  release(): Promise<void>;
}

export interface LockTimes {
  /** From one try to the next. */
  readonly pollMs: number;
  /** From one sign of life of a holder to the next. */
  readonly renewMs: number;
  /** Tries without a sign of life of the holder, after which it is taken over, times `pollMs`. */
  readonly silentMs: number;
  /** The pause after taking over from a silent holder: a commit that it had begun ends meanwhile. */
  readonly settleMs: number;
}

/**
 * A silent holder is taken over within 65 s, and may miss eleven signs of life. `silentMs` is longer than one call that writes
 * may take (src/limits/time-to-live.ts): with less, no such call could ever be sent (H3).
 */
export const lockTimes: LockTimes = { pollMs: 100, renewMs: 5_000, silentMs: 60_000, settleMs: 2_000 };

/** SPEC W7: a command waits up to 10 s. */
const waitMsDefault = 10_000;

/** Calls `work` again and again until the returned function is called. Keeps no process alive. */
export type Every = (ms: number, work: () => void) => () => void;

export interface LockDep {
  readonly disk: Disk;
  readonly processes: Processes;
  readonly kernelLocks: KernelLocks;
  readonly every: Every;
  readonly lockTimes: LockTimes;
  readonly now: () => number;
  /** Milliseconds by a clock that is never set back, and that goes on while the machine sleeps. */
  readonly elapsed: () => number;
  readonly randomId: () => string;
}

type Refusal = Omit<Found, 'holder'> & { readonly holder: Holder | undefined };

export function createLocks(folder: string, sync: string, dep: LockDep): Locks {
  const { disk, processes, kernelLocks, randomId } = dep;
  const { pollMs, renewMs, silentMs, settleMs } = dep.lockTimes;
  const file = createLockFile(folder, { disk, processes, randomId, looksMax: Math.ceil(silentMs / pollMs) });

  async function createHolder(): Promise<Holder> {
    const own = await processes.startOf(processes.pid);
    return {
      sync,
      host: processes.host,
      pid: processes.pid,
      since: new Date(dep.now()).toISOString(),
      start: own === 'gone' ? null : own.start,
      token: randomId(),
      space: await processes.space(),
      kernel: null,
      beat: 0,
    };
  }

  async function createLock(
    own: Holder,
    { kernel, isTakenOver }: { readonly kernel: KernelLock | undefined; readonly isTakenOver: boolean },
    epochAbove: number | undefined,
  ): Promise<Lock> {
    let beat = 0;
    let renewing: Promise<boolean> | undefined;
    /** By `elapsed`: until then no other process has looked at the lock for `silentMs`. */
    let safeUntil = -Infinity;
    const renew = async () => {
      const before = dep.elapsed();
      beat += 1;
      const isOurs = await file.renew(own, beat);
      safeUntil = isOurs ? before + silentMs : -Infinity;
      return isOurs;
    };
    const epoch = await takeEpoch(disk, folder, epochAbove);
    if (!kernel) {
      // Another machine counts on from here, whatever happens to this one.
      await syncFolder(disk, folder);
      if (!(await renew())) throw new LeaseLostError(file.path);
    }
    const stopRenewing = dep.every(renewMs, () => {
      // The disk may refuse for a moment. A commit looks at the lock itself.
      renewing ??= renew()
        .catch(() => true)
        .finally(() => (renewing = undefined));
    });
    let isHeld = true;
    const look = async () => {
      if ((await file.read())?.token !== own.token) throw new LeaseLostError(file.path);
    };
    return {
      epoch,
      isTakenOver,
      isSole: kernel !== undefined,
      draftOf: (of) => `${of}.${own.token}.tmp`,
      look,
      remainingMs() {
        if (!isHeld) return 0;
        return kernel ? Infinity : Math.max(0, safeUntil - dep.elapsed());
      },
      async confirm() {
        // With the kernel's lock a look is enough. Without it others count signs of life.
        if (kernel) await look();
        else if (!(await renew())) throw new LeaseLostError(file.path);
      },
      async release() {
        isHeld = false;
        stopRenewing();
        await renewing;
        try {
          await file.remove(own);
        } finally {
          kernel?.release();
        }
      },
    };
  }

  /** Tries until the lock is ours: with the kernel's lock, then the file. */
  async function waitFor(
    own: Holder,
    kernel: { lock: KernelLock | undefined },
    { waitMs = waitMsDefault, signal }: LeaseOptions,
  ): Promise<{ readonly named: Holder; readonly isTakenOver: boolean }> {
    let isKernelAsked = false;
    let hasRenewed = false;
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      signal?.throwIfAborted();
      let refusal: Refusal | undefined;
      if (!isKernelAsked) {
        const answer = await kernelLocks.tryTake(folder);
        if (answer === 'taken') refusal = { holder: await file.read(), life: 'living' };
        else [kernel.lock, isKernelAsked] = [answer, true];
      }
      if (refusal === undefined) {
        const named = { ...own, kernel: kernel.lock?.id ?? null };
        const answer = await file.tryAcquire(named);
        if (answer === 'linked' || answer === 'replaced') return { named, isTakenOver: false };
        if (answer === 'silenced') {
          await delay(settleMs, signal ? { signal } : {});
          if ((await file.read())?.token === named.token) return { named, isTakenOver: true };
          continue;
        }
        refusal = answer;
      }
      hasRenewed ||= refusal.life === 'renewed';
      // A wait that ends with a takeover or with a sign of life is not given up.
      const isUndecided = refusal.life === 'silent' && !hasRenewed;
      if (waitedMs >= waitMs && !isUndecided) {
        throw new LeaseTakenError(file.path, refusal.holder, remedyFor(refusal));
      }
      await delay(pollMs, signal ? { signal } : {});
    }
  }

  function remedyFor({ life }: Refusal): string {
    if (life !== 'unproved') return 'Wait until it is done, or stop that process';
    return `An earlier version of leadsheet holds it. If that machine or container is gone for good, delete ${file.path}`;
  }

  return {
    async acquire(options) {
      const own = await createHolder();
      const kernel: { lock: KernelLock | undefined } = { lock: undefined };
      try {
        const { named, isTakenOver } = await waitFor(own, kernel, options);
        await file.sweep(named);
        return await createLock(named, { kernel: kernel.lock, isTakenOver }, options.epochAbove);
      } catch (error) {
        await file.remove(own).catch(() => {});
        kernel.lock?.release();
        throw error;
      }
    },
  };
}
