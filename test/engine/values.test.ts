// Values that the service stores in its own form, as a run handles them (M, V and L rules).
import { describe, expect, it, vi } from 'vitest';
import { createSyncTrial, tabTitle } from '../support/app.ts';

const columns = {
  'First name': 'first_name',
  'Last name': 'last_name',
  Company: 'company_name',
  Email: 'email',
  Position: 'position',
};
const header = Object.keys(columns);

async function inSync(options: Parameters<typeof createSyncTrial>[0] = {}) {
  const trial = createSyncTrial({ columns, values: [header], ...options });
  trial.addContact({
    first_name: 'Ann',
    last_name: 'Ames',
    company_name: 'Firm',
    email: 'ann@firm.io',
    position: 'Buyer',
  });
  trial.addContact({
    first_name: 'Bob',
    last_name: 'Bell',
    company_name: 'Firm',
    email: 'bob@firm.io',
    position: 'Buyer',
  });
  await trial.run();
  return trial;
}

describe('merging', () => {
  it('M1, L1, L4: under manual a conflict freezes its field and no other, and closes when the sides agree', async () => {
    const trial = await inSync({ sync: { conflict: 'manual' } });
    trial.type('ann@firm.io', 'Company', 'By hand');
    trial.type('ann@firm.io', 'Position', 'Seller');
    trial.change('ann@firm.io', { company_name: 'By the CRM' });
    for (let run = 0; run < 2; run += 1)
      expect(await trial.run()).toMatchObject({
        status: 'partial',
        counts: { conflicts: 1 },
        problems: [{ rule: 'M1' }],
      });
    expect(trial.contactOf('ann@firm.io')).toMatchObject({ company_name: 'By the CRM', position: 'Seller' });
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'By hand' });
    trial.type('ann@firm.io', 'Company', 'By the CRM');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { conflicts: 0 } });
  });

  it.each(['crm', 'sheet'] as const)(
    'L1, L6, L11: under %s that side wins, and the loser is in the history',
    async (conflict) => {
      const trial = await inSync({ sync: { conflict } });
      trial.type('ann@firm.io', 'Company', 'By hand');
      trial.change('ann@firm.io', { company_name: 'By the CRM' });
      await trial.run();
      const [winner, loser] = conflict === 'crm' ? ['By the CRM', 'By hand'] : ['By hand', 'By the CRM'];
      expect(trial.contactOf('ann@firm.io').company_name).toBe(winner);
      expect(trial.rowOf('ann@firm.io')['Company']).toBe(winner);
      const line = (await trial.history()).find(({ field, before }) => field === 'company_name' && before !== null);
      expect(line).toMatchObject({ before: loser, after: winner, base: 'Firm', rule: 'M1', outcome: 'done' });
    },
  );

  it('M4: text over a to_sheet column is replaced by the next run, and logged', async () => {
    const trial = await inSync({ columns: { ...columns, Position: { field: 'position', direction: 'to_sheet' } } });
    trial.type('ann@firm.io', 'Position', 'Boss');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 1, updated: 0 } });
    expect(trial.rowOf('ann@firm.io')['Position']).toBe('Buyer');
    expect(await trial.history()).toContainEqual(
      expect.objectContaining({ before: 'Boss', after: 'Buyer', rule: 'M4' }),
    );
  });

  it('M4: a to_crm column is sent when it differs from what was last sent, and the CRM side is never read', async () => {
    const trial = await inSync({ columns: { ...columns, Segment: { custom_field: 'segment' } } });
    trial.type('ann@firm.io', 'Segment', 'A');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
    const { uuid } = trial.contactOf('ann@firm.io');
    expect(trial.service.model.contacts.get(uuid).customFields).toEqual({ segment: 'A' });
    expect(await trial.run({ isFull: true })).toMatchObject({ counts: { updated: 0, set: 0 } });
  });

  it.each([
    ['refused', 422, 'W5'],
    ['unknown', 503, 'W4'],
  ] as const)(
    'L12: of an update of two calls, what the first wrote is told as done, and the second as %s',
    async (kind, status, rule) => {
      const trial = await inSync({ columns: { ...columns, Segment: { custom_field: 'segment' } } });
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      trial.type('ann@firm.io', 'Company', 'Other');
      trial.type('ann@firm.io', 'Segment', 'A');
      trial.service.faults.inject({ kind: 'status', status, operation: 'contacts.upsert', times: 1_000 });
      const { run, problems } = await trial.run();
      expect(problems).toMatchObject([
        { kind, rule, reason: expect.stringContaining('; written before it: company_name') },
      ]);
      const told = async () =>
        (await trial.history()).filter((line) => line.run === run).map(({ field, outcome }) => [field, outcome]);
      expect(await told()).toEqual([
        ['company_name', 'done'],
        ['custom_fields.segment', kind],
      ]);
      expect(trial.contactOf('ann@firm.io').company_name).toBe('Other');
      trial.service.faults.clear();
      await trial.cli('retry', trial.contactOf('ann@firm.io').uuid);
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
      const { uuid } = trial.contactOf('ann@firm.io');
      expect(trial.service.model.contacts.get(uuid).customFields).toEqual({ segment: 'A' });
      expect((await trial.history()).findLast(({ field }) => field === 'company_name')).toMatchObject({ run });

      await trial.cli('undo', run, '--yes');
      expect(trial.contactOf('ann@firm.io').company_name).toBe('Firm');
    },
  );

  it('W6, L12: of an update of two calls, what the first wrote is told as done where the second is answered 401', async () => {
    const trial = await inSync({ columns: { ...columns, Segment: { custom_field: 'segment' } } });
    trial.type('ann@firm.io', 'Company', 'Other');
    trial.type('bob@firm.io', 'Company', 'Other');
    trial.type('bob@firm.io', 'Segment', 'A');
    trial.service.faults.inject({ kind: 'status', status: 401, operation: 'contacts.upsert' });
    expect(await trial.run()).toMatchObject({ status: 'failed', isFinal: true });
    await trial.start();
    await trial.run({ isFull: true });
    const bob = trial.contactOf('bob@firm.io');
    const told = (await trial.history()).filter(({ op, contact }) => op === 'update' && contact === bob.uuid);
    expect(told.map(({ field, outcome }) => [field, outcome])).toEqual([
      ['company_name', 'done'],
      ['custom_fields.segment', 'failed'],
      ['custom_fields.segment', 'done'],
    ]);
  });

  it('M1, W5: a decision that the first of two calls carried out decides no later conflict, though the second is refused', async () => {
    const trial = await inSync({ columns: { ...columns, Segment: { custom_field: 'segment' } } });
    const { uuid } = trial.contactOf('ann@firm.io');
    trial.type('ann@firm.io', 'Company', 'Ours');
    trial.change('ann@firm.io', { company_name: 'Theirs' });
    await trial.run();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    trial.type('ann@firm.io', 'Segment', 'A');
    await trial.cli('resolve', `${uuid}/company_name`, '--use', 'sheet');
    trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.upsert', times: 1_000 });
    expect(await trial.run()).toMatchObject({ problems: [{ kind: 'refused', rule: 'W5' }] });
    expect(trial.contactOf('ann@firm.io').company_name).toBe('Ours');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    trial.type('ann@firm.io', 'Company', 'Ours again');
    trial.change('ann@firm.io', { company_name: 'Theirs again' });
    const { problems } = await trial.run();
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'conflict', field: 'company_name' }));
    expect(trial.contactOf('ann@firm.io').company_name).toBe('Theirs again');
  });

  it('I8, L12: of an update of two calls, what the first wrote is known to a run whose search lags', async () => {
    const trial = await inSync({ columns: { ...columns, Segment: { custom_field: 'segment' } } });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    trial.type('ann@firm.io', 'Company', 'Other');
    trial.type('ann@firm.io', 'Segment', 'A');
    trial.service.faults.inject({ kind: 'status', status: 503, operation: 'contacts.upsert', times: 5 });
    trial.service.switches.searchLagMs = 60_000;
    await trial.run();
    await trial.run();
    expect(trial.crmCalls('contacts.update')).toHaveLength(1);
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('Other');
    await new Promise((resolve) => setTimeout(resolve, 61_000));
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { set: 0 } });
    expect(trial.crmCalls('contacts.update')).toHaveLength(1);
    const { uuid } = trial.contactOf('ann@firm.io');
    expect(trial.service.model.contacts.get(uuid).customFields).toEqual({ segment: 'A' });
  });

  it.each(['has the address', 'has another one, which no search shows yet', 'was deleted'] as const)(
    'W1, L12: custom fields go by an address only if no other known contact has it: the other one %s',
    async (state) => {
      const trial = await inSync({ columns: { ...columns, Segment: { custom_field: 'segment' } } });
      const ann = trial.contactOf('ann@firm.io');
      const other = trial.addContact({ first_name: 'Cy', email: 'ann@firm.io' });
      await trial.run();
      trial.service.switches.searchLagMs = 60_000;
      const { model } = trial.service;
      if (state === 'was deleted') model.contacts.remove(other.uuid);
      else if (state !== 'has the address') model.contacts.change(other.uuid, { fields: { work_email: 'cy@firm.io' } });
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      // A lookup answers the contact that was changed last.
      model.contacts.change(ann.uuid, { fields: { position: 'Buyer' } });
      trial.type('ann@firm.io', 'Segment', 'A');
      const { problems } = await trial.run();
      const isShared = state === 'has the address';
      const reason = `refused: custom fields go by email, and ${other.uuid} has it, too: make it unique`;
      expect(problems).toMatchObject(isShared ? [{ kind: 'refused', rule: 'W5', uuid: ann.uuid, reason }] : []);
      expect(trial.crmCalls('contacts.upsert')).toHaveLength(isShared ? 0 : 1);
      expect(model.contacts.get(ann.uuid).customFields).toEqual(isShared ? {} : { segment: 'A' });
    },
  );

  it.each([
    ['after', 'put back', 'A'],
    ['before', 'put back', 'A'],
    ['after', 'emptied', ''],
    ['after', 'left', 'B'],
  ] as const)(
    'M4, W4: a custom field of which the answer was lost (%s it was stored) is sent again, and so is what a person has %s meanwhile',
    async (when, _what, typed) => {
      const trial = await inSync({ columns: { ...columns, Segment: { custom_field: 'segment' } } });
      trial.type('ann@firm.io', 'Segment', 'A');
      await trial.run();
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      trial.type('ann@firm.io', 'Segment', 'B');
      trial.service.faults.inject({ kind: 'lost', when, operation: 'contacts.upsert', times: 5 });
      expect(await trial.run()).toMatchObject({ problems: [{ kind: 'unknown', rule: 'W4' }] });
      trial.service.faults.clear();
      trial.type('ann@firm.io', 'Segment', typed);
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
      const { customFields } = trial.service.model.contacts.get(trial.contactOf('ann@firm.io').uuid);
      expect(customFields['segment'] ?? '').toBe(typed);
      for (const isFull of [true, false]) expect(await trial.run({ isFull })).toMatchObject({ counts: { updated: 0 } });
    },
  );

  it.each([
    ['before', 'alone', ['Company'], 'unknown'],
    ['before', 'with another field', ['Company', 'First name'], 'unknown'],
    ['after', 'with another field', ['Company', 'First name'], undefined],
  ] as const)(
    'M4, W4, L3: a field that is only sent, of which the answer was lost (%s it was stored, %s), is sent until the contact shows it',
    async (when, _with, edited, kind) => {
      const sent = { ...columns, Company: { field: 'company_name', direction: 'to_crm' } };
      const trial = await inSync({ columns: sent });
      trial.type('ann@firm.io', 'Company', 'A');
      await trial.run();
      for (const name of edited) trial.type('ann@firm.io', name, 'B');
      trial.service.faults.inject({ kind: 'lost', when, operation: 'contacts.update', times: 99 });
      expect((await trial.run()).problems.map((each) => each.kind)).toEqual(kind ? [kind] : []);
      trial.service.faults.clear();
      trial.service.received.clear();
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: kind ? 1 : 0 } });
      expect(trial.contactOf('ann@firm.io').company_name).toBe('B');
      expect(await trial.run({ isFull: true })).toMatchObject({ counts: { updated: 0 } });
    },
  );

  it.each([
    ['after', 422, ['done'], 'B'],
    ['before', 422, ['failed'], 'Firm'],
    ['after', 404, ['unknown'], undefined],
  ] as const)(
    'W4, L12: an update that has no answer (lost %s it was stored), and whose repeat is refused with %i, is told as %j',
    async (when, status, outcomes, stored) => {
      const trial = await inSync({ columns });
      trial.type('ann@firm.io', 'Company', 'B');
      trial.service.faults.inject({ kind: 'lost', when, operation: 'contacts.update' });
      trial.service.faults.inject({ kind: 'status', status, operation: 'contacts.update' });
      const { uuid } = trial.contactOf('ann@firm.io');
      let puts = 0;
      trial.atEachInstant((what) => {
        if (typeof what === 'string' || what.method !== 'PUT' || !what.url.includes(uuid)) return;
        puts += 1;
        if (puts === 2 && status === 404) trial.service.model.contacts.remove(uuid);
      });
      const { run } = await trial.run();
      trial.atEachInstant(() => {});
      expect((await trial.history()).filter((line) => line.run === run).map((line) => line.outcome)).toEqual(outcomes);
      expect(trial.contacts().find((each) => each.uuid === uuid)?.company_name).toBe(stored);
      await trial.run({ isFull: true });
      expect(await trial.run()).toMatchObject({ counts: { updated: 0, created: 0 } });
    },
  );

  describe.each(['the run is killed', 'its answer is lost'] as const)('a row is appended again, and %s', (what) => {
    /** Ann's row is appended again, and nobody learns of it in that run. */
    async function appendedUnseen(company: 'both' | 'to_crm') {
      let [isMeant, isDown] = [false, false];
      const trial = await inSync({
        sync: { on_row_deleted: 'restore' },
        columns: { ...columns, Company: { field: 'company_name', direction: company } },
        around: async (request, next) => {
          const isOfSheet = request.url.includes('/spreadsheets/');
          if (isDown && isOfSheet) return new Response('{}', { status: 500 });
          const answer = await next(request);
          isDown = isMeant && isOfSheet && trial.grid().some((row) => row['Email'] === 'ann@firm.io');
          if (isDown && what === 'the run is killed') trial.kill();
          return isDown ? new Response('{}', { status: 500 }) : answer;
        },
      });
      trial.type('ann@firm.io', 'Company', 'Old');
      await trial.run();
      trial.person.deleteRows(tabTitle, trial.rowNumberOf('ann@firm.io'));
      if (company === 'both') trial.change('ann@firm.io', { company_name: 'New' });
      isMeant = true;
      expect((await trial.attempt()) === 'killed').toBe(what === 'the run is killed');
      [isMeant, isDown] = [false, false];
      if (what === 'the run is killed') await trial.start();
      await vi.advanceTimersByTimeAsync(60_000);
      return trial;
    }

    it('M4, W4, L7: its cell of a field that is only sent is blank, and empties nothing', async () => {
      const trial = await appendedUnseen('to_crm');
      expect(trial.rowOf('ann@firm.io')['Company']).toBeUndefined();
      expect(await trial.run()).toMatchObject({ counts: { updated: 0, appended: 0 } });
      expect(trial.contactOf('ann@firm.io').company_name).toBe('Old');
      trial.type('ann@firm.io', 'Company', 'Newer');
      await trial.run();
      expect(trial.contactOf('ann@firm.io').company_name).toBe('Newer');
    });

    it('W4, L1: what stands in it is nobody’s edit, also where the contact is put back', async () => {
      const trial = await appendedUnseen('both');
      expect(trial.rowOf('ann@firm.io')['Company']).toBe('New');
      trial.change('ann@firm.io', { company_name: 'Old' });
      expect((await trial.run()).problems).toMatchObject([{ kind: 'conflict', field: 'company_name' }]);
      expect(trial.contactOf('ann@firm.io').company_name).toBe('Old');
    });
  });

  it('M4, W4, L7: nor is it an edit where a column was replaced in the moment in which the row was appended', async () => {
    let isMeant = false;
    const trial = await inSync({
      sync: { on_row_deleted: 'restore' },
      columns: { ...columns, Company: { field: 'company_name', direction: 'to_crm' } },
      values: [['Company', 'First name', 'Email', 'Last name', 'Contact ID', 'Position']],
      around: async (request, next) => {
        const body = request.method === 'POST' ? await request.clone().text() : '';
        if (isMeant && request.url.includes(':batchUpdate') && body.includes('ann@firm.io')) {
          isMeant = false;
          trial.person.deleteColumns(tabTitle, 'F');
          trial.person.insertColumns(tabTitle, 'F');
        }
        return next(request);
      },
    });
    trial.type('ann@firm.io', 'Company', 'Old');
    await trial.run();
    trial.person.deleteRows(tabTitle, trial.rowNumberOf('ann@firm.io'));
    isMeant = true;
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ rule: 'W4', reason: expect.stringContaining('look at position of its row') }]);
    await vi.advanceTimersByTimeAsync(60_000);
    for (let run = 0; run < 2; run += 1) expect((await trial.run()).problems).toMatchObject([{ rule: 'W11' }]);
    expect(trial.contactOf('ann@firm.io').company_name).toBe('Old');
  });

  it('W4, L12: an update that never arrived is not told as done because the contact has the value of a field that is only sent', async () => {
    const trial = await inSync({ columns: { ...columns, Company: { field: 'company_name', direction: 'to_crm' } } });
    trial.change('ann@firm.io', { company_name: 'A' });
    await trial.run();
    trial.type('ann@firm.io', 'Company', 'A');
    trial.type('ann@firm.io', 'First name', 'Anna');
    trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'contacts.update', times: 99 });
    const { run, problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'unknown', rule: 'W4', field: null }]);
    const told = (await trial.history()).filter((line) => line.run === run);
    expect(told.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown']);
    trial.service.faults.clear();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
    expect(trial.contactOf('ann@firm.io')).toMatchObject({ first_name: 'Anna', company_name: 'A' });
  });

  it('M4, W4, L12: of an update without an answer, what a person wrote in the service meanwhile does not count as the field that is only sent', async () => {
    const trial = await inSync({ columns: { ...columns, Company: { field: 'company_name', direction: 'to_crm' } } });
    trial.type('ann@firm.io', 'Company', 'A');
    trial.type('ann@firm.io', 'First name', 'Anna');
    trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'contacts.update', times: 99 });
    const { uuid } = trial.contactOf('ann@firm.io');
    trial.atEachInstant((what) => {
      const isReadBack = typeof what !== 'string' && what.method === 'GET' && what.url.endsWith(uuid);
      if (isReadBack) trial.change('ann@firm.io', { company_name: 'By the CRM' });
    });
    const { run, problems } = await trial.run();
    expect(problems).toMatchObject([
      { kind: 'unknown', rule: 'W4', reason: expect.stringContaining('; written before it: first_name') },
    ]);
    const told = (await trial.history()).filter((line) => line.run === run);
    expect(told.map(({ field, outcome }) => [field, outcome])).toEqual([
      ['first_name', 'done'],
      ['company_name', 'unknown'],
    ]);
    trial.atEachInstant(() => {});
    trial.service.faults.clear();
    await trial.run();
    expect(trial.contactOf('ann@firm.io').company_name).toBe('A');
  });

  it('M4, M3: where blanks are ignored, what was sent without an answer is sent again once it is typed again', async () => {
    const trial = await inSync({
      columns: { ...columns, Segment: { custom_field: 'segment' } },
      sync: { blank: 'ignore' },
    });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    trial.type('ann@firm.io', 'Segment', 'A');
    trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'contacts.upsert', times: 5 });
    expect(await trial.run()).toMatchObject({ problems: [{ kind: 'unknown', rule: 'W4' }] });
    trial.service.faults.clear();
    for (const typed of ['', 'A']) {
      trial.type('ann@firm.io', 'Segment', typed);
      await trial.run();
    }
    const { uuid } = trial.contactOf('ann@firm.io');
    expect(trial.service.model.contacts.get(uuid).customFields).toEqual({ segment: 'A' });
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { updated: 0 } });
  });

  it('M4, L10: nor is the old value taken for sent that a person puts back after a process died while the new one was sent', async () => {
    const trial = await inSync({ columns: { ...columns, Segment: { custom_field: 'segment' } } });
    trial.type('ann@firm.io', 'Segment', 'A');
    await trial.run();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    trial.type('ann@firm.io', 'Segment', 'B');
    let isSent = false;
    trial.atEachInstant((what) => {
      if (isSent && what === 'answered') trial.kill();
      isSent ||= typeof what !== 'string' && what.url.endsWith('/upsert');
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    trial.type('ann@firm.io', 'Segment', 'A');
    await trial.start();
    await trial.run();
    const { uuid } = trial.contactOf('ann@firm.io');
    expect(trial.service.model.contacts.get(uuid).customFields).toEqual({ segment: 'A' });
  });

  it('M5: a form that the service stored becomes the base and is shown in the sheet', async () => {
    const trial = await inSync({
      columns: { ...columns, Profile: 'network_id' },
      switches: { normalises: ['trim', 'handle'] },
    });
    trial.person.paste(`'${tabTitle}'!A9`, [['Cy', '', 'Firm', 'cy@firm.io', '', '', 'https://net.test/in/cy-cole/']]);
    await trial.run();
    await trial.run({ isFull: true });
    const before = trial.writes();
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
    expect(trial.writes()).toEqual(before);
  });
});

