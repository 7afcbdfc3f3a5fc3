// A row whose contact was made, and that people correct before it has its ID, or before anybody knows that it was made: no second
// contact is made of it (I5, L8, W4).
import { describe, expect, it } from 'vitest';
import { tabTitle } from '../support/app.ts';
import { createTrial, inSync } from './in-doubt.ts';

function mayBeRowOf(uuid: string) {
  const reason = `may be the row of ${uuid}, whose ID could not be written into its row: write that ID into it, or delete the contact`;
  return { kind: 'quarantined', rule: 'I5', reason };
}

describe('L8, I5: a new contact whose ID is not in its row yet, and whose row is corrected cell by cell', () => {
  async function withCorrectedAddress(policy = 'ignore', options: Record<string, unknown> = {}) {
    const trial = await inSync({ sync: { on_row_deleted: policy, ...options } });
    trial.retype(9, { 'First name': 'Dee', Company: 'Acme', Email: 'dee@firm.io' });
    trial.breakWrites();
    await trial.run();
    const { uuid } = trial.contactOf('dee@firm.io');
    trial.sheets.faults.clear();
    trial.retype(9, { Email: 'dee.lee@firm.io' });
    await trial.run();
    return { trial, uuid };
  }

  it.each(['ignore', 'delete_contact', 'restore'])(
    'is not made again when nothing is left of what it held (on_row_deleted: %s)',
    async (policy) => {
      const { trial, uuid } = await withCorrectedAddress(policy);
      for (const cells of [{ 'First name': 'Deirdre' }, { Company: 'Apex' }, { Email: 'deirdre@apex.io' }]) {
        trial.retype(9, cells);
        const { problems } = await trial.run();
        expect(problems).toMatchObject([mayBeRowOf(uuid)]);
      }
      const { problems } = await trial.run({ isFull: true });
      expect(problems).toMatchObject([mayBeRowOf(uuid)]);
      expect([trial.contacts().length, trial.grid().filter((row) => row['Email']).length]).toEqual([4, 4]);
      trial.retype(9, { 'Contact ID': uuid });
      expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
      expect(trial.contactOf('deirdre@apex.io')).toMatchObject({ uuid, first_name: 'Deirdre', company_name: 'Apex' });
    },
  );

  it('becomes a new contact once the one that it may be of is deleted', async () => {
    const { trial, uuid } = await withCorrectedAddress();
    trial.retype(9, { 'First name': 'Deirdre' });
    await trial.run();
    trial.service.model.contacts.remove(uuid);
    await trial.run({ isFull: true });
    await trial.run({ isFull: true });
    expect(trial.contactOf('dee.lee@firm.io').first_name).toBe('Deirdre');
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
  });

  it('also where the row was moved, and its key was cleared for a while', async () => {
    const { trial, uuid } = await withCorrectedAddress('delete_contact');
    for (const cells of [{ 'First name': 'Deirdre' }, { Email: '' }]) {
      trial.retype(9, cells);
      await trial.run();
    }
    trial.person.moveRows(tabTitle, 9, 9, 2);
    trial.retype(2, { Company: 'Apex' });
    await trial.run({ isFull: true });
    trial.retype(2, { Email: 'deirdre@apex.io' });
    const { problems } = await trial.run({ isFull: true });
    expect(problems).toMatchObject([mayBeRowOf(uuid)]);
    expect([trial.isThere(uuid), trial.contacts().length]).toEqual([true, 4]);
  });

  it('L7: also where it had the address of another row for a while, and no contact is deleted for it', async () => {
    const { trial, uuid } = await withCorrectedAddress('delete_contact');
    trial.retype(9, { Email: 'ann@firm.io' });
    for (const isFull of [false, true]) {
      const { problems } = await trial.run({ isFull });
      const held = 'its row is not found, and may be row 9: write its ID into the right one, or correct these rows';
      expect(problems).toContainEqual(expect.objectContaining({ kind: 'held', uuid, reason: held }));
    }
    for (const cells of [{ 'First name': 'Deirdre' }, { Company: 'Apex' }]) {
      trial.retype(9, cells);
      await trial.run({ isFull: true });
    }
    trial.retype(9, { Email: 'deirdre@apex.io' });
    const { problems } = await trial.run({ isFull: true });
    expect(problems).toMatchObject([mayBeRowOf(uuid)]);
    expect([trial.isThere(uuid), trial.contacts().length]).toEqual([true, 4]);
  });

  it('G1, L5: two of them are no rows that are gone, and hold nothing', async () => {
    const trial = createTrial();
    await trial.run();
    trial.retype(2, { 'First name': 'Dee', Company: 'Acme', Email: 'dee@firm.io' });
    trial.retype(3, { 'First name': 'Eve', Company: 'Apex', Email: 'eve@firm.io' });
    trial.breakWrites();
    await trial.run();
    trial.sheets.faults.clear();
    trial.retype(2, { Email: 'dee.lee@firm.io' });
    trial.retype(3, { Email: 'eve.fox@firm.io' });
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
    const { status, problems } = await trial.run();
    expect([status, problems.map(({ kind, row }) => `${kind} ${row}`)]).toEqual([
      'partial',
      ['quarantined 2', 'quarantined 3'],
    ]);
    expect(trial.rowOf('ann@firm.io')['Contact ID']).toBe(trial.contactOf('ann@firm.io').uuid);
  });

  it('G2: also while the run is held', async () => {
    const { trial, uuid } = await withCorrectedAddress('delete_contact', { limits: { creates: 1 } });
    trial.person.paste(`'${tabTitle}'!A10`, [
      ['Eve', '', 'Firm', 'eve@firm.io', ''],
      ['Fay', '', 'Firm', 'fay@firm.io', ''],
    ]);
    for (const cells of [{ 'First name': 'Deirdre' }, { Company: 'Apex' }, { Email: 'deirdre@apex.io' }]) {
      trial.retype(9, cells);
      expect(await trial.run()).toMatchObject({ status: 'held', planned: { creates: 2 } });
    }
    trial.person.deleteRows(tabTitle, 11);
    const { problems } = await trial.run({ isFull: true });
    expect(problems).toMatchObject([mayBeRowOf(uuid)]);
    expect([trial.isThere(uuid), trial.contacts().length]).toEqual([true, 5]);
  });

  it('L5: a new row that is like what it held is created while it still holds that', async () => {
    const { trial, uuid } = await withCorrectedAddress();
    trial.retype(9, { 'First name': 'Deirdre' });
    await trial.run();
    trial.retype(10, { 'First name': 'Deirdre', 'Last name': 'Fox', Company: 'Acme', Email: 'fox@firm.io' });
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ ...mayBeRowOf(uuid), row: 9 }]);
    expect(trial.contactOf('fox@firm.io').last_name).toBe('Fox');
  });
});

