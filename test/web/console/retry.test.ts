import { expect, test } from 'vitest';
import { until } from '../../support/daemon.ts';
import { beginConsole, boxesOf } from './deciding.ts';

/* What runs gave up is tried again on the console; what may be sent twice only with the name of who gets it. */

/** An outbox with one message to ann, whose outcome is unknown. */
async function beginUnknown() {
  const columns = { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'text' };
  const trial = await beginConsole({
    values: [['To', 'From', 'Text', 'Send']],
    outbox: { messages: { resource: 'network_messages', columns, schedule: '* * * * * *', settle_secs: 0 } },
  });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  trial.service.model.senderProfiles.add({ first_name: 'Max', last_name: 'Muster', label: 'Sales' });
  const console = await trial.start();
  trial.service.faults.inject({ kind: 'lost', operation: 'network-messages.send', when: 'before' });
  trial.person.paste("'Prospects'!A2", [['ann@firm.io', 'Sales', 'Hello', 'yes']]);
  await console.untilShown('/problems', 'outcome unknown');
  const sends = () => trial.crmCalls('network-messages.send').length;
  const sent = () => [...trial.service.model.inbox.messages.all()].filter(({ type }) => type === 'outbox').length;
  return { ...trial, ...console, sends, sent };
}

test('P3: a message of unknown outcome is sent again only after the name is typed; the page says what goes to whom', async () => {
  const { get, press, sent, nextRun, untilShown } = await beginUnknown();
  const page = await get('/problems');
  expect(page.text).toContain('it is unknown whether the message to Ann <ann@firm.io> was sent');
  expect(page.text).toContain('the message of row 2, as the last run saw it, goes to Ann');
  expect(boxesOf(page).size).toBe(0);
  const outbox = await get('/outbox');
  expect(outbox.text).toContain('I looked, send again to Ann');
  // The state has no text of a message: the page says where to read it.
  for (const { html, text } of [page, outbox]) {
    expect(text).toContain('Its text stands in row 2 : read it there first. leadsheet keeps no text of a message');
    const edited = 'If the row was edited since the last run, nothing is sent, and you are asked again';
    expect(text).toContain(`In the last run the row said what was sent. ${edited}`);
    expect(text).not.toContain('has changed since');
    expect(html).toMatch(/<details>(?:(?!<\/details>)[^])*href="[^"]*#gid=\d+&amp;range=A2"/);
  }
  const button = /^I looked, send again to Ann/;
  for (const typed of ['', 'Bob', 'An']) {
    const told = await press(page, button, [['typed', typed]]);
    expect({ typed, text: told.text }).toMatchObject({ typed, text: expect.stringContaining('is not Ann') });
  }
  await nextRun();
  expect(sent()).toBe(0);
  const done = await press(page, button, [['typed', '  aNN ']]);
  expect(done.text).toContain('The next run carries it out');
  await until(() => sent() === 1);
  await nextRun();
  expect(sent()).toBe(1);
  await untilShown('/problems', 'carried out by run');
});

test('a row that was edited since it was sent says so before it is sent again, and a form of before does nothing', async () => {
  const { get, press, sends, untilShown, person, nextRun } = await beginUnknown();
  const button = /^I looked, send again to Ann/;
  const page = await get('/problems');
  person.paste("'Prospects'!C2", [['Another text']]);
  const changed = await untilShown('/problems', 'The text has changed since it was sent.');
  expect((await get('/outbox')).text).toContain('The text has changed since it was sent.');
  const before = sends();
  const told = await press(page, button, [['typed', 'Ann']]);
  expect(told.text).toContain('Nothing was decided');
  expect(told.text).toContain('The text has changed since it was sent.');
  await nextRun();
  expect(sends()).toBe(before);
  // The row has its text back: the ledger says so, and the form of the other text does nothing either.
  person.paste("'Prospects'!C2", [['Hello']]);
  await untilShown('/problems', 'In the last run the row said what was sent.');
  expect((await press(changed, button, [['typed', 'Ann']])).text).toContain('Nothing was decided');
  const done = await press(await get('/problems'), button, [['typed', 'Ann']]);
  expect(done.text).toContain('The next run carries it out');
  await until(() => sends() === before + 1);
});

test('P3: a row that was edited after the last run is not sent again by a form of before; the page asks again', async () => {
  const { get, press, sends, untilShown, person } = await beginUnknown();
  const button = /^I looked, send again to Ann/;
  await press(await get('/jobs/messages'), 'Pause messages');
  await untilShown('/?format=csv', ',paused,');
  const before = sends();
  person.paste("'Prospects'!C2", [['Another text']]);
  const done = await press(await get('/problems'), button, [['typed', 'Ann']]);
  expect(done.text).toContain('if the row was edited since, nothing is sent');
  await press(await get('/jobs/messages'), 'Resume messages');
  const asked = await untilShown('/problems', 'because it was cancelled since, or its row was edited since');
  expect(sends()).toBe(before);
  expect((await get('/log')).text).toContain('nothing came of it: it was cancelled since, or its row was edited since');
  expect(asked.text).toContain('The text has changed since it was sent.');
  await press(await get('/problems'), button, [['typed', 'Ann']]);
  await until(() => sends() === before + 1);
  await untilShown('/problems', 'carried out by run');
});

test('P3: a form for many never sends again what may have been sent, and a second person sees the first decision', async () => {
  const { get, post, press, sent, nextRun } = await beginUnknown();
  const page = await get('/problems');
  const [form] = [...page.html.matchAll(/name="seen" value="([^"]*)"/g)];
  const seen = form![1]!.replaceAll('&quot;', '"');
  const token = /name="token" value="([^"]+)"/.exec(page.html)![1]!;
  const told = await post('retry', [
    ['token', token],
    ['seen', seen],
  ]);
  expect(told.text).toContain('a person may get this twice');
  await nextRun();
  expect(sent()).toBe(0);
  const button = /^I looked, send again to Ann/;
  const both = await Promise.all([press(page, button, [['typed', 'Ann']]), press(page, button, [['typed', 'Ann']])]);
  expect(both.filter(({ text }) => text.includes('Nothing was decided'))).toHaveLength(1);
  await until(() => sent() === 1);
  await nextRun();
  expect(sent()).toBe(1);
});

test('W5: records that the service refused are tried again, those that are ticked and no others', async () => {
  const trial = await beginConsole();
  const { get, press, untilShown } = await trial.start();
  for (const name of ['Ann', 'Bob']) {
    trial.addContact({ first_name: name, email: `${name.toLowerCase()}@firm.io`, company_name: 'Firm' });
  }
  await until(() => trial.grid().length === 2);
  trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.update', times: 1_000 });
  for (const name of ['ann', 'bob']) trial.type(`${name}@firm.io`, 'Company', `${name} Ltd`);
  await untilShown('/problems', '2 problems');
  const page = await get('/problems');
  const boxes = [...boxesOf(page).values()];
  expect(boxes).toHaveLength(2);
  trial.service.faults.clear();
  const done = await press(page, /^Try the ticked records again/, [['seen', boxes[0]!]]);
  expect(done.text).toContain('is tried again. The next run carries it out');
  await until(() => trial.contacts().filter(({ company_name: name }) => name?.endsWith(' Ltd')).length === 1);
  await untilShown('/problems', 'carried out by run');
  expect(trial.contacts().filter(({ company_name: name }) => name?.endsWith(' Ltd'))).toHaveLength(1);
});
