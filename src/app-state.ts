// Connects the state alone: commands that only read the state start without both clients.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from './config/config.ts';
import type { WorkerTold } from './daemon/queue/postgres/workers.ts';
import { stateTerms } from './engine/found-by.ts';
import { privateFolder } from './lib/daemon-socket.ts';
import { describePostgres, parsePostgresAddress } from './postgres/address.ts';
import { endSharedDatabases, sharedDatabase } from './postgres/pool.ts';
import { NewerSchemaError, StateError } from './state/errors.ts';
import {
  assertUsableStore,
  assertWritableStore,
  lookAtStore,
  migrateStore,
  openStore,
  stateFolderOf,
  type StoreDep,
} from './state/open.ts';
import type { Store, StoreHealth } from './state/port.ts';

/**
 * The folder in which processes of this machine find each other: the socket of the daemon, and the calls of the last
 * minute. It is the folder of the state; beside a database, one of this account that is named after the database.
 */
export function localFolder({ state }: Pick<Config, 'state'>): string {
  if (state.kind === 'file') return state.folder;
  const { url, schema } = state;
  const address = parsePostgresAddress(url.reveal());
  const place = 'fault' in address ? url.reveal() : describePostgres(address);
  return join(privateFolder(), createHash('sha256').update(`${place} ${schema}`).digest('hex').slice(0, 16));
}

/** The same, as an absolute path. */
export function stateFolder({ state }: Pick<Config, 'state'>): string {
  return state.kind === 'file' ? stateFolderOf(`file:${state.folder}`) : localFolder({ state });
}

/** A place in words, without user and password. */
export function placeText(state: Config['state']): string {
  return state.kind === 'file' ? `file:${state.folder}` : sharedDatabase(state).place;
}

/** Makes the tables of a database, or brings them to this version. Undefined: the state is in files, which have none. */
export async function migrateState(
  state: Config['state'],
  now: () => number,
): Promise<{ readonly before: number; readonly after: number } | undefined> {
  return state.kind === 'file' ? undefined : migrateStore(sharedDatabase(state), now);
}

/** Throws StateErrors if this version cannot work on the tables of a database. Makes nothing. Files are looked at by each job. */
export async function assertUsableState(state: Config['state']): Promise<void> {
  if (state.kind === 'postgres') await assertUsableStore(sharedDatabase(state));
}

/** The same, and throws as well if nothing can be written to the database now. */
export async function assertWritableState(state: Config['state']): Promise<void> {
  if (state.kind === 'postgres') await assertWritableStore(sharedDatabase(state));
}

/**
 * Whether this version still fits the tables, which a newer one may change at any time. `onNewer` is called once, until they are of
 * this version again. The answer throws StateErrors.
 */
export function watchVersion(state: Config['state'], onNewer: (message: string) => void): () => Promise<boolean> {
  let isNewer = false;
  return async () => {
    try {
      await assertUsableState(state);
      isNewer = false;
    } catch (error) {
      if (!(error instanceof NewerSchemaError)) throw error;
      if (!isNewer) onNewer(error.message);
      isNewer = true;
    }
    return !isNewer;
  };
}

/** Whether the place of the state failed. The message of such an error says what to do. */
export function isStateFailure(error: unknown): boolean {
  return error instanceof StateError;
}

/** Closes the connections of this process to databases. What uses one later opens it again. */
export async function closeState(): Promise<void> {
  await endSharedDatabases();
}

/** Reads and creates nothing yet. `warn` gets messages that no caller gets as an answer. */
export function connectState(
  { state }: Pick<Config, 'state'>,
  world: Omit<StoreDep, 'warn' | 'terms'>,
  warn: (message: string) => void,
): Store {
  const place = state.kind === 'file' ? `file:${state.folder}` : sharedDatabase(state);
  return openStore(place, { ...world, terms: stateTerms, warn: ({ message }) => warn(message) });
}

/** The state from outside: sizes, versions and holders. Throws StateErrors. */
export async function lookAtState(
  { state }: Pick<Config, 'state'>,
  world: Pick<StoreDep, 'process'>,
): Promise<StoreHealth> {
  return lookAtStore(state.kind === 'file' ? `file:${state.folder}` : sharedDatabase(state), world.process);
}

/** The workers of the database; undefined: the state is on files. */
export function workersOf({ state }: Pick<Config, 'state'>): (() => Promise<readonly WorkerTold[]>) | undefined {
  if (state.kind === 'file') return undefined;
  return async () => {
    const { readWorkers } = await import('./daemon/queue/postgres/workers.ts');
    return readWorkers(sharedDatabase(state));
  };
}
