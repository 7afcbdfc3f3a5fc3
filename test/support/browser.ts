// Starts the browser of the tests: one process of Chromium, from a package that holds a Linux binary.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';
import { vi } from 'vitest';

// The stories draw nothing in three dimensions. With that switched on, a program in place of a graphics card draws every page, which
// took more than half of the browser's time.
chromium.setGraphicsMode = false;

/** The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({ args: chromium.args, executablePath: await unpackedBrowser() });
}

/**
 * The path of the program. The package unpacks it into the folder of temporary files, which several processes share, and takes
 * a program that is half unpacked for a whole one. So one process unpacks it, and the others wait.
 */
export async function unpackedBrowser(): Promise<string> {
  const lock = join(tmpdir(), 'chromium.unpacking');
  const ready = join(tmpdir(), 'chromium.unpacked');
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
    throw new Error(`another process unpacks the browser; if none does, delete ${lock}`);
  };
  if ((await vi.waitFor(step, { timeout: 60_000, interval: 50 })) === 'ours') {
    try {
      // A process that was killed left it half unpacked.
      if (!existsSync(ready)) rmSync(join(tmpdir(), 'chromium'), { force: true });
      await chromium.executablePath();
      writeFileSync(ready, '');
    } finally {
      rmSync(lock, { force: true });
    }
  }
  return chromium.executablePath();
}

/** While the holder has not written its id, it counts as one that runs. */
function holderOf(lock: string): string {
  try {
    return readFileSync(lock, 'utf8') || 'self';
  } catch {
    return 'self';
  }
}
