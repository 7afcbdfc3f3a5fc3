import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/problems.ts';
import { outreachDescription } from '../../src/crm/outreach/description.ts';

export interface GivenWorld {
  readonly env?: Readonly<Record<string, string>>;
  /** By path; anything else does not exist. */
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
  return loadConfig('c.yaml', { crm: outreachDescription, env, readFile });
}

/** The lines that say what is wrong with a text, without the name of the file; none: it loads. */
export function problemsOf(text: string, world?: GivenWorld): readonly string[] {
  try {
    load(text, world);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').map((line) => line.replace(/^c\.yaml:? ?/, ''));
  }
}
