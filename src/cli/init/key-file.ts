// Asks for the key of Google: found by its content in the folder, read at once.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { GoogleConfig } from '../../config/config.ts';
import { describeKey } from '../../operator/init/files.ts';
import type { Sheets } from '../../sheets/port.ts';
import { SheetsError } from '../../sheets/errors.ts';
import { Refused, type Session } from './session.ts';

export interface KeyAnswer {
  readonly file: string;
  readonly sheets: Sheets;
}

export interface KeyDep {
  /** The configuration that is made: keys lie beside it, or in the folder of the command. */
  readonly config: string;
  /** Calls go here instead of to Google. */
  readonly endpoint: string | undefined;
}

/** A key has about 2.3 kB. */
const keyBytesMax = 64_000;

export async function askKeyFile(session: Session, { config, endpoint }: KeyDep): Promise<KeyAnswer> {
  const { env } = session.world;
  const set = env['GOOGLE_APPLICATION_CREDENTIALS'];
  const found = findKeys(['.', dirname(config)]);
  const safe = set ?? (found.length === 1 ? found[0]!.file : undefined);
  return session.answer({
    id: 'key-file',
    what: 'the JSON key of a Google service account',
    ...(safe !== undefined && { safe }),
    parse: (text) => open(session, text.trim(), endpoint),
    async ask(prompts) {
      const other = 'other';
      const options = found.map(({ file, account }) => ({ value: file, label: file, hint: account }));
      if (options.length === 0) {
        prompts.show('The key of Google', [
          'No key of a service account lies here. To make one, in the Google Cloud console:',
          '1. Enable the Google Sheets API in a project.',
          '2. Make a service account there, and a JSON key for it.',
          '3. Save the key beside the configuration, such as config/google.json.',
        ]);
        const { length } = found;
        return prompts.text({
          message: 'The path of the key',
          ...(length === 0 && { proposal: set ?? 'config/google.json' }),
        });
      }
      const chosen = await prompts.choose({
        message: 'The key of a Google service account',
        options: [...options, { value: other, label: 'Another file' }],
        ...(safe !== undefined && { initial: safe }),
      });
      return chosen === other || chosen === undefined ? prompts.text({ message: 'The path of the key' }) : chosen;
    },
  });
}

async function open({ world, say }: Session, file: string, endpoint: string | undefined): Promise<KeyAnswer> {
  try {
    const sheets = await connectGoogle(world, file, endpoint);
    say(`leadsheet is ${sheets.account} at Google`);
    return { file, sheets };
  } catch (error) {
    if (error instanceof SheetsError) throw new Refused(error.message, 'failed');
    throw error;
  }
}

async function connectGoogle(world: Session['world'], file: string, endpoint: string | undefined): Promise<Sheets> {
  const { connectSheets } = await import('../../app-connections.ts');
  const google: GoogleConfig = {
    credentialsFile: file,
    readsPerMinute: 60,
    writesPerMinute: 60,
    hints: 'off',
    ...(endpoint !== undefined && { endpoint }),
  };
  return (world.connectSheets ?? connectSheets)({ google }, world);
}

/** Keys of service accounts, by their content, each with its account. */
function findKeys(folders: readonly string[]): readonly { readonly file: string; readonly account: string }[] {
  return [...new Set(folders)].flatMap((folder) =>
    filesIn(folder).flatMap((name) => {
      // Slashes on every system: the path goes into files that a container reads, too.
      const file = join(folder, name).replaceAll(sep, '/');
      const key = describeKey(readSmall(file));
      return key ? [{ file, ...key }] : [];
    }),
  );
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

/** '' for a file that cannot be read, or is larger than any key. */
function readSmall(file: string): string {
  try {
    const { size } = statSync(file);
    return size <= keyBytesMax ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}
