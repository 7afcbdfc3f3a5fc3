// The file driver of the state.
import { basename, join } from 'node:path';
import type { SomeState, Store } from '../port.ts';
import { hasCode, namesIn, onDisk } from './disk.ts';
import { folderName, isFolderName, jobName } from './folder-name.ts';
import { readHeartbeatFile, writeHeartbeatFile } from './heartbeat.ts';
import { readLoginsFile, writeLoginsFile } from './logins.ts';
import { readHistoryPage } from './history-page.ts';
import { readHistory } from './history-scan.ts';
import type { Index } from './index.ts';
import { readLastRuns, readRunsPage } from './runs-page.ts';
import type { FileDriverDep } from './dep.ts';
import { createKeptRecords } from './kept-records.ts';
import { createFileSyncState, type FileSyncState } from './sync-state.ts';

/** The state as files: a folder for each sync under `root`, made at the first write. */
export function createFileStore(root: string, dep: FileDriverDep): Store {
  const keptRecords = createKeptRecords(dep.keptRecordsMax, dep.now);
  const stateBySync = new Map<string, FileSyncState>();
  const folderOf = (name: string) => join(root, folderName(name));
  const foldersOf = async (sync: string | readonly string[] | undefined) => {
    if (sync !== undefined) return [...new Set([sync].flat())].map(folderOf);
    const paths = (await namesIn(dep.disk, root)).filter(isFolderName).map((name) => join(root, name));
    const are = await Promise.all(paths.map(isFolder));
    return paths.filter((_, place) => are[place]);
  };
  const knownFolders = new Set<string>();
  /** Somebody may have put a file beside the folders, such as an archive of them. */
  async function isFolder(path: string): Promise<boolean> {
    if (knownFolders.has(path)) return true;
    try {
      await dep.disk.readdir(path);
    } catch (error) {
      if (hasCode(error, 'ENOTDIR')) return false;
      // The command that reads the folder names the fault.
      return true;
    }
    knownFolders.add(path);
    return true;
  }
  const pageDep = { ...dep, root, folderName };
  let index: Index | undefined;
  /** Loaded when it is needed: every commit does without. */
  const indexIfThere = async () => {
    if (index !== undefined || !dep.hasIndex) return index;
    if ((await namesIn(dep.disk, root)).length === 0) return undefined;
    const { createIndex } = await import('./index.ts');
    return (index ??= createIndex(root, dep));
  };
  function stateOf(name: string): FileSyncState {
    const known = stateBySync.get(name);
    if (known) return known;
    const state = createFileSyncState(
      folderOf(name),
      name,
      { ...dep, keptRecords },
      async () => (await indexIfThere())?.states,
    );
    stateBySync.set(name, state);
    return state;
  }
  return {
    jobs: async () => (await onDisk(root, () => foldersOf(undefined))).map((folder) => jobName(basename(folder))),
    sync: stateOf,
    history: (query) => readHistory(() => foldersOf(query.sync), query, dep),
    historyPage: (query) =>
      onDisk(root, async () =>
        readHistoryPage(await foldersOf(query.sync), query, dep, (await indexIfThere())?.history),
      ),
    runsPage: (query) => onDisk(root, async () => readRunsPage(query, pageDep, (await indexIfThere())?.runs)),
    async loadSomeOf(jobs, wanted) {
      const states = new Map(jobs.map((job) => [job, stateOf(job)]));
      const all = [...states.values()].map(({ places }) => places);
      const indexed = await onDisk(root, async () => (await indexIfThere())?.states.lookAtAll(all, wanted));
      const found = new Map<string, SomeState>();
      for (const [job, state] of states) {
        const ofIndex = indexed?.get(folderName(job));
        found.set(job, ofIndex ? await state.loadIndexed(ofIndex) : await state.loadSome(wanted));
      }
      return found;
    },
    mayHave: async (jobs, wanted) => {
      const places = jobs.map((job) => stateOf(job).places);
      const found = await onDisk(root, async () => (await indexIfThere())?.states.mayHave(places, wanted));
      return found ? jobs.filter((job) => found.has(folderName(job))) : jobs;
    },
    lastRuns: (query) => onDisk(root, async () => readLastRuns(query, pageDep, (await indexIfThere())?.runs)),
    async keepIndex({ jobs, ...options } = {}) {
      try {
        const folders = await foldersOf(jobs);
        await (await indexIfThere())?.keep(folders, { ...options, isAll: jobs === undefined });
      } catch {
        // The folder cannot be read. Whoever asks for something in it is told.
      }
    },
    readHeartbeat: () => readHeartbeatFile(dep.disk, root),
    writeHeartbeat: (heartbeat) => writeHeartbeatFile(dep.disk, root, heartbeat),
    readLogins: () => readLoginsFile(dep.disk, root),
    // One daemon runs on a folder, and makes one change after the other.
    changeLogins: async (change) => writeLoginsFile(dep.disk, root, change(await readLoginsFile(dep.disk, root))),
  };
}
