// Repeats of refused writes over hours (W5): the pauses grow for every kind of write, and a restart does not shorten them.
import { describe, expect, it } from 'vitest';
import { createSyncTrial, tabTitle, type TrialOptions } from '../support/app.ts';
import { repeats } from '../support/repeats.ts';
import { createEnrolmentTrial, rowOf } from './enrolment/support.ts';
import { protect, triesOf, unprotect } from './sheet-refusals.ts';

const minuteMs = 60_000;
const sheet = { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests', tab: tabTitle };
const names = ['ann', 'bob', 'cy', 'dee', 'eve'];

type Trial = Pick<Awaited<ReturnType<typeof inSync>>, 'run' | 'start' | 'columnIndexOf'>;

/** Runs of every minute for eight minutes, then of every sixteen, and a restart each hour; with REPEATS=all of every eight. */
async function runFor(minutes: number, { run, start }: Pick<Trial, 'run' | 'start'>): Promise<void> {
  for (let at = 0, hours = 1; at < minutes;) {
    if (at > hours * 60) {
      hours += 1;
      await start();
    }
    await run({ isAsked: false });
    const pause = at < 8 ? 1 : repeats(16, 8);
    await new Promise((resolve) => setTimeout(resolve, pause * minuteMs));
    at += pause;
  }
}

async function inSync(
  sync: Readonly<Record<string, unknown>> = {},
  options: Pick<TrialOptions, 'behaviour' | 'values'> = {},
) {
  const trial = createSyncTrial({
    values: [['First name', 'Last name', 'Company', 'Email', 'Status']],
    ...options,
    sync: { limits: { deletes: '100%', changes: '100%' }, settle_secs: 0, ...sync },
  });
  for (const name of names) trial.addContact({ first_name: name, company_name: 'Firm', email: `${name}@firm.io` });
  await trial.run();
  return trial;
}

// At 0, then 1, 5, 30 and 120 minutes after the one before: five calls and no sixth.
const callsInAll = 5;
const minutesInAll = 200;
const hourMinutes = 60;
/** Of the spreadsheet: the same, but for the first one. */
const triesAfterwards = callsInAll - 1;

/** The row of this contact. */
function rowsOf(trial: Awaited<ReturnType<typeof inSync>>, email: string) {
  const number = trial.rowNumberOf(email);
  return { startRowIndex: number - 1, endRowIndex: number };
}

function columnOf({ columnIndexOf }: Pick<Trial, 'columnIndexOf'>, header: string) {
  const startColumnIndex = columnIndexOf(header);
  return { startColumnIndex, endColumnIndex: startColumnIndex + 1 };
}

/** All below the rows that are there. */
const newRows = { startRowIndex: names.length, endRowIndex: 1000 };

describe('W5: refused writes are repeated after pauses that grow', () => {
  it('W5: deletions, each on its own, over restarts', async () => {
    const trial = await inSync({ on_row_deleted: 'delete_contact' });
    trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.delete', times: 9 });
    trial.person.deleteRows(tabTitle, 2, 3);
    const calls = () => trial.crmCalls('contacts.delete').length;
    await runFor(5, trial);
    expect(calls()).toBe(6);
    await trial.start();
    await runFor(4, trial);
    expect(calls()).toBe(9);
    await runFor(60, trial);
    expect({ calls: calls(), contacts: trial.contacts().length }).toEqual({ calls: 12, contacts: names.length - 3 });
  });

  it('W5: a deletion that is refused for good is quarantined, costs no call, and retry deletes', async () => {
    const trial = await inSync({ on_row_deleted: 'delete_contact' });
    const { uuid } = trial.contactOf('ann@firm.io');
    trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.delete', times: 100 });
    trial.person.deleteRows(tabTitle, trial.rowNumberOf('ann@firm.io'));
    await runFor(minutesInAll, trial);
    expect(trial.crmCalls('contacts.delete')).toHaveLength(callsInAll);
    const gets = trial.crmCalls('contacts.get').length;
    const state = trial.stateFiles();
    const report = await trial.run({ isAsked: false });
    expect(report).toMatchObject({ status: 'partial', counts: { deleted: 0, quarantined: 1 } });
    expect(report.problems).toEqual([expect.objectContaining({ kind: 'quarantined', rule: 'W5', uuid })]);
    expect({ gets: trial.crmCalls('contacts.get').length, state: trial.stateFiles() }).toEqual({ gets, state });
    trial.service.faults.clear();
    await trial.cli('retry', uuid);
    expect(await trial.run()).toMatchObject({ counts: { deleted: 1, appended: 0 } });
    expect(trial.contacts()).toHaveLength(names.length - 1);
  });

  it.each([
    ['an update', 'contacts.update'],
    ['a deletion', 'contacts.delete'],
    ['a new row', 'contacts.upsert'],
  ] as const)(
    'W5, L12: a retry of %s that fails for another reason waits for the next run, and is used once',
    async (what, operation) => {
      const trial = await inSync({ on_row_deleted: 'delete_contact' });
      const { uuid } = trial.contactOf('ann@firm.io');
      const refuse = () => trial.service.faults.inject({ kind: 'status', status: 422, operation, times: 100 });
      const calls = () => trial.crmCalls(operation).length;
      const pending = async () => (await (await trial.start()).store.sync('prospects').load()).requests.size;
      refuse();
      if (what === 'an update') trial.type('ann@firm.io', 'Company', 'Other');
      else if (what === 'a deletion') trial.person.deleteRows(tabTitle, trial.rowNumberOf('ann@firm.io'));
      else trial.person.paste(`'${tabTitle}'!A9`, [['Flo', 'Row', 'Firm', 'flo@firm.io']]);
      await runFor(minutesInAll, trial);
      expect(calls()).toBe(callsInAll);
      trial.service.faults.clear();
      await trial.cli('retry', what === 'a new row' ? 'row:9' : uuid);
      trial.service.faults.inject({ kind: 'rate_limited', operation, times: 30 });
      const { problems } = await trial.run();
      expect(problems.map(({ kind }) => kind)).not.toContain('quarantined');
      expect(await pending()).toBe(1);
      trial.service.faults.clear();
      refuse();
      const before = calls();
      for (let runs = 0; runs < 3; runs += 1) await trial.run();
      expect({ calls: calls() - before, pending: await pending() }).toEqual({ calls: 1, pending: 0 });
      trial.service.faults.clear();
      await trial.cli('retry');
      expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    },
  );

  it('W5, D2: a contact that changes while its deletion is paused gets its row back', async () => {
    const trial = await inSync({ on_row_deleted: 'delete_contact' });
    trial.service.faults.inject({ kind: 'status', status: 403, operation: 'contacts.delete', times: 1 });
    trial.person.deleteRows(tabTitle, trial.rowNumberOf('ann@firm.io'));
    await trial.run();
    trial.change('ann@firm.io', { company_name: 'Other' });
    expect(await trial.run()).toMatchObject({ counts: { deleted: 0, appended: 1 } });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: names.length } });
  });

  it('W5, D1: cancelling from all automations', async () => {
    const trial = await inSync({ on_row_deleted: 'cancel_automations' });
    trial.service.faults.inject({ kind: 'status', status: 422, operation: 'automations.cancel-all', times: 100 });
    trial.person.deleteRows(tabTitle, trial.rowNumberOf('ann@firm.io'));
    await runFor(minutesInAll, trial);
    expect(trial.crmCalls('automations.cancel-all')).toHaveLength(callsInAll);
  });

  it('W5, W9: cells that may not be edited, over restarts; the row says nothing meanwhile, and is written once it may be', async () => {
    const trial = await inSync({ sheet: { ...sheet, status_column: 'Sync' } });
    protect(trial, rowsOf(trial, 'ann@firm.io'));
    trial.change('ann@firm.io', { company_name: 'Other' });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { set: 0, held: 1 } });
    // Nothing is written between the tries but once that it is quarantined now.
    expect(await triesOf(trial, minutesInAll)).toEqual({ tries: triesAfterwards, news: 1 });
    const report = await trial.run({ isAsked: false });
    expect(report.problems).toEqual([expect.objectContaining({ kind: 'quarantined', rule: 'W5' })]);
    expect(report.problems[0]!.reason).toContain('may not edit the protected range');
    unprotect(trial);
    await trial.cli('retry', trial.contactOf('ann@firm.io').uuid);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 1 } });
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'Other', Sync: 'in sync' });
  });

  it('W5: an update and a create', async () => {
    const trial = await inSync();
    trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.update', times: 100 });
    trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.upsert', times: 100 });
    trial.type('ann@firm.io', 'Company', 'Other');
    trial.person.paste(`'${tabTitle}'!A9`, [['Flo', 'Row', 'Firm', 'flo@firm.io']]);
    await runFor(minutesInAll, trial);
    const calls = (operation: string) => trial.crmCalls(operation).length;
    expect({ updates: calls('contacts.update'), creates: calls('contacts.upsert') }).toEqual({
      updates: callsInAll,
      creates: callsInAll,
    });
  });

  it('W5, E5: cancelling a withdrawn wish; the new wish waits for it', async () => {
    const trial = createEnrolmentTrial({ automation: { on_clear: 'cancel' }, sync: { settle_secs: 0 } });
    await trial.run();
    trial.person.paste(`'${tabTitle}'!A2`, [rowOf('ann@firm.io', 'Welcome')]);
    await trial.run();
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    trial.service.faults.inject({ kind: 'status', status: 422, operation: 'automations.cancel', times: 100 });
    trial.type('ann@firm.io', 'Automation', 'Nurture');
    await runFor(minutesInAll, trial);
    expect(trial.callsOf('automations.cancel')).toBe(callsInAll);
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    trial.service.faults.clear();
    expect(await trial.cli('retry', trial.contactOf('ann@firm.io').uuid)).toMatchObject({ code: 0, stderr: '' });
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Nurture active', 'ann@firm.io Welcome cancelled']);
  });

  it('W5, E5, L12: a retry of a refused cancelling that fails for another reason waits for the next run, and is used once', async () => {
    const trial = createEnrolmentTrial({ automation: { on_clear: 'cancel' }, sync: { settle_secs: 0 } });
    await trial.run();
    trial.person.paste(`'${tabTitle}'!A2`, [rowOf('ann@firm.io', 'Welcome')]);
    await trial.run();
    await trial.run();
    const operation = 'automations.cancel';
    trial.service.faults.inject({ kind: 'status', status: 422, operation, times: 100 });
    trial.type('ann@firm.io', 'Automation', '');
    await runFor(minutesInAll, trial);
    trial.service.faults.clear();
    await trial.cli('retry', trial.contactOf('ann@firm.io').uuid);
    trial.service.faults.inject({ kind: 'rate_limited', operation, times: 30 });
    await trial.run();
    trial.service.faults.clear();
    for (let runs = 0; runs < 2; runs += 1) await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome cancelled']);
    expect((await (await trial.start()).store.sync('prospects').load()).requests.size).toBe(0);
  });

  it('W5, E5: such a retry is over once the cancelling is answered, also where another call for the contact fails in that run', async () => {
    const trial = createEnrolmentTrial({ automation: { on_clear: 'cancel' }, sync: { settle_secs: 0 } });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    trial.service.faults.inject({ kind: 'status', status: 422, operation: 'automations.cancel', times: 1 });
    trial.type('ann@firm.io', 'Automation', '');
    await trial.run();
    await trial.cli('retry', trial.contactOf('ann@firm.io').uuid);
    trial.service.faults.inject({ kind: 'status', status: 503, operation: 'contacts.update', times: 30 });
    trial.type('ann@firm.io', 'Company', 'Other');
    expect((await trial.run()).problems).toMatchObject([{ kind: 'failed', field: null }]);
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome cancelled']);
    expect((await (await trial.start()).store.sync('prospects').load()).requests.size).toBe(0);
  });
});

