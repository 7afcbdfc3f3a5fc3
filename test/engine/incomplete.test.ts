// A pull that was not whole is a problem of the run, and says how many of how many were read and why (L12).
import { describe, expect, it } from 'vitest';
import { createSyncTrial, tabTitle, type TrialOptions } from '../support/app.ts';
import { repeats } from '../support/repeats.ts';

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
type Trial = ReturnType<typeof createSyncTrial>;

function withContacts(count: number, options: TrialOptions = {}, secondsApart = 1): Trial {
  const trial = createSyncTrial({ values: [header], ...options });
  const first = Date.now() - 60_000 - count * secondsApart * 1_000;
  for (let index = 0; index < count; index += 1) {
    trial.service.model.contacts.add(
      {
        fields: {
          list_uuid: trial.list.uuid,
          first_name: `P${index}`,
          company_name: 'Firm',
          work_email: `p${index}@firm.io`,
        },
      },
      first + index * secondsApart * 1_000,
    );
  }
  return trial;
}

function failAfter(trial: Trial, pages: number): void {
  let seen = 0;
  const matches = () => (seen += 1) > pages;
  trial.service.faults.inject({ kind: 'status', status: 503, times: 999, operation: 'contacts.search', matches });
}

const incomplete = (reason: unknown) => ({ id: 'pull:contacts', kind: 'incomplete', rule: 'G5', reason });

describe('L12, W12: a page that fails', () => {
  it('L12, G5, W12: 200 of 600 contacts were read: the run is partial and exits 3, in every face', async () => {
    const trial = withContacts(600);
    failAfter(trial, 2);
    const { code, stdout } = await trial.cli('sync', '--json');
    const [run] = (JSON.parse(stdout) as { syncs: Record<string, unknown>[] }).syncs;
    expect([code, run!['status']]).toEqual([3, 'partial']);
    expect(run!['problems']).toMatchObject([
      { id: 'pull:contacts', kind: 'incomplete', reason: expect.stringContaining('200 of 600 contacts were read') },
    ]);
    expect(trial.grid()).toHaveLength(200);
    const status = await trial.cli('status');
    expect(status.stdout).toContain('partial');
    expect(status.stdout).toMatch(/incomplete: 200 of 600 contacts were read: .*503/);
  });

  it('L12: the next whole pull closes it, also in the state, and the one after that writes nothing (W9)', async () => {
    const trial = withContacts(60, { switches: { pageRowsMax: 20 } });
    failAfter(trial, 1);
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { linked: 20 } });
    trial.service.faults.clear();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [], counts: { linked: 60 } });
    await trial.run();
    const files = trial.stateFiles();
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.stateFiles()).toEqual(files);
  });

  it('L12, W9: a pull that fails in a run with nothing to do is in status all the same, and so is its end, once each', async () => {
    const trial = withContacts(60, { switches: { pageRowsMax: 20 } });
    for (const _ of [1, 2]) await trial.run();
    failAfter(trial, 1);
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'partial' });
    expect((await trial.cli('status')).stdout).toContain('20 of 60 contacts were read');
    const files = trial.stateFiles();
    trial.service.faults.clear();
    failAfter(trial, 1);
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'partial' });
    expect(trial.stateFiles()).toEqual(files);
    trial.service.faults.clear();
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded' });
    expect((await trial.cli('status')).stdout).not.toContain('contacts were read');
  });

  it('G5: changes that a scan did not reach are read by the next one, however long ago they were made', async () => {
    const trial = withContacts(60, { switches: { pageRowsMax: 20 }, sync: { limits: { changes: '100%' } } });
    for (const _ of [1, 2]) await trial.run();
    for (let index = 0; index < 60; index += 1) trial.change(`p${index}@firm.io`, { company_name: 'Other' });
    // Later than the time by which scans overlap.
    await new Promise((resolve) => setTimeout(resolve, 30 * 60_000));
    failAfter(trial, 1);
    expect(await trial.run()).toMatchObject({ status: 'partial' });
    trial.service.faults.clear();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', isFull: false });
    expect(trial.grid().filter(({ Company }) => Company !== 'Other')).toEqual([]);
  });

  it('L12: if not one contact could be read, the run fails', async () => {
    const trial = withContacts(60);
    failAfter(trial, 0);
    expect(await trial.run()).toMatchObject({ status: 'failed' });
  });

  it('L12: a plan says it too', async () => {
    const trial = withContacts(60, { switches: { pageRowsMax: 20 } });
    failAfter(trial, 1);
    const { status, problems } = await trial.plan();
    expect([status, problems]).toMatchObject(['partial', [incomplete(expect.stringContaining('20 of 60'))]]);
  });

  it.each([
    ['an error beside an empty list of rows', { kind: 'error_in_200', beside: 'no_rows' }],
    ['rows that are no contacts', { kind: 'bad_rows' }],
  ] as const)('L12, T6: %s', async (_what, fault) => {
    const trial = withContacts(60, { switches: { pageRowsMax: 20, orderByField: { uuid: 'refused' } } });
    let pages = 0;
    const matches = () => (pages += 1) % 3 === 2 || pages > 3;
    trial.service.faults.inject({ ...fault, times: 999, operation: 'contacts.search', matches });
    const report = await trial.run();
    expect(report).toMatchObject({ status: 'partial', problems: [incomplete(expect.stringMatching(/^\d+ of 60/))] });
    trial.service.faults.clear();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 60 } });
  });
});

