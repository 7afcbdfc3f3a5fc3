// `leadsheet state`: a state moves between files and PostgreSQL, is checked, and gets its tables.
import { appendFileSync, cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { copyState } from '../../../src/operator/state/copy.ts';
import type { Lease, LeaseOptions, Store } from '../../../src/state/port.ts';
import { createSyncTrial } from '../../support/app.ts';
import { createDaemonTrial, until } from '../../support/daemon.ts';
import { createPostgresTrial, postgresPassword, servePostgres } from '../../support/postgres.ts';
import { commitAll, contentOf, historyLine, openTrial, runRecord } from '../../support/state.ts';

const server = servePostgres();

/** A sync with a conflict, a decision and a history, in files; and an empty database. */
async function createTrial() {
  vi.useFakeTimers({ now: new Date('2026-11-21T09:00:00Z'), toFake: ['Date'] });
  const trial = createSyncTrial();
  for (const name of ['Ann', 'Bob', 'Cy'])
    trial.addContact({ first_name: name, email: `${name.toLowerCase()}@firm.io`, company_name: 'Firm' });
  await trial.run();
  vi.setSystemTime(new Date('2026-11-22T09:00:00Z'));
  trial.change('ann@firm.io', { company_name: 'Theirs' });
  trial.type('ann@firm.io', 'Company', 'Ours');
  trial.type('bob@firm.io', 'First name', 'Rob');
  await trial.run();
  await trial.cli('pause', 'prospects', '--reason', 'a move');
  trial.kill();
  const database = await server().createDatabase();
  const use = (state: string) => {
    const file = parse(readFileSync(trial.configFile, 'utf8')) as Record<string, unknown>;
    writeFileSync(trial.configFile, stringify({ ...file, state }));
  };
  return {
    ...trial,
    database,
    use,
    folder: `file:${join(trial.folder, 'state')}`,
    other: `file:${join(trial.folder, 'other')}`,
  };
}

test('a state goes to PostgreSQL and back, and a run there finds nothing to do', async () => {
  const trial = await createTrial();
  const copied = await trial.cli('state', 'copy', 'config', trial.database);
  expect(copied).toMatchObject({ code: 0, stderr: '' });
  expect(copied.stdout).toMatch(
    /^prospects: \d+ records, [1-9]\d* lines of history, 2 reports, 0 open decisions: copied, read back, the same$/m,
  );
  expect(copied.stdout).not.toContain(encodeURIComponent(postgresPassword));
  const again = await trial.cli('state', 'copy', 'config', trial.database, '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ jobs: [{ job: 'prospects', outcome: 'there' }] });

  trial.use(trial.database);
  expect((await trial.cli('status')).stdout).toContain('a move');
  await trial.cli('resume', 'prospects');
  const writes = trial.writes();
  await trial.start();
  await trial.run();
  expect(trial.writes()).toEqual(writes);
  trial.kill();
  const log = (await trial.cli('log', '--json')).stdout;
  expect(log).toContain('Rob');

  const checked = await trial.cli('state', 'check');
  expect(checked).toMatchObject({ code: 0, stdout: expect.stringMatching(/1 job, 0 damaged/) });
  expect(await trial.cli('state', 'copy', 'config', trial.other)).toMatchObject({ code: 0 });
  trial.use(trial.other);
  expect((await trial.cli('state', 'check')).stdout.split('\n')[0]).toBe(checked.stdout.split('\n')[0]);
  expect((await trial.cli('log', '--json')).stdout).toBe(log);
  await trial.start();
  await trial.run();
  expect(trial.writes()).toEqual(writes);
});

test('what is no place, the same place, other content and a damaged record are named', async () => {
  const trial = await createTrial();
  expect(await trial.cli('state', 'copy', 'config', 'postgres://me:pass-word@/x')).toMatchObject({
    code: 64,
    stderr: expect.not.stringContaining('pass-word'),
  });
  expect(await trial.cli('state', 'copy', 'config', trial.folder)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('the same place'),
  });
  const { store } = createPostgresTrial(trial.database).open();
  await commitAll(store, 'prospects', [{ ledger: { put: new Map([['c9 a', { state: 'enrolled' }]]) } }]);
  const refused = await trial.cli('state', 'copy', 'config', trial.database);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/"prospects" has other content there \(the record ledger\/c9 a differs\)/),
  });
  expect([...(await store.sync('prospects').load()).ledger.keys()]).toEqual(['c9 a']);

  const other = await server().createDatabase();
  expect(await trial.cli('state', 'copy', 'config', other)).toMatchObject({ code: 0 });
  const { database } = createPostgresTrial(other);
  await database.query("UPDATE leadsheet.records SET value = 'x' WHERE collection = 1");
  await database.query("UPDATE leadsheet.history SET line = 'x'");
  const damaged = await trial.cli('state', 'check', other);
  expect(damaged).toMatchObject({ code: 1, stdout: expect.stringMatching(/1 job, 1 damaged/) });
  expect(damaged.stdout).toMatch(/damaged: .*"links\/.*changed by hand[^]*damaged: .*history/);
});

