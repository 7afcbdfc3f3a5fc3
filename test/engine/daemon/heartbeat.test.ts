import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openTrial } from '../../support/state.ts';
import { createHeartbeat, type Heartbeat, readHeartbeat } from '../../../src/daemon/heartbeat.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'leadsheet-'))));
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const spent = { used: 1, per_minute: 60 };

function open(given = folder) {
  let taken = 0;
  const failures: unknown[] = [];
  const heartbeat = createHeartbeat({
    store: openTrial(given).store,
    onFailure: (error) => failures.push(error),
    take: (): Heartbeat => ({
      version: 1,
      pid: (taken += 1),
      host: 'here',
      boot: null,
      started_at: '2026-11-21T09:00:00.000Z',
      written_at: '2026-11-21T09:00:00.000Z',
      state: 'running',
      syncs: [],
      configuration: { left_out: [], refused: null },
      budget: { crm: spent, sheet_reads: spent, sheet_writes: spent },
      account_budgets: [{ account: 'acme', budget: { crm: spent, sheet_reads: spent, sheet_writes: spent } }],
    }),
  });
  return { heartbeat, failures, count: () => taken };
}

test("another process reads the daemon's heartbeat, from a file for its account alone", async () => {
  const { heartbeat } = open();
  await heartbeat.end();
  expect(await readHeartbeat(openTrial(folder).store)).toMatchObject({ state: 'running', budget: { crm: spent } });
  expect(readdirSync(folder)).toEqual(['.daemon.json']);
  expect(statSync(join(folder, '.daemon.json')).mode & 0o777).toBe(0o600);
});

test('a heartbeat of an earlier version has no budgets by account, and one of a later version may tell more', async () => {
  const { heartbeat } = open();
  await heartbeat.end();
  const file = join(folder, '.daemon.json');
  const { account_budgets: own, ...earlier } = JSON.parse(readFileSync(file, 'utf8'));
  expect(own).toHaveLength(1);
  writeFileSync(file, JSON.stringify(earlier));
  expect(await readHeartbeat(openTrial(folder).store)).toMatchObject({ budget: { crm: spent }, account_budgets: [] });
  const [acme] = own;
  const later = {
    ...earlier,
    account_budgets: [{ ...acme, more: 1, budget: { ...acme.budget, more: spent } }],
    more: 1,
  };
  writeFileSync(file, JSON.stringify(later));
  expect(await readHeartbeat(openTrial(folder).store)).toMatchObject({ budget: { crm: spent }, account_budgets: own });
});

test('W9: without a change it is written once a minute; many changes at once are one writing or two', async () => {
  vi.useFakeTimers();
  const { heartbeat, count } = open();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(count()).toBe(0);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(count()).toBe(1);
  for (let times = 0; times < 10; times += 1) heartbeat.changed();
  await heartbeat.end();
  expect(count()).toBeLessThanOrEqual(3);
});

test.each([
  ['nothing there', () => undefined],
  ['half a file', () => writeFileSync(join(folder, '.daemon.json'), '{"version": 1, "sy')],
  ['a version of later', () => writeFileSync(join(folder, '.daemon.json'), '{"version": 2}')],
  ['a folder', () => mkdirSync(join(folder, '.daemon.json'))],
])('%s is as good as none', async (_what, arrange) => {
  arrange();
  expect(await readHeartbeat(openTrial(folder).store)).toBeUndefined();
});

test('a folder that cannot be written is told once, and it works again by itself', async () => {
  const place = join(folder, 'state');
  writeFileSync(place, 'a file');
  const { heartbeat, failures } = open(place);
  heartbeat.changed();
  await vi.waitFor(() => expect(failures).toHaveLength(1), { timeout: 100_000 });
  heartbeat.changed();
  rmSync(place);
  await heartbeat.end();
  expect(failures).toHaveLength(1);
  expect(await readHeartbeat(openTrial(place).store)).toBeDefined();
});
