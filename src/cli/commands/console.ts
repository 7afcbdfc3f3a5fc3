// Declares the command `console`: a link that logs the person of this machine into the console.
import type { Command } from 'commander';
import type { CliWorld } from '../world.ts';

export function consoleCommand(program: Command, world: CliWorld): void {
  program
    .command('console')
    .summary('a link that logs you into the console')
    .description(
      'Prints a link that logs you into the console of the running daemon, as the account of this machine. It needs no password: the ' +
        'daemon is asked through the socket in its state folder, which no other account can use. The link is valid once, for 60 s. ' +
        '/audit has the login. What you decide there is recorded under the name of the account.',
    )
    .option('--open', 'open the link in the browser, too')
    .option('--read', 'log in as a viewer, who decides nothing')
    .action(async (_options: unknown, command: Command) => {
      const { runConsole } = await import('../console.ts');
      await runConsole(command.optsWithGlobals(), world);
    });
}
