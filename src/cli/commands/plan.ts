// Declares the command `plan`: prints what a run would do.
import { type Command, Option } from 'commander';
import type { CliWorld, Finish } from '../world.ts';

export function planCommand(program: Command, world: CliWorld, finish: Finish): void {
  program
    .command('plan')
    .summary('what a run would do; writes nothing anywhere')
    .description(
      'Shows what a run of each one named, or of all, would do, field by field, and what it would cost; each message of an ' +
        'outbox in full. Writes nothing to either side and nothing to the state.',
    )
    .argument('[name...]', 'syncs, feeds and outboxes; all if none is named')
    .option('--out <file>', 'also save the plan, for leadsheet apply; it holds contact details')
    .option('--full', 'plan a full scan, which also finds contacts that were deleted')
    .addOption(
      new Option('--show <file>', 'instead, what a saved plan holds; asks neither side').conflicts(['out', 'full']),
    )
    .action(async (names: string[], _options: unknown, command: Command) => {
      const { runPlan } = await import('../plan.ts');
      await runPlan(names, command.optsWithGlobals(), world, finish);
    });
}
