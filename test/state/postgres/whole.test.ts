// Whole runs and commands over a state in PostgreSQL.
import { existsSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { writeWorker } from '../../../src/daemon/queue/postgres/workers.ts';
import { conflictsAnswer } from '../../../src/operator/answers/conflicts.ts';
import { doctorAnswer } from '../../../src/operator/answers/doctor.ts';
import { createAgencyTrial } from '../../support/agency.ts';
import { createSyncTrial, type TrialOptions } from '../../support/app.ts';
import { run as runCommand } from '../../support/cli.ts';
import { createDaemonTrial, until } from '../../support/daemon.ts';
import { addressOf, openDatabase, postgresPassword, servePostgres } from '../../support/postgres.ts';

const server = servePostgres();

/** The clock of a trial jumps, and a database does not wait for it: here the date alone stands still. */
async function createTrial(options: TrialOptions = {}) {
  vi.useFakeTimers({ now: new Date('2026-11-21T09:00:00Z'), toFake: ['Date'] });
  const trial = createSyncTrial({ state: await server().createDatabase(), ...options });
  const cli = async (...args: string[]) => {
    const { code, stdout, stderr } = await trial.cli(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    return stdout;
  };
  return { ...trial, cli };
}

test('a sync runs, and each command finds what it did', async () => {
  const trial = await createTrial();
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', company_name: 'Firm' });
  trial.addContact({ first_name: 'Bob', email: 'bob@firm.io', company_name: 'Firm' });
  expect(await trial.run()).toMatchObject({ status: 'succeeded' });
  expect(
    trial
      .grid()
      .map((row) => String(row['Email']))
      .toSorted(),
  ).toEqual(['ann@firm.io', 'bob@firm.io']);

  trial.change('ann@firm.io', { company_name: 'Theirs' });
  trial.type('ann@firm.io', 'Company', 'Ours');
  trial.type('bob@firm.io', 'First name', 'Rob');
  await trial.run();
  expect(trial.contactOf('bob@firm.io')).toMatchObject({ first_name: 'Rob' });

  expect(await trial.cli('status')).toMatch(/prospects/);
  expect(await trial.cli('conflicts')).toMatch(/Theirs[^]*Ours|Ours[^]*Theirs/);
  expect(await trial.cli('log')).toMatch(/Bob[^]*Rob/);
  expect(await trial.cli('runs')).toMatch(/prospects/);
  expect(await trial.cli('explain', 'ann@firm.io')).toMatch(/Ours/);
  const [conflict] = conflictsAnswer.parse(JSON.parse(await trial.cli('conflicts', '--json'))).conflicts;
  expect(await trial.cli('resolve', conflict!.id, '--use', 'sheet')).toContain('the next run carries it out');

  // Another process: it knows only what is in the database.
  trial.kill();
  await trial.start();
  await trial.run();
  expect(trial.contactOf('ann@firm.io')).toMatchObject({ company_name: 'Ours' });
  expect(await trial.cli('conflicts')).not.toMatch(/Theirs/);
  const { stdout: examined } = await runCommand(['doctor', '--json'], { LEADSHEET_CONFIG: trial.configFile });
  expect(examined).not.toContain(postgresPassword);
  expect(examined).not.toMatch(/ann@firm|Theirs|Ours/);
  const { versions, state, findings } = doctorAnswer.parse(JSON.parse(examined));
  expect(versions).toMatchObject({ state_driver: 'postgres', postgres: expect.stringMatching(/^\d+/) });
  expect(state).toMatchObject({ is_there: true, schema: state.schema_known, fault: null });
  expect(state.bytes).toBeGreaterThan(10_000);
  expect(state.jobs).toMatchObject([{ name: 'prospects', kind: 'sync', holder: null, fault: null }]);
  expect(findings).toEqual([]);
  const writes = trial.writes();
  await trial.run();
  expect(trial.writes()).toEqual(writes);
  expect(existsSync(join(trial.folder, 'state'))).toBe(false);
});

test('a daemon goes on by itself after a restart of the database, and a command finds it', async () => {
  const trial = createDaemonTrial({ state: await server().createDatabase() });
  const { stop } = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  const told = await trial.cli('status', '--json');
  expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining('"prospects"') });
  const env = { LEADSHEET_CONFIG: trial.configFile };
  const running = doctorAnswer.parse(JSON.parse((await runCommand(['doctor', '--json'], env)).stdout)).daemon;
  expect(running).toMatchObject({ state: 'running', pid: process.pid, workers: [{ state: 'running' }] });
  await server().stop();
  const { state, findings } = doctorAnswer.parse(JSON.parse((await runCommand(['doctor', '--json'], env)).stdout));
  expect(state).toMatchObject({ is_there: false, jobs: [], fault: expect.stringContaining('postgres://127.0.0.1') });
  expect(findings).toContainEqual(expect.objectContaining({ about: 'state', verdict: 'failed' }));
  const failed = () => trial.said('trouble with the database of the queue; it goes on by itself');
  await until(() => failed().length > 0);
  expect(JSON.stringify(failed())).toContain('postgres://127.0.0.1');
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  await server().start();
  await until(() => trial.grid().length === 1);
  expect(await stop()).toEqual([]);
  expect(JSON.stringify(trial.lines)).not.toContain(encodeURIComponent(postgresPassword));
  expect(JSON.stringify(trial.lines)).not.toContain(postgresPassword);
});

