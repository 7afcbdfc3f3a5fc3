// Reads the configuration that a command line means.
import { readFileSync } from 'node:fs';
import { readConfigFile, readSoundConfigFile } from '../app-config.ts';
import type { Config } from '../config/config.ts';
import { configPathOf, type GlobalOptions } from './globals.ts';
import type { CliWorld } from './world.ts';

/** All of it. Throws ConfigError with every fault of the file. */
export function readWholeConfig(globals: Pick<GlobalOptions, 'config'>, world: Pick<CliWorld, 'env'>): Config {
  return readConfigFile(configPathOf(globals, world), worldOf(world));
}

/**
 * Without the jobs and accounts that have faults, so that a command about another job works: naming one of those that are left
 * out throws their faults. Throws ConfigError if the whole is wrong, or no job is left.
 */
export function readConfig(globals: Pick<GlobalOptions, 'config'>, world: Pick<CliWorld, 'env'>): Config {
  return readSoundConfigFile(configPathOf(globals, world), worldOf(world));
}

function worldOf({ env }: Pick<CliWorld, 'env'>) {
  return { env, readFile: (file: string) => readFileSync(file, 'utf8') };
}
