// The look before a write is a search, which lags. What a lookup of the run showed of a contact counts there, too (W3, L1).
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { createSyncTrial, tabTitle } from '../support/app.ts';
import { createEnrolmentTrial, rowOf } from './enrolment/support.ts';

const header = ['First name', 'Company', 'Email', 'Profile', 'Status'];
const columns = { 'First name': 'first_name', Company: 'company_name', Email: 'email', Profile: 'network_id' };

/** Ann and Bob are linked, and the search lags by a minute from then on. */
async function lagging(sync: Record<string, unknown> = {}, more: Record<string, unknown> = {}) {
  const options = { values: [[...header, ...Object.keys(more)]], columns: { ...columns, ...more } };
  const trial = createSyncTrial({ ...options, sync: { match: ['network_id', 'email'], ...sync } });
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

const pass = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));

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

  it('W1, I8, L1: asked whether it has an address that goes with a custom field, it shows an edit that no search shows yet', async () => {
    const { trial, editAnn, annNow } = await lagging({ conflict: 'manual' }, { Segment: { custom_field: 'segment' } });
    const { uuid } = trial.addContact({ first_name: 'Cy', email: 'ann@firm.io' });
    await pass(120_000);
    await trial.run();
    await pass(120_000);
    editAnn({ company_name: 'By the CRM' });
    const row = trial.grid().findIndex((each) => each['First name'] === 'Cy') + 2;
    trial.person.paste(`'${tabTitle}'!F${row}`, [['A']]);
    expect((await trial.run()).problems).toMatchObject([{ kind: 'refused', uuid }]);
    const ofAnn = trial.grid().findIndex((each) => each['Profile'] === 'ann') + 2;
    trial.person.paste(`'${tabTitle}'!B${ofAnn}`, [['By hand']]);
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(annNow().company_name).toBe('By the CRM');
    await pass(120_000);
    const { problems } = await trial.run({ isFull: true });
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'conflict', field: 'company_name' }));
    expect(annNow().company_name).toBe('By the CRM');
  });

  it('W1, I8, L1: a lookup of whom a custom field would go to finds another contact, whose address was typed a moment ago', async () => {
    const { trial } = await lagging({ conflict: 'manual' }, { Segment: { custom_field: 'segment' } });
    const cy = trial.addContact({ first_name: 'Cy', company_name: 'Firm', email: 'cy@firm.io' });
    const di = trial.addContact({ first_name: 'Di', company_name: 'Firm', email: 'di@firm.io' });
    await pass(120_000);
    await trial.run();
    await pass(120_000);
    trial.service.model.contacts.change(di.uuid, { fields: { work_email: 'cy@firm.io' } });
    trial.type('cy@firm.io', 'Segment', 'A');
    expect((await trial.run()).problems).toMatchObject([{ kind: 'refused', uuid: cy.uuid }]);
    trial.type('di@firm.io', 'Email', 'by-hand@firm.io');
    await trial.run();
    expect(trial.contacts().find(({ uuid }) => uuid === di.uuid)?.work_email).toBe('cy@firm.io');
    await pass(120_000);
    const { problems } = await trial.run({ isFull: true });
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'conflict', uuid: di.uuid, field: 'email' }));
  });

  it('I8, G2, L1: what a run was shown that was held counts for the next one', async () => {
    const { trial, editAnn, annNow } = await lagging({ conflict: 'manual', limits: { changes: '20%' } });
    for (const number of [1, 2, 3, 4]) trial.addContact({ first_name: `P${number}`, email: `p${number}@firm.io` });
    await pass(120_000);
    await trial.run();
    editAnn({ work_email: 'new@firm.io', company_name: 'By the CRM' });
    trial.type('bob@firm.io', 'First name', 'Robert');
    trial.type('ann@firm.io', 'Company', 'By hand');
    trial.type('bob@firm.io', 'Email', 'new@firm.io');
    expect(await trial.run()).toMatchObject({ status: 'held' });
    expect(trial.crmCalls('contacts.lookup-one').length).toBeGreaterThan(0);
    trial.type('new@firm.io', 'Email', 'bob@firm.io');
    trial.type('bob@firm.io', 'First name', 'Bob');
    await trial.run();
    expect(annNow().company_name).toBe('By the CRM');
    await pass(120_000);
    const { problems } = await trial.run({ isFull: true });
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'conflict', field: 'company_name' }));
  });

  it('I8, M9: a held run of a new mapping does not store a link by its order of the columns', async () => {
    const { trial, editAnn, annNow } = await lagging({ conflict: 'manual', limits: { changes: '20%' } });
    for (const number of [1, 2, 3, 4]) trial.addContact({ first_name: `P${number}`, email: `p${number}@firm.io` });
    await pass(120_000);
    await trial.run();
    const config = parse(readFileSync(trial.configFile, 'utf8')) as {
      syncs: { prospects: { columns: Record<string, unknown> } };
    };
    const { prospects } = config.syncs;
    prospects.columns = Object.fromEntries(Object.entries(prospects.columns).toReversed());
    writeFileSync(trial.configFile, stringify(config));
    await trial.start();
    editAnn({ work_email: 'new@firm.io' });
    trial.type('bob@firm.io', 'First name', 'Robert');
    trial.type('p1@firm.io', 'Company', 'By hand');
    trial.type('bob@firm.io', 'Email', 'new@firm.io');
    expect(await trial.run()).toMatchObject({ status: 'held' });
    await pass(120_000);
    trial.type('new@firm.io', 'Email', 'bob@firm.io');
    trial.type('bob@firm.io', 'First name', 'Bob');
    trial.type('p1@firm.io', 'Company', '');
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 1 } });
    expect(annNow()).toMatchObject({
      first_name: 'Ann',
      company_name: 'Firm',
      work_email: 'new@firm.io',
      network: 'ann',
    });
    expect(trial.rowOf('new@firm.io')).toMatchObject({ 'First name': 'Ann', Company: 'Firm', Profile: 'ann' });
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

