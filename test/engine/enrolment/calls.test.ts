import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createLosingStore } from '../../support/losing-store.ts';
import { createEnrolmentTrial, type EnrolmentOptions, hourMs, isCallOf, later, rowOf, today } from './support.ts';

/** A new row with a wish, whose contact a person deletes right after the first call that creates and enrols it. */
function deletedOnceEnrolled(options: EnrolmentOptions = {}) {
  let isDeleted = false;
  const trial = createEnrolmentTrial({
    rows: [rowOf('new@firm.io', 'Welcome')],
    ...options,
    around: async (request, next) => {
      const answer = await next(request);
      if (isDeleted || !isCallOf('automations.add-new-lead', request)) return answer;
      isDeleted = true;
      trial.service.model.contacts.remove(trial.contactOf('new@firm.io').uuid);
      return answer;
    },
  });
  return trial;
}

describe('E3: calls that were cut short', () => {
  it('E3, L8: the same where somebody changed the handle in the service before the next run: it is found by its address', async () => {
    let isToDie = true;
    const trial = createEnrolmentTrial({
      sync: { columns: { 'First name': 'first_name', Email: 'email', Company: 'network' } },
      rows: [rowOf('new@firm.io', 'Welcome', { 'Last name': '', Company: 'ann-lee' })],
      around: async (request, next) => {
        const answer = await next(request);
        if (isToDie && request.url.includes('add-new-lead')) trial.kill();
        return answer;
      },
    });
    await trial.attempt();
    isToDie = false;
    trial.change('new@firm.io', { network: 'ann-lee-2' });
    await trial.start();
    for (const isFull of [false, true, false]) await trial.run({ isFull });
    expect([trial.callsOf('automations.add-new-lead'), trial.callsOf('automations.add-contact')]).toEqual([1, 0]);
    expect(trial.enrolled()).toEqual(['new@firm.io Welcome active']);
    expect(trial.resultOf('new@firm.io')).toContain('unknown: look in the service');
  });

  it('E3, L10: killed while a new row is enrolled, the contact is found: the row says that the outcome is unknown', async () => {
    let isToDie = true;
    const trial = createEnrolmentTrial({
      rows: [rowOf('new@firm.io', 'Welcome')],
      around: async (request, next) => {
        const answer = await next(request);
        if (isToDie && request.url.includes('add-new-lead')) trial.kill();
        return answer;
      },
    });
    expect(await trial.attempt()).toBe('killed');
    isToDie = false;
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(await trial.ledger()).toEqual({ 'new@firm.io Welcome': 'unknown' });
    expect(trial.resultOf('new@firm.io')).toContain('unknown: look in the service');
    expect([trial.callsOf('automations.add-new-lead'), trial.callsOf('automations.add-contact')]).toEqual([1, 0]);
  });

  it('E4, E3: a call of unknown outcome counts for the cap', async () => {
    const trial = createEnrolmentTrial({ sync: { limits: { enrolments_per_hour: 1 } } });
    await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    trial.service.faults.inject({ kind: 'lost', operation: 'automations.add-contact', when: 'after' });
    await trial.run();
    trial.type('bob@firm.io', 'Automation', 'Welcome');
    await trial.run();
    expect(trial.resultOf('bob@firm.io')).toBe('waiting: 0 ahead, cap 1/h');
    expect(trial.callsOf('automations.add-contact')).toBe(1);
  });

  it('E3, L8: a new contact that the service accepted and a person then deleted is created again by retry alone', async () => {
    const trial = deletedOnceEnrolled();
    for (let run = 0; run < 4; run += 1) await trial.run({ isFull: run % 2 === 1 });
    expect(trial.contacts()).toEqual([]);
    expect(trial.callsOf('automations.add-new-lead')).toBe(1);
    await trial.request({ kind: 'retry', id: 'row:2' });
    await trial.run();
    expect(trial.callsOf('automations.add-new-lead')).toBe(2);
    expect(trial.enrolled()).toContain('new@firm.io Welcome active');
  });
});

