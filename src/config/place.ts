// Reads a place of a state that a person gives to a command, as `state:` has it.
import { isPostgresAddress } from '../postgres/address.ts';
import { Secret } from '../lib/secret.ts';
import type { Config, StateConfig } from './config.ts';
import { resolveState } from './resolve.ts';
import { stateFault } from './schema/state.ts';

/** The word for the place that the configuration has. */
const configuredPlace = 'config';

/** What is wrong with it, in words without the text, which may hold a password. */
export function parsePlace(text: string, config: Config): StateConfig | { readonly fault: string } {
  if (text === configuredPlace) return config.state;
  const fault = stateFault(text);
  if (fault !== undefined) return { fault };
  return resolveState(isPostgresAddress(text) ? new Secret(text) : text, config.postgres);
}
