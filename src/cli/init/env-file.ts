// Asks whether secrets go into `.env`, and which variables they can have there.
import { parseEnv } from 'node:util';
import type { EnvVariable } from '../../operator/init/files.ts';
import { Refused, type Session } from './session.ts';
import type { CliWorld } from '../world.ts';
import { envFileName, readIfThere } from './write.ts';

/** `what` goes into it. */
export async function askEnvFile(session: Session, what: string): Promise<boolean> {
  return session.answer({
    id: 'dotenv',
    what: `${envFileName}, for a file with ${what}, or none`,
    safe: envFileName,
    parse(text) {
      if (text.trim() === 'none') return false;
      if (text.trim() === envFileName) return true;
      throw new Refused(`it is ${envFileName} or none: leadsheet reads no other file`);
    },
    ask: async (prompts) =>
      (await prompts.confirm(`Put ${what} into ${envFileName} (mode 600)?`, true)) ? envFileName : 'none',
  });
}

/**
 * Whether the variable is no place for this value: what the environment has counts before `.env`, and what `.env` has is of another
 * configuration. `replaces`: of the configuration that this one takes the place of.
 */
export function isSetToAnother(
  { name, value }: EnvVariable,
  { env }: Pick<CliWorld, 'env'>,
  { replaces }: { readonly replaces: boolean },
): boolean {
  const known = env[name] ?? '';
  if (known === '' || known === value) return false;
  return !replaces || known !== parseEnv(readIfThere(envFileName) ?? '')[name];
}

/** A text of the file that is no reference. */
export function literal(text: string): string {
  return text.replaceAll('${', () => '$${');
}
