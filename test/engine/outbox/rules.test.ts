import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { tabTitle } from '../../support/app.ts';
import { killAt } from '../kill-at.ts';
import { createLosingStore } from '../../support/losing-store.ts';
import { createOutboxTrial, headers } from './support.ts';

/* The outbox between both stand-ins: everything real but the network. */

const hourMs = 3_600_000;
const pass = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));
const row = (to: string, text: string, send = 'yes') => [to, 'Sales', text, send];

/** Twelve messages are due, two more than a batch has. `happen` is called right before the call of this number. */
async function twelveDue(call: number, happen: (trial: ReturnType<typeof createOutboxTrial>) => void) {
  const trial = createOutboxTrial({ outbox: { sends_per_hour: 100 } });
  await trial.ready(...Array.from({ length: 12 }, (_, index) => row('ann@firm.io', `text ${index}`)));
  let calls = 0;
  trial.atEachInstant((what) => {
    if (!(what instanceof Request) || what.method !== 'POST' || !what.url.includes('messages')) return;
    calls += 1;
    if (calls === call) happen(trial);
  });
  return trial;
}

/** Ann's message is sent. Bob's waits in a backup, and its call has no answer afterwards; then the backup is restored. */
async function withUnknownRestored() {
  const trial = createOutboxTrial({ outbox: { sends_per_hour: 1 } });
  await trial.ready(row('ann@firm.io', 'Hi'), row('bob@firm.io', 'Ho'));
  await trial.run();
  const copy = trial.backup();
  await pass(2 * hourMs);
  trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'network-messages.send', times: 1 });
  await trial.run();
  await trial.restore(copy);
  return trial;
}

describe('a row that says yes', () => {
  test('P1: is sent once, and carries uuid, time and status from then on', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi Ann'));
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 1, sent: 1, set: 1 } });
    for (let again = 0; again < 3; again += 1) await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi Ann']);
    const [message] = [...trial.service.model.inbox.messages.all()];
    expect(message).toMatchObject({ sender_profile_uuid: trial.sender.uuid, lead_uuid: trial.people[0]!.uuid });
    expect(trial.rowWith('Hi Ann')).toMatchObject({
      Message: message!.uuid,
      'Sent at': '2026-11-21 09:00:00',
      Delivery: 'new',
      Sync: 'sent 2026-11-21 09:00Z, new',
    });
  });

  test.each(['yes', 'Yes', ' YES '])('P1: %j is a yes', async (word) => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi', word));
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi']);
  });

  test.each([
    ['', undefined],
    ['no', undefined],
    ['y', 'waiting: it is sent once Send says yes'],
    ['TRUE', 'waiting: it is sent once Send says yes'],
    ['yes please', 'waiting: it is sent once Send says yes'],
  ])('P1: %j is none', async (word, status) => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi', word));
    await trial.run();
    expect(trial.sends()).toBe(0);
    expect(trial.rowWith('Hi')['Sync']).toBe(status);
  });

  test('P1, P7: a box without a tick is a no, also below the last row, and where it had one', async () => {
    const trial = createOutboxTrial({ outbox: { sends_per_hour: 1 } });
    await trial.ready(row('ann@firm.io', 'Hi'), row('bob@firm.io', 'Ho'));
    await trial.run();
    for (let line = 3; line < 9; line += 1) trial.person.paste(`'${tabTitle}'!D${line}`, [[false]]);
    await pass(2 * hourMs);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.sent()).toEqual(['ann: Hi']);
    expect(trial.rows().filter((each) => 'Sync' in each)).toHaveLength(1);
  });

  test('P1: a formula that comes to yes is nobody’s word', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi', ''));
    trial.person.type(trial.cellOf('Hi', 'Send'), '=LOWER("YES")');
    await trial.run();
    expect(trial.sends()).toBe(0);
    expect(trial.rowWith('Hi')['Sync']).toBe('held: a formula stands in Send: type yes');
  });

  test('P1: e-mails are sent with subject, copies and body', async () => {
    const columns = { To: 'lead_uuid', From: 'sender_profile_uuid', Subject: 'subject', Text: 'body', Copy: 'cc' };
    const trial = createOutboxTrial({
      headers: ['To', 'From', 'Subject', 'Text', 'Copy', 'Send'],
      outbox: { resource: 'emails', columns },
    });
    await trial.ready(['bob@firm.io', 'Max Muster', 'Hello', 'Dear Bob', 'x@firm.io, y@firm.io', 'yes']);
    await trial.run();
    expect(trial.sent()).toEqual(['bob: Dear Bob']);
    expect([...trial.service.model.inbox.emails.all()]).toMatchObject([
      { subject: 'Hello', cc: ['x@firm.io', 'y@firm.io'], to_email: 'bob@firm.io' },
    ]);
    expect(trial.rowWith('Dear Bob')).toMatchObject({ Delivery: 'waiting' });
  });
});

