// Writes what an init made: the configuration, `.env`, `.gitignore` and the file of a service.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errorCode } from '../../config/secret-file.ts';
import { composeText, envText, type EnvVariable, gitignoreText, systemdUnit } from '../../operator/init/files.ts';
import { CommandFailed } from '../errors.ts';
import { ChangedMeanwhile, writePlainText } from '../plain-file.ts';
import { writePrivateFile } from '../private-file.ts';
import type { CliWorld } from '../world.ts';

export const envFileName = '.env';

/**
 * Writes a file without secrets. A new one gets the mode that new files get here. `before`: what it held when it was read; undefined:
 * there was none.
 */
export function writePlainFile(path: string, before: string | undefined, text: string): void {
  attempt(path, () => writePlainText(path, before, text));
}

function attempt(path: string, write: () => void): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    write();
  } catch (error) {
    if (error instanceof ChangedMeanwhile) throw changedMeanwhile(error);
    throw new CommandFailed(`${path} cannot be written (${errorCode(error)})`, { cause: error });
  }
}

/** Throws CommandFailed if the file does not hold `before` any more. */
export function expectUnchanged(path: string, before: string | undefined): void {
  if (readIfThere(path) !== before) throw changedMeanwhile(new ChangedMeanwhile(`${path} was changed meanwhile`));
}

function changedMeanwhile(cause: ChangedMeanwhile): CommandFailed {
  return new CommandFailed(`${cause.message}: nothing was written; give the command again`, { cause });
}

/** Undefined if there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new CommandFailed(`${path} cannot be read (${errorCode(error)})`, { cause: error });
  }
}

/** The paths that were written: `.env`, and `.gitignore` in a git repository. */
export function writeEnv(variables: readonly EnvVariable[], keyFile: string, world: CliWorld): readonly string[] {
  const text = envText(readIfThere(envFileName) ?? '', variables);
  if (text === undefined) {
    throw new CommandFailed(
      'the API key holds quotes of both kinds: put it into a file, and begin anew with --token-file FILE',
    );
  }
  attempt(envFileName, () => writePrivateFile(envFileName, text, world.randomId));
  const root = repositoryOf(resolve('.'));
  if (root === undefined) return [envFileName];
  // A key outside the repository is not in its .gitignore.
  const secret = [envFileName, keyFile].map((path) => relative(root, resolve(path)));
  const inside = secret.filter((path) => !path.startsWith('..') && !isAbsolute(path)).map(withSlashes);
  const file = join(root, '.gitignore');
  const before = readIfThere(file);
  const ignored = gitignoreText(before ?? '', inside);
  if (ignored === undefined) return [envFileName];
  writePlainFile(file, before, ignored);
  return [envFileName, relative('.', file)];
}

/** git knows folders by slashes, on Windows too. */
function withSlashes(path: string): string {
  return path.replaceAll(sep, '/');
}

/** The folder with `.git` that holds this one; undefined: none does. */
function repositoryOf(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : repositoryOf(above);
}

export interface ServiceFileDep {
  readonly kind: 'systemd' | 'compose';
  readonly config: string;
  readonly keyFile: string;
  readonly envFile: string | undefined;
  readonly account: string;
  /** NODE_EXTRA_CA_CERTS of this init: what it trusted, its service has to trust. */
  readonly authorities: string | undefined;
}

/** The path that was written; undefined: there is one already, which stays as it is. */
export function writeServiceFile({
  kind,
  config,
  keyFile,
  envFile,
  account,
  ...more
}: ServiceFileDep): string | undefined {
  const path = kind === 'systemd' ? 'leadsheet.service' : 'compose.yaml';
  if (existsSync(path)) return undefined;
  const folder = resolve('.');
  const authorities = more.authorities === undefined ? undefined : resolve(more.authorities);
  const text =
    kind === 'systemd'
      ? systemdUnit({ folder, config: resolve(config), envFile, account, authorities })
      : composeText({ config: relative('.', config), keyFile: relative('.', keyFile), envFile, authorities });
  writePlainFile(path, undefined, text);
  return path;
}
