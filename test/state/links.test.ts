import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHeartbeat, readHeartbeat } from '../../src/daemon/heartbeat.ts';
import { machineDisk } from '../../src/state/file/machine-disk.ts';
import { commitAll, historyLine, openTrial } from '../support/state.ts';

/* Symbolic links of another account in the state folder: nothing is written through them. */

let root = '';
let victim = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'leadsheet-'));
  victim = join(root, 'victim');
  await writeFile(victim, 'mine');
});
afterEach(() => rm(root, { recursive: true }));

const fact = (at: number) => ({ facts: { put: new Map([['cursor', { at }]]) } });
const enrolment = (at: number) => ({ ledger: { put: new Map([['key', { at }]]) } });

test('the heartbeat does not follow a link at the name of its draft', async () => {
  await symlink(victim, join(root, '.daemon.json.tmp'));
  const failures: unknown[] = [];
  const spent = { used: 1, per_minute: 60 };
  const heartbeat = createHeartbeat({
    store: openTrial(root, { disk: machineDisk }).store,
    onFailure: (error) => failures.push(error),
    take: () => ({
      version: 1,
      pid: 1,
      host: null,
      boot: null,
      started_at: '2026-11-21T09:00:00.000Z',
      written_at: '2026-11-21T09:00:00.000Z',
      state: 'running',
      syncs: [],
      configuration: { left_out: [], refused: null },
      budget: { crm: spent, sheet_reads: spent, sheet_writes: spent },
      account_budgets: [],
    }),
  });
  await heartbeat.end();
  expect(await readFile(victim, 'utf8')).toBe('mine');
  expect((await lstat(join(root, '.daemon.json'))).isSymbolicLink()).toBe(false);
  expect(await readHeartbeat(openTrial(root).store)).toMatchObject({ state: 'running' });
  expect(failures).toEqual([]);
});

test.each(['base.json.tmp', 'base.log.tmp', 'outbox.json.tmp', 'outbox.log.tmp'])(
  'the state does not follow a link at the name of its draft %s',
  async (name) => {
    const folder = join(root, 'state', 'prospects');
    await mkdir(folder, { recursive: true });
    await symlink(victim, join(folder, name));
    const { store } = openTrial(join(root, 'state'), { foldFloorBytes: 1, disk: machineDisk });
    await commitAll(store, 'prospects', [fact(1), enrolment(1), fact(2), enrolment(2)]);
    expect(await readFile(victim, 'utf8')).toBe('mine');
    expect((await store.sync('prospects').load()).facts.get('cursor')).toEqual({ at: 2 });
  },
);

test.each([
  ['the history of the day', 'history/2026-01-31.ndjson', /2026-01-31\.ndjson: a symbolic link.*Remove it/],
  // An unreadable log is set aside, also if it is a link.
  ['the log', 'base.log', /^went on$/],
])('nothing is written through a link in place of %s', async (_, name, expected) => {
  const folder = join(root, 'state', 'prospects');
  const { store } = openTrial(join(root, 'state'), { disk: machineDisk });
  await commitAll(store, 'prospects', [fact(1)]);
  await mkdir(join(folder, 'history'), { recursive: true });
  await rm(join(folder, name), { force: true });
  await symlink(victim, join(folder, name));
  const work = async () => {
    const again = openTrial(join(root, 'state'), { disk: machineDisk }).store;
    await using lease = await again.sync('prospects').acquireLease();
    await lease.load();
    await lease.commit(fact(2));
    await lease.appendHistory([historyLine('2026-01-31T12:00:00Z')]);
  };
  const outcome = await work().then(
    () => 'went on',
    (error: unknown) => String(error),
  );
  expect(outcome).toMatch(expected);
  expect(await readFile(victim, 'utf8')).toBe('mine');
  expect(existsSync(victim)).toBe(true);
});
