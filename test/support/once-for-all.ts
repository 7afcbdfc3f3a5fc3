// Has one process of a run of the tests do some work that leaves files; the others wait, and use them.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { vi } from 'vitest';

/** Work that takes longer is taken for a fault. A machine under load takes ten seconds. */
const patience = { timeout: 100_000, interval: 50 };

/**
 * `place`: the path of what the work leaves. Two files beside it say that a process works (`.lock`), and that it is done (`.ready`).
 * `clear` removes what a process left that was killed at work.
 */
export async function onceForAll(place: string, clear: () => void, work: () => Promise<unknown>): Promise<void> {
  const lock = `${place}.lock`;
  const ready = `${place}.ready`;
  const isOurs = () => {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return true;
    } catch {
      return false;
    }
  };
  const step = (): 'ready' | 'ours' => {
    if (existsSync(ready)) return 'ready';
    if (isOurs()) return 'ours';
    if (!existsSync(`/proc/${holderOf(lock)}`)) rmSync(lock, { force: true });
    throw new Error(`another process works on ${place}; if none does, delete ${lock}`);
  };
  if ((await vi.waitFor(step, patience)) === 'ready') return;
  try {
    // The process that had it before may have ended its work meanwhile.
    if (existsSync(ready)) return;
    clear();
    await work();
    writeFileSync(ready, '');
  } finally {
    rmSync(lock, { force: true });
  }
}

/** While the holder has not written its id, it counts as one that runs. */
function holderOf(lock: string): string {
  try {
    return readFileSync(lock, 'utf8') || 'self';
  } catch {
    return 'self';
  }
}
