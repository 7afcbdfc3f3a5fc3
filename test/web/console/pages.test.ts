import { expect, test, vi } from 'vitest';
import { readConflictsPage } from '../../../src/operator/conflicts.ts';
import { configurationPage } from '../../../src/operator/answers/configuration.ts';
import { enrolmentsPage, feedsPage, messagesPage } from '../../../src/operator/answers/ledgers.ts';
import { jobsPage } from '../../../src/operator/answers/jobs.ts';
import { readConfiguration } from '../../../src/operator/configuration.ts';
import { readEnrolmentsPage } from '../../../src/operator/enrolments.ts';
import { readFeedsPage } from '../../../src/operator/feeds.ts';
import { readJobsPage } from '../../../src/operator/jobs.ts';
import { readMessagesPage } from '../../../src/operator/messages.ts';
import { createOutboxTrial } from '../../engine/outbox/support.ts';
import { createSyncTrial, inOrder, tabTitle } from '../../support/app.ts';
import { createDaemonTrial, type DaemonTrialOptions, until } from '../../support/daemon.ts';
import { operatorOf } from '../../operator/support.ts';
import { browsing, foundIn, linkOf, password, walk } from './support.ts';

/* Pages that read: jobs in number, enrolments, the outbox, feeds, the configuration, and links out of the console. */

async function begin(options: DaemonTrialOptions = {}, server: Readonly<Record<string, unknown>> = { password }) {
  const { file, ...rest } = options;
  const trial = createDaemonTrial({ ...rest, file: { ...file, server: { listen: '127.0.0.1:0', ...server } } });
  return { ...trial, open: async () => browsing((await trial.begin()).url!, 'password' in server) };
}

test(
  'a first page for many jobs: those that failed first, by name, state and kind, page by page',
  { timeout: 360_000 },
  async () => {
    const seldom = '0 0 1 1 *';
    const others = Object.fromEntries(
      Array.from({ length: 130 }, (_, index) => [
        `team-${String(index).padStart(3, '0')}`,
        {
          schedule: seldom,
          sheet: { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests', tab: `Tab ${index}` },
        },
      ]),
    );
    const trial = await begin({ sync: { schedule: seldom }, others });
    const browser = await trial.open();
    // Their tabs do not exist: each run fails.
    await until(() => trial.said('run ended').length > 130);
    const names = /<th scope="row"><a href="\/jobs\/([^"]+)"/g;
    // A page shows what the state had within the last second. A job that has not failed stands behind those that have, by its name.
    const last = async () => foundIn(await walk(browser, '/', 'Next'), names).at(-1);
    await vi.waitFor(async () => expect(await last()).toBe('prospects'), { timeout: 100_000, interval: 500 });
    expect(await browser.page('/?search=team-')).toContain('130 jobs');
    const pages = await walk(browser, '/', 'Next');
    const listed = foundIn(pages, names);
    expect(listed).toHaveLength(131);
    expect(new Set(listed).size).toBe(131);
    expect(listed.at(-1)).toBe('prospects');
    // A job that is tried again meanwhile is running for an instant.
    const backingOff = async () => foundIn([await browser.page('/?state=backing-off&search=team-00')], names);
    await vi.waitFor(async () => expect(await backingOff()).toHaveLength(10), { timeout: 100_000, interval: 200 });
    expect(foundIn(await walk(browser, linkOf(pages[0]!, 'Next')!, 'Previous'), names)).toHaveLength(131);
    expect(foundIn([await browser.page('/?search=TEAM-01')], names)).toHaveLength(10);
    expect(foundIn([await browser.page('/?state=succeeded')], names)).toEqual(['prospects']);
    expect(foundIn([await browser.page('/?order=name&kind=sync')], names)[0]).toBe('prospects');
    expect(await browser.page('/?kind=feed')).toContain('No job is meant by this filter.');
    expect((await browser.get('/?state=fine')).status).toBe(400);
    expect(await browser.csv('/?format=csv&search=team-00')).toHaveLength(10);
    jobsPage.parse(await readJobsPage(operatorOf(trial), {}, { limit: 500 }));
  },
);

