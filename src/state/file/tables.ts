// The tables of a sync's state, and batches on them.
import { isDeepStrictEqual } from 'node:util';
import type { Batch, Collection, Json } from '../port.ts';

/** A sync's state in memory and in its documents. `consumed`: see requests.ts; and `lossKey`. */
export type TableName = 'facts' | Collection | 'consumed';

export type Tables = Readonly<Record<TableName, Map<string, Json>>>;

export const tableNames = ['facts', 'links', 'strays', 'ledger', 'outbox', 'setAside', 'consumed'] as const;

/** Repeating the effects of these would do harm, so they are kept twice (decisions.md: "The ledger is kept twice"). */
export const ledgerTables = ['ledger', 'outbox'] as const;

/**
 * Under `consumed`, where a repaired state lacks what was saved last: what was said of it, from the repair to the next commit. So a
 * process that ends in between leaves it to the next one.
 */
export const lossKey = 'loss';

/** A batch in the form of a log line. Objects, not maps: it is JSON. */
export interface StoredBatch {
  readonly put: Readonly<Partial<Record<TableName, Readonly<Record<string, Json>>>>>;
  readonly delete: Readonly<Partial<Record<TableName, readonly string[]>>>;
}

export function emptyTables(): Tables {
  return {
    facts: new Map(),
    links: new Map(),
    strays: new Map(),
    ledger: new Map(),
    outbox: new Map(),
    setAside: new Map(),
    consumed: new Map(),
  };
}

/** The part of the batch that would change the tables; undefined: nothing would. */
export function effectiveBatch(tables: Tables, batch: Batch): StoredBatch | undefined {
  const put: Partial<Record<TableName, Record<string, Json>>> = {};
  const removed: Partial<Record<TableName, readonly string[]>> = {};
  for (const name of tableNames) {
    if (name === 'consumed') continue;
    const table = tables[name];
    const changes = batch[name];
    const puts = [...(changes?.put ?? [])].filter(
      ([key, value]) => !table.has(key) || !isDeepStrictEqual(table.get(key), value),
    );
    const deletes = [...new Set(changes?.delete)].filter((key) => table.has(key));
    if (puts.length > 0) put[name] = Object.fromEntries(puts);
    if (deletes.length > 0) removed[name] = deletes;
  }
  const done = [...new Set(batch.doneRequests)].filter((id) => !tables.consumed.has(id));
  if (done.length > 0) put.consumed = Object.fromEntries(done.map((id) => [id, true]));
  const changesNothing = Object.keys(put).length === 0 && Object.keys(removed).length === 0;
  return changesNothing ? undefined : { put, delete: removed };
}

export function applyBatch(tables: Tables, batch: StoredBatch, names: readonly TableName[] = tableNames): void {
  for (const name of names) {
    for (const key of batch.delete[name] ?? []) tables[name].delete(key);
    for (const [key, value] of Object.entries(batch.put[name] ?? {})) tables[name].set(key, value);
  }
}

export function touchesLedger(batch: StoredBatch): boolean {
  return ledgerTables.some((name) => batch.put[name] !== undefined || batch.delete[name] !== undefined);
}
