import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { openInitSides, people, robot, sheetAddress, spreadsheetId, token } from '../../support/init-sides.ts';
import { startProgram } from '../../support/program.ts';
import { keys, startInTerminal, type Terminal } from '../../support/terminal.ts';

/* `leadsheet init` in a pseudo-terminal against both stand-ins: a person reads the screen and presses keys. */

type Sides = Awaited<ReturnType<typeof openInitSides>>;
const { enter, down, interrupt } = keys;
/** The machine of the tests is slow; no verdict depends on it. */
const slow = { timeout: 90_000 };

function begin(sides: Sides, ...args: string[]): Terminal {
  return startInTerminal(['init', '--google-endpoint', sides.googleUrl, ...args], { cwd: sides.folder });
}

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
async function answer(terminal: Terminal, sides: Sides, from: Step, to: Step): Promise<void> {
  const all = Object.entries(questions(sides));
  const names = all.map(([name]) => name);
  for (const [, [seen, pressed]] of all.slice(names.indexOf(from), names.indexOf(to) + 1)) {
    await terminal.see(seen);
    terminal.press(...pressed);
  }
}

function configOf({ folder }: Sides): Record<string, any> {
  return parse(readFileSync(join(folder, 'config', 'leadsheet.yaml'), 'utf8')) as Record<string, any>;
}

test('a person who takes every proposal: the file, .env, a check that is well, and the plan', slow, async () => {
  const sides = await openInitSides();
  mkdirSync(join(sides.folder, '.git'));
  const terminal = begin(sides);
  await answer(terminal, sides, 'address', 'write');
  await terminal.see('Written: .env, .gitignore, config/leadsheet.yaml');
  await terminal.see('Check: all is well');
  await terminal.see('1 contact is created in the service');
  expect(await terminal.ended).toBe(0);
  expect(configOf(sides)).toMatchObject({
    crm: { base_url: '${OUTREACH_BASE_URL}', token: '${OUTREACH_TOKEN}' },
    google: { credentials_file: '${GOOGLE_APPLICATION_CREDENTIALS}' },
    syncs: {
      leads: {
        contacts: { list: 'Prospects EMEA' },
        sheet: { spreadsheet: spreadsheetId, tab: 'Leads', status_column: 'Sync' },
        match: ['email'],
        columns: {
          'First name': 'first_name',
          'Last name': 'last_name',
          Company: 'company_name',
          Email: 'email',
        },
        conflict: 'manual',
      },
    },
  });
  expect(statSync(join(sides.folder, '.env')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(sides.folder, '.gitignore'), 'utf8')).toBe('/.env\n/config/google.json\n');
  expect(existsSync(join(sides.folder, 'config', '.leadsheet-init.json'))).toBe(false);
  // The token is nowhere but in .env.
  expect(terminal.raw()).not.toContain(token);
  expect(readFileSync(join(sides.folder, 'config', 'leadsheet.yaml'), 'utf8')).not.toContain(token);
  // Keys and pastes of the whole path. Each further one is an annoyance: look whether a question can go.
  expect(terminal.pressed()).toBeLessThanOrEqual(20);
  // The next commands find what init wrote, without a variable set.
  const check = await startProgram(['check'], { cwd: sides.folder }).ended;
  expect(check).toMatchObject({ code: 0, stdout: expect.stringContaining('all is well') });
});

test('the sheet is shared while it waits: it goes on without a key', slow, async () => {
  const sides = await openInitSides({ isShared: false });
  const terminal = begin(sides);
  await answer(terminal, sides, 'address', 'sheet');
  await terminal.see('The sheet is not shared yet');
  await terminal.see(`add ${robot} as an editor`);
  sides.file.sharedWith.set(robot, 'reader');
  await terminal.see('The sheet is shared, but read only');
  sides.file.sharedWith.set(robot, 'writer');
  await terminal.see('The sheet is shared, and may be edited');
  await answer(terminal, sides, 'header', 'write');
  await terminal.see('Check: all is well');
  expect(await terminal.ended).toBe(0);
});