test('enrolments: who is in which automation, who waits and why, the cap and the vetoes', async () => {
  const trial = await begin({
    sync: { automation: { column: 'Automation', unless: { Status: ['lost'] } }, limits: { enrolments_per_hour: 1 } },
    columns: { 'First name': 'first_name', Email: 'email', Status: 'status' },
  });
  const { uuid } = trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
  const contacts = ['ann', 'bob', 'cy'].map((name) => trial.addContact({ first_name: name, email: `${name}@firm.io` }));
  const browser = await trial.open();
  await until(() => trial.grid().length === 3 && trial.grid().every((row) => row['Email'] !== ''));
  await until(() => trial.columnIndexOf('Automation') >= 0);
  for (const name of ['ann', 'bob', 'cy']) trial.type(`${name}@firm.io`, 'Automation', 'Welcome');
  const lines = () => browser.csv('/enrolments?format=csv');
  await expect
    .poll(async () => inOrder((await lines()).map(({ state }) => state)), { timeout: 100_000 })
    .toEqual(['enrolled', 'waiting', 'waiting']);
  expect(inOrder((await lines()).map(({ contact }) => contact))).toEqual(inOrder(contacts.map((each) => each.uuid)));
  // The reason to wait comes with the end of the run.
  await expect.poll(() => browser.page('/enrolments')).toContain('cap 1/h');
  const page = await browser.page('/enrolments');
  for (const words of [
    'Welcome',
    'cap 1/h',
    '1 of 1',
    'not if Status is lost',
    '&lt;bob@firm.io&gt;',
    '3 enrolments',
  ]) {
    expect(page).toContain(words);
  }
  expect(await browser.csv('/enrolments?format=csv&state=waiting&automation=welcome')).toHaveLength(2);
  expect(await browser.csv(`/enrolments?format=csv&automation=${uuid}&contact=cy@firm.io`)).toHaveLength(1);
  expect(await browser.page('/enrolments?contact=nobody@firm.io')).toContain('is meant by this filter');
  enrolmentsPage.parse(await readEnrolmentsPage(operatorOf(trial), {}, { limit: 1 }));
});

test('without a password neither page nor file names a person', async () => {
  const trial = await begin({ sync: { automation: { column: 'Automation' } } }, {});
  trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  const browser = await trial.open();
  await until(() => trial.grid().length === 1 && trial.columnIndexOf('Automation') >= 0);
  trial.type('ann@firm.io', 'Automation', 'Welcome');
  await expect.poll(() => browser.csv('/enrolments?format=csv')).toHaveLength(1);
  for (const path of ['/enrolments', '/enrolments?format=csv', '/conflicts?format=csv', '/problems?format=csv']) {
    expect(await (await browser.get(path)).text()).not.toMatch(/ann@firm|>Ann|,Ann/);
  }
});

test('outbox: what is sent, waits and is refused, with the cap of the hour', async () => {
  const { people, sender, ready, ...trial } = createOutboxTrial({ outbox: { sends_per_hour: 1 } });
  await ready();
  const operator = operatorOf(trial);
  const { outboxes } = messagesPage.parse(await readMessagesPage(operator, {}, { limit: 10 }));
  expect(outboxes).toEqual([
    {
      name: 'messages',
      cap: { per_hour: 1, used: 0, left: 1 },
      counts: {},
      held_run: null,
      resource: 'network_messages',
    },
  ]);
  trial.person.paste(
    `'${tabTitle}'!A2`,
    people.slice(0, 2).map(({ uuid }, index) => [uuid, sender.uuid, `Hello ${index}`, 'yes']),
  );
  await trial.run();
  await trial.run();
  const page = messagesPage.parse(await readMessagesPage(operator, {}, { limit: 10 }));
  expect(page.messages.map(({ state }) => state).toSorted()).toEqual(['sent', 'waiting']);
  expect(page.messages.find(({ state }) => state === 'waiting')?.waits).toContain('cap 1/h');
  expect(page.outboxes[0]).toMatchObject({ cap: { used: 1, left: 0 }, counts: { sent: 1, waiting: 1 } });
  const first = await readMessagesPage(operator, {}, { limit: 1 });
  const second = await readMessagesPage(operator, {}, { limit: 1, after: first.next! });
  expect([...first.messages, ...second.messages]).toEqual(page.messages);
  expect(await readMessagesPage(operator, {}, { limit: 1, before: second.previous! })).toEqual(first);
  expect((await readMessagesPage(operator, { state: 'sent' }, { limit: 9 })).total).toBe(1);
  await expect(readMessagesPage(operator, { outbox: 'nope' }, { limit: 9 })).rejects.toThrow('nope');
});

test('feeds: what each shows, and the rows that it has', async () => {
  const trial = createSyncTrial({
    values: [[]],
    feeds: {
      flows: { resource: 'automations', columns: { ID: 'uuid', Name: 'name', Status: 'status' }, control: true },
    },
  });
  trial.service.model.automations.add({ name: 'Welcome', status: 'off' });
  trial.service.model.automations.add({ name: 'Spring', status: 'off' });
  await trial.runFeed('flows');
  const { feeds, total } = feedsPage.parse(await readFeedsPage(operatorOf(trial), { limit: 10 }));
  expect(total).toBe(1);
  expect(feeds[0]).toMatchObject({ name: 'flows', resource: 'automations', rows: 2, gone: 0, controlled: 'Status' });
});