describe('E3, D1: an accepted call whose contact was deleted, and rows that are deleted', () => {
  it.each(['new@firm.io', 'other@firm.io'])(
    'E3, L4, L7: its row holds no deletion back while it names the person that was sent, nor once it was created as another (%s)',
    async (email) => {
      const trial = deletedOnceEnrolled({
        sync: { on_row_deleted: 'delete_contact' },
      });
      await trial.linked('ann@firm.io', 'bob@firm.io');
      trial.type('new@firm.io', 'Last name', 'Typed');
      await trial.run();
      trial.type('new@firm.io', 'Email', email);
      trial.person.deleteRows('Prospects', trial.rowNumberOf('ann@firm.io'));
      const { problems } = await trial.run();
      expect(problems.filter(({ rule }) => rule === 'D1' || rule === 'D5')).toEqual([]);
      expect(trial.callsOf('contacts.delete')).toBe(1);
    },
  );
});

describe('E4, E3: calls that are repeated', () => {
  it('E4, E3: a call of unknown outcome counts for the cap also once a person had it repeated', async () => {
    const trial = createEnrolmentTrial({ sync: { limits: { enrolments_per_hour: 2 } } });
    const [uuid] = await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    trial.service.faults.inject({ kind: 'lost', operation: 'automations.add-contact', when: 'before' });
    await trial.run();
    await trial.request({ kind: 'retry', id: `${uuid}/${trial.welcome.uuid}` });
    await trial.run();
    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
    trial.type('bob@firm.io', 'Automation', 'Welcome');
    await trial.run();
    expect(trial.resultOf('bob@firm.io')).toBe('waiting: 0 ahead, cap 2/h');
    expect(trial.callsOf('automations.add-contact')).toBe(2);
  });
});

