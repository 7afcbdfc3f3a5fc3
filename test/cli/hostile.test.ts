import { expect, test } from 'vitest';
import { createOutboxTrial } from '../engine/outbox/support.ts';
import { runsAnswer } from '../../src/operator/answers/runs.ts';
import { createSyncTrial } from '../support/app.ts';
import { run } from '../support/cli.ts';

/* The terminal gets no foreign control characters: no name, header, message or answer forges a line. */

const forged = 'row 9, to boss <boss@firm.io>, from Sales';
/** Clears the screen, rings the bell, begins a line and turns the direction of the text round. */
const hostile = `x\u001b[2J\u0007\r\n    ${forged}\u0085\u2028    ${forged}\u009b31m\u202e\u007fy`;

/** Every control character but the line feed at the end of each line. */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

function expectSafe(printed: { readonly stdout: string; readonly stderr: string }): void {
  for (const text of [printed.stdout, printed.stderr]) {
    expect(text).not.toMatch(controls);
    const lines = text.split('\n').filter((line) => line.trimStart().startsWith('row 9'));
    expect(lines).toEqual([]);
  }
}

test('P1: the plan of an outbox shows each text in full, and no text, name or sender looks like another message', async () => {
  const trial = createOutboxTrial();
  trial.change('ann@firm.io', { first_name: hostile, name: hostile });
  await trial.ready(['ann@firm.io', 'Sales', `Hi\n    ${forged}\n${hostile}`, 'yes']);
  const plan = await trial.cli('plan');
  expectSafe(plan);
  expect(plan.stdout).toContain('  1 message to SEND\n');
  expect(plan.stdout).toContain(`      Text: Hi\n        |     ${forged}\n        | x\\u001b[2J\\u0007\n`);
  expect(plan.stdout.match(/^ {4}row \d+, to /gm)).toHaveLength(1);
  const { stdout } = await trial.cli('plan', '--json');
  expect(stdout).not.toMatch(controls);
  expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(`    ${forged}\u0085\u2028`).slice(1, -1));
  expectSafe(await trial.cli('status'));
});

test('L12: plan, sync, status, log and conflicts print values, refusals and reasons of one line', async () => {
  const trial = createSyncTrial({ sync: { conflict: 'manual' } });
  trial.addContact({ first_name: hostile, last_name: 'a', email: 'ann@firm.io', company_name: 'Firm' });
  trial.addContact({ first_name: 'Bob', email: 'bob@firm.io', company_name: hostile });
  for (const command of ['plan', 'sync', 'status', 'log']) expectSafe(await trial.cli(command));
  const log = await trial.cli('log');
  expect(log.stdout).toContain('\\u001b[2J');

  trial.change('bob@firm.io', { company_name: `${hostile}1` });
  trial.type('bob@firm.io', 'Company', `${hostile}2`);
  trial.type('ann@firm.io', 'Company', 'Other');
  trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.update', times: 9 });
  for (const command of ['plan', 'sync', 'status', 'log', 'runs', 'conflicts', 'check'])
    expectSafe(await trial.cli(command));
  const [last] = runsAnswer.parse(JSON.parse((await trial.cli('runs', '--json')).stdout)).runs;
  for (const id of [last!.run, hostile]) expectSafe(await trial.cli('runs', 'show', id));
  expect((await trial.cli('conflicts')).stdout).toContain('\\u001b[2J');
  for (const reference of ['bob@firm.io', 'ann@firm.io', 'row:2', hostile, `Prospects!C2`]) {
    for (const field of [[], ['Company'], [hostile]]) expectSafe(await trial.cli('explain', reference, ...field));
  }
  expect((await trial.cli('explain', 'bob@firm.io')).stdout).toContain('\\u001b[2J');
  for (const command of ['retry', 'resolve']) {
    const options = command === 'resolve' ? ['--use', 'crm'] : [];
    expectSafe(await trial.cli(command, hostile, ...options));
  }
});

test('W5, W6: the words of a service and of Google, and names of tabs, forge no line on either output', async () => {
  const refusing = createSyncTrial({
    around: async (request, next) =>
      request.url.includes('/leads/') ? Response.json({ message: hostile }, { status: 401 }) : next(request),
  });
  for (const command of ['sync', 'check', 'plan', 'status', 'runs']) {
    const printed = await refusing.cli(command);
    expectSafe(printed);
  }
  expect((await refusing.cli('sync')).stdout).toContain('\\u001b[2J');
  const named = createSyncTrial({});
  named.person.request({ updateSheetProperties: { properties: { sheetId: 7, title: hostile }, fields: 'title' } });
  for (const command of ['check', 'sync', 'status']) expectSafe(await named.cli(command));
});

test('the answer of api is the same JSON, with every control escaped; a refusal is one line', async () => {
  const uuid = '00000000-0000-4000-8000-000000000000';
  const env = { OUTREACH_BASE_URL: 'https://service.test', OUTREACH_TOKEN: 'the-token-of-the-tests' };
  const call = (answer: () => Response) =>
    run(['api', 'contacts.get', '--uuid', uuid], env, { transport: async () => answer() });
  const found = await call(() => Response.json({ uuid, first_name: hostile }));
  expectSafe(found);
  expect(JSON.parse(found.stdout)).toMatchObject({ first_name: hostile });
  const refused = await call(() => Response.json({ message: hostile }, { status: 403 }));
  expectSafe(refused);
  expect(refused.stderr.split('\n')).toHaveLength(2);
});