describe('nothing is sent, and the row says why', () => {
  test.each([
    ['cc', 'n/a', 'refused: Copy has "n/a", which is no e-mail address'],
    ['bcc', 'x@firm.io, Max', 'refused: Copy has "Max", which is no e-mail address'],
    ['to_email', '-', 'refused: Copy has "-", which is no e-mail address'],
  ])('P4: a word in a column of addresses: %s', async (field, cell, status) => {
    const columns = { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'body', Copy: field };
    const trial = createOutboxTrial({
      headers: ['To', 'From', 'Text', 'Copy', 'Send'],
      outbox: { resource: 'emails', columns },
    });
    await trial.ready(['bob@firm.io', 'Sales', 'Dear Bob', cell, 'yes']);
    await trial.run();
    expect(trial.sends()).toBe(0);
    expect(trial.rowWith('Dear Bob')).toMatchObject({ Sync: status });
    trial.put('Dear Bob', 'Copy', 'Max <max@firm.io>');
    await trial.run();
    expect(trial.sends()).toBe(1);
  });

  test.each([
    ['no text', ['ann@firm.io', 'Sales', '', 'yes'], 'refused: Text is empty: nothing is sent'],
    ['blank text', ['ann@firm.io', 'Sales', '  ', 'yes'], 'refused: Text is empty: nothing is sent'],
    ['no sender', ['ann@firm.io', '', 'Hi', 'yes'], 'refused: From is empty: nothing is sent'],
    ['no contact', ['', 'Sales', 'Hi', 'yes'], 'refused: To is empty: nothing is sent'],
    ['a name for a contact', ['Ann', 'Sales', 'Hi', 'yes'], 'refused: To is neither a uuid nor an e-mail address'],
    ['an unknown address', ['zed@firm.io', 'Sales', 'Hi', 'yes'], 'refused: the contact does not exist'],
    [
      'a placeholder address',
      ['zed@example.com', 'Sales', 'Hi', 'yes'],
      'refused: To is an address at example.com or the like, which names nobody: write the uuid of the contact',
    ],
    ...['Ann <ann@firm.io>', 'mailto:ann@firm.io', 'ann@firm.io, bob@firm.io'].map((to): [string, string[], string] => [
      `I8: ${to}`,
      [to, 'Sales', 'Hi', 'yes'],
      'refused: To is not one e-mail address: write the address of one contact, and nothing else',
    ]),
    [
      'an unknown uuid',
      ['00000000-0000-4000-8000-000000000000', 'Sales', 'Hi', 'yes'],
      'refused: the contact does not exist',
    ],
    [
      'an unknown sender',
      ['ann@firm.io', 'Salez', 'Hi', 'yes'],
      'refused: no such sender profile: "Salez", did you mean "Sales"?',
    ],
    [
      'too long a text',
      ['ann@firm.io', 'Sales', 'x'.repeat(8001), 'yes'],
      'refused: Text has 8001 characters, and 8000 are the most',
    ],
    ['a disabled sender', ['ann@firm.io', 'Gone', 'Hi', 'yes'], 'refused: the sender profile "Gone" is disabled'],
    [
      'two senders of one name',
      ['ann@firm.io', 'Twin', 'Hi', 'yes'],
      'refused: several sender profiles are called "Twin": write the uuid',
    ],
  ])('P4: %s', async (_what, cells, status) => {
    const trial = createOutboxTrial();
    const { senderProfiles } = trial.service.model;
    senderProfiles.add({ first_name: 'A', last_name: 'B', label: 'Gone', status: 'disabled' });
    for (const last_name of ['C', 'D']) senderProfiles.add({ first_name: 'T', last_name, label: 'Twin' });
    await trial.ready(cells);
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { sent: 0 } });
    expect(trial.sends()).toBe(0);
    expect(trial.rows().at(-1)).toMatchObject({ Sync: status });
  });

  test('P4, V4: a cell that shows an error', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi', ''));
    const at = trial.cellOf('Hi', 'Text');
    trial.put('Hi', 'Send', 'yes');
    trial.person.type(at, '=1/0');
    await trial.run();
    expect(trial.sends()).toBe(0);
    expect(trial.rows()[0]).toMatchObject({ Sync: 'unreadable: Text shows #DIV/0!' });
  });

  test('P4: what the service refuses is said in its words, and is sent once the row is corrected', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    trial.service.faults.inject({ kind: 'status', status: 422, operation: 'network-messages.send' });
    await trial.run();
    expect(trial.rowWith('Hi')['Sync']).toContain('refused: Injected fault: status 422');
    await trial.run();
    expect(trial.sends()).toBe(1);
    trial.put('Hi', 'Text', 'Hello');
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hello']);
  });

  test('P4: a contact that comes to exist is found within the hour, without asking in every run', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('zed@firm.io', 'Hi'));
    await trial.run();
    trial.addContact({ first_name: 'zed', email: 'zed@firm.io' });
    const { cost } = await trial.run();
    expect(cost.crmCalls).toBe(0);
    await pass(hourMs);
    await trial.run();
    expect(trial.sent()).toEqual(['zed: Hi']);
  });

  test('W11: a column that is lost holds everything, and a row that moved beside it stays what it is', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    trial.person.paste("'Prospects'!A3", [row('bob@firm.io', 'Ho')]);
    trial.person.deleteColumns('Prospects', 'B');
    expect(await trial.run()).toMatchObject({ status: 'partial' });
    expect(trial.sends()).toBe(1);
    expect(trial.rowWith('Ho')['Sync']).toBe('held: not in the tab: From');
  });

  test('W11, P5: a column that is lost is not made again, and no row that was sent says that it was changed', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    trial.person.deleteColumns('Prospects', 'C');
    await trial.run();
    const state = trial.stateFiles('messages');
    expect(await trial.run()).toMatchObject({ status: 'partial', problems: [{ rule: 'W11', field: 'Text' }] });
    expect(trial.stateFiles('messages')).toEqual(state);
    expect(trial.rows()).toMatchObject([{ Sync: 'sent 2026-11-21 09:00Z, new' }]);
    expect(trial.person.read("'Prospects'!1:1")[0]).not.toContain('Text');
  });

  test('W11, L12: a status column that is lost is named, and does not keep a message from being sent', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    trial.person.deleteColumns('Prospects', String.fromCodePoint(65 + trial.columnIndexOf('Sync')));
    trial.person.paste("'Prospects'!A3", [row('bob@firm.io', 'Ho')]);
    await trial.run();
    expect(await trial.run()).toMatchObject({ problems: [{ rule: 'W11', field: 'Sync' }] });
    expect(trial.sends()).toBe(2);
  });
});

