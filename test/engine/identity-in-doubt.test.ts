// What is done while it is not known, or not written yet, whose row a row is: nobody is deleted, made twice or taken for
// another person.
import { describe, expect, it } from 'vitest';
import { protect } from './sheet-refusals.ts';
import { tabTitle, type TrialOptions } from '../support/app.ts';
import { createTrial, header, inSync } from './in-doubt.ts';

describe('I10: a contact that was deleted and entered again', () => {
  async function enteredAgain(options: TrialOptions = {}) {
    const trial = await inSync(options);
    trial.service.model.contacts.remove(trial.contactOf('ann@firm.io').uuid);
    return { ...trial, made: trial.addContact({ first_name: 'ann', company_name: 'New', email: 'ann@firm.io' }) };
  }

  it.each([true, false])(
    'I10, L14: gets its row also if its ID cannot be written for a run (that one full: %s)',
    async (isFull) => {
      const trial = await enteredAgain();
      trial.breakWrites();
      expect(await trial.run({ isFull })).toMatchObject({ status: 'partial' });
      trial.sheets.faults.clear();
      await trial.run({ isFull: false });
      await trial.run({ isFull: true });
      expect(trial.rowOf('ann@firm.io')).toMatchObject({ 'Contact ID': trial.made.uuid, Company: 'New' });
      expect(trial.grid()).toHaveLength(3);
    },
  );

  it('I10, W3: gets its row also if a person types into it in that moment', async () => {
    let isTyped = true;
    const trial = await enteredAgain({
      around: async (request, next) => {
        if (!isTyped && /batchUpdate/i.test(request.url)) {
          isTyped = true;
          trial.type('ann@firm.io', 'Last name', 'Typed');
        }
        return next(request);
      },
    });
    isTyped = false;
    for (const isFull of [true, false, true]) await trial.run({ isFull });
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ 'Contact ID': trial.made.uuid, 'Last name': 'Typed' });
    expect(trial.contactOf('ann@firm.io').last_name).toBe('Typed');
  });

  it.each([1, 2])(
    'I10, L10: gets its row after a process that died between its update and the write of its ID (entered again: %i times)',
    async (times) => {
      const trial = await enteredAgain({ sync: { on_row_deleted: 'delete_contact' } });
      let { uuid } = trial.made;
      if (times === 2) {
        trial.breakWrites();
        await trial.run({ isFull: true });
        trial.sheets.faults.clear();
        trial.service.model.contacts.remove(uuid);
        ({ uuid } = trial.addContact({ first_name: 'ann', email: 'ann@firm.io' }));
      }
      trial.type('ann@firm.io', 'Last name', 'Typed');
      let hasUpdated = false;
      trial.atEachInstant((what) => {
        if (typeof what !== 'string' && what.method === 'PUT') hasUpdated = true;
        else if (hasUpdated && typeof what !== 'string' && /batchUpdate/i.test(what.url)) trial.kill();
      });
      expect(await trial.attempt({ isFull: true })).toBe('killed');
      trial.atEachInstant(() => {});
      const { store } = await trial.start();
      // Only one link may have the row, in whatever order a store gives them.
      const { links } = await store.sync('prospects').load();
      const contacts = trial.contacts().map((each) => each.uuid);
      expect([...links.keys()].toSorted()).toEqual(contacts.toSorted());
      for (const isFull of [false, true]) await trial.run({ isFull });
      expect(trial.rowOf('ann@firm.io')).toMatchObject({ 'Contact ID': uuid, 'Last name': 'Typed' });
      expect([trial.contacts().length, trial.grid().length]).toEqual([3, 3]);
    },
  );

  it('I10, I4: gets its row once the copy of that row is gone, and every run until then says the same', async () => {
    const trial = await inSync();
    const number = trial.rowNumberOf('ann@firm.io');
    trial.person.copyPaste(`'${tabTitle}'!${number}:${number}`, `'${tabTitle}'!6:6`);
    trial.retype(6, { 'First name': 'Zed', Email: 'zed@firm.io' });
    await trial.run();
    trial.service.model.contacts.remove(trial.contactOf('ann@firm.io').uuid);
    const made = trial.addContact({ first_name: 'ann', company_name: 'New', email: 'ann@firm.io' });
    const { problems } = await trial.run({ isFull: true });
    for (const isFull of [false, true]) expect((await trial.run({ isFull })).problems).toEqual(problems);
    trial.person.deleteRows(tabTitle, trial.rowNumberOf('zed@firm.io'));
    await trial.run();
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ 'Contact ID': made.uuid, Company: 'New' });
  });

  it('I10, D5, L7: is not deleted if its row is put back, with the old ID, after the run has read the tab', async () => {
    let putBack: (() => void) | undefined;
    const trial = await enteredAgain({
      sync: { on_row_deleted: 'delete_contact' },
      around: async (request, next) => {
        const answer = await next(request);
        // The rows are read by ranges; what the last append left is looked for before that.
        if (putBack && /valueRanges/.test(decodeURIComponent(request.url))) {
          putBack();
          putBack = undefined;
        }
        return answer;
      },
    });
    const { uuid } = trial.made;
    trial.service.model.contacts.change(uuid, { fields: { company_name: null } });
    trial.breakWrites();
    await trial.run({ isFull: true });
    trial.sheets.faults.clear();
    const number = trial.rowNumberOf('ann@firm.io');
    const row = trial.person.read(`'${tabTitle}'!${number}:${number}`);
    trial.person.deleteRows(tabTitle, number);
    putBack = () => trial.person.paste(`'${tabTitle}'!A9`, row);
    const reason = 'its row is back: planned again';
    expect((await trial.run()).problems).toMatchObject([{ kind: 'waiting', rule: 'W3', reason }]);
    await trial.run();
    expect(trial.rowOf('ann@firm.io')['Contact ID']).toBe(uuid);
    expect(trial.isThere(uuid)).toBe(true);
  });

  it.each(['sheet', 'crm'] as const)(
    'I10, L9: one that shares an address with it, and has another profile, gets a row of its own (conflict: %s)',
    async (conflict) => {
      const trial = createTrial({ sync: { conflict } });
      trial.addContact({ first_name: 'Dee', email: 'dee@firm.io' });
      const ann = trial.addContact({ first_name: 'Ann', email: 'info@firm.io', network: 'ann' });
      await trial.run();
      trial.service.model.contacts.remove(ann.uuid);
      const cy = trial.addContact({ first_name: 'Cy', email: 'info@firm.io', network: 'cy' });
      for (let run = 0; run < 2; run += 1) await trial.run({ isFull: true });
      expect(trial.contacts().find(({ uuid }) => uuid === cy.uuid)).toMatchObject({ first_name: 'Cy', network: 'cy' });
      expect(trial.grid().map((row) => row['First name'])).toEqual(['Ann', 'Dee', 'Cy']);
    },
  );

  it.each([
    ['Ann', 'Bob'],
    ['Bob', 'Ann'],
  ])(
    'I10, L11: of two that had one address, %s and %s, nobody knows which: it gets a row of its own',
    async (...names) => {
      const trial = createTrial({ sync: { conflict: 'sheet' } });
      trial.addContact({ first_name: 'Cy', email: 'cy@firm.io' });
      const old = names.map((first_name) => trial.addContact({ first_name, email: 'info@firm.io' }));
      await trial.run();
      for (const { uuid } of old) trial.service.model.contacts.remove(uuid);
      const again = trial.addContact({ first_name: 'Bob', email: 'info@firm.io' });
      for (let run = 0; run < 2; run += 1) await trial.run({ isFull: true });
      expect(trial.contacts().find(({ uuid }) => uuid === again.uuid)?.first_name).toBe('Bob');
      const own = trial.grid().filter((row) => row['Contact ID'] === again.uuid);
      expect(own).toMatchObject([{ 'First name': 'Bob' }]);
    },
  );
});

