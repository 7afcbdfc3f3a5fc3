// Declares the command `apply`: carries out a saved plan.
import type { Command } from 'commander';
import type { CliWorld, Finish } from '../world.ts';

export function applyCommand(program: Command, world: CliWorld, finish: Finish): void {
  program
    .command('apply')
    .summary('exactly a saved plan')
    .description(
      'Carries out exactly what leadsheet plan --out saved. A record that changed since is refused by name, the rest is ' +
        'applied; what came up since is left to the next run. The status column says how things stand, as after any run. ' +
        'The file of leadsheet undo --out is applied in the same way.',
    )
    .argument('<file>', 'as leadsheet plan --out or leadsheet undo --out wrote it')
    .option('--even-if-paused', 'also a sync that a person paused')
    .action(async (file: string, _options: unknown, command: Command) => {
      const { runApply } = await import('../apply.ts');
      await runApply(file, command.optsWithGlobals(), world, finish);
    });
}
