// Reads what was committed to a journal since a position in it, without reading the rest.
import { statSync } from 'node:fs';
import { type FileStamp, hasCode, type OpenFile } from './disk.ts';
import { type LogHeader, type LogLine, readLog } from './log.ts';
import type { JournalPlace } from './place.ts';
import { describeStamp, type Places } from './reading.ts';
import { batchFromDisk } from './schema.ts';
import { unseal } from './seal.ts';
import type { StoredBatch } from './tables.ts';

/** A place in the log of a journal: right after a batch, or after the header. */
export interface Position {
  /** Of the document that the log continues. */
  readonly generation: number;
  /** The last batch before it. */
  readonly seq: number;
  /** Offset in bytes. */
  readonly logEnd: number;
  /** The bytes before it: after a power loss, others may stand there. */
  readonly logTail: string;
}

/** Like `readStamps`, at once: on a disk of this machine that takes microseconds. */
export function stampsNow({ base, outbox }: Places): string {
  const files = [base.document, base.log, outbox.document, outbox.log];
  return files.map((file) => describeStamp(statSync(file, { throwIfNoEntry: false }))).join(' ');
}

/** Of the log of the base, to which every commit appends. As numbers, because they are compared often. */
export type LogStamp = Pick<FileStamp, 'ino' | 'size' | 'mtimeMs'>;

/** The part of what `stampsNow` answered about the log of the base; undefined: there was none. */
export function logStampIn(stamps: string): LogStamp | undefined {
  const [ino, size, mtimeMs] = stamps.split(' ')[1]!.split(':').map(Number);
  return mtimeMs === undefined ? undefined : { ino: ino!, size: size!, mtimeMs };
}

export function isLogNow({ base }: Places, log: LogStamp | undefined): boolean {
  const now = statSync(base.log, { throwIfNoEntry: false });
  return now?.ino === log?.ino && now?.size === log?.size && now?.mtimeMs === log?.mtimeMs;
}

export interface NewBatches {
  readonly batches: readonly StoredBatch[];
  readonly position: Position;
  /** Half a line follows: a batch is being written, or a kill has torn it. */
  readonly hasHalfLine: boolean;
}

/**
 * The batches from the position up to the state of these stamps. `lost`: they do not follow from what is known of the
 * files; everything is to be read anew. `unfinished`: the outbox has a batch that the base does not have yet, or a line is half written: the files themselves say what that is.
 */
export async function readNewBatches(
  places: Places,
  from: Position,
  before: string,
  stamps: string,
): Promise<NewBatches | 'lost' | 'unfinished'> {
  const [document, , ...outboxBefore] = before.split(' ');
  const [documentNow, , ...outboxNow] = stamps.split(' ');
  const { base, outbox } = places;
  const found = document === documentNow ? await readFrom(base, base.log, from) : await readAcrossFold(base, from);
  if (!found) return 'lost';
  if (found.hasHalfLine) return 'unfinished';
  if (outboxBefore.join(' ') !== outboxNow.join(' ')) {
    const log = await readLog(outbox, outbox.log);
    if (!log?.header || log.condition === 'damaged') return 'lost';
    if (Math.max(log.header.seq, log.lines.at(-1)?.line.seq ?? 0) > found.position.seq) return 'unfinished';
  }
  return found;
}

/** The log was folded into a document since: the rest of the old log leads to it, and the new log goes on from there. */
async function readAcrossFold(place: JournalPlace, from: Position): Promise<NewBatches | undefined> {
  const rest = await readFrom(place, place.previousLog, from);
  const header = await readHeader(place, place.log);
  if (!rest || !header || header.entry.generation !== from.generation + 1) return undefined;
  const { generation, seq, schema, sync } = header.entry;
  if (rest.position.seq !== seq || schema !== place.schema.version || sync !== place.sync) return undefined;
  const start = { generation, seq, logEnd: header.end, logTail: await tailOf(place, place.log, header.end) };
  const further = await readFrom(place, place.log, start);
  return further && { ...further, batches: [...rest.batches, ...further.batches] };
}

/** Undefined: the file is not the one that is known, or not whole. Half a line at the end is not read. */
async function readFrom(place: JournalPlace, file: string, from: Position): Promise<NewBatches | undefined> {
  return withFile(place, file, async (open) => {
    if ((await readBytes(open, from.logEnd - from.logTail.length, from.logEnd)).toString('latin1') !== from.logTail) {
      return undefined;
    }
    const { size } = await open.stat();
    const bytes = await readBytes(open, from.logEnd, size);
    const batches: StoredBatch[] = [];
    let { seq, logEnd } = from;
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(0x0a, start) + 1;
      if (end === 0) break;
      const line = unseal(bytes.subarray(start, end)) as LogLine | undefined;
      if (!line || line.generation !== from.generation || line.after !== seq) return undefined;
      batches.push(batchFromDisk(line));
      ({ seq } = line);
      logEnd = from.logEnd + end;
      start = end;
    }
    const logTail = (await readBytes(open, Math.max(0, logEnd - tailBytes), logEnd)).toString('latin1');
    const hasHalfLine = logEnd < from.logEnd + bytes.length;
    return { batches, position: { generation: from.generation, seq, logEnd, logTail }, hasHalfLine };
  });
}

/** The checksum of a line, and a little more. */
const tailBytes = 32;

/** The bytes before an offset in the log of a journal. */
export async function tailAt(place: JournalPlace, end: number): Promise<string> {
  return tailOf(place, place.log, end);
}

async function tailOf(place: JournalPlace, file: string, end: number): Promise<string> {
  const tail = await withFile(place, file, async (open) => readBytes(open, Math.max(0, end - tailBytes), end));
  return tail?.toString('latin1') ?? '';
}

async function readHeader(place: JournalPlace, file: string) {
  return withFile(place, file, async (open) => {
    const bytes = await readBytes(open, 0, headerBytesMax);
    const end = bytes.indexOf(0x0a) + 1;
    const entry = end === 0 ? undefined : (unseal(bytes.subarray(0, end)) as LogHeader | undefined);
    return entry && { entry, end };
  });
}

/** A header has the name of its sync, of at most some hundred bytes. */
const headerBytesMax = 4_096;

async function withFile<Result>(
  { disk }: JournalPlace,
  file: string,
  work: (open: OpenFile) => Promise<Result>,
): Promise<Result | undefined> {
  let open: OpenFile;
  try {
    open = await disk.open(file, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}

async function readBytes(open: OpenFile, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.max(0, to - from));
  const { bytesRead } = await open.read(bytes, 0, bytes.length, Math.max(0, from));
  return bytes.subarray(0, bytesRead);
}