test('S2: beside tables of a newer version a worker takes no more runs, and none starts; later it goes on', async () => {
  const url = await server().createDatabase();
  const database = openDatabase(url);
  onTestFinished(() => database.end());
  const trial = createDaemonTrial({ state: url });
  const { daemon, stop } = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  const setVersion = (version: number) =>
    database.query(`UPDATE leadsheet.meta SET value = $1 WHERE name = 'schema_version'`, [String(version)]);
  const [found] = await database.query(`SELECT value FROM leadsheet.meta WHERE name = 'schema_version'`);
  const known = Number(found!['value']);
  await setVersion(known + 1);
  const told = () =>
    trial.said('a newer version changed the tables of the state: this worker takes no more runs; replace it');
  await until(() => told().length > 0);
  expect(JSON.stringify(told())).toContain(`its schema version is ${known + 1}, and this program knows versions up to`);
  // The worker looks at the version with each sign of life.
  const seen = async () => (await database.query('SELECT seen_at::text FROM leadsheet_queue.workers'))[0]!['seen_at'];
  const nextLook = async () => {
    const last = await seen();
    await expect.poll(seen).not.toEqual(last);
  };
  // A run that had been taken by then goes on, also one that begins a moment later.
  await nextLook();
  await until(() => daemon.status().every(({ phase }) => phase !== 'running'));
  const before = trial.said('run started').length;
  const asked = daemon.ask('prospects', false)!;
  await nextLook();
  expect((await trial.cli('status')).stderr).toContain('this program knows versions up to');
  expect(trial.said('run started')).toHaveLength(before);
  await setVersion(known);
  expect(await asked.ended).toMatchObject({ kind: 'ran' });
  expect(told()).toHaveLength(1);
  expect(await stop()).toEqual([]);
});

test('a run of a job that a reload removes ends, and its end is written for the other workers', async () => {
  const url = await server().createDatabase();
  const trial = createAgencyTrial({ state: url, sync: { schedule: '0 0 1 1 *' } });
  const { daemon, reload, stop } = await trial.begin();
  await until(() => trial.said('run ended', 'leads').length > 0);
  const gate = Promise.withResolvers<void>();
  trial.atEachInstant((what) => (what === 'answered' ? undefined : gate.promise));
  const asked = daemon.ask('leads', false)!;
  await until(() => trial.said('run started', 'leads').length > 1);
  trial.edit(({ syncs: { leads: _leads, ...syncs }, ...file }) => ({ ...file, syncs }));
  expect(await reload()).toMatchObject({ outcome: 'taken up', removed: ['leads'] });
  gate.resolve();
  expect(await asked.ended).toMatchObject({ kind: 'ran' });
  const database = openDatabase(url);
  onTestFinished(() => database.end());
  const [found] = await database.query(`SELECT turn FROM leadsheet_queue.turns WHERE job = 'leads'`);
  expect(JSON.parse(String(found!['turn']))).toMatchObject({ phase: 'idle', worker: null });
  expect(trial.said('trouble with the database of the queue; it goes on by itself')).toEqual([]);
  expect(await stop()).toEqual([]);
});

