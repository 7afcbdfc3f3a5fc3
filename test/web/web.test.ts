import { expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import type { JobStatus } from '../../src/engine/standing.ts';
import { createWeb, type WebOptions } from '../../src/web/app.ts';
import { listen } from '../../src/web/listen.ts';
import { createMetrics } from '../../src/web/metrics.ts';
import { createDaemonTrial, until } from '../support/daemon.ts';
import { openLogins } from '../support/logins.ts';

const status = (given: Partial<JobStatus> = {}): JobStatus => ({
  name: 'prospects',
  phase: 'idle',
  hasRun: true,
  failuresInARow: 0,
  ...given,
});

function open(options: Partial<WebOptions> = {}) {
  return createWeb({
    host: '127.0.0.1',
    metrics: { render: () => Promise.resolve('leadsheet_up 1\n'), contentType: 'text/plain; version=0.0.4' },
    status: () => [status()],
    isDraining: () => false,
    stalledMs: () => 0,
    ...options,
  });
}

test('health is good while the timers fire, and shows how late they are when they do not', async () => {
  expect((await open().request('/healthz')).status).toBe(200);
  const stalled = await open({ stalledMs: () => 45_000 }).request('/healthz');
  expect([stalled.status, await stalled.text()]).toEqual([503, 'stalled: timers are 45 s late\n']);
});

test('it is ready once every sync has ended a run, successful or not, and not ready after its end', async () => {
  const first = await open({ status: () => [status(), status({ hasRun: false })] }).request('/readyz');
  expect([first.status, await first.text()]).toEqual([503, 'some syncs are still in their first run\n']);
  const failing = await open({ status: () => [status({ phase: 'backing-off' })] }).request('/readyz');
  expect(failing.status).toBe(200);
  expect((await open({ isDraining: () => true }).request('/readyz')).status).toBe(503);
});

test('metrics need the password, if there is one; health and readiness do not', async () => {
  const web = open({ access: await openLogins({ password: new Secret('correct horse') }) });
  const as = (password: string) => ({ headers: { authorization: `Basic ${btoa(`anybody:${password}`)}` } });
  const statuses = await Promise.all(
    [
      web.request('/metrics'),
      web.request('/metrics', as('correct horse')),
      web.request('/healthz'),
      web.request('/readyz'),
      web.request('/nothing-here'),
    ].map(async (answer) => (await answer).status),
  );
  expect(statuses).toEqual([401, 200, 200, 200, 401]);
});

test('a port that is taken gives one clear line', async () => {
  const first = await listen(open(), { host: '127.0.0.1', port: 0 });
  onTestFinished(() => first[Symbol.asyncDispose]());
  const { port } = new URL(first.url);
  await expect(listen(open(), { host: '127.0.0.1', port: Number(port) })).rejects.toThrow(
    `server.listen: port ${port} of 127.0.0.1 is taken by another process; end that one, or set another port`,
  );
  await expect(listen(open(), { host: '203.0.113.1', port: 0 })).rejects.toThrow('is no address of this machine');
});

test('the figures of the process stand once among the metrics of each daemon that it had', async () => {
  const nobody = {
    status: () => [],
    usage: () => [],
    accountOf: () => undefined,
    now: () => 0,
    isStopping: () => false,
  };
  const told = [createMetrics(nobody), createMetrics(nobody)].map(async (each) => {
    const types = (await each.render()).split('\n').filter((line) => line.startsWith('# TYPE '));
    return ['process_cpu_seconds_total', 'nodejs_gc_duration_seconds', 'leadsheet_runs_total'].map(
      (name) => types.filter((line) => line.startsWith(`# TYPE ${name} `)).length,
    );
  });
  expect(await Promise.all(told)).toEqual([
    [1, 1, 1],
    [1, 1, 1],
  ]);
});

test('metrics of a daemon at work, over HTTP', async () => {
  const trial = createDaemonTrial({ file: { server: { listen: '127.0.0.1:0' } } });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  const begunAt = Date.now();
  const { url } = await trial.begin();
  await until(() => trial.said('run ended').some(({ counts }) => Object.keys(counts as object).length === 1));
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const response = await fetch(`${url}/metrics`);
  const lines = (await response.text()).split('\n');
  const value = (name: string) => Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1]);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(value('leadsheet_runs_total{sync="prospects",status="succeeded"}')).toBeGreaterThan(0);
  expect(value('leadsheet_changes_total{sync="prospects",side="sheet",op="append",outcome="done"}')).toBe(1);
  expect(value('leadsheet_linked_records{sync="prospects"}')).toBe(1);
  expect(value('leadsheet_quarantined_rows{sync="prospects"}')).toBe(0);
  expect(value('leadsheet_problems{sync="prospects",kind="conflict"}')).toBe(0);
  expect(value('leadsheet_lag_seconds{sync="prospects"}')).toBeLessThanOrEqual((Date.now() - begunAt) / 1_000);
  expect(value('leadsheet_sync_phase{sync="prospects",phase="stopped"}')).toBe(0);
  expect(value('leadsheet_run_duration_seconds_count{sync="prospects"}')).toBeGreaterThan(1);
  expect(value('nodejs_heap_size_used_bytes')).toBeGreaterThan(1e6);
  expect(value('leadsheet_calls_total{budget="crm"}')).toBeGreaterThan(1);
  expect(value('leadsheet_calls_total{budget="sheet_reads"}')).toBeGreaterThan(1);
  expect(value('leadsheet_budget_used_ratio{budget="sheet_writes"}')).toBeGreaterThan(0);
});
