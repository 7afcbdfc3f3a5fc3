// Keys of contacts in other lists (I7): which are sent, and which are not.
import { describe, expect, it } from 'vitest';
import { createSyncTrial, inOrder, tabTitle } from '../support/app.ts';

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

  it('I7, W9: a change held for another list is asked again by full scans only, and goes on once the key is free', async () => {
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

  it('I7, W9: a key of this list is not stored again by full and incremental runs in turn', async () => {
    const trial = await withOther();
    trial.type('ann@firm.io', 'Email', 'BOB@firm.io');
    for (const isFull of [true, false]) await trial.run({ isFull });
    const files = trial.stateFiles();
    const calls = trial.crmCalls('contacts.lookup-one').length;
    for (const isFull of [false, true, false]) {
      expect((await trial.run({ isFull })).problems).toMatchObject([{ kind: 'held', rule: 'I7' }]);
    }
    expect(trial.stateFiles()['base.log']).toEqual(files['base.log']);
    expect(trial.crmCalls('contacts.lookup-one')).toHaveLength(calls);
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
    // The service answers with the contact that was changed last.
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

  it.each([
    ['1', '2'],
    ['2', '1'],
  ])(
    'I7, L6: who has the key now is named, not who had it and left the list (uuids of %s and %s)',
    async (one, two) => {
      const trial = await withOther();
      const uuidOf = (digit: string) => `${digit}0000000-0000-4000-8000-000000000001`;
      const left = trial.addContact({ uuid: uuidOf(one), first_name: 'Di', email: 'di@firm.io' });
      const taking = trial.addContact({ uuid: uuidOf(two), first_name: 'Ed', email: 'ed@firm.io' });
      await trial.run();
      const elsewhere = trial.service.model.lists.add({ name: 'Left' }).uuid;
      trial.service.model.contacts.change(left.uuid, { fields: { list_uuid: elsewhere, work_email: 'new@firm.io' } });
      trial.service.model.contacts.change(taking.uuid, { fields: { work_email: 'di@firm.io' } });
      trial.type('ann@firm.io', 'Email', 'di@firm.io');
      const reason = `Email: another contact has it, ${taking.uuid} in list Prospects: give one of the two another value`;
      for (const isFull of [true, false, true]) {
        const { problems } = await trial.run({ isFull });
        expect(problems).toContainEqual(expect.objectContaining({ kind: 'held', rule: 'I7', reason }));
      }
    },
  );

  it('I7, L6: of two contacts with the key the same one is named by full and incremental runs, though these read the other one', async () => {
    const trial = await withOther();
    const uuidOf = (digit: number) => `${digit}0000000-0000-4000-8000-000000000001`;
    trial.addContact({ uuid: uuidOf(1), first_name: 'Di', email: 'di@firm.io' });
    await trial.run();
    // Later than the time by which scans overlap: runs for changes read the second one alone.
    await new Promise((resolve) => void setTimeout(resolve, 30 * 60_000));
    trial.addContact({ uuid: uuidOf(2), first_name: 'Ed', email: 'di@firm.io' });
    const cells = ['One', 'Two'].map((name) =>
      header.map((each) => ({ 'First name': name, Email: 'di@firm.io' })[each]),
    );
    trial.person.paste(
      `'${tabTitle}'!A9`,
      cells.map((row) => row.map((cell) => cell ?? null)),
    );
    trial.type('ann@firm.io', 'Email', 'di@firm.io');
    await trial.run({ isFull: true });
    const told = trial.grid();
    for (const isFull of [false, true, false]) {
      const { problems } = await trial.run({ isFull });
      const held = problems.filter(({ kind }) => kind === 'held').map(({ reason }) => reason);
      expect(held).toEqual([expect.stringContaining(`another contact has it, ${uuidOf(1)}`)]);
      expect(trial.grid()).toEqual(told);
    }
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

  it('I7, W1: the lookup is in the estimate of a plan, and the plan shows the held change', async () => {
    const trial = await withOther();
    trial.type('ann@firm.io', 'Company', 'Firm');
    const before = (await trial.plan()).estimate.crmCalls;
    trial.type('bob@firm.io', 'Email', 'cy@firm.io');
    const { estimate, problems, changes } = await trial.plan();
    expect(problems).toMatchObject([{ kind: 'held', rule: 'I7' }]);
    expect(changes).toHaveLength(1);
    // One call for the lookup, one for the name of the list.
    expect(estimate.crmCalls).toBe(before + 2);
  });

  it('I7: a plan that was saved while the key was free is not applied once a contact has the key', async () => {
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

describe('I8, T33: a placeholder address is a value, and is never sent as an identifier', () => {
  const everybodys = 'noreply@example.com';
  const two = (wish?: string) =>
    ['ann', 'bob'].map((name) => [name, '', everybodys, `${name}-handle`, ...(wish === undefined ? [] : [wish])]);

  it('I8: two people with one placeholder address are both created, and both have it', async () => {
    const trial = createTrial({ values: [header, ...two()] });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 2, linked: 2 } });
    expect(trial.contacts()).toHaveLength(2);
    expect(trial.contacts().every(({ work_email }) => work_email === everybodys)).toBe(true);
    const leads = trial.crmCalls('contacts.upsert').map(({ body }) => (body as { lead: object }).lead);
    expect(leads.map((lead) => 'email' in lead)).toEqual([false, false]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0, linked: 2 } });
  });

  it('I8, I3: it is not sent to a contact that the service answers without the profile that was sent', async () => {
    const trial = createTrial({
      values: [header, ['Ann', '', everybodys, 'ann-handle']],
      around: async (request, next) => {
        const response = await next(request);
        if (!request.url.endsWith('/upsert')) return response;
        return new Response((await response.text()).replace('"network":"ann-handle"', '"network":null'), response);
      },
    });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { quarantined: 1 } });
    expect(trial.crmCalls('contacts.update')).toEqual([]);
    expect(trial.contacts().map(({ work_email }) => work_email)).not.toContain(everybodys);
  });

  it('I8, I2: a row whose other key cannot be sent is refused by name, and no contact is made', async () => {
    const trial = createTrial({
      columns: {
        Name: 'name',
        'First name': 'first_name',
        Company: { field: 'company_name', direction: 'to_sheet' },
        Email: 'email',
      },
      values: [
        ['Name', 'First name', 'Company', 'Email'],
        ['Ann Row', 'Ann', 'Firm', everybodys],
      ],
      sync: { match: ['email', 'name+company_name'] },
    });
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'refused', row: 2, reason: expect.stringContaining('is no identifier') }]);
    expect([trial.writes().crm, trial.contacts()]).toEqual([[], []]);
  });

  it('I8, W1: the second call of such a create is in the estimate of a plan', async () => {
    const plain = createTrial({ values: [header, ['Ann', '', 'ann@firm.io', 'ann']] });
    const other = createTrial({ values: [header, ['Ann', '', everybodys, 'ann']] });
    const [a, b] = [await plain.plan(), await other.plan()];
    // It is not looked up by its address either.
    expect(b.estimate.crmCalls).toBe(a.estimate.crmCalls);
    expect([a.cost.crmCalls - b.cost.crmCalls, a.changes.length, b.changes.length]).toEqual([1, 1, 1]);
  });

  it('I8, I2: a contact with a placeholder is not matched by name and company', async () => {
    const trial = createTrial({
      values: [header, ['Ann', 'Firm', everybodys, '']],
      sync: { match: ['email', 'name+company_name'], columns: { ...columns, 'Last name': 'last_name' } },
    });
    trial.addContact({ first_name: 'Bob', company_name: 'Other', email: everybodys });
    expect(await trial.run()).toMatchObject({ counts: { created: 1 } });
    expect(trial.contacts().map(({ first_name }) => first_name)).toEqual(['Bob', 'Ann']);
  });

  it('I8, E2: the call that creates and enrols does not send it either', async () => {
    const trial = createTrial({
      values: [[...header, 'Automation'], ...two('Welcome')],
      sync: { automation: { column: 'Automation' } },
    });
    const welcome = trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 2, enrolled: 2 } });
    expect(trial.contacts().map(({ work_email }) => work_email)).toEqual([everybodys, everybodys]);
    expect([...trial.service.model.automations.enrolments()].map(({ flow_uuid }) => flow_uuid)).toEqual([
      welcome.uuid,
      welcome.uuid,
    ]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
  });

  it.each(['server_error', 'lost'] as const)(
    'I8, M6: where setting it comes to nothing (%s) the contact is made all the same, and the next run sets it',
    async (how) => {
      const trial = createTrial({ values: [header, two()[0]!] });
      if (how === 'lost')
        trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'contacts.update', times: 9 });
      else trial.service.faults.inject({ kind: 'status', status: 500, operation: 'contacts.update', times: 9 });
      const first = await trial.run();
      expect(first.counts.created).toBe(1);
      expect(first.status).toBe('partial');
      trial.service.faults.clear();
      await trial.run();
      expect(await trial.run()).toMatchObject({ status: 'succeeded' });
      expect(trial.contacts()).toMatchObject([{ work_email: everybodys, network: 'ann-handle' }]);
    },
  );

  it.each([
    ['and none comes to a repeat either', 9, []],
    ['and its repeat is refused', 1, [422]],
  ])(
    'I8, W4: where setting it has no answer, %s, the contact is read again, and what arrived counts',
    async (_and, times, refusals) => {
      const trial = createTrial({ values: [header, two()[0]!] });
      trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'contacts.update', times });
      for (const status of refusals)
        trial.service.faults.inject({ kind: 'status', status, operation: 'contacts.update' });
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1, linked: 1 } });
      expect(trial.contacts()).toMatchObject([{ work_email: everybodys, network: 'ann-handle' }]);
      trial.service.faults.clear();
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
    },
  );

  it('I8, W4: where the contact cannot be read again either, it is as it was created, and the next run goes on', async () => {
    const trial = createTrial({ values: [header, two()[0]!] });
    trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'contacts.update', times: 9 });
    trial.service.faults.inject({ kind: 'status', status: 500, operation: 'contacts.get', times: 9 });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { created: 1 } });
    trial.service.faults.clear();
    await trial.run();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0, linked: 1 } });
    expect(trial.contacts()).toMatchObject([{ work_email: everybodys, network: 'ann-handle' }]);
  });

  describe('I8, L1: an address that somebody types before the second call is not overwritten by it', () => {
    const typed = 'ann@firm.io';
    const calls = ['one call that creates and enrols', 'an upsert', 'an upsert whose answer is lost'] as const;

    /** Somebody types into the contact that was made, before any request that follows the call. */
    function withTyping(
      call: (typeof calls)[number],
      {
        sync,
        row = two()[0]!,
        address = typed,
      }: { readonly sync?: object; readonly row?: string[]; readonly address?: string } = {},
    ) {
      const isEnrolled = call === calls[0];
      const made = isEnrolled ? /add-new-lead/i : /upsert/;
      const trial = createTrial({
        values: [isEnrolled ? [...header, 'Automation'] : header, isEnrolled ? [...row, 'Welcome'] : row],
        sync: { ...(isEnrolled && { automation: { column: 'Automation' } }), ...sync },
        around: async (request, next) => {
          const response = await next(request);
          const [contact] = trial.contacts();
          if (!made.test(request.url) || !contact) return response;
          const { uuid } = contact;
          trial.service.model.contacts.change(uuid, { fields: { work_email: address } });
          if (call === 'an upsert whose answer is lost') throw new TypeError('fetch failed');
          if (isEnrolled) return response;
          const shown = JSON.stringify({ ...(JSON.parse(await response.text()) as object), work_email: address });
          return new Response(shown, response);
        },
      });
      trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
      return trial;
    }

    const sides = (trial: ReturnType<typeof createTrial>) => [
      trial.contacts().map(({ work_email }) => work_email),
      trial.grid().map((row) => row['Email']),
    ];

    it.each(calls)(
      'I8, L1, M1: after %s the contact keeps it, and the CRM wins where it wins conflicts',
      async (call) => {
        const trial = withTyping(call, { sync: { conflict: 'crm' } });
        await trial.run();
        await trial.run();
        expect(sides(trial)).toEqual([[typed], [typed]]);
        expect(trial.crmCalls('contacts.update')).toEqual([]);
        const lines = (await trial.history()).filter(({ field }) => field === 'email');
        expect(lines.filter(({ op }) => op === 'create')).toMatchObject([
          { after: everybodys, outcome: 'moved', message: expect.stringContaining('not sent') },
        ]);
        expect(lines.filter(({ op }) => op === 'set')).toMatchObject([{ before: everybodys, after: typed }]);
        expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
      },
    );

    it.each(calls)(
      'I8, L1, M1: after %s the sheet wins where it wins, and the history has what it replaced',
      async (call) => {
        const trial = withTyping(call, { sync: { conflict: 'sheet' } });
        expect((await trial.run()).problems).toMatchObject([{ kind: 'waiting', rule: 'M5', row: 2, field: 'email' }]);
        expect(sides(trial)).toEqual([[typed], [everybodys]]);
        await trial.run();
        expect(sides(trial)).toEqual([[everybodys], [everybodys]]);
        expect(await trial.history()).toContainEqual(
          expect.objectContaining({ op: 'update', field: 'email', before: typed, after: everybodys, outcome: 'done' }),
        );
        expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
      },
    );

    it.each(['manual', 'newest'])(
      'I8, M1, L12: where %s decides, it waits for a person, and is told',
      async (conflict) => {
        const trial = withTyping('one call that creates and enrols', { sync: { conflict } });
        for (let run = 0; run < 3; run += 1) {
          const { problems } = await trial.run();
          expect(problems).toMatchObject([{ kind: 'conflict', rule: 'M1', row: 2, field: 'email' }]);
          expect(sides(trial)).toEqual([[typed], [everybodys]]);
        }
      },
    );

    it.each(calls)('I8, M4: after %s it is replaced where the column is only sent', async (call) => {
      const trial = withTyping(call, {
        sync: { columns: { ...columns, Email: { field: 'email', direction: 'to_crm' } } },
      });
      expect((await trial.run()).problems).toEqual([]);
      expect(sides(trial)).toEqual([[everybodys], [everybodys]]);
    });

    it('I8, L1, L10: nor by the next run, if the process dies after the call that creates and enrols', async () => {
      const trial = withTyping('one call that creates and enrols', { sync: { conflict: 'crm' } });
      trial.atEachInstant((what) => {
        if (what instanceof Request && what.url.endsWith('/lookup-one') && trial.contacts().length > 0) trial.kill();
      });
      expect(await trial.attempt()).toBe('killed');
      trial.atEachInstant(() => {});
      await trial.run();
      await trial.run();
      expect(sides(trial)).toEqual([[typed], [typed]]);
      expect(trial.crmCalls('contacts.update')).toEqual([]);
    });

    it('I8, L1: what is blank yet is sent all the same', async () => {
      const trial = withTyping('an upsert', {
        row: ['Ann', 'Firm', everybodys, 'n/a'],
        sync: {
          conflict: 'crm',
          match: ['email', 'name+company_name'],
          columns: { ...columns, 'Last name': 'last_name' },
        },
      });
      await trial.run();
      expect(trial.crmCalls('contacts.update').map(({ body }) => body)).toMatchObject([{ network: 'n/a' }]);
      await trial.run();
      expect(trial.contacts()).toMatchObject([{ work_email: typed, network: 'n/a' }]);
      expect(sides(trial)).toEqual([[typed], [typed]]);
    });

    it('I8, V2: the same address in other letters is no other value', async () => {
      const trial = withTyping('an upsert', { address: everybodys.toUpperCase() });
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
    });
  });

  it('I8, L10: if the process dies between the two calls, the next run makes the second', async () => {
    const trial = createTrial({ values: [header, ...two()] });
    trial.atEachInstant((what) => {
      if (typeof what !== 'string' && what.method === 'PUT' && !what.url.includes('spreadsheets')) trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    await trial.run();
    await trial.run();
    expect(trial.contacts().map(({ work_email }) => work_email)).toEqual([everybodys, everybodys]);
  });
});

