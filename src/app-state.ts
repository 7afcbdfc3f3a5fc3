// Connects the state alone: commands that only read the state start without both clients.
import type { Config } from './config/config.ts';
import { stateTerms } from './engine/found-by.ts';
import { openStore, stateFolderOf, type StoreDep } from './state/open.ts';
import type { Store } from './state/port.ts';

/** The folder of the state, as a path. */
export function stateFolder({ state }: Config): string {
  return stateFolderOf(`file:${state.folder}`);
}

/** Reads and creates nothing yet. `warn` gets messages that no caller gets as an answer. */
export function connectState(
  { state }: Config,
  world: Omit<StoreDep, 'warn' | 'terms'>,
  warn: (message: string) => void,
): Store {
  return openStore(`file:${state.folder}`, { ...world, terms: stateTerms, warn: ({ message }) => warn(message) });
}
