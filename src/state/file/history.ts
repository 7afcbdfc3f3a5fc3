/*
 * The history of a sync: a file a day (UTC), named after the day its lines were written, with a line for each change.
 * It is written under the lease, so only its end can be half a line; the next writer starts a new line after that.
 */
import { join } from 'node:path';
import delay from 'delay';
import type { HistoryLine, HistoryQuery } from '../port.ts';
import { makeFolder, namesIn, onDisk, syncFolder, unlinkIfThere, writeAt } from './disk.ts';
import type { Disk, OpenFile } from './disk.ts';
import type { FileDriverDep } from './dep.ts';
import { readLines } from './lines.ts';

export interface HistoryWriter {
  append(lines: readonly HistoryLine[]): Promise<void>;
}

const dayMs = 86_400_000;
const newline = '\n';

export function createHistoryWriter(folderOfSync: string, dep: FileDriverDep): HistoryWriter {
  const { disk } = dep;
  const folder = historyFolder(folderOfSync);
  /** The file whose name is surely durable: its creator may have died before that. */
  let durablePath: string | undefined;
  let tail: Promise<void> = Promise.resolve();

  async function appendNow(lines: readonly HistoryLine[]): Promise<void> {
    const path = join(folder, `${dayOf(dep.now())}.ndjson`);
    const text = lines.map((line) => JSON.stringify(line) + newline).join('');
    const { file, isNew } = await openForAppending(disk, folder, path);
    try {
      await appendDurably(file, text);
    } finally {
      await file.close();
    }
    if (isNew || path !== durablePath) await syncFolder(disk, folder);
    durablePath = path;
    if (isNew) await prune(dep, folder);
  }

  return {
    async append(lines) {
      if (lines.length === 0) return;
      const turn = tail.then(() => appendNow(lines));
      tail = turn.catch(() => {});
      await turn;
    },
  };
}

async function openForAppending(disk: Disk, folder: string, path: string) {
  const names = await namesIn(disk, folder);
  if (names.some((name) => path === join(folder, name))) return { file: await disk.open(path, 'r+'), isNew: false };
  await makeFolder(disk, folder);
  return { file: await disk.open(path, 'wx', 0o600), isNew: true };
}

async function appendDurably(file: OpenFile, text: string): Promise<void> {
  const { size } = await file.stat();
  const last = Buffer.alloc(1);
  if (size > 0) await file.read(last, 0, 1, size - 1);
  const isTorn = size > 0 && last.toString('latin1') !== newline;
  try {
    await writeAt(file, Buffer.from(isTorn ? newline + text : text), size);
    await file.datasync();
  } catch (error) {
    // Half of the line may be there; without it the same lines can be appended again.
    await file.truncate(size).catch(() => {});
    throw error;
  }
}

async function prune({ disk, now, historyDays }: FileDriverDep, folder: string): Promise<void> {
  const oldest = dayOf(now() - historyDays * dayMs);
  for (const { day, name } of await daysIn(disk, folder)) {
    if (day < oldest) await unlinkIfThere(disk, join(folder, name));
  }
}

/** How often `follow` looks for new lines. */
const followMs = 1_000;

/** Like Store.history; `folders` gives the folders of the syncs to read and is called at each look. */
export async function* readHistory(
  folders: () => Promise<readonly string[]>,
  query: HistoryQuery,
  dep: FileDriverDep,
): AsyncGenerator<HistoryLine> {
  const { follow = false, signal } = query;
  const offsetByFile = new Map<string, number>();
  const isOver = () => signal?.aborted === true;
  while (!isOver()) {
    const readers = (await folders()).map((folder) => readNewLines(historyFolder(folder), query, offsetByFile, dep));
    for await (const line of mergeByTime(readers)) {
      if (isOver()) return;
      yield line;
    }
    if (!follow) return;
    try {
      await delay(followMs, signal ? { signal } : {});
    } catch {
      return;
    }
  }
}

async function* readNewLines(
  folder: string,
  query: HistoryQuery,
  offsetByFile: Map<string, number>,
  { disk, warn }: FileDriverDep,
): AsyncGenerator<HistoryLine> {
  const firstDay = query.since === undefined ? '' : dayOf(query.since);
  const days = await onDisk(folder, () => daysIn(disk, folder));
  for (const { name } of days.filter(({ day }) => day >= firstDay)) {
    const path = join(folder, name);
    for await (const { text, end } of readLines(disk, path, offsetByFile.get(path) ?? 0)) {
      offsetByFile.set(path, end);
      const line = parseLine(text);
      if (line === undefined) {
        warn({
          kind: 'torn',
          file: path,
          message: `a line of ${path} cannot be read and is left out: ends at byte ${end}`,
        });
      } else if (matches(line, query)) yield line;
    }
  }
}

function parseLine(text: string): HistoryLine | undefined {
  try {
    const line = JSON.parse(text) as Partial<HistoryLine> | null;
    return typeof line === 'object' && typeof line?.time === 'string' ? (line as HistoryLine) : undefined;
  } catch {
    return undefined;
  }
}

function matches(line: HistoryLine, { run, contact, since }: HistoryQuery): boolean {
  if (run !== undefined && line.run !== run) return false;
  if (contact !== undefined && line.contact !== contact) return false;
  return since === undefined || Date.parse(line.time) >= since;
}

/** Each reader is already in order. */
async function* mergeByTime(readers: readonly AsyncGenerator<HistoryLine>[]): AsyncGenerator<HistoryLine> {
  const heads = await Promise.all(readers.map(async (reader) => ({ reader, head: await reader.next() })));
  try {
    for (;;) {
      const open = heads.filter(({ head }) => head.done !== true);
      const [first, ...rest] = open;
      if (first === undefined) return;
      const next = rest.reduce((a, b) => (timeOf(b) < timeOf(a) ? b : a), first);
      if (next.head.done !== true) yield next.head.value;
      next.head = await next.reader.next();
    }
  } finally {
    for (const { reader } of heads) await reader.return(undefined);
  }
}

function timeOf({ head }: { readonly head: IteratorResult<HistoryLine, unknown> }): string {
  return head.done === true ? '' : head.value.time;
}

async function daysIn(disk: Disk, folder: string) {
  const names = await namesIn(disk, folder);
  return names
    .filter((name) => /^\d{4}-\d{2}-\d{2}\.ndjson$/.test(name))
    .map((name) => ({ name, day: name.slice(0, 'YYYY-MM-DD'.length) }));
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

function historyFolder(folderOfSync: string): string {
  return join(folderOfSync, 'history');
}
