import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planAnswer, syncAnswer } from '../../src/operator/answers/runs.ts';
import { statusAnswer } from '../../src/operator/answers/status.ts';
import { createOutboxTrial } from '../engine/outbox/support.ts';

/* The commands for an outbox. */

const long = `Hi Ann,\n\n${'a long line '.repeat(20).trim()}\n\nMax`;

async function createPlanned() {
  const trial = createOutboxTrial();
  await trial.ready(['ann@firm.io', 'Sales', long, 'yes'], ['bob@firm.io', 'Max Muster', 'Hi Bob', 'yes']);
  return trial;
}

test('P1: plan lists every message in full with recipient and sender, writes nothing, and exits 2', async () => {
  const trial = await createPlanned();
  const before = JSON.stringify([trial.rows(), trial.stateFiles('messages')]);
  const { code, stdout } = await trial.cli('plan');
  expect(code).toBe(2);
  expect(stdout).toMatch(/^messages: 2 changes of 2 records, \d+ calls to the service/);
  expect(stdout).toContain('  2 messages to SEND\n    row 2, to ann <ann@firm.io>, from Sales\n      Text: Hi Ann,\n');
  expect(stdout).toContain(`        |\n        | ${'a long line '.repeat(20).trim()}\n        |\n        | Max\n`);
  expect(stdout).toContain('    row 3, to bob <bob@firm.io>, from Sales\n      Text: Hi Bob\n');
  expect(JSON.stringify([trial.rows(), trial.stateFiles('messages')])).toBe(before);
  expect(trial.sends()).toBe(0);
});

test('P1: plan --json has each field of each message', async () => {
  const trial = await createPlanned();
  const { stdout } = await trial.cli('plan', '--json');
  const { changes } = planAnswer.parse(JSON.parse(stdout)).syncs[0]!;
  const [ann] = trial.people;
  expect(changes.filter(({ row }) => row === 2)).toMatchObject([
    { op: 'send', contact: ann!.uuid, field: 'lead_uuid', after: ann!.uuid },
    { op: 'send', contact: ann!.uuid, field: 'sender_profile_uuid', after: trial.sender.uuid },
    { op: 'send', contact: ann!.uuid, field: 'text', after: long },
  ]);
});

test('W3: apply sends exactly the saved messages; one that changed since is refused by row, a new one waits', async () => {
  const trial = await createPlanned();
  const file = join(trial.folder, 'plan.json');
  expect((await trial.cli('plan', '--out', file)).stderr).toContain('saved; leadsheet apply');
  trial.put('Hi Bob', 'Text', 'Hi Bobby');
  trial.person.paste("'Prospects'!A4", [['cy@firm.io', 'Sales', 'Hi Cy', 'yes']]);
  const { code, stdout } = await trial.cli('apply', file);
  expect(code).toBe(3);
  expect(trial.sent()).toEqual([`ann: ${long}`]);
  expect(stdout).toContain('row:3: held: not applied: it changed, or does not say yes any more');
  const again = await trial.cli('apply', file);
  expect(again).toMatchObject({ code: 3, stdout: expect.stringContaining('already done: 1 record of the plan') });
  expect(trial.sends()).toBe(1);
});

test('W3, P1: a plan of messages that were all sent is done already: exit 0, and nothing is sent twice', async () => {
  const trial = await createPlanned();
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  expect((await trial.cli('apply', file)).code).toBe(0);
  expect(await trial.cli('apply', file)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('already done: 2 records of the plan'),
  });
  expect(trial.sends()).toBe(2);
});

test('P5: sync and status show the number of sent messages and the open problems', async () => {
  const trial = await createPlanned();
  trial.person.paste("'Prospects'!A4", [['zed@firm.io', 'Sales', 'Hi', 'yes']]);
  const { code, stdout } = await trial.cli('sync');
  expect(code).toBe(3);
  expect(stdout).toContain('  2 rows sent; messages: 2 sent now; rows: 2 set\n  1 problem needs somebody:\n');
  expect(stdout).toContain(
    '(row 4): refused: the contact does not exist (a message is judged just before the call, P4)\n',
  );
  const status = await trial.cli('status');
  expect(status.stdout).toMatch(/^messages: partial; last run \S+, ended .*\n {2}2 sent, 1 refused\n/);
  const { syncs } = statusAnswer.parse(JSON.parse((await trial.cli('status', '--json')).stdout));
  expect(syncs).toMatchObject([{ name: 'messages', counts: { linked: 2, held: 1 } }]);
  const { counts } = syncAnswer.parse(JSON.parse((await trial.cli('sync', '--json')).stdout)).syncs[0]!;
  expect(counts).toMatchObject({ linked: 2, sent: 0 });
});

