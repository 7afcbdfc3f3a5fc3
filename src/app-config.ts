// Reads the configuration. The drivers tell what the CRM can do, and which spreadsheet a text means.
import type { Config } from './config/config.ts';
import { configJsonSchema } from './config/json-schema.ts';
import { type ConfigWorld, loadConfig } from './config/load.ts';
import { outreachDescription } from './crm/outreach/description.ts';
import { googleAddresses } from './sheets/google/address.ts';
import type { SheetAddresses } from './sheets/port.ts';

/** Throws ConfigError with every fault of the file. */
export function readConfigFile(path: string, world: Omit<ConfigWorld, 'addresses' | 'crm'>): Config {
  return loadConfig(path, { ...world, crm: outreachDescription, addresses: googleAddresses });
}

/** The JSON Schema of the file, for editors. */
export function describeConfigFile(): ReturnType<typeof configJsonSchema> {
  return configJsonSchema(outreachDescription);
}

/** The spreadsheets and tabs that texts of the configuration mean. */
export const sheetAddresses: SheetAddresses = googleAddresses;
