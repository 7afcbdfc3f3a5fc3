// Opens what a command works on: the whole app, or the operator layer alone.
import type { App } from '../app.ts';
import { connectState, workersOf } from '../app-state.ts';
import type { Config } from '../config/config.ts';
import { eventToAnswer } from '../operator/events.ts';
import type { Decider } from '../operator/decide.ts';
import type { Operator } from '../operator/operator.ts';
import { createLookout } from './contact.ts';
import type { GlobalOptions } from './globals.ts';
import { readConfig } from './read-config.ts';
import { lineText } from '../log/printable.ts';
import { createNarrator, type Narrator } from './narrate.ts';
import { tokenWarning } from './token-warning.ts';
import type { CliWorld } from './world.ts';

/** Connects everything. The caller disposes it. `narrator`: one that is open already; disposed with the app. */
export async function openApp(
  config: Config,
  globals: GlobalOptions,
  world: CliWorld,
  narrator: Narrator = openNarrator(config, globals, world),
): Promise<App> {
  // Loaded here, so that commands that only read the state start without both clients.
  const { createApp } = await import('../app.ts');
  const app = await createApp(config, world, (event) => narrator.emit(eventToAnswer(event)));
  return {
    ...app,
    [Symbol.dispose]() {
      narrator[Symbol.dispose]();
      app[Symbol.dispose]();
    },
  };
}

/** A narrator that has told if the token ends soon. */
export function openNarrator(config: Config, globals: GlobalOptions, world: CliWorld): Narrator {
  const narrator = createNarrator(globals, config, world);
  const warning = tokenWarning(config.crm.token, world.now());
  if (warning !== undefined) narrator.emit({ type: 'notice', sync: '', message: warning });
  return narrator;
}

/** The operator layer over the configuration and the state alone, for the account that runs the command. */
export function openOperator(
  globals: GlobalOptions,
  world: CliWorld,
): { readonly operator: Operator; readonly decider: Decider } {
  const config = readConfig(globals, world);
  const warn = (message: string) => void world.stderr.write(`leadsheet: ${lineText(message)}\n`);
  const lookout = createLookout(config, world);
  const workers = workersOf(config);
  const store = connectState(config, world, warn);
  const operator = { config, store, now: world.now, lookout, ...(workers && { workers }) };
  return { operator, decider: { by: world.account, through: 'cli' } };
}