describe('L12, T14: more contacts of one second than a query gives', () => {
  const sync = { limits: { creates: 20_000, changes: '100%' } };
  const columns = { 'First name': 'first_name', Company: 'company_name', Email: 'email' };
  const few = { sync, columns, values: [['First name', 'Company', 'Email']] };

  /** Contacts are in the order of their creation; no reader goes past 9,000 of one query. */
  const emailsOf = (...indices: readonly number[]) => indices.map((index) => `p${index}@firm.io`);
  const edited = emailsOf(0, 4_711, 8_999, 9_000, 9_499);

  function changeAll(trial: Trial, to: string, emails = edited): void {
    for (const email of emails) trial.change(email, { company_name: to });
  }

  const companies = (trial: Trial, emails = edited) => {
    const known = new Map(trial.grid().map((row) => [row['Email'], row['Company']]));
    return emails.map((email) => known.get(email));
  };

  // That 11,000 are read stands in test/crm/scan-incomplete.test.ts.
  const size = repeats(1_200, 9_500);
  it(`L12, T14: ${size} of one second are as many rows, and an edit of any of them arrives, in full and incremental runs`, async () => {
    const trial = withContacts(size, few, 0);
    const emails = emailsOf(0, 711, size - 501, size - 500, size - 1);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [], counts: { appended: size } });
    for (const isFull of [false, true]) {
      changeAll(trial, `Edited ${isFull}`, emails);
      expect(await trial.run({ isFull })).toMatchObject({ status: 'succeeded', counts: { set: emails.length } });
      expect(companies(trial, emails)).toEqual(emails.map(() => `Edited ${isFull}`));
    }
  });

  it('L12, T14: contacts behind the limit of a query make this run and later ones partial; edits of them still arrive', async () => {
    const trial = withContacts(9_500, { ...few, switches: { orderByField: { uuid: 'refused' } } }, 0);
    const told = {
      status: 'partial',
      problems: [incomplete(expect.stringContaining('of 9500 contacts were read'))],
    };
    expect(await trial.run()).toMatchObject({ ...told, counts: { appended: 9_000 } });
    await pass(20 * 60_000);
    changeAll(trial, 'Edited');
    await trial.start();
    expect(await trial.run()).toMatchObject(told);
    expect(companies(trial)).toEqual(edited.map(() => 'Edited'));
    changeAll(trial, 'Again');
    expect(await trial.run()).toMatchObject({ ...told, isFull: false, counts: { set: edited.length } });
    expect(companies(trial)).toEqual(edited.map(() => 'Again'));
    // A full scan that a person asks for ends at the limit, and has not read the edits behind it, which are older than the
    // time by which scans overlap.
    changeAll(trial, 'Behind');
    await pass(20 * 60_000);
    expect(await trial.run({ isFull: true })).toMatchObject(told);
    expect(await trial.run()).toMatchObject({ ...told, isFull: false });
    expect(companies(trial)).toEqual(edited.map(() => 'Behind'));
    trial.service.switches.orderByField = {};
    await pass(24 * 3_600_000);
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { linked: 9_500 } });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
  });
});

describe('L12, T12: contacts that come and go while they are read', () => {
  const moving = { pageRowsMax: 20, totalDriftMax: 3 };

  it('L12, W9: once is a notice, again is a problem, over restarts; and a run with nothing to do writes nothing for it', async () => {
    const trial = withContacts(70, { switches: { pageRowsMax: 20 } });
    for (const _ of [1, 2]) await trial.run();
    trial.service.switches.totalDriftMax = moving.totalDriftMax;
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.events).toContainEqual(
      expect.objectContaining({ type: 'notice', message: expect.stringContaining('coming and going') }),
    );
    await trial.start();
    const again = await trial.run({ isFull: true });
    expect(again).toMatchObject({
      status: 'partial',
      problems: [incomplete(expect.stringContaining('as the time before'))],
    });
    const files = trial.stateFiles();
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'partial' });
    expect(trial.stateFiles()).toEqual(files);
    trial.service.switches.totalDriftMax = 0;
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', problems: [] });
    trial.service.switches.totalDriftMax = moving.totalDriftMax;
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', problems: [] });
  });

  it('T16: 70 of one second in any order are 70 rows, and the run succeeded', async () => {
    const trial = withContacts(70, { switches: { pageRowsMax: 20, tieOrder: 'random' } }, 0);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 70 } });
  });
});

