import { expect, test } from 'vitest';
import { enrolmentStates, messageStates } from '../../src/cli/commands/ledgers.ts';
import { budgetsPage } from '../../src/operator/answers/budgets.ts';
import { ledgerState } from '../../src/operator/answers/history.ts';
import { enrolmentsPage, feedsPage, messagesPage } from '../../src/operator/answers/ledgers.ts';
import { createEnrolmentTrial } from '../engine/enrolment/support.ts';
import { createOutboxTrial } from '../engine/outbox/support.ts';
import { createSyncTrial } from '../support/app.ts';

/* The commands that show what jobs keep besides their standing. */

const hostile = 'x\u001b[2J\r\n  forged line';

test('P3: outbox lists what is sent and what is unknown, with the cap and what to do; --state, --after and --json', async () => {
  const trial = createOutboxTrial();
  expect((await trial.cli('outbox')).stdout).toBe(
    'messages: 0 of 20 in the last hour; sends network messages\nno such message\n',
  );
  trial.change('bob@firm.io', { first_name: hostile, name: hostile });
  await trial.ready(['ann@firm.io', 'Sales', 'Hello', 'yes'], ['bob@firm.io', 'Sales', 'Hi', 'yes']);
  trial.service.faults.inject({ kind: 'lost', operation: 'network-messages.send', when: 'before' });
  await trial.run();
  const { stdout, code } = await trial.cli('outbox');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^messages: 1 (?:unknown, 1 sent|sent, 1 unknown), 2 of 20 in the last hour/);
  expect(stdout).toMatch(/ {2}sent {2}\S.*, messages row \d/);
  expect(stdout).toMatch(/ {2}unknown {2}\S.*, messages row \d.*\n(?: {4}.*\n)* {4}.*leadsheet retry/);
  expect(stdout).not.toContain('\u001b');
  expect(stdout).not.toMatch(/^ {2}forged line/m);
  const unknown = await trial.cli('outbox', 'messages', '--state', 'unknown', '--json');
  expect(messagesPage.parse(JSON.parse(unknown.stdout)).messages).toHaveLength(1);
  const first = messagesPage.parse(JSON.parse((await trial.cli('outbox', '-n', '1', '--json')).stdout));
  const rest = messagesPage.parse(JSON.parse((await trial.cli('outbox', '--after', first.next!, '--json')).stdout));
  expect([first.total, new Set([...first.messages, ...rest.messages].map(({ id }) => id)).size]).toEqual([2, 2]);
  expect((await trial.cli('outbox', '-n', '1')).stdout).toMatch(/\n1 of 2: -n 2 shows all\n$/);
  expect(await trial.cli('outbox', 'mesages')).toMatchObject({ code: 64, stderr: expect.stringContaining('messages') });
  expect(await trial.cli('outbox', '--state', 'snet')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('sent'),
  });
  expect((await trial.cli('enrolments')).stdout).toBe('no sync puts contacts into automations\n');
  expect((await trial.cli('feeds')).stdout).toBe('no feed is configured\n');
});

test('enrolments lists who is in which automation and who waits, with vetoes and the cap; --contact finds a person', async () => {
  const trial = createEnrolmentTrial({
    automation: { unless: { Company: ['Rival'] } },
    sync: { limits: { enrolments_per_hour: 1 } },
  });
  for (const name of ['Ann', 'Bob']) trial.addContact({ first_name: name, email: `${name.toLowerCase()}@firm.io` });
  await trial.cli('sync');
  for (const name of ['ann', 'bob']) trial.type(`${name}@firm.io`, 'Automation', 'Welcome');
  await trial.cli('sync');
  const { stdout } = await trial.cli('enrolments');
  expect(stdout).toMatch(/^prospects: .*1 of 1 in the last hour; nobody where Company is Rival\n/);
  expect(stdout).toMatch(/ {2}enrolled {2}(?:Ann|Bob) <\w+@firm\.io>, row \d, prospects: Welcome\n/);
  const read = async (...args: string[]) =>
    enrolmentsPage.parse(JSON.parse((await trial.cli('enrolments', '--json', ...args)).stdout));
  const all = await read();
  expect(all.enrolments.filter(({ state }) => state === 'enrolled')).toHaveLength(1);
  const [enrolled] = (await read('--state', 'enrolled')).enrolments;
  expect((await read('prospects', '--contact', enrolled!.contact)).enrolments).toEqual([enrolled]);
  expect((await read('--automation', 'WELCOME')).total).toBe(all.total);
  expect((await read('--contact', 'nobody@firm.io')).total).toBe(0);
});

test('feeds and budgets say what is shown and how much is used, also without a daemon', async () => {
  const trial = createSyncTrial({
    values: [[]],
    feeds: {
      flows: { resource: 'automations', columns: { ID: 'uuid', Name: 'name', Status: 'status' }, control: true },
    },
  });
  trial.service.model.automations.add({ name: 'Welcome', status: 'off' });
  await trial.cli('sync');
  expect((await trial.cli('feeds')).stdout).toBe(
    'flows: automations in the tab Prospects; 1 row; people may set Status\n',
  );
  const [feed] = feedsPage.parse(JSON.parse((await trial.cli('feeds', '--json')).stdout)).feeds;
  expect(feed).toMatchObject({ name: 'flows', rows: 1, gone: 0 });
  const { stdout } = await trial.cli('budgets');
  expect(stdout).toContain('no daemon is known to run: leadsheet run starts one\n');
  const { budgets, jobs } = budgetsPage.parse(JSON.parse((await trial.cli('budgets', 'flows', '--json')).stdout));
  expect([budgets, jobs.map(({ name }) => name)]).toEqual([[], ['flows']]);
  expect((await trial.cli('budgets', 'nope')).code).toBe(64);
});

test('the words of --state are those of the answers, and stand in the completion', async () => {
  expect(enrolmentStates).toEqual(ledgerState.options);
  expect(messageStates).toEqual(messagesPage.shape.messages.element.shape.state.options);
  const trial = createSyncTrial();
  const words = (await trial.cli('complete-line', '--', 'outbox', '--state', '')).stdout.split('\n');
  expect(words.map((line) => line.split('\t')[0]).filter(Boolean)).toEqual([...messageStates]);
  const syncs = (await trial.cli('complete-line', '--', 'enrolments', '')).stdout;
  expect(syncs).toMatch(/^prospects/);
});
