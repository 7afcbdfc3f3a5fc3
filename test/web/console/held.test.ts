import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { until } from '../../support/daemon.ts';
import { beginConsole, boxesOf } from './deciding.ts';

/* A held plan is looked at, approved whole or in part, or refused, on the console. */

const names = ['Ann', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay', 'Gus', 'Hal', 'Ida', 'Jon'];

/** The rows of four of ten are deleted; two deletions are allowed. */
async function begin() {
  const trial = await beginConsole({ sync: { on_row_deleted: 'delete_contact', limits: { deletes: '20%' } } });
  for (const name of names) {
    trial.addContact({ first_name: name, email: `${name.toLowerCase()}@firm.io`, company_name: 'Firm' });
  }
  const console = await trial.start();
  await until(() => trial.grid().length === names.length);
  await console.nextRun();
  const gone = trial
    .grid()
    .slice(0, 4)
    .map((row) => String(row['First name']));
  trial.person.deleteRows('Prospects', 2, 4);
  await until(() => trial.said('run ended').some(({ status }) => status === 'held'));
  const left = () => trial.contacts().map(({ first_name }) => first_name);
  return { ...trial, ...console, left, gone };
}

test('G2: the page says which limit tripped, and the plan by record; all of it is approved after a second question', async () => {
  const { get, press, left, gone, untilShown, type, rowNumberOf, nextRun } = await begin();
  expect((await get('/')).html).toContain('/jobs/prospects/held');
  expect((await get('/jobs/prospects')).html).toContain('/jobs/prospects/held');
  const page = await get('/jobs/prospects/held');
  expect(page.text).toContain('4 deletions are more than');
  expect(page.text).toContain('more changes than the limits allow, G2');
  expect(page.text).toContain('service: delete the contact');
  // A record that has its row still leads to it.
  const stays = `${names.find((name) => !gone.includes(name))!.toLowerCase()}@firm.io`;
  type(stays, 'Company', 'Other');
  await nextRun();
  const withRow = (await get('/jobs/prospects/held')).html;
  expect(withRow).toContain(`range=A${rowNumberOf(stays)}"`);
  type(stays, 'Company', 'Firm');
  await nextRun();
  const asked = await press(await get('/jobs/prospects/held'), 'Approve all 4 records');
  expect(asked.text).toContain('Nothing has happened yet');
  for (const name of gone) expect(asked.text).toContain(`${name} <${name.toLowerCase()}@firm.io>: delete the contact`);
  expect(left()).toEqual(names);
  const done = await press(asked, /^Approve all of it/);
  expect(done.text).toContain('The next run carries it out');
  await until(() => left().length === 6);
  const after = await untilShown('/jobs/prospects/held', 'carried out by run');
  expect(after.text).toContain('nothing of prospects is held');
});

test('G2: while an approval waits, no page says that one is asked for', async () => {
  const { get, cli } = await begin();
  await cli('pause', 'prospects');
  expect((await get('/jobs/prospects')).text).toContain('See what it would do, approve it or refuse it');
  await cli('approve', 'prospects', '--yes');
  const page = await get('/jobs/prospects');
  expect(page.text).toContain('It is approved, and the next run carries it out');
  expect(page.text).not.toContain('leadsheet approve');
  const jobs = await get('/');
  expect(jobs.text).toContain('its held run is approved: the next run carries it out');
  expect(jobs.text).not.toContain('waits for an approval');
});

test('G6: the ticked half is approved, exactly these; the rest stays held', async () => {
  const { get, press, left, gone, nextRun } = await begin();
  const page = await get('/jobs/prospects/held');
  const [first, second, third] = gone as [string, string, string];
  const ticked = [...boxesOf(page)].filter(([label]) => label.startsWith(first) || label.startsWith(third));
  const asked = await press(
    page,
    /^Approve the ticked/,
    ticked.map(([, value]) => ['seen', value]),
  );
  expect(asked.text).toContain(`${first} <${first.toLowerCase()}@firm.io>: delete the contact`);
  expect(asked.text).not.toContain(`${second.toLowerCase()}@firm.io`);
  await press(asked, 'Approve 2 records');
  await until(() => left().length === 8);
  await nextRun();
  expect(left()).toEqual(names.filter((name) => ![first, third].includes(name)));
  expect((await get('/jobs/prospects/held')).text).toContain(`${second} <${second.toLowerCase()}@firm.io>`);
});

test('G2: a plan that is another one by now is shown anew, also between the question and its answer', async () => {
  const { get, press, left, person, nextRun } = await begin();
  const page = await get('/jobs/prospects/held');
  const asked = await press(page, 'Approve all 4 records');
  person.deleteRows('Prospects', 2, 1);
  await nextRun();
  for (const [from, button] of [
    [page, 'Approve all 4 records'],
    [asked, /^Approve all of it/],
  ] as const) {
    const told = await press(from, button);
    expect(told.text).toContain('Nothing was decided: what is held of prospects is not as you saw it');
    expect(told.text).toContain('Approve all 5 records');
  }
  const ticks = [...boxesOf(page).values()].map((value) => ['seen', value] as const);
  expect((await press(page, /^Approve the ticked/, ticks)).text).toContain('Nothing was decided');
  expect((await press(page, /^Refuse it/)).text).toContain('Nothing was decided');
  await nextRun();
  expect(left()).toEqual(names);
});

test('G7: a refusal is told with who said it; a second person who approved at the same moment sees it first', async () => {
  const { get, press, left, nextRun } = await begin();
  const page = await get('/jobs/prospects/held');
  const refused = await press(page, /^Refuse it/);
  expect(refused.text).toContain('console refused it');
  const told = await press(page, 'Approve all 4 records');
  expect(told.text).toContain('Nothing was decided');
  expect(told.text).toContain('console refused it');
  await nextRun();
  expect(left()).toEqual(names);
});

test('G7: a refusal was carried out at once, and a plan that is approved after it is not told to stay held', async () => {
  const { get, press } = await begin();
  const refused = await press(await get('/jobs/prospects/held'), /^Refuse it/);
  expect(refused.text).toContain('It stays held. The plan');
  expect(refused.text).toContain('carried out at once');
  // No run takes the approval up meanwhile.
  await press(await get('/jobs/prospects'), 'Pause prospects');
  const asked = await press(refused, 'Approve all 4 records');
  const approved = await press(asked, /^Approve all of it/);
  expect(approved.text).toMatch(/console refused it .*The next run carries it out/);
  expect(approved.text).not.toMatch(/refused it .{0,20}It stays held/);
});

test('G2: a run that was held is not said to have nothing to do in the list of runs as a file', async () => {
  const { get } = await begin();
  const { text } = await get('/runs?status=held&format=csv');
  expect(text).toContain(',held,');
  expect(text).toContain(',nothing was done,');
  expect(text).not.toContain('nothing to do');
});

test('nothing ticked approves nothing, and neither does a record of another plan', async () => {
  const { get, press, left, nextRun } = await begin();
  const page = await get('/jobs/prospects/held');
  expect((await press(page, /^Approve the ticked/)).text).toContain('no record is ticked');
  const other = await press(page, /^Approve the ticked/, [['seen', '{"id":"00000000-0000-4000-8000-000000000000"}']]);
  expect(other.status).not.toBe(303);
  expect(other.text).toContain('no change of 00000000-0000-4000-8000-000000000000 is held');
  await nextRun();
  expect(left()).toEqual(names);
});

test('G1: rows that are missing are listed, with what each choice does; a plan that misses others by now is another one', async () => {
  const trial = await beginConsole({ sync: { on_row_deleted: 'delete_contact' } });
  for (const name of names) trial.addContact({ first_name: name, email: `${name.toLowerCase()}@firm.io` });
  const { get, press, nextRun } = await trial.start();
  await until(() => trial.grid().length === names.length);
  await nextRun();
  trial.person.deleteRows('Prospects', 2, names.length);
  await until(() => trial.said('run ended').some(({ status }) => status === 'held'));
  const page = await get('/jobs/prospects/held');
  expect(page.text).toContain('the tab is empty, and 10 rows were there before');
  expect(page.text).toContain(
    'what is missing was deleted on purpose. For a missing row: its contact is deleted in the service',
  );
  expect(page.text).toContain('File, Version history');
  expect(page.text).toContain('Rows that are missing');
  for (const name of names) expect(page.text).toContain(`${name} <${name.toLowerCase()}@firm.io>`);
  expect(page.text).toContain('Records 1 to 10 of 10');
  const asked = await press(page, /^Approve all of it/);
  expect(asked.text).toContain('10 records are missing, and count as deleted');
  for (const name of names) expect(asked.text).toContain(`${name} <`);
  expect(trial.contacts()).toHaveLength(names.length);
  const refused = await press(page, /^Refuse it/);
  expect(refused.text).toContain('console refused it');
  expect((await press(asked, /^Approve all of it/)).text).toContain('Nothing was decided');
});

test('G1: a feed whose collection is suddenly empty lists its rows, each with a link; approved, they say that it is gone', async () => {
  const trial = await beginConsole({
    values: [],
    feeds: {
      flows: { resource: 'automations', columns: { ID: 'uuid', Name: 'name' }, schedule: '* * * * * *' },
    },
  });
  const { model } = trial.service;
  const flows = names.slice(0, 4).map((name) => model.automations.add({ name, status: 'off' }));
  const { get, press, untilShown } = await trial.start();
  const rows = () => trial.person.read('Prospects').slice(1);
  await until(() => rows().length === 4);
  // No operation deletes an automation; it goes all the same.
  const gone = new Set(flows.map(({ uuid }) => uuid));
  model.automations.table.replaceAll([...model.automations.table.all()].filter(({ uuid }) => !gone.has(uuid)));
  await until(() => trial.said('run ended').some(({ status }) => status === 'held'));
  const page = await get('/jobs/flows/held');
  expect(page.text).toContain('the service lists no automations, and 4 were there before');
  expect(page.text).toContain('Each row says that its record is gone.');
  expect(page.text).toContain('Rows whose record the service does not list any more');
  expect(page.text).toContain('Records 1 to 4 of 4');
  // The state has no names of a feed: they come from what its runs wrote.
  for (const { name } of flows) expect(page.html).toMatch(new RegExp(`<a\\s[^>]*>\\s*${name}\\s*</a`));
  expect(page.html.match(/#gid=\d+&amp;range=A[2345]"/g)).toHaveLength(4);
  const asked = await press(page, /^Approve all of it/);
  expect(asked.text).toContain('4 records are missing, and count as deleted');
  await press(asked, /^Approve all of it/);
  await until(() => rows().every((row) => row.some((cell) => typeof cell === 'string' && cell.startsWith('gone'))));
  expect((await untilShown('/jobs/flows/held', 'nothing of flows is held')).text).toContain('carried out');
});

test('G1: a list that is another one than before is told in words, and has no button', async () => {
  const trial = await beginConsole();
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  const { stop, nextRun } = await trial.start();
  await until(() => trial.grid().length === 1);
  await nextRun();
  await stop();
  trial.service.model.lists.add({ name: 'Other list' });
  const file = readFileSync(trial.configFile, 'utf8');
  writeFileSync(trial.configFile, file.replace('list: Prospects', 'list: Other list'));
  const second = await trial.start();
  await until(() => trial.said('run ended').some(({ status }) => status === 'failed'));
  const page = await second.get('/jobs/prospects/held');
  expect(page.text).toContain('this is another list or account than before');
  expect(page.text).toContain('No approval lets it through');
  expect(page.html).not.toContain('/do/approve');
});

test('P6: rows that wait for one approval are listed with their rows, and how many an hour are sent', async () => {
  const columns = { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'text' };
  const rows = ['ann', 'bob'].map((name) => [`${name}@firm.io`, 'Sales', `Hello ${name}`, 'yes']);
  const trial = await beginConsole({
    values: [['To', 'From', 'Text', 'Send'], ...rows],
    outbox: { messages: { resource: 'network_messages', columns, schedule: '* * * * * *', settle_secs: 0 } },
  });
  for (const name of ['ann', 'bob']) trial.addContact({ first_name: name, email: `${name}@firm.io` });
  trial.service.model.senderProfiles.add({ first_name: 'Max', last_name: 'Muster', label: 'Sales' });
  const { get, press, nextRun } = await trial.start();
  const page = await get('/jobs/messages/held');
  expect(page.text).toContain('Rows that wait to be sent');
  expect(page.text).toContain('the oldest first, at most 20 an hour, each as its row says it then');
  expect(page.text).toContain('type no into the cell of a row that is not to be sent');
  expect(page.html.match(/#gid=\d+&amp;range=A[23]"/g)).toHaveLength(2);
  expect(page.text).toContain('Records 1 to 2 of 2');
  // Another row says yes: it is another plan than the one that was seen.
  trial.person.paste("'Prospects'!A4", [['ann@firm.io', 'Sales', 'Another', 'yes']]);
  await nextRun();
  expect((await press(page, /^Approve all of it/)).text).toContain('Nothing was decided');
  expect(trial.crmCalls('network-messages.send')).toEqual([]);
});

test('E6: wishes that wait for one approval are listed with their contacts', async () => {
  const trial = await beginConsole({
    values: [
      ['First name', 'Last name', 'Company', 'Email', 'Automation'],
      ['Ann', '', '', 'ann@firm.io', 'Welcome'],
    ],
    sync: { automation: { column: 'Automation' } },
  });
  trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  const { get } = await trial.start();
  const page = await get('/jobs/prospects/held');
  expect(page.text).toContain('Contacts that wait for an automation');
  expect(page.text).toContain('Ann <ann@firm.io>');
  expect(page.text).toContain('empty the cell of a row that is not meant');
});

test('G1: wishes that moved are put back in the spreadsheet, or approved', async () => {
  const trial = await beginConsole({
    values: [['First name', 'Last name', 'Company', 'Email', 'Automation']],
    sync: { automation: { column: 'Automation' } },
  });
  trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
  for (const name of names) trial.addContact({ first_name: name, email: `${name.toLowerCase()}@firm.io` });
  const { get, press, nextRun } = await trial.start();
  await until(() => trial.grid().length === names.length);
  const wish = (texts: readonly string[]) =>
    trial.person.paste(
      "'Prospects'!E2",
      texts.map((text) => [text]),
    );
  const before = names.map((_, index) => (index < 5 ? 'Welcome' : ''));
  wish(before);
  await until(() => [...trial.service.model.automations.enrolments()].length === 5);
  await nextRun();
  wish(before.toReversed());
  await until(() => trial.said('run ended').some(({ status }) => status === 'held'));
  const page = await get('/jobs/prospects/held');
  expect(page.text).toContain('in the column of automations, rows 7, 8, 9 and 2 more');
  expect(page.text).toContain('undo that in the spreadsheet: the next run goes on by itself');
  const asked = await press(page, /^Approve/);
  expect(asked.text).toContain('5 contacts are put into automations, which send messages');
  await press(asked, /^Approve all of it/);
  await until(() => [...trial.service.model.automations.enrolments()].length === 10);
});

test('a job that is not held says so', async () => {
  const trial = await beginConsole();
  const { get } = await trial.start();
  expect((await get('/jobs/prospects/held')).text).toContain('nothing of prospects is held');
  expect((await get('/jobs/nope/held')).status).toBe(404);
});