test('P3: retry asks for confirmation, names the recipient, and sends only with --yes', async () => {
  const trial = createOutboxTrial();
  await trial.ready(['ann@firm.io', 'Sales', 'Hi', 'yes']);
  trial.service.faults.inject({ kind: 'lost', operation: 'network-messages.send', when: 'before' });
  await trial.cli('sync');
  const id = trial.rowWith('Hi')['Outbox ID']!;
  const asked = await trial.cli('retry', id);
  expect(asked.code).toBe(64);
  expect(asked.stderr).toContain(
    'it is unknown whether the message to ann <ann@firm.io> was sent (2026-11-21): look in the service and, if not, say --yes; else it is sent twice',
  );
  expect((await trial.cli('retry')).stdout).toContain('nothing is quarantined, parked or refused');
  expect((await trial.cli('retry', 'row:2', '--yes')).stdout).toContain(`messages: ${id} is tried again`);
  await trial.cli('sync');
  expect(trial.sent()).toEqual(['ann: Hi']);
  const again = await trial.cli('retry', id);
  expect(again.stderr).toContain('the message to ann <ann@firm.io> was sent already (2026-11-21): say --yes');
});

test('P3: a row that is edited after the last run is not sent by retry --yes; status and log say so, and retry asks about the new text', async () => {
  const trial = createOutboxTrial();
  await trial.ready(['ann@firm.io', 'Sales', 'Hi', 'yes'], ['bob@firm.io', 'Sales', 'Hi Bob', 'yes']);
  await trial.cli('sync');
  const id = trial.rowWith('Hi')['Outbox ID']!;
  trial.put('Hi', 'Text', 'Ho');
  // The last run saw what was sent.
  expect((await trial.cli('retry', id)).stderr).toContain('In the last run the row said what was sent.');
  expect((await trial.cli('retry', id, '--yes')).stdout).toContain(
    `${id} is tried again with the text of its row in the last run, which is what the ledger has; if the row was edited since, nothing is sent`,
  );
  const plan = await trial.cli('plan');
  expect(plan.stdout).not.toContain('to SEND');
  const { stdout } = await trial.cli('sync');
  expect(trial.sent()).toEqual(['ann: Hi', 'bob: Hi Bob']);
  expect(stdout).toContain(
    `not sent again: the row was edited since a person asked to send it again: read it, then leadsheet retry ${id} --yes if it is still to be sent`,
  );
  expect((await trial.cli('status')).stdout).toContain(
    `read the row; if it is still to be sent, leadsheet retry ${id}`,
  );
  const { stdout: log } = await trial.cli('log', '--outcome', 'void');
  expect(log).toContain('NOTHING CAME OF IT: it was cancelled since, or its row was edited since');
  expect((await trial.cli('retry', id)).stderr).toContain('The text has changed since it was sent.');
  expect((await trial.cli('retry', id, '--yes')).stdout).toContain('which is not what was sent before');
  await trial.cli('sync');
  await trial.cli('sync');
  expect(trial.sent()).toEqual(['ann: Hi', 'bob: Hi Bob', 'ann: Ho']);
});

test('P2: a message that looks the same as a sent one is sent only by retry with --yes', async () => {
  const trial = createOutboxTrial();
  await trial.ready(['ann@firm.io', 'Sales', 'Hi', 'yes'], [trial.people[0]!.uuid, 'Sales', 'Hi', 'yes']);
  await trial.cli('sync');
  await trial.cli('sync');
  const id = trial.rows()[1]!['Outbox ID']!;
  const asked = await trial.cli('retry', id);
  expect(asked.code).toBe(64);
  expect(asked.stderr).toContain('the message to ann <ann@firm.io> looks the same as');
  await trial.cli('retry', id, '--yes');
  await trial.cli('sync');
  await trial.cli('sync');
  expect(trial.sent()).toEqual(['ann: Hi', 'ann: Hi']);
});

test('P4: retry without --yes asks the service again about refused rows', async () => {
  const trial = createOutboxTrial();
  await trial.ready(['zed@firm.io', 'Sales', 'Hi', 'yes']);
  await trial.cli('sync');
  trial.addContact({ first_name: 'zed', email: 'zed@firm.io' });
  await trial.cli('sync');
  expect(trial.sends()).toBe(0);
  expect((await trial.cli('retry')).code).toBe(0);
  await trial.cli('sync');
  expect(trial.sent()).toEqual(['zed: Hi']);
});

