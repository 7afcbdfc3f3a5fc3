// Declares the command `approve`: lets a held plan through, whole or for some of its records.
import type { Command } from 'commander';
import type { CliWorld } from '../world.ts';

export function approveCommand(program: Command, world: CliWorld): void {
  program
    .command('approve')
    .summary('let a held run through, once')
    .description(
      'Lets what a held run planned through, once and for the counts it named. Look at leadsheet plan first. ' +
        'The next run carries it out; if it would change more than was approved, it is held again. ' +
        'With --only, the next run does what is held of these records, if it is as it was seen; the rest stays held. ' +
        'On a terminal without --run and --only it shows what is held, and asks.',
    )
    .argument('<name>', 'the sync, feed or outbox')
    .option('--run <id>', 'the held run, as leadsheet status shows it')
    .option(
      '--only <id...>',
      'these records: as leadsheet plan shows them, a uuid, an e-mail address, a name, or row:17',
    )
    .option('--yes', 'do not ask: approve what is held now')
    .action(async (name: string, _options: unknown, command: Command) => {
      const { runApprove } = await import('../approve.ts');
      await runApprove(name, command.optsWithGlobals(), world);
    });
}
