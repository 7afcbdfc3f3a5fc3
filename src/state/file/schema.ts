// The schema versions of the state, and their migrations.
import type { StoredBatch, TableName, Tables } from './tables.ts';

/**
 * The version of documents and logs, and the way from each older version to the next: `migrations.get(1)` changes
 * tables of version 1 into tables of version 2. A load runs them in order; the next commit writes the result.
 */
export interface Schema {
  readonly version: number;
  readonly migrations: ReadonlyMap<number, (tables: Tables) => void>;
}

/**
 * 1: the ledger was called `enrolments`, and there was no table `setAside`.
 * 2: the present one. Both differ in names of tables alone, which `nameOnDisk` gives: the records stay as they are.
 */
export const currentSchema: Schema = { version: 2, migrations: new Map([[1, () => {}]]) };

/** The name of a table in documents and logs of a version; undefined: the version lacks it. */
export function nameOnDisk(table: TableName, version: number): string | undefined {
  if (version > 1) return table;
  if (table === 'setAside') return undefined;
  return table === 'ledger' ? ledgerOfVersion1 : table;
}

const ledgerOfVersion1 = 'enrolments';

/** A batch of a log of any version, under the present names. No table is called `enrolments` any more. */
export function batchFromDisk<Batch extends StoredBatch>(batch: Batch): Batch {
  const isOld = [batch.put, batch.delete].some((part) => ledgerOfVersion1 in part);
  return isOld ? { ...batch, put: renamed(batch.put), delete: renamed(batch.delete) } : batch;
}

function renamed<Part extends StoredBatch['put'] | StoredBatch['delete']>(part: Part): Part {
  const names = Object.entries(part).map(([name, of]) => [name === ledgerOfVersion1 ? 'ledger' : name, of]);
  return Object.fromEntries(names) as Part;
}

export function migrate(tables: Tables, from: number, { version, migrations }: Schema): void {
  for (let step = from; step < version; step += 1) {
    const migration = migrations.get(step);
    if (!migration) throw new Error(`there is no way from schema version ${step} to ${step + 1}`);
    migration(tables);
  }
}
