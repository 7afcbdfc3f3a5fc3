// Stories of a configuration that changes under a living daemon.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { readSoundConfigFile } from '../../../src/app-config.ts';
import { connectCrm, connectSheets } from '../../../src/app-connections.ts';
import type { AppWorld } from '../../../src/app-world.ts';
import { createReloader } from '../../../src/daemon-reload.ts';
import { createAgencyTrial } from '../../support/agency.ts';
import { start } from '../../support/cli.ts';
import { until } from '../../support/daemon.ts';

test('a job is added, changed and removed by reloads, and the other one goes on undisturbed', async () => {
  const trial = createAgencyTrial();
  const { leads } = trial.edit((file) => file).syncs;
  trial.edit(({ syncs, ...file }) => ({ ...file, syncs: { prospects: syncs['prospects'] } }));
  trial.addContact({ first_name: 'Ann', email: 'ann@acme.io' });
  trial.addBetaContact('Bea', 'bea@beta.io');
  const { daemon, reload } = await trial.begin();
  await until(() => trial.grid().length === 1 && daemon.status()[0]!.lastRun);
  const lastRun = () => daemon.status()[0]!.lastRun!;
  const before = lastRun();

  trial.edit((file) => ({ ...file, syncs: { ...file.syncs, leads } }));
  expect(await reload()).toMatchObject({ outcome: 'taken up', added: ['leads'], changed: [], unchanged: 1 });
  await until(() => trial.betaRows().length === 1);
  expect(lastRun().endedAt >= before.endedAt).toBe(true);
  expect(trial.said('run ended', 'prospects').filter(({ status }) => status !== 'succeeded')).toEqual([]);

  trial.edit((file) => ({ ...file, syncs: { ...file.syncs, leads: { ...leads, schedule: '0 0 1 1 *' } } }));
  expect(await reload()).toMatchObject({ outcome: 'taken up', changed: ['leads'], unchanged: 1 });
  await until(() => {
    const { nextRunAt = 0, phase } = daemon.status()[1]!;
    return phase === 'idle' && nextRunAt - Date.now() > 60_000;
  });

  trial.edit((file) => ({ ...file, syncs: { prospects: file.syncs['prospects'] } }));
  expect(await reload()).toMatchObject({ outcome: 'taken up', removed: ['leads'], unchanged: 1 });
  expect(daemon.status().map(({ name }) => name)).toEqual(['prospects']);
  expect(await reload()).toMatchObject({ added: [], changed: [], removed: [], unchanged: 1 });
  expect(trial.said('configuration taken up')).toHaveLength(4);
});

test('a file is broken and repaired under a living daemon: SIGHUP keeps the old one in force, then takes the new one up', async () => {
  const trial = createAgencyTrial();
  trial.addContact({ first_name: 'Ann', email: 'ann@acme.io' });
  const stop = new AbortController();
  let hangUp = () => {};
  let chance = 0.5;
  const running = start(
    ['--config', trial.configFile, 'run'],
    {},
    {
      transport: (url, init) => trial.transport(url, init),
      stop: stop.signal,
      random: () => (chance = (chance * 16_807 + 0.123) % 1),
      onHangup(listener) {
        hangUp = listener;
        return { [Symbol.dispose]: () => (hangUp = () => {}) };
      },
    },
  );
  onTestFinished(() => stop.abort(new Error('stopped')));
  const said = (msg: string) => running.printed.stdout.split('\n').filter((line) => line.includes(`"msg":"${msg}`));
  await until(() => trial.grid().length === 1);

  const whole = stringify(
    trial.edit((file) => file),
    { aliasDuplicateObjects: false },
  );
  writeFileSync(trial.configFile, 'syncs: [\n');
  hangUp();
  await until(() => said('configuration not taken up').length === 1);
  trial.addContact({ first_name: 'Abe', email: 'abe@acme.io' });
  await until(() => trial.grid().length === 2);

  // A fault of one running job keeps all of the old file in force, whatever else has changed.
  writeFileSync(trial.configFile, whole.replace('Leads', 'Leads\n      colour: red'));
  hangUp();
  await until(() => said('configuration not taken up').length === 2);
  const status = await trial.cli('status');
  expect(status.stdout).toMatch(
    /the file of .* was not taken up, the old one is in force:\n .*colour: found an unknown option/,
  );
  const refused = await trial.cli('reload');
  expect(refused.code).toBe(78);
  expect(refused.stdout).toMatch(
    /colour: found an unknown option.*\nnothing was taken up: the old configuration stays/,
  );

  writeFileSync(trial.configFile, whole);
  hangUp();
  await until(() => said('configuration taken up').length === 1);
  expect((await trial.cli('status')).stdout).not.toContain('was not taken up');
  stop.abort(new Error('stopped by SIGTERM'));
  expect((await running.ended).code).toBe(0);
  expect(running.printed.stdout).not.toContain('token-of-beta');
});

