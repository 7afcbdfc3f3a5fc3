// Changes of the mapping between two processes.
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import delay from 'delay';
import { expect, it } from 'vitest';
import { createSyncTrial, defaultColumns } from '../support/app.ts';

it('M9, L5: a column that joined the mapping gets the values of contacts that did not change', async () => {
  const { Company: _company, ...columns } = defaultColumns;
  const trial = createSyncTrial({ columns, values: [[...Object.keys(columns), 'Company']] });
  trial.addContact({ first_name: 'Ann', last_name: 'Lee', company_name: 'Acme', email: 'ann@firm.io' });
  await trial.run();
  // A scan for changes goes back ten minutes before the last run that had something to write.
  await delay(3_600_000);
  trial.addContact({ first_name: 'Bob', company_name: 'Baltic', email: 'bob@firm.io' });
  await trial.run();
  await delay(3_600_000);
  const file = parse(readFileSync(trial.configFile, 'utf8')) as {
    syncs: { prospects: { columns: Record<string, unknown> } };
  };
  file.syncs.prospects.columns['Company'] = 'company_name';
  writeFileSync(trial.configFile, stringify(file));
  await trial.start();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 2 } });
  expect(trial.rowOf('ann@firm.io')['Company']).toBe('Acme');
});

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
