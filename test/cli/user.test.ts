import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfigFile } from '../../src/app-config.ts';
import { isPasswordOf } from '../../src/lib/password-hash.ts';
import { usersAnswer } from '../../src/operator/answers/users.ts';
import { createSyncTrial } from '../support/app.ts';
import { run } from '../support/cli.ts';
import { createTerminal, ctrlC, enter } from '../support/key-presses.ts';
import { cheapHash } from '../support/logins.ts';
import { mainFromSource, programOf } from '../support/program.ts';

/* The command `user`: users of the console in the configuration, added, changed, removed and listed. */

const password = 'four words of ann';
/** A hash of leadsheet's own takes 0.3 s of processor time: one test makes it. */
const cheap = { hashPassword: async (text: string) => cheapHash(text) };

function createTrial(server = 'server: { listen: 127.0.0.1:0 } # ours') {
  const trial = createSyncTrial();
  const text = `# the first line\n${readFileSync(trial.configFile, 'utf8').replace('server: null', server)}`;
  writeFileSync(trial.configFile, text);
  const passwordFile = join(trial.folder, 'password');
  writeFileSync(passwordFile, `${password}\n`);
  const withOwnHash = (...args: readonly string[]) => run(['--config', trial.configFile, 'user', ...args]);
  const user = (...args: readonly string[]) => run(['--config', trial.configFile, 'user', ...args], {}, cheap);
  const users = () =>
    readConfigFile(trial.configFile, { env: {}, readFile: (path) => readFileSync(path, 'utf8') }).server!.users;
  return { ...trial, user, withOwnHash, users, passwordFile, text: () => readFileSync(trial.configFile, 'utf8') };
}

test.each(['server: { listen: 127.0.0.1:0, console: write }', "server:\n  console: 'write' # for all"])(
  'an operator who may decide is added without a hint (%s)',
  async (server) => {
    const { user, passwordFile } = createTrial(server);
    const add = (name: string) => user('add', name, '--role', 'operator', '--password-file', passwordFile);
    const first = await add('Ann');
    expect(first).toMatchObject({ code: 0, stderr: expect.not.stringContaining('server.console') });
    const { code, stderr } = await add('Bob');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  },
);

const hint =
  'leadsheet: a leadsheet run that is under way takes its first user up when it is restarted; until then its console lets people in without a login\n';
test.each([
  ['no login', 'server: { listen: 127.0.0.1:0 }', hint],
  ['an empty list of users', 'server: { listen: 127.0.0.1:0, users: [] }', hint],
  ['a password', `server: { listen: 127.0.0.1:0, password: ${'x'.repeat(20)} }`, ''],
  ['a proxy that knows people', 'server: { trusted_proxy: { from: [127.0.0.1], header: x-user } }', ''],
])('the first user in a file with %s: whether a restart is needed is told', async (_what, server, said) => {
  const { user, passwordFile } = createTrial(server);
  const { code, stderr } = await user('add', 'Ann', '--role', 'viewer', '--password-file', passwordFile);
  expect({ code, stderr }).toEqual({ code: 0, stderr: said });
});

test.each([
  [
    'no other login',
    'server: { listen: 127.0.0.1:0 }',
    'leadsheet: that was the last user: from its next start on, leadsheet run lets people into its console without a login. One that others can reach does not start like that\n',
  ],
  ['a password', `server: { listen: 127.0.0.1:0, password: ${'x'.repeat(20)} }`, ''],
])('whoever removes the last user in a file with %s is told whether a login is left', async (_what, server, said) => {
  const { user, passwordFile } = createTrial(server);
  for (const name of ['Ann', 'Bob']) await user('add', name, '--role', 'viewer', '--password-file', passwordFile);
  expect(await user('remove', 'Ann')).toMatchObject({ code: 0, stderr: '' });
  expect(await user('remove', 'Bob')).toMatchObject({ code: 0, stderr: said });
});

test('the hash costs as much as OWASP asks for, and is one of this password alone', async () => {
  const { withOwnHash, users, passwordFile } = createTrial();
  await withOwnHash('add', 'Ann', '--role', 'viewer', '--password-file', passwordFile);
  const hash = users()[0]!.passwordHash.reveal();
  expect(hash).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
  expect([await isPasswordOf(hash, password), await isPasswordOf(hash, `${password}.`)]).toEqual([true, false]);
});

