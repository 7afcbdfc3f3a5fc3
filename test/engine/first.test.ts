import { expect, it } from 'vitest';
import { createSyncTrial } from '../support/app.ts';

it('puts contacts into the sheet and rows into the CRM', async () => {
  const trial = createSyncTrial({
    values: [
      ['First name', 'Last name', 'Company', 'Email', 'Status'],
      ['Bob', 'Row', 'Firm', 'bob@firm.io', ''],
      ['Cy', 'Both', 'Firm', 'CY@firm.io', ''],
    ],
  });
  trial.addContact({ first_name: 'Ann', last_name: 'Contact', email: 'ann@firm.io' });
  trial.addContact({ first_name: 'Cy', last_name: 'Both', email: 'cy@firm.io' });
  const report = await trial.run();
  expect(report).toMatchObject({ status: 'succeeded', counts: { created: 1, appended: 1, updated: 1 } });
  const names = (rows: readonly Readonly<Record<string, unknown>>[], key: string) =>
    rows.map((row) => String(row[key])).toSorted((a, b) => a.localeCompare(b));
  expect(names(trial.grid(), 'First name')).toEqual(['Ann', 'Bob', 'Cy']);
  expect(names(trial.contacts(), 'first_name')).toEqual(['Ann', 'Bob', 'Cy']);
  expect(names(trial.grid(), 'Contact ID')).toEqual(names(trial.contacts(), 'uuid'));
  const again = await trial.run();
  expect(again).toMatchObject({ status: 'succeeded', counts: { linked: 3, set: 0, updated: 0, appended: 0 } });
});
