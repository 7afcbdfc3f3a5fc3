// Stories of a daemon with several accounts: what happens to one client stops no other.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { budgetsPage } from '../../../src/operator/answers/budgets.ts';
import { createAgencyTrial } from '../../support/agency.ts';
import { until, webhookUrl } from '../../support/daemon.ts';

const withAlerts = { alerts: { webhook_url: webhookUrl } };

test('each account is asked with its own token, and its contacts reach its own tab alone', async () => {
  const trial = createAgencyTrial();
  trial.addContact({ first_name: 'Ann', email: 'ann@acme.io' });
  trial.addBetaContact('Bea', 'bea@beta.io');
  await trial.begin();
  await until(() => trial.grid().length === 1 && trial.betaRows().length === 1);
  expect(trial.grid()).toMatchObject([{ Email: 'ann@acme.io' }]);
  expect(trial.betaRows()[0]).toContain('bea@beta.io');
  const { entries } = trial.beta.received;
  expect(entries.length).toBeGreaterThan(0);
  expect(entries.filter(({ status }) => status !== 200)).toEqual([]);
});

test('a token that is revoked midway stops the jobs of its account alone; a reload with a new one starts them again', async () => {
  const trial = createAgencyTrial({ file: withAlerts });
  trial.addContact({ first_name: 'Ann', email: 'ann@acme.io' });
  trial.addBetaContact('Bea', 'bea@beta.io');
  const { daemon, reload } = await trial.begin();
  await until(() => trial.grid().length === 1 && trial.betaRows().length === 1);
  trial.betaTokens.splice(0, 1, 'the-next-token-of-beta');
  const phase = (name: string) => daemon.status().find((job) => job.name === name)?.phase;
  await until(() => phase('leads') === 'stopped');
  trial.addContact({ first_name: 'Abe', email: 'abe@acme.io' });
  await until(() => trial.grid().length === 2);
  expect(trial.said('sync stopped until its cause is removed; then run leadsheet reload')).toHaveLength(1);
  expect(trial.alerts).toMatchObject([{ event: 'stopped', sync: 'leads' }]);

  trial.edit((file) => {
    file.accounts['beta']!.crm['token'] = 'the-next-token-of-beta';
    return file;
  });
  expect(await reload()).toMatchObject({
    outcome: 'taken up',
    changed: ['leads'],
    added: [],
    removed: [],
    unchanged: 1,
  });
  trial.addBetaContact('Bob', 'bob@beta.io');
  await until(() => trial.betaRows().length === 2);
  await until(() => trial.alerts.length === 2);
  expect(trial.alerts[1]).toMatchObject({ event: 'recovered', sync: 'leads' });
  // Neither token is in the log, also not the one that came with the reload.
  expect(JSON.stringify(trial.lines)).not.toContain('token-of-beta');
});

test('L12: a reload that finds the refused token again says so, and where the new one is missing; with the new one it says nothing of it', async () => {
  const trial = createAgencyTrial();
  const { daemon } = await trial.begin();
  const isStopped = () => daemon.status().find(({ name }) => name === 'leads')?.phase === 'stopped';
  await until(() => daemon.status().every(({ hasRun }) => hasRun));
  trial.betaTokens.splice(0, 1, 'the-next-token-of-beta');
  await until(isStopped);
  const still =
    'taken up: changed leads; 1 as before\nthe token of account beta is still the one that the service refused. If you replaced it, ';
  expect((await trial.cli('reload')).stdout).toBe(
    `${still}the environment of the daemon has the old one: start the daemon anew, in a container by docker compose up -d --force-recreate\n`,
  );
  expect(trial.said('the token is still the one that the service refused')).toMatchObject([
    { level: 'warn', accounts: ['beta'] },
  ]);
  await until(isStopped);

  const file = join(trial.folder, 'beta.txt');
  writeFileSync(file, 'the-token-of-beta\n');
  trial.edit(({ accounts, ...rest }) => {
    const { token: _, ...crm } = accounts['beta']!.crm;
    return { ...rest, accounts: { ...accounts, beta: { ...accounts['beta']!, crm: { ...crm, token_file: file } } } };
  });
  expect((await trial.cli('reload')).stdout).toBe(`${still}${file} has the old one\n`);
  await until(isStopped);
  writeFileSync(file, 'the-next-token-of-beta\n');
  expect((await trial.cli('reload')).stdout).toBe('taken up: changed leads; 1 as before\n');
});

