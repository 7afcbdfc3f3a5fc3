import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { logLine } from '../../../src/operator/answers/history.ts';
import { killAt } from '../kill-at.ts';
import { createLosingStore } from '../../support/losing-store.ts';
import { createEnrolmentTrial, type EnrolmentOptions, rowOf } from './support.ts';

const today = '2026-11-21';
const hourMs = 3_600_000;
const unknown = 'unknown: look in the service whether Welcome has it';

function isCallOf(operation: string, { method, url }: Request): boolean {
  const isNew = url.endsWith('/add-new-lead');
  return (
    method === 'POST' &&
    (operation === 'automations.add-new-lead' ? isNew : /\/flows\/[^/]+\/leads\/[^/]+$/.test(url) && !isNew)
  );
}

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

function later(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

describe('E1: a wish in a cell is carried out once', () => {
  it('E1: an existing contact is added by its uuids, and never again', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    const report = await trial.run();
    expect(report).toMatchObject({ status: 'succeeded', counts: { enrolled: 1 } });
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
    for (const isFull of [false, true]) await trial.run({ isFull });
    await trial.start();
    await trial.run();
    expect(trial.callsOf('automations.add-contact')).toBe(1);
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'enrolled' });
  });

  it('E1: several names in a cell are several wishes; names ignore case, uuids do too', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', `welcome, ${trial.nurture.uuid.toUpperCase()}`);
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Nurture active', 'ann@firm.io Welcome active']);
    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome; enrolled ${today} in Nurture`);
  });

  it('E1: a name with a comma in it is one name', async () => {
    const trial = createEnrolmentTrial();
    trial.service.model.automations.add({ name: 'Founders, Q3', status: 'on' });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Founders, Q3, Welcome');
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Founders, Q3 active', 'ann@firm.io Welcome active']);
  });

  it('E1: a contact that is already in it is reported, and is no failure', async () => {
    const trial = createEnrolmentTrial({ switches: { addTwice: 'conflict' } });
    const [uuid] = await trial.linked('ann@firm.io');
    trial.service.model.automations.enrol(trial.welcome.uuid, uuid!, 1);
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.resultOf('ann@firm.io')).toBe('skipped: already in Welcome');
  });

  it('E1, W10: in the daemon a wish is carried out once it has stood still', async () => {
    const trial = createEnrolmentTrial({ sync: { settle_secs: 10 } });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run({ isAsked: false });
    await later(5000);
    trial.type('ann@firm.io', 'Automation', 'Nurture');
    await trial.run({ isAsked: false });
    await later(8000);
    await trial.run({ isAsked: false });
    expect(trial.enrolled()).toEqual([]);
    await later(3000);
    await trial.run({ isAsked: false });
    expect(trial.enrolled()).toEqual(['ann@firm.io Nurture active']);
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Nurture': 'enrolled' });
  });

  it('E1: new and old rows are in the history and in the counts', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    const { run } = await trial.run();
    const { store } = await trial.start();
    const lines = await Array.fromAsync(store.history({ run }));
    expect(lines).toMatchObject([
      { op: 'enrol', automation: trial.welcome.uuid, rule: 'E1', reason: 'wished for: Welcome', outcome: 'done' },
    ]);
  });
});

describe('E2: a new row', () => {
  it('E2, W2: a new row is created and enrolled by one call, and its uuid is in its row in the same run', async () => {
    const trial = createEnrolmentTrial({ rows: [rowOf('new@firm.io', 'Welcome', { Company: 'Firm' })] });
    const report = await trial.run();
    expect(report).toMatchObject({ status: 'succeeded', counts: { created: 1, enrolled: 1 } });
    const [contact] = trial.contacts();
    expect(contact).toMatchObject({ work_email: 'new@firm.io', company_name: 'Firm', list_uuid: trial.list.uuid });
    expect(trial.grid()).toMatchObject([{ 'Contact ID': contact!.uuid, Enrolment: `enrolled ${today} in Welcome` }]);
    expect(trial.enrolled()).toEqual(['new@firm.io Welcome active']);
    expect([trial.callsOf('contacts.lookup-one'), trial.callsOf('automations.add-new-lead')]).toEqual([1, 1]);
    expect(trial.callsOf('contacts.upsert')).toBe(0);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 1, set: 0, updated: 0 } });
  });

  it('E2: a new row goes with its custom fields into the configured segment', async () => {
    const columns = { Email: 'email', Topic: { custom_field: 'topic' } };
    const trial = createEnrolmentTrial({
      rows: [rowOf('new@firm.io', 'Welcome', { Company: 'Roses' })],
      automation: { segment: 3 },
      sync: { columns: { ...columns, Topic: undefined, Company: { custom_field: 'topic' } } },
    });
    trial.service.model.automations.segmentsByAutomation.set(trial.welcome.uuid, [3]);
    await trial.run();
    expect([...trial.service.model.automations.enrolments()]).toMatchObject([{ flow_segment_id: 3 }]);
    const sent = trial.bodiesOf('automations.add-new-lead');
    expect(sent).toMatchObject([
      {
        lead: { email: 'new@firm.io' },
        custom_fields: { topic: 'Roses' },
        list_uuid: trial.list.uuid,
        update_lead_if_exists: false,
        move_to_list: false,
        flow_segment_id: 3,
        skip_if_lead_exists: true,
      },
    ]);
  });

  it.each([
    ['as it was made', [], 0],
    ['entered again with another company', ['Other'], 1],
  ] as const)(
    'E2, M4, L5: custom fields are sent once more to a contact that the lookup after the call finds %s',
    async (_state, companies, updated) => {
      const trial = createEnrolmentTrial({
        rows: [rowOf('new@firm.io', 'Welcome', { 'Last name': 'Roses', Company: 'Firm' })],
        sync: {
          columns: { Email: 'email', Company: 'company_name', 'Last name': { custom_field: 'topic' } },
          conflict: 'crm',
        },
        async around(request, next) {
          const answer = await next(request);
          if (!isCallOf('automations.add-new-lead', request)) return answer;
          for (const company_name of companies) {
            trial.service.model.contacts.remove(trial.contactOf('new@firm.io').uuid);
            trial.addContact({ email: 'new@firm.io', company_name });
          }
          return answer;
        },
      });
      expect(await trial.run()).toMatchObject({ counts: { created: 1, enrolled: 1 } });
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated } });
      expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { updated: 0 } });
      const contact = trial.contactOf('new@firm.io');
      expect(trial.service.model.contacts.get(contact.uuid).customFields).toEqual({ topic: 'Roses' });
      expect(trial.rowOf('new@firm.io')).toMatchObject({ 'Contact ID': contact.uuid, Company: contact.company_name });
      expect(trial.callsOf('automations.add-new-lead')).toBe(1);
    },
  );

  it('E2: the second automation of its cell follows by uuid', async () => {
    const trial = createEnrolmentTrial({ rows: [rowOf('new@firm.io', 'Welcome, Nurture')] });
    await trial.run();
    expect(trial.resultOf('new@firm.io')).toBe(`enrolled ${today} in Welcome; waiting: is tried in the next run`);
    await trial.run();
    expect(trial.enrolled()).toEqual(['new@firm.io Nurture active', 'new@firm.io Welcome active']);
  });

  it.each([false, true])(
    'E2, I2: with move_to_list a wish for a contact of another list is moved here, linked and enrolled in one run (known by another key: %s)',
    async (isByName) => {
      const trial = createEnrolmentTrial({
        sync: {
          contacts: { list: 'Prospects', move_to_list: true },
          match: isByName ? ['name+company_name', 'email'] : ['email'],
        },
      });
      const other = trial.service.model.lists.add({ name: 'Customers' });
      const old = trial.addContact({
        first_name: 'old',
        last_name: 'Wisher',
        email: 'old@firm.io',
        list_uuid: other.uuid,
        ...(isByName && { company_name: 'Firm' }),
      });
      await trial.run();
      const rows = [rowOf('old@firm.io', 'Welcome', { Company: 'Firm' }), rowOf('new@firm.io', 'Welcome')];
      trial.person.paste("'Prospects'!A2", rows);
      const report = await trial.run();
      expect(report.problems).toEqual([]);
      expect(report).toMatchObject({ status: 'succeeded', counts: { created: 1, enrolled: 2, linked: 2 } });
      expect(trial.contactOf('old@firm.io')).toMatchObject({
        uuid: old.uuid,
        list_uuid: trial.list.uuid,
        company_name: 'Firm',
      });
      expect(trial.enrolled()).toEqual(['new@firm.io Welcome active', 'old@firm.io Welcome active']);
      expect(trial.rowOf('old@firm.io')['Contact ID']).toBe(old.uuid);
      const calls = trial.writes().crm.length;
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 2, set: 0, updated: 0 } });
      expect(trial.writes().crm).toHaveLength(calls);
    },
  );

  it('E4, I2: a contact that is moved here is not enrolled against a veto, and its row says so', async () => {
    const trial = createEnrolmentTrial({
      rows: [rowOf('old@firm.io', 'Welcome')],
      automation: { unless: { Status: ['unsubscribed'] } },
      sync: { contacts: { list: 'Prospects', move_to_list: true } },
    });
    const other = trial.service.model.lists.add({ name: 'Customers' });
    const { uuid } = trial.addContact({ first_name: 'old', email: 'old@firm.io', list_uuid: other.uuid });
    trial.service.model.contacts.change(uuid, { fields: { status: 'unsubscribed' } });
    await trial.run();
    expect(trial.enrolled()).toEqual([]);
    await trial.run();
    expect(trial.enrolled()).toEqual([]);
    expect(trial.resultOf('old@firm.io')).toContain('vetoed');
  });

  it('E2, L12: a row whose contact existed says so, and not that a person changed it', async () => {
    const trial = createEnrolmentTrial({ rows: [rowOf('old@firm.io', 'Welcome')] });
    trial.addContact({
      first_name: 'old',
      email: 'old@firm.io',
      list_uuid: trial.service.model.lists.add({ name: 'Customers' }).uuid,
    });
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'waiting' }]);
    expect(problems[0]!.reason).toContain('is a contact already');
    expect(problems[0]!.reason).not.toContain('changed');
    const next = await trial.run();
    expect(next.problems[0]!.reason).toContain('in list Customers');
  });

  it('E2, I2: a contact of another list is skipped and stays there, and its row says so', async () => {
    const trial = createEnrolmentTrial({ rows: [rowOf('old@firm.io', 'Welcome')] });
    const other = trial.service.model.lists.add({ name: 'Others' });
    trial.service.model.contacts.add({ fields: { list_uuid: other.uuid, work_email: 'old@firm.io' } });
    await trial.run();
    expect(trial.resultOf('old@firm.io')).toBe('skipped: already a contact');
    const report = await trial.run();
    expect(report.problems).toMatchObject([{ kind: 'quarantined', rule: 'I2', row: 2 }]);
    expect(trial.enrolled()).toEqual([]);
  });

  it('E2, E4: a row that only the joint call is refused for is created, and the refusal stands in it', async () => {
    const trial = createEnrolmentTrial({
      rows: [rowOf('new@firm.io', 'Welcome')],
      switches: { addToStopped: 'refused' },
    });
    trial.service.model.automations.stop(trial.welcome.uuid);
    await trial.run();
    expect(trial.resultOf('new@firm.io')).toMatch(/^refused: .*not on/);
    await trial.run();
    await trial.run();
    expect(trial.contacts()).toHaveLength(1);
    expect(trial.enrolled()).toEqual([]);
    expect(trial.resultOf('new@firm.io')).toMatch(/^refused: .*not on/);
  });

  it('E2, T: an answer that holds the contact saves the lookup', async () => {
    const trial = createEnrolmentTrial({
      rows: [rowOf('new@firm.io', 'Welcome')],
      switches: { addNewLeadAnswer: 'lead' },
    });
    await trial.run();
    expect(trial.callsOf('contacts.lookup-one')).toBe(0);
    expect(trial.grid()).toMatchObject([{ 'Contact ID': trial.contacts()[0]!.uuid }]);
  });
});

describe('E3: calls that were cut short', () => {
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

describe('E4: vetoes, caps and refusals', () => {
  /** Rows of a tab in which somebody changes something between the plan and the look before the call. */
  const changedMeanwhile = () => {
    let change = (): void => {};
    const trial = createEnrolmentTrial({
      around: async (request, next) => {
        if (request.url.includes('/flows/api/flows?')) change();
        return next(request);
      },
    });
    const copyRow = (email: string, to: number) => {
      const at = trial.rowNumberOf(email);
      trial.person.paste(`'Prospects'!A${to}`, trial.person.read(`'Prospects'!${at}:${at}`));
    };
    const onceBeforeTheLook = (once: () => void) => {
      change = () => {
        change = () => {};
        once();
      };
    };
    return { trial, copyRow, onceBeforeTheLook };
  };

  it('E4, L8: a row that is copied between plan and call, and loses its own wish, is not enrolled by its copy', async () => {
    const { trial, copyRow, onceBeforeTheLook } = changedMeanwhile();
    await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    onceBeforeTheLook(() => {
      copyRow('ann@firm.io', 10);
      trial.type('ann@firm.io', 'Automation', '');
    });
    await trial.run({ isFull: true });
    expect(trial.enrolled()).toEqual([]);
  });

  it('E4, I4: a row that was copied before the plan is enrolled, unless one of the two is changed before the call', async () => {
    const { trial, copyRow, onceBeforeTheLook } = changedMeanwhile();
    await trial.linked('ann@firm.io', 'bob@firm.io', 'cid@firm.io');
    for (const email of ['ann@firm.io', 'bob@firm.io']) trial.type(email, 'Automation', 'Welcome');
    copyRow('ann@firm.io', 10);
    copyRow('bob@firm.io', 11);
    onceBeforeTheLook(() => {
      trial.person.type(`'Prospects'!C11`, 'Rival');
      trial.type('cid@firm.io', 'Company', 'Firm');
    });
    await trial.run({ isFull: true });
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
  });

  it('E4: a veto is judged on the values of the service just before the call', async () => {
    let change = (): void => {};
    const trial = createEnrolmentTrial({
      automation: { unless: { Status: ['replied', 'unsubscribed'] } },
      around: async (request, next) => {
        // They reply between the reading of the contacts and the enrolment.
        if (request.url.endsWith('/flows/api/flows?limit=100&offset=0&order_field=created_at&order_type=asc')) change();
        return next(request);
      },
    });
    const [uuid] = await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    change = () => trial.service.model.contacts.change(uuid!, { fields: { status: 'replied' } }, Date.now());
    await trial.run();
    expect(trial.callsOf('automations.list')).toBe(1);
    expect(trial.resultOf('ann@firm.io')).toBe('vetoed: Status is replied');
    expect(trial.enrolled()).toEqual([]);
  });

  it('E4: a veto is judged on the values of the row just before the call', async () => {
    let change = (): void => {};
    const trial = createEnrolmentTrial({
      rows: [rowOf('new@firm.io', 'Welcome'), rowOf('other@firm.io', 'Welcome')],
      automation: { unless: { Company: ['Rival'] } },
      around: async (request, next) => {
        if (request.url.includes('/flows/api/flows?')) change();
        return next(request);
      },
    });
    await trial.linked('ann@firm.io', 'bob@firm.io', 'cid@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    trial.type('bob@firm.io', 'Automation', 'Welcome');
    trial.type('cid@firm.io', 'Automation', 'Welcome');
    change = () => {
      trial.type('ann@firm.io', 'Company', 'Rival');
      trial.type('bob@firm.io', 'Automation', '');
    };
    await trial.run({ isFull: true });
    // A cell that a person types into in that moment is not written either (W3).
    change = () => {};
    await trial.run();
    expect(trial.resultOf('ann@firm.io')).toBe('vetoed: Company is Rival');
    expect(trial.enrolled()).toEqual([
      'cid@firm.io Welcome active',
      'new@firm.io Welcome active',
      'other@firm.io Welcome active',
    ]);
  });

  it('E4, V4: nobody is enrolled while the cell of a veto shows an error, neither a contact nor a new row', async () => {
    const trial = createEnrolmentTrial({ automation: { unless: { Company: ['Rival'] } } });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    trial.person.paste(`'Prospects'!A3`, [rowOf('new@firm.io', 'Welcome')]);
    const emails = ['ann@firm.io', 'new@firm.io'];
    for (const email of emails) trial.type(email, 'Company', '=NA()');
    await trial.run();
    const says = 'waiting: Company may forbid it, and its cell cannot be read';
    expect(emails.map((email) => trial.resultOf(email))).toEqual([says, says]);
    expect(trial.enrolled()).toEqual([]);
    for (const email of emails) trial.type(email, 'Company', 'Firm');
    await trial.run();
    expect(trial.enrolled()).toHaveLength(2);
  });

  it('E4, V3: nobody is enrolled while the answers of the service leave out the field of a veto', async () => {
    let isLeftOut = false;
    const trial = createEnrolmentTrial({
      automation: { unless: { Status: ['replied'] } },
      around: async (request, next) => {
        const answer = await next(request);
        if (!isLeftOut || !answer.headers.get('content-type')?.includes('json')) return answer;
        const text = (await answer.text()).replaceAll(/"status":"ok",?/g, '');
        return new Response(text, { status: answer.status, headers: answer.headers });
      },
    });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    isLeftOut = true;
    await trial.run();
    expect(trial.enrolled()).toEqual([]);
    expect(trial.resultOf('ann@firm.io')).toBe('waiting: Status may forbid it, and the service does not show it');
    isLeftOut = false;
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
  });

  it('E4: where calls are slow, a wish that is taken back meanwhile is not carried out', async () => {
    let calls = 0;
    const emails = Array.from({ length: 12 }, (_, index) => `p${index}@firm.io`);
    const trial = createEnrolmentTrial({
      around: async (request, next) => {
        if (!isCallOf('automations.add-contact', request)) return next(request);
        calls += 1;
        if (calls === 3) for (const email of emails) trial.type(email, 'Automation', '');
        await later(20_000);
        return next(request);
      },
    });
    await trial.linked(...emails);
    for (const email of emails) trial.type(email, 'Automation', 'Welcome');
    await trial.run();
    expect(trial.enrolled()).toHaveLength(4);
  });

  it('E4, W6: a wish that is taken back while its call waits out a 429 is not carried out', async () => {
    let isBusy = true;
    const emails = ['ann@firm.io', 'bob@firm.io', 'cid@firm.io'];
    const trial = createEnrolmentTrial({
      around: async (request, next) => {
        if (!isBusy || !isCallOf('automations.add-contact', request)) return next(request);
        isBusy = false;
        for (const email of emails) trial.type(email, 'Automation', '');
        return Response.json({ message: 'slow down' }, { status: 429, headers: { 'retry-after': '100' } });
      },
    });
    await trial.linked(...emails);
    for (const email of emails) trial.type(email, 'Automation', 'Welcome');
    await trial.run();
    expect(trial.enrolled()).toEqual([]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(Object.values(await trial.ledger())).not.toContain('unknown');
  });

  it.each([1, 5, 12])(
    'E4, L14: with a budget of %i calls a minute a wish is carried out all the same',
    async (perMinute) => {
      const trial = createEnrolmentTrial();
      const text = readFileSync(trial.configFile, 'utf8');
      writeFileSync(trial.configFile, text.replace('requests_per_minute: 6000', `requests_per_minute: ${perMinute}`));
      await trial.linked('ann@firm.io', 'bob@firm.io', 'cid@firm.io');
      for (const name of ['ann', 'bob', 'cid']) trial.type(`${name}@firm.io`, 'Automation', 'Welcome');
      await trial.run();
      expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
      expect(trial.enrolled()).toHaveLength(3);
    },
  );

  it('E4, W1, L14: a wish is carried out while another job of the account has hundreds of updates in the queue', async () => {
    let other: Promise<unknown> | undefined;
    const trial = createEnrolmentTrial({
      around: async (request, next) => {
        // The reading is over, and the calls that enrol come next.
        if (request.url.includes('/flows?')) {
          other ??= trial.run({ sync: 'others' });
          for (let waits = 0; waits < 100 && updates() === 0; waits += 1) await later(1_000);
        }
        return next(request);
      },
    });
    const updates = () => trial.callsOf('contacts.update');
    const config = parse(readFileSync(trial.configFile, 'utf8')) as {
      crm: object;
      syncs: { prospects: { contacts: object; sheet: object } };
    };
    const { prospects } = config.syncs;
    const others = {
      ...prospects,
      limits: { changes: '100%' },
      contacts: { ...prospects.contacts, list: 'Others' },
      sheet: { ...prospects.sheet, tab: 'Others' },
    };
    const text = { ...config, crm: { ...config.crm, requests_per_minute: 60 }, syncs: { prospects, others } };
    writeFileSync(trial.configFile, stringify(text));
    trial.person.request({ addSheet: { properties: { title: 'Others' } } });
    const list = trial.service.model.lists.add({ name: 'Others' });
    const emails = Array.from({ length: 300 }, (_, index) => `o${index}@firm.io`);
    for (const email of emails) trial.addContact({ first_name: 'o', email, list_uuid: list.uuid });
    await trial.linked('ann@firm.io');
    await trial.run({ sync: 'others' });
    const [header = []] = trial.person.read(`'Others'!1:1`);
    const letter = String.fromCodePoint('A'.codePointAt(0)! + header.indexOf('Company'));
    for (const [index] of emails.entries()) trial.person.type(`'Others'!${letter}${index + 2}`, 'Firm');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    expect(updates()).toBeLessThan(300);

    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
    expect(await other).toMatchObject({ counts: { updated: 300 } });
  });

  it('E4, W12: a veto is no problem for a person: the run succeeds, every time, and says why the row is left alone', async () => {
    const trial = createEnrolmentTrial({
      rows: [rowOf('new@firm.io', 'Welcome', { Company: 'Rival' })],
      automation: { unless: { Company: ['rival'] } },
    });
    for (let run = 0; run < 3; run += 1) {
      const { code, stdout } = await trial.cli('sync');
      expect({ run, code }).toEqual({ run, code: 0 });
      expect(stdout).toContain('ignored: enrolment vetoed: Company is rival');
      expect(stdout).toContain('-> ignored: nothing: unless in the configuration says so');
      expect(stdout).not.toContain('needs somebody');
    }
    expect((await trial.cli('plan')).code).toBe(0);
    expect((await trial.cli('status')).stdout).toMatch(/^prospects: succeeded/);
    trial.type('new@firm.io', 'Automation', 'Welcom');
    expect((await trial.cli('sync')).code).toBe(3);
  });

  it('E4, W12: a veto just before the call is no problem for a person either', async () => {
    let change = (): void => {};
    const trial = createEnrolmentTrial({
      automation: { unless: { Status: ['replied'] } },
      around: async (request, next) => {
        if (request.url.includes('/flows/api/flows?')) change();
        return next(request);
      },
    });
    const [uuid] = await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    change = () => trial.service.model.contacts.change(uuid!, { fields: { status: 'replied' } }, Date.now());
    expect(await trial.run()).toMatchObject({
      status: 'succeeded',
      counts: { enrolled: 0, held: 0, ignored: 1 },
      problems: [{ kind: 'ignored', rule: 'E4', reason: 'enrolment vetoed: Status is replied' }],
    });
  });

  it('E4: a vetoed new row becomes a contact, and is enrolled when the veto goes away', async () => {
    const trial = createEnrolmentTrial({
      rows: [rowOf('new@firm.io', 'Welcome', { Company: 'Rival' })],
      automation: { unless: { Company: ['rival'] } },
    });
    await trial.run();
    expect(trial.contacts()).toHaveLength(1);
    expect(trial.resultOf('new@firm.io')).toBe('vetoed: Company is rival');
    trial.type('new@firm.io', 'Company', 'Friend');
    await trial.run();
    expect(trial.enrolled()).toEqual(['new@firm.io Welcome active']);
  });

  it('E4: the cap holds the rest, oldest first, in every hour and across restarts', async () => {
    const trial = createEnrolmentTrial({ sync: { limits: { enrolments_per_hour: 2 } } });
    const emails = ['a@firm.io', 'b@firm.io', 'c@firm.io', 'd@firm.io', 'e@firm.io'];
    await trial.linked(...emails);
    for (const email of emails.slice(2)) trial.type(email, 'Automation', 'Welcome');
    await trial.run();
    expect(trial.enrolled()).toHaveLength(2);
    for (const email of emails.slice(0, 2)) trial.type(email, 'Automation', 'Welcome');
    await later(60_000);
    await trial.start();
    await trial.run();
    expect(trial.enrolled()).toHaveLength(2);
    const waiting = emails.map((email) => trial.resultOf(email)).filter((text) => text.startsWith('waiting'));
    expect(waiting.toSorted()).toEqual([
      'waiting: 0 ahead, cap 2/h',
      'waiting: 1 ahead, cap 2/h',
      'waiting: 2 ahead, cap 2/h',
    ]);
    await later(hourMs);
    await trial.start();
    await trial.run();
    expect(trial.enrolled()).toHaveLength(4);
    // The waiting one of the first three came first.
    expect(emails.slice(2).every((email) => trial.resultOf(email).startsWith('enrolled'))).toBe(true);
  });

  it.each([
    { wish: 'Wellcome', says: 'refused: no such automation: "Wellcome", did you mean "Welcome"?' },
    { wish: 'Old one', says: 'refused: the automation "Old one" is archived' },
    { wish: 'Twin', says: 'refused: several automations have this name, write the uuid: "Twin"' },
  ])('E4: $says', async ({ wish, says }) => {
    const trial = createEnrolmentTrial({ rows: [rowOf('new@firm.io', wish)] });
    const { automations } = trial.service.model;
    automations.add({ name: 'Old one', status: 'archived' });
    automations.add({ name: 'Twin', status: 'on' });
    automations.add({ name: 'Twin', status: 'on' });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', wish);
    expect(await trial.run()).toMatchObject({ status: 'partial' });
    expect([trial.resultOf('ann@firm.io'), trial.resultOf('new@firm.io')]).toEqual([says, says]);
    expect(trial.enrolled()).toEqual([]);
    trial.type('ann@firm.io', 'Automation', '');
    await trial.run();
    expect(trial.resultOf('ann@firm.io')).toBe('');
  });

  it('E4: a refusal stays, with the words of the service, until the wish is made anew or retry is said', async () => {
    const trial = createEnrolmentTrial({ switches: { addToStopped: 'refused' } });
    const [uuid] = await trial.linked('ann@firm.io');
    trial.service.model.automations.stop(trial.welcome.uuid);
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    await trial.run();
    expect(trial.callsOf('automations.add-contact')).toBe(1);
    expect(trial.resultOf('ann@firm.io')).toMatch(/^refused: .*not on/);
    trial.service.model.automations.start(trial.welcome.uuid);
    await trial.request({ kind: 'retry', id: `${uuid}/${trial.welcome.uuid}` });
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
  });

  it('E4, L4: automations that cannot be read hold the wishes and nothing else', async () => {
    const trial = createEnrolmentTrial({ rows: [rowOf('new@firm.io', 'Welcome')] });
    trial.service.faults.inject({ kind: 'status', status: 503, operation: 'automations.list', times: 20 });
    const report = await trial.run();
    expect(report).toMatchObject({ status: 'partial', counts: { created: 1, enrolled: 0 } });
    expect(report.problems[0]!.reason).toMatch(/nobody is enrolled/);
    trial.service.faults.clear();
    await trial.approveWishes(await trial.run());
    await trial.run();
    expect(trial.enrolled()).toEqual(['new@firm.io Welcome active']);
  });

  it('E4, L4, L12: a list of automations that is not whole holds the wishes, and says how much of it came', async () => {
    let isBroken = true;
    const trial = createEnrolmentTrial({
      rows: [rowOf('new@firm.io', 'Welcome')],
      around: async (request, next) => {
        const answer = await next(request);
        if (!isBroken || request.method !== 'GET' || new URL(request.url).pathname !== '/flows/api/flows')
          return answer;
        return Response.json({ ...((await answer.json()) as object), data: [] });
      },
    });
    const report = await trial.run();
    expect(report).toMatchObject({ status: 'partial', counts: { created: 1, enrolled: 0 } });
    expect(report.problems[0]!.reason).toMatch(/^nobody is enrolled: the automations could not be read: .*0 of \d+ /);
    isBroken = false;
    await trial.approveWishes(await trial.run());
    await trial.run();
    expect(trial.enrolled()).toEqual(['new@firm.io Welcome active']);
  });

  it('E4, W3, L4: where the contact cannot be read once more before the call, its wish waits and the run goes on', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    // The wishes are known once the automations were listed; what is searched after that is the look.
    const matches = () => trial.callsOf('automations.list') > 0;
    trial.service.faults.inject({ kind: 'status', status: 503, operation: 'contacts.search', times: 99, matches });
    const report = await trial.run();
    expect(report).toMatchObject({ status: 'partial', problems: [{ kind: 'failed', rule: 'W3', row: 2 }] });
    expect(trial.resultOf('ann@firm.io')).toMatch(/^waiting: ./);
    trial.service.faults.clear();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { enrolled: 1 } });
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
  });

  it('E4, I8: a veto that the look before the call showed counts for the next run, whose search lags behind it', async () => {
    const trial = createEnrolmentTrial({ automation: { unless: { Status: ['replied'] } } });
    const { model, switches } = trial.service;
    await trial.linked('bob@firm.io');
    // What is new or edited is searched in vain for a minute; a call for one contact shows it at once.
    switches.searchLagMs = 60_000;
    const { uuid } = trial.addContact({ first_name: 'ann', email: 'ann@firm.io' });
    trial.person.paste(`'Prospects'!A3`, [rowOf('ann@firm.io', 'Welcome')]);
    await trial.run();
    let isLookedUp = false;
    let isChanged = false;
    trial.atEachInstant(async (what) => {
      if (isChanged || !(what instanceof Request)) return;
      isLookedUp ||= what.url.endsWith('/lookup-one');
      // The reading of the tab with which the look begins.
      if (!isLookedUp || !what.url.includes(':batchGetByDataFilter')) return;
      isChanged = true;
      await later(5_000);
      model.contacts.change(uuid, { fields: { status: 'replied' } });
    });
    await trial.run();
    expect(trial.resultOf('ann@firm.io')).toBe('vetoed: Status is replied');
    trial.atEachInstant(() => {});
    // By now the search shows the contact as it was made, and not yet the edit.
    await later(57_000);
    await trial.run();
    expect(trial.enrolled()).toEqual([]);
    expect(trial.resultOf('ann@firm.io')).toBe('waiting: changed meanwhile, is looked at in the next run');
  });

  it('E4, W6: a 429 is not an enrolment: the wish keeps its place', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    trial.service.faults.inject({ kind: 'rate_limited', operation: 'automations.add-contact' });
    expect(await trial.run()).toMatchObject({ status: 'partial' });
    expect(trial.resultOf('ann@firm.io')).toMatch(/^waiting: /);
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
  });
});

describe('E5: a wish that is taken back', () => {
  const cancels = { automation: { on_clear: 'cancel' } };

  it('E5: is cancelled from that automation alone, and said to be cancelling', async () => {
    const trial = createEnrolmentTrial(cancels);
    const [uuid] = await trial.linked('ann@firm.io');
    trial.service.model.automations.enrol(trial.nurture.uuid, uuid!, 1);
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', '');
    expect(await trial.run()).toMatchObject({ counts: { cancelled: 1 } });
    expect(trial.enrolled()).toEqual(['ann@firm.io Nurture active', 'ann@firm.io Welcome cancelled']);
    expect(trial.resultOf('ann@firm.io')).toBe('cancelling');
    await trial.run();
    expect(trial.callsOf('automations.cancel')).toBe(1);
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Nurture active', 'ann@firm.io Welcome cancelled']);
    expect(trial.resultOf('ann@firm.io')).toBe('cancelling: wished for again, only retry enrols again');
  });

  it('E5: a changed cell cancels the old one first', async () => {
    const trial = createEnrolmentTrial(cancels);
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', 'Nurture');
    trial.service.faults.inject({ kind: 'status', status: 503, operation: 'automations.cancel', times: 20 });
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    trial.service.faults.clear();
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Nurture active', 'ann@firm.io Welcome cancelled']);
  });

  it.each([
    ['fails', 503, /^waiting: is cancelled in the next run: ./],
    ['is refused', 422, /^refused: ./],
  ])('E5, L12: a row whose cancel %s says so, and why', async (_how, status, told) => {
    const trial = createEnrolmentTrial(cancels);
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', 'Nurture');
    trial.service.faults.inject({ kind: 'status', status, operation: 'automations.cancel', times: 20 });
    await trial.run();
    expect(trial.resultOf('ann@firm.io')).toMatch(told);
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
  });

  it('E5, W8: wherever the end is asked for, the old wish is cancelled before the new one is carried out, each once', async () => {
    let isOver = false;
    for (let at = 1; !isOver; at += 1) {
      const trial = createEnrolmentTrial(cancels);
      await trial.linked('ann@firm.io');
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      await trial.run();
      trial.type('ann@firm.io', 'Automation', 'Nurture');
      const stop = new AbortController();
      let saves = 0;
      trial.atEachInstant((what) => {
        if (what === 'saved' && (saves += 1) === at) stop.abort(new Error('stopped by SIGTERM'));
      });
      const { problems } = await trial.run({ signal: stop.signal });
      trial.atEachInstant(() => {});
      isOver = saves < at;
      // What was not begun is no failure.
      expect({ at, problems }).toEqual({ at, problems: [] });
      await trial.run();
      expect({ at, enrolled: trial.enrolled() }).toEqual({
        at,
        enrolled: ['ann@firm.io Nurture active', 'ann@firm.io Welcome cancelled'],
      });
      expect([trial.callsOf('automations.cancel'), trial.callsOf('automations.add-contact')]).toEqual([1, 2]);
    }
  });

  it.each([
    ['cleared', ''],
    ['changed', 'Nurture'],
  ])('E5, W10: in the daemon a cell that is %s for a moment cancels nothing', async (_how, text) => {
    const trial = createEnrolmentTrial({ ...cancels, sync: { settle_secs: 600 } });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', text);
    const { problems } = await trial.run({ isAsked: false });
    expect(problems.map(({ kind, rule }) => `${kind} ${rule}`)).toContain('waiting W10');
    await later(500_000);
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run({ isAsked: false });
    trial.type('ann@firm.io', 'Automation', text);
    await later(500_000);
    await trial.run({ isAsked: false });
    await trial.run({ isAsked: false });
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
  });

  it('E5, W10: a cell that has stood still cancels the old wish, and then the new one is carried out', async () => {
    const trial = createEnrolmentTrial({ ...cancels, sync: { settle_secs: 600 } });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', 'Nurture');
    await trial.run({ isAsked: false });
    await later(600_000);
    await trial.run({ isAsked: false });
    expect(trial.enrolled()).toEqual(['ann@firm.io Nurture active', 'ann@firm.io Welcome cancelled']);
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Nurture': 'enrolled', 'ann@firm.io Welcome': 'cancelling' });
  });

  const wishedAgain = 'cancelling: wished for again, only retry enrols again';

  const cutShort = [
    {
      how: 'every answer to it is lost',
      cut: () => {
        throw Object.assign(new TypeError('lost'), { code: 'ECONNRESET' });
      },
    },
    { how: 'the process dies after the call', cut: (trial: ReturnType<typeof createEnrolmentTrial>) => trial.kill() },
  ];

  it.each(cutShort)(
    'E3, E5: a cancel of unknown outcome, since $how: a wish that is typed again finds nobody enrolled',
    async ({ cut }) => {
      let isCut = true;
      const trial = createEnrolmentTrial({
        ...cancels,
        around: async (request, next) => {
          const answer = await next(request);
          if (isCut && request.url.includes('cancel')) cut(trial);
          return answer;
        },
      });
      await trial.linked('ann@firm.io');
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      await trial.run();
      trial.type('ann@firm.io', 'Automation', '');
      await trial.attempt();
      isCut = false;
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      for (let run = 0; run < 2; run += 1) await trial.run();
      expect(trial.resultOf('ann@firm.io')).toBe(wishedAgain);
      expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'cancelling' });
      expect(trial.callsOf('automations.add-contact')).toBe(1);
    },
  );

  it('E5: a cancel whose outcome is unknown is made again while the cell names nothing', async () => {
    const trial = createEnrolmentTrial(cancels);
    const { faults } = trial.service;
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', '');
    faults.inject({ kind: 'lost', operation: 'automations.cancel', when: 'before', times: 30 });
    await trial.run();
    faults.clear();
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    trial.type('ann@firm.io', 'Automation', '');
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome cancelled']);
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'cancelling' });
  });

  it('E5, W6, L12: a cancel without an answer, whose repeat is answered 401, may have been carried out', async () => {
    const trial = createEnrolmentTrial(cancels);
    const [uuid] = await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', '');
    trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'automations.cancel' });
    trial.service.faults.inject({ kind: 'status', status: 401, operation: 'automations.cancel' });
    expect(await trial.run()).toMatchObject({ status: 'failed', isFinal: true });
    await trial.start();
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome cancelled']);
    expect(trial.resultOf('ann@firm.io')).toBe(wishedAgain);
    expect((await trial.history()).find(({ op }) => op === 'cancel')).toMatchObject({
      contact: uuid,
      outcome: 'unknown',
    });
  });

  it('D1, E5: a row that is put back after the process died at the cancel from all is not told that it is enrolled', async () => {
    const trial = createEnrolmentTrial({
      sync: { on_row_deleted: 'cancel_automations', limits: { deletes: '100%' } },
      around: async (request, next) => {
        const answer = await next(request);
        if (request.url.includes('cancel')) trial.kill();
        return answer;
      },
    });
    await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    const at = trial.rowNumberOf('ann@firm.io');
    const row = trial.person.read(`'Prospects'!${at}:${at}`);
    trial.person.deleteRows('Prospects', at);
    expect(await trial.attempt()).toBe('killed');
    trial.person.paste(`'Prospects'!A3`, row);
    for (let run = 0; run < 2; run += 1) await trial.run({ isFull: true });
    expect(trial.resultOf('ann@firm.io')).toBe(wishedAgain);
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome cancelled']);
  });

  it('E5: on_clear ignore cancels nothing', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', '');
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
  });

  it('D1, E5: a deleted row cancels from all, and the ledger knows', async () => {
    const trial = createEnrolmentTrial({ sync: { on_row_deleted: 'cancel_automations', limits: { deletes: '100%' } } });
    await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    const place = trial.grid().findIndex((row) => row['Email'] === 'ann@firm.io') + 2;
    trial.person.deleteRows('Prospects', place);
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome cancelled']);
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'cancelling' });
  });
});

describe('E1, L8: a retry of a wish that waits', () => {
  /** Ann and Bob wish for Welcome, and a run has seen that while it settled. */
  async function waiting() {
    const trial = createEnrolmentTrial({ sync: { settle_secs: 600 } });
    const [uuid = ''] = await trial.linked('ann@firm.io', 'bob@firm.io');
    for (const email of ['ann@firm.io', 'bob@firm.io']) trial.type(email, 'Automation', 'Welcome');
    await trial.run({ isAsked: false });
    return { ...trial, id: `${uuid}/${trial.welcome.uuid}`, calls: () => trial.callsOf('automations.add-contact') };
  }

  it.each(['', '--yes'])(
    'E1, L8, L12: is void where the run that was under way carries the wish out, as nobody was asked whether it may happen twice (answer: %j)',
    async (yes) => {
      const trial = await waiting();
      let instants = 0;
      trial.atEachInstant(async () => {
        instants += 1;
        if (instants === 3) await trial.cli('retry', trial.id, ...(yes === '' ? [] : [yes]));
      });
      await trial.run();
      trial.atEachInstant(() => {});
      expect(trial.calls()).toBe(2);
      for (const isFull of [false, true, false]) await trial.run({ isFull });
      expect(trial.calls()).toBe(2);
      const decisions = (await trial.history()).filter((line) => line['decision'] === 'retry');
      expect(decisions).toMatchObject([{ id: trial.id, outcome: 'void' }]);
      const { store } = await trial.start();
      expect((await store.sync('prospects').load()).requests.size).toBe(0);
      await trial.cli('retry', trial.id, '--yes');
      await trial.run();
      expect(trial.calls()).toBe(3);
    },
  );

  it.each(['this version', 'an earlier one, which did not record that nobody was asked'])(
    'E1, L8: is done with before the call: a run that is killed after it does not enrol twice, as recorded by %s',
    async (version) => {
      const trial = await waiting();
      if (version === 'this version') await trial.cli('retry', trial.id, '--yes');
      else {
        const { store } = await trial.start();
        await store.sync('prospects').addRequest({ kind: 'retry', id: trial.id });
      }
      let instants = 0;
      trial.atEachInstant(() => {
        if (trial.calls() === 2 && (instants += 1) === 6) trial.kill();
      });
      await trial.attempt();
      trial.atEachInstant(() => {});
      expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'enrolled', 'bob@firm.io Welcome': 'enrolled' });
      for (let runs = 0; runs < 2; runs += 1) await trial.run();
      expect(trial.calls()).toBe(2);
    },
  );
});

describe('E6: a state that is new, lost or older than the sheet', () => {
  it('E6: wishes of contacts that were there before are held until approved once; new rows are new', async () => {
    const trial = createEnrolmentTrial({
      rows: [rowOf('ann@firm.io', 'Welcome'), rowOf('bob@firm.io', 'Welcome'), rowOf('new@firm.io', 'Welcome')],
    });
    trial.addContact({ first_name: 'ann', email: 'ann@firm.io' });
    trial.addContact({ first_name: 'bob', email: 'bob@firm.io' });
    const report = await trial.run();
    expect(trial.enrolled()).toEqual(['new@firm.io Welcome active']);
    expect(report).toMatchObject({ status: 'partial', planned: { enrolments: 2 }, approvable: report.run });
    expect(trial.resultOf('ann@firm.io')).toBe('held: the state is new, approve it once');
    const again = await trial.run();
    expect(trial.enrolled()).toHaveLength(1);
    expect(again.approvable).toBe(report.run);
    await trial.approveWishes(again);
    await trial.run();
    expect(trial.enrolled()).toHaveLength(3);
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
  });

  it('E6, L12: an approval that names fewer wishes than wait by now is void, and is told so', async () => {
    const trial = createEnrolmentTrial({ rows: [rowOf('ann@firm.io', 'Welcome'), rowOf('bob@firm.io', '')] });
    for (const name of ['ann', 'bob']) trial.addContact({ first_name: name, email: `${name}@firm.io` });
    const held = await trial.run();
    expect(held).toMatchObject({ planned: { enrolments: 1 } });
    await trial.cli('approve', 'prospects', '--run', held.approvable ?? '');
    trial.type('bob@firm.io', 'Automation', 'Welcome');
    const next = await trial.run();
    expect(next).toMatchObject({ planned: { enrolments: 2 } });
    await trial.cli('approve', 'prospects', '--run', next.approvable ?? '');
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active', 'bob@firm.io Welcome active']);
    const decisions = (await trial.history()).filter((line) => line['decision'] === 'approve');
    expect(decisions.map((line) => line['outcome'])).toEqual(['void', 'taken']);
  });

  it('E6, I9: after a loss the result column is proof, and the rest is held', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('bob@firm.io', 'Automation', 'Welcome');
    await trial.loseState();
    const report = await trial.run();
    expect(report).toMatchObject({ planned: { enrolments: 1 } });
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    expect(trial.callsOf('automations.add-contact')).toBe(1);
    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
    await trial.approveWishes(report);
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active', 'bob@firm.io Welcome active']);
    expect(trial.callsOf('automations.add-contact')).toBe(2);
  });

  const unjudged = [
    {
      how: 'matches two contacts',
      told: 'matches 2 contacts',
      begin: (trial: ReturnType<typeof createEnrolmentTrial>) => {
        trial.type('ann@firm.io', 'Contact ID', '');
        const { uuid } = trial.addContact({ first_name: 'ann', email: 'ann@firm.io' });
        return () => trial.service.model.contacts.remove(uuid);
      },
    },
    {
      how: 'names an archived automation',
      told: 'the automation "Welcome" is archived',
      begin: ({ service, welcome }: ReturnType<typeof createEnrolmentTrial>) => {
        const { table } = service.model.automations;
        table.change(welcome.uuid, { status: 'archived' }, Date.now());
        return () => table.change(welcome.uuid, { status: 'on' }, Date.now());
      },
    },
    {
      how: 'names no automation',
      told: 'no such automation: "Welcme"',
      begin: (trial: ReturnType<typeof createEnrolmentTrial>) => {
        trial.type('ann@firm.io', 'Automation', 'Welcme');
        return () => trial.type('ann@firm.io', 'Automation', 'Welcome');
      },
    },
    {
      how: 'names another automation',
      told: 'the state is new',
      begin: (trial: ReturnType<typeof createEnrolmentTrial>) => {
        const { uuid } = trial.service.model.automations.add({ name: 'Other', status: 'archived' });
        trial.type('ann@firm.io', 'Automation', uuid);
        return () => trial.type('ann@firm.io', 'Automation', 'Welcome');
      },
    },
  ];

  it.each(unjudged)(
    'E3, E6, L8: after a loss, a wish of unknown outcome whose row $how in the first run is not carried out with an approval either',
    async ({ told, begin }) => {
      const trial = createEnrolmentTrial();
      await trial.linked('ann@firm.io', 'bob@firm.io');
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      trial.service.faults.inject({ kind: 'lost', operation: 'automations.add-contact', when: 'after' });
      await trial.run();
      const end = begin(trial);
      await trial.loseState();
      trial.type('bob@firm.io', 'Automation', 'Nurture');
      const first = await trial.run({ isFull: true });
      expect(first).toMatchObject({ approvable: first.run });
      expect(first.problems.map(({ reason }) => reason).join('\n')).toContain(told);
      end();
      const next = await trial.run({ isFull: true });
      expect(next).toMatchObject({ planned: { enrolments: 1 } });
      expect(trial.resultOf('ann@firm.io')).toBe(unknown);
      await trial.approveWishes(next);
      await trial.run();
      expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active', 'bob@firm.io Nurture active']);
      expect(trial.callsOf('automations.add-contact')).toBe(2);
    },
  );

  it('E3, E6, L8: an approval after the loss of the state enrols nobody whose row says that the outcome is unknown', async () => {
    const trial = createEnrolmentTrial();
    const [uuid] = await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    trial.service.faults.inject({ kind: 'lost', operation: 'automations.add-contact', when: 'after' });
    await trial.run();
    await trial.loseState();
    trial.type('bob@firm.io', 'Automation', 'Nurture');
    const held = await trial.run();
    expect(held).toMatchObject({ planned: { enrolments: 1 } });
    expect(trial.resultOf('ann@firm.io')).toBe(unknown);
    await trial.approveWishes(held);
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active', 'bob@firm.io Nurture active']);
    expect(trial.callsOf('automations.add-contact')).toBe(2);
    await trial.request({ kind: 'retry', id: `${uuid}/${trial.welcome.uuid}` });
    await trial.run();
    expect(trial.callsOf('automations.add-contact')).toBe(3);
  });

  it.each(['Welcme', 'Nurture'])(
    'E1, E6, L8: after a loss, %s in the cell for a while does not have it enrolled again where the row says that it was',
    async (text) => {
      const trial = createEnrolmentTrial();
      await trial.linked('ann@firm.io');
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      await trial.run();
      await trial.loseState();
      trial.type('ann@firm.io', 'Automation', text);
      await trial.approveWishes(await trial.run());
      await trial.run();
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      const held = await trial.run();
      if (held.approvable !== undefined) await trial.approveWishes(held);
      await trial.run();
      expect(trial.enrolled().filter((each) => each.includes('Welcome'))).toHaveLength(1);
      expect(trial.callsOf('automations.add-contact')).toBe(text === 'Nurture' ? 2 : 1);
      expect(trial.resultOf('ann@firm.io')).toContain(`enrolled ${today} in Welcome`);
    },
  );

  it('E6, L10: an approval whose run is killed among its calls is for all that run was to enrol, whatever is wished for meanwhile', async () => {
    const trial = createEnrolmentTrial();
    const [early, late] = [
      ['ann', 'bob', 'cid', 'dan'],
      ['eve', 'fay', 'gil', 'hal'],
    ].map((names) => names.map((name) => `${name}@firm.io`));
    await trial.linked(...early!, ...late!);
    await trial.loseState();
    for (const email of early!) trial.type(email, 'Automation', 'Welcome');
    await trial.approveWishes(await trial.run());
    trial.atEachInstant((what) => {
      if (what instanceof Request && isCallOf('automations.add-contact', what)) trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    for (const email of late!) trial.type(email, 'Automation', 'Welcome');
    for (let run = 0; run < 2; run += 1) await trial.run();
    const results = [...early!, ...late!].map((email) => trial.resultOf(email));
    expect(results.filter((text) => text === unknown).length).toBeLessThan(3);
    expect(results.filter((text) => text !== unknown && !text.startsWith('enrolled '))).toEqual([]);
    expect(trial.callsOf('automations.add-contact')).toBe(trial.enrolled().length);
  });

  it('E6: a contact that a run of a new state made, and whose wish waits, needs no approval', async () => {
    const trial = createEnrolmentTrial({
      rows: [rowOf('new@firm.io', 'Welcome, Nurture'), rowOf('twin@firm.io', 'Welcome'), rowOf('twin@firm.io', '')],
    });
    expect(await trial.run()).toMatchObject({ planned: { enrolments: 1 } });
    expect(await trial.run()).toMatchObject({ planned: { enrolments: 1 } });
    expect(trial.enrolled()).toEqual(['new@firm.io Nurture active', 'new@firm.io Welcome active']);
  });

  it('E1, I10, L8: a contact that was deleted and entered again is enrolled again by retry alone, and holds no other wish', async () => {
    const trial = createEnrolmentTrial();
    const [old] = await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.service.model.contacts.remove(old!);
    const { uuid } = trial.addContact({ first_name: 'ann', email: 'ann@firm.io' });
    trial.type('bob@firm.io', 'Automation', 'Welcome');
    for (let run = 0; run < 3; run += 1) await trial.run({ isFull: true });
    expect(trial.enrolled()).toEqual(['bob@firm.io Welcome active', `${old} Welcome active`]);
    expect(trial.resultOf('ann@firm.io')).toBe('unknown: look in the service whether Welcome has it');
    const { problems } = await trial.run();
    expect(problems).toMatchObject([
      {
        kind: 'quarantined',
        rule: 'E3',
        id: `${uuid}/${trial.welcome.uuid}`,
        reason: expect.stringContaining('deleted and entered again'),
      },
    ]);
    await trial.request({ kind: 'retry', id: `${uuid}/${trial.welcome.uuid}` });
    await trial.run();
    expect(trial.enrolled()).toContain('ann@firm.io Welcome active');
  });

  it('E1, E6, I10, L8: so is one that was entered again while the configuration had no automation', async () => {
    const trial = createEnrolmentTrial();
    const [old] = await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    const text = readFileSync(trial.configFile, 'utf8');
    const config = parse(text) as { syncs: { prospects: { automation?: object } } };
    const { automation: _off, ...prospects } = config.syncs.prospects;
    writeFileSync(trial.configFile, stringify({ ...config, syncs: { prospects } }));
    await trial.start();
    await trial.run();
    trial.service.model.contacts.remove(old!);
    const { uuid } = trial.addContact({ first_name: 'ann', email: 'ann@firm.io' });
    await trial.run({ isFull: true });
    expect(trial.rowOf('ann@firm.io')['Contact ID']).toBe(uuid);
    writeFileSync(trial.configFile, text);
    await trial.start();
    trial.type('bob@firm.io', 'Automation', 'Welcome');
    for (let run = 0; run < 3; run += 1) await trial.run({ isFull: true });
    expect(trial.enrolled()).toEqual(['bob@firm.io Welcome active', `${old} Welcome active`]);
    expect(trial.resultOf('ann@firm.io')).toBe('unknown: look in the service whether Welcome has it');
    await trial.request({ kind: 'retry', id: `${uuid}/${trial.welcome.uuid}` });
    await trial.run();
    expect(trial.enrolled()).toContain('ann@firm.io Welcome active');
  });

  it('E6: a copied row whose ID was cleared, and that names a contact without a row, is enrolled and holds no other wish', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io', 'cid@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.addContact({ first_name: 'bob', email: 'bob@firm.io' });
    const said = trial.resultOf('ann@firm.io');
    trial.person.paste(`'Prospects'!A4`, [rowOf('bob@firm.io', 'Welcome', { 'Last name': '', Enrolment: said })]);
    trial.type('cid@firm.io', 'Automation', 'Nurture');
    expect(await trial.run({ isFull: true })).toMatchObject({ planned: { enrolments: 0 } });
    expect(trial.enrolled()).toEqual([
      'ann@firm.io Welcome active',
      'bob@firm.io Welcome active',
      'cid@firm.io Nurture active',
    ]);
  });

  it.each([
    ['its wish settles', 'Welcome', true],
    ['the automations cannot be read', 'Welcome', true],
    ['it has no wish yet', '', true],
    ['it has no wish and no contact yet', '', false],
  ])(
    'E6, W10, L14: the sentence of a copied row whose ID was cleared proves nothing later either, where %s when it gets its ID',
    async (how, wish, isThere) => {
      const trial = createEnrolmentTrial({ sync: { settle_secs: 60 } });
      await trial.linked('ann@firm.io', 'cid@firm.io');
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      await trial.run();
      if (isThere) trial.addContact({ first_name: 'bob', email: 'bob@firm.io' });
      const said = trial.resultOf('ann@firm.io');
      trial.person.paste(`'Prospects'!A4`, [rowOf('bob@firm.io', wish, { 'Last name': '', Enrolment: said })]);
      const isUnread = how === 'the automations cannot be read';
      if (isUnread)
        trial.service.faults.inject({ kind: 'status', status: 500, operation: 'automations.list', times: 9 });
      await trial.run({ isFull: true, isAsked: how !== 'its wish settles' });
      trial.service.faults.clear();
      expect(trial.grid()[2]).toMatchObject({ Email: 'bob@firm.io', 'Contact ID': expect.stringMatching(/./) });
      expect(trial.resultOf('bob@firm.io')).toBe('');
      trial.type('bob@firm.io', 'Automation', 'Welcome');
      trial.type('cid@firm.io', 'Automation', 'Nurture');
      for (let run = 0; run < 4; run += 1) {
        await trial.run({ isAsked: false });
        await later(30_000);
      }
      expect(trial.enrolled()).toEqual([
        'ann@firm.io Welcome active',
        'bob@firm.io Welcome active',
        'cid@firm.io Nurture active',
      ]);
    },
  );

  it.each([
    ['cancel', 'cancelling; '],
    ['ignore', ''],
  ])(
    'E1, E5: with on_clear %s, a row keeps nothing of a renamed automation that its cell names no more, where the ledger has the call',
    async (onClear, cancelling) => {
      const trial = createEnrolmentTrial({ automation: { on_clear: onClear } });
      await trial.linked('ann@firm.io');
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      await trial.run();
      trial.service.model.automations.table.change(trial.welcome.uuid, { name: 'Greeting' }, Date.now());
      trial.type('ann@firm.io', 'Automation', 'Greeting');
      await trial.run({ isFull: true });
      expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Greeting`);
      trial.type('ann@firm.io', 'Automation', 'Nurture');
      for (let run = 0; run < 2; run += 1) await trial.run({ isFull: true });
      expect(trial.resultOf('ann@firm.io')).toBe(`${cancelling}enrolled ${today} in Nurture`);
    },
  );

  it.each(['Nurture', ''])(
    'E6, L8: the sentence of a copied row about a renamed automation proves nothing later either, where the cell says "%s" when the copy gets its ID',
    async (wish) => {
      const trial = createEnrolmentTrial();
      await trial.linked('ann@firm.io', 'cid@firm.io');
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      await trial.run();
      trial.service.model.automations.table.change(trial.welcome.uuid, { name: 'Greeting' }, Date.now());
      trial.type('ann@firm.io', 'Automation', 'Greeting');
      await trial.run({ isFull: true });
      trial.addContact({ first_name: 'bob', email: 'bob@firm.io' });
      const said = trial.resultOf('ann@firm.io');
      trial.person.paste(`'Prospects'!A4`, [rowOf('bob@firm.io', wish, { 'Last name': '', Enrolment: said })]);
      await trial.run({ isFull: true });
      trial.type('bob@firm.io', 'Automation', 'Greeting');
      trial.type('cid@firm.io', 'Automation', 'Nurture');
      await trial.run({ isFull: true });
      expect(trial.enrolled()).toEqual(
        expect.arrayContaining(['bob@firm.io Greeting active', 'cid@firm.io Nurture active']),
      );
    },
  );

  it.each(['Nurture', ''])(
    'E6, E3, L8: after a loss, the sentence of a copied row about an automation that no cell named since is unknown, also where the cell says "%s" when the copy gets its ID',
    async (wish) => {
      const trial = createEnrolmentTrial();
      await trial.linked('ann@firm.io', 'cid@firm.io');
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      await trial.run();
      await trial.loseState();
      trial.type('ann@firm.io', 'Automation', 'Nurture');
      await trial.approveWishes(await trial.run());
      await trial.run();
      const { uuid } = trial.addContact({ first_name: 'bob', email: 'bob@firm.io' });
      const said = trial.resultOf('ann@firm.io');
      expect(said).toBe(`enrolled ${today} in Nurture; enrolled ${today} in Welcome`);
      trial.person.paste(`'Prospects'!A4`, [rowOf('bob@firm.io', wish, { 'Last name': '', Enrolment: said })]);
      await trial.run({ isFull: true });
      trial.type('bob@firm.io', 'Automation', 'Welcome');
      trial.type('cid@firm.io', 'Automation', 'Nurture');
      await trial.run({ isFull: true });
      expect(trial.resultOf('bob@firm.io')).toBe(unknown);
      expect(trial.enrolled()).toContain('cid@firm.io Nurture active');
      await trial.request({ kind: 'retry', id: `${uuid}/${trial.welcome.uuid}` });
      await trial.run();
      expect(trial.enrolled()).toContain('bob@firm.io Welcome active');
    },
  );

  it('E6, L8: an automation that gets the name of a renamed one: rows told of the old one wait for a person, and hold no other wish', async () => {
    const trial = createEnrolmentTrial();
    const [uuid] = await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    const { automations } = trial.service.model;
    automations.table.change(trial.welcome.uuid, { name: 'Welcome (old)' }, Date.now());
    const { uuid: welcome } = automations.add({ name: 'Welcome', status: 'on' });
    trial.type('bob@firm.io', 'Automation', 'Nurture');
    for (let run = 0; run < 2; run += 1) await trial.run({ isFull: true });
    expect(trial.resultOf('ann@firm.io')).toBe('unknown: look in the service whether Welcome has it');
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome (old) active', 'bob@firm.io Nurture active']);
    await trial.request({ kind: 'retry', id: `${uuid}/${welcome}` });
    await trial.run();
    expect(trial.enrolled()).toContain('ann@firm.io Welcome active');
  });

  /** A backup, after which Ann and Bob were enrolled. Bob's row lost its sentence: only the hold keeps him from a second enrolment. */
  async function olderBackup() {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io', 'bob@firm.io');
    const backup = trial.backup();
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    trial.type('bob@firm.io', 'Automation', 'Nurture');
    await trial.run();
    trial.type('bob@firm.io', 'Enrolment', '');
    return { trial, backup };
  }

  it('E6, S3: a restored backup is known by rows that say more than the ledger', async () => {
    const { trial, backup } = await olderBackup();
    await trial.restore(backup);
    for (let run = 0; run < 3; run += 1) await trial.run();
    expect(trial.callsOf('automations.add-contact')).toBe(2);
    expect(trial.resultOf('bob@firm.io')).toBe('held: the state is new, approve it once');
    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'E6, S3, L10: a restored backup whose first run is killed at instant %i is still one',
    async (at) => {
      const { trial, backup } = await olderBackup();
      await trial.restore(backup);
      await killAt(trial, at);
      for (let run = 0; run < 3; run += 1) await trial.run();
      expect(trial.callsOf('automations.add-contact')).toBe(2);
      expect(trial.resultOf('bob@firm.io')).toBe('held: the state is new, approve it once');
    },
  );

  it.each(['lost', 'restored'])(
    'E6, L8: a %s state stays one while the configuration has no automation',
    async (how) => {
      const { trial, backup } = await olderBackup();
      await (how === 'lost' ? trial.loseState() : trial.restore(backup));
      await trial.run();
      const text = readFileSync(trial.configFile, 'utf8');
      const config = parse(text) as { syncs: { prospects: { automation?: object } } };
      const { automation: _off, ...prospects } = config.syncs.prospects;
      writeFileSync(trial.configFile, stringify({ ...config, syncs: { prospects } }));
      await trial.start();
      await trial.run();
      writeFileSync(trial.configFile, text);
      await trial.start();
      for (let run = 0; run < 2; run += 1) await trial.run();
      expect(trial.callsOf('automations.add-contact')).toBe(2);
      expect(trial.resultOf('bob@firm.io')).toBe('held: the state is new, approve it once');
    },
  );

  it('E6, L8: after a loss, the sentence about an automation with a semicolon in its name is proof, and of no other one', async () => {
    const trial = createEnrolmentTrial();
    const { automations } = trial.service.model;
    for (const name of ['Q3; EMEA', 'Q3']) automations.add({ name, status: 'on' });
    await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Q3; EMEA');
    await trial.run();
    await trial.loseState();
    trial.type('ann@firm.io', 'Automation', 'Q3; EMEA, Q3');
    trial.type('bob@firm.io', 'Automation', 'Nurture');
    const held = await trial.run();
    expect(held).toMatchObject({ planned: { enrolments: 2 } });
    await trial.approveWishes(held);
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Q3; EMEA; enrolled ${today} in Q3`);
    expect(trial.callsOf('automations.add-contact')).toBe(3);
    expect(trial.enrolled()).toEqual([
      'ann@firm.io Q3 active',
      'ann@firm.io Q3; EMEA active',
      'bob@firm.io Nurture active',
    ]);
  });

  it('E3, S3, L8: in a restored state, so is the sentence that its outcome is unknown', async () => {
    const trial = createEnrolmentTrial();
    trial.service.model.automations.add({ name: 'Q3; EMEA', status: 'on' });
    await trial.linked('ann@firm.io');
    const backup = trial.backup();
    trial.type('ann@firm.io', 'Automation', 'Q3; EMEA');
    trial.service.faults.inject({ kind: 'lost', operation: 'automations.add-contact', when: 'after' });
    await trial.run();
    await trial.restore(backup);
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.callsOf('automations.add-contact')).toBe(1);
    expect(trial.resultOf('ann@firm.io')).toBe('unknown: look in the service whether Q3; EMEA has it');
  });

  it('E6, S3, L8: a restored backup that has a wish as waiting does not carry it out again where its row says that it was', async () => {
    const trial = createEnrolmentTrial({ sync: { limits: { enrolments_per_hour: 1 } } });
    await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    trial.type('bob@firm.io', 'Automation', 'Welcome');
    await trial.run();
    const backup = trial.backup();
    await later(3_600_001);
    await trial.run();
    expect(trial.callsOf('automations.add-contact')).toBe(2);
    await trial.restore(backup);
    for (let run = 0; run < 3; run += 1) await trial.run();
    expect(trial.callsOf('automations.add-contact')).toBe(2);
    expect(trial.resultOf('bob@firm.io')).toBe(`enrolled ${today} in Welcome`);
  });

  it.each(['enrolled', 'unknown'])(
    'E1, S3, L12: a retry of a wish that a restored backup has as waiting is void where its row says %s',
    async (how) => {
      const trial = createEnrolmentTrial({ sync: { limits: { enrolments_per_hour: 1 } } });
      const [, bob] = await trial.linked('ann@firm.io', 'bob@firm.io');
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      trial.type('bob@firm.io', 'Automation', 'Welcome');
      await trial.run();
      const backup = trial.backup();
      await later(hourMs + 1);
      if (how === 'unknown')
        trial.service.faults.inject({ kind: 'lost', operation: 'automations.add-contact', when: 'after' });
      await trial.run();
      await trial.restore(backup);
      await trial.request({ kind: 'retry', id: `${bob}/${trial.welcome.uuid}` });
      const { run } = await trial.run();
      expect(trial.resultOf('bob@firm.io')).toContain(how);
      expect(trial.callsOf('automations.add-contact')).toBe(2);
      const { store } = await trial.start();
      const lines = await Array.fromAsync(store.history({ run }));
      expect(lines.filter((line) => 'decision' in line)).toMatchObject([{ decision: 'retry', outcome: 'void' }]);
    },
  );

  it('E6: a contact that a run of a new state made needs no approval either after a call for it failed', async () => {
    const trial = createEnrolmentTrial({
      rows: [rowOf('ann@firm.io', 'Welcome'), rowOf('new@firm.io', 'Welcome, Nurture')],
    });
    trial.addContact({ first_name: 'ann', email: 'ann@firm.io' });
    await trial.run();
    trial.service.faults.inject({ kind: 'rate_limited', operation: 'automations.add-contact' });
    await trial.run();
    expect(await trial.run()).toMatchObject({ planned: { enrolments: 1 } });
    expect(trial.enrolled()).toEqual(['new@firm.io Nurture active', 'new@firm.io Welcome active']);
  });

  it.each([true, false])(
    'E6, S3, L8: a wish for a contact that a run made is held with the others in a restored state (backup after the approval: %s)',
    async (isApproved) => {
      const trial = createEnrolmentTrial({
        rows: [rowOf('ann@firm.io', 'Welcome'), rowOf('new@firm.io', 'Welcome, Nurture')],
        sync: { limits: { enrolments_per_hour: 1 } },
      });
      trial.addContact({ first_name: 'ann', email: 'ann@firm.io' });
      const report = await trial.run();
      const early = isApproved ? undefined : trial.backup();
      await trial.approveWishes(report);
      await trial.run();
      const backup = early ?? trial.backup();
      for (let hour = 0; hour < 3; hour += 1) {
        await later(hourMs + 1);
        await trial.run();
      }
      expect(trial.callsOf('automations.add-contact')).toBe(2);
      trial.type('new@firm.io', 'Enrolment', '');
      await trial.restore(backup);
      for (let hour = 0; hour < 3; hour += 1) {
        await trial.run();
        await later(hourMs + 1);
      }
      expect(trial.callsOf('automations.add-contact')).toBe(2);
      expect(trial.resultOf('new@firm.io')).toContain('held: the state is new, approve it once');
    },
  );

  it.each(['has it as waiting', 'does not have it'])(
    'E3, S3, L8: a restored backup that %s does not repeat an enrolment whose row says that its outcome is unknown',
    async (how) => {
      const trial = createEnrolmentTrial({ sync: { settle_secs: 60 } });
      await trial.linked('ann@firm.io', 'bob@firm.io');
      const before = how === 'does not have it' ? trial.backup() : undefined;
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      await trial.run({ isAsked: false });
      const backup = before ?? trial.backup();
      trial.service.faults.inject({ kind: 'lost', operation: 'automations.add-contact', when: 'after' });
      await trial.run();
      await trial.restore(backup);
      trial.type('bob@firm.io', 'Automation', 'Nurture');
      for (let run = 0; run < 3; run += 1) await trial.run();
      expect(trial.resultOf('ann@firm.io')).toBe('unknown: look in the service whether Welcome has it');
      expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active', 'bob@firm.io Nurture active']);
      expect(trial.callsOf('automations.add-contact')).toBe(2);
      const { uuid } = trial.contactOf('ann@firm.io');
      await trial.request({ kind: 'retry', id: `${uuid}/${trial.welcome.uuid}` });
      await trial.run();
      expect(trial.callsOf('automations.add-contact')).toBe(3);
    },
  );
});

describe('E6, S3: a state that lost its end', () => {
  /** An enrolment of which the state knows no more, and whose row lost its sentence: nothing but the hold keeps it from a second one. */
  async function withLostEnd(firstLost = 'intended') {
    let isDown = false;
    const trial = createEnrolmentTrial({
      around: async (request, next) => (isDown ? new Response('', { status: 503 }) : next(request)),
    });
    await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Enrolment', '');
    trial.kill();
    for (const name of ['base.log', 'outbox.log'])
      spoilLines(join(trial.folder, 'state', 'prospects', name), firstLost);
    await trial.start();
    return { ...trial, setDown: (is: boolean) => (isDown = is) };
  }

  /** Flips a letter of each line that has the text; whole lines follow. */
  function spoilLines(path: string, text: string): void {
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines.some((line) => line.includes(text))).toBe(true);
    writeFileSync(
      path,
      lines.map((line) => (line.includes(text) ? line.replace(text, text.toUpperCase()) : line)).join('\n'),
    );
  }

  it('E6, S3, L8: waits for an approval, also where the run that found it failed', async () => {
    const trial = await withLostEnd();
    trial.setDown(true);
    expect(await trial.run()).toMatchObject({ status: 'failed' });
    trial.setDown(false);
    for (const restarts of [false, true, false]) {
      if (restarts) await trial.start();
      await trial.run();
    }
    expect(trial.callsOf('automations.add-contact')).toBe(1);
    expect(trial.resultOf('ann@firm.io')).toBe('held: the state is new, approve it once');
  });

  it('E6, S3, L8: waits for an approval, also of a wish for a contact that a run made', async () => {
    const trial = createEnrolmentTrial({
      rows: [rowOf('ann@firm.io', 'Welcome'), rowOf('new@firm.io', 'Welcome, Nurture')],
    });
    trial.addContact({ first_name: 'ann', email: 'ann@firm.io' });
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.enrolled()).toEqual(['new@firm.io Nurture active', 'new@firm.io Welcome active']);
    trial.type('new@firm.io', 'Enrolment', '');
    trial.kill();
    for (const name of ['base.log', 'outbox.log'])
      spoilLines(join(trial.folder, 'state', 'prospects', name), `${trial.nurture.uuid}":{"state":"intended`);
    await trial.start();
    expect((await trial.plan()).changes.filter(({ op }) => op === 'enrol')).toEqual([]);
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.callsOf('automations.add-contact')).toBe(1);
    expect(trial.resultOf('new@firm.io')).toContain('held: the state is new, approve it once');
  });

  it('E6, S3, L8: waits for an approval, also where the configuration had no automation when it was found', async () => {
    const trial = await withLostEnd('"state":"waiting');
    const text = readFileSync(trial.configFile, 'utf8');
    const config = parse(text) as { syncs: { prospects: { automation?: object } } };
    const { automation: _off, ...prospects } = config.syncs.prospects;
    writeFileSync(trial.configFile, stringify({ ...config, syncs: { prospects } }));
    await trial.start();
    for (let run = 0; run < 2; run += 1) await trial.run();
    writeFileSync(trial.configFile, text);
    await trial.start();
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.callsOf('automations.add-contact')).toBe(1);
    expect(trial.resultOf('ann@firm.io')).toBe('held: the state is new, approve it once');
  });

  it('E6, S3, L8: waits for an approval, also where the sync was paused and resumed before the next run', async () => {
    const trial = await withLostEnd();
    await trial.cli('pause', 'prospects');
    await trial.cli('resume', 'prospects');
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.callsOf('automations.add-contact')).toBe(1);
    expect(trial.resultOf('ann@firm.io')).toBe('held: the state is new, approve it once');
  });
});

describe('L12: the history has each step of the ledger', () => {
  /** The lines of enrolments of one contact, without their time. */
  async function stepsOf(trial: ReturnType<typeof createEnrolmentTrial>, email: string): Promise<string[]> {
    const { stdout } = await trial.cli('log', '--contact', email);
    const lines = stdout.split('\n').filter((line) => /crm (?:enrol|cancel) /.test(line));
    return lines.map((line) => line.replace(/^.*(crm \w+) {2}\S+?(, row \d+)? {2}/, '$1$2: '));
  }

  it('E2: of a new row, and of all that becomes of it later', async () => {
    const trial = createEnrolmentTrial({
      rows: [rowOf('ann@firm.io', 'Welcome')],
      automation: { on_clear: 'cancel' },
    });
    await trial.run();
    const made = 'crm enrol, row 2: enrolled in Welcome (created and enrolled in one call, wished for: Welcome, E2)';
    expect(await stepsOf(trial, 'ann@firm.io')).toEqual([made]);
    trial.type('ann@firm.io', 'Automation', 'Nurture');
    await trial.run();
    const changed = [
      made,
      'crm cancel, row 2: cancelling from Welcome (the wish was taken out of its cell, E5)',
      'crm enrol, row 2: enrolled in Nurture (wished for: Nurture, E1)',
    ];
    expect(await stepsOf(trial, 'ann@firm.io')).toEqual(changed);
    await trial.run();
    expect(await stepsOf(trial, 'ann@firm.io')).toEqual(changed);
    // The ledger itself has the last state alone.
    expect((await trial.cli('log', '--enrolments')).stdout).not.toContain('enrolled in Welcome');
    const json = (await trial.cli('log', '--contact', 'ann@firm.io', '--json')).stdout.trim().split('\n');
    const lines = json.map((line) => logLine.parse(JSON.parse(line)));
    expect(
      lines.flatMap(({ automation, automation_name: name, state }) => (state ? [{ automation, name, state }] : [])),
    ).toEqual([
      { automation: trial.welcome.uuid, name: 'Welcome', state: 'enrolled' },
      { automation: trial.welcome.uuid, name: 'Welcome', state: 'cancelling' },
      { automation: trial.nurture.uuid, name: 'Nurture', state: 'enrolled' },
    ]);
  });

  it('E1: of a contact that is in the automation already', async () => {
    const trial = createEnrolmentTrial({ switches: { addTwice: 'conflict' } });
    const [uuid] = await trial.linked('ann@firm.io');
    trial.service.model.automations.enrol(trial.welcome.uuid, uuid!, 1);
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    expect(await stepsOf(trial, 'ann@firm.io')).toEqual([
      'crm enrol, row 2: was already in Welcome (wished for: Welcome, E1)',
    ]);
  });

  it('D1: of a contact that is taken out of all automations because its row was deleted', async () => {
    const trial = createEnrolmentTrial({
      rows: [rowOf('ann@firm.io', 'Welcome, Nurture')],
      sync: { on_row_deleted: 'cancel_automations' },
    });
    await trial.run();
    await trial.run();
    const { uuid } = trial.contactOf('ann@firm.io');
    trial.person.deleteRows('Prospects', 2);
    await trial.run();
    expect((await stepsOf(trial, uuid)).slice(2)).toEqual([
      expect.stringContaining('(its row was deleted, D1)'),
      'crm cancel: cancelling from Welcome (taken out of all automations, D1)',
      'crm cancel: cancelling from Nurture (taken out of all automations, D1)',
    ]);
  });

  it('E6: of what a row proves after the state was lost', async () => {
    const trial = createEnrolmentTrial({ rows: [rowOf('ann@firm.io', 'Welcome')] });
    await trial.run();
    await trial.loseState();
    await trial.run();
    expect(await stepsOf(trial, 'ann@firm.io')).toEqual([
      'crm enrol: enrolled in Welcome (the result column of the row says so, E6)',
    ]);
  });

  it('E3: of a new row whose answer is lost', async () => {
    const trial = createEnrolmentTrial({
      rows: [rowOf('ann@firm.io', 'Welcome')],
      around: async (request, next) => {
        const answer = await next(request);
        if (request.url.includes('add-new-lead')) throw Object.assign(new TypeError('lost'), { code: 'ECONNRESET' });
        return answer;
      },
    });
    await trial.run();
    await trial.run();
    expect(await stepsOf(trial, 'ann@firm.io')).toEqual([
      expect.stringMatching(/^crm enrol.*: unknown whether in Welcome \(.*E3\) UNKNOWN: look in the service$/),
    ]);
  });
});

describe('the cost of a run, and stopping', () => {
  it('W9: an idle run makes two calls to the service and one to the sheet, whatever the wishes', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    for (let run = 0; run < 3; run += 1) await trial.run({ isAsked: false });
    await later(60_000);
    for (let run = 0; run < 3; run += 1) await trial.run({ isAsked: false });
    const { cost } = await trial.run({ isAsked: false });
    expect(trial.enrolled()).toHaveLength(1);
    expect(cost.crmCalls).toBeLessThanOrEqual(2);
    expect([cost.sheetReads, cost.sheetWrites]).toEqual([1, 0]);
  });

  it('W8: no call begins after the stop, and begun calls are stored', async () => {
    const stop = new AbortController();
    const trial = createEnrolmentTrial({
      around: async (request, next) => {
        const response = await next(request);
        if (/\/flows\/[^/]+\/leads\//.test(request.url)) stop.abort();
        return response;
      },
    });
    const emails = Array.from({ length: 9 }, (_, index) => `p${index}@firm.io`);
    await trial.linked(...emails);
    for (const email of emails) trial.type(email, 'Automation', 'Welcome');
    await trial.run({ signal: stop.signal });
    const begun = trial.callsOf('automations.add-contact');
    expect(begun).toBeLessThanOrEqual(2);
    const states = Object.values(await trial.ledger());
    expect(states.filter((state) => state === 'enrolled')).toHaveLength(begun);
    expect(states.filter((state) => state === 'waiting')).toHaveLength(9 - begun);
    await trial.run();
    expect(trial.enrolled()).toHaveLength(9);
    expect(trial.callsOf('automations.add-contact')).toBe(9);
  });

  it('W6: a token that is refused in the middle ends the run, and takes nothing for unknown', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io', 'bob@firm.io', 'cid@firm.io');
    for (const email of ['ann@firm.io', 'bob@firm.io', 'cid@firm.io']) trial.type(email, 'Automation', 'Welcome');
    trial.service.faults.inject({ kind: 'status', status: 401, operation: 'automations.add-contact' });
    expect(await trial.run()).toMatchObject({ status: 'failed', isFinal: true });
    const states = Object.values(await trial.ledger());
    expect(states.every((state) => state === 'waiting' || state === 'enrolled')).toBe(true);
    await trial.run();
    expect(trial.enrolled()).toHaveLength(3);
    expect(trial.callsOf('automations.add-contact')).toBeLessThanOrEqual(4);
  });

  it('plans wishes without carrying any out, and writes nothing', async () => {
    const trial = createEnrolmentTrial({ rows: [rowOf('new@firm.io', 'Welcome')] });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Nurture');
    const before = trial.enrolled();
    const { changes } = await trial.plan();
    expect(changes).toMatchObject([{ op: 'enrol', automation: trial.nurture.uuid, reason: 'wished for: Nurture' }]);
    expect(trial.enrolled()).toEqual(before);
    expect(trial.resultOf('ann@firm.io')).toBe('');
  });

  it('enrols n new rows with two calls each and one pinned batch', async () => {
    const count = 40;
    const rows = Array.from({ length: count }, (_, index) => rowOf(`p${index}@firm.io`, 'Welcome'));
    const trial = createEnrolmentTrial({ rows, sync: { limits: { enrolments_per_hour: 1000, creates: 1000 } } });
    await trial.start();
    const idle = createEnrolmentTrial({ sync: {} });
    const empty = await idle.run();
    const { cost, counts } = await trial.run();
    expect(counts).toMatchObject({ created: count, enrolled: count });
    // More than a run of an empty tab: the list of automations, and two calls a row.
    expect(cost.crmCalls - empty.cost.crmCalls).toBe(1 + 2 * count);
    // One reading for each hundred, and one batch: a read and three writes.
    expect(cost.sheetReads - empty.cost.sheetReads).toBeLessThanOrEqual(2 + 2);
    expect(cost.sheetWrites - empty.cost.sheetWrites).toBeLessThanOrEqual(3);
    expect(trial.enrolled()).toHaveLength(count);
  });

  it('E4, L14: a run whose answers have a wrong date keeps no later run from enrolling', async () => {
    let isWrong = false;
    const trial = createEnrolmentTrial({
      sync: { settle_secs: 60, limits: { enrolments_per_hour: 1 } },
      around: async (request, next) => {
        const answer = await next(request);
        if (isWrong) answer.headers.set('date', 'Tue, 01 Jan 2030 00:00:00 GMT');
        return answer;
      },
    });
    await trial.linked('ann@firm.io', 'bob@firm.io');
    isWrong = true;
    trial.type('bob@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run({ isAsked: false });
    isWrong = false;
    await later(hourMs);
    await trial.run({ isAsked: false });
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active', 'bob@firm.io Welcome active']);
  });

  it('E4: the cap goes by the clock of the service, also if the clock of the machine was set more than a day ahead', async () => {
    let aheadMs = 0;
    const trial = createEnrolmentTrial({
      sync: { limits: { enrolments_per_hour: 1 } },
      around: async (request, next) => {
        const answer = await next(request);
        if (aheadMs > 0) answer.headers.set('date', new Date(Date.now() - aheadMs).toUTCString());
        return answer;
      },
    });
    await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    aheadMs = 25 * hourMs;
    await later(aheadMs);
    trial.type('bob@firm.io', 'Automation', 'Welcome');
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    await later(hourMs);
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active', 'bob@firm.io Welcome active']);
  });

  it('E4, W6: nor is one of the call that creates and enrols: the row is as it was', async () => {
    const trial = createEnrolmentTrial({ rows: [rowOf('new@firm.io', 'Welcome')] });
    trial.service.faults.inject({ kind: 'rate_limited', operation: 'automations.add-new-lead' });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { created: 0, enrolled: 0 } });
    expect(trial.resultOf('new@firm.io')).toMatch(/^waiting: /);
    await trial.run();
    expect(trial.enrolled()).toEqual(['new@firm.io Welcome active']);
  });

  it('E2, L12: a new row whose contact cannot be looked up after the call is named, and gets its ID from a later run', async () => {
    const trial = createEnrolmentTrial({ rows: [rowOf('new@firm.io', 'Welcome')] });
    trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.lookup-one', times: 99 });
    const first = await trial.run();
    expect(first).toMatchObject({ counts: { created: 1, enrolled: 1, waiting: 1 } });
    expect(first.problems).toMatchObject([
      { kind: 'waiting', row: 2, rule: 'E2', reason: expect.stringContaining('its ID is not known yet') },
    ]);
    expect(trial.resultOf('new@firm.io')).toBe(`enrolled ${today} in Welcome`);
    trial.service.faults.clear();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 1 }, problems: [] });
    expect(trial.rowOf('new@firm.io')['Contact ID']).toBe(trial.contactOf('new@firm.io').uuid);
    expect(trial.callsOf('automations.add-new-lead')).toBe(1);
  });
});
