// The lock file: names the holder of a lease, shows that it lives, and changes hands without two holders.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { LeaseHolder } from '../errors.ts';
import { hasCode, namesIn, readIfThere, unlinkIfThere, writeAt, writeWhole } from './disk.ts';
import type { Disk } from './disk.ts';
import { draftForm } from './fence.ts';
import type { Processes } from './processes.ts';

export interface Holder extends LeaseHolder {
  readonly start: string | null;
  readonly token: string;
  /** Processes.space of the holder; null: not said, as by earlier versions of this program. */
  readonly space: string | null;
  /** KernelLock.id of the lock that the holder has; null: it has none, or its id cannot be told. */
  readonly kernel: string | null;
  /** Grows while the holder lives. undefined: an earlier version of this program, which shows no sign of life. */
  readonly beat: number | undefined;
}

/**
 * What is known of a holder. living: its process runs. renewed: it showed a sign of life since the last look. silent: it
 * did not, and its end is not proved. unproved: it shows none at all, and its end cannot be proved.
 */
type Life = 'living' | 'renewed' | 'silent' | 'unproved';

export interface Found {
  readonly holder: Holder;
  readonly life: Life;
}

export interface LockFileDep {
  readonly disk: Disk;
  readonly processes: Processes;
  readonly randomId: () => string;
  /** So many looks without a sign of life prove the end of a holder whose process cannot be asked. */
  readonly looksMax: number;
}

/** The holder of a claim may end too, and the holder of the claim on that claim; more in a row than this are no accident. */
const claimsDeepMax = 5;

/** Signs of life up to this one have the same length. At one a second it takes 300 years. */
const beatDigits = 10;

/**
 * The file holds its owner and appears together with its content: it is written under another name and linked, and a link
 * is refused if the name exists. So of two simultaneous starts one wins, and an empty or garbled lock has no owner.
 *
 *   none              linked: ours
 *   held              the holder, and what is known of its life
 *   ended holder, or  replaced, by the process with the claim on exactly this lock: a lock of its own, named after the
 *   no owner          content to be replaced, so that a late second process finds other content and gives up
 */
