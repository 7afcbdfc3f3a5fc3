import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEnrolmentTrial } from '../engine/enrolment/support.ts';
import { createOutboxTrial } from '../engine/outbox/support.ts';
import { protect } from '../engine/sheet-refusals.ts';
import { createConflicts, createLinkedTrial, header } from '../operator/support.ts';
import { copy } from '../operator/explain/support.ts';
import { createSyncTrial, tabTitle } from '../support/app.ts';
import type { CliRun } from '../support/cli.ts';

/* The commands that status and sync print below open problems, copied as they are. */

type LostContact = Awaited<ReturnType<typeof createLinkedTrial>>;

interface Trial {
  readonly cli: (...args: string[]) => Promise<CliRun>;
}

/** The advice lines of an output. */
function adviceIn(stdout: string): readonly string[] {
  return [...stdout.matchAll(/^ {4}-> (.*)$/gm)].map(([, line]) => line!);
}

function commandsIn(stdout: string): readonly string[] {
  return adviceIn(stdout).flatMap((line) => [...line.matchAll(/leadsheet [^,;]+/g)].map(([command]) => command));
}

async function advised(trial: Trial): Promise<readonly string[]> {
  return commandsIn((await trial.cli('status')).stdout);
}

/** A new row that the service refuses until `accept` is called. */
async function createRefusedRow() {
  let isRefusing = true;
  const trial = createSyncTrial({
    values: [header, ['Ann', 'A', 'Firm', 'ann@firm.io']],
    around: async (request, next) =>
      isRefusing && request.url.endsWith('/upsert')
        ? Response.json({ message: 'no more seats', errors: { email: ['no more seats'] } }, { status: 422 })
        : next(request),
  });
  const first = await trial.cli('sync');
  return { ...trial, first, accept: () => void (isRefusing = false) };
}

test('M1: the advice about a conflict is a command with its id, and decides it', async () => {
  const trial = await createConflicts(['Ann']);
  const id = `${trial.uuidOf('Ann')}/company_name`;
  expect(await advised(trial)).toEqual([`leadsheet resolve ${id} --use crm`]);
  expect(await copy(trial, `leadsheet resolve ${id} --use crm`)).toMatchObject({ code: 0, stderr: '' });
  expect(await trial.cli('sync')).toMatchObject({ code: 0 });
  expect(trial.rowOf('ann@firm.io')['Company']).toBe('Ann Crm');
});

test('conflicts prints a command with an id, for one conflict and for several', async () => {
  const trial = await createConflicts(['Ann', 'Bob']);
  const last = async () => (await trial.cli('conflicts')).stdout.trimEnd().split('\n').at(-1)!;
  const several = await last();
  expect(several).toMatch(
    /^Decide one after the other: leadsheet resolve; or each by its id: leadsheet resolve \S+ --use crm, or --use sheet, or --value TEXT; or make both sides equal$/,
  );
  expect(await copy(trial, /leadsheet resolve \S+ --use crm/.exec(several)![0])).toMatchObject({ code: 0 });
  await trial.cli('sync');
  const one = await last();
  expect(one).toMatch(/^Decide: leadsheet resolve \S+ --use crm, or --use sheet/);
  expect(await copy(trial, /leadsheet resolve \S+ --use crm/.exec(one)![0])).toMatchObject({ code: 0 });
  await trial.cli('sync');
  expect((await trial.cli('conflicts')).stdout).toBe('no conflicts\n');
});

test('of many conflicts three commands are printed, and how many more there are', async () => {
  const trial = await createConflicts(['Ann', 'Bob', 'Cyd', 'Dan', 'Eve']);
  const { stdout } = await trial.cli('status');
  expect(commandsIn(stdout)).toHaveLength(3);
  expect(adviceIn(stdout).at(-1)).toBe('conflict: 2 more in the same way, each by its own id');
  for (const command of commandsIn(stdout)) expect(await copy(trial, command)).toMatchObject({ code: 0 });
});

test('W5: the advice about a refused new row names its job, and tries the row again', async () => {
  const trial = await createRefusedRow();
  const command = 'leadsheet retry row:2 --sync prospects';
  expect(commandsIn(trial.first.stdout)).toEqual([command]);
  expect(await advised(trial)).toEqual([command]);
  trial.accept();
  expect(await copy(trial, command)).toMatchObject({ code: 0, stderr: '' });
  expect(await trial.cli('sync')).toMatchObject({ code: 0 });
  expect(trial.contacts()).toHaveLength(1);
});

