// The index over the states of jobs: their records by key, and by the terms that they are found by. It follows the journal of
// each job, batch by batch; where the journal is not as usual, the files themselves are read.
import { basename } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StateError } from '../errors.ts';
import type { Json, Terms, Wanted } from '../port.ts';
import { inSnapshot, type IndexConnection, inTransaction, statement } from './index-connection.ts';
import { type Position, readNewBatches, stampsNow, tailAt } from './journal-follow.ts';
import { type Places, readFiles } from './reading.ts';
import { emptyTables, type StoredBatch, type TableName, tableNames, type Tables } from './tables.ts';

/** Some of the tables of a job, as of its last commit. */
export interface IndexedTables {
  /** `links` and `ledger` have what is wanted; all others are whole. */
  readonly tables: Tables;
  readonly counts: ReadonlyMap<string, number>;
}

export interface StateIndex {
  /** Undefined: the index is not up to date, or failed; the files are read instead. */
  look(places: Places, wanted: Wanted): Promise<IndexedTables | undefined>;
  /** The folders of those jobs that may have a record of these keys or terms; undefined: any may. */
  mayHave(all: readonly Places[], wanted: Pick<Wanted, 'keys' | 'terms'>): Promise<ReadonlySet<string> | undefined>;
  keep(all: readonly Places[], options: { readonly signal?: AbortSignal }): Promise<void>;
}

/** A query brings the index further for at most so long. */
const queryMs = 500;
/** Some kilobytes each: without the links of the job. */
const answeredMax = 2_000;
/** Records of one transaction: it blocks this process for some ten milliseconds. */
const sliceRecords = 1_000;

interface Known extends Position {
  readonly folder: string;
  readonly id: number;
  /** Counts transactions: two processes that follow one journal see each other by it. */
  readonly turn: number;
  /** Of the files at this position; `building`: the records are of no one position; `files …`: the files are to be read. */
  readonly stamps: string;
  readonly basis: string;
}

type Operation = readonly [collection: TableName, key: string, record: Json | undefined];

const building = 'building';

export function createStateIndex(terms: Terms, { attempt }: IndexConnection): StateIndex {
  /** Looks at whole jobs, which pages repeat: as long as a job is the same, the answer is the same object. */
  const answered = new Map<string, { readonly id: number; readonly turn: number; readonly found: IndexedTables }>();
  const read = (open: DatabaseSync, { id }: Known, wanted: Wanted): IndexedTables => {
    return { tables: readTables(open, id, wanted), counts: countTerms(open, id, wanted) };
  };
  const basisOf = (facts: ReadonlyMap<string, Json>) => `${terms.version} ${terms.basis(facts)}`;

  async function catchUp(open: DatabaseSync, places: Places, isEnough: () => boolean): Promise<boolean> {
    const stamps = stampsNow(places);
    const known = knownState(open, folderOf(places));
    // Another version of the program may have made it.
    const isOfTheseTerms = known?.basis.startsWith(`${terms.version} `) === true;
    if (known?.stamps === stamps && isOfTheseTerms) return true;
    if (known?.stamps === unusual(stamps)) return false;
    try {
      if (isOfTheseTerms && known.stamps !== building && !known.stamps.startsWith(unusual(''))) {
        const followed = await follow(open, places, known, stamps, isEnough);
        if (followed !== 'lost') return followed === 'whole';
      }
      return await rebuild(open, places, known, isEnough);
    } catch (error) {
      // A load says the same, to somebody.
      if (error instanceof StateError) return false;
      throw error;
    }
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
        const until = performance.now() + queryMs;
        if (!(await catchUp(open, places, () => performance.now() > until))) return undefined;
        return inSnapshot(open, () => {
          const state = knownState(open, folderOf(places));
          if (!state || state.stamps === building || state.stamps.startsWith(unusual(''))) return undefined;
          if (wanted.keys !== undefined) return read(open, state, wanted);
          const question = `${state.folder} ${JSON.stringify(wanted)}`;
          const before = answered.get(question);
          if (before?.id === state.id && before.turn === state.turn) return before.found;
          const found = read(open, state, wanted);
          answered.set(question, { id: state.id, turn: state.turn, found });
          if (answered.size > answeredMax) answered.delete(answered.keys().next().value!);
          return found;
        });
      }),
    mayHave: (all, wanted) =>
      attempt(async (open) => {
        const until = performance.now() + queryMs;
        const may = new Set<string>();
        const indexed = new Set<string>();
        for (const places of all) {
          const isWhole = await catchUp(open, places, () => performance.now() > until);
          (isWhole ? indexed : may).add(folderOf(places));
        }
        for (const folder of foldersWith(open, wanted)) if (indexed.has(folder)) may.add(folder);
        return may;
      }),
    keep: async (all, { signal }) => {
      await attempt(async (open) => {
        dropStates(open, new Set(all.map(folderOf)));
        for (const places of all) {
          if (signal?.aborted) return;
          await catchUp(open, places, () => signal?.aborted === true);
        }
      });
    },
  };
}

