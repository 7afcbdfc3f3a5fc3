// Reads the configuration that a command line means.
import { readFileSync } from 'node:fs';
import { readConfigFile } from '../app-config.ts';
import type { Config } from '../config/config.ts';
import { configPathOf, type GlobalOptions } from './globals.ts';
import type { CliWorld } from './world.ts';

/** Throws ConfigError with every fault of the file. */
export function readConfig(globals: Pick<GlobalOptions, 'config'>, world: Pick<CliWorld, 'env'>): Config {
  const { env } = world;
  return readConfigFile(configPathOf(globals, world), { env, readFile: (file) => readFileSync(file, 'utf8') });
}
