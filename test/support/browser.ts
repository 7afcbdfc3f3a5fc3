// Starts the browser of the tests: one process of Chromium, from a package that holds a Linux binary.
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';
import { onceForAll } from './once-for-all.ts';
import { patienceMs } from './patience.ts';

// The stories draw nothing in three dimensions. With that switched on, a program in place of a graphics card draws every page, which
// took more than half of the browser's time.
chromium.setGraphicsMode = false;

/** The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = await unpackedBrowser();
  return patient(await playwright.launch({ args: chromium.args, executablePath, timeout: patienceMs }));
}

/** One that somebody else started, by the address of its debugger. The caller closes it. */
export async function connectBrowser(address: string): Promise<Browser> {
  return patient(await playwright.connectOverCDP(address, { timeout: patienceMs }));
}

/** Its pages wait as long as the tests do, not for the thirty seconds of Playwright. */
function patient(browser: Browser): Browser {
  for (const context of browser.contexts()) context.setDefaultTimeout(patienceMs);
  return browser.on('context', (context) => context.setDefaultTimeout(patienceMs));
}

/**
 * The path of the program. The package unpacks it into the folder of temporary files, which several processes share, and takes
 * a program that is half unpacked for a whole one. So one process unpacks it, and the others wait.
 */
export async function unpackedBrowser(): Promise<string> {
  const place = join(tmpdir(), 'chromium');
  await onceForAll(
    place,
    () => rmSync(place, { force: true }),
    () => chromium.executablePath(),
  );
  return chromium.executablePath();
}
