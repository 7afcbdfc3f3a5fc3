// The command `refuse`: says no to a held plan.
import type { Command } from 'commander';
import { refuse } from '../operator/approve.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { refusedText } from './print/decisions.ts';
import { printAnswer } from './print/lines.ts';
import type { CliWorld } from './world.ts';

export function refuseCommand(program: Command, world: CliWorld): void {
  program
    .command('refuse')
    .summary('say no to a held run')
    .description(
      'Says no to what a held run planned. It stays held, nobody is alerted of it again, and leadsheet status names who\n' +
        'refused it and when, until its plan is another one. Change the cause on either side; or approve it after all.',
    )
    .argument('<name>', 'the sync, feed or outbox')
    .requiredOption('--run <id>', 'the held run, as leadsheet status shows it')
    .action(async (name: string, _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<GlobalOptions & { readonly run: string }>();
      const { operator, decider } = openOperator(globals, world);
      const answer = await refuse(operator, decider, { name, run: globals.run });
      printAnswer(answer, refusedText, globals, world);
    });
}
