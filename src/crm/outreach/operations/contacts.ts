// The operations on contacts.
import * as z from 'zod';
import { doneAnswer, isObject, maybeAnswer, pageAnswer, recordAnswer } from './answers.ts';
import { operation } from './define.ts';
import { contactFilter, matchesNothing, prepareFilter } from './filter.ts';
import type { ContactFilter } from './filter.ts';
import { contact, contactFieldNames, contactUpdate, customFields, lead } from './records.ts';

const disable_aggregation = z.boolean().optional().describe('skips the extras beside a contact');

export const contacts = {
  lookupOne: operation({
    summary: 'Find one contact',
    method: 'POST',
    path: '/leads/api/leads/lookup-one',
    repeat: 'read',
    body: z
      .strictObject({
        network_id: z.string().min(1).optional().describe('URL or nickname; parsed to derive further identifiers'),
        email: z.string().min(1).optional(),
        name: z.string().min(1).optional().describe('use together with company_name'),
        company_name: z.string().min(1).optional().describe('use together with name'),
        disable_aggregation,
      })
      .refine(
        ({ network_id, email, name, company_name }) => network_id ?? email ?? (name && company_name),
        'needs network_id, or email, or both name and company_name',
      )
      .meta({
        anyOf: [{ required: ['network_id'] }, { required: ['email'] }, { required: ['name', 'company_name'] }],
      }),
    defaults: { disable_aggregation: true },
    answer: maybeAnswer(contact),
  }),

  search: operation({
    summary: 'Search contacts',
    method: 'POST',
    path: '/leads/api/leads/search',
    repeat: 'read',
    body: z.strictObject({
      filter: contactFilter.optional(),
      limit: z.int().min(1).optional().describe('page size; a hundred at most is answered'),
      offset: z.int().min(0).optional(),
      order_field: z.enum(contactFieldNames).optional(),
      order_type: z.enum(['asc', 'desc']).optional(),
      disable_aggregation,
    }),
    // The behaviour of the service without these fields is not documented.
    defaults: { limit: 100, offset: 0, order_field: 'created_at', order_type: 'asc', disable_aggregation: true },
    prepare: (input) => (isObject(input['filter']) ? { ...input, filter: prepareFilter(input['filter']) } : input),
    answerLocally: ({ filter, offset }) =>
      filter !== undefined && matchesNothing(filter as ContactFilter)
        ? { data: [], unreadable: 0, limit: 100, offset: Number(offset ?? 0), total: 0 }
        : undefined,
    answer: pageAnswer(contact),
  }),

  get: operation({
    summary: 'Get a contact',
    method: 'GET',
    path: '/leads/api/leads/{uuid}',
    repeat: 'read',
    answer: recordAnswer(contact, { blank: 'again' }),
  }),

  update: operation({
    summary: 'Update a contact; fields that are not named stay as they are',
    method: 'PUT',
    path: '/leads/api/leads/{uuid}',
    repeat: 'harmless',
    body: contactUpdate,
    answer: recordAnswer(contact, { blank: 'unknown', refusals: [404, 422] }),
  }),

  delete: operation({
    summary: 'Delete a contact',
    confirm: 'deletes the contact',
    method: 'DELETE',
    path: '/leads/api/leads/{uuid}',
    repeat: 'harmless',
    effects:
      'Dispatches a contact delete job, which creates a mass action item and a delete payload marking the contact as ' +
      'manually deleted by the user. The contact may be readable for a while.',
    // A missing contact is the wanted result.
    answer: doneAnswer<'requested' | 'gone'>(
      'requested',
      { success: [204, 200, 202], refusals: [404, 422] },
      ({ status }) => (status === 404 ? { answer: 'gone' } : undefined),
    ),
  }),

  upsert: operation({
    summary: 'Create or update a contact in a list',
    method: 'POST',
    path: '/leads/api/leads/upsert',
    // A second call finds the contact of the first by the identifiers that were sent.
    repeat: 'harmless',
    body: z.strictObject({
      lead,
      custom_fields: customFields.optional(),
      list_uuid: z.string().min(1).optional().describe('target list'),
      update_if_exists: z.boolean().default(true).describe('when true an existing contact is updated'),
      move_to_list: z.boolean().default(false).describe('when true the contact is also moved to list_uuid'),
    }),
    answer: recordAnswer(contact, { blank: 'unknown', success: [200, 201], refusals: [404, 422] }),
  }),
};
