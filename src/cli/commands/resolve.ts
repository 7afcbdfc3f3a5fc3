// Declares the command `resolve`: decides conflicts.
import type { Command } from 'commander';
import type { CliWorld, Finish } from '../world.ts';

export function resolveCommand(program: Command, world: CliWorld, finish: Finish): void {
  program
    .command('resolve')
    .summary('decide conflicts; the next run carries it out')
    .description(
      'Says what a field that both sides changed is to be, on both sides. The next run writes it. ' +
        'On a terminal, alone, it goes through the open conflicts one by one; with --use or --value and no ID it shows what ' +
        'would be decided, and asks once. ' +
        'Without an ID: every conflict that --sync, --field and --contact leave; leadsheet conflicts shows these with the same options.',
    )
    .argument('[id...]', 'as leadsheet conflicts shows it')
    .option('--use <side>', 'crm (or service), or sheet: what that side holds by then')
    .option('--value <text>', 'the value itself; "" empties the field on both sides, and wants --yes')
    .option('--yes', 'do not ask; with --value "": yes, empty it')
    .option('--sync <name>', 'conflicts of one sync')
    .option('--field <name>', 'conflicts of one field, as it is named in the service')
    .option('--contact <contact>', 'conflicts of one contact: its uuid, e-mail address, name, or row:17')
    .action(async (ids: string[], _options: unknown, command: Command) => {
      const { runResolve } = await import('../resolve.ts');
      await runResolve(ids, command.optsWithGlobals(), world, finish);
    });
}
