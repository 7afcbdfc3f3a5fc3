/*
 * The history of a sync: a file a day (UTC), named after the day its lines were written, with a sealed line for each change.
 * It is written under the lease, so only its end can be half a line; the next writer starts a new line after that.
 */
import { join } from 'node:path';
import type { HistoryLine } from '../port.ts';
import { makeFolder, namesIn, syncFolder, unlinkIfThere, writeAt } from './disk.ts';
import type { Disk, OpenFile } from './disk.ts';
import type { FileDriverDep } from './dep.ts';
import type { Fence } from './fence.ts';
import { seal } from './seal.ts';

export interface HistoryWriter {
  append(lines: readonly HistoryLine[], fence: Fence): Promise<void>;
}

export const dayMs = 86_400_000;
const newline = '\n';

export function createHistoryWriter(folderOfSync: string, dep: FileDriverDep): HistoryWriter {
  const { disk } = dep;
  const folder = historyFolder(folderOfSync);
  /** The file whose name is surely durable: its creator may have died before that. */
  let durablePath: string | undefined;
  let tail: Promise<void> = Promise.resolve();

  async function appendNow(lines: readonly HistoryLine[], fence: Fence): Promise<void> {
    const path = join(folder, `${dayOf(dep.now())}.ndjson`);
    const { file, isNew } = await openForAppending(disk, folder, path);
    try {
      await appendDurably(file, lines, fence);
    } finally {
      await file.close();
    }
    if (isNew || path !== durablePath) await syncFolder(disk, folder);
    durablePath = path;
    if (isNew) await prune(dep, folder);
  }

  return {
    async append(lines, fence) {
      if (lines.length === 0) return;
      const turn = tail.then(() => appendNow(lines, fence));
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

/** A first run has a line for each field of each row: as one buffer they would be in memory twice. */
const pieceBytes = 1024 * 1024;

function* piecesOf(lines: readonly HistoryLine[], before: string): Generator<Buffer> {
  let piece: Buffer[] = [Buffer.from(before)];
  let bytes = 0;
  for (const line of lines) {
    const sealed = seal(line);
    piece.push(sealed);
    bytes += sealed.length;
    if (bytes < pieceBytes) continue;
    yield Buffer.concat(piece);
    [piece, bytes] = [[], 0];
  }
  yield Buffer.concat(piece);
}

async function appendDurably(file: OpenFile, lines: readonly HistoryLine[], fence: Fence): Promise<void> {
  const { size } = await file.stat();
  const last = Buffer.alloc(1);
  if (size > 0) await file.read(last, 0, 1, size - 1);
  const isTorn = size > 0 && last.toString('latin1') !== newline;
  // All of them before the look: from there on nothing but writing takes time.
  const pieces = [...piecesOf(lines, isTorn ? newline : '')];
  // A successor may have appended since the size was read.
  await fence.look();
  try {
    let end = size;
    for (const piece of pieces) {
      await writeAt(file, piece, end);
      end += piece.length;
    }
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

/** The files of a history folder, oldest first. */
export async function daysIn(disk: Disk, folder: string) {
  return daysOf(await namesIn(disk, folder));
}

/** The same of names in any order. */
export function daysOf(names: readonly string[]): readonly { readonly name: string; readonly day: string }[] {
  return names
    .toSorted((a, b) => (a < b ? -1 : 1))
    .filter((name) => /^\d{4}-\d{2}-\d{2}\.ndjson$/.test(name))
    .map((name) => ({ name, day: name.slice(0, 'YYYY-MM-DD'.length) }));
}

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

export function historyFolder(folderOfSync: string): string {
  return join(folderOfSync, 'history');
}

/** The path of the history file of a day. */
export function fileOf(folderOfSync: string, day: string): string {
  return join(historyFolder(folderOfSync), `${day}.ndjson`);
}
