// What the configuration is told about the service: kinds of fields, filters of collections, fields of messages.
import { expect, test } from 'vitest';
import { outreachDescription } from '../../src/crm/outreach/description.ts';

const { fields, collections, messages } = outreachDescription;

test('V1, V2: a column has the kind of its field, and addresses and profiles have their own', () => {
  const names = ['first_name', 'email', 'personal_email', 'network_id', 'has_premium', 'followers_number', 'skills'];
  expect([...names, 'created_at', 'posts'].map((name) => fields.get(name)?.kind)).toEqual([
    'text',
    'email',
    'email',
    'handle',
    'flag',
    'integer',
    'list',
    'timestamp',
    'json',
  ]);
});

test('a field that is only shown is described in the words of the contract', () => {
  expect(fields.get('status')?.description).toContain('ok, failed_validation');
  expect(fields.get('tags')?.description).toBe('tag identifiers');
});

test('F1: of all filters of collections only the instant of e-mails takes a range', () => {
  const ranges = [...collections].flatMap(([name, { filters }]) =>
    [...filters].flatMap(([field, { takesRange }]) => (takesRange ? [`${name}.${field}`] : [])),
  );
  expect(ranges).toEqual(['emails.sent_at']);
});

test('E7: automations alone can be switched on and off, by their status', () => {
  const controlled = [...collections].flatMap(([name, spec]) =>
    spec.controlled ? [`${name}.${spec.controlled}`] : [],
  );
  expect(controlled).toEqual(['automations.status']);
});

test('P4: an e-mail needs its text, and another message its text or a template', () => {
  const [sender, contact] = [['sender_profile_uuid'], ['lead_uuid']];
  expect(messages.get('emails')?.needed).toEqual([contact, sender, ['body']]);
  expect(messages.get('network_messages')?.needed).toEqual([contact, sender, ['text', 'template_uuid']]);
});

test('P4: a field of a message is a text or a list of texts, up to the length that the contract allows', () => {
  expect(messages.get('emails')?.fields.get('cc')).toEqual({ name: 'cc', isList: true });
  expect(messages.get('network_messages')?.fields.get('text')).toEqual({
    name: 'text',
    isList: false,
    lengthMax: 8_000,
  });
  expect(messages.get('network_messages')?.fields.has('attachments')).toBe(false);
});
