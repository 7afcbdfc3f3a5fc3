// The state as files: copied, restored, lost, damaged, and read by another process.
import { createFileStore } from '../../../src/state/file/driver.ts';
import { lockTimes } from '../../../src/state/file/lock.ts';
import { currentSchema } from '../../../src/state/file/schema.ts';
import type { HistoryLine, JsonObject, Store } from '../../../src/state/port.ts';
import type { MemoryDisk } from '../../support/memory-disk.ts';
import { never, noKernelLocks } from '../../support/memory-kernel.ts';
import { stateFolder, syncName } from './setting.ts';

export type StateFiles = ReadonlyMap<string, Buffer>;

const inside = `${stateFolder}/${syncName}/`;

function filesOf(disk: MemoryDisk, job: string = syncName): StateFiles {
  const folder = `${stateFolder}/${job}/`;
  return new Map(
    [...disk.files()].filter(([path]) => path.startsWith(folder) && !path.slice(folder.length).startsWith('lock')),
  );
}

export function createBackup(disk: MemoryDisk): StateFiles {
  return new Map([...filesOf(disk)].map(([path, content]) => [path, Buffer.from(content)]));
}

export function restoreState(disk: MemoryDisk, backup: StateFiles): void {
  loseState(disk);
  for (const [path, content] of backup) disk.put(path, Buffer.from(content));
}

/** For good, also if the power is lost right after. `another`: a job whose state is lost as well. */
export function loseState(disk: MemoryDisk, another?: string): void {
  for (const job of [syncName, another])
    if (job !== undefined) for (const path of filesOf(disk, job).keys()) disk.lose(path);
}

/** Turns one bit of one file. `a` and `b`: parts of a thousand. */
export function damageState(disk: MemoryDisk, a: number, b: number): void {
  const files = [...filesOf(disk)].filter(
    ([path, content]) => content.length > 0 && !path.includes('/history/') && !path.endsWith('/rows.json'),
  );
  const [path, content] = files[Math.floor((a * files.length) / 1000)] ?? [];
  if (path === undefined || content === undefined) return;
  const damaged = Buffer.from(content);
  const at = Math.floor((b * damaged.length) / 1000);
  damaged[at] = damaged[at]! ^ 4;
  disk.put(path, damaged);
}

export interface ReadState {
  readonly fields: readonly string[];
  readonly links: ReadonlyMap<string, JsonObject>;
  readonly outbox: ReadonlyMap<string, JsonObject>;
  readonly history: readonly HistoryLine[];
}

export async function readState(disk: MemoryDisk): Promise<ReadState> {
  const store = createFileStore(stateFolder, {
    disk,
    processes: { host: 'simulated', pid: 0, space: async () => null, startOf: async () => 'gone' },
    kernelLocks: noKernelLocks,
    every: never,
    elapsed: () => 0,
    lockTimes,
    now: () => Date.now(),
    randomId: () => '',
    warn: () => {},
    schema: currentSchema,
    runsMax: 1_000,
    runDays: 90,
    historyDays: 90,
    foldFloorBytes: Infinity,
    // Of one job records stay; others are read at each run.
    keptRecordsMax: 0,
    terms: { version: 'none', basis: () => '', of: () => [] },
    hasIndex: false,
  });
  return readStateOf(store);
}

export async function readStateOf(store: Store): Promise<ReadState> {
  const { facts, links, outbox } = await store.sync(syncName).load();
  const fields = (facts.get('fields') ?? []) as readonly string[];
  return { fields, links, outbox, history: await Array.fromAsync(store.history({ sync: syncName })) };
}

/**
 * Every file of the sync's state but its lock, as it is on disk; without the rows as last seen: they are derived, and noted also
 * by a run that has nothing else to do.
 */
export function stateText(disk: MemoryDisk): ReadonlyMap<string, string> {
  const isState = (name: string) => !name.startsWith('lock') && name !== 'rows.json';
  return new Map(
    [...disk.files()].flatMap(([path, content]) => {
      const name = path.slice(inside.length);
      return path.startsWith(inside) && isState(name) ? [[name, String(content)] as const] : [];
    }),
  );
}
