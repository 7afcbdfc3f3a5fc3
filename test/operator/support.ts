// Opens the operator layer over a whole trial, with its configuration and its file store.
import { readFileSync } from 'node:fs';
import { connectState } from '../../src/app-state.ts';
import { readConfigFile } from '../../src/app-config.ts';
import type { Decider } from '../../src/operator/decide.ts';
import type { OperatorErrorCode } from '../../src/operator/errors.ts';
import type { Operator } from '../../src/operator/operator.ts';
import { createSyncTrial, type TrialOptions } from '../support/app.ts';

export const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
export const ann: Decider = { by: 'ann', through: 'cli' };
export const cy: Decider = { by: 'cy', through: 'console' };

/** A process of its own that only reads and decides. */
export function operatorOf({ configFile }: { readonly configFile: string }): Operator {
  const config = readConfigFile(configFile, { env: {}, readFile: (path) => readFileSync(path, 'utf8') });
  const world = {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    random: () => 0.5,
    randomId: () => crypto.randomUUID(),
    process: { pid: 999, probe: () => {} },
  };
  const store = connectState(config, world, (message) => {
    throw new Error(message);
  });
  return { config, store, now: world.now };
}

/** Contacts of one firm, linked by a first run. */
export async function createLinkedTrial(names: readonly string[], options: TrialOptions = {}) {
  const rows = names.map((name) => [name, name.slice(0, 1), 'Firm', `${name.toLowerCase()}@firm.io`]);
  const trial = createSyncTrial({ values: [header, ...rows], ...options });
  await trial.run();
  const uuidOf = (name: string) => trial.contactOf(`${name.toLowerCase()}@firm.io`).uuid;
  return { ...trial, uuidOf, operator: operatorOf(trial) };
}

/** Contacts that each have one company in the service and another in the sheet. */
export async function createConflicts(names: readonly string[], options: TrialOptions = {}) {
  const trial = await createLinkedTrial(names, options);
  for (const name of names) {
    trial.change(`${name.toLowerCase()}@firm.io`, { company_name: `${name} Crm` });
    trial.type(`${name.toLowerCase()}@firm.io`, 'Company', `${name} Sheet`);
  }
  await trial.run();
  return trial;
}

/** An error of the operator layer with this code and message. */
export function operatorError(code: OperatorErrorCode, message: string | RegExp) {
  return { name: 'OperatorError', code, message: typeof message === 'string' ? message : matching(message) };
}

function matching(pattern: RegExp) {
  return { asymmetricMatch: (text: unknown) => typeof text === 'string' && pattern.test(text) };
}
