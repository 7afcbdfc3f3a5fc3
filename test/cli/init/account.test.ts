import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../support/cli.ts';
import { openInitSides, sheetAddress, spreadsheetId, token } from '../../support/init-sides.ts';
import { keys } from '../../support/person.ts';
import { startProgram } from '../../support/program.ts';
import { answer, begin, type Sides } from './person.ts';

/* `leadsheet init --add --account`: a sync of an account that the configuration has, and a new account with its sync. */

const { enter, down } = keys;

/** An agency with the account acme in the first file, and beta in an included one. */
function writeAgency({ folder, serviceUrl, googleUrl }: Sides): { readonly path: string; readonly text: string } {
  const account = (variable: string) =>
    `    crm: { base_url: ${serviceUrl}, token: \${${variable}} } # theirs
    google: { credentials_file: ${join(folder, 'config', 'google.json')}, endpoint: ${googleUrl} }
`;
  const text = `# The agency.
include: clients.yaml
server: null
# By client.
accounts:
  acme:
${account('ACME_TOKEN')}
# The jobs.
syncs: {}
feeds: {}
`;
  const path = join(folder, 'config', 'leadsheet.yaml');
  writeFileSync(path, text);
  const client = `accounts:
  beta:
${account('BETA_TOKEN')}syncs:
  beta:
    account: beta
    contacts: { list: Customers }
    sheet: { spreadsheet: ${spreadsheetId}, tab: Notes }
    columns: { Email: email }
`;
  writeFileSync(join(folder, 'config', 'clients.yaml'), client);
  return { path, text };
}

const env = { ACME_TOKEN: token, BETA_TOKEN: token };

function add(path: string, variables: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const fixed = ['--config', path, '--yes', '--spreadsheet', sheetAddress, '--list', 'Prospects EMEA'];
  return run(['init', ...fixed, ...args], variables);
}

test('a sync is added to an account, also to one of an included file; the rest of the file stays', async () => {
  const sides = await openInitSides();
  const { path, text } = writeAgency(sides);
  expect(await add(path, env, '--add', '--account', 'beta')).toMatchObject({ code: 0 });
  expect(readFileSync(path, 'utf8')).toMatch(/^syncs:\n {2}leads:\n {4}account: beta\n/m);
  expect(readFileSync(path, 'utf8').replace(/^syncs:\n {2}leads:\n(?: {4}.*\n)+/m, 'syncs: {}\n')).toBe(text);
  expect((await run(['check', '--config', path], env)).code).toBe(0);
});

test('a new account comes with its sync: comments, order and references stay, and the token is not in the file', async () => {
  const sides = await openInitSides();
  const { path, text } = writeAgency(sides);
  const key = ['--key-file', join(sides.folder, 'config', 'google.json'), '--google-endpoint', sides.googleUrl];
  const variables = { ...env, NEW_CO_TOKEN: token };
  // Beta has the same token here, so its value is no proposal: each client has a token of its own.
  const none = await add(path, variables, '--add', 'leads', '--account', 'new-co', ...key);
  expect(none).toMatchObject({ code: 64, stderr: expect.stringContaining('--token-file is missing') });
  expect(none.stderr).toContain('or set NEW_CO_TOKEN_2');
  const tokenFile = join(sides.folder, 'token');
  writeFileSync(tokenFile, token, { mode: 0o600 });
  const args = ['--add', 'leads', '--account', 'new-co', '--token-file', tokenFile];
  expect(await add(path, env, ...args, ...key)).toMatchObject({ code: 0 });
  const after = readFileSync(path, 'utf8');
  expect(after).toContain(`  new-co:
    crm:
      base_url: ${sides.serviceUrl}
      token_file: ${tokenFile}
    google:
      credentials_file: ${key[1]!}
      endpoint: ${sides.googleUrl}
`);
  const without = after
    .replace(/^ {2}new-co:\n(?: {4}.*\n)+/m, '')
    .replace(/^syncs:\n {2}leads:\n {4}account: new-co\n(?: {4}.*\n)+/m, 'syncs: {}\n');
  expect(without).toBe(text);
  expect(after).not.toContain(token);
  expect((await run(['check', '--config', path], env)).code).toBe(0);
});