const refusedToken =
  'the service refuses the token of the account; its jobs stop until it is replaced; then run leadsheet reload';

test('a refused token is told once for all jobs of its account: in the log, as an alert, by status and on the first page; so is its end', async () => {
  const trial = createAgencyTrial({ file: { ...withAlerts, server: { listen: '127.0.0.1:0' } } });
  // A second job of beta, over a tab of its own.
  trial.beta.model.lists.add({ name: 'Twins' });
  const twin = { spreadsheet: '1TwinTwinTwinTwinTwinTwinTwinTwin-0123456789', tab: 'Twins' };
  trial.sheets.model.create({
    id: twin.spreadsheet,
    writers: [trial.account.email],
    tabs: [{ title: twin.tab, rowCount: 100, columnCount: 20, values: [['First name', 'Email']] }],
  });
  trial.edit((file) => ({
    ...file,
    syncs: { ...file.syncs, twins: { ...file.syncs['leads'], contacts: { list: 'Twins' }, sheet: twin } },
  }));
  const both = ['leads', 'twins'];
  const first = await trial.begin();
  await until(() => both.every((name) => trial.said('run ended', name).length > 0));
  trial.betaTokens.splice(0, 1, 'the-next-token-of-beta');
  const areStopped = ({ daemon }: typeof first) =>
    daemon.status().every(({ name, phase }) => !both.includes(name) || phase === 'stopped');
  await until(() => areStopped(first));
  const errors = () => trial.lines.filter(({ level }) => level === 'error');
  expect(errors()).toMatchObject([{ msg: refusedToken, account: 'beta', jobs: both }]);
  await until(() => trial.alerts.length === 1);
  expect(trial.alerts[0]).toMatchObject({ event: 'stopped', account: 'beta', jobs: both });
  expect(trial.alerts[0]!['text']).toMatch(
    /^leadsheet: the service refuses the token of account beta: .*\. This stops 2 jobs\. When it is replaced, run: leadsheet reload$/,
  );
  const { stdout } = await trial.cli('status');
  expect(stdout.split('\n').filter((line) => /refuses|not accept|reload/.test(line))).toEqual([
    'the service refuses the token: 2 jobs run no more; replace it, then leadsheet reload',
    expect.stringContaining('the service does not accept the token'),
  ]);
  const page = await (await fetch(first.url!)).text();
  const [, box = ''] = /<section class="needs-somebody"[^>]*>([^]*?)<\/section>/.exec(page) ?? [];
  expect(box.match(/<li>/g)).toHaveLength(1);
  expect(box.replaceAll(/\s+/g, ' ')).toContain(
    '<a href="/?account=beta">beta</a>: the service refuses the token: 2 jobs run no more; replace it, then leadsheet reload.',
  );

  // The next process says it in its log, and sends no second alert.
  await first.stop();
  const next = await trial.begin();
  await until(() => areStopped(next));
  expect(errors()).toHaveLength(2);
  trial.edit((file) => {
    file.accounts['beta']!.crm['token'] = 'the-next-token-of-beta';
    return file;
  });
  expect(await next.reload()).toMatchObject({ outcome: 'taken up', changed: both });
  await until(() => trial.alerts.length === 2);
  await until(() => next.daemon.status().every(({ hasRun, phase }) => hasRun && phase === 'idle'));
  expect(trial.alerts).toHaveLength(2);
  expect(trial.alerts[1]).toMatchObject({
    event: 'recovered',
    previous: 'stopped',
    text: 'leadsheet: the service takes the token of account beta again (2 jobs)',
  });
});

test('an account without its credentials file is left out, which is said once, and the other one runs', async () => {
  const trial = createAgencyTrial({ file: withAlerts });
  const credentials = join(trial.folder, 'beta.json');
  trial.edit((file) => {
    file.accounts['beta']!.google['credentials_file'] = credentials;
    return file;
  });
  trial.addContact({ first_name: 'Ann', email: 'ann@acme.io' });
  trial.addBetaContact('Bea', 'bea@beta.io');
  const { daemon, reload } = await trial.begin();
  await until(() => trial.grid().length === 1);
  expect(daemon.status().map(({ name }) => name)).toEqual(['prospects']);
  expect(trial.said('left out')).toMatchObject([{ left_out: 'account', name: 'beta', jobs: ['leads'] }]);
  await until(() => trial.alerts.length === 1);
  expect(trial.alerts[0]).toMatchObject({ event: 'stopped', sync: '', reason: expect.stringContaining('beta.json') });

  writeFileSync(credentials, '{');
  expect(await reload()).toMatchObject({ outcome: 'taken up', left_out: [{ name: 'beta' }] });
  const { stdout } = await trial.cli('status');
  expect(stdout).toContain('account beta is left out (1 job): ');
});

