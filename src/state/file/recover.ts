// Recovers the newest state from the files of a journal.
import { basename } from 'node:path';
import type { Notice } from '../port.ts';
import { createDocument, DamagedDocument, emptyDocument } from './document.ts';
import type { Document } from './document.ts';
import { readLog } from './log.ts';
import type { Log, LogLine } from './log.ts';
import type { JournalPlace } from './place.ts';
import { migrate } from './schema.ts';
import { applyBatch, touchesLedger } from './tables.ts';

/** The state that the files of a journal give. */
export interface Recovered {
  /** After the last batch that could be applied; `schema` is the version of its tables. */
  readonly document: Document;
  /** Applied lines of the last log: another journal may lack them. */
  readonly lines: readonly LogLine[];
  /** The newest generation on any file, so that a leftover never counts as newer than the next document. */
  readonly generationMax: number;
  /** Offset in the log for the next line; undefined: a log has to be started. */
  readonly appendAt: number | undefined;
  /** Whether a new document must be written before the next batch. */
  readonly needsRepair: boolean;
  /**
   * Whether document and log may become the previous ones: they are whole, or they are the first log and nothing else.
   */
  readonly stepBack: boolean;
  /** Unusable files that are to be moved aside. */
  readonly unusable: readonly string[];
  /** Committed batches may be missing. */
  readonly behind: boolean;
  readonly notices: readonly Notice[];
}

/**
 * Finds the newest state. Every file names its generation, so file names are only hints. It takes the newest readable
 * document, then the logs of its generation and later ones. A line applies only if it continues exactly the one before.
 *
 *   base.json N,   base.log N                                the usual
 *   base.json N,   base.log older, or none                   stopped right after a new document: all is in it
 *   none,          previous N, a log N under either name     stopped between two renames: nothing is missing
 *   damaged,       previous N, previous log N, base.log N+1  the logs bridge the damage: nothing is missing
 *   damaged,       none, previous log 0, base.log 1          the same, from the empty state on
 *   damaged,       previous N, no bridge                     later commits are missing, and a notice says so
 *
 * Throws NewerSchemaError, ForeignStateError and the errors of the disk.
 */
export async function recover(place: JournalPlace): Promise<Recovered> {
  const current = await readGeneration(place, place.document);
  const previous = current.condition === 'whole' ? undefined : await readGeneration(place, place.previousDocument);
  const start = [current, previous].find((each) => each?.condition === 'whole')?.document ?? emptyDocument(place);

  const log = await readLog(place, place.log);
  const isUsual = current.condition === 'whole' && log?.generation === start.generation;
  const previousLog = isUsual ? undefined : await readLog(place, place.previousLog);

  const generationOf = (each: Log | undefined) => each?.generation ?? 0;
  const walk = walkLogs(
    place,
    start,
    [log, previousLog]
      .filter((each) => each?.generation !== undefined && each.generation >= start.generation)
      .toSorted((a, b) => generationOf(a) - generationOf(b)) as readonly Log[],
  );
  const generationMax = Math.max(start.generation, generationOf(log), generationOf(previousLog));

  // A damaged document had a log after it: nothing is lost only if that log could be applied.
  const unbridged = current.condition === 'damaged' && log === undefined;
  const unreadable = log !== undefined && log.generation === undefined;
  const behind = walk.unused || unbridged || unreadable;
  const unusable = [
    ...(current.condition === 'damaged' ? [place.document] : []),
    ...(previous?.condition === 'damaged' ? [place.previousDocument] : []),
    ...(log && (log.condition === 'damaged' || walk.unusedLogs.includes(log)) ? [log.file] : []),
  ];
  const displaced = previousLog !== undefined && previousLog.generation === start.generation;
  const needsRepair =
    unusable.length > 0 ||
    walk.unused ||
    walk.schema < place.schema.version ||
    displaced ||
    (current.condition === 'absent' && generationMax > 0);
  return {
    document: { ...start, schema: walk.schema, seq: walk.seq, ledgerSeq: walk.ledgerSeq },
    lines: walk.lines,
    generationMax,
    appendAt: !needsRepair && log?.generation === start.generation ? walk.appliedEnd(log) : undefined,
    needsRepair,
    stepBack: current.condition === 'whole' || (start.generation === 0 && !needsRepair),
    unusable,
    behind,
    notices: describe({ place, current, log, walk, unusable, behind, isLater: generationMax > 0 || displaced }),
  };
}