describe('W5: what the spreadsheet refuses is tried again after pauses that grow', () => {
  it('W5, W9: rows for new contacts, over restarts; told with what to do, and added once retry is said', async () => {
    const trial = await inSync();
    protect(trial, newRows);
    const flo = trial.addContact({ first_name: 'Flo', company_name: 'Firm', email: 'flo@firm.io' });
    const first = await trial.run();
    expect(first).toMatchObject({ status: 'partial', counts: { appended: 0, held: 1 } });
    expect(first.problems).toEqual([expect.objectContaining({ kind: 'refused', rule: 'W5', uuid: flo.uuid })]);
    expect(first.problems[0]!.reason).toMatch(
      /^its row could not be added: .* may not edit the protected range .*: leadsheet retry /,
    );
    expect(await triesOf(trial, minutesInAll)).toEqual({ tries: triesAfterwards, news: 0 });
    const report = await trial.run({ isAsked: false });
    expect(report.problems).toEqual([expect.objectContaining({ kind: 'quarantined', rule: 'W5', uuid: flo.uuid })]);
    unprotect(trial);
    expect(await trial.cli('retry', flo.uuid)).toMatchObject({ code: 0, stderr: '' });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { appended: 1 } });
    expect(trial.rowOf('flo@firm.io')).toMatchObject({ Company: 'Firm' });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { appended: 0 } });
  });

  it('W5: a new contact is added by itself when its pause is over; what else is new, or changed, is tried at once', async () => {
    const trial = await inSync();
    protect(trial, newRows);
    trial.addContact({ first_name: 'Flo', company_name: 'Firm', email: 'flo@firm.io' });
    await trial.run();
    await triesOf(trial, 2, 2);
    const writesOf = async (act: () => void) => {
      act();
      const before = trial.writes().sheet;
      await trial.run();
      return trial.writes().sheet - before;
    };
    expect(await writesOf(() => {})).toBe(0);
    expect(await writesOf(() => trial.change('flo@firm.io', { company_name: 'Other' }))).toBeGreaterThan(0);
    expect(await writesOf(() => {})).toBe(0);
    expect(await writesOf(() => void trial.addContact({ first_name: 'Gus', email: 'gus@firm.io' }))).toBeGreaterThan(0);
    expect(await writesOf(() => {})).toBe(0);
    unprotect(trial);
    expect(await writesOf(() => {})).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, minuteMs));
    expect(await trial.run({ isAsked: false })).toMatchObject({ status: 'succeeded', counts: { appended: 2 } });
    expect(trial.rowOf('flo@firm.io')).toMatchObject({ Company: 'Other' });
  });

  it('W5: new rows that Google refuses for another reason, each of them, also those that were not tried one by one', async () => {
    const trial = await inSync();
    const added = Array.from({ length: 12 }, (_, index) => trial.addContact({ email: `new${index}@firm.io` }));
    const match = { operation: 'spreadsheets.batchUpdate' };
    trial.sheets.faults.add({ effect: { type: 'status', status: 400 }, times: 1_000, match });
    const { problems } = await trial.run();
    expect(problems.map(({ kind, rule }) => `${kind} ${rule}`)).toEqual(added.map(() => 'refused W5'));
    const planned = await trial.plan();
    expect(planned.changes).toEqual([]);
    expect(planned.problems.map(({ kind }) => kind)).toEqual(added.map(() => 'refused'));
    expect(await triesOf(trial, hourMinutes)).toEqual({ tries: 3, news: 0 });
    trial.sheets.faults.clear();
    await trial.cli('retry');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { appended: added.length } });
  });

  it('W5, L8: the ID of a contact that was created for a row: it is created once', async () => {
    const trial = await inSync();
    protect(trial, newRows);
    trial.person.paste(`'${tabTitle}'!A9`, [['Flo', 'Row', 'Firm', 'flo@firm.io']]);
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { created: 1, set: 0 } });
    expect(await triesOf(trial, minutesInAll)).toEqual({ tries: triesAfterwards, news: 1 });
    expect(trial.contacts()).toHaveLength(names.length + 1);
    unprotect(trial);
    await trial.cli('retry');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 0, set: 1 } });
    expect(trial.rowOf('flo@firm.io')['Contact ID']).toBe(trial.contactOf('flo@firm.io').uuid);
  });

  it('W5: the status of a row that is nobody’s contact yet', async () => {
    const trial = await inSync({ sheet: { ...sheet, status_column: 'Sync' } });
    protect(trial, newRows);
    trial.person.paste(`'${tabTitle}'!A9`, [['Nobody', 'Yet', 'Firm']]);
    const { problems } = await trial.run();
    expect(problems.map(({ kind, rule, row }) => [kind, rule, row])).toEqual([
      ['waiting', 'I2', 9],
      ['refused', 'W5', null],
    ]);
    expect(await triesOf(trial, hourMinutes)).toEqual({ tries: 3, news: 0 });
  });

  it('W5, D1: the row of a contact that is to be restored', async () => {
    const trial = await inSync({ on_row_deleted: 'restore' });
    trial.person.deleteRows(tabTitle, trial.rowNumberOf('ann@firm.io'));
    protect(trial, { startRowIndex: names.length - 1, endRowIndex: 999 });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { appended: 0 } });
    expect(await triesOf(trial, minutesInAll)).toEqual({ tries: triesAfterwards, news: 0 });
    trial.service.received.clear();
    await trial.run({ isAsked: false });
    expect(trial.crmCalls()).toHaveLength(1);
    unprotect(trial);
    await trial.cli('retry', trial.contactOf('ann@firm.io').uuid);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { appended: 1 } });
  });

  it('W5, D3: rows of contacts that are gone, over restarts, whether the run reads all contacts or not', async () => {
    const trial = await inSync({ on_contact_deleted: 'delete_row' });
    const { uuid } = trial.contactOf('ann@firm.io');
    protect(trial, rowsOf(trial, 'ann@firm.io'));
    trial.service.model.contacts.remove(uuid);
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'partial', counts: { removed: 0, held: 1 } });
    let runs = 0;
    const run = () => trial.run({ isAsked: false, isFull: (runs += 1) % 2 === 0 });
    expect(await triesOf({ ...trial, run }, minutesInAll, 4)).toEqual({ tries: triesAfterwards, news: 0 });
    for (const isFull of [true, false]) {
      const { problems } = await trial.run({ isAsked: false, isFull });
      expect(problems).toEqual([expect.objectContaining({ kind: 'quarantined', rule: 'W5', uuid })]);
      expect(problems[0]!.reason).toMatch(/^its row could not be deleted: .*: leadsheet retry /);
    }
    unprotect(trial);
    await trial.cli('retry', uuid);
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { removed: 1 } });
    expect(trial.grid()).toHaveLength(names.length - 1);
  });

  it('W5: the row of a contact that is gone is tried at once when it stands elsewhere', async () => {
    const trial = await inSync({ on_contact_deleted: 'delete_row' });
    const { uuid } = trial.contactOf('ann@firm.io');
    const { startRowIndex, endRowIndex } = rowsOf(trial, 'ann@firm.io');
    protect(trial, { startRowIndex, endRowIndex });
    trial.service.model.contacts.remove(uuid);
    await trial.run({ isFull: true });
    trial.person.request({
      moveDimension: {
        source: { sheetId: 7, dimension: 'ROWS', startIndex: startRowIndex, endIndex: endRowIndex },
        destinationIndex: names.length + 1,
      },
    });
    const before = trial.writes().sheet;
    await trial.run({ isFull: true });
    expect(trial.writes().sheet).toBeGreaterThan(before);
  });

  it('W5, W9: the status column alone: one problem names the rows, and the cells are written once they may be', async () => {
    const trial = await inSync({ sheet: { ...sheet, status_column: 'Sync' } });
    protect(trial, columnOf(trial, 'Sync'));
    const [upper, lower] = trial.grid().map(({ Email }) => String(Email));
    for (const email of [upper!, lower!]) {
      trial.type(email, 'Company', 'Mine');
      trial.change(email, { company_name: 'Theirs' });
    }
    const first = await trial.run();
    expect(first.problems.map(({ kind, rule, row }) => [kind, rule, row])).toEqual([
      ['conflict', 'M1', 2],
      ['conflict', 'M1', 3],
      ['refused', 'W5', null],
    ]);
    expect(first.problems[2]!.reason).toMatch(/^Sync of rows 2, 3 could not be written: .*: leadsheet retry$/);
    expect(await triesOf(trial, minutesInAll)).toEqual({ tries: triesAfterwards, news: 0 });
    expect((await trial.run()).problems[2]).toMatchObject({ kind: 'quarantined', rule: 'W5' });
    unprotect(trial);
    expect(await trial.cli('retry')).toMatchObject({ code: 0, stderr: '' });
    await trial.run();
    expect(trial.rowOf(upper!)['Sync']).toMatch(/^conflict: /);
    expect(await trial.run()).toMatchObject({ counts: { conflicts: 2, quarantined: 0 } });
  });

  /** Google may refuse what leaves a protected cell alone, or may not (docs/standin-sheets.md). */
  const sparing = { behaviour: { skippedCellsAreProtected: false } };

  it('W5, L4: a row whose status may not be written gets its values all the same', async () => {
    const trial = await inSync({ sheet: { ...sheet, status_column: 'Sync' } }, sparing);
    protect(trial, columnOf(trial, 'Sync'));
    trial.type('ann@firm.io', 'Company', 'Mine');
    trial.change('ann@firm.io', { company_name: 'Theirs', last_name: 'Lee' });
    const report = await trial.run();
    expect(report).toMatchObject({ counts: { set: 1, conflicts: 1 } });
    expect(report.problems.map(({ rule, field }) => [rule, field])).toEqual([
      ['M1', 'company_name'],
      ['W5', 'Sync'],
    ]);
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ 'Last name': 'Lee', Company: 'Mine', Sync: 'in sync' });
    expect(await triesOf(trial, 4, 2)).toEqual({ tries: 1, news: 0 });
    trial.change('ann@firm.io', { first_name: 'Anna' });
    expect(await trial.run()).toMatchObject({ counts: { set: 1 } });
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ 'First name': 'Anna', Sync: 'in sync' });
  });

  it('W5, W9: where a protected column keeps whole rows from being written, each row waits and is named', async () => {
    const trial = await inSync({ sheet: { ...sheet, status_column: 'Sync' } });
    protect(trial, columnOf(trial, 'Sync'));
    for (const name of names) trial.change(`${name}@firm.io`, { last_name: 'Lee' });
    const { problems } = await trial.run();
    expect(problems.map(({ kind, rule }) => [kind, rule])).toEqual(names.map(() => ['refused', 'W5']));
    expect(new Set(problems.map(({ reason }) => /may not edit the protected range [A-Z]:[A-Z]/.test(reason)))).toEqual(
      new Set([true]),
    );
    expect(await triesOf(trial, minutesInAll)).toEqual({ tries: triesAfterwards, news: 1 });
  });

  it('W5, W2, E3: the result column: the new contact is enrolled once, and its row gets its ID', async () => {
    const trial = createEnrolmentTrial({ sync: { settle_secs: 0 }, ...sparing });
    await trial.run();
    protect(trial, columnOf(trial, 'Enrolment'));
    trial.person.paste(`'${tabTitle}'!A2`, [rowOf('ann@firm.io', 'Welcome')]);
    await trial.run();
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    expect(trial.rowOf('ann@firm.io')['Contact ID']).toBe(trial.contactOf('ann@firm.io').uuid);
    expect(await triesOf(trial, minutesInAll)).toEqual({ tries: triesAfterwards, news: 0 });
    expect((await trial.run()).problems).toEqual([
      expect.objectContaining({ kind: 'quarantined', rule: 'W5', field: 'Enrolment' }),
    ]);
    unprotect(trial);
    await trial.cli('retry');
    await trial.run();
    expect(trial.resultOf('ann@firm.io')).toMatch(/^enrolled/);
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
  });
});

