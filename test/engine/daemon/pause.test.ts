import { expect, test } from 'vitest';
import type { Store, SyncState } from '../../../src/state/port.ts';
import { pause, resume } from '../../../src/operator/pause.ts';
import { ann, operatorOf } from '../../operator/support.ts';
import { createDaemonTrial, until } from '../../support/daemon.ts';

/* A job that a person paused, in a daemon. */

const name = 'prospects';
const secret = 'kept-between-you-and-me-since-2026';
const file = { server: { listen: '127.0.0.1:0', hook_secret: secret } };

test('W13: neither schedule nor hook runs a paused job, over a restart; a resumed one goes on; it is ready and has no lag', async () => {
  const trial = createDaemonTrial({ file });
  const operator = operatorOf(trial);
  const first = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  await pause(operator, ann, { name, reason: 'moving' });
  await until(() => first.daemon.status()[0]!.phase === 'paused');
  const runs = () => trial.said('run started').length;
  const before = runs();
  const post = (url: string | undefined) =>
    fetch(`${url}/hooks/${name}`, { method: 'POST', headers: { authorization: `Bearer ${secret}` } });
  const refused = await post(first.url);
  expect([refused.status, await refused.json()]).toEqual([
    409,
    { sync: name, answer: 'paused', why: `a person paused it: leadsheet resume ${name}` },
  ]);
  // Three slots of its schedule pass.
  await new Promise((resolve) => setTimeout(resolve, 3_100));
  expect(runs()).toBe(before);
  await first.stop();
  const second = await trial.begin();
  await until(() => second.daemon.status()[0]!.phase === 'paused');
  expect(runs()).toBe(before);
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
  const metrics = await (await fetch(`${second.url}/metrics`)).text();
  expect(metrics).toContain('leadsheet_sync_phase{sync="prospects",phase="paused"} 1');
  expect(metrics).not.toMatch(/^leadsheet_lag_seconds\{/m);
  await resume(operator, ann, name);
  expect((await post(second.url)).status).toBe(202);
  await until(() => runs() > before);
  await until(() => second.daemon.status()[0]!.phase === 'idle');
  expect(await (await fetch(`${second.url}/metrics`)).text()).toMatch(/^leadsheet_lag_seconds\{sync="prospects"\}/m);
});

/** The store of the trial, with other answers of its jobs. */
function storeWith(store: Store, other: (state: SyncState) => Partial<SyncState>): Store {
  const states = new Map<string, SyncState>();
  return {
    ...store,
    sync(of) {
      const state = store.sync(of);
      const known = states.get(of) ?? { ...state, ...other(state) };
      states.set(of, known);
      return known;
    },
  };
}

test('W13: a job is paused also while its pause cannot be written into the history', async () => {
  const trial = createDaemonTrial();
  const { store, now } = operatorOf(trial);
  const at = new Date(now()).toISOString();
  const origin = { by: 'ann', at, through: 'cli', text: 'paused', seen: { status: null } };
  const first = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  await first.stop();
  await store.sync(name).addRequest({ kind: 'pause', origin });
  const before = trial.said('run started').length;
  const withoutLease = storeWith(store, (state) => ({
    acquireLease: (options) =>
      options?.waitMs === 0 ? Promise.reject(new Error('no lease')) : state.acquireLease(options),
  }));
  const second = await trial.begin({ store: withoutLease });
  await until(() => second.daemon.status()[0]!.phase === 'paused');
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(trial.said('run started')).toHaveLength(before);
});

test('W13: a job that was paused does not run when the state cannot be read for a moment', async () => {
  const trial = createDaemonTrial();
  const operator = operatorOf(trial);
  let isAway = false;
  let looks = 0;
  const store = storeWith(operator.store, (state) => ({
    loadSome(wanted) {
      looks += 1;
      return isAway ? Promise.reject(new Error('away')) : state.loadSome(wanted);
    },
  }));
  const { daemon } = await trial.begin({ store });
  await until(() => trial.said('run ended').length > 0);
  await pause(operator, ann, { name });
  await until(() => daemon.status()[0]!.phase === 'paused');
  const before = trial.said('run started').length;
  isAway = true;
  const seen = looks;
  await until(() => looks > seen + 3);
  isAway = false;
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(trial.said('run started')).toHaveLength(before);
});

test('W13: a run that a person asked for, and that waits behind another one, is not done once somebody pauses the job', async () => {
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
  let isHeld = false;
  const trial = createDaemonTrial({
    async around(request, next) {
      if (isHeld) await gate;
      return next(request);
    },
  });
  const { daemon } = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  isHeld = true;
  await until(() => trial.said('run started').length > trial.said('run ended').length);
  const waiting = trial.cli('sync', name);
  await until(() => trial.lines.length > 0 && daemon.status()[0]!.phase === 'running');
  await new Promise((resolve) => setTimeout(resolve, 500));
  await pause(operatorOf(trial), ann, { name, reason: 'moving' });
  const before = trial.said('run started').length;
  letGo();
  const { code, stderr } = await waiting;
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      'prospects was not run: somebody paused it before its turn came. To run it all the same: leadsheet sync prospects --even-if-paused',
    ),
  ]);
  expect(trial.said('run started')).toHaveLength(before);
  expect((await trial.cli('sync', name, '--even-if-paused')).code).toBe(0);
});
