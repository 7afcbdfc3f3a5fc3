// Opens a file in the browser of the machine, and finds out when there is none.
import { once } from 'node:events';
import delay from 'delay';
import open from 'open';

/** A browser that runs in the foreground keeps the launcher; one that cannot be opened ends it within this time. */
const launchMs = 3_000;

/** The package says only that its launcher began: that of Linux begins also where there is no browser. Throws why none was opened. */
export async function openInBrowser(path: string): Promise<void> {
  const launcher = await open(path);
  const stop = new AbortController();
  const { signal } = stop;
  const ended = launcher.exitCode === null ? once(launcher, 'exit', { signal }) : undefined;
  await Promise.race([ended, delay(ended ? launchMs : 0, { signal })]).finally(() => stop.abort());
  const code = launcher.exitCode;
  if (code !== null && code !== 0) throw new Error(`the program that opens files ended with ${code}`);
}