describe('once', () => {
  test('P5: what is changed after sending is not sent, and the row says so', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    trial.put('Hi', 'Text', 'Hi again');
    await trial.run();
    expect(trial.sends()).toBe(1);
    expect(trial.rowWith('Hi again')['Sync']).toBe('sent 2026-11-21 09:00Z, new; changed since, not sent again');
  });

  test('P5: the status is followed until it is final, and then the service is not asked any more', async () => {
    const trial = createOutboxTrial({ switches: { messageOutcome: 'failed' } });
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    await pass(6000);
    const { cost } = await trial.run();
    expect(cost.crmCalls).toBe(1);
    expect(trial.rowWith('Hi')).toMatchObject({ Delivery: 'failed', Sync: 'sent 2026-11-21 09:00Z, failed' });
    expect((await trial.run()).cost).toMatchObject({ crmCalls: 0, sheetReads: 1, sheetWrites: 0 });
  });

  test('P5: the time of a message stays that of its answer, although the listing dates it otherwise', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    const { uuid } = [...trial.service.model.inbox.messages.all()][0]!;
    // The clocks of one service differ a little.
    const listed = { created_at: '2026-11-21T09:00:40.000Z', status: 'done' };
    trial.service.model.inbox.messages.change(uuid, listed, Date.now());
    await trial.run();
    expect(trial.rowWith('Hi')).toMatchObject({
      'Sent at': '2026-11-21 09:00:00',
      Delivery: 'done',
      Sync: 'sent 2026-11-21 09:00Z, done',
    });
  });

  test('P5, W9: a run that only tells a row the new status of its message is the last run of the state', async () => {
    const trial = createOutboxTrial({ switches: { messageOutcome: 'failed' } });
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    await pass(6000);
    const { run, counts } = await trial.run();
    expect(counts).toMatchObject({ sent: 0, set: 1 });
    const { store } = await trial.start();
    const { facts } = await store.sync('messages').load();
    expect(facts.get('lastRun')).toMatchObject({ run, counts: { sent: 0, set: 1 } });
  });

  test.each([
    ['an hour passes', () => pass(hourMs)],
    ['our clock is set back by two', () => vi.setSystemTime(Date.now() - 2 * hourMs)],
  ])('P5: an e-mail that was sent may still bounce, and is looked for once an hour: %s', async (_what, wait) => {
    const columns = { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'body' };
    const trial = createOutboxTrial({ outbox: { resource: 'emails', columns } });
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    await pass(6000);
    await trial.run();
    expect(trial.rowWith('Hi')['Delivery']).toBe('sent');
    await trial.run();
    expect((await trial.run()).cost.crmCalls).toBe(0);
    const uuid = [...trial.service.model.inbox.emails.all()][0]!.uuid;
    trial.service.model.inbox.emails.change(uuid, { status: 'bounced' }, Date.now());
    await wait();
    await trial.run();
    expect(trial.rowWith('Hi')['Delivery']).toBe('bounced');
    await pass(hourMs);
    expect((await trial.run()).cost.crmCalls).toBe(0);
  });

  test('P2: a row that is sorted, moved and pushed down stays the row that was sent', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'), row('bob@firm.io', 'Ho', ''));
    await trial.run();
    trial.person.insertRows('Prospects', 2, 2);
    trial.person.moveRows('Prospects', 5, 1, 2);
    trial.put('Ho', 'Send', 'yes');
    await trial.run();
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi', 'bob: Ho']);
  });

  test('P2: a copy of a row that was sent is not sent, with its ID or without', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    const [, cells = []] = trial.person.read("'Prospects'");
    trial.person.paste("'Prospects'!A3", [cells]);
    trial.person.paste("'Prospects'!A4", [cells.slice(0, headers.length)]);
    expect(await trial.run()).toMatchObject({ status: 'partial' });
    expect(trial.sends()).toBe(1);
    const [, whole, visible] = trial.rows();
    expect(whole!['Sync']).toBe(
      'quarantined: copy of row 2, nothing is sent: to make it a message of its own, clear Message and Sent at',
    );
    expect(visible!['Sync']).toBe(
      `refused: looks the same as the message of 2026-11-21 09:00Z: change it, or say leadsheet retry ${visible!['Outbox ID']} --yes`,
    );
  });

  test('P2, P6: a copy that shows what was sent before it was sent again is a copy, and no sign of another state', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    const [names = [], cells = []] = trial.person.read("'Prospects'");
    trial.person.paste("'Prospects'!A3", [cells.map((cell, index) => (names[index] === 'Outbox ID' ? '' : cell))]);
    await trial.retry(trial.rows()[0]!['Outbox ID']!);
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi', 'ann: Hi']);
    trial.person.paste("'Prospects'!A4", [row('bob@firm.io', 'Ho')]);
    await trial.run();
    expect(trial.rows()[1]!['Sync']).toContain('quarantined: copy of row 2');
    expect(trial.sent()).toEqual(['ann: Hi', 'ann: Hi', 'bob: Ho']);
  });

  test('P2: a copy becomes a message of its own once it is cleared of what was sent, and says something else', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    const [names = [], cells = []] = trial.person.read("'Prospects'");
    const place = (header: string) => names.indexOf(header);
    const copy = cells.map((cell, index) => (['Message', 'Sent at'].some((name) => place(name) === index) ? '' : cell));
    copy[place('Text')] = 'Hi Ann, two';
    trial.person.paste("'Prospects'!A3", [copy]);
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi', 'ann: Hi Ann, two']);
    const ids = trial.rows().map((each) => each['Outbox ID']);
    expect(new Set(ids).size).toBe(2);
  });

  test('P2, L8: the same words to the same contact are not sent twice, however the contact is named', async () => {
    const trial = createOutboxTrial();
    const [ann] = trial.people;
    await trial.ready(row('ann@firm.io', 'Hi'), row(ann!.uuid, ' Hi '));
    await trial.run();
    expect(trial.sends()).toBe(1);
    expect(trial.rows()[1]!['Sync']).toContain('refused: looks the same as');
  });

  test.each([
    ['its ID', ['Outbox ID']],
    ['all of it', ['Outbox ID', 'Message', 'Sent at', 'Delivery', 'Sync']],
  ])('P2, L8: a row that was sent and is cleared of %s gets it back, and is not sent again', async (_what, cleared) => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    const before = trial.rows();
    for (const header of cleared) trial.put('Hi', header, '');
    for (let again = 0; again < 3; again += 1) await trial.run();
    expect(trial.sends()).toBe(1);
    expect(trial.rows()).toEqual(before);
  });

  test('P2, L8: a row that only says when it was sent is not sent again, and gets both IDs back if it says what was sent', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    const before = trial.rows();
    for (const header of ['Outbox ID', 'Message']) trial.put('Hi', header, '');
    await trial.run();
    await trial.run();
    expect(trial.sends()).toBe(1);
    expect(trial.rows()).toEqual(before);
    for (const header of ['Outbox ID', 'Message']) trial.put('Hi', header, '');
    trial.put('Hi', 'Text', 'Hi there');
    for (let again = 0; again < 2; again += 1) await trial.run();
    expect(trial.sends()).toBe(1);
    expect(trial.rowWith('Hi there')['Sync']).toBe(
      'quarantined: says that it was sent: if it is a new message, clear Message and Sent at',
    );
  });

  test('P2, I5: the whole ID column deleted: every row is known again, and what is new waits for an approval', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'), row('bob@firm.io', 'Ho'));
    await trial.run();
    trial.person.deleteColumns('Prospects', 'E');
    trial.person.paste("'Prospects'!A4", [row('cy@firm.io', 'New')]);
    const held = await trial.run();
    await trial.run();
    expect(trial.sends()).toBe(2);
    expect(trial.rowWith('New')['Sync']).toBe('held: the state is new: approve once what it would send');
    await trial.approve(held);
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi', 'bob: Ho', 'cy: New']);
  });
});

