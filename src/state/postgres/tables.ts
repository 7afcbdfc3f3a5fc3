// The records of a sync by table and key, and what changes one of them.
import type { Json } from '../port.ts';
import type { TableName } from './schema.ts';

export type Tables = Readonly<Record<TableName, Map<string, Json>>>;

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
