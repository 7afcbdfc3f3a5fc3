// Declares the command `undo`: takes back what a run did, as a plan first.
import type { Command } from 'commander';
import type { CliWorld, Finish } from '../world.ts';

export function undoCommand(program: Command, world: CliWorld, finish: Finish): void {
  program
    .command('undo')
    .summary('take back what a run did; a plan first')
    .description(
      'Shows what would be put back of a run, and what would not and why: what was edited since stays, what was sent stays sent. ' +
        'With --yes it is carried out, under the same guards as a run. The undo is a run of its own, and can be undone.',
    )
    .argument('<run>', 'the id of the run, as leadsheet runs shows it')
    .option('--contact <reference>', 'only this contact: uuid, e-mail address, name or row:17')
    .option('--field <name>', 'only this field: its name or its header')
    .option('--dry-run', 'only the plan, as without --yes')
    .option('--out <file>', 'save the plan, for leadsheet apply; it holds contact details')
    .option('--yes', 'carry the plan out')
    .option('--delete-created', 'also delete contacts that the run created, unless they changed since')
    .action(async (run: string, _options: unknown, command: Command) => {
      const { runUndo } = await import('../undo.ts');
      await runUndo(run, command.optsWithGlobals(), world, finish);
    });
}
