// Repeats of refused writes over hours (W5): the pauses grow for every kind of write, and a restart does not shorten them.
import { describe, expect, it } from 'vitest';
import { createSyncTrial, tabTitle } from '../support/app.ts';
import { createEnrolmentTrial, rowOf } from './enrolment/support.ts';

const minuteMs = 60_000;
const sheet = { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests', tab: tabTitle };
const names = ['ann', 'bob', 'cy', 'dee', 'eve'];

type Trial = Pick<Awaited<ReturnType<typeof inSync>>, 'run' | 'start'>;

/** Runs of every minute for eight minutes, then of every eight, and a restart each hour. */
async function runFor(minutes: number, { run, start }: Trial): Promise<void> {
  for (let at = 0, hours = 1; at < minutes;) {
    if (at > hours * 60) {
      hours += 1;
      await start();
    }
    await run({ isAsked: false });
    const pause = at < 8 ? 1 : 8;
    await new Promise((resolve) => setTimeout(resolve, pause * minuteMs));
    at += pause;
  }
}

async function inSync(sync: Readonly<Record<string, unknown>> = {}) {
  const trial = createSyncTrial({
    values: [['First name', 'Last name', 'Company', 'Email', 'Status']],
    sync: { limits: { deletes: '100%', changes: '100%' }, settle_secs: 0, ...sync },
  });
  for (const name of names) trial.addContact({ first_name: name, company_name: 'Firm', email: `${name}@firm.io` });
  await trial.run();
  return trial;
}

// At 0, then 1, 5, 30 and 120 minutes after the one before: five calls and no sixth.
const callsInAll = 5;
const minutesInAll = 200;

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
    const rowIndex = trial.rowNumberOf('ann@firm.io') - 1;
    const range = { sheetId: 7, startRowIndex: rowIndex, endRowIndex: rowIndex + 1 };
    trial.person.request({ addProtectedRange: { protectedRange: { protectedRangeId: 77, range } } });
    trial.change('ann@firm.io', { company_name: 'Other' });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { set: 0, held: 1 } });
    // Tries: at 0, then 1, 5, 30 and 120 minutes after the one before. Between them nothing is written, to no side and no file,
    // but once that it is quarantined now.
    let tries = 1;
    let news = 0;
    let quiet = { writes: trial.writes(), state: trial.stateFiles() };
    for (let at = 0; at < minutesInAll; at += 2) {
      if (at % 60 === 58) await trial.start();
      await new Promise((resolve) => setTimeout(resolve, 2 * minuteMs));
      await trial.run({ isAsked: false });
      const now = { writes: trial.writes(), state: trial.stateFiles() };
      if (now.writes.sheet > quiet.writes.sheet) tries += 1;
      else if (JSON.stringify(now) !== JSON.stringify(quiet)) news += 1;
      quiet = now;
    }
    expect({ tries, news }).toEqual({ tries: callsInAll, news: 1 });
    const report = await trial.run({ isAsked: false });
    expect(report.problems).toEqual([expect.objectContaining({ kind: 'quarantined', rule: 'W5' })]);
    expect(report.problems[0]!.reason).toContain('may not edit the protected range');
    trial.person.request({ deleteProtectedRange: { protectedRangeId: 77 } });
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
});
