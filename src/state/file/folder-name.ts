// The names of jobs as names of folders. Names come from the configuration and may have any characters.

export function folderName(job: string): string {
  return encodeURIComponent(job).replace(/^\./, '%2E');
}

/** The reverse. */
export function jobName(folder: string): string {
  try {
    return decodeURIComponent(folder);
  } catch {
    // No job has this folder; its files are refused as those of another.
    return folder;
  }
}
