// Declares the command `log`: prints the history, or the ledger of enrolments.
import { type Command, Option } from 'commander';
import { outcomes } from '../../operator/outcomes.ts';
import { countUpTo } from '../count-option.ts';
import { withChoices } from '../choice.ts';
import type { LogOptions } from '../log.ts';
import type { CliWorld } from '../world.ts';

/** The latest lines are kept in memory until the last one is read. */
const limitMax = 100_000;

export function logCommand(program: Command, world: CliWorld, serve: () => void): void {
  program
    .command('log')
    .summary('the history of changes and decisions')
    .description(
      'Shows what runs changed, field by field, and which decisions of people they took up, oldest first. ' +
        'Days are of UTC. With --json one object a line.',
    )
    .option('--sync <name>', 'of one sync')
    .option('--run <id>', 'of one run')
    .option(
      '--contact <contact>',
      'of one contact: its uuid, or its e-mail address, its name or row:17 while it is linked',
    )
    .option('--field <name>', 'of one field: its name, or the header of its column')
    .addOption(withChoices(new Option('--outcome <word>', 'of changes and decisions that came to this'), outcomes))
    .option('--since <time>', 'from then on: 2026-01-05, 2026-01-05T09:00Z, today, yesterday, or 30s, 90m, 12h, 7d, 2w')
    .option('--until <time>', 'up to then, in the same forms; a day counts whole')
    .option('-n, --limit <count>', 'only the latest so many', countUpTo(limitMax))
    .addOption(
      new Option('--enrolments', 'the ledger instead: who was put into which automation, when, by which run').conflicts(
        ['field', 'outcome'],
      ),
    )
    .addOption(
      new Option('--follow', 'go on with changes as they are made, until it is stopped').conflicts([
        'enrolments',
        'until',
      ]),
    )
    .action(async (_options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<LogOptions>();
      if (globals.follow) serve();
      const { runLog } = await import('../log.ts');
      await runLog(globals, world);
    });
}
