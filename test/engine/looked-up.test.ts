// The look before a write is a search, which lags. What a lookup of the run showed of a contact counts there, too (W3, L1).
import { describe, expect, it } from 'vitest';
import { createSyncTrial, tabTitle } from '../support/app.ts';
import { createEnrolmentTrial } from './enrolment/support.ts';

const header = ['First name', 'Company', 'Email', 'Profile', 'Status'];
const columns = { 'First name': 'first_name', Company: 'company_name', Email: 'email', Profile: 'network_id' };

/** Ann and Bob are linked, and the search lags by a minute from then on. */
async function lagging(sync: Record<string, unknown> = {}) {
  const trial = createSyncTrial({ values: [header], columns, sync: { match: ['network_id', 'email'], ...sync } });
  trial.addContact({ first_name: 'Ann', company_name: 'Firm', email: 'ann@firm.io', network: 'ann' });
  trial.addContact({ first_name: 'Bob', company_name: 'Firm', email: 'bob@firm.io', network: 'bob' });
  await trial.run();
  trial.service.switches.searchLagMs = 60_000;
  const elsewhere = trial.service.model.lists.add({ name: 'Elsewhere' });
  const ann = trial.contactOf('ann@firm.io');
  /** A person edits Ann in the service, in a way that the search does not show yet. */
  const editAnn = (fields: Record<string, string>) => trial.service.model.contacts.change(ann.uuid, { fields });
  const moveAnn = () => trial.service.model.contacts.change(ann.uuid, { fields: { list_uuid: elsewhere.uuid } });
  const annNow = () => trial.contacts().find(({ uuid }) => uuid === ann.uuid)!;
  return { trial, editAnn, moveAnn, annNow };
}

describe('W3, L1: an edit that a lookup of the run showed is not written over', () => {
  it('W3, L1: the lookup of a row that lost its ID shows its contact edited, and in another list', async () => {
    const { trial, editAnn, moveAnn, annNow } = await lagging({ conflict: 'sheet' });
    trial.type('ann@firm.io', 'Company', 'By hand');
    trial.type('ann@firm.io', 'Contact ID', '');
    editAnn({ company_name: 'By the CRM' });
    moveAnn();
    await trial.run();
    expect(trial.crmCalls('contacts.lookup-one')).toHaveLength(1);
    expect(annNow().company_name).toBe('By the CRM');
  });

  it('W3, L1: the lookup of a typed key shows that key’s contact, which is in another list by now', async () => {
    const { trial, editAnn, moveAnn, annNow } = await lagging();
    trial.type('ann@firm.io', 'Company', 'By hand');
    editAnn({ company_name: 'By the CRM', work_email: 'new@firm.io' });
    moveAnn();
    trial.type('bob@firm.io', 'Email', 'new@firm.io');
    await trial.run();
    expect(annNow().company_name).toBe('By the CRM');
  });

  it('W3, L1: the lookup of another new row shows the contact, which is in another list by now', async () => {
    const { trial, editAnn, moveAnn, annNow } = await lagging();
    trial.type('ann@firm.io', 'Company', 'By hand');
    editAnn({ company_name: 'By the CRM', work_email: 'new@firm.io' });
    moveAnn();
    trial.person.paste(`'${tabTitle}'!A9`, [['Ann', '', 'new@firm.io', '', '']]);
    await trial.run();
    expect(annNow().company_name).toBe('By the CRM');
  });

  it('W3, L1: a create is answered with the contact, which got that key after the row was looked up', async () => {
    const { trial, editAnn, annNow } = await lagging();
    trial.type('ann@firm.io', 'Company', 'By hand');
    trial.person.paste(`'${tabTitle}'!A9`, [['Ann', '', 'new@firm.io', '', '']]);
    trial.atEachInstant((what) => {
      if (typeof what === 'string' || !what.url.endsWith('/leads/upsert')) return;
      editAnn({ company_name: 'By the CRM', work_email: 'new@firm.io' });
    });
    await trial.run();
    expect(trial.crmCalls('contacts.upsert')).toHaveLength(1);
    expect(annNow().company_name).toBe('By the CRM');
  });

  it('W3, L6: once the search has caught up, the run merges what the lookup had shown', async () => {
    const { trial, editAnn, annNow } = await lagging({ conflict: 'crm' });
    trial.type('ann@firm.io', 'Company', 'By hand');
    trial.type('ann@firm.io', 'Contact ID', '');
    editAnn({ company_name: 'By the CRM' });
    await trial.run();
    trial.service.switches.searchLagMs = 0;
    await new Promise((resolve) => setTimeout(resolve, 70_000));
    await trial.run();
    expect(annNow().company_name).toBe('By the CRM');
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('By the CRM');
  });
});

describe('E4: an enrolment goes by what a lookup of the run showed', () => {
  it.each([
    ['vetoed', { status: 'replied' }, 'vetoed: Status is replied'],
    [
      'in another list',
      { list_uuid: 'elsewhere' },
      'waiting: the contact is not in the list, is looked at in the next run',
    ],
  ])('E4, W3: a contact is %s, and the search does not show it yet', async (_what, edit, told) => {
    const trial = createEnrolmentTrial({ automation: { unless: { Status: ['replied'] } } });
    const [uuid] = await trial.linked('ann@firm.io');
    trial.service.switches.searchLagMs = 60_000;
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    trial.type('ann@firm.io', 'Contact ID', '');
    trial.type('ann@firm.io', 'Company', 'Firm');
    const elsewhere = trial.service.model.lists.add({ name: 'Elsewhere' });
    const fields = 'list_uuid' in edit ? { list_uuid: elsewhere.uuid } : edit;
    trial.service.model.contacts.change(uuid!, { fields });
    await trial.run();
    expect(trial.enrolled()).toEqual([]);
    expect(trial.resultOf('ann@firm.io')).toBe(told);
  });
});
