// Declares the command `sync`: one run of each named job, by the running daemon if there is one.
import type { Command } from 'commander';
import type { CliWorld, Finish } from '../world.ts';

/** `follow`: from now on a signal ends the following of a run, and not the run. */
export function syncCommand(program: Command, world: CliWorld, finish: Finish, follow: () => void): void {
  program
    .command('sync')
    .summary('one run of each sync, feed or outbox named, or of all')
    .description(
      'Runs each one named, or all of them, once: makes contacts and rows equal, mirrors feeds, sends what outboxes hold, and ' +
        'says what it did. Edits are sent at once; they need not stand still first. A running daemon does it and is followed: ' +
        'Ctrl-C then ends the following, and the run goes on.',
    )
    .argument('[name...]', 'syncs, feeds and outboxes; all if none is named')
    .option('--full', 'read every contact, not only those that changed; only this finds contacts that were deleted')
    .option('--even-if-paused', 'also what a person paused')
    .action(async (names: string[], _options: unknown, command: Command) => {
      const { runSync } = await import('../sync.ts');
      await runSync(names, command.optsWithGlobals(), world, finish, follow);
    });
}