test('an account that is wrong is refused, and the file stays as it is', async () => {
  const sides = await openInitSides();
  const { path, text } = writeAgency(sides);
  const cases: readonly (readonly [readonly string[], number, string])[] = [
    [['--add', 'x'], 64, '--account is missing: the account of the sync: acme, beta, or a new name'],
    [['--add', 'x', '--account', 'a b'], 64, '"a b" is no name of an account: it is a name of letters, digits'],
    [['--add', 'x', '--account', 'Acme'], 64, 'there is the account acme, in other letters'],
    [['--add', 'x', '--account', 'default'], 64, 'default is the account of crm and google at the top'],
    [
      ['--add', 'x', '--account', 'beta', '--base-url', 'https://other.test', '--key-file', 'x.json'],
      64,
      '--base-url, --key-file: the configuration has the account beta with its settings',
    ],
    [['--add', 'x', '--account', 'beta', '--service-file', 'none'], 64, '--service-file: the configuration says that'],
    [['--overwrite', '--account', 'beta'], 64, 'leadsheet init --add NAME --account ACCOUNT'],
    [['--add', 'beta', '--account', 'acme'], 64, 'there is beta already'],
    [['--add', 'x', '--account', 'acme', '--tab', 'Notes'], 1, 'tab "Notes" is written by beta already'],
  ];
  for (const [args, code, said] of cases) {
    expect(await add(path, env, ...args)).toMatchObject({ code, stderr: expect.stringContaining(said) });
  }
  expect(readFileSync(path, 'utf8')).toBe(text);
  // A file that is included is added to through the first file, which knows all names.
  writeFileSync(join(sides.folder, 'config', 'clients.yaml'), 'server: null\n');
  expect((await add(path, env, '--add', 'x', '--account', 'acme')).code).toBe(78);
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('a sync is added though another account has faults; that account and its job are named, and refused', async () => {
  const sides = await openInitSides();
  const { path, text } = writeAgency(sides);
  const without = { ACME_TOKEN: token };
  const unset = 'accounts.beta.crm.token: found ${BETA_TOKEN}, which is not set in the environment';
  const refused: readonly (readonly [readonly string[], number, string])[] = [
    [['--add', 'leads', '--account', 'beta'], 78, unset],
    [['--add', 'leads', '--account', 'Beta'], 78, unset],
    [['--add', 'beta', '--account', 'acme'], 64, 'there is beta already'],
    // Acme is what is left, and may not be what is meant.
    [['--add', 'leads'], 64, '--account is missing'],
  ];
  for (const [args, code, said] of refused) {
    expect(await add(path, without, ...args)).toMatchObject({ code, stderr: expect.stringContaining(said) });
  }
  expect(readFileSync(path, 'utf8')).toBe(text);
  const added = await add(path, without, '--add', 'leads', '--account', 'acme');
  expect(added).toMatchObject({ code: 0 });
  expect(added.stdout).toContain('The account beta has faults and is left out: leadsheet check');
  expect((await run(['check', '--config', path], env)).code).toBe(0);
});

test.each([
  ['without a job', ''],
  ['with an empty section', 'syncs: # none yet\n'],
  ['with a section in braces', 'feeds: {}\nsyncs: {}\n'],
])('a first sync is added to a file %s', async (_what, section) => {
  const sides = await openInitSides();
  const path = join(sides.folder, 'config', 'leadsheet.yaml');
  const crm = `crm: { base_url: ${sides.serviceUrl}, token: \${ACME_TOKEN} }`;
  const google = `google: { credentials_file: ${join(sides.folder, 'config', 'google.json')}, endpoint: ${sides.googleUrl} }`;
  const text = `# Ours.\n${crm}\n${google} # theirs\nserver: null\n${section}`;
  writeFileSync(path, text);
  expect(await add(path, env, '--add', 'leads')).toMatchObject({ code: 0 });
  expect(readFileSync(path, 'utf8')).toContain('# Ours.\n');
  expect(readFileSync(path, 'utf8')).toMatch(/^syncs:\n(?: {2}# none yet\n)? {2}leads:\n {4}contacts:/m);
  expect((await run(['check', '--config', path], env)).code).toBe(0);
});

test('a file that changes after the last question was asked stays as it is, and the answers are kept', async () => {
  const sides = await openInitSides();
  const { path, text } = writeAgency(sides);
  writeFileSync(join(sides.folder, '.env'), `ACME_TOKEN=${token}\nBETA_TOKEN=${token}\n`);
  const terminal = begin(sides, '--add', 'leads', '--account', 'acme');
  await answer(terminal, sides, 'sheet', 'contact');
  await terminal.see('Write config/leadsheet.yaml?');
  writeFileSync(path, `${text}# by another person\n`);
  terminal.press(enter);
  expect(await terminal.ended).toBe(1);
  expect(readFileSync(path, 'utf8')).toBe(`${text}# by another person\n`);
  await terminal.see('was changed meanwhile: nothing was written');
  expect(existsSync(join(sides.folder, 'config', '.leadsheet-init-leads.json'))).toBe(true);
});

test('a person is asked for the account, and adds a new one: its token goes into .env alone', async () => {
  const sides = await openInitSides();
  const { path } = writeAgency(sides);
  writeFileSync(join(sides.folder, '.env'), `ACME_TOKEN=${token}\nBETA_TOKEN=${token}\n`);
  const terminal = begin(sides, '--add', 'leads');
  await terminal.see('The account of the sync');
  terminal.press(down, down, enter);
  await terminal.see('The name of the new account');
  terminal.press('gamma', enter);
  await terminal.see('The address of the service');
  terminal.press(enter);
  await answer(terminal, sides, 'token', 'contact');
  await terminal.see('Put the API key, as GAMMA_TOKEN, into .env');
  terminal.press(enter);
  await answer(terminal, sides, 'write', 'write');
  await terminal.see('Check: all is well');
  expect(await terminal.ended).toBe(0);
  expect(readFileSync(join(sides.folder, '.env'), 'utf8')).toContain(`GAMMA_TOKEN=${token}\n`);
  expect(readFileSync(path, 'utf8')).toContain('      token: ${GAMMA_TOKEN}\n');
  expect(readFileSync(path, 'utf8')).not.toContain(token);
  expect(terminal.raw()).not.toContain(token);
  expect((await startProgram(['check'], { cwd: sides.folder }).ended).code).toBe(0);
});
