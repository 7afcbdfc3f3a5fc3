// Reads the configuration that a command line means.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readConfigFile } from '../app-config.ts';
import type { Config } from '../config/config.ts';
import { configPathOf, type GlobalOptions } from './globals.ts';
import type { CliWorld } from './world.ts';

/** The digest of each file that was read, by its path. */
export type FilesRead = Map<string, string>;

/** Throws ConfigError with every fault of the file. `read` gets the files that it consists of. */
export function readConfig(
  globals: Pick<GlobalOptions, 'config'>,
  world: Pick<CliWorld, 'env'>,
  read: FilesRead = new Map(),
): Config {
  const readFile = (file: string) => {
    const text = readFileSync(file, 'utf8');
    read.set(file, digestOf(text));
    return text;
  };
  return readConfigFile(configPathOf(globals, world), { env: world.env, readFile });
}

/** Whether another reading would give the same configuration. */
export function areSame(read: FilesRead): boolean {
  try {
    return [...read].every(([file, digest]) => digestOf(readFileSync(file, 'utf8')) === digest);
  } catch {
    // The reading that follows says what is wrong with it.
    return false;
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
