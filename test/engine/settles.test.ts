// Records that wait for a decision are not tried again in every run: each try costs calls and a line of the history.
import { expect, it } from 'vitest';
import { createSyncTrial, tabTitle } from '../support/app.ts';
import { createEnrolmentTrial, rowOf } from './enrolment/support.ts';

it('I4, W9: a copied row is not written, says so, and is not tried again until the copy is gone', async () => {
  const trial = createSyncTrial();
  const { uuid } = trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  await trial.run();
  trial.person.copyPaste(`'${tabTitle}'!2:2`, `'${tabTitle}'!3:3`);
  trial.change('ann@firm.io', { first_name: 'Anna' });
  const report = await trial.run();
  expect(report.problems).toMatchObject([
    { kind: 'held', rule: 'I4', uuid, row: 2, reason: expect.stringContaining('copied to row 3') as string },
    { kind: 'quarantined', rule: 'I4', row: 3 },
  ]);
  const before = { files: trial.stateFiles(), sheet: trial.writes().sheet };
  await trial.run();
  await trial.run({ isFull: true });
  expect({ files: trial.stateFiles(), sheet: trial.writes().sheet }).toEqual(before);

  trial.person.deleteRows(tabTitle, 3);
  await trial.run();
  expect(trial.rowOf('ann@firm.io')).toMatchObject({ 'First name': 'Anna' });
});

it('I3, W9: a create that is answered with an existing contact, by a key that was not sent, is told and not repeated', async () => {
  const trial = createSyncTrial();
  trial.addContact({ first_name: 'Ann', last_name: 'Lee', company_name: 'Acme', email: 'old@firm.io' });
  await trial.run();
  await pass(120_000);
  trial.person.paste(`'${tabTitle}'!A3`, [['Ann', 'Lee', 'Acme', 'new@firm.io']]);
  const report = await trial.run();
  expect(report.problems).toMatchObject([{ kind: 'quarantined', rule: 'I3', row: 3 }]);
  const creates = trial.crmCalls('contacts.upsert').length;
  const files = trial.stateFiles();
  await trial.run();
  await trial.run({ isFull: true });
  expect(trial.crmCalls('contacts.upsert')).toHaveLength(creates);
  expect(trial.stateFiles()).toEqual(files);
});

it('M1 newest, W10: which side is newer is still known when the edit has settled and the contact is not read again', async () => {
  const trial = createSyncTrial({ sync: { conflict: 'newest', settle_secs: 10 } });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  await trial.run();
  await pass(600_000);
  trial.change('ann@firm.io', { first_name: 'Anna' });
  await pass(600_000);
  trial.type('ann@firm.io', 'First name', 'Annie');
  expect((await trial.run({ isAsked: false })).problems).toMatchObject([{ kind: 'waiting', rule: 'W10' }]);
  await pass(30_000);
  expect(await trial.run({ isAsked: false })).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
  expect(trial.contactOf('ann@firm.io').first_name).toBe('Annie');
});

it('E3, W9: a new contact that is skipped for one known by another key is told apart, also after an unknown outcome', async () => {
  const row = rowOf('new@firm.io', 'Welcome', { 'First name': 'Ann', 'Last name': 'Lee', Company: 'Acme' });
  const trial = createEnrolmentTrial({ rows: [row] });
  const elsewhere = trial.service.model.lists.add({ name: 'Elsewhere' }).uuid;
  const known = { first_name: 'Ann', last_name: 'Lee', company_name: 'Acme', email: 'old@firm.io' };
  trial.addContact({ ...known, list_uuid: elsewhere });
  trial.service.faults.inject({ kind: 'blank', when: 'before', operation: 'automations.add-new-lead' });
  for (let runs = 0; runs < 5; runs += 1) {
    await trial.run();
    await pass(120_000);
  }
  expect((await trial.run()).problems).toMatchObject([{ kind: 'quarantined', rule: 'I3', row: 2 }]);
  expect(trial.enrolled()).toEqual([]);
  const [calls, files] = [trial.callsOf('automations.add-new-lead'), trial.stateFiles()];
  await trial.run();
  expect([trial.callsOf('automations.add-new-lead'), trial.stateFiles()]).toEqual([calls, files]);
});

async function pass(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