describe('L8, W4: a new row whose create had no answer, and that was edited before the next run', () => {
  const row = ['Dee', 'Day', 'Acme', 'dee@firm.io', ''];

  /** The create arrives, and nothing of the service is answered until `answers` is called. */
  async function withLostCreate({ searchLagMs = 0, ...sync }: Record<string, unknown> & { searchLagMs?: number } = {}) {
    let isSilent = false;
    let isOver = false;
    const trial = createTrial({
      sync,
      switches: { upsertExisting: 'duplicated', searchLagMs },
      around: async (request, next) => {
        if (isSilent && request.url.includes('/leads/api/')) throw new TypeError('fetch failed');
        const answer = await next(request);
        if (isOver || !request.url.endsWith('/upsert')) return answer;
        isSilent = true;
        throw new TypeError('fetch failed');
      },
    });
    for (const name of ['ann', 'bob', 'cy']) trial.addContact({ first_name: name, email: `${name}@firm.io` });
    await new Promise((resolve) => setTimeout(resolve, searchLagMs + 1_000));
    await trial.run();
    trial.person.paste(`'${tabTitle}'!A9`, [row]);
    await trial.run();
    const answers = (): void => {
      [isSilent, isOver] = [false, true];
    };
    const { uuid } = trial.contactOf('dee@firm.io');
    return { trial, uuid, answers };
  }

  it.each([
    ['', false, 0, {}],
    ['', true, 0, {}],
    [', which the search does not show yet', false, 60_000, {}],
    [', which the search does not show yet', true, 60_000, {}],
    [', if one cell is left', true, 60_000, { 'First name': 'Deirdre', Company: 'Apex' }],
  ])('says whose it may be%s (full run: %s)', async (_text, isFull, searchLagMs, cells) => {
    const { trial, uuid, answers } = await withLostCreate({ searchLagMs });
    answers();
    trial.retype(trial.rowNumberOf('dee@firm.io'), { Email: 'dee.day@firm.io', ...cells });
    for (const full of [isFull, false, true]) {
      const { problems } = await trial.run({ isFull: full });
      expect(problems).toMatchObject([mayBeRowOf(uuid)]);
    }
    expect([trial.contacts().length, trial.grid().filter((each) => each['Email']).length]).toEqual([4, 4]);
    trial.retype(trial.rowNumberOf('dee.day@firm.io'), { 'Contact ID': uuid });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.contactOf('dee.day@firm.io')).toMatchObject({ uuid, last_name: 'Day' });
  });

  it('L5: costs no call where the search shows the contact', async () => {
    const { trial, uuid, answers } = await withLostCreate();
    answers();
    trial.service.received.clear();
    trial.retype(9, { Email: 'dee.day@firm.io' });
    expect(await trial.run()).toMatchObject({ problems: [mayBeRowOf(uuid)] });
    expect(trial.crmCalls('contacts.lookup-one')).toEqual([]);
  });

  it('waits while neither search nor lookup show it, also where it is edited again', async () => {
    const { trial, uuid, answers } = await withLostCreate({ searchLagMs: 3_600_000 });
    answers();
    trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'contacts.lookup-one', times: 999 });
    for (const cells of [{ Email: 'dee.day@firm.io' }, { 'First name': 'Deirdre' }, { Company: 'Apex' }]) {
      trial.retype(9, cells);
      const { problems } = await trial.run({ isFull: true });
      expect(problems).toMatchObject([{ kind: 'waiting', rule: 'I2', row: 9 }]);
    }
    trial.service.faults.clear();
    expect(await trial.run()).toMatchObject({ problems: [mayBeRowOf(uuid)] });
    expect(trial.contacts()).toHaveLength(4);
  });

  it('L10: says so after a kill, once the service answers', async () => {
    const trial = await inSync({ switches: { upsertExisting: 'duplicated' } });
    trial.person.paste(`'${tabTitle}'!A9`, [row]);
    trial.atEachInstant((what) => {
      if (what === 'answered' && trial.contacts().length === 4) trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    await trial.start();
    const { uuid } = trial.contactOf('dee@firm.io');
    trial.retype(trial.rowNumberOf('dee@firm.io'), { 'Last name': 'Fox', Email: 'dee.day@firm.io' });
    for (const isFull of [false, true]) {
      const { problems } = await trial.run({ isFull });
      expect(problems).toMatchObject([mayBeRowOf(uuid)]);
    }
    expect(trial.contacts()).toHaveLength(4);
  });

  it('L5: is none that waited before, and its contact gets a row where its own was deleted', async () => {
    const { trial, uuid, answers } = await withLostCreate();
    answers();
    // Beside it, as a run saw it.
    trial.retype(12, { 'First name': 'Dee', Company: 'Acme' });
    trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'contacts.lookup-one', times: 99 });
    await trial.run();
    trial.service.faults.clear();
    trial.person.deleteRows(tabTitle, trial.rowNumberOf('dee@firm.io'));
    await trial.run({ isFull: true });
    expect(trial.rowOf('dee@firm.io')['Contact ID']).toBe(uuid);
  });

  it('is created if the call never arrived', async () => {
    const trial = await inSync();
    trial.person.paste(`'${tabTitle}'!A9`, [row]);
    trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'contacts.upsert', times: 99 });
    await trial.run();
    trial.service.faults.clear();
    trial.retype(trial.rowNumberOf('dee@firm.io'), { Email: 'dee.day@firm.io' });
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect([trial.contacts().length, trial.contactOf('dee.day@firm.io').last_name]).toEqual([4, 'Day']);
  });

  it.each(['ignore', 'delete_contact'])(
    'L5: is another row where nothing of it is left, and both are there (on_row_deleted: %s)',
    async (policy) => {
      const { trial, uuid, answers } = await withLostCreate({ on_row_deleted: policy });
      answers();
      const cells = { 'First name': 'Eve', 'Last name': 'Fox', Company: 'Firm', Email: 'eve@firm.io' };
      trial.retype(trial.rowNumberOf('dee@firm.io'), cells);
      await trial.run({ isFull: true });
      expect(trial.contactOf('eve@firm.io').last_name).toBe('Fox');
      expect([trial.isThere(uuid), trial.rowOf('dee@firm.io')['Contact ID']]).toEqual([true, uuid]);
    },
  );
});

