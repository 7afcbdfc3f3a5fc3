// W5, W9 for an outbox: a spreadsheet that refuses is asked again after pauses that grow, the last of which repeats.
import { describe, expect, it } from 'vitest';
import { protect, triesOf, unprotect } from '../sheet-refusals.ts';
import { createOutboxTrial, headers, type OutboxOptions } from './support.ts';

const hourMinutes = 60;
const hours = 5;
/** Between two runs. */
const stepMinutes = 10;
/** After 1, 5, 30 and 120 minutes, and each two hours after that. */
const triesInAll = 3 + 2;
const row = ['ann@firm.io', 'Sales', 'Hello', 'yes'];

function createTrial(
  behaviour?: { readonly skippedCellsAreProtected: boolean },
  more: Pick<OutboxOptions, 'headers'> = {},
) {
  const trial = createOutboxTrial({ outbox: { settle_secs: 0 }, ...(behaviour && { behaviour }), ...more });
  return { ...trial, stateName: 'messages' };
}

type Trial = ReturnType<typeof createTrial>;

async function withRow(trial: Trial): Promise<void> {
  await trial.run();
  trial.person.paste("'Prospects'!A2", [row]);
}

function columnOf({ columnIndexOf }: Trial, header: string) {
  const startColumnIndex = columnIndexOf(header);
  return { startColumnIndex, endColumnIndex: startColumnIndex + 1 };
}

/** In columns that leadsheet makes, a formula that is typed is text. */
const ofPeople = { headers: [...headers, 'Sync', 'Outbox ID'] };

