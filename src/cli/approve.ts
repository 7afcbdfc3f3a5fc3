// The command `approve`: lets a held plan through.
import type { Command } from 'commander';
import { approve } from '../operator/approve.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { requestsText } from './print/decisions.ts';
import { printAnswer } from './print/lines.ts';
import type { CliWorld } from './world.ts';

interface ApproveOptions extends GlobalOptions {
  readonly run: string;
}

export function approveCommand(program: Command, world: CliWorld): void {
  program
    .command('approve')
    .summary('let a held run through, once')
    .description(
      'Lets what a held run planned through, once and for the counts it named. Look at leadsheet plan first.\n' +
        'The next run carries it out; if it would change more than was approved, it is held again.',
    )
    .argument('<name>', 'the sync, feed or outbox')
    .requiredOption('--run <id>', 'the held run, as leadsheet status shows it')
    .action(async (name: string, _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<ApproveOptions>();
      const { operator, decider } = openOperator(globals, world);
      const answer = await approve(operator, decider, { name, run: globals.run });
      printAnswer(answer, requestsText, globals, world);
    });
}
