// Declares the commands of `user`: who may use the console.
import { type Command, Option } from 'commander';
import { roles } from '../../config/users.ts';
import { withChoices } from '../choice.ts';
import type { CliWorld } from '../world.ts';

export function userCommand(program: Command, world: CliWorld): void {
  const user = program
    .command('user')
    .summary('who may use the console')
    .description('Users of the console stand in the configuration, under server.users, with a hash of their password.');
  user
    .command('add')
    .summary('a new user, or a new password or role of one')
    .description(
      'Asks for the password twice, and writes the user into the configuration. A running server takes it up within seconds, ' +
        'and ends the logins of that user. If the configuration may not be written, the entry is printed instead.',
    )
    .argument('<name>', 'the name to log in with, such as ann or ann@example.com')
    .addOption(
      withChoices(
        new Option('--role <role>', 'viewer: sees everything; operator: decides as well, if server.console is write'),
        roles,
      ).makeOptionMandatory(),
    )
    .option(
      '--account <name>',
      'sees the jobs of this account alone; repeat it for more; left out: all accounts',
      (name: string, before: readonly string[] | undefined) => [...(before ?? []), name],
    )
    .option('--password-file <file>', 'a file that holds the password; - reads it from standard input')
    .option('--print', 'print the entry, and write nothing')
    .action(async (name: string, _options: unknown, command: Command) => {
      const { runUserAdd } = await import('../user.ts');
      await runUserAdd(name, command.optsWithGlobals(), world);
    });
  user
    .command('remove')
    .summary('remove a user')
    .description(
      'Removes the user from the configuration. A running server ends the logins of that user within seconds.',
    )
    .argument('<name>', 'as leadsheet user list shows it')
    .action(async (name: string, _options: unknown, command: Command) => {
      const { runUserRemove } = await import('../user.ts');
      runUserRemove(name, command.optsWithGlobals(), world);
    });
  user
    .command('list')
    .summary('every user with the role')
    .description('Lists the users of the configuration. Hashes of passwords are not printed.')
    .action(async (_options: unknown, command: Command) => {
      const { runUserList } = await import('../user.ts');
      runUserList(command.optsWithGlobals(), world);
    });
}
