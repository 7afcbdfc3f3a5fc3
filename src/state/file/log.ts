// Reads the log of a journal, and makes its lines.
import { readIfThere } from './disk.ts';
import { checkOrigin } from './place.ts';
import type { JournalPlace } from './place.ts';
import { batchFromDisk } from './schema.ts';
import { seal, unseal } from './seal.ts';
import type { StoredBatch } from './tables.ts';

/** The first line of a log: the document that it continues. */
export interface LogHeader {
  readonly schema: number;
  readonly sync: string;
  /** The generation of its document. */
  readonly generation: number;
  /** The last batch in that document. */
  readonly seq: number;
}

/** One batch. It applies only to a state exactly at `after`. */
export interface LogLine extends StoredBatch {
  readonly generation: number;
  readonly after: number;
  readonly seq: number;
}

export interface Log {
  readonly file: string;
  /** Undefined: neither the header nor any line can be read. */
  readonly generation: number | undefined;
  /** Undefined: it is damaged. */
  readonly header: LogHeader | undefined;
  /** The readable batches, each with the offset of its end. */
  readonly lines: readonly { readonly line: LogLine; readonly end: number }[];
  readonly headerEnd: number;
  readonly size: number;
  /** torn: only the end cannot be read. damaged: something before the end cannot. */
  readonly condition: 'whole' | 'torn' | 'damaged';
}

const newline = 0x0a;

export async function readLog(place: JournalPlace, file: string): Promise<Log | undefined> {
  const bytes = await readIfThere(place.disk, file);
  if (bytes === undefined) return undefined;
  const lines: { line: LogLine; end: number }[] = [];
  let header: LogHeader | undefined;
  let headerEnd = 0;
  let unreadable = 0;
  let goodAfterBad = false;
  let start = 0;
  while (start < bytes.length) {
    const found = bytes.indexOf(newline, start);
    const end = found === -1 ? bytes.length : found + 1;
    const entry = unseal(bytes.subarray(start, end));
    // A disk may have put one of ours into the place of another.
    const isReadable = start === 0 ? isHeader(entry) : isBatch(entry);
    if (isReadable) goodAfterBad ||= unreadable > 0;
    else unreadable += 1;
    if (start === 0 && isHeader(entry)) [header, headerEnd] = [entry, end];
    if (start > 0 && isBatch(entry)) lines.push({ line: batchFromDisk(entry), end });
    start = end;
  }
  if (header) checkOrigin(place, file, header);
  // A log appears with its header in place, so a log without one is damaged, not torn.
  const damaged = header === undefined || goodAfterBad;
  return {
    file,
    generation: header?.generation ?? lines[0]?.line.generation,
    header,
    lines,
    headerEnd,
    size: bytes.length,
    condition: damaged ? 'damaged' : unreadable > 0 ? 'torn' : 'whole',
  };
}

function isHeader(entry: object | undefined): entry is LogHeader {
  return entry !== undefined && 'schema' in entry && 'sync' in entry;
}

function isBatch(entry: object | undefined): entry is LogLine {
  return entry !== undefined && 'put' in entry && 'delete' in entry;
}

export function sealHeader({ schema, sync, generation, seq }: LogHeader): Buffer {
  return seal({ schema, sync, generation, seq });
}

export function sealLine({ generation, after, seq, put, delete: removed }: LogLine): Buffer {
  return seal({ generation, after, seq, put, delete: removed });
}
