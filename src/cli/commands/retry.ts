// Declares the command `retry`: tries given-up records again.
import type { Command } from 'commander';
import type { CliWorld } from '../world.ts';

export function retryCommand(program: Command, world: CliWorld): void {
  program
    .command('retry')
    .summary('try quarantined, parked or ignored records again')
    .description(
      'Has the next run try again what earlier ones gave up. Without an ID: everything quarantined, parked or refused. ' +
        'A contact whose row was deleted gets a row again when it is named.',
    )
    .argument('[id...]', 'as leadsheet status shows it, a uuid, an e-mail address, a name, or row:17')
    .option('--sync <name>', 'of one sync: row:17 is another row in each')
    .option('--yes', 'also an enrolment or a message that was made or may have been: you looked, and want it again')
    .action(async (ids: string[], _options: unknown, command: Command) => {
      const { runRetry } = await import('../retry.ts');
      await runRetry(ids, command.optsWithGlobals(), world);
    });
}
