// The operations on network messages and e-mails.
import * as z from 'zod';
import { firstWithUuid, pageAnswer, recordAnswer } from './answers.ts';
import { operation } from './define.ts';
import { collectionFilter, paging, pagingDefaults } from './paging.ts';
import { email, networkMessage } from './records.ts';

/** A range, in the form of `sent_at`: full ISO instants. */
const range = z.union([z.string(), z.partialRecord(z.enum(['<', '<=', '>', '>=']), z.string())]);

export const networkMessages = {
  list: operation({
    summary: 'List network messages',
    method: 'GET',
    path: '/flows/api/professional-network-messages',
    repeat: 'read',
    query: z.strictObject({
      ...paging,
      order_field: z.enum(['uuid', 'sent_at', 'created_at', 'updated_at']).optional(),
      filter: collectionFilter([
        'q',
        'uuid',
        'sender_profile_uuid',
        'lead_uuid',
        'template_uuid',
        'message_hash',
        'type',
        'automation',
        'status',
        'user_id',
        'conversation_uuid',
        'account_uuid',
        'task_uuid',
      ]).optional(),
    }),
    filterStyle: 'bracket',
    defaults: pagingDefaults,
    answer: pageAnswer(networkMessage),
  }),

  send: operation({
    summary: 'Send a network message',
    confirm: 'sends the message',
    method: 'POST',
    path: '/flows/api/professional-network-messages',
    repeat: 'harmful',
    body: z
      .strictObject({
        sender_profile_uuid: z.string().min(1),
        lead_uuid: z.string().min(1),
        text: z.string().min(1).max(8000).optional(),
        template_uuid: z.string().min(1).optional(),
        subject: z.string().max(511).optional().describe('of an in-mail'),
        attachments: z.array(z.unknown()).optional(),
      })
      .refine(({ text, template_uuid }) => text ?? template_uuid, 'needs text or template_uuid')
      .meta({ anyOf: [{ required: ['text'] }, { required: ['template_uuid'] }] }),
    effects: 'The message is queued, not delivered: its status, seen in the listing, tells.',
    answer: recordAnswer(networkMessage, { blank: 'unknown', success: [201, 200], refusals: [404, 422] }),
  }),
};

/** The stored parts of an e-mail beside its row. */
const emailBody = z.looseObject({
  uuid: z.string(),
  subject: z.string().nullable(),
  body: z.string(),
  attachments: z.array(z.unknown()),
});

export const emails = {
  list: operation({
    summary: 'List e-mails',
    method: 'GET',
    path: '/emails/api/emails',
    repeat: 'read',
    query: z.strictObject({
      ...paging,
      filter: collectionFilter([
        'lead_uuid',
        'flow_uuid',
        'mailbox_uuid',
        'type',
        'status',
        'from_email',
        'to_email',
        'thread_uuid',
      ])
        .extend({ sent_at: range.optional() })
        .optional(),
    }),
    filterStyle: 'bracket',
    defaults: pagingDefaults,
    answer: pageAnswer(email),
  }),

  send: operation({
    summary: 'Send a new e-mail',
    confirm: 'sends the e-mail',
    method: 'POST',
    path: '/emails/api/emails/send-email',
    repeat: 'harmful',
    body: z.strictObject({
      sender_profile_uuid: z.string().min(1),
      lead_uuid: z.string().min(1),
      from_name: z.string().optional(),
      from_email: z.string().optional(),
      to_name: z.string().optional(),
      to_email: z.string().optional(),
      subject: z.string().optional(),
      body: z.string().min(1),
      cc: z.array(z.string()).optional(),
      bcc: z.array(z.string()).optional(),
    }),
    effects: 'The e-mail is queued, not delivered: its status, seen in the listing, tells.',
    answer: recordAnswer(email, {
      blank: 'unknown',
      success: [201, 200],
      refusals: [404, 422],
      // The answer holds the e-mail and, beside it, its stored body.
      pick: firstWithUuid,
      schema: z.looseObject({ emailDomain: email.schema, emailBodyDomain: emailBody }),
    }),
  }),
};