interface Generation {
  readonly condition: 'whole' | 'absent' | 'damaged';
  readonly document: Document;
}

async function readGeneration(place: JournalPlace, file: string): Promise<Generation> {
  const low = createDocument(place, file);
  try {
    await low.read();
    return { condition: low.data.generation === 0 ? 'absent' : 'whole', document: low.data };
  } catch (error) {
    if (error instanceof DamagedDocument) return { condition: 'damaged', document: low.data };
    throw error;
  }
}

interface Walk {
  readonly schema: number;
  readonly seq: number;
  readonly ledgerSeq: number;
  readonly lines: readonly LogLine[];
  readonly unused: boolean;
  readonly unusedLogs: readonly Log[];
  /** Offset of the end of the last applied line. */
  appliedEnd(log: Log): number;
}

/** Applies the logs, oldest generation first, to the first tables. */
function walkLogs(place: JournalPlace, start: Document, logs: readonly Log[]): Walk {
  let { schema, seq, ledgerSeq } = start;
  let lines: LogLine[] = [];
  const endByLog = new Map<Log, number>();
  for (const [index, log] of logs.entries()) {
    lines = [];
    // A failed batch may stand at the end of a log; the next generation then began before it.
    const next = logs[index + 1];
    const seqMax = next?.header?.seq ?? next?.lines[0]?.line.after ?? Infinity;
    if (log.header && log.header.schema > schema) {
      migrate(start.tables, schema, { ...place.schema, version: log.header.schema });
      schema = log.header.schema;
    }
    for (const { line, end } of log.lines) {
      if (line.generation !== log.generation || line.after !== seq || line.seq > seqMax) break;
      applyBatch(start.tables, line, place.tables);
      seq = line.seq;
      if (touchesLedger(line)) ledgerSeq = seq;
      lines.push(line);
      endByLog.set(log, end);
    }
  }
  const seqOf = (log: Log) => log.lines.at(-1)?.line.seq ?? log.header?.seq ?? 0;
  const unusedLogs = logs.slice(-1).filter((log) => seqOf(log) > seq);
  return {
    schema,
    seq,
    ledgerSeq,
    lines,
    unused: unusedLogs.length > 0,
    unusedLogs,
    appliedEnd: (log) => endByLog.get(log) ?? log.headerEnd,
  };
}

interface Findings {
  readonly place: JournalPlace;
  readonly current: Generation;
  readonly log: Log | undefined;
  readonly walk: Walk;
  readonly unusable: readonly string[];
  readonly behind: boolean;
  /** A file exists beside a first log. */
  readonly isLater: boolean;
}

function describe({ place, current, log, walk, unusable, behind, isLater }: Findings): readonly Notice[] {
  const kind = behind ? 'behind' : 'damaged';
  const effect = behind
    ? 'what was saved last may be missing: those records are compared anew and may come up as conflicts'
    : 'nothing is missing';
  const notices: Notice[] = unusable.map((file) => ({
    kind,
    file,
    message: `${basename(file)} is damaged, or does not go with the files beside it; the others were used, and ${effect}`,
  }));
  const interrupted = (file: string, what: string): Notice => ({
    kind: 'torn',
    file,
    message: `${basename(file)} ${what}: a write was interrupted, or somebody changed the file; what was saved before is used`,
  });
  if (log?.condition === 'torn') {
    notices.push(interrupted(log.file, `ends in ${log.size - walk.appliedEnd(log)} bytes that are no whole batch`));
  }
  if (current.condition === 'whole' && log === undefined) notices.push(interrupted(place.log, 'is not there'));
  if (current.condition === 'absent' && isLater && unusable.length === 0) {
    notices.push(interrupted(place.document, 'is not there'));
  }
  return notices;
}
