import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { createSyncTrial } from '../support/app.ts';
import { createOutboxTrial } from './outbox/support.ts';

/* W11 in feeds and outboxes: no column is made beside a header that is nearly its own. */

type Trial = ReturnType<typeof createSyncTrial>;

function addColumn({ configFile }: Pick<Trial, 'configFile'>, header: string, field: string): void {
  const file = parse(readFileSync(configFile, 'utf8')) as {
    feeds: { flows: { columns: Record<string, string> } };
  };
  file.feeds.flows.columns[header] = field;
  writeFileSync(configFile, stringify(file));
}

const headersOf = (trial: Pick<Trial, 'person'>) =>
  (trial.person.read("'Prospects'!1:1")[0] ?? []).filter((cell) => cell !== null && cell !== '');

/** A feed that has run with two columns; a person has typed a header beside them. */
async function createFeed(typed: string) {
  const trial = createSyncTrial({
    values: [[]],
    feeds: { flows: { resource: 'automations', columns: { ID: 'uuid', Name: 'name' } } },
  });
  trial.service.model.automations.add({ name: 'Welcome', status: 'off' });
  await trial.runFeed('flows');
  const free = headersOf(trial).length;
  trial.person.type(`Prospects!${String.fromCodePoint(65 + free)}1`, typed);
  return trial;
}

test('W11: a feed makes no column beside nearly its own header, and names both; check fails', async () => {
  const trial = await createFeed('Statuss');
  addColumn(trial, 'Status', 'status');
  const [before, writes] = [headersOf(trial), trial.sheets.log.counters.writes];
  const said = 'the header "Status" is not there, and "Statuss" is: rename it to "Status"';
  const { code, stdout } = await trial.cli('sync', 'flows');
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(said) });
  expect(stdout).toContain('Nothing was written');
  expect([headersOf(trial), trial.sheets.log.counters.writes]).toEqual([before, writes]);
  expect(await trial.cli('check')).toMatchObject({ code: 1, stdout: expect.stringContaining(said) });
});

test('W11: once the near header of a feed is renamed, the run fills that column and makes none', async () => {
  const trial = await createFeed('Statuss');
  addColumn(trial, 'Status', 'status');
  const free = headersOf(trial).length;
  trial.person.type(`Prospects!${String.fromCodePoint(64 + free)}1`, 'Status');
  expect(await trial.cli('sync', 'flows')).toMatchObject({ code: 0 });
  expect(headersOf(trial)).toHaveLength(free);
  expect(trial.grid()[0]).toMatchObject({ Name: 'Welcome', Status: 'off' });
});

test('a header of a feed that is not near stays, and the column is made beside it', async () => {
  const trial = await createFeed('My notes');
  addColumn(trial, 'Status', 'status');
  expect(await trial.cli('sync', 'flows')).toMatchObject({ code: 0 });
  expect(headersOf(trial)).toEqual(expect.arrayContaining(['My notes', 'Status']));
});

test('W11, P2: an outbox makes no ID column beside nearly its own header, sends nothing, and check fails', async () => {
  const trial = createOutboxTrial({
    headers: ['To', 'From', 'Text', 'Send', 'OutboxID'],
    rows: [['ann@firm.io', 'Sales', 'Hi', 'yes']],
  });
  const before = headersOf(trial);
  const said = 'the header "Outbox ID" is not there, and "OutboxID" is: rename it to "Outbox ID"';
  const { code, stdout } = await trial.cli('sync');
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(said) });
  expect(headersOf(trial)).toEqual(before);
  expect(trial.sends()).toBe(0);
  expect(await trial.cli('check')).toMatchObject({ code: 1, stdout: expect.stringContaining(said) });
  trial.person.type('Prospects!E1', 'Outbox ID');
  expect((await trial.cli('sync')).stdout).not.toContain('is not there');
  expect(headersOf(trial).filter((header) => header === 'Outbox ID')).toHaveLength(1);
});

test('W11: an outbox whose text column is nearly there makes no second one, and sends nothing', async () => {
  const trial = createOutboxTrial({
    headers: ['To', 'From', 'Texts', 'Send'],
    rows: [['ann@firm.io', 'Sales', 'Hi', 'yes']],
  });
  const { code, stdout } = await trial.cli('sync');
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: expect.stringContaining('the header "Text" is not there, and "Texts" is'),
  });
  expect(headersOf(trial)).toEqual(['To', 'From', 'Texts', 'Send']);
  expect(trial.sends()).toBe(0);
});