test('a place without a state is neither copied nor called whole', async () => {
  const trial = await createTrial();
  const typo = trial.folder.slice(0, -1);
  expect(await trial.cli('state', 'copy', typo, trial.database)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/stat: there is no state to copy/),
  });
  expect(await trial.cli('state', 'copy', trial.database, trial.other)).toMatchObject({ code: 1, stdout: '' });
  for (const place of [typo, trial.database]) {
    const checked = await trial.cli('state', 'check', place);
    expect(checked).toMatchObject({ code: 1, stdout: expect.stringMatching(/there is no state/) });
  }
});

test('L8: a state on which a daemon runs is not copied between two of its runs', async () => {
  const trial = createDaemonTrial({ sync: { schedule: '0 0 1 1 *' } });
  const daemon = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  const other = `file:${join(trial.folder, 'other')}`;
  const refused = await trial.cli('state', 'copy', 'config', other);
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/leadsheet runs on it.*Stop it/),
  });
  await daemon.stop();
  expect(await trial.cli('state', 'copy', 'config', other)).toMatchObject({ code: 0 });
});

test('S1, L8: a damaged state is not copied before a run has told what is missing', async () => {
  const trial = await createTrial();
  const document = join(trial.folder.slice('file:'.length), 'prospects', 'base.json');
  writeFileSync(document, readFileSync(document, 'utf8').slice(0, 100));
  for (let time = 0; time < 2; time += 1) {
    expect(await trial.cli('state', 'copy', 'config', trial.other)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/"prospects" is damaged: base\.json is damaged.*leadsheet sync prospects/),
    });
  }
  await trial.cli('resume', 'prospects');
  await trial.start();
  await trial.run();
  expect(trial.events).toContainEqual(
    expect.objectContaining({ type: 'notice', message: expect.stringMatching(/^base\.json is damaged/) }),
  );
  trial.kill();
  expect(await trial.cli('state', 'copy', 'config', trial.other)).toMatchObject({ code: 0, stderr: '' });
});

test.each(['base.log', 'outbox.log'])('S1, L14: a state is copied although %s ends in half a write', async (log) => {
  const trial = await createTrial();
  await trial.cli('resume', 'prospects');
  await trial.start();
  await trial.run();
  appendFileSync(join(trial.folder.slice('file:'.length), 'prospects', log), '{"put":{"facts":');
  // It has nothing to save, so that the half write stays.
  await trial.run();
  expect(trial.events).toContainEqual(
    expect.objectContaining({ type: 'notice', message: expect.stringContaining(`${log} ends in 16 bytes`) }),
  );
  trial.kill();
  const copied = await trial.cli('state', 'copy', 'config', trial.other);
  expect(copied).toMatchObject({ code: 0, stdout: expect.stringContaining('copied, read back, the same') });
  expect(copied.stderr).toContain(`job "prospects": ${log} ends in 16 bytes`);
});

