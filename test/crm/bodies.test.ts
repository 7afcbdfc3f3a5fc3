import { expect, test } from 'vitest';
import { createContactBodies } from '../../src/crm/outreach/contacts/bodies.ts';
import { outreachDescription } from '../../src/crm/outreach/description.ts';

const bodies = createContactBodies({
  fields: [
    { key: 'position', target: { kind: 'field', field: outreachDescription.fields.get('position')! } },
    { key: 'network_id', target: { kind: 'field', field: outreachDescription.fields.get('network_id')! } },
    { key: 'custom_fields.segment', target: { kind: 'custom_field', name: 'segment' } },
  ],
});

test.each([
  [7, '7'],
  [false, 'false'],
  ['x', 'x'],
  [null, ''],
])('V1: %j is sent to the service as the text %j', (after, text) => {
  expect(bodies.toUpdate([{ field: 'position', after }])).toEqual({ position: text });
  expect(bodies.toCustomFields([{ field: 'custom_fields.segment', after }])).toEqual({
    custom_fields: { segment: text },
  });
});

test('M8: a field has the name that creates and updates use for it', () => {
  const fields = [{ field: 'network_id', after: 'ada' }];
  expect(bodies.toLead(fields)).toEqual({ network_id: 'ada' });
  expect(bodies.toUpdate(fields)).toEqual({ network: 'ada' });
  expect(bodies.toCustomFields(fields)).toEqual({});
});
