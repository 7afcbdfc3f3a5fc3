// Writes a journal: its document and its log.
import type { Low } from 'lowdb';
import { renameIfThere, stampIfThere, syncFolder, writeAt, writeWhole } from './disk.ts';
import { createDocument } from './document.ts';
import type { Document } from './document.ts';
import { sealHeader, sealLine } from './log.ts';
import type { JournalPlace } from './place.ts';
import type { Recovered } from './recover.ts';
import type { StoredBatch, Tables } from './tables.ts';

/**
 * The writer of a document and its log. After `adopt` it has one of three states:
 *
 *   appending   the log is of the document's generation, and whole up to a known offset
 *   logless     the document holds everything; the next batch starts a log first
 *   unsure      a step failed half-way; a new document must be written before the next batch
 */
export interface Journal {
  readonly needsDocument: boolean;
  /** Whether the log is so long that a new document is worthwhile. */
  readonly isLong: boolean;
  adopt(recovered: Recovered): Promise<void>;
  /** Durable when resolved. If it throws, the batch is not in the log, or a new document is needed first. */
  append(batch: StoredBatch, after: number, seq: number): Promise<void>;
  /** Removes the last appended batch: the other journal failed. */
  retract(): Promise<void>;
  /** Folds everything into a document of the next generation. Unusable files are moved to the given names. */
  fold(state: FoldedState, aside?: ReadonlyMap<string, string>): Promise<void>;
}

type FoldedState = Pick<Document, 'seq' | 'ledgerSeq'> & { readonly tables: Tables };

/**
 * A log is folded when it is half as long as its document. Then each byte of change costs at most 1 + 2 written bytes,
 * and a load reads at most half as much again. Below the floor folding saves nothing.
 */
const foldAtShare = 1 / 2;

export function createJournal(place: JournalPlace, foldFloorBytes: number): Journal {
  const { disk } = place;
  let generation = 0;
  /** Also counts failed folds: a generation is never begun twice. */
  let generationMax = 0;
  let documentBytes = 0;
  let logEnd: number | undefined;
  let lastStart: number | undefined;
  let unsure = false;
  let canStepBack = false;
  let logIsUnusable = false;

  const low: Low<Document> = createDocument(place, place.document, async () => {
    // From here on the log is changed. A document that did not fit on the disk has changed nothing before.
    unsure = true;
    if (!canStepBack) return;
    if (!logIsUnusable) await renameIfThere(disk, place.log, place.previousLog);
    await renameIfThere(disk, place.document, place.previousDocument);
  });

  async function startLog(seq: number): Promise<number> {
    const { sync, schema } = place;
    const draft = `${place.log}.tmp`;
    const header = sealHeader({ schema: schema.version, sync, generation, seq });
    const bytes = await writeWhole(disk, draft, [header]);
    await disk.rename(draft, place.log);
    await syncFolder(disk, place.folder);
    return bytes;
  }

  /** Truncates to the last good place. If that fails too, only a new document helps. */
  async function cutTo(end: number): Promise<void> {
    try {
      await using file = await openLog();
      await file.truncate(end);
      await file.datasync();
    } catch {
      unsure = true;
    }
  }

  async function openLog() {
    const file = await disk.open(place.log, 'r+');
    return {
      truncate: (length: number) => file.truncate(length),
      size: async () => (await file.stat()).size,
      write: (bytes: Buffer, position: number) => writeAt(file, bytes, position),
      datasync: () => file.datasync(),
      [Symbol.asyncDispose]: () => file.close(),
    };
  }

  return {
    get needsDocument() {
      return unsure;
    },
    get isLong() {
      if (logEnd === undefined) return false;
      return documentBytes === 0 || logEnd > Math.max(foldFloorBytes, documentBytes * foldAtShare);
    },

    async adopt(recovered) {
      generation = recovered.generationMax;
      generationMax = Math.max(generationMax, generation);
      unsure ||= recovered.needsRepair;
      canStepBack = recovered.stepBack;
      logEnd = recovered.appendAt;
      lastStart = undefined;
      documentBytes = (await stampIfThere(disk, place.document))?.size ?? 0;
      if (logEnd === undefined) return;
      // The writer may have been killed before it was durable. Work that depends on it must not outlast it.
      await using file = await openLog();
      await file.datasync();
    },

    async append(batch, after, seq) {
      const bytes = sealLine({ ...batch, generation, after, seq });
      logEnd ??= await startLog(after);
      const start = logEnd;
      try {
        await using file = await openLog();
        // The rest of a crash after the last whole batch is removed first; otherwise it would be read as damage in the
        // middle.
        if ((await file.size()) > start) await file.truncate(start);
        await file.write(bytes, start);
        await file.datasync();
      } catch (error) {
        // After a failed sync the content of the disk is unknown. So these bytes are cut off, not synced again.
        await cutTo(start);
        throw error;
      }
      lastStart = start;
      logEnd = start + bytes.length;
    },

    async retract() {
      if (lastStart === undefined) return;
      logEnd = lastStart;
      await cutTo(lastStart);
    },

    async fold({ tables, seq, ledgerSeq }, aside = new Map()) {
      const logAside = aside.get(place.log);
      for (const [file, name] of aside) if (file !== place.log) await renameIfThere(disk, file, name);
      logIsUnusable = logAside !== undefined;
      generationMax += 1;
      const { schema, sync } = place;
      low.data = { schema: schema.version, sync, generation: generationMax, seq, ledgerSeq, tables };
      await low.write();
      generation = generationMax;
      if (logAside !== undefined) await renameIfThere(disk, place.log, logAside);
      logIsUnusable = false;
      canStepBack = true;
      logEnd = await startLog(seq);
      lastStart = undefined;
      documentBytes = (await disk.stat(place.document)).size;
      unsure = false;
    },
  };
}
