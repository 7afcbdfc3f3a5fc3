import { expect, test } from 'vitest';
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