test('P6: plan shows the messages that approve would let through, and approve lets them through', async () => {
  const trial = createOutboxTrial({
    rows: [
      ['ann@firm.io', 'Sales', 'Hi', 'yes'],
      ['ann@firm.io', 'Salez', 'Ho', 'yes'],
    ],
  });
  const { stdout } = await trial.cli('sync');
  const [, run = ''] = /leadsheet approve messages --run (\S+)\n/.exec(stdout) ?? [];
  expect(stdout).toContain('to let them be sent: ');
  expect((await trial.cli('status')).stdout).toContain(
    '  messages wait: 2 rows that say yes were there before the state (rows that a new state finds are approved once, P6)\n',
  );
  const planned = await trial.cli('plan');
  expect(planned.stdout).toContain(
    'messages: nothing to do\n\n  once it is approved:\n  1 message to SEND\n' +
      '    row 2, to ann <ann@firm.io>, from Sales\n      Text: Hi\n',
  );
  expect(planned.stdout).toContain('(row 3): refused: no such sender profile: "Salez", did you mean "Sales"?');
  const { changes, once_approved } = planAnswer.parse(JSON.parse((await trial.cli('plan', '--json')).stdout)).syncs[0]!;
  expect(changes).toEqual([]);
  expect(once_approved).toMatchObject([{ op: 'send', row: 2, field: 'lead_uuid' }, {}, { field: 'text', after: 'Hi' }]);
  expect(trial.sends()).toBe(0);
  expect((await trial.cli('approve', 'messages', '--run', run)).stdout).toContain('messages: approved for 2 messages;');
  await trial.cli('sync');
  expect(trial.sent()).toEqual(['ann: Hi']);
});

test('check looks at state, senders, tab and headers of an outbox', async () => {
  const trial = createOutboxTrial();
  const { code, stdout } = await trial.cli('check');
  expect(code).toBe(0);
  expect(stdout).toContain('0 syncs, 0 feeds, 1 outbox\n');
  expect(stdout).toMatch(/ok {7}messages: state +new: /);
  expect(stdout).toMatch(/ok {7}messages: senders +may send from "Sales"\n/);
  expect(stdout).toContain('4 of 9 are there; the first run makes: Outbox ID, Message, Sent at, Delivery, Sync');
});

test('check refuses a tab with other content, and a service without senders', async () => {
  const trial = createOutboxTrial({ headers: ['Name', 'Phone'] });
  trial.service.model.senderProfiles.table.change(trial.sender.uuid, { status: 'disabled' }, Date.now());
  const { code, stdout } = await trial.cli('check');
  expect(code).toBe(1);
  expect(stdout).toContain('has none of the columns To, From, Text');
  expect(stdout).toContain('no sender profile is enabled: nothing can be sent');
});

test('a command that takes syncs refuses an outbox', async () => {
  const trial = createOutboxTrial();
  const { code, stderr } = await trial.cli('conflicts', 'messages');
  expect(code).toBe(64);
  expect(stderr).toContain('messages is an outbox, and this command takes syncs: there are none');
});

test('S8, P1: what an outbox sent cannot be taken back', async () => {
  const trial = await createPlanned();
  await trial.cli('sync');
  const { stdout } = await trial.cli('runs', '--json');
  const run = (JSON.parse(stdout) as { runs: { run: string; counts: { sent: number } }[] }).runs.find(
    ({ counts }) => counts.sent > 0,
  )!.run;
  expect(await trial.cli('undo', run, '--yes')).toMatchObject({
    code: 1,
    stderr: `leadsheet: run ${run} is of the outbox messages: what it sent is sent, and nothing of it can be taken back\n`,
  });
});

test('P3: retry of the row of a sent message says that nothing was open about it, and leads to the ID that sends it again', async () => {
  const trial = await createPlanned();
  await trial.cli('sync');
  const { code, stderr } = await trial.cli('retry', 'row:3');
  expect(code).toBe(64);
  expect(stderr).toContain('nothing was open about row:3 in the last run: leadsheet explain row:3 says how it stands');
  const explained = await trial.cli('explain', 'row:3');
  const [, id = ''] = /^ {2}id +(\S+)$/m.exec(explained.stdout) ?? [];
  const doubt = await trial.cli('retry', id);
  expect(doubt.stderr).toContain('the message to bob <bob@firm.io> was sent already (2026-11-21)');
  expect((await trial.cli('retry', id, '--yes')).code).toBe(0);
  await trial.cli('sync');
  expect(trial.sends()).toBe(3);
});
