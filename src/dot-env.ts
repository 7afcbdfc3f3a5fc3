// Reads `.env` of the folder in which leadsheet is started, for the references of the configuration.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the environment with the variables of `.env` that it does not have, again and again while the process runs. systemd
 * and Compose read `.env` themselves and hand its variables over, so that those would go before a file that somebody edits: a
 * variable that was as in the file at the start follows it. A missing or unreadable file adds nothing.
 */
export function createEnvReader(env: Environment, file = '.env') {
  const atStart = readDotEnv(file);
  const own = Object.entries(env).filter(([name, value]) => value !== atStart.variables[name]);
  return {
    read: (): Environment => ({ ...env, ...readDotEnv(file).variables, ...Object.fromEntries(own) }),
    /** Why a file that is there could not be read at the start. */
    unreadable: atStart.unreadable,
  };
}

function readDotEnv(file: string): { readonly variables: Environment; readonly unreadable?: string } {
  try {
    return { variables: parseEnv(readFileSync(file, 'utf8')) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { variables: {}, ...(code !== 'ENOENT' && { unreadable: code }) };
  }
}