describe('W5, W9: what the spreadsheet refuses an outbox', () => {
  it('P2: the ID of a row: nothing is sent, the ledger does not grow, and it is sent once the ID may be written', async () => {
    const trial = createTrial();
    await withRow(trial);
    protect(trial, { startRowIndex: 1, endRowIndex: 2 });
    const first = await trial.run();
    expect(first).toMatchObject({ status: 'partial', counts: { sent: 0 } });
    expect(first.problems.filter(({ rule }) => rule === 'W5')).toEqual([
      expect.objectContaining({
        kind: 'refused',
        reason: expect.stringMatching(/^.+ of row 2 could not be written: /),
      }),
    ]);
    const { tries } = await triesOf(trial, hours * hourMinutes, stepMinutes);
    expect({ tries, sends: trial.sends() }).toEqual({ tries: expect.any(Number), sends: 0 });
    // The ID and the status have pauses of their own.
    expect(tries).toBeLessThanOrEqual(2 * triesInAll);
    expect(Object.keys(await trial.ledger())).toHaveLength(1);
    unprotect(trial);
    await triesOf(trial, 2 * hourMinutes, stepMinutes);
    expect(trial.sent()).toEqual(['ann: Hello']);
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hello']);
  });

  it('P2: a try of the ID that Google did not answer ends no pause: the next refusal has the longer one', async () => {
    const trial = createTrial();
    await withRow(trial);
    protect(trial, columnOf(trial, 'Outbox ID'));
    await trial.run();
    // Refused a second time, after a minute.
    expect(await triesOf(trial, 1, 1)).toMatchObject({ tries: 1 });
    const lost = { effect: { type: 'status', status: 503 }, when: 'before', times: 99 } as const;
    trial.sheets.faults.add({ ...lost, match: { kind: 'write' } });
    await triesOf(trial, 5, 5);
    trial.sheets.faults.clear();
    await trial.run();
    expect((await triesOf(trial, 20, stepMinutes)).tries).toBe(0);
    expect((await triesOf(trial, 10, stepMinutes)).tries).toBe(1);
    unprotect(trial);
    await triesOf(trial, 3 * hourMinutes, stepMinutes);
    expect(trial.sent()).toEqual(['ann: Hello']);
  });

  it('P5: what became of a message is told later, and it is sent once', async () => {
    const trial = createTrial({ skippedCellsAreProtected: false });
    await withRow(trial);
    protect(trial, columnOf(trial, 'Sent at'));
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hello']);
    const { problems } = await trial.run();
    expect(problems).toEqual([expect.objectContaining({ kind: 'refused', rule: 'W5', row: 2, id: 'row:2' })]);
    const { tries } = await triesOf(trial, hourMinutes, stepMinutes);
    expect(tries).toBeLessThanOrEqual(4);
    unprotect(trial);
    await triesOf(trial, 3 * hourMinutes, stepMinutes);
    expect(trial.rowWith('Hello')['Sent at']).toBeDefined();
    expect(trial.sent()).toEqual(['ann: Hello']);
  });

  it('L4, P5: the cells are written although the status column is protected', async () => {
    const trial = createTrial({ skippedCellsAreProtected: false });
    await withRow(trial);
    protect(trial, columnOf(trial, 'Sync'));
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hello']);
    expect(trial.rowWith('Hello')['Sent at']).toBeDefined();
    const { tries } = await triesOf(trial, hourMinutes, stepMinutes);
    expect(tries).toBeLessThanOrEqual(4);
    expect((await trial.run()).problems).toEqual([
      expect.objectContaining({ kind: 'refused', rule: 'W5', field: 'Sync' }),
    ]);
  });

  it('V5, L4: a formula in the status cell does not keep a row from being told what was sent', async () => {
    const trial = createTrial(undefined, ofPeople);
    await withRow(trial);
    trial.person.type(trial.cellOf('Hello', 'Sync'), '="mi"&"ne"');
    const told = { status: 'partial', problems: [{ kind: 'held', rule: 'V5', field: 'Sync' }] };
    expect(await trial.run()).toMatchObject({ ...told, counts: { sent: 1 } });
    expect(trial.rowWith('Hello')).toMatchObject({ Sync: 'mine', 'Sent at': expect.any(String) });
    // What the service says of the message later is told as well.
    await triesOf(trial, hourMinutes, stepMinutes);
    expect(await triesOf(trial, hourMinutes, stepMinutes)).toEqual({ tries: 0, news: 0 });
  });

  it('V5, P2: a formula in the ID cell is told, and nothing is sent until it is cleared', async () => {
    const trial = createTrial(undefined, ofPeople);
    await withRow(trial);
    trial.person.type(trial.cellOf('Hello', 'Outbox ID'), '=""&""');
    const { problems } = await trial.run();
    expect(problems.map(({ reason }) => reason)).toContainEqual(
      expect.stringContaining('Outbox ID of row 2 could not be written: its ID cell holds a formula'),
    );
    await triesOf(trial, hourMinutes, stepMinutes);
    expect(trial.sends()).toBe(0);
    trial.person.clear(trial.cellOf('Hello', 'Outbox ID'));
    await triesOf(trial, 2 * hourMinutes, stepMinutes);
    expect(trial.sent()).toEqual(['ann: Hello']);
  });

  it('L6, P5: a cell that a merge covers is refused, and is not written by every run', async () => {
    const trial = createTrial();
    await withRow(trial);
    trial.person.paste("'Prospects'!A3", [['bob@firm.io', 'Sales', 'Second', '']]);
    await trial.run();
    const range = { sheetId: 7, startRowIndex: 1, endRowIndex: 3, ...columnOf(trial, 'Delivery') };
    trial.person.request({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
    trial.put('Second', 'Send', 'yes');
    await trial.run();
    const { tries } = await triesOf(trial, hourMinutes, stepMinutes);
    expect(tries).toBeLessThanOrEqual(4);
    expect(trial.sent()).toEqual(['ann: Hello', 'bob: Second']);
  });

  it('L6, P2: so is an ID that a merge covers, and its row is not sent', async () => {
    const trial = createTrial();
    await withRow(trial);
    const range = { sheetId: 7, startRowIndex: 1, endRowIndex: 3, ...columnOf(trial, 'Outbox ID') };
    trial.person.request({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
    trial.person.paste("'Prospects'!A3", [['bob@firm.io', 'Sales', 'Second', 'yes']]);
    const { problems } = await trial.run();
    expect(problems).toContainEqual(
      expect.objectContaining({ kind: 'refused', rule: 'W5', reason: expect.stringContaining('it shows nothing') }),
    );
    const { tries } = await triesOf(trial, hourMinutes, stepMinutes);
    expect(tries).toBeLessThanOrEqual(4);
    expect(trial.sent()).not.toContain('bob: Second');
  });
});

describe('V3, P4: a cell of a message that a merge covers', () => {
  const columns = { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'body', Subject: 'subject', Cc: 'cc' };
  const ofEmails = { headers: [...headers, 'Subject', 'Cc'], outbox: { resource: 'emails', columns, settle_secs: 0 } };
  const mail = (to: string, text: string, subject: string) => [to, 'Sales', text, 'yes', subject, ''];

  /** Both rows show the subject of the first. */
  function merged() {
    const trial = createOutboxTrial(ofEmails);
    const range = { sheetId: 7, startRowIndex: 1, endRowIndex: 3, startColumnIndex: 4, endColumnIndex: 5 };
    const hide = async () => {
      await trial.ready(mail('ann@firm.io', 'Hello', 'Lunch'), mail('bob@firm.io', 'Second', 'Lunch'));
      trial.person.request({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
    };
    return { ...trial, hide, show: () => trial.person.request({ unmergeCells: { range } }) };
  }

  it('is no blank one: the e-mail does not go out without its subject, and goes once nothing covers it', async () => {
    const trial = merged();
    await trial.hide();
    const told = 'unreadable: Subject shows nothing, since merged cells cover it: unmerge them';
    expect(await trial.run()).toMatchObject({
      status: 'partial',
      problems: [{ kind: 'unreadable', rule: 'P4', row: 3 }],
    });
    expect(trial.sent()).toEqual(['ann: Hello']);
    expect(trial.rowWith('Second')['Sync']).toBe(told);
    const { writes } = trial.sheets.log.counters;
    await trial.run();
    expect(trial.sheets.log.counters.writes).toBe(writes);
    trial.show();
    trial.put('Second', 'Subject', 'Lunch');
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hello', 'bob: Second']);
  });

  it('is told by a plan as well', async () => {
    const trial = merged();
    await trial.hide();
    const { jobs } = await trial.start();
    const request = { isFull: false, isAsked: true, signal: new AbortController().signal };
    const { changes, problems } = (await jobs.get('messages')!.plan(request)).report;
    expect(changes.map(({ row: number }) => number)).toEqual([2]);
    expect(problems).toMatchObject([{ kind: 'unreadable', rule: 'P4', row: 3 }]);
  });
});
