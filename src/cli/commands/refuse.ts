// Declares the command `refuse`: says no to a held plan.
import type { Command } from 'commander';
import type { CliWorld } from '../world.ts';

export function refuseCommand(program: Command, world: CliWorld): void {
  program
    .command('refuse')
    .summary('say no to a held run')
    .description(
      'Says no to what a held run planned. It stays held, nobody is alerted of it again, and leadsheet status names who ' +
        'refused it and when, until its plan is another one. Change the cause on either side; or approve it after all.',
    )
    .argument('<name>', 'the sync, feed or outbox')
    .requiredOption('--run <id>', 'the held run, as leadsheet status shows it')
    .action(async (name: string, _options: unknown, command: Command) => {
      const { runRefuse } = await import('../refuse.ts');
      await runRefuse(name, command.optsWithGlobals(), world);
    });
}
