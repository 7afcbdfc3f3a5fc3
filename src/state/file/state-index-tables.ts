// The tables of the index over the states of jobs: what stands in them, and what is written into them.
import type { DatabaseSync } from 'node:sqlite';
import type { Json, Wanted } from '../port.ts';
import { inTransaction, othersVersion, statement } from './index-connection.ts';
import type { Position } from './journal-follow.ts';
import { emptyTables, type TableName, tableNames, type Tables } from './tables.ts';

export interface Known extends Position {
  readonly folder: string;
  readonly id: number;
  /** Counts transactions: two processes that follow one journal see each other by it. */
  readonly turn: number;
  /** Of the files at this position; `building`: the records are of no one position; `files …`: the files are to be read. */
  readonly stamps: string;
  readonly basis: string;
}

export type Operation = readonly [collection: TableName, key: string, record: Json | undefined];

/** The stamps of a job of which a part is written. */
export const building = 'building';

/** Keys that are compared at once. */
const sliceKeys = 1_000;

/** The stamps of a job whose files are to be read. */
export function unusual(stamps: string): string {
  return `files ${stamps}`;
}

export function knownState(db: DatabaseSync, folder: string): Known | undefined {
  const row = statement(db, 'SELECT * FROM states WHERE folder = ?').get(folder);
  return row && toKnown(row);
}

/** The states of jobs by folder. Where none was written into the database since the last call, none is read. */
export function knownStates(db: DatabaseSync): (folder: string) => Known | undefined {
  const version = othersVersion(db);
  let read = statesRead.get(db);
  if (read?.version !== version) {
    const rows = statement(db, 'SELECT * FROM states').all();
    read = { version, byFolder: new Map(rows.map((row) => [String(row['folder']), toKnown(row)])) };
    statesRead.set(db, read);
  }
  const { byFolder } = read;
  return (folder) => {
    if (!byFolder.has(folder)) byFolder.set(folder, knownState(db, folder));
    return byFolder.get(folder);
  };
}

const statesRead = new WeakMap<
  DatabaseSync,
  { readonly version: number; readonly byFolder: Map<string, Known | undefined> }
>();

function toKnown(row: Readonly<Record<string, unknown>>): Known {
  return {
    folder: String(row['folder']),
    id: Number(row['id']),
    turn: Number(row['turn']),
    stamps: String(row['stamps']),
    generation: Number(row['generation']),
    seq: Number(row['seq']),
    logEnd: Number(row['log_end']),
    logTail: String(row['log_tail']),
    basis: String(row['basis']),
  };
}

export function addState(db: DatabaseSync, folder: string): Known {
  statesRead.get(db)?.byFolder.delete(folder);
  statement(
    db,
    `INSERT OR IGNORE INTO states (folder, turn, stamps, generation, seq, log_end, log_tail, basis)
     VALUES (?, 0, ?, 0, 0, 0, '', '')`,
  ).run(folder, building);
  return knownState(db, folder)!;
}

export function setState(db: DatabaseSync, { id, turn }: Known, state: Known): Known {
  const { stamps, generation, seq, logEnd, logTail, basis } = state;
  statesRead.get(db)?.byFolder.delete(state.folder);
  statement(
    db,
    `UPDATE states SET turn = ?, stamps = ?, generation = ?, seq = ?, log_end = ?, log_tail = ?, basis = ? WHERE id = ?`,
  ).run(turn + 1, stamps, generation, seq, logEnd, logTail, basis, id);
  return { ...state, id, turn: turn + 1 };
}

/** A job whose folder was removed. */
export function dropStates(db: DatabaseSync, folders: ReadonlySet<string>): void {
  for (const { id, folder } of statement(db, 'SELECT id, folder FROM states').all()) {
    if (folders.has(String(folder))) continue;
    statesRead.delete(db);
    inTransaction(db, () => {
      for (const table of ['terms', 'records']) db.prepare(`DELETE FROM ${table} WHERE state = ?`).run(Number(id));
      statement(db, 'DELETE FROM states WHERE id = ?').run(Number(id));
    });
  }
}

/** The numbers of the collections stand in the database: a new one goes to the end. */
export const collections: readonly TableName[] = tableNames;
const numberOf = new Map(collections.map((name, index) => [name, index]));
const partly = new Set<TableName>(['links', 'ledger']);
const wholeNumbers = collections.flatMap((name, index) => (partly.has(name) ? [] : [index]));

