// Opens what a command works on: the whole app, or the operator layer alone.
import type { App } from '../app.ts';
import { assertWritableState, connectState, workersOf } from '../app-state.ts';
import type { Config } from '../config/config.ts';
import type { EngineEvent } from '../engine/events.ts';
import { eventToAnswer } from '../operator/events.ts';
import type { Decider } from '../operator/decide.ts';
import type { Operator } from '../operator/operator.ts';
import { createLookout } from './contact.ts';
import type { GlobalOptions } from './globals.ts';
import { readConfig } from './read-config.ts';
import { lineText } from '../log/printable.ts';
import { createNarrator, type Narrator } from './narrate.ts';
import { tokenWarnings } from './token-warning.ts';
import type { CliWorld } from './world.ts';

/**
 * Connects the accounts of these jobs, or of all. The caller disposes it. Throws StateErrors if the database cannot be worked on: it
 * is named once, and not for each job. `narrator`: one that is open already; disposed
 * with the app.
 */
export async function openApp(
  config: Config,
  globals: GlobalOptions,
  world: CliWorld,
  { names, narrator = openNarrator(config, globals, world, names) }: OpenOptions = {},
): Promise<App> {
  // Loaded here, so that commands that only read the state start without both clients.
  const { createApp } = await import('../app.ts');
  await assertWritableState(config.state);
  const emit = (event: EngineEvent) => {
    const shown = eventToAnswer(event);
    if (shown) narrator.emit(shown);
  };
  const app = await createApp(config, world, emit, names);
  return {
    ...app,
    [Symbol.dispose]() {
      narrator[Symbol.dispose]();
      app[Symbol.dispose]();
    },
  };
}

export interface OpenOptions {
  /** The names of the jobs; left out: all jobs. */
  readonly names?: readonly string[];
  readonly narrator?: Narrator;
}

/** A narrator that has told if a token of these jobs ends soon. */
export function openNarrator(
  config: Config,
  globals: GlobalOptions,
  world: CliWorld,
  names?: readonly string[],
): Narrator {
  const narrator = createNarrator(globals, config, world);
  for (const message of tokenWarnings(config, world.now(), names)) narrator.emit({ type: 'notice', sync: '', message });
  return narrator;
}

/**
 * The operator layer over the configuration and the state alone, for the account that runs the command. `config`: one that the
 * command has read already.
 */
export function openOperator(
  globals: GlobalOptions,
  world: CliWorld,
  config = readConfig(globals, world),
): { readonly operator: Operator; readonly decider: Decider } {
  const warn = (message: string) => void world.stderr.write(`leadsheet: ${lineText(message)}\n`);
  const lookout = createLookout(config, world);
  const workers = workersOf(config);
  const store = connectState(config, world, warn);
  const operator = { config, store, now: world.now, warn, lookout, ...(workers && { workers }) };
  return { operator, decider: { by: world.account, through: 'cli' } };
}
