// The operations on automations.
import * as z from 'zod';
import { doneAnswer, isObject, pageAnswer, recordAnswer, recordBytesMax, unwrap } from './answers.ts';
import { operation } from './define.ts';
import type { AnswerRule } from './define.ts';
import { collectionFilter, paging, pagingDefaults } from './paging.ts';
import { automation, contact, customFields, lead } from './records.ts';
import type { Contact } from './records.ts';

/** The outcome of creating and enrolling a contact in one call. */
type AddNewLeadOutcome =
  | { readonly outcome: 'added'; readonly contact?: Contact }
  /** `skip_if_lead_exists` was set, and the contact exists. */
  | { readonly outcome: 'skipped'; readonly reason: string }
  /** A success that names neither outcome; a person has to look. */
  | { readonly outcome: 'unknown'; readonly raw: unknown };

const addNewLeadAnswer: AnswerRule<AddNewLeadOutcome> = {
  success: [204, 200],
  refusals: [404, 422],
  schema: z.looseObject({ reason: z.string().optional().describe('skipped') }),
  blank: 'unknown',
  bytesMax: recordBytesMax,
  read: (json, status) => {
    if (status === 204) return { outcome: 'added' };
    if (isObject(json) && typeof json['reason'] === 'string') return { outcome: 'skipped', reason: json['reason'] };
    const { success, data } = contact.schema.safeParse(unwrap(json));
    return success ? { outcome: 'added', contact: data } : { outcome: 'unknown', raw: json };
  },
};

/** An existing enrolment is the wanted result; some versions of the service refuse the call all the same. */
const alreadyEnrolled: AnswerRule<'added' | 'already'>['refused'] = ({ status, message }) =>
  status === 409 || (status === 422 && /\balready\b/i.test(message)) ? { answer: 'already' } : undefined;

const flatFilters = [
  'q',
  'uuid',
  'flow_workspace_uuid',
  'flow_version_uuid',
  'status',
  'is_public',
  'user_id',
] as const;

export const automations = {
  list: operation({
    summary: 'List automations',
    method: 'GET',
    path: '/flows/api/flows',
    repeat: 'read',
    query: collectionFilter(flatFilters).extend({
      ...paging,
      filter: collectionFilter(flatFilters).optional().describe('search filters; q is supported'),
    }),
    filterStyle: 'flat',
    defaults: pagingDefaults,
    answer: pageAnswer(automation),
  }),

  start: operation({
    summary: 'Start an automation',
    confirm: 'starts the automation, which may send messages',
    method: 'PUT',
    path: '/flows/api/flows/{flowUuid}/start',
    repeat: 'harmless',
    effects: 'An archived automation is refused: 422 with a message about not being able to turn it on.',
    answer: recordAnswer(automation, { blank: 'unknown', refusals: [404, 422] }),
  }),

  stop: operation({
    summary: 'Stop an automation',
    method: 'PUT',
    path: '/flows/api/flows/{flowUuid}/stop',
    repeat: 'harmless',
    answer: recordAnswer(automation, { blank: 'unknown', refusals: [404, 422] }),
  }),

  addContact: operation({
    summary: 'Add an existing contact to an automation',
    confirm: 'puts the contact into the automation, which may send messages',
    method: 'POST',
    path: '/flows/api/flows/{flowUuid}/leads/{leadUuid}',
    repeat: 'harmful',
    body: z.strictObject({
      contact_source_id: z.int().optional().describe('a later version of the service asks for it'),
    }),
    answer: doneAnswer<'added' | 'already'>(
      'added',
      { success: [204, 200, 201], refusals: [404, 409, 422] },
      alreadyEnrolled,
    ),
  }),

  addNewLead: operation({
    summary: 'Create a contact in the given list and attach it to the automation',
    confirm: 'creates the contact and puts it into the automation, which may send messages',
    method: 'POST',
    path: '/flows/api/flows/{flowUuid}/add-new-lead',
    repeat: 'harmful',
    body: z.strictObject({
      lead,
      custom_fields: customFields.optional(),
      list_uuid: z.string().min(1).optional().describe('list in which the contact is created'),
      update_lead_if_exists: z.boolean().default(true).describe('updates the contact if it exists'),
      move_to_list: z.boolean().default(false).describe('moves an existing contact to list_uuid'),
      flow_segment_id: z.int().default(1).describe('automation segment'),
      skip_if_lead_exists: z
        .boolean()
        .optional()
        .describe('only new contacts are added; one that exists is not, and the answer gives the reason skipped'),
    }),
    answer: addNewLeadAnswer,
  }),

  cancel: operation({
    summary: 'Cancel a contact from the listed automations',
    method: 'PUT',
    path: '/flows/api/flows/leads/{leadUuid}/cancel',
    repeat: 'harmless',
    body: z.strictObject({ flow_uuids: z.array(z.string().min(1)).min(1).describe('automation UUIDs') }),
    effects:
      'One cancellation job per listed automation is dispatched, reason text "Automation cancelled manually". ' +
      'The effect comes later, and no operation reads it back.',
    answer: doneAnswer('requested' as const, { success: [204, 200], refusals: [404, 422] }),
  }),

  cancelAll: operation({
    summary: 'Cancel a contact from all its active automations',
    method: 'PUT',
    path: '/flows/api/flows/leads/{leadUuid}/cancel-all',
    repeat: 'harmless',
    effects: 'One cancellation job per active automation of the contact is dispatched, same reason text.',
    answer: doneAnswer('requested' as const, { success: [204, 200] }),
  }),
};
