// What is sent as a key of a contact, and what is not: I7 beyond the edge of the list.
import { describe, expect, it } from 'vitest';
import { createSyncTrial, tabTitle } from '../support/app.ts';

const columns = { 'First name': 'first_name', Company: 'company_name', Email: 'email', Profile: 'network_id' };
const header = Object.keys(columns);

function createTrial(options: Parameters<typeof createSyncTrial>[0] = {}) {
  return createSyncTrial({
    columns,
    values: [header],
    ...options,
    sync: { match: ['network_id', 'email'], ...options.sync },
  });
}

/** Ann and Bob are linked; Cy is a contact of another list. */
async function withOther(options: Parameters<typeof createTrial>[0] = {}) {
  const trial = createTrial(options);
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', network: 'ann' });
  trial.addContact({ first_name: 'Bob', email: 'bob@firm.io', network: 'bob' });
  const other = trial.service.model.lists.add({ name: 'Customers' });
  const cy = trial.addContact({ first_name: 'Cy', email: 'cy@firm.io', network: 'cy', list_uuid: other.uuid });
  await trial.run();
  return { ...trial, other, cy };
}

describe('I7: a key is looked up in the whole service before it is sent', () => {
  it.each([
    ['Email', 'CY@firm.io', 'work_email', 'ann@firm.io'],
    ['Profile', 'https://www.network.test/in/Cy/', 'network', 'ann'],
  ] as const)(
    'I7: %s of a contact of another list is held by name, and costs one call',
    async (column, typed, field, before) => {
      const trial = await withOther();
      trial.type('ann@firm.io', 'Company', 'Firm');
      trial.type('ann@firm.io', column, typed);
      const calls = trial.crmCalls('contacts.lookup-one').length;
      const { status, problems, counts } = await trial.run();
      expect({ status, updated: counts.updated }).toEqual({ status: 'partial', updated: 1 });
      expect(problems).toMatchObject([{ kind: 'held', rule: 'I7' }]);
      expect(problems[0]!.reason).toContain(`${trial.cy.uuid} in list Customers`);
      const ann = trial.contacts().find(({ first_name }) => first_name === 'Ann')!;
      expect([ann[field], ann.company_name]).toEqual([before, 'Firm']);
      expect(trial.crmCalls('contacts.lookup-one').length - calls).toBe(1);
      expect(trial.grid().map((row) => row[column])).toContain(typed);
    },
  );

  it('I7, W9: what is held for another list is asked again by a full scan only, and goes on once the key is free', async () => {
    const trial = await withOther();
    trial.type('ann@firm.io', 'Email', 'cy@firm.io');
    await trial.run();
    await trial.run();
    const calls = trial.crmCalls('contacts.lookup-one').length;
    const files = trial.stateFiles();
    for (let run = 0; run < 2; run += 1) {
      const { problems } = await trial.run();
      expect(problems).toMatchObject([{ kind: 'held', rule: 'I7' }]);
    }
    expect(trial.crmCalls('contacts.lookup-one')).toHaveLength(calls);
    expect(trial.stateFiles()).toEqual(files);
    trial.service.model.contacts.remove(trial.cy.uuid);
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
    expect(trial.contactOf('cy@firm.io').first_name).toBe('Ann');
  });

  it('I7: a lookup without an answer sends nothing, is named, and is asked again by the next run', async () => {
    let isDown = false;
    const trial = await withOther({
      around: async (request, next) =>
        isDown && request.url.endsWith('/lookup-one') ? new Response('gone', { status: 500 }) : next(request),
    });
    trial.type('ann@firm.io', 'Email', 'new@firm.io');
    isDown = true;
    expect(await trial.run()).toMatchObject({
      status: 'partial',
      problems: [{ kind: 'failed', rule: 'I7', field: 'email' }],
    });
    expect(trial.writes().crm).toEqual([]);
    isDown = false;
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
    expect(trial.contactOf('new@firm.io').first_name).toBe('Ann');
  });

  it('I7: a key that is changed in case only, emptied, or a placeholder is not looked up', async () => {
    const trial = await withOther({ sync: { conflict: 'sheet' } });
    const calls = trial.crmCalls('contacts.lookup-one').length;
    trial.type('bob@firm.io', 'Email', 'bob@example.com');
    trial.type('ann@firm.io', 'Profile', '');
    trial.type('ann@firm.io', 'Email', 'Ann@Firm.io');
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.crmCalls('contacts.lookup-one')).toHaveLength(calls);
    expect(trial.contactOf('bob@example.com').first_name).toBe('Bob');
  });

  it('I7: both keys of a contact changed at once are two lookups, and one that is held does not hold the other', async () => {
    const trial = await withOther();
    const row = trial.rowNumberOf('ann@firm.io');
    trial.person.paste(`'${tabTitle}'!C${row}:D${row}`, [['cy@firm.io', 'ann-new']]);
    const calls = trial.crmCalls('contacts.lookup-one').length;
    expect(await trial.run()).toMatchObject({ counts: { held: 1, updated: 1 } });
    expect(trial.contactOf('ann@firm.io').network).toBe('ann-new');
    expect(trial.crmCalls('contacts.lookup-one').length - calls).toBe(2);
  });

  it('I7: two rows that would swap keys are both left alone while a contact of another list has one of them', async () => {
    const trial = await withOther();
    // The service answers the contact that was changed last.
    trial.service.model.contacts.change(trial.cy.uuid, { fields: { work_email: 'bob@firm.io' } });
    const [ann, bob] = [trial.rowNumberOf('ann@firm.io'), trial.rowNumberOf('bob@firm.io')];
    trial.person.paste(`'${tabTitle}'!C${ann}`, [['bob@firm.io']]);
    trial.person.paste(`'${tabTitle}'!C${bob}`, [['ann@firm.io']]);
    const { problems } = await trial.run();
    expect(problems.map(({ kind, rule }) => `${kind} ${rule}`)).toEqual(['held I7', 'held I7']);
    expect(trial.writes().crm).toEqual([]);
  });

  it('I7: the key of a contact that was deleted in the service is free, though no full scan missed it yet', async () => {
    const trial = await withOther();
    trial.service.model.contacts.remove(trial.contactOf('bob@firm.io').uuid);
    trial.type('ann@firm.io', 'Email', 'BOB@firm.io');
    await trial.run();
    expect(trial.contactOf('BOB@firm.io').first_name).toBe('Ann');
  });

  it('I7: the key of a contact of this list that no pull has shown yet is held', async () => {
    const trial = await withOther({ switches: { searchLagMs: 60_000 } });
    await new Promise((resolve) => setTimeout(resolve, 70_000));
    await trial.run({ isFull: true });
    const dee = trial.addContact({ first_name: 'Dee', email: 'dee@firm.io' });
    trial.type('ann@firm.io', 'Email', 'dee@firm.io');
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'held', rule: 'I7' }]);
    expect(problems[0]!.reason).toContain(`${dee.uuid} in list Prospects`);
    expect(trial.contactOf('ann@firm.io').first_name).toBe('Ann');
  });

  it('I7, W1: the lookup is in the estimate of a plan, and the plan shows what is held', async () => {
    const trial = await withOther();
    trial.type('ann@firm.io', 'Company', 'Firm');
    const before = (await trial.plan()).estimate.crmCalls;
    trial.type('bob@firm.io', 'Email', 'cy@firm.io');
    const { estimate, problems, changes } = await trial.plan();
    expect(problems).toMatchObject([{ kind: 'held', rule: 'I7' }]);
    expect(changes).toHaveLength(1);
    // One for the lookup, one for the name of the list.
    expect(estimate.crmCalls).toBe(before + 2);
  });

  it('I7: a plan that was saved while the key was free is not applied once somebody has it', async () => {
    const trial = await withOther();
    trial.type('ann@firm.io', 'Email', 'new@firm.io');
    const file = `${trial.folder}/plan.json`;
    await trial.cli('plan', '--out', file);
    trial.service.model.contacts.change(trial.cy.uuid, { fields: { work_email: 'new@firm.io' } });
    const applied = await trial.cli('apply', file);
    expect(applied.code).toBe(3);
    expect(trial.writes().crm).toEqual([]);
  });

  it('I7: a conflict that is resolved by a value is looked up, too', async () => {
    const trial = await withOther();
    trial.type('ann@firm.io', 'Profile', 'ann-sheet');
    trial.change('ann@firm.io', { network: 'ann-crm' });
    const { id } = (await trial.run()).problems[0]!;
    await trial.cli('resolve', id, '--value', 'cy');
    const { problems } = await trial.run();
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'held', rule: 'I7' }));
    expect(trial.contactOf('ann@firm.io').network).toBe('ann-crm');
  });
});