/** The parts of the index that are not as in the tables. `isOtherBasis`: the terms of all records are to be made anew. */
export function* differences(
  db: DatabaseSync,
  id: number,
  tables: Tables,
  isOtherBasis: boolean,
): Generator<Operation> {
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
      const keys = after.all(id, collection, last, sliceKeys).map(({ key }) => String(key));
      for (const key of keys) if (!tables[name].has(key)) yield [name, key, undefined];
      last = keys.at(-1) ?? '';
      isOver = keys.length < sliceKeys;
    }
  }
}

export function applyOperations(
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

export function factsIn(db: DatabaseSync, id: number): Map<string, Json> {
  const rows = statement(db, 'SELECT key, record FROM records WHERE state = ? AND collection = ?');
  return new Map(rows.all(id, numberOf.get('facts')!).map(({ key, record }) => [String(key), parse(record)]));
}

/** The tables of which a look has all, whatever is wanted. `links` and `ledger` are empty. */
export function readWholeTables(db: DatabaseSync, id: number): Tables {
  const tables = emptyTables();
  // One statement for all of them: a page about 500 jobs would ask thousands.
  const rows = statement(
    db,
    `SELECT collection, key, record FROM records WHERE state = ? AND collection IN (${wholeNumbers.join(', ')})`,
  );
  for (const { collection, key, record } of rows.all(id)) {
    tables[collections[Number(collection)]!].set(String(key), parse(record));
  }
  return tables;
}

/** `whole`: what `readWholeTables` answers. Its maps are handed on as they are. */
export function readTables(db: DatabaseSync, id: number, whole: Tables, { keys = [], terms = [] }: Wanted): Tables {
  const tables: Tables = { ...whole, links: new Map(), ledger: new Map() };
  const [links, ledger] = [numberOf.get('links')!, numberOf.get('ledger')!];
  const one = statement(db, 'SELECT key, record FROM records WHERE state = ? AND collection = ? AND key = ?');
  const range = statement(
    db,
    'SELECT key, record FROM records WHERE state = ? AND collection = ? AND key > ? AND key < ?',
  );
  const withTerm = statement(
    db,
    `SELECT collection, key FROM terms WHERE state = ? AND collection IN (${links}, ${ledger}) AND term = ?`,
  );
  const found = Map.groupBy(
    terms.flatMap((term) => withTerm.all(id, term)),
    (row) => Number(row['collection']),
  );
  const keysIn = (collection: number) => (found.get(collection) ?? []).map(({ key }) => String(key));
  const read = (name: 'links' | 'ledger', collection: number, wanted: Iterable<string>) => {
    for (const key of new Set(wanted)) {
      const row = one.get(id, collection, key);
      if (row) tables[name].set(key, parse(row['record']));
    }
  };
  read('links', links, [...keys, ...keysIn(links)]);
  read('ledger', ledger, [...keys, ...keysIn(ledger)]);
  for (const key of new Set([...keys, ...tables.links.keys()])) {
    // The character after a blank ends the range.
    const rows = range.all(id, ledger, `${key} `, `${key}!`);
    for (const row of rows) tables.ledger.set(String(row['key']), parse(row['record']));
  }
  return tables;
}

export function foldersWith(
  db: DatabaseSync,
  { keys = [], terms = [] }: Pick<Wanted, 'keys' | 'terms'>,
): readonly string[] {
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

export function countTerms(db: DatabaseSync, id: number, { counted = [] }: Wanted): ReadonlyMap<string, number> {
  if (counted.length === 0) return new Map();
  const [links, ledger] = [numberOf.get('links')!, numberOf.get('ledger')!];
  const ofOne = '(SELECT count(*) FROM terms WHERE state = ? AND collection = ? AND term >= ? AND term < ?)';
  const numbers = counted.map((_, place) => `${ofOne} + ${ofOne} AS n${place}`);
  const values = counted.flatMap((text) =>
    [links, ledger].flatMap((collection) => [id, collection, text, `${text}${lastCharacter}`]),
  );
  const row = statement(db, `SELECT ${numbers.join(', ')}`).get(...values);
  return new Map(counted.map((text, place) => [text, Number(row?.[`n${place}`])]));
}

/** After all that text has. */
const lastCharacter = '\u{10ffff}';

function parse(record: unknown): Json {
  return JSON.parse(String(record)) as Json;
}
