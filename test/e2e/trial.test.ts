import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { mainFromSource, startProgram } from '../support/program.ts';

/*
 * `npm start` without npm: both stand-ins and the daemon in one process. The first process runs the sources, as `npm start`
 * does; the others run the built program.
 */

const freePorts = ['--service-port', '0', '--sheets-port', '0', '--port', '0'];
/** Each look is a request, which the process of the trial answers beside its runs. */
const patience = { timeout: 120_000, interval: 200 };

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-trial-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function startTrial(cwd: string, options: { readonly main?: string } = {}) {
  const { child, ended, printed } = startProgram(['trial', ...freePorts], { cwd, ...options });
  await vi.waitFor(() => expect(printed.stdout).toContain('Both sides are equal: 560 contacts, 560 rows.'), patience);
  const url = (name: string) => new RegExp(`  ${name} +(http://\\S+)`).exec(printed.stdout)?.[1] ?? '';
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return {
    printed,
    end,
    sheet: url('the sheet'),
    service: url('the service'),
    leadsheet: /console in a browser: (\S+)/.exec(printed.stdout)?.[1] ?? '',
  };
}

// The second trial of the story is the one that both halves need: a trial takes four seconds of processor time to begin.
test('E1, E4, E7: a trial carries a change over and ends on Ctrl-C; the next begins anew, and what it suggests works', async () => {
  const folder = createFolder();
  const trial = await startTrial(folder, { main: mainFromSource });
  expect(await (await fetch(`${trial.leadsheet}/readyz`)).text()).toBe('ready\n');

  const [, uuid] = /--uuid (\S+) --position Captain/.exec(trial.printed.stdout)!;
  await fetch(`${trial.service}/leads/api/leads/${uuid}`, {
    method: 'PUT',
    headers: { authorization: 'Bearer standin', 'content-type': 'application/json' },
    body: JSON.stringify({ position: 'Captain' }),
  });
  const positions = `${trial.sheet}/v4/spreadsheets/demo-spreadsheet-of-the-stand-in/values/Prospects!E2:E2`;
  await vi.waitFor(
    async () => expect(await (await fetch(positions)).json()).toMatchObject({ values: [['Captain']] }),
    patience,
  );
  await vi.waitFor(
    () =>
      expect(trial.printed.stdout).toMatch(/prospects: \S.* \(row 2\): the sheet gets position "Captain" instead of "/),
    patience,
  );

  expect(trial.printed.stdout).not.toMatch(/[{}]/);
  expect(trial.printed.stdout.split('\n').slice(0, 4).join('\n')).toContain(trial.leadsheet);

  const { code, stdout, stderr } = await trial.end('SIGINT');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/The trial has ended\.\n$/);

  const history = () =>
    globSync('state/trial/state/**/*.ndjson', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'));
  expect(history().join('')).toContain('"Captain"');
  // Loading the sources a second time takes a second of processor time, and shows nothing more.
  const next = await startTrial(folder);
  expect(history().join('')).not.toContain('"Captain"');
  await trySuggestedActs(next);
  expect(await next.end('SIGINT')).toMatchObject({ code: 0, stderr: '' });
}, 600_000);

/** The steps that the guided list of the first page has ticked off. */
async function doneSteps(leadsheet: string): Promise<readonly number[]> {
  const page = await (await fetch(leadsheet)).text();
  expect([...page.matchAll(/data-number=/g)]).toHaveLength(6);
  return [...page.matchAll(/class="done" data-number="(\d)"/g)].map(([, number]) => Number(number));
}

/** The suggested acts for automations, an automation that is off, and e-mails. */
async function trySuggestedActs(trial: Awaited<ReturnType<typeof startTrial>>): Promise<void> {
  expect(trial.printed.stdout).toContain('4. Type "Welcome sequence" into an Automation cell.');
  const values = `${trial.sheet}/v4/spreadsheets/demo-spreadsheet-of-the-stand-in/values`;
  const read = async (range: string) => {
    const answer = (await (await fetch(`${values}/${range}`)).json()) as { values?: string[][] };
    return answer.values ?? [];
  };
  const type = async (range: string, ...cells: readonly string[]) => {
    const body = JSON.stringify({ values: [cells] });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${values}/${range}?valueInputOption=USER_ENTERED`, { method: 'PUT', headers, body });
  };
  const soon = (range: string, wanted: readonly unknown[]) =>
    vi.waitFor(async () => expect(await read(range)).toEqual([wanted]), patience);
  const day = new Date().toISOString().slice(0, 10);
  const enrolled = `enrolled ${day} in Welcome sequence`;

  // A known contact, a new one, one with a veto, a name that is cut short, and an archived automation.
  await type('Prospects!F3', 'Welcome sequence');
  await type('Prospects!A562:F562', 'Nora', 'Quist', 'Quist Bakery', 'nora@quist.test', 'Baker', 'Welcome sequence');
  await type('Prospects!F2', 'Welcome sequence');
  await type('Prospects!F4', 'Welcome');
  await type('Prospects!F6', 'Spring campaign');
  await soon('Prospects!G3', [enrolled]);
  await soon('Prospects!G562:J562', [enrolled, expect.stringMatching(/^[0-9a-f-]{36}$/), 'ok', 'in sync']);
  await soon('Prospects!G2', ['vetoed: Status is failed_validation']);
  await soon('Prospects!G4', ['refused: no such automation: "Welcome", did you mean "Welcome sequence"?']);
  await soon('Prospects!G6', ['refused: the automation "Spring campaign" is archived']);
  await type('Prospects!F3', '');
  await soon('Prospects!G3', ['cancelling']);
  const enrolments = async (row: number) => {
    const [[uuid] = []] = await read(`Prospects!H${row}`);
    const state = await fetch(`${trial.service}/_standin/state/contacts/${uuid}`);
    return ((await state.json()) as { enrolments: readonly { state: string }[] }).enrolments.map((each) => each.state);
  };
  expect(await enrolments(562)).toEqual(['active']);
  expect(await enrolments(4)).toEqual([]);
  await vi.waitFor(async () => expect(await enrolments(3)).toEqual(['cancelled']), patience);

  expect(await read('Automations!A1:G1')).toEqual([
    ['Name', 'Status', 'Description', 'Hours', 'Time zone', 'Sync', 'ID'],
  ]);
  const [welcome] = await read('Automations!G2');
  await type('Automations!B2', 'off');
  await type('Automations!B5', 'on');
  await type('Automations!H5', 'ask before reusing');
  const refused = 'refused: You cannot turn on an archived automation';
  await soon('Automations!B5:F5', ['archived', 'Ended in April.', 'Mon-Fri 09:00-18:00', 'Europe/Berlin', refused]);
  const headers = { authorization: 'Bearer standin' };
  const flow = await fetch(`${trial.service}/flows/api/flows?uuid=${welcome![0]}`, { headers });
  expect(await flow.json()).toMatchObject({ data: [{ name: 'Welcome sequence', status: 'off' }] });
  await soon('Automations!B2', ['off']);
  expect(await read('Automations!H5')).toEqual([['ask before reusing']]);

  await vi.waitFor(async () => expect(await doneSteps(trial.leadsheet)).toEqual([4, 5]), patience);
  const emails = await read('Emails!A1:G30');
  expect(emails).toHaveLength(21);
  expect(emails[1]![0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
  await type('Emails!D2', 'overwritten');
  await soon('Emails!D2', [emails[1]![3]]);
  await type('Prospects!E9', 'Bosun');
  await fetch(`${trial.sheet}/v4/spreadsheets/demo-spreadsheet-of-the-stand-in:batchUpdate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      requests: [{ deleteDimension: { range: { sheetId: 0, dimension: 'ROWS', startIndex: 19, endIndex: 20 } } }],
    }),
  });
  await vi.waitFor(async () => expect(await doneSteps(trial.leadsheet)).toEqual([1, 3, 4, 5, 6]), patience);
}

test('a port that is taken is one line and exit 1, and a folder of something else is left alone', async () => {
  const folder = createFolder();
  writeFileSync(join(folder, 'precious'), 'mine');
  const refused = await startProgram(['trial', ...freePorts, '--folder', '.'], { cwd: folder }).ended;
  expect(refused).toEqual({
    code: 1,
    stdout: '',
    stderr: 'leadsheet: . holds something else than a trial; choose another --folder\n',
  });
  expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('mine');

  const standin = startProgram(['standin', '--service-port', '0', '--sheets-port', '0']);
  await vi.waitFor(() => expect(standin.printed.stdout).toContain('Ctrl-C'), patience);
  const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(standin.printed.stdout)!;
  const options = ['--service-port', '--sheets-port', '--port'];
  await Promise.all(
    options.map(async (option) => {
      const { code, stdout, stderr } = await startProgram(['trial', ...freePorts, option, port], { cwd: folder }).ended;
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(new RegExp(`^leadsheet: .*port ${port} .*taken by another process; .*\n$`));
    }),
  );
});