test('a check names a job that cannot be read, and checks the others', async () => {
  const trial = await createTrial();
  const folder = trial.folder.slice('file:'.length);
  cpSync(join(folder, 'prospects'), join(folder, 'a-copy'), { recursive: true });
  const checked = await trial.cli('state', 'check');
  expect(checked.code).toBe(1);
  expect(checked.stdout).toMatch(/^a-copy: 0 records.*\n {2}damaged: .*this is the state of sync "prospects"/);
  expect(checked.stdout).toMatch(/^prospects: [1-9]\d* records/m);
  expect(checked.stdout).toMatch(/2 jobs, 1 damaged/);
});

test('migrate makes the tables once, and where nothing else may, that is enough', async () => {
  const trial = await createTrial();
  expect((await trial.cli('state', 'migrate')).stdout).toMatch(/in files has no tables/);
  expect((await trial.cli('state', 'migrate', trial.database)).stdout).toMatch(/the tables are made, in version 2/);
  expect((await trial.cli('state', 'migrate', trial.database)).stdout).toMatch(/of version 2 already/);
  const { store } = createPostgresTrial(trial.database, { migrates: false }).open();
  expect((await commitAll(store, 's', [{ facts: { put: new Map([['n', 1]]) } }])).facts.get('n')).toBe(1);
});

const now = Date.UTC(2026, 0, 31, 12);
const iso = (hoursAgo: number) => new Date(now - hoursAgo * 3_600_000).toISOString();

/** Two jobs with some of everything. */
async function fill(store: Store): Promise<void> {
  for (const job of ['a/b', 'zeta']) {
    const links = new Map(Array.from({ length: 20 }, (_, n) => [`c${n}`, { agreed: `["${n}"]` }] as const));
    await commitAll(store, job, [
      {
        links: { put: links },
        ledger: { put: new Map([['c1 a', { n: 1 }]]) },
        facts: { put: new Map([['fields', ['x']]]) },
      },
    ]);
    await using lease = await store.sync(job).acquireLease();
    await lease.appendHistory([historyLine(iso(50), { sync: job }), historyLine(iso(1), { sync: job })]);
    for (const n of [3, 2, 1]) await lease.appendRun(runRecord(`r${n}`, iso(n)));
    await lease.noteRows(new Map([[2, 'c1']]));
    await store.sync(job).addRequest({ kind: 'retry', id: job });
  }
  await store.changeLogins(() => ({ sessions: [] }));
}

async function createPair() {
  const trial = createSyncTrial();
  vi.useRealTimers();
  const files = openTrial(join(trial.folder, 'source')).store;
  await fill(files);
  const postgres = createPostgresTrial(await server().createDatabase());
  const { store } = postgres.open();
  const openFiles = (name: string) => openTrial(join(trial.folder, name)).store;
  const place = { fromText: 'here', toText: 'there' };
  const copy = (from: Store, to: Store, readBack = to, signal = new AbortController().signal) =>
    Array.fromAsync(copyState({ from, to, readBack, ...place, setClock() {}, warn() {}, now: () => now, signal }));
  return { folder: trial.folder, files, store, copy, postgres, openFiles };
}

test.each(['records', 'requests', 'INSERT INTO "leadsheet".history', 'INSERT INTO "leadsheet".runs'])(
  'a copy that breaks at %s goes on with the next one',
  async (text) => {
    const { files, store, copy, postgres } = await createPair();
    // The second job fails in the middle; the first one is whole.
    const { database } = postgres;
    let seen = 0;
    const broken = createBroken(database.query, (statement) => statement.includes(text) && (seen += 1) > 1);
    const failing = postgres.open({}, { ...database, query: broken, queryRepeatable: broken }).store;
    await expect(copy(files, failing)).rejects.toThrow('broken');
    const done = await copy(files, store);
    expect(done.map(({ job }) => job)).toEqual(['a/b', 'zeta']);
    expect(done[1]!.outcome).toBe('copied');
    for (const job of ['a/b', 'zeta']) {
      const [one, two] = [await files.sync(job).load(), await store.sync(job).load()];
      expect({ ...contentOf(two), requests: [...two.requests.values()] }).toEqual({
        ...contentOf(one),
        requests: [...one.requests.values()],
      });
      expect(await store.sync(job).readRuns({ limit: 9 })).toEqual(await files.sync(job).readRuns({ limit: 9 }));
      expect(await store.sync(job).readRows()).toEqual(new Map([[2, 'c1']]));
      expect(await Array.fromAsync(store.history({ sync: job }))).toEqual(
        await Array.fromAsync(files.history({ sync: job })),
      );
      await using source = await files.sync(job).acquireLease();
      await using target = await store.sync(job).acquireLease();
      expect(target.epoch).toBeGreaterThan(source.epoch - 1);
    }
    expect(await store.readLogins()).toEqual({ sessions: [] });
  },
);