test('a user is added, listed, changed and removed, and the rest of the file stays', async () => {
  const { user, users, passwordFile, text } = createTrial();
  const added = await user('add', 'Ann', '--role', 'viewer', '--password-file', passwordFile);
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('Ann is added as viewer') as string });
  expect(users().map(({ name, role }) => [name, role])).toEqual([['Ann', 'viewer']]);
  const hash = users()[0]!.passwordHash.reveal();
  expect([await isPasswordOf(hash, password), await isPasswordOf(hash, `${password}.`)]).toEqual([true, false]);
  expect(text()).toContain('# the first line\n');
  expect(text()).toContain('# ours');

  await user('add', 'bob@firm.io', '--role', 'operator', '--password-file', passwordFile);
  const listed = await user('list', '--json');
  expect(usersAnswer.parse(JSON.parse(listed.stdout)).users).toEqual([
    { name: 'Ann', role: 'viewer', accounts: null },
    { name: 'bob@firm.io', role: 'operator', accounts: null },
  ]);
  expect((await user('list')).stdout).not.toContain('$scrypt');

  const changed = await user('add', 'ann', '--role', 'operator', '--password-file', passwordFile);
  expect(changed.stdout).toContain('ann is changed as operator');
  expect(changed.stderr).toContain('server.console: write');
  expect(users().map(({ name, role }) => [name, role])).toEqual([
    ['ann', 'operator'],
    ['bob@firm.io', 'operator'],
  ]);
  // A hash has a salt of its own, also for the same password.
  expect(users()[0]!.passwordHash.reveal()).not.toBe(hash);

  expect((await user('remove', 'ANN')).code).toBe(0);
  expect(users().map(({ name }) => name)).toEqual(['bob@firm.io']);
  const unknown = await user('remove', 'ann');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('there is no user ann')]);
});

test('a user of some accounts is added, listed and given all of them again', async () => {
  const { user, users, passwordFile, text } = createTrial();
  const add = (...more: readonly string[]) =>
    user('add', 'ann', '--role', 'viewer', '--password-file', passwordFile, ...more);
  const wrong = await add('--account', 'acme');
  expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining('has no account acme; there are default')]);
  expect((await add('--account', 'default', '--account', 'default')).stdout).toContain('who sees default alone');
  expect(users().map(({ accounts }) => accounts)).toEqual([['default']]);
  expect(JSON.parse((await user('list', '--json')).stdout)).toMatchObject({ users: [{ accounts: ['default'] }] });
  await user('add', 'bob', '--role', 'viewer', '--password-file', passwordFile);
  expect((await user('list')).stdout).toMatch(/ann +viewer +default\nbob +viewer +all accounts/);
  await add();
  expect(users().map(({ accounts }) => accounts)).toEqual([undefined, undefined]);
  expect(text()).toContain('# ours');
  const printed = await add('--account', 'acme', '--print');
  expect(printed.stdout).toMatch(/accounts:\n\s+- acme/);
});

test('the first user makes a configuration valid that others can reach', async () => {
  const { user, users, passwordFile } = createTrial('server:\n  listen: 0.0.0.0:4000\n');
  expect(users).toThrow('no password');
  await user('add', 'ann', '--role', 'viewer', '--password-file', passwordFile);
  expect(users()).toHaveLength(1);
});

test.each([
  ['no name', ['add', 'ann lee', '--role', 'viewer'], 'is no name of a user'],
  ['the name of decisions without a login', ['add', 'Console', '--role', 'viewer'], 'is no name of a user'],
  ['no role', ['add', 'ann'], "required option '--role <role>'"],
  ['another role', ['add', 'ann', '--role', 'admin'], 'viewer, operator'],
  ['no terminal', ['add', 'ann', '--role', 'viewer'], '--password-file'],
])('refused, and nothing is written: %s', async (_what, args, said) => {
  const { user, text } = createTrial();
  const before = text();
  const { code, stderr } = await user(...args);
  expect([code, stderr]).toEqual([64, expect.stringContaining(said)]);
  expect(text()).toBe(before);
});

test('a password that is too short is refused, and never repeated', async () => {
  const { user, passwordFile, text } = createTrial();
  const before = text();
  writeFileSync(passwordFile, 'short-secret-8');
  const { code, stderr } = await user('add', 'ann', '--role', 'viewer', '--password-file', passwordFile);
  expect([code, stderr]).toEqual([64, expect.stringContaining('14 characters')]);
  expect(stderr).not.toContain('short-secret');
  expect(text()).toBe(before);
});