test('reload names the workers that go on with the files that they have', async () => {
  const url = await server().createDatabase();
  const trial = createDaemonTrial({ state: url });
  const { stop } = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  const alone = await trial.cli('reload');
  expect(alone).toMatchObject({ code: 0, stderr: '' });
  const database = openDatabase(url);
  onTestFinished(() => database.end());
  const other = { host: 'other', version: '0', runs: [] };
  await writeWorker(database, { ...other, id: 'other-1-abcd', pid: 1, state: 'running' });
  await writeWorker(database, { ...other, id: 'other-2-abcd', pid: 2, state: 'ended' });
  expect(await trial.cli('reload')).toEqual({
    ...alone,
    stderr:
      'leadsheet: 1 other worker goes on with the files that it has: other-1-abcd. Send it SIGHUP, or restart it\n',
  });
  expect(await stop()).toEqual([]);
});

test('a second worker on a machine starts without a warning: commands ask the first one', async () => {
  const trial = createDaemonTrial({ state: await server().createDatabase() });
  const [first, second] = [await trial.begin(), await trial.begin()];
  expect(trial.said('leadsheet started')).toHaveLength(2);
  expect(trial.said('commands on this machine ask the worker that runs here already')).toHaveLength(1);
  expect(trial.lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).not.toContainEqual(
    expect.stringContaining('commands'),
  );
  expect(await trial.cli('reload')).toMatchObject({ code: 0, stderr: '' });
  expect(await second.stop()).toEqual([]);
  expect(await first.stop()).toEqual([]);
});

test('a daemon leaves a database of something else as it is, and does not start', async () => {
  const url = await server().createDatabase();
  const database = openDatabase(url);
  onTestFinished(() => database.end());
  await database.query('CREATE SCHEMA leadsheet');
  await database.query('CREATE TABLE leadsheet.orders (id int)');
  const trial = createDaemonTrial({ state: url });
  await expect(trial.begin()).rejects.toThrow(/holds tables that leadsheet did not make/);
  expect(trial.lines).toEqual([]);
  const schemas = await database.query(`SELECT nspname FROM pg_namespace WHERE nspname LIKE 'leadsheet%'`);
  expect(schemas).toEqual([{ nspname: 'leadsheet' }]);
});

test('check ends where no call can be drawn from the budgets, names the database, and makes nothing in it', async () => {
  const url = await server().createDatabase();
  const trial = createSyncTrial({ state: url.replace(encodeURIComponent(postgresPassword), 'another-one') });
  vi.useRealTimers();
  const { code, stdout, stderr } = await runCommand(['check'], { LEADSHEET_CONFIG: trial.configFile }, { uptime });
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(/^failed +state: database +postgres:.*refused user or password/m);
  expect(stdout).toMatch(/^skipped +both sides: everything else +not looked at: the budgets are in the database/m);
  expect(stdout).not.toContain('another-one');

  const database = openDatabase(url);
  onTestFinished(() => database.end());
  await database.query(`CREATE ROLE poor LOGIN PASSWORD 'poor'`);
  const { configFile } = createSyncTrial({ state: addressOf(server().port, url.split('/').at(-1)!, 'poor', 'poor') });
  vi.useRealTimers();
  const refused = await runCommand(['check'], { LEADSHEET_CONFIG: configFile }, { uptime });
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(
    /^failed +state: budget +no calls can be drawn .*the user lacks a right .*docs\/state\.md/m,
  );
  expect(refused.stdout).toMatch(/^skipped +both sides: everything else/m);
});
