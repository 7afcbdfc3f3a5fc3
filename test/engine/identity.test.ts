// How a run finds the contact of a row (I rules), with the lookups of the service (T19, T23).
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSyncTrial, tabTitle, type TrialOptions } from '../support/app.ts';
import { columns, header } from './in-doubt.ts';

function createTrial(options: Parameters<typeof createSyncTrial>[0] = {}) {
  return createSyncTrial({
    columns,
    values: [header],
    ...options,
    sync: { match: ['network_id', 'email'], ...options.sync },
  });
}

describe('M8: a new row that has a name, and neither a first nor a last one', () => {
  const whole = { Name: 'name', Email: 'email', Company: 'company_name' };

  it.each([
    ['are no columns', whole, 'map first_name and last_name to columns, and fill them'],
    ['are blank', { ...whole, 'First name': 'first_name', 'Last name': 'last_name' }, 'fill First name and Last name'],
    [
      'are shown only',
      { ...whole, 'First name': { field: 'first_name', direction: 'to_sheet' } },
      'map first_name and last_name to columns, and fill them',
    ],
  ])(
    'M8: where its parts %s, nothing is made of it, the cell stays, and the row says what to do',
    async (_how, of, remedy) => {
      const values = [Object.keys(of), ['Ann Ames', 'ann@firm.io', 'Firm']];
      const trial = createSyncTrial({ columns: of, values, sync: { match: ['email'] } });
      for (const isFull of [false, false, true]) {
        const report = await trial.run({ isFull });
        expect(report).toMatchObject({ status: 'partial', counts: { created: 0 } });
        expect(report.problems).toMatchObject([
          { kind: 'quarantined', rule: 'M8', reason: expect.stringContaining(remedy) },
        ]);
        expect(trial.grid()).toMatchObject([{ Name: 'Ann Ames', Email: 'ann@firm.io' }]);
      }
      expect(trial.contacts()).toEqual([]);
      // The service is asked once, and by full scans.
      expect(trial.crmCalls('contacts.lookup-one')).toHaveLength(2);
    },
  );

  it('M8: it is made once a part is there, and the service says the whole name', async () => {
    const of = { ...whole, 'First name': 'first_name' };
    const trial = createSyncTrial({
      columns: of,
      values: [Object.keys(of), ['Ann Ames', 'ann@firm.io', 'Firm', '']],
      sync: { match: ['email'] },
    });
    await trial.run();
    trial.type('ann@firm.io', 'First name', 'Ann');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
    expect(trial.contactOf('ann@firm.io')).toMatchObject({ first_name: 'Ann', name: 'Ann' });
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ Name: 'Ann' });
  });

  it('M8, I2: one that finds its contact is linked to it, also one that is made in the service later', async () => {
    const values = [Object.keys(whole), ['Ann', 'ann@firm.io', 'Firm'], ['Bob', 'bob@firm.io', 'Firm']];
    const trial = createSyncTrial({ columns: whole, values, sync: { match: ['email'] } });
    trial.addContact({ first_name: 'Ann', last_name: 'Ames', email: 'ann@firm.io' });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { linked: 1 } });
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ Name: 'Ann Ames' });
    trial.addContact({ first_name: 'Bob', last_name: 'Bell', email: 'bob@firm.io' });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 2 } });
    expect(trial.rowOf('bob@firm.io')).toMatchObject({ Name: 'Bob Bell' });
  });
});

