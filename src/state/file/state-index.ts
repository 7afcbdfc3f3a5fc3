// The index over the states of jobs: their records by key, and by the terms that they are found by. It follows the journal of
// each job, batch by batch; where the journal is not as usual, the files themselves are read.
import { basename } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StateError } from '../errors.ts';
import type { Json, Terms, Wanted } from '../port.ts';
import { inSnapshot, type IndexConnection, inTransaction, keptPerDatabase } from './index-connection.ts';
import { isLogNow, logStampIn, type LogStamp, readNewBatches, stampsNow, tailAt } from './journal-follow.ts';
import { type Places, readFiles } from './reading.ts';
import {
  addState,
  applyOperations,
  building,
  collections,
  countTerms,
  differences,
  dropStates,
  factsIn,
  foldersWith,
  type Known,
  knownState,
  knownStates,
  type Operation,
  readTables,
  readWholeTables,
  setState,
  unusual,
} from './state-index-tables.ts';
import type { StoredBatch, Tables } from './tables.ts';
import { asksForFacts } from './wanted.ts';

/** Some of the tables of a job, as of its last commit. */
export interface IndexedTables {
  /** `links` and `ledger` have what is wanted; all others are whole. */
  readonly tables: Tables;
  readonly counts: ReadonlyMap<string, number>;
}

export interface StateIndex {
  /** Undefined: the index is not up to date, or failed; the files are read instead. */
  look(places: Places, wanted: Wanted): Promise<IndexedTables | undefined>;
  /** The same for many jobs, by the names of their folders; one that is not there is read from its files. */
  lookAtAll(all: readonly Places[], wanted: Wanted): Promise<ReadonlyMap<string, IndexedTables> | undefined>;
  /** The folders of those jobs that may have a record of these keys or terms; undefined: any may. */
  mayHave(all: readonly Places[], wanted: Pick<Wanted, 'keys' | 'terms'>): Promise<ReadonlySet<string> | undefined>;
  /** `isAll`: these are all jobs, and what is known of any other one is dropped. */
  keep(all: readonly Places[], options: { readonly isAll: boolean; readonly signal?: AbortSignal }): Promise<void>;
}

/** `found` holds as long as the job is of this turn. */
interface Answered<Found> {
  readonly id: number;
  readonly turn: number;
  readonly found: Found;
}

/** What this process keeps of one database. */
interface Kept {
  /**
   * Looks at whole jobs, which pages repeat, by the question and the folder: some kilobytes each. As long as a job is the
   * same, the answer is the same object.
   */
  readonly answered: Map<string, Map<string, Answered<IndexedTables>>>;
  /** By folder: the tables that each look has whole. They are the same maps until the job changes. */
  readonly wholes: Map<string, Answered<Tables>>;
  /** By folder: what all files of the job were when they were looked at. */
  readonly looked: Map<string, Looked>;
}

interface Looked {
  readonly stamps: string;
  readonly log: LogStamp | undefined;
  /** Milliseconds of this process. */
  readonly at: number;
}

/** A query brings the index further for at most so long. */
const queryMs = 500;
/**
 * Every commit is seen at once, by the log that it is appended to. The three other files of a job change with that log, or are
 * damaged: they are looked at this often. A page about 500 jobs would take 2,000 looks at files otherwise.
 */
const otherFilesMs = 1_000;
/** Records of one transaction: it blocks this process for some ten milliseconds. */
const sliceRecords = 1_000;

