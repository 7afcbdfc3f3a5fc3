// The options that every command takes, and the reading of the configuration.
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Config } from '../config/config.ts';
import { readConfigFile } from '../app-config.ts';
import type { CliWorld } from './world.ts';

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

/** The path of the configuration. */
export function configPath({ config }: GlobalOptions, { env }: CliWorld): string {
  return config ?? (env['LEADSHEET_CONFIG'] || configDefault);
}

/** Throws ConfigError with every fault of the file. */
export function readConfig(globals: GlobalOptions, world: CliWorld): Config {
  const { env } = world;
  return readConfigFile(configPath(globals, world), { env, readFile: (file) => readFileSync(file, 'utf8') });
}