describe('M4: a new row whose address or profile stands in a column that is only shown', () => {
  const names = { 'First name': 'first_name', 'Last name': 'last_name', Company: 'company_name' };
  const row = ['Ann', 'Ames', 'Firm', 'ann@firm.io'];

  it.each([
    ['the direction says so', { Email: { field: 'email', direction: 'to_sheet' } }, ['email']],
    ['the service takes that field from nobody', { Email: 'work_email' }, ['name+company_name']],
  ])('M4, L1: where %s, no contact is made without it, and the cell stays', async (_why, email, match) => {
    const mapped = { ...names, ...email };
    const trial = createSyncTrial({ columns: mapped, values: [Object.keys(mapped), row], sync: { match } });
    for (const isFull of [false, false, true]) {
      const report = await trial.run({ isFull });
      expect(report).toMatchObject({ status: 'partial', counts: { created: 0 } });
      const reason = expect.stringContaining('map a column to email in both directions and put it there');
      expect(report.problems).toMatchObject([{ kind: 'quarantined', rule: 'M4', reason }]);
      expect(trial.grid()).toMatchObject([{ 'First name': 'Ann', Email: 'ann@firm.io' }]);
    }
    expect(trial.contacts()).toEqual([]);
  });

  it('M4, I2: it is linked to the contact that has the address, and made once the column is sent', async () => {
    const mapped = { ...names, Email: { field: 'email', direction: 'to_sheet' } };
    const values = [Object.keys(mapped), row, ['Bob', 'Bell', 'Firm', 'bob@firm.io']];
    const trial = createSyncTrial({ columns: mapped, values, sync: { match: ['email'] } });
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { linked: 1, created: 0 } });
    expect(trial.contactOf('ann@firm.io')).toMatchObject({ last_name: 'Ames' });
    writeFileSync(
      trial.configFile,
      readFileSync(trial.configFile, 'utf8').replace('direction: to_sheet', 'direction: both'),
    );
    await trial.start();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
    expect(trial.contactOf('bob@firm.io')).toMatchObject({ first_name: 'Bob' });
  });

  it('M4: one with another address that is sent is made, and the shown cell is that of the contact', async () => {
    const mapped = { ...names, Email: 'email', Private: 'personal_email' };
    const values = [Object.keys(mapped), [...row, 'ann@home.io']];
    const trial = createSyncTrial({ columns: mapped, values, sync: { match: ['email'] } });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
  });
});

