// A scan lags, and a lookup does not. A run keeps the date of what a lookup showed, so that the next scan does not pass for news.
import { describe, expect, it } from 'vitest';
import type { RunReport } from '../../src/engine/report.ts';
import { createSyncTrial, tabTitle } from '../support/app.ts';
import { createEnrolmentTrial, rowOf } from './enrolment/support.ts';

const header = ['First name', 'Company', 'Email', 'Profile'];
const columns = { 'First name': 'first_name', Company: 'company_name', Email: 'email', Profile: 'network_id' };
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Of the search in these tests. */
const lagMs = 60_000;

interface Story {
  readonly sync?: Record<string, unknown>;
  /** Whether the edit has the second of one that the search shows already. */
  readonly isSameSecond?: boolean;
  /** The cell that was edited, too. A row whose cells are as they were is known without a lookup. */
  readonly edited?: 'Company' | 'First name';
}

/** Ann and Bob are linked since a while, and the search lags by a minute from then on. */
async function linked(sync: Record<string, unknown> = {}) {
  const trial = createSyncTrial({ values: [header], columns, sync: { match: ['network_id', 'email'], ...sync } });
  trial.addContact({ first_name: 'Ann', company_name: 'Firm', email: 'ann@firm.io', network: 'ann' });
  trial.addContact({ first_name: 'Bob', company_name: 'Firm', email: 'bob@firm.io', network: 'bob' });
  await trial.run();
  await wait(10_000);
  const { uuid } = trial.contactOf('ann@firm.io');
  trial.service.switches.searchLagMs = lagMs;
  const change = (fields: Record<string, string>) => trial.service.model.contacts.change(uuid, { fields });
  const annNow = () => trial.contacts().find((each) => each.uuid === uuid)!;
  return { trial, uuid, change, annNow };
}

/** A person edits Ann in the service. Her row lost its ID, so that a run looks her up and sees that before the search does. */
async function shownByLookup({ sync = {}, isSameSecond = false, edited = 'Company' }: Story = {}) {
  const story = await linked(sync);
  const { trial, change } = story;
  if (isSameSecond) {
    await wait(1000 - (Date.now() % 1000));
    trial.service.switches.searchLagMs = 0;
    change({ position: 'Clerk' });
    trial.service.switches.searchLagMs = lagMs;
  }
  const { updated_at: before } = story.annNow();
  change({ company_name: 'By the CRM', first_name: edited === 'Company' ? 'Ann' : 'By the CRM' });
  expect(story.annNow().updated_at === before).toBe(isSameSecond);
  trial.type('ann@firm.io', edited, 'By hand');
  trial.type('ann@firm.io', 'Contact ID', '');
  return { ...story, first: await trial.run() };
}

it('I5, I8, L1: nor does one that lags behind the answer for a contact which the search did not show, where its row lost its ID', async () => {
  const trial = createSyncTrial({ values: [header], columns, sync: { match: ['email'], conflict: 'manual' } });
  trial.service.switches.searchLagMs = lagMs;
  trial.person.paste(`'${tabTitle}'!A2`, [['Ann', 'Firm', 'ann@firm.io', '']]);
  await trial.run();
  await wait(lagMs / 2);
  trial.change('ann@firm.io', { company_name: 'By the CRM' });
  trial.type('ann@firm.io', 'Contact ID', '');
  await trial.run();
  expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'By the CRM' });
  trial.type('ann@firm.io', 'First name', 'Anna');
  await wait(lagMs / 2 + 5_000);
  await trial.run({ isFull: true });
  expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'By the CRM' });
  expect(trial.contactOf('ann@firm.io')).toMatchObject({ company_name: 'By the CRM' });
});

const kindsOf = ({ problems }: RunReport) => problems.map(({ kind }) => kind);