test('leadsheet reload says what holds only after a restart, and commands talk to the daemon afterwards', async () => {
  const trial = createAgencyTrial();
  trial.addContact({ first_name: 'Ann', email: 'ann@acme.io' });
  await trial.begin();
  await until(() => trial.grid().length === 1);
  trial.edit((file) => {
    file.syncs['prospects']!['settle_secs'] = 1;
    return file;
  });
  const stale = await trial.cli('sync', 'prospects');
  expect(stale.stderr).toContain('To have the daemon take it: leadsheet reload');
  expect(await trial.cli('reload')).toMatchObject({ code: 0, stdout: 'taken up: changed prospects; 1 as before\n' });
  expect((await trial.cli('sync', 'prospects')).stderr).not.toContain('another configuration');
  trial.edit((file) => ({ ...file, server: { listen: '127.0.0.1:0' } }));
  expect((await trial.cli('reload')).stdout).toBe(
    'taken up: nothing has changed; 2 as before\nserver: the change holds after a restart of leadsheet run\n',
  );
});

test.each([
  ['the file', [], 'log: the change holds after a restart of leadsheet run\n'],
  ['the command line', ['--log-level', 'debug'], ''],
])(
  'leadsheet reload says that another log.level holds after a restart, where %s sets it',
  async (_what, flags, told) => {
    const trial = createAgencyTrial();
    const stop = new AbortController();
    const running = start(
      ['--config', trial.configFile, ...flags, 'run'],
      {},
      { transport: (url, init) => trial.transport(url, init), stop: stop.signal, random: () => 0.5 },
    );
    onTestFinished(() => stop.abort(new Error('stopped')));
    await until(() => running.printed.stdout.includes('leadsheet started'));
    trial.edit((file) => ({ ...file, log: { level: 'warn' } }));
    expect((await trial.cli('reload')).stdout).toBe(`taken up: nothing has changed; 2 as before\n${told}`);
    stop.abort(new Error('stopped by SIGTERM'));
    expect((await running.ended).code).toBe(0);
  },
);

test('commands talk to a daemon with a console after a reload, and after a change that holds only after a restart', async () => {
  const trial = createAgencyTrial();
  trial.addContact({ first_name: 'Ann', email: 'ann@acme.io' });
  trial.edit((file) => ({ ...file, server: { listen: '127.0.0.1:0' } }));
  await trial.begin();
  await until(() => trial.grid().length === 1);
  trial.edit((file) => {
    file.syncs['prospects']!['settle_secs'] = 1;
    return file;
  });
  expect((await trial.cli('reload')).stdout).toBe('taken up: changed prospects; 1 as before\n');
  expect((await trial.cli('sync', 'prospects')).stderr).not.toContain('another configuration');
  trial.edit((file) => ({ ...file, server: { listen: '127.0.0.1:0', console: 'off' } }));
  expect((await trial.cli('reload')).stdout).toContain('server: the change holds after a restart');
  expect((await trial.cli('sync', 'prospects')).stderr).not.toContain('another configuration');
});

test('leadsheet reload says that the first user holds after a restart, and not that further ones do', async () => {
  const hash = `$scrypt$ln=15,r=8,p=3$${'A'.repeat(22)}$${'B'.repeat(43)}`;
  const begin = async (...names: readonly string[]) => {
    const trial = createAgencyTrial();
    const withUsers = (...given: readonly string[]) => {
      const users = given.map((name) => ({ name, role: 'viewer', password_hash: hash }));
      trial.edit((file) => ({ ...file, server: { listen: '127.0.0.1:0', users } }));
    };
    withUsers(...names);
    const { url } = await trial.begin();
    const reload = async (...given: readonly string[]) => {
      withUsers(...given);
      return (await trial.cli('reload')).stdout;
    };
    return { reload, status: async () => (await fetch(url!, { redirect: 'manual' })).status };
  };
  const nothing = 'taken up: nothing has changed; 2 as before\n';
  const open = await begin();
  expect(await open.reload('ann')).toBe(`${nothing}server: the change holds after a restart of leadsheet run\n`);
  // The console that began without a login has none.
  expect(await open.status()).toBe(200);
  expect(await open.reload()).toBe(nothing);
  const withLogin = await begin('ann');
  expect(await withLogin.status()).not.toBe(200);
  expect(await withLogin.reload('ann', 'bob')).toBe(nothing);
});