describe('an outcome that nobody saw', () => {
  const lost = { kind: 'lost', operation: 'network-messages.send' } as const;

  test('P3: an answer that was lost: the listing has it, so it was sent', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    trial.service.faults.inject({ ...lost, when: 'after' });
    expect(await trial.run()).toMatchObject({ status: 'partial', problems: [{ kind: 'quarantined', rule: 'P3' }] });
    const id = trial.rowWith('Hi')['Outbox ID'];
    expect(trial.rowWith('Hi')['Sync']).toBe(
      `quarantined: outcome unknown: look in the service, then leadsheet retry ${id} --yes if it is not there`,
    );
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.rowWith('Hi')['Sync']).toBe('sent 2026-11-21 09:00Z, new');
    expect(trial.sent()).toEqual(['ann: Hi']);
  });

  test('P3, L8: it is not repeated by itself, and is by retry', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    trial.service.faults.inject({ ...lost, when: 'before' });
    for (let run = 0; run < 3; run += 1) await trial.run();
    expect(trial.sent()).toEqual([]);
    await trial.retry(trial.rowWith('Hi')['Outbox ID']!);
    await trial.run();
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi']);
  });

  test('P3, L12: a sending before the last one is not taken for the one whose answer was lost', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    const id = trial.rowWith('Hi')['Outbox ID']!;
    await trial.retry(id);
    await trial.run();
    await trial.retry(id);
    trial.service.faults.inject({ ...lost, when: 'before' });
    for (let run = 0; run < 3; run += 1) await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi', 'ann: Hi']);
    expect(await trial.ledger()).toEqual({ unknown: 1 });
  });

  test.each([
    [120, 'quarantined'],
    [0, 'sent'],
  ])(
    'P3: a text that somebody sent in the service %i s before the same one had no answer: %s, as clocks differ by a minute at most',
    async (secsBefore, says) => {
      const trial = createOutboxTrial();
      await trial.ready(row('ann@firm.io', 'Hi'));
      trial.service.model.inbox.addMessage({
        lead_uuid: trial.people[0]!.uuid,
        sender_profile_uuid: trial.sender.uuid,
        type: 'outbox',
        text: 'Hi',
        created_at: new Date(Date.now() - secsBefore * 1_000).toISOString(),
      });
      trial.service.faults.inject({ ...lost, when: 'before' });
      for (let run = 0; run < 2; run += 1) await trial.run();
      expect(trial.rowWith('Hi')['Sync']).toMatch(new RegExp(`^${says}`));
    },
  );

  test('P3: a second sending that the service refused is not sent with another text', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    trial.service.faults.inject({ ...lost, when: 'before' });
    await trial.run();
    await trial.retry(trial.rowWith('Hi')['Outbox ID']!);
    trial.service.faults.inject({ kind: 'status', status: 422, operation: 'network-messages.send', times: 1 });
    await trial.run();
    expect(trial.rowWith('Hi')['Sync']).toMatch(/^refused/);
    trial.put('Hi', 'Text', 'Hi Ann');
    await trial.run();
    expect(trial.rowWith('Hi Ann')['Sync']).toContain('outcome unknown, and not sent again: the row was edited');
    await trial.run();
    expect([trial.sent(), await trial.ledger()]).toEqual([[], { unknown: 1 }]);
  });

  test('P2, P3, L14: a retry that comes while its row has lost its ID is carried out once the row has it back', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    const id = trial.rowWith('Hi')['Outbox ID']!;
    trial.put('Hi', 'Outbox ID', '');
    await trial.retry(id);
    for (let run = 0; run < 3; run += 1) await trial.run();
    expect([trial.sent(), trial.rowWith('Hi')['Outbox ID']]).toEqual([['ann: Hi', 'ann: Hi'], id]);
  });

  test('P3: a retry that nobody confirmed sends nothing that may have been sent', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    trial.service.faults.inject({ ...lost, when: 'before' });
    await trial.run();
    await trial.retry(trial.rowWith('Hi')['Outbox ID']!, false);
    await trial.run();
    expect(trial.sent()).toEqual([]);
    expect(await trial.ledger()).toEqual({ unknown: 1 });
  });

  test('P3: a uuid that somebody found in the service and types into the row ends it', async () => {
    const columns = { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'body' };
    const trial = createOutboxTrial({ outbox: { resource: 'emails', columns } });
    await trial.ready(row('ann@firm.io', 'Hi'));
    trial.service.faults.inject({ ...lost, operation: 'emails.send', when: 'after' });
    await trial.run();
    const uuid = [...trial.service.model.inbox.emails.all()][0]!.uuid;
    trial.put('Hi', 'Message', uuid);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 1 } });
    await pass(6000);
    await trial.run();
    expect(trial.rowWith('Hi')['Delivery']).toBe('sent');
    expect(trial.sends()).toBe(1);
  });

  test('P3, L10: killed after the intent and before the call, it is unknown and never sent by itself', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    trial.atEachInstant((what) => {
      if (what instanceof Request && what.method === 'POST' && what.url.includes('messages')) trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    for (let run = 0; run < 3; run += 1) await trial.run();
    expect(trial.sent()).toEqual([]);
    expect(trial.rowWith('Hi')['Sync']).toContain('quarantined: outcome unknown');
    const lines = await trial.history();
    expect(lines.filter(({ op }) => op === 'send')).toMatchObject([{ outcome: 'unknown', rule: 'P3' }]);
  });

  test('P4, P3, L10: a message whose run was killed at its call counts for the cap', async () => {
    const trial = createOutboxTrial({ outbox: { sends_per_hour: 1 } });
    await trial.ready(row('ann@firm.io', 'Hi'));
    trial.atEachInstant((what) => {
      if (what instanceof Request && what.method === 'POST' && what.url.includes('messages')) trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    await trial.ready(row('bob@firm.io', 'Hello'));
    await trial.run();
    expect(trial.rowWith('Hello')['Sync']).toBe('waiting: 0 ahead, cap 1/h');
    expect(trial.sent()).toEqual([]);
  });

  test.each([1, 2, 3, 4, 5, 6])(
    'P3, L12, L10: killed at write %i after a message, the history calls it unknown only before it is done',
    async (at) => {
      const trial = createOutboxTrial();
      await trial.ready(row('ann@firm.io', 'Hi'));
      let isSent = false;
      let count = 0;
      trial.atEachInstant((what) => {
        if (what instanceof Request) isSent ||= what.method === 'POST' && what.url.includes('messages');
        else if (isSent && what !== 'answered' && (count += 1) === at) trial.kill();
      });
      expect(await trial.attempt()).toBe('killed');
      trial.atEachInstant(() => {});
      for (let run = 0; run < 2; run += 1) await trial.run();
      const outcomes = (await trial.history()).flatMap(({ op, outcome }) => (op === 'send' ? [outcome] : []));
      // The listing shows it in the end, and nothing is unknown after that.
      expect(outcomes.at(-1)).toBe('done');
      expect(outcomes.slice(outcomes.indexOf('done'))).not.toContain('unknown');
    },
  );

  test('P3, L10: killed between the answer and the row, the next run writes uuid and time', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    let isSent = false;
    trial.atEachInstant((what) => {
      if (what instanceof Request && what.url.includes('messages')) isSent = true;
      if (isSent && what instanceof Request && what.url.includes(':4020')) trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    expect(trial.rowWith('Hi')['Message']).toBeUndefined();
    await trial.run();
    expect(trial.rowWith('Hi')['Message']).toBe([...trial.service.model.inbox.messages.all()][0]!.uuid);
    expect(trial.sends()).toBe(1);
  });

  test('P3, H3: a message whose call was made is not sent again when its outcome cannot be stored', async () => {
    const { store, loseNextCommit } = createLosingStore();
    let calls = 0;
    const trial = createOutboxTrial({
      store,
      around: async (request, next) => {
        const answer = await next(request);
        if (request.method === 'POST' && request.url.endsWith('/professional-network-messages') && (calls += 1) === 1)
          loseNextCommit();
        return answer;
      },
    });
    await trial.ready(row('ann@firm.io', 'Hi'));
    expect(await trial.run()).toMatchObject({ status: 'failed', error: expect.stringContaining('is gone') });
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi']);
    expect(trial.rowWith('Hi')['Sync']).toMatch(/^sent /);
  });

  test('W6: a token that is refused stops everything, once, and sends nothing later by itself', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'), row('bob@firm.io', 'Ho'), row('cy@firm.io', 'Hu'));
    let calls = 0;
    trial.atEachInstant((what) => {
      if (!(what instanceof Request) || what.method !== 'POST' || !what.url.includes('messages')) return;
      calls += 1;
      if (calls === 2) trial.service.faults.inject({ kind: 'status', status: 401, operation: 'network-messages.send' });
    });
    expect(await trial.run()).toMatchObject({ status: 'failed', isFinal: true });
    expect(trial.sent()).toEqual(['ann: Hi']);
    expect(trial.rowWith('Hi')['Sync']).toBe('sent 2026-11-21 09:00Z, new');
    const tried = trial.events.flatMap((event) =>
      event.type === 'change-done' && event.change.op === 'send' ? [`${event.change.to}: ${event.outcome.kind}`] : [],
    );
    expect(tried).toEqual(['ann <ann@firm.io>: done', 'bob <bob@firm.io>: failed']);
    await trial.start();
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi', 'bob: Ho', 'cy: Hu']);
  });
});

describe('the cap', () => {
  test('P4: holds in every hour and across restarts, oldest first; the rest says how many are ahead', async () => {
    const trial = createOutboxTrial({ outbox: { sends_per_hour: 2 } });
    await trial.ready(...['1', '2', '3', '4'].map((text) => row('ann@firm.io', text)));
    await trial.run();
    expect(trial.sent()).toEqual(['ann: 1', 'ann: 2']);
    expect([trial.rowWith('3')['Sync'], trial.rowWith('4')['Sync']]).toEqual([
      'waiting: 0 ahead, cap 2/h',
      'waiting: 1 ahead, cap 2/h',
    ]);
    await trial.start();
    await pass(hourMs - 10_000);
    await trial.run();
    expect(trial.sends()).toBe(2);
    await pass(20_000);
    await trial.run();
    expect(trial.sent()).toEqual(['ann: 1', 'ann: 2', 'ann: 3', 'ann: 4']);
  });

  test('P4: counts calls whose outcome is unknown', async () => {
    const trial = createOutboxTrial({ outbox: { sends_per_hour: 1 } });
    await trial.ready(row('ann@firm.io', '1'), row('ann@firm.io', '2'));
    trial.service.faults.inject({ kind: 'lost', operation: 'network-messages.send', when: 'before' });
    await trial.run();
    expect(trial.rowWith('2')['Sync']).toBe('waiting: 0 ahead, cap 1/h');
  });

  test('W10: in the daemon a row is sent once it has stood still, and an edit begins anew', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run({ isAsked: false });
    await pass(20_000);
    trial.put('Hi', 'Text', 'Hi Ann');
    await trial.run({ isAsked: false });
    await pass(20_000);
    await trial.run({ isAsked: false });
    expect(trial.sent()).toEqual([]);
    await pass(20_000);
    await trial.run({ isAsked: false });
    expect(trial.sent()).toEqual(['ann: Hi Ann']);
  });

  test('W3: what a person changes while others are sent is judged anew before its own call', async () => {
    const trial = await twelveDue(5, ({ put }) => put('text 11', 'Send', ''));
    await trial.run();
    expect(trial.sends()).toBe(11);
    expect(trial.sent()).not.toContain('ann: text 11');
  });

  test('P4, L12: where the service cannot be asked for the next rows, those wait, and the run says why', async () => {
    const trial = await twelveDue(10, ({ service }) =>
      service.faults.inject({ kind: 'status', status: 503, operation: 'contacts.lookup-one', times: 99 }),
    );
    const report = await trial.run();
    expect(trial.sends()).toBe(10);
    expect(report.status).toBe('partial');
    expect(report.problems).toContainEqual(
      expect.objectContaining({ kind: 'failed', rule: 'P4', reason: expect.stringMatching(/^nothing is sent: .+/) }),
    );
    trial.service.faults.clear();
    await trial.run();
    expect(trial.sent()).toHaveLength(12);
  });

  test('L8, L12: a run that cannot read its tab again between two batches fails, and no message is sent twice', async () => {
    const trial = await twelveDue(10, ({ sheets }) =>
      sheets.faults.add({ effect: { type: 'status', status: 503 }, when: 'before', times: 99 }),
    );
    expect(await trial.run()).toMatchObject({ status: 'failed', error: expect.any(String), problems: [] });
    expect(trial.sends()).toBe(10);
    trial.sheets.faults.clear();
    await trial.run();
    expect(new Set(trial.sent()).size).toBe(12);
    expect(trial.sends()).toBe(12);
  });

  test('W8: after the end was asked for nothing is begun, and what was sent is told in its row', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'), row('bob@firm.io', 'Ho'));
    const stop = new AbortController();
    trial.atEachInstant((what) => {
      if (what instanceof Request && what.method === 'POST' && what.url.includes('messages')) stop.abort();
    });
    await trial.run({ signal: stop.signal });
    expect(trial.sent()).toEqual(['ann: Hi']);
    expect(trial.rowWith('Hi')['Sync']).toBe('sent 2026-11-21 09:00Z, new');
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi', 'bob: Ho']);
  });

  test('W8, P3: after an end that came before a call, the message waits and is sent by the next run, once', async () => {
    let isOver = false;
    for (let at = 1; !isOver; at += 1) {
      const trial = createOutboxTrial();
      await trial.ready(row('ann@firm.io', 'Hi'));
      const stop = new AbortController();
      let saves = 0;
      trial.atEachInstant((what) => {
        if (what === 'saved' && (saves += 1) === at) stop.abort();
      });
      await trial.run({ signal: stop.signal });
      trial.atEachInstant(() => {});
      isOver = saves < at;
      expect(Object.keys(await trial.ledger())).not.toContain('unknown');
      await trial.run();
      const outcomes = (await trial.history()).flatMap(({ op, outcome }) => (op === 'send' ? [outcome] : []));
      // The history tells of no try before the one that was made.
      expect({ at, sent: trial.sent(), outcomes: new Set(outcomes) }).toEqual({
        at,
        sent: ['ann: Hi'],
        outcomes: new Set(['done']),
      });
    }
  });
});

