// Reads `.env` of the folder in which leadsheet is started, for the references of the configuration.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment with the variables of `.env` that it does not have. A missing or unreadable file adds nothing. */
export function withDotEnv(env: Environment, file = '.env'): Environment {
  return { ...readDotEnv(file), ...env };
}

function readDotEnv(file: string): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