test('L12: a message that something is left out, which is under way when the process ends, is sent by the next process', async () => {
  let answers = 0;
  const { promise: never } = Promise.withResolvers<Response>();
  const trial = createAgencyTrial({
    file: withAlerts,
    webhook: () => ((answers += 1) === 1 ? never : new Response()),
  });
  trial.edit((file) => {
    file.accounts['beta']!.google['credentials_file'] = join(trial.folder, 'beta.json');
    return file;
  });
  const first = await trial.begin();
  await until(() => trial.alerts.length === 1);
  await first.stop();
  const second = await trial.begin();
  await until(() => trial.alerts.length === 2);
  expect(trial.alerts[1]).toEqual({ ...trial.alerts[0], time: trial.alerts[1]!['time'] });
  // The next one knows that it was told.
  await second.stop();
  const third = await trial.begin();
  await until(() => third.daemon.status()[0]!.hasRun);
  expect(trial.alerts).toHaveLength(2);
});

test('a broken file, a broken account and a broken job leave the others running, and check names all', async () => {
  const trial = createAgencyTrial({ file: withAlerts });
  trial.edit((file) => ({
    ...file,
    include: 'clients-*.yaml',
    syncs: {
      ...file.syncs,
      wrong: { ...file.syncs['prospects'], sheet: { spreadsheet: '1AbCdEfGhIj', tab: 'X' }, settle_secs: 'soon' },
    },
    accounts: { ...file.accounts, gamma: { ...file.accounts['beta'], google: {} } },
  }));
  trial.write('clients-x.yaml', 'syncs: [\n');
  trial.addContact({ first_name: 'Ann', email: 'ann@acme.io' });
  trial.addBetaContact('Bea', 'bea@beta.io');
  const { stop } = await trial.begin();
  await until(() => trial.grid().length === 1 && trial.betaRows().length === 1);
  const told = () =>
    trial.said('left out').map(({ left_out: kind, name }) => `${String(kind)} ${String(name).split('/').at(-1)}`);
  expect(told()).toEqual(['file clients-x.yaml', 'account gamma', 'job wrong']);
  await until(() => trial.alerts.length === 3);

  const checked = await trial.cli('check', '--offline');
  expect(checked.code).toBe(78);
  for (const part of ['clients-x.yaml:', 'accounts.gamma.google.credentials_file', 'syncs.wrong.settle_secs']) {
    expect(checked.stdout).toContain(part);
  }
  const status = await trial.cli('status');
  expect(status.code).toBe(0);
  expect(status.stdout).toContain('account acme\n');
  expect(status.stdout).toMatch(/job wrong is left out: .*syncs\.wrong\.settle_secs: found "soon"/);
  // A command about a sound job works; one about the other one names its fault.
  expect((await trial.cli('status', 'leads')).code).toBe(0);
  expect(await trial.cli('status', 'wrong')).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('syncs.wrong.settle_secs'),
  });
  await stop();
  // The next process says the same in its log, and sends no alert again.
  await trial.begin();
  await until(() => trial.said('left out').length === 6);
  await until(() => trial.said('run ended', 'leads').length > 0);
  expect(trial.alerts).toHaveLength(3);
});

test('of two jobs of different accounts over one tab neither runs', async () => {
  const trial = createAgencyTrial();
  trial.edit((file) => ({
    ...file,
    syncs: { ...file.syncs, thief: { ...file.syncs['leads'], account: 'acme', contacts: { list: 'Prospects' } } },
  }));
  trial.addContact({ first_name: 'Ann', email: 'ann@acme.io' });
  const { daemon } = await trial.begin();
  await until(() => trial.grid().length === 1);
  expect(daemon.status().map(({ name }) => name)).toEqual(['prospects']);
  expect(trial.said('left out').map(({ name }) => name)).toEqual(['thief', 'leads']);
});

test('a fault of the whole refuses to start', async () => {
  const trial = createAgencyTrial();
  trial.edit((file) => ({ ...file, server: { listen: 'nowhere' } }));
  await expect(trial.begin()).rejects.toThrow('server.listen');
});

