// The command `log`: prints the history, or the ledger of enrolments.
import type { Command } from 'commander';
import { type LogFilter, readEnrolments, readLog } from '../operator/history.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { enrolmentText, historyText } from './print/history.ts';
import type { CliWorld } from './world.ts';

interface LogOptions extends GlobalOptions, Pick<LogFilter, 'sync' | 'run' | 'contact' | 'since'> {
  readonly follow?: true;
  readonly enrolments?: true;
}

export function logCommand(program: Command, world: CliWorld, serve: () => void): void {
  program
    .command('log')
    .summary('the history of changes and decisions')
    .description(
      'Shows what runs changed, field by field, and which decisions of people they took up, oldest first.\n' +
        'With --json one object a line.',
    )
    .option('--sync <name>', 'of one sync')
    .option('--run <id>', 'of one run')
    .option(
      '--contact <contact>',
      'of one contact: its uuid, or its e-mail address, its name or row:17 while it is linked',
    )
    .option('--since <time>', 'from then on: 2026-11-21, 2026-11-21T09:00Z, or 30m, 12h, 7d before now')
    .option('--enrolments', 'the ledger instead: who was put into which automation, when, by which run')
    .option('--follow', 'go on with changes as they are made, until it is stopped')
    .action(async (_options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<LogOptions>();
      if (globals.follow) serve();
      const { operator } = openOperator(globals, world);
      const print = <Line>(line: Line, toText: (line: Line) => string) =>
        world.stdout.write(globals.json ? `${JSON.stringify(line)}\n` : toText(line));
      if (globals.enrolments) {
        for (const line of await readEnrolments(operator, globals)) await print(line, enrolmentText);
        return;
      }
      const signal = AbortSignal.any([world.stop, world.outputClosed]);
      const lines = readLog(operator, globals, { follow: globals.follow === true, signal });
      for await (const line of lines) {
        if (signal.aborted) break;
        await print(line, historyText);
      }
    });
}
