// The command `user`: who may use the console, each with a password of their own.
import { readFileSync, writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { entryText, textWithoutUser, textWithUser, type UserEntry, usersInText } from '../config/edit-users.ts';
import { errorCode, passwordCharsMinBeyond } from '../config/secret-file.ts';
import { isUserName, type Role, roles, userNameWords } from '../config/users.ts';
import { hashPassword } from '../lib/password-hash.ts';
import { lineText } from '../log/printable.ts';
import type { UsersAnswer } from '../operator/answers/users.ts';
import { gaveUp, openAsking } from './ask.ts';
import { withChoices } from './choice.ts';
import { CommandFailed, UsageError } from './errors.ts';
import { configPathOf, type GlobalOptions } from './globals.ts';
import { columnsText, printAnswer } from './print/lines.ts';
import type { CliWorld } from './world.ts';

interface AddOptions extends GlobalOptions {
  readonly role: Role;
  readonly passwordFile?: string;
  readonly print?: true;
}

export function userCommand(program: Command, world: CliWorld): void {
  const user = program
    .command('user')
    .summary('who may use the console')
    .description('Users of the console stand in the configuration, under server.users, with a hash of their password.');
  user
    .command('add')
    .summary('a new user, or a new password or role of one')
    .description(
      'Asks for the password twice, and writes the user into the configuration. A running server takes it up within seconds,\n' +
        'and ends the logins of that user. If the configuration may not be written, the entry is printed instead.',
    )
    .argument('<name>', 'the name to log in with, such as ann or ann@example.com')
    .addOption(
      withChoices(
        new Option('--role <role>', 'viewer: sees everything; operator: decides as well, if server.console is write'),
        roles,
      ).makeOptionMandatory(),
    )
    .option('--password-file <file>', 'a file that holds the password; - reads it from standard input')
    .option('--print', 'print the entry, and write nothing')
    .action(async (name: string, _options: unknown, command: Command) => {
      await add(name, command.optsWithGlobals<AddOptions>(), world);
    });
  user
    .command('remove')
    .summary('remove a user')
    .description(
      'Removes the user from the configuration. A running server ends the logins of that user within seconds.',
    )
    .argument('<name>', 'as leadsheet user list shows it')
    .action((name: string, _options: unknown, command: Command) => {
      const path = configPathOf(command.optsWithGlobals<GlobalOptions>(), world);
      const text = textWithoutUser(readText(path), name);
      if (text === undefined) {
        throw new CommandFailed(`there is no user ${name} in ${path}; leadsheet user list shows all`);
      }
      write(path, text, (why) => `${why}: remove the entry of ${name} under server.users by hand`);
      world.stdout.write(`${lineText(name)} is removed from ${lineText(path)}\n`);
    });
  user
    .command('list')
    .summary('every user with the role')
    .description('Lists the users of the configuration. Hashes of passwords are not printed.')
    .action((_options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<GlobalOptions>();
      const answer: UsersAnswer = { users: [...usersInText(readText(configPathOf(globals, world)))] };
      printAnswer(answer, usersText, globals, world);
    });
}

async function add(name: string, globals: AddOptions, world: CliWorld): Promise<void> {
  if (!isUserName(name)) throw new UsageError(`${name} is no name of a user: it has to be ${userNameWords}`);
  const { role, print } = globals;
  const path = configPathOf(globals, world);
  const before = print ? '' : readText(path);
  const isKnown = usersInText(before).some((each) => each.name.toLowerCase() === name.toLowerCase());
  const password = await passwordFor(name, globals, world);
  const entry: UserEntry = { name, role, password_hash: await hashPassword(password) };
  if (print) return void world.stdout.write(entryText(entry));
  try {
    write(path, textWithUser(before, entry), (why) => why);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    world.stdout.write(entryText(entry));
    throw new CommandFailed(`${error.message}: put the entry above under server.users by hand`, { cause: error });
  }
  world.stdout.write(`${lineText(name)} is ${isKnown ? 'changed' : 'added'} as ${role} in ${lineText(path)}\n`);
  if (role === 'operator' && !/^\s*console:\s*["']?write/m.test(before)) {
    world.stderr.write('leadsheet: operators decide only with server.console: write in the configuration\n');
  }
}

/** Throws UsageError if there is none, or none that is long enough. */
async function passwordFor(
  name: string,
  { passwordFile, json }: Pick<AddOptions, 'passwordFile' | 'json'>,
  world: CliWorld,
): Promise<string> {
  if (passwordFile !== undefined) {
    const password = readPassword(passwordFile);
    const fault = faultOf(password);
    if (fault !== undefined) throw new UsageError(`the password in ${passwordFile}: ${fault}`);
    return password;
  }
  const asking = await openAsking(world, json ? { json } : {});
  if (!asking)
    throw new UsageError('without a terminal, the password comes from --password-file FILE, or - for standard input');
  const password = await asking.secret(`Password of ${name}`, faultOf);
  if (password === gaveUp) throw new CommandFailed('no password was given: nothing was changed');
  const again = await asking.secret('The same once more', (typed) =>
    typed === password ? undefined : 'it is another one than before',
  );
  if (again === gaveUp) throw new CommandFailed('no password was given: nothing was changed');
  return password;
}

function faultOf(password: string): string | undefined {
  const length = Array.from(password).length;
  if (length >= passwordCharsMinBeyond && length <= passwordCharsMax) return undefined;
  return `it has ${length} characters, and has to have ${passwordCharsMinBeyond} to ${passwordCharsMax}: four words are easy to keep`;
}

/** More is no password that a person types. */
const passwordCharsMax = 200;

function readPassword(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').replace(/(\r?\n)+$/, '');
  } catch (error) {
    throw new CommandFailed(`the password file ${file} cannot be read (${errorCode(error)})`, { cause: error });
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const remedy = errorCode(error) === 'ENOENT' ? '; leadsheet init makes one' : '';
    throw new CommandFailed(`${path} cannot be read (${errorCode(error)})${remedy}`, { cause: error });
  }
}

/** In place: a file that is mounted into a container cannot be replaced. */
function write(path: string, text: string, toMessage: (why: string) => string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new CommandFailed(toMessage(`${path} cannot be written (${errorCode(error)})`), { cause: error });
  }
}

function usersText({ users }: UsersAnswer): string {
  if (users.length === 0) return 'there are no users; leadsheet user add NAME --role viewer adds one\n';
  return columnsText(users.map(({ name, role }) => [lineText(name), lineText(role)]));
}
