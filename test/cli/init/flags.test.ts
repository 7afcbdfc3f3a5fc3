import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { initAnswer } from '../../../src/operator/answers/init.ts';
import { run, runIn } from '../../support/cli.ts';
import { openInitSides, people, sheetAddress, spreadsheetId, token } from '../../support/init-sides.ts';
import { startProgram } from '../../support/program.ts';

/* `leadsheet init --yes`: every question by its flag, and the first one without an answer named. */

type Sides = Awaited<ReturnType<typeof openInitSides>>;
type Flags = Readonly<Record<string, string | true | readonly string[] | undefined>>;

function configFile({ folder }: Sides): string {
  return join(folder, 'config', 'leadsheet.yaml');
}

function flags(sides: Sides, changed: Flags = {}): string[] {
  const all: Flags = {
    config: configFile(sides),
    yes: true,
    'base-url': sides.serviceUrl,
    'key-file': join(sides.folder, 'config', 'google.json'),
    'google-endpoint': sides.googleUrl,
    spreadsheet: sheetAddress,
    list: 'Prospects EMEA',
    // The tests run in the folder of the sources: nothing is written there.
    dotenv: 'none',
    ...changed,
  };
  return Object.entries(all).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (value === true) return [`--${name}`];
    return typeof value === 'string' ? [`--${name}`, value] : value.flatMap((each) => [`--${name}`, each]);
  });
}

function init(sides: Sides, changed: Flags = {}, env: Readonly<Record<string, string>> = { OUTREACH_TOKEN: token }) {
  return run(['init', ...flags(sides, changed)], env);
}

function syncsOf(sides: Sides): Record<string, any> {
  // leadsheet reads references in braces, and YAML does not.
  const text = readFileSync(configFile(sides), 'utf8').replaceAll(/: (\$\{\w+\})/g, ": '$1'");
  return (parse(text) as { syncs: Record<string, any> }).syncs;
}

test('all by flags: the file says what was given, and --json what was made', async () => {
  const sides = await openInitSides();
  const { code, stdout } = await init(sides, {
    json: true,
    column: ['Notes=custom:note', 'Company=company_name:to_sheet', 'Last name='],
    match: 'email',
    'status-column': 'none',
    conflict: 'sheet',
    blank: 'ignore',
    'row-deleted': 'restore',
    'contact-deleted': 'ignore',
    name: 'emea',
  });
  expect(code).toBe(0);
  const answer = initAnswer.parse(JSON.parse(stdout));
  expect(answer).toMatchObject({ sync: 'emea', written: [configFile(sides)], plan: { create: 1 } });
  expect(syncsOf(sides)).toEqual({
    emea: {
      contacts: { list: 'Prospects EMEA' },
      sheet: { spreadsheet: spreadsheetId, tab: 'Leads' },
      match: ['email'],
      columns: {
        'First name': 'first_name',
        Company: { field: 'company_name', direction: 'to_sheet' },
        Email: 'email',
        Notes: { custom_field: 'note' },
      },
      conflict: 'sheet',
      blank: 'ignore',
      on_row_deleted: 'restore',
      on_contact_deleted: 'ignore',
    },
  });
});

test('without terminal and without --yes it says so; --json needs --yes', async () => {
  const none = await run(['init', '--config', '/nowhere/leadsheet.yaml']);
  expect(none).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('there is no terminal: answer by flags, with --yes'),
  });
  expect(await run(['init', '--json'])).toMatchObject({ code: 64 });
});

const env = { OUTREACH_TOKEN: token };
const missing: readonly (readonly [string, Flags, Readonly<Record<string, string>>])[] = [
  ['base-url', { 'base-url': undefined }, env],
  ['token-file', {}, {}],
  ['spreadsheet', { spreadsheet: undefined }, env],
  ['tab', { spreadsheet: spreadsheetId }, env],
  ['list', { list: undefined }, env],
  ['match', { column: ['Email='] }, env],
];

test.each(missing)(
  '--yes without an answer names the flag --%s, exit 64, and writes nothing',
  async (flag, changed, variables) => {
    const sides = await openInitSides();
    // A name with a company is a key, which is not proposed by itself: names are there twice sooner or later.
    const { code, stderr } = await init(sides, changed, variables);
    expect(stderr).toMatch(new RegExp(`^leadsheet: --${flag} is missing: `, 'm'));
    expect(code).toBe(64);
    expect(existsSync(configFile(sides))).toBe(false);
  },
);

