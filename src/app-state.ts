// The part of the composition that needs neither side: commands that only look at the state start without the rest.
import type { Config } from './config/config.ts';
import { openStore, type StoreDep } from './state/open.ts';
import type { Store } from './state/port.ts';

/** Reads and makes nothing yet. `warn` is told what cannot be handed to anybody as an answer. */
export function connectState({ state }: Config, world: Omit<StoreDep, 'warn'>, warn: (message: string) => void): Store {
  return openStore(`file:${state.folder}`, { ...world, warn: ({ message }) => warn(message) });
}
