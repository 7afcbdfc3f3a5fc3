// Loads a configuration file: reads it, checks it, and resolves it.
import type { Fault, SalvagedFile } from './checks/check.ts';
import { named } from './checks/check.ts';
import { checkConnections, hookSecretFault, passwordFault } from './checks/connections.ts';
import { checkFeed } from './checks/feed.ts';
import { checkOutbox } from './checks/outbox.ts';
import { checkSync } from './checks/sync.ts';
import { checkTabs } from './checks/tabs.ts';
import type { Config, WrittenOptions } from './config.ts';
import { allowedWords, explainIssues } from './explain.ts';
import type { CrmDescription } from '../crm/port.ts';
import { ConfigError, optionText } from './problems.ts';
import type { ConfigProblem } from './problems.ts';
import { resolveConfig } from './resolve.ts';
import type { FileSecrets } from './resolve.ts';
import { salvage } from './schema-walk.ts';
import { configFile } from './schema/file.ts';
import {
  errorCode,
  hookSecretCharsMin,
  hookSecretWords,
  isHookSecret,
  readSecretFile,
  textToToken,
} from './secret-file.ts';
import type { ReadFile } from './secret-file.ts';
import { Secret } from '../lib/secret.ts';
import { SettingsError } from './settings-error.ts';
import type { SheetAddresses } from '../sheets/port.ts';
import { readSource } from './source.ts';
import type { Environment, Source } from './source.ts';

export interface ConfigWorld {
  /** The collections and fields that a file can name. */
  readonly crm: CrmDescription;
  readonly env: Environment;
  /** Also reads the secrets from files of their own; paths as in the file. */
  readonly readFile: ReadFile;
  /** Identifies the spreadsheets and tabs of the options. */
  readonly addresses: SheetAddresses;
}

/**
 * Reads and checks a configuration file: YAML, references to the environment, every option, the options against each
 * other, and the secrets in files. Makes no calls and reads no state.
 *
 * Throws ConfigError with all problems, in the order of the file. A repeat without a correction fails again.
 */
export function loadConfig(path: string, { crm, env, readFile, addresses }: ConfigWorld): Config {
  const source = readSource(readText(path, readFile), env);
  if (!source.isReadable) throw new ConfigError(path, source.problems);
  const schema = configFile(crm);
  const parsed = schema.safeParse(source.value, { error: allowedWords });
  const given = isObject(source.value) ? source.value : undefined;
  const file = given && salvage(schema, given);
  const secrets = readSecrets(file ?? {}, source, readFile);
  const problems = [
    ...explainIssues(parsed.error?.issues ?? [], source, schema),
    ...(file ? checkOptions(crm, file, given, addresses) : []).map((fault) => faultToProblem(fault, source)),
    ...secrets.problems,
  ];
  // If the text itself is wrong, its content is not reported.
  const all = [...source.problems, ...problems.filter((problem) => !isAtOneOf(source.problems, problem))];
  if (all.length > 0 || !parsed.success) throw new ConfigError(path, all);
  return { ...resolveConfig(crm, path, parsed.data, secrets, addresses), written: writtenIn(source.value) };
}

function readText(path: string, readFile: ReadFile): string {
  try {
    return readFile(path);
  } catch (error) {
    const code = errorCode(error);
    const found = code === 'ENOENT' ? 'no such file' : code === 'EISDIR' ? 'a folder' : `it cannot be read (${code})`;
    const allowed = 'a file this process may read; leadsheet init makes one';
    throw new ConfigError(path, [{ option: '', found, allowed }]);
  }
}

/**
 * The checks between options. They get the options that passed by themselves, so that one pass reports all problems.
 */
function checkOptions(
  crm: CrmDescription,
  file: SalvagedFile,
  given: Readonly<Record<string, unknown>>,
  addresses: SheetAddresses,
): readonly Fault[] {
  const givenSyncs = isObject(given['syncs']) ? given['syncs'] : {};
  return [
    ...checkConnections(file, given),
    ...checkTabs(file, given, addresses),
    ...named(file.syncs).flatMap(({ name, item }) => checkSync(crm, name, item, givenSyncs[name])),
    ...named(file.feeds).flatMap(({ name, item }) => checkFeed(crm, name, item)),
    ...named(file.outbox).flatMap(({ name, item }) => checkOutbox(crm, name, item)),
  ];
}

function faultToProblem({ path, part, found, allowed, nearest }: Fault, source: Source): ConfigProblem {
  return {
    position: source.locate(path, part),
    option: optionText(path),
    found: found ?? source.show(path),
    allowed,
    ...(nearest !== undefined && { nearest }),
  };
}

/** The secrets by their option, given directly or in a file. */
function readSecrets({ crm, server, postgres }: SalvagedFile, source: Source, readFile: ReadFile): SecretsAndProblems {
  const problems: ConfigProblem[] = [];
  const fromFile = (
    what: string,
    path: readonly string[],
    file: string | undefined,
    faultOf: (text: string) => Pick<ConfigProblem, 'found' | 'allowed'> | undefined = () => undefined,
  ): Secret | undefined => {
    if (file === undefined) return undefined;
    try {
      const text = readSecretFile(what, file, readFile);
      const fault = faultOf(text);
      if (fault) problems.push(faultToProblem({ path, part: 'value', ...fault }, source));
      return what === 'token' ? textToToken(text, file) : new Secret(text);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      const allowed = `a file that holds the ${what} and that this process may read`;
      problems.push(faultToProblem({ path, part: 'value', found: error.message, allowed }, source));
      return undefined;
    }
  };
  const token = fromFile('token', ['crm', 'token_file'], crm?.token_file);
  const password = fromFile('password', ['server', 'password_file'], server?.password_file, (text) =>
    passwordFault(server?.listen, text),
  );
  const hookSecret = fromFile('hook secret', ['server', 'hook_secret_file'], server?.hook_secret_file, (text) =>
    isHookSecret(text, hookSecretCharsMin)
      ? hookSecretFault(server?.listen, text)
      : { found: 'a file that holds something else', allowed: hookSecretWords },
  );
  const databasePassword = fromFile('database password', ['postgres', 'password_file'], postgres?.password_file);
  return {
    ...(token && { token }),
    ...(password && { password }),
    ...(hookSecret && { hookSecret }),
    ...(databasePassword && { databasePassword }),
    problems,
  };
}

interface SecretsAndProblems extends FileSecrets {
  readonly problems: readonly ConfigProblem[];
}

function isAtOneOf(others: readonly ConfigProblem[], { position }: ConfigProblem): boolean {
  return others.some(({ position: other }) => other?.line === position?.line && other?.column === position?.column);
}

/** The options of the file without their values. */
function writtenIn(value: unknown): WrittenOptions {
  if (!isObject(value)) return true;
  return Object.fromEntries(Object.entries(value).map(([option, inner]) => [option, writtenIn(inner)]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
