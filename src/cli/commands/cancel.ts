// Declares the command `cancel`: takes back wishes and messages that are not done yet.
import type { Command } from 'commander';
import type { CliWorld, Finish } from '../world.ts';

export function cancelCommand(program: Command, world: CliWorld, finish: Finish): void {
  program
    .command('cancel')
    .summary('take back enrolments and messages that are not done yet')
    .description(
      'From now on no run makes the call, and the next run says so in the row. It is taken up again when a person empties the ' +
        'cell and fills it after a run, or by leadsheet retry. An enrolment or a message that was done is not cancelled: the answer says why.',
    )
    .argument(
      '<id...>',
      'UUID/AUTOMATION, ann@firm.io/Welcome, or a contact with one wish that waits; of an outbox the ID of a row, or row:17',
    )
    .option('--sync <name>', 'of one sync or outbox: row:17 is another row in each')
    .action(async (ids: string[], _options: unknown, command: Command) => {
      const { runCancel } = await import('../cancel.ts');
      await runCancel(ids, command.optsWithGlobals(), world, finish);
    });
}
