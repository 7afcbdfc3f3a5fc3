// The names of jobs as names of folders. The configuration takes only names that fit a folder; a store may be asked for any.
import { platform } from 'node:os';

/** Names that Windows gives to devices, whatever the case. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

export function folderName(job: string, system: string = platform()): string {
  if (system === 'win32' && device.test(job)) return `%${job.charCodeAt(0).toString(16)}${job.slice(1)}`;
  return encodeURIComponent(job).replace(/^\./, '%2E');
}

/** The reverse, on every system. */
export function jobName(folder: string): string {
  try {
    return decodeURIComponent(folder);
  } catch {
    // No job has this folder; its files are refused as those of another.
    return folder;
  }
}

/** False: no job has a folder of this name, such as `lost+found` of a volume. */
export function isFolderName(name: string): boolean {
  return !name.startsWith('.') && folderName(jobName(name)) === name;
}
