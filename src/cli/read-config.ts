// Reads the configuration that a command line means.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readConfigFile, readConfigToExtend as readToExtend, readSoundConfigFile } from '../app-config.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/problems.ts';
import { configPathOf, type GlobalOptions } from './globals.ts';
import type { CliWorld } from './world.ts';

/** The digest of each file that was read, by its path. */
export type FilesRead = Map<string, string>;

/** All of it. Throws ConfigError with every fault of the file. */
export function readWholeConfig(globals: Pick<GlobalOptions, 'config'>, world: Pick<CliWorld, 'env'>): Config {
  return readConfigFile(configPathOf(globals, world), worldOf(world));
}

/**
 * Without the jobs and accounts that have faults, so that a command about another job works: naming one of those that are left
 * out throws their faults. `read` gets the files that it consists of. Throws ConfigError if the whole is wrong, or no job is left.
 */
export function readConfig(
  globals: Pick<GlobalOptions, 'config'>,
  world: Pick<CliWorld, 'env'>,
  read: FilesRead = new Map(),
): Config {
  return readSoundConfigFile(configPathOf(globals, world), worldOf(world, read));
}

/**
 * For a job that is added: without the jobs and accounts that have faults, and perhaps without any job. Throws ConfigError if
 * the whole is wrong, if no account is left, or if an included file has faults: it may have any name and any tab.
 */
export function readConfigToExtend(globals: Pick<GlobalOptions, 'config'>, world: Pick<CliWorld, 'env'>): Config {
  const config = readToExtend(configPathOf(globals, world), worldOf(world));
  const isFaulty = config.accounts.size === 0;
  const inTheWay = config.faults.filter(({ kind }) => kind === 'file' || (isFaulty && kind === 'account'));
  if (inTheWay.length > 0) {
    throw new ConfigError(
      config.path,
      inTheWay.flatMap(({ problems }) => problems),
    );
  }
  return config;
}

/** Whether another reading of these files would give the same. */
export function areSame(read: FilesRead): boolean {
  try {
    return [...read].every(([file, digest]) => digestOf(readFileSync(file, 'utf8')) === digest);
  } catch {
    // The reading that follows says what is wrong with it.
    return false;
  }
}

function worldOf({ env }: Pick<CliWorld, 'env'>, read?: FilesRead) {
  const readFile = (file: string) => {
    const text = readFileSync(file, 'utf8');
    read?.set(file, digestOf(text));
    return text;
  };
  return { env, readFile };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
