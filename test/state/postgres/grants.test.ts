// Processes that may not make tables: the owner makes them once, and a user with the rights that docs/state.md names works with them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSharedPostgres } from '../../../src/limits/shared-postgres.ts';
import { run } from '../../support/cli.ts';
import { createDaemonTrial, until } from '../../support/daemon.ts';
import { addressOf, openDatabase, servePostgres } from '../../support/postgres.ts';
import { root } from '../../support/root.ts';

const server = servePostgres();

/** The statements of docs/state.md, for the user `worker`. */
function documentedGrants(): string {
  const [, statements] = /```sql\n([^`]*GRANT[^`]*)```/.exec(readFileSync(join(root, 'docs/state.md'), 'utf8')) ?? [];
  if (statements === undefined) throw new Error('docs/state.md has no statements with grants');
  return statements;
}

async function createTrial() {
  const owner = await server().createDatabase();
  const database = openDatabase(owner);
  onTestFinished(() => database.end());
  await database.query(`DROP ROLE IF EXISTS worker`);
  await database.query(`CREATE ROLE worker LOGIN PASSWORD 'worker'`);
  onTestFinished(async () => void (await database.query('DROP OWNED BY worker')));
  const state = addressOf(server().port, owner.split('/').at(-1)!, 'worker', 'worker');
  const trial = createDaemonTrial({ state, file: { postgres: { migrate: false } } });
  const asWorker = openDatabase(state, { migrates: false });
  onTestFinished(() => asWorker.end());
  return { trial, database, asWorker, owner };
}

test('a worker that may not make tables runs jobs on those that `state migrate` made', async () => {
  const { trial, database, asWorker, owner } = await createTrial();
  vi.useRealTimers();
  const migrated = await run(['state', 'migrate', owner], { LEADSHEET_CONFIG: trial.configFile });
  expect(migrated).toMatchObject({ code: 0, stdout: expect.stringContaining('the tables are made') });
  await database.query(documentedGrants());
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  const { stop } = await trial.begin();
  await until(() => trial.grid().length === 1);
  expect(await stop()).toEqual([]);
  const budgets = createSharedPostgres({
    ...asWorker,
    schema: 'leadsheet_budgets',
    worker: 'this one',
    elapsed: () => performance.now(),
    now: Date.now,
    warn: (message) => expect.unreachable(message),
  });
  onTestFinished(() => budgets[Symbol.dispose]());
  await until(() => budgets.take('crm', { startsMax: 60, lengthMs: 60_000 }) === 0);
  expect(JSON.stringify(trial.lines)).not.toMatch(/trouble with the database|lacks a right|42501/);
});

test('a worker that finds no tables, or none of the queue, says what makes them, and makes none', async () => {
  const { trial, database, owner } = await createTrial();
  const notMade = /not made yet\. Run: leadsheet state migrate/;
  await expect(trial.begin()).rejects.toThrow(notMade);
  vi.useRealTimers();
  await run(['state', 'migrate', owner], { LEADSHEET_CONFIG: trial.configFile });
  await database.query('DROP SCHEMA leadsheet_queue CASCADE');
  await database.query('GRANT USAGE ON SCHEMA leadsheet TO worker');
  await database.query('GRANT SELECT ON ALL TABLES IN SCHEMA leadsheet TO worker');
  await expect(trial.begin()).rejects.toThrow(notMade);
});

test('a user who may make no schema uses those that were made for it', async () => {
  const url = await server().createDatabase();
  const database = openDatabase(url);
  onTestFinished(() => database.end());
  const name = url.split('/').at(-1)!;
  const role = `guest_${name}`;
  await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'guest'`);
  for (const schema of ['leadsheet', 'leadsheet_queue', 'leadsheet_budgets'])
    await database.query(`CREATE SCHEMA ${schema} AUTHORIZATION ${role}`);
  const trial = createDaemonTrial({ state: addressOf(server().port, name, role, 'guest') });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  const { stop } = await trial.begin();
  await until(() => trial.grid().length === 1);
  expect(await stop()).toEqual([]);
  expect(JSON.stringify(trial.lines)).not.toMatch(/trouble with the database|lacks a right|42501/);
  const asGuest = openDatabase(addressOf(server().port, name, role, 'guest'));
  onTestFinished(() => asGuest.end());
  const warnings: string[] = [];
  const budgets = createSharedPostgres({
    ...asGuest,
    schema: 'leadsheet_budgets',
    worker: 'this one',
    elapsed: () => performance.now(),
    now: Date.now,
    warn: (message) => warnings.push(message),
  });
  onTestFinished(() => budgets[Symbol.dispose]());
  await until(() => warnings.length > 0 || budgets.take('crm', { startsMax: 60, lengthMs: 60_000 }) === 0);
  expect(warnings).toEqual([]);
});
