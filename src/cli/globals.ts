// The options that every command takes.
import { type Command, Option } from 'commander';
import { withChoices } from './choice.ts';
import { type ColourMode, colourModes } from './colour.ts';
import type { CliWorld } from './world.ts';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface GlobalOptions {
  readonly config?: string;
  readonly json?: true;
  readonly logLevel?: LogLevel;
  readonly color: ColourMode;
  readonly pager: boolean;
}

const configDefault = 'config/leadsheet.yaml';

export function addGlobalOptions(program: Command): void {
  program
    .option('--config <file>', `the configuration (default: ${configDefault}, or LEADSHEET_CONFIG)`)
    .option('--json', 'the result on standard output as JSON')
    .addOption(withChoices(new Option('--log-level <level>', 'the least important lines to print'), logLevels))
    .addOption(
      withChoices(
        new Option('--color <when>', 'colour; auto: on a terminal, as NO_COLOR and FORCE_COLOR say'),
        colourModes,
      ).default('auto'),
    )
    .option('--no-pager', 'print long output on a terminal as it is; else PAGER, or LEADSHEET_PAGER, shows it');
}

export function configPathOf({ config }: Pick<GlobalOptions, 'config'>, { env }: Pick<CliWorld, 'env'>): string {
  return config ?? (env['LEADSHEET_CONFIG'] || configDefault);
}
