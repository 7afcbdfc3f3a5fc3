// The state of a sync in memory, as of one commit, and batches on it.
import { isDeepStrictEqual } from 'node:util';
import type { Batch, Json, JsonObject, LoadedState, Notice } from '../port.ts';
import { collections, type TableName } from './schema.ts';
import type { Change, Tables } from './tables.ts';
import type { KnownTerms } from './terms.ts';

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
  readonly knownTerms: KnownTerms;
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