describe('I8, L1: a scan that lags behind a lookup of an earlier run', () => {
  it.each([false, true])('does not undo a conflict (whole scan: %s)', async (isFull) => {
    const { trial, annNow, first } = await shownByLookup();
    expect(kindsOf(first)).toEqual(['conflict']);
    expect(kindsOf(await trial.run({ isFull }))).toEqual(['conflict']);
    expect(annNow().company_name).toBe('By the CRM');
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('By hand');
  });

  it('does not undo it in the second of an edit that the search shows', async () => {
    const { trial, annNow, first } = await shownByLookup({ isSameSecond: true });
    expect(kindsOf(first)).toEqual(['conflict']);
    expect(kindsOf(await trial.run())).toEqual(['conflict']);
    expect(annNow().company_name).toBe('By the CRM');
  });

  it('reads a later edit of the same second once the search has caught up', async () => {
    const { trial, change } = await shownByLookup({ isSameSecond: true, edited: 'First name' });
    change({ company_name: 'Right after' });
    await wait(lagMs + 1000);
    await trial.run();
    await wait(60_000);
    await trial.run();
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('Right after');
  });

  it('does not put an earlier value into the cell, nor send an edit of the cell over what it does not show', async () => {
    const { trial, annNow } = await shownByLookup({ edited: 'First name' });
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('By the CRM');
    await trial.run();
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('By the CRM');
    trial.type('ann@firm.io', 'Company', 'Third');
    await trial.run();
    expect(annNow()).toMatchObject({ company_name: 'By the CRM', first_name: 'By the CRM' });
    await wait(lagMs);
    await trial.run();
    expect(annNow().company_name).toBe('Third');
  });

  it('is believed again once it has caught up', async () => {
    const { trial, annNow, change } = await shownByLookup();
    await wait(lagMs);
    expect(kindsOf(await trial.run())).toEqual(['conflict']);
    change({ company_name: 'By hand' });
    await wait(lagMs);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expect(annNow().company_name).toBe('By hand');
  });

  it('M1: a decision for the cell waits for the search, and one for the contact does not', async () => {
    const forCell = await shownByLookup();
    await forCell.trial.cli('resolve', `${forCell.uuid}/company_name`, '--use', 'sheet');
    await forCell.trial.run();
    expect(forCell.annNow().company_name).toBe('By the CRM');
    await wait(lagMs);
    await forCell.trial.run();
    expect(forCell.annNow().company_name).toBe('By hand');

    const forContact = await shownByLookup();
    await forContact.trial.cli('resolve', `${forContact.uuid}/company_name`, '--use', 'crm');
    await forContact.trial.run();
    expect(forContact.trial.rowOf('ann@firm.io')['Company']).toBe('By the CRM');
    expect(forContact.annNow().company_name).toBe('By the CRM');
  });

  it.each(['mark', 'delete_row'] as const)('D3: the contact is deleted meanwhile (%s)', async (onContactDeleted) => {
    const { trial, uuid } = await shownByLookup({ sync: { on_contact_deleted: onContactDeleted } });
    trial.service.model.contacts.remove(uuid);
    await trial.run({ isFull: true });
    await wait(lagMs);
    await trial.run({ isFull: true });
    await wait(lagMs);
    const last = await trial.run({ isFull: true });
    expect(last.problems).toMatchObject([{ rule: 'D3', reason: expect.stringContaining('deleted in the CRM') }]);
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('By hand');
    expect(trial.contacts()).toHaveLength(1);
  });
});

/** Ann was created half a minute ago, and edited since: a call for her alone shows that, and the search shows her in half a minute. */
async function justCreated(sync: Record<string, unknown> = {}) {
  const trial = createSyncTrial({ values: [header, ['Ann', 'Firm', 'ann@firm.io', 'ann']], columns, sync });
  trial.service.switches.searchLagMs = lagMs;
  await trial.run();
  const { uuid } = trial.contactOf('ann@firm.io');
  const change = (fields: Record<string, string>) => trial.service.model.contacts.change(uuid, { fields });
  const annNow = () => trial.contacts().find((each) => each.uuid === uuid);
  await wait(lagMs / 2);
  /** By now the search shows Ann as she was created, and not as she was edited. */
  const untilItShowsHer = () => wait(lagMs / 2 + 1_000);
  return { trial, change, annNow, untilItShowsHer };
}

