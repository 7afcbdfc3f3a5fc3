// Declares the command `check`: checks everything that a sync needs, and says what to do.
import type { Command } from 'commander';
import type { CliWorld, Finish } from '../world.ts';

export function checkCommand(program: Command, world: CliWorld, finish: Finish): void {
  program
    .command('check')
    .summary('whether everything is right, and what to correct')
    .description(
      'Looks at the configuration, then at both sides: token, list, tab, headers, permissions, protected ranges. ' +
        'Says of each thing whether it is right and, if not, what to do. Changes nothing.',
    )
    .argument('[account]', 'only this account of `accounts`, and its jobs; all if none is named')
    .option('--offline', 'only what can be told without asking the service or Google')
    .action(async (account: string | undefined, _options: unknown, command: Command) => {
      const { runCheck } = await import('../check.ts');
      await runCheck(account, command.optsWithGlobals(), world, finish);
    });
}