describe('a state that is new, lost or restored', () => {
  test('P6: rows that say yes before the first run wait for one approval, for as many as it names', async () => {
    const trial = createOutboxTrial({ rows: [row('ann@firm.io', 'Hi'), row('bob@firm.io', 'Ho')] });
    const held = await trial.run();
    expect(held).toMatchObject({ status: 'partial', planned: { messages: 2 }, approvable: held.run });
    expect(trial.rowWith('Hi')['Sync']).toBe('held: the state is new: approve once what it would send');
    await trial.approve({ ...held, planned: { ...held.planned, messages: 1 } });
    await trial.run();
    expect(trial.sends()).toBe(0);
    await trial.approve(held);
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi', 'bob: Ho']);
    const decisions = (await trial.history()).flatMap(({ decision, outcome }) => (decision ? [outcome] : []));
    expect(decisions).toEqual(['void', 'taken']);
    trial.person.paste("'Prospects'!A4", [row('cy@firm.io', 'New')]);
    await trial.run();
    expect(trial.sends()).toBe(3);
  });

  test('P6, L8: the state lost: what carries a uuid or a time counts as sent, also for its copies', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'), row('bob@firm.io', 'Ho'));
    await trial.run();
    trial.put('Ho', 'Message', '');
    await trial.loseState();
    trial.person.paste("'Prospects'!A4", [row('ann@firm.io', 'Hi')]);
    const held = await trial.run();
    expect(held).toMatchObject({ counts: { linked: 2, sent: 0 } });
    await trial.approve(held);
    await trial.run();
    expect(trial.sends()).toBe(2);
    expect(trial.rows()[2]!['Sync']).toContain('refused: looks the same as the message of 2026-11-21 09:00Z');
  });

  test('P6, S3: a backup older than the tab is told by its rows, and holds what is not proven', async () => {
    const trial = createOutboxTrial();
    await trial.ready();
    const copy = trial.backup();
    trial.person.paste("'Prospects'!A2", [row('ann@firm.io', 'Hi')]);
    await trial.run();
    await trial.restore(copy);
    trial.person.paste("'Prospects'!A3", [row('bob@firm.io', 'Ho')]);
    await trial.run();
    await trial.run();
    expect(trial.sends()).toBe(1);
    expect(trial.rowWith('Hi')['Sync']).toBe('sent 2026-11-21 09:00Z, new');
    expect(trial.rowWith('Ho')['Sync']).toBe('held: the state is new: approve once what it would send');
  });

  test('P6, S3, L8: a state that lost its end sends nothing twice, also where the run that found it was killed', async () => {
    const trial = createOutboxTrial();
    await trial.ready();
    trial.person.paste("'Prospects'!A2", [row('ann@firm.io', 'Hi')]);
    await trial.run();
    expect(trial.sends()).toBe(1);
    for (const header of ['Message', 'Sent at', 'Delivery', 'Sync']) trial.put('Hi', header, '');
    for (const name of ['base.log', 'outbox.log']) {
      const path = join(trial.folder, 'state', 'messages', name);
      const lines = readFileSync(path, 'utf8').split('\n');
      writeFileSync(path, lines.map((line) => line.replace('"intended"', '"INTENDED"')).join('\n'));
    }
    await trial.start();
    trial.atEachInstant((what) => void (what instanceof Request && trial.kill()));
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    await trial.start();
    await trial.run();
    await trial.run();
    expect(trial.sends()).toBe(1);
    expect(trial.rowWith('Hi')['Sync']).toBe('held: the state is new: approve once what it would send');
  });

  test.each([1, 2, 3, 4, 5, 6])(
    'P6, S3, L10: a backup whose first run is killed at instant %i is still one: a row that it does not prove is held',
    async (at) => {
      const trial = createOutboxTrial();
      await trial.ready(row('ann@firm.io', 'Hi', 'no'), row('bob@firm.io', 'Ho', 'no'));
      await trial.run();
      const copy = trial.backup();
      trial.put('Hi', 'Send', 'yes');
      trial.put('Ho', 'Send', 'yes');
      await trial.run();
      // Its row was not told: only the hold keeps it from a second sending.
      for (const header of ['Message', 'Sent at', 'Delivery', 'Sync']) trial.put('Ho', header, '');
      await trial.restore(copy);
      await killAt(trial, at);
      await trial.run();
      await trial.run();
      expect(trial.sent()).toEqual(['ann: Hi', 'bob: Ho']);
      expect(trial.rowWith('Ho')['Sync']).toBe('held: the state is new: approve once what it would send');
    },
  );

  test('P6, L10: an approval whose run is killed among its messages is for all that run was to send, whatever is typed meanwhile', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi', 'no'), row('bob@firm.io', 'Ho', 'no'));
    await trial.loseState();
    trial.put('Hi', 'Send', 'yes');
    trial.put('Ho', 'Send', 'yes');
    await trial.approve(await trial.run());
    trial.atEachInstant((what) => {
      if (what instanceof Request && what.method === 'POST' && what.url.includes('messages')) trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    trial.person.paste(`'${tabTitle}'!A4`, [row('cy@firm.io', 'One'), row('cy@firm.io', 'Two')]);
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.sent()).toEqual(['bob: Ho', 'cy: One', 'cy: Two']);
    expect(trial.rowWith('Hi')['Sync']).toContain('outcome unknown');
  });

  test('P6, L8: a backup in which a row was refused holds that row: it may have been sent since', async () => {
    const trial = createOutboxTrial();
    const turnSender = (status: 'enabled' | 'disabled') =>
      trial.service.model.senderProfiles.table.change(trial.sender.uuid, { status }, Date.now());
    await trial.ready(row('ann@firm.io', 'Hi'), row('bob@firm.io', 'Ho', 'no'));
    turnSender('disabled');
    await trial.run();
    const copy = trial.backup();
    turnSender('enabled');
    await trial.retry(trial.rowWith('Hi')['Outbox ID']!, false);
    trial.put('Ho', 'Send', 'yes');
    trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'network-messages.send', times: 1 });
    await trial.run();
    // Its sentence alone would say that its outcome is unknown (P3).
    trial.put('Hi', 'Sync', '');
    await trial.restore(copy);
    expect(await trial.run()).toMatchObject({ planned: { messages: 1 } });
    await pass(2 * hourMs);
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi', 'bob: Ho']);
    expect(trial.rowWith('Hi')['Sync']).toBe('held: the state is new: approve once what it would send');
  });

  test('P3, S3, L8: a message that a restored state has as waiting is not sent again where its row says that its outcome is unknown', async () => {
    const trial = await withUnknownRestored();
    for (let hour = 0; hour < 3; hour += 1) {
      await trial.run();
      await pass(2 * hourMs);
    }
    expect(trial.sent()).toEqual(['ann: Hi', 'bob: Ho']);
    expect(trial.rowWith('Ho')['Sync']).toContain('outcome unknown: look in the service');
    await trial.retry(trial.rowWith('Ho')['Outbox ID']!, true);
    await trial.run();
    expect(trial.sends()).toBe(3);
  });

  test('P3, P6, L8: an approval after the loss of the state sends nothing whose row says that its outcome is unknown', async () => {
    const columns = { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'body' };
    const trial = createOutboxTrial({ outbox: { resource: 'emails', columns } });
    await trial.ready(row('ann@firm.io', 'Hi'), row('bob@firm.io', 'Ho', 'no'));
    trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'emails.send', times: 1 });
    await trial.run();
    await trial.loseState();
    trial.put('Ho', 'Send', 'yes');
    const held = await trial.run();
    expect(held).toMatchObject({ planned: { messages: 1 } });
    expect(trial.rowWith('Hi')['Sync']).toContain('outcome unknown: look in the service');
    await trial.approve(held);
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi', 'bob: Ho']);
    await trial.retry(trial.rowWith('Hi')['Outbox ID']!, true);
    await trial.run();
    expect(trial.sends()).toBe(3);
  });

  test('P2, P3, P6, L8: nor a row that says so and lost its ID as well', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'), row('bob@firm.io', 'Ho', 'no'));
    trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'network-messages.send', times: 1 });
    await trial.run();
    await trial.loseState();
    trial.put('Hi', 'Outbox ID', '');
    trial.put('Ho', 'Send', 'yes');
    const held = await trial.run();
    expect(held).toMatchObject({ planned: { messages: 1 } });
    await trial.approve(held);
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.sent()).toEqual(['bob: Ho']);
    expect(trial.rowWith('Hi')['Sync']).toContain('outcome unknown: look in the service');
    await trial.retry(trial.rowWith('Hi')['Outbox ID']!, true);
    await trial.run();
    expect(trial.sent()).toEqual(['bob: Ho', 'ann: Hi']);
  });

  test.each(['no', 'later'])(
    'P2, P3, P6, L8: nor such a row whose Send cell says %s in the first run',
    async (word) => {
      const trial = createOutboxTrial();
      await trial.ready(row('ann@firm.io', 'Hi'), row('bob@firm.io', 'Ho', 'no'));
      trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'network-messages.send', times: 1 });
      await trial.run();
      await trial.loseState();
      trial.put('Hi', 'Outbox ID', '');
      trial.put('Hi', 'Send', word);
      await trial.run();
      trial.put('Hi', 'Send', 'yes');
      const next = await trial.run();
      if (next.approvable !== undefined) await trial.approve(next);
      for (let run = 0; run < 2; run += 1) await trial.run();
      expect(trial.sends()).toBe(1);
      expect(trial.rowWith('Hi')['Sync']).toContain('outcome unknown: look in the service');
    },
  );

  test.each([
    ['Send', 'no'],
    ['Send', 'later'],
    ['To', 'bob'],
  ])(
    'P2, P3, S3, L8: nor a row that says so, lost its ID and has another word in %s, "%s", where a restored state has it as waiting',
    async (header, word) => {
      const trial = await withUnknownRestored();
      trial.put('Ho', 'Outbox ID', '');
      trial.put('Ho', header, word === 'bob' ? trial.people[1]!.uuid : word);
      await trial.run();
      trial.put('Ho', 'Send', 'yes');
      for (let hour = 0; hour < 3; hour += 1) {
        await trial.run();
        await pass(2 * hourMs);
      }
      expect(trial.sent()).toEqual(['ann: Hi', 'bob: Ho']);
      expect(trial.rowWith('Ho')['Sync']).toContain('outcome unknown: look in the service');
    },
  );

  test.each(['lost', 'restored'])(
    'P2, P3, L8: nor a row that says so and over whose ID somebody typed, in a %s state',
    async (how) => {
      const trial = createOutboxTrial();
      await trial.ready(row('ann@firm.io', 'Hi'), row('bob@firm.io', 'Ho', 'no'));
      const copy = trial.backup();
      trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'network-messages.send', times: 1 });
      await trial.run();
      const id = trial.rowWith('Hi')['Outbox ID'];
      await (how === 'lost' ? trial.loseState() : trial.restore(copy));
      trial.put('Hi', 'Outbox ID', 'x');
      await trial.run();
      expect(trial.rowWith('Hi')).toMatchObject({
        'Outbox ID': id,
        Sync: expect.stringContaining('outcome unknown: look in the service') as unknown,
      });
      trial.put('Hi', 'Outbox ID', '');
      for (let run = 0; run < 3; run += 1) {
        const next = await trial.run();
        if (next.approvable !== undefined) await trial.approve(next);
      }
      expect(trial.sends()).toBe(1);
    },
  );

  test.each(['lost', 'restored'])(
    'P2, P3, L8: nor a row that says so and stands below its copy, which was edited, in a %s state',
    async (how) => {
      const trial = createOutboxTrial();
      await trial.ready(row('ann@firm.io', 'Hi'), row('bob@firm.io', 'Ho', 'no'));
      const copy = trial.backup();
      trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'network-messages.send', times: 1 });
      await trial.run();
      await (how === 'lost' ? trial.loseState() : trial.restore(copy));
      const [names = [], ...rows] = trial.person.read(`'${tabTitle}'`) as string[][];
      const edited = rows[0]!.map((cell, index) => (names[index] === 'Text' ? 'Hi there' : cell));
      trial.person.paste(`'${tabTitle}'!A2`, [edited, ...rows]);
      for (let run = 0; run < 4; run += 1) {
        const next = await trial.run();
        if (next.approvable !== undefined) await trial.approve(next);
      }
      expect(trial.sent()).toEqual(['ann: Hi']);
    },
  );

  test('P6, W11, L8: a backup that is restored while the Send column is missing stays one until the column is back', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi', 'no'), row('bob@firm.io', 'Ho', 'no'));
    await trial.run();
    const copy = trial.backup();
    trial.put('Hi', 'Send', 'yes');
    trial.put('Ho', 'Send', 'yes');
    await trial.run();
    for (const header of ['Message', 'Sent at', 'Delivery']) trial.put('Ho', header, '');
    await trial.restore(copy);
    trial.person.deleteColumns('Prospects', 'D');
    expect(await trial.run()).not.toHaveProperty('approvable');
    trial.person.paste("'Prospects'!J1", [['Send'], ['yes'], ['yes']]);
    await trial.run();
    expect(await trial.run()).toMatchObject({ planned: { messages: 1 } });
    expect(trial.sends()).toBe(2);
  });

  test('G1: another tab fails the run instead of sending what is not known there', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi'));
    await trial.run();
    const outbox = (await trial.start()).store.sync('messages');
    const state = await outbox.load();
    const lease = await outbox.acquireLease();
    await lease.load();
    const identities = { ...(state.facts.get('identities') as Record<string, string>), sheet: 'another 1' };
    await lease.commit({ facts: { put: new Map([['identities', identities]]) } });
    await lease[Symbol.asyncDispose]();
    expect(await trial.run()).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('this is another tab'),
    });
  });

  test('W11: beside a header that is nearly one of its own an outbox makes no column and sends nothing', async () => {
    const trial = createOutboxTrial({
      headers: headers.map((header) => (header === 'Send' ? 'Sends' : header)),
      rows: [['ann@firm.io', 'Sales', 'Hi', 'yes']],
    });
    const before = JSON.stringify(trial.rows());
    expect(await trial.run()).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('the header "Send" is not there, and "Sends" is: rename it to "Send"'),
    });
    expect({ rows: JSON.stringify(trial.rows()), sends: trial.sends() }).toEqual({ rows: before, sends: 0 });
  });

  test('F4: a tab with headers of somebody else is refused, and nothing is written', async () => {
    const trial = createOutboxTrial({ headers: ['Name', 'Phone'], rows: [['Ann', '1']] });
    expect(await trial.run()).toMatchObject({
      status: 'failed',
      error:
        'the tab "Prospects" has none of the columns To, From, Text, and row 1 says "Name", "Phone": nothing was written. ' +
        'Give the outbox messages a tab of its own or another header_row, or correct columns',
    });
    expect(trial.writes().sheet).toBe(0);
  });
});

