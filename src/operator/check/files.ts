// Whether files that hold secrets, or decide where they are sent, are for this account alone.
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config/config.ts';
import type { Finding } from './finding.ts';

/** The permission bits of a file or folder; undefined where there is none, or no such thing as permissions. */
export type ModeOf = (path: string) => Promise<number | undefined>;

/** Permission bits of others than the owner, as in chmod(1). */
const readable = 0o044;
const writable = 0o022;

interface Watched {
  readonly path: string;
  readonly about: string;
  readonly what: string;
  /** Bits that nobody but the owner should have. */
  readonly unwanted: number;
  readonly remedy: string;
}

/** Says nothing of what is right. A file that is not there is named by whoever wants to read it. */
export async function* checkFiles(config: Config, modeOf: ModeOf): AsyncGenerator<Finding> {
  for (const { path, about, what, unwanted, remedy } of watchedFiles(config)) {
    const mode = await modeOf(path);
    if (mode === undefined || (mode & unwanted) === 0) continue;
    const rights = (mode & writable) === 0 ? 'read it' : (mode & readable) === 0 ? 'change it' : 'read and change it';
    const bits = (mode & 0o777).toString(8);
    const detail = `${path} has mode ${bits}, so that other accounts of this machine may ${rights}. ${remedy} ${path}`;
    yield { verdict: 'warning', about, what, detail };
  }
}

function watchedFiles({ path, google, state, options: { crm, server } }: Config): readonly Watched[] {
  const secret = { unwanted: readable | writable, remedy: 'Make it private: chmod 600' };
  const files: readonly (Omit<Watched, 'path'> & { readonly path: string | undefined })[] = [
    // The token goes to the address in this file: an account that may change the address would be sent it.
    { path, about: 'file', what: 'permissions', unwanted: writable, remedy: 'Let nobody else change it: chmod go-w' },
    { path: crm.token_file, about: 'service', what: 'token file', ...secret },
    { path: google.credentialsFile, about: 'google', what: 'credentials file', ...secret },
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

/** As written in the file: `file:./state` or `file:///var/lib/leadsheet`. */
function folderPath(folder: string): string {
  return folder.startsWith('//') ? fileURLToPath(`file:${folder}`) : folder;
}