describe('a service that does not store the values it accepts', () => {
  it('M6, T24: an ignored field is named, tried three times, then parked until either side changes', async () => {
    const trial = await inSync({ switches: { updateIgnores: ['position'] } });
    trial.type('ann@firm.io', 'Position', 'Seller');
    for (let run = 0; run < 6; run += 1) expect((await trial.run()).status).toBe('partial');
    expect(trial.crmCalls('contacts.update')).toHaveLength(3);
    expect(await trial.run({ isFull: true })).toMatchObject({ problems: [{ kind: 'parked', rule: 'M6' }] });
    expect(trial.rowOf('ann@firm.io')['Position']).toBe('Seller');
    trial.service.switches.updateIgnores = [];
    trial.type('ann@firm.io', 'Position', 'Boss');
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.contactOf('ann@firm.io').position).toBe('Boss');
  });

  describe('M4, M6: in a column that is only sent', () => {
    const sentOnly = { ...columns, Position: { field: 'position', direction: 'to_crm' } };

    /** A run has sent a value that the service did not store. */
    async function ignored() {
      const trial = await inSync({ columns: sentOnly, switches: { updateIgnores: ['position'] } });
      trial.type('ann@firm.io', 'Position', 'Seller');
      await trial.run();
      return trial;
    }

    it.each(['Seller', ''])(
      'M4, M6: what the contact does not show afterwards ("%s") is named, tried three times, then parked until the cell changes',
      async (typed) => {
        const trial = await inSync({ columns: sentOnly });
        trial.type('ann@firm.io', 'Position', 'Baker');
        expect(await trial.run()).toMatchObject({ status: 'succeeded' });
        trial.service.switches.updateIgnores = ['position'];
        trial.service.received.clear();
        trial.type('ann@firm.io', 'Position', typed);
        for (let run = 0; run < 5; run += 1) expect((await trial.run()).status).toBe('partial');
        expect(trial.crmCalls('contacts.update')).toHaveLength(3);
        expect(await trial.run({ isFull: true })).toMatchObject({ problems: [{ kind: 'parked', rule: 'M6' }] });
        trial.service.switches.updateIgnores = [];
        trial.type('ann@firm.io', 'Position', 'Boss');
        expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
        expect(trial.contactOf('ann@firm.io').position).toBe('Boss');
      },
    );

    it('M4, M6, retry: it is sent once more when a person asks for it', async () => {
      const trial = await ignored();
      for (let run = 0; run < 3; run += 1) await trial.run();
      trial.service.switches.updateIgnores = [];
      const [parked] = (await trial.run()).problems;
      expect(await trial.cli('retry', parked!.id)).toMatchObject({ code: 0 });
      expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [], counts: { updated: 1 } });
      expect(trial.contactOf('ann@firm.io').position).toBe('Seller');
    });

    it('M4, L1: what somebody typed into the contact meanwhile shows that nothing was stored, and is no reason to stop', async () => {
      const trial = await ignored();
      trial.change('ann@firm.io', { position: 'Chief' });
      expect(await trial.run()).toMatchObject({ problems: [{ kind: 'failed', rule: 'M6', field: 'position' }] });
      trial.service.switches.updateIgnores = [];
      expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
      expect(trial.contactOf('ann@firm.io').position).toBe('Seller');
    });
  });

  it('T26, M3: with blank: ignore an emptied cell sends nothing and is filled again', async () => {
    const trial = await inSync({ sync: { blank: 'ignore' } });
    trial.type('ann@firm.io', 'Position', '');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 1 } });
    expect(trial.rowOf('ann@firm.io')['Position']).toBe('Buyer');
  });

  it.each(['cleared', 'stored'] as const)(
    'T26, M3: with blank: sync an emptied cell empties the field (%s)',
    async (blankValue) => {
      const trial = await inSync({ switches: { blankValue } });
      trial.type('ann@firm.io', 'Position', '');
      expect(await trial.run()).toMatchObject({ status: 'succeeded' });
      expect(trial.contactOf('ann@firm.io').position ?? '').toBe('');
      expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
    },
  );

  it.each(['refused', 'ignored'] as const)(
    'T26, M6, W5: a blank that is %s is named, and not tried for ever',
    async (blankValue) => {
      const trial = await inSync({ switches: { blankValue } });
      trial.type('ann@firm.io', 'Position', '');
      for (let run = 0; run < 6; run += 1) expect((await trial.run()).status).toBe('partial');
      expect(trial.crmCalls('contacts.update').length).toBeLessThanOrEqual(3);
      expect(trial.rowOf('ann@firm.io')['Position']).toBeUndefined();
    },
  );

  it.each(['work_email', 'personal_email'] as const)(
    'T27: an e-mail that comes back as %s has converged',
    async (emailStoredAs) => {
      const trial = await inSync({ switches: { emailStoredAs } });
      trial.person.paste(`'${tabTitle}'!A9`, [['Cy', '', 'Firm', 'cy@firm.io', '']]);
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
      expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
    },
  );

  it('T28, M8: a name the service computes from its parts is shown and not written back', async () => {
    const trial = await inSync({ columns: { ...columns, Name: 'name' } });
    trial.type('ann@firm.io', 'First name', 'Anna');
    await trial.run();
    await trial.run({ isFull: true });
    expect(trial.rowOf('ann@firm.io')['Name']).toBe('Anna Ames');
    expect(trial.crmCalls('contacts.update').map(({ body }) => body)).toEqual([{ first_name: 'Anna' }]);
  });
});