test('the API is off, and then on; the clock is named where it is wrong', slow, async () => {
  let isOff = true;
  const off = {
    error: {
      code: 403,
      message: 'Google Sheets API has not been used in project 1 before or it is disabled.',
      status: 'PERMISSION_DENIED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'SERVICE_DISABLED' }],
    },
  };
  const sides = await openInitSides({
    google: (request) =>
      isOff && request.url.includes('/v4/spreadsheets') ? Response.json(off, { status: 403 }) : undefined,
  });
  const terminal = begin(sides);
  await answer(terminal, sides, 'address', 'sheet');
  await terminal.see('The Google Sheets API is off');
  isOff = false;
  await terminal.see('The sheet is shared, and may be edited');
  await terminal.see('The row of the headers');
  terminal.press(interrupt);
  expect(await terminal.ended).toBe(130);

  const early = await openInitSides({ googleAheadMs: 3 * 3_600_000 });
  const other = begin(early);
  await answer(other, early, 'address', 'sheet');
  await other.see('The clock of this machine is wrong');
  await other.see('Give up');
  other.press(down, down, enter);
  await other.see('stopped: nothing was written');
  expect(await other.ended).toBe(130);
});

test('a wrong API key is told at once, and asked again', slow, async () => {
  const sides = await openInitSides();
  const terminal = begin(sides);
  await answer(terminal, sides, 'address', 'address');
  await terminal.see('The API key of the service');
  terminal.press('wrong-key', enter);
  await terminal.see('the service does not accept this API key');
  await answer(terminal, sides, 'token', 'token');
  await terminal.see('The service takes the API key: 2 lists');
  terminal.press(interrupt);
  await terminal.see('stopped: nothing was written');
  expect(await terminal.ended).toBe(130);
  expect(terminal.raw()).not.toContain('wrong-key');
});

test('a list that is not there: the file has the first run make it', slow, async () => {
  const sides = await openInitSides();
  const terminal = begin(sides);
  await answer(terminal, sides, 'address', 'header');
  await terminal.see('The list of contacts');
  terminal.press(down, enter);
  await terminal.see('The name of the new list');
  terminal.press(keys.erase, 'Leads of 2026', enter);
  await answer(terminal, sides, 'columns', 'write');
  await terminal.see('Check: all is well');
  expect(await terminal.ended).toBe(0);
  expect(configOf(sides).syncs.leads.contacts).toEqual({ list: 'Leads of 2026', create_list: true });
});

test('German headers, one of them doubled, below a title; formulas go one way', slow, async () => {
  const sides = await openInitSides({
    values: [
      ['Unsere Kontakte'],
      ['Vorname', 'Nachname', 'Firma', 'E-Mail', 'Funktion', 'Telefon', 'Firma', 'Notiz'],
      ['Ann', 'Lee', 'Baltic', 'ann@baltic.test', '=A3&" "&B3', '', 'x', 'Tee'],
      ['Bob', 'Ray', 'Mills', 'bob@mills.test', '=A4&" "&B4', '', 'y', ''],
    ],
  });
  const person = sides.sheets.person(spreadsheetId);
  person.type('Leads!E3', '=A3&" "&B3');
  person.type('Leads!E4', '=A4&" "&B4');
  const terminal = begin(sides);
  await answer(terminal, sides, 'address', 'sheet');
  await terminal.see('row 2 has "Vorname"');
  terminal.press(enter);
  await terminal.see('Columns with one header: "Firma" in C, "Firma" in G');
  await terminal.see('leave these columns alone');
  person.type('Leads!G2', 'Alte Firma');
  terminal.press(enter);
  await answer(terminal, sides, 'list', 'write');
  await terminal.see('Check: all is well');
  expect(await terminal.ended).toBe(0);
  expect(configOf(sides).syncs.leads).toMatchObject({
    sheet: { header_row: 2 },
    columns: {
      Vorname: 'first_name',
      Nachname: 'last_name',
      Firma: 'company_name',
      'E-Mail': 'email',
      Funktion: { field: 'position', direction: 'to_crm' },
    },
  });
  expect(Object.keys(configOf(sides).syncs.leads.columns)).not.toContain('Alte Firma');
});

