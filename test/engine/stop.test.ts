// A stopped run begins nothing more, whatever it waits for (W8); in one process, with timers that the tests move.
import { expect, test } from 'vitest';
import { createSyncTrial, defaultColumns, tabTitle } from '../support/app.ts';

const people = (count: number) =>
  Array.from({ length: count }, (_, index) => [`P${index}`, 'Row', 'Firm', `p${index}@firm.io`]);

function createStopTrial(rows: number, sync: Readonly<Record<string, unknown>> = {}) {
  const trial = createSyncTrial({ sync: { limits: { creates: 1000, changes: '100%', deletes: '100%' }, ...sync } });
  trial.person.paste(`'${tabTitle}'!A2`, people(rows));
  const stop = new AbortController();
  const isWrite = (what: unknown): what is Request =>
    what instanceof Request && what.url.includes(':4010') && what.method !== 'GET' && !what.url.endsWith('/search');
  /** Aborts at the nth call to that side, and lists later requests to the service. */
  const stopAt = (end: string, nth: number) => {
    let seen = 0;
    const after: string[] = [];
    trial.atEachInstant((what) => {
      if (!(what instanceof Request)) return;
      if (stop.signal.aborted && what.url.includes(':4010')) after.push(new URL(what.url).pathname);
      if (what.url.includes(end) && (seen += 1) === nth) stop.abort(new Error('stopped by SIGTERM'));
    });
    return after;
  };
  return { ...trial, stop, stopAt, isWrite, stopped: () => trial.run({ signal: stop.signal }) };
}

test('W8, L12: creates that wait in the queue are not begun, and neither succeed nor fail', async () => {
  const trial = createStopTrial(60);
  const after = trial.stopAt('/upsert', 5);
  const report = await trial.stopped();
  expect(after).toEqual([]);
  const made = trial.contacts().length;
  expect(made).toBeLessThan(60);
  expect(report).toMatchObject({ status: 'partial', stopped: { left: 60 - made, done: made } });
  expect(report.counts).toMatchObject({ created: made, set: made, held: 0 });
  const told = (await trial.history()).filter(({ op }) => op === 'create');
  expect(new Set(told.map(({ row }) => row)).size).toBe(made);
  expect(new Set(told.map(({ outcome }) => outcome))).toEqual(new Set(['done']));
  await trial.start();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 60 - made } });
  expect(trial.contacts()).toHaveLength(60);
});

test('W8, W4: updates that were not begun are no writes of unknown outcome', async () => {
  const trial = createStopTrial(30);
  await trial.run();
  for (let index = 0; index < 30; index += 1) trial.type(`p${index}@firm.io`, 'Company', `Other ${index}`);
  const after = trial.stopAt('/leads/', 3);
  const report = await trial.stopped();
  expect(after).toEqual([]);
  const { left = 0 } = report.stopped ?? {};
  expect(left).toBeGreaterThan(0);
  trial.atEachInstant(() => {});
  await trial.start();
  const reads = trial.crmCalls('contacts.get').length;
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: left } });
  expect(trial.crmCalls('contacts.get')).toHaveLength(reads);
  expect(trial.contacts().map(({ company_name: company }) => company)).not.toContain('Firm');
});

test('W8, L12: of an update of two calls that was stopped between them, what the first wrote is told as done', async () => {
  const columns = { ...defaultColumns, Segment: { custom_field: 'segment' } };
  const trial = createSyncTrial({ columns, values: [Object.keys(columns), ['Ann', 'Row', 'Firm', 'ann@firm.io']] });
  await trial.run();
  trial.type('ann@firm.io', 'Company', 'Other');
  trial.type('ann@firm.io', 'Segment', 'A');
  const stop = new AbortController();
  let isSent = false;
  trial.atEachInstant((what) => {
    if (what === 'answered' && isSent) stop.abort(new Error('stopped by SIGTERM'));
    if (what instanceof Request && what.method === 'PUT' && what.url.includes('/leads/')) isSent = true;
  });
  const { run, status } = await trial.run({ signal: stop.signal });
  expect(status).toBe('partial');
  expect(trial.contactOf('ann@firm.io').company_name).toBe('Other');
  const told = (await trial.history()).filter((line) => line.run === run && line['field'] === 'company_name');
  expect(told).toMatchObject([{ outcome: 'done', before: 'Firm', after: 'Other' }]);
  trial.atEachInstant(() => {});
  await trial.start();
  await trial.run();
  const { uuid } = trial.contactOf('ann@firm.io');
  expect(trial.service.model.contacts.get(uuid).customFields).toEqual({ segment: 'A' });
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0 } });
});

test('W8: a Retry-After of an hour, and one of a minute, end at the stop', async () => {
  for (const waitMs of [60_000, 3_600_000]) {
    const trial = createStopTrial(3);
    trial.service.faults.inject({
      kind: 'rate_limited',
      operation: 'contacts.upsert',
      waitMs,
      headers: 'seconds',
      times: 3,
    });
    const after = trial.stopAt('/upsert', 1);
    const begun = Date.now();
    const report = await trial.stopped();
    expect(Date.now() - begun).toBeLessThan(10_000);
    expect({ after, created: report.counts.created }).toEqual({ after: [], created: 0 });
  }
});