function folderOf({ base }: Places): string {
  return basename(base.folder);
}

function unusual(stamps: string): string {
  return `files ${stamps}`;
}

function knownState(db: DatabaseSync, folder: string): Known | undefined {
  const row = statement(db, 'SELECT * FROM states WHERE folder = ?').get(folder);
  return (
    row && {
      folder,
      id: Number(row['id']),
      turn: Number(row['turn']),
      stamps: String(row['stamps']),
      generation: Number(row['generation']),
      seq: Number(row['seq']),
      logEnd: Number(row['log_end']),
      logTail: String(row['log_tail']),
      basis: String(row['basis']),
    }
  );
}

function addState(db: DatabaseSync, folder: string): Known {
  statement(
    db,
    `INSERT OR IGNORE INTO states (folder, turn, stamps, generation, seq, log_end, log_tail, basis)
     VALUES (?, 0, ?, 0, 0, 0, '', '')`,
  ).run(folder, building);
  return knownState(db, folder)!;
}

function setState(db: DatabaseSync, { id, turn }: Known, state: Known): Known {
  const { stamps, generation, seq, logEnd, logTail, basis } = state;
  statement(
    db,
    `UPDATE states SET turn = ?, stamps = ?, generation = ?, seq = ?, log_end = ?, log_tail = ?, basis = ? WHERE id = ?`,
  ).run(turn + 1, stamps, generation, seq, logEnd, logTail, basis, id);
  return { ...state, id, turn: turn + 1 };
}

/** A job whose folder was removed. */
function dropStates(db: DatabaseSync, folders: ReadonlySet<string>): void {
  for (const { id, folder } of statement(db, 'SELECT id, folder FROM states').all()) {
    if (folders.has(String(folder))) continue;
    inTransaction(db, () => {
      for (const table of ['terms', 'records']) db.prepare(`DELETE FROM ${table} WHERE state = ?`).run(Number(id));
      statement(db, 'DELETE FROM states WHERE id = ?').run(Number(id));
    });
  }
}

/** The numbers of the collections stand in the database: a new one goes to the end. */
const collections: readonly TableName[] = tableNames;
const numberOf = new Map(collections.map((name, index) => [name, index]));

function* operationsOf(batches: readonly StoredBatch[]): Generator<Operation> {
  for (const { put, delete: removed } of batches) {
    for (const name of collections) {
      for (const key of removed[name] ?? []) yield [name, key, undefined];
      for (const [key, record] of Object.entries(put[name] ?? {})) yield [name, key, record];
    }
  }
}

