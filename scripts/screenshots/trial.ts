// A trial as a process of its own, and what a person does in it before pictures are taken.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

export interface Trial extends AsyncDisposable {
  readonly console: string;
  /** The address of the page of the spreadsheet. */
  readonly sheet: string;
}

/** Resolves once both sides are equal. */
export async function startTrial(): Promise<Trial> {
  const home = mkdtempSync(join(tmpdir(), 'leadsheet-screenshots-'));
  const ports = ['--service-port', '0', '--sheets-port', '0', '--port', '0'];
  const child = spawn(process.execPath, [join(root, 'src', 'main.ts'), 'trial', ...ports], { cwd: home });
  let printed = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.stdout.on('data', (data: Buffer) => {
    printed += data.toString();
    if (printed.includes('Both sides are equal')) resolve();
  });
  child.once('exit', (code) => reject(new Error(`the trial ended with ${code}`)));
  await promise;
  const url = (what: RegExp) => what.exec(printed)?.[1] ?? '';
  return {
    console: url(/console in a browser: (\S+)/),
    sheet: url(/the sheet +(\S+)/),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      await ended;
      rmSync(home, { recursive: true });
    },
  };
}

/** A person does what the trial suggests, so that every page has something to show. */
export async function act({ sheet, console: page }: Trial): Promise<void> {
  const spreadsheet = `${sheet}/v4/spreadsheets/demo-spreadsheet-of-the-stand-in`;
  const headers = { 'content-type': 'application/json' };
  const type = (range: string, ...cells: readonly string[]) =>
    fetch(`${spreadsheet}/values/${range}?valueInputOption=USER_ENTERED`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ values: [cells] }),
    });
  await type('Prospects!E9', 'Head of Procurement');
  await type('Prospects!C14', 'Baltic Freight');
  await type('Prospects!F2', 'Welcome sequence');
  await type('Prospects!F3', 'Welcome sequence');
  await type('Prospects!F4', 'Welcome');
  await type('Prospects!F7', 'Spring campaign');
  await type('Prospects!A562:F562', 'Nora', 'Quist', 'Quist Bakery', 'nora@quist.test', 'Baker', 'Welcome sequence');
  await type('Automations!B2', 'off');
  await type('Automations!B3', 'on');
  await type('Automations!B5', 'on');
  await type('Automations!H1', 'Notes');
  await type('Automations!H5', 'ask Mara before reusing');
  await type('Emails!D2', 'overwritten');
  const deleteDimension = { range: { sheetId: 0, dimension: 'ROWS', startIndex: 19, endIndex: 20 } };
  const body = JSON.stringify({ requests: [{ deleteDimension }] });
  await fetch(`${spreadsheet}:batchUpdate`, { method: 'POST', headers, body });
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const text = await (await fetch(page)).text();
    if ([...text.matchAll(/class="done"/g)].length >= 5) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('the trial did not do what was typed within a minute');
}
