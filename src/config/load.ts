// Loads a configuration file: reads it, checks it, and resolves it.
import { checkAccounts } from './checks/accounts.ts';
import { type Fault, isMapping, named, type SalvagedFile } from './checks/check.ts';
import { checkConnections, hookSecretFault, passwordFault } from './checks/connections.ts';
import { checkFeed } from './checks/feed.ts';
import { checkOutbox } from './checks/outbox.ts';
import { checkSync } from './checks/sync.ts';
import { checkTabs, checkThatThereIsAJob } from './checks/tabs.ts';
import { defaultAccount } from './default-account.ts';
import type { Config, WrittenOptions } from './config.ts';
import { allowedWords, explainIssues } from './explain.ts';
import { joinIncluded, type ListFiles } from './include.ts';
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
import { findSound, jobSections } from './sound.ts';
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
  readonly listFiles: ListFiles;
  /** Identifies the spreadsheets and tabs of the options. */
  readonly addresses: SheetAddresses;
}

/**
 * Reads and checks a configuration file and those that it includes: YAML, references to the environment, every option, the
 * options against each other, and the secrets in files. Makes no calls and reads no state.
 *
 * Throws ConfigError with all problems, in the order of the file. A repeat without a correction fails again.
 */
export function loadConfig(path: string, world: ConfigWorld): Config {
  const { config, problems } = loadWhatHolds(path, world);
  if (problems.length > 0) throw new ConfigError(path, problems);
  return config;
}

/**
 * As `loadConfig`, without what is wrong: `Config.faults` has the accounts, jobs and files that are left out. Throws
 * ConfigError if the whole is wrong, or no job is left.
 */
export function loadSoundConfig(path: string, world: ConfigWorld): Config {
  return loadWhatHolds(path, world).config;
}

/** As `loadSoundConfig`, of a file that a job is added to: it may have none yet, or none that holds. */
export function loadConfigToExtend(path: string, world: ConfigWorld): Config {
  return loadWhatHolds(path, world, true).config;
}

/** A file is read once: compiling its schema would take longer than reading it. */
const once = { jitless: true };

interface Loaded {
  readonly config: Config;
  readonly problems: readonly ConfigProblem[];
}

function loadWhatHolds(
  path: string,
  { crm, env, readFile, listFiles, addresses }: ConfigWorld,
  mayHaveNoJob = false,
): Loaded {
  const main = readSource(readText(path, readFile), env);
  if (!main.isReadable) throw new ConfigError(path, main.problems);
  const joined = joinIncluded(path, main, { env, readFile, listFiles });
  const source = mayHaveNoJob ? { ...joined, value: withoutEmptySections(joined.value) } : joined;
  const schema = configFile(crm);
  const parsed = schema.safeParse(source.value, { error: allowedWords, ...once });
  const given = isMapping(source.value) ? source.value : undefined;
  const file = given && (parsed.success ? parsed.data : salvage(schema, given));
  const secrets = readSecrets(file ?? {}, source, readFile);
  const found = [
    ...explainIssues(parsed.error?.issues ?? [], source, schema),
    ...(file
      ? checkOptions(crm, file, given, { addresses, isWhole: source.problems.length === 0, mayHaveNoJob })
      : []
    ).map((fault) => faultToProblem(fault, source)),
    ...secrets.problems,
  ];
  // If the text itself is wrong, its content is not reported.
  const problems = [...source.problems, ...found.filter((problem) => !isAtOneOf(source.problems, problem))];
  const sound =
    problems.length === 0 && given ? { value: given, faults: [] } : findSound(source, problems, mayHaveNoJob);
  const held = sound && (sound.value === given ? parsed : schema.safeParse(sound.value, once));
  if (!sound || !held?.success) throw new ConfigError(path, problems);
  const config = {
    ...resolveConfig(crm, path, held.data, secrets, addresses),
    written: writtenIn(sound.value),
    included: source.included,
    faults: sound.faults,
  };
  return { config, problems };
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

interface ReadAs {
  readonly addresses: SheetAddresses;
  /** Every included file could be read. */
  readonly isWhole: boolean;
  readonly mayHaveNoJob: boolean;
}

/** People who take the last job out leave the name of its section. */
function withoutEmptySections(value: unknown): unknown {
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name, section]) => section !== null || !jobSections.some((each) => each === name)),
  );
}

/**
 * The checks between options. They get the options that passed by themselves, so that one pass reports all problems.
 */
function checkOptions(
  crm: CrmDescription,
  file: SalvagedFile,
  given: Readonly<Record<string, unknown>>,
  { addresses, isWhole, mayHaveNoJob }: ReadAs,
): readonly Fault[] {
  const givenSyncs = isMapping(given['syncs']) ? given['syncs'] : {};
  return [
    ...checkAccounts(file, given, isWhole),
    ...checkConnections(file, given),
    ...(mayHaveNoJob ? [] : checkThatThereIsAJob(given)),
    ...checkTabs(file, addresses),
    ...named(file.syncs).flatMap(({ name, item }) => checkSync(crm, name, item, givenSyncs[name])),
    ...named(file.feeds).flatMap(({ name, item }) => checkFeed(crm, name, item)),
    ...named(file.outbox).flatMap(({ name, item }) => checkOutbox(crm, name, item)),
  ];
}

function faultToProblem({ path, also, part, found, allowed, nearest }: Fault, source: Source): ConfigProblem {
  return {
    position: source.locate(path, part),
    path,
    ...(also && { also }),
    option: optionText(path),
    found: found ?? source.show(path),
    allowed,
    ...(nearest !== undefined && { nearest }),
  };
}

/** The secrets by their option, given directly or in a file. */
function readSecrets(
  { crm, accounts, server, postgres }: SalvagedFile,
  source: Source,
  readFile: ReadFile,
): SecretsAndProblems {
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
  const tokens = new Map<string, Secret>();
  const readToken = (account: string, path: readonly string[], file: string | undefined) => {
    const token = fromFile('token', [...path, 'crm', 'token_file'], file);
    if (token) tokens.set(account, token);
  };
  readToken(defaultAccount, [], crm?.token_file);
  for (const { name, item } of named(accounts)) readToken(name, ['accounts', name], item.crm?.token_file);
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
    tokens,
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
  return others.some(
    ({ position: other }) =>
      other?.line === position?.line && other?.column === position?.column && other?.file === position?.file,
  );
}

/** The options of the file without their values. */
function writtenIn(value: unknown): WrittenOptions {
  if (!isMapping(value)) return true;
  return Object.fromEntries(Object.entries(value).map(([option, inner]) => [option, writtenIn(inner)]));
}