test('L12: the history has each message in full, with its outcome, and what was written into its row', async () => {
  const trial = createOutboxTrial();
  await trial.ready(row('ann@firm.io', 'Hi'));
  const { run } = await trial.run();
  const lines = (await trial.history()).filter((line) => line.run === run);
  expect(lines).toMatchObject([
    { op: 'send', field: 'lead_uuid', after: trial.people[0]!.uuid, outcome: 'done', rule: 'P1' },
    { op: 'send', field: 'sender_profile_uuid', after: trial.sender.uuid },
    { op: 'send', field: 'text', before: null, after: 'Hi', contact: trial.people[0]!.uuid },
    { op: 'set', field: '#uuid', rule: 'P5', outcome: 'done' },
    { op: 'set', field: '#sent', after: '2026-11-21T09:00:00Z' },
    { op: 'set', field: '#delivery', after: 'new' },
  ]);
});

test('W9: an outbox that did not change costs one read, and writes nothing, to no side and no file', async () => {
  const trial = createOutboxTrial({ switches: { messageDelayMs: 0 } });
  await trial.ready(row('ann@firm.io', 'Hi'), row('zed@firm.io', 'Ho'), row('bob@firm.io', '', 'yes'));
  await trial.run();
  await trial.run();
  const before = trial.stateFiles('messages');
  const { cost } = await trial.run();
  expect({ ...cost, seconds: 0 }).toEqual({ crmCalls: 0, sheetReads: 1, sheetWrites: 0, seconds: 0 });
  expect(trial.stateFiles('messages')).toEqual(before);
});