test('the entry for a file that may not be written is printed', async () => {
  const { user, passwordFile, text } = createTrial();
  const before = text();
  const printed = await user('add', 'ann', '--role', 'viewer', '--password-file', passwordFile, '--print');
  expect(printed.stdout).toMatch(
    /^server:\n {2}users:\n {4}- name: ann\n {6}role: viewer\n {6}password_hash: \$scrypt\$/,
  );
  expect(text()).toBe(before);
});

// The superuser may write any file.
test.runIf(process.getuid?.() !== 0)('without the right to write, the entry is printed as well', async () => {
  const { user, configFile, passwordFile, text } = createTrial();
  const before = text();
  chmodSync(configFile, 0o400);
  const refused = await user('add', 'ann', '--role', 'viewer', '--password-file', passwordFile);
  expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('- name: ann') as string });
  expect(refused.stderr).toContain('by hand');
  expect(text()).toBe(before);
});

test('a server that is off, and a file that is no YAML, are named', async () => {
  const { user, configFile, passwordFile } = createTrial('server: null');
  const off = await user('add', 'ann', '--role', 'viewer', '--password-file', passwordFile);
  expect([off.code, off.stderr]).toEqual([1, expect.stringContaining('server is null')]);
  writeFileSync(configFile, 'server: {\n');
  expect((await user('list')).stderr).toContain('no YAML');
});

test('at a terminal the password is asked for twice, and not shown', async () => {
  const { configFile, users } = createTrial();
  const terminal = createTerminal([
    { at: 'Password of ann', keys: ['short', enter] },
    { at: 'it has 5 characters', keys: [password.slice('short'.length), enter] },
    { at: 'The same once more', keys: [`short${password.slice('short'.length)}x`, enter] },
    { at: 'it is another one', keys: ['\u007f', enter] },
  ]);
  const added = await run(
    ['--config', configFile, 'user', 'add', 'ann', '--role', 'viewer'],
    {},
    { ...cheap, terminal: () => terminal },
  );
  expect([added.code, terminal.left()]).toEqual([0, []]);
  expect(terminal.raw()).not.toContain('short');
  expect(await isPasswordOf(users()[0]!.passwordHash.reveal(), `short${password.slice(5)}`)).toBe(true);
});

test('what another person writes into the file while the password is asked for stays', async () => {
  const { configFile, user, users, passwordFile, text } = createTrial();
  const other = async () => {
    await user('add', 'bob', '--role', 'operator', '--password-file', passwordFile);
    writeFileSync(configFile, `${text()}# the last line\n`);
  };
  const terminal = createTerminal([
    { at: 'Password of ann', meanwhile: other, keys: [password, enter] },
    { at: 'The same once more', keys: [password, enter] },
  ]);
  const args = ['--config', configFile, 'user', 'add', 'ann', '--role', 'viewer'];
  expect((await run(args, {}, { ...cheap, terminal: () => terminal })).code).toBe(0);
  expect(users().map(({ name }) => name)).toEqual(['bob', 'ann']);
  expect(text()).toContain('# the last line\n');
});

// A process that may not write further than this into a file is stopped as by a full disk.
test.runIf(process.platform === 'linux').each([
  ['added', ['add', 'cy', '--role', 'viewer']],
  ['changed', ['add', 'ann', '--role', 'operator']],
  ['removed', ['remove', 'ann']],
])('a file on a full disk stays as it was: a user is %s', async (_what, args) => {
  const { configFile, user, passwordFile, text } = createTrial(
    `${'# a long comment\n'.repeat(600)}server:\n  users: []`,
  );
  await user('add', 'ann', '--role', 'viewer', '--password-file', passwordFile);
  const before = text();
  const words = ['--config', configFile, 'user', ...args];
  const more = args[0] === 'add' ? ['--password-file', passwordFile] : [];
  const { file, args: program, env } = programOf([...words, ...more], { main: mainFromSource });
  const limited = spawnSync('bash', ['-c', `ulimit -f 4; trap '' XFSZ; exec "$@"`, 'bash', file, ...program], { env });
  expect([limited.status, limited.stderr.toString()]).toEqual([
    1,
    expect.stringContaining(`${configFile} cannot be written (EFBIG)`),
  ]);
  expect(text()).toBe(before);
});

test('Ctrl-C at the question changes nothing', async () => {
  const { configFile, text } = createTrial();
  const before = text();
  const terminal = createTerminal([{ at: 'Password of ann', keys: [ctrlC] }]);
  const ended = await run(
    ['--config', configFile, 'user', 'add', 'ann', '--role', 'viewer'],
    {},
    { ...cheap, terminal: () => terminal },
  );
  expect([ended.code, text()]).toEqual([130, before]);
});