describe('E3, L8: a new row that one call made and enrolled, and that was edited before the run that finds its contact', () => {
  it.each(['nothing is answered after the call', 'the call has no answer', 'the process is killed in the call'])(
    'makes no second contact, and nobody is enrolled twice: %s',
    async (what) => {
      let isSilent = false;
      let isOver = false;
      const trial = createTrial({
        sync: { automation: { column: 'Automation' } },
        switches: { upsertExisting: 'duplicated' },
        around: async (request, next) => {
          if (isSilent && !isOver && request.url.includes('/leads/api/')) throw new TypeError('fetch failed');
          const answer = await next(request);
          if (isOver || !request.url.endsWith('/add-new-lead')) return answer;
          isSilent = true;
          if (what === 'the process is killed in the call') trial.kill();
          if (what === 'the call has no answer') throw new TypeError('fetch failed');
          return answer;
        },
      });
      trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
      trial.addContact({ first_name: 'ann', email: 'ann@firm.io' });
      await trial.run();
      trial.person.paste(`'${tabTitle}'!A9`, [['Dee', 'Day', 'Acme', 'dee@firm.io']]);
      trial.retype(9, { Automation: 'Welcome' });
      await trial.attempt();
      isOver = true;
      await trial.start();
      const { uuid } = trial.contactOf('dee@firm.io');
      trial.retype(trial.rowNumberOf('dee@firm.io'), { 'Last name': 'Fox', Email: 'dee.day@firm.io' });
      for (const isFull of [false, true]) {
        const { problems } = await trial.run({ isFull });
        expect(problems).toContainEqual(expect.objectContaining(mayBeRowOf(uuid)));
      }
      trial.retype(trial.rowNumberOf('dee.day@firm.io'), { 'Contact ID': uuid });
      for (const isFull of [false, true]) await trial.run({ isFull });
      expect(trial.contacts()).toHaveLength(2);
      expect(trial.contactOf('dee.day@firm.io')).toMatchObject({ uuid, last_name: 'Fox' });
      const callsOf = (operation: string) => trial.crmCalls(operation).length;
      expect([callsOf('automations.add-new-lead'), callsOf('automations.add-contact')]).toEqual([1, 0]);
    },
  );
});