describe('E3: calls of unknown outcome', () => {
  it('E3: the intent is on disk before the call, the outcome after it', async () => {
    const seen: boolean[] = [];
    const trial = createEnrolmentTrial({
      around: async (request, next) => {
        const isCall = request.method === 'POST' && /\/flows\/.+\/leads\//.test(request.url);
        if (isCall) seen.push(trial.stateOnDisk().includes('"state":"intended"'));
        return next(request);
      },
    });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    expect(seen).toEqual([true]);
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'enrolled' });
  });

  it.each(['before', 'after'] as const)(
    'E3: an existing contact whose answer is lost %s it was done is shown, and not tried again by itself',
    async (when) => {
      const trial = createEnrolmentTrial();
      const [uuid] = await trial.linked('ann@firm.io');
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      trial.service.faults.inject({ kind: 'lost', operation: 'automations.add-contact', when });
      expect(await trial.run()).toMatchObject({ status: 'partial' });
      expect(trial.resultOf('ann@firm.io')).toBe('unknown: look in the service whether Welcome has it');
      for (let run = 0; run < 3; run += 1) await trial.run({ isFull: run === 1 });
      expect(trial.callsOf('automations.add-contact')).toBe(1);
      // A person has looked in the service, and uses `retry`.
      await trial.request({ kind: 'retry', id: `${uuid}/${trial.welcome.uuid}` });
      await trial.run();
      expect(trial.callsOf('automations.add-contact')).toBe(2);
      expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
      await trial.run();
      expect(trial.callsOf('automations.add-contact')).toBe(2);
    },
  );

  it('E3, W4: a new row that was not created is proof, and is tried again', async () => {
    const trial = createEnrolmentTrial({ rows: [rowOf('new@firm.io', 'Welcome')] });
    trial.service.faults.inject({ kind: 'lost', operation: 'automations.add-new-lead', when: 'before' });
    expect(await trial.run()).toMatchObject({ status: 'partial' });
    expect(trial.resultOf('new@firm.io')).toMatch(/^waiting: no answer came/);
    await trial.run();
    expect(trial.enrolled()).toEqual(['new@firm.io Welcome active']);
    expect(trial.resultOf('new@firm.io')).toBe(`enrolled ${today} in Welcome`);
  });

  it('E4, E3: a call whose contact does not exist does not use up the cap', async () => {
    const sync = { limits: { enrolments_per_hour: 1 } };
    const trial = createEnrolmentTrial({ rows: [rowOf('new@firm.io', 'Welcome')], sync });
    trial.service.faults.inject({ kind: 'lost', operation: 'automations.add-new-lead', when: 'before' });
    await trial.run();
    expect(trial.enrolled()).toEqual([]);
    await trial.run();
    expect(trial.enrolled()).toEqual(['new@firm.io Welcome active']);
  });

  it('E3: a new row that exists after a lost answer is linked, and its enrolment stays unknown', async () => {
    const trial = createEnrolmentTrial({ rows: [rowOf('new@firm.io', 'Welcome')] });
    trial.service.faults.inject({ kind: 'lost', operation: 'automations.add-new-lead', when: 'after' });
    await trial.run();
    expect(trial.resultOf('new@firm.io')).toMatch(/^unknown: /);
    for (let run = 0; run < 3; run += 1) await trial.run();
    expect(trial.contacts()).toHaveLength(1);
    expect(trial.grid()).toMatchObject([{ 'Contact ID': trial.contacts()[0]!.uuid }]);
    expect(trial.resultOf('new@firm.io')).toMatch(/^unknown: /);
    expect([trial.callsOf('automations.add-new-lead'), trial.callsOf('automations.add-contact')]).toEqual([1, 0]);
  });

  it('E3: a first call that comes through late is not doubled by the second', async () => {
    const held: Request[] = [];
    let isHolding = true;
    const trial = createEnrolmentTrial({
      rows: [rowOf('new@firm.io', 'Welcome')],
      around: async (request, next) => {
        if (isHolding && request.url.includes('add-new-lead')) {
          held.push(request.clone());
          throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
        }
        if (!isHolding && request.url.includes('add-new-lead') && held.length > 0) await next(held.pop()!);
        return next(request);
      },
    });
    await trial.run();
    isHolding = false;
    await trial.run();
    await trial.run();
    await trial.run();
    expect(trial.enrolled()).toEqual(['new@firm.io Welcome active']);
    expect(trial.callsOf('automations.add-contact')).toBe(0);
    expect(trial.resultOf('new@firm.io')).toMatch(/^unknown: /);
  });

  it('E3: a call that comes through after its row was deleted is known to the ledger, and made no second time', async () => {
    const held: (() => Promise<Response>)[] = [];
    const trial = createEnrolmentTrial({
      rows: [rowOf('new@firm.io', 'Welcome')],
      around: async (request, next) => {
        if (held.length > 0 || !request.url.includes('add-new-lead')) return next(request);
        const late = request.clone();
        held.push(() => next(late));
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
      },
    });
    await trial.run();
    trial.person.deleteRows('Prospects', 2);
    await trial.run();
    await held[0]!();
    await trial.run({ isFull: true });
    trial.type('new@firm.io', 'Automation', 'Welcome');
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.enrolled()).toEqual(['new@firm.io Welcome active']);
    expect(trial.callsOf('automations.add-contact')).toBe(0);
    expect(trial.resultOf('new@firm.io')).toMatch(/^unknown: /);
  });

  it('E3, L4: a new row whose call has no answer, and whose contact cannot be looked up, is unknown; the run goes on', async () => {
    const trial = createEnrolmentTrial();
    const { faults } = trial.service;
    await trial.linked('ann@firm.io');
    trial.person.paste(`'Prospects'!A3`, [rowOf('new@firm.io', 'Welcome')]);
    faults.inject({ kind: 'lost', operation: 'automations.add-new-lead', when: 'after' });
    const matches = () => trial.callsOf('automations.add-new-lead') > 0;
    faults.inject({ kind: 'status', status: 503, operation: 'contacts.lookup-one', times: 99, matches });
    expect(await trial.run()).toMatchObject({ status: 'partial', problems: [{ kind: 'unknown', row: 3 }] });
    expect(trial.resultOf('new@firm.io')).toBe('unknown: look in the service whether Welcome has it');
    faults.clear();
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.enrolled()).toEqual(['new@firm.io Welcome active']);
    expect([trial.callsOf('automations.add-new-lead'), trial.callsOf('automations.add-contact')]).toEqual([1, 0]);
  });

  it('E3: a call to an existing contact without an answer is told by that rule', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    trial.service.faults.inject({ kind: 'lost', operation: 'automations.add-contact', when: 'after' });
    const { status, problems } = await trial.run();
    expect({ status, problems }).toMatchObject({
      status: 'partial',
      problems: [{ kind: 'unknown', rule: 'E3', row: 2 }],
    });
  });

  it('E3: a uuid that could not be looked up is found by the next run, and the ledger knows it was done', async () => {
    const trial = createEnrolmentTrial({ rows: [rowOf('new@firm.io', 'Welcome')] });
    trial.service.faults.inject({ kind: 'status', status: 503, operation: 'contacts.lookup-one', times: 10 });
    await trial.run();
    trial.service.faults.clear();
    await trial.run();
    expect(await trial.ledger()).toEqual({ 'new@firm.io Welcome': 'enrolled' });
    expect(trial.grid()).toMatchObject([
      { 'Contact ID': trial.contacts()[0]!.uuid, Enrolment: `enrolled ${today} in Welcome` },
    ]);
    expect([trial.callsOf('automations.add-new-lead'), trial.callsOf('automations.add-contact')]).toEqual([1, 0]);
  });

  it.each([
    ['a contact that exists', 'automations.add-contact'],
    ['a new row', 'automations.add-new-lead'],
  ])(
    'E3, H3: %s whose call was made is not enrolled again when its outcome cannot be stored',
    async (_what, operation) => {
      const { store, loseNextCommit } = createLosingStore();
      let isToLose = false;
      const trial = createEnrolmentTrial({
        store,
        around: async (request, next) => {
          const answer = await next(request);
          if (isToLose && isCallOf(operation, request)) loseNextCommit();
          return answer;
        },
      });
      await trial.linked('ann@firm.io');
      if (operation === 'automations.add-contact') trial.type('ann@firm.io', 'Automation', 'Welcome');
      else trial.person.paste(`'Prospects'!A3`, [rowOf('new@firm.io', 'Welcome')]);
      isToLose = true;
      expect(await trial.run()).toMatchObject({ status: 'failed', error: expect.stringContaining('is gone') });
      isToLose = false;
      for (let run = 0; run < 2; run += 1) await trial.run();
      expect(trial.enrolled()).toHaveLength(1);
      expect(['automations.add-contact', 'automations.add-new-lead'].map((each) => trial.callsOf(each))).toEqual(
        operation === 'automations.add-contact' ? [1, 0] : [0, 1],
      );
    },
  );

  it('E3, E4: an enrolment that is known to be done stays so when a second call of unknown outcome leads to the same contact, and both calls count', async () => {
    const trial = createEnrolmentTrial({
      rows: [rowOf('new@firm.io', 'Welcome'), rowOf('other@firm.io', 'Welcome')],
      sync: { limits: { enrolments_per_hour: 2 } },
    });
    const { faults, model } = trial.service;
    faults.inject({ kind: 'status', status: 503, operation: 'contacts.lookup-one', times: 10 });
    let calls = 0;
    const matches = () => (calls += 1) > 1;
    faults.inject({ kind: 'lost', when: 'before', operation: 'automations.add-new-lead', times: 10, matches });
    await trial.run();
    faults.clear();
    expect(trial.contacts()).toHaveLength(1);
    // Somebody finds out that both rows mean one person.
    model.contacts.change(trial.contacts()[0]!.uuid, { fields: { personal_email: 'other@firm.io' } });
    await trial.run();
    expect(await trial.ledger()).toEqual({ 'new@firm.io Welcome': 'enrolled' });
    expect(trial.enrolled()).toEqual(['new@firm.io Welcome active']);
    trial.person.paste(`'Prospects'!A4`, [rowOf('third@firm.io', 'Welcome')]);
    await trial.run();
    expect(trial.resultOf('third@firm.io')).toBe('waiting: 0 ahead, cap 2/h');
  });

  it('E3, E4: a call without an answer that leads to a contact which is enrolled leaves it enrolled, and counts', async () => {
    let isToChange = false;
    const trial = createEnrolmentTrial({
      sync: { limits: { enrolments_per_hour: 2 } },
      around: async (request, next) => {
        if (isToChange && isCallOf('automations.add-new-lead', request)) {
          const { uuid } = trial.contactOf('ann@firm.io');
          trial.service.model.contacts.change(uuid, { fields: { personal_email: 'other@firm.io' } });
        }
        return next(request);
      },
    });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.person.paste(`'Prospects'!A3`, [rowOf('other@firm.io', 'Welcome')]);
    isToChange = true;
    trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'automations.add-new-lead' });
    await trial.run();
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'enrolled' });
    trial.person.paste(`'Prospects'!A4`, [rowOf('third@firm.io', 'Welcome')]);
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
    expect(trial.resultOf('third@firm.io')).toBe('waiting: 0 ahead, cap 2/h');
  });

  it('E3, L8, M9: a row that is edited, or gets a column, after its accepted contact was deleted is created again by retry alone', async () => {
    const trial = deletedOnceEnrolled();
    await trial.run();
    const text = readFileSync(trial.configFile, 'utf8');
    writeFileSync(trial.configFile, text.replace(/^(\s+)Company: company_name$/m, '$&\n$1Position: position'));
    await trial.start();
    for (let run = 0; run < 2; run += 1) await trial.run({ isFull: true });
    expect(trial.rowOf('new@firm.io')).toHaveProperty('Email', 'new@firm.io');
    trial.type('new@firm.io', 'Company', 'Firm');
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'unknown', rule: 'E3', row: 2 }]);
    await later(hourMs);
    await trial.run();
    expect(trial.callsOf('automations.add-new-lead')).toBe(1);
    await trial.request({ kind: 'retry', id: 'row:2' });
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.enrolled()).toContain('new@firm.io Welcome active');
  });

  it('E4: an accepted call counts for the cap after its contact was deleted and its row is retried, for an hour', async () => {
    const trial = deletedOnceEnrolled({
      sync: { limits: { enrolments_per_hour: 1 } },
    });
    const calls = () => trial.callsOf('automations.add-new-lead') + trial.callsOf('automations.add-contact');
    for (let run = 0; run < 2; run += 1) await trial.run();
    await trial.request({ kind: 'retry', id: 'row:2' });
    for (let run = 0; run < 3; run += 1) await trial.run();
    expect(trial.resultOf('new@firm.io')).toBe('waiting: 0 ahead, cap 1/h');
    expect(calls()).toBe(1);
    await later(hourMs);
    await trial.run();
    expect(trial.enrolled()).toContain('new@firm.io Welcome active');
    expect(calls()).toBe(2);
  });

  it('E3, L14: a new row whose handle the service does not look up is found by its address, and holds up nobody', async () => {
    const trial = createEnrolmentTrial({
      sync: { columns: { 'First name': 'first_name', Email: 'email', Company: 'network' } },
      around: async (request, next) => {
        const isLookup = request.url.includes('lookup') && (await request.clone().text()).includes('network_id');
        return isLookup ? Response.json({ message: 'not a handle' }, { status: 422 }) : next(request);
      },
    });
    await trial.linked('bob@firm.io');
    trial.person.paste(`'Prospects'!A3`, [rowOf('new@firm.io', 'Welcome', { 'Last name': '', Company: 'odd' })]);
    trial.type('bob@firm.io', 'Automation', 'Welcome');
    for (let run = 0; run < 3; run += 1) await trial.run();
    expect(trial.enrolled()).toEqual(['bob@firm.io Welcome active', 'new@firm.io Welcome active']);
    trial.addContact({ first_name: 'cid', email: 'cid@firm.io' });
    await trial.run();
    trial.type('cid@firm.io', 'Automation', 'Welcome');
    await trial.run();
    expect(trial.resultOf('new@firm.io')).toBe(`enrolled ${today} in Welcome`);
    expect(trial.enrolled()).toContain('cid@firm.io Welcome active');
  });
});
