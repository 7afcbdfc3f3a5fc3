// Reads the configuration. The drivers tell what the CRM can do, and which spreadsheet a text means.
import { globSync } from 'node:fs';
import type { Config } from './config/config.ts';
import { configJsonSchema } from './config/json-schema.ts';
import { type ConfigWorld, loadConfig, loadConfigToExtend, loadSoundConfig } from './config/load.ts';
import { outreachDescription } from './crm/outreach/description.ts';
import { googleAddresses } from './sheets/google/address.ts';
import type { SheetAddresses } from './sheets/port.ts';

type ReadWorld = Pick<ConfigWorld, 'env' | 'readFile'>;

/** Throws ConfigError with every fault of the file. */
export function readConfigFile(path: string, world: ReadWorld): Config {
  return loadConfig(path, { ...world, ...drivers });
}

/** Without the jobs and accounts that have faults, which `Config.faults` names. Throws ConfigError if none is left. */
export function readSoundConfigFile(path: string, world: ReadWorld): Config {
  return loadSoundConfig(path, { ...world, ...drivers });
}

/** The same of a file that a job is added to: it may have none. */
export function readConfigToExtend(path: string, world: ReadWorld): Config {
  return loadConfigToExtend(path, { ...world, ...drivers });
}

/** The JSON Schema of the file, for editors. */
export function describeConfigFile(): ReturnType<typeof configJsonSchema> {
  return configJsonSchema(outreachDescription);
}

/** The spreadsheets and tabs that texts of the configuration mean. */
export const sheetAddresses: SheetAddresses = googleAddresses;

const drivers = {
  crm: outreachDescription,
  addresses: googleAddresses,
  listFiles: (pattern: string, folder: string) => globSync(pattern, { cwd: folder }),
};
