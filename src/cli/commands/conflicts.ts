// Declares the command `conflicts`: lists the open conflicts.
import type { Command } from 'commander';
import type { CliWorld } from '../world.ts';

export function conflictsCommand(program: Command, world: CliWorld): void {
  program
    .command('conflicts')
    .summary('fields that both sides changed, for somebody to decide')
    .description('Lists every open conflict with what both sides last agreed on and what each holds now.')
    .argument('[name...]', 'syncs; all if none is named')
    .option('--field <name>', 'of one field, as it is named in the service')
    .option('--contact <contact>', 'of one contact: its uuid, e-mail address, name, or row:17')
    .action(async (names: string[], _options: unknown, command: Command) => {
      const { runConflicts } = await import('../conflicts.ts');
      await runConflicts(names, command.optsWithGlobals(), world);
    });
}
