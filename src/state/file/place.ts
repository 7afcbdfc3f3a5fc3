// The files of a journal: their names, and the check that they hold this sync's state.
import { join } from 'node:path';
import { ForeignStateError, NewerSchemaError } from '../errors.ts';
import type { Disk } from './disk.ts';
import type { RecordFilter } from './records.ts';
import type { Schema } from './schema.ts';
import type { TableName } from './tables.ts';

/** The place of a journal, and its content. */
export interface JournalPlace {
  readonly disk: Disk;
  readonly sync: string;
  readonly schema: Schema;
  /** For a look at a few records: of `links`, a document is read only as far as this says. */
  readonly wantsLink?: RecordFilter;
  readonly tables: readonly TableName[];
  readonly folder: string;
  readonly document: string;
  readonly previousDocument: string;
  readonly log: string;
  readonly previousLog: string;
}

export interface Surroundings {
  readonly disk: Disk;
  readonly folder: string;
  readonly sync: string;
  readonly schema: Schema;
  readonly wantsLink?: RecordFilter;
}

export function createPlace(around: Surroundings, stem: string, tables: readonly TableName[]): JournalPlace {
  const path = (ending: string) => join(around.folder, stem + ending);
  return {
    ...around,
    tables,
    document: path('.json'),
    previousDocument: path('.previous.json'),
    log: path('.log'),
    previousLog: path('.previous.log'),
  };
}

/** S2. */
export function checkOrigin(
  { sync, schema }: JournalPlace,
  file: string,
  found: { readonly schema: number; readonly sync: string },
): void {
  if (found.schema > schema.version) throw new NewerSchemaError(file, found.schema, schema.version);
  if (found.sync !== sync) throw new ForeignStateError(file, found.sync, sync);
}