test('W8, W4: a call without an answer is of unknown outcome six seconds after the stop, and the next run finds its contact', async () => {
  const trial = createStopTrial(3);
  trial.service.faults.inject({ kind: 'hang', operation: 'contacts.upsert', when: 'after' });
  trial.stopAt('/upsert', 3);
  const report = await trial.stopped();
  expect(report).toMatchObject({ status: 'partial', counts: { created: 2, held: 1, set: 2 } });
  expect(Date.parse(report.endedAt) - Date.parse(report.startedAt)).toBeLessThan(10_000);
  trial.atEachInstant(() => {});
  await trial.start();
  await trial.run();
  expect(trial.contacts()).toHaveLength(3);
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 3 } });
});

test('W8: a decision that a stopped run did not reach stays for the next', async () => {
  const trial = createStopTrial(20, { conflict: 'manual' });
  await trial.run();
  for (let index = 0; index < 20; index += 1) {
    trial.type(`p${index}@firm.io`, 'Company', `Sheet ${index}`);
    trial.change(`p${index}@firm.io`, { company_name: `CRM ${index}` });
  }
  await trial.run();
  const ids = trial.contacts().map(({ uuid }) => `${uuid}/company_name`);
  for (const id of ids) await trial.cli('resolve', id, '--use', 'sheet');
  trial.stopAt('/leads/', 2);
  const { left = 0 } = (await trial.stopped()).stopped ?? {};
  expect(left).toBeGreaterThan(0);
  trial.atEachInstant(() => {});
  await trial.start();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { conflicts: 0 } });
  expect(trial.contacts().every(({ company_name: company }) => String(company).startsWith('Sheet'))).toBe(true);
});

test.each(['set', 'appended', 'removed'] as const)(
  'W8: rows that wait for a quota of Google are not %s after the stop',
  async (what) => {
    const trial = createStopTrial(10, { on_contact_deleted: 'delete_row' });
    await trial.run();
    if (what === 'set')
      for (const { uuid } of trial.contacts())
        trial.service.model.contacts.change(uuid, { fields: { company_name: 'Other' } });
    if (what === 'appended')
      for (let index = 0; index < 9; index += 1) trial.addContact({ first_name: 'C', email: `c${index}@firm.io` });
    if (what === 'removed')
      for (const { uuid } of trial.contacts().slice(0, 3)) trial.service.model.contacts.remove(uuid);
    const before = trial.grid();
    trial.sheets.faults.add({ effect: { type: 'status', status: 429 }, times: 8, match: { kind: 'write' } });
    let afterStop = 0;
    trial.atEachInstant((request) => {
      if (!(request instanceof Request)) return;
      if (trial.stop.signal.aborted) afterStop += 1;
      if (request.url.includes(':4020') && request.method === 'POST' && request.url.includes('atchUpdate')) {
        trial.stop.abort(new Error('stopped by SIGTERM'));
      }
    });
    const report = await trial.run({ signal: trial.stop.signal, isFull: true });
    expect({ afterStop, done: report.counts[what], grid: trial.grid() }).toEqual({
      afterStop: 0,
      done: 0,
      grid: before,
    });
    expect(report).toMatchObject({ status: 'partial', stopped: { done: 0 } });
    expect(report.stopped!.left).toBeGreaterThan(0);
    trial.atEachInstant(() => {});
    trial.sheets.faults.clear();
    await trial.start();
    expect(await trial.run({ isFull: true })).toMatchObject({
      status: 'succeeded',
      counts: { [what]: report.stopped!.left },
    });
  },
);

test('W8: the mark of an append that was under way stays for the next run, which removes it', async () => {
  const trial = createStopTrial(3);
  await trial.run();
  trial.addContact({ first_name: 'C', email: 'c@firm.io' });
  const marks = () => [...trial.file.content.metadataById.values()].filter(({ key }) => key !== 'c').length;
  let afterStop = 0;
  trial.atEachInstant((request) => {
    if (!(request instanceof Request) || !request.url.includes(':4020')) return;
    if (trial.stop.signal.aborted) afterStop += 1;
    if (request.url.includes(':batchUpdate')) trial.stop.abort(new Error('stopped by SIGTERM'));
  });
  expect(await trial.stopped()).toMatchObject({ counts: { appended: 1 } });
  expect([afterStop, marks()]).toEqual([0, 1]);
  trial.atEachInstant(() => {});
  await trial.start();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { appended: 0 } });
  expect(marks()).toBe(0);
});

test('W8, E3: enrolments that were not begun leave nothing in the ledger', async () => {
  const trial = createStopTrial(0, { automation: { column: 'Automation' } });
  const automation = trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
  trial.person.paste(`'${tabTitle}'!A1`, [['First name', 'Last name', 'Company', 'Email', 'Status', 'Automation']]);
  trial.person.paste(
    `'${tabTitle}'!A2`,
    people(12).map((cells) => [...cells, '', 'Welcome']),
  );
  trial.service.faults.inject({
    kind: 'rate_limited',
    operation: 'automations.add-new-lead',
    waitMs: 90_000,
    headers: 'seconds',
  });
  const after = trial.stopAt('/flows/', 2);
  const report = await trial.stopped();
  expect(after).toEqual([]);
  expect(report.counts.enrolled).toBeLessThan(12);
  trial.atEachInstant(() => {});
  await trial.start();
  await trial.run();
  await trial.run();
  const enrolled = trial
    .contacts()
    .filter(({ uuid }) => trial.service.model.automations.enrolment(automation.uuid, uuid));
  expect(enrolled).toHaveLength(12);
  expect(trial.grid().map((row) => String(row['Enrolment']).split(' ')[0])).toEqual(
    Array.from({ length: 12 }, () => 'enrolled'),
  );
});
