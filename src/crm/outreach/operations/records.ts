/*
 * The records of the service. The contract shows contact and automation. List, sender profile, network message and
 * e-mail follow what clients of the service read in practice; every field but the uuid is optional.
 */
import * as z from 'zod';
import { flag, instant, integer, json, nested, objects, record, text, texts, uuid } from './shape.ts';
import type { RecordFrom } from './shape.ts';

const ids = { uuid: uuid(), team_id: integer(), user_id: integer() };
const times = { created_at: instant(), updated_at: instant() };

export const contact = record('Contact', {
  ...ids,
  sender_profile_uuid: text(),
  list_uuid: text('list holding the contact'),
  data_source_uuid: text(),
  pipeline_stage_uuid: text(),
  company_uuid: text(),
  name: text('full name; computed from its parts when they change'),
  first_name: text(),
  last_name: text(),
  company_name: text(),
  company_ln_id: text('company identifier in the network'),
  position: text('job position'),
  headline: text(),
  about: text(),
  avatar_url: text('URL'),
  ln_id: text('member identifier in the network'),
  sn_id: text('second member identifier in the network'),
  network: text('profile handle'),
  social_1: text('social handle'),
  social_2: text('social handle'),
  work_email: text(),
  personal_email: text(),
  work_phone_number: text(),
  personal_phone_number: text(),
  connections_number: integer(),
  followers_number: integer(),
  primary_language: text('language code'),
  supported_languages: texts('language codes'),
  has_open_profile: flag(),
  has_verified_profile: flag(),
  has_premium: flag(),
  experience: objects('title, company, start_date, end_date'),
  posts: objects('content, date'),
  educations: objects('school, degree, field_of_study, start_year, end_year'),
  skills: texts(),
  top_voices: texts(),
  raw_address: text('free-text address'),
  location: objects('address_string'),
  tags: texts('tag identifiers'),
  status: text('ok, failed_validation, no_contact_data, duplicate; others may come'),
  network_status: text('need_enrichment, enrichment_failed, no_data, blocked, ok, active; others may come'),
  email_status: text('need_search, no_data, unsubscribed, ok, verified; others may come'),
  unread_counts: objects('count, sender_profile_uuid'),
  last_automation_approve_at: instant(),
  ...times,
});
export type Contact = RecordFrom<typeof contact>;
export type ContactField = keyof typeof contact.fields;
export const contactFieldNames = Object.keys(contact.fields) as [ContactField, ...ContactField[]];

/**
 * The fields under `lead` of upsert and add-new-lead; update has the same, flat, without `network_id`. All are strings.
 */
const flatLead = {
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  company_name: z.string().optional().describe('name of the company the contact is associated with'),
  ln_id: z.string().optional(),
  sn_id: z.string().optional(),
  network: z.string().optional().describe('profile handle'),
  email: z.string().optional().describe('a contactable email address'),
  about: z.string().optional(),
  domain: z.string().optional().describe('company web domain'),
  headline: z.string().optional(),
  position: z.string().optional(),
  raw_address: z.string().optional(),
};
export const contactUpdate = z.strictObject(flatLead);
export type ContactUpdate = z.input<typeof contactUpdate>;

export const lead = z
  .strictObject({
    network_id: z.string().optional().describe('network profile handle or member identifier'),
    ...flatLead,
  })
  .meta({ id: 'Lead' });
export type Lead = z.input<typeof lead>;

export const customFields = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be letters, digits and _, no digit first'), z.string())
  .refine((fields) => Object.keys(fields).length <= 100, 'must be a hundred at most')
  .describe('custom field names to string values; the contract gives no way to read them back');

export const list = record('List', { ...ids, name: text(), ...times });
export type List = RecordFrom<typeof list>;

/**
 * Minutes from midnight in `from` and `to`; `dow` 0 is Sunday, and so is 7. One version of the service calls them min
 * and max.
 */
const timeblock = z.preprocess(
  (block) => {
    if (typeof block !== 'object' || block === null || !('min' in block) || !('max' in block)) return block;
    const { min, max, ...rest } = block;
    return { from: min, to: max, ...rest };
  },
  z.looseObject({ dow: z.int(), from: z.int(), to: z.int() }),
);

export const schedule = z.looseObject({
  timezone: z.string().describe('time-zone name'),
  use_lead_timezone: z.boolean().optional(),
  timeblocks: z.array(timeblock).describe('days of the week and minutes of the day'),
});

export const automation = record(
  'Automation',
  {
    ...ids,
    public_uuid: text(),
    name: text(),
    flow_workspace_uuid: text(),
    flow_version_uuid: text(),
    schedule: nested(schedule),
    description: text(),
    priority: integer(),
    status: text('draft, on, off, archived; others may come'),
    is_public: flag('boolean'),
    ...times,
  },
  ['team_id', 'name', 'flow_version_uuid', 'schedule', 'priority', 'status', 'is_public', 'user_id'],
);

export const senderProfile = record('SenderProfile', {
  ...ids,
  assignee_user_id: integer(),
  first_name: text(),
  last_name: text(),
  label: text(),
  avatar_url: text(),
  status: text('enabled, disabled; others may come'),
  schedule: nested(schedule),
  mailbox_uuid: text(),
  smart_limits_enabled: flag(),
  hold_tasks_till: instant(),
  notification_emails: texts(),
  ...times,
});

export const networkMessage = record('NetworkMessage', {
  ...ids,
  sender_profile_uuid: text(),
  lead_uuid: text(),
  conversation_uuid: text(),
  account_uuid: text(),
  template_uuid: text(),
  task_uuid: text(),
  message_hash: text(),
  subject: text('of an in-mail'),
  text: text(),
  attachments: objects(),
  type: text('inbox or outbox'),
  kind: text('connection_note, message, inmail; the spelling varies'),
  automation: json(
    { type: ['string', 'object', 'null'] },
    'auto, manual, synced and others; or an object with uuid, name',
  ),
  status: text('new, in_progress, done, failed'),
  fail_reason: text(),
  sent_at: instant(),
  read_at: instant(),
  ...times,
});

export const email = record('Email', {
  ...ids,
  sender_profile_uuid: text(),
  mailbox_uuid: text(),
  email_body_uuid: text('rows carry no body'),
  flow_uuid: text(),
  lead_uuid: text(),
  type: text('inbox or outbox'),
  status: text('need_sync, idle, waiting, sent, sync, cancelled, missing_body, error, bounced'),
  from_name: text(),
  from_email: text(),
  to_name: text(),
  to_email: text(),
  cc: texts(),
  bcc: texts(),
  subject: text(),
  thread_uuid: text(),
  replied_to_uuid: text(),
  bounced_by_uuid: text(),
  sent_at: instant(),
  ...times,
});
