// Looks at a state on files from outside: sizes, schema versions, locks and the index. It reads no record, and writes nothing.
import { closeSync, type Dirent, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { JobHealth, StoreHealth } from '../port.ts';
import { hasCode } from './disk.ts';
import { isFolderName, jobName } from './folder-name.ts';
import { indexName } from './index.ts';
import { createLockFile, type Holder, isOfAnotherBoot } from './lock-file.ts';
import { machineDisk } from './machine-disk.ts';
import type { Processes } from './processes.ts';
import { currentSchema } from './schema.ts';

/** Throws an error of the file system if the folder itself cannot be read. */
export async function lookAtFiles(root: string, processes: Processes): Promise<StoreHealth> {
  const entries = entriesOf(root);
  const folders = (entries ?? []).filter((entry) => entry.isDirectory() && isFolderName(entry.name));
  const jobs = await Promise.all(folders.map(({ name }) => lookAtJob(join(root, name), jobName(name), processes)));
  const index = stampOf(join(root, indexName));
  return {
    isThere: entries !== undefined,
    schemaKnown: currentSchema.version,
    bytes: entries === undefined ? 0 : bytesBelow(root),
    ...(index && { index: { bytes: index.size, writtenAt: index.mtime.toISOString() } }),
    jobs: jobs.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

async function lookAtJob(folder: string, name: string, processes: Processes): Promise<JobHealth> {
  const document = join(folder, 'base.json');
  const folded = stampOf(document);
  const schema = folded && schemaOf(document);
  const holder = await lockIn(folder, processes).read();
  const isRunning = holder && (await isHolderRunning(holder, processes));
  return {
    name,
    bytes: bytesBelow(folder),
    ...(folded && { foldedAt: folded.mtime.toISOString() }),
    ...(schema !== undefined && { schema }),
    ...(holder && { holder: `process ${holder.pid} on ${holder.host}, since ${holder.since}` }),
    ...(isRunning !== undefined && { isHolderRunning: isRunning }),
  };
}

/** Undefined: it is a process of another machine or container, or may be one. */
async function isHolderRunning(
  { host, pid, space, start, kernel }: Holder,
  processes: Processes,
): Promise<boolean | undefined> {
  if (host !== processes.host || (space !== null && space !== (await processes.space()))) return undefined;
  const own = await processes.startOf(processes.pid);
  if (kernel === null && own !== 'gone' && isOfAnotherBoot({ start }, own)) return undefined;
  const found = await processes.startOf(pid);
  return found !== 'gone' && (start === null || found.start === null || found.start === start);
}

/** Only its `read` is used, which makes no lock. */
function lockIn(folder: string, processes: Processes) {
  return createLockFile(folder, { disk: machineDisk, processes, randomId: () => '', looksMax: 0 });
}

/** The version stands first in a document (document.ts). Undefined: it is damaged. */
function schemaOf(document: string): number | undefined {
  const head = Buffer.alloc(40);
  try {
    const file = openSync(document, 'r');
    try {
      readSync(file, head, 0, head.length, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
  const [, version] = /^\{"schema":(\d+),/.exec(head.toString('latin1')) ?? [];
  return version === undefined ? undefined : Number(version);
}

/** Undefined: there is no such folder. */
function entriesOf(folder: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** A file that goes meanwhile, or that this account may not see, counts as empty. */
function bytesBelow(folder: string): number {
  let entries: readonly Dirent[];
  try {
    entries = entriesOf(folder) ?? [];
  } catch {
    return 0;
  }
  let sum = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    sum += entry.isDirectory() ? bytesBelow(path) : (stampOf(path)?.size ?? 0);
  }
  return sum;
}

function stampOf(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