test('--yes names --key-file where no key lies beside the file, and --header-row where no row looks like headers', async () => {
  const sides = await openInitSides({ values: people.slice(1) });
  const elsewhere = await init(sides, { 'key-file': undefined, config: join(sides.folder, 'leadsheet.yaml') });
  expect(elsewhere).toMatchObject({ code: 64, stderr: expect.stringContaining('--key-file is missing') });
  const found = await init(sides, { 'key-file': undefined });
  expect(found).toMatchObject({ code: 64, stderr: expect.stringContaining('--header-row is missing') });
});

test.each([
  ['a typing error in the list', { list: 'Prospects EMA' }, 64, 'did you mean Prospects EMEA?'],
  ['a tab that is not there', { tab: 'Lead' }, 64, 'there is no tab "Lead", did you mean Leads?'],
  ['a field that is not there', { column: ['Notes=emial'] }, 64, 'there is no field emial, did you mean email?'],
  ['a column that is not there', { column: ['Mail=email'] }, 64, 'there is no column "Mail"'],
  ['a field twice', { column: ['Notes=email'] }, 64, 'columns "Email" and "Notes" are both email'],
  [
    'a direction that is not possible',
    { column: ['Notes=status:both'] },
    64,
    'status in column "Notes" can go to_sheet',
  ],
  ['an address over plain http', { 'base-url': 'http://example.com' }, 64, 'must be https'],
  ['a policy that is not there', { conflict: 'crn' }, 64, '--conflict: it is manual, crm, sheet, newest, not "crn"'],
  ['a name that is no folder', { name: '../x' }, 64, '"../x" is no name'],
  ['no address of a sheet', { spreadsheet: 'my sheet' }, 64, 'copy it from the browser'],
  ['a key that is not there', { 'key-file': '/nowhere/google.json' }, 1, 'there is no such file'],
])('%s is refused, and nothing is written', async (_what, changed, code, said) => {
  const sides = await openInitSides();
  expect(await init(sides, changed)).toMatchObject({ code, stderr: expect.stringContaining(said) });
  expect(existsSync(configFile(sides))).toBe(false);
});

test('an address of the service without lists is refused as that, although the service takes the key', async () => {
  const sides = await openInitSides();
  const refused = await init(sides, { 'base-url': `${sides.serviceUrl}/api` });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^leadsheet: --base-url: .*HTTP 404/m) });
  expect(existsSync(configFile(sides))).toBe(false);
});

test('a wrong API key and a sheet that is not shared end it, exit 1', async () => {
  const sides = await openInitSides({ isShared: false });
  const wrong = await init(sides, {}, { OUTREACH_TOKEN: 'a-wrong-token' });
  // The key came from the variable, and no file was given.
  expect(wrong).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^leadsheet: OUTREACH_TOKEN: .* does not accept this API key/m),
  });
  const unshared = await init(sides);
  expect(unshared).toMatchObject({ code: 1, stderr: expect.stringContaining('The sheet is not shared yet') });
});

test('a list that is made by the first run needs --create-list; a number is the list of that place', async () => {
  const sides = await openInitSides();
  expect((await init(sides, { list: 'Leads 2026', 'create-list': true })).code).toBe(0);
  expect(syncsOf(sides)['leads'].contacts).toEqual({ list: 'Leads 2026', create_list: true });
  expect((await init(sides, { list: '1', overwrite: true })).code).toBe(0);
  expect(syncsOf(sides)['leads'].contacts).toEqual({ list: 'Customers' });
});

test('of two lists with one name the file has the uuid', async () => {
  const sides = await openInitSides();
  const { uuid } = sides.service.model.lists.add({ name: 'Prospects EMEA' });
  const both = await init(sides);
  expect(both).toMatchObject({ code: 64, stderr: expect.stringContaining(`take the uuid of one, `) });
  expect((await init(sides, { list: uuid })).code).toBe(0);
  expect(syncsOf(sides)['leads'].contacts).toEqual({ list: uuid });
});

