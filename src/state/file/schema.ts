import type { Tables } from './tables.ts';

/**
 * The version of what documents and logs hold, and the way from each older version to the next: `migrations.get(1)` changes
 * tables of version 1 into tables of version 2. A load runs them in order; the next commit writes the result.
 */
export interface Schema {
  readonly version: number;
  readonly migrations: ReadonlyMap<number, (tables: Tables) => void>;
}

export const currentSchema: Schema = { version: 1, migrations: new Map() };

export function migrate(tables: Tables, from: number, { version, migrations }: Schema): void {
  for (let step = from; step < version; step += 1) {
    const migration = migrations.get(step);
    if (!migration) throw new Error(`there is no way from schema version ${step} to ${step + 1}`);
    migration(tables);
  }
}