test('D1: the advice about a deleted row names the contact, and gives it a new row', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay']);
  const uuid = trial.uuidOf('Ann');
  trial.person.deleteRows('Prospects', trial.rowNumberOf('ann@firm.io'));
  await trial.cli('sync');
  expect(await advised(trial)).toEqual([`leadsheet retry ${uuid}`]);
  expect(await copy(trial, `leadsheet retry ${uuid}`)).toMatchObject({ code: 0 });
  await trial.cli('sync');
  expect(trial.rowOf('ann@firm.io')['Contact ID']).toBe(uuid);
});

test.each([
  ['delete the row', (trial: LostContact) => trial.person.deleteRows(tabTitle, 2), 1],
  ['clear its ID to make a new contact of it', (trial: LostContact) => trial.type('ann@firm.io', 'Contact ID', ''), 2],
])('D3: of a row whose contact was deleted, the advice names no retry, and ends it: %s', async (what, act, linked) => {
  const trial = await createLinkedTrial(['Ann', 'Bob'], { sync: { on_contact_deleted: 'mark' } });
  trial.service.model.contacts.remove(trial.uuidOf('Ann'));
  const { stdout } = await trial.cli('sync', '--full');
  expect(adviceIn(stdout)).toEqual([
    'ignored: nothing, or delete the row, or clear its ID to make a new contact of it',
  ]);
  expect((await trial.cli('explain', 'row:2')).stdout).toContain(`- ${what}\n`);
  act(trial);
  expect(await trial.run()).toMatchObject({ counts: { linked, ignored: 0 } });
  expect(await advised(trial)).toEqual([]);
});

test('D4: of a row whose contact is in another list, the advice names no retry, and ends it', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob']);
  const move = (list: { readonly uuid: string }) =>
    trial.service.model.contacts.change(trial.uuidOf('Ann'), { fields: { list_uuid: list.uuid } });
  move(trial.service.model.lists.add({ name: 'Customers' }));
  const { stdout } = await trial.cli('sync', '--full');
  expect(adviceIn(stdout)).toEqual([
    'ignored: nothing, or put the contact back in it in the service, or delete the row',
  ]);
  move(trial.list);
  expect(await trial.run()).toMatchObject({ counts: { linked: 2, ignored: 0 } });
});

test('D4: of a row whose contact the filter leaves out, the advice is about the filter, and ends it', async () => {
  const filter = { company_name: 'Firm' };
  const trial = await createLinkedTrial(['Ann', 'Bob'], { sync: { contacts: { list: 'Prospects', filter } } });
  trial.change('ann@firm.io', { company_name: 'Other' });
  const { stdout } = await trial.cli('sync', '--full');
  expect(adviceIn(stdout)).toEqual([
    'ignored: nothing, or change the contact in the service so that contacts.filter lets it through, or change contacts.filter, or delete the row',
  ]);
  const { stdout: explained } = await trial.cli('explain', 'row:2');
  expect(explained).toContain('- change contacts.filter\n');
  expect(explained).not.toContain('put the contact back');
  trial.change('ann@firm.io', { company_name: 'Firm' });
  expect(await trial.run()).toMatchObject({ counts: { linked: 2, ignored: 0 } });
});

test('P3: the advice about a message of unknown outcome names the row, and sends it once', async () => {
  const trial = createOutboxTrial();
  await trial.ready(['ann@firm.io', 'Sales', 'Hi', 'yes']);
  trial.service.faults.inject({ kind: 'lost', operation: 'network-messages.send', when: 'before' });
  await trial.cli('sync');
  const id = trial.rowWith('Hi')['Outbox ID']!;
  expect(await advised(trial)).toEqual([`leadsheet retry ${id} --sync messages --yes`]);
  expect(await copy(trial, (await advised(trial))[0]!)).toMatchObject({ code: 0 });
  await trial.cli('sync');
  expect(trial.sent()).toEqual(['ann: Hi']);
});

test('no advice of any kind of problem has a placeholder of an id', async () => {
  const trial = await createConflicts(['Ann']);
  for (const output of ['status', 'plan', 'sync', 'conflicts']) {
    const { stdout } = await trial.cli(output);
    expect(stdout).not.toMatch(/leadsheet \w+ (ID|NAME|RUN)\b/);
    expect(stdout).not.toContain('crm|sheet');
  }
});

