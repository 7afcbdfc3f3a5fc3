// Changes of the mapping between two processes.
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { expect, it } from 'vitest';
import { createSyncTrial } from '../support/app.ts';

it('M9, L3: after a column left the mapping, the other columns keep their own base', async () => {
  const trial = createSyncTrial({ sync: { conflict: 'crm' } });
  trial.addContact({ first_name: 'Ann', last_name: 'Lee', company_name: 'Acme', email: 'ann@firm.io' });
  await trial.run();
  const file = parse(readFileSync(trial.configFile, 'utf8')) as {
    syncs: { prospects: { columns: Record<string, unknown> } };
  };
  delete file.syncs.prospects.columns['First name'];
  writeFileSync(trial.configFile, stringify(file));
  await trial.start();
  await trial.run();
  await trial.start();
  trial.type('ann@firm.io', 'Last name', 'Leigh');
  const report = await trial.run();
  expect(report).toMatchObject({ status: 'succeeded', counts: { updated: 1, conflicts: 0 } });
  expect(trial.contactOf('ann@firm.io')).toMatchObject({ last_name: 'Leigh', company_name: 'Acme' });
});
