// Declares the command `run`: the daemon.
import type { Command } from 'commander';
import type { CliWorld } from '../world.ts';

export function runCommand(program: Command, world: CliWorld, serve: () => void): void {
  program
    .command('run')
    .summary('the daemon: every sync, feed and outbox by its schedule, until it is stopped')
    .description(
      'Runs every sync, feed and outbox by its schedule, tells what it does on standard output, and serves health and metrics. ' +
        'SIGTERM or SIGINT ends it within ten seconds, a second one at once.',
    )
    .action(async (_options, command: Command) => {
      serve();
      const { runDaemon } = await import('../run.ts');
      await runDaemon(command.optsWithGlobals(), world);
    });
}
