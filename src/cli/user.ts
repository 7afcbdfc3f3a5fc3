// Runs the commands of `user`: who may use the console, each with a password of their own.
import { readFileSync } from 'node:fs';
import {
  accountsInText,
  entryText,
  includesInText,
  isOpenInText,
  letsDecideInText,
  textWithoutUser,
  textWithUser,
  type UserEntry,
  usersInText,
} from '../config/edit-users.ts';
import { defaultAccount } from '../config/default-account.ts';
import { errorCode, passwordCharsMinBeyond } from '../config/secret-file.ts';
import { isUserName, type Role, userNameWords } from '../config/users.ts';
import { didYouMean } from '../lib/nearest.ts';
import { hashPassword } from '../lib/password-hash.ts';
import { lineText } from '../log/printable.ts';
import type { UsersAnswer } from '../operator/answers/users.ts';
import { gaveUp, openAsking } from './ask.ts';
import { CommandFailed, GivenUp, UsageError } from './errors.ts';
import { configPathOf, type GlobalOptions } from './globals.ts';
import { ChangedMeanwhile, writePlainText } from './plain-file.ts';
import { columnsText, printAnswer } from './print/lines.ts';
import type { CliWorld } from './world.ts';

export interface AddOptions extends GlobalOptions {
  readonly role: Role;
  /** Left out: all. */
  readonly account?: readonly string[];
  readonly passwordFile?: string;
  readonly print?: true;
}

export function runUserRemove(name: string, globals: GlobalOptions, world: CliWorld): void {
  const path = configPathOf(globals, world);
  const before = readText(path);
  const text = textWithoutUser(before, name);
  if (text === undefined) {
    throw new CommandFailed(`there is no user ${name} in ${path}; leadsheet user list shows all`);
  }
  write(path, { before, text }, (why) => `${why}: remove the entry of ${name} under server.users by hand`);
  world.stdout.write(`${lineText(name)} is removed from ${lineText(path)}\n`);
  if (isOpenInText(text)) {
    const then = 'without a login. One that others can reach does not start like that';
    world.stderr.write(
      `leadsheet: that was the last user: from its next start on, leadsheet run lets people into its console ${then}\n`,
    );
  }
}

export function runUserList(globals: GlobalOptions, world: CliWorld): void {
  const users = usersInText(readText(configPathOf(globals, world)));
  const answer: UsersAnswer = {
    users: users.map(({ name, role, accounts }) => ({ name, role, accounts: accounts ? [...accounts] : null })),
  };
  printAnswer(answer, usersText, globals, world);
}

export async function runUserAdd(name: string, globals: AddOptions, world: CliWorld): Promise<void> {
  if (!isUserName(name)) throw new UsageError(`${name} is no name of a user: it has to be ${userNameWords}`);
  const { role, print } = globals;
  const accounts = globals.account && [...new Set(globals.account)];
  const path = configPathOf(globals, world);
  const asked = print ? '' : readText(path);
  if (accounts && !print) refuseUnknownAccounts(asked, accounts, path);
  // A file that cannot be changed is named before the password is asked for.
  usersInText(asked);
  const password = await passwordFor(name, globals, world);
  const password_hash = await (world.hashPassword ?? hashPassword)(password);
  const entry: UserEntry = { name, role, ...(accounts && { accounts }), password_hash };
  if (print) return void world.stdout.write(entryText(entry));
  // Another person may have written into the file while the password was asked for.
  const before = readText(path);
  const isKnown = usersInText(before).some((each) => each.name.toLowerCase() === name.toLowerCase());
  try {
    write(path, { before, text: textWithUser(before, entry) }, (why) => why);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    world.stdout.write(entryText(entry));
    throw new CommandFailed(`${error.message}: put the entry above under server.users by hand`, { cause: error });
  }
  const seen = accounts ? `, who sees ${accounts.map(lineText).join(', ')} alone,` : '';
  world.stdout.write(`${lineText(name)} is ${isKnown ? 'changed' : 'added'} as ${role}${seen} in ${lineText(path)}\n`);
  if (role === 'operator' && !letsDecideInText(before)) {
    world.stderr.write('leadsheet: operators decide only with server.console: write in the configuration\n');
  }
  if (isOpenInText(before)) {
    const until = 'until then its console lets people in without a login';
    world.stderr.write(
      `leadsheet: a leadsheet run that is under way takes its first user up when it is restarted; ${until}\n`,
    );
  }
}

/** Throws UsageError. An account of an included file is looked up by leadsheet check. */
function refuseUnknownAccounts(text: string, accounts: readonly string[], path: string): void {
  const known = [defaultAccount, ...accountsInText(text)];
  if (includesInText(text)) return;
  const wrong = accounts.find((each) => !known.includes(each));
  if (wrong === undefined) return;
  const there = didYouMean(wrong, known) || `; there are ${known.join(', ')}`;
  throw new UsageError(`${path} has no account ${wrong}${there}`);
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
  if (password === gaveUp) throw new GivenUp('no password was given: nothing was changed');
  const again = await asking.secret('The same once more', (typed) =>
    typed === password ? undefined : 'it is another one than before',
  );
  if (again === gaveUp) throw new GivenUp('no password was given: nothing was changed');
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
    return readFileSync(file === '-' ? 0 : file, 'utf8').replace(/\r?\n$/, '');
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

function write(
  path: string,
  { before, text }: { readonly before: string; readonly text: string },
  toMessage: (why: string) => string,
): void {
  try {
    writePlainText(path, before, text);
  } catch (error) {
    const why = error instanceof ChangedMeanwhile ? error.message : `${path} cannot be written (${errorCode(error)})`;
    throw new CommandFailed(toMessage(why), { cause: error });
  }
}

function usersText({ users }: UsersAnswer): string {
  if (users.length === 0) return 'there are no users; leadsheet user add NAME --role viewer adds one\n';
  const isAnyLimited = users.some(({ accounts }) => accounts !== undefined);
  return columnsText(
    users.map(({ name, role, accounts }) => [
      lineText(name),
      lineText(role),
      ...(isAnyLimited ? [accounts?.map(lineText).join(', ') ?? 'all accounts'] : []),
    ]),
  );
}
