// Reads the history of syncs from its files, line by line and in order: complete, and as slow as the files are long.
import { join } from 'node:path';
import delay from 'delay';
import type { HistoryFilter, HistoryLine, HistoryQuery, Notice } from '../port.ts';
import { type Disk, onDisk } from './disk.ts';
import type { FileDriverDep } from './dep.ts';
import { dayOf, daysIn, historyFolder } from './history.ts';
import { readLines } from './lines.ts';
import { isSealed, unseal, unsealBytes } from './seal.ts';

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
  dep: FileDriverDep,
): AsyncGenerator<HistoryLine> {
  for await (const { line } of scanHistory(folder, query, dep, offsetByFile)) yield line;
}

/** The place of a line: its file, and the bytes in it. */
export interface LinePlace {
  readonly day: string;
  readonly start: number;
  readonly length: number;
}

/**
 * The lines of one history folder that match, in the order of writing. `offsetByFile`: where to begin in each file; it is
 * moved on. Unreadable lines are passed to `warn`, as far as they may match.
 */
export async function* scanHistory(
  folder: string,
  filter: HistoryFilter,
  { disk, warn }: Pick<FileDriverDep, 'disk' | 'warn'>,
  offsetByFile = new Map<string, number>(),
): AsyncGenerator<{ readonly line: HistoryLine; readonly place: LinePlace }> {
  const firstDay = filter.since === undefined ? '' : dayOf(filter.since);
  const days = await onDisk(folder, () => daysIn(disk, folder));
  const needles = needlesOf(filter);
  const isSkipped = (bytes: Buffer) => needles.some((needle) => !bytes.includes(needle)) && !isDamaged(bytes);
  for (const { day, name } of days.filter((each) => each.day >= firstDay)) {
    const path = join(folder, name);
    for await (const { line, start, end } of readSoundLines(disk, path, offsetByFile.get(path) ?? 0, isSkipped)) {
      offsetByFile.set(path, end);
      if (line === 'skipped') continue;
      if (line === undefined) {
        warn(unreadable(path, end));
      } else if (matches(line, filter)) yield { line, place: { day, start, length: end - start } };
    }
  }
}

/** Names a damaged line, by the byte at which it ends. */
export function unreadable(path: string, end: number): Notice {
  return { kind: 'torn', file: path, message: `a line of ${path} cannot be read and is left out: ends at byte ${end}` };
}

/** A line, undefined if it cannot be read, or the end of lines that were skipped. */
interface SoundLine {
  readonly line: HistoryLine | 'skipped' | undefined;
  readonly start: number;
  readonly end: number;
}

/** A single read may be wrong, and the disk right: damage counts once a second reading has found it (S10). */
export async function* readSoundLines(
  disk: Disk,
  path: string,
  from: number,
  isSkipped?: (bytes: Buffer) => boolean,
): AsyncGenerator<SoundLine> {
  /** The start of the line that is being read a second time, in bytes. */
  let suspect: number | undefined;
  let begin: number | undefined = from;
  while (begin !== undefined) {
    let again: number | undefined;
    for await (const { text, start, end } of readLines(disk, path, begin, isSkipped)) {
      const line = text === undefined ? 'skipped' : parseLine(text);
      if (line === undefined && start !== suspect) {
        suspect = again = start;
        break;
      }
      yield { line, start, end };
    }
    begin = again;
  }
}

/** A line that lacks what is looked for may have had it. */
function isDamaged(bytes: Buffer): boolean {
  return isSealed(bytes) && unsealBytes(bytes) === undefined;
}

/** Bytes that each matching line contains. */
function needlesOf({ run, contact, field, outcome }: HistoryFilter): readonly Buffer[] {
  const texts = [run, contact, field, outcome].flatMap((text) => {
    const [only, ...more] = textsOf(text) ?? [];
    return only === undefined || more.length > 0 ? [] : [only];
  });
  return texts.map((text) => Buffer.from(JSON.stringify(text)));
}

/** The texts of a filter, any of which matches; undefined: all do. */
export function textsOf(text: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof text === 'string' ? [text] : text;
}

/**
 * Undefined: this is no whole line of a history, or not the one that was written. Versions up to 0.7 wrote lines without
 * a checksum; of those only the form can be checked.
 */
export function parseLine(text: string): HistoryLine | undefined {
  try {
    const bytes = Buffer.from(`${text}\n`);
    const line = (isSealed(bytes) ? unseal(bytes) : JSON.parse(text)) as Partial<HistoryLine> | null;
    return typeof line === 'object' && typeof line?.time === 'string' ? (line as HistoryLine) : undefined;
  } catch {
    return undefined;
  }
}

/** The sync is matched by the folder of the line. */
export function matches(line: HistoryLine, { run, contact, field, outcome, since, until }: HistoryFilter): boolean {
  if (run !== undefined && line.run !== run) return false;
  if (contact !== undefined && !isAny(contact, line.contact)) return false;
  if (field !== undefined && !isAny(field, line['field'])) return false;
  if (outcome !== undefined && !isAny(outcome, line['outcome'])) return false;
  if (since === undefined && until === undefined) return true;
  const time = Date.parse(line.time);
  return (since === undefined || time >= since) && (until === undefined || time <= until);
}

function isAny(wanted: string | readonly string[], text: unknown): boolean {
  return typeof wanted === 'string' ? text === wanted : wanted.some((each) => each === text);
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