describe('W3, L1: the search begins to show a new contact, but not the edit that the look of an earlier run showed', () => {
  it.each(['Company', 'First name'])(
    'the edit is not written over where the cell of %s was edited, too',
    async (edited) => {
      const { trial, change, annNow, untilItShowsHer } = await justCreated();
      change({ company_name: 'By the CRM' });
      trial.type('ann@firm.io', edited, 'By hand');
      const first = await trial.run();
      expect(kindsOf(first)).toEqual(['waiting']);
      await untilItShowsHer();
      await trial.run();
      expect(annNow()!.company_name).toBe('By the CRM');
      await wait(lagMs);
      const last = await trial.run();
      expect(annNow()!.company_name).toBe('By the CRM');
      const isConflict = edited === 'Company';
      expect(kindsOf(last)).toEqual(isConflict ? ['conflict'] : []);
      expect(trial.rowOf('ann@firm.io')['Company']).toBe(isConflict ? 'By hand' : 'By the CRM');
      expect(annNow()!.first_name).toBe(isConflict ? 'Ann' : 'By hand');
    },
  );

  it('D2: the contact whose row was deleted stays with its edit', async () => {
    const { trial, change, annNow, untilItShowsHer } = await justCreated({ on_row_deleted: 'delete_contact' });
    change({ company_name: 'By the CRM' });
    trial.person.deleteRows(tabTitle, 2, 1);
    await trial.run({ isFull: true });
    await untilItShowsHer();
    await trial.run({ isFull: true });
    await wait(lagMs);
    await trial.run({ isFull: true });
    expect(annNow()?.company_name).toBe('By the CRM');
  });
});

describe('E4: the search begins to show a new contact, but not the veto that the look of an earlier run showed', () => {
  it('the contact is not enrolled', async () => {
    const trial = createEnrolmentTrial({
      rows: [rowOf('ann@firm.io', '')],
      automation: { unless: { Status: ['replied'] } },
    });
    trial.service.switches.searchLagMs = lagMs;
    await trial.run();
    await wait(lagMs / 2);
    trial.service.model.contacts.change(trial.contactOf('ann@firm.io').uuid, { fields: { status: 'replied' } });
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    expect(trial.resultOf('ann@firm.io')).toBe('vetoed: Status is replied');
    await wait(lagMs / 2 + 1_000);
    await trial.run();
    expect(trial.enrolled()).toEqual([]);
    await wait(lagMs);
    await trial.run();
    expect(trial.enrolled()).toEqual([]);
    expect(trial.resultOf('ann@firm.io')).toBe('vetoed: Status is replied');
  });
});

describe('W3, L1: a look before a write that lags behind a lookup of an earlier run', () => {
  it('the lookup of a typed key showed the contact edited, and in another list', async () => {
    const { trial, change, annNow } = await linked();
    trial.type('ann@firm.io', 'Company', 'By hand');
    change({ company_name: 'By the CRM', work_email: 'new@firm.io' });
    change({ list_uuid: trial.service.model.lists.add({ name: 'Elsewhere' }).uuid });
    trial.type('bob@firm.io', 'Email', 'new@firm.io');
    await trial.run();
    await trial.run();
    expect(annNow().company_name).toBe('By the CRM');
  });

  it('the call after an update without an answer showed the contact edited elsewhere', async () => {
    const { trial, change, annNow } = await linked();
    trial.type('ann@firm.io', 'Company', 'By hand');
    change({ first_name: 'By the CRM' });
    trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'contacts.update', times: 20 });
    expect(kindsOf(await trial.run())).toEqual(['failed']);
    trial.service.faults.clear();
    trial.type('ann@firm.io', 'First name', 'By hand');
    await trial.run();
    expect(annNow().first_name).toBe('By the CRM');
  });

  it('a create was answered with the contact', async () => {
    const { trial, change, annNow } = await linked();
    trial.type('ann@firm.io', 'Company', 'By hand');
    trial.person.paste(`'${tabTitle}'!A9`, [['Ann', '', 'new@firm.io', '']]);
    trial.atEachInstant((what) => {
      if (typeof what === 'string' || !what.url.endsWith('/leads/upsert')) return;
      change({ company_name: 'By the CRM', work_email: 'new@firm.io' });
    });
    await trial.run();
    trial.atEachInstant(() => undefined);
    await trial.run();
    expect(annNow().company_name).toBe('By the CRM');
  });
});

it('L1, I7: a lookup of a typed key that shows the contact itself shows its other edits, too', async () => {
  const { trial, change, annNow } = await linked();
  change({ company_name: 'By the CRM', work_email: 'new@firm.io' });
  trial.type('ann@firm.io', 'Company', 'By hand');
  trial.type('ann@firm.io', 'Email', 'new@firm.io');
  const report = await trial.run();
  expect(report).toMatchObject({ counts: { updated: 0 }, problems: [{ kind: 'conflict', field: 'company_name' }] });
  expect(annNow()).toMatchObject({ company_name: 'By the CRM', work_email: 'new@firm.io' });
});
