// Declares the command `workers`: lists the processes that run the jobs of a database.
import type { Command } from 'commander';
import type { CliWorld } from '../world.ts';

export function workersCommand(program: Command, world: CliWorld): void {
  program
    .command('workers')
    .summary('the processes that run the jobs of a database')
    .description('Lists every worker with what it runs and its last sign of life. With a state on files there is one.')
    .action(async (_options: unknown, command: Command) => {
      const { runWorkers } = await import('../workers.ts');
      await runWorkers(command.optsWithGlobals(), world);
    });
}
