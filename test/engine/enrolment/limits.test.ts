import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { createEnrolmentTrial, hourMs, isCallOf, later, rowOf, today } from './support.ts';

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

  it('E4, L8: a new row that is copied between plan and call is sent for neither of the two', async () => {
    const { trial, copyRow, onceBeforeTheLook } = changedMeanwhile();
    await trial.linked('ann@firm.io');
    trial.person.paste(`'Prospects'!A3`, [rowOf('new@firm.io', 'Welcome')]);
    onceBeforeTheLook(() => copyRow('new@firm.io', 10));
    await trial.run({ isFull: true });
    expect([trial.callsOf('automations.add-new-lead'), trial.enrolled()]).toEqual([0, []]);
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

  it('E1, L12: a wish that waits and whose row was deleted is not said to wait for its turn', async () => {
    const trial = createEnrolmentTrial({ sync: { limits: { enrolments_per_hour: 1 } } });
    await trial.linked('ann@firm.io', 'bob@firm.io');
    for (const email of ['ann@firm.io', 'bob@firm.io']) trial.type(email, 'Automation', 'Welcome');
    await trial.run();
    const waiting = async () => (await trial.cli('enrolments', '--state', 'waiting')).stdout;
    expect(await waiting()).toContain('0 ahead, cap 1/h');
    const email = ['ann@firm.io', 'bob@firm.io'].find((each) => trial.resultOf(each).startsWith('waiting'));
    trial.person.deleteRows('Prospects', trial.grid().findIndex((row) => row['Email'] === email) + 2);
    await trial.run();
    expect(await waiting()).toContain('no row has its ID: nothing is done before one has');
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