export function createLockFile(folder: string, { disk, processes, randomId, looksMax }: LockFileDep) {
  const path = join(folder, 'lock');
  /** Locks of ours that the disk did not let us remove: they have no owner although their process runs. */
  const abandoned = new Set<string>();
  /** Looks at a file, as long as it stays the same: by its path. They count looks, and no clock. */
  const looks = new Map<string, { readonly token: string; readonly beat: number; readonly count: number }>();

  /** undefined: ours now. Else the present content. */
  async function tryLink(at: string, own: Holder): Promise<Buffer | undefined> {
    const draft = join(folder, `lock.${own.token}.tmp`);
    for (;;) {
      // A waiting process tries repeatedly and need not write a draft for that.
      const standing = await readIfThere(disk, at);
      if (standing !== undefined) return standing;
      await writeWhole(disk, draft, [holderToBytes(own)]);
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

  /** `linked`, `replaced` (its holder had ended), `silenced` (it showed no sign of life): ours now. Else its holder. */
  async function tryAcquire(own: Holder, at = path, depth = 0): Promise<'linked' | 'replaced' | 'silenced' | Found> {
    const content = await tryLink(at, own);
    if (content === undefined) return 'linked';
    const holder = bytesToHolder(content);
    const known = holder && (await lifeOf(holder, own));
    const life = holder && known === 'unknown' ? look(at, holder) : known;
    if (holder && isLiving(life)) return { holder, life };
    if (depth === claimsDeepMax) return { holder: holder ?? own, life: 'living' };

    const claim = join(folder, `lock.${createHash('sha256').update(content).digest('hex').slice(0, 16)}.claim`);
    const claimed = await tryAcquire({ ...own, token: randomId() }, claim, depth + 1);
    if (typeof claimed !== 'string') return claimed;
    try {
      // Under the claim no other process replaces this content; if it differs by now, one did before.
      const still = await readIfThere(disk, at);
      if (still === undefined || !still.equals(content)) return await tryAcquire(own, at, depth + 1);
      const draft = join(folder, `lock.${own.token}.tmp`);
      await writeWhole(disk, draft, [holderToBytes(own)]);
      await disk.rename(draft, at);
      return life === 'over' ? 'silenced' : 'replaced';
    } finally {
      await unlinkIfThere(disk, claim);
    }
  }

  async function lifeOf(holder: Holder, own: Holder): Promise<'ended' | 'living' | 'unproved' | 'unknown'> {
    if (abandoned.has(holder.token)) return 'ended';
    const isAsked = isBeside(holder, own) && (own.kernel !== null || !isOfAnotherBoot(holder, own));
    const found = isAsked ? await processes.startOf(holder.pid) : undefined;
    if (found === 'gone') return 'ended';
    if (found && found.start !== null && holder.start !== null) {
      return found.start === holder.start ? 'living' : 'ended';
    }
    // We have the kernel's lock that it had.
    if (own.kernel !== null && holder.kernel === own.kernel) return 'ended';
    if (holder.beat === undefined) return found ? 'living' : 'unproved';
    return 'unknown';
  }

  /** over: silent for so many looks that it has ended. */
  function look(at: string, { token, beat = 0 }: Holder): 'renewed' | 'silent' | 'over' {
    const last = looks.get(at);
    const isKnown = last?.token === token;
    const count = isKnown && last.beat === beat ? last.count + 1 : 0;
    looks.set(at, { token, beat, count });
    if (count >= looksMax) return 'over';
    return isKnown && last.beat !== beat ? 'renewed' : 'silent';
  }

  return {
    path,
    tryAcquire,

    /** The holder that the file names; undefined: there is none, or it cannot be read. */
    async read(): Promise<Holder | undefined> {
      return bytesToHolder(await readIfThere(disk, path));
    },

    /** Shows a sign of life, as holder. False: the lock is not ours any more, and nothing was changed. */
    async renew(own: Holder, beat: number): Promise<boolean> {
      const file = await openIfThere(disk, path);
      if (file === undefined) return false;
      try {
        // The handle stays with this file: if another process replaces the lock meanwhile, its file is not changed.
        const bytes = holderToBytes({ ...own, beat });
        const standing = Buffer.alloc(bytes.length);
        await file.read(standing, 0, bytes.length, 0);
        if (bytesToHolder(standing)?.token !== own.token) return false;
        // Only digits change, in their places: a reader finds a whole holder at any instant.
        await writeAt(file, bytes, 0);
        await file.datasync();
        return true;
      } finally {
        await file.close();
      }
    },

    /** Removes the lock if it is still ours. If the disk refuses, the next acquire in this process takes it over. */
    async remove({ token }: Holder): Promise<void> {
      abandoned.add(token);
      if (bytesToHolder(await readIfThere(disk, path))?.token === token) await unlinkIfThere(disk, path);
      abandoned.delete(token);
    },

    /**
     * Removes drafts and claims of processes that ended during their use, and all drafts of earlier holders. One that still
     * runs then has no draft to rename (Fence).
     */
    async sweep(own: Holder): Promise<void> {
      for (const name of await namesIn(disk, folder)) {
        if (draftForm.test(name)) await unlinkIfThere(disk, join(folder, name));
        if (!/^lock\..+\.(tmp|claim)$/.test(name)) continue;
        const holder = bytesToHolder(await readIfThere(disk, join(folder, name)));
        if (holder === undefined || (await lifeOf(holder, own)) === 'ended')
          await unlinkIfThere(disk, join(folder, name));
      }
    },
  };
}

async function openIfThere(disk: Disk, path: string) {
  try {
    return await disk.open(path, 'r+');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function isLiving(life: Life | 'ended' | 'over' | 'unknown' | undefined): life is Life {
  return life !== undefined && life !== 'ended' && life !== 'over' && life !== 'unknown';
}

/** Whether process ids of the holder mean something here. */
function isBeside(holder: Holder, own: Pick<Holder, 'host' | 'space'>): boolean {
  const isSameSpace = holder.space === null || own.space === null || holder.space === own.space;
  return holder.host === own.host && isSameSpace;
}

/**
 * The machine was started again since, or it is another machine: names of hosts repeat, and so do the numbers of spaces. Where
 * the kernel's lock can be trusted it is this machine, because no other one has the folder.
 */
export function isOfAnotherBoot(holder: Pick<Holder, 'start'>, own: Pick<Holder, 'start'>): boolean {
  const [theirs, ours] = [holder.start, own.start].map((start) => start?.split('/')[0]);
  return theirs !== undefined && ours !== undefined && theirs !== ours;
}

function holderToBytes({ beat = 0, ...holder }: Holder): Buffer {
  return Buffer.from(`${JSON.stringify({ ...holder, beat: String(beat).padStart(beatDigits, '0') })}\n`);
}

/** undefined: no process of ours can have written it. */
function bytesToHolder(bytes: Buffer | undefined): Holder | undefined {
  try {
    const { sync, host, pid, since, start, token, space, kernel, beat } = JSON.parse(String(bytes)) as Partial<
      Omit<Holder, 'beat'> & { beat: string }
    >;
    if (typeof sync !== 'string' || typeof host !== 'string' || typeof since !== 'string') return undefined;
    if (typeof pid !== 'number' || typeof token !== 'string') return undefined;
    const known = { sync, host, pid, since, start: start ?? null, token };
    const count = beat === undefined ? undefined : Number(beat);
    return { ...known, space: space ?? null, kernel: kernel ?? null, beat: Number.isNaN(count) ? 0 : count };
  } catch {
    return undefined;
  }
}
