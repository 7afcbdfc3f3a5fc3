// The command `runs`: lists what ran, and shows one run.
import type { Command } from 'commander';
import { readRun, readRuns } from '../operator/runs.ts';
import { countUpTo } from './count-option.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { printAnswer } from './print/lines.ts';
import { runShownText, runsText } from './print/runs.ts';
import type { CliWorld } from './world.ts';

interface RunsOptions extends GlobalOptions {
  readonly limit: number;
}

const shownByDefault = 20;
/** As many as the state keeps of one job. */
const shownMax = 1000;

export function runsCommand(program: Command, world: CliWorld): void {
  const runs = program
    .command('runs')
    .summary('what ran, what it did and what it cost')
    .description(
      'Lists the reports of runs that the state keeps, the latest first. A run that did nothing and found nothing new leaves none.',
    )
    .argument('[name...]', 'syncs, feeds and outboxes; all if none is named')
    .option('-n, --limit <count>', 'at most so many', countUpTo(shownMax), shownByDefault)
    .action(async (names: string[], _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<RunsOptions>();
      const { operator } = openOperator(globals, world);
      const { runs: found } = await readRuns(operator, { names, limit: globals.limit });
      printAnswer({ runs: found }, runsText, globals, world);
    });
  runs
    .command('show')
    .summary('one run: why it was held or failed, what it changed')
    .description(
      'Shows the report of one run with its problems, and each change and decision of it that the history has.',
    )
    .argument('<run>', 'as leadsheet runs lists it')
    .action(async (run: string, _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<GlobalOptions>();
      const { operator } = openOperator(globals, world);
      printAnswer(await readRun(operator, run, world.stop), runShownText, globals, world);
    });
}
