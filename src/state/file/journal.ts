// Writes a journal: its document and its log.
import { readIfThere, renameIfThere, stampIfThere, syncFolder, unlinkIfThere, writeAt, writeWhole } from './disk.ts';
import { createDocument } from './document.ts';
import type { Document } from './document.ts';
import { linkDraft, renameDraft } from './fence.ts';
import type { Fence } from './fence.ts';
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
  /** Makes what was read durable. Where that fails, a new document is needed, with the error swallowed: it tries once more. */
  adopt(recovered: Recovered): Promise<void>;
  /** Finds out whether the log still has all that was appended. If not, a new document is needed, from memory. */
  verify(): Promise<void>;
  /** Durable when resolved. If it throws, the batch is not in the log, or a new document is needed first. */
  append(batch: StoredBatch, after: number, seq: number, fence: Fence): Promise<void>;
  /** Removes the last appended batch: the other journal failed. */
  retract(fence: Fence): Promise<void>;
  /** Puts a copy of the log in its place, once a lease: what an earlier holder still writes goes into the old file. */
  takeLog(fence: Fence): Promise<void>;
  /** Folds everything into a document of the next generation. Unusable files are moved to the given names. */
  fold(state: FoldedState, fence: Fence, aside?: ReadonlyMap<string, string>): Promise<void>;
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
  /** Under which the log was last put in its place. */
  let logFence: Fence | undefined;

  /** Gives files second names, in order. They keep their own until a new file takes it. */
  async function copyNames(names: readonly (readonly [file: string, name: string])[], fence: Fence): Promise<void> {
    const drafts: (readonly [draft: string, name: string])[] = [];
    for (const [file, name] of names) {
      const draft = await linkDraft(disk, { file, target: name }, fence);
      if (draft !== undefined) drafts.push([draft, name]);
    }
    await fence.look();
    for (const [draft, name] of drafts) {
      await renameDraft(disk, draft, name, fence);
      // A rename to another name of the same file leaves both.
      await unlinkIfThere(disk, draft);
    }
  }

  async function placeLog(chunks: readonly Buffer[], fence: Fence): Promise<number> {
    const draft = fence.draftOf(place.log);
    const bytes = await writeWhole(disk, draft, chunks);
    await fence.look();
    await renameDraft(disk, draft, place.log, fence);
    await syncFolder(disk, place.folder);
    logFence = fence;
    return bytes;
  }

  async function startLog(seq: number, fence: Fence): Promise<number> {
    const { sync, schema } = place;
    return placeLog([sealHeader({ schema: schema.version, sync, generation, seq })], fence);
  }

  async function takeLog(fence: Fence): Promise<void> {
    if (fence.isSole || logFence === fence || logEnd === undefined || unsure) return;
    const bytes = await readIfThere(disk, place.log);
    const again = await readIfThere(disk, place.log);
    if (bytes === undefined || bytes.length < logEnd || !again?.equals(bytes)) {
      // An earlier holder has cut off what it had not confirmed, after we had read it; or one of the reads was wrong.
      unsure = true;
      return;
    }
    await placeLog([bytes.subarray(0, logEnd)], fence);
  }

  type OpenLog = Awaited<ReturnType<typeof openLog>>;

  /** Truncates to the last good place. If that fails too, only a new document helps. */
  async function cutTo(file: OpenLog, end: number): Promise<void> {
    try {
      await file.truncate(end);
      await file.datasync();
    } catch {
      unsure = true;
    }
  }

  /** The file is ours to change for as long as it is open: see Fence. */
  async function openOwnLog(fence: Fence): Promise<OpenLog> {
    let file: OpenLog;
    try {
      file = await openLog();
    } catch (error) {
      unsure = true;
      throw error;
    }
    try {
      await fence.look();
    } catch (error) {
      await file[Symbol.asyncDispose]();
      throw error;
    }
    return file;
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
      try {
        await file.datasync();
      } catch {
        // No later sync writes the data of a failed one: Linux counts them as written (fsync(2), "ERRORS").
        unsure = true;
      }
    },

    takeLog,

    async verify() {
      if (logEnd === undefined || unsure) return;
      const { size } = (await stampIfThere(disk, place.log)) ?? { size: 0 };
      if (size < logEnd) unsure = true;
    },

    async append(batch, after, seq, fence) {
      const bytes = sealLine({ ...batch, generation, after, seq });
      logEnd ??= await startLog(after, fence);
      const start = logEnd;
      await using file = await openOwnLog(fence);
      try {
        // The rest of a crash after the last whole batch is removed first; otherwise it would be read as damage in the
        // middle.
        if ((await file.size()) > start) await file.truncate(start);
        await file.write(bytes, start);
        await file.datasync();
      } catch (error) {
        // After a failed sync the content of the disk is unknown. So these bytes are cut off, not synced again.
        await cutTo(file, start);
        throw error;
      }
      lastStart = start;
      logEnd = start + bytes.length;
    },

    async retract(fence) {
      if (lastStart === undefined) return;
      logEnd = lastStart;
      try {
        await using file = await openOwnLog(fence);
        await cutTo(file, lastStart);
      } catch {
        unsure = true;
      }
    },

    async fold({ tables, seq, ledgerSeq }, fence, aside = new Map()) {
      const logAside = aside.get(place.log);
      for (const [file, name] of aside) {
        if (file === place.document) await copyNames([[file, name]], fence);
        else if (file !== place.log) {
          // Nothing takes its place.
          await fence.look();
          await renameIfThere(disk, file, name);
        }
      }
      generationMax += 1;
      const { schema, sync } = place;
      const stepBack = async () => {
        // From here on the log is changed. A document that did not fit on the disk has changed nothing before.
        unsure = true;
        const log = [place.log, place.previousLog] as const;
        // The document first: if it stops here, the present log goes with both.
        const both = [[place.document, place.previousDocument], ...(logAside === undefined ? [log] : [])] as const;
        await copyNames(canStepBack ? both : [], fence);
      };
      const document = createDocument(place, place.document, { fence, stepBack });
      document.data = { schema: schema.version, sync, generation: generationMax, seq, ledgerSeq, tables };
      await document.write();
      generation = generationMax;
      if (logAside !== undefined) await copyNames([[place.log, logAside]], fence);
      canStepBack = true;
      logEnd = await startLog(seq, fence);
      lastStart = undefined;
      documentBytes = (await disk.stat(place.document)).size;
      unsure = false;
    },
  };
}
