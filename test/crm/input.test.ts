// What people read of an input that the contract refuses: each field by its name, and what is wrong with it.
import { expect, test } from 'vitest';
import { InvalidInputError } from '../../src/crm/errors.ts';
import type { ServiceClient } from '../../src/crm/outreach/service-client.ts';
import { createService } from '../support/service.ts';

const uuid = '00000000-0000-4000-8000-000000000000';
const any = (value: unknown) => value as never;

const refused: readonly [
  what: string,
  (client: ServiceClient) => Promise<unknown>,
  Record<string, readonly string[]>,
][] = [
  ['a missing field', (client) => client.lists.create(any({})), { name: ['is missing'] }],
  ['a blank text', (client) => client.lists.create({ name: '' }), { name: ['must not be blank'] }],
  ['a number for a text', (client) => client.lists.create(any({ name: 5 })), { name: ['must be a text'] }],
  [
    'a number that is not whole',
    (client) => client.lists.list({ offset: 1.5 }),
    { offset: ['must be a whole number'] },
  ],
  ['a number that is too small', (client) => client.lists.list({ offset: -1 }), { offset: ['must be 0 at least'] }],
  [
    'a text that is too long',
    (client) =>
      client.networkMessages.send({ sender_profile_uuid: 's', lead_uuid: uuid, text: 'x', subject: 'x'.repeat(512) }),
    { subject: ['must be of length 511 at most'] },
  ],
  [
    'a list that is too short',
    (client) => client.automations.cancel({ leadUuid: uuid, flow_uuids: [] }),
    { flow_uuids: ['must be of size 1 at least'] },
  ],
  [
    'a text for a list',
    (client) => client.automations.cancel(any({ leadUuid: uuid, flow_uuids: uuid })),
    { flow_uuids: ['must be a list'] },
  ],
  [
    'a word that is none of those allowed',
    (client) => client.lists.list(any({ order_type: 'up' })),
    { order_type: ['must be one of asc, desc'] },
  ],
  ['a text for an object', (client) => client.contacts.upsert(any({ lead: 'Ada' })), { lead: ['must be an object'] }],
  [
    'a text for a flag',
    (client) => client.contacts.upsert(any({ lead: {}, update_if_exists: 'yes' })),
    { update_if_exists: ['must be true or false'] },
  ],
  [
    'an unknown field within another',
    (client) => client.contacts.upsert(any({ lead: { shoe_size: 43 } })),
    { 'lead.shoe_size': ['is not a field of this operation'] },
  ],
  [
    'a field of an operation that takes none',
    (client) => client.automations.start(any({ flowUuid: uuid, name: 'x' })),
    { name: ['is not a field of this operation'] },
  ],
  [
    'several fields',
    (client) => client.lists.list(any({ offset: 'x', limit: 'y', nonsense: 1 })),
    {
      offset: ['must be a number'],
      limit: ['must be a number'],
      nonsense: ['is not a field of this operation'],
    },
  ],
];

test.each(refused)('%s is named, and nothing is sent', async (_, call, fields) => {
  const { client, calls } = createService();
  const error = await call(client).catch((failed: unknown) => failed);
  expect(error).toBeInstanceOf(InvalidInputError);
  expect((error as InvalidInputError).fields).toEqual(fields);
  expect(calls()).toEqual([]);
});

test('an unknown field is sent if the caller allows it', async () => {
  const { client, calls } = createService();
  await client.lists.create(any({ name: 'A', colour: 'red' }), { allowUnknown: true }).catch(() => undefined);
  expect(calls('lists.create')[0]?.body).toEqual({ name: 'A', colour: 'red' });
});
