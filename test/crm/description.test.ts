// What the configuration is told about the service: kinds of fields, filters of collections, fields of messages.
import { expect, test } from 'vitest';
import { outreachDescription } from '../../src/crm/outreach/description.ts';

const { fields, collections, messages, matchKeys, identifiers, customFields } = outreachDescription;

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

test('I2: the match keys are those of the lookup, the strongest first, each with the fields that show its parts', () => {
  const company_name = ['company_name'];
  expect(matchKeys).toEqual([
    { name: 'network_id', parts: { network_id: ['network_id', 'network'] } },
    { name: 'email', parts: { email: ['email'] } },
    { name: 'name+company_name', parts: { name: ['name', 'first_name', 'last_name'], company_name } },
  ]);
  expect(identifiers).toEqual({
    network_id: [['network_id'], ['network']],
    email: [['email'], ['work_email'], ['personal_email']],
    name: [['name'], ['first_name', 'last_name']],
    company_name: [company_name],
  });
});

test('M8: two fields that are written as one name it, and each field has its directions', () => {
  const of = (name: string) => [fields.get(name)?.writtenAs, fields.get(name)?.directions];
  const every = ['both', 'to_sheet', 'to_crm'];
  expect(of('network_id')).toEqual(['network', every]);
  expect(of('network')).toEqual(['network', every]);
  expect(of('email')).toEqual(['email', every]);
  expect(of('work_email')).toEqual(['work_email', ['to_sheet']]);
  expect(of('name')).toEqual(['name', ['to_sheet']]);
  expect(of('domain')).toEqual(['domain', ['to_crm']]);
  expect(fields.get('network')?.kind).toBe('handle');
  expect(fields.get('work_email')?.kind).toBe('email');
  expect(fields.get('domain')?.kind).toBe('text');
});

test('a field that is written is described in the words of its body, and one without words has none', () => {
  expect(fields.get('email')?.description).toBe('a contactable email address');
  expect(fields.get('domain')?.description).toBe('company web domain');
  expect(fields.get('headline')).not.toHaveProperty('description');
});

test('a custom field has a name in letters, digits and _', () => {
  expect(customFields?.isName('segment_2')).toBe(true);
  expect(customFields?.isName('2nd')).toBe(false);
});

test('F1: a collection can be sorted by the fields that its listing takes, or by all of its own', () => {
  expect(collections.get('network_messages')?.orders).toEqual(['uuid', 'sent_at', 'created_at', 'updated_at']);
  const lists = collections.get('lists');
  expect(lists?.orders).toEqual([...lists!.fields.keys()]);
  expect([...lists!.filters.keys()]).toEqual(['q']);
  expect(lists?.fields.get('created_at')).toEqual({ kind: 'timestamp' });
});
