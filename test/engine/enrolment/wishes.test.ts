import { describe, expect, it, vi } from 'vitest';
import { logLine } from '../../../src/operator/answers/history.ts';
import { createEnrolmentTrial, hourMs, isCallOf, later, rowOf, today } from './support.ts';

type EnrolmentTrial = ReturnType<typeof createEnrolmentTrial>;

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

  it('E1: who was put into an automation that the service renames or deletes stays told so, and only others are told that there is none', async () => {
    const trial = createEnrolmentTrial({ automation: { on_clear: 'cancel' } });
    await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome, Nurture');
    await trial.run();
    const told = `enrolled ${today} in Welcome; enrolled ${today} in Nurture`;
    const { table } = trial.service.model.automations;
    table.change(trial.welcome.uuid, { name: 'Hello' }, Date.now());
    const listed = [...table.all()];
    table.all = () => listed.filter(({ uuid }) => uuid !== trial.nurture.uuid).values();
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.resultOf('ann@firm.io')).toBe(told);
    trial.type('bob@firm.io', 'Automation', 'Welcome');
    await trial.run({ isFull: true });
    expect(trial.resultOf('bob@firm.io')).toBe('refused: no such automation: "Welcome"');
    trial.type('ann@firm.io', 'Automation', 'Hello, Welcome, Nurture');
    await trial.run({ isFull: true });
    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Hello; enrolled ${today} in Nurture`);
    expect(trial.callsOf('automations.add-contact')).toBe(2);
    trial.type('ann@firm.io', 'Automation', 'Nurture');
    expect(await trial.run({ isFull: true })).toMatchObject({ counts: { cancelled: 1 } });
    expect(trial.bodiesOf('automations.cancel')).toEqual([{ flow_uuids: [trial.welcome.uuid] }]);
  });

  it('E1: who was put into an automation whose name a second one gets stays told so, and only others are asked for the uuid', async () => {
    const trial = createEnrolmentTrial({ automation: { on_clear: 'cancel' } });
    await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    const second = trial.service.model.automations.add({ name: 'welcome', status: 'on' });
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
    trial.type('bob@firm.io', 'Automation', 'Welcome');
    await trial.run({ isFull: true });
    expect(trial.resultOf('bob@firm.io')).toContain('several automations have this name, write the uuid');
    trial.type('ann@firm.io', 'Automation', `Welcome, ${second.uuid}`);
    await trial.run({ isFull: true });
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active', 'ann@firm.io welcome active']);
    trial.type('ann@firm.io', 'Automation', second.uuid);
    expect(await trial.run({ isFull: true })).toMatchObject({ counts: { cancelled: 1 } });
    expect(trial.bodiesOf('automations.cancel')).toEqual([{ flow_uuids: [trial.welcome.uuid] }]);
  });

  it.each(['ignore', 'cancel'])(
    'E1, E5, L8: who was put into an automation that is renamed, and whose name a new one gets, stays told so and in it (on_clear: %s)',
    async (onClear) => {
      const trial = createEnrolmentTrial({ automation: { on_clear: onClear } });
      await trial.linked('ann@firm.io', 'bob@firm.io');
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      await trial.run();
      const { automations } = trial.service.model;
      automations.table.change(trial.welcome.uuid, { name: 'Welcome (old)' }, Date.now());
      const { uuid } = automations.add({ name: 'Welcome', status: 'on' });
      for (let run = 0; run < 2; run += 1)
        expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', problems: [] });
      expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
      trial.type('bob@firm.io', 'Automation', 'Welcome');
      await trial.run({ isFull: true });
      expect(trial.enrolled()).toEqual(['ann@firm.io Welcome (old) active', 'bob@firm.io Welcome active']);
      await trial.request({ kind: 'retry', id: `${trial.contactOf('ann@firm.io').uuid}/${trial.welcome.uuid}` });
      await trial.run();
      expect(trial.callsOf('automations.add-contact')).toBe(3);
      expect(trial.resultOf('ann@firm.io')).toContain(`in Welcome`);
      trial.type('ann@firm.io', 'Automation', 'Nurture, Welcome');
      await trial.run();
      expect(trial.callsOf('automations.cancel')).toBe(0);
      expect(trial.enrolled()).toContain('ann@firm.io Nurture active');
      trial.type('ann@firm.io', 'Automation', `Nurture, ${uuid}`);
      await trial.run();
      expect(trial.callsOf('automations.cancel')).toBe(onClear === 'cancel' ? 1 : 0);
    },
  );

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

  it('E2, M8: a new row that has a whole name alone is made by no call, whatever it wishes for', async () => {
    const columns = { Email: 'email', Company: 'name' };
    const trial = createEnrolmentTrial({
      rows: [rowOf('new@firm.io', 'Welcome', { Company: 'Ann Ames' })],
      sync: { columns },
    });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { created: 0, enrolled: 0 } });
    expect(trial.grid()).toMatchObject([{ Company: 'Ann Ames' }]);
    expect([trial.contacts(), trial.callsOf('automations.add-new-lead')]).toEqual([[], 0]);
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
      'crm cancel, row 2: cancelling from Welcome (the wish was taken out of its cell: Welcome, E5)',
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

  describe('M4: a column that is only sent, in the row of a contact whose ID is not known after the call', () => {
    /** A run makes the contact of this row and cannot look it up, then people do something, and the next run links it. */
    async function linkedLater(
      cells: Parameters<typeof rowOf>[2],
      blank: string,
      people: (trial: EnrolmentTrial) => void,
    ) {
      const company = { field: 'company_name', direction: 'to_crm', blank };
      const columns = { 'First name': 'first_name', 'Last name': 'last_name', Company: company, Email: 'email' };
      const trial = createEnrolmentTrial({ rows: [rowOf('new@firm.io', 'Welcome', cells)], sync: { columns } });
      trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.lookup-one', times: 99 });
      await trial.run();
      trial.service.faults.clear();
      people(trial);
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 1 }, problems: [] });
      const held = trial.contactOf('new@firm.io').company_name ?? null;
      expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
      return held;
    }

    it.each([
      { what: 'emptied', typed: '', blank: 'sync', held: null },
      { what: 'emptied, where blanks are ignored', typed: '', blank: 'ignore', held: 'Acme' },
      { what: 'changed', typed: 'Apex', blank: 'sync', held: 'Apex' },
      { what: 'left as it was', typed: 'Acme', blank: 'sync', held: 'Acme' },
    ])('L5: a cell that is $what: the contact holds $held', async ({ typed, blank, held }) => {
      const type = (trial: EnrolmentTrial) => trial.type('new@firm.io', 'Company', typed);
      expect(await linkedLater({ Company: 'Acme' }, blank, type)).toBe(held);
    });

    it('L1: a cell that was blank all along empties nothing that somebody put into the contact', async () => {
      const change = (trial: EnrolmentTrial) => trial.change('new@firm.io', { company_name: 'By hand' });
      expect(await linkedLater({}, 'sync', change)).toBe('By hand');
    });
  });
});

it('E1: a name that no automation had is asked for again although our clock was set back by a day', async () => {
  const trial = createEnrolmentTrial();
  await trial.linked('ann@firm.io');
  trial.type('ann@firm.io', 'Automation', 'Spring');
  await trial.run();
  expect(trial.resultOf('ann@firm.io')).toBe('refused: no such automation: "Spring"');
  trial.service.model.automations.add({ name: 'Spring', status: 'on' });
  vi.setSystemTime(Date.now() - 86_400_000);
  await trial.run();
  expect(trial.resultOf('ann@firm.io')).toMatch(/^enrolled .* in Spring$/);
});