describe('I2: rows without an ID', () => {
  it('I2: a row whose key a contact has is linked and merged: blanks are filled from either side', async () => {
    const trial = createTrial({ values: [header, ['', 'Ames', '', 'ann@firm.io', '']] });
    trial.addContact({ first_name: 'Ann', email: 'ANN@firm.io' });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 0, appended: 0 } });
    expect(trial.contacts()).toMatchObject([{ first_name: 'Ann', last_name: 'Ames' }]);
    expect(trial.grid()).toMatchObject([{ 'First name': 'Ann', 'Last name': 'Ames' }]);
  });

  it('I2: a row that matches two contacts is quarantined, and these get no rows', async () => {
    const trial = createTrial({ values: [header, ['Ann', '', '', 'ann@firm.io', '']] });
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
    trial.addContact({ first_name: 'Anna', email: 'ann@firm.io' });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { quarantined: 1, appended: 0, created: 0 } });
  });

  it.each([false, true])(
    'I2: a person in another list is quarantined, or moved here where that is wanted (%s)',
    async (isMoved) => {
      const values = [header, ['Ann', '', '', 'ann@firm.io', '']];
      const trial = createTrial({ values, sync: { contacts: { list: 'Prospects', move_to_list: isMoved } } });
      const other = trial.service.model.lists.add({ name: 'Other' });
      trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', list_uuid: other.uuid });
      await trial.run();
      const { problems } = await trial.run();
      expect(trial.contacts()).toHaveLength(1);
      const { uuid, list_uuid } = trial.contactOf('ann@firm.io');
      expect(list_uuid).toBe(isMoved ? trial.list.uuid : other.uuid);
      expect(trial.rowOf('ann@firm.io')['Contact ID']).toBe(isMoved ? uuid : undefined);
      expect(problems.map(({ kind, rule }) => `${kind} ${rule}`)).toEqual(isMoved ? [] : ['quarantined I2']);
    },
  );

  it('I2: a person of another list is moved here, linked and merged in one run', async () => {
    const values = [header, ['', 'Ames', 'Firm', 'ann@firm.io', '']];
    const trial = createTrial({ values, sync: { contacts: { list: 'Prospects', move_to_list: true } } });
    const other = trial.service.model.lists.add({ name: 'Other' });
    const { uuid } = trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', list_uuid: other.uuid });
    const planned = await trial.plan();
    expect(planned.changes.map(({ op }) => op)).toEqual(['create', 'update']);
    const report = await trial.run();
    expect(report.problems).toEqual([]);
    expect(report).toMatchObject({ status: 'succeeded', counts: { linked: 1, created: 0 } });
    expect(trial.contacts()).toMatchObject([
      { uuid, list_uuid: trial.list.uuid, first_name: 'Ann', last_name: 'Ames', company_name: 'Firm' },
    ]);
    expect(trial.grid()).toMatchObject([{ 'First name': 'Ann', 'Contact ID': uuid }]);
    const calls = trial.writes().crm.length;
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
    expect(trial.writes().crm).toHaveLength(calls);
  });

  it('I2, I5: without a state, a contact of another list whose ID a row has is not moved here for a second row', async () => {
    const trial = createTrial({ sync: { contacts: { list: 'Prospects', move_to_list: true } } });
    const other = trial.service.model.lists.add({ name: 'Other' });
    const { uuid } = trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', list_uuid: other.uuid });
    trial.person.paste(`'${tabTitle}'!A1`, [
      [...header, 'Contact ID'],
      ['Ann', '', '', 'ann@firm.io', '', uuid],
      ['', 'Ames', 'Firm', 'ann@firm.io', '', ''],
    ]);
    for (let runs = 0; runs < 3; runs += 1) {
      const { problems } = await trial.run({ isFull: runs !== 1 });
      expect(problems.map(({ row, rule, reason }) => [row, rule, reason])).toEqual([
        [2, 'I5', 'its contact is in list Other, not in list Prospects: move the contact, or delete the row'],
        [3, 'I2', `matches ${uuid}, already in row 2: keep one of the rows`],
      ]);
    }
    expect(trial.contacts()).toMatchObject([{ list_uuid: other.uuid, last_name: null }]);
    trial.person.deleteRows(tabTitle, 2);
    await trial.run({ isFull: true });
    expect(trial.contacts()).toMatchObject([{ uuid, list_uuid: trial.list.uuid, last_name: 'Ames' }]);
    expect(trial.grid()).toMatchObject([{ 'Last name': 'Ames', 'Contact ID': uuid }]);
  });

  it('I2, L8: a contact with another profile than its row is moved by its own keys, and no contact is created', async () => {
    const values = [header, ['Ann', '', '', 'ann@firm.io', 'ann-new']];
    const trial = createTrial({ values, sync: { contacts: { list: 'Prospects', move_to_list: true } } });
    const other = trial.service.model.lists.add({ name: 'Other' });
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', network: 'ann-old', list_uuid: other.uuid });
    await trial.run();
    expect(trial.contacts()).toMatchObject([{ list_uuid: trial.list.uuid, network: 'ann-old' }]);
    expect(await trial.run()).toMatchObject({ counts: { conflicts: 1, linked: 1 } });
  });

  it('I2, L8: whose address was changed in the service since it was looked up is not moved, and nobody is made', async () => {
    const values = [header, ['Ann', '', '', 'ann@firm.io', '']];
    const trial = createTrial({ values, sync: { contacts: { list: 'Prospects', move_to_list: true } } });
    const { contacts, lists } = trial.service.model;
    const other = lists.add({ name: 'Other' });
    const { uuid } = trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', list_uuid: other.uuid });
    let lookups = 0;
    trial.service.faults.inject({
      kind: 'status',
      status: 503,
      operation: 'contacts.lookup-one',
      when: 'before',
      times: 1,
      matches() {
        lookups += 1;
        if (lookups === 2) contacts.change(uuid, { fields: { work_email: 'ann@other.io' } });
        return false;
      },
    });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { created: 0, linked: 0 } });
    expect(trial.contacts()).toMatchObject([{ uuid, list_uuid: other.uuid }]);
    expect(trial.grid()[0]!['Contact ID']).toBeUndefined();
    expect(lookups).toBe(2);
  });

  it('I2, L9: a failed move links no contact, sends nothing more, and is tried again', async () => {
    const values = [header, ['', 'Ames', '', 'ann@firm.io', '']];
    const trial = createTrial({ values, sync: { contacts: { list: 'Prospects', move_to_list: true } } });
    const other = trial.service.model.lists.add({ name: 'Other' });
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', list_uuid: other.uuid });
    trial.service.faults.inject({ kind: 'status', status: 503, operation: 'contacts.upsert', times: 20 });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { updated: 0 } });
    expect(trial.grid()[0]!['Contact ID']).toBeUndefined();
    expect(trial.contacts()).toMatchObject([{ list_uuid: other.uuid, last_name: null }]);
    trial.service.faults.clear();
    await trial.run();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 1 } });
    expect(trial.contacts()).toMatchObject([{ list_uuid: trial.list.uuid, last_name: 'Ames' }]);
  });

  it.each(['here', 'elsewhere'])(
    'I2, W9: a person %s whom the filter leaves out is not moved, and the row says so',
    async (place) => {
      const contacts = { list: 'Prospects', move_to_list: true, filter: { status: 'ok' } };
      const trial = createTrial({ values: [header, ['Ann', '', '', 'ann@firm.io', '']], sync: { contacts } });
      const other = trial.service.model.lists.add({ name: 'Other' });
      const { uuid } = trial.addContact({
        email: 'ann@firm.io',
        ...(place === 'elsewhere' && { list_uuid: other.uuid }),
      });
      trial.service.model.contacts.change(uuid, { fields: { status: 'no_contact_data' } });
      await trial.run();
      const { problems } = await trial.run({ isFull: true });
      expect(problems).toMatchObject([{ kind: 'quarantined', rule: 'I2' }]);
      expect(problems[0]!.reason).toContain('the filter of the sync leaves it out');
      expect(trial.writes().crm).toEqual([]);
    },
  );

  it.each([false, true])(
    'I2, I5, W9: full and incremental runs say the same of rows whose contact the filter leaves out (move_to_list: %s)',
    async (moves) => {
      const contacts = { list: 'Prospects', move_to_list: moves, filter: { status: 'ok' } };
      const trial = createTrial({ sync: { contacts } });
      const uuids = ['ann', 'bob'].map((name) => trial.addContact({ email: `${name}@firm.io` }).uuid);
      for (const uuid of uuids) trial.service.model.contacts.change(uuid, { fields: { status: 'replied' } });
      trial.person.paste(`'${tabTitle}'!A1`, [
        [...header, 'Contact ID'],
        ['Ann', '', '', 'ann@firm.io', '', ''],
        ['Bob', '', '', 'bob@firm.io', '', uuids[1]!],
      ]);
      const where = 'filtered out of list Prospects, and the filter of the sync leaves it out';
      for (const isFull of [true, false, false, true, false]) {
        const { problems } = await trial.run({ isFull });
        expect(problems.map(({ row, rule, reason }) => [row, rule, reason])).toEqual([
          [2, 'I2', `is ${where}: change the contact or contacts.filter`],
          [3, 'I5', `its contact is ${where}: change the contact or contacts.filter, or delete the row`],
        ]);
      }
    },
  );

  it.each(['before', 'after'] as const)(
    'I2, W4: a move whose answer is lost (%s it was carried out) ends with one contact, here and linked',
    async (when) => {
      const values = [header, ['', 'Ames', '', 'ann@firm.io', '']];
      const trial = createTrial({ values, sync: { contacts: { list: 'Prospects', move_to_list: true } } });
      const other = trial.service.model.lists.add({ name: 'Other' });
      const { uuid } = trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', list_uuid: other.uuid });
      trial.service.faults.inject({ kind: 'lost', when, operation: 'contacts.upsert' });
      await trial.run();
      await trial.run();
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 1, updated: 0 } });
      expect(trial.contacts()).toMatchObject([{ uuid, list_uuid: trial.list.uuid, last_name: 'Ames' }]);
    },
  );

  it('I2, L12: a person of another list is named with the list’s name', async () => {
    const trial = createTrial({ values: [header, ['Ann', '', '', 'ann@firm.io', '']] });
    const other = trial.service.model.lists.add({ name: 'Customers' });
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', list_uuid: other.uuid });
    const { problems } = await trial.run();
    expect(problems[0]!.reason).toBe('is in list Customers, not in list Prospects; move_to_list: true would move it');
  });

  it('I2: a row without a key waits, and is created once it has one', async () => {
    const trial = createTrial({ values: [header, ['Ann', 'Ames', '', '', '']] });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { waiting: 1, created: 0 } });
    trial.person.paste(`'${tabTitle}'!D2`, [['ann@firm.io']]);
    expect(await trial.run()).toMatchObject({ counts: { created: 1 } });
  });

  it('I8: a placeholder address finds no contact, also beside a handle', async () => {
    const trial = createTrial({ values: [header, ['Ann', '', '', 'x@example.com', 'ann-ames']] });
    trial.addContact({ first_name: 'Bob', email: 'x@example.com', network: 'bob' });
    await trial.run();
    const bob = trial.contacts().find(({ network }) => network === 'bob')!;
    const row = trial.grid().find((each) => each['First name'] === 'Ann')!;
    expect(row['Contact ID']).not.toBe(bob.uuid);
    expect(bob.first_name).toBe('Bob');
  });
});