test('a configuration that exists is replaced with --overwrite alone', async () => {
  const sides = await openInitSides();
  writeFileSync(configFile(sides), '# mine\n');
  expect(await init(sides)).toMatchObject({ code: 64, stderr: expect.stringContaining('--overwrite is missing') });
  expect(readFileSync(configFile(sides), 'utf8')).toBe('# mine\n');
  expect((await init(sides, { overwrite: true })).code).toBe(0);
  expect(Object.keys(syncsOf(sides))).toEqual(['leads']);
});

test('a token from a file stays there; a column of ours with values is not chosen for the status', async () => {
  const sides = await openInitSides({ values: people.map((row, index) => [...row, index === 0 ? 'Sync' : 'mine']) });
  const tokenFile = join(sides.folder, 'token');
  writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 });
  expect((await init(sides, { 'token-file': tokenFile }, {})).code).toBe(0);
  const text = readFileSync(configFile(sides), 'utf8');
  expect((parse(text) as Record<string, any>)['crm']).toEqual({ base_url: sides.serviceUrl, token_file: tokenFile });
  expect(syncsOf(sides)['leads'].sheet.status_column).toBe('Leadsheet');
  expect(text).not.toContain(token);
});

test('.env keeps its other lines, and the service files start what was made', async () => {
  const sides = await openInitSides();
  const { folder } = sides;
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n.env');
  writeFileSync(join(folder, '.env'), 'OTHER=1\nOUTREACH_TOKEN=old\n');
  let variables: Readonly<Record<string, string>> = {};
  const begin = (...more: string[]) => {
    const args = flags(sides, { config: 'config/leadsheet.yaml', 'key-file': undefined, dotenv: '.env' });
    return runIn(folder, ['init', ...args, ...more], { OUTREACH_TOKEN: token, ...variables });
  };
  chmodSync(join(folder, 'config', 'google.json'), 0o644);
  const first = await begin('--service-file', 'systemd');
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Check: all is well, 1 warning\n') });
  // What commands find by themselves is not named.
  expect(first.stdout).toContain('Keep both sides equal: leadsheet run\n');
  expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(
    `OTHER=1\nOUTREACH_TOKEN=${token}\nOUTREACH_BASE_URL=${sides.serviceUrl}\nGOOGLE_APPLICATION_CREDENTIALS=config/google.json\n`,
  );
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('node_modules\n.env\n/config/google.json\n');
  const unit = readFileSync(join(folder, 'leadsheet.service'), 'utf8');
  expect(unit).toContain(`WorkingDirectory=${folder}\nEnvironmentFile=${folder}/.env\n`);
  expect(await begin('--service-file', 'compose', '--overwrite')).toMatchObject({ code: 0 });
  const compose = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8')) as { services: { leadsheet: object } };
  expect(compose.services.leadsheet).toMatchObject({
    env_file: '.env',
    volumes: [
      './config:/leadsheet/config:ro',
      './config/google.json:/leadsheet/google.json:ro',
      'state:/leadsheet/state',
    ],
  });
  expect(unit).not.toContain('NODE_EXTRA_CA_CERTS');
  expect(compose.services.leadsheet).toHaveProperty('environment', {
    GOOGLE_APPLICATION_CREDENTIALS: '/leadsheet/google.json',
    LEADSHEET_CONFIG: '/leadsheet/config/leadsheet.yaml',
  });
  // A command that is given to the container has no --config.
  expect(compose.services.leadsheet).not.toHaveProperty('command');

  // What init trusted, its service has to trust: Node reads this variable before anybody can read .env.
  variables = { NODE_EXTRA_CA_CERTS: 'own%.pem' };
  for (const file of ['leadsheet.service', 'compose.yaml']) rmSync(join(folder, file));
  await begin('--service-file', 'systemd', '--overwrite');
  expect(readFileSync(join(folder, 'leadsheet.service'), 'utf8')).toContain(
    `Environment="NODE_EXTRA_CA_CERTS=${folder}/own%%.pem"\n`,
  );
  await begin('--service-file', 'compose', '--overwrite');
  expect(parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'))).toMatchObject({
    services: {
      leadsheet: {
        environment: { NODE_EXTRA_CA_CERTS: '/leadsheet/authorities.pem' },
        volumes: expect.arrayContaining([`${folder}/own%.pem:/leadsheet/authorities.pem:ro`]),
      },
    },
  });
});