describe('V2: names of a profile', () => {
  it('V2, I6: two people whose opaque ids differ in case only are two people', async () => {
    const trial = createTrial({ values: [header, ['Ann', '', '', 'ACoAAB1x'], ['Bob', '', '', 'ACoAAB1X']] });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 2 } });
    expect(inOrder(trial.contacts().map(({ network }) => network))).toEqual(['ACoAAB1X', 'ACoAAB1x']);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 2 } });
  });

  it.each(['/de', '/pt-BR/', '/recent-activity/'])(
    'V2, I2: an address that ends in %s is the same profile',
    async (end) => {
      const trial = createTrial({ values: [header, ['', '', '', `https://www.network.test/in/Ann-Lee${end}`]] });
      trial.addContact({ first_name: 'Ann', network: 'ann-lee' });
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 1, created: 0, appended: 0 } });
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, conflicts: 0 } });
      expect(trial.contacts()).toHaveLength(1);
    },
  );

  it.each([
    ['4711', 'ln_id', 'manual'],
    ['4711', 'ln_id', 'sheet'],
    ['ACwAAB1x', 'sn_id', 'manual'],
    ['https://www.network.test/in/ACwAAB1x', 'sn_id', 'sheet'],
    ['4711', 'ln_id', 'crm'],
  ] as const)(
    'V2, I2: a row that names its contact by a member id, %s (%s), is linked without a conflict, and gets the handle (%s)',
    async (typed, field, conflict) => {
      const trial = createTrial({ values: [header, ['', 'Firm', '', typed]], sync: { conflict } });
      const { uuid } = trial.addContact({ first_name: 'Ann', network: 'ann-lee' });
      trial.service.model.contacts.change(uuid, { fields: { [field]: typed.split('/').at(-1)! } });
      await trial.run();
      await trial.run();
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 1, updated: 0, set: 0 } });
      expect(trial.grid()).toMatchObject([{ 'First name': 'Ann', Profile: 'ann-lee', 'Contact ID': uuid }]);
      expect(trial.contacts()).toMatchObject([{ network: 'ann-lee', company_name: 'Firm' }]);
    },
  );

  it('V2, I7: the member id of its own contact, typed over the handle, is not sent; one of another contact is held', async () => {
    const trial = await withOther({ sync: { conflict: 'sheet' } });
    const ann = trial.contactOf('ann@firm.io');
    trial.service.model.contacts.change(ann.uuid, { fields: { ln_id: '4711' } });
    trial.service.model.contacts.change(trial.cy.uuid, { fields: { ln_id: '4712' } });
    trial.type('ann@firm.io', 'Profile', '4711');
    trial.type('bob@firm.io', 'Profile', '4712');
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'held', rule: 'I7' }]);
    expect(trial.writes().crm).toEqual([]);
    expect(trial.rowOf('ann@firm.io')['Profile']).toBe('ann');
    expect(trial.rowOf('bob@firm.io')['Profile']).toBe('4712');
  });

  it('V2: a member id that no contact has is an open conflict, and is looked up once and at full scans', async () => {
    const trial = createTrial({ values: [header, ['', '', 'ann@firm.io', '4711']] });
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', network: 'ann-lee' });
    expect(await trial.run()).toMatchObject({ counts: { conflicts: 1 } });
    await trial.run();
    const calls = trial.crmCalls('contacts.lookup-one').length;
    for (let run = 0; run < 2; run += 1) expect(await trial.run()).toMatchObject({ counts: { conflicts: 1 } });
    expect(trial.crmCalls('contacts.lookup-one')).toHaveLength(calls);
  });

  it('V2, I3: a row that is new and has a member id only becomes a contact', async () => {
    const trial = createTrial({ values: [header, ['Ann', '', '', '4711']] });
    expect(await trial.run()).toMatchObject({ counts: { created: 1, quarantined: 0, linked: 1 } });
    await trial.run();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 1 } });
    expect(trial.contacts()).toHaveLength(1);
  });
});