test('an empty tab: the usual headers are proposed, and the first run writes them', slow, async () => {
  const sides = await openInitSides({ values: [] });
  const terminal = begin(sides);
  await answer(terminal, sides, 'address', 'sheet');
  await terminal.see('The tab is empty');
  await answer(terminal, sides, 'list', 'write');
  await terminal.see('Check: all is well');
  await terminal.see('3 rows are added to the sheet');
  expect(await terminal.ended).toBe(0);
  const { code } = await startProgram(['sync'], { cwd: sides.folder }).ended;
  expect(code).toBe(0);
  const [header = [], ...rows] = sides.sheets.person(spreadsheetId).read("'Leads'");
  expect(header.filter((text) => text !== '')).toEqual(
    expect.arrayContaining(['First name', 'Last name', 'Company', 'Email', 'Position', 'Contact ID']),
  );
  expect(rows).toHaveLength(3);
});

test('Ctrl-C in the middle writes nothing but the answers, and init goes on with them', slow, async () => {
  const sides = await openInitSides();
  const first = begin(sides);
  await answer(first, sides, 'address', 'list');
  await first.see('Take these columns');
  first.press(interrupt);
  await first.see('stopped: nothing was written; the answers so far are in config/.leadsheet-init.json');
  expect(await first.ended).toBe(130);
  expect(existsSync(join(sides.folder, '.env'))).toBe(false);
  expect(existsSync(join(sides.folder, 'config', 'leadsheet.yaml'))).toBe(false);
  const kept = readFileSync(join(sides.folder, 'config', '.leadsheet-init.json'), 'utf8');
  expect(kept).not.toContain(token);
  expect(kept).not.toContain('ann@baltic.test');

  const second = begin(sides);
  await second.see('Go on with them?');
  second.press(enter);
  await second.see(`The address of the service: ${sides.serviceUrl} (answered before)`);
  await answer(second, sides, 'token', 'token');
  await answer(second, sides, 'columns', 'write');
  await second.see('Check: all is well');
  expect(await second.ended).toBe(0);
  expect(configOf(sides).syncs.leads.contacts).toEqual({ list: 'Prospects EMEA' });
  expect(existsSync(join(sides.folder, 'config', '.leadsheet-init.json'))).toBe(false);
});

test('texts of other people cannot move the cursor, forge a line or change the file', slow, async () => {
  const hostile = 'Mail\u001b[2J\u001b]0;gone\u0007\nWrite config/leadsheet.yaml? Yes\u202e';
  const values = people.map((row, index) => [index === 0 ? hostile : `\u001b[31m${String(row[0])}`, ...row.slice(1)]);
  const sides = await openInitSides({ values, listName: 'Prospects\u001b[2J ${OUTREACH_TOKEN}' });
  const terminal = begin(sides);
  await answer(terminal, sides, 'address', 'columns');
  await terminal.see('A row without an ID');
  expect(terminal.raw()).not.toContain('\u001b[2J');
  expect(terminal.raw()).not.toContain('\u001b]0;');
  expect(terminal.raw()).not.toContain('\u001b[31mAnn');
  expect(terminal.raw()).not.toContain('\u202e');
  expect(terminal.printed()).not.toMatch(/^.{0,3}Write config/m);
  expect(terminal.printed()).toContain(String.raw`Mail\u001b[2J`);
  terminal.press(enter);
  await answer(terminal, sides, 'status', 'write');
  await terminal.see('Check: all is well');
  expect(await terminal.ended).toBe(0);
  expect(configOf(sides).syncs.leads.contacts.list).toBe('Prospects\u001b[2J $${OUTREACH_TOKEN}');
});

