/*
 * The switches: every point at which the service may behave in more than one way. Without any the stand-in follows the
 * contract, or else the most likely behaviour; a test or a trial sets one to get an alternative. Switches may be
 * changed at any time and take effect with the next request.
 */
import * as z from 'zod';
import { contactFieldNames } from '../../crm/outreach/operations/records.ts';

const off = z.boolean().default(false);
const ms = z.int().min(0);

/** The effect of an unsupported filter: refused 422, dropped silently, 500, or a 504 page. */
const filterTrouble = z.enum(['refused', 'ignored', 'server_error', 'gateway_timeout']);

export const rateLimitHeaders = ['seconds', 'http_date', 'human_date', 'unix', 'none'] as const;
export type RateLimitHeaders = (typeof rateLimitHeaders)[number];

export const switchesSchema = z.strictObject({
  // Transport
  teamIdHeaderRequired: off.describe('400 when the Team-ID header is missing'),
  userAgentRequired: off.describe('403 and an HTML page when the User-Agent header is missing'),
  notFoundBody: z.enum(['envelope', 'message']).default('envelope').describe('body of a 404'),
  validationBody: z.enum(['envelope', 'errors']).default('envelope').describe('body of a 422 about fields'),
  malformedUuid: z
    .enum(['refused', 'not_found', 'server_error'])
    .default('refused')
    .describe('a uuid in the path that is none: 422, 404 or 500'),
  foreignUuid: z.enum(['not_found', 'denied']).default('not_found').describe("another team's uuid: 404 or 403"),
  wrongContentType: z.literal([415, 422]).default(415).describe('status for a body that is not sent as JSON'),
  rateLimits: z
    .array(z.strictObject({ calls: z.int().min(1), windowMs: z.int().min(1) }))
    .default([{ calls: 300, windowMs: 60_000 }])
    .describe('sliding windows per token; empty for no limit; add an hour and a day to have three at once'),
  rateLimitHeaders: z
    .enum(rateLimitHeaders)
    .default('seconds')
    .describe('the time in a 429: Retry-After in seconds or as a date, only a reset header (text or unix), or nothing'),
  blankSuccess: off.describe('every success arrives as a 200 with a blank body'),
  extraFields: off.describe('records have fields that are not documented'),
  timestamps: z.enum(['decimals', 'plain']).default('decimals').describe('six decimals, or none'),
  flags: z.enum(['integer', 'boolean']).default('integer').describe('0/1 or false/true in contacts'),

  // Reading contacts
  pageRowsMax: z.int().min(1).default(100).describe('rows a page holds at most'),
  emailPageRowsMax: z.int().min(1).default(500).describe('the same for the list of e-mails'),
  pageBeyond: z.enum(['clamped', 'refused']).default('clamped').describe('a larger limit: clamped silently, or 422'),
  windowRowsMax: z.int().min(1).default(10_000).describe('rows a search reaches by offset'),
  windowBeyond: z
    .enum(['refused', 'empty', 'server_error'])
    .default('refused')
    .describe('a page beyond that: 422, an empty page, or 500'),
  searchRows: z.enum(['flat', 'wrapped', 'mixed']).default('flat').describe('contacts alone, or under lead'),
  getWrapped: off.describe('GET of one contact answers it under lead'),
  searchHasMore: z.enum(['absent', 'present', 'wrong']).default('absent').describe('has_more of the search'),
  totalDriftMax: z.int().min(0).default(0).describe('each total is wrong by up to this many'),
  searchLagMs: ms.default(0).describe('search sees creations, edits and deletions only after this time'),
  unknownFilter: filterTrouble.default('refused').describe('a filter key that is no contact field'),
  filterByField: z
    .partialRecord(z.enum([...contactFieldNames, 'q']), filterTrouble)
    .default({})
    .describe('contact filters that do not work: {"updated_at": "server_error"}'),
  orderByField: z
    .partialRecord(z.enum(contactFieldNames), filterTrouble)
    .default({})
    .describe('fields the search does not order by: {"updated_at": "refused"}'),
  tieOrder: z
    .enum(['stable', 'random'])
    .default('stable')
    .describe('order of contacts that are equal in the order field: the same in every answer, or another each time'),
  orderFieldIgnored: off.describe('the search orders by created_at whatever is asked'),
  lookupMiss: z
    .enum(['not_found', 'null', 'object', 'array', 'blank', 'no_content'])
    .default('not_found')
    .describe('the answer of lookup-one if nothing matches: 404, 200 null, {}, [], a blank body, or 204'),
  locationAs: z.enum(['array', 'object']).default('array').describe('location of a contact'),
  unreadCountsBy: z.enum(['sender_profile', 'category']).default('sender_profile').describe('key beside count'),

  // Writing contacts
  updateIgnores: z.array(z.string()).default([]).describe('fields an update accepts and does not store'),
  blankValue: z
    .enum(['cleared', 'stored', 'refused', 'ignored'])
    .default('cleared')
    .describe('"" or null for a field: becomes null, stays "", is refused 422, or changes nothing'),
  normalises: z
    .array(z.enum(['trim', 'handle', 'email_case']))
    .default([])
    .describe('changes that the service makes to values: trims, reduces a profile URL to its handle, lower-cases'),
  emailStoredAs: z.enum(['work_email', 'personal_email']).default('work_email').describe('the field that stores email'),
  deleteStatus: z
    .enum(['no_content', 'ok', 'accepted'])
    .default('no_content')
    .describe('204, or 200 or 202 with a body'),
  deleteDelayMs: ms.default(0).describe('the contact is readable for this long after its deletion'),
  upsertCreateStatus: z.literal([200, 201]).default(200).describe('status of an upsert that created'),
  upsertNeedsNetworkId: off.describe('an upsert without network_id is refused'),
  upsertExisting: z
    .enum(['unchanged', 'refused', 'duplicated'])
    .default('unchanged')
    .describe('update_if_exists=false and the contact exists: 200, 422, or a second contact of status duplicate'),
  unknownList: z.literal([422, 404]).default(422).describe('status of a write into a list that is unknown'),
  customFields: z.enum(['stored', 'ignored']).default('stored').describe('custom_fields of a write'),
  customFieldNames: z
    .array(z.string())
    .nullable()
    .default(null)
    .describe('custom fields the team has; null: every well-formed name'),
  unknownCustomField: z
    .enum(['refused', 'ignored'])
    .default('refused')
    .describe('a custom field that the team does not have'),
  enrichmentDelayMs: ms.nullable().default(null).describe('a new contact gets another headline and position then'),

  // Automations
  automationOrder: z.enum(['asc', 'desc']).default('asc').describe('created_at order of automations by default'),
  flatFilters: z.enum(['read', 'ignored']).default('read').describe('filters of a GET as plain query parameters'),
  timeblocks: z.enum(['from_to', 'min_max']).default('from_to').describe('names of the minutes in a schedule'),
  sundayAs: z.literal([0, 7]).default(0).describe('dow of Sunday in a schedule'),
  addToStopped: z.enum(['accepted', 'refused']).default('accepted').describe('add to an automation off or draft'),
  addTwice: z.enum(['accepted', 'conflict', 'refused']).default('accepted').describe('already enrolled: 204, 409, 422'),
  addNewLeadAnswer: z.enum(['no_content', 'lead']).default('no_content').describe('204, or 200 with lead and message'),
  cancelAnswer: z.enum(['no_content', 'message']).default('no_content').describe('204, or 200 with a message'),
  cancelDelayMs: ms.default(5000).describe('a cancellation job takes effect after this time'),

  // Sender profiles
  profileCreateStatus: z.literal([201, 200]).default(201).describe('status of creating a sender profile'),
  profilesMax: z.int().min(0).default(10).describe('sender profiles the account may have'),
  profileLimitStatus: z
    .literal([402, 403, 422])
    .default(402)
    .describe('status when the limit is reached or there is no subscription'),
  subscriptionActive: z.boolean().default(true).describe('connect-external needs it'),
  externalProfileIdField: z
    .string()
    .min(1)
    .default('external_browser_profile_id')
    .describe('name of the id field of connect-external'),

  // Inbox and lists
  messageDelayMs: ms.default(5000).describe('a queued message is done, or failed, after this time'),
  messageOutcome: z.enum(['done', 'failed']).default('done').describe('the end of a queued message'),
  messageSpelling: z
    .enum(['documented', 'variant'])
    .default('documented')
    .describe('kind and automation of messages as documented, or Connection-Note and an object with uuid and name'),
  emailDelayMs: ms.default(5000).describe('a queued e-mail is sent, bounced or in error after this time'),
  emailOutcome: z.enum(['sent', 'bounced', 'error']).default('sent').describe('the end of a queued e-mail'),
  emailPaging: z.enum(['flat', 'nested']).default('flat').describe('figures beside data, or under pagination'),
  hasMore: z
    .enum(['present', 'absent', 'wrong'])
    .default('present')
    .describe('has_more of the lists of lists, automations, sender profiles, messages and e-mails'),
});

export type Switches = z.output<typeof switchesSchema>;

export function defaultSwitches(): Switches {
  return switchesSchema.parse({});
}