test('with several accounts, log, metrics and alerts name the account; with one they do not', async () => {
  const trial = createAgencyTrial({ file: { ...withAlerts, server: { listen: '127.0.0.1:0' } } });
  trial.addContact({ first_name: 'Ann', email: 'ann@acme.io' });
  const { url, reload } = await trial.begin();
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  await until(() => trial.said('run ended', 'prospects').length > 0 && trial.said('run ended', 'leads').length > 0);
  expect(trial.said('run ended', 'leads')[0]).toMatchObject({ account: 'beta' });
  const both = await metrics();
  expect(both).toMatch(/leadsheet_linked_records\{sync="prospects",account="acme"\} 1/);
  expect(both).toMatch(/leadsheet_sync_phase\{sync="leads",account="beta",phase="[a-z]+"\} /);
  expect(both).toMatch(/leadsheet_calls_total\{account="beta",budget="crm"\} \d/);
  const budgets = async (...more: string[]) => (await trial.cli('budgets', ...more)).stdout;
  const told = budgetsPage.parse(JSON.parse(await budgets('--json')));
  expect(told.accounts.map(({ name, budgets: own }) => [name, ...own.map(({ per_minute: most }) => most)])).toEqual([
    ['acme', 6_000, 60_000, 60_000],
    ['beta', 6_000, 60_000, 60_000],
  ]);
  // Each account has its own token here, so the calls of both are the sum.
  const usedOf = (own: (typeof told)['budgets']) => own[0]!.used;
  expect(Math.min(...told.accounts.map((each) => usedOf(each.budgets)))).toBeGreaterThan(0);
  expect(told.accounts.reduce((sum, each) => sum + usedOf(each.budgets), 0)).toBe(usedOf(told.budgets));
  expect(await budgets()).toMatch(/^beta +calls to the service: \d+ of 6000 +reads of google sheets: \d+ of 60000 /m);
  expect(await (await fetch(`${url}/budgets`)).text()).toMatch(/href="\/\?account=beta"[^]*\d of 6,000</);
  trial.betaTokens.length = 0;
  await until(() => trial.alerts.length > 0);
  expect(trial.alerts[0]).toMatchObject({ sync: 'leads', account: 'beta' });

  const page = await (await fetch(`${url}/`)).text();
  expect(page).toContain('href="/?account=acme"');
  expect(await (await fetch(`${url}/?account=beta`)).text()).not.toContain('/jobs/prospects"');
  expect((await fetch(`${url}/?account=nobody`)).status).toBe(400);

  trial.edit(({ accounts: { acme }, syncs: { prospects }, ...file }) => ({
    ...file,
    accounts: { acme },
    syncs: { prospects },
  }));
  expect(await reload()).toMatchObject({ outcome: 'taken up', removed: ['leads'] });
  trial.lines.length = 0;
  await until(() => trial.said('run started', 'prospects').length > 1);
  expect(JSON.stringify(trial.lines)).not.toContain('account');
  const one = await metrics();
  expect(one).toMatch(/leadsheet_linked_records\{sync="prospects"\} 1/);
  expect(one).toMatch(/leadsheet_lag_seconds\{sync="prospects"\} /);
  expect(one).toMatch(/leadsheet_budget_used_ratio\{budget="crm"\} /);
  expect(one).not.toContain('sync="leads",phase');
  expect(await (await fetch(`${url}/`)).text()).not.toContain('account');
  expect(await (await fetch(`${url}/budgets`)).text()).not.toContain('account');
  expect(await budgets()).not.toMatch(/account|acme|beta/);
});

test('accounts with the same token have one client and so one budget; another token has its own', async () => {
  const trial = createAgencyTrial();
  trial.edit((file) => ({
    ...file,
    accounts: { ...file.accounts, twin: file.accounts['acme'] },
    syncs: {
      ...file.syncs,
      double: { ...file.syncs['prospects'], account: 'twin', sheet: { spreadsheet: '1AbCdEfGhIj', tab: 'Double' } },
    },
  }));
  const app = await trial.start();
  const crmOf = (account: string) => app.connectionOf(account).crm;
  expect(crmOf('twin')).toBe(crmOf('acme'));
  expect(crmOf('beta')).not.toBe(crmOf('acme'));
  // What both share is counted once: two tokens with 6,000 calls a minute each.
  expect(app.usage().crm.perMinute).toBe(12_000);
});
