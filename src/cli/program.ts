import { Command, CommanderError } from 'commander';
import { version } from '../version.ts';
import { apiCommand } from './api.ts';
import { reportFailure } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { addGlobalOptions } from './globals.ts';
import { runCommand } from './run.ts';
import { standinCommand } from './standin.ts';
import { trialCommand } from './trial.ts';
import type { CliWorld } from './world.ts';

/** Runs one command line (without the interpreter and the script) and answers its exit code. */
export async function runCli(args: readonly string[], world: CliWorld): Promise<number> {
  const program = new Command('leadsheet')
    .description('Keeps the contacts of an outreach service and the rows of a Google Sheet equal, in both directions.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => world.stderr.write(text),
    });
  addGlobalOptions(program);
  runCommand(program, world);
  apiCommand(program, world);
  trialCommand(program, world);
  standinCommand(program, world);

  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    return reportFailure(error, world);
  }
}