describe('values that look like something else', () => {
  const values = [
    '=1+1',
    '+33 6',
    '-5',
    '@x',
    '007',
    '1e5',
    '1/2',
    'TRUE',
    '#REF!',
    "'quoted",
    'a\nb',
    '😀',
    '\u{0}nul',
    'x'.repeat(50_000),
  ];

  it.each(values.map((value) => ({ value, shown: JSON.stringify(value.slice(0, 12)) })))(
    'V6, T32: $shown goes there and back unchanged and inert',
    async ({ value }) => {
      const trial = await inSync();
      trial.change('ann@firm.io', { position: value });
      trial.type('bob@firm.io', 'Position', value);
      await trial.run();
      await trial.run({ isFull: true });
      expect(trial.rowOf('ann@firm.io')['Position']).toBe(value);
      expect(trial.contactOf('bob@firm.io').position).toBe(value);
      expect(trial.contactOf('ann@firm.io').position).toBe(value);
      const before = trial.writes();
      await trial.run({ isFull: true });
      expect(trial.writes()).toEqual(before);
    },
  );

  it('W9, V6: a new row with two refused fields has the status that the next run finds for it', async () => {
    const sheet = {
      spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests',
      tab: tabTitle,
      status_column: 'Sync',
    };
    const trial = await inSync({ sync: { sheet } });
    trial.addContact({ company_name: 'x'.repeat(50_001), email: 'cid@firm.io', position: 'y'.repeat(50_001) });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { appended: 1 } });
    expect(trial.rowOf('cid@firm.io')['Sync']).toMatch(/^refused: .* \(and 1 more\)$/);
    const before = trial.writes().sheet;
    await trial.run({ isFull: true });
    expect(trial.writes().sheet).toBe(before);
  });

  it('V6: text longer than a cell takes is refused for that field, by name, and the rest of the record goes on', async () => {
    const trial = await inSync();
    trial.change('ann@firm.io', { position: 'x'.repeat(50_001), company_name: 'Other' });
    expect(await trial.run()).toMatchObject({
      status: 'partial',
      problems: [{ kind: 'refused', rule: 'V6', field: 'position' }],
    });
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'Other', Position: 'Buyer' });
  });

  it('V5, L13: a formula is read by its shown value and never overwritten; a change of the CRM to it is held', async () => {
    const trial = await inSync();
    trial.person.type(`'${tabTitle}'!E${trial.rowNumberOf('ann@firm.io')}`, '="Se"&"ller"');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
    expect(trial.contactOf('ann@firm.io').position).toBe('Seller');
    trial.change('ann@firm.io', { position: 'Boss' });
    expect(await trial.run()).toMatchObject({ status: 'partial', problems: [{ kind: 'held', rule: 'V5' }] });
    const cell = `'${tabTitle}'!E${trial.rowNumberOf('ann@firm.io')}`;
    expect(trial.person.read(cell, 'FORMULA')).toEqual([['="Se"&"ller"']]);
  });

  it.each([
    ['a date', ['3/14/2026'], '3/14/2026'],
    ['a time', ['9:30 AM'], '9:30 AM'],
    ['a percentage', ['50%'], '50%'],
    ['an amount', ['$1,234.50'], '$1,234.50'],
    ['the result of a formula in a cell of percentages', ['7%', '=1/2'], '50%'],
    ['a number without a format', ['491701234567'], '491701234567'],
  ])('V8: %s in a column of text goes to the CRM as the cell shows it, once', async (_what, typed, shown) => {
    const trial = await inSync();
    const cell = `'${tabTitle}'!E${trial.rowNumberOf('ann@firm.io')}`;
    for (const each of typed) trial.person.type(cell, each);
    const isFormula = typed.includes('=1/2');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
    expect(trial.contactOf('ann@firm.io').position).toBe(shown);
    // Another cell of that row is written beside it, and it stays what it was typed as.
    const held = trial.person.read(cell, 'UNFORMATTED_VALUE');
    trial.change('ann@firm.io', { company_name: 'Other' });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 1 } });
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'Other' });
    expect(trial.person.read(cell, 'UNFORMATTED_VALUE')).toEqual(held);
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
    trial.change('ann@firm.io', { position: 'Boss' });
    expect(await trial.run()).toMatchObject(
      isFormula ? { problems: [{ kind: 'held', rule: 'V5' }] } : { status: 'succeeded', counts: { set: 1 } },
    );
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ Position: isFormula ? shown : 'Boss' });
  });

  it('V4: an error value leaves its field alone and is named', async () => {
    const trial = await inSync();
    trial.person.type(`'${tabTitle}'!E${trial.rowNumberOf('ann@firm.io')}`, '=1/0');
    trial.type('ann@firm.io', 'Company', 'Other');
    expect(await trial.run()).toMatchObject({
      status: 'partial',
      counts: { updated: 1 },
      problems: [{ kind: 'unreadable' }],
    });
    expect(trial.contactOf('ann@firm.io')).toMatchObject({ company_name: 'Other', position: 'Buyer' });
  });

  it('L13: unmapped columns, other tabs and rows outside the table are as they were', async () => {
    const trial = await inSync({ values: [[...header, 'Notes', '', 'Sum']] });
    trial.person.request({ addSheet: { properties: { title: 'Other' } } });
    trial.person.paste(`'Other'!A1`, [['theirs']]);
    trial.person.paste(`'${tabTitle}'!F2`, [['note'], ['more']]);
    trial.person.paste(`'${tabTitle}'!H40`, [['far below']]);
    trial.change('ann@firm.io', { company_name: 'Other' });
    trial.addContact({ first_name: 'Cy', email: 'cy@firm.io' });
    await trial.run();
    expect(trial.person.read(`'Other'!A1`)).toEqual([['theirs']]);
    expect(trial.person.read(`'${tabTitle}'!F2:F3`)).toEqual([['note'], ['more']]);
    const below = trial.person
      .read(`'${tabTitle}'!H1:H60`)
      .flat()
      .filter((value) => value !== '' && value !== 'Sum');
    expect(below).toEqual(['far below']);
  });
});