test('rows that wait are told apart from problems, with the command that names both', async () => {
  const values = [...people, ['Eve', 'Low', 'Adler', '', ''], ['Flo', 'May', 'Adler', '', '']];
  const waiting = await openInitSides({ values });
  const { stdout } = await init(waiting);
  expect(stdout).toContain('2 records wait, and leadsheet plan leads says for what\n');
  expect(stdout).toContain(`Keep both sides equal: leadsheet run --config ${configFile(waiting)}\n`);
  expect(stdout).not.toContain('to look at');
  const conflicts = await openInitSides({ values: [people[0]!, ['Ann', 'Lee', 'Other', 'ann@baltic.test', '']] });
  const found = await init(conflicts);
  expect(found.stdout).toContain('1 problem to look at: leadsheet plan leads\n');
  expect(found.stdout).not.toContain('wait,');
});

test('--add puts a sync behind the others, and keeps comments, order and references', async () => {
  const sides = await openInitSides();
  const keyFile = join(sides.folder, 'config', 'google.json');
  const before = `# Ours, do not touch.
crm:
  token: \${OUTREACH_TOKEN} # from the vault
  base_url: ${sides.serviceUrl}
alerts: { webhook_url: \${ALERTS} }
google:
  credentials_file: ${keyFile}
  endpoint: ${sides.googleUrl}
server: null
syncs:
  # The first one.
  notes:
    contacts: { list: 'Customers' } # quoted
    sheet: { spreadsheet: ${spreadsheetId}, tab: Notes }
    columns:
      Email: email # both ways

# The end.
feeds: {}
`;
  writeFileSync(configFile(sides), before);
  const variables = { OUTREACH_TOKEN: token, ALERTS: 'https://alerts.example.com/x' };
  const add = (name: string, ...more: string[]) =>
    run(
      `init --config ${configFile(sides)} --yes --add ${name} --spreadsheet ${sheetAddress} --list 2`
        .split(' ')
        .concat(more),
      variables,
    );
  expect(await add('notes')).toMatchObject({ code: 64, stderr: expect.stringContaining('there is notes already') });
  expect(await add('leads', '--tab', 'Notes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('tab "Notes" is written by notes already'),
  });
  expect(readFileSync(configFile(sides), 'utf8')).toBe(before);

  expect(await add('leads')).toMatchObject({ code: 0 });
  const after = readFileSync(configFile(sides), 'utf8');
  expect(Object.keys(syncsOf(sides))).toEqual(['notes', 'leads']);
  // Without the new sync, the file is what it was, byte by byte.
  expect(after.replaceAll(/^ {2}leads:\n(?: {4}.*\n)+/gm, '')).toBe(before);
  expect((await run(['check', '--config', configFile(sides)], variables)).code).toBe(0);
});

test('--add needs a configuration that is valid', async () => {
  const sides = await openInitSides();
  const known = await init(sides, { add: 'x' });
  expect(known).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('--base-url, --key-file, --dotenv: the configuration says that already'),
  });
  const add = () => run(['init', '--config', configFile(sides), '--yes', '--add', 'x']);
  expect(await add()).toMatchObject({ code: 64, stderr: expect.stringContaining('to add x to') });
  writeFileSync(configFile(sides), 'crm: {}\n');
  expect((await add()).code).toBe(78);
});

test('an authority of its own is trusted only if NODE_EXTRA_CA_CERTS names it', { timeout: 180_000 }, async () => {
  const sides = await openInitSides({ isSecure: true });
  const given = [
    '--yes',
    '--base-url',
    sides.serviceUrl,
    '--google-endpoint',
    sides.googleUrl,
    '--spreadsheet',
    sheetAddress,
    '--list',
    'Prospects EMEA',
  ];
  const call = (more: Readonly<Record<string, string>>) =>
    startProgram(['init', ...given], { cwd: sides.folder, env: { ...env, ...more } }).ended;
  const refused = await call({});
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT; for an authority of your own: export NODE_EXTRA_CA_CERTS=/path/to/authority.pem) after 2 attempts. Check',
    ),
  });
  const made = await call(sides.trust);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('Check: all is well') });
  const synced = await startProgram(['sync'], { cwd: sides.folder, env: { ...env, ...sides.trust } }).ended;
  expect(synced).toMatchObject({ code: 0, stdout: expect.stringContaining('1 created') });
});
