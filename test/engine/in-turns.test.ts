// What a process remembers of its last run says nothing once another process has run the job (W14, W18, G5).
import { expect, it } from 'vitest';
import { tabTitle } from '../support/app.ts';
import { quiet } from './happenings.ts';

it('W14, W18, L5: an edit that another process sent, and that is taken back, is sent as well', async () => {
  const trial = await quiet();
  await trial.run();
  await trial.run();
  const [header = [], , row = []] = trial.person.read(tabTitle);
  const [email, company] = ['Email', 'Company'].map((name) => row[header.indexOf(name)] as string);
  trial.type(email!, 'Company', 'Other');
  expect((await trial.cli('sync', 'prospects')).code).toBe(0);
  expect(trial.contactOf(email!)['company_name']).toBe('Other');
  trial.type(email!, 'Company', company!);
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
  expect(trial.contactOf(email!)['company_name']).toBe(company);
});

it('L5, I2: a contact without a row that a run of another process found gets its row as soon as it can have one', async () => {
  const trial = await quiet();
  await trial.run();
  await trial.run();
  // Nothing says that it changed of late: only a full scan shows it.
  const fields = { list_uuid: trial.list.uuid, first_name: 'N', work_email: 'n@firm.io' };
  trial.service.model.contacts.add({ fields }, Date.now() - 3_600_000);
  trial.person.paste(`'${tabTitle}'!A8`, [
    ['N', '', '', 'n@firm.io'],
    ['N', '', '', 'n@firm.io'],
  ]);
  expect((await trial.cli('sync', 'prospects', '--full')).stdout).toContain('row:9: quarantined');
  trial.person.deleteRows(tabTitle, 9);
  trial.person.deleteRows(tabTitle, 8);
  await trial.run();
  expect(trial.grid().filter(({ Email }) => Email === 'n@firm.io')).toHaveLength(1);
});
