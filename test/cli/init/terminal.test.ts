import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openInitSides, people, spreadsheetId, token } from '../../support/init-sides.ts';
import { startProgram } from '../../support/program.ts';
import { keys, runInTerminal } from '../../support/person.ts';
import { answer, begin, beginProcess, configOf } from './person.ts';

/* `leadsheet init` in a pseudo-terminal against both stand-ins: the path of a person, and what may not happen on it. */

const { enter, down, interrupt } = keys;

test('a person who takes every proposal: the file, .env, a check that is well, and the plan', async () => {
  const sides = await openInitSides();
  mkdirSync(join(sides.folder, '.git'));
  const terminal = beginProcess(sides);
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

test.each(['the environment', '.env of another configuration'])(
  'settings of another client in %s stay theirs, and the next commands have those of this one',
  async (place) => {
    const sides = await openInitSides();
    const theirs = {
      OUTREACH_TOKEN: 'the-key-of-another-client',
      OUTREACH_BASE_URL: 'http://127.0.0.1:9',
      GOOGLE_APPLICATION_CREDENTIALS: 'config/theirs.json',
    };
    const lines = Object.entries(theirs).map(([name, value]) => `${name}=${value}\n`);
    const isFile = place !== 'the environment';
    const dotEnv = join(sides.folder, '.env');
    if (isFile) writeFileSync(dotEnv, lines.join(''));
    const env = isFile ? {} : theirs;
    const terminal = runInTerminal(['init', '--google-endpoint', sides.googleUrl], { cwd: sides.folder, env });
    await terminal.see('The address of the service');
    terminal.press(sides.serviceUrl, enter);
    await terminal.see('OUTREACH_TOKEN is set: use that API key?');
    terminal.press('n');
    await answer(terminal, sides, 'token', 'contact');
    await answer(terminal, sides, 'name', 'name');
    await terminal.see('the API key, as OUTREACH_TOKEN_2,');
    terminal.press(enter);
    await answer(terminal, sides, 'service', 'write');
    await terminal.see('Check: all is well');
    expect(await terminal.ended).toBe(0);
    expect(configOf(sides)).toMatchObject({
      crm: { base_url: sides.serviceUrl, token: '${OUTREACH_TOKEN_2}' },
      google: { credentials_file: 'config/google.json' },
    });
    expect(readFileSync(dotEnv, 'utf8')).toBe(`${isFile ? lines.join('') : ''}OUTREACH_TOKEN_2=${token}\n`);
    const check = await startProgram(['check'], { cwd: sides.folder, env }).ended;
    expect(check).toMatchObject({ code: 0, stdout: expect.stringContaining('all is well') });
  },
);

test('Ctrl-C in the middle writes nothing but the answers, and init goes on with them', async () => {
  const sides = await openInitSides();
  const first = beginProcess(sides);
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
  await answer(second, sides, 'columns', 'contact');
  // What is typed takes the place of the name that is proposed.
  await second.see('The name of the sync');
  second.press('people', enter);
  await answer(second, sides, 'env', 'write');
  await second.see('Check: all is well');
  expect(await second.ended).toBe(0);
  expect(configOf(sides).syncs).toMatchObject({ people: { contacts: { list: 'Prospects EMEA' } } });
  expect(existsSync(join(sides.folder, 'config', '.leadsheet-init.json'))).toBe(false);
});

test('texts of other people cannot move the cursor, forge a line or change the file', async () => {
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

test('a column is changed: its field is searched for, and its direction asked', async () => {
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
  await terminal.see('Take these columns');
  // A search that finds nothing changes nothing.
  terminal.press(down, down, down, down, down, enter);
  await terminal.see('Column "Notes" is (type to search)');
  terminal.press('zzz', enter);
  await terminal.see('<--  headline, one way  (your choice)');
  await answer(terminal, sides, 'columns', 'columns');
  // Without a key every row would become a new contact: that is asked once more.
  await terminal.see('A row without an ID');
  terminal.press(keys.space, enter);
  await terminal.see('Go on without a key?');
  terminal.press(enter);
  await answer(terminal, sides, 'match', 'write');
  await terminal.see('Check: all is well');
  expect(await terminal.ended).toBe(0);
  expect(configOf(sides).syncs.leads.columns.Notes).toEqual({ field: 'headline', direction: 'to_sheet' });
  expect(configOf(sides).syncs.leads.match).toEqual(['email']);
});

test('a person adds a sync to the configuration that is there, by init or by init --add', async () => {
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

test('a configuration that exists is not replaced unless a person says so', async () => {
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
