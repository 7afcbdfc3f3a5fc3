// Checks that only this account can read the files with secrets, and change the files that decide where secrets are sent.
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config/config.ts';
import { aboutSide, type Finding } from './finding.ts';

/** The permission bits of a file or folder; undefined: it does not exist, or the system has no permission bits. */
export type ModeOf = (path: string) => Promise<number | undefined>;

/** Permission bits of accounts other than the owner, as in chmod(1). */
const readable = 0o044;
const writable = 0o022;

interface Watched {
  readonly path: string;
  readonly about: string;
  readonly what: string;
  /** Bits that only the owner may have. */
  readonly unwanted: number;
  readonly remedy: string;
}

/** Yields only what is wrong with the files of these accounts, and with those of no account. A missing file is reported by the code that reads it. */
export async function* checkFiles(
  config: Config,
  accounts: ReadonlySet<string>,
  modeOf: ModeOf,
): AsyncGenerator<Finding> {
  for (const { path, about, what, unwanted, remedy } of watchedFiles(config, accounts)) {
    const mode = await modeOf(path);
    if (mode === undefined || (mode & unwanted) === 0) continue;
    const rights = (mode & writable) === 0 ? 'read it' : (mode & readable) === 0 ? 'change it' : 'read and change it';
    const bits = (mode & 0o777).toString(8);
    const detail = `${path} has mode ${bits}, so that other accounts of this machine may ${rights}. ${remedy} ${path}`;
    yield { verdict: 'warning', about, what, detail };
  }
}

function watchedFiles(config: Config, names: ReadonlySet<string>): readonly Watched[] {
  const secret = { unwanted: readable | writable, remedy: 'Make it private: chmod 600' };
  const { path, state } = config;
  const { server } = config.options;
  const meant = [...config.accounts.values()].filter(({ name }) => names.has(name));
  const accounts = meant.flatMap(({ name, tokenFile, google }) => [
    { path: tokenFile, about: aboutSide(config, name, 'service'), what: 'token file', ...secret },
    { path: google.credentialsFile, about: aboutSide(config, name, 'google'), what: 'credentials file', ...secret },
  ]);
  const files: readonly (Omit<Watched, 'path'> & { readonly path: string | undefined })[] = [
    // The token is sent to the address in this file: an account that may change the address receives the token.
    { path, about: 'file', what: 'permissions', unwanted: writable, remedy: 'Let nobody else change it: chmod go-w' },
    ...config.included.map((each) => ({
      path: each,
      about: 'file',
      what: 'permissions',
      unwanted: writable,
      remedy: 'Let nobody else change it: chmod go-w',
    })),
    ...accounts,
    { path: server?.password_file, about: 'server', what: 'password file', ...secret },
    { path: server?.hook_secret_file, about: 'server', what: 'hook secret file', ...secret },
    {
      path: state.kind === 'file' ? folderPath(state.folder) : undefined,
      about: 'state',
      what: 'folder',
      unwanted: writable,
      remedy: 'Make it private: chmod 700',
    },
  ];
  return files.flatMap((file) => (file.path === undefined ? [] : [{ ...file, path: file.path }]));
}

/** The path of a folder option, which is written as `file:./state` or `file:///var/lib/leadsheet`. */
function folderPath(folder: string): string {
  return folder.startsWith('//') ? fileURLToPath(`file:${folder}`) : folder;
}