describe('L7: nobody is deleted while it is not known whose row a row without an ID is', () => {
  /** Ann has a second address, which no field shows, and her row has that one and no ID. */
  async function withSecondAddress(options: TrialOptions = {}) {
    const trial = await inSync({ ...options, sync: { on_row_deleted: 'delete_contact', ...options.sync } });
    const { uuid } = trial.contactOf('ann@firm.io');
    trial.service.model.contacts.change(uuid, { fields: { personal_email: 'p@home.io' } });
    await trial.run();
    trial.retype(trial.rowNumberOf('ann@firm.io'), { 'Contact ID': '', Email: 'p@home.io' });
    return { ...trial, uuid };
  }

  it.each([true, false])('L7, W4: the lookup has no answer (full run: %s)', async (isFull) => {
    let isDown = false;
    const trial = await withSecondAddress({
      around: async (request, next) =>
        isDown && request.url.endsWith('/lookup-one') ? new Response('gone', { status: 500 }) : next(request),
    });
    isDown = true;
    const { problems } = await trial.run({ isFull });
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'waiting', rule: 'D1', uuid: trial.uuid }));
    isDown = false;
    await trial.run({ isFull: true });
    expect([trial.isThere(trial.uuid), trial.contacts().length]).toEqual([true, 3]);
    expect(trial.rowOf('p@home.io')['Contact ID']).toBe(trial.uuid);
  });

  it('L14, L4: a row for which the service refuses the lookup holds up no deletion of others', async () => {
    const trial = await inSync({ sync: { on_row_deleted: 'delete_contact' } });
    trial.retype(9, { 'First name': 'Dee', Email: 'dee@firm.io' });
    trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.lookup-one', times: 99 });
    trial.person.deleteRows(tabTitle, trial.rowNumberOf('bob@firm.io'));
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'waiting', rule: 'I2' }]);
    expect(trial.contacts().map(({ first_name }) => first_name)).toEqual(['ann', 'cy']);
  });

  it.each([
    ['delete_contact', 3],
    ['restore', 3],
  ])('L7, W10: the row waits to settle (on_row_deleted: %s)', async (policy, rows) => {
    const trial = await withSecondAddress({ sync: { settle_secs: 60, on_row_deleted: policy } });
    await trial.run({ isAsked: false });
    await trial.run({ isFull: true });
    expect([trial.isThere(trial.uuid), trial.grid().length]).toEqual([true, rows]);
  });

  it('L7, E2: a row with a wish is not looked up before the call that skips who is there', async () => {
    const trial = await withSecondAddress({
      values: [[...header, 'Automation']],
      sync: { automation: { column: 'Automation' } },
    });
    trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
    trial.retype(trial.rowNumberOf('p@home.io'), { Automation: 'Welcome' });
    for (let run = 0; run < 3; run += 1) await trial.run({ isFull: run === 2 });
    expect([trial.isThere(trial.uuid), trial.contacts().length]).toEqual([true, 3]);
    expect(trial.rowOf('p@home.io')['Contact ID']).toBe(trial.uuid);
  });

  it('L7, I6: two rows have the second address, and the contact is named', async () => {
    const trial = await withSecondAddress();
    trial.retype(9, { Email: 'p@home.io' });
    const { problems } = await trial.run({ isFull: true });
    expect(trial.isThere(trial.uuid)).toBe(true);
    const reason = `names the same person as row 9: keep one of them; if it is the row of ${trial.uuid}, write that ID into it`;
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'quarantined', rule: 'I6', reason }));
  });

  it('L7, V4: a key cell is unreadable, whatever other key was typed', async () => {
    const trial = await inSync({ sync: { on_row_deleted: 'delete_contact' } });
    const { uuid } = trial.contactOf('ann@firm.io');
    trial.retype(trial.rowNumberOf('ann@firm.io'), { 'Contact ID': '', Profile: 'ann-lee', Email: '=1/0' });
    const { problems } = await trial.run({ isFull: true });
    expect(problems.map(({ kind, rule }) => `${kind} ${rule}`)).toEqual(['waiting I2', 'held I5']);
    expect([trial.isThere(uuid), trial.contacts().length]).toEqual([true, 3]);
  });

  it('L7, I3: the service answers the create with the contact whose row is missing', async () => {
    const trial = createTrial({ sync: { on_row_deleted: 'delete_contact' } });
    for (const name of ['ann', 'bob', 'cy']) {
      trial.addContact({ first_name: name, last_name: 'Lee', company_name: `${name} Ltd`, email: `${name}@firm.io` });
    }
    await trial.run();
    const { uuid } = trial.contactOf('ann@firm.io');
    trial.retype(trial.rowNumberOf('ann@firm.io'), { 'Contact ID': '', Email: 'ann.lee@firm.io' });
    for (const isFull of [false, true]) {
      const { problems } = await trial.run({ isFull });
      const reason = `the service answered another contact, ${uuid}: its row is not found, and may be this one: write that ID into it; correct or delete this row`;
      expect(problems).toContainEqual(expect.objectContaining({ kind: 'quarantined', rule: 'I3', reason }));
      expect(trial.isThere(uuid)).toBe(true);
    }
    trial.retype(trial.rowNumberOf('ann.lee@firm.io'), { 'Contact ID': uuid });
    await trial.run();
    expect(trial.contactOf('ann.lee@firm.io').uuid).toBe(uuid);
  });
});

