// The demo in a terminal: from an empty folder to a first sync. It records leadsheet itself, against both stand-ins.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { main, openSides, spreadsheet, token } from './sides.ts';
import { Recording, size } from './recording.ts';

const root = join(import.meta.dirname, '..', '..');
const enter = '\r';

/** Writes docs/demo/terminal.cast and docs/demo/terminal.svg. */
export async function recordTerminal(): Promise<void> {
  await using sides = await openSides();
  const { folder: cwd, serviceUrl, googleUrl } = sides;
  const recording = new Recording();
  const run = async (command: string, steps: readonly (readonly [string, ...string[]])[] = []) => {
    recording.type(command);
    await recording.run(process.execPath, [main, ...command.split(' ').slice(1)], { cwd, steps });
  };
  await run(`leadsheet init --google-endpoint ${googleUrl}`, [
    ['The address of the service', serviceUrl, enter],
    ['The API key of the service', token, enter],
    ['The key of a Google service account', enter],
    ['The address of the sheet', spreadsheet, enter],
    ['The row of the headers', enter],
    ['The list of contacts', enter],
    ['Take these columns', enter],
    ['A row without an ID', enter],
    ['A column in which each row says', enter],
    ['Both sides change one field', enter],
    ['A cell or a field is emptied', enter],
    ['A row is deleted', enter],
    ['A contact is deleted', enter],
    ['The name of the sync', enter],
    ['into .env', enter],
    ['A file that starts leadsheet', enter],
    ['Write config/leadsheet.yaml?', enter],
  ]);
  await run('leadsheet sync');
  await run('leadsheet status');
  recording.show('\u001b[1;32m$\u001b[0m ', 3);
  const cast = recording.cast('leadsheet: from an empty folder to a first sync');
  writeFileSync(join(root, 'docs', 'demo', 'terminal.cast'), cast);
  writeFileSync(join(root, 'docs', 'demo', 'terminal.svg'), `${toSvg(cast)}\n`);
}

/** An animated picture, by the package svg-term. */
function toSvg(cast: string): string {
  // It is installed with the site of the docs, which alone needs it.
  const { render } = createRequire(join(root, 'docs', 'package.json'))('svg-term') as {
    readonly render: (cast: string, options: object) => string;
  };
  return render(cast, { ...size, window: true, cursor: false });
}
