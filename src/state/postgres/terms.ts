// The terms by which records are found: which of them a batch takes away and adds.
import type { Json, Terms } from '../port.ts';
import { collections, numberOf, type TableName } from './schema.ts';
import type { Change, Tables } from './tables.ts';

export interface TermOf {
  readonly collection: number;
  readonly term: string;
  readonly key: string;
}

interface Known {
  readonly record: Json;
  readonly version: string;
  readonly basis: string;
  readonly found: readonly string[];
}

/**
 * The terms of records that were put lately, by table and key: of this record object alone, which never changes. A WeakMap by
 * the record costs several times the time of the terms themselves.
 */
export type KnownTerms = ReadonlyMap<TableName, Map<string, Known>>;

export function createKnownTerms(): KnownTerms {
  return new Map(collections.map((table) => [table, new Map<string, Known>()]));
}

/** The state before a batch. */
export interface Before {
  readonly tables: Tables;
  readonly knownTerms: KnownTerms;
}

/** The terms that a batch takes away and adds. With another basis, those of all records change. */
export function termChanges(
  { tables, knownTerms }: Before,
  changes: readonly Change[],
  terms: Terms,
): { readonly removed: readonly TermOf[]; readonly added: readonly TermOf[] } {
  const before = tables.facts;
  const after = factsAfter(before, changes);
  const basisBefore = terms.basis(before);
  const basisAfter = after === before ? basisBefore : terms.basis(after);
  const { version } = terms;
  const removed: TermOf[] = [];
  const added: TermOf[] = [];

  function termsOf(table: TableName, key: string, record: Json | undefined, isAfter: boolean): readonly string[] {
    if (record === undefined) return noTerms;
    const known = knownTerms.get(table)!;
    const basis = isAfter ? basisAfter : basisBefore;
    const last = known.get(key);
    if (last?.record === record && last.basis === basis && last.version === version) return last.found;
    const found = [...new Set(terms.of(table, key, record, isAfter ? after : before))];
    if (isAfter) known.set(key, { record, version, basis, found });
    return found;
  }

  function compare(table: TableName, key: string, old: Json | undefined, value: Json | undefined): void {
    const [was, is] = [termsOf(table, key, old, false), termsOf(table, key, value, true)];
    const collection = numberOf.get(table)!;
    for (const term of was) if (!is.includes(term)) removed.push({ collection, term, key });
    for (const term of is) if (!was.includes(term)) added.push({ collection, term, key });
    if (value === undefined) knownTerms.get(table)!.delete(key);
  }

  for (const { table, key, value } of changes) compare(table, key, tables[table].get(key), value);
  if (basisAfter !== basisBefore) {
    const isSeen = new Set(changes.map(({ table, key }) => `${table} ${key}`));
    for (const table of collections) {
      for (const [key, record] of tables[table])
        if (!isSeen.has(`${table} ${key}`)) compare(table, key, record, record);
    }
  }
  return { removed, added };
}

function factsAfter(before: ReadonlyMap<string, Json>, changes: readonly Change[]): ReadonlyMap<string, Json> {
  const ofFacts = changes.filter(({ table }) => table === 'facts');
  if (ofFacts.length === 0) return before;
  const after = new Map(before);
  for (const { key, value } of ofFacts) {
    if (value === undefined) after.delete(key);
    else after.set(key, value);
  }
  return after;
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

const noTerms: readonly string[] = [];