/** `G2`, of a column with one letter. */
function cellOf(trial: Awaited<ReturnType<typeof inSync>>, email: string, header: string): string {
  return `'${tabTitle}'!${String.fromCodePoint(65 + trial.columnIndexOf(header))}${trial.rowNumberOf(email)}`;
}

const formula = '="Sel"&"ler"';
const withStatus = { sheet: { ...sheet, status_column: 'Sync' } };
/** In columns that leadsheet makes, a formula that is typed is text. */
const ofPeople = { values: [['First name', 'Last name', 'Company', 'Email', 'Status', 'Sync', 'Contact ID']] };

describe('V5, W9: a formula in a cell of leadsheet', () => {
  it('L4: in the status cell keeps no other cell from being written, costs no write, and is told until it is cleared', async () => {
    const trial = await inSync(withStatus, ofPeople);
    trial.person.type(cellOf(trial, 'ann@firm.io', 'Sync'), formula);
    trial.change('ann@firm.io', { company_name: 'Other' });
    const number = trial.rowNumberOf('ann@firm.io');
    const reason = `Sync of row ${number} holds a formula, which is never written over: clear the cell`;
    const told = { status: 'partial', problems: [{ kind: 'held', rule: 'V5', field: 'Sync', reason }] };
    expect(await trial.run()).toMatchObject({ ...told, counts: { set: 1 } });
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'Other', Sync: 'Seller' });
    const before = [trial.writes().sheet, trial.stateFiles()];
    expect(await trial.run({ isFull: true })).toMatchObject(told);
    await trial.start();
    expect(await trial.run()).toMatchObject(told);
    expect([trial.writes().sheet, trial.stateFiles()]).toEqual(before);
    trial.type('ann@firm.io', 'Sync', '');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.rowOf('ann@firm.io')['Sync']).toBe('in sync');
  });

  it('L4: in the status cell of a new row does not keep the row from its ID', async () => {
    const trial = await inSync(withStatus, ofPeople);
    const next = names.length + 2;
    trial.person.paste(`'${tabTitle}'!A${next}`, [['Flo', '', 'Firm', 'flo@firm.io']]);
    trial.person.type(`'${tabTitle}'!${String.fromCodePoint(65 + trial.columnIndexOf('Sync'))}${next}`, formula);
    expect(await trial.run()).toMatchObject({ counts: { created: 1 }, problems: [{ rule: 'V5', field: 'Sync' }] });
    expect(trial.rowOf('flo@firm.io')['Contact ID']).toBe(trial.contactOf('flo@firm.io').uuid);
  });

  it('W5: in the ID cell is told, and is tried again after pauses that grow', async () => {
    const trial = await inSync(withStatus, ofPeople);
    const next = names.length + 2;
    trial.person.paste(`'${tabTitle}'!A${next}`, [['Flo', '', 'Firm', 'flo@firm.io']]);
    trial.person.type(`'${tabTitle}'!${String.fromCodePoint(65 + trial.columnIndexOf('Contact ID'))}${next}`, '=""&""');
    const { uuid } = await trial.run().then(() => trial.contactOf('flo@firm.io'));
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'refused', rule: 'W5', uuid, row: next }]);
    expect(problems[0]!.reason).toContain('its ID cell holds a formula, which is never written over: clear the cell');
    expect(await triesOf(trial, hourMinutes)).toEqual({ tries: expect.any(Number), news: 0 });
    trial.type('flo@firm.io', 'Contact ID', '');
    await trial.cli('retry', uuid);
    await trial.run();
    expect(trial.rowOf('flo@firm.io')['Contact ID']).toBe(uuid);
    expect(trial.contacts()).toHaveLength(names.length + 1);
  });
});