test('a job that runs is refused, and so is a place in which a run began meanwhile', async () => {
  const { files, store, copy, openFiles, postgres } = await createPair();
  {
    await using _ = await files.sync('a/b').acquireLease();
    await expect(copy(files, store)).rejects.toMatchObject({ code: 'lease_taken' });
  }
  expect(await store.jobs()).toEqual([]);
  const broken = createBroken(postgres.database.query, (statement) => statement.includes('history'));
  await expect(copy(files, postgres.open({}, { ...postgres.database, query: broken }).store)).rejects.toThrow('broken');
  const marked = (await store.sync('a/b').load()).facts.get('copying');
  expect(marked).toBeGreaterThan(0);
  await commitAll(store, 'a/b', [{ ledger: { put: new Map([['c7 a', { n: 7 }]]) } }]);
  await expect(copy(files, store)).rejects.toThrow(/other content there/);
  expect((await store.sync('a/b').load()).ledger.has('c7 a')).toBe(true);
  // Nor is an unfinished copy copied on.
  await expect(copy(store, openFiles('third'))).rejects.toThrow(/itself an unfinished copy/);
});

test('the epoch goes on from the greater one, whichever way', async () => {
  const { files, copy, openFiles, store } = await createPair();
  for (let times = 0; times < 5; times += 1) await commitAll(files, 'zeta', []);
  await copy(files, store);
  const third = openFiles('third');
  await copy(store, third);
  const epochs: number[] = [];
  for (const each of [files, store, third]) {
    await using lease = await each.sync('zeta').acquireLease();
    epochs.push(lease.epoch);
  }
  expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
  expect(new Set(epochs).size).toBe(3);
});

test('S10: what the disk lost of a copy in files is found when the copy is read back', async () => {
  const { folder, files, copy, openFiles } = await createPair();
  const target = openFiles('lossy');
  // As a disk that confirms what it does not write: the end of the last job is lost before it is read back.
  const lossy: Store = {
    ...target,
    sync: (job) => ({ ...target.sync(job), acquireLease: async (options) => losing(target, folder, job, options) }),
  };
  await expect(copy(files, lossy, openFiles('lossy'))).rejects.toThrow(/"zeta" is not the same when it is read back/);
});

async function losing(store: Store, folder: string, job: string, options?: LeaseOptions): Promise<Lease> {
  const lease = await store.sync(job).acquireLease(options);
  return {
    epoch: lease.epoch,
    remainingMs: () => lease.remainingMs(),
    load: () => lease.load(),
    glance: (uuids) => lease.glance(uuids),
    async commit(batch) {
      await lease.commit(batch);
      if (job !== 'zeta' || [...(batch.facts?.delete ?? [])].length === 0 || batch.ledger) return;
      const path = join(folder, 'lossy', job);
      for (const name of readdirSync(path).filter((each) => /^(base|outbox)\./.test(each)))
        writeFileSync(join(path, name), readFileSync(join(path, name), 'utf8').slice(0, 200));
    },
    appendHistory: (lines) => lease.appendHistory(lines),
    appendRun: (run) => lease.appendRun(run),
    noteRows: (rows) => lease.noteRows(rows),
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  };
}

function createBroken(
  query: (text: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>,
  breaks: (text: string) => boolean,
) {
  return async (text: string, values?: readonly unknown[]) => {
    if (breaks(text)) throw new Error('broken');
    return query(text, values);
  };
}
