import { writeFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { openTrial } from '../../support/state.ts';
import { readHeartbeat } from '../../../src/daemon/heartbeat.ts';
import { pause, resume } from '../../../src/operator/pause.ts';
import { ann, operatorOf } from '../../operator/support.ts';
import { createDaemonTrial, until, webhookUrl } from '../../support/daemon.ts';

afterEach(() => void vi.useRealTimers());

const withAlerts = { alerts: { webhook_url: webhookUrl } };

test('it keeps both sides equal by itself, from the first run on', async () => {
  const trial = createDaemonTrial();
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  await trial.begin();
  await until(() => trial.grid().length === 1);
  trial.addContact({ first_name: 'Bob', email: 'bob@firm.io' });
  await until(() => trial.grid().length === 2);
  expect(trial.said('change done').at(-1)).toMatchObject({ side: 'sheet', op: 'append', level: 'info' });
});

test('a feed is kept by its schedule like a sync, and ends with the daemon', async () => {
  const columns = { ID: 'uuid', Name: 'name', Status: 'status' };
  const flows = { resource: 'automations', schedule: '* * * * * *', control: true, columns };
  const trial = createDaemonTrial({ values: [[]], feeds: { flows } });
  const { automations } = trial.service.model;
  const flow = automations.add({ name: 'Q3', status: 'off' });
  const { daemon, stop } = await trial.begin();
  await until(() => trial.grid().length === 1);
  trial.person.type("'Prospects'!C2", 'on');
  await until(() => automations.table.get(flow.uuid).status === 'on');
  expect(daemon.status()).toMatchObject([{ name: 'flows', lastRun: { status: 'succeeded' } }]);
  expect(daemon.status()[0]!.nextFullScanAt).toBeUndefined();
  expect(await stop()).toEqual([]);
});

test('W10: an edited cell is sent once it has stood still', async () => {
  const trial = createDaemonTrial({ sync: { settle_secs: 2 } });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  await trial.begin();
  await until(() => trial.grid().length === 1 && trial.said('run ended').length > 2);
  const typedAt = Date.now();
  trial.person.type("'Prospects'!A2", 'Anna');
  await until(() => trial.contacts()[0]?.first_name === 'Anna');
  expect(Date.now() - typedAt).toBeGreaterThan(1_900);
});

test('a sync that fails backs off and is told; the others go on', async () => {
  const trial = createDaemonTrial({
    file: withAlerts,
    others: { broken: { sheet: { spreadsheet: 'there-is-no-such-spreadsheet-at-all-0000', tab: 'None' } } },
  });
  await trial.begin();
  await until(() => trial.said('run ended', 'prospects').length > 3);
  expect(trial.said('run ended', 'broken')).toHaveLength(1);
  expect(trial.said('backing off', 'broken')).toMatchObject([{ failures: 1 }]);
  expect(trial.alerts).toMatchObject([{ event: 'failed', sync: 'broken', previous: 'succeeded' }]);
});

test('W6: a refused token stops the sync, which is said once', async () => {
  const trial = createDaemonTrial({
    file: withAlerts,
    around: (request, next) => {
      if (!request.url.includes(':4010')) return next(request);
      return Promise.resolve(Response.json({ message: 'Unauthenticated.' }, { status: 401 }));
    },
  });
  const { daemon } = await trial.begin();
  await until(() => trial.said('sync stopped until its cause is removed; then run leadsheet reload').length > 0);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(trial.said('sync stopped until its cause is removed; then run leadsheet reload')).toHaveLength(1);
  expect(trial.alerts).toMatchObject([{ event: 'stopped', sync: 'prospects' }]);
  expect(daemon.trigger('prospects')).toBe('stopped');
  expect(daemon.status()).toMatchObject([{ phase: 'stopped' }]);
});

test('W8: the end waits for calls in flight and begins nothing, and the next process continues', async () => {
  let isSlow = false;
  const stopped = Promise.withResolvers<void>();
  const trial = createDaemonTrial({
    around: async (request, next) => {
      const answer = await next(request);
      if (isSlow && request.method !== 'GET') await stopped.promise;
      return answer;
    },
  });
  const { stop } = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  isSlow = true;
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  await until(() => trial.said('run started').length > trial.said('run ended').length);
  const ending = stop();
  stopped.resolve();
  expect(await ending).toEqual([]);
  expect(trial.lines.at(-1)?.msg).toBe('leadsheet ended');
  expect(await readHeartbeat(openTrial(trial.stateFolder).store)).toMatchObject({ state: 'ended' });
  isSlow = false;
  await trial.begin();
  await until(() => trial.grid().length === 1);
});

test('W8: a call that does not come back is given up on after nine seconds, by name', async () => {
  let hanging = 0;
  const trial = createDaemonTrial({
    around(request, next) {
      if (request.method !== 'POST' || !/:4010.*(upsert|leads)$/.test(request.url)) return next(request);
      hanging += 1;
      return new Promise(() => undefined);
    },
  });
  const { stop } = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  trial.person.paste("'Prospects'!A2", [['Bob', 'Row', 'Firm', 'bob@firm.io']]);
  await until(() => hanging > 0);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let isOver = false;
  const ending = stop().finally(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(8_999);
  expect(isOver).toBe(false);
  // W8 gives ten seconds. From here on no timer ends by itself.
  await vi.advanceTimersByTimeAsync(1_001);
  expect(await ending).toEqual(['prospects']);
  expect(trial.lines.at(-2)).toMatchObject({ level: 'error', syncs: ['prospects'] });
});

test('a restart repeats no alert, and runs the full scan that was missed', async () => {
  const trial = createDaemonTrial({
    file: withAlerts,
    sync: { sheet: { spreadsheet: 'there-is-no-such-spreadsheet-at-all-0000', tab: 'None' } },
  });
  const { stop } = await trial.begin();
  await until(() => trial.alerts.length === 1);
  await stop();
  const beat = (await readHeartbeat(openTrial(trial.stateFolder).store))!;
  expect(beat.syncs).toMatchObject([{ name: 'prospects', last_run: { status: 'failed' }, told: { state: 'failed' } }]);
  const missed = { ...beat, syncs: beat.syncs.map((sync) => ({ ...sync, next_full_scan_at: beat.started_at })) };
  writeFileSync(`${trial.stateFolder}/.daemon.json`, JSON.stringify(missed));
  await trial.begin();
  await until(() => trial.said('run ended').length === 2);
  expect(trial.said('run started').map((line) => line['full_scan'])).toEqual([false, true]);
  expect(trial.alerts).toHaveLength(1);
});

test('L12: an alert that is under way when the process ends is told by the next process', async () => {
  let answers = 0;
  const { promise: never } = Promise.withResolvers<Response>();
  const trial = createDaemonTrial({
    file: withAlerts,
    sync: { sheet: { spreadsheet: 'there-is-no-such-spreadsheet-at-all-0000', tab: 'None' } },
    webhook: () => ((answers += 1) === 1 ? never : new Response()),
  });
  const first = await trial.begin();
  await until(() => trial.alerts.length === 1);
  await first.stop();
  const second = await trial.begin();
  await until(() => trial.alerts.length === 2);
  expect(trial.alerts).toMatchObject([{ event: 'failed' }, { event: 'failed' }]);
  // The next one knows that it was told.
  await second.stop();
  const third = await trial.begin();
  await until(() => third.daemon.status()[0]!.hasRun);
  await third.stop();
  expect(trial.alerts).toHaveLength(2);
});

test('W13: a full scan that came during a pause follows it, also after a restart', async () => {
  const trial = createDaemonTrial({ sync: { full_scan: '* * * * * *' } });
  const operator = operatorOf(trial);
  const { daemon, stop } = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  await pause(operator, ann, { name: 'prospects' });
  await until(() => daemon.status()[0]!.phase === 'paused');
  await until(() => daemon.status()[0]!.nextFullScanAt! <= Date.now());
  await stop();
  await resume(operator, ann, 'prospects');
  const before = trial.said('run started').length;
  await trial.begin();
  await until(() => trial.said('run started').length > before);
  expect(trial.said('run started')[before]).toMatchObject({ full_scan: true });
});
