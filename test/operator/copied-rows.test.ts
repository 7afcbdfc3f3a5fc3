import { expect, test } from 'vitest';
import { createEnrolmentTrial, rowOf } from '../engine/enrolment/support.ts';
import { createOutboxTrial } from '../engine/outbox/support.ts';
import { tabTitle } from '../support/app.ts';

/* The row that lists and decisions name where a person copied it. */

interface Sheet {
  readonly person: {
    read(range: string): readonly (readonly unknown[])[];
    paste(range: string, values: readonly (readonly string[])[]): void;
  };
}

function copyToEnd({ person }: Sheet, row: number): void {
  const grid = person.read(`'${tabTitle}'`);
  person.paste(`'${tabTitle}'!A${grid.length + 1}`, [grid[row - 1] as string[]]);
}

test('I4: enrolments name the row of the contact, and not its copy; cancel of the copied row cancels nothing', async () => {
  const rows = [rowOf('ann@firm.io', 'Welcome'), rowOf('bob@firm.io', 'Welcome')];
  const trial = createEnrolmentTrial({ rows, sync: { limits: { enrolments_per_hour: 1 } } });
  await trial.cli('sync');
  await trial.cli('sync');
  copyToEnd(trial, 3);
  await trial.cli('sync');
  const { stdout } = await trial.cli('enrolments');
  expect(stdout).toContain('bob Wisher <bob@firm.io>, row 3, prospects: Welcome');
  expect(stdout).not.toContain('row 4');
  expect(await trial.cli('cancel', 'row:4')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('no enrolment and no message is known of row:4'),
  });
  expect(await trial.cli('cancel', 'row:3')).toMatchObject({ code: 0 });
});

test('P2: outbox names the row of a sent message, and not its copy', async () => {
  const trial = createOutboxTrial();
  await trial.ready(['ann@firm.io', 'Sales', 'Hi', 'yes']);
  await trial.cli('sync');
  copyToEnd(trial, 2);
  await trial.cli('sync');
  expect(trial.rows().at(-1)).toMatchObject({ Sync: expect.stringContaining('copy of row 2') });
  expect((await trial.cli('outbox')).stdout).toContain('ann <ann@firm.io>, messages row 2');
  expect((await trial.cli('cancel', trial.rowWith('Hi')['Outbox ID']!)).stderr).toContain('the message in row 2');
});
