// Loads configuration texts for tests.
import { readConfigFile } from '../../src/app-config.ts';
import { accountOf } from '../../src/config/accounts.ts';
import { defaultAccount } from '../../src/config/default-account.ts';
import type { AccountConfig, Config } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/problems.ts';

export interface GivenWorld {
  readonly env?: Readonly<Record<string, string>>;
  /** By path; other files do not exist. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Loads a text as the file c.yaml. */
export function load(text: string, { env = {}, files = {} }: GivenWorld = {}): Config {
  const all: Readonly<Record<string, string>> = { 'c.yaml': text, ...files };
  const readFile = (file: string) => {
    const content = all[file];
    if (content === undefined) throw Object.assign(new Error(`no ${file}`), { code: 'ENOENT' });
    return content;
  };
  return readConfigFile('c.yaml', { env, readFile });
}

/** The faults of a text, a line each, without the name of the file; none: it loads. */
export function problemsOf(text: string, world?: GivenWorld): readonly string[] {
  try {
    load(text, world);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').map((line) => line.replace(/^c\.yaml:? ?/, ''));
  }
}

/** The account of `crm` and `google` at the top. */
export function defaultOf(config: Config): AccountConfig {
  return accountOf(config, { account: defaultAccount });
}
