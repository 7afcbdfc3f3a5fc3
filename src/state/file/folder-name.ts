// The names of jobs as names of folders. Names come from the configuration and may have any characters.
import { platform } from 'node:os';

/** `system`: Windows gives some names to devices, and takes neither an asterisk nor a dot at the end. */
export function folderName(job: string, system: string = platform()): string {
  const name = encodeURIComponent(job).replace(/^\./, '%2E');
  return system === 'win32' ? nameOnWindows(name) : name;
}

function nameOnWindows(name: string): string {
  const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
  return name.replaceAll('*', '%2A').replace(/\.$/, '%2E').replace(device, encodeFirst);
}

function encodeFirst(text: string): string {
  return `%${text.charCodeAt(0).toString(16).toUpperCase()}${text.slice(1)}`;
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