/** The parts of the index that are not as in the tables. `isOtherBasis`: the terms of all records are to be made anew. */
function* differences(db: DatabaseSync, id: number, tables: Tables, isOtherBasis: boolean): Generator<Operation> {
  const find = statement(db, 'SELECT record FROM records WHERE state = ? AND collection = ? AND key = ?');
  const after = statement(
    db,
    'SELECT key FROM records WHERE state = ? AND collection = ? AND key > ? ORDER BY key LIMIT ?',
  );
  for (const name of collections) {
    const collection = numberOf.get(name)!;
    for (const [key, record] of tables[name]) {
      const isSame = !isOtherBasis && find.get(id, collection, key)?.['record'] === JSON.stringify(record);
      if (!isSame) yield [name, key, record];
    }
    for (let last = '', isOver = false; !isOver;) {
      const keys = after.all(id, collection, last, sliceRecords).map(({ key }) => String(key));
      for (const key of keys) if (!tables[name].has(key)) yield [name, key, undefined];
      last = keys.at(-1) ?? '';
      isOver = keys.length < sliceRecords;
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

function applyOperations(
  db: DatabaseSync,
  id: number,
  operations: readonly Operation[],
  termsOf: (collection: TableName, key: string, record: Json) => readonly string[],
): void {
  const forget = statement(db, 'DELETE FROM terms WHERE state = ? AND collection = ? AND key = ?');
  const remove = statement(db, 'DELETE FROM records WHERE state = ? AND collection = ? AND key = ?');
  const put = statement(db, 'INSERT OR REPLACE INTO records (state, collection, key, record) VALUES (?, ?, ?, ?)');
  const add = statement(db, 'INSERT OR IGNORE INTO terms (state, collection, term, key) VALUES (?, ?, ?, ?)');
  for (const [name, key, record] of operations) {
    const collection = numberOf.get(name)!;
    forget.run(id, collection, key);
    if (record === undefined) {
      remove.run(id, collection, key);
      continue;
    }
    put.run(id, collection, key, JSON.stringify(record));
    for (const term of termsOf(name, key, record)) add.run(id, collection, term, key);
  }
}

function factsIn(db: DatabaseSync, id: number): Map<string, Json> {
  return readAll(db, id, 'facts', new Map());
}

function readAll(db: DatabaseSync, id: number, name: TableName, into: Map<string, Json>): Map<string, Json> {
  const rows = statement(db, 'SELECT key, record FROM records WHERE state = ? AND collection = ?');
  for (const { key, record } of rows.all(id, numberOf.get(name)!)) into.set(String(key), parse(record));
  return into;
}

function readTables(db: DatabaseSync, id: number, { keys = [], terms = [] }: Wanted): Tables {
  const tables = emptyTables();
  for (const name of collections) if (name !== 'links' && name !== 'ledger') readAll(db, id, name, tables[name]);
  const [links, ledger] = [numberOf.get('links')!, numberOf.get('ledger')!];
  const one = statement(db, 'SELECT key, record FROM records WHERE state = ? AND collection = ? AND key = ?');
  const range = statement(
    db,
    'SELECT key, record FROM records WHERE state = ? AND collection = ? AND key > ? AND key < ?',
  );
  const withTerm = statement(db, 'SELECT key FROM terms WHERE state = ? AND collection = ? AND term = ?');
  const found = (collection: number) =>
    terms.flatMap((term) => withTerm.all(id, collection, term).map(({ key }) => String(key)));
  const read = (name: 'links' | 'ledger', collection: number, wanted: Iterable<string>) => {
    for (const key of new Set(wanted)) {
      const row = one.get(id, collection, key);
      if (row) tables[name].set(key, parse(row['record']));
    }
  };
  read('links', links, [...keys, ...found(links)]);
  read('ledger', ledger, [...keys, ...found(ledger)]);
  for (const key of new Set([...keys, ...tables.links.keys()])) {
    // The character after a blank ends the range.
    const rows = range.all(id, ledger, `${key} `, `${key}!`);
    for (const row of rows) tables.ledger.set(String(row['key']), parse(row['record']));
  }
  return tables;
}

function foldersWith(db: DatabaseSync, { keys = [], terms = [] }: Pick<Wanted, 'keys' | 'terms'>): readonly string[] {
  const withTerm = statement(
    db,
    'SELECT DISTINCT folder FROM states WHERE id IN (SELECT state FROM terms WHERE term = ?)',
  );
  const withKey = statement(
    db,
    'SELECT folder FROM states s WHERE EXISTS (SELECT 1 FROM records WHERE state = s.id AND collection IN (?, ?) AND key = ?)',
  );
  const [links, ledger] = [numberOf.get('links')!, numberOf.get('ledger')!];
  return [
    ...terms.flatMap((term) => withTerm.all(term)),
    ...keys.flatMap((key) => withKey.all(links, ledger, key)),
  ].map(({ folder }) => String(folder));
}

function countTerms(db: DatabaseSync, id: number, { counted = [] }: Wanted): ReadonlyMap<string, number> {
  const count = statement(
    db,
    'SELECT count(*) AS number FROM terms WHERE state = ? AND collection = ? AND term >= ? AND term < ?',
  );
  const numberOfTerms = (text: string, collection: number) =>
    Number(count.get(id, collection, text, `${text}${lastCharacter}`)?.['number']);
  const [links, ledger] = [numberOf.get('links')!, numberOf.get('ledger')!];
  return new Map(counted.map((text) => [text, numberOfTerms(text, links) + numberOfTerms(text, ledger)]));
}

/** After all that text has. */
const lastCharacter = '\u{10ffff}';

function parse(record: unknown): Json {
  return JSON.parse(String(record)) as Json;
}