export function createStateIndex(terms: Terms, { attempt }: IndexConnection): StateIndex {
  const keptOf = keptPerDatabase((): Kept => ({ answered: new Map(), wholes: new Map(), looked: new Map() }));
  /** Another version of the program may have made the rest of the index. */
  const ofTheseTerms = `${terms.version} `;
  /** While all is brought up to date, a question makes nothing anew beside it: it would be done twice, and take the process. */
  let isKeeping = false;

  function dropOthers(open: DatabaseSync, folders: ReadonlySet<string>): void {
    dropStates(open, folders);
    const { answered, wholes, looked } = keptOf(open);
    for (const kept of [wholes, looked, ...answered.values()]) {
      for (const folder of kept.keys()) if (!folders.has(folder)) kept.delete(folder);
    }
  }

  function read(open: DatabaseSync, known: Known, wanted: Wanted, before?: Map<string, Answered<IndexedTables>>) {
    const { id, turn, folder, stamps } = known;
    if (stamps === building || stamps.startsWith(unusual(''))) return undefined;
    const same = before?.get(folder);
    if (same?.id === id && same.turn === turn) return same.found;
    const tables = readTables(open, id, wholeOf(open, known), wanted);
    const found = { tables, counts: countTerms(open, id, wanted) };
    before?.set(folder, { id, turn, found });
    return found;
  }

  function wholeOf(open: DatabaseSync, { folder, id, turn }: Known): Tables {
    const { wholes } = keptOf(open);
    const before = wholes.get(folder);
    if (before?.id === id && before.turn === turn) return before.found;
    const found = readWholeTables(open, id);
    wholes.set(folder, { id, turn, found });
    return found;
  }

  /** Whether the job is as it was when all of its files were looked at last, which is not long ago. */
  function isUnchanged(open: DatabaseSync, places: Places, { folder, stamps, basis }: Known, now: number): boolean {
    const before = keptOf(open).looked.get(folder);
    if (before?.stamps !== stamps || now - before.at > otherFilesMs || !basis.startsWith(ofTheseTerms)) return false;
    return isLogNow(places, before.log);
  }

  /** Undefined: the question names records, and is hardly repeated. */
  function answersTo(
    open: DatabaseSync,
    { keys, terms: ofTerms = [], counted = [] }: Wanted,
  ): Map<string, Answered<IndexedTables>> | undefined {
    if (keys !== undefined || (ofTerms.length > 0 && counted.length === 0)) return undefined;
    const { answered } = keptOf(open);
    const question = JSON.stringify([ofTerms, counted]);
    const known = answered.get(question) ?? new Map<string, Answered<IndexedTables>>();
    return (answered.set(question, known), known);
  }

  const basisOf = (facts: ReadonlyMap<string, Json>) => `${terms.version} ${terms.basis(facts)}`;

  /** `known`: what the database had of this job before the call. */
  async function catchUp(
    open: DatabaseSync,
    places: Places,
    isEnough: () => boolean,
    known = knownState(open, folderOf(places)),
    mayRebuild = !isKeeping,
  ): Promise<boolean> {
    const isOfTheseTerms = known?.basis.startsWith(ofTheseTerms) === true;
    if (known && isUnchanged(open, places, known, performance.now())) return true;
    const stamps = stampsNow(places);
    if (known?.stamps === stamps && isOfTheseTerms) {
      keptOf(open).looked.set(known.folder, { stamps, log: logStampIn(stamps), at: performance.now() });
      return true;
    }
    if (known?.stamps === unusual(stamps) || isEnough()) return false;
    try {
      if (isOfTheseTerms && known.stamps !== building && !known.stamps.startsWith(unusual(''))) {
        const followed = await follow(open, places, known, stamps, isEnough);
        if (followed !== 'lost') return followed === 'whole';
      }
      return mayRebuild && (await rebuild(open, places, known, isEnough));
    } catch (error) {
      // A load says the same, to somebody.
      if (error instanceof StateError) return false;
      throw error;
    }
  }

  /** The folders of those that are up to date. */
  async function catchUpAll(open: DatabaseSync, all: readonly Places[]): Promise<ReadonlySet<string>> {
    const now = performance.now();
    const isEnough = () => performance.now() > now + queryMs;
    const states = knownStates(open);
    const indexed = new Set<string>();
    for (const places of all) {
      const folder = folderOf(places);
      const known = states(folder);
      // Of hundreds of jobs hardly one has changed: to wait for each takes as long as to look at it.
      const isCurrent = known !== undefined && isUnchanged(open, places, known, now);
      if (isCurrent || (await catchUp(open, places, isEnough, known))) indexed.add(folder);
    }
    return indexed;
  }

  async function follow(
    open: DatabaseSync,
    places: Places,
    known: Known,
    stamps: string,
    isEnough: () => boolean,
  ): Promise<'whole' | 'part' | 'lost'> {
    const found = await readNewBatches(places, known, known.stamps, stamps);
    if (found === 'lost') return 'lost';
    // A batch that only one journal has yet: it will be committed, or is the rest of a crash.
    if (found === 'unfinished') return 'part';
    const facts = factsIn(open, known.id);
    for (const { put, delete: removed } of found.batches) {
      for (const [name, value] of Object.entries(put.facts ?? {})) facts.set(name, value);
      for (const name of removed.facts ?? []) facts.delete(name);
    }
    if (basisOf(facts) !== known.basis) return 'lost';
    const target = { ...found.position, stamps, basis: known.basis };
    return (await write(open, known, operationsOf(found.batches), facts, target, isEnough)) ? 'whole' : 'part';
  }

  /** Compares everything: most of it is mostly the same. */
  async function rebuild(
    open: DatabaseSync,
    places: Places,
    known: Known | undefined,
    isEnough: () => boolean,
  ): Promise<boolean> {
    const reading = await readFiles(places);
    const { tables, base, seq, stamps } = reading;
    const started = known ?? inTransaction(open, () => addState(open, folderOf(places)));
    const isUsual = reading.notices.length === 0 && reading.missing.length === 0 && !reading.baseNeedsRepair;
    if (!isUsual || base.appendAt === undefined || seq === 0) {
      inTransaction(open, () => setState(open, started, { ...started, stamps: unusual(stamps) }));
      return false;
    }
    const logEnd = base.appendAt;
    const target = {
      generation: base.document.generation,
      seq,
      logEnd,
      logTail: await tailAt(places.base, logEnd),
      stamps,
      basis: basisOf(tables.facts),
    };
    const isOtherBasis = target.basis !== started.basis;
    const operations = differences(open, started.id, tables, isOtherBasis);
    return write(open, started, operations, tables.facts, target, isEnough);
  }

  /** In slices: another process that writes meanwhile ends it. False: not all of it is written. */
  async function write(
    open: DatabaseSync,
    known: Known,
    operations: Iterable<Operation>,
    facts: ReadonlyMap<string, Json>,
    target: Omit<Known, 'folder' | 'id' | 'turn'>,
    isEnough: () => boolean,
  ): Promise<boolean> {
    let at = known;
    const slices = slicesOf(operations);
    for (let slice = slices.next(); ;) {
      const next = slices.next();
      const isLast = next.done === true;
      const state = isLast ? { ...at, ...target } : { ...at, stamps: building, basis: target.basis };
      const taken = inTransaction(open, () => {
        if (knownState(open, known.folder)?.turn !== at.turn) return undefined;
        applyOperations(open, at.id, slice.done === true ? [] : slice.value, (...record) => terms.of(...record, facts));
        return setState(open, at, state);
      });
      if (!taken) return false;
      if (isLast) return true;
      at = taken;
      slice = next;
      // Other work of this process goes on in between.
      await new Promise(setImmediate);
      if (isEnough()) return false;
    }
  }

  return {
    look: (places, wanted) =>
      attempt(async (open) => {
        // To bring the index up to date takes longer than to read facts from the files.
        const until = asksForFacts(wanted) ? 0 : performance.now() + queryMs;
        if (!(await catchUp(open, places, () => performance.now() > until))) return undefined;
        return inSnapshot(open, () => {
          const state = knownState(open, folderOf(places));
          return state && read(open, state, wanted, answersTo(open, wanted));
        });
      }),
    lookAtAll: (all, wanted) =>
      attempt(async (open) => {
        const indexed = await catchUpAll(open, all);
        return inSnapshot(open, () => {
          const states = knownStates(open);
          const before = answersTo(open, wanted);
          const found = new Map<string, IndexedTables>();
          for (const folder of indexed) {
            const state = states(folder);
            const ofJob = state && read(open, state, wanted, before);
            if (ofJob) found.set(folder, ofJob);
          }
          return found;
        });
      }),
    mayHave: (all, wanted) =>
      attempt(async (open) => {
        const indexed = await catchUpAll(open, all);
        const may = new Set(all.map(folderOf).filter((folder) => !indexed.has(folder)));
        for (const folder of foldersWith(open, wanted)) if (indexed.has(folder)) may.add(folder);
        return may;
      }),
    keep: async (all, { isAll, signal }) => {
      await attempt(async (open) => {
        isKeeping = true;
        try {
          if (isAll) dropOthers(open, new Set(all.map(folderOf)));
          for (const places of all) {
            if (signal?.aborted) return;
            await catchUp(open, places, () => signal?.aborted === true, undefined, true);
            // Other work of this process goes on in between.
            await new Promise(setImmediate);
          }
        } finally {
          isKeeping = false;
        }
      });
    },
  };
}

function folderOf({ base }: Places): string {
  return basename(base.folder);
}

function* operationsOf(batches: readonly StoredBatch[]): Generator<Operation> {
  for (const { put, delete: removed } of batches) {
    for (const name of collections) {
      for (const key of removed[name] ?? []) yield [name, key, undefined];
      for (const [key, record] of Object.entries(put[name] ?? {})) yield [name, key, record];
    }
  }
}

function* slicesOf(operations: Iterable<Operation>): Generator<readonly Operation[]> {
  let slice: Operation[] = [];
  for (const operation of operations) {
    slice.push(operation);
    if (slice.length < sliceRecords) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}