test('the configuration: the file and the defaults are told apart, and secrets are masked', async () => {
  const trial = await begin({ sync: { conflict: 'manual' } });
  const browser = await trial.open();
  const page = await browser.page('/config');
  expect(page).not.toContain('the-token-of-the-tests');
  expect(page).not.toContain(password);
  const rows = [...page.matchAll(/<code>([^<]+)<\/code><\/th>\s*<td>(.*?)<\/td>\s*<td>(default|the file)<\/td>/gs)];
  const fromOf = (option: string) => rows.find(([, name]) => name === option)?.[3];
  expect(['conflict', 'columns.Email.field', 'requests_per_minute'].map(fromOf)).toEqual(Array(3).fill('the file'));
  expect(['blank', 'columns.Email.direction', 'timeout_secs'].map(fromOf)).toEqual(Array(3).fill('default'));
  expect(await browser.page('/config?job=prospects')).toContain('Configuration of prospects');
  expect((await browser.get('/config?job=nope')).status).toBe(404);
  configurationPage.parse(readConfiguration(operatorOf(trial), ['prospects']));
});

test('a record leads to its row in the sheet, and to the contact where the configuration says how', async () => {
  const trial = await begin({ sync: { conflict: 'manual' } });
  const contact = trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', company_name: 'Firm' });
  const browser = await trial.open();
  await until(() => trial.grid().length === 1);
  const sheet = /href="http:\/\/127\.0\.0\.1:4020\/1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests#gid=7&amp;range=A2"/;
  await until(() => trial.said('change done').length > 0);
  trial.change('ann@firm.io', { company_name: 'Service Ltd' });
  trial.type('ann@firm.io', 'Company', 'Sheet Ltd');
  await until(() => trial.said('run ended').some(({ counts }) => (counts as { conflicts?: number }).conflicts === 1));
  for (const path of ['/conflicts', '/problems', '/records?of=ann@firm.io', '/jobs/prospects']) {
    expect(await browser.page(path)).toMatch(sheet);
  }
  const { conflicts } = await readConflictsPage(operatorOf(trial), {}, { limit: 1 });
  expect(conflicts[0]?.contact).toBe(contact.uuid);
  expect(await browser.page('/conflicts')).not.toContain('Opens the contact');
});

test('W11, L12: a column that is not in the tab is no record; once it is back, a held plan shows the problem as one of before', async () => {
  const trial = await begin();
  for (let number = 1; number <= 6; number += 1)
    trial.addContact({ first_name: 'Ann', email: `p${number}@firm.io`, company_name: `Firm ${number}` });
  const browser = await trial.open();
  await until(() => trial.grid().length === 6 && trial.said('run ended').length > 0);
  const header = trial.person.read(tabTitle)[0]!;
  trial.person.deleteColumns(tabTitle, letterOf(header.indexOf('Company')));
  const isLost = async () => (await browser.page('/problems')).includes('<th scope="row">column Company</th>');
  await vi.waitFor(async () => expect(await isLost()).toBe(true), { timeout: 100_000, interval: 100 });
  for (const path of ['/problems', '/jobs/prospects']) {
    const page = await browser.page(path);
    expect(page).toContain('<th scope="row">column Company</th>');
    expect(page).not.toContain('row%3A%3F');
    expect(page).not.toContain('told them, before this');
  }
  trial.person.paste(`'${tabTitle}'!${letterOf(header.length)}1`, [['Company']]);
  const isHeld = async () => (await browser.page('/jobs/prospects')).includes('told them, before this');
  await vi.waitFor(async () => expect(await isHeld()).toBe(true), { timeout: 100_000, interval: 100 });
  expect(await browser.page('/jobs/prospects')).toContain('6 changed records are more than the limit of 50% of 6');
});

function letterOf(column: number): string {
  return String.fromCodePoint(65 + column);
}

test('links to contacts follow the pattern of the configuration', async () => {
  const crm = {
    base_url: 'http://127.0.0.1:4010',
    token: 'the-token-of-the-tests',
    contact_url: 'https://app.example.com/people?id={uuid}&x=<y>',
  };
  const trial = await begin({ file: { crm } });
  const contact = trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  const browser = await trial.open();
  await until(() => trial.said('change done').length > 0);
  const href = `https://app.example.com/people?id=${contact.uuid}&amp;x=&lt;y&gt;`;
  await expect.poll(() => browser.page('/log')).toContain(`href="${href}"`);
});

test('L12: a line of a feed does not lead to a contact, since its record is none', async () => {
  const crm = {
    base_url: 'http://127.0.0.1:4010',
    token: 'the-token-of-the-tests',
    contact_url: 'https://app.example.com/people/{uuid}',
  };
  const columns = { ID: 'uuid', Name: 'name' };
  const trial = await begin({
    values: [[]],
    feeds: { flows: { resource: 'automations', columns, schedule: '* * * * * *' } },
    file: { crm },
  });
  const { uuid } = trial.service.model.automations.add({ name: 'Welcome', status: 'off' });
  const browser = await trial.open();
  await expect.poll(() => browser.page('/log')).toContain(`/records?of=${uuid}`);
  expect(await browser.page('/log')).not.toContain('https://app.example.com');
});
