// Commands over several accounts: which one is meant, and what is said of each.
import { expect, test } from 'vitest';
import { createAgencyTrial } from '../support/agency.ts';

test('check looks at each account by its name, and at one alone', async () => {
  const trial = createAgencyTrial();
  const all = await trial.cli('check', '--offline');
  expect(all).toMatchObject({ code: 0 });
  expect(all.stdout).toMatch(/file: options .*2 accounts, 2 syncs, 0 feeds/);
  expect(all.stdout).toMatch(/service of acme: token/);
  expect(all.stdout).toMatch(/google of beta: credentials/);
  const one = await trial.cli('check', 'beta', '--offline');
  expect(one.stdout).toMatch(/service of beta: token/);
  expect(one.stdout).toMatch(/leads: state/);
  expect(one.stdout).not.toMatch(/acme|prospects/);
  expect(await trial.cli('check', 'bata', '--offline')).toMatchObject({
    code: 64,
    stderr: 'leadsheet: there is no account bata, did you mean beta?\n',
  });
});

test('check asks the service of each account with its own token', async () => {
  const trial = createAgencyTrial();
  trial.betaTokens.splice(0, 1, 'another-token');
  const { code, stdout } = await trial.cli('check');
  expect(code).toBe(1);
  expect(stdout).toMatch(/ok +service of acme: connection/);
  expect(stdout).toMatch(/failed +service of beta: connection/);
  expect(stdout).not.toContain('the-token-of-beta');
});

test('W6: a refused token of one client names no variable, which may be that of another client, and the others go on', async () => {
  const trial = createAgencyTrial();
  trial.edit((file) => ({ ...file, log: { level: 'error' } }));
  trial.betaTokens.splice(0, 1, 'another-token');
  const { code, stdout } = await trial.cli('sync');
  expect(code).toBe(1);
  expect(stdout).toMatch(/prospects: succeeded/);
  expect(stdout).toContain(
    'set it as crm.token of this account, or in the file or variable that its crm section names\n',
  );
  expect(stdout).not.toContain('OUTREACH_TOKEN');
});

test('check warns of an account that no job names, and of two accounts over one list', async () => {
  const trial = createAgencyTrial();
  trial.edit(({ accounts, syncs, ...file }) => ({
    ...file,
    accounts: { ...accounts, spare: accounts['acme'], twin: accounts['beta'] },
    syncs: {
      ...syncs,
      double: { ...syncs['leads'], account: 'twin', sheet: { spreadsheet: '1AbCdEfGhIj', tab: 'Double' } },
    },
  }));
  const { code, stdout } = await trial.cli('check', '--offline');
  expect(code).toBe(0);
  expect(stdout).toMatch(/warning +account spare: jobs +no job names the account spare: give a job account: spare, or/);
  expect(stdout).toMatch(
    /warning +double: list +double of twin and leads of beta have the same token and the same list "Leads"/,
  );
});

test('status shows the jobs below their accounts, and of one account alone', async () => {
  const trial = createAgencyTrial();
  const all = (await trial.cli('status')).stdout;
  expect(all.split('\n').filter((line) => /^(account|prospects|leads)/.test(line))).toEqual([
    'account acme',
    expect.stringMatching(/^prospects: /),
    'account beta',
    expect.stringMatching(/^leads: /),
  ]);
  const one = await trial.cli('status', '--account', 'beta', '--json');
  expect(JSON.parse(one.stdout)).toMatchObject({ syncs: [{ name: 'leads', account: 'beta' }], left_out: [] });
  expect(await trial.cli('status', 'prospects', '--account', 'beta')).toMatchObject({
    code: 64,
    stderr: 'leadsheet: prospects is no job of the account beta: leads\n',
  });
});

test('api asks for the account where there are several and none is the default', async () => {
  const trial = createAgencyTrial();
  expect(await trial.cli('api', 'lists.list')).toMatchObject({
    code: 64,
    stderr: 'leadsheet: name the account, with --account: there are acme, beta\n',
  });
});

test('the shell completes names of accounts, also of included files', async () => {
  const trial = createAgencyTrial();
  trial.edit((file) => ({ ...file, include: 'more.yaml' }));
  trial.write('more.yaml', 'accounts: { gamma: {} }\nsyncs: { gamma-leads: { account: gamma } }\n');
  const words = async (...line: string[]) => {
    const { stdout } = await trial.cli('complete-line', '--', ...line);
    return stdout.split('\n').map((each) => each.split('\t')[0]);
  };
  expect(await words('status', '--account', '')).toEqual(expect.arrayContaining(['acme', 'beta', 'gamma']));
  expect(await words('check', '')).toEqual(expect.arrayContaining(['acme', 'beta', 'gamma']));
  expect(await words('plan', '')).toEqual(expect.arrayContaining(['prospects', 'leads', 'gamma-leads']));
});

test('one job that is run alone opens its own account alone', async () => {
  const trial = createAgencyTrial();
  trial.edit((file) => {
    file.accounts['beta']!.google['credentials_file'] = '/nowhere/beta.json';
    return file;
  });
  trial.addContact({ first_name: 'Ann', email: 'ann@acme.io' });
  expect(await trial.cli('sync', 'prospects')).toMatchObject({ code: 0 });
  expect(trial.grid()).toHaveLength(1);
  const other = await trial.cli('sync', 'leads');
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('/nowhere/beta.json') });
});

test('a command over all jobs does those that are sound, and says what is left out', async () => {
  const trial = createAgencyTrial();
  trial.edit((file) => ({
    ...file,
    syncs: {
      ...file.syncs,
      wrong: { ...file.syncs['leads'], sheet: { spreadsheet: '1AbCdEfGhIj', tab: 'X' }, match: 'x' },
    },
  }));
  trial.addContact({ first_name: 'Ann', email: 'ann@acme.io' });
  trial.addBetaContact('Bea', 'bea@beta.io');
  const some = await trial.cli('sync');
  expect(some.code).toBe(78);
  expect(some.stderr).toContain('left out, since the configuration has faults: job wrong. See: leadsheet check');
  expect([trial.grid().length, trial.betaRows().length]).toEqual([1, 1]);

  trial.edit(({ syncs: { prospects, leads }, ...file }) => {
    file.accounts['beta']!.google['credentials_file'] = '/nowhere/beta.json';
    return { ...file, syncs: { leads, prospects } };
  });
  trial.addContact({ first_name: 'Abe', email: 'abe@acme.io' });
  const others = await trial.cli('sync');
  expect(others.code).toBe(1);
  expect(others.stderr).toContain('leads of account beta: /nowhere/beta.json');
  expect(trial.grid()).toHaveLength(2);
  expect(await trial.cli('plan')).toMatchObject({ code: 1, stderr: expect.stringContaining('leads of account beta') });
});