describe('L8: a new contact whose ID is not in its row yet', () => {
  it.each(['ignore', 'delete_contact', 'restore'])(
    'L8, I5: is not made again when the address of the row is corrected meanwhile (on_row_deleted: %s)',
    async (policy) => {
      const trial = await inSync({ sync: { on_row_deleted: policy } });
      trial.retype(9, { 'First name': 'Dee', Email: 'dee@firm.io' });
      trial.breakWrites();
      await trial.run();
      const { uuid } = trial.contactOf('dee@firm.io');
      trial.sheets.faults.clear();
      trial.type('dee@firm.io', 'Email', 'dee.lee@firm.io');
      for (const isFull of [false, true]) {
        const { problems } = await trial.run({ isFull });
        const reason = `may be the row of ${uuid}, whose ID could not be written into its row: write that ID into it, or delete the contact`;
        expect(problems).toMatchObject([{ kind: 'quarantined', rule: 'I5', row: 9, reason }]);
      }
      expect([trial.contacts().length, trial.grid().filter((row) => row['Email']).length]).toEqual([4, 4]);
      trial.retype(9, { 'Contact ID': uuid });
      expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
      expect(trial.contactOf('dee.lee@firm.io').uuid).toBe(uuid);
    },
  );

  it('L8, W3: is not made again when that happens in the moment in which it is made', async () => {
    let isTyped = false;
    const trial = createTrial({
      values: [header, ['Ann', '', '', 'ann@firm.io', '']],
      around: async (request, next) => {
        const answer = await next(request);
        if (!isTyped && request.url.endsWith('/upsert')) {
          isTyped = true;
          trial.type('ann@firm.io', 'Email', 'ann.lee@firm.io');
        }
        return answer;
      },
    });
    for (const isFull of [false, false, true]) await trial.run({ isFull });
    expect([trial.contacts().length, trial.crmCalls('contacts.upsert').length]).toEqual([1, 1]);
  });

  it('W5, L6: costs no call in each run while its ID cannot be written, and the contact is not among those that changed', async () => {
    const trial = await inSync();
    const column = trial.columnIndexOf('Contact ID');
    protect(trial, { startColumnIndex: column, endColumnIndex: column + 1, startRowIndex: 0, endRowIndex: 50 });
    trial.retype(trial.rowNumberOf('ann@firm.io'), { 'Contact ID': '' });
    await trial.run();
    // Later than an incremental scan looks back.
    await new Promise((resolve) => setTimeout(resolve, 3_600_000));
    for (let run = 0; run < 2; run += 1) await trial.run({ isAsked: false });
    trial.service.received.clear();
    const { problems } = await trial.run({ isAsked: false });
    expect(problems).toMatchObject([{ kind: 'refused', rule: 'W5', row: trial.rowNumberOf('ann@firm.io') }]);
    expect(trial.crmCalls().map(({ operation }) => operation)).toEqual(['contacts.search']);
  });

  it('I5, L7: whose row was deleted and typed anew, while a person deleted the contact, is made anew', async () => {
    const trial = await inSync({ sync: { on_contact_deleted: 'delete_row' } });
    const row = ['Dee', '', '', 'dee@firm.io', ''];
    trial.person.paste(`'${tabTitle}'!A9`, [row]);
    trial.breakWrites();
    await trial.run();
    trial.sheets.faults.clear();
    trial.person.deleteRows(tabTitle, trial.rowNumberOf('dee@firm.io'));
    await trial.run();
    // Later than an incremental scan looks back.
    await new Promise((resolve) => setTimeout(resolve, 3_600_000));
    await trial.run();
    trial.service.model.contacts.remove(trial.contactOf('dee@firm.io').uuid);
    trial.person.paste(`'${tabTitle}'!A9`, [row]);
    for (const isFull of [false, true]) await trial.run({ isFull });
    expect(trial.rowOf('dee@firm.io')['Contact ID']).toBe(trial.contactOf('dee@firm.io').uuid);
  });

  it.each([
    ['comes when that row goes may be it', true, 'quarantined I5'],
    ['comes later is created', false, ''],
  ])('I5, L5: another row that shares its company alone and %s', async (_text, isAtOnce, told) => {
    const trial = await inSync();
    trial.retype(9, { 'First name': 'Dee', 'Last name': 'Day', Company: 'Acme', Email: 'dee@firm.io' });
    trial.breakWrites();
    await trial.run();
    trial.sheets.faults.clear();
    trial.person.deleteRows(tabTitle, 9);
    if (!isAtOnce) await trial.run();
    trial.retype(9, { 'First name': 'Eve', 'Last name': 'Fox', Company: 'Acme', Email: 'eve@firm.io' });
    const { problems } = await trial.run();
    expect(problems.flatMap(({ kind, rule, row }) => (row === null ? [] : [`${kind} ${rule}`])).join()).toBe(told);
    expect(trial.contacts().some(({ first_name: name }) => name === 'Eve')).toBe(!isAtOnce);
  });

  it('I5: another new row, which has nothing of it, is created', async () => {
    const trial = await inSync();
    trial.retype(9, { 'First name': 'Dee', Email: 'dee@firm.io' });
    trial.breakWrites();
    await trial.run();
    trial.sheets.faults.clear();
    trial.person.deleteRows(tabTitle, 9);
    trial.retype(9, { 'First name': 'Eve', Email: 'eve@firm.io' });
    await trial.run();
    expect(trial.contactOf('eve@firm.io').first_name).toBe('Eve');
  });
});