describe('L14, G5: a contact without a row that cannot be read', () => {
  /** The rows of Ann are in doubt, so that she gets no row, and each run asks for her by her uuid: by a call of her own. */
  async function withoutRow(...others: readonly string[]): Promise<{ trial: Trial; failAnn: () => void }> {
    const quarantined = 2 + 2 * others.length;
    const trial = withContacts(6, { switches: { filterByField: { uuid: 'refused' } } });
    await trial.run();
    trial.person.paste(`'${tabTitle}'!A8`, [
      ['Ann', '', '', 'ann@firm.io', ''],
      ['Anne', '', '', 'ann@firm.io', ''],
      ...others.flatMap((email) => ['One', 'Two'].map((name) => [name, '', '', email, ''])),
    ]);
    for (const email of ['ann@firm.io', ...others]) trial.addContact({ first_name: 'Ann', email });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { quarantined } });
    // Later than the time by which scans overlap.
    await pass(30 * 60_000);
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { quarantined } });
    const { uuid } = trial.contactOf('ann@firm.io');
    const matches = (request: Request) => request.url.includes(uuid);
    const failAnn = () => {
      trial.service.faults.inject({ kind: 'status', status: 502, times: 999, operation: 'contacts.get', matches });
    };
    return { trial, failAnn };
  }
  const told = incomplete(
    expect.stringMatching(/^1 contact that has no row yet could not be read: contacts\.get [0-9a-f-]{36}: .*HTTP 502/),
  );

  it('L14: does not stop the run: what others changed in the sheet is carried over, and the run says what it did not read', async () => {
    const { trial, failAnn } = await withoutRow();
    failAnn();
    trial.type('p1@firm.io', 'Company', 'Other');
    const report = await trial.run();
    expect(report).toMatchObject({ status: 'partial', isFull: false, counts: { updated: 1, quarantined: 2 } });
    expect(report.problems).toContainEqual(expect.objectContaining(told));
    expect(trial.contactOf('p1@firm.io')['company_name']).toBe('Other');
    expect((await trial.cli('status')).stdout).toContain('1 contact that has no row yet could not be read');
  });

  it('I8: is read as it is now, and the search of the next run, which still shows it as it was, does not count', async () => {
    const trial = withContacts(6, { switches: { filterByField: { uuid: 'refused' } } });
    await trial.run();
    const { uuid } = trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
    trial.sheets.faults.add({ effect: { type: 'status', status: 503 }, times: 999, match: { kind: 'write' } });
    await pass(30 * 60_000);
    expect(await trial.run()).toMatchObject({ counts: { appended: 0 } });
    trial.sheets.faults.clear();
    await pass(30 * 60_000);
    trial.service.switches.searchLagMs = 60_000;
    trial.service.model.contacts.change(uuid, { fields: { company_name: 'By the CRM' } });
    expect(await trial.run()).toMatchObject({ isFull: false, counts: { appended: 1 } });
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'By the CRM', 'Contact ID': uuid });
    expect(await trial.run({ isFull: true })).toMatchObject({ counts: { set: 0 } });
    await pass(120_000);
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { set: 0 } });
  });

  it('L12: of several that were asked for, the run says how many', async () => {
    const { trial, failAnn } = await withoutRow('bob@firm.io');
    failAnn();
    const { problems } = await trial.run();
    expect(problems).toContainEqual(
      expect.objectContaining(
        incomplete(expect.stringMatching(/^2 contacts that have no row yet could not be read: .*HTTP 502/)),
      ),
    );
  });

  it.each([
    ['and others changed in the service', true, false],
    ['and the process ends', true, true],
    ['and nothing else changed', false, true],
  ])('G5: it is asked for again by the next run %s', async (_what, isChanged, isRestarted) => {
    const { trial, failAnn } = await withoutRow();
    failAnn();
    if (isChanged) trial.change('p1@firm.io', { company_name: 'Other' });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { set: isChanged ? 1 : 0 } });
    trial.service.faults.clear();
    await pass(30 * 60_000);
    if (isRestarted) await trial.start();
    trial.person.deleteRows(tabTitle, 8, 2);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', isFull: false, counts: { appended: 1 } });
    expect(trial.grid().map(({ Email }) => Email)).toContain('ann@firm.io');
  });

  it('G5, W9: runs that cannot read it write that once', async () => {
    const { trial, failAnn } = await withoutRow();
    failAnn();
    await trial.run();
    const [files, { sheet }] = [trial.stateFiles(), trial.writes()];
    expect(await trial.run()).toMatchObject({ status: 'partial' });
    expect([trial.stateFiles(), trial.writes().sheet]).toEqual([files, sheet]);
  });

  it('W6: a refused key fails the run all the same', async () => {
    const { trial } = await withoutRow();
    trial.service.faults.inject({ kind: 'status', status: 401, times: 999, operation: 'contacts.get' });
    expect(await trial.run()).toMatchObject({ status: 'failed' });
  });
});

const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
