// Declares the command `reload`: a running daemon takes the changed configuration up.
import type { Command } from 'commander';
import type { CliWorld, Finish } from '../world.ts';

export function reloadCommand(program: Command, world: CliWorld, finish: Finish): void {
  program
    .command('reload')
    .summary('the running daemon takes the changed configuration up')
    .description(
      'Asks the running daemon to read its configuration anew: jobs that are new, changed or removed are taken up, and the others ' +
        'go on undisturbed. A run under way is finished first, as it was begun. A job that had stopped is tried again. ' +
        'If a fault would take a running job away, nothing is taken up, and the old configuration stays in force (exit 78). ' +
        'SIGHUP asks for the same.',
    )
    .action(async (_options: unknown, command: Command) => {
      const { runReload } = await import('../reload.ts');
      await runReload(command.optsWithGlobals(), world, finish);
    });
}
