// Declares the command `explain`: why a record is as it is, and what would change it.
import type { Command } from 'commander';
import type { CliWorld } from '../world.ts';

export function explainCommand(program: Command, world: CliWorld): void {
  program
    .command('explain')
    .summary('why a contact, a row or a cell is as it is')
    .description(
      'Shows what both sides hold of a contact as last seen, where each value came from and what it replaced, what is open ' +
        'and what ends that, and what the next run would do. Asks neither side, and changes nothing.',
    )
    .argument('<contact>', 'its uuid, e-mail address or name, row:17, or a cell such as Prospects!E5')
    .argument('[field]', 'one field in full: its name in the service, or the header of its column')
    .option('--sync <name>', 'in one sync, feed or outbox')
    .option('--live', 'also ask both sides what they hold now')
    .action(async (reference: string, field: string | undefined, _options: unknown, command: Command) => {
      const { runExplain } = await import('../explain.ts');
      await runExplain(reference, field, command.optsWithGlobals(), world);
    });
}
