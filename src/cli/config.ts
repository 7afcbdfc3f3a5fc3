// The command `config`: prints the effective configuration, its schema or an example.
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { stringify } from 'yaml';
import { effectiveConfig } from '../config/effective.ts';
import { describeConfigFile } from '../app-config.ts';
import { type GlobalOptions, readConfig } from './globals.ts';
import { jsonText } from './print/lines.ts';
import type { CliWorld } from './world.ts';

interface ConfigOptions extends GlobalOptions {
  readonly schema?: true;
  readonly example?: true;
}

export function configCommand(program: Command, world: CliWorld): void {
  program
    .command('config')
    .summary('the configuration as it holds, its schema, or an example')
    .description('Prints the configuration with every default in its place; secrets are masked.')
    .addOption(
      new Option('--effective', 'the configuration as it holds (the default)').conflicts(['schema', 'example']),
    )
    .addOption(new Option('--schema', 'the JSON Schema of the file, for editors').conflicts('example'))
    .option('--example', 'a file with every option, to begin with')
    .action((_options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<ConfigOptions>();
      world.stdout.write(textFor(globals, world));
    });
}

function textFor(globals: ConfigOptions, world: CliWorld): string {
  if (globals.schema) return jsonText(describeConfigFile());
  if (globals.example) return readFileSync(new URL('../../config/example.yaml', import.meta.url), 'utf8');
  const options = effectiveConfig(readConfig(globals, world));
  return globals.json ? jsonText(options) : stringify(options);
}
