// A job that is renamed while its run goes on.
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { expect, test } from 'vitest';
import { createDaemonTrial, until } from '../../support/daemon.ts';

test('L8: a sync that is renamed by a reload during its run appends no row twice', async () => {
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
  let appends = 0;
  const trial = createDaemonTrial({
    async around(request, next) {
      const isAppend = request.url.includes(':batchUpdate') && (await request.clone().text()).includes('ann@firm.io');
      if (isAppend && (appends += 1) === 1) await gate;
      return next(request);
    },
  });
  const { daemon, reload } = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  await until(() => appends === 1);
  const { syncs, ...rest } = parse(readFileSync(trial.configFile, 'utf8'));
  writeFileSync(trial.configFile, stringify({ ...rest, syncs: { leads: syncs.prospects } }));
  expect(await reload()).toMatchObject({ outcome: 'taken up', added: ['leads'], removed: ['prospects'] });
  // Two slots of its schedule pass.
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  letGo();
  await daemon.left();
  await until(() => trial.said('run ended', 'leads').length > 1);
  expect(trial.grid()).toMatchObject([{ Email: 'ann@firm.io' }]);
  expect(daemon.status()).toMatchObject([{ name: 'leads', lastRun: { status: 'succeeded', counts: { linked: 1 } } }]);
});
