// Asks whether secrets go into `.env`.
import { Refused, type Session } from './session.ts';
import { envFileName } from './write.ts';

/** `what` goes into it. */
export async function askEnvFile(session: Session, what: string): Promise<boolean> {
  return session.answer({
    id: 'env-file',
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

/** A text of the file that is no reference. */
export function literal(text: string): string {
  return text.replaceAll('${', () => '$${');
}
