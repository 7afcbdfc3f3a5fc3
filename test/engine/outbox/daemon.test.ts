import { expect, test } from 'vitest';
import { createDaemonTrial, type LogLine, until } from '../../support/daemon.ts';

test('P1: the daemon sends by the schedule of the outbox, tells it in log and metrics, and shows nothing of what was said', async () => {
  const columns = { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'text' };
  const trial = createDaemonTrial({
    values: [['To', 'From', 'Text', 'Send']],
    outbox: { messages: { resource: 'network_messages', columns, schedule: '* * * * * *', settle_secs: 0 } },
    file: { server: { listen: '127.0.0.1:0' } },
  });
  trial.addContact({ first_name: 'ann', email: 'ann@firm.io' });
  trial.service.model.senderProfiles.add({ first_name: 'Max', last_name: 'Muster', label: 'Sales' });
  const daemon = await trial.begin();
  await until(() => trial.said('run ended', 'messages').length > 0);
  trial.person.paste("'Prospects'!A2", [['ann@firm.io', 'Sales', 'a secret', 'yes']]);
  const hasSent = ({ counts }: LogLine) => (counts as { readonly sent?: number }).sent === 1;
  await until(() => trial.said('run ended', 'messages').some(hasSent));
  expect(trial.grid()[0]).toMatchObject({ Delivery: 'new' });
  expect(trial.said('change done', 'messages')[0]).toMatchObject({ side: 'crm', op: 'send', row: 2, rules: ['P1'] });
  const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
  expect(metrics).toMatch(/leadsheet_changes_total\{sync="messages",side="crm",op="send",outcome="done"\} 1\n/);
  expect(metrics).toMatch(/leadsheet_linked_records\{sync="messages"\} 1\n/);
  expect(JSON.stringify(trial.lines)).not.toMatch(/a secret|ann@firm/);
  await daemon.stop();
});
