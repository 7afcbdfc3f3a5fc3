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
  console.log(JSON.stringify(report, null, 1));
  console.log(
    trial.grid(),
    trial.contacts().map(({ first_name, work_email }) => [first_name, work_email]),
  );
  const again = await trial.run();
  console.log(JSON.stringify(again.counts), again.cost, again.status, again.problems);
  expect(again.status).toBe('succeeded');
});