describe('L12: listings that are not whole', () => {
  const emptyPages = (what: string, isOn: () => boolean) => ({
    around: async (request: Request, next: (request: Request) => Promise<Response>) => {
      const answer = await next(request);
      if (!isOn() || request.method !== 'GET' || !request.url.includes(what)) return answer;
      return Response.json({ ...((await answer.json()) as object), data: [] });
    },
  });

  test('L12, G5, P5: a listing that breaks off is told: the statuses may be old', async () => {
    let isOn = false;
    const trial = createOutboxTrial({
      switches: { messageDelayMs: 30_000 },
      ...emptyPages('/professional-network-messages', () => isOn),
    });
    await trial.ready(row('ann@firm.io', 'Hello'));
    await trial.run();
    isOn = true;
    expect(await trial.run()).toMatchObject({
      status: 'partial',
      problems: [{ id: 'pull:deliveries', kind: 'incomplete', reason: expect.stringContaining('0 of 1 records') }],
    });
    isOn = false;
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
  });

  test('L12, P4: nothing is sent by a list of sender profiles that is not whole', async () => {
    let isOn = true;
    const trial = createOutboxTrial(emptyPages('/sender-profiles', () => isOn));
    await trial.ready(row('ann@firm.io', 'Hello'));
    expect(await trial.run()).toMatchObject({ status: 'failed', error: expect.stringContaining('only 0 of 1') });
    expect(trial.sends()).toBe(0);
    isOn = false;
    await trial.run();
    expect(trial.sends()).toBe(1);
  });
});

