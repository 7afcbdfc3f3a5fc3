// A first sync of a sheet and a service that both have the people already, with `conflict: newest` (M1, M9, L1).
import { describe, expect, it } from 'vitest';
import { createSyncTrial, defaultColumns, tabTitle } from '../support/app.ts';

const header = Object.keys(defaultColumns);
const dayMs = 86_400_000;

/** The contact was edited yesterday; nobody knows when the cell was. */
function createTrial() {
  const trial = createSyncTrial({
    values: [header, ['Ann', 'Lee', 'Old Inc', 'ann@firm.io', '']],
    sync: { conflict: 'newest' },
  });
  const { uuid } = trial.addContact({
    first_name: 'Ann',
    last_name: 'Lee',
    company_name: 'New Ltd',
    email: 'ann@firm.io',
  });
  const updated_at = new Date(Date.now() - dayMs).toISOString();
  trial.service.model.contacts.change(uuid, { fields: { updated_at } });
  return trial;
}

describe('M1 newest: values that the sides never agreed on', () => {
  it('M1, L1: a first sync overwrites neither side: when a cell is seen first dates no edit', async () => {
    const trial = createTrial();
    const { status, problems } = await trial.run();
    expect(status).toBe('partial');
    expect(problems).toMatchObject([{ kind: 'conflict', rule: 'M1', field: 'company_name' }]);
    expect(problems[0]!.reason).toContain('which one is newer is not known');
    expect(trial.contactOf('ann@firm.io').company_name).toBe('New Ltd');
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('Old Inc');
    // It stays so: the cell is no younger in a later run.
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { updated: 0, set: 0 } });
  });

  it('M1: once they agreed, an edit of the cell is dated by when it was seen first', async () => {
    const trial = createTrial();
    await trial.run();
    trial.type('ann@firm.io', 'Company', 'New Ltd');
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    const { uuid } = trial.contactOf('ann@firm.io');
    const updated_at = new Date(Date.now() - dayMs).toISOString();
    trial.service.model.contacts.change(uuid, { fields: { company_name: 'Third', updated_at } });
    trial.person.paste(`'${tabTitle}'!C2`, [['Fourth']]);
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded' });
    expect(trial.contactOf('ann@firm.io').company_name).toBe('Fourth');
  });
});
