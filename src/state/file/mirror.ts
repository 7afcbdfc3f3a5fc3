// The state of a sync in memory, as of one commit, and what callers get of it.
import type { Json, JsonObject, LoadedState, Notice } from '../port.ts';
import { pending } from './requests.ts';
import type { StoredBatch, TableName, Tables } from './tables.ts';

/** The files in memory, valid as long as no other process has written to them. */
export interface Mirror {
  tables: Tables;
  /** Tables that a load returned: the next batch changes a copy. Most runs change nothing. */
  readonly given: Set<TableName>;
  readonly notices: readonly Notice[];
  readonly isRepaired: boolean;
  seq: number;
  ledgerSeq: number;
  /** The files as last written or read; empty while they are being written. */
  stamps: string;
}

export function snapshot(
  { tables, given }: Pick<Mirror, 'tables' | 'given'>,
  requests: ReadonlyMap<string, JsonObject>,
  notices: readonly Notice[],
): LoadedState {
  const give = <Value>(name: TableName) => {
    given.add(name);
    return tables[name] as ReadonlyMap<string, Json> as ReadonlyMap<string, Value>;
  };
  return {
    links: give('links'),
    strays: give('strays'),
    ledger: give('ledger'),
    outbox: give('outbox'),
    setAside: give('setAside'),
    facts: give('facts'),
    requests: pending(requests, tables.consumed),
    notices,
  };
}

/** The tables, with copies of those that the batch changes and a caller holds. */
export function ungiven({ tables, given }: Mirror, { put, delete: removed }: StoredBatch): Tables {
  const copies: Partial<Record<TableName, Map<string, Json>>> = {};
  for (const name of given) {
    if (put[name] === undefined && removed[name] === undefined) continue;
    copies[name] = new Map(tables[name]);
    given.delete(name);
  }
  return { ...tables, ...copies };
}

export function nothingYet(folder: string): Notice {
  const message = 'there is no state yet: rows and contacts are matched anew, and nothing is deleted';
  return { kind: 'absent', file: folder, message };
}

export function forgetRequests(batch: StoredBatch, ids: readonly string[]): StoredBatch {
  return ids.length === 0 ? batch : { ...batch, delete: { ...batch.delete, consumed: ids } };
}