describe('P4: the sender profiles are read again for every ten messages', () => {
  const twelve = Array.from({ length: 12 }, (_, index) => row('ann@firm.io', `Hi ${index}`));

  /** Twelve messages of one run. Something happens once ten of them were sent. */
  function withTwelve(onTen: (trial: ReturnType<typeof createOutboxTrial>) => void, isListCut = () => false) {
    let count = 0;
    const trial = createOutboxTrial({
      outbox: { sends_per_hour: 100 },
      around: async (request, next) => {
        const answer = await next(request);
        const isSend = request.method === 'POST' && request.url.includes('messages');
        if (isSend && (count += 1) === 10) onTen(trial);
        const isCutOff = isListCut() && request.url.includes('/sender-profiles');
        return isCutOff ? Response.json({ ...((await answer.json()) as object), data: [] }) : answer;
      },
    });
    return trial;
  }

  test('P4, L9: nothing goes out from a profile whose label another one got since', async () => {
    const trial = withTwelve(({ service, sender }) => {
      const { senderProfiles } = service.model;
      senderProfiles.table.change(sender.uuid, { label: 'Left the firm' }, Date.now());
      senderProfiles.add({ first_name: 'Eva', last_name: 'Neu', label: 'Sales' });
    });
    await trial.ready(...twelve);
    await trial.run();
    const senders = [...trial.service.model.inbox.messages.all()].map(({ sender_profile_uuid: uuid }) => uuid);
    expect(senders).toHaveLength(12);
    expect(senders.filter((uuid) => uuid === trial.sender.uuid)).toHaveLength(10);
    expect(trial.crmCalls('sender-profiles.list')).toHaveLength(2);
  });

  test('P4: nothing goes out from a profile that was disabled since', async () => {
    const trial = withTwelve(({ service, sender }) => {
      service.model.senderProfiles.table.change(sender.uuid, { status: 'disabled' }, Date.now());
    });
    await trial.ready(...twelve);
    await trial.run();
    expect(trial.sends()).toBe(10);
    expect(trial.rowWith('Hi 11')['Sync']).toBe('refused: the sender profile "Sales" is disabled');
  });

  test('P4, L12: a list that is not whole then sends nothing more, and what was sent is told in its row', async () => {
    let isCut = false;
    const trial = withTwelve(
      () => (isCut = true),
      () => isCut,
    );
    await trial.ready(...twelve);
    const report = await trial.run();
    isCut = false;
    expect(report).toMatchObject({ status: 'partial' });
    expect(report.problems.map(({ reason }) => reason).join('\n')).toContain('only 0 of 1');
    expect(trial.sends()).toBe(10);
    expect(trial.rowWith('Hi 0')['Sync']).toMatch(/^sent /);
    await trial.run();
    expect(trial.sends()).toBe(12);
  });
});

describe('W3: a saved plan', () => {
  test('sends its message although more than a batch of others are due before it by now', async () => {
    const trial = createOutboxTrial({ outbox: { settle_secs: 0 } });
    const others = Array.from({ length: 11 }, (_, index) => row('ann@firm.io', `Other ${index}`, ''));
    await trial.ready(...others, row('bob@firm.io', 'Planned'));
    const { jobs } = await trial.start();
    const job = jobs.get('messages')!;
    const request = { isFull: false, isAsked: true, signal: new AbortController().signal };
    const { saved } = await job.plan(request);
    for (const [, , text = ''] of others) trial.put(text, 'Send', 'yes');
    await job.apply!(saved!, request);
    expect(trial.sent()).toEqual(['bob: Planned']);
    await trial.run();
    expect(trial.sent()).toHaveLength(12);
  });

  /** Twelve messages are planned and applied. `happen` is called right before the call of the fifth one. */
  async function appliedTwelve(happen: Parameters<typeof twelveDue>[1]) {
    const trial = await twelveDue(5, happen);
    const job = (await trial.start()).jobs.get('messages')!;
    const request = { isFull: false, isAsked: true, signal: new AbortController().signal };
    const { saved, report } = await job.plan(request);
    expect(report.changes).toHaveLength(12);
    return { trial, report: await job.apply!(saved!, request) };
  }

  test('sends all of its messages, also if they are more than a batch', async () => {
    const { trial, report } = await appliedTwelve(() => {});
    expect(report).toMatchObject({ status: 'succeeded', counts: { sent: 12 } });
    expect(trial.sent()).toHaveLength(12);
  });

  test.each([
    ['Send', ''],
    ['Text', 'text 11, edited'],
  ])(
    'P4, W3: a message whose %s a person changes while others are sent is not sent, and its row is named',
    async (header, value) => {
      const { trial, report } = await appliedTwelve(({ put }) => put('text 11', header, value));
      expect(trial.sends()).toBe(11);
      expect(trial.sent().filter((text) => text.startsWith('ann: text 11'))).toEqual([]);
      expect(report.problems).toContainEqual(expect.objectContaining({ kind: 'held', rule: 'W3', row: 13 }));
    },
  );
});

describe('W9: marks that a run left behind', () => {
  test('are removed by the next run, although it has nothing to send or to write', async () => {
    const trial = createOutboxTrial({ outbox: { settle_secs: 0 } });
    await trial.ready(row('ann@firm.io', 'Hello'));
    const marks = () =>
      [...trial.file.content.metadataById.values()].filter(({ key }) => key === 'p' || key === 'a').length;
    trial.atEachInstant((what) => {
      if (what === 'answered' && marks() > 0) trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    expect(marks()).toBeGreaterThan(0);
    trial.put('Hello', 'Send', '');
    await trial.start();
    await trial.run();
    expect(marks()).toBe(0);
  });
});

test.each([['empties Send'], ['deletes its row'], ['cancels, and empties Send']])(
  'P1, L12: nobody is told that the turn of a message comes whose yes is gone (a person %s)',
  async (how) => {
    const trial = createOutboxTrial({ outbox: { sends_per_hour: 1 } });
    await trial.ready(
      ['ann@firm.io', 'Sales', 'one', 'yes'],
      ['bob@firm.io', 'Sales', 'two', 'yes'],
      ['cy@firm.io', 'Sales', 'three', 'yes'],
    );
    await trial.run();
    const id = trial.rowWith('two')['Outbox ID'] ?? '';
    if (how.startsWith('cancels')) {
      await trial.cli('cancel', id, '--sync', 'messages');
      await trial.run();
      await pass(10_000);
    }
    if (how === 'deletes its row') trial.person.deleteRows('Prospects', 3);
    else trial.put('two', 'Send', '');
    await trial.run();
    const { stdout } = await trial.cli('outbox', '--state', 'waiting');
    expect(stdout).toContain('its Send cell does not say yes, or its row is gone');
    expect(stdout.match(/it is sent once its turn comes/g)).toHaveLength(1);
    expect((await trial.cli('status')).stdout).toContain('1 sent, 1 waiting');
    expect((await trial.cli('explain', 'bob@firm.io')).stdout).not.toContain('turn comes');
    if (how === 'deletes its row') return;
    const writes = trial.writes().sheet;
    await trial.run();
    expect(trial.writes().sheet).toBe(writes);
    // The yes that is typed again is the last one.
    await pass(10_000);
    trial.put('two', 'Send', 'yes');
    await trial.run();
    expect(trial.rowWith('two')['Sync']).toBe('waiting: 1 ahead, cap 1/h');
    await pass(hourMs + 10_000);
    await trial.run();
    await pass(hourMs + 10_000);
    await trial.run();
    expect(trial.sent()).toEqual(['ann: one', 'cy: three', 'bob: two']);
  },
);