describe('I3, T23: answers with another contact', () => {
  /** The service answers a create with somebody else. */
  const answeredWithElse: TrialOptions['around'] = async (request, next) => {
    const response = await next(request);
    if (!request.url.endsWith('/upsert')) return response;
    const body = (await response.json()) as Record<string, unknown>;
    return Response.json({ ...body, uuid: '11111111-1111-4111-8111-111111111111', work_email: 'else@firm.io' });
  };

  it('I3: an answer with another identifier quarantines the row, and nothing more is sent for it', async () => {
    const trial = createTrial({
      values: [header, ['Ann', '', '', 'ann@firm.io', '']],
      around: answeredWithElse,
    });
    expect(await trial.run()).toMatchObject({ status: 'partial', problems: [{ kind: 'quarantined', rule: 'I3' }] });
    expect(trial.grid()[0]!['Contact ID']).toBeUndefined();
    const calls = trial.crmCalls('contacts.upsert').length;
    await trial.run();
    expect(trial.crmCalls('contacts.upsert')).toHaveLength(calls);
  });

  it('I3, L10: nothing more is sent for such a row either where the run is killed right after', async () => {
    const trial = createTrial({
      values: [header, ['Ann', '', '', 'ann@firm.io', '']],
      around: answeredWithElse,
    });
    let saved = 0;
    trial.atEachInstant((what) => {
      if (what !== 'saving' || trial.crmCalls('contacts.upsert').length === 0) return;
      saved += 1;
      // The history and what follows from the call are saved; the end of the run is not.
      if (saved === 3) trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    await trial.start();
    const calls = trial.crmCalls('contacts.upsert').length;
    // Somebody deletes what the service made of it: by its address nobody is found any more.
    for (const { uuid } of trial.contacts()) trial.service.model.contacts.remove(uuid);
    expect(await trial.run()).toMatchObject({ problems: [{ kind: 'quarantined', rule: 'I3' }] });
    expect(trial.crmCalls('contacts.upsert')).toHaveLength(calls);
  });

  it.each(['unchanged', 'refused'] as const)(
    'T23, L1: somebody makes the same contact between lookup and create, and the service answers %s: it is merged, not written over',
    async (upsertExisting) => {
      const trial = createTrial({
        values: [header, ['Ann', 'Hand', '', 'ann@firm.io', '']],
        switches: { upsertExisting },
        around: async (request, next) => {
          if (request.url.endsWith('/upsert') && trial.contacts().length === 0) {
            const made = trial.addContact({ first_name: 'Ann', last_name: 'Crm', email: 'ann@firm.io' });
            const at = new Date(Date.now() - 5_000).toISOString();
            trial.service.model.contacts.change(made.uuid, { fields: { created_at: at, updated_at: at } });
          }
          return next(request);
        },
      });
      expect(await trial.run()).toMatchObject({ counts: { created: 0, waiting: 1 } });
      expect(await trial.run()).toMatchObject({ counts: { conflicts: 1 } });
      expect(trial.contactOf('ann@firm.io').last_name).toBe('Crm');
      expect(trial.rowOf('ann@firm.io')['Last name']).toBe('Hand');
    },
  );

  it('L8: a create without an answer is not sent again, by a service that would make a second one of it', async () => {
    const trial = createTrial({
      values: [header, ['Ann', '', '', 'ann@firm.io', '']],
      switches: { upsertExisting: 'duplicated' },
    });
    trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'contacts.upsert' });
    await trial.run();
    await trial.run();
    expect(trial.contacts()).toHaveLength(1);
  });

  it('T19: a contact that the search does not show for a minute is not created twice and gets no second row', async () => {
    const trial = createTrial({
      values: [header, ['Ann', '', '', 'ann@firm.io', '']],
      switches: { searchLagMs: 60_000 },
    });
    trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'contacts.upsert' });
    await trial.run();
    trial.type('ann@firm.io', 'Company', 'Firm');
    await trial.run({ isFull: true });
    await new Promise((resolve) => setTimeout(resolve, 70_000));
    await trial.run();
    expect(trial.contacts()).toMatchObject([{ company_name: 'Firm' }]);
    expect(trial.grid()).toHaveLength(1);
    expect(trial.writes().crm.filter((op) => op === 'contacts.upsert')).toHaveLength(1);
  });
});