describe('I5: a row that was typed anew for a contact that is gone', () => {
  it.each([true, false])('I5, I2: becomes a new contact (full run: %s)', async (isFull) => {
    const trial = await inSync({ sync: { on_contact_deleted: 'delete_row' } });
    trial.service.model.contacts.remove(trial.contactOf('ann@firm.io').uuid);
    trial.person.deleteRows(tabTitle, trial.rowNumberOf('ann@firm.io'));
    trial.retype(4, { 'First name': 'ann', 'Last name': 'Ames', Email: 'ann@firm.io' });
    for (const full of [isFull, isFull, true]) await trial.run({ isFull: full });
    expect(trial.contactOf('ann@firm.io').last_name).toBe('Ames');
    expect(trial.rowOf('ann@firm.io')['Contact ID']).toBe(trial.contactOf('ann@firm.io').uuid);
  });

  it.each(['ann@firm.io', 'ANN@firm.io'])('I5, L7: is not deleted if it is as it was (%s)', async (email) => {
    const trial = await inSync({ sync: { on_contact_deleted: 'delete_row' } });
    trial.service.model.contacts.remove(trial.contactOf('ann@firm.io').uuid);
    trial.person.deleteRows(tabTitle, trial.rowNumberOf('ann@firm.io'));
    trial.retype(4, { 'First name': 'ann', Email: email });
    for (const isFull of [false, false, true, true]) await trial.run({ isFull });
    expect(trial.grid().map((row) => row['Email'])).toContain(email);
  });

  it('I5, W9: an ID that people cleared is put back by an incremental run with one call for the contact', async () => {
    const trial = await inSync();
    const { uuid } = trial.contactOf('ann@firm.io');
    trial.retype(trial.rowNumberOf('ann@firm.io'), { 'Contact ID': '' });
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.rowOf('ann@firm.io')['Contact ID']).toBe(uuid);
  });
});

