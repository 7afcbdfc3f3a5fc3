// The command `status`: shows how each job stands.
import type { Command } from 'commander';
import { lineText } from '../log/printable.ts';
import { readStatus } from '../operator/standing.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { printAnswer } from './print/lines.ts';
import { statusText } from './print/status.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Health } from '../operator/answers/status.ts';
import type { CliWorld, Finish } from './world.ts';

const codes: Readonly<Record<Health, ExitCode>> = {
  well: exitCodes.done,
  needs_somebody: exitCodes.personNeeded,
  failed: exitCodes.failed,
};

export function statusCommand(program: Command, world: CliWorld, finish: Finish): void {
  program
    .command('status')
    .summary('how each sync stands')
    .description(
      'Shows how each sync stands, as its state and a running daemon tell, without asking either side: the last run that\n' +
        'had something to write, the next one, what is linked, waiting, in conflict, quarantined or held, and what to do.',
    )
    .argument('[name...]', 'syncs, feeds and outboxes; all if none is named')
    .option(
      '--exit-code',
      'exit with 3 if somebody is needed, and with 1 if a run failed, or the last daemon is gone without having been stopped',
    )
    .action(async (names: string[], _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<GlobalOptions & { readonly exitCode?: true }>();
      const { operator } = openOperator(globals, world);
      const answer = await readStatus(operator, names);
      if (answer.daemon_notice !== null) world.stderr.write(`leadsheet: ${lineText(answer.daemon_notice)}\n`);
      for (const { name, notices } of answer.syncs) {
        for (const notice of notices) world.stderr.write(`leadsheet: ${name}: ${lineText(notice)}\n`);
      }
      printAnswer(answer, statusText, globals, world);
      if (globals.exitCode) finish(codes[answer.health]);
    });
}
