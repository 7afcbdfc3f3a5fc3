import { expect, test } from 'vitest';
import { contactField, contactFields } from '../../src/crm/outreach/contacts/fields.ts';
import { contact, contactUpdate, lead } from '../../src/crm/outreach/operations/records.ts';

const fields = [...contactFields.values()];
const namesOf = (direction: string) =>
  fields.filter(({ directions }) => directions[0] === direction).map(({ name }) => name);

test('every field of an answer and of a body can be mapped, and nothing else', () => {
  const known = [...Object.keys(contact.fields), ...Object.keys(lead.shape), ...Object.keys(contactUpdate.shape)];
  expect(fields.map(({ name }) => name).toSorted()).toEqual([...new Set(known)].toSorted());
});

test('fields that the service lets people write go both ways (M8)', () => {
  expect(namesOf('both').toSorted()).toEqual(
    [
      'first_name',
      'last_name',
      'company_name',
      'position',
      'headline',
      'about',
      'ln_id',
      'sn_id',
      'network',
      'network_id',
      'email',
      'raw_address',
    ].toSorted(),
  );
});

test('a field that the service does not answer is sent only', () => {
  expect(namesOf('to_crm')).toEqual(['domain']);
});

test('a field that no body has is shown only: the name, which is computed, statuses and times (M4, M8)', () => {
  const shown = namesOf('to_sheet');
  expect(shown).toEqual(expect.arrayContaining(['name', 'status', 'created_at', 'updated_at', 'work_email', 'tags']));
  expect(shown.filter((name) => name in lead.shape)).toEqual([]);
});

test('the profile is read from network, created with network_id and updated as network (M8)', () => {
  expect(contactField('network_id')).toMatchObject({
    readFrom: ['network'],
    createAs: 'network_id',
    updateAs: 'network',
    equality: 'handle',
  });
});

test('e-mail is read from the work address, else the personal one, and written as email (M8)', () => {
  expect(contactField('email')).toMatchObject({
    readFrom: ['work_email', 'personal_email'],
    createAs: 'email',
    updateAs: 'email',
    equality: 'email',
  });
});

test('kinds are those of the operations table (V1)', () => {
  const kinds = (...names: Parameters<typeof contactField>) => names.map((name) => contactField(name).kind);
  expect(kinds('first_name')).toEqual(['text']);
  expect(fields.filter(({ kind }) => kind === 'instant').map(({ name }) => name)).toEqual([
    'last_automation_approve_at',
    'created_at',
    'updated_at',
  ]);
  expect(new Set(fields.map(({ kind }) => kind))).toEqual(
    new Set(['text', 'integer', 'flag', 'texts', 'json', 'instant']),
  );
});
