import { expect, test } from 'vitest';
import { until } from '../../support/daemon.ts';
import { beginConsole } from './deciding.ts';

/* A wish or a message that waits is taken back on the console, after a question that names it. */

/** An outbox with a cap of one an hour: the message to Bob waits. */
async function beginWaiting() {
  const columns = { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'text' };
  const trial = await beginConsole({
    values: [['To', 'From', 'Text', 'Send']],
    outbox: {
      messages: {
        resource: 'network_messages',
        columns,
        schedule: '* * * * * *',
        settle_secs: 0,
        sends_per_hour: 1,
      },
    },
  });
  for (const name of ['Ann', 'Bob']) trial.addContact({ first_name: name, email: `${name.toLowerCase()}@firm.io` });
  trial.service.model.senderProfiles.add({ first_name: 'Max', last_name: 'Muster', label: 'Sales' });
  const console = await trial.start();
  trial.person.paste("'Prospects'!A2", [
    ['ann@firm.io', 'Sales', 'Hello Ann', 'yes'],
    ['bob@firm.io', 'Sales', 'Hello Bob', 'yes'],
  ]);
  await console.untilShown('/outbox', '0 ahead, cap 1/h');
  const texts = () =>
    [...trial.service.model.inbox.messages.all()].flatMap((each) => ('text' in each ? [each.text] : []));
  return { ...trial, ...console, texts };
}

test('P7: a message that waits is cancelled after a question that names it; the row says so, and /audit who did it', async () => {
  const { get, press, texts, nextRun, untilShown, grid } = await beginWaiting();
  const page = await get('/outbox');
  const asked = await press(page, 'Cancel');
  expect(asked.text).toContain('Nothing has happened yet');
  expect(asked.text).toContain('the message in row 3 of messages');
  await nextRun();
  expect(grid()[1]).toMatchObject({ Sync: 'waiting: 0 ahead, cap 1/h' });
  const done = await press(asked, /^Cancel the message in row 3/);
  expect(done.text).toContain('is cancelled; the next run tells its row');
  await untilShown('/outbox?state=cancelled', 'empty its Send cell');
  await until(() => /^cancelled .*: not sent$/.test(String(grid()[1]?.['Sync'])));
  expect(texts()).toEqual(['Hello Ann']);
  expect((await untilShown('/jobs/messages', 'carried out')).text).toContain('the message in row 3 of messages');
  await untilShown('/audit', 'the message in row 3 of messages');
  // The button of before is for what was seen then.
  const late = await press(asked, /^Cancel the message in row 3/);
  expect(late.text).toContain('Nothing was cancelled');
  expect(late.text).toContain('is cancelled already');
  const again = await press(await get('/outbox?state=cancelled'), /^Try .* again/);
  expect(again.text).toContain('is tried again');
});

test('E8: a wish that is vetoed is cancelled on /enrolments, and stays so when its veto ends', async () => {
  const trial = await beginConsole({
    values: [['First name', 'Email', 'Status', 'Automation']],
    columns: { 'First name': 'first_name', Email: 'email', Status: { field: 'status', direction: 'to_sheet' } },
    sync: { automation: { column: 'Automation', unless: { 'First name': ['Ann'] } }, settle_secs: 0 },
  });
  const welcome = trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
  const { get, press, nextRun, untilShown } = await trial.start();
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  await until(() => trial.grid().length === 1);
  trial.type('ann@firm.io', 'Automation', 'Welcome');
  await untilShown('/enrolments', 'vetoed: First name is Ann');
  const asked = await press(await get('/enrolments'), 'Cancel');
  expect(asked.text).toContain('the enrolment of Ann <ann@firm.io> in Welcome');
  const done = await press(asked, /^Cancel the enrolment of Ann/);
  expect(done.text).toContain('is cancelled');
  await until(() => String(trial.grid()[0]?.['Enrolment']).startsWith('cancelled'));
  trial.type('ann@firm.io', 'First name', 'Jo');
  await nextRun();
  await nextRun();
  expect([...trial.service.model.automations.enrolments()].filter((each) => each.flow_uuid === welcome.uuid)).toEqual(
    [],
  );
});