describe('I5, I10: IDs that are lost or changed', () => {
  it('I5: an emptied ID is written again', async () => {
    const trial = createTrial();
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
    await trial.run();
    trial.type('ann@firm.io', 'Contact ID', '');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 0, appended: 0 } });
    expect(trial.rowOf('ann@firm.io')['Contact ID']).toBe(trial.contactOf('ann@firm.io').uuid);
  });

  it('I5: a deleted ID column is created again, with all IDs', async () => {
    const trial = createTrial();
    for (const name of ['ann', 'bob', 'cy']) trial.addContact({ first_name: name, email: `${name}@firm.io` });
    await trial.run();
    const at = trial.person.read(`'${tabTitle}'!1:1`)[0]!.indexOf('Contact ID');
    trial.person.deleteColumns(tabTitle, String.fromCodePoint(65 + at));
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 0, appended: 0 } });
    for (const name of ['ann', 'bob', 'cy'])
      expect(trial.rowOf(`${name}@firm.io`)['Contact ID']).toBe(trial.contactOf(`${name}@firm.io`).uuid);
  });

  it('I5, L7: an ID that is no contact’s quarantines its row, and nothing is concluded from rows that are missing', async () => {
    const trial = createTrial({ sync: { on_row_deleted: 'delete_contact' } });
    for (const name of ['ann', 'bob', 'cy']) trial.addContact({ first_name: name, email: `${name}@firm.io` });
    await trial.run();
    trial.type('ann@firm.io', 'Contact ID', 'oops');
    trial.person.deleteRows(tabTitle, trial.rowNumberOf('bob@firm.io'));
    expect(await trial.run({ isFull: true })).toMatchObject({ counts: { quarantined: 1, deleted: 0 } });
    expect(trial.contacts()).toHaveLength(3);
  });

  it('I10: a contact that was deleted and created again is linked to its old row', async () => {
    const trial = createTrial();
    for (const name of ['ann', 'bob', 'cy']) trial.addContact({ first_name: name, email: `${name}@firm.io` });
    await trial.run();
    trial.service.model.contacts.remove(trial.contactOf('ann@firm.io').uuid);
    trial.addContact({ first_name: 'ann', company_name: 'New', email: 'ann@firm.io' });
    await trial.run({ isFull: true });
    await trial.run({ isFull: true });
    expect(trial.rowOf('ann@firm.io')).toMatchObject({
      'Contact ID': trial.contactOf('ann@firm.io').uuid,
      Company: 'New',
    });
  });

  it('I10, L10: the old row of a contact that was created again is kept if the process dies before its ID is written', async () => {
    const trial = createTrial({ values: [[...header, 'Notes']], sync: { on_contact_deleted: 'delete_row' } });
    for (const name of ['ann', 'bob', 'cy'])
      trial.addContact({ first_name: name, company_name: 'Firm', email: `${name}@firm.io` });
    await trial.run();
    trial.type('ann@firm.io', 'Notes', 'mine');
    trial.service.model.contacts.remove(trial.contactOf('ann@firm.io').uuid);
    const { uuid } = trial.addContact({ first_name: 'ann', email: 'ann@firm.io' });
    let isSent = false;
    trial.atEachInstant((what) => {
      if (what instanceof Request && what.method === 'PUT' && what.url.endsWith(uuid)) isSent = true;
      else if (isSent && what instanceof Request && what.url.includes(':batchUpdate')) trial.kill();
    });
    expect(await trial.attempt({ isFull: true })).toBe('killed');
    trial.atEachInstant(() => {});
    await trial.start();
    for (let run = 0; run < 3; run += 1) await trial.run({ isFull: true });
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ 'Contact ID': uuid, Company: 'Firm', Notes: 'mine' });
  });
});
