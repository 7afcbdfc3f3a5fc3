import { promises as fs, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createDaemonTrial, until, webhookUrl } from '../../support/daemon.ts';

const withAlerts = { alerts: { webhook_url: webhookUrl } };
const broken = () => Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } }));

test('a service that fails during a run is named; when it is back the sync goes on and reports the recovery', async () => {
  let calls = 0;
  let isGone = false;
  const trial = createDaemonTrial({
    file: withAlerts,
    around: (request, next) => {
      if (request.url.includes(':4010')) calls += 1;
      return request.url.includes(':4010') && isGone && calls > 1 ? broken() : next(request);
    },
  });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  const { daemon } = await trial.begin();
  await until(() => trial.grid().length === 1 && trial.said('run ended').length > 1);
  calls = 0;
  isGone = true;
  await until(() => trial.alerts.length === 1);
  expect(trial.alerts).toMatchObject([{ event: 'failed', reason: expect.stringContaining('the connection broke') }]);
  expect(trial.alerts[0]?.['counts']).toMatchObject({ linked: 1, appended: 0 });
  isGone = false;
  expect(daemon.trigger('prospects')).toBe('backing-off');
  await until(() => trial.alerts.length === 2);
  expect(trial.alerts[1]).toMatchObject({ event: 'recovered', previous: 'failed' });
});

test('a full disk is named, nothing is lost, and it goes on when there is room', async () => {
  const trial = createDaemonTrial();
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  await trial.begin();
  await until(() => trial.grid().length === 1);
  const open = fs.open.bind(fs);
  const full = vi.spyOn(fs, 'open').mockImplementation(async (path, flags, mode) => {
    if (flags === 'r') return open(path, flags, mode);
    throw Object.assign(new Error(`ENOSPC: no space left on device, open '${String(path)}'`), { code: 'ENOSPC', path });
  });
  syncBuiltinESMExports();
  const restore = () => {
    full.mockRestore();
    syncBuiltinESMExports();
  };
  onTestFinished(restore);
  trial.addContact({ first_name: 'Bob', email: 'bob@firm.io' });
  await until(() => trial.said('run ended').some(({ status }) => status === 'failed'));
  expect(trial.said('run ended').at(-1)?.['reason']).toContain('the disk is full');
  restore();
  await until(() => trial.said('run ended').at(-1)?.['status'] === 'succeeded');
  expect(trial.grid().map((row) => row['First name'])).toEqual(['Ann', 'Bob']);
});

test('a state folder that cannot be written is named, for the sync and for the heartbeat, and neither ends the process', async () => {
  const trial = createDaemonTrial();
  writeFileSync(trial.stateFolder, 'a file where the folder should be');
  const { daemon } = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  expect(trial.said('run ended')).toMatchObject([{ status: 'failed', reason: expect.stringContaining('folder') }]);
  const unwritten = 'the heartbeat cannot be written; syncs go on';
  await until(() => trial.said(unwritten).length > 0);
  const { err } = trial.said(unwritten)[0]!;
  expect(err).toEqual({ type: expect.any(String), message: expect.stringContaining(trial.stateFolder) });
  expect(daemon.status()).toMatchObject([{ phase: 'backing-off' }]);
});
