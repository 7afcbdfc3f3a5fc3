// Reads and writes the documents of a journal.
import { Low } from 'lowdb';
import type { Adapter } from 'lowdb';
import { readIfThere, syncFolder, unlinkIfThere, writeWhole } from './disk.ts';
import { renameDraft } from './fence.ts';
import type { Fence } from './fence.ts';
import type { JournalPlace } from './place.ts';
import { checkOrigin } from './place.ts';
import { recordSeam, tableEnd, tableStart, takeRecords } from './records.ts';
import { nameOnDisk } from './schema.ts';
import { sealChunks, unsealBytes } from './seal.ts';
import { emptyTables } from './tables.ts';
import type { Tables } from './tables.ts';

/**
 * One generation of a journal: the tables at the batch numbered `seq`. On disk it is a JSON object with a record a
 * line, and its tables are objects by key.
 */
export interface Document {
  readonly schema: number;
  readonly sync: string;
  /** Counts documents, from 1; 0 is the state before the first. */
  readonly generation: number;
  /** Counts batches. */
  readonly seq: number;
  /** The last batch that touched the ledger. */
  readonly ledgerSeq: number;
  readonly tables: Tables;
}

export interface Writing {
  readonly fence: Fence;
  /** Is called when the new document is whole on disk. It looks at the lock, and gives the old files further names. */
  readonly stepBack: () => Promise<void>;
}

/** The bytes exist and are not what was written. */
export class DamagedDocument extends Error {
  override readonly name = 'DamagedDocument';
}

/** The empty state, before the first document. */
export function emptyDocument({ schema, sync }: JournalPlace): Document {
  return { schema: schema.version, sync, generation: 0, seq: 0, ledgerSeq: 0, tables: emptyTables() };
}

/**
 * Reads and writes a document; lowdb holds the tables in memory. `read` leaves the empty state (generation 0) if there
 * is no file, and throws DamagedDocument, NewerSchemaError and ForeignStateError. Without `writing` it only reads.
 */
export function createDocument(place: JournalPlace, file: string, writing?: Writing): Low<Document> {
  const adapter: Adapter<Document> = {
    read: () => readDocument(place, file),
    async write(document) {
      if (writing === undefined) throw new Error(`${file} was opened for reading alone`);
      await writeDocument(place, file, document, writing);
    },
  };
  return new Low(adapter, emptyDocument(place));
}

async function readDocument(place: JournalPlace, file: string): Promise<Document | null> {
  const bytes = await readIfThere(place.disk, file);
  if (bytes === undefined) return null;
  const text = unsealBytes(bytes);
  // A disk may have put something else of ours into its place.
  if (text === undefined || !isDocument(text)) throw new DamagedDocument(file);
  const tables = emptyTables();
  const named = new Map(
    place.tables.flatMap((table) => {
      const name = nameOnDisk(table, versionOf(text, place));
      return name === undefined ? [] : [[name, tables[table]] as const];
    }),
  );
  const filters = { links: place.wantsLink };
  const head: unknown = takeRecords(text, [...named.keys()], Object.fromEntries(named), undefined, filters);
  const { schema, sync, generation, seq, ledgerSeq } = head as Omit<Document, 'tables'>;
  checkOrigin(place, file, { schema, sync });
  return { schema, sync, generation, seq, ledgerSeq, tables };
}

function isDocument(text: Buffer): boolean {
  return /^\{"schema":\d+,"sync":/.test(text.toString('latin1', 0, 40));
}

/** The version stands first. A later one is refused after the whole is read: until then it is read as this version. */
function versionOf(text: Buffer, { schema }: JournalPlace): number {
  const [, version] = /^\{"schema":(\d+),/.exec(text.toString('latin1', 0, 40)) ?? [];
  return Math.min(Number(version ?? schema.version), schema.version);
}

/**
 * The new generation is whole on disk before a name changes. After a power loss any of the renames may be missing.
 * recover.ts handles each case, because each file names its generation.
 */
async function writeDocument(
  place: JournalPlace,
  file: string,
  document: Document,
  { fence, stepBack }: Writing,
): Promise<void> {
  const draft = fence.draftOf(file);
  try {
    await writeWhole(place.disk, draft, sealChunks(documentPieces(place, document)));
  } catch (error) {
    // On a full disk the unfinished file would take up space.
    await unlinkIfThere(place.disk, draft).catch(() => {});
    throw error;
  }
  await stepBack();
  await renameDraft(place.disk, draft, file, fence);
  await syncFolder(place.disk, place.folder);
}

/** Pieces of this size block the rest of the program for a millisecond or two at most. */
const pieceCharacters = 256 * 1024;

function* documentPieces(place: JournalPlace, { tables, ...head }: Document): Generator<string> {
  let piece = JSON.stringify(head).slice(0, -1);
  for (const name of place.tables) {
    piece += tableStart(name);
    let separator = '\n';
    for (const [key, value] of tables[name]) {
      piece += `${separator}${JSON.stringify(key)}:${JSON.stringify(value)}`;
      separator = recordSeam;
      if (piece.length >= pieceCharacters) {
        yield piece;
        piece = '';
      }
    }
    piece += tableEnd;
  }
  yield piece;
}