describe('D4: a contact that is back in scope', () => {
  async function away(options: TrialOptions = {}) {
    const trial = await inSync(options);
    const { uuid } = trial.contactOf('ann@firm.io');
    const other = trial.service.model.lists.add({ name: 'Other' });
    const moveTo = (list: string) => trial.service.model.contacts.change(uuid, { fields: { list_uuid: list } });
    moveTo(other.uuid);
    await trial.run({ isFull: true });
    return { ...trial, uuid, comeBack: () => moveTo(trial.list.uuid) };
  }

  it('D4, I5, L1: gets no second row while an ID is in doubt, and what was typed into its row is sent once that is put right', async () => {
    const trial = await away();
    const row = trial.rowNumberOf('ann@firm.io');
    trial.retype(row, { 'Contact ID': 'oops', Company: 'Typed' });
    await trial.run({ isFull: true });
    trial.comeBack();
    for (const isFull of [true, false]) {
      const { problems } = await trial.run({ isFull });
      expect(problems.map(({ kind, rule }) => `${kind} ${rule}`)).toEqual(['quarantined I5', 'held I5']);
    }
    expect(trial.grid()).toHaveLength(3);
    trial.retype(row, { 'Contact ID': trial.uuid });
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.contactOf('ann@firm.io').company_name).toBe('Typed');
  });

  it.each([true, false])(
    'D4, L7: is not deleted if its row was deleted while it was away and an ID was in doubt (that one full: %s)',
    async (isFull) => {
      const trial = await away({ sync: { on_row_deleted: 'delete_contact' } });
      trial.person.deleteRows(tabTitle, trial.rowNumberOf('ann@firm.io'));
      const bob = trial.contactOf('bob@firm.io').uuid;
      const row = trial.rowNumberOf('bob@firm.io');
      trial.retype(row, { 'Contact ID': 'oops' });
      await trial.run({ isFull: true });
      trial.comeBack();
      for (const full of [true, false]) await trial.run({ isFull: full });
      trial.retype(row, { 'Contact ID': bob });
      trial.breakWrites();
      await trial.run({ isFull });
      trial.sheets.faults.clear();
      await trial.run({ isFull });
      expect(trial.isThere(trial.uuid)).toBe(true);
      expect(trial.rowOf('ann@firm.io')['Contact ID']).toBe(trial.uuid);
    },
  );

  it('D4, W10, L1: gets no second row while a row without an ID waits to settle, and goes on with its base', async () => {
    const trial = await away({ sync: { settle_secs: 60 } });
    trial.service.model.contacts.change(trial.uuid, { fields: { personal_email: 'p@home.io' } });
    trial.retype(trial.rowNumberOf('ann@firm.io'), { 'Contact ID': '', Email: 'p@home.io', Company: 'Typed' });
    trial.comeBack();
    const { problems } = await trial.run({ isAsked: false, isFull: true });
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'waiting', rule: 'D1', uuid: trial.uuid }));
    await trial.run();
    expect(trial.grid()).toHaveLength(3);
    expect(trial.rowOf('p@home.io')['Contact ID']).toBe(trial.uuid);
    expect(trial.contacts().find(({ uuid }) => uuid === trial.uuid)?.company_name).toBe('Typed');
  });

  it('D4, I5: whose row lost its ID meanwhile gets it back', async () => {
    const trial = await away();
    trial.comeBack();
    trial.retype(trial.rowNumberOf('ann@firm.io'), { 'Contact ID': '' });
    await trial.run({ isFull: true });
    expect([trial.rowOf('ann@firm.io')['Contact ID'], trial.grid().length]).toEqual([trial.uuid, 3]);
  });
});

