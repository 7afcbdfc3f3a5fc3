// The state of a sync in memory, as of one commit, and batches on it.
import { isDeepStrictEqual } from 'node:util';
import type { Batch, Json, JsonObject, LoadedState, Notice, Terms } from '../port.ts';
import { collections, numberOf, type TableName } from './schema.ts';

export type Tables = Readonly<Record<TableName, Map<string, Json>>>;

export interface Mirror {
  /** Names the commit. */
  commitId: string;
  commits: number;
  /** The rules by which the stored terms were made. */
  termsVersion: string;
  tables: Tables;
  /** Tables that a caller holds: the next batch changes a copy. */
  readonly given: Set<TableName>;
  readonly notices: readonly Notice[];
}

export function emptyTables(): Tables {
  return {
    facts: new Map(),
    links: new Map(),
    strays: new Map(),
    ledger: new Map(),
    outbox: new Map(),
    setAside: new Map(),
  };
}

/** `value` undefined: the record is deleted. */
export interface Change {
  readonly table: TableName;
  readonly key: string;
  readonly value: Json | undefined;
}

/** The part of a batch that would change something. */
export function effectiveChanges(tables: Tables, batch: Batch): readonly Change[] {
  const changes: Change[] = [];
  for (const table of collections) {
    const records = tables[table];
    const given = batch[table];
    for (const [key, value] of given?.put ?? []) {
      if (!records.has(key) || !isDeepStrictEqual(records.get(key), value)) changes.push({ table, key, value });
    }
    for (const key of new Set(given?.delete)) if (records.has(key)) changes.push({ table, key, value: undefined });
  }
  return changes;
}

export function applyChanges(mirror: Mirror, changes: readonly Change[]): void {
  const copies: Partial<Record<TableName, Map<string, Json>>> = {};
  for (const { table } of changes) {
    if (!mirror.given.delete(table)) continue;
    copies[table] = new Map(mirror.tables[table]);
  }
  mirror.tables = { ...mirror.tables, ...copies };
  for (const { table, key, value } of changes) {
    if (value === undefined) mirror.tables[table].delete(key);
    else mirror.tables[table].set(key, value);
  }
}

/** What a caller gets: it stays as it is. */
export function snapshot(
  { tables, given }: Pick<Mirror, 'tables' | 'given'>,
  requests: ReadonlyMap<string, JsonObject>,
  notices: readonly Notice[],
): LoadedState {
  const give = <Value>(table: TableName) => {
    given.add(table);
    return tables[table] as ReadonlyMap<string, Json> as ReadonlyMap<string, Value>;
  };
  return {
    links: give('links'),
    strays: give('strays'),
    ledger: give('ledger'),
    outbox: give('outbox'),
    setAside: give('setAside'),
    facts: give('facts'),
    requests,
    notices,
  };
}

export interface TermOf {
  readonly collection: number;
  readonly term: string;
  readonly key: string;
}

/** The terms that a batch takes away and adds. With another basis, those of all records change. */
export function termChanges(
  tables: Tables,
  changes: readonly Change[],
  terms: Terms,
): { readonly removed: readonly TermOf[]; readonly added: readonly TermOf[] } {
  const before = tables.facts;
  const factChanges = changes.filter(({ table }) => table === 'facts');
  const after = factChanges.length === 0 ? before : new Map(before);
  for (const { key, value } of factChanges) {
    if (value === undefined) after.delete(key);
    else after.set(key, value);
  }
  const removed: TermOf[] = [];
  const added: TermOf[] = [];
  const [basisBefore, basisAfter] = [terms.basis(before), factChanges.length === 0 ? undefined : terms.basis(after)];
  const known = (table: TableName, key: string, record: Json | undefined, isAfter: boolean) =>
    record === undefined
      ? noTerms
      : knownTerms(table, key, record, {
          terms,
          facts: isAfter ? after : before,
          basis: (isAfter ? basisAfter : undefined) ?? basisBefore,
        });
  const compare = (table: TableName, key: string, old: Json | undefined, value: Json | undefined) => {
    const [was, is] = [known(table, key, old, false), known(table, key, value, true)];
    const collection = numberOf.get(table)!;
    for (const term of was.difference(is)) removed.push({ collection, term, key });
    for (const term of is.difference(was)) added.push({ collection, term, key });
  };
  const isSeen = new Set<string>();
  for (const { table, key, value } of changes) {
    isSeen.add(`${table} ${key}`);
    compare(table, key, tables[table].get(key), value);
  }
  if (basisAfter !== undefined && basisAfter !== basisBefore) {
    for (const table of collections) {
      for (const [key, record] of tables[table])
        if (!isSeen.has(`${table} ${key}`)) compare(table, key, record, record);
    }
  }
  return { removed, added };
}

/** The terms of all records. */
export function allTerms(tables: Tables, terms: Terms): readonly TermOf[] {
  return collections.flatMap((table) =>
    [...tables[table]].flatMap(([key, record]) =>
      [...new Set(terms.of(table, key, record, tables.facts))].map((term) => ({
        collection: numberOf.get(table)!,
        term,
        key,
      })),
    ),
  );
}

const noTerms: ReadonlySet<string> = new Set();

interface TermsUnder {
  readonly terms: Terms;
  readonly facts: ReadonlyMap<string, Json>;
  readonly basis: string;
}

/** The terms of a record, kept from when it was put until it is replaced. A record itself never changes. */
const rememberedTerms = new WeakMap<object, { readonly question: string; readonly found: ReadonlySet<string> }>();

function knownTerms(
  table: TableName,
  key: string,
  record: Json,
  { terms, facts, basis }: TermsUnder,
): ReadonlySet<string> {
  const question = `${terms.version} ${table} ${key} ${basis}`;
  const isObject = typeof record === 'object' && record !== null;
  const remembered = isObject ? rememberedTerms.get(record) : undefined;
  if (remembered?.question === question) return remembered.found;
  const found = new Set(terms.of(table, key, record, facts));
  if (isObject) rememberedTerms.set(record, { question, found });
  return found;
}
