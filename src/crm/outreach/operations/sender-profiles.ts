// The operations on sender profiles.
import * as z from 'zod';
import { pageAnswer, recordAnswer } from './answers.ts';
import { operation } from './define.ts';
import { collectionFilter, paging, pagingDefaults } from './paging.ts';
import { schedule, senderProfile } from './records.ts';

const flatFilters = [
  'q',
  'uuid',
  'mailbox_uuid',
  'assignee_user_id',
  'first_name',
  'last_name',
  'label',
  'status',
  'user_id',
] as const;

export const senderProfiles = {
  list: operation({
    summary: 'List sender profiles',
    method: 'GET',
    path: '/flows/api/sender-profiles',
    repeat: 'read',
    query: collectionFilter(flatFilters).extend({ ...paging, filter: collectionFilter(flatFilters).optional() }),
    filterStyle: 'flat',
    defaults: pagingDefaults,
    answer: pageAnswer(senderProfile),
  }),

  create: operation({
    summary: 'Create a sender profile',
    method: 'POST',
    path: '/flows/api/sender-profiles',
    repeat: 'harmful',
    body: z.strictObject({
      first_name: z.string().min(1),
      last_name: z.string().min(1),
      assignee_user_id: z.int().optional(),
      label: z.string().optional(),
    }),
    answer: recordAnswer(senderProfile, { blank: 'unknown', success: [201, 200], refusals: [402, 422] }),
  }),

  get: operation({
    summary: 'Get a sender profile',
    method: 'GET',
    path: '/flows/api/sender-profiles/{senderProfileUuid}',
    repeat: 'read',
    answer: recordAnswer(senderProfile, { blank: 'again' }),
  }),

  connectExternal: operation({
    summary: 'Create a sender profile for an external browser profile and connect it',
    method: 'POST',
    path: '/flows/client-api/sender-profiles/connect-external',
    repeat: 'harmful',
    body: z.strictObject({
      first_name: z.string().min(1),
      last_name: z.string().min(1),
      external_browser_profile_id: z
        .string()
        .min(1)
        .describe('the name of this field differs from vendor to vendor; another one is sent with --allow-unknown'),
      label: z.string().optional(),
      schedule: schedule.optional(),
      smart_limits_enabled: z.boolean().optional(),
      notification_emails: z.array(z.string()).optional(),
      browser_owner: z.string().optional(),
    }),
    effects: 'Needs an active subscription; fails when the sender profile limit is reached.',
    answer: recordAnswer(senderProfile, { blank: 'unknown', success: [201, 200], refusals: [402, 422] }),
  }),
};
