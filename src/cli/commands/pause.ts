// Declares the commands `pause` and `resume`: whether a job is run by itself.
import type { Command } from 'commander';
import type { CliWorld } from '../world.ts';

export function pauseCommand(program: Command, world: CliWorld): void {
  program
    .command('pause')
    .summary('have a job not run by itself')
    .description(
      'From now on the daemon does not run the job by its schedule or by a hook; a run under way is finished. ' +
        'leadsheet sync runs it only with --even-if-paused. A restart does not end a pause.',
    )
    .argument('<name>', 'the sync, feed or outbox')
    .option('--for <time>', 'for so long: 30m, 2h, 3d, 1w')
    .option('--until <time>', 'until an instant or a day: 2026-11-21, 2026-11-21T09:00Z')
    .option('--reason <text>', 'why; leadsheet status and leadsheet log show it')
    .action(async (name: string, _options: unknown, command: Command) => {
      const { runPause } = await import('../pause.ts');
      await runPause(name, command.optsWithGlobals(), world);
    });
}

export function resumeCommand(program: Command, world: CliWorld): void {
  program
    .command('resume')
    .summary('have a paused job run by itself again')
    .description('Ends a pause. The daemon runs the job from the next slot of its schedule on, and by hooks at once.')
    .argument('<name>', 'the sync, feed or outbox')
    .action(async (name: string, _options: unknown, command: Command) => {
      const { runResume } = await import('../pause.ts');
      await runResume(name, command.optsWithGlobals(), world);
    });
}