it('I7: a second address is not given up by changing the first: nobody else gets it', async () => {
  const trial = createTrial();
  const ann = trial.addContact({ first_name: 'Ann', network: 'ann' });
  trial.service.model.contacts.change(ann.uuid, { fields: { personal_email: 'p@home.io' } });
  trial.addContact({ first_name: 'Bob', email: 'bob@firm.io', network: 'bob' });
  await trial.run();
  const rowOfName = (name: string) => trial.grid().findIndex((row) => row['First name'] === name) + 2;
  const [ofAnn, ofBob] = [rowOfName('Ann'), rowOfName('Bob')];
  trial.retype(ofAnn, { Email: 'ann@firm.io' });
  trial.retype(ofBob, { Email: 'p@home.io' });
  await trial.run();
  for (const isFull of [false, true]) {
    const { problems } = await trial.run({ isFull });
    expect(problems).toMatchObject([{ kind: 'held', rule: 'I7' }]);
  }
  const holders = trial.contacts().filter((each) => [each.work_email, each.personal_email].includes('p@home.io'));
  expect(holders.map(({ uuid }) => uuid)).toEqual([ann.uuid]);
  expect(trial.contacts().find(({ uuid }) => uuid === ann.uuid)?.work_email).toBe('ann@firm.io');
});

it('D3, W9: a row of a deleted contact says the same after it was copied, in every run', async () => {
  const trial = await inSync();
  trial.service.model.contacts.remove(trial.contactOf('ann@firm.io').uuid);
  await trial.run({ isFull: true });
  const number = trial.rowNumberOf('ann@firm.io');
  trial.person.copyPaste(`'${tabTitle}'!${number}:${number}`, `'${tabTitle}'!6:6`);
  const { problems } = await trial.run();
  const files = trial.stateFiles();
  for (const isFull of [false, true]) expect((await trial.run({ isFull })).problems).toEqual(problems);
  expect(trial.stateFiles()['base.log']).toEqual(files['base.log']);
});