it('E4, I8, L1: the look before an enrolment shows an edit of a new contact, which the search of the next run shows as it was made', async () => {
  const rows = [rowOf('ann@firm.io', '')];
  const trial = createEnrolmentTrial({ rows, switches: { searchLagMs: 60_000 }, sync: { conflict: 'manual' } });
  await trial.run();
  await pass(30_000);
  const { uuid } = trial.contactOf('ann@firm.io');
  trial.service.model.contacts.change(uuid, { fields: { company_name: 'By the CRM' } });
  trial.type('ann@firm.io', 'Automation', 'Welcome');
  await trial.run();
  expect(trial.resultOf('ann@firm.io')).toMatch(/^enrolled /);
  await pass(40_000);
  trial.type('ann@firm.io', 'Company', 'By hand');
  await trial.run();
  expect(trial.contactOf('ann@firm.io').company_name).toBe('By the CRM');
  await pass(60_000);
  const { problems } = await trial.run({ isFull: true });
  expect(problems).toContainEqual(expect.objectContaining({ kind: 'conflict', field: 'company_name' }));
  expect(trial.contactOf('ann@firm.io').company_name).toBe('By the CRM');
});

describe('W1, M4: a custom field that the service gave another contact, which took its address in that moment', () => {
  it.each([
    ['its own value', 'B', false],
    ['a blank cell', '', false],
    ['its own value, and an attempt before that had no answer', 'B', true],
  ])('is set there to what its own cell holds: %s', async (_text, own, isLost) => {
    const { trial } = await lagging({ conflict: 'sheet' }, { Segment: { custom_field: 'segment' } });
    trial.service.switches.searchLagMs = 0;
    const [ann, bob] = [trial.contactOf('ann@firm.io'), trial.contactOf('bob@firm.io')];
    const { contacts } = trial.service.model;
    for (const { uuid } of [ann, bob]) contacts.change(uuid, { fields: { network: null } });
    trial.type('bob@firm.io', 'Segment', 'B');
    await trial.run();
    trial.type('bob@firm.io', 'Segment', own);
    await trial.run();
    trial.type('ann@firm.io', 'Segment', 'A');
    if (isLost) trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'contacts.upsert' });
    let isSwapped = false;
    trial.atEachInstant((what) => {
      if (typeof what === 'string' || !what.url.endsWith('/leads/upsert') || isSwapped) return;
      isSwapped = true;
      contacts.change(ann.uuid, { fields: { work_email: 'new@firm.io' } });
      contacts.change(bob.uuid, { fields: { work_email: 'ann@firm.io' } });
    });
    const segmentOf = (uuid: string) => contacts.get(uuid).customFields['segment'];
    const { problems } = await trial.run();
    expect(segmentOf(bob.uuid)).toBe('A');
    const row = trial.rowNumberOf('bob@firm.io');
    const reason = `Segment: the service gave this contact what row ${trial.rowNumberOf('ann@firm.io')} has; what its own row has is sent again`;
    expect(problems).toContainEqual(
      expect.objectContaining({ kind: 'waiting', rule: 'W4', uuid: bob.uuid, row, reason }),
    );
    await pass(3_700_000);
    for (let run = 0; run < 2; run += 1) await trial.run({ isFull: true });
    expect([segmentOf(ann.uuid), segmentOf(bob.uuid) ?? '']).toEqual(['A', own]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
  });
});