test('W13: a reload that renames a paused job says that it runs under its new name', async () => {
  const trial = createAgencyTrial();
  trial.addContact({ first_name: 'Ann', email: 'ann@acme.io' });
  const { daemon } = await trial.begin();
  await until(() => trial.grid().length === 1);
  expect((await trial.cli('pause', 'prospects', '--reason', 'sorting')).code).toBe(0);
  trial.edit(({ syncs: { prospects, leads }, ...file }) => ({ ...file, syncs: { people: prospects, leads } }));
  expect(await trial.cli('reload')).toMatchObject({
    code: 0,
    stdout: 'taken up: added people; removed prospects; 1 as before\n',
    stderr: expect.stringMatching(
      /^leadsheet: prospects was paused by \S+ since \S+ \(sorting\), and is removed\. A pause holds for one name: people runs\. To pause it: leadsheet pause people\n$/,
    ),
  });
  expect(trial.said('notice', 'prospects').slice(-1)).toMatchObject([
    { added: ['people'], notice: expect.stringMatching(/^paused by .*does not hold for what was added$/) },
  ]);
  await until(() => daemon.status().find(({ name }) => name === 'people')?.hasRun);
  trial.edit(({ syncs: { people }, ...file }) => ({ ...file, syncs: { people } }));
  expect((await trial.cli('reload')).stderr).toBe('');
});

test('without a daemon there is nothing to reload', async () => {
  const trial = createAgencyTrial();
  expect(await trial.cli('reload')).toMatchObject({
    code: 1,
    stderr: 'leadsheet: no daemon runs on this state; one that starts reads the file: leadsheet run\n',
  });
});

/** The part of a daemon that takes reloads up, without the daemon: the last runs of replaced jobs end when they are let go. */
async function createReloads() {
  const trial = createAgencyTrial();
  const read = () => readSoundConfigFile(trial.configFile, { env: {}, readFile: (path) => readFileSync(path, 'utf8') });
  const closed: string[] = [];
  /** Holds up what connects to Google. */
  let gate: Promise<void> = Promise.resolve();
  const given: AppWorld = {
    transport: trial.transport,
    now: () => Date.now(),
    elapsed: () => performance.now(),
    random: () => 0.5,
    randomId: randomUUID,
    process: { pid: process.pid, probe: () => {} },
  };
  const world: AppWorld = {
    ...given,
    connectCrm(settings) {
      const crm = connectCrm(settings, given);
      return {
        ...crm,
        [Symbol.dispose]() {
          closed.push(settings.token.reveal());
          crm[Symbol.dispose]();
        },
      };
    },
    async connectSheets(account) {
      await gate;
      return connectSheets(account, given);
    },
  };
  const app = await createApp(read(), world, () => {});
  onTestFinished(() => app[Symbol.dispose]());
  let over: Promise<void> = Promise.resolve();
  const reloader = createReloader({
    app,
    daemon: { change() {}, left: () => over, isDraining: () => false },
    reread: read,
    now: world.now,
    stopped: () => [],
    refusedByService: () => [],
    onTaken() {},
  });
  return {
    trial,
    reload: () => reloader.reload(),
    closed,
    waitForRuns: (runs: Promise<void>) => void (over = runs),
    holdUp: (released: Promise<void>) => void (gate = released),
    setToken: (account: string, token: string) =>
      trial.edit((file) => {
        file.accounts[account]!.crm['token'] = token;
        return file;
      }),
  };
}

test('L14: a client that a reload has opened is not closed when the last run of an earlier reload ends before it is taken up', async () => {
  const { trial, reload, closed, waitForRuns, holdUp, setToken } = await createReloads();
  const run = Promise.withResolvers<void>();
  waitForRuns(run.promise);
  setToken('beta', 'the-second-token-of-beta');
  await reload();

  const google = Promise.withResolvers<void>();
  holdUp(google.promise);
  setToken('acme', 'the-second-token-of-acme');
  trial.edit((file) => {
    file.accounts['beta']!.google['reads_per_minute'] = 50;
    return file;
  });
  const taken = reload();
  await new Promise((resolve) => setTimeout(resolve, 50));
  run.resolve();
  await new Promise((resolve) => setTimeout(resolve, 10));
  google.resolve();
  expect(await taken).toMatchObject({ outcome: 'taken up', changed: ['prospects', 'leads'] });
  await expect.poll(() => closed.toSorted()).toEqual(['the-token-of-beta', 'the-token-of-the-tests']);
});

test('a reload that is refused closes what it has opened', async () => {
  const { trial, reload, closed, setToken } = await createReloads();
  setToken('acme', 'the-second-token-of-acme');
  trial.edit((file) => {
    file.accounts['beta']!.google['credentials_file'] = '/there/is/none.json';
    return file;
  });
  expect(await reload()).toMatchObject({ outcome: 'refused' });
  await expect.poll(() => closed).toEqual(['the-second-token-of-acme']);
});
