// Declares the command `config`: prints the effective configuration, its schema or an example.
import { type Command, Option } from 'commander';
import type { CliWorld } from '../world.ts';

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
    .action(async (_options: unknown, command: Command) => {
      const { runConfig } = await import('../config.ts');
      await runConfig(command.optsWithGlobals(), world);
    });
}
