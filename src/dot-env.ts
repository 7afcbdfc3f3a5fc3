// Reads `.env` of the folder in which leadsheet is started, for the references of the configuration.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment with the variables of `.env` that it does not have. A missing or unreadable file adds nothing. */
export function withDotEnv(env: Environment, file = '.env'): Environment {
  return createEnvReader(env, file).read();
}

/**
 * Reads the same again and again while the process runs. systemd and Compose read `.env` themselves and hand its variables
 * over, so that those would go before a file that somebody edits: a variable that was as in the file at the start follows it.
 */
export function createEnvReader(env: Environment, file = '.env') {
  const atStart = readDotEnv(file);
  const own = Object.entries(env).filter(([name, value]) => value !== atStart[name]);
  return {
    read: (): Environment => ({ ...env, ...readDotEnv(file), ...Object.fromEntries(own) }),
  };
}

function readDotEnv(file: string): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
