import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { createOutboxTrial } from '../../engine/outbox/support.ts';
import { tabTitle } from '../../support/app.ts';
import { copy, recordOf } from './support.ts';

/* The messages of outboxes, as they stand with the contact that they are for. */

const other = '1OtherSpreadsheetOfTheTests-0123456789abcdefg';

/** An outbox with a cap of one an hour, and a sync of the same contacts in another spreadsheet. */
async function begin() {
  const trial = createOutboxTrial({ outbox: { sends_per_hour: 1 } });
  const tabs = [{ title: 'People', sheetId: 3, rowCount: 50, columnCount: 10, values: [['First name', 'Email']] }];
  trial.sheets.model.create({ id: other, writers: [trial.account.email], tabs });
  const config = parse(readFileSync(trial.configFile, 'utf8')) as { syncs: object };
  const people = {
    contacts: { list: 'Prospects' },
    sheet: { spreadsheet: other, tab: 'People' },
    columns: { 'First name': 'first_name', Email: 'email' },
  };
  writeFileSync(trial.configFile, stringify({ ...config, syncs: { people } }));
  await trial.ready(
    ['ann@firm.io', 'Sales', 'First', 'yes'],
    [trial.people[0]!.uuid, 'Sales', 'Second', 'yes'],
    [' ANN@firm.io', 'Nobody', 'Third', 'yes'],
    ['bob@firm.io', 'Sales', 'To Bob', 'yes'],
    ['ann@firm.io', 'Sales', 'Not asked for', ''],
  );
  const sync = () => trial.cli('sync');
  await sync();
  await sync();
  const idOf = (text: string) => trial.rowWith(text)['Outbox ID'] ?? '';
  return { ...trial, sync, idOf };
}

test('P1, P4: explain of a contact shows each of its messages, with job, row, state in words, time and what releases it', async () => {
  const trial = await begin();
  const { messages } = await recordOf(trial, 'ann@firm.io', '--sync', 'people');
  const byRow = messages.toSorted((a, b) => (a.row ?? 0) - (b.row ?? 0));
  expect(byRow.map(({ row, state }) => [row, state])).toEqual([
    [2, 'sent'],
    [3, 'waiting'],
    [4, expect.stringMatching(/^(?:refused|waiting)$/)],
  ]);
  const [sent, waiting] = byRow;
  expect(sent).toMatchObject({ outbox: 'messages', standing: expect.stringMatching(/^sent/), remedies: [] });
  expect(waiting).toMatchObject({
    standing: expect.stringMatching(/^not sent yet: \d ahead, cap 1\/h$/),
    decision: null,
  });
  const cancel = `leadsheet cancel ${trial.idOf('Second')} --sync messages`;
  expect(waiting!.remedies.map(({ command }) => command)).toEqual([null, cancel]);
  const { stdout } = await trial.cli('explain', 'ann@firm.io', '--sync', 'people');
  expect(stdout).toContain(`${waiting!.standing} (messages row 3, to `);
  expect(stdout).toContain(cancel);
  expect(await copy(trial, cancel)).toMatchObject({ code: 0 });
  const decided = await trial.cli('explain', 'ann@firm.io', '--sync', 'people');
  expect(decided.stdout).toMatch(/decided: cancel the message in row 3 of messages is cancelled \(by ann/);
  expect((await trial.cli('outbox')).stdout).toContain('    it is cancelled: the next run tells its row\n');
  await trial.sync();
  const after = (await recordOf(trial, 'ann@firm.io', '--sync', 'people')).messages.find(({ row }) => row === 3);
  expect(after).toMatchObject({ state: 'cancelled', standing: 'cancelled by a person, and not sent' });
  expect(after!.remedies[0]!.command).toBe(`leadsheet retry ${trial.idOf('Second')} --sync messages`);
});

test('P3, P4: a refused message says why and when it is asked about again, an unknown one to look in the service', async () => {
  const trial = await begin();
  await new Promise((resolve) => void setTimeout(resolve, 3_700_000));
  trial.service.faults.inject({ kind: 'lost', operation: 'network-messages.send', when: 'before' });
  await trial.sync();
  await new Promise((resolve) => void setTimeout(resolve, 3_700_000));
  await trial.sync();
  const { messages } = await recordOf(trial, 'ann@firm.io', '--sync', 'people');
  const unknown = messages.find(({ row }) => row === 3)!;
  expect(unknown).toMatchObject({
    state: 'unknown',
    standing: expect.stringContaining('it is unknown whether it was sent'),
  });
  expect(unknown.remedies[0]!.command).toBe(`leadsheet retry ${unknown.id} --sync messages --yes`);
  const refused = messages.find(({ row }) => row === 4)!;
  expect(refused).toMatchObject({
    state: 'refused',
    standing: expect.stringMatching(/^refused, and not sent: no such sender/),
  });
  expect(refused.remedies.map(({ command }) => command)).toContain(`leadsheet retry ${refused.id} --sync messages`);
});

test('P2: a copy of a sent row is explained by what its status cell says, and the message by its own row', async () => {
  const trial = createOutboxTrial();
  await trial.run();
  trial.person.paste(`'${tabTitle}'!A2`, [[trial.people[0]!.uuid, trial.sender.uuid, 'Hello', 'yes']]);
  await trial.run();
  expect(trial.sent()).toEqual(['ann: Hello']);
  const [row] = trial.person.read(`'${tabTitle}'!A2:Z2`);
  trial.person.paste(`'${tabTitle}'!A3`, [row!.map((cell) => cell ?? '')] as string[][]);
  await trial.run();
  expect(await recordOf(trial, 'row:3')).toMatchObject({
    row: 3,
    standing: expect.stringContaining('copy of row 2, nothing is sent'),
    problems: [{ kind: 'quarantined', rule: 'P2', row: 3 }],
  });
  const id = String(trial.grid()[0]!['Outbox ID']);
  for (const name of ['row:2', id]) {
    expect([name, await recordOf(trial, name)]).toMatchObject([name, { id, row: 2, problems: [] }]);
  }
});

test('P2: of a message that looks the same as a sent one, explain and outbox name the retry that sends it', async () => {
  const trial = createOutboxTrial();
  await trial.ready(['ann@firm.io', 'Sales', 'Hi', 'yes'], ['ann@firm.io', 'Sales', 'Hi', 'yes']);
  await trial.run();
  const command = `leadsheet retry ${trial.rows()[1]!['Outbox ID']} --sync messages --yes`;
  const { problems, messages } = await recordOf(trial, 'row:3');
  const expected = expect.arrayContaining([expect.objectContaining({ command })]);
  expect(problems).toMatchObject([{ rule: 'P2', remedies: expected }]);
  expect(messages).toMatchObject([{ state: 'refused', remedies: expected }]);
  const shown = [(await trial.cli('explain', 'row:3')).stdout, (await trial.cli('outbox')).stdout];
  for (const text of shown) expect(text).not.toMatch(/try it again at once|nothing: it is tried again/);
  expect(await copy(trial, command)).toMatchObject({ code: 0 });
  await trial.run();
  expect(trial.sent()).toEqual(['ann: Hi', 'ann: Hi']);
});
