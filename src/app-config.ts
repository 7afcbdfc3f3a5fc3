// The part of the composition that reads the configuration: the driver of spreadsheets says which of them a text means.
import type { Config } from './config/config.ts';
import { type ConfigWorld, loadConfig } from './config/load.ts';
import { googleAddresses } from './sheets/google/address.ts';

/** Throws ConfigError with everything that is wrong. */
export function readConfigFile(path: string, world: Omit<ConfigWorld, 'addresses'>): Config {
  return loadConfig(path, { ...world, addresses: googleAddresses });
}