test('I2: a row without a key is told what to fill, and not that nothing is to do', async () => {
  const trial = createSyncTrial({ values: [header, ['Ann', 'A', 'Firm', '']] });
  const { stdout } = await trial.cli('sync');
  expect(stdout).toContain('has no match key yet: fill ');
  expect(adviceIn(stdout)).toEqual(['waiting: nothing but what it names: it is done once what it waits for is there']);
});

test('E4: an enrolment that the service refused while its automation was off is carried out by the advice, and not by itself', async () => {
  const trial = createEnrolmentTrial({ switches: { addToStopped: 'refused' } });
  const [uuid] = await trial.linked('ann@firm.io');
  const { table } = trial.service.model.automations;
  table.change(trial.welcome.uuid, { status: 'off' }, Date.now());
  trial.type('ann@firm.io', 'Automation', 'Welcome');
  await trial.cli('sync');
  const retry = `leadsheet retry ${uuid}/${trial.welcome.uuid}`;
  const { stdout } = await trial.cli('status');
  expect(adviceIn(stdout)).toEqual([
    `refused: correct what it names; then ${retry}, or take the automation out of its cell, and name it again after a run`,
  ]);
  table.change(trial.welcome.uuid, { status: 'on' }, Date.now());
  await trial.cli('sync');
  expect(trial.enrolled()).toEqual([]);
  expect(await copy(trial, retry)).toMatchObject({ code: 0, stderr: '' });
  await trial.cli('sync');
  expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
});

test.each(['plan', 'undo'])('the command that %s prints for its file is one that a shell takes', async (name) => {
  const trial = await createLinkedTrial(['Ann']);
  trial.change('ann@firm.io', { company_name: 'Other' });
  const file = join(trial.folder, `the plan of ann's firm.json`);
  const [run, after] = name === 'undo' ? [(await trial.run()).run, 'Firm'] : [undefined, 'Other'];
  const { stderr } = await trial.cli(...(run === undefined ? ['plan'] : ['undo', run]), '--out', file);
  const saved = /saved; (leadsheet apply .*) does exactly this/.exec(stderr)![1]!;
  const shown = (await trial.cli('plan', '--show', file)).stdout;
  expect(/; (leadsheet apply .*) does exactly this/.exec(shown)![1]).toBe(saved);
  expect(await copy(trial, saved)).toMatchObject({ code: 0 });
  expect(trial.rowOf('ann@firm.io')['Company']).toBe(after);
});

test('F1, I4, W5: the advice about a feed names no retry, which a feed does not take', async () => {
  const columns = { ID: 'uuid', Name: 'name' };
  const trial = createSyncTrial({ values: [[]], feeds: { flows: { resource: 'automations', columns } } });
  const { automations } = trial.service.model;
  const { uuid } = automations.add({ name: 'Welcome', status: 'off' });
  await trial.cli('sync');
  const [row] = trial.person.read(`'${tabTitle}'!A2:Z2`);
  trial.person.paste(`'${tabTitle}'!A3`, [row!.map((cell) => cell ?? '')] as string[][]);
  await trial.cli('sync');
  expect(adviceIn((await trial.cli('status')).stdout)).toEqual(['quarantined: correct what it names']);
  const copied = (await trial.cli('explain', 'row:3')).stdout;
  expect(copied).toContain('flows, row 3  copy of row 2');
  expect(copied).toContain('- correct what the reason names');
  trial.person.deleteRows(tabTitle, 3);
  protect(trial, { startRowIndex: 1, endRowIndex: 2 });
  automations.table.change(uuid, { name: 'Hello' }, Date.now());
  await trial.cli('sync');
  expect(adviceIn((await trial.cli('status')).stdout)).toEqual([
    'refused: correct what it names; it is tried again by itself',
  ]);
});

test('W5: the advice about a cell of an outbox that the spreadsheet refuses names no retry, which is about messages', async () => {
  const trial = createOutboxTrial();
  await trial.cli('sync');
  const column = trial.columnIndexOf('Sync');
  trial.person.paste(`'${tabTitle}'!A2`, [[trial.people[0]!.uuid, trial.sender.uuid, 'Hello', 'yes']]);
  protect(trial, { startColumnIndex: column, endColumnIndex: column + 1 });
  expect(adviceIn((await trial.cli('sync')).stdout)).toContain(
    'refused: correct what it names; it is tried again by itself',
  );
  expect(await advised(trial)).toEqual([]);
});
