import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { exitCodes } from './exit-codes.ts';

/** What a command may touch of the process it runs in. */
export interface CliWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Runs one command line (without the interpreter and the script) and answers its exit code; it never throws. */
export async function runCli(args: readonly string[], world: CliWorld): Promise<number> {
  const program = new Command('leadsheet')
    .description('Keeps the contacts of an outreach service and the rows of a Google Sheet equal, in both directions.')
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => world.stderr.write(text),
    });

  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    throw error;
  }
}
