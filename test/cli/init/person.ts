// A person who answers the questions of `leadsheet init` in a pseudo-terminal.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type openInitSides, sheetAddress, token } from '../../support/init-sides.ts';
import { keys, runInTerminal, startInTerminal, type Terminal } from '../../support/person.ts';

export type Sides = Awaited<ReturnType<typeof openInitSides>>;
const { enter } = keys;

/** As a process of the built program. */
export function beginProcess(sides: Sides, ...args: string[]): Terminal {
  return startInTerminal(given(sides, args), { cwd: sides.folder, env: sides.trust });
}

/** In the process of the test. */
export function begin(sides: Sides, ...args: string[]): Terminal {
  return runInTerminal(given(sides, args), { cwd: sides.folder });
}

const given = ({ googleUrl }: Sides, args: readonly string[]) => ['init', '--google-endpoint', googleUrl, ...args];

/** The questions in their order: what is seen, and what a person presses who takes every proposal. */
const questions = (sides: Sides) =>
  ({
    address: ['The address of the service', [sides.serviceUrl, enter]],
    token: ['The API key of the service', [token, enter]],
    key: ['The key of a Google service account', [enter]],
    sheet: ['The address of the sheet', [sheetAddress, enter]],
    header: ['The row of the headers', [enter]],
    list: ['The list of contacts', [enter]],
    columns: ['Take these columns', [enter]],
    match: ['A row without an ID', [enter]],
    status: ['A column in which each row says', [enter]],
    conflict: ['Both sides change one field', [enter]],
    blank: ['A cell or a field is emptied', [enter]],
    row: ['A row is deleted', [enter]],
    contact: ['A contact is deleted', [enter]],
    name: ['The name of the sync', [enter]],
    env: ['into .env', [enter]],
    service: ['A file that starts leadsheet', [enter]],
    write: ['Write config/leadsheet.yaml?', [enter]],
  }) as const satisfies Record<string, readonly [string, readonly string[]]>;

type Step = keyof ReturnType<typeof questions>;

/** Answers from one question to another, both included. */
export async function answer(terminal: Terminal, sides: Sides, from: Step, to: Step): Promise<void> {
  const all = Object.entries(questions(sides));
  const names = all.map(([name]) => name);
  for (const [, [seen, pressed]] of all.slice(names.indexOf(from), names.indexOf(to) + 1)) {
    await terminal.see(seen);
    terminal.press(...pressed);
  }
}

export function configOf({ folder }: Sides): Record<string, any> {
  return parse(readFileSync(join(folder, 'config', 'leadsheet.yaml'), 'utf8')) as Record<string, any>;
}
