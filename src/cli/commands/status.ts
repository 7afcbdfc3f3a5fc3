// Declares the command `status`: shows how each job stands.
import type { Command } from 'commander';
import type { CliWorld, Finish } from '../world.ts';

export function statusCommand(program: Command, world: CliWorld, finish: Finish): void {
  program
    .command('status')
    .summary('how each sync stands')
    .description(
      'Shows how each sync stands, as its state and a running daemon tell, without asking either side: the last run that ' +
        'had something to write, the next one, what is linked, waiting, in conflict, quarantined or held, and what to do.',
    )
    .argument('[name...]', 'syncs, feeds and outboxes; all if none is named')
    .option('--account <name>', 'only jobs of this account')
    .option(
      '--exit-code',
      'exit with 3 if somebody is needed, and with 1 if a run failed, or the last daemon is gone without having been stopped',
    )
    .action(async (names: string[], _options: unknown, command: Command) => {
      const { runStatus } = await import('../status.ts');
      await runStatus(names, command.optsWithGlobals(), world, finish);
    });
}
