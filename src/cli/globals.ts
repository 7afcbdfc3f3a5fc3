// The options that every command takes.
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { CliWorld } from './world.ts';
import { outreachDescription } from '../crm/outreach/description.ts';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface GlobalOptions {
  readonly config?: string;
  readonly json?: true;
  readonly logLevel?: LogLevel;
}

const configDefault = 'config/leadsheet.yaml';

export function addGlobalOptions(program: Command): void {
  program
    .option('--config <file>', `the configuration (default: ${configDefault}, or LEADSHEET_CONFIG)`)
    .option('--json', 'the result on standard output as JSON')
    .addOption(new Option('--log-level <level>', 'the least important lines to print').choices(logLevels));
}

/** Throws ConfigError with everything that is wrong. */
export function readConfig({ config }: GlobalOptions, { env }: CliWorld): Config {
  const path = config ?? (env['LEADSHEET_CONFIG'] || configDefault);
  return loadConfig(path, { crm: outreachDescription, env, readFile: (file) => readFileSync(file, 'utf8') });
}