describe('W5, L6: a cell of leadsheet that a merge covers', () => {
  it('W9: is refused with its reason, and is written once the merge is gone and its pause is over', async () => {
    const trial = await inSync(withStatus);
    const range = { sheetId: 7, startRowIndex: 1, endRowIndex: 3, ...columnOf(trial, 'Sync') };
    trial.person.request({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
    const { problems, status } = await trial.run();
    expect(status).toBe('partial');
    expect(problems).toMatchObject([{ kind: 'refused', rule: 'W5', field: 'Sync' }]);
    expect(problems[0]!.reason).toContain('Sync of row 3 could not be written: it shows nothing after it was written');
    expect((await triesOf(trial, hourMinutes)).tries).toBeLessThanOrEqual(callsInAll - 1);
    trial.person.request({ unmergeCells: { range } });
    await triesOf(trial, 3 * hourMinutes);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.grid().map(({ Sync }) => Sync)).toEqual(names.map(() => 'in sync'));
  });

  it('W5, W9: so is an ID, and the contact stays known as the one of its row', async () => {
    const trial = await inSync();
    const range = { sheetId: 7, startRowIndex: 1, endRowIndex: 3, ...columnOf(trial, 'Contact ID') };
    const { uuid } = trial.contactOf(String(trial.grid()[1]!['Email']));
    trial.person.request({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'refused', rule: 'W5', uuid, row: 3 }]);
    expect(problems[0]!.reason).toContain('its ID cell could not be written: it shows nothing after it was written');
    const { tries, news } = await triesOf(trial, hourMinutes);
    expect([tries <= callsInAll - 1, news]).toEqual([true, 0]);
    trial.person.request({ unmergeCells: { range } });
    await trial.cli('retry', uuid);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.grid()[1]).toMatchObject({ 'Contact ID': uuid });
    expect(trial.contacts()).toHaveLength(names.length);
  });

  it('L1, L12: cells that are written with such an ID are told as written, and are nobody’s edits', async () => {
    const trial = await inSync({ conflict: 'sheet' });
    const range = { sheetId: 7, startRowIndex: 1, endRowIndex: 3, ...columnOf(trial, 'Contact ID') };
    const email = String(trial.grid()[1]!['Email']);
    trial.person.request({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
    trial.change(email, { company_name: 'Second' });
    const { run, problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'refused', rule: 'W5', row: 3 }]);
    const told = (await trial.history()).filter((line) => line.run === run);
    expect(told.map(({ field, outcome, linked }) => [field, outcome, linked])).toEqual([
      ['company_name', 'done', undefined],
      [null, 'refused', undefined],
    ]);
    expect(trial.grid()[1]).toMatchObject({ Company: 'Second' });
    trial.change(email, { company_name: 'Third' });
    await trial.run();
    expect(trial.contactOf(email)).toMatchObject({ company_name: 'Third' });
    expect(trial.grid()[1]).toMatchObject({ Company: 'Third' });
    expect(await triesOf(trial, hourMinutes)).toEqual({ tries: callsInAll - 2, news: 0 });
  });

  it('M1, L12, W5: a decision whose cell is written with such an ID is carried out, and waits for nothing', async () => {
    const trial = await inSync({ conflict: 'manual' });
    const range = { sheetId: 7, startRowIndex: 1, endRowIndex: 3, ...columnOf(trial, 'Contact ID') };
    const email = String(trial.grid()[1]!['Email']);
    trial.type(email, 'Company', 'Ours');
    trial.change(email, { company_name: 'Second' });
    await trial.run();
    trial.person.request({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
    await trial.cli('resolve', `${trial.contactOf(email).uuid}/company_name`, '--use', 'crm');
    expect(await trial.run()).toMatchObject({ problems: [{ kind: 'refused', rule: 'W5', row: 3 }] });
    expect(trial.grid()[1]).toMatchObject({ Company: 'Second' });
    const { store } = await trial.start();
    expect((await store.sync('prospects').load()).requests.size).toBe(0);
    trial.type(email, 'Company', 'Ours again');
    trial.change(email, { company_name: 'Third' });
    const { problems } = await trial.run();
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'conflict', field: 'company_name' }));
    expect(trial.grid()[1]).toMatchObject({ Company: 'Ours again' });
  });
});

it('W5, L4: a status outside the only ranges that may be edited keeps no other cell of its row from being written', async () => {
  const trial = await inSync(withStatus, { behaviour: { skippedCellsAreProtected: false } });
  const { startColumnIndex } = columnOf(trial, 'Sync');
  const protectedRange = {
    protectedRangeId: 77,
    range: { sheetId: 7 },
    unprotectedRanges: [{ sheetId: 7, startColumnIndex: 0, endColumnIndex: startColumnIndex }],
  };
  trial.person.request({ addProtectedRange: { protectedRange } });
  trial.type('ann@firm.io', 'First name', 'Anna');
  trial.change('ann@firm.io', { first_name: 'Anne', company_name: 'Other' });
  const { problems, counts } = await trial.run();
  expect(counts.set).toBe(1);
  expect(problems).toMatchObject([{ kind: 'conflict' }, { kind: 'refused', rule: 'W5', field: 'Sync' }]);
  expect(trial.rowOf('ann@firm.io')).toMatchObject({ Company: 'Other', Sync: 'in sync' });
  expect((await triesOf(trial, hourMinutes)).tries).toBeLessThanOrEqual(callsInAll - 1);
});