test('a column is changed: its field is searched for, and its direction asked', slow, async () => {
  const sides = await openInitSides();
  const terminal = begin(sides);
  await answer(terminal, sides, 'address', 'list');
  await terminal.see('Take these columns');
  // Down to "Notes", the last one.
  terminal.press(down, down, down, down, down, enter);
  await terminal.see('Column "Notes" is (type to search)');
  terminal.press('headline');
  await terminal.see('headline');
  terminal.press(enter);
  await terminal.see('"Notes" and headline');
  terminal.press(down, enter);
  await terminal.see('<--  headline, one way  (your choice)');
  await answer(terminal, sides, 'columns', 'write');
  await terminal.see('Check: all is well');
  expect(await terminal.ended).toBe(0);
  expect(configOf(sides).syncs.leads.columns.Notes).toEqual({ field: 'headline', direction: 'to_sheet' });
});

test('a person adds a sync to the configuration that is there, by init or by init --add', slow, async () => {
  const sides = await openInitSides();
  const first = begin(sides);
  await answer(first, sides, 'address', 'write');
  expect(await first.ended).toBe(0);
  const path = join(sides.folder, 'config', 'leadsheet.yaml');
  writeFileSync(path, `# Mine.\n${readFileSync(path, 'utf8')}`);

  const second = begin(sides);
  await second.see('config/leadsheet.yaml exists');
  second.press(enter);
  await second.see('The address of the sheet');
  second.press(`https://docs.google.com/spreadsheets/d/${spreadsheetId}/edit#gid=8`, enter);
  await second.see('The tab is "Notes"');
  await answer(second, sides, 'list', 'name');
  await second.see('Write config/leadsheet.yaml?');
  second.press(enter);
  await second.see('Check: all is well');
  expect(await second.ended).toBe(0);
  expect(Object.keys(configOf(sides).syncs)).toEqual(['leads', 'notes']);
  expect(readFileSync(path, 'utf8').startsWith('# Mine.\n')).toBe(true);
});

test("on the trial's data a person reaches a check that is well, and a plan", slow, async () => {
  const sides = await openInitSides();
  const standin = startProgram(['standin', '--service-port', '0', '--sheets-port', '0']);
  const stood = Promise.withResolvers<RegExpExecArray>();
  standin.child.stdout.on('data', () => {
    const found = /(http:\S+)[\s\S]*Google Sheets listens on (http:\S+)/.exec(standin.printed.stdout);
    if (found) stood.resolve(found);
  });
  const [, serviceUrl = '', googleUrl = ''] = await stood.promise;
  const demo: Sides = { ...sides, serviceUrl, googleUrl };
  const terminal = begin(demo);
  await answer(terminal, demo, 'address', 'address');
  await terminal.see('The API key of the service');
  terminal.press('standin', enter);
  await answer(terminal, demo, 'key', 'key');
  await terminal.see('The address of the sheet');
  terminal.press('demo-spreadsheet-of-the-stand-in', enter);
  await terminal.see('The tab');
  terminal.press(enter);
  await answer(terminal, demo, 'header', 'write');
  await terminal.see('Check: all is well');
  await terminal.see('60 contacts are created in the service');
  await terminal.see('440 rows are added to the sheet');
  expect(await terminal.ended).toBe(0);
  expect(terminal.pressed()).toBeLessThanOrEqual(25);
  expect(configOf(demo).syncs.prospects).toMatchObject({
    match: ['email'],
    columns: {
      'First name': 'first_name',
      'Last name': 'last_name',
      Company: 'company_name',
      Email: 'email',
      Position: 'position',
    },
  });
});

test('a configuration that exists is not replaced unless a person says so', slow, async () => {
  const sides = await openInitSides();
  const path = join(sides.folder, 'config', 'leadsheet.yaml');
  writeFileSync(path, '# mine\n');
  const terminal = begin(sides);
  await terminal.see('config/leadsheet.yaml exists');
  await terminal.see('Stop');
  terminal.press(down, down, enter);
  await terminal.see('stopped: nothing was written');
  expect(await terminal.ended).toBe(130);
  expect(readFileSync(path, 'utf8')).toBe('# mine\n');
});
